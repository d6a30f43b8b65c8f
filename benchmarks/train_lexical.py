"""Train the lexical scorer's weights from a folder of RAGBench files.

    python -m benchmarks.train_lexical --data DIR [--output FILE] [--date YYYY-MM-DD]

The same files give the same bytes: nothing is random, and coefficients are rounded far above rounding errors.
"""

import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # sums in one order

import argparse
import json
import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import Stemmer

from benchmarks import ragbench_rows
from benchmarks.corruption import corrupted
from benchmarks.logistic import Floats, Groups, fit
from trace_core import Annotation, Log, ragbench_log
from trace_core.keys import clean_document_keys, clean_response_keys, document_keys
from trace_core.refusals import response_kind
from trace_core.scorers.lexical.features import (
    DOCUMENT_FEATURES,
    SUPPORT_FEATURES,
    Nearest,
    document_features,
    signs,
    support_features,
)
from trace_core.scorers.lexical.layout import lay_out
from trace_core.scorers.lexical.model import LexicalModel
from trace_core.scorers.lexical.overlap import measure
from trace_core.scorers.lexical.reading import DocumentCache, draft_log, read_drafts
from trace_core.scorers.lexical.vocabulary import Vocabulary
from trace_core.words import words

OUTPUT = Path(__file__).parents[1] / "trace_core" / "scorers" / "lexical" / "weights.json"
CORRUPTED_WEIGHT = 0.1  # of a made-up negative against a labelled sentence
SHARE_WEIGHT = 3.0  # of the error of a log's share against the log loss of its sentences
RATIO_TRUST = 0.7  # ratios of expected counts are worth less on subsets that took no part in training
DOCUMENT_RIDGE = 50.0  # many of the document features say nearly the same
LEAST_DOCUMENTS = 3  # documents a stem must occur in to be in the background table


@dataclass(frozen=True)
class Example:
    """One labelled row in features."""

    subset: str
    support: Floats
    supported: Floats
    wrong: Floats  # features of the sentence made wrong on purpose: one row or none
    documents: Floats
    relevant: Floats
    utilized: Floats
    completeness: float
    adherent: bool


def background(rows: Iterable[Mapping[str, Any]]) -> dict[str, int]:
    """How informative each common stem is, in 1/256, from the share of distinct documents that hold it."""
    stem = Stemmer.Stemmer("english", 0).stemWord
    seen: set[str] = set()
    holding: Counter[str] = Counter()
    for row in rows:
        for document in row["documents"]:
            if document not in seen:
                seen.add(document)
                holding.update({word if word.isdigit() else stem(word) for word in words(document)})
    most = math.log(len(seen))
    common = {s: n for s, n in holding.items() if n >= LEAST_DOCUMENTS}
    return {s: round(256 * math.log(len(seen) / n) / most) for s, n in sorted(common.items())}


class Extractor:
    """Turns rows into examples with the very code that scores."""

    def __init__(self, table: Mapping[str, int]) -> None:
        self._vocabulary = Vocabulary("en", {s: n / 256 for s, n in table.items()}, 1.0)
        self._cache = DocumentCache()

    def _features(self, log: Log) -> tuple[Floats, Floats]:
        sentences = log.response_sentences or ()
        draft = draft_log(log, sentences, None, self._vocabulary, self._cache)
        layout = lay_out(read_drafts([draft], self._vocabulary, self._cache))
        overlap = measure(layout, self._vocabulary)
        refusal = response_kind(sentences) == "refusal"
        support = support_features(overlap, layout, Nearest.of(overlap, layout))
        return support, document_features(overlap, layout, [refusal])

    def example(self, subset: str, row: Mapping[str, Any], donor: str) -> Example | None:
        """The example of a row, or None for a row without sentences."""
        log = ragbench_log(row)
        labels = Annotation.from_ragbench(row)
        if not labels.document_sentence_count or not labels.response_sentence_keys:
            return None
        support, documents = self._features(log)
        unsupported, _ = clean_response_keys(labels.unsupported_keys, labels.response_sentence_keys)
        flags = [key not in unsupported for key in labels.response_sentence_keys]
        wrong = np.zeros((0, support.shape[1]))
        changed = corrupted(log.response_sentences or (), flags, donor)
        if changed:
            changed_log = replace(log, response_sentences=tuple(changed[0]), response=" ".join(changed[0]))
            wrong = self._features(changed_log)[0][changed[1] : changed[1] + 1]
        keys = document_keys(labels.document_sentence_counts)
        sets = [
            set(clean_document_keys(raw, labels.document_sentence_counts)[0])
            for raw in (labels.relevant_keys, labels.utilized_keys)
        ]
        relevant, utilized = (np.array([key in keys_of for key in keys], dtype=float) for keys_of in sets)
        return Example(
            subset,
            support,
            np.array(flags, dtype=float),
            wrong,
            documents,
            relevant,
            utilized,
            float(row["completeness_score"]),
            not labels.unsupported_keys,
        )


def train(examples: Sequence[Example], table: Mapping[str, int]) -> dict[str, Any]:
    """The content of the weights file, without its provenance."""
    models = {"support": _support_model(examples)}
    rows = np.vstack([e.documents for e in examples])
    groups = Groups(np.array([len(e.relevant) for e in examples]), SHARE_WEIGHT)
    weights = np.repeat(1.0 / groups.sizes, groups.sizes)
    free = [0] * len(DOCUMENT_FEATURES)
    for name, labels in (
        ("relevant", [e.relevant for e in examples]),
        ("utilized", [e.utilized for e in examples]),
        ("both", [e.relevant * e.utilized for e in examples]),
    ):
        fitted = fit(rows, np.concatenate(labels), weights, free, groups, DOCUMENT_RIDGE)
        models[name] = _model_json(DOCUMENT_FEATURES, *fitted)
    odds = [_logits(e.support, models["support"]) for e in examples]
    return {
        "format": 1,
        "models": models,
        "response": _response_model(examples, odds),
        "threshold": _threshold(examples, odds),
        "completeness": _completeness_line(examples, models),
        "unseen": 256,
        "background": dict(table),
    }


