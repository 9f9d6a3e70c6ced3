"""Contact of circles and lines: how deep they overlap, what presses them apart, what rubs.

The damping of a contact needs the speed at which its bodies met, which the state does not tell. `simulate` ends a step
where they meet (`meeting`), notes the speed (`note_impacts`), and forgets it once they part; its samples keep it. Until
it is noted no force acts, so that every step is smooth: a step that sees a hard contact in the middle of its stages may
leap over it without an error that it could feel. For other motions the speed is that at the first sample that touches.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from structkin.kinematics import Motion
from structkin.model.forces import Contact, Disc

if TYPE_CHECKING:
    from structkin.dynamics.loads import Wrenches

Floats = NDArray[np.float64]

#: Times in a step at which it is looked whether bodies have met; a touch shorter than the way between goes unseen.
LOOKS = 4


@dataclass(frozen=True)
class Touch:
    """The state of a contact at n samples: NaN where there is no pose.

    `depth` (n,) [m] is positive where the bodies overlap, `speed` (n,) [m/s] its rate; `normal` (n, 2) points from the
    second body to the first; `place` (n, 2) [m] is where they touch; `sliding` (n,) [m/s] is the speed of the first
    body's material past the second's, to the left of the normal.
    """

    depth: Floats
    speed: Floats
    normal: Floats
    place: Floats
    sliding: Floats


def touch(motion: Motion, load: Contact) -> Touch:
    """Return how two bodies touch."""
    first, second = load.first, load.second
    center = motion.position(first.place, first.link)
    way = center - motion.position(second.place, second.link)
    if isinstance(second, Disc):
        distance = np.hypot(way[:, 0], way[:, 1])
        with np.errstate(invalid="ignore", divide="ignore"):
            outward = np.where(distance[:, None] > 0, way / distance[:, None], (1.0, 0.0))
        # A bore has a negative radius: it pushes the circle inside towards its own centre.
        normal = outward if second.radius >= 0 else -outward
        depth = (
            first.radius + second.radius - distance if second.radius >= 0 else distance + second.radius + first.radius
        )
    else:
        normal = motion.position(second.normal, second.link) - motion.position(0j, second.link)
        depth = first.radius - np.sum(way * normal, axis=1)
    place = center - (first.radius - 0.5 * depth)[:, None] * normal
    passing = _velocity(motion, first.link, place) - _velocity(motion, second.link, place)
    left = np.stack((-normal[:, 1], normal[:, 0]), axis=1)
    speed, sliding = -np.sum(passing * normal, axis=1), np.sum(passing * left, axis=1)
    return Touch(depth, speed, normal, place, sliding)


def _velocity(motion: Motion, link: str, place: Floats) -> Floats:
    """Return the velocity (n, 2) of the link's material at a place in global axes."""
    arm = place - motion.position(0j, link)
    return motion.velocity(0j, link) + motion.omega(link)[:, None] * np.stack((-arm[:, 1], arm[:, 0]), axis=1)


def add_contact(total: Wrenches, load: Contact, impacts: dict[str, float] | None) -> None:
    """Add the forces of a contact, equal and opposite on both bodies at the place where they touch."""
    motion = total.motion
    found = touch(motion, load)
    push = pressure(load, found, _met(motion, load, found, impacts))
    left = np.stack((-found.normal[:, 1], found.normal[:, 0]), axis=1)
    rub = -load.friction * push * np.tanh(found.sliding / load.transition)
    force = push[:, None] * found.normal + rub[:, None] * left
    for link, sign in ((load.first.link, 1.0), (load.second.link, -1.0)):
        arm = found.place - motion.position(0j, link)
        total.force[link] += sign * force
        total.moment[link] += sign * (arm[:, 0] * force[:, 1] - arm[:, 1] * force[:, 0])


def pressure(load: Contact, found: Touch, met: Floats) -> Floats:
    """Return the normal force (n,) [N] for the speeds `met` (n,) [m/s] at which the bodies met, never negative.

    It is zero where they have not met: where `met` is NaN.
    """
    depth = np.where(np.isnan(met) & ~np.isnan(found.depth), 0.0, np.maximum(found.depth, 0.0))  # NaN stays
    elastic = load.stiffness * depth**load.exponent
    if not load.loss:
        return elastic
    with np.errstate(invalid="ignore", divide="ignore"):
        ratio = np.where(met > 0, found.speed / met, 0.0)
    return np.asarray(np.maximum(elastic * (1 + load.loss * np.where(depth > 0, ratio, 0.0)), 0.0))


def contact_energy(motion: Motion, load: Contact) -> Floats:
    """Return the energy (n,) [J] that the elastic part of a contact holds."""
    depth = np.maximum(touch(motion, load).depth, 0.0)
    return np.asarray(load.stiffness * depth ** (load.exponent + 1) / (load.exponent + 1))


# --- the speed at which they met ----------------------------------------------------------------------------


def note_impacts(motion: Motion, impacts: dict[str, float]) -> None:
    """Note in `impacts` the speeds of contacts that have begun at a motion's only sample; forget what has ended."""
    for load in contacts_of(motion):
        found = touch(motion, load)
        if not found.depth[0] > 0:
            impacts.pop(load.id, None)
        elif load.id not in impacts:
            impacts[load.id] = max(float(found.speed[0]), 0.0)


def depths(motion: Motion, impacts: dict[str, float]) -> Floats:
    """Return the depths (c,) [m] at a motion's only sample of the contacts that have not begun; -inf of others."""
    found = [-np.inf if load.id in impacts else touch(motion, load).depth[0] for load in contacts_of(motion)]
    return np.array(found)


def meeting(depth: Callable[[float], Floats], begin: float, end: float) -> float | None:
    """Return the time in a step from `begin` to `end` right after bodies have met; None where none do.

    `depth(t)` gives the depths (c,) of the contacts that have not begun.
    """
    from scipy.optimize import brentq

    times = np.linspace(begin, end, 1 + LOOKS)
    for low, high in pairwise(times.tolist()):
        now = depth(high)
        if not (now > 0).any():
            continue
        found = []
        for k in np.flatnonzero(now > 0):
            if depth(low)[k] < 0:
                at = float(brentq(lambda t, k=k: float(depth(t)[k]), low, high, xtol=1e-14, rtol=1e-14))
                found.append(min(at + 1e-14 * max(1.0, abs(at)), high))
        return min(found, default=None)
    return None


def contacts_of(motion: Motion) -> list[Contact]:
    """Return the contacts of a mechanism."""
    return [load for load in motion.mechanism.forces.loads.values() if isinstance(load, Contact)]


def _met(motion: Motion, load: Contact, found: Touch, impacts: dict[str, float] | None) -> Floats:
    """Return the speed (n,) at which the bodies met, zero if that was before the first sample; NaN: they have not."""
    if impacts is not None:
        return np.full(len(motion), impacts.get(load.id, np.nan))
    met: Floats | None = getattr(motion, "impacts", {}).get(load.id)
    if met is not None and len(met) == len(motion):
        return met
    # The speed at the first of the samples that touch one after the other.
    overlap = found.depth > 0
    begins = overlap & ~np.concatenate(([True], overlap[:-1]))
    at = np.maximum.accumulate(np.where(begins, np.arange(len(overlap)), -1))
    ended = np.maximum.accumulate(np.where(~overlap, np.arange(len(overlap)), -1))
    return np.where(at > ended, found.speed[at], np.where(overlap, 0.0, np.nan))
