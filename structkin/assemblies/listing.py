"""All assemblies of a mechanism, found while they are asked for."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from structkin.assemblies.assembly import Assembly
from structkin.assemblies.walk import DeadEnd, Leaf, Walk
from structkin.errors import InputError, PoseError, Problem
from structkin.kinematics import Motion, Status, compile_plan
from structkin.kinematics.call import make_schedule
from structkin.kinematics.engine import Lanes
from structkin.kinematics.plan import Plan
from structkin.model.units import Units

if TYPE_CHECKING:
    from structkin.model.mechanism import Mechanism


class Assemblies:
    """The assemblies of a mechanism at given driver values; each is found when it is asked for, and then kept.

    Iterate over it, take `found[k]`, or call `nearest()`. `limit` ends the search: the number of assemblies is a
    product over the groups. Made by `assemblies` or `Mechanism.assemblies`.
    """

    def __init__(
        self,
        plan: Plan,
        mechanism: Mechanism,
        drivers: Mapping[str, float],
        t: float,
        limit: int | None,
        modes: Mapping[int, tuple[int, ...]],
    ) -> None:
        """Begin; nothing is solved yet."""
        self.mechanism, self.drivers, self.limit = mechanism, dict(drivers), limit
        self._plan, self._t = plan, t
        self._walk = Walk(plan, drivers, modes)
        self._leaves = iter(self._walk)
        self._kept: list[Assembly] = []
        self._ahead: Leaf | None = None
        self._done = False

    def __iter__(self) -> Iterator[Assembly]:
        """Yield the assemblies, those of the first group's first mode first."""
        index = 0
        while self._has(index):
            yield self._kept[index]
            index += 1

    def __getitem__(self, index: int) -> Assembly:
        """Return the assembly with this index; `IndexError` where there are fewer."""
        if index < 0:
            raise IndexError("assemblies are counted from 0: their number is not known before all are found")
        if not self._has(index):
            raise IndexError(f"there are {len(self._kept)} assemblies" + (" up to the limit" if self.truncated else ""))
        return self._kept[index]

    def __repr__(self) -> str:
        """Return the title and how many were found so far."""
        so_far = "" if self._done else " so far"
        return f"<Assemblies of {self.mechanism.title or 'a mechanism'!r}: {len(self._kept)} found{so_far}>"

    def nearest(self, other: Assembly | None = None) -> Assembly:
        """Return the assembly whose points are nearest to those of the sketch, or of another assembly.

        Raises `PoseError` where there is none.
        """
        every = list(self)
        if not every:
            raise PoseError(self.report, 0)
        return min(every, key=lambda assembly: assembly.distance(other))

    @property
    def truncated(self) -> bool:
        """Whether the limit ended the search: there are more."""
        if self.limit is None or len(self._kept) < self.limit:
            return False
        self._ahead = self._next()
        return self._ahead is not None

    @property
    def dead_ends(self) -> tuple[DeadEnd, ...]:
        """The groups that do not close on some ways, in solve order, and how near they come."""
        self._find_all()
        return tuple(self._walk.dead[group] for group in sorted(self._walk.dead))

    @property
    def notes(self) -> dict[int, str]:
        """What is to be told of groups that close, by index: such as modes that are not enumerated, or at infinity."""
        self._find_all()
        return dict(sorted(self._walk.notes.items()))

    @property
    def endless(self) -> tuple[int, ...]:
        """Groups that move while all drivers stand still: infinitely many poses, of which only some are listed."""
        self._find_all()
        return tuple(sorted(self._walk.endless))

    @property
    def report(self) -> str:
        """How many assemblies there are, and which groups do not close, move or are not enumerated."""
        count = sum(1 for _ in self)
        more = " and more: the limit ended the search" if self.truncated else ""
        lines = [f"{count} {'assembly' if count == 1 else 'assemblies'}{more}"]
        lines += [self._dead_words(end) for end in self.dead_ends]
        lines += [
            f"{self._name(group)} moves while its inputs stand still: infinitely many poses" for group in self.endless
        ]
        lines += [f"{self._name(group)}: {note}" for group, note in self.notes.items()]
        return "\n".join(lines)

    def to_dict(self, units: Units | None = None) -> dict[str, Any]:
        """Return plain data for JSON, in SI and radians unless units are given."""
        units = units or Units()
        drives = self.mechanism.drives
        scales = {"angle": units.angle_scale}
        return {
            "title": self.mechanism.title,
            "units": {"length": units.length, "angle": units.angle},
            "drivers": {
                id: value / scales.get(drives[id].kind, units.length_scale) for id, value in self.drivers.items()
            },
            "groups": [group.kind for group in self._plan.structure.groups],
            "assemblies": [assembly.to_dict(units) for assembly in self],
            "truncated": self.truncated,
            "dead_ends": [
                {"group": end.group, "ways": end.ways, "gap": end.gap if math.isfinite(end.gap) else None}
                for end in self.dead_ends
            ],
            "endless": list(self.endless),
            "report": self.report,
        }

    # --- inside -------------------------------------------------------------------------------------------

    def _has(self, index: int) -> bool:
        """Find assemblies up to this one; return whether it is there."""
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
        """Return the next assembly of the walk: the one that was looked at ahead, if there is one."""
        leaf = self._ahead or next(self._leaves, None)
        self._done = leaf is None
        return leaf

    def _find_all(self) -> None:
        for _ in self:
            pass

    def _assembly(self, leaf: Leaf, index: int) -> Assembly:
        steps = self._plan.steps
        modes = tuple(
            tuple(choice.mode for at, choice in leaf.path if steps[at].group == group.index and choice.mode is not None)
            for group in self._plan.structure.groups
        )
        alphas = [choice.alpha for _, choice in leaf.path]
        singular = sorted({steps[at].group for at, choice in leaf.path if math.isnan(choice.alpha)})
        lanes = Lanes.empty(self._plan, 1)
        # An assembly has a pose, and no rates.
        lanes.x[1:], lanes.x[0, :, 0] = np.nan, leaf.slots
        if singular:
            lanes.status[:], lanes.group[:] = Status.SINGULAR, singular[0]
        rates = {id: np.array([[value], [np.nan], [np.nan]]) for id, value in self.drivers.items()}
        motion = Motion(self.mechanism, self._plan, np.array([self._t]), rates, lanes)
        alpha = math.nan if singular else max(alphas, default=0.0)
        return Assembly(
            index, motion, modes, alpha, math.prod(choice.multiplicity for _, choice in leaf.path), tuple(singular)
        )

    def _name(self, group: int) -> str:
        item = self._plan.structure.groups[group]
        return f"group {group + 1}, {item.kind} ({' + '.join(item.links or item.pins)})"

    def _dead_words(self, end: DeadEnd) -> str:
        ways = "one way" if end.ways == 1 else f"{end.ways} ways"
        near = f"; at best {end.gap:.3g} of its size from closing" if 0 < end.gap < math.inf else ""
        note = f": {end.note}" if end.note else ""
        return f"{self._name(end.group)} does not close on {ways} through the groups before it{near}{note}"


