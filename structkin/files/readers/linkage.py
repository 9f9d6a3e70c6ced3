"""Files of the program Linkage (.linkage2): its links and their points as links here, its slots, gears and inputs."""

from __future__ import annotations

import cmath
import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import combinations
from typing import Any

from structkin.files.readers.imported import Imported, listed
from structkin.files.readers.linkage_xml import Connector, Drawing, Part, parse
from structkin.model.mechanism import GROUND
from structkin.numerical_tolerances import WHOLE

# --- motion: slots, gears and chains, inputs and actuators ---------------------------------------------------------

#: A common cycle is used if it is at most this many times as long as the longest single cycle.
LONGEST = 400


def zigzag(rate: float, offset: float, duration: float) -> str:
    """Return a formula that goes from 0 to 1 and back at `rate` [1/s], minus its start value `offset`.

    It is valid from 0 to `duration` [s]. Each abs reverses time in the middle, and so makes two cycles of one.

    >>> zigzag(0.5, 0.0, 4.0)
    '1-abs(1-(0.5*t))'
    >>> zigzag(0.5, 0.25, 7.5)
    '1-abs(1-(2-abs(2-(0.5*t+0.25))))-0.25'
    """
    halves = rate * duration + offset
    folds = max(0, math.ceil(math.log2(max(halves, 2.0)) - 1 - WHOLE))
    start = f"+{offset!r}" if offset else ""
    text = f"{rate!r}*t{start}"
    for k in range(folds, -1, -1):
        text = f"{2**k}-abs({2**k}-({text}))"
    return f"{text}-{offset!r}" if offset else text


def common_period(rates: Sequence[Fraction]) -> tuple[float, bool]:
    """Return the common period [s] of cycles at these rates [1/s], and whether it is exact.

    If it is too long, the period of the slowest cycle is returned; 1 s if nothing moves in cycles.

    >>> common_period([Fraction(1, 4), Fraction(3, 20)]), common_period([])
    ((20.0, True), (1.0, True))
    """
    periods = [1 / abs(rate) for rate in rates if rate]
    if not periods:
        return 1.0, True
    common = Fraction(
        math.lcm(*(period.numerator for period in periods)), math.gcd(*(period.denominator for period in periods))
    )
    longest = max(periods)
    return (float(common), True) if common <= LONGEST * longest else (float(longest), False)


# --- sliders ------------------------------------------------------------------------------------------------


def add_slots(plan: Plan) -> None:
    """Make each slider a slot, straight or circular, that ends at its two limits."""
    for one in plan.drawing.connectors.values():
        if not one.slider or one.id not in plan.points:
            continue
        limits = [id for id in one.limits if id in plan.points][:2]
        carriers = plan.holders(*limits) if len(limits) == 2 else []
        pin = plan.points[one.id]
        if not carriers or plan.place(limits[0]) == plan.place(limits[1]):
            plan.found.fault(f"connector {one.id}", f"the slider '{pin}' needs two limits on one link")
        elif pin in plan.found.links[carriers[0]]:
            plan.found.notes.append(f"the slider {pin} cannot slide: it is a point of {carriers[0]} itself")
        else:
            plan.found.joints[plan.found.unique(f"slot of {pin}")] = _slot(plan, one, pin, carriers[0], limits)


def _slot(plan: Plan, one: Connector, pin: str, carrier: str, limits: list[int]) -> dict[str, Any]:
    ends = [plan.points[id] for id in limits]
    first, second = (plan.place(id) for id in limits)
    entry: dict[str, Any] = {"type": "pin-in-slot", "pin": pin, "slot": carrier}
    there = plan.place(one.id)
    if one.radius == 0:
        entry["along"] = ends
        step = (there - first) / (second - first)
        drawn_between = 0 <= step.real <= 1
    else:
        # the slot is the smaller arc; with a positive radius its centre is on the left of the line between the limits
        half = abs(second - first) / 2
        radius = max(abs(one.radius) * plan.scale, half)
        left = 1j * (second - first) / abs(second - first) * math.copysign(1, one.radius)
        center = (first + second) / 2 + left * math.sqrt(max(radius**2 - half**2, 0.0))
        entry |= {"center": _center(plan, carrier, center, pin), "radius": radius}
        middle = cmath.phase((there - center) / -left)
        drawn_between = abs(middle) <= math.asin(min(half / radius, 1.0))
    if drawn_between:
        entry["ends"] = ends
    else:
        plan.found.notes.append(
            f"the slider {pin} is drawn beyond its limits {ends[0]}, {ends[1]}: the slot has no ends here"
        )
    return entry


