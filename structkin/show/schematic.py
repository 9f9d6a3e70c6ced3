"""The kinematic diagram of a mechanism in one pose, with the paths of its points."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from structkin.errors import InputError, Problem
from structkin.kinematics import Motion
from structkin.model.cams import Cam
from structkin.model.mechanism import Mechanism
from structkin.model.parts import Drive, Guide
from structkin.model.profile_cams import ProfileCam
from structkin.model.topology import suggest
from structkin.model.units import Units
from structkin.show.interest import middle, points_of_interest
from structkin.show.labels import Label, place_labels, root_figure
from structkin.show.measures import Measures, driver_quantity, measures_of
from structkin.show.pose import Path, Pose, motion_pose, path_of, profile_of, sketch_pose, wheel_of
from structkin.show.style import (
    DRIVER,
    GROUND,
    LARGE,
    LOOSE,
    NORMAL,
    SMALL,
    group_colour,
    group_label,
    listed,
    new_figure,
    plain,
    tint,
)
from structkin.show.symbols import BAR, PATH, PLATE, Pen
from structkin.show.wheels import draw_mesh
from structkin.show.wheels import extent as mesh_extent
from structkin.structure import KinematicStructure

#: Points traced if nobody says which.
MOST_TRACED = 4


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
        structure = motion.structure if motion is not None else mechanism.structure()
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
        ax = _figure(low, high, wide, letters).add_subplot()
    drawing = _Drawing(mechanism, structure, pose, paths, Pen(ax, _symbol_size(mechanism, low, high, scale)))
    labels = drawing.draw()
    _frame(ax, measures)
    note = _caption(mechanism, motion, sample, measures)
    note = textwrap.fill(note, 80)
    pad = 8 + 12 * len(note.splitlines())
    ax.set_title(plain(mechanism.title or "Mechanism"), fontsize=LARGE, loc="left", pad=pad)
    ax.annotate(plain(note), (0, 1), (0, 5), "axes fraction", "offset points", fontsize=SMALL, color=GROUND)
    _legend(ax, drawing, own, wide)
    place_labels(ax, labels)
    return root_figure(ax)


def draw_pose(
    ax: Axes, mechanism: Mechanism, structure: KinematicStructure, pose: Pose, low: complex, high: complex
) -> list[Label]:
    """Draw one pose on axes that show `low` to `high`, without names, and return what names it has."""
    pen = Pen(ax, _symbol_size(mechanism, low, high, pose.scale))
    return _Drawing(mechanism, structure, pose, {}, pen).draw()


def _check(mechanism: Mechanism, motion: Motion | None, trace: Sequence[str]) -> None:
    held = {point for link in mechanism.links.values() for point in link.local}
    problems = [
        Problem("trace", f"no link has a point '{point}'", suggest(point, held)) for point in trace if point not in held
    ]
    if motion is not None and motion.mechanism is not mechanism:
        other = motion.mechanism
        if set(other.links) != set(mechanism.links) or set(other.points) != set(mechanism.points):
            problems.append(Problem("motion", "is that of another mechanism", "pass motion.mechanism"))
    if problems:
        raise InputError(problems, mechanism.title or "picture")


@dataclass(frozen=True)
class _Drawing:
    """What is drawn, on what, and how."""

    mechanism: Mechanism
    structure: KinematicStructure
    pose: Pose
    paths: Mapping[str, Path]
    pen: Pen

    def draw(self) -> list[Label]:
        """Draw everything but the labels, and return those."""
        for point, path in self.paths.items():
            colour = self.colour(self._link_of(point))
            self.pen.line(path, f"path:{point}", color=colour, linewidth=1.3, zorder=PATH, alpha=0.9)
        for guide in self._guides:
            self._guide(guide)
        for mesh in self.mechanism.meshes.values():
            draw_mesh(self.pen, self.pose, mesh, self.colour, self.mechanism.topology.ground)
        for arc in self.mechanism.arcs.values():
            center, (low, high) = self.pose.at(arc.carrier, arc.center), self.pose.turns[arc.joint]
            if np.isfinite(center) and np.isfinite(low):
                arm = arc.radius * np.exp(1j * low)
                start = self.pose.at(arc.carrier, arc.center + arm)
                self.pen.curved_slot(center, start, high - low, f"slot:{arc.joint}", self.colour(arc.carrier))
        for cam in self.mechanism.cams.values():
            self._cam(cam)
        for geneva in self.mechanism.genevas.values():
            wheel = wheel_of(self.pose, self.mechanism, geneva)
            if np.isfinite(wheel).all():
                self.pen.disc(wheel, f"wheel:{geneva.id}", self.colour(geneva.wheel))
        for name in self.structure.topology.moving_links:
            dashed = self.colour(name) == LOOSE
            slotted = {guide.carrier for guide in self._guides}
            below = name in slotted | {arc.carrier for arc in self.mechanism.arcs.values()}
            self.pen.body(self._body(name), f"link:{name}", self.colour(name), dashed=dashed, below=below)
        for spring in self.mechanism.forces.springs.values():
            a, b = (self.pose.points[point] for _, point in spring.ends)
            self.pen.spring(a, b, f"spring:{spring.id}")
        labels = self._points()
        for drive in self.mechanism.drives.values():
            labels.append(Label(drive.id, self._drive(drive), DRIVER, self._size(), "italic"))
        return labels

    def colour(self, link: str) -> str:
        """Return the colour of a link's group."""
        if link == self.mechanism.topology.ground:
            return GROUND
        group = self.structure.group_of(link)
        return group_colour(None if group is None else group.index)

    @property
    def _guides(self) -> list[Guide]:
        """The guides that are drawn as such: what rolls on a line has a symbol of its own."""
        return [guide for guide in self.mechanism.guides.values() if guide.joint not in self.mechanism.meshes]

    def _link_of(self, point: str) -> str:
        """Return the link whose colour a point takes: the first moving one that has it."""
        moving = self.mechanism.topology.moving_links
        held = [name for name in moving if point in self.mechanism.links[name].local]
        return held[0] if held else self.mechanism.topology.ground

    def _size(self) -> float:
        return NORMAL if len(self.pose.points) <= 30 else SMALL - 1

    # --- links --------------------------------------------------------------------------------------------

    def _body(self, name: str) -> list[complex]:
        """Return the places that a link ties together: its points, its blocks, its slots; none for a bare block."""
        places = [self.pose.points[point] for point in self.mechanism.links[name].points]
        near = 0.2 * self.pen.u
        blocks = [self.pose.block(guide) for guide in self._guides if guide.slider == name]
        places += [block for block in blocks if all(abs(block - place) > near for place in places)]
        slots = [guide for guide in self._guides if guide.carrier == name]
        centre = sum(places, 0j) / len(places) if places else 0j
        for guide in slots:
            a, b = self.pose.way(guide)
            along = self.pose.along(guide)
            foot = a + along * float(np.clip(((centre - a) / along).real, 0.0, abs(b - a)))
            if all(abs(foot - place) > near for place in places):
                places.append(foot)
        wheel = any(name in mesh.links for mesh in self.mechanism.meshes.values())
        if len(places) == 1 and (slots or wheel or (blocks and abs(blocks[0] - places[0]) <= near)):
            return []
        return places

    # --- joints and points --------------------------------------------------------------------------------

    def _guide(self, guide: Guide) -> None:
        a, b = self.pose.way(guide)
        along, place = self.pose.along(guide), self.pose.block(guide)
        if not np.isfinite(a + b + along + place):
            return
        fixed = guide.carrier == self.mechanism.topology.ground
        colour = self.colour(guide.carrier)
        a, b = a - 0.9 * self.pen.u * along, b + 0.9 * self.pen.u * along
        if guide.turn is None or not fixed:
            self.pen.slot(a, b, f"slot:{guide.joint}", colour, fixed)
        else:
            self.pen.ground_guide(a, b, f"guide:{guide.joint}")
        if guide.turn is not None:
            self.pen.block(place, along, f"block:{guide.joint}", self.colour(guide.slider))

    def _cam(self, cam: Cam | ProfileCam) -> None:
        """Draw the profile, and the roller or the face that touches it."""
        profile, touch = profile_of(self.pose, cam), self.pose.at(cam.follower, cam.touch)
        if not np.isfinite(profile).all() or not np.isfinite(touch):
            return
        self.pen.disc(profile, f"cam:{cam.id}", self.colour(cam.cam))
        colour = self.colour(cam.follower)
        if cam.normal is not None:
            along = -1j * cam.normal * self.pose.frames[cam.follower][1]
            way = ((profile - touch) / along).real
            reach = 0.35 * float(np.ptp(way))
            middle = float(np.clip(0.0, way.min() + reach, way.max() - reach))
            ends = touch + along * np.array([middle - reach, middle + reach])
            self.pen.line(ends, f"face:{cam.id}", color=colour, linewidth=3.5, zorder=BAR)
        elif cam.radius:
            radius = cam.radius / self.pose.scale / self.pen.u
            style = {"facecolor": tint(colour), "edgecolor": colour, "linewidth": 1.6, "zorder": PLATE}
            self.pen.circle(touch, radius, f"roller:{cam.id}", **style)

    def _points(self) -> list[Label]:
        topology = self.mechanism.topology
        pins = {joint.id for joint in topology.joints if joint.kind == "R"}
        pins |= {end for drive in self.mechanism.drives.values() for _, end in drive.ends or ()}
        pins |= {end for spring in self.mechanism.forces.springs.values() for _, end in spring.ends}
        slotted = [self.pose.block(guide) for guide in self._guides if guide.turn is None]
        slotted += [self.pose.at(arc.slider, arc.point) for arc in self.mechanism.arcs.values()]
        fixed = self.mechanism.links[topology.ground].local
        labels = []
        for name, place in self.pose.points.items():
            if not np.isfinite(place):
                continue
            if name in pins or any(abs(pin - place) <= 1e-6 * self.pen.u for pin in slotted):
                if name in fixed:
                    self.pen.pivot(place, f"pivot:{name}")
                self.pen.pin(place, f"pin:{name}")
            else:
                self.pen.dot(place, f"point:{name}", self.colour(self._link_of(name)))
            labels.append(Label(name, place, size=self._size()))
        return labels

    # --- drivers ------------------------------------------------------------------------------------------

    def _drive(self, drive: Drive) -> complex:
        """Draw a driver's symbol and return where its name belongs."""
        gid = f"driver:{drive.id}"
        speed = drive.law.speed if drive.law is not None else None
        sense = int(np.sign(speed)) if speed else 0
        if drive.ends is not None:
            a, b = (self.pose.points[point] for _, point in drive.ends)
            self.pen.cylinder(a, b, gid)
            return 0.6 * a + 0.4 * b
        if drive.kind == "slide" and drive.joint is not None:
            guide = self.mechanism.guides[drive.joint]
            along = self.pose.along(guide)
            # on the side away from the hatching, the arrow in the direction of positive travel
            across = 1j * along if (1j * along).imag > 1e-9 or abs(along.real) < 1e-9 < along.imag * -1 else -1j * along
            place = self.pose.block(guide) + 1.9 * self.pen.u * across
            if np.isfinite(place):
                self.pen.straight_arrow(place - 2.0 * self.pen.u * along, place + 2.0 * self.pen.u * along, sense, gid)
            return place
        place, start = self._hub(drive)
        return self.pen.turn_arrow(place, start, sense, gid) if np.isfinite(place + start) else place

    def _hub(self, drive: Drive) -> tuple[complex, complex]:
        """Return the place that an angle driver turns about, and the direction of the link that it turns."""
        turned = drive.links[1] if drive.links[1] != self.mechanism.topology.ground else drive.links[0]
        centre = self.pose.at(turned, middle(self.mechanism.links[turned]))
        if drive.joint is None:
            return centre, self.pose.frames[turned][1]
        place = self.pose.points[drive.joint]
        way = centre - place
        return place, way / abs(way) if abs(way) > 1e-9 * self.pen.u else self.pose.frames[turned][1]


