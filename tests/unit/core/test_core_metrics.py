"""The four metrics, their sums and their conventions."""

import gzip
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trace_core import SPECS, Annotation, EvaluationLog, Sums, evaluate, ragbench_log, score_annotation
from trace_core.aggregates import HISTOGRAM_CELLS, METRICS, histogram_cell
from trace_core.annotation import SentenceSizes, SentenceSupport
from trace_core.errors import BadInput, ConfigurationError
from trace_core.evaluation_log import HEADER
from trace_core.keys import document_key, parse_document_key, response_keys
from trace_core.metrics.readings import read_value, reading
from trace_core.ragbench import is_ragbench
from trace_core.scorers import DEFAULT_SCORER, get_scorer, scorer_names

RAGBENCH = Path(__file__).parents[4] / "shared" / "data" / "ragbench"


def rows() -> Iterator[dict[str, Any]]:
    """All labelled rows there are."""
    for path in sorted(RAGBENCH.glob("*.jsonl.gz")):
        with gzip.open(path, "rt", encoding="utf-8") as lines:
            yield from map(json.loads, lines)


@pytest.mark.skipif(not RAGBENCH.is_dir(), reason=f"no labelled rows at {RAGBENCH}")
def test_published_labels_are_reproduced_bit_for_bit() -> None:
    """All four label columns of every row, from the keys alone."""
    for row in rows():
        scores = score_annotation(Annotation.from_ragbench(row), convention="published")
        assert scores.relevance == row["relevance_score"]
        assert scores.utilization == row["utilization_score"]
        assert scores.completeness == row["completeness_score"]
        assert scores.adherence == float(row["adherence_score"])


@pytest.mark.skipif(not RAGBENCH.is_dir(), reason=f"no labelled rows at {RAGBENCH}")
def test_labelled_rows_are_logs_with_their_own_sentences() -> None:
    """Every row can be scored, and its sentence keys are the data set's."""
    scorer = get_scorer("heuristic")
    for number, row in enumerate(rows()):
        if number % 20 == 0:
            result = scorer.score(ragbench_log(row))
            own = Annotation.from_ragbench(row)
            assert result.annotation is not None
            assert result.annotation.document_sentence_counts == own.document_sentence_counts
            assert result.annotation.response_sentence_keys == own.response_sentence_keys


def annotation(**changes: Any) -> Annotation:
    """Two documents of 3 and 2 sentences, a response of 2."""
    values: dict[str, Any] = {
        "document_sentence_counts": (3, 2),
        "response_sentence_keys": ("a", "b"),
        "relevant_keys": ("0a", "0b", "1a"),
        "utilized_keys": ("0b", "1b"),
        "unsupported_keys": (),
        "sizes": SentenceSizes((1, 2, 3, 4, 10), (5, 10, 15, 20, 50)),
    }
    return Annotation(**{**values, **changes})


def test_metrics_by_sentence() -> None:
    """3 of 5, 2 of 5, 1 of 3."""
    scores = score_annotation(annotation())
    assert (scores.relevance, scores.utilization, scores.completeness) == (3 / 5, 2 / 5, 1 / 3)
    assert scores.adherence == 1.0
    assert scores.average == pytest.approx((3 / 5 + 2 / 5 + 1 / 3 + 1) / 4)
    assert scores.undefined == {}


def test_metrics_by_token_and_character() -> None:
    """Sizes take the place of counts."""
    tokens = score_annotation(annotation(), unit="token")
    assert (tokens.relevance, tokens.utilization, tokens.completeness) == (7 / 20, 12 / 20, 2 / 7)
    characters = score_annotation(annotation(), unit="character")
    assert (characters.relevance, characters.utilization, characters.completeness) == (0.35, 0.6, 10 / 35)
    unknown = score_annotation(annotation(sizes=None), unit="token")
    assert unknown.undefined["relevance"] == unknown.undefined["completeness"] == "sizes_unknown"


def test_one_unsupported_sentence_makes_adherence_zero() -> None:
    """It is Boolean."""
    assert score_annotation(annotation(unsupported_keys=("b",))).adherence == 0.0


def test_an_unreadable_unsupported_key_is_never_read_as_support() -> None:
    """Somebody said that something is unsupported."""
    assert score_annotation(annotation(unsupported_keys=("general",))).adherence == 0.0


