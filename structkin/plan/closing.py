"""Closing one group: its inputs as operands, and the frames of links from the result of a closed form."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from structkin.errors import Problem
from structkin.groups import kind
from structkin.joints.guide import Guide
from structkin.numerical_tolerances import DETERMINED
from structkin.plan.known_state import Contact, KnownState
from structkin.plan.plan import Operand, Register
from structkin.plan.relations import HalfSquareOfLength
from structkin.rows.affine import Affine, Frame


@dataclass
class Closing:
    """Closes one group: `index` is its index in the structure, `clusters` its composite links."""

    state: KnownState
    index: int
    clusters: Mapping[str, tuple[str, ...]]

    def close(self, name: str, inputs: tuple[Operand, ...], sketch: complex, where: str) -> Affine:
        """Record the step of a kind with one vector output, in the assembly mode of the sketch."""
        state, form = self.state, kind(name)
        builder = state.builder
        with np.errstate(all="ignore"):
            pose = (builder.in_sketch(sketch),)
            indicator = float(form.mode_indicator(tuple(map(builder.in_sketch, inputs)), pose)[0])
        if not abs(indicator) > DETERMINED:
            links = " + ".join(self.clusters)
            builder.singular[self.index] = Problem(
                f"points.{where}" if where in state.mechanism.places else f"joints.{where}",
                f"the {name} group {links} is drawn in a singular position: its assembly mode is ambiguous",
                "move the point slightly to the intended side; [lengths] keeps the dimensions exact",
            )
        (out,) = builder.step(form, inputs, (sketch,), group=self.index, mode=1 if indicator > 0 else -1)
        return Affine.slot(out)

    def vector(self, expression: Affine) -> Operand:
        """Return a vector expression as an operand."""
        return self.state.builder.vector(expression, self.index)

    def through_pin(self, tie: Contact, direction: Affine) -> Frame:
        """Return the frame of a link with this direction on its known pin."""
        return Frame(self.state.pins[tie.joint] - direction * self.state.local(tie.link, tie.joint), direction)

    def direction_by_guide(self, tie: Contact) -> Affine:
        """Return the direction of a link that slides on a known one."""
        guide = self.state.guide(tie.joint)
        turn = turn_of_guide(guide)
        if tie.link == guide.slider:
            return self.state.frames[guide.carrier].direction * turn
        return self.state.frames[guide.slider].direction * (1 / turn)

    def line(
        self, tie: Contact, direction: Affine, local: complex, frames: Mapping[str, Frame] | None = None
    ) -> tuple[Affine, Affine, float]:
        """Return point, direction and offset of the line on which the sliding link's point `local` runs."""
        frames, guide = frames or self.state.frames, self.state.guide(tie.joint)
        if tie.link == guide.slider:
            carrier = frames[guide.carrier]
            return (
                carrier.point(guide.origin) + direction * (local - guide.point),
                carrier.direction * guide.direction,
                guide.offset,
            )
        along = direction * guide.direction
        return frames[guide.slider].point(guide.point) - direction * (guide.origin - local), along, -guide.offset

    def known_point(self, link: str, point: str) -> Affine | None:
        """Return the end point of a driver, or None if it belongs to this group."""
        if point in self.state.pins:
            return self.state.pins[point]
        frame = self.state.frames.get(link)
        return None if frame is None else frame.point(self.state.local(link, point))


def half_square_of(state: KnownState, driver: str, group: int) -> Operand:
    """Return half the square of a driven distance as an operand; a nonpositive distance is out of reach."""
    drive, builder = state.mechanism.drivers[driver], state.builder
    length = builder.driver(driver, group, angular=False, value=drive.start)
    (out,) = builder.step(HalfSquareOfLength(), (length,), (0.5 * drive.start**2,), group=group, scalar=True)
    return Register(out)


def half_square(vector: Any) -> Any:
    """Return half the square of the length of a vector, or of lengths in an array."""
    length = abs(vector)
    return 0.5 * (length * length)  # a power rounds differently for a number and for an array


def turn_of_guide(guide: Guide) -> complex:
    """Return the constant direction of a slider in the frame of its carrier."""
    assert guide.turn is not None, "a slot has no constant orientation"
    return guide.turn
