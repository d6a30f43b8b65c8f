"""The form of a label: the one thing these pages write."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any
from urllib.parse import parse_qs

from fastapi import APIRouter, Depends, Request, Response
from fastapi.responses import RedirectResponse
from sqlalchemy.exc import DBAPIError
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException

from rag_quality.csrf import check_form
from rag_quality.queue_view import QueueView
from rag_quality.rendering import state_of
from rag_quality.view_state import ViewState
from rag_quality.viewer import Viewer, who
from trace_core.errors import BadInput
from trace_pipeline.pages.labels import NewLabel, write_label
from trace_pipeline.pages.log_filter import is_storable
from trace_pipeline.settings import load_settings

router = APIRouter()
_MOST_FORM_BYTES = 40_000
_READ_ONLY = ("InsufficientPrivilege", "ReadOnlySqlTransaction")


@router.post("/label")
async def label(request: Request, viewer: Viewer = Depends(who)) -> Response:  # noqa: B008
    """Keep a label."""
    form = await _form(request)
    return await run_in_threadpool(_keep, request, viewer, form)


async def _form(request: Request) -> dict[str, str]:
    if request.headers.get("content-type", "").partition(";")[0] != "application/x-www-form-urlencoded":
        raise HTTPException(415, "A label is sent as a form.")
    body = bytearray()
    async for chunk in request.stream():
        body += chunk
        if len(body) > _MOST_FORM_BYTES:
            raise HTTPException(413, "The form is too large.")
    try:
        sent = parse_qs(body.decode("ascii"), keep_blank_values=True, errors="strict", max_num_fields=20)
    except ValueError:
        raise HTTPException(400, "The form cannot be read.") from None
    return {name: values[0] for name, values in sent.items()}


def _keep(request: Request, viewer: Viewer, form: dict[str, str]) -> Response:
    check_form(request, viewer.name, form.get("token", ""))
    if not viewer.may_label:
        raise HTTPException(403, "Your role only looks: labels need the right to edit trace_score_nightly.")
    state = state_of(request)
    try:
        moment = datetime.fromisoformat(form.get("at", ""))
    except ValueError:
        raise HTTPException(400, "The form names no log.") from None
    moment = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    from_queue = form.get("queue") == "yes"
    new = NewLabel(
        log_id=form.get("log", ""),
        logged_at=moment,
        sentence_key=form.get("key", ""),
        verdict=form.get("verdict", ""),
        note=form.get("note", "").replace("\r\n", "\n").strip(),
        labelled_by=viewer.name,
        labelled_at=datetime.now(UTC),
        is_drawn=from_queue and _is_drawn(request, state, moment, form.get("log", "")),
    )
    _write(request, new)
    if from_queue and not new.sentence_key:
        return RedirectResponse(_next_of_queue(request, state), status_code=303)
    by = form.get("by", "")
    back: dict[str, Any] = {"log": new.log_id, "at": new.logged_at.isoformat(), "saved": "yes"}
    back |= {"by": by} if by.isascii() and by.isdigit() and len(by) < 10 else {}
    back |= {"queue": "yes"} if from_queue else {}
    return RedirectResponse(state.url("log", **back) + "#labels", status_code=303)


def _is_drawn(request: Request, state: ViewState, moment: datetime, log_id: str) -> bool:
    """Tell whether the queue asks for the log; the form only says that its page was opened from there."""
    if not is_storable(log_id):
        return False
    with request.app.state.database.read() as connection:
        queue = QueueView.of(connection, state, load_settings())
        return queue is not None and queue.holds(connection, moment, log_id)


def _write(request: Request, new: NewLabel) -> None:
    try:
        with request.app.state.database.write_label() as connection:
            write_label(connection, new)
    except BadInput as refusal:
        raise HTTPException(400, refusal.detail) from refusal
    except DBAPIError as error:
        if type(error.orig).__name__ in _READ_ONLY:
            raise HTTPException(
                403,
                "The login of the pages may not write labels: grant trace_labeller to it.",
            ) from error
        raise


def _next_of_queue(request: Request, state: ViewState) -> str:
    """Return the address of the first log that the queue asks for now; without any, that of the queue."""
    with request.app.state.database.read() as connection:
        queue = QueueView.of(connection, state, load_settings())
        rows = queue.logs(connection) if queue else []
        if queue is None or not rows:
            return state.url("labels", saved="yes")
        first = rows[0]
    address = {"log": first.log_id, "at": first.logged_at.isoformat(), "by": queue.version.scorer_id}
    return state.url("log", **address, queue="yes", saved="yes")
