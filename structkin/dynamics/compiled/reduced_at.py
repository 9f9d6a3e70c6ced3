"""The reduced equations at one instant, and runs at a fixed step; the text becomes part of the compiled one.

Points and directions of links are affine in the slots, so that in the slots' rates the kinetic energy is a constant
quadratic form: 2 T = v^T W v. With v = K z' and the slots' accelerations a = K z'' + b the equations of motion are

    K_f^T W K_f z_f'' = K_f^T (g + loads - W b) + efforts

where b is due to the velocities and the prescribed drivers. The cost is of the order of the number of links.

Turns of links that no driver determines are counted from pose to pose, as in `structkin.dynamics.slot_map`.

Around a flat pose `structkin.dynamics.reduced.smooth_poses` knows the pose of a mechanism with one coordinate as a
power series: of all slots, and here also of the roots of its groups.

The steps of a run are those of `structkin.dynamics.integrators.steps`. How fast joints move by the coordinates is found
on the way: the coordinates of joints are read from two expressions of slots (`structkin.dynamics.driver_coordinates`).
"""

from __future__ import annotations

from math import atan2, cos, inf, isfinite, nan, pi, sin, sqrt
from typing import Any

from structkin.dynamics.compiled.loads_at import apply_loads, expression, law_at, weigh
from structkin.dynamics.compiled.memory import Memory
from structkin.dynamics.integrators.steps import keep, take_step
from structkin.dynamics.reduced.partition import LIMIT, NEAR
from structkin.dynamics.reduced.smooth_poses import VALID
from structkin.dynamics.slot_map import LONGEST
from structkin.numerical_tolerances import ROUNDING_OF_ONE, SIMULATED_STEP
from structkin.track.contour import POWERS as TERMS

#: Most series that are kept, and how many numbers precede the powers: place, direction, radius.
MANY, HEAD = 4, 3

#: Poses farther than this from the last one [rad or parts of the size] are left to `Poses`.
FAR = 16 * SIMULATED_STEP


def expand(mem: Memory, q: float, rate: float, x: Any, columns: Any) -> bool:
    """Write slots x (3, n) and K (1, n) at a coordinate and its rate; False where no series holds.

    The last row of x holds the second rates without that of the coordinate.
    """
    series, weights, two = mem.series, mem.powers, mem.two
    roots, n = mem.new_roots, len(x[0])
    for j in range(MANY):
        radius = series[j][2]
        if not radius > 0.0:
            continue
        s = (q - series[j][0]) / series[j][1]
        if not abs(s) <= VALID * radius:
            continue
        weigh_powers(s / radius, radius * series[j][1], weights)
        for row in range(n + len(two)):
            value, first, second = 0.0, 0.0, 0.0
            at = HEAD + row * TERMS
            for k in range(TERMS):
                value += series[j][at + k] * weights[0][k]
                first += series[j][at + k] * weights[1][k]
                second += series[j][at + k] * weights[2][k]
            if row < n:
                x[0][row], x[1][row], x[2][row], columns[0][row] = value, first * rate, second * rate * rate, first
            else:
                roots[0][two[row - n]], roots[1][two[row - n]] = value, first * rate
        mem.smooth = 1
        return True
    return False


def weigh_powers(u: float, scale: float, weights: Any) -> None:
    """Write u^k and its first two derivatives by scale * u (3, TERMS)."""
    power = 1.0
    for k in range(TERMS):
        weights[0][k] = power
        weights[1][k] = k * weights[0][k - 1] / scale if k > 0 else 0.0
        weights[2][k] = k * weights[1][k - 1] / scale if k > 0 else 0.0
        power *= u


def leave_series(mem: Memory, q: float) -> None:
    """Forget the series that are far from a regular pose: on return the branch may be another."""
    series = mem.series
    for j in range(MANY):
        if abs(q - series[j][0]) > abs(series[j][1]) * series[j][2]:
            series[j][2] = 0.0


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


def rate(mem: Memory, t: float, y: Any, out: Any) -> bool:
    """Write the rate of the state (2 free,); return False where the equations themselves are needed."""
    if not evaluate(mem, t, y, mem.free):
        return False
    free, second = mem.free, mem.second
    for k in range(free):
        out[k], out[free + k] = y[free + k], second[k]
    return True


