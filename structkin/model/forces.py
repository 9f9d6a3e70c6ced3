"""What acts on a mechanism and how it starts: plain data for dynamics, in SI.

Signs are those of each class; a pair of forces or moments acts on both of its links, equal and opposite.
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

    The points are pulled together by `stiffness` [N/m] times (distance - `free_length` [m]) + `damping` [N s/m] times
    the rate of the distance + `actuator` [N] (Flores & Lankarani, eq. 128, with the signs stated).
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

    `to` is turned by -`stiffness` [N m/rad] times (angle - `free_angle` [rad]) - `damping` [N m s/rad] times its rate +
    `actuator` [N m], `from` by the opposite. The angle is that of `to` minus that of `from`.
    """

    id: str
    links: tuple[str, str]
    stiffness: float
    free_angle: float
    damping: float
    actuator: Law | None = None


@dataclass(frozen=True, slots=True)
class AppliedForce:
    """A force [N] at a place [m] in a link's frame: its x and y as laws, in global axes or (`local`) in the link's."""

    id: str
    link: str
    place: complex
    x: Law
    y: Law
    local: bool = False


@dataclass(frozen=True, slots=True)
class AppliedMoment:
    """A moment [N m], counter-clockwise on the second of the links (from, to), and its opposite on the first."""

    id: str
    links: tuple[str, str]
    size: Law


@dataclass(frozen=True, slots=True)
class Friction:
    """Dry friction in a joint against its rate v: limit tanh(v / transition), in N and m/s or in N m and rad/s.

    In a prismatic joint or slot it acts along the guide, in a revolute joint between the links (from, to). Coulomb's
    law (Flores & Lankarani, eq. 136, with its direction added), made smooth around rest. With a `coefficient` the limit
    is that times the force that the joint bears, and at a pin times its radius, the `arm` [m].
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
    """A circle on a link: its centre's place [m] in the link's frame, and its radius [m], negative for a bore."""

    link: str
    place: complex
    radius: float


@dataclass(frozen=True, slots=True)
class Line:
    """A straight edge on a link: a place on it [m] and its normal (a unit) to the free side, in the link's frame."""

    link: str
    place: complex
    normal: complex


@dataclass(frozen=True, slots=True)
class Contact:
    """A circle pressed against a circle or a line: stiffness [N/m^exponent], loss, coefficient of friction.

    While they overlap by d > 0 the normal force stiffness d^exponent (1 + loss d' / v) pushes `first` away from
    `second` and `second` the other way, v [m/s] is the speed at which they met (Flores & Lankarani, eq. 135, with the
    damping of Lankarani and Nikravesh). It never pulls. Friction, `friction` times the normal force, acts against the
    sliding; it is smooth below `transition` [m/s].
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
    """Gravity [m/s^2] as x + iy; what acts, by id in the order of the file; efforts of free coordinates.

    `efforts[driver]` is the torque [N m] or force [N] that drives a free coordinate, positive along it.
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
    """Where a point begins [m] and how fast [m/s]; None is not given."""

    x: float | None = None
    y: float | None = None
    vx: float | None = None
    vy: float | None = None


@dataclass(frozen=True, slots=True)
class InitialLink:
    """The angle [rad] and angular velocity [rad/s] with which a link begins; None is not given."""

    angle: float | None = None
    omega: float | None = None


@dataclass(frozen=True, slots=True)
class InitialState:
    """Start of a free coordinate [rad or m]; None means the sketch. Its rate [rad/s or m/s].

    `rests` says that no rate was given: zero then, unless points or links say otherwise.
    """

    value: float | None = None
    speed: float = 0.0
    rests: bool = False
