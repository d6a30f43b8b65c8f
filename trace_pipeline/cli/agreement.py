"""agreement: how far each scorer agrees with people, as tables or as JSON."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.table import Column, Table
from rich.text import Text

from trace_core.errors import ConfigurationError
from trace_pipeline.cli.common import DatabaseUrl, console, opened

if TYPE_CHECKING:
    from trace_core.trust import Agreement
    from trace_pipeline.trust import ScorerAgreement

_LANGUAGE = "language"


def agreement(
    from_day: Annotated[
        str | None, typer.Option("--from", help="First day of the answers; default: the first.")
    ] = None,
    to_day: Annotated[str | None, typer.Option("--to", help="Last day; default: the last.")] = None,
    scorer: Annotated[str, typer.Option(help="One scorer by name; default: all.")] = "",
    by: Annotated[
        list[str] | None,
        typer.Option("--by", help="Segment to compare within, may be repeated; default: all and language."),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object a scorer and line.")] = False,
    database_url: DatabaseUrl = None,
) -> None:
    """Hold each scorer's verdicts on adherence against people's labels, with 95 % intervals."""
    from trace_pipeline.trust import agreements

    with opened(database_url) as pipeline:
        bounds = _bounds(from_day, to_day, pipeline.settings.day_time_zone)
        dimensions = by or list(dict.fromkeys((*pipeline.settings.segments, _LANGUAGE)))
        with pipeline.results.connect() as connection:
            found = agreements(connection, *bounds, dimensions, scorer=scorer)
    if as_json:
        for one in found:
            print(json.dumps(to_json(one), ensure_ascii=True))  # noqa: T201
        return
    if not found:
        console.print("No labelled answer: label some on the page Labels, or with trace-pipeline label.")
    for one in found:
        _show(one)


def _bounds(from_day: str | None, to_day: str | None, zone: str) -> tuple[datetime, datetime]:
    from trace_pipeline.window import day_bounds, resolve_window

    start, end = datetime(1970, 1, 2, tzinfo=UTC), datetime(9000, 1, 1, tzinfo=UTC)
    if from_day:
        start = day_bounds(resolve_window(zone, from_day=from_day).first_day, zone)[0]
    if to_day:
        end = day_bounds(resolve_window(zone, from_day=to_day).first_day, zone)[1]
    if end <= start:
        raise ConfigurationError(f"--from {from_day} is after --to {to_day}.")
    return start, end


def to_json(one: ScorerAgreement) -> dict[str, Any]:
    """Return the agreement of a scorer for machines; shares in [0, 1], null where undefined."""
    return {
        "scorer": one.scorer,
        "fingerprint": one.fingerprint,
        "is_newest": one.is_newest,
        **asdict(one.result),
        "stale": one.labels.stale,
        "unsure": one.labels.unsure,
        "drawn": sum(answer.is_drawn for answer in one.labels.answers),
        "people": asdict(one.people) if one.people else None,
        "segments": [
            {"dimension": group.dimension, "value": group.value, "n": group.n}
            | (asdict(group.result) if group.result else {"kappa": None})
            for group in one.groups
        ],
    }


def _show(one: ScorerAgreement) -> None:
    result = one.result
    console.rule(Text(f"{one.scorer} {one.fingerprint}{'' if one.is_newest else ' (earlier version)'}"))
    console.print(
        f"{result.n:,} labelled answers; left out: {one.labels.stale:,} changed since they were labelled, "
        f"{one.labels.unsure:,} without a majority.",
        highlight=False,
    )
    console.print(
        f"Both adherent {result.good_good:,}, both not {result.bad_bad:,}; only the scorer finds "
        f"adherent {result.good_bad:,}, only people {result.bad_good:,}.",
        highlight=False,
    )
    table = Table("", "value", "95 % interval", "says")
    for name, value, interval, says in _figures(result):
        table.add_row(name, _number(value), _interval(interval), says)
    console.print(table)
    _show_reliability(result)
    _show_groups(one)
    if one.people:
        console.print(
            f"People with each other: kappa {_number(one.people.kappa)} "
            f"({_interval(one.people.kappa_interval)}), {one.people.n:,} pairs of verdicts.",
            highlight=False,
        )


def _figures(
    result: Agreement,
) -> Iterator[tuple[str, float | None, tuple[float, float] | None, str]]:
    yield "kappa", result.kappa, result.kappa_interval, "agreement beyond chance, 1 at most"
    yield "AUROC", result.auroc, result.auroc_interval, "a worse answer has the lower probability"
    sensitivity = "share of the bad answers that the scorer finds"
    yield "sensitivity", result.sensitivity, result.sensitivity_interval, sensitivity
    specificity = "share of the good answers that it leaves alone"
    yield "specificity", result.specificity, result.specificity_interval, specificity
    yield "Brier", result.brier, None, "mean squared error of the probability, 0 at best"


def _show_reliability(result: Agreement) -> None:
    if not result.reliability:
        return
    table = Table("probability", "answers", "mean probability", "share adherent")
    for low, high, n, mean, share in result.reliability:
        table.add_row(f"{low:.1f} to {high:.1f}", f"{n:,}", f"{mean:.3f}", f"{share:.3f}")
    console.print(table)


def _show_groups(one: ScorerAgreement) -> None:
    from trace_pipeline.trust.agreement import LEAST_LABELS

    known = [(group, group.result) for group in one.groups if group.result]
    if known:
        table = Table(
            Column("segment", no_wrap=True),
            "n",
            "kappa",
            "95 % interval",
            "sensitivity",
            "specificity",
            "AUROC",
        )
        for group, result in known:
            table.add_row(
                Text(f"{group.dimension} = {group.value}"),
                f"{group.n:,}",
                _number(result.kappa),
                _interval(result.kappa_interval),
                _number(result.sensitivity),
                _number(result.specificity),
                _number(result.auroc),
            )
        console.print(table)
    few = len(one.groups) - len(known)
    if few:
        words = "value has" if few == 1 else "values have"
        console.print(f"{few:,} segment {words} fewer than {LEAST_LABELS} labelled answers.", highlight=False)


def _number(value: float | None) -> str:
    return "undefined" if value is None else f"{value:.3f}"


def _interval(interval: tuple[float, float] | None) -> str:
    return "" if interval is None else f"{interval[0]:.3f} to {interval[1]:.3f}"
