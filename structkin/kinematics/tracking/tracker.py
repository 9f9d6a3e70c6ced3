"""Following a general group over all its lanes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from structkin.kinematics.closers import Closer
from structkin.kinematics.direct import Direct
from structkin.kinematics.status import Status
from structkin.kinematics.tracking.assemble import assemble
from structkin.kinematics.tracking.course import BLOCK, Course
from structkin.kinematics.tracking.fill import fill
from structkin.kinematics.tracking.leap import Leaper
from structkin.kinematics.tracking.poses import Poses
from structkin.kinematics.tracking.record import Record
from structkin.kinematics.tracking.resume import resume
from structkin.kinematics.tracking.walk import stride, walk, walk_back
from structkin.track.tolerances import TRIALS

Floats = NDArray[np.float64]


def track(
    closer: Closer,
    inputs: Sequence[Floats],
    origins: Floats,
    angles: Floats,
    out: Floats,
    progress: Callable[[float], None] | None = None,
    turned: Sequence[Floats] = (),
    drivers: Sequence[Floats] = (),
) -> tuple[NDArray[np.int8], float]:
    """Follow a general group over n lanes from a starting pose; return a status (n,), and the least singular value met.

    `inputs` are those that move, as rows (n,) over the lanes, `origins` (m, 2, 1) and `angles` (m, 1) the pose in the
    sketch. The poses are written into `out` (rows, n): O_x, O_y, U_x, U_y of each link, then the angles of geared
    links; NaN where there is none. `turned` are angles of drivers (n,), continuous, whose whole turns matter to wheels:
    behind a gap a motion is not taken up a turn away. `drivers` (n,) are where all drivers of the
    mechanism are: directions of angles, and lengths in parts of the size.
    """
    record = Record(closer, Course(closer, inputs, out.shape[1], turned, drivers), out)
    _run(record, origins, angles, progress)
    record.close()
    return record.status, record.least


def _run(record: Record, origins: Floats, angles: Floats, progress: Callable[[float], None] | None) -> None:
    course, leaper = record.course, Leaper(record)
    k, pose = _begin(record, origins, angles)
    while pose is not None and k < len(course.lanes) - 1:
        if progress is not None:
            progress(k / len(course.lanes))
        if course.lanes[k + 1] != course.lanes[k] + 1:
            # Lanes without inputs lie between: what is behind them is not the next step of this motion.
            fill(record)
            k, pose = resume(record, k, Status.OUT_OF_REACH, across=True)
            continue
        k, pose = leaper.leap(k, pose)
        if k >= course.end_of_run(k):
            continue
        reached, pose = stride(record, k, pose, record.closer.few)
        if reached > k:
            k = reached
            continue
        stations, sides, pose, why = walk(record, k, course.station(k, course.end_of_run(k)), pose)
        record.link(stations, sides, walked=True)
        k = stations[-1] if stations else k
        if why != Status.OK:
            fill(record)
            k, pose = resume(record, k, why)
    fill(record)


def _begin(record: Record, origins: Floats, angles: Floats) -> tuple[int, Poses | None]:
    """Close the group from the sketch: at the first lane, or where the lanes come nearest to the sketch."""
    for k in _nearest(record, origins, angles) if len(record.course.lanes) else ():
        pose = assemble(record.closer, record.course.at(k), origins, angles)
        if pose is not None:
            record.anew(k, pose)
            walk_back(record, k, 0, pose)
            fill(record)
            return k, pose
    return 0, None


def _nearest(record: Record, origins: Floats, angles: Floats) -> Iterator[int]:
    """Yield the first lane, then those where the gaps of the sketch are smaller than beside them, least first."""
    yield 0
    closer, course = record.closer, record.course
    rows, gaps = Direct(closer.form, closer.known), np.full(len(course.lanes) + 2, np.inf)
    for start in range(0, len(course.lanes), BLOCK):
        values = rows.values(course.at(np.arange(start, min(start + BLOCK, len(course.lanes)))))
        found = np.max(np.abs(closer.form.gaps(values, origins, angles)), axis=0)
        gaps[start + 1 : start + 1 + len(found)] = found
    least = np.flatnonzero((gaps[1:-1] <= gaps[:-2]) & (gaps[1:-1] <= gaps[2:]))
    yield from least[np.argsort(gaps[1 + least])][:TRIALS].tolist()