def evaluate(mem: Memory, t: float, y: Any, count: int) -> bool:
    """Evaluate second rates at a time and state, with K of the first `count` coordinates.

    Return False where a pose is flat or out of reach, or may lie beyond a flat one: such poses are not handled here.
    """
    if not arrive(mem, t, y, count):
        return False
    if not act(mem, t):
        return False
    mem.clock = t
    keep(mem.z[0], mem.last)
    go_on(mem)
    return True


def arrive(mem: Memory, t: float, y: Any, count: int) -> bool:
    """Find the pose, its rates, and K of the first `count` coordinates; return False as `evaluate` does."""
    mem.count += 1
    if mem.aside != 0 or not project(mem, t, y, count, mem.z, mem.x, mem.K):
        return False
    return not is_too_fast(mem, count)


def form(mem: Memory, t: float, y: Any, bias: Any) -> bool:
    """Write the terms of the equations at a time and state; return False as `evaluate` does."""
    if not arrive(mem, t, y, mem.free):
        return False
    mem.clock = t
    keep(mem.z[0], mem.last)
    go_on(mem)
    return sum_up(mem, t, bias)


def sum_up(mem: Memory, t: float, bias: Any) -> bool:
    """Write K_f^T W K_f, the lower triangle, its right-hand side, and K_f^T W b (free,); False where one is infinite.

    Nothing is solved: free coordinates may move no mass.
    """
    load, matrix, total = mem.load, mem.matrix, 0.0
    push(mem, t)
    find_right(mem, t)
    for a in range(mem.free):
        bias[a] = along(mem, a, load[1])
    find_inertia(mem)
    for a in range(mem.free):
        for b in range(a + 1):
            total += matrix[a][b]
    return isfinite(total) and are_finite(mem.right) and are_finite(bias)


def act(mem: Memory, t: float) -> bool:
    """Find the second rates of the free coordinates at a pose and its rates; False where they are not determined."""
    push(mem, t)
    if not (balance(mem, t) and are_finite(mem.second)):
        return False
    for k in range(mem.free):
        mem.z[2][k] = mem.second[k]
    return True


def push(mem: Memory, t: float) -> None:
    """Write weight + loads - W b on the rows, and W b, where b are the accelerations at z_f'' = 0."""
    load, weight, x = mem.load, mem.weight, mem.x
    weigh(mem, x[2], load[1])
    for r in range(len(weight)):
        load[0][r] = weight[r] - load[1][r]
    if len(mem.term_const) > 0:
        apply_loads(mem, t, x, load[0])
    apply_functions(mem, t, load[0])


def apply_functions(mem: Memory, t: float, load: Any) -> None:
    """Add the loads of users' functions; only plain Python has any, and its own of this."""


def project(mem: Memory, t: float, y: Any, count: int, z: Any, x: Any, columns: Any) -> bool:
    """Write the pose at a time and state, reached in parts where slopes do not determine modes over the whole path."""
    if not give(mem, t, y, z):
        return False
    followed = mem.followed != 0
    far = followed and farthest(mem, z) > SIMULATED_STEP
    if not far and pose(mem, t - mem.clock, count, z, x, columns):
        return True
    if not followed:
        return False
    # Along the path the rates of the roots are per part, and the pose is not that of the state until the path is
    # complete: a failed path leaves no trace.
    keep_pose(mem.roots, mem.last, mem.kept, mem.turned, mem.old_roots, mem.old_last, mem.old_kept, mem.old_turned)
    if move_in_parts(mem, z, x, columns) and give(mem, t, y, z) and pose(mem, 0.0, count, z, x, columns):
        # The pose that is reached becomes the last pose, whatever the rates and forces there.
        mem.clock = t
        go_on(mem)
        return True
    keep_pose(mem.old_roots, mem.old_last, mem.old_kept, mem.old_turned, mem.roots, mem.last, mem.kept, mem.turned)
    for k in range(len(mem.feet)):
        mem.feet[k] = nan
    return False


def go_on(mem: Memory) -> None:
    """Make the roots, places and turns of this evaluation those of the last pose."""
    keep(mem.new_roots[0], mem.roots[0])
    keep(mem.new_roots[1], mem.roots[1])
    keep(mem.x[0], mem.kept)
    keep(mem.new_turned, mem.turned)
    keep(mem.new_feet, mem.feet)


