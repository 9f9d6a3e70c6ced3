"""The circular slot, in which a pin slides about a centre."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from structkin.joints.pair import Pair


@dataclass(frozen=True, kw_only=True)
class CircularSlot(Pair):
    """A pin in a slot along a circle about `center`, fixed in `carrier`, of a radius [m].

    The point `point` of `slider` runs on its middle line; both places are in the frames of their links.
    """

    kind: ClassVar[str] = "S"

    carrier: str
    slider: str
    center: complex
    point: complex
    radius: float
