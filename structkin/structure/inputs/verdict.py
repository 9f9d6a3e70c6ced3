"""How simple a structure is: what its inputs are ranked by."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Set
from dataclasses import dataclass

from structkin.structure.parts import Group
from structkin.structure.result import KinematicStructure

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


def verdict_of(structure: KinematicStructure, idle: Set[str]) -> Verdict:
    """Return the verdict on a structure, in which these `idle` links may move."""
    levels: defaultdict[int, list[str]] = defaultdict(list)
    for group in structure.groups:
        levels[group.level].append(f"{group.kind} (composite)" if _is_wide(group) else group.kind)
    hardest = max(structure.groups, key=_difficulty, default=None)
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
