"""Whole turns of links: over long motions, where a link turns fast, and where a law jumps or is steep."""

from __future__ import annotations

import csv

import numpy as np
import pytest
from cases import few
from typer.testing import CliRunner

import structkin as sk
from structkin.cli import app
from structkin.examples import path
from structkin.solve.call import make_schedule

TURN = 2 * np.pi


def four_bar(lengths, crank, start=0.0, **more):
    """A four-bar linkage of crank, coupler, rocker and ground, its crank sketched at an angle [rad]."""
    a, b, c, d = lengths
    B = a * np.exp(1j * crank)
    D = d * np.exp(1j * start)
    W = D - B
    along = (abs(W) ** 2 + b * b - c * c) / (2 * abs(W))
    C = B + (along + 1j * np.sqrt(b * b - along**2)) * W / abs(W)
    return sk.Mechanism(
        points={"A": (0, 0)} | {name: (z.real, z.imag) for name, z in (("B", B), ("C", C), ("D", D), ("E", D + 3))},
        links={"ground": ["A", "D", "E"], "crank": ["A", "B"], "coupler": ["B", "C"], "rocker": ["C", "D"]}
        | more.pop("links", {}),
        **more,
    )


# --- what repeats is followed once ----------------------------------------------------------------------------


@pytest.mark.parametrize("duration", few([60, 59.9871, 333.3], 1))
def test_a_connecting_rod_over_many_turns(duration):
    """At 3000 rpm a rod swings by asin(r / l) whatever the number of turns; `duration` 60 gave -43125 degrees."""
    m = sk.load(path("one_cylinder_engine"))
    r, l = (
        abs(np.diff([m.places[a], m.places[b]]))[0] for a, b in (m.links["crank"].points[:2], m.links["rod"].points[:2])
    )
    found = m.solve(duration=duration)
    swing = np.abs(found.angle("rod") - np.pi / 2)
    assert found.ok.all() and swing.max() <= np.arcsin(r / l) + 1e-9
    off_axis = found.position(m.links["crank"].points[1])[:, 0] - m.places[m.links["crank"].points[0]].real
    np.testing.assert_allclose(np.sin(found.angle("rod") - np.pi / 2), off_axis / l, atol=1e-6)


@pytest.mark.parametrize("samples", [7, 361, 6001])
def test_a_rocker_over_many_turns(samples):
    """It is between its limits after any number of turns: the cosine rule where crank and coupler are aligned."""
    a, b, c, d = 0.4, 1.1, 0.9, 1.2
    m = four_bar((a, b, c, d), 1.0, drivers={"motor": {"joint": "A", "speed": 2.0}})
    turns = 3600.37 if samples < 6000 else 1e6 + 0.37
    found = m.solve(samples, duration=turns * np.pi)
    # From C to D, the rocker points against the direction of C from D.
    limits = sorted(-np.arccos((d * d + c * c - p * p) / (2 * d * c)) for p in (b + a, b - a))
    assert found.ok.all()
    assert limits[0] - 1e-9 <= found.angle("rocker").min() and found.angle("rocker").max() <= limits[1] + 1e-9
    back = m.solve(drivers={"motor": m.drivers["motor"].start - 2 * found.t})
    np.testing.assert_allclose(back.angle("rocker")[0], found.angle("rocker")[0], atol=1e-12)
    assert limits[0] - 1e-9 <= back.angle("rocker").min() and back.angle("rocker").max() <= limits[1] + 1e-9


def test_a_drag_link_turns_with_its_crank():
    """Crank, coupler and follower make a whole turn each with every turn of the crank."""
    m = four_bar((1.2, 1.0, 1.1, 0.3), 1.0, drivers={"motor": {"joint": "A", "speed": TURN}})
    found = m.solve(11, duration=5000)
    for link in ("crank", "coupler", "rocker"):
        np.testing.assert_allclose(found.turn(link), TURN * found.t, atol=1e-4)


