"""The scorer `nli` of some settings; what it needs is imported only here."""

from __future__ import annotations

from trace_core.errors import ConfigurationError
from trace_core.scorers import Scorer
from trace_pipeline.judge_settings import NliSettings
from trace_pipeline.nli.folder import open_folder


def make_nli_scorer(settings: NliSettings) -> Scorer:
    """Load the model. ConfigurationError, naming the setting or file, where something is missing."""
    folder = open_folder(settings.model_folder)
    try:
        from trace_pipeline.nli.model import NliModel
        from trace_pipeline.nli.scorer import NliScorer
    except ImportError as error:
        raise ConfigurationError(
            "setting 'scorers': nli needs onnxruntime and tokenizers; pip install 'trace-nightly[nli]' "
            f"(missing: {error.name})"
        ) from error
    return NliScorer(NliModel(folder, settings), settings)
