"""Which assembly modes a mechanism can pass between without being taken apart, as one driver moves.

A branch is an interval of the driver with one assembly mode of each group: on it no group is singular. At a limit the
two modes of a group coincide and their branches join; at a change point the branches on both sides of it do. Joined
branches form a circuit: only within it can the mechanism move from pose to pose (Chase and Mirth,
Circuits and branches of single-degree-of-freedom planar linkages, Journal of Mechanical Design 115, 1993).
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations
from typing import TYPE_CHECKING, Any

from structkin.branches.assemblies.listing import check_limit
from structkin.branches.limits.poses import Modes, Poses
from structkin.branches.limits.reach import End, FeasibleInterval, Reach
from structkin.branches.limits.result import Interval, Limit, driver_size, driver_unit, driver_words
from structkin.branches.limits.search import END_OF_RANGE, Swept, end_words
from structkin.budget import DEFAULT, grant, metered, new_meter
from structkin.checked import checked
from structkin.errors import InputError, Problem, problems_of
from structkin.model.arguments import index as whole_index
from structkin.model.mechanism import Mechanism
from structkin.numerical_tolerances import SAME_SOLVED
from structkin.plan.plan import Plan
from structkin.rows.periodic import TURN
from structkin.solve.special_geometry import compile_plan

if TYPE_CHECKING:
    import networkx as nx
    from matplotlib.figure import Figure

#: Steps granted in addition to the budget for each branch: `most` bounds the number of branches.
EACH = 200


@dataclass(frozen=True, slots=True)
class Branch:
    """A branch: an interval of the driver, and the assembly mode +1 or -1 of each group that has two.

    `modes` are pairs (index of the group, mode) in solve order; a group with a composite link may occur
    more than once. `circuit` is the index of its circuit. Where a group has no closed form, `assemblies` are the
    indices of the assemblies on the branch, as `Mechanism.assemblies` counts them where the driver starts. `turns`
    is the number of turns of the driver after which a branch without ends repeats.
    """

    interval: Interval
    modes: tuple[tuple[int, int], ...]
    circuit: int = 0
    assemblies: tuple[int, ...] = ()
    turns: int = 1


@dataclass(frozen=True, slots=True)
class BranchPoint:
    """Two branches, by their indices, that join at a limit or a change point."""

    branches: tuple[int, int]
    limit: Limit


@checked
@dataclass(frozen=True)
class Circuits:
    """The branches over the range of one driver, and the circuits they form; see `Mechanism.circuits`.

    `home` is the index of the branch that holds the sketch, None where the sketch cannot be reached.
    """

    mechanism: Mechanism
    driver: str
    branches: tuple[Branch, ...]
    branch_points: tuple[BranchPoint, ...]
    home: int | None

    def __len__(self) -> int:
        """Return the number of circuits."""
        return 1 + max((branch.circuit for branch in self.branches), default=-1)

    def __repr__(self) -> str:
        """Return the counts."""
        return f"<Circuits: {self.report.splitlines()[0]}>"

    def circuit(self, index: int) -> tuple[int, ...]:
        """Return the indices of the branches of a circuit."""
        return tuple(k for k, branch in enumerate(self.branches) if branch.circuit == index)

    @cached_property
    def graph(self) -> nx.MultiGraph:
        """The branches as a graph (networkx); its edges carry the `limit` where two branches meet."""
        import networkx as nx

        graph = nx.MultiGraph()
        graph.add_nodes_from(range(len(self.branches)))
        graph.add_edges_from((*point.branches, {"limit": point.limit}) for point in self.branch_points)
        return graph

    @property
    def report(self) -> str:
        """Circuits with their branches, their intervals and where they meet, in words."""
        circuits, branches = _count(len(self), "circuit", "circuits"), _count(len(self.branches), "branch", "branches")
        lines = [f"{circuits} of {branches} over {self.driver}"]
        for index in range(len(self)):
            members = self.circuit(index)
            own = " (that of the sketch)" if self.home in members else ""
            lines.append(f"circuit {index + 1}{own}")
            lines += [f"  branch {k + 1}: {self.words(k)}" for k in members]
            # Two branches over a full turn can meet at both of their ends, which are one angle.
            meetings = Counter(
                (*point.branches, self._value(point.limit.value), point.limit.why)
                for point in self.branch_points
                if point.branches[0] in members
            )
            lines += [
                f"  branches {a + 1} and {b + 1} meet {_times(count)}at {value}: {why}"
                for (a, b, value, why), count in meetings.items()
            ]
        return "\n".join(lines)

    def words(self, branch: int) -> str:
        """Return interval and modes of a branch. Raises `InputError` where there is no such branch."""
        item = self.branches[whole_index(branch, len(self.branches), "branch", self.mechanism.title)]
        low, high = item.interval.low, item.interval.high
        full = "full turn" if item.turns == 1 else f"{item.turns} full turns"
        where = full if low is None or high is None else f"{self._value(low.value)} to {self._value(high.value)}"
        parts = [f"group {group + 1} {'+' if mode > 0 else '-'}" for group, mode in item.modes]
        if item.assemblies:
            word = "assembly" if len(item.assemblies) == 1 else "assemblies"
            parts.append(f"{word} {', '.join(map(str, item.assemblies))}")
        ends = item.interval.low, item.interval.high
        given = (end for end in ends if end is not None and end.why != END_OF_RANGE)
        doubts = dict.fromkeys(end.why for end in given if end.kind in ("uncertified", "range"))
        return "; ".join([where, *([", ".join(parts)] if parts else []), *doubts])

    def plot(self) -> Figure:
        """Return a figure of the branches as bars, joined where they meet."""
        from structkin import show

        return show.draw_circuits(self)

    def _repr_html_(self) -> str:
        from structkin import show

        return show.html_table(show.circuits_table(self))

    def _value(self, value: float) -> str:
        return driver_words(self.mechanism, self.driver, value)

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for JSON, values in the file's units."""
        size = driver_size(self.mechanism, self.driver)
        return {
            "driver": self.driver,
            "unit": driver_unit(self.mechanism, self.driver),
            "home": self.home,
            "branches": [
                {
                    "low": None if branch.interval.low is None else branch.interval.low.value / size,
                    "high": None if branch.interval.high is None else branch.interval.high.value / size,
                    "modes": [list(pair) for pair in branch.modes],
                    "circuit": branch.circuit,
                    "assemblies": list(branch.assemblies),
                    "turns": branch.turns,
                }
                for branch in self.branches
            ],
            "branch_points": [
                {"branches": list(item.branches), "value": item.limit.value / size, "why": item.limit.why,
                 "change_point": item.limit.change_point}
                for item in self.branch_points
            ],
        }  # fmt: skip


