"""Friction by a coefficient, worked by hand: pushing a block, self-locking, a pin with a radius."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import structkin as sk

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


def test_self_locking_friction_is_reported() -> None:
    """mu = 4/3 is where the piston would need an infinite force."""
    with pytest.raises(sk.InputError, match=r"forces.rub: no forces balance with the friction of rub"):
        slider_crank(-2.0, 1.4).solve(t=[0.0]).forces()


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
