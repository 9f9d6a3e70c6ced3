"""One step of an integrator at a fixed step (Flores & Lankarani, eqs. 150-171), for both engines.

The text of this module becomes part of the compiled one, where `mem` holds all arrays of the equations and `rate`
evaluates them; in Python `mem` is a `FixedStep`. `mem.stages` (8, m) holds the rates of a step's stages, the first one
given, intermediate states, and the state after the step in the last row. `mem.past` (8, m) holds the last four states
and their rates, the latest last; `mem.known` is their number, `mem.pace` their step and `mem.until` their last time.
"""

from __future__ import annotations

from math import isfinite
from typing import Any

import numpy as np

from structkin.numerical_tolerances import ROUNDING_OF_FEW, SAME_STEP


def rate(mem: Any, t: float, y: Any, out: Any) -> bool:
    """Write the rate of a state; False where there is none. The compiled module has its own."""
    out[:] = mem.f(t, y)
    return True


def take_step(mem: Any, method: int, t: float, y: Any, h: float) -> bool:
    """Write the state after a step; False where there is none. Methods are those of `METHODS`, in their order."""
    if method == 0:
        ahead(y, h, mem.stages[0], mem.stages[7])
        return True
    if method == 1:
        return heun(mem, t, y, h)
    if method == 2:
        return runge_kutta(mem, t, y, h)
    if abs(h - mem.pace) > SAME_STEP * abs(h) or abs(mem.until - t) > SAME_STEP * abs(h):
        mem.known = 0
    if mem.known == 4:
        for k in range(3):
            keep(mem.past[k + 1], mem.past[k])
            keep(mem.past[k + 5], mem.past[k + 4])
        mem.known = 3
    keep(y, mem.past[mem.known])
    keep(mem.stages[0], mem.past[mem.known + 4])
    if mem.known < 3:
        done = runge_kutta(mem, t, y, h)
    elif method == 3:
        done = adams(mem, t, y, h)
    else:
        done = gear(mem, t, y, h)
    mem.known = mem.known + 1 if done else 0
    mem.pace, mem.until = h, t + h
    return done


def keep(found: Any, kept: Any) -> None:
    """Copy numbers."""
    kept[:] = found


def ahead(y: Any, h: float, slope: Any, out: Any) -> None:
    """Write y + h slope."""
    out[:] = y + h * slope


def heun(mem: Any, t: float, y: Any, h: float) -> bool:
    """Take a step by Heun's method, Runge and Kutta's of second order (eqs. 155-157)."""
    stage = mem.stages
    ahead(y, h, stage[0], stage[4])
    if not rate(mem, t + h, stage[4], stage[1]):
        return False
    stage[7] = y + 0.5 * h * (stage[0] + stage[1])
    return True


def runge_kutta(mem: Any, t: float, y: Any, h: float) -> bool:
    """Take a step by the classical method of fourth order (eqs. 158-163)."""
    stage = mem.stages
    for k in range(1, 4):
        part = h if k == 3 else 0.5 * h
        ahead(y, part, stage[k - 1], stage[4])
        if not rate(mem, t + part, stage[4], stage[k]):
            return False
    stage[7] = y + h / 6 * (stage[0] + 2 * stage[1] + 2 * stage[2] + stage[3])
    return True


def adams(mem: Any, t: float, y: Any, h: float) -> bool:
    """Take a step by Adams and Bashforth's predictor and Adams and Moulton's corrector (eqs. 164-169)."""
    stage, past = mem.stages, mem.past
    stage[4] = y + h / 24 * (55 * past[7] - 59 * past[6] + 37 * past[5] - 9 * past[4])
    if not rate(mem, t + h, stage[4], stage[1]):
        return False
    stage[7] = y + h / 24 * (9 * stage[1] + 19 * past[7] - 5 * past[6] + past[5])
    return True


def gear(mem: Any, t: float, y: Any, h: float) -> bool:
    """Take a step by Gear's stiffly stable method (eqs. 170-171): Newton's, with one matrix of central differences."""
    stage, past, x = mem.stages, mem.past, mem.stages[7]
    m, b, size = y.shape[0], 12 / 25 * h, 1.0 + np.max(np.abs(y))
    stage[5] = (48 * past[3] - 36 * past[2] + 16 * past[1] - 3 * past[0]) / 25
    stage[7] = 4 * past[3] - 6 * past[2] + 4 * past[1] - past[0]
    matrix, inverse = np.empty((m, m)), np.eye(m)
    for k in range(m):
        # The cube root of the rounding error: the best step of a central difference.
        apart, middle = 6e-6 * (1.0 + abs(x[k])), x[k]
        for side in range(2):
            x[k] = middle + apart if side == 0 else middle - apart
            if not rate(mem, t + h, x, stage[1 + side]):
                return False
        x[k] = middle
        matrix[:, k] = inverse[:, k] - b * (stage[1] - stage[2]) / (2 * apart)
    if not invert(matrix, inverse):
        return False
    for _ in range(20):
        if not rate(mem, t + h, x, stage[1]):
            return False
        stage[4] = x - stage[5] - b * stage[1]
        largest = 0.0
        for i in range(m):
            change = np.sum(inverse[i] * stage[4])
            x[i] -= change
            if not isfinite(x[i]):
                return False
            largest = max(largest, abs(change))
        if largest < ROUNDING_OF_FEW * size:
            return True
    return False


def invert(matrix: Any, inverse: Any) -> bool:
    """Turn a unit matrix into the inverse of a small one by elimination in place; False where there is none."""
    for c in range(matrix.shape[0]):
        pivot = c + np.argmax(np.abs(matrix[c:, c]))
        if matrix[pivot, c] == 0.0:
            return False
        for one in (matrix, inverse):
            row = one[c].copy()
            one[c] = one[pivot]
            one[pivot] = row
        part = matrix[:, c] / matrix[c, c]
        part[c] -= 1 / matrix[c, c]
        inverse -= np.outer(part, inverse[c])
        matrix -= np.outer(part, matrix[c])
    return True
