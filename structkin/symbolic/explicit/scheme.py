"""The explicit scheme of S4: M_red = J^T M J, h_red = J^T (M J' qd + h), f_red = J^T f (equations 8 and 9, corrected).

Equation 8 as printed multiplies M_red by qd; it belongs to qdd. J' qd is computed as the convective acceleration of
each body, so that nothing is differentiated.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import sympy as sp

from structkin.symbolic.explicit.kinematics import ZERO, Kinematics, Point

#: force on each entry at its centre of mass, and moment about it
Wrenches = Mapping[int, tuple[Any, Any]]


@dataclass
class Masses:
    """The bodies with mass: their symbols and centres of mass."""

    kinematics: Kinematics
    mass: dict[int, sp.Expr]
    center: dict[int, Point]
    arms: dict[int, Any]

    def mass_matrix(self) -> sp.Matrix:
        """Return J^T M J, column by column."""
        kin, form = self.kinematics, self.kinematics.form
        size = len(kin.q)
        matrix = sp.zeros(size, size)
        for j in range(size):
            wrenches = {}
            for n, m in self.mass.items():
                translation = self.center[n].columns.get(j, None)
                turn = kin.turns[n].get(j, None)
                if translation is not None or turn is not None:
                    none = form.none
                    force = none if translation is None else translation * m
                    wrenches[n] = (force, none if turn is None else form.inertia(n, turn))
            for i, value in self.project(wrenches, f"{kin.q[j]}", j).items():
                matrix[i, j] = matrix[j, i] = value
        return matrix

    def convective(self) -> sp.Matrix:
        """Return J^T (M J' qd + h), with h = omega x I omega."""
        kin, form = self.kinematics, self.kinematics.form
        wrenches = {}
        for n, m in self.mass.items():
            omega = kin.omega[n]
            spin = form.inertia(n, omega)
            wrenches[n] = (self.center[n].convective * m, form.inertia(n, kin.alpha[n]) + omega.cross(spin))
        return self._column(self.project(wrenches, "h", 0))

    def weight(self, gravity: Any) -> sp.Matrix:
        """Return J^T of the weights."""
        none = self.kinematics.form.none
        return self._column(self.project({n: (gravity * m, none) for n, m in self.mass.items()}, "f", 0))

    def _column(self, values: dict[int, sp.Expr]) -> sp.Matrix:
        return sp.Matrix(len(self.kinematics.q), 1, lambda i, _: values.get(i, ZERO))

    def project(self, wrenches: Wrenches, label: str, first: int) -> dict[int, sp.Expr]:
        """Return J^T of forces and moments on the bodies, for the coordinates from `first` on."""
        if self.kinematics.form.shares:
            return self._from_the_tips(wrenches, label, first)
        values: dict[int, sp.Expr] = {}
        for n, (force, moment) in wrenches.items():
            for i, column in self.center[n].columns.items():
                if i >= first:
                    values[i] = values.get(i, ZERO) + column.dot(force)
            for i, turn in self.kinematics.turns[n].items():
                if i >= first:
                    values[i] = values.get(i, ZERO) + turn.dot(moment)
        return values

    def _from_the_tips(self, wrenches: Wrenches, label: str, first: int) -> dict[int, sp.Expr]:
        """Sum forces and moments from the tips inwards: each joint passes on what its outer bodies carry."""
        kin, form = self.kinematics, self.kinematics.form
        carried: dict[int, tuple[Any, Any]] = {}
        values: dict[int, sp.Expr] = {}
        for n in reversed(range(len(kin.tree.bodies))):
            body = kin.tree.bodies[n]
            k = None if body.coordinate is None else kin.number[body.coordinate]
            force, moment = carried.pop(n, (None, None))
            if n in wrenches:
                own, spin = wrenches[n]
                about = spin + self.arms[n].cross(own)
                force, moment = (own, about) if force is None else (force + own, moment + about)
            if force is None or (k is not None and k < first):
                continue
            force = form.name(f"F_{body.name}_{label}", force, body.name)
            moment = form.name(f"L_{body.name}_{label}", moment, body.name)
            if k is not None:
                # the axes of a joint are the same in both of its bodies
                values[k] = kin.turns[n][k].dot(moment) if k in kin.turns[n] else ZERO
                if body.translation.any():
                    values[k] += kin.joints[n].columns[k].dot(force)
            passed = moment + kin.arms[n].cross(force)
            if body.parent in carried:
                other, about = carried[body.parent]
                force, passed = other + force, about + passed
            carried[body.parent] = (force, passed)
        return values


def masses_of(kinematics: Kinematics) -> Masses:
    """Return the bodies with mass, their centres as points."""
    masses = Masses(kinematics, {}, {}, {})
    form = kinematics.form
    for n, body in enumerate(kinematics.tree.bodies):
        if body.mass == 0 and not body.inertia.any():
            continue
        symbols = form.geometry.symbols
        masses.mass[n] = symbols.constant(f"m_{body.name}", body.mass, "kg", f"mass of {body.name}", positive=True)
        arm = form.name(f"s_{body.name}", kinematics.center(n), body.name)
        masses.arms[n] = arm
        moved = kinematics.moved(n, arm, body.name)
        columns = {k: form.name(f"JS_{body.name}_{kinematics.q[k]}", c, body.name) for k, c in moved.columns.items()}
        convective = form.name(f"aS_{body.name}", moved.convective, body.name)
        masses.center[n] = Point(moved.position, columns, convective)
    return masses
