"""The number of BLAS threads is limited where it helps, and is as before afterwards."""

from contextlib import ExitStack

import numpy as np
import pytest
import scipy.linalg.lapack  # noqa: F401 - SciPy's own BLAS is loaded before its threads are counted
from threadpoolctl import threadpool_info, threadpool_limits

import structkin as sk
from structkin.bench.mechanism import scalable_four_bar
from structkin.blas import LARGE, SMALL, one_thread, one_thread_for
from structkin.rows.lane_matrix import ALONE, Matrix


def threads() -> set[int]:
    return {library["num_threads"] for library in threadpool_info() if library["user_api"] == "blas"}


@pytest.fixture(autouse=True)
def two_threads():
    with threadpool_limits(2, user_api="blas"):
        yield


def test_whoever_leaves_last_restores_the_number_of_threads():
    """As two threads of a program do, the one that entered first leaves first."""
    first, second = ExitStack(), ExitStack()
    first.enter_context(one_thread())
    assert threads() == {1}
    second.enter_context(one_thread())
    first.close()
    assert threads() == {1}
    second.close()
    assert threads() == {2}


def test_an_error_restores_it_too():
    with pytest.raises(ValueError, match="within"), one_thread():
        raise ValueError("within")
    assert threads() == {2}


def test_small_and_large_matrices_are_left_alone():
    for n, expected in ((SMALL - 1, {2}), (SMALL, {1}), (LARGE - 1, {1}), (LARGE, {2})):
        with one_thread_for(n):
            assert threads() == expected


def test_dense_global_methods_use_one_thread(monkeypatch):
    """A factorisation of 144 equations takes up to a hundred times as long on two threads of a busy machine."""
    seen = []
    solve = np.linalg.solve
    monkeypatch.setattr(np.linalg, "solve", lambda *args: seen.append(threads()) or solve(*args))
    motion = scalable_four_bar(40).solve(5, method="global")
    assert motion.ok.all() and seen and all(found == {1} for found in seen)
    assert threads() == {2}
    assert isinstance(motion, sk.Motion)


@pytest.mark.parametrize("columns", [1, 7, 200, 361, 5000])
@pytest.mark.parametrize("values", [float, complex])
def test_products_over_lanes_are_small_enough_for_one_thread(columns, values, monkeypatch):
    """BLAS divides larger ones among threads, which wait for each other where other processes run."""
    rng = np.random.default_rng(columns)
    matrix = Matrix(rng.random(40), rng.integers(0, 32, 40), rng.integers(0, 14, 40), (32, 14))
    x = np.asarray(rng.random((columns, 14)) + (1j * rng.random((columns, 14)) if values is complex else 0.0)).T
    sizes, matmul = [], np.matmul
    monkeypatch.setattr(np, "matmul", lambda a, b, out: (sizes.append(b.shape[1]), matmul(a, b, out))[1])
    found = matrix @ x
    np.testing.assert_allclose(found, np.einsum("ij,jk->ik", matrix.full, x), rtol=1e-14, atol=1e-14)
    assert found.dtype == x.dtype and bool(sizes) == (columns * x.itemsize // 8 * 32 * 14 > ALONE)
    assert all(size * 32 * 14 <= ALONE for size in sizes)
