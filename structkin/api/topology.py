"""The public topology."""

from __future__ import annotations

from typing import Self

from structkin.api.structure import KinematicStructure
from structkin.api.verb import public, verb
from structkin.model import topology
from structkin.structure import TopologyArrays, decompose, rank_inputs


class Topology(topology.Topology):
    """Links, joints with their kinds, the ground and the drivers, without geometry: what the structure depends on."""

    structure = verb(decompose, KinematicStructure)
    rank_inputs = rank_inputs

    @classmethod
    def from_arrays(cls, arrays: TopologyArrays) -> Self:
        """Return the topology given in arrays."""
        return public(cls, arrays.to_topology())
