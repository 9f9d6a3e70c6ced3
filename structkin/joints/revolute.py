"""The revolute joint: a point that two or more links share."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from structkin.joints.pair import Pair
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

    def write(self, w: RowWriter) -> None:
        """Write that the pin of each link is where the pin is."""
        for link, at, others in w.ties(self.id):
            gap = w.point(link, w.mechanism.links[link].local[self.id]) - at
            for axis, name in enumerate("xy"):
                w.add(self.id, f"pin, {name}", (*others, link), w.size, Row.part(gap, axis))
