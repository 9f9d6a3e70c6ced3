"""Matching a group with a closed form, and writing its inputs as expressions of what is known."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from structkin.errors import InputError, Problem
from structkin.groups import kind
from structkin.kinematics.affine import Affine, Frame
from structkin.kinematics.higher_pairs import solve_higher
from structkin.kinematics.plan import Operand, Slot
from structkin.kinematics.relations import HalfSquare, HalfSquareOfLength, Quotient
from structkin.kinematics.scene import Contact, Scene
from structkin.kinematics.turns import turn_of, turn_of_driver
from structkin.structure import Group, decompose

#: Below this sine the sketch does not say on which side a dyad closes.
CLEAR = 1e-6


def solve_pin(scene: Scene, group: Group, index: int) -> None:
    """Record the step of a pin that two driven distances or slots place before any link on it."""
    pin = group.pins[0]
    closing = Closing(scene, index, {pin: (pin,)})
    circles, lines = [], []
    for id in group.drivers:
        drive = scene.mechanism.drives[id]
        assert drive.ends is not None
        (center,) = (closing.known_point(*end) for end in drive.ends if end[1] not in group.pins)
        assert center is not None
        circles.append((closing.vector(center), half_square_of(scene, id, index)))
    for joint in group.joints:
        arc = scene.mechanism.arcs.get(joint)
        if arc is not None:
            center = scene.frames[arc.carrier].point(arc.center)
            circles.append((closing.vector(center), 0.5 * arc.radius**2))
            continue
        guide = scene.guide(joint)
        carrier = scene.frames[guide.carrier]
        line = carrier.point(guide.origin), carrier.direction * guide.direction
        lines.append((*map(closing.vector, line), guide.offset))
    sketch = scene.sketch_point(pin)
    if len(circles) == 2:
        (first, reach), (second, other) = circles
        place = closing.close("RRR", (first, second, reach, other), sketch, pin)
    elif len(circles) == 1:
        place = closing.close("RRP", (*circles[0], *lines[0]), sketch, pin)
    else:
        place = closing.close("PRP", (*lines[0], *lines[1]), sketch, pin)
    scene.pins.update(dict.fromkeys(group.pins, place))


def solve_closed(scene: Scene, group: Group, index: int) -> Mapping[str, Frame] | None:
    """Record the closed-form steps of a group and return its links' frames, or None where there is no closed form."""
    clusters = _clusters(group)
    contacts = scene.contacts(group.links)
    if any(contact.joint in scene.mechanism.meshes for contact in contacts):
        return None
    ties = [c for c in contacts if c.other is None or clusters[c.link] != clusters[c.other]]
    inner = {d for d in group.drivers if _inside_one(scene, d, clusters)}
    drivers = [d for d in group.drivers if d not in inner]
    closing = Closing(scene, index, clusters)
    if len(set(clusters.values())) == 1 and len(group.links) == 1 and len(ties) == 1 and len(drivers) == 1:
        return closing.driven(ties[0], drivers[0])
    if len(group.links) == 1 and len(ties) == 2 and not group.drivers:
        return solve_higher(closing, ties)
    if len(set(clusters.values())) == 2 and not drivers and len(ties) == 3:
        return closing.dyad(ties)
    return None


def half_square_of(scene: Scene, driver: str, group: int) -> Operand:
    """Return half the square of a driven distance as an operand; a distance that is not positive is out of reach."""
    drive, tape = scene.mechanism.drives[driver], scene.tape
    length = tape.driver(driver, group, angular=False, value=drive.start)
    (out,) = tape.step(HalfSquareOfLength(), (length,), (0.5 * drive.start**2,), group=group, scalar=True)
    return Slot(out)


def _clusters(group: Group) -> dict[str, tuple[str, ...]]:
    """Return the composite link of each link of the group; most are alone in theirs."""
    clusters: dict[str, tuple[str, ...]] = {link: (link,) for link in group.links}
    for composite in group.composite_links:
        clusters.update(dict.fromkeys(composite, tuple(composite)))
    return clusters


