"""A pinion and its rack."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from structkin.joints.turn_coupling import TurnCoupling


@dataclass(frozen=True, kw_only=True)
class Rack(TurnCoupling):
    """A pinion and a rack, which slides by the joint `guide` along the arm, the link that holds the pinion's centre."""

    kind: ClassVar[str] = "G"
    type: ClassVar[str] = "rack"
