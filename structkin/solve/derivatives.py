"""Derivatives of all registers of a plan, group by group: rates, velocity coefficients, jerk.

Every derivative, of any order and along anything, satisfies the linear system of the velocity
(`structkin.groups.kind`): only the values of the drivers' registers and the right-hand side g differ.
A derivative is kept as a `Field`, which holds only the registers that move: a remote driver in a large
mechanism costs nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from structkin.plan.plan import Plan, Register, Step
from structkin.plan.status import Status
from structkin.rows.affine import Affine
from structkin.solve.engine import Lanes
from structkin.types import Flags

#: A derivative of the moving registers: vectors (2, n) and scalars (n,); registers that are not in it are zero.
Field = Mapping[int, Any]
#: The right-hand side g of a step, given its inputs and its unknowns.
RightSide = Callable[["Part", Step], Any]


@dataclass(frozen=True)
class Part:
    """The lanes that a step is solved in: all of them, or those `good` for a general group."""

    plan: Plan
    x: NDArray[Any]
    good: Flags | None = None

    def register(self, register: int, field: Field | None = None) -> Any:
        """Return a register's value, or its derivative in a field."""
        if field is None:
            value: Any = self.plan.register(register, self.x)
        else:
            value = field.get(register)
            if value is None:
                return np.zeros((2, 1)) if self.plan.widths[register] == 2 else 0.0
        return value if self.good is None or np.ndim(value) == 0 or np.shape(value)[-1] == 1 else value[..., self.good]

    def inputs(self, step: Step, field: Field | None = None) -> tuple[Any, ...]:
        """Return the inputs of a step, or their derivatives in a field."""
        return step.read(lambda register: self.register(register, field), constant=field is None)

    def outputs(self, step: Step, field: Field | None = None) -> tuple[Any, ...]:
        """Return the unknowns of a step, or their derivatives in a field."""
        return tuple(self.register(register, field) for register in step.outputs)


@dataclass(frozen=True, eq=False)
class Rows(Mapping[int, Any]):
    """A field in the rows of an array (rows, n), of the registers that all `drivers` move; views are made on reading.

    Kernels find all registers at once, of which usually only a few are read.
    """

    plan: Plan
    x: NDArray[Any]
    drivers: tuple[str, ...] = ()

    def __getitem__(self, register: int) -> Any:
        """Return the derivative of a register; raises `KeyError` where it has none."""
        if not self.plan.movers[register].issuperset(self.drivers):
            raise KeyError(register)
        return Part(self.plan, self.x).register(register)

    def __iter__(self) -> Iterator[int]:
        """Iterate over the registers."""
        return (register for register, moved in enumerate(self.plan.movers) if moved.issuperset(self.drivers))

    def __len__(self) -> int:
        """Return the number of registers."""
        return sum(1 for _ in self)


def quadratic(v: Field, w: Field) -> RightSide:
    """Return the right-hand side of a second derivative along v and w."""

    def right_side(part: Part, step: Step) -> Any:
        along_v, along_w = ((part.inputs(step, x), part.outputs(step, x)) for x in (v, w))
        return step.kind.convective(part.inputs(step), part.outputs(step), *along_v, *along_w)

    return right_side


def third(v: Field, a: Field) -> RightSide:
    """Return the right-hand side of a third derivative, given the first and the second: 3 (d2 Phi)(v, a) and more.

    Differentiated three times, Phi(x) = 0 reads Phi_x x''' + 3 (d2 Phi)(x', x'') + (d3 Phi)(x', x', x') = 0. The last
    term is zero for the closed forms, which are quadratic; a relation that is not has a method `cubic`.
    """
    mixed = quadratic(v, a)

    def right_side(part: Part, step: Step) -> Any:
        g = tuple(3 * term for term in mixed(part, step))
        cubic = getattr(step.kind, "cubic", None)
        if cubic is None:
            return g
        more = cubic(part.inputs(step), part.outputs(step), part.inputs(step, v), part.outputs(step, v))
        return tuple(a + b for a, b in zip(g, more, strict=True))

    return right_side


