"""What a joint needs to write its rows: the frames of its links, and a collector of rows.

Each family of coordinates is one writer, whose frames are slots of the family. A group of links is another: the frames
of its links are unknown, and all others are known inputs.
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

#: How a row uses a driver's coordinate z: z itself, or z^2 / 2.
DrivenForm = Literal["value", "half square"]


@dataclass(frozen=True, slots=True)
class Written:
    """One scalar equation: the joint, driver or link it belongs to, its name, its links and its unit.

    `unit` is the scale of the compared quantity: 1 for angles and unit vectors, a length [m], or its square.
    """

    of: str
    equation: str
    links: tuple[str, ...]
    unit: float
    form: Form


class Parts(Protocol):
    """The parts of a mechanism."""

    @property
    def links(self) -> Mapping[str, Link]:
        """The links by name."""

    @property
    def joints(self) -> Joints:
        """The joints by id."""


class PointGuide(Protocol):
    """A joint that guides a point of its slider."""

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
    """Collects the rows of joints and drivers; `size` is a characteristic length of the mechanism [m]."""

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
        """Return the links joined by a pin, each with the pin's position and the links that determine this position.

        Links whose frames already satisfy the pin are omitted.
        """

    @abstractmethod
    def fastened(self, joint: str) -> Iterable[str]:
        """Return the links whose attachment to the first link of a fastened joint has to be written."""

    @abstractmethod
    def tip(self, slot: PointGuide) -> tuple[Affine, str]:
        """Return the point that a joint guides, and its link."""

    @abstractmethod
    def end(self, link: str, point: str) -> tuple[Affine, str]:
        """Return an end of a driven distance, and the link that represents it."""

    @abstractmethod
    def is_met(self, guide: str) -> bool:
        """Return whether the frames already satisfy a guide."""

    @abstractmethod
    def turns(self, factors: Mapping[str, float]) -> Row:
        """Return the sum of factor * rotation over links, counting full turns from the sketch."""

    @abstractmethod
    def orient(self, of: str, links: tuple[str, str], turn: complex, driver: str | None = None) -> None:
        """Write that the second link's direction is `turn` times the first's, or that rotated by a driver's angle."""

    @abstractmethod
    def driven(
        self, drive: DriverCoordinate, equation: str, links: tuple[str, ...], unit: float, row: Row, form: DrivenForm
    ) -> None:
        """Write a driven row: it equals z of the driver, or z^2 / 2."""

    def line(self, joint: str) -> tuple[Affine, Affine, tuple[str, str]]:
        """Return a guide's direction, the vector from its origin to the slider's point, and the two links."""
        guide = self.mechanism.joints.of(Guide)[joint]
        tip, slider = self.tip(guide)
        way = tip - self.point(guide.carrier, guide.origin)
        return self.along(guide.carrier, guide.direction), way, (guide.carrier, slider)
