"""The judge's scorers for a run: its settings, endpoint, redaction and account put together."""

from __future__ import annotations

from datetime import date
from typing import TYPE_CHECKING

from trace_core.scorers import DEFAULT_SCORER, get_scorer
from trace_pipeline.judges.account import PostgresAccount
from trace_pipeline.judges.contracts import Account, Judge
from trace_pipeline.judges.desk import Desk
from trace_pipeline.judges.endpoint import make_judge
from trace_pipeline.judges.scorer import HybridScorer, JudgeScorer
from trace_pipeline.redaction import make_redaction

if TYPE_CHECKING:
    from trace_pipeline.context import Pipeline


class RunMaker:
    """Makes the judge of a run, and the account of a night in its results."""

    def __init__(self, pipeline: Pipeline) -> None:
        self._pipeline = pipeline
        self._redaction = make_redaction(pipeline.settings)

    def account(self, night: date, fingerprint: str) -> Account:
        """Open the account of a night."""
        pipeline = self._pipeline
        return PostgresAccount(pipeline.results, pipeline.settings.judge, night, fingerprint, pipeline.run_id)

    def judge(self, account: Account) -> Judge:
        """Make the judge. ConfigurationError, naming the setting, where something is missing."""
        pipeline = self._pipeline
        return make_judge(pipeline.settings, account, self._redaction, pipeline.judge_url, pipeline.judge_key)


def make_judge_scorer(name: str, pipeline: Pipeline) -> JudgeScorer:
    """Make the scorer `judge` or `hybrid` of a run. ConfigurationError as `make_judge`."""
    kind = HybridScorer if name == HybridScorer.name else JudgeScorer
    return kind(Desk(RunMaker(pipeline)), get_scorer(DEFAULT_SCORER), pipeline.settings.judge)
