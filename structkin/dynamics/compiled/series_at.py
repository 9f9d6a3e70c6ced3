"""A pose from a power series. The text of this module becomes part of the compiled one.

Around a flat pose `structkin.dynamics.reduced.series` knows the pose of a mechanism with one coordinate as a power
series: of all slots, and here also of the roots of its groups.
"""

from __future__ import annotations

from typing import Any

from structkin.dynamics.compiled.memory import Memory
from structkin.dynamics.reduced.series import VALID
from structkin.track.contour import POWERS as TERMS

#: Most series that are kept, and how many numbers precede the powers: place, direction, radius.
MANY, HEAD = 4, 3


def expand(mem: Memory, q: float, rate: float, x: Any, columns: Any) -> bool:
    """Write slots x (3, n) and K (1, n) at a coordinate and its rate; False where no series holds.

    The last row of x holds the second rates without that of the coordinate.
    """
    series, weights, two = mem.series, mem.powers, mem.two
    roots, n = mem.new_roots, len(x[0])
    for j in range(MANY):
        radius = series[j][2]
        if not radius > 0.0:
            continue
        s = (q - series[j][0]) / series[j][1]
        if not abs(s) <= VALID * radius:
            continue
        weigh_powers(s / radius, radius * series[j][1], weights)
        for row in range(n + len(two)):
            value, first, second = 0.0, 0.0, 0.0
            at = HEAD + row * TERMS
            for k in range(TERMS):
                value += series[j][at + k] * weights[0][k]
                first += series[j][at + k] * weights[1][k]
                second += series[j][at + k] * weights[2][k]
            if row < n:
                x[0][row], x[1][row], x[2][row], columns[0][row] = value, first * rate, second * rate * rate, first
            else:
                roots[0][two[row - n]], roots[1][two[row - n]] = value, first * rate
        mem.smooth = 1
        return True
    return False


def weigh_powers(u: float, scale: float, weights: Any) -> None:
    """Write u^k and its first two derivatives by scale * u (3, TERMS)."""
    power = 1.0
    for k in range(TERMS):
        weights[0][k] = power
        weights[1][k] = k * weights[0][k - 1] / scale if k > 0 else 0.0
        weights[2][k] = k * weights[1][k - 1] / scale if k > 0 else 0.0
        power *= u


def leave_series(mem: Memory, q: float) -> None:
    """Forget the series that are far from a regular pose: on return the branch may be another."""
    series = mem.series
    for j in range(MANY):
        if abs(q - series[j][0]) > abs(series[j][1]) * series[j][2]:
            series[j][2] = 0.0
