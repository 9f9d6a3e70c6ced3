"""The entries of [links], [drivers] and [forces] in a mechanism file, one pydantic model each.

The numbers of forces are converted to SI.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, ClassVar

from structkin.model.entry import Entry
from structkin.model.fields import (
    LAW,
    QUANTITY,
    TEXT,
    Anything,
    Axis,
    Columns,
    Effort,
    Flag,
    Given,
    LawValue,
    Location,
    Name,
    Names,
    Radius,
    Stroke,
    Table,
    TwoLinks,
    TwoPoints,
    given,
    listed,
    place,
    scalar,
    word,
)

# --- forces --------------------------------------------------------------------------------------------------------


class SpringKeys(Entry):
    """What springs in the plane and in space have in common."""

    type: Name
    between: TwoPoints
    stiffness: Annotated[float, scalar("stiffness", sign="not negative")] = 0.0
    free_length: Annotated[float, scalar("length", sign="not negative")] | None = None
    damping: Annotated[float, scalar("damping", sign="not negative")] = 0.0


class SpringEntry(SpringKeys):
    """A spring, damper and actuator between two points; the free length defaults to that of the sketch."""

    sample: ClassVar[str] = '{ type = "spring", between = ["P", "D"], stiffness = 500, free_length = 40 }'

    actuator: Effort = None


class TorsionEntry(Entry):
    """A torsional spring, damper and actuator between two links; the free angle defaults to that of the sketch."""

    sample: ClassVar[str] = '{ type = "torsion", joint = "A", stiffness = 3, damping = 0.1 }'

    type: Name
    joint: Name | None = None
    links: TwoLinks | None = None
    stiffness: Annotated[float, scalar("torsional stiffness", sign="not negative")] = 0.0
    free_angle: Annotated[float, scalar("angle")] | None = None
    damping: Annotated[float, scalar("torsional damping", sign="not negative")] = 0.0
    actuator: Effort = None


class SizedEntry(Entry):
    """A load whose magnitude is given by one of four keys."""

    value: Annotated[Any, given(QUANTITY, listed(QUANTITY, 2, 2))] = None
    law: Annotated[Any, given(LAW, listed(LAW, 2, 2))] = None
    table: Table = None
    csv: Name | None = None
    columns: Columns | None = None


class ForceEntry(SizedEntry):
    """A force at a point of a link: a vector, or a magnitude along `direction`; in global or link axes."""

    sample: ClassVar[str] = '{ type = "force", at = "P", value = [0, -100] }'

    type: Name
    at: Location
    on: Name | None = None
    direction: Axis | None = None
    frame: Annotated[str, word("global", "local")] = "global"


class MomentEntry(SizedEntry):
    """A moment on a link, or between two links."""

    sample: ClassVar[str] = '{ type = "moment", on = "crank", value = 5 }'

    type: Name
    on: Name | None = None
    links: TwoLinks | None = None


class FrictionEntry(Entry):
    """Dry friction that opposes a joint's motion: a given limit, or a coefficient and the joint force."""

    sample: ClassVar[str] = '{ type = "friction", joint = "guide", limit = 12 }'

    type: Name
    joint: Name
    links: TwoLinks | None = None
    limit: Anything = None
    coefficient: Anything = None
    normal: Anything = None
    radius: Radius | None = None
    transition: Anything = None


class ContactEntry(Entry):
    """A circle of the first link that pushes against a line or a circle of the second; it never pulls."""

    sample: ClassVar[str] = (
        '{ type = "contact", center = "P", radius = 10, along = ["Q", "R"], stiffness = 1e8, restitution = 0.8 }'
    )

    type: Name
    links: TwoLinks | None = None
    center: Name | None = None
    radius: Annotated[float, scalar("length", sign="not negative")] | None = None
    along: TwoPoints | None = None
    centers: TwoPoints | None = None
    radii: Anything = None
    internal: Flag | None = None
    stiffness: Anything = None
    exponent: Anything = 1.5
    restitution: Anything = 1
    model: Annotated[str, word("lankarani-nikravesh", "exact")] = "lankarani-nikravesh"
    friction: Anything = 0
    transition: Anything = None


#: The values of `type`, with the entry of each.
FORCE_TYPES: Mapping[str, type[Entry]] = {
    "spring": SpringEntry,
    "torsion": TorsionEntry,
    "force": ForceEntry,
    "moment": MomentEntry,
    "friction": FrictionEntry,
    "contact": ContactEntry,
}


# --- links and drivers ---------------------------------------------------------------------------------------------


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
