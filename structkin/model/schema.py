"""The entries of [links] and [drivers] in a mechanism file, one pydantic model each."""

from __future__ import annotations

from typing import Annotated, Any, ClassVar

from structkin.model.entry import Entry
from structkin.model.fields import (
    QUANTITY,
    TEXT,
    Columns,
    Effort,
    Given,
    LawValue,
    Name,
    Names,
    Stroke,
    Table,
    TwoLinks,
    TwoPoints,
    given,
    place,
    scalar,
    word,
)


class LinkEntry(Entry):
    """A link: its points; mass [kg], centre of mass in the sketch [m], moment of inertia about it [kg m^2].

    Instead of centre and inertia, a uniform `shape` (rod or plate) of this mass or `density` [kg/m or kg/m^2] may be
    given, and point masses. Holes are bored beside their points: `holes` names, by point, the point of the sketch where
    that of this link is.
    """

    layout: ClassVar[str] = "a list of points, or a table"
    sample: ClassVar[str] = '["A", "B"] or { points = ["A", "B"], mass = 0.6 }'

    points: Names
    mass: Annotated[float, scalar("mass", sign="not negative")] | None = None
    center: Annotated[complex, place("length")] | None = None
    inertia: Annotated[float, scalar("inertia", sign="not negative")] | None = None
    shape: Annotated[str, word("rod", "plate")] | None = None
    density: Given = None
    point_masses: Annotated[Any, given({"type": "object", "additionalProperties": QUANTITY})] = None
    holes: Annotated[Any, given({"type": "object", "additionalProperties": TEXT})] = None


class DriverEntry(Entry):
    """A driver; the units of its speed, law or table depend on its joint."""

    sample: ClassVar[str] = '{ joint = "A", speed = "60 rpm" }'

    joint: Name | None = None
    links: TwoLinks | None = None
    between: TwoPoints | None = None
    stroke: Stroke = None
    speed: Given = None
    law: LawValue = None
    table: Table = None
    csv: Name | None = None
    columns: Columns | None = None
    torque: Effort = None
    force: Effort = None
