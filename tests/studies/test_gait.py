"""Markers, their strides, and the forces of a walking person."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from structkin.errors import InputError
from structkin.studies.gait import BODY, MARKERS, analyse, fit, joint_moments, shares, walker
from structkin.studies.guides import guides
from structkin.studies.markers import Markers, Strides, low_pass, read_markers, strides
from structkin.studies.synthetic_gait import PERIOD, STANCE, synthetic_markers


def write(path: Path, markers: Markers, scale: float = 1.0, gap: int | None = None) -> Path:
    names = list(markers.places)
    lines = ["# made up", ",".join(["frame", "t_s", *(f"{name}_{axis}" for name in names for axis in "xy")])]
    for k, t in enumerate(markers.t):
        cells = [f"{scale * value:.8g}" for name in names for value in markers.places[name][k]]
        if k == gap:
            cells[2] = ""
        lines.append(",".join([str(k + 1), f"{t:.3f}", *cells]))
    path.write_text("\n".join(lines))
    return path


def test_markers_are_read_in_their_unit(tmp_path: Path) -> None:
    made = synthetic_markers()
    read = read_markers(write(tmp_path / "walk.csv", made, 100.0), MARKERS, "cm")
    assert read.t == pytest.approx(made.t, abs=1e-3)
    for name in MARKERS:
        assert read.places[name] == pytest.approx(made.places[name], abs=1e-6)


@pytest.mark.parametrize(
    ("change", "key", "found"),
    [
        ("hip_x", "hip_x", "no such column"),
        ("t_s", "t", "column of times"),
    ],
)
def test_missing_columns_are_reported(tmp_path: Path, change: str, key: str, found: str) -> None:
    path = write(tmp_path / "walk.csv", synthetic_markers())
    path.write_text(path.read_text().replace(change, "other"))
    with pytest.raises(InputError, match=found) as caught:
        read_markers(path, MARKERS)
    assert caught.value.problems[0].key == key


def test_columns_that_are_not_understood_are_refused(tmp_path: Path) -> None:
    """Columns of forces and of the centre of pressure were once ignored without a word, as any other."""
    path = write(tmp_path / "walk.csv", synthetic_markers())
    lines = path.read_text().splitlines()
    path.write_text("\n".join([lines[0], lines[1] + ",grf_y,cop_x", *(line + ",700,0.1" for line in lines[2:])]))
    with pytest.raises(InputError) as caught:
        read_markers(path, MARKERS)
    found = {problem.key: problem.message for problem in caught.value.problems}
    assert found == {"force_x": "there is no such column", "force_y": "there is no such column",
                     "grf_y": "is not understood"}  # fmt: skip


def test_a_measured_ground_force_takes_the_place_of_the_assumed_one(tmp_path: Path) -> None:
    """What the motion needs, given back as the record of a plate under the right foot, leaves nothing to the guides."""
    made = low_pass(synthetic_markers(noise=0.0, strides=2.6))
    steps = strides(made)
    body = fit(BODY, made)
    needed = analyse(made, steps, body, 401)
    ground, t, period = needed.ground, made.t - made.t[0], steps.period
    speed = float(needed.motion.position("H")[-1, 0]) / period

    def at(values: np.ndarray) -> np.ndarray:
        return np.interp(t % period, needed.motion.t, values)

    force = np.column_stack([at(ground.pushes["right"][:, k]) for k in (0, 1)])
    cop = at(ground.places["right"] - speed * needed.motion.t) + speed * t + guides(made, period).origin
    path = write(tmp_path / "walk.csv", made)
    lines = path.read_text().splitlines()
    cells = (f",{x:.6f},{y:.6f},{p:.8f}" for (x, y), p in zip(force, cop, strict=True))
    path.write_text(
        "\n".join(
            [lines[0], lines[1] + ",force_x,force_y,cop_x", *(a + b for a, b in zip(lines[2:], cells, strict=True))]
        )
    )
    read = read_markers(path, MARKERS)
    found = analyse(read, steps, body, 401)
    weight = 9.81 * found.mass
    for name in ("x", "y", "pitch"):
        assert np.abs(found.forces.driver(name)).max() < 0.02 * weight
    for name, expected in joint_moments(needed.forces).items():
        assert joint_moments(found.forces)[name] == pytest.approx(expected, abs=0.02 * weight)
    # Half the force, and the guides have to carry the other half.
    half = analyse(Markers(read.t, read.places, 0.5 * read.force, 0.5 * read.moment), steps, body)
    assert half.forces.driver("y").mean() == pytest.approx(weight / 2, rel=0.03)


def test_gaps_uneven_times_and_other_problems_are_reported(tmp_path: Path) -> None:
    made = synthetic_markers()
    with pytest.raises(InputError, match=r"hip_x, sample 8: '' is not a number"):
        read_markers(write(tmp_path / "a.csv", made, gap=7), MARKERS)
    skewed = Markers(made.t**2, made.places)
    with pytest.raises(InputError, match="not evenly spaced"):
        read_markers(write(tmp_path / "b.csv", skewed), MARKERS)
    with pytest.raises(InputError, match="there is no file"):
        read_markers(tmp_path / "none.csv", MARKERS)
    with pytest.raises(InputError, match="'feet' is unknown"):
        read_markers(tmp_path / "a.csv", MARKERS, "feet")
    few = Markers(made.t[:9], {name: place[:9] for name, place in made.places.items()})
    with pytest.raises(InputError, match="too few"):
        read_markers(write(tmp_path / "c.csv", few), MARKERS)
    for cutoff in (0.0, 40.0):
        with pytest.raises(InputError, match="is not between"):
            low_pass(made, cutoff)


def test_the_filter_has_no_lag_and_its_cutoff() -> None:
    """A sine at the cut-off leaves with 1/sqrt(2) of its amplitude; all are in phase, with the filter's gain."""
    t = np.arange(2001) / 100.0
    for frequency in (0.5, 6.0, 30.0):
        ratio = np.tan(np.pi * frequency / 100) / np.tan(np.pi * 6 / 100)
        part = 1 / (1 + (np.sqrt(2) - 1) * ratio**4)
        wave = np.sin(2 * np.pi * frequency * t)
        place = np.column_stack((wave, wave))
        found = low_pass(Markers(t, {"a": place})).places["a"][500:1500, 0]
        basis = np.column_stack((wave, np.cos(2 * np.pi * frequency * t)))[500:1500]
        (in_phase, out_of_phase), *_ = np.linalg.lstsq(basis, found, rcond=None)
        assert in_phase == pytest.approx(part, abs=1e-6)
        assert out_of_phase == pytest.approx(0, abs=1e-6)


