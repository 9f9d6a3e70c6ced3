"""Which joint should drive? The candidate inputs of a mechanism, ranked by the structure that each gives.

The same linkage is a chain of dyads if one joint drives it, and a single large group if another does. The first is
solved by formulas, the second by iteration, and it is the first that a designer can follow.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import combinations, islice
from math import comb
from typing import TYPE_CHECKING, Any

from structkin.errors import InputError, Problem
from structkin.model.topology import Driver, Topology, pin_of, suggest
from structkin.structure.compare import fingerprint, isomorphic, pins_of, topology_of
from structkin.structure.decompose import decompose
from structkin.structure.result import Group, KinematicStructure

if TYPE_CHECKING:
    from structkin.model.mechanism import Mechanism

#: Kinds of drivers that joints offer.
KINDS = ("angle", "slide")

#: Choices that are looked at, unless told otherwise.
LIMIT = 1000

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
        return _carried(self.topology, self.drivers) == 0

    @property
    def label(self) -> str:
        """The joints that drive, with the links where a joint does not tell them: "A", "O (1 to 3)"."""
        return ", ".join(_label(self.topology, driver) for driver in self.drivers)


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


def rank_inputs(
    topology: Topology | Mechanism | KinematicStructure,
    *,
    kinds: Sequence[str] = KINDS,
    drivers: Sequence[str | Driver] | None = None,
    limit: int = LIMIT,
    progress: Callable[[float], None] | None = None,
) -> InputRanking:
    """Rank the joints, or sets of joints, that could drive a mechanism: the simplest structure first.

    Candidates are the travel of each P joint and the angle of each R joint, on a multiple joint of each pair of
    links; `kinds` leaves "angle" or "slide" out. A choice has as many as there are freedoms (without the idle spin
    of a roller). `drivers` are those to keep, names or `Driver`s; by default all of the mechanism's own are
    replaced, and their choice is marked (`is_own`). At most `limit` combinations are looked at, in the user's
    order, inputs against the ground first; `progress` is called with the part of the work that is done.

    The order of the ranking: the lower highest class; the smaller largest group; fewer levels; more inputs against
    the ground; the user's order.

    Raises `InputError` for unknown kinds or drivers, and if the drivers to keep repeat each other.

    >>> six_bar = Topology.from_dict({"links": list("012345"), "ground": "0", "joints": [
    ...     {"id": id, "kind": "R", "links": list(links)} for id, links in
    ...     {"A": "01", "B": "12", "C": "23", "D": "30", "E": "24", "F": "45", "G": "50"}.items()]})
    >>> [(choice.label, choice.highest_class) for choice in rank_inputs(six_bar)]
    [('A', 'II'), ('D', 'II'), ('B', 'II'), ('C', 'II'), ('G', 'III'), ('E', 'III'), ('F', 'III')]
    """
    whole = topology_of(topology)
    kept = _kept(whole, drivers)
    _check(whole, kinds, limit)
    bare = replace(whole, drivers=kept)
    base = decompose(bare)
    repeated = [one for one in base.over if one.kind == "driver"]
    if repeated:
        problems = [Problem(f"drivers.{one.id}", one.message, "keep fewer drivers") for one in repeated]
        raise InputError(problems, whole.title or "topology")
    idle = _idle_links(bare) & set(base.under)
    inputs = base.missing_drivers - len(idle)
    candidates = _candidates(whole, kept, kinds, idle) if inputs > 0 else []
    possible = comb(len(candidates), inputs) if candidates else 0
    judge = _Judge(bare, frozenset(idle), shared=not base.over)
    choices = []
    for number, chosen in enumerate(islice(combinations(candidates, inputs), limit) if possible else ()):
        if progress is not None:
            progress(number / min(possible, limit))
        choice = judge.choice((*kept, *chosen), whole.drivers)
        if choice is not None:
            choices.append(choice)
    complete = len(choices)
    if whole.drivers and not any(choice.is_own for choice in choices):
        choices.append(judge.own(whole.drivers))
    choices.sort(key=lambda choice: (*choice.verdict.rank, _carried(whole, choice.drivers)))
    return InputRanking(
        tuple(choices),
        mobility=base.mobility,
        inputs=inputs,
        candidates=len(candidates),
        possible=possible,
        tried=min(possible, limit),
        complete=complete,
        repeating=judge.repeating(candidates),
    )


class _Judge:
    """Decomposes, and remembers: what differs in names only is decomposed once, inputs that repeat each other never."""

    def __init__(self, bare: Topology, idle: frozenset[str], shared: bool) -> None:
        self.bare = bare
        self.idle = idle
        # which equation is called redundant follows the user's order; with none, names and order do not matter
        self.shared = shared
        self.known: defaultdict[str, list[tuple[Topology, Verdict]]] = defaultdict(list)
        #: names of drivers that depend on each other: no choice holds all of them
        self.circuits: dict[frozenset[str], None] = {}

    def choice(self, drivers: tuple[Driver, ...], own: tuple[Driver, ...]) -> InputChoice | None:
        """Return the choice of these drivers, or None if they depend on each other."""
        names = {driver.id for driver in drivers}
        if any(circuit <= names for circuit in self.circuits):
            return None
        topology = replace(self.bare, drivers=drivers)
        verdict = self._verdict(topology)
        if verdict is None:
            return None
        is_own = bool(own) and {_coordinate(driver) for driver in drivers} == {_coordinate(driver) for driver in own}
        return InputChoice(drivers, verdict, is_own, topology)

    def own(self, drivers: tuple[Driver, ...]) -> InputChoice:
        """Return the choice that the mechanism came with, whatever it is worth."""
        topology = replace(self.bare, drivers=drivers)
        return InputChoice(drivers, _judged(decompose(topology), self.idle), True, topology)

    def repeating(self, candidates: Sequence[Driver]) -> tuple[tuple[str, ...], ...]:
        """Return the labels of inputs that depend on each other, those alone first."""
        found = [
            tuple(_label(self.bare, driver) for driver in candidates if driver.id in circuit)
            for circuit in self.circuits
        ]
        return tuple(sorted(found, key=len))

    def _verdict(self, topology: Topology) -> Verdict | None:
        like = self.known[fingerprint(topology)] if self.shared else []
        for other, verdict in like:
            if isomorphic(topology, other) is not None:
                return verdict
        structure = decompose(topology)
        names = {driver.id for driver in topology.drivers}
        found = [names.intersection(one.loop) for one in structure.over if one.kind == "driver"]
        if found:
            self.circuits.update(dict.fromkeys(map(frozenset, found)))
            return None
        like.append((topology, _judged(structure, self.idle)))
        return like[-1][1]


def _judged(structure: KinematicStructure, idle: frozenset[str]) -> Verdict:
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


def _check(topology: Topology, kinds: Sequence[str], limit: int) -> None:
    problems = [
        Problem("kinds", f"'{kind}' is no kind of input of a joint", suggest(kind, KINDS))
        for kind in kinds
        if kind not in KINDS
    ]
    if limit < 1:
        problems.append(Problem("limit", f"{limit} leaves nothing to look at", "give 1 or more"))
    if problems:
        raise InputError(problems, topology.title or "topology")


def _kept(topology: Topology, drivers: Sequence[str | Driver] | None) -> tuple[Driver, ...]:
    own = {driver.id: driver for driver in topology.drivers}
    names = [drivers] if isinstance(drivers, str) else drivers or ()
    unknown = [name for name in names if isinstance(name, str) and name not in own]
    if unknown:
        raise InputError(
            [Problem(f"drivers.{name}", "is not a driver of this mechanism", suggest(name, own)) for name in unknown],
            topology.title or "topology",
        )
    return tuple(own[one] if isinstance(one, str) else one for one in names)


def _coordinate(driver: Driver) -> object:
    """Return what tells the coordinate of a driver from others: equal for two drivers that drive the same."""
    if driver.kind == "angle":
        return frozenset(driver.links)
    return ("slide", driver.joint) if driver.kind == "slide" else ("distance", driver.id)


def _carried(topology: Topology, drivers: Sequence[Driver]) -> int:
    """Return how many drivers act between moving links."""
    ground = {topology.ground}
    for pin in pins_of(topology):
        if any(topology.ground in topology.joint(id).links for id in pin):
            ground.update(f"@{id}" for id in pin)
    return sum(not ground & set(driver.links) for driver in drivers)


def _idle_links(topology: Topology) -> set[str]:
    """Return the links that only spin on a pin on which a contact acts: the rollers of cam followers."""
    ends = Counter(end for joint in topology.joints for end in joint.links)
    ends.update(end for driver in topology.drivers for end in driver.links)
    touched = {pin_of(end) for joint in topology.joints if joint.kind in "CS" for end in joint.links}
    idle: set[str] = set()
    for pin in pins_of(topology):
        on_pin = [end for id in pin for end in topology.joint(id).links if pin_of(end) is None]
        if topology.ground not in on_pin and touched & set(pin):
            idle.update(link for link in on_pin if ends[link] == 1)
    return idle


def _candidates(topology: Topology, kept: Sequence[Driver], kinds: Sequence[str], idle: set[str]) -> list[Driver]:
    """Return a driver for each coordinate of a joint: against the ground first, else in the user's order."""
    own = {_coordinate(driver): driver for driver in topology.drivers}
    taken = {driver.id for driver in (*topology.drivers, *kept)}
    known = {_coordinate(driver) for driver in kept}
    result = []
    for driver in _coordinates(topology):
        what = _coordinate(driver)
        if what in known or driver.kind not in kinds or idle & set(driver.links):
            continue
        known.add(what)
        if what in own:
            result.append(own[what])
            continue
        id = driver.id
        while id in taken:
            id += "_"
        taken.add(id)
        result.append(replace(driver, id=id))
    return sorted(result, key=lambda driver: topology.ground not in driver.links)


