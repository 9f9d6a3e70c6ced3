"""The formulas of a motion: what the group functions compute, and how its constants depend on the parameters.

Nothing is written a second time. The passes that make a plan run with `Traced` numbers, as they run with `Variants` in
`solve_many`; the steps are the traces of the group functions that kernels are made of (`structkin.kernels.tracing`,
`group_rows`). So a formula is a list of operations, which any array library can run.

`Traced` is a number of a mechanism as a formula of its parameters, so that the passes that make a plan write it down.
It is a `Variants` of three: the mechanism itself, and two with parameters next to its own, on either side. So code that
is written for numbers takes it, and what that code does with it is recorded in a `Graph`. A comparison is decided by
the mechanism's own number and kept as a condition: where other parameters would decide it differently, the plan would
be another one, and the formulas do not hold. Only where the mechanism is a special case, such as a guide through a pin,
and both its neighbours are not, their formulas are taken: they hold for it too.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from structkin.errors import InputError, Problem, raise_problems
from structkin.groups import General
from structkin.joints.cam import Cam
from structkin.joints.curve_slot import CurveSlot
from structkin.joints.geneva import Geneva
from structkin.joints.guide import Guide
from structkin.joints.turn_coupling import TurnCoupling
from structkin.kernels.group_rows import formulas
from structkin.kernels.symbols import Graph, Symbol, Term
from structkin.kernels.tracing import signature, trace
from structkin.model.mechanism import Mechanism
from structkin.numerical_tolerances import EQUAL_DATA, NUDGE
from structkin.plan.plan import Register, Step
from structkin.rows.affine import Affine
from structkin.solve.many.record import ManyPlan, record_many
from structkin.solve.many.variants import Variants, at, plain
from structkin.solve.sensitivity.parameters import Parameter, bound_together
from structkin.solve.special_geometry import compile_plan, structure_of
from structkin.solve.strokes import Stroke, strokes_of

GOLDEN = 0.5 * (1.0 + 5.0**0.5)
#: A comparison that holds: "<" or "<=", and its two terms.
Condition = tuple[str, Term, Term]

_PLAIN: Mapping[np.ufunc, Callable[[Any, Any], Any]] = {
    np.add: lambda a, b: a + b,
    np.subtract: lambda a, b: a - b,
    np.multiply: lambda a, b: a * b,
    np.divide: lambda a, b: a / b,
}
#: Comparisons, and whether their two numbers change places to make one of < and <=.
_COMPARISONS: Mapping[np.ufunc, tuple[str, bool]] = {
    np.less: ("<", False),
    np.less_equal: ("<=", False),
    np.greater: ("<", True),
    np.greater_equal: ("<=", True),
}


class UndecidedError(Exception):
    """A comparison is decided differently on the two sides of the mechanism's own numbers."""


@dataclass
class Record:
    """What is done with the parameters p0, p1, ...: the formulas, and the conditions under which they hold.

    Comparisons are conditions while the record is `open`; after that they only decide how a formula is written.
    """

    graph: Graph = field(default_factory=Graph)
    conditions: list[Condition] = field(default_factory=list)
    open: bool = True

    def parameter(self, index: int, own: float, reach: float) -> Traced:
        """Return a parameter with its own value, and the distance within which it may be changed smoothly."""
        # The steps of parameters have no common measure, so that changes do not cancel.
        step = NUDGE * reach / (1.0 + (index + 1) * GOLDEN % 1.0)
        return Traced(self, own + step * np.array([0.0, 1.0, -1.0]), self.graph.load(f"p{index}"))


