"""The prismatic joint: two links that slide along each other without turning."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from structkin.joints.guide import Guide


@dataclass(frozen=True, kw_only=True)
class Prismatic(Guide):
    """Two links that slide along each other without turning."""

    kind: ClassVar[str] = "P"
