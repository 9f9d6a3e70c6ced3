"""Masses of rows, and loads on the slots' rows.

The text becomes part of the compiled modules, with that of `dynamics.load_formulas`.
"""

from __future__ import annotations

from math import nan
from typing import Any

from structkin.dynamics.compiled.memory import LoadMemory
from structkin.dynamics.load_formulas import add_loads, sliding, touching
from structkin.model.formula_at import formula_at
from structkin.numerical_tolerances import ROUNDING


def law_at(mem: LoadMemory, law: int, t: float) -> tuple[float, float, float]:
    """Return value, rate and second rate of a law at a time; NaN outside its table."""
    form, scale = mem.law_form[law], mem.law_scale[law]
    first, last = mem.law_ptr[law], mem.law_ptr[law + 1]
    data = mem.law_data
    if form == 0:
        start, speed = data[first][0], data[first][1]
        return scale * (start + speed * t), scale * speed, 0.0
    if form == 1:
        v, d, dd, _ = formula_at(data, first, last, t, mem.stack)
        return scale * v, scale * d, scale * dd
    begin, end = data[first][0], data[last - 1][0]
    inside = min(max(t, begin), end)
    # As in `structkin.model.laws`: a time beyond an end by rounding only counts as the end.
    if not abs(t - inside) <= ROUNDING * max(abs(begin), abs(end)):
        return nan, nan, nan
    # The last piece of the table that begins at or before t: the times are in order.
    low, high = first, last - 1
    while high - low > 1:
        middle = (low + high) // 2
        if data[middle][0] <= inside:
            low = middle
        else:
            high = middle
    s = inside - data[low][0]
    a, b, c, d = data[low][1], data[low][2], data[low][3], data[low][4]
    return scale * (((a * s + b) * s + c) * s + d), scale * ((3 * a * s + 2 * b) * s + c), scale * (6 * a * s + 2 * b)


def weigh(mem: LoadMemory, rows: Any, out: Any) -> None:
    """Write W times numbers of all rows, where W = S^T M S, S are the sums, and M their masses."""
    former, ptr, row, factor = mem.mass_former, mem.mass_ptr, mem.mass_row, mem.mass_factor
    mass, sums = mem.mass, mem.mass_sums
    count = len(former)
    for k in range(count):
        x = y = 0.0
        if former[k] >= 0:
            x, y = sums[former[k]][0], sums[former[k]][1]
        for j in range(ptr[k], ptr[k + 1]):
            a, b = rows[row[j]], rows[row[j] + 1]
            x += factor[j][0] * a - factor[j][1] * b
            y += factor[j][1] * a + factor[j][0] * b
        sums[k][0], sums[k][1] = x, y
    for k in range(count):
        sums[k][0], sums[k][1] = mass[k] * sums[k][0], mass[k] * sums[k][1]
    for r in range(len(out)):
        out[r] = 0.0
    for k in range(count - 1, -1, -1):
        x, y = sums[k][0], sums[k][1]
        for j in range(ptr[k], ptr[k + 1]):
            out[row[j]] += factor[j][0] * x + factor[j][1] * y
            out[row[j] + 1] += factor[j][0] * y - factor[j][1] * x
        if former[k] >= 0:
            sums[former[k]][0] += x
            sums[former[k]][1] += y


def apply_loads(mem: LoadMemory, t: float, x: Any, load: Any) -> None:
    """Add all loads except gravity to the forces on the rows, at places and rates of the slots (2 or more, n)."""
    locate(mem, x)
    add_loads(mem, t, mem.places[0], mem.places[1], mem.places[2])
    spread(mem, load)


def locate(mem: LoadMemory, x: Any) -> None:
    """Write places and rates of the expressions at those of the slots, and set the forces on them to zero."""
    const, factor, ptr, row = mem.term_const, mem.term_factor, mem.term_ptr, mem.term_row
    place, speed, push = mem.places[0], mem.places[1], mem.places[2]
    for e in range(len(const)):
        found = expression(const, ptr, row, factor, e, x[0], x[1])
        place[e][0], place[e][1], speed[e][0], speed[e][1] = found
        push[e][0] = push[e][1] = 0.0


def expression(const: Any, ptr: Any, row: Any, factor: Any, e: int, places: Any, rates: Any) -> Any:
    """Return an expression of slots and its rate, at places and rates of their rows."""
    px, py, vx, vy = const[e][0], const[e][1], 0.0, 0.0
    for k in range(ptr[e], ptr[e + 1]):
        r, re, im = row[k], factor[k][0], factor[k][1]
        px += re * places[r] - im * places[r + 1]
        py += im * places[r] + re * places[r + 1]
        vx += re * rates[r] - im * rates[r + 1]
        vy += im * rates[r] + re * rates[r + 1]
    return px, py, vx, vy


def spread(mem: LoadMemory, load: Any) -> None:
    """Add the forces on the expressions to those on the rows."""
    factor, ptr, row, push = mem.term_factor, mem.term_ptr, mem.term_row, mem.places[2]
    for e in range(len(push)):
        fx, fy = push[e][0], push[e][1]
        for k in range(ptr[e], ptr[e + 1]):
            r, re, im = row[k], factor[k][0], factor[k][1]
            load[r] += re * fx + im * fy
            load[r + 1] += re * fy - im * fx


def size_at(mem: LoadMemory, law: int, t: float) -> float:
    """Return the value of a law."""
    return float(law_at(mem, law, t)[0])


def choose(condition: bool, one: float, other: float) -> float:
    """Return one number where a condition holds, else the other."""
    return one if condition else other


def find_touches(mem: LoadMemory) -> None:
    """Write depths of the contacts and their rates, and the rates of frictions, at the last evaluation.

    A rate that is only the rounding of the speeds along the surfaces is zero: as an impact speed, which divides the
    damping, it would make the contact rigid.
    """
    touches, place, speed = mem.touches, mem.places[0], mem.places[1]
    for k in range(len(touches[0])):
        found = touching(mem, k, place, speed)
        a, b = speed[mem.contacts[k][0]], speed[mem.contacts[k][2]]
        noise = ROUNDING * (abs(found[6]) + abs(a[0]) + abs(a[1]) + abs(b[0]) + abs(b[1]))
        touches[0][k], touches[1][k] = found[0], choose(abs(found[1]) <= noise, 0.0, found[1])
    for k in range(len(mem.slips)):
        mem.slips[k] = sliding(mem, k, place, speed)[0]
