"""Natural coordinates: the pins themselves, shared by their links, with a unit vector for a link without two pins.

A link with pins A and B has the direction (B - A) / (r_B - r_A), linear in the pins, and one row for their distance;
each further pin follows from the first two by two linear rows (Garcia de Jalon, Bayo, 1994). Revolute joints need no
row: their links share the pin. A link that is fastened to another follows from it, with its pins. A link that a driver
turns relative to the ground takes its direction from the driver, so that the distance row and the driver's row become
two linear rows: Saura's mixed coordinates (S2 sec. 1 and method I, 2 k + 2 rows for a four-bar with k dyads). A link
that gears, racks or a Geneva wheel turn has its counted turn as a coordinate in addition to its direction.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

from structkin.global_methods.families.polynomial import PolynomialCoordinates, Variable
from structkin.global_methods.families.rows import Writer, solve_places
from structkin.joints.fastened import Fastened
from structkin.model.mechanism import Mechanism
from structkin.numerical_tolerances import EQUAL_DATA
from structkin.plan.known_state import seated
from structkin.rows.affine import FIXED, Affine, Frame
from structkin.rows.row import Row
from structkin.structure import KinematicStructure


def natural(mechanism: Mechanism, structure: KinematicStructure, drivers: Sequence[str]) -> PolynomialCoordinates:
    """Return the moving pins, and unit vectors (and points) of the links with fewer than two pins."""
    return _Natural(mechanism, structure, drivers).coordinates()


class _Natural:
    """Chooses the variables link by link in solve order, so that a pin belongs to the first group that places it."""

    def __init__(self, mechanism: Mechanism, structure: KinematicStructure, drivers: Sequence[str]) -> None:
        self.mechanism, self.drivers = mechanism, tuple(drivers)
        self.place, self.size = solve_places(mechanism, structure), mechanism.size
        self.ground = mechanism.topology.ground
        self.links = sorted(mechanism.topology.moving_links, key=self.place.__getitem__)
        self.variables: list[Variable] = []
        self.frames: dict[str, Frame] = {self.ground: FIXED}
        self.met: set[tuple[str, str]] = set()
        #: Links whose direction is a difference of pins: the two pins, and their distance [m].
        self.bars: dict[str, tuple[Affine, Affine, float]] = {}
        #: The link from which each link's frame follows: itself, or one that it is fastened to.
        self.root: dict[str, str] = {self.ground: self.ground}
        self.pins_of: dict[str, list[str]] = {link: [] for link in mechanism.links}
        self.pins: dict[str, Affine] = {}
        for joint in mechanism.topology.joints:
            if joint.kind == "R":
                for link in joint.links:
                    self.pins_of[link].append(joint.id)
                if self.ground in joint.links:
                    self.pins[joint.id] = Affine(mechanism.links[self.ground].local[joint.id])
                    self.met.add((joint.id, self.ground))

    def coordinates(self) -> PolynomialCoordinates:
        for link in self.links:
            self._choose(link)
        by_vector = self._driven_directions()
        writer = Writer(
            self.mechanism, self.place, self.frames, angles=False, size=self.size,
            pins=self.pins, met=frozenset(self.met), by_vector=frozenset(by_vector.values()),
        )  # fmt: skip
        driven = {self.root[link] for link in by_vector}
        for link in self.links:
            if self.root[link] == link and link not in driven:
                self._rigid(writer, link)
        writer.write({id: self.mechanism.drivers[id] for id in self.drivers})
        return PolynomialCoordinates("natural", self.links, self.variables, writer, self.drivers)

    def _choose(self, link: str) -> None:
        """Choose the variables of a link, and express its frame by them."""
        body, pins = self.mechanism.links[link], self.pins_of[link]
        if self._follows(link):
            return
        self.root[link] = link
        for pin in pins:
            if pin not in self.pins:
                self.pins[pin] = self._variable(pin, self.size, self.mechanism.places[pin], link, body.local[pin])
        pair = self._base(link)
        if pair is not None:
            a, b = pair
            across = body.local[b] - body.local[a]
            direction = (self.pins[b] - self.pins[a]) * (1 / across)
            self.frames[link] = Frame(self.pins[a] - direction * body.local[a], direction)
            self.bars[link] = self.pins[a], self.pins[b], abs(across)
            self.met |= {(a, link), (b, link)}
            return
        direction = self._variable(f"{link}.U", 1.0, body.direction, link, None)
        if pins:
            origin = self.pins[pins[0]] - direction * body.local[pins[0]]
            self.met.add((pins[0], link))
        else:
            origin = self._variable(f"{link}.O", self.size, body.origin, link, 0j)
        self.frames[link] = Frame(origin, direction)

    def _follows(self, link: str) -> bool:
        """Express the frame of a link that is fastened to an earlier one, and its pins; return whether it is one."""
        for joint in self.mechanism.joints.of(Fastened).values():
            first, *others = joint.links
            pairs = [(first, other) for other in others if link in (first, other)]
            for pair in pairs:
                base = pair[0] if link == pair[1] else pair[1]
                if base in self.frames:
                    self.frames[link] = seated(self.frames[base], joint.seat_on(link, base))
                    self.root[link] = self.root[base]
                    self.met.add((joint.id, pair[1]))
                    for pin in self.pins_of[link]:
                        if pin not in self.pins:
                            self.pins[pin] = self.frames[link].point(self.mechanism.links[link].local[pin])
                            self.met.add((pin, link))
                    return True
        return False

    def _base(self, link: str) -> tuple[str, str] | None:
        """Return the two pins furthest apart that are not both on the ground."""
        local = self.mechanism.links[link].local
        pairs = [
            (a, b)
            for a, b in combinations(self.pins_of[link], 2)
            if abs(local[a] - local[b]) > EQUAL_DATA * self.size and (self.pins[a].terms or self.pins[b].terms)
        ]
        return max(pairs, key=lambda pair: abs(local[pair[0]] - local[pair[1]]), default=None)

    def _variable(self, name: str, unit: float, sketch: complex, link: str, local: complex | None) -> Affine:
        self.variables.append(Variable(name, unit, sketch, link, local))
        return Affine.slot(len(self.variables) - 1)

    def _driven_directions(self) -> dict[str, str]:
        """Return the links that a driver turns relative to the ground, each with its driver."""
        found: dict[str, str] = {}
        for id in self.drivers:
            drive = self.mechanism.drivers[id]
            if drive.kind == "angle" and self.ground in drive.links:
                moving = drive.links[1] if drive.links[0] == self.ground else drive.links[0]
                found.setdefault(moving, id)
        return found

    def _rigid(self, writer: Writer, link: str) -> None:
        """Write the row for the constant distance of the link's two pins, or the length of its unit vector."""
        if link not in self.bars:
            writer.unit_vector(link)
            return
        a, b, length = self.bars[link]
        row = Row.dot(b - a, b - a).plus(-(length**2))
        writer.add(link, "constant distance", (link,), 2 * length * self.size, row)
