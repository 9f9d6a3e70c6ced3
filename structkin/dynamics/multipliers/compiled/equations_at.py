"""The equations with multipliers at one instant. The text of this module becomes part of the compiled one.

Where a function returns False, the pose is not regular or a number is not finite: `Multipliers` takes over from there.
"""

from __future__ import annotations

from math import inf, isfinite, sqrt
from typing import Any

from structkin.dynamics.compiled.laws_at import law_at
from structkin.dynamics.compiled.loads_at import find_touches, locate, spread
from structkin.dynamics.compiled.masses_at import weigh
from structkin.dynamics.forces import add_loads
from structkin.dynamics.multipliers.compiled.factors_at import factor, solve
from structkin.dynamics.multipliers.compiled.frames_at import find_frames, find_turns, spin_of
from structkin.dynamics.multipliers.compiled.memory import ConstrainedMemory
from structkin.dynamics.multipliers.compiled.parts_at import part, solve_parts
from structkin.dynamics.multipliers.compiled.rows_at import find_rows
from structkin.dynamics.multipliers.partitioning import ITERATIONS, TOLERANCE
from structkin.dynamics.multipliers.projection import CLOSED, CORRECTIONS


def rate(mem: ConstrainedMemory, t: float, y: Any, out: Any) -> bool:
    """Write the rate of the state (2 n,)."""
    n, phi, nu, gamma, asked, second = mem.n, mem.phi, mem.nu, mem.gamma, mem.asked, mem.second
    state = y
    if mem.chosen.shape[0] > 0:
        state = mem.closed
        state[:] = y
        if not close(mem, t, state):
            return False
    if not (find_pose(mem, t, state) and factor(mem)):
        return False
    find_forces(mem, t)
    # Baumgarte's feedback of Phi and Phi' = Phi_q q' + Phi_t.
    double, square = 2.0 * mem.alpha, mem.beta * mem.beta
    for r in range(mem.m):
        asked[r] = gamma[r] - double * (row_rate(mem, r, state) - nu[r]) - square * phi[r]
    solve(mem, mem.force, asked)
    for k in range(n):
        second[k] = mem.right[k]
        out[k], out[n + k] = state[n + k], second[k]
    return are_all_finite(second)


def instant(mem: ConstrainedMemory, t: float, y: Any, out: Any) -> bool:
    """Settle a state in place, and write its rate and the turns of the links."""
    if not (end_step(mem, t, y) and rate(mem, t, y, out)):
        return False
    find_turns(mem, t)
    return True


def find_pose(mem: ConstrainedMemory, t: float, y: Any) -> bool:
    """Write frames and rows at a state; False where a number of it, or of a prescribed driver, is not finite."""
    z, motion = mem.z, mem.motion
    for k in range(motion.shape[0]):
        z[0, k], z[1, k], z[2, k] = law_at(mem, motion[k], t)
    if not (are_all_finite(y) and are_all_finite(z[0]) and are_all_finite(z[1]) and are_all_finite(z[2])):
        return False
    find_frames(mem, y)
    find_rows(mem, y)
    return True


def are_all_finite(values: Any) -> bool:
    """Return whether all numbers are finite."""
    total = 0.0
    for k in range(values.shape[0]):
        total += 0.0 * values[k]
    return isfinite(total)


def row_rate(mem: ConstrainedMemory, r: int, y: Any) -> float:
    """Return Phi_q q' of a row."""
    n, A = mem.n, mem.A
    total = 0.0
    for k in range(n):
        total += A[r * n + k] * y[n + k]
    return total


