"""Relative coordinates: the joints' own angles and travels along a tree of links, with a cut in every loop.

The tree grows from the ground in the solve order of the groups, so that a link's parent is never solved after it. The
joints of the tree need no row; the joints that are cut give the rows of their loops (S1 sec. 3; S2 sec. 1,
Fig. 1c). A coordinate that moves all links of a loop together leaves its joints closed. Its entries in their rows
vanish wherever the loop is closed, and are not in the pattern: a loop's rows depend on the loop alone.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from structkin.global_methods.families.angular import AngularCoordinates
from structkin.global_methods.families.rows import Writer, solve_places
from structkin.global_methods.families.tree import Branch, Tree
from structkin.joints.fastened import Fastened
from structkin.joints.guide import Guide
from structkin.model.mechanism import Mechanism
from structkin.model.topology import Joint, pin_of
from structkin.rows.affine import FIXED, frames_in_slots
from structkin.structure import KinematicStructure


def relative(mechanism: Mechanism, structure: KinematicStructure, drivers: Sequence[str]) -> AngularCoordinates:
    """Return the coordinates of the tree's joints: an angle at a pin, a travel at a slide, both at a slot.

    A link that is fastened to another has none.
    """
    return _Growth(mechanism, structure, drivers).coordinates()


@dataclass(frozen=True, slots=True)
class _Hinge:
    """A joint as a connection of two links; a joint of several links has one for each link except the first."""

    joint: Joint
    links: tuple[str, str]
    guide: Guide | None = None
    point: complex = 0j


class _Growth:
    """Grows the tree, and records each coordinate."""

    def __init__(self, mechanism: Mechanism, structure: KinematicStructure, drivers: Sequence[str]) -> None:
        self.mechanism, self.drivers = mechanism, tuple(drivers)
        self.place, self.size = solve_places(mechanism, structure), mechanism.size
        self.ground = mechanism.topology.ground
        self.groups = [list(group.links) for group in structure.groups]
        rest = [x for x in mechanism.topology.moving_links if structure.group_of(x) is None]
        self.groups.append(rest)
        self.branches: list[Branch] = []
        self.index = {self.ground: -1}
        self.names: list[str] = []
        self.sketch: list[float] = []
        self.met: set[tuple[str, str]] = set()
        self.travel_column: dict[str, int] = {}

    def coordinates(self) -> AngularCoordinates:
        hinges = list(self._hinges())
        for links in self.groups:
            self._grow(set(links), hinges)
        links = [branch.link for branch in self.branches]
        frames = frames_in_slots(links)
        writer = Writer(
            self.mechanism, self.place, {self.ground: FIXED, **frames}, angles=True,
            size=self.size, met=frozenset(self.met),
        )  # fmt: skip
        sliding, drives = {}, {}
        for id in self.drivers:
            drive = self.mechanism.drivers[id]
            if drive.kind == "slide" and drive.joint in self.travel_column:
                sliding[id] = self.travel_column[drive.joint]
            else:
                drives[id] = drive
        writer.write(drives)
        return AngularCoordinates(
            "relative", Tree(self.branches), self.names, np.array(self.sketch), writer, self.drivers, sliding
        )

    def _hinges(self) -> Iterator[_Hinge]:
        """Yield the connections for a tree: fastened links, pins, slides, slots, lines that a wheel rolls on."""
        useful = [joint for joint in self.mechanism.topology.joints if joint.kind in "FRPSK"]
        for joint in sorted(useful, key=lambda joint: "FRPSK".index(joint.kind)):
            if joint.kind == "F":
                first, *others = joint.links
                yield from (_Hinge(joint, (first, other)) for other in others)
                continue
            if joint.kind == "R":
                first, *others = sorted(joint.links, key=self.place.__getitem__)
                yield from (_Hinge(joint, (first, other)) for other in others)
                continue
            guide = self.mechanism.joints.of(Guide).get(joint.id)
            if guide is None:
                continue  # circular slots and circles that roll on each other are always cut
            slider, point = guide.slider, guide.point
            for pin in filter(None, map(pin_of, joint.links)):
                slider = min(self.mechanism.topology.joint(pin).links, key=self.place.__getitem__)
                point = self.mechanism.links[slider].local[pin]
            yield _Hinge(joint, (guide.carrier, slider), guide, point)

    def _grow(self, waiting: set[str], hinges: list[_Hinge]) -> None:
        """Attach the links of a group to the tree; a link that no joint reaches moves freely relative to the ground."""
        while waiting:
            for hinge in hinges:
                new = [link for link in hinge.links if link in waiting]
                if len(new) == 1 and all(link in self.index for link in hinge.links if link not in waiting):
                    self._hang(hinge, new[0])
                    waiting -= {new[0]}
                    break
            else:
                link = min(waiting, key=self.place.__getitem__)
                self._float(link)
                waiting -= {link}

    def _hang(self, hinge: _Hinge, link: str) -> None:
        first, second = hinge.links
        parent = second if link == first else first
        here, there = self.mechanism.links[link], self.mechanism.links[parent]
        if hinge.joint.kind == "F":
            fastened = self.mechanism.joints.of(Fastened)[hinge.joint.id]
            seat = fastened.seat_on(link, parent)
            self.met.add((hinge.joint.id, second))
            self._add(Branch(link, self.index[parent], seat.origin, 0j, float(np.angle(seat.direction)), False))
            return
        if hinge.guide is None:
            id = hinge.joint.id
            self._angle(id, link, parent)
            self.met.add((id, max(hinge.links, key=self.place.__getitem__)))
            self._add(Branch(link, self.index[parent], there.local[id], -here.local[id], 0.0, True))
            return
        guide, slides = hinge.guide, link == hinge.links[1]
        zero = guide.origin + guide.direction * complex(guide.start, guide.offset)
        if guide.turn is None:
            self._angle(guide.id, link, parent)
            turn = 0.0
        else:
            turn = float(np.angle(guide.turn if slides else 1 / guide.turn))
        self.travel_column[guide.id] = len(self.names)
        self.names.append(f"{guide.id}.travel")
        self.sketch.append(0.0)
        self.met.add((guide.id, ""))
        # P_slider = O_carrier + U_carrier (origin + d (start + s + i e)), solved for the origin of the new link.
        a, b = (zero, -hinge.point) if slides else (hinge.point, -zero)
        travel = (slides, guide.direction if slides else -guide.direction)
        self._add(Branch(link, self.index[parent], a, b, turn, guide.turn is None, (travel,)))

    def _float(self, link: str) -> None:
        body = self.mechanism.links[link]
        self._angle(link, link, self.ground)
        self.names += [f"{link}.x", f"{link}.y"]
        self.sketch += [body.origin.real, body.origin.imag]
        self._add(Branch(link, -1, 0j, 0j, 0.0, True, ((True, 1 + 0j), (True, 1j))))

    def _angle(self, joint: str, link: str, parent: str) -> None:
        links = self.mechanism.links
        self.names.append(f"{joint}.{link}.angle")
        self.sketch.append(float(np.angle(links[link].direction / links[parent].direction)))

    def _add(self, branch: Branch) -> None:
        self.index[branch.link] = len(self.branches)
        self.branches.append(branch)
