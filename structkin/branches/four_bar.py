"""Four-bars and slider-cranks inside any mechanism: their lengths, their type, and what follows from it in closed form.

A four-bar is a loop of the ground and three links with four pins; a slider-crank has a prismatic joint on the ground
in place of one. Grashof (1883): with the shortest and longest bar s, l and the others p, q, a bar turns fully
against its neighbours only if s + l <= p + q. The types are those of Barker, A complete classification of planar
four-bar linkages, Mechanism and Machine Theory 20, 1985.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field

from structkin.joints.guide import Guide
from structkin.model.mechanism import GROUND, Mechanism
from structkin.model.stroke import shown
from structkin.model.topology import Topology
from structkin.model.units import Units
from structkin.numerical_tolerances import FLAT_WITHIN

#: Bars closer to s + l = p + q than this part of their sum have a change point.
EXACT = FLAT_WITHIN


@dataclass(frozen=True, slots=True)
class FourBar:
    """A loop of ground, input, coupler and output: `links` are the last three, `joints` the four pins in order.

    `lengths` [m] are those of ground, input, coupler, output; `words` gives lengths in `units`.

    >>> bars = FourBar(("crank", "coupler", "rocker"), ("A", "B", "C", "D"), (4.0, 1.0, 3.5, 3.0))
    >>> bars.type, bars.barker, bars.input_turns, round(bars.time_ratio, 6)
    ('crank-rocker', 'GCRR', True, 1.089437)
    """

    links: tuple[str, str, str]
    joints: tuple[str, str, str, str]
    lengths: tuple[float, float, float, float]
    units: Units = field(default=Units(), repr=False, compare=False)

    @property
    def can_be_assembled(self) -> bool:
        """Whether the longest bar is no longer than the three others together."""
        return 2 * max(self.lengths) <= (1 + EXACT) * sum(self.lengths)

    @property
    def excess(self) -> float:
        """The length p + q - s - l [m]: positive for a Grashof four-bar, zero for one with a change point."""
        s, p, q, l = sorted(self.lengths)
        return p + q - s - l

    @property
    def has_change_point(self) -> bool:
        """Whether all bars can lie in one line: s + l = p + q to twelve digits."""
        return abs(self.excess) <= EXACT * sum(self.lengths)

    @property
    def is_grashof(self) -> bool:
        """Whether the shortest bar turns fully: s + l < p + q, change points excluded."""
        return self.excess > 0 and not self.has_change_point

    @property
    def type(self) -> str:
        """The type: "crank-rocker", "double crank", ..., "triple rocker", "change point" or "cannot be assembled"."""
        if not self.can_be_assembled:
            return "cannot be assembled"
        if self.has_change_point:
            return "change point"
        if not self.is_grashof:
            return "triple rocker"
        return ("double crank", "crank-rocker", "double rocker", "rocker-crank")[self._shortest]

    @property
    def barker(self) -> str:
        """Barker's name: GCCC, GCRR, GRCR, GRRC, RRR1 to RRR4, SC... with a change point; "" without any pose."""
        if not self.can_be_assembled:
            return ""
        if self.has_change_point:
            equal = sum(abs(length - min(self.lengths)) <= EXACT * sum(self.lengths) for length in self.lengths)
            if equal == 4:
                return "S3X"
            pairs = sorted(self.lengths)
            if abs(pairs[0] - pairs[1]) + abs(pairs[2] - pairs[3]) <= 2 * EXACT * sum(self.lengths):
                return "S2X"
            return ("SCCC", "SCRR", "SRCR", "SRRC")[self._shortest]
        if self.is_grashof:
            return ("GCCC", "GCRR", "GRCR", "GRRC")[self._shortest]
        return f"RRR{self.lengths.index(max(self.lengths)) + 1}"

    @property
    def input_turns(self) -> bool:
        """Whether the input turns fully (through change points, if need be)."""
        ground, crank, coupler, output = self.lengths
        slack = EXACT * sum(self.lengths)
        return crank + ground <= coupler + output + slack and abs(ground - crank) >= abs(coupler - output) - slack

    @property
    def input_limits(self) -> tuple[float, ...]:
        """The angles in [0, pi] [rad] of the input from the line of the ground pins where coupler and output align."""
        ground, crank, coupler, output = self.lengths
        slack = EXACT * sum(self.lengths)
        return tuple(
            math.acos((crank**2 + ground**2 - diagonal**2) / (2 * crank * ground))
            for diagonal in (abs(coupler - output), coupler + output)
            if abs(ground - crank) + slack < diagonal < ground + crank - slack
        )

    @property
    def transmission_angles(self) -> tuple[float, float] | None:
        """Least and largest angle [rad] between coupler and output over a turn of the input; None if it cannot turn."""
        if not self.input_turns:
            return None
        ground, crank, coupler, output = self.lengths
        low, high = (
            math.acos(max(-1.0, min(1.0, (coupler**2 + output**2 - diagonal**2) / (2 * coupler * output))))
            for diagonal in (ground - crank, ground + crank)
        )
        return low, high

    @property
    def time_ratio(self) -> float:
        """Time of the slower over that of the faster swing of a crank-rocker at constant speed; NaN for other types."""
        angles = self._dead_centres
        if angles is None:
            return math.nan
        offset = abs(angles[0] - angles[1])
        return (math.pi + offset) / (math.pi - offset)

    @property
    def swing(self) -> float:
        """The angle [rad] through which the output of a crank-rocker swings; NaN for other types."""
        if self.type != "crank-rocker":
            return math.nan
        ground, crank, coupler, output = self.lengths
        far, near = (
            math.acos((output**2 + ground**2 - reach**2) / (2 * output * ground))
            for reach in (coupler + crank, coupler - crank)
        )
        return far - near

    @property
    def _dead_centres(self) -> tuple[float, float] | None:
        """Angles of the crank with crank and coupler in line, stretched and folded, from the ground."""
        if self.type != "crank-rocker":
            return None
        ground, crank, coupler, output = self.lengths
        stretched, folded = (
            math.acos((reach**2 + ground**2 - output**2) / (2 * reach * ground))
            for reach in (coupler + crank, coupler - crank)
        )
        return stretched, folded

    @property
    def _shortest(self) -> int:
        return self.lengths.index(min(self.lengths))

    @property
    def words(self) -> str:
        """The loop, its type and what the input can do, or why the loop cannot be assembled, in one line."""
        loop = "-".join(self.links)
        if not self.can_be_assembled:
            most = max(self.lengths)
            longest, others = (shown(self.units, x, "length") for x in (most, sum(self.lengths) - most))
            return f"{loop}: cannot be assembled: the longest link, {longest}, exceeds the sum of the others, {others}"
        turns = "turns fully" if self.input_turns else "does not turn fully"
        return f"{loop}: {self.type} ({self.barker}); {self.links[0]} {turns}"


