"""Rows, their Jacobian and right-hand sides at the frames of a state. The text becomes part of the compiled module."""

from __future__ import annotations

from math import cos, pi, sin
from typing import Any

from structkin.dynamics.multipliers.compiled.memory import ConstrainedMemory


def find_rows(mem: ConstrainedMemory, y: Any) -> None:
    """Write Phi, A = Phi_q, nu = -Phi_t and gamma, with the drivers' values in `z`."""
    phi, nu, gamma, n = mem.phi, mem.nu, mem.gamma, mem.n
    A = mem.A.reshape(-1, n)
    A[:] = 0.0
    phi[:] = mem.linear_constant
    nu[:] = 0.0
    gamma[:] = 0.0
    find_variables(mem, y)
    find_entries(mem)
    find_weights(mem)
    x, entry, base, weight = mem.x, mem.entry, mem.entry_base, mem.row_weight
    of, column, place, constant = mem.entry_row, mem.entry_column, mem.row_place, mem.row_constant
    for r in range(constant.shape[0]):
        phi[place[r, 0]] += weight[r] * constant[r]
    for e in range(of.shape[0]):
        r, c = place[of[e], 0], column[e]
        w = weight[of[e]]
        if e < base.shape[0]:
            phi[r] += 0.5 * w * (entry[0, e] + base[e]) * x[0, c]
        gamma[r] -= w * (entry[1, e] * x[1, c] + entry[0, e] * x[2, c])
        if mem.tree == 0:
            A[r, c] += w * entry[0, e]
    chain, change = mem.chain, mem.map
    for k in range(chain.shape[0]):
        A[chain[k, 0], chain[k, 1]] += entry[0, chain[k, 2]] * change[chain[k, 3]]
    linear, factor = mem.linear, mem.linear_factor
    for k in range(factor.shape[0]):
        A[linear[k, 0], linear[k, 1]] += factor[k]
        phi[linear[k, 0]] += factor[k] * y[linear[k, 1]]
    driven, sign = mem.driven, mem.driven_sign
    for k in range(sign.shape[0]):
        drive_row(mem, driven[k, 0], driven[k, 1], driven[k, 2], sign[k])
    for r in range(mem.turning[0], mem.turning[1]):
        phi[r] -= 2 * pi * round(phi[r] / (2 * pi))


def find_variables(mem: ConstrainedMemory, y: Any) -> None:
    """Write the variables of the rows: coordinates, or frames and counted turns."""
    x, X, n = mem.x, mem.X, mem.n
    if mem.tree == 0:
        for k in range(n):
            x[0, k], x[1, k] = y[k], y[n + k]
        return
    width = X.shape[1]
    for order in range(3):
        for r in range(width):
            x[order, r] = X[order, r]
    for k in range(mem.turned.shape[0]):
        link = mem.turned[k]
        x[0, width + k], x[1, width + k] = mem.theta[link] - mem.turned_zero[k], mem.omega[link]


def find_entries(mem: ConstrainedMemory) -> None:
    """Write the entries of the Jacobian by the variables and their rates, and Phi of rows with a turn."""
    x, entry, base = mem.x, mem.entry, mem.entry_base
    of, other, factor = mem.square_entry, mem.square_other, mem.square
    for e in range(base.shape[0]):
        entry[0, e], entry[1, e] = base[e], 0.0
    for k in range(factor.shape[0]):
        entry[0, of[k]] += factor[k] * x[0, other[k]]
        entry[1, of[k]] += factor[k] * x[1, other[k]]
    for k in range(mem.trig.shape[0]):
        wind(mem, k)


def wind(mem: ConstrainedMemory, k: int) -> None:
    """Add a row C cos s + S sin s + N to Phi, and write its entries and their rates."""
    x, entry, column, factor, zero = mem.x, mem.entry, mem.entry_column, mem.trig_factor, mem.trig_zero
    s, C, S, N = zero[k, 0], zero[k, 1], zero[k, 2], zero[k, 3]
    ds, dC, dS = 0.0, 0.0, 0.0
    begin = mem.trig_ptr[0]
    for e in range(mem.trig_ptr[k], mem.trig_ptr[k + 1]):
        f, value, rate = e - begin, x[0, column[e]], x[1, column[e]]
        s, C = s + factor[f, 0] * value, C + factor[f, 1] * value
        S, N = S + factor[f, 2] * value, N + factor[f, 3] * value
        ds, dC, dS = ds + factor[f, 0] * rate, dC + factor[f, 1] * rate, dS + factor[f, 2] * rate
    cosine, sine = cos(s), sin(s)
    mem.phi[mem.row_place[mem.trig[k], 0]] += C * cosine + S * sine + N
    across = dS * cosine - dC * sine - (C * cosine + S * sine) * ds
    for e in range(mem.trig_ptr[k], mem.trig_ptr[k + 1]):
        f = e - begin
        s_x, C_x, S_x, N_x = factor[f, 0], factor[f, 1], factor[f, 2], factor[f, 3]
        entry[0, e] = C_x * cosine + S_x * sine + N_x + s_x * (S * cosine - C * sine)
        entry[1, e] = (S_x * cosine - C_x * sine) * ds + s_x * across


def find_weights(mem: ConstrainedMemory) -> None:
    """Write the weights of the rows: of a dot and a cross row that switch, one has weight zero."""
    place, weight, z = mem.row_place, mem.row_weight, mem.z
    for r in range(weight.shape[0]):
        driver = place[r, 1]
        weight[r] = 1.0
        if driver < 0:
            continue
        c, s = cos(z[0, driver]), sin(z[0, driver])
        if place[r, 2] != 0:
            weight[r] = 0.0 if abs(c) < abs(s) else (1.0 if c > 0 else -1.0)
            drive_row(mem, place[r, 0], driver, 3, weight[r])
        else:
            weight[r] = 0.0 if abs(c) >= abs(s) else (-1.0 if s > 0 else 1.0)
            drive_row(mem, place[r, 0], driver, 2, weight[r])


def drive_row(mem: ConstrainedMemory, row: int, driver: int, form: int, sign: float) -> None:
    """Add -sign f(z) to a row: f is z itself, half its square, its cosine or its sine."""
    z, dz, ddz = mem.z[0, driver], mem.z[1, driver], mem.z[2, driver]
    f, slope, bend = z, 1.0, 0.0
    if form == 1:
        f, slope, bend = 0.5 * z * z, z, 1.0
    elif form == 2:
        f, slope, bend = cos(z), -sin(z), -cos(z)
    elif form == 3:
        f, slope, bend = sin(z), cos(z), -sin(z)
    mem.phi[row] -= sign * f
    mem.nu[row] += sign * slope * dz
    mem.gamma[row] += sign * (slope * ddz + bend * dz * dz)
