"""Turns of links as scalars of a plan: sums of drivers' angles where links are geared, else followed along the lanes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from structkin.groups import Turn
from structkin.groups.kind import Values, dot
from structkin.kinematics.affine import Affine, Frame
from structkin.kinematics.plan import Operand, Slot
from structkin.kinematics.relations import Explicit
from structkin.kinematics.scene import Scene


@dataclass(frozen=True)
class Sum(Explicit):
    """A scalar const + sum of factor * slot."""

    const: float
    factors: tuple[float, ...]

    def _sum(self, h: Values, start: float) -> Any:
        return sum((factor * x for factor, x in zip(self.factors, h, strict=True)), start=np.asarray(start))

    def position(self, h: Values, root: Any) -> Values:
        """Return the sum."""
        return (self._sum(h, self.const),)

    def linear(self, h: Values, phi: Values, dh: Values, g: Values) -> Values:
        """Return the sum of the derivatives."""
        return (self._sum(dh, 0.0) + g[0],)

    def convective(self, h: Values, phi: Values, vh: Values, vphi: Values, wh: Values, wphi: Values) -> Values:
        """Return zero: the relation is linear."""
        return (0.0,)

    def residual(self, h: Values, phi: Values) -> Values:
        """Return the unknown minus the sum."""
        return (phi[0] - self._sum(h, self.const),)


class Travel(Explicit):
    """s = D . (P - G): how far a point is along a line through G with the unit direction D."""

    def position(self, h: Values, root: Any) -> Values:
        """Return the travel."""
        G, D, P = h
        return (dot(D, P - G),)

    def linear(self, h: Values, phi: Values, dh: Values, g: Values) -> Values:
        """Return dD.(P - G) + D.(dP - dG) + g."""
        (G, D, P), (dG, dD, dP) = h, dh
        return (dot(dD, P - G) + dot(D, dP - dG) + g[0],)

    def convective(self, h: Values, phi: Values, vh: Values, vphi: Values, wh: Values, wphi: Values) -> Values:
        """Return the mixed products."""
        return (dot(vh[1], wh[2] - wh[0]) + dot(wh[1], vh[2] - vh[0]),)

    def residual(self, h: Values, phi: Values) -> Values:
        """Return the unknown minus the travel."""
        return (phi[0] - dot(h[1], h[2] - h[0]),)


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
    start = scene.mechanism.drives[driver].start
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
    if vector.const == 0 and len(vector.terms) == 1:
        slot = vector.terms[0][0]  # the factor turns it by a constant
    else:
        operand = tape.vector(vector, group)
        assert isinstance(operand, Slot)
        slot = operand.index
    if slot not in tape.turns:
        (out,) = tape.step(Turn(tape.sketch[slot]), (Slot(slot),), (0.0,), group=group, scalar=True)
        tape.turns[slot] = Affine.slot(out)
    return tape.turns[slot]


def travel_of(scene: Scene, joint: str, group: int) -> Affine:
    """Return the travel of a guide between known links since the sketch."""
    guide, tape = scene.guide(joint), scene.tape
    carrier, slider = scene.frames[guide.carrier], scene.frames[guide.slider]
    inputs = (carrier.point(guide.origin), carrier.direction * guide.direction, slider.point(guide.point))
    start = guide.start
    operands = tuple(tape.vector(vector, group) for vector in inputs)
    (out,) = tape.step(Travel(), operands, (start,), group=group, scalar=True)
    return Affine.slot(out) - Affine(complex(start))


def turned_direction(scene: Scene, link: str, turn: Affine, group: int) -> Affine:
    """Return the direction of a link that has turned so far since the sketch, and remember its turn."""
    from structkin.groups import kind

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
