"""All assembly modes of one general group at known inputs."""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Any

import numpy as np

from structkin.branches.homotopy.bilinear import compressed
from structkin.branches.homotopy.homotopies import ProductHomotopy
from structkin.branches.homotopy.path_tracking import follow
from structkin.branches.homotopy.reality import Modes, real_modes
from structkin.branches.homotopy.shape import Described, Shape, describe
from structkin.branches.homotopy.solutions import (
    NotEnumeratedError,
    Solutions,
    at_ends,
    check_pairs,
    nothing,
    solutions,
)
from structkin.branches.homotopy.start_solutions import Chart, chart_at
from structkin.groups import General, Rows
from structkin.numerical_tolerances import RANK
from structkin.rows.curves import Curve
from structkin.rows.relations import ByLaw, DrivenAngle, FaceOnProfile, OnCurve, OnProfile, Stepped, TurnByLaw
from structkin.types import Complexes


@lru_cache(maxsize=256)
def _described(rows: Rows) -> Described:
    return describe(rows)


def described_as(form: General) -> Described:
    """Return a group's shape and its parameters as functions of its inputs; the result is kept."""
    return _described(form.rows)


def modes_of(form: General, h: tuple[Any, ...]) -> Modes:
    """Return all assembly modes of a general group at inputs `h` of one lane: vectors (2, 1), scalars (1,) or float.

    Raises `NotEnumeratedError` for rows that are not handled here, and for groups with too many unknowns.
    """
    _check(form.rows)
    chart, parameters = equations_of(form, h)
    if chart is None or form.rows.count > 3 * form.rows.links:
        return redundant_modes(form, h, _described(form.rows).shape, parameters)
    return real_modes(form, h, chart, solutions(chart, parameters))


def certificate_of(form: General, h: tuple[Any, ...], origins: Complexes, directions: Complexes) -> float:
    """Return Smale's alpha of one pose, origins and directions (links,), of a group that need not be enumerated.

    NaN where the pose is singular, or the equations are not handled here.
    """
    try:
        _check(form.rows)
    except NotEnumeratedError:
        return math.nan
    chart, _ = equations_of(form, h)
    if chart is None:
        return math.nan
    y = (np.concatenate((origins / form.rows.size, directions)) @ chart.rows.T)[None]
    return float(chart.bilinear.certificate(y, y.conj())[0][0])


def equations_of(form: General, h: tuple[Any, ...]) -> tuple[Chart | None, tuple[Complexes, Complexes]]:
    """Return a group's equations in the coordinates that its linear ones leave free, and its parameters in both halves.

    None in place of the equations where the linear ones depend on each other.
    """
    described = _described(form.rows)
    half = described.parameters(h)
    if not np.isfinite(half).all():
        raise ValueError("an input is not finite")
    parameters = half, half.conj()
    return chart_at(described.shape, parameters), parameters


#: What the rows of each relation belong to.
_WORDS = {
    ByLaw: "cams", TurnByLaw: "cams", OnProfile: "cams", FaceOnProfile: "cams", Stepped: "Geneva wheels",
    OnCurve: "curved slots",
}  # fmt: skip


def _check(rows: Rows) -> None:
    """Refuse rows that have no isotropic equations."""
    curves = [form.relation for form in rows.forms if isinstance(form, Curve) and form.relation != DrivenAngle()]
    if rows.angles or curves:
        wheels = ["gears, racks or rolling contacts"] if rows.angles else []
        found = sorted(_WORDS.get(type(relation), "joints that are not algebraic") for relation in curves)
        what = " and ".join(dict.fromkeys([*wheels, *found]))
        raise NotEnumeratedError(f"it has {what}: its modes are not enumerated")


# --- redundant joints, and linear equations that depend by special geometry ---------------------------------

# Such a group has more equations than unknowns, and a general one of its shape has no solution at all. Random
# combinations of its equations, as many as it has unknowns, have all its solutions among theirs; those that satisfy
# every equation are kept.


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
    rank = int((values > RANK * np.max(values, initial=0.0)).sum())
    known = np.linalg.lstsq(matrix[:n, 1:], -matrix[:n, 0], rcond=RANK)[0]
    if np.max(np.abs(matrix[:n, 1:] @ known + matrix[:n, 0]), initial=0.0) > RANK:
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