def assemblies(
    mechanism: Mechanism,
    *,
    drivers: Mapping[str, float] | None = None,
    t: float | None = None,
    limit: int | None = 1000,
    modes: Mapping[int, Sequence[int]] | None = None,
) -> Assemblies:
    """Return all assemblies of a mechanism at given driver values [rad or m], found while they are asked for.

    Drivers that are not given have their values of the sketch, or with `t` [s] those of their laws at that time. Closed
    forms supply both modes of a dyad and all of a triad, homotopies those of every other group (no solution is missed:
    the paths start from as many solutions as such a group has). At most `limit` are found; None finds all. Groups named
    in `modes` keep these modes, as in `Assembly.modes`: with all groups before one fixed, the assemblies show the modes
    of this one.

    Raises `InputError` for drivers or values that do not fit, `StructureError` where drivers are missing or too many.

    >>> import structkin as sk
    >>> m = sk.Mechanism(
    ...     points={"A": (0, 0), "B": (0, 1), "C": (3, 2), "D": (3, 0)},
    ...     links={"ground": ["A", "D"], "crank": ["A", "B"], "coupler": ["B", "C"], "rocker": ["D", "C"]},
    ...     drivers={"motor": {"joint": "A", "speed": 1}})
    >>> [(a.modes, a.position("C").round(3).tolist(), a.certified) for a in m.assemblies()]
    [(((), (1,)), [3.0, 2.0], True), (((), (-1,)), [1.8, -1.6], True)]
    """
    plan = compile_plan(mechanism)
    values = _values(mechanism, drivers, t)
    fixed = _fixed(mechanism, plan, modes or {})
    if limit is not None and (isinstance(limit, bool) or not isinstance(limit, int | np.integer) or limit < 1):
        raise InputError(
            [Problem("limit", f"{limit!r} is not a positive whole number", "None finds all")], mechanism.title
        )
    return Assemblies(plan, mechanism, values, math.nan if t is None else float(t), limit, fixed)


