"""All assemblies of a mechanism at given driver values, group by group in solve order."""

from structkin.branches.assemblies.assembly import Assembly
from structkin.branches.assemblies.listing import Assemblies

__all__ = ["Assemblies", "Assembly"]
