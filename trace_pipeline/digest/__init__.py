"""The weekly digest: what the nights of a week say, in one calm message."""

from trace_pipeline.digest.facts import DigestFacts, load_facts
from trace_pipeline.digest.message import render_digest
from trace_pipeline.digest.period import Period, last_weeks

__all__ = ["DigestFacts", "Period", "last_weeks", "load_facts", "render_digest"]
