"""The weights in the package are what their script makes of the labelled rows, byte for byte."""

import json
import sys
from pathlib import Path

import pytest

from benchmarks import ragbench_rows, train_lexical

DATA = Path(__file__).parents[4] / "shared" / "data" / "ragbench"


@pytest.mark.no_cover  # a quarter of a minute on a free core, and several times that when traced
@pytest.mark.skipif(not DATA.is_dir(), reason=f"no labelled rows at {DATA}")
def test_training_reproduces_the_weights_byte_for_byte(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The same as `python -m benchmarks.train_lexical --data DIR --output FILE` and a comparison."""
    made = tmp_path / "weights.json"
    monkeypatch.setattr(sys, "argv", ["train_lexical", "--data", str(DATA), "--output", str(made)])
    train_lexical.main()
    assert made.read_bytes() == train_lexical.OUTPUT.read_bytes()


@pytest.mark.skipif(not DATA.is_dir(), reason=f"no labelled rows at {DATA}")
def test_the_recorded_files_are_the_files_there() -> None:
    """Names and digests of the content, whatever packed them."""
    recorded = json.loads(train_lexical.OUTPUT.read_text(encoding="utf-8"))["provenance"]["files"]
    assert {p.name: ragbench_rows.content_digest(p) for p in ragbench_rows.files(DATA)} == recorded
