"""Groups with random geometry that closes in a known pose, from the pairs of links that their joints tie."""

from __future__ import annotations

from typing import Any

import numpy as np

from structkin.groups import General, Rows

#: Links of a group and its joints (kind, link, link); -1 is what is known.
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
    points: list[Any] = []
    directions: list[Any] = []
    pins, parallels, lines = [], [], []
    known: list[complex] = []
    unit: list[bool] = []

    def point(link: int, at: complex) -> int:
        if link < 0:
            known.append(at)
            unit.append(False)
        points.append((-len(known), 0j) if link < 0 else (link, (at - z[link]) / u[link]))
        return len(points) - 1

    def along(link: int, d: complex) -> int:
        if link < 0:
            known.append(d)
            unit.append(True)
        directions.append((-len(known), 1 + 0j, -1) if link < 0 else (link, d / u[link], -1))
        return len(directions) - 1

    for kind, a, b in joints:
        if kind == "R":
            at = place()
            pins.append((point(a, at), point(b, at)))
        else:
            d, first, second = direction(), place(), place()
            parallels.append((along(a, d), along(b, d)))
            offset = float((d.conjugate() * (second - first)).imag)
            lines.append((along(a, d), point(a, first), point(b, second), offset))
    rows = Rows(
        links, len(known), 0, tuple(points), tuple(directions), tuple(pins), tuple(parallels), tuple(lines),
        unit=tuple(unit), size=1.0,
    )  # fmt: skip
    h = tuple(np.array([[v.real], [v.imag]]) for v in known)
    return General(rows), h, z, u
