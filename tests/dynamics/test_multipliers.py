"""Equations with multipliers: their accelerations, multipliers and motions against other methods."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest
from cases import blocks, few
from hypothesis import given, settings
from hypothesis import strategies as st
from loaded import on_link, released
from swinging import pendulum, table_on_cranks

import structkin as sk
from structkin.dynamics import mass_table
from structkin.dynamics.driver_coordinates import DriverCoordinates
from structkin.dynamics.multipliers.consistent_start import global_start
from structkin.dynamics.multipliers.masses import CoordinateMasses, FrameMasses
from structkin.dynamics.multipliers.stabilisation import Feedback, Partitioning, Projection
from structkin.dynamics.reduced.pose import NoPoseError
from structkin.examples import path
from structkin.global_methods.families import FAMILIES

FORMULATIONS = ("multipliers", "multipliers-sparse", "multipliers-sweeps")


def agree_with_reduced(seed: int, families: Any, formulations: Any = FORMULATIONS) -> None:
    m = released(seed)
    call: dict[str, Any] = {"t": [0, 1e-5], "integrator": "euler", "step": 1e-5}
    try:
        r = m.simulate(**call)
    except sk.InputError as error:
        # a law may begin outside what the sketch can reach
        assert {problem.key for problem in error.problems} == {"initial"}, error
        return
    force = max(1.0, np.max(np.abs(r.forces().unknowns)))
    for family in families:
        for formulation in formulations:
            g = m.simulate(formulation=formulation, coordinates=family, **call)
            for one, other, size in (
                ([g.alpha(x)[0] for x in m.links], [r.alpha(x)[0] for x in m.links], 1.0),
                ([g.acceleration(x)[0] for x in m.points], [r.acceleration(x)[0] for x in m.points], 1.0),
                ([g.drivers[x][:, 0] for x in m.drivers], [r.drivers[x][:, 0] for x in m.drivers], 1.0),
                ([g.efforts[x][0] for x in m.drivers], [r.efforts[x][0] for x in m.drivers], force),
            ):
                scale = max(size, np.max(np.abs(other)))
                np.testing.assert_allclose(np.array(one) / scale, np.array(other) / scale, atol=1e-9)
        reactions_do_the_work_of_the_multipliers(g)


def reactions_do_the_work_of_the_multipliers(g: sk.Simulation) -> None:
    """For every displacement of the coordinates that keeps the links rigid, at the start."""
    c, q, forces = g.coordinates, g.q[0], g.joints
    rows, columns, entries = c.frame_map(q[:, None])
    X_q = np.zeros((4 * len(c.links), c.n))
    np.add.at(X_q, (rows, columns), entries[:, 0])
    A = np.zeros((c.m, c.n))
    A[c.pattern] = c.jacobian(q[:, None], np.array([g.drivers[id][0, :1] for id in c.drivers]).reshape(-1, 1))[:, 0]
    on_frames, X = np.empty(len(X_q)), c.frames(q[:, None])[:, 0]
    ties = [*A[[row.of in c.links for row in c.rows]]]
    for k in range(0, len(X), 4):
        x, y, moment = on_link(forces, c.links[k // 4])[:, 0]
        on_frames[k : k + 4] = x, y, -moment * X[k + 3], moment * X[k + 2]
        ties.append(X[k + 2 : k + 4] @ X_q[k + 2 : k + 4])
    rigid = np.linalg.svd(ties)[2][np.linalg.matrix_rank(ties) :].T
    # The efforts of free drivers are loads.
    drivers = DriverCoordinates.of_frames(g.mechanism, c.links, [g.mechanism.drivers[id] for id in g.efforts])
    efforts = np.array([g.efforts[id][0] if id in g.free else 0.0 for id in g.efforts])
    on_frames -= efforts @ drivers.gradient(X)
    work = rigid.T @ (X_q.T @ on_frames)
    scale = np.max(np.abs(forces.unknowns)) * max(1.0, g.size)
    np.testing.assert_allclose(work / scale, -rigid.T @ (A.T @ g.multipliers[0]) / scale, atol=1e-9)


@settings(max_examples=2, deadline=None, derandomize=True, database=None)
@given(st.integers(0, 10**6))
def test_random_mechanisms_match_the_reduced_equations(seed: int) -> None:
    """Accelerations, driver efforts and the free coordinates with their rates, for all families of coordinates."""
    agree_with_reduced(seed, FAMILIES)


@pytest.mark.full
def test_a_start_behind_near_singular_poses() -> None:
    """The way there from the sketch, which only counts turns, took more steps than its budget: it was an error."""
    agree_with_reduced(27, {"natural": FAMILIES["natural"]}, ("multipliers",))
    assert released(27).simulate([0, 1e-5], integrator="euler", step=1e-5).ok.all()


@pytest.mark.slow
@pytest.mark.parametrize("seeds", blocks(range(1000)))
def test_many_random_mechanisms(seeds: range) -> None:
    for seed in seeds:
        agree_with_reduced(seed, FAMILIES)


@pytest.mark.parametrize("family", ["natural", "reference-point"])
@pytest.mark.parametrize(
    "stabilisation",
    [
        {"stabilisation": "none"},
        {"stabilisation": "baumgarte", "alpha": 5, "beta": 5},
        {"stabilisation": "augmented", "alpha": 5, "beta": 5},
        {"stabilisation": "projection"},
        {"stabilisation": "partitioning"},
    ],
)
def test_a_pendulum_matches_the_reduced_equations(family: str, stabilisation: dict[str, Any]) -> None:
    exact = pendulum().simulate(1.0, samples=5, rtol=1e-11, atol=1e-12)
    call: dict[str, Any] = {"samples": 5, "rtol": 1e-10, "atol": 1e-11, "coordinates": family, **stabilisation}
    r = pendulum().simulate(1.0, formulation="multipliers", **call)
    assert not r.stopped and r.ok.all()
    assert np.max(np.abs(r.position("B") - exact.position("B"))) < 1e-8
    np.testing.assert_allclose(r.angle("rod"), exact.angle("rod"), atol=1e-8)
    np.testing.assert_allclose(r.forces().reaction("A", "rod"), exact.forces().reaction("A", "rod"), atol=1e-6)
    assert np.ptp(r.energy) < 1e-7


# --- masses, redundant joints, published mechanisms -----------------------------------------------------------


@pytest.mark.parametrize("seed", [0, 3, 11])
def test_the_mass_matrix_is_constant_in_points_and_directions(seed: int) -> None:
    """In all families it gives the kinetic energy that follows from the links' velocities."""
    m = released(seed)
    for family in FAMILIES:
        r = m.simulate([0, 1e-3, 2e-3], formulation="multipliers", coordinates=family, integrator="rk2", step=1e-3)
        c = r.coordinates
        masses = CoordinateMasses(c, FrameMasses(m, c.links, mass_table(m)))
        entries = [masses.entries(c.frame_map(q[:, None])[2][:, 0]) for q in r.q]
        rows, columns = masses.pattern
        if family in ("natural", "fully-cartesian"):
            assert np.array_equal(entries[0], entries[-1])
        M = np.zeros((c.n, c.n))
        M[rows, columns] = entries[1]
        np.testing.assert_allclose(M, M.T, atol=1e-14 * np.max(np.abs(M)))
        X, h = c.frames(r.q.T), 1e-20
        # the velocities of q, from the velocities of the frames, by the same linear map
        dX = np.stack([part for link in c.links for part in rates(r, link)])
        v = np.linalg.lstsq(np.imag(complex_map(c, r.q[1], h)) / h, dX[:, 1], rcond=None)[0]
        assert 0.5 * v @ M @ v == pytest.approx(r.kinetic_energy[1], rel=1e-9)
        assert X.shape == dX.shape


