"""From the equations of a mechanism to the arrays of `memory`, and to the kinds of steps that are compiled.

Steps of a plan without a formula run in plain Python alone: their group functions are called with arrays of one lane.
Such are relations that hold a function (but not the lift of a cam), general groups with redundant joints or with cams,
and groups of users that cannot be traced. They do what the text that `source` writes for the others does.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from math import sqrt
from typing import TYPE_CHECKING, Any

import numpy as np

from structkin.dynamics.compiled.lift_step import Pieces, law_of, pieces_of
from structkin.dynamics.compiled.memory import Memory
from structkin.dynamics.compiled.reduced_at import HEAD, MANY
from structkin.dynamics.compiled.source import kind_of, plain_step
from structkin.dynamics.compiled.steps_at import follow_root
from structkin.dynamics.driver_coordinates import lines
from structkin.dynamics.load_table import LoadTable, table_of
from structkin.dynamics.reduced.partition import LIMIT, joint_coordinates
from structkin.dynamics.reduced.pose import RATE_LIMIT
from structkin.dynamics.slot_map import LONGEST
from structkin.groups import General, Turn
from structkin.kernels.group_rows import curve_of
from structkin.kernels.store import Kernel
from structkin.model.forces import AppliedMoment
from structkin.model.laws import ConstantSpeed, ExpressionLaw, ScaledLaw, TableLaw
from structkin.model.mechanism import Mechanism
from structkin.model.topology import DRIVER_KINDS
from structkin.numerical_tolerances import CLOSED, COMPLEX_STEP, DETERMINED, ITERATIONS, NARROW, SIMULATED_TURN
from structkin.plan.plan import Plan, Register, Step
from structkin.rows.affine import Affine
from structkin.rows.plane_curve import PlaneCurve
from structkin.solve.motion.turning import Turning
from structkin.solve.tracking.direct import Direct
from structkin.track.contour import POWERS
from structkin.types import Floats, Ints

if TYPE_CHECKING:
    from structkin.dynamics.equations_of_motion import EquationsOfMotion
    from structkin.dynamics.reduced.reduced_equations import Reduced


@dataclass
class Laws:
    """Laws one below the other: `form` 0 is linear, 1 a formula, 2 a table; `data` holds five numbers per line.

    >>> from structkin.model.expression import Expression
    >>> laws = Laws()
    >>> laws.add(ExpressionLaw(Expression("3 + 2*t")))
    0
    >>> [line[:2] for line in laws.data]
    [[0.0, 3.0], [0.0, 2.0], [1.0, 0.0], [4.0, 0.0], [2.0, 0.0]]
    """

    form: list[int] = field(default_factory=list)
    scale: list[float] = field(default_factory=list)
    ptr: list[int] = field(default_factory=lambda: [0])
    data: list[list[float]] = field(default_factory=list)

    def add(self, law: Any) -> int:
        """Return the number of a law."""
        scale = 1.0
        while isinstance(law, ScaledLaw):
            law, scale = law.law, scale * law.factor
        if isinstance(law, ConstantSpeed):
            form, lines = 0, [[law.start, law.speed]]
        elif isinstance(law, ExpressionLaw):
            scale *= law.scale
            form, lines = 1, [[float(code), number] for code, number in law.expression.tape]
        else:
            assert isinstance(law, TableLaw)
            # Piece by piece; the last line is the end.
            columns = np.vstack((law.pieces.x[:-1], law.pieces.c)).T
            form, lines = 2, [*columns.tolist(), [law.pieces.x[-1]]]
        self.form.append(form)
        self.scale.append(scale)
        self.data += [line + [0.0] * (5 - len(line)) for line in lines]
        self.ptr.append(len(self.data))
        return len(self.form) - 1

    def parts(self) -> dict[str, Any]:
        """Return form, scale, the first line of each law, and the lines; and the stack on which they are computed."""
        return {
            "law_form": self.form, "law_scale": self.scale, "law_ptr": self.ptr,
            "law_data": [number for line in self.data for number in line], "stack": 4 * DEEP,
        }  # fmt: skip


#: Depth of the stack on which formulas are computed.
DEEP = 128


@dataclass(frozen=True)
class Packed:
    """The arrays of a mechanism, and each step as plain Python and as a kind that can be compiled, if it can.

    `aside` are the drivers whose efforts the arrays do not hold.
    """

    mem: Memory
    functions: tuple[Callable[..., int], ...]
    kinds: tuple[Kernel | None, ...]
    aside: tuple[str, ...]


def packed(equations: Reduced) -> Packed:
    """Return the tables of a mechanism."""
    plan, mechanism = equations.plan, equations.mechanism
    found = [kind_of(plan, step) for step in plan.steps]
    kinds = tuple(None if one is None else one[0] for one in found)
    functions = tuple(
        python_step(plan, step) if kind is None else plain_step(kind.plain)
        for step, kind in zip(plan.steps, kinds, strict=True)
    )
    constants = [() if one is None else one[1] for one in found]
    prescribed = dict(equations.prescribed)
    order = (*(int(k) for k in equations.free), *prescribed)
    ids = [equations.order[k] for k in order]
    laws, table = Laws(), table_of(equations.own, equations.own.forces.loads.values())
    efforts, aside = equations.own.forces.efforts, list[str]()
    for id in efforts.keys() - set(ids):
        # Along an angle that is not a coordinate an effort is a moment between its links.
        drive = equations.own.drivers[id]
        if drive.kind == "angle":
            table.add(AppliedMoment(id, drive.links, efforts[id]))
        else:
            aside.append(id)
    for law in table.laws:
        laws.add(law)
    motion = [laws.add(prescribed[k]) if k in prescribed else -1 for k in order]
    effort = [laws.add(efforts[id]) if id in efforts else -1 for id in ids]
    f, n, free, counted = len(order), plan.offsets[-1], len(equations.free), len(equations.counted)
    steps, two = len(plan.steps), equations.poses.steps
    rows = n + len(two) if f == 1 else 0
    mem = Memory({
        "step": steps, **_steps(plan, ids, bool(counted), len(table.curves)), "two": two,
        **_filled("constants", "fixed", constants), "height": n,
        **mass_sums(plan.offsets, equations.masses), "weight": equations.weight,
        "rate_limit": _rate_limit(mechanism), "uneven": LIMIT, "aside": 1, "look": [np.inf] * steps,
        **laws.parts(), "motion": motion, "jolt": f, "effort": effort, "free": free,
        "measures": equations.lengths[list(order)],
        "distance": [mechanism.drivers[id].kind == "distance" for id in ids],
        **curve_parts([*table.curves, *(curve for step in plan.steps for curve in curves_of(step))]),
        **_loads(equations, table, ids), **_counted(equations), **_joints(equations),
        "z": 3 * f, "x": 3 * n, "K": f * n, "roots": 2 * steps, "new_roots": 2 * steps, "kept": n, "last": f,
        "turned": counted, "new_turned": counted, "old_roots": 2 * steps, "old_turned": counted, "old_kept": n,
        "old_last": f, "path": 2 * f, "load": 2 * n, "four": 4 * n, "matrix": free * free,
        "right": free, "second": free, "efforts": f, "stages": 16 * free, "past": 16 * free,
        "series": MANY * (HEAD + POWERS * rows), "powers": 3 * POWERS,
    })  # fmt: skip
    return Packed(mem, functions, kinds, tuple(aside))


def _rate_limit(mechanism: Mechanism) -> float:
    """Return the largest rate of a row by a coordinate; above it, the equations themselves check the pose."""
    return (
        RATE_LIMIT
        / 10
        * max(1.0, mechanism.size)
        / max(drive.unit(mechanism.size) for drive in mechanism.drivers.values())
    )


def _steps(plan: Plan, ids: Sequence[str], counts: bool, count: int) -> dict[str, Any]:
    """Return the steps, and what moves them; where turns are counted, poses follow each other in short steps.

    Their curves are numbered from `count` on.
    """
    rows, moved = [], []
    for step in plan.steps:
        inputs = [plan.offsets[item.index] if isinstance(item, Register) else -1 for item in step.inputs]
        if not step.kind.closed_form:
            inputs = [row for row in inputs if row >= 0]
        rows.append([*inputs, *(plan.offsets[slot] for slot in step.outputs)])
        for _ in curves_of(step):
            rows[-1].append(count)
            count += 1
        moved.append(sorted(ids.index(id) for id in plan.movers[step.outputs[0]]))
    reached: list[list[int]] = [[] for _ in ids]
    for slot, movers in enumerate(plan.movers):
        for id in movers:
            reached[ids.index(id)] += range(plan.rows(slot).start, plan.rows(slot).stop)
    moved_ptr, moved_list = _lists(moved)
    reached_ptr, reached_list = _lists(reached)
    drivers = [(plan.offsets[item.register], ids.index(item.driver), item.angular, item.sign) for item in plan.drivers]
    return {
        **_filled("rows", "operands", rows),
        "followed": counts or bool(plan.followed or plan.with_root),
        "mode": [step.mode for step in plan.steps],
        "moved_ptr": moved_ptr,
        "moved": moved_list,
        "drivers": drivers,
        "reached_ptr": reached_ptr,
        "reached": reached_list,
    }


def curves_of(step: Step) -> Sequence[PlaneCurve | Pieces]:
    """Return the curves of the pins of a general group, in the order of its rows, or the lift of a cam as one."""
    if law := law_of(step):
        return [pieces_of(law)]
    return [] if step.kind.closed_form else [curve for form in step.kind.rows.forms if (curve := curve_of(form))]


def curve_parts(curves: Sequence[PlaneCurve | Pieces]) -> dict[str, Any]:
    """Return curves as pieces and tables; see `curves_at`."""
    found, pieces, table = list[tuple[int, ...]](), list[list[float]](), list[Floats]()
    degree = max((part.polynomials.shape[1] for curve in curves for part in (curve.x, curve.y)), default=0)
    points = 0
    for curve in curves:
        first = len(pieces)
        for k, start in enumerate(curve.x.breaks[:-1].tolist()):
            parts = [
                np.concatenate((part.polynomials[k], np.zeros(degree - part.polynomials.shape[1])))
                for part in (curve.x, curve.y)
            ]
            pieces.append([start, *curve.x.waves[k], *curve.y.waves[k], *parts[0], *parts[1]])
        u, places = curve.table
        table.append(np.column_stack((u, places)))
        found.append((first, len(pieces), curve.closed, points, points + len(u)))
        points += len(u)
    return {
        "curves": found, "curve_data": pieces, "curve_degree": degree, "curve_width": 7 + 2 * degree,
        "curve_table": np.concatenate(table) if table else 0,
        "feet": [np.nan] * len(curves), "new_feet": [np.nan] * len(curves),
    }  # fmt: skip


def mass_sums(offsets: Sequence[int], parts: Sequence[tuple[float, Affine]]) -> dict[str, Any]:
    """Return moving masses as sums for `weigh`, each after a former one where it can.

    `offsets` are the first rows of the slots.
    """
    former, own = list[int](), list[Affine]()
    latest: dict[int, int] = {}  # the last sum with each slot
    for k, (_, expression) in enumerate(parts):
        shortest, after = expression, -1
        for other in {latest[slot] for slot, _ in expression.terms if slot in latest}:
            rest = expression - parts[other][1]
            if len(rest.terms) < len(shortest.terms):
                shortest, after = rest, other
        former.append(after)
        own.append(shortest)
        latest |= dict.fromkeys((slot for slot, _ in expression.terms), k)
    return affine_parts("mass", offsets, own) | {
        "mass_former": former, "mass": [size for size, _ in parts], "mass_sums": 2 * len(parts),
    }  # fmt: skip


def affine_parts(name: str, offsets: Sequence[int], expressions: Sequence[Affine]) -> dict[str, Any]:
    """Return expressions: where the terms of each begin, their rows, their factors (., 2), and the constants (e, 2).

    `offsets` are the first rows of the slots; the parts begin with a name.
    """
    ptr, flat = _lists([expression.terms for expression in expressions])
    return {
        f"{name}_ptr": ptr, f"{name}_row": [offsets[slot] for slot, _ in flat],
        f"{name}_factor": [(f.real, f.imag) for _, f in flat],
        f"{name}_const": [(one.const.real, one.const.imag) for one in expressions],
    }  # fmt: skip


def _counted(equations: Reduced) -> dict[str, Any]:
    """Return the directions of the links whose turns are counted."""
    plan, links = equations.plan, equations.mechanism.links
    directions = [plan.frames[link].direction for link in equations.counted]
    drawn = [np.angle(links[link].direction) for link in equations.counted]
    return affine_parts("counted", plan.offsets, directions) | {"drawn": drawn}


def _loads(equations: Reduced, table: LoadTable, drivers: Sequence[str]) -> dict[str, Any]:
    """Return the loads, with the turns of torsion springs as terms; `drivers` are those in the order of the arrays."""
    parts = load_parts(equations, table, equations.plan.offsets, table.expressions(equations.plan.frames))
    turns: list[list[tuple[int, int, float]]] = []
    for k, load in enumerate(table.named.get("torsions", ())):
        # The terms leave out their constant, and the turns of the links before these coordinates.
        first, second = (equations.turning[link] for link in load.links)
        before = equations.before[load.links[1]] - equations.before[load.links[0]]
        constant = second.constant - first.constant + (second.slots.const - first.slots.const).real
        parts["torsion_sizes"][k, 1] -= before + constant
        turns.append([*_turn_terms(equations, drivers, second, 1.0), *_turn_terms(equations, drivers, first, -1.0)])
    turn_ptr, terms = _lists(turns)
    return parts | {
        "turn_ptr": turn_ptr, "turn_term": [term[:2] for term in terms], "turn_factor": [term[2] for term in terms],
    }  # fmt: skip


def load_parts(
    equations: EquationsOfMotion, table: LoadTable, offsets: Sequence[int], places: Sequence[Affine]
) -> dict[str, Any]:
    """Return loads at places, which are expressions of slots whose first rows are `offsets`."""
    frictions, contacts = (table.named.get(part, ()) for part in ("frictions", "contacts"))
    return table.parts() | affine_parts("term", offsets, places) | {
        "places": 6 * len(places),
        "friction_limits": [load.limit for load in frictions], "slips": len(frictions), "touches": 2 * len(contacts),
        "met": [equations.impacts.get(load.id, np.nan) for load in contacts],
    }  # fmt: skip


def _turn_terms(
    equations: Reduced, drivers: Sequence[str], how: Turning, sign: float
) -> Iterator[tuple[int, int, float]]:
    """Yield the terms of a turn: what each is, its index, and its factor, as in `reduced_at`."""
    yield from ((0, drivers.index(driver), sign * factor) for driver, factor in how.drivers)
    yield from ((1, equations.plan.offsets[slot], sign * factor.real) for slot, factor in how.slots.terms)
    if how.counted is not None:
        yield 2, equations.counted.index(how.counted), sign


def _joints(equations: Reduced) -> dict[str, Any]:
    """Return the coordinates of joints, by kind and two expressions, and their units."""
    drives = list(joint_coordinates(equations.own).values())
    read = lines(equations.own, equations.plan.frames, drives)
    ends = [part for line in read for part in (line.first, line.second)]
    table = [(DRIVER_KINDS.index(line.kind), 2 * k, 2 * k + 1) for k, line in enumerate(read)]
    units = [drive.unit(equations.size) for drive in drives]
    return affine_parts("joint", equations.plan.offsets, ends) | {"joints": table, "joint_unit": units}


def _lists(lists: Iterable[Sequence[Any]]) -> tuple[Ints, list[Any]]:
    """Return where each list begins, and all lists concatenated."""
    lists = list(lists)
    return np.concatenate(([0], np.cumsum([len(one) for one in lists]))).astype(np.int64), [k for o in lists for k in o]


def _filled(name: str, count: str, lines: Sequence[Sequence[float]]) -> dict[str, Any]:
    """Return lines of unequal lengths as a matrix of a name, padded with zeros, and its width."""
    width = max(map(len, lines), default=0) or 1
    return {name: [[*line, *[0] * (width - len(line))] for line in lines], count: width}


# --- steps that have no formula ---------------------------------------------------------------------------------------

Run = Callable[[Any, int, int, int, float], int]


def python_step(plan: Plan, step: Step) -> Run:
    """Return the function of a step: see `structkin.dynamics.compiled.source` for what it writes and returns."""
    run = _general(plan, step, step.kind) if isinstance(step.kind, General) else _closed(plan, step)

    def quiet(mem: Any, s: int, begin: int, end: int, dt: float) -> int:
        with np.errstate(all="ignore"):
            return run(mem, s, begin, end, dt)

    return quiet


def _closed(plan: Plan, step: Step) -> Run:
    relation: Any = step.kind
    none, first = (0.0,) * 4, plan.rows(step.outputs[0]).start

    def inputs(slots: Sequence[float], *, rates: bool = False) -> tuple[Any, ...]:
        """Return the inputs in slots (rows,), as one lane; constants have no rates."""
        return plan.inputs(step, np.array(slots)[:, None], constant=not rates)

    def write(target: Any, values: Sequence[Any]) -> None:
        for slot, value in zip(step.outputs, values, strict=True):
            target[plan.rows(slot)] = np.reshape(np.broadcast_to(value, (plan.widths[slot], 1)), -1).tolist()

    def run(mem: Any, s: int, begin: int, end: int, dt: float) -> int:
        h, dh, ddh = inputs(mem.x[0]), inputs(mem.x[1], rates=True), inputs(mem.x[2], rates=True)
        root: Any = None
        found = relation.discriminant(h)
        if isinstance(relation, Turn):
            root = np.array([mem.kept[first]])
        elif found is not None and relation.modes == 1:
            if not step.mode * float(found[0]) > DETERMINED:
                return 0
            root = sqrt(step.mode * float(found[0]))
        elif found is not None:
            ahead = relation.discriminant(tuple(a + 1j * COMPLEX_STEP * b for a, b in zip(h, dh, strict=True)))
            root = follow_root(mem, s, float(found[0]), float(ahead[0].imag) / COMPLEX_STEP, dt)
            if root == 0.0:
                return 0
        phi = relation.position(h, root)
        if isinstance(relation, Turn) and not abs(phi[0] - root)[0] < LONGEST:
            return 0
        rates = relation.linear(h, phi, dh, none)
        second = relation.linear(h, phi, ddh, relation.convective(h, phi, dh, rates, dh, rates))
        for order, values in enumerate((phi, rates, second)):
            write(mem.x[order], values)
        for column in (mem.K[a] for a in mem.moved[begin:end]):
            write(column, relation.linear(h, phi, inputs(column, rates=True), none))
        return 1

    return run


def _general(plan: Plan, step: Step, form: General) -> Run:
    solver = Direct(form, step.known)
    moving = [plan.rows(item.index) for item in step.inputs if isinstance(item, Register)]
    rows = [row for part in moving for row in range(part.start, part.stop)]
    out = slice(plan.rows(step.outputs[0]).start, plan.rows(step.outputs[-1]).stop)
    links = form.rows.links
    directions = [4 * k + 2 + c for k in range(links) for c in range(2)]

    def run(mem: Any, s: int, begin: int, end: int, dt: float) -> int:
        h, d, e = (np.array([[values[row]] for row in rows]).reshape(-1, 1) for values in mem.x)
        near = np.array(mem.kept[out])[:, None]
        pose, change, (determinant,) = solver.newton(h, near, ITERATIONS)
        if not change[0] < CLOSED or not np.max(np.abs((pose - near)[directions])) < SIMULATED_TURN:
            return 0
        # Next to a pose where it is singular, Newton's method may find any branch.
        if not form.smallest_singular_value(solver.values(h), solver.phi(pose))[0] > NARROW:
            return 0
        # Beyond a pose where it is singular, the determinant has the other sign: that is another branch.
        if determinant * mem.roots[0][s] < 0:
            return 0
        mem.new_roots[0][s] = float(determinant)
        for order, part in enumerate((pose, *solver.rates(h, pose, d, e))):
            mem.x[order][out] = part[:, 0].tolist()
        columns = [mem.K[a] for a in mem.moved[begin:end]]
        if columns:
            here, there = (np.repeat(part, len(columns), axis=1) for part in (h, pose))
            along = np.array([[column[row] for column in columns] for row in rows]).reshape(-1, len(columns))
            found, _ = solver.rates(here, there, along, 0.0 * along)
            for column, values in zip(columns, found.T.tolist(), strict=True):
                column[out] = values
        return 1

    return run
