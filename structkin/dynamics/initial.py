"""A consistent start from given values and speeds of coordinates, points and links.

Missing data are completed from the sketch at rest, by the smallest change; data that contradict each other or the
joints are met in the least-squares sense, and every correction is reported. Positions come first, by Newton's method
with the velocity coefficients K, and by SciPy's trust regions where no values meet them; then velocities, which are
linear. Simulations begin with joints closed: joints that start open drift from the first instant (Flores & Lankarani,
sec. 8).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from weakref import WeakKeyDictionary

import numpy as np

from structkin.errors import InputError, Problem
from structkin.model.laws import at_time
from structkin.model.mechanism import Mechanism
from structkin.numerical_tolerances import RANK, RESIDUAL, ROUNDING, ROUNDING_OF_ONE, SHORTEST_PART
from structkin.solve import Motion
from structkin.solve.solve_groups import solve_groups
from structkin.types import Floats

#: The most steps by linear equations, and poses that are tried where these lead no further.
STEPS, FITS = 60, 1000
#: The longest first step [rad, or the mechanism's size]: where data lose rank, linear equations ask for many turns.
LONGEST = 1.0


@dataclass(frozen=True, slots=True)
class Correction:
    """A datum of [initial] that contradicts the others: its key, the given value and the value used instead (SI)."""

    key: str
    given: float
    taken: float
    unit: str

    def __str__(self) -> str:
        """Return the correction on one line."""
        return f"{self.key}: given {self.given:.6g} {self.unit}, used {self.taken:.6g} {self.unit}"


@dataclass(frozen=True)
class InitialConditions:
    """Values and speeds of all free coordinates, by driver id (SI), and the corrections made."""

    values: dict[str, float]
    speeds: dict[str, float]
    corrections: tuple[Correction, ...]


@dataclass(frozen=True, slots=True)
class _Datum:
    """One given number of a driver, a point (axis 0 or 1) or a link: a value or a rate."""

    key: str
    name: str
    kind: str
    axis: int
    rate: bool
    value: float

    @property
    def unit(self) -> str:
        return ("rad" if self.kind in ("link", "angle") else "m") + ("/s" if self.rate else "")


#: What was found, by the time of the start: where data contradict each other, and at a dead point, it takes long.
_known: WeakKeyDictionary[Mechanism, dict[float, InitialConditions]] = WeakKeyDictionary()


def initial_conditions(mechanism: Mechanism, t: float = 0.0) -> InitialConditions:
    """Return the consistent start nearest to [initial]; prescribed drivers have their values at t.

    Nearest in least squares, where an angle of 1 rad weighs as much as a length of the mechanism's size: the width of
    its sketch plus the height. Missing drivers must have been added (as `simulate` does). Raises `InputError`
    where no pose is found.

    >>> import structkin as sk
    >>> m = sk.Mechanism(
    ...     points={"A": (0, 0), "B": (0, 2)}, links={"ground": ["A"], "rod": ["A", "B"]},
    ...     drivers={"swing": {"joint": "A"}}, initial={"B": {"velocity": [-6, 1]}})
    >>> found = initial_conditions(m)
    >>> round(found.speeds["swing"], 12), [str(one) for one in found.corrections]
    (3.0, ['initial.B.vy: given 1 m/s, used 0 m/s'])
    """
    known = _known.setdefault(mechanism, {})
    if t not in known:
        known[t] = _conditions(_Start(mechanism, t))
    return replace(known[t], values=dict(known[t].values), speeds=dict(known[t].speeds))


def exact_conditions(mechanism: Mechanism, t: float) -> InitialConditions:
    """Return `initial_conditions` if these meet all places and angles; otherwise raise `InputError`, and soon."""
    return _conditions(_Start(mechanism, t, exact=True))


def _conditions(start: _Start) -> InitialConditions:
    values = start.positions()
    speeds = start.velocities(values)
    of_values, of_speeds = (dict(zip(start.free, part.tolist(), strict=True)) for part in (values, speeds))
    return InitialConditions(of_values, of_speeds, start.corrections(values, speeds))


def consistent_start(mechanism: Mechanism, t: float) -> tuple[Mechanism, tuple[Correction, ...]]:
    """Return the mechanism with initial values of its free coordinates alone, and the corrections made."""
    if not mechanism.initial_data:
        return mechanism, ()
    found = initial_conditions(mechanism, t)
    entries = {}
    for id, value in found.values.items():
        unit = "rad" if mechanism.drivers[id].kind == "angle" else "m"
        entries[id] = {"value": f"{value!r} {unit}", "speed": f"{found.speeds[id]!r} {unit}/s"}
    return mechanism.with_initial(entries), found.corrections


def drivers_at(
    mechanism: Mechanism, t: float, free: Mapping[str, tuple[float, float]]
) -> dict[str, tuple[list[float], list[float], list[float]]]:
    """Return value, rate and second rate of all drivers at a time, as `solve_groups` takes them.

    Of those without a law `free` gives the first two; they do not accelerate.
    """
    found = {}
    for id, drive in mechanism.drivers.items():
        value, rate, second = (*free[id], 0.0) if drive.law is None else at_time(drive.law, t)
        found[id] = [value], [rate], [second]
    return found


class _Start:
    """The data of a start, and the motion of one sample at values of the free coordinates."""

    def __init__(self, mechanism: Mechanism, t: float, *, exact: bool = False) -> None:
        self.mechanism, self.t, self.exact = mechanism, t, exact
        self.free = [id for id, drive in mechanism.drivers.items() if drive.law is None]
        self.size = mechanism.size
        self.units = np.array([mechanism.drivers[id].unit(self.size) for id in self.free])
        self.data = _data(mechanism)

    def motion(self, values: Floats, speeds: Floats | None = None) -> Motion:
        """Return the pose and, with speeds, the velocities; free coordinates do not accelerate."""
        rates = np.zeros(len(self.free)) if speeds is None else speeds
        known = dict(zip(self.free, zip(values, rates, strict=True), strict=True))
        return solve_groups(self.mechanism, drivers=drivers_at(self.mechanism, self.t, known))

    def positions(self) -> Floats:
        """Return the values of the free coordinates (f,)."""
        given = self.mechanism.initial
        z = np.array(
            [
                drive.start if (state := given.get(id)) is None or state.value is None else state.value
                for id, drive in self.mechanism.drivers.items()
                if drive.law is None
            ]
        )
        data = [one for one in self.data if not one.rate]
        motion = self.motion(z)
        if not motion.regular[0]:
            raise no_pose(motion)
        if all(one.kind in ("angle", "length") for one in data):
            return z
        rest = self._rest(motion, z, data)
        bound, at_border = LONGEST, False
        for _ in range(STEPS):
            step = self._least(self._rows(motion, data), rest)
            size = float(np.max(np.abs(step / self.units)))
            if size < ROUNDING_OF_ONE:
                break
            part, better = min(1.0, bound / size), False
            while not better and (part == 1.0 or part * size > SHORTEST_PART):
                trial = z + part * step
                moved = self.motion(trial)
                after = self._rest(moved, trial, data) if moved.regular[0] else np.full(len(rest), np.inf)
                better = bool(np.linalg.norm(after) < np.linalg.norm(rest))
                at_border = not (better or moved.regular[0])
                # Poses beyond a border take long to try: the next step starts at the length to which this one shrank.
                bound = part * size / 2 if at_border else 2 * part * size
                part /= 2
            if not better:
                break
            z, motion, rest = trial, moved, after
        if np.max(np.abs(rest)) <= RESIDUAL or (at_border and len(z) == 1):
            return z
        if self.exact:
            raise InputError([Problem("initial", "no pose meets the data")], self.mechanism.title or "simulate")
        return self._nearest(z, data)

    def _nearest(self, z: Floats, data: Sequence[_Datum]) -> Floats:
        """Return the values (f,) that meet best what no values meet, from those where linear equations lead no further.

        There the data lose rank, as a stretched arm does towards a place out of its reach.
        """
        # SciPy's optimisers take longer to load than most motions take to solve.
        from scipy.optimize import least_squares

        # The unknowns are the steps from z: SciPy's first region is as large as what it begins with, or else 1.
        def rest(x: Floats) -> Floats:
            motion, there = self.motion(z + x * self.units), z + x * self.units
            return self._rest(motion, there, data) if motion.regular[0] else np.full(len(data), np.nan)

        def rows(x: Floats) -> Floats:
            return np.asarray(-self._rows(self.motion(z + x * self.units), data) * self.units)

        found = least_squares(rest, 0 * z, rows, ftol=ROUNDING, xtol=ROUNDING, gtol=ROUNDING, max_nfev=FITS)
        return np.asarray(z + found.x * self.units)

    def velocities(self, values: Floats) -> Floats:
        """Return the speeds of the free coordinates (f,)."""
        data = [one for one in self.data if one.rate]
        motion = self.motion(values)
        if not motion.regular[0]:
            raise no_pose(motion)
        return self._least(self._rows(motion, data), self._rest(motion, np.zeros(len(values)), data))

    def corrections(self, values: Floats, speeds: Floats) -> tuple[Correction, ...]:
        """Return the data that are not met."""
        motion = self.motion(values, speeds)
        found = []
        for one in self.data:
            off = float(self._rest(motion, speeds if one.rate else values, [one])[0])
            if abs(off) > RESIDUAL * max(1.0, abs(one.value) / self._scale(one)):
                taken = one.value - off * self._scale(one)
                rounding = ROUNDING * self._scale(one)
                found.append(
                    Correction(f"initial.{one.key}", one.value, taken if abs(taken) > rounding else 0.0, one.unit)
                )
        return tuple(found)

    # --- the equations ------------------------------------------------------------------------------------

    def _scale(self, one: _Datum) -> float:
        return 1.0 if one.kind in ("link", "angle") else self.size

    def _rest(self, motion: Motion, z: Floats, data: Sequence[_Datum]) -> Floats:
        """Return the given less the actual values (d,), by scale; angles to the nearest turn."""
        rest = []
        for one in data:
            if one.kind in ("angle", "length"):
                rest.append(one.value - z[self.free.index(one.name)])
            elif one.kind == "link":
                there = motion.omega(one.name)[0] if one.rate else motion.angle(one.name)[0]
                off = one.value - there
                rest.append(off if one.rate else (off + np.pi) % (2 * np.pi) - np.pi)
            else:
                read = motion.velocity if one.rate else motion.position
                rest.append(one.value - read(one.name)[0, one.axis])
        return np.array(rest) / [self._scale(one) for one in data] if data else np.zeros(0)

    def _rows(self, motion: Motion, data: Sequence[_Datum]) -> Floats:
        """Return how the data change with the free coordinates (d, f), by scale."""
        rows = np.zeros((len(data), len(self.free)))
        for k, one in enumerate(data):
            if one.kind in ("angle", "length"):
                rows[k, self.free.index(one.name)] = 1.0
            else:
                K = motion.K(one.name, drivers=self.free, kind="link" if one.kind == "link" else "point")[0]
                rows[k] = K if one.kind == "link" else K[one.axis]
            rows[k] /= self._scale(one)
        return rows

    def _least(self, rows: Floats, rest: Floats) -> Floats:
        """Return the smallest change (f,) that meets the data best."""
        if not rows.size:
            return np.zeros(len(self.free))
        if not np.isfinite(rows).all():
            message = "the pose is singular: the coordinates do not determine how points and links move"
            raise InputError([Problem("initial", message, "start next to it")], self.mechanism.title or "simulate")
        found, *_ = np.linalg.lstsq(rows * self.units, rest, rcond=RANK)
        return np.asarray(found * self.units)


def no_pose(motion: Motion) -> InputError:
    """Return the error of a start whose only pose is not regular, with the reason."""
    why = "; ".join(motion.report.splitlines()[1:]).removeprefix("sample 0: ")
    return InputError(
        [Problem("initial", f"the start has no regular pose: {why}")], motion.mechanism.title or "simulate"
    )


def _data(mechanism: Mechanism) -> list[_Datum]:
    """Return every number that [initial] gives."""
    data = []
    for id, state in mechanism.initial.items():
        kind = mechanism.drivers[id].quantity
        if state.value is not None:
            data.append(_Datum(f"{id}.value", id, kind, 0, False, state.value))
        if not state.rests:
            data.append(_Datum(f"{id}.speed", id, kind, 0, True, state.speed))
    for name, place in mechanism.initial_data.items():
        for part in ("x", "y", "vx", "vy", "angle", "omega"):
            value = getattr(place, part, None)
            if value is not None:
                kind = "link" if part in ("angle", "omega") else "point"
                rate = part in ("vx", "vy", "omega")
                data.append(_Datum(f"{name}.{part}", name, kind, int(part.endswith("y")), rate, value))
    return data
