"""The model: bodies, joints, loads and sensors in space, in SI, all drawn in one pose.

Every vector and tensor of the model is given in ground axes and in the drawn pose: the axes of every body are parallel
to those of the ground there, and a joint has the coordinates 0. Nothing else has to be said about frames.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from structkin.model.parts import Law
from structkin.multibody.joint import Floats, SpatialJoint

GROUND = "ground"


@dataclass(frozen=True, eq=False)
class Body:
    """A rigid body: mass [kg], centre of mass (3,) [m], inertia about it (3, 3) [kg m^2], and named points (3,) [m].

    The inertia of a thin rod or of point masses is singular. `outline` holds polylines (n, 3) [m] for pictures only.
    """

    name: str
    mass: float
    center: Floats
    inertia: Floats
    points: Mapping[str, Floats] = field(default_factory=dict)
    outline: tuple[Floats, ...] = ()


@dataclass(frozen=True, eq=False)
class Force:
    """A force on a body at a point (3,): three components [N] as laws of time, in ground axes or the body's."""

    name: str
    body: str
    point: Floats
    components: tuple[Law, Law, Law]
    follows: bool = False


@dataclass(frozen=True, eq=False)
class Torque:
    """A torque on a body: three components [N m] as laws of time, in ground axes or, if it follows, the body's."""

    name: str
    body: str
    components: tuple[Law, Law, Law]
    follows: bool = False


@dataclass(frozen=True, eq=False)
class Spring:
    """A spring and damper between points of two bodies.

    It pulls with stiffness (l - length) + damping dl/dt [N] where l is the distance of the points, until this pull
    first exceeds `breaks_at` [N]; from then on it carries nothing.
    """

    name: str
    bodies: tuple[str, str]
    points: tuple[Floats, Floats]
    stiffness: float
    damping: float
    length: float
    breaks_at: float | None = None


@dataclass(frozen=True, eq=False)
class JointLoad:
    """A spring, a damper and a law along one coordinate q of a joint.

    The effort on the coordinate is effort(t) - stiffness (q - rest) - damping dq/dt [N or N m].
    """

    name: str
    joint: str
    coordinate: int = 0
    stiffness: float = 0.0
    damping: float = 0.0
    rest: float = 0.0
    effort: Law | None = None


@dataclass(frozen=True, eq=False)
class Stop:
    """A stop of one coordinate q of a joint: outside [lower, upper] a spring and a damper push it back.

    The damper never pulls: a stop only pushes.
    """

    name: str
    joint: str
    lower: float
    upper: float
    stiffness: float
    damping: float = 0.0
    coordinate: int = 0


@dataclass(frozen=True, eq=False)
class Sensor:
    """What is recorded besides the poses: `quantity` of `of`.

    position, velocity, acceleration: of a point ("rod.tip"), (3,) in ground axes; distance: of two points ("rod.tip",
    "ground.A"); angle, rate: of a joint's coordinates.
    """

    name: str
    quantity: str
    of: tuple[str, ...]


Load = Force | Torque | Spring | JointLoad | Stop


@dataclass(frozen=True, eq=False)
class SpatialModel:
    """Bodies and joints in space with their loads and sensors, checked; gravity (3,) [m/s^2].

    A body without a path of joints to the ground moves freely. `points` (3,) [m] are fixed to the ground. `duration`
    [s] is the time for which the model is meant to run.
    """

    name: str
    bodies: Mapping[str, Body]
    joints: Mapping[str, SpatialJoint]
    loads: Mapping[str, Load] = field(default_factory=dict)
    sensors: Mapping[str, Sensor] = field(default_factory=dict)
    gravity: Floats = field(default_factory=lambda: np.zeros(3))
    points: Mapping[str, Floats] = field(default_factory=dict)
    duration: float | None = None

    def place(self, name: str) -> tuple[str, Floats]:
        """Return the body and the drawn place (3,) [m] of a point "body.point" or "ground.point"; `KeyError` if none.

        >>> SpatialModel("", {}, {}, points={"A": np.ones(3)}).place("ground.A")
        ('ground', array([1., 1., 1.]))
        """
        body, _, point = name.partition(".")
        return body, (self.points if body == GROUND else self.bodies[body].points)[point]
