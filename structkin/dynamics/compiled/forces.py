"""Loads as forces on the slots' rows. The text of this module becomes part of the compiled one.

A force F on a point does the work F . dP. A moment M on a link of the direction U does the work M (U x dU), that of the
force M (-Uy, Ux) on U. So every load is a force on an expression, and on the rows of the slots that it is made of. The
loads are those of `structkin.dynamics.loads`, with the same signs.
"""

from __future__ import annotations

from math import sqrt, tanh
from typing import Any

from structkin.dynamics.compiled.laws_at import law_at
from structkin.dynamics.compiled.memory import Memory
from structkin.dynamics.compiled.turns_at import turn_between


def apply_loads(mem: Memory, t: float, x: Any, load: Any) -> None:
    """Add all loads but gravity to the forces on the rows, at places and rates of the slots (2 or more, n)."""
    const, factor = mem.const, mem.factor
    ptr, row, expressions = mem.term_ptr, mem.term_row, const.shape[0]
    places = mem.places
    place, speed, push = places[0], places[1], places[2]
    for e in range(expressions):
        px, py, vx, vy = const[e, 0], const[e, 1], 0.0, 0.0
        for k in range(ptr[e], ptr[e + 1]):
            r, re, im = row[k], factor[k, 0], factor[k, 1]
            px += re * x[0, r] - im * x[0, r + 1]
            py += im * x[0, r] + re * x[0, r + 1]
            vx += re * x[1, r] - im * x[1, r + 1]
            vy += im * x[1, r] + re * x[1, r + 1]
        place[e, 0], place[e, 1], speed[e, 0], speed[e, 1] = px, py, vx, vy
        push[e, 0] = push[e, 1] = 0.0
    add_springs(mem, t, place, speed, push)
    add_torsions(mem, t, place, speed, push)
    add_pushes(mem, t, place, push)
    add_frictions(mem, place, speed, push)
    for e in range(expressions):
        fx, fy = push[e, 0], push[e, 1]
        for k in range(ptr[e], ptr[e + 1]):
            r, re, im = row[k], factor[k, 0], factor[k, 1]
            load[r] += re * fx + im * fy
            load[r + 1] += re * fy - im * fx


def turn(place: Any, push: Any, e: int, moment: float) -> None:
    """Turn a direction by a moment."""
    push[e, 0] -= moment * place[e, 1]
    push[e, 1] += moment * place[e, 0]


def omega(place: Any, speed: Any, e: int) -> float:
    """Return the angular velocity of a direction."""
    return float(place[e, 0] * speed[e, 1] - place[e, 1] * speed[e, 0])


def add_springs(mem: Memory, t: float, place: Any, speed: Any, push: Any) -> None:
    """Pull two points together; a row of indices is (first, second, law of the actuator)."""
    springs, sizes = mem.springs, mem.spring_sizes
    for k in range(springs.shape[0]):
        a, b = springs[k, 0], springs[k, 1]
        dx, dy = place[b, 0] - place[a, 0], place[b, 1] - place[a, 1]
        length = sqrt(dx * dx + dy * dy)
        ux, uy = dx / length, dy / length
        rate = ux * (speed[b, 0] - speed[a, 0]) + uy * (speed[b, 1] - speed[a, 1])
        pull = sizes[k, 0] * (length - sizes[k, 1]) + sizes[k, 2] * rate
        if springs[k, 2] >= 0:
            pull += law_at(mem, springs[k, 2], t)[0]
        push[a, 0] += pull * ux
        push[a, 1] += pull * uy
        push[b, 0] -= pull * ux
        push[b, 1] -= pull * uy


def add_torsions(mem: Memory, t: float, place: Any, speed: Any, push: Any) -> None:
    """Turn a link back to an angle from another; a row of indices is (from, to, law of the actuator)."""
    torsions, sizes = mem.torsions, mem.torsion_sizes
    for k in range(torsions.shape[0]):
        a, b = torsions[k, 0], torsions[k, 1]
        moment = sizes[k, 0] * (sizes[k, 1] - turn_between(mem, k))
        moment -= sizes[k, 2] * (omega(place, speed, b) - omega(place, speed, a))
        if torsions[k, 2] >= 0:
            moment += law_at(mem, torsions[k, 2], t)[0]
        turn(place, push, b, moment)
        turn(place, push, a, -moment)


def add_pushes(mem: Memory, t: float, place: Any, push: Any) -> None:
    """Push a point; a row of indices is (point, direction of the link or -1 for global axes, law of x, law of y).

    Moments: (from, to, law).
    """
    pushes, moments = mem.pushes, mem.moments
    for k in range(pushes.shape[0]):
        e, d = pushes[k, 0], pushes[k, 1]
        x, y = law_at(mem, pushes[k, 2], t)[0], law_at(mem, pushes[k, 3], t)[0]
        if d >= 0:
            x, y = place[d, 0] * x - place[d, 1] * y, place[d, 1] * x + place[d, 0] * y
        push[e, 0] += x
        push[e, 1] += y
    for k in range(moments.shape[0]):
        size = law_at(mem, moments[k, 2], t)[0]
        turn(place, push, moments[k, 1], size)
        turn(place, push, moments[k, 0], -size)


def add_frictions(mem: Memory, place: Any, speed: Any, push: Any) -> None:
    """Rub; a row of indices is (from, to, -1) of directions, or (origin, direction of the carrier, slider's point).

    The sizes are limit, transition, and the direction of the guide in the carrier's frame (two numbers).
    """
    frictions, sizes = mem.frictions, mem.friction_sizes
    for k in range(frictions.shape[0]):
        a, b, p = frictions[k, 0], frictions[k, 1], frictions[k, 2]
        limit, transition, re, im = sizes[k, 0], sizes[k, 1], sizes[k, 2], sizes[k, 3]
        if p < 0:
            moment = -limit * tanh((omega(place, speed, b) - omega(place, speed, a)) / transition)
            turn(place, push, b, moment)
            turn(place, push, a, -moment)
            continue
        ux, uy = re * place[b, 0] - im * place[b, 1], im * place[b, 0] + re * place[b, 1]
        wx, wy = place[p, 0] - place[a, 0], place[p, 1] - place[a, 1]
        # Against the place of the carrier that the point passes.
        w = omega(place, speed, b)
        rate = ux * (speed[p, 0] - speed[a, 0] + w * wy) + uy * (speed[p, 1] - speed[a, 1] - w * wx)
        size = -limit * tanh(rate / transition)
        push[p, 0] += size * ux
        push[p, 1] += size * uy
        push[a, 0] -= size * ux
        push[a, 1] -= size * uy
        turn(place, push, b, -size * (wx * uy - wy * ux))
