"""Turns of links as scalars of a plan: sums of drivers' angles, or followed along the lanes."""

from __future__ import annotations

from structkin.groups import Turn, kind
from structkin.kinematics.plan import Operand, Slot
from structkin.kinematics.relations import Sum, Travel
from structkin.kinematics.scene import Scene
from structkin.rows.affine import Affine, Frame


def scalar(scene: Scene, expression: Affine, group: int) -> Operand:
    """Return a sum of scalar slots as an operand: itself, a constant, or a new slot that holds it."""
    if not expression.terms:
        return float(expression.const.real)
    if expression.is_slot:
        return Slot(expression.terms[0][0])
    tape = scene.tape
    form = Sum(expression.const.real, tuple(factor.real for _, factor in expression.terms))
    value = expression.at(tape.sketch)
    inputs = tuple(Slot(slot) for slot, _ in expression.terms)
    return Slot(tape.step(form, inputs, (value.real,), group=group, scalar=True)[0])


def turn_of_driver(scene: Scene, driver: str, group: int) -> Affine:
    """Return how far an angle driver has turned since the sketch."""
    start = scene.mechanism.drivers[driver].start
    slot = scene.tape.driver(driver, group, angular=False, value=start)
    return Affine.slot(slot.index) - Affine(complex(start))


def turn_of(scene: Scene, link: str, group: int) -> Affine:
    """Return how far a known link has turned since the sketch, as a sum of scalar slots.

    A link whose turn is not the sum of drivers' angles gets a step that follows it along the lanes.
    """
    return turn_of_vector(scene, scene.frames[link].direction, group)


def turn_of_vector(scene: Scene, vector: Affine, group: int) -> Affine:
    """Return how far a vector has turned since the sketch."""
    tape = scene.tape
    if not vector.terms:
        return Affine()
    slot = tape.direction_slot(vector)
    if slot is None:
        operand = tape.vector(vector, group)
        assert isinstance(operand, Slot)
        slot = operand.index
    if slot not in tape.turns:
        (out,) = tape.step(Turn(tape.sketch[slot]), (Slot(slot),), (0.0,), group=group, scalar=True)
        tape.turns[slot] = Affine.slot(out)
    return tape.turns[slot]


def known_turns(scene: Scene) -> dict[str, Affine]:
    """Return the turns of all links whose turns are known as sums of scalar slots."""
    slots = {link: scene.tape.direction_slot(frame.direction) for link, frame in scene.frames.items()}
    return {link: scene.tape.turns[slot] for link, slot in slots.items() if slot in scene.tape.turns}


def travel_of(scene: Scene, joint: str, group: int) -> Affine:
    """Return the travel of a guide between known links since the sketch."""
    guide = scene.guide(joint)
    carrier, slider = scene.frames[guide.carrier], scene.frames[guide.slider]
    along, place = carrier.direction * guide.direction, slider.point(guide.point)
    return travel_between(scene, carrier.point(guide.origin), along, place, guide.start, group)


def travel_between(scene: Scene, origin: Affine, along: Affine, place: Affine, start: float, group: int) -> Affine:
    """Return how far a place has gone along a line since the sketch, where it was at `start`."""
    operands = tuple(scene.tape.vector(vector, group) for vector in (origin, along, place))
    (out,) = scene.tape.step(Travel(), operands, (start,), group=group, scalar=True)
    return Affine.slot(out) - Affine(complex(start))


def turned_direction(scene: Scene, link: str, turn: Affine, group: int) -> Affine:
    """Return the direction of a link that has turned so far since the sketch, and remember its turn."""
    _, sketch = scene.sketch_frame(link)
    if not turn.terms:
        return Affine(sketch)
    inputs = (complex(sketch), scalar(scene, turn, group))
    (out,) = scene.tape.step(kind("R-G"), inputs, (sketch,), group=group)
    scene.tape.turns[out] = turn
    return Affine.slot(out)


def hung(scene: Scene, link: str, pin: str, direction: Affine) -> Frame:
    """Return the frame of a link with this direction, hung on a known pin."""
    return Frame(scene.pins[pin] - direction * scene.local(link, pin), direction)
