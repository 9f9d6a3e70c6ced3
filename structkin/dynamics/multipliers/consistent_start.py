"""The start of a simulation with multipliers: consistent coordinates and rates in the chosen family."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from structkin.dynamics.equations_of_motion import EquationsOfMotion
from structkin.dynamics.initial import drivers_at, no_pose
from structkin.dynamics.multipliers.masses import LINEAR
from structkin.dynamics.multipliers.multiplier_equations import Multipliers
from structkin.dynamics.multipliers.stabilisation import Stabilisation
from structkin.dynamics.reduced.reduced_equations import Reduced
from structkin.dynamics.start import initial_state, with_turns
from structkin.dynamics.user_loads import UserLoad
from structkin.global_methods.families import Coordinates
from structkin.model.mechanism import Mechanism
from structkin.model.near import near, put_back
from structkin.types import Floats


def global_start(
    mechanism: Mechanism,
    family: str,
    stabilisation: Stabilisation,
    loads: Sequence[UserLoad],
    t: float,
    *,
    formulation: str,
    known: tuple[Reduced, Floats] | None = None,
) -> tuple[Multipliers, Floats]:
    """Return the equations and the state y = (q, q') at the time t, from the groups' closed pose and velocities.

    At a dead point of the mechanism's own coordinates the start is `known` in others. Places are counted from the
    middle of the mechanism, if that is far from the origin. Raises `InputError` where the start is out of reach or
    singular.
    """
    drawn, mechanism = mechanism, near(mechanism)
    equations = Multipliers(mechanism, family, stabilisation, loads, formulation=formulation, drawn=drawn)
    of: EquationsOfMotion = equations if known is None else known[0]
    source = mechanism if known is None else known[0].mechanism
    state = np.array(initial_state(mechanism, equations)) if known is None else known[1]
    ids = [of.order[k] for k in of.free]
    drivers = drivers_at(source, t, dict(zip(ids, zip(*state.reshape(2, -1).tolist(), strict=True), strict=True)))
    first = source.solve(drivers=drivers)
    if not first.regular[0]:
        raise no_pose(first)
    c = equations.coordinates
    parts = [(first.position, 0), (first.velocity, 1)]
    X, dX = (
        np.concatenate([_frame(read(0j, link)[0], read(1 + 0j, link)[0]) for link in c.links])[:, None]
        for read, _ in parts
    )
    put_back(X, source, mechanism)
    turns = with_turns(first)[1]
    if known is not None:
        # They count from the pose where its coordinates were chosen.
        turns = {link: turn + known[0].begun[link] for link, turn in turns.items()}
    # Frames do not contain the whole turns of gears: a motion from the sketch counts them.
    if c.turned and known is None:
        q = _tracked_start(mechanism, family, drivers)
    else:
        q = c.from_frames(X, {link: np.array([turns[link]]) for link in c.turned})
    y = np.concatenate((q[:, 0], _rates(c, q, dX)))
    equations.begin(t, y, turns)
    return equations, y


def _tracked_start(mechanism: Mechanism, family: str, drivers: Mapping[str, Any]) -> Floats:
    """Return the coordinates (n, 1) of a start that a global method has reached from the sketch."""
    found = mechanism.solve(drivers=dict(drivers), method="global", coordinates=family)
    statistics = found.statistics
    if not found.regular[0] or statistics is None:
        raise no_pose(found)
    return statistics.q[:, [0]]


def _frame(origin: Floats, ahead: Floats) -> Floats:
    """Return O and U, or their rates, from two points of a link."""
    return np.concatenate((origin, ahead - origin))


def _rates(c: Coordinates, q: Floats, dX: Floats) -> Floats:
    """Return the rates (n,) for given rates of the frames: X_q v = X', solved by its normal equations."""
    if c.family in LINEAR:
        # A point's coordinates are linear in the frames, so its rates follow likewise; counted turns are at the end.
        v, U = c.from_frames(dX), c.frames(q).reshape(-1, 4)[:, 2:]
        turned = [c.links.index(link) for link in c.turned]
        dU = dX.reshape(-1, 4)[turned, 2:]
        v[c.n - len(turned) :, 0] = U[turned, 0] * dU[:, 1] - U[turned, 1] * dU[:, 0]
        return np.asarray(v[:, 0])
    from scipy.sparse import csc_array
    from scipy.sparse.linalg import splu

    rows, columns, entries = c.frame_map(q)
    unit = np.tile([1.0, 1.0, *[c.size] * 2], len(c.links))
    matrix = csc_array((entries[:, 0] * unit[rows], (rows, columns)), shape=(len(dX), c.n))
    return np.asarray(splu(csc_array(matrix.T @ matrix)).solve(matrix.T @ (unit * dX[:, 0])))
