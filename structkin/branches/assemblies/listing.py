"""All assemblies of a mechanism, found on request: the arguments, the search, and what it found in words."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from threading import RLock
from typing import TYPE_CHECKING, Any

import numpy as np

from structkin.branches.assemblies.assembly import Assembly
from structkin.branches.assemblies.tree_search import AssemblySearch, DeadEnd, Leaf
from structkin.branches.four_bar import impossible_loops
from structkin.budget import DEFAULT, HINT, metered, new_meter
from structkin.checked import checked
from structkin.errors import InputError, PoseError, Problem, raise_problems, together
from structkin.model.units import Units
from structkin.numerical_tolerances import SAME_SOLVED
from structkin.plan.plan import Plan
from structkin.plan.status import Status
from structkin.solve import Motion, compile_plan, solve_groups
from structkin.solve.call import make_schedule
from structkin.solve.engine import Lanes
from structkin.solve.near_plan import near_plan
from structkin.types import Floats

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from structkin.model.mechanism import Mechanism

# --- arguments -----------------------------------------------------------------------------------------------------


def driver_values(mechanism: Mechanism, drivers: Mapping[str, float] | None, t: float | None) -> dict[str, float]:
    """Return the value of each driver; `InputError` lists every problem."""
    given = dict(drivers or {})
    for id, drive in mechanism.drivers.items():
        if id not in given and (t is None or drive.law is None):
            given[id] = drive.start
    schedule = make_schedule(mechanism, None, t, given, None)
    problems = [
        Problem(f"drivers.{id}", "takes one value", "assemblies belong to one pose of the drivers")
        for id, z in schedule.drivers.items()
        if z.shape[1] != 1
    ]
    problems += [
        Problem(f"drivers.{id}", "has no value at this time", "give it one: drivers={...}, on the command line --at")
        for id, z in schedule.drivers.items()
        if not problems and not np.isfinite(z[0, 0])
    ]
    raise_problems(problems, mechanism.title)
    return {id: float(z[0, 0]) for id, z in schedule.drivers.items()}


def check_limit(mechanism: Mechanism, limit: int | None, key: str = "limit") -> int | None:
    """Return the limit; `InputError` if it is not positive."""
    if limit is not None and limit < 1:
        raise InputError([Problem(key, f"{limit} is not a positive whole number", "1 or more")], mechanism.title)
    return limit if limit is None else int(limit)


def fixed_modes(mechanism: Mechanism, plan: Plan, modes: Any) -> dict[int, tuple[int, ...]]:
    """Return the fixed modes; `InputError` lists unknown groups and values that are not rows of modes.

    The number of modes of a group without closed form is not known before its inputs are.
    """
    count, problems = len(plan.structure.groups), []
    fixed = {}
    for group, row in (modes or {}).items():
        if group not in range(count):
            problems.append(Problem("modes", f"there is no group {group!r}", f"groups are numbered 0 to {count - 1}"))
        elif isinstance(row, str) or not isinstance(row, Sequence | np.ndarray) or not all(map(_is_whole, row)):
            problems.append(Problem(f"modes[{group}]", f"{row!r} is not a row of modes", "such as (1,)"))
        else:
            fixed[int(group)] = tuple(int(mode) for mode in row)
            problems += _misfits(plan, int(group), fixed[int(group)])
    raise_problems(problems, mechanism.title)
    return fixed


def _is_whole(value: Any) -> bool:
    return isinstance(value, int | np.integer) and not isinstance(value, bool)


def _misfits(plan: Plan, group: int, row: tuple[int, ...]) -> list[Problem]:
    """Return what is wrong with a row of modes for this group."""
    steps = [step for step in plan.steps if step.group == group]
    dyads = sum(step.has_root for step in steps)
    numbered = sum(step.goes_from_lane_to_lane for step in steps)
    name, key = plan.structure.groups[group].kind, f"modes[{group}]"
    if not dyads <= len(row) <= dyads + numbered:
        count = "none" if not dyads + numbered else f"{dyads + numbered}"
        return [Problem(key, f"{row} gives {len(row)} modes; {name} has {count} to choose", "see Assembly.modes")]
    if numbered:
        return [Problem(key, f"{row}: modes are counted from 1")] if not dyads and any(m < 1 for m in row) else []
    wrong = [mode for mode in row if mode not in (1, -1)]
    return [Problem(key, f"{name} has no mode {wrong[0]}", "its modes are 1 and -1")] if wrong else []


# --- what was found, in words --------------------------------------------------------------------------------------

#: Most links of a group that are named.
NAMED = 4


def report(count: int, search: AssemblySearch, *, truncated: bool) -> str:
    """Return how many assemblies there are, and which groups do not close, move or are not enumerated."""
    more = ""
    if truncated:
        more = " and more: the search stopped at the limit"
    elif search.unlisted:
        more = "; there may be more"
    lines = [f"{count} {'assembly' if count == 1 else 'assemblies'}{more}"]
    lines += [_unlisted(search, group) for group in sorted(search.unlisted)]
    lines += [_dead(search.plan, search.dead[group]) for group in sorted(search.dead)]
    lines += [
        f"{_name(search.plan, group)} can move with its inputs held: infinitely many poses"
        for group in sorted(search.endless)
    ]
    lines += [
        f"{_name(search.plan, group)}: no mode {', '.join(map(str, search.fixed[group]))} here; its modes are "
        f"{', '.join(map(str, modes))}"
        for group, modes in sorted(search.others.items())
    ]
    lines += [f"{_name(search.plan, group)}: {note}" for group, note in sorted(search.notes.items())]
    return "\n".join(lines)


def _unlisted(search: AssemblySearch, group: int) -> str:
    unknown = search.unknown.get(group, 0)
    choices = "one choice" if unknown == 1 else f"{unknown} choices"
    known = f"; no pose of it is known for {choices} of modes of the groups before it" if unknown else ""
    return f"{_name(search.plan, group)}: {search.unlisted[group]}{known}"


def _dead(plan: Plan, end: DeadEnd) -> str:
    choices = "one choice" if end.choices == 1 else f"{end.choices} choices"
    near = f"; at best {end.gap:.3g} of its size from closing" if 0 < end.gap < math.inf else ""
    note = f": {end.note}" if end.note else ""
    return f"{_name(plan, end.group)} does not close for {choices} of modes of the groups before it{near}{note}"


def _name(plan: Plan, group: int) -> str:
    item = plan.structure.groups[group]
    links = item.links or item.pins
    rest = [f"{len(links) - NAMED} more"] if len(links) > NAMED + 1 else []
    return f"group {group + 1}, {item.kind} ({' + '.join([*links[: NAMED if rest else None], *rest])})"


# --- the search ----------------------------------------------------------------------------------------------------


@checked
class Assemblies:
    """The assemblies of a mechanism, each computed on first access and then kept; see `Mechanism.assemblies`.

    Iterate over it, take `found[k]`, `followed`, or call `nearest()`. `limit` ends the search: the number of assemblies
    is a product over the groups.
    """

    @checked
    def __init__(
        self,
        plan: Plan,
        mechanism: Mechanism,
        drivers: Mapping[str, float],
        t: float,
        limit: int | None,
        modes: Mapping[int, tuple[int, ...]],
        budget: float | None = DEFAULT,
    ) -> None:
        """Begin; nothing is solved yet."""
        self.mechanism, self.drivers, self.limit = mechanism, dict(drivers), limit
        self.plan, self._t, self._budget = plan, t, budget
        self._near, near, self._shift = near_plan(mechanism, plan)
        self._search = AssemblySearch(near, self.drivers, self._follow, modes)
        self._leaves = iter(self._search)
        self._kept: list[Assembly] = []
        self._ahead: Leaf | None = None
        self._done = False
        # Several threads may iterate: what one of them finds is there for all.
        self._lock = RLock()
        self._spent: InputError | None = None

    def __reduce__(self) -> tuple[Any, ...]:
        """Copy and pickle the request, not the assemblies found so far."""
        values = self.plan, self.mechanism, self.drivers, self._t, self.limit, self._search.fixed, self._budget
        return type(self), values

    def __iter__(self) -> Iterator[Assembly]:
        """Yield the assemblies, beginning with those of the first group's first mode."""
        index = 0
        while self._has(index):
            yield self._kept[index]
            index += 1

    def __getitem__(self, index: int) -> Assembly:
        """Return the assembly with this index; `IndexError` where there are fewer."""
        if isinstance(index, bool) or not isinstance(index, int | np.integer):
            raise TypeError(f"assemblies are indexed by whole numbers, not by {index!r}")
        if index < 0:
            raise IndexError("negative indices do not work: the number of assemblies is not known before all are found")
        if not self._has(index):
            raise IndexError(f"there are {len(self._kept)} assemblies" + (" up to the limit" if self.truncated else ""))
        return self._kept[index]

    def __repr__(self) -> str:
        """Return the title and the number found so far."""
        found = f"{len(self._kept)} found" if self._done or self._kept else "none computed"
        so_far = "" if self._done else " so far"
        return f"<Assemblies of {self.mechanism.title or 'a mechanism'!r}: {found}{so_far}>"

    @property
    def so_far(self) -> tuple[Assembly, ...]:
        """The assemblies that were found until now; none is looked for."""
        return tuple(self._kept)

    @cached_property
    def followed(self) -> Assembly | None:
        """The assembly of the sketch: the one that `solve` reaches from it; None where it reaches none.

        It is found at once, however many there are, even beyond the limit.
        """
        leaf = self._search.followed()
        return None if leaf is None else self._assembly(leaf, None)

    def nearest(self, other: Assembly | None = None) -> Assembly:
        """Return the assembly whose points are nearest to those of the sketch, or of another assembly.

        It is searched among those up to the limit and the one that `solve` reaches from the sketch. Raises `PoseError`
        where there is none.
        """
        own: list[Assembly] = [] if self.followed is None else [self.followed]
        if own and own[0].distance(other) <= SAME_SOLVED * own[0].motion.size:
            return own[0]
        every: list[Assembly] = [*self, *own]
        if not every:
            raise PoseError(self.report, 0)
        return min(every, key=lambda assembly: assembly.distance(other))

    def index_of(self, assembly: Assembly) -> int | None:
        """Return the index of an assembly, such as `followed`; None where it is beyond the limit."""
        return next((item.place for item in self if item.modes == assembly.modes), None)

    @property
    def truncated(self) -> bool:
        """Whether there are more than the limit."""
        with self._lock:
            if self.limit is None or not self._has(self.limit - 1):
                return False
            self._ahead = self._next()
            return self._ahead is not None

    @property
    def complete(self) -> bool:
        """Whether these are all assemblies: none beyond the limit, every group enumerated, no group free to move."""
        self._find_all()
        return not (self.truncated or self._search.unlisted or self._search.endless)

    @property
    def unlisted(self) -> dict[int, str]:
        """Groups whose modes are only searched for, not enumerated, and why: there may be more."""
        self._find_all()
        return dict(sorted(self._search.unlisted.items()))

    @property
    def dead_ends(self) -> tuple[DeadEnd, ...]:
        """The groups that do not close for some modes of those before them, in solve order, and how near they come."""
        self._find_all()
        return tuple(self._search.dead[group] for group in sorted(self._search.dead))

    @property
    def notes(self) -> dict[int, str]:
        """Remarks on groups that close, by index: such as modes that are not enumerated, or at infinity."""
        self._find_all()
        return dict(sorted({**self._search.notes, **self._search.unlisted}.items()))

    @property
    def endless(self) -> tuple[int, ...]:
        """Groups that can move with all drivers held: infinitely many poses, of which only some are listed."""
        self._find_all()
        return tuple(sorted(self._search.endless))

    @property
    def report(self) -> str:
        """How many assemblies there are, and which groups do not close, move or are not enumerated."""
        count = sum(1 for _ in self)
        found = report(count, self._search, truncated=self.truncated)
        return found if count else "\n".join([found, *impossible_loops(self.mechanism)])

    def plot(self, *, most: int = 12) -> Figure:
        """Return a figure of the first assemblies side by side, all at one scale."""
        check_limit(self.mechanism, most, "most")
        from structkin import show

        return show.draw_assemblies(self, most=most)

    def _repr_html_(self) -> str:
        from structkin import show

        return show.html_table(show.found_table(self))

    def to_dict(self, units: Units | None = None) -> dict[str, Any]:
        """Return plain data for JSON, in SI and radians unless units are given."""
        units = units or Units()
        drives = self.mechanism.drivers
        scales = {"angle": units.angle_scale}
        return {
            "title": self.mechanism.title,
            "units": {"length": units.length, "angle": units.angle},
            "drivers": {
                id: value / scales.get(drives[id].kind, units.length_scale) for id, value in self.drivers.items()
            },
            "groups": [group.kind for group in self.plan.structure.groups],
            "assemblies": [assembly.to_dict(units) for assembly in self],
            "followed": None if self.followed is None else self.followed.to_dict(units),
            "truncated": self.truncated,
            "complete": self.complete,
            "unlisted": [{"group": group, "why": why} for group, why in self.unlisted.items()],
            "dead_ends": [
                {"group": end.group, "choices": end.choices, "gap": end.gap if math.isfinite(end.gap) else None}
                for end in self.dead_ends
            ],
            "endless": list(self.endless),
            "report": self.report,
        }

    # --- inside -------------------------------------------------------------------------------------------

    def _has(self, index: int) -> bool:
        """Find assemblies up to this one; return whether it exists."""
        with self._lock:
            while len(self._kept) <= index:
                if self._done or (self.limit is not None and len(self._kept) >= self.limit):
                    return False
                leaf = self._next()
                if leaf is None:
                    return False
                self._ahead = None
                self._kept.append(self._assembly(leaf, len(self._kept)))
        return True

    def _next(self) -> Leaf | None:
        """Return the next assembly of the search: the one found ahead, if there is one."""
        if self._spent is not None:
            raise self._spent
        try:
            with metered(self._budget, self._unfinished, self.mechanism.title):
                leaf = self._ahead or next(self._leaves, None)
        except InputError as spent:
            self._spent = spent
            raise
        self._done = leaf is None
        return leaf

    def _unfinished(self) -> Problem:
        found = f"{len(self._kept)} assemblies found; finding the next one takes more steps than the budget allows"
        return Problem("assemblies", found, f"fix some groups by modes=...; {HINT}")

    def _find_all(self) -> None:
        for _ in self:
            pass

    def _follow(self) -> Floats:
        """Return the slots of the pose that a motion from the sketch reaches; NaN from where it stops."""
        motion = solve_groups(self._near, drivers={id: np.array([value]) for id, value in self.drivers.items()})
        return np.asarray(motion.lanes.x[0, :, 0])

    def _assembly(self, leaf: Leaf, place: int | None) -> Assembly:
        steps = self.plan.steps
        modes = tuple(
            tuple(choice.mode for at, choice in leaf.path if steps[at].group == group.index and choice.mode is not None)
            for group in self.plan.structure.groups
        )
        unlisted = sorted({steps[at].group for at, choice in leaf.path if not choice.listed})
        singular = sorted({steps[at].group for at, choice in leaf.path if math.isnan(choice.alpha)})
        lanes = Lanes.empty(self.plan, 1)
        # An assembly has a pose, and no rates.
        lanes.x[1:], lanes.x[0, :, 0] = np.nan, leaf.slots + self._shift
        if singular:
            lanes.status[:], lanes.group[:] = Status.SINGULAR, singular[0]
        rates = {id: np.array([[value], [np.nan], [np.nan]]) for id, value in self.drivers.items()}
        motion = Motion(self.mechanism, self.plan, np.array([self._t]), rates, lanes)
        alpha = math.nan if singular else max((choice.alpha for _, choice in leaf.path), default=0.0)
        count = math.prod(choice.multiplicity for _, choice in leaf.path)
        return Assembly(motion, modes, alpha, count, tuple(singular), tuple(unlisted), place, self)


