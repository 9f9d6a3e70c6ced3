"""Which assembly modes a mechanism can pass between without being taken apart, as one driver moves.

A sheet (branch) is an interval of the driver with one assembly mode of each group: on it no group is singular. At a
limit the two modes of a group are one pose, so that their sheets join there; at a change point the sheets on both sides
of it do. Sheets that are joined form a circuit: only within it can the mechanism get from pose to pose (Chase and
Mirth, Circuits and branches of single-degree-of-freedom planar linkages, Journal of Mechanical Design 115, 1993).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations
from typing import TYPE_CHECKING, Any

from structkin.budget import DEFAULT, grant, metered
from structkin.errors import InputError, Problem
from structkin.kinematics.limits.poses import Modes, Poses
from structkin.kinematics.limits.reach import SAME, TURN, End, Reach, Stretch
from structkin.kinematics.limits.result import Interval, Limit, driver_size, driver_unit, driver_words
from structkin.kinematics.limits.search import Swept, end_words
from structkin.kinematics.plan import Plan
from structkin.kinematics.special_geometry import compile_plan
from structkin.model.arguments import index as whole_index
from structkin.model.mechanism import Mechanism

if TYPE_CHECKING:
    import networkx as nx

#: Steps that the modes of a sheet explain beside the budget: their number is bounded by that of the sheets.
EACH = 200


@dataclass(frozen=True, slots=True)
class Sheet:
    """A branch: an interval of the driver, and the assembly mode +1 or -1 of each group that has two.

    `modes` are pairs (index of the group, mode) in the order of solution; a group with a composite link may be there
    more than once. `circuit` is the index of its circuit. Where a group has no closed form, `assemblies` are the
    indices of the assemblies on the sheet, as `Mechanism.assemblies` counts them where the driver starts. `turns` tells
    after how many turns of the driver a sheet without ends comes back to its pose.
    """

    interval: Interval
    modes: tuple[tuple[int, int], ...]
    circuit: int
    assemblies: tuple[int, ...] = ()
    turns: int = 1


@dataclass(frozen=True, slots=True)
class Meeting:
    """Two sheets, by their indices, that join at a limit or a change point."""

    sheets: tuple[int, int]
    limit: Limit


@dataclass(frozen=True)
class Circuits:
    """All sheets of a mechanism over the range of one driver, and how they join to circuits.

    `home` is the index of the sheet that holds the sketch, None where the sketch cannot be reached.
    """

    mechanism: Mechanism
    driver: str
    sheets: tuple[Sheet, ...]
    meetings: tuple[Meeting, ...]
    home: int | None

    def __len__(self) -> int:
        """Return the number of circuits."""
        return 1 + max((sheet.circuit for sheet in self.sheets), default=-1)

    def __repr__(self) -> str:
        """Return the counts."""
        return f"<Circuits: {self.report.splitlines()[0]}>"

    def circuit(self, index: int) -> tuple[int, ...]:
        """Return the indices of the sheets of a circuit."""
        return tuple(k for k, sheet in enumerate(self.sheets) if sheet.circuit == index)

    @cached_property
    def graph(self) -> nx.MultiGraph:
        """The sheets as a graph (networkx); its edges carry the `limit` where two sheets meet."""
        import networkx as nx

        graph = nx.MultiGraph()
        graph.add_nodes_from(range(len(self.sheets)))
        graph.add_edges_from((*meeting.sheets, {"limit": meeting.limit}) for meeting in self.meetings)
        return graph

    @property
    def report(self) -> str:
        """Circuits with their sheets, intervals and where these meet, in words."""
        lines = [f"{_count(len(self), 'circuit')} of {_count(len(self.sheets), 'sheet')} over {self.driver}"]
        for index in range(len(self)):
            sheets = self.circuit(index)
            own = " (that of the sketch)" if self.home in sheets else ""
            lines.append(f"circuit {index + 1}{own}")
            lines += [f"  sheet {k + 1}: {self.words(k)}" for k in sheets]
            lines += [
                f"  sheets {a + 1} and {b + 1} meet at {self._value(meeting.limit.value)}: {meeting.limit.why}"
                for meeting in self.meetings
                for a, b in [meeting.sheets]
                if a in sheets
            ]
        return "\n".join(lines)

    def words(self, sheet: int) -> str:
        """Return interval and modes of a sheet. Raises `InputError` where there is no such sheet."""
        item = self.sheets[whole_index(sheet, len(self.sheets), "sheet", self.mechanism.title)]
        low, high = item.interval.low, item.interval.high
        full = "full turn" if item.turns == 1 else f"{item.turns} full turns"
        where = full if low is None or high is None else f"{self._value(low.value)} to {self._value(high.value)}"
        parts = [f"group {group + 1} {'+' if mode > 0 else '-'}" for group, mode in item.modes]
        if item.assemblies:
            word = "assembly" if len(item.assemblies) == 1 else "assemblies"
            parts.append(f"{word} {', '.join(map(str, item.assemblies))}")
        return f"{where}; {', '.join(parts)}" if parts else where

    def _value(self, value: float) -> str:
        return driver_words(self.mechanism, self.driver, value)

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for JSON, values in the file's units."""
        size = driver_size(self.mechanism, self.driver)
        return {
            "driver": self.driver,
            "unit": driver_unit(self.mechanism, self.driver),
            "home": self.home,
            "sheets": [
                {
                    "low": None if sheet.interval.low is None else sheet.interval.low.value / size,
                    "high": None if sheet.interval.high is None else sheet.interval.high.value / size,
                    "modes": [list(pair) for pair in sheet.modes],
                    "circuit": sheet.circuit,
                    "assemblies": list(sheet.assemblies),
                    "turns": sheet.turns,
                }
                for sheet in self.sheets
            ],
            "meetings": [
                {"sheets": list(item.sheets), "value": item.limit.value / size, "why": item.limit.why,
                 "change_point": item.limit.change_point}
                for item in self.meetings
            ],
        }  # fmt: skip


