"""The result of a simulation by the reduced equations: a `Simulation` of the poses that were come to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from structkin.dynamics.reduced.equations import Instant, Reduced
from structkin.dynamics.simulation import Integration, Simulation
from structkin.kinematics.engine import Around, Lanes

Floats = NDArray[np.float64]


def reduced_simulation(
    equations: Reduced,
    times: Floats,
    kept: Sequence[Instant],
    integration: Integration,
    stopped: str,
    impacts: Mapping[str, Floats],
) -> Simulation:
    """Return the simulation of the kept instants, of which there is one at least."""
    n = len(kept)
    x = np.concatenate([instant.x for instant in kept], axis=2)
    z = np.stack([instant.z for instant in kept], axis=-1)
    efforts = np.stack([instant.effort for instant in kept], axis=-1)
    flat = [k for k, instant in enumerate(kept) if instant.around is not None]
    around = None
    if flat:
        around = Around(np.array(flat), np.concatenate([kept[k].around for k in flat], axis=1))
    least = np.full(len(equations.plan.steps), np.inf)
    lanes = Lanes(x, np.zeros(n, np.int8), np.full(n, -1, np.int32), least, around)
    return Simulation(
        equations.mechanism,
        equations.plan,
        times[:n],
        dict(zip(equations.order, z, strict=True)),
        lanes,
        efforts=dict(zip(equations.order, efforts, strict=True)),
        free=tuple(equations.order[k] for k in equations.free),
        integration=integration,
        stopped=stopped,
        loads=equations.users,
        counted={link: np.array([instant.turns[k] for instant in kept]) for k, link in enumerate(equations.counted)},
        impacts=impacts,
    )
