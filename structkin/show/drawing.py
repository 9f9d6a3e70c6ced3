"""One pose of a mechanism in the field's symbols: links, joints, points and drivers."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass

import numpy as np

from structkin.joints.cam import Cam
from structkin.joints.circular_slot import CircularSlot
from structkin.joints.curve_slot import CurveSlot
from structkin.joints.fastened import Fastened
from structkin.joints.geneva import Geneva
from structkin.joints.guide import Guide
from structkin.joints.turn_coupling import TurnCoupling
from structkin.model.mechanism import Mechanism
from structkin.model.parts import DriverCoordinate
from structkin.show.interest import middle
from structkin.show.labels import Label
from structkin.show.pose import Path, Pose, profile_of, slot_of, wheel_of
from structkin.show.style import DRIVER, GROUND, LOOSE, NORMAL, SMALL, group_colour, tint
from structkin.show.symbols import BAR, PATH, PLATE, Pen
from structkin.show.wheels import draw_mesh
from structkin.structure import KinematicStructure


@dataclass(frozen=True)
class Drawing:
    """What is drawn, on what, and how."""

    mechanism: Mechanism
    structure: KinematicStructure
    pose: Pose
    paths: Mapping[str, Path]
    pen: Pen

    def draw(self) -> list[Label]:
        """Draw everything but the labels, and return those."""
        for point, path in self.paths.items():
            colour = self.colour(self.link_of(point))
            self.pen.line(path, f"path:{point}", color=colour, linewidth=1.3, zorder=PATH, alpha=0.9)
        for guide in self._guides:
            self._guide(guide)
        for mesh in self.mechanism.joints.of(TurnCoupling).values():
            draw_mesh(self.pen, self.pose, mesh, self.colour, self.mechanism.topology.ground)
        for arc in self.mechanism.joints.of(CircularSlot).values():
            center, (low, high) = self.pose.at(arc.carrier, arc.center), self.pose.turns[arc.id]
            if np.isfinite(center) and np.isfinite(low):
                arm = arc.radius * np.exp(1j * low)
                start = self.pose.at(arc.carrier, arc.center + arm)
                self.pen.curved_slot(center, start, high - low, f"slot:{arc.id}", self.colour(arc.carrier))
        for slot in self.mechanism.joints.of(CurveSlot).values():
            way = slot_of(self.pose, slot)
            if np.isfinite(way).all():
                self.pen.slot_along(way, slot.curve.closed, f"slot:{slot.id}", self.colour(slot.carrier))
        for cam in self.mechanism.joints.of(Cam).values():
            self._cam(cam)
        for geneva in self.mechanism.joints.of(Geneva).values():
            wheel = wheel_of(self.pose, self.mechanism, geneva)
            if np.isfinite(wheel).all():
                self.pen.disc(wheel, f"wheel:{geneva.id}", self.colour(geneva.wheel))
        for name in self.structure.topology.moving_links:
            dashed = self.colour(name) == LOOSE
            below = name in {guide.carrier for guide in self._guides} | {slot.carrier for slot in self._bent}
            self.pen.body(self._body(name), f"link:{name}", self.colour(name), dashed=dashed, below=below)
        for joint in self._fastened:
            place = self.pose.at(joint.links[0], joint.at)
            if np.isfinite(place):
                self.pen.weld(place, f"fastened:{joint.id}")
        for spring in self.mechanism.forces.springs.values():
            a, b = (self.pose.points[point] for _, point in spring.ends)
            self.pen.spring(a, b, f"spring:{spring.id}")
        labels = self._points()
        for drive in self.mechanism.drivers.values():
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
        return [
            guide
            for guide in self.mechanism.joints.of(Guide).values()
            if guide.id not in self.mechanism.joints.of(TurnCoupling)
        ]

    @property
    def _bent(self) -> list[CircularSlot | CurveSlot]:
        """The slots that are not straight."""
        return [
            *self.mechanism.joints.of(CircularSlot).values(),
            *self.mechanism.joints.of(CurveSlot).values(),
        ]

    @property
    def _fastened(self) -> Collection[Fastened]:
        return self.mechanism.joints.of(Fastened).values()

    def link_of(self, point: str) -> str:
        """Return the link whose colour a point takes: the first moving one that has it."""
        moving = self.mechanism.topology.moving_links
        held = [name for name in moving if point in self.mechanism.links[name].local]
        return held[0] if held else self.mechanism.topology.ground

    def _size(self) -> float:
        return NORMAL if len(self.pose.points) <= 30 else SMALL - 1

    # --- links --------------------------------------------------------------------------------------------

    def _body(self, name: str) -> list[complex]:
        """Return the places that a link ties together: points, blocks, slots, welds; none for a bare block."""
        places = [self.pose.points[point] for point in self.mechanism.links[name].points]
        near = 0.2 * self.pen.u
        blocks = [self.pose.block(guide) for guide in self._guides if guide.slider == name]
        welds = [self.pose.at(name, joint.place_on(name)) for joint in self._fastened if name in joint.links]
        for new in (*blocks, *welds):
            if all(abs(new - place) > near for place in places):
                places.append(new)
        slots = [guide for guide in self._guides if guide.carrier == name]
        for curved in self.mechanism.joints.of(CurveSlot).values():
            places += list(slot_of(self.pose, curved)) if curved.carrier == name else []
        centre = sum(places, 0j) / len(places) if places else 0j
        for guide in slots:
            a, b = self.pose.way(guide)
            along = self.pose.along(guide)
            foot = a + along * float(np.clip(((centre - a) / along).real, 0.0, abs(b - a)))
            if all(abs(foot - place) > near for place in places):
                places.append(foot)
        wheel = any(name in mesh.links for mesh in self.mechanism.joints.of(TurnCoupling).values())
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
            self.pen.slot(a, b, f"slot:{guide.id}", colour, fixed)
        else:
            self.pen.ground_guide(a, b, f"guide:{guide.id}")
        if guide.turn is not None:
            self.pen.block(place, along, f"block:{guide.id}", self.colour(guide.slider))

    def _cam(self, cam: Cam) -> None:
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
        pins |= {end for drive in self.mechanism.drivers.values() for _, end in drive.ends or ()}
        pins |= {end for spring in self.mechanism.forces.springs.values() for _, end in spring.ends}
        slotted = [self.pose.block(guide) for guide in self._guides if guide.turn is None]
        slotted += [self.pose.at(slot.slider, slot.point) for slot in self._bent]
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
                self.pen.dot(place, f"point:{name}", self.colour(self.link_of(name)))
            labels.append(Label(name, place, size=self._size()))
        return labels

    # --- drivers ------------------------------------------------------------------------------------------

    def _drive(self, drive: DriverCoordinate) -> complex:
        """Draw a driver's symbol and return where its name belongs."""
        gid = f"driver:{drive.id}"
        speed = drive.law.speed if drive.law is not None else None
        sense = int(np.sign(speed)) if speed else 0
        if drive.ends is not None:
            a, b = (self.pose.points[point] for _, point in drive.ends)
            self.pen.cylinder(a, b, gid)
            return 0.6 * a + 0.4 * b
        if drive.kind == "slide" and drive.joint is not None:
            guide = self.mechanism.joints.of(Guide)[drive.joint]
            along = self.pose.along(guide)
            # on the side away from the hatching, the arrow in the direction of positive travel
            across = 1j * along if (1j * along).imag > 1e-9 or abs(along.real) < 1e-9 < along.imag * -1 else -1j * along
            place = self.pose.block(guide) + 1.9 * self.pen.u * across
            if np.isfinite(place):
                self.pen.straight_arrow(place - 2.0 * self.pen.u * along, place + 2.0 * self.pen.u * along, sense, gid)
            return place
        place, start = self._hub(drive)
        return self.pen.turn_arrow(place, start, sense, gid) if np.isfinite(place + start) else place

    def _hub(self, drive: DriverCoordinate) -> tuple[complex, complex]:
        """Return the place that an angle driver turns about, and the direction of the link that it turns."""
        turned = drive.links[1] if drive.links[1] != self.mechanism.topology.ground else drive.links[0]
        centre = self.pose.at(turned, middle(self.mechanism.links[turned]))
        if drive.joint is None:
            return centre, self.pose.frames[turned][1]
        place = self.pose.points[drive.joint]
        way = centre - place
        return place, way / abs(way) if abs(way) > 1e-9 * self.pen.u else self.pose.frames[turned][1]
