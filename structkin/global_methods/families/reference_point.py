"""Reference-point (absolute) coordinates: place and angle of every link (S1 eqs. 22-23)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from structkin.global_methods.families.angular import AngularCoordinates
from structkin.global_methods.families.rows import Writer, solve_places
from structkin.global_methods.families.tree import Branch, Tree
from structkin.model.mechanism import Mechanism
from structkin.rows.affine import FIXED, frames_in_slots
from structkin.structure import KinematicStructure


def reference_point(mechanism: Mechanism, structure: KinematicStructure, drivers: Sequence[str]) -> AngularCoordinates:
    """Return q = (phi, x, y) of every moving link in solve order; the reference point is the link's first point."""
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
