"""Agreement with people: by fingerprint, segment and language, as tables and for machines."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable

import pytest
from sqlalchemy import Engine

from tests.sql.test_trust_rates import evaluate, label, scorer
from tests.sql.tools import url_of
from trace_pipeline.cli.main import main

Command = Callable[..., tuple[int, str, str]]


@pytest.fixture
def agreement(engine: Engine, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> Command:
    """Run `trace-pipeline agreement`; returns exit code, output and standard error."""

    def call(*options: str) -> tuple[int, str, str]:
        monkeypatch.setattr(
            sys, "argv", ["trace-pipeline", "agreement", "--database-url", url_of(engine), *options]
        )
        monkeypatch.setenv("COLUMNS", "200")
        with pytest.raises(SystemExit) as ended:
            main()
        code = ended.value.code
        return (code if isinstance(code, int) else 0), *capfd.readouterr()

    return call


@pytest.fixture
def labelled(engine: Engine) -> Engine:
    """Fifty labelled answers by hand: 20 both good, 15 both bad, 10 and 5 apart, in two languages."""
    lexical, heuristic = scorer(engine), scorer(engine, "heuristic")
    kinds = [(1, "supported")] * 20 + [(0, "unsupported")] * 15 + [(0, "supported")] * 10
    for at, (said, verdict) in enumerate([*kinds, *[(1, "unsupported")] * 5]):
        tongue = f'{{"language": "{"en" if at < 45 else "<b>"}"}}'
        evaluate(
            engine, lexical, str(at), adherence=said, adherence_probability=0.3 + said / 2, segments=tongue
        )
        if at < 12:
            evaluate(engine, heuristic, str(at), adherence=said, adherence_probability=None, segments="{}")
        label(engine, str(at), verdict)
        if at < 3:
            label(engine, str(at), verdict, "bob")
    return engine


def test_agreement_is_worked_out_by_scorer_and_segment(agreement: Command, labelled: Engine) -> None:
    """The kappa of the textbook; a value with fewer than ten labels is named and not measured."""
    code, output, _ = agreement("--json")
    assert code == 0
    heuristic, lexical = map(json.loads, output.splitlines())
    assert (heuristic["scorer"], heuristic["n"], heuristic["auroc"]) == ("heuristic", 12, None)
    assert [lexical[k] for k in ("n", "good_good", "bad_bad", "good_bad", "bad_good")] == [50, 20, 15, 5, 10]
    assert lexical["kappa"] == pytest.approx(0.4)
    assert lexical["kappa_interval"][0] < 0.4 < lexical["kappa_interval"][1]
    assert lexical["people"]["n"] == 3 and lexical["drawn"] == 0
    segments = {(one["dimension"], one["value"]): one for one in lexical["segments"]}
    assert segments["language", "en"]["n"] == 45 and segments["language", "en"]["sensitivity"] == 1.0
    assert segments["language", "<b>"] == {"dimension": "language", "value": "<b>", "n": 5, "kappa": None}
    assert segments["tenant", "(missing)"]["n"] == 50


def test_agreement_is_shown_with_intervals(agreement: Command, labelled: Engine) -> None:
    """Figures, reliability, segments, people; one scorer or one segment on request."""
    code, output, _ = agreement("--scorer", "lexical", "--by", "language")
    assert code == 0 and "heuristic" not in output
    assert "50 labelled answers" in output and "0.400" in output and "0.8 to 0.9" in output
    assert "language = en" in output and "1 segment value has fewer than 10 labelled answers" in output
    assert "People with each other" in output


def test_without_labels_it_says_so(agreement: Command, labelled: Engine) -> None:
    """Also for days without any; a range that cannot be is refused."""
    assert "No labelled answer" in agreement("--from", "2026-10-05", "--to", "2026-10-06")[1]
    assert agreement("--from", "2026-10-05", "--to", "2026-10-01")[0] == 1
    assert agreement("--from", "soon")[0] == 1
    assert agreement("--from", "2026-10-01", "--to", "2026-10-01", "--json")[1].count("\n") == 2
