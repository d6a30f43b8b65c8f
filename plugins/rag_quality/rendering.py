"""Templates: always escaped, strict about what they are given, with the few filters that all pages share."""

from __future__ import annotations

import io
import json
import re
from datetime import date, datetime
from pathlib import Path
from typing import Any

import pandas as pd
from fastapi import Request
from fastapi.responses import HTMLResponse, Response
from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from rag_quality.view_state import ViewState
from trace_pipeline.report.csv_export import to_csv
from trace_pipeline.report.figures import Figure

_MINUS = "\u2212"


def _environment() -> Environment:
    made = Environment(
        loader=FileSystemLoader(Path(__file__).parent / "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters |= {"percent": percent, "points": points, "count": count, "day": day, "moment": moment}
    made.filters["whole_days"] = whole_days
    made.globals |= {"interval": interval}
    return made


def percent(value: float | None, digits: int = 1) -> str:
    """91.2 % for 0.912; "no data" for None: an undefined value is never 0."""
    return "no data" if value is None or value != value else f"{100 * value:.{digits}f} %"


def points(value: float | None) -> str:
    """+3.1 points for 0.031."""
    if value is None or value != value:
        return "not known"
    sign = "+" if value > 0 else _MINUS if value < 0 else ""
    return f"{sign}{abs(100 * value):.1f} points"


def interval(low: float | None, high: float | None, n: int | None) -> str:
    """ "90.1 to 92.3 %, n 4,120": what stands beside each number."""
    known = "" if n is None else f"n {n:,}"
    if low is None or high is None or low != low or high != high:
        return known
    return ", ".join(part for part in (f"{100 * low:.1f} to {100 * high:.1f} %", known) if part)


def count(value: int | None) -> str:
    """4,120."""
    return "no data" if value is None else f"{int(value):,}"


def day(value: date | None) -> str:
    """2026-11-30, or a dash."""
    return "\u2013" if value is None else value.strftime("%Y-%m-%d")


def whole_days(text: str) -> Markup:
    """A sentence, escaped, whose days such as 2026-11-30 no line break parts."""
    days = r'<span class="day">\g<0></span>'
    return Markup(re.sub(r"\b\d{4}-\d\d-\d\d\b", days, str(Markup.escape(text))))  # noqa: S704


def moment(value: datetime | None) -> str:
    """2026-11-30 14:05 UTC."""
    return "\u2013" if value is None else value.strftime("%Y-%m-%d %H:%M UTC")


TEMPLATES = _environment()


def base_of(request: Request) -> str:
    """Return the path at which the app is mounted, whatever is in front of it."""
    return str(request.scope.get("root_path", "")).rstrip("/")


def state_of(request: Request) -> ViewState:
    """Return the state that a request's address holds."""
    return ViewState.from_query(request.query_params, base_of(request))


def render(request: Request, template: str, **context: Any) -> HTMLResponse:
    """Return a page. `context` may hold texts of logs: everything is escaped."""
    context.setdefault("state", ViewState(base_of(request)))
    html = TEMPLATES.get_template(template).render(
        base=base_of(request), page=template.removesuffix(".html.j2"), **context
    )
    # A lone surrogate cannot be sent; it is shown as the replacement character.
    return HTMLResponse(html.encode("utf-8", "replace"))


def figure_json(figure: Figure) -> Markup:
    """Return a Plotly figure for a `data-figure` attribute; Jinja escapes it there like any text."""
    return Markup.escape(json.dumps(figure, separators=(",", ":"), allow_nan=False))


def wants_csv(request: Request) -> bool:
    """Tell whether the address asks for the table instead of the page."""
    return request.query_params.get("format") == "csv"


def csv_response(frame: pd.DataFrame, name: str) -> Response:
    """Return a table as a download; `name` is this project's own."""
    text = io.StringIO()
    to_csv(frame, text)
    return Response(
        text.getvalue().encode("utf-8-sig"),
        media_type="text/csv; charset=utf-8",
        headers={"Content-Disposition": f'attachment; filename="{name}.csv"'},
    )
