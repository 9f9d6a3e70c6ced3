"""A depth-first search over the modes of every group at given driver values; each leaf is an assembly."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np

from structkin.branches.assemblies.choices import Choice, Choices, choices_of, with_followed
from structkin.branches.assemblies.wheels import known_repeats, whole_turns
from structkin.budget import charge
from structkin.groups import Turn
from structkin.numerical_tolerances import HALF_DIGITS
from structkin.plan.plan import Plan, Step
from structkin.rows.periodic import TURN
from structkin.types import Floats

#: The choices that were made, each with its step.
Path = tuple[tuple[int, Choice], ...]
#: How far apart equal results may be, relative to their size: a singular pose has lost half its digits.
SAME = 1e-4


@dataclass(frozen=True)
class Leaf:
    """One assembly: all slots (rows,), and the choices that led there."""

    slots: Floats
    path: Path


@dataclass
class DeadEnd:
    """A group that does not close for some modes of the groups before it.

    `group` is its index, `choices` the number of choices of those modes, `gap` how far it is from closing at best: the
    distance of the nearest complex solution from being real, relative to its size. `note` may say more.
    """

    group: int
    choices: int
    gap: float
    note: str = ""


@dataclass
class AssemblySearch:
    """A search through all assemblies of a plan, and what it has found so far.

    `follow` returns the slots (rows,) of the pose that a motion from the sketch reaches, NaN from where it stops; it is
    called when they are needed.
    """

    plan: Plan
    drivers: Mapping[str, float]
    follow: Callable[[], Floats]
    #: Groups that keep these modes, by index.
    fixed: Mapping[int, tuple[int, ...]] = field(default_factory=dict)
    dead: dict[int, DeadEnd] = field(default_factory=dict)
    #: Why groups are not enumerated, by index, and for how many modes of the groups before no pose of them is known.
    unlisted: dict[int, str] = field(default_factory=dict)
    unknown: dict[int, int] = field(default_factory=dict)
    #: The modes of groups that were fixed to modes that they do not have.
    others: dict[int, tuple[int, ...]] = field(default_factory=dict)
    endless: set[int] = field(default_factory=set)
    notes: dict[int, str] = field(default_factory=dict)
    _known: dict[tuple[int, bytes], Choices] = field(default_factory=dict)

    def __iter__(self) -> Iterator[Leaf]:
        """Yield the assemblies, in the order of the modes of the first group, then of the second, ..."""
        # Each entry: the slots so far, the step that was chosen for and the choice, the path before it.
        waiting: list[tuple[Floats, int, Choice | None, Path]] = [(self._start(), -1, None, ())]
        while waiting:
            charge(0.1)
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

    def followed(self) -> Leaf | None:
        """Return the assembly that a motion from the sketch reaches; None where it reaches none."""
        slots = self._start()
        path: Path = ()
        counts = dict[int, int]()
        for index, step in enumerate(self.plan.steps):
            wanted = self._followed_outputs(step)
            found = self._choices(index, step, slots)
            if wanted is None or not found.items:
                return None
            if isinstance(step.kind, Turn):
                first = found.items[0]
                if not _turned(first, wanted):
                    return None
                counts[step.outputs[0]] = round(float((wanted[0] - first.outputs[0])[0]) / TURN)
                choice = replace(first, outputs=wanted)
            else:
                items = self._allowed(step.group, found.items, path)
                near = [item for item in items if _agree(item.outputs, wanted, self._size)]
                if not near:
                    return None
                choice = min(near, key=lambda item: _apart(item.outputs, wanted))
            slots, path = self._with(slots, step, choice), (*path, (index, choice))
        return self._counted(Leaf(slots, path), counts)

    def _counted(self, leaf: Leaf, counts: Mapping[int, int]) -> Leaf | None:
        """Return a pose with the modes of its counted turns; None where other modes are fixed.

        Counts after which all poses repeat, together with those of other links, are one mode.
        """
        least = known_repeats(self.plan).least(counts)
        path: Path = ()
        for index, found in leaf.path:
            step, choice = self.plan.steps[index], found
            if isinstance(step.kind, Turn) and found.mode is not None:
                choice = replace(found, mode=least[step.outputs[0]] + 1)
                if step.group in self.fixed and choice.mode not in self._fixed_mode(step.group, path):
                    return None
            path = (*path, (index, choice))
        return replace(leaf, path=path)

    def _start(self) -> Floats:
        """Return the slots with those of the drivers filled in."""
        slots = np.full(self.plan.offsets[-1], np.nan)
        self.plan.drive(slots, self.drivers)
        return slots

    @cached_property
    def _reference(self) -> Floats:
        return self.follow()

    @cached_property
    def _size(self) -> float:
        return float(np.nanmax(np.abs(self._reference), initial=0.0))

    def _followed_outputs(self, step: Step) -> tuple[Floats, ...] | None:
        """Return the outputs of a step in the pose that a motion from the sketch reaches; None where there is none."""
        outputs = tuple(self._reference[self.plan.rows(slot)] for slot in step.outputs)
        return outputs if all(np.isfinite(x).all() for x in outputs) else None

    def _follows(self, h: tuple[Any, ...], step: Step) -> bool:
        """Return whether a step has its inputs of the pose that a motion from the sketch reaches."""
        there = tuple(map(np.ravel, self.plan.inputs(step, self._reference[:, None])))
        return _agree(tuple(map(np.ravel, h)), there, self._size)

    def _choices(self, index: int, step: Step, slots: Floats) -> Choices:
        h = self.plan.inputs(step, slots[:, None])
        key = index, b"".join(np.asarray(x, float).tobytes() for x in h)
        # Groups that do not depend on each other meet the same inputs many times.
        if key not in self._known:
            self._known[key] = self._find(index, step, h)
        found = self._known[key]
        if found.endless:
            self.endless.add(step.group)
        if found.unlisted:
            self.unlisted[step.group] = found.note
        elif found.note and found.items:
            self.notes[step.group] = found.note
        return found

    def _find(self, index: int, step: Step, h: tuple[Any, ...]) -> Choices:
        charge(1.0)
        turns = whole_turns(self.plan, index)
        found = choices_of(step, h, turns)
        # Modes that are not enumerated, and turns, are taken from the motion from the sketch.
        outputs = self._followed_outputs(step) if found.unlisted or turns is None else None
        if outputs is None or not self._follows(h, step):
            return found
        if found.unlisted and any(_agree(item.outputs, outputs, self._size) for item in found.items):
            return found
        return with_followed(found, step, h, outputs)

    def _allowed(self, group: int, items: tuple[Choice, ...], path: Path) -> tuple[Choice, ...]:
        """Return the choices that agree with the fixed modes of this group."""
        if group not in self.fixed or not items or items[0].mode is None:
            return items
        wanted = self._fixed_mode(group, path)
        allowed = tuple(choice for choice in items if choice.mode in wanted)
        if not allowed:
            self.others[group] = tuple(choice.mode for choice in items if choice.mode is not None)
        return allowed

    def _fixed_mode(self, group: int, path: Path) -> tuple[int, ...]:
        """Return the mode that is fixed for the next choice of a group; nothing if it has more choices than modes."""
        before = sum(self.plan.steps[at].group == group and choice.mode is not None for at, choice in path)
        return self.fixed[group][before : before + 1]

    def _end(self, group: int, found: Choices) -> None:
        if found.endless:
            return
        if found.unlisted:
            self.unknown[group] = self.unknown.get(group, 0) + 1
            return
        known = self.dead.get(group, DeadEnd(group, 0, np.inf))
        self.dead[group] = replace(
            known, choices=known.choices + 1, gap=min(known.gap, found.gap), note=found.note or known.note
        )

    def _with(self, slots: Floats, step: Step, choice: Choice) -> Floats:
        slots = slots.copy()
        for slot, value in zip(step.outputs, choice.outputs, strict=True):
            slots[self.plan.rows(slot)] = value
        return slots


def _agree(found: tuple[Floats, ...], wanted: tuple[Floats, ...], size: float) -> bool:
    """Return whether two rows of vectors and scalars are equal, where slots are as large as `size`."""
    return all(
        np.max(np.abs(a - b)) <= SAME * np.max(np.abs(b)) + HALF_DIGITS * size
        for a, b in zip(found, wanted, strict=True)
    )


def _turned(item: Choice, wanted: tuple[Floats, ...]) -> bool:
    """Return whether a count of turns is the wanted one, up to whole turns."""
    return bool(abs(np.remainder(wanted[0] - item.outputs[0] + np.pi, TURN) - np.pi)[0] < SAME)


def _apart(found: tuple[Floats, ...], wanted: tuple[Floats, ...]) -> float:
    return max((float(np.max(np.abs(a - b))) for a, b in zip(found, wanted, strict=True)), default=0.0)
