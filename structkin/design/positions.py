"""Linkages that carry a body through given positions: dyads that do, in pairs, each pair tried as a whole motion."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import permutations, product
from math import pi, tau
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.stats import qmc

from structkin.branches.limits.transmission import acute
from structkin.checked import checked
from structkin.design import dyads
from structkin.design.arguments import one_or_two, usable, wrong_choice
from structkin.design.candidates import Candidate, Candidates
from structkin.design.dyads import Displacements, Dyad
from structkin.errors import InputError, Problem, raise_problems
from structkin.model.flaw import LARGEST
from structkin.model.mechanism import Mechanism
from structkin.numerical_tolerances import EQUAL_DATA, RESIDUAL, SAME_POSE
from structkin.types import Floats

#: What a crank and another dyad make.
NAMES = {"RR": "four-bar", "PR": "slider-crank", "RP": "inverted slider-crank"}
KINDS = tuple(NAMES.values())
#: More positions only take time.
MOST = 100
#: Pivots tried where three positions leave them free, and lines across the curve of four.
TRIED, LINES = 64, 60
#: Offsets of pivots from the middle of a pin's two places, by their distance: cranks that turn by 127 to 28 degrees.
_OFFSETS = (0.25, 0.5, 1.0, 2.0, -0.25, -0.5, -1.0, -2.0)
#: Samples of the motion from one position to the next.
BETWEEN = 24


@checked
def synthesise_positions(
    positions: ArrayLike, *, pivots: ArrayLike | None = None, pins: ArrayLike | None = None,
    kinds: Sequence[str] = KINDS, count: int = 10, seed: int = 0,
) -> Candidates:  # fmt: skip
    """Find four-bars and slider-cranks that carry a body through given positions, driven by a crank at the ground.

    `positions` (n, 3) are at least two places x, y [m] of the body's origin with its angle [rad], in order. Two and
    three leave much free: `pivots` (1, 2) or (2, 2) [m] on the ground or `pins` [m] on the body, in its first position,
    may be given; without them some tens are tried, with the same result for the same `seed`. Four leave Burmester's
    curve, five at most four cranks; more are met as closely as can be. A guide or a slot for more than four is one that
    meets all of them exactly. `kinds` are "four-bar", "slider-crank" and "inverted slider-crank". At most `count`
    candidates are returned.

    Every one is solved from the first position to the last it reaches. Best are those without `defects`, then those
    with the smaller error, then those with the larger transmission angle. Raises `InputError` for positions and points
    that do not fit each other.

    >>> import structkin as sk
    >>> hatch = [(0, 0, 0), (0.25, 0.3, 0.7), (0.7, 0.35, 1.5)]
    >>> found = sk.synthesise_positions(hatch, kinds=["four-bar"], count=3)
    >>> len(found), found[0].kind, found[0].error < 1e-9, found[0].defects
    (3, 'four-bar', True, ())
    """
    given = np.asarray(positions)
    problems = _wrong(given)
    chosen: dict[str, list[complex]] = {}
    for name, values in (("pivots", pivots), ("pins", pins)):
        places, wrong = one_or_two(name, values)
        if len(places) and not problems and not wrong and len(given) > 3:
            hint = "give at most three positions, or leave them out"
            wrong = [Problem(name, f"cannot be chosen for {len(given)} positions", hint)]
        problems += wrong
        chosen[name] = [] if wrong else [complex(*place) for place in places]
    problems += wrong_choice(kinds, KINDS, count, seed)
    raise_problems(problems, "synthesise_positions")
    found = through(given.astype(float), chosen["pivots"], chosen["pins"], kinds, count, seed)
    sound = any(not one.defects for one in found)
    notes = () if sound else ("No linkage was found that passes the positions in order, on one branch.",)
    return Candidates(tuple(found), notes)


def _wrong(positions: NDArray[Any]) -> list[Problem]:
    if positions.ndim != 2 or positions.shape[1] != 3 or positions.dtype.kind not in "iuf":
        hint = "x, y [m] and angle [rad] in each row"
        return [Problem("positions", f"have the shape {positions.shape}, not (n, 3)", hint)]
    if len(positions) < 2:
        return [Problem("positions", "are fewer than two", "give at least two")]
    if len(positions) > MOST:
        return [Problem("positions", f"are {len(positions):,}; at most {MOST}", "leave some out")]
    if not usable(positions).all():
        return [Problem("positions", f"are not finite, or beyond {LARGEST:g}", "x, y [m] and angle [rad] in each row")]
    size = float(np.ptp(positions[:, :2], axis=0).max()) or 1.0
    places, turns = positions[:, :2] / size, np.exp(1j * positions[:, 2])
    same = np.linalg.norm(places[:, None] - places, axis=2) <= EQUAL_DATA
    same &= np.abs(turns[:, None] - turns) <= EQUAL_DATA
    again = [
        Problem("positions", f"position {k} repeats position {first}", "leave it out")
        for k, first in enumerate(same.argmax(axis=1).tolist())
        if first < k
    ]
    if not again and not np.ptp(positions[:, :2]):
        again = [Problem("positions", "only turn the body about its origin", "a pin there does it")]
    return again


def through(
    positions: Floats, pivots: Sequence[complex], pins: Sequence[complex], kinds: Sequence[str], count: int, seed: int
) -> list[Candidate]:
    """Return up to `count` linkages through positions (n, 3), the best ones first; see `synthesise_positions`."""
    # Seen from the body's first place: displacements are as large as the motion, wherever it is.
    origin = complex(*positions[0, :2])
    local = positions - [origin.real, origin.imag, 0.0]
    moved = Displacements.of(local)
    pivots, pins = ([place - origin for place in places] for places in (pivots, pins))
    pairs = _pairs(*candidates(moved, pivots, pins, seed))
    wanted = (loop for loop in loops(moved, pairs) if NAMES[loop.other.kind] in kinds)
    ranked = sorted(wanted, key=lambda loop: -loop.quality)
    done: list[Candidate] = []
    for loop in ranked:
        if len(done) >= 6 * count or sum(not one.defects for one in done) >= 3 * count:
            break
        done += tried(loop, moved, local, origin)
    exact = RESIDUAL * moved.size
    done.sort(key=lambda one: (len(one.defects), max(one.error, exact), -np.nan_to_num(one.transmission)))
    return done[:count]


def candidates(
    moved: Displacements, pivots: Sequence[complex], pins: Sequence[complex], seed: int
) -> tuple[list[list[Dyad]], list[Dyad]]:
    """Return dyads for the positions: those of each given point, and all others or a selection of them.

    The body's origin is at zero in the first position.
    """
    n = len(moved.d) + 1
    if n > 3:
        cranks = dyads.on_the_curve(moved, LINES) if n == 4 else dyads.five(moved) if n == 5 else dyads.nearest(moved)
        slots = dyads.as_slots(dyads.guided_through_four(moved.inverse()))
        return [], [*cranks, *dyads.guided_through_four(moved), *slots]
    if n == 2:
        return _through_two(moved, pivots, pins)
    given = [dyads.pin_of(moved, pivot) for pivot in pivots] + [dyads.pivot_of(moved, pin) for pin in pins]
    if len(given) > 1:
        return given, []
    places = moved.of_point(0j)
    center, reach = places.mean(), np.abs(places - places.mean()).max() or moved.size
    points = 2 * qmc.Sobol(2, seed=seed).random(TRIED) - 1
    found = [one for x, y in points for one in dyads.pin_of(moved, complex(center + 2 * reach * complex(x, y)))]
    for angle in np.arange(12) * pi / 12:
        e = np.exp(1j * angle)
        found += [*dyads.guided(moved, e), *dyads.slotted(moved, e)]
    return given, found


def _pairs(given: list[list[Dyad]], free: list[Dyad]) -> Iterator[tuple[Dyad, Dyad]]:
    """Return the pairs of dyads, in both orders: of two given points, or of one with any other dyad."""
    if not given:
        return permutations(free, 2)
    groups = given if len(given) > 1 else [*given, free]
    return (pair for one, other in permutations(groups, 2) for pair in product(one, other))


def _through_two(
    moved: Displacements, pivots: Sequence[complex], pins: Sequence[complex]
) -> tuple[list[list[Dyad]], list[Dyad]]:
    """Return cranks for two positions: pivots lie on the bisector of a pin's places, pins on a line for each pivot."""
    size, T = moved.size, moved.bilinear()[0]
    given = []
    for pivot in pivots:
        constant, x, y = T @ [1.0, pivot.real, pivot.imag]
        normal = complex(x, y)
        if abs(normal) > 0:  # the pin that is closest to the origin of the body
            given.append([Dyad("RR", pivot, -constant / abs(normal) ** 2 * normal)])
    around = [size * r * np.exp(1j * angle) for r in (0.4, 0.8) for angle in np.arange(6) * pi / 3]

    def to(pin: complex) -> list[Dyad]:
        first, last = moved.of_point(complex(pin))
        return [Dyad("RR", complex((first + last) / 2 + 1j * r * (last - first)), complex(pin)) for r in _OFFSETS]

    cranks = [one for pin in around for one in to(pin)]
    guides = [one for pin in around for one in dyads.guided_through_two(moved, pin)]
    slots = [one for pin in around for one in dyads.guided_through_two(moved.inverse(), pin)]
    return given + [to(pin) for pin in pins], [*cranks, *guides, *dyads.as_slots(slots)]


