"""Matching a group with a closed form, and expressing its inputs by known quantities."""

from __future__ import annotations

from collections.abc import Mapping

from structkin.errors import Problem, StructureError
from structkin.joints.circular_slot import CircularSlot
from structkin.joints.curve_slot import CurveSlot
from structkin.joints.guide import Guide
from structkin.joints.turn_coupling import TurnCoupling
from structkin.plan.closing import Closing, half_square_of
from structkin.plan.driven_links import driven
from structkin.plan.dyads import dyad
from structkin.plan.higher_pairs import solve_higher
from structkin.plan.known_state import KnownState
from structkin.plan.pin_rows import place_pin
from structkin.rows.affine import Frame
from structkin.structure import Group


def solve_pin(state: KnownState, group: Group, index: int) -> None:
    """Record the step of a pin located by two driven distances, travels or slots before any link on it is known."""
    pin = group.pins[0]
    travels = any(state.mechanism.drivers[id].kind == "slide" for id in group.drivers)
    if travels or any(joint in state.mechanism.joints.of(CurveSlot) for joint in group.joints):
        state.pins.update(dict.fromkeys(group.pins, place_pin(state, group, index)))
        return
    closing = Closing(state, index, {pin: (pin,)})
    circles, lines = [], []
    for id in group.drivers:
        drive = state.mechanism.drivers[id]
        assert drive.ends is not None
        (center,) = (closing.known_point(*end) for end in drive.ends if end[1] not in group.pins)
        assert center is not None
        circles.append((closing.vector(center), half_square_of(state, id, index)))
    for joint in group.joints:
        arc = state.mechanism.joints.of(CircularSlot).get(joint)
        if arc is not None:
            center = state.frames[arc.carrier].point(arc.center)
            circles.append((closing.vector(center), 0.5 * arc.radius**2))
            continue
        if joint not in state.mechanism.joints.of(Guide):
            # half of a redundant revolute joint, which a driver moves away from where the other half holds it
            which = ", ".join((*group.joints, *group.drivers))
            problem = Problem(which, f"cannot all place the pin {pin}", "leave a joint or a driver out")
            raise StructureError([problem], state.mechanism.title or "mechanism")
        guide = state.guide(joint)
        carrier = state.frames[guide.carrier]
        line = carrier.point(guide.origin), carrier.direction * guide.direction
        lines.append((*map(closing.vector, line), guide.offset))
    sketch = state.sketch_point(pin)
    if len(circles) == 2:
        (first, reach), (second, other) = circles
        place = closing.close("RRR", (first, second, reach, other), sketch, pin)
    elif len(circles) == 1:
        place = closing.close("RRP", (*circles[0], *lines[0]), sketch, pin)
    else:
        place = closing.close("PRP", (*lines[0], *lines[1]), sketch, pin)
    state.pins.update(dict.fromkeys(group.pins, place))


def solve_closed(state: KnownState, group: Group, index: int) -> Mapping[str, Frame] | None:
    """Record the closed-form steps of a group and return its links' frames; None if there is no closed form."""
    clusters = _clusters(group)
    contacts = state.contacts(group.links)
    if any(contact.joint in state.mechanism.joints.of(TurnCoupling) for contact in contacts):
        return None
    ties = [c for c in contacts if c.other is None or clusters[c.link] != clusters[c.other]]
    inner = {d for d in group.drivers if _inside_one(state, d, clusters)}
    drivers = [d for d in group.drivers if d not in inner]
    closing = Closing(state, index, clusters)
    if len(set(clusters.values())) == 1 and len(group.links) == 1 and len(ties) == 1 and len(drivers) == 1:
        return driven(closing, ties[0], drivers[0])
    if len(group.links) == 1 and len(ties) == 2 and not group.drivers:
        return solve_higher(closing, ties)
    if len(set(clusters.values())) == 2 and not drivers and len(ties) == 3:
        return dyad(closing, ties)
    return None


def _clusters(group: Group) -> dict[str, tuple[str, ...]]:
    """Return the composite link of each link of the group; most consist of one link."""
    clusters: dict[str, tuple[str, ...]] = {link: (link,) for link in group.links}
    for composite in group.composite_links:
        clusters.update(dict.fromkeys(composite, tuple(composite)))
    return clusters


def _inside_one(state: KnownState, driver: str, clusters: Mapping[str, tuple[str, ...]]) -> bool:
    first, second = (clusters.get(end) for end in state.driver(driver).links)
    return first is not None and first == second
