"""The model: pairs become tokens of the right kind and number, and verdicts do not depend on the batch."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from onnx import TensorProto

from tests.nli_model import NLI_LABELS, WORDS, make_folder
from trace_core.errors import ConfigurationError
from trace_pipeline.judge_settings import NliSettings
from trace_pipeline.nli.folder import open_folder
from trace_pipeline.nli.model import NliModel, Verdict
from trace_pipeline.nli.pairs import Batch, Pair, PairTokenizer

SENTENCES = st.lists(st.sampled_from([w for w in WORDS if w != "not"]), min_size=1, max_size=30).map(" ".join)
PAIRS = st.lists(st.builds(Pair, SENTENCES, SENTENCES), min_size=1, max_size=12)


def load(folder: Path, **options: Any) -> NliModel:
    """Load the model of a folder."""
    return NliModel(open_folder(str(folder)), NliSettings(model_folder=str(folder), **options))


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The tiny model's folder."""
    return make_folder(tmp_path_factory.mktemp("nli"))


@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(PAIRS)
def test_a_verdict_is_what_the_model_computes(tiny: Path, pairs: list[Pair]) -> None:
    """Entailed if and only if all words of the hypothesis are in the premise, whatever stands beside it."""
    for pair, verdict in zip(pairs, shared(tiny, 4).judge(pairs), strict=True):
        assert (verdict.entailment > 0.5) == (set(pair.hypothesis.split()) <= set(pair.premise.split()))


_SHARED: dict[int, NliModel] = {}


def shared(folder: Path, batch_pairs: int) -> NliModel:
    """Return the tiny model with a size of batches, loaded once."""
    return _SHARED.setdefault(batch_pairs, load(folder, batch_pairs=batch_pairs))


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(PAIRS, st.randoms())
def test_verdicts_are_the_same_for_any_batch_and_order(tiny: Path, pairs: list[Pair], random: Any) -> None:
    """One at a time, some, or all together; shuffled or not."""
    expected = shared(tiny, 1).judge(pairs)
    mixed = list(range(len(pairs)))
    random.shuffle(mixed)
    for size in (1, 2, 3, 32):
        assert shared(tiny, size).judge(pairs) == expected
        found = shared(tiny, size).judge([pairs[at] for at in mixed])
        assert found == [expected[at] for at in mixed]


@pytest.mark.parametrize("whole", [TensorProto.INT64, TensorProto.INT32])
@pytest.mark.parametrize(
    "inputs",
    [("input_ids", "attention_mask"), ("token_type_ids", "attention_mask", "input_ids")],
)
def test_models_take_their_tokens_as_they_declare_them(
    tmp_path: Path, whole: int, inputs: tuple[str, ...]
) -> None:
    """Whole numbers of 32 or 64 bits, with the numbers of the two texts or without."""
    model = load(make_folder(tmp_path, whole=whole, inputs=inputs))
    yes, no = model.judge([Pair("Cats eat fish.", "Cats eat fish."), Pair("Cats eat fish.", "Dogs eat.")])
    assert yes.entailment > 0.8 > 0.2 > no.entailment


def test_the_order_of_labels_changes_nothing_but_the_fingerprint(tmp_path: Path) -> None:
    """Two models that compute the same, with their outputs turned round."""
    pairs = [Pair("It rains.", "It rains."), Pair("It rains.", "It not rains.")]
    there = load(make_folder(tmp_path / "a"))
    back = load(make_folder(tmp_path / "b", NLI_LABELS[::-1]))
    assert there.judge(pairs) == back.judge(pairs)
    assert there.parameters != back.parameters
    assert [v.contradiction is not None and v.contradiction > 0.9 for v in there.judge(pairs)] == [
        False,
        True,
    ]


def test_models_of_two_labels_or_of_one_output(tmp_path: Path) -> None:
    """Softmax of two, the logistic function of one: here the other output is 0, so both are the same."""
    pairs = [Pair("Cats eat fish.", "Cats eat."), Pair("Cats eat fish.", "Dogs eat fish.")]
    two = load(make_folder(tmp_path / "a", ("entailment", "not_entailment")))
    one = load(make_folder(tmp_path / "b", ("entailment",)))
    assert two.judge(pairs) == one.judge(pairs) == [Verdict(0.8808, None), Verdict(0.1192, None)]


