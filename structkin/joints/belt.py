"""Two pulleys or sprockets joined by a belt or chain."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from structkin.joints.turn_coupling import TurnCoupling
from structkin.joints.wheels import WheelsEntry
from structkin.model.draft import Draft
from structkin.model.fields import Flag
from structkin.model.flaw import Flaw


@dataclass(frozen=True, kw_only=True)
class Belt(TurnCoupling):
    """Two pulleys or sprockets joined by a belt or chain; their centres are held by the arm."""

    kind: ClassVar[str] = "G"
    type: ClassVar[str] = "belt"
    has_moment: ClassVar[bool] = True
    parts: ClassVar[tuple[str, ...]] = ("belt",)


class BeltEntry(WheelsEntry):
    """Two pulleys or sprockets joined by a belt or chain; their centres are held by the carrier."""

    sample: ClassVar[str] = '{ type = "belt", links = ["small", "large"], radii = [20, 40] }'

    joint: ClassVar[type[TurnCoupling]] = Belt
    reverses: ClassVar[str] = "crossed"
    same_sense: ClassVar[bool] = True

    crossed: Flag | None = None

    def radii_at(self, draft: Draft, distance: float, ratio: float) -> tuple[float, float]:
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
