"""The public kinematic structure."""

from __future__ import annotations

from typing import TYPE_CHECKING

from structkin import model, show, structure

if TYPE_CHECKING:
    from matplotlib.figure import Figure


class KinematicStructure(structure.KinematicStructure):
    """The groups of a topology in solve order; see `Mechanism.structure` and `Topology.structure`.

    `mobility` is the generic mobility of the joints alone, by rank (`Topology.mobility_count` only counts equations).
    `over` lists redundant equations; `under` lists the links that can still move with the drivers held, and
    `missing_drivers` is how many more drivers they need. `held` lists the links that cannot move and yet belong to no
    group, because only redundant joints or the orientation of a moving link hold them. `arrays` holds the same
    structure in integers, as `decompose_arrays` returned it.
    """

    def plot(self, *, mechanism: model.Mechanism | None = None) -> Figure:
        """Return a figure of the link graph and the groups by level; with a mechanism the layout follows its sketch."""
        return show.draw_structure(self, mechanism=mechanism)

    def _repr_html_(self) -> str:
        return show.html_table(show.groups_table(self))
