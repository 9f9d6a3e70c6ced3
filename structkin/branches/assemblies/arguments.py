"""The arguments of `assemblies`: values of the drivers, modes to keep, a limit; all errors are reported at once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from structkin.errors import InputError, Problem
from structkin.plan.plan import Plan
from structkin.solve.call import make_schedule

if TYPE_CHECKING:
    from structkin.model.mechanism import Mechanism


def driver_values(mechanism: Mechanism, drivers: Mapping[str, float] | None, t: float | None) -> dict[str, float]:
    """Return the value of each driver; `InputError` lists every problem."""
    given = dict(drivers or {})
    for id, drive in mechanism.drivers.items():
        if id not in given and (t is None or drive.law is None):
            given[id] = drive.start
    schedule = make_schedule(mechanism, None, t, given, None)
    problems = [
        Problem(f"drivers.{id}", "takes one value", "assemblies belong to one pose of the drivers")
        for id, z in schedule.drivers.items()
        if z.shape[1] != 1
    ]
    problems += [
        Problem(f"drivers.{id}", "has no value at this time", "pass drivers={...}")
        for id, z in schedule.drivers.items()
        if not problems and not np.isfinite(z[0, 0])
    ]
    if problems:
        raise InputError(problems, mechanism.title)
    return {id: float(z[0, 0]) for id, z in schedule.drivers.items()}


def check_limit(mechanism: Mechanism, limit: int | None, key: str = "limit") -> int | None:
    """Return the limit; `InputError` if it is not positive."""
    if limit is not None and limit < 1:
        raise InputError([Problem(key, f"{limit} is not a positive whole number", "1 or more")], mechanism.title)
    return limit if limit is None else int(limit)


def fixed_modes(mechanism: Mechanism, plan: Plan, modes: Any) -> dict[int, tuple[int, ...]]:
    """Return the fixed modes; `InputError` lists unknown groups and values that are not rows of modes.

    The number of modes of a group without closed form is not known before its inputs are.
    """
    count, problems = len(plan.structure.groups), []
    fixed = {}
    for group, row in (modes or {}).items():
        if group not in range(count):
            problems.append(Problem("modes", f"there is no group {group!r}", f"groups are numbered 0 to {count - 1}"))
        elif isinstance(row, str) or not isinstance(row, Sequence | np.ndarray) or not all(map(_is_whole, row)):
            problems.append(Problem(f"modes[{group}]", f"{row!r} is not a row of modes", "such as (1,)"))
        else:
            fixed[int(group)] = tuple(int(mode) for mode in row)
            problems += _misfits(plan, int(group), fixed[int(group)])
    if problems:
        raise InputError(problems, mechanism.title)
    return fixed


def _is_whole(value: Any) -> bool:
    return isinstance(value, int | np.integer) and not isinstance(value, bool)


def _misfits(plan: Plan, group: int, row: tuple[int, ...]) -> list[Problem]:
    """Return what is wrong with a row of modes for this group."""
    steps = [step for step in plan.steps if step.group == group]
    dyads = sum(step.has_root for step in steps)
    numbered = sum(step.goes_from_lane_to_lane for step in steps)
    name, key = plan.structure.groups[group].kind, f"modes[{group}]"
    if not dyads <= len(row) <= dyads + numbered:
        count = "none" if not dyads + numbered else f"{dyads + numbered}"
        return [Problem(key, f"{row} gives {len(row)} modes; {name} has {count} to choose", "see Assembly.modes")]
    if numbered:
        return [Problem(key, f"{row}: modes are counted from 1")] if not dyads and any(m < 1 for m in row) else []
    wrong = [mode for mode in row if mode not in (1, -1)]
    return [Problem(key, f"{name} has no mode {wrong[0]}", "its modes are 1 and -1")] if wrong else []
