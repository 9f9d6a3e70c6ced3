"""Runs at a fixed step. The text of this module becomes part of the compiled one.

The methods are those of `structkin.dynamics.integrators` (Flores & Lankarani, eqs. 150-171).
"""

from __future__ import annotations

from math import isfinite
from typing import Any

import numpy as np

from structkin.dynamics.compiled.equations import evaluate, rate
from structkin.dynamics.compiled.layout import ENERGY, FREE, KNOWN, PAST, STAGES, Z, ints, numbers


def advance(
    I: Any, D: Any, method: int, start: float, end: float, begin: int, count: int, y: Any, jump: float
) -> tuple[int, int]:
    """Take the steps `begin` to `count` of equal steps from `start` to `end`; `y` is the state, and becomes the last.

    The arrays hold an evaluation of the state, level 1, whose rate is the first stage. Return how many steps are
    taken, and why no more: 0 all are, 1 an evaluation is asked for elsewhere, 2 a number is not finite,
    3 the energy jumps, 4 an implicit step does not converge.
    """
    h, m = (end - start) / count, ints(I, FREE)[0]
    energy, second = numbers(I, D, ENERGY), numbers(I, D, Z).reshape(3, -1)[2]
    stage = numbers(I, D, STAGES).reshape(8, -1)
    for k in range(begin, count):
        for i in range(m):
            stage[0, i], stage[0, m + i] = y[m + i], second[i]
        kinetic, power = energy[0], energy[1]
        code = take_step(I, D, method, start + k * h, y, h, stage)
        if code:
            return k, code
        for i in range(2 * m):
            if not isfinite(stage[7, i]):
                return k, 2
        # The evaluation at its end is the first one of the next step.
        if not evaluate(I, D, end if k == count - 1 else start + (k + 1) * h, stage[7], 1):
            return k, 1
        for i in range(2 * m):
            y[i] = stage[7, i]
        energy[2] = max(energy[2], kinetic, energy[0])
        if abs(energy[0] - kinetic - 0.5 * h * (power + energy[1])) > jump * energy[2]:
            return k, 3
    return count, 0


def take_step(I: Any, D: Any, method: int, t: float, y: Any, h: float, stage: Any) -> int:
    """Write the state after a step; methods are numbered Euler, RK2, RK4, ABM4, Gear4."""
    if method == 0:
        ahead(y, h, stage[0], stage[7])
        return 0
    if method == 1:
        ahead(y, h, stage[0], stage[4])
        if not rate(I, D, t + h, stage[4], stage[1]):
            return 1
        for i in range(y.shape[0]):
            stage[7, i] = y[i] + 0.5 * h * (stage[0, i] + stage[1, i])
        return 0
    if method == 2:
        return runge_kutta(I, D, t, y, h, stage)
    past, many, energy = numbers(I, D, PAST).reshape(8, -1), ints(I, KNOWN), numbers(I, D, ENERGY)
    if abs(h - energy[3]) > 1e-6 * abs(h):
        many[0] = 0
    known = min(many[0], 3)
    for i in range(y.shape[0]):
        if many[0] > 3:
            for k in range(3):
                past[k, i], past[4 + k, i] = past[k + 1, i], past[5 + k, i]
        past[known, i], past[4 + known, i] = y[i], stage[0, i]
    if known < 3:
        code = runge_kutta(I, D, t, y, h, stage)
    elif method == 3:
        code = adams(I, D, t, y, h, stage, past)
    else:
        code = gear(I, D, t, y, h, stage, past)
    many[0], energy[3] = (known + 1 if code == 0 else 0), h
    return code


def ahead(y: Any, h: float, slope: Any, out: Any) -> None:
    """Write y + h slope: the compiler takes long over sums of whole arrays."""
    for i in range(y.shape[0]):
        out[i] = y[i] + h * slope[i]


