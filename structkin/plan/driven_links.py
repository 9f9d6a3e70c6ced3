"""Closed forms of single links on one joint, located by a driver, a law or a distance."""

from __future__ import annotations

from collections.abc import Mapping

from structkin.groups import kind
from structkin.joints.turn_coupling import TurnCoupling
from structkin.plan.closing import Closing, half_square, half_square_of, turn_of_guide
from structkin.plan.known_state import Contact
from structkin.plan.plan import Operand
from structkin.plan.turns import turn_of_driver
from structkin.rows.affine import Affine, Frame


def driven(closing: Closing, tie: Contact, driver: str) -> Mapping[str, Frame] | None:
    """Close a single link with one joint to a known link and one driver."""
    drive = closing.state.mechanism.drivers[driver]
    if drive.kind == "angle" and tie.kind == "R":
        return _driven_r(closing, tie, driver)
    if drive.kind == "slide" and tie.kind == "P" and drive.joint == tie.joint:
        return _driven_p(closing, tie, driver)
    if drive.kind == "distance" and tie.kind in "RP":
        return _driven_distance(closing, tie, driver)
    return None


def _driven_r(closing: Closing, tie: Contact, driver: str) -> Mapping[str, Frame]:
    state, drive = closing.state, closing.state.mechanism.drivers[driver]
    first, second = drive.links
    # angle(second) - angle(first) = z: the known link may be either of the two.
    other, sign = (first, 1) if second == tie.link else (second, -1)
    turn = state.builder.driver(driver, closing.index, angular=True, value=drive.start, sign=sign)
    frames = turned(closing, tie, other, turn)
    if state.mechanism.joints.of(TurnCoupling):
        ((slot, _),) = frames[tie.link].direction.terms
        own = turn_of_driver(state, driver, closing.index) * sign
        state.builder.turned[slot] = state.frames[other].direction, own
    return frames


def turned(closing: Closing, tie: Contact, other: str, turn: Operand) -> Mapping[str, Frame]:
    """Close a link on a known pin; its direction is that of the known link `other`, rotated by a unit vector."""
    state = closing.state
    direction = closing.vector(state.frames[other].direction)
    _, sketch = state.sketch_frame(tie.link)
    (out,) = state.builder.step(kind("driven R"), (direction, turn), (sketch,), group=closing.index)
    return {tie.link: closing.through_pin(tie, Affine.slot(out))}


def _driven_p(closing: Closing, tie: Contact, driver: str) -> Mapping[str, Frame]:
    drive = closing.state.mechanism.drivers[driver]
    return slid(closing, tie, closing.state.builder.driver(driver, closing.index, angular=False, value=drive.start))


def slid(closing: Closing, tie: Contact, travel: Operand) -> Mapping[str, Frame]:
    """Close a link on a known guide from its travel."""
    state, guide = closing.state, closing.state.guide(tie.joint)
    direction = closing.direction_by_guide(tie)
    shift = guide.start + 1j * guide.offset
    if tie.link == guide.slider:
        along = state.frames[guide.carrier].direction * guide.direction
        start, moving = state.frames[guide.carrier].point(guide.origin) + along * shift, guide.point
    else:
        along = state.frames[guide.slider].direction * (guide.direction / turn_of_guide(guide)) * -1
        start, moving = state.frames[guide.slider].point(guide.point) + along * shift, guide.origin
    origin, unit = state.sketch_frame(tie.link)
    place = origin + unit * moving
    inputs = (closing.vector(start), closing.vector(along), travel)
    (out,) = state.builder.step(kind("driven P"), inputs, (place,), group=closing.index)
    return {tie.link: Frame(Affine.slot(out) - direction * moving, direction)}


def _driven_distance(closing: Closing, tie: Contact, driver: str) -> Mapping[str, Frame] | None:
    """Close a link with a driven distance between one of its points and a known point: circles, or circle and line."""
    state, drive = closing.state, closing.state.mechanism.drivers[driver]
    assert drive.ends is not None
    own = state.mechanism.links[tie.link].local
    mine = [end for end in drive.ends if end[0] == tie.link or end[1] in own]
    known = [place for end in drive.ends if (place := closing.known_point(*end)) is not None]
    if len(mine) != 1 or len(known) != 1:
        return None
    point = mine[0][1]
    reach = half_square_of(state, driver, closing.index)
    local = state.local(tie.link, point)
    return at_distance(closing, tie, (local, state.sketch_point(point), point), known[0], reach)


def at_distance(
    closing: Closing, tie: Contact, tip: tuple[complex, complex, str], center: Affine, reach: Operand
) -> Mapping[str, Frame] | None:
    """Close a link on one joint whose tip (position in its frame, in the sketch, name) is at a distance from a point.

    `reach` is half the square of the distance.
    """
    state, (local, sketch, name) = closing.state, tip
    if tie.kind == "R":
        arm = local - state.local(tie.link, tie.joint)
        if arm == 0:
            return None
        pin = state.pins[tie.joint]
        circles: tuple[Operand, ...] = (closing.vector(pin), closing.vector(center), half_square(arm), reach)
        place = closing.close("RRR", circles, sketch, name)
        return {tie.link: closing.through_pin(tie, (place - pin) * (1 / arm))}
    direction = closing.direction_by_guide(tie)
    start, along, offset = closing.line(tie, direction, local)
    inputs = (closing.vector(center), reach, closing.vector(start), closing.vector(along), offset)
    place = closing.close("RRP", inputs, sketch, name)
    return {tie.link: Frame(place - direction * local, direction)}
