"""A cross-encoder on onnxruntime: pairs in, probabilities of entailment and contradiction out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple

import numpy as np
import onnxruntime
import tokenizers
from numpy.typing import NDArray

from trace_core.errors import ConfigurationError
from trace_core.scorers.base import JSON
from trace_pipeline.judge_settings import NliSettings
from trace_pipeline.nli.folder import MODEL, TOKENIZER, ModelFolder
from trace_pipeline.nli.pairs import PAIR_RULES, Batch, Pair, PairTokenizer, first_line

Floats = NDArray[np.float64]

#: Digits that are kept of a probability. Single precision is not associative: the last digits of a float
#: depend on the other rows of a batch, and on the threads.
DIGITS: Final = 4
PROVIDER: Final = "CPUExecutionProvider"
_TYPES: Final[Mapping[str, type[np.integer[Any]]]] = {"tensor(int64)": np.int64, "tensor(int32)": np.int32}
_REQUIRED: Final = frozenset(("input_ids", "attention_mask"))
_KNOWN: Final = frozenset((*_REQUIRED, "token_type_ids"))
#: Pairs that a model must be able to read; their lengths differ, so that a fixed shape is noticed.
_PROBES: Final = (Pair("It rains today.", "It rains."), Pair("The shop opens at nine in the morning.", "No."))
#: A pair that any model calls entailed, and one that none does.
_CERTAIN: Final = (
    Pair("The warranty lasts two years.", "The warranty lasts two years."),
    Pair("The warranty lasts two years.", "Elephants sing loudly at night."),
)


class Verdict(NamedTuple):
    """Probabilities in [0, 1]; contradiction None where the model has no such label."""

    entailment: float
    contradiction: float | None


class NliModel:
    """A model and its tokenizer, loaded from a folder and tried once.

    ConfigurationError, naming the file, where the model cannot be loaded, wants other inputs, or answers
    otherwise than config.json says. Safe to use from several threads.
    """

    def __init__(self, folder: ModelFolder, settings: NliSettings) -> None:
        self._folder = folder
        self._path = folder.path / MODEL
        self._batch_pairs = settings.batch_pairs
        self.max_tokens = min(settings.max_tokens, folder.position_limit or settings.max_tokens)
        self._tokenizer = PairTokenizer(folder.path / TOKENIZER, self.max_tokens, folder.pad_id)
        self._session = self._load(settings.threads)
        self._inputs = self._input_types()
        self._output = self._output_name()
        try:
            self.judge(_PROBES)
        except ConfigurationError:
            raise
        except Exception as error:
            raise ConfigurationError(
                f"{self._path}: cannot read a pair of sentences: {first_line(error)}"
            ) from error

    @property
    def parameters(self) -> Mapping[str, JSON]:
        """All of the model that can change a value: batch size and threads change none that is kept."""
        return {
            "files": dict(self._folder.hashes),
            "labels": list(self._folder.labels.names),
            "pad": self._tokenizer.pad_id,
            "max_tokens": self.max_tokens,
            "pairs": PAIR_RULES,
            "digits": DIGITS,
            "runtime": f"onnxruntime {onnxruntime.__version__} {PROVIDER}",
            "tokenizers": tokenizers.__version__,
        }

    def parts(self, hypothesis: str) -> tuple[str, ...]:
        """Part a hypothesis that is too long for a pair."""
        return self._tokenizer.parts(hypothesis)

    def judge(self, pairs: Sequence[Pair]) -> list[Verdict]:
        """Judge pairs, in their order. ValueError where the model's numbers are none."""
        verdicts: list[Verdict | None] = [None] * len(pairs)
        for batch in self._tokenizer.batches(pairs, self._batch_pairs):
            for place, row in zip(batch.places, self._probabilities(batch), strict=True):
                verdicts[place] = self._verdict(row)
        return [verdict for verdict in verdicts if verdict is not None]

    def tells_sense_from_nonsense(self) -> bool:
        """Tell whether a sentence follows from itself and an unrelated one does not."""
        same, other = self.judge(_CERTAIN)
        return same.entailment > 0.5 > other.entailment

    def _verdict(self, row: Floats) -> Verdict:
        labels = self._folder.labels
        contradiction = None if labels.contradiction is None else float(row[labels.contradiction])
        return Verdict(float(row[labels.entailment]), contradiction)

    def _probabilities(self, batch: Batch) -> Floats:
        given = {name: getattr(batch, name).astype(kind) for name, kind in self._inputs.items()}
        (logits,) = self._session.run([self._output], given)
        values = np.asarray(logits, dtype=np.float64)
        expected = (len(batch.places), len(self._folder.labels.names))
        if values.shape != expected:
            shape = " x ".join(map(str, values.shape))
            raise ConfigurationError(
                f"{self._path}: gives {shape} numbers for {expected[0]} pairs, where "
                f"config.json names {expected[1]} labels; give id2label an entry for each output"
            )
        if not np.isfinite(values).all():
            raise ValueError("the model gives numbers that are none")
        if expected[1] == 1:
            return np.round(1.0 / (1.0 + np.exp(-np.clip(values, -500, 500))), DIGITS)
        powers = np.exp(values - values.max(axis=1, keepdims=True))
        shares: Floats = np.round(powers / powers.sum(axis=1, keepdims=True), DIGITS)
        return shares

    def _load(self, threads: int) -> Any:
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = threads
        options.inter_op_num_threads = 1
        options.use_deterministic_compute = True
        options.log_severity_level = 4  # what goes wrong is told by the errors
        # Threads that wait would take the cores of the tasks beside this one.
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")
        try:
            return onnxruntime.InferenceSession(str(self._path), options, providers=[PROVIDER])
        except Exception as error:  # the runtime's errors have no root of their own
            raise ConfigurationError(
                f"{self._path}: onnxruntime cannot load it: {first_line(error)}"
            ) from error

    def _input_types(self) -> dict[str, type[np.integer[Any]]]:
        found = {node.name: node.type for node in self._session.get_inputs()}
        if not _REQUIRED <= set(found) <= _KNOWN:
            raise ConfigurationError(
                f"{self._path}: takes {', '.join(sorted(found)) or 'nothing'}; a sequence classifier takes "
                "input_ids, attention_mask and perhaps token_type_ids"
            )
        for name, kind in found.items():
            if kind not in _TYPES:
                raise ConfigurationError(f"{self._path}: {name} is {kind}; whole numbers are wanted")
        return {name: _TYPES[kind] for name, kind in found.items()}

    def _output_name(self) -> str:
        names = [node.name for node in self._session.get_outputs()]
        if len(names) > 1 and "logits" not in names:
            raise ConfigurationError(
                f"{self._path}: none of its outputs {', '.join(names)} is called logits; export it with "
                "--task text-classification"
            )
        return "logits" if "logits" in names else str(names[0])
