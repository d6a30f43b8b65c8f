"""All settings: one frozen object, read once at the edge.

Order of precedence, lowest first: defaults, `trace.toml` (its path in TRACE_CONFIG), TRACE_* environment
variables (`TRACE_SOURCE__TABLE` for `[source] table`), parameters of a run. A wrong one is refused by name.
"""

from __future__ import annotations

import difflib
import os
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator
from pydantic_settings import (
    BaseSettings,
    PydanticBaseSettingsSource,
    SettingsConfigDict,
    SettingsError,
    TomlConfigSettingsSource,
)

from trace_core.errors import ConfigurationError
from trace_pipeline.judge_settings import JudgeSettings, NliSettings
from trace_pipeline.message_settings import AlertSettings, LineageSettings, TelemetrySettings
from trace_pipeline.setting_types import (
    ColumnsByName,
    Cron,
    Folder,
    Hosts,
    Identifier,
    Names,
    OptionalColumn,
    OptionalDays,
    TimeZone,
)

# Shares made of counts that are watched like a metric.
WATCHED_SHARES = ("unscored_share", "refusal_rate")


if TYPE_CHECKING:
    from trace_core.drift import DriftSettings


class SourceColumns(BaseModel):
    """The user's column for each of a log's fields; None = the source has no such column."""

    model_config = ConfigDict(frozen=True, extra="forbid")
    log_id: Identifier = "log_id"
    logged_at: Identifier = "logged_at"
    question: Identifier = "question"
    documents: Identifier = "documents"
    response: Identifier = "response"
    ground_truth: OptionalColumn = "ground_truth"
    segments: OptionalColumn = "segments"


class SourceSettings(BaseModel):
    """Where the logs are: a table or view, its columns, and how its values are read."""

    model_config = ConfigDict(frozen=True, extra="forbid")
    table_schema: Identifier = Field("trace", description="schema of the source table or view")
    table: Identifier = Field("rag_log", description="source table or view; any name, it is quoted")
    columns: SourceColumns = SourceColumns()
    segment_columns: ColumnsByName = Field(
        default_factory=dict,
        description="segment name = column, for sources that keep segments in columns of their own",
    )
    document_text_fields: Names = Field(
        ("text", "content", "page_content"),
        min_length=1,
        description="fields that may hold the text of a document that is an object; the first present wins",
    )
    time_zone: TimeZone = Field("UTC", description="zone of a `logged_at` column without one")
    statement_timeout_seconds: int = Field(600, ge=1, le=86_400, description="longest single read")


class RetentionSettings(BaseModel):
    """Ages at which a part of what is kept goes earlier than the evaluations; by whole months."""

    model_config = ConfigDict(frozen=True, extra="forbid")
    annotation_days: OptionalDays = Field(
        None,
        ge=30,
        description="sentence keys and reasons of evaluations go, numbers stay; unset = kept along",
    )
    quarantine_days: OptionalDays = Field(None, ge=30, description="quarantined rows; unset = retention_days")
    label_days: OptionalDays = Field(None, ge=30, description="human labels; unset = retention_days")
    judge_days: OptionalDays = Field(
        None, ge=30, description="calls and kept answers of the judge; unset = retention_days"
    )


