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
from typing import Any

import numpy as np

from .cam_rows import CamRow, cam_parts
from .kind import Array, Values

#: Redundant joints agree where the largest gap that is left, relative to the size, is below this.
CONSISTENT = 1e-9


@dataclass(frozen=True)
class Rows:
    """The equations of a general group, as indices.

    `links` is the number of unknown links. A source k >= 0 is the unknown link k, a source -1 - j the vector
    input j. `points` are (source, r) and `directions` are (source, r, turner): r is complex, in the link's frame, and
    turner the vector input that turns the direction, or -1. In `pins` (i, j) and `distances` (i, j, scalar) i and j
    are points; `parallels` (i, j) are directions; `lines` (d, i, j, e) and `travels` (d, i, j, start, scalar) hold
    a direction, two points and constants [m]. `gears` are (start, scalar) in metres; `turns` are terms (row, link, a)
    of gears and travels, a in m/rad: row k >= 0 is gear k, -1 - k travel k. A scalar -1 is none. `unit` marks the
    vector inputs that are unit vectors. `size` [m] makes angles and lengths comparable, `reaches` [m] (none, or one a
    distance; else the size) those distances with other rows.
    """

    links: int
    vectors: int
    scalars: int
    points: tuple[tuple[int, complex], ...] = ()
    directions: tuple[tuple[int, complex, int], ...] = ()
    pins: tuple[tuple[int, int], ...] = ()
    parallels: tuple[tuple[int, int], ...] = ()
    lines: tuple[tuple[int, int, int, float], ...] = ()
    travels: tuple[tuple[int, int, int, float, int], ...] = ()
    distances: tuple[tuple[int, int, int], ...] = ()
    gears: tuple[tuple[float, int], ...] = ()
    turns: tuple[tuple[int, int, float], ...] = ()
    unit: tuple[bool, ...] = ()
    size: float = 1.0
    cams: tuple[CamRow, ...] = ()
    reaches: tuple[float, ...] = ()

    @property
    def count(self) -> int:
        """Number of scalar rows: three a link, and more where joints are redundant."""
        scalar = (self.parallels, self.lines, self.travels, self.distances, self.gears, self.cams)
        return 2 * len(self.pins) + sum(map(len, scalar))

    @property
    def angles(self) -> tuple[int, ...]:
        """The links whose angles are unknowns."""
        return tuple(sorted({link for _, link, _ in self.turns}))

    @property
    def equations(self) -> int:
        """Number of residuals: the rows, then one a unit direction, then one an angle."""
        return self.count + self.links + len(self.angles)


def _cross(a: Any, b: Any) -> Any:
    return a[..., 0, :] * b[..., 1, :] - a[..., 1, :] * b[..., 0, :]


def _dot(a: Any, b: Any) -> Any:
    return a[..., 0, :] * b[..., 0, :] + a[..., 1, :] * b[..., 1, :]


def _times(a: Any, b: Any) -> Any:
    x = a[..., 0, :] * b[..., 0, :] - a[..., 1, :] * b[..., 1, :]
    y = a[..., 0, :] * b[..., 1, :] + a[..., 1, :] * b[..., 0, :]
    return np.stack((x, y), axis=-2)


def _turned(a: Any) -> Any:
    return np.stack((-a[..., 1, :], a[..., 0, :]), axis=-2)


@dataclass(frozen=True)
class _Jet:
    """A quantity with its derivatives along v, along w, and the mixed second one."""

    x: Any
    v: Any
    w: Any
    vw: Any

    def __sub__(self, other: _Jet) -> _Jet:
        return _Jet(self.x - other.x, self.v - other.v, self.w - other.w, self.vw - other.vw)

    def take(self, index: Any) -> _Jet:
        return _Jet(self.x[index], self.v[index], self.w[index], self.vw[index])


def _mixed(form: Any, a: _Jet, b: _Jet) -> Any:
    """Return the mixed second derivative of a bilinear form."""
    return form(a.vw, b.x) + form(a.v, b.w) + form(a.w, b.v) + form(a.x, b.vw)


def _product(form: Any, a: _Jet, b: _Jet) -> _Jet:
    return _Jet(form(a.x, b.x), form(a.v, b.x) + form(a.x, b.v), form(a.w, b.x) + form(a.x, b.w), _mixed(form, a, b))


