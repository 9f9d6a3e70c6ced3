"""Four-bars whose coupler curve passes nine points, the most that can be chosen (Alt's problem).

Seen from the first point, the coupler has turned by gamma_j at point j and its pins B, C are at d_j + exp(i gamma_j) u,
u being their places there. A crank from the pivot a to the pin keeps its length:

    |d_j + exp(i gamma_j) u - a| - |u - a| = 0,  j = 1 ... 8, for both pins,

sixteen equations in a, u of both dyads and the eight angles. A method of Levenberg and Marquardt runs from thousands of
random starts at once, the angles eliminated from its normal equations; for a start they are those that would close both
dyads if exp(i gamma) could have any length. In general there are 1442 complex solutions, each with its two cognates,
which draw the same curve; how many are real depends on the points [1]. Random starts find most of these soon and the
last ones slowly: what is returned need not be all.

[1] C. W. Wampler, A. P. Morgan, A. J. Sommese: Complete solution of the nine-point path synthesis problem for four-bar
    linkages. Journal of Mechanical Design 114 (1992) 153-159.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from structkin.budget import TOGETHER, SpentError, charge, metering, new_meter
from structkin.checked import checked
from structkin.design.arguments import usable
from structkin.design.candidates import Candidate, Candidates
from structkin.design.dyads import Displacements, Dyad
from structkin.design.positions import loops, tried
from structkin.errors import Problem, raise_problems
from structkin.groups.solve_lanes import solve_lanes
from structkin.model.flaw import LARGEST
from structkin.numerical_tolerances import (
    EQUAL_DATA,
    LEAST_POSITIVE,
    ROUNDING,
    ROUNDING_OF_ONE,
    SAME_POSE,
    SHORTEST_SEGMENT,
)
from structkin.types import Complexes, Floats

#: The number of points.
NINE = 9
#: Starts of a round, and how many of them are followed for how many steps: half of them, the best, go on.
STARTS, STAGES = 2000, (40, 60, 100)
#: Rounds without a linkage that was not known before, after which the search ends.
IDLE = 15
#: Linkages farther out than this are left out; points have the size 1.
FAR = 1e3
#: Steps (`structkin.budget`) of a search.
BUDGET = 200_000
#: The damping at the start, its factors after a good and a bad step, its least; the largest step of an angle [rad].
DAMPING, GOOD, BAD, LEAST, ANGLE = 1e-2, 0.4, 3.0, ROUNDING_OF_ONE, 0.3


@checked
def synthesise_nine_points(
    points: ArrayLike, *, count: int = 100, seed: int = 0, budget: float | None = BUDGET,
    progress: Callable[[float], None] | None = None,
) -> Candidates:  # fmt: skip
    """Find the four-bars whose coupler curve passes nine points: one of the three cognates for each curve.

    `points` (9, 2) [m] may be passed in any order and on any branch: a linkage that would have to be taken apart
    between them, or whose crank turns back, says so in its `defects`. Those without come first, then those with the
    larger transmission angle. Of three cognates, and of their two cranks, the best is returned; `synthesise` finds only
    linkages without defects, for any number of points.

    Newton-like searches run from random starts, the same for the same `seed`, until fifteen rounds in turn find nothing
    new, `count` curves are known, or the `budget` is spent (`structkin.budget`): at most 64 curves are real for the
    example of Wampler, Morgan and Sommese (1992), and most of them are found in half a minute. Each candidate is
    verified by its motion. Raises `InputError` for points that are not nine.

    >>> import structkin as sk
    >>> x = [0.25, 0.52, 0.8, 1.2, 1.4, 1.1, 0.7, 0.2, 0.02]
    >>> y = [0, 0.1, 0.7, 1, 1.3, 1.48, 1.4, 1, 0.4]
    >>> found = sk.synthesise_nine_points([*zip(x, y)], count=3)
    >>> len(found), max(one.error for one in found) < 1e-10
    (3, True)
    """
    given = _checked(points, count, seed)
    z = given[:, 0] + 1j * given[:, 1]
    size = float(np.ptp(given, axis=0).max())
    notes: list[str] = []
    known: list[Complexes] = []
    found: list[Candidate] = []
    random, idle = np.random.default_rng(seed), 0
    meter = new_meter(budget, source="synthesise_nine_points")
    with metering(meter):
        while idle < IDLE and len(found) < count:
            idle += 1
            try:
                solutions = _round((z[1:] - z[0]) / size, random)
            except SpentError:
                notes.append(f"The budget of {meter.limit:g} steps is spent: a larger one may give more linkages.")
                break
            for y, angles in solutions:  # those of a triple differ, but for their pivots
                own = _pivots(y)
                if any(np.abs(own - other).max() < SAME_POSE * (1 + np.abs(own).max()) for other in known):
                    continue
                known.append(own)
                best = _best(z - z[0], size * y, np.concatenate(([0.0], angles)), complex(z[0]))
                if best is not None and len(found) < count:
                    found.append(best)
                    idle = 0
            if progress is not None:
                progress(max(len(found) / count, idle / IDLE))
    found.sort(key=lambda one: (len(one.defects), -np.nan_to_num(one.transmission)))
    if not found:
        notes.append("No four-bar was found that passes the points.")
    return Candidates(tuple(found), tuple(notes))


def _checked(points: ArrayLike, count: int, seed: int) -> Floats:
    """Return the points (9, 2); raise `InputError` with everything that is wrong."""
    given: NDArray[Any] = np.asarray(points)
    problems = []
    if given.shape != (NINE, 2) or given.dtype.kind not in "iuf":
        problems.append(Problem("points", f"have the shape {given.shape}, not (9, 2)", "one point [m] in each row"))
    else:
        problems += _bad(given)
    if count < 1:
        problems.append(Problem("count", f"{count} is not positive", "such as 100"))
    if seed < 0:
        problems.append(Problem("seed", f"{seed} is negative", "such as 0"))
    raise_problems(problems, "synthesise_nine_points")
    return given.astype(float)


def _bad(points: NDArray[Any]) -> list[Problem]:
    if not usable(points).all():
        row = int(np.flatnonzero(~usable(points).all(axis=1))[0])
        return [Problem("points", f"point {row} is not finite, or beyond {LARGEST:g}", "two numbers [m] each")]
    size = float(np.ptp(points, axis=0).max())
    same = np.abs(points[:, None] - points).max(axis=2) <= EQUAL_DATA * size
    return [
        Problem("points", f"point {k} repeats point {first}", "nine different points are needed")
        for k, first in enumerate(same.argmax(axis=1).tolist())
        if first < k
    ]


# --- solutions ------------------------------------------------------------------------------------------------


def _round(d: Complexes, random: np.random.Generator) -> Iterator[tuple[Complexes, Floats]]:
    """Return solutions of one round of starts: pivots and pins a, u, a', u' (4,) and angles (8,)."""
    radius = np.exp(random.uniform(np.log(0.2), np.log(4), (4, STARTS)))
    y = radius * np.exp(2j * np.pi * random.uniform(size=(4, STARTS)))
    y[::2] += d.mean()
    angles = _angles(d, y)
    cost = np.zeros(STARTS)
    with np.errstate(all="ignore"):
        for steps in STAGES:
            y, angles, cost = _fitted(d, y, angles, steps)
            best = np.argsort(cost)[: len(cost) // 2]
            y, angles, cost = y[:, best], angles[:, best], cost[best]
    links = np.abs(np.stack((y[0] - y[1], y[2] - y[3], y[0] - y[2], y[1] - y[3], y[1], y[3])))
    sound = (cost < ROUNDING**2) & (links.min(axis=0) > SHORTEST_SEGMENT) & (np.abs(y).max(axis=0) < FAR)
    return ((y[:, k], angles[:, k]) for k in np.flatnonzero(sound))


def _angles(d: Complexes, y: Complexes) -> Floats:
    """Return the angles (8, k) of the factors e that close both dyads, in which the equations are linear."""
    (p, q), (r, s) = ((u * (d[:, None] - a).conj(), _side(d, a, u)) for a, u in (y[:2], y[2:]))
    # Re(p e) = q and Re(r e) = s
    D = p.imag * r.real - p.real * r.imag
    return np.asarray(np.arctan2((p.real * s - r.real * q) / D, (p.imag * s - r.imag * q) / D))


def _side(d: Complexes, a: Complexes, u: Complexes) -> Floats:
    return np.asarray((np.abs(a) ** 2 - np.abs(d[:, None] - a) ** 2) / 2 - (u * a.conj()).real)


def _fitted(d: Complexes, y: Complexes, angles: Floats, steps: int) -> tuple[Complexes, Floats, Floats]:
    """Return dyads (4, k), angles (8, k) and sums of squares (k,) after some steps."""
    r, J, c = _equations(d, y, angles)
    cost = (r * r).sum(axis=(0, 1))
    damping = np.full(len(cost), DAMPING)
    for _ in range(steps):
        charge(r.size * 8 / TOGETHER)
        square = (c * c).sum(axis=0)
        square = square + damping * square.mean(axis=0) + LEAST_POSITIVE
        mixed, along = np.einsum("cjpk,cjk->kpj", J, c), (r * c).sum(axis=0)
        rows = J.transpose(3, 2, 0, 1).reshape(len(cost), 8, 16)
        H = rows @ rows.transpose(0, 2, 1) - (mixed / square.T[:, None]) @ mixed.transpose(0, 2, 1)
        right = (rows @ r.transpose(2, 0, 1).reshape(-1, 16, 1))[..., 0]
        right = right - np.einsum("kpj,jk->kp", mixed, along / square)
        scale = np.einsum("kpp->kp", H)
        scale = np.maximum(scale, ROUNDING * scale.max(axis=1, keepdims=True) + LEAST_POSITIVE)
        dx = -solve_lanes(H + (damping[:, None] * scale)[:, :, None] * np.eye(8), right).T
        turn = np.clip(-(along + np.einsum("kpj,pk->jk", mixed, dx)) / square, -ANGLE, ANGLE)
        much = np.maximum(np.abs(dx).max(axis=0), 1.0)
        new_y, new_angles = y + (dx[::2] + 1j * dx[1::2]) / much, angles + turn / much
        new_r, new_J, new_c = _equations(d, new_y, new_angles)
        new_cost = (new_r * new_r).sum(axis=(0, 1))
        good = new_cost < cost
        y, angles, cost = np.where(good, new_y, y), np.where(good, new_angles, angles), np.where(good, new_cost, cost)
        r, J, c = np.where(good, new_r, r), np.where(good, new_J, J), np.where(good, new_c, c)
        damping = np.maximum(damping * np.where(good, GOOD, BAD), LEAST)
    return y, angles, cost


def _equations(d: Complexes, y: Complexes, angles: Floats) -> tuple[Floats, Floats, Floats]:
    """Return the equations (2, 8, k), their derivatives by the dyads (2, 8, 8, k), and each by its angle (2, 8, k)."""
    turn, k = np.exp(1j * angles), y.shape[1]
    r, J, c = np.empty((2, 8, k)), np.zeros((2, 8, 8, k)), np.empty((2, 8, k))
    for one, (a, u) in enumerate((y[:2], y[2:])):
        crank, first = d[:, None] + turn * u - a, u - a
        r[one] = np.abs(crank) - np.abs(first)
        n, n0 = (crank / np.abs(crank)).conj(), (first / np.abs(first)).conj()
        by_a, by_u = n0 - n, n * turn - n0
        J[one, :, 4 * one : 4 * one + 4] = np.stack((by_a.real, -by_a.imag, by_u.real, -by_u.imag), axis=1)
        c[one] = (n * 1j * turn * u).real
    return r, J, c


# --- linkages -------------------------------------------------------------------------------------------------


def _pivots(y: Complexes) -> Complexes:
    """Return the three pivots (3,) of the cognates, in an order of their own."""
    a, u, b, v = y
    third = a + u / (u - v) * (b - a)
    return np.array(sorted((a, b, third), key=lambda place: (round(place.real, 9), place.imag)))


def _best(z: Complexes, y: Complexes, angles: Floats, origin: complex) -> Candidate | None:
    """Return the best of the cognates and their cranks as a candidate, its distances those of all assemblies.

    Points and dyads are places from an `origin`, the first point.
    """
    ways = []
    for dyads, turns in _cognates(z, y, angles):
        positions = np.stack((z.real, z.imag, turns), axis=1)
        moved = Displacements.of(positions)
        ways += [(loop, moved, positions) for loop in loops(moved, (dyads, dyads[::-1]))]
    for one in tried(*max(ways, key=lambda way: way[0].quality), origin):
        motor = one.turns + one.mechanism.drivers["motor"].start
        places = [
            [a.position("P") for a in one.mechanism.assemblies(drivers={"motor": angle})] for angle in motor.tolist()
        ]
        if all(places):
            away = [np.hypot(*(np.array(at) - point).T).min() for at, point in zip(places, one.points, strict=True)]
            return replace(one, distances=np.array(away))
    return None


def _cognates(z: Complexes, y: Complexes, angles: Floats) -> Iterator[tuple[tuple[Dyad, Dyad], Floats]]:
    """Yield a four-bar and its cognates, each as two dyads and the angles (9,) of its coupler; see `synthesise`."""
    a, u, b, v = (complex(one) for one in y)
    yield (Dyad("RR", a, u), Dyad("RR", b, v)), angles
    for first, pin, second, other in ((a, u, b, v), (b, v, a, u)):
        ratio = (z[0] - pin) / (other - pin)
        crank = z + np.exp(1j * angles) * (pin - z[0]) - first
        left = first + complex(z[0]) - pin
        third, right = first + ratio * (second - first), left + ratio * (pin - first)
        yield (Dyad("RR", first, left), Dyad("RR", third, right)), np.unwrap(np.angle(crank / crank[0]))
