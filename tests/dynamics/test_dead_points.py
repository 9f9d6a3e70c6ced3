"""Dead points in simulations: the coordinates change automatically, and the motion is that in good coordinates."""

from __future__ import annotations

import numpy as np
import pytest
from flat import ROD, crank_rocker, rocker_speed

import structkin as sk
from structkin.dynamics.reduced.partitioned import Partitioned


@pytest.mark.parametrize(("base", "end"), [(None, 0.8), ("0.5*t", 0.4), ("free", 0.4)])
def test_a_rocker_swings_through_the_ends_of_its_stroke(base, end):
    """As the crank turns, the rocker's coordinate passes a dead point twice a turn."""
    t = np.linspace(0, end, 41)
    good = crank_rocker("crank", base).simulate(t, rtol=1e-12, atol=1e-12)
    found = crank_rocker("rocker", base, rocker_speed()).simulate(t, rtol=1e-12, atol=1e-12)
    assert not found.stopped and np.ptp(good.drivers["crank"][0]) > 0.9 * np.pi
    assert found.position("B") == pytest.approx(good.position("B"), abs=1e-9)
    assert found.velocity("C") == pytest.approx(good.velocity("C"), abs=1e-7)
    assert found.acceleration("C") == pytest.approx(good.acceleration("C"), abs=1e-6)
    swing = good.angle("rocker") - (good.angle("arm") if base is not None else 0)
    assert np.diff(found.drivers["rocker"][0]) == pytest.approx(np.diff(swing), abs=1e-9)
    assert found.violation.max() < 1e-14
    if base is not None:
        assert found.efforts["turn"] == pytest.approx(good.efforts["turn"], abs=1e-6)


def triad_rocker(joint: str, speed: float) -> sk.Mechanism:
    """A Stephenson III six-bar: driven at A, a four-bar and a dyad; driven at E, a triad, which swings."""
    points = {
        "A": (0, 0), "B": (0.025, 0.1), "C": (0.095, 0.115), "D": (0.15, 0.02), "E": (-0.09, 0.135),
        "F": (-0.06, 0.215), "P": (0.015, 0.115),
    }  # fmt: skip
    links = {name: {"points": list(ends), **ROD} for name, ends in {"left": "AB", "right": "DC", "rod": "FP"}.items()}
    links |= {"crank": {"points": ["E", "F"], **ROD}}
    links |= {"plate": {"points": ["B", "C", "P"], "mass": 1, "center": [0.045, 0.11], "inertia": 1e-3}}
    return sk.Mechanism(
        points=points,
        links={"ground": ["A", "D", "E"], **links},
        drivers={"q": {"joint": joint}},
        forces={"gravity": (0, -9.81)},
        initial={"q": {"speed": speed}},
    )


def test_a_triad_swings_through_its_dead_points():
    """A group without a closed form is singular there, but not when another joint is the coordinate."""
    m = triad_rocker("E", 6.0)
    left = m.solve(drivers={"q": ([m.drivers["q"].start], [6.0])}).omega("left")[0]
    t = np.linspace(0, 0.2, 21)
    found = m.simulate(t, rtol=1e-11, atol=1e-11)
    good = triad_rocker("A", float(left)).simulate(t, rtol=1e-11, atol=1e-11)
    assert "class III order 3" in [group.kind for group in m.structure().groups]
    turned = np.diff(found.angle("crank"))
    assert not found.stopped and turned[0] > 0 > turned[-1]
    assert found.position("P") == pytest.approx(good.position("P"), abs=1e-9)
    assert found.angle("crank") == pytest.approx(good.angle("crank"), abs=1e-9)


@pytest.mark.parametrize(("integrator", "bound"), [("rk4", 2e-5), ("abm4", 2e-5), ("gear4", 1e-4)])
def test_fixed_steps_pass_dead_points(integrator, bound):
    t = np.linspace(0, 0.5, 6)
    good = crank_rocker("crank").simulate(t)
    found = crank_rocker("rocker", None, rocker_speed()).simulate(t, integrator=integrator, step=2e-3)
    assert not found.stopped
    assert found.position("B") == pytest.approx(good.position("B"), abs=bound)


def test_efforts_of_a_free_coordinate_continue_at_its_dead_point():
    """A torque on the rocker has the same effect as a moment on the link, which needs no coordinate."""
    t, speed = np.linspace(0, 0.6, 13), rocker_speed()
    torque = crank_rocker("rocker", None, speed).source_dict
    torque["drivers"]["rocker"]["torque"] = "3 + 2*t"
    moment = crank_rocker("crank").source_dict
    moment["forces"]["push"] = {"type": "moment", "links": ["ground", "rocker"], "law": "3 + 2*t"}
    found = sk.Mechanism.from_dict(torque).simulate(t, rtol=1e-12, atol=1e-12)
    good = sk.Mechanism.from_dict(moment).simulate(t, rtol=1e-12, atol=1e-12)
    assert not found.stopped and np.ptp(good.drivers["crank"][0]) > 1.5 * np.pi
    assert found.position("B") == pytest.approx(good.position("B"), abs=1e-9)
    assert found.efforts["rocker"] == pytest.approx(3 + 2 * t)


def beside_a_dead_point(joint: str) -> sk.Mechanism:
    """A slider-crank with its crank 1e-6 rad from the dead point: the slider is almost at rest while the rods fall."""
    x, y = np.cos(1e-6), np.sin(1e-6)
    return sk.Mechanism(
        points={"A": (0, 0), "B": (x, y), "C": (x + np.sqrt(9 - y * y), 0)},
        links={
            "ground": ["A"],
            "crank": {"points": ["A", "B"], **ROD},
            "rod": {"points": ["B", "C"], **ROD},
            "slide": ["C"],
        },
        joints={"guide": {"type": "prismatic", "links": ["ground", "slide"], "at": "C", "axis": [1, 0]}},
        drivers={"q": {"joint": joint}},
        forces={"gravity": (0, -9.81)},
    )


@pytest.mark.parametrize("engine", ["python", "compiled"])
@pytest.mark.parametrize("integrator", [{"integrator": "DOP853"}, {"integrator": "rk4", "step": 0.002}])
def test_a_start_beside_a_dead_point(integrator, engine):
    """The reduced equations cannot begin in the slider's travel, and say so; equations of all links can."""
    with pytest.raises(sk.InputError, match="t = 0 s: the coordinates are singular, with q free"):
        beside_a_dead_point("guide").simulate(0.2, engine=engine, **integrator)
    t = np.linspace(0, 0.2, 5)
    found = beside_a_dead_point("guide").simulate(t, formulation="multipliers", engine=engine, **integrator)
    good = beside_a_dead_point("A").simulate(t)
    assert not found.stopped and abs(good.angle("crank")[-1]) > 0.1
    assert found.position("B") == pytest.approx(good.position("B"), abs=1e-7)


def test_the_coordinates_do_not_flutter(monkeypatch):
    """Once a joint that turns fully with the crank has replaced the rocker, no further change is needed."""
    changes, change = [], Partitioned.change

    def counted(self, t, y, **options):
        changed = change(self, t, y, **options)
        if changed is not None:
            changes.append(t)
        return changed

    monkeypatch.setattr(Partitioned, "change", counted)
    found = crank_rocker("rocker", None, rocker_speed()).simulate(0.7, samples=71)
    turns = np.ptp(np.unwrap(found.angle("crank"))) / (2 * np.pi)
    assert not found.stopped and turns > 0.9 and len(changes) == 1
