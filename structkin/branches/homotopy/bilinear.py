"""Square bilinear equations at one geometry: Newton's method in the complex, and Smale's certificate.

The equations are sum M[e, a, b] Y[a] Yb[b] = 0, e = 1 ... 2k, with Y = (1, y) and Yb = (1, yb). They are quadratic,
so that Smale's gamma needs no bound: with the Newton step beta = |F'^-1 F| and gamma = |F'^-1 F''| / 2, Newton's method
converges quadratically to one and only one solution within 2 beta where alpha = beta gamma < 0.157... (Smale 1986;
Hauenstein and Sottile, alphaCertified, ACM Trans. Math. Software 38, 2012).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from structkin.groups.solve_lanes import solve_lanes
from structkin.numerical_tolerances import ROUNDING
from structkin.types import Complexes, Floats

#: Smale's bound: (13 - 3 sqrt(17)) / 4.
CERTIFIED = 0.15767
#: Error of the Newton step, in rounding errors of the terms that cancel in an equation.
ROUNDINGS = 8 * np.finfo(float).eps
#: Step along the null vector of a singular solution that is tried, to see whether it lies on a curve.
TRY = 1e-2


@dataclass(frozen=True)
class Bilinear:
    """The coefficients M (e, k + 1, k + 1)."""

    M: Complexes

    @property
    def unknowns(self) -> int:
        """The number k of unknowns y."""
        return int(self.M.shape[1]) - 1

    def values(self, y: Complexes, yb: Complexes) -> Complexes:
        """Return the equations at solutions y, yb (n, k)."""
        return np.asarray(np.einsum("eab,na,nb->ne", self.M, _with_one(y), _with_one(yb)))

    def terms(self, y: Complexes, yb: Complexes) -> Floats:
        """Return the sum of the absolute values of the terms of each equation (n, e)."""
        return np.asarray(np.einsum("eab,na,nb->ne", np.abs(self.M), np.abs(_with_one(y)), np.abs(_with_one(yb))))

    def relative(self, y: Complexes, yb: Complexes) -> Floats:
        """Return the largest equation (n,) relative to its terms, or to 1 where these are small."""
        with np.errstate(all="ignore"):
            return np.asarray(np.max(np.abs(self.values(y, yb)) / (1 + self.terms(y, yb)), axis=1, initial=0.0))

    def jacobian(self, y: Complexes, yb: Complexes) -> Complexes:
        """Return the derivatives by y and yb together (n, e, 2k)."""
        by_y = np.einsum("eab,nb->nea", self.M[:, 1:], _with_one(yb))
        by_yb = np.einsum("eab,na->neb", self.M[:, :, 1:], _with_one(y))
        return np.concatenate((by_y, by_yb), axis=2)

    def newton(self, y: Complexes, yb: Complexes, iterations: int = 8) -> tuple[Complexes, Complexes]:
        """Return solutions corrected by Newton's method."""
        k = self.unknowns
        if k == 0:
            return y, yb
        with np.errstate(all="ignore"):
            for _ in range(iterations):
                step = solve_lanes(self.jacobian(y, yb), self.values(y, yb))
                y, yb = y - step[:, :k], yb - step[:, k:]
        return y, yb

    def certificate(self, y: Complexes, yb: Complexes) -> tuple[Floats, Floats]:
        """Return Smale's alpha and beta (n,), with the rounding of the equations in beta; NaN where singular.

        If there are more equations than unknowns, random combinations are certified.
        """
        n, k = y.shape
        if k == 0:
            # The linear equations alone have one solution.
            return np.zeros(n), np.zeros(n)
        if len(self.M) > 2 * k:
            return Bilinear(
                compressed(self.M.reshape(len(self.M), -1), 2 * k).reshape(2 * k, k + 1, k + 1)
            ).certificate(y, yb)
        alpha, beta = np.full(n, np.nan), np.full(n, np.nan)
        J, values = self.jacobian(y, yb), self.values(y, yb)
        rounding = ROUNDINGS * self.terms(y, yb)
        for lane in range(n):
            if not np.isfinite(J[lane]).all():
                continue
            try:
                inverse = np.linalg.inv(J[lane])
            except np.linalg.LinAlgError:
                continue
            step = np.linalg.norm(inverse @ values[lane])
            beta[lane] = step + np.linalg.norm(np.abs(inverse) @ np.abs(rounding[lane]))
            # |a M b| <= |M| |a| |b| <= |M| (|a|^2 + |b|^2) / 2; F'' is twice that form of the quadratic part.
            second = np.linalg.norm((inverse @ self.M[:, 1:, 1:].reshape(2 * k, -1)).ravel())
            alpha[lane] = beta[lane] * 0.5 * second
        return alpha, beta

    def is_on_curve(self, y: Complexes, yb: Complexes) -> bool:
        """Return whether a singular solution y, yb (k,) lies on a curve: there is another one a little further on."""
        k, start = self.unknowns, np.concatenate((y, yb))
        null = np.linalg.svd(self.jacobian(y[None], yb[None])[0])[2][-1].conj()
        for shift in (TRY * null, -TRY * null):
            x = start + shift
            for _ in range(12):
                pair = x[None, :k], x[None, k:]
                # The smallest singular value is left out: the solution may not slide back along the curve.
                x = x - np.linalg.pinv(self.jacobian(*pair)[0], rcond=1e-3) @ self.values(*pair)[0]
            left = np.max(np.abs(self.values(x[None, :k], x[None, k:])))
            if not (left < ROUNDING and np.linalg.norm(x - start) > 0.5 * TRY):
                return False
        return True


def compressed(equations: Complexes, count: int) -> Complexes:
    """Return `count` random combinations of equations (e, n); unchanged if there are just as many."""
    if len(equations) == count:
        return equations
    mixed = np.linalg.qr(np.random.default_rng(0).normal(size=(len(equations), count)))[0]
    return np.asarray(mixed.T @ equations)


def _with_one(y: Complexes) -> Complexes:
    return np.concatenate((np.ones((len(y), 1)), y), axis=1)
