"""The entries of [links] and [drivers] in a mechanism file, one pydantic model each."""

from __future__ import annotations

from typing import Annotated, ClassVar

from pydantic import PlainValidator

from structkin.model.entry import Entry
from structkin.model.fields import Anything, Name, Names, TwoLinks, TwoPoints, one_of, place, scalar


class LinkEntry(Entry):
    """A link: its points; mass [kg], centre of mass in the sketch [m], inertia about it [kg m^2].

    Or a uniform `shape`, a rod or a plate, of this mass or `density` [kg/m or kg/m^2]; and points that carry masses.
    """

    layout: ClassVar[str] = "a list of points, or a table"
    sample: ClassVar[str] = '["A", "B"] or { points = ["A", "B"], mass = 0.6 }'

    points: Names
    mass: Annotated[float, scalar("mass", sign="not negative")] | None = None
    center: Annotated[complex, place("length")] | None = None
    inertia: Annotated[float, scalar("inertia", sign="not negative")] | None = None
    shape: Annotated[str, PlainValidator(one_of("rod", "plate"))] | None = None
    density: Anything = None
    point_masses: Anything = None


class DriverEntry(Entry):
    """A driver; what its speed, law or table are measured in is known once its joint is."""

    sample: ClassVar[str] = '{ joint = "A", speed = "60 rpm" }'

    joint: Name | None = None
    links: TwoLinks | None = None
    between: TwoPoints | None = None
    stroke: Anything = None
    speed: Anything = None
    law: Anything = None
    table: Anything = None
    csv: Name | None = None
    torque: Anything = None
    force: Anything = None
