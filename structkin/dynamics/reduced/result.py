"""The result of a simulation by the reduced equations: a `Simulation` of the poses that were reached."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from structkin.dynamics.reduced.equations import Instant
from structkin.dynamics.reduced.partitioned import Partitioned, Recorded
from structkin.dynamics.simulation import Integration, Simulation
from structkin.global_methods.frame_plan import Solved, fill, frame_plan
from structkin.plan.plan import Plan
from structkin.solve.engine import ContourPoses, Lanes
from structkin.solve.special_geometry import structure_of

Floats = NDArray[np.float64]


def reduced_simulation(
    equations: Partitioned,
    times: Floats,
    kept: Sequence[Recorded],
    integration: Integration,
    stopped: str,
    impacts: Mapping[str, Floats],
) -> Simulation:
    """Return the simulation of the recorded times, at least one.

    Where all of them were reached in the mechanism's own coordinates, it holds the slots of their plan, else the frames
    of all links, which do not depend on the choice of coordinates.
    """
    drivers = dict(zip(equations.order, np.stack([one.z for one in kept], axis=-1), strict=True))
    efforts = np.stack([one.effort for one in kept], axis=-1)
    instants = [one.instant for one in kept if one.instant is not None]
    plan, lanes = _own(equations, instants) if len(instants) == len(kept) else _frames(equations, kept, drivers)
    return Simulation(
        equations.mechanism,
        plan,
        times[: len(kept)],
        drivers,
        lanes,
        efforts=dict(zip(equations.order, efforts, strict=True)),
        free=tuple(equations.order[k] for k in equations.free),
        integration=integration,
        stopped=stopped,
        loads=equations.users,
        counted=dict(zip(equations.own.links, np.stack([one.turns for one in kept], axis=1), strict=True)),
        impacts=impacts,
    )


def _own(equations: Partitioned, instants: Sequence[Instant]) -> tuple[Plan, Lanes]:
    n = len(instants)
    flat = [k for k, instant in enumerate(instants) if instant.around is not None]
    around = None
    if flat:
        around = ContourPoses(np.array(flat), np.concatenate([instants[k].around for k in flat], axis=1))
    x, least = np.concatenate([one.x for one in instants], axis=2), np.full(len(equations.plan.steps), np.inf)
    return equations.plan, Lanes(x, np.zeros(n, np.int8), np.full(n, -1, np.int32), least, around)


def _frames(equations: Partitioned, kept: Sequence[Recorded], drivers: Mapping[str, Floats]) -> tuple[Plan, Lanes]:
    mechanism, links = equations.mechanism, equations.own.links
    plan = frame_plan(mechanism, structure_of(mechanism))
    X, dX, ddX = (np.stack([one.X[order] for one in kept], axis=-1) for order in range(3))
    U, dU, ddU = (part.reshape(len(links), 4, -1)[:, 2:] for part in (X, dX, ddX))
    omega, alpha = (U[:, 0] * d[:, 1] - U[:, 1] * d[:, 0] for d in (dU, ddU))
    turns = np.stack([one.turns for one in kept], axis=1), omega, alpha
    return plan, fill(plan, mechanism, Solved(tuple(links), (X, dX, ddX), tuple(links), turns), drivers)
