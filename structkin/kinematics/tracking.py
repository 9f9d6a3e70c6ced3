"""Continuation of a general group along its lanes: predictor, Newton, and smaller steps where they are needed.

Between two lanes the inputs move in a straight line. A step is accepted when Newton's method converges close to the
prediction, the pose turns little and the sign of det Phi_phi stays: the assembly mode is kept, never jumped. Where no
step however small succeeds, the group has met a limit position and the lane is out of reach; later lanes are tried from the last good pose.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from structkin.groups import General
from structkin.kinematics.status import Status

Floats = NDArray[np.float64]

#: Largest turn of a link in one step [rad], and largest departure of the corrected pose from the predicted one.
TURN, DEPARTURE = 0.35, 0.12
#: Halvings of the way to a lane before it is given up.
HALVINGS = 12
#: Smallest scaled singular value of a regular pose.
SINGULAR = 1e-7


@dataclass(frozen=True)
class _Pose:
    """A solved lane: the inputs, origins (m, 2, 1), angles (m, 1), and the sign of the determinant."""

    h: tuple[Any, ...]
    origins: Floats
    angles: Floats
    sign: float

    @property
    def phi(self) -> tuple[Floats, ...]:
        return _natural(self.origins, self.angles)


def _natural(origins: Floats, angles: Floats) -> tuple[Floats, ...]:
    """Return origin and unit direction of each link in turn, each (2, n)."""
    U = np.stack((np.cos(angles), np.sin(angles)), axis=1)
    return tuple(part for pair in zip(origins, U, strict=True) for part in pair)


def track(
    form: General, h: tuple[Any, ...], origins: Floats, angles: Floats, n: int
) -> tuple[tuple[Floats, ...], NDArray[np.int8]]:
    """Follow a general group over n lanes from a starting pose.

    `h` are its inputs over the lanes, `origins` (m, 2, 1) and `angles` (m, 1) the pose in the sketch. Returns the
    unknowns, each (2, n) and NaN where there is no pose, and a status (n,).
    """
    m = form.rows.links
    O, theta = np.full((m, 2, n), np.nan), np.full((m, n), np.nan)
    status = np.full(n, Status.OUT_OF_REACH, np.int8)
    pose: _Pose | None = None
    for lane in range(n):
        target = _lane(h, lane)
        if not all(np.isfinite(part).all() for part in target):
            continue
        if pose is None:
            found = _first(form, target, origins, angles)
        else:
            found = _reach(form, pose, target)
        if isinstance(found, _Pose):
            pose = found
            O[..., lane], theta[..., lane] = pose.origins[..., 0], pose.angles[..., 0]
            status[lane] = Status.OK
        else:
            status[lane] = found
    phi = _natural(O, theta)
    sigma = form.smallest_singular_value(h, phi)
    status[(status == Status.OK) & (sigma < SINGULAR)] = Status.SINGULAR
    return phi, status


def _lane(h: tuple[Any, ...], lane: int) -> tuple[Any, ...]:
    """Return the inputs at one lane, vectors (2, 1) and scalars (1,)."""
    return tuple(x[..., lane : lane + 1] if np.ndim(x) and np.shape(x)[-1] > 1 else np.atleast_1d(x) for x in h)


def _first(form: General, h: tuple[Any, ...], origins: Floats, angles: Floats) -> _Pose | Status:
    """Close the group at its first lane, starting from the sketch."""
    O, theta, step = form.newton(h, origins, angles, iterations=30)
    if not step[0] < 1e-9:
        return Status.NOT_CONVERGED
    if np.max(np.abs(theta - angles)) > 0.5 * np.pi:
        # Newton's method has left the neighbourhood of the sketch: this may be another assembly mode.
        return Status.NOT_CONVERGED
    return _Pose(h, O, theta, _sign(form, h, O, theta))


def _sign(form: General, h: tuple[Any, ...], O: Floats, theta: Floats) -> float:
    U = np.stack((np.cos(theta), np.sin(theta)), axis=1)
    return float(np.linalg.slogdet(form.jacobian(h, O, U))[0][0])


def _reach(form: General, start: _Pose, target: tuple[Any, ...]) -> _Pose | Status:
    """Walk from a pose to the inputs of another lane; the step grows and shrinks with success."""
    pose, done, step, smallest = start, 0.0, 1.0, 0.5**HALVINGS
    while done < 1.0:
        end = min(1.0, done + step)
        found = _step(form, pose, _between(form, start.h, target, end))
        if found is not None:
            pose, done, step = found, end, 2 * step
            continue
        step *= 0.5
        if step < smallest:
            sigma = form.smallest_singular_value(pose.h, pose.phi)[0]
            # Near a limit position the singular value falls like the square root of the way that is left.
            return Status.OUT_OF_REACH if sigma < 0.2 else Status.NOT_CONVERGED
    return pose


def _between(form: General, h0: tuple[Any, ...], h1: tuple[Any, ...], s: float) -> tuple[Any, ...]:
    if s == 1.0:
        return h1
    mixed = [a + s * (b - a) for a, b in zip(h0, h1, strict=True)]
    for j, unit in enumerate(form.rows.unit):
        if unit:
            mixed[j] = mixed[j] / np.sqrt(np.sum(mixed[j] ** 2, axis=0))
    return tuple(mixed)


def _step(form: General, pose: _Pose, h: tuple[Any, ...]) -> _Pose | None:
    dh = tuple(b - a for a, b in zip(pose.h, h, strict=True))
    m, size = form.rows.links, form.rows.size
    try:
        rates = np.stack(form.linear(pose.h, pose.phi, dh, (0.0,) * (form.rows.count + m)))
    except np.linalg.LinAlgError:
        return None
    dO, dU = rates[0::2], rates[1::2]
    turn = -np.sin(pose.angles) * dU[:, 0] + np.cos(pose.angles) * dU[:, 1]
    if not np.max(np.abs(turn)) <= TURN:
        return None
    O, theta, change = form.newton(h, pose.origins + dO, pose.angles + turn, iterations=6)
    departure = max(
        float(np.max(np.abs(O - pose.origins - dO))) / size, float(np.max(np.abs(theta - pose.angles - turn)))
    )
    if not (change[0] < 1e-10 and departure < DEPARTURE):
        return None
    sign = _sign(form, h, O, theta)
    return _Pose(h, O, theta, sign) if sign == pose.sign else None
