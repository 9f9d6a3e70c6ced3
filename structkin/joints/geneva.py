"""Geneva wheels: a crank whose pin turns a slotted wheel step by step."""

from __future__ import annotations

import cmath
import math
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import ClassVar

import numpy as np

from structkin.joints.entry import JointEntry
from structkin.joints.pair import Pair, Poses
from structkin.joints.row_writer import RowWriter
from structkin.model.draft import Draft
from structkin.model.fields import Name, Whole
from structkin.model.flaw import Flaw
from structkin.model.mechanism import GROUND
from structkin.model.topology import Joint
from structkin.rows.curves import Curve
from structkin.rows.periodic import Follow, GenevaLaw
from structkin.rows.relations import Stepped
from structkin.types import Complexes, Floats

#: Tolerance on the radius of the sketched pin, relative to the radius the wheel needs.
SLOPPY = 0.02


@dataclass(frozen=True, eq=False, kw_only=True)
class Geneva(Pair):
    """An external Geneva wheel with n slots and its crank, both pinned to one carrier; lengths in m, angles in rad.

    The pin enters and leaves the slots along their centre line, so its radius is `distance` sin(pi / n).
    The crank's angle x from the line of centres is its angle relative to the carrier plus `phase`; the wheel's angle
    relative to the carrier is `start` - law(x). `slot` is the direction of a slot in the wheel's frame.
    """

    kind: ClassVar[str] = "C"
    counts_turns: ClassVar[bool] = True
    parts: ClassVar[tuple[str, ...]] = ("contact",)

    links: tuple[str, str]
    carrier: str
    pin: str
    pivot: str
    slots: int
    distance: float
    phase: float
    start: float
    slot: float

    def write(self, w: RowWriter) -> None:
        """Write t_w - t_c + g(x_0 + t_k - t_c) - g(x_0) = 0, crank k, wheel w, x_0 from the line of centres."""
        links = (self.crank, self.wheel, self.carrier)
        crank, base = (w.mechanism.links[link].direction for link in (self.crank, self.carrier))
        start = cmath.phase(crank / base) + self.phase
        turned = w.turns({self.crank: 1.0, self.carrier: -1.0})
        wheel = w.turns({self.wheel: 1.0, self.carrier: -1.0})
        relation = Stepped(Follow(self.law, shift=-float(self.law(start)), phase=start))
        w.add(self.id, "angle by the crank's", links, 1.0, Curve.of(relation, (turned, wheel)))

    def gap(self, poses: Poses) -> Floats:
        """Return the distance (n,) [m] of the pin from the centre line of its slot while engaged; 0 while locked."""
        vector = poses.at(self.crank, self.pin) - poses.at(self.wheel, self.pivot)
        seen = vector * np.conj(poses.along(self.wheel)) * cmath.exp(-1j * self.slot)
        # The nearest slot.
        turn = 2 * np.pi / self.slots
        along = seen * np.exp(-1j * turn * np.round(np.angle(seen) / turn))
        angle = np.angle(poses.along(self.crank) / poses.along(self.carrier)) + self.phase
        return np.where(self.law.engaged(angle), np.abs(along.imag), 0.0)

    def gaps(self, poses: Poses) -> tuple[Floats]:
        """Return the distance of the pin from the centre line of its slot."""
        return (self.gap(poses) / poses.size,)

    @property
    def crank(self) -> str:
        """The link whose pin turns the wheel."""
        return self.links[0]

    @property
    def wheel(self) -> str:
        """The link with the slots."""
        return self.links[1]

    @property
    def law(self) -> GenevaLaw:
        """The rotation of the wheel as a function of the crank's angle from the line of centres."""
        return GenevaLaw(self.slots)

    @property
    def radius(self) -> float:
        """The distance of the pin from the crank's shaft."""
        return self.distance * math.sin(math.pi / self.slots)

    def outline(self) -> Complexes:
        """Return the closed outline (k,) of a wheel of usual proportions, relative to its pivot in its own axes."""
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


