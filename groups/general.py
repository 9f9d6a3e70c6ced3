"""The general group: any number of links, by Newton's method on the group's own equations.

The unknowns of link k are its origin O_k and its unit direction U_k = (cos theta_k, sin theta_k). The rows are

    pin        P_i - P_j = 0                         two rows
    parallel   D_i x D_j = 0                         orientation of a prismatic joint, or driven (D_i turned by E)
    line       D x (P_j - P_i) - e = 0               prismatic joint or slot
    travel     D . (P_j - P_i) - start - s = 0       driven slide
    distance   |P_j - P_i|^2 / 2 - lambda = 0        driven distance, lambda half its square
    gear       sum a_k theta_k - start - s = 0       turns coupled by teeth; a travel may have such terms, too
    cam        see `cam_rows.py`                     a function of an angle in the place of a constant

Links that gears turn have their angle theta as one unknown more: a unit vector does not hold whole turns.

with points P = O_k + U_k r and directions D = U_k r on an unknown link, or known inputs. This is the reference-point
formulation (Flores & Lankarani, eqs. 22-87, corrected) of the group alone.

All rows are bilinear in points, directions and angles (a driven parallel has one factor more), so that first and second
derivatives follow from the product rule on arrays and need no formula of their own. Only U x E(theta) = 0, which ties
an angle to its direction, has derivatives of every order.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, Literal

import numpy as np

from .bilinear import Jet, cross, dot, mixed, product, times, turned
from .cam_rows import cam_parts
from .kind import Array, Values
from .row_index import RowIndex, join_lanes
from .rows import Rows
from .solve_lanes import solve_lanes

#: Redundant joints agree where the largest gap that is left, relative to the size, is below this.
CONSISTENT = 1e-9


@dataclass(frozen=True)
class General:
    """A group solved by its own equations `rows`; inputs are the vectors, then the scalars of `rows`.

    The unknowns are O_1, U_1, O_2, U_2, ... each (2, n), then the angles (n,) of `rows.angles`.
    """

    rows: Rows
    closed_form: ClassVar[Literal[False]] = False

    @cached_property
    def _index(self) -> RowIndex:
        return RowIndex(self.rows)

    # --- the rows and their derivatives -------------------------------------------------------------------

    def _first(self, h: Values, phi: tuple[Array, Array], dh: Values, dphi: tuple[Array, Array, Array]) -> Array:
        """Return the derivative of all rows (r, n) along dh and dphi = (dO, dU, dtheta)."""
        ix, (V, _), (dV, dS) = self._index, self._split(h), self._split(dh)
        (O, U), (dO, dU, d_angles) = phi, dphi
        P, D = ix.points(O, U, V), ix.turned_directions(U, V)
        dP = ix.points(dO, dU, dV)
        plain, turner, d_turner = ix.directions(U, V), ix.turners(V), ix.turner_rates(dV)
        dD = times(ix.directions(dU, dV), turner) + times(plain, d_turner)
        line, d_line = P[ix.line_b] - P[ix.line_a], dP[ix.line_b] - dP[ix.line_a]
        travel, d_travel = P[ix.travel_b] - P[ix.travel_a], dP[ix.travel_b] - dP[ix.travel_a]
        dist, d_dist = P[ix.dist_b] - P[ix.dist_a], dP[ix.dist_b] - dP[ix.dist_a]
        rows = ix.stack(
            dP[ix.pin_a] - dP[ix.pin_b],
            cross(dD[ix.par_a], D[ix.par_b]) + cross(D[ix.par_a], dD[ix.par_b]),
            cross(dD[ix.line_d], line) + cross(D[ix.line_d], d_line),
            dot(dD[ix.travel_d], travel) + dot(D[ix.travel_d], d_travel) - dS[ix.travel_s],
            dot(d_dist, dist) - dS[ix.dist_s],
            -dS[ix.gear_s],
            cam_parts(self.rows.cams, (P, dP), (D, dD)),
        )
        return rows + ix.turning @ d_angles if len(ix.angles) else rows

    def jacobian(self, h: Values, O: Array, U: Array) -> Array:
        """Return the scaled Jacobian (n, 3m, 3m), its columns dO_x, dO_y, size dtheta of each link.

        Rows are scaled too: its entries are of the order of one, so that its smallest singular value tells how near a
        singularity is.
        """
        return self._system(h, O, U, np.zeros((len(self._index.angles), 1)))[1]

    def _system(self, h: Values, O: Array, U: Array, angles: Array) -> tuple[Array, Array]:
        """Return the scaled rows (r, n) and the scaled Jacobian (n, r, 3m), which share points and directions.

        Only the rows need the `angles` of geared links: their derivatives by them are constant.
        """
        ix, (V, S) = self._index, self._split(h)
        P, D = ix.points(O, U, V), ix.turned_directions(U, V)
        gaps = P[ix.scalar_b] - P[ix.scalar_a]
        line, travel, reach = np.split(gaps, ix.scalar_parts)
        D_line, D_travel = D[ix.line_d], D[ix.travel_d]
        D_a, D_b = D[ix.par_a], D[ix.par_b]
        values = ix.stack(
            P[ix.pin_a] - P[ix.pin_b],
            cross(D_a, D_b),
            cross(D_line, line) - ix.line_e,
            dot(D_travel, travel) - ix.travel_start - S[ix.travel_s],
            0.5 * dot(reach, reach) - S[ix.dist_s],
            -ix.gear_start - S[ix.gear_s],
            cam_parts(self.rows.cams, (P,), (D,)),
        )
        if len(ix.angles):
            values = values + ix.turning @ angles
        # The derivative of a scalar row by the place of its second point: D x v = turned(D) . v.
        gradients = join_lanes(turned(D_line), D_travel, reach)
        angular = join_lanes(-dot(D_line, line), cross(D_travel, travel))
        J = ix.jacobian(P, O, gradients, angular, dot(D_a, D_b), values.dtype)
        if self.rows.cams:
            J[:, -len(self.rows.cams) :] = self._cam_jacobian(P, D, O) / ix.row_size[-len(self.rows.cams) :, None]
        return values / ix.row_size[:, None], J

    def _cam_jacobian(self, P: Array, D: Array, O: Array) -> Array:
        """Return the part (n, cams, 3m) of the Jacobian that belongs to cams: each link moved by itself."""
        ix, n = self._index, P.shape[-1]
        links = np.arange(self.rows.links)[:, None]
        on, with_link = ((source == links)[:, :, None, None] for source in (ix.p_source, ix.d_source))
        along = on * np.eye(2)[:, None, None, :, None] * np.ones(n)
        dP = np.concatenate((along, [on * turned(P - O[:, None]) / self.rows.size]))
        dD = np.concatenate((0.0 * np.stack((D,) * 2)[:, None] * with_link, [with_link * turned(D) / self.rows.size]))
        # All columns at once, side by side as lanes: (3, m, k, 2, n) to (k, 2, 3 m n).
        moved = [np.moveaxis(x, (2, 3), (0, 1)).reshape(x.shape[2], 2, -1) for x in (dP, dD)]
        still = [np.tile(x, 3 * self.rows.links) for x in (P, D)]
        rates = cam_parts(self.rows.cams, (still[0], moved[0]), (still[1], moved[1]))
        return np.moveaxis(rates.reshape(len(rates), 3, -1, n), (3, 0, 2, 1), (0, 1, 2, 3)).reshape(n, len(rates), -1)

    # --- the duties of a kind -----------------------------------------------------------------------------

    def residual(self, h: Values, phi: Values) -> Values:
        """Return all rows, then (U.U - 1) / 2 of each link, then U x E(theta) of each angle."""
        O, U, theta = self._unpack(phi)
        ix = self._index
        return (
            *(self._system(h, O, U, theta)[0] * ix.row_size[:, None]),
            *(0.5 * (dot(U, U) - 1)),
            *cross(U[ix.angles], _unit(theta)),
        )

    def linear(self, h: Values, phi: Values, dh: Values, g: Values) -> Values:
        """Solve for dO, dU: Phi_phi dphi = -Phi_h dh + g with one factorisation a lane."""
        O, U, theta = self._unpack(phi)
        rows, m = self.rows, self.rows.links
        zero = np.zeros_like(U)
        unit = _lanes(g[rows.count : rows.count + m], U)
        # (U.E) dtheta = E x dU + g, where the part of dU along U adds nothing: g is known, E x dU solved for.
        own = _lanes(g[rows.count + m :], U) if len(theta) else theta
        # U.dU = g is met by a part along U; the angle's rate supplies the part across.
        known = self._first(h, (O, U), dh, (zero, unit[:, None, :] * U, own))
        rhs = (_lanes(g[: rows.count], U) - known) / self._index.row_size[:, None]
        x = np.moveaxis(solve_lanes(self.jacobian(h, O, U), np.moveaxis(rhs, -1, 0)), 0, -1).reshape(m, 3, -1)
        dU = turned(U) * (x[:, 2:3] / rows.size) + unit[:, None, :] * U
        return (*_pack(x[:, :2], dU), *(x[self._index.angles, 2] / rows.size + own))

    def convective(self, h: Values, phi: Values, vh: Values, vphi: Values, wh: Values, wphi: Values) -> Values:
        """Return g = -(d2 Phi)(v, w) of the rows and of the unit directions."""
        ix = self._index
        (V, _), (vV, _), (wV, _) = self._split(h), self._split(vh), self._split(wh)
        (O, U, theta), (vO, vU, vt), (wO, wU, wt) = map(self._unpack, (phi, vphi, wphi))
        zero_V, zero_O = np.zeros_like(V), np.zeros_like(O)
        P = Jet(
            ix.points(O, U, V), ix.points(vO, vU, vV), ix.points(wO, wU, wV), 0.0 * ix.points(zero_O, zero_O, zero_V)
        )
        plain = Jet(
            ix.directions(U, V), ix.directions(vU, vV), ix.directions(wU, wV), 0.0 * ix.directions(zero_O, zero_V)
        )
        turner = Jet(ix.turners(V), ix.turner_rates(vV), ix.turner_rates(wV), 0.0 * ix.turners(V))
        D = product(times, plain, turner)
        line = P.take(ix.line_b) - P.take(ix.line_a)
        travel = P.take(ix.travel_b) - P.take(ix.travel_a)
        dist = P.take(ix.dist_b) - P.take(ix.dist_a)
        rows = ix.stack(
            0.0 * P.x[ix.pin_a],
            mixed(cross, D.take(ix.par_a), D.take(ix.par_b)),
            mixed(cross, D.take(ix.line_d), line),
            mixed(dot, D.take(ix.travel_d), travel),
            0.5 * mixed(dot, dist, dist),
            np.zeros((len(ix.gear_s), P.x.shape[-1])),
            cam_parts(self.rows.cams, (P.x, P.v, P.w, P.vw), (D.x, D.v, D.w, D.vw)),
        )
        at, E = ix.angles, _unit(theta)
        winding = cross(U[at], E) * vt * wt - dot(vU[at], E) * wt - dot(wU[at], E) * vt
        return (*(-rows), *(-dot(vU, wU)), *winding)

    def cubic(self, h: Values, phi: Values, vh: Values, vphi: Values) -> Values:
        """Return -(d3 Phi)(v, v, v): of products of three, and of the angles that are tied to their directions."""
        ix = self._index
        (V, _), (vV, _) = self._split(h), self._split(vh)
        (O, U, theta), (vO, vU, vt) = map(self._unpack, (phi, vphi))
        vP = ix.points(vO, vU, vV)
        dD = times(ix.directions(vU, vV), ix.turners(V)) + times(ix.directions(U, V), ix.turner_rates(vV))
        ddD = 2 * times(ix.directions(vU, vV), ix.turner_rates(vV))
        P, D, no_P, no_D = ix.points(O, U, V), ix.turned_directions(U, V), 0.0 * vP, 0.0 * dD
        rows = ix.stack(
            0.0 * vP[ix.pin_a],
            3 * (cross(ddD[ix.par_a], dD[ix.par_b]) + cross(dD[ix.par_a], ddD[ix.par_b])),
            3 * cross(ddD[ix.line_d], vP[ix.line_b] - vP[ix.line_a]),
            3 * dot(ddD[ix.travel_d], vP[ix.travel_b] - vP[ix.travel_a]),
            0.0 * vP[ix.dist_a, 0],
            np.zeros((len(ix.gear_s), vP.shape[-1])),
            cam_parts(self.rows.cams, (P, vP, vP, no_P, vP, no_P, no_P, no_P), (D, dD, dD, ddD, dD, ddD, ddD, no_D)),
        )
        at, E = ix.angles, _unit(theta)
        winding = 3 * cross(vU[at], E) * vt**2 + dot(U[at], E) * vt**3
        return (*(-rows), *(0.0 * U[:, 0]), *winding)

    def unknowns(self, O: Array, theta: Array) -> Values:
        """Return the unknowns from the origins (m, 2, n) and the angles (m, n) of all links."""
        return (*_pack(O, np.stack((np.cos(theta), np.sin(theta)), axis=1)), *theta[self._index.angles])

    def gaps(self, h: Values, O: Array, theta: Array) -> Array:
        """Return the scaled rows (r, n) [m] at any pose, zero where it closes."""
        return self._system(h, O, _unit(theta), theta[self._index.angles])[0]

    def newton(
        self, h: Values, O: Array, theta: Array, *, iterations: int = 12, left: Array | float = 0.0
    ) -> tuple[Array, Array, Array]:
        """Run Newton's method from a start, over all lanes at once, to where the scaled rows have the values `left`.

        Return O (m, 2, n), theta (m, n) and the last step (n,) relative to `size`; infinite where it failed.
        """
        size, m = self.rows.size, self.rows.links
        step = np.full(O.shape[-1], np.inf)
        for _ in range(iterations):
            U = np.stack((np.cos(theta), np.sin(theta)), axis=1)
            values, jacobian = self._system(h, O, U, theta[self._index.angles])
            x = np.moveaxis(solve_lanes(jacobian, np.moveaxis(left - values, -1, 0)), 0, -1).reshape(m, 3, -1)
            O, theta = O + x[:, :2], theta + x[:, 2] / size
            step = np.max(np.abs(x), axis=(0, 1)) / size
            # Quadratic convergence: what is left after a step of 1e-8 is below rounding.
            if np.all((step < 1e-8) | ~np.isfinite(step)):
                break
        if self.rows.count > 3 * m:
            # Least squares come to rest also where redundant joints contradict each other.
            U = np.stack((np.cos(theta), np.sin(theta)), axis=1)
            gap = np.max(np.abs(self._system(h, O, U, theta[self._index.angles])[0]), axis=0) / size
            step = np.where(gap < CONSISTENT, step, np.inf)
        return O, theta, np.where(np.isfinite(step), step, np.inf)

    def smallest_singular_value(self, h: Values, phi: Values) -> Array:
        """Return the smallest singular value of the scaled Jacobian (n,); NaN where the pose is."""
        O, U, _ = self._unpack(phi)
        J = self.jacobian(h, O, U)
        good = np.isfinite(J).all(axis=(1, 2))
        sigma = np.full(len(J), np.nan)
        if good.any():
            sigma[good] = np.linalg.svd(J[good], compute_uv=False)[:, -1]
        return sigma

    def _split(self, h: Values) -> tuple[Array, Array]:
        """Return the vector inputs (nv, 2, n) and the scalar inputs with a zero behind them (ns + 1, n)."""
        n = self.rows.vectors
        return _stack(h[:n], (0, 2, 1)), _stack([*(np.atleast_1d(s) for s in h[n:]), np.zeros(1)], (0, 1))

    def _unpack(self, phi: Values) -> tuple[Array, Array, Array]:
        """Return origins and directions (m, 2, n) and the angles of geared links (a, n)."""
        m = self.rows.links
        both = np.stack(np.broadcast_arrays(*phi[: 2 * m]))
        angles = _stack(phi[2 * m :], (0, both.shape[-1]))
        return both[0::2], both[1::2], angles


def _stack(parts: Any, empty: tuple[int, ...]) -> Array:
    return np.stack(np.broadcast_arrays(*parts)) if len(parts) else np.zeros(empty)


def _lanes(g: Any, U: Array) -> Array:
    """Return right-hand sides (r, n) from scalars or arrays."""
    return np.stack([np.broadcast_to(x, U.shape[-1:]) for x in g])


def _unit(theta: Array) -> Array:
    return np.stack((np.cos(theta), np.sin(theta)), axis=1)


def _pack(O: Array, U: Array) -> Values:
    return tuple(x for pair in zip(O, U, strict=True) for x in pair)