def _times(count: int) -> str:
    return "" if count == 1 else "twice " if count == 2 else f"{count} times "


def _count(number: int, one: str, many: str) -> str:
    return f"{number} {one if number == 1 else many}"


def circuits(
    mechanism: Mechanism,
    driver: str | None = None,
    *,
    drivers: Mapping[str, float] | None = None,
    range: tuple[float, float] | None = None,
    most: int = 1000,
    budget: float | None = DEFAULT,
    progress: Callable[[float], None] | None = None,
) -> Circuits:
    """Find all circuits and branches over the range of one driver; the arguments are those of `limits`.

    Every group must have a closed form here; `Mechanism.circuits` handles the others too. Guides keep their side in the
    sketch. Raises `InputError` where a group is general, the budget is spent, or there are more than
    `most` branches: their number doubles with each dyad.

    >>> import structkin as sk
    >>> from structkin.examples import path
    >>> print(circuits(sk.load(path("crank_rocker"))).report)
    2 circuits of 2 branches over motor
    circuit 1 (that of the sketch)
      branch 1: full turn; group 2 +
    circuit 2
      branch 2: full turn; group 2 -
    """
    swept = Swept(mechanism, driver, drivers, range, problems_of_search(mechanism, most, budget))
    plan = compile_plan(mechanism)
    if plan.tracked:
        raise InputError(
            [Problem("circuits", "a group has no closed form: its assembly modes cannot be counted here",
                     "use Mechanism.circuits")], mechanism.title,
        )  # fmt: skip
    with metered(budget, swept.unfinished, mechanism.title, progress):
        return _find(swept, plan, most)


def problems_of_search(mechanism: Mechanism, most: int, budget: float | None) -> list[Problem]:
    """Return what is wrong with the bounds of a search for circuits."""
    return [*problems_of(new_meter, budget), *problems_of(check_limit, mechanism, most, "most")]


def _find(swept: Swept, plan: Plan, most: int) -> Circuits:
    mechanism = swept.mechanism
    swept.fit(plan)
    reach = Reach(Poses(plan, swept.path), swept.whole)
    found: list[tuple[dict[int, int], FeasibleInterval]] = []
    for modes in _all_modes(reach):
        found += [(modes, interval) for interval in reach.feasible(modes)]
        grant(EACH)
        if len(found) > most:
            raise InputError(
                [Problem("most", f"there are more than {most} branches", "raise most, or use limits()")],
                mechanism.title,
            )
    branch_points = tuple(
        replace(item, limit=swept.limit(item.limit, swept.turns)) for item in _branch_points(reach, found)
    )
    two = [k for k in reach.poses.closing if plan.steps[k].has_root]
    branches = tuple(
        Branch(
            _interval(reach, interval, modes, swept),
            tuple((plan.steps[k].group, modes[k]) for k in two),
            turns=swept.turns,
        )
        for modes, interval in found
    )
    return joined(swept, branches, branch_points, _home(plan, swept, found))


