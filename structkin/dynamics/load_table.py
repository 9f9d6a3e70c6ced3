"""The loads of a mechanism as indices of points and directions of its links, as `load_formulas` reads them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

import numpy as np

from structkin.dynamics.load_formulas import CIRCLE, STRAIGHT
from structkin.errors import Problem
from structkin.joints.circular_slot import CircularSlot
from structkin.joints.curve_slot import CurveSlot
from structkin.joints.prismatic import Prismatic
from structkin.joints.sliding import Sliding
from structkin.model.forces import AppliedForce, AppliedMoment, Contact, Disc, Friction, Load, Spring, Torsion
from structkin.model.mechanism import GROUND, Mechanism
from structkin.model.parts import Law
from structkin.numerical_tolerances import EQUAL_DATA
from structkin.rows.affine import FIXED, Affine, Frame
from structkin.rows.plane_curve import PlaneCurve

#: The widths of the parts: rows of indices, and rows of sizes.
INDICES = {"springs": 3, "torsions": 3, "pushes": 4, "moments": 3, "frictions": 4, "contacts": 5}
SIZES = {"spring_sizes": 3, "torsion_sizes": 3, "friction_sizes": 3, "contact_sizes": 9}


@dataclass
class LoadTable:
    """Places of links that loads act on, `None` standing for the direction of the link; laws; rows of the parts.

    `owners` are the loads that the laws belong to, `curves` those along which joints rub; `named` holds the loads of
    each part in the order of its rows.
    """

    mechanism: Mechanism
    places: dict[tuple[str, complex | None], int] = field(default_factory=dict)
    laws: list[Law] = field(default_factory=list)
    curves: list[PlaneCurve] = field(default_factory=list)
    owners: list[str] = field(default_factory=list)
    rows: dict[str, list[tuple[float, ...]]] = field(default_factory=dict)
    named: dict[str, list[Any]] = field(default_factory=dict)

    def add(self, load: Load) -> None:
        """Add a load."""
        _ADD[type(load)](self, load)

    def row(self, part: str, load: Any, indices: Iterable[int], *sizes: float) -> None:
        """Add a row of a part, and its sizes."""
        self.rows.setdefault(part, []).append(tuple(indices))
        self.named.setdefault(part, []).append(load)
        if sizes:
            self.rows.setdefault(f"{part[:-1]}_sizes", []).append(sizes)

    def point(self, link: str, place: complex) -> int:
        """Return the index of a place on a link."""
        return self.places.setdefault((link, place), len(self.places))

    def direction(self, link: str) -> int:
        """Return the index of the direction of a link."""
        return self.places.setdefault((link, None), len(self.places))

    def law(self, law: Law | None, owner: str) -> int:
        """Return the index of a law, -1 for none."""
        if law is None:
            return -1
        self.laws.append(law)
        self.owners.append(owner)
        return len(self.laws) - 1

    def expressions(self, frames: Mapping[str, Frame]) -> list[Affine]:
        """Return the places and directions as expressions of slots."""
        found = []
        for link, place in self.places:
            frame = FIXED if link == GROUND else frames[link]
            found.append(frame.direction if place is None else frame.point(place))
        return found

    def parts(self) -> dict[str, Any]:
        """Return all parts as arrays."""
        found: dict[str, Any] = {
            name: np.array(self.rows.get(name, []), np.int64).reshape(-1, width) for name, width in INDICES.items()
        }
        return found | {
            name: np.array(self.rows.get(name, []), float).reshape(-1, width) for name, width in SIZES.items()
        }


@lru_cache(maxsize=64)
def load_table(mechanism: Mechanism) -> LoadTable:
    """Return the table of all loads of a mechanism."""
    return table_of(mechanism, mechanism.forces.loads.values())


def table_of(mechanism: Mechanism, loads: Iterable[Load]) -> LoadTable:
    """Return the table of given loads."""
    table = LoadTable(mechanism)
    for load in loads:
        table.add(load)
    return table


def uncovered(span: tuple[float, float]) -> str:
    """Return what to do where the table of a load or effort, between two times [s], has no value.

    >>> uncovered((0.0, 0.04))
    'its table covers 0 s to 0.04 s: give it rows for the whole run, or let the run end there'
    """
    return f"its table covers {span[0]:g} s to {span[1]:g} s: give it rows for the whole run, or let the run end there"


def beyond_tables(mechanism: Mechanism, first: float, last: float) -> list[Problem]:
    """Return the loads and efforts whose tables do not cover all times from the first to the last [s]."""
    table = load_table(mechanism)
    named = [(f"forces.{id}", law) for id, law in dict(zip(table.owners, table.laws, strict=True)).items()]
    named += [(f"drivers.{id}", law) for id, law in mechanism.forces.efforts.items()]
    return [
        Problem(key, f"has no value at some times of the run, {first:g} s to {last:g} s", uncovered(law.span))
        for key, law in named
        if law.span is not None and (first < law.span[0] - EQUAL_DATA or last > law.span[1] + EQUAL_DATA)
    ]


def _spring(table: LoadTable, load: Spring) -> None:
    ends = [table.point(link, table.mechanism.links[link].local[point]) for link, point in load.ends]
    indices = (*ends, table.law(load.actuator, load.id))
    table.row("springs", load, indices, load.stiffness, load.free_length, load.damping)


def _torsion(table: LoadTable, load: Torsion) -> None:
    first, second = (table.mechanism.links[link] for link in load.links)
    drawn = float(np.angle(second.direction / first.direction))
    indices = (*map(table.direction, load.links), table.law(load.actuator, load.id))
    table.row("torsions", load, indices, load.stiffness, load.free_angle - drawn, load.damping)


def _push(table: LoadTable, load: AppliedForce) -> None:
    direction = table.direction(load.link) if load.local else -1
    laws = (table.law(load.x, load.id), table.law(load.y, load.id))
    table.row("pushes", load, (table.point(load.link, load.place), direction, *laws))


def _moment(table: LoadTable, load: AppliedMoment) -> None:
    table.row("moments", load, (*map(table.direction, load.links), table.law(load.size, load.id)))


def _friction(table: LoadTable, load: Friction) -> None:
    slot = table.mechanism.joints.of(Sliding).get(load.joint)
    if slot is None:
        table.row("frictions", load, (*map(table.direction, load.links), -1, STRAIGHT), load.transition, 1.0, 0.0)
        return
    origin, path = 0j, STRAIGHT
    if isinstance(slot, CircularSlot):
        origin, path = slot.center, CIRCLE
    elif isinstance(slot, CurveSlot):
        path = len(table.curves)
        table.curves.append(slot.curve)
    (place, rubbing), carrier, along = slot.place, slot.carrier, slot.direction
    if isinstance(slot, Prismatic) and slot.on_slider and slot.turn is not None:
        # A rod runs through a bush, which stays in place on the carrier.
        place, rubbing = slot.bearing_place(table.mechanism.links)
        carrier, along = slot.slider, along * slot.turn.conjugate()
    indices = (table.point(carrier, origin), table.direction(carrier), table.point(rubbing, place), path)
    table.row("frictions", load, indices, load.transition, along.real, along.imag)


def _contact(table: LoadTable, load: Contact) -> None:
    first, second = load.first, load.second
    ends = [index for end in (first, second) for index in (table.point(end.link, end.place), table.direction(end.link))]
    shape = (second.radius, 0.0, 0.0) if isinstance(second, Disc) else (0.0, second.normal.real, second.normal.imag)
    sizes = load.stiffness, load.exponent, load.loss, load.friction, load.transition
    table.row("contacts", load, (*ends, int(isinstance(second, Disc))), first.radius, *shape, *sizes)


_ADD: Mapping[type[Load], Callable[[LoadTable, Any], None]] = {
    Spring: _spring,
    Torsion: _torsion,
    AppliedForce: _push,
    AppliedMoment: _moment,
    Friction: _friction,
    Contact: _contact,
}
