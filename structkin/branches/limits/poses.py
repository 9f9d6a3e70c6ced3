"""Poses of the closed forms of a plan along a path of the drivers, for numbers of any kind.

The engine solves float64 lanes. Limits are refined by complex steps, with discriminants held at zero at a limit: this
is a small interpreter of the same plan for such numbers.

Modes and whole turns are known along the path before the rest is searched, as functions of the place. A wheel has
another angle after each turn of the link that drives it, so the turns of a dyad's link have to be counted from the
sketch, through change points too. Groups that do not depend on it are followed first; then it is a function of the
driver alone, and the groups after it are closed forms again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from structkin.groups import Relation, Turn
from structkin.plan.plan import Plan, Register
from structkin.solve.strokes import Stroke
from structkin.types import Floats


@dataclass(frozen=True)
class Known:
    """Modes and turns of some steps over the coordinate z = `scale` p of a driver, which starts at `start`.

    `modes` are those at the start; `mode_changes[step]` are the places, in order, where a step's mode changes;
    `turns[step]` are places and the turns there, close enough to distinguish whole turns. Where all of them repeat
    after a `period` of z, they are known over one period from the start, and `gains[step]` is the growth of a turn in
    it.
    """

    start: float
    modes: Mapping[int, int] = field(default_factory=dict)
    mode_changes: Mapping[int, Floats] = field(default_factory=dict)
    turns: Mapping[int, tuple[Floats, Floats]] = field(default_factory=dict)
    gains: Mapping[int, float] = field(default_factory=dict)
    period: float | None = None
    scale: float = 1.0

    def _place(self, p: Any) -> tuple[Floats, Floats]:
        """Return the place z (n,) in the first period, and by how many periods it was shifted."""
        z = np.asarray(np.real(p), np.float64) * self.scale
        if self.period is None:
            return z, np.zeros_like(z)
        rounds = np.floor((z - self.start) / self.period)
        return z - rounds * self.period, rounds

    def mode(self, step: int, p: Any) -> Any:
        """Return the mode of a step (n,) at parameters p (n,)."""
        mode_changes = self.mode_changes[step]
        passed = np.searchsorted(mode_changes, self._place(p)[0]) - np.searchsorted(mode_changes, self.start)
        return self.modes[step] * np.where(passed % 2, -1, 1)

    def turn(self, step: int, p: Any) -> Floats:
        """Return turns (n,) near those of a step at parameters p (n,)."""
        z, rounds = self._place(p)
        return np.asarray(np.interp(z, *self.turns[step]) + self.gains.get(step, 0.0) * rounds)


#: The drivers' values (n,) as functions of the parameter (n,) of a path; complex parameters are complex steps.
Path = Callable[[Any], Mapping[str, Any]]
#: Assembly mode of each step.
Modes = Mapping[int, int]


@dataclass(frozen=True)
class Poses:
    """A plan without general groups, on a path of its drivers; `known` is what is known along the path.

    `strokes` are treated like groups that have to close: each is numbered as one more step, after those of the plan.
    """

    plan: Plan
    path: Path
    known: Known = field(default_factory=lambda: Known(0.0))
    strokes: tuple[Stroke, ...] = ()

    def stroke(self, index: int) -> Stroke | None:
        """Return the stroke with this number, None for a step."""
        first = len(self.plan.steps)
        return None if index < first else self.strokes[index - first]

    def discriminant(self, index: int, p: Any, modes: Modes, zero: Iterable[int] = ()) -> NDArray[Any]:
        """Return the discriminant of a step (n,) at parameters p (n,), positive where it closes.

        `zero` are steps that are at a limit there: their roots are exactly zero.
        """
        with np.errstate(all="ignore"):
            slots = self._slots(self._ancestors[index], p, modes, frozenset(zero))
            if (stroke := self.stroke(index)) is not None:
                room = stroke.room(lambda part: part.components(slots.__getitem__), self.path(p))
                return np.broadcast_to(room, np.shape(p))
            return self._signed(index, self.plan.steps[index].read(slots.__getitem__), np.shape(p))

    def stroke_words(self, stroke: Stroke, p: Any, modes: Modes, zero: Iterable[int]) -> str:
        """Return which end of a stroke is reached at parameters p (1,), in words."""
        slots = self.slots(p, modes, zero)
        return stroke.end_words(lambda part: part.components(slots.__getitem__), self.path(p))

    def slots(self, p: Any, modes: Modes, zero: Iterable[int] = ()) -> dict[int, Any]:
        """Return every slot that does not depend on turns still to be counted: vectors (2, n), scalars (n,)."""
        with np.errstate(all="ignore"):
            return self._slots(self._within, p, modes, frozenset(zero))

    def inputs(self, index: int, p: Any, modes: Modes, zero: Iterable[int] = ()) -> tuple[Any, ...]:
        """Return the inputs of a step at parameters p (n,)."""
        with np.errstate(all="ignore"):
            slots = self._slots(self._ancestors[index], p, modes, frozenset(zero))
            return self.plan.steps[index].read(slots.__getitem__)

    @cached_property
    def closing(self) -> tuple[int, ...]:
        """The steps that can fail to close and whose modes are not known yet, in order."""
        steps = self._within
        nowhere = np.array([np.nan])
        with np.errstate(all="ignore"):
            # A relation that always closes has no discriminant, whatever its inputs.
            slots = self._slots(steps, nowhere, dict.fromkeys(steps, 1), frozenset())
            inputs = {index: self.plan.steps[index].read(slots.__getitem__) for index in steps}
            fails = [index for index, h in inputs.items() if self._closed(index).discriminant(h) is not None]
        count, within = len(self.plan.steps), {*steps}
        fails += [count + k for k in range(len(self.strokes)) if within.issuperset(self._ancestors[count + k])]
        return tuple(index for index in fails if index not in self.known.mode_changes)

    @property
    def uncounted(self) -> tuple[int, ...]:
        """The turns still to be counted whose vectors are known."""
        steps, within = self.plan.steps, {*self._within}
        turns = (k for k, step in enumerate(steps) if isinstance(step.kind, Turn) and k not in self.known.turns)
        return tuple(k for k in turns if within.issuperset(self._ancestors[k]))

    @cached_property
    def _within(self) -> tuple[int, ...]:
        """The steps that do not depend on turns still to be counted."""
        open_ = {k for k, s in enumerate(self.plan.steps) if isinstance(s.kind, Turn) and k not in self.known.turns}
        steps = self._ancestors[: len(self.plan.steps)]
        return tuple(k for k, before in enumerate(steps) if not open_ & {k, *before})

    def _closed(self, index: int) -> Relation:
        kind = self.plan.steps[index].kind
        assert kind.closed_form, "general groups have no closed form"
        return kind

    @cached_property
    def _ancestors(self) -> tuple[tuple[int, ...], ...]:
        """The steps that each step, and after them each stroke, depends on, in order."""
        maker: dict[int, int] = {}
        result: list[tuple[int, ...]] = []
        for index, step in enumerate(self.plan.steps):
            before = {maker[x.index] for x in step.inputs if isinstance(x, Register) and x.index in maker}
            result.append(tuple(sorted(before.union(*(result[other] for other in before)))))
            maker.update(dict.fromkeys(step.outputs, index))
        for stroke in self.strokes:
            before = {maker[slot] for part in stroke.line or () for slot, _ in part.terms if slot in maker}
            result.append(tuple(sorted(before.union(*(result[other] for other in before)))))
        return tuple(result)

    def _slots(self, steps: Iterable[int], p: Any, modes: Modes, zero: frozenset[int]) -> dict[int, Any]:
        drivers, slots = self.path(p), {}
        for item in self.plan.drivers:
            slots[item.register] = item.at(drivers[item.driver])
        for index in steps:
            step, kind = self.plan.steps[index], self._closed(index)
            h, root = step.read(slots.__getitem__), None
            if isinstance(kind, Turn):
                root = self.known.turn(index, p)
            elif kind.modes == 2:
                discriminant = self._signed(index, h, np.shape(p))
                reached = np.where((discriminant.real > 0) & (index not in zero), discriminant, 0)
                mode = self.known.mode(index, p) if index in self.known.mode_changes else modes[index]
                root = mode * np.sqrt(reached)
            slots.update(zip(step.outputs, kind.position(h, root), strict=True))
        return slots

    def _signed(self, index: int, h: tuple[Any, ...], shape: tuple[int, ...]) -> NDArray[Any]:
        kind = self._closed(index)
        discriminant = np.asarray(kind.discriminant(h))
        return np.broadcast_to(discriminant if kind.modes == 2 else discriminant * self.plan.steps[index].mode, shape)