def rates(r: sk.Simulation, link: str) -> Any:
    origin, ahead = r.velocity(0j, link).T, r.velocity(1 + 0j, link).T
    return np.concatenate((origin, ahead - origin))


def complex_map(c: Any, q: Any, h: float) -> Any:
    return np.stack([c.frames((q + 1j * h * unit)[:, None])[:, 0] for unit in np.eye(c.n)], axis=1)


@pytest.mark.parametrize(("formulation", "family"), few(itertools.product(FORMULATIONS, FAMILIES), 5))
def test_redundant_joints(family: str, formulation: str) -> None:
    """A table on three parallel cranks, one row redundant: multipliers of least norm, those not unique are marked."""
    r = table_on_cranks().simulate([0, 0.2, 0.4], formulation=formulation, coordinates=family)
    theta = r.angle("one") + np.pi / 2
    np.testing.assert_allclose(r.alpha("one"), -9.81 * np.sin(theta), rtol=1e-9)
    assert r.redundant == 1
    assert r.joints.not_unique == ("A", "B", "C", "P", "Q", "R")
    c = r.coordinates
    A = np.zeros((c.m, c.n))
    A[c.pattern] = c.jacobian(r.q[-1][:, None], np.zeros((0, 1)))[:, 0]
    A *= c.column_units / c.row_units[:, None]
    free = np.linalg.svd(A)[0][:, c.n - 1 :]
    scaled = r.multipliers[-1] * c.row_units
    assert np.abs(free.T @ scaled).max() < 1e-9 * np.abs(scaled).max()
    # the table falls with its cranks: their total force on it is unique
    total = sum(r.joints.reaction(pin, "beam") for pin in "PQR")
    np.testing.assert_allclose(total, 6 * (r.acceleration(2 - 1j, "beam") - np.array([0, -9.81])), atol=1e-8)


