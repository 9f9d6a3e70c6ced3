"""Recording the plan of many variants: values that differ between them become registers with known values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any, cast

import numpy as np

from structkin.groups import General, Relation
from structkin.groups.kind import Array, Explicit, Values, times
from structkin.joints.pair import Joints
from structkin.model.assemble import with_joints
from structkin.model.draft import Draft
from structkin.model.mechanism import Mechanism
from structkin.model.parts import Link
from structkin.plan.builder import PlanBuilder
from structkin.plan.compile import record_plan
from structkin.plan.plan import Operand, Plan, Register
from structkin.rows.affine import Affine
from structkin.solve.engine import Lanes
from structkin.solve.many.variants import Variants, plain
from structkin.structure import KinematicStructure
from structkin.types import Floats, Indices


class Products(Explicit):
    """A sum of products of vectors, read as complex numbers: a + b c + d e + ...

    It is the sum of `Combine` with factors that differ from lane to lane.
    """

    def _sum(self, h: Values) -> Array:
        total: Any = h[0]
        for factor, v in zip(h[1::2], h[2::2], strict=True):
            total = total + times(factor, v)
        found: Array = total
        return found

    def position(self, h: Values, root: Any) -> Values:
        """Return the sum."""
        return (self._sum(h),)

    def linear(self, h: Values, phi: Values, dh: Values, g: Values) -> Values:
        """Return the sum of the derivatives."""
        total = dh[0] + g[0]
        for k in range(1, len(h), 2):
            total = total + times(dh[k], h[k + 1]) + times(h[k], dh[k + 1])
        return (total,)

    def convective(self, h: Values, phi: Values, vh: Values, vphi: Values, wh: Values, wphi: Values) -> Values:
        """Return the mixed products."""
        pairs = [times(vh[k], wh[k + 1]) + times(wh[k], vh[k + 1]) for k in range(1, len(h), 2)]
        return (sum(pairs[1:], start=pairs[0]),)

    def residual(self, h: Values, phi: Values) -> Values:
        """Return the unknown minus the sum."""
        return (phi[0] - self._sum(h),)


@dataclass
class ManyBuilder(PlanBuilder):
    """Builds a plan whose constants may differ between variants: `held[register]`, the mechanism's own first."""

    held: dict[int, Variants] = field(default_factory=dict)

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
        own = [value.own if isinstance(value, Variants) else value for value in sketch]
        held = [self._hold(x) for x in inputs]
        return super().step(kind, held, own, group=group, mode=mode, scalar=scalar, scalars=scalars)

    def _hold(self, operand: Any) -> Operand:
        if not isinstance(operand, Variants):
            same: Operand = operand
            return same
        register = self.register(2 if operand.is_complex else 1, operand.own)
        self.held[register] = operand
        return Register(register)

    def in_sketch(self, operand: Any) -> Any:
        """Return an operand's value in the mechanism's own sketch."""
        return super().in_sketch(operand.own if isinstance(operand, Variants) else operand)


@dataclass(frozen=True)
class ManyPlan:
    """The plan of all variants, the registers of the values that differ, and links and joints, which may differ too.

    `starts` (v,) are the coordinates of drivers in the sketches of the variants [rad or m], where these differ.
    """

    plan: Plan
    held: Mapping[int, Variants]
    links: Mapping[str, Link]
    joints: Joints
    starts: Mapping[str, Floats]

    def hold(self, lanes: Lanes, variants: Indices) -> None:
        """Write the values that differ into lanes (n,) that each belong to one variant; their rates are zero."""
        for register, numbers in self.held.items():
            rows, own = self.plan.rows(register), numbers.values[1:][variants]
            lanes.x[0, rows] = (own.real, own.imag) if numbers.is_complex else own
            lanes.x[1:, rows] = 0.0


@dataclass(frozen=True)
class _Varied:
    """A mechanism with varied dimensions; the sketch, which picks the assembly modes, is its own."""

    mechanism: Mechanism
    links: Mapping[str, Link]
    joints: Joints

    def __getattr__(self, name: str) -> Any:
        return getattr(self.mechanism, name)


def record_many(
    mechanism: Mechanism,
    structure: KinematicStructure,
    lengths: Mapping[frozenset[str], Variants],
    points: Mapping[str, Variants],
    joints: Mapping[str, Mapping[str, Variants]] = MappingProxyType({}),
    builder: ManyBuilder | None = None,
) -> ManyPlan:
    """Record the plan of a mechanism for these lengths, places of points and keys of joints.

    Raises `VariantsDiffer` where some variants would be built differently from the mechanism itself.
    """
    # Reading files imports pydantic, which is slow.
    from structkin.model.document import read_document
    from structkin.model.joints import make_joints
    from structkin.model.links import make_links

    draft = read_document(with_joints(mechanism.source_dict, mechanism._added), mechanism._folder)
    # The following passes use only operations that `Variants` supports, so these replace floats.
    draft.points.update(cast("Mapping[str, complex]", points))
    draft.lengths.update(cast("Mapping[frozenset[str], float]", lengths))
    for id, keys in joints.items():
        draft.joint_entries[id] = draft.joint_entries[id].model_copy(update=dict(keys))
    make_links(draft)
    make_joints(draft)
    links = {name: replace(link, local=draft.links[name].local) for name, link in mechanism.links.items()}
    # It has all that a state requires of a mechanism.
    varied = cast(
        "Mechanism",
        _Varied(
            mechanism,
            MappingProxyType(links),
            draft.pairs,
        ),
    )
    builder = builder or ManyBuilder()
    plan = record_plan(varied, structure, builder)
    return ManyPlan(
        plan, builder.held, links, draft.pairs, {} if mechanism._pose is not None else _starts(varied, draft)
    )


def _starts(mechanism: Mechanism, draft: Draft) -> dict[str, Floats]:
    """Return the coordinates (v,) of drivers in the sketches of the variants, where these differ."""
    starts = {}
    for id, drive in mechanism.drivers.items():
        if drive.kind == "angle":
            first, second = (draft.links[link].direction for link in drive.links)
            turned = plain(second * first.conjugate())
            start = np.where(np.angle(turned) <= -np.pi, np.pi, np.angle(turned))
        elif drive.ends is not None:
            (_, near), (_, far) = drive.ends
            start = np.abs(plain(draft.points[far] - draft.points[near]))
        else:
            continue  # the travel of a slide is counted from the sketch
        if np.ndim(start):
            starts[id] = start[1:]
    return starts
