"""Walking a mechanism along its drivers by a global method, on the branch of the sketch.

Stations a short way apart are walked to one by one: extrapolated from the curve through the two before, closed by the
Newton-Raphson method, and accepted where it stays near the extrapolation and the determinants of all diagonal blocks
keep their signs. A sign may change where the poses around it lie on one smooth curve: a change point.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from structkin.budget import charge
from structkin.global_methods.curve import Curve, Pose, powers
from structkin.global_methods.diagnosis import Outcome
from structkin.global_methods.newton import close_pose
from structkin.global_methods.scaled import CONSISTENT, Scaled
from structkin.global_methods.smooth import is_smooth
from structkin.plan.status import Status
from structkin.track.steps import walk_straight
from structkin.track.tolerances import DEPARTURE_ON_CURVE, FINEST, HALVINGS, NEAR_LIMIT, SINGULAR, TURN_ON_CURVE, WEAK

Floats = NDArray[np.float64]
Ints = NDArray[np.intp]

#: A coordinate's part in the work of a step, in those of the budget.
STEP = 0.05
#: A pose that has gone so many sizes runs off to infinity, as where guides become parallel: its limit is not neared.
AWAY = 5.0
#: Samples whose predictions are evaluated in one go.
TOGETHER = 16_384


@dataclass(frozen=True)
class Failure:
    """Why the walk stopped before a sample: how Newton's method ended there, and the rows that do not close.

    `links` are those of the diagonal block that was nearest to singular at the last pose. A sample that the walk went
    past and that is singular itself, as at a change point, is told as well, with the links of its own weakest block.
    """

    sample: int
    outcome: Outcome
    rows: tuple[str, ...]
    links: tuple[str, ...] = ()


@dataclass(frozen=True)
class _Span:
    """Samples that wait for their prediction: lanes, a curve, the parts of its way, and a shift if need be."""

    at: slice | Ints
    curve: Curve
    s: Floats
    shift: Floats | None


@dataclass
class Walk:
    """The state of a run over all stations of a schedule; `z` (f, n) are the drivers' values.

    `units` (f, 1) are theirs, `angular` (f, 1) tells which are angles that are the same a whole turn on, `wanted` (n,)
    which stations are samples. `turning` tells that the only driver is an angle, so that its turns may repeat.
    Results are predictions and solutions q (n, lanes), which lanes are solved and in how many iterations. `lanes`
    are those whose drivers have values; a *place* is an index into them.
    """

    scaled: Scaled
    z: Floats
    units: Floats
    angular: NDArray[np.bool_]
    wanted: NDArray[np.bool_]
    turning: bool = False
    stations: int = 0
    failures: list[Failure] = field(default_factory=list)

    def __post_init__(self) -> None:
        """Prepare the results."""
        n, lanes = self.scaled.coordinates.n, self.z.shape[1]
        self.q = np.full((n, lanes), np.nan)
        self.solved = np.zeros(lanes, bool)
        self.iterations = np.zeros(lanes, np.int32)
        self.status = np.full(lanes, Status.OUT_OF_REACH, np.int8)
        #: Samples that may be singular: beside weak stations, and where a determinant has changed its sign.
        self.suspect = np.zeros(lanes, bool)
        self.reached: Pose | None = None
        self.systems: list[Scaled] = []
        self.system_of = np.full(lanes, -1, np.intp)
        self.lanes = np.flatnonzero(np.isfinite(self.z).all(axis=0))
        #: The drivers' values (f, places).
        self.values = self.z if len(self.lanes) == lanes else self.z[:, self.lanes]
        self._waiting: list[_Span] = []
        self._waits = 0
        self._all_wanted = bool(self.wanted.all())

    def at(self, k: int) -> Floats:
        """Return the drivers' values (f, 1) at a place."""
        return self.values[:, k : k + 1]

    def keep(self, k: int, pose: Pose) -> None:
        """Keep a station at a place."""
        lane = int(self.lanes[k])
        self.q[:, lane] = pose.q[:, 0]
        self.solved[lane], self.status[lane] = True, Status.OK
        self.iterations[lane] = pose.iterations
        self.suspect[lane] |= pose.strength < WEAK
        self.note(lane, pose.scaled)
        self.stations += 1

    def note(self, lanes: Ints | slice | int, scaled: Scaled) -> None:
        """Note which system lanes are solved with."""
        if not self.systems or self.systems[-1] is not scaled:
            self.systems.append(scaled)
        self.system_of[lanes] = len(self.systems) - 1

    def predict(self, lanes: Ints, curve: Curve, z: Floats, shift: Floats | None = None) -> None:
        """Predict the wanted ones of these lanes from a curve at values z (f, lanes), shifted (n, lanes) if need be.

        Their coordinates are there after `flush`.
        """
        if not self._all_wanted:
            wanted = self.wanted[lanes]
            lanes, z, shift = lanes[wanted], z[:, wanted], None if shift is None else shift[:, wanted]
        if not len(lanes):
            return
        at = span(lanes)
        self.status[at] = Status.OK
        self.note(at, curve.a.scaled)
        if len(z) != 1:
            self.q[:, at] = curve.near(z, self.units)
            return
        self._waiting.append(_Span(at, curve, curve.gone(z), shift))
        self._waits += len(lanes)
        if self._waits > TOGETHER:
            self.flush()

    def flush(self) -> None:
        """Evaluate what is predicted: short pieces of many curves in one go."""
        if not self._waiting:
            return
        all_powers = powers(np.concatenate([waiting.s for waiting in self._waiting]))
        first = 0
        for waiting in self._waiting:
            last = first + len(waiting.s)
            q = waiting.curve.times(all_powers[:, first:last])
            self.q[:, waiting.at] = q if waiting.shift is None else q + waiting.shift
            first = last
        self._waiting.clear()
        self._waits = 0

    @staticmethod
    def agrees(pose: Pose) -> bool:
        """Tell whether redundant rows, if there are any, are met as well."""
        return not pose.scaled.redundant or float(pose.scaled.gap(pose.q, pose.z)[0]) < CONSISTENT

    def step(self, pose: Pose, before: Curve | None, z: Floats) -> Pose | None:
        """Take one step to other values of the drivers; None where it is not safe."""
        charge(STEP * len(self.q))
        guess = self._extrapolate(pose, before, z)
        if not np.isfinite(guess).all():
            return None
        found = close_pose(pose.scaled, guess, z)
        if found is None:
            return None
        if not is_near(pose.scaled, found.q, guess, pose.q)[0]:
            return None
        scaled = pose.scaled.choose(found.q, z) if pose.scaled.redundant else pose.scaled
        new = Pose(scaled, z, found.q, found.iterations, found if scaled is pose.scaled else None)
        if not self.agrees(new) or new.strength < SINGULAR:
            return None  # from a singular pose there is no way on: it is stepped over
        if (new.signs != pose.signs).any() and not is_smooth(Curve(pose, new)):
            return None
        return new

    def _extrapolate(self, pose: Pose, before: Curve | None, z: Floats) -> Floats:
        """Extrapolate the curve so far where the drivers go straight on, else expand in their values."""
        with np.errstate(all="ignore"):
            if before is not None and before.b is pose:
                s, beside = (before.gone(z), None) if len(z) == 1 else before.part(z, self.units)
                straight = beside is None or np.max(np.abs(beside / self.units), initial=0.0) < 1e-9
                if straight and 1.0 < s[0] < 2.6:
                    return before.at(s)
            return pose.taylor(z)

    def walk(self, pose: Pose, z: Floats) -> Pose | None:
        """Walk straight to other values in steps that shrink where a trial fails."""

        def take(here: Pose, end: float) -> Pose | None:
            return self.step(here, None, z if end == 1.0 else pose.z + end * (z - pose.z))

        def shortest(here: Pose) -> float:
            gone = np.max(np.abs(here.q - pose.q) / here.scaled.column_units, initial=0.0)
            return 0.5 ** (FINEST if here.strength < NEAR_LIMIT and gone < AWAY else HALVINGS)

        last, arrived = walk_straight(pose, take, shortest, first=0.5)
        if arrived:
            return last
        self.reached = last
        return None


def is_near(scaled: Scaled, q: Floats, guess: Floats, before: Floats) -> NDArray[np.bool_]:
    """Tell which poses q (n, lanes) lie near their extrapolation, and not far from the poses before."""
    departure, turned = (np.max(np.abs(q - x) / scaled.column_units, axis=0, initial=0.0) for x in (guess, before))
    return np.asarray(
        (departure <= DEPARTURE_ON_CURVE) & (departure <= 0.3 * turned + 1e-6) & (turned <= TURN_ON_CURVE)
    )


def span(lanes: Ints) -> slice | Ints:
    """Return lanes that follow each other as a slice, which copies nothing."""
    first, last = int(lanes[0]), int(lanes[-1]) + 1
    return slice(first, last) if last - first == len(lanes) else lanes