def test_two_cranks_with_a_common_period():
    m = sk.load(path("five_bar_two_drivers"))
    period = m.solve().t[-1]
    once = m.solve(721)
    link = "left_rod"
    long = m.solve(t=np.append(np.linspace(0, period, 721)[::90], 500 * period + np.linspace(0, period, 721)[::90]))
    gain = once.turn(link)[-1] - once.turn(link)[0]
    np.testing.assert_allclose(long.turn(link)[:9], once.turn(link)[::90], atol=1e-9)
    np.testing.assert_allclose(long.turn(link)[9:], once.turn(link)[::90] + 500 * gain, atol=1e-6)


def test_a_gear_of_three_turns_closes_after_three_turns():
    """A wheel of a third of the speed drives a drag link: its coupler makes a turn in three."""
    data = four_bar((1.2, 1.0, 1.1, 0.3), 1.0).source_dict
    data["points"] |= {"O": [-5, 0], "P": [-4, 0]}
    data["links"] |= {"ground": ["O", "A", "D", "E"], "first": ["O", "P"]}
    data["joints"] = {"mesh": {"type": "gear", "links": ["crank", "first"], "ratio": -1 / 3}}
    data["drivers"] = {"motor": {"joint": "O", "speed": TURN}}
    found = sk.Mechanism.from_dict(data).solve(8, duration=3 * 7)
    np.testing.assert_allclose(found.turn("coupler"), -TURN * found.t / 3, atol=1e-9)


def test_a_torsion_spring_after_many_turns():
    """A spring on the coupler: the motor's torque is that of the first turn; an hour made it into 15,517 N m."""
    spring = {"coil": {"type": "torsion", "joint": "C", "stiffness": 1.0}}
    m = four_bar((0.4, 1.1, 0.9, 1.2), 1.0, drivers={"motor": {"joint": "A", "speed": TURN}}, forces=spring)
    t = np.linspace(0, 1, 8)
    first, late = (m.solve(t=ts).forces(static=True).driver("motor") for ts in (t, np.append(t, 3600 + t)))
    np.testing.assert_allclose(late, np.append(first, first), atol=1e-6)


def test_a_motion_that_is_too_long_to_follow_has_no_turns():
    """Two laws without a common period, a million turns: whole turns of the rods are unknown, and not guessed."""
    data = sk.load(path("five_bar_two_drivers")).source_dict
    first, second = data["drivers"]
    data["drivers"][first].pop("speed", None)
    data["drivers"][second].pop("speed", None)
    data["drivers"][first]["law"], data["drivers"][second]["law"] = "360000000*t", "314159265*t"
    found = sk.Mechanism.from_dict(data).solve(6001, duration=1.0)
    assert found.ok.any() and np.isnan(found.turn("left_rod")).all() and np.isnan(found.angle("left_rod")).all()
    assert np.isfinite(found.angle(sk.Mechanism.from_dict(data).drivers[first].links[1])).all()


def test_beyond_a_gap_the_way_back_counts():
    """A crank that cannot turn fully: its pose at 5.5 rad is that at 5.5 - 2 pi, to which the crank can turn back."""
    m = four_bar((2.2, 1.8, 2.1, 4.0), 0.46, drivers={"motor": {"joint": "A", "speed": 1.0}})
    found, back = m.solve(361, duration=2 * TURN), m.solve(drivers={"motor": 0.46 - np.linspace(0, 1.6, 161)})
    z, known = found.drivers["motor"][0], back.drivers["motor"][0][back.ok]
    behind = found.ok & (z > known[-1] + TURN) & (z < 0.46 + TURN)
    assert 0 < found.ok.sum() < 361 and behind.any() and back.ok[0]
    for link in ("coupler", "rocker"):
        turn = np.unwrap(back.angle(link)[back.ok])
        want = np.interp(z[behind] - TURN, known[::-1], (turn - turn[0])[::-1])
        assert np.abs(found.turn(link)[behind] - want).max() < 0.02
        assert np.isfinite(found.turn(link)[found.ok]).all() and np.isfinite(found.angle(link)[found.ok]).all()


