"""Brute-force check of a structural decomposition, from definitions alone.

It is deliberately plain. A topology becomes its velocity equations at random geometry, exact modulo a large prime;
every answer is a rank of some of these rows or a search through all subsets of the links.

Unknowns: a twist (vx, vy, w) of each moving link, a velocity (ux, uy) of each revolute pin. Rows:

    R   for each of its ends: the end's point at the pin moves with the pin, two random directions
    P   equal angular velocities; equal velocities across the guide, at a random point and direction
    G, C, S   equal velocities along one random line (through the pin, where an end is a pin)
    K   equal velocities of one point, two random directions
    angle driver: angular velocities; slide driver: velocities along the line of its P or S pair;
    distance driver: velocities along a random line, or through the pins that it joins

Definitions
-----------
mobility            unknowns minus rank of the joint rows
missing drivers     unknowns minus rank of all rows
under               links that some null vector of all rows moves
over                rows that depend on the rows before them; joints in order, then drivers
valid removal       the rest is a basis of all rows, and its joint rows are a basis of the joint rows
group               with the links K known, an inclusion-minimal set S of other links that the rows with no link
                    outside S, K and ground already hold still; or a minimal set of pins that K fixes
                    although each link of K alone leaves them free
held                links that no null vector moves and that are in no group
depends on          the groups of the links, and the owners of the pins, at the other end of the group's rows;
                    the owner of a pin is the group that fixes it first
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import combinations, product
from typing import Any

import numpy as np

PRIME = 2**31 - 1
ONE_ROW_PAIRS = {"G", "C", "S"}


@dataclass(frozen=True)
class Row:
    """One scalar equation: which joint or driver it belongs to and which elements it touches."""

    id: str
    part: str
    driver: bool
    ends: tuple[str, ...]


@dataclass(frozen=True)
class Group:
    """A minimal closed determined set: its links (or, without a link, pins), its dependencies, its depth in the DAG.

    `members` are link names; for a group without a link "@J" for each joint J on its pins. `depends_on` are
    indices of earlier groups.
    """

    members: frozenset[str]
    depends_on: frozenset[int]
    level: int


@dataclass(frozen=True)
class Blocks:
    """The groups of one row basis, and the links at rest although no closed set holds them.

    A held link depends on a moving link (an orientation passed on by a free slide), or on a held link.
    """

    groups: tuple[Group, ...]
    held: frozenset[str]


@dataclass(frozen=True)
class Redundant:
    """A dependent row, and the joints and drivers whose rows make it up."""

    id: str
    part: str
    circuit: frozenset[str]


@dataclass
class _Geometry:
    """Random numbers modulo the prime: one matrix, a row per equation."""

    rng: random.Random
    point: dict[str, tuple[int, int]] = field(default_factory=dict)

    def number(self) -> int:
        return self.rng.randrange(1, PRIME)

    def pair(self) -> tuple[int, int]:
        return self.number(), self.number()


class Oracle:
    """Every structural question about one small topology, answered by exhaustive search."""

    def __init__(self, topology: Any, *, seed: int = 1, geometries: int = 2) -> None:
        self.topology = topology
        self.moving = [link for link in topology.links if link != topology.ground]
        self.pin = self._shared_pins()
        self.pins = list(dict.fromkeys(self.pin.values()))
        self._columns: dict[str, list[int]] = {}
        for link in self.moving:
            self._new_columns(link, 3)
        for pin in self.pins:
            self._new_columns(pin, 2)
        self.width = sum(len(c) for c in self._columns.values())
        self.rows: list[Row] = []
        matrices = []
        for g in range(geometries):
            self.rows = []
            matrices.append(self._matrix(_Geometry(random.Random(f"{seed}/{g}"))))
        self.matrices = matrices
        self._ranks: dict[tuple[Any, Any], int] = {}
        every = range(len(self.rows))
        self.joint_rows = frozenset(i for i in every if not self.rows[i].driver)
        self.all_rows = frozenset(every)
        self.mobility = self.width - self.rank(self.joint_rows)
        self.full_rank = self.rank(self.all_rows)
        self.missing_drivers = self.width - self.full_rank
        self.under = frozenset(x for x in self.moving if not self.fixed(self.all_rows, (x,), ()))
        self.dropped = self._greedy()

    # ---- equations -------------------------------------------------------------------------------------------

    def _new_columns(self, element: str, count: int) -> None:
        start = sum(len(c) for c in self._columns.values())
        self._columns[element] = list(range(start, start + count))

    def _matrix(self, geometry: _Geometry) -> np.ndarray:
        values: list[dict[int, int]] = []
        guides: dict[str, tuple[tuple[int, int], tuple[int, int]]] = {}
        geometry.point = {pin: geometry.pair() for pin in self.pins}
        for joint in self.topology.joints:
            if joint.kind == "R":
                pin = self.pin["@" + joint.id]
                for end in joint.links:
                    if end.startswith("@"):
                        continue  # the same pin
                    for part in (f"{end}:1", f"{end}:2"):
                        values.append(
                            self._bar(joint.id, part, False, (end, pin), geometry.point[pin], geometry.pair())
                        )
            elif joint.kind == "P":
                guides[joint.id] = at, across = geometry.pair(), geometry.pair()
                values.append(self._orientation(joint.id, False, joint.links))
                values.append(self._bar(joint.id, "line", False, joint.links, at, across))
            elif joint.kind in ONE_ROW_PAIRS:
                guides[joint.id] = at, across = self._line(joint.links, geometry)
                values.append(self._bar(joint.id, "line", False, joint.links, at, across))
            elif joint.kind == "K":
                at, first = self._line(joint.links, geometry)
                values.append(self._bar(joint.id, "1", False, joint.links, at, first))
                values.append(self._bar(joint.id, "2", False, joint.links, at, geometry.pair()))
            else:
                raise ValueError(f"kind {joint.kind}")
        for driver in self.topology.drivers:
            if driver.kind == "angle":
                values.append(self._orientation(driver.id, True, driver.links))
            elif driver.kind == "slide":
                at, (dx, dy) = guides[driver.joint]
                values.append(self._bar(driver.id, "slide", True, driver.links, at, (-dy % PRIME, dx)))
            else:
                values.append(self._bar(driver.id, "line", True, driver.links, *self._line(driver.links, geometry)))
        matrix = np.zeros((len(values), self.width), dtype=np.int64)
        for i, value in enumerate(values):
            for column, number in value.items():
                matrix[i, column] = number % PRIME
        return matrix

    def _shared_pins(self) -> dict[str, str]:
        """Return the name of each pin: revolute joints that are attached to one another share one."""
        pin = {"@" + joint.id: "@" + joint.id for joint in self.topology.joints if joint.kind == "R"}
        for joint in self.topology.joints:
            for end in joint.links if joint.kind == "R" else ():
                if end.startswith("@"):
                    mine, other = pin["@" + joint.id], pin[end]
                    pin = {id: mine if name == other else name for id, name in pin.items()}
        return pin

    def _line(self, ends: Sequence[str], geometry: _Geometry) -> tuple[tuple[int, int], tuple[int, int]]:
        """Return a random line: a point on it and its direction, through the pins among the ends."""
        points = [geometry.point[self.pin[end]] for end in ends if end.startswith("@")]
        if len(points) == 2:
            (ax, ay), (bx, by) = points
            return (ax, ay), ((bx - ax) % PRIME, (by - ay) % PRIME)
        return (points[0] if points else geometry.pair()), geometry.pair()

    def _bar(
        self,
        id: str,
        part: str,
        driver: bool,
        ends: Sequence[str],
        at: tuple[int, int],
        direction: tuple[int, int],
    ) -> dict[int, int]:
        """Return the row direction . (velocity of end 1 - velocity of end 2) at a point."""
        ends = tuple(self.pin.get(end, end) for end in ends)
        self.rows.append(Row(id, part, driver, ends))
        (px, py), (dx, dy) = at, direction
        value: dict[int, int] = {}
        for sign, end in zip((1, -1), ends, strict=True):
            moment = (px * dy - py * dx) % PRIME
            for column, number in zip(self._columns.get(end, ()), (dx, dy, moment), strict=False):
                value[column] = value.get(column, 0) + sign * number
        return value

    def _orientation(self, id: str, driver: bool, ends: Sequence[str]) -> dict[int, int]:
        if any(end.startswith("@") for end in ends):
            raise ValueError("a pin has no orientation")
        self.rows.append(Row(id, "orientation", driver, tuple(ends)))
        return {self._columns[end][2]: sign for sign, end in zip((1, -1), ends, strict=True) if end in self._columns}

    # ---- ranks -----------------------------------------------------------------------------------------------

    def rank(self, rows: Iterable[int], columns: Iterable[int] | None = None) -> int:
        """Generic rank of some rows on some columns: the largest over the random geometries."""
        chosen = sorted(rows)
        kept = list(range(self.width)) if columns is None else sorted(columns)
        key = (tuple(chosen), tuple(kept))
        if key not in self._ranks:
            best = 0
            for matrix in self.matrices:
                best = max(best, rank_mod_p(matrix[np.ix_(chosen, kept)]))
                if best == min(len(chosen), len(kept)):
                    break  # no geometry can do better
            self._ranks[key] = best
        return self._ranks[key]

    def fixed(self, rows: Iterable[int], elements: Iterable[str], known: Iterable[str]) -> bool:
        """Return whether no null vector of the rows, `known` elements held, moves any of the elements."""
        rows = frozenset(rows)
        held = {c for e in known for c in self._columns.get(e, ())}
        mine = {c for e in elements for c in self._columns.get(e, ())} - held
        others = set(range(self.width)) - held - mine
        return self.rank(rows, mine | others) == self.rank(rows, others) + len(mine)

    # ---- redundant rows --------------------------------------------------------------------------------------

    def _greedy(self) -> frozenset[int]:
        kept: list[int] = []
        for i in sorted(self.all_rows, key=lambda i: self.rows[i].driver):
            if self.rank([*kept, i]) > len(kept):
                kept.append(i)
        return self.all_rows - frozenset(kept)

    @property
    def over(self) -> list[Redundant]:
        """The rows dropped by the declared priority, each with its circuit."""
        return [self.redundant(i, self.dropped) for i in sorted(self.dropped)]

    def redundant(self, row: int, dropped: frozenset[int]) -> Redundant:
        """Return a dropped row with the joints and drivers of its circuit in the basis that is left."""
        basis = self.all_rows - dropped
        ids = {self.rows[i].id for i in self.circuit(row, basis)}
        return Redundant(self.rows[row].id, self.rows[row].part, frozenset(ids))

    def circuit(self, row: int, basis: frozenset[int]) -> frozenset[int]:
        """Return the rows of the one dependency of `row` on an independent set: without one of them, no dependency."""
        size = len(basis)
        needed = [i for i in basis if self.rank(basis - {i} | {row}) == size]
        return frozenset(needed) | {row}

    def is_valid_removal(self, dropped: frozenset[int]) -> bool:
        """Return whether the rest is independent, spans everything, and drops drivers before joints."""
        kept = self.all_rows - dropped
        joints = kept & self.joint_rows
        return len(kept) == self.full_rank == self.rank(kept) and len(joints) == self.rank(self.joint_rows)

    def removals(self, ids: Iterable[str]) -> Iterator[frozenset[int]]:
        """Yield the valid removals that drop these ids (an id m times = m of its rows), the declared one first."""
        count = Counter(ids)
        if count == Counter(self.rows[i].id for i in self.dropped):
            yield self.dropped
        choices = []
        for id, times in count.items():
            mine = [i for i, row in enumerate(self.rows) if row.id == id]
            different: dict[tuple[str, ...], tuple[int, ...]] = {}
            for some in combinations(reversed(mine), times):
                # the two rows of one end at one pin are equivalent: both are random lines through the pin
                label = tuple(sorted(self.rows[i].part.split(":")[0] for i in some))
                different.setdefault(label, some)
            choices.append(list(different.values()))
        for parts in product(*choices):
            removal = frozenset(i for part in parts for i in part)
            if removal != self.dropped and self.is_valid_removal(removal):
                yield removal

    def equivalent_over(self, ids: Iterable[str]) -> bool:
        """Return whether dropping these ids is right, even where another row of a circuit was chosen."""
        return next(self.removals(ids), None) is not None

    # ---- groups ----------------------------------------------------------------------------------------------

    def blocks(self, dropped: frozenset[int] | None = None) -> Blocks:
        """Find the groups of the basis that is left when these rows are dropped (default: the declared priority)."""
        search = _Search(self, self.all_rows - (self.dropped if dropped is None else dropped))
        search.add_pins()
        while sets := search.minimal_sets():
            search.add(sets)
            search.add_pins()
        held = frozenset(self.moving) - search.known_links - self.under
        return Blocks(tuple(search.groups), held)


class _Search:
    """The groups found so far, and the owner of each link and pin that is known (None: the ground)."""

    def __init__(self, oracle: Oracle, basis: frozenset[int]) -> None:
        self.oracle = oracle
        self.basis = basis
        self.groups: list[Group] = []
        self.owner: dict[str, int | None] = {oracle.topology.ground: None}

    @property
    def known_links(self) -> frozenset[str]:
        return frozenset(x for x in self.oracle.moving if x in self.owner)

    @property
    def open_pins(self) -> list[str]:
        return [pin for pin in self.oracle.pins if pin not in self.owner]

    def within(self, elements: Iterable[str]) -> frozenset[int]:
        """Rows with every end among these elements, the known ones and the ground."""
        inside = {*elements, *self.owner}
        return frozenset(i for i in self.basis if inside.issuperset(self.oracle.rows[i].ends))

    def fixes(self, elements: Iterable[str], helpers: Iterable[str] = ()) -> bool:
        """Return whether the rows among the elements, the helpers and the known ones fix the elements."""
        elements = frozenset(elements)
        rows = self.within({*elements, *helpers})
        return self.oracle.fixed(rows, elements, self.owner)

    def add_pins(self) -> None:
        """Assign pins to the links that carry them; pins held by several known elements are groups."""
        while True:
            for pin in self.open_pins:
                if (carrier := self._carrier(pin)) is not None:
                    self.owner[pin] = self.owner[carrier]
            sets = self._smallest(self.open_pins, self.fixes)
            if not sets:
                return
            for pins in sets:
                self._add_group(pins, frozenset(id for id, pin in self.oracle.pin.items() if pin in pins))

    def minimal_sets(self) -> list[frozenset[str]]:
        """Return the inclusion-minimal sets of links that the known elements determine."""
        pins = frozenset(self.open_pins)
        rest = [x for x in self.oracle.moving if x not in self.owner and x not in self.oracle.under]

        def determined(links: frozenset[str]) -> bool:
            mine = links | pins
            equations = sum(not mine.isdisjoint(self.oracle.rows[i].ends) for i in self.within(mine))
            return equations >= 3 * len(links) and self.fixes(links, pins)

        return self._smallest(rest, determined)

    def add(self, sets: list[frozenset[str]]) -> None:
        """Make each set a group, together with the fewest pins by which it is determined."""
        found = []
        for links in sets:
            pins = [pin for pin in self.open_pins if not links.isdisjoint(self._neighbours(pin))]
            pins = [pin for pin in self.open_pins if pin in pins or not set(pins).isdisjoint(self._neighbours(pin))]
            subsets = (some for size in range(len(pins) + 1) for some in combinations(pins, size))
            found.append((links, next(links.union(some) for some in subsets if self.fixes(links, some))))
        for links, elements in found:
            self._add_group(elements, links)

    def _add_group(self, elements: frozenset[str], members: frozenset[str]) -> None:
        rows = [self.oracle.rows[i].ends for i in self.within(elements)]
        ends = {end for row in rows if not elements.isdisjoint(row) for end in row} - elements
        needs = frozenset(self.owner[end] for end in ends) - {None}
        level = 1 + max((self.groups[i].level for i in needs), default=-1)
        self.owner.update(dict.fromkeys(elements, len(self.groups)))
        self.groups.append(Group(members, needs, level))

    def _carrier(self, pin: str) -> str | None:
        """Return a known link with both its rows at the pin."""
        rows = [self.oracle.rows[i] for i in self.basis]
        count = Counter(row.ends[0] for row in rows if ":" in row.part and row.ends[1] == pin)
        return next((link for link in count if count[link] == 2 and link in self.owner), None)

    def _neighbours(self, pin: str) -> set[str]:
        return {end for i in self.basis if pin in self.oracle.rows[i].ends for end in self.oracle.rows[i].ends}

    @staticmethod
    def _smallest(elements: Iterable[str], works: Callable[[frozenset[str]], bool]) -> list[frozenset[str]]:
        """Return the inclusion-minimal nonempty sets that work; they are disjoint where rows are independent."""
        elements = list(elements)
        minimal: list[frozenset[str]] = []
        for size in range(1, len(elements) + 1):
            for some in map(frozenset, combinations(elements, size)):
                if not any(m <= some for m in minimal) and works(some):
                    minimal.append(some)
        if sum(map(len, minimal)) != len(frozenset().union(*minimal)):
            raise AssertionError(f"minimal sets overlap: {minimal}")
        return minimal


def rank_mod_p(matrix: np.ndarray) -> int:
    """Rank modulo `PRIME` by plain elimination.

    >>> rank_mod_p(np.array([[1, 2], [2, 4], [0, 3]]))
    2
    """
    a = matrix.copy()
    rank = 0
    for column in range(a.shape[1]):
        if rank == a.shape[0]:
            break
        nonzero = np.flatnonzero(a[rank:, column])
        if not len(nonzero):
            continue
        pivot = rank + nonzero[0]
        if pivot != rank:
            a[[rank, pivot]] = a[[pivot, rank]]
        if len(nonzero) > 1:
            below = rank + nonzero[1:]
            inverse = pow(int(a[rank, column]), -1, PRIME)
            factor = a[below, column] * inverse % PRIME
            a[below, column:] = (a[below, column:] - factor[:, None] * a[rank, column:] % PRIME) % PRIME
        rank += 1
    return rank
