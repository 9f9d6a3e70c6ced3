"""A planar mechanism, in its state at time 0, as a model of bodies and joints in space, and its equations to read."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from structkin.dynamics.initial import drivers_at, initial_conditions
from structkin.dynamics.start import with_coordinates, with_turns
from structkin.errors import InputError, Problem, raise_problems
from structkin.model.mechanism import Mechanism
from structkin.model.parts import Law
from structkin.model.topology import suggest
from structkin.multibody.model import JointLoad, SpatialModel
from structkin.multibody.planar import PlanarState, spatial_model
from structkin.solve.solve_groups import solve_groups

if TYPE_CHECKING:
    from structkin.symbolic.explicit.equations_of_motion import Equations
    from structkin.symbolic.explicit.own import ExplicitLoop


def to_spatial(mechanism: Mechanism, *, drivers: str) -> SpatialModel:
    """Return a planar mechanism as a model in space; see `Mechanism.to_spatial`."""
    title = mechanism.title or "mechanism"
    if drivers not in ("refuse", "free"):
        raise InputError([Problem("drivers", f"'{drivers}' is unknown", "known: refuse, free")], title)
    laws = _laws(mechanism)
    if laws and drivers == "refuse":
        hint = 'drivers="free" lets it move freely, from the value and the rate of its law'
        message = "a driver with a law has no counterpart in space"
        raise InputError([Problem(f"drivers.{id}", message, hint) for id in laws], title)
    whole = with_coordinates(mechanism)
    return spatial_model(whole, _states(whole))[0]


def equations(
    mechanism: Mechanism,
    *,
    free: Collection[str],
    loops: str,
    numbers: bool,
    shared: bool | None,
    independent: Sequence[str],
    ratios: Mapping[str, tuple[str, float]] | None,
    solved: Sequence[ExplicitLoop],
) -> Equations:
    """Return the equations of motion of a planar mechanism; see `Mechanism.equations`."""
    from structkin import symbolic
    from structkin.symbolic.explicit.reduction import Drive

    laws, title = _laws(mechanism), mechanism.title or "mechanism"
    problems = [Problem("free", f"'{id}' is no driver with a law", suggest(id, laws)) for id in free if id not in laws]
    if not any(link.mass or link.inertia for link in mechanism.links.values()):
        hint = 'give masses to links, such as rod = { points = ["A", "B"], shape = "rod", mass = 0.5 }'
        problems.append(Problem("links", "no link has a mass: there is nothing to accelerate", hint))
    if laws and len({*laws} - {*free}) == len(mechanism.drivers) and not problems:
        whole = with_coordinates(mechanism)
        if len(whole.drivers) == len(laws):
            hint = f"free one of them: --free {next(iter(laws))}, in Python free=[{next(iter(laws))!r}]"
            problems.append(Problem("drivers", "every driver has a law: nothing is free to move", hint))
    raise_problems(problems, title)
    whole = with_coordinates(mechanism)
    model, joints = spatial_model(whole, _states(whole), cylinders=True)
    drives = {
        id: Drive(drive.links, joints.get(id), None if id in free else drive.law) for id, drive in whole.drivers.items()
    }
    # Loops are solved where they are cut at pins, and coordinates that are given or that loads need stay in the tree.
    kept = {*joints.values(), *(load.joint for load in model.loads.values() if isinstance(load, JointLoad))}
    cut = {id: replace(j, cut=j.kind == "revolute" and id not in kept) for id, j in model.joints.items()}
    return symbolic.equations(
        replace(model, joints=cut), numbers=numbers, shared=shared, loops=loops, independent=independent,
        ratios=ratios, solved=solved, drives=drives,
    )  # fmt: skip


def _laws(mechanism: Mechanism) -> dict[str, Law]:
    return {id: drive.law for id, drive in mechanism.drivers.items() if drive.law is not None}


def _states(whole: Mechanism) -> dict[str, PlanarState]:
    """Return the state of every link at time 0, with drivers at the values and rates of their laws."""
    found = initial_conditions(whole)
    free = {id: (value, found.speeds[id]) for id, value in found.values.items()}
    motion = solve_groups(whole, drivers=drivers_at(whole, 0.0, free))
    _, turns = with_turns(motion)
    states = {}
    for link in whole.links:
        place, velocity = (reader(0j, link)[0] for reader in (motion.position, motion.velocity))
        angle, omega = float(motion.angle(link)[0]), float(motion.omega(link)[0])
        states[link] = PlanarState(complex(*place), complex(np.exp(1j * angle)), complex(*velocity), omega, turns[link])
    if not all(np.isfinite([s.origin, s.direction, s.velocity, s.omega]).all() for s in states.values()):
        title = whole.title or "mechanism"
        raise InputError([Problem("initial", "there is no regular pose at time 0", "see `structkin check`")], title)
    return states
