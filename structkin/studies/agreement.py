"""Do two methods measure the same? Bland and Altman's limits, Shrout and Fleiss' intraclass correlation."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from structkin.errors import InputError, Problem
from structkin.types import Floats


@dataclass(frozen=True, slots=True)
class BlandAltman:
    """Means (n,) and differences (n,) of two methods; the mean difference and its limits of agreement.

    Within the limits, bias -+ 1.96 standard deviations, 95 % of the differences lie if they are normal: J. M. Bland,
    D. G. Altman, Statistical methods for assessing agreement between two methods of clinical measurement, Lancet 327
    (1986) 307-310.
    """

    means: Floats
    differences: Floats
    bias: float
    deviation: float

    @property
    def limits(self) -> tuple[float, float]:
        """The limits of agreement, lower and upper."""
        return self.bias - 1.96 * self.deviation, self.bias + 1.96 * self.deviation

    @property
    def outside(self) -> float:
        """The fraction of the differences that lie outside the limits."""
        low, high = self.limits
        return float(np.mean((self.differences < low) | (self.differences > high)))


def bland_altman(first: ArrayLike, second: ArrayLike) -> BlandAltman:
    """Compare two methods on n samples each; raises `InputError` if they differ in length or are not finite.

    >>> found = bland_altman([1.0, 2.0, 3.0], [1.5, 2.0, 3.4])
    >>> round(found.bias, 3), [round(x, 3) for x in found.limits]
    (-0.3, [-0.819, 0.219])
    """
    a, b = _pairs(first, second)
    difference = a - b
    return BlandAltman((a + b) / 2, difference, float(difference.mean()), float(difference.std(ddof=1)))


@dataclass(frozen=True, slots=True)
class IntraclassCorrelation:
    """Intraclass correlation of single measures: 1 if the methods agree.

    `consistency`, ICC(3,1), ignores a constant offset between them, `agreement`, ICC(2,1), does not: P. E. Shrout,
    J. L. Fleiss, Intraclass correlations: uses in assessing rater reliability, Psychol. Bulletin 86 (1979) 420-428.
    """

    consistency: float
    agreement: float


def intraclass_correlation(ratings: ArrayLike) -> IntraclassCorrelation:
    """Compare k methods on n samples (n, k), by two-way analysis of variance.

    Raises `InputError` if there are fewer than two of either, or a value is not finite.

    >>> found = intraclass_correlation([[1, 2], [2, 3], [3, 4], [4, 5]])
    >>> round(found.consistency, 12), round(found.agreement, 4)
    (1.0, 0.7692)
    """
    x = np.asarray(ratings, dtype=np.float64)
    if x.ndim != 2 or min(x.shape) < 2 or not np.isfinite(x).all():
        raise InputError([Problem("ratings", f"expected finite values (n, k), two or more each, found {x.shape}")])
    n, k = x.shape
    x = x - x.mean()
    rows, columns = x.mean(axis=1, keepdims=True), x.mean(axis=0, keepdims=True)
    between = k * float(np.sum(rows**2)) / (n - 1)
    judges = n * float(np.sum(columns**2)) / (k - 1)
    error = float(np.sum((x - rows - columns) ** 2)) / ((n - 1) * (k - 1))
    if between + error == 0:
        raise InputError([Problem("ratings", "do not vary from sample to sample", "a correlation needs that")])
    consistency = (between - error) / (between + (k - 1) * error)
    return IntraclassCorrelation(
        consistency, (between - error) / (between + (k - 1) * error + k * (judges - error) / n)
    )


def _pairs(first: ArrayLike, second: ArrayLike) -> tuple[Floats, Floats]:
    a, b = np.asarray(first, dtype=np.float64), np.asarray(second, dtype=np.float64)
    if a.ndim != 1 or a.shape != b.shape or len(a) < 2:
        raise InputError(
            [Problem("samples", f"expected two series (n,) of equal length, found {a.shape} and {b.shape}")]
        )
    if not (np.isfinite(a).all() and np.isfinite(b).all()):
        raise InputError([Problem("samples", "some are not finite", "leave them out of both series")])
    return a, b