class Traced(Variants):
    """A real or complex number with its values (3,), and the terms of its components.

    >>> record = Record()
    >>> x = record.parameter(0, 3.0, 3.0)
    >>> y = abs(x * x + 16.0 * 1j)
    >>> y.own, record.graph.lines([y.x])
    (18.35755975068582, ['t1 = p0 * p0', 't2 = t1 * t1', 't3 = t2 + 256.0', 't4 = sqrt(t3)'])
    >>> y > 1.0, record.conditions[0][0]
    (True, '<')
    """

    __slots__ = ("record", "x", "y")

    def __init__(self, record: Record, values: NDArray[Any], x: Term, y: Term = 0.0) -> None:
        """Hold the values and the terms; y is that of the imaginary part."""
        super().__init__(values)
        self.record, self.x, self.y = record, x, y

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **options: Any) -> Any:
        """Record an operator; decide a comparison by the own numbers."""
        terms = [_parts(value) for value in inputs]
        if ufunc is np.equal:
            # Equal are formulas, not numbers that happen to be equal.
            return all(_same(a, b) for a, b in zip(*terms, strict=True))
        if ufunc in _COMPARISONS:
            sign, swapped = _COMPARISONS[ufunc]
            holds, *beside = ufunc(*np.broadcast_arrays(*map(plain, inputs))).tolist()
            if not self.record.open:
                return holds
            if beside[0] != beside[1]:
                raise UndecidedError
            if holds == beside[0]:
                self._condition(sign, swapped, holds, *(x for x, _ in terms))
            return beside[0]
        found = _applied(ufunc, terms)
        if found is NotImplemented:
            raise TypeError(f"{ufunc.__name__} of a number that varies is not recorded")
        return _number(self.record, super().__array_ufunc__(ufunc, method, *inputs, **options).values, *found)

    def __hash__(self) -> int:
        """Return the hash of the object: equal numbers may be kept twice."""
        return id(self)

    @property
    def real(self) -> Any:
        """The real part."""
        return _number(self.record, self.values.real, self.x, 0.0)

    @property
    def imag(self) -> Any:
        """The imaginary part."""
        return _number(self.record, self.values.imag, self.y, 0.0)

    def conjugate(self) -> Any:
        """Return the conjugate number."""
        return _number(self.record, self.values.conjugate(), self.x, -self.y)

    def turned(self) -> Any:
        """Return exp(i x) of an angle x."""
        return _number(self.record, np.exp(1j * self.values), np.cos(self.x), np.sin(self.x))

    def _condition(self, sign: str, swapped: bool, holds: bool, a: Term, b: Term) -> None:
        a, b = (b, a) if swapped else (a, b)
        if not holds:
            # not a < b is b <= a
            sign, a, b = "<=" if sign == "<" else "<", b, a
        self.record.conditions.append((sign, a, b))


def parts(value: Any) -> tuple[Term, Term]:
    """Return the terms of both components of a number, a plain one too."""
    return _parts(value)


def _parts(value: Any) -> tuple[Term, Term]:
    if isinstance(value, Traced):
        return value.x, value.y
    if not isinstance(value, int | float | complex | np.number):
        raise TypeError(f"{value!r} is not a number")
    number = complex(value)
    return number.real, number.imag


def _number(record: Record, values: NDArray[Any], x: Term, y: Term) -> Any:
    """Return a number that varies, or a plain one if it does not."""
    varies = isinstance(x, Symbol) or isinstance(y, Symbol)
    return Traced(record, values, x, y) if varies else values[0].item()


def _same(a: Term, b: Term) -> bool:
    return a is b if isinstance(a, Symbol) or isinstance(b, Symbol) else bool(a == b)


def _applied(ufunc: np.ufunc, terms: list[tuple[Term, Term]]) -> Any:
    """Return the terms of an operation, as `Variants` does it; NotImplemented for others."""
    (a, b), (c, d) = terms[0], terms[-1]
    if ufunc in (np.add, np.subtract):
        return _PLAIN[ufunc](a, c), _PLAIN[ufunc](b, d)
    if ufunc is np.negative:
        return -a, -b
    if ufunc is np.multiply:
        return a * c - b * d, a * d + b * c
    if ufunc is np.divide:
        if not isinstance(d, Symbol) and d == 0:
            return a / c, b / c
        size = c * c + d * d
        return (a * c + b * d) / size, (b * c - a * d) / size
    if ufunc is np.absolute:
        return np.sqrt(a * a + b * b), 0.0
    if ufunc is np.power and c in (2, 0.5) and _same(b, 0.0):
        return (a * a if c == 2 else np.sqrt(a)), 0.0
    return NotImplemented


_OPERATORS: Mapping[str, Callable[..., Any]] = {
    "add": operator.add,
    "sub": operator.sub,
    "mul": operator.mul,
    "div": operator.truediv,
    "neg": operator.neg,
}
#: The keys of joints whose numbers may vary.
VARYING = ("axis", "radius")
#: A row of registers, or a number.
Row = int | float