@dataclass(frozen=True, slots=True)
class SliderCrank:
    """A loop of ground, crank, rod and slider; `joints` are its three pins and the prismatic joint.

    `crank` and `rod` are lengths [m], `offset` [m] the distance of the crank's pivot from the line of the slider's pin;
    `words` gives lengths in `units`.

    >>> slider = SliderCrank(("crank", "rod", "piston"), ("O", "A", "B", "guide"), 1.0, 3.0, 0.5)
    >>> slider.crank_turns, round(slider.stroke, 6), round(slider.time_ratio, 6)
    (True, 2.032135, 1.084501)
    """

    links: tuple[str, str, str]
    joints: tuple[str, str, str, str]
    crank: float
    rod: float
    offset: float
    units: Units = field(default=Units(), repr=False, compare=False)

    @property
    def can_be_assembled(self) -> bool:
        """Whether crank and rod together reach the line of the slider's pin: e <= r + l."""
        return self.offset <= (1 + EXACT) * (self.crank + self.rod)

    @property
    def is_in_line(self) -> bool:
        """Whether the slider's pin moves on a line through the crank's pivot."""
        return self.offset <= EXACT * (self.crank + self.rod)

    @property
    def crank_turns(self) -> bool:
        """Whether the crank turns fully: r + e <= l."""
        return self.crank + self.offset <= self.rod + EXACT * (self.crank + self.rod)

    @property
    def has_change_point(self) -> bool:
        """Whether the rod just becomes perpendicular to the guide: r + e = l."""
        return abs(self.crank + self.offset - self.rod) <= EXACT * (self.crank + self.rod)

    @property
    def stroke(self) -> float:
        """The travel [m] of the slider over a turn of the crank; NaN where it cannot turn."""
        if not self.crank_turns:
            return math.nan
        far, near = (math.sqrt(max(0.0, x**2 - self.offset**2)) for x in (self.rod + self.crank, self.rod - self.crank))
        return far - near

    @property
    def time_ratio(self) -> float:
        """Time of the slower over that of the faster stroke at constant speed; NaN where the crank cannot turn."""
        if not self.crank_turns or self.has_change_point:
            return math.nan
        skew = math.asin(self.offset / (self.rod - self.crank)) - math.asin(self.offset / (self.rod + self.crank))
        return (math.pi + skew) / (math.pi - skew)

    @property
    def words(self) -> str:
        """The loop and what the crank can do, or why the loop cannot be assembled, in one line."""
        loop = "-".join(self.links)
        offset, reach = (shown(self.units, length, "length") for length in (self.offset, self.crank + self.rod))
        if not self.can_be_assembled:
            return f"{loop}: cannot be assembled: the offset, {offset}, exceeds crank and rod together, {reach}"
        turns = "turns fully" if self.crank_turns else "does not turn fully"
        kind = "in-line slider-crank" if self.is_in_line else f"slider-crank with an offset of {offset}"
        return f"{loop}: {kind}; {self.links[0]} {turns}"


