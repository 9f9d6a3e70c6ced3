"""A scene in matplotlib: one artist per shape, drawn in one pose and moved to others."""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from matplotlib.patches import Circle, Polygon

from structkin.show.labels import Label
from structkin.show.scene import Placing, Scene, Shape
from structkin.show.style import NORMAL, SMALL
from structkin.show.symbols import PATH
from structkin.types import Complexes


def draw_scene(ax: Axes, scene: Scene, placing: Placing, k: int) -> list[Label]:
    """Draw the shapes of a scene that are known in pose k, and return its labels."""
    for shape in scene.shapes:
        if placing.known(shape.frame)[k]:
            add_artist(ax, shape, placing, k)
    size = NORMAL if len(scene.names) <= 30 else SMALL - 1
    return [
        Label(name.text, complex(placing.of(name.frame, name.z, k)), name.colour, size, name.style)
        for name in scene.names
        if placing.known(name.frame)[k]
    ]


def draw_path(ax: Axes, path: Complexes, point: str, colour: str) -> Line2D:
    """Draw the path of a point, in units of the picture."""
    [line] = ax.plot(
        path.real, path.imag, color=colour, linewidth=1.3, zorder=PATH, alpha=0.9, solid_capstyle="round",
        gid=f"path:{point}",
    )  # fmt: skip
    return line


def add_artist(ax: Axes, shape: Shape, placing: Placing, k: int) -> Artist:
    """Add the artist of a shape in pose k to the axes, and return it."""
    z = placing.of(shape.frame, shape.z, k)
    style: dict[str, Any] = {"linewidth": shape.width, "linestyle": (0, shape.dash) if shape.dash else "-"}
    artist: Artist
    if not shape.closed:
        [artist] = ax.plot(z.real, z.imag, color=shape.stroke, solid_capstyle="round", zorder=shape.layer, **style)
    else:
        style |= {"facecolor": shape.fill or "none", "edgecolor": shape.stroke, "zorder": shape.layer}
        if shape.radius is not None:
            artist = Circle((z[0].real, z[0].imag), shape.radius / placing.scale, **style)
        else:
            artist = Polygon(np.stack((z.real, z.imag), axis=1), closed=True, joinstyle="round", **style)
        ax.add_patch(artist)
    artist.set_gid(shape.id)
    return artist


def move(artist: Artist, shape: Shape, placing: Placing, k: int) -> None:
    """Move the artist of a shape to pose k, or hide it if that pose is not known."""
    known = bool(placing.known(shape.frame)[k])
    artist.set_visible(known)
    if not known:
        return
    z = placing.of(shape.frame, shape.z, k)
    if isinstance(artist, Line2D):
        artist.set_data(z.real, z.imag)
    elif isinstance(artist, Circle):
        artist.set_center((z[0].real, z[0].imag))
    elif isinstance(artist, Polygon):
        artist.set_xy(np.stack((z.real, z.imag), axis=1))
