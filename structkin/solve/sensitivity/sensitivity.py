"""Derivatives of a motion by the numbers of its mechanism; see `Motion.sensitivity`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from structkin.errors import InputError, Problem
from structkin.groups.kind import dot, turned
from structkin.joints.circular_slot import CircularSlot
from structkin.joints.guide import Guide
from structkin.numerical_tolerances import COMPLEX_STEP
from structkin.rows.affine import Affine
from structkin.solve.derivatives import Derivatives
from structkin.solve.many.variants import Variants
from structkin.solve.motion.moving_frames import PartKind
from structkin.solve.sensitivity.parameters import read_parameters
from structkin.solve.sensitivity.sweep import Array, Sweep, Weights
from structkin.solve.sensitivity.varied_plan import OFFSETS, VariedPlan, varied_plan
from structkin.types import Flags, Floats

if TYPE_CHECKING:
    from structkin.solve.motion.motion import Motion


@dataclass(frozen=True, eq=False)
class Sensitivity:
    """The derivatives of quantities of a motion by p parameters."""

    motion: Motion
    varied: VariedPlan

    @classmethod
    def of(cls, motion: Motion, names: Sequence[str]) -> Sensitivity:
        """Return the derivatives by parameters of these names."""
        mechanism = motion.mechanism
        if motion.statistics is not None or motion.counted:
            hint = "solve it by groups: mechanism.solve(...)"
            raise InputError([Problem("motion", "was not solved by groups", hint)], mechanism.title)
        return cls(motion, varied_plan(mechanism, read_parameters(mechanism, names)))

    def point(self, name: str | complex, link: str | None, order: int) -> Floats:
        """Return those of a point (n, 2, p), or of its velocity (order 1)."""
        own = self.motion._frames.place(name, link)
        found = self._along((self._place(name, link),), _of_point, order)
        return self._known(np.moveaxis(found, 0, 1), own)

    def angle(self, link: str, order: int) -> Floats:
        """Return those of the angle of a link (n, p), or of its angular velocity."""
        own = self.motion._frames.frame(link).direction
        return self._known(self._along((self.varied.frames[link].direction,), _of_angle, order)[0], own)

    def travel(self, joint: str, order: int) -> Floats:
        """Return those of the travel of a joint (n, p), or of its rate; `InputError` for other curved slots."""
        frames, sliding = self.motion._frames, self.motion._frames.sliding(joint)
        if not isinstance(sliding, Guide | CircularSlot):
            raise frames.unknown(joint, "a prismatic joint, or a straight or circular slot", ())
        point, origin, unit, start = self.varied.line(joint)
        carrier, slider = (self.varied.frames[link] for link in (sliding.carrier, sliding.slider))
        vectors = carrier.direction * unit, slider.point(point) - carrier.point(origin)
        found = self._along(vectors, _of_travel if isinstance(sliding, Guide) else _of_arc, order)[0]
        if order == 0 and isinstance(start, Variants):
            found -= self.varied.slope(start.values)
        return self._known(found, *sliding.direction_and_vector(self.motion.plan.frames))

    def gradient(self, weights: Mapping[str, ArrayLike]) -> Floats:
        """Return that of a sum of weights (p,): weights (n, 2) of points, (n,) of links' angles; see the motion."""
        mechanism, n = self.motion.mechanism, len(self.motion)
        outputs: list[Affine] = []
        given: list[tuple[bool, Floats]] = []
        problems: list[Problem] = []
        used: list[Affine] = []
        for name, values in weights.items():
            turning, own = self.motion._frames.point_or_link(name)
            weight = np.asarray(values, float)
            if weight.shape != ((n, 2) if turning is None else (n,)):
                what = "a point (n, 2)" if turning is None else "a link (n,)"
                problems.append(
                    Problem(f"weights.{name}", f"expected those of {what}, found {weight.shape}", f"n = {n}")
                )
                continue
            outputs.append(self._place(name, None) if turning is None else self.varied.frames[turning].direction)
            given.append((turning is None, weight))
            used.append(own)
        if not weights:
            problems.append(Problem("weights", "names no point or link", 'such as {"P": weights}'))
        if problems:
            raise InputError(problems, mechanism.title)
        # A sample without weight counts as none, whether it has a pose or not.
        rows = np.flatnonzero(np.logical_or.reduce([(w != 0).reshape(n, -1).any(axis=1) for _, w in given]))
        if self._unknown(*used)[rows].any():
            return np.full(len(self.varied.parameters), np.nan)

        def by_outputs(y: Sequence[Array], part: slice) -> list[Array]:
            found = []
            for (is_point, weight), value in zip(given, y, strict=True):
                own = weight[rows[part]]
                found.append(own.T[:, None] if is_point else own * _of_angle([value], part)[0])
            return found

        sweep = Sweep(self.varied, tuple(outputs))
        if not len(rows):
            return np.zeros(len(self.varied.parameters))
        dz = {id: values[:, rows] for id, values in self._of_drivers(0).items()}
        return np.asarray(sweep.run(self.motion.lanes.x[0][:, rows], dz, by_outputs, together=True)[0, 0])

    def closing(self) -> Floats:
        """Return the derivatives (k, n, p) of the discriminants of the k steps that have two modes."""
        roots = [k for k, step in enumerate(self.varied.steps) if step.kind.closed_form and step.kind.modes == 2]
        x, dz = self.motion.lanes.x[0], self._of_drivers(0)
        found = [Sweep(self.varied, (k,)).run(x, dz, _of_number)[0] for k in roots]
        return np.stack(found) if found else np.zeros((0, len(self.motion), len(self.varied.parameters)))

    # --- how they are found -----------------------------------------------------------------------------------

    def _along(self, outputs: tuple[Affine, ...], weights: Weights, order: int) -> Floats:
        """Return the derivatives (q, n, p) of functions of some vectors, or of their rates by a complex step."""
        x, sweep = self.motion.lanes.x, Sweep(self.varied, outputs)
        if order not in (0, 1):
            problem = Problem("order", f"expected 0 or 1, found {order}", "1 gives the derivatives of rates")
            raise InputError([problem], self.motion.mechanism.title)
        if order == 0:
            return np.asarray(sweep.run(x[0], self._of_drivers(0), weights))
        dz, rates = self._of_drivers(0), self._of_drivers(1)
        moved = {id: dz[id] + 1j * COMPLEX_STEP * rates[id] for id in dz}
        return np.asarray(sweep.run(x[0] + 1j * COMPLEX_STEP * x[1], moved, weights).imag / COMPLEX_STEP)

    def _place(self, point: str | complex, link: str | None) -> Affine:
        """Return a point as an expression whose numbers vary."""
        varied, mechanism = self.varied, self.motion.mechanism
        if not isinstance(point, str):
            return varied.frames[str(link)].point(point)
        if link is None and point in varied.pins:
            return varied.pins[point]
        link = mechanism.link_of(point) if link is None else link
        return varied.frames[link].point(varied.local(link, point))

    def _of_drivers(self, order: int) -> dict[str, Floats]:
        """Return the derivatives (p, n) of the coordinates of drivers, or of their rates, at the same times."""
        found: dict[str, Floats] = {}
        motion, varied = self.motion, self.varied
        count, n = len(varied.parameters), len(motion)
        for id, z in varied.starts.items():
            if id not in motion.thirds:
                found[id] = np.repeat(varied.slope(z)[:, None] if order == 0 else np.zeros((count, 1)), n, axis=1)
        for id, laws in varied.laws.items():
            if id not in motion.thirds:
                values = np.broadcast_to(motion.drivers[id][order], (1 + count * len(OFFSETS), n)).copy()
                for k, law in laws.items():
                    values[k] = law(motion.t)[order]
                found[id] = found.get(id, 0.0) + varied.slope(values)
        return found

    def _known(self, found: Floats, *expressions: Affine) -> Floats:
        """Return derivatives (n, ...), NaN at samples where the pose is not regular."""
        found[self._unknown(*expressions)] = np.nan
        return found

    def _unknown(self, *expressions: Affine) -> Flags:
        """Return the samples (n,) at which the pose of expressions is unknown, not regular, or next to a flat one."""
        lanes, n = self.motion.lanes, len(self.motion)
        unknown = np.zeros(n, bool)
        irregular = Derivatives(self.motion.plan, lanes).irregular
        for expression in expressions:
            for register, _ in expression.terms:
                mask = irregular[register]
                if mask is not None:
                    unknown |= mask
        if lanes.around is not None and any(expression.terms for expression in expressions):
            unknown[lanes.around.at] = True
        return unknown


