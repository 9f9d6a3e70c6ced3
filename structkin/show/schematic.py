"""The kinematic diagram of a mechanism in one pose, with the paths of its points."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from structkin.errors import InputError, Problem, raise_problems
from structkin.joints.pair import Poses
from structkin.model.mechanism import Mechanism
from structkin.model.topology import suggest
from structkin.model.units import Units, decimal
from structkin.numerical_tolerances import NEGLIGIBLE
from structkin.plan.status import Status
from structkin.show.artists import draw_path, draw_scene
from structkin.show.drawing import bounds, links_of, scene_of, symbol_size
from structkin.show.fitting import SIDE, fitting_legend, lines_that_fit, room_above
from structkin.show.interest import points_on_links, traced_points
from structkin.show.labels import place_labels, root_figure
from structkin.show.letters import legible
from structkin.show.pose import path_of, sketch_poses
from structkin.show.quantities import Measures, measures_of
from structkin.show.scene import Placing
from structkin.show.style import (
    GROUND,
    LARGE,
    LOOSE,
    SMALL,
    dress,
    group_colour,
    group_label,
    link_colour,
    listed,
    new_figure,
    plain,
)
from structkin.show.symbols import DASHED
from structkin.solve import Motion, structure_of
from structkin.structure import KinematicStructure
from structkin.types import Complexes

#: The most groups that the legend names.
MOST_KEYS = 30
#: Height [in] that `empty_figure` leaves for a legend below a wide picture.
BELOW = 1.1


@legible
def draw_schematic(
    mechanism: Mechanism,
    *,
    motion: Motion | None = None,
    sample: int | None = None,
    structure: KinematicStructure | None = None,
    groups: bool = True,
    trace: Sequence[str] = (),
    paths: Motion | None = None,
    ax: Axes | None = None,
    units: Units | None = None,
) -> Figure:
    """Draw the kinematic diagram of a mechanism, its links coloured by structural group.

    Without a motion it is drawn as sketched; with a motion, in the pose of a sample (default: the first that is ok),
    with the paths of the points `trace` (default: the points of interest, at most four), which have gaps where samples
    have no pose; the paths may be those of another motion, `paths`. The axes are in the file's unit of length, or in
    that of `units`. With `groups=False` every link has the same colour and the legend names no group, for exercises.
    Returns the figure, a new one unless axes `ax` are given.

    Raises `InputError` for unknown points, a sample that does not exist, or the motion of another mechanism.
    """
    _check(mechanism, {"motion": motion, "paths": paths}, trace)
    measures = measures_of(mechanism, units)
    scale = measures.size("length")
    if not groups:
        structure = None
    elif structure is None:
        structure = motion.structure if motion is not None else structure_of(mechanism)
    if sample is None:
        sample = int(np.argmax(motion.ok)) if motion is not None else 0
    poses = _poses(motion, sample) if motion is not None else sketch_poses(mechanism)
    ways: dict[str, Complexes] = {}
    paths = paths or motion
    if paths is not None:
        traced = traced_points(mechanism, trace)
        ways = {point: path_of(paths, point) for point in traced}
    low, high = bounds(mechanism, structure, poses, sample, ways.values())
    wide = (high - low).real > 1.35 * (high - low).imag
    own = ax is None
    if ax is None:
        letters = max([len(group_label(group)) for group in structure.groups], default=0) if structure else 0
        ax = empty_figure(low, high, wide, letters).add_subplot()
    carrier = links_of(mechanism)
    colours = {point: link_colour(structure, carrier[point]) for point in ways}
    for point, path in ways.items():
        draw_path(ax, path / scale, point, colours[point])
    scene = scene_of(mechanism, structure, poses, symbol_size(mechanism, low, high))
    labels = draw_scene(ax, scene, Placing(poses, scale), sample)
    scale_axes(ax, measures)
    # one place is no path
    shown = {point: colours[point] for point, path in ways.items() if np.isfinite(path).sum() > 1}
    add_legend(ax, structure, shown, own, wide)
    note = lines_that_fit(_caption(motion, sample, measures), room_above(ax), SMALL)
    title_above(ax, mechanism.title or "Mechanism", len(note))
    text = plain("\n".join(note))
    ax.annotate(text, (0, 1), (0, 5), "axes fraction", "offset points", fontsize=SMALL, color=GROUND)
    place_labels(ax, labels)
    return root_figure(ax)


def _poses(motion: Motion, sample: int) -> Poses:
    """Return the poses of a motion; `InputError` if there is no such sample."""
    if not -len(motion) <= sample < len(motion):
        raise InputError([Problem("sample", f"there is no sample {sample}", f"0 to {len(motion) - 1}")], "picture")
    return motion.poses


def _check(mechanism: Mechanism, motions: Mapping[str, Motion | None], trace: Sequence[str]) -> None:
    held = points_on_links(mechanism)
    problems = [
        Problem("trace", f"no link has a point '{point}'", suggest(point, held)) for point in trace if point not in held
    ]
    for name, motion in motions.items():
        if motion is not None and motion.mechanism is not mechanism:
            other = motion.mechanism
            if set(other.links) != set(mechanism.links) or set(other.places) != set(mechanism.places):
                problems.append(Problem(name, "belongs to another mechanism", f"pass {name}.mechanism"))
    raise_problems(problems, mechanism.title or "picture")


def _caption(motion: Motion | None, sample: int, measures: Measures) -> str:
    """Return in words which pose is drawn."""
    if motion is None:
        return "as sketched"
    text = pose_words(motion, sample, measures)
    bad = int((~motion.ok).sum())
    return f"{text}, {bad} of {len(motion)} samples not ok" if bad else text


def pose_words(motion: Motion, sample: int, measures: Measures) -> str:
    """Return the time, drivers and status of a sample in words; of many drivers only the first."""
    parts = []
    if np.isfinite(motion.t[sample]):
        parts.append(f"t = {decimal(motion.t[sample], 4)} s")
    for id, values in motion.drivers.items():
        quantity = motion.mechanism.drivers[id].quantity
        # A value that passes zero is shown as 0, not as a rounding error.
        value = values[0, sample] if abs(values[0, sample]) > NEGLIGIBLE * np.nanmax(np.abs(values[0])) else 0.0
        parts.append(f"{id} = {decimal(value / measures.size(quantity), 4)} {measures.pretty(quantity)}")
    if len(parts) > 5:
        parts = [*parts[:4], "..."]
    status, group = Status(int(motion.status[sample])), int(motion.failed_group[sample])
    if status != Status.OK:
        parts.append(f"{status.words} at {motion.group_name(group)}" if group >= 0 else status.words)
    return ", ".join(parts)


# --- room, axes and legend -------------------------------------------------------------------------------


def empty_figure(low: complex, high: complex, wide: bool, letters: int) -> Figure:
    """Return an empty figure that suits the extent, with room for a legend below a wide picture, else at its right."""
    ratio = float(np.clip((high - low).real / max((high - low).imag, NEGLIGIBLE * (high - low).real), 0.45, 2.4))
    if wide:
        return new_figure(9.0, 7.6 / ratio + (1.1 + BELOW))
    legend = 0.8 + 0.075 * min(letters, 40)
    return new_figure(max(5.6 * ratio, 4.0) + 0.8 + legend, 6.6)


def scale_axes(ax: Axes, measures: Measures) -> None:
    """Give axes equal scales, a grid and their unit of length."""
    ax.set_aspect("equal", adjustable="datalim")
    ax.margins(0.06)
    dress(ax, x=f"x [{measures.pretty('length')}]", y=f"y [{measures.pretty('length')}]")


def title_above(ax: Axes, title: str, lines: int) -> None:
    """Write a title as wide as the axes, above a note of so many lines."""
    words = lines_that_fit(title, room_above(ax), LARGE)
    ax.set_title(plain("\n".join(words)), fontsize=LARGE, loc="left", pad=8 + 12 * lines)


def add_legend(ax: Axes, structure: KinematicStructure | None, paths: Mapping[str, str], own: bool, wide: bool) -> None:
    """Add a legend of groups, loose links and paths: below a wide picture in its `own` figure, else next to it.

    A figure of its own grows by what a long legend needs, so that the mechanism keeps its room.
    """
    handles = []
    groups = structure.groups if structure else ()
    for group in groups[:MOST_KEYS]:
        colour = group_colour(group.index)
        handles.append(Line2D([], [], color=colour, linewidth=4, label=_entry(group_label(group))))
    if len(groups) > MOST_KEYS:
        handles.append(Line2D([], [], alpha=0.0, label=f"... and {len(groups) - MOST_KEYS} more"))
    loose = [*structure.under, *structure.held] if structure else []
    if loose:
        text = _entry(f"not determined: {listed(loose)}")
        handles.append(Line2D([], [], color=LOOSE, linewidth=3, linestyle=(0, DASHED), label=text))
    for point, colour in paths.items():
        handles.append(Line2D([], [], color=colour, linewidth=1.3, label=_entry(f"path of {point}")))
    if not handles:
        return
    style: dict[str, Any] = {"handles": handles, "fontsize": SMALL, "frameon": False}
    figure = root_figure(ax)
    if not own:
        ax.legend(loc="upper left", bbox_to_anchor=(1.01, 1.0), **style)
        return
    if wide:
        room = figure.bbox.width - 2 * SIDE * figure.dpi
        legend = fitting_legend(figure.legend, handles, room, min(len(handles), 3), loc="outside lower center")
    else:
        legend = figure.legend(loc="outside right upper", **style)
    beyond = legend.get_window_extent().height / figure.dpi - (BELOW if wide else figure.get_figheight() - 2 * SIDE)
    figure.set_figheight(figure.get_figheight() + max(beyond, 0.0))


def _entry(text: str) -> str:
    """Return an entry of the legend in lines of up to 40 letters."""
    return plain(textwrap.fill(text, 40, subsequent_indent="   "))
