"""Joints of lower pairs in space: each kind is a sequence of motions of one degree of freedom."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from structkin.types import Floats


class Motion(NamedTuple):
    """One degree of freedom: q turns the second body by q `rotation` and then shifts it by q `translation`.

    Both are vectors (3,) in the axes of the body before the motion; `rotation` is a unit vector or zero.
    """

    rotation: Floats
    translation: Floats


def _turn(axis: Floats) -> Motion:
    return Motion(axis, np.zeros(3))


def _shift(axis: Floats) -> Motion:
    return Motion(np.zeros(3), axis)


# The motions of each kind from its triad of axes a, b, c and its pitch [m/rad].
KINDS: Mapping[str, Callable[[Floats, Floats, Floats, float], tuple[Motion, ...]]] = {
    "fixed": lambda a, b, c, pitch: (),
    "revolute": lambda a, b, c, pitch: (_turn(a),),
    "prismatic": lambda a, b, c, pitch: (_shift(a),),
    "screw": lambda a, b, c, pitch: (Motion(a, pitch * a),),
    "cylindrical": lambda a, b, c, pitch: (_shift(a), _turn(a)),
    "universal": lambda a, b, c, pitch: (_turn(a), _turn(b)),
    "planar": lambda a, b, c, pitch: (_shift(b), _shift(c), _turn(a)),
    "spherical": lambda a, b, c, pitch: (_turn(a), _turn(b), _turn(c)),
    "free": lambda a, b, c, pitch: (_shift(a), _shift(b), _shift(c), _turn(a), _turn(b), _turn(c)),
}


@dataclass(frozen=True, eq=False)
class SpatialJoint:
    """A joint between two bodies, all of it in ground axes and in the drawn pose.

    `at` is its point [m]; `axis` the unit axis a of a revolute, prismatic, cylindrical or screw joint, the first axis
    of a universal joint, the normal of a planar one; `second` the unit axis b at right angles to it. `start` and
    `rates` are its coordinates [rad or m] and their rates at time 0, in the order of `motions`; the drawn pose has the
    coordinates 0. A joint with `cut=True` closes a loop: it is not one of the tree of minimal coordinates.

    >>> z, x = np.array([0.0, 0, 1]), np.array([1.0, 0, 0])
    >>> joint = SpatialJoint("A", "cylindrical", ("ground", "rod"), np.zeros(3), z, x)
    >>> len(joint.motions), joint.start
    (2, (0.0, 0.0))
    """

    name: str
    kind: str
    bodies: tuple[str, str]
    at: Floats
    axis: Floats
    second: Floats
    pitch: float = 0.0
    start: tuple[float, ...] = ()
    rates: tuple[float, ...] = ()
    cut: bool = False

    def __post_init__(self) -> None:
        """Fill in zeros for coordinates and rates that are not given."""
        for name in ("start", "rates"):
            given = getattr(self, name)
            object.__setattr__(self, name, given or (0.0,) * len(self.motions))

    @cached_property
    def motions(self) -> tuple[Motion, ...]:
        """Its motions of one degree of freedom, from the first body to the second."""
        return KINDS[self.kind](self.axis, self.second, np.cross(self.axis, self.second), self.pitch)
