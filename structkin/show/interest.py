"""What is shown of a mechanism by default."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from structkin.joints.cam import Cam
from structkin.joints.circular_slot import CircularSlot
from structkin.joints.guide import Guide
from structkin.model.mechanism import Mechanism
from structkin.model.parts import Link
from structkin.model.topology import pin_of
from structkin.numerical_tolerances import EQUAL_DATA
from structkin.structure import KinematicStructure

#: Points traced by default, at most.
MOST_TRACED = 4


def points_on_links(mechanism: Mechanism) -> list[str]:
    """Return the points that are on a link, in the user's order."""
    return [point for point in mechanism.places if any(point in link.local for link in mechanism.links.values())]


def moving_points(mechanism: Mechanism) -> list[str]:
    """Return the points that are on a moving link and not on the ground, in the user's order."""
    ground = mechanism.links[mechanism.topology.ground].local
    moving = {point for link in mechanism.links.values() for point in link.local if point not in ground}
    return [point for point in mechanism.places if point in moving]


def traced_points(mechanism: Mechanism, trace: Sequence[str]) -> tuple[str, ...]:
    """Return the points whose paths are drawn: those asked for, or else the points of interest, at most four."""
    return tuple(trace) or tuple(points_of_interest(mechanism)[:MOST_TRACED])


def points_of_interest(mechanism: Mechanism) -> list[str]:
    """Return the points that are on exactly one link and are not a joint or a driver's end; else the moving pins.

    Pins that a driver turns about a ground pivot are left out if there are others.

    >>> m = Mechanism(points={"A": [0, 0], "B": [1, 0], "P": [2, 0]}, links={"ground": ["A"], "bar": ["A", "B", "P"]},
    ...               drivers={"ram": {"joint": "A", "speed": 1}})
    >>> points_of_interest(m)
    ['B', 'P']
    """
    faces = [
        _face_points(mechanism.links[cam.follower], cam.touch, cam.normal)
        for cam in mechanism.joints.of(Cam).values()
        if cam.normal is not None
    ]
    shared = {joint.id for joint in mechanism.topology.joints}
    moving = [p for p in moving_points(mechanism) if p in shared or not any(p in face for face in faces)]
    used = {point for drive in mechanism.drivers.values() for _, point in drive.ends or ()}
    for guide in mechanism.joints.of(Guide).values():
        used |= _at(mechanism.links[guide.slider], guide.point)
    for slot in mechanism.joints.of(CircularSlot).values():
        used |= _at(mechanism.links[slot.carrier], slot.center)
    links = Counter(point for link in mechanism.links.values() for point in link.local)
    free = [point for point in moving if links[point] == 1 and point not in used]
    ground = mechanism.topology.ground
    driven = {driver.links for driver in mechanism.topology.drivers if driver.kind == "angle"}
    cranks = [mechanism.links[b if a == ground else a].local for a, b in driven if ground in (a, b)]
    return free or [point for point in moving if not any(point in crank for crank in cranks)] or moving


def _at(link: Link, at: complex) -> set[str]:
    """Return the points of a link at a place in its frame."""
    size = max((abs(place) for place in link.local.values()), default=0.0)
    return {name for name, place in link.local.items() if abs(place - at) <= EQUAL_DATA * size}


def _face_points(link: Link, touch: complex, normal: complex) -> set[str]:
    size = max((abs(place) for place in link.local.values()), default=0.0)
    return {name for name, place in link.local.items() if abs(((place - touch) / normal).real) <= EQUAL_DATA * size}


def output_links(mechanism: Mechanism, structure: KinematicStructure) -> list[str]:
    """Return the likely output links: not driven and pivoted on the ground or with three joints, or in a last group.

    The last groups are those on which no other depends. Links that slide on the ground do not turn and are left out.
    If none is left, all turning links are returned.
    """
    topology = mechanism.topology
    ground = topology.ground
    sliding = {link for joint in topology.joints if joint.kind == "P" and ground in joint.links for link in joint.links}
    driven = {link for driver in topology.drivers if driver.kind != "distance" for link in driver.links}
    turning = [link for link in topology.moving_links if link not in sliding]
    pivoted = {
        link
        for joint in topology.joints
        if joint.kind == "R" and ground in joint.links
        for link in joint.links
        if pin_of(link) is None
    }
    joined = [joint.links for joint in topology.joints]
    joined += [driver.links for driver in topology.drivers if driver.kind == "distance"]
    ends = Counter(link for links in joined for link in links)
    needed = {need for group in structure.groups for need in group.depends_on}
    last = {link for group in structure.groups if group.index not in needed for link in group.links}
    first = [link for link in turning if link not in driven and (link in pivoted or ends[link] >= 3)]
    return [*first, *(link for link in turning if link in last and link not in first)] or turning


def middle(link: Link) -> complex:
    """Return the middle of a link's points [m] in its own frame."""
    return sum(link.local.values(), 0j) / len(link.local) if link.local else 0j
