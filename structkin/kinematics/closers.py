"""What closes a general group over lanes side by side: kernels written from its rows, or the rows themselves.

A pose is an array (rows, n): O_x, O_y, U_x, U_y of each link, then the angles that gears turn. Inputs are those that
move, as rows (inputs, n); what is constant belongs to the closer.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from structkin.groups import General
from structkin.kinematics.kernels.group import SINGULAR, GroupKernel, group_kernel
from structkin.kinematics.kernels.limits import BETWEEN, CLOSED, ITERATIONS

Floats = NDArray[np.float64]
Indices = NDArray[np.intp]

#: What is known of the inputs of a group: None for those that move, else their value.
Known = tuple[complex | float | None, ...]


@dataclass(frozen=True)
class Intervals:
    """The ways between pairs of stations, side by side.

    `count` (k,) lanes belong to each, from its first station on; it begins at `begin` (k,) on the way and is
    1 / `inverse` (k,) long. `curves` (6, rows, k) are the coefficients of curves through poses, by powers of the part
    of the way.
    """

    count: Indices
    begin: Floats
    inverse: Floats
    curves: Floats

    def guess(self, way: Floats, links: int) -> Floats:
        """Return the poses (rows, n) of the curves at places (n,) on the way, their directions nearly unit vectors."""
        u = (way - np.repeat(self.begin, self.count)) * np.repeat(self.inverse, self.count)
        guess = np.repeat(self.curves[5], self.count, axis=1)
        for part in self.curves[4::-1]:
            guess *= u
            guess += np.repeat(part, self.count, axis=1)
        for k in range(2, 4 * links, 4):
            x, y = guess[k : k + 2]
            guess[k : k + 2] *= 1.5 - 0.5 * (x * x + y * y)
        return guess


@dataclass(frozen=True)
class Closed:
    """How lanes closed from their curves.

    `good` says whether all are closed near their curves, `least` and `most` are the smallest and the largest side.
    `lanes` (3, n) are the squares of the last step, the sides, and bounds of the squares of the ways from the curve.
    """

    good: bool
    least: float
    most: float
    lanes: Floats

    @classmethod
    def of(cls, lanes: Floats) -> Closed:
        """Look at all lanes."""
        change, side, far = lanes
        return cls(bool(change.max() < CLOSED and far.max() < BETWEEN**2), float(side.min()), float(side.max()), lanes)

    @property
    def closed(self) -> NDArray[np.bool_]:
        """Which lanes are closed near their curves."""
        return np.asarray((self.lanes[0] < CLOSED) & (self.lanes[2] < BETWEEN**2))


class Closer(Protocol):
    """A group's equations as functions of inputs h and poses s."""

    @property
    def form(self) -> General:
        """The group's equations."""

    @property
    def known(self) -> Known:
        """The constants among its inputs."""

    @property
    def clear(self) -> float:
        """What the side of a pose that has rates may be as small as."""

    @property
    def numba(self) -> bool:
        """Whether its functions are compiled."""

    @property
    def stride(self) -> float:
        """The way of the inputs between two stations, relative to the group's size."""

    @property
    def block(self) -> int:
        """Lanes that are closed together."""

    @property
    def few(self) -> int:
        """So many stations take less time one by one than together."""

    def newton(self, h: Floats, s: Floats, iterations: int = 12) -> tuple[Floats, Floats, Floats]:
        """Return closed poses, the last step (n,) relative to the size, infinite where it failed, and their sides (n,).

        The side is the sign of det Phi_phi, or any number of this sign: it changes at singular poses only.
        """

    def walk(self, h: Floats, s: Floats, start: float, doubt: float) -> tuple[Floats, Floats]:
        """Walk from a pose s (rows,) through inputs h (inputs, n + 1), of which the first are those of the pose.

        Return the poses (rows, k) and the sides (k,) of as many as single steps lead to, none behind a side that is not
        larger than `doubt`; `start` is the sign of the side of s.
        """

    def between(
        self, h: Sequence[Floats], way: Floats, intervals: Intervals, out: Floats, *, each: bool = False
    ) -> Closed:
        """Close the lanes of some intervals between stations, `way` (n,) along; poses go to `out` (rows, n).

        `h` is one array (n,) an input. Unless `each` lane is asked for, there may be nothing about single ones.
        """

    def ahead(self, h: Floats, s: Floats, d: Floats) -> Floats:
        """Return poses moved along their tangents by changes d of the inputs."""

    def rates(self, h: Floats, s: Floats, d: Floats, e: Floats) -> tuple[Floats, Floats]:
        """Return first and second rates of poses by those of the inputs."""

    def write_rates(self, x: Floats, inputs: NDArray[np.int64], first: int, low: int, high: int) -> None:
        """Write such rates into x (3, rows, n), in the lanes from low to high.

        `inputs` are the rows of the inputs that move, `first` is the first row of the poses.
        """

    def singular(self, h: Floats, s: Floats) -> NDArray[np.bool_]:
        """Return which poses have no rates."""


