"""How constraints are enforced: order, drift, gains, change points, and refused input."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from cases import few
from flat import flat_times, slider_crank, slider_crank_angle, windows, windows_angle
from scipy.sparse import csc_array
from scipy.sparse.linalg import splu
from swinging import pendulum, swinging_four_bar, table_on_cranks

import structkin as sk
from structkin.dynamics.integrators.methods import FIXED
from structkin.dynamics.multipliers.multiplier_equations import Multipliers
from structkin.dynamics.multipliers.stabilisation import GAINS, LENGTH, Feedback, chosen_gains, growth, violation_growth

STABILISATIONS: dict[str, dict[str, Any]] = {
    "none": {},
    "baumgarte": {"alpha": 5, "beta": 5},
    "augmented": {"alpha": 5, "beta": 5},
    "projection": {},
    "partitioning": {},
}


def test_energy_and_momentum_converge_with_the_order() -> None:
    """RK4 with projection: energy to fourth order, and the bearing's impulse is the change of momentum."""
    errors = []
    for h in (0.02, 0.01):
        r = swinging_four_bar().simulate([0, 0.4], formulation="multipliers", integrator="rk4", step=h)
        errors.append(abs(r.energy[-1] - r.energy[0]))
    assert np.log2(errors[0] / errors[1]) > 3.5
    r = swinging_four_bar().simulate(np.linspace(0, 0.4, 401), formulation="multipliers", rtol=1e-10, atol=1e-11)
    bodies = [(link, 0.5 * abs(r.mechanism.links[link].local[end])) for link, end in
              (("crank", "B"), ("coupler", "C"), ("rocker", "D"))]  # fmt: skip
    momentum = sum(r.velocity(complex(c), link) for link, c in bodies)
    bearings = -r.joints.reaction("A", "ground") - r.joints.reaction("D", "ground") + 3 * np.array([0, -9.81])
    h = r.t[1]
    impulse = h / 3 * (bearings[0] + bearings[-1] + 4 * bearings[1:-1:2].sum(0) + 2 * bearings[2:-1:2].sum(0))
    np.testing.assert_allclose(impulse, momentum[-1] - momentum[0], atol=1e-8)


@pytest.mark.parametrize("formulation", few(["reduced", "multipliers", "multipliers-sparse", "multipliers-sweeps"]))
@pytest.mark.parametrize("integrator", FIXED)
def test_measured_order(formulation: str, integrator: str) -> None:
    """A pendulum from rest: the error falls with the stated order."""
    order = FIXED[integrator]().order
    h = {1: 1e-3, 2: 5e-3, 4: 0.02}[order]
    exact = pendulum().simulate([0, 0.8], rtol=1e-12, atol=1e-13).position("B")[1]
    more = {} if formulation == "reduced" else {"stabilisation": "none"}
    errors = [
        np.max(np.abs(pendulum().simulate([0, 0.8], formulation=formulation, integrator=integrator, step=step, **more
        ).position("B")[1] - exact))
        for step in (h, h / 2)
    ]  # fmt: skip
    assert np.log2(errors[0] / errors[1]) == pytest.approx(order, abs=0.6)


@pytest.mark.parametrize("name", few(STABILISATIONS, 3))
@pytest.mark.parametrize("integrator", ["rk4", "abm4"])
def test_stabilisation_keeps_the_order(name: str, integrator: str) -> None:
    exact = swinging_four_bar().simulate([0, 0.4], rtol=1e-12, atol=1e-13).position("C")[1]
    call: dict[str, Any] = {"formulation": "multipliers", "stabilisation": name, **STABILISATIONS[name]}
    call |= {"integrator": integrator, "coordinates": "relative" if name == "partitioning" else "natural"}
    errors = [
        np.max(np.abs(swinging_four_bar().simulate([0, 0.4], step=step, **call).position("C")[1] - exact))
        for step in ((0.02, 0.01) if integrator == "rk4" else (0.005, 0.0025))
    ]
    assert np.log2(errors[0] / errors[1]) > 3.3


