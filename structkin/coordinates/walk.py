"""Walking a mechanism along its drivers by a global method, on the branch of the sketch.

Stations a short way apart are walked to one by one: extrapolated from the curve through the two before, closed by the
Newton-Raphson method, and accepted where it stays near the extrapolation and the determinants of all diagonal blocks
keep their signs. A sign may change where the poses around it lie on one smooth curve: a change point.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from structkin.coordinates.curve import Curve, Pose
from structkin.coordinates.diagnosis import Outcome
from structkin.coordinates.newton import close
from structkin.coordinates.scaled import CONSISTENT, SINGULAR, Scaled
from structkin.coordinates.smooth import changes_smoothly
from structkin.kinematics.status import Status

Floats = NDArray[np.float64]
Ints = NDArray[np.intp]

#: Largest change of a scaled coordinate in one step, and largest departure of the pose from its extrapolation.
TURN, DEPARTURE = 0.7, 0.05
#: Halvings of the way to a sample before it is given up.
HALVINGS = 12
#: A station whose weakest block has a smaller singular value than this has its neighbours looked at.
WEAK = 0.05


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


@dataclass
class Walk:
    """The state of a run over all stations of a schedule; `z` (f, n) are the drivers' values.

    `units` (f, 1) are theirs, `angular` (f, 1) tells which are angles, `wanted` (n,) which stations are samples.
    Results are predictions and solutions q (n, lanes), which lanes are solved and in how many iterations. `lanes`
    are those whose drivers have values; a *place* is an index into them.
    """

    scaled: Scaled
    z: Floats
    units: Floats
    angular: NDArray[np.bool_]
    wanted: NDArray[np.bool_]
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

    def at(self, k: int) -> Floats:
        """Return the drivers' values (f, 1) at a place."""
        return self.z[:, [self.lanes[k]]]

    def keep(self, k: int, pose: Pose) -> None:
        """Keep a station at a place."""
        lane = self.lanes[k]
        self.q[:, lane] = pose.q[:, 0]
        self.solved[lane], self.status[lane] = True, Status.OK
        self.iterations[lane] = pose.iterations
        self.suspect[lane] |= pose.strength < WEAK
        self.note(np.array([lane]), pose.scaled)
        self.stations += 1

    def note(self, lanes: Ints, scaled: Scaled) -> None:
        """Note which system lanes are solved with."""
        if not self.systems or self.systems[-1] is not scaled:
            self.systems.append(scaled)
        self.system_of[lanes] = len(self.systems) - 1

    def predict(self, lanes: Ints, curve: Curve, z: Floats, shift: Floats | None = None) -> None:
        """Predict the wanted ones of these lanes from a curve at values z (f, lanes), shifted (n, lanes) if need be."""
        wanted = self.wanted[lanes]
        if not wanted.all():
            lanes, z, shift = lanes[wanted], z[:, wanted], None if shift is None else shift[:, wanted]
        if len(lanes):
            q = curve.near(z, self.units)
            self.q[:, lanes] = q if shift is None else q + shift
            self.status[lanes] = Status.OK
            self.note(lanes, curve.a.scaled)

    @staticmethod
    def agrees(pose: Pose) -> bool:
        """Tell whether redundant rows, if there are any, are met as well."""
        return not pose.scaled.redundant or float(pose.scaled.gap(pose.q, pose.z)[0]) < CONSISTENT

    def step(self, pose: Pose, before: Curve | None, z: Floats) -> Pose | None:
        """Take one step to other values of the drivers; None where it is not safe."""
        guess = self._extrapolate(pose, before, z)
        if not np.isfinite(guess).all():
            return None
        found = close(pose.scaled, guess, z)
        if not found.converged[0]:
            return None
        unit = pose.scaled.coordinates.column_units[:, None]
        departure, turned = (np.max(np.abs(found.q - x) / unit) for x in (guess, pose.q))
        if departure > DEPARTURE or departure > 0.3 * turned + 1e-6 or turned > TURN:
            return None
        scaled = pose.scaled.choose(found.q, z) if pose.scaled.redundant else pose.scaled
        new = Pose(scaled, z, found.q, int(found.iterations[0]))
        if not self.agrees(new) or new.strength < SINGULAR:
            return None  # from a singular pose there is no way on: it is stepped over
        flipped = np.flatnonzero(new.signs != pose.signs)
        if len(flipped) and not changes_smoothly(Curve(pose, new), flipped, self.units):
            return None
        return new

    def _extrapolate(self, pose: Pose, before: Curve | None, z: Floats) -> Floats:
        """Extrapolate the curve so far where the drivers go straight on, else expand in their values."""
        with np.errstate(all="ignore"):
            if before is not None and before.b is pose:
                s, beside = before.part(z, self.units)
                straight = np.max(np.abs(beside / self.units)) < 1e-9
                if straight and 1.0 < s[0] < 2.6:
                    return before.at(s)
            return pose.taylor(z)

    def walk(self, pose: Pose, z: Floats) -> Pose | None:
        """Walk straight to other values in steps that shrink where a trial fails."""
        start, done, step = pose, 0.0, 0.5
        while done < 1.0:
            end = min(1.0, done + step)
            found = self.step(pose, None, z if end == 1.0 else start.z + end * (z - start.z))
            if found is not None:
                pose, done, step = found, end, 2 * step
                continue
            step *= 0.5
            if step < 0.5**HALVINGS:
                self.reached = pose
                return None
        return pose
