"""Where the judge is, and a judge for a run's settings."""

from __future__ import annotations

import os
from dataclasses import dataclass, field

from trace_core.errors import ConfigurationError
from trace_pipeline.judges.contracts import Account, Judge, Redaction
from trace_pipeline.settings import Settings

#: Environment variable with the key of the endpoint.
KEY_VARIABLE = "TRACE_JUDGE_API_KEY"
#: Below, the task that the judge is told leaves no room for sentences.
LEAST_CONTEXT_TOKENS = 2_000


@dataclass(frozen=True, slots=True)
class Endpoint:
    """Base address of an OpenAI-compatible endpoint, and its key (empty = it wants none)."""

    url: str
    key: str = field(default="", repr=False)


def find_endpoint(settings: Settings, url: str, key: str) -> Endpoint:
    """Return the setting's endpoint, else the given one. ConfigurationError where there is none."""
    found = settings.judge.endpoint or url
    if not found:
        raise ConfigurationError(
            "setting 'judge.endpoint': the judge needs the address of an endpoint, "
            "here or in the Airflow connection trace_judge"
        )
    found_key = (key or os.environ.get(KEY_VARIABLE, "")).strip()
    if not (found_key.isascii() and found_key.isprintable()):
        raise ConfigurationError(
            f"{KEY_VARIABLE}, or the password of the Airflow connection trace_judge, "
            "holds characters that no key has"
        )
    return Endpoint(found.rstrip("/"), found_key)


def make_judge(settings: Settings, account: Account, redaction: Redaction, url: str, key: str) -> Judge:
    """Make the judge of a run.

    url, key: from an Airflow connection; the setting judge.endpoint beats `url`, an empty `key` is read from
    TRACE_JUDGE_API_KEY. Raises ConfigurationError, naming the setting, without endpoint or model.
    """
    endpoint = find_endpoint(settings, url, key)
    if not settings.judge.model:
        raise ConfigurationError("setting 'judge.model': the judge needs the name of a model")
    try:
        from trace_pipeline.judges.judge import LanguageModelJudge
    except ImportError as error:
        raise ConfigurationError(
            "setting 'scorers': a judge needs the extra 'judge' of trace-nightly installed "
            f"(missing: {error.name})"
        ) from error
    if settings.judge.context_tokens < LEAST_CONTEXT_TOKENS:
        raise ConfigurationError(
            f"setting 'judge.context_tokens': the task itself takes most of {settings.judge.context_tokens} "
            f"tokens; at least {LEAST_CONTEXT_TOKENS} are wanted"
        )
    return LanguageModelJudge(endpoint, settings.judge, account, redaction)
