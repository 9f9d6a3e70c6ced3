"""A motion as an animation: the scene is drawn once, and its artists are moved from frame to frame."""

from __future__ import annotations

import base64
import textwrap
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from io import BytesIO
from pathlib import Path
from typing import IO, TYPE_CHECKING

import numpy as np

from structkin.errors import InputError, Problem, raise_problems
from structkin.model.topology import suggest
from structkin.model.units import decimal
from structkin.numerical_tolerances import VISIBLE
from structkin.show.drawing import links_of, sized_scene
from structkin.show.files import whole_file
from structkin.show.interest import points_on_links, traced_points
from structkin.show.letters import quietly
from structkin.show.pose import path_of
from structkin.show.quantities import measures_of
from structkin.show.style import GROUND, LOOSE, link_colour, plain
from structkin.show.video import Frame, Frames, write_gif, write_mp4, write_webp
from structkin.solve import Motion
from structkin.types import Indices

if TYPE_CHECKING:
    from structkin.model import Mechanism
    from structkin.show.moving import Stage

#: The default playing time is real time, within these limits [s].
SHORTEST, LONGEST = 2.0, 30.0
#: Largest number of frames, and least and largest number per second: a GIF shows a frame for 655 s at most.
MOST_FRAMES, LEAST_RATE, MOST_RATE = 20_000, 0.01, 120.0
#: Letters in a line of a caption: the narrowest axes have room for this many to the left of the legend.
CAPTION = 58

#: The function that writes an animation, by suffix: it takes the file, the frames, a picture with all colours, the
#: frames per second, and whether it repeats.
WRITERS: dict[str, Callable[[IO[bytes], Frames, Frame, float, bool], None]] = {
    ".gif": write_gif,
    ".webp": write_webp,
    ".mp4": write_mp4,
}


class Film(ABC):
    """Moving pictures of a motion: frame k shows sample `samples[k]`, at `fps` frames per second."""

    samples: Indices
    fps: float
    width: int
    repeat: bool

    def __repr__(self) -> str:
        """Return what moves, how long, and the size of the pictures: all that they hold would fill pages."""
        name = f"{type(self).__name__} of {self._name or 'a mechanism'!r}"
        return f"<{name}: {len(self)} frames, {len(self) / self.fps:g} s, {self.width} px wide>"

    def __len__(self) -> int:
        """Return the number of frames."""
        return len(self.samples)

    def frames(self, progress: Callable[[float], None] | None = None) -> Frames:
        """Yield the frames as RGB pictures (height, width, 3), 8 bits per channel."""
        for k, sample in enumerate(self.samples.tolist()):
            yield self._frame(sample)
            if progress is not None:
                progress((k + 1) / len(self))

    def save(self, path: str | Path, *, progress: Callable[[float], None] | None = None) -> None:
        """Write a GIF, WebP or MP4 by the suffix; MP4 needs ffmpeg.

        `progress` is called with the fraction that is done, 0 to 1. Raises `InputError` for another suffix, without
        ffmpeg, for more frames per second than a GIF can play, and if the file cannot be written.
        """
        write = WRITERS[animation_format(path, self.fps)]
        with whole_file(path, "wb") as file:
            write(file, self.frames(progress), self._key, self.fps, self.repeat)

    @property
    @abstractmethod
    def _name(self) -> str:
        """The name of what moves, or none."""

    @abstractmethod
    def _frame(self, sample: int) -> Frame:
        """Return the picture of a sample."""

    @property
    @abstractmethod
    def _key(self) -> Frame:
        """A picture with all the colours that occur in any frame."""


def film_problems(fps: float, seconds: float | None, width: int) -> list[Problem]:
    """Return what is wrong with the frames per second, the playing time [s] or the width [px] of moving pictures."""
    problems = []
    if not LEAST_RATE <= fps <= MOST_RATE:
        problems.append(Problem("fps", f"{fps:g} frames per second", f"from {LEAST_RATE:g} to {MOST_RATE:g}"))
    if seconds is not None and not 0 < seconds < np.inf:
        problems.append(Problem("seconds", f"{seconds:g} is not positive", "the playing time, such as 4"))
    if not 100 <= width <= 4000:
        problems.append(Problem("width", f"{width} px", "from 100 to 4000 px"))
    return problems


