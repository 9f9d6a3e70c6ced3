"""Long simulations: the joints stay closed however many steps are taken; an end that is too far is told early."""

from __future__ import annotations

import numpy as np
import pytest
from flat import crank_rocker, rocker_speed, windows

import structkin as sk


@pytest.mark.slow
@pytest.mark.parametrize("case", ["crank", "rocker", "windows"])
def test_the_joints_stay_closed_for_a_million_steps(case):
    """Also where the rocker's coordinate passes dead points, and where a window passes flat poses."""
    m = windows(1) if case == "windows" else crank_rocker(case, None, 9.0 if case == "crank" else rocker_speed())
    found = m.simulate(np.linspace(0, 100, 1001), integrator="rk4", step=1e-4, max_steps=2_000_000)
    assert not found.stopped and found.integration.steps >= 1_000_000
    assert found.violation.max() <= 1e-12
    assert np.max(np.abs(found.energy - found.energy[0])) < 1e-6 * np.max(found.kinetic_energy)


def swinging(**damper: float) -> sk.Mechanism:
    """A rod of 1 kg on a pin, with a damper or without."""
    loads = {"damper": {"type": "torsion", "links": ["ground", "rod"], **damper}} if damper else {}
    return sk.Mechanism(
        points={"A": (0, 0), "B": (1, 0)},
        links={"ground": ["A"], "rod": {"points": ["A", "B"], "shape": "rod", "mass": 1}},
        drivers={"swing": {"joint": "A"}},
        forces={"gravity": (0, -9.81), **loads},
    )


@pytest.mark.parametrize("end", [1e6, 1e9, 1e12])
def test_a_run_that_never_comes_to_its_end_is_told_early(end) -> None:
    """It took a million steps, eight minutes, for one sample; a thousandfold end was called a rate without bound."""
    found = swinging().simulate(end, samples=11, integrator="LSODA", engine="python")
    assert found.integration.steps == 2000 and len(found.t) == 1
    reached, needed = float(found.stopped.split()[2]), float(found.stopped.split(" some ")[1].split()[0])
    assert needed == pytest.approx((end - reached) / reached * 2000, rel=0.5)
    assert "steps like the first 2,000, and max_steps is 1,000,000; let it end earlier" in found.stopped
    # Samples that were reached are kept.
    times = [0.0, 1.0, 2.0, end]
    kept = swinging().simulate(times, integrator="LSODA", engine="python")
    assert list(kept.t) == times[:3] and kept.stopped


def test_a_run_that_comes_to_rest_goes_on_to_a_far_end() -> None:
    """Its first steps alone would take more than 10^10 of them."""
    found = swinging(damping=2.0).simulate(1e9, samples=11, integrator="Radau", engine="python")
    assert not found.stopped and found.integration.steps < 2000
    assert abs(found.drivers["swing"][0][-1] + np.pi / 2) < 1e-6


@pytest.mark.full
@pytest.mark.parametrize("integrator", ["DOP853", "RK45", "milne", "Radau", "BDF"])
@pytest.mark.parametrize("formulation", ["reduced", "multipliers"])
def test_all_integrators_tell_early(integrator, formulation) -> None:
    found = swinging().simulate(1e9, samples=11, integrator=integrator, formulation=formulation, engine="python")
    assert found.integration.steps == 2000 and "max_steps is 1,000,000" in found.stopped
