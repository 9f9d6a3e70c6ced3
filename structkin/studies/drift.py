"""Forward dynamics of a motion that is prescribed whole: what is left of it without and with Baumgarte's feedback.

The walking person has no free mobility, yet the equations with multipliers integrate it: joints and guides hold only as
second derivatives, and what the integrator misses adds up in both (Flores & Lankarani, Fig. 62).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from structkin.dynamics.integrators.methods import FIXED
from structkin.dynamics.multipliers.stabilisation import Feedback
from structkin.dynamics.multipliers.start import global_start
from structkin.model import Mechanism

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Drift:
    """How far points are from where the guides have them: gaps[point] (n, 2) [m] at the times (n,) [s]."""

    t: Floats
    gaps: dict[str, Floats]
    gain: float

    @property
    def worst(self) -> float:
        """The largest gap [m]."""
        return max(float(np.max(np.abs(gap))) for gap in self.gaps.values())


def drift(
    mechanism: Mechanism,
    points: Sequence[str],
    gain: float = 0.0,
    *,
    step: float = 0.00145,
    misses: float = 0.0,
    family: str = "reference-point",
) -> Drift:
    """Integrate a driven mechanism by RK4 with alpha = beta = `gain` [1/s]; zero is direct integration.

    `misses` is the part of the initial velocities that is left out, as by initial conditions that do not fit. The
    default step [s] and coordinates are those of the paper.
    """
    equations, y = global_start(mechanism, family, Feedback(gain, gain), (), 0.0, formulation="multipliers")
    n = equations.coordinates.n
    y[n:] *= 1 - misses
    count = int(np.ceil((mechanism.duration or 1.0) / step * (1 - 1e-9)))
    t = np.linspace(0.0, mechanism.duration or 1.0, count + 1)
    method, kept = FIXED["rk4"](), [y]
    for k in range(count):
        y = method.step(equations, float(t[k]), y, float(t[k + 1] - t[k]))
        kept.append(y)
    true = mechanism.solve(t=t)
    frames = equations.coordinates.frames(np.array(kept).T[:n])
    links = equations.coordinates.links
    gaps = {point: _place(mechanism, links, frames, point) - true.position(point) for point in points}
    return Drift(t, gaps, gain)


def _place(mechanism: Mechanism, links: Sequence[str], frames: Floats, point: str) -> Floats:
    """Return the places (n, 2) [m] of a point from the frames (4 links, n), on the last link that has it."""
    link = next(name for name in reversed(links) if point in mechanism.links[name].local)
    place, k = mechanism.links[link].local[point], 4 * list(links).index(link)
    x, y, c, s = frames[k : k + 4]
    return np.column_stack((x + place.real * c - place.imag * s, y + place.real * s + place.imag * c))
