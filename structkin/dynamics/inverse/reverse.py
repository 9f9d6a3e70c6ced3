"""The groups in reverse order: forces from the last group to the first.

With the forces that later groups put on its links, the unknowns of a group (of its joints and drivers) solve its own
equilibrium; so a mechanism of any length costs one small system a group. Where joints are redundant, a group has more
unknowns than equations: the smallest forces are taken (moments count by the mechanism's size), and what is
not unique is told.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from structkin.dynamics.inverse.columns import Columns, unit_wrenches
from structkin.groups.solve_lanes import solve_lanes
from structkin.kinematics import Motion
from structkin.model.topology import pin_of

Floats = NDArray[np.float64]

#: What a unit of a free combination of unknowns must move an unknown by, to make it not unique.
FREE = 1e-7
#: Forces larger than what they hold by this factor, both scaled, are the rounding of a flat pose.
BLOWN = 1e9


class Layout:
    """Where the equations of each body are: two forces and a moment of a link, two forces of a pin."""

    def __init__(self, columns: Columns) -> None:
        """Count."""
        self.first: dict[str, int] = {}
        self.moments: list[int] = []
        self.count = 0
        for body in columns.bodies:
            self.first[body] = self.count
            self.count += 2
            if pin_of(body) is None:
                self.moments.append(self.count)
                self.count += 1

    def of(self, bodies: Iterable[str]) -> list[int]:
        """Return the rows of bodies."""
        return [self.first[body] + k for body in bodies for k in range(2 if pin_of(body) is not None else 3)]


@dataclass(frozen=True)
class _Block:
    """A group: equations `rows` and unknowns `columns` as indices, its matrix (n, r, c), and (n, s, c) elsewhere."""

    rows: NDArray[np.intp]
    columns: NDArray[np.intp]
    own: Floats
    others: NDArray[np.intp]
    elsewhere: Floats


class ReverseSweep:
    """The equilibrium of all bodies at the poses of a motion, factored by groups.

    Equations (rows) are force x, force y and moment of each link about the origin of its frame, the moment over
    the mechanism's size [m]; and the forces on each massless pin. Samples that have no pose must have been left out.
    """

    def __init__(self, motion: Motion, columns: Columns) -> None:
        """Lay out the equations."""
        self.columns, self._motion = columns, motion
        self.layout = Layout(columns)
        self._scale = np.array([motion.size if column.in_newton_metres else 1.0 for column in columns.columns])
        self._units = np.array([1.0, 1.0, 1.0 / motion.size])

    @cached_property
    def blocks(self) -> tuple[_Block, ...]:
        """The groups, the last first."""
        groups: dict[int, tuple[list[str], list[int]]] = {}
        for body in self.columns.bodies:
            groups.setdefault(self.columns.body_group[body], ([], []))[0].append(body)
        for k, column in enumerate(self.columns.columns):
            groups[self.columns.group(column)][1].append(k)
        return tuple(self._block(*groups[group]) for group in sorted(groups, reverse=True))

    def _block(self, bodies: list[str], columns: list[int]) -> _Block:
        rows = self.layout.of(bodies)
        place = {row: k for k, row in enumerate(rows)}
        entries = [
            (k, self.layout.of([body]), wrench)
            for k, column in enumerate(columns)
            for body, wrench in self._wrenches(column)
        ]
        for _, touched, _ in entries:
            for row in touched:
                place.setdefault(row, len(place))
        whole = np.zeros((len(self._motion), len(place), len(columns)))
        for k, touched, wrench in entries:
            whole[:, [place[row] for row in touched], k] += wrench[:, : len(touched)]
        others = np.array(list(place)[len(rows) :], dtype=np.intp)
        own, elsewhere = whole[:, : len(rows)], whole[:, len(rows) :]
        return _Block(np.array(rows, dtype=np.intp), np.array(columns, dtype=np.intp), own, others, elsewhere)

    def _wrenches(self, index: int) -> list[tuple[str, Floats]]:
        """Return the scaled unit wrenches (n, 3) of a column on its moving bodies."""
        column = self.columns.columns[index]
        pairs = zip((column.off, column.to), unit_wrenches(self._motion, column), strict=True)
        return [(body, wrench.T * self._units * self._scale[index]) for body, wrench in pairs if body is not None]

    def solve(self, right: Floats) -> Floats:
        """Return the unknowns (n, columns) whose wrenches sum to `right` (n, rows), in N and N m."""
        right = np.array(right)
        right[:, self.layout.moments] *= self._units[2]
        result = np.zeros((len(right), len(self.columns.columns)))
        for block in self.blocks:
            own = _solve(block.own, right[:, block.rows])
            result[:, block.columns] = own
            right[:, block.others] -= np.einsum("nrc,nc->nr", block.elsewhere, own)
        return np.asarray(result * self._scale)

    @cached_property
    def unique(self) -> NDArray[np.bool_]:
        """Which unknowns (columns,) the motion determines alone."""
        result = np.ones(len(self.columns.columns), bool)
        for k, block in enumerate(self.blocks):
            r, c = block.own.shape[1:]
            if r == c:
                continue
            null = np.eye(c) - np.linalg.pinv(block.own) @ block.own
            for free in range(c):
                result &= ~self._moved(k, null[:, :, free])
        return result

    def _moved(self, index: int, own: Floats) -> NDArray[np.bool_]:
        """Return which unknowns move with the unknowns `own` (n, c) of one block, which put no load on it."""
        right, moved = np.zeros((len(own), self.layout.count)), np.zeros(len(self.columns.columns), bool)
        for block in self.blocks[index:]:
            values = own if block is self.blocks[index] else _solve(block.own, right[:, block.rows])
            moved[block.columns] = (np.abs(values) > FREE).any(axis=0)
            right[:, block.others] -= np.einsum("nrc,nc->nr", block.elsewhere, values)
        return moved


def _solve(matrix: Floats, right: Floats) -> Floats:
    """Solve systems (n, r, c) for right-hand sides (n, r); by least squares of least size where c is not r.

    NaN where a square system is singular, as at a flat pose: what would be left of the digits is rounding.
    """
    r, c = matrix.shape[1:]
    if r != c:
        return np.asarray((np.linalg.pinv(matrix) @ right[:, :, None])[:, :, 0])
    found = solve_lanes(matrix, right)
    size = np.max(np.abs(found), axis=1, initial=0.0)
    found[size > BLOWN * np.max(np.abs(right), axis=1, initial=0.0)] = np.nan
    return found