def _inside_one(scene: Scene, driver: str, clusters: Mapping[str, tuple[str, ...]]) -> bool:
    first, second = (clusters.get(end) for end in scene.driver(driver).links)
    return first is not None and first == second


@dataclass
class Closing:
    """Closes one group: `index` is its index in the structure, `clusters` its composite links."""

    scene: Scene
    index: int
    clusters: Mapping[str, tuple[str, ...]]

    # --- driven links -------------------------------------------------------------------------------------

    def driven(self, tie: Contact, driver: str) -> Mapping[str, Frame] | None:
        """Close a single link with one joint to what is known and one driver."""
        drive = self.scene.mechanism.drives[driver]
        if drive.kind == "angle" and tie.kind == "R":
            return self._driven_r(tie, driver)
        if drive.kind == "slide" and tie.kind == "P" and drive.joint == tie.joint:
            return self._driven_p(tie, driver)
        if drive.kind == "distance" and tie.kind in "RP":
            return self._driven_distance(tie, driver)
        return None

    def _driven_r(self, tie: Contact, driver: str) -> Mapping[str, Frame]:
        scene, drive = self.scene, self.scene.mechanism.drives[driver]
        first, second = drive.links
        # angle(second) - angle(first) = z: the known link may be either of the two.
        other, sign = (first, 1) if second == tie.link else (second, -1)
        turn = scene.tape.driver(driver, self.index, angular=True, value=drive.start, sign=sign)
        frames = self.turned(tie, other, turn)
        if scene.mechanism.meshes:
            ((slot, _),) = frames[tie.link].direction.terms
            own = turn_of_driver(scene, driver, self.index) * sign
            scene.tape.turns[slot] = turn_of(scene, other, self.index) + own
        return frames

    def turned(self, tie: Contact, other: str, turn: Operand) -> Mapping[str, Frame]:
        """Close a link on a known pin whose direction is that of the known link `other`, turned by a unit vector."""
        scene = self.scene
        direction = self.vector(scene.frames[other].direction)
        _, sketch = scene.sketch_frame(tie.link)
        (out,) = scene.tape.step(kind("driven R"), (direction, turn), (sketch,), group=self.index)
        return {tie.link: self.through_pin(tie, Affine.slot(out))}

    def _driven_p(self, tie: Contact, driver: str) -> Mapping[str, Frame]:
        drive = self.scene.mechanism.drives[driver]
        return self.slid(tie, self.scene.tape.driver(driver, self.index, angular=False, value=drive.start))

    def slid(self, tie: Contact, travel: Operand) -> Mapping[str, Frame]:
        """Close a link on a known guide by its travel."""
        scene, guide = self.scene, self.scene.guide(tie.joint)
        turned = self.direction_by_guide(tie)
        shift = guide.start + 1j * guide.offset
        if tie.link == guide.slider:
            along = scene.frames[guide.carrier].direction * guide.direction
            start, moving = scene.frames[guide.carrier].point(guide.origin) + along * shift, guide.point
        else:
            along = scene.frames[guide.slider].direction * (guide.direction / _turn(guide.turn)) * -1
            start, moving = scene.frames[guide.slider].point(guide.point) + along * shift, guide.origin
        place = self._sketch_of(tie.link, moving)
        inputs = (self.vector(start), self.vector(along), travel)
        (out,) = scene.tape.step(kind("driven P"), inputs, (place,), group=self.index)
        return {tie.link: Frame(Affine.slot(out) - turned * moving, turned)}

    def _driven_distance(self, tie: Contact, driver: str) -> Mapping[str, Frame] | None:
        """Close a link whose point is driven at a distance from a known point: circles, or circle and line."""
        scene, drive = self.scene, self.scene.mechanism.drives[driver]
        assert drive.ends is not None
        mine = [end for end in drive.ends if end[0] == tie.link or tie.link in self._links_at(end[1])]
        known = [place for end in drive.ends if (place := self.known_point(*end)) is not None]
        if len(mine) != 1 or len(known) != 1:
            return None
        point = mine[0][1]
        reach = half_square_of(scene, driver, self.index)
        local = scene.local(tie.link, point)
        return self.at_distance(tie, (local, scene.sketch_point(point), point), known[0], reach)

    def at_distance(
        self, tie: Contact, tip: tuple[complex, complex, str], center: Affine, reach: Operand
    ) -> Mapping[str, Frame] | None:
        """Close a link on one joint whose tip (place in its frame, in the sketch, name) is at a distance of a point.

        `reach` is half the square of the distance.
        """
        scene, (local, sketch, name) = self.scene, tip
        if tie.kind == "R":
            arm = local - scene.local(tie.link, tie.joint)
            if arm == 0:
                return None
            pin = scene.pins[tie.joint]
            place = self.close("RRR", (self.vector(pin), self.vector(center), _half(arm), reach), sketch, name)
            return {tie.link: self.through_pin(tie, (place - pin) * (1 / arm))}
        direction = self.direction_by_guide(tie)
        start, along, offset = self.line(tie, direction, local)
        inputs = (self.vector(center), reach, self.vector(start), self.vector(along), offset)
        place = self.close("RRP", inputs, sketch, name)
        return {tie.link: Frame(place - direction * local, direction)}

    # --- dyads --------------------------------------------------------------------------------------------

    def dyad(self, ties: list[Contact]) -> Mapping[str, Frame] | None:
        """Close two links (or composites) with two joints to what is known and one between them."""
        outer = [tie for tie in ties if tie.other is None]
        inner = [tie for tie in ties if tie.other is not None]
        if len(outer) != 2 or len(inner) != 1 or self.clusters[outer[0].link] == self.clusters[outer[1].link]:
            return None
        outer.sort(key=lambda tie: "RP".find(tie.kind))
        signature = outer[0].kind + inner[0].kind + outer[1].kind
        # In a composite, only pins keep a place that the closed form can follow.
        composite = [len(self.clusters[tie.link]) > 1 for tie in outer]
        if signature == "RRR":
            return self._rrr(outer, inner[0])
        if signature == "RRP" and not composite[1]:
            return self._rrp(outer, inner[0])
        if any(composite):
            return None
        closers = {"RPR": self._rpr, "PRP": self._prp, "RPP": self._rpp}
        return closers[signature](outer, inner[0]) if signature in closers else None

    def _rrr(self, outer: list[Contact], inner: Contact) -> Mapping[str, Frame]:
        scene, arms = self.scene, [Arm(self, tie, inner) for tie in outer]
        pins = [scene.pins[tie.joint] for tie in outer]
        inputs = (*(self.vector(pin) for pin in pins), *(arm.half_square for arm in arms))
        tip = self.close("RRR", inputs, scene.sketch_point(inner.joint), inner.joint)
        return {
            link: frame for arm, pin in zip(arms, pins, strict=True) for link, frame in arm.frames(pin, tip).items()
        }

    def _rrp(self, outer: list[Contact], inner: Contact) -> Mapping[str, Frame]:
        scene, (rod, slide) = self.scene, outer
        arm, pin = Arm(self, rod, inner), scene.pins[rod.joint]
        direction = self.direction_by_guide(slide)
        local = scene.local(slide.link, inner.joint)
        start, along, offset = self.line(slide, direction, local)
        inputs = (self.vector(pin), arm.half_square, self.vector(start), self.vector(along), offset)
        tip = self.close("RRP", inputs, scene.sketch_point(inner.joint), inner.joint)
        return {**arm.frames(pin, tip), slide.link: Frame(tip - direction * local, direction)}

    def _rpr(self, outer: list[Contact], inner: Contact) -> Mapping[str, Frame]:
        scene, guide = self.scene, self.scene.guide(inner.joint)
        carrier, slider = sorted(outer, key=lambda tie: tie.link != guide.carrier)
        turn = _turn(guide.turn)
        # With D the guide's direction, the slider's point lies at B + (...) D and the line's origin at A + (...) D.
        lever = (guide.point - scene.local(slider.link, slider.joint)) * turn
        lever -= guide.origin - scene.local(carrier.link, carrier.joint)
        offset = guide.offset - (lever / guide.direction).imag
        pins = scene.pins[carrier.joint], scene.pins[slider.joint]
        size = abs(scene.sketch_point(slider.joint) - scene.sketch_point(carrier.joint)) or 1.0
        sketch = scene.sketch_frame(guide.carrier)[1] * guide.direction
        along = self.close("RPR", (*map(self.vector, pins), offset, size), sketch, inner.joint)
        direction = along * (1 / guide.direction)
        return {
            carrier.link: self.through_pin(carrier, direction),
            slider.link: self.through_pin(slider, direction * turn),
        }

    def _prp(self, outer: list[Contact], inner: Contact) -> Mapping[str, Frame]:
        scene, directions = self.scene, [self.direction_by_guide(tie) for tie in outer]
        locals_ = [scene.local(tie.link, inner.joint) for tie in outer]
        inputs: list[Operand] = []
        for tie, direction, local in zip(outer, directions, locals_, strict=True):
            start, along, offset = self.line(tie, direction, local)
            inputs += [self.vector(start), self.vector(along), offset]
        tip = self.close("PRP", tuple(inputs), scene.sketch_point(inner.joint), inner.joint)
        return {
            tie.link: Frame(tip - direction * local, direction)
            for tie, direction, local in zip(outer, directions, locals_, strict=True)
        }

    def _rpp(self, outer: list[Contact], inner: Contact) -> Mapping[str, Frame]:
        scene, (hung, sliding) = self.scene, outer
        direction = self.direction_by_guide(sliding)
        guide = scene.guide(inner.joint)
        turn = _turn(guide.turn)
        first = self.through_pin(hung, direction * (turn if hung.link == guide.slider else 1 / turn))
        second = Contact("P", inner.joint, sliding.link)
        inputs: list[Operand] = []
        for tie, frames in ((sliding, scene.frames), (second, {hung.link: first})):
            start, along, offset = self.line(tie, direction, 0j, frames)
            inputs += [self.vector(start), self.vector(along), offset]
        origin = self.close("RPP", tuple(inputs), scene.sketch_frame(sliding.link)[0], inner.joint)
        return {hung.link: first, sliding.link: Frame(origin, direction)}

    # --- shared -------------------------------------------------------------------------------------------

    def close(self, name: str, inputs: tuple[Operand, ...], sketch: complex, where: str) -> Affine:
        """Record the step of a kind with one vector output; its assembly mode is that of the sketch."""
        scene, form = self.scene, kind(name)
        tape = scene.tape
        with np.errstate(all="ignore"):
            pose = (tape.in_sketch(sketch),)
            side = float(form.side(tuple(map(tape.in_sketch, inputs)), pose)[0])
        if not abs(side) > CLEAR:
            links = " + ".join(self.clusters)
            raise InputError(
                [
                    Problem(
                        f"points.{where}" if where in scene.mechanism.points else f"joints.{where}",
                        f"the {name} group {links} is drawn in a singular position: its assembly mode cannot be told",
                        "move the sketch a little to the side that is meant; [lengths] keep exact sizes",
                    )
                ],
                scene.mechanism.title,
            )
        (out,) = tape.step(form, inputs, (sketch,), group=self.index, mode=1 if side > 0 else -1)
        return Affine.slot(out)

    def vector(self, expression: Affine) -> Operand:
        """Return a vector expression as an operand."""
        return self.scene.tape.vector(expression, self.index)

    def through_pin(self, tie: Contact, direction: Affine) -> Frame:
        """Return the frame of a link with this direction, hung on its known pin."""
        return Frame(self.scene.pins[tie.joint] - direction * self.scene.local(tie.link, tie.joint), direction)

    def direction_by_guide(self, tie: Contact) -> Affine:
        """Return the direction of a link that slides on a known one."""
        guide = self.scene.guide(tie.joint)
        turn = _turn(guide.turn)
        if tie.link == guide.slider:
            return self.scene.frames[guide.carrier].direction * turn
        return self.scene.frames[guide.slider].direction * (1 / turn)

    def line(
        self, tie: Contact, direction: Affine, local: complex, frames: Mapping[str, Frame] | None = None
    ) -> tuple[Affine, Affine, float]:
        """Return point, direction and offset of the line on which the sliding link's point `local` runs."""
        frames, guide = frames or self.scene.frames, self.scene.guide(tie.joint)
        if tie.link == guide.slider:
            carrier = frames[guide.carrier]
            return (
                carrier.point(guide.origin) + direction * (local - guide.point),
                carrier.direction * guide.direction,
                guide.offset,
            )
        along = direction * guide.direction
        return frames[guide.slider].point(guide.point) - direction * (guide.origin - local), along, -guide.offset

    def _sketch_of(self, link: str, local: complex) -> complex:
        origin, direction = self.scene.sketch_frame(link)
        return origin + direction * local

    def _links_at(self, point: str) -> tuple[str, ...]:
        return tuple(link.name for link in self.scene.mechanism.links.values() if point in link.local)

    def known_point(self, link: str, point: str) -> Affine | None:
        """Return a point of the end of a driver, or None where it belongs to this group."""
        if point in self.scene.pins:
            return self.scene.pins[point]
        frame = self.scene.frames.get(link)
        return None if frame is None else frame.point(self.scene.local(link, point))