@dataclass(frozen=True)
class _Loop:
    """A crank that drives, another dyad, and the driver's angles in the positions (n,)."""

    crank: Dyad
    other: Dyad
    angles: Floats
    turns_back: bool
    quality: float


def loops(moved: Displacements, pairs: Iterable[tuple[Dyad, Dyad]]) -> Iterator[_Loop]:
    """Yield the pairs of dyads that make a linkage, with what the positions alone tell of it."""
    for crank, other in pairs:
        near = SAME_POSE * moved.size
        if crank.kind != "RR" or abs(crank.ground - other.ground) < near or abs(crank.body - other.body) < near:
            continue
        pins = moved.of_point(crank.body)
        angles, turns_back = _turned(np.angle(pins - crank.ground))
        sines = _sines(moved, crank, other)
        length = max(crank.length, other.length, abs(crank.ground - other.ground), abs(crank.body - other.body))
        # Signs that differ: the positions lie on two branches.
        quality = sines.min() * np.sign(sines[0]) if sines[0] > 0 else -sines.max()
        yield _Loop(crank, other, angles, turns_back, quality / (1 + length / (10 * moved.size)) - 2 * turns_back)


def _turned(angles: Floats) -> tuple[Floats, bool]:
    """Return angles that go one way within one turn, and False; or those of the shorter way each time, and True."""
    ways = []
    for sign in (1, -1):
        steps = (sign * np.diff(angles)) % tau
        if steps.sum() <= tau:
            ways.append((steps.sum(), sign, steps))
    if not ways:
        return np.unwrap(angles), True
    _, sign, steps = min(ways, key=lambda way: way[0])
    return angles[0] + sign * np.concatenate(([0.0], np.cumsum(steps))), False


