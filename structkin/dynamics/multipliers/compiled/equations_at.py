"""The equations with multipliers at one instant: one text, run as plain Python or compiled.

Where a compiled function returns False, the pose is not regular or a number is not finite: plain Python, which solves
such systems too, takes over from there.

Of large systems plain Python has NumPy's operations in the place of those on whole rows of numbers, see
`multipliers.whole`.
"""

from __future__ import annotations

from math import isfinite, sqrt
from typing import Any

from structkin.dynamics.compiled.loads_at import find_touches, law_at, locate, spread, weigh
from structkin.dynamics.load_formulas import add_loads
from structkin.dynamics.multipliers.compiled.factors_at import factor, part, solve, solve_parts
from structkin.dynamics.multipliers.compiled.memory import ConstrainedMemory
from structkin.dynamics.multipliers.compiled.rows_at import count_turns, find_frames, find_rows, find_turns
from structkin.dynamics.multipliers.stabilisation import CORRECTIONS, ITERATIONS
from structkin.numerical_tolerances import CLOSED_IN_SPACE, ROUNDING_OF_ONE


def put(out: Any, at: int, values: Any, start: int, count: int) -> None:
    """Write `count` numbers from a start into others from a place on."""
    for k in range(count):
        out[at + k] = values[start + k]


def add(out: Any, at: int, factor: float, values: Any, count: int) -> None:
    """Add a multiple of the first numbers to others from a place on."""
    for k in range(count):
        out[at + k] += factor * values[k]


def fill(out: Any, value: float) -> None:
    """Write one number everywhere."""
    for k in range(len(out)):
        out[k] = value


def add_product(out: Any, factor: float, row: Any, column: Any, entry: Any, values: Any, start: int) -> None:
    """Add a multiple of a matrix, given by its entries, times numbers from a start on."""
    for e in range(len(row)):
        out[row[e]] += factor * entry[e] * values[start + column[e]]


def are_all_finite(values: Any) -> bool:
    """Return whether all numbers are finite."""
    total = 0.0
    for k in range(len(values)):
        total += 0.0 * values[k]
    return isfinite(total)


def largest_gap(mem: ConstrainedMemory) -> float:
    """Return the largest residual of a row, relative to its unit."""
    phi, unit, gap = mem.phi, mem.unit_row, 0.0
    for r in range(mem.m):
        gap = max(gap, abs(phi[r]) / unit[r])
    return gap


def leave_moments(place: Any, load: Any) -> None:
    """Leave of forces on directions only their moments: components that would stretch a direction are dropped."""
    for k in range(2, len(load), 4):
        ux, uy = place[k], place[k + 1]
        moment = (ux * load[k + 1] - uy * load[k]) / (ux * ux + uy * uy)
        load[k], load[k + 1] = -moment * uy, moment * ux


def rate(mem: ConstrainedMemory, t: float, y: Any, out: Any) -> bool:
    """Write the rate of the state (2 n,), which partitioning closes first, in place."""
    n, right = mem.n, mem.right
    if mem.closes != 0 and not close(mem, t, y):
        return False
    if not (find_pose(mem, t, y) and decompose(mem)):
        return False
    find_forces(mem, t, y)
    find_asked(mem, y)
    find_seconds(mem)
    put(out, 0, y, n, n)
    put(out, n, right, 0, n)
    return are_all_finite(out)


def find_seconds(mem: ConstrainedMemory) -> None:
    """Write the accelerations."""
    solve(mem, mem.force, mem.asked)


def instant(mem: ConstrainedMemory, t: float, y: Any, out: Any) -> bool:
    """Settle a state in place, and write its rate and the turns of the links."""
    if not (end_step(mem, t, y) and rate(mem, t, y, out)):
        return False
    find_turns(mem, t)
    return True


def find_pose(mem: ConstrainedMemory, t: float, y: Any) -> bool:
    """Write frames and rows at a state; False where a number of it, or of a prescribed driver, is not finite."""
    if not find_residuals(mem, t, y):
        return False
    add_frames(mem, y)
    return True


