"""Integer codes for kinds and names: the array form of a `Topology`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, overload

import numpy as np
from numpy.typing import NDArray

from structkin.errors import InputError, Problem
from structkin.model.topology import JOINT_KINDS
from structkin.types import Ints

#: The letters of the joint kinds; a kind's code is its index here, a driver's its index in `DRIVER_KINDS`.
KINDS = "".join(JOINT_KINDS)
R, P, G, C, S, K, F = range(7)
ANGLE, SLIDE, DISTANCE = range(3)
#: The kinds of joints that may join more than two links.
OF_MANY = tuple(code for code, kind in enumerate(JOINT_KINDS.values()) if kind.of_many)


def codes(given: Any, known: Sequence[str]) -> Ints:
    """Return codes (k,) from codes, words or a string of letters; an unknown word becomes -1."""
    if isinstance(given, str):
        given = list(given)
    array = _array("kinds", given).ravel()
    if array.dtype.kind in "US":
        code: Mapping[str, int] = {word: k for k, word in enumerate(known)}
        words, where = np.unique(array.astype(str), return_inverse=True)
        return np.array([code.get(word, -1) for word in words.tolist()], dtype=np.int64)[where]
    return integers("kinds", array, [])


def integers(key: str, given: Any, problems: list[Problem]) -> Ints:
    """Return a flat array of integers; a copy unless it is read-only."""
    array = _array(key, given)
    if array.size and array.dtype.kind not in "iu":
        found = Problem(key, f"expected integers, found {array.dtype}")
        if not problems and key in ("kinds", "driven_at"):
            raise InputError([found], "topology")
        problems.append(found)
        return np.zeros(0, dtype=np.int64)
    return array.astype(np.int64, copy=array.flags.writeable).ravel()


def _array(key: str, given: Any) -> NDArray[Any]:
    try:
        return np.asarray(given)
    except ValueError:
        raise InputError([Problem(key, "has rows of different lengths")], "topology") from None


class Numbered(Sequence[str]):
    """The names "L0", "L1", ... without storing them, omitting number `skip`.

    >>> names = Numbered("L", 4, skip=1)
    >>> list(names), names[-1], len(names)
    (['L0', 'L2', 'L3'], 'L3', 3)
    """

    def __init__(self, prefix: str, count: int, skip: int | None = None) -> None:
        """Number `count` items from 0."""
        self._prefix = prefix
        self._skip = count if skip is None else skip
        self._length = count - (skip is not None)

    def __len__(self) -> int:
        """Return the number of names."""
        return self._length

    @overload
    def __getitem__(self, index: int) -> str: ...
    @overload
    def __getitem__(self, index: slice) -> list[str]: ...
    def __getitem__(self, index: int | slice) -> str | list[str]:
        """Return one name, or a slice."""
        if isinstance(index, slice):
            return [self[k] for k in range(*index.indices(self._length))]
        if index < 0:
            index += self._length
        if not 0 <= index < self._length:
            raise IndexError(index)
        return f"{self._prefix}{index + (index >= self._skip)}"

    def __iter__(self) -> Iterator[str]:
        """Iterate over the names."""
        return (self[k] for k in range(self._length))
