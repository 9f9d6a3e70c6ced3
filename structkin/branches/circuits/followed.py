"""Circuits and branches of mechanisms with groups that have no closed form: every assembly is followed.

The poses over one driver form curves, cut by folds into arcs. The groups are taken in solve order. Along each arc of
the groups before it, the number of a group's modes is constant between neighbouring zeros of its discriminant
(`circuits/seeds.py` for general groups), which are all found. One place between any two is examined; each mode
there that lies on no known curve is followed through its folds until its curve closes. So every curve is found.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import combinations, pairwise
from typing import TYPE_CHECKING, NoReturn

import numpy as np

from structkin.branches.assemblies.listing import Assemblies
from structkin.branches.assemblies.wheels import Repeats, repeats
from structkin.branches.circuits.by_closed_forms import Branch, BranchPoint, Circuits, joined, problems_of_search
from structkin.branches.circuits.by_closed_forms import circuits as closed_circuits
from structkin.branches.circuits.lines import Free, Line, OnArc
from structkin.branches.circuits.seeds import poses_over, samples_along
from structkin.branches.limits import Interval, Limit
from structkin.branches.limits.follow import Fold, change_at
from structkin.branches.limits.next_stop import modes_of
from structkin.branches.limits.plan_equations import System
from structkin.branches.limits.search import Swept, fold_words
from structkin.branches.limits.trace import Arc, Curve, trace
from structkin.budget import grant, metered
from structkin.errors import InputError, Problem
from structkin.model.near import near
from structkin.numerical_tolerances import ROUNDING, SAME_POSE
from structkin.plan.plan import Plan
from structkin.rows.periodic import TURN
from structkin.solve import compile_plan
from structkin.solve.solve_groups import solve_groups
from structkin.types import Floats

if TYPE_CHECKING:
    from structkin.model.mechanism import Mechanism


#: Steps granted in addition to the budget for each curve: `most` bounds the number of curves.
EACH = 1000
#: Poses at which two curves cross are closer than this: they are known to half the digits.
CROSSED = 1e-3


def circuits(
    mechanism: Mechanism,
    driver: str | None,
    *,
    drivers: Mapping[str, float] | None,
    range: tuple[float, float] | None,
    most: int,
    budget: float | None,
    progress: Callable[[float], None] | None,
) -> Circuits:
    """Find all circuits and branches over the range of one driver; see `Mechanism.circuits`."""
    moved = near(mechanism)
    plan = compile_plan(moved)
    if not plan.tracked:
        found = closed_circuits(
            moved, driver, drivers=drivers, range=range, most=most, budget=budget, progress=progress
        )
        return replace(found, mechanism=mechanism)
    swept = Swept(moved, driver, drivers, range, problems_of_search(mechanism, most, budget))
    swept.in_sizes(moved.size)
    known = repeats(plan)
    if swept.has_wheels and swept.goes_round:
        together = repeats(plan, swept.driver)
        if together is not None and together.driver is not None:
            known = together
            swept.turns, swept.whole = together.driver[-1], None
    with metered(budget, swept.unfinished, mechanism.title, progress):
        return replace(_Search(plan, swept, most, known).run(), mechanism=mechanism)


@dataclass
class _Search:
    """A search by levels: each group that has a choice is examined along all curves of the groups before it."""

    plan: Plan
    swept: Swept
    most: int
    repeats: Repeats | None
    curves: list[Curve] = field(default_factory=list)
    system: System | None = None

    @property
    def periodic(self) -> bool:
        return self.swept.whole is None

    @property
    def start(self) -> float:
        """The parameter where the driver starts."""
        return self.swept.start / (self.swept.turns * self.swept.unit)

    def run(self) -> Circuits:
        """Find all curves and describe them."""
        m, swept, steps = self.swept.mechanism, self.swept, self.plan.steps
        first = m.assemblies(drivers={**swept.held, swept.driver: swept.start}, limit=self.most)
        self._refuse(first)
        with_choice = sorted((*self.plan.followed, *self.plan.with_root))
        levels = [*(with_choice or [len(steps) - 1]), len(steps)]
        begin = System(self.plan, swept.path, 1.0, np.empty(0), swept.is_angle)
        lines: list[Line] = [Free(begin, levels[0], swept.whole, self.start)]
        for index, stop in pairwise(levels):
            self.curves, self.system = [], None
            if stop == len(steps):
                # Branches are counted from the assemblies at the start.
                for item in first:
                    if not item.singular:
                        self._take(item.motion.lanes.x[0, :, 0], self.start, stop)
            for line in lines:
                self._along(line, index, stop)
            lines = [] if self.system is None else [OnArc(self.system, arc) for arc in self._arcs()]
        poses = [item.motion.lanes.x[0, :, 0] for item in first]
        return self._describe([] if self.system is None else [self.system.pack(x, self.start) for x in poses])

    def _along(self, line: Line, index: int, stop: int) -> None:
        """Trace all curves of the steps before `stop` that lie over a line of those before step `index`."""
        for s in samples_along(line, self.plan, index):
            place = np.array([s])
            for rows in poses_over(self.plan, line.rows(place)[:, 0], index, stop):
                self._take(rows, float(line.places(place)[0]), stop)

    def _take(self, rows: Floats, p: float, stop: int) -> None:
        """Trace the curve of a pose of the steps before `stop`, if it is new."""
        if self.system is None:
            part = replace(self.plan, steps=self.plan.steps[:stop])
            self.system = System(part, self.swept.path, self._size, rows, self.swept.is_angle, repeats=self.repeats)
        y = self.system.pack(rows, p)
        if not any(self._holds(arc, y) for arc in self._arcs()):
            grant(EACH)
            self.curves.append(trace(self.system, y, self.swept.whole))
            if sum(len(curve.arcs) for curve in self.curves) > self.most:
                self._raise(f"there are more than {self.most} branches")

    @cached_property
    def _size(self) -> float:
        return solve_groups(self.swept.mechanism, drivers={id: np.array([z]) for id, z in self.swept.held.items()}).size

    def _refuse(self, found: Assemblies) -> None:
        """Raise where not all assemblies are known."""
        general = {self.plan.steps[k].group for k in self.plan.followed}
        notes = [note.split(";")[0] for note in found.unlisted.values()]
        notes += [f"group {group + 1} can move with its inputs held" for group in found.endless if group in general]
        if notes or found.truncated:
            self._raise(notes[0] if notes else f"there are more than {self.most} assemblies")

    def _raise(self, message: str) -> NoReturn:
        problem = Problem("circuits", message, "limits() follows the motion from the sketch")
        raise InputError([problem], self.swept.mechanism.title)

    def _arcs(self) -> Iterator[Arc]:
        return (arc for curve in self.curves for arc in curve.arcs)

    def _holds(self, arc: Arc, y: Floats) -> bool:
        """Return whether a pose lies on an arc."""
        assert self.system is not None
        found = arc.crossings(self.system, float(y[-1]), periodic=self.periodic)
        apart = (np.abs(self.system.apart(other, y)[:-1]).max() for other in found)
        return any(gap < SAME_POSE * max(1.0, np.abs(y).max()) for gap in apart)

    # --- what is returned ---------------------------------------------------------------------------------

    def _describe(self, first: list[Floats]) -> Circuits:
        """Return branches and branch_points; `first` are the poses of the assemblies where the driver starts."""
        branches: list[Branch] = []
        branch_points: list[BranchPoint] = []
        home = None
        sketch = self._sketch()
        for curve in self.curves:
            begin = len(branches)
            for k, arc in enumerate(curve.arcs):
                if sketch is not None and self._holds(arc, sketch):
                    home = len(branches)
                on_it = tuple(index for index, y in enumerate(first) if self._holds(arc, y))
                turns = max(round(curve.turns), 1) * self.swept.turns
                branches.append(Branch(self._interval(arc), self._modes(arc), 0, on_it, turns))
                last = k + 1 == len(curve.arcs)
                fold = arc.ends[1]
                if fold is not None and (curve.closed or not last):
                    other = begin if last else begin + k + 1
                    pair = (begin + k, other) if begin + k < other else (other, begin + k)
                    branch_points.append(BranchPoint(pair, self._limit(fold, self._shift(arc))))
        branch_points += self._crossings()
        return joined(self.swept, branches, branch_points, home)

    def _crossings(self) -> Iterator[BranchPoint]:
        """Yield the change points: pairs of branches that cross at a pose."""
        if self.system is None:
            return
        found = []
        begin = 0
        for curve in self.curves:
            arcs = list(enumerate(curve.arcs, begin))
            for y in curve.crossings:
                holds = [
                    k for k, arc in arcs if (np.abs(self.system.apart(arc.poses, y)[:, :-1]) < ROUNDING).all(1).any()
                ]
                found += [(holds[0], y)] if holds else []
            begin += len(arcs)
        for (one, y), (other, z) in combinations(found, 2):
            gap = self.system.apart(y, z)
            gap[-1] = math.remainder(gap[-1], TURN) if self.periodic else gap[-1]
            if np.abs(gap).max() < CROSSED * max(1.0, np.abs(y[:-1]).max()):
                limit = self._limit(
                    change_at(self.system, y), -TURN * math.floor(y[-1] / TURN) if self.periodic else 0.0
                )
                yield BranchPoint((min(one, other), max(one, other)), replace(limit, change_point=True))

    def _sketch(self) -> Floats | None:
        """Return the pose that the motion starts from."""
        motion = solve_groups(
            self.swept.mechanism, drivers={id: np.array([value]) for id, value in self.swept.held.items()}
        )
        if not motion.regular[0] or self.system is None:
            return None
        return self.system.pack(motion.lanes.x[0, :, 0], self.start)

    def _shift(self, arc: Arc) -> float:
        """Return the whole turns that bring the lower end of an arc into 0 to 2 pi."""
        low = float(arc.poses[[0, -1], -1].min())
        return -TURN * np.floor(low / TURN) if self.periodic else 0.0

    def _interval(self, arc: Arc) -> Interval:
        first, last = arc.ends
        if first is None or last is None:
            return Interval(None, None, self.swept.turns)
        low, high = (first, last) if first.p <= last.p else (last, first)
        shift = self._shift(arc)
        return Interval(self._limit(low, shift), self._limit(high, shift), self.swept.turns)

    def _limit(self, fold: Fold, shift: float) -> Limit:
        assert self.system is not None
        limit = fold_words(self.system, fold)
        limit = Limit(limit.value + float(shift), limit.kind, limit.group, limit.why)
        return self.swept.limit(limit, self.swept.turns * self.swept.unit)

    def _modes(self, arc: Arc) -> tuple[tuple[int, int], ...]:
        """Return the modes of the closed forms, which do not change within an arc."""
        assert self.system is not None
        rows = self.system.rows(arc.poses[len(arc.poses) // 2][:, None])[:, 0]
        modes = modes_of(self.plan, rows)
        return tuple((step.group, modes[k]) for k, step in enumerate(self.plan.steps) if step.has_root)
