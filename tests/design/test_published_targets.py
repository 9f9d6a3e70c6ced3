"""The 24 four-bar targets that PMKS+ publishes with its own results, found again.

Dimensions from PMKS-Web/Planar-Mechanism-Kinematic-Simulator, `path-benchmark-fixtures.ts` and `path-fixtures.ts` in
its `src/test-utils/verification` at 716346c and 2455c85. Its synthesis leaves a normalised root mean square of 0.39 %
in the median, 1.7 % at worst, in 10 to 56 s each.
"""

from __future__ import annotations

import time

import numpy as np
import pytest
from cases import few
from known import drawn

import structkin as sk

#: Ground, crank, coupler, rocker; the tracer from B along the coupler and across; the first crank angle; how far it
#: turns; the side of C; and the way round.
_WHOLE, _USUAL = 2 * np.pi, (4, 1, 3, 2.5)
TARGETS = {
    "crank-rocker": (*_USUAL, 1.3, 0.8, 0.4, _WHOLE, 1, 1),
    "clockwise": (*_USUAL, 1.3, 0.8, 0.4, _WHOLE, 1, -1),
    "other-assembly": (*_USUAL, 1.3, 0.8, 0.4, _WHOLE, -1, 1),
    "double-crank": (1, 2, 2.3, 2, 1.1, 0.5, 0.4, _WHOLE, 1, 1),
    "long-ground": (6, 0.7, 4.2, 3, 2.5, 0.8, 0.4, _WHOLE, 1, 1),
    "short-coupler": (4, 0.6, 1.7, 3.2, 0.8, 0.8, 0.4, _WHOLE, 1, 1),
    "long-coupler": (4, 1, 5, 3.5, 2.8, 0.8, 0.4, _WHOLE, 1, 1),
    "tracer-on-bar": (*_USUAL, 1.3, 0.02, 0.4, _WHOLE, 1, 1),
    "tracer-far": (*_USUAL, 4.5, 4, 0.4, _WHOLE, 1, 1),
    "beyond-b": (*_USUAL, -1.8, 0.6, 0.4, _WHOLE, 1, 1),
    "beyond-c": (*_USUAL, 4.8, 0.3, 0.4, _WHOLE, 1, 1),
    "high-offset": (*_USUAL, 1.5, 5, 0.4, _WHOLE, 1, 1),
    "near-toggle": (4, 1, 2.8, 2.23, 2.3, 1.8, 0.4, _WHOLE, 1, 1),
    "nonuniform-speed": (*_USUAL, 2.8, 0.15, 0.4, _WHOLE, 1, 1),
    "compact": (2, 0.7, 1.8, 1.5, 1.2, 1.6, 0.4, _WHOLE, 1, 1),
    "large-relative-path": (8, 0.35, 6, 3, 0.1, 0.1, 0.4, _WHOLE, 1, 1),
    "open-half": (*_USUAL, 1.3, 0.8, 0.4, np.pi, 1, 1),
    "open-clockwise": (*_USUAL, 1.3, 0.8, 0.4, 2.4, 1, -1),
    "non-grashof": (4, 2.5, 2.7, 2.2, 1.3, 0.8, 0.8, 0.7, 1, 1),
    "non-grashof-cw": (4, 2.5, 2.7, 2.2, 1.3, 0.8, 1.5, 0.7, 1, -1),
}
#: What the last four targets make of the first one: z -> scale z + away.
MOVED = {
    "translated": (1, 9 - 7j),
    "rotated": (np.exp(1.1j), 0),
    "scaled": (0.4, 0),
    "moved": (3 * np.exp(0.7j), -4 + 8j),
}


def path_of(name: str) -> tuple[np.ndarray, bool]:
    """Return 64 points of a target, and whether its path is closed."""
    ground, crank, coupler, rocker, u, v, first, sweep, side, way = TARGETS.get(name, TARGETS["crank-rocker"])
    closed = sweep == _WHOLE
    angle = first + way * np.linspace(0, sweep, 64, endpoint=not closed)
    scale, away = MOVED.get(name, (1, 0))
    z = scale * drawn(angle, ground, crank, coupler, rocker, complex(u, v), side) + away
    return np.stack((z.real, z.imag), axis=1), closed


@pytest.mark.parametrize("name", few([*TARGETS, *MOVED], 1, full=3))
def test_it_is_found_again(name):
    points, closed = path_of(name)
    began = time.process_time()
    found = sk.synthesise(path=points, closed=closed, kinds=["four-bar"])
    seconds, size = time.process_time() - began, float(np.hypot(*np.ptp(points, axis=0)))
    print(f"{name}: {found[0].rms / size:.1e} root mean square, {found[0].error / size:.1e} at most, {seconds:.1f} s")
    m = found[0].mechanism
    turns = m.drivers["motor"].start + found[0].turns
    places = m.solve(drivers={"motor": turns}).position(found[0].point)
    away = np.hypot(*(places - points).T)
    assert away.max() == pytest.approx(found[0].error, abs=1e-12 * size) and np.sqrt(np.mean(away**2)) < 1e-5 * size