def add_frames(mem: ConstrainedMemory, y: Any) -> None:
    """Write the frames, which only arrays leave out of the rows."""


def find_residuals(mem: ConstrainedMemory, t: float, y: Any) -> bool:
    """Write the rows at a state; False where a number of it, or of a prescribed driver, is not finite."""
    z, motion = mem.z, mem.motion
    for k in range(len(motion)):
        z[0][k], z[1][k], z[2][k] = law_at(mem, motion[k], t)
        z[2][k] += mem.jolt[k]
    if not (are_all_finite(y) and are_all_finite(z[0]) and are_all_finite(z[1]) and are_all_finite(z[2])):
        return False
    find_rows(mem, y)
    return True


def decompose(mem: ConstrainedMemory) -> bool:
    """Factorise the system of a pose."""
    find_masses(mem)
    return factor(mem)


def find_masses(mem: ConstrainedMemory) -> None:
    """Write M = X_q^T M_X X_q, if it changes."""
    if mem.tree != 0:
        M, out, one, two, factors = mem.M, mem.product_out, mem.product_one, mem.product_two, mem.product
        change = mem.map
        for e in range(len(M)):
            M[e] = 0.0
        for k in range(len(factors)):
            M[out[k]] += factors[k] * change[one[k]] * change[two[k]]


def find_asked(mem: ConstrainedMemory, y: Any) -> None:
    """Write what is asked of Phi_q q'': gamma, with Baumgarte's feedback of Phi and Phi' = Phi_q q' + Phi_t."""
    asked, double, square = mem.asked, 2.0 * mem.alpha, mem.beta * mem.beta
    find_gamma(mem, y)
    put(asked, 0, mem.gamma, 0, mem.m)
    if double != 0.0:
        add(asked, 0, double, mem.nu, mem.m)
        add_product(asked, -double, mem.A_row, mem.A_column, mem.A, y, mem.n)
    if square != 0.0:
        add(asked, 0, -square, mem.phi, mem.m)


def find_gamma(mem: ConstrainedMemory, y: Any) -> None:
    """Write gamma, which only arrays leave out of the rows."""


def find_forces(mem: ConstrainedMemory, t: float, y: Any) -> None:
    """Write Q (n,): weight, loads and efforts on the frames, less the velocity terms."""
    X, load, other, weight, places = mem.X, mem.on_frames[0], mem.on_frames[1], mem.weight, mem.places
    put(load, 0, weight, 0, len(load))
    if mem.tree != 0:
        weigh_seconds(mem, y, other)
        add(load, 0, -1.0, other, len(load))
    if len(mem.term_const) > 0:
        if len(mem.torsion_links) > 0:
            find_turns(mem, t)
        locate(mem, X)
        add_loads(mem, t, places[0], places[1], places[2])
        fill(other, 0.0)
        spread(mem, other)
        leave_moments(X[0], other)
        add(load, 0, 1.0, other, len(load))
        push = places[2]
        for e in range(len(push)):
            push[e][0] = push[e][1] = 0.0
        add_efforts(mem, t, push)
        spread(mem, load)
    apply_functions(mem, t, load)
    fill(mem.force, 0.0)
    add_product(mem.force, 1.0, mem.map_column, mem.map_row, mem.map, load, 0)


def weigh_seconds(mem: ConstrainedMemory, y: Any, out: Any) -> None:
    """Write the velocity terms M_X X'' on the frames, where q'' = 0."""
    weigh(mem, mem.X[2], out)


def apply_functions(mem: ConstrainedMemory, t: float, load: Any) -> None:
    """Add the loads of users' functions; only plain Python has any, and its own of this."""


