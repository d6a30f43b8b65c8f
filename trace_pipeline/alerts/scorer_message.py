"""The message about a scorer that has changed itself: which, how much, since when, what follows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date
from typing import Any, Final

from trace_pipeline.alerts.facts import PAGES
from trace_pipeline.alerts.message import MAX_LINE, MAX_TITLE, AlertMessage, link_line, points
from trace_pipeline.alerts.plain_text import one_line

#: Named by the message; the others are on the page. Their texts are too: a message holds none of a log.
_ANCHORS: Final = 5


def scorer_message(
    scorer: str,
    fingerprint: str,
    onset: date,
    night: date,
    checks: Sequence[Mapping[str, Any]],
    link_base_url: str,
    *,
    is_watched: bool,
) -> AlertMessage:
    """Return the message of a shift; it informs, and pages nobody.

    checks: those of the night whose state is shifted, as stored in trace.anchor_check; at least one.
    is_watched: trends and alerts read this scorer.
    """
    name = one_line(scorer, 40)
    first = max(checks, key=lambda check: abs(check["difference"] or 0.0))
    changed = first["changed_anchors"]
    lines = [f"{one_line(check['text'], MAX_LINE)}" for check in checks]
    if changed:
        named = ", ".join(one_line(anchor.rpartition(":")[0], 60) for anchor in changed[:_ANCHORS])
        more = f" and {len(changed) - _ANCHORS} more" if len(changed) > _ANCHORS else ""
        lines.append(f"Frozen logs with another verdict, {first['metric']}: {named}{more}.")
    lines.append(
        f"Changed since {onset.isoformat()}: the logs are the same, so it is the scorer, not the answers."
    )
    if is_watched:
        lines.append("The watch takes it for a new version from then on; its level is learned again.")
    lines.append(f"Scorer: {name}, fingerprint {one_line(fingerprint, 20)}.")
    lines += link_line(link_base_url, f"{PAGES}runs")
    return AlertMessage(
        key=f"scorer:scorer_shifted:{scorer}:{fingerprint}:{night.isoformat()}",
        title=one_line(
            f"RAG quality: the scorer {name} has changed: {first['metric']} of the frozen logs "
            f"{points(first['difference'] or 0.0)}, since {onset.isoformat()}",
            MAX_TITLE,
        ),
        body="\n".join(lines),
        severity="info",
        incident_id=None,
        metric="scorer",
        day=night,
    )
