"""The folder of a model: what is missing, ambiguous or broken in it is said with the file and the remedy."""

from __future__ import annotations

import builtins
import json
import re
import sys
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import TensorProto, numpy_helper
from pydantic import ValidationError

from tests.nli_model import NLI_LABELS, make_folder
from trace_core.errors import ConfigurationError
from trace_pipeline.judge_settings import NliSettings
from trace_pipeline.nli.folder import open_folder
from trace_pipeline.nli.making import make_nli_scorer


def made(folder: Path | str, **settings: Any) -> Any:
    """Make the scorer of a folder."""
    return make_nli_scorer(NliSettings(model_folder=str(folder), **settings))


def refused(folder: Path | str, **settings: Any) -> str:
    """Return the sentence with which a folder is refused."""
    with pytest.raises(ConfigurationError) as caught:
        made(folder, **settings)
    return str(caught.value)


def write_config(folder: Path, **config: Any) -> None:
    """Replace config.json."""
    (folder / "config.json").write_text(json.dumps(config), encoding="utf-8")


def test_a_name_of_the_hub_is_no_folder() -> None:
    """Nothing is downloaded, and the setting says so."""
    for name in ("cross-encoder/nli-deberta-v3-base", "https://huggingface.co/a/b", "models"):
        with pytest.raises(ValidationError, match="nothing is downloaded"):
            NliSettings(model_folder=name)


def test_a_folder_that_is_not_set_or_not_there_is_named(tmp_path: Path) -> None:
    """The setting, and the path."""
    assert refused("").startswith("setting 'nli.model_folder': the scorer nli needs the folder of a model")
    assert f"there is no folder {tmp_path / 'gone'}; models are not downloaded" in refused(tmp_path / "gone")


def test_each_missing_file_is_named(tmp_path: Path) -> None:
    """With who writes it."""
    for name in ("model.onnx", "tokenizer.json", "config.json"):
        folder = make_folder(tmp_path / name)
        (folder / name).unlink()
        assert f"{folder} holds no {name}; " in refused(folder)


@pytest.mark.parametrize(
    "weights", ["model.safetensors", "pytorch_model.bin", "pytorch_model-00001-of-2.bin"]
)
def test_weights_of_pytorch_are_to_be_exported_and_the_command_is_told(tmp_path: Path, weights: str) -> None:
    """They are not run; a pickle is never opened."""
    (tmp_path / weights).write_bytes(b"weights")
    said = refused(tmp_path)
    assert f"optimum-cli export onnx --model {tmp_path} --task text-classification" in said


def test_a_model_one_folder_below_is_pointed_at(tmp_path: Path) -> None:
    """As repositories of the hub have it."""
    make_folder(tmp_path / "onnx")
    assert "there is one in onnx/" in refused(tmp_path)


@pytest.mark.parametrize(
    ("labels", "entailment", "contradiction"),
    [
        (NLI_LABELS, 2, 0),
        (("ENTAILMENT", "Neutral", "Contradiction"), 0, 2),
        (("not_entailment", "entailment"), 1, None),
        (("entailment",), 0, None),
        (("entail", "contradict"), 0, 1),
    ],
)
def test_labels_are_found_by_name_in_any_order(
    tmp_path: Path, labels: tuple[str, ...], entailment: int, contradiction: int | None
) -> None:
    """Two labels or three, or one output alone."""
    found = open_folder(str(make_folder(tmp_path, labels))).labels
    assert (found.entailment, found.contradiction) == (entailment, contradiction)


def test_label2id_alone_will_do_and_the_two_must_agree(tmp_path: Path) -> None:
    """One of them says it all; two that differ say nothing."""
    folder = make_folder(tmp_path)
    turned = {"contradiction": 0, "neutral": 1, "entailment": 2}
    write_config(folder, label2id=turned)
    assert open_folder(str(folder)).labels.names == NLI_LABELS
    write_config(folder, label2id=turned, id2label={"0": "entailment", "1": "neutral", "2": "contradiction"})
    assert "id2label and label2id say different things" in refused(folder)


