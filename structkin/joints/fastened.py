"""Links fastened together: welded, bolted, or keyed on one shaft."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from structkin.joints.entry import JointEntry
from structkin.joints.lines import into_frame
from structkin.joints.pair import Pair, Poses
from structkin.joints.row_writer import RowWriter
from structkin.model.draft import Draft
from structkin.model.fields import LinkNames, Location
from structkin.model.flaw import Flaw
from structkin.model.parts import Link
from structkin.model.topology import Joint, fasten
from structkin.numerical_tolerances import EQUAL_DATA
from structkin.rows.row import Row
from structkin.types import Floats


@dataclass(frozen=True)
class Seat:
    """The pose of a link in the frame of another: its origin [m] and direction (unit).

    >>> Seat(1 + 0j, 1j).point(2 + 0j), Seat(1 + 0j, 1j).within(Seat(0j, 1j))
    ((1+2j), Seat(origin=-1j, direction=(1+0j)))
    """

    origin: complex = 0j
    direction: complex = 1 + 0j

    def point(self, local: complex) -> complex:
        """Return a point of the link in the other's frame."""
        return self.origin + self.direction * local

    def within(self, base: Seat) -> Seat:
        """Return the pose of the link in the frame of a third one, whose pose in the other's frame is `base`."""
        return Seat((self.origin - base.origin) / base.direction, self.direction / base.direction)


@dataclass(frozen=True, kw_only=True)
class Fastened(Pair):
    """Two or more links that form one rigid body: three equations for each link beyond the first.

    `seats` are the poses of the links in the frame of the first. Forces and moments refer to the point `at`, in the
    frame of the first link.
    """

    kind: ClassVar[str] = "F"
    has_moment: ClassVar[bool] = True

    seats: tuple[Seat, ...]
    at: complex

    @property
    def place(self) -> tuple[complex, str]:
        """The reference point of force and moment."""
        return self.at, self.links[0]

    def seat(self, link: str) -> Seat:
        """Return the pose of a link in the frame of the first."""
        return self.seats[self.links.index(link)]

    def seat_on(self, link: str, base: str) -> Seat:
        """Return the pose of a link in the frame of another one."""
        return self.seat(link).within(self.seat(base))

    def place_on(self, link: str) -> complex:
        """Return the reference point of forces and moments in the frame of a link."""
        seat = self.seat(link)
        return (self.at - seat.origin) / seat.direction

    def gaps(self, poses: Poses) -> Iterator[Floats]:
        """Yield the position error and the angle error of each link relative to the first."""
        first = self.links[0]
        for link, seat in zip(self.links[1:], self.seats[1:], strict=True):
            yield np.abs(poses.at(link, 0j) - poses.at(first, seat.origin)) / poses.size
            yield np.abs(poses.along(link) - poses.along(first, seat.direction))

    def write(self, w: RowWriter) -> None:
        """Write that position and angle of each link relative to the first are constant."""
        for link in w.fastened(self.id):
            first = self.links[0]
            gap = w.point(link, self.place_on(link)) - w.point(first, self.at)
            for axis, name in enumerate("xy"):
                w.add(self.id, f"fastened, {name}", (first, link), w.size, Row.part(gap, axis))
            w.orient(self.id, (first, link), self.seat(link).direction)


class FastenedEntry(JointEntry):
    """Links fastened together as sketched."""

    sample: ClassVar[str] = '{ type = "fastened", links = ["crank", "gear"] }'

    links: LinkNames
    at: Location | None = None

    def make(self, draft: Draft, id: str) -> Joint | Fastened | None:
        """Return the joint, located at its first common point unless it names another."""
        key = f"joints.{id}"
        known = [draft.has_link(f"{key}.links", link) for link in dict.fromkeys(self.links)]
        if isinstance(self.at, str):
            known.append(draft.has_point(f"{key}.at", self.at))
        if len(self.links) < 2:
            raise Flaw(f"fastens {len(self.links)} link{'s' if not self.links else ''}", "name at least two links")
        twice = [link for k, link in enumerate(self.links) if link in self.links[:k]]
        if twice:
            raise Flaw(f"names the link '{twice[0]}' twice", "delete one")
        if not all(known):
            return None
        if any(link not in draft.links for link in self.links):
            return Joint(id, "F", self.links)  # their errors have been reported
        links = [draft.links[link] for link in self.links]
        seats: list[Seat] = []
        for link in links:
            seats.append(_seat(link, links[: len(seats)], seats))
        return Fastened(id, self.links, seats=tuple(seats), at=self._place(links, seats))

    def _place(self, links: Sequence[Link], seats: Sequence[Seat]) -> complex:
        """Return the reference point of forces and moments, in the frame of the first link."""
        if isinstance(self.at, complex):
            return into_frame(links[0], self.at)
        held = [
            (point, seat.point(local))
            for link, seat in zip(links, seats, strict=True)
            for point, local in link.local.items()
        ]
        if self.at is not None:
            found = [place for point, place in held if point == self.at]
            if not found:
                raise Flaw(f"the point '{self.at}' is on none of its links", "for 'at' name a point of one of them")
            return found[0]
        counts = Counter(point for point, _ in held)
        common = [place for point, place in held if counts[point] > 1]
        return common[0] if common else next(seats[k].point(local) for k in (1, 0) for local in links[k].local.values())


def _seat(link: Link, others: Sequence[Link], seats: Sequence[Seat]) -> Seat:
    """Return the pose of a link in the frame of the first of the others, whose poses there are `seats`.

    It is the sketched pose, adjusted so that shared points coincide also after exact lengths have changed the links.
    """
    if not others:
        return Seat()
    first = others[0]
    seat = Seat(into_frame(first, link.origin), link.direction / first.direction)
    shared = [
        (local, seats[k].point(other.local[point]))
        for point, local in link.local.items()
        for k, other in enumerate(others)
        if point in other.local
    ]
    if not shared:
        return seat
    near, at = shared[0]
    far, there = max(shared, key=lambda pair: abs(pair[0] - near))
    if abs(far - near) > EQUAL_DATA * max(map(abs, link.local.values())) and there != at:
        turn = (there - at) / (far - near)
        seat = Seat(seat.origin, turn / abs(turn))
    return Seat(at - seat.direction * near, seat.direction)


def bodies(entries: Iterable[JointEntry]) -> dict[str, str]:
    """Map each fastened link to the first link of its body, according to the entries of [joints]."""
    body: dict[str, str] = {}
    for entry in entries:
        if isinstance(entry, FastenedEntry):
            fasten(body, entry.links)
    return body
