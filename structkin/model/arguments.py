"""Checks of values of arguments beyond their types, which `structkin.checked` checks."""

from __future__ import annotations

import math
from typing import Any, TypeGuard

import numpy as np
from numpy.typing import NDArray

from structkin.errors import InputError, Problem


def is_number(value: Any) -> TypeGuard[float]:
    """Return whether an argument is a finite real number.

    >>> [is_number(one) for one in (1, 2.5, np.float64(3), True, "1", np.inf, 1j)]
    [True, True, True, False, False, False, False]
    """
    real = isinstance(value, int | float | np.integer | np.floating)
    return real and not isinstance(value, bool | np.timedelta64) and math.isfinite(value)


def unmasked(given: Any) -> NDArray[Any]:
    """Return an argument as an array, its numbers with NaN where they are masked; `ValueError` where it is none.

    >>> unmasked(np.ma.array([1, 2], mask=[False, True])).tolist(), unmasked([1, 2]).tolist()
    ([1.0, nan], [1, 2])
    """
    rows = given if isinstance(given, list | tuple) else (given,)
    if not any(isinstance(row, np.ma.MaskedArray) for row in rows):
        return np.asarray(given)
    array = np.ma.asanyarray(given)
    if np.ma.is_masked(array) and array.dtype.kind in "biufc":
        array = array.astype(np.result_type(array.dtype, np.float64)).filled(np.nan)
    return np.asarray(array)


def index(value: Any, count: int, what: str, source: str = "") -> int:
    """Return an index from 0 to count - 1, counted from the end if negative; raise `InputError` if out of range.

    >>> index(-1, 3, "sample")
    2
    """
    if isinstance(value, bool | np.bool_) or not isinstance(value, int | np.integer) or not -count <= value < count:
        hint = f"0 to {count - 1}" if count else "there are none"
        raise InputError([Problem(what, f"there is no {what} {value!r} of {count}", hint)], source)
    return int(value) % count
