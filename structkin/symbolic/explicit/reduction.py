"""Loops solved one after the other, and the equations of motion of what remains (S4, equations 10 and 11, corrected).

    vd = B_vu ud,   vdd = B_vu udd + b',   B_vu = -h_v^-1 h_u,   b' = h_v^-1 gamma
    M_red = J^T M J,   h_red = J^T (M b + h),   f_red = J^T f,   J = [I; B_vu],   b = [0; b']

gamma = -(h_u' ud + h_v' vd) is the convective part of h''. S4 prints M_red = J^T M J^T and v = H(v).
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import NoReturn

import numpy as np
import scipy.linalg
import sympy as sp

from structkin.errors import InputError, Problem
from structkin.multibody.joint import SpatialJoint
from structkin.multibody.model import JointLoad, SpatialModel, Stop
from structkin.symbolic.explicit import closures
from structkin.symbolic.explicit.forms import Form, GroundForm, PlaneForm, Steps
from structkin.symbolic.explicit.geometry import Geometry
from structkin.symbolic.explicit.kinematics import ZERO, Kinematics
from structkin.symbolic.explicit.loops import ClosedForm
from structkin.symbolic.explicit.tidy import collected
from structkin.symbolic.explicit.vectors import PlaneVector
from structkin.symbolic.tree import Tree

Step = tuple[sp.Symbol, sp.Expr, str]
NEAR = 1e-6


def refuse(model: SpatialModel, cut: tuple[SpatialJoint, ...], why: str) -> NoReturn:
    """Raise an `InputError` for loops without a closed form."""
    hint = 'use loops="multipliers", or structkin.symbolic.simulate'
    raise InputError([Problem(f"joints.{joint.name}", f"its loop: {why}", hint) for joint in cut], model.name)


@dataclass(frozen=True)
class Solved:
    """A loop, or loops that have to be solved together: their cut joints, dependent coordinates, rows, and H as steps.

    A transmission v = ratio u counts as a loop without a cut joint.

    `steps` is None where H has no closed form. `counts_turns` says whether the angles of H are continuous in u.
    """

    joints: tuple[SpatialJoint, ...]
    v: tuple[int, ...]
    rows: tuple[closures.Row, ...]
    steps: tuple[Step, ...] | None
    counts_turns: bool = True


class Partition:
    """The loops of a planar tree in an order in which each has as many unknown coordinates as equations.

    `u` are the numbers of the independent coordinates. The joints named `independent` keep theirs.
    """

    def __init__(
        self,
        model: SpatialModel,
        tree: Tree,
        geometry: Geometry,
        q: list[sp.Symbol],
        qd: list[sp.Symbol],
        independent: Sequence[str],
        ratios: Mapping[str, tuple[str, float]],
    ) -> None:
        """Find the loops; raise `InputError` for loops in space."""
        if geometry.plane is None and tree.cut:
            refuse(model, tree.cut, "loops in space have no closed form here")
        self.model, self.q, self.qd = model, q, qd
        self.symbols = geometry.symbols
        self.kin = Kinematics(model, tree, self._form(tree, geometry), q, qd)
        self.numbers = {symbol: k for k, symbol in enumerate(q)}
        joints = [joint for joint, _ in self.kin.coordinates]
        self.loops = [self._transmission(joints.index(j), joints.index(of), r) for j, (of, r) in ratios.items()]
        known = {k for k, joint in enumerate(joints) if joint in independent}
        known |= {k for loop in self.loops for k in (*loop.v, *loop.rows[0].slopes)}
        waiting = {joint: self._gap(joint) for joint in tree.cut}
        # A pin in a plane takes two freedoms. A loop that would leave more coordinates independent than there are
        # freedoms has to be solved together with others.
        freedom = len(q) - 2 * len(waiting) - len(known)
        while waiting:
            joint = min(waiting, key=lambda j: len(self._open(waiting[j], known)))
            unknown = self._open(waiting[joint], known)
            freed = len(unknown) - 2
            loop = self._closed(joint, waiting[joint], unknown) if freed <= freedom else None
            freedom -= freed
            joints_solved = (joint,) if loop else tuple(waiting)
            self.loops.append(loop or self._together(joints_solved, known))
            for done in joints_solved:
                known |= self._open(waiting.pop(done), set())
        self.u = sorted(set(range(len(q))) - {v for loop in self.loops for v in loop.v})

    def _form(self, tree: Tree, geometry: Geometry) -> Form:
        """Return the form in which loops are written; without loops it does not matter."""
        return (PlaneForm if geometry.plane is not None else GroundForm)(tree, geometry, Steps(geometry.symbols))

    def _transmission(self, v: int, u: int, ratio: float) -> Solved:
        """Return S4's transmission: the coordinate v is a multiple of u."""
        names = (self.kin.coordinates[k][0] for k in (v, u))
        symbol = self.symbols.constant(f"i_{self.q[v].name[2:]}", ratio, "1", "ratio of {} to {}".format(*names))
        row = closures.Row(self.q[v] - symbol * self.q[u], {v: sp.Integer(1), u: -symbol}, ZERO)
        return Solved((), (v,), (row,), ((self.q[v], symbol * self.q[u], "transmission"),))

    def _gap(self, joint: SpatialJoint) -> PlaneVector:
        """Return the vectors around the loop of a cut joint."""
        ends = []
        for body in joint.bodies:
            entry = self.kin.tree.of.get(body, -1)
            label = self.kin.label(entry, joint.name)
            ends.append(self.kin.point(entry, label, joint.at, f"{self.kin.form.owners[entry]} to {joint.name}"))
        gap: PlaneVector = ends[1].position - ends[0].position
        return PlaneVector({angle: size for angle, size in gap.parts.items() if size != 0})

    def _open(self, gap: PlaneVector, known: set[int]) -> set[int]:
        """Return the numbers of a loop's coordinates that are not known yet."""
        symbols = set().union(*(part.free_symbols for item in gap.parts.items() for part in item))
        return {self.numbers[s] for s in symbols if s in self.numbers} - known

    def _closed(self, joint: SpatialJoint, gap: PlaneVector, unknown: set[int]) -> Solved | None:
        """Return a loop with H in closed form; of its coordinates those furthest from the ground are dependent."""
        if joint.kind != "revolute":
            return None
        label = f"loop {joint.name}"
        for pair in combinations(sorted(unknown, reverse=True), 2):
            trial, mode = Steps(self.symbols), sp.Symbol("mode", real=True)
            form = ClosedForm(joint.name, trial, mode, self._values())
            found = form.solve(gap, (self.q[pair[0]], self.q[pair[1]]))
            if found is None:
                continue
            for sign in (1, -1):
                steps = [(k, value.subs(mode, sign), label) for k, value, _ in trial.done]
                steps += [(k, value.subs(mode, sign), label) for k, value in found.items()]
                if (drawn := self._as_drawn(steps, found)) is not None:
                    rows = tuple(closures.rows_of(self.kin, joint))
                    return Solved((joint,), pair, rows, drawn, form.counts_turns)
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
            if symbol in found:
                at = complex(values[symbol])
                turns = round(at.real / (2 * np.pi)) if symbol in turning else 0
                if abs(at - 2 * np.pi * turns) > NEAR:
                    return None
                done.append((symbol, value - 2 * sp.pi * turns, label))
            else:
                done.append((symbol, value, label))
        return tuple(done)

    def _values(self) -> dict[sp.Symbol, sp.Expr]:
        """Return the values of all parameters."""
        return {p.symbol: sp.Float(p.value) for p in self.symbols.parameters.values()}

    def _drawn(self) -> dict[sp.Symbol, sp.Expr]:
        """Return the values of all symbols in the drawn pose."""
        return self._values() | dict.fromkeys(self.q, ZERO)

    def _together(self, joints: tuple[SpatialJoint, ...], known: set[int]) -> Solved:
        """Return loops that are solved together; the dependent coordinates make h_v regular in the drawn pose."""
        rows = tuple(row for joint in joints for row in closures.rows_of(self.kin, joint))
        free = sorted({k for row in rows for k in row.slopes} - known, reverse=True)
        drawn = self._drawn()
        slopes = np.array([[float(sp.sympify(r.slopes.get(k, 0)).subs(drawn)) for k in free] for r in rows])
        pivots = scipy.linalg.qr(slopes, mode="r", pivoting=True)[1] if slopes.size else []
        rank = int(np.linalg.matrix_rank(slopes)) if slopes.size else 0
        if rank < len(rows):
            refuse(self.model, joints, "its equations depend on each other, or too few coordinates are left for them")
        return Solved(joints, tuple(sorted(free[p] for p in pivots[:rank])), rows, None)


