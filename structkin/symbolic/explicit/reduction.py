"""Loops solved one after the other, and the equations of motion of what remains (S4, equations 10 and 11, corrected).

    vd = B_vu ud,   vdd = B_vu udd + b',   B_vu = -h_v^-1 h_u,   b' = h_v^-1 gamma
    M_red = J^T M J,   h_red = J^T (M b + h),   f_red = J^T f,   J = [I; B_vu],   b = [0; b']

gamma = -(h_u' ud + h_v' vd) is the convective part of h''. S4 prints M_red = J^T M J^T and v = H(v).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from types import MappingProxyType
from typing import TYPE_CHECKING, NoReturn

import numpy as np
import scipy.linalg
import sympy as sp

from structkin.errors import InputError, Problem
from structkin.model.parts import Law
from structkin.multibody.joint import SpatialJoint
from structkin.multibody.model import JointLoad, SpatialModel, Stop
from structkin.numerical_tolerances import SAME_POSE
from structkin.symbolic.explicit import closures
from structkin.symbolic.explicit.forms import Form, GroundForm, PlaneForm, PlaneVector, Steps
from structkin.symbolic.explicit.geometry import Geometry
from structkin.symbolic.explicit.kinematics import ZERO, Kinematics
from structkin.symbolic.explicit.loops import ClosedForm
from structkin.symbolic.explicit.parameters import collected, expression_of, t
from structkin.symbolic.tree import Tree

if TYPE_CHECKING:
    from structkin.symbolic.explicit.own import ExplicitLoop

Step = tuple[sp.Symbol, sp.Expr, str]
#: The rows of each cut joint, and the numbers of the coordinates of its loop.
Waiting = Mapping[SpatialJoint, tuple[tuple[closures.Row, ...], set[int]]]


@dataclass(frozen=True)
class Drive:
    """The coordinate of a driver: the slide of a prismatic joint [m], else the angle from one body to another [rad].

    It is `law` less its value at time 0, where the coordinates are 0; without a law it is independent.
    """

    bodies: tuple[str, str]
    joint: str | None
    law: Law | None


def refuse(model: SpatialModel, cut: tuple[SpatialJoint, ...], why: str) -> NoReturn:
    """Raise an `InputError` for loops without a closed form."""
    hint = 'use loops="auto" or "multipliers", or structkin.symbolic.simulate'
    raise InputError([Problem(f"joints.{joint.name}", f"its loop: {why}", hint) for joint in cut], model.name)


@dataclass(frozen=True, eq=False)
class Solved:
    """A loop, or loops that have to be solved together: their cut joints, dependent coordinates, rows, and H as steps.

    A transmission v = ratio u and a driver v = law(t) count as loops without a cut joint; `label` says what it is.
    `steps` is None where H has no closed form. `counts_turns` says whether the angles of H are continuous in u.
    """

    joints: tuple[SpatialJoint, ...]
    v: tuple[int, ...]
    rows: tuple[closures.Row, ...]
    steps: tuple[Step, ...] | None
    label: str = ""
    counts_turns: bool = True


class Partition:
    """The loops of a planar tree in an order in which each has as many unknown coordinates as equations.

    The joints named `independent` keep their coordinates, and so do drivers without a law. Loops in space have no H but
    those `solved` by their user. With `loops="explicit"` they are refused, as are loops whose equations depend on each
    other.
    """

    def __init__(
        self,
        model: SpatialModel,
        tree: Tree,
        geometry: Geometry,
        q: list[sp.Symbol],
        qd: list[sp.Symbol],
        independent: Collection[str],
        ratios: Mapping[str, tuple[str, float]],
        drives: Mapping[str, Drive] = MappingProxyType({}),
        solved: Sequence[ExplicitLoop] = (),
        loops: str = "explicit",
    ) -> None:
        """Find the loops; raise `InputError` for those that are refused."""
        self.model, self.q, self.qd, self.strict = model, q, qd, loops == "explicit"
        self.symbols, self.plane, self.size = geometry.symbols, geometry.plane, geometry.size
        self.kin = Kinematics(model, tree, self._form(tree, geometry), q, qd)
        self.numbers = {symbol: k for k, symbol in enumerate(q)}
        joints = [joint for joint, _ in self.kin.coordinates]
        self.loops = [self._transmission(joints.index(j), joints.index(of), r) for j, (of, r) in ratios.items()]
        known = {k for k, joint in enumerate(joints) if joint in independent}
        free = [self._turning(drive) for drive in drives.values() if drive.law is None and not independent]
        known |= {max(self._of(angle)) for angle in free if self._of(angle)}
        self.loops += [self._driven(id, drive, known) for id, drive in drives.items() if drive.law is not None]
        known |= {k for loop in self.loops for k in (*loop.v, *loop.rows[0].slopes)}
        mine = [loop.solved(self) for loop in solved]
        given = {joint for loop in mine for joint in loop.joints}
        others = tuple(joint for joint in tree.cut if joint not in given)
        if others and (self.plane is None or loops == "multipliers"):
            if self.strict:
                refuse(model, others, "loops in space have no closed form here")
            self.loops += [*mine, Solved(others, (), (), None)]
            return
        waiting = {joint: self._unknown(joint) for joint in others}
        freedom = len(q) - len(known)
        freedom -= sum(len(rows) for rows, _ in waiting.values()) + sum(len(loop.v) for loop in mine)
        while waiting or mine:
            group = self._group(waiting, known, freedom)
            freed = self._freed(group, waiting, known)
            needs = {loop: {*loop.rows[0].slopes} - {*loop.v} - known for loop in mine}
            first = min(mine, key=lambda loop: len(needs[loop]), default=None)
            if first is not None and (not group or len(needs[first]) <= freed):
                mine.remove(first)
                loop, freed, found = first, len(needs[first]), {*first.rows[0].slopes, *first.v}
            else:
                closed = self._closed(group[0], waiting[group[0]][1] - known) if len(group) == 1 else None
                loop = closed or self._together(group, waiting, known)
                found = set[int]().union(*(waiting.pop(joint)[1] for joint in group))
            self.loops.append(loop)
            freedom, known = freedom - freed, known | found

    def _unknown(self, joint: SpatialJoint) -> tuple[tuple[closures.Row, ...], set[int]]:
        """Return the rows of a cut joint, and the numbers of the coordinates of its loop."""
        rows = tuple(closures.rows_of(self.kin, joint))
        if joint.kind != "revolute":
            return rows, {k for row in rows for k in row.slopes}
        return rows, self._of(sp.Tuple(*(part for item in self._gap(joint).parts.items() for part in item)))

    def _of(self, value: sp.Basic) -> set[int]:
        """Return the numbers of the coordinates in an expression."""
        return {self.numbers[s] for s in value.free_symbols if s in self.numbers}

    def _freed(self, group: Iterable[SpatialJoint], waiting: Waiting, known: set[int]) -> int:
        """Return how many coordinates some loops leave independent."""
        parts = [waiting[joint] for joint in group]
        return len(set[int]().union(*(found for _, found in parts)) - known) - sum(len(rows) for rows, _ in parts)

    def _group(self, waiting: Waiting, known: set[int], freedom: int) -> tuple[SpatialJoint, ...]:
        """Return the loops to solve next: one, or two or three together, else all that are left.

        A group that would leave more coordinates independent than there are freedoms has to be solved with others.
        """
        for size in range(1, min(3, len(waiting)) + 1):
            best = min(combinations(waiting, size), key=lambda group: self._freed(group, waiting, known))
            if self._freed(best, waiting, known) <= freedom:
                return best
        return tuple(waiting)

    def _form(self, tree: Tree, geometry: Geometry) -> Form:
        """Return the form in which loops are written; without loops it does not matter."""
        return (PlaneForm if geometry.plane is not None else GroundForm)(tree, geometry, Steps(geometry.symbols))

    def _transmission(self, v: int, u: int, ratio: float) -> Solved:
        """Return S4's transmission: the coordinate v is a multiple of u."""
        names = (self.kin.coordinates[k][0] for k in (v, u))
        symbol = self.symbols.constant(f"i_{self.q[v].name[2:]}", ratio, "1", "ratio of {} to {}".format(*names))
        row = closures.Row(self.q[v] - symbol * self.q[u], {v: sp.Integer(1), u: -symbol}, ZERO)
        return Solved((), (v,), (row,), ((self.q[v], symbol * self.q[u], "transmission"),), "transmission")

    def _turning(self, drive: Drive) -> sp.Expr:
        """Return the coordinate of a driver as a sum of coordinates of the tree."""
        if drive.joint and (slide := (drive.joint, 0)) not in self.kin.tree.turning:
            return self.q[self.kin.number[slide]]
        first, second = (self.kin.form.angle[self.kin.tree.of.get(body, -1)] for body in drive.bodies)
        return sp.expand(second - first)

    def _driven(self, id: str, drive: Drive, taken: Collection[int]) -> Solved:
        """Return the law of a driver as a loop: v = law(t), less the other coordinates that it adds to."""
        assert drive.law is not None
        angle, label = self._turning(drive), f"driver {id}"
        before = {k for loop in self.loops for k in loop.v} | {*taken}
        open_ones = self._of(angle) - before
        if not open_ones:
            raise InputError([Problem(f"drivers.{id}", "moves no coordinate of its own", "drive another one")])
        v = max(open_ones)
        law = expression_of(drive.law, f"drivers.{id}").rewrite(sp.Piecewise)
        value = angle - (law - law.subs(t, 0))
        slopes = {k: angle.coeff(self.q[k]) for k in sorted(self._of(angle))}
        row = closures.Row(value, slopes, law.diff(t, 2), law.diff(t))
        return Solved((), (v,), (row,), ((self.q[v], self.q[v] - value / slopes[v], label),), label)

    def _gap(self, joint: SpatialJoint) -> PlaneVector:
        """Return the vectors around the loop of a cut joint."""
        ends = []
        for body in joint.bodies:
            entry = self.kin.tree.of.get(body, -1)
            label = self.kin.label(entry, joint.name)
            ends.append(self.kin.point(entry, label, joint.at, f"{self.kin.form.owners[entry]} to {joint.name}"))
        gap: PlaneVector = ends[1].position - ends[0].position
        return PlaneVector({angle: size for angle, size in gap.parts.items() if size != 0})

    def _closed(self, joint: SpatialJoint, unknown: set[int]) -> Solved | None:
        """Return a loop with H in closed form; of its coordinates those furthest from the ground are dependent."""
        if joint.kind != "revolute":
            return None
        gap = self._gap(joint)
        label = f"loop {joint.name}"
        for pair in combinations(sorted(unknown, reverse=True), 2):
            trial, mode = Steps(self.symbols), sp.Symbol("mode", real=True)
            form = ClosedForm(joint.name, trial, mode, self.values())
            found = form.solve(gap, (self.q[pair[0]], self.q[pair[1]]))
            if found is None:
                continue
            for sign in (1, -1):
                steps = [(k, value.subs(mode, sign), label) for k, value, _ in trial.done]
                steps += [(k, value.subs(mode, sign), label) for k, value in found.items()]
                if (drawn := self._as_drawn(steps, found)) is not None:
                    rows = tuple(closures.rows_of(self.kin, joint))
                    return Solved((joint,), pair, rows, drawn, label, form.counts_turns)
        return None

    def _as_drawn(self, steps: list[Step], found: Collection[sp.Symbol]) -> tuple[Step, ...] | None:
        """Return the steps with the coordinates found less the turns that they have in the drawn pose.

        None if they are not those of the drawn pose, where all coordinates are 0.
        """
        values = self._drawn()
        turning = {q for q, c in zip(self.q, self.kin.coordinates, strict=True) if c in self.kin.tree.turning}
        done = []
        for symbol, value, label in steps:
            values[symbol] = value.subs(values).evalf()
            if not values[symbol].is_finite:
                return None
            if symbol in found:
                at = complex(values[symbol])
                turns = round(at.real / (2 * np.pi)) if symbol in turning else 0
                if abs(at - 2 * np.pi * turns) > SAME_POSE:
                    return None
                done.append((symbol, value - 2 * sp.pi * turns, label))
            else:
                done.append((symbol, value, label))
        return tuple(done)

    def values(self) -> dict[sp.Symbol, sp.Expr]:
        """Return the values of all parameters."""
        return {p.symbol: sp.Float(p.value) for p in self.symbols.parameters.values()}

    def _drawn(self) -> dict[sp.Symbol, sp.Expr]:
        """Return the values of all symbols in the drawn pose."""
        return self.values() | dict.fromkeys(self.q, ZERO)

    def _together(
        self,
        joints: tuple[SpatialJoint, ...],
        waiting: Waiting,
        known: set[int],
    ) -> Solved:
        """Return loops that are solved together; the dependent coordinates make h_v regular in the drawn pose."""
        rows = tuple(row for joint in joints for row in waiting[joint][0])
        free = sorted({k for row in rows for k in row.slopes} - known, reverse=True)
        drawn = self._drawn()
        slopes = np.array([[float(sp.sympify(r.slopes.get(k, 0)).subs(drawn)) for k in free] for r in rows])
        pivots = scipy.linalg.qr(slopes, mode="r", pivoting=True)[1] if slopes.size else []
        rank = int(np.linalg.matrix_rank(slopes)) if slopes.size else 0
        if rank < len(rows) and self.strict:
            refuse(self.model, joints, "its equations depend on each other, or too few coordinates are left for them")
        return Solved(joints, tuple(sorted(free[p] for p in pivots[:rank])), rows, None)


