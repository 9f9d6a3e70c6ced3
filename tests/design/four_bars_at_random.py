"""Positions that a known four-bar carries its coupler through, by trigonometry."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def positions_of_a_four_bar(seed: int, n: int, span: float = 2.0) -> tuple[tuple[complex, ...], NDArray[np.float64]]:
    """Return the pivots and pins A, D, B, C in the first position, and positions x, y, angle (n, 3) of the coupler."""
    rng = np.random.default_rng(seed)
    while True:
        D = complex(rng.uniform(1, 4), rng.uniform(-1, 1))
        crank, coupler, rocker = rng.uniform(0.5, 2), rng.uniform(1, 4), rng.uniform(1, 4)
        B = crank * np.exp(1j * (rng.uniform(0, 6) + np.linspace(0, span, n)))
        far = np.abs(D - B)
        if (far < coupler + rocker).all() and (far > abs(coupler - rocker)).all():
            break
    turn = np.angle(D - B) + np.arccos((coupler**2 + far**2 - rocker**2) / (2 * coupler * far))
    C, P = B + coupler * np.exp(1j * turn), B + (0.3 + 0.7j) * coupler * np.exp(1j * turn)
    return (0j, D, complex(B[0]), complex(C[0])), np.stack((P.real, P.imag, turn), axis=1)