def _sines(moved: Displacements, crank: Dyad, other: Dyad) -> Floats:
    """Return the sine of the transmission angle in all positions (n,), with the sign of the assembly mode."""
    B, C = moved.of_point(crank.body), moved.of_point(other.body)
    if other.kind == "RR":
        one, two = C - B, other.ground - C
        return np.asarray((one.conjugate() * two).imag / (np.abs(one) * np.abs(two)))
    turn = np.concatenate(([1.0 + 0j], moved.z))
    if other.kind == "RP":  # between the line of the pins and the normal to the slot
        line, along = other.ground - B, other.direction * turn
    else:  # between the rod and the normal to the guide
        line, along = C - B, np.full(len(B), other.direction)
    return np.asarray((along.conjugate() * line).real / np.abs(line))


def closed_until(loop: _Loop, angles: Floats) -> int:
    """Return how many angles of the crank (m,) there are before one at which the other dyad cannot be closed."""
    crank, other = loop.crank, loop.other
    line = other.ground - (crank.ground + crank.length * np.exp(1j * angles))
    if other.kind == "RR":
        coupler, far = abs(other.body - crank.body), np.abs(line)
        beyond = np.maximum(far - (coupler + other.length), abs(coupler - other.length) - far)
    elif other.kind == "PR":
        beyond = np.abs((other.direction.conjugate() * line).imag) - abs(other.body - crank.body)
    else:
        beyond = abs((other.direction.conjugate() * (other.ground - crank.body)).imag) - np.abs(line)
    # At a dead centre itself, rounding decides: the solution will.
    return int(np.append(np.flatnonzero(beyond > SAME_POSE * crank.length), len(angles))[0])


