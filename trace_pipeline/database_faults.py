"""What may befall a server in the night, each as a sentence with its remedy; all of them a retry may cure."""

from __future__ import annotations

from functools import partial
from typing import Any, Final

from sqlalchemy import Connection, Engine, event
from sqlalchemy.engine import ExceptionContext

from trace_core.errors import TemporaryFault

_TIMEOUT: Final = (
    "a statement was ended after the longest time it may take (settings results_statement_timeout_seconds, "
    "source.statement_timeout_seconds), or by an operator."
)
_LOST: Final = (
    "the connection to the server was lost, and nothing of this step is written: it is tried again. If it "
    "comes again, the server's log says why."
)
#: Sentence by SQLSTATE, or by the first two characters of one.
_SENTENCES: Final = {
    "55P03": "another session held what was needed for longer than the lock timeout (setting "
    "results_lock_timeout_seconds): try again when it has ended.",
    "57014": _TIMEOUT,
    "25006": "the server takes no writes, as a standby does: name the primary, and after a failover wait "
    "until the address leads to it.",
    "53100": "the server's disk is full, and nothing of this step is written: give it room, then this is "
    "tried again.",
    "53200": "the server has no memory left, and nothing of this step is written: it is tried again.",
    "40": "two sessions stood in each other's way, and the server ended this one: it is tried again.",
    "08": _LOST,
    "57P": _LOST,
}
_RECOVERY: Final = (
    "the read replica ended a read to go on replaying (conflict with recovery): it is tried again. If it "
    "comes again, set hot_standby_feedback = on there, or raise max_standby_streaming_delay."
)


def tell_faults(engine: Engine, setting: str) -> None:
    """Let an engine's faults that may pass be TemporaryFault in a sentence; every other error stays as it is.

    setting: where its URL came from.
    """
    event.listen(engine, "connect", partial(_remember, setting))
    event.listen(engine, "handle_error", partial(_tell, setting))


def _remember(setting: str, _connection: Any, record: Any) -> None:
    record.info["trace_setting"] = setting


def _tell(setting: str, context: ExceptionContext) -> None:
    # A ping before use finds a dead connection and opens another one; without a connection, it was refused.
    if context.is_pre_ping or context.connection is None:
        return
    error = context.original_exception
    sentence = _sentence(error) or (_LOST if context.is_disconnect else None)
    if sentence:
        raise TemporaryFault(f"{setting}: {sentence}") from None


def told(connection: Connection, error: BaseException) -> TemporaryFault | None:
    """Return the sentence of an error of a plain cursor, which the engine does not hear of; None without."""
    setting = connection.info.get("trace_setting")
    lost = connection.connection.closed if setting else False
    sentence = _sentence(error) or (_LOST if lost else None)
    return TemporaryFault(f"{setting}: {sentence}") if setting and sentence else None


def _sentence(error: BaseException) -> str | None:
    code = getattr(error, "pgcode", None) or ""
    if "conflict with recovery" in str(error):
        return _RECOVERY
    return _SENTENCES.get(code) or _SENTENCES.get(code[:3]) or _SENTENCES.get(code[:2])
