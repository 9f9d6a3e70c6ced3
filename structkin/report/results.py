"""The answer first: how far the drivers go and what they need, where points get, and the largest forces."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from structkin.branches.limits.result import driver_size, driver_unit
from structkin.model.units import decimal
from structkin.report.numbers import SHORT, finer
from structkin.show.interest import output_links, points_of_interest
from structkin.show.quantities import pretty
from structkin.solve import Motion
from structkin.types import Floats

#: The most drivers, points and links that have a row.
MOST = 12, 4, 4

Row = list[Any]


def results(motion: Motion, data: dict[str, Any]) -> dict[str, Any] | None:
    """Return tables, each with heads and rows, and facts, each a name and words, from the other sections of a page.

    What belongs to a section that is not on the page is missing; None without a pose.
    """
    if not motion.regular.any():
        return None
    tables = [table for table in (_drivers(motion, data), _outputs(motion, data)) if table["rows"]]
    return {"tables": tables, "facts": [*_of_forces(data), *_of_transmission(data)]}


def _drivers(motion: Motion, data: dict[str, Any]) -> dict[str, Any]:
    names = list(motion.mechanism.drivers)
    columns: list[tuple[str, Callable[[str], str]]] = [("in this motion", lambda id: _course(motion, id))]
    if limits := {one["driver"]: one for one in data.get("limits", ())}:
        head = "limits" if len(motion.mechanism.drivers) == 1 else "limits, the others held"
        columns.append((head, lambda id: _reach(limits[id])))
    if efforts := {row[0].removeprefix("driver "): row for row in _forces(data) if row[0].startswith("driver ")}:
        columns.append(("largest effort", lambda id: _largest(data, efforts.get(id))))
        columns.append(("mean", lambda id: _mean(efforts.get(id))))
        columns.append(("largest power", lambda id: _power(data, id, np.nanmax)))
        columns.append(("least power", lambda id: _power(data, id, np.nanmin)))
    rows = [[id, *(words(id) for _, words in columns)] for id in names[: MOST[0]]]
    rows += _rest(len(names) - MOST[0], "drivers", len(columns))
    return {"heads": ["driver", *(head for head, _ in columns)], "rows": rows}


def _rest(count: int, what: str, columns: int) -> list[Row]:
    """Return a row that says how many have none, if there are any."""
    return [[f"... and {count} more {what}", *[""] * columns]] if count > 0 else []


def _course(motion: Motion, driver: str) -> str:
    """Return the range of a driver in a motion."""
    m = motion.mechanism
    values = motion.drivers[driver][0] / driver_size(m, driver)
    known = values[np.isfinite(values)]
    return _span(float(known.min()), float(known.max()), pretty(driver_unit(m, driver)))


def _reach(limits: dict[str, Any]) -> str:
    """Return the range of a driver between its limits."""
    if "failure" in limits or limits["words"].startswith(f"{limits['driver']}: "):
        return "not found"
    if limits["turns_fully"]:
        return "turns fully"
    low, high = (limits[end] and limits[end]["value"] for end in ("low", "high"))
    if low is None or high is None:
        low, high = ("no limit" if end is None else decimal(end, limits["digits"]) for end in (low, high))
        return f"{low} to {high} {limits['unit']}"
    return _span(low, high, limits["unit"])


def _span(low: float, high: float, unit: str) -> str:
    digits = SHORT + finer([low, high])
    ends = list(dict.fromkeys(decimal(end, digits) for end in (low, high)))
    return f"{' to '.join(ends)} {unit}"


def _forces(data: dict[str, Any]) -> list[Row]:
    table: list[Row] = data["forces"]["table"] if "forces" in data else []
    return table


def _largest(data: dict[str, Any], row: Row | None) -> str:
    """Return the largest value of a row of the table of forces, and where it is."""
    return "–" if row is None else ", ".join(filter(None, (f"{decimal(row[1], SHORT)} {row[2]}", _at(data, row[3]))))


def _mean(row: Row | None) -> str:
    return "–" if row is None or row[4] is None else f"{decimal(row[4], SHORT)} {row[2].partition(',')[0]}"


def _power(data: dict[str, Any], driver: str, pick: Callable[[Floats], float]) -> str:
    """Return an extreme of the power of a driver, as `Duty` has it; its curve is in a panel about forces."""
    for panel in data["forces"]["panels"]:
        for curve in panel["curves"] if panel["title"] == "power" else ():
            values = np.array(curve["values"], float)
            if curve["name"] == driver and np.isfinite(values).any():
                return f"{decimal(float(pick(values)), SHORT)} {panel['unit']}"
    return "–"


def _at(data: dict[str, Any], x: float | None) -> str:
    """Return a place on the x axis in words."""
    axis = data["plots"]["x"]
    if x is None:
        return ""
    return f"at {axis['name']} = {decimal(x, SHORT)} {axis['unit']}" if axis["unit"] else f"at {axis['name']} {x:.0f}"


def _outputs(motion: Motion, data: dict[str, Any]) -> dict[str, Any]:
    """Return where points of interest and output links move, and their largest rates."""
    rows: list[Row] = []
    units, found = data["plots"]["units"], data.get("ranges", {"points": [], "links": []})
    points, links = points_of_interest(motion.mechanism), output_links(motion.mechanism, motion.structure)
    wanted = points[: MOST[1]]
    for name, *spans, v, _, a, _ in (row for row in found["points"] if row[0] in wanted):
        x, y = (_span(low, high, units["length"]) if low is not None else "–" for low, high in (spans[:2], spans[2:]))
        rows.append([name, f"x {x}, y {y}", _rate(v, units["speed"]), _rate(a, units["acceleration"])])
    rows += _rest(len(points) - MOST[1], "points", 3)
    wanted = links[: MOST[2]]
    for name, low, high, omega, _, alpha, _ in (row for row in found["links"] if row[0] in wanted):
        turn = _span(low, high, units["angle"]) if low is not None else "–"
        rows.append([name, turn, _rate(omega, units["omega"]), _rate(alpha, units["alpha"])])
    rows += _rest(len(links) - MOST[2], "links", 3)
    if all(row[2] == row[3] and row[2] in ("–", "") for row in rows):
        rows = [row[:2] for row in rows]
    heads = ["point or link", "moves", "largest speed", "largest acceleration"]
    return {"heads": heads[: len(rows[0])] if rows else [], "rows": rows}


def _rate(value: float | None, unit: str) -> str:
    """Return the size of a rate."""
    return "–" if value is None else f"{decimal(abs(value), SHORT)} {unit}"


def _of_forces(data: dict[str, Any]) -> list[tuple[str, str]]:
    rows = {row[0]: row for row in _forces(data)}
    if not rows:
        return []
    joint = data["forces"]["hardest"]["name"]
    named = [("largest joint force", joint), ("force on the ground", "on the ground"),
             ("moment on the ground", "on the ground, moment")]  # fmt: skip
    facts = [(name, _largest(data, rows[key])) for name, key in named if key in rows]
    return [(name, f"{words}: {joint}" if name == "largest joint force" else words) for name, words in facts]


def _of_transmission(data: dict[str, Any]) -> list[tuple[str, str]]:
    found = data.get("transmission")
    if not found:
        return []
    worst = min(found["curves"], key=lambda curve: curve["least"])
    where = _at(data, data["plots"]["x"]["values"][worst["worst"]])
    links = ", ".join(data["groups"][worst["group"]]["links"])
    return [("worst transmission",
             f"{decimal(worst['least'], SHORT)} {found['unit']} from a dead position, {where}: {links}")]  # fmt: skip
