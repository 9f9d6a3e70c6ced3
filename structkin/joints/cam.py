"""What all disc cams have in common, whether a law or a profile defines their shape."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from structkin.joints.pair import Pair, Poses
from structkin.rows.affine import Affine, Frame
from structkin.rows.periodic import TURN, Function
from structkin.types import Floats


@dataclass(frozen=True, eq=False, kw_only=True)
class Cam(Pair, ABC):
    """A disc cam, the first link, that moves its follower, the second; lengths in m, angles in rad.

    `contact` is "roller", "knife-edge" or "flat". `centre` is the cam's centre in its frame. `touch` is the roller's
    centre, the edge or a point of the face in the follower's frame; `normal` is the normal of the face, away from the
    cam, None without a face; `radius` is the roller's, else 0.
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
        """Return the distance (n,) [m] by which follower and cam are apart or overlap."""

    def gaps(self, poses: Poses) -> tuple[Floats]:
        """Return the distance between follower and cam."""
        return (self.gap(poses) / poses.size,)

    @abstractmethod
    def angle_between(self, frames: Mapping[str, Frame]) -> tuple[Affine, Affine]:
        """Return two directions: the angle from the first to the second says where the follower is; see `by_angle`."""

    @property
    @abstractmethod
    def by_angle(self) -> tuple[Function, Floats]:
        """What the follower does by that angle [rad], as a function, and where its pieces end (n,), in any order."""

    @property
    @abstractmethod
    def base_radius(self) -> float:
        """The radius of the base circle [m]."""

    @abstractmethod
    def profile(self, x: Any = None) -> Floats:
        """Return the profile (n, 2) [m] in the cam's frame; one turn in 360 steps by default."""

    @property
    @abstractmethod
    def remarks(self) -> tuple[str, ...]:
        """Warnings about the cam, as sentences; empty if there are none."""


def cam_angles(x: Any) -> Floats:
    """Return angles [rad] as an array (n,); one turn in 360 steps if None."""
    return np.linspace(0.0, TURN, 361) if x is None else np.atleast_1d(np.asarray(x, dtype=float))
