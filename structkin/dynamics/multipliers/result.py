"""The result of a simulation with multipliers: a `Simulation` whose frames are those of the coordinates."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from structkin.dynamics.multipliers.equations import GlobalInstant, Multipliers
from structkin.dynamics.simulation import Integration, Simulation
from structkin.errors import InputError, Problem
from structkin.global_methods.frame_plan import Solved, fill

Floats = NDArray[np.float64]


def global_simulation(
    equations: Multipliers,
    times: Floats,
    instants: Sequence[GlobalInstant],
    integration: Integration,
    stopped: str,
    impacts: Mapping[str, Floats],
) -> Simulation:
    """Return the simulation of the recorded instants; `InputError` where there is none."""
    mechanism, c = equations.mechanism, equations.coordinates
    if not instants:
        raise InputError([Problem("initial", stopped)], mechanism.title or "simulate")
    n = len(instants)
    X, dX, ddX = (np.stack([instant.X[order] for instant in instants], axis=1) for order in range(3))
    q, v, a = (np.stack([getattr(instant, name) for instant in instants], axis=1) for name in "qva")
    turns = c.turns(q), c.turn_rates(v), c.turn_rates(a)
    z = np.stack([instant.z for instant in instants], axis=-1)
    drivers = dict(zip(equations.order, z, strict=True))
    efforts = np.stack([instant.effort for instant in instants], axis=-1)
    multipliers = np.stack([instant.multipliers for instant in instants], axis=1)
    q = np.stack([instant.q for instant in instants], axis=1)
    return Simulation(
        mechanism,
        equations.plan,
        times[:n],
        drivers,
        fill(equations.plan, mechanism, Solved(c.links, (X, dX, ddX), c.turned, turns), drivers),
        efforts=dict(zip(equations.order, efforts, strict=True)),
        free=tuple(equations.order[k] for k in equations.free),
        integration=integration,
        stopped=stopped,
        loads=equations.users,
        counted=dict(zip(c.links, np.stack([instant.turns for instant in instants], axis=1), strict=True)),
        impacts=impacts,
        formulation=equations.formulation,
        coordinates=c,
        q=q.T,
        multipliers=multipliers.T,
        redundant=equations.kkt.redundant,
    )
