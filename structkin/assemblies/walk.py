"""Walking through a plan at one value of each driver: every group's modes in turn, depth first, one assembly a leaf."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from structkin.assemblies.choices import Choice, Choices, choices_of
from structkin.assemblies.homotopy import Floats
from structkin.assemblies.wheels import whole_turns
from structkin.kinematics.plan import Operand, Plan, Slot, Step

#: The choices that were made, each with its step.
Path = tuple[tuple[int, Choice], ...]


@dataclass(frozen=True)
class Leaf:
    """One assembly: all slots (rows,), and the choices that led there."""

    slots: Floats
    path: Path


@dataclass
class DeadEnd:
    """A group that does not close on some ways through the groups before it.

    `group` is its index, `ways` how often it was met, `gap` how far from closing it is at best: the part of its size by
    which the nearest complex solution is not real. `note` says more, if there is more to say.
    """

    group: int
    ways: int
    gap: float
    note: str = ""


@dataclass
class Walk:
    """A walk through all assemblies of a plan, and what was met on it so far."""

    plan: Plan
    drivers: Mapping[str, float]
    #: Groups that keep these modes, by index.
    fixed: Mapping[int, tuple[int, ...]] = field(default_factory=dict)
    dead: dict[int, DeadEnd] = field(default_factory=dict)
    endless: set[int] = field(default_factory=set)
    notes: dict[int, str] = field(default_factory=dict)
    _known: dict[tuple[int, bytes], Choices] = field(default_factory=dict)

    def __iter__(self) -> Iterator[Leaf]:
        """Yield the assemblies, in the order of the modes of the first group, then of the second, ..."""
        slots = np.full(self.plan.offsets[-1], np.nan)
        for item in self.plan.drivers:
            value = item.sign * self.drivers[item.driver]
            slots[self.plan.rows(item.slot)] = (np.cos(value), np.sin(value)) if item.angular else value
        # Each entry: the slots so far, the step that was chosen for and the choice, the path before it.
        waiting: list[tuple[Floats, int, Choice | None, Path]] = [(slots, -1, None, ())]
        while waiting:
            slots, index, choice, path = waiting.pop()
            if choice is not None:
                slots, path = self._with(slots, self.plan.steps[index], choice), (*path, (index, choice))
            if index + 1 == len(self.plan.steps):
                yield Leaf(slots, path)
                continue
            step = self.plan.steps[index + 1]
            found = self._choices(index + 1, step, slots)
            if not found.items:
                self._end(step.group, found)
            # The first choice is taken from the end of the list.
            for option in reversed(self._allowed(step.group, found.items, path)):
                waiting.append((slots, index + 1, option, path))

    def _choices(self, index: int, step: Step, slots: Floats) -> Choices:
        h = tuple(self._operand(operand, slots) for operand in step.inputs)
        key = index, b"".join(np.asarray(x, float).tobytes() for x in h)
        # Groups that do not depend on each other meet the same inputs on many ways.
        if key not in self._known:
            self._known[key] = choices_of(step, h, whole_turns(self.plan, index))
        found = self._known[key]
        if found.endless:
            self.endless.add(step.group)
        if found.note and found.items:
            self.notes[step.group] = found.note
        return found

    def _allowed(self, group: int, items: tuple[Choice, ...], path: Path) -> tuple[Choice, ...]:
        """Return the choices that agree with the modes that are fixed for this group."""
        if group not in self.fixed or not items or items[0].mode is None:
            return items
        before = sum(self.plan.steps[at].group == group and choice.mode is not None for at, choice in path)
        wanted = self.fixed[group][before : before + 1]
        return tuple(choice for choice in items if choice.mode in wanted)

    def _end(self, group: int, found: Choices) -> None:
        if found.endless:
            return
        known = self.dead.get(group, DeadEnd(group, 0, np.inf))
        self.dead[group] = replace(
            known, ways=known.ways + 1, gap=min(known.gap, found.gap), note=found.note or known.note
        )

    def _operand(self, operand: Operand, slots: Floats) -> Any:
        if isinstance(operand, Slot):
            value = slots[self.plan.rows(operand.index)]
            return value[:, None] if len(value) == 2 else value
        return operand if isinstance(operand, float) else np.array([[operand.real], [operand.imag]])

    def _with(self, slots: Floats, step: Step, choice: Choice) -> Floats:
        slots = slots.copy()
        for slot, value in zip(step.outputs, choice.outputs, strict=True):
            slots[self.plan.rows(slot)] = value
        return slots
