"""Change points on the way of a global method: whether a determinant that changes its sign does so on a smooth curve.

At a change point branches cross, and the motion goes straight through; dimensions that miss it by a little have a gap
or two branches that turn away from each other, and going straight on would be a jump. The two are told apart close to
the zero of the determinant, where poses to both sides lie on one smooth curve or not.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from structkin.global_methods.curve import Curve, Pose
from structkin.global_methods.newton import close

Floats = NDArray[np.float64]

#: Poses along the step that place the zero, and their largest departure from the curve. They are even in number, as
#: the zero may lie right in the middle, where Newton's method would meet the singular pose.
NODES, NEAR = 10, 1e-3
#: Distance of the poses around the zero, relative to the drivers' units, and their largest roughness.
AROUND, ROUGH = 1e-3, 1e-7


def changes_smoothly(curve: Curve, flipped: NDArray[np.intp], units: Floats) -> bool:
    """Tell whether the blocks `flipped`, whose signs differ at the ends of a step, change on one smooth curve."""
    blocks = curve.a.scaled.blocks
    if blocks is None:
        return False
    s = 0.5 * (1 - np.cos(np.pi * (np.arange(NODES) + 0.5) / NODES))
    q = _poses(curve, s, NEAR)
    if q is None:
        return False
    entries = curve.a.scaled.system(q, curve.a.z + s * curve.way)[1]
    determinants = blocks.determinants(entries)
    length = float(np.sqrt(np.sum((curve.way / units) ** 2)))
    return all(_is_smooth(curve, _zero(s, determinants[block]), int(block), AROUND / length) for block in flipped)


def _poses(curve: Curve, s: Floats, near: float) -> Floats | None:
    """Return the poses (n, lanes) on the curve; None where Newton's method leaves it."""
    guess = curve.at(s)
    found = close(curve.a.scaled, guess, curve.a.z + s * curve.way)
    unit = curve.a.scaled.coordinates.column_units[:, None]
    if not found.converged.all() or np.max(np.abs(found.q - guess) / unit) > near:
        return None
    return found.q


def _zero(s: Floats, values: Floats) -> float | None:
    """Return the only zero in (0, 1) of the polynomial through the values, or None."""
    roots = np.polynomial.Polynomial.fit(s, values, len(s) - 1, domain=[0, 1]).roots()
    inside = np.real(roots[(np.abs(np.imag(roots)) < 1e-6) & (np.real(roots) > 0) & (np.real(roots) < 1)])
    return float(inside[0]) if len(inside) == 1 else None


def _is_smooth(curve: Curve, zero: float | None, block: int, step: float) -> bool:
    """Tell whether poses to both sides of a zero lie on one smooth curve, with different signs."""
    if zero is None:
        return False
    s = zero + step * np.array([-3.0, -2.0, -1.0, 1.0, 2.0, 3.0])
    q = _poses(curve, s, 1e-4)
    blocks, scaled = curve.a.scaled.blocks, curve.a.scaled
    if q is None or blocks is None:
        return False
    signs = blocks.signs(scaled.system(q, curve.a.z + s * curve.way)[1])[block]
    if not (np.array_equal(signs[:3], np.full(3, signs[0])) and np.array_equal(signs[3:], -signs[:3])):
        return False
    # Even and odd parts of the inner poses, extrapolated from the outer ones; a near miss bends like a hyperbola.
    back, ahead = q[:, 2::-1], q[:, 3:]
    even, odd = 0.5 * (ahead + back), 0.5 * (ahead - back)
    rough = np.abs(even @ np.array([1.0, -1.6, 0.6])), np.abs(odd @ np.array([1.0, -0.8, 0.2]))
    return bool(np.max(np.maximum(*rough) / scaled.coordinates.column_units) < ROUGH)


#: A centred interpolation of six points at odd multiples of a distance.
PLACES, WEIGHTS = np.array([-5.0, -3.0, -1.0, 1.0, 3.0, 5.0]), np.array([3.0, -25.0, 150.0, 150.0, -25.0, 3.0]) / 256
#: That distance, relative to the drivers' units.
SPAN = 4e-3


def bridge(pose: Pose, predicted: Floats, z: Floats, direction: Floats) -> Floats | None:
    """Return the smooth pose (n,) at a change point, interpolated from poses around it; None where there are none."""
    step = SPAN * direction
    around = z + PLACES * step
    # The slope here, by the expansion about a regular pose near by.
    guess = predicted + PLACES * 0.5 * (pose.taylor(z + step) - pose.taylor(z - step))
    found = close(pose.scaled, guess, around, 6)
    unit = pose.scaled.coordinates.column_units[:, None]
    departure = np.max(np.abs(found.q - guess) / unit, axis=0)
    if not found.converged.all() or (departure > 0.2 * SPAN * np.abs(PLACES)).any():
        return None
    return np.asarray(found.q @ WEIGHTS)
