"""Modes of groups with gears, racks, cams or rolling contacts: what Newton's method finds from many starts.

Their equations hold an angle beside its sine and cosine, so that their number of solutions is not known, and no
homotopy reaches them all. From the pose of the sketch and some hundreds of random ones Newton's method finds the modes
with a wide neighbourhood; there may be more.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from structkin.groups import General

Floats = NDArray[np.float64]

#: Random starts, and how far around the sketch they lie: origins in sizes, angles, and those of wheels [rad].
STARTS, AROUND, TURNS = 600, 2.0, 4 * np.pi
#: Poses nearer than this, in parts of the size, are one; a smaller singular value is a singular pose.
SAME, SINGULAR = 1e-6, 1e-7


@dataclass(frozen=True)
class Found:
    """Modes that were found: the unknowns of each, that nearest to the sketch first; and which are `singular` (n,)."""

    unknowns: tuple[tuple[Floats, ...], ...]
    singular: NDArray[np.bool_]


def searched(form: General, h: tuple[Any, ...], start: tuple[complex, ...]) -> Found:
    """Return the modes that are found at inputs `h` of one lane; `start` are origins and directions in the sketch."""
    m, size = form.rows.links, form.rows.size
    rng = np.random.default_rng(0)
    places, directions = np.array(start[0 : 2 * m : 2]), np.array(start[1 : 2 * m : 2])
    at, sketch = np.stack((places.real, places.imag), axis=1)[:, :, None], np.angle(directions)[:, None]
    O = at + AROUND * size * rng.normal(size=(m, 2, STARTS)) * (np.arange(STARTS) > 0)
    wide = np.full((m, 1), np.pi)
    wide[list(form.rows.angles)] = TURNS
    theta = sketch + wide * rng.uniform(-1, 1, size=(m, STARTS)) * (np.arange(STARTS) > 0)
    lanes = tuple(np.broadcast_to(x, (*np.shape(x)[:-1], STARTS)) for x in map(np.atleast_1d, h))
    with np.errstate(all="ignore"):
        O, theta, step = form.newton(lanes, O, theta, iterations=60)
        good = np.flatnonzero(step < 1e-8)
    pose = np.concatenate((((O - at) / size).reshape(2 * m, -1), np.cos(theta), np.sin(theta)))
    # Of poses that differ by whole turns of wheels, the one that is least turned.
    near = np.max(np.abs(theta - sketch), axis=0)
    kept: list[int] = []
    for k in good[np.argsort(near[good])].tolist():
        if all(np.abs(pose[:, k] - pose[:, other]).max() > SAME for other in kept):
            kept.append(k)
    away = np.concatenate((pose[: 2 * m], np.exp(1j * theta) - np.exp(1j * sketch)))
    kept.sort(key=lambda k: float(np.linalg.norm(away[:, k])))
    unknowns = form.unknowns(O[:, :, kept], theta[:, kept])
    sigma = form.smallest_singular_value(tuple(x[..., : len(kept)] for x in lanes), unknowns) if kept else np.empty(0)
    each = tuple(tuple(np.atleast_1d(x[..., k]) for x in unknowns) for k in range(len(kept)))
    return Found(each, np.asarray(sigma < SINGULAR))