def four_bars(mechanism: Mechanism) -> tuple[FourBar, ...]:
    """Return the four-bars of a mechanism; see `Mechanism.four_bars`."""
    found: dict[frozenset[str], FourBar] = {}
    for links, joints in _loops(mechanism.topology, "R"):
        pins = mechanism.links[GROUND].local
        ends = ((GROUND, joints[3], joints[0]), *zip(links, joints, joints[1:], strict=False))
        lengths = [abs(mechanism.links[link].local[a] - mechanism.links[link].local[b]) for link, a, b in ends]
        if min(lengths) == 0 or joints[0] not in pins:
            continue
        bars = FourBar(links, joints, (lengths[0], lengths[1], lengths[2], lengths[3]), mechanism.units)
        other = found.get(frozenset(links))
        if other is None or (_is_driven(mechanism, links[0]) and not _is_driven(mechanism, other.links[0])):
            found[frozenset(links)] = bars
    return tuple(found.values())


def slider_cranks(mechanism: Mechanism) -> tuple[SliderCrank, ...]:
    """Return the slider-cranks of a mechanism; see `Mechanism.slider_cranks`."""
    found = []
    for links, joints in _loops(mechanism.topology, "P"):
        crank, rod, slider = (mechanism.links[link] for link in links)
        lengths = abs(crank.local[joints[1]] - crank.local[joints[0]]), abs(rod.local[joints[2]] - rod.local[joints[1]])
        pivot = mechanism.links[GROUND].local[joints[0]]
        offset = _offset(mechanism.joints.of(Guide)[joints[3]], pivot, slider.local[joints[2]])
        if min(lengths) > 0:
            found.append(SliderCrank(links, joints, *lengths, offset, mechanism.units))
    return tuple(found)


def open_loops(mechanism: Mechanism) -> list[FourBar | SliderCrank]:
    """Return every four-bar and slider-crank that cannot be assembled."""
    loops: list[FourBar | SliderCrank] = [*four_bars(mechanism), *slider_cranks(mechanism)]
    return [loop for loop in loops if not loop.can_be_assembled]


def impossible_loops(mechanism: Mechanism) -> list[str]:
    """Return in words every four-bar and slider-crank that cannot be assembled."""
    return [loop.words for loop in open_loops(mechanism)]


def _offset(guide: Guide, pivot: complex, pin: complex) -> float:
    """Return the distance of a ground pivot from the line of a pin of the slider."""
    assert guide.turn is not None
    if guide.carrier == GROUND:
        shift = (pin - guide.point) * guide.turn
        return abs(((guide.origin + shift - pivot) / guide.direction).imag + guide.offset)
    along = guide.direction / guide.turn
    return abs(((guide.point + (pin - guide.origin) / guide.turn - pivot) / along).imag - guide.offset)


def _is_driven(mechanism: Mechanism, link: str) -> bool:
    return any(drive.kind == "angle" and set(drive.links) == {GROUND, link} for drive in mechanism.drivers.values())


_Loop = tuple[tuple[str, str, str], tuple[str, str, str, str]]


def _loops(topology: Topology, last: str) -> Iterator[_Loop]:
    """Yield links and joints of the loops ground - R - link - R - link - R - link - last joint - ground."""
    at: dict[str, list[tuple[str, str, str]]] = {}
    for joint in topology.joints:
        if joint.kind in ("R", "P") and not any(end.startswith("@") for end in joint.links):
            for link in joint.links:
                at.setdefault(link, []).extend((joint.id, joint.kind, other) for other in joint.links if other != link)
    ground = topology.ground
    for a, kind_a, one in at.get(ground, []):
        for b, kind_b, two in at.get(one, []) if kind_a == "R" else []:
            for c, kind_c, three in at.get(two, []) if kind_b == "R" else []:
                for d, kind_d, end in at.get(three, []) if kind_c == "R" else []:
                    apart = len({a, b, c, d}) == 4 and len({ground, one, two, three}) == 4
                    if apart and end == ground and kind_d == last:
                        yield (one, two, three), (a, b, c, d)
