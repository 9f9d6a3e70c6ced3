"""The two homotopies: from products of linear forms, complete by Bezout; and between groups of one shape.

**Products.** Every equation is bilinear in k + k unknowns, so that 2k of them have at most C(2k, k) isolated common
solutions (the Bezout number of two groups of unknowns). Equations (g . Y)(gb . Yb) = 0 with random forms have exactly
that many: choose the k equations whose first factor is zero. Paths from all of them reach every isolated solution of
the target.

**Parameters.** Between two groups of one shape the parameters move in a straight line. From a start with random complex
parameters, whose solutions are all known, exactly as many paths as a general group of this shape has solutions reach
all isolated solutions of the target.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import combinations

import numpy as np

from structkin.branches.homotopy.path_tracking import Forms
from structkin.branches.homotopy.shape import Shape
from structkin.types import Complexes, Floats, Indices

Products = tuple[Indices, Indices, Complexes]


@dataclass(frozen=True)
class ProductHomotopy:
    """From products of random forms to the bilinear equations `here`, `conjugate` (forms, k + 1) with `products`."""

    here: Complexes
    conjugate: Complexes
    target: Products
    seed: int = 0

    @cached_property
    def _random(self) -> tuple[Complexes, Complexes, complex]:
        rng = np.random.default_rng(self.seed)
        shape = (len(self.target[2]), self.here.shape[1])
        first, second = (rng.normal(size=shape) + 1j * rng.normal(size=shape) for _ in range(2))
        return first, second, complex(np.exp(2j * np.pi * rng.random()))

    @cached_property
    def _stacks(self) -> tuple[Complexes, Complexes]:
        first, second, _ = self._random
        return np.concatenate((first, self.here)), np.concatenate((second, self.conjugate))

    @cached_property
    def products(self) -> Products:
        """The products of random forms, then those of the target."""
        i, j, sums = self.target
        n = len(sums)
        own = np.arange(n)
        return np.concatenate((own, i + n)), np.concatenate((own, j + n)), np.concatenate((np.eye(n), sums), axis=1)

    def forms(self, t: Floats, paths: Indices) -> Forms:
        """Return the forms, which are constant."""
        here, conjugate = (np.broadcast_to(x, (len(t), *x.shape)) for x in self._stacks)
        nothing = np.broadcast_to(0j, here.shape), np.broadcast_to(0j, conjugate.shape)
        return Forms(here, conjugate, *nothing)

    def weights(self, t: Floats) -> tuple[Complexes, Complexes]:
        """Return (1 - t) gamma for the start and t for the target, and the rates of both."""
        gamma, n = self._random[2], len(self.target[2])
        terms = self.target[2].shape[1]
        rate = np.concatenate((np.full(n, -gamma), np.ones(terms)))
        begin = np.concatenate((np.full(n, gamma), np.zeros(terms)))
        return begin + t[:, None] * rate, np.broadcast_to(rate, (len(t), n + terms))

    def starts(self) -> tuple[Complexes, Complexes]:
        """Return all C(2k, k) solutions Y, Yb of the start."""
        first, second, _ = self._random
        n, k = len(first), first.shape[1] - 1
        chosen = np.array(list(combinations(range(n), k)))
        others = np.array([sorted(set(range(n)) - set(pick)) for pick in chosen.tolist()])
        return _null_vectors(first[chosen]), _null_vectors(second[others])


@dataclass(frozen=True)
class ParameterHomotopy:
    """From parameters `start` to `target` in a straight line, each (p, pb): parameters and their conjugate halves.

    All paths have one target (p,), or each its own (paths, p). y = C x with the rows of `chart` (k, 2 links) are the
    coordinates; the linear forms give x from y.
    """

    shape: Shape
    start: tuple[Complexes, Complexes]
    target: tuple[Complexes, Complexes]
    chart: Complexes

    @property
    def products(self) -> Products:
        """The products of the shape."""
        return self.shape.products

    @cached_property
    def _halves(self) -> list[tuple[Complexes, Complexes, Complexes]]:
        """Of each half: the forms at the start, their difference to the target, the chart."""
        charts = self.chart, self.chart.conj()
        halves = []
        for start, target, chart in zip(self.start, self.target, charts, strict=True):
            begin = self.shape.matrix(start)
            halves.append((begin, self.shape.matrix(target) - begin, chart))
        return halves

    @cached_property
    def _straight(self) -> list[tuple[Complexes, Complexes]] | None:
        """The forms at the start and their rates, where only constants change: then these rates are constant."""
        if any(np.any(difference[..., 1:]) for _, difference, _ in self._halves):
            return None
        halves = []
        for begin, difference, chart in self._halves:
            many = np.arange(len(difference)) if difference.ndim == 3 else np.zeros(1, np.intp)
            first, last = (self._half(np.full(len(many), t), many, begin, difference, chart)[0] for t in (0.0, 1.0))
            halves.append((first[:1], last - first))
        return halves

    def forms(self, t: Floats, paths: Indices) -> Forms:
        """Return the forms over (1, y) and their rates."""
        if self._straight is None:
            (here, rate), (conjugate, conjugate_rate) = (self._half(t, paths, *half) for half in self._halves)
        else:
            (begin, direction), (other, other_direction) = self._straight
            rate, conjugate_rate = (
                np.broadcast_to(x, (len(t), *x.shape[1:])) if len(x) == 1 else x[paths]
                for x in (direction, other_direction)
            )
            here, conjugate = begin + t[:, None, None] * rate, other + t[:, None, None] * conjugate_rate
        return Forms(here, conjugate, rate, conjugate_rate)

    def weights(self, t: Floats) -> tuple[Complexes, Complexes]:
        """Return the weights: constant 1."""
        shape = (len(t), len(self.shape.terms))
        return np.broadcast_to(1 + 0j, shape), np.broadcast_to(0j, shape)

    def _half(
        self, t: Floats, paths: Indices, begin: Complexes, difference: Complexes, chart: Complexes
    ) -> tuple[Complexes, Complexes]:
        n = self.shape.linear
        difference = difference[paths] if difference.ndim == 3 else difference[None]
        forms = begin + t[:, None, None] * difference
        system = np.concatenate((forms[:, :n, 1:], np.broadcast_to(chart, (len(t), *chart.shape))), axis=1)
        inverse = np.asarray(np.linalg.inv(system), np.complex128)
        solution = expand(inverse, forms[:, :n, 0])
        change = -inverse[:, :, :n] @ (difference[:, :n] @ solution)
        return forms[:, n:] @ solution, difference[:, n:] @ solution + forms[:, n:, 1:] @ change


def expand(inverse: Complexes, constants: Complexes) -> Complexes:
    """Return the map (paths, 1 + 2 links, 1 + k) from (1, y) to (1, x), from the inverse of linear forms and chart."""
    n = constants.shape[1]
    paths, size, _ = inverse.shape
    result = np.zeros((paths, 1 + size, 1 + size - n), complex)
    result[:, 0, 0] = 1.0
    result[:, 1:, 0] = -(inverse[:, :, :n] @ constants[..., None])[..., 0]
    result[:, 1:, 1:] = inverse[:, :, n:]
    return result


def _null_vectors(rows: Complexes) -> Complexes:
    """Return the vector (n, k + 1) orthogonal to the k rows (n, k, k + 1)."""
    return np.asarray(np.linalg.svd(rows)[2][:, -1].conj())
