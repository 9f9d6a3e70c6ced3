"""The reduced equations in the coordinates that describe the motion best, whichever joints these belong to.

Between steps the rates of all joints by the present coordinates are checked (`partition`). Where a joint has become
much faster than a coordinate, joints replace the coordinates, and the mechanism is decomposed with them as its drivers,
in its present pose. Pose and velocities do not change, nor do the laws of prescribed drivers.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any

import numpy as np

from structkin.dynamics.driver_coordinates import DriverCoordinates, given_efforts
from structkin.dynamics.equations_of_motion import EquationsOfMotion
from structkin.dynamics.reduced.partition import LIMIT, STUCK, exchanges, joint_coordinates, scales
from structkin.dynamics.reduced.pose import NoPoseError
from structkin.dynamics.reduced.reduced_equations import Instant, Reduced
from structkin.dynamics.start import begin
from structkin.errors import InputError, StructureError
from structkin.global_methods.frame_plan import Solved, fill, frame_plan
from structkin.model.parts import DriverCoordinate, SketchPose
from structkin.model.posed import driven_by
from structkin.numerical_tolerances import SAME_SOLVED
from structkin.plan.plan import Plan
from structkin.plan.status import Status
from structkin.solve.engine import Lanes
from structkin.solve.special_geometry import compile_plan
from structkin.types import Floats


@dataclass(frozen=True)
class Recorded:
    """Everything recorded at one time: an `instant` of the mechanism's own coordinates, where these are in use.

    Also the frames X (3, 4 links) of all links with two rates, their turns since the sketch (links,), and z (f, 3) and
    `effort` (f,) of the mechanism's own drivers.
    """

    instant: Instant | None
    X: Floats
    turns: Floats
    z: Floats
    effort: Floats


class Partitioned(EquationsOfMotion):
    """The equations of a mechanism, in one choice of coordinates after another.

    The state is y = (z_f, z_f'): the present coordinates and their rates.
    """

    def __init__(self, own: Reduced, current: Reduced | None = None) -> None:
        """Begin in the mechanism's own coordinates, or in others that are `current`."""
        super().__init__(own.mechanism, own.users)
        self.own, self.current = own, current or own
        self.plan, self.impacts = own.plan, own.impacts
        self._joints = joint_coordinates(own.mechanism)
        self._units = np.array([drive.unit(own.size) for drive in self._joints.values()])
        self._coordinates = DriverCoordinates.of_plan(own.mechanism, self._joints.values(), self.current.plan)
        self._past, self._refused = 0, set[frozenset[str]]()

    # --- the equations ------------------------------------------------------------------------------------

    def __call__(self, t: float, y: Floats) -> Floats:
        """Return the rate of the state; `NoPoseError` where there is none."""
        return self.current(t, y)

    @property
    def evaluations(self) -> int:
        """How often the equations were evaluated, in all coordinates."""
        return self._past + self.current.evaluations

    def energies(self, t: float, y: Floats) -> tuple[float, float]:
        """Return the kinetic energy [J] and its rate [W]."""
        return self.current.energies(t, y)

    def advance(
        self, method: str, start: float, end: float, begin: int, count: int, last: int, y: Floats, *limits: float
    ) -> tuple[int, Floats]:
        """Take steps of a fixed length, as `Reduced.advance` does.

        None with contacts or users' functions: these are checked after each step.
        """
        if self.contacts or self.users:
            return begin, y
        return self.current.advance(method, start, end, begin, count, last, y, *limits)

    # --- between steps ------------------------------------------------------------------------------------

    @property
    def measures(self) -> Floats:
        """The scales of the coordinates of the state (free,): a radian, or the mechanism's size."""
        return self.current.measures

    def longest_step(self, t: float, y: Floats) -> float:
        """Return the longest step [s] from a state within which all poses are found, and no lift is passed over."""
        return self.current.longest_step(t, y)

    def passes(self, t: float, y: Floats, step: float) -> bool:
        """Return whether the step [s] to a state has passed over a lift of a cam or a bend of a slot."""
        return self.current.passes(t, y, step)

    def touch(self, t: float, y: Floats) -> None:
        """Write how bodies touch, and how fast joints with friction move, at a state."""
        self.current.touch(t, y)

    def struck(self, t: float, y: Floats, jumps: Mapping[str, float]) -> Floats:
        """Return the state behind jumps of the rates of prescribed drivers, by their ids."""
        return self.current.struck(t, y, jumps)

    @property
    def mem(self) -> Any:
        """The arrays of the present coordinates."""
        return self.current.mem

    def change(self, t: float, y: Floats, *, stuck: bool = False) -> Floats | None:
        """Return the state in other coordinates, if these describe the motion better from here; None if not.

        This changes the state variables of the equations. `stuck`: a step from here has reached no pose.
        """
        slots = self.current.slots(t, y)
        if slots is None:
            return None
        x, K = slots
        joints, drives = list(self._joints.values()), list(self.current.mechanism.drivers.values())
        free = [drives[k].kind == "distance" for k in self.current.free]
        lengths = scales(self.current.lengths[self.current.free], np.where(free, y[: len(free)], np.inf))
        units = scales(self._units, self._coordinates.distances(x))
        found = exchanges(self._coordinates.rates(x, K.T) * lengths / units[:, None], STUCK if stuck else LIMIT)
        if not found:
            return None
        for index, joint in found.items():
            drives[self.current.free[index]] = joints[joint]
        ids = frozenset(drive.id for drive in drives)
        if ids in self._refused:
            return None
        try:
            return self._driven_by(drives, t, y)
        except (InputError, StructureError, NoPoseError):
            # Only special geometry makes these independent, or their structure does not reproduce this pose.
            self._refused.add(ids)
            return None

    def _driven_by(self, drives: list[DriverCoordinate], t: float, y: Floats) -> Floats:
        """Continue in other coordinates, and return the state in them."""
        old, own = self.current, self.own
        instant = old.at(t, y)
        x = instant.x[:, :, 0]
        X, turned = old.frames(x)[0], old.turns(instant.z, x[0], instant.turns)
        # The mechanism's own drivers keep their whole turns, also where they become coordinates again.
        values = dict(zip(old.order, instant.z[:, 0].tolist(), strict=True))
        values |= dict(zip(self.order, old.own_drivers(instant.z, x, turned)[:, 0].tolist(), strict=True))
        pose = self._pose(X, {drive.id: values[drive.id] for drive in drives if drive.id in values})
        mechanism = driven_by(own.mechanism, drives).posed(pose)
        new = Reduced(mechanism, compile_plan(mechanism), own.bodies, own.users, own.mechanism, engine=own.engine)
        starts = {id: drive.start for id, drive in mechanism.drivers.items()}
        begin(new, starts)
        new.before, new.begun, new.impacts = turned, own.begun, own.impacts
        speeds = DriverCoordinates.of_plan(mechanism, mechanism.drivers.values(), old.plan).rates(x[0], x[1])
        changed = np.concatenate((np.array([*starts.values()])[new.free], speeds[new.free]))
        there = new.frames(new.at(t, changed).x[:, :, 0])[0]
        if np.max(np.abs(there - X)) > SAME_SOLVED * max(own.size, 1.0):
            raise NoPoseError(t, Status.SINGULAR, -1)
        self._past += old.evaluations
        self.current = new
        self._coordinates = DriverCoordinates.of_plan(own.mechanism, self._joints.values(), new.plan)
        return changed

    def _pose(self, X: Floats, starts: Mapping[str, float]) -> SketchPose:
        """Return the pose of the frames X (4 links,) as a sketch; `starts` are values of drivers that are kept."""
        mechanism = self.own.mechanism
        ground = mechanism.links[mechanism.topology.ground]
        frames = {ground.name: (ground.origin, ground.direction)}
        for link, (a, b, c, d) in zip(self.own.links, X.reshape(-1, 4).tolist(), strict=True):
            frames[link] = complex(a, b), complex(c, d) / abs(complex(c, d))
        points = {
            point: origin + direction * place
            for link, (origin, direction) in frames.items()
            for point, place in mechanism.links[link].local.items()
        }
        return SketchPose(points, frames, starts)

    # --- what is recorded----------------------------------------------------------------------------------

    def preserved(self) -> AbstractContextManager[None]:
        """Continue afterwards from the state of the solvers before, whatever is evaluated within."""
        return self.current.preserved()

    def recorded(self, t: float, y: Floats) -> Recorded:
        """Return everything at a time and state that is recorded."""
        current, own = self.current, self.own
        instant = current.recorded(t, y)
        x = instant.x[:, :, 0]
        z, effort, turned = instant.z, instant.effort, current.turns(instant.z, x[0], instant.turns)
        if current.own is not current.mechanism:
            z, given = current.own_drivers(z, x, turned), given_efforts(own.mechanism, self.order, t)
            needed = dict(zip(current.order, effort, strict=True))
            effort = np.array([given[k] if k in self.free else needed[id] for k, id in enumerate(self.order)])
        turns = np.array([turned[link] for link in own.links])
        return Recorded(instant if current.plan is self.plan else None, current.frames(x), turns, z, effort)

    def motion_of(
        self, kept: Sequence[Recorded], drivers: Mapping[str, Floats]
    ) -> tuple[Sequence[str], Plan, Lanes, dict[str, Any]]:
        """Return the links, and the slots of the mechanism's own plan, or the frames of all links.

        The former where all times were reached in its own coordinates; the latter do not depend on the choice of these.
        """
        links, instants = self.own.links, [one.instant for one in kept if one.instant is not None]
        if len(instants) == len(kept):
            return self.own.motion_of(instants, drivers)
        plan = frame_plan(self.mechanism)
        X, dX, ddX = (np.stack([one.X[order] for one in kept], axis=-1) for order in range(3))
        U, dU, ddU = (part.reshape(len(links), 4, -1)[:, 2:] for part in (X, dX, ddX))
        omega, alpha = (U[:, 0] * d[:, 1] - U[:, 1] * d[:, 0] for d in (dU, ddU))
        turns = np.stack([one.turns for one in kept], axis=1), omega, alpha
        solved = Solved(tuple(links), (X, dX, ddX), tuple(links), turns)
        return links, plan, fill(plan, self.mechanism, solved, drivers), {}
