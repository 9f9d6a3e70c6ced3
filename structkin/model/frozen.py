"""What cannot be changed: arrays that are read-only, so that reading a result never changes it, and mappings.

Read-only mappings can be pickled and copied, and so can all that holds them.
"""

from __future__ import annotations

import copyreg
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, TypeVar

import numpy as np

A = TypeVar("A", bound=np.ndarray[Any, Any])


def read_only(array: A) -> A:
    """Return the same array, read-only from now on.

    >>> read_only(np.zeros(2))[0] = 1
    Traceback (most recent call last):
    ValueError: assignment destination is read-only
    """
    array.setflags(write=False)
    return array


def freeze(noun: object) -> None:
    """Make the arrays that an object holds read-only, also those in its mappings."""
    for value in vars(noun).values():
        for item in value.values() if isinstance(value, Mapping) else (value,):
            if isinstance(item, np.ndarray):
                read_only(item)


class Frozen:
    """The base of dataclasses whose arrays are read-only."""

    def __post_init__(self) -> None:
        """Make all arrays read-only."""
        freeze(self)


def _mapping(items: dict[Any, Any]) -> MappingProxyType[Any, Any]:
    return MappingProxyType(items)


copyreg.pickle(MappingProxyType, lambda mapping: (_mapping, (dict(mapping),)))
