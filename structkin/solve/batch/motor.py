"""The motor of all linkages of a batch: the stations of its angle, and its unit vector with rates there."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache, cached_property

import numpy as np
from numpy.typing import NDArray

from structkin.model.mechanism import Mechanism
from structkin.numerical_tolerances import WHOLE
from structkin.plan.plan import Plan
from structkin.plan.status import Status
from structkin.solve.batch.linkages import MOTOR
from structkin.solve.batch.loop_at import BEHIND_A_POSE
from structkin.solve.call import make_schedule
from structkin.solve.change_points.contours import RADII
from structkin.solve.engine import Lanes, drive_all
from structkin.solve.schedule import Schedule
from structkin.solve.solve_groups import mark_gaps
from structkin.solve.special_geometry import compile_plan
from structkin.types import Floats, Indices

#: Most angles that are added at either end.
MOST = 256


@cache
def _crank() -> Mechanism:
    return Mechanism(
        points={"A": (0.0, 0.0), "B": (1.0, 0.0)},
        links={"ground": ["A"], "crank": ["A", "B"]},
        drivers={MOTOR: {"joint": "A", "links": ["ground", "crank"]}},
    )


def schedule_of(angles: Floats, speed: float) -> Schedule:
    """Return the schedule of a crank alone at these angles (n,) [rad] from the sketch, turning at a speed [rad/s]."""
    values = {MOTOR: (angles, np.full(len(angles), speed), np.zeros(len(angles)))}
    return make_schedule(_crank(), None, None, values, None)


def poses_on_the_way(angles: Floats, speed: float) -> float:
    """Return how many poses the crank is followed through to all angles: a whole number, possibly huge.

    >>> poses_on_the_way(np.array([0.0, 2 * np.pi]), 1.0)
    74.0
    """
    schedule = schedule_of(angles, speed)
    return len(angles) + (0.0 if schedule.is_scan else schedule.added)


@dataclass(frozen=True)
class Motor:
    """A crank alone, drawn at angle 0 as that of every linkage, with the `schedule` of the samples.

    `stations` is the schedule on which motions are followed from the sketch, and `kept` are the places of the samples
    in it. Of so many `parts` between two stations that `Mechanism.solve` has one begins at a station of its own.
    """

    speed: float
    plan: Plan
    schedule: Schedule
    stations: Schedule
    kept: Indices
    parts: int = 1

    @classmethod
    def of(cls, angles: Floats, speed: float) -> Motor:
        """Return the motor at these angles (n,) [rad] from the sketch, turning at a speed [rad/s]."""
        schedule = schedule_of(angles, speed)
        stations, kept = schedule, np.arange(len(angles))
        if not (schedule.is_scan or schedule.is_fine):
            stations, kept = schedule.fine()
        return cls(speed, compile_plan(_crank()), schedule, stations, kept)

    def divided(self, parts: int) -> Motor:
        """Return the same motor with stations in between, so many times as many."""
        stations, at = self.stations.divided(np.full(len(self.stations) - 1, parts))
        return replace(self, stations=stations, kept=at[self.kept], parts=parts)

    @cached_property
    def angles(self) -> Floats:
        """The angles of the loop: those of the stations, and some beyond."""
        inside, (before, after) = self.stations.drivers[MOTOR][0], self._beyond
        return np.concatenate((before[::-1], inside, after))

    @cached_property
    def places(self) -> Indices:
        """The places of the samples among the angles."""
        return self.kept + len(self._beyond[0])

    @property
    def is_finer(self) -> bool:
        """Whether there are stations between the samples."""
        return len(self.stations) > len(self.schedule)

    @property
    def has_more(self) -> bool:
        """Whether there are more angles than samples."""
        return len(self.angles) > len(self.schedule)

    @property
    def turns_from_sketch(self) -> bool:
        """Whether it turns once or more from the sketch on: the stations begin there, and there are none beyond."""
        return self.angles[0] == 0.0 and len(self.angles) == len(self.stations) and not len(self.edges)

    @property
    def is_even(self) -> bool:
        """Whether the angles are evenly spaced."""
        return self.stations.is_even

    @cached_property
    def _extremes(self) -> tuple[float, ...]:
        """The least and the greatest angle of the stations; none where the crank turns once or more."""
        inside = self.stations.drivers[MOTOR][0]
        return () if np.ptp(inside) >= 2 * np.pi * (1 - WHOLE) else (float(inside.min()), float(inside.max()))

    @cached_property
    def _beyond(self) -> tuple[Floats, Floats]:
        """Angles before the first station and after the last, as far as a change point there counts.

        Near a change point samples are found from a circle around it, also from beside. After a whole turn there is
        nothing beyond, nor where the path begins or ends between others; where the crank turns back, see `edges`.
        """
        inside = self.stations.drivers[MOTOR][0]
        before, after = inside[:0], inside[:0]
        if len(inside) > 1 and inside[0] in self._extremes:
            before = inside[0] + _further(inside[0] - inside[1])
        if len(inside) > 1 and inside[-1] in self._extremes:
            after = inside[-1] + _further(inside[-1] - inside[-2])
        return before, after

    @cached_property
    def unseen(self) -> Floats:
        """Where the crank turns back, the angles (turns, 2) [rad] from there to as far as a change point counts."""
        inside = self.stations.drivers[MOTOR][0]
        covered = {*inside[[0, -1]]} if len(inside) > 1 else set()
        beyond = [(one, one + side * RADII[0]) for one, side in zip(self._extremes, (-1, 1), strict=False)]
        turns = [each for each in beyond if each[0] not in covered]
        return np.array(turns).reshape(-1, 2)

    @cached_property
    def edges(self) -> Indices:
        """The stations that are so near to `unseen` angles that of a dyad which is flat there these have to be seen."""
        return np.flatnonzero((np.abs(self.angles - self.unseen[:, :1]) <= RADII[0]).any(axis=0))

    def at_samples(self, status: NDArray[np.int8], position: Floats) -> NDArray[np.int8]:
        """Return the status of the samples from that of the stations (n,), with gaps between them.

        The `position` (joints, 2, n) tells which stations have a pose though they follow a gap.
        """
        behind, lost = np.flatnonzero(status == BEHIND_A_POSE), np.flatnonzero(status)
        posed = lost[~np.isnan(position[..., lost]).any(axis=(0, 1))]
        status = np.insert(np.abs(status), behind, Status.OK)
        places, posed = (some + np.searchsorted(behind, some, "right") for some in (self.places, posed))
        group = np.zeros(len(status), np.int32)
        lanes = Lanes(np.zeros((1, 0, len(places))), status[places], group[places], np.zeros(0))
        mark_gaps(status, group, places, lanes, posed)
        return lanes.status

    @cached_property
    def circle(self) -> Floats:
        """The motor's unit vector at the stations, and its rates (3, 2, stations)."""
        angles = self.angles
        lanes = Lanes.empty(self.plan, len(angles))
        drive_all(self.plan, lanes, {MOTOR: np.stack((angles, np.full(len(angles), self.speed), 0 * angles))})
        return np.ascontiguousarray(lanes.x[:, self.plan.rows(self.plan.drivers[0].register)])


def _further(step: float) -> Floats:
    """Return steps of this size on [rad], as far as a change point counts."""
    count = max(1, int(np.ceil(RADII[0] / max(abs(step), RADII[0] / MOST))))
    return np.asarray(np.arange(1.0, count + 1.0) * step)
