"""Pictures of cams, Geneva wheels and curved slots: what is drawn, and where."""

from __future__ import annotations

import numpy as np
import pytest

import structkin as sk
from structkin.examples import path
from structkin.show.cam_plot import plot_cam
from structkin.show.schematic import draw_schematic


def artists(figure):
    return {artist.get_gid(): artist for artist in figure.findobj() if artist.get_gid()}


def test_profile_and_roller_touch_in_the_picture():
    motion = sk.load(path("cam_roller_follower")).solve()
    found = artists(draw_schematic(motion.mechanism, motion=motion, sample=40))
    outline = found["cam:contact"].get_xy()
    roller = found["roller:contact"]
    assert roller.radius == pytest.approx(10)
    distance = np.hypot(*(outline - np.array(roller.center)).T)
    # in mm; the outline is drawn in 360 steps
    assert distance.min() == pytest.approx(10, abs=2e-2)
    assert roller.center == pytest.approx(motion.position("Q")[40] * 1e3)


def test_a_face_lies_on_the_profile():
    motion = sk.load(path("cam_lever_press")).solve()
    found = artists(draw_schematic(motion.mechanism, motion=motion, sample=100))
    a, b = found["face:contact"].get_xydata()
    normal = np.array([a[1] - b[1], b[0] - a[0]]) / np.hypot(*(b - a))
    across = (found["cam:contact"].get_xy() - a) @ normal
    assert min(abs(across.max()), abs(across.min())) < 2e-2
    # points of the face are not points of interest
    assert {gid for gid in found if gid.startswith("path:")} == {"path:C", "path:D"}


def test_wheel_and_pin():
    motion = sk.load(path("geneva")).solve()
    found = artists(draw_schematic(motion.mechanism, motion=motion, sample=190))
    assert "wheel:step" in found
    radii = np.hypot(*(found["wheel:step"].get_xy() - np.array([60, 0])).T)
    # from the bottom of the slots, one pin size deeper than the pin goes, to their mouths
    assert radii.max() == pytest.approx(60 * np.cos(np.pi / 4))
    assert radii.min() < 60 - 60 * np.sin(np.pi / 4)


def test_a_circular_slot_follows_its_arc():
    m = sk.Mechanism(
        points={"A": (0, 0), "B": (1, 0.5), "C": (2.8, 2.0), "D": (4, 0)},
        links={"ground": ["A", "D"], "crank": ["A", "B"], "coupler": ["B", "C"]},
        joints={"slot": {"type": "pin-in-slot", "pin": "C", "slot": "ground", "center": "D"}},
        drivers={"motor": {"joint": "A", "law": "0.4636476 + 0.5*sin(t)"}},
        duration=6.0,
    )
    for found in (artists(draw_schematic(m)), artists(draw_schematic(m, motion=m.solve(samples=50)))):
        outline = found["slot:slot"].get_xy()
        radii = np.hypot(*(outline - np.array([4, 0])).T)
        middle = 0.5 * (radii.min() + radii.max())
        assert middle == pytest.approx(np.hypot(1.2, 2.0), rel=1e-3)
        assert "pin:C" in found


def test_a_curved_slot_is_drawn_from_end_to_end():
    motion = sk.load(path("garage_door")).solve()
    found = artists(draw_schematic(motion.mechanism, motion=motion, sample=180))
    x, y = found["slot:track"].get_xy().T
    half = 0.5 * (np.ptp(x) - 2000)
    assert (x.min(), x.max()) == pytest.approx((-half, 2000 + half)) and half < 60
    assert (y.min(), y.max()) == pytest.approx((1850 - half, 2400 + half), abs=0.1)
    assert "pin:Q" in found


def test_the_diagrams_of_a_cam():
    m = sk.load(path("cam_roller_follower"))
    figure = plot_cam(m.joints["contact"], m.units)
    labels = [ax.get_ylabel() for ax in figure.axes]
    assert labels == [
        "lift [mm]", "velocity [mm/rad]", "acceleration [mm/rad²]", "jerk [mm/rad³]", "pressure angle [deg]",
    ]  # fmt: skip
    lift = np.concatenate([line.get_ydata() for line in figure.axes[0].get_lines() if len(line.get_xdata()) > 2])
    assert lift.max() == pytest.approx(25) and lift.min() == pytest.approx(0, abs=1e-9)
    assert m.solve(samples=3).cam("contact").plot().axes[4].get_ylim()[0] < -28
    flat = sk.load(path("cam_lever_press"))  # a constant is written, not drawn
    figure = plot_cam(flat.joints["contact"], flat.units)
    assert [ax.get_ylabel().split(" [")[0] for ax in figure.axes] == ["lift", "velocity", "acceleration", "jerk"]
    assert figure.get_suptitle().endswith("The pressure angle is 0 deg throughout.")


def test_a_pressure_angle_that_jumps_is_drawn_segment_by_segment():
    """At uniform speed, tan = s' / y: from one value to its opposite where the roller at y = 70 mm turns back."""
    law = [{"motion": "uniform", "over": np.pi, "to": 0.02}, {"motion": "uniform", "over": np.pi, "to": 0}]
    m = sk.Mechanism(
        points={"A": (0, 0), "Q": (0, 0.05)}, links={"ground": ["A"], "disc": ["A"], "lifter": ["Q"]},
        joints={"guide": {"type": "prismatic", "links": ["lifter", "ground"], "axis": (0, 1)},
                "contact": {"type": "cam", "cam": "disc", "follower": "lifter", "at": "Q", "radius": 0.01, "law": law}},
        drivers={"motor": {"joint": "A", "speed": 1}},
    )  # fmt: skip
    lines = plot_cam(m.joints["contact"]).axes[4].get_lines()
    up, down = (line.get_ydata() for line in lines if len(line.get_xdata()) > 2)
    largest = np.degrees(np.arctan(0.02 / np.pi / 0.07))
    assert np.abs([up[-1], down[0]]) == pytest.approx([largest, largest], rel=1e-5)
    assert up[-1] * down[0] < 0
