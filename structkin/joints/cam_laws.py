"""Cam laws: lift as a function of cam angle, composed of the usual motions over one full turn.

A motion is a function of u from 0 to 1 that rises from 0 to 1; `MOTIONS` lists them. Peaks for a rise h over the angle
b (Norton, Design of Machinery, tab. 8-3; Shigley & Uicker, ch. 6):

    motion               velocity h/b    acceleration h/b^2    jerk h/b^3
    harmonic             1.571           4.935                 15.50, infinite at dwells
    cycloidal            2.000           6.283                 39.48
    modified sine        1.760           5.528                 69.47
    modified trapezoid   2.000           4.888                 61.43
    3-4-5                1.875           5.774                 60.0
    4-5-6-7              2.188           7.513                 52.5
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from structkin.checked import checked
from structkin.errors import InputError, Problem, raise_problems
from structkin.model.flaw import Flaw, describe, number
from structkin.model.topology import suggest
from structkin.numerical_tolerances import EQUAL_DATA, ROUNDED_DATA, ROUNDING
from structkin.rows.periodic import TURN, Piecewise
from structkin.types import Floats

#: A piece of a motion: its start, its polynomial from there, and its sine (amplitude, frequency, phase).
Piece = tuple[float, tuple[float, ...], tuple[float, float, float]]

_NONE = (0.0, 1.0, 0.0)

EXAMPLE = 'such as ("cycloidal", pi, 0.02), ("cycloidal", pi, 0.0)'


def _from_acceleration(*pieces: tuple[float, float, tuple[float, float, float]]) -> tuple[Piece, ...]:
    """Integrate pieces (length, constant, wave) of an acceleration twice, from rest at zero."""
    found, start, value, rate = [], 0.0, 0.0, 0.0
    for length, constant, (a, w, p) in pieces:
        wave = (-a / w**2, w, p)
        c1 = rate + a / w * math.cos(p)
        c0 = value + a / w**2 * math.sin(p)
        found.append((start, (c0, c1, constant / 2), wave))
        value = c0 + c1 * length + constant / 2 * length**2 - a / w**2 * math.sin(w * length + p)
        rate = c1 + constant * length - a / w * math.cos(w * length + p)
        start += length
    return tuple(found)


def _modified_sine() -> tuple[Piece, ...]:
    A, quick, slow = 4 * math.pi**2 / (4 + math.pi), 4 * math.pi, 4 * math.pi / 3
    return _from_acceleration(
        (1 / 8, 0.0, (A, quick, 0.0)), (3 / 4, 0.0, (A, slow, math.pi / 2)), (1 / 8, 0.0, (-A, quick, math.pi / 2))
    )


def _modified_trapezoid() -> tuple[Piece, ...]:
    A, w, quarter = 8 * math.pi / (2 + math.pi), 4 * math.pi, math.pi / 2
    return _from_acceleration(
        (1 / 8, 0.0, (A, w, 0.0)),
        (1 / 4, A, _NONE),
        (1 / 4, 0.0, (A, w, quarter)),
        (1 / 4, -A, _NONE),
        (1 / 8, 0.0, (-A, w, quarter)),
    )


#: The motions by name: pieces of u from 0 to 1.
MOTIONS: Mapping[str, tuple[Piece, ...]] = {
    "dwell": ((0.0, (0.0,), _NONE),),
    "uniform": ((0.0, (0.0, 1.0), _NONE),),
    "harmonic": ((0.0, (0.5,), (-0.5, math.pi, math.pi / 2)),),
    "cycloidal": ((0.0, (0.0, 1.0), (-0.5 / math.pi, TURN, 0.0)),),
    "modified sine": _modified_sine(),
    "modified trapezoid": _modified_trapezoid(),
    "3-4-5": ((0.0, (0.0, 0.0, 0.0, 10.0, -15.0, 6.0), _NONE),),
    "4-5-6-7": ((0.0, (0.0, 0.0, 0.0, 0.0, 35.0, -84.0, 70.0, -20.0), _NONE),),
}


@dataclass(frozen=True, slots=True)
class Segment:
    """A part of a law: `motion` (a key of `MOTIONS`) over an angle of the cam [rad], `to` a lift [m or rad].

    A dwell has no `to`: the lift stays constant.
    """

    motion: str
    over: float
    to: float | None = None

    def __post_init__(self) -> None:
        """Raise the first error of an invalid segment; `flaws_of` yields all."""
        for flaw in flaws_of(self.motion, self.over, self.to):
            raise flaw


def flaws_of(motion: Any, over: Any, to: Any) -> Iterator[Flaw]:
    """Yield everything that is wrong with a segment of these fields."""
    known = isinstance(motion, str) and motion in MOTIONS
    if not isinstance(motion, str):
        yield Flaw(f"expected the name of a motion, found {describe(motion)}", 'such as "cycloidal"')
    elif not known:
        yield Flaw(f"the motion '{motion}' is unknown", suggest(motion, MOTIONS))
    name = f"a {motion}" if known else "a segment"
    try:
        if number(over) <= 0:
            yield Flaw(f"the angle {math.degrees(over):g} deg of {name} is not greater than zero")
    except Flaw as flaw:
        yield Flaw(f"the angle of {name}: {flaw.message}", flaw.hint)
    try:
        if to is not None:
            number(to)
    except Flaw as flaw:
        yield Flaw(f"the lift of {name}: {flaw.message}", flaw.hint)
    if known and motion == "dwell" and to is not None:
        yield Flaw("a dwell has a lift 'to', but its lift is constant", "delete 'to'")
    if known and motion != "dwell" and to is None:
        yield Flaw(f"a {motion} motion needs its final lift 'to'", "such as to = 20")


@checked
class CamLaw:
    """The lift of a follower over one turn of its cam, in SI and radians.

    The segments follow each other from angle 0 and lift 0, cover one full turn and end at lift 0. Raises `InputError`
    listing every error.

    >>> law = CamLaw([("cycloidal", np.pi / 2, 0.02), ("dwell", np.pi / 2), ("3-4-5", np.pi, 0.0)])
    >>> [round(float(law(x)), 4) for x in (0.0, np.pi / 4, np.pi / 2, 1.5 * np.pi)]
    [0.0, 0.01, 0.02, 0.01]
    >>> round(float(law(np.pi / 4, 1)), 6) == round(2 * 0.02 / (np.pi / 2), 6)
    True
    """

    def __init__(self, segments: Sequence[Segment | Sequence[Any]]) -> None:
        """Store segments, given as such or as tuples of their fields."""
        found, problems = list[Segment](), list[Problem]()
        rows: Any = segments
        if isinstance(rows, str | Mapping) or not isinstance(rows, Iterable) or getattr(rows, "ndim", 1) == 0:
            problems.append(Problem("segments", f"expected a list of segments, found {describe(rows)}", EXAMPLE))
            rows = ()
        for k, item in enumerate(rows, 1):
            if isinstance(item, Segment):
                found.append(item)
            elif isinstance(item, str) or not isinstance(item, Sequence) or len(item) not in (2, 3):
                what = f"expected (motion, angle, lift), or (motion, angle) for a dwell, found {describe(item)}"
                problems.append(Problem(f"segment {k}", what, EXAMPLE))
            else:
                motion, over, to = (*item, None)[:3]
                flaws = list(flaws_of(motion, over, to))
                problems += [Problem(f"segment {k}", flaw.message, flaw.hint) for flaw in flaws]
                found += [] if flaws else [Segment(motion, float(over), to)]
        self.segments = tuple(found)
        if not problems:
            problems = [Problem("segments", message, hint) for message, hint in self._mistakes()]
        raise_problems(problems, "cam law")

    def _mistakes(self) -> list[tuple[str, str]]:
        mistakes = []
        total = sum(segment.over for segment in self.segments)
        if not self.segments:
            return [("are missing", EXAMPLE)]
        if abs(total - TURN) > EQUAL_DATA:
            what, hint = ("missing", "add a dwell") if total < TURN else ("too many", "shorten a segment")
            gap = f"{math.degrees(abs(TURN - total)):.6g} deg {what}"
            mistakes.append((f"cover {math.degrees(total):.6g} deg, not the cam's full turn of 360 deg: {gap}", hint))
        if abs(self.lifts[-1]) > ROUNDING * max(map(abs, self.lifts)):
            mistakes.append(("do not end at lift 0, where they start: the lift would jump", "end with to = 0"))
        return mistakes

    @cached_property
    def lifts(self) -> tuple[float, ...]:
        """The lift at the start, and at the end of each segment."""
        lifts = [0.0]
        for segment in self.segments:
            lifts.append(lifts[-1] if segment.to is None else segment.to)
        return tuple(lifts)

    @cached_property
    def ends(self) -> Floats:
        """The angles between the segments [rad], from 0 to 2 pi."""
        ends = np.concatenate(([0.0], np.cumsum([segment.over for segment in self.segments])))
        return np.asarray(ends * (TURN / ends[-1]))

    @cached_property
    def function(self) -> Piecewise:
        """The lift as a function of the cam's angle."""
        pieces = []
        for k, segment in enumerate(self.segments):
            start, over = float(self.ends[k]), float(self.ends[k + 1] - self.ends[k])
            low, rise = self.lifts[k], self.lifts[k + 1] - self.lifts[k]
            for begin, polynomial, (a, w, p) in MOTIONS[segment.motion]:
                scaled = [rise * c / over**j for j, c in enumerate(polynomial)]
                pieces.append((start + begin * over, (low + scaled[0], *scaled[1:]), (rise * a, w / over, p)))
        longest = max(len(polynomial) for _, polynomial, _ in pieces)
        return Piecewise(
            np.array([begin for begin, _, _ in pieces] + [TURN]),
            np.array([polynomial + (0.0,) * (longest - len(polynomial)) for _, polynomial, _ in pieces]),
            np.array([wave for _, _, wave in pieces]),
        )

    def __call__(self, angle: ArrayLike, order: int = 0) -> Any:
        """Return the lift (n,) at cam angles (n,) [rad], or its derivative of this order with respect to the angle."""
        if order < 0:
            raise InputError([Problem("order", f"{order} is negative", "0 is the lift itself")], "cam law")
        with np.errstate(invalid="ignore"):  # an infinite angle has no lift
            return self.function(angle, order)

    def __repr__(self) -> str:
        """Show the motions."""
        return f"<CamLaw: {', '.join(segment.motion for segment in self.segments)}>"

    @property
    def remarks(self) -> tuple[str, ...]:
        """Warnings: where velocity or acceleration jumps from one segment to the next."""
        f, remarks, count = self.function, [], len(self.function.breaks) - 1
        largest = max(abs(a - b) for a in self.lifts for b in self.lifts) or 1.0
        for k in range(count):
            before, width = (k - 1) % count, f.breaks[k] - f.breaks[k - 1] if k else TURN - f.breaks[-2]
            for order, words, follows in ((1, "velocity", "acceleration"), (2, "acceleration", "jerk")):
                jump = float(f.on_piece(k, np.array(0.0), order) - f.on_piece(before, np.array(width), order))
                if abs(jump) > ROUNDED_DATA * largest:
                    at = math.degrees(f.breaks[k])
                    remarks.append(f"at {at:.6g} deg the {words} of the law jumps: infinite {follows}")
                    break
        return tuple(remarks)
