"""Which joints' coordinates describe a motion best: coordinate partitioning by conditioning.

With free coordinates q of any choice, the coordinates c of all joints move at the rates c' = R q'. A choice of as many
joints is independent where its rows of R are regular, and the larger their volume |det|, the better it describes the
motion. In the choice of largest volume no joint moves faster than a coordinate, |R| <= 1 in its terms: then a small
change of the coordinates is a small change of the whole mechanism, and it is far from all poses at which a coordinate
is at rest while links move (dead points). Exchanging a coordinate for a joint multiplies the volume by the entry of R;
so the choice is found by exchanges at the largest entry (Goreinov, Tyrtyshnikov & Zamarashkin 1997). Wehage & Haug
(1982) partition all Cartesian coordinates in the same way, by pivots of the Jacobian; here they are those of joints, so
that the mechanism is decomposed into structural groups with them as its drivers.

A distance has no rate at zero and is never negative. Near zero it counts less, so that other coordinates replace it in
time: its scale is the mechanism's size times `NEAR` times the size over the distance.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from structkin.joints.circular_slot import CircularSlot
from structkin.joints.curve_slot import CurveSlot
from structkin.joints.slot_distances import distances
from structkin.model.mechanism import Mechanism
from structkin.model.parts import DriverCoordinate
from structkin.model.topology import INPUT_KINDS
from structkin.structure.inputs.candidates import candidate_drivers, idle_links
from structkin.types import Floats

#: Coordinates are exchanged where a joint moves this many times faster; the second applies where a step found no pose.
LIMIT, STUCK = 4.0, 1.8
#: Exchanges end where no joint is faster than this part of the limit. The first joint is taken that reaches this part
#: of the fastest rate and exceeds a coordinate's rate by this factor.
GOOD, PART, FASTER = 0.6, 0.4, 1.2
#: Distances below this part of the mechanism's size count less.
NEAR = 0.2


def joint_coordinates(mechanism: Mechanism) -> dict[str, DriverCoordinate]:
    """Return a free drive for each coordinate of `candidate_drivers` without a law, those relative to the ground first.

    The mechanism's own free coordinates are among them.

    >>> import structkin as sk
    >>> m = sk.Mechanism(points={"A": (0, 0), "B": (1, 0)}, links={"ground": ["A"], "rod": ["A", "B"], "end": ["B"]},
    ...                  drivers={"q": {"joint": "B"}})
    >>> list(joint_coordinates(m))
    ['drive_A', 'q']
    """
    topology, drives = mechanism.topology, mechanism.drivers
    kept = [driver for driver in topology.drivers if drives[driver.id].law is not None]
    free = {id: drive for id, drive in drives.items() if drive.law is None}
    found = candidate_drivers(topology, kept, INPUT_KINDS, idle_links(replace(topology, drivers=())))
    made: dict[str, DriverCoordinate] = {}
    for one in found:
        slot = mechanism.joints[one.joint] if one.kind == "slide" and one.joint else None
        if isinstance(slot, CircularSlot | CurveSlot):
            made |= {drive.id: drive for drive in distances(mechanism, one.id, slot)}
        else:
            made[one.id] = DriverCoordinate(one.id, one.kind, one.links, one.joint, 0.0, None)
    return {**{id: free.get(id, drive) for id, drive in made.items()}, **free}


def scales(units: Floats, distances: Floats) -> Floats:
    """Return the scales of coordinates (c,) from their units [1 or m] and, if they are distances, these [m], else inf.

    >>> scales(np.array([1.0, 2.0, 2.0]), np.array([np.inf, 1.0, 0.1])).tolist()
    [1.0, 2.0, 8.0]
    """
    with np.errstate(divide="ignore"):
        return np.asarray(units * np.maximum(1.0, NEAR * units / distances))


def exchanges(rates: Floats, limit: float) -> dict[int, int]:
    """Return which joint replaces which coordinate, by their indices; empty where that is not worthwhile.

    `rates` (c, f) are those of the joints by the coordinates, made dimensionless. Earlier joints are preferred: those
    at the ground leave simpler groups.

    >>> exchanges(np.array([[1.0], [9.0], [8.0]]), LIMIT), exchanges(np.array([[1.0], [3.0]]), LIMIT)
    ({0: 1}, {})
    """
    found: dict[int, int] = {}
    sizes = np.abs(rates)
    if not np.max(sizes, initial=0.0) > limit or not np.isfinite(rates).all():
        return found
    # Each exchange increases the volume by at least a fifth, so none is undone.
    while (largest := float(np.max(sizes))) > max(GOOD * limit, FASTER):
        joint = int(np.argmax(np.max(sizes, axis=1) > max(PART * largest, FASTER)))
        index = int(np.argmax(sizes[joint]))
        found[index] = joint
        row = rates[joint].copy()
        row[index] -= 1.0
        rates = rates - np.outer(rates[:, index], row) / rates[joint, index]
        sizes = np.abs(rates)
    return found
