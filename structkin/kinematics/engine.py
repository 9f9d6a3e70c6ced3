"""Running a plan over lanes: position, velocity and acceleration of every slot, and a status a lane.

Arrays are lanes-last, `x[order, row, lane]`; closed forms run over blocks of lanes that stay in cache. A group
solved by continuation sees all lanes in order.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from structkin.groups import General
from structkin.kinematics.plan import DriverSlot, Operand, Plan, Slot, Step
from structkin.kinematics.status import Status
from structkin.kinematics.tracking import track

Floats = NDArray[np.float64]

#: Lanes in a block: a dyad's inputs and results of all orders then fit the second-level cache.
BLOCK = 2048

#: A squared sine below this is a limit position: its rates have lost half the digits or more.
LIMIT = 1e-13


@dataclass(frozen=True)
class Lanes:
    """The result of a run: `x` (3, rows, n), `status` (n,) and the group it stopped at (n,), -1 where it did not."""

    x: Floats
    status: NDArray[np.int8]
    group: NDArray[np.int32]

    def take(self, index: NDArray[np.intp]) -> Lanes:
        """Return some of the lanes."""
        return Lanes(self.x[:, :, index], self.status[index], self.group[index])


Progress = Callable[[float], None]


def run(plan: Plan, drivers: Mapping[str, Floats], n: int, progress: Progress | None = None) -> Lanes:
    """Run a plan over n lanes; `drivers[id]` (3, n) holds value, rate and second rate of each driver [rad or m, s]."""
    lanes = Lanes(np.full((3, plan.offsets[-1], n), np.nan), np.zeros(n, np.int8), np.full(n, -1, np.int32))
    block = n if plan.tracked else BLOCK
    with np.errstate(all="ignore"):
        for start in range(0, n, max(block, 1)):
            part = slice(start, start + block)
            _Block(plan, lanes.x[:, :, part], lanes.status[part], lanes.group[part], progress).run(drivers, part)
            if progress is not None:
                progress(min(1.0, (start + block) / n))
    return lanes


@dataclass(frozen=True)
class _Block:
    """A block of lanes, as views into the whole."""

    plan: Plan
    x: Floats
    status: NDArray[np.int8]
    group: NDArray[np.int32]
    progress: Progress | None

    def run(self, drivers: Mapping[str, Floats], part: slice) -> None:
        for item in self.plan.drivers:
            self._drive(item, drivers[item.driver][:, part])
        for step in self.plan.steps:
            if isinstance(step.kind, General):
                self._track(step, step.kind)
            else:
                self._close(step)

    def _drive(self, item: DriverSlot, z: Floats) -> None:
        rows = self.plan.rows(item.slot)
        if not item.angular:
            self.x[:, rows] = z[:, None]
            return
        (value, rate, second) = item.sign * z
        c, s = np.cos(value), np.sin(value)
        self.x[0, rows] = c, s
        self.x[1, rows] = -s * rate, c * rate
        self.x[2, rows] = -s * second - c * rate * rate, c * second - s * rate * rate

    def _close(self, step: Step) -> None:
        form = step.kind
        assert not isinstance(form, General)
        h = self._inputs(step, 0)
        margin = form.margin(h)
        root: Any = None
        singular = None
        if margin is not None:
            margin = np.broadcast_to(margin, self.status.shape)
            reached = margin > LIMIT
            if reached.all():
                root = step.mode * np.sqrt(margin)
            else:
                singular = ~reached & (margin >= -LIMIT)
                root = step.mode * np.sqrt(np.where(singular, 0.0, margin))
                self._mark(singular, Status.SINGULAR, step.group)
                self._mark(margin < -LIMIT, Status.OUT_OF_REACH, step.group)
        phi = form.position(h, root)
        self._store(step, 0, phi)
        dh, rest = self._inputs(step, 1), (0.0,) * 4
        dphi = form.linear(h, phi, dh, rest)
        ddphi = form.linear(h, phi, self._inputs(step, 2), form.convective(h, phi, dh, dphi, dh, dphi))
        self._store(step, 1, dphi, singular)
        self._store(step, 2, ddphi, singular)

    def _track(self, step: Step, form: General) -> None:
        h = self._inputs(step, 0)
        origins = np.array(step.start[0::2])
        start = np.stack((origins.real, origins.imag), axis=1)[:, :, None]
        phi, status = track(
            form, h, start, np.angle(np.array(step.start[1::2]))[:, None], self.status.shape[0], self.progress
        )
        self._store(step, 0, phi)
        for outcome in (Status.SINGULAR, Status.OUT_OF_REACH, Status.NOT_CONVERGED):
            self._mark(status == outcome, outcome, step.group)
        good = np.flatnonzero(status == Status.OK)
        if not len(good):
            return
        h, dh, ddh = (self._take(self._inputs(step, order), good) for order in range(3))
        pose = tuple(part[:, good] for part in phi)
        count = form.rows.count + form.rows.links
        rates = form.linear(h, pose, dh, (0.0,) * count)
        second = form.linear(h, pose, ddh, form.convective(h, pose, dh, rates, dh, rates))
        for order, values in ((1, rates), (2, second)):
            for slot, value in zip(step.outputs, values, strict=True):
                self.x[order, self.plan.rows(slot), good] = value.T

    @staticmethod
    def _take(h: tuple[Any, ...], lanes: NDArray[np.intp]) -> tuple[Any, ...]:
        return tuple(x[..., lanes] if np.ndim(x) and np.shape(x)[-1] > 1 else x for x in h)

    def _inputs(self, step: Step, order: int) -> tuple[Any, ...]:
        return tuple(self._operand(operand, order) for operand in step.inputs)

    def _operand(self, operand: Operand, order: int) -> Any:
        if isinstance(operand, Slot):
            rows = self.plan.rows(operand.index)
            return self.x[order, rows] if rows.stop - rows.start == 2 else self.x[order, rows.start]
        if isinstance(operand, float):
            return operand if order == 0 else 0.0
        return np.array([[operand.real], [operand.imag]]) if order == 0 else np.zeros((2, 1))

    def _store(self, step: Step, order: int, values: tuple[Any, ...], blank: NDArray[np.bool_] | None = None) -> None:
        for slot, value in zip(step.outputs, values, strict=True):
            rows = self.plan.rows(slot)
            self.x[order, rows] = value
            if blank is not None:
                self.x[order, rows, blank] = np.nan

    def _mark(self, where: NDArray[np.bool_], status: Status, group: int) -> None:
        """Give lanes their status, unless an earlier group has stopped them for good."""
        worse = where & ((self.status == Status.OK) | ((self.status == Status.SINGULAR) & (status != Status.SINGULAR)))
        self.status[worse] = status
        self.group[worse] = group
