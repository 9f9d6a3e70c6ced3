"""All solutions of a general group of one shape, at random complex parameters: found once, then kept.

They are the starts for every group of this shape. None is missed: paths from a start that is complete by Bezout's
theorem end in all of them, and a second geometry must give the same number.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from structkin.branches.homotopy.bilinear import CERTIFIED, Bilinear
from structkin.branches.homotopy.homotopies import ProductHomotopy, expand
from structkin.branches.homotopy.path_tracking import follow
from structkin.branches.homotopy.shape import Shape
from structkin.numerical_tolerances import RANK_OF_SOLVED, SAME_SOLVED
from structkin.types import Complexes, Floats


@dataclass(frozen=True)
class Chart:
    """The equations of a shape at one geometry, in coordinates y = C x of the solutions of its linear forms.

    `lift` (1 + 2 links, 1 + k) is the map from (1, y) to (1, x), for each half.
    """

    shape: Shape
    matrices: tuple[Complexes, Complexes]
    rows: Complexes
    lift: tuple[Complexes, Complexes]

    @property
    def forms(self) -> tuple[Complexes, Complexes]:
        """The forms that are multiplied, over (1, y), for each half (forms, 1 + k)."""
        n = self.shape.linear
        here, conjugate = (matrix[n:] @ lift for matrix, lift in zip(self.matrices, self.lift, strict=True))
        return here, conjugate

    @property
    def bilinear(self) -> Bilinear:
        """The equations that are not linear."""
        first, second, sums = self.shape.products
        here, conjugate = self.forms
        return Bilinear(np.einsum("et,ta,tb->eab", sums, here[first], conjugate[second]))


def chart_at(shape: Shape, parameters: tuple[Complexes, Complexes]) -> Chart | None:
    """Return coordinates at these parameters and their conjugate halves; None where the linear forms depend.

    y are the coordinates of x along an orthonormal basis of the space that the linear forms leave free.
    """
    n, size = shape.linear, 2 * shape.links
    here, conjugate = (shape.matrix(half) for half in parameters)
    _, values, right = np.linalg.svd(here[:n, 1:])
    if n and (len(values) < n or values[-1] < RANK_OF_SOLVED * values[0]):
        return None
    rows = right[n:]
    lifts = []
    for matrix, chart in ((here, rows), (conjugate, rows.conj())):
        system = np.concatenate((matrix[:n, 1:], chart)).reshape(1, size, size)
        lifts.append(expand(np.linalg.inv(system), matrix[None, :n, 0])[0])
    return Chart(shape, (here, conjugate), rows, (lifts[0], lifts[1]))


@dataclass(frozen=True)
class Starts:
    """All solutions x, xb (n, 2 links) of a group at random parameters, with their conjugate halves."""

    parameters: tuple[Complexes, Complexes]
    x: Complexes
    xb: Complexes

    def __len__(self) -> int:
        """Return the number of solutions."""
        return len(self.x)


#: Most geometries that are tried until two have the same number of solutions.
ATTEMPTS = 6


@lru_cache(maxsize=64)
def starts_of(shape: Shape) -> Starts:
    """Return all solutions of a general group of this shape; the result is kept.

    Raises `ArithmeticError` where no two of six geometries have the same number: that would be a defect.
    """
    counts: dict[int, Starts] = {}
    for seed in range(ATTEMPTS):
        found = _solve_random(shape, seed)
        if found is None:
            continue
        if len(found) in counts:
            return found
        counts[len(found)] = found
    raise ArithmeticError(f"the number of solutions of a general group is not settled: {sorted(counts)}")


def _solve_random(shape: Shape, seed: int) -> Starts | None:
    rng = np.random.default_rng(seed)
    halves = rng.normal(size=(2, shape.parameters)) + 1j * rng.normal(size=(2, shape.parameters))
    parameters = halves[0], halves[1]
    chart = chart_at(shape, parameters)
    if chart is None:
        return None
    homotopy = ProductHomotopy(*chart.forms, shape.products, seed)
    ends = follow(homotopy, *homotopy.starts())
    keep = ends.regular & ends.finite
    y, yb = (places[keep] for places in ends.places)
    y, yb = chart.bilinear.newton(y, yb)
    alpha, beta = chart.bilinear.certificate(y, yb)
    good = alpha < CERTIFIED
    y, yb, beta = y[good], yb[good], beta[good]
    single = distinct(np.concatenate((y, yb), axis=1), beta)
    x, xb = (lifted(lift, places[single]) for lift, places in zip(chart.lift, (y, yb), strict=True))
    return Starts(parameters, x, xb)


def lifted(lift: Complexes, y: Complexes) -> Complexes:
    """Return x (n, 2 links) at y (n, k)."""
    return np.asarray(lift[1:, 0] + y @ lift[1:, 1:].T)


def distinct(places: Complexes, beta: Floats) -> list[int]:
    """Return the indices of solutions (n, .) that are certified to differ: their distance exceeds 2 beta of both."""
    kept: list[int] = []
    for k, place in enumerate(places):
        if all(np.linalg.norm(place - places[j]) > 2 * (beta[k] + beta[j]) + SAME_SOLVED for j in kept):
            kept.append(k)
    return kept
