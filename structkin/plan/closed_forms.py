"""Matching a group with a closed form, and expressing its inputs by known quantities.

Dyads are two links, or composites of links, with three joints R or P. A pin may be located by curved slots, or by
travels along slots, before any link on it is known.
"""

from __future__ import annotations

from collections.abc import Mapping

from structkin.errors import Problem, StructureError
from structkin.groups import General, kind
from structkin.joints.circular_slot import CircularSlot
from structkin.joints.curve_slot import CurveSlot
from structkin.joints.guide import Guide
from structkin.joints.turn_coupling import TurnCoupling
from structkin.plan.closing import Closing, half_square, half_square_of, turn_of_guide
from structkin.plan.driven_links import driven
from structkin.plan.general_rows import GroupWriter
from structkin.plan.higher_pairs import solve_higher
from structkin.plan.known_state import Contact, KnownState
from structkin.plan.plan import Operand, Register
from structkin.plan.relations import HalfSquare, Quotient
from structkin.rows.affine import Affine, Frame
from structkin.rows.row import Row
from structkin.structure import Group, KinematicStructure, decompose

# --- pins ----------------------------------------------------------------------------------------------------------


def place_pin(state: KnownState, group: Group, index: int) -> Affine:
    """Record one step that locates the pin of a group without links, and return its position."""
    writer = _PinWriter(state, group, index)
    writer.write(group.drivers)
    writer.keep_orientation()
    slots = state.builder.step(General(writer.form()), writer.inputs(), writer.sketch()[0], group=index)
    return Affine.slot(slots[0])


class _PinWriter(GroupWriter):
    """Writes the rows of a pin: the origin of an unknown link with constant orientation."""

    def __init__(self, state: KnownState, group: Group, index: int) -> None:
        self._pin = group.pins[0]
        self._link = state.topology.joint(self._pin).links[0]
        contacts = [Contact("S", joint, self._link) for joint in group.joints]
        super().__init__(state, [self._link], contacts, index)

    def point(self, link: str, local: complex) -> Affine:
        """Return a point of a link, relative to the pin for the unknown one."""
        return super().point(link, local - self._state.local(link, self._pin) if link == self._link else local)

    def sketch(self) -> list[tuple[complex, complex]]:
        """Return the pin in the sketch, and the direction of its link."""
        return [(self._state.sketch_point(self._pin), self._state.sketch_frame(self._link)[1])]

    def keep_orientation(self) -> None:
        """Write that the direction is that of the sketch."""
        [(_, direction)] = self.sketch()
        row = Row.aligned(Affine(direction), self.along(self._link))
        self.add(self._pin, "orientation", (self._link,), 1.0, row)


# --- dyads ---------------------------------------------------------------------------------------------------------


class Arm:
    """A link or composite between its known pin and the dyad's inner pin."""

    def __init__(self, closing: Closing, tie: Contact, inner: Contact) -> None:
        """Make the arm of the outer contact `tie`; a composite is solved in the frame of its link at the known pin."""
        self._closing, self._base = closing, tie.link
        state, cluster = closing.state, closing.clusters[tie.link]
        assert inner.other is not None
        far = inner.link if inner.link in cluster else inner.other
        if len(cluster) == 1:
            self._relative = {tie.link: Frame(Affine(), Affine(1 + 0j))}
        else:
            inside, structure = _within(closing, tie)
            inside.solve_all(structure, closing.index)
            self._relative = inside.frames
        self._near = state.local(tie.link, tie.joint)
        self._span = self._relative[far].point(state.local(far, inner.joint)) - Affine(self._near)

    @property
    def half_square(self) -> Operand:
        """Half the square of the distance between the two pins."""
        if not self._span.terms:
            fixed: Operand = half_square(self._span.const)
            return fixed
        closing = self._closing
        builder = closing.state.builder
        value = half_square(self._span.at(builder.sketch))
        span = closing.vector(self._span)
        return Register(builder.step(HalfSquare(), (span,), (value,), group=closing.index, scalar=True)[0])

    def frames(self, pin: Affine, tip: Affine) -> dict[str, Frame]:
        """Return the frames of all links, for pins at `pin` and `tip`."""
        closing, state = self._closing, self._closing.state
        if not self._span.terms:
            direction = (tip - pin) * (1 / self._span.const)
        else:
            inputs = (closing.vector(tip - pin), closing.vector(self._span))
            (out,) = state.builder.step(Quotient(), inputs, (state.sketch_frame(self._base)[1],), group=closing.index)
            direction = Affine.slot(out)
        base = Frame(pin - direction * self._near, direction)
        return {
            link: Frame(base.origin + self._turned(direction, frame.origin), self._turned(direction, frame.direction))
            for link, frame in self._relative.items()
        }

    def _turned(self, direction: Affine, relative: Affine) -> Affine:
        """Return a vector of the base link's frame in the frame of the state."""
        if not relative.terms:
            return direction * relative.const
        closing = self._closing
        builder = closing.state.builder
        if not direction.terms:
            return relative * direction.const
        value = direction.at(builder.sketch) * relative.at(builder.sketch)
        inputs = (closing.vector(direction), closing.vector(relative))
        return Affine.slot(builder.step(kind("driven R"), inputs, (value,), group=closing.index)[0])


def _within(closing: Closing, tie: Contact) -> tuple[KnownState, KinematicStructure]:
    """Return the state and the structure of the composite of an outer contact, in the frame of its link there."""
    inside = closing.state.within(closing.clusters[tie.link], tie.link)
    return inside, decompose(inside.topology)