def assembly(
    mechanism: Mechanism,
    index: int | None = None,
    *,
    where: Callable[[Assembly], bool] | None = None,
    drivers: Mapping[str, float] | None = None,
    t: float | None = None,
    limit: int | None = 1000,
) -> Assembly:
    """Return one assembly: number `index`, or the first with `where(assembly)`, else the nearest to the sketch.

    Raises `PoseError` where there is no such assembly; its text says which groups do not close.
    """
    found = assemblies(mechanism, drivers=drivers, t=t, limit=limit)
    if index is not None and where is not None:
        raise InputError([Problem("index", "has no meaning beside where", "give one of them")], mechanism.title)
    if index is not None:
        try:
            return found[index]
        except IndexError as error:
            raise PoseError(f"no assembly {index}: {error}\n{found.report}", 0) from None
    if where is None:
        return found.nearest()
    for item in found:
        if where(item):
            return item
    raise PoseError(f"no assembly fulfils the condition\n{found.report}", 0)


def _fixed(mechanism: Mechanism, plan: Plan, modes: Mapping[int, Sequence[int]]) -> dict[int, tuple[int, ...]]:
    """Return the modes that are fixed; `InputError` lists groups that are not there and what is no row of modes."""
    count, problems = len(plan.structure.groups), []
    fixed = {}
    for group, row in modes.items():
        wanted: Any = row
        if group not in range(count):
            problems.append(Problem("modes", f"there is no group {group!r}", f"0 to {count - 1}, as in Assembly.modes"))
        elif isinstance(wanted, str) or not isinstance(wanted, Sequence):
            problems.append(Problem(f"modes[{group}]", f"{wanted!r} is no row of modes", "such as (1,)"))
        else:
            fixed[group] = tuple(wanted)
    if problems:
        raise InputError(problems, mechanism.title)
    return fixed


def _values(mechanism: Mechanism, drivers: Mapping[str, float] | None, t: float | None) -> dict[str, float]:
    """Return the value of each driver; `InputError` lists every mistake."""
    given = dict(drivers or {})
    for id, drive in mechanism.drives.items():
        if id not in given and (t is None or drive.law is None):
            given[id] = drive.start
    schedule = make_schedule(mechanism, None, t, given, None)
    problems = [
        Problem(f"drivers.{id}", "one value is needed", "assemblies belong to one pose of the drivers")
        for id, z in schedule.drivers.items()
        if z.shape[1] != 1
    ]
    problems += [
        Problem(f"drivers.{id}", "has no value at this time", "pass drivers={...}")
        for id, z in schedule.drivers.items()
        if not problems and not np.isfinite(z[0, 0])
    ]
    if problems:
        raise InputError(problems, mechanism.title)
    return {id: float(z[0, 0]) for id, z in schedule.drivers.items()}