@dataclass(frozen=True)
class General:
    """A group solved by its own equations `rows`; inputs are the vectors, then the scalars of `rows`.

    The unknowns are O_1, U_1, O_2, U_2, ... each (2, n), then the angles (n,) of `rows.angles`.
    """

    rows: Rows

    @cached_property
    def _index(self) -> _Index:
        return _Index(self.rows)

    # --- the rows and their derivatives -------------------------------------------------------------------

    def _first(self, h: Values, phi: tuple[Array, Array], dh: Values, dphi: tuple[Array, Array, Array]) -> Array:
        """Return the derivative of all rows (r, n) along dh and dphi = (dO, dU, dtheta)."""
        ix, (V, _), (dV, dS) = self._index, self._split(h), self._split(dh)
        (O, U), (dO, dU, d_angles) = phi, dphi
        P, D = ix.points(O, U, V), ix.turned_directions(U, V)
        dP = ix.points(dO, dU, dV)
        plain, turner, d_turner = ix.directions(U, V), ix.turners(V), ix.turner_rates(dV)
        dD = _times(ix.directions(dU, dV), turner) + _times(plain, d_turner)
        line, d_line = P[ix.line_b] - P[ix.line_a], dP[ix.line_b] - dP[ix.line_a]
        travel, d_travel = P[ix.travel_b] - P[ix.travel_a], dP[ix.travel_b] - dP[ix.travel_a]
        dist, d_dist = P[ix.dist_b] - P[ix.dist_a], dP[ix.dist_b] - dP[ix.dist_a]
        rows = ix.stack(
            dP[ix.pin_a] - dP[ix.pin_b],
            _cross(dD[ix.par_a], D[ix.par_b]) + _cross(D[ix.par_a], dD[ix.par_b]),
            _cross(dD[ix.line_d], line) + _cross(D[ix.line_d], d_line),
            _dot(dD[ix.travel_d], travel) + _dot(D[ix.travel_d], d_travel) - dS[ix.travel_s],
            _dot(d_dist, dist) - dS[ix.dist_s],
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
            _cross(D_a, D_b),
            _cross(D_line, line) - ix.line_e,
            _dot(D_travel, travel) - ix.travel_start - S[ix.travel_s],
            0.5 * _dot(reach, reach) - S[ix.dist_s],
            -ix.gear_start - S[ix.gear_s],
            cam_parts(self.rows.cams, (P,), (D,)),
        )
        if len(ix.angles):
            values = values + ix.turning @ angles
        # The derivative of a scalar row by the place of its second point: D x v = turned(D) . v.
        gradients = _join_lanes(_turned(D_line), D_travel, reach)
        angular = _join_lanes(-_dot(D_line, line), _cross(D_travel, travel))
        J = ix.jacobian(P, O, gradients, angular, _dot(D_a, D_b), values.dtype)
        if self.rows.cams:
            J[:, -len(self.rows.cams) :] = self._cam_jacobian(P, D, O) / ix.row_size[-len(self.rows.cams) :, None]
        return values / ix.row_size[:, None], J

    def _cam_jacobian(self, P: Array, D: Array, O: Array) -> Array:
        """Return the part (n, cams, 3m) of the Jacobian that belongs to cams: each link moved by itself."""
        ix, n = self._index, P.shape[-1]
        links = np.arange(self.rows.links)[:, None]
        on, with_link = ((source == links)[:, :, None, None] for source in (ix.p_source, ix.d_source))
        along = on * np.eye(2)[:, None, None, :, None] * np.ones(n)
        dP = np.concatenate((along, [on * _turned(P - O[:, None]) / self.rows.size]))
        dD = np.concatenate((0.0 * np.stack((D,) * 2)[:, None] * with_link, [with_link * _turned(D) / self.rows.size]))
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
            *(0.5 * (_dot(U, U) - 1)),
            *_cross(U[ix.angles], _unit(theta)),
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
        dU = _turned(U) * (x[:, 2:3] / rows.size) + unit[:, None, :] * U
        return (*_pack(x[:, :2], dU), *(x[self._index.angles, 2] / rows.size + own))

    def convective(self, h: Values, phi: Values, vh: Values, vphi: Values, wh: Values, wphi: Values) -> Values:
        """Return g = -(d2 Phi)(v, w) of the rows and of the unit directions."""
        ix = self._index
        (V, _), (vV, _), (wV, _) = self._split(h), self._split(vh), self._split(wh)
        (O, U, theta), (vO, vU, vt), (wO, wU, wt) = map(self._unpack, (phi, vphi, wphi))
        zero_V, zero_O = np.zeros_like(V), np.zeros_like(O)
        P = _Jet(
            ix.points(O, U, V), ix.points(vO, vU, vV), ix.points(wO, wU, wV), 0.0 * ix.points(zero_O, zero_O, zero_V)
        )
        plain = _Jet(
            ix.directions(U, V), ix.directions(vU, vV), ix.directions(wU, wV), 0.0 * ix.directions(zero_O, zero_V)
        )
        turner = _Jet(ix.turners(V), ix.turner_rates(vV), ix.turner_rates(wV), 0.0 * ix.turners(V))
        D = _product(_times, plain, turner)
        line = P.take(ix.line_b) - P.take(ix.line_a)
        travel = P.take(ix.travel_b) - P.take(ix.travel_a)
        dist = P.take(ix.dist_b) - P.take(ix.dist_a)
        rows = ix.stack(
            0.0 * P.x[ix.pin_a],
            _mixed(_cross, D.take(ix.par_a), D.take(ix.par_b)),
            _mixed(_cross, D.take(ix.line_d), line),
            _mixed(_dot, D.take(ix.travel_d), travel),
            0.5 * _mixed(_dot, dist, dist),
            np.zeros((len(ix.gear_s), P.x.shape[-1])),
            cam_parts(self.rows.cams, (P.x, P.v, P.w, P.vw), (D.x, D.v, D.w, D.vw)),
        )
        at, E = ix.angles, _unit(theta)
        winding = _cross(U[at], E) * vt * wt - _dot(vU[at], E) * wt - _dot(wU[at], E) * vt
        return (*(-rows), *(-_dot(vU, wU)), *winding)

    def cubic(self, h: Values, phi: Values, vh: Values, vphi: Values) -> Values:
        """Return -(d3 Phi)(v, v, v): of products of three, and of the angles that are tied to their directions."""
        ix = self._index
        (V, _), (vV, _) = self._split(h), self._split(vh)
        (O, U, theta), (vO, vU, vt) = map(self._unpack, (phi, vphi))
        vP = ix.points(vO, vU, vV)
        dD = _times(ix.directions(vU, vV), ix.turners(V)) + _times(ix.directions(U, V), ix.turner_rates(vV))
        ddD = 2 * _times(ix.directions(vU, vV), ix.turner_rates(vV))
        P, D, no_P, no_D = ix.points(O, U, V), ix.turned_directions(U, V), 0.0 * vP, 0.0 * dD
        rows = ix.stack(
            0.0 * vP[ix.pin_a],
            3 * (_cross(ddD[ix.par_a], dD[ix.par_b]) + _cross(dD[ix.par_a], ddD[ix.par_b])),
            3 * _cross(ddD[ix.line_d], vP[ix.line_b] - vP[ix.line_a]),
            3 * _dot(ddD[ix.travel_d], vP[ix.travel_b] - vP[ix.travel_a]),
            0.0 * vP[ix.dist_a, 0],
            np.zeros((len(ix.gear_s), vP.shape[-1])),
            cam_parts(self.rows.cams, (P, vP, vP, no_P, vP, no_P, no_P, no_P), (D, dD, dD, ddD, dD, ddD, ddD, no_D)),
        )
        at, E = ix.angles, _unit(theta)
        winding = 3 * _cross(vU[at], E) * vt**2 + _dot(U[at], E) * vt**3
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