def dyad(closing: Closing, ties: list[Contact]) -> Mapping[str, Frame] | None:
    """Close two links (or composites) with two joints to known links and one between them.

    An inner pin is what the step finds: read from the frame of a link, it would be off by rounding.
    """
    outer = [tie for tie in ties if tie.other is None]
    inner = [tie for tie in ties if tie.other is not None]
    if len(outer) != 2 or len(inner) != 1 or closing.clusters[outer[0].link] == closing.clusters[outer[1].link]:
        return None
    outer.sort(key=lambda tie: "RP".find(tie.kind))
    signature = outer[0].kind + inner[0].kind + outer[1].kind
    # In a composite, only pins have positions that the closed form can use.
    composite = [len(closing.clusters[tie.link]) > 1 for tie in outer]
    if not all(_within(closing, tie)[1].is_solvable for tie, joined in zip(outer, composite, strict=True) if joined):
        return None  # a redundant equation in a composite: only least squares take it into account
    if signature == "RRR":
        return _rrr(closing, outer, inner[0])
    if signature == "RRP" and not composite[1]:
        return _rrp(closing, outer, inner[0])
    if any(composite):
        return None
    closers = {"RPR": _rpr, "PRP": _prp, "RPP": _rpp}
    return closers[signature](closing, outer, inner[0]) if signature in closers else None


def _rrr(closing: Closing, outer: list[Contact], inner: Contact) -> Mapping[str, Frame]:
    state, arms = closing.state, [Arm(closing, tie, inner) for tie in outer]
    pins = [state.pins[tie.joint] for tie in outer]
    inputs = (*(closing.vector(pin) for pin in pins), *(arm.half_square for arm in arms))
    tip = state.pins[inner.joint] = closing.close("RRR", inputs, state.sketch_point(inner.joint), inner.joint)
    return {link: frame for arm, pin in zip(arms, pins, strict=True) for link, frame in arm.frames(pin, tip).items()}


def _rrp(closing: Closing, outer: list[Contact], inner: Contact) -> Mapping[str, Frame]:
    state, (rod, slide) = closing.state, outer
    arm, pin = Arm(closing, rod, inner), state.pins[rod.joint]
    direction = closing.direction_by_guide(slide)
    local = state.local(slide.link, inner.joint)
    start, along, offset = closing.line(slide, direction, local)
    inputs = (closing.vector(pin), arm.half_square, closing.vector(start), closing.vector(along), offset)
    tip = state.pins[inner.joint] = closing.close("RRP", inputs, state.sketch_point(inner.joint), inner.joint)
    return {**arm.frames(pin, tip), slide.link: Frame(tip - direction * local, direction)}


def _rpr(closing: Closing, outer: list[Contact], inner: Contact) -> Mapping[str, Frame]:
    state, guide = closing.state, closing.state.guide(inner.joint)
    carrier, slider = sorted(outer, key=lambda tie: tie.link != guide.carrier)
    turn = turn_of_guide(guide)
    # With D the guide's direction, the slider's point lies at B + (...) D and the line's origin at A + (...) D.
    lever = (guide.point - state.local(slider.link, slider.joint)) * turn
    lever -= guide.origin - state.local(carrier.link, carrier.joint)
    offset = guide.offset - (lever / guide.direction).imag
    pins = state.pins[carrier.joint], state.pins[slider.joint]
    size = abs(state.sketch_point(slider.joint) - state.sketch_point(carrier.joint)) or 1.0
    sketch = state.sketch_frame(guide.carrier)[1] * guide.direction
    along = closing.close("RPR", (*map(closing.vector, pins), offset, size), sketch, inner.joint)
    direction = along * (1 / guide.direction)
    return {
        carrier.link: closing.through_pin(carrier, direction),
        slider.link: closing.through_pin(slider, direction * turn),
    }


def _prp(closing: Closing, outer: list[Contact], inner: Contact) -> Mapping[str, Frame]:
    state, directions = closing.state, [closing.direction_by_guide(tie) for tie in outer]
    locals_ = [state.local(tie.link, inner.joint) for tie in outer]
    inputs: list[Operand] = []
    for tie, direction, local in zip(outer, directions, locals_, strict=True):
        start, along, offset = closing.line(tie, direction, local)
        inputs += [closing.vector(start), closing.vector(along), offset]
    tip = state.pins[inner.joint] = closing.close("PRP", tuple(inputs), state.sketch_point(inner.joint), inner.joint)
    return {
        tie.link: Frame(tip - direction * local, direction)
        for tie, direction, local in zip(outer, directions, locals_, strict=True)
    }


def _rpp(closing: Closing, outer: list[Contact], inner: Contact) -> Mapping[str, Frame]:
    state, (pinned, sliding) = closing.state, outer
    direction = closing.direction_by_guide(sliding)
    guide = state.guide(inner.joint)
    turn = turn_of_guide(guide)
    first = closing.through_pin(pinned, direction * (turn if pinned.link == guide.slider else 1 / turn))
    second = Contact("P", inner.joint, sliding.link)
    inputs: list[Operand] = []
    for tie, frames in ((sliding, state.frames), (second, {pinned.link: first})):
        start, along, offset = closing.line(tie, direction, 0j, frames)
        inputs += [closing.vector(start), closing.vector(along), offset]
    origin = closing.close("RPP", tuple(inputs), state.sketch_frame(sliding.link)[0], inner.joint)
    return {pinned.link: first, sliding.link: Frame(origin, direction)}


# --- matching ------------------------------------------------------------------------------------------------------


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
