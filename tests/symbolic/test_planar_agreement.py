"""Planar mechanisms in space: S4 agrees with the reduced equations that structkin solves group by group."""

from typing import Any

import numpy as np
import pytest

import structkin as sk
from structkin.examples import path
from structkin.symbolic import evaluating
from structkin.symbolic.solving import solve_groups
from structkin.symbolic.system import System

FOUR_BAR: dict[str, Any] = {
    "points": {"A": (0, 0), "B": (0.1, 0.3), "C": (0.9, 0.7), "D": (1, 0)},
    "links": {
        "ground": ["A", "D"],
        "crank": {"points": ["A", "B"], "mass": 1.0, "center": (0.05, 0.15), "inertia": 0.02},
        "coupler": {"points": ["B", "C"], "mass": 2.0, "center": (0.4, 0.6), "inertia": 0.1},
        "rocker": {"points": ["C", "D"], "mass": 1.5, "center": (0.95, 0.3), "inertia": 0.07},
    },
    "drivers": {"crank": {"joint": "A"}},
    "forces": {"gravity": (0, -9.81)},
    "initial": {"crank": {"speed": "2 rad/s"}},
}

SLIDER_CRANK: dict[str, Any] = {
    "points": {"A": (0, 0), "B": (0.1, 0.2), "C": (0.7, 0.05)},
    "links": {
        "ground": ["A"],
        "crank": {"points": ["A", "B"], "mass": 1.0, "center": (0.05, 0.1), "inertia": 0.02},
        "rod": {"points": ["B", "C"], "mass": 2.0, "center": (0.4, 0.12), "inertia": 0.1},
        "piston": {"points": ["C"], "mass": 0.8, "center": (0.7, 0.05), "inertia": 0.01},
    },
    "joints": {"slide": {"type": "prismatic", "links": ["piston", "ground"], "at": (0.7, 0.05), "axis": (1, 0)}},
    "drivers": {"crank": {"joint": "A"}},
    "forces": {"gravity": (0, -9.81)},
    "initial": {"crank": {"speed": "3 rad/s"}},
}


def andrews() -> sk.Mechanism:
    data = sk.load(path("andrews_squeezer")).source_dict
    return sk.Mechanism.from_dict({**data, "drivers": {"motor": {"joint": "O", "torque": 0.033}}})


@pytest.mark.parametrize("loops", ["explicit", "multipliers"])
@pytest.mark.parametrize(
    ("mechanism", "duration"),
    [
        (lambda: sk.Mechanism(**FOUR_BAR), 2.0),
        (lambda: sk.Mechanism(**SLIDER_CRANK), 2.0),
        (andrews, 0.01),
    ],
    ids=["four-bar", "slider-crank", "Andrews"],
)
def test_motion_is_that_of_the_reduced_equations(mechanism: Any, duration: float, loops: Any) -> None:
    """The positions agree to 1e-10 of the size, over crank turns that need a change of independent coordinates."""
    m = mechanism()
    t = np.linspace(0, duration, 41)
    reduced = m.simulate(t, rtol=1e-12, atol=1e-13)
    model = m.to_spatial()
    motion = model.simulate(duration, len(t), 1e-12, loops=loops)
    assert motion.status == "ok" and not reduced.stopped
    assert motion.closure.max() <= 1e-12
    for name in model.bodies:
        found, expected = motion.position(name)[:, :2], reduced.position(complex(m.links[name].center), name)
        assert np.abs(found - expected).max() <= 1e-10
    balance = motion.energy - motion.work
    assert np.ptp(balance) <= 1e-10 * max(np.abs(motion.energy).max(), np.abs(motion.work).max(), 1e-3)


@pytest.mark.parametrize("data", [FOUR_BAR, SLIDER_CRANK], ids=["four-bar", "slider-crank"])
def test_rates_of_dependent_coordinates_are_the_velocity_coefficients(data: dict[str, Any]) -> None:
    """B_vu and b' of a dyad, from the tree's closure equations, are our K and L contracted with the crank's rate."""
    m = sk.Mechanism(**data)
    system = System(m.to_spatial(), "explicit")
    terms, names = system.terms, [joint for joint, _ in system.tree.coordinates]
    crank = names.index("A")
    q, qd = system.q, system.qd
    evaluating.closure_at(*system.parts, q, qd)
    v = np.array([k for k in range(len(names)) if k != crank])
    choice = system.chooser.choose(terms.W, v)
    X = np.column_stack([-terms.W[np.ix_(choice.rows, [crank])], terms.gamma[choice.rows]])
    assert solve_groups(terms.W, choice.rows, choice.v, choice.starts, X)
    B, b = (dict(zip((names[k] for k in choice.v), X[:, c], strict=True)) for c in (0, 1))
    rate = qd[crank]
    motion = m.simulate([0, 1e-3])
    coupler = next(name for name in m.links if name not in ("ground", "crank"))
    K, L = ({link: getattr(motion, letter)(link)[0].ravel()[0] for link in m.links} for letter in "KL")
    assert B["B"] == pytest.approx(K[coupler] - 1, rel=1e-12)  # the coupler turns relative to the crank
    assert b["B"] == pytest.approx(L[coupler] * rate**2, rel=1e-11)
    if "D" in B:
        assert B["D"] == pytest.approx(K["rocker"], rel=1e-12)
        assert b["D"] == pytest.approx(L["rocker"] * rate**2, rel=1e-11)
    else:
        assert B["slide"] == pytest.approx(motion.K("C")[0].ravel()[0], rel=1e-12)
        assert b["slide"] == pytest.approx(motion.L("C")[0].ravel()[0] * rate**2, rel=1e-11)
