"""Closed forms of dyads: two links, or composites of links, with three joints R or P."""

from __future__ import annotations

from collections.abc import Mapping

from structkin.groups import kind
from structkin.plan.closing import Closing, half_square, turn_of_guide
from structkin.plan.known_state import Contact, KnownState
from structkin.plan.plan import Operand, Register
from structkin.plan.relations import HalfSquare, Quotient
from structkin.rows.affine import Affine, Frame
from structkin.structure import KinematicStructure, decompose


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