def test_strides_of_the_synthetic_gait() -> None:
    found = strides(low_pass(synthetic_markers()))
    assert found.period == pytest.approx(PERIOD, abs=0.005)
    assert found.contacts[0] == pytest.approx((1 - STANCE) * PERIOD, abs=0.06)
    with pytest.raises(InputError, match="no whole stride"):
        strides(synthetic_markers(strides=0.4))


def test_the_body_is_that_of_the_table() -> None:
    """Winter's subject weighs 56.7 kg; Dempster's fractions of it are 0.678, 0.1, 0.0465, 0.0145."""
    legs = [BODY[name] for name in ("thigh", "shank", "foot")]
    assert BODY["hat"].mass + 2 * sum(one.mass for one in legs) == pytest.approx(56.7, abs=2e-3)
    assert [one.mass / 56.7 for one in legs] == pytest.approx([0.1, 0.0465, 0.0145], rel=1e-9)
    # from hip to shoulder, by the radius of gyration 0.496 and by the centre of mass 0.626 of it
    trunk = np.sqrt(BODY["hat"].inertia / BODY["hat"].mass) / 0.496
    assert BODY["hat"].center / trunk == pytest.approx(0.626, abs=2e-3)
    grown = fit(BODY, synthetic_markers(noise=0), mass=70.0)
    assert grown["hat"].mass + 2 * sum(grown[one].mass for one in ("thigh", "shank", "foot")) == pytest.approx(70)
    assert grown["shank"].length == pytest.approx(0.4081, abs=1e-12)
    with pytest.raises(InputError, match="not a positive mass"):
        fit(BODY, synthetic_markers(), mass=0.0)


