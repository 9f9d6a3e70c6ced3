"""The coordinates of each group by name: the dependent phi that it determines from the independent h (S2, sec. 2).

Natural coordinates wherever there are pins: a pin J gives x_J, y_J. Two pins locate a link; with fewer it has its angle
theta_link too, and without any also x_link, y_link. So a crank A-B has phi = (x_B, y_B) from h = (x_A, y_A, motor), and
the dyad after it phi = (x_C, y_C) from h = (x_B, y_B, x_D, y_D).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from structkin.model.topology import Topology, pin_of
from structkin.structure.parts import Group

if TYPE_CHECKING:
    from structkin.structure.result import KinematicStructure


@dataclass(frozen=True, slots=True)
class GroupCoordinates:
    """Names of the coordinates of a group: `dependent` (phi), which it determines, and `independent` (h), its inputs.

    A driver's coordinate has the name of the driver.
    """

    dependent: tuple[str, ...]
    independent: tuple[str, ...]

    def __str__(self) -> str:
        """Return both in one line."""
        return f"phi = ({', '.join(self.dependent)}), h = ({', '.join(self.independent)})"


def pins_by_link(topology: Topology) -> dict[str, list[str]]:
    """Return the revolute joints on each link, in the user's order."""
    found: dict[str, list[str]] = {link: [] for link in topology.links}
    for joint in topology.joints:
        if joint.kind == "R":
            for end in joint.links:
                if end in found:
                    found[end].append(joint.id)
    return found


def coordinates_of(structure: KinematicStructure, group: Group, pins: dict[str, list[str]]) -> GroupCoordinates:
    """Return the coordinates of a group; `pins` are those of `pins_by_link`."""
    topology = structure.topology
    given = dict.fromkeys(id for id, _ in group.exterior if id not in group.drivers)
    inner = {id for id in group.joints if id not in given and topology.joint(id).kind == "R"} | set(group.pins)
    dependent = _flat(_pin(id) for id in group.joints if id in inner)
    dependent.update(_flat(_pin(id) for id in group.pins))
    for link in group.links:
        here = pins[link]
        placed = [id for id in here if id in inner or id in given]
        more = [id for id in here if id not in placed][: 1 if placed else 2]
        dependent.update(_flat(_pin(id) for id in more))
        if not placed and not more:
            dependent.update(dict.fromkeys((f"x_{link}", f"y_{link}")))
        if len(placed) + len(more) < 2:
            dependent[f"theta_{link}"] = None
    independent: dict[str, None] = {}
    inside, ground = set(group.links), topology.ground
    for id in given:
        joint = topology.joint(id)
        if joint.kind == "R":
            independent.update(_flat([_pin(id)]))
            continue
        for end in joint.links:
            pin = pin_of(end)
            if pin is not None and pin not in inner:
                independent.update(_flat([_pin(pin)]))
            elif pin is None and end not in inside and end != ground:
                independent.update(dict.fromkeys((f"x_{end}", f"y_{end}", f"theta_{end}")))
    drivers = {driver.id: driver for driver in topology.drivers}
    for id in group.drivers:
        for end in drivers[id].links:
            if drivers[id].kind == "angle" and end not in inside and end != ground:
                independent[f"theta_{end}"] = None
    independent.update(dict.fromkeys(group.drivers))
    return GroupCoordinates(tuple(dependent), tuple(independent))


def _pin(id: str) -> tuple[str, str]:
    return f"x_{id}", f"y_{id}"


def _flat(names: Iterable[tuple[str, ...]]) -> dict[str, None]:
    return dict.fromkeys(name for pair in names for name in pair)
