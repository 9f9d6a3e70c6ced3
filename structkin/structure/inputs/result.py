"""Choices of inputs, how simple the structure of each is, and their ranking: what `rank_inputs` returns."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Set
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from structkin.model.topology import Driver, Topology, fasten
from structkin.structure.inputs.candidates import carried, label_of
from structkin.structure.parts import Group
from structkin.structure.result import KinematicStructure, decompose

_NUMERALS = {"I": 1, "V": 5, "X": 10, "L": 50}
_NO_CLASS = 1000


@dataclass(frozen=True)
class Verdict:
    """What is said of a structure when inputs are compared; the same for structures that differ in names only.

    `moving` counts the links that still move, idle ones left out; `redundant` the drivers too many. `levels` holds
    the kinds of the groups, level by level, each level in alphabetical order; `largest` is the number of links of
    the largest group; `highest_class` is None where a group has no textbook class, or has one only when more than two
    of its links are taken as one.
    """

    moving: int
    redundant: int
    highest_class: str | None
    largest: int
    levels: tuple[tuple[str, ...], ...]

    @property
    def rank(self) -> tuple[int, ...]:
        """A number for each criterion, the simplest structure first."""
        if self.moving or self.redundant:
            return (1, self.moving, self.redundant)
        return (0, _number(self.highest_class), self.largest, len(self.levels))


@dataclass(frozen=True)
class InputChoice:
    """Drivers for a mechanism, and the structure that they give.

    `drivers` are all drivers of this choice, those that were kept first. `verdict` says how simple the structure
    is; what it says can be read here as well. `is_own`: the mechanism came with these drivers.
    """

    drivers: tuple[Driver, ...]
    verdict: Verdict
    is_own: bool
    topology: Topology = field(repr=False)

    def __repr__(self) -> str:
        """Return the joints that drive, and the highest class that this gives."""
        return f"<InputChoice {self.label}: class {self.highest_class}>"

    @cached_property
    def structure(self) -> KinematicStructure:
        """The structure that these drivers give; decomposed when it is first asked for."""
        return decompose(self.topology)

    @property
    def is_complete(self) -> bool:
        """Whether the inputs fix every link that is not idle, and none of them is one too many.

        Joints may still be redundant: then they are so with any input.
        """
        return not self.verdict.moving and not self.verdict.redundant

    @property
    def highest_class(self) -> str | None:
        """The highest class of a group, such as "II"; None where a group has no textbook class."""
        return self.verdict.highest_class

    @property
    def largest(self) -> int:
        """Number of links of the largest group."""
        return self.verdict.largest

    @property
    def n_groups(self) -> int:
        """Number of groups."""
        return sum(map(len, self.verdict.levels))

    @property
    def depth(self) -> int:
        """Number of levels: how many groups wait for each other in the longest row."""
        return len(self.verdict.levels)

    @property
    def kinds(self) -> tuple[str, ...]:
        """The kinds of the groups, level by level."""
        return tuple(kind for level in self.verdict.levels for kind in level)

    @property
    def is_grounded(self) -> bool:
        """Whether every driver acts against the ground, where a motor stands still."""
        return carried(self.topology, self.drivers) == 0

    @property
    def label(self) -> str:
        """The joints that drive, with the links where a joint does not tell them: "A", "O (1 to 3)"."""
        return ", ".join(label_of(self.topology, driver) for driver in self.drivers)


@dataclass(frozen=True)
class InputRanking:
    """Choices of inputs, the simplest structure first; a sequence of `InputChoice`.

    `mobility` is that of the joints, `inputs` the number of inputs that each choice adds, `candidates` the number of
    coordinates to choose from. Of the `possible` combinations `tried` were looked at, those on the ground first, and
    `complete` of them fix every link. Each of the others holds one of `repeating`: inputs that fix one another, or one
    alone that cannot move. Those are not among the choices, unless the mechanism came with them.
    """

    choices: tuple[InputChoice, ...]
    mobility: int
    inputs: int
    candidates: int
    possible: int
    tried: int
    complete: int
    repeating: tuple[tuple[str, ...], ...] = ()

    def __repr__(self) -> str:
        """Return how many choices there are, and the first."""
        first = f", first {self.choices[0].label}" if self.choices else ""
        return f"<InputRanking: {len(self.choices)} choices{first}>"

    def __len__(self) -> int:
        """Return the number of choices."""
        return len(self.choices)

    def __getitem__(self, place: int) -> InputChoice:
        """Return the choice at a place, from 0: the simplest."""
        return self.choices[place]

    def __iter__(self) -> Iterator[InputChoice]:
        """Go through the choices, the simplest first."""
        return iter(self.choices)

    @property
    def is_cut(self) -> bool:
        """Whether there are more combinations than were looked at."""
        return self.tried < self.possible

    @property
    def summary(self) -> str:
        """What was looked at, in words."""
        if self.inputs < 1:
            return f"mobility {self.mobility}: in general dimensions nothing is left to drive"
        inputs = "1 input" if self.inputs == 1 else f"{self.inputs} inputs"
        text = f"mobility {self.mobility}: {inputs} of {self.candidates} candidates"
        verb = "fixes" if self.complete == 1 else "fix"
        text += f"; {self.complete} of {self.tried} combinations {verb} every link"
        if self.is_cut:
            text += f"; cut: {self.possible} are possible, those on the ground were tried first"
        return text

    def distinct(self) -> tuple[tuple[InputChoice, ...], ...]:
        """Return the complete choices, those together that give the same kinds of groups level by level."""
        alike: defaultdict[object, list[InputChoice]] = defaultdict(list)
        for choice in self.choices:
            if choice.is_complete:
                alike[choice.verdict].append(choice)
        return tuple(map(tuple, alike.values()))

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for JSON."""
        return {
            "mobility": self.mobility,
            "inputs": self.inputs,
            "candidates": self.candidates,
            "possible": self.possible,
            "tried": self.tried,
            "complete": self.complete,
            "repeating": [list(labels) for labels in self.repeating],
            "choices": [_plain(choice) for choice in self.choices],
        }


