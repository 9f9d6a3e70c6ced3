"""Files of Linkage: slots, gears and chains, inputs and actuators."""

from __future__ import annotations

import cmath
import math
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from structkin.files.readers.imported import GROUND
from structkin.files.readers.linkage_xml import Connector, Part
from structkin.files.readers.waves import common_period, zigzag

if TYPE_CHECKING:
    from structkin.files.readers.linkage import Plan

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