def keep_pose(
    roots: Any, last: Any, kept: Any, turned: Any, to_roots: Any, to_last: Any, to_kept: Any, to_turned: Any
) -> None:
    """Copy what a pose is followed by."""
    keep(roots[0], to_roots[0])
    keep(roots[1], to_roots[1])
    keep(last, to_last)
    keep(kept, to_kept)
    keep(turned, to_turned)


def give(mem: Memory, t: float, y: Any, z: Any) -> bool:
    """Write the drivers' values and rates, the second rates of the free ones zero; return whether all are finite."""
    free = mem.free
    for k in range(free):
        z[0][k], z[1][k], z[2][k] = float(y[k]), float(y[free + k]), 0.0
    for k in range(free, len(z[0])):
        z[0][k], z[1][k], z[2][k] = law_at(mem, mem.motion[k], t)
        z[2][k] += mem.jolt[k]
    return are_finite(z[0]) and are_finite(z[1]) and are_finite(z[2])


def farthest(mem: Memory, z: Any) -> float:
    """Return the largest motion of a driver since the last evaluation [rad or parts of the size]."""
    last, measures, longest = mem.last, mem.measures, 0.0
    for k in range(len(z[0])):
        longest = max(longest, abs(z[0][k] - last[k]) / measures[k])
    return longest


def move_in_parts(mem: Memory, z: Any, x: Any, columns: Any) -> bool:
    """Move in parts to the given drivers' values; rates are per part of the path. False where that fails."""
    f, last = len(z[0]), mem.last
    longest = farthest(mem, z)
    if not 0.0 < longest < FAR:
        return False
    parts = 2 + int(2 * longest / SIMULATED_STEP)
    start, step = mem.path[0], mem.path[1]
    for k in range(f):
        start[k], step[k] = last[k], z[0][k] - last[k]
    for p in range(parts + 1):
        for k in range(f):
            z[0][k], z[1][k], z[2][k] = start[k] + step[k] * p / parts, step[k], 0.0
        if not pose(mem, 1.0 / parts if p > 0 else 0.0, mem.free, z, x, columns):
            return False
        go_on(mem)
        for k in range(f):
            last[k] = z[0][k]
    return True


def pose(mem: Memory, dt: float, count: int, z: Any, x: Any, columns: Any) -> bool:
    """Write slots, their rates, K and turns: from a series around a flat pose, or group by group."""
    if len(z[0]) == 1 and expand(mem, z[0][0], z[1][0], x, columns):
        return count_turns(mem, x[0])
    drive(mem.drivers, z, x, columns)
    if not (run_steps(mem, dt, count) and count_turns(mem, x[0])):
        return False
    mem.smooth = 0
    if len(z[0]) == 1:
        leave_series(mem, z[0][0])
    return True


def are_finite(values: Any) -> bool:
    """Return whether all numbers are finite."""
    total = 0.0
    for k in range(len(values)):
        total += values[k]
    return isfinite(total)


def run_steps(mem: Memory, dt: float, count: int) -> bool:
    """Run all steps: pose, rates, and K of the first `count` coordinates, a time dt after the last evaluation.

    Return False where a discriminant is small or the sign of a root cannot be inferred from its last value.
    """
    ptr, moved = mem.moved_ptr, mem.moved
    for s in range(len(mem.step)):
        begin, end = ptr[s], ptr[s + 1]
        while end > begin and moved[end - 1] >= count:
            end -= 1
        if run_step(mem, s, begin, end, dt) == 0:
            return False
    return True


def run_step(mem: Memory, s: int, begin: int, end: int, dt: float) -> int:
    """Run one step; return 0 where it cannot decide. Each road has its own."""
    raise NotImplementedError


def drive(drivers: Any, z: Any, x: Any, columns: Any) -> None:
    """Fill the rows of the drivers' slots: unit vectors of angles, or lengths."""
    for d in range(len(drivers)):
        r, a, sign = drivers[d][0], drivers[d][1], drivers[d][3]
        value, first, second = sign * z[0][a], sign * z[1][a], sign * z[2][a]
        if drivers[d][2] == 0:
            x[0][r], x[1][r], x[2][r], columns[a][r] = z[0][a], z[1][a], z[2][a], 1.0
            continue
        c, s = cos(value), sin(value)
        x[0][r], x[0][r + 1] = c, s
        x[1][r], x[1][r + 1] = -s * first, c * first
        x[2][r], x[2][r + 1] = -s * second - c * first * first, c * second - s * first * first
        columns[a][r], columns[a][r + 1] = -s * sign, c * sign


