"""`trace-pipeline doctor`: everything that can be wrong with an installation, each with its remedy."""

from trace_pipeline.doctor.diagnosis import diagnose
from trace_pipeline.doctor.finding import Finding

__all__ = ["Finding", "diagnose"]
