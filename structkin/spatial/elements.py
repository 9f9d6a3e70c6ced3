"""Joints as penalty elements: stiffness and damping in the six directions of the joint's triad, chosen or by default.

A joint holds its second body by springs along and across its axis a, against tilting of a and twisting about a; a
universal joint by one between a of the first and b of the second body, a screw also by one between shift and turn.
Each spring has a damper of `damping` times its stiffness.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from structkin.errors import InputError, Problem
from structkin.multibody.joint import SpatialJoint
from structkin.multibody.model import GROUND, SpatialModel
from structkin.multibody.start import cross_matrix
from structkin.types import Floats

#: Which directions a joint holds: across a, along a, tilt of a, twist about a.
HELD: Mapping[str, tuple[bool, bool, bool, bool]] = {
    "fixed": (True, True, True, True),
    "revolute": (True, True, True, False),
    "prismatic": (True, False, True, True),
    "screw": (True, False, True, False),
    "cylindrical": (True, False, True, False),
    "universal": (True, True, False, False),
    "planar": (False, True, True, False),
    "spherical": (True, True, False, False),
    "free": (False, False, False, False),
}
#: omega dt of the fastest vibration at the default stiffness, where its damping is half the critical one. The limit
#: is 1.24: there is room for springs and stops.
PACE = np.sqrt(3.0) - 1.0

Stiffness = float | Mapping[str, tuple[float, float]] | None
Damping = float | Mapping[str, float] | None


@dataclass(frozen=True)
class Element:
    """The element of a joint: stiffness across and along a [N/m], of tilt and twist [N m/rad], of a universal joint's
    right angle [N m/rad] and of a screw's thread [N/m]; each damper has `damping` [s] times the stiffness."""

    across: float
    along: float
    tilt: float
    twist: float
    cross: float
    screw: float
    damping: float

    def coefficients(self) -> Floats:
        """Return columns 24-33 of the loop's joints: (k, k, d, d) of shifts, (w, w, d, d) of turns, (k, d) across.

        The weight of the axes b and c is half the twist, and a tilt turns one of them, too.
        """
        c = self.damping
        shifts = [self.across, self.along, c * self.across, c * self.along]
        turns = [self.tilt - self.twist / 2, self.twist / 2, c * self.tilt, c * self.twist]
        return np.array([*shifts, *turns, self.cross, c * self.cross])


def element_of(joint: SpatialJoint, shift: float, turn: float, damping: float) -> Element:
    """Return the element of a joint from a stiffness of shifts [N/m] and of turns [N m/rad]."""
    across, along, tilt, twist = HELD[joint.kind]
    return Element(
        shift * across,
        shift * along,
        turn * tilt,
        turn * twist,
        turn * (joint.kind == "universal"),
        shift * (joint.kind == "screw"),
        damping,
    )


def effective(model: SpatialModel, joint: SpatialJoint) -> tuple[float, float]:
    """Return the mass [kg] and moment of inertia [kg m^2] that a joint feels in its most mobile direction.

    >>> from structkin.multibody.model import Body
    >>> ball = Body("ball", 2.0, np.zeros(3), np.diag([3.0, 4.0, 5.0]))
    >>> joint = SpatialJoint("A", "spherical", ("ground", "ball"), np.zeros(3), *np.eye(3)[:2])
    >>> effective(SpatialModel("", {"ball": ball}, {"A": joint}), joint)
    (2.0, 3.0)
    """
    shift, turn = 0.0, 0.0
    for name in joint.bodies:
        if name != GROUND:
            body = model.bodies[name]
            inverse, arm = np.linalg.inv(body.inertia), cross_matrix(joint.at - body.center)
            shift += 1.0 / body.mass + float(np.linalg.eigvalsh(arm @ inverse @ arm.T)[-1])
            turn += float(np.linalg.eigvalsh(inverse)[-1])
    return 1.0 / shift, 1.0 / turn


def relative_stiffnesses(model: SpatialModel) -> dict[str, tuple[float, float]]:
    """Return the stiffness of shifts and turns of every joint at which each of them alone would vibrate at 1 rad/s."""
    return {joint.name: effective(model, joint) for joint in model.joints.values()}


def fastest(model: SpatialModel, stiffness: Mapping[str, tuple[float, float]]) -> float:
    """Return a bound on the squares of all circular frequencies [1/s^2] of the bodies on their joints, in any pose.

    (x - y)^2 <= 2 x^2 + 2 y^2 separates the bodies; a joint that holds all directions bounds every other.
    """
    worst = 0.0
    for body in model.bodies.values():
        matrix = np.zeros((6, 6))
        for joint in model.joints.values():
            if body.name in joint.bodies and joint.kind != "free":
                shift, turn = stiffness[joint.name]
                factor = 1.0 if GROUND in joint.bodies else 2.0
                arm = cross_matrix(joint.at - body.center)
                rows = np.hstack([np.eye(3), -arm])
                spin = np.hstack([np.zeros((3, 3)), np.eye(3)])
                if joint.kind == "screw":
                    shift, turn = 2.0 * shift, turn + 2.0 * shift * joint.pitch**2
                matrix += factor * (shift * rows.T @ rows + turn * (joint.kind != "spherical") * spin.T @ spin)
        inverse = np.zeros((6, 6))
        inverse[:3, :3], inverse[3:, 3:] = np.eye(3) / body.mass, np.linalg.inv(body.inertia)
        worst = max(worst, float(np.linalg.eigvals(inverse @ matrix).real.max()))
    return worst


def elements_of(model: SpatialModel, step: float, stiffness: Stiffness, damping: Damping) -> dict[str, Element]:
    """Return the element of every joint; `InputError` for a choice that is none.

    The default is as stiff as the step allows, in proportion to the masses at each joint, and damped to half the
    critical damping of the fastest vibration.
    """
    relative = relative_stiffnesses(model)
    chosen = dict(relative)
    if stiffness is None:
        square = fastest(model, relative)
        factor = (PACE / step) ** 2 / square if square > 0.0 else 0.0
        chosen = {name: (factor * shift, factor * turn) for name, (shift, turn) in relative.items()}
    elif isinstance(stiffness, Mapping):
        _check_names(model, stiffness, "stiffness")
        chosen = {name: (float(shift), float(turn)) for name, (shift, turn) in stiffness.items()}
    else:
        chosen = {name: (stiffness, stiffness * turn / shift) for name, (shift, turn) in relative.items()}
    square = fastest(model, chosen)
    time = 1.0 / np.sqrt(square) if square > 0.0 else 0.0
    if damping is None:
        # where the stiffness leaves room for less than half the critical damping, half of that room
        time = min(time, max(0.0, (2.0 / square - step**2 / 2.0) / step / 2.0)) if square > 0.0 else 0.0
    times: Mapping[str, float]
    if isinstance(damping, Mapping):
        _check_names(model, damping, "damping")
        times = damping
    else:
        times = dict.fromkeys(model.joints, time if damping is None else damping)
    return {name: element_of(joint, *chosen[name], times[name]) for name, joint in model.joints.items()}


def _check_names(model: SpatialModel, given: Mapping[str, object], what: str) -> None:
    """Raise `InputError` unless every joint, and nothing else, is given."""
    unknown = [Problem(f"{what}.{name}", "is no joint") for name in given if name not in model.joints]
    missing = [
        Problem(f"{what}.{name}", "is missing", "give every joint") for name in model.joints if name not in given
    ]
    if unknown or missing:
        raise InputError([*unknown, *missing], model.name)
