"""The arithmetic of the solver against dense elimination, on random systems."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from mechanisms import CATALOGUE

from structkin import Topology
from structkin.structure.certificate import batched_rank, coefficients, deficient_blocks
from structkin.structure.decompose import partition
from structkin.structure.eliminate import PRIME, eliminate, null_basis, solve_back
from structkin.structure.joint_rows import GROUND, Rows, rows_of
from structkin.structure.orient import orient
from structkin.structure.repair import System


def dense(rows: Rows, seed: int = 7) -> np.ndarray:
    system = System(rows, coefficients(rows, seed))
    matrix = np.zeros((len(rows.item), 3 * rows.n_vertices), dtype=np.int64)
    for row in range(len(rows.item)):
        for column, value in system.entries(row).items():
            matrix[row, column] = value
    return matrix


def rank(matrix: np.ndarray) -> int:
    return int(batched_rank(matrix[None].copy())[0])


@pytest.mark.parametrize("entry", CATALOGUE, ids=lambda entry: entry["name"])
def test_partition_is_a_greedy_basis(entry: dict[str, Any]) -> None:
    """A row is dropped if and only if it does not raise the rank of the previous rows, at another geometry."""
    rows = rows_of(Topology.from_dict(entry))
    matrix = dense(rows)
    part = partition(rows, np.arange(len(rows.item)))
    kept: list[int] = []
    for row in range(len(matrix)):
        if rank(matrix[[*kept, row]]) > len(kept):
            kept.append(row)
    assert kept == np.flatnonzero(part.owner >= 0).tolist()
    for row, circuit in part.circuits.items():
        others = [r for r in circuit if r != row]
        assert rank(matrix[circuit]) == len(others)
        for left_out in others:  # a circuit: without any one row it is independent
            assert rank(matrix[[r for r in circuit if r != left_out]]) == len(others)


@pytest.mark.parametrize("entry", CATALOGUE, ids=lambda entry: entry["name"])
def test_orientation_respects_capacity_and_ends(entry: dict[str, Any]) -> None:
    rows = rows_of(Topology.from_dict(entry))
    result = orient(rows.capacity, rows.ends, np.ones(len(rows.item), dtype=bool))
    owned = result.owner[result.owner >= 0]
    assert (np.bincount(owned, minlength=rows.n_vertices) <= rows.capacity).all()
    for row, owner in enumerate(result.owner.tolist()):
        assert owner == -1 or (owner in rows.ends[row] and owner != GROUND)


def test_batched_rank_of_known_ranks() -> None:
    rng = np.random.default_rng(3)
    for target in range(5):
        left, right = rng.integers(0, 1000, (4, 6, target)), rng.integers(0, 1000, (4, target, 7))
        assert batched_rank(left @ right % PRIME).tolist() == [target] * 4


def test_sparse_elimination_agrees_with_dense() -> None:
    rng = np.random.default_rng(5)
    for _ in range(60):
        height, width = rng.integers(1, 9, 2)
        matrix = rng.integers(1, PRIME, (height, width)) * (rng.random((height, width)) < 0.4)
        if rng.random() < 0.5 and height > 1:
            matrix[-1] = matrix[0]
        lines = [{c: int(v) for c, v in enumerate(row) if v} for row in matrix]
        pivots, rest = eliminate(lines, range(width))
        assert len(pivots) == rank(matrix)
        assert not any(rest)
        bound = {column for column, _ in pivots}
        motion = {c: int(rng.integers(1, PRIME)) for c in range(width) if c not in bound}
        solve_back(pivots, motion)
        for row in matrix:
            assert sum(int(row[c]) * motion[c] for c in range(width)) % PRIME == 0
        free = [c for c in range(width) if c not in bound]
        for start, vector in zip(free, null_basis(pivots, free), strict=True):
            assert [vector.get(c, 0) for c in free] == [int(c == start) for c in free]
            for row in matrix:
                assert sum(int(row[c]) * value for c, value in vector.items()) % PRIME == 0


def test_large_blocks_use_sparse_elimination(monkeypatch: pytest.MonkeyPatch) -> None:
    for entry in CATALOGUE:
        rows = rows_of(Topology.from_dict(entry))
        values = coefficients(rows)
        part = partition(rows, np.arange(len(rows.item)))
        for owner in (part.owner, orient(rows.capacity, rows.ends, np.ones(len(rows.item), dtype=bool)).owner):
            expected = deficient_blocks(rows, values, owner, part.block).tolist()
            with monkeypatch.context() as patch:
                patch.setattr("structkin.structure.certificate.DENSE", 0)
                assert deficient_blocks(rows, values, owner, part.block).tolist() == expected
