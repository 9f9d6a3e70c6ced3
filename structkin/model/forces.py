"""Forces on a mechanism and its initial state: plain data for dynamics, in SI.

Each class states its signs; paired forces or moments act on both links, equal and opposite.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from structkin.model.parts import Law


def _none() -> Mapping[str, Load]:
    return MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Spring:
    """A spring, damper and actuator between two points, each as (link, point name).

    The force that pulls the points together is `stiffness` [N/m] (distance - `free_length` [m]) + `damping` [N s/m]
    times the rate of the distance + `actuator` [N] (Flores & Lankarani, eq. 128, with these signs).
    """

    id: str
    ends: tuple[tuple[str, str], tuple[str, str]]
    stiffness: float
    free_length: float
    damping: float
    actuator: Law | None = None


@dataclass(frozen=True, slots=True)
class Torsion:
    """A torsional spring, damper and actuator between the links (from, to).

    The moment on `to` is -`stiffness` [N m/rad] (angle - `free_angle` [rad]) - `damping` [N m s/rad] times its rate +
    `actuator` [N m]; `from` gets the opposite. The angle is that of `to` minus that of `from`.
    """

    id: str
    links: tuple[str, str]
    stiffness: float
    free_angle: float
    damping: float
    actuator: Law | None = None


@dataclass(frozen=True, slots=True)
class AppliedForce:
    """A force [N] at a position [m] in a link's frame: x and y as laws, in global or (`local`) link axes."""

    id: str
    link: str
    place: complex
    x: Law
    y: Law
    local: bool = False


@dataclass(frozen=True, slots=True)
class AppliedMoment:
    """A moment [N m], counter-clockwise on the second of the links (from, to), opposite on the first."""

    id: str
    links: tuple[str, str]
    size: Law


@dataclass(frozen=True, slots=True)
class Friction:
    """Dry friction in a joint, opposing its rate v: limit tanh(v / transition), in N and m/s or in N m and rad/s.

    In a prismatic joint or slot it acts along the guide, in a circular or curved slot along the tangent at the pin, in
    a revolute joint between the links (from, to). This is Coulomb's law (Flores & Lankarani, eq. 136, with its
    direction added), smoothed around zero rate. With a `coefficient` the limit is the coefficient times the joint
    force, at a pin also times its radius, the `arm` [m].
    """

    id: str
    joint: str
    links: tuple[str, str]
    limit: float
    transition: float
    coefficient: float = 0.0
    arm: float = 1.0


@dataclass(frozen=True, slots=True)
class Disc:
    """A circle on a link: its centre [m] in the link's frame, and its radius [m], negative for a bore."""

    link: str
    place: complex
    radius: float


@dataclass(frozen=True, slots=True)
class Line:
    """A straight edge on a link: a point on it [m] and its unit normal to the free side, in the link's frame."""

    link: str
    place: complex
    normal: complex


@dataclass(frozen=True, slots=True)
class Contact:
    """A circle in contact with a circle or a line: stiffness [N/m^exponent], loss, coefficient of friction.

    While they overlap by d > 0, the normal force stiffness d^exponent (1 + loss d' / v) pushes `first` and `second`
    apart, where v [m/s] is the speed of impact (Flores & Lankarani, eq. 135, with the damping of Lankarani and
    Nikravesh). It never pulls. Friction, `friction` times the normal force, opposes sliding; it is smoothed below
    `transition` [m/s].
    """

    id: str
    first: Disc
    second: Disc | Line
    stiffness: float
    exponent: float
    loss: float
    friction: float
    transition: float


Load = Spring | Torsion | AppliedForce | AppliedMoment | Friction | Contact


@dataclass(frozen=True, slots=True)
class Forces:
    """Gravity [m/s^2] as x + iy; loads by id in the order of the file; efforts of free coordinates.

    `efforts[driver]` is the torque [N m] or force [N] that drives a free coordinate, positive in its direction.
    """

    gravity: complex = 0j
    loads: Mapping[str, Load] = field(default_factory=_none)
    efforts: Mapping[str, Law] = field(default_factory=lambda: MappingProxyType({}))

    @property
    def springs(self) -> Mapping[str, Spring]:
        """The springs between points, by id."""
        return MappingProxyType({id: load for id, load in self.loads.items() if isinstance(load, Spring)})


@dataclass(frozen=True, slots=True)
class InitialPoint:
    """The initial position [m] and velocity [m/s] of a point; None if not given."""

    x: float | None = None
    y: float | None = None
    vx: float | None = None
    vy: float | None = None


@dataclass(frozen=True, slots=True)
class InitialLink:
    """The initial angle [rad] and angular velocity [rad/s] of a link; None if not given."""

    angle: float | None = None
    omega: float | None = None


@dataclass(frozen=True, slots=True)
class InitialState:
    """Initial value of a free coordinate [rad or m], None for that of the sketch, and its rate [rad/s or m/s].

    `rests`: no rate was given; it is zero unless initial velocities of points or links determine it.
    """

    value: float | None = None
    speed: float = 0.0
    rests: bool = False
