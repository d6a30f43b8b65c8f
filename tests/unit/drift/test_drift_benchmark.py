"""The adapter between driftbench's nights and the detector of the nightly run."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

from benchmarks import drift as benchmark


def simulated(t: int, shares: list[float]) -> SimpleNamespace:
    n = np.full(len(shares), 200.0)
    k = np.round(n * np.array(shares))
    return SimpleNamespace(t=t, dow=t % 7, n=n, s=k, ss=k, hist=np.column_stack([n - k, k]), version=0)


def test_the_adapter_pages_for_a_drop_and_not_before() -> None:
    """Forty steady nights, then minus fifteen points in every segment."""
    spec = SimpleNamespace(metric="adherence", grid=np.array([0.0, 1.0]), segments=2, warm=20)
    detector = benchmark.make_detector(spec)
    steady = [0.90, 0.91, 0.89, 0.905, 0.895]
    quiet = [detector.step(simulated(t, [steady[t % 5]] * 2)) for t in range(40)]
    assert not any(quiet)
    assert detector.step(simulated(40, [0.75, 0.75]))


def test_the_table_names_the_watch_and_its_peers(capsys: pytest.CaptureFixture[str]) -> None:
    """One small scenario through the command."""
    if not benchmark.DRIFTBENCH.is_dir():
        pytest.skip("driftbench is not at ../shared/driftbench")
    assert benchmark.main(["--reps", "2", "--scenarios", "recover", "--peers", "Laney"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "| scenario | trace | Laney | oracle |"
    assert lines[2].startswith("| recover10x5_prod_n5k |")
