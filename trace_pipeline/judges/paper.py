"""A judge that can only be estimated: for settings that name no endpoint or model yet."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date, datetime
from typing import Any

from trace_core.records import Log
from trace_pipeline.judge_settings import JudgeSettings
from trace_pipeline.judges.contracts import Account, Judge, Judged, Usage
from trace_pipeline.judges.desk import NoAccount
from trace_pipeline.judges.windows import Sentences, prompt_tokens, split_windows


class PaperJudge:
    """Splits logs and counts tokens as the judge of these settings would; asks nobody."""

    def __init__(self, settings: JudgeSettings) -> None:
        self._settings = settings

    @property
    def parameters(self) -> Mapping[str, Any]:
        """None: it has no version, as it gives no answers."""
        return {}

    def content_hash(self, log: Log) -> str:
        """Return the hash of what a log would be asked with."""
        return Sentences.of(log).content_hash()

    def estimate(self, log: Log) -> Usage:
        """Return the most tokens that asking about a log can take, retries left out; 0 for one too long."""
        sentences = Sentences.of(log)
        windows = split_windows(sentences, self._settings.context_tokens) or []
        sent = sum(prompt_tokens(window.message(sentences)) for window in windows)
        return Usage(sent, self._settings.answer_tokens * len(windows))

    def judge(self, log: Log, logged_at: datetime) -> Judged:
        """Give no answer."""
        del logged_at
        return Judged(self.content_hash(log), None, "judge_misconfigured", 0, 0)


class PaperMaker:
    """Makes judges that can only be estimated."""

    def __init__(self, settings: JudgeSettings) -> None:
        self._settings = settings

    def account(self, night: date, fingerprint: str) -> Account:
        """Return an account that has nothing and gives nothing."""
        del night, fingerprint
        return NoAccount()

    def judge(self, account: Account) -> Judge:
        """Make the judge."""
        del account
        return PaperJudge(self._settings)
