"""Where a general group's number of real modes can change: the zeros of a discriminant along real inputs.

Along real inputs real modes appear and vanish only in pairs, where two solutions coincide: there the equations'
Jacobian J is singular at both. So the product of det J over all complex solutions,

    D = product over all solutions of  i^k det J (1 + y . yb)^(1 - k),

is zero at every such place. It is symmetric in the solutions, so the square roots of folds cancel, and along analytic
inputs it is analytic. It is real, because complex solutions come in conjugate pairs, and the power of (1 + y . yb),
which is 1 + |y|^2 for real modes, keeps it finite where a mode runs off to infinity. Between neighbouring zeros of D
the number of real modes is constant.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from structkin.branches.homotopy.homotopies import ParameterHomotopy
from structkin.branches.homotopy.modes import described_as
from structkin.branches.homotopy.path_tracking import evaluate, follow, newton_step
from structkin.branches.homotopy.solutions import by_parameters, closed_form
from structkin.branches.homotopy.start_solutions import Chart, chart_at, distinct, lifted
from structkin.groups import General, Triad
from structkin.groups.triad import beside, recognised
from structkin.numerical_tolerances import HALF_DIGITS, RESIDUAL, ROUNDING, SAME_SOLUTION
from structkin.types import Complexes, Floats, Indices

#: Inputs handled together by homotopies; each has as many paths as there are solutions.
AT_ONCE = 128


@dataclass(frozen=True)
class Sign:
    """Values of a function: `size` is the logarithm of its absolute value, `sign` its sign, `count` that of real modes.

    NaN and -1 where not all solutions were found.
    """

    size: Floats
    sign: Floats
    count: Indices

    def over(self, n: int) -> Sign:
        """Return the same over n lanes, where it is constant."""
        return Sign(
            np.broadcast_to(self.size, (n,)), np.broadcast_to(self.sign, (n,)), np.broadcast_to(self.count, (n,))
        )


@dataclass
class Discriminant:
    """The discriminant of a general group; `of` evaluates it over lanes of inputs."""

    form: General
    solutions: int = 0
    _start: tuple[tuple[Complexes, Complexes], Complexes, Complexes] | None = None
    _rng: np.random.Generator = field(default_factory=lambda: np.random.default_rng(3))

    def of(self, h: tuple[Any, ...]) -> Sign:
        """Return the discriminant at inputs `h` of n lanes: vectors (2, n), scalars (n,)."""
        triad = recognised(self.form.rows)
        known = None if triad is None else _of_triad(triad.kind, triad.inputs(h))
        if known is not None:
            return known
        lanes = [np.atleast_1d(x) for x in h]
        n = max((x.shape[-1] for x in lanes), default=1)
        wide = [np.broadcast_to(x, (*x.shape[:-1], n)) for x in lanes]
        good = np.flatnonzero(np.all([np.isfinite(x).reshape(-1, n).all(axis=0) for x in wide], axis=0))
        factors: list[NDArray[Any] | None] = [None] * n
        counts = np.full(n, -1)
        half = np.array([self.parameters(tuple(x[..., [lane]] for x in wide)) for lane in good])
        if len(good):
            found = self.by_closed_form(half) or self.by_homotopy(half)
            for lane, (one, count) in zip(good.tolist(), found, strict=True):
                factors[lane], counts[lane] = one, count
        self.solutions = max([self.solutions, *(len(x) for x in factors if x is not None)])
        size, sign = np.full(n, np.nan), np.full(n, np.nan)
        for lane, one in enumerate(factors):
            if one is not None and len(one) == self.solutions:
                size[lane] = np.log(np.abs(one)).sum()
                sign[lane] = np.sign(np.prod(one / np.abs(one)).real)
        return Sign(size, sign, np.where(np.isfinite(size), counts, -1))

    def parameters(self, h: tuple[Any, ...]) -> Complexes:
        """Return the parameters of the group's equations (p,) at inputs of one lane."""
        return described_as(self.form).parameters(h)

    def by_closed_form(self, half: Complexes) -> list[tuple[Any, int]] | None:
        """Return the factors of D and the number of real modes at parameters (n, p), None without closed form."""
        found = []
        for row in half:
            chart = chart_at(described_as(self.form).shape, (row, row.conj()))
            solutions = None if chart is None else closed_form(chart)
            if chart is None or solutions is None:
                return None
            found.append(_factors(chart, solutions.y, solutions.yb))
        return found

    def by_homotopy(self, half: Complexes) -> list[tuple[Any, int]]:
        """Return the same by homotopies from a group with the same constants at random complex inputs."""
        shape = described_as(self.form).shape
        if self._start is None:
            self._start = self._begin(half)
        start, x, xb = self._start
        unknowns = 2 * shape.links - shape.linear
        rng = np.random.default_rng(7)
        chart = np.linalg.qr(rng.normal(size=(2 * shape.links,) * 2) + 1j * rng.normal(size=(2 * shape.links,) * 2))[0]
        rows, found = chart[:unknowns], []
        y, yb = x @ rows.T, xb @ rows.conj().T
        for first in range(0, len(half), AT_ONCE):
            part = half[first : first + AT_ONCE]
            n, paths = len(part), len(part) * len(x)
            wide = np.repeat(part, len(x), axis=0)
            homotopy = ParameterHomotopy(shape, start, (wide, wide.conj()), rows)
            one = np.ones((paths, 1))
            ends = follow(
                homotopy,
                np.concatenate((one, np.tile(y, (n, 1))), axis=1),
                np.concatenate((one, np.tile(yb, (n, 1))), axis=1),
            )
            Y, Yb = ends.Y, ends.Yb
            everyone, t = np.arange(paths), np.ones(paths)
            patch = np.zeros((paths, 2, 2 * unknowns + 2), complex)
            patch[:, 0, : unknowns + 1], patch[:, 1, unknowns + 1 :] = Y.conj(), Yb.conj()
            for _ in range(2):
                step = newton_step(homotopy, t, everyone, Y, Yb, patch)
                Y, Yb = Y + step[:, : unknowns + 1], Yb + step[:, unknowns + 1 :]
            kept = ends.regular & ends.finite & (np.linalg.norm(step, axis=1) < SAME_SOLUTION)
            with np.errstate(all="ignore"):
                Y, Yb = Y / Y[:, :1], Yb / Yb[:, :1]
                _, J, _ = evaluate(homotopy, t, everyone, Y, Yb)
            J = np.delete(J, [0, unknowns + 1], axis=2)
            for lane in range(n):
                own = np.arange(lane * len(x), (lane + 1) * len(x))
                own = own[kept[own]]
                found.append(_product(J[own], Y[own, 1:], Yb[own, 1:]))
        return found

    def _begin(self, half: Complexes) -> tuple[tuple[Complexes, Complexes], Complexes, Complexes]:
        """Return complex parameters near those of the lanes, with all finite solutions there.

        Parameters that do not change along the lanes are kept, so that special dimensions cost no paths.
        """
        shape = described_as(self.form).shape
        middle = half[len(half) // 2]
        moves = np.ptp(half.real, axis=0) + np.ptp(half.imag, axis=0) > ROUNDING
        halves = []
        for centre in (middle, middle.conj()):
            random = self._rng.normal(size=len(middle)) + 1j * self._rng.normal(size=len(middle))
            halves.append(np.where(moves, centre + 0.5 * (1 + np.abs(centre)) * random, centre))
        start = halves[0], halves[1]
        chart = chart_at(shape, start)
        if chart is None:
            raise ArithmeticError("the linear equations of a group depend on each other")
        found = by_parameters(chart, start)
        y, yb = chart.bilinear.newton(found.y, found.yb)
        alpha, beta = chart.bilinear.certificate(y, yb)
        good = np.flatnonzero(alpha < 0.1)
        good = good[distinct(np.concatenate((y, yb), axis=1)[good], beta[good])]
        x, xb = (lifted(lift, places[good]) for lift, places in zip(chart.lift, (y, yb), strict=True))
        return start, x, xb


def _of_triad(kind: Triad, h: tuple[Any, ...]) -> Sign | None:
    """Return the discriminant of a triad by its closed form over lanes; None where that misses solutions."""
    O, U = kind.poses(h)
    factors = kind.mode_indicator(beside(h), (O, U))
    u = U[0] + 1j * U[1]
    apart = np.abs(u[:, None] - u) + np.eye(len(u))[:, :, None]
    if not (np.isfinite(factors).all() and np.min(apart) > SAME_SOLUTION):
        return None
    real = np.max(np.abs(np.concatenate((U.imag, O.imag / (1 + np.abs(O))))), axis=0) < HALF_DIGITS
    return Sign(
        np.log(np.abs(factors)).sum(axis=0), np.sign(np.prod(factors / np.abs(factors), axis=0).real), real.sum(axis=0)
    )


def _factors(chart: Chart, y: Complexes, yb: Complexes) -> tuple[Any, int]:
    """Return the factors of D (solutions,) and the number of real modes, from candidates for all solutions."""
    y, yb = chart.bilinear.newton(y, yb, 4)
    places = np.concatenate((y, yb), axis=1)
    size = 1 + np.linalg.norm(places, axis=1)
    kept: list[int] = []
    for k in np.flatnonzero(chart.bilinear.relative(y, yb) < RESIDUAL).tolist():
        if all(np.linalg.norm(places[k] - places[j]) > SAME_SOLUTION * size[k] for j in kept):
            kept.append(k)
    y, yb = y[kept], yb[kept]
    return _product(chart.bilinear.jacobian(y, yb), y, yb)


def _product(J: Complexes, y: Complexes, yb: Complexes) -> tuple[Any, int]:
    k = y.shape[1]
    factors = 1j**k * np.linalg.det(J) * (1 + np.sum(y * yb, axis=1)) ** (1 - k)
    size = 1 + np.linalg.norm(y, axis=1)
    return factors, int(np.sum(np.linalg.norm(yb - y.conj(), axis=1) < HALF_DIGITS * size))