def is_too_fast(mem: Memory, count: int) -> bool:
    """Return whether a coordinate moves a row too fast; NaN counts as too fast."""
    ptr, reached, columns, limit = mem.reached_ptr, mem.reached, mem.K, mem.rate_limit
    for a in range(count):
        for k in range(ptr[a], ptr[a + 1]):
            if not abs(columns[a][reached[k]]) < limit:
                return True
    return False


def along(mem: Memory, a: int, rows: Any) -> float:
    """Return the product of a coordinate's column of K with numbers of all rows."""
    ptr, reached, columns = mem.reached_ptr, mem.reached, mem.K
    total = 0.0
    for k in range(ptr[a], ptr[a + 1]):
        total += columns[a][reached[k]] * rows[reached[k]]
    return total


def find_inertia(mem: Memory) -> None:
    """Write the lower triangle of K_f^T W K_f, four columns at a time: K is read from memory a quarter as often."""
    ptr, reached, load, four, free = mem.reached_ptr, mem.reached, mem.load, mem.four, mem.free
    columns, matrix = mem.K, mem.matrix
    for first in range(0, free, 4):
        count = min(4, free - first)
        for i in range(count):
            weigh(mem, columns[first + i], load[1])
            for r in range(len(four)):
                four[r][i] = load[1][r]
        for b in range(first, free):
            s0 = s1 = s2 = s3 = 0.0
            for k in range(ptr[b], ptr[b + 1]):
                r = reached[k]
                value = columns[b][r]
                s0 += value * four[r][0]
                s1 += value * four[r][1]
                s2 += value * four[r][2]
                s3 += value * four[r][3]
            for i, total in enumerate((s0, s1, s2, s3)):
                if i < count:
                    matrix[b][first + i] = total


def find_right(mem: Memory, t: float) -> None:
    """Write the right-hand side of the equations (free,): the forces on the rows along each coordinate, and efforts."""
    effort, right = mem.effort, mem.right
    for a in range(mem.free):
        right[a] = along(mem, a, mem.load[0])
        if effort[a] >= 0:
            right[a] += law_at(mem, effort[a], t)[0]


def balance(mem: Memory, t: float) -> bool:
    """Solve for the second rates of the free coordinates by Cholesky's method; False where they move no mass."""
    free, matrix, right, second = mem.free, mem.matrix, mem.right, mem.second
    find_right(mem, t)
    find_inertia(mem)
    for a in range(free):
        for b in range(a + 1):
            total = matrix[a][b]
            for k in range(b):
                total -= matrix[a][k] * matrix[b][k]
            if b < a:
                matrix[a][b] = total / matrix[b][b]
            elif total > ROUNDING_OF_ONE * matrix[a][a]:
                matrix[a][a] = sqrt(total)
            else:
                return False
    for a in range(free):
        total = right[a]
        for k in range(a):
            total -= matrix[a][k] * second[k]
        second[a] = total / matrix[a][a]
    for a in range(free - 1, -1, -1):
        total = second[a]
        for k in range(a + 1, free):
            total -= matrix[k][a] * second[k]
        second[a] = total / matrix[a][a]
    return True


def finish(mem: Memory) -> None:
    """Add the free coordinates' second rates to the accelerations; find the kinetic energy and its rate."""
    ptr, reached, second = mem.reached_ptr, mem.reached, mem.second
    x, load, columns = mem.x, mem.load, mem.K
    for a in range(mem.free):
        for k in range(ptr[a], ptr[a + 1]):
            x[2][reached[k]] += columns[a][reached[k]] * second[a]
    weigh(mem, x[1], load[1])
    kinetic = power = 0.0
    for r in range(len(x[1])):
        kinetic += 0.5 * load[1][r] * x[1][r]
        power += load[1][r] * x[2][r]
    mem.kinetic, mem.power = kinetic, power


