"""The view: a mechanism, its scene and its motion as plain data for JSON, to be drawn in a browser.

Lengths are in the file's unit of length, angles in radians, and the values of drivers in the `unit` of each; y points
upwards. Numbers are rounded to about a millionth of the mechanism's size, and are None without a pose.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from structkin.errors import StructureError
from structkin.joints.pair import Poses
from structkin.model.mechanism import Mechanism
from structkin.model.topology import pin_of
from structkin.plan.compile import determines_all
from structkin.plan.status import Status
from structkin.show.drawing import holder, links_of, sized_scene
from structkin.show.interest import traced_points
from structkin.show.pose import path_of, sketch_poses
from structkin.show.quantities import measures_of
from structkin.show.scene import Frame, Placing, Scene, Shape
from structkin.show.style import group_colour, link_colour
from structkin.solve import Motion, structure_of
from structkin.structure import KinematicStructure
from structkin.structure.explain import sentence

#: Decimal digits of angles [rad], and of places in a mechanism of size one.
DIGITS = 6


def view(
    mechanism: Mechanism,
    motion: Motion | None = None,
    *,
    structure: KinematicStructure | None = None,
    trace: Sequence[str] = (),
) -> dict[str, Any]:
    """Return a mechanism, its groups, its scene and its motion as plain data for JSON.

    Without a motion there is one sample, the sketch, whose status is "sketch". The points `trace` are marked to have
    their paths drawn (default: the points of interest, at most four).

    >>> crank = Mechanism("Crank", points={"A": [0, 0], "B": [1, 0]}, links={"ground": ["A"], "crank": ["A", "B"]},
    ...                   drivers={"motor": {"joint": "A", "speed": 1}})
    >>> data = view(crank)
    >>> [shape["id"] for shape in data["shapes"]][:3]
    ['link:crank', 'pivot:A', 'hatching:pivot:A']
    >>> data["samples"]["frames"]["crank"], data["samples"]["status"]
    ({'x': [0.0], 'y': [0.0], 'angle': [0.0]}, [[0, 0, 'sketch', None]])
    """
    if structure is None:
        structure = motion.structure if motion is not None else structure_of(mechanism)
    poses = motion.poses if motion is not None else sketch_poses(mechanism)
    k = int(np.argmax(motion.ok)) if motion is not None else 0
    traced = traced_points(mechanism, trace)
    paths = [] if motion is None else [path_of(motion, point) for point in traced]
    scene = sized_scene(mechanism, structure, poses, k, paths)
    writer = _Writer(mechanism, structure, poses)
    return {
        "format": 1,
        "title": mechanism.title,
        "language": "en",
        "units": {**{name: getattr(mechanism.units, name) for name in ("length", "angle", "mass")}, "time": "s"},
        "symbol": writer.length(scene.u),
        "box": writer.box(scene, k),
        "links": writer.links(),
        "shapes": writer.shapes(scene),
        "points": writer.points(scene, traced),
        "drivers": writer.drivers(scene),
        "groups": writer.groups(),
        "samples": samples(mechanism, motion),
    }


def motion_of(mechanism: Mechanism, samples: int = 361, **options: Any) -> Motion | None:
    """Return the motion of `solve` with its `options`, None where the drivers do not determine the mechanism."""
    if not determines_all(structure_of(mechanism)):
        return None
    try:
        return mechanism.solve(samples, **options)
    except StructureError:
        return None


def samples(mechanism: Mechanism, motion: Motion | None = None) -> dict[str, Any]:
    """Return times, status, drivers and the frame of each link at the samples of a motion, or in the sketch.

    `status` holds runs of samples: the first, the last, the status in words, and the index of the group at which they
    failed.
    """
    poses = motion.poses if motion is not None else sketch_poses(mechanism)
    writer = _Writer(mechanism, None, poses)
    measures = measures_of(mechanism)
    size = {id: measures.size(mechanism.drivers[id].quantity) for id in mechanism.drivers}
    if motion is None:
        t, status = None, [[0, 0, "sketch", None]]
        drivers = {id: [drive.start] for id, drive in mechanism.drivers.items()}
        count = 1
    else:
        t = None if np.isnan(motion.t).all() else _plain(motion.t, 9)
        status = [
            [part.start, part.stop - 1, Status(outcome).words, None if group < 0 else group]
            for part, outcome, group in motion.outcomes()
        ]
        drivers = {id: values[0].tolist() for id, values in motion.drivers.items()}
        count = len(motion)
    return {
        "n": count,
        "t": t,
        "status": status,
        "drivers": {id: _plain(np.array(values) / size[id], 9) for id, values in drivers.items()},
        "frames": {link: writer.frames(link) for link in mechanism.links},
    }


class _Writer:
    """Writes the parts of a view."""

    def __init__(self, mechanism: Mechanism, structure: KinematicStructure | None, poses: Poses) -> None:
        self.mechanism, self.poses = mechanism, poses
        self.structure: Any = structure
        self.ground = mechanism.topology.ground
        self.scale = measures_of(mechanism).size("length")
        self.digits = DIGITS - math.floor(math.log10(poses.size / self.scale))

    def length(self, z: ArrayLike) -> Any:
        """Return lengths [m] in the unit of length."""
        return _plain(np.asarray(z) / self.scale, self.digits)

    def place(self, z: complex) -> list[float]:
        """Return a place [m] as x and y."""
        return [_rounded(part / self.scale, self.digits) for part in (z.real, z.imag)]

    def box(self, scene: Scene, k: int) -> list[float]:
        """Return the left, lower, right and upper ends of the scene in pose k and of the paths of all points."""
        paths = [self.poses.at(link, np.array([[z] for z in body.local.values()])) for link, body in self._bodies()]
        low, high = Placing(self.poses).extent(scene.shapes, k, *(path.ravel() for path in paths))
        return [*self.place(low), *self.place(high)]

    def _bodies(self) -> list[tuple[str, Any]]:
        return [(name, link) for name, link in self.poses.links.items() if link.local]

    def frames(self, link: str) -> dict[str, Any]:
        """Return the origin and the continuous angle [rad] of a link's frame; None where the pose is unknown."""
        origin, direction = self.poses.frames[link]
        if len(origin) == 1 and np.isfinite(origin[0] + direction[0]):  # as below, without arrays
            place = self.place(complex(origin[0]))
            return {"x": place[:1], "y": place[1:], "angle": [_rounded(float(np.angle(direction[0])), DIGITS)]}
        known = np.isfinite(origin + direction)
        x, y, angle = (np.where(known, part, np.nan) for part in (origin.real, origin.imag, np.angle(direction)))
        angle[known] = np.unwrap(angle[known])
        return {"x": self.length(x), "y": self.length(y), "angle": _plain(angle, DIGITS)}

    def links(self) -> list[dict[str, Any]]:
        """Return all links, including the ground."""
        found = []
        for name in self.mechanism.links:
            group, colour = self.structure.group_of(name), link_colour(self.structure, name)
            index = None if group is None else group.index
            found.append({"name": name, "group": index, "colour": colour, "ground": name == self.ground})
        return found

    def shapes(self, scene: Scene) -> list[dict[str, Any]]:
        """Return the shapes, each with a unique id."""
        seen: Counter[str] = Counter()
        found = []
        for shape in scene.shapes:
            seen[shape.id] += 1
            id = shape.id if seen[shape.id] == 1 else f"{shape.id}#{seen[shape.id]}"
            found.append({"id": id, "part": shape.part, **self._outline(shape), **_style(shape)})
        return found

    def _outline(self, shape: Shape) -> dict[str, Any]:
        z, circle = shape.z, None
        if shape.radius is not None:
            circle = [*self.place(complex(z[0])), self.length(shape.radius)]
        xy = self.length(np.stack((z.real, z.imag), axis=1))
        points = None if circle else [None if None in place else place for place in xy]
        return {"points": points, "circle": circle, "closed": shape.closed, "frame": self._frame(shape.frame)}

    def _frame(self, frame: Frame) -> dict[str, Any]:
        at = [frame.link, *self.place(frame.at)]
        if frame.toward is not None:
            link, end = frame.toward
            stretch = None if frame.stretch is None else self.length(frame.stretch)
            return {"at": at, "toward": [link, *self.place(end)], "stretch": stretch}
        if frame.along is not None:
            link, unit = frame.along
            return {"at": at, "along": [link, *_plain([unit.real, unit.imag], 2 * DIGITS)]}
        return {"link": frame.link} if frame.at == 0 else {"at": at, "along": [frame.link, 1, 0]}

    def points(self, scene: Scene, traced: Sequence[str]) -> list[dict[str, Any]]:
        """Return all points on links."""
        pivots, carrier = {shape.id for shape in scene.shapes}, links_of(self.mechanism)
        joints = {pin_of(end) or joint.id for joint in self.mechanism.topology.joints for end in joint.links}
        return [
            {
                "name": point,
                "link": (link := holder(self.poses, point, self.ground)),
                "at": self.place(self.poses.links[link].local[point]),
                "pivot": f"pivot:{point}" in pivots,
                "joint": point in joints,
                "trace": point in traced,
                "colour": link_colour(self.structure, carrier[point]),
            }
            for point in self.mechanism.places
            if point in carrier
        ]

    def drivers(self, scene: Scene) -> list[dict[str, Any]]:
        """Return the drivers, each with the places of its symbol and its name."""
        measures = measures_of(self.mechanism)
        frames = {name.text: name for name in scene.names if name.style == "italic"}
        found = []
        for id in self.mechanism.drivers:
            quantity, name = self.mechanism.drivers[id].quantity, frames[id]
            found.append(
                {
                    "id": id,
                    "name": id,
                    "quantity": quantity,
                    "unit": measures.pretty(quantity),
                    "at": [name.frame.link, *self.place(name.frame.at)],
                    "label": {"frame": self._frame(name.frame), "at": self.place(name.z)},
                }
            )
        return found

    def groups(self) -> list[dict[str, Any]]:
        """Return the groups in solve order."""
        return [
            {
                "index": group.index,
                "kind": group.kind,
                "label": group.label,
                "links": list(group.links),
                "pins": list(group.pins),
                "depends_on": list(group.depends_on),
                "colour": group_colour(group.index),
                "words": sentence(self.structure, group),
            }
            for group in self.structure.groups
        ]


def _style(shape: Shape) -> dict[str, Any]:
    return {
        "fill": shape.fill,
        "stroke": None if shape.stroke == "none" else shape.stroke,
        "width": shape.width,
        "dash": [round(part * shape.width, 2) for part in shape.dash] or None,
        "opacity": 1,
        "layer": shape.layer,
    }


def _rounded(value: float, digits: int) -> Any:
    """Return a number as `_plain` does, None if it is not finite."""
    power = 10.0 ** abs(digits)
    if not math.isfinite(value):
        return None
    return round(value * power) / power + 0.0 if digits >= 0 else round(value / power) * power + 0.0


def _plain(values: ArrayLike, digits: int) -> Any:
    """Return rounded numbers, None for those that are not finite."""
    rounded = np.round(np.asarray(values, dtype=float), digits) + 0.0
    found = np.asarray(rounded, dtype=object)
    found[~np.isfinite(rounded)] = None
    return found.tolist()