def solve_lanes(matrices: Array, right: Array) -> Array:
    """Solve a system a lane, (n, r, k) and (n, r); NaN in lanes whose matrix is exactly singular or not finite.

    More rows than unknowns are met by least squares: redundant joints agree with each other, or there is no solution.
    """
    rows, unknowns = matrices.shape[1:]
    if rows > unknowns:
        transposed = np.swapaxes(np.linalg.qr(matrices, mode="complete")[0], 1, 2)
        right = (transposed @ right[..., None])[:, :unknowns, 0]
        matrices = (transposed @ matrices)[:, :unknowns]
    try:
        return np.asarray(np.linalg.solve(matrices, right[..., None])[..., 0])
    except np.linalg.LinAlgError:
        # NumPy gives up on all lanes when one is singular: find out which.
        result = np.full(right.shape, np.nan, np.result_type(matrices, right))
        for lane in range(len(right)):
            try:
                result[lane] = np.linalg.solve(matrices[lane], right[lane])
            except np.linalg.LinAlgError:
                continue
        return result


def _stack(parts: Any, empty: tuple[int, ...]) -> Array:
    return np.stack(np.broadcast_arrays(*parts)) if len(parts) else np.zeros(empty)


def _lanes(g: Any, U: Array) -> Array:
    """Return right-hand sides (r, n) from scalars or arrays."""
    return np.stack([np.broadcast_to(x, U.shape[-1:]) for x in g])