def _plain(choice: InputChoice) -> dict[str, Any]:
    return {
        "drivers": [
            {"id": driver.id, "kind": driver.kind, "links": list(driver.links), "joint": driver.joint}
            for driver in choice.drivers
        ],
        "own": choice.is_own,
        "complete": choice.is_complete,
        "grounded": choice.is_grounded,
        "highest_class": choice.highest_class,
        "largest": choice.largest,
        "groups": choice.n_groups,
        "depth": choice.depth,
        "levels": [list(level) for level in choice.verdict.levels],
        "moving": choice.verdict.moving,
        "redundant": choice.verdict.redundant,
    }


def verdict_of(structure: KinematicStructure, idle: Set[str]) -> Verdict:
    """Return the verdict on a structure, in which these `idle` links may move."""
    levels: defaultdict[int, list[str]] = defaultdict(list)
    groups = [_of_bodies(structure.topology, group) for group in structure.groups]
    for group in groups:
        levels[group.level].append(f"{group.kind} (composite)" if _is_wide(group) else group.kind)
    hardest = max(groups, key=_difficulty, default=None)
    return Verdict(
        moving=len({*structure.under, *structure.held} - idle),
        redundant=len({one.id for one in structure.over if one.kind == "driver"}),
        highest_class=_class_of(hardest) if hardest is not None else None,
        largest=max((len(group.links) for group in structure.groups), default=0),
        levels=tuple(tuple(sorted(levels[level])) for level in sorted(levels)),
    )


def _class_of(group: Group) -> str | None:
    """Return a group's class, None where it does not tell how hard the group is.

    Two links with a driver between them are one of variable shape, such as a cylinder. But a composite of more links
    is a mechanism in itself.
    """
    if group.kind == "pin":
        return "HP"  # held by two distances, much as one link with a higher pair
    return None if _is_wide(group) else group.class_


def _of_bodies(topology: Topology, group: Group) -> Group:
    """Return a group whose composite links name one of the links that are fastened to each other."""
    body: dict[str, str] = {}
    for joint in topology.joints if group.composite_links else ():
        if joint.kind == "F":
            fasten(body, joint.links)
    composites = (tuple(dict.fromkeys(body.get(link, link) for link in links)) for links in group.composite_links)
    return replace(group, composite_links=tuple(composites))


def _is_wide(group: Group) -> bool:
    return any(len(links) > 2 for links in group.composite_links)


def _difficulty(group: Group) -> tuple[int, bool]:
    return _number(_class_of(group)), _class_of(group) != "HP"


def _number(class_: str | None) -> int:
    """Return a class as a number; those without a name are the hardest."""
    if class_ is None:
        return _NO_CLASS
    if class_ == "HP":
        return 2
    values = [_NUMERALS[letter] for letter in class_]
    following = [*values[1:], 0]
    return sum(-value if value < after else value for value, after in zip(values, following, strict=True))
