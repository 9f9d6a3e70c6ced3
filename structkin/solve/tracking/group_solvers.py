"""The solvers of a general group over many lanes: kernels generated from its rows, or the rows themselves.

A pose is an array (rows, n): O_x, O_y, U_x, U_y of each link, then the angles that gears turn. Inputs are the moving
ones, as rows (inputs, n); constants belong to the solver.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from typing import Any, Protocol

import numpy as np

from structkin.groups import General
from structkin.kernels.group import GroupKernel, group_kernel
from structkin.numerical_tolerances import CLOSED, ITERATIONS
from structkin.solve.tracking.direct import Direct, Known
from structkin.solve.tracking.intervals import BLOCK, Closed, Intervals
from structkin.types import Flags, Floats, Ints

#: Newton steps on all lanes of a block; then only lanes that have not converged continue.
TOGETHER = 2
#: Fewer lanes continue together: selecting lanes would take longer than the steps it saves.
SMALL = 512
#: Up to this number, lanes are computed one by one without a compiler.
FEW = 12


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
    """The generated functions of a group; for few lanes plain Python is faster than NumPy."""

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

    @cached_property
    def _numbers(self) -> list[float]:
        found: list[float] = self.kernel.constants.tolist()
        return found

    def newton(self, h: Floats, s: Floats, iterations: int = 12) -> tuple[Floats, Floats, Floats]:
        """Close poses."""
        n = s.shape[1]
        found, found_rest = np.empty(s.shape), np.empty((2, n))
        if not n:
            return found, found_rest[0], found_rest[1]
        if n <= FEW and not self.compiled:
            return self._newton_of_few(h, s, iterations)
        h, s = np.ascontiguousarray(h), np.ascontiguousarray(s)
        going: Any = None
        for k in range(iterations):
            t, r = np.empty_like(s), np.empty((2, s.shape[1]))
            if self.compiled:
                self.kernel.compiled.call("newton", h, s, self.kernel.constants, t, r)
            else:
                _write(self.kernel.arrays.newton(h, s, self._numbers), t, r)
            left = ~(r[0] < CLOSED**2)
            if going is None:
                found, found_rest = t, r
            else:
                found[:, going], found_rest[:, going] = t, r
            if k + 1 == iterations or not left.any():
                break
            s = t
            if k + 1 >= TOGETHER and len(left) > SMALL:
                place = np.flatnonzero(left)
                going = place if going is None else going[place]
                h, s = h[:, place], t[:, place]
        change = np.sqrt(found_rest[0])
        return found, np.where(np.isfinite(change), change, np.inf), found_rest[1]

    def _newton_of_few(self, h: Floats, s: Floats, iterations: int) -> tuple[Floats, Floats, Floats]:
        newton, c = self.kernel.numbers.newton, self._numbers
        found, changes, determinants = [], [], []
        for here, begin in zip(h.T.tolist(), s.T.tolist(), strict=True):
            pose, change, determinant = begin, math.nan, math.nan
            try:
                for _ in range(iterations):
                    *pose, change, determinant = newton(here, pose, c)
                    if change < CLOSED**2:
                        break
            except (ArithmeticError, ValueError):
                pose, change, determinant = [math.nan] * len(pose), math.inf, math.nan
            found.append(pose)
            changes.append(math.sqrt(change) if change < math.inf else math.inf)
            determinants.append(determinant)
        return np.array(found).T, np.array(changes), np.array(determinants)

    def steps(self, h: Floats, s: Floats, start: float, doubtful: float) -> tuple[Floats, Floats]:
        """Step from point to point, each by a tangent predictor and Newton's method."""
        determinants, weight = np.full(h.shape[1], np.nan), 1 / self.form.rows.size
        if self.compiled:
            t = np.empty((len(s), len(determinants)))
            t[:, 0] = s
            parts = start, weight, doubtful, self.kernel.constants, t, determinants
            count = self.kernel.compiled.call("steps", np.ascontiguousarray(h), *parts)
            return t[:, 1:count], determinants[1:count]
        found, rest = [[value] + [np.nan] * h.shape[1] for value in s.tolist()], determinants.tolist()
        # At a singular pose, keep the poses reached before it.
        with suppress(ArithmeticError, ValueError):
            self.kernel.numbers.steps(h.tolist(), start, weight, doubtful, self._numbers, found, rest)
        determinants = np.array(rest)
        count = len(determinants) - int(np.isnan(determinants[1:]).sum())
        return np.array(found)[:, 1:count], determinants[1:count]

    def between(
        self, h: Sequence[Floats], lengths: Floats, intervals: Intervals, out: Floats, *, each: bool = False
    ) -> Closed:
        """Close lanes between points."""
        if not self.compiled:
            lanes = np.empty((3, len(lengths)))
            for part, some in intervals.parts():
                guess = some.guess(lengths[part], self.form.rows.links)
                self._close([row[part] for row in h], guess, out[:, part], lanes[:, part])
            return Closed.of(lanes)
        parts = intervals.count, intervals.begin, intervals.inverse, intervals.curves, self.kernel.constants
        lanes, inputs = np.empty((3, len(lengths) if each else 0)), tuple(map(np.ascontiguousarray, h))
        bad, least, most = self.kernel.compiled.call("between", inputs, lengths, *parts, tuple(out), lanes)
        return Closed(bad == 0, least, most, lanes)

    def _close(self, h: Sequence[Floats], guess: Floats, out: Floats, r: Floats) -> None:
        """Close lanes from a guess (rows, n), by NumPy.

        `r` (3, n) takes the square of the last step, the determinant, and a bound on the squared distance of the pose
        from the guess.
        """
        n, t, far = guess.shape[1], guess, r[2]
        far[:] = 0.0
        for k in range(ITERATIONS):
            _write(self.kernel.arrays.newton(h, t, self._numbers), t, r)
            far += r[0]
            if r[0].max() < CLOSED**2:
                break
            left = np.flatnonzero(~(r[0] < CLOSED**2))
            if k >= TOGETHER and 2 * len(left) < n:
                here = np.array([row[left] for row in h]).reshape(len(h), len(left))
                t[:, left], change, r[1, left] = self.newton(here, t[:, left], ITERATIONS - k - 1)
                r[0, left] = change * change
                far[left] += r[0, left]
                break
        out[:] = t
        far *= ITERATIONS

    def ahead(self, h: Floats, s: Floats, d: Floats) -> Floats:
        """Move poses along their tangents."""
        t = np.empty(s.shape)
        if self.compiled:
            self.kernel.compiled.call("ahead", *map(np.ascontiguousarray, (h, s, d)), self.kernel.constants, t)
            return t
        if s.shape[1] > FEW:
            _write(self.kernel.arrays.ahead(h, s, d, self._numbers), t)
            return t
        self._each(self.kernel.numbers.ahead, t, h, s, d)
        return t

    def rates(self, h: Floats, s: Floats, d: Floats, e: Floats) -> tuple[Floats, Floats]:
        """Return first and second rates."""
        k, n = len(h), s.shape[1]
        if n <= FEW and not self.compiled:
            found = np.empty((2 * len(s), n))
            self._each(self.kernel.numbers.rates, found, h, s, d, e)
            return found[: len(s)], found[len(s) :]
        x = np.empty((3, k + len(s), n))
        x[0, :k], x[1, :k], x[2, :k], x[0, k:] = h, d, e, s
        self.write_rates(x, np.arange(k), k, 0, n)
        return x[1, k:], x[2, k:]

    def _each(self, function: Callable[..., tuple[float, ...]], out: Floats, *parts: Floats) -> None:
        """Write what a function of numbers returns for each lane into out (rows, n); NaN where it is not defined."""
        for lane, numbers in enumerate(zip(*[part.T.tolist() for part in parts], strict=True)):
            try:
                out[:, lane] = function(*numbers, self._numbers)
            except (ArithmeticError, ValueError):
                out[:, lane] = np.nan

    def write_rates(self, x: Floats, inputs: Ints, first: int, low: int, high: int) -> None:
        """Write first and second rates into x (3, rows, n), in the lanes from low to high."""
        if self.compiled:
            self.kernel.compiled.call("rates", x, inputs, first, low, high, self.kernel.constants)
            return
        own = slice(first, first + 4 * self.form.rows.links)
        for start in range(low, high, BLOCK):
            part = slice(start, min(start + BLOCK, high))
            h, d, e = ([x[order, k, part] for k in inputs] for order in range(3))
            terms = self.kernel.arrays.rates(h, x[0, own, part], d, e, self._numbers)
            _write(terms, x[1, own, part], x[2, own, part])

    def singular(self, h: Floats, s: Floats) -> Flags:
        """Tell by the smallest singular value of the scaled Jacobian."""
        return Direct(self.form, self.known).singular(h, s)


def _write(terms: Iterable[Any], *arrays: Floats) -> None:
    """Write results into the rows of arrays, one after the other."""
    for term, row in zip(terms, chain(*arrays), strict=False):
        row[:] = term


def scales_of(solver: GroupSolver) -> list[tuple[int, float]]:
    """Return the number of rows of each input that moves, and its size."""
    rows = solver.form.rows
    moving = [j for j, value in enumerate(solver.known) if value is None]
    return [(2 if j < rows.vectors else 1, rows.input_size(j)) for j in moving]


def weights_of(solver: GroupSolver) -> Floats:
    """Return the weights of the inputs (inputs, 1): one over the size of each."""
    return np.array([1 / scale for width, scale in scales_of(solver) for _ in range(width)])[:, None]