class Reduction:
    """The steps that compute v, B_vu, vd and b' from u and ud, loop by loop.

    vd = B_vu ud + c: only laws of drivers have a part c. Loops without H in closed form are refused if the partition is
    strict; else their joints are `left` to multipliers, and their coordinates stay among u.
    """

    def __init__(self, partition: Partition) -> None:
        """Define the steps; raise `InputError` for loops and loads that are refused."""
        self.q, self.qd = partition.q, partition.qd
        self.steps = Steps(partition.symbols)
        self.symbols = partition.symbols
        self.B: dict[int, dict[int, sp.Expr]] = {}
        self.b: dict[int, sp.Expr] = {}
        self.c: dict[int, sp.Expr] = {}
        self.left: list[SpatialJoint] = []
        turned = self._turned(partition)
        for loop in partition.loops:
            unsure = not loop.counts_turns and not turned.isdisjoint(loop.v)
            if loop.steps is not None and (partition.strict or not unsure):
                self.steps.done += loop.steps
                self._rates(loop)
            elif partition.strict:
                refuse(partition.model, loop.joints, "it has no closed form for its dependent coordinates")
            else:
                self.left += loop.joints
        self.u = sorted(set(range(len(self.q))) - set(self.B))

    def _turned(self, partition: Partition) -> set[int]:
        """Return the numbers of the angles of which loads need to know how often they have turned.

        Raises `InputError`, if the partition is strict, where u does not say so.
        """
        tree, number = partition.kin.tree, partition.kin.number
        loads = [
            load
            for load in partition.model.loads.values()
            if isinstance(load, Stop) or (isinstance(load, JointLoad) and load.stiffness)
        ]
        lost = {k for loop in partition.loops if not loop.counts_turns for k in loop.v}
        problems = [
            Problem(
                f"loads.{load.name}",
                f"how often joint {load.joint} has turned depends on the past, not on the independent coordinates",
                f'keep it with independent=["{load.joint}"], or use structkin.symbolic.simulate',
            )
            for load in loads
            if (load.joint, load.coordinate) in tree.turning and number[load.joint, load.coordinate] in lost
        ]
        if problems and partition.strict:
            raise InputError(problems, partition.model.name)
        return {number[load.joint, load.coordinate] for load in loads if (load.joint, load.coordinate) in tree.turning}

    def _rates(self, loop: Solved) -> None:
        """Define B_vu, vd and b' of dependent coordinates from the rows of their loop."""
        pair, rows = loop.v, loop.rows
        name = loop.joints[0].name if loop.joints else self.q[pair[0]].name[2:]
        label = loop.label
        slopes = [{k: collected(s, []) for k, s in row.slopes.items()} for row in rows]
        names = [s.name[2:] for s in self.q]
        h_v = sp.zeros(len(pair), len(pair))
        for i in range(len(pair)):
            for n, v in enumerate(pair):
                slope = slopes[i].get(v, ZERO)
                h_v[i, n] = self.steps.define(f"h_{name}_{i + 1}_{names[v]}", slope, label)
        det = self.steps.define(f"det_{name}", h_v.det(), label)
        inverse = h_v.adjugate() / det
        others = sorted({k for row in slopes for k, value in row.items() if value != 0} - set(pair))
        independent = sorted({k for k in others if k not in self.B} | {u for k in others for u in self.B.get(k, {})})
        columns = {}
        for u in independent:
            h_u = sp.Matrix([self._column(slopes, i, others, u) for i in range(len(pair))])
            columns[u] = -inverse * h_u
        for n, v in enumerate(pair):
            several = len(independent) > 1
            self.B[v] = {
                u: self.steps.define(f"B_{names[v]}_{names[u]}" if several else f"B_{names[v]}", column[n], label)
                for u, column in columns.items()
            }
            drift = (inverse * self._less(sp.Matrix([row.drift for row in rows]), slopes, others, self.c))[n]
            self.c[v] = self.steps.define(f"c_{names[v]}", drift, label)
            rate = sum((slope * self.qd[u] for u, slope in self.B[v].items()), self.c[v])
            self.steps.done.append((self.qd[v], rate, label))
        gamma = sp.Matrix([collected(row.gamma, self.qd) for row in rows])
        gamma = self._less(gamma, slopes, others, self.b)
        gamma = sp.Matrix([self.steps.define(f"gamma_{name}_{i + 1}", g, label) for i, g in enumerate(gamma)])
        for n, v in enumerate(pair):
            self.b[v] = self.steps.define(f"b_{names[v]}", (inverse * gamma)[n], label)

    def _less(
        self, values: sp.Matrix, slopes: list[dict[int, sp.Expr]], others: Collection[int], known: dict[int, sp.Expr]
    ) -> sp.Matrix:
        """Return the right sides of rows less what other coordinates take of them."""
        taken = [sum((row.get(k, ZERO) * known.get(k, ZERO) for k in others), ZERO) for row in slopes]
        return values - sp.Matrix(taken)

    def _column(self, slopes: list[dict[int, sp.Expr]], i: int, others: Iterable[int], u: int) -> sp.Expr:
        """Return the slope of row i along an independent coordinate, through what depends on it already."""
        total = ZERO
        for k in others:
            share = sp.Integer(1) if k == u else self.B.get(k, {}).get(u, ZERO)
            total += slopes[i].get(k, ZERO) * share
        return total

    def reduced(
        self, M: sp.Matrix, h: sp.Matrix, f: sp.Matrix, done: list[Step]
    ) -> tuple[sp.Matrix, sp.Matrix, sp.Matrix, list[Step]]:
        """Return M_red, h_red, f_red and all steps; the entries of M, h and f are steps of their own."""
        names = [s.name[2:] for s in self.q]
        size = len(names)
        named = Steps(self.symbols)
        matrix = sp.zeros(size, size)
        for i in range(size):
            for j in range(i, size):
                matrix[i, j] = matrix[j, i] = named.define(f"M_{names[i]}_{names[j]}", M[i, j], "tree")
        h, f = (
            sp.Matrix([named.define(f"{letter}_{names[i]}", column[i], "tree") for i in range(size)])
            for letter, column in (("h", h), ("f", f))
        )
        J, b = self._J(), self._b()
        M = (J.T * matrix * J).applyfunc(sp.expand)
        return M, J.T * (matrix * b + h), J.T * f, [*self.steps.done, *done, *named.done]

    def closed(self, W: sp.Matrix, gamma: sp.Matrix) -> tuple[sp.Matrix, sp.Matrix]:
        """Return W_red = J^T W and gamma_red = gamma - W^T b of the loops left to multipliers."""
        return self._J().T * W, gamma - W.T * self._b()

    def _J(self) -> sp.Matrix:
        return sp.Matrix(len(self.q), len(self.u), lambda i, a: self._share(i, self.u[a]))

    def _b(self) -> sp.Matrix:
        return sp.Matrix([self.b.get(i, ZERO) for i in range(len(self.q))])

    def _share(self, i: int, u: int) -> sp.Expr:
        """Return J_iu: how fast coordinate i moves with the independent coordinate u."""
        if i == u:
            return sp.Integer(1)
        return self.B.get(i, {}).get(u, ZERO)
