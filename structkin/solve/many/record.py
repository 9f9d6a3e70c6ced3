"""Recording the plan of many variants: values that differ between them become registers with known values.

Lengths that a mechanism on its own would have made equal are made so here too; see `structkin.model.assemble`.
"""

from __future__ import annotations

from cmath import phase
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations
from types import MappingProxyType
from typing import Any, cast

import numpy as np

from structkin.groups import General, Relation
from structkin.groups.kind import Explicit, Values
from structkin.joints.pair import Joints
from structkin.model.assemble import with_joints
from structkin.model.draft import Draft
from structkin.model.mechanism import Mechanism
from structkin.model.parts import Link
from structkin.model.posed import posed_parts
from structkin.numerical_tolerances import DETERMINED, EQUAL_DATA, ROUNDING_OF_FEW
from structkin.plan.builder import PlanBuilder
from structkin.plan.compile import record_plan
from structkin.plan.plan import Operand, Plan, Register
from structkin.rows.affine import Affine, Frame
from structkin.solve.engine import Lanes
from structkin.solve.many.variants import Variants, at, plain
from structkin.structure import KinematicStructure
from structkin.types import Flags, Floats, Indices

# --- lengths that a mechanism on its own would have made equal -----------------------------------------------------


def nearly_equal(draft: Draft, size: float, count: int) -> set[int]:
    """Return those of so many variants with distances of pins that are nearly equal, but not quite.

    Those are scaled as they are built, so that these variants are built individually.
    """
    fixed: Any = []
    varied = []
    for link in draft.links.values():
        pins = [point for point in link.points if len(draft.holders[point]) > 1]
        for a, b in combinations(pins, 2):
            distance: Any = abs(link.local[b] - link.local[a])
            if isinstance(distance, Variants):
                varied.append(distance.values[1:])
            else:
                fixed.append(distance)
    fixed = np.unique(fixed)
    if _is_near(np.diff(fixed), fixed[1:], size).any():
        return set(range(count))
    if not varied:
        return set()
    lengths = np.sort(varied, axis=0)
    near = _is_near(np.diff(lengths, axis=0), lengths[1:], size).any(axis=0)
    if len(fixed):
        above = np.searchsorted(fixed, lengths)
        for at in (above.clip(max=len(fixed) - 1), (above - 1).clip(min=0)):
            near |= _is_near(np.abs(lengths - fixed[at]), lengths, size).any(axis=0)
    return set(np.flatnonzero(near).tolist())


def _is_near(gap: Floats, length: Floats, size: float) -> Flags:
    """Return which gaps between two lengths are small, but more than rounding: with a margin for the latter."""
    return np.asarray((gap > ROUNDING_OF_FEW * size / 2) & (gap <= 2 * EQUAL_DATA * length))


# --- recording -----------------------------------------------------------------------------------------------------


class Products(Explicit):
    """A sum of products of vectors, read as complex numbers: a + b c + d e + ...

    It is the sum of `Combine`, in the same order, with a constant and factors that differ from lane to lane: their
    rates are zero.
    """

    def _sum(self, h: Values, vectors: Values) -> tuple[Any, Any]:
        x: Any = 0.0
        y: Any = 0.0
        for factor, v in zip(h[1::2], vectors, strict=True):
            x = x + (factor[0] * v[0] - factor[1] * v[1])
            y = y + (factor[1] * v[0] + factor[0] * v[1])
        return x, y

    def position(self, h: Values, root: Any) -> Values:
        """Return the sum."""
        x, y = self._sum(h, h[2::2])
        return (np.stack((x + h[0][0], y + h[0][1])),)

    def linear(self, h: Values, phi: Values, dh: Values, g: Values) -> Values:
        """Return the sum of the derivatives."""
        return (np.stack(self._sum(h, dh[2::2])) + g[0],)

    def convective(self, h: Values, phi: Values, vh: Values, vphi: Values, wh: Values, wphi: Values) -> Values:
        """Return zero: the factors do not move."""
        return (0.0,)

    def residual(self, h: Values, phi: Values) -> Values:
        """Return the unknown minus the sum."""
        return (phi[0] - self.position(h, None)[0],)


