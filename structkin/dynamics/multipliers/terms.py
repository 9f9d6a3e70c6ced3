"""Masses and forces of all links in a family of coordinates, state by state: M q'' + Phi_q^T lambda = Q."""

from __future__ import annotations

import numpy as np

from structkin.dynamics.friction import pressed
from structkin.dynamics.multipliers.multiplier_equations import Multipliers
from structkin.dynamics.multipliers.stabilisation import Feedback
from structkin.errors import InputError
from structkin.global_methods.families import Coordinates
from structkin.model.mechanism import Mechanism
from structkin.types import Floats, Indices


class GlobalTerms:
    """M and Q of a mechanism in one family of coordinates; turns of links are counted from the sketch."""

    def __init__(self, mechanism: Mechanism, coordinates: Coordinates) -> None:
        """Write the masses; `InputError` for a mass without a centre, and for friction by a coefficient."""
        if problems := pressed(mechanism):
            raise InputError(problems, mechanism.title or "mechanism")
        self._coordinates = coordinates
        self._equations = Multipliers(mechanism, coordinates.family, Feedback(0.0, 0.0))
        start = coordinates.start()[:, 0]
        rest = np.concatenate((start, np.zeros_like(start)))
        self._equations.begin(0.0, rest, dict.fromkeys(coordinates.links, 0.0))

    def mass(self, q: Floats) -> tuple[Indices, Indices, Floats]:
        """Return rows, columns and entries (entries, lanes) of M at coordinates (n, lanes)."""
        masses = self._equations.masses
        entries = [masses.entries(lane) for lane in self._coordinates.frame_map(q)[2].T]
        return *masses.pattern, np.stack(entries, axis=1)

    def forces(self, q: Floats, v: Floats, t: float) -> Floats:
        """Return Q (n, lanes) at coordinates and rates (n, lanes)."""
        found = [self._equations.forces(t, np.concatenate(state)) for state in zip(q.T, v.T, strict=True)]
        return np.stack(found, axis=1)
