"""The folder of a model: are its files there, what do they say, and what are they, by their hashes."""

from __future__ import annotations

import hashlib
import json
import mmap
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from trace_core.errors import ConfigurationError
from trace_pipeline.nli.labels import Labels, read_labels

MODEL: Final = "model.onnx"
TOKENIZER: Final = "tokenizer.json"
CONFIG: Final = "config.json"
_SETTING: Final = "setting 'nli.model_folder'"
_WEIGHTS: Final = ("*.safetensors", "pytorch_model*.bin", "*.pt")
_MOST_JSON_BYTES: Final = 4_000_000
_LEAST_TOKENS: Final = 16  # a limit below it is none
#: How a model of several files names the others: an entry of key `location`, in the wire form of protobuf.
_LOCATION: Final = re.compile(rb"\x0a\x08location\x12([\x01-\x7f]|[\x80-\xff][\x01-\x7f])")


@dataclass(frozen=True, slots=True)
class ModelFolder:
    """A folder that holds a model.

    hashes: SHA-256 of each file that can change a value, by name. pad_id: token that fills short pairs.
    position_limit: tokens the model has positions for, where it says so.
    """

    path: Path
    labels: Labels
    pad_id: int
    position_limit: int | None
    hashes: Mapping[str, str]


def open_folder(setting: str) -> ModelFolder:
    """Read a folder. ConfigurationError, naming the file and the remedy, where something is wrong."""
    if not setting:
        raise ConfigurationError(
            f"{_SETTING}: the scorer nli needs the folder of a model, with {MODEL}, {TOKENIZER} and {CONFIG}"
        )
    path = Path(setting)
    try:
        _check_files(path)
        config = _read_json(path / CONFIG)
        return ModelFolder(
            path,
            read_labels(config, path / CONFIG),
            _pad_id(config, path / CONFIG),
            _position_limit(config, path),
            {name: _sha256(path / name) for name in (MODEL, TOKENIZER, *_beside(path))},
        )
    except OSError as error:
        raise ConfigurationError(f"{_SETTING}: {error.filename}: {error.strerror}") from error


def _check_files(path: Path) -> None:
    if not path.is_dir():
        raise ConfigurationError(
            f"{_SETTING}: there is no folder {path}; models are not downloaded, it has to be on this machine"
        )
    if not (path / MODEL).is_file():
        raise ConfigurationError(f"{_SETTING}: {path} holds no {MODEL}; {_how_to_get_one(path)}")
    for name in (TOKENIZER, CONFIG):
        if not (path / name).is_file():
            raise ConfigurationError(
                f"{_SETTING}: {path} holds no {name}; optimum-cli export onnx writes it beside {MODEL}"
            )


def _how_to_get_one(path: Path) -> str:
    if (path / "onnx" / MODEL).is_file():
        return f"there is one in onnx/: put it, {TOKENIZER} and {CONFIG} into one folder"
    if any(next(path.glob(pattern), None) for pattern in _WEIGHTS):
        return (
            "it holds weights of PyTorch, which are not run: export them once, where optimum is installed, "
            f"by optimum-cli export onnx --model {path} --task text-classification OUTPUT_FOLDER"
        )
    return "it has to be a sequence classifier in the form of ONNX"


def _read_json(path: Path) -> Mapping[str, Any]:
    if path.stat().st_size > _MOST_JSON_BYTES:
        raise ConfigurationError(f"{path}: larger than any configuration")
    try:
        value = json.loads(path.read_bytes())
    except (ValueError, RecursionError):
        value = None
    if not isinstance(value, dict):
        raise ConfigurationError(f"{path}: not a JSON object")
    return value


def _pad_id(config: Mapping[str, Any], path: Path) -> int:
    value = config.get("pad_token_id")
    if value is None:
        return 0
    if not isinstance(value, int) or not 0 <= value < 2**31:
        raise ConfigurationError(f"{path}: pad_token_id is no token")
    return value


def _position_limit(config: Mapping[str, Any], path: Path) -> int | None:
    """Return the smaller of what model and tokenizer say: of RoBERTa's positions two are no tokens."""
    found = [config.get("max_position_embeddings")]
    if (path / "tokenizer_config.json").is_file():
        found.append(_read_json(path / "tokenizer_config.json").get("model_max_length"))
    limits = [
        int(value) for value in found if isinstance(value, int | float) and _LEAST_TOKENS <= value < 2**31
    ]
    return min(limits, default=None)


def _beside(path: Path) -> Iterator[str]:
    """Yield the names of the files in which a model keeps its weights, where they are not in the model's."""
    for name in sorted(_locations(path / MODEL)):
        if Path(name).is_absolute() or ".." in Path(name).parts:
            raise ConfigurationError(f"{path / MODEL}: refers to a file outside of its folder")
        if not (path / name).is_file():
            raise ConfigurationError(f"{path / MODEL}: its weights are in {name}, which is not there")
        yield name


def _locations(path: Path) -> frozenset[str]:
    # Searched for instead of parsed: that would take the package onnx, and the whole model in memory.
    with path.open("rb") as file:
        if not path.stat().st_size:
            return frozenset()
        with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as content:
            found = set()
            for match in _LOCATION.finditer(content):
                size = match[1][0] & 0x7F | (match[1][1] << 7 if len(match[1]) > 1 else 0)
                name = content[match.end() : match.end() + size].decode("utf-8", "replace")
                if name.isprintable():
                    found.add(name)
            return frozenset(found)


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
