"""The equations that close the loops of joints that are cut: Phi(q) = 0, W = Phi_q^T and gamma = -(W^T)' qd.

See `structkin.symbolic.tree` for the rows of each kind of joint. They are differentiated as vectors.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import sympy as sp

from structkin.errors import Problem, raise_problems
from structkin.multibody.joint import SpatialJoint
from structkin.multibody.model import SpatialModel
from structkin.symbolic.explicit.kinematics import ZERO, Kinematics
from structkin.symbolic.tree import ROWS, Tree


@dataclass(frozen=True)
class Row:
    """One equation of closure: its value, its slopes by number of the coordinate, gamma, and -dPhi/dt.

    W^T qd = drift and W^T qdd = gamma; only the law of a driver has a drift.
    """

    value: sp.Expr
    slopes: dict[int, sp.Expr]
    gamma: sp.Expr
    drift: sp.Expr = ZERO


def check(model: SpatialModel, tree: Tree) -> None:
    """Raise an `InputError` with the cut screws: how far they have turned is no function of q."""
    problems = [
        Problem(f"joints.{j.name}", f"a {j.kind} joint cannot close a loop", "cut another joint of the loop")
        for j in tree.cut
        if j.kind == "screw"
    ]
    raise_problems(problems, model.name)


def rows_of(kinematics: Kinematics, joint: SpatialJoint) -> list[Row]:
    """Return the equations of a cut joint that are not satisfied by themselves."""
    form = kinematics.form
    first, second = (kinematics.tree.of.get(body, -1) for body in joint.bodies)
    ends = [
        kinematics.point(n, kinematics.label(n, joint.name), joint.at, f"{form.owners[n]} to {joint.name}")
        for n in (first, second)
    ]
    triad = {"a": joint.axis, "b": joint.second, "c": np.cross(joint.axis, joint.second)}
    axes = dict(zip("xyz", np.eye(3), strict=True))
    if form.geometry.plane is not None:
        plane = form.geometry.plane
        axes = {"x": plane.e1, "y": plane.e2, "z": plane.n}
    names, angles = ROWS[joint.kind]
    gap = _difference(kinematics, ends, joint.name)
    u, w = (
        {a: form.name(f"{letter}_{joint.name}_{a}", form.unit(n, triad[a]), form.owners[n]) for a in triad}
        for letter, n in (("u", first), ("w", second))
    )
    rows = [_along(kinematics, form.unit(-1, axes[name]), -1, gap) for name in names if name in axes]
    rows += [_along(kinematics, u[name], first, gap) for name in names if name in triad]
    rows += [_square(kinematics, (u[a], first), (w[b], second)) for a, b in map(tuple, angles)]
    return [row for row in rows if any(slope != 0 for slope in row.slopes.values())]


def _difference(kin: Kinematics, ends: list[Any], joint: str) -> tuple[Any, dict[int, Any], Any, Any]:
    """Return the gap from the first point to the second, its columns, its velocity and convective acceleration."""
    one, two = ends
    none = kin.form.none
    columns = {k: two.columns.get(k, none) - one.columns.get(k, none) for k in sorted({*one.columns, *two.columns})}
    velocity = none
    for k, column in columns.items():
        velocity = velocity + column * kin.qd[k]
    gap = kin.form.name(f"d_{joint}", two.position - one.position, f"loop {joint}")
    return gap, columns, velocity, two.convective - one.convective


def _along(kin: Kinematics, b: Any, entry: int, gap: tuple[Any, dict[int, Any], Any, Any]) -> Row:
    """Return the row b . r = 0 of the gap r along an axis b fixed in a body."""
    r, columns, velocity, convective = gap
    turned, omega = kin.turns[entry], kin.omega[entry]
    slopes = {k: b.dot(column) for k, column in columns.items()}
    for k, turn in turned.items():
        slopes[k] = slopes.get(k, ZERO) + turn.cross(b).dot(r)
    curved = kin.alpha[entry].cross(b) + omega.cross(omega.cross(b))
    gamma = -(b.dot(convective) + 2 * omega.cross(b).dot(velocity) + curved.dot(r))
    return Row(b.dot(r), slopes, gamma)


def _square(kin: Kinematics, one: tuple[Any, int], two: tuple[Any, int]) -> Row:
    """Return the row a . b = 0 of an axis a of the first body and an axis b of the second."""
    (a, n), (b, m) = one, two
    slopes: dict[int, sp.Expr] = {}
    for k, turn in kin.turns[n].items():
        slopes[k] = turn.cross(a).dot(b)
    for k, turn in kin.turns[m].items():
        slopes[k] = slopes.get(k, ZERO) + a.dot(turn.cross(b))
    rate_a, rate_b = kin.omega[n].cross(a), kin.omega[m].cross(b)
    curved_a = kin.alpha[n].cross(a) + kin.omega[n].cross(rate_a)
    curved_b = kin.alpha[m].cross(b) + kin.omega[m].cross(rate_b)
    return Row(a.dot(b), slopes, -(curved_a.dot(b) + 2 * rate_a.dot(rate_b) + a.dot(curved_b)))
