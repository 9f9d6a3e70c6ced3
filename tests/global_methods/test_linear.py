"""The linear solvers on random matrices and on Jacobians: one answer, direct and transposed."""

import numpy as np
import pytest
from coordinate_samples import FAMILIES, build, dense, scalable
from hypothesis import given, settings
from hypothesis import strategies as st

from structkin.global_methods import sweeps
from structkin.global_methods.linear import SMALL, SOLVERS, Sparse, Triangular
from structkin.global_methods.triangular import Blocks


def near_the_sketch(mechanism, family, lanes=5):
    c = mechanism.constraints(family)
    rng = np.random.default_rng(1)
    q = c.start() + 0.02 * rng.standard_normal((c.n, lanes)) * c.column_units[:, None]
    z = np.array([[mechanism.drivers[id].start] for id in c.drivers]) + np.zeros((1, lanes))
    entries = c.jacobian(q, z) * (c.column_units[c.pattern[1]] / c.row_units[c.pattern[0]])[:, None]
    return c, entries


def assert_solves(pattern, n, matrices, entries, make):
    right = np.random.default_rng(0).standard_normal((n, len(matrices)))
    factors = make(*pattern, n).factor(entries)
    for found, matrix in (
        (factors.solve(right), matrices),
        (factors.solve_transposed(right), np.swapaxes(matrices, 1, 2)),
        (make(*pattern, n).step(entries, right), matrices),
    ):
        gap = np.abs(np.einsum("nij,jn->in", matrix, found) - right).max(axis=0)
        assert (gap < 1e-12 * np.linalg.cond(matrices)).all()


@settings(max_examples=25, deadline=None)
@given(seed=st.integers(0, 2**31), family=st.sampled_from(FAMILIES), method=st.sampled_from(list(SOLVERS)))
def test_jacobians_of_random_mechanisms(seed, family, method):
    c, entries = near_the_sketch(build(seed).mechanism(), family)
    assert_solves(c.pattern, c.n, dense(c, entries), entries, SOLVERS[method])


@pytest.mark.parametrize("method", list(SOLVERS))
def test_a_large_one(method):
    c, entries = near_the_sketch(scalable(20), "reference-point")
    assert c.n > SMALL
    assert_solves(c.pattern, c.n, dense(c, entries), entries, SOLVERS[method])


def compiled(rows, columns, n):
    solver = Triangular(rows, columns, n)
    solver.compiled = True
    return solver


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("by_numba", [False, pytest.param(True, marks=pytest.mark.compiled)])
def test_compiled_sweeps(family, by_numba, monkeypatch):
    """Blocks of all sizes, direct and transposed; the source of the kernels runs without Numba as well."""
    if not by_numba:
        monkeypatch.setattr(sweeps, "kernels", sweeps.SWEEPS.plain)
    sizes = set()
    for seed in range(4):
        c, entries = near_the_sketch(build(seed).mechanism(), family)
        assert_solves(c.pattern, c.n, dense(c, entries), entries, compiled)
        sizes |= {len(block.rows) for block in Blocks.find(*c.pattern, c.n).blocks}
    assert min(sizes) == 1 and max(sizes) > 2


def test_a_singular_lane_of_compiled_sweeps(monkeypatch):
    monkeypatch.setattr(sweeps, "kernels", sweeps.SWEEPS.plain)
    rows, columns = (x.ravel() for x in np.indices((4, 4)))
    matrices = np.random.default_rng(2).standard_normal((3, 4, 4))
    matrices[1, :, 2] = 0.0
    found = compiled(rows, columns, 4).factor(matrices.reshape(3, -1).T).solve(np.ones((4, 3)))
    assert np.isnan(found[:, 1]).any()
    np.testing.assert_allclose(np.einsum("nij,jn->in", matrices, found)[:, [0, 2]], 1.0, atol=1e-10)


def test_numba_is_used_only_for_enough_work(monkeypatch):
    assert not sweeps.is_worth_it("auto", 100, 1000) and not sweeps.is_worth_it("python", 10**6, 10**6)
    assert sweeps.is_worth_it("compiled", 1, 1)
    monkeypatch.setattr(sweeps, "has_numba", lambda: True)
    assert sweeps.is_worth_it("auto", 10**5, 10**6)
    monkeypatch.setattr(sweeps, "has_numba", lambda: False)
    assert not sweeps.is_worth_it("auto", 10**5, 10**6)


