"""The made-up knowledge base and everything that can be said about it, worked out once a process.

For each question the retrievals, answers and refusals are built ahead, so that a generated log costs a few
draws and no text work. Nothing here depends on the seed: the texts are the same in every run.
"""

import random
import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from itertools import permutations, product
from typing import Any

LANGUAGES = ("en", "de", "ja")
KINDS = ("grounded", "half", "invented", "refusal")
_PACKAGE = "trace_pipeline.sample.corpus"
_WITH_ANSWER, _WITHOUT_ANSWER = 8, 4  # retrievals a question
_MAX_ANSWERS = 24  # answers a question and kind


@dataclass(frozen=True, slots=True)
class Page:
    """A document of the knowledge base; pages of one group are about neighbouring things."""

    id: str
    group: str
    topic: str
    text: str


@dataclass(frozen=True, slots=True)
class Question:
    """A question with all its wordings, retrievals and answers.

    ``retrieved`` and ``missed`` hold lists of pages with and without the one that answers; ``answers`` maps a
    kind of KINDS to the possible responses.
    """

    id: str
    language: str
    page: Page
    wordings: tuple[str, ...]
    ground_truth: str
    retrieved: tuple[tuple[Page, ...], ...]
    missed: tuple[tuple[Page, ...], ...]
    answers: dict[str, tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class _Language:
    code: str
    joiner: str
    refusals: tuple[str, ...]
    pages: tuple[tuple[Page, tuple[dict[str, Any], ...]], ...]


@lru_cache(maxsize=1)
def questions() -> dict[str, tuple[Question, ...]]:
    """All questions by language."""
    return {code: tuple(_questions(_read(code))) for code in LANGUAGES}


def pages(language: str) -> tuple[Page, ...]:
    """All documents of a language."""
    return tuple(page for page, _ in _read(language).pages)


def fixed_random(*parts: object) -> random.Random:
    """A generator that depends on the given parts alone, the same in every process and Python version."""
    return random.Random(":".join(map(str, parts)))  # noqa: S311 - sample data, not secrets


@lru_cache(maxsize=len(LANGUAGES))
def _read(code: str) -> _Language:
    folder = files(_PACKAGE) / code
    about = tomllib.loads((folder / "language.toml").read_text("utf-8"))
    found = []
    names = sorted(entry.name for entry in folder.iterdir() if entry.name.endswith(".toml"))
    for name in names:
        if name == "language.toml":
            continue
        for raw in tomllib.loads((folder / name).read_text("utf-8"))["document"]:
            text = about["joiner"].join(raw["text"].strip().splitlines())
            found.append((Page(f"{code}/{raw['id']}", name, raw["topic"], text), tuple(raw["question"])))
    return _Language(code, about["joiner"], tuple(about["refusals"]), tuple(found))


def _questions(language: _Language) -> Iterator[Question]:
    every = [page for page, _ in language.pages]
    for page, raw_questions in language.pages:
        for number, raw in enumerate(raw_questions, start=1):
            question_id = f"{page.id}/{number}"
            chance = fixed_random("retrieval", question_id)
            right: list[list[str]] = raw["right"]
            yield Question(
                id=question_id,
                language=language.code,
                page=page,
                wordings=tuple(raw["ask"]),
                ground_truth=raw.get("truth") or language.joiner.join(s[0] for s in right[:2]),
                retrieved=tuple(_retrieval(chance, page, every, True) for _ in range(_WITH_ANSWER)),
                missed=tuple(_retrieval(chance, page, every, False) for _ in range(_WITHOUT_ANSWER)),
                answers=_answers(language, page, right, raw["wrong"], chance),
            )


def _retrieval(chance: random.Random, page: Page, every: Sequence[Page], hit: bool) -> tuple[Page, ...]:
    """Three to five pages: neighbours of its group first, then strangers, as a vector search gives them."""
    others = [other for other in every if other is not page]
    chance.shuffle(others)
    near = [other for other in others if other.group == page.group][: chance.randrange(3)]
    far = [other for other in others if other.group != page.group]
    size = 3 + chance.randrange(3)
    found = [*near, *far][: size - hit]
    if hit:
        found.insert(min(chance.choice((0, 0, 0, 1, 1, 2)), len(found)), page)
    return tuple(found)


def _answers(
    language: _Language, page: Page, right: list[list[str]], wrong: list[str], chance: random.Random
) -> dict[str, tuple[str, ...]]:
    # Wordings of the first sentence, of the first two, and so on: answers of every length.
    openings = [list(product(*right[:length])) for length in range(1, len(right) + 1)]
    grounded = [said for opening in openings for said in opening]
    half = [(*said, slip) for opening in openings[:2] for said in opening for slip in wrong]
    half += [(said[0], slip, *said[1:]) for said in openings[-1] if len(said) > 1 for slip in wrong]
    invented = [said for length in (1, 2) for said in permutations(wrong, length)]
    refusals: list[tuple[str, ...]] = [(template.format(topic=page.topic),) for template in language.refusals]
    found: dict[str, list[tuple[str, ...]]] = {
        "grounded": grounded,
        "half": half,
        "invented": invented,
        "refusal": refusals,
    }
    answers = {}
    for kind, sentences in found.items():
        texts = list(dict.fromkeys(language.joiner.join(said) for said in sentences))
        chance.shuffle(texts)
        answers[kind] = tuple(texts[:_MAX_ANSWERS])
    return answers