def _unit(theta: Array) -> Array:
    return np.stack((np.cos(theta), np.sin(theta)), axis=1)


def _pack(O: Array, U: Array) -> Values:
    return tuple(x for pair in zip(O, U, strict=True) for x in pair)


class _Index:
    """The index arrays of `Rows`, made once."""

    def __init__(self, rows: Rows) -> None:
        def column(items: tuple[Any, ...], k: int, dtype: Any = np.intp) -> Array:
            return np.array([item[k] for item in items], dtype=dtype)

        def complex_vector(values: Array) -> Array:
            return np.stack((values.real, values.imag), axis=-1)[:, :, None]

        m = rows.links

        def source(values: Array) -> Array:
            return np.where(values >= 0, values, m - 1 - values)

        self.p_source = source(column(rows.points, 0))
        self.p_local = complex_vector(column(rows.points, 1, np.complex128))
        self.d_source = source(column(rows.directions, 0))
        self.d_local = complex_vector(column(rows.directions, 1, np.complex128))
        turner = column(rows.directions, 2)
        self.d_turner = np.where(turner >= 0, turner, rows.vectors)
        self.pin_a, self.pin_b = column(rows.pins, 0), column(rows.pins, 1)
        self.par_a, self.par_b = column(rows.parallels, 0), column(rows.parallels, 1)
        self.line_d, self.line_a, self.line_b = (column(rows.lines, k) for k in range(3))
        self.line_e = column(rows.lines, 3, np.float64)[:, None]
        self.travel_d, self.travel_a, self.travel_b = (column(rows.travels, k) for k in range(3))
        self.travel_start = column(rows.travels, 3, np.float64)[:, None]
        self.travel_s = column(rows.travels, 4)
        self.dist_a, self.dist_b, self.dist_s = (column(rows.distances, k) for k in range(3))
        self.gear_start, self.gear_s = column(rows.gears, 0, np.float64)[:, None], column(rows.gears, 1)
        self.angles = np.array(rows.angles, np.intp)
        self._row_indices(rows)

    def _row_indices(self, rows: Rows) -> None:
        """Number the rows: pins by two, parallels, then lines, travels and distances (the scalar rows of points)."""
        m, pins, parallels = rows.links, len(rows.pins), len(rows.parallels)
        first = 2 * pins + parallels
        self.scalar_a = np.concatenate((self.line_a, self.travel_a, self.dist_a))
        self.scalar_b = np.concatenate((self.line_b, self.travel_b, self.dist_b))
        self.scalar_parts = np.cumsum([len(rows.lines), len(rows.travels)])
        self.row_size = np.ones(rows.count)
        self.row_size[2 * pins : first] = 1 / rows.size
        distances = first + len(rows.lines) + len(rows.travels)
        self.row_size[distances : distances + len(rows.distances)] = rows.reaches or rows.size
        last = first + len(self.scalar_a) + len(rows.gears)
        self.row_size[last:] = [1 / rows.size if row.form == "turn" else 1.0 for row in rows.cams]
        self.size = rows.size
        scalar_rows = first + np.arange(len(self.scalar_a))
        pin_rows, parallel_rows = 2 * np.arange(pins), 2 * pins + np.arange(parallels)

        def on_link(sources: Array, at: Array, points: Array) -> tuple[Array, Array, Array, Array]:
            """Return position in the list, row, link and point of the entries on unknown links."""
            links = sources[points]
            here = np.flatnonzero(links < m)
            return here, at[here], links[here], points[here]

        self.scalar_ends = [
            (on_link(self.p_source, scalar_rows, self.scalar_b), 1.0),
            (on_link(self.p_source, scalar_rows, self.scalar_a), -1.0),
        ]
        self.pin_ends = [
            (on_link(self.p_source, pin_rows, self.pin_a), 1.0),
            (on_link(self.p_source, pin_rows, self.pin_b), -1.0),
        ]
        self.turned_rows = on_link(self.d_source, scalar_rows, np.concatenate((self.line_d, self.travel_d)))
        self.parallel_ends = [
            (on_link(self.d_source, parallel_rows, self.par_a), -1.0),
            (on_link(self.d_source, parallel_rows, self.par_b), 1.0),
        ]
        self.point_links = np.where(self.p_source < m, self.p_source, 0)
        self.constant = np.zeros((rows.count, 3 * m))
        for (_, at, link, _), sign in self.pin_ends:
            self.constant[at, 3 * link] += sign
            self.constant[at + 1, 3 * link + 1] += sign
        # Coefficients of the angles of geared links, in rows of one metre.
        self.turning = np.zeros((rows.count, len(self.angles)))
        for number, geared, a in rows.turns:
            row = (
                rows.count - len(rows.gears) - len(rows.cams) + number
                if number >= 0
                else first + len(rows.lines) - 1 - number
            )
            self.turning[row, rows.angles.index(geared)] += a
            self.constant[row, 3 * geared + 2] += a / rows.size

    def jacobian(self, P: Array, O: Array, gradients: Array, angular: Array, aligned: Array, dtype: Any) -> Array:
        """Return the scaled Jacobian (n, r, 3m) from the points and the derivatives of the scalar rows."""
        J = np.zeros((*self.constant.shape, P.shape[-1]), dtype)
        J += self.constant[:, :, None]
        arms = _turned(P - O[self.point_links]) / self.size
        for (_, at, link, point), sign in self.pin_ends:
            J[at, 3 * link + 2] += sign * arms[point, 0]
            J[at + 1, 3 * link + 2] += sign * arms[point, 1]
        for (here, at, link, point), sign in self.scalar_ends:
            J[at, 3 * link] += sign * gradients[here, 0]
            J[at, 3 * link + 1] += sign * gradients[here, 1]
            J[at, 3 * link + 2] += sign * _dot(gradients[here], arms[point])
        here, at, link, _ = self.turned_rows
        J[at, 3 * link + 2] += angular[here] / self.size
        for (here, at, link, _), sign in self.parallel_ends:
            J[at, 3 * link + 2] += sign * aligned[here] / self.size
        return np.moveaxis(J / self.row_size[:, None, None], -1, 0)

    def points(self, O: Array, U: Array, V: Array) -> Array:
        origins, axes = _join(O, V), _join(U, 0.0 * V)
        return np.asarray(origins[self.p_source] + _times(axes[self.p_source], self.p_local))

    def directions(self, U: Array, V: Array) -> Array:
        return np.asarray(_times(_join(U, V)[self.d_source], self.d_local))

    def turners(self, V: Array) -> Array:
        one = np.zeros((1, *V.shape[1:]), V.dtype)
        one[0, 0] = 1.0
        return np.concatenate((V, one))[self.d_turner]

    def turner_rates(self, dV: Array) -> Array:
        return np.concatenate((dV, np.zeros((1, *dV.shape[1:]), dV.dtype)))[self.d_turner]

    def turned_directions(self, U: Array, V: Array) -> Array:
        return np.asarray(_times(self.directions(U, V), self.turners(V)))

    @staticmethod
    def stack(pins: Array, *scalars: Array) -> Array:
        """Return pins (k, 2, n) and scalar rows (k, n) below each other (r, n)."""
        flat = pins.reshape(-1, pins.shape[-1])
        lanes = max(part.shape[-1] for part in (flat, *scalars) if len(part))
        return np.concatenate([np.broadcast_to(part, (len(part), lanes)) for part in (flat, *scalars) if len(part)])


def _join(unknown: Array, known: Array) -> Array:
    lanes = max(unknown.shape[-1], known.shape[-1])
    return np.concatenate([np.broadcast_to(x, (len(x), 2, lanes)) for x in (unknown, known)])


def _join_lanes(*parts: Array) -> Array:
    lanes = max(part.shape[-1] for part in parts)
    return np.concatenate([np.broadcast_to(part, (*part.shape[:-1], lanes)) for part in parts])