@dataclass
class ManyBuilder(PlanBuilder):
    """Builds a plan whose constants may differ between variants: `held[register]`, the mechanism's own first.

    The sketch of a register may differ too. `starts` are the coordinates of drivers in the sketches, where they differ
    (v,). `odd` are the variants that are drawn in another assembly mode than the mechanism, or singular.
    """

    starts: Mapping[str, Floats] = field(default_factory=dict)
    held: dict[int, Variants] = field(default_factory=dict)
    odd: set[int] = field(default_factory=set)

    def vector(self, expression: Affine, group: int) -> Operand:
        """Return a vector expression as an operand, as `PlanBuilder.vector` does."""
        numbers: list[Any] = [expression.const, *(factor for _, factor in expression.terms)]
        if not expression.terms or expression.is_slot or not any(isinstance(x, Variants) for x in numbers):
            return super().vector(expression, group)
        if expression not in self._combined:
            inputs: list[Operand] = [expression.const]
            for register, factor in expression.terms:
                inputs += [factor, Register(register)]
            (out,) = self.step(Products(), inputs, (expression.at(self.sketch),), group=group)
            self._combined[expression] = Register(out)
        return self._combined[expression]

    def driver(self, id: str, group: int, *, angular: bool, value: float, sign: int = 1) -> Register:
        """Return the register of a driver, as `PlanBuilder.driver` does."""
        register = super().driver(id, group, angular=angular, value=value, sign=sign)
        if id in self.starts:
            values = np.append(value, self.starts[id])
            self.sketch[register.index] = cast("complex", Variants(np.exp(1j * sign * values) if angular else values))
        return register

    def step(
        self,
        kind: Relation | General,
        inputs: Sequence[Any],
        sketch: Sequence[Any],
        *,
        group: int,
        mode: int = 1,
        scalar: bool = False,
        scalars: int = 0,
    ) -> tuple[int, ...]:
        """Record a step; an input that differs between variants becomes a register."""
        self._compare_modes(kind, inputs, sketch)
        own = [value.own if isinstance(value, Variants) else value for value in sketch]
        held = [self._hold(x) for x in inputs]
        outputs = super().step(kind, held, own, group=group, mode=mode, scalar=scalar, scalars=scalars)
        for register, value in zip(outputs, sketch, strict=True):
            self.sketch[register] = value
        return outputs

    def _compare_modes(self, kind: Relation | General, inputs: Sequence[Any], sketch: Sequence[Any]) -> None:
        """Note the variants whose sketches of a group select another mode than that of the mechanism."""
        drawn: list[Any] = [self.sketch[x.index] if isinstance(x, Register) else x for x in inputs]
        if not kind.closed_form or not any(isinstance(value, Variants) for value in (*drawn, *sketch)):
            return
        h = tuple(self._in_sketches(value, x) for value, x in zip(drawn, inputs, strict=True))
        phi = tuple(self._in_sketches(value, value) for value in sketch)
        with np.errstate(all="ignore"):
            indicator = np.asarray(kind.mode_indicator(h, phi))
        differ = (np.sign(indicator) != np.sign(indicator[0])) | ~(np.abs(indicator) > DETERMINED)
        self.odd.update((np.flatnonzero(differ) - 1).tolist())

    def _in_sketches(self, value: Any, operand: Any) -> Any:
        """Return an operand's values in all sketches, as `in_sketch` does: vectors (2, 1 + v), or numbers (1 + v,)."""
        if not isinstance(value, Variants):
            return self.in_sketch(operand)
        return np.stack((value.values.real, value.values.imag)) if value.is_complex else value.values

    def _hold(self, operand: Any) -> Operand:
        if not isinstance(operand, Variants):
            same: Operand = operand
            return same
        register = self.register(2 if operand.is_complex else 1, operand.own)
        self.held[register] = operand
        return Register(register)

    def own(self, value: Any) -> Any:
        """Return the mechanism's own numbers."""
        return at(value, 0)

    def in_sketch(self, operand: Any) -> Any:
        """Return an operand's value in the mechanism's own sketch."""
        value: Any = self.sketch[operand.index] if isinstance(operand, Register) else operand
        if not isinstance(value, Variants):
            return super().in_sketch(operand)
        own = value.own
        return np.array([[own.real], [own.imag]]) if value.is_complex else own


