"""Groups with random geometry that closes in a known pose, from the pairs of links that their joints connect."""

from __future__ import annotations

from typing import Any

import numpy as np

from structkin.groups import General, Rows
from structkin.rows.affine import Affine, Frame
from structkin.rows.row import Row

#: Links of a group and its joints (kind, link, link); -1 is the known part.
TRIAD = (4, [("R", 0, 1), ("R", 0, 2), ("R", 0, 3), ("R", 1, -1), ("R", 2, -1), ("R", 3, -1)])
FOUR_RING = (4, [("R", 0, 1), ("R", 1, 2), ("R", 2, 3), ("R", 3, 0), ("R", 0, -1), ("R", 2, -1)])
#: The three trusses of seven links, and the first with a link of degree 4 as the ground: a double triad.
SEVEN = {
    18: [(0, 3), (0, 4), (0, 5), (0, 6), (3, 1), (4, 1), (5, 2), (6, 2), (1, 2)],
    14: [(0, 1), (0, 2), (0, 3), (1, 4), (1, 5), (2, 4), (2, 6), (3, 5), (3, 6)],
    16: [(0, 1), (0, 2), (0, 4), (1, 3), (1, 5), (2, 5), (2, 6), (4, 3), (3, 6)],
}


def truss(edges: list[tuple[int, int]], ground: int) -> tuple[int, list[tuple[str, int, int]]]:
    """A truss of pins with one of its links known."""
    number = {link: k for k, link in enumerate(link for link in range(7) if link != ground)} | {ground: -1}
    return 6, [("R", number[a], number[b]) for a, b in edges]


def legs(*kinds: str) -> tuple[int, list[tuple[str, int, int]]]:
    """A triad with legs of these kinds (exterior, interior); link 0 is the platform."""
    joints = []
    for k, (exterior, interior) in enumerate(kinds):
        joints += [(exterior, -1, k + 1), (interior, k + 1, 0)]
    return 4, joints


def closed(links: int, joints: list[tuple[str, int, int]], seed: int) -> tuple[General, Any, Any, Any]:
    """Return a group with random dimensions, its inputs, and a pose in which it closes: origins, directions (m,)."""
    rng = np.random.default_rng(seed)

    def place() -> complex:
        return complex(*rng.normal(size=2))

    def direction() -> complex:
        return complex(np.exp(1j * rng.uniform(-np.pi, np.pi)))

    z = np.array([place() for _ in range(links)])
    u = np.array([direction() for _ in range(links)])
    forms: list[Row] = []
    sizes: list[float] = []
    known: list[complex] = []
    unit: list[bool] = []

    def given(value: complex, *, is_unit: bool) -> Affine:
        known.append(value)
        unit.append(is_unit)
        return Affine.slot(2 * links + len(known) - 1)

    def point(link: int, at: complex) -> Affine:
        if link < 0:
            return given(at, is_unit=False)
        return Frame(Affine.slot(2 * link), Affine.slot(2 * link + 1)).point((at - z[link]) / u[link])

    def along(link: int, d: complex) -> Affine:
        return given(d, is_unit=True) if link < 0 else Affine.slot(2 * link + 1) * (d / u[link])

    for kind, a, b in joints:
        if kind == "R":
            at = place()
            gap = point(a, at) - point(b, at)
            forms += [Row.part(gap, axis) for axis in (0, 1)]
            sizes += [1.0, 1.0]
        else:
            d, first, second = direction(), place(), place()
            forms.append(Row.aligned(along(a, d), along(b, d)))
            offset = float((d.conjugate() * (second - first)).imag)
            forms.append(Row.cross(along(a, d), point(b, second) - point(a, first)).plus(-offset))
            sizes += [1.0, 1.0]
    rows = Rows(links, len(known), tuple(forms), tuple(sizes), tuple(unit))
    h = tuple(np.array([[v.real], [v.imag]]) for v in known)
    return General(rows), h, z, u