@pytest.mark.parametrize("other", [{"table": [[0, 0], [1, 2], [2, 1]]}, {"law": "log(2 - t)"}, {"law": "40*t"}])
@pytest.mark.parametrize("method", ["topological", "global"])
def test_another_driver_without_a_value_does_not_matter_beyond_a_gap(method, other):
    """The crank leaves its range and returns while a fan on the ground has lost its value: it was a `ValueError`."""
    data = four_bar((2.2, 1.8, 2.1, 4.0), 0.0).source_dict
    data["links"]["fan"] = ["E"]
    crank = {"joint": "A", "law": "1.4*sin(2*t)"}
    fan = {"links": ["ground", "fan"], **other}
    data["drivers"] = {"motor": crank, "fan": fan}
    both = sk.Mechanism.from_dict(data).solve(73, duration=7.0, method=method)
    data["drivers"], data["links"] = {"motor": crank}, {k: v for k, v in data["links"].items() if k != "fan"}
    alone = sk.Mechanism.from_dict(data).solve(73, duration=7.0)
    known = np.isfinite(both.position("C")[:, 0])
    assert np.count_nonzero(np.diff(known)) > 2 and alone.ok[known].all()
    crank_pin, pin, pivot = (both.position(name)[known] @ (1, 1j) for name in "BCD")
    for link, along in (("coupler", pin - crank_pin), ("rocker", pivot - pin)):
        # Neither passes the direction opposite to that in the sketch.
        np.testing.assert_allclose(both.turn(link)[known], np.angle(along / along[0]), atol=1e-9)
        np.testing.assert_allclose(both.angle(link)[known], alone.angle(link)[known], atol=1e-9)


# --- fast turns ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("samples", few([5, 37, 181, 361, 1000]))
@pytest.mark.parametrize("near", few([1e-2, 1e-4, 1e-6]))
@pytest.mark.parametrize("side", [-1, 1])
def test_pins_that_pass_close_by(samples, near, side):
    """A crank pin B on a circle about A passes D: the angle of B - D grows by a turn if D is inside, else by none.

    With equal rods the rocker is a quarter turn or less from that line, and comes back to it with every turn.
    """
    m = four_bar(
        (1, 1.5, 1.5, 1 + side * near), -1.0,
        links={"wheel": ["E"]},
        joints={"mesh": {"type": "gear", "links": ["wheel", "rocker"], "ratio": -0.5}},
        drivers={"motor": {"joint": "A", "speed": 1.0}},
    )  # fmt: skip
    plain = four_bar((1, 1.5, 1.5, 1 + side * near), -1.0, drivers={"motor": {"joint": "A", "speed": 1.0}})
    gain = TURN if side < 0 else 0.0
    for found in (m.solve(samples, duration=TURN), plain.solve(samples, duration=TURN)):
        assert found.ok.all()
        for link in ("rocker", "coupler"):
            assert np.ptp(found.angle(link)[[0, -1]]) == pytest.approx(gain, abs=1e-6)
    turned = m.solve(samples, duration=TURN).turn("wheel")
    assert turned[-1] - turned[0] == pytest.approx(-0.5 * gain, abs=1e-6)


@pytest.mark.parametrize("samples", [5, 37, 361])
@pytest.mark.parametrize("near", [1e-2, 1e-5])
@pytest.mark.parametrize("side", [-1, 1])
def test_a_slotted_lever_whose_pin_passes_its_pivot(samples, near, side):
    B, D = np.exp(2j), (1 + side * near) * np.exp(0.3j)
    tip = D + 1.7 * (B - D) / abs(B - D)
    m = sk.Mechanism(
        points={"A": (0, 0)} | {name: (z.real, z.imag) for name, z in (("B", B), ("D", D), ("E", tip))},
        links={"ground": ["A", "D"], "crank": ["A", "B"], "lever": ["D", "E"]},
        joints={"slot": {"type": "pin-in-slot", "pin": "B", "slot": "lever", "along": ["D", "E"]}},
        drivers={"motor": {"joint": "A", "speed": 1.0}},
    )
    found = m.solve(samples, duration=2 * TURN).angle("lever")
    assert found[-1] - found[0] == pytest.approx(2 * TURN if side < 0 else 0.0, abs=1e-6)