@dataclass(frozen=True)
class Terms:
    """Terms of a graph with all that they need, in order."""

    wanted: tuple[Term, ...]
    needed: tuple[Symbol, ...]

    @classmethod
    def of(cls, graph: Graph, wanted: Iterable[Term]) -> Terms:
        """Return terms of a graph."""
        found = tuple(wanted)
        return cls(found, tuple(graph.below(found)))

    def at(self, values: Mapping[str, Any], xp: Any) -> list[Any]:
        """Return the terms at values of the names that they read; numbers stay numbers of Python."""
        known: dict[int, Any] = {}
        for symbol in self.needed:
            if symbol.op == "load":
                known[symbol.index] = values[symbol.args[0]]
                continue
            args = [known[a.index] if isinstance(a, Symbol) else float(a) for a in symbol.args]
            if all(type(a) is float for a in args):
                # NumPy divides by zero without an error.
                function = _OPERATORS.get(symbol.op) or getattr(np, symbol.op)
                known[symbol.index] = float(function(*map(np.float64, args)))
            else:
                function = _OPERATORS.get(symbol.op) or getattr(xp, symbol.op)
                known[symbol.index] = function(*args)
        return [known[term.index] if isinstance(term, Symbol) else float(term) for term in self.wanted]


@dataclass(frozen=True)
class Closed:
    """A step with a closed form: its inputs by name, rows of registers or numbers; `width` rows follow from `first`.

    `sign` and `mode` are those of the sketch: the first of a kind with one mode, the second of the root.
    """

    inputs: Mapping[str, Row]
    discriminant: Terms | None
    pose: Terms
    sign: int
    mode: int
    first: int
    width: int


@dataclass(frozen=True)
class Followed:
    """A general group: a step of Newton's method from a pose, which is as well its last rows.

    `step` are the pose after the step, the square of the step in parts of the size, and the determinant. `constants`
    are the numbers c0, c1, ... of the step among those of the formulas, from the first. `start` is near the pose of the
    sketch, `drawn` the pose in which the parameters are drawn, by their formulas.
    """

    inputs: Mapping[str, int]
    step: Terms
    constants: int
    count: int
    first: int
    start: tuple[float, ...]
    drawn: Terms

    @property
    def width(self) -> int:
        """The number of rows of the pose."""
        return len(self.start)


@dataclass(frozen=True)
class Formulas:
    """The formulas of a mechanism.

    `conditions` are the terms (a, b, a, b, ...) of comparisons `signs`, which hold where the formulas do. `numbers` are
    the constants that depend on parameters: first the registers `held`, row by row. `outputs` are x and y of `points`
    and `links`, then travel, least and largest travel of each of `strokes`.
    """

    rows: int
    signs: tuple[str, ...]
    conditions: Terms
    numbers: Terms
    held: tuple[int, ...]
    drivers: tuple[tuple[str, int, int], ...]
    steps: tuple[Closed | Followed, ...]
    points: tuple[str, ...]
    links: tuple[str, ...]
    strokes: tuple[str, ...]
    outputs: Terms

    @property
    def followed(self) -> tuple[Followed, ...]:
        """The general groups."""
        return tuple(step for step in self.steps if isinstance(step, Followed))


def formulas_of(mechanism: Mechanism, parameters: Sequence[Parameter]) -> Formulas:
    """Return the formulas of a mechanism; `InputError` lists the groups that have none, and why."""
    compile_plan(mechanism)  # raises what is wrong with the mechanism itself
    problems = _refused(mechanism, parameters)
    raise_problems(problems, mechanism.title)
    record = Record()
    many = _recorded(mechanism, record, parameters)
    if many is None:
        problems = [
            Problem(one.name, "there is no formula for what is made of it next to this value", "vary other numbers")
            for one in parameters
            if _recorded(mechanism, Record(), [one]) is None
        ]
        raise InputError(problems, mechanism.title)
    record.open = False
    return _Writer(mechanism, record, many).formulas()


