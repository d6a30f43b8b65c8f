"""How far a scorer can be trusted: agreement with people, corrected rates, weighted samples."""

from trace_core.trust.agreement import Agreement, agreement
from trace_core.trust.corrected import CorrectedRate, Stratum, corrected_rate, labels_to_ask_for
from trace_core.trust.sampling import (
    Room,
    WeightedMean,
    inclusion_probabilities,
    sampling_number,
    weighted_mean,
)

__all__ = [
    "Agreement",
    "CorrectedRate",
    "Room",
    "Stratum",
    "WeightedMean",
    "agreement",
    "corrected_rate",
    "inclusion_probabilities",
    "labels_to_ask_for",
    "sampling_number",
    "weighted_mean",
]
