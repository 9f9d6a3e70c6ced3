"""The joint coordinates that could be inputs, each as a driver."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import combinations

from structkin.model.topology import Driver, Topology, pin_of
from structkin.structure.isomorphism import pins_of


def coordinate(driver: Driver) -> object:
    """Return a key of a driver's coordinate: equal for two drivers of the same coordinate."""
    if driver.kind == "angle":
        return frozenset(driver.links)
    return ("slide", driver.joint) if driver.kind == "slide" else ("distance", driver.id)


def carried(topology: Topology, drivers: Sequence[Driver]) -> int:
    """Return the number of drivers between moving links."""
    ground = {topology.ground}
    for pin in pins_of(topology):
        if any(topology.ground in topology.joint(id).links for id in pin):
            ground.update(f"@{id}" for id in pin)
    return sum(not ground & set(driver.links) for driver in drivers)


def idle_links(topology: Topology) -> set[str]:
    """Return the links that only spin on a pin with a contact: the rollers of cam followers."""
    ends = Counter(end for joint in topology.joints for end in joint.links)
    ends.update(end for driver in topology.drivers for end in driver.links)
    touched = {pin_of(end) for joint in topology.joints if joint.kind in "CS" for end in joint.links}
    idle: set[str] = set()
    for pin in pins_of(topology):
        on_pin = [end for id in pin for end in topology.joint(id).links if pin_of(end) is None]
        if topology.ground not in on_pin and touched & set(pin):
            idle.update(link for link in on_pin if ends[link] == 1)
    return idle


def candidate_drivers(topology: Topology, kept: Sequence[Driver], kinds: Sequence[str], idle: set[str]) -> list[Driver]:
    """Return a driver for each joint coordinate: those relative to the ground first, else in the user's order."""
    own = {coordinate(driver): driver for driver in topology.drivers}
    taken = {driver.id for driver in (*topology.drivers, *kept)}
    known = {coordinate(driver) for driver in kept}
    result = []
    for driver in _coordinates(topology):
        what = coordinate(driver)
        if what in known or driver.kind not in kinds or idle & set(driver.links):
            continue
        known.add(what)
        if what in own:
            result.append(own[what])
            continue
        id = driver.id
        while id in taken:
            id += "_"
        taken.add(id)
        result.append(replace(driver, id=id))
    return sorted(result, key=lambda driver: topology.ground not in driver.links)


def _coordinates(topology: Topology) -> Iterator[Driver]:
    """Yield a driver for each coordinate, the ground or the first listed link first.

    The coordinates of pins and prismatic joints determine the poses of all links that these connect with the ground. Of
    any other link, the angle to the ground and the travels along its slots are coordinates as well.
    """
    connected = _connected(topology)
    pins = {id: pin for pin in pins_of(topology) for id in pin}
    for joint in topology.joints:
        if joint.kind == "P":
            yield Driver(f"drive_{joint.id}", "slide", _natural(topology, joint.links), joint.id)
        elif joint.kind == "S" and not connected.issuperset(joint.links):
            yield Driver(f"drive_{joint.id}", "slide", (joint.links[1], joint.links[0]), joint.id)
        elif joint.kind == "R" and pins[joint.id][0] == joint.id:
            home = [(end, id) for id in pins[joint.id] for end in topology.joint(id).links if pin_of(end) is None]
            for (a, first), (b, second) in combinations(home, 2):
                if a != b:
                    name = f"drive_{joint.id}" if len(home) == 2 else f"drive_{joint.id}_{a}_{b}"
                    yield Driver(name, "angle", _natural(topology, (a, b)), first if first == second else None)
    for link in topology.links:
        if link not in connected:
            yield Driver(f"drive_{link}", "angle", (topology.ground, link))


def _connected(topology: Topology) -> set[str]:
    """Return the links that pins, prismatic and fastened joints connect with the ground, and their joints, as "@B"."""
    import networkx as nx

    held = [joint for joint in topology.joints if joint.kind in "RPF"]
    graph = nx.Graph((f"@{joint.id}", end) for joint in held for end in joint.links)
    graph.add_node(topology.ground)
    return set(nx.node_connected_component(graph, topology.ground))


def _natural(topology: Topology, links: Sequence[str]) -> tuple[str, str]:
    return (links[1], links[0]) if links[1] == topology.ground else (links[0], links[1])


def label_of(topology: Topology, driver: Driver) -> str:
    """Return the driven joint, with the links if they are ambiguous: "A", "O (1 to 3)"."""
    joint = driver.joint
    if joint is None and driver.kind == "angle":
        both = set(driver.links)
        joint = next((one.id for one in topology.joints if one.kind == "R" and both <= set(one.links)), None)
    if joint is not None and len(topology.joint(joint).links) == 2:
        return joint
    ends = [end if (pin := pin_of(end)) is None else f"pin {pin}" for end in driver.links]
    return f"{joint or driver.id} ({' to '.join(ends)})"