def _refused(mechanism: Mechanism, parameters: Sequence[Parameter]) -> list[Problem]:
    structure = structure_of(mechanism)
    # The turns of gears are counted from the sketch, which other numbers than lengths may move.
    counted = any(mechanism.joints.of(kind) for kind in (TurnCoupling, Cam, Geneva, CurveSlot))
    problems = []
    for parameter in parameters:
        if parameter.section == "drivers" or (parameter.section == "joints" and parameter.path[2] not in VARYING):
            text = "is not a length, a coordinate, or the axis or radius of a joint"
            problems.append(Problem(parameter.name, text, "only these can vary"))
        elif counted and parameter.section != "lengths":
            text = "may move the sketch, from which the turns of gears, cams and wheels are counted"
            problems.append(Problem(parameter.name, text, "vary lengths"))
    if structure.over and parameters:
        problems.append(bound_together(structure))
    if mechanism._pose is not None:
        problems.append(Problem("mechanism", "is drawn in another pose than its file", "load it as the file has it"))
    return problems


def _recorded(mechanism: Mechanism, record: Record, parameters: Sequence[Parameter]) -> ManyPlan | None:
    """Return the plan with numbers that vary; None where a function needs a number, or takes another way beside it."""
    lengths: dict[frozenset[str], Any] = {}
    points: dict[str, Any] = {}
    joints: dict[str, dict[str, Any]] = {}
    for k, parameter in enumerate(parameters):
        value, name = record.parameter(k, parameter.value, parameter.reach), str(parameter.path[1])
        if parameter.section == "lengths":
            lengths[parameter.pair] = value
            record.conditions.append(("<", 0.0, value.x))
        elif parameter.section == "points":
            known = points.get(name, mechanism.places[name])
            moved = (value.values - parameter.value) * (1j if parameter.path[2] else 1)
            x, y = parts(known)
            place = (x, value.x) if parameter.path[2] else (value.x, y)
            points[name] = Traced(record, moved + plain(known), *place)
        else:
            joints.setdefault(name, {})[str(parameter.path[2])] = value.turned() if parameter.is_axis else value
    try:
        return record_many(mechanism, structure_of(mechanism), lengths, points, 2, joints)
    except (TypeError, UndecidedError):
        return None


