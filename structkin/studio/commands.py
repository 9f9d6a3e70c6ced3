"""What a user does to a document: small immutable commands, each a message of the protocol.

`read` checks a message and returns its command; `command.apply(document)` returns the new document and leaves the old
one unchanged. Places and lengths are in the file's unit of length, angles in its unit of angle. A command that cannot
be applied to a document raises `InputError`; one that makes the mechanism invalid does not: the problem is shown with
its cure.
"""

from __future__ import annotations

import cmath
from typing import Annotated, Any, Literal

from pydantic import Field, TypeAdapter, ValidationError

from structkin.errors import raise_problems
from structkin.model.collector import Collector
from structkin.model.document import FORBIDDEN
from structkin.studio import locks, references
from structkin.studio.command import Command, Name, Number, Place, check_there
from structkin.studio.document import GROUND, SHARED, Document, members, refuse, with_members
from structkin.studio.faults import refusal
from structkin.studio.several import Align, DeletePoints, Duplicate, Transform

#: Names that mean something else: to a mechanism file, and to the objects of the page.
RESERVED = (GROUND, "__proto__")
Section = Literal["points", "links", "joints", "drivers", "forces"]
Entries = Literal["links", "joints", "drivers", "forces", "initial"]


class AddPoint(Command):
    """Add a point to these links, or to none yet."""

    op: Literal["add_point"]
    at: Place
    links: list[Name] = Field(default_factory=list)
    name: Name = ""

    def apply(self, document: Document) -> Document:
        """Return the document after the command."""
        name = self.name or document.new_point()
        _check_free(document, "points", name)

        def change(data: dict[str, Any]) -> None:
            data["points"][name] = document.rounded(complex(*self.at))
            for link in self.links:
                _join(data, link, name)

        return document.changed(change)


class MovePoint(Command):
    """Move a point of the sketch; given lengths are kept as far as possible.

    A place from a pointer gets as many digits as are meaningful; one that was `typed` keeps all of its digits, and is
    refused if given lengths do not allow it.
    """

    op: Literal["move_point"]
    point: Name
    at: Place
    typed: bool = False

    def apply(self, document: Document) -> Document:
        """Return the document after the command."""
        document.known_place(self.point)
        if self.typed:
            locks.check(document, self.point, complex(*self.at))
            spot = [*self.at]
        else:
            place = locks.nearest(document, self.point, complex(*self.at))
            spot = document.rounded(place) if place == complex(*self.at) else [place.real, place.imag]
        return document.changed(lambda data: data["points"].update({self.point: spot}))


class MergePoints(Command):
    """Merge a point into another one: links that had either then share a pin."""

    op: Literal["merge_points"]
    keep: Name
    drop: Name

    def apply(self, document: Document) -> Document:
        """Return the document after the command."""
        for point in (self.keep, self.drop):
            check_there(document, "points", point)
        if self.keep == self.drop:
            raise refuse(f"points.{self.keep}", "a point cannot be merged with itself")
        shared = [link for link in document.holders(self.keep) if self.drop in document.members(link)]
        if any(len(document.members(link)) == 2 and link != GROUND for link in shared):
            raise refuse(f"links.{shared[0]}", "merging its two points would leave a link of no length")
        return _with_pairs(document, document.changed(lambda data: references.merge_point(data, self.keep, self.drop)))


class Attach(Command):
    """Give a point to a link: shared by two links, it is a pin."""

    op: Literal["attach"]
    point: Name
    link: Name

    def apply(self, document: Document) -> Document:
        """Return the document after the command."""
        check_there(document, "points", self.point)
        return _with_pairs(document, document.changed(lambda data: _join(data, self.link, self.point)))


class Detach(Command):
    """Take a point from a link; the point stays."""

    op: Literal["detach"]
    point: Name
    link: Name

    def apply(self, document: Document) -> Document:
        """Return the document after the command."""
        if self.point not in document.members(self.link):
            raise refuse(f"links.{self.link}", f"does not have the point '{self.point}'")
        rest = [point for point in document.members(self.link) if point != self.point]
        if not rest and self.link != GROUND:
            return document.changed(lambda data: references.delete(data, "links", self.link))
        return document.changed(
            lambda data: data["links"].update({self.link: with_members(data["links"][self.link], rest)})
        )


