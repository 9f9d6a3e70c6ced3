"""The symbols of kinematic diagrams, drawn with one pen.

Places are complex numbers in units of the picture. Every artist carries a gid that tells what it is, such as
"pin:A": it names the element in an SVG file.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from matplotlib.patches import Circle, Polygon
from numpy.typing import ArrayLike, NDArray

from structkin.show.style import DRIVER, GROUND, tint

Places = NDArray[np.complex128]

#: What is drawn over what.
HATCH, SLOT, PATH, PLATE, BAR, BARREL, BLOCK, PIN, ARROW = 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0

_GAP = np.array([np.nan + 0j])


@dataclass(frozen=True)
class Pen:
    """Draws symbols on axes; `u` is their size in units of the picture: a pin's radius is 0.45 u."""

    ax: Axes
    u: float

    # --- strokes ------------------------------------------------------------------------------------------

    def line(self, places: ArrayLike, gid: str, **style: Any) -> Line2D:
        """Draw a polyline; NaN breaks it."""
        z = np.asarray(places, dtype=np.complex128)
        style.setdefault("solid_capstyle", "round")
        [line] = self.ax.plot(z.real, z.imag, **style)
        line.set_gid(gid)
        return line

    def shape(self, places: ArrayLike, gid: str, **style: Any) -> Polygon:
        """Draw a closed, filled polygon."""
        z = np.asarray(places, dtype=np.complex128)
        patch = Polygon(np.stack((z.real, z.imag), axis=1), closed=True, joinstyle="round", **style)
        patch.set_gid(gid)
        self.ax.add_patch(patch)
        return patch

    def circle(self, place: complex, radius: float, gid: str, **style: Any) -> Circle:
        """Draw a circle of a radius in u."""
        patch = Circle((place.real, place.imag), radius * self.u, **style)
        patch.set_gid(gid)
        self.ax.add_patch(patch)
        return patch

    # --- links --------------------------------------------------------------------------------------------

    def body(
        self, places: Sequence[complex], gid: str, colour: str, *, dashed: bool = False, below: bool = False
    ) -> None:
        """Draw a link through these places: a bar, or a translucent plate; one place alone is a ring.

        A link `below` is one with a slot, which covers its own link but none of the others; a link with an unknown
        place is not drawn.
        """
        z = np.array(places, dtype=np.complex128)
        style: dict[str, Any] = {"linestyle": (0, (2.0, 1.5)) if dashed else "-"}
        if not len(z) or not np.isfinite(z).all():
            return
        corners = hull(z)
        depth = SLOT - 0.5 if below else PLATE if len(corners) > 2 else BAR
        if len(corners) == 1:
            self.circle(
                complex(z[0]), 0.8, gid, facecolor="none", edgecolor=colour, linewidth=2.5, zorder=depth, **style
            )
        elif len(corners) == 2:
            self.line(corners, gid, color=colour, linewidth=3.5, zorder=depth, **style)
        else:
            self.shape(corners, gid, facecolor=colour + "40", edgecolor=colour, linewidth=2.5, zorder=depth, **style)

    def disc(self, outline: ArrayLike, gid: str, colour: str) -> None:
        """Draw the closed outline of a cam or wheel, below all links."""
        self.shape(outline, gid, facecolor=colour + "40", edgecolor=colour, linewidth=1.8, zorder=SLOT - 0.6)

    # --- joints -------------------------------------------------------------------------------------------

    def pin(self, place: complex, gid: str) -> None:
        """Draw a revolute joint."""
        self.circle(place, 0.45, gid, facecolor="white", edgecolor="black", linewidth=1.2, zorder=PIN)

    def weld(self, place: complex, gid: str) -> None:
        """Draw the mark of links that are fastened to each other: a filled triangle, which a pin leaves to be seen."""
        corners = place + 0.95 * self.u * np.exp(2j * np.pi * (np.arange(3) / 3 + 1 / 12))
        self.shape(corners, gid, facecolor="black", edgecolor="black", linewidth=0.5, zorder=PIN - 0.5)

    def dot(self, place: complex, gid: str, colour: str) -> None:
        """Draw a point of a link that is no joint."""
        self.circle(place, 0.28, gid, facecolor=colour, edgecolor="black", linewidth=0.7, zorder=PIN)

    def pivot(self, place: complex, gid: str) -> None:
        """Draw a ground pivot: a triangle on hatched ground; its pin comes on top."""
        u = self.u
        foot = place - 1.7j * u
        style: dict[str, Any] = {"facecolor": "#dddddd", "edgecolor": GROUND, "linewidth": 1.2, "zorder": HATCH}
        self.shape([place, foot - 1.1 * u, foot + 1.1 * u], gid, **style)
        self.hatching(foot - 1.6 * u, foot + 1.6 * u, -1j, gid)

    def hatching(self, a: complex, b: complex, side: complex, gid: str) -> None:
        """Draw a line of ground from a to b with strokes towards a side (unit)."""
        count = min(max(round(abs(b - a) / (0.6 * self.u)), 3), 60)
        along = (b - a) / abs(b - a)
        starts = a + (b - a) * (np.arange(count) + 0.8) / count
        strokes = [np.array([z, z + 0.6 * self.u * (side - 0.8 * along)]) for z in starts]
        parts = [np.array([a, b]), *[part for stroke in strokes for part in (_GAP, stroke)]]
        self.line(np.concatenate(parts), f"hatching:{gid}", color=GROUND, linewidth=1.0, zorder=HATCH)

    def block(self, place: complex, along: complex, gid: str, colour: str) -> None:
        """Draw a sliding block that lies along a unit direction."""
        corners = place + along * self.u * np.array([-1.3 - 0.8j, 1.3 - 0.8j, 1.3 + 0.8j, -1.3 + 0.8j])
        self.shape(corners, gid, facecolor=tint(colour), edgecolor=colour, linewidth=2.0, zorder=BLOCK)

    def ground_guide(self, a: complex, b: complex, gid: str) -> None:
        """Draw hatched ground under the way a-b of a block, on its lower or else its right side."""
        along = (b - a) / abs(b - a)
        side = -1j * along
        if side.imag > 1e-9 or (abs(side.imag) <= 1e-9 and side.real < 0):
            side = -side
        shift = 0.8 * self.u * side
        self.hatching(a - 2.0 * self.u * along + shift, b + 2.0 * self.u * along + shift, side, gid)

    def slot(self, a: complex, b: complex, gid: str, colour: str, fixed: bool) -> None:
        """Draw a slot along the way a-b of a pin or block; one in the ground is hatched."""
        along = (b - a) / abs(b - a)
        a, b, radius = a - 0.4 * self.u * along, b + 0.4 * self.u * along, 0.75 * self.u
        half = np.exp(1j * np.linspace(-np.pi / 2, np.pi / 2, 13))
        outline = np.concatenate((b + radius * along * half, a - radius * along * half))
        self.shape(outline, gid, facecolor="white", edgecolor=colour, linewidth=2.0, zorder=SLOT)
        if fixed:
            for side in (1j * along, -1j * along):
                self.hatching(a + radius * side, b + radius * side, side, gid)

    def curved_slot(self, center: complex, start: complex, turn: float, gid: str, colour: str) -> None:
        """Draw a circular slot from a place on its middle line on, by a turn about its centre [rad]."""
        arm, u = start - center, self.u
        more = 1.3 * u / abs(arm)
        way = arm * np.exp(1j * np.linspace(-more, turn + more, 60))
        half = 0.75 * u / abs(arm) * np.exp(1j * np.linspace(0, np.pi, 13))
        outline = np.concatenate(
            (way * (1 + half[0]), way[-1] * (1 + half), way[::-1] * (1 - half[0]), way[0] * (1 - half))
        )
        self.shape(center + outline, gid, facecolor="white", edgecolor=colour, linewidth=2.0, zorder=SLOT)

    def slot_along(self, way: Places, closed: bool, gid: str, colour: str) -> None:
        """Draw a slot along its middle line, which leads back to its start where it is closed."""
        along = np.gradient(way)
        if closed:
            along[[0, -1]] = way[1] - way[-2]
        along, radius = along / np.abs(along), 0.75 * self.u
        left, right = way + 1j * radius * along, way - 1j * radius * along
        half = radius * np.exp(1j * np.linspace(-np.pi / 2, np.pi / 2, 13))
        caps = ([], []) if closed else (along[-1] * half, -along[0] * half)
        outline = np.concatenate((right, way[-1] + caps[0], left[::-1], way[0] + caps[1]))
        edge = "none" if closed else colour
        self.shape(outline, gid, facecolor="white", edgecolor=edge, linewidth=2.0, zorder=SLOT)
        for side in (left, right) if closed else ():
            self.line(side, f"edge:{gid}", color=colour, linewidth=2.0, zorder=SLOT)

    # --- drivers ------------------------------------------------------------------------------------------

    def turn_arrow(self, place: complex, start: complex, sense: int, gid: str) -> complex:
        """Draw a curved arrow about a joint from a unit direction on; sense 0 gives two heads. Return its middle."""
        radius, sweep = 2.3 * self.u, np.deg2rad(115.0)
        first, last = (np.deg2rad(25.0), np.deg2rad(25.0) + sweep)
        turns = np.linspace(first, last, 25) * (sense or 1)
        arc = place + radius * start * np.exp(1j * turns)
        self._arrow(arc, sense, gid)
        return complex(arc[len(arc) // 2])

    def straight_arrow(self, a: complex, b: complex, sense: int, gid: str) -> None:
        """Draw an arrow from a to b, or back; sense 0 gives two heads."""
        self._arrow(np.array([a, b] if sense >= 0 else [b, a]), sense, gid)

    def _arrow(self, places: Places, sense: int, gid: str) -> None:
        self.line(places, gid, color=DRIVER, linewidth=1.8, zorder=ARROW)
        self._head(places[-1], places[-1] - places[-2], gid)
        if sense == 0:
            self._head(places[0], places[0] - places[1], gid)

    def _head(self, tip: complex, way: complex, gid: str) -> None:
        along = way / abs(way)
        corners = tip + self.u * along * np.array([0.55, -0.45 + 0.42j, -0.45 - 0.42j])
        self.shape(corners, f"head:{gid}", facecolor=DRIVER, edgecolor=DRIVER, linewidth=0.5, zorder=ARROW)

    def cylinder(self, a: complex, b: complex, gid: str) -> None:
        """Draw a cylinder between two points: a barrel at a, a rod at b."""
        along = (b - a) / abs(b - a)
        if not np.isfinite(along):
            return
        near = min(0.9 * self.u, 0.15 * abs(b - a))
        length = 0.55 * abs(b - a)
        barrel = [near - 0.6j * self.u, length - 0.6j * self.u, length + 0.6j * self.u, near + 0.6j * self.u]
        self.line([a, a + near * along], f"rod:{gid}", color=DRIVER, linewidth=1.8, zorder=BAR)
        self.line([a + 0.75 * length * along, b], f"rod:{gid}", color=DRIVER, linewidth=1.8, zorder=BLOCK)
        corners = a + along * np.array(barrel)
        self.shape(corners, gid, facecolor=tint(DRIVER), edgecolor=DRIVER, linewidth=1.6, zorder=BARREL)
        piston = a + along * (0.75 * length + 0.6 * self.u * np.array([-1j, 1j]))
        self.line(piston, f"rod:{gid}", color=DRIVER, linewidth=2.5, zorder=BLOCK)

    def spring(self, a: complex, b: complex, gid: str) -> None:
        """Draw a spring between two points."""
        share = np.concatenate(([0.0], np.linspace(0.2, 0.8, 11), [1.0]))
        side = np.array([0.0, 0.0, *[0.5, -0.5] * 4, 0.5, 0.0, 0.0])
        along = (b - a) / abs(b - a) if b != a else 1.0
        self.line(a + (b - a) * share + 1j * self.u * along * side, gid, color=GROUND, linewidth=1.1, zorder=BARREL)


def hull(z: Places) -> Places:
    """Return the corners of the convex hull, counter-clockwise; two for places (nearly) on a line, one for one place.

    >>> hull(np.array([0, 1, 2, 1 + 1e-12j])), len(hull(np.array([0, 1, 1 + 1j, 0.5 + 0.2j])))
    (array([0.+0.j, 2.+0.j]), 3)
    """
    size = float(np.max(np.abs(z - z[0])))
    if size == 0.0:
        return z[:1]
    order = z[np.lexsort((z.imag, z.real))]
    far = order[[0, -1]]
    across = ((order - far[0]) * np.conj(far[1] - far[0])).imag / abs(far[1] - far[0])
    if np.max(np.abs(across)) <= 0.02 * size:
        return far
    corners: list[complex] = []
    for part in (order, order[::-1]):
        chain: list[complex] = []
        for place in part.tolist():
            while len(chain) > 1 and ((place - chain[-1]) * (chain[-1] - chain[-2]).conjugate()).imag <= 0:
                chain.pop()
            chain.append(place)
        corners += chain[:-1]
    return np.array(corners)