def closer_of(form: General, known: Known, *, numba: bool = False) -> Closer:
    """Return the closer of a group: its kernels, or where it has none its rows."""
    kernel = group_kernel(form.rows, known)
    return Direct(form, known) if kernel is None else Kernels(form, known, kernel, numba)


@dataclass(frozen=True)
class Direct:
    """The rows of a group, with LAPACK's elimination; for redundant joints least squares."""

    form: General
    known: Known
    _zeros: tuple[float, ...] = field(init=False, repr=False)
    clear = np.inf
    numba = False
    stride = 0.15
    block = 8192
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
        found, sides = self.join(O, theta), np.ones(s.shape[1])
        if self.form.rows.count == 3 * self.form.rows.links:
            # Redundant rows have no determinant; their poses are told apart by small steps alone.
            U = found[: 4 * self.form.rows.links].reshape(-1, 2, 2, s.shape[1])[:, 1]
            sides = np.linalg.slogdet(self.form.jacobian(values, O, U))[0]
        return found, change, sides

    def walk(self, h: Floats, s: Floats, start: float, doubt: float) -> tuple[Floats, Floats]:
        """Walk nowhere: steps are taken one by one."""
        return np.empty((len(s), 0)), np.empty(0)

    def between(
        self, h: Sequence[Floats], way: Floats, intervals: Intervals, out: Floats, *, each: bool = False
    ) -> Closed:
        """Close lanes between stations."""
        guess = intervals.guess(way, self.form.rows.links)
        out[:], change, side = self.newton(np.array(h).reshape(len(h), len(way)), guess, ITERATIONS)
        return Closed.of(np.array((change * change, side, apart(self.form, out, guess) ** 2)))

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
        bend = self.form.convective(self.values(h), self.phi(s), dh, first, dh, first)
        second = self._linear(h, s, e, bend)
        v, w = (np.concatenate([np.atleast_2d(x) for x in part]) for part in (first, second))
        return v, w

    def write_rates(self, x: Floats, inputs: NDArray[np.int64], first: int, low: int, high: int) -> None:
        """Write first and second rates into x (3, rows, n), in the lanes from low to high."""
        rows = slice(first, first + 4 * self.form.rows.links + len(self.form.rows.angles))
        h, d, e = (x[order, inputs, low:high] for order in range(3))
        x[1, rows, low:high], x[2, rows, low:high] = self.rates(h, x[0, rows, low:high], d, e)

    def _linear(self, h: Floats, s: Floats, d: Floats, g: Sequence[Any]) -> tuple[Any, ...]:
        return self.form.linear(self.values(h), self.phi(s), self._values(d, 0.0), tuple(g))

    def singular(self, h: Floats, s: Floats) -> NDArray[np.bool_]:
        """Tell by the smallest singular value of the scaled Jacobian."""
        return np.asarray(self.form.smallest_singular_value(self.values(h), self.phi(s)) < SINGULAR)


