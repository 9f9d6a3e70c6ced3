"""How fast the limits of a driver move with numbers of the mechanism file.

All groups together are equations F(y, z, c) = 0 in the unknowns y of the plan, the drivers' coordinates z and the
constants c, which vary with the parameters p. At a limit F_y is singular: with its left null vector, w F_y = 0, the
change of the pose drops out, and

    F_y dy + F_z dz + F_c dc = 0    gives    dz/dp = -(w F_c dc/dp) / (w F_z).

(Source: the implicit function theorem at a fold; W. J. F. Govaerts, Numerical Methods for Bifurcations of Dynamical
Equilibria, SIAM 2000, sec. 3.3.) dc/dp is that of `structkin.solve.sensitivity.varied_plan`. Where a stroke ends the
motion, the pose is regular, and the travel s of its joint stays: dz/dp = -(ds/dp) / (ds/dz).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from structkin.branches.limits.result import Limit, Limits
from structkin.groups import General
from structkin.model.mechanism import Mechanism
from structkin.model.near import near
from structkin.numerical_tolerances import COMPLEX_STEP, NARROW
from structkin.plan.plan import Register
from structkin.plan.relations import Combine
from structkin.solve.many.record import Products
from structkin.solve.many.variants import Variants
from structkin.solve.sensitivity.parameters import Parameter, read_parameters
from structkin.solve.sensitivity.varied_plan import (
    FINE,
    OFFSETS,
    WEIGHTS,
    VariedPlan,
    variants_beside,
    varied_plan,
    weight,
)
from structkin.types import Floats


def slopes(found: Limits, names: Sequence[str]) -> Floats:
    """Return the derivatives (2, p) of the lower and the upper limit; see `Limits.sensitivity`."""
    m = near(found.mechanism)
    parameters = read_parameters(m, names)
    plan = varied_plan(m, parameters)
    held = {id: found.drivers.get(id, drive.start) for id, drive in m.drivers.items() if id != found.driver}
    moved = _starts(m, parameters, [id for id in held if id not in found.drivers])
    rows = []
    for end in (found.lower, found.upper):
        if end is not None and end.kind == "stroke":
            rows.append(_by_travel(found, end, held, moved, names))
        elif end is not None and end.pose is not None and end.kind != "uncertified":
            rows.append(_Equations(plan, end.pose, {**held, found.driver: end.value}).slopes(found.driver, moved))
        else:
            rows.append(np.full(len(parameters), np.nan))
    return np.stack(rows)


def _starts(mechanism: Mechanism, parameters: Sequence[Parameter], ids: Sequence[str]) -> dict[str, Floats]:
    """Return the derivatives (p,) of the coordinates of drivers in the sketch, at which they are held."""
    if not ids:
        return {}
    own, rows = np.array([mechanism.drivers[id].start for id in ids]), []
    for one in parameters:
        variants = variants_beside(mechanism, one, parameters)
        starts = np.array([[variant.drivers[id].start for id in ids] for variant in variants])
        rows.append(np.array(WEIGHTS) @ (starts - own) * (FINE / one.reach))
    return dict(zip(ids, np.transpose(rows), strict=True))


def _by_travel(
    found: Limits, end: Limit, held: Mapping[str, float], moved: Mapping[str, Floats], names: Sequence[str]
) -> Floats:
    """Return the derivatives (p,) of a limit at which a stroke ends; zero if that is the driver's own."""
    if end.joint == found.driver:
        return np.zeros(len(names))
    path = {found.driver: np.array([found.start, end.value]), **{id: np.full(2, value) for id, value in held.items()}}
    motion = found.mechanism.solve(drivers=path)
    by = motion.travel_sensitivity(str(end.joint), to=names)[-1]
    rates = dict(zip(motion.drivers, motion.travel_coefficient(str(end.joint))[-1], strict=True))
    by = sum((rates[id] * slope for id, slope in moved.items()), start=by)
    return np.asarray(-by / rates[found.driver])


