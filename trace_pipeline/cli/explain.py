"""explain: one log with its sentences marked, and why."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Annotated, cast

import typer
from rich.table import Table
from rich.text import Text

from trace_core import Annotation, BadInput, Evaluation, EvaluationLog, Log, get_scorer, parse_log
from trace_core.annotation import SentenceSupport
from trace_core.errors import ConfigurationError
from trace_core.keys import document_key, response_key
from trace_core.refusals import is_refusal_sentence
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
            show_log(moment, log, pipeline.settings.scorers[0])


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


def show_log(moment: datetime, log: Log, scorer: str) -> None:
    """Print a log with its sentences marked by a scorer, and why."""
    chosen = get_scorer(scorer)
    evaluation = chosen.score(log)
    annotation = evaluation.annotation or Annotation((), ())
    documents, response = chosen.sentences(log)
    console.rule(Text(f"{log.log_id}  {moment:%Y-%m-%d %H:%M} UTC"), align="left")
    about = [f"{name}={value}" for name, value in log.segments.items()]
    console.print(Text(", ".join([*about, f"scorer {chosen.name} {chosen.fingerprint}"]), style="dim"))
    console.print(_LEGEND)
    console.print(Text(f"\nQuestion: {log.question}", style="bold"))
    relevant, utilized = set(annotation.relevant_keys), set(annotation.utilized_keys)
    if not documents:
        console.print(Text("\nNo document was retrieved.", style="bold"))
    for number, sentences in enumerate(documents):
        console.print(Text(f"\nDocument {number}", style="bold"))
        lines = _lines()
        for position, sentence in enumerate(sentences):
            key = document_key(number, position)
            style = _STYLES[key in relevant, key in utilized]
            mark = ("R" if key in relevant else " ") + ("U" if key in utilized else " ")
            lines.add_row(Text(mark, style), Text(key, style), Text(sentence, style))
        console.print(lines)
    console.print(Text(f"\nResponse{_KINDS.get(evaluation.response_kind, '')}", style="bold"))
    console.print(_response(response, annotation, evaluation.response_kind))
    console.print()
    console.print(Text(_log_of(evaluation)))


def _response(sentences: Sequence[str], annotation: Annotation, kind: str) -> Table:
    support = {entry.key: entry for entry in annotation.support}
    unsupported = set(annotation.unsupported_keys)
    lines = _lines()
    for position, sentence in enumerate(sentences):
        key = response_key(position)
        bad = key in unsupported
        style = "red" if bad else ""
        lines.add_row(Text("!" if bad else "", style), Text(key, style), Text(sentence, style))
        if not bad and kind == "refusal" and is_refusal_sentence(sentence):
            lines.add_row("", "", Text(_DECLINES, style="dim"))
        elif key in support:
            lines.add_row("", "", Text(_why(support[key], bad), style="red dim" if bad else "dim"))
    return lines


def _why(entry: SentenceSupport, bad: bool) -> str:
    """Say in plain words why a response sentence counts as supported or not."""
    percent = None if entry.probability is None else f"{100 * entry.probability:.0f} % likely"
    if bad:
        sure = f" ({percent} to be supported)" if percent else ""
        apart = "" if "missing" in entry.reason else ", but not together as they are said here"
        return f"Not supported{sure}: {entry.reason}{apart}."
    sources = f" by {', '.join(entry.supporting_keys)}" if entry.supporting_keys else ""
    return f"Supported{sources}{f' ({percent})' if percent else ''}: {entry.reason}."


def _lines() -> Table:
    """Return a table of mark, key and text, so that long sentences wrap below themselves."""
    lines = Table.grid(padding=(0, 1))
    lines.add_column(width=4, justify="right")
    lines.add_column(min_width=4)
    lines.add_column()
    return lines


def _log_of(evaluation: Evaluation) -> str:
    """Return the evaluation log without the reasons that stand below the sentences already."""
    whole, shown = EvaluationLog(), EvaluationLog()
    whole.add_evaluation(evaluation)
    shown.add("\n".join(line for line in whole.lines if not line.startswith("  sentence ")))
    return shown.render()


_STYLES = {(True, True): "green", (True, False): "yellow", (False, True): "cyan", (False, False): "dim"}
_KINDS = {"refusal": " (declines to answer)", "empty": " (empty)"}
_DECLINES = "Declines to answer: it claims nothing that the documents would have to support."
_LEGEND = Text.assemble(
    ("R", "yellow"),
    " relevant to the question, ",
    ("U", "cyan"),
    " used by the response, ",
    ("RU", "green"),
    " both, ",
    ("!", "red"),
    " not supported by the documents",
)