def test_undefined_values_are_named() -> None:
    """Never zero, one or NaN."""
    nothing = score_annotation(annotation(document_sentence_counts=(), relevant_keys=(), utilized_keys=()))
    assert nothing.undefined == dict.fromkeys(("relevance", "utilization", "completeness"), "no_documents")
    assert nothing.average == 1.0
    blank = score_annotation(annotation(document_sentence_counts=(0, 0)))
    assert blank.undefined["relevance"] == "no_document_sentence"
    irrelevant = score_annotation(annotation(relevant_keys=()))
    assert (irrelevant.relevance, irrelevant.undefined) == (0.0, {"completeness": "no_relevant_sentence"})
    assert score_annotation(annotation(relevant_keys=()), convention="published").completeness == 1.0
    silent = score_annotation(Annotation((), ()))
    assert silent.undefined["adherence"] == "no_response_sentence"
    assert (silent.average, silent.undefined["average"]) == (None, "no_metric_defined")


def test_the_conventions_differ_in_raw_keys() -> None:
    """`published` counts duplicates and unknown keys, `product` distinct existing ones."""
    messy = annotation(relevant_keys=("0a", "0a.", "0a", "general", "9z"))
    assert score_annotation(messy).relevance == 1 / 5
    assert score_annotation(messy, convention="published").relevance == 5 / 5


def test_a_wrong_option_is_refused() -> None:
    """By name."""
    with pytest.raises(ValueError, match="unit"):
        score_annotation(annotation(), unit="word")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="convention"):
        score_annotation(annotation(), convention="other")  # type: ignore[arg-type]


def test_foreign_annotations_are_cleaned_and_the_losses_counted() -> None:
    """Trailing punctuation goes, duplicates, pseudo-keys and unknown keys are dropped."""
    messy = annotation(
        relevant_keys=("0a.", "0a", " 1B ", "general"),
        utilized_keys=("supported_without_sentence",),
        unsupported_keys=("a.", "z"),
        support=(SentenceSupport("a", True, None, ("0b.", "well_known_fact")),),
    )
    clean, dropped = messy.cleaned()
    assert clean.relevant_keys == ("0a", "1b")
    assert (clean.utilized_keys, clean.unsupported_keys) == ((), ("a",))
    assert clean.support[0].supporting_keys == ("0b",)
    assert dropped == {"relevant_keys": 2, "utilized_keys": 1, "unsupported_keys": 1, "supporting_keys": 1}


def test_annotations_survive_json() -> None:
    """With and without sizes, probabilities and support."""
    full = annotation(
        support=(SentenceSupport("a", True, 0.75, ("0a",), "said"), SentenceSupport("b", False))
    )
    for value in (full, annotation(sizes=None)):
        assert Annotation.from_json(json.loads(json.dumps(value.to_json()))) == value
    assert full.document_sentence_keys == ("0a", "0b", "0c", "1a", "1b")
    assert full.document_sentence_count == 5


def test_keys_count_like_letters() -> None:
    """a ... z, aa ... az, ba ..."""
    assert response_keys(28)[-3:] == ("z", "aa", "ab")
    assert document_key(0, 549) == "0ud"
    assert parse_document_key("x1") is None


@given(st.integers(0, 10**6), st.integers(0, 10**5))
def test_keys_are_read_back(document: int, sentence: int) -> None:
    """For any numbers."""
    assert parse_document_key(document_key(document, sentence)) == (document, sentence)


KEYS = st.lists(st.sampled_from(["0a", "0b", "1a", "1a.", "9a", "general", "", "a", "0"]), max_size=8).map(
    tuple
)


@given(st.lists(st.integers(0, 3), max_size=3), KEYS, KEYS, KEYS, st.integers(0, 3))
def test_product_metrics_are_in_range_or_named_undefined(
    counts: list[int],
    relevant: tuple[str, ...],
    utilized: tuple[str, ...],
    unsupported: tuple[str, ...],
    said: int,
) -> None:
    """For any annotation, in any unit that has sizes."""
    value = Annotation(tuple(counts), response_keys(said), relevant, utilized, unsupported)
    scores = score_annotation(value)
    for metric in METRICS:
        number = getattr(scores, metric)
        assert (number is None) == (metric in scores.undefined)
        assert number is None or 0.0 <= number <= 1.0
    assert scores.adherence in (None, 0.0, 1.0)
    assert score_annotation(value.cleaned()[0]).relevance == scores.relevance


def test_every_metric_declares_its_facts() -> None:
    """Range, direction and granularity, under its own name."""
    assert tuple(sorted(SPECS)) == tuple(sorted(METRICS))
    for name, spec in SPECS.items():
        assert (spec.name, spec.low, spec.high, spec.higher_is_better) == (name, 0.0, 1.0, True)
        assert spec.granularity


@pytest.mark.parametrize(
    ("value", "cell"), [(0.0, 0), (0.0249, 0), (0.025, 1), (0.5, 10), (0.974, 19), (0.976, 20), (1.0, 20)]
)
def test_cells_round_half_up(value: float, cell: int) -> None:
    """Twenty times the value."""
    assert histogram_cell(value) == cell