def joined(swept: Swept, branches: Sequence[Branch], points: Sequence[BranchPoint], home: int | None) -> Circuits:
    """Return the circuits that branches form by joining at some points."""
    import networkx as nx

    graph = nx.Graph()
    graph.add_nodes_from(range(len(branches)))
    graph.add_edges_from(point.branches for point in points)
    circuit = {k: index for index, part in enumerate(nx.connected_components(graph)) for k in part}
    found = tuple(replace(branch, circuit=circuit[k]) for k, branch in enumerate(branches)), tuple(points)
    if swept.whole is None:
        found = _near_the_sketch(swept.start, *found)
    return Circuits(swept.mechanism, swept.driver, *found, home)


def _near_the_sketch(
    start: float, branches: tuple[Branch, ...], branch_points: tuple[BranchPoint, ...]
) -> tuple[tuple[Branch, ...], tuple[BranchPoint, ...]]:
    """Return branches over an angle as near to the sketch as possible, with branch points at the ends of the first."""
    near = tuple(replace(branch, interval=branch.interval.nearest(start)) for branch in branches)
    moved, names = list[BranchPoint](), list[float]()
    for point in branch_points:
        interval, value = near[point.branches[0]].interval, point.limit.value
        period = TURN * interval.turns
        # One pose has one angle, also where branches end there a turn later.
        ends = [*names, *(end.value for end in (interval.low, interval.high) if end is not None)]
        same = (end for end in ends if abs(math.remainder(end - value, period)) < SAME_SOLVED)
        value += period * round((next(same, value) - value) / period)
        names.append(value)
        moved.append(replace(point, limit=replace(point.limit, value=value)))
    return near, tuple(moved)


def _all_modes(reach: Reach) -> Iterator[dict[int, int]]:
    """Yield the modes that close anywhere, those of the sketch first."""
    plan, closing = reach.poses.plan, reach.poses.closing

    def grown(modes: dict[int, int], count: int) -> Iterator[dict[int, int]]:
        if count and not reach.after(count, modes):
            return
        if count == len(closing):
            yield modes
            return
        step = plan.steps[closing[count]]
        both = (step.mode, -step.mode) if step.has_root else (step.mode,)
        for mode in both:
            yield from grown({**modes, closing[count]: mode}, count + 1)

    start = {k: step.mode for k, step in enumerate(plan.steps)}
    yield from grown(start, 0)


def _interval(reach: Reach, interval: FeasibleInterval, modes: Modes, swept: Swept) -> Interval:
    low, high = (
        None if end is None else swept.limit(end_words(reach.poses, end, modes), swept.turns)
        for end in (interval.low, interval.high)
    )
    return Interval(low, high, swept.turns)


def _home(plan: Plan, swept: Swept, found: list[tuple[dict[int, int], FeasibleInterval]]) -> int | None:
    modes = {k: step.mode for k, step in enumerate(plan.steps)}
    for index, (other, interval) in enumerate(found):
        if other == modes and interval.holds(swept.start / swept.turns, periodic=swept.whole is None) is not None:
            return index
    return None


def _branch_points(reach: Reach, found: list[tuple[dict[int, int], FeasibleInterval]]) -> Iterator[BranchPoint]:
    """Yield each pair of branches that share an end: there the modes in which they differ coincide."""
    plan = reach.poses.plan
    by_modes: dict[tuple[int, ...], list[int]] = {}
    names: list[float] = []
    for index, (modes, _) in enumerate(found):
        by_modes.setdefault(tuple(modes.values()), []).append(index)
    for index, (modes, interval) in enumerate(found):
        for end in interval.ends:
            free = [k for k in end.steps if plan.steps[k].has_root]
            if end.kind in ("range", "doubt") or len(free) < len(end.steps):
                continue
            for part in (part for size in range(len(free) + 1) for part in combinations(free, size)):
                flipped = {k: -mode if k in part else mode for k, mode in modes.items()}
                for other in by_modes.get(tuple(flipped.values()), ()):
                    if other > index and _shares(found[other][1], end, periodic=reach.whole is None):
                        named = _known_name(end, names) if reach.whole is None else end
                        yield BranchPoint((index, other), end_words(reach.poses, named, modes))


def _known_name(end: End, names: list[float]) -> End:
    """Return an end of periodic intervals, at the angle that was used for its pose before, up to whole turns."""
    for p in names:
        if abs(math.remainder(end.p - p, TURN)) < SAME_SOLVED:
            return replace(end, p=p)
    names.append(end.p)
    return end


def _shares(interval: FeasibleInterval, end: End, *, periodic: bool) -> bool:
    gaps = (other.p - end.p for other in interval.ends)
    return any(abs(math.remainder(gap, TURN) if periodic else gap) < SAME_SOLVED * max(1.0, abs(end.p)) for gap in gaps)
