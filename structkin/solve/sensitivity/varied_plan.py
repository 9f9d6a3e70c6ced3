"""A plan whose numbers vary with parameters: the constants of its steps, and what they are at parameters nearby.

The constants of a plan are what the mechanism file makes of its numbers: half the square of a length, a point in a
link's frame, the direction of a guide, a cam's law. They depend on few numbers and in closed form. So their derivatives
are central differences of order six over the passes that make them from the file, with the step h = reach / 400:

    f' = (3/4 (f_1 - f_-1) - 3/20 (f_2 - f_-2) + 1/60 (f_3 - f_-3)) / h,    error h^6 f^(7) / 140

and good to some 1e-13. Derivatives of poses are exact from there. In a slot of lines and arcs the curvature jumps: all
variants of a pin take the piece on which the mechanism's own pin is.

As in `Mechanism.solve_many`, there are two ways to make a plan at all these values. Where its lengths, points and axes
do, all are recorded at once, with `Variants` in the place of numbers. Where there are gears, cams or curved slots, or
where the file makes other things of other values, the mechanism is built for each and the plans are laid on each other.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from types import MappingProxyType
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from structkin.errors import InputError, Problem, raise_problems
from structkin.groups import General
from structkin.groups.kind import Explicit
from structkin.joints.cam import Cam
from structkin.joints.curve_slot import CurveSlot
from structkin.joints.geneva import Geneva
from structkin.joints.guide import Guide
from structkin.joints.law_cam import LawCam
from structkin.joints.pair import Joints
from structkin.joints.sliding import Sliding
from structkin.joints.turn_coupling import TurnCoupling
from structkin.model.laws import ConstantSpeed
from structkin.model.mechanism import Mechanism
from structkin.model.numbers import drawn_places
from structkin.numerical_tolerances import ROUNDING_OF_FEW
from structkin.plan.builder import PlanBuilder
from structkin.plan.compile import DrawnSingularError, record_plan
from structkin.plan.plan import Operand, Plan, Register, Step
from structkin.plan.relations import Combine
from structkin.rows.affine import Affine, Frame
from structkin.rows.curves import Curve
from structkin.rows.equations import Equations, Form
from structkin.rows.periodic import TURN
from structkin.rows.relations import OnCurve
from structkin.rows.row import Row
from structkin.solve.many.record import ManyBuilder, Products, record_many
from structkin.solve.many.variants import Variants, VariantsDiffer, at, differing
from structkin.solve.sensitivity.parameters import Parameter, bound_together, held_lengths, varied
from structkin.solve.special_geometry import compile_plan, structure_of
from structkin.types import Floats

#: The values around a parameter, in steps of its reach over `FINE`, and their weights in its derivative.
OFFSETS, WEIGHTS, FINE = (1, -1, 2, -2, 3, -3), (3 / 4, -3 / 4, -3 / 20, 3 / 20, 1 / 60, -1 / 60), 400.0

#: A value for all variants, the mechanism's own first.
Number = Any


#: Of a guide or slot: the point in the slider's frame, origin and direction of the axes in the carrier's, the start.
Line = tuple[Any, Any, Any, Any]


@dataclass(frozen=True)
class MovedRow:
    """A part of the derivative of a group's equation by a parameter: `weight` times the row `form`."""

    parameter: int
    row: int
    weight: float
    form: Form


@dataclass(frozen=True)
class VariedStep:
    """A step of the plan of the mechanism itself; inputs that vary are `Variants`.

    `rows` are the derivatives of the equations of a general group by the parameters. `others` are the relations that
    differ: the number of the variant and the relation there. Steps of the kind `Products` form a vector of others.
    """

    kind: Any
    inputs: tuple[Any, ...]
    outputs: tuple[int, ...]
    rows: tuple[MovedRow, ...] = ()
    others: tuple[tuple[int, Any], ...] = ()

    @cached_property
    def equations(self) -> Equations:
        """The equations of `rows`."""
        return Equations([moved.form for moved in self.rows], self.kind.rows.units(), self.kind.rows.numbers)


