"""The state at time 0: coordinates and rates that are not given follow from those given, so that loops are closed.

Poses are displacements from the drawn pose: products of exponentials of the joint coordinates. A displacement D (4, 4)
takes a place drawn at x to D x. All joints are given in ground axes in the drawn pose, so the displacement of a body is
the product of those of the joints on its path from the ground.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from structkin.model.flaw import Flaw
from structkin.multibody.joint import Motion, SpatialJoint
from structkin.multibody.spanning_tree import Path, paths
from structkin.numerical_tolerances import CORRECTED, RANK_OF_SOLVED, RESIDUAL, SAME_SOLVED
from structkin.types import Floats

# --- poses ---------------------------------------------------------------------------------------------------------


def cross_matrix(a: Floats) -> Floats:
    """Return the matrix (3, 3) of the cross product a x."""
    return np.array([[0.0, -a[2], a[1]], [a[2], 0.0, -a[0]], [-a[1], a[0], 0.0]])


def displacement(motion: Motion, at: Floats, q: float) -> Floats:
    """Return the displacement (4, 4) of one motion by q [rad or m], about the place `at` (Rodrigues' formula).

    >>> z = np.array([0.0, 0, 1])
    >>> float(displacement(Motion(z, 0 * z), np.array([1.0, 0, 0]), np.pi)[0, 3])
    2.0
    """
    d = np.eye(4)
    if motion.rotation.any():
        w = cross_matrix(motion.rotation)
        d[:3, :3] += np.sin(q) * w + 2 * np.sin(q / 2) ** 2 * (w @ w)
    d[:3, 3] = at - d[:3, :3] @ at + q * motion.translation
    return d


def joint_displacement(joint: SpatialJoint, q: Sequence[float]) -> Floats:
    """Return the displacement (4, 4) of the second body relative to the first."""
    d = np.eye(4)
    for motion, value in zip(joint.motions, q, strict=True):
        d = d @ displacement(motion, joint.at, value)
    return d


def inverse(d: Floats) -> Floats:
    """Return the inverse (4, 4) of a displacement."""
    back = np.eye(4)
    back[:3, :3] = d[:3, :3].T
    back[:3, 3] = -d[:3, :3].T @ d[:3, 3]
    return back


def body_poses(found: Mapping[str, Path], q: Mapping[str, Sequence[float]]) -> dict[str, Floats]:
    """Return the displacement (4, 4) of every body at the joint coordinates q."""
    poses: dict[str, Floats] = {}
    for body, path in found.items():  # a parent stands before its children
        if not path:
            poses[body] = np.eye(4)
            continue
        joint, sense = path[-1]
        parent = joint.bodies[0 if sense > 0 else 1]
        step = joint_displacement(joint, q[joint.name])
        poses[body] = poses[parent] @ (step if sense > 0 else inverse(step))
    return poses


# --- the start -----------------------------------------------------------------------------------------------------

#: Given coordinates are reached in steps of this size [rad, or in sizes of the model], to stay in the drawn assembly.
STRIDE = 0.1

Given = Mapping[str, Sequence[float] | None]


def with_start(
    bodies: Sequence[str], joints: Mapping[str, SpatialJoint], start: Given, speed: Given
) -> dict[str, SpatialJoint]:
    """Return the joints with `start` and `rates`.

    What is not given is 0 outside loops; in loops it follows from what is given: coordinates by Newton's method from
    the drawn pose in steps, of least change where several are free, rates by the linear equations of the loops. Raises
    `Flaw` if loops cannot be closed, or not with these rates.
    """
    loops = Loops(bodies, joints)
    coordinates = loops.coordinates(start)
    rates = loops.rates(coordinates, speed)
    return {
        name: replace(joint, start=tuple(coordinates[name]), rates=tuple(rates[name])) for name, joint in joints.items()
    }


class Loops:
    """The loops of a model, and the joint coordinates in them."""

    def __init__(self, bodies: Sequence[str], joints: Mapping[str, SpatialJoint]) -> None:
        """Find the joints of every loop."""
        self.joints = joints
        self.paths, self.closing = paths(bodies, joints)
        self.around = [self._around(joint) for joint in self.closing]
        within = [name for loop in self.around for name in loop]
        self.columns = {
            (name, n): k
            for k, (name, n) in enumerate((name, n) for name in dict.fromkeys(within) for n in self._numbers(name))
        }
        places = np.array([joint.at for joint in joints.values()]).reshape(-1, 3)
        self.middle = places.mean(axis=0) if len(places) else np.zeros(3)
        self.size = 2 * float(np.abs(places - self.middle).max(initial=0.0)) or 1.0

    def _numbers(self, name: str) -> range:
        return range(len(self.joints[name].motions))

    def _around(self, closing: SpatialJoint) -> list[str]:
        """Return the joints of the loop: those that the paths of the two bodies do not share, and the closing one."""
        first, second = ({joint.name for joint, _ in self.paths[body]} for body in closing.bodies)
        return [*(first ^ second), closing.name]

    def coordinates(self, given: Given) -> dict[str, list[float]]:
        """Return all coordinates, with closed loops; raise `Flaw`."""
        q = {name: [0.0] * len(joint.motions) for name, joint in self.joints.items()}
        fixed = {name: list(values) for name, values in given.items() if values is not None}
        far = max((abs(v) / self._unit(name, n) for name, vs in fixed.items() for n, v in enumerate(vs)), default=0.0)
        steps = min(200, int(np.ceil(far / STRIDE))) or 1
        for step in range(1, steps + 1):
            for name, values in fixed.items():
                q[name] = [step / steps * value for value in values]
            if self.closing:
                self._close(q, fixed)
        return q

    def _unit(self, name: str, n: int) -> float:
        return 1.0 if self.joints[name].motions[n].rotation.any() else self.size

    def _close(self, q: dict[str, list[float]], fixed: Mapping[str, object]) -> None:
        """Change the coordinates that are not fixed until every loop is closed; raise `Flaw`."""
        free = [key for key in self.columns if key[0] not in fixed]
        for _ in range(30):
            matrix, gaps = self._linear(q)
            if np.abs(gaps).max() <= CORRECTED:
                return
            if not free:
                break
            change = np.linalg.lstsq(matrix[:, [self.columns[key] for key in free]], -gaps, rcond=RANK_OF_SOLVED)[0]
            for (name, n), value in zip(free, change, strict=True):
                q[name][n] += float(value) * self._unit(name, n)
        worst = self.closing[int(np.argmax(np.abs(gaps).reshape(-1, 6).max(axis=1)))].name
        raise Flaw(
            f"with these start values the loop through '{worst}' cannot be closed",
            "give 'start' for as many joints of a loop as it has degrees of freedom: the others follow",
        )

    def rates(self, q: Mapping[str, Sequence[float]], given: Given) -> dict[str, list[float]]:
        """Return all rates; raise `Flaw` if those given tear a loop open."""
        rates = {name: list(given.get(name) or [0.0] * len(joint.motions)) for name, joint in self.joints.items()}
        if not self.closing:
            return rates
        matrix, _ = self._linear(q)
        keys = list(self.columns)
        scales = np.array([self._unit(*key) for key in keys])
        known = np.array([rates[name][n] for name, n in keys]) / scales
        free = np.array([given.get(name) is None for name, _ in keys], dtype=bool)
        target = -matrix @ known
        found = np.linalg.lstsq(matrix[:, free], target, rcond=RANK_OF_SOLVED)[0]
        left = np.abs(matrix[:, free] @ found - target).reshape(-1, 6).max(axis=1)
        if left.max() > RESIDUAL * max(1.0, float(np.abs(known).max(initial=0.0))):
            worst = self.closing[int(np.argmax(left))].name
            raise Flaw(
                f"these speeds tear the loop through '{worst}' open",
                "give 'speed' for as many joints of a loop as it has degrees of freedom: the others follow",
            )
        for (name, n), value in zip(np.array(keys, dtype=object)[free], found * scales[free], strict=True):
            rates[name][n] = float(value)
        return rates

    def _linear(self, q: Mapping[str, Sequence[float]]) -> tuple[Floats, Floats]:
        """Return d(gap)/dq (6 l, n) and the gaps (6 l,) of the l loops, lengths in sizes of the model.

        The gap of a loop is the twist about its middle that would still have to be made.
        """
        poses = body_poses(self.paths, q)
        twists = {name: self._twists(self.joints[name], q[name], poses) for name in {n for n, _ in self.columns}}
        matrix = np.zeros((6 * len(self.closing), len(self.columns)))
        gaps = np.zeros(6 * len(self.closing))
        for k, closing in enumerate(self.closing):
            block = slice(6 * k, 6 * k + 6)
            first, second = (poses[body] for body in closing.bodies)
            reached = first @ joint_displacement(closing, q[closing.name])
            gaps[block] = self._gap(reached @ inverse(second))
            signs = {closing.name: 1.0}
            for body, sign in zip(closing.bodies, (1.0, -1.0), strict=True):
                for joint, sense in self.paths[body]:
                    signs[joint.name] = signs.get(joint.name, 0.0) + sign * sense
            for name, sign in signs.items():
                for n in self._numbers(name) if sign else ():
                    matrix[block, self.columns[name, n]] += sign * twists[name][n] * self._unit(name, n)
        return matrix, gaps

    def _gap(self, d: Floats) -> Floats:
        """Return the rotation vector of a displacement, and that of the middle, in sizes of the model."""
        skew = d[:3, :3] - d[:3, :3].T
        turn = np.array([skew[2, 1], skew[0, 2], skew[1, 0]]) / 2
        sine, cosine = float(np.linalg.norm(turn)), (float(np.trace(d[:3, :3])) - 1) / 2
        if sine > SAME_SOLVED:
            turn = turn * (np.arctan2(sine, cosine) / sine)
        elif cosine < 0:
            turn = np.array([np.pi, 0.0, 0.0])  # half a turn: far from closed, about whatever axis
        shift = d[:3, :3] @ self.middle + d[:3, 3] - self.middle
        return np.concatenate([turn, shift / self.size])

    def _twists(self, joint: SpatialJoint, q: Sequence[float], poses: Mapping[str, Floats]) -> list[Floats]:
        """Return the twist (6,) of each coordinate: rotation, velocity of the middle in sizes of the model."""
        d = poses[joint.bodies[0]]
        found = []
        for motion, value in zip(joint.motions, q, strict=True):
            turn = d[:3, :3] @ motion.rotation
            at = d[:3, :3] @ joint.at + d[:3, 3]
            shift = d[:3, :3] @ motion.translation + cross_matrix(turn) @ (self.middle - at)
            found.append(np.concatenate([turn, shift / self.size]))
            d = d @ displacement(motion, joint.at, value)
        return found
