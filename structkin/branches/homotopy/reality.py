"""From complex solutions to assembly modes: the real ones, refined on the group's own rows and certified."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from structkin.branches.homotopy.bilinear import CERTIFIED
from structkin.branches.homotopy.start_solutions import Chart, lifted
from structkin.groups import General
from structkin.numerical_tolerances import CLOSED, HALF_DIGITS, SAME_POSE, SAME_SOLVED, SOLVED_POSE
from structkin.rows.row import Row
from structkin.types import Complexes, Flags, Floats, Indices

if TYPE_CHECKING:
    from structkin.branches.homotopy.solutions import Solutions

#: A complex solution may be real where it is nearer to its own conjugate than this; Newton's method decides.
NEARLY_REAL = 2e-3
#: Singular poses closer than this are the same.
SAME = 2e-5
#: Coordinates larger than this are at infinity.
INFINITE = 1e6


@dataclass(frozen=True)
class Modes:
    """All assembly modes of a general group: n poses of m links, sorted by the angle of the link with most points.

    `origins` (n, m) [m] and `directions` (n, m) are complex. `alpha` (n,) is Smale's certificate of each (below 0.1577
    it is proved that a true solution lies there), NaN where the mode is singular; `multiplicity` (n,) is the number of
    solutions that coincide in it. `total` is the number of complex solutions of a general group of this shape,
    `complex` that of this one, `lost` how many of its paths ended at infinity. `gap` is the distance of the nearest
    complex solution from being real, relative to the size; infinite where all are real. With `endless` a mode can move
    with the inputs held: infinitely many poses.
    """

    origins: Complexes
    directions: Complexes
    alpha: Floats
    multiplicity: Indices
    total: int | None
    complex: int
    lost: int
    gap: float
    endless: bool

    def __len__(self) -> int:
        """Return the number of modes."""
        return len(self.origins)

    @property
    def certified(self) -> Flags:
        """Which modes are proved to be near a unique regular solution (n,)."""
        return np.asarray(self.alpha < CERTIFIED)


def real_modes(form: General, h: tuple[Any, ...], chart: Chart, found: Solutions) -> Modes:
    """Return the modes among candidates for all solutions."""
    y, yb, solved = _polished(chart, found)
    counted = _single(np.concatenate((y, yb), axis=1)[solved])
    gaps = np.linalg.norm(yb - y.conj(), axis=1) / (2 + np.linalg.norm(y, axis=1) + np.linalg.norm(yb, axis=1))
    near = gaps < NEARLY_REAL
    x = 0.5 * (lifted(chart.lift[0], y) + lifted(chart.lift[1], yb).conj())
    m, size = form.rows.links, form.rows.size
    z, theta, step = _on_real_rows(form, h, x[near, :m] * size, np.angle(x[near, m:]))
    places = np.concatenate((z / size, np.exp(1j * theta)), axis=1)
    y_real = places @ chart.rows.T
    residual = _residual(chart, places, y_real)
    closed = np.flatnonzero(residual < SOLVED_POSE)
    alpha, _ = chart.bilinear.certificate(y_real, y_real.conj())
    # Where Newton's method converges slowly, solutions coincide.
    singular = ~(alpha < CERTIFIED) | (step > CLOSED)
    picks, counts = _merge(places, closed, singular)
    order = np.lexsort((*np.round(np.angle(places[picks, m:]), 9).T[::-1], _lead(form, theta[picks])))
    picks, counts = picks[order], counts[order]
    # A complex pair may lead Newton's method to a real solution elsewhere: that does not make it real.
    moved = np.linalg.norm(places - x[near], axis=1) / (1 + np.linalg.norm(places, axis=1))
    reals = near.copy()
    reals[near] = (residual < SOLVED_POSE) & (moved < 10 * gaps[near] + SAME_POSE)
    others = gaps[~reals & solved]
    endless = found.endless or any(
        chart.bilinear.is_on_curve(y_real[k], y_real[k].conj()) for k in picks[singular[picks]]
    )
    return Modes(
        z[picks],
        np.exp(1j * theta[picks]),
        np.where(singular[picks], np.nan, alpha[picks]),
        counts,
        found.total,
        counted,
        found.lost,
        float(np.min(others, initial=np.inf)),
        endless,
    )


def _polished(chart: Chart, found: Solutions) -> tuple[Complexes, Complexes, Flags]:
    """Correct candidates by Newton's method, as long as it stays near them; return which are solutions (n,) too."""
    y, yb = chart.bilinear.newton(found.y, found.yb)
    size = 1 + np.linalg.norm(found.y, axis=1) + np.linalg.norm(found.yb, axis=1)
    moved = np.linalg.norm(y - found.y, axis=1) + np.linalg.norm(yb - found.yb, axis=1)
    stay = (moved < 1e-3 * size)[:, None]
    y, yb = np.where(stay, y, found.y), np.where(stay, yb, found.yb)
    finite = np.linalg.norm(y, axis=1) + np.linalg.norm(yb, axis=1) < INFINITE
    return y, yb, finite & (chart.bilinear.relative(y, yb) < HALF_DIGITS)


