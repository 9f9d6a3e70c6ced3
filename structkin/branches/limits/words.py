"""Why a group ends the motion, in words."""

from __future__ import annotations

from typing import Any

import numpy as np

from structkin.model.topology import Topology
from structkin.plan.plan import Plan
from structkin.plan.relations import HalfSquareOfLength
from structkin.structure import Group
from structkin.structure.reasons import listed

#: The reason where a driven distance ends the motion.
NO_LENGTH = "the length of {} is zero"


def why(plan: Plan, index: int, h: tuple[Any, ...]) -> tuple[str, str]:
    """Return kind and description of the limit of a step with inputs h: ("folded", "coupler and rocker ...")."""
    step = plan.steps[index]
    group, topology = plan.structure.groups[step.group], plan.structure.topology
    name = getattr(step.kind, "name", "")
    members = _members(group, topology)
    both = listed(members)
    if isinstance(step.kind, HalfSquareOfLength):
        return "no length", NO_LENGTH.format(" or ".join(group.drivers))
    if name == "RRR":
        return _in_line(both, h)
    if name == "RRP":
        sliders = _sliders(group, topology)
        rods = [member for member in members if member not in sliders]
        guide = f"the guide of {' and '.join(sliders) or 'its pin'}"
        return "square", f"{' and '.join(rods) or both} perpendicular to {guide}"
    if name == "RPR" and len(members) == 1:
        return "no travel", f"the slot of {both} is perpendicular to the line through the pins"
    if name == "RPR":
        return "no travel", f"the guide between {both} is perpendicular to the line through their pins"
    if name in ("PRP", "RPP") and len(members) == 1:
        return "parallel", f"guide and slot of {both} are parallel"
    if name in ("PRP", "RPP"):
        return "parallel", f"the guides of {both} are parallel"
    return "singular", f"{both or 'the group'} in a singular position"


def _in_line(both: str, h: tuple[Any, ...]) -> tuple[str, str]:
    A, B, l1, l2 = h
    span, one, two = (float(np.ravel(np.sqrt(x))[0]) for x in (np.sum((B - A) ** 2, axis=0), 2 * l1, 2 * l2))
    if abs(span - (one + two)) < abs(span - abs(one - two)):
        return "stretched", f"{both} in line, stretched"
    return "folded", f"{both} in line, folded over each other"


def _members(group: Group, topology: Topology) -> list[str]:
    """Return the links of a group, composites as one, and the distance drivers that act next to them."""
    together = {link: composite for composite in group.composite_links for link in composite}
    members = list(dict.fromkeys("-".join(together.get(link, (link,))) for link in group.links))
    drivers = {driver.id: driver for driver in topology.drivers}
    return members + [id for id in group.drivers if drivers[id].kind == "distance" and len(members) < 2]


def _sliders(group: Group, topology: Topology) -> list[str]:
    """Return the links of a group that slide on known links."""
    outer = {id for id, _ in group.exterior}
    joints = [topology.joint(id) for id in group.joints]
    return [
        link
        for joint in joints
        if joint.kind == "P" and joint.id in outer
        for link in joint.links
        if link in group.links
    ]
