"""anchor: the frozen logs, what the last night said of them, and whether a file of them can be read."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.table import Table
from rich.text import Text

from trace_pipeline.cli.common import DatabaseUrl, console, opened
from trace_pipeline.settings import load_settings

if TYPE_CHECKING:
    from trace_pipeline.anchor.file import Anchor
    from trace_pipeline.anchor.state import ScorerState


def anchor(
    check: Annotated[
        Path | None, typer.Option("--check", help="A file of anchors to check instead.", show_default=False)
    ] = None,
    database_url: DatabaseUrl = None,
) -> None:
    """List the frozen logs that a judge is held against each night, and what the last night said of it."""
    from trace_pipeline.anchor.file import read_anchors

    if check is not None:
        _check(check)
        return
    settings = load_settings()
    _show_set(read_anchors(settings.judge.anchor_file))
    if not settings.judge.anchor:
        _say("The setting judge.anchor is off: they are not asked about.")
    if database_url is None:
        _say("Give --database-url, or set TRACE_RESULTS_URL, to see what the last night said of them.")
        return
    _show_states(database_url)


def _check(path: Path) -> None:
    from trace_pipeline.anchor.file import check_file

    anchors, refused = check_file(path)
    for one in refused:
        _say(f"{path}, {one}")
    if refused:
        _say(f"{len(refused)} lines are no anchor, {len(anchors)} are. The set is refused until all are.")
        raise typer.Exit(1)
    few = " With fewer than 40 a change of ten points is hardly seen." if len(anchors) < 40 else ""
    _say(f"{len(anchors)} anchors.{few}")


def _show_set(anchors: list[Anchor]) -> None:
    table = Table("Anchor", "Language", "Question", "Content", title=f"{len(anchors)} anchors")
    for one in anchors:
        table.add_row(
            *map(Text, (one.anchor_id, one.language or "", one.question[:80], one.content_hash[:8]))
        )
    console.print(table)


def _show_states(database_url: str) -> None:
    from trace_pipeline.anchor.state import read_state
    from trace_pipeline.scorers import VARYING

    with opened(database_url) as pipeline, pipeline.results.connect() as connection:
        names = [name for name in pipeline.settings.scorers if name in VARYING]
        if not names:
            _say("The setting scorers names none that may change by itself: no anchor is asked about.")
        for name in names:
            state = read_state(connection, name)
            if state is None:
                _say(f"{name} has judged no anchor yet, or detect_drift has not looked at it.")
            else:
                _show_state(state)


def _show_state(state: ScorerState) -> None:
    _say(
        f"{state.scorer}, night of {state.night}: {state.state}, it {state.meaning}. "
        f"{state.judged} of {state.due} anchors judged."
        if state.state != "no_data"
        else f"{state.scorer}, night of {state.night}: no_data."
    )
    for text in state.texts:
        _say(f"  {text}")
    for one in state.changed:
        _say(f"  {one.metric}, {one.anchor_id}: {one.question} - {one.response}")


def _say(sentence: str) -> None:
    console.print(sentence, markup=False, highlight=False, soft_wrap=True)