@dataclass(frozen=True)
class Kernels:
    """The kernels of a group."""

    form: General
    known: Known
    kernel: GroupKernel
    numba: bool
    #: A curve through two stations is so near that two steps of Newton's method close the lanes between.
    stride = 0.1

    @property
    def block(self) -> int:
        """Lanes whose buffers stay in the cache; compiled code has blocks of its own."""
        return 131072 if self.numba else 8192

    @property
    def few(self) -> int:
        """So many stations take less time one by one than together."""
        return 64 if self.numba else 8

    @property
    def clear(self) -> float:
        """The side that tells by itself."""
        return self.kernel.clear

    def newton(self, h: Floats, s: Floats, iterations: int = 12) -> tuple[Floats, Floats, Floats]:
        """Close poses."""
        return self.kernel.newton(h, s, iterations, numba=self.numba)

    def walk(self, h: Floats, s: Floats, start: float, doubt: float) -> tuple[Floats, Floats]:
        """Walk from station to station."""
        return self.kernel.walk(h, s, start, self.form.rows.size, doubt, numba=self.numba)

    def between(
        self, h: Sequence[Floats], way: Floats, intervals: Intervals, out: Floats, *, each: bool = False
    ) -> Closed:
        """Close lanes between stations."""
        if not self.numba:
            return Closed.of(self.kernel.close(h, intervals.guess(way, self.form.rows.links), out))
        parts = intervals.count, intervals.begin, intervals.inverse, intervals.curves
        lanes = np.empty((3, len(way) if each else 0))
        bad, least, most = self.kernel.between(h, way, *parts, out, lanes)
        return Closed(bad == 0, least, most, lanes)

    def ahead(self, h: Floats, s: Floats, d: Floats) -> Floats:
        """Move poses along their tangents."""
        return self.kernel.ahead(h, s, d, numba=self.numba)

    def rates(self, h: Floats, s: Floats, d: Floats, e: Floats) -> tuple[Floats, Floats]:
        """Return first and second rates."""
        k = len(h)
        x = np.empty((3, k + len(s), s.shape[1]))
        x[0, :k], x[1, :k], x[2, :k], x[0, k:] = h, d, e, s
        self.kernel.rates(x, np.arange(k), k, 0, s.shape[1], numba=self.numba)
        return x[1, k:], x[2, k:]

    def write_rates(self, x: Floats, inputs: NDArray[np.int64], first: int, low: int, high: int) -> None:
        """Write first and second rates into x (3, rows, n), in the lanes from low to high."""
        self.kernel.rates(x, inputs, first, low, high, numba=self.numba)

    def singular(self, h: Floats, s: Floats) -> NDArray[np.bool_]:
        """Tell by the smallest singular value of the scaled Jacobian."""
        return Direct(self.form, self.known).singular(h, s)


def apart(form: General, s: Floats, t: Floats, *, origins: bool = True) -> Floats:
    """Return how far poses are apart (n,): places relative to the size, directions and angles [rad]."""
    m, gap = form.rows.links, s - t
    angles = np.abs(gap[4 * m :])
    gap *= gap
    blocks = gap[: 4 * m].reshape(m, 4, -1)
    far = (blocks[:, 2] + blocks[:, 3]).max(axis=0)
    if origins:
        far = np.maximum(far, blocks[:, :2].max(axis=(0, 1)) * form.rows.size**-2.0)
    far = np.sqrt(far)
    return np.asarray(np.maximum(far, angles.max(axis=0)) if len(angles) else far)


def scales_of(closer: Closer) -> list[tuple[int, float]]:
    """Return the number of rows of each input that moves, and its size."""
    rows = closer.form.rows
    return [
        (2 if j < rows.vectors else 1, 1.0 if j < len(rows.unit) and rows.unit[j] else rows.size)
        for j, value in enumerate(closer.known)
        if value is None
    ]


def weights_of(closer: Closer) -> Floats:
    """Return what makes inputs comparable (inputs, 1): one over the size of each."""
    return np.array([1 / scale for width, scale in scales_of(closer) for _ in range(width)])[:, None]
