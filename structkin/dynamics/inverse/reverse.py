"""The groups in reverse order: forces from the last group to the first.

With the forces that later groups exert on its links, the unknowns of a group (of its joints and drivers) follow from
its own equilibrium, so a mechanism of any length costs one small system per group. Where joints are redundant, a group
has more unknowns than equations. What remains undetermined affects the groups before it, and a group alone may be
singular where they are regular together; so all groups that redundant forces reach are solved as one part, E f = w with
more columns than rows. Of its solutions the smallest is taken: with the `weights`, the least sum of |F|^2 + (M / s)^2
over its joints,

    f = D E_D^T (E_D E_D^T)^-1 w,   E_D = E D,   D = diag(1 / weight)

by the orthogonal factors of E_D^T. An unknown is unique where it is zero in all solutions of E f = 0.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from structkin.dynamics.inverse.columns import Columns, unit_wrenches, weights
from structkin.groups.solve_lanes import solve_lanes
from structkin.model.topology import pin_of
from structkin.numerical_tolerances import HALF_DIGITS
from structkin.solve import Motion
from structkin.types import Flags, Floats, Indices

#: Forces that exceed their loads by this factor, both scaled, are rounding errors at a flat pose.
BLOWN = 1e9
#: Where other loads cause forces that exceed them by this factor, those of carried loads have four digits or fewer.
LOST = 1e12


class Layout:
    """Where the equations of each body are: two forces and a moment for a link, two forces for a pin."""

    def __init__(self, columns: Columns) -> None:
        """Number the equations."""
        self.first: dict[str, int] = {}
        self.moments: list[int] = []
        self.count = 0
        for body in columns.body_group:
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
    """A part: equations `rows` and unknowns `columns` as indices, its matrix (n, r, c), and (n, s, c) elsewhere."""

    rows: Indices
    columns: Indices
    own: Floats
    others: Indices
    elsewhere: Floats


class ReverseSweep:
    """The equilibrium of all bodies at the poses of a motion, factored by groups.

    Equations (rows) are force x, force y and moment of each link about the origin of its frame, the moment over
    the mechanism's size [m]; and the forces on each massless pin. Samples that have no pose must have been left out.
    """

    def __init__(self, motion: Motion, columns: Columns) -> None:
        """Lay out the equations."""
        self.columns, self._motion = columns, motion
        self.layout, self._wrenches = Layout(columns), unit_wrenches(motion, columns)
        self._weights = weights(motion, columns, self._wrenches).T
        self._units = np.array([1.0, 1.0, 1.0 / motion.size])

    @cached_property
    def blocks(self) -> tuple[_Block, ...]:
        """The parts, the last first; those that redundant forces reach put no load on the rest and come at the end."""
        groups: dict[int, tuple[list[str], list[int]]] = {}
        for body in self.columns.body_group:
            groups.setdefault(self.columns.body_group[body], ([], []))[0].append(body)
        for k, column in enumerate(self.columns.columns):
            groups[self.columns.group(column)][1].append(k)
        joined = self._joined({g: len(self.layout.of(bodies)) - len(held) for g, (bodies, held) in groups.items()})
        alone = [[group] for group in sorted(groups, reverse=True) if not any(group in part for part in joined)]
        return tuple(
            self._block([body for g in part for body in groups[g][0]], [k for g in part for k in groups[g][1]])
            for part in (*alone, *joined)
        )

    def _joined(self, short: Mapping[int, int]) -> list[list[int]]:
        """Return the groups that have to be solved together, part by part, for the equations that each lacks."""
        if not any(short.values()):
            return []
        reached: dict[int, set[int]] = {group: set() for group in short}
        for column in self.columns.columns:
            reached[self.columns.group(column)] |= {self.columns.body_group[body] for body in column.bodies}
        parts: list[set[int]] = []
        for group in (group for group, missing in short.items() if missing):
            part, new = set(), {group}
            while new:
                part |= new
                new = set().union(*(reached[one] for one in new)) - part
            # Parts that reach the same group share its forces.
            parts = [part.union(*(one for one in parts if one & part)), *(one for one in parts if not one & part)]
        return [sorted(part) for part in parts]

    def _block(self, bodies: list[str], columns: list[int]) -> _Block:
        rows = self.layout.of(bodies)
        place = {row: k for k, row in enumerate(rows)}
        entries = [
            (k, self.layout.of([body]), wrench.T * self._units / self._weights[:, column, None])
            for k, column in enumerate(columns)
            for body, wrench in self._wrenches[column].items()
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

    def solve(self, right: Floats) -> Floats:
        """Return the unknowns (n, columns) whose wrenches sum to `right` (n, rows), in N and N m."""
        right = np.array(right)
        right[:, self.layout.moments] *= self._units[2]
        result = np.zeros((len(right), len(self.columns.columns)))
        for block in self.blocks:
            own = _solve(block.own, right[:, block.rows])
            result[:, block.columns] = own
            right[:, block.others] -= np.einsum("nrc,nc->nr", block.elsewhere, own)
        return np.asarray(result / self._weights)

    def with_known(self, right: Floats, known: Mapping[int, Floats]) -> Floats:
        """Return what `solve` does where some of the unknowns are known (n,), as efforts in a simulation are.

        All equations are solved together: at a dead point of a coordinate its effort does not follow from them, but
        the other forces do.
        """
        right, whole = np.array(right), np.zeros((len(right), self.layout.count, len(self.columns.columns)))
        right[:, self.layout.moments] *= self._units[2]
        for block in self.blocks:
            whole[:, block.rows[:, None], block.columns] = block.own
            whole[:, block.others[:, None], block.columns] = block.elsewhere
        result = np.zeros((len(right), whole.shape[2]))
        for k, given in known.items():
            result[:, k] = given * self._weights[:, k]
        right -= np.einsum("nrc,nc->nr", whole, result)
        rest = [k for k in range(whole.shape[2]) if k not in known]
        result[:, rest] = _solve(whole[:, :, rest], right)
        return np.asarray(result / self._weights)

    @cached_property
    def unique(self) -> Flags:
        """Which unknowns (columns,) the motion alone determines."""
        result = np.ones(len(self.columns.columns), bool)
        for block in self.blocks:
            r, c = block.own.shape[1:]
            if r < c:
                free = np.linalg.qr(np.swapaxes(block.own, 1, 2), mode="complete")[0][:, :, r:]
                result[block.columns] = (np.abs(free) < HALF_DIGITS).all(axis=(0, 2))
        return result


def _solve(matrix: Floats, right: Floats) -> Floats:
    """Solve systems (n, r, c) for right-hand sides (n, r): by least norm where c > r, by least squares where c < r.

    NaN where a system has lost its rank, as at a flat pose: the result would be rounding errors only. Loads that the
    pose can carry do not show it, so that those of `_probe` are solved for beside them.
    """
    r, c = matrix.shape[1:]
    sides, probe = np.empty((*right.shape, 2)), _probe(r)
    sides[:, :, 0], sides[:, :, 1] = right, probe
    if r < c:
        across, lower = np.linalg.qr(np.swapaxes(matrix, 1, 2))
        found = across @ solve_lanes(np.swapaxes(lower, 1, 2), sides)
    else:
        found = solve_lanes(matrix, sides)
    # With the systems last, NumPy is quick to find the greatest of each.
    forces, beside = found.transpose(2, 1, 0).copy()
    blown = np.max(np.abs(forces), axis=0, initial=0.0) > BLOWN * np.max(np.abs(right), axis=1, initial=0.0)
    lost = np.max(np.abs(beside), axis=0, initial=0.0) > LOST * np.max(np.abs(probe), initial=0.0)
    forces[:, blown | lost] = np.nan
    return np.asarray(forces.T)


def _probe(count: int) -> Floats:
    """Return loads (count,) up to 1 that no flat pose can carry: they follow no pattern."""
    return np.asarray(np.cos(np.arange(1.0, count + 1.0) ** 2))
