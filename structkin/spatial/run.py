"""Small steps: the motion of a model by explicit steps of Newton's and Euler's equations (S3).

The equations of S3, whose text lost them, rebuilt and numbered by their mentions there. dt is the step, k its number:

    (1)  dC(e, theta) = cos theta I + (1 - cos theta) e e^T + sin theta [e x]
    (2)  F_cg = sum F_i + m g
    (3)  M_cg = sum (M_i + r_i x F_i)
    (4)  A_t = F_cg / m
    (5)  V_t,k = V_t,k-1 + A_t dt
    (6)  P_t,k = P_t,k-1 + V_t,k dt
    (7)  A_r = C I^-1 (C^T M_cg - (C^T V_r) x I C^T V_r)
    (8)  V_r,k = V_r,k-1 + A_r dt
    (9)  e = V_r / |V_r|
    (10) theta = |V_r| dt
    (11) C_k = dC(e, theta) C_k-1
    (12) P_i = P_cg + C p_i
    (13) C_i = C C_i,local
    (14) V_i = dP_i / dt            here exactly: V_cg + V_r x C p_i
    (15) A_i = dV_i / dt            here exactly: A_cg + A_r x C p_i + V_r x (V_r x C p_i)
    (16) V_r,i = V_r
    (17) A_r,i = A_r

(5)-(6) and (8)-(11) use the new velocity: semi-implicit, of first order in dt. S3 differentiates positions numerically
in (14)-(15); a difference of positions adds an error of first order and, at a step of 1e-7 s, noise of 1e-2 m/s^2 and
more. The state of points is computed where it is asked for, from the recorded state of its body.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path

import numpy as np

from structkin.budget import DEFAULT, HINT, TOGETHER, charge, metered
from structkin.compiled import announce, package_folder
from structkin.errors import Problem
from structkin.multibody.model import SpatialModel
from structkin.numerical_tolerances import ROUNDING
from structkin.spatial.checks import FAR, check, check_start, size_of
from structkin.spatial.elements import Damping, Stiffness, elements_of
from structkin.spatial.loop_arrays import Packed, pack, solids_of
from structkin.spatial.small_step_motion import Measures, SmallStepMotion
from structkin.types import Floats

#: Records of a run unless `record` is given.
RECORDS = 1000
#: Body-steps that count as one step of the budget: some 2 ms.
STEPS = 10_000
#: Body-steps between two looks at the state: some 30 ms; then Ctrl-C is heard, too.
BLOCK = 100_000
#: A joint that opens by this part of the model's size is torn: the run is ended.
TORN = 0.1

User = Callable[..., None]


def small_steps(
    model: SpatialModel,
    duration: float,
    step: float = 1e-5,
    *,
    record: int | None = None,
    stiffness: Stiffness = None,
    damping: Damping = None,
    user: User | None = None,
    budget: float | None = DEFAULT,
    progress: Callable[[float], None] | None = None,
) -> SmallStepMotion:
    """Return the motion of a model over a duration [s], in steps of at most `step` [s] (S3).

    Every `record`-th step is recorded, and the last (by default about 1000 in all). Joints are stiff springs:
    `stiffness` is in N/m for all joints, whose stiffness against turning follows from masses and inertias, or
    {joint: (N/m, N m/rad)}; by default they are as stiff as the step allows. Their dampers are `damping` [s], or
    {joint: s}, times as strong.

    `user(t, position, rotation, velocity, spin, force, torque)` adds forces and torques about the centre of mass
    (bodies, 3), in ground axes, in place, every step. A function compiled by Numba costs little, one of Python some
    microseconds a step. `progress` is called with the part of the duration that is done.

    Raises `InputError` for arguments that are none, bodies without mass or inertia, a start that tears joints, steps
    that are unstable (with the largest stable step), and where the work exceeds the budget.

    >>> from structkin.multibody.model import Body
    >>> ball = Body("ball", 2.0, np.zeros(3), np.eye(3))
    >>> model = SpatialModel("fall", {"ball": ball}, {}, gravity=np.array([0, 0, -10.0]))
    >>> small_steps(model, 1.0, 1e-4).position("ball")[-1].round(2).tolist()
    [0.0, 0.0, -5.0]
    """
    check(model, duration, step, record, stiffness, damping, user=user, progress=progress)
    count = math.ceil(duration / step * (1 - ROUNDING))
    dt = duration / count
    every = record or max(1, count // RECORDS)
    rows = count // every + 1 + (count % every > 0)
    bodies = len(model.bodies)
    work = count * bodies / STEPS + rows * bodies * 24 / TOGETHER
    message = f"{count:,} steps of {bodies} bod{'y' if bodies == 1 else 'ies'} exceed the budget"
    with metered(budget, lambda: Problem("step", message, f"a larger step, a shorter duration, or {HINT}"), model.name):
        charge(work)
        solids = solids_of(model)
        elements = elements_of(model, dt, stiffness, damping)
        check_start(model, solids, elements, dt)
        return _run(model, pack(model, solids, elements, dt), count, every, rows, user, progress)


def _run(
    model: SpatialModel,
    packed: Packed,
    count: int,
    every: int,
    rows: int,
    user: User | None,
    progress: Callable[[float], None] | None,
) -> SmallStepMotion:
    announce("small steps", package_folder(Path(__file__).parent))
    from structkin.spatial import kernel

    records = np.zeros((rows, len(model.bodies), 24))
    readings = np.zeros((rows, *packed.memory.turned.shape))
    t = np.minimum(np.arange(rows) * every, count) * packed.step
    block = max(1, BLOCK // len(model.bodies))
    loop = kernel.run if user is None else kernel.loop_with(user)
    status, done = "ok", 0
    for first in range(0, count + 1, block):
        last = min(first + block, count + 1)
        with np.errstate(all="ignore"):
            laws = packed.laws.at(packed.step * np.arange(first, last, dtype=float))
            loop(packed.machine, packed.memory, laws, first, last, count, packed.step, every, records, readings)
        done = rows if last > count else (last - 1) // every + 1
        status = _status(model, packed, min(last, count) * packed.step)
        if status != "ok":
            done = _whole(model, packed, t[:done], records[:done], readings[:done])
            break
        if progress is not None:
            progress(min(last / count, 1.0))
    jointed = {body for joint in model.joints.values() if joint.kind != "free" for body in joint.bodies}
    records[0, [body in jointed for body in model.bodies], 18:] = (
        np.nan
    )  # joints carry nothing before they are strained
    return SmallStepMotion(model, t[:done], status, packed, records[:done], readings[:done])


def _status(model: SpatialModel, packed: Packed, t: float) -> str:
    """Return "ok", or why the run is ended: a joint is torn, or the numbers have no end."""
    state, turned = packed.memory.state[None, 1:], packed.memory.turned[None]
    if not (np.abs(state) < FAR).all():
        return f"diverged before {t:.6g} s: a force is not finite, or the step is too large"
    openings, names = Measures(model, packed, np.array([t]), state, turned).closure()
    if openings[0] > TORN * size_of(model):
        return (
            f"joint '{names[0]}' is torn open by {openings[0]:.3g} m before {t:.6g} s: the step is too large, or the "
            "joint too soft"
        )
    return "ok"


def _whole(model: SpatialModel, packed: Packed, t: Floats, records: Floats, readings: Floats) -> int:
    """Return the number of records before a joint is torn or a number is not finite."""
    with np.errstate(all="ignore"):
        openings, _ = Measures(model, packed, t, records, readings).closure()
    bad = ~(np.abs(records[..., :18]) < FAR).all(axis=(1, 2)) | ~(openings <= TORN * size_of(model))
    return int(np.argmax(bad)) if bad.any() else len(t)
