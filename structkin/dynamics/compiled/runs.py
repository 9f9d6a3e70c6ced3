"""Runs at a fixed step. The text of this module becomes part of the compiled one.

The methods are those of `structkin.dynamics.integrators.methods` (Flores & Lankarani, eqs. 150-171).
"""

from __future__ import annotations

from math import inf, isfinite
from typing import Any

import numpy as np

from structkin.dynamics.compiled.conditioning import is_uneven
from structkin.dynamics.compiled.equations import evaluate, rate
from structkin.dynamics.compiled.layout import (
    ENERGY,
    FREE,
    KNOWN,
    LAST,
    LOOK,
    PAST,
    ROOTS,
    SECOND,
    SMOOTH,
    STAGES,
    TWO,
    ints,
    numbers,
)

#: Roots that go to zero are looked at from this size on, and anew where they have grown above the second.
AHEAD, AWAY = 0.25, 0.4


def advance(
    I: Any,
    D: Any,
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

    Return how many steps are taken then: fewer where something is to be looked at, which is done in the next step.
    """
    h, m = (end - start) / count, ints(I, FREE)[0]
    energy, second = numbers(I, D, ENERGY), numbers(I, D, SECOND)
    stage = numbers(I, D, STAGES).reshape(8, -1)
    if not evaluate(I, D, start + begin * h, y, 1):
        return begin
    for k in range(begin, stop):
        if is_uneven(I, D) or goes_flat(I, D):
            return k
        for i in range(m):
            stage[0, i], stage[0, m + i] = y[m + i], second[i]
        kinetic, power = energy[0], energy[1]
        if not take_step(I, D, method, start + k * h, y, h, stage):
            return k
        for i in range(2 * m):
            if not abs(stage[7, i]) < huge:
                return k
        # The evaluation at its end is the first one of the next step.
        if not evaluate(I, D, end if k == count - 1 else start + (k + 1) * h, stage[7], 1):
            return k
        energy[2] = max(energy[2], kinetic, energy[0])
        if abs(energy[0] - kinetic - 0.5 * h * (power + energy[1])) > jump * energy[2]:
            return k
        for i in range(2 * m):
            y[i] = stage[7, i]
    return max(begin, stop)


def goes_flat(I: Any, D: Any) -> bool:
    """Return whether a group of a mechanism with one coordinate may be flat ahead: its root goes to zero."""
    roots, two, look = numbers(I, D, ROOTS).reshape(2, -1), ints(I, TWO), numbers(I, D, LOOK)
    if ints(I, SMOOTH)[0] != 0 or numbers(I, D, LAST).shape[0] != 1:
        return False
    found = False
    for k in range(two.shape[0]):
        s = two[k]
        size = abs(roots[0, s])
        if size > AWAY:
            look[s] = inf
        elif size < min(AHEAD, look[s]) and roots[0, s] * roots[1, s] <= 0.0:
            found = True
    return found


def take_step(I: Any, D: Any, method: int, t: float, y: Any, h: float, stage: Any) -> bool:
    """Write the state after a step; False where that is not known here. Methods: Euler, RK2, RK4, ABM4, Gear4."""
    if method == 0:
        ahead(y, h, stage[0], stage[7])
        return True
    if method == 1:
        ahead(y, h, stage[0], stage[4])
        if not rate(I, D, t + h, stage[4], stage[1]):
            return False
        for i in range(y.shape[0]):
            stage[7, i] = y[i] + 0.5 * h * (stage[0, i] + stage[1, i])
        return True
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
        done = runge_kutta(I, D, t, y, h, stage)
    elif method == 3:
        done = adams(I, D, t, y, h, stage, past)
    else:
        done = gear(I, D, t, y, h, stage, past)
    many[0], energy[3] = (known + 1 if done else 0), h
    return done


def ahead(y: Any, h: float, slope: Any, out: Any) -> None:
    """Write y + h slope: the compiler takes long over sums of whole arrays."""
    for i in range(y.shape[0]):
        out[i] = y[i] + h * slope[i]


def runge_kutta(I: Any, D: Any, t: float, y: Any, h: float, stage: Any) -> bool:
    """Take a step by the classical method of fourth order (eqs. 158-163)."""
    for k in range(1, 4):
        part = h if k == 3 else 0.5 * h
        ahead(y, part, stage[k - 1], stage[4])
        if not rate(I, D, t + part, stage[4], stage[k]):
            return False
    for i in range(y.shape[0]):
        stage[7, i] = y[i] + h / 6 * (stage[0, i] + 2 * stage[1, i] + 2 * stage[2, i] + stage[3, i])
    return True


def adams(I: Any, D: Any, t: float, y: Any, h: float, stage: Any, past: Any) -> bool:
    """Take a step by Adams and Bashforth's predictor and Adams and Moulton's corrector (eqs. 164-169)."""
    for i in range(y.shape[0]):
        stage[4, i] = y[i] + h / 24 * (55 * past[7, i] - 59 * past[6, i] + 37 * past[5, i] - 9 * past[4, i])
    if not rate(I, D, t + h, stage[4], stage[1]):
        return False
    for i in range(y.shape[0]):
        stage[7, i] = y[i] + h / 24 * (9 * stage[1, i] + 19 * past[7, i] - 5 * past[6, i] + past[5, i])
    return True


def gear(I: Any, D: Any, t: float, y: Any, h: float, stage: Any, past: Any) -> bool:
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
            return False
        x[k] = middle - apart
        if not rate(I, D, t + h, x, stage[2]):
            return False
        x[k] = middle
        for i in range(m):
            matrix[i, k] = (1.0 if i == k else 0.0) - b * (stage[1, i] - stage[2, i]) / (2 * apart)
    if not invert(matrix, inverse):
        return False
    for _ in range(20):
        if not rate(I, D, t + h, x, stage[1]):
            return False
        for i in range(m):
            stage[4, i] = x[i] - stage[5, i] - b * stage[1, i]
        largest = 0.0
        for i in range(m):
            change = 0.0
            for k in range(m):
                change += inverse[i, k] * stage[4, k]
            x[i] -= change
            if not isfinite(x[i]):
                return False
            largest = max(largest, abs(change))
        if largest < 1e-13 * size:
            return True
    return False


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
