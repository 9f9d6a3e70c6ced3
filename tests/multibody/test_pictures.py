"""Pictures in space: bodies are drawn where the motion puts them, and the whole motion fits."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import structkin as sk
from structkin.examples import spatial
from structkin.show.space import _Stage, animate_space, draw_space_motion, lines_of
from structkin.show.space_tables import plot_space, quaternions, shown_columns, space_table


@pytest.fixture(scope="module")
def motion():
    return sk.SpatialModel.load(spatial.path("governor")).simulate(0.5, 26)


def test_bodies_and_springs_are_drawn_where_the_motion_puts_them(motion):
    stage = _Stage(motion.model, motion, ("arm1.B1",), 400)
    stage.show(25, "")
    for name, artists in stage.bodies.items():
        body = motion.model.bodies[name]
        for artist, line in zip(artists, lines_of(motion.model, body), strict=True):
            drawn = np.array(artist.get_data_3d()).T
            moved = (line - body.center) @ motion.rotation(name)[25].T + motion.position(name)[25]
            assert drawn == pytest.approx(moved)
    spring, artist = stage.springs[0]
    ends = np.array(artist.get_data_3d()).T
    assert spring.name == "rod1"
    for end, body, place in zip(ends, spring.bodies, spring.points, strict=True):
        arm = motion.rotation(body)[25] @ (place - motion.model.bodies[body].center)
        assert end == pytest.approx(motion.position(body)[25] + arm)
    low, high = (np.array(limits) for limits in zip(*(getattr(stage.ax, f"get_{a}lim")() for a in "xyz"), strict=True))
    places = np.concatenate([motion.position("arm1.B1"), motion.position("arm2.B2")])
    assert (places >= low - 1e-9).all() and (places <= high + 1e-9).all()


def test_frames_differ_and_have_the_requested_size(motion):
    film = animate_space(motion, seconds=0.4, fps=10, width=300)
    frames = list(film.frames())
    assert len(film) == len(frames) == 4 and all(frame.shape[1] == 300 for frame in frames)
    assert (frames[0] != frames[-1]).any()
    with pytest.raises(sk.InputError, match="there is no point"):
        animate_space(motion, trace=["arm1.Q"])
    with pytest.raises(sk.InputError, match=r"(?s)fps: 0 frames.*seconds: -1 is not positive.*width: 5 px"):
        animate_space(motion, fps=0, seconds=-1, width=5)


def test_figures_have_axes_with_units(motion):
    figure = plot_space(motion)
    assert [ax.get_ylabel() for ax in figure.axes] == ["S [m]", "spin [rad/s]", "change\nof energy [J]"]
    (ax,) = draw_space_motion(motion).axes
    assert ax.get_xlabel() == "x [m]"
    assert motion.model.plot().axes


def test_without_sensors_the_bodies_are_shown(motion):
    bare = replace(motion, model=replace(motion.model, sensors={}))
    found = {(c.part, c.quantity): c.values for c in shown_columns(bare)}
    assert {part for part, _ in found} == set(motion.model.bodies)
    np.testing.assert_array_equal(found["arm1", "position z"], motion.position("arm1")[:, 2])
    assert {part for c in shown_columns(motion) for part in [c.part]} == set(motion.sensors)


def test_quaternions_do_not_jump():
    from scipy.spatial.transform import Rotation

    turns = Rotation.from_rotvec(np.linspace(0, 4 * np.pi, 60)[:, None] * [0, 0.6, 0.8]).as_matrix()
    found = quaternions(turns)
    assert np.abs(np.diff(found, axis=0)).max() < 0.2
    assert Rotation.from_quat(found[:, [1, 2, 3, 0]]).as_matrix() == pytest.approx(turns)


@pytest.mark.parametrize("height", [0.1, 1.0, 10.0])
def test_pictures_of_any_shape_fit(height):
    """The box, its numbers and labels are within the picture, and no numbers of two axes meet."""
    model = sk.SpatialModel.build(
        points={"O": [0, 0, 0], "A": [0.5, 0.2, height]},
        bodies={"rod": {"points": ["O", "A"], "shape": "cylinder", "radius": 0.05, "mass": 1}},
        joints={"O": {"type": "revolute", "bodies": ["ground", "rod"], "at": "O", "axis": [0, 0, 1]}},
    )
    figure = model.plot()
    figure.canvas.draw()
    (ax,) = figure.axes
    axes = [getattr(ax, f"{name}axis") for name in "xyz"]
    numbers = [[tick.label1.get_window_extent() for tick in one.get_major_ticks()] for one in axes]
    for one, boxes in zip(axes, numbers, strict=True):
        for box in (one.label.get_window_extent(), *boxes):
            assert box.x0 > 0 and box.y0 > 0 and box.x1 < figure.bbox.x1 and box.y1 < figure.bbox.y1
            assert box in boxes or not any(box.overlaps(number) for number in boxes)
    assert not any(x.overlaps(y) for x in numbers[0] for y in numbers[1])


def test_a_motion_of_one_sample_is_a_point_and_one_frame(motion):
    still = replace(
        motion, t=motion.t[:1], q=motion.q[:1], qd=motion.qd[:1], energy=motion.energy[:1], closure=motion.closure[:1],
        frames={name: values[:1] for name, values in motion.frames.items()},
    )  # fmt: skip
    assert all(line.get_marker() == "." for ax in plot_space(still).axes for line in ax.lines)
    assert len(animate_space(still)) == 1
    assert "1 sample, t to 0 s" in str(space_table(still).caption)
