"""From the equations of a mechanism to the arrays of `tables`, and to the kinds of steps that are compiled."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from structkin.dynamics.compiled import layout
from structkin.dynamics.compiled.formulas import Laws, UnknownError
from structkin.dynamics.compiled.modules import Kind, kind_of
from structkin.dynamics.compiled.series_at import HEAD, MANY
from structkin.dynamics.reduced.equations import STEEP, Reduced
from structkin.dynamics.reduced.partition import LIMIT, joint_coordinates, lines
from structkin.joints.guide import Guide
from structkin.kinematics.motion.turning import Turning
from structkin.kinematics.plan import Plan, Slot
from structkin.model.forces import AppliedForce, AppliedMoment, Friction, Spring, Torsion
from structkin.model.mechanism import GROUND, Mechanism
from structkin.model.parts import Drive
from structkin.rows.affine import FIXED, Affine, Frame
from structkin.track.contour import POWERS

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

#: Places of the stack that formulas are computed on.
DEEP = 128


@dataclass(frozen=True)
class Packed:
    """The two arrays of a mechanism, the kind of each step, and its coordinates in the order of the arrays."""

    I: Ints
    D: Floats
    kinds: tuple[Kind, ...]
    order: tuple[int, ...]

    def part(self, number: int, *shape: int) -> Any:
        """Return a part of the arrays, as a view."""
        found = layout.ints(self.I, number) if number < layout.CONSTANTS else layout.numbers(self.I, self.D, number)
        return found.reshape(shape) if shape else found


def _laid_out(parts: Mapping[str, Any]) -> tuple[Ints, Floats]:
    """Return all parts, by the names of `layout`, in the two arrays; a number is the length of a part of zeros."""
    names = sorted(parts, key=lambda name: int(getattr(layout, name)))
    assert [getattr(layout, name) for name in names] == list(range(layout.PARTS))
    flat = [np.zeros(part) if isinstance(part, int) else np.asarray(part).ravel() for part in parts.values()]
    sizes = dict(zip(parts, map(len, flat), strict=True))
    values = dict(zip(parts, flat, strict=True))
    whole, real = names[: layout.CONSTANTS], names[layout.CONSTANTS :]
    head = []
    for group, first in ((whole, 2 * layout.PARTS), (real, 0)):
        places = np.cumsum([first, *(sizes[name] for name in group)])
        for name, place in zip(group, places.tolist(), strict=False):
            head += [place, sizes[name]]
    integers = np.concatenate([np.array(head), *(values[name] for name in whole)]).astype(np.int64)
    return integers, np.concatenate([values[name] for name in real]).astype(np.float64)


def packed(equations: Reduced) -> Packed | None:
    """Return the tables of a mechanism; None where a step or a load has no compiled form."""
    plan, mechanism = equations.plan, equations.mechanism
    if equations.users:
        return None
    found = [kind_of(plan, step) for step in plan.steps]
    kinds = tuple(one[0] for one in found if one is not None)
    constants = [one[1] for one in found if one is not None]
    if len(kinds) < len(found):
        return None
    prescribed = dict(equations.prescribed)
    order = (*(int(k) for k in equations.free), *prescribed)
    ids = [equations.order[k] for k in order]
    laws, loads = Laws(), _Loads(equations, ids)
    try:
        motion = [laws.add(prescribed[k]) if k in prescribed else -1 for k in order]
        efforts = equations.own.forces.efforts
        for id in efforts.keys() - set(ids):
            loads.effort(equations.own.drives[id], laws.add(efforts[id]))
        effort = [laws.add(efforts[id]) if id in efforts else -1 for id in ids]
        for load in mechanism.forces.loads.values():
            loads.add(load, laws)
    except UnknownError:
        return None
    form, scale, ptr, data = laws.arrays()
    parts: dict[str, Any] = {
        "STEP": len(plan.steps),
        "FREE": [len(equations.free)],
        **_steps(plan, ids, bool(equations.counted)),
        "CONSTANTS": _filled(constants, np.float64),
        **_masses(equations),
        "STEEP": [_steep(mechanism)],
        **{"LAW_FORM": form, "LAW_SCALE": scale, "LAW_PTR": ptr, "LAW_DATA": data},
        **{"MOTION": motion, "EFFORT": effort},
        **loads.arrays(),
        **_counted(equations),
        **_joints(equations),
    }
    f, n, steps, free, counted = len(order), plan.offsets[-1], len(plan.steps), len(equations.free), equations.counted
    parts |= {"COUNT": 1, "KNOWN": 1, "Z": 3 * f, "X": 3 * n, "K": f * n, "ROOTS": 2 * steps, "CLOCK": 1}
    parts |= {"NEW_ROOTS": 2 * steps, "TURNED": len(counted), "NEW_TURNED": len(counted), "LOAD": 2 * n}
    parts |= {"PLACES": 6 * len(loads.expressions), "MATRIX": free * free, "RIGHT": free, "STACK": 3 * DEEP}
    two = equations.poses.steps
    rows = n + len(two) if f == 1 else 0
    parts |= {"TWO": two, "SMOOTH": 1, "LAST": f, "SECOND": free, "LOOK": [np.inf] * steps, "KEPT": n, "ASIDE": 1}
    parts |= {"UNEVEN": [LIMIT]}
    parts |= {"MEASURES": equations.lengths[list(order)], "SERIES": MANY * (HEAD + POWERS * rows), "POWERS": 3 * POWERS}
    parts |= {"ENERGY": 4, "EFFORTS": f, "STAGES": 16 * free, "PAST": 16 * free}
    return Packed(*_laid_out(parts), kinds, order)


def _steep(mechanism: Mechanism) -> float:
    """Return the rate of a row that a coordinate may give; beyond, the equations themselves look at the pose."""
    places = np.array(list(mechanism.points.values()))
    size = float(np.ptp(places.real) + np.ptp(places.imag)) or 1.0
    return (
        STEEP / 10 * max(1.0, size) / max(1.0 if drive.kind == "angle" else size for drive in mechanism.drives.values())
    )


def _steps(plan: Plan, ids: Sequence[str], counts: bool) -> dict[str, Any]:
    """Return the steps, and what moves them; where turns are counted, poses follow each other in short ways."""
    rows, moved = [], []
    for step in plan.steps:
        inputs = [plan.offsets[item.index] if isinstance(item, Slot) else -1 for item in step.inputs]
        if not step.kind.closed_form:
            inputs = [row for row in inputs if row >= 0]
        rows.append([*inputs, *(plan.offsets[slot] for slot in step.outputs)])
        moved.append(sorted(ids.index(id) for id in plan.movers[step.outputs[0]]))
    reached: list[list[int]] = [[] for _ in ids]
    for slot, movers in enumerate(plan.movers):
        for id in movers:
            reached[ids.index(id)] += range(plan.rows(slot).start, plan.rows(slot).stop)
    moved_ptr, moved_list = _lists(moved)
    reached_ptr, reached_list = _lists(reached)
    drivers = [(plan.offsets[item.slot], ids.index(item.driver), item.angular, item.sign) for item in plan.drivers]
    return {
        "ROWS": _filled(rows, np.int64),
        "FOLLOWED": [counts or bool(plan.followed or plan.with_root)],
        "MODE": np.array([step.mode for step in plan.steps], np.int64),
        "MOVED_PTR": moved_ptr,
        "MOVED": np.array(moved_list, np.int64),
        "DRIVERS": np.array(drivers, np.int64).reshape(-1, 4),
        "REACHED_PTR": reached_ptr,
        "REACHED": np.array(reached_list, np.int64),
    }


def _masses(equations: Reduced) -> dict[str, Ints | Floats]:
    """Return the constant mass matrix of the rows, and their weights.

    With a point c + sum f_j s_j, its square of the rate is the sum over j, k of s_j'.(conj(f_j) f_k s_k').
    """
    plan = equations.plan
    n = plan.offsets[-1]
    entries: list[tuple[int, int, float]] = []
    weight = np.zeros(n)
    gravity = equations.mechanism.forces.gravity
    for body in equations.bodies:
        frame = plan.frames[body.link]
        for size, expression in ((body.mass, frame.point(body.center)), (body.inertia, frame.direction)):
            for j, f in expression.terms:
                for k, g in expression.terms:
                    row, column, both = plan.offsets[j], plan.offsets[k], size * f.conjugate() * g
                    entries += [(row, column, both.real), (row, column + 1, -both.imag)]
                    entries += [(row + 1, column, both.imag), (row + 1, column + 1, both.real)]
        for j, f in frame.point(body.center).terms:
            pull = body.mass * gravity * f.conjugate()
            weight[plan.offsets[j] : plan.offsets[j] + 2] += pull.real, pull.imag
    places, values = [entry[:2] for entry in entries], [entry[2] for entry in entries]
    from scipy import sparse

    matrix = sparse.coo_matrix((values, np.array(places, np.int64).reshape(-1, 2).T), shape=(n, n)).tocsr()
    matrix.eliminate_zeros()
    return {
        "MASS_PTR": matrix.indptr.astype(np.int64),
        "MASS_ROW": matrix.indices.astype(np.int64),
        "MASS": matrix.data.astype(np.float64),
        "WEIGHT": weight,
    }


def _terms(plan: Plan, expressions: Iterable[Affine]) -> tuple[Ints, Ints, Floats, Floats]:
    """Return expressions: where the terms of each begin, their rows, their factors (., 2), and the constants (e, 2)."""
    expressions = list(expressions)
    ptr, flat = _lists([expression.terms for expression in expressions])
    rows = np.array([plan.offsets[slot] for slot, _ in flat], np.int64)
    factors = np.array([(f.real, f.imag) for _, f in flat], np.float64).reshape(-1, 2)
    return ptr, rows, factors, np.array([(e.const.real, e.const.imag) for e in expressions], np.float64).reshape(-1, 2)


def _counted(equations: Reduced) -> dict[str, Ints | Floats]:
    """Return the directions of the links whose turns are counted."""
    plan, links = equations.plan, equations.mechanism.links
    ptr, rows, factors, constants = _terms(plan, [plan.frames[link].direction for link in equations.counted])
    drawn = np.array([np.angle(links[link].direction) for link in equations.counted], np.float64)
    return {
        "COUNTED_PTR": ptr,
        "COUNTED_ROW": rows,
        "COUNTED_FACTOR": factors,
        "COUNTED_CONST": constants,
        "DRAWN": drawn,
    }


@dataclass
class _Loads:
    """Loads as indices of expressions; `drivers` are those in the order of the arrays."""

    equations: Reduced
    drivers: Sequence[str]
    expressions: dict[Affine, int] = field(default_factory=dict)
    lines: dict[str, list[tuple[float, ...]]] = field(default_factory=dict)
    turns: list[list[tuple[int, int, float]]] = field(default_factory=list)

    def add(self, load: Any, laws: Laws) -> None:
        """Take in a load; `UnknownError` where it is of another kind."""
        known: Mapping[type, Callable[[Any, Laws], None]] = {
            Spring: self._spring,
            Torsion: self._torsion,
            AppliedForce: self._push,
            AppliedMoment: self._moment,
            Friction: self._friction,
        }
        if type(load) not in known:
            raise UnknownError(type(load).__name__)
        known[type(load)](load, laws)

    def _index(self, expression: Affine) -> int:
        return self.expressions.setdefault(expression, len(self.expressions))

    def _frame(self, link: str) -> Frame:
        return FIXED if link == GROUND else self.equations.plan.frames[link]

    def _point(self, link: str, place: complex) -> int:
        return self._index(self._frame(link).point(place))

    def _direction(self, link: str) -> int:
        return self._index(self._frame(link).direction)

    def _line(self, name: str, *numbers: float) -> None:
        self.lines.setdefault(name, []).append(numbers)

    def _spring(self, load: Spring, laws: Laws) -> None:
        ends = [self._point(link, self.equations.own.links[link].local[point]) for link, point in load.ends]
        self._line("SPRINGS", *ends, -1 if load.actuator is None else laws.add(load.actuator))
        self._line("SPRING_SIZES", load.stiffness, load.free_length, load.damping)

    def _torsion(self, load: Torsion, laws: Laws) -> None:
        ends = map(self._direction, load.links)
        self._line("TORSIONS", *ends, -1 if load.actuator is None else laws.add(load.actuator))
        # The angle is that of the sketch and a sum of terms, which leaves out their constant.
        first, second = (self.equations.turning[link] for link in load.links)
        before = self.equations.before[load.links[1]] - self.equations.before[load.links[0]]
        links = [self.equations.own.links[link] for link in load.links]
        drawn = float(np.angle(links[1].direction / links[0].direction)) + before
        constant = second.constant - first.constant + (second.slots.const - first.slots.const).real
        self._line("TORSION_SIZES", load.stiffness, load.free_angle - drawn - constant, load.damping)
        self.turns.append([*self._turn_terms(second, 1.0), *self._turn_terms(first, -1.0)])

    def _turn_terms(self, how: Turning, sign: float) -> Iterator[tuple[int, int, float]]:
        """Yield the terms of a turn: what each is, its index, and its factor, as in `turns_at`."""
        yield from ((0, self.drivers.index(driver), sign * factor) for driver, factor in how.drivers)
        yield from ((1, self.equations.plan.offsets[slot], sign * factor.real) for slot, factor in how.slots.terms)
        if how.counted is not None:
            yield 2, self.equations.counted.index(how.counted), sign

    def _push(self, load: AppliedForce, laws: Laws) -> None:
        direction = self._direction(load.link) if load.local else -1
        self._line("PUSHES", self._point(load.link, load.place), direction, laws.add(load.x), laws.add(load.y))

    def _moment(self, load: AppliedMoment, laws: Laws) -> None:
        self._line("MOMENTS", *map(self._direction, load.links), laws.add(load.size))

    def _friction(self, load: Friction, laws: Laws) -> None:
        guide = self.equations.own.joints.of(Guide).get(load.joint)
        if guide is None:
            self._line("FRICTIONS", *map(self._direction, load.links), -1)
            self._line("FRICTION_SIZES", load.limit, load.transition, 1.0, 0.0)
            return
        carrier = self._point(guide.carrier, 0j), self._direction(guide.carrier)
        self._line("FRICTIONS", *carrier, self._point(guide.slider, guide.point))
        self._line("FRICTION_SIZES", load.limit, load.transition, guide.direction.real, guide.direction.imag)

    def effort(self, drive: Drive, law: int) -> None:
        """Take in an effort along a driver that is no coordinate; `UnknownError` where that is no turn of links."""
        if drive.kind != "angle":
            raise UnknownError(drive.kind)
        self._line("MOMENTS", *map(self._direction, drive.links), law)

    def arrays(self) -> dict[str, Ints | Floats]:
        """Return expressions and loads."""
        ptr, rows, factors, constants = _terms(self.equations.plan, self.expressions)
        found: dict[str, Ints | Floats] = {"CONST": constants, "TERM_PTR": ptr, "TERM_ROW": rows, "FACTOR": factors}
        terms = [term for one in self.turns for term in one]
        found["TURN_PTR"] = np.cumsum([0, *map(len, self.turns)]).astype(np.int64)
        found["TURN_TERM"] = np.array([term[:2] for term in terms], np.int64).reshape(-1, 2)
        found["TURN_FACTOR"] = np.array([term[2] for term in terms], np.float64)
        widths = {"SPRINGS": 3, "TORSIONS": 3, "PUSHES": 4, "MOMENTS": 3, "FRICTIONS": 3}
        for name, width in widths.items():
            found[name] = np.array(self.lines.get(name, []), np.int64).reshape(-1, width)
        for name, width in {"SPRING_SIZES": 3, "TORSION_SIZES": 3, "FRICTION_SIZES": 4}.items():
            found[name] = np.array(self.lines.get(name, []), np.float64).reshape(-1, width)
        return found


def _joints(equations: Reduced) -> dict[str, Any]:
    """Return the coordinates of joints, by kind and two expressions, and their units."""
    drives = list(joint_coordinates(equations.own).values())
    read = lines(equations.own, equations.plan, drives)
    ptr, rows, factors, const = _terms(equations.plan, [part for line in read for part in (line.first, line.second)])
    kinds = ("angle", "slide", "distance")
    table = [(kinds.index(line.kind), 2 * k, 2 * k + 1) for k, line in enumerate(read)]
    units = [1.0 if drive.kind == "angle" else equations.size for drive in drives]
    return {
        "JOINTS": np.array(table, np.int64).reshape(-1, 3), "JOINT_PTR": ptr, "JOINT_ROW": rows,
        "JOINT_CONST": const, "JOINT_FACTOR": factors, "JOINT_UNIT": np.array(units, np.float64),
    }  # fmt: skip


def _lists(lists: Iterable[Sequence[Any]]) -> tuple[Ints, list[Any]]:
    """Return where each of some lists begins, and all of them one behind the other."""
    lists = list(lists)
    return np.concatenate(([0], np.cumsum([len(one) for one in lists]))).astype(np.int64), [k for o in lists for k in o]


def _filled(lines: Sequence[Sequence[float]], dtype: Any) -> Any:
    """Return lines of unequal lengths as a matrix, zeros behind them."""
    width = max(map(len, lines), default=0)
    return np.array([[*line, *[0] * (width - len(line))] for line in lines], dtype).reshape(len(lines), width)
