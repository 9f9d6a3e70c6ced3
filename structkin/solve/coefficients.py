"""Velocity coefficients K = d(phi)/dz and their derivatives L = dK/dz, chained through the groups.

A column of K is the velocity of the whole chain for the unit rate of one driver; an entry of L is its mixed second
derivative along two drivers. Each group solves for them with the same linear system as for its velocity: K with a zero
right-hand side, L with the bilinear term `convective` (Saura et al., eqs. 7, 8, 14 and 15, with the sign of L
corrected). So L costs one bilinear form and one 2 x 2 solve per group and pair of drivers; no third-order tensor is
formed in the groups. A group has a column only for the drivers that move it, and an entry of L only for pairs of them.
Columns are solved for on first use.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import combinations_with_replacement
from typing import TYPE_CHECKING, Any

import numpy as np

from structkin.kernels.choice import choose
from structkin.plan.plan import Plan
from structkin.plan.status import Status
from structkin.rows.affine import Affine
from structkin.solve.change_points.contours import with_rates
from structkin.solve.derivatives import Derivatives, Field, Rows, quadratic
from structkin.solve.engine import Lanes
from structkin.types import Floats

if TYPE_CHECKING:
    from structkin.solve.compiled_run import Columns


#: Kernels form all columns at once; with more drivers than this, most entries of L would not be needed.
FEW = 4


@dataclass(frozen=True)
class Coefficients:
    """Derivatives of all slots by the drivers' coordinates, at the poses of a run."""

    plan: Plan
    lanes: Lanes
    _columns: dict[tuple[str, ...], Field] = field(default_factory=dict, repr=False)

    @cached_property
    def _derivatives(self) -> Derivatives:
        return Derivatives(self.plan, self.lanes)

    def along(self, expression: Affine, *drivers: str) -> Floats:
        """Return the derivative (2, n) of an expression by one driver's coordinate, or by those of two."""
        moved = self.movers(expression).issuperset(drivers)
        found = self._derivatives.of(expression, self.column(*sorted(drivers)) if moved else {})
        if self._around is not None and self.lanes.around is not None:
            found[:, self.lanes.around.at] = self.lanes.around.mean(self._around.along(expression, *drivers))
        return found

    def convective(self, expression: Affine) -> Floats:
        """Return z'^T L z' (2, n): the second rate at the actual velocity with all drivers' second rates zero."""
        found = self._derivatives.of(expression, self._contracted)
        if self._around is not None and self.lanes.around is not None:
            found[:, self.lanes.around.at] = self.lanes.around.mean(self._around.convective(expression))
        return found

    @cached_property
    def _around(self) -> Coefficients | None:
        """The same on circles around the lanes near a change point."""
        return None if self.lanes.around is None else Coefficients(self.plan, with_rates(self.plan, self.lanes))

    def movers(self, expression: Affine) -> frozenset[str]:
        """Return the drivers that move an expression."""
        return frozenset[str]().union(*(self.plan.movers[slot] for slot, _ in expression.terms))

    def column(self, *drivers: str) -> Field:
        """Return the derivatives of the slots that move by one driver's coordinate, or by those of two, in their order.

        Next to a change point they lose precision; `along` does not.
        """
        if drivers not in self._columns:
            self._columns.update(self._all(len(drivers)) or {drivers: self._solve(drivers)})
        return self._columns[drivers]

    def _solve(self, drivers: tuple[str, ...]) -> Field:
        right_side = quadratic(*(self.column(driver) for driver in drivers)) if len(drivers) == 2 else None
        return self._derivatives.solve(self._seed(drivers), right_side, drivers)

    def _all(self, order: int) -> Mapping[tuple[str, ...], Field] | None:
        """Return all columns of K (order 1), or K and L (order 2), where kernels are worth it."""
        columns = self._columns_of_kernels("first" if order == 1 else "both")
        if columns is None:
            return None
        K, L = columns.all(second=order == 2)
        found: dict[tuple[str, ...], Field] = {(id,): Rows(self.plan, K[i], (id,)) for i, id in enumerate(self._ids)}
        if order == 2:
            for (i, first), (j, second) in combinations_with_replacement(enumerate(self._ids), 2):
                pair = (first, second) if first <= second else (second, first)
                found[pair] = Rows(self.plan, L[j, i], pair)
        return found

    @cached_property
    def _ids(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(item.driver for item in self.plan.drivers))

    def _columns_of_kernels(self, function: str) -> Columns | None:
        """Return the kernels that form all columns at once, if every step has one and they are worth it."""
        if self.lanes.x.dtype != np.float64 or not 0 < len(self._ids) <= FEW:
            return None
        job = choose(self.plan, self.lanes.x.shape[-1], function)
        if job is None or not job.kernel_plan.is_whole:
            return None
        from structkin.solve.compiled_run import Columns

        return Columns(job, self.lanes, len(self._ids), self._write_seed)

    def _write_seed(self, K: Floats, L: Floats, part: slice) -> None:
        """Write the derivatives of the drivers' slots in some lanes."""
        for item in self.plan.drivers:
            rows, own = self.plan.rows(item.register), self._ids.index(item.driver)
            K[:, rows] = 0.0
            L[:, :, rows] = 0.0
            K[own, rows] = item.slope(self.lanes.x[0, rows, part])
            if item.angular and L.size:
                L[own, own, rows] = -self.lanes.x[0, rows, part]

    def _seed(self, drivers: tuple[str, ...]) -> Field:
        """Return the first derivative of the slots of one driver, or their second one by a pair."""
        seed: dict[int, Any] = {}
        for item in self.plan.drivers:
            E = self.lanes.x[0, self.plan.rows(item.register)]
            if drivers == (item.driver,):
                seed[item.register] = item.slope(E)
            elif drivers == (item.driver, item.driver) and item.angular:
                seed[item.register] = -E
        return seed

    @cached_property
    def _contracted(self) -> Field:
        rates, seed = self._derivatives.rates(1), dict[int, Any]()
        for item in self.plan.drivers:
            if item.angular:
                # E'' = z'' turned(E) - z'^2 E.
                dE = rates[item.register]
                seed[item.register] = -np.sum(dE**2, axis=0) * self.lanes.x[0, self.plan.rows(item.register)]
        return self._derivatives.solve(seed, quadratic(rates, rates))

    def slots(self, drivers: Sequence[str]) -> Floats:
        """Return K of all slots (drivers, rows, n), by one solve over the lanes of all drivers."""
        count, rows, n = len(drivers), *self.lanes.x.shape[1:]
        found = np.zeros((rows, count, n))
        for item in self.plan.drivers:
            own = self.plan.rows(item.register)
            found[own, drivers.index(item.driver)] = item.slope(self.lanes.x[0, own])
        flat = found.reshape(rows, -1)
        lanes = self.lanes.take(np.tile(np.arange(n), count))
        moved = [np.repeat([driver in movers for driver in drivers], n) for movers in self.plan.movers]
        seed = {item.register: self.plan.register(item.register, flat) for item in self.plan.drivers}
        for slot, value in Derivatives(self.plan, lanes).solve(seed, moved=moved).items():
            flat[self.plan.rows(slot)] = value
        return np.ascontiguousarray(found.swapaxes(0, 1))

    def convective_slots(self) -> Floats:
        """Return z'^T L z' of all slots (rows, n)."""
        found = np.zeros(self.lanes.x.shape[1:])
        for slot, value in self._contracted.items():
            found[self.plan.rows(slot)] = value
        return found

    def form_rates(self, z: Mapping[str, Floats]) -> None:
        """Form the rates by K and L and write them into the lanes (Saura et al., eqs. 8, 9).

        x' = K z', x'' = K z'' + z'^T L z'; `z[id]` (3, n) holds value, rate and second rate of each driver. Next to a
        change point the rates are not changed: they are means over circles, as K and L would be.
        """
        x, around, first = self.lanes.x, self.lanes.around, self.plan.first_smoothed
        near = np.zeros(0, np.intp) if around is None else around.at
        kept = x[1:, first:, near]
        columns = self._columns_of_kernels("both")
        # A driver without rates leaves only the rates of what it moves unknown.
        if columns is not None and all(np.isfinite(z[id][1:]).all() for id in self._ids):
            columns.form_rates(np.stack([z[id] for id in self._ids]))
        else:
            self._add_columns(z)
        lost = np.flatnonzero(self.lanes.status != Status.OK)
        if len(lost):
            for slot, irregular in enumerate(Derivatives(self.plan, self.lanes.take(lost)).irregular):
                if irregular is not None:
                    x[1:, self.plan.rows(slot), lost[irregular]] = np.nan
        x[1:, first:, near] = kept

    def _add_columns(self, z: Mapping[str, Floats]) -> None:
        x = self.lanes.x
        x[1:] = 0.0
        for id, (_, rate, second) in z.items():
            self._add(x[1], rate, id)
            self._add(x[2], second, id)
        for first, other in combinations_with_replacement(z, 2):
            both = z[first][1] * z[other][1]
            self._add(x[2], both if first == other else 2 * both, first, other)

    def _add(self, x: Floats, factor: Any, *drivers: str) -> None:
        # In a flat pose a column may be infinite.
        with np.errstate(invalid="ignore"):
            for slot, value in self.column(*sorted(drivers)).items():
                x[self.plan.rows(slot)] += value * factor
