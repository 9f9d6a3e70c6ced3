"""The places along a line of inputs at which the poses of a group are examined, and the poses there.

The places are where a group's number of real modes can change, the zeros of a discriminant. Along real inputs real
modes appear and vanish only in pairs, where two solutions coincide: there the equations' Jacobian J is singular at
both. So the product of det J over all complex solutions,

    D = product over all solutions of  i^k det J (1 + y . yb)^(1 - k),

is zero at every such place. It is symmetric in the solutions, so the square roots of folds cancel, and along analytic
inputs it is analytic. It is real, because complex solutions come in conjugate pairs, and the power of (1 + y . yb),
which is 1 + |y|^2 for real modes, keeps it finite where a mode runs off to infinity. Between neighbouring zeros of D
the number of real modes is constant.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.polynomial import chebyshev
from numpy.typing import NDArray

from structkin.branches.assemblies.choices import choices_of
from structkin.branches.assemblies.wheels import whole_turns
from structkin.branches.circuits.lines import Line
from structkin.branches.homotopy.homotopies import ParameterHomotopy
from structkin.branches.homotopy.modes import described_as, equations_of
from structkin.branches.homotopy.path_tracking import evaluate, follow, newton_step
from structkin.branches.homotopy.solutions import by_parameters, closed_form
from structkin.branches.homotopy.start_solutions import Chart, chart_at, distinct, lifted
from structkin.groups import General, Triad
from structkin.groups.triad import beside, recognised
from structkin.numerical_tolerances import (
    HALF_DIGITS,
    LAST_DIGIT,
    NUDGE,
    RESIDUAL,
    ROUNDING,
    ROUNDING_OF_FEW,
    SAME_SOLUTION,
    SEEDS_RESOLVED,
    SEEDS_SMALLEST,
)
from structkin.plan.plan import Plan
from structkin.track.chebyshev import Interpolation
from structkin.types import Complexes, Flags, Floats, Indices

# --- a discriminant ------------------------------------------------------------------------------------------------

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


# --- seeds ---------------------------------------------------------------------------------------------------------

#: Places in each piece of a line at which a group with redundant joints is examined: it has no discriminant.
EACH = 6


def samples_along(line: Line, plan: Plan, index: int) -> Floats:
    """Return places on a line, at least one between any two at which the number of modes of a step changes."""
    step = plan.steps[index]
    kind = step.kind

    def inputs(s: Floats) -> tuple[Any, ...]:
        rows = line.rows(s)
        return tuple(map(np.asarray, plan.inputs(step, rows)))

    if kind.closed_form:

        def discriminant(s: Floats) -> Sign:
            with np.errstate(all="ignore"):
                value = kind.discriminant(inputs(s))
                value = np.ones(1) if value is None else np.atleast_1d(np.asarray(value, float))
                found = Sign(np.log(np.abs(value)), np.sign(value), np.where(value > 0, kind.modes, 0))
            return found.over(len(s))

        return samples(discriminant, line.edges)
    if _is_redundant(kind, line, inputs):
        edges = line.edges
        parts = (np.arange(EACH) + 0.5) / EACH
        return np.sort((edges[:-1, None] + np.diff(edges)[:, None] * parts).ravel())
    general = Discriminant(kind)
    return samples(lambda s: general.of(inputs(s)).over(len(s)), line.edges)


def _is_redundant(form: General, line: Line, inputs: Any) -> bool:
    if form.rows.count > 3 * form.rows.links:
        return True
    edges = line.edges
    h = inputs(0.4 * edges[:-1] + 0.6 * edges[1:])
    shape = np.broadcast_shapes(*(np.shape(x)[-1:] for x in h)) if h else (1,)
    wide = [np.broadcast_to(x, (*np.shape(x)[:-1], *shape)) for x in map(np.atleast_1d, h)]
    for lane in range(shape[0]):
        one = tuple(x[..., [lane]] for x in wide)
        if all(np.isfinite(x).all() for x in one):
            return equations_of(form, one)[0] is None
    return False


def poses_over(plan: Plan, rows: Floats, index: int, stop: int) -> Iterator[Floats]:
    """Yield the slots (r,) of each regular pose of the steps from `index` up to `stop`; those before are known."""
    if index == stop:
        yield rows
        return
    step = plan.steps[index]
    h = plan.inputs(step, rows[:, None])
    if not all(np.isfinite(x).all() for x in h):
        return
    for choice in choices_of(step, h, whole_turns(plan, index)).items:
        if not np.isnan(choice.alpha):
            full = rows.copy()
            for slot, value in zip(step.outputs, choice.outputs, strict=True):
                full[plan.rows(slot)] = value
            yield from poses_over(plan, full, index + 1, stop)


# --- all zeros of an analytic function that spans many powers of ten ----------------------------------------

# As for `structkin.track.chebyshev.landmarks`, the function is replaced by polynomials on pieces of the interval.
# There values are of order one; a discriminant is a product whose size is only known piece by piece. So a piece is done
# when its polynomial is resolved and, divided by the factors of the roots in and near the piece, stays away from zero:
# then no zero is missed.


#: Nodes of a piece.
NODES = 24
#: Least value of a resolved piece after division by the roots.
AWAY = 1e-2
#: Roots closer to a piece than this, in half lengths of it, are divided out.
NEAR = 0.3
#: Roots closer to the real axis than this are examined: there is a narrow interval, a double zero or nothing.
BESIDE = 0.05
#: A piece is not halved once there are this many.
MOST = 400

_INTERPOLATION = Interpolation(NODES)


def samples(function: Callable[[Floats], Sign], edges: Floats) -> Floats:
    """Return places, at least one in each interval on which the function has no zero.

    `function` takes places (n,). The places at which a pair of zeros is nearly real are among them too.

    >>> def line(x):
    ...     return Sign(np.log(np.abs(x - 0.25)), np.sign(x - 0.25), np.where(x > 0.25, 2, 0))
    >>> samples(line, np.array([0.0, 1.0])).round(9).tolist()
    [0.125, 0.625]
    """
    marks, extra = [float(edges[0]), float(edges[-1])], list[float]()
    smallest, total = SEEDS_SMALLEST * (edges[-1] - edges[0]), len(edges) - 1

    def look(places: Floats, middle: Floats, half: Floats) -> Flags:
        nonlocal total
        found, done = function(places), np.ones(len(half), bool)
        for k, (m, h) in enumerate(zip(middle, half, strict=True)):
            one = slice(k * NODES, (k + 1) * NODES)
            roots = _roots(Sign(found.size[one], found.sign[one], found.count[one]))
            if roots is None and h > smallest and total < MOST:
                done[k] = False
                total += 1
            elif roots is None:
                # A pole or a place where nothing changes: both sides of it are examined.
                marks.extend((m - h, m + h))
            else:
                inside = np.abs(roots.real) <= 1 + NUDGE
                marks.extend(m + h * roots.real[inside & (roots.imag == 0)])
                extra.extend(m + h * roots.real[inside & (roots.imag > 0) & (roots.imag < BESIDE)])
        return done

    _INTERPOLATION.halve(edges, look, 1.0)
    places = np.sort(np.clip(marks, edges[0], edges[-1]))
    wide = np.diff(places) > ROUNDING_OF_FEW * max(1.0, float(np.abs(edges).max()))
    return np.unique(np.concatenate((0.5 * (places[1:] + places[:-1])[wide], extra)))


def _roots(found: Sign) -> Complexes | None:
    """Return the zeros in and near [-1, 1] of a function that is known at the nodes, None where it is not resolved."""
    if not np.isfinite(found.size).all():
        return None
    nodes = _INTERPOLATION.places
    values = found.sign * np.exp(found.size - found.size.max())
    coefficients = values @ _INTERPOLATION.to_coefficients
    size = np.abs(coefficients)
    if size[-4:].max() > SEEDS_RESOLVED:
        return None
    kept = np.flatnonzero(size > 10 * size[-4:].max() + LAST_DIGIT)
    roots: Complexes = np.empty(0, complex)
    if kept[-1] > 0:
        roots = chebyshev.chebroots(coefficients[: kept[-1] + 1]).astype(complex)
    # Distance from the interval: the sum of the distances to -1 and 1, less 2.
    far = np.abs(roots + 1) + np.abs(roots - 1) - 2
    roots = roots[far < NEAR]
    rest = np.abs(values) / np.prod(np.abs(nodes[:, None] - roots), axis=1)
    if rest.min() < AWAY * rest.max():
        return None
    for k in np.flatnonzero(np.diff(found.count)):
        # The nodes are in descending order.
        if not np.any((roots.real > nodes[k + 1] - 1e-3) & (roots.real < nodes[k] + 1e-3)):
            return None
    return roots
