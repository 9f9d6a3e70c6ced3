"""Modes of a group with redundant joints, or whose linear equations depend by special geometry.

Such a group is no general one of its shape, which has no solution at all. As many random combinations of its equations
as it has unknowns have all its solutions among theirs; those that fulfil every equation are kept.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from structkin.branches.homotopy.bilinear import compressed
from structkin.branches.homotopy.homotopies import ProductHomotopy
from structkin.branches.homotopy.path_tracking import Complexes, follow
from structkin.branches.homotopy.reality import Modes, real_modes
from structkin.branches.homotopy.shape import Shape
from structkin.branches.homotopy.solutions import Solutions, at_ends, check_pairs, nothing
from structkin.branches.homotopy.start import Chart
from structkin.groups import General

#: Singular values of the linear equations below this part of the largest are zero.
DEPENDENT = 1e-9


def redundant_modes(form: General, h: tuple[Any, ...], shape: Shape, parameters: tuple[Complexes, Complexes]) -> Modes:
    """Return all isolated modes of a group whose equations are too many or depend on each other."""
    chart = _chart(shape, parameters)
    if chart is None:
        # The linear equations contradict each other: no pose.
        size = 2 * shape.links
        empty = np.zeros((0, size), complex)
        lift = np.eye(1 + size, dtype=complex)
        chart = Chart(shape, (empty, empty), np.eye(size, dtype=complex), (lift, lift))
        return real_modes(form, h, chart, nothing(size))
    return real_modes(form, h, chart, _solutions(chart))


def _chart(shape: Shape, parameters: tuple[Complexes, Complexes]) -> Chart | None:
    n = shape.linear
    matrix = shape.matrix(parameters[0])
    values, right = np.linalg.svd(matrix[:n, 1:])[1:]
    rank = int((values > DEPENDENT * np.max(values, initial=0.0)).sum())
    known = np.linalg.lstsq(matrix[:n, 1:], -matrix[:n, 0], rcond=DEPENDENT)[0]
    if np.max(np.abs(matrix[:n, 1:] @ known + matrix[:n, 0]), initial=0.0) > DEPENDENT:
        return None
    rows = right[rank:]
    lift = np.zeros((1 + len(known), 1 + len(rows)), complex)
    lift[0, 0], lift[1:, 0], lift[1:, 1:] = 1.0, known, rows.conj().T
    return Chart(shape, (matrix, shape.matrix(parameters[1])), rows, (lift, lift.conj()))


def _solutions(chart: Chart) -> Solutions:
    k, equations = len(chart.rows), chart.shape.equations
    if k == 0:
        return Solutions(np.zeros((1, 0), complex), np.zeros((1, 0), complex))
    if equations < 2 * k:
        return nothing(k, endless=True)
    check_pairs(k)
    first, second, sums = chart.shape.products
    homotopy = ProductHomotopy(*chart.forms, (first, second, compressed(sums, 2 * k)))
    return at_ends(follow(homotopy, *homotopy.starts()), None)
