"""A language model as a judge: a log in, an annotation or the reason why there is none out."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from datetime import datetime
from threading import Lock
from typing import Any
from weakref import WeakValueDictionary

from trace_core.annotation import Annotation
from trace_core.errors import TraceError
from trace_core.records import Log
from trace_core.sentences import SPLITTER
from trace_pipeline.judge_settings import JudgeSettings
from trace_pipeline.judges.asking import Asked, Asker, Breaker, Question
from trace_pipeline.judges.client import Client
from trace_pipeline.judges.contracts import Account, Judged, LogPlace, Opened, Redaction, Request, Usage
from trace_pipeline.judges.endpoint import Endpoint
from trace_pipeline.judges.merge import annotate
from trace_pipeline.judges.prompt import PROMPT_HASH, SYSTEM
from trace_pipeline.judges.schema import Answer, KnownKeys, check_answer, plain_explanation
from trace_pipeline.judges.windows import Sentences, Window, prompt_tokens, split_windows


class LanguageModelJudge:
    """Asks an OpenAI-compatible endpoint about whole logs; safe to use from several threads.

    It decides nothing about which logs are asked about. Log text goes, redacted, to the endpoint only; what
    was replaced is put back into the explanations of the annotation, not into the kept answer.
    """

    def __init__(
        self,
        endpoint: Endpoint,
        settings: JudgeSettings,
        account: Account,
        redaction: Redaction,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self._settings = settings
        self._redaction = redaction
        self._asker = Asker(Client(endpoint, settings), settings, account, Breaker(), sleep)
        self._locks = _Locks()

    @property
    def parameters(self) -> Mapping[str, Any]:
        """All that shapes an answer: prompt, model, temperature, seed, splitting, redaction."""
        settings = self._settings
        return {
            "prompt": PROMPT_HASH,
            "model": settings.model,
            "answering_model": settings.answering_model or settings.model,
            "temperature": settings.temperature,
            "seed": settings.seed,
            "structured_output": settings.structured_output,
            "context_tokens": settings.context_tokens,
            "answer_tokens": settings.answer_tokens,
            "splitter": SPLITTER,
            "redaction": dict(self._redaction.rules),
        }

    def content_hash(self, log: Log) -> str:
        """Return the hash of what a log would be asked with, before redaction: 64 hex digits."""
        return Sentences.of(log).content_hash()

    def estimate(self, log: Log) -> Usage:
        """Return the most tokens that asking about a log can take, retries left out; 0 for one too long."""
        sentences = Sentences.of(log)
        windows = split_windows(sentences, self._settings.context_tokens) or []
        sent = sum(prompt_tokens(window.message(sentences)) for window in windows)
        return Usage(sent, self._settings.answer_tokens * len(windows))

    def judge(self, log: Log, logged_at: datetime) -> Judged:
        """Ask about a log, window by window, or take kept answers; the first window without one ends it."""
        sentences = Sentences.of(log)
        content_hash = sentences.content_hash()
        windows = split_windows(sentences, self._settings.context_tokens)
        if windows is None:
            return Judged(content_hash, None, "judge_prompt_too_long", 0, 0)
        run = _Run(self._asker, self._redaction, sentences, content_hash, LogPlace(log.log_id, logged_at))
        # The same question asked by two threads at once is paid once: the second finds the kept answer.
        with self._locks.held(content_hash):
            for window in windows:
                reason = run.take(window)
                if reason:
                    return Judged(content_hash, None, reason, run.calls, run.kept)
        annotation = annotate(sentences, windows, run.answers, self._settings.store_explanations)
        return Judged(content_hash, run.restored(annotation), None, run.calls, run.kept)


class _Run:
    """The way of one log through its windows."""

    def __init__(
        self, asker: Asker, redaction: Redaction, sentences: Sentences, of_log: str, place: LogPlace
    ) -> None:
        self.answers: list[Answer] = []
        self.calls = 0
        self.kept = 0
        self._asker = asker
        self._redaction = redaction
        self._sentences = sentences
        self._of_log = of_log
        self._place = place
        self._opened: Opened | None = None

    def take(self, window: Window) -> str | None:
        """Add the window's answer, kept or asked for; return the reason where there is none."""
        content_hash = window.content_hash(self._of_log)
        known = KnownKeys(frozenset(window.keys), frozenset(key for key, _ in self._sentences.response))
        kept = self._asker.account.kept(content_hash)
        answer = None if kept is None else check_answer(kept, known)
        if answer is not None:
            self.kept += 1
            self.answers.append(answer)
            return None
        asked = self._ask(window, known, content_hash)
        self.calls += asked.calls
        if asked.answer is None:
            return asked.reason
        self.answers.append(asked.answer)
        return None

    def _ask(self, window: Window, known: KnownKeys, content_hash: str) -> Asked:
        asker = self._asker
        if asker.breaker.reason:
            return Asked(None, asker.breaker.reason, 0)
        message = window.message(self._sentences.replaced(self._open().texts))
        request = Request(content_hash, self._place, prompt_tokens(message), asker.settings.answer_tokens)
        messages = ({"role": "system", "content": SYSTEM}, {"role": "user", "content": message})
        asked = asker.ask(Question(messages, known, request))
        asker.breaker.note_log(asked.reason)
        return asked

    def restored(self, annotation: Annotation) -> Annotation:
        """Return the annotation with what placeholders stand for in its explanations."""
        if not any("[" in entry.reason for entry in annotation.support):
            return annotation
        try:
            opened = self._open()
        except TraceError:  # a kept answer, and a hook that fails now: it is readable as it is
            return annotation
        support = tuple(
            replace(entry, reason=plain_explanation(opened.restore(entry.reason)))
            for entry in annotation.support
        )
        return replace(annotation, support=support)

    def _open(self) -> Opened:
        if self._opened is None:
            self._opened = self._redaction.open(self._sentences.texts())
        return self._opened


class _Locks:
    """A lock for each hash in use."""

    def __init__(self) -> None:
        self._guard = Lock()
        self._locks: WeakValueDictionary[str, _Lock] = WeakValueDictionary()

    @contextmanager
    def held(self, name: str) -> Iterator[None]:
        with self._guard:
            lock = self._locks.setdefault(name, _Lock())
        with lock.lock:
            yield


class _Lock:
    """A lock that can be referred to weakly."""

    def __init__(self) -> None:
        self.lock = Lock()
