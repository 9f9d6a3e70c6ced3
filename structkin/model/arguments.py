"""Arguments that are not of the kind a call expects: told as mistakes, with their name and an example."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from structkin.errors import InputError, Problem


def mapping(value: Any, key: str, example: str, source: str = "") -> Mapping[str, Any]:
    """Return a mapping that was passed, an empty one for None; `InputError` where it is none.

    >>> mapping(None, "drivers", "{'motor': values}"), mapping({"motor": 1.0}, "drivers", "{'motor': values}")
    ({}, {'motor': 1.0})
    """
    if value is None:
        return {}
    if not isinstance(value, Mapping):
        raise InputError([Problem(key, f"{value!r} is no mapping", f"such as {example}")], source)
    return value


def names(value: Any, key: str, source: str = "") -> tuple[Any, ...]:
    """Return names that were passed in a row; `InputError` where they are none: a single name is no row.

    >>> names(["motor"], "drivers")
    ('motor',)
    """
    if isinstance(value, str) or not isinstance(value, Iterable):
        raise InputError([Problem(key, f"{value!r} is no row of names", "such as ['...']")], source)
    return tuple(value)


def index(value: Any, count: int, what: str, source: str = "") -> int:
    """Return an index 0 to count - 1, one that counts from the end made positive; `InputError` where it is none.

    >>> index(-1, 3, "sample")
    2
    """
    if isinstance(value, bool | np.bool_) or not isinstance(value, int | np.integer) or not -count <= value < count:
        hint = f"0 to {count - 1}" if count else "there are none"
        raise InputError([Problem(what, f"there is no {what} {value!r} of {count}", hint)], source)
    return int(value) % count
