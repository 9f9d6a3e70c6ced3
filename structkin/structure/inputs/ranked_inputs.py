"""The results of `rank_inputs`: choices of inputs, the complexity of their structures, and the ranking."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Set
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from structkin.checked import checked
from structkin.model.topology import Driver, Topology, fasten
from structkin.structure.inputs.candidates import carried, label_of
from structkin.structure.parts import Group
from structkin.structure.result import KinematicStructure, decompose

_NUMERALS = {"I": 1, "V": 5, "X": 10, "L": 50}
_NO_CLASS = 1000


@dataclass(frozen=True)
class Verdict:
    """The complexity of a structure, used to compare inputs; equal for structures that differ only in names.

    `moving` counts the links that can still move, except idle ones; `redundant` the superfluous drivers. `levels` are
    the kinds of the groups, level by level, each level in alphabetical order; `largest` is the number of links of the
    largest group; `highest_class` is None if a group has no textbook class, or has one only when more than two of its
    links are treated as one.
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


@checked
@dataclass(frozen=True)
class InputChoice:
    """Drivers for a mechanism, and the structure they produce.

    `drivers` are all drivers of this choice, those that were kept first. `verdict` describes the complexity of the
    structure; its data are available as properties. `is_own`: these are the mechanism's own drivers.
    """

    drivers: tuple[Driver, ...]
    verdict: Verdict
    is_own: bool
    topology: Topology = field(repr=False)

    def __repr__(self) -> str:
        """Show the driven joints and the highest class."""
        return f"<InputChoice {self.label}: class {self.highest_class}>"

    @cached_property
    def structure(self) -> KinematicStructure:
        """The structure with these drivers; computed on first access."""
        return decompose(self.topology)

    @property
    def is_complete(self) -> bool:
        """Whether the inputs determine every link that is not idle, and none of them is redundant.

        Joints may still be redundant: they are so with any input.
        """
        return not self.verdict.moving and not self.verdict.redundant

    @property
    def highest_class(self) -> str | None:
        """The highest class of a group, such as "II"; None if a group has no textbook class."""
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
        """Number of levels: the length of the longest chain of dependent groups."""
        return len(self.verdict.levels)

    @property
    def kinds(self) -> tuple[str, ...]:
        """The kinds of the groups, level by level."""
        return tuple(kind for level in self.verdict.levels for kind in level)

    @property
    def is_grounded(self) -> bool:
        """Whether every driver acts relative to the ground, so that motors do not move."""
        return carried(self.topology, self.drivers) == 0

    @property
    def label(self) -> str:
        """The driven joints, with the links if they are ambiguous: "A", "O (1 to 3)"."""
        return ", ".join(label_of(self.topology, driver) for driver in self.drivers)


@checked
@dataclass(frozen=True)
class InputRanking:
    """Choices of inputs, the simplest structure first; a sequence of `InputChoice`.

    `mobility` is that of the joints, `inputs` the number of inputs that each choice adds, `candidates` the number of
    coordinates to choose from. Of the `possible` combinations, `tried` were examined, those at the ground first, and
    `complete` of them determine every link. Each of the others contains one of `repeating`: inputs that depend on each
    other, or a single one that cannot move. They are not among the choices, unless they are the mechanism's own.
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
        """Show the number of choices, and the first."""
        first = f", first {self.choices[0].label}" if self.choices else ""
        return f"<InputRanking: {len(self.choices)} choices{first}>"

    def __len__(self) -> int:
        """Return the number of choices."""
        return len(self.choices)

    def __getitem__(self, place: int) -> InputChoice:
        """Return the choice at an index; 0 is the simplest."""
        return self.choices[place]

    def __iter__(self) -> Iterator[InputChoice]:
        """Iterate over the choices, the simplest first."""
        return iter(self.choices)

    @property
    def is_cut(self) -> bool:
        """Whether there are more combinations than were examined."""
        return self.tried < self.possible

    @property
    def summary(self) -> str:
        """The extent of the search, in words."""
        if self.inputs < 1:
            return f"mobility {self.mobility}: with general dimensions nothing is left to drive"
        inputs = "1 input" if self.inputs == 1 else f"{self.inputs} inputs"
        text = f"mobility {self.mobility}: {inputs} of {self.candidates} candidates"
        verb = "fixes" if self.complete == 1 else "fix"
        text += f"; {self.complete} of {self.tried} combinations {verb} every link"
        if self.is_cut:
            text += f"; search limited: {self.possible} are possible, those at the ground were tried first"
        return text

    def distinct(self) -> tuple[tuple[InputChoice, ...], ...]:
        """Return the complete choices, grouped by equal kinds of groups at each level."""
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
    """Return the verdict on a structure in which these `idle` links may move."""
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
    """Return a group's class; None if it does not measure how difficult the group is.

    Two links with a driver between them act as one of variable shape, such as a cylinder; but a composite of more links
    is a mechanism in itself.
    """
    if group.kind == "pin":
        return "HP"  # held by two distances, much as one link with a higher pair
    return None if _is_wide(group) else group.class_


def _of_bodies(topology: Topology, group: Group) -> Group:
    """Return a group whose composite links name only one of the links fastened together."""
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
    """Return a class as a number; groups without a class are the most difficult."""
    if class_ is None:
        return _NO_CLASS
    if class_ == "HP":
        return 2
    values = [_NUMERALS[letter] for letter in class_]
    following = [*values[1:], 0]
    return sum(-value if value < after else value for value, after in zip(values, following, strict=True))
