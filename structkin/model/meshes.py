"""Pass over the joints that couple turns: gears, belts, racks and rolling contacts."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from structkin.joints.turn_coupling import TurnCoupling
from structkin.model.draft import Draft
from structkin.model.flaw import Flaw
from structkin.model.gears import make_wheels
from structkin.model.joint_schema import BeltEntry, GearEntry, MeshEntry, RackEntry, RollingEntry
from structkin.model.racks import make_rack
from structkin.model.rolling_contacts import make_rolling


def make_meshes(draft: Draft) -> None:
    """Make the joints that couple turns."""
    for id, entry in draft.joint_entries.items():
        if not isinstance(entry, MeshEntry):
            continue
        key = f"joints.{id}"
        mesh = draft.attempt(key, _mesh, draft, id, entry)
        if mesh is not None:
            draft.joints.setdefault(id, mesh)
            draft.unread.discard(key)


def _mesh(draft: Draft, id: str, entry: MeshEntry) -> TurnCoupling | None:
    key = f"joints.{id}"
    known = [draft.has_link(f"{key}.links", link) for link in dict.fromkeys(entry.links)]
    if entry.links[0] == entry.links[1]:
        raise Flaw(f"joins the link '{entry.links[0]}' to itself", "name two links")
    carrier = getattr(entry, "carrier", None)
    if carrier is not None:
        known.append(draft.has_link(f"{key}.carrier", carrier))
        if carrier in entry.links:
            raise Flaw(f"the carrier '{carrier}' is one of the two links", "it is the link that holds both centres")
    points = [*(getattr(entry, "along", None) or ()), *(getattr(entry, "centers", None) or ())]
    points += [point for point in (getattr(entry, "center", None),) if point is not None]
    known += [draft.has_point(key, point) for point in dict.fromkeys(points)]
    unread = any(problem.key.startswith(f"{key}.") for problem in draft.problems)
    if unread or not all(known) or any(link not in draft.links for link in entry.links):
        return None
    makers: Mapping[type[Any], Callable[..., TurnCoupling | None]] = {
        GearEntry: make_wheels,
        BeltEntry: make_wheels,
        RackEntry: make_rack,
        RollingEntry: make_rolling,
    }
    return makers[type(entry)](draft, id, entry)