def assemblies(
    mechanism: Mechanism,
    *,
    drivers: Mapping[str, float] | None,
    t: float | None,
    limit: int | None,
    modes: Mapping[int, Sequence[int]] | None,
    budget: float | None,
) -> Assemblies:
    """Return all assemblies at given driver values; see `Mechanism.assemblies`."""
    plan = compile_plan(mechanism)
    values, fixed, most, _ = together(
        mechanism.title,
        lambda: driver_values(mechanism, drivers, t),
        lambda: fixed_modes(mechanism, plan, modes),
        lambda: check_limit(mechanism, limit),
        lambda: new_meter(budget),
    )
    return Assemblies(plan, mechanism, values, math.nan if t is None else float(t), most, fixed, budget)


def assembly(
    mechanism: Mechanism,
    index: int | None,
    *,
    where: Callable[[Assembly], bool] | None,
    drivers: Mapping[str, float] | None,
    t: float | None,
    limit: int | None,
    budget: float | None,
) -> Assembly:
    """Return one assembly; see `Mechanism.assembly`."""
    found = mechanism.assemblies(drivers=drivers, t=t, limit=limit, budget=budget)
    if index is not None and where is not None:
        raise InputError([Problem("index", "cannot be combined with where", "give one of the two")], mechanism.title)
    condition: Any = where
    if condition is not None and not callable(condition):
        hint = "such as lambda a: a.position('P')[1] > 0"
        raise InputError([Problem("where", f"{where!r} is not a function", hint)], mechanism.title)
    if index is not None:
        try:
            return found[index]
        except TypeError:
            raise InputError([Problem("index", f"{index!r} is not a whole number")], mechanism.title) from None
        except IndexError as error:
            raise PoseError(f"no assembly {index}: {error}\n{found.report}", 0) from None
    if where is None:
        return found.followed or found.nearest()
    for item in found:
        if where(item):
            return item
    raise PoseError(f"no assembly meets the condition\n{found.report}", 0)