def _coordinates(topology: Topology) -> Iterator[Driver]:
    """Yield a driver for each coordinate, the ground or the first listed link first."""
    pins = {id: pin for pin in pins_of(topology) for id in pin}
    for joint in topology.joints:
        if joint.kind == "P":
            yield Driver(f"drive_{joint.id}", "slide", _natural(topology, joint.links), joint.id)
        elif joint.kind == "R" and pins[joint.id][0] == joint.id:
            home = [(end, id) for id in pins[joint.id] for end in topology.joint(id).links if pin_of(end) is None]
            for (a, first), (b, second) in combinations(home, 2):
                if a != b:
                    name = f"drive_{joint.id}" if len(home) == 2 else f"drive_{joint.id}_{a}_{b}"
                    yield Driver(name, "angle", _natural(topology, (a, b)), first if first == second else None)


def _natural(topology: Topology, links: Sequence[str]) -> tuple[str, str]:
    return (links[1], links[0]) if links[1] == topology.ground else (links[0], links[1])


def _label(topology: Topology, driver: Driver) -> str:
    joint = driver.joint
    if joint is None and driver.kind == "angle":
        both = set(driver.links)
        joint = next((one.id for one in topology.joints if one.kind == "R" and both <= set(one.links)), None)
    if joint is not None and len(topology.joint(joint).links) == 2:
        return joint
    ends = [end if (pin := pin_of(end)) is None else f"pin {pin}" for end in driver.links]
    return f"{joint or driver.id} ({' to '.join(ends)})"


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
