"""Long simulations: the joints stay closed however many steps are taken."""

from __future__ import annotations

import numpy as np
import pytest
from flat import crank_rocker, rocker_speed, windows


@pytest.mark.slow
@pytest.mark.parametrize("case", ["crank", "rocker", "windows"])
def test_the_joints_stay_closed_for_a_million_steps(case):
    """Also where the rocker's coordinate passes dead points, and where a window passes flat poses."""
    m = windows(1) if case == "windows" else crank_rocker(case, None, 9.0 if case == "crank" else rocker_speed())
    found = m.simulate(np.linspace(0, 100, 1001), integrator="rk4", step=1e-4, max_steps=2_000_000)
    assert not found.stopped and found.integration.steps >= 1_000_000
    assert found.violation.max() <= 1e-12
    assert np.max(np.abs(found.energy - found.energy[0])) < 1e-6 * np.max(found.kinetic_energy)
