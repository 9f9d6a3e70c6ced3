"""From a topology to its structural groups and the order in which they are solved."""

from structkin.structure.arrays import TopologyArrays
from structkin.structure.decompose import decompose_arrays
from structkin.structure.isomorphism import fingerprint, isomorphic
from structkin.structure.parts import Group, Redundancy
from structkin.structure.result import KinematicStructure, decompose
from structkin.structure.structure_arrays import StructureArrays

__all__ = [
    "Group",
    "KinematicStructure",
    "Redundancy",
    "StructureArrays",
    "TopologyArrays",
    "decompose",
    "decompose_arrays",
    "fingerprint",
    "isomorphic",
]
