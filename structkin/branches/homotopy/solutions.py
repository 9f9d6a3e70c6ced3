"""All solutions of a chart's bilinear equations: closed form where there is one, else homotopy.

k pairs of unknowns                       method
0                                         none needed: the linear equations suffice
any, without a product of unknowns        linear equations (every direction is known)
1                                         a quadratic equation
2, with an equation u ub = 1 among them   a polynomial of degree 6 at most (triads, class IV order 2)
2 or more                                 paths from all solutions of a general group of this shape
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from structkin.branches.homotopy.bilinear import Bilinear
from structkin.branches.homotopy.homotopies import ParameterHomotopy
from structkin.branches.homotopy.path_tracking import Ends, follow
from structkin.branches.homotopy.start_solutions import Chart, starts_of
from structkin.errors import StructkinError
from structkin.groups.platform import one_pair, platform
from structkin.numerical_tolerances import RANK, ROUNDING_OF_FEW, SAME_SOLUTION
from structkin.types import Complexes

#: More pairs of unknowns than this have too many solutions to list: finding their starts takes C(2k, k) paths.
MOST_PAIRS = 6


class NotEnumeratedError(StructkinError):
    """The modes of a group are not listed; the text says why."""


@dataclass(frozen=True)
class Solutions:
    """Candidates for all solutions y, yb (n, k) of a chart's equations.

    `total` is the number of solutions of a general group of this shape, None where it was not counted. Ends at infinity
    are left out and counted in `lost`. `endless`: the equations vanish along a curve.
    """

    y: Complexes
    yb: Complexes
    total: int | None = None
    lost: int = 0
    endless: bool = False


def solutions(chart: Chart, parameters: tuple[Complexes, Complexes]) -> Solutions:
    """Return all solutions of a chart's equations."""
    closed = closed_form(chart)
    if closed is not None:
        return closed
    check_pairs(len(chart.rows))
    return by_parameters(chart, parameters)


def closed_form(chart: Chart) -> Solutions | None:
    """Return all solutions of a chart's equations by a closed form, None where there is none."""
    bilinear = chart.bilinear
    k = bilinear.unknowns
    if k == 0:
        return Solutions(np.zeros((1, 0), complex), np.zeros((1, 0), complex), 1)
    if k == 1:
        pair = one_pair(bilinear.M)
        if pair is None:
            return nothing(k, endless=True)
        return Solutions(pair[0][:, None], pair[1][:, None], 2)
    if np.max(np.abs(bilinear.M[:, 1:, 1:])) < ROUNDING_OF_FEW * np.max(np.abs(bilinear.M)):
        return _by_lines(bilinear)
    return _by_platform(chart, bilinear) if k == 2 else None


def _by_lines(bilinear: Bilinear) -> Solutions | None:
    """Solve equations without products of unknowns: all directions are known; None where they depend."""
    k, M = bilinear.unknowns, bilinear.M
    rows = np.concatenate((M[:, 1:, 0], M[:, 0, 1:]), axis=1)
    values = np.linalg.svd(rows, compute_uv=False)
    if len(rows) != 2 * k or values[-1] < RANK * values[0]:
        return None
    found = np.linalg.solve(rows, -M[:, 0, 0])[None].astype(np.complex128)
    return Solutions(found[:, :k], found[:, k:], 1)


def check_pairs(k: int) -> None:
    """Raise `NotEnumeratedError` where there are too many pairs of unknowns."""
    if k > MOST_PAIRS:
        raise NotEnumeratedError(f"{k} coupled loops have too many modes to list (at most {MOST_PAIRS} loops)")


def nothing(k: int, *, endless: bool = False) -> Solutions:
    """Return no solution."""
    return Solutions(np.zeros((0, k), complex), np.zeros((0, k), complex), endless=endless)


def _by_platform(chart: Chart, bilinear: Bilinear) -> Solutions | None:
    """Solve two pairs of unknowns where one equation is u ub = 1, with u the direction of a link."""
    units = _unit_equations(chart)
    if not units:
        return None
    here = chart.forms[0]
    # The link whose direction is least constrained by the linear equations is the best conditioned.
    equation, form = max(units, key=lambda unit: np.linalg.norm(here[unit[1], 1:]))
    row = here[form]
    free = np.linalg.norm(row[1:])
    if free < RANK:
        return None
    # New coordinates Y = G (1, z, u): u is that direction, z is orthogonal to it.
    along = row[1:].conj() / free**2
    across = np.array((-row[2], row[1])) / free
    G = np.zeros((3, 3), complex)
    G[0, 0], G[1:, 0], G[1:, 1], G[1:, 2] = 1.0, -row[0] * along, across, along
    legs = np.delete(np.arange(4), equation)
    M = np.einsum("ap,eab,bq->epq", G, bilinear.M[legs], G.conj())
    found = platform(M)
    if found is None:
        return None
    z, zb, u = found
    one = np.ones_like(u)
    with np.errstate(all="ignore"):
        Y, Yb = np.stack((one, z, u), axis=1) @ G.T, np.stack((one, zb, 1 / u), axis=1) @ G.conj().T
    good = np.isfinite(Y).all(axis=1) & np.isfinite(Yb).all(axis=1)
    return Solutions(Y[good, 1:], Yb[good, 1:])


def _unit_equations(chart: Chart) -> list[tuple[int, int]]:
    """Return (equation, form) of each equation u ub = 1; forms are counted after the linear ones."""
    shape = chart.shape
    found = []
    for equation in range(shape.equations):
        terms = [term for term in shape.terms if term[0] == equation]
        first = terms[0]
        # A distance has a parameter in place of 1 * 1.
        if len(terms) == 2 and first[1] == first[2] and first[3] == 1.0 and terms[1][1] == terms[1][2]:
            found.append((equation, first[1] - shape.linear))
    return found


def by_parameters(chart: Chart, parameters: tuple[Complexes, Complexes]) -> Solutions:
    """Follow all solutions of a general group of this shape to this geometry."""
    starts = starts_of(chart.shape)
    homotopy = ParameterHomotopy(chart.shape, starts.parameters, parameters, chart.rows)
    one = np.ones((len(starts), 1), complex)
    Y = np.concatenate((one, starts.x @ chart.rows.T), axis=1)
    Yb = np.concatenate((one, starts.xb @ chart.rows.conj().T), axis=1)
    for careful in (1.0, 0.1, 0.01):
        ends = follow(homotopy, Y, Yb, careful=careful)
        if not _jumped(ends):
            break
    return at_ends(ends, len(starts))


def at_ends(ends: Ends, total: int | None) -> Solutions:
    """Return the finite ends of paths."""
    y, yb = (places[ends.finite] for places in ends.places)
    return Solutions(y, yb, total, int((~ends.finite).sum()))


def _jumped(ends: Ends) -> bool:
    """Return whether two regular ends coincide: a path has jumped to another."""
    places = np.concatenate(ends.places, axis=1)[ends.regular & ends.finite]
    gaps = np.linalg.norm(places[:, None] - places[None], axis=2)
    gaps[np.diag_indices(len(places))] = np.inf
    return bool(np.min(gaps, initial=np.inf) < SAME_SOLUTION)
