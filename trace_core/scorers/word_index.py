"""An index of the words of a question and a response, against which documents are read once.

Only words of the question and the response can matter, so document words are looked up in this small index
instead of being indexed themselves: the cost of a document is one set intersection a sentence.
"""

from collections.abc import Sequence
from typing import Final

Place = tuple[int, int]  # document, sentence

#: Sentences of a response that single document sentences are compared with; the cost grows with both numbers.
_MAX_COMPARED: Final = 512


class WordIndex:
    """Counts, document by document, how many content words of each unit occur.

    Unit 0 is the question, unit i + 1 the response sentence i. A unit is held by a text with at
    least half of its content words.
    """

    def __init__(
        self, question: Sequence[str], response: Sequence[Sequence[str]], stop_words: frozenset[str]
    ) -> None:
        self.stop_words = stop_words
        self.document_words: set[str] = set()
        self.relevant_documents = 0
        self.utilized_documents = 0
        self.relevant_sentences: list[Place] = []
        self.utilized_sentences: list[Place] = []
        self._vocabulary = frozenset(question).union(*response)
        self._sizes: list[int] = []
        self._units_of: dict[str, list[int]] = {}
        self._unit_at: list[int] = []  # position in the response -> unit
        self._held_by: dict[frozenset[str], tuple[int, ...]] = {}
        self._sentences_holding: dict[int, list[Place]] = {}
        self._documents = 0
        self._fewest = 1  # distinct words a text must share with a unit to hold any
        self._add_units([question, *response])
        self._content = frozenset(self._units_of)

    def _add_units(self, texts: Sequence[Sequence[str]]) -> None:
        """Index the content words; a sentence said twice is one unit, so that repetition costs nothing."""
        known: dict[tuple[str, ...], int] = {}
        needed: list[int] = []
        for position, text in enumerate(texts):
            content = [word for word in text if word not in self.stop_words] or text
            key = tuple(content) if position else ("\x00question",)
            if key not in known:
                unit = known[key] = len(self._sizes)
                self._sizes.append(len(content))
                needed.append((len(content) + 1) // 2 if len(set(content)) == len(content) else 1)
                for word in content:
                    self._units_of.setdefault(word, []).append(unit)
            if position:
                self._unit_at.append(known[key])
        self._fewest = max(1, min((n for n in needed if n), default=1))

    def add_document(self, sentences: Sequence[Sequence[str]]) -> None:
        """Read the next document, given as the words of its sentences."""
        held: set[str] = set()
        for i, sentence in enumerate(sentences):
            self.document_words |= self._vocabulary.intersection(sentence)
            hits = self._content.intersection(sentence)
            if hits:
                held |= hits
                if len(hits) >= self._fewest:
                    self._add_sentence((self._documents, i), hits)
        units = self._units_held(held, len(self._sizes))
        self.relevant_documents += 0 in units
        self.utilized_documents += any(unit > 0 for unit in units)
        self._documents += 1

    def _add_sentence(self, place: Place, hits: frozenset[str]) -> None:
        units = self._held_by.get(hits)
        if units is None:
            units = self._held_by[hits] = self._units_held(hits, _MAX_COMPARED)
        if not units:
            return
        if units[0] == 0:
            self.relevant_sentences.append(place)
        if units[-1] > 0:
            self.utilized_sentences.append(place)
        for unit in units:
            self._sentences_holding.setdefault(unit, []).append(place)

    def _units_held(self, hits: frozenset[str] | set[str], limit: int) -> tuple[int, ...]:
        counts: dict[int, int] = {}
        units_of = self._units_of
        for word in hits:
            if word in units_of:
                for unit in units_of[word]:
                    if unit > limit:
                        break
                    counts[unit] = counts.get(unit, 0) + 1
        sizes = self._sizes
        return tuple(sorted([unit for unit, count in counts.items() if 2 * count >= sizes[unit]]))

    def supporting_sentences(self, position: int) -> Sequence[Place]:
        """Document sentences that hold at least half of the content words of a response sentence."""
        return self._sentences_holding.get(self._unit_at[position], ())
