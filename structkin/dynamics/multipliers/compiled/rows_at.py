"""Rows, their Jacobian and right-hand sides at the frames of a state. The text becomes part of the compiled module."""

from __future__ import annotations

from math import cos, pi, sin
from typing import Any

from structkin.dynamics.multipliers.compiled.frames_at import find_frames
from structkin.dynamics.multipliers.compiled.memory import ConstrainedMemory


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
