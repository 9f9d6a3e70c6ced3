"""Frames of the links and their derivatives by the coordinates. The text becomes part of the compiled module.

The formulas are those of `structkin.global_methods.families.tree`, link by link from the ground outwards.
"""

from __future__ import annotations

from math import atan2, cos, pi, sin
from typing import Any

from structkin.dynamics.multipliers.compiled.memory import ConstrainedMemory


def find_frames(mem: ConstrainedMemory, y: Any) -> None:
    """Write the frames at a state, their rates, their second rates at q'' = 0, and the map."""
    X, n = mem.X, mem.n
    if mem.tree != 0:
        for k in range(len(mem.parent)):
            hang(mem, k, y)
        fill_map(mem)
        return
    zero, row, column, entry = mem.X_zero, mem.map_row, mem.map_column, mem.map
    place, rate = X[0], X[1]
    for r in range(len(zero)):
        place[r], rate[r] = zero[r], 0.0
    for e in range(len(row)):
        place[row[e]] += entry[e] * y[column[e]]
        rate[row[e]] += entry[e] * y[n + column[e]]
    count = len(mem.turned)
    for k in range(count):
        mem.theta[mem.turned[k]] = y[n - count + k] - mem.turned_zero[k]


def hang(mem: ConstrainedMemory, k: int, y: Any) -> None:
    """Write the frame of a link of the tree, with two rates, from that of its parent."""
    X, dX, ddX, theta, omega, n = mem.X[0], mem.X[1], mem.X[2], mem.theta, mem.omega, mem.n
    parent, column, arm = mem.parent[k], mem.turn_column[k], mem.arms[k]
    angle, rate = arm[4], 0.0
    if column >= 0:
        angle += y[column]
        rate += y[n + column]
    px, py, vx, vy, wx, wy = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    if parent >= 0:
        angle += theta[parent]
        rate += omega[parent]
        r = 4 * parent
        px, py, vx, vy, wx, wy = X[r], X[r + 1], dX[r], dX[r + 1], ddX[r], ddX[r + 1]
    theta[k], omega[k] = angle, rate
    ux, uy = cos(angle), sin(angle)
    r = 4 * k
    X[r + 2], X[r + 3], dX[r + 2], dX[r + 3] = ux, uy, -rate * uy, rate * ux
    ddX[r + 2], ddX[r + 3] = -rate * rate * ux, -rate * rate * uy
    # The part that turns with the parent ends at the pivot; the part that turns with the link begins there.
    ex, ey, spin = direction_of(mem, parent)
    dx, dy = arm[0] * ex - arm[1] * ey, arm[1] * ex + arm[0] * ey
    px, py, vx, vy = px + dx, py + dy, vx - spin * dy, vy + spin * dx
    wx, wy = wx - spin * spin * dx, wy - spin * spin * dy
    ox, oy = arm[2] * ux - arm[3] * uy, arm[3] * ux + arm[2] * uy
    vx, vy, wx, wy = vx - rate * oy, vy + rate * ox, wx - rate * rate * ox, wy - rate * rate * oy
    for s in range(mem.travel_ptr[k], mem.travel_ptr[k + 1]):
        travel = mem.travels[s]
        length, speed = y[travel[0]], y[n + travel[0]]
        tx, ty, spin = travel_direction(mem, s)
        if travel[2] != 0:
            px, py = px + length * tx, py + length * ty
        else:
            ox, oy = ox + length * tx, oy + length * ty
        vx += speed * tx - spin * length * ty
        vy += speed * ty + spin * length * tx
        wx -= spin * spin * length * tx + 2.0 * spin * speed * ty
        wy -= spin * spin * length * ty - 2.0 * spin * speed * tx
    pivot = mem.pivot[k]
    pivot[0], pivot[1] = px, py
    X[r], X[r + 1], dX[r], dX[r + 1], ddX[r], ddX[r + 1] = px + ox, py + oy, vx, vy, wx, wy


def direction_of(mem: ConstrainedMemory, k: int) -> tuple[float, float, float]:
    """Return the direction of a link and its angular velocity; -1 is the ground."""
    if k < 0:
        return 1.0, 0.0, 0.0
    X = mem.X[0]
    return X[4 * k + 2], X[4 * k + 3], mem.omega[k]


def travel_direction(mem: ConstrainedMemory, s: int) -> tuple[float, float, float]:
    """Return the direction of a travel and its angular velocity."""
    ex, ey, spin = direction_of(mem, mem.travels[s][1])
    axis = mem.travel_axis[s]
    return axis[0] * ex - axis[1] * ey, axis[1] * ex + axis[0] * ey, spin


def fill_map(mem: ConstrainedMemory) -> None:
    """Write d(frames)/dq of the tree: a turn moves the links beyond the joint about its pivot."""
    X, pivot, entry = mem.X[0], mem.pivot, mem.map
    links, joints, slides, travels = mem.pair_link, mem.pair_joint, mem.slide_link, mem.slide_travel
    count, moved = len(links), len(slides)
    for e in range(count):
        r, center = 4 * links[e], pivot[joints[e]]
        entry[e], entry[count + e] = center[1] - X[r + 1], X[r] - center[0]
        entry[2 * count + e], entry[3 * count + e] = -X[r + 3], X[r + 2]
    for e in range(moved):
        tx, ty, _ = travel_direction(mem, travels[e])
        entry[4 * count + e], entry[4 * count + moved + e] = tx, ty


def find_turns(mem: ConstrainedMemory, t: float) -> None:
    """Write the turns of the links at the frames of a time.

    A direction in the coordinates leaves whole turns open. Angles among the coordinates contain them; for other links
    the turn is the one nearest to the integral of the angular velocities since the last accepted step, by the
    trapezoidal rule: a function of time, state and the count at that step, which neither trial steps nor outputs
    change.
    """
    X, drawn, new = mem.X[0], mem.drawn, mem.new_turns
    for k in range(len(drawn)):
        turn = atan2(X[4 * k + 3], X[4 * k + 2]) - drawn[k]
        near = mem.theta[k] + mem.held[k]
        if near != near:  # no coordinate holds the turn
            near = mem.turns[k] + 0.5 * (mem.turn_rates[k] + spin_of(mem, k)) * (t - mem.clock)
        new[k] = turn + 2 * pi * round((near - turn) / (2 * pi))


def count_turns(mem: ConstrainedMemory) -> None:
    """Continue the count from the turns of now."""
    for k in range(len(mem.turns)):
        mem.turns[k], mem.turn_rates[k] = mem.new_turns[k], spin_of(mem, k)


def spin_of(mem: ConstrainedMemory, k: int) -> float:
    """Return the angular velocity of a link, whatever the length of its direction."""
    X, dX, r = mem.X[0], mem.X[1], 4 * k + 2
    ux, uy, vx, vy = X[r], X[r + 1], dX[r], dX[r + 1]
    return float((ux * vy - uy * vx) / (ux * ux + uy * uy))


def turn_between(mem: ConstrainedMemory, k: int) -> float:
    """Return how far the links of torsion spring k have turned relative to each other since the sketch."""
    first, second = mem.torsion_links[k][0], mem.torsion_links[k][1]
    total = 0.0
    if second >= 0:
        total += mem.new_turns[second]
    if first >= 0:
        total -= mem.new_turns[first]
    return total
