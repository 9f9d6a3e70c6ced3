"""The equilibrium of every link at one sample, written out: equations with symbols and numbers, group by group.

Of each body the forces of its joints and drivers are on the left, and what is known on the right: for a link of mass m
and inertia I, with the loads L on it (springs, forces, friction ...) and moments about its centre of mass G,

    sum f_x = m a_x - m g_x - L_x,   sum f_y = m a_y - m g_y - L_y,   sum M = I alpha - L_M.

A link without a mass has its moments about one of its points. The numbers are those of `Kinetostatics`, bit by bit.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from structkin.dynamics.inverse.columns import unit_wrenches
from structkin.dynamics.inverse.kinetostatics import Kinetostatics, at_samples
from structkin.dynamics.inverse.reverse import ReverseSweep
from structkin.model.topology import pin_of
from structkin.numerical_tolerances import ROUNDING
from structkin.solve import Motion
from structkin.types import Floats

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from structkin.structure import Group

#: The letter of each part of a joint's or driver's force; all others are N, normal to the links.
LETTERS = {"orientation": "M", "angle": "T", "distance": "F", "travel": "F", "tangent": "F", "belt": "T"}
#: The parts of a pin's force along the global axes; its symbol is the joint's own letter.
COMPONENTS = ("pin, x", "pin, y")
#: What the centre of mass is called: the first that is no point of the mechanism.
CENTERS = ("G", "S", "cm", "centre of mass", "its centre of mass")
DIRECTIONS = ("x", "y", "moment")


@dataclass(frozen=True)
class Unknown:
    """A force or moment of a joint or driver.

    id, part      the joint or driver, and which part of its force
    letter, mark  its symbol and subscript: ("A", "x"), ("N", "guide"), ("T", "motor")
    on            the body on which it acts as `direction` and the arms say; its opposite acts on the others
    direction     unit vector of the force, 0 of a moment
    unit          "N" or "N m"
    value         as in `Kinetostatics`
    unique        whether the motion alone determines it
    """

    id: str
    part: str
    letter: str
    mark: str
    on: str
    direction: complex
    unit: str
    value: float
    unique: bool

    def __str__(self) -> str:
        """Return the symbol in plain text.

        >>> str(Unknown("A", "pin, x", "A", "x", "crank", 1 + 0j, "N", 2.0, True))
        'A_x'
        """
        return f"{self.letter}_{self.mark}"


@dataclass(frozen=True)
class FreeBody:
    """A link or pin cut free, with what is known of it.

    name          the link, or "@B" for the pin of the joint B
    about         the place of the moments [m], and its name: the centre of mass (usually "G"), or a point
    mass, inertia [kg], [kg m^2]
    acceleration, alpha   of the centre of mass [m/s^2], of the link [rad/s^2]
    weight        [N]
    load, load_moment     of all other loads, the moment about the same place [N], [N m]
    """

    name: str
    about: complex
    about_name: str
    mass: float
    inertia: float
    acceleration: complex
    alpha: float
    weight: complex
    load: complex
    load_moment: float

    @property
    def known(self) -> tuple[float, float, float]:
        """The right-hand sides of the three equations [N, N, N m]."""
        force = self.mass * self.acceleration - self.weight - self.load
        return force.real, force.imag, self.inertia * self.alpha - self.load_moment


@dataclass(frozen=True)
class Equation:
    """Equilibrium of a body in the `direction` "x", "y" or of its "moment": terms (unknown, factor), and their sum."""

    body: str
    direction: str
    terms: tuple[tuple[int, float], ...]
    right: float


@dataclass(frozen=True)
class Part:
    """Equations and unknowns that are solved together, as indices; unknowns of earlier parts are known by then."""

    groups: tuple[Group, ...]
    equations: tuple[int, ...]
    unknowns: tuple[int, ...]


@dataclass(frozen=True)
class Equilibrium:
    """The equations of a `Kinetostatics` at a sample, to which `motion` is reduced; see `Kinetostatics.equilibrium`.

    `equations` and `unknowns` are those of all `parts`, in the order in which the system falls apart: the last group
    first. `matrix` (equations, unknowns) times the unknowns' values is `right` (equations,).
    """

    forces: Kinetostatics
    sample: int
    motion: Motion
    bodies: tuple[FreeBody, ...]
    unknowns: tuple[Unknown, ...]
    equations: tuple[Equation, ...]
    parts: tuple[Part, ...]

    @cached_property
    def matrix(self) -> Floats:
        """Factors of the unknowns (equations, unknowns): pure numbers, or arms [m] in the moments of forces."""
        found = np.zeros((len(self.equations), len(self.unknowns)))
        for k, equation in enumerate(self.equations):
            for unknown, factor in equation.terms:
                found[k, unknown] = factor
        return found

    @cached_property
    def right(self) -> Floats:
        """Right-hand sides (equations,) [N, N m]."""
        return np.array([equation.right for equation in self.equations])

    @cached_property
    def values(self) -> Floats:
        """Values of the unknowns (unknowns,) [N, N m]."""
        return np.array([unknown.value for unknown in self.unknowns])

    def plot(self) -> Figure:
        """Return a figure of all free bodies, with arrows for positive forces and moments."""
        from structkin import show

        return show.plot_free_bodies(self)

    def body(self, name: str) -> FreeBody:
        """Return a body by its name."""
        return next(body for body in self.bodies if body.name == name)

    @cached_property
    def of_body(self) -> dict[str, tuple[Equation, ...]]:
        """The equations of each body."""
        found: dict[str, list[Equation]] = {body.name: [] for body in self.bodies}
        for equation in self.equations:
            found[equation.body].append(equation)
        return {name: tuple(own) for name, own in found.items()}

    @cached_property
    def _factors(self) -> dict[tuple[str, str], dict[int, float]]:
        return {(equation.body, equation.direction): dict(equation.terms) for equation in self.equations}

    def factor(self, body: str, direction: str, unknown: int) -> float:
        """Return the factor of an unknown in an equation of a body, 0 if it is not there."""
        return self._factors.get((body, direction), {}).get(unknown, 0.0)

    def force_on(self, body: str, unknown: int) -> complex:
        """Return the force of a unit of an unknown on a body, 0 if there is none."""
        return complex(self.factor(body, "x", unknown), self.factor(body, "y", unknown))


def equilibrium(forces: Kinetostatics, sample: int) -> Equilibrium:
    """Return the equations at a sample that has forces; see `Kinetostatics.equilibrium`."""
    columns, motion = forces.columns, at_samples(forces.motion, np.array([sample]))
    sweep = ReverseSweep(motion, columns)
    rates = [motion.acceleration(body.center, body.link) for body in forces.bodies if body.mass]
    noise = ROUNDING * max((float(np.abs(rate).max()) for rate in rates), default=0.0)
    bodies = {name: _free_body(forces, name, sample, noise) for name in columns.body_group}
    acting = [
        {name: _about(wrench[:, 0], motion, bodies[name]) for name, wrench in on.items()}
        for on in unit_wrenches(motion, columns)
    ]
    unknowns: list[Unknown] = []
    equations: list[Equation] = []
    parts: list[Part] = []
    place: dict[int, tuple[int, float]] = {}
    rows = {row: (body, k) for body in bodies for k, row in enumerate(sweep.layout.of([body]))}
    names = _names(forces)
    for block in sweep.blocks:
        first = len(unknowns), len(equations)
        for k in block.columns.tolist():
            column = columns.columns[k]
            direction = complex(*acting[k][column.bodies[0]][:2])
            # A component counts along the positive axis; other forces as their column does.
            sign = -1.0 if column.part in COMPONENTS and direction.real + direction.imag < 0 else 1.0
            place[k] = len(unknowns), sign
            unit = "N" if abs(direction) > ROUNDING else "N m"
            value, unique = float(sign * forces.unknowns[sample, k]), bool(forces.determined[k])
            letter, mark = names[k]
            unknowns.append(
                Unknown(column.id, column.part, letter, mark, column.bodies[0], sign * direction, unit, value, unique)
            )
        for row in block.rows.tolist():
            body, component = rows[row]
            found = {k: on[body][component] for k, on in enumerate(acting) if body in on}
            least = ROUNDING * max((abs(factor) for factor in found.values()), default=0.0)
            terms = [(place[k][0], float(place[k][1] * f)) for k, f in found.items() if abs(f) > least and k in place]
            equations.append(Equation(body, DIRECTIONS[component], tuple(sorted(terms)), bodies[body].known[component]))
        groups = sorted({columns.body_group[equation.body] for equation in equations[first[1] :]})
        named = tuple(group for group in forces.motion.structure.groups if group.index in groups)
        parts.append(Part(named, tuple(range(first[1], len(equations))), tuple(range(first[0], len(unknowns)))))
    return Equilibrium(forces, sample, motion, tuple(bodies.values()), tuple(unknowns), tuple(equations), tuple(parts))


def _free_body(forces: Kinetostatics, name: str, sample: int, noise: float) -> FreeBody:
    """Return a body with its loads; accelerations below the `noise` [m/s^2] are zero."""
    motion, mechanism = forces.motion, forces.motion.mechanism
    if (pin := pin_of(name)) is not None:
        return FreeBody(name, complex(*motion.position(pin)[sample]), pin, 0.0, 0.0, 0j, 0.0, 0j, 0j, 0.0)
    body = next(body for body in forces.bodies if body.link == name)
    local = mechanism.links[name].local
    free = next(one for one in CENTERS if one not in mechanism.places)
    named, at = (free, body.center) if body.mass or not local else next(iter(local.items()))
    about = complex(*motion.position(at, name)[sample])
    weight = body.mass * mechanism.forces.gravity
    force = complex(*forces.applied.force[name][sample])
    arm = about - complex(*motion.position(0j, name)[sample])
    moment = float(forces.applied.moment[name][sample] - (arm.conjugate() * force).imag)
    load = force - weight
    if abs(load) <= ROUNDING * abs(weight):
        load = 0j
    acceleration = complex(*motion.acceleration(body.center, name)[sample]) if body.mass else 0j
    acceleration = complex(*(x if abs(x) > noise else 0.0 for x in (acceleration.real, acceleration.imag)))
    alpha = float(motion.alpha(name)[sample]) if body.inertia else 0.0
    if abs(alpha) * motion.size <= noise:
        alpha = 0.0
    if abs(moment) <= ROUNDING * motion.size * (abs(force) + abs(body.inertia * alpha)):
        moment = 0.0
    return FreeBody(name, about, named, body.mass, body.inertia, acceleration, alpha, weight, load, moment)


def _about(wrench: Floats, motion: Motion, body: FreeBody) -> tuple[float, float, float]:
    """Return a load of a body, whose moment is about the body's origin, with its moment about the place chosen."""
    fx, fy, moment = wrench.tolist()
    if pin_of(body.name) is not None:
        return fx, fy, 0.0
    arm = body.about - complex(*motion.position(0j, body.name)[0])
    turned = moment - (arm.conjugate() * complex(fx, fy)).imag
    return fx, fy, turned if abs(turned) > ROUNDING * motion.size * abs(complex(fx, fy)) else 0.0


def _names(forces: Kinetostatics) -> list[tuple[str, str]]:
    """Return letter and mark of each column; links tell apart those of a pin that has a body of its own."""
    found = []
    for column in forces.columns.columns:
        letter, mark = LETTERS.get(column.part, "N"), column.id
        if column.part in COMPONENTS:
            letter, mark = column.id, column.part[-1]
            if f"@{column.id}" in forces.columns.body_group:
                mark = f"{column.bodies[0]} {mark}" if column.bodies[0] != f"@{column.id}" else f"ground {mark}"
        found.append((letter, mark))
    # Such as a joint F and the travel of a driver x: both would be F_x.
    return [one if found.count(one) == 1 else (one[0], f"{one[1]} {k + 1}") for k, one in enumerate(found)]
