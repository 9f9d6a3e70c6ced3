"""What a run of small steps returns: every recorded state, with exact velocities and accelerations of all points."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from structkin.model.frozen import freeze
from structkin.multibody.joint import Floats
from structkin.multibody.model import SpatialModel
from structkin.multibody.readings import Readings, body_and_place
from structkin.spatial.elements import Element
from structkin.spatial.packing import Packed

if TYPE_CHECKING:
    from structkin.spatial.measures import Measures


@dataclass(frozen=True, eq=False, repr=False)
class SmallStepMotion(Readings):
    """The motion of a model by small steps: times t (n,) [s] and all that was recorded at them; SI, in ground axes.

    `status` is "ok", or says when and why the run ended early: then t ends before that. At time 0, joints are not
    strained yet and carry nothing: the accelerations of bodies on joints are NaN there.
    """

    model: SpatialModel
    t: Floats
    status: str
    packed: Packed
    records: Floats
    readings: Floats

    def __post_init__(self) -> None:
        """Make all arrays read-only."""
        freeze(self)

    @property
    def step(self) -> float:
        """The step taken [s]."""
        return self.packed.step

    @property
    def elements(self) -> dict[str, Element]:
        """The stiffness and damping of every joint."""
        return self.packed.elements

    def _body(self, name: str) -> tuple[Floats, int, Floats]:
        """Return the records of a body, its row, and the arm (n, 3) from its centre of mass to it or its point."""
        body, place = body_and_place(self.model, name)
        k = self.packed.solids.number(body.name)
        rows, arm = self.records[:, k - 1], self.packed.solids.local(k, place)
        return rows, k, rows[:, 6:15].reshape(-1, 3, 3) @ arm

    def position(self, of: str) -> Floats:
        """Return the positions (n, 3) [m] of a point "body.point", or of a body's centre of mass (S3, eq. 12)."""
        rows, _, arm = self._body(of)
        return np.asarray(rows[:, :3] + arm)

    def velocity(self, of: str) -> Floats:
        """Return the velocities (n, 3) [m/s] of a point or a centre of mass: v + omega x r (S3, eq. 14, exact)."""
        rows, _, arm = self._body(of)
        return np.asarray(rows[:, 3:6] + np.cross(rows[:, 15:18], arm))

    def acceleration(self, of: str) -> Floats:
        """Return the accelerations (n, 3) [m/s^2]: a + alpha x r + omega x (omega x r) (S3, eq. 15, exact)."""
        rows, _, arm = self._body(of)
        spin = rows[:, 15:18]
        return np.asarray(rows[:, 18:21] + np.cross(rows[:, 21:24], arm) + np.cross(spin, np.cross(spin, arm)))

    def rotation(self, body: str) -> Floats:
        """Return the rotations (n, 3, 3) of a body from the drawn pose (S3, eq. 13)."""
        rows, k, _ = self._body(body)
        return np.asarray(rows[:, 6:15].reshape(-1, 3, 3) @ self.packed.solids.axes[k].T)

    def angular_velocity(self, body: str) -> Floats:
        """Return the angular velocities (n, 3) [rad/s] of a body (S3, eq. 16)."""
        return np.asarray(self._body(body)[0][:, 15:18])

    def angular_acceleration(self, body: str) -> Floats:
        """Return the angular accelerations (n, 3) [rad/s^2] of a body (S3, eq. 17)."""
        return np.asarray(self._body(body)[0][:, 21:24])

    @cached_property
    def _measures(self) -> Measures:
        from structkin.spatial.measures import Measures

        return Measures(self.model, self.packed, self.t, self.records, self.readings)

    @cached_property
    def energy(self) -> Floats:
        """The energy (n,) [J]: kinetic, of gravity, of springs, stops and of the joints' elements."""
        return self._measures.energy()

    @cached_property
    def closure(self) -> Floats:
        """The largest opening (n,) [m] of a joint in the directions that it holds."""
        return self._measures.closure()[0]

    @property
    def breaks(self) -> dict[str, float]:
        """When springs broke [s]: those that did, by name."""
        pairs = zip(self.packed.springs, self.packed.memory.broke_at, strict=True)
        return {spring.name: float(k * self.step) for spring, k in pairs if k >= 0}

    def _coordinates(self, joint: str, rate: bool) -> Floats:
        columns = dict[int, int]()
        for k, one in enumerate(self.packed.watched):
            if one.joint == joint:
                columns.setdefault(one.number, k)
        return np.asarray(self.readings[:, [columns[n] for n in sorted(columns)], int(rate)])
