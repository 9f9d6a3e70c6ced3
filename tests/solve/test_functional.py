"""The motion as a pure function of arrays: values of `solve`, derivatives, poses without them, and what is refused.

Second roads: `solve` of the mechanism and of mechanisms built anew from other numbers, formulas by complex steps,
`Motion.sensitivity`, and the velocities and accelerations of motions.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import array_api_strict
import jax
import jax.numpy as jnp
import numpy as np
import pytest
from cases import few

import structkin as sk
from structkin.examples import path
from structkin.solve.sensitivity.parameters import read_parameters, varied

jax.config.update("jax_enable_x64", True)

#: What is refused of the examples, and the group at fault.
REFUSED = {
    "cam_lever_press": "group 2, R-C (lever)",
    "cam_roller_follower": "group 2, P-C (follower)",
    "garage_door": "group 2, R-S (panel)",
    "geneva": "group 2, R-C (wheel)",
}
EXAMPLES = sorted(file.stem for file in Path(path("crank_rocker")).parent.glob("*.toml"))
ACCEPTED = [name for name in EXAMPLES if name not in REFUSED]
#: Where turns are counted from the sketch, only lengths may vary; where joints are redundant, nothing.
COUNTED = ("geared_five_bar", "rack_and_pinion", "rolling_lift_bridge", "wafer_arm")
FIXED = {"planetary_train": {"lengths", "points"}, "slider_crank_offset": {"lengths.B-C"}}

FOUR = {"a": 1.0, "b": 3.5, "c": 3.0, "d": 4.0}


def numbers_of(m: sk.Mechanism, name: str) -> list[str]:
    """A length of each moving link, the places of ground points, and the axes of guides, where they may vary."""
    pairs = [link.points[:2] for link in m.links.values() if link.name != "ground" and len(link.points) > 1]
    names = [f"lengths.{a}-{b}" for a, b in pairs]
    if name not in COUNTED:
        names += [f"points.{point}.{x}" for point in m.links["ground"].points for x in "xy"]
        names += [f"joints.{id}.axis" for id, joint in m.source_dict.get("joints", {}).items() if "axis" in joint]
    fixed = FIXED.get(name, set())
    return [one for one in names if one not in fixed and one.partition(".")[0] not in fixed]


def made(name: str) -> tuple[sk.Mechanism, sk.Functional]:
    m = sk.load(path(name))
    return m, sk.functional(m, numbers_of(m, name))


def values_of(motion: sk.Motion) -> dict[str, Any]:
    return {id: z[0].copy() for id, z in motion.drivers.items()}


def assert_same(found: dict[str, Any], motion: sk.Motion, most: float = 1e-12) -> None:
    """Points, links and status are those of a motion."""
    m, ok = motion.mechanism, motion.status == sk.Status.OK
    alone, lost = np.asarray(found["status"]), motion.status == sk.Status.OUT_OF_REACH
    # A pose alone does not tell of a second gap between it and a sample that lies in one.
    behind = lost & (alone == sk.Status.OK) & np.append(False, lost[:-1])
    assert alone[~behind].tolist() == motion.status[~behind].tolist()
    for point in m.places:
        apart = np.abs(np.asarray(found["points"][point]) - motion.position(point))[ok]
        assert apart.max(initial=0.0) <= most * m.size, point
    for link, unit in found["links"].items():
        wanted = np.stack((np.cos(motion.angle(link)), np.sin(motion.angle(link))), axis=-1)
        assert np.abs(np.asarray(unit) - wanted)[ok].max(initial=0.0) <= 100 * most, link


def four_bar() -> sk.Mechanism:
    """A (0, 0), B, C, D (d, 0) with the lengths of `FOUR`, which turns by whole turns."""
    x, y = circles(FOUR, 0.4)
    return sk.Mechanism(
        points={"A": (0, 0), "B": (np.cos(0.4), np.sin(0.4)), "C": (x, y), "D": (4, 0)},
        links={"ground": ["A", "D"], "crank": ["A", "B"], "coupler": ["B", "C"], "rocker": ["C", "D"]},
        drivers={"motor": {"joint": "A", "speed": 1.0}},
    )


def circles(p: dict[str, Any], z: Any) -> tuple[Any, Any]:
    """C of the four-bar as the intersection of two circles, analytic in all numbers."""
    bx, by = p["a"] * np.cos(z), p["a"] * np.sin(z)
    wx, wy = p["d"] - bx, -by
    square = wx * wx + wy * wy
    along = 0.5 + (p["b"] ** 2 - p["c"] ** 2) / (2 * square)
    across = np.sqrt(p["b"] ** 2 / square - along**2)
    return bx + along * wx - across * wy, by + along * wy + across * wx


# --- values ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", few(ACCEPTED, 6, 8))
def test_values_are_those_of_solve_in_numpy_and_by_the_array_api(name: str) -> None:
    m, f = made(name)
    motion = m.solve(60)
    assert_same(f(f.values, values_of(motion)), motion)
    assert_same(sk.functional(m)([], values_of(motion)), motion)
    strict = f(array_api_strict.asarray(f.values), values_of(motion))
    assert type(strict["status"]) is type(array_api_strict.asarray(1))
    assert_same(strict, motion)


@pytest.mark.parametrize("name", few(reversed(ACCEPTED), 1, 2))
def test_values_are_those_of_solve_in_jax(name: str) -> None:
    m, f = made(name)
    motion = m.solve(20)
    assert_same(jax.jit(f)(jnp.asarray(f.values), values_of(motion)), motion)


@pytest.mark.parametrize("name", ACCEPTED)
def test_values_are_those_of_solve_in_torch(name: str) -> None:
    torch = pytest.importorskip("torch")
    m, f = made(name)
    motion = m.solve(60)
    found = f(torch.asarray(f.values), values_of(motion))
    assert isinstance(found["status"], torch.Tensor)
    assert_same(found, motion)


@pytest.mark.parametrize("name", few([name for name in ACCEPTED if name not in FIXED], 3, 8))
def test_other_parameters_are_the_mechanism_built_from_them(name: str) -> None:
    m, f = made(name)
    rng, z = np.random.default_rng(1), values_of(m.solve(12))
    parameters = read_parameters(m, f.names)
    for _ in range(4):
        values = f.values + 0.02 * rng.uniform(-1, 1, len(f.names)) * [one.reach for one in parameters]
        other = varied(m, dict(zip(parameters, values.tolist(), strict=True)))
        assert_same(f(values, z), other.solve(drivers=z))


def test_variants_and_samples_are_broadcast() -> None:
    m = four_bar()
    f, rng = sk.functional(m, ["lengths.A-B", "lengths.B-C"]), np.random.default_rng(2)
    p, z = f.values * rng.uniform(0.9, 1.1, (50, 2)), np.linspace(0, 7, 30)
    many = m.solve_many(drivers={"motor": z}, parameters=dict(zip(f.names, p.T, strict=True)))
    found = f(p[:, None], {"motor": z})
    assert np.abs(found["points"]["C"] - many.position("C")).max() < 1e-12
    by_jax = jax.vmap(lambda one: f(one, {"motor": z})["points"]["C"])(jnp.asarray(p))
    assert np.abs(by_jax - many.position("C")).max() < 1e-12


def test_a_general_group_that_nothing_moves_has_its_pose() -> None:
    m = sk.Mechanism(
        points={
            "A": (0, 0),
            "B": (4, 0),
            "C": (2, 5),
            "D": (1, 1),
            "E": (3, 1.2),
            "F": (2, 3),
            "O": (6, 0),
            "P": (7, 0),
        },
        links={
            **{"ground": ["A", "B", "C", "O"], "plate": ["D", "E", "F"], "crank": ["O", "P"]},
            **{"first": ["A", "D"], "second": ["B", "E"], "third": ["C", "F"]},
        },
        drivers={"motor": {"joint": "O", "speed": 1.0}},
    )
    motion = m.solve(5)
    assert_same(sk.functional(m)([], values_of(motion)), motion)
    f = sk.functional(m, ["lengths.C-F"])
    other = sk.Mechanism.from_dict({**m.source_dict, "lengths": {"C-F": 2.1}})
    assert_same(f([2.1], values_of(motion)), other.solve(5))


def test_single_precision_is_good_to_its_rounding() -> None:
    m = sk.load(path("stephenson_iii_triad"))
    f, motion, xp = sk.functional(m, ["lengths.A-B"]), m.solve(20), array_api_strict
    found = f(xp.asarray(f.values, dtype=xp.float32), values_of(motion))
    assert found["points"]["P"].dtype == xp.float32 and not np.asarray(found["status"]).any()
    assert np.abs(np.asarray(found["points"]["P"]) - motion.position("P")).max() < 1e-5 * m.size


# --- derivatives ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("name", "key"), [("lengths.A-B", "a"), ("lengths.B-C", "b"), ("lengths.C-D", "c")])
def test_derivatives_of_a_four_bar_agree_with_a_complex_step(name: str, key: str) -> None:
    z = np.linspace(0, 2 * np.pi, 40)
    wanted = np.stack([x.imag / 1e-40 for x in circles({**FOUR, key: FOUR[key] + 1e-40j}, z)], axis=1)
    f = sk.functional(four_bar(), [name])
    found = jax.jit(jax.jacfwd(lambda p: f(p, {"motor": z})["points"]["C"]))(jnp.asarray(f.values))
    assert np.abs(found[..., 0] - wanted).max() < 1e-12


@pytest.mark.parametrize(
    "name",
    [
        "crank_rocker",
        pytest.param("stephenson_iii_triad", marks=pytest.mark.full),
        # up to a minute of tracing each
        *(
            pytest.param(name, marks=pytest.mark.slow)
            for name in ("excavator", "platform_3rrr", "eight_bar_double_triad")
        ),
    ],
)
def test_derivatives_are_those_of_the_motion(name: str) -> None:
    """By parameters both ways, and twice along the motion, where general groups need their second derivatives."""
    m, f = made(name)
    motion = m.solve(drivers={id: tuple(z) for id, z in m.solve(8).drivers.items()})
    z = values_of(motion)
    p = jnp.asarray(f.values)
    points = {point: motion.sensitivity(point, to=list(f.names)) for point in m.places}
    for jacobian in (jax.jacfwd, jax.jacrev):
        found = jax.jit(jacobian(lambda p: f(p, z)["points"]))(p)
        for point, wanted in points.items():
            assert np.abs(found[point] - wanted).max() <= 1e-9 * max(1.0, np.abs(wanted).max()), point

    def at(t: Any) -> Any:
        return f(p, {id: z + dz * t + 0.5 * ddz * t * t for id, (z, dz, ddz) in motion.drivers.items()})["points"]

    rates = jax.jit(lambda t: jax.jvp(lambda t: jax.jvp(at, (t,), (1.0,))[1], (t,), (1.0,)))(0.0)
    for found, wanted in zip(rates, (motion.velocity, motion.acceleration), strict=True):
        for point in m.places:
            assert np.abs(found[point] - wanted(point)).max() <= 1e-9 * max(1.0, np.abs(wanted(point)).max()), point


@pytest.mark.filterwarnings("ignore:.*torch.jit.script.*:DeprecationWarning")  # torch.func itself calls it
@pytest.mark.parametrize("name", ["crank_rocker", "stephenson_iii_triad"])
def test_derivatives_by_torch_are_those_of_the_motion(name: str) -> None:
    torch = pytest.importorskip("torch")
    m, f = made(name)
    z = values_of(m.solve(6))
    motion = m.solve(drivers=z)
    for jacobian in (torch.func.jacrev, torch.func.jacfwd):
        found = jacobian(lambda p: f(p, z)["points"])(torch.asarray(f.values))
        for point in m.places:
            wanted = motion.sensitivity(point, to=list(f.names))
            assert np.abs(found[point].numpy() - wanted).max() <= 1e-9 * max(1.0, np.abs(wanted).max())


@pytest.mark.full
def test_a_guide_through_a_pin_has_the_derivatives_of_one_beside_it() -> None:
    """The mechanism is a special case: its guide has no offset, and those beside it have one."""
    m = sk.load(path("whitworth_shaper"))
    f, z = sk.functional(m, ["points.C.x"]), {"motor": np.linspace(0.1, 6, 20)}
    found = jax.jit(jax.jacfwd(lambda p: f(p, z)["points"]["T"]))(jnp.asarray(f.values))
    assert np.abs(found - m.solve(drivers=z).sensitivity("T", to=["points.C.x"])).max() < 1e-9
    assert np.abs(found).max() > 0.01


# --- where there is no pose -----------------------------------------------------------------------------------


def rocker() -> sk.Mechanism:
    """A four-bar whose crank cannot turn."""
    return sk.Mechanism(
        points={"A": (0, 0), "B": (1, 2), "C": (4, 3), "D": (5, 0)},
        links={"ground": ["A", "D"], "crank": ["A", "B"], "coupler": ["B", "C"], "rocker": ["C", "D"]},
        drivers={"motor": {"joint": "A"}},
    )


def test_without_a_pose_values_are_nan_and_gradients_zero_and_beside_it_they_are_finite() -> None:
    m = rocker()
    f, limit = sk.functional(m, ["lengths.A-B", "lengths.B-C", "points.D.x"]), m.limits().upper.value
    near = limit + np.array([-1e-4, -1e-8, -1e-12, 0.0, 1e-12, 1e-8])
    z = np.sort(np.concatenate((np.linspace(0, 2 * np.pi, 721), near)))
    found, motion = f(f.values, {"motor": z}), m.solve(drivers={"motor": z})
    assert found["status"].tolist() == motion.status.tolist()
    ok = found["status"] == sk.Status.OK
    assert set(found["status"].tolist()) >= {sk.Status.OK, sk.Status.OUT_OF_REACH}
    # Beside the limit, derivatives go with one over the root of the distance to it, of which an angle is not sure.
    digits = 1e-9 + np.spacing(limit) / np.maximum(np.abs(z[ok] - limit), np.spacing(limit))[:, None, None]
    for way in (jax.jacrev, jax.jacfwd):
        g = jax.jit(way(lambda p: f(p, {"motor": z})["points"]["C"]))(jnp.asarray(f.values))
        assert np.isfinite(g).all() and not np.asarray(g)[~ok].any()
        wanted = motion.sensitivity("C", to=list(f.names))[ok]
        assert (np.abs(g[ok] - wanted) < digits * np.abs(wanted).max(axis=(1, 2), keepdims=True)).all()
    lost = found["status"] == sk.Status.OUT_OF_REACH
    assert np.isnan(found["points"]["C"][lost]).all()
    assert np.abs(found["points"]["C"] - motion.position("C"))[~lost].max() < 1e-12
    assert np.count_nonzero(found["status"] == sk.Status.SINGULAR) > 0


@pytest.mark.full
def test_the_status_is_that_of_each_pose_alone() -> None:
    """From one sample to the next the motor would have to pass the gap between 2.17 and 6.95 rad."""
    m = sk.Mechanism(
        points={"A": (0, 0), "B": (0, 1), "C": (3, 1.5), "D": (3, 0)},
        links={"ground": ["A", "D"], "crank": ["A", "B"], "coupler": ["B", "C"], "rocker": ["C", "D"]},
        drivers={"motor": {"joint": "D", "speed": 1}},
    )
    values = {"motor": np.array([1.5, 1.5 + 2 * np.pi])}
    assert m.solve(drivers=values).status.tolist() == [sk.Status.OK, sk.Status.OUT_OF_REACH]
    assert sk.functional(m)((), values)["status"].tolist() == [sk.Status.OK, sk.Status.OK]


def test_gradients_are_finite_where_the_ends_of_a_dyad_coincide() -> None:
    m = sk.Mechanism(
        points={"A": (0, 0), "B": (1, 0), "C": (0.7, 1.0), "D": (0, 1)}, lengths={"B-C": 2.0, "C-D": 2.0},
        links={"ground": ["A", "D"], "crank": ["A", "B"], "coupler": ["B", "C"], "rocker": ["C", "D"]},
        drivers={"motor": {"joint": "A"}},
    )  # fmt: skip
    f = sk.functional(m, ["points.D.x", "points.D.y"])
    p, z = jnp.asarray([1.0, 0.0]), {"motor": np.array([0.0, 0.3])}
    found = f(p, z)
    assert found["status"].tolist() == [sk.Status.OUT_OF_REACH, 0] and bool(jnp.isnan(found["points"]["C"][0]).all())
    g = jax.jit(jax.jacrev(lambda p: f(p, z)["points"]["C"]))(p)
    assert bool(jnp.isfinite(g).all()) and not g[0].any()


@pytest.mark.full
def test_a_general_group_is_lost_rather_than_found_on_another_branch() -> None:
    m = sk.load(path("stephenson_iii_triad"))
    f = sk.functional(m, ["lengths.A-B"])
    far = np.array([0.5, 30.0, 1e3, 1e6])
    found = f(f.values, {"motor": far})
    assert found["status"][[0, -1]].tolist() == [sk.Status.OK, sk.Status.NOT_CONVERGED]
    ok = found["status"] == sk.Status.OK
    motion = m.solve(drivers={"motor": np.linspace(far[0], 30.0, 2000)})
    assert np.abs(found["points"]["P"] - motion.position("P")[[0, -1, -1, -1]])[ok].max() < 1e-12
    assert np.isnan(found["points"]["P"][~ok]).all()
    g = jax.grad(lambda p: jnp.nansum(f(p, {"motor": far})["points"]["P"]))(jnp.asarray(f.values))
    assert bool(jnp.isfinite(g).all())


@pytest.mark.parametrize("wrong", few([[-1.0, 3.5], [0.0, 3.5], [np.nan, 3.5], [1.0, np.inf]]))
def test_parameters_that_no_mechanism_has_are_bad_input(wrong: list[float]) -> None:
    f = sk.functional(four_bar(), ["lengths.A-B", "lengths.B-C"])
    p = np.array([wrong, f.values])
    found = f(p, {"motor": 0.3})
    assert found["status"].tolist() == [sk.Status.BAD_INPUT, sk.Status.OK]
    assert np.isnan(found["points"]["C"][0]).all()
    g = jax.jit(jax.jacrev(lambda p: f(p, {"motor": 0.3})["points"]["C"]))(jnp.asarray(p))
    assert bool(jnp.isfinite(g).all()) and not g[0].any()


def test_a_triangle_that_cannot_close_is_bad_input_as_for_a_variant() -> None:
    m = sk.load(path("jansen_leg"))
    names = ["lengths.M-U", "lengths.U-V", "lengths.G-V", "lengths.G-U"]
    f = sk.functional(m, names)
    p = np.array([f.values, f.values * [1, 1, 1, 3]])
    z = m.solve(10).drivers["motor"][0]
    many = m.solve_many(drivers={"motor": z}, parameters=dict(zip(names, p.T, strict=True)))
    assert f(p[:, None], {"motor": z})["status"].tolist() == many.status.tolist()
    assert sk.Status.BAD_INPUT in many.status[1]


def test_a_driver_without_a_value_has_no_pose() -> None:
    found = sk.functional(four_bar())([], {"motor": np.array([np.nan, 1.0, np.inf])})
    assert found["status"].tolist() == [sk.Status.NO_INPUT, sk.Status.OK, sk.Status.NO_INPUT]
    assert np.isnan(found["points"]["C"]).all(axis=1).tolist() == [True, False, True]


def test_strokes_of_joints_and_drivers_have_the_status_of_solve() -> None:
    data = sk.load(path("excavator")).source_dict
    data["joints"]["boom_bore"]["stroke"] = [-0.4, 0.5]
    data["joints"]["arm_bore"]["stroke"] = [-0.2, 0.2]
    data["drivers"]["bucket_cylinder"]["stroke"] = [1.5, 1.95]
    m = sk.Mechanism.from_dict(data)
    f, motion = sk.functional(m, ["points.A.x", "lengths.A-D"]), m.solve()
    assert 0 < np.count_nonzero(motion.status == sk.Status.BEYOND_STROKE) < len(motion)
    found = f(f.values, values_of(motion))
    assert found["status"].tolist() == motion.status.tolist()
    assert np.abs(found["points"]["M"] - motion.position("M")).max() < 1e-12


def test_the_ends_of_a_slot_move_with_its_points() -> None:
    m = sk.Mechanism(
        points={"A": (0, 0), "B": (0.02, 0.02), "P": (0.02, -0.015), "Q": (0.02, 0.025), "T": (0.08, 0)},
        links={"ground": ["A"], "crank": ["A", "B"], "yoke": ["P", "Q", "T"]},
        joints={
            "slot": {"type": "pin-in-slot", "pin": "B", "slot": "yoke", "along": ["P", "Q"], "ends": ["P", "Q"]},
            "guide": {"type": "prismatic", "links": ["yoke", "ground"], "at": "T", "axis": [1, 0]},
        },
        drivers={"motor": {"joint": "A"}},
    )
    f, z = sk.functional(m, ["lengths.P-Q"]), np.linspace(0, 6, 50)
    p = np.array([[0.04], [0.042], [0.043]])
    many = m.solve_many(drivers={"motor": z}, parameters={"lengths.P-Q": p[:, 0]})
    found = f(p[:, None], {"motor": z})["status"]
    assert found.tolist() == many.status.tolist()
    assert len({int(count) for count in np.count_nonzero(found == sk.Status.BEYOND_STROKE, axis=1)}) == 3


# --- arguments ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("name", "group"), REFUSED.items())
def test_a_mechanism_that_it_cannot_take_is_refused_with_its_group(name: str, group: str) -> None:
    with pytest.raises(sk.InputError) as error:
        sk.functional(sk.load(path(name)))
    assert error.value.problems[0].key == group
    assert "no formula" in error.value.problems[0].message


def test_a_driver_that_turns_one_link_with_another_is_refused_with_its_group() -> None:
    m = sk.Mechanism(
        points={"A": (0, 0), "B": (0.05, 0.1), "C": (0.2, 0.2), "D": (0.3, 0.12), "E": (0.35, 0), "F": (0.12, 0.25),
                "G": (0.3, 0.25)},
        links={"ground": ["A", "E"], "l1": ["A", "B"], "l2": ["B", "C", "F"], "l3": ["C", "D", "G"], "l4": ["D", "E"]},
        drivers={"ram": {"between": ["F", "G"]}, "both": {"links": ["l2", "l4"]}},
    )  # fmt: skip
    with pytest.raises(sk.InputError, match="no formula"):
        sk.functional(m)


def test_all_numbers_that_cannot_vary_are_named_at_once() -> None:
    m = sk.load(path("geared_five_bar"))
    with pytest.raises(sk.InputError) as error:
        sk.functional(m, ["lengths.A-B", "points.D.x", "drivers.motor.speed"])
    assert [problem.key for problem in error.value.problems] == ["points.D.x", "drivers.motor.speed"]
    with pytest.raises(sk.InputError) as error:
        sk.functional(sk.load(path("slider_crank_offset")), ["lengths.A-B", "lengths.B-C"])
    assert [problem.key for problem in error.value.problems] == ["lengths.B-C"]
    with pytest.raises(sk.InputError, match="agree with these dimensions only"):
        sk.functional(sk.load(path("planetary_train")), ["lengths.O-S"])


def test_a_motion_that_changes_its_modes_is_refused() -> None:
    """A parallelogram passes flat poses smoothly, where the sign of its root changes."""
    m = sk.Mechanism(
        points={"A": (0, 0), "B": (0.5, 1), "C": (4.5, 1), "D": (4, 0)},
        links={"ground": ["A", "D"], "crank": ["A", "B"], "coupler": ["B", "C"], "rocker": ["C", "D"]},
        drivers={"motor": {"joint": "A", "speed": 1.0}},
    )
    with pytest.raises(sk.InputError, match="assembly modes: change along the motion"):
        sk.functional(m)


Z = np.linspace(0, 1, 3)


@pytest.mark.parametrize(
    ("parameters", "drivers", "keys"),
    [
        ([1.0], {"motor": Z}, ["parameters"]),
        (np.ones((2, 3)), {"motor": Z}, ["parameters"]),
        (1.0, {"motor": Z}, ["parameters"]),
        ("x", {"motor": Z}, ["parameters"]),
        ([1j, 2.0], {"motor": "x"}, ["parameters", "drivers.motor"]),
        (None, {"motr": Z}, ["drivers.motor", "drivers.motr", "parameters"]),
        ([1.0, 3.5], None, ["drivers"]),
        ([1.0, 3.5], {"motor": [[1.0], [1.0, 2.0]]}, ["drivers.motor"]),
        (np.ones((2, 2)), {"motor": Z}, ["arguments"]),
        (jnp.asarray([1, 3]), {"motor": Z}, ["parameters"]),
        (jnp.asarray([1, 3], jnp.bfloat16), {"motor": Z}, ["parameters"]),
        (jnp.asarray([1.0, 3.5]), {"motor": array_api_strict.asarray(1.0)}, ["arguments"]),
    ],
)
def test_wrong_arguments_are_listed(parameters: Any, drivers: Any, keys: list[str]) -> None:
    f = sk.functional(four_bar(), ["lengths.A-B", "lengths.B-C"])
    with pytest.raises(sk.InputError) as error:
        f(parameters, drivers)
    assert [problem.key for problem in error.value.problems] == keys


def test_something_that_is_no_array_names_the_extras() -> None:
    f = sk.functional(four_bar())
    with pytest.raises(sk.InputError, match=r"structkin\[jax\].*structkin\[torch\]"):
        f(object(), {"motor": Z})


@pytest.mark.parametrize("used", ["", "f = sk.functional(sk.load(sys.argv[1])); f([], {'motor': 0.5})"])
def test_no_array_library_is_imported_unasked(used: str) -> None:
    code = f"import sys, structkin as sk; {used}\nprint([x for x in ('jax', 'torch', 'cupy') if x in sys.modules])"
    run: Callable[..., Any] = subprocess.run
    done = run([sys.executable, "-c", code, path("crank_rocker")], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
