"""Quintic splines through tables of values: closed ones, and those with two ends."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from structkin.model.parts import Floats
from structkin.rows.periodic import TURN, Piecewise

#: Degree of the splines through tables. An integrator of high order does not feel where their pieces meet: a simulation
#: that takes 510 evaluations by a law takes 657 by its profile in 240 rows, by a cubic spline 11,667.
DEGREE = 5


def spline(angles: Floats, values: Floats) -> Piecewise:
    """Return the periodic quintic spline through values (n,) at rising angles (n,) within one turn: its jerk is smooth.

    It is four times differentiable, and of all such functions the one of least mean square third derivative
    (I. J. Schoenberg, On interpolation by spline functions and its minimal properties, 1964).

    >>> angles = np.linspace(0.0, TURN, 24, endpoint=False)
    >>> bool(abs(spline(angles, np.sin(angles))(0.1) - np.sin(0.1)) < 1e-6)
    True
    """
    from scipy.interpolate import PPoly, make_interp_spline

    shift, n = angles[0], len(angles)
    # SciPy wants more rows than the degree: a shorter table is repeated.
    turns = -(-DEGREE // n)
    x = np.append(np.add.outer(TURN * np.arange(turns), angles - shift), TURN * turns)
    found = make_interp_spline(x, np.append(np.tile(values, turns), values[0]), k=DEGREE, bc_type="periodic")
    polynomials = PPoly.from_spline(found.tck).c[::-1, DEGREE : DEGREE + n].T
    x = np.append(x[:n], TURN)
    if shift:
        # Begin at the angle 0, within what was the last piece.
        return _rolled(x, polynomials, float(shift % TURN))
    return Piecewise(x, polynomials, np.zeros((n, 3)))


def open_spline(x: Floats, values: Floats) -> Piecewise:
    """Return the natural quintic spline through values (n,), n > 2, at x (n,) that rises from 0 to 2 pi.

    It is four times differentiable, without third and fourth derivative at its ends, and like the periodic one the
    function of least mean square third derivative.

    >>> x = np.linspace(0.0, TURN, 5)
    >>> bool(np.allclose(open_spline(x, x * x)(np.array([1.0, 2.0]), 1), [2.0, 4.0]))
    True
    """
    from scipy.interpolate import PPoly, make_interp_spline

    ends: Any = ([(3, 0.0), (4, 0.0)],) * 2
    found = make_interp_spline(x, values, k=DEGREE, bc_type=ends)
    polynomials = PPoly.from_spline(found.tck).c[::-1, DEGREE : DEGREE + len(x) - 1].T
    return Piecewise(x, polynomials, np.zeros((len(x) - 1, 3)))


def _rolled(x: Floats, polynomials: Floats, shift: float) -> Piecewise:
    """Return a function of angle + shift as pieces that begin at the angle 0."""
    starts = (x[:-1] + shift) % TURN
    order = np.argsort(starts)
    starts, polynomials = starts[order], polynomials[order]
    last = polynomials[-1]
    t = TURN - starts[-1]
    # The Taylor polynomial of the last piece, t behind its start.
    first = [sum(math.comb(k, j) * last[k] * t ** (k - j) for k in range(j, len(last))) for j in range(len(last))]
    breaks = np.concatenate(([0.0], starts, [TURN]))
    return Piecewise(breaks, np.vstack((first, polynomials)), np.zeros((len(breaks) - 1, 3)))
