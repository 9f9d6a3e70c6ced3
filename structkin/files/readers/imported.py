"""The result of reading a file of another tool: the sections of a mechanism file, and notes."""

from __future__ import annotations

import cmath
import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from structkin.errors import Problem
from structkin.model.flaw import Flaw, describe, number, short
from structkin.model.mechanism import GROUND

#: The most joints, links and references between them that are read: more than any drawing has.
MOST = 2000

#: Names from other tools are cut to this length.
LONGEST_NAME = 40


@dataclass
class Imported:
    """Sections under construction. `notes` say what was understood and what was not; with `problems` the file fails.

    `grounded` are the links that are parts of the ground.
    """

    title: str = ""
    length: str = "mm"
    points: dict[str, list[float]] = field(default_factory=dict)
    links: dict[str, list[str]] = field(default_factory=lambda: {GROUND: []})
    joints: dict[str, dict[str, Any]] = field(default_factory=dict)
    drivers: dict[str, dict[str, Any]] = field(default_factory=dict)
    forces: dict[str, dict[str, Any]] = field(default_factory=dict)
    duration: float | None = None
    grounded: frozenset[str] = frozenset((GROUND,))
    notes: list[str] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)

    def fault(self, key: str, message: str, hint: str = "") -> None:
        """Record an error: the file cannot be read."""
        self.problems.append(Problem(key, message, hint))

    def number(self, key: str, value: Any) -> float:
        """Return a finite number, given as a number or as text; record an error and return 0 for anything else."""
        try:
            return number(float(value) if isinstance(value, str) else value)
        except Flaw as flaw:
            self.fault(key, flaw.message)
        except ValueError:
            self.fault(key, f"expected a number, found {describe(value)}")
        return 0.0

    def text(self, key: str, value: Any) -> str:
        """Return a text; record an error and return an empty text for anything else."""
        if isinstance(value, str):
            return value
        self.fault(key, f"expected text, found {describe(value)}")
        return ""

    def unique(self, wanted: str, taken: Iterable[str] | None = None) -> str:
        """Return the wanted name without forbidden characters, numbered if it is already taken.

        The names taken are by default those of points, joints and drivers.

        >>> found = Imported(points={"A": [0, 0]})
        >>> found.unique("A"), found.unique("left-hand: crank"), found.unique("  ")
        ('A (2)', 'left hand crank', 'unnamed')
        """
        used = {*self.points, *self.joints, *self.drivers} if taken is None else set(taken)
        plain = " ".join(re.sub(r'[-@,:"]', " ", wanted).split())[:LONGEST_NAME].strip() or "unnamed"
        name, count = plain, 1
        while name in used or name == GROUND:
            count += 1
            name = f"{plain} ({count})"
        return name

    def link(self, wanted: str, points: Iterable[str]) -> str:
        """Add a link, and return its name."""
        name = self.unique(wanted, self.links)
        self.links[name] = list(dict.fromkeys(points))
        return name

    def ground_bars(self) -> None:
        """Make links that are pinned to the ground at two places parts of it, with a note.

        >>> found = Imported(points={"A": [0, 0], "B": [1, 0], "C": [2, 2]})
        >>> found.links = {"ground": ["A", "B"], "bar": ["A", "B", "C"], "arm": ["C"]}
        >>> found.ground_bars()
        >>> found.links, found.bodies(["bar", "arm"])
        ({'ground': ['A', 'B', 'C'], 'arm': ['C']}, ('ground', 'arm'))
        """
        bars: list[str] = []
        fixed = set(self.links[GROUND])
        places = {point: tuple(place) for point, place in self.points.items()}
        while new := [
            link
            for link, points in self.links.items()
            if link != GROUND and len({places[point] for point in points if point in fixed}) > 1
        ]:
            for link in new:
                fixed.update(points := self.links.pop(link))
                self.links[GROUND] += [point for point in points if point not in self.links[GROUND]]
            bars += new
        if bars:
            self.grounded |= frozenset(bars)
            self.notes.append(f"pinned to the ground at two points, so parts of it: {listed(bars)}")

    def bodies(self, links: Iterable[str]) -> tuple[str, ...]:
        """Return the links that links are parts of, each once."""
        return tuple(dict.fromkeys(GROUND if link in self.grounded else link for link in links))

    def angle(self, link: str) -> float:
        """Return the angle [deg] of a link in the sketch: from its first point to its second."""
        places = [complex(*self.points[point]) for point in self._ordered(link)[:2]]
        return math.degrees(cmath.phase(places[1] - places[0])) if link != GROUND and len(places) == 2 else 0.0

    def _ordered(self, link: str) -> list[str]:
        """Return the points of a link, the first two of them at different places if possible."""
        first, *others = self.links[link] or [""]
        apart = next((k for k, point in enumerate(others) if self.points[point] != self.points[first]), 0)
        return self.links[link] if apart == 0 else [first, others[apart], *others[:apart], *others[apart + 1 :]]

    @property
    def sections(self) -> dict[str, Any]:
        """The sections of the mechanism file."""
        found: dict[str, Any] = {
            "title": self.title,
            "units": {"length": self.length, "angle": "deg"},
            "points": self.points,
            "links": {name: self._ordered(name) for name in self.links},
            "joints": self.joints,
            "drivers": self.drivers,
            "forces": self.forces,
            "duration": self.duration,
        }
        return {name: section for name, section in found.items() if section or name in ("points", "links")}


def bounded(count: int) -> None:
    """Raise `Flaw` for more joints, links and references than are read: the work grows with their square."""
    if count > MOST:
        raise Flaw(f"the file has {count:,} joints, links and references between them; at most {MOST:,} are read")


def counted(count: int, thing: str) -> str:
    """Return a count with its noun.

    >>> counted(1, "link"), counted(3, "link")
    ('1 link', '3 links')
    """
    return f"{count} {thing}{'' if count == 1 else 's'}"


def listed(names: Iterable[object]) -> str:
    """Return names as a list, shortened if there are many.

    >>> listed([3, 4, 7]), listed(range(30))
    ('3, 4, 7', '0, 1, 2, 3, 4, 5, 6, 7 and 22 more')
    """
    words = [short(str(name)) for name in names]
    return ", ".join(words) if len(words) <= 9 else f"{', '.join(words[:8])} and {len(words) - 8} more"


def table(found: Imported, key: str, value: Any) -> Mapping[str, Any]:
    """Return a table; record an error and return an empty one for anything else."""
    if isinstance(value, Mapping):
        return value
    found.fault(key, f"expected a table, found {describe(value)}")
    return {}


def tables(found: Imported, key: str, value: Any) -> list[Mapping[str, Any]]:
    """Return a list of tables; None gives an empty list, and anything else is an error."""
    if value is None:
        return []
    if not isinstance(value, list):
        found.fault(key, f"expected a list, found {describe(value)}")
        return []
    bounded(len(value))
    return [table(found, f"{key}[{k}]", item) for k, item in enumerate(value)]
