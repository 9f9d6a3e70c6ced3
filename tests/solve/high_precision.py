"""A reference with three more digits: the whole system as power series, by refinement in extended precision.

Drivers move as polynomials of a parameter s; the unknowns follow as power series q0 + q1 s + q2 s^2 + q3 s^3.
Residuals are evaluated on truncated series of long doubles; corrections are solved for with the double Jacobian and
repeated until nothing changes, so the result has the accuracy of the residual, not of the solver (Wilkinson).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from whole_system import TURN, Pose, WholeSystem, _solve, unknowns_of

from structkin.solve.coefficients import Coefficients

ORDERS = 4
Long = np.longdouble
#: Extended precision is no better than double on some machines; there is no reference there.
PRECISE = np.finfo(Long).eps < 1e-18


@dataclass(frozen=True)
class Series:
    """A truncated power series, its coefficients (ORDERS, n) first."""

    c: Any

    @property
    def f(self) -> Any:
        """The value."""
        return self.c[0]

    def __add__(self, other: Any) -> Series:
        return Series(self.c + _series(other, self).c)

    def __sub__(self, other: Any) -> Series:
        return Series(self.c - _series(other, self).c)

    def __mul__(self, other: Any) -> Series:
        o = _series(other, self).c
        return Series(np.stack([sum(self.c[j] * o[k - j] for j in range(k + 1)) for k in range(ORDERS)]))

    def map(self, f: Any, f1: Any, f2: Any, f3: Any) -> Series:
        """The function with this value and these derivatives at self, by its Taylor polynomial."""
        step, total = self - self.f, _series(f3 / 6, self)
        for term in (f2 / 2, f1, f):
            total = total * step + term
        return total

    def inverse(self) -> Series:
        r = 1 / self.f
        return self.map(r, -(r**2), 2 * r**3, -6 * r**4)

    def _circular(self) -> tuple[Any, Any]:
        """Cosine and sine by s' = c u', c' = -s u'."""
        c, s = np.zeros_like(self.c), np.zeros_like(self.c)
        c[0], s[0] = np.cos(self.c[0]), np.sin(self.c[0])
        for k in range(1, ORDERS):
            c[k] = -sum(j * self.c[j] * s[k - j] for j in range(1, k + 1)) / k
            s[k] = sum(j * self.c[j] * c[k - j] for j in range(1, k + 1)) / k
        return c, s

    def cos(self) -> Series:
        return Series(self._circular()[0])

    def sin(self) -> Series:
        return Series(self._circular()[1])

    def sqrt(self) -> Series:
        r = np.zeros_like(self.c)
        r[0] = np.sqrt(self.c[0])
        for k in range(1, ORDERS):
            r[k] = (self.c[k] - sum(r[j] * r[k - j] for j in range(1, k))) / (2 * r[0])
        return Series(r)

    def wrapped(self, turn: float = TURN) -> Series:
        c = self.c.copy()
        c[0] = np.remainder(c[0] + Long(turn / 2), Long(turn)) - Long(turn / 2)
        return Series(c)

    def where(self, condition: Any, other: Series) -> Series:
        return Series(np.where(condition, self.c, other.c))


def _series(value: Any, like: Series) -> Series:
    if isinstance(value, Series):
        return value
    c = np.zeros_like(like.c)
    c[0] = value
    return Series(c)


class SeriesPose(Pose):
    """Where every link is, as power series of its unknowns q (ORDERS, 3 m, n)."""

    def __init__(self, system: WholeSystem, q: Any) -> None:
        self._system, self._q = system, q

    def _unknown(self, link: str, k: int) -> Any:
        if link not in self._system.column:
            return Series(np.zeros((ORDERS, self._q.shape[-1]), Long))
        return Series(self._q[:, self._system.column[link] + k])


def solve_series(system: WholeSystem, q: Any, z: Any) -> Any:
    """The unknowns as power series (ORDERS, 3 m, n), from their values q (3 m, n) and the drivers' series z."""
    J = system.jacobian(q)
    unit = system._unit.astype(Long)
    full = np.zeros((ORDERS, *q.shape), Long)
    full[0] = q
    for order in range(ORDERS):
        for _ in range(4 if order == 0 else 3):
            gap = _residual(system, full, z)[order]
            full[order] -= _solve(J, gap.astype(float)) * unit
    return full


def _residual(system: WholeSystem, q: Any, z: Any) -> Any:
    rows = system.rows(SeriesPose(system, q))
    gaps = [np.broadcast_to(row.c, (ORDERS, q.shape[-1])) / unit for row, unit, _ in rows]
    for k, id in enumerate(system.drivers):
        place, unit = len(rows) - len(system.drivers) + k, rows[len(rows) - len(system.drivers) + k][1]
        gap = gaps[place] - z[:, k] / Long(unit)
        if system.mechanism.drivers[id].kind == "angle":
            # Long pi is not needed: whole turns of double angles are subtracted in double.
            gap[0] -= Long(TURN) * np.round(gap[0] / Long(TURN))
        gaps[place] = gap
    return np.stack(gaps, axis=1)