class Settings(BaseSettings):
    """Every setting of the product. Unit in the name; reason in the description."""

    model_config = SettingsConfigDict(
        frozen=True,
        extra="forbid",
        env_prefix="TRACE_",
        env_nested_delimiter="__",
        nested_model_default_partial_update=True,
    )
    source: SourceSettings = SourceSettings()
    scorers: Names = Field(
        ("lexical", "heuristic"),
        min_length=1,
        description="scorers to run; trends and alerts read the first, the others are recorded beside it",
    )
    segments: Names = Field(
        ("app_version", "model", "tenant", "language"),
        max_length=12,
        description="segment dimensions that get a trend of their own",
    )
    segment_values: int = Field(
        50, ge=1, le=1_000, description="values of a segment kept per day; the rest is `other`"
    )
    day_time_zone: TimeZone = Field("UTC", description="zone whose midnight parts the days")
    schedule: Cron = Field(
        "0 2 * * *",
        description="cron (in day_time_zone) of the nightly run; late enough for the day's last logs",
    )
    late_days: int = Field(7, ge=0, le=90, description="days looked back for late or changed logs")
    batch_rows: int = Field(
        5_000, ge=1, le=1_000_000, description="logs a mapped task scores, if they fit in max_batches"
    )
    max_batches: int = Field(200, ge=2, le=500, description="mapped tasks a run; batches grow beyond it")
    max_log_bytes: int = Field(
        4_000_000, ge=1_000, le=100_000_000, description="a longer log is quarantined unread"
    )
    max_documents: int = Field(1_000, ge=1, le=100_000, description="a log with more is quarantined")
    import_folder: Folder = Field(
        "", description="the one folder that `trace_import` may read, local or object storage; empty = none"
    )
    import_refused_folder: Folder = Field(
        "", description="local folder for each file's refused rows; empty = the task's log only"
    )
    results_lock_timeout_seconds: int = Field(
        900, ge=1, le=86_400, description="longest wait for another run that works on the same days"
    )
    results_statement_timeout_seconds: int = Field(
        3_600, ge=1, le=86_400, description="longest single statement on the results"
    )
    store_annotations: bool = Field(True, description="keep sentence keys, so that scores can be explained")
    watch_metrics: Names = Field(
        ("adherence", "completeness"), min_length=1, description="metrics watched for drift"
    )
    watch_history_days: int = Field(400, ge=60, le=4_000, description="nights replayed by the drift watch")
    retention_days: OptionalDays = Field(
        None, ge=30, description="age at which evaluations are dropped by month; unset = kept"
    )
    retention: RetentionSettings = RetentionSettings()
    air_gap: bool = Field(False, description="refuse to connect to any host that allowed_hosts does not name")
    allowed_hosts: Hosts = Field(
        (),
        description="hosts that may be reached with air_gap; exact names, loopback is no exception",
    )
    label_days: int = Field(
        28, ge=1, le=400, description="days whose human labels correct a night's adherence rate"
    )
    judge: JudgeSettings = JudgeSettings()
    nli: NliSettings = NliSettings()
    alerts: AlertSettings = AlertSettings()
    telemetry: TelemetrySettings = TelemetrySettings()
    lineage: LineageSettings = LineageSettings()
    drift: Mapping[str, Any] = Field(
        default_factory=dict,
        description="thresholds of the drift watch that differ from their defaults; see docs/drift.md",
    )

    @field_validator("watch_metrics")
    @classmethod
    def _metric(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        known = ("relevance", "utilization", "adherence", "completeness", "average", *WATCHED_SHARES)
        for metric in value:
            if metric not in known:
                raise ValueError(f"{metric!r} is not a metric; choose from {', '.join(known)}")
        return value

    @field_validator("drift")
    @classmethod
    def _drift(cls, value: Mapping[str, Any]) -> Mapping[str, Any]:
        if value:
            # Not at the top: whoever reads a setting would import the watch's numerical libraries.
            from trace_pipeline.drift_options import drift_settings

            drift_settings(value)
        return value

    @property
    def drift_settings(self) -> DriftSettings:
        """The drift watch's thresholds."""
        from trace_pipeline.drift_options import drift_settings

        return drift_settings(self.drift)

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,  # noqa: ARG003
        file_secret_settings: PydanticBaseSettingsSource,  # noqa: ARG003
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """Overrides of a run beat the environment, which beats the file."""
        path = os.environ.get("TRACE_CONFIG")
        return (
            (init_settings, env_settings, TomlConfigSettingsSource(settings_cls, path))
            if path
            else (init_settings, env_settings)
        )


def load_settings(**overrides: Any) -> Settings:
    """Read the settings; `overrides` (parameters of a run, options of a command) win; None ones are left out.

    Raises ConfigurationError with one sentence a wrong setting, naming it.
    """
    path = os.environ.get("TRACE_CONFIG")
    if path and not Path(path).is_file():
        raise ConfigurationError(f"TRACE_CONFIG names {path!r}, which is not a file.")
    _refuse_unknown_environment()
    try:
        return Settings(**{name: value for name, value in overrides.items() if value is not None})
    except ValidationError as error:
        raise ConfigurationError(_sentences(error)) from error
    except SettingsError as error:
        raise ConfigurationError(_undecodable(error)) from error
    except Exception as error:  # a TOML or JSON syntax error, from whichever parser met it
        raise ConfigurationError(
            f"The settings could not be read ({path or 'environment'}): {error}"
        ) from error


_OUTSIDE_SETTINGS = frozenset(
    {
        "TRACE_AIRFLOW_PASSWORD",
        "TRACE_AIRFLOW_URL",
        "TRACE_AIRFLOW_USER",
        "TRACE_CONFIG",
        "TRACE_JUDGE_API_KEY",
        "TRACE_LOCAL_FOLDER",
        "TRACE_RESULTS_URL",
        "TRACE_SOURCE_URL",
        "TRACE_TEST_DATABASE_URL",
    }
)


def _refuse_unknown_environment() -> None:
    known = {f"TRACE_{name.upper()}" for name in Settings.model_fields}
    for name in os.environ:
        if not name.upper().startswith("TRACE_") or name in _OUTSIDE_SETTINGS:
            continue
        if name.split("__")[0].upper() not in known:
            raise ConfigurationError(
                f"The environment variable {name} is not a setting{_meant(name.upper(), known)};"
                " see the README's settings table."
            )


def _meant(name: str, known: Iterable[str]) -> str:
    """Return the known name that a misspelt one is like, as the end of a sentence."""
    near = difflib.get_close_matches(name, list(known), 1)
    return f" (is {near[0]} meant?)" if near else ""


def _siblings(path: Sequence[str]) -> Iterable[str]:
    """Return the names of the settings that stand beside the one at a path."""
    model: Any = Settings
    for part in path[:-1]:
        field = model.model_fields.get(part) if hasattr(model, "model_fields") else None
        model = field.annotation if field is not None else None
    return model.model_fields if hasattr(model, "model_fields") else ()


# The address of a channel holds its password; where an address is wrong, it may.
_SECRET = frozenset(("channels", "otlp_endpoint", "lineage", "endpoint"))


def _sentences(error: ValidationError) -> str:
    parts = []
    for item in error.errors(include_url=False):
        name = ".".join(str(part) for part in item["loc"]) or "settings"
        message = item["msg"].removeprefix("Value error, ")
        if item["type"] == "extra_forbidden":
            path = [str(part) for part in item["loc"]]
            message = f"there is no setting of this name{_meant(path[-1], _siblings(path))}"
        hidden = not item["loc"] or _SECRET & {*map(str, item["loc"])}
        given = "" if hidden else f" (given: {str(item['input'])[:80]!r})"
        parts.append(f"Setting {name}: {message}{given}.")
    return " ".join(parts)


def _undecodable(error: SettingsError) -> str:
    found = re.search(r'field "(\w+)"', str(error))
    name = found[1] if found else "settings"
    return (
        f"Setting {name}: the environment variable TRACE_{name.upper()}, or one below it, must hold a JSON "
        "object; name each value by itself, such as TRACE_SOURCE__COLUMNS__QUESTION."
    )
