"""Solving a mechanism over a range of its drivers."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from numpy.typing import ArrayLike

from structkin.errors import InputError, Problem
from structkin.kinematics.change_points import run
from structkin.kinematics.choice import check_engine
from structkin.kinematics.motion import Motion
from structkin.kinematics.schedule import make_schedule
from structkin.kinematics.special_geometry import compile_plan
from structkin.model.mechanism import Mechanism

METHODS = ("topological",)

#: More samples than this that lie far apart (a scan of the work space) are not walked to from each other: closed forms
#: then find change points between them only where two neighbours are near one.
SEPARATE = 5000


def solve(
    mechanism: Mechanism,
    samples: int | None = None,
    *,
    t: ArrayLike | None = None,
    drivers: Mapping[str, Any] | None = None,
    duration: float | None = None,
    method: str = "topological",
    engine: str = "auto",
    strict: bool = False,
    progress: Callable[[float], None] | None = None,
) -> Motion:
    """Solve position, velocity and acceleration group by group.

    The samples are `samples` times (default 361, both ends included) over `duration` [s] or the mechanism's default
    range, or the times `t` (n,) [s]. `drivers={"motor": values}` prescribes coordinates (n,) [rad or m] directly, or
    `(values, rates, accelerations)`; rates that are not given are NaN. With `strict=True` a sample without a regular
    pose raises `PoseError`; otherwise it carries a `Status`. `progress` is called with the part of the work
    that is done.

    `engine` is "numpy"; or "numba", which compiles the closed forms, needs `structkin[fast]` and gives the same
    numbers; or "auto", the one that is done first. Up to some million samples times groups that is NumPy.

    Raises `InputError` where the call does not fit the mechanism, `StructureError` where drivers are missing or too
    many.

    >>> import structkin as sk
    >>> crank = sk.Mechanism(
    ...     points={"A": (0, 0), "B": (1, 0)}, links={"ground": ["A"], "crank": ["A", "B"]},
    ...     drivers={"motor": {"joint": "A", "speed": 2}})
    >>> motion = crank.solve(samples=5)
    >>> [round(float(x), 12) for x in motion.velocity("B")[0]]
    [0.0, 2.0]
    """
    if method not in METHODS:
        raise InputError([Problem("method", f"'{method}' is unknown", f"known: {', '.join(METHODS)}")], mechanism.title)
    check_engine(engine, mechanism.title)
    plan = compile_plan(mechanism)
    if engine != plan.engine:
        plan = replace(plan, engine=engine)
    schedule = make_schedule(mechanism, samples, t, drivers, duration)
    if plan.tracked or (len(schedule) <= SEPARATE and not schedule.is_fine):
        fine, kept = schedule.fine()
        lanes = run(plan, fine, progress).take(kept)
    else:
        lanes = run(plan, schedule, progress)
    motion = Motion(mechanism, plan, schedule.t, schedule.drivers, lanes)
    if strict:
        motion.require_ok()
    return motion
