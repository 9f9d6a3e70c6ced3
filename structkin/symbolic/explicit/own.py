"""Loops solved by formulas of one's own: S4's interface for a new kinematic loop, checked against the cut joints."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import sympy as sp

from structkin.errors import InputError, Problem, raise_problems
from structkin.numerical_tolerances import EQUATIONS_HOLD, RANK
from structkin.symbolic.explicit import closures

if TYPE_CHECKING:
    from structkin.symbolic.explicit.reduction import Partition, Solved

#: Where the equations are tried, off the drawn pose.
OFF = 0.02


@dataclass(frozen=True, eq=False)
class ExplicitLoop:
    """A loop with v = H(u), v' = B_vu u' and v'' = B_vu u'' + b' from formulas of one's own (S4, equation 10).

    `cut` names the joint at which the loop is cut, or several; `u` and `v` the joints whose coordinates it needs and
    gives, or (joint, number) where a joint has several, counted from 0. Angles are in rad, slides in m, all 0 in the
    drawn pose. `H(u)` takes the symbols of u in a tuple and returns the expressions of v. `B_vu(u, v)` returns rows
    (v, u), `b(u, v, ud, vd)` the expressions of b' (v,); what is not given is derived from H.

    >>> import sympy as sp
    >>> loop = ExplicitLoop(cut="C", u=["A"], v=["B", "D"], H=lambda u: (-u[0], u[0]))  # a parallelogram
    """

    cut: str | Sequence[str]
    u: Sequence[str | tuple[str, int]]
    v: Sequence[str | tuple[str, int]]
    H: Callable[[Any], Sequence[Any]]
    B_vu: Callable[[Any, Any], Sequence[Sequence[Any]]] | None = None
    b: Callable[[Any, Any, Any, Any], Sequence[Any]] | None = None

    def solved(self, partition: Partition) -> Solved:
        """Return it as a loop of the partition; raise `InputError` if its formulas do not close the cut joints."""
        from structkin.symbolic.explicit.reduction import Solved

        cut = [self.cut] if isinstance(self.cut, str) else list(self.cut)
        key = f"solved.{', '.join(cut)}"
        joints = tuple(joint for joint in partition.kin.tree.cut if joint.name in cut)
        at, problems = {}, []
        if missing := set(cut) - {joint.name for joint in joints}:
            named = ", ".join(sorted(missing))
            problems.append(Problem(key, f"{named}: no joint at which a loop is cut", "mark it with cut = true"))
        for name in (*self.u, *self.v):
            coordinate = (name, 0) if isinstance(name, str) else (name[0], name[1])
            if coordinate not in partition.kin.number or coordinate in at:
                known = ", ".join(dict.fromkeys(joint for joint, _ in partition.kin.coordinates))
                what = "is named twice" if coordinate in at else "is no coordinate of the tree"
                problems.append(Problem(key, f"{coordinate[0]}, {coordinate[1]}: {what}", f"joints: {known}"))
            else:
                at[coordinate] = partition.kin.number[coordinate]
        raise_problems(problems, partition.model.name)
        numbers = list(at.values())
        u, v = numbers[: len(self.u)], numbers[len(self.u) :]
        symbols = [tuple(of[k] for k in part) for of in (partition.q, partition.qd) for part in (u, v)]
        values, B, b = self._formulas(*symbols)
        problem = _fault(partition, joints, (u, v), (values, B, b), symbols, self._sources())
        if problem is not None:
            raise InputError([Problem(key, *problem)], partition.model.name)
        rows = tuple(
            closures.Row(partition.q[k] - values[i], {k: sp.Integer(1), **{m: -B[i, j] for j, m in enumerate(u)}}, b[i])
            for i, k in enumerate(v)
        )
        label = f"loop {', '.join(cut)}"
        steps = tuple((partition.q[k], value, label) for k, value in zip(v, values, strict=True))
        return Solved(joints, tuple(v), rows, steps, label)

    def _sources(self) -> list[str]:
        """Return what H, B_vu and b' come from."""
        return ["H", "H" if self.B_vu is None else "B_vu", "H" if self.b is None else "b"]

    def _formulas(self, u: Any, v: Any, ud: Any, vd: Any) -> tuple[sp.Matrix, sp.Matrix, sp.Matrix]:
        """Return H (v, 1), B_vu (v, u) and b' (v, 1) as expressions."""
        H, rates = sp.Matrix([sp.sympify(value) for value in self.H(u)]), sp.Matrix(len(ud), 1, ud)
        B = _slopes(H, u) if self.B_vu is None else sp.Matrix([list(row) for row in self.B_vu(u, v)])
        if self.b is None:
            return H, B, _slopes(_slopes(H, u) * rates, u) * rates
        return H, B, sp.Matrix([sp.sympify(value) for value in self.b(u, v, ud, vd)])


