"""The app: routes behind a guard, headers that let nothing foreign in, errors in plain words."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable
from contextlib import suppress
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import plotly
from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.responses import RedirectResponse
from fastapi.staticfiles import StaticFiles
from sqlalchemy.exc import DBAPIError
from sqlalchemy.exc import TimeoutError as PoolTimeout
from starlette.exceptions import HTTPException

from rag_quality.rendering import render
from rag_quality.routes import ROUTERS
from rag_quality.viewer import Viewer, who
from trace_core.errors import ConfigurationError
from trace_pipeline.pages.database import PageDatabase, PageUrls
from trace_pipeline.pages.errors import BadRequest, NotFound

log = logging.getLogger(__name__)

MOUNT = "/rag-quality"
FOLDER = Path(__file__).parent
_PLOTLY = Path(plotly.__file__).parent / "package_data"
_POLICY = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        # Plotly lays its rules into a style element of its own; styles run nothing.
        "style-src 'self' 'unsafe-inline'",
        "img-src 'self' data:",
        "font-src 'self'",
        "connect-src 'self'",
        "form-action 'self'",
        "frame-ancestors 'self'",
        "base-uri 'none'",
    )
)
_HEADERS = {
    "Content-Security-Policy": _POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
}
Next = Callable[[Request], Awaitable[Response]]


def create_app(urls: Callable[[], PageUrls], guard: Any, viewer: Callable[..., Viewer]) -> FastAPI:
    """Return the app.

    urls: gives the databases' addresses, asked once, at the first request. guard: a dependency that refuses
    whoever is not signed in; it stands before every route but the static files. viewer: a dependency that
    says who looks.
    """
    app = FastAPI(title="RAG quality", dependencies=[guard], docs_url=None, redoc_url=None, openapi_url=None)
    app.state.database = PageDatabase(urls)
    app.dependency_overrides[who] = viewer
    app.middleware("http")(_with_headers)
    for router in ROUTERS:
        app.include_router(router)
    # A browser asks for these with the page's cookie or without; they hold nothing of the user's.
    app.mount("/static/plotly", _OneFile(directory=_PLOTLY), name="plotly")
    app.mount("/static", StaticFiles(directory=FOLDER / "static"), name="static")
    _add_errors(app)
    return app


class _OneFile(StaticFiles):
    """Plotly's script from its package, and nothing else of that folder."""

    async def get_response(self, path: str, scope: Any) -> Response:
        """Serve plotly.min.js alone."""
        if path != "plotly.min.js":
            raise HTTPException(404)
        return await super().get_response(path, scope)


async def _with_headers(request: Request, call_next: Next) -> Response:
    response = await call_next(request)
    response.headers.update(_HEADERS)
    if "/static/" in request.url.path:
        response.headers["Cache-Control"] = "public, max-age=3600"
    else:
        response.headers["Cache-Control"] = "no-store"
    return response


def _add_errors(app: FastAPI) -> None:
    @app.exception_handler(BadRequest)
    def _bad_request(request: Request, error: BadRequest) -> Response:
        return _sentence(request, 400, "This address does not work", str(error))

    @app.exception_handler(NotFound)
    def _not_found(request: Request, error: NotFound) -> Response:
        return _sentence(request, 404, "Not found", str(error))

    @app.exception_handler(RequestValidationError)
    def _invalid(request: Request, error: RequestValidationError) -> Response:
        names = ", ".join(sorted({str(part["loc"][-1]) for part in error.errors()}))
        return _sentence(request, 400, "This address does not work", f"Wrong or missing: {names[:200]}.")

    @app.exception_handler(ConfigurationError)
    def _configuration(request: Request, error: ConfigurationError) -> Response:
        return _sentence(request, 503, "Not set up", str(error))

    @app.exception_handler(DBAPIError)
    def _database(request: Request, error: DBAPIError) -> Response:
        log.warning("A page could not read the database: %s", type(error.orig).__name__)
        return _sentence(request, 503, "The database did not answer", _remedy(error))

    @app.exception_handler(PoolTimeout)
    def _busy(request: Request, _error: PoolTimeout) -> Response:
        return _sentence(request, 503, "Too many at once", "All connections are in use: try again soon.")

    @app.exception_handler(HTTPException)
    def _http(request: Request, error: HTTPException) -> Response:
        if error.status_code == 404:
            return _sentence(request, 404, "Not found", "There is no such page.")
        sign_in = getattr(app.state, "sign_in", "")
        if error.status_code == 401 and sign_in and request.method == "GET":
            return RedirectResponse(_sign_in(request, sign_in), status_code=303)
        if error.status_code in (401, 307):
            return Response(status_code=error.status_code, headers=dict(error.headers or {}))
        return _sentence(request, error.status_code, "Not possible", str(error.detail))

    @app.exception_handler(Exception)
    def _fault(request: Request, _error: Exception) -> Response:
        # The server logs the traceback. This answer passes no middleware, so it brings its own headers.
        sentence = "The fault is on this side, and the api-server's log names it."
        response = _sentence(request, 500, "This page could not be made", sentence)
        response.headers.update(_HEADERS | {"Cache-Control": "no-store"})
        return response


def _sign_in(request: Request, address: str) -> str:
    """Return where to sign in, with the way back: a link in an alert may be opened without a session."""
    mounted = str(request.scope.get("root_path", "")).rstrip("/")
    query = f"?{request.url.query}" if request.url.query else ""
    way_back = urlencode({"next": request.url.path + query})
    return f"{mounted.removesuffix(MOUNT)}{address}?{way_back}"


def _remedy(error: DBAPIError) -> str:
    name = type(error.orig).__name__
    if name == "QueryCanceled":
        return "The answer took too long and was stopped: choose fewer nights or a narrower filter."
    if name == "InsufficientPrivilege":
        return "The login of the pages may not read this: grant trace_reader to it (sql/roles.sql)."
    if name in ("UndefinedTable", "UndefinedColumn", "InvalidSchemaName"):
        return "The schema trace is missing or of another release: run trace-pipeline migrate."
    return (
        "Is the server up, and are the Airflow connections trace_pages or trace_results, and rag_logs, right?"
    )


def _sentence(request: Request, status: int, title: str, sentence: str) -> Response:
    response = render(request, "error.html.j2", title=title, sentence=sentence)
    response.status_code = status
    with suppress(KeyError):
        del response.headers["content-disposition"]
    return response
