"""Names of array types; shapes and units are in the docstrings that use them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Complexes = NDArray[np.complex128]
Flags = NDArray[np.bool_]
Ints = NDArray[np.int64]
#: Numbers of rows, lanes and the like: what NumPy returns as indices.
Indices = NDArray[np.intp]
