"""Where the judge is, and a judge for a run's settings."""

from __future__ import annotations

import os
from dataclasses import dataclass, field

from trace_core.errors import ConfigurationError
from trace_pipeline.air_gap import refuse_outside
from trace_pipeline.judges.contracts import Account, Judge, Redaction
from trace_pipeline.setting_types import web_address
from trace_pipeline.settings import Settings

#: Environment variable with the key of the endpoint.
KEY_VARIABLE = "TRACE_JUDGE_API_KEY"


@dataclass(frozen=True, slots=True)
class Endpoint:
    """Base address of an OpenAI-compatible endpoint, and its key (empty = it wants none)."""

    url: str
    key: str = field(default="", repr=False)


def find_endpoint(settings: Settings, url: str, key: str) -> Endpoint:
    """Return the setting's endpoint, else the given one.

    Raises ConfigurationError where it cannot be one, or is outside of the air gap.
    """
    found = settings.judge.endpoint or url
    if not found:
        raise ConfigurationError(
            "setting 'judge.endpoint': the judge needs the address of an endpoint, "
            "here or in the Airflow connection trace_judge"
        )
    try:
        web_address(found, credentials="the password of the Airflow connection trace_judge")
    except ValueError as error:
        raise ConfigurationError(f"the address of the Airflow connection trace_judge: {error}") from None
    refuse_outside(settings, found, "the judge")
    found_key = (key or os.environ.get(KEY_VARIABLE, "")).strip()
    if not (found_key.isascii() and found_key.isprintable()):
        raise ConfigurationError(
            f"{KEY_VARIABLE}, or the password of the Airflow connection trace_judge, "
            "holds characters that no key has"
        )
    # People paste the address that is called as well as the base of it.
    return Endpoint(found.rstrip("/").removesuffix("/chat/completions"), found_key)


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
    return LanguageModelJudge(endpoint, settings.judge, account, redaction)