@dataclass(frozen=True)
class ManyPlan:
    """The plan of all variants, the registers of the values that differ, and links and joints, which may differ too.

    The registers `held`, whose values differ, are the last of the plan: a result need not keep them.

    `starts` (v,) are the coordinates of drivers in the sketches of the variants [rad or m], where these differ: laws
    with a speed begin there, also in another pose. `odd` are the variants that the plan does not cover.
    """

    plan: Plan
    held: Mapping[int, Variants]
    links: Mapping[str, Link]
    joints: Joints
    starts: Mapping[str, Floats]
    odd: frozenset[int]

    @property
    def kept(self) -> int:
        """The number of rows of the registers that steps and drivers write, the first ones."""
        return self.plan.offsets[len(self.plan.widths) - len(self.held)]

    def hold(self, lanes: Lanes, variants: Indices) -> None:
        """Write the values that differ into lanes of variants, as many for each; their rates are zero."""
        for register, numbers in self.held.items():
            rows, own = self.plan.rows(register), numbers.values[1 + variants][:, None]
            x = lanes.x[:, rows].reshape(len(lanes.x), -1, len(variants), len(lanes.status) // len(variants))
            for row, part in zip(x[0], (own.real, own.imag) if numbers.is_complex else (own,), strict=True):
                row[:] = part
            x[1:] = 0.0


@dataclass(frozen=True)
class _Varied:
    """A mechanism with varied dimensions and sketch."""

    mechanism: Mechanism
    places: Mapping[str, complex]
    links: Mapping[str, Link]
    joints: Joints

    def __getattr__(self, name: str) -> Any:
        return getattr(self.mechanism, name)


def record_many(
    mechanism: Mechanism,
    structure: KinematicStructure,
    lengths: Mapping[frozenset[str], Variants],
    points: Mapping[str, Variants],
    count: int,
    joints: Mapping[str, Mapping[str, Variants]] = MappingProxyType({}),
    kind: type[ManyBuilder] | None = None,
    *,
    exact: bool = True,
) -> ManyPlan:
    """Record the plan of a mechanism for these lengths, places of points and keys of joints of so many variants.

    Without `exact` those with nearly equal lengths, which they would make equal on their own, are not looked for.

    Raises `VariantsDiffer` where some variants would be built differently from the mechanism itself.
    """
    # Reading files imports pydantic, which is slow.
    from structkin.model.document import read_document
    from structkin.model.joints import make_joints
    from structkin.model.links import bore, make_links

    data = with_joints(mechanism.source_dict, mechanism._added)
    draft = read_document(data, mechanism._folder, mechanism.units.origin)
    # The following passes use only operations that `Variants` supports, so these replace floats.
    draft.points.update(cast("Mapping[str, complex]", points))
    draft.lengths.update(cast("Mapping[frozenset[str], float]", lengths))
    for id, keys in joints.items():
        draft.joint_entries[id] = draft.joint_entries[id].model_copy(update=dict(keys))
    make_links(draft)
    make_joints(draft)
    near = nearly_equal(draft, mechanism.size, count) if exact else set()
    bore(draft)
    # It has all that a state requires of a mechanism.
    varied = cast("Mechanism", _Varied(mechanism, draft.points, MappingProxyType(draft.links), draft.pairs))
    starts = _starts(varied, draft)
    if mechanism._pose is not None:  # where laws with a speed begin is still that of the sketches
        parts = posed_parts(varied, mechanism._pose)
        varied = cast("Mechanism", _Varied(mechanism, parts["places"], parts["links"], parts["joints"]))
    builder = (kind or ManyBuilder)(starts=starts if mechanism._pose is None else {})
    plan, held = _held_last(record_plan(varied, structure, builder), builder.held)
    return ManyPlan(plan, held, varied.links, varied.joints, starts, frozenset((builder.odd | near) - {-1}))


def _held_last(plan: Plan, held: Mapping[int, Variants]) -> tuple[Plan, dict[int, Variants]]:
    """Return a plan with its registers in another order, those that are held last, and these."""
    order = sorted(range(len(plan.widths)), key=held.__contains__)
    number = {old: new for new, old in enumerate(order)}

    def expression(own: Affine) -> Affine:
        return Affine(own.const, tuple((number[slot], factor) for slot, factor in own.terms))

    def operand(own: Operand) -> Operand:
        return Register(number[own.index]) if isinstance(own, Register) else own

    plan = replace(
        plan,
        widths=tuple(plan.widths[old] for old in order),
        steps=tuple(
            replace(
                step,
                inputs=tuple(operand(own) for own in step.inputs),
                outputs=tuple(number[register] for register in step.outputs),
            )
            for step in plan.steps
        ),
        drivers=tuple(replace(item, register=number[item.register]) for item in plan.drivers),
        frames={
            link: Frame(expression(frame.origin), expression(frame.direction)) for link, frame in plan.frames.items()
        },
        pins={pin: expression(own) for pin, own in plan.pins.items()},
        turns={link: expression(own) for link, own in plan.turns.items()},
    )
    return plan, {number[register]: own for register, own in held.items()}


def _starts(mechanism: Mechanism, draft: Draft) -> dict[str, Floats]:
    """Return the coordinates (v,) of drivers in the sketches of the variants, where these differ."""
    starts = {}
    for id, drive in mechanism.drivers.items():
        if drive.kind == "angle":
            first, second = (draft.links[link].direction for link in drive.links)
            turned = np.atleast_1d(plain(second * first.conjugate()))
            # NumPy's arc tangents of arrays may differ from those of single numbers in the last digit.
            start = np.array([phase(one) for one in turned.tolist()])
            start[start <= -np.pi] = np.pi
        elif drive.ends is not None:
            (_, near), (_, far) = drive.ends
            start = np.atleast_1d(plain(abs(draft.points[far] - draft.points[near])))
        else:
            continue  # the travel of a slide is counted from the sketch
        if len(start) > 1:
            starts[id] = start[1:]
    return starts
