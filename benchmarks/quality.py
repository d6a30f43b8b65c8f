"""Scoring quality on labelled rows, by RAGBench's own procedure.

    python -m benchmarks.quality --data DIR [--split test] [--leave-one-out] [--markdown FILE]

Per subset: AUROC of hallucination (`~adherence_score` against 1 - score), RMSE of relevance, utilization and
completeness; then the mean over subsets with a bootstrap interval over rows. Beside the scorers stand the
published peers where their columns are filled, and the constant predictor (the mean of the other subsets).
`--leave-one-out` trains the lexical scorer for each subset on the other subsets of DIR only.
"""

import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import argparse
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks import quality_calibration, ragbench_rows, train_lexical
from trace_core import Evaluation, Scorer, get_scorer, ragbench_log
from trace_core.scorers.lexical import LexicalScorer
from trace_core.scorers.lexical.model import LexicalModel

MEASURES = ("adherence AUROC", "relevance RMSE", "utilization RMSE", "completeness RMSE")
LABELS = ("adherence_score", "relevance_score", "utilization_score", "completeness_score")
#: What the data set publishes of others, by measure: columns of values in the measure's own direction.
PEERS: Mapping[str, Mapping[str, str]] = {
    "RAGAS": {"adherence AUROC": "ragas_faithfulness", "relevance RMSE": "ragas_context_relevance"},
    "TruLens": {"adherence AUROC": "trulens_groundedness", "relevance RMSE": "trulens_context_relevance"},
    "GPT-3.5": {
        "adherence AUROC": "gpt3_adherence",
        "relevance RMSE": "gpt3_context_relevance",
        "utilization RMSE": "gpt35_utilization",
    },
}
INTRO = """# Measured quality

Made by `python -m benchmarks.quality --data DIR --leave-one-out --markdown docs/metrics/quality.md` on
RAGBench (arXiv:2407.11005, CC-BY-4.0), by the data set's own procedure: AUROC of hallucination for adherence,
higher is better; root mean squared error for the shares, lower is better; the mean is over subsets, the
interval is a bootstrap over rows. `constant` predicts the mean of the other subsets. Peers appear where the
rows hold their published values, so their means are over fewer subsets. The
labels were made by language models, not by people.
"""
REPETITIONS = 500
Values = np.ndarray[tuple[int, ...], np.dtype[np.float64]]


@dataclass(frozen=True)
class Column:
    """Values of one predictor for one subset, by measure, NaN where it has none; labels beside them."""

    values: Mapping[str, Values]
    labels: Mapping[str, Values]

    def figure(self, measure: str, rows: Values | None = None) -> float:
        """AUROC or RMSE over the rows that have a value, NaN without any."""
        value, label = self.values[measure], self.labels[measure]
        if rows is not None:
            value, label = value[rows], label[rows]
        known = ~(np.isnan(value) | np.isnan(label))
        return _measure(measure, value[known], label[known])


def _measure(measure: str, value: Values, label: Values) -> float:
    if not len(value):
        return float("nan")
    if "RMSE" in measure:
        return float(np.sqrt(np.mean((value - label) ** 2)))
    return auroc(label == 0.0, 1.0 - value)


def auroc(positive: "np.ndarray[Any, np.dtype[np.bool_]]", score: Values) -> float:
    """The chance that a positive row has a higher score than a negative one; ties count half."""
    positives, negatives = np.sort(score[positive]), np.sort(score[~positive])
    if not len(positives) or not len(negatives):
        return float("nan")
    below = np.searchsorted(negatives, positives, "left") + np.searchsorted(negatives, positives, "right")
    return float(below.mean() / 2 / len(negatives))


def scored(rows: Sequence[Mapping[str, Any]], scorer: Scorer) -> dict[str, Values]:
    """A scorer's values. An undefined completeness counts as 1, as the published labels do."""
    results = list(scorer.score_many(map(ragbench_log, rows)))

    def column(pick: Callable[[Evaluation], float | None]) -> Values:
        return np.array([np.nan if pick(e) is None else pick(e) for e in results], dtype=float)

    return {
        "adherence AUROC": column(
            lambda e: e.adherence if e.adherence_probability is None else e.adherence_probability
        ),
        "relevance RMSE": column(lambda e: e.relevance),
        "utilization RMSE": column(lambda e: e.utilization),
        "completeness RMSE": column(
            lambda e: 1.0 if e.undefined.get("completeness") == "no_relevant_sentence" else e.completeness
        ),
    }


def published(rows: Sequence[Mapping[str, Any]], columns: Mapping[str, str]) -> dict[str, Values]:
    """A peer's published values."""
    return {
        measure: np.array(
            [np.nan if row.get(columns.get(measure, "")) is None else row[columns[measure]] for row in rows],
            dtype=float,
        )
        for measure in MEASURES
    }


