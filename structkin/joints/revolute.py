"""The revolute joint: a point that two or more links share."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from structkin.joints.pair import Pair


@dataclass(frozen=True)
class Revolute(Pair):
    """A pin, in the point of its name on each of its links."""

    kind: ClassVar[str] = "R"
