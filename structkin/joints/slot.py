"""The slot in which a pin slides: straight, circular, or along points on a spline or a chain of segments."""

from __future__ import annotations

import cmath
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar

import numpy as np

from structkin.joints.circular_slot import CircularSlot
from structkin.joints.curve_slot import CurveSlot
from structkin.joints.entry import LineEntry
from structkin.joints.guide import Guide
from structkin.joints.lines import SLOPPY, check_line, held_by, into_frame, with_stroke
from structkin.joints.row_writer import RowWriter
from structkin.joints.splines import open_spline, spline
from structkin.model.draft import Draft
from structkin.model.entry import Entry, read
from structkin.model.fields import Anything, Flag, Location, Name, Radius, scalar, vector
from structkin.model.flaw import Flaw, describe
from structkin.model.geometry import unit_direction
from structkin.model.mechanism import GROUND
from structkin.model.parts import Link
from structkin.model.stroke import check_stroke
from structkin.model.topology import Joint
from structkin.numerical_tolerances import EQUAL_DATA, ROUNDING, SHORTEST_SEGMENT
from structkin.rows.periodic import TURN, Piecewise
from structkin.rows.plane_curve import PlaneCurve
from structkin.types import Flags, Floats, Indices

# --- the centre line of a curved slot ------------------------------------------------------------------------------

#: Examples of points and segments.
PLACES = "[[0, 0], [40, 10], [80, 40]]"
SEGMENTS = "[{ length = 180 }, { turn = -90, radius = 30 }, { length = 200 }]"


#: Number of chords of a curve used to search for crossings, and the minimum per piece; chords in a run.
CHORDS, ON_PIECE, RUN = 240, 4, 32


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
    """Yield points on the chords where the curve crosses itself; runs of chords are compared whose boxes meet."""
    z = curve.places(max(CHORDS, ON_PIECE * (len(curve.x.breaks) - 1)))
    steps, near, count = np.diff(z), EQUAL_DATA * curve.length, len(z) - 1
    ends = np.stack((z[:-1], z[1:])).view(float).reshape(2, count, 2)
    low, high = ends.min(axis=0) - near, ends.max(axis=0) + near
    first = np.arange(0, count, RUN)
    lowest, highest = np.minimum.reduceat(low, first), np.maximum.reduceat(high, first)

    def parted(i: Indices, j: Indices) -> Flags:
        """Return whether chords j (m,) start and end on different sides of chords i (n, 1)."""
        left = ((np.conj(steps[i]) * (z[j + k] - z[i])).imag > -near * np.abs(steps[i]) for k in (0, 1))
        return np.asarray(np.not_equal(*left))

    for k, start in enumerate(first.tolist()):
        i = np.arange(start, min(start + RUN, count))[:, None]
        runs = k + np.flatnonzero(((lowest[k:] <= highest[k]) & (highest[k:] >= lowest[k])).all(axis=1))
        j = (RUN * runs[:, None] + np.arange(RUN)).ravel()
        j = j[j < count]
        meet = ((low[i] <= high[j]) & (high[i] >= low[j])).all(axis=2) & (j - i > 1)
        if curve.closed:
            meet &= j - i < count - 1
        for a in (meet & parted(i, j) & parted(j, i)).any(axis=1).nonzero()[0].tolist():
            yield complex(z[start + a])


# --- the slot ------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class Slot(Guide):
    """A pin of the slider in a straight slot of the carrier; the line of the guide is the slot's centre line."""

    kind: ClassVar[str] = "S"

    def write(self, w: RowWriter) -> None:
        """Write the row across the slot."""
        self.write_across(w)