def _single(places: Complexes) -> int:
    """Return how many places are different."""
    kept: list[Complexes] = []
    for place in places:
        if all(np.linalg.norm(place - other) > SAME * (1 + np.linalg.norm(place)) for other in kept):
            kept.append(place)
    return len(kept)


def _on_real_rows(form: General, h: tuple[Any, ...], z: Complexes, theta: Floats) -> tuple[Complexes, Floats, Floats]:
    """Refine poses (n, m) on the rows that motions are solved with; return them with the last step (n,)."""
    n = len(z)
    if n == 0:
        return z, theta, np.zeros(0)
    O = np.stack((z.T.real, z.T.imag), axis=1)
    wide = tuple(np.broadcast_to(v, (*np.shape(v)[:-1], n)) for v in map(np.atleast_1d, h))
    with np.errstate(all="ignore"):
        O, angles, step = form.newton(wide, O, theta.T, iterations=40)
    return (O[:, 0] + 1j * O[:, 1]).T, angles.T, step


def _residual(chart: Chart, places: Complexes, y: Complexes) -> Floats:
    """Return the largest residual (n,) at real poses x (n, 2 links), relative to its terms."""
    linear = np.abs(lifted(chart.lift[0], y) - places) / (1 + np.linalg.norm(places, axis=1, keepdims=True))
    worst = np.maximum(chart.bilinear.relative(y, y.conj()), np.max(linear, axis=1, initial=0.0))
    return np.asarray(np.where(np.isfinite(worst), worst, np.inf))


def _merge(places: Complexes, closed: Indices, singular: Flags) -> tuple[Any, Any]:
    """Return one index for each different pose, and how many candidates coincide in it."""
    picks: list[int] = []
    counts: list[int] = []
    for k in closed:
        for at, other in enumerate(picks):
            if np.linalg.norm(places[k] - places[other]) < (SAME if singular[k] or singular[other] else SAME_SOLVED):
                counts[at] += 1
                break
        else:
            picks.append(int(k))
            counts.append(1)
    # A candidate that a closed form lists twice is not multiple: only singular modes are.
    multiplicities = [max(count, 2) if singular[k] else 1 for k, count in zip(picks, counts, strict=True)]
    return np.array(picks, np.intp), np.array(multiplicities, np.intp)


def _lead(form: General, theta: Floats) -> Floats:
    """Return the angles (n,) of the link with the most points, which sort the modes."""
    points: list[set[complex]] = [set() for _ in range(form.rows.links)]
    for row in form.rows.forms:
        for vector in (x for _, *both in row.products for x in both) if isinstance(row, Row) else ():
            terms = dict(vector.terms)
            for link, found in enumerate(points):
                if 2 * link in terms:
                    found.add(terms.get(2 * link + 1, 0j) / terms[2 * link])
    return np.asarray(np.round(np.angle(np.exp(1j * theta[:, int(np.argmax(list(map(len, points))))])), 9))
