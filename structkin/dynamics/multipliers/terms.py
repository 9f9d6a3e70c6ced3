"""Masses and forces of all links in a family of coordinates, state by state: M q'' + Phi_q^T lambda = Q."""

from __future__ import annotations

import numpy as np

from structkin.dynamics.bodies import mass_table
from structkin.dynamics.driver_coordinates import DriverCoordinates
from structkin.dynamics.efforts import given_efforts
from structkin.dynamics.friction import pressed
from structkin.dynamics.multipliers.masses import CoordinateMasses, FrameLoads, FrameMasses
from structkin.dynamics.multipliers.turns import LinkTurns
from structkin.errors import InputError
from structkin.global_methods.families import Coordinates
from structkin.global_methods.frame_plan import frame_plan
from structkin.model.mechanism import Mechanism
from structkin.rows.matrix import Matrix
from structkin.solve.special_geometry import structure_of
from structkin.types import Floats, Indices


class GlobalTerms:
    """M and Q of a mechanism in one family of coordinates; turns of links are counted from the sketch."""

    def __init__(self, mechanism: Mechanism, coordinates: Coordinates) -> None:
        """Write the masses; `InputError` for a mass without a centre, and for friction by a coefficient."""
        if problems := pressed(mechanism):
            raise InputError(problems, mechanism.title or "mechanism")
        c = self._coordinates = coordinates
        self._mechanism, self._order = mechanism, tuple(mechanism.drivers)
        self._on_frames = FrameMasses(mechanism, c.links, mass_table(mechanism))
        self._masses = CoordinateMasses(c, self._on_frames)
        self._loads = FrameLoads(mechanism, frame_plan(mechanism, structure_of(mechanism)), c.links, ())
        self._drivers = DriverCoordinates.of_frames(mechanism, c.links, mechanism.drivers.values())
        self._turns, start = LinkTurns(mechanism, c), c.start()
        X = c.frames(start)[:, 0]
        self._turns.begin(0.0, start[:, 0], X, np.zeros_like(X), dict.fromkeys(c.links, 0.0))

    def mass(self, q: Floats) -> tuple[Indices, Indices, Floats]:
        """Return rows, columns and entries (entries, lanes) of M at coordinates (n, lanes)."""
        entries = [self._masses.entries(lane) for lane in self._coordinates.frame_map(q)[2].T]
        return *self._masses.pattern, np.stack(entries, axis=1)

    def forces(self, q: Floats, v: Floats, t: float) -> Floats:
        """Return Q (n, lanes) at coordinates and rates (n, lanes)."""
        c, efforts = self._coordinates, given_efforts(self._mechanism, self._order, t)
        rows, columns, entries = c.frame_map(q)
        X, dX = c.frames(q), c.frame_rates(q, v)
        push = self._on_frames.weight[:, None] - self._on_frames.matrix @ c.frame_seconds(q, v, np.zeros_like(v))
        for k in range(q.shape[1]):
            turns = self._turns.at(0.0, q[:, k], X[:, k], dX[:, k])
            push[:, k] += self._loads(t, X[:, k], dX[:, k], turns) + efforts @ self._drivers.gradient(X[:, k])
        return np.asarray(Matrix.summing(columns, c.n) @ (entries * push[rows]))
