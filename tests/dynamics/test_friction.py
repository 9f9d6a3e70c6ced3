"""Friction by a coefficient, worked by hand: pushing a block, self-locking, a pin with a radius."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

import structkin as sk
from structkin import examples
from structkin.cli import app
from structkin.dynamics.friction import balanced, lock_note
from structkin.dynamics.simulation_run import _before_reversal

MU = 0.2


def slider_crank(speed: float, coefficient: float = MU, **friction: Any) -> sk.Mechanism:
    """The triangle of 3, 4 and 5 m with a force of -10 N on the piston, no masses; see test_by_hand."""
    return sk.Mechanism(
        points={"A": (0, 0), "B": (0, 3), "C": (4, 0)},
        links={"ground": ["A"], "crank": ["A", "B"], "rod": ["B", "C"], "piston": ["C"]},
        joints={"guide": {"type": "prismatic", "links": ["piston", "ground"], "at": "C", "axis": [1, 0]}},
        drivers={"motor": {"joint": "A", "speed": speed}},
        forces={
            "gas": {"type": "force", "at": "C", "on": "piston", "value": [-10, 0]},
            "rub": {
                "type": "friction", "joint": "guide", "coefficient": coefficient, "transition": 1e-6, **friction,
            },
        },
    )  # fmt: skip


@pytest.mark.parametrize("speed", [2.0, -2.0])
def test_a_piston_with_friction_by_hand(speed: float) -> None:
    """C_x = 10 + s mu N with the rod along (4, -3): N = 3/4 C_x, so C_x = 10 / (1 - 3/4 s mu).

    s = -1 where the piston moves in, helped by the gas (the crank turns at +2); s = 1 where it moves against the gas.
    """
    s = -np.sign(speed)
    f = slider_crank(speed).solve(t=[0.0]).forces()
    across = 10 / (1 - 0.75 * s * MU)
    assert f.reaction("C", "piston")[0] == pytest.approx([across, -0.75 * across], rel=1e-11)
    assert f.reaction("guide", "piston")[0] == pytest.approx([0, 0.75 * across], rel=1e-11)
    assert f.driver("motor")[0] == pytest.approx(-3 * across, rel=1e-11)
    assert f.driver_power("motor")[0] + f.applied_power[0] == pytest.approx(0, abs=1e-9)


def test_a_given_normal_force_is_a_limit() -> None:
    by_normal = slider_crank(2.0, normal=40).solve(t=[0.0]).forces()
    assert by_normal.driver("motor")[0] == pytest.approx(-3 * (10 - MU * 40), rel=1e-11)


def test_a_pin_rubs_with_its_radius() -> None:
    """A hanging weight turns: the pin carries it and resists with mu r R."""
    m = sk.Mechanism(
        points={"A": (0, 0), "B": (0, -1)},
        links={"ground": ["A"], "arm": {"points": ["A", "B"], "point_masses": {"B": 5}}},
        drivers={"motor": {"joint": "A", "speed": 3}},
        forces={
            "gravity": [0, -10],
            "rub": {"type": "friction", "joint": "A", "coefficient": MU, "radius": 0.02, "transition": 1e-6},
        },
    )
    f = m.solve(t=[0.0]).forces()
    load = 5 * 10 + 5 * 9  # weight and centrifugal force
    assert f.reaction("A", "arm")[0] == pytest.approx([0, load], abs=1e-9)
    assert f.driver("motor")[0] == pytest.approx(MU * 0.02 * load, rel=1e-11)


def test_self_locking_friction_is_reported(tmp_path: Path) -> None:
    """mu = 4/3 is where the piston would need an infinite force."""
    f = slider_crank(-2.0, 1.4).solve(t=[0.0]).forces()
    assert f.locked.all() and np.isnan(f.driver("motor")).all() and np.isnan(f.reaction("guide", "piston")).all()
    assert lock_note(f) == "it locks at 1 of 1 samples, first at t = 0 s: no forces balance with the friction of rub"
    assert not slider_crank(-2.0, 1.3).solve(t=[0.0]).forces().locked.any()
    file = tmp_path / "locks.toml"
    slider_crank(-2.0, 1.4).save(file)
    shown = CliRunner().invoke(app, ["forces", str(file), "--samples", "7"])
    assert shown.exit_code == 1 and "it locks at" in shown.output


def test_only_the_samples_that_lock_have_no_forces() -> None:
    """The piston drives a loaded crank to just before its dead point: friction at its shaft takes all of the moment."""
    r, rod = 0.05, 0.15
    drawn = float(np.sqrt(rod**2 - r**2))
    m = sk.Mechanism(
        points={"O": (0, 0), "A": (0, r), "B": (drawn, 0)},
        links={"ground": ["O"], "crank": ["O", "A"], "rod": ["A", "B"], "piston": ["B"]},
        joints={"g": {"type": "prismatic", "links": ["piston", "ground"], "at": "B", "axis": (1, 0)}},
        drivers={"d": {"joint": "g"}},
        forces={
            "T": {"type": "moment", "on": "crank", "value": 10},
            "f": {"type": "friction", "joint": "O", "coefficient": 0.1, "radius": 0.01},
        },
    )
    x = np.array([0.12, 0.15, 0.19, 0.199, 0.199996]) - drawn
    motion = m.solve(drivers={"d": (x, np.full(5, 0.5), np.zeros(5))})
    f = motion.forces()
    assert f.locked.tolist() == [False, False, False, False, True]
    assert np.isfinite(f.driver("d")).tolist() == [True, True, True, True, False]
    assert f.to_dataframe()["status"].tolist() == ["ok"] * 4 + ["locked"]
    assert f.driver_power("d")[:4] + f.applied_power[:4] == pytest.approx(np.zeros(4), abs=1e-9)
    words = "it locks at 1 of 5 samples, first at sample 4: no forces balance with the friction of f"
    missing = m.report(motion=motion, without=["limits"]).missing  # type: ignore[attr-defined]  # of a Page
    assert missing == (f"Forces: {words}",)


@pytest.mark.parametrize("slope", [1.0, 1.4])
@pytest.mark.parametrize("steep", [0.5, 0.9, 0.99, 1.5, 5.0])
def test_a_wedge_by_hand(slope: float, steep: float) -> None:
    """A wedge of slope a is drawn back under a load W: d = W tan(a - arctan mu), also where mu tan a reaches 1.

    From there on the slot, which holds on both sides, could jam as well; the forces that friction leads to are these.
    """
    mu, c, s = steep / np.tan(slope), np.cos(slope), np.sin(slope)
    m = sk.Mechanism(
        points={"X": (0, 0), "Y": (c, s), "Q": (0.5 * c, 0.5 * s), "T": (0.5 * c, 2)},
        links={"ground": [], "wedge": ["X", "Y"], "follower": ["Q", "T"]},
        joints={
            "floor": {"type": "prismatic", "links": ["wedge", "ground"], "at": "X", "axis": (-1, 0)},
            "shaft": {"type": "prismatic", "links": ["follower", "ground"], "at": "Q", "axis": (0, 1)},
            "slot": {"type": "pin-in-slot", "pin": "Q", "slot": "wedge", "along": ["X", "Y"]},
        },
        drivers={"d": {"joint": "floor", "speed": -0.1}},
        forces={
            "load": {"type": "force", "at": "Q", "value": (0, -100)},
            "f": {"type": "friction", "joint": "slot", "coefficient": mu, "transition": 1e-5},
        },
    )
    f = m.solve(t=[0.0]).forces()
    assert f.driver("d")[0] == pytest.approx(100 * np.tan(slope - np.arctan(mu)), rel=1e-9)


def test_frictions_that_press_on_each_other() -> None:
    """Random frictions: normal forces that balance, and that growing coefficients lead to in a thousand small steps."""
    rng = np.random.default_rng(4)
    free = rng.normal(size=(300, 3, 2))
    by_normals = rng.normal(size=(300, 3, 2, 3)) * rng.uniform(0.05, 0.6, (300, 1, 1, 1))
    normals, locked = balanced(free, by_normals)
    assert 20 < locked.sum() < 150
    found = free + np.einsum("nkij,nj->nki", by_normals, normals)
    assert np.linalg.norm(found, axis=2)[~locked] == pytest.approx(normals[~locked], rel=1e-10)
    N = np.linalg.norm(free, axis=2)
    for x in np.linspace(0, 1, 1001):
        for _ in range(4):
            loads = free + x * np.einsum("nkij,nj->nki", by_normals, N)
            size = np.linalg.norm(loads, axis=2)
            J = np.eye(3) - x * np.einsum("nki,nkij->nkj", loads / size[:, :, None], by_normals)
            N = N + np.linalg.solve(J, (size - N)[:, :, None])[:, :, 0]
    same = np.isclose(N, normals, rtol=1e-9).all(axis=1)
    assert same[~locked].mean() > 0.97


def test_simulations_need_a_size() -> None:
    data = slider_crank(2.0).source_dict
    data["drivers"] = {"motor": {"joint": "A"}}
    with pytest.raises(sk.InputError, match=r"forces.rub: a coefficient alone"):
        sk.Mechanism.from_dict(data).simulate(1.0)


@pytest.mark.parametrize(
    ("friction", "found"),
    [
        ({"limit": 3}, "both a limit and a coefficient"),
        ({"radius": 0.1}, "has a radius, but acts along a guide"),
        ({"coefficient": -1}, "greater than zero"),
        ({"normal": -3}, "greater than zero"),
        ({"joint": "A"}, "at a pin, but no radius"),
    ],
)
def test_bad_friction(friction: dict[str, Any], found: str) -> None:
    with pytest.raises(sk.InputError, match=found):
        slider_crank(2.0, **friction)


def drawer(a: float, **joint: Any) -> sk.Mechanism:
    """A drawer that slides along x against 12 N in its middle, pulled by a cylinder at the distance a beside it."""
    return sk.Mechanism(
        points={"C": (0, 0), "T": (1, 0), "G": (0, a), "H": (2, a)},
        links={"ground": ["H"], "drawer": ["C", "T", "G"]},
        joints={"rail": {"type": "prismatic", "links": ["drawer", "ground"], "at": "C", "axis": (1, 0), **joint}},
        drivers={"pull": {"between": ["G", "H"], "speed": -0.1}},
        forces={
            "resist": {"type": "force", "at": "C", "value": (-12, 0)},
            "rub": {"type": "friction", "joint": "rail", "coefficient": MU, "transition": 1e-6},
        },
    )


@pytest.mark.parametrize("length", [0.25, 0.4, 3.0])
def test_a_drawer_pulled_at_its_side(length: float) -> None:
    """M = F a presses at both ends of the bearing with F a / L: F = 12 + 2 mu F a / L."""
    a = 0.5
    f = drawer(a, length=length).solve(t=[0.0]).forces()
    assert not f.locked.any() and not f.notes
    assert f.driver("pull")[0] == pytest.approx(-12 / (1 - 2 * MU * a / length), rel=1e-11)
    assert f.driver_power("pull")[0] + f.applied_power[0] == pytest.approx(0, abs=1e-9)


@pytest.mark.parametrize(("length", "jams"), [(0.1999, True), (0.2001, False)])
def test_a_drawer_jams(length: float, jams: bool) -> None:
    """F (1 - 2 mu a / L) = 12 has no positive F from L = 2 mu a down, which is 0.2 m."""
    assert drawer(0.5, length=length).solve(t=[0.0]).forces().locked.all() == jams


def on_a_rail(two_pins: bool, rub: float, load: complex, moment: float, offset: float) -> sk.Mechanism:
    """A slider-crank whose rod pulls the slider beside its guide: on a bearing of 0.3 m, or on two pins in one slot."""
    pins = {"K": (3.15, 0), "L": (2.85, 0)}
    guide: dict[str, Any] = {
        "rail": {
            "type": "prismatic", "links": ["ground", "slider"], "at": "M", "axis": (1, 0), "length": 0.3,
        },
    }  # fmt: skip
    if two_pins:
        guide = {f"slot {pin}": {"type": "pin-in-slot", "pin": pin, "slot": "ground", "axis": (1, 0)} for pin in pins}
    return sk.Mechanism(
        points={"A": (0, 0), "B": (0.3, 0.8), "C": (3.1, offset), "M": (3, 0), **pins},
        links={
            "ground": ["A"], "crank": ["A", "B"], "rod": ["B", "C"],
            "slider": {"points": ["C", "M", "K", "L"], "mass": 2, "center": (3, 0), "inertia": 0.1},
        },
        joints=guide,
        drivers={"motor": {"joint": "A", "speed": 3}},
        forces={
            "gravity": (0, -10),
            "load": {"type": "force", "at": "M", "on": "slider", "value": (load.real, load.imag)},
            "twist": {"type": "moment", "on": "slider", "value": moment},
            **{f"rub {j}": {"type": "friction", "joint": j, "coefficient": rub, "transition": 1e-4} for j in guide},
        },
    )  # fmt: skip


@pytest.mark.full
def test_a_bearing_is_two_pins_in_one_slot() -> None:
    """Over whole turns, at 60 random loads: the efforts, and where it locks."""
    rng, locked = np.random.default_rng(5), 0
    for _ in range(60):
        case = (rng.uniform(0.02, 0.6), complex(*rng.normal(0, 30, 2)), rng.normal(0, 20), rng.uniform(-0.4, 0.4))
        one, two = (on_a_rail(pins, *case).solve(73).forces() for pins in (False, True))
        assert one.locked.tolist() == two.locked.tolist()
        free = ~one.locked
        assert one.driver("motor")[free] == pytest.approx(two.driver("motor")[free], rel=1e-9, abs=1e-9)
        assert one.shaking_moment[free] == pytest.approx(two.shaking_moment[free], rel=1e-9, abs=1e-9)
        locked += int(one.locked.sum())
    assert 200 < locked < 1000


def test_a_rod_in_a_bush_that_stays_in_place() -> None:
    """The bush of the ground carries W (x - b) about its middle b, however the rod runs: F = 2 mu W |x - b| / L."""
    m = sk.Mechanism(
        units={"length": "mm"},
        points={"P": (0, 0), "Q": (1000, 0)},
        links={"ground": [], "rod": ["P", "Q"]},
        joints={
            "bush": {
                "type": "prismatic", "links": ["ground", "rod"], "along": ["P", "Q"], "at": (300, 0), "length": 80,
            }
        },
        drivers={"push": {"joint": "bush"}},
        forces={
            "weight": {"type": "force", "at": "Q", "value": (0, -7)},
            "rub": {"type": "friction", "joint": "bush", "coefficient": MU, "transition": 1e-6},
        },
    )  # fmt: skip
    x = np.array([-0.2, 0.0, 0.4])
    f = m.solve(drivers={"push": (x, np.ones(3), np.zeros(3))}).forces()
    assert f.driver("push") == pytest.approx(2 * MU * 7 * (1 + x - 0.3) / 0.08, rel=1e-9)


@pytest.mark.parametrize("links", [("arm", "rod"), ("rod", "arm")])
@pytest.mark.parametrize("h", [0.0, 0.4, -0.4])
def test_a_rod_rubs_in_its_bush_also_where_its_line_lies_beside_it(links, h) -> None:
    """About the middle of the bush M = m g a - F h, and F = 2 mu M / L, whichever link is named first."""
    m = sk.Mechanism(
        points={"O": (0, 1), "S": (1, h), "P": (0, 0), "Q": (3, 0), "G": (6, 0)},
        links={
            "ground": ["O", "G"],
            "arm": ["O", "S"],
            "rod": {"points": ["P", "Q"], "mass": 1, "center": (2.5, 0)},
        },
        joints={"bush": {"type": "prismatic", "links": links, "at": "S", "length": 0.5, "along": ["P", "Q"]}},
        drivers={"hold": {"joint": "O", "speed": 0}, "pull": {"between": ["Q", "G"], "speed": -1}},
        forces={
            "gravity": (0, -9.81),
            "rub": {"type": "friction", "joint": "bush", "coefficient": MU, "transition": 1e-6},
        },
    )
    found = m.solve(t=[0.0]).forces().driver("pull")
    share = 2 * MU / 0.5
    assert found == pytest.approx(-share * 9.81 * 1.5 / (1 + share * h), rel=1e-9)


def test_a_guide_without_a_length_is_named(tmp_path: Path) -> None:
    m = drawer(0.5)
    f = m.solve(t=[0.0]).forces()
    note = "rub: the guide rail carries a moment of up to 6 N m, which its friction leaves out: "
    assert f.notes == (f"{note}give joints.rail the length of its bearing",)
    assert drawer(0.0).solve(t=[0.0]).forces().notes == ()
    assert slider_crank(2.0).solve(13).forces().notes == ()
    m.save(tmp_path / "drawer.toml")
    shown = CliRunner().invoke(app, ["forces", str(tmp_path / "drawer.toml"), "--duration", "1", "--samples", "3"])
    assert note[:-2] in " ".join(shown.output.split())
    page = m.report(motion=m.solve(t=[0.0]), without=["limits"])
    assert note in page


def test_the_length_of_a_bearing_is_a_length(tmp_path: Path) -> None:
    drawer(0.5, length="250 mm").save(tmp_path / "drawer.toml")
    assert sk.load(tmp_path / "drawer.toml").solve(t=[0.0]).forces().driver("pull")[0] == pytest.approx(-60, rel=1e-11)
    for wrong in (0, -1, "3 N", "long"):
        with pytest.raises(sk.InputError, match=r"joints\.rail\.length"):
            drawer(0.5, length=wrong)


def test_no_step_passes_over_the_reversal_of_a_joint_with_friction() -> None:
    """A freed engine starts at its dead centre, where its piston reverses in 0.04 ms: by two formulations.

    The first step was 0.6 ms long. Its error, 1e-6 m, was missing in the estimate: 40 N beside the gas.
    """
    data = sk.load(examples.path("one_cylinder_engine")).source_dict
    freed = {"drivers": {"motor": {"joint": "O"}}, "initial": {"motor": {"speed": "3000 rpm"}}}
    m = sk.Mechanism.from_dict({**data, **freed})
    exact = m.simulate(0.04, samples=9, rtol=1e-12, formulation="multipliers", coordinates="relative").position("B")
    for how in ("reduced", "multipliers"):
        found = m.simulate(0.04, samples=9, rtol=1e-8, formulation=how)
        assert np.abs(found.position("B") - exact).max() < 2e-7, how


def test_a_step_that_was_shortened_to_a_reversal_is_not_shortened_again() -> None:
    """By rounding it ended on the far side of the transition's border, at each trial again: some runs had no end."""
    rng = np.random.default_rng(1)
    before, ahead = np.exp(rng.uniform(2, 10, (2, 1000, 1)))
    part = np.array([_before_reversal(one, -other) for one, other in zip(before, ahead, strict=True)])
    assert (part < 1.0).all()
    shorter = before - part[:, None] * (before + ahead)
    assert all(_before_reversal(one, other) == 1.0 for one, other in zip(before, shorter, strict=True))


def test_a_redundant_joint_that_rubs_by_its_own_force_is_noted():
    """With any axial force of the middle crank another effort balances."""
    m = sk.Mechanism(
        points={"A": (0, 0), "B": (2, 0), "C": (4, 0), "P": (0, 1), "Q": (2, 1), "R": (4, 1)},
        links={"ground": ["A", "B", "C"], "one": ["A", "P"], "two": ["B", "Q"], "three": ["C", "R"],
               "beam": {"points": ["P", "Q", "R"], "mass": 6, "center": [2, 1.1], "inertia": 1}},
        drivers={"motor": {"joint": "A", "law": "pi/2 + 0.4*sin(t)"}},
        forces={"gravity": [0, -9.81], "rub": {"type": "friction", "joint": "Q", "coefficient": 0.2, "radius": 0.05}},
    )  # fmt: skip
    (note,) = m.solve(t=[0.3]).forces().notes
    assert note.startswith("rub: the motion does not determine the force of Q")
