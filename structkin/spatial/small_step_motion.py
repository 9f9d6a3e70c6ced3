"""What a run of small steps returns: every recorded state, with exact velocities and accelerations of all points."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from structkin.model.frozen import freeze
from structkin.multibody.model import SpatialModel
from structkin.multibody.readings import BodyStates, Readings, body_and_place
from structkin.spatial.elements import Element
from structkin.spatial.loop_arrays import Packed
from structkin.types import Floats

if TYPE_CHECKING:
    from structkin.spatial.energies import Measures


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

    def _states(self, of: str) -> BodyStates:
        body, place = body_and_place(self.model, of)
        k = self.packed.solids.number(body.name)
        rows, arm = self.records[:, k - 1], self.packed.solids.local(k, place)
        axes = rows[:, 6:15].reshape(-1, 3, 3)
        return BodyStates(
            rows[:, :3], rows[:, 3:6], rows[:, 18:21], axes @ self.packed.solids.axes[k].T,
            rows[:, 15:18], rows[:, 21:24], axes @ arm,
        )  # fmt: skip

    @cached_property
    def _measures(self) -> Measures:
        from structkin.spatial.energies import Measures

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
