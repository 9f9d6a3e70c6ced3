"""The Newton-Raphson method: its convergence, and failures that S1 draws (Figs. 42, 44, 45), with their outcomes."""

import numpy as np
import pytest
from coordinate_samples import FAMILIES, build, four_bar, slider_crank
from hypothesis import given, settings
from hypothesis import strategies as st

import structkin as sk
from structkin.global_methods.scaled import Scaled

O = sk.Outcome


@pytest.mark.parametrize("family", FAMILIES)
def test_convergence_is_quadratic(family):
    c = four_bar(1, 3, 2.5, 3, 0.7).constraints(family)
    run = sk.newton_raphson(c, c.start()[:, 0], [0.9])
    assert run.outcome is O.CONVERGED and run.converged and run.iterations <= 6
    steps = np.array(run.steps)
    steps = steps[steps > 1e-7]
    assert (steps[1:] < 20 * steps[:-1] ** 2).all()
    assert run.residuals[-1] < 1e-14 and run.smallest_singular_value > 1e-2 and run.rows == ()


@pytest.mark.parametrize("family", FAMILIES)
def test_no_solution_fig_44(family):
    """A double-rocker at a crank angle that it cannot reach."""
    c = four_bar(2, 1.5, 1.2, 2, 0.3).constraints(family)
    run = sk.newton_raphson(c, c.start()[:, 0], [1.5])
    assert run.outcome is O.NO_SOLUTION and not run.converged and run.rows


@pytest.mark.parametrize("family", ["reference-point", "relative"])
def test_two_solutions_fig_43(family):
    """Started on the other side of the coupler, the other assembly mode is found; from the sketch, the sketch's."""
    m = four_bar(1, 3, 2.5, 3, 0.7)
    other = four_bar(1, 3, 2.5, 3, 0.7, side=-1).constraints(family)
    c = m.constraints(family)
    run = sk.newton_raphson(c, other.start()[:, 0], [0.7])
    assert run.converged
    gap = np.abs(run.q - other.start()[:, 0]).max()
    assert gap < 1e-9


def test_another_branch_is_reported_fig_42b():
    """From near the flat pose of the dyad, a large step ends in the other assembly mode."""
    m = four_bar(2, 1.5, 1.2, 2, 0.3)
    c = m.constraints("relative")
    outcomes = set()
    for angle in np.linspace(0.17, 1.45, 15):
        for shift in (-0.6, 0.6):
            start = c.start()[:, 0] + [0, shift, -shift]
            outcomes.add(sk.newton_raphson(c, start, [angle]).outcome)
    assert O.OTHER_BRANCH in outcomes and O.CONVERGED in outcomes
    assert O.NO_SOLUTION not in outcomes, "there is a solution at all these angles"


def test_equal_rods_fig_45():
    """Crank and rod of equal length, crank upright: the rod may turn about the pin, or the slider may rest."""
    m = slider_crank(1, 1)
    for family in FAMILIES:
        c = m.constraints(family)
        run = sk.newton_raphson(c, c.start()[:, 0], [np.pi / 2], limit=60)
        assert run.outcome is O.SINGULAR_POSE, family
        assert run.residuals[-1] < 1e-9


def test_a_level_tangent_fig_42d():
    """An estimate at the limit position itself, whose Jacobian is singular."""
    m = slider_crank(1, 0.9)
    c = m.constraints("relative")
    limit = np.arcsin(0.9)
    # The rod upright over the slider: crank at its limit.
    X = np.array([0, 0, np.cos(limit), np.sin(limit), np.cos(limit), 0.9, 0.0, -1.0, np.cos(limit), 0, 1, 0])
    links = {"crank": X[0:4], "rod": X[4:8], "slider": X[8:12]}
    q = c.from_frames(np.concatenate([links[link] for link in c.links])[:, None])[:, 0]
    run = sk.newton_raphson(c, q, [limit + 0.2])
    assert run.outcome is O.SINGULAR_START and run.iterations == 0


@settings(max_examples=12, deadline=None)
@given(seed=st.integers(0, 2**31), family=st.sampled_from(FAMILIES))
def test_converged_poses_close_and_failures_have_a_reason(seed, family):
    m = build(seed, 2).mechanism()
    c = m.constraints(family)
    rng = np.random.default_rng(seed)
    z = np.array([m.drivers[id].start + rng.uniform(-0.5, 0.5) for id in c.drivers])
    run = sk.newton_raphson(c, c.start()[:, 0] + 0.1 * rng.standard_normal(c.n) * c.column_units, z)
    if run.converged:
        assert np.abs(c.phi(run.q[:, None], z[:, None])[:, 0] / c.row_units).max() < 1e-9
    else:
        assert run.outcome in set(O) - {O.CONVERGED, O.OTHER_BRANCH}
        assert run.rows or run.outcome is not O.NO_SOLUTION


def test_far_estimates_diverge_or_cycle_figs_42a_42c():
    """A crank-rocker can be assembled at every angle; from estimates far away Newton's method may never get there."""
    c = four_bar(1, 3, 2.5, 3, 0.7).constraints("relative")
    rng = np.random.default_rng(0)
    found = {}
    while not {O.CYCLED, O.THROWN_OFF} <= set(found):
        angle = rng.uniform(0, 2 * np.pi)
        run = sk.newton_raphson(c, c.start()[:, 0] + rng.standard_normal(c.n), [angle])
        found.setdefault(run.outcome, run)
    assert O.NO_SOLUTION not in found, "there is a solution at all these angles"
    for outcome, figure in ((O.CYCLED, "Fig. 42a"), (O.THROWN_OFF, "Fig. 42c")):
        run = found[outcome]
        assert not run.converged and figure in run.outcome.value and run.residuals[-1] > 1e-9
    # A cycling iteration comes no closer; a diverging one still changes by large steps.
    tail = found[O.CYCLED].residuals[-4:]
    assert max(tail) < 10 * min(tail)


def test_the_search_of_the_least_residual_ends_soon_with_links_of_very_different_lengths(monkeypatch):
    """A leg of 1e-7 m in a mechanism of 5 m: the search crept for 3,000 poses, in a comparison for a minute."""
    places = {"A": (0, 0), "B": (0.06, 0.08), "G1": (4, 0), "G2": (2, -3)}
    places |= {"P1": (1.27, 1.93), "P2": (4 + 6e-8, 8e-8), "P3": (1.42, -0.59)}
    links = {"ground": ["A", "G1", "G2"], "crank": ["A", "B"], "l1": ["B", "P1"], "l2": ["G1", "P2"]}
    links |= {"l3": ["G2", "P3"], "plate": ["P1", "P2", "P3"]}
    m = sk.Mechanism(points=places, links=links, drivers={"motor": {"joint": "A", "speed": 1.0}})
    poses, all_rows = [], Scaled.all_rows
    monkeypatch.setattr(Scaled, "all_rows", lambda *args: poses.append(1) or all_rows(*args))
    m.solve(13, method="global", coordinates="reference-point")
    assert len(poses) < 1000