@pytest.mark.parametrize("name", few(STABILISATIONS, 3))
@pytest.mark.parametrize("integrator", ["DOP853", "milne", "LSODA"])
def test_adaptive_integrators(name: str, integrator: str) -> None:
    if name == "projection" and integrator == "LSODA":
        name = "partitioning"
    exact = swinging_four_bar().simulate([0, 0.4], rtol=1e-12, atol=1e-13).position("C")[1]
    call: dict[str, Any] = {"formulation": "multipliers", "stabilisation": name, **STABILISATIONS[name]}
    r = swinging_four_bar().simulate([0, 0.4], integrator=integrator, rtol=1e-9, atol=1e-9, **call)
    assert np.max(np.abs(r.position("C")[1] - exact)) < 1e-6
    if name in ("projection", "partitioning"):
        assert r.violation.max() < 1e-13


@pytest.mark.parametrize("name", STABILISATIONS)
def test_redundant_joints_under_every_stabilisation(name: str) -> None:
    call: dict[str, Any] = {"formulation": "multipliers", "stabilisation": name, **STABILISATIONS[name]}
    r = table_on_cranks().simulate([0, 0.2], integrator="rk4", step=0.005, **call)
    theta = r.angle("one") + np.pi / 2
    np.testing.assert_allclose(r.omega("one") ** 2, 2 * 9.81 * (np.cos(theta) - np.cos(theta[0])), atol=1e-6)


@pytest.mark.full
def test_drift_and_what_stabilisation_leaves_of_it() -> None:
    """Direct integration drifts without bound; Baumgarte's method bounds it; projection leaves rounding."""
    call: dict[str, Any] = {"formulation": "multipliers", "integrator": "rk4", "step": 0.01, "samples": 3}
    gaps = {
        name: pendulum().simulate(10.0, stabilisation=name, **STABILISATIONS[name], **call).violation[1:]
        for name in ("none", "baumgarte", "projection")
    }
    assert gaps["none"][1] > 1.5 * gaps["none"][0] > 1e-6
    assert gaps["baumgarte"][1] < 0.1 * gaps["none"][1]
    assert gaps["projection"].max() < 1e-14


# --- gains ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("alpha", "beta", "size"),
    [
        (-5, -5, 1.005),
        (5, 5, 0.995),
        (20, 20, 0.980),
        (10, 14, 0.990),
        (1000, 1414, 0.9997),  # printed as 0.990, corrected
        (0.8, 2100, 2.326),
    ],
)
def test_table_1(alpha: float, beta: float, size: float) -> None:
    """Flores & Lankarani, Tab. 1: Euler's method at h = 0.001 s; from z of eq. 212 and from the integrator's root."""
    h = 1e-3
    z = np.roots([1, 2 * alpha * h - 2, beta**2 * h**2 - 2 * alpha * h + 1])
    assert violation_growth("euler", h, alpha, beta) == pytest.approx(np.max(np.abs(z)), rel=1e-12)
    assert violation_growth("euler", h, alpha, beta) == pytest.approx(size, abs=6e-4)


def test_gains_by_step_are_marginal_for_euler() -> None:
    assert violation_growth("euler", 0.01, *chosen_gains("step", "euler", 0.01)) == pytest.approx(1, abs=1e-12)


@pytest.mark.parametrize("name", FIXED)
def test_the_growth_factor_is_that_of_the_integrator(name: str) -> None:
    for s in (-0.3, -0.9, -0.2 + 0.7j):
        method, y = FIXED[name](), np.array([1.0, 0.0])
        matrix = np.array([[s.real, -complex(s).imag], [complex(s).imag, s.real]])
        sizes = []
        for k in range(60):
            y = method.step(lambda t, y, A=matrix: A @ y, float(k), y, 1.0)
            sizes.append(np.hypot(*y))
        # two complex roots of equal size would beat; over ten steps that averages out
        measured = (sizes[-1] / sizes[-31]) ** (1 / 30)
        assert measured == pytest.approx(growth(name, s), rel=0.05)
    if name != "gear4":
        assert growth(name, -LENGTH[name]) == pytest.approx(1, abs=1e-9)
        assert growth(name, -1.02 * LENGTH[name]) > 1


