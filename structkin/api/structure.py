"""The public kinematic structure."""

from __future__ import annotations

from typing import TYPE_CHECKING

from structkin import model, show, structure

if TYPE_CHECKING:
    from matplotlib.figure import Figure


class KinematicStructure(structure.KinematicStructure):
    """The groups of a topology in solve order; see `Mechanism.structure` and `Topology.structure`.

    `mobility` is the rank-based generic mobility of the joints alone (`Topology.mobility_count` is the bare count).
    `over` lists redundant equations, `under` the links that still move with the drivers given, in `missing_drivers`
    ways; `held` the links that stand still and yet belong to no group, because only the orientation of a link that
    moves holds them, or joints that are redundant. `arrays` is what `decompose_arrays` returned: the same in integers.
    """

    def plot(self, *, mechanism: model.Mechanism | None = None) -> Figure:
        """Return a figure of the link graph and of the groups by level; a mechanism gives the layout of its sketch."""
        return show.draw_structure(self, mechanism=mechanism)

    def _repr_html_(self) -> str:
        return show.html_table(show.groups_table(self))