def frames_in(plays: float, fps: float, source: str) -> int:
    """Return the number of frames of a playing time [s]; `InputError` if there are too many."""
    count = plays * fps
    if count > MOST_FRAMES:
        hint = f"at most {MOST_FRAMES}: give fewer seconds, or fewer frames per second"
        raise InputError([Problem("seconds", f"{plays:g} s are {count:.6g} frames", hint)], source)
    return max(round(count), 1)


@dataclass(frozen=True, repr=False)
class Animation(Film):
    """An animation of a motion."""

    motion: Motion
    samples: Indices
    fps: float
    speed: float
    trace: tuple[str, ...]
    width: int
    repeat: bool

    @property
    def seconds(self) -> float:
        """The playing time [s]."""
        return len(self) / self.fps

    @property
    def _name(self) -> str:
        return self.motion.mechanism.title

    def _frame(self, sample: int) -> Frame:
        return self._stage.frame(sample, self.caption(sample))

    def _repr_html_(self) -> str:
        """Return what a notebook shows: the animation itself."""
        file = BytesIO()
        write_webp(file, self.frames(), self._key, self.fps, self.repeat)
        data = base64.b64encode(file.getvalue()).decode("ascii")
        return f'<img alt="animation" style="max-width: 100%" src="data:image/webp;base64,{data}">'

    def caption(self, sample: int) -> tuple[str, str]:
        """Return the time, drivers and status of a sample in words, and the colour of the text."""
        from structkin.show.schematic import pose_words

        text = pose_words(self.motion, sample, measures_of(self.motion.mechanism))
        if self.speed not in (0.0, 1.0):
            slower = self.speed < 1
            text += f", {decimal(1 / self.speed if slower else self.speed, 3)} times {'slower' if slower else 'faster'}"
        return plain(
            "\n".join(textwrap.wrap(text, CAPTION, max_lines=4, placeholder=" ..."))
        ), GROUND if self.motion.ok[sample] else LOOSE

    @property
    def _key(self) -> Frame:
        sample = int(self.samples[-1])
        return self._stage.frame(sample, (self.caption(sample)[0], LOOSE))

    @cached_property
    def _stage(self) -> Stage:
        from structkin.show.moving import Stage

        motion = self.motion
        ok = motion.ok
        paths = {point: path_of(motion, point) for point in self.trace}
        scene = sized_scene(motion.mechanism, motion.structure, motion.poses, int(np.argmax(ok)), paths.values())
        carrier = links_of(motion.mechanism)
        colours = {point: link_colour(motion.structure, carrier[point]) for point in paths}
        with quietly():
            lines = max(self.caption(sample)[0].count("\n") + 1 for sample in self.samples.tolist())
            return Stage(motion, scene, paths, colours, self.samples, self.width, lines)


