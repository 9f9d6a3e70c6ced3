"""The path length of inputs along their lanes, by NumPy or compiled."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from structkin.kernels.kernel import Kernel
from structkin.types import Floats

#: Lanes that NumPy processes together, so that the data fit into the cache.
BLOCK = 16384

_KERNEL = Kernel(
    "Way",
    "",
    '''"""Written by structkin: path lengths of inputs, compiled once and then read from the cache."""

from math import sqrt

from numba import njit


@njit(cache=True, nogil=True, error_model="numpy")
def add_vector(x, y, weight, length):
    for i in range(x.size - 1):
        a, b = x[i + 1] - x[i], y[i + 1] - y[i]
        length[i + 1] += sqrt(a * a + b * b) * weight


@njit(cache=True, nogil=True, error_model="numpy")
def add_scalar(x, weight, length):
    for i in range(x.size - 1):
        length[i + 1] += abs(x[i + 1] - x[i]) * weight


@njit(cache=True, nogil=True, error_model="numpy")
def sum_up(length):
    total = 0.0
    for i in range(length.size):
        total += length[i]
        length[i] = total
''',
)


def path_length(rows: Sequence[Floats], inputs: Sequence[tuple[int, float]], n: int, *, numba: bool) -> Floats:
    """Return the path length (n,) from the first lane: the sum of the changes of all inputs from lane to lane.

    `inputs` are the number of rows of each input, one or two of the `rows` (n,), and its scale. The length is NaN from
    the first NaN of an input on.

    >>> rows = [np.array([0.0, 3.0, 3.0]), np.array([0.0, 4.0, 4.0]), np.array([0.0, 0.0, -1.0])]
    >>> path_length(rows, [(2, 10.0), (1, 2.0)], 3, numba=False).tolist()
    [0.0, 0.5, 1.0]
    """
    length = np.zeros(max(n, 1))
    if numba:
        row = 0
        for width, size in inputs:
            parts = tuple(map(np.ascontiguousarray, rows[row : row + width]))
            _KERNEL.call("add_vector" if width == 2 else "add_scalar", *parts, 1 / size, length, numba=True)
            row += width
        _KERNEL.call("sum_up", length, numba=True)
        return length
    step, square = np.empty((2, min(BLOCK, n)))
    with np.errstate(all="ignore"):
        for start in range(0, n - 1, BLOCK):
            end, row = min(start + BLOCK, n - 1), 0
            part, one, two = length[start + 1 : end + 1], step[: end - start], square[: end - start]
            for width, size in inputs:
                np.subtract(rows[row][start + 1 : end + 1], rows[row][start:end], out=one)
                one *= one
                if width == 2:
                    np.subtract(rows[row + 1][start + 1 : end + 1], rows[row + 1][start:end], out=two)
                    two *= two
                    one += two
                np.sqrt(one, out=one)
                one *= 1 / size
                part += one
                row += width
            part[0] += length[start]
            np.cumsum(part, out=part)
    return length
