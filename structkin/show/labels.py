"""Placing names next to their points, where they cover nothing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Circle
from matplotlib.patheffects import withStroke
from matplotlib.text import Annotation

from structkin.numerical_tolerances import NEGLIGIBLE
from structkin.show.style import plain
from structkin.types import Floats

#: Distances of a name from its point that are tried [pt], each in 16 directions starting at the upper right.
_DISTANCES = np.repeat([6.0, 9.0, 13.0, 18.0, 25.0], 16)
_TURNS = np.tile(np.arange(16), 5)
#: For each candidate: its direction from the point, its offset [pt], and its cost without any obstacle.
_SIDES = np.stack((np.cos(2 * np.pi * (_TURNS + 2) / 16), np.sin(2 * np.pi * (_TURNS + 2) / 16)), axis=1)
_OFFSETS = _DISTANCES[:, None] * _SIDES
_BASE = 0.25 * _DISTANCES + 0.02 * _TURNS

#: Largest number of vertices of a line that are considered; a longer path is thinned.
_MOST = 1500


@dataclass(frozen=True)
class Label:
    """A name and its place (complex, in units of the picture)."""

    text: str
    place: complex
    colour: str = "black"
    size: float = 9.0
    style: str = "normal"


@dataclass(frozen=True)
class _Scene:
    """Obstacles (m, 2) with weights (m,), the anchors, the frame of the axes, all in pixels; and pixels per point."""

    obstacles: Floats
    weights: Floats
    anchors: Floats
    frame: tuple[float, float, float, float]
    pixels: float


def place_labels(ax: Axes, labels: Sequence[Label]) -> list[Annotation]:
    """Write the labels near their places, clear of lines, shapes and each other as far as space allows."""
    labels = [label for label in labels if np.isfinite(label.place)]
    notes = [_note(ax, label) for label in labels]
    if not notes:
        return notes
    settle(ax)
    pixels = root_figure(ax).dpi / 72
    anchors = ax.transData.transform([[label.place.real, label.place.imag] for label in labels])
    scene = _Scene(*_obstacles(ax), anchors, ax.bbox.extents, pixels)
    boxes = [note.get_window_extent() for note in notes]
    sizes = np.array([(box.width + 2 * pixels, box.height + pixels) for box in boxes])
    centres = anchors.copy()
    placed = np.zeros(len(notes), dtype=np.bool_)
    for _ in range(2):  # in the second pass every label takes all the others into account
        for k in range(len(notes)):
            placed[k] = False
            centres[k] = _best(scene, k, sizes[k], centres[placed], sizes[placed])
            placed[k] = True
    for note, centre, anchor in zip(notes, centres, anchors, strict=True):
        note.set_position(tuple((centre - anchor) / pixels))
    return notes


def settle(ax: Axes) -> None:
    """Lay out the figure, so that the pixels of places on the axes are final."""
    figure = root_figure(ax)
    engine = figure.get_layout_engine()
    if engine is not None:
        engine.execute(figure)
    ax.apply_aspect()


def root_figure(ax: Axes) -> Figure:
    """Return the figure that holds the axes, looking through subfigures."""
    figure = ax.figure
    while not isinstance(figure, Figure):
        figure = figure.figure
    return figure


def _note(ax: Axes, label: Label) -> Annotation:
    note = ax.annotate(
        plain(label.text),
        (label.place.real, label.place.imag),
        xytext=(0, 0),
        textcoords="offset points",
        ha="center",
        va="center",
        color=label.colour,
        fontsize=label.size,
        fontstyle=label.style,
        annotation_clip=False,
        zorder=10,
        path_effects=[withStroke(linewidth=2.0, foreground="white")],
    )
    note.set_in_layout(False)
    note.set_gid(f"label:{label.text}")
    return note


def _best(scene: _Scene, k: int, size: Floats, others: Floats, other_sizes: Floats) -> Floats:
    """Return the centre of least cost for label k, with the others in their present places."""
    anchor = scene.anchors[k]
    shifts = _OFFSETS * scene.pixels + _SIDES * size / 2
    centres = anchor + shifts
    near = np.all(np.abs(scene.obstacles - anchor) < np.max(np.abs(shifts), axis=0) + size, axis=1)
    covered = np.abs(scene.obstacles[near] - centres[:, None]) < size / 2
    cost = _BASE + covered.all(axis=2) @ scene.weights[near]
    overlap = np.min((size + other_sizes) / 2 - np.abs(others - centres[:, None]), axis=2, initial=np.inf)
    cost += np.sum(np.where(overlap > 0, 30.0 + overlap, 0.0), axis=1)
    x0, y0, x1, y1 = scene.frame
    beyond = (centres - size / 2 < (x0, y0)) | (centres + size / 2 > (x1, y1))
    cost += 20.0 * beyond.sum(axis=1)
    # it must be obvious to which point a name belongs
    distances = np.hypot(*np.moveaxis((scene.anchors - centres[:, None]) / size, 2, 0))
    cost += 6.0 * np.sum(distances < distances[:, [k]] * (1 - NEGLIGIBLE), axis=1)
    return np.asarray(centres[np.argmin(cost)])


def _obstacles(ax: Axes) -> tuple[Floats, Floats]:
    """Return points along everything drawn on the axes [px], about 2 px apart, and the cost of covering each."""
    step = 2.0
    points, weights = [np.empty((0, 2))], [np.empty(0)]
    for line in ax.lines:
        xy = ax.transData.transform(np.asarray(line.get_xydata(), dtype=float))
        points.append(dense(xy[:: len(xy) // _MOST + 1], step))
        weights.append(np.full(len(points[-1]), _weight(line)))
    for patch in ax.patches:
        for polygon in patch.get_path().to_polygons(patch.get_transform()):
            points.append(dense(np.asarray(polygon), step))
            # Circles are pins and points: a name over one is hard to read.
            weights.append(np.full(len(points[-1]), 4.0 if isinstance(patch, Circle) else 1.0))
    return np.concatenate(points), np.concatenate(weights)


def _weight(line: Line2D) -> float:
    gid = line.get_gid() or ""
    return 0.5 if gid.startswith(("path:", "hatching:")) else 1.0


def dense(xy: Floats, step: float) -> Floats:
    """Return the vertices of a polyline (n, 2) and points between them, at most `step` apart; NaN breaks the line."""
    parts = [xy[np.isfinite(xy).all(axis=1)]]
    for a, b in pairwise(xy):
        length = float(np.hypot(*(b - a)))
        if np.isfinite(length) and length > step:
            share = np.arange(step, length, step) / length
            parts.append(a + share[:, None] * (b - a))
    return np.concatenate(parts)
