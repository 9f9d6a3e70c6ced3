"""Many linkages fitted to points at once: the method of Levenberg and Marquardt with geodesic acceleration.

Minimised is the sum of squares of P(x, theta_i) - p_i over the dimensions x and, if the points are not timed, over the
crank angle of every point; bounds that are exceeded add squares of their own. Crank angles of points enter one residual
each and are eliminated from the normal equations, which so keep the size of x. The valleys of coupler curves are narrow
and curved: a correction of second order along the step (Transtrum & Sethna, arXiv:1201.5885, 2012) takes some 50 steps
where the plain method takes 600. SciPy has neither that nor the fit of hundreds of linkages at once.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from structkin.budget import TOGETHER, SpentError, charge
from structkin.design.loops import Kind
from structkin.groups.solve_lanes import solve_lanes
from structkin.numerical_tolerances import LEAST_POSITIVE, LITTLE_GAIN, ROUNDING, ROUNDING_OF_FEW
from structkin.types import Flags, Floats, Indices

#: The start of the damping, its factors after a good and a bad step, and where a linkage counts as converged.
DAMPING, GOOD, BAD, CONVERGED = 1e-2, 0.4, 3.0, 1e6
#: The largest step of an angle [rad], and of the logarithm of a length and the coordinates of a tracer.
ANGLE, DIMENSION = 0.3, 1.0
#: The weight of a transmission angle that is too small, as the square of its sine, and of a pivot outside its region;
#: and that of the logarithm of a length, with which few of the linkages far from the points are lost as too long.
WEIGHT, OF_LENGTHS = 100.0, 10.0
#: How far along a step the second derivative is taken.
AHEAD = 0.1


class Lanes(NamedTuple):
    """Linkages (p, k) of one kind, the modes (k,) or (d, k) of their dyads, the crank angles (n, k) of the points."""

    x: Floats
    mode: Floats
    theta: Floats

    def some(self, which: Indices | Flags) -> Lanes:
        """Return some of the linkages."""
        return Lanes(self.x[:, which], self.mode[..., which], self.theta[:, which])


class Bounds(NamedTuple):
    """The longest link, the least squared sine of a transmission angle, and whether the crank makes whole turns.

    `region` (2, 2) are the lower left and the upper right corner between which the ground pivots lie.
    """

    longest: float
    least: float
    closed: bool
    region: Floats


class _Normal:
    """The damped normal equations of k linkages, the crank angles of untimed points eliminated."""

    def __init__(self, J: Floats, by_angle: Floats, wall: Floats, damping: Floats, timed: bool) -> None:
        if timed:  # all angles change by the same number
            J = np.concatenate((J, by_angle[:, None]), axis=1)
            wall = np.concatenate((wall, np.zeros_like(wall[:, :1])), axis=1)
        _, p, n, k = J.shape
        self.rows = J.transpose(3, 1, 0, 2).reshape(k, p, 2 * n)
        self.wall = wall
        H = self.rows @ self.rows.transpose(0, 2, 1) + np.einsum("qpk,qrk->kpr", wall, wall)
        self.by_angle = None if timed else by_angle
        if not timed:
            square = (by_angle * by_angle).sum(axis=0)
            self.square = square + damping * square.mean(axis=0) + LEAST_POSITIVE
            self.mixed = (J * by_angle[:, None]).sum(axis=0).transpose(2, 0, 1)
            H = H - (self.mixed / self.square.T[:, None]) @ self.mixed.transpose(0, 2, 1)
        scale = np.einsum("kpp->kp", H)
        scale = np.maximum(scale, ROUNDING * scale.max(axis=1, keepdims=True) + LEAST_POSITIVE)
        self.H = H + (damping[:, None] * scale)[:, :, None] * np.eye(p)

    def step(self, r: Floats, over: Floats) -> tuple[Floats, Floats]:
        """Return the changes of dimensions (p, k) and angles (n, k) that answer residuals (2, n, k), (q, k)."""
        k = r.shape[2]
        right = (self.rows @ r.transpose(2, 0, 1).reshape(k, -1, 1))[..., 0] + np.einsum("qpk,qk->kp", self.wall, over)
        if self.by_angle is None:
            dx = -solve_lanes(self.H, right).T
            return dx[:-1], np.broadcast_to(dx[-1], r.shape[1:])
        along = (r * self.by_angle).sum(axis=0)
        right = right - np.einsum("kpn,nk->kp", self.mixed, along / self.square)
        dx = -solve_lanes(self.H, right).T
        return dx, -(along + np.einsum("kpn,pk->nk", self.mixed, dx)) / self.square


@np.errstate(all="ignore")
def fit(
    kind: Kind, lanes: Lanes, points: Floats, steps: int, *, free: Flags, timed: bool, bounds: Bounds
) -> Lanes:  # fmt: skip
    """Return linkages closer to points (2, n) after some steps; `free` (p,) dimensions change.

    Stops early where all have converged or the budget is spent.
    """
    x, theta, mode = lanes.x.copy(), lanes.theta.copy(), lanes.mode
    target = points[:, :, None]
    places, _, J = kind.jacobian(x, mode, theta)
    r = places - target
    over, wall = _over(kind, Lanes(x, mode, theta), bounds)
    cost = (r * r).sum(axis=(0, 1)) + (over * over).sum(axis=0)
    damping = np.full(x.shape[1], DAMPING)
    active = np.flatnonzero(np.isfinite(cost) & np.isfinite(J).all(axis=(0, 1, 2)))
    for _ in range(steps):
        a = active[(cost[active] > ROUNDING_OF_FEW**2 * points.shape[1]) & (damping[active] < CONVERGED)]
        active = a
        try:
            charge(2 * r[..., a].size * (kind.size + 2) / TOGETHER)
        except SpentError:
            break
        if not len(a):
            break
        Ja, by_angle, ra = J[:, :-1][:, free][..., a], J[:, -1][..., a], r[..., a]
        normal = _Normal(Ja, by_angle, wall[:, free][..., a], damping[a], timed)
        dx, turn = normal.step(ra, over[:, a])
        full = np.zeros((kind.size, len(a)))
        full[free] = dx
        turn = np.clip(turn, -ANGLE, ANGLE)
        ahead, _ = kind.traced(x[:, a] + AHEAD * full, mode[..., a], theta[:, a] + AHEAD * turn)
        linear = np.einsum("cpnk,pk->cnk", Ja, dx) + by_angle * turn
        bent = 2 / AHEAD * ((ahead - target - ra) / AHEAD - linear)
        bent = np.where(np.isfinite(bent).all(axis=(0, 1)), bent, 0.0)
        bow, swerve = normal.step(bent, np.zeros_like(over[:, a]))
        small = 2 * np.linalg.norm(bow, axis=0) < 0.75 * np.linalg.norm(dx, axis=0)
        full[free] += 0.5 * bow * small
        turn = turn + 0.5 * np.clip(swerve, -ANGLE, ANGLE) * small
        much = np.maximum(np.abs(full[kind.limited]).max(axis=0) / DIMENSION, 1.0)
        new_x, new_theta = x[:, a] + full / much, theta[:, a] + turn / much
        places, closing, new_J = kind.jacobian(new_x, mode[..., a], new_theta)
        new_r = places - target
        new_over, new_wall = _over(kind, Lanes(new_x, mode[..., a], new_theta), bounds)
        new_cost = (new_r * new_r).sum(axis=(0, 1)) + (new_over * new_over).sum(axis=0)
        good = (new_cost < cost[a]) & (closing.min(axis=0) > 0) & np.isfinite(new_J).all(axis=(0, 1, 2))
        gains = good & (new_cost < (1 - LITTLE_GAIN) * cost[a])
        w = a[good]
        x[:, w], theta[:, w], cost[w] = new_x[:, good], new_theta[:, good], new_cost[good]
        J[..., w], r[..., w] = new_J[..., good], new_r[..., good]
        wall[..., w], over[:, w] = new_wall[..., good], new_over[:, good]
        damping[a] *= np.where(gains, GOOD, BAD)
    return Lanes(x, mode, theta)


def _over(kind: Kind, lanes: Lanes, bounds: Bounds) -> tuple[Floats, Floats]:
    """Return by how much bounds are exceeded (q, k), and the derivatives (q, p, k).

    They are those of the logarithms of the lengths, of the transmission angles where these are extreme, if the crank
    comes there, and of the coordinates of ground pivots.
    """
    x, mode, theta = lanes
    logs, longer = kind.lengths(x)
    long = logs - np.log(bounds.longest)
    angles = kind.extremes(x, mode, theta)
    closing, rates = kind.closing_rates(x, mode, angles)
    span = theta[-1] - theta[0]
    comes = np.mod((angles - theta[0]) * np.sign(span), 2 * np.pi) <= (np.inf if bounds.closed else np.abs(span))
    narrow = np.where(comes, bounds.least - closing, 0.0)
    beyond, outward = outside(kind, x, bounds.region)
    over = np.maximum(np.concatenate((OF_LENGTHS * long, WEIGHT * narrow, WEIGHT * beyond)), 0.0)
    return over, np.concatenate((OF_LENGTHS * longer, -WEIGHT * rates, WEIGHT * outward)) * (over > 0)[:, None]


def outside(kind: Kind, x: Floats, region: Floats) -> tuple[Floats, Floats]:
    """Return how far ground pivots are beyond each side of a region (q, k), negative inside, and (q, p, k) by x."""
    rows = np.concatenate([np.arange(kind.size)[part] for part in kind.pivots])
    low, high = np.tile(region, len(kind.pivots))[..., None]
    J = np.broadcast_to(np.eye(kind.size)[rows, :, None], (len(rows), *x.shape))
    return np.concatenate((low - x[rows], x[rows] - high)), np.concatenate((-J, J))


def misses(kind: Kind, lanes: Lanes, points: Floats) -> Floats:
    """Return the root mean square (k,) of the distances of points (2, n) from the tracers at their crank angles."""
    r = kind.traced(*lanes)[0] - points[:, :, None]
    return np.asarray(np.nan_to_num(np.sqrt((r * r).sum(axis=0).mean(axis=0)), nan=np.inf))