@pytest.mark.parametrize(
    "config",
    [
        {},
        {"id2label": {"0": "LABEL_0", "1": "LABEL_1"}},
        {"id2label": {"0": "entailment", "1": "entailment"}},
        {"id2label": {"0": "contradiction", "1": "contradicts", "2": "entailment"}},
        {"id2label": {"0": "not_entailment", "2": "entailment"}},
        {"id2label": {"a": "entailment"}},
        {"id2label": {"0": None}},
        {"id2label": ["entailment"]},
        {"label2id": {"entailment": "x"}},
        {"label2id": {"entailment": 0, "neutral": 0}},
    ],
)
def test_ambiguous_labels_are_refused_with_the_file_and_what_to_write(
    tmp_path: Path, config: dict[str, Any]
) -> None:
    """Never guessed: a wrong order would turn every verdict round."""
    folder = make_folder(tmp_path)
    write_config(folder, **config)
    said = refused(folder)
    assert str(folder / "config.json") in said
    assert '"id2label": {"0": "contradiction", "1": "neutral", "2": "entailment"}' in said


@pytest.mark.parametrize("content", [b"", b"[]", b"{", b"\xff\xfe", b"[" * 100_000, b'{"pad_token_id": "x"}'])
def test_a_configuration_that_cannot_be_read_is_named(tmp_path: Path, content: bytes) -> None:
    """Whatever is in it."""
    folder = make_folder(tmp_path)
    (folder / "config.json").write_bytes(content)
    assert refused(folder).startswith(str(folder / "config.json"))


@pytest.mark.parametrize("content", [b"", b"garbage", b"\x08\x09" * 1000])
def test_a_broken_model_is_named(tmp_path: Path, content: bytes) -> None:
    """With what onnxruntime says of it."""
    folder = make_folder(tmp_path)
    (folder / "model.onnx").write_bytes(content)
    assert refused(folder).startswith(f"{folder / 'model.onnx'}: onnxruntime cannot load it: ")


@pytest.mark.parametrize("content", [b"", b"{}", b'{"model": {"type": "None"}}', b"\xff"])
def test_a_broken_tokenizer_is_named(tmp_path: Path, content: bytes) -> None:
    """With what the library says of it."""
    folder = make_folder(tmp_path)
    (folder / "tokenizer.json").write_bytes(content)
    assert refused(folder).startswith(f"{folder / 'tokenizer.json'}: not a tokenizer: ")


@pytest.mark.parametrize(
    ("model", "said"),
    [
        ({"inputs": ("input_ids",)}, "a sequence classifier takes"),
        ({"inputs": ("input_ids", "attention_mask", "pixels")}, "pixels; a sequence classifier takes"),
        ({"whole": TensorProto.FLOAT}, "whole numbers are wanted"),
        ({"outputs": ("a", "b")}, "is called logits"),
        ({"width": 2}, "config.json names 3 labels"),
        ({"width": 5}, "config.json names 3 labels"),
        ({"divide_by": 0.0}, "gives numbers that are none"),
        ({"batch": 1}, "cannot read a pair of sentences"),
    ],
)
def test_a_model_of_another_kind_is_refused_when_it_is_loaded(
    tmp_path: Path, model: dict[str, Any], said: str
) -> None:
    """Tried once before a night begins, so that not every log of it fails."""
    if model.get("inputs") == ("input_ids",):
        folder = make_folder(tmp_path)
        whole = onnx.load(str(folder / "model.onnx"))
        del whole.graph.input[1]
        shape = numpy_helper.from_array(np.ones((1, 1), np.int64), "attention_mask")
        whole.graph.initializer.append(shape)
        onnx.save(whole, str(folder / "model.onnx"))
    else:
        folder = make_folder(tmp_path, **model)
    found = refused(folder)
    assert found.startswith(str(folder / "model.onnx"))
    assert said in found


