"""The exact sums, forms and lines behind the metrics: what a changed line of that code must break."""

import json
from dataclasses import replace
from typing import Any

import pytest

from trace_core import Annotation, EvaluationLog, Sums, evaluate, score_annotation
from trace_core.annotation import SentenceSizes, SentenceSupport
from trace_core.keys import clean_document_keys, clean_response_keys, parse_document_key
from trace_core.metrics import Convention, Counts, Unit, count_annotation
from trace_core.metrics.readings import read_value, reading

# Tokens and characters are not in one proportion, so that neither can stand in for the other.
FULL = Annotation(
    document_sentence_counts=(3, 2),
    response_sentence_keys=("a", "b", "c"),
    relevant_keys=("0a", "0b", "1a", "0a"),
    utilized_keys=("0b", "1b", "9z"),
    unsupported_keys=("b", "c", "b"),
    support=(SentenceSupport("a", True, 0.75, ("0a",), "said"), SentenceSupport("b", False)),
    sizes=SentenceSizes((1, 2, 3, 4, 10), (40, 7, 11, 13, 17)),
)


@pytest.mark.parametrize(
    ("unit", "convention", "expected"),
    [
        ("sentence", "product", Counts(2, 5, 3, 2, 1, 3, 2, "product")),
        ("sentence", "published", Counts(2, 5, 4, 3, 1, 3, 3, "published")),
        ("token", "product", Counts(2, 20, 7, 12, 2, 3, 2, "product")),
        ("token", "published", Counts(2, 20, 8, 12, 2, 3, 3, "published")),
        ("character", "product", Counts(2, 88, 60, 24, 7, 3, 2, "product")),
        ("character", "published", Counts(2, 88, 100, 24, 7, 3, 3, "published")),
    ],
)
def test_sums_by_hand(unit: Unit, convention: Convention, expected: Counts) -> None:
    """In each unit and convention; the unknown key 9z has no size but counts as a published entry."""
    assert count_annotation(FULL, unit, convention) == expected


def test_the_usual_sums_are_distinct_sentences() -> None:
    """Unit `sentence`, convention `product`."""
    assert count_annotation(FULL) == count_annotation(FULL, "sentence", "product")


@pytest.mark.parametrize("convention", ["product", "published"])
def test_without_sizes_only_sentences_are_counted(convention: Convention) -> None:
    """The sums are zeros that say so; responses are counted all the same."""
    counts = count_annotation(replace(FULL, sizes=None), "token", convention)
    unsupported = 2 if convention == "product" else 3
    assert counts == Counts(2, 0, 0, 0, 0, 3, unsupported, convention, sizes_known=False)


def test_sizes_of_other_sentences_are_refused() -> None:
    """A size too few or too many would shift all that follow."""
    for sizes in ((1, 2, 3, 4), (1, 2, 3, 4, 5, 6)):
        with pytest.raises(ValueError, match="zip"):
            count_annotation(replace(FULL, sizes=SentenceSizes(sizes, sizes)), "token")


def test_unreadable_unsupported_keys_count_as_one() -> None:
    """However many there are: nobody knows whether they name one sentence or several."""
    assert count_annotation(replace(FULL, unsupported_keys=("general", "?", "zz"))).unsupported == 1
    assert count_annotation(replace(FULL, unsupported_keys=())).unsupported == 0


def test_keys_are_read_as_written_and_tidied() -> None:
    """Blanks, quotes, brackets and punctuation around a key go; other letters make another key."""
    assert clean_document_keys([" 0a ", "(0B)", "`1a`;", "0a"], (3, 2)) == (("0a", "0b", "1a"), 1)
    assert clean_document_keys(["X0a", "0aX", "0d", "2a", "a", "0"], (3, 2)) == ((), 6)
    assert clean_response_keys(["B.", "[a]", "b", "Xa", "d"], ("a", "b", "c")) == (("b", "a"), 3)
    assert [parse_document_key(k) for k in ("0a", "12z", "3aa", "3ba")] == [
        (0, 0),
        (12, 25),
        (3, 26),
        (3, 52),
    ]


def test_cleaning_counts_over_all_support_entries() -> None:
    """Two entries with one unknown key each are two dropped keys."""
    entries = (SentenceSupport("a", True, None, ("9z",)), SentenceSupport("b", True, None, ("0a", "general")))
    clean, dropped = replace(FULL, support=entries).cleaned()
    assert dropped == {"relevant_keys": 1, "utilized_keys": 1, "unsupported_keys": 1, "supporting_keys": 2}
    assert [entry.supporting_keys for entry in clean.support] == [(), ("0a",)]


def test_the_json_form_has_the_data_sets_names() -> None:
    """It is a contract: pages, exports and other programs read it."""
    expected = {
        "document_sentence_counts": [3, 2],
        "response_sentence_keys": ["a", "b", "c"],
        "all_relevant_sentence_keys": ["0a", "0b", "1a", "0a"],
        "all_utilized_sentence_keys": ["0b", "1b", "9z"],
        "unsupported_response_sentence_keys": ["b", "c", "b"],
        "sentence_support_information": [
            {
                "response_sentence_key": "a",
                "fully_supported": True,
                "supporting_sentence_keys": ["0a"],
                "explanation": "said",
                "probability": 0.75,
            },
            {
                "response_sentence_key": "b",
                "fully_supported": False,
                "supporting_sentence_keys": [],
                "explanation": "",
            },
        ],
        "document_sentence_tokens": [1, 2, 3, 4, 10],
        "document_sentence_characters": [40, 7, 11, 13, 17],
    }
    assert FULL.to_json() == expected
    assert Annotation.from_json(json.loads(json.dumps(expected))) == FULL


