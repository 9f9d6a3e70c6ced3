"""The rows of a general group, closed by LAPACK's elimination: for groups of any kind, and as a check of kernels."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from structkin.groups import General
from structkin.numerical_tolerances import ITERATIONS, SINGULAR
from structkin.solve.tracking.intervals import BLOCK, Closed, Intervals
from structkin.types import Flags, Floats, Ints

#: Logarithms of determinants beyond this are not numbers any more.
LARGEST = 600.0

#: The inputs of a group: None for those that move, else their value.
Known = tuple[complex | float | None, ...]


@dataclass(frozen=True)
class Direct:
    """The rows of a group, with LAPACK's elimination; for redundant joints least squares."""

    form: General
    known: Known
    _zeros: tuple[float, ...] = field(init=False, repr=False)
    regular_determinant = np.inf
    compiled = False
    spacing = 0.15
    block = BLOCK
    few = 8

    def __post_init__(self) -> None:
        """Prepare the right side of a velocity."""
        object.__setattr__(self, "_zeros", (0.0,) * self.form.rows.equations)

    def values(self, h: Floats) -> tuple[Any, ...]:
        """Return all inputs as group functions take them."""
        return self._values(h, 1.0)

    def _values(self, h: Floats, constants: float) -> tuple[Any, ...]:
        found: list[Any] = []
        row = 0
        for j, value in enumerate(self.known):
            vector = j < self.form.rows.vectors
            if value is not None:
                part = constants * value
                found.append(np.array([[np.real(part)], [np.imag(part)]]) if vector else np.array([np.real(part)]))
                continue
            found.append(h[row : row + 2] if vector else h[row])
            row += 2 if vector else 1
        return tuple(found)

    def split(self, s: Floats) -> tuple[Floats, Floats]:
        """Return origins (m, 2, n) and angles (m, n) of poses."""
        m = self.form.rows.links
        blocks = s[: 4 * m].reshape(m, 2, 2, -1)
        theta = np.arctan2(blocks[:, 1, 1], blocks[:, 1, 0])
        theta[list(self.form.rows.angles)] = s[4 * m :]
        return blocks[:, 0], theta

    def join(self, O: Floats, theta: Floats) -> Floats:
        """Return poses from origins and angles."""
        return np.concatenate([np.atleast_2d(part) for part in self.form.unknowns(O, theta)])

    def phi(self, s: Floats) -> tuple[Floats, ...]:
        """Return poses as unknowns of the group."""
        m = self.form.rows.links
        return (*s[: 4 * m].reshape(2 * m, 2, -1), *s[4 * m :])

    def newton(self, h: Floats, s: Floats, iterations: int = 12) -> tuple[Floats, Floats, Floats]:
        """Close poses."""
        values = self.values(h)
        O, theta, change = self.form.newton(values, *self.split(s), iterations=iterations)
        found = self.join(O, theta)
        if self.form.rows.count > 3 * self.form.rows.links:
            # Redundant rows have no determinant: what is zero with it stands in.
            return found, change, self.sigma(h, found)
        sign, log = np.linalg.slogdet(self.form.jacobian(values, self.phi(found)))
        return found, change, sign * np.exp(np.clip(log, -LARGEST, LARGEST))

    def steps(self, h: Floats, s: Floats, start: float, doubtful: float) -> tuple[Floats, Floats]:
        """Return no points: steps are taken one by one."""
        return np.empty((len(s), 0)), np.empty(0)

    def between(
        self, h: Sequence[Floats], lengths: Floats, intervals: Intervals, out: Floats, *, each: bool = False
    ) -> Closed:
        """Close lanes between points."""
        guess = intervals.guess(lengths, self.form.rows.links)
        out[:], change, determinant = self.newton(np.array(h).reshape(len(h), len(lengths)), guess, ITERATIONS)
        return Closed.of(np.array((change * change, determinant, apart(self.form, out, guess) ** 2)))

    def ahead(self, h: Floats, s: Floats, d: Floats) -> Floats:
        """Move poses along their tangents."""
        O, theta = self.split(s)
        v = np.concatenate([np.atleast_2d(x) for x in self._linear(h, s, d, self._zeros)])
        m = len(O)
        dO, dU = np.moveaxis(v[: 4 * m].reshape(m, 2, 2, -1), 1, 0)
        return self.join(O + dO, theta - np.sin(theta) * dU[:, 0] + np.cos(theta) * dU[:, 1])

    def rates(self, h: Floats, s: Floats, d: Floats, e: Floats) -> tuple[Floats, Floats]:
        """Return first and second rates."""
        first = self._linear(h, s, d, self._zeros)
        dh = self._values(d, 0.0)
        g = self.form.convective(self.values(h), self.phi(s), dh, first, dh, first)
        second = self._linear(h, s, e, g)
        v, w = (np.concatenate([np.atleast_2d(x) for x in part]) for part in (first, second))
        return v, w

    def write_rates(self, x: Floats, inputs: Ints, first: int, low: int, high: int) -> None:
        """Write first and second rates into x (3, rows, n), in the lanes from low to high."""
        rows = slice(first, first + 4 * self.form.rows.links + len(self.form.rows.angles))
        h, d, e = (x[order, inputs, low:high] for order in range(3))
        x[1, rows, low:high], x[2, rows, low:high] = self.rates(h, x[0, rows, low:high], d, e)

    def _linear(self, h: Floats, s: Floats, d: Floats, g: Sequence[Any]) -> tuple[Any, ...]:
        return self.form.linear(self.values(h), self.phi(s), self._values(d, 0.0), tuple(g))

    def singular(self, h: Floats, s: Floats) -> Flags:
        """Decide by the smallest singular value of the scaled Jacobian."""
        return np.asarray(self.sigma(h, s) < SINGULAR)

    def sigma(self, h: Floats, s: Floats) -> Floats:
        """Return the smallest singular value of the scaled Jacobian (n,)."""
        return np.asarray(self.form.smallest_singular_value(self.values(h), self.phi(s)))


def apart(form: General, s: Floats, t: Floats, *, origins: bool = True) -> Floats:
    """Return how far poses are apart (n,): places relative to the size, directions and angles [rad]."""
    m, gap = form.rows.links, s - t
    gap = np.abs(gap)
    angles, blocks = gap[4 * m :], gap[: 4 * m].reshape(m, 4, -1)
    far = np.hypot(blocks[:, 2], blocks[:, 3]).max(axis=0)
    if origins:
        # A size whose square is beyond the range of numbers is still a size.
        far = np.maximum(far, blocks[:, :2].max(axis=(0, 1)) / form.rows.size)
    return np.asarray(np.maximum(far, angles.max(axis=0)) if len(angles) else far)
