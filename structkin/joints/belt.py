"""Two pulleys or sprockets joined by a belt or chain."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from structkin.joints.row_writer import RowWriter
from structkin.joints.turn_coupling import TurnCoupling
from structkin.joints.wheels import WheelsEntry
from structkin.model.draft import Draft
from structkin.model.fields import Flag
from structkin.model.flaw import Flaw


@dataclass(frozen=True, kw_only=True)
class Belt(TurnCoupling):
    """Two pulleys or sprockets joined by a belt or chain; their centres are held by the arm holds."""

    kind: ClassVar[str] = "G"
    type: ClassVar[str] = "belt"
    has_moment: ClassVar[bool] = True
    parts: ClassVar[tuple[str, ...]] = ("belt",)

    def write(self, w: RowWriter) -> None:
        """Write the row of the ratio."""
        self.write_ratio(w)


class BeltEntry(WheelsEntry):
    """Two pulleys or sprockets joined by a belt or chain; their centres are held by the carrier holds."""

    sample: ClassVar[str] = '{ type = "belt", links = ["small", "large"], radii = [20, 40] }'

    crossed: Flag | None = None

    def couple(self, draft: Draft, id: str) -> Belt | None:
        """Return the belt joint."""
        found = self.wheels(draft, id, "crossed", same=True)
        if found is None:
            return None
        radii = self._pulley_radii(draft, found.distance, found.ratio)
        return Belt(id, links=self.links, centers=found.centers, radii=radii, ratio=found.ratio, arm=found.arm)

    def _pulley_radii(self, draft: Draft, distance: float, ratio: float) -> tuple[float, float]:
        """Return the pulley radii; if not given, the larger one is a quarter of the centre distance."""
        if self.radii is None:
            large = 0.25 * distance
            return (large / abs(ratio), large) if abs(ratio) > 1 else (large, large * abs(ratio))
        first, second = self.radii
        least = abs(first - second) if ratio > 0 else first + second
        if distance <= least:
            raise Flaw(
                f"a belt on pulleys of these radii needs a centre distance of more than {draft.show_length(least)}, "
                f"but it is {draft.show_length(distance)}",
                "check the radii and the sketch",
            )
        return self.radii