class Reduction:
    """The steps that compute v, B_vu, vd and b' from u and ud, loop by loop; all loops have H in closed form."""

    def __init__(self, partition: Partition) -> None:
        """Define the steps; raise `InputError` if a loop has no closed form."""
        self.q, self.qd, self.u = partition.q, partition.qd, partition.u
        self.steps = Steps(partition.symbols)
        self.symbols = partition.symbols
        self.B: dict[int, dict[int, sp.Expr]] = {}
        self.b: dict[int, sp.Expr] = {}
        for loop in partition.loops:
            if loop.steps is None:
                refuse(partition.model, loop.joints, "it has no closed form for its dependent coordinates")
            self.steps.done += loop.steps or ()
            self._rates(loop)
        self._check(partition)

    def _check(self, partition: Partition) -> None:
        """Raise `InputError` for loads that need to know how often an angle has turned where u does not say so."""
        tree, coordinates = partition.kin.tree, partition.kin.coordinates
        lost = {coordinates[k] for loop in partition.loops if not loop.counts_turns for k in loop.v} & tree.turning
        problems = [
            Problem(
                f"loads.{load.name}",
                f"how often joint {load.joint} has turned depends on the past, not on the independent coordinates",
                f'keep it with independent=["{load.joint}"], or use structkin.symbolic.simulate',
            )
            for load in partition.model.loads.values()
            if (isinstance(load, Stop) or (isinstance(load, JointLoad) and load.stiffness))
            and (load.joint, load.coordinate) in lost
        ]
        if problems:
            raise InputError(problems, partition.model.name)

    def _rates(self, loop: Solved) -> None:
        """Define B_vu, vd and b' of dependent coordinates from the rows of their loop."""
        pair, rows = loop.v, loop.rows
        name = loop.joints[0].name if loop.joints else self.q[pair[0]].name[2:]
        label = f"loop {name}" if loop.joints else "transmission"
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
            rate = sum((slope * self.qd[u] for u, slope in self.B[v].items()), ZERO)
            self.steps.done.append((self.qd[v], rate, label))
        gamma = sp.Matrix(
            [
                collected(row.gamma, self.qd)
                - sum((slopes[i].get(k, ZERO) * self.b.get(k, ZERO) for k in others), ZERO)
                for i, row in enumerate(rows)
            ]
        )
        gamma = sp.Matrix([self.steps.define(f"gamma_{name}_{i + 1}", g, label) for i, g in enumerate(gamma)])
        for n, v in enumerate(pair):
            self.b[v] = self.steps.define(f"b_{names[v]}", (inverse * gamma)[n], label)

    def _column(self, slopes: list[dict[int, sp.Expr]], i: int, others: list[int], u: int) -> sp.Expr:
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
        J = sp.Matrix(size, len(self.u), lambda i, a: self._share(i, self.u[a]))
        b = sp.Matrix([self.b.get(i, ZERO) for i in range(size)])
        M = (J.T * matrix * J).applyfunc(sp.expand)
        return M, J.T * (matrix * b + h), J.T * f, [*self.steps.done, *done, *named.done]

    def _share(self, i: int, u: int) -> sp.Expr:
        """Return J_iu: how fast coordinate i moves with the independent coordinate u."""
        if i == u:
            return sp.Integer(1)
        return self.B.get(i, {}).get(u, ZERO)
