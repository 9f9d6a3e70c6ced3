"""The reduced equations at one instant. The text of this module becomes part of the compiled one.

Points and directions of links are affine in the slots, so that in the slots' rates the kinetic energy is a constant
quadratic form: 2 T = v^T W v. With v = K z' and the slots' accelerations a = K z'' + b the equations of motion are

    K_f^T W K_f z_f'' = K_f^T (g + loads - W b) + efforts

where b holds what the velocities and the prescribed drivers make. All of it costs the order of the number of links.
"""

from __future__ import annotations

from math import cos, isfinite, sin, sqrt
from typing import TYPE_CHECKING, Any

import numpy as np

from structkin.dynamics.compiled.forces import apply_loads
from structkin.dynamics.compiled.laws_at import law_at
from structkin.dynamics.compiled.layout import (
    ASIDE,
    CLOCK,
    CONST,
    COUNT,
    DRIVERS,
    EFFORT,
    EFFORTS,
    ENERGY,
    FOLLOWED,
    FREE,
    KEPT,
    LAST,
    LOAD,
    MASS,
    MASS_PTR,
    MASS_ROW,
    MATRIX,
    MEASURES,
    MOTION,
    MOVED,
    MOVED_PTR,
    NEW_ROOTS,
    NEW_TURNED,
    REACHED,
    REACHED_PTR,
    RIGHT,
    ROOTS,
    SECOND,
    SMOOTH,
    STEEP,
    STEP,
    TURNED,
    WEIGHT,
    K,
    X,
    Z,
    ints,
    numbers,
)
from structkin.dynamics.compiled.series_at import expand, leave_series
from structkin.dynamics.compiled.turns_at import count_turns
from structkin.track.tolerances import SIMULATED_WAY

if TYPE_CHECKING:
    from structkin.dynamics.compiled.calling import call_step


def rate(I: Any, D: Any, t: float, y: Any, out: Any) -> bool:
    """Write the rate of the state (2 free,); return False where another evaluation is asked for."""
    if not evaluate(I, D, t, y, 0):
        return False
    free, second = ints(I, FREE)[0], numbers(I, D, SECOND)
    for k in range(free):
        out[k], out[free + k] = y[free + k], second[k]
    return True


def evaluate(I: Any, D: Any, t: float, y: Any, level: int) -> bool:
    """Evaluate second rates at a time and state; level 1: also accelerations and energies; 2: also efforts.

    Return False where a pose is flat or out of reach, or may lie beyond a flat one: what then holds is not known here.
    """
    ints(I, COUNT)[0] += 1
    free, z, x = ints(I, FREE)[0], numbers(I, D, Z).reshape(3, -1), numbers(I, D, X).reshape(3, -1)
    f, clock, second = z.shape[1], numbers(I, D, CLOCK), numbers(I, D, SECOND)
    columns = numbers(I, D, K).reshape(f, -1)
    count = f if level == 2 else free
    if ints(I, ASIDE)[0] != 0 or not settle(I, D, t, y, count, z, x, columns):
        return False
    if is_steep(I, columns, count, numbers(I, D, STEEP)[0]):
        return False
    load = numbers(I, D, LOAD).reshape(2, -1)
    weigh(I, D, x[2], load[1])
    weight = numbers(I, D, WEIGHT)
    for r in range(weight.shape[0]):
        load[0, r] = weight[r] - load[1, r]
    if I[2 * CONST + 1] > 0:
        apply_loads(I, D, t, x, load[0])
    if not (balance(I, D, t, columns, load, second) and are_finite(second)):
        return False
    clock[0], last = t, numbers(I, D, LAST)
    for k in range(f):
        last[k] = y[k] if k < free else z[0, k]
    for k in range(free):
        z[2, k] = second[k]
    keep(numbers(I, D, NEW_ROOTS), numbers(I, D, ROOTS))
    keep(x[0], numbers(I, D, KEPT))
    keep(numbers(I, D, NEW_TURNED), numbers(I, D, TURNED))
    if level:
        finish(I, D, second, x, columns, load)
    if level == 2:
        find_efforts(I, D, t, second, columns, load)
    return True


def settle(I: Any, D: Any, t: float, y: Any, count: int, z: Any, x: Any, columns: Any) -> bool:
    """Write the pose at a time and state, come to in parts where the way is too long to tell modes by slopes."""
    if not give(I, D, t, y, z):
        return False
    followed = ints(I, FOLLOWED)[0] != 0
    far = followed and farthest(I, D, z) > SIMULATED_WAY
    if not far and pose(I, D, t - numbers(I, D, CLOCK)[0], y, count, z, x, columns):
        return True
    if not followed:
        return False
    # On the way the rates of the roots are by its parts, and the pose that a way ends at is not the state's until the
    # whole way is gone: what is not come to leaves no trace.
    parts = (numbers(I, D, ROOTS), numbers(I, D, LAST), numbers(I, D, KEPT), numbers(I, D, TURNED))
    known = (parts[0].copy(), parts[1].copy(), parts[2].copy(), parts[3].copy())
    if walk(I, D, y, z, x, columns) and give(I, D, t, y, z) and pose(I, D, 0.0, y, count, z, x, columns):
        # What is come to is the last pose, whatever becomes of the rates and forces there.
        numbers(I, D, CLOCK)[0] = t
        keep(numbers(I, D, NEW_ROOTS), parts[0])
        keep(numbers(I, D, NEW_TURNED), parts[3])
        return True
    for k in range(4):
        keep(known[k], parts[k])
    return False


