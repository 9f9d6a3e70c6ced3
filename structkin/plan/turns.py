"""Rotations of links as scalars of a plan: sums of driver angles, or counted along the lanes."""

from __future__ import annotations

from structkin.groups import Turn, kind
from structkin.plan.known_state import KnownState
from structkin.plan.plan import Operand, Register
from structkin.plan.relations import Sum, Travel
from structkin.rows.affine import Affine, Frame


def scalar(state: KnownState, expression: Affine, group: int) -> Operand:
    """Return a sum of scalar slots as an operand: an existing slot, a constant, or a new slot."""
    if not expression.terms:
        return float(expression.const.real)
    if expression.is_slot:
        return Register(expression.terms[0][0])
    builder = state.builder
    form = Sum(expression.const.real, tuple(factor.real for _, factor in expression.terms))
    value = expression.at(builder.sketch)
    inputs = tuple(Register(slot) for slot, _ in expression.terms)
    return Register(builder.step(form, inputs, (value.real,), group=group, scalar=True)[0])


def turn_of_driver(state: KnownState, driver: str, group: int) -> Affine:
    """Return the rotation of an angle driver from the sketch."""
    start = state.mechanism.drivers[driver].start
    slot = state.builder.driver(driver, group, angular=False, value=start)
    return Affine.slot(slot.index) - Affine(complex(start))


def turn_of(state: KnownState, link: str, group: int) -> Affine:
    """Return the rotation of a known link from the sketch, as a sum of scalar slots.

    A link whose rotation is not a sum of driver angles gets a step that counts it along the lanes.
    """
    return turn_of_vector(state, state.frames[link].direction, group)


def turn_of_vector(state: KnownState, vector: Affine, group: int) -> Affine:
    """Return the rotation of a vector from the sketch."""
    builder = state.builder
    if not vector.terms:
        return Affine()
    slot = builder.direction_register(vector)
    if slot is None:
        operand = builder.vector(vector, group)
        assert isinstance(operand, Register)
        slot = operand.index
    if slot in builder.turned and slot not in builder.turns:
        other, own = builder.turned[slot]
        builder.turns[slot] = turn_of_vector(state, other, group) + own
    if slot not in builder.turns:
        (out,) = builder.step(Turn(builder.sketch[slot]), (Register(slot),), (0.0,), group=group, scalar=True)
        builder.turns[slot] = Affine.slot(out)
    return builder.turns[slot]


def known_turns(state: KnownState) -> dict[str, Affine]:
    """Return the rotations of all links for which they are known as sums of scalar slots."""
    slots = {link: state.builder.direction_register(frame.direction) for link, frame in state.frames.items()}
    return {link: state.builder.turns[slot] for link, slot in slots.items() if slot in state.builder.turns}


def travel_of(state: KnownState, joint: str, group: int) -> Affine:
    """Return the travel of a guide between known links, from the sketch."""
    guide = state.guide(joint)
    carrier, slider = state.frames[guide.carrier], state.frames[guide.slider]
    along, place = carrier.direction * guide.direction, slider.point(guide.point)
    return travel_between(state, carrier.point(guide.origin), along, place, guide.start, group)


def travel_between(state: KnownState, origin: Affine, along: Affine, place: Affine, start: float, group: int) -> Affine:
    """Return the travel of a point along a line from the sketch, where its coordinate was `start`."""
    operands = tuple(state.builder.vector(vector, group) for vector in (origin, along, place))
    (out,) = state.builder.step(Travel(), operands, (start,), group=group, scalar=True)
    return Affine.slot(out) - Affine(complex(start))


def turned_direction(state: KnownState, link: str, turn: Affine, group: int) -> Affine:
    """Return the direction of a link with this rotation from the sketch, and record the rotation."""
    _, sketch = state.sketch_frame(link)
    if not turn.terms:
        return Affine(sketch)
    inputs = (complex(sketch), scalar(state, turn, group))
    (out,) = state.builder.step(kind("R-G"), inputs, (sketch,), group=group)
    state.builder.turns[out] = turn
    return Affine.slot(out)


def frame_on_pin(state: KnownState, link: str, pin: str, direction: Affine) -> Frame:
    """Return the frame of a link with this direction on a known pin."""
    return Frame(state.pins[pin] - direction * state.local(link, pin), direction)