def _support_model(examples: Sequence[Example]) -> dict[str, Any]:
    rows = np.vstack([e.support for e in examples] + [e.wrong for e in examples])
    labelled = np.concatenate([e.supported for e in examples])
    made = sum(len(e.wrong) for e in examples)
    labels = np.concatenate([labelled, np.zeros(made)])
    weights = np.concatenate([np.ones(len(labelled)), np.full(made, CORRUPTED_WEIGHT)])
    return _model_json(SUPPORT_FEATURES, *fit(rows, labels, weights, signs(SUPPORT_FEATURES)))


def _response_model(examples: Sequence[Example], odds: Sequence[Floats]) -> dict[str, float]:
    """Log-odds of adherence over the sum of the sentences' log-probabilities by the root of their number."""
    sums = [[float(-np.logaddexp(0.0, -o).sum()) / math.sqrt(len(o))] for o in odds]
    adherent = np.array([float(e.adherent) for e in examples])
    coefficients, intercept = fit(np.array(sums), adherent, np.ones(len(examples)), [1])
    return {"slope": _rounded(coefficients[0]), "intercept": _rounded(intercept)}


def _threshold(examples: Sequence[Example], odds: Sequence[Floats]) -> float:
    """The probability below which as many responses hold an unsupported sentence as labels say."""
    least = np.sort([1.0 / (1.0 + math.exp(-o.min())) for o in odds])
    share = sum(not e.adherent for e in examples) / len(examples)
    return _rounded(float(least[round(share * len(least))]))


def _completeness_line(examples: Sequence[Example], models: Mapping[str, Any]) -> dict[str, float]:
    """Expected completeness over the ratio of expected counts: a line, as the ratio alone is too bold."""
    ratios = []
    for e in examples:
        both, relevant = (
            (1 / (1 + np.exp(-_logits(e.documents, models[n])))).sum() for n in ("both", "relevant")
        )
        ratios.append(min(1.0, float(both / relevant)))
    labels = [e.completeness for e in examples]
    slope = RATIO_TRUST * float(np.polyfit(ratios, labels, 1)[0])
    return {
        "intercept": _rounded(float(np.mean(labels)) - slope * float(np.mean(ratios))),
        "slope": _rounded(slope),
    }


def _logits(rows: Floats, model: Mapping[str, Any]) -> Floats:
    result: Floats = rows @ np.array(model["coefficients"]) + model["intercept"]
    return result


def _model_json(features: Sequence[str], coefficients: Floats, intercept: float) -> dict[str, Any]:
    return {
        "features": list(features),
        "coefficients": [_rounded(c) for c in coefficients.tolist()],
        "intercept": _rounded(intercept),
    }


def _rounded(value: float) -> float:
    return round(float(value), 3) + 0.0  # no negative zero


def load(paths: Sequence[Path]) -> list[tuple[str, dict[str, Any]]]:
    """All rows with their subset, in order of file and line."""
    return [(ragbench_rows.subset(path), row) for path in paths for row in ragbench_rows.rows(path)]


def examples_of(loaded: Sequence[tuple[str, dict[str, Any]]], table: Mapping[str, int]) -> list[Example]:
    """Examples of rows; the donor of words for a row is the row before it."""
    extractor = Extractor(table)
    donors = [loaded[i - 1][1]["response"] for i in range(len(loaded))]
    made = (extractor.example(name, row, donor) for (name, row), donor in zip(loaded, donors, strict=True))
    return [example for example in made if example]


def provenance(paths: Sequence[Path], count: int, date: str) -> dict[str, Any]:
    """Where the figures come from."""
    return {
        "made_by": "python -m benchmarks.train_lexical",
        "date": date,
        "data": "RAGBench (Friel, Belyi, Sanyal 2024, arXiv:2407.11005), galileo-ai/ragbench",
        "licence_of_data": "CC-BY-4.0",
        "attribution": "Trained on RAGBench by R. Friel, M. Belyi and A. Sanyal, used under CC-BY-4.0.",
        "labels": "made by language models, not by people",
        "rows": count,
        "files": {path.name: ragbench_rows.content_digest(path) for path in paths},
        "figures": "docs/metrics/quality.md",
    }


def main() -> None:
    """Train and write the file."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, required=True, help="folder of <subset>_<split>.jsonl.gz files")
    parser.add_argument("--output", type=Path, default=OUTPUT, help="the weights file to write")
    parser.add_argument("--date", default="2026-12-01", help="the date to record (default: %(default)s)")
    options = parser.parse_args()
    paths = ragbench_rows.files(options.data)
    loaded = load(paths)
    table = background(row for _, row in loaded)
    examples = examples_of(loaded, table)
    print(f"{len(loaded)} rows, {len(table)} stems", flush=True)
    content = {"provenance": provenance(paths, len(loaded), options.date), **train(examples, table)}
    LexicalModel.from_json(content)  # refuse to write what cannot be read
    options.output.write_text(
        json.dumps(content, ensure_ascii=False, separators=(",", ":")) + "\n", encoding="utf-8"
    )
    print(f"wrote {options.output}")


if __name__ == "__main__":
    main()