@dataclass(frozen=True)
class Reference:
    """K (f, 3 m, n), L (f, f, 3 m, n) and jerk (3 m, n) of the unknowns of a motion, and the sigma_min (n,)."""

    system: WholeSystem
    samples: Any
    K: Any
    L: Any
    jerk: Any
    sigma: Any


def solve_reference(mechanism: Any, motion: Any, samples: Any) -> Reference:
    """Solve samples of a motion again."""
    system = WholeSystem(mechanism)
    f, n = len(system.drivers), len(samples)
    q = unknowns_of(system, motion, 0)[:, samples]
    drivers = np.stack([motion.drivers[id][:, samples] for id in system.drivers], axis=1).astype(Long)

    pairs = [(i, j) for i in range(f) for j in range(i + 1)]
    thirds = np.stack([mechanism.drivers[id].law.third(motion.t[samples]) for id in system.drivers])
    # Along each driver, along the sum of each two, and along the actual motion: all at once.
    z = np.zeros((ORDERS, f, len(pairs) + 1, n), Long)
    z[0] = drivers[0][:, None]
    for k, pair in enumerate(pairs):
        z[1, list(pair), k] = 1
    z[1:, :, -1] = drivers[1], drivers[2] / 2, thirds.astype(Long) / 6
    found = solve_series(system, np.tile(q, len(pairs) + 1), z.reshape(ORDERS, f, -1))
    found = found.reshape(ORDERS, len(q), len(pairs) + 1, n)
    K, L = np.empty((f, *q.shape), Long), np.empty((f, f, *q.shape), Long)
    for k, (i, j) in enumerate(pairs):
        if i == j:
            K[i], L[i, i] = found[1, :, k], 2 * found[2, :, k]
    for k, (i, j) in enumerate(pairs):
        if i != j:
            # 2 q2 along the sum of two directions is L_ii + 2 L_ij + L_jj.
            L[i, j] = L[j, i] = found[2, :, k] - (L[i, i] + L[j, j]) / 2
    jerk = 6 * found[3, :, -1]
    sigma = np.linalg.svd(system.jacobian(q), compute_uv=False)[:, -1]
    return Reference(system, samples, K.astype(float), L.astype(float), jerk.astype(float), sigma)


def theirs(reference: Reference, motion: Any) -> tuple[Any, Any, Any]:
    """K, L and jerk of the same unknowns, as the motion gives them."""
    found, frames = Coefficients(motion.plan, motion.lanes), motion.plan.frames
    ids = reference.system.drivers

    def unknowns(*drivers: str) -> Any:
        rows = []
        for link in reference.system.moving:
            U = motion.position(1, link=link).T - motion.position(0j, link=link).T
            dU = found.along(frames[link].direction, *drivers)
            rows += [*found.along(frames[link].origin, *drivers), U[0] * dU[1] - U[1] * dU[0]]
        return np.array(rows)[:, reference.samples]

    K = np.array([unknowns(i) for i in ids])
    L = np.array([[unknowns(i, j) for j in ids] for i in ids])
    jerk = [np.vstack((motion.jerk(0j, link=a).T, motion.angular_jerk(a))) for a in reference.system.moving]
    return K, L, np.concatenate(jerk)[:, reference.samples]


def errors(mechanism: Any, motion: Any, samples: Any) -> tuple[Any, Any]:
    """The largest errors (3, n) of K, L and jerk relative to the largest entry of the sample, and sigma_min (n,).

    An entry of L that belongs to two drivers is a bilinear form of their columns of K: where it cancels, as for a crank
    about its own origin, the product of these is what it is relative to.
    """
    reference = solve_reference(mechanism, motion, samples)
    unit = reference.system._unit
    found = []
    for mine, other in zip((reference.K, reference.L, reference.jerk), theirs(reference, motion), strict=True):
        axes = tuple(range(np.ndim(mine) - 1))
        scale = np.max(np.abs(mine / unit), axis=axes)
        # Small values have no meaningful relative error: the natural scale is that of the drivers.
        scale = np.maximum(scale, _floor(reference, motion, mine))
        if np.ndim(mine) == 4:
            columns = np.max(np.abs(reference.K / unit), axis=1)
            scale = np.maximum(scale, columns[:, None] * columns)[:, :, None]
        found.append(np.max(np.abs(mine - other) / unit / scale, axis=axes))
    return np.array(found), reference.sigma


def _floor(reference: Reference, motion: Any, mine: Any) -> Any:
    system = reference.system
    size = [1.0 if motion.mechanism.drivers[id].kind == "angle" else system.size for id in system.drivers]
    if np.ndim(mine) > 2:
        return 1 / max(size) ** (np.ndim(mine) - 2)
    rates = np.stack([motion.drivers[id][1:, reference.samples] for id in system.drivers], axis=1)
    first, second = np.max(np.abs(rates / np.array(size)[:, None]), axis=1)
    # Where drivers reverse, their rates vanish together: the accelerations give the pace of the motion there.
    return np.maximum(np.maximum(first, second**0.5) ** 3, 1e-30)
