"""Names that are numbers, made when they are asked for."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import overload


class Numbered(Sequence[str]):
    """The names "L0", "L1", ... without storing them; number `skip` is left out.

    >>> names = Numbered("L", 4, skip=1)
    >>> list(names), names[-1], len(names)
    (['L0', 'L2', 'L3'], 'L3', 3)
    """

    def __init__(self, prefix: str, count: int, skip: int | None = None) -> None:
        """Number `count` things from 0."""
        self._prefix = prefix
        self._skip = count if skip is None else skip
        self._length = count - (skip is not None)

    def __len__(self) -> int:
        """Return how many names there are."""
        return self._length

    @overload
    def __getitem__(self, index: int) -> str: ...
    @overload
    def __getitem__(self, index: slice) -> list[str]: ...
    def __getitem__(self, index: int | slice) -> str | list[str]:
        """Return one name, or those of a slice."""
        if isinstance(index, slice):
            return [self[k] for k in range(*index.indices(self._length))]
        if index < 0:
            index += self._length
        if not 0 <= index < self._length:
            raise IndexError(index)
        return f"{self._prefix}{index + (index >= self._skip)}"

    def __iter__(self) -> Iterator[str]:
        """Go through all names."""
        return (self[k] for k in range(self._length))
