"""explain: one log with its sentences marked, and why."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, cast

import typer
from rich.text import Text

from trace_core import Annotation, BadInput, EvaluationLog, Log, get_scorer, parse_log
from trace_core.errors import ConfigurationError
from trace_core.keys import document_key, response_key
from trace_pipeline.cli.common import DatabaseUrl, SourceUrl, console, opened
from trace_pipeline.context import Pipeline


def explain(
    log_id: Annotated[str, typer.Argument(help="The log's id.")],
    scorer: Annotated[
        str | None, typer.Option(help="Scorer by name; default: the first of the setting scorers.")
    ] = None,
    database_url: DatabaseUrl = None,
    source_url: SourceUrl = None,
) -> None:
    """Show a log's question, documents and response with relevant, used and unsupported sentences marked."""
    with opened(database_url, source_url, scorers=(scorer,) if scorer else None) as pipeline:
        logs = find_logs(pipeline, log_id)
        if not logs:
            raise ConfigurationError(f"There is no log {log_id!r} in the source.")
        for moment, log in logs:
            _show(moment, log, get_scorer(pipeline.settings.scorers[0]).name)


def find_logs(pipeline: Pipeline, log_id: str) -> list[tuple[datetime, Log]]:
    """Return the source's logs of this id, read as the pipeline reads them.

    Raises ConfigurationError with the reason for one that cannot be read.
    """
    found = []
    with pipeline.read_source() as (connection, source):
        for row in source.by_id(connection, log_id):
            try:
                found.append((cast(datetime, row["logged_at"]), parse_log(row, pipeline.limits)))
            except BadInput as refusal:
                raise ConfigurationError(
                    f"The log {log_id!r} of {row['logged_at']} is in quarantine: {refusal}."
                ) from refusal
    return found


def _show(moment: datetime, log: Log, scorer: str) -> None:
    chosen = get_scorer(scorer)
    evaluation = chosen.score(log)
    annotation = evaluation.annotation or Annotation((), ())
    documents, response = chosen.sentences(log)
    console.rule(Text(f"{log.log_id}  {moment:%Y-%m-%d %H:%M} UTC  {dict(log.segments)}"), align="left")
    console.print(Text(f"Question: {log.question}", style="bold"))
    relevant, utilized = set(annotation.relevant_keys), set(annotation.utilized_keys)
    for number, sentences in enumerate(documents):
        console.print(Text(f"\nDocument {number}", style="bold"))
        for position, sentence in enumerate(sentences):
            key = document_key(number, position)
            style = _STYLES[key in relevant, key in utilized]
            mark = ("R" if key in relevant else " ") + ("U" if key in utilized else " ")
            console.print(Text(f"  {mark} {key:>4}  {sentence}", style=style))
    console.print(Text("\nResponse", style="bold"))
    reasons = {entry.key: entry.reason for entry in annotation.support if not entry.supported}
    unsupported = set(annotation.unsupported_keys)
    for position, sentence in enumerate(response):
        key = response_key(position)
        bad = key in unsupported
        console.print(Text(f"  {'!' if bad else ' '}  {key:>4}  {sentence}", style="red" if bad else ""))
        if bad and reasons.get(key):
            console.print(Text(f"            not supported: {reasons[key]}", style="red dim"))
    evaluation_log = EvaluationLog()
    evaluation_log.add_evaluation(evaluation)
    console.print()
    console.print(Text(evaluation_log.render()))
    console.print(
        Text("R = relevant to the question, U = used by the response, ! = not supported.", style="dim")
    )


_STYLES = {(True, True): "green", (True, False): "yellow", (False, True): "cyan", (False, False): "dim"}
