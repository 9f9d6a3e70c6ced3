"""Frames, rows, their Jacobian and right-hand sides. The text of this module becomes part of the compiled one."""

from __future__ import annotations

from math import atan2, cos, pi, sin
from typing import Any

from structkin.dynamics.multipliers.compiled.memory import ConstrainedMemory


def find_frames(mem: ConstrainedMemory, y: Any) -> None:
    """Write the frames at a state, their rates, their second rates at q'' = 0, and the map."""
    X, n = mem.X, mem.n
    if mem.tree != 0:
        for k in range(len(mem.parent)):
            hang(mem, k, y)
        fill_map(mem)
        return
    zero, row, column, entry = mem.X_zero, mem.map_row, mem.map_column, mem.map
    place, rate = X[0], X[1]
    for r in range(len(zero)):
        place[r], rate[r] = zero[r], 0.0
    for e in range(len(row)):
        place[row[e]] += entry[e] * y[column[e]]
        rate[row[e]] += entry[e] * y[n + column[e]]
    count = len(mem.turned)
    for k in range(count):
        mem.theta[mem.turned[k]] = y[n - count + k] - mem.turned_zero[k]


def hang(mem: ConstrainedMemory, k: int, y: Any) -> None:
    """Write the frame of a link of the tree, with two rates, from that of its parent."""
    X, dX, ddX, theta, omega, n = mem.X[0], mem.X[1], mem.X[2], mem.theta, mem.omega, mem.n
    parent, column, arm = mem.parent[k], mem.turn_column[k], mem.arms[k]
    angle, rate = arm[4], 0.0
    if column >= 0:
        angle += y[column]
        rate += y[n + column]
    px, py, vx, vy, wx, wy = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    if parent >= 0:
        angle += theta[parent]
        rate += omega[parent]
        r = 4 * parent
        px, py, vx, vy, wx, wy = X[r], X[r + 1], dX[r], dX[r + 1], ddX[r], ddX[r + 1]
    theta[k], omega[k] = angle, rate
    ux, uy = cos(angle), sin(angle)
    r = 4 * k
    X[r + 2], X[r + 3], dX[r + 2], dX[r + 3] = ux, uy, -rate * uy, rate * ux
    ddX[r + 2], ddX[r + 3] = -rate * rate * ux, -rate * rate * uy
    # The part that turns with the parent ends at the pivot; the part that turns with the link begins there.
    ex, ey, spin = direction_of(mem, parent)
    dx, dy = arm[0] * ex - arm[1] * ey, arm[1] * ex + arm[0] * ey
    px, py, vx, vy = px + dx, py + dy, vx - spin * dy, vy + spin * dx
    wx, wy = wx - spin * spin * dx, wy - spin * spin * dy
    ox, oy = arm[2] * ux - arm[3] * uy, arm[3] * ux + arm[2] * uy
    vx, vy, wx, wy = vx - rate * oy, vy + rate * ox, wx - rate * rate * ox, wy - rate * rate * oy
    for s in range(mem.travel_ptr[k], mem.travel_ptr[k + 1]):
        travel = mem.travels[s]
        length, speed = y[travel[0]], y[n + travel[0]]
        tx, ty, spin = travel_direction(mem, s)
        if travel[2] != 0:
            px, py = px + length * tx, py + length * ty
        else:
            ox, oy = ox + length * tx, oy + length * ty
        vx += speed * tx - spin * length * ty
        vy += speed * ty + spin * length * tx
        wx -= spin * spin * length * tx + 2.0 * spin * speed * ty
        wy -= spin * spin * length * ty - 2.0 * spin * speed * tx
    pivot = mem.pivot[k]
    pivot[0], pivot[1] = px, py
    X[r], X[r + 1], dX[r], dX[r + 1], ddX[r], ddX[r + 1] = px + ox, py + oy, vx, vy, wx, wy


def direction_of(mem: ConstrainedMemory, k: int) -> tuple[float, float, float]:
    """Return the direction of a link and its angular velocity; -1 is the ground."""
    if k < 0:
        return 1.0, 0.0, 0.0
    X = mem.X[0]
    return X[4 * k + 2], X[4 * k + 3], mem.omega[k]


def travel_direction(mem: ConstrainedMemory, s: int) -> tuple[float, float, float]:
    """Return the direction of a travel and its angular velocity."""
    ex, ey, spin = direction_of(mem, mem.travels[s][1])
    axis = mem.travel_axis[s]
    return axis[0] * ex - axis[1] * ey, axis[1] * ex + axis[0] * ey, spin


