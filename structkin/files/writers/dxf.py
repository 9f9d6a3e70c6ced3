"""DXF: the schematic in the unit of the file, on a layer for each group, and paths of points."""

from __future__ import annotations

import re
from io import StringIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from structkin.files.extras import needs
from structkin.model.mechanism import Mechanism
from structkin.numerical_tolerances import SAME_SOLVED
from structkin.show.drawing import links_of, sized_scene
from structkin.show.files import whole_file
from structkin.show.interest import moving_points
from structkin.show.pose import path_of, sketch_poses
from structkin.show.scene import Placing, Shape
from structkin.show.style import DRIVER, GROUND, LOOSE, group_colour
from structkin.solve import Motion, structure_of
from structkin.structure import KinematicStructure
from structkin.types import Complexes

if TYPE_CHECKING:
    from ezdxf.layouts.layout import Modelspace

#: The number of each unit in DXF ($INSUNITS).
UNITS = {"m": 6, "mm": 4, "cm": 5, "dm": 14, "km": 7, "um": 13, "in": 1, "ft": 2}
#: Height of the first view, relative to the larger side of the drawing: there is room for names at its border.
VIEW = 1.2


def write_dxf(mechanism: Mechanism, path: Path, motion: Motion | None, paths: Motion | None = None) -> tuple[()]:
    """Write the sketch, or the first pose of a motion that is ok, with the paths of its moving points.

    The paths may be those of another motion, `paths`. Raises `InputError` if ezdxf is not installed.
    """
    with needs("ezdxf", "dxf", ".dxf"):
        from ezdxf.colors import rgb2int
        from ezdxf.filemanagement import new
    structure = structure_of(mechanism) if motion is None else motion.structure
    document = new("R2010", setup=True, units=UNITS[mechanism.units.length])
    for name, colour in _layers(structure).items():
        document.layers.add(name, color=7, true_color=None if colour is None else rgb2int(_rgb(colour)))
    low, high = _draw(document.modelspace(), mechanism, structure, motion, paths or motion)
    # what a program shows when it opens the file, also in a window that is as high as it is wide
    height = VIEW * max((high - low).real, (high - low).imag)
    document.set_modelspace_vport(height, _xy((low + high) / 2))
    text = StringIO()
    document.write(text)
    with whole_file(path) as file:
        file.write(text.getvalue())
    return ()


def _plain(text: str) -> str:
    """Return a text of which DXF shows every character: it reads ^ and %% as the beginning of a code.

    >>> _plain("A^I 5%"), _plain("%%d")
    ('A^ I 5%', '%%%%%%d')
    """
    return re.sub("%{2,}", lambda match: 3 * match[0], text.replace("^", "^ "))


def _rgb(colour: str) -> tuple[int, int, int]:
    red, green, blue = (int(colour[k : k + 2], 16) for k in (1, 3, 5))
    return red, green, blue


def _layers(structure: KinematicStructure) -> dict[str, str | None]:
    """Return the layers with their colours; None is colour 7, black on a light and white on a dark background."""
    groups = {group_layer(group.index, group.kind): group_colour(group.index) for group in structure.groups}
    loose = {"NOT DETERMINED": LOOSE} if structure.under or structure.held else {}
    plain = dict.fromkeys(("JOINTS", "POINTS", "NAMES", "PATHS", "SPRINGS"))
    return {**groups, **loose, "GROUND": GROUND, "DRIVERS": DRIVER, **plain}


def group_layer(index: int, kind: str) -> str:
    """Return the name of a group's layer, without characters that layer names may not have.

    >>> group_layer(1, "RRR"), group_layer(0, "a/b")
    ('GROUP 2 RRR', 'GROUP 1 a-b')
    """
    return re.sub(r'[<>/\\":;?*|=`,]', "-", f"GROUP {index + 1} {kind}")


def _link_layer(structure: KinematicStructure, link: str) -> str:
    if link == structure.topology.ground:
        return "GROUND"
    group = structure.group_of(link)
    return "NOT DETERMINED" if group is None else group_layer(group.index, group.kind)


def _layer(structure: KinematicStructure, shape: Shape) -> str:
    what, _, name = shape.part.partition(":")
    if shape.id.startswith(("pivot:", "hatching:")):
        return "GROUND"
    if what == "link":
        return _link_layer(structure, name)
    return {"driver": "DRIVERS", "spring": "SPRINGS", "point": "POINTS"}.get(what, "JOINTS")


def _draw(
    page: Modelspace,
    mechanism: Mechanism,
    structure: KinematicStructure,
    motion: Motion | None,
    along: Motion | None,
) -> tuple[complex, complex]:
    """Draw all parts, and return the lower left and upper right corner of the shapes and paths [unit of the file]."""
    poses = sketch_poses(mechanism) if motion is None else motion.poses
    k = 0 if motion is None else int(np.argmax(motion.ok))
    scale = mechanism.units.length_scale
    moving = moving_points(mechanism)
    paths = {} if along is None else {point: path_of(along, point) for point in moving}
    scene = sized_scene(mechanism, structure, poses, k, paths.values())
    placing = Placing(poses, scale)
    for shape in scene.shapes:
        z, layer = placing.of(shape.frame, shape.z, k), _layer(structure, shape)
        if shape.radius is not None:
            if np.isfinite(z[0]):
                page.add_circle(_xy(z[0]), shape.radius / scale, dxfattribs={"layer": layer})
        else:
            _polylines(page, z, layer, closed=shape.closed, dashed=bool(shape.dash))
    for name in scene.names:
        at = placing.of(name.frame, name.z, k)
        if np.isfinite(at):
            place = _xy(at + (0.7 + 0.7j) * scene.u / scale)
            text = page.add_text(_plain(name.text), height=1.2 * scene.u / scale, dxfattribs={"layer": "NAMES"})
            text.set_placement(place)
    for point in mechanism.places:
        if point in poses.holders:
            z = poses.at(poses.holders[point][0], point)[k] / scale
            if np.isfinite(z):
                page.add_point(_xy(z), dxfattribs={"layer": "POINTS"})
    carrier = links_of(mechanism)
    for point, way in paths.items():
        finite = way[np.isfinite(way)]
        if len(finite) > 1 and np.ptp(finite.real) + np.ptp(finite.imag) > 0:
            colour = group_colour(_index(structure, carrier[point]))
            whole = len(finite) == len(way) and abs(way[-1] - way[0]) <= SAME_SOLVED * poses.size
            z = way[:-1] if whole else way
            _polylines(page, z / scale, "PATHS", closed=whole, colour=colour)
    return placing.extent(scene.shapes, k, *(way / scale for way in paths.values()))


def _index(structure: KinematicStructure, link: str) -> int | None:
    group = structure.group_of(link)
    return None if group is None else group.index


def _polylines(
    page: Modelspace, z: Complexes, layer: str, *, closed: bool, dashed: bool = False, colour: str | None = None
) -> None:
    """Draw a line, broken where a place is not known."""
    from ezdxf.colors import rgb2int

    how: dict[str, Any] = {"layer": layer}
    if dashed:
        how["linetype"] = "DASHED"
    if colour is not None:
        how["true_color"] = rgb2int(_rgb(colour))
    known = np.isfinite(z)
    for part in np.split(np.arange(len(z)), np.flatnonzero(np.diff(known)) + 1):
        if known[part[0]] and len(part) > 1:
            whole = closed and len(part) == len(z)
            page.add_lwpolyline([_xy(place) for place in z[part]], close=whole, dxfattribs=how)


def _xy(z: complex) -> tuple[float, float]:
    return float(z.real), float(z.imag)
