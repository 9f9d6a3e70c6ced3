"""The centre line of a curved slot in a file: points on a spline, or a chain of segments."""

from __future__ import annotations

import cmath
from collections.abc import Iterator, Sequence
from typing import Annotated, Any, ClassVar

import numpy as np

from structkin.joints.lines import held_by, into_frame
from structkin.joints.splines import open_spline, spline
from structkin.model.draft import Draft
from structkin.model.entry import Entry, read
from structkin.model.fields import Radius, scalar, vector
from structkin.model.flaw import Flaw, describe
from structkin.model.parts import Link
from structkin.numerical_tolerances import EQUAL_DATA, SHORTEST_SEGMENT
from structkin.rows.periodic import TURN, Piecewise
from structkin.rows.plane_curve import PlaneCurve
from structkin.types import Floats

#: Examples of points and segments.
PLACES = "[[0, 0], [40, 10], [80, 40]]"
SEGMENTS = "[{ length = 180 }, { turn = -90, radius = 30 }, { length = 200 }]"


#: Number of chords of a curve used to search for crossings, and the minimum per piece.
CHORDS, ON_PIECE = 240, 4


class SegmentEntry(Entry):
    """A line with a length, or an arc with a turn, positive to the left, and a radius."""

    sample: ClassVar[str] = "{ length = 180 } for a line, or { turn = -90, radius = 30 } for an arc"

    length: Radius | None = None
    turn: Annotated[float, scalar("angle")] | None = None
    radius: Radius | None = None


def spline_curve(draft: Draft, key: str, given: Any, carrier: Link, closed: bool) -> PlaneCurve | None:
    """Return the quintic spline, by chord lengths, through points of the sketch; None if there are errors."""
    if not isinstance(given, list | tuple | np.ndarray):
        raise Flaw(f"expected a list of points, found {describe(given)}", f"such as {PLACES}")
    places = [draft.attempt(f"{key}[{k}]", _place, draft, item, carrier) for k, item in enumerate(given, 1)]
    if len(places) < 3 + closed:
        raise Flaw(f"a spline needs at least {3 + closed} points, found {len(places)}", f"such as {PLACES}")
    known = np.array([place for place in places if place is not None])
    if len(known) < len(places):
        return None
    chords = np.abs(np.diff(known, append=known[:1])) if closed else np.abs(np.diff(known))
    for k in np.flatnonzero(chords == 0.0):
        after = (k + 1) % len(known) + 1
        draft.fault(key, f"points {k + 1} and {after} coincide", "delete one; closed = true closes a curve")
    if not chords.all() or _too_short(draft, key, "the chord to the next point", chords):
        return None
    u = np.concatenate(([0.0], np.cumsum(chords))) * (TURN / chords.sum())
    u[-1] = TURN
    x, y = (spline(u[:-1], part) if closed else open_spline(u, part) for part in (known.real, known.imag))
    return _uncrossed(draft, PlaneCurve(x, y, closed), carrier)


def _place(draft: Draft, item: Any, carrier: Link) -> complex:
    """Return a position in the frame of the slotted link, from [x, y] in the sketch or a point name."""
    return _in_frame(draft, item if isinstance(item, str) else vector(item, "length", draft.units), carrier)


def _in_frame(draft: Draft, place: str | complex, carrier: Link) -> complex:
    if not isinstance(place, str):
        return into_frame(carrier, place)
    if place not in carrier.local:
        raise Flaw(f"'{place}' is not a point of '{carrier.name}'", f"it {held_by(draft.holders.get(place, []))}")
    return carrier.local[place]


def chain_curve(
    draft: Draft, key: str, given: Any, carrier: Link, start: str | complex, axis: complex, closed: bool
) -> PlaneCurve | None:
    """Return lines and arcs, each tangent to the previous, from a start along an axis; None if there are errors."""
    if not isinstance(given, list | tuple) or not given:
        found = "an empty list" if isinstance(given, list | tuple) else describe(given)
        raise Flaw(f"expected a list of segments, found {found}", f"such as {SEGMENTS}")
    segments = []
    for k, row in enumerate(given, 1):
        entry, problems = read(SegmentEntry, row, f"{key}[{k}]", draft.units)
        draft.problems += problems
        if not problems and entry is not None:
            segments.append(draft.attempt(f"{key}[{k}]", _segment, entry))
    place = _in_frame(draft, start, carrier)
    known = [segment for segment in segments if segment is not None]
    if len(known) < len(given):
        return None
    lengths, curvatures = np.array(known).T
    if _too_short(draft, key, "the segment", lengths):
        return None
    total, turned = float(lengths.sum()), float(lengths @ curvatures)
    breaks = np.concatenate(([0.0], np.cumsum(lengths))) * (TURN / total)
    breaks[-1] = TURN
    made = _Chain(place, axis / carrier.direction, total / TURN)
    for length, curvature in known:
        made.add(length, curvature)
    gap = abs(made.place - place)
    if closed and (gap > EQUAL_DATA * total or abs(abs(turned) - TURN) > EQUAL_DATA):
        said = f"ends {draft.show_length(gap)} from its start, after turning by {np.degrees(turned):.9g} deg"
        raise Flaw(f"the closed slot {said}", "the segments must return to the start and turn by 360 deg in total")
    x, y = (Piecewise(breaks, np.array(polynomials), np.array(waves)) for polynomials, waves in made.pieces)
    return _uncrossed(draft, PlaneCurve(x, y, closed), carrier)


