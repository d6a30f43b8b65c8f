"""What the watch on the scorers has to tell, and which quality pages wait for it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import timedelta
from typing import Any

from sqlalchemy import Connection

from trace_pipeline.alerts.message import AlertMessage
from trace_pipeline.alerts.scorer_message import scorer_message
from trace_pipeline.anchor.checks import scorer_states
from trace_pipeline.scorers import VARYING
from trace_pipeline.settings import WATCHED_SHARES, Settings
from trace_pipeline.sqlfiles import query


def scorer_alerts(connection: Connection, settings: Settings, recent_nights: int) -> Iterator[AlertMessage]:
    """Yield the shifts of all scorers that were found on the last nights of their anchors, oldest first."""
    for scorer in settings.scorers:
        if scorer not in VARYING:
            continue
        states = scorer_states(connection, scorer)
        for fingerprint, shifts in states.shifts.items():
            for onset, night in shifts:
                if states.last is None or night <= states.last - timedelta(days=recent_nights):
                    continue
                place = {"scorer": scorer, "night": night}
                checks = connection.execute(query("anchor_checks"), place).mappings()
                yield scorer_message(
                    scorer,
                    fingerprint,
                    onset,
                    night,
                    [dict(check) for check in checks if check["state"] == "shifted"],
                    settings.alerts.link_base_url,
                    is_watched=scorer == settings.scorers[0],
                )


class Hold:
    """Keeps back what is about quality while the scorer itself is suspect, for a night at most."""

    def __init__(self, connection: Connection, settings: Settings) -> None:
        scorer = settings.scorers[0]
        self._suspect = scorer_states(connection, scorer).suspect if scorer in VARYING else None

    def keeps(self, event: Mapping[Any, Any]) -> bool:
        """Tell whether an event waits: it may be the scorer's doing, and no later night has been judged.

        The next night tells it, one night late, or has it swallowed by the shift. An event of a new version
        that is only a shift of the anchors is never told: the scorer alert says it.
        """
        if event["event"] == "scorer_changed":
            return "scorer_version" in (event["check_evidence"] or {})
        if event["event"] not in ("opened", "worsened") or event["metric"] in (*WATCHED_SHARES, "volume"):
            return False
        return self._suspect is not None and event["day"] == self._suspect == event["latest_day"]