def find_efforts(mem: Memory, t: float) -> None:
    """Find the efforts of the prescribed drivers: the remainder of the equations along them."""
    efforts, effort, free, second, load = mem.efforts, mem.effort, mem.free, mem.second, mem.load
    for a in range(free):
        efforts[a] = law_at(mem, effort[a], t)[0] if effort[a] >= 0 else 0.0
    for a in range(free, len(efforts)):
        # In `load` the accelerations without the free coordinates' second rates are already subtracted.
        efforts[a] = -along(mem, a, load[0])
    for b in range(free):
        weigh(mem, mem.K[b], load[1])
        for a in range(free, len(efforts)):
            efforts[a] += along(mem, a, load[1]) * second[b]


# --- runs at a fixed step ---------------------------------------------------------------------------------------------


def is_uneven(mem: Memory) -> bool:
    """Return whether a joint moves so much faster than a coordinate that other coordinates may be better."""
    fastest = fastest_joint(mem)
    if fastest < LIMIT:
        mem.uneven = LIMIT
    return bool(fastest > mem.uneven)


def fastest_joint(mem: Memory) -> float:
    """Return the largest rate of a joint by a free coordinate, made dimensionless; see `partition.scales`."""
    joints, unit, measures = mem.joints, mem.joint_unit, mem.measures
    const, ptr, row, factor = mem.joint_const, mem.joint_ptr, mem.joint_row, mem.joint_factor
    distance, z = mem.distance, mem.z
    x, columns, fastest = mem.x, mem.K, 0.0
    for j in range(len(joints)):
        for a in range(mem.free):
            ax, ay, dax, day = expression(const, ptr, row, factor, joints[j][1], x[0], columns[a])
            bx, by, dbx, dby = expression(const, ptr, row, factor, joints[j][2], x[0], columns[a])
            if joints[j][0] == 0:
                rate = bx * dby - by * dbx - ax * day + ay * dax
            elif joints[j][0] == 1:
                rate = ax * dbx + ay * dby + dax * bx + day * by
            else:
                rate = (bx * dbx + by * dby) / max(sqrt(bx * bx + by * by), NEAR * unit[j])
            measure = measures[a]
            if distance[a]:
                measure *= max(1.0, NEAR * measure / z[0][a])
            fastest = max(fastest, abs(rate) * measure / unit[j])
    return fastest


#: Roots that approach zero are checked below the first size, and again after they have grown above the second.
AHEAD, AWAY = 0.25, 0.4


def advance(
    mem: Memory,
    method: int,
    start: float,
    end: float,
    begin: int,
    stop: int,
    count: int,
    y: Any,
    jump: float,
    huge: float,
) -> int:
    """Take the steps `begin` to `stop` of `count` equal ones from `start` to `end`; `y` becomes the state after them.

    Return how many steps are done: fewer where something must be checked, which the next step does.
    """
    h, free, stage, second = (end - start) / count, mem.free, mem.stages, mem.second
    if not evaluate(mem, start + begin * h, y, free):
        return begin
    finish(mem)
    for k in range(begin, stop):
        if is_uneven(mem) or goes_flat(mem):
            return k
        for i in range(free):
            stage[0][i], stage[0][free + i] = y[free + i], second[i]
        kinetic, power = mem.kinetic, mem.power
        if not take_step(mem, method, start + k * h, y, h):
            return k
        for i in range(2 * free):
            if not abs(stage[7][i]) < huge:
                return k
        # The evaluation at its end is the first one of the next step.
        if not evaluate(mem, end if k == count - 1 else start + (k + 1) * h, stage[7], free):
            return k
        finish(mem)
        mem.largest = max(mem.largest, kinetic, mem.kinetic)
        if abs(mem.kinetic - kinetic - 0.5 * h * (power + mem.power)) > jump * mem.largest:
            return k
        for i in range(2 * free):
            y[i] = stage[7][i]
    return max(begin, stop)


def goes_flat(mem: Memory) -> bool:
    """Return whether a group of a mechanism with one coordinate may be flat ahead: its root goes to zero."""
    roots, two, look = mem.roots, mem.two, mem.look
    if mem.smooth != 0 or len(mem.last) != 1:
        return False
    found = False
    for k in range(len(two)):
        s = two[k]
        size = abs(roots[0][s])
        if size > AWAY:
            look[s] = inf
        elif size < min(AHEAD, look[s]) and roots[0][s] * roots[1][s] <= 0.0:
            found = True
    return found
