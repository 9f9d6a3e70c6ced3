"""Writing the equations of a group without closed form as index rows for the general solver."""

from __future__ import annotations

import cmath
from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from structkin.errors import InputError, Problem, StructureError
from structkin.groups import General, Rows
from structkin.groups.cam_rows import CamRow
from structkin.joints.cam import Cam
from structkin.joints.circular_slot import CircularSlot
from structkin.joints.geneva import Geneva
from structkin.joints.guide import Guide
from structkin.joints.law_cam import LawCam
from structkin.joints.profile_cam import ProfileCam
from structkin.joints.turn_coupling import TurnCoupling
from structkin.kinematics.closing import half_square_of, turn_of_guide
from structkin.kinematics.higher_pairs import require_carrier
from structkin.kinematics.plan import Operand
from structkin.kinematics.scene import Contact, Scene
from structkin.kinematics.turns import scalar, turn_of
from structkin.model.parts import Drive
from structkin.rows.affine import Affine, Frame
from structkin.rows.periodic import Follow
from structkin.structure import Group


def solve_general(scene: Scene, group: Group, index: int) -> Mapping[str, Frame]:
    """Record one step that solves all links of the group together, and return their frames.

    A link that does nothing but keep two pins apart is a distance between them, and a block that does nothing but keep
    a pin on a guide is a line: both follow from the others.
    """
    legs = _legs(scene, group)
    writer = _written(scene, group, index, legs)
    form = General(writer.rows())
    if form.rows.count < 3 * form.rows.links:
        raise StructureError(
            [
                Problem(
                    f"group {index + 1}",
                    f"{form.rows.count} equations for the {3 * form.rows.links} unknowns of {', '.join(group.links)}",
                    "please report this mechanism",
                )
            ],
            scene.mechanism.title,
        )
    angles = form.rows.angles
    frames = writer.sketch()
    sketch = [value for frame in frames for value in frame]
    starts = [cmath.phase(frames[k][1]) for k in angles]
    slots = scene.tape.step(form, writer.inputs(), [*sketch, *starts], group=index, scalars=len(angles))
    for k, start, slot in zip(angles, starts, slots[2 * len(frames) :], strict=True):
        scene.tape.turns[slots[2 * k + 1]] = Affine.slot(slot) - Affine(complex(start))
    solved = [link for link in group.links if link not in legs]
    found = {link: Frame(Affine.slot(slots[2 * k]), Affine.slot(slots[2 * k + 1])) for k, link in enumerate(solved)}
    found |= {link: leg.frame(scene, found) for link, leg in legs.items()}
    return {link: found[link] for link in group.links}


def write_rows(scene: Scene, group: Group, index: int) -> tuple[General, tuple[Operand, ...]]:
    """Return the equations of a group's joints and drivers, and what they take in."""
    writer = _written(scene, group, index, {})
    return General(writer.rows()), writer.inputs()


def _written(scene: Scene, group: Group, index: int, legs: Mapping[str, _Strut | _Block]) -> _Writer:
    writer = _Writer(scene, replace(group, links=tuple(link for link in group.links if link not in legs)), index)
    for contact in scene.contacts(group.links):
        if contact.link not in legs and contact.other not in legs:
            writer.joint(contact)
    for driver in group.drivers:
        writer.driver(driver)
    for leg in legs.values():
        leg.write(writer)
    return writer


@dataclass(frozen=True)
class _End:
    """A pin of a leg, and the link of the group that it is hung on, None where the pin is known."""

    joint: str
    on: str | None

    def place(self, scene: Scene, frames: Mapping[str, Frame]) -> Affine:
        """Return where it is, by the frames of the group's links."""
        return scene.pins[self.joint] if self.on is None else frames[self.on].point(scene.local(self.on, self.joint))


