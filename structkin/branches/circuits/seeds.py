"""The places along a line of inputs at which the poses of a group are examined, and the poses there."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.polynomial import chebyshev

from structkin.branches.assemblies.choices import choices_of
from structkin.branches.assemblies.wheels import whole_turns
from structkin.branches.circuits.discriminant import Discriminant, Sign
from structkin.branches.circuits.lines import Line
from structkin.branches.homotopy.modes import equations_of
from structkin.groups import General
from structkin.numerical_tolerances import LAST_DIGIT, NUDGE, ROUNDING_OF_FEW, SEEDS_RESOLVED, SEEDS_SMALLEST
from structkin.plan.plan import Plan
from structkin.track.chebyshev import Interpolation
from structkin.types import Complexes, Flags, Floats

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
