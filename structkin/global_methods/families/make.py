"""The families of coordinates by name; two of them, which have the same slots for all links, are written here."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from structkin.errors import Problem, raise_problems
from structkin.global_methods.families.angular import AngularCoordinates
from structkin.global_methods.families.natural import natural
from structkin.global_methods.families.polynomial import PolynomialCoordinates, Variable
from structkin.global_methods.families.relative import relative
from structkin.global_methods.families.rows import Writer, solve_places
from structkin.global_methods.families.system import Coordinates
from structkin.global_methods.families.tree import Branch, Tree
from structkin.model.mechanism import Mechanism
from structkin.model.topology import suggest
from structkin.rows.affine import FIXED, frames_in_slots
from structkin.solve import structure_of
from structkin.structure import KinematicStructure


def reference_point(mechanism: Mechanism, structure: KinematicStructure, drivers: Sequence[str]) -> AngularCoordinates:
    """Return q = (phi, x, y) of every moving link in solve order (S1 eqs. 22-23); x, y is the link's first point."""
    place = solve_places(mechanism, structure)
    links = sorted(mechanism.topology.moving_links, key=place.__getitem__)
    free = ((True, 1 + 0j), (True, 1j))
    tree = Tree([Branch(link, -1, 0j, 0j, 0.0, True, free) for link in links])
    frames = frames_in_slots(links)
    writer = Writer(
        mechanism, place, {mechanism.topology.ground: FIXED, **frames},
        angles=True, size=mechanism.size,
    )  # fmt: skip
    writer.write({id: mechanism.drivers[id] for id in drivers})
    bodies = [mechanism.links[link] for link in links]
    sketch = [x for body in bodies for x in (np.angle(body.direction), body.origin.real, body.origin.imag)]
    names = [f"{link}.{part}" for link in links for part in ("phi", "x", "y")]
    return AngularCoordinates("reference-point", tree, names, np.array(sketch), writer, drivers, {})


def fully_cartesian(
    mechanism: Mechanism, structure: KinematicStructure, drivers: Sequence[str]
) -> PolynomialCoordinates:
    """Return q = (O_x, O_y, U_x, U_y) of every moving link (S0 eqs. 1-5 and Tab. 1; O is the link's first point).

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


FAMILIES: Mapping[str, Callable[[Mechanism, KinematicStructure, Sequence[str]], Coordinates]] = {
    "natural": natural,
    "reference-point": reference_point,
    "fully-cartesian": fully_cartesian,
    "relative": relative,
}


def constraints(
    mechanism: Mechanism,
    family: str = "natural",
    *,
    drivers: Sequence[str] | None = None,
    structure: KinematicStructure | None = None,
) -> Coordinates:
    """Return the equations of a mechanism in one family of coordinates; see `Mechanism.constraints`."""
    problems = []
    if family not in FAMILIES:
        problems.append(Problem("coordinates", f"'{family}' is unknown", suggest(family, FAMILIES)))
    chosen = tuple(mechanism.drivers if drivers is None else drivers)
    problems += [
        Problem(f"drivers.{id}", "is not a driver of this mechanism", suggest(id, mechanism.drivers))
        for id in chosen
        if id not in mechanism.drivers
    ]
    raise_problems(problems, mechanism.title or "mechanism")
    return FAMILIES[family](mechanism, structure or structure_of(mechanism), chosen)
