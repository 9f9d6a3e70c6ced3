"""What misses a flat pose by 1e-12 of the size passes it, beyond 1e-8 keeps its branch, and between it is said.

A four-bar with ground + crank = rod + rocker, or ground - crank = rock - rod, up to a miss, against the judge's walk.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from branch_families import Draft, four_bar, known, mechanism
from cases import few

import structkin as sk
from structkin.studio.driving import Driving

MISSES = 0.0, 1e-13, -1e-13, 3e-12, 1e-10, -3e-12, -1e-10, 1e-9, 1e-7, -1e-9, 1e-5, -1e-5, -1e-7
#: How small ground - crank is beside the crank, None where the bars are stretched at the flat pose.
NARROW = None, 2.0**-3, 2.0**-10, 2.0**-20


def draft(miss: float, narrow: float | None) -> Draft:
    """A four-bar whose rod is too long by a part of the size; its crank comes to the flat pose going up."""
    a, b, c, d = (1.0, 3.0, 2.5, 4.5) if narrow is None else (1.0, 1.5, 1.5 + narrow, 1.0 + narrow)
    rng = np.random.default_rng(0)
    one = four_bar(a, b, c, d, rng)
    size = float(np.ptp([z.real for z in one.points.values()]))
    bars = {("A", "B"): a, ("B", "C"): b + miss * size, ("D", "C"): c, ("A", "D"): d}
    return replace(one, lengths=bars, tracers={}, narrow=narrow is not None)


def flat_at(one: Draft, narrow: float | None) -> float:
    """The change of the crank's angle up to the flat pose: in line with the ground, away from it or along it."""
    return float((np.pi * (narrow is None) - np.angle(one.points["B"])) % (2 * np.pi))


def mode(B: complex, C: complex, D: complex) -> float:
    return float(np.sign(((C - B) * np.conj(D - B)).imag))


def kind(miss: float) -> str:
    return "flat" if abs(miss) < 5e-13 else "never" if abs(miss) > 5e-8 else "between"


@pytest.mark.parametrize("narrow", NARROW)
@pytest.mark.parametrize("miss", few(MISSES, 4))
def test_limits_and_circuits(miss, narrow):
    """Misses of up to 1e-6 were change points to them, where ground and crank are nearly equal."""
    one = draft(miss, narrow)
    m = mechanism(one)
    found, circuits = m.limits("m"), m.circuits("m")
    if kind(miss) == "flat":
        assert len(found.change_points) > 0 and len(circuits) == 1
        return
    assert not found.change_points
    apart = one.lengths["B", "C"] - (3.0 if narrow is None else 1.5)
    # Closed, and not flat, at the flat pose of the ground and the crank.
    goes_on = apart > 0 if narrow is None else abs(narrow - apart) < narrow
    if kind(miss) == "never":
        assert (found.lower is None) == (found.upper is None) == goes_on
        assert len(circuits) == (2 if goes_on else 1)
    else:
        assert found.upper.kind == "uncertified" and "branch not certified" in found.report
        assert len(circuits) == 2 and "branch not certified" in circuits.report


@pytest.mark.parametrize("step", [0.01, 0.07, 0.31, 1.0, 5.0])
@pytest.mark.parametrize("miss", few(MISSES, 2))
def test_dragging(miss, step):
    """The crank was dragged to the crossing branch by steps of 0.05 and 0.31 rad, misses of 1e-7 included."""
    one = draft(miss, None)
    walk = known("four_bar", one, [[0], [flat_at(one, None) + 1.4]]).walk
    for sign in (1.0, -1.0):
        m = mechanism(one)
        arm = Driving(m)
        flat, z, stopped = flat_at(one, None), 0.0, ""
        goal = flat + 1.3 if sign > 0 else flat - 2 * np.pi - 1.3
        while abs(z) < abs(goal) and not stopped:
            z = float(np.clip(z + sign * step, -abs(goal), abs(goal)))
            stopped = arm.turn("m", m.drivers["m"].start + z, seconds=60.0).stopped
        x, y, theta = arm.frames["rod"]
        B, C = (complex(x, y) + np.exp(1j * theta) * m.links["rod"].local[name] for name in "BC")
        now = mode(B, C, one.points["D"])
        before = mode(one.points["B"], one.points["C"], one.points["D"])
        if kind(miss) == "flat":
            assert not stopped and now == -before
        elif kind(miss) == "never" and miss > 0:
            assert not stopped and now == before and walk.end == ""
        else:
            assert stopped and now == before
            assert abs(abs(arm.values["m"] - m.drivers["m"].start) - abs(flat if sign > 0 else flat - 2 * np.pi)) < 0.02