def test_a_missing_extra_is_said_with_the_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """onnxruntime or tokenizers: imported only where the scorer is made."""
    folder = make_folder(tmp_path)
    for name in [name for name in sys.modules if name.startswith("trace_pipeline.nli.")]:
        monkeypatch.delitem(sys.modules, name)
    whole = builtins.__import__

    def without(name: str, *rest: Any) -> Any:
        if name == "onnxruntime":
            raise ModuleNotFoundError("No module named 'onnxruntime'", name=name)
        return whole(name, *rest)

    monkeypatch.setattr(builtins, "__import__", without)
    said = refused(folder)
    assert "pip install 'trace-nightly[nli]' (missing: onnxruntime)" in said


def with_external_weights(folder: Path, location: str) -> None:
    """Move a weight of the model into a file beside it."""
    model = onnx.load(str(folder / "model.onnx"))
    tensor = next(item for item in model.graph.initializer if item.name == "four")
    (folder / "weights.data").write_bytes(numpy_helper.to_array(tensor).tobytes())
    tensor.ClearField("float_data")
    tensor.data_location = TensorProto.EXTERNAL
    tensor.external_data.add(key="location", value=location)
    tensor.external_data.add(key="length", value="4")
    (folder / "model.onnx").write_bytes(model.SerializeToString())


def test_weights_in_a_file_beside_the_model_are_part_of_the_fingerprint(tmp_path: Path) -> None:
    """Another content there is another model, though model.onnx is the same."""
    folder = make_folder(tmp_path)
    with_external_weights(folder, "weights.data")
    assert set(open_folder(str(folder)).hashes) == {"model.onnx", "tokenizer.json", "weights.data"}
    before = made(folder).fingerprint
    (folder / "weights.data").write_bytes(np.float32(5.0).tobytes())
    assert made(folder).fingerprint != before
    (folder / "weights.data").unlink()
    assert "its weights are in weights.data, which is not there" in refused(folder)


@pytest.mark.parametrize("location", ["../weights.data", "/etc/hostname", "a/../../x"])
def test_weights_outside_of_the_folder_are_refused(tmp_path: Path, location: str) -> None:
    """A model file reaches no other file of the machine."""
    folder = make_folder(tmp_path / "model")
    with_external_weights(folder, location)
    assert "refers to a file outside of its folder" in refused(folder)


def test_links_to_the_files_are_followed(tmp_path: Path) -> None:
    """As in the cache of the hub, where files have other names; the fingerprint is that of the content."""
    folder = make_folder(tmp_path / "model")
    with_external_weights(folder, "weights.data")
    linked, blobs = tmp_path / "snapshot", tmp_path / "blobs"
    linked.mkdir()
    blobs.mkdir()
    for number, file in enumerate(folder.iterdir()):
        (blobs / str(number)).write_bytes(file.read_bytes())
        (linked / file.name).symlink_to(blobs / str(number))
    assert made(linked).fingerprint == made(folder).fingerprint


def test_a_folder_that_may_not_be_read_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The system's own reason."""
    folder = make_folder(tmp_path)

    def forbidden(self: Path, *rest: Any) -> Any:
        raise PermissionError(13, "Permission denied", str(self))

    monkeypatch.setattr(Path, "read_bytes", forbidden)
    assert re.search(r"config\.json: Permission denied$", refused(folder))


def test_the_limits_of_model_and_tokenizer_bound_the_tokens(tmp_path: Path) -> None:
    """The smaller one of both and the setting; what is no limit is none."""
    folder = make_folder(tmp_path, config={"max_position_embeddings": 130})
    assert made(folder).model.max_tokens == 130
    (folder / "tokenizer_config.json").write_text('{"model_max_length": 128}', encoding="utf-8")
    assert made(folder).model.max_tokens == 128
    (folder / "tokenizer_config.json").write_text('{"model_max_length": 1e30}', encoding="utf-8")
    assert made(folder).model.max_tokens == 130
    assert made(folder, max_tokens=64).model.max_tokens == 64
