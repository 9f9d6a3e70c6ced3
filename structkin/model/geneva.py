"""Geneva wheels: a crank whose pin turns a slotted wheel by steps, and what a file says about them."""

from __future__ import annotations

import cmath
import math
from dataclasses import dataclass, replace
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from structkin.groups.periodic import GenevaLaw
from structkin.model.draft import GROUND, Draft
from structkin.model.flaw import Flaw
from structkin.model.schema import GenevaEntry
from structkin.model.topology import Joint

#: How far the sketched pin may be from where the wheel needs it, relative to its radius.
SLOPPY = 0.02


@dataclass(frozen=True, eq=False)
class Geneva:
    """An external Geneva wheel of n slots and its crank, both on pins of one carrier; lengths in m, angles in rad.

    The pin enters and leaves the slots along their middle line, so that its radius is `distance` sin(pi / n).
    The crank's angle x from the line of centres is its angle against the carrier plus `phase`; the wheel's angle
    against the carrier is `start` - law(x). `slot` is the direction of a slot in the wheel's frame.
    """

    id: str
    crank: str
    wheel: str
    carrier: str
    pin: str
    pivot: str
    slots: int
    distance: float
    phase: float
    start: float
    slot: float

    @property
    def law(self) -> GenevaLaw:
        """The turn of the wheel by the crank's angle from the line of centres."""
        return GenevaLaw(self.slots)

    @property
    def radius(self) -> float:
        """The radius of the crank's pin."""
        return self.distance * math.sin(math.pi / self.slots)

    def outline(self) -> NDArray[np.complex128]:
        """Return the closed outline (k,) of a wheel of usual proportions, about its pivot in its own axes."""
        n, d, a = self.slots, self.distance, self.radius
        w, tip = 0.1 * a, d * math.cos(math.pi / n)
        bottom, lock = d - a, a - 2.4 * w
        half = np.linspace(math.pi / 2, -math.pi / 2, 13)
        floor = bottom - w * np.exp(1j * half)
        across = math.acos((d * d + tip * tip - lock * lock) / (2 * d * tip))
        centre = d * cmath.exp(1j * math.pi / n)
        ends = [tip * cmath.exp(1j * (math.pi / n + side * across)) - centre for side in (-1, 1)]
        turn = cmath.phase(ends[1] / ends[0])
        arc = centre + ends[0] * np.exp(1j * np.linspace(0.0, turn, 25))
        rim = tip * np.exp(1j * np.array([math.asin(w / tip), math.pi / n - across]))
        far = tip * np.exp(1j * np.array([math.pi / n + across, 2 * math.pi / n - math.asin(w / tip)]))
        sector = np.concatenate((floor, rim, arc, far))
        return np.concatenate([sector * cmath.exp(2j * math.pi * (k / n)) for k in range(n)]) * cmath.exp(
            1j * self.slot
        )


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


def make_geneva(draft: Draft, id: str, entry: GenevaEntry) -> Joint | None:
    """Return the joint of a Geneva wheel and put its geometry into `draft.genevas`; None where mistakes hinder."""
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
    joint = Joint(id, "C", (entry.crank, entry.wheel))
    carrier, shaft, pivot = found
    if any(name not in draft.links for name in (entry.crank, entry.wheel, carrier)):
        return joint  # their own mistakes are told already
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
    draft.genevas[id] = Geneva(
        id, entry.crank, entry.wheel, carrier, entry.pin, pivot, entry.slots, abs(centres),
        x - cmath.phase(turned), start, cmath.phase(-centres) - start,
    )  # fmt: skip
    return joint


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