def _too_short(draft: Draft, key: str, what: str, lengths: Floats) -> bool:
    """Report pieces that are too short beside the longest; return whether there are any."""
    longest = float(lengths.max())
    short = np.flatnonzero(lengths < SHORTEST_SEGMENT * longest)
    for k in short.tolist():
        said = f"{what} is {draft.show_length(lengths[k])} long, the longest of the slot {draft.show_length(longest)}"
        draft.fault(
            f"{key}[{k + 1}]", said, f"the ratio must be at least {SHORTEST_SEGMENT:g}; check the units of both"
        )
    return bool(len(short))


def _segment(entry: SegmentEntry) -> tuple[float, float]:
    """Return length and curvature, positive to the left."""
    if entry.length is not None and entry.turn is None and entry.radius is None:
        return entry.length, 0.0
    if entry.length is None and entry.turn and entry.radius is not None:
        curvature = (1 if entry.turn > 0 else -1) / entry.radius
        return entry.turn / curvature, curvature
    raise Flaw("expected a line with a length, or an arc with turn and radius", f"such as {entry.sample}")


class _Chain:
    """Lines and arcs under construction: x and y as functions of u; a unit of u is `scale` metres long."""

    def __init__(self, place: complex, heading: complex, scale: float) -> None:
        self.place, self._heading, self._scale = place, heading, scale
        self.pieces: tuple[tuple[list[Any], list[Any]], ...] = (([], []), ([], []))

    def add(self, length: float, curvature: float) -> None:
        """Append a line or an arc."""
        if curvature:
            arm = -1j * self._heading / curvature
            centre = self.place - arm
            # c + |a| (cos, sin)(w t + arg a)
            angle, w = cmath.phase(arm), curvature * self._scale
            self._append((centre, 0j), [(abs(arm), w, angle + 0.25 * TURN), (abs(arm), w, angle)])
            turn = cmath.exp(1j * length * curvature)
            self.place, self._heading = centre + arm * turn, self._heading * turn
        else:
            self._append((self.place, self._heading * self._scale), [(0.0, 1.0, 0.0)] * 2)
            self.place += self._heading * length

    def _append(self, line: tuple[complex, complex], waves: Sequence[tuple[float, float, float]]) -> None:
        parts = [(p.real, p.imag) for p in line]
        for axis, (polynomials, found) in enumerate(self.pieces):
            polynomials.append([part[axis] for part in parts])
            found.append(waves[axis])


def _uncrossed(draft: Draft, curve: PlaneCurve, carrier: Link) -> PlaneCurve:
    """Return the curve; raise `Flaw` if it crosses itself."""
    for place in _crossings(curve):
        there = (carrier.origin + carrier.direction * place) / draft.units.length_scale
        where = f"near [{there.real:.4g}, {there.imag:.4g}]"
        raise Flaw(
            f"the slot crosses itself {where}: the pin could take either path", "change the curve so that it does not"
        )
    return curve


def _crossings(curve: PlaneCurve) -> Iterator[complex]:
    """Yield points on the chords where the curve crosses itself."""
    z = curve.places(max(CHORDS, ON_PIECE * (len(curve.x.breaks) - 1)))
    start, steps = z[:-1], np.diff(z)
    count = len(steps)
    # Chord j starts and ends on different sides of chord i, and vice versa.
    beside = (np.conj(steps)[:, None] * (z - start[:, None])).imag
    left = beside > -EQUAL_DATA * curve.length * np.abs(steps)[:, None]
    parted = left[:, :-1] != left[:, 1:]
    i, j = np.nonzero(np.triu(parted & parted.T, 2))
    for a, b in zip(i.tolist(), j.tolist(), strict=True):
        if not (curve.closed and a == 0 and b == count - 1):
            yield complex(start[a])
