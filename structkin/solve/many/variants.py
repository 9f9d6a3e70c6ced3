"""A number with a value for each variant, so that code written for one mechanism handles all at once.

The first value is that of the mechanism itself. Comparisons must have the same result for all variants, because the
code can take only one branch; `VariantsDiffer` names the variants that would take another.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray


class VariantsDiffer(Exception):  # noqa: N818 - not an error: these variants are built individually
    """Raised where some variants do not compare as the mechanism does; `which` (m,) are their numbers."""

    def __init__(self, which: NDArray[np.intp]) -> None:
        """Name the variants."""
        self.which = which
        super().__init__(f"{len(which)} variants are built differently from the mechanism")


class Variants:
    """Real or complex numbers (1 + variants,), the mechanism's own first.

    >>> a = Variants(np.array([3.0, 4.0]))
    >>> abs(a * 1j).values.tolist(), (a * 2 > 1), a.own
    ([3.0, 4.0], True, 3.0)
    """

    __slots__ = ("values",)
    #: NumPy leaves operators to this class.
    __array_ufunc__ = None

    def __init__(self, values: NDArray[Any]) -> None:
        """Hold the numbers."""
        self.values = values

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

    def __abs__(self) -> Variants:
        """Return the sizes."""
        return Variants(np.abs(self.values))

    def __neg__(self) -> Variants:
        """Return the opposite numbers."""
        return Variants(-self.values)

    def __pow__(self, exponent: float) -> Variants:
        """Return powers."""
        return Variants(self.values**exponent)

    def __add__(self, other: Any) -> Variants:
        """Return sums."""
        return Variants(self.values + plain(other))

    __radd__ = __add__

    def __sub__(self, other: Any) -> Variants:
        """Return differences."""
        return Variants(self.values - plain(other))

    def __rsub__(self, other: Any) -> Variants:
        """Return differences."""
        return Variants(plain(other) - self.values)

    def __mul__(self, other: Any) -> Variants:
        """Return products."""
        return Variants(self.values * plain(other))

    __rmul__ = __mul__

    def __truediv__(self, other: Any) -> Variants:
        """Return quotients."""
        return Variants(self.values / plain(other))

    def __rtruediv__(self, other: Any) -> Variants:
        """Return quotients."""
        return Variants(plain(other) / self.values)

    def __eq__(self, other: object) -> bool:
        """Return whether all are equal."""
        return bool(np.all(self.values == plain(other)))

    def __hash__(self) -> int:
        """Return the hash of the object: equal numbers may be kept twice."""
        return id(self)

    def __lt__(self, other: Any) -> bool:
        """Compare all."""
        return self._alike(operator.lt, other)

    def __le__(self, other: Any) -> bool:
        """Compare all."""
        return self._alike(operator.le, other)

    def __gt__(self, other: Any) -> bool:
        """Compare all."""
        return self._alike(operator.gt, other)

    def __ge__(self, other: Any) -> bool:
        """Compare all."""
        return self._alike(operator.ge, other)

    def _alike(self, compare: Callable[[Any, Any], Any], other: Any) -> bool:
        found = np.broadcast_to(compare(self.values, plain(other)), self.values.shape)
        odd = np.flatnonzero(found != found[0])
        if len(odd):
            raise VariantsDiffer(odd - 1)
        return bool(found[0])


def plain(value: Any) -> Any:
    """Return the numbers of variants; a number that is the same for all is returned unchanged."""
    return value.values if isinstance(value, Variants) else value
