"""Circuits and branches of mechanisms with groups that have no closed form: every assembly is followed round.

The poses over one driver form curves. All assemblies at some values of the driver are the seeds; each that lies on no
known curve is followed through its folds until it comes back. Between two neighbouring folds of all curves the number
of poses is constant, so that one value between each pair is looked at, too, until nothing new is found.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from structkin.assemblies.listing import Assemblies, assemblies
from structkin.errors import InputError, Problem
from structkin.groups import General
from structkin.kinematics import compile_plan
from structkin.kinematics.limits import Circuits, Interval, Limit, Meeting, Sheet
from structkin.kinematics.limits import circuits as closed_circuits
from structkin.kinematics.limits.follow import Fold
from structkin.kinematics.limits.reach import TURN
from structkin.kinematics.limits.search import Swept, fold_words
from structkin.kinematics.limits.system import System
from structkin.kinematics.limits.trace import Arc, Curve, trace
from structkin.kinematics.limits.walk import modes_of
from structkin.kinematics.plan import Plan
from structkin.kinematics.solve import solve

if TYPE_CHECKING:
    from structkin.model.mechanism import Mechanism

Floats = NDArray[np.float64]

#: Values of the driver at which all assemblies are looked for, besides its start.
VALUES = 12
#: Poses nearer than this, in parts of the mechanism's size, are one.
SAME = 1e-6
#: Rounds in which values between new folds are looked at.
ROUNDS = 4


def circuits(
    mechanism: Mechanism,
    driver: str | None = None,
    *,
    drivers: Mapping[str, float] | None = None,
    range: tuple[float, float] | None = None,
    most: int = 1000,
) -> Circuits:
    """Find all circuits and branches over the range of one driver, for groups of any kind.

    Where every group has a closed form the search is complete (`structkin.kinematics.limits.circuits`). Else a circuit
    is missed where it lies wholly between two values of the driver at which all assemblies are found: a twelfth of a
    turn, or of the interval of the sketch, apart, and one between any two neighbouring limits. The arguments are those
    of `limits`. Raises `InputError` where the assemblies of a group are not enumerated, or where there are more than
    `most` sheets.

    >>> import structkin as sk
    >>> from structkin.examples import path
    >>> print(circuits(sk.load(path("stephenson_iii_triad"))).report.splitlines()[0])
    2 circuits of 2 sheets over motor
    """
    plan = compile_plan(mechanism)
    if not plan.tracked:
        return closed_circuits(mechanism, driver, drivers=drivers, range=range, most=most)
    return _Search(plan, Swept(mechanism, driver, drivers, range), most).run()


@dataclass
class _Search:
    plan: Plan
    swept: Swept
    most: int
    curves: list[Curve] = field(default_factory=list)
    system: System | None = None

    @property
    def periodic(self) -> bool:
        return self.swept.whole is None

    def run(self) -> Circuits:
        """Find all curves and describe them."""
        start = self.swept.start
        first = self._look(start)
        values = self._values()
        for _ in range(ROUNDS):
            known = len(self.curves)
            for value in values:
                self._look(value)
            values = self._between_folds()
            if len(self.curves) == known:
                break
        return self._describe(first)

    def _values(self) -> Floats:
        """Return the values of the driver to look at first."""
        if self.swept.whole is None:
            return self.swept.start + TURN * np.arange(1, VALUES) / VALUES
        folds = [fold.p for curve in self.curves for arc in curve.arcs for fold in arc.ends if fold is not None]
        # Lengths are looked for over far more than can be reached: farther off in wider steps.
        bottom, top = self.swept.whole
        low, high = (min(folds), max(folds)) if folds else (bottom, top)
        steps = (high - low) * 0.5 ** np.arange(-10, 6)
        values = np.concatenate((np.linspace(low, high, VALUES + 2), low - steps, high + steps))
        return np.unique(values[(values > bottom) & (values < top) & (values != low) & (values != high)])

    def _between_folds(self) -> Floats:
        """Return a value between each pair of neighbouring folds."""
        folds = [fold.p for curve in self.curves for arc in curve.arcs for fold in arc.ends if fold is not None]
        if not folds:
            return np.empty(0)
        places = np.unique(np.mod(folds, TURN) if self.periodic else folds)
        places = places[np.append(True, np.diff(places) > 1e-9)]
        if self.periodic:
            places = np.append(places, places[0] + TURN)
        return np.asarray(0.5 * (places[1:] + places[:-1]))

    def _look(self, value: float) -> list[Floats]:
        """Find all assemblies at a value of the driver and trace those that are new; return their poses."""
        m, swept = self.swept.mechanism, self.swept
        found = assemblies(m, drivers={**swept.held, swept.driver: float(value)}, limit=self.most)
        self._refuse(found)
        poses = []
        for item in found:
            rows = item.motion.lanes.x[0, :, 0]
            if self.system is None:
                self.system = System(self.plan, swept.path, item.motion.size, rows)
            y = self.system.pack(rows, float(value))
            poses.append(y)
            if not item.singular and not any(self._holds(arc, y) for arc in self._arcs()):
                self.curves.append(trace(self.system, y, swept.whole))
        self._refuse(found)
        return poses

    def _refuse(self, found: Assemblies) -> None:
        """Raise where the assemblies are not all there."""
        general = {step.group for step in self.plan.steps if isinstance(step.kind, General)}
        notes = list(found.unlisted.values())
        notes += [
            f"group {group + 1} moves while its inputs stand still" for group in found.endless if group in general
        ]
        if not notes and sum(len(curve.arcs) for curve in self.curves) > self.most:
            notes = [f"there are more than {self.most} sheets"]
        if notes or found.truncated:
            message = notes[0] if notes else f"there are more than {self.most} assemblies"
            raise InputError(
                [Problem("circuits", message, "limits() follows the motion from the sketch")],
                self.swept.mechanism.title,
            )

    def _arcs(self) -> Iterator[Arc]:
        return (arc for curve in self.curves for arc in curve.arcs)

    def _holds(self, arc: Arc, y: Floats) -> bool:
        """Return whether a pose lies on an arc."""
        assert self.system is not None
        found = arc.crossings(self.system, float(y[-1]), periodic=self.periodic)
        return any(np.abs(other[:-1] - y[:-1]).max() < SAME * max(1.0, np.abs(y).max()) for other in found)

    # --- what is returned ---------------------------------------------------------------------------------

    def _describe(self, first: list[Floats]) -> Circuits:
        """Return sheets and meetings; `first` are the poses of the assemblies where the driver starts."""
        sheets: list[Sheet] = []
        meetings: list[Meeting] = []
        home = None
        sketch = self._sketch()
        for number, curve in enumerate(self.curves):
            begin = len(sheets)
            for k, arc in enumerate(curve.arcs):
                if sketch is not None and self._holds(arc, sketch):
                    home = len(sheets)
                on_it = tuple(index for index, y in enumerate(first) if self._holds(arc, y))
                sheets.append(Sheet(self._interval(arc), self._modes(arc), number, on_it, max(round(curve.turns), 1)))
                last = k + 1 == len(curve.arcs)
                fold = arc.ends[1]
                if fold is not None and (curve.closed or not last):
                    other = begin if last else begin + k + 1
                    pair = (begin + k, other) if begin + k < other else (other, begin + k)
                    meetings.append(Meeting(pair, self._limit(fold, self._shift(arc))))
        return Circuits(self.swept.mechanism, self.swept.driver, tuple(sheets), tuple(meetings), home)

    def _sketch(self) -> Floats | None:
        """Return the pose that the motion starts from."""
        motion = solve(self.swept.mechanism, drivers={id: np.array([value]) for id, value in self.swept.held.items()})
        if not motion.ok[0] or self.system is None:
            return None
        return self.system.pack(motion.lanes.x[0, :, 0], self.swept.start)

    def _shift(self, arc: Arc) -> float:
        """Return the whole turns that bring the lower end of an arc into 0 to 2 pi."""
        low = float(arc.poses[[0, -1], -1].min())
        return -TURN * np.floor(low / TURN) if self.periodic else 0.0

    def _interval(self, arc: Arc) -> Interval:
        first, last = arc.ends
        if first is None or last is None:
            return Interval(None, None)
        low, high = (first, last) if first.p <= last.p else (last, first)
        return Interval(self._limit(low, self._shift(arc)), self._limit(high, self._shift(arc)))

    def _limit(self, fold: Fold, shift: float) -> Limit:
        assert self.system is not None
        limit = fold_words(self.system, fold)
        return Limit(limit.value + float(shift), limit.kind, limit.group, limit.why)

    def _modes(self, arc: Arc) -> tuple[tuple[int, int], ...]:
        """Return the modes of the closed forms, which do not change within an arc."""
        assert self.system is not None
        rows = self.system.rows(arc.poses[len(arc.poses) // 2][:, None])[:, 0]
        modes = modes_of(self.plan, rows)
        return tuple(
            (step.group, modes[k])
            for k, step in enumerate(self.plan.steps)
            if not isinstance(step.kind, General) and step.kind.modes == 2
        )
