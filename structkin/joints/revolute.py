"""The revolute joint: a point that two or more links share."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from structkin.joints.pair import Pair
from structkin.joints.poses import Floats, Poses
from structkin.joints.row_writer import RowWriter
from structkin.rows.row import Row


@dataclass(frozen=True)
class Revolute(Pair):
    """A pin, in the point of its name on each of its links."""

    kind: ClassVar[str] = "R"

    @property
    def place(self) -> tuple[str, None]:
        """The pin."""
        return self.id, None

    def gaps(self, poses: Poses) -> Iterator[Floats]:
        """Yield how far the pin is on each of its other links from where it is on the first."""
        first, *others = (poses.at(link, self.id) for link in self.links)
        return (np.abs(place - first) / poses.size for place in others)

    def write(self, w: RowWriter) -> None:
        """Write that the pin of each link is where the pin is."""
        for link, at, others in w.ties(self.id):
            gap = w.point(link, w.mechanism.links[link].local[self.id]) - at
            for axis, name in enumerate("xy"):
                w.add(self.id, f"pin, {name}", (*others, link), w.size, Row.part(gap, axis))