def _center(plan: Plan, carrier: str, center: complex, pin: str) -> str:
    """Return the point at the centre of a circular slot; pins in one slot share it."""
    place = [center.real, center.imag]
    for point in plan.found.links[carrier]:
        if plan.found.points[point] == place:
            return point
    name = plan.found.unique(f"centre {pin}")
    plan.found.points[name] = place
    plan.found.links[carrier].append(name)
    return name


# --- gears and chains ---------------------------------------------------------------------------------------


def add_gears(plan: Plan) -> None:
    """Make each ratio a gear pair or a belt."""
    for count, ratio in enumerate(plan.drawing.ratios, 1):
        parts = [plan.drawing.part(id) for id in ratio.gears]
        links = [plan.link_of(id) for id in ratio.gears]
        centers = [part.connectors[0] for part in parts if part is not None and part.connectors]
        if None in links or len(centers) != 2:
            plan.found.fault(f"ratio {count}", f"the links {ratio.gears[0]} and {ratio.gears[1]} are not both gears")
            continue
        arms = [link for link in plan.holders(*centers) if link not in links]
        if not arms or plan.place(centers[0]) == plan.place(centers[1]):
            names = " and ".join(plan.points[id] for id in centers)
            plan.found.fault(f"ratio {count}", f"no link holds the two centres {names} apart", "join them by a link")
            continue
        first, second = ratio.sizes
        entry: dict[str, Any] = {"type": "belt" if ratio.chain else "gear", "links": links, "carrier": arms[0]}
        entry["centers"] = [plan.points[id] for id in centers]
        if ratio.real and abs(plan.place(centers[1]) - plan.place(centers[0])) > abs(first - second):
            entry["radii"] = [first, second]
        else:
            entry["ratio"] = second / first if ratio.chain else -second / first
        plan.found.joints[plan.found.unique("chain" if ratio.chain else "mesh")] = entry


# --- inputs and actuators -----------------------------------------------------------------------------------


def add_drivers(plan: Plan) -> None:
    """Make each input and each actuator a driver, and set the time range if their laws need one."""
    rates: list[Fraction] = []  # cycles per second
    swings = False
    for one in plan.drawing.connectors.values():
        if one.input:
            rates += _input(plan, one)
            swings = swings or one.swing > 0
    actuators = [part for part in plan.drawing.parts if part.actuator]
    for part in actuators:
        rates += _cycles(plan, f"actuator {part.label}.cpm", part.cpm, 60)
    if swings or actuators:
        plan.found.duration, complete = common_period(rates)
        if not complete:
            plan.found.notes.append(
                f"the inputs have no short common cycle: the motion lasts {plan.found.duration:g} s"
            )
    for part in actuators:
        _actuator(plan, part, plan.found.duration or 1.0)
    for one in plan.drawing.connectors.values():
        if one.input and one.swing > 0:
            _swing(plan, one, plan.found.duration or 1.0)


def _cycles(plan: Plan, key: str, text: str, period: int) -> list[Fraction]:
    """Return the exact number of cycles per second in a list, which is empty if it is zero."""
    value = plan.found.number(key, text)
    return [Fraction(value).limit_denominator(10**6) / period] if value else []


