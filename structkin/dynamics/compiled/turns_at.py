"""Turns of links that no driver determines. The text of this module becomes part of the compiled one.

They are counted from pose to pose, as in `structkin.dynamics.reduced.counted`.
"""

from __future__ import annotations

from math import atan2, pi
from typing import Any

from structkin.dynamics.compiled.memory import Memory
from structkin.dynamics.reduced.counted import LONGEST


def count_turns(mem: Memory, x: Any) -> bool:
    """Write the turns next to the last ones at places of the slots (n,); False where one is too far from them."""
    ptr, row = mem.counted_ptr, mem.counted_row
    const, factor = mem.counted_const, mem.counted_factor
    drawn, turned, new = mem.drawn, mem.turned, mem.new_turned
    for k in range(len(drawn)):
        c, s = const[k][0], const[k][1]
        for j in range(ptr[k], ptr[k + 1]):
            r, re, im = row[j], factor[j][0], factor[j][1]
            c += re * x[r] - im * x[r + 1]
            s += im * x[r] + re * x[r + 1]
        turn = atan2(s, c) - drawn[k]
        new[k] = turn + 2 * pi * round((turned[k] - turn) / (2 * pi))
        if not abs(new[k] - turned[k]) < LONGEST:
            return False
    return True


def turn_between(mem: Memory, k: int) -> float:
    """Return how far the links of torsion spring k have turned against each other since the sketch."""
    ptr, terms, factor = mem.turn_ptr, mem.turn_term, mem.turn_factor
    total = 0.0
    for j in range(ptr[k], ptr[k + 1]):
        of, index = terms[j][0], terms[j][1]
        if of == 0:
            total += factor[j] * mem.z[0][index]
        elif of == 1:
            total += factor[j] * mem.x[0][index]
        else:
            total += factor[j] * mem.new_turned[index]
    return total