def runge_kutta(I: Any, D: Any, t: float, y: Any, h: float, stage: Any) -> int:
    """Take a step by the classical method of fourth order (eqs. 158-163)."""
    for k in range(1, 4):
        part = h if k == 3 else 0.5 * h
        ahead(y, part, stage[k - 1], stage[4])
        if not rate(I, D, t + part, stage[4], stage[k]):
            return 1
    for i in range(y.shape[0]):
        stage[7, i] = y[i] + h / 6 * (stage[0, i] + 2 * stage[1, i] + 2 * stage[2, i] + stage[3, i])
    return 0


def adams(I: Any, D: Any, t: float, y: Any, h: float, stage: Any, past: Any) -> int:
    """Take a step by Adams and Bashforth's predictor and Adams and Moulton's corrector (eqs. 164-169)."""
    for i in range(y.shape[0]):
        stage[4, i] = y[i] + h / 24 * (55 * past[7, i] - 59 * past[6, i] + 37 * past[5, i] - 9 * past[4, i])
    if not rate(I, D, t + h, stage[4], stage[1]):
        return 1
    for i in range(y.shape[0]):
        stage[7, i] = y[i] + h / 24 * (9 * stage[1, i] + 19 * past[7, i] - 5 * past[6, i] + past[5, i])
    return 0


def gear(I: Any, D: Any, t: float, y: Any, h: float, stage: Any, past: Any) -> int:
    """Take a step by Gear's method (eqs. 170-171): Newton's method with one matrix of central differences."""
    m, x, b, size = y.shape[0], stage[7], 12 / 25 * h, 1.0
    matrix, inverse = np.empty((m, m)), np.empty((m, m))
    for i in range(m):
        stage[5, i] = (48 * past[3, i] - 36 * past[2, i] + 16 * past[1, i] - 3 * past[0, i]) / 25
        x[i] = 4 * past[3, i] - 6 * past[2, i] + 4 * past[1, i] - past[0, i]
        size = max(size, 1.0 + abs(y[i]))
    for k in range(m):
        apart, middle = 6e-6 * (1.0 + abs(x[k])), x[k]
        x[k] = middle + apart
        if not rate(I, D, t + h, x, stage[1]):
            return 1
        x[k] = middle - apart
        if not rate(I, D, t + h, x, stage[2]):
            return 1
        x[k] = middle
        for i in range(m):
            matrix[i, k] = (1.0 if i == k else 0.0) - b * (stage[1, i] - stage[2, i]) / (2 * apart)
    if not invert(matrix, inverse):
        return 4
    for _ in range(20):
        if not rate(I, D, t + h, x, stage[1]):
            return 1
        for i in range(m):
            stage[4, i] = x[i] - stage[5, i] - b * stage[1, i]
        largest = 0.0
        for i in range(m):
            change = 0.0
            for k in range(m):
                change += inverse[i, k] * stage[4, k]
            x[i] -= change
            if not isfinite(x[i]):
                return 4
            largest = max(largest, abs(change))
        if largest < 1e-13 * size:
            return 0
    return 4


def invert(matrix: Any, inverse: Any) -> bool:
    """Write the inverse of a small matrix, which is lost, by elimination with pivots; False where there is none."""
    m = matrix.shape[0]
    for i in range(m):
        for k in range(m):
            inverse[i, k] = 1.0 if i == k else 0.0
    for c in range(m):
        pivot = c
        for i in range(c + 1, m):
            if abs(matrix[i, c]) > abs(matrix[pivot, c]):
                pivot = i
        if matrix[pivot, c] == 0.0:
            return False
        for k in range(m):
            matrix[c, k], matrix[pivot, k] = matrix[pivot, k], matrix[c, k]
            inverse[c, k], inverse[pivot, k] = inverse[pivot, k], inverse[c, k]
        for i in range(m):
            part = (matrix[i, c] - (1.0 if i == c else 0.0)) / matrix[c, c]
            for k in range(m):
                matrix[i, k] -= part * matrix[c, k]
                inverse[i, k] -= part * inverse[c, k]
    return True