@dataclass(frozen=True)
class _Strut:
    """A link that keeps two pins apart."""

    link: str
    ends: tuple[_End, _End]

    def write(self, writer: _Writer) -> None:
        """Write its row."""
        writer.strut(self.link, self.ends)

    def frame(self, scene: Scene, found: Mapping[str, Frame]) -> Frame:
        """Return its frame from those of the others."""
        (a, near), (b, far) = ((scene.local(self.link, end.joint), end.place(scene, found)) for end in self.ends)
        direction = (far - near) * (1 / (b - a))
        return Frame(near - direction * a, direction)


@dataclass(frozen=True)
class _Block:
    """A link that keeps a pin on a guide, with the link at the other side of the guide."""

    link: str
    joint: str
    partner: str
    end: _End

    def write(self, writer: _Writer) -> None:
        """Write its row."""
        writer.block(self)

    def turn(self, scene: Scene) -> complex:
        """Return its direction in the frame of its partner."""
        guide = scene.guide(self.joint)
        turn = turn_of_guide(guide)
        return turn if self.link == guide.slider else 1 / turn

    def frame(self, scene: Scene, found: Mapping[str, Frame]) -> Frame:
        """Return its frame from those of the others."""
        partner = found[self.partner] if self.partner in found else scene.frames[self.partner]
        direction = partner.direction * self.turn(scene)
        return Frame(self.end.place(scene, found) - direction * scene.local(self.link, self.end.joint), direction)


def _legs(scene: Scene, group: Group) -> dict[str, _Strut | _Block]:
    """Return the links that are tied by two pins alone, or a pin and a guide, to links that are none of these."""
    contacts = scene.contacts(group.links)
    higher = {
        *scene.mechanism.joints.of(TurnCoupling),
        *scene.mechanism.joints.of(Cam),
        *scene.mechanism.joints.of(Geneva),
    }
    if any(contact.joint in higher for contact in contacts) or len(group.links) == 1:
        return {}
    ends: dict[str, list[_End]] = {link: [] for link in group.links}
    guides: dict[str, list[str]] = {link: [] for link in group.links}
    barred = {link for id in group.drivers for link in _links_of(scene, group, id)}
    for contact in contacts:
        pair = (contact.link, contact.other)
        for link, on in (pair, pair[::-1]):
            if link is None:
                continue
            if contact.kind == "P":
                guides[link].append(contact.joint)
            else:
                ends[link].append(_End(contact.joint, on))
            if contact.kind not in "RP" or scene.is_attached(contact.joint):
                barred.add(link)
    legs: dict[str, _Strut | _Block] = {}
    for link in group.links:
        pins, slides = ends[link], guides[link]
        if link in barred or any(end.on in legs for end in pins):
            continue
        if not slides and len({end.joint for end in pins}) == len(pins) == 2:
            legs[link] = _Strut(link, (pins[0], pins[1]))
        elif len(slides) == len(pins) == 1:
            guide = scene.guide(slides[0])
            partner = guide.carrier if link == guide.slider else guide.slider
            if partner not in legs:
                legs[link] = _Block(link, slides[0], partner, pins[0])
    return legs


def _links_of(scene: Scene, group: Group, driver: str) -> tuple[str, ...]:
    """Return the links that a driver acts on; at a shared pin each of the group stands for the one that it names."""
    drive = scene.mechanism.drives[driver]
    points = [point for _, point in drive.ends or ()]
    there = (link for link in group.links for point in points if point in scene.mechanism.links[link].local)
    return (*drive.links, *(end[0] for end in drive.ends or ()), *there)


