"""Writing the equations of a group without closed form as index rows for the general solver."""

from __future__ import annotations

from collections.abc import Mapping

from structkin.errors import Problem, StructureError
from structkin.groups import General, Rows
from structkin.kinematics.affine import Affine, Frame
from structkin.kinematics.closed_forms import half_square_of
from structkin.kinematics.plan import Operand
from structkin.kinematics.scene import Contact, Scene
from structkin.structure import Group


def solve_general(scene: Scene, group: Group, index: int) -> Mapping[str, Frame]:
    """Record one step that solves all links of the group together, and return their frames."""
    form, inputs = write_rows(scene, group, index)
    if form.rows.count < 3 * len(group.links):
        raise StructureError(
            [
                Problem(
                    f"group {index + 1}",
                    f"{form.rows.count} equations for the {3 * len(group.links)} unknowns of {', '.join(group.links)}",
                    "please report this mechanism",
                )
            ],
            scene.mechanism.title,
        )
    sketch = [value for link in group.links for value in scene.sketch_frame(link)]
    slots = scene.tape.step(form, inputs, sketch, group=index)
    return {
        link: Frame(Affine.slot(origin), Affine.slot(direction))
        for link, origin, direction in zip(group.links, slots[0::2], slots[1::2], strict=True)
    }


def write_rows(scene: Scene, group: Group, index: int) -> tuple[General, tuple[Operand, ...]]:
    """Return the equations of a group's joints and drivers, and what they take in."""
    writer = _Writer(scene, group, index)
    for contact in scene.contacts(group.links):
        writer.joint(contact)
    for driver in group.drivers:
        writer.driver(driver)
    return General(writer.rows()), writer.inputs()


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

    def rows(self) -> Rows:
        """Return the rows written so far."""
        return Rows(
            len(self._unknown), len(self._vectors), len(self._scalars), tuple(self._points), tuple(self._directions),
            tuple(self._pins), tuple(self._parallels), tuple(self._lines), tuple(self._travels), tuple(self._distances),
            tuple(self._unit), self._size(),
        )  # fmt: skip

    def inputs(self) -> tuple[Operand, ...]:
        """Return the vector inputs, then the scalar inputs."""
        return (*self._vectors, *self._scalars)

    def joint(self, contact: Contact) -> None:
        """Write the rows of a joint."""
        if contact.kind == "R":
            first = self._point(contact.link, contact.joint)
            other = contact.other
            second = (
                self._known(self._scene.pins[contact.joint]) if other is None else self._point(other, contact.joint)
            )
            self._pins.append((first, second))
            return
        guide = self._scene.guide(contact.joint)
        if guide.turn is not None:
            self._parallels.append((self._direction(guide.carrier, guide.turn), self._direction(guide.slider)))
        self._lines.append((*self._line(contact.joint), guide.offset))

    def driver(self, id: str) -> None:
        """Write the row of a driver."""
        scene, drive = self._scene, self._scene.mechanism.drives[id]
        if drive.kind == "distance":
            assert drive.ends is not None
            first_end, second_end = (self._end(*end) for end in drive.ends)
            self._distances.append((first_end, second_end, self._scalar(half_square_of(scene, id, self._index))))
            return
        slot = scene.tape.driver(id, self._index, angular=drive.kind == "angle", value=drive.start)
        if drive.kind == "angle":
            first, second = drive.links
            turner = self._input(slot, unit=True)
            self._parallels.append((self._direction(first, turner=turner), self._direction(second)))
            return
        assert drive.joint is not None
        self._travels.append((*self._line(drive.joint), scene.guide(drive.joint).start, self._scalar(slot)))

    def _scalar(self, operand: Operand) -> int:
        self._scalars.append(operand)
        return len(self._scalars) - 1

    def _line(self, joint: str) -> tuple[int, int, int]:
        """Return direction, line's point and slider's point of a guide."""
        guide = self._scene.guide(joint)
        origin = self._place(guide.carrier, guide.origin)
        return self._direction(guide.carrier, guide.direction), origin, self._slider_point(joint)

    def _slider_point(self, joint: str) -> int:
        guide, scene = self._scene.guide(joint), self._scene
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
        links = [self._scene.mechanism.links[link] for link in self._unknown]
        spans = [abs(a - b) for link in links for a in link.local.values() for b in link.local.values()]
        places = list(self._scene.mechanism.points.values())
        return max(spans, default=0.0) or max((abs(a - places[0]) for a in places), default=0.0) or 1.0
