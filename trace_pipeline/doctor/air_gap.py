"""The air gap: is every host on the list that the settings name."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from trace_core.errors import ConfigurationError
from trace_pipeline.air_gap import refuse_outside, refuse_storage
from trace_pipeline.doctor.finding import Finding, advice, fault, ok
from trace_pipeline.settings import Settings
from trace_pipeline.telemetry.endpoint import endpoint_of

_PART = "air gap"


def check(settings: Settings) -> Iterator[Finding]:
    """Yield a fault for each configured address that would be refused.

    What Airflow connections add (trace_judge, trace_alerts, object storage) is known to Airflow alone, and is
    refused there by the task that would use it.
    """
    if not settings.air_gap:
        if settings.allowed_hosts:
            yield advice(
                _PART,
                "allowed_hosts names hosts, but air_gap is off, so that every host may be reached.",
                "Set air_gap to true, or empty allowed_hosts.",
            )
        return
    refused = [str(error) for probe in _probes(settings) if (error := _error(probe)) is not None]
    for sentence in dict.fromkeys(refused):
        yield fault(
            _PART, sentence, "Add the host to allowed_hosts, or take the address out of the settings."
        )
    if not refused:
        yield ok(_PART, f"It is on; {len(settings.allowed_hosts)} hosts may be reached.")


def airflow_is_outside(settings: Settings, url: str) -> Iterator[Finding]:
    """Yield a fault when the air gap shuts off the Airflow that was to be asked."""
    error = _error(lambda: refuse_outside(settings, url, "doctor --airflow-url", by_proxy=True))
    if error is not None:
        yield fault("airflow", str(error), "Add the host to allowed_hosts, or look at Airflow by hand.")


def _probes(settings: Settings) -> Iterator[Callable[[], object]]:
    if settings.judge.endpoint:
        yield lambda: refuse_outside(settings, settings.judge.endpoint, "the judge")
    yield lambda: endpoint_of(settings)
    for target in settings.alerts.channels:
        yield lambda target=target: _make_channel(target, settings)  # type: ignore[misc]
    if settings.import_folder.startswith(("http://", "https://")):
        yield lambda: refuse_storage(settings, settings.import_folder, {})


def _make_channel(target: str, settings: Settings) -> None:
    from trace_pipeline.alerts import make_channel

    make_channel(target, settings)


def _error(probe: Callable[[], object]) -> ConfigurationError | None:
    try:
        probe()
    except ConfigurationError as error:
        return error
    return None
