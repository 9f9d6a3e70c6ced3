"""The six-bars and the five-bar that have a name, as linkages to be fitted.

Six-bars with one driven crank A-B and two dyads: a four-bar A-B-C-D, and a second dyad E-F-G whose pins E and G are on
two of its links. P is on the link E-F, which is the output. The fifth six-bar, Stephenson's second, has no crank on the
ground from which all groups are dyads.
"""

from __future__ import annotations

from functools import cache

from structkin.design.any_topology import AnyLinkage
from structkin.model.mechanism import Mechanism

#: The links with the pins E and G.
SIX_BARS = {
    "Watt I": ("coupler", "rocker"),
    "Watt II": ("rocker", "ground"),
    "Stephenson I": ("crank", "rocker"),
    "Stephenson III": ("coupler", "ground"),
}
GEARED = "geared five-bar"
NAMED = (*SIX_BARS, GEARED)


@cache
def named(kind: str) -> AnyLinkage:
    """Return a six-bar, or the five-bar whose cranks have equal gears; its drawing only shows the topology."""
    points = {"A": (0.0, 0.0), "B": (1.0, 0.5), "C": (3.0, 2.0), "D": (4.0, 0.0)}
    drivers = {"motor": {"joint": "A", "speed": 1.0}}
    if kind == GEARED:
        links = {"ground": ["A", "D"], "left": ["A", "B"], "right": ["D", "C"], "rod": ["B", "P"], "other": ["P", "C"]}
        mesh = {"type": "gear", "links": ["left", "right"], "ratio": -1.0}
        points["P"] = (2.0, 4.0)
        return AnyLinkage(Mechanism(kind, points=points, links=links, joints={"mesh": mesh}, drivers=drivers), "P")
    links = {"ground": ["A", "D"], "crank": ["A", "B"], "coupler": ["B", "C"], "rocker": ["C", "D"]}
    for pin, link in zip("EG", SIX_BARS[kind], strict=True):
        links[link].append(pin)
    points |= {"E": (2.0, 3.5), "F": (4.0, 5.0), "G": (5.0, 2.0), "P": (3.0, 6.0)}
    links |= {"link": ["E", "F", "P"], "output": ["F", "G"]}
    return AnyLinkage(Mechanism(kind, points=points, links=links, drivers=drivers), "P")