class AddLink(Command):
    """Add a link through points, named ones or new ones by their places."""

    op: Literal["add_link"]
    points: Annotated[list[Name | Place], Field(min_length=1, max_length=50)]
    name: Name = ""

    def apply(self, document: Document) -> Document:
        """Return the document after the command."""
        name = self.name or document.new_link()
        _check_free(document, "links", name)
        points: list[str] = []
        for item in self.points:
            point = item if isinstance(item, str) else document.new_point()
            if not isinstance(item, str):
                document = AddPoint(op="add_point", at=item, name=point).apply(document)
            check_there(document, "points", point)
            points.append(point)
        if len(set(points)) < len(points):
            raise refuse(f"links.{name}", "names a point twice", "a link needs two different points")
        return _with_pairs(document, document.changed(lambda data: data["links"].update({name: points})))


class Put(Command):
    """Add or replace the entry of that name: a joint, a driver, a force, or a link as a table."""

    op: Literal["put"]
    section: Entries
    entry: dict[str, Any]
    name: Name = ""

    def apply(self, document: Document) -> Document:
        """Return the document after the command."""
        stem = {"drivers": "drive", "links": "link"}.get(self.section, str(self.entry.get("type", "joint")))
        name = self.name or document.new_name(stem.replace("-", " "))
        if self.section in SHARED and name not in document.section(self.section):
            _check_free(document, self.section, name)
        return document.changed(lambda data: data.setdefault(self.section, {}).update({name: self.entry}))


class Slide(Command):
    """Let a point slide along an axis of a link: a block is pinned to it, and a prismatic joint holds the block."""

    op: Literal["slide"]
    point: Name
    slot: Name
    axis: Place

    def apply(self, document: Document) -> Document:
        """Return the document after the command."""
        check_there(document, "points", self.point)
        if self.slot != GROUND:
            check_there(document, "links", self.slot)
        links = document.section("links")
        block = next(name for name in document.numbered("slider") if name not in links)
        joint = document.new_name("guide")
        entry = {"type": "prismatic", "links": [block, self.slot], "at": self.point, "axis": [*self.axis]}

        def change(data: dict[str, Any]) -> None:
            data["links"][block] = [self.point]
            data.setdefault("joints", {})[joint] = entry

        return _with_pairs(document, document.changed(change))


class Drive(Command):
    """Drive a joint instead of the driver that is named, or else of the only one; its speed is kept."""

    op: Literal["drive"]
    joint: Name
    links: tuple[Name, Name] | None = None
    instead: Name = ""

    def apply(self, document: Document) -> Document:
        """Return the document after the command."""
        drivers, joints = document.section("drivers"), document.section("joints")
        old = self.instead or (next(iter(drivers)) if len(drivers) == 1 else "")
        if old and old not in drivers:
            raise refuse(f"drivers.{old}", "there is no such driver")
        _check_joint(document, self.joint)
        before = drivers.get(old, {})
        slides, slid = (
            joints.get(str(joint), {}).get("type") == "prismatic" for joint in (self.joint, before.get("joint", ""))
        )
        speed = f"{0.2 * document.size:.3g} {document.units.length}/s" if slides else "30 rpm"
        if "speed" in before and "between" not in before and slides == slid:
            speed = before["speed"]
        entry = {"joint": self.joint, **({"links": list(self.links)} if self.links else {}), "speed": speed}
        name = old or document.new_name("motor")
        return document.changed(lambda data: data.setdefault("drivers", {}).update({name: entry}))


class Rename(Command):
    """Rename a point, link, joint, driver or force wherever it is named."""

    op: Literal["rename"]
    section: Section
    name: Name
    to: Name

    def apply(self, document: Document) -> Document:
        """Return the document after the command."""
        check_there(document, self.section, self.name)
        if self.name == GROUND and self.section == "links":
            raise refuse("links.ground", "the fixed link keeps its name")
        if self.to == self.name:
            return document
        _check_free(document, self.section, self.to)
        return document.changed(lambda data: references.rename(data, self.section, self.name, self.to))


class Delete(Command):
    """Delete an entry, with everything that depends on it."""

    op: Literal["delete"]
    section: Section
    name: Name

    def apply(self, document: Document) -> Document:
        """Return the document after the command."""
        check_there(document, self.section, self.name)
        if self.section == "links" and self.name == GROUND:
            return document.changed(lambda data: data["links"].update({GROUND: []}))
        return document.changed(lambda data: references.delete(data, self.section, self.name))


