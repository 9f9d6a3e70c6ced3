"""Names beside their points, where they cover nothing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patheffects import withStroke
from matplotlib.text import Annotation
from numpy.typing import NDArray

from structkin.show.style import plain

Floats = NDArray[np.float64]

#: Distances of a name from its point that are tried [pt], and the directions.
_DISTANCES = (6.0, 9.0, 13.0, 18.0, 25.0)
_DIRECTIONS = np.exp(2j * np.pi * (np.arange(16) / 16 + 1 / 8))

#: Vertices of one line that are looked at; a long path is thinned.
_MOST = 1500


@dataclass(frozen=True)
class Label:
    """A name for a place (complex, in units of the picture)."""

    text: str
    place: complex
    colour: str = "black"
    size: float = 9.0
    style: str = "normal"


@dataclass(frozen=True)
class _Scene:
    """All in pixels: obstacles (m,) with weights, the anchors, the frame of the axes."""

    obstacles: Floats
    weights: Floats
    anchors: Floats
    frame: tuple[float, float, float, float]
    pixels: float


def place_labels(ax: Axes, labels: Sequence[Label]) -> list[Annotation]:
    """Write the labels near their places, clear of lines, shapes and each other as far as there is room."""
    labels = [label for label in labels if np.isfinite(label.place)]
    notes = [_note(ax, label) for label in labels]
    if not notes:
        return notes
    figure = root_figure(ax)
    figure.draw_without_rendering()  # sizes are known only now
    pixels = figure.dpi / 72
    anchors = ax.transData.transform([[label.place.real, label.place.imag] for label in labels])
    scene = _Scene(*_obstacles(ax), anchors, ax.bbox.extents, pixels)
    sizes = []
    for note in notes:
        box = note.get_window_extent()
        sizes.append((box.width + 2 * pixels, box.height + pixels))
    centres = anchors.copy()
    placed = np.zeros(len(notes), dtype=np.bool_)
    for _ in range(2):  # the second time round each knows all the others
        for k in range(len(notes)):
            placed[k] = False
            others = [(centres[j], sizes[j]) for j in np.flatnonzero(placed)]
            centres[k] = _best(scene, k, sizes[k], others)
            placed[k] = True
    for note, centre, anchor in zip(notes, centres, anchors, strict=True):
        note.set_position(tuple((centre - anchor) / pixels))
    return notes


def root_figure(ax: Axes) -> Figure:
    """Return the figure that holds the axes, subfigures passed by."""
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


def _best(scene: _Scene, k: int, size: tuple[float, float], others: Sequence[tuple[Floats, tuple[float, float]]]) -> Floats:
    """Return the centre of least cost for label k."""
    width, height = size
    near = _near(scene, scene.anchors[k], 2 * max(width, height) + 60 * scene.pixels)
    best, least = scene.anchors[k], np.inf
    for distance in _DISTANCES:
        for turn, direction in enumerate(_DIRECTIONS.tolist()):
            shift = direction * distance * scene.pixels
            # the box touches the circle round the point; beside it, it may move along
            centre = scene.anchors[k] + np.array(
                [shift.real + direction.real * width / 2, shift.imag + direction.imag * height / 2]
            )
            cost = 0.35 * distance + 0.02 * turn + _cost(scene, k, centre, size, near, others)
            if cost < least:
                best, least = centre, cost
    return np.asarray(best)


def _near(scene: _Scene, anchor: Floats, reach: float) -> NDArray[np.intp]:
    return np.flatnonzero(np.max(np.abs(scene.obstacles - anchor), axis=1) < reach)


def _cost(
    scene: _Scene,
    k: int,
    centre: Floats,
    size: tuple[float, float],
    near: NDArray[np.intp],
    others: Sequence[tuple[Floats, tuple[float, float]]],
) -> float:
    half = np.array(size) / 2
    inside = np.all(np.abs(scene.obstacles[near] - centre) < half, axis=1)
    cost = float(scene.weights[near][inside].sum())
    for place, (width, height) in others:
        overlap = half + np.array([width, height]) / 2 - np.abs(place - centre)
        if overlap.min() > 0:
            cost += 30.0 + float(overlap.min())
    low, high = centre - half, centre + half
    x0, y0, x1, y1 = scene.frame
    cost += 20.0 * ((low[0] < x0) + (low[1] < y0) + (high[0] > x1) + (high[1] > y1))
    distances = np.hypot(*((scene.anchors - centre) / half).T)
    cost += 3.0 * float(np.sum(distances < distances[k] * (1 - 1e-9)))
    return cost


def _obstacles(ax: Axes) -> tuple[Floats, Floats]:
    """Return points along everything drawn on the axes [px], about 4 px apart, and how bad it is to cover them."""
    step = 4.0
    points, weights = [np.empty((0, 2))], [np.empty(0)]
    for line in ax.lines:
        xy = ax.transData.transform(np.asarray(line.get_xydata(), dtype=float))
        points.append(_dense(xy[:: len(xy) // _MOST + 1], step))
        weights.append(np.full(len(points[-1]), _weight(line)))
    for patch in ax.patches:
        for polygon in patch.get_path().to_polygons(patch.get_transform()):
            points.append(_dense(np.asarray(polygon), step))
            weights.append(np.full(len(points[-1]), 1.0))
    return np.concatenate(points), np.concatenate(weights)


def _weight(line: Line2D) -> float:
    gid = line.get_gid() or ""
    return 0.5 if gid.startswith(("path:", "hatching:")) else 1.0


def _dense(xy: Floats, step: float) -> Floats:
    parts = [xy[np.isfinite(xy).all(axis=1)]]
    for a, b in zip(xy[:-1], xy[1:], strict=True):
        length = float(np.hypot(*(b - a)))
        if np.isfinite(length) and length > step:
            share = np.arange(step, length, step) / length
            parts.append(a + share[:, None] * (b - a))
    return np.concatenate(parts)
