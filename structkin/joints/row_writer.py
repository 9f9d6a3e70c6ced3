"""What a joint needs to write its rows: frames of its links, and what collects the rows.

Each family of coordinates is one writer, whose frames are slots of the family; a group of links is another: the frames
of its own links are unknown, and all others are known inputs.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Literal, Protocol

from structkin.joints.guide import Guide
from structkin.joints.pair import Joints
from structkin.model.parts import DriverCoordinate, Link
from structkin.rows.affine import Affine
from structkin.rows.equations import Form
from structkin.rows.row import Row

#: What a row takes from a driver's coordinate z: z itself, or z^2 / 2.
DrivenForm = Literal["value", "half square"]


@dataclass(frozen=True, slots=True)
class Written:
    """One scalar equation: the joint, driver or link it belongs to, what it says, its links and its unit.

    `unit` is the size of what the row compares: 1 for angles and unit vectors, a length [m], or its square.
    """

    of: str
    equation: str
    links: tuple[str, ...]
    unit: float
    form: Form


class Parts(Protocol):
    """What a mechanism consists of."""

    @property
    def links(self) -> Mapping[str, Link]:
        """The links by name."""

    @property
    def joints(self) -> Joints:
        """The joints by id."""


class Led(Protocol):
    """A joint that leads a point of its slider."""

    @property
    def id(self) -> str:
        """The id of the joint."""

    @property
    def slider(self) -> str:
        """The link that has the point."""

    @property
    def point(self) -> complex:
        """The point in its frame."""


class RowWriter(ABC):
    """Collects the rows of joints and drivers; `size` is a length of what is written about [m]."""

    mechanism: Parts
    size: float
    rows: list[Written]

    def add(self, of: str, equation: str, links: tuple[str, ...], unit: float, form: Form) -> int:
        """Append a row and return its number."""
        self.rows.append(Written(of, equation, links, unit, form))
        return len(self.rows) - 1

    @abstractmethod
    def point(self, link: str, local: complex) -> Affine:
        """Return a point of a link."""

    @abstractmethod
    def along(self, link: str, local: complex = 1 + 0j) -> Affine:
        """Return a direction fixed in a link."""

    @abstractmethod
    def drawn(self, link: str, local: complex) -> complex:
        """Return where a point of a link is in the sketch."""

    @abstractmethod
    def ties(self, pin: str) -> Iterable[tuple[str, Affine, tuple[str, ...]]]:
        """Return the links that a pin holds, each with the place where it holds it and the links that give the place.

        Links whose frames meet the pin anyway are not among them.
        """

    @abstractmethod
    def fastened(self, joint: str) -> Iterable[str]:
        """Return the links for which it has to be written that they are fastened to the first one of a joint."""

    @abstractmethod
    def tip(self, slot: Led) -> tuple[Affine, str]:
        """Return the point that a joint leads, and its link."""

    @abstractmethod
    def end(self, link: str, point: str) -> tuple[Affine, str]:
        """Return an end of a driven distance, and the link that stands for it."""

    @abstractmethod
    def is_met(self, guide: str) -> bool:
        """Return whether the frames keep to a guide by themselves."""

    @abstractmethod
    def turns(self, factors: Mapping[str, float]) -> Row:
        """Return the sum of factor * turn over links, whole turns since the sketch counted."""

    @abstractmethod
    def orient(self, of: str, links: tuple[str, str], turn: complex, driver: str | None = None) -> None:
        """Write that the second link's direction is `turn` times the first's, or that turned by a driver's angle."""

    @abstractmethod
    def driven(
        self, drive: DriverCoordinate, equation: str, links: tuple[str, ...], unit: float, row: Row, form: DrivenForm
    ) -> None:
        """Write a row that is driven: it is z of the driver, or z^2 / 2."""

    def line(self, joint: str) -> tuple[Affine, Affine, tuple[str, str]]:
        """Return the direction of a guide, the way from its origin to the slider's point, and the two links."""
        guide = self.mechanism.joints.of(Guide)[joint]
        tip, slider = self.tip(guide)
        way = tip - self.point(guide.carrier, guide.origin)
        return self.along(guide.carrier, guide.direction), way, (guide.carrier, slider)
