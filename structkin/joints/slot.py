"""The straight slot, in which a pin slides."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from structkin.joints.guide import Guide


@dataclass(frozen=True, kw_only=True)
class Slot(Guide):
    """A pin of the slider in a straight slot of the carrier, whose middle line is the guide's."""

    kind: ClassVar[str] = "S"
