"""What one response sentence is held against, and what the model's verdicts say of it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

from trace_core.keys import document_key
from trace_core.words import words
from trace_pipeline.nli.model import NliModel, Verdict
from trace_pipeline.nli.pairs import Pair

#: Raise it when a rule of this module changes a value.
EVIDENCE_RULES: Final = "evidence-1"
#: From here a contradiction is mentioned.
_CONTRADICTED: Final = 0.5

Verdicts = Mapping[Pair, Verdict]


class Places:
    """Where the sentences of a log's documents stand; a text that stands in several places is one premise."""

    def __init__(self, documents: Sequence[Sequence[str]]) -> None:
        self._found: dict[str, list[tuple[int, int]]] = {}
        for document, sentences in enumerate(documents):
            for sentence, text in enumerate(sentences):
                self._found.setdefault(text, []).append((document, sentence))

    def keys(self, text: str) -> list[str]:
        """Return the keys of a text."""
        return [document_key(*place) for place in self._found[text]]

    def in_order(self, first: str, second: str) -> tuple[str, str]:
        """Return two texts as they follow each other in a document; of two documents, as they are given."""
        turned = any(a[0] == b[0] and b[1] < a[1] for a in self._found[first] for b in self._found[second])
        return (second, first) if turned else (first, second)


class Finding(NamedTuple):
    """What was found of a response sentence.

    probability: of being supported, in [0, 1]. texts: the document sentences that entail it.
    """

    probability: float
    is_supported: bool
    texts: tuple[str, ...]
    reason: str


@dataclass(frozen=True, slots=True)
class Claim:
    """A response sentence, in parts that fit into a pair, and the premises that it is held against.

    singles: document sentences, nearest first. joined: the two nearest together, as one premise.
    """

    parts: tuple[str, ...]
    singles: tuple[str, ...]
    joined: tuple[str, str] | None

    @classmethod
    def of(cls, sentence: str, nearest: Sequence[str], places: Places, model: NliModel) -> Claim:
        """Prepare a sentence; one without any word claims nothing, and has no parts."""
        parts = model.parts(sentence) if words(sentence) else ()
        joined = places.in_order(*nearest[:2]) if len(nearest) > 1 else None
        return cls(parts, tuple(nearest), joined)

    def pairs(self) -> Iterator[Pair]:
        """Yield what the model is asked."""
        for part in self.parts:
            for premise in self.singles:
                yield Pair(premise, part)
            if self.joined:
                yield Pair(" ".join(self.joined), part)

    def judged(self, verdicts: Verdicts, threshold: float, places: Places) -> Finding:
        """Return what the verdicts say: supported when each part is entailed by some premise."""
        if not self.parts:
            return Finding(1.0, True, (), "holds no word to look for")
        probability = min(self._best(part, verdicts) for part in self.parts)
        if probability < threshold:
            against = self._contradiction(verdicts, places)
            return Finding(
                probability, False, (), f"entailed with probability {probability:.4f} at most{against}"
            )
        used = [self._alone(part, verdicts, threshold) for part in self.parts]
        together = "" if all(used) else " by two document sentences together"
        texts = dict.fromkeys(text for alone in used for text in alone or self.joined or ())
        return Finding(
            probability, True, tuple(texts), f"entailed with probability {probability:.4f}{together}"
        )

    def _best(self, part: str, verdicts: Verdicts) -> float:
        joined = [Pair(" ".join(self.joined), part)] if self.joined else []
        pairs = [*(Pair(premise, part) for premise in self.singles), *joined]
        return max(verdicts[pair].entailment for pair in pairs)

    def _alone(self, part: str, verdicts: Verdicts, threshold: float) -> list[str]:
        """Return the single sentences that entail a part, surest first."""
        sure = [(verdicts[Pair(text, part)].entailment, text) for text in self.singles]
        return [text for chance, text in sorted(sure, key=lambda one: -one[0]) if chance >= threshold]

    def _contradiction(self, verdicts: Verdicts, places: Places) -> str:
        """Return a clause about the single sentence that contradicts most clearly, if one does."""
        found = [
            (chance, text)
            for part in self.parts
            for text in self.singles
            if (chance := verdicts[Pair(text, part)].contradiction) is not None and chance >= _CONTRADICTED
        ]
        if not found:
            return ""
        chance, text = max(found, key=lambda one: one[0])
        return f"; contradicted by {places.keys(text)[0]} with probability {chance:.4f}"
