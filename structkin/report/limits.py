"""How far each driver can move and why it stops, for dials and bars."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from structkin.branches.limits import Interval, Limit, Limits
from structkin.branches.limits.result import driver_size, driver_unit, report_lines
from structkin.errors import InputError
from structkin.model.mechanism import Mechanism
from structkin.report.numbers import SHORT, finer, plain
from structkin.show.quantities import pretty


def limits_of(
    mechanism: Mechanism, budget: float | None, progress: Callable[[float], None] | None
) -> list[dict[str, Any]]:
    """Return how far each driver can move while the others are held as in the sketch; values in the file's units."""
    return [_of(mechanism, id, budget, progress) for id in mechanism.drivers]


def _of(
    mechanism: Mechanism, driver: str, budget: float | None, progress: Callable[[float], None] | None
) -> dict[str, Any]:
    size = driver_size(mechanism, driver)
    common = {
        "driver": driver,
        "angle": mechanism.drivers[driver].kind == "angle",
        "unit": pretty(driver_unit(mechanism, driver)),
        "turn": 2 * 3.141592653589793 / size,
    }
    try:
        found = mechanism.limits(driver, budget=budget, progress=progress)
    except InputError as error:
        # a search that the budget cut off is reported in its place; the rest of the report stands
        return {**common, "failure": "; ".join(str(problem) for problem in error.problems)}
    limits = [
        found.lower,
        found.upper,
        *found.change_points,
        *(end for item in found.intervals for end in (item.low, item.high)),
    ]
    digits = SHORT + finer([limit.value for limit in limits if limit is not None])
    head, *reasons = report_lines(found, digits)
    ends = {
        "low": _end(found, found.lower, size),
        "high": _end(found, found.upper, size),
        "passed": [_end(found, point, size) for point in found.change_points],
    }
    return {
        **common,
        "digits": digits,
        "words": head,
        "reasons": [line.strip() for line in reasons],
        "start": plain([found.start], size)[0],
        "turns_fully": found.turns_fully,
        "intervals": [_interval(found, item, size) for item in found.intervals],
        **ends,
    }


def _interval(found: Limits, item: Interval, size: float) -> dict[str, Any]:
    return {"low": _end(found, item.low, size), "high": _end(found, item.high, size), "turns": item.turns}


def _end(found: Limits, limit: Limit | None, size: float) -> dict[str, Any] | None:
    if limit is None:
        return None
    return {"value": plain([limit.value], size)[0], "kind": limit.kind, "why": found.place(limit)}
