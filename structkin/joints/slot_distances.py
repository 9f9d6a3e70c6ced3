"""Distances of a curved slot's pin from points of the slotted link: coordinates in place of the travel."""

from __future__ import annotations

from collections.abc import Iterator

from structkin.joints.circular_slot import CircularSlot
from structkin.joints.curve_slot import CurveSlot
from structkin.model.mechanism import Mechanism
from structkin.model.parts import DriverCoordinate


def measured_from(mechanism: Mechanism, slot: CircularSlot | CurveSlot) -> list[str]:
    """Return the points of the slotted link whose distance from the pin changes along the slot."""
    centre = slot.center if isinstance(slot, CircularSlot) else None
    return [point for point, place in mechanism.links[slot.carrier].local.items() if place != centre]


def distances(mechanism: Mechanism, id: str, slot: CircularSlot | CurveSlot) -> Iterator[DriverCoordinate]:
    """Yield the distances of a slot's pin from points of the slotted link; their ids begin with a travel's."""
    pins = {joint.id for joint in mechanism.topology.joints if joint.kind == "R"}
    pin = next(point for point, place in mechanism.links[slot.slider].local.items() if place == slot.point)
    for point in measured_from(mechanism, slot):
        ends = (slot.carrier, point), (slot.slider, pin)
        links = [f"@{end}" if end in pins else link for link, end in ends]
        yield DriverCoordinate(f"{id}_{point}", "distance", (links[0], links[1]), None, 0.0, None, ends)


def steepest(mechanism: Mechanism, id: str, slot: CircularSlot | CurveSlot) -> DriverCoordinate | None:
    """Return the one of the distances that changes most along the slot in the sketch; None if there are none."""
    carrier = mechanism.links[slot.carrier]
    slider = mechanism.links[slot.slider]
    pin = (slider.origin + slider.direction * slot.point - carrier.origin) / carrier.direction
    if isinstance(slot, CircularSlot):
        tangent = 1j * (pin - slot.center)
    else:
        x, y = slot.curve.at(slot.curve.foot(pin.real, pin.imag), 2)[1]
        tangent = complex(x, y)

    def rate(one: DriverCoordinate) -> float:
        assert one.ends is not None
        away = pin - carrier.local[one.ends[0][1]]
        return abs((tangent.conjugate() * away).real) / (abs(tangent) * abs(away)) if away else 0.0

    return max(distances(mechanism, id, slot), key=rate, default=None)
