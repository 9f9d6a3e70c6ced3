"""Textbook cases worked through by hand with free bodies, as for Marghitu's R-RRT mechanism, with round numbers.

The slider-crank is drawn on a triangle of 3, 4 and 5 m: crank upright, A (0, 0), B (0, 3), C (4, 0). At 2 rad/s

    v_B = (-6, 0), a_B = (0, -12); rod: 0 = 4 omega, v_C = -6; 0 = -12 + 4 alpha, alpha = 3, a_C = 3 alpha = 9.

Piston: 1 kg, pushed by -10 N. Rod: uniform, 2 kg, J = 25/6, centre (2, 1.5), a_G = (4.5, -6). Crank: uniform, 3 kg.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import structkin as sk


def slider_crank(masses: bool = True, **changes: Any) -> sk.Mechanism:
    mass = {"crank": 3, "rod": 2, "piston": 1} if masses else dict.fromkeys(("crank", "rod", "piston"), 0)
    data: dict[str, Any] = {
        "points": {"A": (0, 0), "B": (0, 3), "C": (4, 0)},
        "links": {
            "ground": ["A"],
            "crank": {"points": ["A", "B"], "shape": "rod", "mass": mass["crank"]},
            "rod": {"points": ["B", "C"], "shape": "rod", "mass": mass["rod"]},
            "piston": {"points": ["C"], "mass": mass["piston"]},
        },
        "joints": {"guide": {"type": "prismatic", "links": ["piston", "ground"], "at": "C", "axis": [1, 0]}},
        "drivers": {"motor": {"joint": "A", "speed": 2}},
        "forces": {"gravity": [0, -10], "gas": {"type": "force", "at": "C", "on": "piston", "value": [-10, 0]}},
    }
    return sk.Mechanism(**{**data, **changes})


def test_inverse_dynamics_of_a_slider_crank() -> None:
    """Piston: C_x = 9 + 10 = 19. Rod about B: -4 C_y - 57 - 40 = 12.5 - 24 + 13.5 = 2, C_y = -24.75, N = 34.75.

    Rod: B = (9 + 19, -12 - 24.75 + 20) = (28, -16.75). Crank: T + 84 = 0; A = (28, -18 - 16.75 + 30) = (28, -4.75).
    """
    f = slider_crank().solve(t=[0.0]).forces()
    assert f.reaction("C", "piston")[0] == pytest.approx([19, -24.75], abs=1e-12)
    assert f.reaction("guide", "piston")[0] == pytest.approx([0, 34.75], abs=1e-12)
    assert f.reaction_moment("guide", "piston")[0] == pytest.approx(0, abs=1e-12)
    assert f.reaction("B", "rod")[0] == pytest.approx([28, -16.75], abs=1e-12)
    assert f.reaction("A", "crank")[0] == pytest.approx([28, -4.75], abs=1e-12)
    assert f.driver("motor")[0] == pytest.approx(-84, abs=1e-12)
    # The frame carries: -A, -N, and the motor's reaction.
    assert f.shaking_force[0] == pytest.approx([-28, 4.75 - 34.75], abs=1e-12)
    assert f.shaking_moment[0] == pytest.approx(84 - 4 * 34.75, abs=1e-12)


def test_statics_of_a_slider_crank() -> None:
    """Without masses the rod carries an axial force: C = (10, -7.5), N = 7.5, and the crank needs -30 N m."""
    f = slider_crank(masses=False).solve(t=[0.0]).forces(static=True)
    assert f.reaction("C", "piston")[0] == pytest.approx([10, -7.5], abs=1e-12)
    assert f.reaction("guide", "piston")[0] == pytest.approx([0, 7.5], abs=1e-12)
    assert f.driver("motor")[0] == pytest.approx(-30, abs=1e-12)


@pytest.mark.parametrize("formulation", ["reduced", "multipliers"])
def test_forward_dynamics_of_a_slider_crank(formulation: str) -> None:
    """The torque of -84 N m leaves the crank at 2 rad/s; from another torque T its acceleration follows by hand.

    Energy at this pose: sum = 9 (crank about A) + rod: as it does not turn but moves at 3 m per rad: 2 * 9 + piston 9,
    and the rod turns by 0: 9 + 18 + 9 = 36 kg m^2, so that a = (T + 84) / 36.
    """
    m = slider_crank(drivers={"motor": {"joint": "A", "torque": -48}}, initial={"motor": {"speed": 2}})
    # Initial values of drivers count from their own zero; the crank is at 90 degrees.
    r = m.simulate([0, 1e-4], formulation=formulation)
    assert r.alpha("crank")[0] == pytest.approx((-48 + 84) / 36, rel=1e-10)


def test_statics_of_a_four_bar() -> None:
    """A parallelogram of 4 by 3: a force along the coupler loads the crank alone, one across it both sides."""
    m = sk.Mechanism(
        points={"A": (0, 0), "B": (0, 3), "M": (1, 3), "C": (4, 3), "D": (4, 0)},
        links={"ground": ["A", "D"], "crank": ["A", "B"], "coupler": ["B", "M", "C"], "rocker": ["C", "D"]},
        drivers={"motor": {"joint": "A", "speed": 1}},
        forces={"load": {"type": "force", "at": "M", "value": [12, -8]}},
    )
    f = m.solve(t=[0.0]).forces(static=True)
    assert f.driver("motor")[0] == pytest.approx(36, abs=1e-12)
    assert f.reaction("B", "coupler")[0] == pytest.approx([-12, 6], abs=1e-12)
    assert f.reaction("C", "coupler")[0] == pytest.approx([0, 2], abs=1e-12)


def test_a_ladder_by_hand() -> None:
    """A rod of 10 kg and 5 m between a wall and a floor without friction, held by a rope at its foot: statics.

    Foot at (3, 0), top at (0, 4). Moments about the foot: 4 N_wall = 1.5 * 100, N_wall = 37.5 = pull of the rope.
    """
    m = sk.Mechanism(
        points={"F": (3, 0), "T": (0, 4)},
        links={
            "ground": [],
            "shoe": ["F"],
            "pad": ["T"],
            "ladder": {"points": ["F", "T"], "shape": "rod", "mass": 10},
        },
        joints={
            "floor": {"type": "prismatic", "links": ["shoe", "ground"], "at": "F", "axis": [1, 0]},
            "wall": {"type": "prismatic", "links": ["pad", "ground"], "at": "T", "axis": [0, 1]},
        },
        drivers={"rope": {"joint": "floor"}},
        forces={"gravity": [0, -10]},
    )
    f = m.solve(drivers={"rope": [0.0]}).forces(static=True)
    assert f.driver("rope")[0] == pytest.approx(-37.5, abs=1e-12)
    assert f.reaction("T", "ladder")[0] == pytest.approx([37.5, 0], abs=1e-12)
    assert f.reaction("F", "ladder")[0] == pytest.approx([-37.5, 100], abs=1e-12)
    assert np.isfinite(f.shaking_force).all()


@pytest.mark.parametrize(("links", "sign"), [(["arm", "rod"], 1), (["rod", "arm"], -1)])
@pytest.mark.parametrize("h", [0.0, 0.4, -0.4])
def test_a_rod_is_pushed_at_its_bush(links: list[str], sign: int, h: float) -> None:
    """About the bush S the effort has no moment, whichever link is named first: M - 1.5 m g = h m a, F = m a."""
    m = sk.Mechanism(
        points={"O": (0, 1), "S": (1, h), "P": (0, 0), "Q": (3, 0)},
        links={"ground": ["O"], "arm": ["O", "S"], "rod": {"points": ["P", "Q"], "mass": 2, "center": (2.5, 0)}},
        joints={"bush": {"type": "prismatic", "links": links, "at": "S", "along": ["P", "Q"]}},
        drivers={"hold": {"joint": "O", "speed": 0}, "push": {"joint": "bush", "law": f"{sign * 1.5} * t**2"}},
        forces={"gravity": (0, -10)},
    )
    f = m.solve(t=[0.0]).forces()
    assert f.driver("push")[0] == pytest.approx(sign * 6, abs=1e-12)
    assert f.reaction("bush", "rod")[0] == pytest.approx([0, 20], abs=1e-12)
    arm = f.reaction_place("bush", "rod")[0] - [1, h]
    assert f.reaction_moment("bush", "rod")[0] + arm[0] * 20 == pytest.approx(30 + h * 6, abs=1e-12)
    assert f.reaction_moment("bush", "arm")[0] - arm[0] * 20 == pytest.approx(-30 - h * 6, abs=1e-12)
    assert f.driver("hold")[0] == pytest.approx(20 * 2.5 + (1 - 0) * 6, abs=1e-12)
