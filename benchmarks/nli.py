"""Speed of the scorer `nli` on one core, with a model of the usual shape and weights drawn by chance.

    python -m benchmarks.nli [--layers N] [--width N] [--logs N] [--rounds N]

What such a model says is noise; how long it takes, and how far its numbers depend on the batch, are not. The
model is an encoder as BERT's, by default of the size of MiniLM-L6 (6 layers of width 384). Logs are those of
`benchmarks.speed`: 3 documents of 10 sentences of some 23 words, 5 response sentences, so 30 pairs each. CPU
time, the best of the rounds; memory is that of a process that scores and does nothing else (Linux).
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper
from tokenizers import Tokenizer, models, pre_tokenizers, processors

from benchmarks.speed import Traffic
from trace_core import Log
from trace_core.scorers.lexical import LexicalScorer
from trace_pipeline.judge_settings import NliSettings
from trace_pipeline.nli.folder import open_folder
from trace_pipeline.nli.model import NliModel
from trace_pipeline.nli.pairs import Pair
from trace_pipeline.nli.scorer import NliScorer

_VOCABULARY = 30_000
_HEAD = 32


class _Graph:
    """Nodes and weights of an encoder; each method returns the name of what it computes."""

    def __init__(self, seed: int) -> None:
        self.nodes: list[onnx.NodeProto] = []
        self.weights: list[onnx.TensorProto] = []
        self._random = np.random.default_rng(seed)

    def op(self, kind: str, *inputs: str, **options: object) -> str:
        name = f"n{len(self.nodes)}"
        self.nodes.append(helper.make_node(kind, list(inputs), [name], **options))
        return name

    def constant(self, value: object, kind: type = np.float32) -> str:
        name = f"w{len(self.weights)}"
        self.weights.append(numpy_helper.from_array(np.asarray(value, kind), name))
        return name

    def weight(self, *shape: int) -> str:
        return self.constant(self._random.normal(0, 1.0 / np.sqrt(shape[0]), shape))

    def norm(self, x: str, width: int) -> str:
        return self.op("LayerNormalization", x, self.constant(np.ones(width)), self.constant(np.zeros(width)))

    def heads(self, x: str, width: int, order: Sequence[int]) -> str:
        parted = self.op(
            "Reshape", self.op("MatMul", x, self.weight(width, width)),
            self.constant([0, 0, width // _HEAD, _HEAD], np.int64),
        )  # fmt: skip
        return self.op("Transpose", parted, perm=list(order))

    def layer(self, x: str, width: int, blind: str) -> str:
        query, value = (self.heads(x, width, (0, 2, 1, 3)) for _ in range(2))
        scores = self.op("MatMul", query, self.heads(x, width, (0, 2, 3, 1)))
        scores = self.op("Add", self.op("Div", scores, self.constant(np.sqrt(_HEAD))), blind)
        seen = self.op("MatMul", self.op("Softmax", scores, axis=-1), value)
        joined = self.op(
            "Reshape", self.op("Transpose", seen, perm=[0, 2, 1, 3]), self.constant([0, 0, width], np.int64)
        )
        x = self.norm(self.op("Add", x, self.op("MatMul", joined, self.weight(width, width))), width)
        wide = self.op("Gelu", self.op("MatMul", x, self.weight(width, 4 * width)))
        return self.norm(self.op("Add", x, self.op("MatMul", wide, self.weight(4 * width, width))), width)


def make_folder(folder: Path, layers: int, width: int, words: Sequence[str]) -> None:
    """Write model, tokenizer and configuration."""
    graph = _Graph(seed=1)
    table = graph.constant(np.random.default_rng(2).normal(0, 1, (_VOCABULARY, width)))
    x = graph.norm(graph.op("Gather", table, "input_ids"), width)
    there = graph.op("Cast", "attention_mask", to=TensorProto.FLOAT)
    gone = graph.op("Mul", graph.op("Sub", there, graph.constant(1.0)), graph.constant(1e4))
    blind = graph.op("Unsqueeze", gone, graph.constant([1, 2], np.int64))
    for _ in range(layers):
        x = graph.layer(x, width, blind)
    first = graph.op("Gather", x, graph.constant(0, np.int64), axis=1)
    graph.nodes.append(helper.make_node("MatMul", [first, graph.weight(width, 3)], ["logits"]))
    inputs = [
        helper.make_tensor_value_info(name, TensorProto.INT64, ["batch", "tokens"])
        for name in ("input_ids", "attention_mask")
    ]
    output = helper.make_tensor_value_info("logits", TensorProto.FLOAT, ["batch", 3])
    made = helper.make_graph(graph.nodes, "random", inputs, [output], graph.weights)
    opsets = [helper.make_opsetid("", 20)]
    onnx.save(helper.make_model(made, opset_imports=opsets, ir_version=9), str(folder / "model.onnx"))
    names = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", *dict.fromkeys(words)][:_VOCABULARY]
    tokenizer = Tokenizer(models.WordLevel({name: i for i, name in enumerate(names)}, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()  # type: ignore[assignment]
    tokenizer.post_processor = processors.TemplateProcessing(  # type: ignore[assignment]
        single="[CLS] $A [SEP]",
        pair="[CLS] $A [SEP] $B:1 [SEP]:1",
        special_tokens=[("[CLS]", 2), ("[SEP]", 3)],
    )
    tokenizer.save(str(folder / "tokenizer.json"))
    labels = {"0": "contradiction", "1": "neutral", "2": "entailment"}
    (folder / "config.json").write_text(json.dumps({"id2label": labels, "pad_token_id": 0}))


class _Counting(NliModel):
    """A model that keeps what it was asked, log by log."""

    def __init__(self, folder: Path, batch_pairs: int) -> None:
        settings = NliSettings(model_folder=str(folder), batch_pairs=batch_pairs)
        self.asked: list[list[Pair]] = []
        super().__init__(open_folder(str(folder)), settings)
        self.asked.clear()

    def judge(self, pairs: Sequence[Pair]):  # type: ignore[no-untyped-def]
        self.asked.append(list(pairs))
        return super().judge(pairs)


_SCORE = """
import re, sys
from pathlib import Path
from benchmarks.speed import Traffic
from trace_core.scorers.lexical import LexicalScorer
from trace_pipeline.judge_settings import NliSettings
from trace_pipeline.nli.making import make_nli_scorer
logs = list(Traffic(1).logs(int(sys.argv[2]), repeat_chunks=False))
size = int(sys.argv[3])
scorer = make_nli_scorer(NliSettings(model_folder=sys.argv[1], batch_pairs=size)) if size else LexicalScorer()
assert all(found.status == "scored" for found in scorer.score_many(logs))
# Not getrusage: it remembers the parent's.
print(re.search(r"VmHWM:\\s+(\\d+)", Path("/proc/self/status").read_text())[1])
"""


def _memory(folder: str, logs: int, batch_pairs: int) -> float:
    """The largest memory of a process that scores, in MB; 0 as `batch_pairs`: by lexical alone."""
    command = [sys.executable, "-c", _SCORE, folder, str(logs), str(batch_pairs)]
    return int(subprocess.run(command, check=True, capture_output=True, text=True).stdout) / 1e3


def _seconds(model: NliModel, groups: Sequence[Sequence[Pair]]) -> tuple[float, list[float]]:
    begin = time.process_time()
    found = [verdict.entailment for group in groups for verdict in model.judge(group)]
    return time.process_time() - begin, found


def _load(folder: str, batch_pairs: int) -> NliModel:
    return NliModel(open_folder(folder), NliSettings(model_folder=folder, batch_pairs=batch_pairs))


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--layers", type=int, default=6)
    parser.add_argument("--width", type=int, default=384)
    parser.add_argument("--logs", type=int, default=8)
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    logs: list[Log] = list(Traffic(1).logs(options.logs, repeat_chunks=False))
    words = " ".join(
        text for log in logs for text in (log.response, *(d.text for d in log.documents))
    ).split()
    with tempfile.TemporaryDirectory() as name:
        make_folder(Path(name), options.layers, options.width, [word.strip(".?") for word in words])
        counting = _Counting(Path(name), 8)
        scorer = NliScorer(counting, NliSettings(model_folder=name))
        begin = time.process_time()
        evaluations = list(scorer.score_many(logs))
        whole = time.process_time() - begin
        groups = list(counting.asked)
        pairs = [pair for group in groups for pair in group]
        lexical = LexicalScorer()
        begin = time.process_time()
        list(lexical.score_many(logs * 20))
        cheap = (time.process_time() - begin) / 20
        print(f"{options.layers} layers of width {options.width}, {len(logs)} logs, {len(pairs)} pairs")
        print(
            f"scored {sum(e.status == 'scored' for e in evaluations)}; a log {whole / len(logs):.3f} s, ",
            end="",
        )
        print(f"{whole / cheap:.0f} times lexical's")
        ways = {
            **{f"{n}, within a log": (_load(name, n), groups) for n in (1, 4, 8, 16, 32)},
            **{f"{n}, over all logs": (_load(name, n), [pairs]) for n in (8, 32)},
        }
        best: dict[str, float] = {}
        values: dict[str, list[float]] = {}
        for _ in range(options.rounds):
            for way, (model, parts) in ways.items():
                seconds, values[way] = _seconds(model, parts)
                best[way] = min(seconds, best.get(way, seconds))
        for way, seconds in best.items():
            differing = sum(a != b for a, b in zip(values[way], values["8, within a log"], strict=True))
            print(
                f"{way:20} {len(pairs) / seconds:7.1f} pairs/s, "
                f"{best['8, within a log'] / seconds:.2f} of 8 within a log; other fourth digits: {differing}"
            )
        size = (Path(name) / "model.onnx").stat().st_size / 1e6
        print(f"model {size:.0f} MB; spread of probabilities {np.std(values['8, within a log']):.2f}")
        for n in (0, 8, 32):
            what = f"batches of {n}" if n else "lexical alone"
            print(f"memory with {what}: {_memory(name, len(logs), n):.0f} MB")


if __name__ == "__main__":
    main()
