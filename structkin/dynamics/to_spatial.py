"""A planar mechanism, in its state at time 0, as a model of bodies and joints in space."""

from __future__ import annotations

import numpy as np

from structkin.dynamics.initial import initial_conditions
from structkin.dynamics.start import with_coordinates, with_turns
from structkin.errors import InputError, Problem
from structkin.model.mechanism import Mechanism
from structkin.multibody.model import SpatialModel
from structkin.multibody.planar import PlanarState, spatial_model
from structkin.solve.solve_groups import solve_groups


def to_spatial(mechanism: Mechanism, *, drivers: str) -> SpatialModel:
    """Return a planar mechanism as a model in space; see `Mechanism.to_spatial`."""
    title = mechanism.title or "mechanism"
    if drivers not in ("refuse", "free"):
        raise InputError([Problem("drivers", f"'{drivers}' is unknown", "known: refuse, free")], title)
    laws = {id: drive.law for id, drive in mechanism.drivers.items() if drive.law is not None}
    if laws and drivers == "refuse":
        hint = 'drivers="free" lets it move freely, from the value and the rate of its law'
        message = "a driver with a law has no counterpart in space"
        raise InputError([Problem(f"drivers.{id}", message, hint) for id in laws], title)
    whole = with_coordinates(mechanism)
    found = initial_conditions(whole)
    start = {id: ([value], [found.speeds[id]], [0.0]) for id, value in found.values.items()}
    for id, law in laws.items():
        value, rate, _ = law(np.zeros(1))
        start[id] = ([float(value[0])], [float(rate[0])], [0.0])
    motion = solve_groups(whole, drivers=start)
    _, turns = with_turns(motion)
    states = {}
    for link in whole.links:
        place, velocity = (reader(0j, link)[0] for reader in (motion.position, motion.velocity))
        angle, omega = float(motion.angle(link)[0]), float(motion.omega(link)[0])
        states[link] = PlanarState(complex(*place), complex(np.exp(1j * angle)), complex(*velocity), omega, turns[link])
    if not all(np.isfinite([s.origin, s.direction, s.velocity, s.omega]).all() for s in states.values()):
        raise InputError([Problem("initial", "there is no regular pose at time 0", "see `structkin check`")], title)
    return spatial_model(whole, states)
