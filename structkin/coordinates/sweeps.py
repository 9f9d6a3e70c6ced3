"""The sweeps by Numba: compiled once a machine, kept by a hash of their source, used where the job is worth it."""

from __future__ import annotations

import sys
from functools import cache
from importlib import resources
from types import ModuleType

import numpy as np
from numpy.typing import NDArray

from structkin.coordinates.triangular import Blocks
from structkin.kinematics.choice import COMPILE, IMPORT, READ, has_numba
from structkin.kinematics.kernels import store

Floats = NDArray[np.float64]

#: Seconds that sweeps of NumPy take longer an entry and lane, all solutions of a sample together.
SLOWER = 10e-9
#: Kernels that a method needs.
KERNELS = ("factor", "forward")
#: What is put before each function; the helpers first, as each kernel is compiled on its own.
DECORATOR = '@njit(cache=True, nogil=True, error_model="numpy")'


@cache
def source() -> str:
    """Return the source of the kernels as Numba takes it."""
    text = resources.files("structkin.coordinates").joinpath("sweep_kernels.py").read_text(encoding="utf-8")
    text = text.replace("import numpy as np\n", "import numpy as np\nfrom numba import njit\n")
    return text.replace("\ndef ", f"\n{DECORATOR}\ndef ")


@cache
def kernels() -> ModuleType:
    """Return the compiled kernels; the first call on a machine waits for the compiler."""
    if not _is_stored():
        store.log.info("compiling the sweeps, once on this machine")
    return store.load("sweeps", source())


def _is_stored() -> bool:
    return all(store.is_stored("sweeps", source(), kernel) for kernel in KERNELS)


def is_worth_it(engine: str, entries: int, lanes: int) -> bool:
    """Tell whether so many entries and lanes are to be solved by Numba; `engine` is that of `solve`."""
    if engine != "auto":
        return engine == "numba"
    gain = SLOWER * entries * lanes
    start = 0.0 if "numba" in sys.modules else IMPORT
    if gain < start or not has_numba():
        return False
    return gain > start + len(KERNELS) * (READ if _is_stored() else COMPILE)


class CompiledSweeps:
    """Factors of the diagonal blocks in all lanes, and the sweeps that use them."""

    def __init__(self, blocks: Blocks, entries: Floats) -> None:
        """Factorise the blocks; lanes where one is singular become NaN or infinite."""
        self._tables, self._entries = blocks.tables, np.ascontiguousarray(entries)
        lanes = entries.shape[1]
        self._lu = np.empty((blocks.tables[-1][-1], lanes))
        # Blocks of one or two rows have no pivots.
        self._pivots = np.empty((blocks.n if blocks.largest > 2 else 0, lanes), np.int64)
        kernels().factor(self._tables, self._entries, self._lu, self._pivots)

    def solve(self, right: Floats) -> Floats:
        """Solve Phi_q x = right (n, lanes) by the forward sweep."""
        x = np.empty(right.shape)
        kernels().forward(self._tables, self._entries, self._lu, self._pivots, np.array(right, order="C"), x)
        return x

    def solve_transposed(self, right: Floats) -> Floats:
        """Solve Phi_q^T y = right (n, lanes) by the reverse sweep: multipliers and adjoints."""
        y = np.empty(right.shape)
        kernels().backward(self._tables, self._entries, self._lu, self._pivots, np.array(right, order="C"), y)
        return y
