"""Angles without jumps of a turn."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


def wrapped(angle: Floats) -> Floats:
    """Return angles between minus half a turn and half a turn.

    >>> wrapped(np.array([0.5, 2 * np.pi + 0.5])).round(6).tolist()
    [0.5, 0.5]
    """
    return np.asarray(angle - 2 * np.pi * np.round(angle / (2 * np.pi)))


def wound(angle: Floats, turn: Floats) -> Floats:
    """Return angles (..., n) with the whole turns of `turn`, from the first finite sample on.

    >>> wound(np.array([0.0, -3.0]), np.array([5.0, 5.0 + 3 * np.pi + 0.1])).round(3).tolist()
    [0.0, 9.566]
    """
    whole = turn - angle
    first = np.argmax(np.isfinite(whole), axis=-1, keepdims=True)
    whole = whole - np.take_along_axis(whole, first, axis=-1)
    return np.asarray(angle + 2 * np.pi * np.round(whole / (2 * np.pi)))


def since(start: float, angle: Floats) -> Floats:
    """Return how far angles (n,) are from a start; the first finite sample is within half a turn of it.

    >>> since(1.0, np.array([np.nan, 7.0, 8.0])).round(3).tolist()
    [nan, -0.283, 0.717]
    """
    turn = angle - start
    good = np.flatnonzero(np.isfinite(turn))
    return np.asarray(turn - 2 * np.pi * np.round(turn[good[0]] / (2 * np.pi))) if len(good) else turn


def continuous(angle: Floats, omega: Floats, t: Floats) -> Floats:
    """Return angles (n,) without jumps of a turn; NaN samples are bridged.

    Where rates and times are known, each step's turns are those nearest to the trapezoidal rule.

    >>> continuous(np.array([3.0, -3.0]), np.full(2, np.nan), np.arange(2.0)).round(3).tolist()
    [3.0, 3.283]
    """
    good = np.flatnonzero(np.isfinite(angle))
    result = np.array(angle)
    if len(good) < 2:
        return result
    step = np.diff(angle[good])
    expected = 0.5 * (omega[good][1:] + omega[good][:-1]) * np.diff(t[good])
    # The turns within a gap in the samples are unknown.
    expected = np.where(np.isfinite(expected) & (np.diff(good) == 1), expected, 0.0)
    step = step - 2 * np.pi * np.round((step - expected) / (2 * np.pi))
    result[good[1:]] = angle[good[0]] + np.cumsum(step)
    return result