def animate(
    motion: Motion,
    *,
    fps: float = 25.0,
    seconds: float | None = None,
    speed: float | None = None,
    trace: Sequence[str] = (),
    width: int = 800,
    repeat: bool = True,
) -> Animation:
    """Return an animation of a motion: `save` writes it, a notebook shows it.

    It plays in real time, but a motion shorter than two seconds is slowed down and one longer than thirty is sped up.
    To choose, give its length in `seconds`, or the `speed` in seconds of motion per second. If the samples have no
    times, each gets a frame. A frame shows the sample nearest to its time: solve with at least as many samples as
    there are frames. A sample without a pose is shown as far as it is known, with the reason. The paths of the points
    `trace` are drawn (default: the points of interest, at most four); `width` is the width of a frame [px].

    Raises `InputError` for numbers out of range and for unknown points.

    >>> from structkin.show import animate
    >>> import structkin as sk
    >>> m = sk.Mechanism("Crank", points={"A": [0, 0], "B": [1, 0]}, links={"ground": ["A"], "crank": ["A", "B"]},
    ...                  drivers={"motor": {"joint": "A", "speed": "30 rpm"}})
    >>> film = animate(m.solve(samples=101), fps=10)
    >>> len(film), film.seconds, film.samples[:4].tolist()
    (20, 2.0, [0, 5, 10, 15])
    """
    m = motion.mechanism
    problems = call_problems(m, fps, seconds, speed, trace, width)
    timed = bool(len(motion) > 1 and (np.diff(motion.t) > 0).all())
    if speed is not None and not timed:
        problems.append(Problem("speed", "the samples have no increasing times", "give seconds instead"))
    if not len(motion):
        problems.append(Problem("motion", "has no samples", "solve with at least one"))
    raise_problems(problems, m.title or "animation")
    span = float(motion.t[-1] - motion.t[0]) if timed else len(motion) / fps
    plays = seconds or (span / speed if speed else min(max(span, SHORTEST), LONGEST) if timed else span)
    count = frames_in(plays, fps, m.title or "animation")
    places = np.arange(len(motion), dtype=float)
    # The last sample of a cycle equals the first and is shown once.
    share = np.linspace(0.0, 1.0, count, endpoint=not (repeat and _closes(motion)))
    at = np.interp(motion.t[0] + span * share, motion.t, places) if timed else share * (len(motion) - 1)
    samples = np.rint(at).astype(np.intp)
    if not timed and seconds is None:
        samples = np.arange(len(motion), dtype=np.intp)
    pace = span / (count / fps) if timed else 0.0
    points = traced_points(m, trace)
    return Animation(motion, samples, fps, 1.0 if abs(pace - 1) < 0.02 else pace, points, width, repeat)


def call_problems(
    m: Mechanism, fps: float, seconds: float | None, speed: float | None, trace: Sequence[str], width: int
) -> list[Problem]:
    """Return what is wrong with the arguments of `animate` for any motion of a mechanism."""
    held = points_on_links(m)
    problems = [
        Problem("trace", f"no link has a point '{point}'", suggest(point, held)) for point in trace if point not in held
    ]
    problems += film_problems(fps, seconds, width)
    if seconds is not None and speed is not None:
        problems.append(Problem("speed", "cannot be combined with seconds", "give one of them"))
    if speed is not None and not 0 < speed < np.inf:
        rate = "seconds of motion per second of playing time: 1 is real time, 0.5 half as fast"
        problems.append(Problem("speed", f"{speed:g} is not positive", rate))
    return problems


def _closes(motion: Motion) -> bool:
    """Return whether the last pose equals the first."""
    gaps = [
        abs(part[-1] - part[0]) / size
        for origin, direction in motion.poses.frames.values()
        for part, size in ((origin, motion.size), (direction, 1.0))
    ]
    return bool(np.max(gaps) < VISIBLE)


def animation_format(path: str | Path, fps: float = 0.0, others: Sequence[str] = ()) -> str:
    """Return the suffix of an animation's path; `InputError` unless it can be written.

    `others` are suffixes that the caller writes itself.

    >>> animation_format("crank.GIF")
    '.gif'
    """
    suffix = Path(path).suffix.lower()
    problem = None
    if suffix not in WRITERS:
        found = f"'{suffix}' is not an animation format" if suffix else "the name has no suffix"
        page = "; `Mechanism.report` writes an animated page" if suffix == ".html" else ""
        problem = Problem(str(path), found, f"use {', '.join((*WRITERS, *others))}{page}")
    elif suffix == ".gif" and fps > 50:
        problem = Problem("fps", f"a GIF plays at most 50 frames per second, not {fps:g}", "use .webp or .mp4")
    elif suffix == ".mp4":
        from structkin.show.video import ffmpeg

        ffmpeg()
    if problem is not None:
        raise InputError([problem], "output")
    return suffix
