"""The figure of the corrected rate: what the scorer says of each night, and what people would."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pandas as pd

from trace_pipeline.report.figures import Figure, base_layout, night_area, night_line
from trace_pipeline.trust.corrected import Correction

_CORRECTED, _BAND, _RAW = "#1f5fa8", "rgba(31, 95, 168, 0.15)", "#8a6d1f"


def corrected_figure(nights: Sequence[Correction]) -> Figure:
    """Return raw and corrected adherence of each night, the latter with its 95 % interval; plain data."""
    rows = pd.DataFrame(
        [[one.last, one.raw, one.rate.rate, one.rate.low, one.rate.high] for one in nights],
        columns=["day", "raw", "rate", "low", "high"],
    )
    known = rows[rows["rate"].notna()]
    data: list[dict[str, Any]] = []
    if len(known):
        data.append(night_area(known, known["low"], known["high"], _BAND, "95 % interval"))
    hover = "%{x}: %{y:.1f} %"
    data.append(
        night_line(
            rows["day"],
            rows["rate"],
            mode="lines+markers",
            connectgaps=False,
            line={"color": _CORRECTED, "width": 2},
            marker={"size": 5, "color": _CORRECTED},
            name="by people's labels",
            hovertemplate=f"{hover} by labels<extra></extra>",
        )
    )
    data.append(
        night_line(
            rows["day"],
            rows["raw"],
            mode="lines",
            connectgaps=False,
            line={"color": _RAW, "width": 2, "dash": "dot"},
            name="as scored",
            hovertemplate=f"{hover} as scored<extra></extra>",
        )
    )
    return {"data": data, "layout": {**base_layout(), "yaxis": {"title": {"text": "per cent"}}}}
