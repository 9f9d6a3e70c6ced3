"""The revolute joint: a point that two or more links share."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from structkin.joints.pair import Pair, Poses
from structkin.joints.row_writer import RowWriter
from structkin.rows.row import Row
from structkin.types import Floats


@dataclass(frozen=True)
class Revolute(Pair):
    """A pin, at the point of the same name on each of its links."""

    kind: ClassVar[str] = "R"

    @property
    def place(self) -> tuple[str, None]:
        """The pin."""
        return self.id, None

    def gaps(self, poses: Poses) -> Iterator[Floats]:
        """Yield the distance of the pin on each other link from the pin on the first."""
        first, *others = (poses.at(link, self.id) for link in self.links)
        return (np.abs(place - first) / poses.size for place in others)

    def write(self, w: RowWriter) -> None:
        """Write that the points of all links coincide at the pin."""
        for link, at, others in w.ties(self.id):
            gap = w.point(link, w.mechanism.links[link].local[self.id]) - at
            for axis, name in enumerate("xy"):
                w.add(self.id, f"pin, {name}", (*others, link), w.size, Row.part(gap, axis))
