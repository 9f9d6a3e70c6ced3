"""The masses of a mechanism, as dynamics needs them."""

from __future__ import annotations

from dataclasses import dataclass

from structkin.errors import InputError, Problem
from structkin.model.mechanism import GROUND, Mechanism


@dataclass(frozen=True, slots=True)
class Body:
    """A moving link: mass [kg], centre of mass in its frame [m], inertia about the centre [kg m^2]."""

    link: str
    mass: float
    center: complex
    inertia: float


def mass_table(mechanism: Mechanism) -> tuple[Body, ...]:
    """Return all moving links with their masses, in the user's order; a link without a mass has none.

    Raises `InputError` that lists every link with a mass and no centre.

    >>> import structkin as sk
    >>> m = sk.Mechanism(points={"A": (0, 0), "B": (2, 0)}, drivers={"motor": {"joint": "A", "speed": 1}},
    ...                  links={"ground": ["A"], "bar": {"points": ["A", "B"], "shape": "rod", "mass": 3}})
    >>> mass_table(m)
    (Body(link='bar', mass=3.0, center=(1+0j), inertia=1.0),)
    """
    problems = [
        Problem(f"links.{name}", "has a mass, but no centre of mass", "give center = [x, y], or a shape")
        for name, link in mechanism.links.items()
        if link.mass and link.center is None and name != GROUND
    ]
    if problems:
        raise InputError(problems, mechanism.title or "mechanism")
    return tuple(
        Body(name, link.mass or 0.0, link.center or 0j, link.inertia or 0.0)
        for name, link in mechanism.links.items()
        if name != GROUND
    )
