"""Where the judge is, and a judge for a run's settings."""

from __future__ import annotations

import os
from dataclasses import dataclass, field

from trace_core.errors import ConfigurationError
from trace_pipeline.judges.contracts import Account, Judge, Redaction
from trace_pipeline.settings import Settings

#: Environment variable with the key of the endpoint.
KEY_VARIABLE = "TRACE_JUDGE_API_KEY"


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
    return Endpoint(found.rstrip("/"), key or os.environ.get(KEY_VARIABLE, ""))


def make_judge(settings: Settings, account: Account, redaction: Redaction, url: str, key: str) -> Judge:
    """Make the judge of a run.

    url, key: from an Airflow connection; the setting judge.endpoint beats `url`, an empty `key` is read from
    TRACE_JUDGE_API_KEY. Raises ConfigurationError, naming the setting, without endpoint or model.
    """
    find_endpoint(settings, url, key)
    if not settings.judge.model:
        raise ConfigurationError("setting 'judge.model': the judge needs the name of a model")
    raise NotImplementedError((account, redaction))