def fill_map(mem: ConstrainedMemory) -> None:
    """Write d(frames)/dq of the tree: a turn moves the links beyond the joint about its pivot."""
    X, pivot, entry = mem.X[0], mem.pivot, mem.map
    links, joints, slides, travels = mem.pair_link, mem.pair_joint, mem.slide_link, mem.slide_travel
    count, moved = len(links), len(slides)
    for e in range(count):
        r, center = 4 * links[e], pivot[joints[e]]
        entry[e], entry[count + e] = center[1] - X[r + 1], X[r] - center[0]
        entry[2 * count + e], entry[3 * count + e] = -X[r + 3], X[r + 2]
    for e in range(moved):
        tx, ty, _ = travel_direction(mem, travels[e])
        entry[4 * count + e], entry[4 * count + moved + e] = tx, ty


def find_turns(mem: ConstrainedMemory, t: float) -> None:
    """Write the turns of the links at the frames of a time.

    A direction in the coordinates leaves whole turns open. Angles among the coordinates contain them; for other links
    the turn is the one nearest to the integral of the angular velocities since the last accepted step, by the
    trapezoidal rule: a function of time, state and the count at that step, which neither trial steps nor outputs
    change.
    """
    X, drawn, new = mem.X[0], mem.drawn, mem.new_turns
    for k in range(len(drawn)):
        turn = atan2(X[4 * k + 3], X[4 * k + 2]) - drawn[k]
        near = mem.theta[k] + mem.held[k]
        if near != near:  # no coordinate holds the turn
            near = mem.turns[k] + 0.5 * (mem.turn_rates[k] + spin_of(mem, k)) * (t - mem.clock)
        new[k] = turn + 2 * pi * round((near - turn) / (2 * pi))


def count_turns(mem: ConstrainedMemory) -> None:
    """Continue the count from the turns of now."""
    for k in range(len(mem.turns)):
        mem.turns[k], mem.turn_rates[k] = mem.new_turns[k], spin_of(mem, k)


def spin_of(mem: ConstrainedMemory, k: int) -> float:
    """Return the angular velocity of a link, whatever the length of its direction."""
    X, dX, r = mem.X[0], mem.X[1], 4 * k + 2
    ux, uy, vx, vy = X[r], X[r + 1], dX[r], dX[r + 1]
    return float((ux * vy - uy * vx) / (ux * ux + uy * uy))


def turn_between(mem: ConstrainedMemory, k: int) -> float:
    """Return how far the links of torsion spring k have turned relative to each other since the sketch."""
    first, second = mem.torsion_links[k][0], mem.torsion_links[k][1]
    total = 0.0
    if second >= 0:
        total += mem.new_turns[second]
    if first >= 0:
        total -= mem.new_turns[first]
    return total


def find_rows(mem: ConstrainedMemory, y: Any) -> None:
    """Write Phi, A = Phi_q, nu = -Phi_t and gamma, with the drivers' values in `z`."""
    phi, nu, gamma, A, constant = mem.phi, mem.nu, mem.gamma, mem.A, mem.linear_constant
    for r in range(len(phi)):
        phi[r], nu[r], gamma[r] = constant[r], 0.0, 0.0
    for e in range(len(A)):
        A[e] = 0.0
    find_frames(mem, y)
    find_variables(mem, y)
    find_entries(mem)
    find_weights(mem)
    x, dx, ddx, base, weight = mem.x[0], mem.x[1], mem.x[2], mem.entry_base, mem.row_weight
    entry, rate, of, column, place = mem.entry[0], mem.entry[1], mem.entry_row, mem.entry_column, mem.row_place
    constant, entry_place, tree, plain = mem.row_constant, mem.entry_place, mem.tree, len(base)
    for r in range(len(weight)):
        phi[place[r]] += weight[r] * constant[r]
    for e in range(len(of)):
        r, c, w = place[of[e]], column[e], weight[of[e]]
        if e < plain:
            phi[r] += 0.5 * w * (entry[e] + base[e]) * x[c]
        gamma[r] -= w * (rate[e] * dx[c] + entry[e] * ddx[c])
        if tree == 0:
            A[entry_place[e]] += w * entry[e]
    out, of, by, change = mem.chain_out, mem.chain_entry, mem.chain_map, mem.map
    for k in range(len(out)):
        A[out[k]] += entry[of[k]] * change[by[k]]
    linear, factor = mem.linear, mem.linear_factor
    for k in range(len(factor)):
        A[linear[k][0]] += factor[k]
        phi[linear[k][1]] += factor[k] * y[linear[k][2]]
    driven, sign = mem.driven, mem.driven_sign
    for k in range(len(sign)):
        drive_row(mem, driven[k][0], driven[k][1], driven[k][2], sign[k])
    for r in range(mem.turning[0], mem.turning[1]):
        phi[r] -= 2 * pi * round(phi[r] / (2 * pi))


