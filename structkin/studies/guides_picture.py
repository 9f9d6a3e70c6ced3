"""The guides of a walking person over the markers that they are made of (Flores & Lankarani, Fig. 39)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from scipy.interpolate import CubicSpline

from structkin.show.style import GROUND, PALETTE, SMALL, new_figure
from structkin.studies.guides import direction, guides
from structkin.studies.markers import Markers
from structkin.studies.pictures import tidy
from structkin.types import Floats

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def measured(markers: Markers, origin: float) -> dict[str, Floats]:
    """Return the guided coordinates (n,) as the markers of the right side give them, sample by sample."""
    hat, thigh, shank, foot = (
        np.unwrap(np.angle(direction(markers, name))) for name in ("hat", "thigh", "shank", "foot")
    )
    hip = markers.places["hip"]
    return {
        "x": hip[:, 0] - origin,
        "y": hip[:, 1],
        "pitch": hat,
        "right_hip": thigh - hat,
        "right_knee": shank - thigh,
        "right_ankle": foot - shank,
    }


def draw_guides(markers: Markers, smooth: Markers, period: float) -> Figure:
    """Draw the splines of one stride over the markers as read and after the filter; left guides are dashed."""
    course = guides(smooth, period)
    t = np.linspace(0.0, period, 401)
    splines = {name: CubicSpline(course.t, values)(t) for name, values in course.values.items()}
    figure = new_figure(11.0, 6.0)
    since = markers.t - markers.t[0]
    within = since <= period
    raw, filtered = (measured(one, course.origin) for one in (markers, smooth))
    for axes, (name, values) in zip(figure.subplots(2, 3).ravel(), raw.items(), strict=True):
        unit = 1.0 if name in ("x", "y") else 180 / np.pi
        # Angles of the record and of the guides may differ by whole turns.
        turns = 0.0 if unit == 1.0 else 2 * np.pi * round((splines[name][0] - values[0]) / (2 * np.pi))
        axes.plot(since[within], unit * (values + turns)[within], "o", ms=3, color=PALETTE[1], label="markers")
        axes.plot(since[within], unit * (filtered[name] + turns)[within], "x", ms=4, color=GROUND, label="filtered")
        axes.plot(t, unit * splines[name], color=PALETTE[0], label="guide, a cubic spline")
        if name.startswith("right"):
            left = splines[name.replace("right", "left")]
            axes.plot(t, unit * left, "--", color=PALETTE[2], label="guide of the left leg")
        tidy(axes, name.removeprefix("right_"), "t [s]", "m" if unit == 1.0 else "deg")
    figure.legend(*axes.get_legend_handles_labels(), loc="outside lower center", ncols=4, fontsize=SMALL)
    return figure
