"""What all disc cams have in common, whether a law or a profile tells their shape."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from structkin.joints.pair import Pair
from structkin.joints.poses import Poses
from structkin.model.parts import Floats
from structkin.rows.periodic import TURN


@dataclass(frozen=True, eq=False, kw_only=True)
class Cam(Pair, ABC):
    """A disc cam, the first link, that moves its follower, the second; lengths in m, angles in rad.

    `contact` is "roller", "knife-edge" or "flat". `centre` is that of the cam in its frame. `touch` is the roller's
    centre, the edge or a point of the face in the follower's frame, `normal` that of the face, away from the cam, None
    where there is none; `radius` is the roller's, else 0.
    """

    kind: ClassVar[str] = "C"
    presses: ClassVar[bool] = True
    parts: ClassVar[tuple[str, ...]] = ("contact",)

    links: tuple[str, str]
    contact: str
    centre: complex
    touch: complex
    normal: complex | None = None
    radius: float = 0.0

    @property
    def cam(self) -> str:
        """The link that is the cam."""
        return self.links[0]

    @property
    def follower(self) -> str:
        """The link that follows it."""
        return self.links[1]

    @abstractmethod
    def gap(self, poses: Poses) -> Floats:
        """Return how far (n,) [m] follower and cam are apart, or overlap."""

    def gaps(self, poses: Poses) -> tuple[Floats]:
        """Return how far follower and cam are apart."""
        return (self.gap(poses) / poses.size,)

    @property
    @abstractmethod
    def base_radius(self) -> float:
        """The radius of the base circle [m]."""

    @abstractmethod
    def profile(self, x: Any = None) -> Floats:
        """Return the profile (n, 2) [m] in the cam's frame; a turn in 360 steps by default."""

    @property
    @abstractmethod
    def remarks(self) -> tuple[str, ...]:
        """What is odd about the cam, in sentences; empty if nothing is."""


def cam_angles(x: Any) -> Floats:
    """Return angles [rad] as an array (n,); a turn in 360 steps where none are given."""
    return np.linspace(0.0, TURN, 361) if x is None else np.atleast_1d(np.asarray(x, dtype=float))
