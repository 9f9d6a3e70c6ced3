"""The result of a simulation with multipliers: a `Simulation` whose frames are those of the coordinates."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from structkin.dynamics.multipliers.equations import GlobalInstant, Multipliers
from structkin.dynamics.multipliers.joint_forces import JointForces, has_higher_pairs
from structkin.dynamics.multipliers.kkt import Kkt
from structkin.dynamics.simulation import Integration, Simulation
from structkin.errors import InputError, Problem
from structkin.global_methods.families import constraints
from structkin.global_methods.frame_plan import Solved, fill
from structkin.model.topology import pin_of

Floats = NDArray[np.float64]


def global_simulation(
    equations: Multipliers,
    times: Floats,
    instants: Sequence[GlobalInstant],
    integration: Integration,
    stopped: str,
    impacts: Mapping[str, Floats],
) -> Simulation:
    """Return the simulation of the kept instants; `InputError` where there is none."""
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
    needed = np.stack([instant.needed for instant in instants], axis=1)
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
        make_joints=lambda motion: _joints(equations, motion, X, needed),
    )


def _joints(equations: Multipliers, motion: Simulation, X: Floats, needed: Floats) -> JointForces:
    """Return the forces of joints, from the multipliers themselves or by way of the fully Cartesian rows."""
    c, pushes = equations.coordinates, _pushes(equations, motion)
    z = np.array([motion.drivers[id][0] for id in c.drivers]).reshape(-1, len(motion))
    assert motion.multipliers is not None and motion.q is not None
    if c.family in ("reference-point", "fully-cartesian") or has_higher_pairs(equations.mechanism):
        return JointForces(motion, c, motion.q.T, z, motion.multipliers.T, equations.kkt.redundant, pushes)
    full = constraints(equations.mechanism, "fully-cartesian", drivers=c.drivers, structure=equations.plan.structure)
    order = np.array([4 * c.links.index(link) + part for link in full.links for part in range(4)])
    q, diagonal = full.from_frames(X[order]), np.arange(full.n)
    # With a unit matrix for M this is a problem of least squares: the multipliers whose forces are nearest.
    kkt = Kkt(full, (diagonal, diagonal), full.m - (full.n - len(equations.free)), equations.kkt.sparse)
    entries, nothing = full.jacobian(q, z), np.zeros(full.m)
    units = full.column_units**-2.0
    found = [kkt.factor(units, entries[:, k]).solve(-needed[order, k], nothing)[1] for k in range(len(motion))]
    return JointForces(motion, full, q, z, np.stack(found, axis=1), kkt.redundant, pushes)


def _pushes(equations: Multipliers, motion: Simulation) -> dict[tuple[str, str], Floats]:
    """Return what free drivers put on links at pins that they are attached to, by (pin, link)."""
    found: dict[tuple[str, str], Floats] = {}
    mechanism = equations.mechanism
    attached = {driver.id: driver.links for driver in mechanism.topology.drivers}
    for k in equations.free:
        drive = mechanism.drivers[equations.order[k]]
        if drive.ends is None:
            continue
        (a, p), (b, r) = drive.ends
        way = motion.position(mechanism.links[b].local[r], b) - motion.position(mechanism.links[a].local[p], a)
        push = motion.efforts[drive.id] * (way / np.hypot(way[:, 0], way[:, 1])[:, None]).T
        for end, (link, pin), force in zip(attached[drive.id], drive.ends, (-push, push), strict=True):
            if pin_of(end) is not None:
                found[pin, link] = found.get((pin, link), 0.0) + force
    return found
