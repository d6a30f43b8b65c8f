"""Redaction: what must not leave is replaced before a judge is asked. One file a kind of thing."""

from __future__ import annotations

from trace_pipeline.redaction.hook import RedactionFailed, load_hook
from trace_pipeline.redaction.patterns import load_kinds
from trace_pipeline.redaction.redaction import PatternRedaction, Redacted
from trace_pipeline.settings import Settings

__all__ = ["PatternRedaction", "Redacted", "RedactionFailed", "make_redaction"]


def make_redaction(settings: Settings) -> PatternRedaction:
    """Make the redaction of the settings judge.redact and judge.redaction_hook; a `Redaction` for a judge.

    Raises ConfigurationError when the hook cannot be imported, or a package is missing.
    """
    judge = settings.judge
    kinds = load_kinds(judge.redact)
    hook = (judge.redaction_hook, load_hook(judge.redaction_hook)) if judge.redaction_hook else None
    return PatternRedaction(judge.redact, kinds.finders, kinds.version, hook)
