"""Variants solved together, as lanes of one plan."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from structkin.groups import RPR, RRR
from structkin.joints.guide import Guide
from structkin.model.mechanism import Mechanism
from structkin.plan.plan import Register, Step
from structkin.plan.status import Status
from structkin.rows.affine import Affine
from structkin.solve.engine import Lanes
from structkin.solve.fast_turns import FAST
from structkin.solve.many.flat import LANES, solved
from structkin.solve.many.path import Path
from structkin.solve.many.record import ManyPlan
from structkin.solve.many.turns import turns_along_samples, ways_to_gaps
from structkin.solve.many.variants import Variants, plain
from structkin.solve.motion.turning import turnings, wound
from structkin.solve.strokes import Stroke, mark_beyond, strokes_of
from structkin.types import Flags, Floats, Indices

#: What moves by less than this part of its length towards a gap does not turn far.
NEAR = 0.7


@dataclass(frozen=True)
class Together:
    """The lanes of v variants over n samples each, read as a `Motion` with an axis (v,) in front.

    `variants` (v,) are their numbers among those of the plan, `drivers[id]` (v, n) the drivers' values, and `path` is
    that from the sketches to the samples. With `same_masses` masses and loads differ only as dimensions make them.
    """

    mechanism: Mechanism
    variants: Indices
    many: ManyPlan
    drivers: Mapping[str, Floats]
    lanes: Lanes
    path: Path | None = None
    same_masses: bool = True

    @property
    def count(self) -> int:
        """The number of variants."""
        return len(self.variants)

    @property
    def status(self) -> NDArray[np.int8]:
        """A `Status` for each variant and sample (v, n), as its integer."""
        return self._outcome[0]

    @property
    def failed_group(self) -> NDArray[np.int32]:
        """The index of the group at which a sample stopped (v, n), -1 where it is ok."""
        return self._outcome[1]

    @cached_property
    def _outcome(self) -> tuple[NDArray[np.int8], NDArray[np.int32]]:
        """Status and group of each variant and sample (v, n), with strokes checked."""

        def value(expression: Affine) -> Floats:
            return np.moveaxis(self._evaluate(expression, 0), -1, 0)

        strokes = strokes_of(self.many.joints, self.mechanism.drivers, self.many.plan, self.mechanism.units)
        sides = {stroke.id: self._of_each(stroke).side(value, self.drivers) for stroke in strokes}
        status, group = self.lanes.status.reshape(self.count, -1), self.lanes.group.reshape(self.count, -1)
        return mark_beyond(status, group, strokes, sides)

    def _of_each(self, stroke: Stroke) -> Stroke:
        """Return a stroke with its sizes as columns, one line per variant."""
        low, high = stroke.ends
        joint = stroke.joint
        if isinstance(joint, Guide):
            joint = replace(joint, start=self.column(joint.start))
        return replace(stroke, ends=(self.column(low), self.column(high)), joint=joint)

    def position(self, point: str) -> Floats:
        """Return the paths (v, n, 2) [m] of a point."""
        return self._evaluate(self._place(point), 0)

    def velocity(self, point: str) -> Floats:
        """Return the velocities (v, n, 2) [m/s] of a point."""
        return self._evaluate(self._place(point), 1)

    def acceleration(self, point: str) -> Floats:
        """Return the accelerations (v, n, 2) [m/s^2] of a point."""
        return self._evaluate(self._place(point), 2)

    def rates(self, link: str, local: Any) -> tuple[Floats, Floats]:
        """Return velocities and accelerations (v, n, 2) of a place in a link's frame [m], one number or `Variants`."""
        place = self.many.plan.frames[link].point(local)
        return self._evaluate(place, 1), self._evaluate(place, 2)

    def angle(self, link: str) -> Floats:
        """Return the angles (v, n) [rad] of a link, continuous along the path of a variant; NaN where it is unclear."""
        angles = self._direction_angle(link)
        how = turnings(self.mechanism, self.many.plan.turns)[link]
        turn = np.zeros(angles.shape) if how.counted is None else self._counted_turn(how.counted)
        for driver, factor in how.drivers:
            turn = turn + factor * self.drivers[driver]
        return wound(angles, turn)

    def _counted_turn(self, link: str) -> Floats:
        """Return the turns (v, n) of a link that no driver determines: along the samples, or along the path to them."""
        angle, gaps = self._direction_angle(link), np.flatnonzero(self._has_gaps)
        turn = np.unwrap(angle, axis=1)
        if len(gaps):
            turn[gaps] = self._over_gaps(link, gaps)
        fast = np.flatnonzero(~self._is_slow)
        turn[fast] = np.nan
        if self.path is None:
            return turn
        stations = self.path.count
        for first in range(0, len(fast), max(1, LANES // stations)):
            chunk = fast[first : first + max(1, LANES // stations)]
            z = self.path.at(chunk)
            lanes = solved(self.many, np.repeat(chunk, stations), {id: own.ravel() for id, own in z.items()})
            turn[chunk] = Together(self.mechanism, chunk, self.many, z, lanes)._counted_turn(link)[:, self.path.samples]
        return turn

    @cached_property
    def _is_slow(self) -> Flags:
        """Whether samples are so close that they show how links turn (v,): all drivers and links turn slowly."""
        if len(self.lanes.status) == self.count:
            return np.ones(self.count, bool)
        turning = self._turning(self.many.plan.steps, self.mechanism.topology.moving_links)
        found = [np.moveaxis(self._evaluate(vector, 0), -1, 0) for vector in turning]
        drives = self.mechanism.drivers
        turned = [np.abs(np.diff(z)) for id, z in self.drivers.items() if drives[id].kind == "angle"]
        for X, Y in found:
            Z = X + 1j * Y
            turned.append(np.abs(np.angle(Z[:, 1:] * np.conj(Z[:, :-1]))))
        return np.asarray(~np.logical_or.reduce([(turn > FAST).any(axis=1) for turn in turned]))

    def _turning(self, steps: Iterable[Step], links: Iterable[str]) -> list[Affine]:
        """Return what shows how links turn: their directions, and the vectors between the ends of dyads."""
        pairs = (map(self._expression, step.inputs[:2]) for step in steps if isinstance(step.kind, RRR | RPR))
        return [*(B - A for A, B in pairs), *(self.many.plan.frames[link].direction for link in links)]

    @cached_property
    def _has_gaps(self) -> Flags:
        """Which variants (v,) have samples without a pose, or behind a gap."""
        return np.asarray((self.lanes.status.reshape(self.count, -1) != Status.OK).any(axis=1))

    def _over_gaps(self, link: str, some: Indices) -> Floats:
        """Return the turns (v, n) of a link that no driver determines in some variants with gaps, as far as known."""
        angle, plan = self._direction_angle(link)[some], self.many.plan
        moving = [item for item in plan.drivers if np.ptp(self.drivers[item.driver], axis=1).any()]
        if len(moving) != 1 or len(self.lanes.x) < 2:
            return np.full(angle.shape, np.nan)
        rows, drive = plan.rows(moving[0].register), self.mechanism.drivers[moving[0].driver]
        values, rates = (x[rows].reshape(-1, self.count, angle.shape[1])[:, some] for x in self.lanes.x[:2])
        speed = values[0] * rates[1] - values[1] * rates[0] if moving[0].angular else rates[0]
        z, reach = self.drivers[moving[0].driver][some], np.zeros(angle.shape)
        makers = {register: index for index, step in enumerate(plan.steps) for register in step.outputs}
        last = [makers[slot] for slot, _ in plan.frames[link].direction.terms if slot in makers]
        on = [k for k in range(len(plan.steps)) if any(k == one or plan.behind[one] >> k & 1 for one in last)]
        for vector in self._turning((plan.steps[k] for k in on), [link]):
            V, rate = (self._evaluate(vector, order)[some] for order in range(2))
            with np.errstate(divide="ignore", invalid="ignore"):
                way = ways_to_gaps(V, rate / speed[..., None], np.abs(np.diff(z))) / np.linalg.norm(V, axis=-1)
            # What comes near zero may turn by any angle.
            reach[~(way < NEAR)] = np.inf
        reach += np.arcsin(np.minimum(way, 1.0))
        status, group = (one.reshape(self.count, -1)[some] for one in (self.lanes.status, self.lanes.group))
        lost = (status != Status.OK) & np.isin(group, [plan.steps[k].group for k in on])
        return turns_along_samples(angle, lost & np.isfinite(angle), z, reach, turning=drive.kind == "angle")

    def omega(self, link: str) -> Floats:
        """Return the angular velocities (v, n) [rad/s] of a link."""
        return _cross(self._direction(link, 0), self._direction(link, 1))

    def alpha(self, link: str) -> Floats:
        """Return the angular accelerations (v, n) [rad/s^2] of a link."""
        return _cross(self._direction(link, 0), self._direction(link, 2))

    def transmission_angle(self, at: str | int) -> Floats:
        """Return the transmission angles (v, n) [rad] of a dyad, as `Motion.transmission_angle` does."""
        from structkin.branches.limits.transmission import angle_at, dyad_of

        step = dyad_of(self.mechanism, self.many.plan, at)
        return np.broadcast_to(
            angle_at(
                step,
                tuple(self._input(operand) for operand in step.inputs),
                tuple(self._input(Register(register)) for register in step.outputs),
            ),
            (self.count, len(self.lanes.status) // self.count),
        )

    def _input(self, operand: Any) -> Any:
        """Return an operand of a step in all variants: a vector (2, v, n), or a scalar (v, n) or (v, 1)."""
        if isinstance(operand, Register):
            held = self.many.held.get(operand.index)
            if held is None and self.many.plan.widths[operand.index] == 1:
                return self.many.plan.register(operand.index, self.lanes.x[0]).reshape(self.count, -1)
            if held is not None and not held.is_complex:
                return self.column(held)
        elif isinstance(operand, float):
            return operand
        return np.moveaxis(self._evaluate(self._expression(operand), 0), -1, 0)

    def _direction_angle(self, link: str) -> Floats:
        u = self._direction(link, 0)
        return np.asarray(np.arctan2(u[..., 1], u[..., 0]))

    def _direction(self, link: str, order: int) -> Floats:
        return self._evaluate(self.many.plan.frames[link].direction, order)

    def _place(self, point: str) -> Affine:
        if point in self.many.plan.pins:
            return self.many.plan.pins[point]
        link = self.mechanism.link_of(point)
        return self.many.plan.frames[link].point(self.many.links[link].local[point])

    def _expression(self, operand: Any) -> Affine:
        """Return an input of a step as an expression of what is kept."""
        if not isinstance(operand, Register):
            return Affine(operand)
        held: Any = self.many.held.get(operand.index)
        return Affine.slot(operand.index) if held is None else Affine(held)

    def _evaluate(self, expression: Affine, order: int) -> Floats:
        slots, plan = self.lanes.x[order], self.many.plan
        samples = len(self.lanes.status) // self.count
        values = np.empty((self.count, samples, 2))
        # In the order of `Affine.components`, with a factor for each variant.
        x: Any = 0.0
        y: Any = 0.0
        for slot, number in expression.terms:
            factor, (a, b) = self.column(number), slots[plan.rows(slot)].reshape(2, self.count, -1)
            if np.ndim(factor) == 0 and not factor.imag:
                x, y = x + factor.real * a, y + factor.real * b
                continue
            x = x + (factor.real * a - factor.imag * b)
            y = y + (factor.imag * a + factor.real * b)
        const = self.column(expression.const) if order == 0 else 0j
        values[..., 0], values[..., 1] = x + const.real, y + const.imag
        return values

    def column(self, number: Any) -> Any:
        """Return a number as a column, one line per variant; a common number is returned unchanged."""
        return plain(number)[1 + self.variants, None] if isinstance(number, Variants) else number


def _cross(a: Floats, b: Floats) -> Floats:
    return np.asarray(a[..., 0] * b[..., 1] - a[..., 1] * b[..., 0])