@dataclass(frozen=True, eq=False)
class VariedPlan:
    """The steps of a plan with numbers that vary with p parameters, and the frames, points and joints.

    `own` (registers,) are the registers of the mechanism's own plan, -1 for those that this plan has in addition;
    `offsets` are the first rows of the former.
    `starts` are the drivers' coordinates in the sketch, where they vary; `laws` their laws in each variant.
    """

    parameters: tuple[Parameter, ...]
    plan: Plan
    steps: tuple[VariedStep, ...]
    own: tuple[int, ...]
    offsets: tuple[int, ...]
    frames: Mapping[str, Frame]
    pins: Mapping[str, Affine]
    local: Callable[[str, str], Number]
    line: Callable[[str], Line]
    starts: Mapping[str, Floats] = field(default_factory=dict)
    laws: Mapping[str, Mapping[int, Any]] = field(default_factory=dict)

    @cached_property
    def slopes(self) -> Mapping[int, Floats]:
        """The derivatives (p,) of the steps' constants by the parameters, by the ids of their `Variants`."""
        inputs = (item for step in self.steps for item in step.inputs)
        return {id(item): self.slope(item.values) for item in inputs if isinstance(item, Variants)}

    def slope(self, values: Any) -> Any:
        """Return derivatives by the parameters (p, ...) of values (1 + variants, ...), the mechanism's own first."""
        around = values[1:].reshape(len(self.parameters), len(OFFSETS), *values.shape[1:])
        scale = np.array([FINE / parameter.reach for parameter in self.parameters])
        return np.einsum("k,pk...->p...", WEIGHTS, around) * scale.reshape(-1, *(1,) * (values.ndim - 1))


def weight(parameters: Sequence[Parameter], variant: int) -> tuple[int, float]:
    """Return the parameter of a variant, and the weight of the variant in its derivative."""
    p, k = divmod(variant - 1, len(OFFSETS))
    return p, WEIGHTS[k] * FINE / parameters[p].reach


def _moved_rows(parameters: Sequence[Parameter], forms: Iterable[tuple[int, int, Form]]) -> tuple[MovedRow, ...]:
    """Return the derivatives of a group's rows, from the variants (number, row, form) that differ.

    A weighted sum of polynomial rows is such a row.
    """
    sums: dict[tuple[int, int], Row] = {}
    found = []
    for variant, row, form in forms:
        p, factor = weight(parameters, variant)
        if isinstance(form, Row):
            sums[p, row] = sums.get((p, row), Row()) + form.times(factor)
        else:
            found.append(MovedRow(p, row, factor, form))
    return (*found, *(MovedRow(p, row, 1.0, form) for (p, row), form in sums.items()))


_known: WeakKeyDictionary[Mechanism, dict[tuple[str, ...], VariedPlan]] = WeakKeyDictionary()
#: How many sets of parameters are kept for a mechanism.
KEPT = 8


def varied_plan(mechanism: Mechanism, parameters: Sequence[Parameter]) -> VariedPlan:
    """Return the plan of a mechanism with numbers that vary; it is kept as long as the mechanism.

    Raises `InputError` for parameters with which the mechanism cannot vary.
    """
    kept = _known.setdefault(mechanism, {})
    key = tuple(parameter.name for parameter in parameters)
    if key not in kept:
        for old in list(kept)[: 1 - KEPT]:
            del kept[old]
        kept[key] = _made(mechanism, parameters)
    return kept[key]


def _made(mechanism: Mechanism, parameters: Sequence[Parameter]) -> VariedPlan:
    structure = structure_of(mechanism)
    if structure.over and any(not (parameter.section == "drivers" or parameter.is_still) for parameter in parameters):
        raise InputError([bound_together(structure)], mechanism.title)
    joints = mechanism.joints
    alone = any(joints.of(kind) for kind in (TurnCoupling, Cam, Geneva, CurveSlot))
    if not alone and all(_is_simple(parameter) for parameter in parameters):
        try:
            return _together(mechanism, parameters)
        except VariantsDiffer:
            pass
    return _one_by_one(mechanism, parameters)


def _is_simple(parameter: Parameter) -> bool:
    return (
        parameter.section in ("lengths", "points", "drivers")
        or parameter.is_still
        or parameter.is_axis
        or parameter.path[2:] == ("radius",)
    )


# --- all at once ------------------------------------------------------------------------------------------------


class _Keeping(ManyBuilder):
    """Builds a plan in which the numbers that vary stay where they are: no register holds them."""

    def _hold(self, operand: Any) -> Any:
        return operand


