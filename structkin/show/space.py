"""Bodies in space: a picture of the drawn pose or of a motion, and the motion as moving pictures."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from structkin.errors import Problem, raise_problems
from structkin.multibody.model import GROUND as FIXED
from structkin.multibody.model import Body, SpatialModel, Spring
from structkin.multibody.readings import Readings
from structkin.show.animation import LONGEST, SHORTEST, Film, film_problems, frames_in
from structkin.show.backend import load_matplotlib
from structkin.show.style import GROUND, LARGE, NORMAL, SMALL, group_colour, new_figure, plain
from structkin.show.video import Frame
from structkin.types import Floats, Indices

if TYPE_CHECKING:
    from matplotlib.figure import Figure

#: Samples at which the room that a motion takes is looked at.
LOOKS = 200
#: The most bodies that the legend names.
MOST_KEYS = 12
#: The part of the axes that their box may take: tick numbers and labels stand outside it.
ROOM = 0.75
#: Direction of sight [deg]: from above the ground, with z upwards.
ELEVATION, AZIMUTH = 22.0, -55.0


def lines_of(model: SpatialModel, body: Body) -> list[Floats]:
    """Return what is drawn of a body, as polylines (k, 3) in the drawn pose: its outline, and arms to its joints.

    Two places are joined by a straight line, more of them by arms from their middle.
    """
    places = [joint.at for joint in model.joints.values() if body.name in joint.bodies and joint.kind != "free"]
    places += body.points.values()
    places = [place for k, place in enumerate(places) if not any(np.allclose(place, other) for other in places[:k])]
    middle = body.center if len(places) < 2 else np.mean(places, axis=0)
    arms = [np.array(places)] if len(places) == 2 else [np.array([middle, place]) for place in places]
    return [*body.outline, *arms]


def traced(model: SpatialModel) -> tuple[str, ...]:
    """Return the points whose paths are drawn unless somebody says which: those that a sensor of positions observes."""
    names = [sensor.of[0] for sensor in model.sensors.values() if sensor.quantity == "position"]
    return tuple(dict.fromkeys(name for name in names if name.partition(".")[0] != FIXED))[:4]


class _Stage:
    """The artists of a model on axes in space that keep their limits while the bodies move."""

    def __init__(self, model: SpatialModel, motion: Readings | None, trace: Sequence[str], width: int) -> None:
        from matplotlib.lines import Line2D

        self.model, self.motion = model, motion
        self.lines = {name: lines_of(model, body) for name, body in model.bodies.items()}
        self.poses = {} if motion is None else {n: (motion.rotation(n), motion.position(n)) for n in model.bodies}
        self.paths = {} if motion is None else {name: motion.position(name) for name in trace}
        self.figure = new_figure(7.0, 6.2)
        self.figure.set_layout_engine("none")
        self.figure.set_dpi(width / 7.0)
        self.ax = ax = cast("Any", self.figure.add_axes((0.0, 0.02, 1.0, 0.9), projection="3d"))
        ax.view_init(ELEVATION, AZIMUTH)
        self.figure.text(0.03, 0.955, plain(model.name or "Model"), fontsize=LARGE)
        self.note = self.figure.text(0.03, 0.92, "", fontsize=SMALL, color=GROUND)
        self._room()
        for joint in model.joints.values():
            if FIXED in joint.bodies and joint.kind != "free":
                ax.plot(*joint.at[:, None], marker="s", markersize=5, color=GROUND)
        colours = {name: group_colour(k) for k, name in enumerate(model.bodies)}
        self.bodies = {
            name: [ax.plot(*line.T, color=colours[name], linewidth=2.0, solid_capstyle="round")[0] for line in lines]
            for name, lines in self.lines.items()
        }
        self.trails = {
            name: ax.plot(*path.T, color=colours[name.partition(".")[0]], linewidth=0.9, alpha=0.7)[0]
            for name, path in self.paths.items()
        }
        springs = [load for load in model.loads.values() if isinstance(load, Spring)]
        look = {"color": GROUND, "linewidth": 1.0, "linestyle": (0, (2, 1.5))}
        self.springs = [(s, ax.plot(*self.ends(s, 0).T, **look)[0]) for s in springs]
        keys = [Line2D([], [], color=colour, linewidth=2.0, label=plain(name)) for name, colour in colours.items()]
        if len(keys) > MOST_KEYS:
            keys[MOST_KEYS:] = [Line2D([], [], alpha=0.0, label=f"... and {len(keys) - MOST_KEYS} more")]
        self.figure.legend(handles=keys, loc="upper right", fontsize=SMALL, frameon=False, ncols=1 + (len(keys) > 5))

    def _room(self) -> None:
        """Give the axes room for all poses, at one scale."""
        count = 1 if self.motion is None else len(self.motion.t)
        looks = np.unique(np.linspace(0, count - 1, min(count, LOOKS)).astype(int))
        places = [line for name in self.lines for k in looks for line in self.placed(name, int(k))]
        places += [joint.at[None] for joint in self.model.joints.values() if FIXED in joint.bodies]
        every = np.concatenate([*places, *self.paths.values()])
        low, high = every.min(axis=0), every.max(axis=0)
        half = np.maximum((high - low) / 2, 0.12 * float((high - low).max()) or 0.5)
        middle = (low + high) / 2
        for axis, name in enumerate("xyz"):
            getattr(self.ax, f"set_{name}lim")(middle[axis] - half[axis], middle[axis] + half[axis])
            pad = 8 * max(1.0, half[2] / half[:2].max()) if name == "z" else 18
            getattr(self.ax, f"set_{name}label")(f"{name} [m]", fontsize=NORMAL, labelpad=pad)
            ticks = _few_ticks(5 if half[axis] > 0.6 * half.max() else 3, middle[axis], half[axis])
            apart = 1.0 if name == "z" else 0.7  # the numbers of x and y would meet in the corner
            getattr(self.ax, f"set_{name}ticks")(ticks[np.abs(ticks - middle[axis]) <= apart * half[axis]])
        self.ax.set_box_aspect(half, zoom=0.95)
        self.ax.set_box_aspect(half, zoom=0.95 * min(1.0, ROOM / self._extent()))
        self.ax.tick_params(labelsize=SMALL)

    def _extent(self) -> float:
        """Return how much of the axes their box takes as drawn: its width or its height, whichever is more."""
        self.ax.apply_aspect()
        corners = np.array(np.meshgrid(*(getattr(self.ax, f"get_{axis}lim")() for axis in "xyz"))).reshape(3, 8)
        x, y, _, w = self.ax.get_proj() @ np.vstack([corners, np.ones(8)])
        seen = self.ax.transAxes.inverted().transform(self.ax.transData.transform(np.c_[x / w, y / w]))
        return float(np.ptp(seen, axis=0).max())

    def placed(self, name: str, sample: int) -> list[Floats]:
        """Return the polylines of a body at a sample."""
        if name not in self.poses:
            return self.lines[name]
        rotations, positions = self.poses[name]
        center = self.model.bodies[name].center
        return [positions[sample] + (line - center) @ rotations[sample].T for line in self.lines[name]]

    def ends(self, spring: Spring, sample: int) -> Floats:
        """Return the ends (2, 3) of a spring at a sample."""
        ends = []
        for body, place in zip(spring.bodies, spring.points, strict=True):
            if body in self.poses:
                rotations, positions = self.poses[body]
                arm = rotations[sample] @ (place - self.model.bodies[body].center)
                ends.append(positions[sample] + arm)
            else:
                ends.append(place)
        return np.array(ends)

    def show(self, sample: int, text: str) -> None:
        """Move all that moves to a sample."""
        for name, artists in self.bodies.items():
            for artist, line in zip(artists, self.placed(name, sample), strict=True):
                artist.set_data_3d(*line.T)
        for spring, artist in self.springs:
            artist.set_data_3d(*self.ends(spring, sample).T)
        for name, trail in self.trails.items():
            trail.set_data_3d(*self.paths[name][: sample + 1].T)
        self.note.set_text(text)

    @cached_property
    def _still(self) -> tuple[Any, Any]:
        """The canvas and what of the picture stands still, drawn once."""
        for artist in self._moving:
            artist.set_animated(True)
        canvas = cast("Any", self.figure.canvas)
        canvas.draw()
        return canvas, canvas.copy_from_bbox(self.figure.bbox)

    @property
    def _moving(self) -> list[Any]:
        bodies = [artist for artists in self.bodies.values() for artist in artists]
        return [*self.trails.values(), *(artist for _, artist in self.springs), *bodies, self.note]

    def frame(self, sample: int, text: str) -> Frame:
        """Return the picture (height, width, 3) of a sample."""
        canvas, background = self._still
        canvas.restore_region(background)
        self.show(sample, text)
        for artist in self._moving:
            self.ax.draw_artist(artist)
        return np.array(canvas.buffer_rgba())[:, :, :3].copy()


def _few_ticks(count: int, middle: float, half: float) -> Floats:
    from matplotlib.ticker import MaxNLocator

    return np.asarray(MaxNLocator(count).tick_values(middle - half, middle + half))


def draw_space(model: SpatialModel) -> Figure:
    """Return a figure of a model in its drawn pose; squares are joints at the ground, dashed lines springs."""
    load_matplotlib()
    return _Stage(model, None, (), 1050).figure


def draw_space_motion(motion: Readings, sample: int = -1) -> Figure:
    """Return a figure of a motion up to a sample: the pose there, and the paths of its traced points."""
    stage = _Stage(motion.model, motion, traced(motion.model), 1050)
    sample = range(len(motion.t))[sample]
    stage.show(sample, f"t = {motion.t[sample]:.3f} s")
    return stage.figure


@dataclass(frozen=True, repr=False)
class SpaceAnimation(Film):
    """The moving pictures of a motion in space."""

    motion: Readings
    samples: Indices
    fps: float
    trace: tuple[str, ...]
    width: int
    repeat: bool = True

    @cached_property
    def _stage(self) -> _Stage:
        return _Stage(self.motion.model, self.motion, self.trace, self.width)

    @property
    def _name(self) -> str:
        return self.motion.model.name

    def _frame(self, sample: int) -> Frame:
        return self._stage.frame(sample, f"t = {self.motion.t[sample]:.2f} s")

    @property
    def _key(self) -> Frame:
        return self._frame(int(self.samples[-1]))


def animate_space(
    motion: Readings,
    *,
    fps: float = 25.0,
    seconds: float | None = None,
    trace: Sequence[str] | None = None,
    width: int = 700,
) -> SpaceAnimation:
    """Return the moving pictures of a motion in space: `save` writes them.

    They play in real time, a motion of less than two seconds slower, one of more than thirty faster, unless `seconds`
    says how long they play. The points `trace` ("body.point") leave their paths; by default those of the sensors of
    positions. Raises `InputError` for numbers out of range and unknown points.
    """
    model = motion.model
    points = traced(model) if trace is None else tuple(trace)
    problems = [
        Problem("trace", f"there is no point '{name}'", 'such as "rod.B"')
        for name in points
        if not _is_point(model, name)
    ]
    raise_problems(problems + film_problems(fps, seconds, width), model.name or "animation")
    span = float(motion.t[-1] - motion.t[0])
    plays = seconds or min(max(span, SHORTEST), LONGEST)
    # What ends at once stands still.
    count = frames_in(plays, fps, model.name or "animation") if span else 1
    times = motion.t[0] + span * np.arange(count) / count
    samples = np.rint(np.interp(times, motion.t, np.arange(len(motion.t)))).astype(np.intp)
    return SpaceAnimation(motion, samples, fps, points, width)


def _is_point(model: SpatialModel, name: str) -> bool:
    body, _, point = name.partition(".")
    return body in model.bodies and point in model.bodies[body].points
