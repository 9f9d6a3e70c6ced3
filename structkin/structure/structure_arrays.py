"""The result of a decomposition as arrays: Python objects of groups are created only on request."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from structkin.checked import checked
from structkin.model.arguments import index as whole_index
from structkin.structure.arrays import TopologyArrays
from structkin.structure.joint_rows import GROUND, Rows
from structkin.structure.naming import Name
from structkin.structure.parts import FreePart, Group, Redundancy
from structkin.structure.shapes import spread
from structkin.types import Ints

if TYPE_CHECKING:
    from scipy.sparse import csc_array


@dataclass(frozen=True, eq=False)
class Outside:
    """Rows of groups with one known end: group, item, known vertex, and the group that determines it (-1: ground)."""

    group: Ints
    item: Ints
    end: Ints
    feeder: Ints


@checked
@dataclass(frozen=True, eq=False)
class StructureArrays:
    """The groups of a topology (n links, g groups) in solve order, as integer arrays.

    - `group_of` (n,): the group of each link, -1 for the ground and for links that no group determines;
    - `level` (g,): length of the longest path from the ground;
    - `name_of` (g,): index of the group's name in `names` (kind, class, order, signature);
    - `link[link_start[k]:link_start[k + 1]]`: the links of group k, ascending; `need`, `need_start` likewise the groups
      it depends on; `item`, `item_start` its joints and, from `topology.n_joints` on, its drivers;
    - `composite` (n,): the first link of the composite link that a link belongs to, else -1;
    - `over` (r,): the item of each redundant row, described by `redundancies`;
    - `under` (u,): links that can still move, `held` (h,): links that cannot move but belong to no group;
    - `seconds`: processor time [s] of each step.

    `mobility`, `missing_drivers`, `free_parts` are those of `KinematicStructure`.
    """

    topology: TopologyArrays
    group_of: Ints
    level: Ints
    name_of: Ints
    names: tuple[Name, ...]
    link_start: Ints
    link: Ints
    need_start: Ints
    need: Ints
    item_start: Ints
    item: Ints
    composite: Ints
    mobility: int
    missing_drivers: int
    over: Ints
    under: Ints
    held: Ints
    redundancies: tuple[Redundancy, ...]
    free_parts: tuple[FreePart, ...]
    seconds: Mapping[str, float]
    _rows: Rows = field(repr=False)
    _outside: Outside = field(repr=False)
    _pin_group: Ints = field(repr=False)
    _on_pin: tuple[Ints, Ints] = field(repr=False)

    def __repr__(self) -> str:
        """Show the counts."""
        state = "" if self.is_solvable else f", {len(self.over)} redundant, {self.missing_drivers} missing"
        return f"<StructureArrays: {self.topology.n_links} links, {self.n_groups} groups{state}>"

    @property
    def is_solvable(self) -> bool:
        """Whether the groups determine every link, and no equation is redundant."""
        return not len(self.over) and not len(self.under)

    @property
    def n_groups(self) -> int:
        """Number of groups."""
        return len(self.level)

    @property
    def kinds(self) -> dict[str, int]:
        """The number of groups of each kind, the most frequent first."""
        count = np.bincount(self.name_of, minlength=len(self.names))
        total: dict[str, int] = {}
        for name, many in zip(self.names, count.tolist(), strict=True):
            total[name.kind] = total.get(name.kind, 0) + many
        return dict(sorted(total.items(), key=lambda pair: (-pair[1], pair[0])))

    @cached_property
    def exterior(self) -> tuple[Ints, Ints, Ints]:
        """Joints and drivers with one known end: start (g + 1,), item (x,), the group that determines it (x,) or -1."""
        out = self._outside
        width = self.n_groups + 1
        key = (out.group * (self.topology.n_joints + self.topology.n_drivers) + out.item) * width + out.feeder + 1
        first = np.sort(np.unique(key, return_index=True)[1])
        return self._starts(out.group[first]), out.item[first], out.feeder[first]

    @cached_property
    def known(self) -> tuple[Ints, Ints]:
        """Links that feed each group: start (g + 1,) and the links; for a pin of a group, its links at the pin."""
        out, (pin_start, pin_body) = self._outside, self._on_pin
        n = self._rows.n_bodies
        on_pin = np.flatnonzero(out.end >= n)
        pin = out.end[on_pin] - n
        count = pin_start[pin + 1] - pin_start[pin]
        group = np.concatenate([out.group[out.end < n], np.repeat(out.group[on_pin], count)])
        body = np.concatenate([out.end[out.end < n], pin_body[spread(pin_start[pin], count)]])
        key = np.unique(group * (n + 1) + body + 1)  # the ground comes first
        return self._starts(key // (n + 1)), self._rows.link_of(key % (n + 1) - 1)

    @cached_property
    def pin(self) -> tuple[Ints, Ints]:
        """Joints on the shared pins that each group determines: start (g + 1,) and the joints."""
        rows = self._rows
        chosen = np.flatnonzero(self._pin_group >= 0)
        chosen = chosen[np.argsort(self._pin_group[chosen], kind="stable")]
        count = rows.pin_start[chosen + 1] - rows.pin_start[chosen]
        group = np.repeat(self._pin_group[chosen], count)
        return self._starts(group), rows.pin_joint[spread(rows.pin_start[chosen], count)]

    def _starts(self, group: Ints) -> Ints:
        return np.searchsorted(group, np.arange(self.n_groups + 1))

    def group(self, index: int) -> Group:
        """Return one group as an object with names; `InputError` where there is no such group."""
        index = whole_index(index, self.n_groups, "group", self.topology.title)
        return self._make(index, index + 1)[0]

    def groups(self) -> tuple[Group, ...]:
        """Return all groups as objects with names: a few microseconds and a kilobyte per group."""
        return self._make(0, self.n_groups)

    def _make(self, first: int, last: int) -> tuple[Group, ...]:
        topology = self.topology
        links, n_joints = topology.link_names, topology.n_joints
        joints, drivers = topology.joint_names, topology.driver_names

        def parts(start: Ints, *values: Ints) -> list[list[list[int]]]:
            a, b = int(start[first]), int(start[last])
            bounds = (start[first : last + 1] - a).tolist()
            lists = [value[a:b].tolist() for value in values]
            return [[one[i:j] for i, j in pairwise(bounds)] for one in lists]

        own, needs, items = (
            parts(start, value)[0]
            for start, value in (
                (self.link_start, self.link),
                (self.need_start, self.need),
                (self.item_start, self.item),
            )
        )
        cluster = parts(self.link_start, self.composite[self.link])[0]
        outer, feeder = parts(*self.exterior)
        known, pins = (parts(*one)[0] for one in (self.known, self.pin))
        level, name_of = self.level[first:last].tolist(), self.name_of[first:last].tolist()
        groups = []
        for k in range(last - first):
            name = self.names[name_of[k]]
            composite: dict[int, list[str]] = {}
            for link, home in zip(own[k], cluster[k], strict=True):
                if home >= 0:
                    composite.setdefault(home, []).append(links[link])
            groups.append(
                Group(
                    index=first + k,
                    kind=name.kind,
                    links=tuple([links[i] for i in own[k]]),
                    joints=tuple([joints[i] for i in items[k] if i < n_joints]),
                    drivers=tuple([drivers[i - n_joints] for i in items[k] if i >= n_joints]),
                    class_=name.class_,
                    order=name.order,
                    signature=name.signature,
                    composite_links=tuple([tuple(one) for one in composite.values()]),
                    level=level[k],
                    depends_on=tuple(needs[k]),
                    pins=tuple([joints[i] for i in pins[k]]),
                    exterior=tuple(
                        [
                            (joints[i] if i < n_joints else drivers[i - n_joints], None if f == GROUND else f)
                            for i, f in zip(outer[k], feeder[k], strict=True)
                        ]
                    ),
                    known=tuple([links[i] for i in known[k]]),
                )
            )
        return tuple(groups)

    def kinstr(self) -> csc_array:
        """Return KinStr (links, groups) as a sparse matrix of int8: `KinematicStructure.kinstr` without its zeros."""
        from scipy.sparse import coo_array, csc_array

        start, known = self.known
        group = np.arange(self.n_groups)
        row = np.concatenate([self.link, known])
        column = np.concatenate([np.repeat(group, np.diff(self.link_start)), np.repeat(group, np.diff(start))])
        data = np.repeat(np.array([1, -1], dtype=np.int8), [len(self.link), len(known)])
        return csc_array(coo_array((data, (row, column)), shape=(self.topology.n_links, self.n_groups)))