def give(I: Any, D: Any, t: float, y: Any, z: Any) -> bool:
    """Write the drivers' values and rates, the second rates of the free ones zero; return whether all are finite."""
    free = ints(I, FREE)[0]
    for k in range(free):
        z[0, k], z[1, k], z[2, k] = y[k], y[free + k], 0.0
    for k in range(free, z.shape[1]):
        z[0, k], z[1, k], z[2, k] = law_at(I, D, ints(I, MOTION)[k], t)
    return are_finite(z[0]) and are_finite(z[1]) and are_finite(z[2])


def farthest(I: Any, D: Any, z: Any) -> float:
    """Return the longest way of a driver since the last evaluation [rad or parts of the size]."""
    last, measures, longest = numbers(I, D, LAST), numbers(I, D, MEASURES), 0.0
    for k in range(z.shape[1]):
        longest = max(longest, abs(z[0, k] - last[k]) / measures[k])
    return longest


def walk(I: Any, D: Any, y: Any, z: Any, x: Any, columns: Any) -> bool:
    """Go in parts to where the drivers are given; rates are those by the part of the way. False where that fails."""
    f, free, last = z.shape[1], ints(I, FREE)[0], numbers(I, D, LAST)
    longest = farthest(I, D, z)
    if not 0.0 < longest < 16 * SIMULATED_WAY:
        return False
    parts = 2 + int(2 * longest / SIMULATED_WAY)
    start, way, trial = np.empty(f), np.empty(f), np.empty(2 * free)
    for k in range(f):
        start[k], way[k] = last[k], z[0, k] - last[k]
    for p in range(parts + 1):
        for k in range(f):
            z[0, k], z[1, k], z[2, k] = start[k] + way[k] * p / parts, way[k], 0.0
        for k in range(free):
            trial[k], trial[free + k] = z[0, k], way[k]
        if not pose(I, D, 1.0 / parts if p > 0 else 0.0, trial, free, z, x, columns):
            return False
        keep(numbers(I, D, NEW_ROOTS), numbers(I, D, ROOTS))
        keep(x[0], numbers(I, D, KEPT))
        keep(numbers(I, D, NEW_TURNED), numbers(I, D, TURNED))
        for k in range(f):
            last[k] = z[0, k]
    return True


def pose(I: Any, D: Any, dt: float, y: Any, count: int, z: Any, x: Any, columns: Any) -> bool:
    """Write slots, their rates, K and turns: from a series around a flat pose, or group by group."""
    if z.shape[1] == 1 and expand(I, D, y[0], y[1], x, columns):
        return count_turns(I, D, x[0])
    drive(ints(I, DRIVERS).reshape(-1, 4), z, x, columns)
    if not (run_steps(I, D, dt, count) and count_turns(I, D, x[0])):
        return False
    ints(I, SMOOTH)[0] = 0
    if z.shape[1] == 1:
        leave_series(I, D, y[0])
    return True


def are_finite(values: Any) -> bool:
    """Return whether all numbers are finite."""
    total = 0.0
    for k in range(values.shape[0]):
        total += values[k]
    return isfinite(total)


def keep(found: Any, kept: Any) -> None:
    """Copy numbers."""
    for k in range(kept.shape[0]):
        kept[k] = found[k]


def run_steps(I: Any, D: Any, dt: float, count: int) -> bool:
    """Run all steps: pose, rates, and K of the first `count` coordinates, a time dt after the last evaluation.

    Return False where a margin is small or what a root is cannot be told from what it was.
    """
    step, ptr, moved, integers, numbers_ = (
        ints(I, STEP),
        ints(I, MOVED_PTR),
        ints(I, MOVED),
        I.ctypes.data,
        D.ctypes.data,
    )
    for s in range(step.shape[0]):
        begin, end = ptr[s], ptr[s + 1]
        while end > begin and moved[end - 1] >= count:
            end -= 1
        if call_step(step[s], integers, numbers_, s, begin, end, dt) == 0:
            return False
    return True