def _input(plan: Plan, one: Connector) -> list[Fraction]:
    """Add the driver of an input connector; Linkage turns every link on it, clockwise for a positive rpm."""
    pin = plan.points.get(one.id)
    moving = [link for link in plan.holders(one.id) if plan.base(link) != GROUND]
    if pin is None or not one.anchor or not moving:
        why = "it is no anchor" if not one.anchor else "no link turns there"
        plan.found.notes.append(f"the input at {one.label} drives nothing: {why}")
        return []
    for link in moving[1:]:
        plan.fasten(moving[0], link)
    if len(moving) > 1:
        plan.found.notes.append(f"the input at {pin} turns {' and '.join(moving)}: they are fastened to each other")
    if one.manual:
        plan.found.notes.append(f"the input at {pin} is turned by hand in Linkage; here it runs at its speed")
    rpm = plan.found.number(f"connector {one.id}.rpm", one.rpm)
    name = plan.found.unique(f"input {pin}")
    plan.found.drivers[name] = {"links": [GROUND, moving[0]], "speed": f"{-rpm!r} rpm"}
    turns = _cycles(plan, f"connector {one.id}.rpm", one.rpm, 60)
    if one.swing <= 0:
        return turns
    # 360 degrees in a turn, twice the swing in a cycle
    return [rate * 180 / Fraction(one.swing).limit_denominator(10**6) for rate in turns]


def _swing(plan: Plan, one: Connector, duration: float) -> None:
    """Make an input oscillate over its limit angle."""
    driver = next((d for name, d in plan.found.drivers.items() if name == f"input {plan.points.get(one.id)}"), None)
    if driver is None:
        return
    rpm = plan.found.number("rpm", one.rpm)
    wave = zigzag(6 * abs(rpm) / one.swing, one.offset / one.swing, duration)
    sign = "-" if rpm > 0 else "+"
    start = plan.found.angle(driver["links"][1])
    del driver["speed"]
    driver["law"] = f"{start!r} {sign} {one.swing!r}*({wave})"


def _actuator(plan: Plan, part: Part, duration: float) -> None:
    """Drive the distance between an actuator's two connectors back and forth at constant speed."""
    key, found = f"actuator {part.label}", plan.found
    if len(part.connectors) != 2:
        found.fault(key, f"an actuator has two connectors, this one has {len(part.connectors)}")
        return
    ends = [plan.points[id] for id in part.connectors]
    a, b = (plan.place(id) for id in part.connectors)
    shared = plan.holders(*part.connectors)
    if shared or a == b:
        why = f"both ends are on {shared[0]}" if shared else "its ends coincide"
        found.fault(key, f"the actuator has no length to change: {why}")
        return
    throw, cpm = part.throw * plan.scale, found.number(f"{key}.cpm", part.cpm)
    if throw < 0:
        found.fault(f"{key}.throw", f"expected a length, found {part.throw:g}")
        return
    if part.manual:
        found.notes.append(f"{key} is moved by hand in Linkage; here it runs at its speed")
    length, sign = abs(b - a), 1 if cpm >= 0 else -1
    offset = part.offset / part.throw if part.throw else 0.0
    wave = zigzag(abs(cpm) / 30, offset, duration)
    name = found.unique(f"actuator {part.label}")
    law = f"{length!r} {'+' if sign > 0 else '-'} {throw!r}*({wave})"
    loose = next((id for id in part.connectors if not plan.holders(id)), None)
    if loose is None:
        found.drivers[name] = {"between": ends, "law": law}
        reach = sorted((length - sign * throw * offset, length + sign * throw * (1 - offset)))
        if 0 < reach[0] < reach[1]:
            found.drivers[name]["stroke"] = reach
        return
    # the rod of a cylinder carries a pin that is on no link
    other = next(id for id in part.connectors if id != loose)
    way = plan.place(loose) - plan.place(other)
    rod, barrel = found.link(f"{part.label} rod", [plan.points[loose]]), found.link(part.label, [plan.points[other]])
    plan.members[max(plan.members) + len(plan.drawing.parts)] = {loose}
    plan.names[max(plan.members)] = rod
    guide = found.unique(f"{part.label} guide")
    found.joints[guide] = {
        "type": "prismatic",
        "links": [barrel, rod],
        "at": plan.points[loose],
        "axis": [way.real, way.imag],
    }
    found.drivers[name] = {"joint": guide, "law": law.replace(f"{length!r} ", "0 ", 1)}


# --- links and points ----------------------------------------------------------------------------------------------

