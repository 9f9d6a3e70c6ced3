"""The kinematic diagram of a mechanism in one pose, with the paths of its points."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from structkin.errors import InputError, Problem
from structkin.joints.cam import Cam
from structkin.joints.curve_slot import CurveSlot
from structkin.joints.geneva import Geneva
from structkin.joints.guide import Guide
from structkin.joints.turn_coupling import TurnCoupling
from structkin.model.mechanism import Mechanism
from structkin.model.topology import suggest
from structkin.model.units import Units
from structkin.show.drawing import Drawing
from structkin.show.interest import points_of_interest
from structkin.show.labels import Label, place_labels, root_figure
from structkin.show.letters import legible
from structkin.show.measures import Measures, driver_quantity, measures_of
from structkin.show.pose import Path, Pose, motion_pose, path_of, profile_of, sketch_pose, slot_of, wheel_of
from structkin.show.style import (
    GROUND,
    LARGE,
    LOOSE,
    NORMAL,
    SMALL,
    dress,
    group_colour,
    group_label,
    listed,
    new_figure,
    plain,
)
from structkin.show.symbols import Pen
from structkin.show.wheels import extent as mesh_extent
from structkin.solve import Motion, structure_of
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
        ax = _empty_figure(low, high, wide, letters).add_subplot()
    drawing = Drawing(mechanism, structure, pose, paths, Pen(ax, _symbol_size(mechanism, low, high, scale)))
    labels = drawing.draw()
    _scale(ax, measures)
    note = _caption(mechanism, motion, sample, measures)
    note = textwrap.fill(note, 80)
    pad = 8 + 12 * len(note.splitlines())
    ax.set_title(plain(mechanism.title or "Mechanism"), fontsize=LARGE, loc="left", pad=pad)
    ax.annotate(plain(note), (0, 1), (0, 5), "axes fraction", "offset points", fontsize=SMALL, color=GROUND)
    _add_legend(ax, drawing, own, wide)
    place_labels(ax, labels)
    return root_figure(ax)


def draw_pose(
    ax: Axes, mechanism: Mechanism, structure: KinematicStructure, pose: Pose, low: complex, high: complex
) -> list[Label]:
    """Draw one pose on axes that show `low` to `high`, without names, and return what names it has."""
    pen = Pen(ax, _symbol_size(mechanism, low, high, pose.scale))
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


# --- room, axes and legend -------------------------------------------------------------------------------


def extent(mechanism: Mechanism, pose: Pose, paths: Mapping[str, Path]) -> tuple[complex, complex]:
    """Return the lower left and upper right corner of all that is drawn; never empty."""
    parts = [np.array(list(pose.points.values())), *paths.values()]
    for guide in mechanism.joints.of(Guide).values():
        parts.append(np.array([pose.block(guide), *pose.way(guide)]))
    parts += [mesh_extent(pose, mesh) for mesh in mechanism.joints.of(TurnCoupling).values()]
    parts += [profile_of(pose, cam) for cam in mechanism.joints.of(Cam).values()]
    parts += [slot_of(pose, slot) for slot in mechanism.joints.of(CurveSlot).values()]
    parts += [wheel_of(pose, mechanism, geneva) for geneva in mechanism.joints.of(Geneva).values()]
    z = np.concatenate(parts)
    z = z[np.isfinite(z)]
    if not len(z):
        return 0j, 1 + 1j
    low, high = complex(z.real.min(), z.imag.min()), complex(z.real.max(), z.imag.max())
    return (low, high) if high != low else (low - 0.5 - 0.5j, high + 0.5 + 0.5j)


def _symbol_size(mechanism: Mechanism, low: complex, high: complex, scale: float) -> float:
    """Return the unit of the symbols: a part of the picture, less where links are short."""
    size = max((high - low).real, (high - low).imag)
    bars = [abs(place) / scale for link in mechanism.links.values() for place in link.local.values() if abs(place) > 0]
    typical = float(np.median(bars)) if bars else size
    return float(np.clip(0.12 * typical, size / 110, size / 42))


def _empty_figure(low: complex, high: complex, wide: bool, letters: int) -> Figure:
    """Return an empty figure that suits what is drawn: with room for a legend below a wide one, else at its right."""
    ratio = float(np.clip((high - low).real / max((high - low).imag, 1e-9 * (high - low).real), 0.45, 2.4))
    if wide:
        return new_figure(9.0, 7.6 / ratio + 2.2)
    legend = 0.8 + 0.075 * min(letters, 40)
    return new_figure(max(5.6 * ratio, 4.0) + 0.8 + legend, 6.6)


def _scale(ax: Axes, measures: Measures) -> None:
    """Give axes equal scales, a grid and their unit of length."""
    ax.set_aspect("equal", adjustable="datalim")
    ax.margins(0.06)
    dress(ax)
    ax.set_xlabel(f"x [{measures.pretty('length')}]", fontsize=NORMAL)
    ax.set_ylabel(f"y [{measures.pretty('length')}]", fontsize=NORMAL)


def _add_legend(ax: Axes, drawing: Drawing, own: bool, wide: bool) -> None:
    """Tell groups, loose links and paths by their colours: below a wide picture of its `own` figure, else beside it."""
    handles = []
    for group in drawing.structure.groups:
        colour = group_colour(group.index)
        handles.append(Line2D([], [], color=colour, linewidth=4, label=plain(group_label(group, 40))))
    loose = [*drawing.structure.under, *drawing.structure.held]
    if loose:
        text = plain(f"not determined: {listed(loose)}")
        handles.append(Line2D([], [], color=LOOSE, linewidth=3, linestyle=(0, (2.0, 1.5)), label=text))
    for point in (point for point, path in drawing.paths.items() if np.isfinite(path).any()):
        colour = drawing.colour(drawing.link_of(point))
        handles.append(Line2D([], [], color=colour, linewidth=1.3, label=plain(f"path of {point}")))
    if not handles:
        return
    style: dict[str, Any] = {"handles": handles, "fontsize": SMALL, "frameon": False}
    if not own:
        ax.legend(loc="upper left", bbox_to_anchor=(1.01, 1.0), **style)
    elif wide:
        root_figure(ax).legend(loc="outside lower center", ncols=min(len(handles), 3), **style)
    else:
        root_figure(ax).legend(loc="outside right upper", **style)
