"""A cross-encoder small enough to read: entailed is what holds no word that the premise does not hold.

`not` in the hypothesis and not in the premise, or the other way round, is a contradiction.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import onnx
from onnx import TensorProto, helper
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors

WORDS: Final = """the warranty lasts two years returns are free within thirty days cats eat fish dogs drink
water it rains snows today not in winter summer tower was built old zebras adore purple
marzipan our we sell shoes
""".split()
PAD, UNKNOWN, BEGIN, END = range(4)
NLI_LABELS: Final = ("contradiction", "neutral", "entailment")


def make_folder(
    folder: Path,
    labels: Sequence[str] = NLI_LABELS,
    *,
    words: Sequence[str] = WORDS,
    config: dict[str, Any] | None = None,
    **model: Any,
) -> Path:
    """Write a model with its tokenizer and configuration; the order of the outputs is that of `labels`."""
    folder.mkdir(parents=True, exist_ok=True)
    make_tokenizer(words).save(str(folder / "tokenizer.json"))
    named = {"id2label": {str(i): label for i, label in enumerate(labels)}, "pad_token_id": PAD}
    (folder / "config.json").write_text(json.dumps(named | (config or {})), encoding="utf-8")
    onnx.save(make_model(labels, words=words, **model), str(folder / "model.onnx"))
    return folder


def make_tokenizer(words: Sequence[str] = WORDS) -> Tokenizer:
    """Words as they stand, in lower case, with BERT's form of a pair."""
    names = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", *dict.fromkeys(words)]
    tokenizer = Tokenizer(models.WordLevel({name: i for i, name in enumerate(names)}, unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.Lowercase()
    splitters = [pre_tokenizers.Whitespace(), pre_tokenizers.Punctuation("removed")]
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(splitters)  # type: ignore[assignment]
    tokenizer.post_processor = processors.TemplateProcessing(  # type: ignore[assignment]
        single="[CLS] $A [SEP]",
        pair="[CLS] $A [SEP] $B:1 [SEP]:1",
        special_tokens=[("[CLS]", BEGIN), ("[SEP]", END)],
    )
    return tokenizer


def make_model(
    labels: Sequence[str] = NLI_LABELS,
    *,
    words: Sequence[str] = WORDS,
    whole: int = TensorProto.INT64,
    inputs: Sequence[str] = ("input_ids", "attention_mask", "token_type_ids"),
    outputs: Sequence[str] = ("logits",),
    width: int | None = None,
    divide_by: float = 1.0,
    batch: int | str = "batch",
) -> onnx.ModelProto:
    """Make the graph.

    inputs: those beyond the first two are declared, and ignored. width: a number of outputs that differs from
    that of the labels. divide_by: 0 gives numbers that are none. batch: a number makes the shape fixed.
    """
    not_ = 4 + list(dict.fromkeys(words)).index("not")
    real, axis = TensorProto.FLOAT, TensorProto.INT64
    numbers = {
        "end": (whole, [], [END]),
        "not": (whole, [], [not_]),
        "zero": (real, [], [0.0]),
        "half": (real, [], [0.5]),
        "one": (real, [], [1.0]),
        "four": (real, [], [4.0]),
        "eight": (real, [], [8.0]),
        "by": (real, [], [divide_by]),
        "axis": (axis, [], [1]),
        "axis1": (axis, [1], [1]),
        "axis2": (axis, [1], [2]),
    }
    constants = [
        helper.make_tensor(name, kind, shape, value) for name, (kind, shape, value) in numbers.items()
    ]
    n = helper.make_node
    nodes = [
        # Which of the two texts a token is of: by the ends before it, as token_type_ids may be missing.
        n("Equal", ["input_ids", "end"], ["is_end"]),
        n("Cast", ["is_end"], ["ends"], to=TensorProto.FLOAT),
        n("CumSum", ["ends", "axis"], ["ends_before"], exclusive=1),
        n("Min", ["ends_before", "one"], ["second"]),
        n("Cast", ["attention_mask"], ["there"], to=TensorProto.FLOAT),
        n("Sub", ["one", "ends"], ["no_end"]),
        n("Mul", ["there", "no_end"], ["word"]),
        n("Mul", ["second", "word"], ["said"]),
        n("Sub", ["one", "second"], ["first"]),
        n("Mul", ["first", "word"], ["held_word"]),
        # Which tokens of the hypothesis are in the premise.
        n("Unsqueeze", ["input_ids", "axis2"], ["ids_down"]),
        n("Unsqueeze", ["input_ids", "axis1"], ["ids_across"]),
        n("Equal", ["ids_down", "ids_across"], ["same_"]),
        n("Cast", ["same_"], ["same"], to=TensorProto.FLOAT),
        n("Unsqueeze", ["held_word", "axis1"], ["premise"]),
        n("Mul", ["same", "premise"], ["held_each"]),
        n("ReduceMax", ["held_each", "axis2"], ["held"], keepdims=0),
        n("Sub", ["one", "held"], ["not_held"]),
        n("Mul", ["said", "not_held"], ["missing_each"]),
        n("ReduceSum", ["missing_each", "axis1"], ["missing"], keepdims=1),
        # Is one of the two negated.
        n("Equal", ["input_ids", "not"], ["is_not_"]),
        n("Cast", ["is_not_"], ["is_not"], to=TensorProto.FLOAT),
        n("Mul", ["is_not", "held_word"], ["premise_not_each"]),
        n("ReduceMax", ["premise_not_each", "axis1"], ["premise_not"], keepdims=1),
        n("Mul", ["is_not", "said"], ["said_not_each"]),
        n("ReduceMax", ["said_not_each", "axis1"], ["said_not"], keepdims=1),
        n("Sub", ["premise_not", "said_not"], ["difference"]),
        n("Abs", ["difference"], ["turned"]),
        n("Mul", ["turned", "eight"], ["against"]),
        n("Sub", ["half", "missing"], ["left"]),
        n("Mul", ["left", "four"], ["for"]),
        n("Sub", ["for", "against"], ["entailment"]),
        n("Sub", ["against", "four"], ["contradiction"]),
        n("Mul", ["missing", "zero"], ["neutral"]),
    ]  # fmt: skip
    made = [label.lower() if label.lower() in NLI_LABELS else "neutral" for label in labels][:width]
    made += ["neutral"] * ((width or 0) - len(made))
    nodes += [n("Concat", made, ["all"], axis=1), n("Div", ["all", "by"], ["numbers"])]
    nodes += [n("Identity", ["numbers"], [name]) for name in outputs]
    graph = helper.make_graph(
        nodes,
        "tiny",
        [helper.make_tensor_value_info(name, whole, [batch, "tokens"]) for name in inputs],
        [helper.make_tensor_value_info(name, TensorProto.FLOAT, None) for name in outputs],
        constants,
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=9)
