"""The largest stable step of the loop in the start pose, from all springs and dampers of the model.

For M x'' + D x' + K x = 0 with symmetric K and D, the step v += dt a, x += dt v has the multipliers z with
z^2 + z (dt^2 k + dt d - 2) + 1 - dt d = 0, where k and d are the quotients x* K x / x* M x and x* D x / x* M x of an
eigenvector. It is stable while dt^2 k + 2 dt d < 4, that is, while no eigenvalue of M^-1 (dt^2 K + 2 dt D) reaches 4.
"""

from __future__ import annotations

import numpy as np

from structkin.multibody.model import GROUND, JointLoad, SpatialModel, Spring, Stop
from structkin.spatial.elements import Element
from structkin.spatial.packing import Solids, triad
from structkin.types import Floats

#: Six numbers per body: what multiplies its velocity and angular velocity.
Row = dict[str, Floats]
#: Up to this many bodies the eigenvalue comes from a full matrix.
FULL = 100


class Stability:
    """Stiffness and damping of a model in the start pose, scaled by its masses."""

    def __init__(self, model: SpatialModel, solids: Solids, elements: dict[str, Element]) -> None:
        """Collect rows B with stiffness k and damping d: K = sum of k B^T B, D = sum of d B^T B."""
        self.model, self.solids = model, solids
        self.frames = dict(zip(solids.names, solids.frames, strict=True))
        self.entries: list[tuple[int, int, Floats]] = []
        self.weights: list[tuple[float, float]] = []
        for name, element in elements.items():
            self._joint(name, element)
        for load in model.loads.values():
            match load:
                case Spring():
                    ends = [self.frames[body].place(x) for body, x in zip(load.bodies, load.points, strict=True)]
                    length = float(np.linalg.norm(ends[1] - ends[0]))
                    along = (ends[1] - ends[0]) / (length or 1.0)
                    self._add(self._shift(load.bodies, (ends[0], ends[1]), along), load.stiffness, load.damping)
                case JointLoad() | Stop():
                    self._add(self._coordinate(load.joint, load.coordinate), load.stiffness, load.damping)

    def _axes(self, name: str) -> tuple[Floats, Floats]:
        """Return the place of a joint on its second body, and its triad as rows on the first."""
        joint = self.model.joints[name]
        first, second = (self.frames[body] for body in joint.bodies)
        return second.place(joint.at), triad(joint) @ first.rotation.T

    def _joint(self, name: str, element: Element) -> None:
        joint, damping = self.model.joints[name], element.damping
        at, axes = self._axes(name)
        a, b, c = axes
        for axis, k in ((a, element.along), (b, element.across), (c, element.across)):
            self._add(self._shift(joint.bodies, (at, at), axis), k, damping * k)
        for axis, k in ((a, element.twist), (b, element.tilt), (c, element.tilt)):
            self._add(self._turn(joint.bodies, axis), k, damping * k)
        second = self.frames[joint.bodies[1]].rotation @ joint.second
        self._add(self._turn(joint.bodies, np.cross(second, a)), element.cross, damping * element.cross)
        shift, turn = self._shift(joint.bodies, (at, at), a), self._turn(joint.bodies, a)
        thread = {body: shift[body] - joint.pitch * turn[body] for body in joint.bodies}
        self._add(thread, element.screw, damping * element.screw)

    def _coordinate(self, name: str, number: int) -> Row:
        joint = self.model.joints[name]
        at, axes = self._axes(name)
        motion = joint.motions[number]
        frame = axes.T @ triad(joint)  # the rotation of the first body
        if motion.rotation.any():
            return self._turn(joint.bodies, frame @ motion.rotation)
        return self._shift(joint.bodies, (at, at), frame @ motion.translation)

    def _shift(self, bodies: tuple[str, str], at: tuple[Floats, Floats], axis: Floats) -> Row:
        """Return the row that gives the velocity along an axis of a place on the second body relative to the first."""
        row: Row = {}
        for body, place, sign in zip(bodies, at, (-1.0, 1.0), strict=True):
            arm = place - self.frames[body].place(self.solids.center[self.solids.number(body)])
            row[body] = sign * np.concatenate([axis, np.cross(arm, axis)])
        return row

    def _turn(self, bodies: tuple[str, str], axis: Floats) -> Row:
        """Return the row that gives the angular velocity about an axis of the second body relative to the first."""
        return {
            body: sign * np.concatenate([np.zeros(3), axis]) for body, sign in zip(bodies, (-1.0, 1.0), strict=True)
        }

    def _add(self, row: Row, stiffness: float, damping: float) -> None:
        """Add a row, divided by the square roots of the masses."""
        if stiffness <= 0.0 and damping <= 0.0:
            return
        for body, values in row.items():
            if body != GROUND:
                k = self.solids.number(body)
                turned = values[3:] @ self.frames[body].rotation @ self.solids.axes[k]
                scaled = [values[:3] / np.sqrt(self.solids.mass[k]), turned / np.sqrt(self.solids.moments[k])]
                self.entries.append((len(self.weights), 6 * k - 6, np.concatenate(scaled)))
        self.weights.append((max(stiffness, 0.0), max(damping, 0.0)))

    def multiplier(self, dt: float) -> float:
        """Return the largest eigenvalue of M^-1 (dt^2 K + 2 dt D): the loop is stable below 4."""
        if not self.weights:
            return 0.0
        from scipy.sparse import csr_array
        from scipy.sparse.linalg import eigsh

        size = 6 * (len(self.solids.names) - 1)
        stiffness, damping = np.array(self.weights).T
        root = np.sqrt(dt**2 * stiffness + 2.0 * dt * damping)
        rows = np.repeat([row for row, _, _ in self.entries], 6)
        columns = np.concatenate([np.arange(first, first + 6) for _, first, _ in self.entries])
        values = np.concatenate([values for _, _, values in self.entries]) * root[rows]
        matrix = csr_array((values, (rows, columns)), shape=(len(root), size))
        square = matrix.T @ matrix
        if size <= 6 * FULL:
            return float(np.linalg.eigvalsh(square.toarray())[-1])
        return float(eigsh(square, 1, return_eigenvectors=False, v0=np.ones(size))[0])

    def largest_step(self) -> float:
        """Return the largest stable step [s], infinite if nothing vibrates."""
        if self.multiplier(1.0) == 0.0:
            return float("inf")
        # the multiplier grows at least like dt, at most like dt^2
        low, high = 1.0, 1.0
        while self.multiplier(low) > 4.0:
            low /= 4.0
        while self.multiplier(high) < 4.0:
            high *= 4.0
        for _ in range(40):
            middle = np.sqrt(low * high)
            low, high = (middle, high) if self.multiplier(middle) < 4.0 else (low, middle)
        return float(low)
