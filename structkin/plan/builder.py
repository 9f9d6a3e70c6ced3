"""Recording a plan: registers, operands and steps, with the value of each register in the sketch."""

from __future__ import annotations

import cmath
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from structkin.errors import Problem
from structkin.groups import General, Relation
from structkin.plan.plan import DriverRegister, Operand, Register, Step
from structkin.plan.relations import Combine
from structkin.rows.affine import Affine
from structkin.rows.periodic import TURN


@dataclass
class PlanBuilder:
    """A plan under construction.

    `sketch[register]` is the value of the register in the sketch, complex for a vector and real for a scalar.
    """

    widths: list[int] = field(default_factory=list)
    sketch: list[complex] = field(default_factory=list)
    steps: list[Step] = field(default_factory=list)
    drivers: dict[tuple[str, int, bool], DriverRegister] = field(default_factory=dict)
    #: The rotation of a register's vector from the sketch, if it is known as a sum of scalar registers.
    turns: dict[int, Affine] = field(default_factory=dict)
    #: Vectors turned against another by so much: their turns are followed only where something needs them.
    turned: dict[int, tuple[Affine, Affine]] = field(default_factory=dict)
    #: The groups that are drawn in a singular position, each with the problem to report.
    singular: dict[int, Problem] = field(default_factory=dict)
    #: The angles [rad] from which turns of links are counted, by the base and the link. Those that are known from a
    #: mechanism with nearly the same numbers decide whether an angle is written as pi or as -pi.
    phases: dict[tuple[str, str], float] = field(default_factory=dict)
    _combined: dict[Affine, Register] = field(default_factory=dict)

    def register(self, width: int, sketch: complex) -> int:
        """Return a new register."""
        self.widths.append(width)
        self.sketch.append(sketch)
        return len(self.widths) - 1

    def phase(self, key: tuple[str, str], direction: complex) -> float:
        """Return the angle of a direction [rad], beside the one that is known for the key."""
        angle = cmath.phase(direction)
        return angle + TURN * round((self.phases.setdefault(key, angle) - angle) / TURN)

    def driver(self, id: str, group: int, *, angular: bool, value: float, sign: int = 1) -> Register:
        """Return the register of a driver used by a group; its coordinate in the sketch is `value`."""
        known = self.drivers.get((id, sign, angular))
        if known is None:
            register = self.register(2, np.exp(1j * sign * value)) if angular else self.register(1, value)
            known = self.drivers[id, sign, angular] = DriverRegister(id, register, angular, sign, group)
        return Register(known.register)

    def vector(self, expression: Affine, group: int) -> Operand:
        """Return a vector expression as an operand: an existing register, a constant, or a new register."""
        if not expression.terms:
            return expression.const
        if expression.is_slot:
            return Register(expression.terms[0][0])
        if expression not in self._combined:
            self._combined[expression] = self.combine(expression, group)
        return self._combined[expression]

    def combine(self, expression: Affine, group: int) -> Register:
        """Return a vector expression as a new register."""
        kind = Combine(expression.const, tuple(factor for _, factor in expression.terms))
        inputs = tuple(Register(register) for register, _ in expression.terms)
        (out,) = self.step(kind, inputs, (expression.at(self.sketch),), group=group)
        return Register(out)

    def direction_register(self, expression: Affine) -> int | None:
        """Return the register whose vector rotates with an expression: its only term, or that of the expression."""
        if expression.const == 0 and len(expression.terms) == 1:
            return expression.terms[0][0]
        known = self._combined.get(expression)
        return None if known is None else known.index

    def step(
        self,
        kind: Relation | General,
        inputs: Sequence[Operand],
        sketch: Sequence[complex],
        *,
        group: int,
        mode: int = 1,
        scalar: bool = False,
        scalars: int = 0,
    ) -> tuple[int, ...]:
        """Record a step whose outputs have these values in the sketch, the last `scalars` of them scalars.

        Return their registers.
        """
        vectors = 0 if scalar else len(sketch) - scalars
        outputs = tuple(self.register(2 if k < vectors else 1, value) for k, value in enumerate(sketch))
        self.steps.append(Step(kind, tuple(inputs), outputs, mode, group, tuple(sketch)))
        return outputs

    def own(self, value: Any) -> Any:
        """Return a number, or all numbers of a group's equations, as those of the mechanism itself."""
        return value

    def in_sketch(self, operand: Operand) -> Any:
        """Return an operand's value in the sketch as an input of group functions: a vector (2, 1) or a float."""
        value = self.sketch[operand.index] if isinstance(operand, Register) else operand
        scalar = isinstance(operand, float) or (isinstance(operand, Register) and self.widths[operand.index] == 1)
        return float(np.real(value)) if scalar else np.array([[np.real(value)], [np.imag(value)]])
