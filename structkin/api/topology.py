"""The public topology."""

from __future__ import annotations

from structkin.model import topology
from structkin.structure import decompose, rank_inputs


class Topology(topology.Topology):
    """Links, joints with their kinds, the ground and the drivers; no geometry. All that the structure depends on."""

    structure = decompose
    rank_inputs = rank_inputs
