"""The published solution of a benchmark, and closed forms of two mechanisms, to compare simulations with."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from structkin.numerical_tolerances import ROUNDING
from structkin.types import Floats

GRAVITY = 9.81

#: Simple pendulum A01 of the IFToMM Library of Computational Benchmark Problems (M. Gonzalez, University of A Coruna,
#: 2005): x, y [m] of the bob every half second from 0 to 10 s, as published. Its own accuracy is 5e-7 m.
PENDULUM = np.array(
    [
        (-1.0, 0.0),
        (-0.391049, -0.92037),
        (0.986292, -0.165011),
        (0.884132, -0.467237),
        (-0.793566, -0.608484),
        (-0.996334, -0.0855439),
        (0.176652, -0.984273),
        (0.999914, -0.013142),
        (0.577564, -0.816346),
        (-0.963293, -0.268452),
        (-0.942305, -0.334754),
        (0.665293, -0.746583),
        (0.999498, -0.0316965),
        (0.0511945, -0.998689),
        (-0.998619, -0.0525408),
        (-0.727459, -0.686151),
        (0.919858, -0.392252),
        (0.975626, -0.21944),
        (-0.498374, -0.866962),
        (-0.999992, -0.00402112),
        (-0.275087, -0.961419),
    ]
)
PENDULUM_TIMES: Floats = 0.5 * np.arange(float(len(PENDULUM)))


def pendulum_angle(t: ArrayLike) -> Floats:
    """Return the angle (n,) [rad] of a pendulum of 1 m from the vertical; at rest at t = 0, level, on the side of -x.

    By Jacobi's elliptic functions: sin(angle / 2) = -k cd(w t), k = sin(pi / 4), w = sqrt(g / l).

    >>> x = np.sin(pendulum_angle(PENDULUM_TIMES))
    >>> bool(np.abs(x - PENDULUM[:, 0]).max() < 6e-7)
    True
    """
    from scipy.special import ellipj

    k = math.sqrt(0.5)
    _, cn, dn, _ = ellipj(math.sqrt(GRAVITY) * np.asarray(t, dtype=np.float64), k * k)
    return np.asarray(-2 * np.arcsin(k * cn / dn))


def slider_crank_angle(t: ArrayLike, accuracy: float = ROUNDING) -> Floats:
    """Return the angle (n,) [rad] of the first rod of a slider-crank with two equal rods of 1 m and 1 kg.

    It starts at 45 degrees, the slider at 4 m/s towards the pivot. No data of it are published: this is its single
    equation of motion, (2/3 + 2 sin^2 a) a'' = -g cos a - 2 sin a cos a a'^2, integrated to this accuracy. The other
    rod mirrors the first, so that the slider is at x = 2 cos a even where both rods point the same way.
    """
    from scipy.integrate import solve_ivp

    times = np.asarray(t, dtype=np.float64)

    def rate(t: float, y: Floats) -> list[float]:
        s, c = math.sin(y[0]), math.cos(y[0])
        return [y[1], (-GRAVITY * c - 2 * s * c * y[1] ** 2) / (2 / 3 + 2 * s * s)]

    start = [math.pi / 4, 2 * math.sqrt(2)]
    found = solve_ivp(rate, (times[0], times[-1]), start, "DOP853", times, rtol=accuracy, atol=accuracy)
    return np.asarray(found.y[0])