@dataclass(frozen=True, eq=False)
class _Equations:
    """The equations of all groups at a pose: registers (r,) of the mechanism's own plan, and the drivers' values."""

    varied: VariedPlan
    pose: Floats
    drivers: Mapping[str, float]

    def slopes(self, driver: str, moved: Mapping[str, Floats]) -> Floats:
        """Return the derivatives (p,) of the driver's coordinate at a limit; `moved` (p,) are those of other drivers.

        NaN where several groups are singular at once, or a pose is not known.
        """
        x = self._registers()
        if not np.isfinite(x[self._unknown]).all():
            return np.full(len(self.varied.parameters), np.nan)
        m, ids = len(self._unknown), list(self.drivers)
        columns = np.tile(x[:, None], m + len(ids)).astype(complex)
        columns[self._unknown, np.arange(m)] += 1j * COMPLEX_STEP
        lanes = np.arange(columns.shape[1])
        values = {id: z + 1j * COMPLEX_STEP * (lanes == m + k) for k, (id, z) in enumerate(self.drivers.items())}
        J = self._residuals(columns, values).imag / COMPLEX_STEP
        by = self._by_constants(x)
        for id, slope in moved.items():
            by = by + slope[:, None] * J[:, m + ids.index(id)]
        size = _largest(J[:, :m], 1)
        square = J[:, :m] / size[:, None]
        square = square / _largest(square, 0)
        if not (np.isfinite(square).all() and np.isfinite(by).all()):
            return np.full(len(by), np.nan)
        left, sizes, _ = np.linalg.svd(square)
        # Limits are known to half the digits: one value is small, not zero. With two small ones w may be any of many.
        if sizes[-2:-1].min(initial=1.0) < NARROW**2 or sizes[-1] > NARROW:
            return np.full(len(by), np.nan)
        w = left[:, -1] / size
        return np.asarray(-(by @ w) / (w @ J[:, m + ids.index(driver)]))

    @cached_property
    def _rows(self) -> list[slice]:
        widths = self.varied.plan.widths
        ends = np.cumsum(widths).tolist()
        return [slice(end - width, end) for end, width in zip(ends, widths, strict=True)]

    @cached_property
    def _unknown(self) -> list[int]:
        """The rows that equations determine; sums are no unknowns."""
        return [
            row
            for step in self.varied.steps
            if not isinstance(step.kind, Products | Combine)
            for slot in step.outputs
            for row in range(self._rows[slot].start, self._rows[slot].stop)
        ]

    def _registers(self) -> Floats:
        """Return the registers of the plan that varies, from those of the mechanism's own; sums are still missing."""
        x = np.full(self._rows[-1].stop, np.nan)
        for rows, own in zip(self._rows, self.varied.own, strict=True):
            if own >= 0:
                first = self.varied.offsets[own]
                x[rows] = self.pose[first : first + rows.stop - rows.start]
        return x

    def _residuals(self, x: Any, drivers: Mapping[str, Any], *, vary: bool = False) -> Any:
        """Return the residuals (r, n) at registers (rows, n), the sums among which are written; see `_value`."""
        self.varied.plan.drive(x, {id: np.broadcast_to(z, x.shape[1]) for id, z in drivers.items()})
        found: list[Any] = []
        for step in self.varied.steps:
            h = tuple(self._value(item, x, vary) for item in step.inputs)
            if isinstance(step.kind, Products | Combine):
                x[self._rows[step.outputs[0]]] = step.kind.position(h, None)[0]
                continue
            phi = tuple(self._value(Register(slot), x, vary) for slot in step.outputs)
            found += _listed(step.kind.residual(h, phi), x.shape[1])
        return np.stack(found)

    def _value(self, item: Any, x: Any, vary: bool) -> Any:
        """Return an input (2, n) or (n,); with `vary` a constant has, in each lane, its value in a variant."""
        if isinstance(item, Register):
            rows = self._rows[item.index]
            return x[rows] if rows.stop - rows.start == 2 else x[rows.start]
        if isinstance(item, Variants):
            values = item.values if vary else item.values[:1]
            return np.stack((values.real, values.imag)) if item.is_complex else values
        return np.array([[item.real], [item.imag]]) if isinstance(item, complex) else item

    def _by_constants(self, x: Floats) -> Floats:
        """Return the derivatives (p, r) of the residuals by the parameters, at one pose."""
        own = x[:, None].copy()
        own_values = self._residuals(own, self.drivers)
        lanes = np.tile(own, 1 + len(OFFSETS) * len(self.varied.parameters))
        by: Floats = self.varied.slope(self._residuals(lanes, self.drivers, vary=True).T)
        first = 0
        for step in self.varied.steps:
            if isinstance(step.kind, Products | Combine):
                continue
            h = tuple(self._value(item, own, False) for item in step.inputs)
            phi = tuple(self._value(Register(slot), own, False) for slot in step.outputs)
            count = len(_listed(step.kind.residual(h, phi), 1))
            if step.rows and isinstance(step.kind, General):
                variables = step.kind.variables(h, phi)
                changes = step.equations.phi(variables, step.equations.jacobian(variables))
                for row, change in zip(step.rows, changes, strict=True):
                    by[row.parameter, first + row.row] += row.weight * float(np.ravel(change)[0])
            for variant, kind in step.others:
                p, factor = weight(self.varied.parameters, variant)
                there = np.concatenate(_listed(kind.residual(h, phi), 1))
                by[p, first : first + count] += factor * (there - own_values[first : first + count, 0])
            first += count
        return by


def _listed(parts: Sequence[Any], n: int) -> list[Any]:
    """Return residuals as a list of rows (n,)."""
    return [np.broadcast_to(row, n) for part in parts for row in (part if np.ndim(part) == 2 else (part,))]


def _largest(J: Floats, axis: int) -> Floats:
    """Return the largest absolute value of rows or columns, one where all are zero."""
    size = np.abs(J).max(axis=axis)
    return np.where(size == 0, 1.0, size)