@pytest.mark.parametrize("value", [-0.01, 1.01, float("nan"), float("inf")])
def test_values_out_of_range_are_refused(value: float) -> None:
    """They would poison a mean for good."""
    with pytest.raises(ValueError, match="must lie in"):
        Sums().add(value)


SHARES = st.lists(st.floats(0, 1), max_size=30)


@given(SHARES, SHARES)
def test_sums_merge_like_lists(left: list[float], right: list[float]) -> None:
    """In any order."""
    merged, whole = Sums.of(left).merge(Sums.of(right)), Sums.of(right + left)
    assert (merged.n, merged.histogram) == (whole.n, whole.histogram)
    assert merged.total == pytest.approx(whole.total) and merged.squares == pytest.approx(whole.squares)
    assert sum(merged.histogram) == merged.n and len(merged.histogram) == HISTOGRAM_CELLS


def test_mean_and_variance_by_hand() -> None:
    """Undefined where they are."""
    assert (Sums().mean, Sums().variance, Sums.of([0.5]).variance) == (None, None, None)
    sums = Sums.of([0.0, 0.5, 1.0])
    assert (sums.mean, sums.variance) == (0.5, 0.25)


def test_the_header_stands_once_in_an_evaluation_log() -> None:
    """Whatever the number of lines, logs within it and renderings."""
    log = EvaluationLog(["first", "", f"{HEADER}\nsecond\n"])
    log.add_evaluation(evaluate("When?", "Zebras dance. It was 1889.", ["It was 1889."], scorer="heuristic"))
    log.add_evaluation(evaluate("When?", "", ["It was 1889."]))
    log.add(log.render())
    for _ in range(2):
        assert log.render().count(HEADER) == 1
    assert log.render().splitlines()[0] == HEADER
    assert "contains unsupported claims" in str(log)
    assert "The response is empty" in str(log)
    assert EvaluationLog().render() == HEADER
    assert log.lines[0] == "first"


def test_values_have_readings() -> None:
    """In plain words."""
    assert reading("adherence", 1.0) == "fully grounded"
    assert reading("adherence", 0.0) == "contains unsupported claims"
    assert reading("completeness", 0.45) == "covers about 45 % of the relevant information"
    assert all(reading(metric, 0.5) for metric in METRICS)
    assert read_value("average", None).startswith("average -")
    with pytest.raises(ValueError, match="unknown metric"):
        reading("speed", 1.0)


def test_scorers_are_found_by_name() -> None:
    """One object a process; an unknown name is a wrong setting."""
    assert DEFAULT_SCORER in scorer_names()
    assert get_scorer("heuristic") is get_scorer("heuristic")
    assert len(get_scorer("heuristic").fingerprint) == 16
    with pytest.raises(ConfigurationError, match="scorers"):
        get_scorer("oracle")


def test_evaluate_takes_what_people_have_at_hand() -> None:
    """Texts, objects, a scorer or its name, a language; anything else is refused."""
    scorer = get_scorer("heuristic")
    result = evaluate("Wer?", "Ada.", [{"content": "Ada war es."}], scorer=scorer, language="de")
    assert result == evaluate("Wer?", "Ada.", iter(["Ada war es."]), scorer="heuristic", language="de")
    assert json.loads(json.dumps(result.to_json()))["fingerprint"] == scorer.fingerprint
    assert evaluate("Wer?", " ", []).to_json()["annotation"] is None
    for wrong in ("text", 5, {"text": "a"}, [5], [None]):
        with pytest.raises(BadInput):
            evaluate("Who?", "Ada.", wrong)  # type: ignore[arg-type]
    with pytest.raises(BadInput, match="question_not_text"):
        evaluate(5, "Ada.", [])  # type: ignore[arg-type]


def test_ragbench_columns_are_recognised() -> None:
    """And broken ones refused."""
    row = {
        "dataset_name": "d",
        "id": 1,
        "generation_model_name": "m",
        "question": "Q?",
        "response": "R.",
        "documents": ["A. B."],
        "documents_sentences": [[["0a", "A."], ["0b", "B."]]],
        "response_sentences": [],
    }
    assert is_ragbench(row) and not is_ragbench({"question": "Q?"})
    log = ragbench_log(row)
    assert (log.log_id, log.documents[0].sentences, log.response_sentences) == ("d/1/m", ("A.", "B."), ())
    for broken in ({"documents": None}, {"documents": []}, {"response_sentences": [[]]}):
        with pytest.raises(BadInput):
            ragbench_log({**row, **broken})
