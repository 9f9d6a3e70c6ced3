"""IFToMM A04 (Bricard) and A05 (stiff fly-ball governor): small steps against minimal coordinates (S4)."""

from __future__ import annotations

import numpy as np
import pytest
from cases import few

from structkin.spatial import small_steps
from structkin.spatial.elements import relative_stiffnesses
from structkin.symbolic import simulate
from tests.symbolic.benchmarks import bricard, governor


def errors(model, body, duration, step, frequencies, rtol):
    """Return the largest position error of a body for each stiffness, relative to its path, and the step's part.

    The joints alone would vibrate at these frequencies [1/s].
    """
    right = simulate(model, duration, 101, rtol, budget=None).position(body)
    relative, size = relative_stiffnesses(model), float(np.ptp(right, axis=0).max())
    found = []
    for frequency in frequencies:
        stiffness = {name: (k * frequency**2, c * frequency**2) for name, (k, c) in relative.items()}
        coarse, fine = (
            small_steps(model, duration, h, record=round(duration / h / 100), stiffness=stiffness, budget=None)
            for h in (step, step / 2)
        )
        assert fine.status == "ok"
        ends = [run.position(body) for run in (coarse, fine)]
        found.append((abs(2 * ends[1] - ends[0] - right).max() / size, abs(ends[1] - ends[0]).max() / size))
    return np.array(found)


CASES = [(bricard, "rod 3", (4e3, 8e3, 16e3)), (governor, "arm 1", (16e3, 32e3, 64e3))]


@pytest.mark.full
@pytest.mark.parametrize(("model", "body", "frequencies"), few(CASES, 1, 0))
def test_the_beginning_converges_with_the_stiffness(model, body, frequencies):
    found = errors(model(), body, 0.4, 4e-6, frequencies[1:], 1e-9)
    assert np.log2(found[0, 0] / found[1, 0]) / 2 == pytest.approx(1, abs=0.1)
    assert found[-1, 0] < 1e-3 and (found[:, 1] < found[:, 0] / 5).all()


@pytest.mark.slow
@pytest.mark.parametrize(("model", "body", "frequencies"), CASES)
def test_two_seconds_converge_to_a_thousandth_of_the_size(model, body, frequencies):
    found = errors(model(), body, 2.0, 2e-6, frequencies, 1e-11)
    assert np.log2(found[:-1, 0] / found[1:, 0]) / 2 == pytest.approx([1, 1], abs=0.1)
    assert found[-1, 0] < 1e-3 and (found[:, 1] < found[:, 0] / 10).all()
