"""Small systems of many lanes: one that is singular leaves the others as they are alone."""

import numpy as np
import pytest

from structkin.groups.solve_lanes import solve_lanes


@pytest.mark.parametrize("kind", [np.float64, np.complex128])
def test_a_singular_lane_has_no_solution_and_the_others_have_theirs(kind, monkeypatch):
    """They are solved together: one by one, a linkage beside a gap spent a tenth of its time on these."""
    rng = np.random.default_rng(3)
    A, b = rng.normal(size=(40, 6, 6)).astype(kind), rng.normal(size=(40, 6)).astype(kind)
    singular = [3, 7, 9]
    A[3], A[7, :, 2], A[9, 1], A[11] = 0.0, 0.0, 0.0, np.nan
    expected = np.full(b.shape, np.nan, kind)
    for lane in set(range(40)).difference(singular):
        expected[lane] = np.linalg.solve(A[lane], b[lane])
    calls, solve = [], np.linalg.solve
    monkeypatch.setattr(np.linalg, "solve", lambda *given: calls.append(1) or solve(*given))
    np.testing.assert_array_equal(solve_lanes(A, b), expected)
    assert len(calls) == 2