def find_forces(mem: ConstrainedMemory, t: float) -> None:
    """Write Q (n,): weight, loads and efforts on the frames, less the velocity terms."""
    X, on, weight = mem.X, mem.on_frames, mem.weight
    on[0] = weight
    if mem.tree != 0:
        weigh(mem, X[2], on[1])
        on[0] -= on[1]
    if mem.const.shape[0] > 0:
        if mem.torsion_links.shape[0] > 0:
            find_turns(mem, t)
        push = mem.places[2]
        locate(mem, X)
        add_loads(mem, t, mem.places[0], mem.places[1], push)
        on[1] = 0.0
        spread(mem, on[1])
        for k in range(X.shape[1] // 4):
            # Forces on directions are moments: components that would stretch a direction are dropped.
            ux, uy = X[0, 4 * k + 2], X[0, 4 * k + 3]
            moment = (ux * on[1, 4 * k + 3] - uy * on[1, 4 * k + 2]) / (ux * ux + uy * uy)
            on[1, 4 * k + 2], on[1, 4 * k + 3] = -moment * uy, moment * ux
        on[0] += on[1]
        push[:] = 0.0
        add_efforts(mem, t, push)
        spread(mem, on[0])
    force, row, column, entry = mem.force, mem.map_row, mem.map_column, mem.map
    force[:] = 0.0
    for e in range(row.shape[0]):
        force[column[e]] += entry[e] * on[0, row[e]]


def add_efforts(mem: ConstrainedMemory, t: float, push: Any) -> None:
    """Add the efforts along free coordinates: of an angle between two directions a and b, of a . b, or of |b|."""
    efforts, place = mem.efforts, mem.places[0]
    for k in range(efforts.shape[0]):
        kind, a, b = efforts[k, 0], efforts[k, 1], efforts[k, 2]
        effort = law_at(mem, efforts[k, 3], t)[0]
        ax, ay, bx, by = place[a, 0], place[a, 1], place[b, 0], place[b, 1]
        if kind == 0:
            first, second = effort / (ax * ax + ay * ay), effort / (bx * bx + by * by)
            push[a, 0] += first * ay
            push[a, 1] -= first * ax
            push[b, 0] -= second * by
            push[b, 1] += second * bx
        elif kind == 1:
            push[a, 0] += effort * bx
            push[a, 1] += effort * by
            push[b, 0] += effort * ax
            push[b, 1] += effort * ay
        else:
            length = sqrt(bx * bx + by * by)
            push[b, 0] += effort * bx / length
            push[b, 1] += effort * by / length


# --- between steps --------------------------------------------------------------------------------------------


def end_step(mem: ConstrainedMemory, t: float, y: Any) -> bool:
    """Move the state at the end of a step onto the constraints, in place."""
    if mem.chosen.shape[0] > 0:
        return close(mem, t, y)
    return mem.projects == 0 or project(mem, t, y)


def close(mem: ConstrainedMemory, t: float, y: Any) -> bool:
    """Find the dependent coordinates and velocities of a state from the independent ones, in place."""
    n, chosen, unit, right = mem.n, mem.chosen, mem.unit_q, mem.part_right
    first = n - chosen.shape[0]
    for _ in range(ITERATIONS):
        if not (find_pose(mem, t, y) and part(mem)):
            return False
        right[first:] = 0.0
        size = solve_parts(mem, mem.phi, -1.0)
        for k in range(n):
            y[k] += right[k]
        if not size < 1.0:
            return False
        if size < TOLERANCE:
            if not (find_pose(mem, t, y) and part(mem)):
                return False
            for k in range(chosen.shape[0]):
                right[first + k] = y[n + chosen[k]] / unit[chosen[k]]
            solve_parts(mem, mem.nu, 1.0)
            for k in range(n):
                y[n + k] = right[k]
            return True
    return False


def project(mem: ConstrainedMemory, t: float, y: Any) -> bool:
    """Project positions and velocities of a state onto the constraints, in place; see `multipliers.projection`."""
    if not (find_pose(mem, t, y) and factor(mem)):
        return False
    n, force, asked, phi, right, nu = mem.n, mem.force, mem.asked, mem.phi, mem.right, mem.nu
    force[:] = 0.0
    last = -1.0
    for _ in range(CORRECTIONS):
        gap = largest_gap(mem)
        # Rounding is reached when the gap no longer shrinks.
        if gap < CLOSED or (last >= 0.0 and not gap < 0.5 * last):
            break
        asked[:] = -phi
        solve(mem, force, asked)
        for k in range(n):
            y[k] += right[k]
        if not find_pose(mem, t, y):
            return False
        last = gap
    for _ in range(2):
        for r in range(mem.m):
            asked[r] = nu[r] - row_rate(mem, r, y)
        solve(mem, force, asked)
        for k in range(n):
            y[n + k] += right[k]
    return are_all_finite(y)


def largest_gap(mem: ConstrainedMemory) -> float:
    """Return the largest residual of a row, relative to its unit."""
    phi, unit, gap = mem.phi, mem.unit_row, 0.0
    for r in range(phi.shape[0]):
        gap = max(gap, abs(phi[r]) / unit[r])
    return gap


def accept(mem: ConstrainedMemory, t: float, y: Any) -> float:
    """Count turns at the end of a step; return the largest gap, infinity where it is not known."""
    if not find_pose(mem, t, y):
        return inf
    find_turns(mem, t)
    for k in range(mem.turns.shape[0]):
        mem.turns[k], mem.turn_rates[k] = mem.new_turns[k], spin_of(mem, k)
    mem.clock = t
    return largest_gap(mem)


def touch(mem: ConstrainedMemory, t: float, y: Any) -> None:
    """Write depths of the contacts and their rates at a state."""
    find_frames(mem, y)
    locate(mem, mem.X)
    find_touches(mem)