def test_what_a_fast_wheel_drives():
    """A wheel 72 times as fast drives a drag link: five degrees of the input are a turn, and are not lost."""
    data = four_bar((1.2, 1.0, 1.1, 0.3), 1.0).source_dict
    data["points"] |= {"O": [-5, 0], "P": [-4, 0]}
    data["links"] |= {"ground": ["O", "A", "D", "E"], "first": ["O", "P"]}
    data["joints"] = {"mesh": {"type": "gear", "links": ["first", "crank"], "ratio": -1 / 72}}
    data["drivers"] = {"motor": {"joint": "O", "speed": TURN}}
    for samples in (2, 13, 73):
        found = sk.Mechanism.from_dict(data).solve(samples, duration=1.0)
        np.testing.assert_allclose(found.turn("coupler")[[0, -1]], [0, -72 * TURN], atol=1e-6)


@pytest.mark.parametrize("samples", [3, 40, 1001])
def test_a_pin_in_a_circular_slot(samples):
    """The slot takes the place of a drag link's follower: the pin runs round it with every turn of the crank."""
    data = four_bar((1.2, 1.0, 1.1, 0.3), 1.0, drivers={"motor": {"joint": "A", "speed": TURN}}).source_dict
    del data["links"]["rocker"]
    data["joints"] = {"ring": {"type": "pin-in-slot", "pin": "C", "slot": "ground", "center": "D"}}
    found = sk.Mechanism.from_dict(data).solve(samples, duration=10.0)
    assert found.ok.all()
    assert found.travel("ring")[-1] == pytest.approx(10 * TURN, abs=1e-9)
    D, C = data["points"]["D"], found.position("C")
    turned = np.arctan2(*(C - D).T[::-1])
    np.testing.assert_allclose(np.exp(1j * (found.travel("ring") + turned[0] - turned)), 1, atol=1e-9)


@pytest.mark.parametrize("samples", [2, 5, 37, 361])
def test_variants_turn_as_each_alone(samples):
    """Cranks of drag links turn with all links; of two with pins that pass close by, one turns its rocker round."""
    drag = four_bar((1.2, 1.0, 1.1, 0.3), 1.0, drivers={"motor": {"joint": "A", "speed": 1.0}})
    angles = drag.solve_many(samples, lengths={"A-B": [1.15, 1.25]}, duration=3 * TURN).angle("coupler")
    np.testing.assert_allclose(angles[:, -1] - angles[:, 0], 3 * TURN, atol=1e-9)
    near = four_bar((1, 1.5, 1.5, 0.999), 1.0, drivers={"motor": {"joint": "A", "speed": 1.0}})
    motions = near.solve_many(samples, lengths={"A-B": [1.0, 0.998, 1.1]}, duration=TURN)
    for link in ("coupler", "rocker"):
        angles = motions.angle(link)
        np.testing.assert_allclose(angles[:, -1] - angles[:, 0], [TURN, 0, TURN], atol=1e-6)


def test_variants_beyond_a_gap_turn_as_each_alone():
    """Cranks that cannot turn fully: behind the gap the angles of the variants were NaN, and of each alone were not."""
    m = four_bar((2.2, 1.8, 2.1, 4.0), 0.46, drivers={"motor": {"joint": "A", "speed": 1.0}})
    motions = m.solve_many(61, lengths={"A-B": [2.2, 2.3]}, duration=2 * TURN, keep=["rocker", "C", "D"])
    ok, pin = motions.ok, motions.position("C") - motions.position("D")
    angle = motions.angle("rocker")
    assert (ok.sum(axis=1) > 10).all() and not ok.all(axis=1).any() and np.isfinite(angle[ok]).all()
    np.testing.assert_allclose(np.exp(1j * angle)[ok], (-pin @ (1, 1j))[ok] / 2.1, atol=1e-9)
    for k in range(2):
        np.testing.assert_array_equal(angle[k], motions.motion(k).angle("rocker"))


