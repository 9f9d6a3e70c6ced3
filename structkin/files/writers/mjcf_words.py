"""Numbers, places and names as MJCF writes them."""

from __future__ import annotations

from collections.abc import Iterable


def numbers(values: Iterable[float]) -> str:
    """Return numbers with all their digits.

    >>> numbers([0.1, -0.0, 2])
    '0.1 0 2'
    """
    return " ".join(repr(float(value)).removesuffix(".0") if value else "0" for value in values)


def place(z: complex) -> str:
    """Return a place of the plane; y points up.

    >>> place(1 + 2j)
    '1 0 2'
    """
    return numbers([z.real, 0.0, z.imag])


def site(link: str, point: str) -> str:
    """Return the name of the site of a link's point.

    >>> site("crank", "B")
    'crank: B'
    """
    return f"{link}: {point}"