def tried(loop: _Loop, moved: Displacements, positions: Floats, origin: complex = 0j) -> Iterator[Candidate]:
    """Yield the linkage as a candidate, moved from the first position to the last; none if it cannot be built.

    Its places are those from an `origin`.

    Where it cannot be closed at some angle of the crank, it is moved to the last position in front of that: to look for
    ways past a dead centre would take longer than all the rest.
    """
    ways = [np.linspace(a, b, BETWEEN, endpoint=False) for a, b in zip(loop.angles, loop.angles[1:], strict=False)]
    angles = np.concatenate((*ways, loop.angles[-1:]))
    until = closed_until(loop, angles)
    within = until if until == len(angles) else max(until - 1, 0) // BETWEEN * BETWEEN + 1
    try:
        mechanism = _mechanism(loop, positions, origin)
        motion = mechanism.solve(drivers={"motor": angles[:within]})
    except InputError:  # two of its points coincide, or following its motion takes more steps than the budget allows
        return
    at, places = BETWEEN * np.arange(len(positions)), positions[:, :2] + [origin.real, origin.imag]
    defects = ["The crank turns back between the positions: their order is wrong for it."] if loop.turns_back else []
    missed = max(dyads.misses(moved, loop.crank), dyads.misses(moved, loop.other))
    distances, least, every = np.full(len(positions), missed), np.nan, np.array([*mechanism.points.values()])
    ends = np.append(np.flatnonzero(~motion.ok), until)[0]
    if ends == len(angles):
        # The angle of the body without its whole turns: to count them takes time.
        along = motion.position(moved.size, "body")[at] - motion.position("B")[at]
        turn = (along @ [1, 1j]) / moved.size * np.exp(-1j * positions[:, 2])
        away = np.hypot(*(motion.position("P")[at] - places).T)
        distances = np.maximum(away, moved.size * np.abs(turn / turn[0] - 1))
        least = float(acute(motion.transmission_angle("body")).min())
        every = np.concatenate([motion.position(name) for name in mechanism.points])
        signs = np.sign(_sines(moved, loop.crank, loop.other))
        if (signs != signs[0]).any():
            first = int(np.argmax(signs != signs[0])) + 1
            defects.append(f"In position {first} the linkage is on another branch: it would have to be taken apart.")
    else:
        first = max(int(ends) - 1, 0) // BETWEEN + 1
        defects.append(f"The motion ends behind position {first}: the linkage would have to be taken apart.")
    yield Candidate(
        NAMES[loop.other.kind], mechanism, "P", places, distances, loop.angles - loop.angles[0], least,
        _lengths(loop), float(np.ptp(every, axis=0).max()), defects=tuple(defects),
    )  # fmt: skip


def _lengths(loop: _Loop) -> dict[str, float]:
    crank, other = loop.crank, loop.other
    lengths = {"crank": crank.length}
    if other.kind == "RR":
        lengths |= {"rocker": other.length}
    if other.kind != "RP":
        lengths["coupler"] = abs(other.body - crank.body)
    if other.kind != "PR":
        lengths["ground"] = abs(other.ground - crank.ground)
    return lengths


def _mechanism(loop: _Loop, positions: Floats, origin: complex = 0j) -> Mechanism:
    crank, other = loop.crank, loop.other
    places: dict[str, complex] = {"A": crank.ground, "B": crank.body}
    links: dict[str, list[str]] = {"ground": ["A"], "crank": ["A", "B"], "body": ["B"]}
    joints = {}
    if other.kind in ("RR", "PR"):
        places["C"] = other.body
        links["body"].append("C")
    if other.kind in ("RR", "RP"):
        places["D"] = other.ground
        links["ground"].append("D")
    axis = [other.direction.real, other.direction.imag]
    if other.kind == "RR":
        links["rocker"] = ["C", "D"]
    elif other.kind == "PR":
        links["slider"] = ["C"]
        joints["guide"] = {"type": "prismatic", "links": ["ground", "slider"], "at": "C", "axis": axis}
    else:
        links["block"] = ["D"]
        if abs(complex(*positions[0, :2]) - crank.body) < SAME_POSE * crank.length:
            # B and P alone would give the body no direction: Q is where its slot lies over D.
            places["Q"] = other.ground
            links["body"].append("Q")
        joints["slot"] = {"type": "prismatic", "links": ["body", "block"], "at": "D", "axis": axis}
    places["P"] = complex(*positions[0, :2])
    links["body"].append("P")
    n = len(positions)
    angles = np.degrees(loop.angles).tolist()
    law: dict[str, object] = {"table": [[k, angle] for k, angle in enumerate(angles)]}
    if not loop.turns_back or n < 3:
        first, last = angles[0], angles[-1]
        law = {"law": f"{first!r} + {last - first!r}*t/{n - 1}"}
    return Mechanism(
        f"{NAMES[other.kind].capitalize()} through {n} positions",
        points={name: ((p + origin).real, (p + origin).imag) for name, p in places.items()},
        links=links, joints=joints, drivers={"motor": {"joint": "A", **law}}, duration=n - 1,
        units={"angle": "deg"},
    )  # fmt: skip
