"""The plan: a flat list of steps, compiled once from a mechanism and its structure, run for any number of lanes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import accumulate
from typing import Any, cast

import numpy as np

from structkin.groups import General, Relation, Turn
from structkin.groups.kind import TwoModes
from structkin.rows.affine import Affine, Frame
from structkin.structure import KinematicStructure
from structkin.types import Floats, Indices


@dataclass(frozen=True, slots=True)
class Register:
    """A reference to the result of an earlier step or a driver."""

    index: int


#: An input of a step: a register, a constant scalar, or a constant vector as a complex number.
Operand = Register | float | complex


@dataclass(frozen=True, slots=True)
class Step:
    """One solved relation: a structural group, or a preparation of one.

    `outputs` are register indices; `mode` is +1 or -1; `group` is the index in the kinematic structure; `start` holds
    the outputs in the sketch, where tracking of a general group starts.
    """

    kind: Relation | General
    inputs: tuple[Operand, ...]
    outputs: tuple[int, ...]
    mode: int
    group: int
    start: tuple[complex, ...] = ()

    def read(self, register: Callable[[int], Any], *, constant: bool = True) -> tuple[Any, ...]:
        """Return the inputs: registers by a function of their index, constants as vectors (2, 1) or floats.

        Where the function gives rates, pass `constant=False`: constants then become zero.
        """
        found: list[Any] = []
        for operand in self.inputs:
            if isinstance(operand, Register):
                found.append(register(operand.index))
            elif isinstance(operand, float):
                found.append(operand if constant else 0.0)
            else:
                found.append(np.array([[operand.real], [operand.imag]]) if constant else np.zeros((2, 1)))
        return tuple(found)

    @property
    def known(self) -> tuple[complex | float | None, ...]:
        """The constants among the inputs, None for variable ones."""
        return tuple(None if isinstance(item, Register) else item for item in self.inputs)

    @property
    def has_root(self) -> bool:
        """Whether its two modes are the signs of a root, which is zero where the modes meet."""
        return self.kind.closed_form and self.kind.modes == 2

    @property
    def divisors(self) -> list[int]:
        """The varying inputs by which its discriminant is divided: where they are small it may be of any size."""
        places = cast(TwoModes, self.kind).divisors if self.has_root else ()
        return [k for k in places if isinstance(self.inputs[k], Register)]

    def clearance(self, h: tuple[Any, ...], dh: tuple[Any, ...]) -> Floats:
        """Return how far (n,) its two modes are from meeting, less how far a change dh of its inputs moves them [m]."""
        with np.errstate(all="ignore"):
            return cast(TwoModes, self.kind).clearance(h, dh)

    @property
    def goes_from_lane_to_lane(self) -> bool:
        """Whether a lane depends on the previous one: a group solved by continuation, or a turn counter."""
        return not self.kind.closed_form or isinstance(self.kind, Turn)


#: Kinds of joints by which a dyad is rigid with a link that carries both its ends.
RIGID = ("R", "P", "F")


@dataclass(frozen=True, slots=True)
class DriverRegister:
    """A register set by a driver: the unit vector of `sign` times its angle, or its scalar value.

    `group` is the first group that uses it.
    """

    driver: str
    register: int
    angular: bool
    sign: int
    group: int

    def at(self, z: Any) -> Any:
        """Return the value of the register at a driver coordinate z of any shape: z, or a unit vector (2, ...).

        >>> DriverRegister("motor", 0, True, -1, 0).at(np.pi / 2).round(9).tolist()
        [0.0, -1.0]
        """
        return np.stack((np.cos(z), self.sign * np.sin(z))) if self.angular else z

    def slope(self, value: Any) -> Any:
        """Return the derivative of the register with respect to the coordinate, from its value."""
        return self.sign * np.stack((-value[1], value[0])) if self.angular else np.ones_like(value[0])


@dataclass(frozen=True)
class Plan:
    """Steps in solve order, with the frames of all links as expressions of their registers.

    `widths` is the number of rows of each register: 2 for a vector, 1 for a scalar; `size` is that of the sketch [m],
    `sizes` are those of the parts that the groups belong to, which the ground parts from others.
    `turns` are the rotations of links from the sketch, including full turns, as sums of scalar registers; only for
    mechanisms with gears. `engine` runs the plan: "python", "compiled", or "auto" for the one expected to finish first.
    Without `with_rates` a sweep may omit all rates except those of the drivers; K and L give the others.
    """

    structure: KinematicStructure
    widths: tuple[int, ...]
    steps: tuple[Step, ...]
    drivers: tuple[DriverRegister, ...]
    frames: Mapping[str, Frame]
    pins: Mapping[str, Affine]
    size: float
    sizes: tuple[float, ...]
    turns: Mapping[str, Affine] = field(default_factory=dict)
    engine: str = "auto"
    with_rates: bool = True

    def __repr__(self) -> str:
        """Return the counts."""
        return f"<Plan: {len(self.steps)} steps, {len(self.drivers)} registers of drivers>"

    @cached_property
    def offsets(self) -> tuple[int, ...]:
        """First row of each register, and the number of rows."""
        return tuple(accumulate(self.widths, initial=0))

    def from_flat(self, step: Step, h: tuple[Any, ...]) -> Any:
        """Return the clearance (n,) of a step at inputs h, in sizes of the part that it belongs to."""
        return step.clearance(h, tuple(0.0 * value for value in h)) / self.sizes[step.group]

    @property
    def sweep_kernel(self) -> str:
        """The kernel used to sweep closed forms."""
        return "solve" if self.with_rates else "place"

    @property
    def numbers(self) -> int:
        """The numbers stored per pose, each with its rates: those of the registers and of the drivers."""
        return self.offsets[-1] + 2 * len(self.drivers) + 2

    @cached_property
    def with_root(self) -> tuple[int, ...]:
        """The steps whose two modes are the signs of a root."""
        return tuple(index for index, step in enumerate(self.steps) if step.has_root)

    @cached_property
    def roots(self) -> tuple[Roots, ...]:
        """The steps of `with_root`, those of each kind together."""
        kinds = {type(self.steps[k].kind) for k in self.with_root}
        return tuple(Roots.of(self, [k for k in self.with_root if type(self.steps[k].kind) is kind]) for kind in kinds)

    @cached_property
    def followed(self) -> tuple[int, ...]:
        """The steps without a closed form: their poses are tracked from the sketch."""
        return tuple(index for index, step in enumerate(self.steps) if not step.kind.closed_form)

    @cached_property
    def first_smoothed(self) -> int:
        """The first row that may be singular: rows before it involve no root."""
        return min((self.offsets[self.steps[k].outputs[0]] for k in (*self.with_root, *self.followed)), default=0)

    def run_by(self, engine: str, *, with_rates: bool = True) -> Plan:
        """Return the plan with an engine; the same object each time, so that its kernels are cached."""
        if (engine, with_rates) not in self._others:
            self._others[engine, with_rates] = replace(self, engine=engine, with_rates=with_rates)
        return self._others[engine, with_rates]

    @cached_property
    def _others(self) -> dict[tuple[str, bool], Plan]:
        return {(self.engine, self.with_rates): self}

    @cached_property
    def movers(self) -> tuple[frozenset[str], ...]:
        """The drivers that move each register."""
        movers = [frozenset[str]()] * len(self.widths)
        for item in self.drivers:
            movers[item.register] = frozenset((item.driver,))
        for step in self.steps:
            inputs = (movers[item.index] for item in step.inputs if isinstance(item, Register))
            together = frozenset[str]().union(*inputs)
            for register in step.outputs:
                movers[register] = together
        return tuple(movers)

    @cached_property
    def moving_together(self) -> dict[str, frozenset[str]]:
        """The drivers of each driver's part of the mechanism, which no others move."""
        found = {item.driver: frozenset((item.driver,)) for item in self.drivers}
        for movers in self.movers:
            together = frozenset[str]().union(*(found[id] for id in movers))
            found.update(dict.fromkeys(together, together))
        return found

    def part(self, step: int) -> frozenset[str]:
        """Return the drivers of a step's part of the mechanism, which no others move."""
        movers = self.movers[self.steps[step].outputs[0]]
        return frozenset[str]().union(*(self.moving_together[id] for id in movers))

    @cached_property
    def rigid(self) -> frozenset[int]:
        """The steps of dyads without drivers whose ends are on one link, or on links that are rigid with each other.

        Such a dyad is rigid with them as well, and has one discriminant in all poses.
        """
        topology, found = self.structure.topology, set[int]()
        # Of links that are rigid with each other, one.
        of = {link: link for link in (topology.ground, *topology.links)}
        for group in self.structure.groups:
            ends = [topology.joint(id) for id, _ in group.exterior] if not group.drivers else []
            known = [{of.get(link, link) for link in end.links if link in group.known} for end in ends]
            shared = set.intersection(*known) if all(end.kind in RIGID for end in ends) and ends else set[str]()
            if shared:
                of.update(dict.fromkeys(group.links, min(shared)))
                found.add(group.index)
        return frozenset(index for index in self.with_root if self.steps[index].group in found)

    @cached_property
    def behind(self) -> tuple[int, ...]:
        """The steps that each step depends on, as the bits of a number."""
        of_registers, found = [0] * len(self.widths), []
        for index, step in enumerate(self.steps):
            known = 0
            for item in step.inputs:
                known |= of_registers[item.index] if isinstance(item, Register) else 0
            found.append(known)
            for register in step.outputs:
                of_registers[register] = known | 1 << index
        return tuple(found)

    @cached_property
    def tracked(self) -> bool:
        """Whether a group is solved by continuation, or a turn counted along the lanes, rather than in closed form."""
        return any(step.goes_from_lane_to_lane for step in self.steps)

    @cached_property
    def counts(self) -> bool:
        """Whether full turns of links matter, as they do for gears."""
        kinds = [step.kind for step in self.steps]
        return any(isinstance(kind, Turn) if kind.closed_form else bool(kind.rows.angles) for kind in kinds)

    @cached_property
    def leaves_rows(self) -> bool:
        """Whether there are registers that nothing writes: then this is the first part of a longer plan."""
        written = sum(len(step.outputs) for step in self.steps) + len(self.drivers)
        return written < len(self.widths)

    def rows(self, register: int) -> slice:
        """Return the rows of a register."""
        return slice(self.offsets[register], self.offsets[register + 1])

    def inputs(self, step: Step, x: Any, *, constant: bool = True) -> tuple[Any, ...]:
        """Return the inputs of a step, vectors (2, n) and scalars (n,), from registers x (rows, n).

        If x contains rates, pass `constant=False`: constants of the plan then become zero.
        """
        return step.read(lambda register: self.register(register, x), constant=constant)

    def outputs(self, step: Step, x: Any) -> tuple[Any, ...]:
        """Return the unknowns of a step, from registers x (rows, n)."""
        return tuple(self.register(register, x) for register in step.outputs)

    def drive(self, x: Any, values: Mapping[str, Any]) -> None:
        """Write values of drivers, numbers or (..., n), into their registers of x (rows, ..., n)."""
        for item in self.drivers:
            if item.driver in values:
                x[self.rows(item.register)] = item.at(values[item.driver])

    def register(self, register: int, x: Any) -> Any:
        """Return a register, a vector (2, n) or a scalar (n,)."""
        return x[self.rows(register)] if self.widths[register] == 2 else x[self.offsets[register]]


