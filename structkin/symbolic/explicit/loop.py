"""Planar loops as numbers: v = H(u), B_vu and b' of each, from equations that SymPy derived (S4, equation 10)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import sympy as sp

from structkin.errors import InputError, Problem
from structkin.multibody.model import SpatialModel
from structkin.numerical_tolerances import ROUNDING_OF_FEW
from structkin.symbolic.explicit import closures
from structkin.symbolic.explicit.equations_of_motion import check_options, names_of
from structkin.symbolic.explicit.geometry import Geometry, plane_of, size_of
from structkin.symbolic.explicit.parameters import Symbols
from structkin.symbolic.explicit.reduction import Partition, Solved
from structkin.symbolic.tree import tree_of
from structkin.types import Floats

STEPS = 50

Coordinate = tuple[str, int]


class Loop:
    """A loop, or loops that have to be solved together, of a planar structural group.

    `u` and `v` are (joint, number) of the coordinates that it needs and of those that it gives; `closed_form` says
    whether H is a formula. Angles are in rad, slides in m, 0 in the drawn pose.
    """

    def __init__(self, partition: Partition, solved: Solved) -> None:
        """Compile the equations of a loop."""
        q, qd, coordinates = partition.q, partition.qd, partition.kin.coordinates
        number = sorted({k for row in solved.rows for k in row.slopes} - set(solved.v))
        self.u: tuple[Coordinate, ...] = tuple(coordinates[k] for k in number)
        self.v: tuple[Coordinate, ...] = tuple(coordinates[k] for k in solved.v)
        self.closed_form = solved.steps is not None
        self._name = partition.model.name
        values = {p.symbol: sp.Float(p.value) for p in partition.symbols.parameters.values()}
        state = [q[k] for k in (*number, *solved.v)]
        rates = [qd[k] for k in (*number, *solved.v)]
        columns = [[sp.sympify(row.slopes.get(k, 0)) for k in (*number, *solved.v)] for row in solved.rows]
        self._gap = _compiled(state, [row.value for row in solved.rows], values)
        self._slopes = _compiled(state, columns, values)
        self._gamma = _compiled([*state, *rates], [row.gamma for row in solved.rows], values)
        self._turn = np.array([c in partition.kin.tree.turning for c in self.v])
        self._formula = None
        if solved.steps is not None:
            known: dict[sp.Symbol, sp.Expr] = {}
            for symbol, value, _ in solved.steps:
                known[symbol] = value.subs(values).xreplace(known)
            self._formula = _compiled(state[: len(number)], [known[q[k]] for k in solved.v], values)

    def H(self, u: Floats, near: Floats | None = None) -> Floats:
        """Return v for u: by the formula of the drawn assembly, else by Newton's method from `near` (the drawn pose).

        Angles of the formula are those nearest to `near` if it is given. Raises `InputError` where the loop cannot
        close.
        """
        if self._formula is not None:
            try:
                v = np.array(self._formula(*u), dtype=float)
            except ValueError:
                raise self._open() from None
            turns = 0.0 if near is None else self._turn * np.round((near - v) / (2 * np.pi))
            return np.asarray(v + 2 * np.pi * turns)
        v = np.zeros(len(self.v)) if near is None else np.array(near, dtype=float)
        for _ in range(STEPS):
            step = np.linalg.solve(self._split(u, v)[1], np.array(self._gap(*u, *v), dtype=float))
            v -= step
            if np.abs(step).max() < ROUNDING_OF_FEW * (1 + np.abs(v).max()):
                return v
        raise self._open()

    def _open(self) -> InputError:
        names = ", ".join(joint for joint, _ in self.v)
        return InputError(
            [Problem("loop", f"it cannot close: {names} reach no such pose", "start nearer to the drawn pose")],
            self._name,
        )

    def _split(self, u: Floats, v: Floats) -> tuple[Floats, Floats]:
        slopes = np.array(self._slopes(*u, *v), dtype=float)
        return slopes[:, : len(self.u)], slopes[:, len(self.u) :]

    def B_vu(self, u: Floats, v: Floats) -> Floats:
        """Return -h_v^-1 h_u (v, u)."""
        h_u, h_v = self._split(u, v)
        return np.asarray(np.linalg.solve(h_v, -h_u))

    def b(self, u: Floats, v: Floats, ud: Floats) -> Floats:
        """Return b' (v,): vdd = B_vu udd + b'."""
        h_u, h_v = self._split(u, v)
        vd = np.linalg.solve(h_v, -h_u @ ud)
        return np.asarray(np.linalg.solve(h_v, np.array(self._gamma(*u, *v, *ud, *vd), dtype=float)))


def planar_loops(model: SpatialModel, independent: Sequence[str] = ()) -> tuple[Loop, ...]:
    """Return the loops of a planar model in the order in which they are solved; earlier v may be u of later ones.

    A loop whose two dependent coordinates have a closed form is alone, the rest are solved together. `independent`
    names joints whose coordinates stay independent. Raises `InputError` for a model in space.
    """
    tree = tree_of(model)
    check_options(model.name, [joint for joint, _ in tree.coordinates], "explicit", independent, {})
    closures.check(model, tree)
    symbols = Symbols(numbers=False)
    q, qd = names_of(symbols, list(tree.coordinates))
    partition = Partition(model, tree, Geometry(symbols, plane_of(tree), size_of(tree)), q, qd, independent, {})
    return tuple(Loop(partition, solved) for solved in partition.loops)


def _compiled(arguments: list[sp.Symbol], values: Any, constants: dict[sp.Symbol, sp.Expr]) -> Callable[..., Any]:
    function: Callable[..., Any] = sp.lambdify(arguments, _with(values, constants), "math", cse=True)
    return function


def _with(values: Any, constants: dict[sp.Symbol, sp.Expr]) -> Any:
    """Return nested lists of expressions with numbers for constants."""
    if isinstance(values, list):
        return [_with(value, constants) for value in values]
    return sp.sympify(values).subs(constants)
