"""Commands on several points at once: move, turn, scale or mirror them, copy or delete them."""

from __future__ import annotations

import cmath
from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import Field

from structkin.studio import references
from structkin.studio.command import Command, Name, Number, Place, check_there
from structkin.studio.document import GROUND, Document, members, refuse, with_members
from structkin.studio.locks import AGREES

Names = Annotated[list[Name], Field(min_length=1, max_length=5000)]


class Transform(Command):
    """Mirror, scale and turn points about the middle of their box, then bring the first of them to a place.

    Axes of joints at these points, centres of mass of links that have no other points, and given lengths between these
    points follow; radii, strokes and masses stay. It is refused if another given length would not hold.
    """

    op: Literal["transform"]
    points: Names
    mirror: Literal["", "x", "y"] = ""
    scale: Annotated[Number, Field(gt=0)] = 1.0
    turn: Number = 0.0
    to: Place | None = None

    def apply(self, document: Document) -> Document:
        """Return the document after the command."""
        chosen = dict.fromkeys(self.points)
        places = {point: document.known_place(point) for point in chosen}
        middle = 0.5 * sum(complex(op(z.real for z in places.values()), op(z.imag for z in places.values()))
                           for op in (min, max))  # fmt: skip
        factor = cmath.rect(self.scale, self.turn * document.units.angle_scale)

        def turned(z: complex) -> complex:
            mirrored = {"": z, "x": -z.conjugate(), "y": z.conjugate()}[self.mirror]
            return factor * mirrored

        first = next(iter(places))
        by = 0j if self.to is None else complex(*self.to) - (middle + turned(places[first] - middle))
        moved = {point: middle + turned(z - middle) + by for point, z in places.items()}
        _check_lengths(document, moved)

        def change(data: dict[str, Any]) -> None:
            for point, z in moved.items():
                plain = self.scale == 1 and not self.turn
                data["points"][point] = document.rounded(z) if plain else [z.real, z.imag]
            for key, value in data.get("lengths", {}).items():
                length = document.length(value)
                if self.scale != 1 and length and chosen.keys() >= set(key.split("-")):
                    data["lengths"][key] = self.scale * length
            for entry in data.get("joints", {}).values():
                at, axis = entry.get("at", entry.get("pin")), entry.get("axis")
                if isinstance(at, str) and at in chosen and _is_pair(axis):
                    along = turned(complex(*axis)) / self.scale
                    entry["axis"] = [along.real, along.imag]
            for link, entry in data["links"].items():
                own = members(entry)
                if isinstance(entry, Mapping) and _is_pair(entry.get("center")) and chosen.keys() >= set(own):
                    center = middle + turned(complex(*entry["center"]) - middle) + by
                    data["links"][link] = {**entry, "center": [center.real, center.imag]}

        return document.changed(change)


class Align(Command):
    """Bring points to the x or the y of the first of them; it is refused if a given length would not hold."""

    op: Literal["align"]
    points: Names
    axis: Literal["x", "y"]

    def apply(self, document: Document) -> Document:
        """Return the document after the command."""
        first = document.known_place(self.points[0])
        places = {point: document.known_place(point) for point in self.points}
        moved = {
            point: complex(first.real, z.imag) if self.axis == "x" else complex(z.real, first.imag)
            for point, z in places.items()
        }
        _check_lengths(document, moved, (1, 2))
        return document.changed(
            lambda data: data["points"].update({name: [z.real, z.imag] for name, z in moved.items()})
        )


def _is_pair(value: Any) -> bool:
    return isinstance(value, list) and len(value) == 2 and all(isinstance(part, int | float) for part in value)


def _check_lengths(document: Document, moved: Mapping[str, complex], ends_moved: tuple[int, ...] = (1,)) -> None:
    """Raise `InputError` if a given length would not hold of which so many ends are moved."""
    broken = []
    for key, value in document.section("lengths").items():
        ends, length = key.split("-"), document.length(value)
        if len(ends) == 2 and length and len(moved.keys() & set(ends)) in ends_moved:
            a, b = (moved[end] if end in moved else document.place(end) for end in ends)
            before = [document.place(end) for end in ends]
            if a is None or b is None or None in before:
                continue
            gap = abs(abs(a - b) - length)
            was = abs(abs(document.known_place(ends[0]) - document.known_place(ends[1])) - length)
            if gap > max(AGREES * document.size, was):
                broken.append(f"{key} = {length:.6g} {document.units.length}")
    if broken:
        raise refuse("points", f"stay where they are: {' and '.join(broken)} would not hold there",
                     f"unlock {'it' if len(broken) == 1 else 'them'} first, or select the other end too")  # fmt: skip


class Duplicate(Command):
    """Copy points, with the links, joints, drivers, loads and lengths that only these have, and move the copies."""

    op: Literal["duplicate"]
    points: Names
    by: Place

    def apply(self, document: Document) -> Document:
        """Return the document after the command."""
        chosen = dict.fromkeys(self.points)
        links = [
            link for link in document.section("links")
            if link != GROUND and (own := document.members(link)) and chosen.keys() >= set(own)
        ]  # fmt: skip
        names: dict[str, str] = {}
        copies = {GROUND: GROUND}

        def change(data: dict[str, Any]) -> None:
            for point in chosen:
                z = document.known_place(point) + complex(*self.by)
                names[point] = Document(data).new_point()
                data["points"][names[point]] = document.rounded(z)
            for link in links:
                copies[link] = Document(data).new_link()
                entry = data["links"][link]
                copy = with_members(entry, [names[point] for point in members(entry)])
                if isinstance(copy, dict) and _is_pair(copy.get("center")):
                    copy["center"] = [part + step for part, step in zip(copy["center"], self.by, strict=True)]
                if isinstance(copy, dict) and isinstance(copy.get("point_masses"), Mapping):
                    copy["point_masses"] = {names.get(point, point): m for point, m in copy["point_masses"].items()}
                data["links"][copies[link]] = copy
            held = members(data["links"].get(GROUND))
            fixed = [names[point] for point in chosen if point in held]
            if fixed:
                data["links"][GROUND] = with_members(data["links"][GROUND], [*held, *fixed])
            for key, value in list(data.get("lengths", {}).items()):
                ends = key.split("-")
                if chosen.keys() >= set(ends):
                    data["lengths"]["-".join(names[end] for end in ends)] = value
            for section in ("joints", "drivers", "forces"):
                for id, entry in list(data.get(section, {}).items()):
                    copy = references.copied(entry, copies, names)
                    if copy is not None and _has_its_pin(data, copy):
                        names[id] = Document(data).new_name(id)
                        data[section][names[id]] = copy

        return document.changed(change)


def _has_its_pin(data: Mapping[str, Any], entry: Mapping[str, Any]) -> bool:
    """Return whether the joint that an entry names is one: a joint by name, or a pin that links share."""
    joint = entry.get("joint")
    holders = [link for link, one in data["links"].items() if joint in members(one)]
    return not isinstance(joint, str) or joint in data.get("joints", {}) or len(holders) > 1


class DeletePoints(Command):
    """Delete several points, with everything that depends on them."""

    op: Literal["delete_points"]
    points: Names

    def apply(self, document: Document) -> Document:
        """Return the document after the command."""
        for point in self.points:
            check_there(document, "points", point)

        def change(data: dict[str, Any]) -> None:
            for point in self.points:
                if point in data["points"]:  # it may have gone with another one
                    references.delete(data, "points", point)

        return document.changed(change)
