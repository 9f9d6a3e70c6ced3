"""Geneva wheels in a file: their shafts, and the pin that gets its exact radius."""

from __future__ import annotations

import cmath
import math
from dataclasses import replace
from types import MappingProxyType

from structkin.joints.geneva import Geneva
from structkin.model.draft import GROUND, Draft
from structkin.model.flaw import Flaw
from structkin.model.joint_schema import GenevaEntry
from structkin.model.topology import Joint
from structkin.rows.periodic import GenevaLaw

#: How far the sketched pin may be from where the wheel needs it, relative to its radius.
SLOPPY = 0.02


def size_pins(draft: Draft) -> None:
    """Give the pin of each Geneva crank its exact radius, which a sketch can only round."""
    for id, entry in draft.joint_entries.items():
        if isinstance(entry, GenevaEntry) and entry.slots >= 3:
            found = _shafts(draft, entry)
            link = draft.links.get(entry.crank)
            if found is None or link is None or entry.pin not in link.local or found[0] not in draft.links:
                continue
            carrier, shaft, pivot = found
            local = draft.links[carrier].local
            radius = abs(local[pivot] - local[shaft]) * math.sin(math.pi / entry.slots)
            arm = link.local[entry.pin] - link.local[shaft]
            if abs(abs(arm) - radius) > SLOPPY * radius:
                right, drawn = draft.show_length(radius), draft.show_length(abs(arm))
                text = f"the pin '{entry.pin}' is {drawn} from '{shaft}', but {entry.slots} slots need {right}"
                draft.fault(f"joints.{id}", text, "distance of the shafts times sin(180 deg / slots)")
                continue
            placed = dict(link.local)
            placed[entry.pin] = link.local[shaft] + arm / abs(arm) * radius
            draft.links[entry.crank] = replace(link, local=MappingProxyType(placed))


def make_geneva(draft: Draft, id: str, entry: GenevaEntry) -> Joint | Geneva | None:
    """Return a Geneva wheel; None where mistakes hinder."""
    key = f"joints.{id}"
    known = [draft.has_link(f"{key}.{name}", getattr(entry, name)) for name in ("crank", "wheel")]
    known.append(draft.has_point(f"{key}.pin", entry.pin))
    if not all(known):
        return None
    if entry.slots < 3:
        raise Flaw(f"a Geneva wheel has at least 3 slots, found {entry.slots}", "such as slots = 4")
    if entry.crank == entry.wheel:
        raise Flaw(f"the crank '{entry.crank}' is its own wheel", "name two links")
    if entry.pin not in draft.link_entries[entry.crank].points:
        raise Flaw(f"the pin '{entry.pin}' is not a point of the crank '{entry.crank}'", "add it to the crank")
    found = _shafts(draft, entry)
    if found is None:
        raise Flaw(
            f"no link carries both '{entry.crank}' and '{entry.wheel}' on pins",
            "name their shafts as points of the ground",
        )
    carrier, shaft, pivot = found
    if any(name not in draft.links for name in (entry.crank, entry.wheel, carrier)):
        return Joint(id, "C", (entry.crank, entry.wheel))  # their own mistakes are told already
    base, crank, wheel = (draft.links[name] for name in (carrier, entry.crank, entry.wheel))
    centres = base.local[pivot] - base.local[shaft]
    if not centres:
        raise Flaw("the shafts of crank and wheel coincide", "move one of them")
    turned, angle = crank.direction / base.direction, cmath.phase(wheel.direction / base.direction)
    pin = (crank.local[entry.pin] - crank.local[shaft]) * turned
    if not pin:
        raise Flaw(f"the pin '{entry.pin}' is at the crank's shaft", "give it a radius")
    x = cmath.phase(pin / centres)
    law = GenevaLaw(entry.slots)
    start = angle + float(law(x))
    return Geneva(
        id, links=(entry.crank, entry.wheel), carrier=carrier, pin=entry.pin, pivot=pivot, slots=entry.slots,
        distance=abs(centres), phase=x - cmath.phase(turned), start=start, slot=cmath.phase(-centres) - start,
    )  # fmt: skip


def _shafts(draft: Draft, entry: GenevaEntry) -> tuple[str, str, str] | None:
    """Return the carrier, its pin with the crank and its pin with the wheel; the ground if it is one."""

    def pins(link: str, other: str) -> list[str]:
        return [point for point, held in draft.holders.items() if link in held and other in held]

    found = [
        (link, pins(link, entry.crank)[0], pins(link, entry.wheel)[0])
        for link in draft.link_entries
        if link not in (entry.crank, entry.wheel) and pins(link, entry.crank) and pins(link, entry.wheel)
    ]
    return next((item for item in found if item[0] == GROUND), found[0] if found else None)
