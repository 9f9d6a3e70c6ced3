"""Turns of all links in the global equations, counted from step to step.

A direction in the coordinates leaves whole turns open. Angles among the coordinates contain them; for other links the
turn is the one nearest to the integral of the angular velocities since the last accepted step, by the trapezoidal rule.
So it is a function of time, state and the count at that step, which neither trial steps nor outputs change.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from structkin.global_methods.families import Coordinates
from structkin.model.mechanism import Mechanism
from structkin.types import Floats


class LinkTurns:
    """The turns since the sketch [rad] of the links (k,) of a family of coordinates."""

    def __init__(self, mechanism: Mechanism, coordinates: Coordinates) -> None:
        """Begin at the sketch."""
        self.links, self._coordinates = coordinates.links, coordinates
        self.sketch = np.array([np.angle(mechanism.links[link].direction) for link in self.links])
        self.held = self.rates = self.turns = np.zeros(len(self.links))
        self.t = 0.0

    def begin(self, t: float, q: Floats, X: Floats, dX: Floats, turns: Mapping[str, float]) -> None:
        """Begin at coordinates (n,), frames (4 links,) and their rates, where these are the turns."""
        self.turns = np.array([turns[link] for link in self.links])
        self.held = self.turns - self._coordinates.angles(q[:, None])[:, 0]
        self.t, self.rates = t, _omega(X, dX)
        self.accept(t, q, X, dX)

    def at(self, t: float, q: Floats, X: Floats, dX: Floats) -> Floats:
        """Return the turns (k,) at coordinates (n,), frames (4 links,) and their rates at a time."""
        held = self._coordinates.angles(q[:, None])[:, 0] + self.held
        expected = self.turns + 0.5 * (self.rates + _omega(X, dX)) * (t - self.t)
        near = np.where(np.isnan(held), expected, held)
        U = X.reshape(-1, 4)[:, 2:]
        turns = np.arctan2(U[:, 1], U[:, 0]) - self.sketch
        return np.asarray(turns + 2 * np.pi * np.round((near - turns) / (2 * np.pi)))

    def resume(self, t: float, turns: Floats, rates: Floats) -> None:
        """Continue from a step whose end was counted elsewhere, with turns and angular velocities (k,)."""
        self.t, self.turns, self.rates = t, turns, rates

    def accept(self, t: float, q: Floats, X: Floats, dX: Floats) -> None:
        """Count the turns at the end of a step."""
        self.turns, self.rates, self.t = self.at(t, q, X, dX), _omega(X, dX), t


def _omega(X: Floats, dX: Floats) -> Floats:
    """Return the angular velocities (k,) of frames (4 k,)."""
    U, dU = X.reshape(-1, 4)[:, 2:], dX.reshape(-1, 4)[:, 2:]
    return np.asarray((U[:, 0] * dU[:, 1] - U[:, 1] * dU[:, 0]) / np.sum(U * U, axis=1))
