"""`synthesise`: from a wish to dimensions, and from these to candidates: mechanisms that are solved and measured.

The cognates of a four-bar are two others that draw the same curve.

With complex numbers and the coupler's w = (C - B) / |C - B|, let P - B = z (C - B). The third pivot is
G = A + z (D - A). One cognate has the pivots A and G: its pins are A + (P - B) and, on the link to G,
A + (P - B) + z (B - A). The other has D and G, and is found in the same way from the other end of the coupler. So the
links of a cognate turn by the angles of the coupler, the crank and the rocker. Source: Roberts (1875); Cayley's
diagram in any textbook, such as Hartenberg & Denavit, Kinematic Synthesis of Linkages (1964), ch. 6.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from itertools import islice
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from structkin.branches.limits.transmission import acute
from structkin.budget import metering, new_meter
from structkin.checked import checked
from structkin.design.any_topology import AnyLinkage, refused
from structkin.design.arguments import one_or_two, usable, wrong_choice
from structkin.design.candidates import NAMED, Candidate, Candidates, named
from structkin.design.loops import KINDS, FourBars, Kind
from structkin.design.paths import SAME, SAMPLES, Wish, corners, is_same, linkages, sound
from structkin.design.refine import Lanes
from structkin.errors import InputError, Problem, raise_problems
from structkin.model.flaw import LARGEST, Flaw
from structkin.model.mechanism import Mechanism
from structkin.model.units import Units, decimal
from structkin.numerical_tolerances import EQUAL_DATA, NEGLIGIBLE, ROUNDING, VISIBLE
from structkin.types import Complexes, Indices

#: Steps (`structkin.budget`) of a search: twice what a path without an exact solution needs of a six-bar.
BUDGET = 500_000
#: More points of a path only take time: a linkage passes nine at most.
MOST = 1000
#: The longest link by default, in parts of the path's extent.
LONGEST = 20.0
#: The least transmission angle by default [rad].
LEAST = float(np.radians(1.0))


@checked
def synthesise(
    *, path: ArrayLike | None = None, closed: bool = False, timing: ArrayLike | None = None,
    pivots: ArrayLike | None = None, region: ArrayLike | None = None, longest: float | None = None,
    transmission: float = LEAST, kinds: Sequence[str] = tuple(KINDS), mechanism: Mechanism | None = None,
    point: str | None = None, count: int = 10, seed: int = 0, unit: str | None = None,
    budget: float | None = BUDGET,
    progress: Callable[[float], None] | None = None, watch: Callable[[Candidates], None] | None = None,
) -> Candidates:  # fmt: skip
    """Find linkages with a point that passes given points, driven by a crank at the ground.

    `path` (n, 2) [m] are at least three points in the order in which they are passed. On a `closed` path the crank
    makes whole turns, and the last point is followed by the first. With `timing` (n,) [rad] the crank has turned by
    `timing[i] - timing[0]` at point i; it may turn either way. `pivots` (1, 2) or (2, 2) [m] are ground pivots that the
    linkage must have, in either order. All ground pivots lie between the two corners `region` (2, 2) [m] of a
    rectangle, to 1 % of the path's extent. No link, nor the ground, is longer than `longest` [m], to 1 %; by default
    20 times the extent of the path. No transmission angle is below `transmission` [rad], by default 1 deg. `kinds` are
    "four-bar" and "slider-crank", which are the default; "Watt I", "Watt II", "Stephenson I" and "Stephenson III",
    six-bars of two dyads; and "geared five-bar", whose cranks have equal gears. In their place a `mechanism` of any
    topology may be given with the name of the `point` that draws the path: all its lengths are searched, its own are
    not kept. It is driven by one crank at the ground, and has pins, straight guides and slots, wheels that mesh with
    the crank's, and groups with closed forms. At most `count` candidates are returned. The same `seed` gives the same
    candidates.

    An atlas of coupler curves gives some hundred linkages to start from; all are fitted at once, by exact derivatives,
    to the least sum of squares of the distances. Of each four-bar the two cognates are tried. Every candidate is
    verified by `Mechanism.solve` over its whole motion: it passes the points in order on one branch. Where nothing
    fits, the best is returned, and `notes` say how far it is, in the `unit` of length, such as "mm"; by default that of
    the mechanism's file, or m.

    `budget` bounds the work in steps (`structkin.budget`); a search that it ends returns what has been found, and says
    so. `progress` is called often, with the part of the search that is done, and `watch` some times with the candidates
    found so far; what they raise ends the search. Raises `InputError` for points, angles, pivots and a region that do
    not fit each other.

    >>> import structkin as sk
    >>> points = [(0, 0), (1, 0.2), (2, 0.2), (3, 0)]
    >>> found = sk.synthesise(path=points, kinds=["four-bar"], count=3)
    >>> len(found), found[0].error < 1e-9, bool(found[0].mechanism.solve(samples=5).ok.all())
    (3, True, True)
    """
    wish = _wish(
        path, closed, timing, pivots, region, longest, transmission, kinds, mechanism, point, count, seed, unit
    )
    searched: list[Kind] = [KINDS[name] if name in KINDS else named(name) for name in kinds]
    if mechanism is not None and point is not None:
        fitted = AnyLinkage(mechanism, point)
        if closed and not fitted.returns:
            hint = "drive the crank of the largest wheel, so that the other ones turn a whole number of times"
            raise InputError([Problem("closed", "a turn of the crank does not close the path", hint)], "synthesise")
        searched = [fitted]
    notes: list[str] = []
    found: list[tuple[Kind, Candidate, Lanes]] = []
    done = 0.0

    def report(spent: float) -> None:
        if progress is not None:
            progress(done)

    def advance(k: int, part: float) -> None:
        nonlocal done
        done = (k + part) / len(searched)
        report(meter.spent)

    def look(kind: Kind, ranked: Iterable[Lanes]) -> None:
        if watch is not None:
            so_far = _best(wish, [*found, *_sound(kind, ranked, wish, count)])[:count]
            watch(Candidates(tuple(candidate for _, candidate, _ in so_far)))

    meter = new_meter(budget, report, source="synthesise")
    with metering(meter):
        for k, kind in enumerate(searched):
            if len(wish.pivots) > len(kind.pivots):
                notes.append(f"A {kind.name} has one ground pivot, so none has the two that are given.")
                continue
            stages = partial(look, kind) if watch else None
            found += _sound(kind, linkages(kind, wish, seed, partial(advance, k), stages), wish, count)
        every = _best(wish, found)
        for kind, _, one in every[:count]:
            if kind is FourBars:
                for other in cognates(one, wish):
                    own = [complex(*other.x[rows, 0]) for rows in FourBars.pivots]
                    if all(min(abs(place - at) for at in own) < NEGLIGIBLE * wish.size for place in wish.pivots):
                        twin = verified(FourBars, other, wish, cognate=True)
                        if twin is not None:
                            found.append((kind, twin, other))
    chosen = _best(wish, found)[:count]
    if meter.spent > meter.limit:
        notes.append(f"The budget of {meter.limit:g} steps is spent: a larger one may give better linkages.")
    notes += _shortfall(wish, [candidate for _, candidate, _ in chosen])
    return Candidates(tuple(candidate for _, candidate, _ in chosen), tuple(notes))


def _shortfall(wish: Wish, chosen: list[Candidate]) -> list[str]:
    """Return what was not found, in words."""
    if not chosen:
        inside = ", all pivots in the region" * bool(np.isfinite(wish.region).all())
        return [
            "No linkage was found that passes the points in order, on one branch, with no link longer than "
            f"{wish.length_in_words(wish.longest)}{inside} and no transmission angle below "
            f"{np.degrees(wish.least):.3g} deg."
        ]
    error = chosen[0].error
    if error <= VISIBLE * wish.size:
        return []
    return [
        f"No linkage found passes all points: the best is {wish.length_in_words(error)} away, "
        f"{100 * error / wish.size:.2g} % of the path's size. A point takes one of the 9 dimensions of a four-bar or "
        "geared five-bar, the 8 of a slider-crank or the 15 of a six-bar, a timed point two, a given pivot two: where "
        "they are fewer, all points are met only by chance."
    ]


def _sound(kind: Kind, ranked: Iterable[Lanes], wish: Wish, count: int) -> list[tuple[Kind, Candidate, Lanes]]:
    """Return the first linkages whose whole motion is verified, at most `count`."""
    both = ((verified(kind, one, wish), one) for one in ranked)
    return list(islice(((kind, candidate, one) for candidate, one in both if candidate is not None), count))


def _best(wish: Wish, found: list[tuple[Kind, Candidate, Lanes]]) -> list[tuple[Kind, Candidate, Lanes]]:
    """Return candidates in order, each linkage once."""
    order = sorted(found, key=lambda one: (max(one[1].rms, NEGLIGIBLE * wish.size), -one[1].transmission))
    kept: list[tuple[Kind, Candidate, Lanes, Complexes]] = []
    for kind, candidate, one in order:
        own = corners(kind, one)
        near = SAME * max(wish.size, float(np.abs(own - own[0, 0]).max()))
        if not any(twin is kind and is_same(own, other, near) for twin, _, _, other in kept):
            kept.append((kind, candidate, one, own))
    return [(kind, candidate, one) for kind, candidate, one, _ in kept]


def _wish(
    path: ArrayLike | None, closed: bool, timing: ArrayLike | None, pivots: ArrayLike | None, region: ArrayLike | None,
    longest: float | None, transmission: float, kinds: Sequence[str], mechanism: Mechanism | None, point: str | None,
    count: int, seed: int, unit: str | None,
) -> Wish:  # fmt: skip
    """Return a wish for a path; raise `InputError` with everything that is wrong with it."""
    problems: list[Problem] = []
    points = np.asarray(0 if path is None else path)
    n = len(points) if points.ndim == 2 else 0
    if path is None:
        problems.append(Problem("path", "is missing", "give the points (n, 2) [m] that are to be passed"))
    elif points.ndim != 2 or points.shape[1] != 2 or points.dtype.kind not in "iuf":
        problems.append(Problem("path", f"has the shape {points.shape}, not (n, 2)", "one point [m] in each row"))
    elif n < 3:
        problems.append(Problem("path", f"has {n} point{'s' * (n != 1)}", "give at least three"))
    else:
        problems += _bad_points(points, closed)
    if timing is not None:
        problems += _bad_timing(np.asarray(timing), n)
    places, wrong = one_or_two("pivots", pivots)
    problems += wrong
    corners = np.array([[-np.inf] * 2, [np.inf] * 2])
    if region is not None:
        corners, wrong = _region(np.asarray(region), places)
        problems += wrong
    units = Units() if mechanism is None else mechanism.units
    try:
        units = units if unit is None else Units(length=unit)
    except Flaw as flaw:
        problems.append(Problem("unit", flaw.message, flaw.hint))
    if longest is not None and not 0 < longest < np.inf:
        length = f"{decimal(longest / units.length_scale, 5)} {units.length}"
        problems.append(Problem("longest", f"{length} is not a positive length", "such as 20 times the path's extent"))
    if not 0 < transmission < np.pi / 2:
        angle = f"{decimal(transmission, 5)} rad ({decimal(float(np.degrees(transmission)), 5)} deg)"
        problems.append(Problem("transmission", f"{angle} is not between 0 and a right angle", "30 deg is usual"))
    problems += wrong_choice(kinds, (*KINDS, *NAMED), count, seed)
    if (mechanism is None) != (point is None):
        missing, hint = (
            ("point", "name the tracer") if point is None else ("mechanism", "give the linkage to be fitted")
        )
        problems.append(Problem(missing, f"is missing: a {'mechanism' if point is None else 'point'} is given", hint))
    if mechanism is not None:
        problems += refused(mechanism, point) if point is not None else []
        if tuple(kinds) != tuple(KINDS):
            problems.append(Problem("kinds", "are given besides a mechanism", "leave one of them out"))
    raise_problems(problems, "synthesise")
    angles = None if timing is None else np.asarray(timing, float)
    points = points.T.astype(float)
    limit = LONGEST * float(np.ptp(points, axis=1).max()) if longest is None else float(longest)
    return Wish(points, closed, angles, tuple(complex(*place) for place in places), limit, transmission, corners, units)


def _region(given: NDArray[Any], pivots: NDArray[Any]) -> tuple[NDArray[Any], list[Problem]]:
    """Return the lower left and the upper right corner (2, 2) [m] of a region, and what is wrong with it."""
    hint = "give two opposite corners (x, y) [m], such as [(0, 0), (0.2, 0.1)]"
    if given.shape != (2, 2) or given.dtype.kind not in "iuf":
        return given, [Problem("region", f"has the shape {given.shape}, not (2, 2)", hint)]
    if not usable(given).all():
        return given, [Problem("region", f"is not finite, or beyond {LARGEST:g}", hint)]
    corners = np.sort(given.astype(float), axis=0)
    if (corners[0] == corners[1]).any():
        return corners, [Problem("region", "has no width or no height", hint)]
    if any(not (corners[0] <= place).all() or not (place <= corners[1]).all() for place in pivots):
        return corners, [Problem("region", "does not hold a pivot that is given", "make it larger, or leave it out")]
    return corners, []


def _bad_points(points: NDArray[Any], closed: bool) -> list[Problem]:
    if len(points) > MOST:
        return [Problem("path", f"has {len(points):,} points; at most {MOST:,}", "leave some out")]
    if not usable(points).all():
        rows = np.flatnonzero(~usable(points).all(axis=1))
        hint = "every point needs two numbers [m]"
        return [Problem("path", f"point {rows[0]} is not finite, or beyond {LARGEST:g}", hint)]
    size = float(np.ptp(points, axis=0).max())
    again = np.flatnonzero(np.abs(np.diff(points, axis=0)).max(axis=1) <= EQUAL_DATA * size)
    if len(again):
        return [Problem("path", f"point {again[0] + 1} repeats point {again[0]}", "leave it out")]
    if closed and np.abs(points[0] - points[-1]).max() <= EQUAL_DATA * size:
        return [Problem("path", "the last point repeats the first", "leave it out: a closed path returns to the first")]
    return []


def _bad_timing(timing: NDArray[Any], n: int) -> list[Problem]:
    hint = "give one crank angle [rad] for each point"
    if timing.shape != (n,) or timing.dtype.kind not in "iuf":
        return [Problem("timing", f"has the shape {timing.shape}, not ({n},)", hint)]
    if not np.isfinite(timing).all():
        return [Problem("timing", "is not finite", hint)]
    if (np.diff(timing) <= 0).any():
        k = int(np.flatnonzero(np.diff(timing) <= 0)[0])
        hint = "angles are counted the way the crank turns, whichever that is"
        return [Problem("timing", f"does not rise from point {k} to point {k + 1}", hint)]
    if n and timing[-1] - timing[0] >= 2 * np.pi:
        return [Problem("timing", "is more than one turn of the crank", "angles are in rad")]
    return []


# --- cognates ---------------------------------------------------------------------------------------------------------


def cognates(one: Lanes, wish: Wish) -> Iterator[Lanes]:
    """Yield the cognates of one four-bar, each with every ground link that can drive it past the points in order."""
    theta = np.concatenate((one.theta, wish.motion(one.theta)))
    order = np.argsort(theta[:, 0] * np.sign(one.theta[-1, 0] - one.theta[0, 0]), kind="stable")
    at = np.argsort(order)[: len(one.theta)]  # where the points are among the samples
    theta = theta[order]
    (B, C), (P, _) = FourBars.pins(*one[:2], theta), FourBars.traced(*one[:2], theta)
    b, c, p = (pin[0, :, 0] + 1j * pin[1, :, 0] for pin in (B, C, P))
    A, D = (complex(*one.x[rows, 0]) for rows in FourBars.pivots)
    for first, pin, second, other in ((A, b, D, c), (D, c, A, b)):
        z = (p - pin) / (other - pin)
        left, right = first + p - pin, first + p - pin + z * (pin - first)
        third = complex((first + z * (second - first))[0])
        for pivot, crank, end, rocker in ((first, left, third, right), (third, right, first, left)):
            found = _driven(pivot, crank, end, rocker, p, at, wish)
            if found is not None and sound(FourBars, wish, found)[0]:
                yield found


def _driven(
    A: complex, B: Complexes, D: complex, C: Complexes, P: Complexes, at: Indices, wish: Wish
) -> Lanes | None:  # fmt: skip
    """Return the four-bar with these pivots and pins along the motion if its crank AB passes the points in order."""
    lengths = np.array([abs(B[0] - A), abs(C[0] - B[0]), abs(C[0] - D)])
    if lengths.min() < EQUAL_DATA * wish.size:
        return None  # the tracer is a pin: the cognate is the four-bar itself, or none
    turned = np.unwrap(np.angle(B - A))
    step = np.diff(turned) * np.sign(turned[-1] - turned[0])
    side = np.sign(((D - B).conj() * (C - B)).imag)
    theta = turned[at][:, None]
    if (step < -ROUNDING).any() or not wish.in_order(theta)[0] or (side != side[0]).any():
        return None
    if wish.timing is not None:
        crank, wished = np.abs(theta[:, 0] - theta[0, 0]), wish.timing - wish.timing[0]
        if np.abs(crank - wished).max() > EQUAL_DATA:
            return None
    tracer = (P[0] - B[0]) / (C[0] - B[0]) * lengths[1]
    x = np.array([A.real, A.imag, D.real, D.imag, *np.log(lengths), tracer.real, tracer.imag])
    return Lanes(x[:, None], side[:1], theta)


# --- from dimensions to a candidate -----------------------------------------------------------------------------------


def mechanism_of(kind: Kind, one: Lanes, wish: Wish) -> Mechanism:
    """Return a linkage as a mechanism in the pose of the first point, whose motor turns at 1 rad/s past all of them."""
    first = one.theta[:1]
    if isinstance(kind, AnyLinkage):
        turn = float(one.theta[-1, 0] - one.theta[0, 0])
        return kind.built(*one, turn, 2 * np.pi if wish.closed else abs(turn))
    (B, C), (P, _) = kind.pins(one.x, one.mode, first), kind.traced(one.x, one.mode, first)
    places: dict[str, Any] = {name: pin[:, 0, 0].tolist() for name, pin in (("B", B), ("C", C), ("P", P))}
    places |= {name: one.x[rows, 0].tolist() for name, rows in zip("AD", kind.pivots, strict=False)}
    turn = float(one.theta[-1, 0] - one.theta[0, 0])
    sections: dict[str, Any] = {
        "points": dict(sorted(places.items())),
        "drivers": {"motor": {"joint": "A", "speed": float(np.sign(turn))}},
        "duration": 2 * np.pi if wish.closed else abs(turn),
        "units": {"angle": "deg"},
    }
    coupler = {"coupler" if kind is FourBars else "rod": ["B", "C", "P"]}
    if kind is FourBars:
        links = {"ground": ["A", "D"], "crank": ["A", "B"], **coupler, "rocker": ["C", "D"]}
        return Mechanism("Four-bar", links=links, **sections)
    axis = [float(np.cos(one.x[2, 0])), float(np.sin(one.x[2, 0]))]
    guide = {"type": "prismatic", "links": ["slider", "ground"], "at": "C", "axis": axis}
    links = {"ground": ["A"], "crank": ["A", "B"], **coupler, "slider": ["C"]}
    return Mechanism("Slider-crank", links=links, joints={"guide": guide}, **sections)


def verified(kind: Kind, one: Lanes, wish: Wish, *, cognate: bool = False) -> Candidate | None:
    """Return a linkage as a candidate; None if a sample of its motion is not ok, or takes too many steps.

    None as well where a turn of the crank does not bring a general group back to its pose, though the path is closed.
    """
    turns = one.theta[:, 0] - one.theta[0, 0]
    times = np.abs(turns)
    try:
        mechanism = mechanism_of(kind, one, wish)
        t = np.union1d(times, np.linspace(0, float(mechanism.duration or 0), SAMPLES))
        motion = mechanism.solve(t=t)
    except InputError:
        return None
    if not motion.ok.all():
        return None
    point = kind.point if isinstance(kind, AnyLinkage) else "P"
    places = motion.position(point)[np.searchsorted(t, times)]
    every = np.stack([motion.position(name) for name in mechanism.points])
    if wish.closed and np.abs(every[:, -1] - every[:, 0]).max() > VISIBLE * wish.size:
        return None
    dyads = sorted({motion.plan.steps[k].group for k in motion.plan.with_root})
    angles = [float(acute(motion.transmission_angle(group)).min()) for group in dyads]
    return Candidate(
        kind.name, mechanism, point, wish.points.T.copy(), np.linalg.norm(places - wish.points.T, axis=1), turns,
        min(angles, default=np.nan if motion.plan.followed else np.pi / 2), _lengths(kind, mechanism),
        float(np.ptp(every, axis=(0, 1)).max()), cognate,
    )  # fmt: skip


def _lengths(kind: Kind, mechanism: Mechanism) -> dict[str, float]:
    if isinstance(kind, AnyLinkage):
        return kind.named_lengths(mechanism)
    A, B, C = (mechanism.places[name] for name in "ABC")
    lengths = {"crank": abs(B - A), "coupler" if kind is FourBars else "rod": abs(C - B)}
    if kind is FourBars:
        D = mechanism.places["D"]
        lengths |= {"rocker": abs(D - C), "ground": abs(D - A)}
    return lengths