class _Writer:
    """Writes the formulas of a recorded plan."""

    def __init__(self, mechanism: Mechanism, record: Record, many: ManyPlan) -> None:
        self.mechanism, self.record, self.many, self.plan = mechanism, record, many, many.plan
        self.numbers: list[Term] = []
        self.held: list[int] = []
        for register, number in many.held.items():
            rows = self.plan.rows(register)
            self.held += range(rows.start, rows.stop)
            self.numbers += parts(number)[: rows.stop - rows.start]

    def formulas(self) -> Formulas:
        problems: list[Problem] = []
        steps: list[Closed | Followed] = []
        for step in self.plan.steps:
            made = self._followed(step, step.kind) if isinstance(step.kind, General) else self._closed(step)
            if made is None:
                problems.append(self._refusal(step))
            else:
                steps.append(made)
        strokes = strokes_of(self.many.joints, self.mechanism.drivers, self.plan, self.mechanism.units)
        for stroke in strokes:
            if stroke.joint is not None and not isinstance(stroke.joint, Guide):
                text = "the ends of a curved slot are angles, which are counted"
                problems.append(Problem(f"joints.{stroke.id}", text, "leave out its ends"))
        if problems:
            raise InputError(list(dict.fromkeys(problems)), self.mechanism.title)
        points, links = tuple(self.mechanism.places), self.mechanism.topology.moving_links
        frames = self.plan.frames
        vectors = [*map(self._place, points), *(frames[link].direction for link in links)]
        outputs = [term for vector in vectors for term in self._vector(vector)]
        for stroke in strokes:
            outputs += self._stroke(stroke)
        graph = self.record.graph
        return Formulas(
            self.plan.offsets[-1],
            tuple(sign for sign, _, _ in self.record.conditions),
            Terms.of(graph, [term for _, a, b in self.record.conditions for term in (a, b)]),
            Terms.of(graph, self.numbers),
            tuple(self.held),
            tuple((d.driver, self.plan.offsets[d.register], d.sign * d.angular) for d in self.plan.drivers),
            tuple(steps),
            points,
            tuple(links),
            tuple(stroke.id for stroke in strokes),
            Terms.of(graph, outputs),
        )

    # --- steps ------------------------------------------------------------------------------------------------

    def _closed(self, step: Step) -> Closed | None:
        found = signature(self.plan, step)
        written = None if found is None else trace(step, found[0])
        if found is None or written is None:
            return None
        inputs: dict[str, Row] = {f"c{k}": float(value) for k, value in enumerate(found[1])}
        for j, item in enumerate(step.inputs):
            if isinstance(item, Register):
                inputs |= {f"h0_{j}_{c}": row for c, row in enumerate(self._rows(item.index))}
        discriminant = written.discriminant
        return Closed(
            inputs,
            None if discriminant is None else Terms.of(written.graph, [discriminant]),
            Terms.of(written.graph, written.orders[0]),
            step.mode if written.one_mode else 1,
            step.mode,
            self.plan.offsets[step.outputs[0]],
            len(written.orders[0]),
        )

    def _followed(self, step: Step, kind: General) -> Followed | None:
        written, drawn = formulas(kind.rows, step.known), self._sketched(step)
        if written is None or drawn is None:
            return None
        moving = [row for item in step.inputs if isinstance(item, Register) for row in self._rows(item.index)]
        first = len(self.numbers)
        self.numbers += [parts(value)[0] for value in written.constants]
        return Followed(
            {f"h{k}": row for k, row in enumerate(moving)},
            Terms.of(written.graph, [*written.corrected, written.change, written.determinant]),
            first,
            len(written.constants),
            self.plan.offsets[step.outputs[0]],
            tuple(part for number in step.start for part in (float(np.real(number)), float(np.imag(number)))),
            Terms.of(self.record.graph, [term for number in drawn for term in parts(number)]),
        )

    def _sketched(self, step: Step) -> list[Any] | None:
        """Return origin and direction in the sketch of each link that a general group solves for.

        None if it solves for places that are no link's origin: where a driver turns one link with another.
        """
        own = {
            self.plan.frames[link].origin: body for link, body in self.many.links.items() if link in self.plan.frames
        }
        origins = [Affine.slot(register) for register in step.outputs[::2]]
        if not own.keys() >= set(origins):
            return None
        bodies = [own[origin] for origin in origins]
        return [number for body in bodies for number in (body.origin, body.direction)]

    def _rows(self, register: int) -> range:
        rows = self.plan.rows(register)
        return range(rows.start, rows.stop)

    def _refusal(self, step: Step) -> Problem:
        hint = "solve it with Mechanism.solve; Motion.sensitivity has its derivatives"
        if isinstance(step.kind, General):
            text = (
                "it has no formula: it has a pin on a curve, gears, more joints than unknowns, or links turned together"
            )
        elif at(step.kind, 0) is not step.kind:
            text, hint = "a turn or a travel in it is made of the parameters", "vary other numbers"
        else:
            text = "it has no formula: a cam or a wheel moves piece by piece, or a turn is counted along the motion"
        return Problem(self.plan.structure.groups[step.group].label, text, hint)

    # --- outputs ----------------------------------------------------------------------------------------------

    def _place(self, point: str) -> Affine:
        if point in self.plan.pins:
            return self.plan.pins[point]
        link = self.mechanism.link_of(point)
        return self.plan.frames[link].point(self.many.links[link].local[point])

    def _vector(self, expression: Affine) -> tuple[Term, Term]:
        """Return the components of a vector, in the order of `Affine.components`."""
        x: Term = 0.0
        y: Term = 0.0
        for register, factor in expression.terms:
            a, b = (self.record.graph.load(f"x{row}") for row in self._rows(register))
            c, d = parts(factor)
            x, y = x + (c * a - d * b), y + (d * a + c * b)
        c, d = parts(expression.const)
        return x + c, y + d

    def _stroke(self, stroke: Stroke) -> Sequence[Term]:
        """Return travel, least and largest travel, the latter with their slack."""
        (low, _), (high, _) = map(parts, stroke.ends)
        slack = EQUAL_DATA * (high - low)
        value: Any
        if stroke.line is None or not isinstance(stroke.joint, Guide):
            value = self.record.graph.load(f"z{stroke.id}")
        else:
            (a, b), (x, y) = map(self._vector, stroke.line)
            joint = replace(stroke.joint, start=parts(stroke.joint.start)[0])
            value = joint.travel_at(a * x + b * y, a * y - b * x)
        return value, low - slack, high + slack