@pytest.mark.parametrize("coordinates", few(["natural", "reference-point", "fully-cartesian", "relative"], 2))
@pytest.mark.parametrize("narrow", few(NARROW[:3]))
@pytest.mark.parametrize("miss", few(MISSES, 4))
def test_global_methods(miss, narrow, coordinates):
    """A miss of 3e-12 was passed as flat in natural coordinates."""
    one = draft(miss, narrow)
    m, (B, C, D) = mechanism(one), (one.points[name] for name in "BCD")
    change = np.linspace(0.0, 2 * np.pi, 61)
    motion = m.solve(drivers={"m": m.drivers["m"].start + change}, method="global", coordinates=coordinates)
    places = zip(*(motion.position(p) @ (1, 1j) for p in "BCD"), strict=True)
    changed = np.array([mode(*place) for place in places]) == -mode(B, C, D)
    passed = change > flat_at(one, narrow)
    if kind(miss) == "flat":
        np.testing.assert_array_equal(changed, passed)
    elif kind(miss) == "between":
        assert not motion.ok[passed].any() and sk.Status.UNCERTIFIED in motion.status and motion.ok[~passed].all()
    else:
        assert not (changed & motion.ok).any()


MULTIPLIERS = {"formulation": "multipliers"}


def massive(data):
    for link, points in data["links"].items():
        if link != "ground":
            data["links"][link] = {"points": points, "mass": 1.0, "center": [0.1, 0.02], "inertia": 0.1}
    return sk.Mechanism.from_dict(data)


@pytest.mark.parametrize("options", few([
    {"integrator": "rk4", "step": 0.02}, {"formulation": "multipliers-sparse"}, {"coordinates": "relative"},
    {"coordinates": "relative", "integrator": "rk4", "step": 0.02},
], 1))  # fmt: skip
def test_two_groups_that_are_flat_at_once(options):
    """Two dyads of the same lengths on one crank: a determinant of all links does not change its sign over both."""
    for miss in (0.0, 3e-12):
        one = draft(miss, None)
        data = mechanism(one, [1.5]).source_dict
        data["points"]["E"] = data["points"]["C"]
        data["links"] |= {"rod2": ["B", "E"], "rock2": ["D", "E"]}
        data["lengths"] |= {"B-E": data["lengths"]["B-C"], "D-E": data["lengths"]["D-C"]}
        motion = massive(data).simulate(8.0, samples=100, free=["m"], **{**MULTIPLIERS, **options})
        z = motion.drivers["m"][0] - motion.mechanism.drivers["m"].start
        assert ("branch not certified" in motion.stopped) == (miss > 0)
        assert (z > flat_at(one, None)).any() == (miss == 0)


@pytest.mark.parametrize(("engine", "options"), few([
    ("python", {}), ("compiled", {**MULTIPLIERS, "coordinates": "relative", "stabilisation": "projection"}),
    ("python", {"integrator": "rk4", "step": 0.02}), ("python", {**MULTIPLIERS, "integrator": "rk4", "step": 0.02}),
    ("python", MULTIPLIERS),
    ("compiled", {**MULTIPLIERS, "coordinates": "fully-cartesian", "stabilisation": "partitioning"}), ("compiled", {}),
], 3, 2))  # fmt: skip
@pytest.mark.parametrize("miss", few(MISSES, 2, 2))
def test_simulating(miss, engine, options):
    """A miss of 1e-11 led a simulation to the crossing branch, with multipliers one of 1e-9, in fixed steps of 1e-7."""
    one = draft(miss, None)
    data = mechanism(one, [1.5]).source_dict
    m = massive(data)
    motion = m.simulate(8.0, samples=200, free=["m"], engine=engine, **options)
    z = motion.drivers["m"][0] - m.drivers["m"].start
    beyond = np.flatnonzero(z > flat_at(one, None) + 1.5)
    z = z[: beyond[0]] if len(beyond) else z
    places = zip(*(motion.position(p)[: len(z)] @ (1, 1j) for p in "BCD"), strict=True)
    modes = np.array([mode(*place) for place in places])
    passed = z > flat_at(one, None)
    assert len(z) > 5 and motion.ok.all()
    if kind(miss) == "flat":
        assert passed.any() and not motion.stopped
        np.testing.assert_array_equal(modes, modes[0] * np.where(passed, -1, 1))
    elif kind(miss) == "between" or miss > 0:
        # It may stop where the links turn too fast, and between it must.
        assert (modes == modes[0]).all() and (kind(miss) == "never" or (motion.stopped and not passed.any()))
    else:
        # At a limit the crank turns back, and the rocker goes on.
        assert not passed.any()
