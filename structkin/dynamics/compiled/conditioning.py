"""How fast joints move by the coordinates. The text of this module becomes part of the compiled one.

The coordinates of joints are read from two expressions of slots, as described in
`structkin.dynamics.reduced.partition.Line`.
"""

from __future__ import annotations

from math import sqrt
from typing import Any

from structkin.dynamics.compiled.memory import Memory
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
    distance, z = mem.distance, mem.z
    x, columns, fastest = mem.x, mem.K, 0.0
    for j in range(len(joints)):
        for a in range(mem.free):
            ax, ay, dax, day = expression(mem, joints[j][1], x[0], columns[a])
            bx, by, dbx, dby = expression(mem, joints[j][2], x[0], columns[a])
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


def expression(mem: Memory, e: int, places: Any, rates: Any) -> Any:
    """Return an expression of slots and its rate, at places and rates of their rows."""
    const, factor = mem.joint_const, mem.joint_factor
    ptr, row = mem.joint_ptr, mem.joint_row
    px, py, vx, vy = const[e][0], const[e][1], 0.0, 0.0
    for k in range(ptr[e], ptr[e + 1]):
        r, re, im = row[k], factor[k][0], factor[k][1]
        px += re * places[r] - im * places[r + 1]
        py += im * places[r] + re * places[r + 1]
        vx += re * rates[r] - im * rates[r + 1]
        vy += im * rates[r] + re * rates[r + 1]
    return px, py, vx, vy
