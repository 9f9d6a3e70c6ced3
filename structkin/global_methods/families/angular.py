"""Families with angles: reference-point and relative. Their frames depend on q by cosines and sines of a tree."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from structkin.checked import checked
from structkin.global_methods.families.rows import Driven, Writer
from structkin.global_methods.families.system import CommonCoordinates, Label, PerCoordinate, PerDriver, PerLink
from structkin.global_methods.families.terms import DriverTerms
from structkin.global_methods.families.tree import Tree
from structkin.rows.equations import Equations
from structkin.rows.lane_matrix import Matrix
from structkin.types import Floats, Indices


@dataclass(frozen=True)
class _Chain:
    """Phi_q = Phi_X X_q as a list of products: entry `out` sums Phi_X[`first`] X_q[`second`]."""

    rows: Indices
    columns: Indices
    first: Indices
    second: Indices
    out: Indices

    @cached_property
    def gather(self) -> Matrix:
        return Matrix.summing(self.out, len(self.rows))


@checked
class AngularCoordinates(CommonCoordinates):
    """Coordinates of a tree of links; see `structkin.global_methods.Coordinates`.

    Rows in the frames, and in the turns of links that gears turn, come first; then the orientations, which are linear
    in the angles.
    """

    def __init__(
        self,
        family: str,
        tree: Tree,
        names: Sequence[str],
        sketch: Floats,
        writer: Writer,
        drivers: Sequence[str],
        sliding: Mapping[str, int],
    ) -> None:
        """Take the tree and the written rows; `sliding` are drivers whose travel is itself a coordinate."""
        self.mechanism = writer.mechanism
        self.family, self.tree, self.drivers = family, tree, tuple(drivers)
        self.links = tuple(branch.link for branch in tree.branches)
        self.names, self._sketch = tuple(names), sketch
        self._kept: tuple[Any, Any, Any] | None = None
        self.size, self.column_units = writer.size, np.ones(tree.n)
        self.column_units[tree.travel_columns] = writer.size
        index = {link: k for k, link in enumerate(self.links)}
        self.turned = tuple(writer.turned)
        self._turned = np.array([index[link] for link in self.turned], np.intp)
        self._turn_rows = tree.theta_rows[self._turned]
        self._turn_of_q = Matrix.of(self._turn_rows)
        units = np.append(np.tile([writer.size, writer.size, 1.0, 1.0], tree.m), np.ones(len(self.turned)))
        self._equations = Equations([row.form for row in writer.rows], units, len(self.turned))
        self._write_linear(writer, sliding)
        labels = [Label(row.of, row.equation, row.links) for row in writer.rows]
        labels += [Label(turn.of, turn.equation, turn.links) for turn in writer.oriented]
        labels += [
            Label(id, "travel", tuple(writer.line(writer.mechanism.drivers[id].joint or "")[2])) for id in sliding
        ]
        self.rows = tuple(labels)
        of_rows = [row.unit for row in writer.rows] + [1.0] * len(writer.oriented) + [writer.size] * len(sliding)
        self.row_units = np.array(of_rows)
        self._chain = self._make_chain(writer)
        # The pattern has the rows in the frames first, then the linear ones.
        linear = self._linear_rows.tocoo()
        q_rows, q_columns = linear.row.astype(np.intp), linear.col.astype(np.intp)
        self._linear_entries = linear.data[:, None]
        self.pattern = (
            np.concatenate((self._chain.rows, self._equations.count + q_rows)),
            np.concatenate((self._chain.columns, q_columns)),
        )

    @property
    def n(self) -> int:
        """Number of coordinates."""
        return self.tree.n

    def _write_linear(self, writer: Writer, sliding: Mapping[str, int]) -> None:
        """Write orientations, and travels that are coordinates, as rows linear in q."""
        from scipy.sparse import csr_array, vstack

        index = {link: k for k, link in enumerate(self.links)}
        tree, turns = self.tree, writer.oriented
        empty = csr_array((1, tree.n))

        def theta(link: str) -> tuple[Any, float]:
            if link not in index:
                return empty, 0.0
            k = index[link]
            return tree.theta_rows[[k]], float(tree.theta_zero[k, 0])

        parts, constants = [empty[:0]], []
        driven = list(writer.driven_rows)
        for number, turn in enumerate(turns):
            (first, zero), (second, other) = theta(turn.links[0]), theta(turn.links[1])
            parts.append(second - first)
            constants.append(other - zero - turn.constant)
            if turn.driver is not None:
                driven.append(Driven(len(writer.rows) + number, turn.driver, "value"))
        for number, (id, column) in enumerate(sliding.items()):
            parts.append(csr_array(([1.0], ([0], [column])), shape=(1, tree.n)))
            constants.append(0.0)
            driven.append(Driven(len(writer.rows) + len(turns) + number, id, "value"))
        self._linear_rows = vstack(parts).tocsr()
        self._linear_rows.eliminate_zeros()
        self._linear = Matrix.of(self._linear_rows)
        self._constants = np.array(constants)[:, None]
        self._turning = slice(len(writer.rows), len(writer.rows) + len(turns))
        count = len(writer.rows) + len(constants)
        self._terms = DriverTerms.gather(driven, self.drivers, count)

    def _make_chain(self, writer: Writer) -> _Chain:
        """Join the entries of Phi_X with those of X_q, where X are frames and turns.

        A coordinate that moves all links of a row together does not open the joint: such entries vanish where Phi does
        and are left out. Newton's method converges as fast without them, and a loop's rows depend on the loop alone.
        """
        equations, tree = self._equations, self.tree
        turns = self._turn_rows.tocoo()
        self._turn_entries = turns.data[:, None]
        X_rows = np.concatenate((tree.map_pattern[0], 4 * tree.m + turns.row.astype(np.intp)))
        X_columns = np.concatenate((tree.map_pattern[1], turns.col.astype(np.intp)))
        order = np.argsort(X_rows, kind="stable")
        starts = np.searchsorted(X_rows[order], np.arange(4 * tree.m + len(self.turned) + 1))
        counts = starts[equations.columns + 1] - starts[equations.columns]
        first = np.repeat(np.arange(len(equations.rows)), counts)
        offset = np.arange(len(first)) - np.repeat(np.cumsum(counts) - counts, counts)
        second = order[starts[equations.columns[first]] + offset]
        rows, columns = equations.rows[first], X_columns[second]
        together = self._moved_together(writer)
        kept = np.array([(r, c) not in together for r, c in zip(rows.tolist(), columns.tolist(), strict=True)], bool)
        rows, columns, first, second = rows[kept], columns[kept], first[kept], second[kept]
        code, out = np.unique(rows * tree.n + columns, return_inverse=True)
        return _Chain(code // tree.n, code % tree.n, first, second, out)

    def _moved_together(self, writer: Writer) -> set[tuple[int, int]]:
        """Return the pairs (row, coordinate) where the coordinate moves every link of the row."""
        index = {link: k for k, link in enumerate(self.links)}
        moved: list[set[int]] = []
        for k, parent in enumerate(self.tree.parent.tolist()):
            earlier = moved[parent] if parent < self.tree.m else set()
            moved.append(earlier | set(self.tree.columns[k]))
        found = set()
        for number, row in enumerate(writer.rows):
            sets = [moved[index[link]] if link in index else set() for link in set(row.links)]
            found |= {(number, column) for column in set.intersection(*sets)}
        return found

    # --- the rows -----------------------------------------------------------------------------------------

    def _orientations(self, q: Any, z: Any) -> Any:
        values = np.concatenate(
            (np.zeros((self._equations.count, q.shape[1]), q.dtype), self._linear @ q + self._constants)
        )
        self._terms.subtract(values, z)
        # Angles are compared up to whole turns; subtracting a constant does not change derivatives.
        turns = values[self._turning]
        values[self._turning] = turns - 2 * np.pi * np.round(np.real(turns) / (2 * np.pi))
        return values

    def evaluate(self, q: PerCoordinate, z: PerDriver) -> tuple[Any, Any]:
        """Return Phi (m, lanes) and the entries of Phi_q (entries, lanes)."""
        X = self._variables(q)
        by_frames = self._equations.jacobian(X)
        phi = self._orientations(q, z)
        phi[: self._equations.count] += self._equations.phi(X, by_frames)
        return phi, self._entries(q, X, by_frames)

    def _variables(self, q: Any) -> Any:
        """Return the variables of the rows: frames, then turns."""
        X = self.frames(q)
        return np.concatenate((X, self.turns(q))) if self.turned else X

    def _kept_pose(self, q: Any) -> tuple[Any, Any]:
        """Return the frames and the entries of X_q at a single pose, kept for dynamics."""
        if self._kept is None or self._kept[0].dtype != q.dtype or not np.array_equal(self._kept[0], q):
            X = self.tree.frames(q)
            self._kept = np.array(q), X, self.tree.frame_map(q, X)
        return self._kept[1:]

    def _map(self, q: Any, X: Any) -> Any:
        """Return the entries of X_q at the frames X."""
        return self._kept_pose(q)[1] if q.shape[1] == 1 else self.tree.frame_map(q, X)

    def _entries(self, q: Any, X: Any, by_frames: Any) -> Any:
        chain, lanes = self._chain, q.shape[1]
        by_q = self._map(q, X[: 4 * self.tree.m])
        if self.turned:
            by_q = np.concatenate((by_q, np.broadcast_to(self._turn_entries, (len(self._turn_entries), lanes))))
        products = chain.gather @ (by_frames[chain.first] * by_q[chain.second])
        linear = np.broadcast_to(self._linear_entries, (len(self._linear_entries), lanes))
        return np.concatenate((products, linear))

    def phi(self, q: PerCoordinate, z: PerDriver) -> Any:
        """Return Phi(q, z) (m, lanes)."""
        return self.evaluate(q, z)[0]

    def jacobian(self, q: PerCoordinate, z: PerDriver) -> Any:
        """Return the entries of Phi_q (entries, lanes)."""
        return self.evaluate(q, z)[1]

    def nu(self, z: PerDriver, dz: PerDriver) -> Any:
        """Return nu = -Phi_t (m, lanes)."""
        return self._terms.nu(z, dz)

    def gamma(self, q: PerCoordinate, v: PerCoordinate, z: PerDriver, dz: PerDriver, ddz: PerDriver) -> Any:
        """Return gamma = -(Phi_q v)_q v - Phi_tt (m, lanes)."""
        terms = self._terms.gamma(z, dz, ddz)
        out = terms.astype(np.result_type(terms, q, v))
        X, equations = self._variables(q), self._equations
        rates, seconds = self.frame_rates(q, v), self.tree.seconds(q, v)
        if self.turned:
            turning = self.turn_rates(v)
            rates, seconds = np.concatenate((rates, turning)), np.concatenate((seconds, 0.0 * turning))
        bent = equations.times(equations.jacobian(X), seconds)
        out[: equations.count] -= equations.second_derivative(X, rates, rates) + bent
        return out

    def arrays(self) -> dict[str, Any]:
        """Return rows and frames as arrays; without the rows where some are curves."""
        rows, turned = self._equations.arrays(), self._turned
        frames = {
            **self.tree.arrays(), "turned": turned, "turned_entries": self._turn_entries[:, 0],
            "turned_zero": self.tree.theta_zero[turned, 0] + self._turn_rows @ self._sketch,
        }  # fmt: skip
        if rows is None:
            return frames
        chain, linear = self._chain, self._linear_rows.tocoo()
        count, at = self._equations.count, np.arange(self._equations.count)
        none, after = np.full(count, -1), len(chain.rows) + np.arange(linear.nnz)
        return {
            **rows, **frames, "row_place": at, "row_driver": none, "row_crosses": none, **self._terms.arrays(),
            "x": 3 * (4 * self.tree.m + len(turned)),
            "chain_out": chain.out, "chain_entry": chain.first, "chain_map": chain.second,
            "linear": np.stack((after, count + linear.row, linear.col), axis=1), "linear_factor": linear.data,
            "linear_constant": np.append(np.zeros(count), self._constants),
            "turning": [self._turning.start, self._turning.stop],
        }  # fmt: skip

    # --- links and coordinates ----------------------------------------------------------------------------

    def start(self) -> Floats:
        """Return the coordinates (n, 1) of the sketch."""
        return self._sketch[:, None].copy()

    def frames(self, q: PerCoordinate) -> Any:
        """Return O_x, O_y, U_x, U_y of every moving link (4 links, lanes)."""
        return self._kept_pose(q)[0] if q.shape[1] == 1 else self.tree.frames(q)

    def turns(self, q: PerCoordinate) -> Any:
        """Return how far the links `turned` have turned since the sketch (turned, lanes)."""
        return self._turn_of_q @ (q - self._sketch[:, None])

    def angles(self, q: PerCoordinate) -> Floats:
        """Return the angles (links, lanes) of the moving links, with whole turns."""
        return np.asarray(self.tree.theta_of_q @ q + self.tree.theta_zero)

    def turn_rates(self, v: PerCoordinate) -> Any:
        """Return the first rates of `turns`, or the second ones from second rates of the coordinates."""
        return self._turn_of_q @ v

    def from_frames(self, X: PerLink, turns: Mapping[str, Floats] | None = None) -> Any:
        """Return the coordinates (n, lanes) of given frames (4 links, lanes).

        Angles of joints are in (-pi, pi]; whole turns are added to those of links `turned` that `turns` has.
        """
        q = self.tree.from_frames(X)
        for which in np.argsort(self._turned):  # from the ground outwards
            link, k, row = self.turned[which], int(self._turned[which]), self._turn_rows[[which]]
            while k < self.tree.m and not self.tree.branches[k].angle:
                k = int(self.tree.parent[k])
            if turns is not None and link in turns and k < self.tree.m:
                gap = turns[link] - (row @ (q - self._sketch[:, None]))[0]
                q[self.tree.columns[k][0]] += 2 * np.pi * np.round(gap / (2 * np.pi))
        return q

    @cached_property
    def _gather_frames(self) -> Matrix:
        return Matrix.summing(self.tree.map_pattern[0], 4 * self.tree.m)

    def frame_rates(self, q: PerCoordinate, v: PerCoordinate) -> Any:
        """Return the first rates of `frames`."""
        entries = self._map(q, self.frames(q))
        return self._gather_frames @ (entries * v[self.tree.map_pattern[1]])

    def frame_seconds(self, q: PerCoordinate, v: PerCoordinate, a: PerCoordinate) -> Any:
        """Return the second rates of `frames`."""
        return self.frame_rates(q, a) + self.tree.seconds(q, v)

    def frame_map(self, q: PerCoordinate) -> tuple[Indices, Indices, Any]:
        """Return rows, columns and entries (entries, lanes) of d(frames)/dq."""
        return (*self.tree.map_pattern, self._map(q, self.frames(q)))
