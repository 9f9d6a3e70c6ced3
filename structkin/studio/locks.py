"""Given lengths as locks: where a point of the sketch may be."""

from __future__ import annotations

import cmath

from structkin.studio.document import Document, refuse

#: A typed place agrees with a given length within this part of the size: fields show six digits.
AGREES = 1e-5


def check(document: Document, point: str, place: complex) -> None:
    """Raise `InputError` if a place does not agree with the given lengths to a point, with their names."""
    broken = [
        f"{key} = {length:.6g} {document.units.length}"
        for key, center, length in _circles(document, point)
        if abs(abs(place - center) - length) > AGREES * document.size
    ]
    if broken:
        raise refuse(f"points.{point}", f"stays where it is: {' and '.join(broken)} would not hold there",
                     f"unlock {'it' if len(broken) == 1 else 'them'} first, or drag the point")  # fmt: skip


def nearest(document: Document, point: str, place: complex) -> complex:
    """Return the place nearest to one that keeps up to two given lengths to a point."""
    circles = [(center, length) for _, center, length in _circles(document, point)]
    if not circles:
        return place
    (c, r), *others = circles
    on_first = c + cmath.rect(r, cmath.phase(place - c))
    if not others:
        return on_first
    (d, s), gap = others[0], abs(others[0][0] - c)
    if gap == 0 or gap > r + s or gap < abs(r - s):
        return on_first
    along = (gap**2 + r**2 - s**2) / (2 * gap)
    height = max(r**2 - along**2, 0.0) ** 0.5
    corners = [c + (d - c) / gap * complex(along, side * height) for side in (1, -1)]
    return min(corners, key=lambda corner: abs(corner - place))


def _circles(document: Document, point: str) -> list[tuple[str, complex, float]]:
    """Return the key, the other end and the value of each given length to a point."""
    circles: list[tuple[str, complex, float]] = []
    for key, value in document.section("lengths").items():
        ends = key.split("-")
        length = document.length(value)
        if point in ends and len(ends) == 2 and length:
            center = document.place(ends[0] if ends[1] == point else ends[1])
            if center is not None:
                circles.append((key, center, length))
    return circles
