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
        for k in range(mem.parent_columns.shape[0]):
            hang(mem, k, y)
        fill_map(mem)
        return
    zero, row, column, entry = mem.X_zero, mem.map_row, mem.map_column, mem.map
    for r in range(zero.shape[0]):
        X[0, r], X[1, r] = zero[r], 0.0
    for e in range(entry.shape[0]):
        X[0, row[e]] += entry[e] * y[column[e]]
        X[1, row[e]] += entry[e] * y[n + column[e]]
    count = mem.turned.shape[0]
    for k in range(count):
        mem.theta[mem.turned[k]] = y[n - count + k] - mem.turned_zero[k]


def hang(mem: ConstrainedMemory, k: int, y: Any) -> None:
    """Write the frame of a link of the tree, with two rates, from that of its parent."""
    X, theta, omega, n = mem.X, mem.theta, mem.omega, mem.n
    parent, column = mem.parent_columns[k, 0], mem.parent_columns[k, 1]
    arms = mem.arms
    a_re, a_im, b_re, b_im, angle = arms[k, 0], arms[k, 1], arms[k, 2], arms[k, 3], arms[k, 4]
    rate = 0.0
    if column >= 0:
        angle += y[column]
        rate += y[n + column]
    px, py, vx, vy, wx, wy = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    if parent >= 0:
        angle += theta[parent]
        rate += omega[parent]
        px, py, vx, vy = X[0, 4 * parent], X[0, 4 * parent + 1], X[1, 4 * parent], X[1, 4 * parent + 1]
        wx, wy = X[2, 4 * parent], X[2, 4 * parent + 1]
    theta[k], omega[k] = angle, rate
    ux, uy = cos(angle), sin(angle)
    X[0, 4 * k + 2], X[0, 4 * k + 3] = ux, uy
    X[1, 4 * k + 2], X[1, 4 * k + 3] = -rate * uy, rate * ux
    X[2, 4 * k + 2], X[2, 4 * k + 3] = -rate * rate * ux, -rate * rate * uy
    # The part that turns with the parent ends at the pivot; the part that turns with the link begins there.
    ex, ey, spin = direction_of(mem, parent)
    dx, dy = a_re * ex - a_im * ey, a_im * ex + a_re * ey
    px, py, vx, vy = px + dx, py + dy, vx - spin * dy, vy + spin * dx
    wx, wy = wx - spin * spin * dx, wy - spin * spin * dy
    ox, oy = b_re * ux - b_im * uy, b_im * ux + b_re * uy
    vx, vy, wx, wy = vx - rate * oy, vy + rate * ox, wx - rate * rate * ox, wy - rate * rate * oy
    for s in range(mem.travel_ptr[k], mem.travel_ptr[k + 1]):
        length, speed = y[mem.travels[s, 0]], y[n + mem.travels[s, 0]]
        tx, ty, spin = travel_direction(mem, s)
        if mem.travels[s, 2] != 0:
            px, py = px + length * tx, py + length * ty
        else:
            ox, oy = ox + length * tx, oy + length * ty
        vx += speed * tx - spin * length * ty
        vy += speed * ty + spin * length * tx
        wx -= spin * spin * length * tx + 2.0 * spin * speed * ty
        wy -= spin * spin * length * ty - 2.0 * spin * speed * tx
    mem.pivot[k, 0], mem.pivot[k, 1] = px, py
    X[0, 4 * k], X[0, 4 * k + 1] = px + ox, py + oy
    X[1, 4 * k], X[1, 4 * k + 1], X[2, 4 * k], X[2, 4 * k + 1] = vx, vy, wx, wy


def direction_of(mem: ConstrainedMemory, k: int) -> tuple[float, float, float]:
    """Return the direction of a link and its angular velocity; -1 is the ground."""
    if k < 0:
        return 1.0, 0.0, 0.0
    return mem.X[0, 4 * k + 2], mem.X[0, 4 * k + 3], mem.omega[k]


def travel_direction(mem: ConstrainedMemory, s: int) -> tuple[float, float, float]:
    """Return the direction of a travel and its angular velocity."""
    ex, ey, spin = direction_of(mem, mem.travels[s, 1])
    re, im = mem.travel_way[s, 0], mem.travel_way[s, 1]
    return re * ex - im * ey, im * ex + re * ey, spin


def fill_map(mem: ConstrainedMemory) -> None:
    """Write d(frames)/dq of the tree: a turn moves the links beyond the joint about its pivot."""
    X, pivot, entry = mem.X, mem.pivot, mem.map
    pairs, slides = mem.pairs, mem.slides
    count, moved = pairs.shape[0], slides.shape[0]
    for e in range(count):
        k, j = pairs[e, 0], pairs[e, 1]
        entry[e], entry[count + e] = pivot[j, 1] - X[0, 4 * k + 1], X[0, 4 * k] - pivot[j, 0]
        entry[2 * count + e], entry[3 * count + e] = -X[0, 4 * k + 3], X[0, 4 * k + 2]
    for e in range(moved):
        tx, ty, _ = travel_direction(mem, slides[e, 1])
        entry[4 * count + e], entry[4 * count + moved + e] = tx, ty


def find_turns(mem: ConstrainedMemory, t: float) -> None:
    """Write the turns of the links at the frames of a time, counted from the last step."""
    X, drawn, new = mem.X, mem.drawn, mem.new_turns
    for k in range(drawn.shape[0]):
        turn = atan2(X[0, 4 * k + 3], X[0, 4 * k + 2]) - drawn[k]
        near = mem.theta[k] + mem.held[k]
        if near != near:  # no coordinate holds the turn
            near = mem.turns[k] + 0.5 * (mem.turn_rates[k] + spin_of(mem, k)) * (t - mem.clock)
        new[k] = turn + 2 * pi * round((near - turn) / (2 * pi))


def spin_of(mem: ConstrainedMemory, k: int) -> float:
    """Return the angular velocity of a link, whatever the length of its direction."""
    X = mem.X
    ux, uy, vx, vy = X[0, 4 * k + 2], X[0, 4 * k + 3], X[1, 4 * k + 2], X[1, 4 * k + 3]
    return float((ux * vy - uy * vx) / (ux * ux + uy * uy))


def turn_between(mem: ConstrainedMemory, k: int) -> float:
    """Return how far the links of torsion spring k have turned relative to each other since the sketch."""
    first, second = mem.torsion_links[k, 0], mem.torsion_links[k, 1]
    total = 0.0
    if second >= 0:
        total += mem.new_turns[second]
    if first >= 0:
        total -= mem.new_turns[first]
    return total