class _Writer:
    """Collects points, directions and rows; a source k >= 0 is a link of the group, -1 - j the vector input j."""

    def __init__(self, scene: Scene, group: Group, index: int) -> None:
        self._scene, self._index = scene, index
        self._unknown = {link: k for k, link in enumerate(group.links)}
        self._vectors: list[Operand] = []
        self._unit: list[bool] = []
        self._scalars: list[Operand] = []
        self._points: list[tuple[int, complex]] = []
        self._directions: list[tuple[int, complex, int]] = []
        self._pins: list[tuple[int, int]] = []
        self._parallels: list[tuple[int, int]] = []
        self._lines: list[tuple[int, int, int, float]] = []
        self._travels: list[tuple[int, int, int, float, int]] = []
        self._distances: list[tuple[int, int, int]] = []
        self._gears: list[tuple[float, int]] = []
        self._turns: list[tuple[int, int, float]] = []
        self._lines_of_centers: dict[str, tuple[complex, complex]] = {}
        self._cams: list[CamRow] = []
        self._reaches: list[float] = []

    def rows(self) -> Rows:
        """Return the rows written so far."""
        return Rows(
            len(self._unknown), len(self._vectors), len(self._scalars), tuple(self._points), tuple(self._directions),
            tuple(self._pins), tuple(self._parallels), tuple(self._lines), tuple(self._travels), tuple(self._distances),
            tuple(self._gears), tuple(self._turns), tuple(self._unit), self._size(), tuple(self._cams), self._sizes(),
        )  # fmt: skip

    def inputs(self) -> tuple[Operand, ...]:
        """Return the vector inputs, then the scalar inputs."""
        return (*self._vectors, *self._scalars)

    def sketch(self) -> list[tuple[complex, complex]]:
        """Return origin and direction of each unknown link in the sketch."""
        return [self._lines_of_centers.get(link) or self._scene.sketch_frame(link) for link in self._unknown]

    def joint(self, contact: Contact) -> None:
        """Write the rows of a joint."""
        mesh = self._scene.mechanism.joints.of(TurnCoupling).get(contact.joint)
        if mesh is not None:
            self._mesh(mesh)
            return
        if contact.kind == "R":
            first = self._point(contact.link, contact.joint)
            other = contact.other
            second = (
                self._known(self._scene.pins[contact.joint]) if other is None else self._point(other, contact.joint)
            )
            self._pins.append((first, second))
            return
        geneva = self._scene.mechanism.joints.of(Geneva).get(contact.joint)
        if geneva is not None:
            message = f"the wheel '{geneva.wheel}' is not found from its crank '{geneva.crank}' alone"
            hint = "drive the crank's shaft; a wheel cannot drive its crank"
            raise InputError([Problem(f"joints.{geneva.id}", message, hint)], self._scene.mechanism.title)
        cam = self._scene.mechanism.joints.of(Cam).get(contact.joint)
        if cam is not None:
            self._cams.append(self._cam(cam))
            return
        arc = self._scene.mechanism.joints.of(CircularSlot).get(contact.joint)
        if arc is not None:
            center, pin = self._place(arc.carrier, arc.center), self._slider_point(arc)
            self._distances.append((center, pin, self._scalar(0.5 * arc.radius**2)))
            return
        guide = self._scene.guide(contact.joint)
        if guide.turn is not None:
            self._parallels.append((self._direction(guide.carrier, guide.turn), self._direction(guide.slider)))
        self._lines.append((*self._line(contact.joint), guide.offset))

    def _mesh(self, mesh: TurnCoupling) -> None:
        """Write the row of a gear, belt or rack, or the two of a rolling contact."""
        first, second = mesh.links
        if mesh.ratio is not None:
            carrier = mesh.arm or self._line_of_centers(mesh)
            factors = {first: 1.0, second: -mesh.ratio}
            factors[carrier] = mesh.ratio - 1.0
            unit = self._size() / max(map(abs, factors.values()))
            start, known = self._weigh(len(self._gears), {link: unit * factor for link, factor in factors.items()})
            self._gears.append((start, known))
            return
        assert mesh.guide is not None
        guide = self._scene.guide(mesh.guide)
        if mesh.guide == mesh.id:
            self._lines.append((*self._line(mesh.id), guide.offset))
        start, known = self._weigh(-1 - len(self._travels), {first: -mesh.lever, second: mesh.lever})
        self._travels.append((*self._line(mesh.guide), guide.start + mesh.shift + start, known))

    def _weigh(self, row: int, factors: Mapping[str, float]) -> tuple[float, int]:
        """Add factor * turn of each link to a row; return what it starts from, and the scalar of what is known."""
        start, known = 0.0, Affine()
        for link, factor in factors.items():
            if link in self._unknown:
                k = self._unknown[link]
                self._turns.append((row, k, factor))
                start += factor * cmath.phase(self.sketch()[k][1])
            elif factor != 0.0:
                known = known - turn_of(self._scene, link, self._index) * factor
        return start, self._scalar(scalar(self._scene, known, self._index)) if known.terms else -1

    def _line_of_centers(self, mesh: TurnCoupling) -> str:
        """Add the line between the centres of two circles in touch, as a link that carries both; return its name."""
        name, centers = f"@{mesh.id}", [center for center in mesh.centers if center is not None]
        frames = [self._scene.sketch_frame(link) for link in mesh.links]
        places = [origin + turn * center for (origin, turn), center in zip(frames, centers, strict=True)]
        way = places[1] - places[0]
        self._unknown[name] = len(self._unknown)
        self._lines_of_centers[name] = places[0], way / abs(way)
        for link, center, at in zip(mesh.links, centers, (0.0, mesh.reach), strict=True):
            self._pins.append((self._place(link, center), self._place(name, complex(at))))
        return name

    def _cam(self, cam: Cam) -> CamRow:
        """Return the row of a cam: the travel or the angle of its follower's joint is a function of its angle."""
        if isinstance(cam, ProfileCam):
            return self._contact(cam)
        assert isinstance(cam, LawCam)
        require_carrier(self._scene, cam, tuple(self._unknown))
        a, b = self._direction(cam.cam), self._direction(cam.carrier)
        if cam.moves.hinge is not None:
            return CamRow("turn", cam.follow, b, a, self._direction(cam.follower), b)
        d, i, j = self._line(cam.joint)
        start = self._scene.guide(cam.joint).start
        return CamRow("travel", replace(cam.follow, shift=cam.follow.shift + start), b, a, d, -1, i, j)

    def _contact(self, cam: ProfileCam) -> CamRow:
        """Return the row of a profile: how far the follower is from the cam's centre is a function of the direction."""
        b = self._direction(cam.cam)
        centre, touch = self._place(cam.cam, cam.centre), self._place(cam.follower, cam.touch)
        if cam.normal is None:
            return CamRow("radius", cam.met, b, i=centre, j=touch)
        # The face lies along -i times its normal.
        face = self._direction(cam.follower, -1j * cam.normal)
        return CamRow("face", Follow(cam.met, phase=0.5 * np.pi), b, d=face, i=centre, j=touch)

    def driver(self, id: str) -> None:
        """Write the row of a driver."""
        scene, drive = self._scene, self._scene.mechanism.drives[id]
        if drive.kind == "distance":
            assert drive.ends is not None
            first_end, second_end = (self._end(*end) for end in drive.ends)
            self._distances.append((first_end, second_end, self._scalar(half_square_of(scene, id, self._index))))
            return
        if drive.kind == "angle":
            self._parallels.append(self._driven_angle(drive))
            return
        slot = scene.tape.driver(id, self._index, angular=False, value=drive.start)
        assert drive.joint is not None
        self._travels.append((*self._line(drive.joint), scene.guide(drive.joint).start, self._scalar(slot)))

    def _driven_angle(self, drive: Drive) -> tuple[int, int]:
        """Return two directions that are parallel: that of the first link, turned by the angle, and the second's.

        A constant direction is turned once and for all, so that only two factors are left.
        """
        first, second = drive.links

        def turned(link: str, sign: int) -> int:
            slot = self._scene.tape.driver(drive.id, self._index, angular=True, value=drive.start, sign=sign)
            turner = self._input(slot, unit=True)
            frame = None if link in self._unknown else self._scene.frames[link]
            if frame is None or frame.direction.terms:
                return self._direction(link, turner=turner)
            self._directions.append((-1 - turner, frame.direction.const, -1))
            return len(self._directions) - 1

        if second not in self._unknown and not self._scene.frames[second].direction.terms:
            return self._direction(first), turned(second, -1)
        return turned(first, 1), self._direction(second)

    def strut(self, link: str, ends: tuple[_End, _End]) -> None:
        """Write the row of a link that keeps two pins apart."""
        scene = self._scene
        span = abs(scene.local(link, ends[1].joint) - scene.local(link, ends[0].joint))
        places = [self._known(scene.pins[e.joint]) if e.on is None else self._point(e.on, e.joint) for e in ends]
        self._reaches += [0.0] * (len(self._distances) - len(self._reaches)) + [span]
        self._distances.append((places[0], places[1], self._scalar(0.5 * span**2)))

    def block(self, block: _Block) -> None:
        """Write the row of a link that keeps a pin on a guide, in the frame of the link at the other side of that."""
        scene, guide, end, turn = self._scene, self._scene.guide(block.joint), block.end, block.turn(self._scene)
        local = scene.local(block.link, end.joint)
        if block.link == guide.slider:
            start, along, offset = guide.origin + turn * (local - guide.point), guide.direction, guide.offset
        else:
            start, along, offset = guide.point + turn * (local - guide.origin), turn * guide.direction, -guide.offset
        corner = self._known(scene.pins[end.joint]) if end.on is None else self._point(end.on, end.joint)
        line = self._direction(block.partner, along), self._place(block.partner, start), corner
        self._lines.append((*line, offset))

    def _sizes(self) -> tuple[float, ...]:
        """Return what makes each distance comparable: the length of a strut, else the size of the group."""
        return tuple(reach or self._size() for reach in self._reaches)

    def _scalar(self, operand: Operand) -> int:
        self._scalars.append(operand)
        return len(self._scalars) - 1

    def _line(self, joint: str) -> tuple[int, int, int]:
        """Return direction, line's point and slider's point of a guide."""
        guide = self._scene.guide(joint)
        origin = self._place(guide.carrier, guide.origin)
        return self._direction(guide.carrier, guide.direction), origin, self._slider_point(guide)

    def _slider_point(self, guide: Guide | CircularSlot) -> int:
        scene = self._scene
        if guide.slider in self._unknown or guide.slider in scene.frames:
            return self._place(guide.slider, guide.point)
        # The slot takes a shared pin whose listed link comes later: any link there, or the pin itself, stands for it.
        body = scene.mechanism.links[guide.slider]
        name = next(point for point, local in body.local.items() if local == guide.point)
        return self._end(guide.slider, name)

    def _end(self, link: str, point: str) -> int:
        """Return a point that a link of the group has, or that is known."""
        scene = self._scene
        if point in scene.pins:
            return self._known(scene.pins[point])
        if link not in self._unknown and link not in scene.frames:
            link = next(name for name in self._unknown if point in scene.mechanism.links[name].local)
        return self._point(link, point)

    def _point(self, link: str, point: str) -> int:
        return self._place(link, self._scene.local(link, point))

    def _place(self, link: str, local: complex) -> int:
        if link not in self._unknown:
            return self._known(self._scene.frames[link].point(local))
        self._points.append((self._unknown[link], local))
        return len(self._points) - 1

    def _known(self, place: Affine) -> int:
        source = -1 - self._input(self._scene.tape.vector(place, self._index), unit=False)
        self._points.append((source, 0j))
        return len(self._points) - 1

    def _direction(self, link: str, factor: complex = 1, *, turner: int = -1) -> int:
        if link in self._unknown:
            source = self._unknown[link]
        else:
            source = -1 - self._input(
                self._scene.tape.vector(self._scene.frames[link].direction, self._index), unit=True
            )
        self._directions.append((source, complex(factor), turner))
        return len(self._directions) - 1

    def _input(self, operand: Operand, *, unit: bool) -> int:
        if operand not in self._vectors:
            self._vectors.append(operand)
            self._unit.append(unit)
        return self._vectors.index(operand)

    def _size(self) -> float:
        """Return the largest distance between two points of a link of the group, or of the sketch."""
        links = [self._scene.mechanism.links[link] for link in self._unknown if link not in self._lines_of_centers]
        spans = [abs(a - b) for link in links for a in link.local.values() for b in link.local.values()]
        places = list(self._scene.mechanism.points.values())
        return max(spans, default=0.0) or max((abs(a - places[0]) for a in places), default=0.0) or 1.0
