"""Where the inputs and unknowns of a general group stand among the variables of its rows, and its scaled Jacobian."""

from __future__ import annotations

import numpy as np

from structkin.rows.equations import Equations

from .kind import Array, Values
from .rows import Rows


class Columns:
    """The first columns of a group's variables: vector inputs, O and U of each link, scalar inputs, angles."""

    def __init__(self, rows: Rows) -> None:
        """Number them."""
        self.links = 2 * rows.vectors
        self.scalars = self.links + 4 * rows.links
        self.angles = self.scalars + rows.scalars
        self.width = self.angles + len(rows.angles)


class Layout:
    """Inputs and unknowns as variables, and the Jacobian by O and theta of each link from that by the variables."""

    def __init__(self, rows: Rows, joints: Equations) -> None:
        """Find the entries of the Jacobian."""
        self._columns, self._rows = Columns(rows), rows
        #: What each row is divided by, so that all are lengths and their derivatives of the order of one.
        self.row_size = np.array(rows.sizes)
        first, nothing = self._columns.links, len(joints.rows)
        on_links = (joints.columns >= first) & (joints.columns < self._columns.scalars)
        link, part = np.divmod(joints.columns - first, 4)
        self._places = np.flatnonzero(on_links & (part < 2))
        self._place_at = joints.rows[self._places], (3 * link + part)[self._places]
        self._per_place = (1 / self.row_size[self._place_at[0]])[:, None]
        # The derivative by theta: U_x times that by U_y, less U_y times that by U_x.
        turned: dict[tuple[int, int], list[int]] = {}
        for entry in np.flatnonzero(on_links & (part >= 2)).tolist():
            key = int(joints.rows[entry]), int(link[entry])
            turned.setdefault(key, [nothing, nothing])[int(part[entry]) - 2] = entry
        self._by_x, self._by_y = np.array([*turned.values()], np.intp).reshape(-1, 2).T
        row, self._turned = np.array([*turned], np.intp).reshape(-1, 2).T
        self._turn_at = row, 3 * self._turned + 2
        self._per_turn = (1 / (self.row_size[row] * rows.size))[:, None]
        self._geared = np.flatnonzero(joints.columns >= self._columns.angles)
        geared = np.array(rows.angles, np.intp)[joints.columns[self._geared] - self._columns.angles]
        self._geared_at = joints.rows[self._geared], 3 * geared + 2
        self._per_angle = (1 / (self.row_size[self._geared_at[0]] * rows.size))[:, None]

    def variables(self, h: Values, phi: Values) -> Array:
        """Return the variables (width, n) of inputs and unknowns, or their rates."""
        m, vectors = 2 * self._rows.links, self._rows.vectors
        pairs, numbers = (*h[:vectors], *phi[:m]), (*h[vectors:], *phi[m:])
        lanes = max((np.size(x) // 2 for x in pairs), default=1)
        lanes = max(lanes, *(np.size(x) for x in numbers)) if numbers else lanes
        x = np.empty((self._columns.width, lanes), np.result_type(float, *pairs, *numbers))
        for k, pair in enumerate(pairs):
            x[2 * k : 2 * k + 2] = pair
        for k, number in enumerate(numbers, self._columns.scalars):
            x[k] = number
        return x

    def directions(self, x: Array) -> Array:
        """Return the directions (m, 2, n) of the links."""
        links = x[self._columns.links : self._columns.scalars]
        return links.reshape(self._rows.links, 4, -1)[:, 2:]

    def jacobian(self, entries: Array, x: Array) -> Array:
        """Return the scaled Jacobian (n, r, 3m) from the entries of that by the variables."""
        U, n = self.directions(x)[self._turned], x.shape[1]
        padded = np.concatenate((entries, np.zeros_like(entries[:1])))
        J = np.zeros((len(self.row_size), 3 * self._rows.links, n), padded.dtype)
        J[self._place_at] = entries[self._places] * self._per_place
        turned = padded[self._by_y] * U[:, 0] - padded[self._by_x] * U[:, 1]
        J[self._turn_at] = turned * self._per_turn
        J[self._geared_at] += entries[self._geared] * self._per_angle
        return np.moveaxis(J, -1, 0)