@pytest.fixture(scope="module")
def walk():
    markers = low_pass(synthetic_markers())
    return markers, analyse(markers, strides(markers), fit(BODY, markers))


def test_the_left_leg_moves_like_the_right_one_half_a_stride_later(walk) -> None:
    _, gait = walk
    t = np.linspace(0, 0.49, 50)
    early, late = gait.mechanism.solve(t=t), gait.mechanism.solve(t=t + 0.5 * strides(walk[0]).period)
    for name in ("thigh", "shank", "foot"):
        assert np.exp(1j * early.angle(f"left_{name}")) == pytest.approx(
            np.exp(1j * late.angle(f"right_{name}")), abs=2e-4
        )


def test_the_ground_carries_the_person(walk) -> None:
    """With the ground reaction on the feet the guides of the hip carry no load; its mean is the weight."""
    _, gait = walk
    weight = 9.81 * 56.7
    for id in ("x", "y", "pitch"):
        assert np.max(np.abs(gait.forces.driver(id))) < 1e-9 * weight
        assert np.max(np.abs(gait.motion.forces().driver(id))) > 0.05 * weight
    assert np.mean(gait.ground.force[:-1, 1]) == pytest.approx(weight, rel=0.02)
    assert sum(gait.ground.shares.values()) == pytest.approx(np.ones(len(gait.motion)))
    # the resultant of the feet's shares acts where the sum does
    together = sum(gait.ground.shares[side] * gait.ground.places[side] for side in ("right", "left"))
    assert together == pytest.approx(gait.ground.place, abs=1e-12)


def test_a_shank_by_hand(walk) -> None:
    """The knee's moment from the free body of shank and foot together: moments about the knee."""
    _, gait = walk
    k, motion = 120, gait.motion
    knee = motion.position("K_right")[k]

    def cross(a, b):
        return a[0] * b[1] - a[1] * b[0]

    needed = 0.0
    for name in ("shank", "foot"):
        link = gait.mechanism.links[f"right_{name}"]
        arm = motion.position(link.center, link.name)[k] - knee
        push = link.mass * (motion.acceleration(link.center, link.name)[k] + [0, 9.81])
        needed += cross(arm, push) + link.inertia * motion.alpha(link.name)[k]
    share, place = (values["right"][k] for values in (gait.ground.shares, gait.ground.places))
    assert share == 1
    needed -= cross(np.array([place, 0]) - knee, share * gait.ground.force[k])
    assert joint_moments(gait.forces)["right_knee"][k] == pytest.approx(needed, rel=1e-9)


def test_shares_and_short_records() -> None:
    t = np.linspace(0, 3, 301)
    found = shares(t, Strides((0.4, 1.4), (0.0, 1.0), 1.0))
    assert found["right"] + found["left"] == pytest.approx(np.ones(301))
    assert found["right"][np.isclose(t % 1, 0.7)] == pytest.approx(1)
    assert found["right"][np.isclose(t % 1, 0.2)] == pytest.approx(0)
    with pytest.raises(InputError, match="40% of the stride"):
        shares(t, Strides((0.4,), (0.8,), 1.0))
    short = low_pass(synthetic_markers(strides=1.2))
    with pytest.raises(InputError, match="one and a half strides"):
        walker(short, Strides((0.4,), (0.0,), 1.0))
