"""The result of a simulation: a `Simulation` of the times that were recorded, by either formulation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from structkin.dynamics.multipliers.equations import GlobalInstant, Multipliers
from structkin.dynamics.reduced.equations import Instant
from structkin.dynamics.reduced.partitioned import Partitioned, Recorded
from structkin.dynamics.simulation import Integration, Simulation
from structkin.global_methods.frame_plan import Solved, fill, frame_plan
from structkin.plan.plan import Plan
from structkin.solve.engine import ContourPoses, Lanes
from structkin.solve.special_geometry import structure_of
from structkin.types import Floats


def simulation_of(
    equations: Partitioned | Multipliers,
    times: Floats,
    kept: Sequence[Any],
    integration: Integration,
    stopped: str,
    impacts: Mapping[str, Floats],
) -> Simulation:
    """Return the simulation of the instants that the equations recorded at the first of these times, at least one."""
    mechanism, order = equations.mechanism, equations.order
    drivers = dict(zip(order, np.stack([one.z for one in kept], axis=-1), strict=True))
    links: Sequence[str]
    extra: dict[str, Any] = {}
    if isinstance(equations, Multipliers):
        links, plan = equations.coordinates.links, equations.plan
        lanes, extra = _by_coordinates(equations, kept, drivers)
    else:
        links = equations.own.links
        instants = [one.instant for one in kept if one.instant is not None]
        own = len(instants) == len(kept)
        plan, lanes = _by_slots(equations, instants) if own else _by_frames(equations, kept, drivers)
    return Simulation(
        mechanism,
        plan,
        times[: len(kept)],
        drivers,
        lanes,
        efforts=dict(zip(order, np.stack([one.effort for one in kept], axis=-1), strict=True)),
        free=tuple(order[k] for k in equations.free),
        integration=integration,
        stopped=stopped,
        loads=equations.users,
        counted=dict(zip(links, np.stack([one.turns for one in kept], axis=1), strict=True)),
        impacts=impacts,
        **extra,
    )


def _by_coordinates(
    equations: Multipliers, kept: Sequence[GlobalInstant], drivers: Mapping[str, Floats]
) -> tuple[Lanes, dict[str, Any]]:
    """Return the frames of the coordinates, and what only a formulation with multipliers has."""
    c = equations.coordinates
    X, dX, ddX = (np.stack([one.X[order] for one in kept], axis=1) for order in range(3))
    q, v, a = (np.stack([getattr(one, name) for one in kept], axis=1) for name in "qva")
    turns = c.turns(q), c.turn_rates(v), c.turn_rates(a)
    lanes = fill(equations.plan, equations.mechanism, Solved(c.links, (X, dX, ddX), c.turned, turns), drivers)
    return lanes, {
        "formulation": equations.formulation,
        "coordinates": c,
        "q": q.T,
        "multipliers": np.stack([one.multipliers for one in kept]),
        "redundant": equations.kkt.redundant,
    }


def _by_slots(equations: Partitioned, instants: Sequence[Instant]) -> tuple[Plan, Lanes]:
    """Return the slots of the mechanism's own plan, where all times were reached in its own coordinates."""
    n = len(instants)
    flat = [k for k, instant in enumerate(instants) if instant.around is not None]
    around = None
    if flat:
        around = ContourPoses(np.array(flat), np.concatenate([instants[k].around for k in flat], axis=1))
    x, least = np.concatenate([one.x for one in instants], axis=2), np.full(len(equations.plan.steps), np.inf)
    return equations.plan, Lanes(x, np.zeros(n, np.int8), np.full(n, -1, np.int32), least, around)


def _by_frames(equations: Partitioned, kept: Sequence[Recorded], drivers: Mapping[str, Floats]) -> tuple[Plan, Lanes]:
    """Return the frames of all links, which do not depend on the choice of coordinates."""
    mechanism, links = equations.mechanism, equations.own.links
    plan = frame_plan(mechanism, structure_of(mechanism))
    X, dX, ddX = (np.stack([one.X[order] for one in kept], axis=-1) for order in range(3))
    U, dU, ddU = (part.reshape(len(links), 4, -1)[:, 2:] for part in (X, dX, ddX))
    omega, alpha = (U[:, 0] * d[:, 1] - U[:, 1] * d[:, 0] for d in (dU, ddU))
    turns = np.stack([one.turns for one in kept], axis=1), omega, alpha
    return plan, fill(plan, mechanism, Solved(tuple(links), (X, dX, ddX), tuple(links), turns), drivers)
