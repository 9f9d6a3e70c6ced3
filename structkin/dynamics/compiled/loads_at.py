"""Loads on the slots' rows. The text becomes part of the compiled module, with that of `dynamics.forces`."""

from __future__ import annotations

from typing import Any

from structkin.dynamics.compiled.laws_at import law_at
from structkin.dynamics.compiled.memory import LoadMemory
from structkin.dynamics.forces import add_loads, sliding, touching
from structkin.dynamics.load_formulas import add_loads, touching


def apply_loads(mem: LoadMemory, t: float, x: Any, load: Any) -> None:
    """Add all loads except gravity to the forces on the rows, at places and rates of the slots (2 or more, n)."""
    locate(mem, x)
    add_loads(mem, t, mem.places[0], mem.places[1], mem.places[2])
    spread(mem, load)


def locate(mem: LoadMemory, x: Any) -> None:
    """Write places and rates of the expressions at those of the slots, and set the forces on them to zero."""
    const, factor, ptr, row = mem.const, mem.factor, mem.term_ptr, mem.term_row
    place, speed, push = mem.places[0], mem.places[1], mem.places[2]
    for e in range(len(const)):
        px, py, vx, vy = const[e][0], const[e][1], 0.0, 0.0
        for k in range(ptr[e], ptr[e + 1]):
            r, re, im = row[k], factor[k][0], factor[k][1]
            px += re * x[0][r] - im * x[0][r + 1]
            py += im * x[0][r] + re * x[0][r + 1]
            vx += re * x[1][r] - im * x[1][r + 1]
            vy += im * x[1][r] + re * x[1][r + 1]
        place[e][0], place[e][1], speed[e][0], speed[e][1] = px, py, vx, vy
        push[e][0] = push[e][1] = 0.0


def spread(mem: LoadMemory, load: Any) -> None:
    """Add the forces on the expressions to those on the rows."""
    factor, ptr, row, push = mem.factor, mem.term_ptr, mem.term_row, mem.places[2]
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
    """Write depths of the contacts and their rates, and the rates of frictions, at the last evaluation."""
    touches, place, speed = mem.touches, mem.places[0], mem.places[1]
    for k in range(len(touches[0])):
        found = touching(mem, k, place, speed)
        touches[0][k], touches[1][k] = found[0], found[1]
    for k in range(len(mem.slips)):
        mem.slips[k] = sliding(mem, k, place, speed)[0]
