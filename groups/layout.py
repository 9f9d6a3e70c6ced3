"""The inputs and unknowns of a general group as variables of its rows, and its scaled Jacobian."""

from __future__ import annotations

import numpy as np

from structkin.rows.equations import Equations

from .kind import Array, Values
from .rows import Rows


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