def test_logits_is_taken_of_several_outputs(tmp_path: Path) -> None:
    """Exports may give hidden states as well."""
    model = load(make_folder(tmp_path, outputs=("hidden", "logits")))
    assert model.judge([Pair("It rains.", "It rains.")])[0].entailment > 0.8


def batches(folder: Path, pairs: Sequence[Pair], size: int = 32, max_tokens: int = 512) -> list[Batch]:
    """Return the batches of some pairs."""
    return list(PairTokenizer(folder / "tokenizer.json", max_tokens, 0).batches(pairs, size))


def test_batches_hold_pairs_of_like_length_and_every_pair_once(tiny: Path) -> None:
    """Short pairs are not padded to the longest of the log."""
    pairs = [Pair("cats " * n, "dogs") for n in (50, 1, 30, 2, 40)]
    made = batches(tiny, pairs, size=2)
    assert [batch.places for batch in made] == [(1, 3), (2, 4), (0,)]
    assert [batch.input_ids.shape for batch in made] == [(2, 6), (2, 44), (1, 54)]
    assert made[0].attention_mask.tolist() == [[1, 1, 1, 1, 1, 0], [1] * 6]
    assert made[0].token_type_ids.tolist() == [[0, 0, 0, 1, 1, 0], [0, 0, 0, 0, 1, 1]]


def test_the_configured_token_fills_short_pairs(tiny: Path, tmp_path: Path) -> None:
    """That of the tokenizer, else that of config.json: RoBERTa counts its positions by it."""
    pairs = [Pair("cats", "dogs"), Pair("cats cats", "dogs")]
    assert batches(tiny, pairs)[0].input_ids[0, -1] == 0
    other = PairTokenizer(tiny / "tokenizer.json", 512, 1)
    assert next(iter(other.batches(pairs, 2))).input_ids[0, -1] == 1
    folder = make_folder(tmp_path, config={"pad_token_id": None})
    assert load(folder).parameters["pad"] == 0


def test_a_long_premise_loses_its_end_and_a_hypothesis_nothing(tiny: Path) -> None:
    """What is cut is never what is asked about."""
    (batch,) = batches(tiny, [Pair("cats " * 100, "dogs drink water")], max_tokens=16)
    assert batch.input_ids.shape == (1, 16)
    assert batch.token_type_ids[0].tolist() == [0] * 12 + [1] * 4


@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.sampled_from(WORDS), min_size=1, max_size=60), st.integers(16, 40))
def test_a_long_hypothesis_is_parted_and_loses_no_word(tiny: Path, said: list[str], most: int) -> None:
    """Each part takes half of the tokens at most, and together they are the whole sentence."""
    parts = PairTokenizer(tiny / "tokenizer.json", most, 0).parts(" ".join(said))
    assert [word for part in parts for word in part.split()] == said
    assert all(len(part.split()) <= (most - 3) // 2 for part in parts)


def test_texts_of_any_kind_become_tokens(tiny: Path) -> None:
    """Half a surrogate pair, nothing, blanks, one endless word, other scripts."""
    odd = ["\ud800", "", " \n", "x" * 100_000, "東京タワー", "\x00"]
    verdicts = shared(tiny, 4).judge(
        [Pair(a, part) for a in odd for b in odd for part in shared(tiny, 4).parts(b)]
    )
    assert all(0 <= verdict.entailment <= 1 for verdict in verdicts)


def test_no_room_for_two_texts_is_a_wrong_setting(tiny: Path) -> None:
    """Never an endless loop of empty parts."""
    with pytest.raises(ConfigurationError, match=r"setting 'nli\.max_tokens': 4"):
        PairTokenizer(tiny / "tokenizer.json", 4, 0)


def test_a_model_whose_labels_are_mixed_up_is_noticed(tiny: Path, tmp_path: Path) -> None:
    """A sentence that does not follow from itself."""
    assert shared(tiny, 4).tells_sense_from_nonsense()
    folder = make_folder(tmp_path)
    names = {"0": "entailment", "1": "neutral", "2": "contradiction"}
    make_folder(folder, config={"id2label": names})
    assert not load(folder).tells_sense_from_nonsense()
