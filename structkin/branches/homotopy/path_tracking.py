"""Following solutions of bilinear equations from a start to a target, all paths together, in projective coordinates.

The unknowns are two vectors Y and Yb of k + 1 homogeneous coordinates each. An equation is a sum of weighted products
(r . Y) (rb . Yb) of linear forms. In homogeneous coordinates a path that leads to infinity ends at a point like any
other, where the first coordinate of Y or Yb is zero. Runge-Kutta predictor, Newton's corrector, one step length per
path (Sommese and Wampler, The numerical solution of systems of polynomials, 2005).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from structkin.blas import one_thread
from structkin.budget import TOGETHER, charge
from structkin.groups.solve_lanes import solve_lanes
from structkin.numerical_tolerances import AT_INFINITY, CORRECTED, LAST_DIGIT, SHORTEST_STEP
from structkin.types import Complexes, Flags, Floats, Indices

#: Largest first correction of a step, relative to the unit vectors Y and Yb.
DEPARTURE = 2e-4


@dataclass(frozen=True)
class Forms:
    """The forms of all paths (paths, forms, k + 1), of the conjugate half too, and their rates along the path."""

    here: Complexes
    conjugate: Complexes
    rate: Complexes
    conjugate_rate: Complexes


class Homotopy(Protocol):
    """Equations that change from a start at t = 0 to a target at t = 1."""

    def forms(self, t: Floats, paths: Indices) -> Forms:
        """Return the forms of some paths (n,), which are at t (n,)."""

    def weights(self, t: Floats) -> tuple[Complexes, Complexes]:
        """Return the weight of each term (n, terms) and its rate."""

    @property
    def products(self) -> tuple[Indices, Indices, Complexes]:
        """For each term its form, its conjugate form; and how the terms add up to equations (equations, terms)."""


@dataclass(frozen=True)
class Ends:
    """Where paths end: unit vectors Y, Yb (paths, k + 1), and whether the end is regular (paths,)."""

    Y: Complexes
    Yb: Complexes
    regular: Flags

    @property
    def finite(self) -> Flags:
        """Whether the end is not at infinity (paths,)."""
        return np.asarray((np.abs(self.Y[:, 0]) > AT_INFINITY) & (np.abs(self.Yb[:, 0]) > AT_INFINITY))

    @property
    def places(self) -> tuple[Complexes, Complexes]:
        """The affine coordinates y and yb (paths, k)."""
        with np.errstate(all="ignore"):
            return self.Y[:, 1:] / self.Y[:, :1], self.Yb[:, 1:] / self.Yb[:, :1]


def evaluate(
    homotopy: Homotopy, t: Floats, paths: Indices, Y: Complexes, Yb: Complexes
) -> tuple[Complexes, Complexes, Complexes]:
    """Return the equations (n, e) of some paths, their derivatives by Y and Yb together (n, e, 2k + 2), and by t."""
    first, second, sums = homotopy.products
    forms, (weights, weight_rates) = homotopy.forms(t, paths), homotopy.weights(t)
    f, fb = _apply(forms.here, Y)[:, first], _apply(forms.conjugate, Yb)[:, second]
    df, dfb = _apply(forms.rate, Y)[:, first], _apply(forms.conjugate_rate, Yb)[:, second]
    values = (weights * f * fb) @ sums.T
    rates = (weights * (df * fb + f * dfb) + weight_rates * f * fb) @ sums.T
    by_Y = sums @ (forms.here[:, first] * (weights * fb)[..., None])
    by_Yb = sums @ (forms.conjugate[:, second] * (weights * f)[..., None])
    return values, np.concatenate((by_Y, by_Yb), axis=2), rates


def follow(homotopy: Homotopy, Y: Complexes, Yb: Complexes, *, careful: float = 1.0) -> Ends:
    """Follow all paths from t = 0 to t = 1; `careful` < 1 makes smaller steps, against jumps between paths."""
    Y, Yb = _unit(Y), _unit(Yb)
    n = len(Y)
    t, step, streak = np.zeros(n), np.full(n, 0.05 * careful), np.zeros(n, int)
    running = np.arange(n)
    with np.errstate(all="ignore"), one_thread():
        while len(running):
            charge(1.0 + len(running) / TOGETHER)
            h = np.minimum(step[running], 1.0 - t[running])
            good, y, yb = _step(homotopy, t[running], running, h, Y[running], Yb[running], DEPARTURE * careful)
            done = running[good]
            Y[done], Yb[done], t[done] = _unit(y[good]), _unit(yb[good]), t[done] + h[good]
            # The last step must end at exactly 1, not a rounding error below.
            t[done[t[done] > 1 - LAST_DIGIT]] = 1.0
            streak[done] += 1
            longer = done[streak[done] >= 3]
            step[longer], streak[longer] = 2 * step[longer], 0
            failed = running[~good]
            step[failed], streak[failed] = 0.5 * h[~good], 0
            running = running[(t[running] < 1.0) & (step[running] > SHORTEST_STEP)]
    return Ends(Y, Yb, t == 1.0)


def _step(
    homotopy: Homotopy, t: Floats, paths: Indices, h: Floats, Y: Complexes, Yb: Complexes, departure: float
) -> tuple[Flags, Complexes, Complexes]:
    """Take one step of each path; return which are accepted, and the new places."""
    k = Y.shape[1]
    patch = _patch(Y, Yb)

    def rate(t: Floats, x: Complexes) -> Complexes:
        _, J, by_t = evaluate(homotopy, t, paths, x[:, :k], x[:, k:])
        return np.asarray(solve_lanes(_bordered(J, patch), np.pad(-by_t, ((0, 0), (0, 2)))))

    x, H = np.concatenate((Y, Yb), axis=1), h[:, None]
    k1 = rate(t, x)
    k2 = rate(t + h / 2, x + H / 2 * k1)
    k3 = rate(t + h / 2, x + H / 2 * k2)
    k4 = rate(t + h, x + H * k3)
    x = x + H / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
    good = np.ones(len(t), bool)
    for iteration in range(3):
        change = newton_step(homotopy, t + h, paths, x[:, :k], x[:, k:], patch)
        x = x + change
        size = np.linalg.norm(change, axis=1)
        if iteration == 0:
            good &= size < departure
    return good & (size < CORRECTED), x[:, :k], x[:, k:]


def newton_step(
    homotopy: Homotopy, t: Floats, paths: Indices, Y: Complexes, Yb: Complexes, patch: Complexes
) -> Complexes:
    """Return Newton's correction of Y and Yb together (n, 2k + 2), within the patches."""
    values, J, _ = evaluate(homotopy, t, paths, Y, Yb)
    return np.asarray(solve_lanes(_bordered(J, patch), np.pad(-values, ((0, 0), (0, 2)))))


def _patch(Y: Complexes, Yb: Complexes) -> Complexes:
    """Return the two rows (paths, 2, 2k + 2) that fix the free factors of Y and Yb: changes are orthogonal to them."""
    k = Y.shape[1]
    rows = np.zeros((len(Y), 2, 2 * k), complex)
    rows[:, 0, :k], rows[:, 1, k:] = Y.conj(), Yb.conj()
    return rows


def _bordered(J: Complexes, patch: Complexes) -> Complexes:
    return np.concatenate((J, patch), axis=1)


def _apply(forms: Complexes, Y: Complexes) -> Any:
    return (forms @ Y[:, :, None])[..., 0]


def _unit(Y: Complexes) -> Complexes:
    return np.asarray(Y / np.linalg.norm(Y, axis=1, keepdims=True))
