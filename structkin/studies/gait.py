"""A walking person in the sagittal plane: seven segments, six joints, nine guiding constraints from markers.

Head, arms and trunk ("HAT"), and thigh, shank and foot of both legs are joined at hips, knees and ankles; the hip's
place x, y, the trunk's pitch and six joint angles follow splines through measured markers (Flores & Lankarani,
Fig. 61; `structkin.studies.guides`). No coordinate is free, so masses affect only the forces. The resultant ground
reaction follows, and inverse dynamics gives the joint moments.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import numpy as np

from structkin.dynamics import Force, Kinetostatics, Moment
from structkin.errors import InputError, Problem
from structkin.model import Mechanism
from structkin.numerical_tolerances import NEGLIGIBLE
from structkin.solve import Motion
from structkin.solve import Motion as State
from structkin.studies.guides import ENDS, direction, folded, guides
from structkin.studies.markers import Markers, Strides
from structkin.types import Floats

#: Markers of one leg, from which the other leg is derived; names as in Winter's appendix.
MARKERS = ("ribcage", "hip", "knee", "ankle", "mt5")

#: Sign of the moment at a joint that is positive in extension, and at the ankle where it lowers the toes.
EXTENSION: Mapping[str, int] = MappingProxyType({"hip": -1, "knee": 1, "ankle": -1, "shoulder": -1, "elbow": -1})

GRAVITY = 9.81

#: The person of `BODY` [kg].
MASS = 56.7


@dataclass(frozen=True, slots=True)
class Segment:
    """Length [m], place of the centre of mass from the upper end [m], mass [kg], inertia about the centre [kg m^2].

    Those of the trunk are measured upwards from the hip.
    """

    length: float
    center: float
    mass: float
    inertia: float

    def scaled(self, length: float, mass: float) -> Segment:
        """Return the segment with another length and with its mass times `mass`."""
        grown = length / self.length
        return Segment(length, self.center * grown, self.mass * mass, self.inertia * mass * grown**2)


#: Flores & Lankarani, Tab. 2. Its first line is half of head, arms and trunk, with a centre of mass at -0.0355 m, which
#: is above the rib marker (Dempster: 0.626 of the distance from hip to shoulder) and so 0.2930 m above the hip. The
#: whole is twice that.
BODY: Mapping[str, Segment] = MappingProxyType(
    {
        "hat": Segment(0.2575, 0.2575 + 0.0355, 2 * 19.2213, 2 * 1.03923),
        "thigh": Segment(0.3141, 0.1360, 5.67000, 0.05836),
        "shank": Segment(0.4081, 0.1840, 2.63655, 0.04005),
        "foot": Segment(0.1221, 0.0610, 0.82215, 0.00273),
    }
)

#: Segments of one arm, which BODY has in its trunk, for a length of 1 m: fractions of Dempster (D. A. Winter,
#: Biomechanics and Motor Control of Human Movement, 2009, Table 4.1). The hand is part of the forearm.
ARM: Mapping[str, Segment] = MappingProxyType(
    {
        "upper arm": Segment(1.0, 0.436, 0.028 * MASS, 0.028 * MASS * 0.322**2),
        "forearm": Segment(1.0, 0.682, 0.022 * MASS, 0.022 * MASS * 0.468**2),
    }
)


def fit(body: Mapping[str, Segment], markers: Markers, mass: float | None = None) -> dict[str, Segment]:
    """Return the segments that have both markers, with their mean lengths, of a person of this mass [kg] if given."""
    if mass is not None and not mass > 0:
        raise InputError([Problem("mass", f"{mass!r} is not a positive mass", "in kg")], "gait")
    factor = 1.0 if mass is None else mass / MASS
    there = [name for name in body if set(ENDS[name]) <= set(markers.places)]
    lengths = {name: float(np.mean(np.abs(direction(markers, name)))) for name in there}
    return {name: body[name].scaled(length, factor) for name, length in lengths.items()}


def centres(markers: Markers, body: Mapping[str, Segment]) -> dict[str, Floats]:
    """Return the centres of mass (n, 2) [m] of trunk and right leg by the markers, named as the links of `walker`.

    The hip starts at x = 0, as it does there.
    """
    found = {}
    for name in body:
        ends = ENDS[name]
        first, second = (markers.places[end] - [markers.places["hip"][0, 0], 0.0] for end in ends)
        link = name if name == "hat" else f"right_{name}"
        found[link] = first + body[name].center / body[name].length * (second - first)
    return found


def walker(markers: Markers, strides: Strides, body: Mapping[str, Segment] = BODY) -> Mechanism:
    """Return the person over one stride from the first sample, guided by `guides`.

    The markers should already be smoothed. Raises `InputError` if they cover less than one and a half strides.
    """
    course = guides(markers, strides.period)
    tables = {name: np.column_stack((course.t, values)).tolist() for name, values in course.values.items()}
    links: dict[str, Any] = {
        "ground": [],
        "forward": ["R"],
        "up": ["H"],
        "hat": _link(body["hat"], "H", "T", 1),
    }
    thigh, shank, foot = (body[name].length for name in ("thigh", "shank", "foot"))
    points = {"R": (0.0, 0.0), "H": (0.0, 0.0), "T": (0.0, body["hat"].length)}
    drivers: dict[str, Any] = {
        "x": {"joint": "rail", "table": tables["x"]},
        "y": {"joint": "lift", "table": tables["y"]},
        "pitch": {"joint": "H", "links": ["up", "hat"], "table": tables["pitch"]},
    }
    joints = {
        "rail": {"type": "prismatic", "links": ["forward", "ground"], "at": "R", "axis": [1, 0]},
        "lift": {"type": "prismatic", "links": ["forward", "up"], "at": "H", "axis": [0, 1]},
    }
    for side in ("right", "left"):
        knee, ankle, ball = (f"{name}_{side}" for name in ("K", "A", "B"))
        points |= {knee: (0.0, -thigh), ankle: (0.0, -thigh - shank), ball: (foot, -thigh - shank)}
        names = {name: f"{side}_{name}" for name in ("thigh", "shank", "foot")}
        links[names["thigh"]] = _link(body["thigh"], "H", knee, -1)
        links[names["shank"]] = _link(body["shank"], knee, ankle, -1, -thigh)
        links[names["foot"]] = _foot(body["foot"], ankle, ball, -thigh - shank)
        pairs = {"hip": ("H", "hat", "thigh"), "knee": (knee, "thigh", "shank"), "ankle": (ankle, "shank", "foot")}
        for name, (joint, upper, lower) in pairs.items():
            id = f"{side}_{name}"
            between = [names.get(upper, upper), names[lower]]
            drivers[id] = {"joint": joint, "links": between, "table": tables[id]}
    return Mechanism(
        "Walking person",
        points=points,
        links=links,
        joints=joints,
        drivers=drivers,
        forces={"gravity": [0, -GRAVITY]},
        duration=strides.period,
    )


def _link(segment: Segment, first: str, second: str, up: int, height: float = 0.0) -> dict[str, Any]:
    center = [0.0, height + up * segment.center]
    return {"points": [first, second], "mass": segment.mass, "center": center, "inertia": segment.inertia}


def _foot(segment: Segment, first: str, second: str, height: float) -> dict[str, Any]:
    center = [segment.center, height]
    return {"points": [first, second], "mass": segment.mass, "center": center, "inertia": segment.inertia}


# --- the ground ---------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class GroundReaction:
    """The ground reaction: force (n, 2) [N], and the place x (n,) [m] where it acts at height 0.

    `pushes` (n, 2) [N], their `shares` (n,) of the load and `places` (n,) belong to the feet "right" and "left".
    They are measured (`measured_ground`), or the resultant follows from the motion (`ground_reaction`). Then, while
    both feet are down, it is divided by assumption: the load moves from one foot to the other along a cosine, and acts
    at the same distance from the middle of each.
    """

    force: Floats
    place: Floats
    pushes: Mapping[str, Floats]
    shares: Mapping[str, Floats]
    places: Mapping[str, Floats]

    def loads(self, t: Floats, state: State) -> list[Force | Moment]:
        """Return the load on each foot, as a function of the user for `Motion.forces`."""
        if len(t) != len(self.place):
            raise InputError([Problem("t", f"the ground reaction has {len(self.place)} samples, the motion {len(t)}")])
        found: list[Force | Moment] = []
        for side, push in self.pushes.items():
            ankle = state.position(f"A_{side}")
            turn = (self.places[side] - ankle[:, 0]) * push[:, 1] + ankle[:, 1] * push[:, 0]
            found += [Force(f"A_{side}", push, f"{side}_foot"), Moment(f"{side}_foot", turn)]
        return found


def ground_reaction(motion: Motion, strides: Strides) -> GroundReaction:
    """Return the ground reaction that a motion of `walker` needs: what its hip guides would otherwise exert."""
    bare = motion.forces()
    force = np.column_stack((bare.driver("x"), bare.driver("y")))
    hip = motion.position("H")
    # The guide of the pitch gives the moment about the hip; a force at (p, 0) has (p - x) F_y + y F_x about (x, y).
    place = hip[:, 0] + (bare.driver("pitch") - hip[:, 1] * force[:, 0]) / force[:, 1]
    parts = shares(motion.t, strides)
    middle = {side: 0.5 * (motion.position(f"A_{side}") + motion.position(f"B_{side}"))[:, 0] for side in parts}
    apart = place - sum(parts[side] * middle[side] for side in parts)
    pushes = {side: share[:, None] * force for side, share in parts.items()}
    return GroundReaction(force, place, pushes, parts, {side: middle[side] + apart for side in parts})


def measured_ground(motion: Motion, markers: Markers, strides: Strides) -> GroundReaction:
    """Return the measured ground reaction over a motion of `walker`; the left foot's is that of half a stride later.

    A foot with less than a hundredth of the load counts as lifted in `shares`.
    """
    assert markers.force is not None and markers.moment is not None
    t, period, course = markers.t - markers.t[0], strides.period, guides(markers, strides.period)
    force = folded(t, np.asarray(markers.force @ (1, 1j)), period)
    # About a point that travels with the person, the moment of the force is periodic as well.
    moment = folded(t, (markers.moment - course.speed * t * markers.force[:, 1]).astype(np.complex128), period)
    pushes, places = {}, {}
    for side, later in (("right", 0.0), ("left", period / 2)):
        push = force(motion.t + later)
        pushes[side] = np.column_stack((push.real, push.imag))
        loaded = np.abs(push.imag) > 0.01 * np.max(np.abs(markers.force[:, 1]))
        ankle = motion.position(f"A_{side}")[:, 0]
        at = moment(motion.t + later).real / np.where(loaded, push.imag, 1.0) + course.speed * motion.t - course.origin
        places[side] = np.where(loaded, at, ankle)
    total = pushes["right"] + pushes["left"]
    load = np.where(np.abs(total[:, 1]) > 0, total[:, 1], np.nan)
    shares = {side: np.where(push[:, 1] > 0.99 * load, 1.0, push[:, 1] / load) for side, push in pushes.items()}
    place = sum(places[side] * pushes[side][:, 1] for side in pushes) / load
    return GroundReaction(total, place, pushes, shares, places)


def levers(motion: Motion, ground: GroundReaction) -> dict[str, Floats]:
    """Return how far (n,) [m] the ground reaction acts ahead of each ankle; NaN while both feet carry load.

    It must act under the foot. Where it does not, trunk and legs need a larger moment than a foot can transmit, and the
    moment of the ankle is too large by the excess.
    """
    return {
        side: np.where(ground.shares[side] > 1 - NEGLIGIBLE, place - motion.position(f"A_{side}")[:, 0], np.nan)
        for side, place in ground.places.items()
    }


def shares(t: Floats, strides: Strides) -> dict[str, Floats]:
    """Return the fraction of the load on each foot at times t (n,): 1, 0, or a value between while both are down."""
    period = strides.period
    contact, lift = strides.contacts[0] % period, strides.lifts[0] % period
    stance = (lift - contact) % period
    both = stance - period / 2
    if not 0 < both < period / 2:
        found = f"a foot is down for {stance / period:.0%} of the stride"
        raise InputError([Problem("strides", found, "walking needs more than 50 % and less than 100 %")], "gait")

    def loaded(begin: float) -> Floats:
        since = (t - begin) % period
        rise = np.clip(since / both, 0, 1)
        fall = np.clip((stance - since) / both, 0, 1)
        return np.asarray(0.5 - 0.5 * np.cos(np.pi * np.minimum(rise, fall)))

    return {"right": loaded(contact), "left": loaded(contact - period / 2)}


def joint_moments(forces: Kinetostatics) -> dict[str, Floats]:
    """Return the moment (n,) [N m] at each joint, positive in extension of hip and knee and when it lowers the toes."""
    return {
        f"{side}_{name}": EXTENSION[name] * forces.driver(f"{side}_{name}")
        for side in ("right", "left")
        for name in ("hip", "knee", "ankle")
    }


@dataclass(frozen=True)
class Gait:
    """One stride: the person, the motion, the ground reaction, and the resulting forces."""

    mechanism: Mechanism
    motion: Motion
    ground: GroundReaction
    forces: Kinetostatics

    @property
    def mass(self) -> float:
        """The mass of the person [kg]."""
        return sum(link.mass or 0.0 for link in self.mechanism.links.values())


def analyse(markers: Markers, strides: Strides, body: Mapping[str, Segment] = BODY, samples: int = 201) -> Gait:
    """Return motion and forces of one stride from smoothed markers, under a ground force measured with them if any."""
    mechanism = walker(markers, strides, body)
    motion = mechanism.solve(samples)
    ground = ground_reaction(motion, strides) if markers.force is None else measured_ground(motion, markers, strides)
    return Gait(mechanism, motion, ground, motion.forces(loads=[ground.loads]))


def moment_rows(moments: Mapping[str, Floats], mass: float) -> list[tuple[str, ...]]:
    """Return headings and the extremes of moments at joints, for a person of this mass [kg]."""
    rows: list[tuple[str, ...]] = [("", "least", "largest", "least per kg", "largest per kg")]
    for name, values in moments.items():
        ends = float(values.min()), float(values.max())
        rows.append(
            (f"{name.replace('_', ' ')} [N m]", *(f"{x:.4g}" for x in ends), *(f"{x / mass:.2f}" for x in ends))
        )
    return rows


def gait_rows(gait: Gait) -> list[tuple[str, ...]]:
    """Return the extremes of the joint moments, of the ground reaction and of its place."""
    motion, rows = gait.motion, moment_rows(joint_moments(gait.forces), gait.mass)
    for k, name in enumerate(("forward", "up")):
        force = gait.ground.force[:, k]
        rows.append((f"ground, {name} [N]", f"{force.min():.4g}", f"{force.max():.4g}", "", ""))
    lever = levers(motion, gait.ground)["right"]
    ball = (motion.position("B_right") - motion.position("A_right"))[np.isfinite(lever), 0]
    rows.append(("it acts ahead of the ankle [m]", f"{np.nanmin(lever):.3f}", f"{np.nanmax(lever):.3f}", "", ""))
    rows.append(("ball of the foot ahead of it [m]", f"{ball.min():.3f}", f"{ball.max():.3f}", "", ""))
    return rows