@pytest.mark.parametrize("n", [4, SMALL + 1])
@pytest.mark.parametrize("method", list(SOLVERS))
def test_a_singular_lane_is_nan_and_leaves_the_others_alone(method, n):
    rows, columns = (x.ravel() for x in np.indices((n, n)))
    matrices = np.random.default_rng(2).standard_normal((3, n, n))
    matrices[1, :, 2] = 0.0
    entries = matrices.reshape(3, -1).T
    right = np.ones((n, 3))
    found = SOLVERS[method](rows, columns, n).factor(entries).solve(right)
    assert np.isnan(found[:, 1]).any()
    np.testing.assert_allclose(np.einsum("nij,jn->in", matrices, found)[:, [0, 2]], 1.0, atol=1e-10)


@pytest.mark.parametrize("method", [*SOLVERS.values(), compiled])
def test_complex_lanes(method):
    """A contour around a change point is solved in complex numbers."""
    rows, columns = (x.ravel() for x in np.indices((4, 4)))
    real, imaginary = np.random.default_rng(2).standard_normal((2, 3, 4, 4))
    matrices, right = real + 1j * imaginary, np.exp(1j * np.arange(12)).reshape(4, 3)
    found = method(rows, columns, 4).step(matrices.reshape(3, -1).T, right)
    np.testing.assert_allclose(np.einsum("nij,jn->in", matrices, found), right, atol=1e-12)


def test_the_ordering_is_found_once_and_fills_no_more_than_colamd():
    from scipy.sparse import csc_matrix
    from scipy.sparse.linalg import splu

    c, entries = near_the_sketch(scalable(30), "reference-point")
    factors = Sparse(*c.pattern, c.n).factor(entries)
    for lane, lu in enumerate(factors._lanes):
        matrix = csc_matrix((entries[:, lane], c.pattern), shape=(c.n, c.n))
        by_colamd = splu(matrix, permc_spec="COLAMD")
        # Pivots differ from lane to lane, and the fill differs slightly with them.
        assert lu.nnz <= 1.1 * by_colamd.nnz


def test_blocks_are_triangular_and_follow_the_groups():
    """In natural coordinates each dyad of the scalable four-bar is a block of 2 x 2, as S2's groups are."""
    m = scalable(12)
    c, entries = near_the_sketch(m, "natural")
    blocks = Blocks.find(*c.pattern, c.n)
    assert blocks is not None
    sizes = [len(block.rows) for block in blocks.blocks]
    assert sizes == [1, 1] + [2] * 12
    owner = {link: group.index for group in m.structure().groups for link in group.links}
    order = [max(owner.get(link, 0) for row in block.rows for link in c.rows[row].links) for block in blocks.blocks]
    assert order == sorted(order)
    matrices = dense(c, entries)
    rows = np.concatenate([block.rows for block in blocks.blocks])
    columns = np.concatenate([block.columns for block in blocks.blocks])
    permuted = matrices[:, rows][:, :, columns]
    ends = np.repeat(np.cumsum(sizes), sizes)
    for row, end in enumerate(ends):
        assert not permuted[:, row, end:].any()
    signs, weakest, sigma = blocks.branch(entries)
    parity = np.linalg.det(np.eye(c.n)[rows]) * np.linalg.det(np.eye(c.n)[columns])
    np.testing.assert_allclose(np.prod(signs, axis=0), np.sign(np.linalg.det(matrices)) * parity)
    least = np.array([np.linalg.svd(block.dense(entries), compute_uv=False)[:, -1] for block in blocks.blocks])
    np.testing.assert_array_equal(weakest, least.argmin(axis=0))
    np.testing.assert_allclose(sigma, least.min(axis=0))


def test_a_pattern_without_a_matching_has_no_blocks():
    assert Blocks.find(np.array([0, 1, 1]), np.array([0, 0, 0]), 2) is None


@pytest.mark.parametrize("reverse", [False, True])
def test_matching_takes_no_time_on_layered_graphs(reverse):
    """Dead-end diamonds next to an equally long chain that ends at a free column: there are 2^depth paths."""
    depth = 200
    entries = [(2 * k + i, 2 * k + i) for k in range(depth) for i in (0, 1)]
    entries += [(2 * k + i, 2 * k + 2 + j) for k in range(depth - 1) for i in (0, 1) for j in (0, 1)]
    entries += [(2 * depth + k, 2 * depth + k + j) for k in range(depth) for j in (0, 1)]
    entries += [(3 * depth, column) for column in (0, 1, 2 * depth)]
    rows, columns = np.array(entries).T
    n = 3 * depth + 1
    rows = n - 1 - rows if reverse else rows
    found = Blocks.find(rows, columns, n)
    assert found is not None and found.largest == 1 and len(found.blocks) == n
