"""The pose and the velocities in which an exported mechanism starts."""

from __future__ import annotations

import cmath
import math
from dataclasses import dataclass, replace

import numpy as np

from structkin.dynamics.bodies import mass_table
from structkin.model.mechanism import Mechanism
from structkin.solve import Motion


@dataclass(frozen=True)
class Body:
    """A body at the start: the frame in which it is written, its motion and its mass properties.

    The place of the frame [m] and its angle [rad]; the velocity [m/s] of its origin and the angular velocity [rad/s];
    mass [kg], centre of mass [m] in its frame, inertia about it [kg m^2]; the points of its link in its frame [m].
    """

    name: str
    origin: complex
    angle: float
    velocity: complex
    omega: float
    mass: float
    inertia: float
    center: complex = 0j
    points: tuple[tuple[str, complex], ...] = ()

    @property
    def direction(self) -> complex:
        """The unit vector of the x axis of the frame."""
        return cmath.rect(1.0, self.angle)

    def within(self, place: complex) -> complex:
        """Return a place of the plane in the frame."""
        return (place - self.origin) * self.direction.conjugate()

    def at(self, local: complex) -> complex:
        """Return the place in the plane of a place in the frame."""
        return self.origin + self.direction * local

    def velocity_at(self, place: complex) -> complex:
        """Return the velocity of the body at a place of the plane."""
        return self.velocity + 1j * self.omega * (place - self.origin)


def shared(body: Body, place: complex) -> tuple[Body, float]:
    """Return the body without a point mass [kg] at a place of the plane, and that mass.

    A body that is pinned there may carry it: together they have the mass, centre and inertia of this body. At most half
    of the mass and half of the inertia are moved.
    """
    arm = body.within(place) - body.center
    mass = 0.5 * body.mass
    if abs(arm) ** 2 * mass > 0:
        most = 0.5 * body.inertia / abs(arm) ** 2
        mass = min(mass, most * body.mass / (body.mass + most))
    rest = body.mass - mass
    center = body.center - mass / rest * arm
    inertia = body.inertia - mass * abs(arm) ** 2 * body.mass / rest
    return replace(body, mass=rest, center=center, inertia=inertia), mass


def xy(values: np.ndarray[tuple[int, ...], np.dtype[np.float64]]) -> complex:
    """Return a vector (2,) as x + iy."""
    return complex(float(values[0]), float(values[1]))


def bodies_at_start(sim: Motion, stand_in: tuple[float, float]) -> dict[str, Body]:
    """Return all links as bodies at the first sample; each has at least the mass and inertia `stand_in`."""
    m = sim.mechanism
    masses = {one.link: one for one in mass_table(m)}
    found = {}
    for name, link in m.links.items():
        if name == m.topology.ground:
            found[name] = Body(name, 0j, 0.0, 0j, 0.0, 0.0, 0.0, 0j, tuple(link.local.items()))
            continue
        one = masses[name]
        found[name] = Body(
            name, xy(sim.position(0j, name)[0]), float(sim.angle(name)[0]), xy(sim.velocity(0j, name)[0]),
            float(sim.omega(name)[0]), max(one.mass, stand_in[0]), max(one.inertia, stand_in[1]), one.center,
            tuple(link.local.items()),
        )  # fmt: skip
    return found


def same_turns(sim: Motion, bodies: dict[str, Body]) -> dict[str, Body]:
    """Return the bodies with turns counted so that the angles of driven joints are the values of their drivers."""
    ground = sim.mechanism.topology.ground
    for id, drive in sim.mechanism.drivers.items():
        if drive.kind != "angle":
            continue
        first, second = (bodies[link] for link in drive.links)
        turns = round((float(sim.drivers[id][0, 0]) - (second.angle - first.angle)) / math.tau)
        body, sign = (second, 1) if second.name != ground else (first, -1)
        bodies = bodies | {body.name: replace(body, angle=body.angle + sign * turns * math.tau)}
    return bodies


def stand_ins(mechanism: Mechanism) -> tuple[float, float]:
    """Return the mass [kg] and inertia [kg m^2] for links that have none: a ten-thousandth of the lightest link.

    The effect is small; with less, the constraints of such a body would be soft. If no link has a mass, all get 1 kg.
    """
    masses = [one.mass for one in mass_table(mechanism) if one.mass]
    places = list(mechanism.places.values())
    size = max((abs(a - places[0]) for a in places), default=1.0) or 1.0
    mass = 1e-4 * min(masses) if masses else 1.0
    return mass, mass * size**2 / (100 if masses else 12)