def _together(mechanism: Mechanism, parameters: Sequence[Parameter]) -> VariedPlan:
    count = 1 + len(OFFSETS) * len(parameters)
    lengths: dict[frozenset[str], Variants] = {}
    points: dict[str, Variants] = {}
    joints: dict[str, dict[str, Variants]] = {}
    for p, parameter in enumerate(parameters):
        first = 1 + p * len(OFFSETS)
        change = np.zeros(count)
        change[first : first + len(OFFSETS)] = np.array(OFFSETS) * (parameter.reach / FINE)
        section, name = str(parameter.path[0]), str(parameter.path[1])
        if section == "lengths":
            lengths[parameter.pair] = Variants(parameter.value + change)
        elif section == "points":
            known = points.get(name, Variants(np.full(count, drawn_places(mechanism)[name])))
            points[name] = known + change * (1j if parameter.path[2] else 1)
        elif section == "joints":
            values = parameter.value + change
            keys = joints.setdefault(name, {})
            keys[str(parameter.path[2])] = Variants(np.exp(1j * values) if parameter.is_axis else values)
    # Lengths that are nearly equal are different beside these values: that they are made equal has no derivative.
    many = record_many(mechanism, structure_of(mechanism), lengths, points, count - 1, joints, _Keeping, exact=False)
    own = compile_plan(mechanism)
    where = [-1] * len(many.plan.widths)
    drivers = {(item.driver, item.sign, item.angular): item.register for item in own.drivers}
    for item in many.plan.drivers:
        where[item.register] = drivers[item.driver, item.sign, item.angular]
    for register, there in _same_registers(own, many.plan):
        where[register] = there
    steps = [_recorded(parameters, step) for step in many.plan.steps]
    starts = {id: np.append(np.nan, _beside(mechanism, id, values)) for id, values in many.starts.items()}
    return VariedPlan(
        tuple(parameters), many.plan, tuple(steps), tuple(where), own.offsets, many.plan.frames, many.plan.pins,
        lambda link, point: many.links[link].local[point],
        lambda joint: _line(many.joints.of(Sliding)[joint]),
        {id: z for id, z in starts.items() if isinstance(mechanism.drivers[id].law, ConstantSpeed)},
        _laws(mechanism, parameters),
    )  # fmt: skip


def _same_registers(own: Plan, many: Plan) -> Iterator[tuple[int, int]]:
    """Yield the registers of a plan of variants that the mechanism's own plan has, and those there."""
    # Two explicit steps that are one at the mechanism's own values may be two beside them: all are evaluated anew then.
    for left_out in (Combine | Products, Explicit):
        steps = [[step for step in plan.steps if not isinstance(step.kind, left_out)] for plan in (many, own)]
        if len(steps[0]) == len(steps[1]):
            break
    for step, other in zip(*steps, strict=True):
        yield from zip(step.outputs, other.outputs, strict=True)


def _recorded(parameters: Sequence[Parameter], step: Step) -> VariedStep:
    if isinstance(step.kind, Combine):
        return VariedStep(Products(), operands(_affine_of(step)), step.outputs)
    if isinstance(step.kind, General):
        forms = step.kind.rows.forms
        differ = ((k, row, at(form, k)) for row, form in enumerate(forms) for k in sorted(differing(form)))
        return VariedStep(at(step.kind, 0), step.inputs, step.outputs, _moved_rows(parameters, differ))
    return VariedStep(step.kind, step.inputs, step.outputs)


def _affine_of(step: Step) -> Affine:
    """Return the vector that a step adds up."""
    assert isinstance(step.kind, Combine)
    slots = (item.index for item in step.inputs if isinstance(item, Register))
    return Affine(step.kind.const, tuple(zip(slots, step.kind.factors, strict=True)))


def operands(expression: Affine) -> tuple[Any, ...]:
    """Return the inputs of `Products` that gives a vector."""
    found: list[Any] = [expression.const]
    for slot, factor in expression.terms:
        found += [factor, Register(slot)]
    return tuple(found)


def _laws(mechanism: Mechanism, parameters: Sequence[Parameter]) -> dict[str, dict[int, Any]]:
    """Return the laws of the drivers, by variant, where a parameter is a number of the driver."""
    found: dict[str, dict[int, Any]] = {}
    for p, parameter in enumerate(parameters):
        if parameter.section == "drivers":
            id = str(parameter.path[1])
            for k, variant in enumerate(variants_beside(mechanism, parameter, parameters), 1 + p * len(OFFSETS)):
                found.setdefault(id, {})[k] = variant.drivers[id].law
    return found


# --- one by one -------------------------------------------------------------------------------------------------


