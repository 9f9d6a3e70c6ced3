"""Why a group can be solved after the groups before it, in words."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from structkin.model.topology import JOINT_KINDS, Topology, pin_of
from structkin.structure.diagnostics import DRIVER_EQUATION
from structkin.structure.parts import Group

if TYPE_CHECKING:
    from structkin.structure.result import KinematicStructure


def reason(structure: KinematicStructure, group: Group) -> str:
    """Return why a group can be solved after those before it: its inputs with their sources, and the count."""
    needs = [*_needs(structure, group), *_driven(structure, group)]
    text = f"needs {'; '.join(needs)}" if needs else "needs no other group"
    return f"{text}. {_enough(structure.topology, group)}"


def _needs(structure: KinematicStructure, group: Group) -> list[str]:
    """Return the inputs from other groups: joints, by the group or ground that determines their other end."""
    topology = structure.topology
    by_source: dict[int | None, list[str]] = {}
    for id, feeder in group.exterior:
        if id not in group.drivers:
            by_source.setdefault(feeder, []).append(id)
    needs = []
    for feeder, ids in by_source.items():
        if feeder is None:
            needs.append(f"{listed(ids)} on the ground")
            continue
        links = set(structure.groups[feeder].links)
        carriers = [link for id in ids for link in _carriers(topology, id) if link in links]
        of = f" on {listed(list(dict.fromkeys(carriers)))}" if carriers else ""
        needs.append(f"{listed(ids)}{of} from group {feeder + 1}")
    return needs


def _carriers(topology: Topology, id: str) -> list[str]:
    """Return the links at a joint, including those at the pins to which it is attached."""
    links: list[str] = []
    for end in topology.joint(id).links:
        pin = pin_of(end)
        links += [end] if pin is None else [link for link in topology.joint(pin).links if pin_of(link) is None]
    return links


def _driven(structure: KinematicStructure, group: Group) -> list[str]:
    drivers = {driver.id: driver for driver in structure.topology.drivers}
    source = dict(group.exterior)
    result = []
    for id in group.drivers:
        text = f"the {DRIVER_EQUATION[drivers[id].kind]} that {id} gives"
        feeder = source.get(id)
        result.append(f"{text} relative to group {feeder + 1}" if feeder is not None else text)
    return result


def _enough(topology: Topology, group: Group) -> str:
    """Return the count of equations and unknowns, by joint if it adds up directly."""
    n, pins = len(group.links), set(group.pins)
    counts = {id: _equations(topology, group, id) for id in group.joints}
    counts.update(dict.fromkeys(group.drivers, 1))
    if not n:
        return f"Two equations fix the two coordinates of pin {listed(list(group.pins))}."
    unknowns = f"Its {n} links have {3 * n} unknowns" if n > 1 else "Its link has 3 unknowns"
    if sum(counts.values()) != 3 * n:
        at = " and those of the pins in it" if pins else ""
        return f"{unknowns}{at}; there are as many independent equations."
    return f"{unknowns}; {', '.join(f'{id} gives {count}' for id, count in counts.items() if count)}."


def _equations(topology: Topology, group: Group, id: str) -> int:
    """Return the number of equations of a joint; for a multiple joint, those of each link of the group except one."""
    joint = topology.joint(id)
    kind = JOINT_KINDS[joint.kind]
    if not kind.of_many:
        return len(kind.equations)
    inside = sum(end in group.links for end in joint.links)
    placed = any(item == id for item, _ in group.exterior)
    return len(kind.equations) * (inside if placed else inside - 1)


def listed(names: Sequence[str]) -> str:
    """Return names as words: "a", "a and b", "a, b and c"."""
    return "".join(names) if len(names) < 2 else f"{', '.join(names[:-1])} and {names[-1]}"