def _of_point(y: Sequence[Array], part: slice) -> list[Array]:
    return [np.broadcast_to(np.eye(2)[:, :, None], (2, 2, y[0].shape[1]))]


def _of_number(y: Sequence[Array], part: slice) -> list[Array]:
    return [np.ones((1, 1, y[0].shape[1]))]


def _of_angle(y: Sequence[Array], part: slice) -> list[Array]:
    """Return the derivative U x dU of an angle by its unit vector."""
    return [turned(y[0])[:, None]]


def _of_travel(y: Sequence[Array], part: slice) -> list[Array]:
    """Return those of D . W."""
    along, vector = y
    return [vector[:, None], along[:, None]]


def _of_arc(y: Sequence[Array], part: slice) -> list[Array]:
    """Return those of the angle from D to W, which is a quarter turn less than that to turned(W)."""
    along, vector = y
    return [-turned(along)[:, None] / dot(along, along), turned(vector)[:, None] / dot(vector, vector)]


def point_or_link(
    motion: Motion, name: str | complex, link: str | None, kind: PartKind | None, names: Sequence[str], order: int
) -> Floats:
    """Return the derivatives of a point or link; see `Motion.sensitivity`."""
    turning, _ = motion._frames.point_or_link(name, link, kind)
    found = Sensitivity.of(motion, names)
    return found.point(name, link, order) if turning is None else found.angle(turning, order)
