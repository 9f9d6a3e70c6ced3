"""Velocity coefficients K = d(phi)/dz and their derivatives L = dK/dz, chained through the groups.

A column of K is the velocity of the whole chain for the unit rate of one driver; an entry of L is its mixed second
derivative along two drivers. Each group meets them with the same linear system as its velocity: K with the right-hand
side zero, L with the bilinear term `convective` (Saura et al., eqs. 7, 8, 14 and 15, corrected: the sign of L). So L
costs one bilinear form and one 2 x 2 solve a group and pair of drivers; no third-order tensor is formed in the groups.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from structkin.groups import General
from structkin.kinematics.engine import Lanes
from structkin.kinematics.plan import Operand, Plan, Slot, Step
from structkin.kinematics.status import Status

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
        return np.stack([self._along(self._seed(driver)) for driver in self.order])

    @cached_property
    def L(self) -> Floats:
        """Second derivatives (drivers, drivers, rows, n) of the slots, symmetric in the drivers."""
        f, (rows, n) = len(self.order), self.lanes.x.shape[1:]
        result = np.empty((f, f, rows, n))
        for i, first in enumerate(self.order):
            for j, second in enumerate(self.order[: i + 1]):
                seed = self._second_seed(first) if first == second else np.zeros((rows, n))
                result[i, j] = result[j, i] = self._along(seed, self.K[i], self.K[j])
        return result

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
                E = self.lanes.x[0, rows]
                seed[rows] = item.sign * np.stack((-E[1], E[0])) if item.angular else 1.0
        return seed

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


def rates_by_coefficients(plan: Plan, lanes: Lanes, drivers: Mapping[str, Floats]) -> Lanes:
    """Return lanes whose rates are formed by K and L: x' = K z', x'' = K z'' + z'^T L z' (Saura et al., eqs. 8, 9)."""
    found = Coefficients(plan, lanes, tuple(drivers))
    z = np.stack([drivers[id] for id in found.order], axis=1) if found.order else np.zeros((3, 0, len(lanes.status)))
    x = lanes.x.copy()
    if found.order:
        x[1] = np.einsum("irn,in->rn", found.K, z[1])
        x[2] = np.einsum("irn,in->rn", found.K, z[2]) + np.einsum("ijrn,in,jn->rn", found.L, z[1], z[1])
    return Lanes(x, lanes.status, lanes.group, lanes.least)