class GenevaEntry(JointEntry):
    """A Geneva wheel with n slots and the crank whose pin turns it."""

    sample: ClassVar[str] = '{ type = "geneva", crank = "crank", pin = "P", wheel = "wheel", slots = 4 }'

    crank: Name
    pin: Name
    wheel: Name
    slots: Whole

    @property
    def at_ends(self) -> tuple[str, ...]:
        """The pin of the crank."""
        return self.pin, ""

    def prepare(self, draft: Draft, id: str) -> None:
        """Give the pin of the crank its exact radius, which a sketch can only give rounded."""
        found = self._shafts(draft)
        link = draft.links.get(self.crank)
        if self.slots < 3 or found is None or link is None or self.pin not in link.local or found[0] not in draft.links:
            return
        carrier, shaft, pivot = found
        local = draft.links[carrier].local
        radius = abs(local[pivot] - local[shaft]) * math.sin(math.pi / self.slots)
        if not radius:
            return  # the shafts coincide, as `make` says
        arm = link.local[self.pin] - link.local[shaft]
        if abs(abs(arm) - radius) > SLOPPY * radius:
            right, drawn = draft.show_length(radius), draft.show_length(abs(arm))
            text = f"the pin '{self.pin}' is {drawn} from '{shaft}', but {self.slots} slots need {right}"
            draft.fault(f"joints.{id}", text, "the shaft distance times sin(180 deg / slots)")
            return
        placed = dict(link.local)
        placed[self.pin] = link.local[shaft] + arm / abs(arm) * radius
        draft.links[self.crank] = replace(link, local=MappingProxyType(placed))

    def make(self, draft: Draft, id: str) -> Joint | Geneva | None:
        """Return a Geneva wheel; None if there are errors."""
        key = f"joints.{id}"
        known = [draft.has_link(f"{key}.{name}", getattr(self, name)) for name in ("crank", "wheel")]
        known.append(draft.has_point(f"{key}.pin", self.pin))
        if not all(known):
            return None
        if self.slots < 3:
            raise Flaw(f"a Geneva wheel has at least 3 slots, found {self.slots}", "such as slots = 4")
        if self.crank == self.wheel:
            raise Flaw(f"the crank '{self.crank}' is its own wheel", "name two links")
        if self.pin not in draft.link_entries[self.crank].points:
            raise Flaw(f"the pin '{self.pin}' is not a point of the crank '{self.crank}'", "add it to the crank")
        found = self._shafts(draft)
        if found is None:
            raise Flaw(
                f"no link carries both '{self.crank}' and '{self.wheel}' on pins",
                "make their shafts points of the ground",
            )
        carrier, shaft, pivot = found
        if any(name not in draft.links for name in (self.crank, self.wheel, carrier)):
            return Joint(id, "C", (self.crank, self.wheel))  # their errors have been reported
        base, crank, wheel = (draft.links[name] for name in (carrier, self.crank, self.wheel))
        centres = base.local[pivot] - base.local[shaft]
        if not centres:
            raise Flaw("the shafts of crank and wheel coincide", "move one of them")
        turned, angle = crank.direction / base.direction, cmath.phase(wheel.direction / base.direction)
        pin = (crank.local[self.pin] - crank.local[shaft]) * turned
        if not pin:
            raise Flaw(f"the pin '{self.pin}' is on the crank's shaft", "move it away from the shaft")
        x = cmath.phase(pin / centres)
        law = GenevaLaw(self.slots)
        start = angle + float(law(x))
        return Geneva(
            id, links=(self.crank, self.wheel), carrier=carrier, pin=self.pin, pivot=pivot, slots=self.slots,
            distance=abs(centres), phase=x - cmath.phase(turned), start=start, slot=cmath.phase(-centres) - start,
        )  # fmt: skip

    def _shafts(self, draft: Draft) -> tuple[str, str, str] | None:
        """Return the carrier, preferably the ground, its pin to the crank and its pin to the wheel."""

        def pins(link: str, other: str) -> list[str]:
            return [point for point, held in draft.holders.items() if link in held and other in held]

        found = [
            (link, pins(link, self.crank)[0], pins(link, self.wheel)[0])
            for link in draft.link_entries
            if link not in (self.crank, self.wheel) and pins(link, self.crank) and pins(link, self.wheel)
        ]
        return next((item for item in found if item[0] == GROUND), found[0] if found else None)
