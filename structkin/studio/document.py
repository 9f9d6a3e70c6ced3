"""A mechanism file under edit: its sections as plain data, never changed in place."""

from __future__ import annotations

import copy
import math
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from itertools import count
from string import ascii_uppercase
from typing import Any

from structkin.errors import InputError, Problem, raise_problems
from structkin.model.flaw import Flaw
from structkin.model.units import Units, check_file_unit
from structkin.studio.door import flaws

GROUND = "ground"
#: Points, joints, drivers and forces share one set of names.
SHARED = ("points", "joints", "drivers", "forces")
#: Digits of a coordinate that a pointer gives, relative to the size of the drawing.
DIGITS = 5


def refuse(key: str, message: str, hint: str = "") -> InputError:
    """Return an error with a single problem."""
    return InputError([Problem(key, message, hint)], "studio")


@dataclass(frozen=True)
class Document:
    """The sections of a mechanism file as they are written; `InputError` lists what a document may not hold.

    >>> four_bar = Document({"points": {"A": [0, 0], "B": [3, 4]}, "links": {"ground": ["A"], "crank": ["A", "B"]}})
    >>> four_bar.members("crank"), four_bar.place("B"), four_bar.holders("A")
    (['A', 'B'], (3+4j), ['ground', 'crank'])
    """

    data: Mapping[str, Any]

    def __post_init__(self) -> None:
        """Check what comes in: every document passes here, from wherever it is."""
        raise_problems(flaws(self.data), "studio")

    def section(self, name: str) -> Mapping[str, Any]:
        """Return a section; an empty one if it is missing."""
        found: Mapping[str, Any] = self.data.get(name, {})
        return found

    def changed(self, change: Callable[[dict[str, Any]], None]) -> Document:
        """Return the document changed by a function; sections that it leaves empty are kept only if they are needed."""
        data = copy.deepcopy(dict(self.data))
        for name in ("points", "links"):
            data.setdefault(name, {})
        change(data)
        for name in ("lengths", "joints", "drivers", "forces", "initial"):
            if data.get(name) == {}:
                del data[name]
        return Document(data)

    @cached_property
    def units(self) -> Units:
        """The units of the file; those that cannot be read count as the default."""
        chosen: dict[str, Any] = {}
        for kind, name in self.section("units").items():
            with suppress(Flaw, KeyError):
                chosen[kind] = check_file_unit(kind, name)
        return Units(**chosen)

    def length(self, value: Any) -> float | None:
        """Return a length in the file's unit, None if it cannot be read."""
        try:
            return self.units.quantity(value, "length") / self.units.length_scale
        except Flaw:
            return None

    def place(self, point: str) -> complex | None:
        """Return the sketched place of a point in the file's unit, None if it cannot be read."""
        value = self.section("points").get(point)
        if not isinstance(value, list | tuple) or len(value) != 2:
            return None
        x, y = (self.length(item) for item in value)
        return None if x is None or y is None else complex(x, y)

    def known_place(self, point: str) -> complex:
        """Return the place of a point; raise `InputError` if there is none."""
        found = self.place(point)
        if found is None:
            raise refuse(f"points.{point}", "there is no such point, or its place cannot be read")
        return found

    @cached_property
    def places(self) -> dict[str, complex]:
        """The places of all points that can be read, in the file's unit."""
        return {name: place for name in self.section("points") if (place := self.place(name)) is not None}

    @cached_property
    def size(self) -> float:
        """The extent of the sketch in the file's unit; 1 if nothing is drawn yet."""
        places = list(self.places.values())
        spans = [max(part) - min(part) for part in zip(*((z.real, z.imag) for z in places), strict=True)]
        return max(spans, default=0.0) or max((abs(z) for z in places), default=0.0) or 1.0

    def rounded(self, place: complex) -> list[float]:
        """Return a place from a pointer with as many digits as are meaningful; level with a point, it stays level.

        >>> Document({"points": {"A": [0, 0.12345], "B": [120, 0]}}).rounded(33.33333 + 0.12345j)
        [33.33, 0.12345]
        """
        decimals = DIGITS - 1 - math.floor(math.log10(self.size))
        columns = {point.real for point in self.places.values()}
        rows = {point.imag for point in self.places.values()}
        x, y = place.real, place.imag
        return [x if x in columns else round(x, decimals) + 0.0, y if y in rows else round(y, decimals) + 0.0]

    def members(self, link: str) -> list[str]:
        """Return the points of a link."""
        return members(self.section("links").get(link))

    def holders(self, point: str) -> list[str]:
        """Return the links that have a point."""
        return [link for link in self.section("links") if point in self.members(link)]

    def new_point(self) -> str:
        """Return the first free of A, B, ... Z, A1, B1, ..."""
        taken = self._taken()
        names = (f"{letter}{number or ''}" for number in count() for letter in ascii_uppercase)
        return next(name for name in names if name not in taken)

    def new_link(self) -> str:
        """Return the first free of link1, link2, ..."""
        return next(name for k in count(1) if (name := f"link{k}") not in self.section("links"))

    def new_name(self, stem: str) -> str:
        """Return a free name for a joint, driver or force: the stem, or with a number."""
        taken = self._taken()
        return next(name for name in self.numbered(stem) if name not in taken)

    def numbered(self, stem: str) -> Iterator[str]:
        """Yield a stem, and then the stem with 2, 3, ..."""
        yield stem
        yield from (f"{stem}{k}" for k in count(2))

    def _taken(self) -> set[str]:
        return {name for section in SHARED for name in self.section(section)} | {GROUND}


def members(link: Any) -> list[str]:
    """Return the points of an entry of [links]: a list, or a table with `points`."""
    points = link.get("points") if isinstance(link, Mapping) else link
    return list(points) if isinstance(points, list | tuple) else []


def with_members(link: Any, points: list[str]) -> Any:
    """Return an entry of [links] with other points."""
    return {**link, "points": points} if isinstance(link, Mapping) else points
