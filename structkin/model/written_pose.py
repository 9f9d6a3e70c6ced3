"""The section [pose]: a pose other than that of [points], from which motions start.

A mechanism assembled in another mode (`Assembly.mechanism`) keeps the lengths, axes and zeros of travel of its original
sketch. In its file, [points] is that sketch and [pose] is the actual pose.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any

from structkin.model.fields import vector
from structkin.model.flaw import Flaw, describe, number
from structkin.model.parts import SketchPose
from structkin.model.topology import suggest
from structkin.numerical_tolerances import EQUAL_DATA

if TYPE_CHECKING:
    from structkin.model.draft import Draft
    from structkin.model.mechanism import Mechanism


def read_pose(draft: Draft, section: Any) -> SketchPose | None:
    """Return the pose of a section, or None if there is none; errors are collected in the draft."""
    if section is None:
        return None
    parts: dict[str, Mapping[str, Any]] = {
        "points": draft.points,
        "links": draft.link_entries,
        "drivers": draft.driver_entries,
    }
    if not isinstance(section, Mapping) or set(section) != set(parts):
        found = ", ".join(map(str, section)) if isinstance(section, Mapping) else describe(section)
        draft.fault("pose", f"expected points, links and drivers, found {found}", "this section is written by `save`")
        return None

    def read(part: str, make: Callable[[str, Any], Any]) -> dict[str, Any]:
        values, known = section[part], parts[part]
        if not isinstance(values, Mapping):
            draft.fault(f"pose.{part}", f"expected a table, found {describe(values)}")
            return {}
        for name in values:
            if name not in known:
                draft.fault(f"pose.{part}.{name}", f"is not in [{part}]", suggest(str(name), known))
        # the value of a driver that was added later is read from the pose
        needed: dict[str, Iterable[str]] = {"points": draft.holders, "links": draft.link_entries}
        for name in needed.get(part, ()):
            if name not in values:
                draft.fault(f"pose.{part}", f"'{name}' is missing", "a pose locates every point and link")
        return {name: draft.attempt(f"pose.{part}.{name}", make, name, value) for name, value in values.items()}

    units, found_before = draft.units, len(draft.problems)
    points = read("points", lambda _, value: vector(value, "length", units))
    frames = read("links", lambda _, value: _frame(draft, value))
    starts = read("drivers", lambda name, value: units.quantity(value, _kind(draft, name)))
    return SketchPose(points, frames, starts) if len(draft.problems) == found_before else None


def _kind(draft: Draft, driver: str) -> str:
    return "angle" if driver in draft.drivers and draft.drivers[driver].kind == "angle" else "length"


def _frame(draft: Draft, value: Any) -> tuple[complex, complex]:
    """Return origin and direction of a link's frame."""
    if not isinstance(value, Mapping) or set(value) != {"at", "direction"}:
        raise Flaw(f"expected at and direction, found {describe(value)}", "such as { at = [0, 0], direction = [1, 0] }")
    axis = value["direction"]
    if not isinstance(axis, list | tuple) or len(axis) != 2:
        raise Flaw(f"expected a direction [x, y], found {describe(axis)}")
    direction = complex(number(axis[0]), number(axis[1]))
    if abs(abs(direction) - 1) > EQUAL_DATA:
        raise Flaw(f"the direction has the length {abs(direction):.9g}", "write a unit vector")
    return vector(value["at"], "length", draft.units), direction


def pose_section(pose: SketchPose, kinds: Mapping[str, str]) -> dict[str, Any]:
    """Return the section for a pose; `kinds` are the kinds of the drivers.

    Numbers are written with SI units: converted to the file's units they might change in the last bit.

    >>> pose_section(SketchPose({"A": 1 + 2j}, {"bar": (1 + 2j, 1j)}, {"motor": 0.5}), {"motor": "angle"})["drivers"]
    {'motor': '0.5 rad'}
    """

    def place(z: complex) -> list[str]:
        return [f"{z.real!r} m", f"{z.imag!r} m"]

    return {
        "points": {name: place(z) for name, z in pose.points.items()},
        "links": {
            name: {"at": place(at), "direction": [direction.real, direction.imag]}
            for name, (at, direction) in pose.frames.items()
        },
        "drivers": {id: f"{float(z)!r} {'rad' if kinds[id] == 'angle' else 'm'}" for id, z in pose.starts.items()},
    }


def described(mechanism: Mechanism) -> dict[str, Any]:
    """Return a fresh copy of what a mechanism was built from, with its pose if that is another than in [points]."""
    source = mechanism.source_dict
    if mechanism._pose is not None:
        source["pose"] = pose_section(mechanism._pose, {id: drive.kind for id, drive in mechanism.drivers.items()})
    return source
