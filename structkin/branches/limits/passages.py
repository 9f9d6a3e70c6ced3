"""Where a motion meets a limit between two samples: the drivers' path is followed exactly, not sampled."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.polynomial import Polynomial

from structkin.branches.limits.counting import count_turns
from structkin.branches.limits.next_stop import modes_of, next_stop
from structkin.branches.limits.plan_equations import System
from structkin.branches.limits.poses import Modes, Path, Poses
from structkin.branches.limits.reach import End
from structkin.branches.limits.result import Limit, driver_words
from structkin.branches.limits.search import end_words, follow_to
from structkin.budget import SpentError, metering, new_meter
from structkin.model.laws import at_time
from structkin.numerical_tolerances import ROUNDING, SAME_SOLVED
from structkin.plan.status import Status
from structkin.solve.motion import Motion
from structkin.solve.schedule import Schedule
from structkin.solve.solve_groups import solve_groups
from structkin.solve.strokes import ends_passed
from structkin.types import Floats

#: Most runs of failed samples whose ends are located; a scan of a work space may have thousands.
MOST = 20
#: Statuses of such runs: the motion has met a limit.
ENDED = (Status.OUT_OF_REACH, Status.NOT_CONVERGED, Status.BEYOND_STROKE, Status.UNCERTIFIED)
#: Budget, in steps, for locating all of them.
STEPS = 2500
#: Places between two samples at which the rate of a coordinate shows that it goes one way.
PLACES = 33


@dataclass(frozen=True, slots=True)
class Passage:
    """Where a motion meets a limit between two samples.

    `sample` is the last one that is ok or, where `resumes` is set, the first one that has a pose again; -1 between the
    sketch and the first sample. `t` [s] is NaN there and where drivers were given by values; `drivers` [rad or m] are
    all drivers' values. The `value` of `limit` is the place between the two samples, 0 to 1.
    """

    sample: int
    resumes: bool
    t: float
    drivers: Mapping[str, float]
    limit: Limit


def passages(motion: Motion) -> dict[int, tuple[Passage, ...]]:
    """Return the limits at the ends of runs of samples that are not ok, by the first sample of each.

    Of many runs only the first are examined, as far as a budget of steps allows.
    """
    bad = [(part, status) for part, status, _ in motion.outcomes() if status in ENDED]
    meter, result = new_meter(STEPS), {}
    for part, status in bad[:MOST]:
        found = []
        with suppress(SpentError), metering(meter):
            if part.start > 0 and motion.ok[part.start - 1]:
                found.append(_passage(motion, part.start - 1, part.start))
            elif part.start == 0:
                found.append(_from_sketch(motion))
            has_pose = bool(np.isfinite(motion.lanes.x[0, :, part.start]).all())
            if has_pose and status != Status.BEYOND_STROKE and part.start > 0:
                # The gap lies before the sample.
                found.append(_passage(motion, part.start, part.start - 1))
            if status != Status.UNCERTIFIED and part.stop < len(motion) and motion.ok[part.stop]:
                found.append(_passage(motion, part.stop, part.stop - 1))
        result[part.start] = tuple(passage for passage in found if passage is not None)
    return result


def report(motion: Motion, found: Mapping[int, tuple[Passage, ...]]) -> str:
    """Return how many samples are ok, and for each run of failed ones which, why and at which group.

    The places between samples where the motion stops and resumes, its `passages`, are given to seven digits.
    """
    lines = [f"{int(motion.ok.sum())} of {len(motion)} samples ok"]
    if not motion.ok.all():
        for part, status, group in motion.outcomes():
            if status != Status.OK:
                ends = f": {ends_passed(motion.strokes, motion.beyond, part)}" if status == Status.BEYOND_STROKE else ""
                lines.append(f"{_when(motion, part)}: {status.words} at {motion.group_name(group)}{ends}")
                lines += [_passage_words(motion, passage) for passage in found.get(part.start, ())]
    if more := sum(status in ENDED for _, status, _ in motion.outcomes()) - len(found):
        lines.append(f"the ends of the first {len(found)} gaps are located; those of {more} more are not")
    return "\n".join(lines)


def _when(motion: Motion, part: slice) -> str:
    first, last, t = part.start, part.stop - 1, motion.t
    timed = np.isfinite(t[first])
    if first == last:
        return f"sample {first}" + (f" (t = {t[first]:.6g} s)" if timed else "")
    return f"samples {first} to {last}" + (f" (t = {t[first]:.6g} to {t[last]:.6g} s)" if timed else "")


def _passage_words(motion: Motion, passage: Passage) -> str:
    """Return where a motion stops or resumes, and why: "motor stops at 57.31826 deg (t = 0.1592174 s): ..."."""
    if passage.sample < 0:
        distances = {id: z - motion.mechanism.drivers[id].start for id, z in passage.drivers.items()}
    else:
        distances = {id: np.ptp(z[0][np.isfinite(z[0])]) for id, z in motion.drivers.items()}
    # Where all move by less than rounding, all are named.
    moving = [id for id, distance in distances.items() if abs(distance) > ROUNDING] or list(distances)
    values = [f"{id} {{}} {driver_words(motion.mechanism, id, passage.drivers[id])}" for id in moving]
    text = ", ".join([values[0].format("resumes at" if passage.resumes else "stops at"),
                      *(value.format("at") for value in values[1:])])  # fmt: skip
    if passage.sample < 0:
        text = f"between the sketch and the first sample {text}"
    when = f" (t = {passage.t:.7g} s)" if np.isfinite(passage.t) else ""
    return f"{text}{when}: {passage.limit.why}"


def _passage(motion: Motion, good: int, bad: int) -> Passage | None:
    """Return the limit between a sample that is ok and its neighbour that is not."""
    path = _InputPath(motion, good, bad)
    limit = _first_limit(motion, motion.lanes.x[0, :, good], path)
    if limit is None or limit.kind in ("range", "lost"):
        return None
    p = limit.value
    t = motion.t[good] + p * (motion.t[bad] - motion.t[good])
    values = {id: float(z[0]) for id, z in path(np.array([p])).items()}
    return Passage(good, bad < good, float(t), values, limit)


def _from_sketch(motion: Motion) -> Passage | None:
    """Return the limit on the drivers' straight path from the sketch to the first sample."""
    lead = Schedule(motion.mechanism, motion.t, motion.drivers).lead
    if not np.isfinite([z for ends in lead.values() for z in ends]).all():
        return None
    sketch = solve_groups(motion.mechanism, drivers={id: np.array([start]) for id, (start, _) in lead.items()})
    if not sketch.ok[0]:
        return None

    def path(p: Any) -> dict[str, Any]:
        return {id: start + p * (first - start) for id, (start, first) in lead.items()}

    limit = _first_limit(sketch, sketch.lanes.x[0, :, 0], path)
    if limit is None or limit.kind in ("range", "lost"):
        return None
    values = {id: float(z[0]) for id, z in path(np.array([limit.value])).items()}
    return Passage(-1, False, float("nan"), values, limit)


