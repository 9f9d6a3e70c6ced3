"""Building a mechanism in Python, with the words of the mechanism file."""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from typing import Any

from structkin.checked import checked
from structkin.errors import InputError, Problem, raise_problems
from structkin.model.mechanism import Mechanism


@checked
class Builder:
    """Collects the sections of a mechanism; `build` makes it, or raises an `InputError` that lists every error.

    >>> m = (
    ...     Builder("Slider-crank")
    ...     .units(length="mm")
    ...     .points(O=(0, 0), A=(20, 0), B=(90, 10))
    ...     .links(ground=["O"], crank=["O", "A"], rod=["A", "B"], piston=["B"])
    ...     .prismatic("guide", links=["piston", "ground"], at="B", axis=(1, 0))
    ...     .drive("motor", joint="O", speed="120 rpm")
    ...     .build()
    ... )
    >>> m
    <Mechanism 'Slider-crank': 4 links, 4 joints, 1 driver>
    >>> m.joints["guide"].origin
    (0.09+0.01j)
    """

    def __init__(self, title: str = "") -> None:
        """Begin with a title."""
        self._data: dict[str, Any] = {"title": title}
        self._problems: list[Problem] = []

    def units(self, *, length: str | None = None, angle: str | None = None, mass: str | None = None) -> Builder:
        """Choose the units of lengths, angles and masses; default SI and radians."""
        self._data["units"] = _given(length=length, angle=angle, mass=mass)
        return self

    def points(self, places: Mapping[str, Any] | None = None, /, **more: Any) -> Builder:
        """Add sketched points: A=(x, y)."""
        return self._add("points", {**(places or {}), **more})

    def links(self, links: Mapping[str, Any] | None = None, /, **more: Any) -> Builder:
        """Add links: crank=["A", "B"], or a dict with points, mass, center, inertia and so on."""
        return self._add("links", {**(links or {}), **more})

    def length(self, first: str, second: str, value: float | str) -> Builder:
        """Set the exact distance between two points of a link."""
        return self._add("lengths", {f"{first}-{second}": value})

    def prismatic(
        self,
        id: str,
        *,
        links: Sequence[str],
        at: str | Sequence[float] | None = None,
        axis: Sequence[float] | None = None,
        along: Sequence[str] | None = None,
        stroke: Sequence[float | str] | None = None,
        ends: Sequence[str] | None = None,
        length: float | str | None = None,
    ) -> Builder:
        """Add a prismatic joint between two links; `stroke` or `ends` limit its travel, `length` is its bearing's."""
        line = {"at": at, "axis": axis, "along": along}
        return self._joint(id, "prismatic", links=links, **line, stroke=stroke, ends=ends, length=length)

    def slot(
        self,
        id: str,
        *,
        pin: str,
        slot: str,
        on: str | None = None,
        axis: Sequence[float] | None = None,
        along: Sequence[str] | None = None,
        center: str | None = None,
        radius: float | str | None = None,
        through: Sequence[str | Sequence[float]] | None = None,
        segments: Sequence[Mapping[str, float | str]] | None = None,
        start: str | Sequence[float] | None = None,
        closed: bool | None = None,
        stroke: Sequence[float | str] | None = None,
        ends: Sequence[str] | None = None,
    ) -> Builder:
        """Add a pin that slides in a slot of the link `slot`: straight, circular about `center`, or along a curve."""
        simple = {"axis": axis, "along": along, "center": center, "radius": radius, "stroke": stroke, "ends": ends}
        curved = {"through": through, "segments": segments, "start": start, "closed": closed}
        return self._joint(id, "pin-in-slot", pin=pin, on=on, slot=slot, **simple, **curved)

    def fastened(self, id: str, *, links: Sequence[str], at: str | Sequence[float] | None = None) -> Builder:
        """Fasten two or more links to each other; the reaction force and moment refer to the point `at`."""
        return self._joint(id, "fastened", links=links, at=at)

    def cam(self, id: str, *, cam: str, follower: str, **entry: Any) -> Builder:
        """Add a cam and its follower; `entry` holds contact and law or profile, as in the file."""
        return self._add("joints", {id: {"type": "cam", "cam": cam, "follower": follower, **entry}})

    def geneva(self, id: str, *, crank: str, pin: str, wheel: str, slots: int) -> Builder:
        """Add a Geneva wheel and the pin of its crank."""
        return self._joint(id, "geneva", crank=crank, pin=pin, wheel=wheel, slots=slots)

    def gear(
        self,
        id: str,
        *,
        links: Sequence[str],
        teeth: Sequence[int] | None = None,
        radii: Sequence[float | str] | None = None,
        ratio: float | None = None,
        internal: bool | None = None,
        carrier: str | None = None,
        centers: Sequence[str] | None = None,
    ) -> Builder:
        """Add two gears in mesh; `ratio` is omega_1 / omega_2 relative to the carrier."""
        wheels = {"links": links, "teeth": teeth, "radii": radii, "ratio": ratio}
        return self._joint(id, "gear", **wheels, internal=internal, carrier=carrier, centers=centers)

    def belt(
        self,
        id: str,
        *,
        links: Sequence[str],
        teeth: Sequence[int] | None = None,
        radii: Sequence[float | str] | None = None,
        ratio: float | None = None,
        crossed: bool | None = None,
        carrier: str | None = None,
        centers: Sequence[str] | None = None,
    ) -> Builder:
        """Add two pulleys or sprockets joined by a belt or chain."""
        wheels = {"links": links, "teeth": teeth, "radii": radii, "ratio": ratio}
        return self._joint(id, "belt", **wheels, crossed=crossed, carrier=carrier, centers=centers)

    def rack(
        self,
        id: str,
        *,
        links: Sequence[str],
        radius: float | str | None = None,
        along: Sequence[str] | None = None,
        carrier: str | None = None,
        center: str | None = None,
    ) -> Builder:
        """Add a pinion and its rack."""
        return self._joint(id, "rack", links=links, radius=radius, along=along, carrier=carrier, center=center)

    def rolling(
        self,
        id: str,
        *,
        links: Sequence[str],
        along: Sequence[str] | None = None,
        radius: float | str | None = None,
        center: str | None = None,
        centers: Sequence[str] | None = None,
        radii: Sequence[float | str] | None = None,
        internal: bool | None = None,
    ) -> Builder:
        """Add a circle that rolls without slip on a line (`along`, `radius`) or on a circle (`centers`, `radii`)."""
        on_line = {"along": along, "radius": radius, "center": center}
        on_circle = {"centers": centers, "radii": radii, "internal": internal}
        return self._joint(id, "rolling", links=links, **on_line, **on_circle)

    def drive(
        self,
        id: str,
        *,
        joint: str | None = None,
        links: Sequence[str] | None = None,
        between: Sequence[str] | None = None,
        stroke: Sequence[float | str] | None = None,
        speed: float | str | None = None,
        law: float | str | None = None,
        table: Sequence[Sequence[float]] | None = None,
        csv: str | None = None,
        columns: Sequence[str | int] | None = None,
        torque: float | str | None = None,
        force: float | str | None = None,
    ) -> Builder:
        """Add a driver; without a speed, law or table it is a free coordinate, which a torque or force may drive."""
        motion = _given(speed=speed, law=law, table=table, csv=csv, columns=columns)
        what = _given(joint=joint, links=links, between=between, stroke=stroke)
        entry = {**what, **_given(torque=torque, force=force), **motion}
        return self._add("drivers", {id: entry})

    def gravity(self, x: float | str, y: float | str) -> Builder:
        """Set the acceleration of gravity [m/s^2]."""
        return self._add("forces", {"gravity": [x, y]})

    def spring(
        self,
        id: str,
        *,
        between: Sequence[str],
        stiffness: float | str | None = None,
        free_length: float | str | None = None,
        damping: float | str | None = None,
        actuator: float | str | None = None,
    ) -> Builder:
        """Add a spring, damper or actuator, or any combination of them, between two points."""
        sizes = _given(stiffness=stiffness, free_length=free_length, damping=damping, actuator=actuator)
        entry = {"between": between, **sizes}
        return self._add("forces", {id: {"type": "spring", **entry}})

    def force(self, id: str, **entry: Any) -> Builder:
        """Add an entry of [forces], as in the file."""
        return self._add("forces", {id: entry})

    def initial(self, name: str, **entry: Any) -> Builder:
        """Set the initial state of a free coordinate (`value`, `speed`), a point (`velocity`) or a link (`omega`)."""
        return self._add("initial", {name: _given(**entry)})

    def duration(self, seconds: float | str) -> Builder:
        """Set the default time range of `solve`, in seconds."""
        self._data["duration"] = seconds
        return self

    def to_dict(self) -> dict[str, Any]:
        """Return a copy of the sections collected so far, as in the file."""
        return copy.deepcopy(self._data)

    def build(self) -> Mechanism:
        """Return the mechanism; raises an `InputError` that lists every error."""
        try:
            mechanism = Mechanism.from_dict(self._data)
        except InputError as error:
            raise InputError([*self._problems, *error.problems], error.source) from None
        raise_problems(self._problems, mechanism.title or "mechanism")
        return mechanism

    def __repr__(self) -> str:
        """Show the title."""
        return f"<Builder {self._data['title']!r}>"

    def _joint(self, id: str, type: str, **entry: Any) -> Builder:
        """Add a joint with the keys that are given."""
        return self._add("joints", {id: {"type": type, **_given(**entry)}})

    def _add(self, section: str, entries: Mapping[str, Any]) -> Builder:
        table = self._data.setdefault(section, {})
        for name, value in entries.items():
            if name in table:
                self._problems.append(Problem(f"{section}.{name}", "is given twice", "delete one of them"))
            table[name] = value
        return self


def _given(**entries: Any) -> dict[str, Any]:
    return {name: value for name, value in entries.items() if value is not None}