def _slopes(values: sp.Matrix, u: Sequence[sp.Symbol]) -> sp.Matrix:
    return sp.Matrix(values.rows, len(u), lambda i, j: values[i].diff(u[j]))


def _fault(
    partition: Partition,
    joints: Sequence[Any],
    numbers: tuple[list[int], list[int]],
    formulas: tuple[sp.Matrix, sp.Matrix, sp.Matrix],
    symbols: list[tuple[sp.Symbol, ...]],
    names: Sequence[str],
) -> tuple[str, str] | None:
    """Return what is wrong with the formulas by the equations of the cut joints, at the drawn pose and beside it."""
    (u, v), (H, B, b), hint = numbers, formulas, "coordinates are 0 in the drawn pose; angles in rad, slides in m"
    shapes = (len(v), 1), (len(v), len(u)), (len(v), 1)
    for name, matrix, shape in zip(names, formulas, shapes, strict=True):
        if matrix.shape != shape:
            return f"{name} has the shape {matrix.shape}, not {shape}", "one row for each of v"
        if strange := matrix.free_symbols - {s for group in symbols for s in group}:
            return f"{name} has the symbol {min(map(str, strange))}", "write numbers, and the coordinates given"
    rows = [row for joint in joints for row in closures.rows_of(partition.kin, joint)]
    width = range(len(partition.q))
    slopes = sp.Matrix([[row.slopes.get(k, 0) for k in width] for row in rows])
    terms = [sp.Matrix([row.value for row in rows]), slopes, sp.Matrix([row.gamma for row in rows])]
    constants = partition.values()
    steps = [(symbol, value.subs(constants)) for symbol, value, _ in partition.kin.form.steps.done]
    terms = [matrix.subs(constants) for matrix in terms]
    find = sp.lambdify([partition.q, partition.qd], terms, "numpy", cse=lambda parts: (steps, parts))
    mine = sp.lambdify(symbols, [B, b], "numpy")
    start = sp.lambdify([symbols[0]], list(H), "numpy")
    scale = np.array([1.0 if c in partition.kin.tree.turning else partition.size for c in partition.kin.coordinates])
    for off in (0.0, OFF, -OFF):
        q, qd = np.zeros(len(width)), np.zeros(len(width))
        q[u] = off * scale[u] * (1.0 + np.arange(len(u)))
        qd[u] = scale[u] * np.cos(np.arange(len(u)))
        with np.errstate(all="ignore"):
            q[v] = np.real_if_close(np.array(start(q[u]), dtype=complex), tol=1e3).real
        if not np.isfinite(q).all() or (off == 0.0 and np.abs(q / scale).max() > EQUATIONS_HOLD):
            return f"H gives {[float(f'{x:.6g}') for x in q[v]]} where u is {q[u].tolist()}", hint
        slope = np.array(mine(q[u], q[v], qd[u], qd[v])[0], dtype=float)
        qd[v] = slope @ qd[u]
        rest = np.array(mine(q[u], q[v], qd[u], qd[v])[1], dtype=float).ravel()
        phi, W, gamma = (np.array(part, dtype=float) for part in find(q, qd))
        rank = int(np.linalg.matrix_rank(W * scale, tol=RANK * np.abs(W * scale).max()))
        if rank != len(v):
            return f"the joints cut leave {rank} equations, and {len(v)} coordinates v are given", "name as many"
        left = phi, W[:, v] @ slope + W[:, u], W[:, v] @ rest - gamma.ravel()
        for name, value in zip(names, left, strict=True):
            if np.abs(value).max(initial=0.0) > EQUATIONS_HOLD * max(1.0, partition.size):
                return f"{name} does not close it: off by {np.abs(value).max():.3g}", hint
    return None