class SetLength(Command):
    """Set or remove the exact distance between two points of a link; the sketch is moved to agree."""

    op: Literal["set_length"]
    first: Name
    second: Name
    length: Annotated[Number, Field(gt=0)] | None

    def apply(self, document: Document) -> Document:
        """Return the document after the command."""
        a, b = document.known_place(self.first), document.known_place(self.second)
        held = [link for link in document.holders(self.first) if self.second in document.members(link)]
        if not held:
            raise refuse(f"points.{self.second}", f"no link has both '{self.first}' and '{self.second}'",
                         "only points of one link have a length between them")  # fmt: skip
        if a == b:
            raise refuse(f"points.{self.second}", "coincides with the other point: the length has no direction")
        key = {f"{self.first}-{self.second}", f"{self.second}-{self.first}"}

        def change(data: dict[str, Any]) -> None:
            lengths = data.setdefault("lengths", {})
            name = next((name for name in lengths if name in key), f"{self.first}-{self.second}")
            if self.length is None:
                lengths.pop(name, None)
                return
            lengths[name] = self.length
            moved = a + (b - a) * (self.length / abs(b - a))
            if self.second not in members(data["links"].get(GROUND)):
                data["points"][self.second] = [moved.real, moved.imag]

        return document.changed(change)


class SetAngle(Command):
    """Turn the direction from one point to another: the second one moves."""

    op: Literal["set_angle"]
    first: Name
    second: Name
    angle: Number

    def apply(self, document: Document) -> Document:
        """Return the document after the command."""
        a, b = document.known_place(self.first), document.known_place(self.second)
        moved = a + cmath.rect(abs(b - a), self.angle * document.units.angle_scale)
        return document.changed(lambda data: data["points"].update({self.second: [moved.real, moved.imag]}))


class SetHead(Command):
    """Set the title, the duration or the units of the document; null removes them. Numbers are not converted."""

    op: Literal["set_head"]
    key: Literal["title", "duration", "units"]
    value: str | Number | dict[str, str] | None

    def apply(self, document: Document) -> Document:
        """Return the document after the command."""
        # top-level keys come before the sections
        rest = {name: value for name, value in document.data.items() if name != self.key}
        return Document(rest if self.value is None else {self.key: self.value, **rest})


class SetGravity(Command):
    """Set the acceleration of gravity [m/s^2]; null removes it."""

    op: Literal["set_gravity"]
    value: Place | None

    def apply(self, document: Document) -> Document:
        """Return the document after the command."""
        rest = {name: entry for name, entry in document.section("forces").items() if name != "gravity"}
        forces = rest if self.value is None else {"gravity": [*self.value], **rest}
        return document.changed(lambda data: data.update(forces=forces))


class Replace(Command):
    """Replace this document by another one: a new one, a shared one, or one that the browser kept."""

    op: Literal["replace"]
    document: dict[str, Any]

    def apply(self, document: Document) -> Document:
        """Return the document after the command."""
        return Document(self.document)


AnyCommand = (
    AddPoint | MovePoint | MergePoints | Attach | Detach | AddLink | Put | Drive | Rename | Delete | SetLength
    | SetAngle | SetHead | SetGravity | Replace | Slide | Transform | Align | Duplicate | DeletePoints
)  # fmt: skip
_READER: TypeAdapter[Command] = TypeAdapter(Annotated[AnyCommand, Field(discriminator="op")])


def read(message: Any) -> Command:
    """Return the command of a message; raise `InputError` if it is not one.

    >>> read({"op": "add_point", "at": [0, 1]})
    AddPoint(op='add_point', at=(0.0, 1.0), links=[], name='')
    """
    try:
        return _READER.validate_python(message)
    except ValidationError as error:
        raise refusal(error) from None


# --- what commands share ------------------------------------------------------------------------------------


def _check_free(document: Document, section: str, name: str) -> None:
    names, key = Collector(), f"{section}.{name}".rstrip(".")
    names.check_name(key, name, FORBIDDEN)
    if name in RESERVED:
        names.fault(key, f"the name '{name}' is reserved", "choose another name")
    raise_problems(names.problems, "studio")
    others = ("links",) if section == "links" else SHARED
    taken = [other for other in others if name in document.section(other)]
    if taken:
        raise refuse(f"{section}.{name}", f"the name is already taken in [{taken[0]}]", "choose another name")


def _check_joint(document: Document, joint: str) -> None:
    if joint not in document.section("joints") and len(document.holders(joint)) < 2:
        raise refuse(f"joints.{joint}", "there is no such joint", "a pin is a point that two links share")


def _join(data: dict[str, Any], link: str, point: str) -> None:
    if link not in data["links"] and link != GROUND:
        raise refuse(f"links.{link}", "there is no such link")
    entry = data["links"].get(link, [])
    if point in members(entry):
        raise refuse(f"links.{link}", f"already has the point '{point}'")
    data["links"][link] = with_members(entry, [*members(entry), point])


def _with_pairs(before: Document, after: Document) -> Document:
    return after.changed(lambda data: references.name_pairs(before.data, data))
