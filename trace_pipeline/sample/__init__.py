"""Sample traffic: made-up logs of a product-support assistant, with a quality drop planted in it.

The company, its products and its customers do not exist. The same settings always give the same rows, night
by night, so the demo, the tests and a bug report can speak of the same log by its id.
"""

from trace_pipeline.sample.describe import describe
from trace_pipeline.sample.generate import generate, generate_jsonl
from trace_pipeline.sample.settings import SampleSettings

__all__ = ["SampleSettings", "describe", "generate", "generate_jsonl"]
