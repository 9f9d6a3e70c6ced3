"""The motor of all linkages of a batch: the stations of its angle, and its unit vector with rates there."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from structkin.model.mechanism import Mechanism
from structkin.numerical_tolerances import WHOLE
from structkin.plan.plan import Plan
from structkin.solve.batch.linkages import MOTOR
from structkin.solve.call import make_schedule
from structkin.solve.change_points.contours import RADII
from structkin.solve.engine import Lanes, drive_all
from structkin.solve.schedule import Schedule
from structkin.solve.solve_groups import mark_gaps
from structkin.solve.special_geometry import compile_plan
from structkin.types import Floats, Indices

#: Most angles that are added at either end.
MOST = 256


@dataclass(frozen=True)
class Motor:
    """A crank alone, drawn at angle 0 as that of every linkage, with the `schedule` of the samples.

    `stations` is the schedule on which motions are followed from the sketch, and `kept` are the places of the samples
    in it.
    """

    speed: float
    plan: Plan
    schedule: Schedule
    stations: Schedule
    kept: Indices

    @classmethod
    def of(cls, angles: Floats, speed: float) -> Motor:
        """Return the motor at these angles (n,) [rad] from the sketch, turning at a speed [rad/s]."""
        crank = Mechanism(
            points={"A": (0.0, 0.0), "B": (1.0, 0.0)},
            links={"ground": ["A"], "crank": ["A", "B"]},
            drivers={MOTOR: {"joint": "A", "links": ["ground", "crank"]}},
        )
        values = {MOTOR: (angles, np.full(len(angles), speed), np.zeros(len(angles)))}
        schedule = make_schedule(crank, None, None, values, None)
        stations, kept = schedule, np.arange(len(angles))
        if not (schedule.is_scan or schedule.is_fine):
            stations, kept = schedule.fine()
        return cls(speed, compile_plan(crank), schedule, stations, kept)

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
    def has_more(self) -> bool:
        """Whether there are more angles than samples."""
        return len(self.angles) > len(self.schedule)

    @property
    def turns_from_sketch(self) -> bool:
        """Whether it turns once or more from the sketch on: the stations begin there, and there are none beyond."""
        return self.angles[0] == 0.0 and len(self.angles) == len(self.stations) and not self.edge

    @property
    def is_even(self) -> bool:
        """Whether the angles are evenly spaced."""
        return self.stations.is_even

    @cached_property
    def _ends(self) -> tuple[bool, bool]:
        """Whether there are angles beyond the first and the last station: not after a whole turn; and whether at all"""
        inside = self.stations.drivers[MOTOR][0]
        return bool(np.ptp(inside) < 2 * np.pi * (1 - WHOLE)), {*inside[[0, -1]]} == {inside.min(), inside.max()}

    @cached_property
    def _beyond(self) -> tuple[Floats, Floats]:
        """Angles before the first station and after the last, as far as a change point there counts.

        Near a change point samples are found from a circle around it, also from beside. After a whole turn there is
        nothing beyond, and where the crank turns back in between, `edge` is for all stations.
        """
        inside = self.stations.drivers[MOTOR][0]
        is_part, by_ends = self._ends
        if not is_part or not by_ends or len(inside) < 2:
            return inside[:0], inside[:0]
        steps = inside[0] - inside[1], inside[-1] - inside[-2]
        counts = (max(1, int(np.ceil(RADII[0] / max(abs(step), RADII[0] / MOST)))) for step in steps)
        first, last = (np.arange(1, count + 1) * step for count, step in zip(counts, steps, strict=True))
        return inside[0] + first, inside[-1] + last

    @cached_property
    def edge(self) -> int:
        """How many angles at either end are so near to poses that were not looked at that no dyad may be flat there."""
        is_part, by_ends = self._ends
        return len(self.angles) if is_part and not (by_ends and len(self.stations) > 1) else 0

    def at_samples(self, status: NDArray[np.int8]) -> NDArray[np.int8]:
        """Return the status of the samples from that of the stations (stations,), with gaps between them."""
        group = np.zeros(len(status), np.int32)
        lanes = Lanes(np.zeros((1, 0, len(self.places))), status[self.places], group[self.places], np.zeros(0))
        mark_gaps(status, group, self.places, lanes)
        return lanes.status

    @cached_property
    def circle(self) -> Floats:
        """The motor's unit vector at the stations, and its rates (3, 2, stations)."""
        angles = self.angles
        lanes = Lanes.empty(self.plan, len(angles))
        drive_all(self.plan, lanes, {MOTOR: np.stack((angles, np.full(len(angles), self.speed), 0 * angles))})
        return np.ascontiguousarray(lanes.x[:, self.plan.rows(self.plan.drivers[0].register)])
