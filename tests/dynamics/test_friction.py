"""Friction by a coefficient, worked by hand: pushing a block, self-locking, a pin with a radius."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

import structkin as sk
from structkin.cli import app
from structkin.dynamics.friction import balanced, lock_note

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
