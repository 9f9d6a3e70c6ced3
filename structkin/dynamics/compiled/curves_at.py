"""Curves of slots: the foot of a pin, its distance, and the tangent there.

The text of this module becomes part of that of each step, and of the equations.
"""

from __future__ import annotations

from math import cos, floor, inf, nan, sin, sqrt
from typing import Any

from structkin.numerical_tolerances import CLOSED, EQUAL_DATA, ROUNDING
from structkin.rows.periodic import TURN

#: A foot is followed over this many points of the table.
WINDOW = 8


def on_curve(mem: Any, k: int, x: float, y: float) -> tuple[float, float, float, float, float, float]:
    """Return the signed distance of a place from curve k, its gradient, and its derivatives by xx, xy and yy."""
    u = find_foot(mem, k, x, y)
    mem.new_feet[k] = u
    cx, cy, tx, ty, bx, by = curve_at(mem, k, u)
    speed = sqrt(tx * tx + ty * ty)
    ux, uy = tx / speed, ty / speed
    d = ux * (y - cy) - uy * (x - cx)
    bend = (tx * by - ty * bx) / (speed * speed * speed)
    h = -bend / (1.0 - bend * d)
    return d, -uy, ux, h * ux * ux, h * ux * uy, h * uy * uy


def tangent_at(mem: Any, k: int, x: float, y: float) -> tuple[float, float]:
    """Return the unit tangent of curve k at the point nearest to a place."""
    mem.new_feet[k] = nan
    _, _, tx, ty, _, _ = curve_at(mem, k, find_foot(mem, k, x, y))
    speed = sqrt(tx * tx + ty * ty)
    return tx / speed, ty / speed


def find_foot(mem: Any, k: int, x: float, y: float) -> float:
    """Return u of the nearest point of curve k: next to the last foot, or to a point of the table."""
    table, first, last = mem.curve_table, mem.curves[k][3], mem.curves[k][4]
    step, start = table[first + 1][0] - table[first][0], mem.new_feet[k]
    if start == start:
        u = approach(mem, k, x, y, start, WINDOW * step)
        if abs(u - start) < 0.99 * WINDOW * step:
            return u
    best, least = first, inf
    for j in range(first, last):
        dx, dy = x - table[j][1], y - table[j][2]
        if dx * dx + dy * dy < least:
            best, least = j, dx * dx + dy * dy
    return approach(mem, k, x, y, table[best][0], step)


def approach(mem: Any, k: int, x: float, y: float, start: float, window: float) -> float:
    """Return the foot within a window around a start, by Newton's method; beyond an open end it may be anywhere."""
    low, high = start - window, start + window
    if mem.curves[k][2] == 0:
        low, high = (-inf if start <= 0.0 else low), (inf if start >= TURN else high)
    u = start
    for _ in range(12):
        cx, cy, tx, ty, bx, by = curve_at(mem, k, u)
        speed = tx * tx + ty * ty
        slope = speed - (x - cx) * bx - (y - cy) * by
        # Near the centre of curvature many points are almost equally near: use the tangent.
        if not slope > 0.1 * speed:
            slope = speed
        new = min(max(u + ((x - cx) * tx + (y - cy) * ty) / slope, low), high)
        moved, u = abs(new - u), new
        if not moved > CLOSED:
            break
    return u


def curve_at(mem: Any, k: int, u: float) -> tuple[float, float, float, float, float, float]:
    """Return x and y of curve k at u, and their first and second derivatives."""
    first, last = mem.curves[k][0], mem.curves[k][1]
    inside = u - TURN * floor((u + ROUNDING) / TURN) if mem.curves[k][2] != 0 else min(max(u, 0.0), TURN)
    piece, beyond = first, last
    while beyond - piece > 1:
        middle = (piece + beyond) // 2
        if mem.curve_data[middle][0] <= inside + ROUNDING:
            piece = middle
        else:
            beyond = middle
    data = mem.curve_data[piece]
    straight = mem.curves[k][2] == 0 and abs(u - inside) > EQUAL_DATA
    t = (inside if straight or mem.curves[k][2] != 0 else u) - data[0]
    x, tx, bx = part_at(data, 1, 7, mem.curve_degree, t)
    y, ty, by = part_at(data, 4, 7 + mem.curve_degree, mem.curve_degree, t)
    if straight:
        return x + (u - inside) * tx, y + (u - inside) * ty, tx, ty, 0.0, 0.0
    return x, y, tx, ty, bx, by


def between(mem: Any, k: int, at: float) -> float:
    """Return x between the points of the table of curve k, which are at even steps of u."""
    table, first, last = mem.curve_table, mem.curves[k][3], mem.curves[k][4]
    way = (at - table[first][0]) / (table[first + 1][0] - table[first][0])
    j = min(max(int(way), 0), last - first - 2)
    found: float = table[first + j][1] + (way - j) * (table[first + j + 1][1] - table[first + j][1])
    return found


def part_at(data: Any, wave: int, first: int, degree: int, t: float) -> tuple[float, float, float]:
    """Return a polynomial and a wave at t from the start of their piece, and two derivatives."""
    value = rate = half = 0.0
    for k in range(first + degree - 1, first - 1, -1):
        half = half * t + rate
        rate = rate * t + value
        value = value * t + data[k]
    a, w, angle = data[wave], data[wave + 1], data[wave + 1] * t + data[wave + 2]
    if a != 0.0:
        s, c = a * sin(angle), a * w * cos(angle)
        return value + s, rate + c, 2.0 * half - w * w * s
    return value, rate, 2.0 * half
