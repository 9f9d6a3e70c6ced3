"""Masses and loads as the drawing marks them: where, and how large. Springs and dampers are shapes of the scene."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np

from structkin.model import Mechanism
from structkin.model.forces import AppliedForce, AppliedMoment, Contact, Disc, Friction, Torsion
from structkin.model.mechanism import GROUND
from structkin.model.parts import Law
from structkin.studio.document import Document

#: A link and the place of a point in its frame, in the file's unit.
Spot = list[str | float]


def marks(document: Document, mechanism: Mechanism) -> list[dict[str, Any]]:
    """Return masses and loads with their places: `at`, a link and x, y in its frame in the file's unit.

    Forces have a `way` [N], moments a `size` [N m], weights both `mass` [kg] and `way`. Sizes that `vary` are those at
    the start.

    >>> data = {"points": {"A": [0, 0], "B": [2, 0]}, "forces": {"push": {"type": "force", "at": "B", "value": [0, 5]}},
    ...         "links": {"ground": ["A"], "arm": ["A", "B"]}}
    >>> marks(Document(data), Mechanism.from_dict(data))
    [{'id': 'push', 'kind': 'force', 'at': ['arm', 2.0, 0.0], 'way': [0.0, 5.0], 'local': False, 'varies': False}]
    """
    return [*_masses(mechanism), *_loads(document, mechanism)]


def _masses(m: Mechanism) -> Iterator[dict[str, Any]]:
    gravity = m.forces.gravity
    for name, link in m.links.items():
        if link.mass and link.center is not None and name != GROUND:
            weight = link.mass * gravity
            yield {"id": name, "kind": "mass", "at": _spot(m, name, link.center), "mass": link.mass,
                   "way": [weight.real, weight.imag]}  # fmt: skip


def _loads(document: Document, m: Mechanism) -> Iterator[dict[str, Any]]:
    for id, load in m.forces.loads.items():
        match load:
            case AppliedForce():
                (x, moves), (y, also) = _start(load.x), _start(load.y)
                yield {"id": id, "kind": "force", "at": _spot(m, load.link, load.place), "way": [x, y],
                       "local": load.local, "varies": moves or also}  # fmt: skip
            case AppliedMoment():
                size, varies = _start(load.size)
                yield {"id": id, "kind": "moment", "at": _middle(m, load.links), "size": size, "varies": varies}
            case Torsion():
                yield {"id": id, "kind": "torsion", "at": _joint(document, m, id, load.links)}
            case Friction():
                yield {"id": id, "kind": "friction", "at": _joint(document, m, id, load.links)}
            case Contact():
                scale = m.units.length_scale
                circles = [
                    [*_spot(m, one.link, one.place), abs(one.radius) / scale]
                    for one in (load.first, load.second)
                    if isinstance(one, Disc)
                ]
                yield {"id": id, "kind": "contact", "at": _spot(m, load.first.link, load.first.place),
                       "circles": circles}  # fmt: skip


def _start(law: Law) -> tuple[float, bool]:
    """Return the value of a law where it begins, and whether it changes."""
    value = float(law(np.array([(law.span or (0.0,))[0]]))[0][0])
    return (value if math.isfinite(value) else 0.0), law.speed != 0


def _spot(m: Mechanism, link: str, place: complex) -> Spot:
    scale = m.units.length_scale
    return [link, place.real / scale, place.imag / scale]


def _joint(document: Document, m: Mechanism, id: str, links: tuple[str, str]) -> Spot:
    """Return the place of the joint that a load names, or else the middle of its second link."""
    entry = document.section("forces")[id]
    joint = entry.get("joint")
    own = document.section("joints").get(joint, {})
    point = own.get("at", own.get("pin", joint))
    for link in reversed(links):
        if point in m.links[link].local:
            return _spot(m, link, m.links[link].local[point])
    return _middle(m, links)


def _middle(m: Mechanism, links: tuple[str, str]) -> Spot:
    """Return the middle of the points of the second of two links, of the first if that is the ground."""
    link = links[1] if links[1] != GROUND else links[0]
    places = [*m.links[link].local.values()]
    return _spot(m, link, sum(places) / len(places) if places else 0j)