def test_fields_that_json_leaves_out_are_empty() -> None:
    """Only the two that everything is counted by are needed."""
    least: dict[str, Any] = {"document_sentence_counts": [1], "response_sentence_keys": ["a"]}
    assert Annotation.from_json(least) == Annotation((1,), ("a",))
    entry = Annotation.from_json({**least, "sentence_support_information": [{}]}).support[0]
    assert entry == SentenceSupport("", False, None, (), "")


ROW: dict[str, Any] = {
    "documents_sentences": [[["0a", "One two."], ["0b", "Three."]], [], [["2a", "Four five six."]]],
    "response_sentences": [["a", "Yes."], ["b", "No."]],
    "all_relevant_sentence_keys": ["0a", "0a."],
    "all_utilized_sentence_keys": ["2a"],
    "unsupported_response_sentence_keys": ["b"],
    "sentence_support_information": [
        {
            "response_sentence_key": "a",
            "explanation": "Stated.",
            "supporting_sentence_keys": ["0a", "general"],
            "fully_supported": True,
        }
    ],
}


def test_a_row_of_the_data_set_is_read() -> None:
    """Keys stay raw; sizes are taken from the sentences."""
    assert Annotation.from_ragbench(ROW) == Annotation(
        document_sentence_counts=(2, 0, 1),
        response_sentence_keys=("a", "b"),
        relevant_keys=("0a", "0a."),
        utilized_keys=("2a",),
        unsupported_keys=("b",),
        support=(SentenceSupport("a", True, None, ("0a", "general"), "Stated."),),
        sizes=SentenceSizes((2, 1, 3), (8, 6, 14)),
    )
    scores = score_annotation(Annotation.from_ragbench(ROW), convention="published")
    assert (scores.relevance, scores.utilization, scores.completeness, scores.adherence) == (
        2 / 3,
        1 / 3,
        0,
        0,
    )


@pytest.mark.parametrize("missing", [{}, dict.fromkeys(ROW)])
def test_columns_that_a_row_leaves_out_are_empty(missing: dict[str, Any]) -> None:
    """Whether they are absent or null."""
    assert Annotation.from_ragbench(missing) == Annotation((), (), sizes=SentenceSizes((), ()))


def test_sums_of_other_cells_do_not_merge() -> None:
    """A histogram of fewer cells would lose the best values."""
    for cells in (20, 22):
        with pytest.raises(ValueError, match="zip"):
            Sums().merge(Sums(histogram=(0,) * cells))


def test_two_values_have_a_variance() -> None:
    """Divisor n - 1, so that of 0 and 1 is a half; equal values have exactly none."""
    assert Sums.of([0.0, 1.0]).variance == 0.5
    assert Sums.of([0.1] * 7).variance == pytest.approx(0.0, abs=1e-16)


def test_readings_round_to_whole_percent() -> None:
    """1.0 is 100 %."""
    assert reading("relevance", 1.0) == "about 100 % of what was retrieved bears on the question"
    assert reading("utilization", 0.125) == "the response uses about 12 % of what was retrieved"
    assert reading("average", 0.5) == "about 50 % over the metrics that have a value"
    assert read_value("average", None) == "average -: undefined"
    assert read_value("relevance", None, "no_documents") == (
        "relevance -: Nothing was retrieved, so a share of the documents cannot be taken."
    )


def test_an_evaluation_is_told_line_by_line() -> None:
    """Metrics with their reading or reason, then only the sentences that are not supported."""
    result = evaluate("When?", "Zebras dance. It was built.", [], scorer="heuristic")
    log = EvaluationLog(["  indented  "])
    log.add_evaluation(replace(result, log_id="7"))
    nothing = "Nothing was retrieved, so a share of the documents cannot be taken."
    assert log.render().splitlines() == [
        "Evaluation log",
        "  indented",
        "7: answer",
        f"  relevance -: {nothing}",
        f"  utilization -: {nothing}",
        "  adherence 0.00: contains unsupported claims",
        f"  completeness -: {nothing}",
        "  average 0.00: about 0 % over the metrics that have a value",
        "  sentence a is not supported: 0 of 2 words occur in the documents; missing: zebras, dance",
        "  sentence b is not supported: 0 of 3 words occur in the documents; missing: built",
    ]


def test_an_evaluation_without_parts_is_told_as_far_as_it_goes() -> None:
    """A supported sentence, a missing annotation and a missing reason add nothing."""
    result = evaluate("When?", "It was built. Zebras dance.", ["It was built."], scorer="heuristic")
    log = EvaluationLog()
    log.add_evaluation(replace(result, log_id="8"))
    assert [line for line in log.lines if "sentence" in line] == [
        "  sentence b is not supported: 0 of 2 words occur in the documents; missing: zebras, dance"
    ]
    bare = EvaluationLog()
    bare.add_evaluation(replace(result, log_id="9", annotation=None))
    assert len(bare.lines) == 6
    unexplained = EvaluationLog()
    unexplained.add_evaluation(replace(result, log_id="10", status="failed", reason=None))
    assert unexplained.lines == ("10: failed.",)
