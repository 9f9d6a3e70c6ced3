"""The symbols of kinematic diagrams, collected on a sheet from which a scene is made.

Places are complex numbers [m] in the frame to which a symbol is fixed. Every shape has an id that says what it is, such
as "pin:A": it becomes the id of the element in an SVG file.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike

from structkin.joints.pair import Poses
from structkin.model.mechanism import Mechanism
from structkin.numerical_tolerances import NEGLIGIBLE, VISIBLE
from structkin.show.scene import Frame, Name, Shape
from structkin.show.style import DRIVER, GROUND, LOOSE, link_colour, tint
from structkin.structure import KinematicStructure
from structkin.types import Complexes, Floats

#: Drawing order, from bottom to top.
HATCH, WHEEL, DISC, SLOTTED, SLOT, PATH, PLATE, BAR, BARREL, BLOCK, PIN, ARROW = (
    *(1.0, 1.3, 1.4, 1.5, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0),
)
#: Dashes of links that no group determines.
DASHED = (2.0, 1.5)

_GAP = np.array([complex(np.nan, np.nan)])


@dataclass
class Sheet:
    """The shapes and names of a mechanism as they are collected, with symbols of size `u` [m].

    The scene is made for these `poses`: slots and cylinders are long enough for them. The symbols of joints leave notes
    for the drawing of links and points: places (`ties`) and lines of travel (`travels`) that the body of a link must
    reach; links that need no body if they have only one place (`shown`); links with a slot, which lie below all others
    (`below`); points that are drawn as pins (`pins`).
    """

    mechanism: Mechanism
    structure: KinematicStructure | None
    poses: Poses
    u: float
    part: str = ""
    shapes: list[Shape] = field(default_factory=list)
    names: list[Name] = field(default_factory=list)
    ties: dict[str, list[complex]] = field(default_factory=lambda: defaultdict(list))
    travels: dict[str, list[tuple[complex, complex]]] = field(default_factory=lambda: defaultdict(list))
    shown: set[str] = field(default_factory=set)
    below: set[str] = field(default_factory=set)
    pins: set[str] = field(default_factory=set)

    # --- what symbols need to know --------------------------------------------------------------------------

    @property
    def ground(self) -> str:
        """The name of the ground."""
        return self.mechanism.topology.ground

    def colour(self, link: str) -> str:
        """Return the colour of a link's group, or of the ground; without a structure all links have one colour."""
        return GROUND if link == self.ground else link_colour(self.structure, link)

    def seen(self, link: str, place: complex | Complexes, frame: str) -> Complexes:
        """Return places [m] of one link in the frame of another, for the known poses (n,)."""
        origin, direction = self.poses.frames[frame]
        z = (self.poses.at(link, place) - origin) / direction
        return np.asarray(z[..., np.isfinite(origin + direction + self.poses.at(link, 0j))])

    def distance(self, a: tuple[str, complex], b: tuple[str, complex]) -> Floats:
        """Return the distance [m] between places of two links, for the known poses."""
        distance = np.abs(self.poses.at(*b) - self.poses.at(*a))
        return distance[np.isfinite(distance)]

    def pin_at(self, link: str, place: complex) -> None:
        """Have the points of a link at a place drawn as pins."""
        local = self.poses.links[link].local
        self.pins |= {name for name, at in local.items() if abs(at - place) <= VISIBLE * self.u}

    # --- strokes ------------------------------------------------------------------------------------------

    def line(
        self, frame: Frame, z: ArrayLike, id: str, *, stroke: str, width: float, layer: float,
        dash: tuple[float, ...] = (),
    ) -> None:  # fmt: skip
        """Draw a polyline; NaN breaks it."""
        places = np.asarray(z, np.complex128)
        shape = Shape(id=id, part=self.part, frame=frame, z=places, stroke=stroke, width=width, dash=dash, layer=layer)
        self.shapes.append(shape)

    def area(
        self, frame: Frame, z: ArrayLike, id: str, *, fill: str | None, stroke: str, width: float, layer: float,
        dash: tuple[float, ...] = (), radius: float | None = None,
    ) -> None:  # fmt: skip
        """Draw a closed polygon, or a circle of a radius [m]."""
        places = np.atleast_1d(np.asarray(z, np.complex128))
        self.shapes.append(
            Shape(
                id=id, part=self.part, frame=frame, z=places, radius=radius, closed=True, fill=fill, stroke=stroke,
                width=width, dash=dash, layer=layer,
            )
        )  # fmt: skip

    # --- links --------------------------------------------------------------------------------------------

    def body(self, link: str, places: list[complex]) -> None:
        """Draw a link through places of its frame: a bar or a translucent plate; for a single place, a ring."""
        if not places:
            return
        colour, frame, id = self.colour(link), Frame(link), f"link:{link}"
        dash = DASHED if colour == LOOSE else ()
        corners = hull(np.array(places, np.complex128))
        layer = SLOTTED if link in self.below else PLATE if len(corners) > 2 else BAR
        if len(corners) == 1:
            radius = 0.8 * self.u
            self.area(
                frame, corners, id, fill=None, stroke=colour, width=2.5, layer=layer, dash=dash, radius=radius
            )  # fmt: skip
        elif len(corners) == 2:
            self.line(frame, corners, id, stroke=colour, width=3.5, layer=layer, dash=dash)
        else:
            self.area(frame, corners, id, fill=colour + "40", stroke=colour, width=2.5, layer=layer, dash=dash)

    def disc(self, link: str, outline: ArrayLike, id: str) -> None:
        """Draw the closed outline of a cam or wheel, below the links."""
        colour = self.colour(link)
        self.area(Frame(link), outline, id, fill=colour + "40", stroke=colour, width=1.8, layer=DISC)

    # --- joints -------------------------------------------------------------------------------------------

    def pin(self, frame: Frame, id: str) -> None:
        """Draw a revolute joint."""
        self.area(frame, 0j, id, fill="white", stroke="black", width=1.2, layer=PIN, radius=0.45 * self.u)

    def weld(self, frame: Frame, id: str) -> None:
        """Draw the mark of links fastened together: a filled triangle, larger than a pin so that it stays visible."""
        corners = 0.95 * self.u * np.exp(2j * np.pi * (np.arange(3) / 3 + 1 / 12))
        self.area(frame, corners, id, fill="black", stroke="black", width=0.5, layer=PIN - 0.5)

    def dot(self, frame: Frame, id: str, colour: str) -> None:
        """Draw a point of a link that is not a joint."""
        self.area(frame, 0j, id, fill=colour, stroke="black", width=0.7, layer=PIN, radius=0.28 * self.u)

    def pivot(self, place: complex, id: str) -> None:
        """Draw a ground pivot: a triangle on hatched ground, without its pin."""
        u, frame = self.u, Frame(self.ground)
        foot = place - 1.7j * u
        corners = [place, foot - 1.1 * u, foot + 1.1 * u]
        self.area(frame, corners, id, fill="#dddddd", stroke=GROUND, width=1.2, layer=HATCH)
        self.hatching(frame, foot - 1.6 * u, foot + 1.6 * u, -1j, id)

    def hatching(self, frame: Frame, a: complex, b: complex, side: complex, id: str) -> None:
        """Draw a ground line from a to b, hatched on the side of a unit vector."""
        count = min(max(round(abs(b - a) / (0.6 * self.u)), 3), 60)
        along = (b - a) / abs(b - a)
        starts = a + (b - a) * (np.arange(count) + 0.8) / count
        strokes = [np.array([z, z + 0.6 * self.u * (side - 0.8 * along)]) for z in starts]
        z = broken(np.array([a, b]), *strokes)
        self.line(frame, z, f"hatching:{id}", stroke=GROUND, width=1.0, layer=HATCH)

    def block(self, frame: Frame, id: str, colour: str) -> None:
        """Draw a sliding block."""
        corners = self.u * np.array([-1.3 - 0.8j, 1.3 - 0.8j, 1.3 + 0.8j, -1.3 + 0.8j])
        self.area(frame, corners, id, fill=tint(colour), stroke=colour, width=2.0, layer=BLOCK)

    def ground_guide(self, a: complex, b: complex, id: str) -> None:
        """Draw hatched ground along the travel a-b of a block, below it, or to its right if the travel is vertical."""
        along = (b - a) / abs(b - a)
        side = -1j * along
        if side.imag > NEGLIGIBLE or (abs(side.imag) <= NEGLIGIBLE and side.real < 0):
            side = -side
        shift = 0.8 * self.u * side
        self.hatching(Frame(self.ground), a - 2.0 * self.u * along + shift, b + 2.0 * self.u * along + shift, side, id)

    def slot(self, link: str, a: complex, b: complex, id: str) -> None:
        """Draw a slot along the travel a-b of a pin or block; in the ground it is hatched."""
        along = (b - a) / abs(b - a)
        a, b, radius = a - 0.4 * self.u * along, b + 0.4 * self.u * along, 0.75 * self.u
        half = np.exp(1j * np.linspace(-np.pi / 2, np.pi / 2, 13))
        outline = np.concatenate((b + radius * along * half, a - radius * along * half))
        self.area(Frame(link), outline, id, fill="white", stroke=self.colour(link), width=2.0, layer=SLOT)
        if link == self.ground:
            for side in (1j * along, -1j * along):
                self.hatching(Frame(link), a + radius * side, b + radius * side, side, id)

    def curved_slot(self, link: str, center: complex, start: complex, turn: float, id: str) -> None:
        """Draw a circular slot from a place on its middle line, through an angle about its centre [rad]."""
        arm, u = start - center, self.u
        more = 1.3 * u / abs(arm)
        line = arm * np.exp(1j * np.linspace(-more, turn + more, 60))
        half = 0.75 * u / abs(arm) * np.exp(1j * np.linspace(0, np.pi, 13))
        outline = np.concatenate(
            (line * (1 + half[0]), line[-1] * (1 + half), line[::-1] * (1 - half[0]), line[0] * (1 - half))
        )
        self.area(
            Frame(link), center + outline, id, fill="white", stroke=self.colour(link), width=2.0, layer=SLOT
        )  # fmt: skip

    def slot_along(self, link: str, line: Complexes, id: str, *, closed: bool) -> None:
        """Draw a slot along its middle line, which ends where it starts if the slot is closed."""
        along = np.gradient(line)
        if closed:
            along[[0, -1]] = line[1] - line[-2]
        along, radius = along / np.abs(along), 0.75 * self.u
        left, right = line + 1j * radius * along, line - 1j * radius * along
        half = radius * np.exp(1j * np.linspace(-np.pi / 2, np.pi / 2, 13))
        caps = ([], []) if closed else (along[-1] * half, -along[0] * half)
        outline = np.concatenate((right, line[-1] + caps[0], left[::-1], line[0] + caps[1]))
        colour = self.colour(link)
        edge = "none" if closed else colour
        self.area(Frame(link), outline, id, fill="white", stroke=edge, width=2.0, layer=SLOT)
        if closed:
            self.line(Frame(link), broken(left, right), f"edge:{id}", stroke=colour, width=2.0, layer=SLOT)

    # --- drivers and springs --------------------------------------------------------------------------------

    def turn_arrow(self, frame: Frame, sense: int, id: str) -> complex:
        """Draw a curved arrow about the origin of a frame, starting near its x axis; return its middle.

        The sense is that of the rotation; 0 gives two heads.
        """
        turns = np.linspace(np.deg2rad(25.0), np.deg2rad(140.0), 25) * (sense or 1)
        arc = 2.3 * self.u * np.exp(1j * turns)
        self._arrow(frame, arc, sense, id)
        return complex(arc[len(arc) // 2])

    def straight_arrow(self, frame: Frame, a: complex, b: complex, sense: int, id: str) -> None:
        """Draw an arrow from a to b, or back; sense 0 gives two heads."""
        self._arrow(frame, np.array([a, b] if sense >= 0 else [b, a]), sense, id)

    def _arrow(self, frame: Frame, z: Complexes, sense: int, id: str) -> None:
        self.line(frame, z, id, stroke=DRIVER, width=1.8, layer=ARROW)
        self._head(frame, z[-1], z[-1] - z[-2], id)
        if sense == 0:
            self._head(frame, z[0], z[0] - z[1], id)

    def _head(self, frame: Frame, tip: complex, along: complex, id: str) -> None:
        along /= abs(along)
        corners = tip + self.u * along * np.array([0.55, -0.45 + 0.42j, -0.45 - 0.42j])
        self.area(frame, corners, f"head:{id}", fill=DRIVER, stroke=DRIVER, width=0.5, layer=ARROW)

    def cylinder(self, a: tuple[str, complex], b: tuple[str, complex], id: str) -> None:
        """Draw a cylinder between places of two links: a barrel at a, and a rod at b with its piston in the barrel.

        If the stroke is not known, or too long for the piston to stay in the barrel, both are scaled with the distance.
        """
        distances = self.distance(a, b)
        if not len(distances):
            return
        low, high = float(distances.min()), float(distances.max())
        usual, near = (low + high) / 2, min(0.9 * self.u, 0.15 * low)
        barrel = max(0.55 * usual, (high - low + 2 * near) / 0.9)
        fits = barrel <= 0.9 * low and len(distances) > 1
        stretch = None if fits else usual
        barrel = barrel if fits else 0.55 * usual
        rod = usual - 0.75 * barrel
        if fits:
            rod = min(max(rod, high - 0.95 * barrel), low - 1.5 * near)
        base, tip = Frame(*a, toward=b, stretch=stretch), Frame(*b, toward=a, stretch=stretch)
        across = 0.6j * self.u
        corners = [near - across, barrel - across, barrel + across, near + across]
        self.line(base, [0, near], f"base:{id}", stroke=DRIVER, width=1.8, layer=BAR)
        self.area(base, corners, id, fill=tint(DRIVER), stroke=DRIVER, width=1.6, layer=BARREL)
        self.line(tip, [0, rod], f"rod:{id}", stroke=DRIVER, width=1.8, layer=BLOCK)
        self.line(tip, [rod - across, rod + across], f"piston:{id}", stroke=DRIVER, width=2.5, layer=BLOCK)

    def spring(self, a: tuple[str, complex], b: tuple[str, complex], id: str, aside: float = 0.0) -> None:
        """Draw a spring between places of two links, its coils so many symbol sizes beside the line of these."""
        share = np.concatenate(([0.0], np.linspace(0.2, 0.8, 11), [1.0]))
        side = np.array([0.0, 0.0, *[0.5, -0.5] * 4, 0.5, 0.0, 0.0]) + aside * (np.abs(share - 0.5) < 0.4)
        self._stretched(a, b, share + 1j * side, id)

    def damper(self, a: tuple[str, complex], b: tuple[str, complex], id: str, aside: float = 0.0) -> None:
        """Draw a dashpot between places of two links, a piston in a cup; beside their line as a spring is."""
        cup = np.array([0.0, 0.2, 0.3, 0.3 + 0.5j, 0.65 + 0.5j, np.nan, 0.3, 0.3 - 0.5j, 0.65 - 0.5j])
        rod = np.array([np.nan, 0.5 + 0.35j, 0.5 - 0.35j, np.nan, 0.5, 0.8, 1.0])
        way = np.concatenate((cup, rod))
        self._stretched(a, b, way + 1j * aside * (np.abs(way.real - 0.5) < 0.4), id)

    def _stretched(self, a: tuple[str, complex], b: tuple[str, complex], way: Complexes, id: str) -> None:
        """Draw a line that is stretched between two places: parts of their distance, and symbol sizes aside."""
        length = float(np.max(self.distance(a, b), initial=0.0))
        if length:
            frame = Frame(*a, toward=b, stretch=length)
            self.line(frame, length * way.real + 1j * self.u * way.imag, id, stroke=GROUND, width=1.1, layer=BARREL)


def broken(*parts: Complexes) -> Complexes:
    """Return polylines as one, with breaks between them."""
    return np.concatenate([piece for part in parts for piece in (part, _GAP)][:-1])


def hull(z: Complexes) -> Complexes:
    """Return the corners of the convex hull, counter-clockwise: two if (nearly) collinear, one for a single place.

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
