"""The masses of a mechanism, as dynamics needs them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from structkin.errors import Problem, raise_problems
from structkin.model.mechanism import GROUND, Mechanism
from structkin.rows.affine import Affine, Frame


@dataclass(frozen=True, slots=True)
class Body:
    """A moving link: mass [kg], centre of mass in its frame [m], inertia about the centre [kg m^2]."""

    link: str
    mass: float
    center: complex
    inertia: float


def moving_masses(bodies: Iterable[Body], frames: Mapping[str, Frame]) -> list[tuple[float, Affine]]:
    """Return masses with the centres of mass, and inertias with the directions, that they move with.

    Twice the kinetic energy is the sum of each times the square of the rate: a direction turns on the unit circle.
    """
    return [
        (size, expression)
        for body in bodies
        for size, expression in (
            (body.mass, frames[body.link].point(body.center)),
            (body.inertia, frames[body.link].direction),
        )
        if size
    ]


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
    raise_problems(problems, mechanism.title or "mechanism")
    return tuple(
        Body(name, link.mass or 0.0, link.center or 0j, link.inertia or 0.0)
        for name, link in mechanism.links.items()
        if name != GROUND
    )
