"""A circle that rolls without slip on a line, or on another circle."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from structkin.joints.guide import Guide
from structkin.joints.turn_coupling import TurnCoupling


@dataclass(frozen=True, kw_only=True)
class RollingOnLine(TurnCoupling, Guide):
    """A circle of the first link that rolls on a line of the second: its centre runs beside the line."""

    kind: ClassVar[str] = "K"
    type: ClassVar[str] = "rolling"


@dataclass(frozen=True, kw_only=True)
class RollingOnCircle(TurnCoupling):
    """A circle of the first link that rolls on one of the second."""

    kind: ClassVar[str] = "K"
    type: ClassVar[str] = "rolling"
