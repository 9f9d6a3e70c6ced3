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
from structkin.kinematics.kernels.group import ITERATIONS, SINGULAR, GroupKernel, group_kernel

Floats = NDArray[np.float64]
Indices = NDArray[np.intp]

#: What is known of the inputs of a group: None for those that move, else their value.
Known = tuple[complex | float | None, ...]


class Closer(Protocol):
    """A group's equations as three functions of inputs h and poses s."""

    @property
    def form(self) -> General:
        """The group's equations."""

    @property
    def known(self) -> Known:
        """The constants among its inputs."""

    @property
    def clear(self) -> float:
        """What the side of a pose that has rates may be as small as."""

    def newton(self, h: Floats, s: Floats, iterations: int = 12) -> tuple[Floats, Floats, Floats]:
        """Return closed poses, the last step (n,) relative to the size, infinite where it failed, and their sides (n,).

        The side is the sign of det Phi_phi, or any number of this sign: it changes at singular poses only.
        """

    def between(self, h: Floats, u: Floats, count: Indices, cubics: Floats) -> tuple[Floats, Floats, Floats, Floats]:
        """Close the lanes between stations from cubics (4, rows, intervals) through these.

        `u` (n,) is how far each lane is in its interval, `count` (intervals,) how many lanes there are in each. Return
        poses, last steps and sides as `newton` does, and how far the poses are from the cubics (n,).
        """

    def ahead(self, h: Floats, s: Floats, d: Floats) -> Floats:
        """Return poses moved along their tangents by changes d of the inputs."""

    def rates(self, h: Floats, s: Floats, d: Floats, e: Floats) -> tuple[Floats, Floats]:
        """Return first and second rates of poses by those of the inputs."""

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

    def between(self, h: Floats, u: Floats, count: Indices, cubics: Floats) -> tuple[Floats, Floats, Floats, Floats]:
        """Close lanes between stations."""
        return _from_cubics(self, h, u, count, cubics)

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

    @property
    def clear(self) -> float:
        """The side that tells by itself."""
        return self.kernel.clear

    def newton(self, h: Floats, s: Floats, iterations: int = 12) -> tuple[Floats, Floats, Floats]:
        """Close poses."""
        return self.kernel.newton(h, s, iterations, numba=self.numba)

    def between(self, h: Floats, u: Floats, count: Indices, cubics: Floats) -> tuple[Floats, Floats, Floats, Floats]:
        """Close lanes between stations."""
        if self.numba:
            return self.kernel.between(h, u, count, cubics, self.form.rows.size)
        return _from_cubics(self, h, u, count, cubics)

    def ahead(self, h: Floats, s: Floats, d: Floats) -> Floats:
        """Move poses along their tangents."""
        return self.kernel.ahead(h, s, d, numba=self.numba)

    def rates(self, h: Floats, s: Floats, d: Floats, e: Floats) -> tuple[Floats, Floats]:
        """Return first and second rates."""
        return self.kernel.rates(h, s, d, e, numba=self.numba)

    def singular(self, h: Floats, s: Floats) -> NDArray[np.bool_]:
        """Tell by the smallest singular value of the scaled Jacobian."""
        return Direct(self.form, self.known).singular(h, s)


def _from_cubics(
    closer: Closer, h: Floats, u: Floats, count: Indices, cubics: Floats
) -> tuple[Floats, Floats, Floats, Floats]:
    """Close lanes from cubics, each step of Newton's method over all of them."""
    interval = np.repeat(np.arange(len(count)), count)
    guess = np.take(cubics[3], interval, axis=1)
    for part in cubics[2::-1]:
        guess *= u
        guess += np.take(part, interval, axis=1)
    found, change, side = closer.newton(h, guess, ITERATIONS)
    return found, change, side, apart(closer.form, found, guess)


def apart(form: General, s: Floats, t: Floats, *, origins: bool = True) -> Floats:
    """Return how far poses are apart (n,): places relative to the size, directions and angles [rad]."""
    m, size = form.rows.links, form.rows.size
    gap = s - t
    blocks = gap[: 4 * m].reshape(m, 2, 2, -1)
    far = np.max(np.sqrt(np.sum(blocks[:, 1] ** 2, axis=1)), axis=0)
    if origins:
        far = np.maximum(far, np.max(np.abs(blocks[:, 0]), axis=(0, 1)) / size)
    return np.asarray(np.maximum(far, np.max(np.abs(gap[4 * m :]), axis=0, initial=0.0)))