@pytest.mark.parametrize("gains", GAINS)
@pytest.mark.parametrize("integrator", ["rk2", "rk4"])
def test_chosen_gains_keep_the_constraints(gains: str, integrator: str) -> None:
    call: dict[str, Any] = {"formulation": "multipliers", "stabilisation": "baumgarte", "integrator": integrator}
    r = pendulum().simulate(2.0, samples=5, step=0.005, gains=gains, **call)
    assert not r.stopped and r.violation.max() < 1e-4


def test_unstable_gains_are_reported() -> None:
    call: dict[str, Any] = {"formulation": "multipliers", "stabilisation": "baumgarte", "integrator": "rk4"}
    r = pendulum().simulate(5.0, samples=101, step=0.01, alpha=300, beta=300, **call)
    assert 1 < len(r) < 101
    assert "come apart" in r.stopped or "diverged" in r.stopped
    assert "with these gains rk4 multiplies constraint violations by 1.375 in each step of 0.01 s" in r.stopped


# --- change points --------------------------------------------------------------------------------------------


def off(r: sk.Simulation, theta: Any) -> float:
    """The largest error of any crank's tip [m]."""
    tip = np.stack((np.cos(theta), np.sin(theta)), axis=1)
    cranks = sum(link.startswith("crank") for link in r.mechanism.links)
    return max(np.max(np.abs(r.position(f"B{k}") - tip - [k, 0])) for k in range(cranks))


@pytest.mark.parametrize(
    ("name", "family", "call"),
    few(
        [
            ("projection", "natural", {"rtol": 1e-10, "atol": 1e-11}),
            ("projection", "natural", {"integrator": "rk4", "step": 2.5e-3}),
            ("baumgarte", "fully-cartesian", {"integrator": "rk4", "step": 2.5e-3}),
            ("augmented", "natural", {"integrator": "rk4", "step": 2.5e-3}),
            ("partitioning", "reference-point", {"integrator": "rk4", "step": 1e-2}),
        ],
        1,
        2,
    ),
)
def test_windows_through_their_flat_poses(name: str, family: str, call: dict[str, Any]) -> None:
    """Four crossings; stages fall on the flat poses where output times do."""
    for t in (np.linspace(0, 3.4, 18), np.array([0.0, *flat_times(2, 4), 3.5])):
        r = windows(2).simulate(t, formulation="multipliers", coordinates=family, stabilisation=name,
                        **STABILISATIONS[name], **call)  # fmt: skip
        assert not r.stopped, r.stopped
        assert off(r, windows_angle(2, t)) < 1e-6


def test_sparse_factors_grow_with_the_mechanism() -> None:
    """The fill of the factors doubles with the number of windows, so that the cost of a step does."""
    fill = []
    for N in (10, 20, 40):
        for family in ("natural", "fully-cartesian", "reference-point"):
            r = Multipliers(windows(N), family, Feedback(), formulation="multipliers-sparse")
            c = r.coordinates
            rows, columns = r.masses.pattern
            K = np.zeros((c.n + c.m, c.n + c.m))
            K[rows, columns] = r.masses.entries(c.frame_map(c.start())[2][:, 0])
            rows, columns = c.pattern
            K[c.n + rows, columns] = K[columns, c.n + rows] = c.jacobian(c.start(), np.zeros((0, 1)))[:, 0]
            lu = splu(csc_array(K))
            fill.append(lu.L.nnz + lu.U.nnz)
    for small, large in zip(fill[:-3], fill[3:], strict=True):
        assert large < 2.2 * small


@pytest.mark.slow
def test_windows_of_forty_for_twenty_seconds() -> None:
    """Twenty flat crossings with an adaptive step, each with a stage exactly on the flat pose."""
    m = windows(40)
    call: dict[str, Any] = {"formulation": "multipliers-sparse", "rtol": 1e-10, "atol": 1e-11}
    t = np.linspace(0, 20, 41)
    r = m.simulate(t, **call)
    assert not r.stopped and off(r, windows_angle(40, t)) < 1e-6
    t = np.array([0.0, *flat_times(40, 20), 20.4])
    r = m.simulate(t, formulation="multipliers-sparse", integrator="rk4", step=2e-3)
    assert not r.stopped and off(r, windows_angle(40, t)) < 1e-6