@dataclass(frozen=True)
class Derivatives:
    """Solves for derivatives of the registers at the poses of a run; NaN where a group has no regular pose."""

    plan: Plan
    lanes: Lanes

    def rates(self, order: int) -> Field:
        """Return the rates of all registers of this order, as the run has them."""
        return Rows(self.plan, self.lanes.x[order])

    def solve(
        self,
        seed: Field,
        right_side: RightSide | None = None,
        drivers: Iterable[str] = (),
        moved: Sequence[Flags] | None = None,
    ) -> Field:
        """Return a derivative of the registers: `seed` gives those of the drivers' registers.

        Only registers that all `drivers` move are solved for: the others do not have that derivative. Where lanes
        differ in their drivers, `moved` gives the lanes (n,) in which each register moves.
        """
        field, needed = dict(seed), frozenset(drivers)
        with np.errstate(all="ignore"):
            for step in self.plan.steps:
                if needed <= self.plan.movers[step.outputs[0]]:
                    for register, value in zip(step.outputs, self._step(step, field, right_side), strict=True):
                        field[register] = value if moved is None else np.where(moved[register], value, 0.0)
        return field

    def _step(self, step: Step, field: Field, right_side: RightSide | None) -> tuple[Any, ...]:
        part, lost = Part(self.plan, self.lanes.x[0]), self._singular(step)
        if not step.kind.closed_form:
            # One lane without numbers would spoil the factorisation of all lanes.
            phi = part.outputs(step)
            good = np.isfinite(phi[0][0]) & ~lost
            for value in part.inputs(step, field):
                good &= np.isfinite(value).all(axis=0) if np.ndim(value) == 2 else np.isfinite(value)
            if not good.any():
                return tuple(np.full(np.shape(value), np.nan, np.asarray(value).dtype) for value in phi)
            part = Part(self.plan, self.lanes.x[0], good)
            lost = ~good
        g = right_side(part, step) if right_side is not None else self._zero(step)
        values = step.kind.linear(part.inputs(step), part.outputs(step), part.inputs(step, field), g)
        return tuple(self._spread(value, part.good, lost) for value in values)

    def _zero(self, step: Step) -> tuple[float, ...]:
        return (0.0,) * (4 if step.kind.closed_form else step.kind.rows.equations)

    def _spread(self, value: Any, good: Flags | None, lost: Flags) -> Any:
        """Return a derivative over all lanes, NaN in the lost ones."""
        if good is not None:
            whole = np.full((*np.shape(value)[:-1], len(good)), np.nan, np.asarray(value).dtype)
            whole[..., good] = value
            return whole
        if lost.any():
            value = np.array(np.broadcast_to(value, (*np.shape(value)[:-1], len(lost))))
            value[..., lost] = np.nan
        return value

    def _singular(self, step: Step) -> Flags:
        return np.asarray((self.lanes.status == Status.SINGULAR) & (self.lanes.group == step.group))

    def of(self, expression: Affine, field: Field) -> NDArray[Any]:
        """Return the derivative of an expression (2, n); NaN where it has no regular pose."""
        total: Any = np.zeros((2, self.lanes.x.shape[-1]), self.lanes.x.dtype)
        for register, factor in expression.terms:
            value = field.get(register)
            if value is not None:
                # Infinite next to a change point, where circles take over.
                with np.errstate(invalid="ignore"):
                    total[0] += factor.real * value[0] - factor.imag * value[1]
                    total[1] += factor.imag * value[0] + factor.real * value[1]
            irregular = self.irregular[register]
            if irregular is not None:
                total[:, irregular] = np.nan
        return np.asarray(total)

    @cached_property
    def irregular(self) -> tuple[Flags | None, ...]:
        """The lanes in which each register is unknown or not regular, None where there are none."""
        rows = map(self.plan.rows, range(len(self.plan.widths)))
        bad = [np.asarray(np.isnan(self.lanes.x[0, part]).any(axis=0)) for part in rows]
        for step in self.plan.steps:
            lost = self._singular(step)
            for item in step.inputs:
                if isinstance(item, Register):
                    lost = lost | bad[item.index]
            for register in step.outputs:
                bad[register] = bad[register] | lost
        return tuple(lanes if lanes.any() else None for lanes in bad)
