"""Two gears whose centres are held by one link."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from structkin.joints.turn_coupling import APART, TurnCoupling
from structkin.joints.wheels import WheelsEntry
from structkin.model.draft import Draft
from structkin.model.fields import Flag
from structkin.model.flaw import Flaw


@dataclass(frozen=True, kw_only=True)
class Gear(TurnCoupling):
    """Two gears in mesh; their centres are held by the arm."""

    kind: ClassVar[str] = "G"
    type: ClassVar[str] = "gear"
    parts: ClassVar[tuple[str, ...]] = ("tangent",)


class GearEntry(WheelsEntry):
    """Two gears whose centres are held by the carrier."""

    sample: ClassVar[str] = '{ type = "gear", links = ["pinion", "wheel"], teeth = [20, 40] }'

    joint: ClassVar[type[TurnCoupling]] = Gear
    reverses: ClassVar[str] = "internal"

    internal: Flag | None = None

    def radii_at(self, draft: Draft, distance: float, ratio: float) -> tuple[float, float]:
        """Return the pitch radii that match the centre distance."""
        if self.radii is not None:
            first, second = self.radii
            wanted = abs(first - second) if ratio > 0 else first + second
            if abs(wanted - distance) > APART * (first + second):
                word = "differ by" if ratio > 0 else "add up to"
                inside = ratio < 0 and abs(abs(first - second) - distance) <= APART * (first + second)
                raise Flaw(
                    f"the pitch radii {word} {draft.show_length(wanted)}, but the centres are "
                    f"{draft.show_length(distance)} apart",
                    "write internal = true for a gear inside a ring" if inside else "check the radii and the sketch",
                )
        if ratio == 1:
            raise Flaw("an internal gear pair of ratio 1 cannot have its centres apart", "equal gears mesh externally")
        # r_2 / r_1 = |ratio|, and distance = r_1 + r_2, or their difference
        first = distance / abs(1 - ratio)
        return first, first * abs(ratio)
