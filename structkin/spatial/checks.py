"""What is refused before the first step.

The largest stable step of the loop follows from all springs and dampers of the model in the start pose. For M x'' + D
x' + K x = 0 with symmetric K and D, the step v += dt a, x += dt v has the multipliers z with z^2 + z (dt^2 k + dt d -
2) + 1 - dt d = 0, where k and d are the quotients x* K x / x* M x and x* D x / x* M x of an eigenvector. It is stable
while dt^2 k + 2 dt d < 4, that is, while no eigenvalue of M^-1 (dt^2 K + 2 dt D) reaches 4.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np

from structkin.compiled import HINT, has_numba
from structkin.errors import InputError, Problem, raise_problems
from structkin.model.parts import Law
from structkin.multibody.model import GROUND, Force, JointLoad, SpatialModel, Spring, Stop, Torque
from structkin.multibody.readings import NO_REACTIONS, not_functions
from structkin.numerical_tolerances import CLOSED_START, RANK, SHORTEST_TIME
from structkin.spatial.elements import HELD, Damping, Element, Stiffness
from structkin.spatial.loop_arrays import Solids, triad
from structkin.types import Floats

# --- the largest stable step ---------------------------------------------------------------------------------------

#: Six numbers per body: what multiplies its velocity and angular velocity.
Row = dict[str, Floats]
#: Up to this many bodies the eigenvalue comes from a full matrix.
FULL = 100


class Stability:
    """Stiffness and damping of a model in the start pose, scaled by its masses."""

    def __init__(self, model: SpatialModel, solids: Solids, elements: dict[str, Element]) -> None:
        """Collect rows B with stiffness k and damping d: K = sum of k B^T B, D = sum of d B^T B."""
        self.model, self.solids = model, solids
        self.frames = dict(zip(solids.names, solids.frames, strict=True))
        self.entries: list[tuple[int, int, Floats]] = []
        self.weights: list[tuple[float, float]] = []
        for name, element in elements.items():
            self._joint(name, element)
        for load in model.loads.values():
            match load:
                case Spring():
                    ends = [self.frames[body].place(x) for body, x in zip(load.bodies, load.points, strict=True)]
                    length = float(np.linalg.norm(ends[1] - ends[0]))
                    along = (ends[1] - ends[0]) / (length or 1.0)
                    self._add(self._shift(load.bodies, (ends[0], ends[1]), along), load.stiffness, load.damping)
                case JointLoad() | Stop():
                    self._add(self._coordinate(load.joint, load.coordinate), load.stiffness, load.damping)

    def _axes(self, name: str) -> tuple[Floats, Floats]:
        """Return the place of a joint on its second body, and its triad as rows on the first."""
        joint = self.model.joints[name]
        first, second = (self.frames[body] for body in joint.bodies)
        return second.place(joint.at), triad(joint) @ first.rotation.T

    def _joint(self, name: str, element: Element) -> None:
        joint, damping = self.model.joints[name], element.damping
        at, axes = self._axes(name)
        a, b, c = axes
        for axis, k in ((a, element.along), (b, element.across), (c, element.across)):
            self._add(self._shift(joint.bodies, (at, at), axis), k, damping * k)
        for axis, k in ((a, element.twist), (b, element.tilt), (c, element.tilt)):
            self._add(self._turn(joint.bodies, axis), k, damping * k)
        second = self.frames[joint.bodies[1]].rotation @ joint.second
        self._add(self._turn(joint.bodies, np.cross(second, a)), element.cross, damping * element.cross)
        shift, turn = self._shift(joint.bodies, (at, at), a), self._turn(joint.bodies, a)
        thread = {body: shift[body] - joint.pitch * turn[body] for body in joint.bodies}
        self._add(thread, element.screw, damping * element.screw)

    def _coordinate(self, name: str, number: int) -> Row:
        joint = self.model.joints[name]
        at, axes = self._axes(name)
        motion = joint.motions[number]
        frame = axes.T @ triad(joint)  # the rotation of the first body
        if motion.rotation.any():
            return self._turn(joint.bodies, frame @ motion.rotation)
        return self._shift(joint.bodies, (at, at), frame @ motion.translation)

    def _shift(self, bodies: tuple[str, str], at: tuple[Floats, Floats], axis: Floats) -> Row:
        """Return the row that gives the velocity along an axis of a place on the second body relative to the first."""
        row: Row = {}
        for body, place, sign in zip(bodies, at, (-1.0, 1.0), strict=True):
            arm = place - self.frames[body].place(self.solids.center[self.solids.number(body)])
            row[body] = sign * np.concatenate([axis, np.cross(arm, axis)])
        return row

    def _turn(self, bodies: tuple[str, str], axis: Floats) -> Row:
        """Return the row that gives the angular velocity about an axis of the second body relative to the first."""
        return {
            body: sign * np.concatenate([np.zeros(3), axis]) for body, sign in zip(bodies, (-1.0, 1.0), strict=True)
        }

    def _add(self, row: Row, stiffness: float, damping: float) -> None:
        """Add a row, divided by the square roots of the masses."""
        if stiffness <= 0.0 and damping <= 0.0:
            return
        for body, values in row.items():
            if body != GROUND:
                k = self.solids.number(body)
                turned = values[3:] @ self.frames[body].rotation @ self.solids.axes[k]
                scaled = [values[:3] / np.sqrt(self.solids.mass[k]), turned / np.sqrt(self.solids.moments[k])]
                self.entries.append((len(self.weights), 6 * k - 6, np.concatenate(scaled)))
        self.weights.append((max(stiffness, 0.0), max(damping, 0.0)))

    def multiplier(self, dt: float) -> float:
        """Return the largest eigenvalue of M^-1 (dt^2 K + 2 dt D): the loop is stable below 4."""
        if not self.weights:
            return 0.0
        from scipy.sparse import csr_array
        from scipy.sparse.linalg import eigsh

        size = 6 * (len(self.solids.names) - 1)
        stiffness, damping = np.array(self.weights).T
        root = np.sqrt(dt**2 * stiffness + 2.0 * dt * damping)
        rows = np.repeat([row for row, _, _ in self.entries], 6)
        columns = np.concatenate([np.arange(first, first + 6) for _, first, _ in self.entries])
        values = np.concatenate([values for _, _, values in self.entries]) * root[rows]
        matrix = csr_array((values, (rows, columns)), shape=(len(root), size))
        square = matrix.T @ matrix
        if size <= 6 * FULL:
            return float(np.linalg.eigvalsh(square.toarray())[-1])
        return float(eigsh(square, 1, return_eigenvectors=False, v0=np.ones(size))[0])

    def largest_step(self) -> float:
        """Return the largest stable step [s], infinite if nothing vibrates."""
        if self.multiplier(1.0) == 0.0:
            return float("inf")
        # the multiplier grows at least like dt, at most like dt^2
        low, high = 1.0, 1.0
        while self.multiplier(low) > 4.0:
            low /= 4.0
        while self.multiplier(high) < 4.0:
            high *= 4.0
        for _ in range(40):
            middle = np.sqrt(low * high)
            low, high = (middle, high) if self.multiplier(middle) < 4.0 else (low, middle)
        return float(low)


# --- checks --------------------------------------------------------------------------------------------------------

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
    raise_problems(problems, model.name)


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
    raise_problems(problems, model.name)


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
