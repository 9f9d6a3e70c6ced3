"""The general group: any number of links, by Newton's method on the group's own equations.

The unknowns of link k are its origin O_k and its unit direction U_k = (cos theta_k, sin theta_k); links driven by gears
have their angle theta as an additional unknown, because a unit vector does not count full turns. The rows are those
that joints and drivers write (`rows`), with points O_k + U_k r and directions U_k r on an unknown link, or known
inputs. This is the reference-point formulation (Flores & Lankarani, eqs. 22-87, corrected) of the group alone.

The rows and all their derivatives are evaluated by `structkin.rows`, with inputs and unknowns as variables. Nearly all
are quadratic; a driven angle between two moving links has one more factor, and U x E(theta) = 0, which couples an
angle to its direction, has derivatives of every order.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar, Literal

import numpy as np

from structkin.numerical_tolerances import CLOSED, RESIDUAL
from structkin.rows.equations import Equations, Form

from .kind import Array, Values
from .rows import Rows
from .solve_lanes import solve_lanes


@dataclass(frozen=True)
class General:
    """A group solved with its own equations `rows`; the inputs are the vectors, then the scalars of `rows`.

    The unknowns are O_1, U_1, O_2, U_2, ... each (2, n), then the angles (n,) of `rows.angles`.
    """

    rows: Rows
    closed_form: ClassVar[Literal[False]] = False

    # --- the rows and their derivatives -------------------------------------------------------------------

    @cached_property
    def _joints(self) -> Equations:
        return self._equations(self.rows.forms)

    @cached_property
    def _ties(self) -> Equations:
        return self._equations(self.rows.ties)

    def _equations(self, forms: tuple[Form, ...]) -> Equations:
        return Equations(forms, self.rows.units(), self.rows.numbers)

    @cached_property
    def _layout(self) -> Layout:
        return Layout(self.rows, self._joints)

    def jacobian(self, h: Values, phi: Values) -> Array:
        """Return the scaled Jacobian (n, 3m, 3m), with columns dO_x, dO_y, size dtheta of each link.

        Rows are scaled, too: entries are of order one, so the smallest singular value measures the distance from a
        singularity.
        """
        x = self._layout.variables(h, phi)
        return self._layout.jacobian(self._joints.jacobian(x), x)

    def _system(self, h: Values, O: Array, theta: Array) -> tuple[Array, Array]:
        """Return the scaled rows (r, n) and the scaled Jacobian (n, r, 3m)."""
        x = self._layout.variables(h, self.unknowns(O, theta))
        entries = self._joints.jacobian(x)
        values = self._joints.phi(x, entries) / self._layout.row_size[:, None]
        return values, self._layout.jacobian(entries, x)

    # --- the interface of a kind ---------------------------------------------------------------------------

    def residual(self, h: Values, phi: Values) -> Values:
        """Return all rows, then (U.U - 1) / 2 of each link, then U x E(theta) of each angle."""
        x = self._layout.variables(h, phi)
        return (*self._joints.phi(x, self._joints.jacobian(x)), *self._ties.phi(x, self._ties.jacobian(x)))

    def linear(self, h: Values, phi: Values, dh: Values, g: Values) -> Values:
        """Solve for dO, dU: Phi_phi dphi = -Phi_h dh + g with one factorization per lane."""
        rows, m, layout = self.rows, self.rows.links, self._layout
        x = layout.variables(h, phi)
        U = layout.directions(x)
        entries = self._joints.jacobian(x)
        # U.dU = g fixes the part of dU along U; the rate of the angle gives the part across. In
        # (U.E) dtheta = E x dU + g the part of dU along U drops out: g is known, E x dU is solved for.
        along = np.stack([np.broadcast_to(part, U.shape[-1:]) for part in g[rows.count : rows.count + m]])[:, None] * U
        own = g[rows.count + m :]
        known = self._joints.times(entries, layout.variables(dh, (*_pack(np.zeros_like(U), along), *own)))
        right = [part - value for part, value in zip(g, known, strict=False)]
        x = solve_lanes(layout.jacobian(entries, x), np.moveaxis(np.array(right) / layout.row_size[:, None], -1, 0))
        x = np.moveaxis(x, 0, -1).reshape(m, 3, -1)
        dU = np.stack((-U[:, 1], U[:, 0]), axis=1) * (x[:, 2:3] / rows.size) + along
        return (*_pack(x[:, :2], dU), *(x[k, 2] / rows.size + part for k, part in zip(rows.angles, own, strict=True)))

    def transposed(self, h: Values, phi: Values, a: Values, good: Array) -> tuple[Values, Array]:
        """Return derivatives of q functions by the inputs, (2, q, n) and (1, q, n), and by -Phi of each row (r, q, n).

        `a` are those by the unknowns, of the same shapes: the transpose of `linear`, with one factorization per lane.
        Zero in lanes that are not `good`.
        """
        rows, m, layout = self.rows, self.rows.links, self._layout
        x = layout.variables(h, phi)
        x = np.where(good, np.broadcast_to(x, (len(x), len(good))), 1.0)
        U, entries = layout.directions(x), self._joints.jacobian(x)
        by = np.zeros((m, 3, *a[0].shape[1:]), np.result_type(x, *a))
        for k in range(m):
            by[k, :2] = a[2 * k]
            by[k, 2] = (U[k, 0] * a[2 * k + 1][1] - U[k, 1] * a[2 * k + 1][0]) / rows.size
        for k, angle in zip(rows.angles, a[2 * m :], strict=True):
            by[k, 2] += angle[0] / rows.size
        right = np.moveaxis(by.reshape(3 * m, *by.shape[2:]), -1, 0)
        found = np.moveaxis(solve_lanes(np.swapaxes(layout.jacobian(entries, x), 1, 2), right), 0, -1)
        found = np.where(good, found / layout.row_size[:, None, None], 0.0)
        back = np.zeros((len(x), *found.shape[1:]), found.dtype)
        for entry in np.flatnonzero(self._joints.columns >= 4 * m).tolist():
            back[self._joints.columns[entry]] -= entries[entry] * found[self._joints.rows[entry]]
        vectors = [back[2 * k : 2 * k + 2] for k in range(2 * m, rows.slots)]
        return (*vectors, *(back[2 * rows.slots + k][None] for k in rows.scalars)), found

    def variables(self, h: Values, phi: Values) -> Array:
        """Return inputs and unknowns as the variables (width, n) of the rows."""
        return self._layout.variables(h, phi)

    def convective(self, h: Values, phi: Values, vh: Values, vphi: Values, wh: Values, wphi: Values) -> Values:
        """Return g = -(d2 Phi)(v, w) of the rows and of the constraints between the unknowns."""
        x, v, w = (self._layout.variables(*at) for at in ((h, phi), (vh, vphi), (wh, wphi)))
        return tuple(-row for part in (self._joints, self._ties) for row in part.second_derivative(x, v, w))

    def cubic(self, h: Values, phi: Values, vh: Values, vphi: Values) -> Values:
        """Return -(d3 Phi)(v, v, v), nonzero for rows that are not quadratic."""
        x, v = self._layout.variables(h, phi), self._layout.variables(vh, vphi)
        return tuple(-row for part in (self._joints, self._ties) for row in part.third(x, v))

    def unknowns(self, O: Array, theta: Array) -> Values:
        """Return the unknowns from the origins (m, 2, n) and the angles (m, n) of all links."""
        return (*_pack(O, np.stack((np.cos(theta), np.sin(theta)), axis=1)), *theta[list(self.rows.angles)])

    def gaps(self, h: Values, O: Array, theta: Array) -> Array:
        """Return the scaled rows (r, n) [m] at any pose, zero where the group is closed."""
        return self._system(h, O, theta)[0]

    def newton(
        self, h: Values, O: Array, theta: Array, *, iterations: int = 12, left: Array | float = 0.0
    ) -> tuple[Array, Array, Array]:
        """Run Newton's method from a start, for all lanes at once, until the scaled rows equal `left`.

        Return O (m, 2, n), theta (m, n) and the last step (n,) relative to `size`; infinite where it failed.
        """
        size, m = self.rows.size, self.rows.links
        step = np.full(O.shape[-1], np.inf)
        for _ in range(iterations):
            values, jacobian = self._system(h, O, theta)
            x = np.moveaxis(solve_lanes(jacobian, np.moveaxis(left - values, -1, 0)), 0, -1).reshape(m, 3, -1)
            O, theta = O + x[:, :2], theta + x[:, 2] / size
            step = np.max(np.abs(x), axis=(0, 1)) / size
            # Quadratic convergence: after a step of 1e-8 the error is below rounding.
            if np.all((step < CLOSED) | ~np.isfinite(step)):
                break
        if self.rows.count > 3 * m:
            # Least squares also converge where redundant joints are inconsistent.
            gap = np.max(np.abs(self.gaps(h, O, theta)), axis=0) / size
            step = np.where(gap < RESIDUAL, step, np.inf)
        return O, theta, np.where(np.isfinite(step), step, np.inf)

    def smallest_singular_value(self, h: Values, phi: Values) -> Array:
        """Return the smallest singular value of the scaled Jacobian (n,); NaN where the pose is NaN."""
        J = self.jacobian(h, phi)
        good = np.isfinite(J).all(axis=(1, 2))
        sigma = np.full(len(J), np.nan)
        if good.any():
            sigma[good] = np.linalg.svd(J[good], compute_uv=False)[:, -1]
        return sigma


def _pack(O: Array, U: Array) -> Values:
    return tuple(x for pair in zip(O, U, strict=True) for x in pair)


class Layout:
    """Inputs and unknowns as variables, and the Jacobian in O and theta of each link from that in the variables."""

    def __init__(self, rows: Rows, joints: Equations) -> None:
        """Find the entries of the Jacobian."""
        self._rows, self._first_number = rows, 2 * rows.slots
        #: Divisor of each row, so that all are lengths and their derivatives are of order one.
        self.row_size = np.array(rows.row_sizes)
        nothing = len(joints.rows)
        on_links = joints.columns < 4 * rows.links
        link, part = np.divmod(joints.columns, 4)
        self._places = np.flatnonzero(on_links & (part < 2))
        self._place_at = joints.rows[self._places], (3 * link + part)[self._places]
        self._per_place = (1 / self.row_size[self._place_at[0]])[:, None]
        # The derivative in theta: U_x times that in U_y, minus U_y times that in U_x.
        turned: dict[tuple[int, int], list[int]] = {}
        for entry in np.flatnonzero(on_links & (part >= 2)).tolist():
            key = int(joints.rows[entry]), int(link[entry])
            turned.setdefault(key, [nothing, nothing])[int(part[entry]) - 2] = entry
        self._by_x, self._by_y = np.array([*turned.values()], np.intp).reshape(-1, 2).T
        row, self._turned = np.array([*turned], np.intp).reshape(-1, 2).T
        self._turn_at = row, 3 * self._turned + 2
        self._per_turn = (1 / (self.row_size[row] * rows.size))[:, None]
        of_number = np.full(rows.numbers, -1)
        of_number[list(rows.angle_numbers)] = rows.angles
        of_column = np.append(np.full(self._first_number, -1), of_number)
        self._geared = np.flatnonzero(of_column[joints.columns] >= 0)
        geared = of_column[joints.columns[self._geared]]
        self._geared_at = joints.rows[self._geared], 3 * geared + 2
        self._per_angle = (1 / (self.row_size[self._geared_at[0]] * rows.size))[:, None]

    def variables(self, h: Values, phi: Values) -> Array:
        """Return the variables (width, n) of inputs and unknowns, or their rates."""
        rows, m = self._rows, 2 * self._rows.links
        pairs, numbers = (*phi[:m], *h[: rows.vectors]), (*h[rows.vectors :], *phi[m:])
        lanes = max([1, *(np.size(x) // 2 for x in pairs), *(np.size(x) for x in numbers)])
        x = np.empty((self._first_number + len(numbers), lanes), np.result_type(float, *pairs, *numbers))
        for k, pair in enumerate(pairs):
            x[2 * k : 2 * k + 2] = pair
        for k, number in zip((*rows.scalars, *rows.angle_numbers), numbers, strict=True):
            x[self._first_number + k] = number
        return x

    def directions(self, x: Array) -> Array:
        """Return the directions (m, 2, n) of the links."""
        links = self._rows.links
        return x[: 4 * links].reshape(links, 4, -1)[:, 2:]

    def jacobian(self, entries: Array, x: Array) -> Array:
        """Return the scaled Jacobian (n, r, 3m) from the entries of that in the variables."""
        U, n = self.directions(x)[self._turned], x.shape[1]
        padded = np.concatenate((entries, np.zeros_like(entries[:1])))
        J = np.zeros((len(self.row_size), 3 * self._rows.links, n), padded.dtype)
        J[self._place_at] = entries[self._places] * self._per_place
        turned = padded[self._by_y] * U[:, 0] - padded[self._by_x] * U[:, 1]
        J[self._turn_at] = turned * self._per_turn
        J[self._geared_at] += entries[self._geared] * self._per_angle
        return np.moveaxis(J, -1, 0)