#: Millimetres and inches in a unit of the file, a pixel at 96 to the inch.
MILLIMETRE, INCH = 25.4 / 96, 1 / 96


def read(text: str) -> Imported:
    """Return the mechanism of a .linkage2 file.

    >>> found = read('''<linkage2><program units="Inches"/>
    ...   <connector id="0" x="0" y="0" anchor="true" input="true" rpm="15"/> <connector id="1" x="96" y="0"/>
    ...   <Link id="0"><connector id="0"/><connector id="1"/></Link></linkage2>''')
    >>> found.points, found.links
    ({'A': [0.0, 0.0], 'B': [1.0, 0.0]}, {'ground': ['A'], 'L0': ['A', 'B']})
    >>> found.drivers
    {'input A': {'links': ['ground', 'L0'], 'speed': '-15.0 rpm'}}
    """
    found = Imported()
    drawing = parse(text, found)
    if not found.problems:
        found.length = "in" if drawing.inches else "mm"
        plan = Plan(drawing, found, INCH if drawing.inches else MILLIMETRE)
        plan.merge()
        plan.add_points()
        plan.add_links()
        plan.fasten_links()
        add_slots(plan)
        add_gears(plan)
        add_drivers(plan)
        traced = [plan.points[one.id] for one in drawing.connectors.values() if one.drawn and one.id in plan.points]
        if traced:
            found.notes.append(f"Linkage draws the paths of {listed(traced)}")
    return found


