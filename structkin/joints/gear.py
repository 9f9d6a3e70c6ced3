"""Two gears whose centres one link holds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from structkin.joints.turn_coupling import TurnCoupling


@dataclass(frozen=True, kw_only=True)
class Gear(TurnCoupling):
    """Two gears in mesh, whose centres the arm holds."""

    kind: ClassVar[str] = "G"
    type: ClassVar[str] = "gear"
