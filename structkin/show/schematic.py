"""The kinematic diagram of a mechanism in one pose, with the paths of its points."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from structkin.errors import InputError, Problem
from structkin.kinematics import Motion, structure_of
from structkin.model.mechanism import Mechanism
from structkin.model.topology import suggest
from structkin.model.units import Units
from structkin.show.drawing import Drawing
from structkin.show.interest import points_of_interest
from structkin.show.labels import Label, place_labels, root_figure
from structkin.show.letters import legible
from structkin.show.measures import Measures, driver_quantity, measures_of
from structkin.show.pose import Path, Pose, motion_pose, path_of, sketch_pose
from structkin.show.schematic_layout import add_legend, dress, empty_figure, extent, symbol_size
from structkin.show.style import GROUND, LARGE, SMALL, group_label, plain
from structkin.show.symbols import Pen
from structkin.structure import KinematicStructure

#: Points traced if nobody says which.
MOST_TRACED = 4


@legible
def draw_schematic(
    mechanism: Mechanism,
    *,
    motion: Motion | None = None,
    sample: int | None = None,
    structure: KinematicStructure | None = None,
    trace: Sequence[str] = (),
    ax: Axes | None = None,
    units: Units | None = None,
) -> Figure:
    """Draw a mechanism in the field's symbols, its links coloured by structural group.

    Without a motion it stands as sketched; with one it stands as at a sample (default: the first that is ok), and the
    points `trace` leave their path (default: the points of interest, at most four), with gaps where samples have no
    pose. The axes are in the file's unit of length, or in that of `units`. Returns the figure, a new one unless axes
    `ax` are given.

    Raises `InputError` for unknown points, a sample that is not there, or a motion of another mechanism.
    """
    _check(mechanism, motion, trace)
    measures = measures_of(mechanism, units)
    scale = measures.size("length")
    if structure is None:
        structure = motion.structure if motion is not None else structure_of(mechanism)
    if sample is None:
        sample = int(np.argmax(motion.ok)) if motion is not None else 0
    pose = motion_pose(motion, sample, scale) if motion is not None else sketch_pose(mechanism, scale)
    paths: dict[str, Path] = {}
    if motion is not None:
        traced = trace or points_of_interest(mechanism)[:MOST_TRACED]
        paths = {point: path_of(motion, point, scale) for point in traced}
    low, high = extent(mechanism, pose, paths)
    wide = (high - low).real > 1.35 * (high - low).imag
    own = ax is None
    if ax is None:
        letters = max([len(group_label(group)) for group in structure.groups], default=0)
        ax = empty_figure(low, high, wide, letters).add_subplot()
    drawing = Drawing(mechanism, structure, pose, paths, Pen(ax, symbol_size(mechanism, low, high, scale)))
    labels = drawing.draw()
    dress(ax, measures)
    note = _caption(mechanism, motion, sample, measures)
    note = textwrap.fill(note, 80)
    pad = 8 + 12 * len(note.splitlines())
    ax.set_title(plain(mechanism.title or "Mechanism"), fontsize=LARGE, loc="left", pad=pad)
    ax.annotate(plain(note), (0, 1), (0, 5), "axes fraction", "offset points", fontsize=SMALL, color=GROUND)
    add_legend(ax, drawing, own, wide)
    place_labels(ax, labels)
    return root_figure(ax)


def draw_pose(
    ax: Axes, mechanism: Mechanism, structure: KinematicStructure, pose: Pose, low: complex, high: complex
) -> list[Label]:
    """Draw one pose on axes that show `low` to `high`, without names, and return what names it has."""
    pen = Pen(ax, symbol_size(mechanism, low, high, pose.scale))
    return Drawing(mechanism, structure, pose, {}, pen).draw()


def _check(mechanism: Mechanism, motion: Motion | None, trace: Sequence[str]) -> None:
    held = {point for link in mechanism.links.values() for point in link.local}
    problems = [
        Problem("trace", f"no link has a point '{point}'", suggest(point, held)) for point in trace if point not in held
    ]
    if motion is not None and motion.mechanism is not mechanism:
        other = motion.mechanism
        if set(other.links) != set(mechanism.links) or set(other.places) != set(mechanism.places):
            problems.append(Problem("motion", "is that of another mechanism", "pass motion.mechanism"))
    if problems:
        raise InputError(problems, mechanism.title or "picture")


def _caption(mechanism: Mechanism, motion: Motion | None, sample: int, measures: Measures) -> str:
    """Return what pose is drawn, in words."""
    if motion is None:
        return "as sketched"
    parts = []
    if np.isfinite(motion.t[sample]):
        parts.append(f"t = {motion.t[sample]:.4g} s")
    for id, values in motion.drivers.items():
        quantity = driver_quantity(mechanism, id)
        parts.append(f"{id} = {values[0, sample] / measures.size(quantity):.4g} {measures.pretty(quantity)}")
    if not motion.ok[sample]:
        status = next(status for part, status, _ in motion.outcomes() if part.start <= sample % len(motion) < part.stop)
        group = int(motion.failed_group[sample])
        parts.append(f"{status.words} at {motion.group_name(group)}" if group >= 0 else status.words)
    bad = int((~motion.ok).sum())
    if bad:
        parts.append(f"{bad} of {len(motion)} samples not ok")
    if len(parts) > 5:
        parts = [*parts[:4], "..."]
    return ", ".join(parts)
