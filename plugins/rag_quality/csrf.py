"""Forms that only our own pages can send: a token of the person, and the address that the form came from.

A session cookie goes along with a form of any other site of the same host, and scripts may read Airflow's:
SameSite alone protects nothing here.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
import time
from urllib.parse import urlsplit

from fastapi import Request
from starlette.exceptions import HTTPException

_LIFE_SECONDS = 8 * 3600


def form_token(request: Request, name: str) -> str:
    """Return a token for the forms of this person, good for eight hours."""
    issued = str(int(time.time()))
    return f"{issued}.{_digest(request, name, issued)}"


def check_form(request: Request, name: str, token: str) -> None:
    """Refuse a form that is not of our pages, or not of this person, by HTTPException 403 and a sentence."""
    if not _is_ours(request):
        raise HTTPException(403, "The form did not come from this site, so nothing was changed.")
    issued, _, given = token.partition(".")
    good = issued.isascii() and issued.isdigit() and len(issued) < 12
    if not good or not hmac.compare_digest(
        _digest(request, name, issued), given.encode("ascii", "replace").decode()
    ):
        raise HTTPException(403, "The form is not one of yours: open the page again and repeat.")
    if not 0 <= time.time() - int(issued) <= _LIFE_SECONDS:
        raise HTTPException(403, "The form is older than eight hours: open the page again and repeat.")


def _is_ours(request: Request) -> bool:
    """Tell whether Origin, or without it Referer, names the host that was asked; neither is a refusal."""
    sent = request.headers.get("origin") or request.headers.get("referer") or ""
    try:
        host = urlsplit(sent).netloc.rpartition("@")[2].lower()
    except ValueError:
        return False
    known = {request.headers.get("host", "").lower(), *getattr(request.app.state, "form_hosts", ())}
    return bool(host) and host in known


def _digest(request: Request, name: str, issued: str) -> str:
    state = request.app.state
    if not getattr(state, "form_secret", None):
        state.form_secret = secrets.token_bytes(32)
    message = f"label\n{issued}\n{name}".encode("utf-8", "replace")
    return hmac.new(state.form_secret, message, hashlib.sha256).hexdigest()
