"""Files of the program Linkage (.linkage2): its links and their points as links here."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import combinations

from structkin.files.readers.imported import GROUND, Imported, listed
from structkin.files.readers.linkage_motion import add_drivers, add_gears, add_slots
from structkin.files.readers.linkage_xml import Connector, Drawing, Part, parse

#: Millimetres and inches in a unit of the file, a pixel at 96 to the inch.
MILLIMETRE, INCH = 25.4 / 96, 1 / 96


def read(text: str) -> Imported:
    """Return the mechanism of a .linkage2 file.

    >>> found = read('''<linkage2><program units="Inches"/>
    ...   <connector id="0" x="0" y="0" anchor="true" input="true" rpm="15"/> <connector id="1" x="96" y="0"/>
    ...   <Link id="0"><connector id="0"/><connector id="1"/></Link></linkage2>''')
    >>> found.points, found.links
    ({'A': [0.0, 0.0], 'B': [1.0, 0.0]}, {'ground': ['A'], 'L0': ['A', 'B']})
    >>> found.drivers
    {'input A': {'links': ['ground', 'L0'], 'speed': '-15.0 rpm'}}
    """
    found = Imported()
    drawing = parse(text, found)
    if not found.problems:
        found.length = "in" if drawing.inches else "mm"
        plan = Plan(drawing, found, INCH if drawing.inches else MILLIMETRE)
        plan.merge()
        plan.add_points()
        plan.add_links()
        plan.fasten_links()
        add_slots(plan)
        add_gears(plan)
        add_drivers(plan)
        traced = [plan.points[one.id] for one in drawing.connectors.values() if one.drawn and one.id in plan.points]
        if traced:
            found.notes.append(f"Linkage draws the paths of {listed(traced)}")
    return found


@dataclass
class Plan:
    """What becomes of a drawing's connectors and links."""

    drawing: Drawing
    found: Imported
    scale: float
    #: The point of each connector.
    points: dict[int, str] = field(default_factory=dict)
    #: For each link of the file, by its index: the first link of the rigid body it belongs to; -1 is the ground.
    body: dict[int, int] = field(default_factory=dict)
    #: The name of the link that each body becomes.
    names: dict[int, str] = field(default_factory=lambda: {-1: GROUND})
    #: Links that are fastened to each other lead to the same link.
    fastened: dict[str, str] = field(default_factory=dict)

    def place(self, id: int) -> complex:
        """Return the place of a connector in the unit of length of the result."""
        return self.drawing.connectors[id].place * self.scale

    # --- which links are one body ----------------------------------------------------------------------------

    def merge(self) -> None:
        """Find the links that are rigid parts of the ground or of each other: they share two connectors."""
        self.members = {-1: {one.id for one in self.drawing.connectors.values() if one.anchor}}
        for k, part in enumerate(self.drawing.parts):
            if not part.actuator and not part.elastic and not self._is_idle(part):
                self.members[k], self.body[k] = set(part.connectors), k
        for one in self.drawing.connectors.values():
            self._fasten_connector(one)
        elastic = [part.label for part in self.drawing.parts if part.elastic]
        if elastic:
            self.found.notes.append(f"of unconstrained length, so not rigid links here: {listed(elastic)}")
        while pairs := self._rigid_pairs():
            for pair in pairs:
                first, second = sorted(self.body.get(one, one) for one in pair)
                if first != second:
                    self.members[first] |= self.members.pop(second)
                    self.body = {k: first if body == second else body for k, body in self.body.items()}
        merged: dict[int, list[str]] = {}
        for k, body in self.body.items():
            if body != k:
                merged.setdefault(body, []).append(self.drawing.parts[k].label)
        for body, labels in merged.items():
            other = "the ground" if body < 0 else self.drawing.parts[body].label
            self.found.notes.append(f"attached at two points, so rigid parts of {other}: {listed(labels)}")

    def _is_idle(self, part: Part) -> bool:
        """Return whether a link only marks a connector: it has no length, and drives and carries nothing."""
        if part.gear or part.fastened is not None or len(part.connectors) > 1 or self._carries(part):
            return False
        held = [other for other in self.drawing.parts if other is not part and not other.actuator]
        return all(
            self.drawing.connectors[id].anchor or any(id in other.connectors for other in held)
            for id in part.connectors
        )

    def _carries(self, part: Part) -> bool:
        """Return whether something is fastened to a link."""
        target = ("link", part.id)
        fastened = [one.fastened for one in self.drawing.parts]
        return target in (*fastened, *(one.fastened for one in self.drawing.connectors.values()))

    def _fasten_connector(self, one: Connector) -> None:
        if one.fastened is None:
            return
        what, id = one.fastened
        k = next((k for k in self.body if what == "link" and self.drawing.parts[k].id == id), None)
        if k is None:
            self.found.notes.append(f"connector {one.label} is fastened to {what} {id}: not understood, so left free")
        else:
            self.members[k].add(one.id)

    def _rigid_pairs(self) -> list[tuple[int, int]]:
        """Return the pairs of bodies that share connectors at two places."""
        holders: dict[int, list[int]] = {}
        for body, members in self.members.items():
            for id in members:
                holders.setdefault(id, []).append(body)
        first: dict[tuple[int, int], complex] = {}
        found = []
        for id, bodies in holders.items():
            place = self.drawing.connectors[id].place
            for pair in combinations(sorted(bodies), 2):
                if first.setdefault(pair, place) != place:
                    found.append(pair)
        return found

    # --- points and links ------------------------------------------------------------------------------------

    def add_points(self) -> None:
        """Make a point of each connector of links and actuators."""
        parts = self.drawing.parts
        used = {id for members in self.members.values() for id in members}
        used |= {id for part in parts if part.actuator for id in part.connectors}
        for id, one in self.drawing.connectors.items():
            if id in used:
                self.points[id] = self.found.unique(one.label)
                place = self.place(id)
                self.found.points[self.points[id]] = [place.real, place.imag]
        loose = [one.label for id, one in self.drawing.connectors.items() if id not in used]
        if loose:
            self.found.notes.append(f"on no link, so left out: {listed(loose)}")

    def add_links(self) -> None:
        """Make a link of each body; the points are in the order of the file."""
        self.found.links[GROUND] = [self.points[id] for id in self.points if id in self.members[-1]]
        for body, members in self.members.items():
            if body >= 0:
                part = self.drawing.parts[body]
                own = [id for id in part.connectors if id in members]
                points = [self.points[id] for id in (*own, *(id for id in self.points if id in members))]
                self.names[body] = self.found.link(part.label, points)

    def holders(self, *ids: int) -> list[str]:
        """Return the links that have all these connectors, the ground first."""
        return [self.names[body] for body, members in self.members.items() if members.issuperset(ids)]

    def link_of(self, id: int) -> str | None:
        """Return the link that a link of the file became, by its number; None if there is none."""
        return next((self.names[body] for k, body in self.body.items() if self.drawing.parts[k].id == id), None)

    def base(self, link: str) -> str:
        """Return the link that represents all links fastened to a link."""
        while link in self.fastened:
            link = self.fastened[link]
        return link

    def fasten(self, first: str, second: str) -> None:
        """Fasten two links to each other, unless they already are."""
        if first == GROUND or second == GROUND:
            first, second = GROUND, second if first == GROUND else first
        if self.base(first) != self.base(second):
            self.found.joints[self.found.unique(f"fastening of {second}")] = {
                "type": "fastened",
                "links": [first, second],
            }
            one, other = sorted((self.base(first), self.base(second)), key=lambda name: name != GROUND)
            self.fastened[other] = one

    def fasten_links(self) -> None:
        """Fasten links to the links and connectors that the file names."""
        for k, body in self.body.items():
            part = self.drawing.parts[k]
            if part.fastened is None:
                continue
            what, id = part.fastened
            target = self.link_of(id) if what == "link" else self._link_at(id, self.names[body])
            if target is None:
                self.found.notes.append(f"{part.label} is fastened to {what} {id}: not understood, so left free")
            else:
                self.fasten(target, self.names[body])

    def _link_at(self, id: int, link: str) -> str | None:
        """Return the one link besides a given one that has a connector: the ground, if it is an anchor."""
        held = [name for name in self.holders(id) if name != link]
        return held[0] if len(held) == 1 or GROUND in held else None
