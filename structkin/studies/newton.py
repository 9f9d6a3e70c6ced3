"""Where the Newton-Raphson method converges and where it fails: Flores & Lankarani, Figs. 40 and 42 to 45, by our runs.

Figs. 40 and 42 are functions of one variable; Figs. 43 to 45 are mechanisms, solved by `structkin.newton_raphson`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from structkin.global_methods.diagnosis import NewtonRun, newton_raphson
from structkin.model import Mechanism
from structkin.numerical_tolerances import LEAST_DRAWN, ROUNDING
from structkin.show.style import DRIVER, GROUND, PALETTE, SMALL, new_figure
from structkin.studies.pictures import tidy
from structkin.types import Floats

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

#: Iterations of a function at most.
LIMIT = 8


@dataclass(frozen=True)
class Curve:
    """A function of one variable with its derivative, where the iteration starts, and what is to be seen."""

    figure: str
    what: str
    value: Callable[[Any], Any]
    slope: Callable[[Any], Any]
    starts: tuple[float, ...]
    extent: tuple[float, float]


CURVES = (
    Curve("40", "converges", lambda x: x**2 - 1, lambda x: 2 * x, (2.6,), (0.2, 2.8)),
    Curve("42a", "inflection point", np.arctan, lambda x: 1 / (1 + x**2), (1.45,), (-4.5, 4.5)),
    Curve("42b", "two solutions", lambda x: x**2 - 1, lambda x: 2 * x, (-1.9, 1.9), (-2.2, 2.2)),
    Curve("42c", "near a local minimum", lambda x: x**3 - 2 * x + 2, lambda x: 3 * x**2 - 2, (0.0,), (-2.0, 1.6)),
    Curve("42d", "flat tangent", lambda x: x**2 - 1, lambda x: 2 * x, (0.0,), (-1.8, 1.8)),
)


def iterates(curve: Curve, start: float) -> list[float]:
    """Return the estimates of the iteration x - f / f', the last one where it converged, left the picture or got stuck.

    >>> iterates(CURVES[3], 0.0)[:4]  # it oscillates around the minimum
    [0.0, 1.0, 0.0, 1.0]
    >>> iterates(CURVES[4], 0.0)
    [0.0]
    """
    found = [start]
    for _ in range(LIMIT):
        x = found[-1]
        slope = float(curve.slope(x))
        if abs(slope) < ROUNDING or abs(float(curve.value(x))) < ROUNDING:
            break
        found.append(x - float(curve.value(x)) / slope)
        if not curve.extent[0] <= found[-1] <= curve.extent[1]:
            break
    return found


def four_bar() -> Mechanism:
    """Return a crank-rocker with two configurations for each angle of its crank (Fig. 43)."""
    return Mechanism(
        "Four-bar",
        points={"A": (0, 0), "B": (0, 1), "C": (3, 2.2), "D": (3, 0)},
        links={"ground": ["A", "D"], "crank": ["A", "B"], "coupler": ["B", "C"], "rocker": ["C", "D"]},
        drivers={"motor": {"joint": "A", "speed": 1.0}},
    )


def double_rocker() -> Mechanism:
    """Return a four-bar whose driven rocker cannot turn fully (Fig. 44)."""
    return Mechanism(
        "Double rocker",
        points={"A": (0, 0), "B": (-0.4, 2.4), "C": (1.2, 2.6), "D": (2.4, 0)},
        links={"ground": ["A", "D"], "left": ["A", "B"], "coupler": ["B", "C"], "right": ["C", "D"]},
        drivers={"motor": {"joint": "A", "speed": 1.0}},
    )


def slider_crank() -> Mechanism:
    """Return a slider-crank whose rod is as long as its crank (Fig. 45)."""
    return Mechanism(
        "Slider-crank with equal rods",
        points={"A": (0, 0), "B": (0.6, 0.8), "C": (1.2, 0)},
        links={"ground": ["A"], "crank": ["A", "B"], "rod": ["B", "C"], "slider": ["C"]},
        joints={"guide": {"type": "prismatic", "links": ["slider", "ground"], "at": "C", "axis": [1, 0]}},
        drivers={"motor": {"joint": "A", "speed": 1.0}},
    )


def run(mechanism: Mechanism, z: float, estimate: Floats | None = None) -> NewtonRun:
    """Return a run in reference-point coordinates from the sketch, or from this estimate in relative coordinates."""
    if estimate is not None:
        return newton_raphson(mechanism.constraints("relative"), estimate, [z])
    coordinates = mechanism.constraints("reference-point")
    return newton_raphson(coordinates, coordinates.start()[:, 0], [z])


#: Figures 44 and 45: the mechanism, what the driver's angle shows, and this angle [rad].
RUNS: tuple[tuple[str, Callable[[], Mechanism], str, float], ...] = (
    ("44", double_rocker, "within reach", 2.0),
    ("44", double_rocker, "out of reach", 0.0),
    ("45", slider_crank, "both rods apart", 1.2),
    ("45", slider_crank, "both rods coincide", 0.5 * np.pi),
)


def basins(mechanism: Mechanism, z: float, points: int = 33) -> tuple[Floats, Floats, Floats]:
    """Return estimates of the relative angles (points,) of coupler and rocker, and where each pair of them leads.

    leads (rocker, coupler) is +1 or -1, the sign of the sine at the pin between both in the pose found; NaN: none.
    """
    angles = np.linspace(-np.pi, np.pi, points)
    leads = np.full((points, points), np.nan)
    for i, coupler in enumerate(angles):
        for k, rocker in enumerate(angles):
            found = run(mechanism, z, np.array([z, coupler, rocker]))
            if found.converged:
                leads[k, i] = np.sign(np.sin(found.q[2]))
    return angles, angles, leads


def newton_rows() -> list[tuple[str, ...]]:
    """Return how each run ends."""
    rows: list[tuple[str, ...]] = [("figure", "what", "start", "iterations", "ends")]
    for curve in CURVES:
        for start in curve.starts:
            found = iterates(curve, start)
            solved = abs(float(curve.value(found[-1]))) < ROUNDING
            rows.append(
                (
                    curve.figure,
                    curve.what,
                    f"{start:g}",
                    str(len(found) - 1),
                    f"at {found[-1]:.3g}" if solved else "fails",
                )
            )
    for figure, make, what, z in RUNS:
        one = run(make(), z)
        rows.append((figure, what, f"{z:.3g} rad", str(one.iterations), one.outcome.value))
    return rows


def draw_newton(points: int = 33) -> Figure:
    """Draw the iterations: tangents of functions, estimates that lead to either configuration, and residuals."""
    figure = new_figure(12.0, 6.4)
    panels = figure.subplots(2, 4).ravel()
    for axes, curve in zip(panels, CURVES, strict=False):
        _tangents(axes, curve)
    _basins(panels[5], points)
    for axes, wanted, title in ((panels[6], "44", "Fig. 44: double rocker"), (panels[7], "45", "Fig. 45: equal rods")):
        for number, (_, make, what, z) in enumerate(one for one in RUNS if one[0] == wanted):
            residuals = run(make(), z).residuals
            axes.semilogy(np.maximum(residuals, LEAST_DRAWN), "o-", ms=3, color=PALETTE[number], label=what)
        tidy(axes, title, "iteration", "largest residual")
        axes.legend(fontsize=SMALL)
    return figure


def _tangents(axes: Axes, curve: Curve) -> None:
    x = np.linspace(*curve.extent, 201)
    axes.plot(x, curve.value(x), color=PALETTE[0])
    axes.axhline(0, color=GROUND, linewidth=0.8)
    for number, start in enumerate(curve.starts):
        found = iterates(curve, start)
        colour = (DRIVER, PALETTE[2])[number]
        if len(found) == 1:
            axes.axhline(float(curve.value(start)), color=colour, linewidth=1)
        for here, there in pairwise(found):
            y = float(curve.value(here))
            axes.plot([here, here, there], [0, y, 0], color=colour, linewidth=1)
        axes.plot(start, float(curve.value(start)), "o", color=colour, ms=5)
    axes.set_xlim(*curve.extent)
    tidy(axes, f"Fig. {curve.figure}: {curve.what}", "q", "Phi")


def _basins(axes: Axes, points: int) -> None:
    from matplotlib.colors import ListedColormap

    across, along, leads = basins(four_bar(), 1.0, points)
    degrees = np.degrees(across), np.degrees(along)
    axes.pcolormesh(*degrees, leads, cmap=ListedColormap([PALETTE[1], PALETTE[4]]), vmin=-1, vmax=1, shading="nearest")
    axes.set(xticks=[-180, 0, 180], yticks=[-180, 0, 180])
    tidy(axes, "Fig. 43: estimates that lead\nto one configuration or the other", "coupler [deg]", "rocker [deg]")
