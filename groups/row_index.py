"""The index arrays of a general group's rows: where points, directions and the entries of the Jacobian are."""

from __future__ import annotations

from typing import Any

import numpy as np

from .bilinear import dot, times, turned
from .kind import Array
from .rows import Rows


class RowIndex:
    """The index arrays of `Rows`, made once."""

    def __init__(self, rows: Rows) -> None:
        """Number the rows and what is in them."""

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
        arms = turned(P - O[self.point_links]) / self.size
        for (_, at, link, point), sign in self.pin_ends:
            J[at, 3 * link + 2] += sign * arms[point, 0]
            J[at + 1, 3 * link + 2] += sign * arms[point, 1]
        for (here, at, link, point), sign in self.scalar_ends:
            J[at, 3 * link] += sign * gradients[here, 0]
            J[at, 3 * link + 1] += sign * gradients[here, 1]
            J[at, 3 * link + 2] += sign * dot(gradients[here], arms[point])
        here, at, link, _ = self.turned_rows
        J[at, 3 * link + 2] += angular[here] / self.size
        for (here, at, link, _), sign in self.parallel_ends:
            J[at, 3 * link + 2] += sign * aligned[here] / self.size
        return np.moveaxis(J / self.row_size[:, None, None], -1, 0)

    def points(self, O: Array, U: Array, V: Array) -> Array:
        """Return all points (points, 2, n) from origins, unit directions and vector inputs, or rates from theirs."""
        origins, axes = _join(O, V), _join(U, 0.0 * V)
        return np.asarray(origins[self.p_source] + times(axes[self.p_source], self.p_local))

    def directions(self, U: Array, V: Array) -> Array:
        """Return all directions (directions, 2, n) before they are turned by inputs."""
        return np.asarray(times(_join(U, V)[self.d_source], self.d_local))

    def turners(self, V: Array) -> Array:
        """Return what turns each direction (directions, 2, n), (1, 0) where nothing does."""
        one = np.zeros((1, *V.shape[1:]), V.dtype)
        one[0, 0] = 1.0
        return np.concatenate((V, one))[self.d_turner]

    def turner_rates(self, dV: Array) -> Array:
        """Return the rates of what turns each direction (directions, 2, n)."""
        return np.concatenate((dV, np.zeros((1, *dV.shape[1:]), dV.dtype)))[self.d_turner]

    def turned_directions(self, U: Array, V: Array) -> Array:
        """Return all directions (directions, 2, n)."""
        return np.asarray(times(self.directions(U, V), self.turners(V)))

    @staticmethod
    def stack(pins: Array, *scalars: Array) -> Array:
        """Return pins (k, 2, n) and scalar rows (k, n) below each other (r, n)."""
        flat = pins.reshape(-1, pins.shape[-1])
        lanes = max(part.shape[-1] for part in (flat, *scalars) if len(part))
        return np.concatenate([np.broadcast_to(part, (len(part), lanes)) for part in (flat, *scalars) if len(part)])


def _join(unknown: Array, known: Array) -> Array:
    lanes = max(unknown.shape[-1], known.shape[-1])
    return np.concatenate([np.broadcast_to(x, (len(x), 2, lanes)) for x in (unknown, known)])


def join_lanes(*parts: Array) -> Array:
    """Return arrays below each other, those of one lane for all lanes."""
    lanes = max(part.shape[-1] for part in parts)
    return np.concatenate([np.broadcast_to(part, (*part.shape[:-1], lanes)) for part in parts])
