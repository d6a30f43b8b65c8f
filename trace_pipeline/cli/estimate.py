"""estimate: what a judge would cost over some days, before it is asked."""

from __future__ import annotations

from math import inf
from typing import TYPE_CHECKING, Annotated

import typer

from trace_core.errors import ConfigurationError
from trace_pipeline.cli.common import DatabaseUrl, SourceUrl, console, opened
from trace_pipeline.window import resolve_window

if TYPE_CHECKING:
    from trace_pipeline.estimate import Cost, Estimate

_UNKNOWN = (
    "Not known beforehand: calls that are repeated, answers that are kept already, logs that are still "
    "to come, and how long answers are: at most judge.answer_tokens each."
)


def estimate(
    from_day: Annotated[str, typer.Option("--from", help="First day, such as 2026-11-30.")],
    to_day: Annotated[str | None, typer.Option("--to", help="Last day; default: the same day.")] = None,
    scorer: Annotated[
        str | None, typer.Option(help="judge or hybrid; default: the first of these in the setting scorers.")
    ] = None,
    database_url: DatabaseUrl = None,
    source_url: SourceUrl = None,
) -> None:
    """Say what a judge would cost over some days, beside the night's budget. Asks and writes nothing."""
    from trace_pipeline import estimate as estimates

    with opened(database_url, source_url) as pipeline:
        settings = pipeline.settings
        window = resolve_window(settings.day_time_zone, from_day=from_day, to_day=to_day)
        name = scorer or next((name for name in settings.scorers if name in ("judge", "hybrid")), None)
        if name is None:
            raise ConfigurationError("The setting scorers names no judge: give --scorer judge or hybrid.")
        found = estimates.estimate(pipeline, window, name)
        priced = bool(
            settings.judge.price_per_million_input_tokens or settings.judge.price_per_million_output_tokens
        )
    console.print(f"{name}, {window.first_day} to {window.last_day}:", highlight=False)
    for line in (*_rows(found), *_costs(found, priced=priced), *_budget(found), _UNKNOWN):
        console.print(line, highlight=False, markup=False, soft_wrap=True)


def _rows(found: Estimate) -> list[str]:
    due, (turn, low, high) = found.due, found.turn
    lines = [f"{due.rows:,} rows in the source, {due.due:,} of them due, {due.owed:,} of these owed already."]
    if found.unknown:
        lines.append(f"All count as due, as the scorer's version is not known: {found.unknown.rstrip('.')}.")
    if len(due.sample) == due.due:
        lines.append(f"{turn:.1%} of the due rows are the judge's turn; all were looked into.")
    else:
        lines.append(
            f"{turn:.1%} of the due rows are the judge's turn (95 %: {low:.1%} to {high:.1%}), "
            f"by a sample of {len(due.sample):,}."
        )
    asked, least, most = found.asked
    about = "" if least == most else f" ({least:,.0f} to {most:,.0f})"
    lines.append(f"It would be asked about {asked:,.0f} rows{about}.")
    return lines


def _costs(found: Estimate, *, priced: bool) -> list[str]:
    lines = [f"At most {_cost(found.most, priced=priced)}."]
    if found.likely is not None:
        lines.append(f"As answered calls went of late {_cost(found.likely, priced=priced)}.")
    return lines


def _cost(cost: Cost, *, priced: bool) -> str:
    money = f"{cost.money:,.2f} of money" if priced else "no price is set"
    tokens = f"{cost.input_tokens:,.0f} tokens sent, {cost.output_tokens:,.0f} answered"
    return f"{cost.calls:,.0f} calls, {tokens}, {money}"


def _budget(found: Estimate) -> list[str]:
    said = [_limit(name, found.left[name], most) for name, most in found.limits.items()]
    asked, within = found.asked[0], found.within
    lines = [f"A run has one night's budget, that of its last day: {'; '.join(said)}."]
    if within >= asked:
        lines.append("It has room for all of them; nothing stays owed.")
    else:
        lines.append(
            f"It has room for {within:,.0f} of them. {asked - within - found.stays_owed:,.0f} are left out, "
            f"the others standing for them; {found.stays_owed:,.0f} stay owed."
        )
    return lines


def _limit(name: str, left: float, most: float) -> str:
    if most == inf:
        return f"{name} without limit"
    digits = 2 if name == "money" else 0
    return f"{name} {left:,.{digits}f} left of {most:,.{digits}f}"
