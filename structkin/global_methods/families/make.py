"""The families of coordinates by name."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from structkin.errors import InputError, Problem
from structkin.global_methods.families.fully_cartesian import fully_cartesian
from structkin.global_methods.families.natural import natural
from structkin.global_methods.families.reference_point import reference_point
from structkin.global_methods.families.relative import relative
from structkin.global_methods.families.system import Coordinates
from structkin.model.mechanism import Mechanism
from structkin.model.topology import suggest
from structkin.solve import structure_of
from structkin.structure import KinematicStructure

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
    if problems:
        raise InputError(problems, mechanism.title or "mechanism")
    return FAMILIES[family](mechanism, structure or structure_of(mechanism), chosen)