def squeezer() -> sk.Mechanism:
    data = sk.load(path("andrews_squeezer")).source_dict
    return sk.Mechanism.from_dict({**data, "drivers": {"motor": {"joint": "O", "torque": 0.033}}})


def compare_squeezer(end: float, tol: float, agree: float) -> None:
    t = np.linspace(0, end, 7)
    r = squeezer().simulate(t, rtol=tol, atol=tol)
    g = squeezer().simulate(t, rtol=tol, atol=tol, formulation="multipliers")
    for link in ("K1", "K2", "K3", "K4", "K5", "K6", "K7"):
        if link in g.mechanism.links:
            for read in ("angle", "omega"):
                one, other = getattr(g, read)(link), getattr(r, read)(link)
                np.testing.assert_allclose(one, other, atol=agree * np.max(np.abs(other)))
    work = 0.033 * (g.drivers["motor"][0] - g.drivers["motor"][0][0])
    assert np.max(np.abs(g.energy - g.energy[0] - work)) < 100 * agree * np.max(g.kinetic_energy)


def test_andrews_squeezer_starts_as_with_the_reduced_equations() -> None:
    compare_squeezer(0.002, 1e-12, 1e-10)


@pytest.mark.slow
def test_andrews_squeezer_to_the_end() -> None:
    """Converged: with tolerances ten times tighter, both methods change by less than they differ."""
    compare_squeezer(0.03, 2.5e-14, 1e-11)
    compare_squeezer(0.03, 2.5e-13, 1e-10)


#: IFToMM/LIM benchmark A01; see test_simulate.
A01 = {0.5: (-3.910490e-01, -9.203700e-01), 3.0: (1.766520e-01, -9.842730e-01), 6.0: (9.994980e-01, -3.169650e-02)}


@pytest.mark.parametrize("family", ["reference-point", "fully-cartesian"])
@pytest.mark.parametrize("options", [{"stabilisation": "baumgarte", "alpha": 10, "beta": 10}, {}])
def test_the_official_pendulum(family: str, options: dict[str, Any]) -> None:
    t = [0.0, *A01]
    r = pendulum().simulate(t, formulation="multipliers", coordinates=family, rtol=1e-10, atol=1e-11, **options)
    assert np.max(np.abs(r.position("B")[1:] - np.array([*A01.values()]))) < 1e-6


@pytest.mark.full
@settings(max_examples=6, deadline=None, derandomize=True, database=None)
@given(st.integers(0, 10**6))
def test_arrays_give_the_same_numbers(seed: int) -> None:
    m, compared = released(seed), 0
    for family in FAMILIES:
        for stabilisation in (Projection(), Feedback(5.0, 7.0), Partitioning()):
            found, chosen = [], None
            for limit in (0, 10**6):
                with pytest.MonkeyPatch.context() as patch:
                    patch.setattr("structkin.dynamics.multipliers.multiplier_equations.NUMBERS", (limit, limit))
                    try:
                        e, y = global_start(m, family, stabilisation, (), 0.0, formulation="multipliers")
                    except sk.InputError:
                        return
                # Of coordinates that describe the motion equally well, rounding chooses one.
                chosen = e.mem.chosen if chosen is None else chosen
                e.mem.put(chosen=chosen)
                scales = np.tile(e.coordinates.column_units, 2)
                y = y + 1e-3 * np.random.default_rng(0).normal(size=len(y)) * scales
                try:
                    one = e.recorded(0.1, y)
                    parts = [e(0.1, y) / scales, e.project(0.1, y) / scales, one.a, one.multipliers, *one.X, one.turns]
                    e.accept(0.1, y)
                    found.append(np.concatenate([*parts, e.mem.turns, [one.kinetic, one.power]]))
                except NoPoseError:
                    found.append(np.zeros(0))
            size = max(1.0, float(np.max(np.abs(found[1]), initial=0.0)))
            np.testing.assert_allclose(found[0] / size, found[1] / size, rtol=0, atol=1e-9)
            compared += len(found[0]) > 0
    assert compared
