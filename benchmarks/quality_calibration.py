"""Is the adherence probability a probability, and would a second curve over it make it a better one?

Two curves are tried, Platt's (a line over the log-odds) and an isotonic one (any rising steps). Each is
fitted on all subsets but one and judged on that one, as a new system would meet it.
"""

from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from typing import Final

import numpy as np
from scipy.optimize import isotonic_regression, minimize

Values = np.ndarray[tuple[int, ...], np.dtype[np.float64]]
Curve = Callable[[Values], Values]
#: subset -> probabilities and labels (1.0 for adherent).
Judged = Mapping[str, tuple[Values, Values]]
BINS: Final = 10
EDGES: Final = (0.0, 0.5, 0.6, 0.7, 0.8, 0.9, 1.01)


def brier(probability: Values, label: Values) -> float:
    """The mean squared error of a probability."""
    return float(np.mean((probability - label) ** 2))


def expected_calibration_error(probability: Values, label: Values) -> float:
    """The mean distance, over ten bins of equal width, between mean probability and share adherent."""
    bins = np.minimum((probability * BINS).astype(int), BINS - 1)
    gaps = np.abs(np.bincount(bins, weights=probability - label, minlength=BINS))
    return float(gaps.sum() / len(label))


def _odds(probability: Values) -> Values:
    inside = np.clip(probability, 1e-6, 1 - 1e-6)
    return np.log(inside / (1 - inside))


def platt(probability: Values, label: Values) -> Curve:
    """A line over the log-odds, of least log loss."""
    odds = _odds(probability)

    def loss(line: Values) -> float:
        return float(np.mean(np.logaddexp(0.0, np.where(label > 0, -1.0, 1.0) * (line[0] * odds + line[1]))))

    slope, intercept = minimize(loss, np.array([1.0, 0.0])).x
    return lambda values: 1.0 / (1.0 + np.exp(-(slope * _odds(values) + intercept)))


def isotonic(probability: Values, label: Values) -> Curve:
    """The rising curve of least squared error, straight between the values it was fitted on."""
    at, groups = np.unique(probability, return_inverse=True)
    counts = np.bincount(groups)
    fitted = isotonic_regression(np.bincount(groups, weights=label) / counts, weights=counts).x
    return lambda values: np.interp(values, at, fitted)


_CURVES: Final[Mapping[str, Callable[[Values, Values], Curve]]] = {"Platt": platt, "isotonic": isotonic}


def left_out(judged: Judged, method: Callable[[Values, Values], Curve]) -> dict[str, Values]:
    """subset -> probabilities put through a curve that was fitted on the other subsets."""
    result = {}
    for name, (probability, _) in judged.items():
        others = [judged[other] for other in judged if other != name] or [judged[name]]
        curve = method(np.concatenate([p for p, _ in others]), np.concatenate([y for _, y in others]))
        result[name] = curve(probability)
    return result


def constant(judged: Judged) -> dict[str, Values]:
    """subset -> the share adherent of the other subsets, for every row."""
    result = {}
    for name, (probability, _) in judged.items():
        others = [judged[other][1] for other in judged if other != name] or [judged[name][1]]
        result[name] = np.full(len(probability), np.concatenate(others).mean())
    return result


def tables(judged: Judged) -> list[str]:
    """Markdown: figures of each way, then how the probability as it is compares with what happened."""
    ways = {
        "as it is": {name: probability for name, (probability, _) in judged.items()},
        **{way: left_out(judged, method) for way, method in _CURVES.items()},
        "constant": constant(judged),
    }
    label = np.concatenate([y for _, y in judged.values()])
    lines = [
        "### Calibration of the adherence probability",
        "",
        "Each curve was fitted on the other subsets. Brier score and expected calibration error (ECE, ten",
        "bins of equal width): lower is better. `constant` says the share adherent of the other subsets.",
        "",
        "| probability | Brier, mean of subsets | Brier, all rows | ECE, mean of subsets | ECE, all rows |",
        "|---|---|---|---|---|",
    ]
    for way, values in ways.items():
        whole = np.concatenate(list(values.values()))
        each = [(values[name], y) for name, (_, y) in judged.items()]
        figures = (
            np.mean([brier(p, y) for p, y in each]),
            brier(whole, label),
            np.mean([expected_calibration_error(p, y) for p, y in each]),
            expected_calibration_error(whole, label),
        )
        lines.append(f"| {way} | {' | '.join(f'{figure:.4f}' for figure in figures)} |")
    gains = {way: _mean_brier(judged, ways["as it is"]) - _mean_brier(judged, ways[way]) for way in _CURVES}
    probability = np.concatenate(list(ways["as it is"].values()))
    return [*lines, "", verdict(gains), "", *reliability(probability, label)]


def _mean_brier(judged: Judged, values: Mapping[str, Values]) -> float:
    return float(np.mean([brier(values[name], label) for name, (_, label) in judged.items()]))


def verdict(gains: Mapping[str, float]) -> str:
    """One sentence on whether a curve lowers the mean Brier score of subsets it has not seen."""
    best = max(gains, key=lambda way: gains[way])
    if gains[best] <= 0:
        return "Neither curve helps on a subset it has not seen, so the scorer has none."
    return f"The curve `{best}` lowers the mean Brier score by {gains[best]:.4f} on subsets it has not seen."


def reliability(probability: Values, label: Values) -> Sequence[str]:
    """Markdown: what was said and what happened, by range of the probability."""
    lines = ["| probability as it is | rows | mean probability | share adherent |", "|---|---|---|---|"]
    for low, high in pairwise(EDGES):
        inside = (probability >= low) & (probability < high)
        if inside.any():
            means = f"{probability[inside].mean():.3f} | {label[inside].mean():.3f}"
            lines.append(f"| {low:.1f} to {min(high, 1.0):.1f} | {int(inside.sum())} | {means} |")
    return [*lines, ""]