def add_efforts(mem: ConstrainedMemory, t: float, push: Any) -> None:
    """Add the efforts along free coordinates: of an angle between two directions a and b, of a . b, or of |b|."""
    efforts, place = mem.efforts, mem.places[0]
    for k in range(len(efforts)):
        kind, a, b = efforts[k][0], efforts[k][1], efforts[k][2]
        effort = law_at(mem, efforts[k][3], t)[0]
        ax, ay, bx, by = place[a][0], place[a][1], place[b][0], place[b][1]
        if kind == 0:
            first, second = effort / (ax * ax + ay * ay), effort / (bx * bx + by * by)
            push[a][0] += first * ay
            push[a][1] -= first * ax
            push[b][0] -= second * by
            push[b][1] += second * bx
        elif kind == 1:
            push[a][0] += effort * bx
            push[a][1] += effort * by
            push[b][0] += effort * ax
            push[b][1] += effort * ay
        else:
            length = sqrt(bx * bx + by * by)
            push[b][0] += effort * bx / length
            push[b][1] += effort * by / length


# --- between steps --------------------------------------------------------------------------------------------


def end_step(mem: ConstrainedMemory, t: float, y: Any) -> bool:
    """Move the state at the end of a step onto the constraints, in place."""
    if mem.closes != 0:
        return close(mem, t, y)
    return mem.projects == 0 or project(mem, t, y)


def close(mem: ConstrainedMemory, t: float, y: Any) -> bool:
    """Find the dependent coordinates and velocities of a state from the independent ones, in place."""
    n, chosen, unit, right, near = mem.n, mem.chosen, mem.unit_q, mem.part_right, mem.near
    first = n - len(chosen)
    for _ in range(ITERATIONS):
        if not (find_residuals(mem, t, y) and part(mem)):
            return False
        fill(near, 0.0)
        for k in range(first, n):
            right[k] = 0.0
        size = solve_parts(mem, mem.phi, -1.0, near)
        add(y, 0, 1.0, right, n)
        if not size < 1.0:
            return False
        if size < CLOSED_IN_SPACE:
            if not (find_residuals(mem, t, y) and part(mem)):
                return False
            put(near, 0, y, n, n)
            for k in range(len(chosen)):
                right[first + k] = y[n + chosen[k]] / unit[chosen[k]]
            solve_parts(mem, mem.nu, 1.0, near)
            put(y, n, right, 0, n)
            return True
    return False


def project(mem: ConstrainedMemory, t: float, y: Any) -> bool:
    """Project positions and velocities of a state onto the constraints, in place; see `multipliers.projection`."""
    if not (find_pose(mem, t, y) and decompose(mem)):
        return False
    n, m, force, asked, right = mem.n, mem.m, mem.force, mem.asked, mem.right
    fill(force, 0.0)
    last = -1.0
    for _ in range(CORRECTIONS):
        gap = largest_gap(mem)
        # Rounding is reached when the gap no longer shrinks.
        if gap < ROUNDING_OF_ONE or (last >= 0.0 and not gap < 0.5 * last):
            break
        fill(asked, 0.0)
        add(asked, 0, -1.0, mem.phi, m)
        solve(mem, force, asked)
        add(y, 0, 1.0, right, n)
        if not find_residuals(mem, t, y):
            return False
        last = gap
    for _ in range(2):
        put(asked, 0, mem.nu, 0, m)
        add_product(asked, -1.0, mem.A_row, mem.A_column, mem.A, y, n)
        solve(mem, force, asked)
        add(y, n, 1.0, right, n)
    return are_all_finite(y)


def accept(mem: ConstrainedMemory, t: float, y: Any) -> bool:
    """Count turns at the end of a step; return whether there is one."""
    if not find_pose(mem, t, y):
        return False
    find_turns(mem, t)
    count_turns(mem)
    mem.clock = t
    return True


def touch(mem: ConstrainedMemory, t: float, y: Any) -> None:
    """Write depths of the contacts and their rates at a state."""
    find_frames(mem, y)
    locate(mem, mem.X)
    find_touches(mem)
