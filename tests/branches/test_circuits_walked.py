"""Circuits of platforms on three legs against a walk of their own equations, which shares no code with structkin.

A plate with the pins P, Q and R is at x + i y, turned by theta; the crank turns by phi. Three distances tie these four
numbers: their curves are followed by arclength from every pose over many values of phi.
"""

import math

import numpy as np
import pytest
from cases import few

import structkin as sk

TURN = 2 * math.pi
#: Values of phi over which poses are searched, and of theta at which their equation is evaluated.
VALUES, PLACES = 48, 1441
#: Longest step along a curve, and least cosine between two tangents.
LONGEST, STRAIGHT = 0.03, 0.9995


class Platform:
    """A plate on legs of lengths |P - B|, |Q - F| and |R - G|, B on a crank at the origin; complex numbers are points.

    >>> abs(Platform(1).gaps(Platform(1).sketch)).max() < 1e-12
    np.True_
    """

    def __init__(self, seed):
        """Draw the first one with legs and sides that are not short."""
        rng = np.random.default_rng(seed)
        while True:
            (F, G), X = rng.uniform(-2.5, 2.5, (2, 2)) @ (1, 1j), rng.uniform(-1.5, 1.5, 2) @ (1, 1j)
            q, r = rng.uniform(-1.2, 1.2, (2, 2)) @ (1, 1j)
            self.crank, phi = rng.uniform(0.3, 1.2), rng.uniform(0, TURN)
            self.B = self.crank * np.exp(1j * phi)
            self.bases, self.arms = np.array([0, F, G]), np.array([0, q, r])
            self.pins = X + self.arms
            self.legs = np.abs(self.pins - [self.B, F, G])
            sides = np.abs([q, r, q - r, F, G, F - G])
            if min(*self.legs, *sides) > 0.2 and abs((q.conjugate() * r).imag) > 0.1:
                break
        self.sketch = np.array([X.real, X.imag, 0.0, phi])

    def mechanism(self):
        places = dict(zip("OFGBPQR", [*self.bases, self.B, *self.pins], strict=True))
        return sk.Mechanism(
            points={name: (z.real, z.imag) for name, z in places.items()},
            links={"ground": ["O", "F", "G"], "crank": ["O", "B"], "plate": ["P", "Q", "R"], "a": ["B", "P"],
                   "b": ["F", "Q"], "c": ["G", "R"]},
            drivers={"m": {"joint": "O"}},
        )  # fmt: skip

    def along(self, u):
        """The legs (3,) as complex numbers, and the plate's arms turned."""
        arms = self.arms * np.exp(1j * u[2])
        feet = self.bases + np.array([self.crank * np.exp(1j * u[3]), 0, 0])
        return complex(u[0], u[1]) + arms - feet, arms

    def gaps(self, u):
        return np.abs(self.along(u)[0]) ** 2 - self.legs**2

    def jacobian(self, u):
        legs, arms = self.along(u)
        turned = np.array([-1j * self.crank * np.exp(1j * u[3]), 0, 0])
        rates = np.stack((np.ones(3), 1j * np.ones(3), 1j * arms, turned), axis=1)
        return 2 * (legs.conj()[:, None] * rates).real

    def tangent(self, u, before):
        t = np.linalg.svd(self.jacobian(u))[2][-1]
        return t if t @ before >= 0 else -t

    def poses(self, phi):
        """The poses over a value of phi, where the gap of the third leg changes its sign; circles close the first two.

        Near folds pairs of them may lie between two places; they are found over other values.
        """
        theta, B = np.linspace(0, TURN, PLACES), self.crank * np.exp(1j * phi)
        q, r = (arm * np.exp(1j * theta) for arm in self.arms[1:])
        D = self.bases[1] - q - B
        x = (np.abs(D) ** 2 + self.legs[0] ** 2 - self.legs[1] ** 2) / (2 * np.abs(D))
        found = []
        for side in (1, -1):
            with np.errstate(invalid="ignore"):
                X = B + D / np.abs(D) * (x + 1j * side * np.sqrt(self.legs[0] ** 2 - x**2))
                gap = np.abs(X + r - self.bases[2]) - self.legs[2]
                crossed = np.flatnonzero(gap[1:] * gap[:-1] <= 0)
            for k in crossed:
                u = np.array([X[k].real, X[k].imag, theta[k], phi])
                for _ in range(20):
                    u[:3] -= np.linalg.solve(self.jacobian(u)[:, :3], self.gaps(u))
                if np.abs(self.gaps(u)).max() < 1e-10:
                    found.append(u)
        return found

    def curve(self, start):
        """The points (n, 4) of the curve through a pose, until it closes."""
        u, t, step, points = start, self.tangent(start, np.ones(4)), LONGEST, [start]
        first = t
        while len(points) < 100_000:
            new = u + step * t
            for _ in range(8):
                rest = np.append(self.gaps(new), t @ (new - u) - step)
                change = np.linalg.solve(np.vstack((self.jacobian(new), t)), rest)
                new = new - change
                if np.abs(change).max() < 1e-12:
                    break
            ahead = self.tangent(new, t)
            if np.abs(change).max() > 1e-12 or ahead @ t < STRAIGHT:
                step *= 0.5
                assert step > 1e-8
                continue
            home = apart(start, u)
            beside = np.linalg.norm(home - (home @ t) * t) < 0.1 * step
            if len(points) > 3 and beside and 0 <= home @ t <= step and t @ first > 0.99:
                return np.array(points)
            u, t = new, ahead
            points.append(u)
            step = min(1.3 * step, LONGEST)
        raise AssertionError("a curve does not close")

    def holds(self, points, u):
        """Whether a pose lies on a curve: beside its nearest point, along the tangent."""
        gaps = apart(u, points)
        gap = gaps[np.argmin(np.sum(gaps**2, axis=1))]
        t = self.tangent(u, gap)
        return np.linalg.norm(gap) < LONGEST and np.linalg.norm(gap - (gap @ t) * t) < 0.1 * LONGEST


def apart(u, v):
    """u - v, angles to the nearest whole turn."""
    gap = u - v
    gap[..., 2:] -= TURN * np.round(gap[..., 2:] / TURN)
    return gap


def walked(platform):
    """For each circuit, the number of its branches: of arcs between its folds, one where there are none."""
    curves = []
    for phi in TURN * np.arange(VALUES) / VALUES:
        for u in platform.poses(phi):
            if not any(platform.holds(points, u) for points in curves):
                curves.append(platform.curve(u))
    folds = []
    for points in curves:
        turns = round((points[-1, 3] - points[0, 3]) / TURN)
        ahead = np.sign(np.diff(points[:, 3], append=points[0, 3] + turns * TURN))
        folds.append(int(np.sum(ahead != np.roll(ahead, 1))))
    return sorted(max(count, 1) for count in folds)


def check(seed):
    platform = Platform(seed)
    found = platform.mechanism().circuits("m", budget=None)
    assert sorted(len(found.circuit(k)) for k in range(len(found))) == walked(platform)


# The sketch of 111 lies 1e-4 rad beside a fold, which the step that closed its curve passed unseen: one circuit of two
# branches was three of four.
@pytest.mark.parametrize("seed", few([0, 2, 111]))
def test_platforms(seed):
    check(seed)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(100, 300))
def test_many_platforms(seed):
    check(seed)
