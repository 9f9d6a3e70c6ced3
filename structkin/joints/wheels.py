"""What gears and belts both read from their entries: the ratio, and the arm that holds the centres."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator
from typing import ClassVar

from structkin.joints.turn_coupling import CouplingEntry, TurnCoupling, points_of, shared_pins
from structkin.model.draft import Draft
from structkin.model.fields import Name, Radii, Ratio, Teeth, TwoPoints
from structkin.model.flaw import Flaw
from structkin.model.parts import Link

#: Relative tolerance between redundant data: pitch radii are often rounded in a file.
AGREE = 1e-3


class WheelsEntry(CouplingEntry):
    """Two wheels with a speed ratio; their centres are held by the carrier.

    By default they turn in opposite senses, or in the same sense (`same_sense`) as with an open belt. `reverses` is the
    key that reverses the default.
    """

    joint: ClassVar[type[TurnCoupling]]
    reverses: ClassVar[str]
    same_sense: ClassVar[bool] = False

    ratio: Ratio | None = None
    teeth: Teeth | None = None
    radii: Radii | None = None
    carrier: Name | None = None
    centers: TwoPoints | None = None

    def couple(self, draft: Draft, id: str) -> TurnCoupling | None:
        """Return the joint; None if a part that it needs has errors."""
        same, said = self.same_sense, getattr(self, self.reverses)
        if said is not None:
            same = said != same
        elif self.ratio is not None:
            same = self.ratio > 0
        ratio = self._ratio(same)
        if ((ratio if self.ratio is None else self.ratio) > 0) != same:
            hint = "negative for external gears and crossed belts, positive for internal gears and open belts"
            raise Flaw(f"the ratio {self.ratio or ratio:g} contradicts {self.reverses} = {str(said).lower()}", hint)
        held = self._held(draft, f"joints.{id}")
        if held is None:
            return None
        arm, *pins = held
        first, second = (draft.links[link].local[pin] for link, pin in zip(self.links, pins, strict=True))
        radii = self.radii_at(draft, abs(arm.local[pins[1]] - arm.local[pins[0]]), ratio)
        bearer = draft.bearer(arm.name, pins[0])
        return self.joint(id, links=self.links, centers=(first, second), radii=radii, ratio=ratio, arm=bearer)

    @abstractmethod
    def radii_at(self, draft: Draft, distance: float, ratio: float) -> tuple[float, float]:
        """Return the radii of the wheels at a centre distance; raise `Flaw` where they contradict it."""

    def _ratio(self, same: bool) -> float:
        """Return omega_1 / omega_2 relative to the carrier; redundant data has to agree."""
        sign = 1.0 if same else -1.0
        found = {}
        if self.teeth is not None:
            found["teeth"] = sign * self.teeth[1] / self.teeth[0]
        if self.ratio is not None:
            found["ratio"] = self.ratio
        if self.radii is not None:
            found["radii"] = sign * self.radii[1] / self.radii[0]
        if not found:
            raise Flaw("has no ratio", "give teeth = [20, 40], or radii = [10, 20], or ratio = -2 (omega_1 / omega_2)")
        first = next(iter(found))
        for other, value in found.items():
            if abs(abs(value) - abs(found[first])) > AGREE * abs(value):
                raise Flaw(
                    f"{first} and {other} contradict each other: omega_1 / omega_2 is {found[first]:g} or {value:g}",
                    "delete one; speeds are inversely proportional to radii and teeth",
                )
        return found[first]

    def _held(self, draft: Draft, key: str) -> tuple[Link, str, str] | None:
        """Return the carrier and its pins to the two links."""
        first, second = self.links
        name = self.carrier
        found = [*_carriers(draft, first, second, name)]
        if name is not None and not found:
            for link in self.links:
                if not shared_pins(draft, name, link):
                    draft.fault(key, f"no pin joins '{link}' to its carrier '{name}'", "name a point in both links")
            return None
        if self.centers is not None:
            for link, point in zip(self.links, self.centers, strict=True):
                if point not in draft.links[link].local:
                    draft.fault(f"{key}.centers", f"the point '{point}' is not on '{link}'", points_of(draft, link))
                    return None
            found = [one for one in found if one[1:] == self.centers]
        apart = [one for one in found if draft.points[one[1]] != draft.points[one[2]]]
        if found and not apart and (name is not None or self.centers is not None):
            hint = "draw a bevel differential with spur gears: two planets between the suns"
            raise Flaw(f"its centres coincide on '{found[0][0]}': two wheels on one axis cannot mesh", hint)
        # Links fastened together are one carrier: the first that has both pins.
        found = [*{(draft.bodies.get(one[0], one[0]), *one[1:]): one for one in reversed(apart)}.values()][::-1]
        if len(found) == 1:
            carrier, a, b = found[0]
            return None if carrier not in draft.links else (draft.links[carrier], a, b)
        if found:
            names = list(dict.fromkeys(one[0] for one in found))
            if len(names) > 1:
                raise Flaw(f"has {len(names)} possible carriers: {', '.join(names)}", f'add carrier = "{names[0]}"')
            raise Flaw(
                f"its centres on '{names[0]}' are not clear", f'add centers = ["{found[0][1]}", "{found[0][2]}"]'
            )
        if draft.whole("links"):
            raise Flaw(
                f"no link holds both centres: there is no carrier of '{first}' and '{second}'",
                "pin both centres to one link or to the ground",
            )
        return None


def _carriers(draft: Draft, first: str, second: str, name: str | None) -> Iterator[tuple[str, str, str]]:
    """Yield possible carriers (all links, or the named one), each with its pins to the two links."""
    points = set(draft.link_entries[first].points)
    for link, entry in draft.link_entries.items():
        if link not in (first, second) and name in (None, link) and not points.isdisjoint(entry.points):
            for a in shared_pins(draft, link, first):
                yield from ((link, a, b) for b in shared_pins(draft, link, second))
