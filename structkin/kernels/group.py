"""Kernels of general groups: Newton's method, the step along the tangent, and rates, vectorized over lanes.

All arrays are (rows, n). The formulas are those of `group_rows`, generated for NumPy or Numba like those of the closed
forms, and kept in the same store; for few lanes plain Python is faster than NumPy calls.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import chain
from types import ModuleType
from typing import Any

import numpy as np

from structkin.groups import Rows
from structkin.kernels import store
from structkin.kernels.group_rows import formulas
from structkin.kernels.group_source import numba_source, plain_source
from structkin.kernels.kernel import Kernel
from structkin.track.tolerances import CLOSED, ITERATIONS, SINGULAR
from structkin.types import Floats, Indices, Ints

#: With more terms than this LAPACK's elimination is faster; more than COMPILED take a minute to compile.
MOST, COMPILED = 6000, 1000
#: Newton steps on all lanes of a block; then only lanes that have not converged continue.
TOGETHER = 2
#: Fewer lanes continue together: selecting lanes would take longer than the steps it saves.
SMALL = 512
#: Up to this number, lanes are computed one by one without a compiler.
FEW = 4

#: How much larger the diagonal of a triangle may be than the smallest singular value.
MARGIN = 1000.0

#: The functions that Numba compiles.
FUNCTIONS = ("between", "steps", "newton", "ahead", "rates")


@dataclass(frozen=True)
class GroupKernel:
    """The kernels of a group, and its constants.

    If the determinant is larger than `regular_determinant`, the smallest singular value is not near zero. `terms` is
    the number of operations of a Newton step; `numbers` and `arrays` are the sources of the plain functions.
    """

    kernel: Kernel
    numbers: str
    arrays: str
    constants: Floats
    regular_determinant: float
    terms: int

    @cached_property
    def _numbers(self) -> list[float]:
        found: list[float] = self.constants.tolist()
        return found

    def _plain(self, *, few: bool = False) -> ModuleType:
        return store.plain("Group", self.numbers if few else self.arrays)

    def newton(self, h: Floats, s: Floats, iterations: int, *, compiled: bool) -> tuple[Floats, Floats, Floats]:
        """Run Newton's method from poses s (4 links, n) at inputs h.

        Return the poses, the last step (n,) relative to the size, infinite where it failed, and the determinant (n,).
        """
        n = s.shape[1]
        found, found_rest = np.empty(s.shape), np.empty((2, n))
        if not n:
            return found, found_rest[0], found_rest[1]
        if n <= FEW and not compiled:
            return self._newton_of_few(h, s, iterations)
        h, s = np.ascontiguousarray(h), np.ascontiguousarray(s)
        going: Any = None
        for k in range(iterations):
            t, r = np.empty_like(s), np.empty((2, s.shape[1]))
            if compiled:
                self.kernel.call("newton", h, s, self.constants, t, r)
            else:
                _write(self._plain().newton(h, s, self._numbers), t, r)
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
        newton, c = self._plain(few=True).newton, self._numbers
        found, rest = np.empty(s.shape), np.full((2, s.shape[1]), np.inf)
        for lane, (here, begin) in enumerate(zip(h.T.tolist() or [[]] * s.shape[1], s.T.tolist(), strict=True)):
            pose, change, determinant = begin, np.nan, np.nan
            try:
                for _ in range(iterations):
                    *pose, change, determinant = newton(here, pose, c)
                    if change < CLOSED**2:
                        break
            except (ArithmeticError, ValueError):
                pose, change, determinant = [np.nan] * len(pose), np.inf, np.nan
            found[:, lane], rest[:, lane] = pose, (change, determinant)
        change = np.sqrt(rest[0])
        return found, np.where(np.isfinite(change), change, np.inf), rest[1]

    def steps(
        self, h: Floats, s: Floats, start: float, size: float, doubtful: float, *, compiled: bool
    ) -> tuple[Floats, Floats]:
        """Track from a pose s (rows,) through inputs h (inputs, n + 1), the first of which belong to the pose.

        Each step is a tangent predictor followed by Newton's method. Return the poses (rows, k) and determinants (k,)
        accepted in sequence, up to the first determinant not larger than `doubtful`. `start` is the sign of the
        determinant of s.
        """
        determinants = np.full(h.shape[1], np.nan)
        if compiled:
            t = np.empty((len(s), len(determinants)))
            t[:, 0] = s
            c = self.constants
            count = self.kernel.call("steps", np.ascontiguousarray(h), start, 1 / size, doubtful, c, t, determinants)
            return t[:, 1:count], determinants[1:count]
        found, rest = [[value] + [np.nan] * h.shape[1] for value in s.tolist()], determinants.tolist()
        # At a singular pose, keep the poses reached before it.
        with suppress(ArithmeticError, ValueError):
            self._plain(few=True).steps(h.tolist(), start, 1 / size, doubtful, self._numbers, found, rest)
        determinants = np.array(rest)
        count = len(determinants) - int(np.isnan(determinants[1:]).sum())
        return np.array(found)[:, 1:count], determinants[1:count]

    def between(
        self,
        h: Sequence[Floats],
        lengths: Floats,
        count: Indices,
        begin: Floats,
        inverse: Floats,
        curves: Floats,
        out: Floats,
        r: Floats,
    ) -> tuple[int, float, float]:
        """Close lanes from curves (6, rows, intervals) between points, by compiled code.

        `lengths` (n,) is the path coordinate of each lane, `count` (intervals,) the number of lanes per interval,
        `begin` its start and `inverse` one over its length. The poses are written to `out` (rows, n); the square of the
        last step, the determinant, and a bound on the squared distance from the curve to `r` (3, n), unless it is (3,
        0). Return the number of lanes not closed near the curves, and the smallest and the largest determinant.
        """
        inputs, rows = tuple(map(np.ascontiguousarray, h)), tuple(out)
        parts = count, begin, inverse, curves, self.constants, rows, r
        found: tuple[int, float, float] = self.kernel.call("between", inputs, lengths, *parts)
        return found

    def close(self, h: Sequence[Floats], guess: Floats, out: Floats, r: Floats) -> None:
        """Close lanes from a guess (rows, n), as `between` does, by NumPy."""
        n, t, far = guess.shape[1], guess, r[2]
        far[:] = 0.0
        for k in range(ITERATIONS):
            _write(self._plain().newton(h, t, self._numbers), t, r)
            far += r[0]
            if r[0].max() < CLOSED**2:
                break
            left = np.flatnonzero(~(r[0] < CLOSED**2))
            if k >= TOGETHER and 2 * len(left) < n:
                here = np.array([row[left] for row in h]).reshape(len(h), len(left))
                found = self.newton(here, t[:, left], ITERATIONS - k - 1, compiled=False)
                t[:, left], change, r[1, left] = found
                r[0, left] = change * change
                far[left] += r[0, left]
                break
        out[:] = t
        far *= ITERATIONS

    def ahead(self, h: Floats, s: Floats, d: Floats, *, compiled: bool) -> Floats:
        """Return poses moved along their tangents by changes d of the inputs."""
        t = np.empty(s.shape)
        if s.shape[1] <= FEW and not compiled:
            none: list[list[float]] = [[]] * s.shape[1]
            ahead, c = self._plain(few=True).ahead, self._numbers
            for lane, (here, pose, change) in enumerate(
                zip(h.T.tolist() or none, s.T.tolist(), d.T.tolist() or none, strict=True)
            ):
                try:
                    t[:, lane] = ahead(here, pose, change, c)
                except (ArithmeticError, ValueError):
                    t[:, lane] = np.nan
            return t
        if compiled:
            self.kernel.call("ahead", *map(np.ascontiguousarray, (h, s, d)), self.constants, t)
        else:
            _write(self._plain().ahead(h, s, d, self._numbers), t)
        return t

    def rates(self, x: Floats, inputs: Ints, first: int, low: int, high: int, *, compiled: bool) -> None:
        """Compute first and second rates of poses from those of the inputs, x (3, rows, n), in lanes low to high.

        `inputs` are the rows of the inputs, `first` is the first row of the pose.
        """
        if compiled:
            self.kernel.call("rates", x, inputs, first, low, high, self.constants)
            return
        h, d, e = ([x[order, k, low:high] for k in inputs] for order in range(3))
        terms = self._plain().rates(h, x[0, first:, low:high], d, e, self._numbers)
        half = len(terms) // 2
        _write(terms, x[1, first : first + half, low:high], x[2, first : first + half, low:high])


def _write(terms: Iterable[Any], *arrays: Floats) -> None:
    """Write results into the rows of arrays, one after the other."""
    for term, row in zip(terms, chain(*arrays), strict=False):
        row[:] = term


@lru_cache(maxsize=256)
def group_kernel(rows: Rows, known: tuple[complex | float | None, ...]) -> GroupKernel | None:
    """Return the kernels of a group; `known` holds the constants among its inputs, None for variable ones.

    Return None if it has no such formulas, or too many.
    """
    found = formulas(rows, known)
    if found is None:
        return None
    terms = len(found.graph.below(found.corrected))
    if terms > MOST:
        return None
    numbers, arrays = (plain_source(found, library) for library in ("math", "numpy"))
    constants = np.array(found.constants)
    return GroupKernel(Kernel("Group", numba_source(found)), numbers, arrays, constants, MARGIN * SINGULAR, terms)
