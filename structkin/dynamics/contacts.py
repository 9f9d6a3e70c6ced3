"""Contact of circles and lines: overlap, normal force and friction.

The damping of a contact needs the impact speed of its bodies, which is not part of the state. `simulate` ends a step
where they meet (`structkin.dynamics.simulation_run`), notes the speed (`note`), and forgets it once they part; its
samples keep it. Until it is noted no force acts, so that every step is smooth: a step that meets a hard contact between
its stages may jump over it without a noticeable error estimate. In other motions the speed is interpolated between the
samples before and after the bodies meet.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from structkin.dynamics.acting import Acting
from structkin.dynamics.load_formulas import touching
from structkin.dynamics.load_table import table_of
from structkin.model.forces import Contact
from structkin.solve import Motion
from structkin.types import Floats


@dataclass(frozen=True)
class Touch:
    """The state of a contact at n samples: NaN where there is no pose.

    `depth` (n,) [m] is positive where the bodies overlap, `speed` (n,) [m/s] its rate; `normal` (n, 2) points from the
    second body to the first; `place` (n, 2) [m] is the point of contact; `sliding` (n,) [m/s] is the speed of the first
    body relative to the second, to the left of the normal.
    """

    depth: Floats
    speed: Floats
    normal: Floats
    place: Floats
    sliding: Floats


def touch(motion: Motion, load: Contact) -> Touch:
    """Return how two bodies touch."""
    return _touch(Acting(motion, table_of(motion.mechanism, [load])), 0)


def _touch(acting: Acting, k: int) -> Touch:
    with np.errstate(invalid="ignore", divide="ignore"):
        depth, speed, *normal_and_place, sliding = touching(acting, k, acting.place, acting.speed)
    normal, place = np.stack(normal_and_place[:2], axis=1), np.stack(normal_and_place[2:], axis=1)
    return Touch(depth, speed, normal, place, sliding)


def contact_energy(motion: Motion, load: Contact) -> Floats:
    """Return the energy (n,) [J] stored in the elastic part of a contact."""
    depth = np.maximum(touch(motion, load).depth, 0.0)
    return np.asarray(load.stiffness * depth ** (load.exponent + 1) / (load.exponent + 1))


# --- the impact speed ---------------------------------------------------------------------------------------


def note(touches: Mapping[str, tuple[float, float]], impacts: dict[str, float]) -> None:
    """Note in `impacts` the speeds of contacts that have begun, by depths and rates; forget what has ended.

    Bodies that just touch are in contact: otherwise a body that starts on the ground would fall through it.
    """
    for id, (depth, speed) in touches.items():
        if not depth >= 0:
            impacts.pop(id, None)
        elif id not in impacts:
            impacts[id] = max(speed, 0.0)


def not_met(touches: Mapping[str, tuple[float, float]], impacts: Mapping[str, float]) -> Floats:
    """Return the depths and rates (2, c) of the contacts that have not begun; the depth of the others is -inf."""
    return np.array([(-np.inf, 0.0) if id in impacts else both for id, both in touches.items()]).reshape(-1, 2).T


def met_speeds(acting: Acting, impacts: Mapping[str, float] | None) -> dict[str, Floats]:
    """Return the impact speeds (n,) of all contacts, by id; see `_met`."""
    return {load.id: _met(acting, k, load, impacts) for k, load in enumerate(acting.table.named.get("contacts", ()))}


def _met(acting: Acting, k: int, load: Contact, impacts: Mapping[str, float] | None) -> Floats:
    """Return the impact speed (n,), zero if the bodies met before the first sample, NaN if they have not met.

    It is that at the zero of the depth, on a cubic between samples; without times, that of the first sample in contact.
    """
    motion = acting.motion
    if impacts is not None:
        return np.full(len(motion), impacts.get(load.id, np.nan))
    met: Floats | None = getattr(motion, "impacts", {}).get(load.id)
    if met is not None and len(met) == len(motion):
        return met
    found = _touch(acting, k)
    overlap = found.depth > 0
    begins = overlap & ~np.concatenate(([True], overlap[:-1]))
    at = np.maximum.accumulate(np.where(begins, np.arange(len(overlap)), -1))
    ended = np.maximum.accumulate(np.where(~overlap, np.arange(len(overlap)), -1))
    speed = found.speed.copy()
    for first in np.flatnonzero(begins).tolist():
        speed[first] = _speed_before(motion.t, found, first)
    return np.where(at > ended, speed[at], np.where(overlap, 0.0, np.nan))


def _speed_before(t: Floats, found: Touch, k: int) -> float:
    """Return the rate of the depth at its zero before sample k, on the cubic from the sample before; else at k."""
    from scipy.interpolate import CubicHermiteSpline

    ends = slice(k - 1, k + 1)
    if np.isfinite([t[ends], found.depth[ends], found.speed[ends]]).all():
        curve = CubicHermiteSpline(t[ends], found.depth[ends], found.speed[ends])
        zeros = curve.roots(extrapolate=False)
        if len(zeros):
            return float(curve.derivative()(zeros[-1]))
    return float(found.speed[k])
