"""Logs that try to break out of a page, in every field that a page shows."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from sqlalchemy import Engine, text

from tests.browser.site import FIRST_DAY, NIGHTS
from trace_pipeline.load import load_logs

IMAGE = "<img src=x onerror=\"window.broken=1;alert('x')\">"
SCRIPT = "</script><script>window.broken=2</script>"
LINK = "javascript:window.broken=3"
TURNED = "\u202e\u2066abc \u05e9\u05dc\u05d5\u05dd"
LONG = "x" * 1_000_000
HOSTILE_ID = f"a/b?c=d&e=\"'%2e {IMAGE}"
_MOMENT = datetime(FIRST_DAY.year, FIRST_DAY.month, FIRST_DAY.day, 23, 50, tzinfo=UTC)
AT = _MOMENT + timedelta(days=NIGHTS - 1)


def _log(log_id: str, minutes: int, **fields: object) -> dict[str, object]:
    return {
        "log_id": log_id,
        "logged_at": AT + timedelta(minutes=minutes),
        "question": f"What is {IMAGE}?",
        "documents": [{"id": f"{LINK} {IMAGE}", "text": f"A document. {SCRIPT} {TURNED}."}],
        "response": f"Nothing of this holds: {IMAGE}. {SCRIPT} Unicorns {LINK}.",
        "segments": {"tenant": IMAGE, "app_version": f"{SCRIPT}{TURNED}", "language": "en"},
        **fields,
    }


def hostile_logs(engine: Engine) -> None:
    """Write them into the site's last night."""
    logs = [
        _log(HOSTILE_ID, 0),
        _log("hostile-long", 1, response=f"Unicorns {LONG} graze."),
        _log(
            "hostile-right-to-left",
            2,
            question="ما هي مدة الضمان؟",
            response="الضمان سبعة أعوام.",
            documents=["مدة الضمان سنتان."],
        ),
        _log("hostile-unread", 3, question=None, segments={"tenant": IMAGE}),
        _log("\u202eevil", 4, documents=[f"{SCRIPT} {IMAGE}"]),
    ]
    for _ in load_logs(engine, logs):
        pass


def hostile_names(engine: Engine) -> None:
    """Put a scorer with a hostile name and a night of its own into the results."""
    with engine.begin() as connection:
        connection.execute(
            text(
                "with s as (insert into trace.scorer (name, fingerprint, parameters)"
                " values (:name, :name, '{}') returning scorer_id)"
                " insert into trace.ledger (scorer_id, day, interval_start, interval_end, source_rows,"
                " scored, skipped, quarantined, sampled_out, failed, run_id) select scorer_id, :day, :day,"
                " cast(:day as date) + 1, 0, 0, 0, 0, 0, 0, 'hostile' from s"
            ),
            {"name": f"{IMAGE}{SCRIPT}", "day": FIRST_DAY},
        )
