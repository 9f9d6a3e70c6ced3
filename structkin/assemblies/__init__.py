"""All assembly modes of groups and of whole mechanisms: closed forms, homotopies, certificates."""

from structkin.assemblies.assembly import Assembly
from structkin.assemblies.listing import Assemblies, assemblies, assembly
from structkin.assemblies.modes import modes_of
from structkin.assemblies.reality import Modes
from structkin.assemblies.solutions import NotEnumeratedError

__all__ = ["Assemblies", "Assembly", "Modes", "NotEnumeratedError", "assemblies", "assembly", "modes_of"]
