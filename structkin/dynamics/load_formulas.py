"""Loads as forces on points and directions of links, for both engines.

A force F on a point does the work F . dP. A moment M on a link with the direction U does the work M (U x dU), the same
as the force M (-Uy, Ux) on U. So every load is a force on an expression of the slots. `mem` holds the loads as indices
of expressions (`load_table`); `place`, `speed` and `push` (e, 2) are those of the expressions.

The text of this module becomes part of the compiled one, where everything is a number. In Python the values are those
of n samples, (e, 2, n). The compiled module has its own `size_at`, `turn_between`, `tangent_at` and `choose`.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy import sqrt, tanh

#: The path of a joint that rubs, unless it is the number of a curve.
STRAIGHT, CIRCLE = -1, -2


def size_at(mem: Any, law: int, t: float) -> Any:
    """Return the value of a law."""
    return mem.sizes[law]


def turn_between(mem: Any, k: int) -> Any:
    """Return how far the links of torsion spring k have turned against each other since the sketch."""
    return mem.turns[k]


def tangent_at(mem: Any, k: int, x: Any, y: Any) -> Any:
    """Return the unit tangent of curve k at the point nearest to a place."""
    curve = mem.table.curves[k]
    tx, ty = curve.at(curve.foot(x, y), 2)[1]
    speed = sqrt(tx * tx + ty * ty)
    return tx / speed, ty / speed


def choose(condition: Any, one: Any, other: Any) -> Any:
    """Return one value where a condition holds, else the other."""
    return np.where(condition, one, other)


def add_loads(mem: Any, t: float, place: Any, speed: Any, push: Any) -> None:
    """Add the forces of all loads except gravity."""
    add_springs(mem, t, place, speed, push)
    add_torsions(mem, t, place, speed, push)
    add_pushes(mem, t, place, push)
    add_frictions(mem, place, speed, push)
    add_contacts(mem, place, speed, push)


def push_apart(push: Any, a: int, b: int, x: Any, y: Any) -> None:
    """Put a force on a point, and its opposite on another."""
    push[a][0] += x
    push[a][1] += y
    push[b][0] -= x
    push[b][1] -= y


def turn(place: Any, push: Any, e: int, moment: Any) -> None:
    """Apply a moment to a direction."""
    push[e][0] -= moment * place[e][1]
    push[e][1] += moment * place[e][0]


def omega(place: Any, speed: Any, e: int) -> Any:
    """Return the angular velocity of a direction."""
    return place[e][0] * speed[e][1] - place[e][1] * speed[e][0]


def add_springs(mem: Any, t: float, place: Any, speed: Any, push: Any) -> None:
    """Add springs, which pull two points together; a row of indices is (first, second, law of the actuator)."""
    springs, sizes = mem.springs, mem.spring_sizes
    for k in range(len(springs)):
        a, b = springs[k][0], springs[k][1]
        dx, dy = place[b][0] - place[a][0], place[b][1] - place[a][1]
        vx, vy = speed[b][0] - speed[a][0], speed[b][1] - speed[a][1]
        length = sqrt(dx * dx + dy * dy)
        given = size_at(mem, springs[k][2], t) if springs[k][2] >= 0 else 0.0
        # Where the ends meet and only the damper acts, it acts along their velocity, as just before and after. Any
        # other force has no direction there.
        free = (length == 0) & (sizes[k][0] * sizes[k][1] == given)
        dx, dy = choose(free, vx, dx), choose(free, vy, dy)
        along = sqrt(dx * dx + dy * dy)
        apart = choose(free & (along == 0), 1.0, along)
        ux, uy = dx / apart, dy / apart
        pull = sizes[k][0] * (length - sizes[k][1]) + sizes[k][2] * (ux * vx + uy * vy) + given
        push_apart(push, a, b, pull * ux, pull * uy)


def add_torsions(mem: Any, t: float, place: Any, speed: Any, push: Any) -> None:
    """Add torsion springs between two links; a row of indices is (from, to, law of the actuator)."""
    torsions, sizes = mem.torsions, mem.torsion_sizes
    for k in range(len(torsions)):
        a, b = torsions[k][0], torsions[k][1]
        moment = sizes[k][0] * (sizes[k][1] - turn_between(mem, k))
        moment = moment - sizes[k][2] * (omega(place, speed, b) - omega(place, speed, a))
        if torsions[k][2] >= 0:
            moment = moment + size_at(mem, torsions[k][2], t)
        turn(place, push, b, moment)
        turn(place, push, a, -moment)


def add_pushes(mem: Any, t: float, place: Any, push: Any) -> None:
    """Add applied forces; a row of indices is (point, direction of the link or -1 for global axes, law of x, law of y).

    Moments: (from, to, law).
    """
    pushes, moments = mem.pushes, mem.moments
    for k in range(len(pushes)):
        e, d = pushes[k][0], pushes[k][1]
        x, y = size_at(mem, pushes[k][2], t), size_at(mem, pushes[k][3], t)
        if d >= 0:
            x, y = place[d][0] * x - place[d][1] * y, place[d][1] * x + place[d][0] * y
        push[e][0] += x
        push[e][1] += y
    for k in range(len(moments)):
        size = size_at(mem, moments[k][2], t)
        turn(place, push, moments[k][1], size)
        turn(place, push, moments[k][0], -size)


def add_frictions(mem: Any, place: Any, speed: Any, push: Any) -> None:
    """Add friction; a row is (from, to, -1, -1) of directions, or (origin, carrier's direction, slider's point, path).

    The path is straight, a circle about the origin, or a curve by its number. The sizes are transition, and the
    direction of a straight guide in the carrier's frame (two numbers).
    """
    for k in range(len(mem.frictions)):
        a, b, p = mem.frictions[k][0], mem.frictions[k][1], mem.frictions[k][2]
        rate, ux, uy, arm = sliding(mem, k, place, speed)
        size = -mem.friction_limits[k] * tanh(rate)
        turn(place, push, b, size * arm)
        if p < 0:
            turn(place, push, a, -size)
        else:
            push_apart(push, p, a, size * ux, size * uy)


def sliding(mem: Any, k: int, place: Any, speed: Any) -> Any:
    """Return the rate of friction k in parts of its transition, the path's tangent, and the force's arm on b."""
    a, b, p, path = mem.frictions[k][0], mem.frictions[k][1], mem.frictions[k][2], mem.frictions[k][3]
    transition, re, im = mem.friction_sizes[k][0], mem.friction_sizes[k][1], mem.friction_sizes[k][2]
    turning = omega(place, speed, b)
    if p < 0:
        return (turning - omega(place, speed, a)) / transition, 0.0, 0.0, 1.0
    c, s = place[b][0], place[b][1]
    wx, wy = place[p][0] - place[a][0], place[p][1] - place[a][1]
    if path >= 0:
        re, im = tangent_at(mem, path, c * wx + s * wy, c * wy - s * wx)
    ux, uy = re * c - im * s, im * c + re * s
    if path == CIRCLE:
        radius = sqrt(wx * wx + wy * wy)
        ux, uy = -wy / radius, wx / radius
    # Relative to the coincident point of the carrier.
    rate = ux * (speed[p][0] - speed[a][0] + turning * wy) + uy * (speed[p][1] - speed[a][1] - turning * wx)
    return rate / transition, ux, uy, wy * ux - wx * uy


# --- contacts -----------------------------------------------------------------------------------------------


def touching(mem: Any, k: int, place: Any, speed: Any) -> Any:
    """Return how the bodies of contact k touch: depth, its rate, normal, place, and sliding speed.

    A row of indices is (centre and direction of the first body, centre or place and direction of the second, whether
    that is a circle); sizes begin with both radii, negative for a bore, and the normal of a line in its link's frame.
    """
    row, sizes = mem.contacts[k], mem.contact_sizes[k]
    a, b = row[0], row[2]
    wx, wy = place[a][0] - place[b][0], place[a][1] - place[b][1]
    if row[4] == 0:
        ux, uy = place[row[3]][0], place[row[3]][1]
        nx, ny = sizes[2] * ux - sizes[3] * uy, sizes[3] * ux + sizes[2] * uy
        depth = sizes[0] - (wx * nx + wy * ny)
    else:
        # A bore has a negative radius: it pushes the circle inside towards its own centre.
        distance, side = sqrt(wx * wx + wy * wy), (1.0 if sizes[1] >= 0 else -1.0)
        # Bodies with a common centre are pushed apart along x.
        apart = choose(distance == 0, 1.0, distance)
        nx, ny = side * choose(distance == 0, 1.0, wx) / apart, side * wy / apart
        depth = sizes[0] + sizes[1] - side * distance
    arm = sizes[0] - 0.5 * depth
    px, py = place[a][0] - arm * nx, place[a][1] - arm * ny
    first, second = omega(place, speed, row[1]), omega(place, speed, row[3])
    vx = speed[a][0] - first * (py - place[a][1]) - speed[b][0] + second * (py - place[b][1])
    vy = speed[a][1] + first * (px - place[a][0]) - speed[b][1] - second * (px - place[b][0])
    return depth, -(vx * nx + vy * ny), nx, ny, px, py, vy * nx - vx * ny


def add_contacts(mem: Any, place: Any, speed: Any, push: Any) -> None:
    """Add contact forces at the points of contact; `mem.met` holds the impact speeds.

    The normal force is never negative, and zero where the bodies have not met, that is where this speed is NaN. After
    the normal of a line, the sizes are stiffness, exponent, loss, friction and transition.
    """
    contacts = mem.contacts
    for k in range(len(contacts)):
        row, sizes, met = contacts[k], mem.contact_sizes[k], mem.met[k]
        depth, rate, nx, ny, px, py, sliding = touching(mem, k, place, speed)
        press = pressure(sizes, depth, rate, met)
        rub = -sizes[7] * press * tanh(sliding / sizes[8])
        x, y = press * nx - rub * ny, press * ny + rub * nx
        push_apart(push, row[0], row[2], x, y)
        turn(place, push, row[1], (px - place[row[0]][0]) * y - (py - place[row[0]][1]) * x)
        turn(place, push, row[3], (py - place[row[2]][1]) * x - (px - place[row[2]][0]) * y)


def pressure(sizes: Any, depth: Any, rate: Any, met: Any) -> Any:
    """Return the normal force at a depth, its rate, and the impact speed."""
    # A depth that is NaN stays NaN.
    deep = choose(depth < 0, 0.0, depth)
    deep = choose((met != met) & (depth == depth), 0.0, deep)
    ratio = choose((met > 0) & (deep > 0), rate / choose(met > 0, met, 1.0), 0.0)
    press = sizes[4] * deep ** sizes[5] * (1 + sizes[6] * ratio)
    return choose(press < 0, 0.0, press)
