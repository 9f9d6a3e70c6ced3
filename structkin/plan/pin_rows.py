"""The equations of a pin located by curved slots or travels along slots before any link on it is known."""

from __future__ import annotations

from structkin.groups import General
from structkin.plan.general_rows import GroupWriter
from structkin.plan.known_state import Contact, KnownState
from structkin.rows.affine import Affine
from structkin.rows.row import Row
from structkin.structure import Group


def place_pin(state: KnownState, group: Group, index: int) -> Affine:
    """Record one step that locates the pin of a group without links, and return its position."""
    writer = _PinWriter(state, group, index)
    writer.write(group.drivers)
    writer.keep_orientation()
    slots = state.builder.step(General(writer.form()), writer.inputs(), writer.sketch()[0], group=index)
    return Affine.slot(slots[0])


class _PinWriter(GroupWriter):
    """Writes the rows of a pin: the origin of an unknown link with constant orientation."""

    def __init__(self, state: KnownState, group: Group, index: int) -> None:
        self._pin = group.pins[0]
        self._link = state.topology.joint(self._pin).links[0]
        contacts = [Contact("S", joint, self._link) for joint in group.joints]
        super().__init__(state, [self._link], contacts, index)

    def point(self, link: str, local: complex) -> Affine:
        """Return a point of a link, relative to the pin for the unknown one."""
        return super().point(link, local - self._state.local(link, self._pin) if link == self._link else local)

    def sketch(self) -> list[tuple[complex, complex]]:
        """Return the pin in the sketch, and the direction of its link."""
        return [(self._state.sketch_point(self._pin), self._state.sketch_frame(self._link)[1])]

    def keep_orientation(self) -> None:
        """Write that the direction is that of the sketch."""
        [(_, direction)] = self.sketch()
        row = Row.aligned(Affine(direction), self.along(self._link))
        self.add(self._pin, "orientation", (self._link,), 1.0, row)