class SlotEntry(LineEntry):
    """A pin of one link in a slot of another: straight, circular about a point of it, or along a curve."""

    sample: ClassVar[str] = '{ type = "pin-in-slot", pin = "B", on = "crank", slot = "arm", along = ["O", "E"] }'

    pin: Name
    slot: Name
    on: Name | None = None
    center: Name | None = None
    radius: Radius | None = None
    through: Anything = None
    segments: Anything = None
    start: Location | None = None
    closed: Flag | None = None

    @property
    def at_ends(self) -> tuple[str, ...]:
        """The pin, and the centre about which it turns in a circular slot."""
        return self.pin, self.center or ""

    def make(self, draft: Draft, id: str) -> Joint | Slot | CircularSlot | CurveSlot | None:
        """Return the slot with its pin."""
        key = f"joints.{id}"
        known = [draft.has_link(f"{key}.slot", self.slot), draft.has_point(f"{key}.pin", self.pin)]
        if self.on is not None:
            known.append(draft.has_link(f"{key}.on", self.on))
        known.append(self._has_curve(draft, key))
        if not all(known):
            return None
        held = draft.holders.get(self.pin, [])
        if self.slot in held:
            raise Flaw(
                f"the pin '{self.pin}' is a point of '{self.slot}', the slotted link", "name a point of another link"
            )
        if self.on is not None and self.on not in held:
            raise Flaw(f"the pin '{self.pin}' is not on the link '{self.on}'", held_by(held))
        if not held:
            return None  # reported by `check_use`
        slider = self.on or (GROUND if GROUND in held else held[0])
        end = f"@{self.pin}" if self.on is None and self.pin in draft.joints else slider
        links = end, self.slot
        if self.slot not in draft.links or slider not in draft.links:
            return Joint(id, "S", links)
        ends = draft.links[self.slot], draft.links[slider]
        if self.is_curved:
            return self._curved(draft, id, links, *ends)
        return with_stroke(draft, id, self, self._made(draft, id, links, *ends))

    def _made(self, draft: Draft, id: str, links: tuple[str, str], carrier: Link, slider: Link) -> Slot | CircularSlot:
        place = draft.points[self.pin]
        point, there = draft.pin_on(slider, self.pin), into_frame(carrier, place)
        if self.center is not None:
            center = carrier.local[self.center]
            radius = abs(there - center) if self.radius is None else self.radius
            if radius <= ROUNDING * abs(center) or radius == 0:
                raise Flaw(f"in the sketch the pin '{self.pin}' is at the centre of its slot", "give radius = 50")
            step = there - center if abs(there - center) > 0 else 1 + 0j
            return CircularSlot(
                id, links, carrier=carrier.name, slider=slider.name, center=center, point=point, radius=radius,
                direction=step / abs(step),
            )  # fmt: skip
        if self.axis is not None:
            direction = carrier.direction.conjugate() * self.axis
            return Slot(
                id,
                links,
                carrier=carrier.name,
                slider=slider.name,
                origin=there,
                direction=direction,
                point=point,
                at=place,
            )
        assert self.along is not None
        p, q = self.along
        direction = unit_direction(carrier.local, p, q)
        step = direction.conjugate() * (there - carrier.local[p])
        size = abs(carrier.local[q] - carrier.local[p])
        if abs(step.imag) > SLOPPY * size:
            raise Flaw(
                f"in the sketch the pin '{self.pin}' is {draft.show_length(abs(step.imag))} from the line {p}-{q}",
                "draw it on the line, or give the slot an axis instead",
            )
        # the pin runs on the line P-Q itself: a rounded sketch does not shift the slot
        return Slot(
            id, links, carrier=carrier.name, slider=slider.name, origin=carrier.local[p], direction=direction,
            point=point, start=step.real, at=place,
        )  # fmt: skip

    def _curved(self, draft: Draft, id: str, links: tuple[str, str], carrier: Link, slider: Link) -> CurveSlot | None:
        """Return a slot along a curve; None if there are errors."""
        curve, there = self._curve(draft, f"joints.{id}", carrier), into_frame(carrier, draft.points[self.pin])
        if curve is None:
            return None
        gap = abs(float(curve.away(there)))
        if gap > SLOPPY * curve.length:
            far = draft.show_length(gap)
            raise Flaw(f"in the sketch the pin '{self.pin}' is {far} from its slot", "draw it in the slot")
        start = float(curve.travel(curve.foot(there.real, there.imag)))
        ends = None if curve.closed else (-start, curve.length - start)
        return CurveSlot(
            id, links, carrier=carrier.name, slider=slider.name, point=draft.pin_on(slider, self.pin), direction=1 + 0j,
            stroke=None if ends is None else check_stroke(draft.units, ends, "length", 0.0), curve=curve, start=start,
        )  # fmt: skip

    @property
    def is_curved(self) -> bool:
        """Whether the slot is a spline through points, or made of segments."""
        return self.through is not None or self.segments is not None

    def _curve(self, draft: Draft, key: str, carrier: Link) -> PlaneCurve | None:
        """Return the centre line of a curved slot; None if there are errors."""
        closed = bool(self.closed)
        if self.through is not None:
            key = f"{key}.through"
            return draft.attempt(key, spline_curve, draft, key, self.through, carrier, closed)
        assert self.axis is not None and self.start is not None
        key, start = f"{key}.segments", self.start
        return draft.attempt(key, chain_curve, draft, key, self.segments, carrier, start, self.axis, closed)

    def _has_curve(self, draft: Draft, key: str) -> bool:
        """Return whether the centre line of a slot is defined; record an error if not."""
        named = [name for name in ("along", "center", "through", "segments") if getattr(self, name) is not None]
        if self.axis is not None and self.segments is None:
            named.insert(0, "axis")
        if len(named) > 1:
            draft.fault(key, f"has {' and '.join(named)}", "a slot has one centre line: keep one of them")
            return False
        whole = True
        for name, kinds, hint in (
            ("radius", ("center",), 'for a circular slot give its center, such as center = "M"'),
            ("start", ("segments",), "only a slot of segments has a start"),
            ("closed", ("through", "segments"), "only a curved slot can be closed"),
        ):
            if getattr(self, name) is not None and not set(kinds) & set(named):
                draft.fault(f"{key}.{name}", f"this slot has no {name}", hint)
                whole = False
        for name in ("stroke", "ends") if self.is_curved else ():
            if getattr(self, name) is not None:
                draft.fault(f"{key}.{name}", "a curved slot ends where its curve ends", "shorten the curve instead")
                whole = False
        if self.segments is not None and (self.axis is None or self.start is None):
            draft.fault(key, "segments need a start and an axis", "such as start = [0, 0], axis = [1, 0]")
            return False
        if self.is_curved:
            return whole
        if self.center is None:
            return check_line(draft, key, self, [self.slot]) and whole
        if not draft.has_point(f"{key}.center", self.center):
            return False
        if self.slot in draft.link_entries and self.slot not in draft.holders.get(self.center, []):
            held = held_by(draft.holders.get(self.center, []))
            draft.fault(f"{key}.center", f"'{self.center}' is not a point of '{self.slot}'", f"it {held}")
            return False
        return whole
