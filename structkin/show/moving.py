"""Fast frames of an animation: the fixed parts of a scene are drawn once, the moving parts in every frame."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

import numpy as np
from matplotlib.artist import Artist
from matplotlib.patheffects import withStroke
from numpy.typing import NDArray

from structkin.show.artists import add_artist, draw_path, move
from structkin.show.quantities import measures_of
from structkin.show.scene import Placing, Scene, Shape, outer
from structkin.show.schematic import add_legend, empty_figure, scale_axes, title_above
from structkin.show.style import NORMAL, SMALL, group_label, plain
from structkin.solve import Motion
from structkin.types import Complexes, Indices

#: Largest number of poses from which the extent of a motion is computed.
EXTENT_POSES = 120


class Stage:
    """The artists of a scene on a figure that keeps its axes while they move."""

    def __init__(
        self, motion: Motion, scene: Scene, paths: Mapping[str, Complexes], colours: Mapping[str, str],
        samples: Indices, width: int, lines: int,
    ) -> None:  # fmt: skip
        """Draw the fixed parts, and create artists for the moving parts; captions have at most `lines` lines."""
        measures = measures_of(motion.mechanism)
        self.placing = placing = Placing(motion.poses, measures.size("length"))
        self.paths = {point: path / placing.scale for point, path in paths.items()}
        some = np.unique(samples[:: -(-len(samples) // EXTENT_POSES)])
        low, high = outer(placing.extent(scene.shapes, k, *self.paths.values()) for k in some.tolist())
        wide = (high - low).real > 1.35 * (high - low).imag
        letters = max([len(group_label(group)) for group in motion.structure.groups], default=0)
        figure = empty_figure(low, high, wide, letters)
        figure.set_dpi(width / figure.get_figwidth())
        self.ax = ax = figure.add_subplot()
        scale_axes(ax, measures)
        ax.update_datalim([(low.real, low.imag), (high.real, high.imag)])
        self.note = ax.annotate("", (0, 1), (0, 5), "axes fraction", "offset points", fontsize=SMALL, animated=True)
        add_legend(ax, motion.structure, colours, True, wide)
        title_above(ax, motion.mechanism.title or "Mechanism", lines)
        for point, path in self.paths.items():
            draw_path(ax, path, point, colours[point]).set_alpha(0.2)
        self.trails = {point: draw_path(ax, path, point, colours[point]) for point, path in self.paths.items()}
        ground = motion.structure.topology.ground
        fixed = {shape.id for shape in scene.shapes if shape.frame.link == ground and shape.frame.toward is None}
        lowest = min((shape.layer for shape in scene.shapes if shape.id not in fixed), default=0.0)
        self.shapes: dict[Artist, Shape] = {}
        for shape in scene.shapes:
            known = np.flatnonzero(placing.known(shape.frame))
            if len(known):
                artist = add_artist(ax, shape, placing, int(known[0]))
                # fixed shapes that lie over moving ones are redrawn with them
                if shape.id not in fixed or shape.layer >= lowest:
                    self.shapes[artist] = shape
        self.artists = sorted([*self.shapes, *self.trails.values()], key=lambda artist: artist.get_zorder())
        for artist in self.artists:
            artist.set_animated(True)
        self.names = {
            point: ax.annotate(
                plain(point), (0, 0), (7, 7), "data", "offset points", fontsize=NORMAL, animated=True, in_layout=False,
                path_effects=[withStroke(linewidth=2.0, foreground="white")], annotation_clip=False,
            )
            for point in paths
        }  # fmt: skip
        self.canvas = cast("Any", figure.canvas)  # the Agg canvas that `new_figure` makes
        self.canvas.draw()
        self.background = self.canvas.copy_from_bbox(figure.bbox)

    def frame(self, sample: int, caption: tuple[str, str]) -> NDArray[np.uint8]:
        """Return the picture (height, width, 3) of a sample, with a caption and its colour."""
        self.canvas.restore_region(self.background)
        for artist, shape in self.shapes.items():
            move(artist, shape, self.placing, sample)
        for point, trail in self.trails.items():
            z = self.paths[point][: sample + 1]
            trail.set_data(z.real, z.imag)
            name, place = self.names[point], complex(self.paths[point][sample])
            name.set_visible(bool(np.isfinite(place)))
            name.xy = (place.real, place.imag)
        self.note.set_text(caption[0])
        self.note.set_color(caption[1])
        for artist in (*self.artists, *self.names.values(), self.note):
            self.ax.draw_artist(artist)
        return np.array(self.canvas.buffer_rgba())[:, :, :3].copy()
