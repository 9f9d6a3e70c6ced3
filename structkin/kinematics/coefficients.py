"""Velocity coefficients K = d(phi)/dz and their derivatives L = dK/dz, chained through the groups.

A column of K is the velocity of the whole chain for the unit rate of one driver; an entry of L is its mixed second
derivative along two drivers. Each group meets them with the same linear system as its velocity: K with the right-hand
side zero, L with the bilinear term `convective` (Saura et al., eqs. 7, 8, 14 and 15, corrected: the sign of L). So L
costs one bilinear form and one 2 x 2 solve a group and pair of drivers; no third-order tensor is formed in the groups.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from structkin.groups import General
from structkin.kinematics.choice import choose
from structkin.kinematics.engine import Lanes
from structkin.kinematics.plan import DriverSlot, Operand, Plan, Slot, Step
from structkin.kinematics.status import Status

if TYPE_CHECKING:
    from structkin.kinematics.kernels.tape import Job

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Coefficients:
    """Derivatives of all slots by the drivers' coordinates, at the poses of a run.

    `order` lists the drivers, the columns of K. Values are NaN where a group has no regular pose.
    """

    plan: Plan
    lanes: Lanes
    order: tuple[str, ...]

    @cached_property
    def K(self) -> Floats:
        """First derivatives (drivers, rows, n) of the slots."""
        if (job := self._job("first")) is not None:
            return self._run(job, second=False)[0]
        return np.stack([self._along(self._seed(driver)) for driver in self.order])

    @cached_property
    def L(self) -> Floats:
        """Second derivatives (drivers, drivers, rows, n) of the slots, symmetric in the drivers."""
        if (job := self._job("both")) is not None:
            return self._run(job, second=True)[1]
        f, (rows, n) = len(self.order), self.lanes.x.shape[1:]
        result = np.empty((f, f, rows, n))
        for i, first in enumerate(self.order):
            for j, second in enumerate(self.order[: i + 1]):
                seed = self._second_seed(first) if first == second else np.zeros((rows, n))
                result[i, j] = result[j, i] = self._along(seed, self.K[i], self.K[j])
        return result

    def _job(self, function: str) -> Job | None:
        """Return the job for kernels, where every step has one and they are worth it."""
        job = choose(self.plan, self.lanes.x.shape[-1], function)
        return job if job is not None and job.tape.is_whole else None

    def _run(self, job: Job, *, second: bool) -> tuple[Floats, Floats]:
        from structkin.kinematics.kernels.run import coefficients

        K, L = coefficients(job, self.lanes, len(self.order), self._seed_block, second=second)
        # Whoever asks for L is given K with it: one factor solves both.
        self.__dict__["K"] = K
        return K, L

    def _seed_block(self, K: Floats, L: Floats, part: slice) -> None:
        """Write the derivatives of the driver slots in a block of lanes."""
        for item in self.plan.drivers:
            rows, own = self.plan.rows(item.slot), self.order.index(item.driver)
            K[:, rows, part] = 0.0
            L[:, :, rows, part] = 0.0
            K[own, rows, part] = self._rate(item, self.lanes.x[0, rows, part])
            if item.angular and L.size:
                L[own, own, rows, part] = -self.lanes.x[0, rows, part]

    def convective(self) -> Floats:
        """The second rates (rows, n) at the actual velocity with all drivers' second rates zero: z'^T L z'."""
        rates = self.lanes.x[1]
        seed = np.zeros_like(rates)
        for item in self.plan.drivers:
            if item.angular:
                rows = self.plan.rows(item.slot)
                # E'' = z'' turned(E) - z'^2 E.
                seed[rows] = -np.sum(rates[rows] ** 2, axis=0) * self.lanes.x[0, rows]
        return self._along(seed, rates, rates)

    def _seed(self, driver: str) -> Floats:
        seed = np.zeros(self.lanes.x.shape[1:])
        for item in self.plan.drivers:
            if item.driver == driver:
                rows = self.plan.rows(item.slot)
                seed[rows] = self._rate(item, self.lanes.x[0, rows])
        return seed

    @staticmethod
    def _rate(item: DriverSlot, E: Floats) -> Floats | float:
        """Return the derivative of a driver's slot by its coordinate."""
        return item.sign * np.stack((-E[1], E[0])) if item.angular else 1.0

    def _second_seed(self, driver: str) -> Floats:
        seed = np.zeros(self.lanes.x.shape[1:])
        for item in self.plan.drivers:
            if item.driver == driver and item.angular:
                rows = self.plan.rows(item.slot)
                seed[rows] = -self.lanes.x[0, rows]
        return seed

    def _along(self, seed: Floats, v: Floats | None = None, w: Floats | None = None) -> Floats:
        """Return the derivative of all slots whose driver slots are seeded: first, or second along v and w."""
        with np.errstate(all="ignore"):
            for step in self.plan.steps:
                if isinstance(step.kind, General):
                    self._general(step, step.kind, seed, v, w)
                else:
                    h, phi = self._inputs(step, self.lanes.x[0]), self._outputs(step, self.lanes.x[0])
                    g: Any = (0.0,) * 4
                    if v is not None and w is not None:
                        g = step.kind.convective(h, phi, *self._both(step, v), *self._both(step, w))
                    self._store(step, seed, step.kind.linear(h, phi, self._inputs(step, seed, 0.0), g))
                singular = (self.lanes.status == Status.SINGULAR) & (self.lanes.group == step.group)
                for slot in step.outputs:
                    seed[self.plan.rows(slot), singular] = np.nan
        return seed

    def _general(self, step: Step, form: General, seed: Floats, v: Floats | None, w: Floats | None) -> None:
        phi = self._outputs(step, self.lanes.x[0])
        good = np.isfinite(phi[0][0]) & np.isfinite(seed).all(axis=0)
        good &= ~((self.lanes.status == Status.SINGULAR) & (self.lanes.group == step.group))
        for slot in step.outputs:
            seed[self.plan.rows(slot), ~good] = np.nan
        if not good.any():
            return

        def some(values: tuple[Any, ...]) -> tuple[Any, ...]:
            return tuple(x[..., good] if np.ndim(x) and np.shape(x)[-1] > 1 else x for x in values)

        h, phi = some(self._inputs(step, self.lanes.x[0])), some(phi)
        g: Any = (0.0,) * (form.rows.count + form.rows.links)
        if v is not None and w is not None:
            g = form.convective(h, phi, *map(some, self._both(step, v)), *map(some, self._both(step, w)))
        for slot, value in zip(step.outputs, form.linear(h, phi, some(self._inputs(step, seed, 0.0)), g), strict=True):
            seed[self.plan.rows(slot), good] = value

    def _both(self, step: Step, x: Floats) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
        return self._inputs(step, x, 0.0), self._outputs(step, x)

    def _inputs(self, step: Step, x: Floats, constant: float = 1.0) -> tuple[Any, ...]:
        """Return the inputs of a step from slots x; constants are multiplied by `constant` (0 for derivatives)."""
        return tuple(self._operand(operand, x, constant) for operand in step.inputs)

    def _operand(self, operand: Operand, x: Floats, constant: float) -> Any:
        if isinstance(operand, Slot):
            return self._slot(operand.index, x)
        if isinstance(operand, float):
            return constant * operand
        return constant * np.array([[operand.real], [operand.imag]])

    def _outputs(self, step: Step, x: Floats) -> tuple[Any, ...]:
        return tuple(self._slot(slot, x) for slot in step.outputs)

    def _slot(self, slot: int, x: Floats) -> Floats:
        rows = self.plan.rows(slot)
        return x[rows] if rows.stop - rows.start == 2 else x[rows.start]

    def _store(self, step: Step, x: Floats, values: tuple[Any, ...]) -> None:
        for slot, value in zip(step.outputs, values, strict=True):
            x[self.plan.rows(slot)] = value