def _first_limit(motion: Motion, rows: Floats, path: Path) -> Limit | None:
    """Return the limit on a path of the drivers that begins at a pose with slots `rows` (r,)."""
    plan, modes = motion.plan, modes_of(motion.plan, rows)
    if plan.followed:
        system = System(plan, path, motion.size, rows, strokes=motion.strokes)
        return follow_to(system, system.pack(rows, 0.0), 1, (0.0, 1.0))
    counted = count_turns(plan, path, (rows, modes), 0.0, (0.0, 1.0), strokes=motion.strokes)
    if counted is None:
        return None
    poses, stop = counted.reach.poses, next_stop(counted.reach, modes, 0.0, 1)
    if stop is None:
        return _at_once(poses, modes)
    return None if stop.end is None else end_words(poses, stop.end, stop.modes)


def _at_once(poses: Poses, modes: Modes) -> Limit | None:
    """Return the limit of a path that starts at the end of a stroke and leaves it there."""
    here = np.zeros(1)
    ends = [k for k in poses.closing if poses.stroke(k) and abs(poses.discriminant(k, here, modes)[0]) <= SAME_SOLVED]
    return end_words(poses, End(0.0, "limit", frozenset(ends[:1])), modes) if ends else None


class _InputPath:
    """The drivers' values between two samples: by their laws, of a simulation by their rates, or a straight line."""

    def __init__(self, motion: Motion, first: int, last: int) -> None:
        self._t = motion.t[first], motion.t[last]
        self._ends = {id: (z[0, first], z[0, last]) for id, z in motion.drivers.items()}
        self._laws = {
            id: drive.law for id, drive in motion.mechanism.drivers.items() if self._follows(motion, id, first)
        }
        self._courses = {
            id: _course(z[:, first], z[:, last], float(self._t[1] - self._t[0]))
            for id, z in motion.drivers.items()
            if id not in self._laws and id not in motion.thirds
        }

    @staticmethod
    def _follows(motion: Motion, id: str, sample: int) -> bool:
        """Return whether a driver follows its law, and was not given by other values."""
        law, t = motion.mechanism.drivers[id].law, motion.t[sample]
        return law is not None and bool(np.isfinite(t)) and bool(at_time(law, t)[0] == motion.drivers[id][0, sample])

    def __call__(self, p: Any) -> dict[str, Any]:
        """Return the values (n,) at the fractions p (n,) of the path; complex parts are complex steps."""
        (t0, t1), values = self._t, {}
        for id, (first, last) in self._ends.items():
            law = self._laws.get(id)
            if law is None:
                course = self._courses.get(id)
                values[id] = first + p * (last - first) if course is None else course(p)
                continue
            value, rate, _ = law(np.asarray(t0 + np.real(p) * (t1 - t0), dtype=np.float64))
            values[id] = value + 1j * np.imag(p) * (rate * (t1 - t0)) if np.iscomplexobj(p) else value
        return values


def _course(first: Floats, last: Floats, h: float) -> Polynomial | None:
    """Return a coordinate over a part of its time 0 to 1, given value, rate and second rate (3,) at both ends.

    It is the polynomial of fifth degree, if that goes one way; None where it does not, and where rates are not known.
    """
    scale = np.array([1.0, h, h * h])
    (y, v, a), (y1, v1, a1) = first * scale, last * scale
    if not np.isfinite([v, a, v1, a1]).all():
        return None
    d, e, f = y1 - y - v - a / 2, v1 - v - a, a1 - a
    course = Polynomial([y, v, a / 2, 10 * d - 4 * e + f / 2, 7 * e - 15 * d - f, 6 * d - 3 * e + f / 2])
    rates = course.deriv()(np.linspace(0.0, 1.0, PLACES))
    return course if (rates >= 0).all() or (rates <= 0).all() else None
