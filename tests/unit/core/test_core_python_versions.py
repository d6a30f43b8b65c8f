"""Every process and every Python version says the same about the same logs.

Here two processes of the running version are compared; `python -m benchmarks.versions` compares versions.
"""

import json
import sys
from collections import Counter
from pathlib import Path

import pytest

from benchmarks import versions
from benchmarks.core_corpus import TEXTS, corpus
from benchmarks.core_digest import core_digests, digest_of
from trace_core import get_scorer, scorer_names
from trace_core.metrics import average

#: Written by `python -m benchmarks.core_digest > tests/unit/core/core_digests.json`. A difference that no
#: change of the code explains is one of the Python version, of a package or of the processor.
PINNED = json.loads(Path(__file__).with_name("core_digests.json").read_text(encoding="utf-8"))


def test_this_python_reproduces_the_committed_digests() -> None:
    """Fingerprints and every byte of every evaluation, whichever version runs this."""
    assert core_digests() == PINNED["scorers"]


def test_two_processes_with_other_hash_seeds_agree() -> None:
    """In fingerprints, and in every byte of every evaluation of the corpus."""
    one, other = (versions.digests(sys.executable, seed) for seed in versions.HASH_SEEDS)
    assert one == other
    assert versions.differences(one, other) == []
    assert {name: {**entry, "by_log": None} for name, entry in one["scorers"].items()} == {
        name: {**entry, "by_log": None} for name, entry in core_digests().items()
    }


def test_differences_are_named() -> None:
    """By scorer and log, and the fingerprint on its own."""
    one = {"scorers": {"s": {"fingerprint": "f", "by_log": {"1": "a", "2": "b"}}}}
    other = {"scorers": {"s": {"fingerprint": "g", "by_log": {"1": "a", "2": "c"}}}}
    assert versions.differences(one, other) == ["s: fingerprint f and g", "s: 2"]
    assert versions.differences(one, {"scorers": {}}) == ["s: fingerprint f and None", "s: 1", "s: 2"]


def test_the_running_interpreter_is_found() -> None:
    """And one that is missing or does not run is passed over."""
    found = versions.interpreters(["/nowhere/python3", "false"])
    assert f"{sys.version_info[0]}.{sys.version_info[1]}" in found
    assert set(found) <= set(versions.SUPPORTED)


@pytest.mark.parametrize("name", scorer_names())
def test_the_corpus_is_of_many_kinds_and_breaks_no_scorer(name: str) -> None:
    """Many languages; answers, refusals and empty responses; both values of adherence; no failure."""
    results = list(get_scorer(name).score_many(corpus()))
    assert len({e.log_id for e in results}) == len(results) > 400 and len(TEXTS) > 12
    assert Counter(e.status for e in results)["failed"] == 0
    assert {e.response_kind for e in results} == {"answer", "refusal", "empty"}
    assert {e.adherence for e in results} == {0.0, 1.0, None}
    assert len({digest_of(e.to_json()) for e in results}) == len(results)


def test_a_mean_does_not_depend_on_how_a_version_adds() -> None:
    """The built-in sum rounds these four otherwise before Python 3.12 than since."""
    values = [1 / 3, 1 / 3, 1.0, 0.1 + 0.2]
    assert average(values).value == average(reversed(values)).value
    assert average([0.1] * 10).value == 0.1
