"""Mode changes: where along a motion the assembly modes of its dyads change, and the circles around such places."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np

from structkin.numerical_tolerances import NEAREST
from structkin.plan.plan import Plan
from structkin.solve.change_points.contours import RADII, Contours, solve_on_contours
from structkin.solve.schedule import Schedule
from structkin.track.contour import UNIT
from structkin.types import Floats, Indices

#: Least cosine of the angle between steps of a straight path.
ALONG = 0.999
#: A limit position within this part of a circle's radius from its centre.
BESIDE = 0.1


@dataclass(frozen=True)
class ChangePoint:
    """A station at which the discriminants of some steps touch zero; it is their only one between `low` and `high`."""

    station: float
    steps: tuple[int, ...]
    low: float
    high: float


def straight_run(schedule: Schedule, station: float, reach: float) -> tuple[float, float]:
    """Return the stations around one between which the drivers' path is straight, no further than `reach`."""
    here = schedule.at(np.array([station]))
    away = np.stack([(z[0] - here[id]) / schedule.unit(id) for id, z in schedule.drivers.items()])
    step, near = np.diff(away), np.max(np.abs(away), axis=0) < reach
    first = min(int(station), step.shape[1] - 1)
    along = step[:, first] @ step
    with np.errstate(invalid="ignore"):
        fine = along > ALONG * np.linalg.norm(step[:, first]) * np.linalg.norm(step, axis=0)
    stops = np.flatnonzero(~(fine & near[:-1] & near[1:]))
    low = stops[stops < first].max(initial=-1) + 1
    return float(low), float(stops[stops > first].min(initial=len(fine)))


@dataclass
class ModeChanges:
    """The stations at which the mode of each step changes, the first at which that is in doubt, and the gaps.

    A gap in which a step does not close lies between the two stations around the place that is noted for it.
    """

    plan: Plan
    points: list[ChangePoint] = field(default_factory=list)
    doubts: dict[int, float] = field(default_factory=dict)
    gaps: set[tuple[int, float]] = field(default_factory=set)
    _at: dict[int, Floats] = field(default_factory=dict)

    def add(self, point: ChangePoint) -> None:
        """Add a change point."""
        self.points.append(point)
        for step in point.steps:
            self._at[step] = np.sort(np.append(self._at.get(step, []), point.station))

    @property
    def steps(self) -> frozenset[int]:
        """The steps whose mode changes."""
        return frozenset(self._at)

    def doubt(self, step: int, station: float) -> None:
        """Note that it is not certain whether a step changes its mode at a station."""
        self.doubts[step] = min(station, self.doubts.get(step, np.inf))

    def slope(self, step: int, stations: Floats) -> Floats:
        """Return the sign of a step's root slope at its zero near stations (n,), NaN if there is no zero."""
        slope = np.full(len(stations), np.nan)
        for point in self.points:
            if step in point.steps:
                # The root had the sign of the mode before it became zero.
                before = self.plan.steps[step].mode * (-1) ** int(np.searchsorted(self._at[step], point.station))
                slope[(point.low < stations) & (stations <= point.high)] = -before
        return slope

    def modes(self, stations: Floats) -> Any:
        """Return the function that gives a step's mode at each of these stations (n,), or one number for all."""

        def mode(step: int) -> Any:
            start = self.plan.steps[step].mode
            if step not in self._at:
                return start
            passed = np.searchsorted(self._at[step], stations)
            return start * np.where(passed % 2, -1, 1)

        return mode


def directions(plan: Plan, schedule: Schedule, displacements: Mapping[str, Floats]) -> dict[str, Floats]:
    """Return displacements (c,) of drivers scaled to 1 [rad or parts of the size], in each independent part by itself.

    So circles around a part that turns back slowly are not small because another part moves.
    """
    speeds = {id: np.abs(displacement) / schedule.unit(id) for id, displacement in displacements.items()}
    found = {}
    for id, displacement in displacements.items():
        speed = np.max([speeds[other] for other in plan.moving_together[id]], axis=0)
        found[id] = np.divide(displacement, speed, out=np.zeros_like(speed), where=speed != 0.0)
    return found


def contours_at(
    plan: Plan,
    schedule: Schedule,
    changes: ModeChanges,
    stations: Floats,
    displacements: Mapping[str, Floats],
    near: Floats,
) -> Contours:
    """Return the largest good circles around stations (c,).

    `displacements` (c,) of each driver are those on arrival at a station. A circle is good where all steps are
    certified.
    """
    values, lines = schedule.at(stations), directions(plan, schedule, displacements)
    modes = changes.modes(stations)

    def signs(some: Indices, step: int, s0: Floats) -> Floats:
        """The smooth root has the sign of the mode: at the station, or where its path comes from."""
        mode, slope = np.broadcast_to(modes(step), len(stations))[some], changes.slope(step, stations[some])
        side = np.where(np.abs(s0) < NEAREST, -1.0, np.where(np.isnan(s0), 1.0, -np.sign(s0))) * mode
        return np.asarray(np.where(np.isnan(slope) | np.isnan(s0), side, slope))

    left, result = np.arange(len(stations)), None
    for radius in RADII:
        nodes = {id: value[left, None] + lines[id][left, None] * radius * UNIT for id, value in values.items()}
        tried = solve_on_contours(plan, nodes, np.full(len(left), radius), partial(signs, left), near[:, left])
        result = tried if result is None else result.put(tried, left)
        open_ = result.until < len(plan.steps)
        # Right beside a limit position no circle is certain.
        for zeros in result.zeros.values():
            open_ &= ~((zeros.count == 1) & (np.abs(zeros.middle) < BESIDE * result.radius))
        left = np.flatnonzero(open_)
        if not len(left):
            break
    assert result is not None
    return result
