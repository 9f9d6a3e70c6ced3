"""What a decomposition returns in arrays, for topologies too large for an object a link."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from structkin.structure.array_codes import IntArray
from structkin.structure.group_arrays import GroupArrays
from structkin.structure.parts import FreePart, Redundancy


@dataclass(frozen=True, eq=False)
class StructureArrays(GroupArrays):
    """The groups of a topology (n links, g groups) in solve order, as integer arrays.

    - `group_of` (n,): the group of each link, -1 for the ground and for links that no group determines;
    - `level` (g,): longest way from the ground;
    - `name_of` (g,): which of `names` (kind, class, order, signature) is the group's;
    - `link[link_start[k]:link_start[k + 1]]`: the links of group k, ascending; `need`, `need_start` likewise the groups
      it depends on; `item`, `item_start` its joints and, from `topology.n_joints` on, its drivers;
    - `composite` (n,): the first link of the composite link that a link belongs to, else -1;
    - `over` (r,): the item of each redundant row, told in words by `redundancies`;
    - `under` (u,): links that still move, `held` (h,): links that stand still and belong to no group;
    - `seconds`: processor time [s] of each step.

    `mobility`, `missing_drivers`, `free_parts` are those of `KinematicStructure`.
    """

    mobility: int
    missing_drivers: int
    over: IntArray
    under: IntArray
    held: IntArray
    redundancies: tuple[Redundancy, ...]
    free_parts: tuple[FreePart, ...]
    seconds: Mapping[str, float]

    def __repr__(self) -> str:
        """Show the counts."""
        state = "" if self.is_solvable else f", {len(self.over)} redundant, {self.missing_drivers} missing"
        return f"<StructureArrays: {self.topology.n_links} links, {self.n_groups} groups{state}>"

    @property
    def is_solvable(self) -> bool:
        """Whether the groups determine every link, and no equation is redundant."""
        return not len(self.over) and not len(self.under)
