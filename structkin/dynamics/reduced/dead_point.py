"""A start at a dead point of the coordinates, where these tell neither the pose exactly nor the rates of the links.

There data of points and links do, in other coordinates: these are chosen next to the start, as within a simulation.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress

import numpy as np

from structkin.dynamics.bodies import mass_table
from structkin.dynamics.driver_coordinates import DriverCoordinates
from structkin.dynamics.initial import Correction, drivers_at, exact_conditions, initial_conditions
from structkin.dynamics.reduced.partition import LIMIT, exchanges, joint_coordinates
from structkin.dynamics.reduced.partitioned import Partitioned
from structkin.dynamics.reduced.pose import RATE_LIMIT, NoPoseError
from structkin.dynamics.reduced.reduced_equations import Reduced
from structkin.dynamics.start import begin, pose_of, with_turns
from structkin.dynamics.user_loads import UserLoad
from structkin.errors import InputError, StructureError
from structkin.model.laws import at_time
from structkin.model.mechanism import Mechanism
from structkin.model.parts import DriverCoordinate
from structkin.model.posed import driven_by
from structkin.solve.motion.motion import Motion
from structkin.solve.solve_groups import solve_groups
from structkin.solve.special_geometry import compile_plan
from structkin.types import Floats

#: A coordinate is at a dead point where others move this many times faster, made dimensionless. From `RATE_LIMIT` on,
#: the equations refuse it, by a measure of their own.
DEAD = 0.1 * RATE_LIMIT


def at_dead_point(
    mechanism: Mechanism, t: float, users: Sequence[UserLoad], engine: str
) -> tuple[Partitioned, Floats, tuple[Correction, ...]] | None:
    """Return equations in other coordinates, their first state, and the corrections made; None at no dead point.

    The mechanism has all its drivers. None also where only values and speeds of drivers are given, where some of these
    belong to a coordinate that is at its dead point, and where no other coordinates lead there. Raises `InputError` as
    `initial_conditions` does.
    """
    for values, limit in _near(mechanism, t):
        with suppress(InputError, StructureError, NoPoseError):
            found = _begun(mechanism, values, limit, t, users, engine)
            if found is not None and _is_dead(found[0], t, found[1]):
                return found
    return None


def _near(mechanism: Mechanism, t: float) -> Iterator[tuple[Mapping[str, float], float]]:
    """Yield values of the free coordinates in poses near the start, and how much faster others have to move there.

    From a sketch that is near, other coordinates lead to the start at once; its own take long, and only come near.
    """
    sketch = {id: drive.start for id, drive in mechanism.drivers.items() if drive.law is None}
    if mechanism.initial_data and sketch:
        yield sketch, LIMIT
        yield initial_conditions(mechanism, t).values, DEAD


def _begun(
    mechanism: Mechanism, values: Mapping[str, float], limit: float, t: float, users: Sequence[UserLoad], engine: str
) -> tuple[Partitioned, Floats, tuple[Correction, ...]] | None:
    """Return what `at_dead_point` does, in coordinates that are good at these values of its own; None if these are."""
    near = _motion(mechanism, t, values)
    exchanged = _exchanged(near, values, limit, t)
    if not exchanged or exchanged.keys() & mechanism.initial.keys():
        return None
    near, turned = with_turns(near)
    drives = [exchanged.get(id, drive) for id, drive in mechanism.drivers.items()]
    other = driven_by(mechanism, drives).posed(pose_of(near, -1))
    found = exact_conditions(other, t)
    bodies = mass_table(mechanism)
    own = Reduced(mechanism, compile_plan(mechanism), bodies, users, engine=engine)
    new = Reduced(other, compile_plan(other), bodies, users, mechanism, engine=engine)
    begin(new, found.values | {new.order[k]: at_time(law, t)[0] for k, law in new.prescribed})
    new.before = new.begun = own.begun = turned
    new.impacts = own.impacts
    return Partitioned(own, new), np.array([*found.values.values(), *found.speeds.values()]), found.corrections


def _is_dead(equations: Partitioned, t: float, y: Floats) -> bool:
    """Return whether the mechanism's own coordinates, or several together, hardly move with the present ones."""
    own, new = equations.own, equations.current
    slots = new.slots(t, y)
    if slots is None:
        return False
    drives = [drive for drive in own.mechanism.drivers.values() if drive.law is None]
    rates = DriverCoordinates.of_plan(own.mechanism, drives, new.plan).rates(slots[0], slots[1].T)
    scaled = rates * new.lengths[new.free] / own.lengths[own.free][:, None]
    return float(np.linalg.svd(scaled, compute_uv=False)[-1]) * DEAD < 1


def _motion(mechanism: Mechanism, t: float, values: Mapping[str, float], moving: str = "") -> Motion:
    """Return a pose; one of the free coordinates may move at a unit rate."""
    states = {id: (value, float(id == moving)) for id, value in values.items()}
    return solve_groups(mechanism, drivers=drivers_at(mechanism, t, states))


def _exchanged(near: Motion, values: Mapping[str, float], limit: float, t: float) -> dict[str, DriverCoordinate]:
    """Return which joints replace free coordinates, by id, where these move so much slower in a pose at such values."""
    mechanism = near.mechanism
    joints = joint_coordinates(mechanism)
    read = DriverCoordinates.of_plan(mechanism, joints.values(), near.plan)
    x, still = near.lanes.x[:2, :, 0]
    K = np.stack([_motion(mechanism, t, values, id).lanes.x[1, :, 0] - still for id in values], axis=1)
    lengths = np.array([mechanism.drivers[id].unit(mechanism.size) for id in values])
    units = np.array([drive.unit(mechanism.size) for drive in joints.values()])
    found = exchanges(read.rates(x, K) * lengths / units[:, None], limit)
    ids, drives = list(values), list(joints.values())
    return {ids[index]: drives[joint] for index, joint in found.items()}
