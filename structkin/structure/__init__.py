"""From a topology to its structural groups and the order in which they are solved."""

from structkin.structure.decompose import decompose
from structkin.structure.result import Group, KinematicStructure, Redundancy

__all__ = ["Group", "KinematicStructure", "Redundancy", "decompose"]
