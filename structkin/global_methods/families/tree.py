"""Frames along a tree of links: relative coordinates, and reference-point coordinates as the flattest tree.

Every moving link is attached to an earlier one, its parent, by an angle (or a constant turn) and by travels along
directions of either link:

    theta_k = theta_parent + angle + turn
    O_k = O_parent + U_parent a + U_k b + sum of U_carrier d s

At a revolute joint a and b are the pin's places; a prismatic joint has a travel s along the guide, a slot an angle and
a travel; a link on the ground with an angle and two travels is free: three reference-point coordinates (S1 eq. 23). All
sums along the paths from the ground are one product with the incidence matrix of paths and joints.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from structkin.rows.lane_matrix import Matrix
from structkin.types import Indices


@dataclass(frozen=True, slots=True)
class Branch:
    """How a link is attached to its parent (-1: the ground).

    `angle`: whether the joint turns; `travels` are (on the parent's side, direction d in the carrier's frame).
    """

    link: str
    parent: int
    a: complex
    b: complex
    turn: float
    angle: bool
    travels: tuple[tuple[bool, complex], ...] = ()


def _times(factor: Any, x: Any, y: Any) -> tuple[Any, Any]:
    """Return vectors turned and scaled by complex constants (k,), component by component for complex steps."""
    re, im = factor.real[:, None], factor.imag[:, None]
    return re * x - im * y, im * x + re * y


class Tree:
    """The branches as arrays; `columns[k]` are the coordinates of branch k: its angle, then its travels."""

    def __init__(self, branches: Sequence[Branch]) -> None:
        """Number the coordinates and index the paths from the ground."""
        self.branches = tuple(branches)
        m = self.m = len(branches)
        self.parent = np.array([m if b.parent < 0 else b.parent for b in branches], np.intp)
        self.a = np.array([b.a for b in branches], complex)
        self.b = np.array([b.b for b in branches], complex)
        self.columns: list[tuple[int, ...]] = []
        angle_links, angle_columns, travel_links, travel_columns = [], [], [], []
        carriers, directions, on_parent = [], [], []
        n = 0
        for k, branch in enumerate(branches):
            first = n
            if branch.angle:
                angle_links.append(k)
                angle_columns.append(n)
                n += 1
            for side, d in branch.travels:
                travel_links.append(k)
                travel_columns.append(n)
                carriers.append(self.parent[k] if side else k)
                directions.append(d)
                on_parent.append(side)
                n += 1
            self.columns.append(tuple(range(first, n)))
        self.n = n
        self.angle_links, self.angle_columns = np.array(angle_links, np.intp), np.array(angle_columns, np.intp)
        self.travel_links, self.travel_columns = np.array(travel_links, np.intp), np.array(travel_columns, np.intp)
        self.carriers, self.directions = np.array(carriers, np.intp), np.array(directions, complex)
        self.on_parent = np.array(on_parent, bool)
        self._index_paths()

    def _index_paths(self) -> None:
        """Find the joints on the path of each link, and the pairs (link, coordinate) on which the frames depend."""
        from scipy.sparse import csr_array

        paths: list[list[int]] = []
        for k, parent in enumerate(self.parent.tolist()):
            paths.append([*(paths[parent] if parent < self.m else []), k])
        rows = np.repeat(np.arange(self.m), [len(path) for path in paths])
        joints = np.array([j for path in paths for j in path], np.intp)
        paths_of = csr_array((np.ones(len(rows)), (rows, joints)), shape=(self.m, self.m))
        turn = np.array([branch.turn for branch in self.branches])[:, None]
        chosen = csr_array(
            (np.ones(len(self.angle_links)), (self.angle_links, self.angle_columns)), shape=(self.m, self.n)
        )
        #: Angles of the links as linear rows in q, sparse.
        self.theta_rows, self.theta_zero = (paths_of @ chosen).tocsr(), paths_of @ turn
        self.paths, self.theta_of_q = Matrix.of(paths_of), Matrix.of(self.theta_rows)
        self.travels_of = Matrix.summing(self.travel_links, self.m)
        first = {int(link): k for k, link in enumerate(self.angle_links)}
        turning = np.array([first.get(int(j), -1) for j in joints], np.intp)
        here = turning >= 0
        #: Angle pairs: the link that turns, the joint at which, the coordinate.
        self.pair_link, self.pair_joint = rows[here], joints[here]
        self.pair_column = self.angle_columns[turning[here]]
        by_link: dict[int, list[int]] = {}
        for t, link in enumerate(self.travel_links.tolist()):
            by_link.setdefault(link, []).append(t)
        pairs = [(int(k), t) for k, j in zip(rows, joints, strict=True) for t in by_link.get(int(j), ())]
        self.slide_link = np.array([k for k, _ in pairs], np.intp)
        self.slide_travel = np.array([t for _, t in pairs], np.intp)

    def arrays(self) -> dict[str, Any]:
        """Return the tree for compiled code."""
        parent = np.where(self.parent == self.m, -1, self.parent)
        angles = np.full(self.m, -1)
        angles[self.angle_links] = self.angle_columns
        turn = np.array([branch.turn for branch in self.branches])
        carriers = np.where(self.carriers == self.m, -1, self.carriers)
        return {
            "tree": 1, "parent": parent, "turn_column": angles,
            "arms": np.stack((self.a.real, self.a.imag, self.b.real, self.b.imag, turn), axis=1),
            "travel_ptr": np.searchsorted(self.travel_links, np.arange(self.m + 1)),
            "travels": np.stack((self.travel_columns, carriers, self.on_parent), axis=1),
            "travel_axis": np.stack((self.directions.real, self.directions.imag), axis=1),
            "pair_link": self.pair_link, "pair_joint": self.pair_joint,
            "slide_link": self.slide_link, "slide_travel": self.slide_travel,
        }  # fmt: skip

    # --- the frames and their derivatives -----------------------------------------------------------------

    def directions_of(self, q: Any) -> tuple[Any, Any]:
        """Return cos and sin of every link's angle (m + 1, lanes); the ground comes last."""
        theta = self.theta_of_q @ q + self.theta_zero
        ground = np.ones_like(theta[:1])
        return np.concatenate((np.cos(theta), ground)), np.concatenate((np.sin(theta), 0.0 * ground))

    def _steps(self, Ux: Any, Uy: Any, s: Any) -> tuple[Any, Any, Any, Any]:
        """Return the parts of O_k - O_parent that turn with the parent, and those that turn with the link itself."""
        px, py = _times(self.a, Ux[self.parent], Uy[self.parent])
        ox, oy = _times(self.b, Ux[:-1], Uy[:-1])
        if len(self.carriers):
            tx, ty = _times(self.directions, Ux[self.carriers], Uy[self.carriers])
            tx, ty, side = tx * s, ty * s, self.on_parent[:, None]
            px, py = px + self.travels_of @ (side * tx), py + self.travels_of @ (side * ty)
            ox, oy = ox + self.travels_of @ (~side * tx), oy + self.travels_of @ (~side * ty)
        return px, py, ox, oy

    def frames(self, q: Any) -> Any:
        """Return O_x, O_y, U_x, U_y of every link (4 m, lanes)."""
        Ux, Uy = self.directions_of(q)
        px, py, ox, oy = self._steps(Ux, Uy, q[self.travel_columns])
        return self._stack(self.paths @ (px + ox), self.paths @ (py + oy), Ux[:-1], Uy[:-1])

    def from_frames(self, X: Any) -> Any:
        """Return the coordinates (n, lanes) of given frames (4 m, lanes); angles of joints in (-pi, pi]."""
        ground = np.zeros_like(X[:1])
        O, U = (X[k::4] + 1j * X[k + 1 :: 4] for k in (0, 2))
        O, U = np.concatenate((O, ground)), np.concatenate((U, ground + 1))
        q = np.empty((self.n, X.shape[1]))
        turn = np.array([branch.turn for branch in self.branches])[:, None]
        relative = np.angle(U[:-1] * np.conj(U[self.parent]) * np.exp(-1j * turn))
        q[self.angle_columns] = relative[self.angle_links]
        vectors = O[:-1] - O[self.parent] - U[self.parent] * self.a[:, None] - U[:-1] * self.b[:, None]
        along = U[self.carriers] * self.directions[:, None]
        q[self.travel_columns] = np.real(np.conj(along) * vectors[self.travel_links])
        return q

    @staticmethod
    def _stack(*parts: Any) -> Any:
        return np.stack(parts, axis=1).reshape(4 * len(parts[0]), -1)

    @cached_property
    def map_pattern(self) -> tuple[Indices, Indices]:
        """Rows and columns of d(frames)/dq."""
        rows = [4 * self.pair_link + part for part in range(4)]
        rows += [4 * self.slide_link + part for part in range(2)]
        columns = [self.pair_column] * 4 + [self.travel_columns[self.slide_travel]] * 2
        return np.concatenate(rows), np.concatenate(columns)

    def frame_map(self, q: Any, X: Any) -> Any:
        """Return the entries of d(frames)/dq at the pattern, given the frames X(q)."""
        Ux, Uy = self.directions_of(q)
        px, py, _, _ = self._steps(Ux, Uy, q[self.travel_columns])
        ground = np.zeros_like(px[:1])
        Ox, Oy = np.concatenate((X[0::4], ground)), np.concatenate((X[1::4], ground))
        # A turn at joint j moves the links beyond it about its pivot: the end of the part that belongs to the parent.
        pivot_x, pivot_y = Ox[self.parent] + px, Oy[self.parent] + py
        k, j = self.pair_link, self.pair_joint
        entries = [pivot_y[j] - Oy[k], Ox[k] - pivot_x[j], -Uy[k], Ux[k]]
        tx, ty = _times(self.directions, Ux[self.carriers], Uy[self.carriers])
        return np.concatenate((*entries, tx[self.slide_travel], ty[self.slide_travel]))

    def seconds(self, q: Any, v: Any) -> Any:
        """Return the second rates of the frames at q'' = 0 (4 m, lanes)."""
        Ux, Uy = self.directions_of(q)
        omega = self.theta_of_q @ v
        omega = np.concatenate((omega, np.zeros_like(omega[:1])))
        # U'' = -omega^2 U; a travel adds 2 omega U~ d s'.
        Wx, Wy = -(omega**2) * Ux, -(omega**2) * Uy
        px, py, ox, oy = self._steps(Wx, Wy, q[self.travel_columns])
        if len(self.carriers):
            c = self.carriers
            tx, ty = _times(self.directions, -omega[c] * Uy[c], omega[c] * Ux[c])
            rate = 2 * v[self.travel_columns]
            ox, oy = ox + self.travels_of @ (tx * rate), oy + self.travels_of @ (ty * rate)
        return self._stack(self.paths @ (px + ox), self.paths @ (py + oy), Wx[:-1], Wy[:-1])
