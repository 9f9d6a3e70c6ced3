"""A start at a dead point of the coordinates, where these tell neither the pose exactly nor the rates of the links.

There data of points and links do, in other coordinates: these are chosen next to the start, as within a simulation.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from structkin.dynamics.bodies import mass_table
from structkin.dynamics.driver_coordinates import DriverCoordinates
from structkin.dynamics.initial import Correction, drivers_at, initial_conditions
from structkin.dynamics.reduced.partition import exchanges, joint_coordinates
from structkin.dynamics.reduced.partitioned import Partitioned
from structkin.dynamics.reduced.pose import RATE_LIMIT
from structkin.dynamics.reduced.reduced_equations import Reduced
from structkin.dynamics.start import begin, pose_of, with_turns
from structkin.dynamics.user_loads import UserLoad
from structkin.model.forces import InitialState
from structkin.model.laws import at_time
from structkin.model.mechanism import Mechanism
from structkin.model.parts import DriverCoordinate
from structkin.model.posed import driven_by
from structkin.solve.motion.motion import Motion
from structkin.solve.solve_groups import solve_groups
from structkin.solve.special_geometry import compile_plan
from structkin.types import Floats

#: A coordinate is at a dead point where a joint moves this many times faster, made dimensionless. From `RATE_LIMIT` on
#: the equations refuse it, by a measure of their own.
DEAD = 0.1 * RATE_LIMIT


def at_dead_point(
    mechanism: Mechanism, near: Mapping[str, InitialState], t: float, users: Sequence[UserLoad], engine: str
) -> tuple[Partitioned, Floats, tuple[Correction, ...]] | None:
    """Return equations in other coordinates, their first state, and the corrections made; None at no dead point.

    The mechanism has all its drivers; `near` are the states of the free ones that meet [initial] as well as these can.
    None also where nothing is given but values and speeds of drivers, or where such data belong to a coordinate that is
    at its dead point. Raises `InputError` as `initial_conditions` does.
    """
    values = {id: state.value for id, state in near.items() if state.value is not None}
    if not mechanism.initial_data or not values:
        return None
    begun = _motion(mechanism, t, values)
    exchanged = _exchanged(begun, values, t)
    if not exchanged or exchanged.keys() & mechanism.initial.keys():
        return None
    begun, turned = with_turns(begun)
    drives = [exchanged.get(id, drive) for id, drive in mechanism.drivers.items()]
    other = driven_by(mechanism, drives).posed(pose_of(begun, -1))
    found = initial_conditions(other, t)
    bodies = mass_table(mechanism)
    own = Reduced(mechanism, compile_plan(mechanism), bodies, users, engine=engine)
    new = Reduced(other, compile_plan(other), bodies, users, mechanism, engine=engine)
    begin(new, found.values | {new.order[k]: at_time(law, t)[0] for k, law in new.prescribed})
    new.before = new.begun = own.begun = turned
    new.impacts = own.impacts
    return Partitioned(own, new), np.array([*found.values.values(), *found.speeds.values()]), found.corrections


def _motion(mechanism: Mechanism, t: float, values: Mapping[str, float], moving: str = "") -> Motion:
    """Return a pose; one of the free coordinates may move at a unit rate."""
    states = {id: (value, float(id == moving)) for id, value in values.items()}
    return solve_groups(mechanism, drivers=drivers_at(mechanism, t, states))


def _exchanged(begun: Motion, values: Mapping[str, float], t: float) -> dict[str, DriverCoordinate]:
    """Return which joints replace the free coordinates that are at a dead point in a pose at these values, by id."""
    mechanism = begun.mechanism
    joints = joint_coordinates(mechanism)
    read = DriverCoordinates.of_plan(mechanism, joints.values(), begun.plan)
    x, still = begun.lanes.x[:2, :, 0]
    K = np.stack([_motion(mechanism, t, values, id).lanes.x[1, :, 0] - still for id in values], axis=1)
    lengths = np.array([mechanism.drivers[id].unit(mechanism.size) for id in values])
    units = np.array([drive.unit(mechanism.size) for drive in joints.values()])
    found = exchanges(read.rates(x, K) * lengths / units[:, None], DEAD)
    ids, drives = list(values), list(joints.values())
    return {ids[index]: drives[joint] for index, joint in found.items()}