def variants_beside(mechanism: Mechanism, parameter: Parameter, parameters: Sequence[Parameter]) -> list[Mechanism]:
    """Return the mechanism with the values around a parameter; `InputError` says which parameter cannot vary.

    The other lengths among the parameters are held.
    """
    if parameter.is_still:
        return [mechanism] * len(OFFSETS)
    step = parameter.reach / FINE
    lengths = held_lengths(parameters)
    try:
        values = [parameter.value + k * step for k in OFFSETS]
        return [_counted(mechanism, varied(mechanism, {**lengths, parameter: value})) for value in values]
    except InputError as error:
        problems = [Problem(parameter.name, f"cannot vary alone: {problem}") for problem in error.problems]
        raise InputError(problems, mechanism.title) from None


def _one_by_one(mechanism: Mechanism, parameters: Sequence[Parameter]) -> VariedPlan:
    mechanisms = [mechanism]
    problems: list[Problem] = []
    for parameter in parameters:
        try:
            mechanisms += variants_beside(mechanism, parameter, parameters)
        except InputError as error:
            problems += error.problems
    raise_problems(problems, mechanism.title)
    first = _Alike()
    plans = [_plan(mechanism, mechanism, first)]
    plans += [_plan(variant, mechanism, _Alike(first.phases, first.vectors)) for variant in mechanisms[1:]]
    own = plans[0]
    for k, plan in enumerate(plans[1:]):
        if not _is_alike(own, plan):
            name = parameters[k // len(OFFSETS)].name
            message, hint = "its equations have another form next to this value", "start a little beside it"
            raise InputError([Problem(name, message, hint)], mechanism.title)
    steps = tuple(_laid(parameters, steps) for steps in zip(*(plan.steps for plan in plans), strict=True))
    frames = {
        link: Frame(
            _affine([plan.frames[link].origin for plan in plans]),
            _affine([plan.frames[link].direction for plan in plans]),
        )
        for link in own.frames
    }
    pins = {pin: _affine([plan.pins[pin] for plan in plans]) for pin in own.pins}
    moving = [id for id, drive in mechanism.drivers.items() if drive.law is not None]
    laws = {id: {k: variant.drivers[id].law for k, variant in enumerate(mechanisms) if k} for id in moving}
    return VariedPlan(
        tuple(parameters), own, steps, tuple(range(len(own.widths))), own.offsets, frames, pins,
        lambda link, point: _number([variant.links[link].local[point] for variant in mechanisms]),
        lambda joint: _laid_line([_line(variant.joints.of(Sliding)[joint]) for variant in mechanisms]),
        {}, laws,
    )  # fmt: skip


def _counted(mechanism: Mechanism, variant: Mechanism) -> Mechanism:
    """Return a variant whose drivers, cams and Geneva wheels count their turns as those of the mechanism do."""
    drivers, joints = {}, dict(variant.joints)
    for id, drive in variant.drivers.items():
        law, own_law = drive.law, mechanism.drivers[id].law
        if drive.kind == "angle" and isinstance(law, ConstantSpeed) and isinstance(own_law, ConstantSpeed):
            # In another pose it still begins in the sketch.
            law = replace(law, start=float(_near(law.start, own_law.start)))
        drivers[id] = replace(drive, start=float(_beside(mechanism, id, drive.start)), law=law)
    for id, own in mechanism.joints.items():
        joint = joints[id]
        if isinstance(joint, Geneva) and isinstance(own, Geneva):
            joints[id] = replace(joint, phase=_near(joint.phase, own.phase))
        elif isinstance(joint, LawCam) and isinstance(own, LawCam) and own.moves.hinge is not None:
            shift = _near(joint.follow.shift, own.follow.shift)
            joints[id] = replace(joint, follow=replace(joint.follow, shift=shift))
    return variant.with_parts({"drivers": MappingProxyType(drivers), "joints": Joints(joints.values())})


def _beside(mechanism: Mechanism, id: str, starts: Any) -> Any:
    """Return the starts of a driver in variants, an angle beside its own."""
    drive = mechanism.drivers[id]
    return _near(starts, drive.start) if drive.kind == "angle" else starts


def _near(angles: Any, own: float) -> Any:
    """Return angles of variants beside that of the mechanism: where it is pi, one of theirs may be written as -pi."""
    return angles - TURN * np.round((angles - own) / TURN)


class _Alike(PlanBuilder):
    """A builder that writes a vector as a new one, or as one that is known, where the first plan does.

    Of vectors that are equal in the first plan, rounding may tell one apart from the other, and not for other numbers.
    Angles are counted beside the first ones.
    """

    def __init__(self, phases: dict[tuple[str, str], float] | None = None, vectors: Sequence[Operand] = ()) -> None:
        super().__init__(phases={} if phases is None else phases)
        #: The vectors that were asked for, in order, and those of the first plan that have not been asked for.
        self.vectors: list[Operand] = []
        self._ahead = list(reversed(vectors))

    def vector(self, expression: Affine, group: int) -> Operand:
        """Return a vector expression as an operand, as `PlanBuilder.vector` does."""
        found = self._as_first(expression, group, self._ahead.pop() if self._ahead else None)
        self.vectors.append(found)
        return found

    def _as_first(self, expression: Affine, group: int, first: Operand | None) -> Operand:
        if isinstance(first, Register) and expression.terms:
            if first.index == len(self.sketch):
                found = self._combined[expression] = self.combine(expression, group)
                return found
            parts = [expression.const, *(factor * self.sketch[k] for k, factor in expression.terms)]
            if abs(sum(parts) - self.sketch[first.index]) <= ROUNDING_OF_FEW * sum(map(abs, parts)):
                return first
        return super().vector(expression, group)


def _plan(variant: Mechanism, mechanism: Mechanism, builder: PlanBuilder) -> Plan:
    """Return the plan of a variant."""
    try:
        return record_plan(variant, structure_of(mechanism), builder)
    except DrawnSingularError as error:
        return error.plan


def _is_alike(one: Plan, other: Plan) -> bool:
    """Return whether two plans have the same steps, apart from their numbers."""
    return (
        one.widths == other.widths
        and len(one.steps) == len(other.steps)
        and all(_form(a) == _form(b) for a, b in zip(one.steps, other.steps, strict=True))
    )


def _form(step: Step) -> tuple[Any, ...]:
    if isinstance(step.kind, Combine):
        return Combine, step.outputs  # a term may vanish, or come in another order
    inputs = tuple(item if isinstance(item, Register) else type(item) for item in step.inputs)
    count = step.kind.rows.count if isinstance(step.kind, General) else 0
    return type(step.kind), count, inputs, step.outputs


def _laid(parameters: Sequence[Parameter], steps: Sequence[Step]) -> VariedStep:
    """Return the same step of all variants as one."""
    own = steps[0]
    kind = own.kind
    if isinstance(kind, Combine):
        sums = [_affine_of(step) for step in steps]
        return VariedStep(Products(), operands(_affine(sums)), own.outputs)
    inputs = zip(*(step.inputs for step in steps), strict=True)
    known = tuple(item[0] if isinstance(item[0], Register) else _number(item) for item in inputs)
    if isinstance(kind, General):
        differ = (
            (k, row, _on_pieces_of(mine, form))
            for k, step in enumerate(steps)
            if isinstance(step.kind, General)
            for row, (form, mine) in enumerate(zip(step.kind.rows.forms, kind.rows.forms, strict=True))
            if form != mine
        )
        return VariedStep(kind, known, own.outputs, _moved_rows(parameters, differ))
    others = tuple((k, step.kind) for k, step in enumerate(steps) if vars(step.kind) and step.kind != kind)
    return VariedStep(kind, known, own.outputs, (), others)


def _on_pieces_of(mine: Form, form: Form) -> Form:
    """Return the equation of a variant; that of a pin on a curve takes the pieces on which the mechanism's own pin is.

    Where curvatures jump, distances are smooth functions of the dimensions only if all are those from one piece.
    """
    if not (isinstance(mine, Curve) and isinstance(form, Curve)):
        return form
    own, other = mine.relation, form.relation
    if not (isinstance(own, OnCurve) and isinstance(other, OnCurve)):
        return form
    if len(own.curve.x.breaks) != len(other.curve.x.breaks):
        return form
    return Curve(OnCurve(other.curve, own.curve), (*form.vectors, *mine.vectors))


def _line(joint: Sliding) -> Line:
    return joint.point, *joint.axes, joint.start if isinstance(joint, Guide) else 0.0


def _laid_line(lines: Sequence[Line]) -> Line:
    point, origin, unit, start = (_number(values) for values in zip(*lines, strict=True))
    return point, origin, unit, start


def _number(values: Sequence[Any]) -> Number:
    """Return the number of all variants."""
    return values[0] if all(value == values[0] for value in values) else Variants(np.array(values))


def _affine(expressions: Sequence[Affine]) -> Affine:
    """Return the expression of all variants as one."""
    terms = [dict(expression.terms) for expression in expressions]
    slots = dict.fromkeys(slot for each in terms for slot in each)
    factors = tuple((slot, _number([each.get(slot, 0j) for each in terms])) for slot in slots)
    return Affine(_number([expression.const for expression in expressions]), factors)