def trained_without(folder: Path, left_out: str) -> LexicalScorer:
    """The lexical scorer as it would be without a subset."""
    loaded = train_lexical.load(
        [p for p in ragbench_rows.files(folder) if ragbench_rows.subset(p) != left_out]
    )
    table = train_lexical.background(row for _, row in loaded)
    content = train_lexical.train(train_lexical.examples_of(loaded, table), table)
    return LexicalScorer(LexicalModel.from_json(content))


def compare(folder: Path, split: str, leave_one_out: bool) -> dict[str, dict[str, Column]]:
    """predictor -> subset -> values and labels."""
    by_subset = {
        ragbench_rows.subset(p): list(ragbench_rows.rows(p)) for p in ragbench_rows.files(folder, split)
    }
    labels = {
        name: {m: np.array([float(r[c]) for r in rows]) for m, c in zip(MEASURES, LABELS, strict=True)}
        for name, rows in by_subset.items()
    }
    result: dict[str, dict[str, Column]] = {}
    for name, rows in by_subset.items():
        lexical = trained_without(folder, name) if leave_one_out else get_scorer("lexical")
        others = [n for n in by_subset if n != name] or [name]
        means = {m: np.mean([labels[n][m].mean() for n in others]) for m in MEASURES}
        predictors = {
            "lexical": scored(rows, lexical),
            "heuristic": scored(rows, get_scorer("heuristic")),
            "constant": {m: np.full(len(rows), means[m]) for m in MEASURES},
            **{peer: published(rows, columns) for peer, columns in PEERS.items()},
        }
        for predictor, values in predictors.items():
            result.setdefault(predictor, {})[name] = Column(values, labels[name])
        print(f"  {name}: {len(rows)} rows", flush=True)
    return result


def interval(columns: Mapping[str, Column], measure: str) -> tuple[float, float]:
    """95 % of the macro means of rows drawn again within each subset; the seed is fixed."""
    draw = np.random.default_rng(20240701)
    means = []
    for _ in range(REPETITIONS):
        sizes = {name: len(column.labels[measure]) for name, column in columns.items()}
        figures = [c.figure(measure, draw.integers(0, sizes[n], sizes[n])) for n, c in columns.items()]
        means.append(_mean(figures))
    low, high = np.nanquantile(means, [0.025, 0.975])
    return float(low), float(high)


def _mean(figures: Sequence[float]) -> float:
    known = [f for f in figures if not np.isnan(f)]
    return float(np.mean(known)) if known else float("nan")


def table(result: Mapping[str, Mapping[str, Column]], measure: str) -> list[str]:
    """A Markdown table of one measure: a line a predictor, a column a subset."""
    names = list(next(iter(result.values())))
    counts = [len(result["lexical"][name].labels[measure]) for name in names]
    heads = [f"{name} ({count})" for name, count in zip(names, counts, strict=True)]
    lines = [
        f"### {measure}",
        "",
        f"| predictor | {' | '.join(heads)} | mean | 95 % |",
        "|---" * (len(names) + 3) + "|",
    ]
    for predictor, columns in result.items():
        figures = [columns[name].figure(measure) for name in names]
        if np.isnan(figures).all():
            continue
        low, high = interval(columns, measure)
        cells = " | ".join("-" if np.isnan(f) else f"{f:.3f}" for f in figures)
        lines.append(f"| {predictor} | {cells} | **{_mean(figures):.3f}** | {low:.3f} to {high:.3f} |")
    return [*lines, ""]


def calibration(result: Mapping[str, Mapping[str, Column]]) -> list[str]:
    """Tables on the lexical scorer's adherence probability."""
    judged = {}
    for name, column in result["lexical"].items():
        value, label = column.values["adherence AUROC"], column.labels["adherence AUROC"]
        known = ~np.isnan(value)
        judged[name] = (value[known], label[known])
    return quality_calibration.tables(judged)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, required=True, help="folder of <subset>_<split>.jsonl.gz files")
    parser.add_argument("--split", default="validation", help="rows that judge (default: %(default)s)")
    parser.add_argument("--leave-one-out", action="store_true", help="train without the subset that judges")
    parser.add_argument("--markdown", type=Path, help="write the tables to this file as well")
    options = parser.parse_args()
    result = compare(options.data, options.split, options.leave_one_out)
    mode = "weights trained without the subset they judge" if options.leave_one_out else "packaged weights"
    lines = [f"## Split `{options.split}`, {mode}", ""]
    for measure in MEASURES:
        lines += table(result, measure)
    lines += calibration(result)
    print("\n".join(lines))
    if options.markdown:
        options.markdown.write_text("\n".join([INTRO, *lines]), encoding="utf-8")


if __name__ == "__main__":
    main()
