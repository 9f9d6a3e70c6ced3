"""Closed forms of single links that a driver, a law or a distance places on one joint."""

from __future__ import annotations

from collections.abc import Mapping

from structkin.groups import kind
from structkin.joints.turn_coupling import TurnCoupling
from structkin.kinematics.closing import Closing, half_square, half_square_of, turn_of_guide
from structkin.kinematics.plan import Operand
from structkin.kinematics.scene import Contact, Scene
from structkin.kinematics.turns import turn_of, turn_of_driver
from structkin.rows.affine import Affine, Frame


def driven(closing: Closing, tie: Contact, driver: str) -> Mapping[str, Frame] | None:
    """Close a single link with one joint to what is known and one driver."""
    drive = closing.scene.mechanism.drivers[driver]
    if drive.kind == "angle" and tie.kind == "R":
        return _driven_r(closing, tie, driver)
    if drive.kind == "slide" and tie.kind == "P" and drive.joint == tie.joint:
        return _driven_p(closing, tie, driver)
    if drive.kind == "distance" and tie.kind in "RP":
        return _driven_distance(closing, tie, driver)
    return None


def _driven_r(closing: Closing, tie: Contact, driver: str) -> Mapping[str, Frame]:
    scene, drive = closing.scene, closing.scene.mechanism.drivers[driver]
    first, second = drive.links
    # angle(second) - angle(first) = z: the known link may be either of the two.
    other, sign = (first, 1) if second == tie.link else (second, -1)
    turn = scene.tape.driver(driver, closing.index, angular=True, value=drive.start, sign=sign)
    frames = turned(closing, tie, other, turn)
    if scene.mechanism.joints.of(TurnCoupling):
        ((slot, _),) = frames[tie.link].direction.terms
        own = turn_of_driver(scene, driver, closing.index) * sign
        scene.tape.turns[slot] = turn_of(scene, other, closing.index) + own
    return frames


def turned(closing: Closing, tie: Contact, other: str, turn: Operand) -> Mapping[str, Frame]:
    """Close a link on a known pin whose direction is that of the known link `other`, turned by a unit vector."""
    scene = closing.scene
    direction = closing.vector(scene.frames[other].direction)
    _, sketch = scene.sketch_frame(tie.link)
    (out,) = scene.tape.step(kind("driven R"), (direction, turn), (sketch,), group=closing.index)
    return {tie.link: closing.through_pin(tie, Affine.slot(out))}


def _driven_p(closing: Closing, tie: Contact, driver: str) -> Mapping[str, Frame]:
    drive = closing.scene.mechanism.drivers[driver]
    return slid(closing, tie, closing.scene.tape.driver(driver, closing.index, angular=False, value=drive.start))


def slid(closing: Closing, tie: Contact, travel: Operand) -> Mapping[str, Frame]:
    """Close a link on a known guide by its travel."""
    scene, guide = closing.scene, closing.scene.guide(tie.joint)
    direction = closing.direction_by_guide(tie)
    shift = guide.start + 1j * guide.offset
    if tie.link == guide.slider:
        along = scene.frames[guide.carrier].direction * guide.direction
        start, moving = scene.frames[guide.carrier].point(guide.origin) + along * shift, guide.point
    else:
        along = scene.frames[guide.slider].direction * (guide.direction / turn_of_guide(guide)) * -1
        start, moving = scene.frames[guide.slider].point(guide.point) + along * shift, guide.origin
    origin, unit = scene.sketch_frame(tie.link)
    place = origin + unit * moving
    inputs = (closing.vector(start), closing.vector(along), travel)
    (out,) = scene.tape.step(kind("driven P"), inputs, (place,), group=closing.index)
    return {tie.link: Frame(Affine.slot(out) - direction * moving, direction)}


def _driven_distance(closing: Closing, tie: Contact, driver: str) -> Mapping[str, Frame] | None:
    """Close a link whose point is driven at a distance from a known point: circles, or circle and line."""
    scene, drive = closing.scene, closing.scene.mechanism.drivers[driver]
    assert drive.ends is not None
    mine = [end for end in drive.ends if end[0] == tie.link or tie.link in _links_at(scene, end[1])]
    known = [place for end in drive.ends if (place := closing.known_point(*end)) is not None]
    if len(mine) != 1 or len(known) != 1:
        return None
    point = mine[0][1]
    reach = half_square_of(scene, driver, closing.index)
    local = scene.local(tie.link, point)
    return at_distance(closing, tie, (local, scene.sketch_point(point), point), known[0], reach)


def at_distance(
    closing: Closing, tie: Contact, tip: tuple[complex, complex, str], center: Affine, reach: Operand
) -> Mapping[str, Frame] | None:
    """Close a link on one joint whose tip (place in its frame, in the sketch, name) is at a distance of a point.

    `reach` is half the square of the distance.
    """
    scene, (local, sketch, name) = closing.scene, tip
    if tie.kind == "R":
        arm = local - scene.local(tie.link, tie.joint)
        if arm == 0:
            return None
        pin = scene.pins[tie.joint]
        circles: tuple[Operand, ...] = (closing.vector(pin), closing.vector(center), half_square(arm), reach)
        place = closing.close("RRR", circles, sketch, name)
        return {tie.link: closing.through_pin(tie, (place - pin) * (1 / arm))}
    direction = closing.direction_by_guide(tie)
    start, along, offset = closing.line(tie, direction, local)
    inputs = (closing.vector(center), reach, closing.vector(start), closing.vector(along), offset)
    place = closing.close("RRP", inputs, sketch, name)
    return {tie.link: Frame(place - direction * local, direction)}


def _links_at(scene: Scene, point: str) -> tuple[str, ...]:
    return tuple(link.name for link in scene.mechanism.links.values() if point in link.local)
