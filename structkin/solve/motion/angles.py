"""Angles without jumps of a turn."""

from __future__ import annotations

import numpy as np

from structkin.types import Floats


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
