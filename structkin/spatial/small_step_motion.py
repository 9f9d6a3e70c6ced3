"""What a run of small steps returns: every recorded state, with exact velocities and accelerations of all points.

Energy and openings of joints are computed from recorded states by NumPy: nothing of the compiled loop is used.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from structkin.multibody.model import GROUND, JointLoad, SpatialModel, Stop
from structkin.multibody.readings import BodyStates, Readings, body_and_place
from structkin.spatial.elements import HELD, Element
from structkin.spatial.loop_arrays import Packed, triad
from structkin.types import Floats

# --- energy and openings -------------------------------------------------------------------------------------------


class Measures:
    """The states (n, bodies, 24) of a model at the times t (n,), with the coordinates (n, m, 2) that were read."""

    def __init__(self, model: SpatialModel, packed: Packed, t: Floats, records: Floats, readings: Floats) -> None:
        """Turn the rotations back to drawn axes."""
        self.model, self.packed, self.t, self.records, self.readings = model, packed, t, records, readings
        solids = packed.solids
        self.rotation = {GROUND: np.tile(np.eye(3), (len(t), 1, 1))}
        self.middle = {GROUND: np.zeros((len(t), 3))}
        for k, name in enumerate(solids.names[1:], 1):
            rows = records[:, k - 1]
            self.rotation[name] = rows[:, 6:15].reshape(-1, 3, 3) @ solids.axes[k].T
            self.middle[name] = rows[:, :3]

    def _place(self, body: str, x: Floats) -> Floats:
        """Return the places (n, 3) of what was drawn at x on a body."""
        center = np.zeros(3) if body == GROUND else self.model.bodies[body].center
        return np.asarray(self.middle[body] + self.rotation[body] @ (x - center))

    def _gap(self, name: str) -> tuple[Floats, Floats, Floats, Floats]:
        """Return the opening of a joint in its triad (n, 3), the two triads (n, 3, 3) by rows, the thread's (n,)."""
        joint = self.model.joints[name]
        first, second = joint.bodies
        one, other = (triad(joint) @ self.rotation[body].swapaxes(1, 2) for body in joint.bodies)
        gap = np.einsum("nij,nj->ni", one, self._place(second, joint.at) - self._place(first, joint.at))
        thread = np.zeros(len(self.t))
        for k, watched in enumerate(self.packed.watched):
            if joint.kind == "screw" and watched.joint == name and watched.load is None:
                thread = gap[:, 0] - joint.pitch * self.readings[:, k, 0]
        return gap, one, other, thread

    def closure(self) -> tuple[Floats, list[str]]:
        """Return the largest opening (n,) [m] of all joints in the directions they hold, and whose it is."""
        found = {}
        for name, joint in self.model.joints.items():
            across, along, _, _ = HELD[joint.kind]
            gap, _, _, thread = self._gap(name)
            held = np.column_stack([along * gap[:, 0], across * gap[:, 1], across * gap[:, 2], thread])
            found[name] = np.linalg.norm(held, axis=1)
        if not found:
            return np.zeros(len(self.t)), []
        openings = np.array(list(found.values()))
        return openings.max(axis=0), [list(found)[k] for k in openings.argmax(axis=0)]

    def energy(self) -> Floats:
        """Return the energy (n,) [J]."""
        total = np.zeros(len(self.t))
        for k, body in enumerate(self.model.bodies.values()):
            rows = self.records[:, k]
            spin = np.einsum("nji,nj->ni", self.rotation[body.name], rows[:, 15:18])
            total += body.mass * ((rows[:, 3:6] ** 2).sum(axis=1) / 2 - rows[:, :3] @ self.model.gravity)
            total += np.einsum("ni,ij,nj->n", spin, body.inertia, spin) / 2
        for name in self.model.joints:
            total += self._element(name)
        for k, spring in enumerate(self.packed.springs):
            ends = [self._place(body, x) for body, x in zip(spring.bodies, spring.points, strict=True)]
            stretch = np.linalg.norm(ends[1] - ends[0], axis=1) - spring.length
            broke = self.packed.memory.broke_at[k]
            whole = self.t < broke * self.packed.step - self.packed.step / 2 if broke >= 0 else True
            total += np.where(whole, spring.stiffness * stretch**2 / 2, 0.0)
        for k, watched in enumerate(self.packed.watched):
            q = self.readings[:, k, 0]
            match watched.load:
                case JointLoad() as load:
                    total += load.stiffness * (q - load.rest) ** 2 / 2
                case Stop() as stop:
                    total += stop.stiffness * (q - np.clip(q, stop.lower, stop.upper)) ** 2 / 2
        return total

    def _element(self, name: str) -> Floats:
        """Return the energy (n,) of a joint's element; 1 - cos of an angle is half the square of a chord."""
        e = self.packed.elements[name]
        gap, one, other, thread = self._gap(name)
        chords = ((one - other) ** 2).sum(axis=2) / 2
        shifts = e.along * gap[:, 0] ** 2 + e.across * (gap[:, 1] ** 2 + gap[:, 2] ** 2) + e.screw * thread**2
        right = np.einsum("ni,ni->n", one[:, 0], other[:, 1])
        turns = (e.tilt - e.twist / 2) * chords[:, 0] + e.twist / 2 * (chords[:, 1] + chords[:, 2])
        return np.asarray(shifts / 2 + turns + e.cross * right**2 / 2)


# --- the motion ----------------------------------------------------------------------------------------------------


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