@dataclass(frozen=True)
class Roots:
    """Steps of one kind with two modes: their inputs are rows of registers x (rows, n) with the `constants` below them.

    `inputs` has an array for each input: (2, steps) for vectors, (steps,) for scalars.
    """

    steps: Indices
    inputs: tuple[Indices, ...]
    constants: Floats

    @classmethod
    def of(cls, plan: Plan, steps: Sequence[int]) -> Roots:
        """Return some steps of a plan."""
        constants: list[float] = []

        def rows(operand: Operand) -> list[int]:
            if isinstance(operand, Register):
                part = plan.rows(operand.index)
                return list(range(part.start, part.stop))
            numbers = [operand.real, operand.imag] if isinstance(operand, complex) else [operand]
            constants.extend(numbers)
            first = plan.offsets[-1] + len(constants)
            return list(range(first - len(numbers), first))

        found = [[rows(operand) for operand in plan.steps[k].inputs] for k in steps]
        inputs = (np.array(each, np.intp).T for each in zip(*found, strict=True))
        return cls(np.array(steps), tuple(each if len(each) == 2 else each[0] for each in inputs), np.array(constants))

    def clearance(self, plan: Plan, x: Floats, detour: float, pace: Floats, margin: Floats) -> Floats:
        """Return the least clearance (steps,) between lanes of x (rows, n), whose inputs move `detour` times as far.

        They move so far as in the interval before, in the first one as in the second, too, times `pace` (n - 1,), and a
        `margin` (n - 1,) [m] further.
        """
        table = np.concatenate((x, np.broadcast_to(self.constants[:, None], (len(self.constants), x.shape[1]))))
        h = [table[rows] for rows in self.inputs]
        dh = tuple(detour * (value[..., 1:] - value[..., :-1]) for value in h)
        nearest = np.maximum(np.arange(x.shape[1] - 1) - 1, 0)
        nearest[0] = min(1, len(nearest) - 1)
        with np.errstate(invalid="ignore"):
            before = tuple(way[..., nearest] * pace for way in dh)
        clearance, first = plan.steps[self.steps[0]].clearance, tuple(value[..., :-1] for value in h)
        found = np.minimum(clearance(first, dh), clearance(first, before)) - margin
        return np.asarray(found.min(axis=-1, initial=np.inf))
