"""What is refused before the first step."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np

from structkin.compiled import HINT, has_numba
from structkin.errors import InputError, Problem
from structkin.model.parts import Law
from structkin.multibody.model import Force, JointLoad, SpatialModel, Torque
from structkin.multibody.readings import NO_REACTIONS, not_functions
from structkin.numerical_tolerances import CLOSED_START, RANK, SHORTEST_TIME
from structkin.spatial.elements import HELD, Damping, Element, Stiffness
from structkin.spatial.packing import Solids, triad
from structkin.spatial.stability import Stability

#: The most steps of a run.
MOST = 1e15
#: A position, speed or angular velocity beyond this [SI] is none.
FAR = 1e12


def check(
    model: SpatialModel,
    duration: float,
    step: float,
    record: int | None,
    stiffness: Stiffness,
    damping: Damping,
    **functions: object,
) -> None:
    """Raise `InputError` for arguments that are none, and for what small steps cannot do with the model."""
    problems = [
        Problem(name, f"{value!r} is not a positive number of seconds")
        for name, value in (("duration", duration), ("step", step))
        if not _number(value, above=0.0)
    ]
    if not problems and min(duration, step) < SHORTEST_TIME:
        problems.append(Problem("step", f"{min(duration, step):g} s is too short", f"{SHORTEST_TIME:g} s at least"))
    elif not problems and not duration / step < MOST:
        problems.append(Problem("step", f"{duration / step:.3g} steps are too many", f"at most {MOST:g}"))
    if record is not None and (isinstance(record, bool) or not isinstance(record, int | np.integer) or record < 1):
        problems.append(Problem("record", f"{record!r} is not a positive number of steps"))
    problems += _chosen("stiffness", stiffness, 2, 0.0, "pair of positive numbers (N/m, N m/rad)")
    # The largest number below zero: no damping is allowed.
    problems += _chosen("damping", damping, 1, -5e-324, "number of seconds, zero or more")
    problems += not_functions(**functions)
    problems += [
        Problem(f"sensors.{sensor.name}", "small steps do not record reactions of joints", NO_REACTIONS)
        for sensor in model.sensors.values()
        if sensor.quantity in ("force", "moment", "multipliers")
    ]
    if not model.bodies:
        problems.append(Problem("bodies", "there are none"))
    for body in model.bodies.values():
        if not body.mass > 0:
            problems.append(Problem(f"bodies.{body.name}", "has no mass", "small steps need one"))
        elif not np.linalg.eigvalsh(body.inertia)[0] > RANK * np.linalg.eigvalsh(body.inertia)[-1]:
            hint = "give it a radius: small steps need a moment of inertia about every axis"
            problems.append(Problem(f"bodies.{body.name}", "has no moment of inertia about one of its axes", hint))
    if not problems:
        problems += _laws_end(model, duration)
    if not has_numba():
        problems.append(Problem("", "Numba, which small steps need, is not installed or does not fit", HINT))
    if problems:
        raise InputError(problems, model.name)


def _number(value: object, above: float) -> bool:
    """Return whether a value is a finite number above a limit."""
    if isinstance(value, bool) or not isinstance(value, int | float | np.number):
        return False
    return bool(math.isfinite(value) and value > above)


def _chosen(name: str, given: Stiffness | Damping, count: int, above: float, what: str) -> list[Problem]:
    """Return what is wrong with one number for all joints, or with `count` numbers for each."""
    if given is None:
        return []
    if not isinstance(given, Mapping):
        one = what if count == 1 else "positive number [N/m]"
        return [] if _number(given, above) else [Problem(name, f"{given!r} is no {one}", "or give every joint its own")]
    rows = {joint: np.atleast_1d(np.array(value, dtype=object)) for joint, value in given.items()}
    return [
        Problem(f"{name}.{joint}", f"{given[joint]!r} is no {what}")
        for joint, row in rows.items()
        if row.shape != (count,) or not all(_number(value, above) for value in row)
    ]


def _laws_end(model: SpatialModel, duration: float) -> list[Problem]:
    """Return the laws that do not cover the duration."""
    problems = []
    for load in model.loads.values():
        laws: tuple[Law | None, ...] = ()
        if isinstance(load, Force | Torque):
            laws = load.components
        elif isinstance(load, JointLoad):
            laws = (load.effort,)
        spans = [law.span for law in laws if law is not None and law.span is not None]
        problems += [
            Problem(f"loads.{load.name}", f"its table covers {a:g} to {b:g} s", f"the run is from 0 to {duration:g} s")
            for a, b in dict.fromkeys(spans)
            if a > 0 or b < duration
        ]
    return problems


def check_start(model: SpatialModel, solids: Solids, elements: dict[str, Element], dt: float) -> None:
    """Raise `InputError` if the start tears a joint open, or if the step is unstable in the start pose."""
    if not (np.abs(solids.state()[1:]) < FAR).all():
        message = f"a position or speed at the start exceeds {FAR:g} in SI"
        raise InputError([Problem("", message, "check the units")], model.name)
    problems = _torn(model, solids)
    stability = Stability(model, solids, elements)
    if not problems and stability.multiplier(dt) >= 4.0:
        largest = stability.largest_step()
        message = f"{dt:g} s is unstable with these joints, springs and dampers"
        hint = f"the largest stable step is {largest:.3g} s in the start pose" if largest > SHORTEST_TIME else ""
        problems.append(Problem("step", message, hint))
    if problems:
        raise InputError(problems, model.name)


def _torn(model: SpatialModel, solids: Solids) -> list[Problem]:
    """Return the joints whose two bodies do not meet at the start, or part there."""
    frames = dict(zip(solids.names, solids.frames, strict=True))
    size = size_of(model)
    fastest = max(
        float(np.abs(f.spin).max() * size + np.abs(f.speed(c)).max(initial=0.0))
        for f, c in zip(solids.frames[1:], solids.center[1:], strict=True)
    )
    problems = []
    for name, joint in model.joints.items():
        first, second = (frames[body] for body in joint.bodies)
        axes = triad(joint) @ first.rotation.T
        across, along, tilt, twist = HELD[joint.kind]
        shifts, turns = np.array([along, across, across]), np.array([twist, tilt, tilt])
        place = second.place(joint.at)
        gap = shifts * (axes @ (place - first.place(joint.at)))
        other = triad(joint) @ second.rotation.T
        skew = np.array([axes[1] @ other[2] - axes[2] @ other[1], axes[2] @ other[0], axes[1] @ other[0]])
        carried = first.velocity + np.cross(first.spin, place)
        apart = np.concatenate(
            [shifts * (axes @ (second.speed(joint.at) - carried)), size * turns * (axes @ (second.spin - first.spin))]
        )
        if np.abs(gap).max() > CLOSED_START * size or np.abs(turns * skew).max() > CLOSED_START:
            hint = "the start values of a loop must close it"
            problems.append(Problem(f"joints.{name}", f"is open by {np.linalg.norm(gap):.3g} m at the start", hint))
        elif np.abs(apart).max() > CLOSED_START * fastest:
            hint = "the speeds in a loop must keep it closed"
            problems.append(Problem(f"joints.{name}", "is torn open by the speeds at the start", hint))
    return problems


def size_of(model: SpatialModel) -> float:
    """Return the extent [m] of a model: of its joints, centres of mass and points; 1 if it has none."""
    places = [joint.at for joint in model.joints.values()]
    for body in model.bodies.values():
        places += [body.center, *body.points.values()]
    return float(np.ptp(np.array(places).reshape(-1, 3), axis=0).max(initial=0.0)) or 1.0
