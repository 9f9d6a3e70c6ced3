"""Checks of the types of arguments; errors name the argument and give an example."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any, TypeGuard

import numpy as np

from structkin.errors import InputError, Problem


def mapping(value: Any, key: str, example: str, source: str = "") -> Mapping[str, Any]:
    """Return a mapping argument, an empty one for None; raise `InputError` if it is not a mapping.

    >>> mapping(None, "drivers", "{'motor': values}"), mapping({"motor": 1.0}, "drivers", "{'motor': values}")
    ({}, {'motor': 1.0})
    """
    if value is None:
        return {}
    if not isinstance(value, Mapping):
        raise InputError([Problem(key, f"{value!r} is not a mapping", f"such as {example}")], source)
    return value


def names(value: Any, key: str, source: str = "") -> tuple[Any, ...]:
    """Return a sequence of names as a tuple; raise `InputError` for anything else, a single name included.

    >>> names(["motor"], "drivers")
    ('motor',)
    """
    if isinstance(value, str) or not isinstance(value, Iterable):
        raise InputError([Problem(key, f"{value!r} is not a sequence of names", "such as ['...']")], source)
    return tuple(value)


def is_number(value: Any) -> TypeGuard[float]:
    """Return whether an argument is a finite real number.

    >>> [is_number(one) for one in (1, 2.5, np.float64(3), True, "1", np.inf, 1j)]
    [True, True, True, False, False, False, False]
    """
    real = isinstance(value, int | float | np.integer | np.floating)
    return real and not isinstance(value, bool | np.timedelta64) and math.isfinite(value)


def index(value: Any, count: int, what: str, source: str = "") -> int:
    """Return an index from 0 to count - 1, counted from the end if negative; raise `InputError` if out of range.

    >>> index(-1, 3, "sample")
    2
    """
    if isinstance(value, bool | np.bool_) or not isinstance(value, int | np.integer) or not -count <= value < count:
        hint = f"0 to {count - 1}" if count else "there are none"
        raise InputError([Problem(what, f"there is no {what} {value!r} of {count}", hint)], source)
    return int(value) % count
