"""Friction by a coefficient: it depends on the load of the joint, which depends on the friction."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from structkin.errors import InputError, Problem
from structkin.model.forces import Friction
from structkin.model.mechanism import Mechanism

if TYPE_CHECKING:
    from structkin.dynamics.inverse.kinetostatics import Kinetostatics

Floats = NDArray[np.float64]

#: Rounds of forces and friction; they agree to this part of the largest force.
ROUNDS, AGREES = 200, 1e-12


def by_coefficient(mechanism: Mechanism) -> list[Friction]:
    """Return the frictions given by a coefficient."""
    return [load for load in mechanism.forces.loads.values() if isinstance(load, Friction) and load.coefficient]


def with_friction(found: Kinetostatics, solve: Callable[[Mapping[str, Floats]], Kinetostatics]) -> Kinetostatics:
    """Return the forces consistent with the friction that they cause, starting from those without it.

    `solve` takes the normal forces (n,) of each friction. Each round uses the joint loads of the last one, until
    nothing changes. Raises `InputError` where this does not converge: the mechanism is self-locking, or nearly so.
    """
    rubbing = by_coefficient(found.motion.mechanism)
    if not rubbing:
        return found
    last: dict[str, Floats] | None = None
    for _ in range(ROUNDS):
        normals = {load.id: np.hypot(*found.reaction(load.joint, load.links[1]).T) for load in rubbing}
        if last is not None and _agree(last, normals):
            return found
        found, last = solve(normals), normals
    locked = ", ".join(load.id for load in rubbing)
    raise InputError(
        [Problem(f"forces.{rubbing[0].id}", f"no forces balance with the friction of {locked}", "it locks")],
        found.motion.mechanism.title or "mechanism",
    )


def _agree(old: Mapping[str, Floats], new: Mapping[str, Floats]) -> bool:
    changes = [float(np.max(np.abs(new[id] - old[id]), initial=0.0, where=np.isfinite(new[id]))) for id in new]
    sizes = [float(np.max(np.abs(new[id]), initial=0.0, where=np.isfinite(new[id]))) for id in new]
    return max(changes) <= AGREES * max(sizes)


def pressed(mechanism: Mechanism) -> list[Problem]:
    """Return why a mechanism cannot be simulated: its friction needs forces that the equations do not provide."""
    hint = "give a limit, or the normal force: normal = ..."
    message = "a coefficient alone only works for the forces of a given motion, not for a simulation"
    return [Problem(f"forces.{load.id}", message, hint) for load in by_coefficient(mechanism)]
