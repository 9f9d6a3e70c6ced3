"""Forward dynamics of a fully prescribed motion: how far it drifts without and with Baumgarte's feedback.

The walking person has no free mobility, yet the equations with multipliers integrate it: joints and guides are enforced
only in their second derivatives, and the errors of the integrator accumulate in both (Flores & Lankarani, Fig. 62).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from structkin.dynamics.integrators.methods import FIXED
from structkin.dynamics.multipliers.consistent_start import global_start
from structkin.dynamics.multipliers.stabilisation import Feedback
from structkin.model import Mechanism
from structkin.numerical_tolerances import NEGLIGIBLE, WHOLE
from structkin.show.style import GROUND, PALETTE, SMALL, new_figure
from structkin.studies.pictures import tidy
from structkin.types import Floats

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@dataclass(frozen=True)
class Drift:
    """Paths of points as integrated, paths[name] (n, 2) [m] at times t (n,) [s], and as guided, true[name]."""

    t: Floats
    paths: dict[str, Floats]
    true: dict[str, Floats]
    gain: float

    @property
    def gaps(self) -> dict[str, Floats]:
        """The distance (n, 2) [m] of each point from its guided place."""
        return {name: path - self.true[name] for name, path in self.paths.items()}

    @property
    def worst(self) -> float:
        """The largest gap [m]."""
        return max(float(np.max(np.abs(gap))) for gap in self.gaps.values())


def drift(
    mechanism: Mechanism,
    names: Sequence[str],
    gain: float = 0.0,
    *,
    step: float = 0.00145,
    misses: float = 0.0,
    family: str = "reference-point",
) -> Drift:
    """Integrate a driven mechanism by RK4 with alpha = beta = `gain` [1/s]; zero is direct integration.

    `names` are points, or links whose centre of mass is followed. `misses` is the fraction of the initial velocities
    that is left out, to represent inconsistent initial conditions. The default step [s] and coordinates are those of
    the paper.
    """
    equations, y = global_start(mechanism, family, Feedback(gain, gain), (), 0.0, formulation="multipliers")
    n = equations.coordinates.n
    y[n:] *= 1 - misses
    count = int(np.ceil((mechanism.duration or 1.0) / step * (1 - WHOLE)))
    t = np.linspace(0.0, mechanism.duration or 1.0, count + 1)
    method, kept = FIXED["rk4"](), [y]
    for k in range(count):
        y = method.step(equations, float(t[k]), y, float(t[k + 1] - t[k]))
        kept.append(y)
    true = mechanism.solve(t=t)
    frames = equations.coordinates.frames(np.array(kept).T[:n])
    links = list(equations.coordinates.links)
    places = {name: _place(mechanism, links, name) for name in names}
    paths = {name: _path(frames, links.index(link), local) for name, (link, local) in places.items()}
    return Drift(t, paths, {name: true.position(local, link) for name, (link, local) in places.items()}, gain)


def _place(mechanism: Mechanism, links: Sequence[str], name: str) -> tuple[str, complex]:
    """Return a link and its centre of mass in its frame; for a point, the last link that has it and its place there."""
    if name in mechanism.links:
        return name, mechanism.links[name].center or 0j
    link = next(link for link in reversed(links) if name in mechanism.links[link].local)
    return link, mechanism.links[link].local[name]


def _path(frames: Floats, k: int, local: complex) -> Floats:
    """Return the places (n, 2) [m] of a point of link k from the frames (4 links, n)."""
    x, y, c, s = frames[4 * k : 4 * k + 4]
    return np.column_stack((x + local.real * c - local.imag * s, y + local.real * s + local.imag * c))


def drift_rows(found: Mapping[str, Sequence[Drift]]) -> list[tuple[str, ...]]:
    """Return how far the bodies of a driven motion drift, by start and gain."""
    rows: list[tuple[str, ...]] = [("start", "alpha = beta", "largest closure error [mm]", "at the end [mm]")]
    for title, runs in found.items():
        for one in runs:
            last = max(float(abs(gap[-1]).max()) for gap in one.gaps.values())
            rows.append((title, f"{one.gain:g}", f"{1e3 * one.worst:.2g}", f"{1e3 * last:.2g}"))
    return rows


def draw_courses(found: Mapping[str, Sequence[Drift]], t: Floats, data: Mapping[str, Floats]) -> Figure:
    """Draw the height of each body over time, a row for each start, against the data (n, 2) at times t (n,).

    As in Flores & Lankarani, Fig. 62: direct integration, and the smallest gain.
    """
    figure, grid = _grid(found, list(data))
    for runs, row in zip(found.values(), grid, strict=True):
        within = t <= runs[0].t[-1] + NEGLIGIBLE
        for axes, (name, path) in zip(row, data.items(), strict=True):
            axes.plot(t[within], path[within, 1], "o", color=GROUND, ms=2.5, alpha=0.6, label="markers")
            for k, one in enumerate(runs[:2]):
                axes.plot(one.t, one.paths[name][:, 1], color=PALETTE[k], linewidth=1, label=_label(one))
    _name(found, grid, list(data), "y of the centre of mass [m]")
    return figure


def draw_drift(found: Mapping[str, Sequence[Drift]]) -> Figure:
    """Draw how far the bodies drift from their guided places, a row for each start."""
    names = list(next(iter(found.values()))[0].paths)
    figure, grid = _grid(found, names)
    for runs, row in zip(found.values(), grid, strict=True):
        for axes, name in zip(row, names, strict=True):
            for k, one in enumerate(runs):
                axes.plot(one.t, 1e3 * one.gaps[name][:, 1], color=PALETTE[k], label=_label(one))
    _name(found, grid, names, "y off the guides [mm]")
    return figure


def _label(one: Drift) -> str:
    return f"alpha = beta = {one.gain:g}" if one.gain else "direct integration"


def _grid(found: Mapping[str, Sequence[Drift]], names: Sequence[str]) -> tuple[Figure, NDArray[np.object_]]:
    figure = new_figure(11.0, 2.8 * len(found))
    return figure, figure.subplots(len(found), len(names), squeeze=False)


def _name(found: Mapping[str, Sequence[Drift]], grid: NDArray[np.object_], names: Sequence[str], y: str) -> None:
    for title, row in zip(found, grid, strict=True):
        for k, (axes, name) in enumerate(zip(row, names, strict=True)):
            tidy(axes, f"{name.removeprefix('right_')}, {title}", "t [s]", "" if k else y)
    grid[0, 0].figure.legend(
        *grid[0, 0].get_legend_handles_labels(), fontsize=SMALL, loc="outside lower center", ncols=3
    )
