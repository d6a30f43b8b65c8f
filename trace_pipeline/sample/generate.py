"""Generate the logs: a night is a pure function of the settings and its index."""

import random
from collections.abc import Iterator
from datetime import UTC, datetime, time, timedelta
from functools import cache
from typing import Any

from trace_core.errors import ConfigurationError
from trace_pipeline.sample.library import KINDS, LANGUAGES, Page, Question, fixed_random, questions
from trace_pipeline.sample.malformed import break_row, broken_line, encode, row_shape
from trace_pipeline.sample.settings import SampleSettings
from trace_pipeline.sample.traffic import (
    HURT_TENANT,
    MODELS,
    TENANTS,
    Choice,
    app_version,
    logs_in_night,
    seconds_of_day,
)

Row = dict[str, Any]
_HALF_OF_THE_DROP = 0.9  # the rest is invented outright; more of that would show in completeness too
_MISSED = {"grounded": 0.0, "half": 0.0, "invented": 0.5, "refusal": 0.8}  # retrieval without the answer
_NOTHING_FOUND = 0.04  # of the refusals: the retriever returned an empty list
_NO_LANGUAGE = 0.01  # logs whose client did not say the language
_BAD_NIGHT_SPREAD = 0.15  # the share of bad answers differs this much from night to night


def generate(settings: SampleSettings, only_nights: range | None = None) -> Iterator[Row]:
    """Rows in the form of ``trace.rag_log``, in order of ``logged_at``, one at a time.

    Malformed rows are among them; ``metadata["sample"]["malformed"]`` is the reason code they must be filed
    under. Every other row says its ``kind`` (grounded, half, invented, refusal or empty) and ``question_id``.
    ``only_nights`` generates those nights alone, exactly as they are within the whole. Rows may share their
    document lists: treat them as read-only.

    Raises ConfigurationError when ``only_nights`` leaves the settings' nights.
    """
    return (row for night in _nights(settings, only_nights) for row in _night(settings, night))


def generate_jsonl(settings: SampleSettings, only_nights: range | None = None) -> Iterator[bytes]:
    """The same logs as lines of the native JSONL form, each ending in a newline.

    After each malformed row follows one more line that is broken in a way only a file can be (not JSON, not
    UTF-8, an id that repeats ...); its reason code stands in it as text like that of a malformed row.
    """
    # Document lists are few and shared: their JSON is kept, with the list so that its id stays its own.
    known: dict[int, tuple[list[Any], str]] = {}
    for night in _nights(settings, only_nights):
        turn = night
        good: Row | None = None
        for row in _night(settings, night):
            row["logged_at"] = row["logged_at"].isoformat()
            if "malformed" not in row["metadata"]["sample"]:
                good = row
                yield _line(row, known)
                continue
            yield encode(row).encode() + b"\n"
            if good is not None:
                turn += 1
                yield broken_line(good, turn, f"{row['log_id']}-line")


def _line(row: Row, known: dict[int, tuple[list[Any], str]]) -> bytes:
    documents = row["documents"]
    entry = known.get(id(documents))
    if entry is None:
        entry = documents, encode(documents)
        if documents:
            known[id(documents)] = entry
    rest = encode({name: value for name, value in row.items() if name != "documents"})
    return f'{rest[:-1]}, "documents": {entry[1]}}}\n'.encode()


def _nights(settings: SampleSettings, only_nights: range | None) -> range:
    if only_nights is None:
        return range(settings.nights)
    if any(not 0 <= night < settings.nights for night in only_nights):
        raise ConfigurationError(f"only_nights must stay within 0 to {settings.nights - 1} (nights)")
    return only_nights


def _night(settings: SampleSettings, night: int) -> Iterator[Row]:
    chance = fixed_random(settings.seed, night)
    draw = chance.random
    count = logs_in_night(settings, night, chance)
    seconds = seconds_of_day(count, fixed_random("clock", settings.seed, night))
    midnight = datetime.combine(settings.day(night), time(), UTC)
    writer = _Writer(settings, night, chance)
    malformed = 0
    for index, second in enumerate(seconds):
        row = writer.row(
            f"s{settings.seed}-{night:04d}-{index:06d}", midnight + timedelta(seconds=round(second, 3))
        )
        if draw() < settings.malformed_share:
            row = break_row(row, row_shape(night, malformed))
            malformed += 1
        yield row


class _Writer:
    """Writes one night's rows: holds the shares of that night."""

    def __init__(self, settings: SampleSettings, night: int, chance: random.Random) -> None:
        self._settings = settings
        self._draw = chance.random
        self._version = app_version(settings, night)
        usual = 1.0 - _BAD_NIGHT_SPREAD + 2 * _BAD_NIGHT_SPREAD * chance.random()
        well = _kinds(settings, usual, 0.0)
        hurt = _kinds(settings, usual, settings.adherence_drop) if settings.release_is_live(night) else well
        self._kinds = tuple(hurt if tenant.name == HURT_TENANT else well for tenant in TENANTS)
        self._tenant = Choice(tuple(tenant.share for tenant in TENANTS))
        self._languages = tuple(Choice(tenant.languages) for tenant in TENANTS)
        self._model = Choice(tuple(share for _, share in MODELS))
        self._questions = tuple(questions()[language] for language in LANGUAGES)

    def row(self, log_id: str, logged_at: datetime) -> Row:
        draw = self._draw
        tenant = self._tenant(draw())
        language = self._languages[tenant](draw())
        asked = self._questions[language]
        question = asked[int(draw() * len(asked))]
        kind = KINDS[self._kinds[tenant](draw())]
        responses = question.answers[kind]
        response = responses[int(draw() * len(responses))]
        if draw() < self._settings.empty_share:
            kind, response = "empty", ""
        return {
            "log_id": log_id,
            "logged_at": logged_at,
            "question": question.wordings[int(draw() * len(question.wordings))],
            "documents": self._documents(question, kind, TENANTS[tenant].plain_documents),
            "response": response,
            "ground_truth": question.ground_truth if draw() < self._settings.ground_truth_share else None,
            "segments": self._segments(tenant, language),
            "metadata": {"sample": {"kind": kind, "question_id": question.id}},
        }

    def _documents(self, question: Question, kind: str, plain: bool) -> list[Any]:
        draw = self._draw
        if kind == "refusal" and draw() < _NOTHING_FOUND:
            return []
        missed = draw() < _MISSED.get(kind, 0.0)
        retrievals = question.missed if missed else question.retrieved
        return _as_documents(retrievals[int(draw() * len(retrievals))], plain)

    def _segments(self, tenant: int, language: int) -> dict[str, str]:
        segments = {
            "app_version": self._version,
            "model": MODELS[self._model(self._draw())][0],
            "tenant": TENANTS[tenant].name,
        }
        if self._draw() >= _NO_LANGUAGE:
            segments["language"] = LANGUAGES[language]
        return segments


def _kinds(settings: SampleSettings, usual: float, drop: float) -> Choice:
    """Choice of a kind, in the order of KINDS; ``usual`` scales tonight's everyday mistakes."""
    half = min(1.0, settings.half_share * usual + drop * _HALF_OF_THE_DROP)
    invented = min(1.0 - half, settings.invented_share * usual + drop * (1.0 - _HALF_OF_THE_DROP))
    refusal = min(1.0 - half - invented, settings.refusal_share)
    return Choice((1.0 - half - invented - refusal, half, invented, refusal))


@cache
def _as_documents(pages: tuple[Page, ...], plain: bool) -> list[Any]:
    return [page.text if plain else {"id": page.id, "text": page.text} for page in pages]
