"""Support entries: verdict, sources and missing words of each response sentence of one log."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from trace_core.annotation import SentenceSupport
from trace_core.keys import document_key, response_key
from trace_core.words import words

MAX_SUPPORTING: Final = 3
SUPPORTING_SHARE: Final = 0.3  # of a response sentence
SUPPORTING_OF_BEST: Final = 0.6  # of what the best document sentence holds
_MAX_MISSING: Final = 8
_MAX_WORD_SHOWN: Final = 40


@dataclass(frozen=True, slots=True)
class SupportFacts:
    """What is known of each response sentence of a log: probability, number of words, and the shares and
    keys of the document sentences nearest to it; of each response word, whether it is content and held."""

    probabilities: list[float]
    sizes: list[int]
    shares: list[list[float]]
    keys: list[list[str]]
    content: list[bool]
    held: list[bool]


def support_entries(facts: SupportFacts, texts: Sequence[str], threshold: float) -> list[SentenceSupport]:
    """One entry a response sentence."""
    entries, start = [], 0
    rows = zip(texts, facts.probabilities, facts.sizes, facts.shares, facts.keys, strict=True)
    for i, (text, probability, size, shares, keys) in enumerate(rows):
        end = start + size
        own = [at for at in range(start, end) if facts.content[at]] or range(start, end)
        missing = [at - start for at in own if not facts.held[at]]
        least = max(SUPPORTING_SHARE, SUPPORTING_OF_BEST * shares[0])
        sources = tuple([key for key, share in zip(keys, shares, strict=True) if share >= least])
        reason = _reason(text, len(own), missing)
        entries.append(
            SentenceSupport(response_key(i), probability >= threshold, round(probability, 6), sources, reason)
        )
        start = end
    return entries


def keys_of(sizes: Sequence[int]) -> list[str]:
    """The keys of all document sentences."""
    return [document_key(document, s) for document, size in enumerate(sizes) for s in range(size)]


def _reason(sentence: str, total: int, missing: list[int]) -> str:
    if not total:
        return "holds no word to look for"
    reason = f"{total - len(missing)} of {total} content words occur in the documents"
    if missing:
        said = words(sentence)
        shown = dict.fromkeys([said[at][:_MAX_WORD_SHOWN] for at in missing])
        reason += "; missing: " + ", ".join(list(shown)[:_MAX_MISSING])
    return reason
