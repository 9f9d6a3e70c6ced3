"""The catalogue of structural groups: pure functions of arrays, one file per kind.

To add a kind, write its file (`kind.py` lists what it must define) and add it to `KINDS`, where the tests find it.

>>> kind("3R").name
'RRR'
"""

from __future__ import annotations

from .driven import DrivenP, DrivenR
from .gear import RG, Turn
from .general import General
from .kind import Array, Kind, Relation, Values
from .prp import PRP, RPP
from .rows import Rows
from .rpr import RPR
from .rrp import RRP
from .rrr import RRR
from .triad import Triad

#: Every kind with a closed form, in the order of the docs.
KINDS: tuple[Kind, ...] = (
    *(DrivenR(), DrivenP(), RRR(), RRP(), RPR(), PRP(), RPP(), RG()),
    *(Triad("RR", "RR", "RR"), Triad("RR", "RR", "PR"), Triad("RR", "RR", "RP")),
)

_BY_NAME = {name: kind for kind in KINDS for name in (kind.name, *kind.aliases)}


def kind(name: str) -> Kind:
    """Return the kind with this name or alias; the `KeyError` for an unknown name lists the known ones."""
    try:
        return _BY_NAME[name]
    except KeyError:
        raise KeyError(f"no closed form for '{name}'; known: {', '.join(_BY_NAME)}") from None


__all__ = [
    "KINDS",
    "PRP",
    "RG",
    "RPP",
    "RPR",
    "RRP",
    "RRR",
    "Array",
    "DrivenP",
    "DrivenR",
    "General",
    "Kind",
    "Relation",
    "Rows",
    "Triad",
    "Turn",
    "Values",
    "kind",
]
