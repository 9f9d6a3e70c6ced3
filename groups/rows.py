"""The equations of a general group, as indices: what `general.py` reads, and what kernels are written from."""

from __future__ import annotations

from dataclasses import dataclass

from .cam_rows import CamRow


@dataclass(frozen=True)
class Rows:
    """The equations of a general group, as indices.

    `links` is the number of unknown links. A source k >= 0 is the unknown link k, a source -1 - j the vector
    input j. `points` are (source, r) and `directions` are (source, r, turner): r is complex, in the link's frame, and
    turner the vector input that turns the direction, or -1. In `pins` (i, j) and `distances` (i, j, scalar) i and j
    are points; `parallels` (i, j) are directions; `lines` (d, i, j, e) and `travels` (d, i, j, start, scalar) hold
    a direction, two points and constants [m]. `gears` are (start, scalar) in metres; `turns` are terms (row, link, a)
    of gears and travels, a in m/rad: row k >= 0 is gear k, -1 - k travel k. A scalar -1 is none. `unit` marks the
    vector inputs that are unit vectors. `size` [m] makes angles and lengths comparable, `reaches` [m] (none, or one a
    distance; else the size) those distances with other rows.
    """

    links: int
    vectors: int
    scalars: int
    points: tuple[tuple[int, complex], ...] = ()
    directions: tuple[tuple[int, complex, int], ...] = ()
    pins: tuple[tuple[int, int], ...] = ()
    parallels: tuple[tuple[int, int], ...] = ()
    lines: tuple[tuple[int, int, int, float], ...] = ()
    travels: tuple[tuple[int, int, int, float, int], ...] = ()
    distances: tuple[tuple[int, int, int], ...] = ()
    gears: tuple[tuple[float, int], ...] = ()
    turns: tuple[tuple[int, int, float], ...] = ()
    unit: tuple[bool, ...] = ()
    size: float = 1.0
    cams: tuple[CamRow, ...] = ()
    reaches: tuple[float, ...] = ()

    @property
    def count(self) -> int:
        """Number of scalar rows: three a link, and more where joints are redundant."""
        scalar = (self.parallels, self.lines, self.travels, self.distances, self.gears, self.cams)
        return 2 * len(self.pins) + sum(map(len, scalar))

    @property
    def angles(self) -> tuple[int, ...]:
        """The links whose angles are unknowns."""
        return tuple(sorted({link for _, link, _ in self.turns}))

    @property
    def sizes(self) -> tuple[float, ...]:
        """What each row is divided by, so that all are lengths and their derivatives of the order of one."""
        return (
            *[1.0] * (2 * len(self.pins)),
            *[1 / self.size] * len(self.parallels),
            *[1.0] * (len(self.lines) + len(self.travels)),
            *(self.reaches or [self.size] * len(self.distances)),
            *[1.0] * len(self.gears),
            *[1 / self.size if row.form == "turn" else 1.0 for row in self.cams],
        )

    @property
    def equations(self) -> int:
        """Number of residuals: the rows, then one a unit direction, then one an angle."""
        return self.count + self.links + len(self.angles)