def find_variables(mem: ConstrainedMemory, y: Any) -> None:
    """Write the variables of the rows: coordinates, or frames and counted turns."""
    x, dx, ddx, X, dX, ddX, n = mem.x[0], mem.x[1], mem.x[2], mem.X[0], mem.X[1], mem.X[2], mem.n
    if mem.tree == 0:
        for k in range(n):
            x[k], dx[k] = y[k], y[n + k]
        return
    width = len(X)
    for r in range(width):
        x[r], dx[r], ddx[r] = X[r], dX[r], ddX[r]
    for k in range(len(mem.turned)):
        link = mem.turned[k]
        x[width + k], dx[width + k] = mem.theta[link] - mem.turned_zero[k], mem.omega[link]


def find_entries(mem: ConstrainedMemory) -> None:
    """Write the entries of the Jacobian by the variables and their rates, and Phi of rows with a turn."""
    x, dx, entry, rate, base = mem.x[0], mem.x[1], mem.entry[0], mem.entry[1], mem.entry_base
    of, other, factor = mem.square_entry, mem.square_other, mem.square
    for e in range(len(base)):
        entry[e], rate[e] = base[e], 0.0
    for k in range(len(factor)):
        entry[of[k]] += factor[k] * x[other[k]]
        rate[of[k]] += factor[k] * dx[other[k]]
    for k in range(len(mem.trig)):
        wind(mem, k)


def wind(mem: ConstrainedMemory, k: int) -> None:
    """Add a row C cos s + S sin s + N to Phi, and write its entries and their rates."""
    x, dx, entry, speed, column = mem.x[0], mem.x[1], mem.entry[0], mem.entry[1], mem.entry_column
    zero, factors = mem.trig_zero[k], mem.trig_factor
    s, C, S, N = zero[0], zero[1], zero[2], zero[3]
    ds, dC, dS = 0.0, 0.0, 0.0
    begin = mem.trig_ptr[0]
    for e in range(mem.trig_ptr[k], mem.trig_ptr[k + 1]):
        factor, value, rate = factors[e - begin], x[column[e]], dx[column[e]]
        s, C, S, N = s + factor[0] * value, C + factor[1] * value, S + factor[2] * value, N + factor[3] * value
        ds, dC, dS = ds + factor[0] * rate, dC + factor[1] * rate, dS + factor[2] * rate
    cosine, sine = cos(s), sin(s)
    mem.phi[mem.row_place[mem.trig[k]]] += C * cosine + S * sine + N
    across = dS * cosine - dC * sine - (C * cosine + S * sine) * ds
    for e in range(mem.trig_ptr[k], mem.trig_ptr[k + 1]):
        factor = factors[e - begin]
        entry[e] = factor[1] * cosine + factor[2] * sine + factor[3] + factor[0] * (S * cosine - C * sine)
        speed[e] = (factor[2] * cosine - factor[1] * sine) * ds + factor[0] * across


def find_weights(mem: ConstrainedMemory) -> None:
    """Write the weights of the rows: of a dot and a cross row that switch, one has weight zero."""
    place, weight, z, drivers = mem.row_place, mem.row_weight, mem.z, mem.row_driver
    for r in range(len(weight)):
        driver = drivers[r]
        weight[r] = 1.0
        if driver < 0:
            continue
        c, s = cos(z[0][driver]), sin(z[0][driver])
        if mem.row_crosses[r] != 0:
            weight[r] = 0.0 if abs(c) < abs(s) else (1.0 if c > 0 else -1.0)
            drive_row(mem, place[r], driver, 3, weight[r])
        else:
            weight[r] = 0.0 if abs(c) >= abs(s) else (-1.0 if s > 0 else 1.0)
            drive_row(mem, place[r], driver, 2, weight[r])


def drive_row(mem: ConstrainedMemory, row: int, driver: int, form: int, sign: float) -> None:
    """Add -sign f(z) to a row: f is z itself, half its square, its cosine or its sine."""
    z, dz, ddz = mem.z[0][driver], mem.z[1][driver], mem.z[2][driver]
    f, slope, second = z, 1.0, 0.0
    if form == 1:
        f, slope, second = 0.5 * z * z, z, 1.0
    elif form == 2:
        f, slope, second = cos(z), -sin(z), -cos(z)
    elif form == 3:
        f, slope, second = sin(z), cos(z), -sin(z)
    mem.phi[row] -= sign * f
    mem.nu[row] += sign * slope * dz
    mem.gamma[row] += sign * (slope * ddz + second * dz * dz)