@pytest.mark.full
def test_equal_rods_through_their_change_points() -> None:
    """Ten seconds, eleven change points, x = 2 cos(theta): projection in fully Cartesian coordinates passes."""
    t = np.linspace(0, 10, 101)
    angle = slider_crank_angle(t)
    call: dict[str, Any] = {"formulation": "multipliers", "coordinates": "fully-cartesian"}
    for more, bound in (({"integrator": "rk4", "step": 0.01}, 1e-3), ({"rtol": 1e-9, "atol": 1e-10}, 1e-6)):
        r = slider_crank("slide").simulate(t, **call, **more)
        assert not r.stopped
        assert np.max(np.abs(r.position("C")[:, 0] - 2 * np.cos(angle))) < bound
    direct = slider_crank("slide").simulate(t, **call, stabilisation="none", integrator="rk4", step=0.01)
    assert "come apart" in direct.stopped or "diverged" in direct.stopped


# --- refused input ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"formulation": "reduced", "alpha": 5}, "alpha: the reduced formulation has no constraints to stabilise"),
        (
            {"formulation": "reduced", "coordinates": "natural"},
            "coordinates: .* has no coordinates but those of drivers",
        ),
        ({"coordinates": "cartesian"}, "coordinates: 'cartesian' is unknown; did you mean 'fully-cartesian'"),
        ({"stabilisation": "baumgart"}, "did you mean 'baumgarte'"),
        ({"stabilisation": "none", "alpha": 5}, "alpha: 'none' has no gains"),
        ({"stabilisation": "baumgarte", "alpha": 5}, "beta: baumgarte needs this gain"),
        ({"stabilisation": "augmented"}, r"alpha: augmented needs this gain(?s:.*)beta: augmented needs this gain"),
        ({"stabilisation": "baumgarte", "alpha": -5, "beta": 5}, "alpha: -5 is not a gain of zero or more"),
        ({"stabilisation": "baumgarte", "gains": "step"}, "gains: require a fixed step"),
        ({"stabilisation": "baumgarte", "gains": "stop"}, "gains: 'stop' is unknown; did you mean 'step'"),
        ({"stabilisation": "baumgarte", "gains": "step", "alpha": 1}, "alpha: cannot be combined with gains"),
        ({"stabilisation": "projection", "penalty": 1e6}, "penalty: 'projection' has no penalty"),
        ({"stabilisation": "augmented", "penalty": 0}, "penalty: 0 is not a positive number"),
        ({"stabilisation": "projection", "integrator": "BDF"}, "projection changes the state after a step"),
    ],
)
def test_bad_calls(options: dict[str, Any], message: str) -> None:
    with pytest.raises(sk.InputError, match=message):
        pendulum().simulate(1.0, **{"formulation": "multipliers", **options})


def test_all_problems_of_a_call_at_once() -> None:
    with pytest.raises(sk.InputError) as caught:
        pendulum().simulate(-1, formulation="multipliers", coordinates="x", stabilisation="none", beta=1, rtol=0)
    assert [problem.key for problem in caught.value.problems] == ["rtol", "coordinates", "beta", "t"]


def test_the_reduced_formulation_has_no_multipliers() -> None:
    r = pendulum().simulate([0, 0.1])
    assert r.multipliers is None
    np.testing.assert_allclose(r.joints.reaction("A", "rod"), r.forces().reaction("A", "rod"))
    g = pendulum().simulate([0, 0.1], formulation="multipliers")
    with pytest.raises(sk.InputError, match="Z: is not a joint"):
        g.joints.unique("Z")
    with pytest.raises(sk.InputError, match="rode: is not a link of the joint 'A'; did you mean 'rod'"):
        g.joints.reaction("A", "rode")