def drive(drivers: Any, z: Any, x: Any, columns: Any) -> None:
    """Fill the rows of the drivers' slots: unit vectors of angles, or lengths."""
    for d in range(drivers.shape[0]):
        r, a, sign = drivers[d, 0], drivers[d, 1], drivers[d, 3]
        value, first, second = sign * z[0, a], sign * z[1, a], sign * z[2, a]
        if drivers[d, 2] == 0:
            x[0, r], x[1, r], x[2, r], columns[a, r] = z[0, a], z[1, a], z[2, a], 1.0
            continue
        c, s = cos(value), sin(value)
        x[0, r], x[0, r + 1] = c, s
        x[1, r], x[1, r + 1] = -s * first, c * first
        x[2, r], x[2, r + 1] = -s * second - c * first * first, c * second - s * first * first
        columns[a, r], columns[a, r + 1] = -s * sign, c * sign


def is_steep(I: Any, columns: Any, count: int, limit: float) -> bool:
    """Return whether a coordinate moves a row too fast; what is not a number is steep, too."""
    ptr, reached = ints(I, REACHED_PTR), ints(I, REACHED)
    for a in range(count):
        for k in range(ptr[a], ptr[a + 1]):
            if not abs(columns[a, reached[k]]) < limit:
                return True
    return False


def weigh(I: Any, D: Any, rows: Any, out: Any) -> None:
    """Write W times numbers of all rows."""
    ptr, row, mass = ints(I, MASS_PTR), ints(I, MASS_ROW), numbers(I, D, MASS)
    for r in range(out.shape[0]):
        total = 0.0
        for k in range(ptr[r], ptr[r + 1]):
            total += mass[k] * rows[row[k]]
        out[r] = total


def along(I: Any, columns: Any, a: int, rows: Any) -> float:
    """Return the product of a coordinate's column of K with numbers of all rows."""
    ptr, reached = ints(I, REACHED_PTR), ints(I, REACHED)
    total = 0.0
    for k in range(ptr[a], ptr[a + 1]):
        total += columns[a, reached[k]] * rows[reached[k]]
    return total


def balance(I: Any, D: Any, t: float, columns: Any, load: Any, second: Any) -> bool:
    """Solve for the second rates of the free coordinates by Cholesky's method; False where they move no mass."""
    free, effort = ints(I, FREE)[0], ints(I, EFFORT)
    matrix, right = numbers(I, D, MATRIX).reshape(free, free), numbers(I, D, RIGHT)
    for a in range(free):
        right[a] = along(I, columns, a, load[0])
        if effort[a] >= 0:
            right[a] += law_at(I, D, effort[a], t)[0]
        weigh(I, D, columns[a], load[1])
        for b in range(a, free):
            matrix[b, a] = along(I, columns, b, load[1])
    for a in range(free):
        for b in range(a + 1):
            total = matrix[a, b]
            for k in range(b):
                total -= matrix[a, k] * matrix[b, k]
            if b < a:
                matrix[a, b] = total / matrix[b, b]
            elif total > 1e-14 * matrix[a, a]:
                matrix[a, a] = sqrt(total)
            else:
                return False
    for a in range(free):
        total = right[a]
        for k in range(a):
            total -= matrix[a, k] * second[k]
        second[a] = total / matrix[a, a]
    for a in range(free - 1, -1, -1):
        total = second[a]
        for k in range(a + 1, free):
            total -= matrix[k, a] * second[k]
        second[a] = total / matrix[a, a]
    return True


def finish(I: Any, D: Any, second: Any, x: Any, columns: Any, load: Any) -> None:
    """Add the free coordinates' second rates to the accelerations; find the kinetic energy and its rate."""
    ptr, reached, energy = ints(I, REACHED_PTR), ints(I, REACHED), numbers(I, D, ENERGY)
    for a in range(ints(I, FREE)[0]):
        for k in range(ptr[a], ptr[a + 1]):
            x[2, reached[k]] += columns[a, reached[k]] * second[a]
    weigh(I, D, x[1], load[1])
    energy[0] = energy[1] = 0.0
    for r in range(x.shape[1]):
        energy[0] += 0.5 * load[1, r] * x[1, r]
        energy[1] += load[1, r] * x[2, r]


def find_efforts(I: Any, D: Any, t: float, second: Any, columns: Any, load: Any) -> None:
    """Find what the prescribed drivers have to give: what the equations along them leave over."""
    efforts, effort, free = numbers(I, D, EFFORTS), ints(I, EFFORT), ints(I, FREE)[0]
    for a in range(free):
        efforts[a] = law_at(I, D, effort[a], t)[0] if effort[a] >= 0 else 0.0
    for a in range(free, efforts.shape[0]):
        # In `load` the accelerations without the free coordinates' second rates are taken off already.
        efforts[a] = -along(I, columns, a, load[0])
    for b in range(free):
        weigh(I, D, columns[b], load[1])
        for a in range(free, efforts.shape[0]):
            efforts[a] += along(I, columns, a, load[1]) * second[b]