class Arm:
    """A link or composite between its known pin and the dyad's inner pin."""

    def __init__(self, closing: Closing, tie: Contact, inner: Contact) -> None:
        """Take the arm of the outer contact `tie`; a composite is solved in the frame of its link at the known pin."""
        self._closing, self._base = closing, tie.link
        scene, cluster = closing.scene, closing.clusters[tie.link]
        assert inner.other is not None
        far = inner.link if inner.link in cluster else inner.other
        if len(cluster) == 1:
            self._relative = {tie.link: Frame(Affine(), Affine(1 + 0j))}
        else:
            inside = scene.within(cluster, tie.link)
            inside.solve_all(decompose(inside.topology), closing.index)
            self._relative = inside.frames
        self._near = scene.local(tie.link, tie.joint)
        self._span = self._relative[far].point(scene.local(far, inner.joint)) - Affine(self._near)

    @property
    def half_square(self) -> Operand:
        """Half the square of the distance between the two pins."""
        if not self._span.terms:
            return _half(self._span.const)
        closing = self._closing
        tape = closing.scene.tape
        value = _half(self._span.at(tape.sketch))
        span = closing.vector(self._span)
        return Slot(tape.step(HalfSquare(), (span,), (value,), group=closing.index, scalar=True)[0])

    def frames(self, pin: Affine, tip: Affine) -> dict[str, Frame]:
        """Return the frames of all links, where the pins are at `pin` and `tip`."""
        closing, scene = self._closing, self._closing.scene
        if not self._span.terms:
            direction = (tip - pin) * (1 / self._span.const)
        else:
            inputs = (closing.vector(tip - pin), closing.vector(self._span))
            (out,) = scene.tape.step(Quotient(), inputs, (scene.sketch_frame(self._base)[1],), group=closing.index)
            direction = Affine.slot(out)
        base = Frame(pin - direction * self._near, direction)
        return {
            link: Frame(base.origin + self._turned(direction, frame.origin), self._turned(direction, frame.direction))
            for link, frame in self._relative.items()
        }

    def _turned(self, direction: Affine, relative: Affine) -> Affine:
        """Return a vector of the base link's frame in the frame of the scene."""
        if not relative.terms:
            return direction * relative.const
        closing = self._closing
        tape = closing.scene.tape
        if not direction.terms:
            return relative * direction.const
        value = direction.at(tape.sketch) * relative.at(tape.sketch)
        inputs = (closing.vector(direction), closing.vector(relative))
        return Affine.slot(tape.step(kind("driven R"), inputs, (value,), group=closing.index)[0])


def _half(vector: complex) -> float:
    return 0.5 * abs(vector) ** 2


def _turn(turn: complex | None) -> complex:
    assert turn is not None, "a slot has no constant orientation"
    return turn