def _count(number: int, word: str) -> str:
    return f"{number} {word}{'' if number == 1 else 's'}"


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

    Every group has to have a closed form here; `Mechanism.circuits` serves the others, too. Guides keep the side on
    which the sketch has them. Raises `InputError` where a group is general, the budget is spent, or there are more than
    `most` sheets: their number doubles with each dyad.

    >>> import structkin as sk
    >>> from structkin.examples import path
    >>> print(circuits(sk.load(path("crank_rocker"))).report)
    2 circuits of 2 sheets over motor
    circuit 1 (that of the sketch)
      sheet 1: full turn; group 2 +
    circuit 2
      sheet 2: full turn; group 2 -
    """
    swept = Swept(mechanism, driver, drivers, range)
    plan = compile_plan(mechanism)
    if plan.tracked:
        raise InputError(
            [Problem("circuits", "a group has no closed form, so that its assembly modes are not counted here",
                     "Mechanism.circuits follows them")], mechanism.title,
        )  # fmt: skip
    with metered(budget, swept.unfinished, mechanism.title, progress):
        return _find(swept, plan, most)


def _find(swept: Swept, plan: Plan, most: int) -> Circuits:
    mechanism = swept.mechanism
    swept.fit(plan)
    reach = Reach(Poses(plan, swept.path), swept.whole)
    found: list[tuple[dict[int, int], Stretch]] = []
    for modes in _all_modes(reach):
        found += [(modes, stretch) for stretch in reach.stretches(modes)]
        grant(EACH)
        if len(found) > most:
            raise InputError(
                [Problem("most", f"there are more than {most} sheets", "raise it, or ask for limits()")],
                mechanism.title,
            )
    meetings = tuple(replace(item, limit=swept.limit(item.limit, swept.turns)) for item in _meetings(reach, found))
    import networkx as nx

    graph = nx.Graph()
    graph.add_nodes_from(index for index, _ in enumerate(found))
    graph.add_edges_from(meeting.sheets for meeting in meetings)
    circuit = {k: index for index, part in enumerate(nx.connected_components(graph)) for k in part}
    two = [k for k in reach.poses.closing if plan.steps[k].has_root]
    sheets = tuple(
        Sheet(
            _interval(reach, stretch, modes, swept),
            tuple((plan.steps[k].group, modes[k]) for k in two),
            circuit[index],
            turns=swept.turns,
        )
        for index, (modes, stretch) in enumerate(found)
    )
    if swept.whole is None:
        sheets, meetings = near_the_sketch(swept.start, sheets, meetings)
    return Circuits(mechanism, swept.driver, sheets, meetings, _home(plan, swept, found))


def near_the_sketch(
    start: float, sheets: Sequence[Sheet], meetings: Sequence[Meeting]
) -> tuple[tuple[Sheet, ...], tuple[Meeting, ...]]:
    """Return sheets over an angle counted as near to the sketch as can be, and meetings at the ends of the first."""
    near = tuple(replace(sheet, interval=sheet.interval.nearest(start)) for sheet in sheets)
    moved, names = list[Meeting](), list[float]()
    for meeting in meetings:
        interval, value = near[meeting.sheets[0]].interval, meeting.limit.value
        period = TURN * interval.turns
        # One pose has one name, also where sheets end there after a turn.
        ends = [*names, *(end.value for end in (interval.low, interval.high) if end is not None)]
        same = (end for end in ends if abs(math.remainder(end - value, period)) < SAME)
        value += period * round((next(same, value) - value) / period)
        names.append(value)
        moved.append(replace(meeting, limit=replace(meeting.limit, value=value)))
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


def _interval(reach: Reach, stretch: Stretch, modes: Modes, swept: Swept) -> Interval:
    low, high = (
        None if end is None else swept.limit(end_words(reach.poses, end, modes), swept.turns)
        for end in (stretch.low, stretch.high)
    )
    return Interval(low, high, swept.turns)


def _home(plan: Plan, swept: Swept, found: list[tuple[dict[int, int], Stretch]]) -> int | None:
    modes = {k: step.mode for k, step in enumerate(plan.steps)}
    for index, (other, stretch) in enumerate(found):
        if other == modes and stretch.holds(swept.start / swept.turns, periodic=swept.whole is None) is not None:
            return index
    return None


def _meetings(reach: Reach, found: list[tuple[dict[int, int], Stretch]]) -> Iterator[Meeting]:
    """Yield each pair of sheets that share an end: there the modes in which they differ are one."""
    plan = reach.poses.plan
    by_modes: dict[tuple[int, ...], list[int]] = {}
    names: list[float] = []
    for index, (modes, _) in enumerate(found):
        by_modes.setdefault(tuple(modes.values()), []).append(index)
    for index, (modes, stretch) in enumerate(found):
        for end in stretch.ends:
            free = [k for k in end.steps if plan.steps[k].has_root]
            if end.kind == "range" or len(free) < len(end.steps):
                continue
            for part in (part for size in range(len(free) + 1) for part in combinations(free, size)):
                flipped = {k: -mode if k in part else mode for k, mode in modes.items()}
                for other in by_modes.get(tuple(flipped.values()), ()):
                    if other > index and _shares(found[other][1], end, periodic=reach.whole is None):
                        named = _known_name(end, names) if reach.whole is None else end
                        yield Meeting((index, other), end_words(reach.poses, named, modes))


def _known_name(end: End, names: list[float]) -> End:
    """Return an end of stretches that go round, at the angle at which a turn more or less its pose has been named."""
    for p in names:
        if abs(math.remainder(end.p - p, TURN)) < SAME:
            return replace(end, p=p)
    names.append(end.p)
    return end


def _shares(stretch: Stretch, end: End, *, periodic: bool) -> bool:
    gaps = (other.p - end.p for other in stretch.ends)
    return any(abs(math.remainder(gap, TURN) if periodic else gap) < SAME * max(1.0, abs(end.p)) for gap in gaps)
