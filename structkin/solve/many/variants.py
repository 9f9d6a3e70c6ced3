"""A number with a value for each variant, so that code written for one mechanism handles all at once.

The first value is that of the mechanism itself. Comparisons must have the same result for all variants, because the
code can take only one branch; `VariantsDiffer` names the variants that would take another.

Every operation rounds as Python's on one number does: NumPy's own on complex arrays may fuse products and sums.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import fields, is_dataclass, replace
from typing import Any

import numpy as np
from numpy.lib.mixins import NDArrayOperatorsMixin
from numpy.typing import NDArray

from structkin.types import Indices


def _times(a: NDArray[Any], b: NDArray[Any]) -> NDArray[Any]:
    if not (np.iscomplexobj(a) and np.iscomplexobj(b)):  # the other parts would be zero
        return _complex(a.real * b.real, a.imag * b if np.iscomplexobj(a) else a * b.imag)
    return _complex(a.real * b.real - a.imag * b.imag, a.real * b.imag + a.imag * b.real)


def _over(a: NDArray[Any], b: NDArray[Any]) -> NDArray[Any]:
    """Divide by Smith's method, as Python does."""
    if not np.iscomplexobj(b):  # which then divides both parts
        return _complex(a.real / b, a.imag / b)
    steep = np.abs(b.real) < np.abs(b.imag)
    c, d = np.where(steep, b.imag, b.real), np.where(steep, b.real, b.imag)
    ratio = d / c
    per = c + d * ratio
    x = np.where(steep, a.real * ratio + a.imag, a.real + a.imag * ratio)
    y = np.where(steep, a.imag * ratio - a.real, a.imag - a.real * ratio)
    return _complex(x / per, y / per)


def _complex(x: NDArray[Any], y: NDArray[Any]) -> NDArray[Any]:
    found = np.empty(np.broadcast(x, y).shape, np.complex128)
    found.real, found.imag = x, y
    return found


#: Operations on complex numbers.
_ON_COMPLEX: Mapping[np.ufunc, Callable[..., NDArray[Any]]] = {
    np.multiply: _times,
    np.divide: _over,
    np.absolute: lambda a: np.hypot(a.real, a.imag),
}


class VariantsDiffer(Exception):  # noqa: N818 - not an error: these variants are built individually
    """Raised where some variants do not compare as the mechanism does; `which` (m,) are their numbers."""

    def __init__(self, which: Indices) -> None:
        """Name the variants."""
        self.which = which
        super().__init__(f"{len(which)} variants are built differently from the mechanism")


class Variants(NDArrayOperatorsMixin):
    """Real or complex numbers (1 + variants,), the mechanism's own first.

    >>> a = Variants(np.array([3.0, 4.0]))
    >>> abs(a * 1j).values.tolist(), (a * 2 > 1), a.own
    ([3.0, 4.0], True, 3.0)
    """

    __slots__ = ("values",)

    def __init__(self, values: NDArray[Any]) -> None:
        """Hold the numbers."""
        self.values = values

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **options: Any) -> Any:
        """Apply an operator to all numbers; of a comparison return its one result."""
        numbers = [np.asarray(plain(value)) for value in inputs]
        if ufunc in _ON_COMPLEX and any(np.iscomplexobj(value) for value in numbers):
            found = _ON_COMPLEX[ufunc](*numbers)
        elif ufunc is np.power:
            found = np.array([*map(pow, *(value.ravel().tolist() for value in np.broadcast_arrays(*numbers)))])
        else:
            found = ufunc(*numbers)
        if ufunc is np.equal:
            return bool(found.all())
        if found.dtype != np.bool_:
            return Variants(found)
        odd = np.flatnonzero(found != found[0])
        if len(odd):
            raise VariantsDiffer(odd - 1)
        return bool(found[0])

    def __ne__(self, other: object) -> bool:
        """Return whether some differ."""
        return not self == other

    def __hash__(self) -> int:
        """Return the hash of the object: equal numbers may be kept twice."""
        return id(self)

    @property
    def own(self) -> Any:
        """The mechanism's own number."""
        return self.values[0].item()

    @property
    def is_complex(self) -> bool:
        """Whether it stands for a vector."""
        return self.values.dtype.kind == "c"

    @property
    def real(self) -> Variants:
        """The real parts."""
        return Variants(self.values.real)

    @property
    def imag(self) -> Variants:
        """The imaginary parts."""
        return Variants(self.values.imag)

    def conjugate(self) -> Variants:
        """Return the conjugate numbers."""
        return Variants(self.values.conjugate())


def plain(value: Any) -> Any:
    """Return the numbers of variants; a number that is the same for all is returned unchanged."""
    return value.values if isinstance(value, Variants) else value


def at(thing: Any, k: int) -> Any:
    """Return a thing made of tuples and dataclasses with the k-th of each of its `Variants`; the same if it has none.

    >>> at((1.0, Variants(np.array([2.0, 3.0]))), 1)
    (1.0, 3.0)
    """
    if isinstance(thing, Variants):
        return thing.values[k].item()
    if isinstance(thing, tuple):
        items = tuple(at(item, k) for item in thing)
        return thing if all(a is b for a, b in zip(items, thing, strict=True)) else items
    if is_dataclass(thing) and not isinstance(thing, type):
        old = {item.name: getattr(thing, item.name) for item in fields(thing) if item.init}
        new = {name: at(value, k) for name, value in old.items()}
        return thing if all(new[name] is value for name, value in old.items()) else replace(thing, **new)
    return thing


def differing(thing: Any) -> frozenset[int]:
    """Return the numbers of the variants with which a thing, as that of `at`, is not the mechanism's own.

    >>> sorted(differing((1.0, Variants(np.array([2.0, 3.0, 2.0])))))
    [1]
    """
    if isinstance(thing, Variants):
        return frozenset(np.flatnonzero(thing.values != thing.values[0]).tolist())
    if isinstance(thing, tuple):
        return frozenset[int]().union(*map(differing, thing))
    if is_dataclass(thing) and not isinstance(thing, type):
        return frozenset[int]().union(*(differing(getattr(thing, item.name)) for item in fields(thing)))
    return frozenset()
