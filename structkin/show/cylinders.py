"""Whether the force of a driver pushes or pulls: which drivers are cylinders, and in which sense."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from structkin.joints.guide import Guide
from structkin.model.mechanism import GROUND, Mechanism


def cylinder_sign(mechanism: Mechanism, driver: str) -> int:
    """Return 1 if a positive force of a driver pushes two pins apart, -1 if it pulls, 0 if it is not a cylinder.

    A cylinder is a driven distance, or a driven slide between two moving links with one pin each: barrel and rod.

    >>> from structkin.examples import path
    >>> m = Mechanism.load(path("excavator"))
    >>> [cylinder_sign(m, driver) for driver in m.drivers]
    [1, 1, 1]
    """
    drive = mechanism.drivers[driver]
    if drive.ends is not None:
        return 1
    guide = mechanism.joints.of(Guide).get(drive.joint or "")
    if guide is None or GROUND in (guide.carrier, guide.slider):
        return 0
    pins = []
    for link in (guide.carrier, guide.slider):
        others = [joint.id for joint in mechanism.topology.joints if link in joint.links and joint.id != drive.joint]
        if len(others) != 1 or others[0] not in mechanism.places:
            return 0
        pins.append(mechanism.places[others[0]])
    along = mechanism.links[guide.carrier].direction * guide.direction
    return int(np.sign(((pins[1] - pins[0]) * along.conjugate()).real))


def cylinder_notes(mechanism: Mechanism) -> Iterator[str]:
    """Yield which sign of their force pushes, of the cylinders among the drivers."""
    for sign, pushing, pulling in ((1, "positive", "negative"), (-1, "negative", "positive")):
        cylinders = [id for id in mechanism.drivers if cylinder_sign(mechanism, id) == sign]
        if cylinders:
            yield f"{', '.join(cylinders)}: a {pushing} force pushes, a {pulling} one pulls"
