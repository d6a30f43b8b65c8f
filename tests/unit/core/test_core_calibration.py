"""The judging of probabilities that the quality benchmark reports, by hand."""

import numpy as np
import pytest

from benchmarks.quality_calibration import (
    brier,
    expected_calibration_error,
    isotonic,
    left_out,
    platt,
    tables,
    verdict,
)

SAID = np.array([0.1, 0.1, 0.9, 0.9])
HAPPENED = np.array([0.0, 0.0, 1.0, 0.0])


def test_scores_by_hand() -> None:
    """Errors .1, .1, .1, .9; the upper bin says .9 where a half happened."""
    assert brier(SAID, HAPPENED) == pytest.approx((0.01 + 0.01 + 0.01 + 0.81) / 4)
    assert expected_calibration_error(SAID, HAPPENED) == pytest.approx((0.2 + 0.8) / 4)


def test_curves_undo_what_is_wrong_with_a_probability() -> None:
    """Of one that is far too sure, both curves say what happened, and never fall."""
    draw = np.random.default_rng(1)
    true = draw.uniform(0.05, 0.95, 4000)
    label = (draw.uniform(size=4000) < true).astype(float)
    odds = np.log(true / (1 - true))
    sure = 1 / (1 + np.exp(-3 * odds))
    for method in (platt, isotonic):
        curve = method(sure, label)
        assert np.abs(curve(sure) - true).mean() < 0.04
        assert (np.diff(curve(np.linspace(0, 1, 50))) >= 0).all()


def test_a_subset_is_judged_by_the_others() -> None:
    """Its own labels take no part."""
    one = {"a": (SAID, HAPPENED), "b": (SAID, HAPPENED)}
    other = {"a": (SAID, 1 - HAPPENED), "b": (SAID, HAPPENED)}
    assert (left_out(one, isotonic)["a"] == left_out(other, isotonic)["a"]).all()
    assert (left_out(one, isotonic)["b"] != left_out(other, isotonic)["b"]).any()


def test_the_tables_say_whether_a_curve_helps() -> None:
    """In a sentence."""
    assert "| as it is | 0.2100" in "\n".join(tables({"a": (SAID, HAPPENED), "b": (SAID, HAPPENED)}))
    assert verdict({"Platt": -0.001, "isotonic": 0.0}).startswith("Neither curve")
    assert "`Platt` lowers the mean Brier score by 0.0020" in verdict({"Platt": 0.002, "isotonic": -0.1})