# --- layout -------------------------------------------------------------------------------------------------


def extent(mechanism: Mechanism, pose: Pose, paths: Mapping[str, Path]) -> tuple[complex, complex]:
    """Return the lower left and upper right corner of all that is drawn; never empty."""
    parts = [np.array(list(pose.points.values())), *paths.values()]
    for guide in mechanism.guides.values():
        parts.append(np.array([pose.block(guide), *pose.way(guide)]))
    parts += [mesh_extent(pose, mesh) for mesh in mechanism.meshes.values()]
    parts += [profile_of(pose, cam) for cam in mechanism.cams.values()]
    parts += [wheel_of(pose, mechanism, geneva) for geneva in mechanism.genevas.values()]
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


def _figure(low: complex, high: complex, wide: bool, letters: int) -> Figure:
    """Return an empty figure that suits what is drawn: with room for a legend below a wide one, else at its right."""
    ratio = float(np.clip((high - low).real / max((high - low).imag, 1e-9 * (high - low).real), 0.45, 2.4))
    if wide:
        return new_figure(9.0, 7.6 / ratio + 2.2)
    legend = 0.8 + 0.075 * min(letters, 40)
    return new_figure(max(5.6 * ratio, 4.0) + 0.8 + legend, 6.6)


def _frame(ax: Axes, measures: Measures) -> None:
    ax.set_aspect("equal", adjustable="datalim")
    ax.margins(0.06)
    ax.grid(True, linewidth=0.4, color="#dddddd")
    ax.set_axisbelow(True)
    ax.tick_params(labelsize=SMALL)
    for axis, set_label in (("x", ax.set_xlabel), ("y", ax.set_ylabel)):
        set_label(f"{axis} [{measures.pretty('length')}]", fontsize=NORMAL)
    for side in ("top", "right"):
        ax.spines[side].set_visible(False)


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


def _legend(ax: Axes, drawing: _Drawing, own: bool, wide: bool) -> None:
    handles = []
    for group in drawing.structure.groups:
        colour = group_colour(group.index)
        handles.append(Line2D([], [], color=colour, linewidth=4, label=plain(group_label(group, 40))))
    loose = [*drawing.structure.under, *drawing.structure.held]
    if loose:
        text = plain(f"not determined: {listed(loose)}")
        handles.append(Line2D([], [], color=LOOSE, linewidth=3, linestyle=(0, (2.0, 1.5)), label=text))
    for point in (point for point, path in drawing.paths.items() if np.isfinite(path).any()):
        colour = drawing.colour(drawing._link_of(point))
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
