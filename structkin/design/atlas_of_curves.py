"""An atlas of coupler curves: linkages whose tracers draw nearly a given path, to start from.

Some ten thousand linkages of one kind, by scrambled Sobol points, over whole turns of the crank or arcs of it. A curve
is known by its coefficients, those of Fourier (whole turns) or of the cosine transform (arcs), of its points at equal
steps of its own length: they do not depend on how fast it is drawn. A k-d tree holds what a similarity does not change:
the magnitudes of the Fourier coefficients, which do not change with the first point either; and the coefficients of an
arc, turned until the first is real. It finds the nearest few thousand, and of each the best scale, rotation, place and
first point are known in closed form. Where pivots are given there is no similarity, or less of it, and all are tried.

Sources: Zahn & Roskies, IEEE Trans. Computers 21 (1972); McGarva & Mullineux, Applied Mathematical Modelling 17 (1993).
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from functools import lru_cache
from itertools import product
from typing import Any, NamedTuple, cast

import numpy as np
from scipy.fft import dct
from scipy.interpolate import CubicSpline
from scipy.spatial import cKDTree
from scipy.stats import qmc

from structkin.budget import call_report
from structkin.design.loops import Kind
from structkin.design.refine import Lanes
from structkin.errors import InputError, Problem
from structkin.types import Complexes, Floats, Indices

#: Points of a curve at equal steps of its length, and crank angles at which it is evaluated first.
POINTS, ANGLES = 64, 97
#: The highest Fourier coefficient, and the number of those of the cosine transform.
HIGHEST, COSINES = 8, 12
#: The smallest squared sine of a transmission angle in the atlas.
LEAST = np.sin(np.radians(10)) ** 2
#: Linkages that are evaluated between two reports.
PART = 4096
#: How many the k-d tree finds.
NEAREST = 4000


class Atlas(NamedTuple):
    """Linkages (p, m) and their modes, first crank angles and spans (m,), coefficients (m, q)."""

    x: Floats
    mode: Floats
    first: Floats
    span: Floats
    coefficients: Complexes
    tree: cKDTree


@lru_cache(maxsize=8)
def atlas(kind: Kind, closed: bool, seed: int) -> Atlas:
    """Return the atlas of a kind, made in about half a second at the first call."""
    unit = qmc.Sobol(kind.numbers + 2, rng=seed).random_base2(kind.draws).T
    x, mode = kind.drawn(unit)
    first = 2 * np.pi * unit[-2]
    span = np.full_like(first, 2 * np.pi) if closed else np.radians(20 + 330 * unit[-1])
    parts = []
    for part in np.array_split(np.arange(len(first)), -(-len(first) // PART)):
        call_report()
        block = part
        for count in (13, ANGLES):  # most are sorted out by a few samples
            block = block[_closing(kind, x[:, block], mode[..., block], first[block], span[block], count) > LEAST]
        if not len(block):
            continue
        z, _ = _curves(kind, x[:, block], mode[..., block], first[block], span[block])
        parts.append((block, coefficients(_at(z, z, np.broadcast_to(_steps(closed), (len(z), POINTS))), closed)))
    if not parts:
        hint = "try another seed, or draw it in a pose from which its crank turns far"
        raise InputError(
            [Problem("mechanism", "none of the linkages that were drawn moves far enough", hint)], kind.name
        )
    kept, c = (np.concatenate(part) for part in zip(*parts, strict=True))
    return Atlas(x[:, kept], mode[..., kept], first[kept], span[kept], c, cKDTree(_invariants(c, closed)))


def _closing(kind: Kind, x: Floats, mode: Floats, first: Floats, span: Floats, count: int) -> Floats:
    theta = first + span * np.linspace(0, 1, count)[:, None]
    return np.asarray(kind.traced(x, mode, theta)[1].min(axis=0))


def _curves(kind: Kind, x: Floats, mode: Floats, first: Floats, span: Floats) -> tuple[Complexes, Floats]:
    theta = first + span * np.linspace(0, 1, ANGLES)[:, None]
    points, _ = kind.traced(x, mode, theta)
    return (points[0] + 1j * points[1]).T, theta.T


def _steps(closed: bool) -> Floats:
    return np.arange(POINTS) / POINTS if closed else (np.arange(POINTS) + 0.5) / POINTS


def _at(z: Complexes, values: Floats | Complexes, at: Floats) -> Any:
    """Return values (m, n) along curves z (m, n) at parts (m, q) of their lengths."""
    s = np.concatenate((np.zeros((len(z), 1)), np.cumsum(np.abs(np.diff(z)), axis=1)), axis=1)
    apart = 2.0 * np.arange(len(z))[:, None]  # one call for all curves
    return np.interp((at + apart).ravel(), (s / s[:, -1:] + apart).ravel(), values.ravel()).reshape(at.shape)


def coefficients(z: Complexes, closed: bool) -> Complexes:
    """Return the coefficients (m, q) of curves (m, POINTS), the first that of their middle; unitary but for that."""
    if closed:
        c = np.fft.fft(z, axis=1) / POINTS
        return np.concatenate((c[:, : HIGHEST + 1], c[:, -HIGHEST:]), axis=1)
    cosines = (dct(z.real, axis=1) + 1j * dct(z.imag, axis=1))[:, :COSINES] / (2 * POINTS)
    return np.asarray(cosines * np.where(np.arange(COSINES) == 0, 1, np.sqrt(2)))


def _invariants(c: Complexes, closed: bool) -> Floats:
    unit = c[:, 1:] / np.linalg.norm(c[:, 1:], axis=1, keepdims=True)
    if closed:
        return np.asarray(np.abs(unit))
    turned = unit * np.exp(-1j * np.angle(unit[:, :1]))
    return np.asarray(np.concatenate((turned.real, turned.imag), axis=1))


def along(points: Floats, closed: bool) -> tuple[Complexes, Floats]:
    """Return a path through points (2, n) at equal steps (POINTS,), and the part of its length at each point (n,)."""
    z: Complexes = points[0] + 1j * points[1]
    if closed:
        z = np.append(z, z[:1])
    s = np.concatenate(([0.0], np.cumsum(np.abs(np.diff(z)))))
    spline = CubicSpline(s, z, bc_type="periodic" if closed else "natural")
    fine = np.interp(np.arange(16 * (len(s) - 1) + 1) / 16, np.arange(len(s)), s)
    curve = spline(fine)
    length = np.concatenate(([0.0], np.cumsum(np.abs(np.diff(curve)))))
    part = length[::16][: points.shape[1]] / length[-1]
    return _at(curve[None], curve[None], _steps(closed)[None])[0], part


def starts(
    kind: Kind, points: Floats, closed: bool, pivots: Mapping[int, complex], count: int, seed: int
) -> Lanes:  # fmt: skip
    """Return the linkages nearest to a path through points (2, n); `pivots` are those given, by their index."""
    found = atlas(cast("Hashable", kind), closed, seed)
    path, part = along(points, closed)
    parts = []
    for mirror, reverse in product((False, True), repeat=2):
        z = path.conj() if mirror else path
        if reverse:  # the first point of a closed path remains the first
            z = np.roll(z[::-1], 1) if closed else z[::-1]
        c = coefficients(z[None], closed)
        given = {k: np.conj(place) if mirror else place for k, place in pivots.items()}
        near = np.arange(len(found.first))
        if not given:
            near = np.asarray(found.tree.query(_invariants(c, closed)[0], k=min(NEAREST, len(near)))[1])
        ways = np.full(len(near), mirror), np.full(len(near), reverse)
        parts.append((*_similar(kind, found, near, c, given, closed), near, *ways))
    scale, move, late, error, which, mirrored, back = (np.concatenate(part) for part in zip(*parts, strict=True))
    best = np.argsort(error)[:count]
    which, scale = which[best], scale[best]
    curve, theta = _curves(kind, found.x[:, which], found.mode[..., which], found.first[which], found.span[which])
    at = np.where(back[best, None], (0.0 if closed else 1.0) - part, part) + late[best, None]
    turns = np.floor(at) if closed else np.zeros_like(at)
    angle = _at(curve, theta, at - turns) + 2 * np.pi * turns + np.angle(scale)[:, None]
    sign = np.where(mirrored[best], -1.0, 1.0)
    x = kind.mirrored(kind.moved(found.x[:, which], scale, move[best]), mirrored[best])
    mode = found.mode[..., which] * np.where(mirrored[best], kind.mirror, 1.0)
    return Lanes(x, mode, angle.T * sign)


def _similar(
    kind: Kind, found: Atlas, which: Indices, c: Complexes, pivots: Mapping[int, complex], closed: bool
) -> tuple[Complexes, Complexes, Floats, Floats]:
    """Return factor, shift, part of the length before the first point, and square error of the best similarities."""
    d = found.coefficients[which].copy()
    if pivots:  # curves relative to a pivot; otherwise to their middle
        one, place = next(iter(pivots.items()))
        own = [found.x[rows, which][0] + 1j * found.x[rows, which][1] for rows in kind.pivots]
        d[:, 0] -= own[one]
        c = c - place * (np.arange(c.shape[1]) == 0)
    used = slice(0 if pivots else 1, None)
    each = d[:, used].conj() * c[:, used]
    late = np.zeros(len(d))
    if closed:
        wide = np.zeros((len(d), POINTS), complex)
        wide[:, : HIGHEST + 1][:, used] = each[:, :-HIGHEST]
        wide[:, -HIGHEST:] = each[:, -HIGHEST:]
        sums = np.fft.fft(wide, axis=1)  # one for each first point
    else:
        sums = each.sum(axis=1, keepdims=True)
    square, whole = (np.abs(d[:, used]) ** 2).sum(axis=1), (np.abs(c[:, used]) ** 2).sum()
    if len(pivots) == 2:
        (first, a), (second, b) = pivots.items()
        by = (b - a) / (own[second] - own[first])
        gain = 2 * (by.conj()[:, None] * sums).real - (np.abs(by) ** 2 * square)[:, None]
    else:
        gain = np.abs(sums) ** 2 / square[:, None]
    best = gain.argmax(axis=1)
    lanes = np.arange(len(d))
    if len(pivots) < 2:
        by = sums[lanes, best] / square
    late = best / POINTS if closed else late
    shift = place - by * own[one] if pivots else c[0, 0] - by * d[:, 0]
    return by, shift, late, whole - gain[lanes, best]


def timed_starts(
    kind: Kind, points: Floats, turned: Floats, pivots: Mapping[int, complex], count: int, seed: int
) -> Lanes:  # fmt: skip
    """Return linkages near points (2, n) at given turns (n,) of the crank from an angle that is free."""
    unit = qmc.Sobol(kind.numbers + 2, rng=seed).random_base2(kind.draws).T
    x, mode = kind.drawn(unit)
    first, sign = 2 * np.pi * unit[-2], np.where(unit[-1] < 0.5, -1.0, 1.0)
    z = points[0] + 1j * points[1]
    parts = []
    for part in np.array_split(np.arange(len(first)), -(-len(first) // PART)):
        call_report()
        angles = first[part] + sign[part] * turned[:, None]
        places, closing = kind.traced(x[:, part], mode[..., part], angles)
        kept = closing.min(axis=0) > LEAST
        block, places, theta = part[kept], places[..., kept], angles[:, kept]
        own = [x[rows, block][0] + 1j * x[rows, block][1] for rows in kind.pivots]
        w = places[0] + 1j * places[1]
        for mirror in (False, True):
            target = (z.conj() if mirror else z)[:, None]
            given = [(k, np.conj(place) if mirror else place) for k, place in pivots.items()]
            middle = (own[given[0][0]], given[0][1]) if given else (w.mean(axis=0), target.mean())
            d, c = w - middle[0], target - middle[1]
            by = (d.conj() * c).sum(axis=0) / (np.abs(d) ** 2).sum(axis=0)
            if len(given) == 2:
                (one, a), (other, b) = given
                by = (b - a) / (own[other] - own[one])
            error = (np.abs(by * d - c) ** 2).sum(axis=0)
            parts.append((error, block, by, middle[1] - by * middle[0], np.full(len(block), mirror), theta.T))
    error, which, by, shift, flip, theta = (np.concatenate(part) for part in zip(*parts, strict=True))
    best = np.argsort(error)[:count]
    side = np.where(flip, -1.0, 1.0)[best]
    angle = (theta[best] + np.angle(by[best])[:, None]).T * side
    found = kind.mirrored(kind.moved(x[:, which[best]], by[best], shift[best]), flip[best])
    return Lanes(found, mode[..., which[best]] * np.where(flip[best], kind.mirror, 1.0), angle)
