"""The sweeps over the diagonal blocks in all lanes: by NumPy, or by Numba where the work is worth it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from structkin.compiled import has_numba
from structkin.global_methods import sweep_kernels
from structkin.global_methods.triangular import Block, Blocks
from structkin.kernels.choice import COMPILE, IMPORT
from structkin.kernels.text import Text
from structkin.types import Floats

#: Additional seconds of NumPy's sweeps per entry and lane, for all solutions of a sample together.
SLOWER = 10e-9
#: The kernels, which also run as plain Python.
SWEEPS = Text("sweeps", "sweeps", (sweep_kernels,))


def kernels() -> Mapping[str, Any]:
    """Return the compiled kernels; the first call on a machine compiles them."""
    SWEEPS.announce("forward")
    return SWEEPS.compiled


def is_worth_it(engine: str, entries: int, lanes: int) -> bool:
    """Return whether this many entries and lanes are to be solved by Numba; `engine` is that of `solve`."""
    if engine != "auto":
        return engine == "compiled"
    # The two round differently: the choice must not depend on what is already compiled.
    return has_numba() and SLOWER * entries * lanes > IMPORT + COMPILE


class Sweeps:
    """Inverses of the diagonal blocks in all lanes, and the sweeps that use them."""

    def __init__(self, blocks: Blocks, entries: Floats) -> None:
        """Invert the blocks; lanes where one is singular become NaN or infinite."""
        self._blocks, self._entries = blocks, entries
        with np.errstate(all="ignore"):
            self._inverses = [_inverse(block, entries) for block in blocks.blocks]

    def solve(self, right: Floats) -> Floats:
        """Solve Phi_q x = right (n, lanes) by the forward sweep."""
        x = np.empty_like(right)
        with np.errstate(all="ignore"):
            for block, inverse in zip(self._blocks.blocks, self._inverses, strict=True):
                r = right[block.rows]
                for entry, row, column in zip(*block.left, strict=True):
                    r[row] -= self._entries[entry] * x[column]
                x[block.columns] = _apply(inverse, r)
        return x

    def solve_transposed(self, right: Floats) -> Floats:
        """Solve Phi_q^T y = right (n, lanes) by the reverse sweep: multipliers and adjoints."""
        y, r = np.empty_like(right), right.copy()
        with np.errstate(all="ignore"):
            for block, inverse in zip(self._blocks.blocks[::-1], self._inverses[::-1], strict=True):
                part = _apply(np.swapaxes(inverse, 0, 1), r[block.columns])
                y[block.rows] = part
                for entry, row, column in zip(*block.left, strict=True):
                    r[column] -= self._entries[entry] * part[row]
        return y


def _inverse(block: Block, entries: Floats) -> Any:
    """Return the inverse of a diagonal block, lanes last (b, b, lanes)."""
    b = len(block.rows)
    if b > 2:
        return np.moveaxis(invert_lanes(block.dense(entries)), 0, -1)
    entry, row, column = block.diagonal
    A = np.zeros((b, b, entries.shape[1]), entries.dtype)
    A[row, column] = entries[entry]
    if b == 1:
        return 1.0 / A
    (p, q), (r, s) = A
    return np.stack((s, -q, -r, p)).reshape(2, 2, -1) / (p * s - q * r)


def _apply(inverse: Any, right: Floats) -> Any:
    return np.einsum("ijn,jn->in", inverse, right) if len(right) > 1 else inverse[0] * right


def invert_lanes(matrices: Floats) -> Floats:
    """Return the inverse of each matrix (lanes, n, n); NaN where one is exactly singular."""
    try:
        return np.asarray(np.linalg.inv(matrices))
    except np.linalg.LinAlgError:
        result = np.full(matrices.shape, np.nan)
        for lane, matrix in enumerate(matrices):
            try:
                result[lane] = np.linalg.inv(matrix)
            except np.linalg.LinAlgError:
                continue
        return result


class CompiledSweeps:
    """Factors of the diagonal blocks in all lanes, and the sweeps that use them."""

    def __init__(self, blocks: Blocks, entries: Floats) -> None:
        """Factorise the blocks; lanes where one is singular become NaN or infinite."""
        self._tables, self._entries = blocks.tables, np.ascontiguousarray(entries)
        lanes = entries.shape[1]
        self._lu = np.empty((blocks.tables[-1][-1], lanes))
        # Blocks of one or two rows have no pivots.
        self._pivots = np.empty((blocks.n if blocks.largest > 2 else 0, lanes), np.int64)
        kernels()["factor"](self._tables, self._entries, self._lu, self._pivots)

    def solve(self, right: Floats) -> Floats:
        """Solve Phi_q x = right (n, lanes) by the forward sweep."""
        x = np.empty(right.shape)
        kernels()["forward"](self._tables, self._entries, self._lu, self._pivots, np.array(right, order="C"), x)
        return x

    def solve_transposed(self, right: Floats) -> Floats:
        """Solve Phi_q^T y = right (n, lanes) by the reverse sweep: multipliers and adjoints."""
        y = np.empty(right.shape)
        kernels()["backward"](self._tables, self._entries, self._lu, self._pivots, np.array(right, order="C"), y)
        return y
