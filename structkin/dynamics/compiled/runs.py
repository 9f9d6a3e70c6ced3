"""Runs at a fixed step. The text of this module becomes part of the compiled one.

The steps are those of `structkin.dynamics.integrators.steps`.

How fast joints move by the coordinates is found on the way: the coordinates of joints are read from two expressions of
slots, as described in `structkin.dynamics.reduced.partition.Line`.
"""

from __future__ import annotations

from math import inf, sqrt
from typing import Any

from structkin.dynamics.compiled.loads_at import expression
from structkin.dynamics.compiled.memory import Memory
from structkin.dynamics.compiled.reduced_at import evaluate, finish
from structkin.dynamics.integrators.steps import take_step
from structkin.dynamics.reduced.partition import LIMIT, NEAR


def is_uneven(mem: Memory) -> bool:
    """Return whether a joint moves so much faster than a coordinate that other coordinates may be better."""
    fastest = fastest_joint(mem)
    if fastest < LIMIT:
        mem.uneven = LIMIT
    return bool(fastest > mem.uneven)


def fastest_joint(mem: Memory) -> float:
    """Return the largest rate of a joint by a free coordinate, made dimensionless; see `partition.scales`."""
    joints, unit, measures = mem.joints, mem.joint_unit, mem.measures
    const, ptr, row, factor = mem.joint_const, mem.joint_ptr, mem.joint_row, mem.joint_factor
    distance, z = mem.distance, mem.z
    x, columns, fastest = mem.x, mem.K, 0.0
    for j in range(len(joints)):
        for a in range(mem.free):
            ax, ay, dax, day = expression(const, ptr, row, factor, joints[j][1], x[0], columns[a])
            bx, by, dbx, dby = expression(const, ptr, row, factor, joints[j][2], x[0], columns[a])
            if joints[j][0] == 0:
                rate = bx * dby - by * dbx - ax * day + ay * dax
            elif joints[j][0] == 1:
                rate = ax * dbx + ay * dby + dax * bx + day * by
            else:
                rate = (bx * dbx + by * dby) / max(sqrt(bx * bx + by * by), NEAR * unit[j])
            measure = measures[a]
            if distance[a]:
                measure *= max(1.0, NEAR * measure / z[0][a])
            fastest = max(fastest, abs(rate) * measure / unit[j])
    return fastest


#: Roots that approach zero are checked below the first size, and again after they have grown above the second.
AHEAD, AWAY = 0.25, 0.4


def advance(
    mem: Memory,
    method: int,
    start: float,
    end: float,
    begin: int,
    stop: int,
    count: int,
    y: Any,
    jump: float,
    huge: float,
) -> int:
    """Take the steps `begin` to `stop` of `count` equal ones from `start` to `end`; `y` becomes the state after them.

    Return how many steps are done: fewer where something must be checked, which the next step does.
    """
    h, free, stage, second = (end - start) / count, mem.free, mem.stages, mem.second
    if not evaluate(mem, start + begin * h, y, free):
        return begin
    finish(mem)
    for k in range(begin, stop):
        if is_uneven(mem) or goes_flat(mem):
            return k
        for i in range(free):
            stage[0][i], stage[0][free + i] = y[free + i], second[i]
        kinetic, power = mem.kinetic, mem.power
        if not take_step(mem, method, start + k * h, y, h):
            return k
        for i in range(2 * free):
            if not abs(stage[7][i]) < huge:
                return k
        # The evaluation at its end is the first one of the next step.
        if not evaluate(mem, end if k == count - 1 else start + (k + 1) * h, stage[7], free):
            return k
        finish(mem)
        mem.largest = max(mem.largest, kinetic, mem.kinetic)
        if abs(mem.kinetic - kinetic - 0.5 * h * (power + mem.power)) > jump * mem.largest:
            return k
        for i in range(2 * free):
            y[i] = stage[7][i]
    return max(begin, stop)


def goes_flat(mem: Memory) -> bool:
    """Return whether a group of a mechanism with one coordinate may be flat ahead: its root goes to zero."""
    roots, two, look = mem.roots, mem.two, mem.look
    if mem.smooth != 0 or len(mem.last) != 1:
        return False
    found = False
    for k in range(len(two)):
        s = two[k]
        size = abs(roots[0][s])
        if size > AWAY:
            look[s] = inf
        elif size < min(AHEAD, look[s]) and roots[0][s] * roots[1][s] <= 0.0:
            found = True
    return found