@dataclass
class Plan:
    """What becomes of a drawing's connectors and links."""

    drawing: Drawing
    found: Imported
    scale: float
    #: The point of each connector.
    points: dict[int, str] = field(default_factory=dict)
    #: For each link of the file, by its index: the first link of the rigid body it belongs to; -1 is the ground.
    body: dict[int, int] = field(default_factory=dict)
    #: The name of the link that each body becomes.
    names: dict[int, str] = field(default_factory=lambda: {-1: GROUND})
    #: Links that are fastened to each other lead to the same link.
    fastened: dict[str, str] = field(default_factory=dict)

    def place(self, id: int) -> complex:
        """Return the place of a connector in the unit of length of the result."""
        return self.drawing.connectors[id].place * self.scale

    # --- which links are one body ----------------------------------------------------------------------------

    def merge(self) -> None:
        """Find the links that are rigid parts of the ground or of each other: they share two connectors."""
        self.members = {-1: {one.id for one in self.drawing.connectors.values() if one.anchor}}
        for k, part in enumerate(self.drawing.parts):
            if not part.actuator and not part.elastic and not self._is_idle(part):
                self.members[k], self.body[k] = set(part.connectors), k
        for one in self.drawing.connectors.values():
            self._fasten_connector(one)
        idle = [part.label for part in self.drawing.parts if not part.actuator and self._is_idle(part)]
        if idle:
            self.found.notes.append(f"without length, on connectors of others, so left out: {listed(idle)}")
        elastic = [part.label for part in self.drawing.parts if part.elastic]
        if elastic:
            self.found.notes.append(f"of unconstrained length, so not rigid links here: {listed(elastic)}")
        while pairs := self._rigid_pairs():
            for pair in pairs:
                first, second = sorted(self.body.get(one, one) for one in pair)
                if first != second:
                    self.members[first] |= self.members.pop(second)
                    self.body = {k: first if body == second else body for k, body in self.body.items()}
        merged: dict[int, list[str]] = {}
        for k, body in self.body.items():
            if body != k:
                merged.setdefault(body, []).append(self.drawing.parts[k].label)
        for body, labels in merged.items():
            other = "the ground" if body < 0 else self.drawing.parts[body].label
            self.found.notes.append(f"attached at two points, so rigid parts of {other}: {listed(labels)}")

    def _is_idle(self, part: Part) -> bool:
        """Return whether a link only marks a connector: it has no length, and drives and carries nothing."""
        if part.gear or part.fastened is not None or len(part.connectors) > 1 or self._carries(part):
            return False
        held = [other for other in self.drawing.parts if other is not part and not other.actuator]
        return all(
            self.drawing.connectors[id].anchor or any(id in other.connectors for other in held)
            for id in part.connectors
        )

    def _carries(self, part: Part) -> bool:
        """Return whether something is fastened to a link."""
        target = ("link", part.id)
        fastened = [one.fastened for one in self.drawing.parts]
        return target in (*fastened, *(one.fastened for one in self.drawing.connectors.values()))

    def _fasten_connector(self, one: Connector) -> None:
        if one.fastened is None:
            return
        what, id = one.fastened
        k = next((k for k in self.body if what == "link" and self.drawing.parts[k].id == id), None)
        if k is None:
            self.found.notes.append(f"connector {one.label} is fastened to {what} {id}: not understood, so left free")
        else:
            self.members[k].add(one.id)

    def _rigid_pairs(self) -> list[tuple[int, int]]:
        """Return the pairs of bodies that share connectors at two places."""
        holders: dict[int, list[int]] = {}
        for body, members in self.members.items():
            for id in members:
                holders.setdefault(id, []).append(body)
        first: dict[tuple[int, int], complex] = {}
        found = []
        for id, bodies in holders.items():
            place = self.drawing.connectors[id].place
            for pair in combinations(sorted(bodies), 2):
                if first.setdefault(pair, place) != place:
                    found.append(pair)
        return found

    # --- points and links ------------------------------------------------------------------------------------

    def add_points(self) -> None:
        """Make a point of each connector of links and actuators."""
        parts = self.drawing.parts
        used = {id for members in self.members.values() for id in members}
        used |= {id for part in parts if part.actuator for id in part.connectors}
        for id, one in self.drawing.connectors.items():
            if id in used:
                self.points[id] = self.found.unique(one.label)
                place = self.place(id)
                self.found.points[self.points[id]] = [place.real, place.imag]
        loose = [one.label for id, one in self.drawing.connectors.items() if id not in used]
        if loose:
            self.found.notes.append(f"on no link, so left out: {listed(loose)}")

    def add_links(self) -> None:
        """Make a link of each body; the points are in the order of the file."""
        self.found.links[GROUND] = [self.points[id] for id in self.points if id in self.members[-1]]
        for body, members in self.members.items():
            if body >= 0:
                part = self.drawing.parts[body]
                own = [id for id in part.connectors if id in members]
                points = [self.points[id] for id in (*own, *(id for id in self.points if id in members))]
                self.names[body] = self.found.link(part.label, points)

    def holders(self, *ids: int) -> list[str]:
        """Return the links that have all these connectors, the ground first."""
        return [self.names[body] for body, members in self.members.items() if members.issuperset(ids)]

    def link_of(self, id: int) -> str | None:
        """Return the link that a link of the file became, by its number; None if there is none."""
        return next((self.names[body] for k, body in self.body.items() if self.drawing.parts[k].id == id), None)

    def base(self, link: str) -> str:
        """Return the link that represents all links fastened to a link."""
        while link in self.fastened:
            link = self.fastened[link]
        return link

    def fasten(self, first: str, second: str) -> None:
        """Fasten two links to each other, unless they already are."""
        if first == GROUND or second == GROUND:
            first, second = GROUND, second if first == GROUND else first
        if self.base(first) != self.base(second):
            self.found.joints[self.found.unique(f"fastening of {second}")] = {
                "type": "fastened",
                "links": [first, second],
            }
            one, other = sorted((self.base(first), self.base(second)), key=lambda name: name != GROUND)
            self.fastened[other] = one

    def fasten_links(self) -> None:
        """Fasten links to the links and connectors that the file names."""
        for k, body in self.body.items():
            part = self.drawing.parts[k]
            if part.fastened is None:
                continue
            what, id = part.fastened
            target = self.link_of(id) if what == "link" else self._link_at(id, self.names[body])
            if target is None:
                self.found.notes.append(f"{part.label} is fastened to {what} {id}: not understood, so left free")
            else:
                self.fasten(target, self.names[body])

    def _link_at(self, id: int, link: str) -> str | None:
        """Return the one link besides a given one that has a connector: the ground, if it is an anchor."""
        held = [name for name in self.holders(id) if name != link]
        return held[0] if len(held) == 1 or GROUND in held else None
