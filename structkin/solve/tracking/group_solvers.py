"""The solvers of a general group over many lanes: kernels generated from its rows, or the rows themselves.

A pose is an array (rows, n): O_x, O_y, U_x, U_y of each link, then the angles that gears turn. Inputs are the moving
ones, as rows (inputs, n); constants belong to the solver.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from structkin.groups import General
from structkin.kernels.group import GroupKernel, group_kernel
from structkin.solve.tracking.direct import Direct, Known
from structkin.solve.tracking.intervals import BLOCK, Closed, Intervals
from structkin.types import Flags, Floats, Ints


class GroupSolver(Protocol):
    """A group's equations as functions of inputs h and poses s."""

    @property
    def form(self) -> General:
        """The group's equations."""

    @property
    def known(self) -> Known:
        """The constants among its inputs."""

    @property
    def regular_determinant(self) -> float:
        """The smallest determinant of a pose that has rates."""

    @property
    def compiled(self) -> bool:
        """Whether its functions are compiled."""

    @property
    def spacing(self) -> float:
        """The distance of the inputs between two points, relative to the group's size."""

    @property
    def block(self) -> int:
        """Lanes that are closed together."""

    @property
    def few(self) -> int:
        """Up to this many points are faster one by one than together."""

    def newton(self, h: Floats, s: Floats, iterations: int = 12) -> tuple[Floats, Floats, Floats]:
        """Return closed poses, the last step (n,) relative to the size, infinite where it failed, and determinants.

        The determinant is det Phi_phi up to a constant factor: its sign changes only at singular poses. Of redundant
        rows it is the smallest singular value.
        """

    def steps(self, h: Floats, s: Floats, start: float, doubtful: float) -> tuple[Floats, Floats]:
        """Step from a pose s (rows,) through inputs h (inputs, n + 1), of which the first are those of the pose.

        Return the poses (rows, k) and the determinants (k,) of as many as single steps reach, none after a determinant
        that is not larger than `doubtful`; `start` is the sign of the determinant of s.
        """

    def between(
        self, h: Sequence[Floats], lengths: Floats, intervals: Intervals, out: Floats, *, each: bool = False
    ) -> Closed:
        """Close the lanes of some intervals between points, `lengths` (n,) along; poses go to `out` (rows, n).

        `h` is one array (n,) per input. Unless `each` lane is requested, results of single lanes may be missing.
        """

    def ahead(self, h: Floats, s: Floats, d: Floats) -> Floats:
        """Return poses moved along their tangents by changes d of the inputs."""

    def rates(self, h: Floats, s: Floats, d: Floats, e: Floats) -> tuple[Floats, Floats]:
        """Return first and second rates of poses by those of the inputs."""

    def write_rates(self, x: Floats, inputs: Ints, first: int, low: int, high: int) -> None:
        """Write such rates into x (3, rows, n), in the lanes from low to high.

        `inputs` are the rows of the inputs that move, `first` is the first row of the poses.
        """

    def singular(self, h: Floats, s: Floats) -> Flags:
        """Return which poses have no rates."""


def group_solver_of(form: General, known: Known, *, compiled: bool = False) -> GroupSolver:
    """Return the solver of a group: its kernels, or where it has none its rows."""
    kernel = group_kernel(form.rows, known)
    return Direct(form, known) if kernel is None else Kernels(form, known, kernel, compiled)


@dataclass(frozen=True)
class Kernels:
    """The kernels of a group."""

    form: General
    known: Known
    kernel: GroupKernel
    compiled: bool
    #: A curve through two points is so close that two steps of Newton's method close the lanes between them.
    spacing = 0.1

    @property
    def block(self) -> int:
        """Lanes between points whose curves are computed together: fewer for large groups."""
        return 131072 if self.compiled else BLOCK * max(1, 32 // (4 * self.form.rows.links))

    @property
    def few(self) -> int:
        """Up to this many points are faster one by one than together."""
        return 160 if self.compiled else 8

    @property
    def regular_determinant(self) -> float:
        """The smallest determinant of a clearly regular pose."""
        return self.kernel.regular_determinant

    def newton(self, h: Floats, s: Floats, iterations: int = 12) -> tuple[Floats, Floats, Floats]:
        """Close poses."""
        return self.kernel.newton(h, s, iterations, compiled=self.compiled)

    def steps(self, h: Floats, s: Floats, start: float, doubtful: float) -> tuple[Floats, Floats]:
        """Step from point to point."""
        return self.kernel.steps(h, s, start, self.form.rows.size, doubtful, compiled=self.compiled)

    def between(
        self, h: Sequence[Floats], lengths: Floats, intervals: Intervals, out: Floats, *, each: bool = False
    ) -> Closed:
        """Close lanes between points."""
        if not self.compiled:
            lanes = np.empty((3, len(lengths)))
            for part, some in intervals.parts():
                guess = some.guess(lengths[part], self.form.rows.links)
                self.kernel.close([row[part] for row in h], guess, out[:, part], lanes[:, part])
            return Closed.of(lanes)
        parts = intervals.count, intervals.begin, intervals.inverse, intervals.curves
        lanes = np.empty((3, len(lengths) if each else 0))
        bad, least, most = self.kernel.between(h, lengths, *parts, out, lanes)
        return Closed(bad == 0, least, most, lanes)

    def ahead(self, h: Floats, s: Floats, d: Floats) -> Floats:
        """Move poses along their tangents."""
        return self.kernel.ahead(h, s, d, compiled=self.compiled)

    def rates(self, h: Floats, s: Floats, d: Floats, e: Floats) -> tuple[Floats, Floats]:
        """Return first and second rates."""
        k = len(h)
        x = np.empty((3, k + len(s), s.shape[1]))
        x[0, :k], x[1, :k], x[2, :k], x[0, k:] = h, d, e, s
        self.kernel.rates(x, np.arange(k), k, 0, s.shape[1], compiled=self.compiled)
        return x[1, k:], x[2, k:]

    def write_rates(self, x: Floats, inputs: Ints, first: int, low: int, high: int) -> None:
        """Write first and second rates into x (3, rows, n), in the lanes from low to high."""
        size = high - low if self.compiled else BLOCK
        for start in range(low, high, size or 1):
            self.kernel.rates(x, inputs, first, start, min(start + size, high), compiled=self.compiled)

    def singular(self, h: Floats, s: Floats) -> Flags:
        """Tell by the smallest singular value of the scaled Jacobian."""
        return Direct(self.form, self.known).singular(h, s)


def scales_of(solver: GroupSolver) -> list[tuple[int, float]]:
    """Return the number of rows of each input that moves, and its size."""
    rows = solver.form.rows
    moving = [j for j, value in enumerate(solver.known) if value is None]
    return [(2 if j < rows.vectors else 1, rows.input_size(j)) for j in moving]


def weights_of(solver: GroupSolver) -> Floats:
    """Return the weights of the inputs (inputs, 1): one over the size of each."""
    return np.array([1 / scale for width, scale in scales_of(solver) for _ in range(width)])[:, None]
