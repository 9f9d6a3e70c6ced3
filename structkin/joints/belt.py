"""Two pulleys or sprockets under a belt or chain."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from structkin.joints.turn_coupling import TurnCoupling


@dataclass(frozen=True, kw_only=True)
class Belt(TurnCoupling):
    """Two pulleys or sprockets under a belt or chain, whose centres the arm holds."""

    kind: ClassVar[str] = "G"
    type: ClassVar[str] = "belt"