# --- laws that jump or are steep -----------------------------------------------------------------------------


@pytest.mark.parametrize("method", ["topological", "global"])
def test_a_law_that_jumps(method):
    """Across a jump the driver moves straight, as between values that are given: nothing was found, without end."""
    m = four_bar((1, 3.2, 2.7, 4), 0.0, drivers={"motor": {"joint": "A", "law": "1 + sign(t - 1.3)"}})
    found = m.solve(11, duration=3, method=method)
    want = m.solve(drivers={"motor": np.append(0.0, np.linspace(0, 2, 201))}, method=method)
    for link in ("coupler", "rocker"):
        ends = want.turn(link)[[0, -1]]
        np.testing.assert_allclose(found.turn(link), np.where(found.t < 1.3, *ends), atol=1e-9)


def test_the_table_of_a_law_that_jumps(tmp_path):
    """`solve --csv` asks for angles, rates and second rates of each link: it recursed without end."""
    m = four_bar((1, 3.2, 2.7, 4), 0.0, drivers={"motor": {"joint": "A", "law": "1 + sign(t - 1.3)"}})
    m.save(tmp_path / "jumps.toml")
    table = tmp_path / "jumps.csv"
    words = ["solve", str(tmp_path / "jumps.toml"), "--samples", "11", "--duration", "3", "--csv", str(table)]
    assert CliRunner().invoke(app, words).exit_code == 0
    with table.open(newline="") as lines:
        names, _, *rows = csv.reader(lines)
    crank = np.array([float(row[names.index("crank.angle")]) for row in rows])
    np.testing.assert_allclose(crank, np.where(np.linspace(0, 3, 11) < 1.3, 0, 2), atol=1e-12)
    rocker = np.array([float(row[names.index("rocker.angle")]) for row in rows])
    np.testing.assert_allclose(np.ptp(rocker), abs(np.diff(m.solve(drivers={"motor": [0, 2]}).angle("rocker")))[0])


def test_a_jump_of_whole_turns():
    """A drag link turns with its crank, three and a half turns at once."""
    m = four_bar((1.2, 1.0, 1.1, 0.3), 0.0, drivers={"motor": {"joint": "A", "law": "3.5*pi*(1 + sign(t - 1))"}})
    found = m.solve(5, duration=3)
    np.testing.assert_allclose(found.turn("coupler")[-1] - found.turn("coupler")[0], 3.5 * TURN, atol=0.6)
    other = m.solve(drivers={"motor": np.linspace(0, 3.5 * TURN, 400)}).turn("coupler")
    assert found.turn("coupler")[-1] == pytest.approx(other[-1], abs=1e-9)


def test_a_steep_law_counts_by_where_it_moves():
    """2 t + 20 tanh(1e6 (t - 1)) moves by 44 in 2 s, 7 turns; its rate at t = 1 gave 35,400, and was refused."""
    m = four_bar((1, 3.2, 2.7, 4), 0.0, drivers={"motor": {"joint": "A", "law": "2*t + 20*tanh(1e6*(t - 1))"}})
    schedule = make_schedule(m, None, None, None, 2)
    moved = schedule.distance("motor") - abs(np.diff(schedule.lead["motor"]))[0]
    assert moved == pytest.approx(44, abs=0.01) and schedule.added < 2000
    found, again = m.solve(duration=2), m.solve(drivers={"motor": np.linspace(-20, 24, 1000)})
    for link in ("coupler", "rocker"):
        assert found.turn(link)[-1] - found.turn(link)[0] == pytest.approx(
            again.turn(link)[-1] - again.turn(link)[0], abs=1e-6
        )
    for law in ("1000*sin(1e6*t)", "1e6*sign(t - 1.001)", "1/(t - 1.0003)"):
        with pytest.raises(sk.InputError, match=r"moves it .* turns"):
            m.with_drivers({"motor": {"joint": "A", "law": law}}).solve(duration=2)
