"""Fully Cartesian coordinates: a point and a unit vector of every link (S0 eqs. 1-5 and Tab. 1)."""

from __future__ import annotations

from collections.abc import Sequence

from structkin.global_methods.families.polynomial import PolynomialCoordinates, Variable
from structkin.global_methods.families.rows import Writer, solve_places
from structkin.model.mechanism import Mechanism
from structkin.rows.affine import FIXED, frames_in_slots
from structkin.structure import KinematicStructure


def fully_cartesian(
    mechanism: Mechanism, structure: KinematicStructure, drivers: Sequence[str]
) -> PolynomialCoordinates:
    """Return q = (O_x, O_y, U_x, U_y) of every moving link (S0 eq. 1; O is the link's first point).

    The links come in solve order. Rows are constant, linear or quadratic; orientations by dot or cross products. Links
    that gears turn have their turn as one more coordinate, after the others.
    """
    place, size = solve_places(mechanism, structure), mechanism.size
    links = sorted(mechanism.topology.moving_links, key=place.__getitem__)
    frames = frames_in_slots(links)
    writer = Writer(mechanism, place, {mechanism.topology.ground: FIXED, **frames}, angles=False, size=size)
    for link in links:
        writer.unit_vector(link)
    writer.write({id: mechanism.drivers[id] for id in drivers})
    variables = []
    for link in links:
        body = mechanism.links[link]
        variables += [Variable(f"{link}.O", size, body.origin, link, 0j)]
        variables += [Variable(f"{link}.U", 1.0, body.direction, link)]
    return PolynomialCoordinates("fully-cartesian", links, variables, writer, drivers)
