"""Motion plots: panels, units, shades."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from cases import few
from show_samples import ALL, crank_rocker, drawn, gids, legend_texts, one_crank, part_turn, texts

import structkin as sk
from structkin.examples import path
from structkin.model.units import Units
from structkin.show import motion_to_dict, plot_motion
from structkin.show.interest import output_links, points_of_interest
from structkin.show.terminal import summary_table


@pytest.mark.parametrize("make", few(ALL, 3), ids=lambda make: make.__name__)
def test_the_default_selection_is_readable(make):
    figure = plot_motion(make().solve(samples=13))
    curves = {gid for gid in gids(figure) if gid.startswith("curve:")}
    assert 3 <= len(curves) <= 21
    for ax in figure.axes:
        assert ax.lines


def test_panels_of_a_point_and_of_a_link_share_time():
    m = crank_rocker()
    motion = m.solve(samples=37)
    figure = plot_motion(motion, "P", "coupler")
    labels = [ax.get_ylabel() for ax in figure.axes]
    assert labels == [
        "position [mm]",
        "angle [deg]",
        "velocity [mm/s]",
        "angular velocity [deg/s]",
        "acceleration [mm/s²]",
        "angular acceleration [deg/s²]",
    ]
    assert [ax.get_xlabel() for ax in figure.axes[-2:]] == ["t [s]", "t [s]"]
    assert all(ax.get_shared_x_axes().joined(ax, figure.axes[0]) for ax in figure.axes)
    assert legend_texts(figure) == ["x of P", "y of P", "coupler"]
    x, y = (line for line in figure.axes[0].lines if line.get_gid() == "curve:P:length")
    assert x.get_ydata() == pytest.approx(1e3 * motion.position("P")[:, 0])
    assert y.get_ydata() == pytest.approx(1e3 * motion.position("P")[:, 1])
    assert drawn(figure, "curve:coupler:alpha").get_ydata() == pytest.approx(np.degrees(motion.alpha("coupler")))


def test_one_kind_alone_has_one_column():
    motion = crank_rocker().solve(samples=13)
    assert len(plot_motion(motion, "rocker").axes) == len(plot_motion(motion, "P", "C").axes) == 3


def test_units_can_be_chosen():
    motion = crank_rocker().solve(samples=13)
    figure = plot_motion(motion, "rocker", units=Units(angle="rad"))
    assert figure.axes[1].get_ylabel() == "angular velocity [rad/s]"
    assert drawn(figure, "curve:rocker:omega").get_ydata() == pytest.approx(motion.omega("rocker"))


def test_without_times_the_driver_is_the_axis():
    m = crank_rocker()
    figure = plot_motion(m.solve(drivers={"motor": np.radians([0, 10, 20, 30])}), "P")
    assert figure.axes[-1].get_xlabel() == "motor [deg]"
    assert figure.axes[0].lines[0].get_xdata() == pytest.approx([0, 10, 20, 30])
    assert texts(figure).count("unknown: the drivers' rates were not given") == 2
    figure = plot_motion(m.solve(drivers={"motor": [0.0, 0.5, 0.0]}), "P")
    assert figure.axes[-1].get_xlabel() == "sample"


def test_samples_that_are_not_ok_are_shaded_and_explained():
    motion = part_turn().solve(samples=181)
    bad = np.flatnonzero(~motion.ok)
    figure = plot_motion(motion)
    bands = [artist for artist in figure.findobj() if (artist.get_gid() or "").startswith("band:")]
    assert len(bands) == len(figure.axes)
    assert bands[0].get_gid() == f"band:{bad[0]}:{bad[-1] + 1}"
    left = bands[0].get_xy().min(axis=0)[0] if hasattr(bands[0].get_xy(), "min") else bands[0].get_xy()[0]
    assert motion.t[bad[0] - 1] < left < motion.t[bad[0]]
    assert f"out of reach at group 2 RRR: coupler + right ({len(bad)} samples)" in legend_texts(figure)
    assert "cut" in texts(figure)


@pytest.mark.full
def test_every_status_has_a_shade_and_words():
    motion = part_turn().solve(samples=5)
    for status in sk.Status:
        lanes = replace(motion.lanes, status=np.full(5, status, np.int8), group=np.full(5, -1, np.int32))
        figure = plot_motion(replace(motion, lanes=lanes))
        assert (f"{status.words} (5 samples)" in legend_texts(figure)) == (status != sk.Status.OK)


def test_a_constant_is_a_line_without_noise():
    motion = one_crank().solve(samples=37)
    figure = plot_motion(motion, "crank")
    for ax in figure.axes[1:]:
        low, high = ax.get_ylim()
        assert high - low > 0.05


def test_single_samples_and_all_failed():
    plot_motion(crank_rocker().solve(samples=1)).draw_without_rendering()
    motion = part_turn().solve(t=[1.3, 1.4])
    assert not motion.ok.any()
    figure = plot_motion(motion, "P")
    figure.draw_without_rendering()
    assert "no sample has a pose" in texts(figure)


def test_all_unknown_names_are_reported():
    motion = crank_rocker().solve(samples=3)
    with pytest.raises(sk.InputError) as caught:
        plot_motion(motion, "P", "copler", "Q")
    assert [problem.key for problem in caught.value.problems] == ["copler", "Q"]
    assert "did you mean 'coupler'?" in str(caught.value)


@pytest.mark.parametrize("speed", ["1000 rpm", "1e-6 rpm"])
def test_rounding_errors_of_rates_are_not_shown_as_rates(speed):
    """Three equal cranks turn uniformly; the third is closed by two others, with rounding errors."""
    m = sk.Mechanism(
        units={"length": "mm", "angle": "deg"},
        points={"A": (0, 0), "B": (10, 20), "C": (60, 20), "D": (50, 0), "E": (110, 20), "F": (100, 0)},
        links={"ground": ["A", "D", "F"], "c1": ["A", "B"], "c2": ["D", "C"], "c3": ["F", "E"], "bar": ["B", "C", "E"]},
        drivers={"motor": {"joint": "A", "speed": speed}},
    )
    motion = m.solve()
    figure = plot_motion(motion, "c3", kl=True)
    noise = np.ptp(motion.alpha("c3"))
    assert noise > 0
    for ax in (figure.axes[2], figure.axes[4]):
        low, high = ax.get_ylim()
        assert low < 0 < high and max(np.ptp(line.get_ydata()) for line in ax.lines) < 1e-6 * (high - low)
    low, high = plot_motion(motion, "B").axes[1].get_ylim()
    assert high - low == pytest.approx(2.2 * 1e3 * np.max(motion.velocity("B")), rel=0.1)  # slow, but no rounding
    column = summary_table(motion).columns[-1]
    assert list(map(str, column.cells))[-4:] == ["0 deg/s²"] * 4


def test_motion_plot_verb():
    assert len(crank_rocker().solve(samples=3).plot("P").axes) == 3


def test_k_and_l_in_rows_below_and_in_columns(tmp_path):
    """K and L are in the file's unit of length and radians; velocities follow from them."""
    m = crank_rocker()
    motion = m.solve(samples=13)
    figure = plot_motion(motion, "P", "rocker", kl=True)
    assert len(figure.axes) == 10
    found = {artist.get_gid(): artist for artist in figure.findobj() if (artist.get_gid() or "").startswith("curve:")}
    np.testing.assert_allclose(found["curve:rocker:K.motor"].get_ydata(), motion.K("rocker")[:, 0])
    np.testing.assert_allclose(found["curve:rocker:L.motor.motor"].get_ydata(), motion.L("rocker")[:, 0, 0])
    labels = [ax.get_ylabel() for ax in figure.axes]
    assert {"K [mm/rad]", "L [mm/rad²]", "K [1]", "L [1/rad]"} <= set(labels)
    motion.to_csv(tmp_path / "kl.csv", units="file", kl=True)
    heads, units, *lines = [line.split(",") for line in (tmp_path / "kl.csv").read_text().splitlines()]
    column = {head: np.array([float(line[k] or "nan") for line in lines]) for k, head in enumerate(heads[:-2])}
    unit = dict(zip(heads, units, strict=True))
    assert unit["P.Kx.motor"] == "mm/rad" and unit["P.Lx.motor.motor"] == "mm/rad^2" and unit["rocker.K.motor"] == "1"
    np.testing.assert_allclose(column["P.Kx.motor"] * 2 * np.pi, column["P.vx"], atol=1e-9)
    np.testing.assert_allclose(column["P.Ly.motor.motor"] * (2 * np.pi) ** 2, column["P.ay"], atol=1e-9)
    plain = motion_to_dict(motion, kl=True)
    np.testing.assert_allclose(plain["links"]["rocker"]["K.motor"], motion.K("rocker")[:, 0])


def test_two_drivers_have_separate_rows():
    m = sk.load(path("five_bar_two_drivers"))
    labels = [" ".join(ax.get_ylabel().split()) for ax in plot_motion(m.solve(samples=5), "C", kl=True).axes]
    assert labels[3:] == [
        "K by left_motor [mm/rad]", "K by right_motor [mm/rad]", "L by left_motor [mm/rad²]",
        "L by left_motor, right_motor [mm/rad²]", "L by right_motor [mm/rad²]",
    ]  # fmt: skip


def test_a_link_that_carries_others_is_shown_and_the_centre_of_a_slot_is_not():
    m = sk.load(path("excavator"))
    assert output_links(m, m.structure()) == ["boom", "arm", "link", "bucket"]
    arc = sk.Mechanism(
        points={"A": (0, 0), "D": (4, 0), "M": (1, 0.5), "P": (2.8, 2), "N": (5, 3)},
        links={"ground": ["A", "D"], "crank": ["A", "M"], "rocker": ["D", "P", "N"]},
        joints={"slot": {"type": "pin-in-slot", "pin": "P", "slot": "crank", "center": "M"}},
        drivers={"motor": {"joint": "A", "speed": 1}},
    )
    assert points_of_interest(arc) == ["P", "N"]
