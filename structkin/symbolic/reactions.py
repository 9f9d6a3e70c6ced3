"""Multipliers and joint reactions of a motion in minimal coordinates, from its accelerations.

    W lambda = M qdd + h - f;  then F and L of the backward pass (see `passes`), with the forces of closure as loads

Where equations of closure depend on each other, lambda is known but for N c, N the null space of W: the multipliers and
the components of reactions on which some column of N acts are not determined by rigid bodies, and NaN.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from structkin.numerical_tolerances import HALF_DIGITS
from structkin.symbolic import evaluating
from structkin.symbolic.closures_at import ANGLE, Rows
from structkin.symbolic.compiling import compiled
from structkin.symbolic.loads_at import push
from structkin.symbolic.passes import Work, efforts, move
from structkin.symbolic.system import System
from structkin.symbolic.vectors import cross, get, minus, plus, put_sum, times, turned, turned_back
from structkin.types import Floats


class Reactions(NamedTuple):
    """Multipliers (n, m), and force and moment (n, entries + cut joints, 3) that joints carry, in ground axes.

    Those of an entry act on it, about its joint; those of a cut joint on its second body, about the point there. NaN is
    what is not determined.
    """

    multipliers: Floats
    force: Floats
    moment: Floats


@compiled
def add_closing(w: Work, rows: Rows, multipliers: Floats) -> None:
    """Add the forces of closure to the loads on placed bodies."""
    for k in range(rows.kind.size):
        i, j = rows.bodies[k, 0], rows.bodies[k, 1]
        u = times(multipliers[k], turned(w.frame, i, get(rows.u, k)))
        if rows.kind[k] == ANGLE:
            s = cross(u, turned(w.frame, j, get(rows.w, k)))
            put_sum(w.torque, i, turned_back(w.frame, i, s))
            put_sum(w.torque, j, turned_back(w.frame, j, times(-1.0, s)))
        else:
            second = get(rows.points[k], 1)
            reach = plus(get(w.place, j), turned(w.frame, j, second))  # both forces act where the second point is
            arm = turned_back(w.frame, i, minus(reach, get(w.place, i)))
            push(w, i, arm, turned_back(w.frame, i, times(-1.0, u)))
            push(w, j, second, turned_back(w.frame, j, u))


def reactions_of(
    system: System, t: Floats, q: Floats, qd: Floats, qdd: Floats, breaks: Mapping[str, float]
) -> Reactions:
    """Return the reactions at times t (n,), coordinates, rates and accelerations (n, f) of closed loops."""
    b, w, rows, terms = system.parts
    count, m = b.parent.size, rows.kind.size
    wrenches = np.zeros((len(t), 2, count + len(system.tree.cut), 3))
    multipliers = np.zeros((len(t), m))
    broken = np.array([breaks.get(name, np.inf) for name in system.spring_names])
    C, zero = np.empty(system.scale.size), np.zeros(system.scale.size)
    rank = system.chooser.rank if m else 0
    for k in range(len(t)):
        system.at(t[k], everything=True)
        system.loads.whole[:] = t[k] < broken
        evaluating.terms_at(b, w, system.loads, rows, terms, q[k], qd[k])
        right = (terms.M @ qdd[k] + terms.C - terms.tau) * system.scale
        U, values, V = np.linalg.svd((terms.W * system.scale / system.units[:, None]).T)
        found = (V[:rank].T @ ((U[:, :rank].T @ right) / values[:rank])) / system.units
        loose = V[rank:] / system.units
        move(b, w, qd[k], qdd[k])
        wrenches[k] = _carried(system, found, C)
        w.force[:] = w.torque[:] = 0.0
        gravity, w.alpha[count] = w.alpha[count].copy(), 0.0
        move(b, w, zero, zero)  # nothing but the forces of closure acts
        unsure = np.zeros(wrenches[k].shape, dtype=bool)
        for free in loose:
            w.force[:] = w.torque[:] = 0.0
            unsure |= np.abs(_carried(system, free, C)) * [[[system.size]], [[1.0]]] > HALF_DIGITS
        w.alpha[count] = gravity
        wrenches[k][unsure] = np.nan
        multipliers[k] = np.where((np.abs(loose * system.units) > HALF_DIGITS).any(axis=0), np.nan, found)
    return Reactions(multipliers, wrenches[:, 0], wrenches[:, 1])


def _carried(system: System, multipliers: Floats, C: Floats) -> Floats:
    """Return the force and the moment (2, entries + cut joints, 3) that joints carry, of bodies that move."""
    b, w, rows, _ = system.parts
    count, names = b.parent.size, [joint.name for joint in system.tree.cut]
    add_closing(w, rows, multipliers)
    efforts(b, w, C)
    found = np.zeros((2, count + len(names), 3))
    for part, own in zip(found, (w.F, w.L), strict=True):
        part[:count] = np.einsum("bij,bj->bi", w.frame[:count], own[:count])
    u = np.einsum("kij,kj->ki", w.frame[rows.bodies[:, 0]], rows.u)
    axes = np.where(
        rows.kind[:, None] == ANGLE, np.cross(np.einsum("kij,kj->ki", w.frame[rows.bodies[:, 1]], rows.w), u), u
    )
    for k, name in enumerate(system.loop_names):
        found[int(rows.kind[k] == ANGLE), count + names.index(name)] += multipliers[k] * axes[k]
    return found
