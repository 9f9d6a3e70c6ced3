"""Rolling wheels whose centre is guided by a rod or a cylinder, in closed form.

The centre of a rolling circle keeps its distance from a line, or from the centre of another circle. So it is computed
like that of a slider, or of a second rod; the rolled arc then gives the rotation of the wheel.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from structkin.joints.turn_coupling import TurnCoupling
from structkin.plan.closing import Closing, half_square_of
from structkin.plan.known_state import Contact, KnownState
from structkin.plan.plan import Operand
from structkin.plan.turns import travel_between, turn_of, turn_of_vector, turned_direction
from structkin.rows.affine import Affine, Frame
from structkin.structure import Group


@dataclass(frozen=True)
class _Lead:
    """What guides a centre: its name, a known point and half the square of the distance from it; the rod if any."""

    center: str
    known: Affine
    reach: Operand
    rod: Contact | None = None


def solve_rolling(state: KnownState, group: Group, index: int) -> Mapping[str, Frame] | None:
    """Record the steps of a wheel rolling on a known link and guided at its centre; None for other groups."""
    contacts = state.contacts(group.links)
    rolling = [contact for contact in contacts if contact.kind == "K" and contact.other is None]
    if len(rolling) != 1 or len(contacts) - len(rolling) != 2 * (len(group.links) - 1):
        return None
    mesh = state.mechanism.joints.of(TurnCoupling)[rolling[0].joint]
    wheel = rolling[0].link
    if mesh.guide is not None and wheel != mesh.links[0]:
        return None
    local = mesh.centers[mesh.links.index(wheel)]
    assert local is not None
    lead = _led_by_rod(state, group, contacts, wheel, local) or _led_by_ram(state, group, index, wheel, local)
    if lead is None:
        return None
    closing = Closing(state, index, {link: (link,) for link in group.links})
    center, turn = _on_line(closing, mesh, lead) if mesh.guide is not None else _on_circle(closing, mesh, lead, wheel)
    direction = turned_direction(state, wheel, turn, index)
    frames = {wheel: Frame(center - direction * local, direction)}
    if lead.rod is not None:
        rod, pin = lead.rod.link, lead.rod.joint
        near = state.local(rod, pin)
        along = (center - lead.known) * (1 / (state.local(rod, lead.center) - near))
        frames[rod] = Frame(lead.known - along * near, along)
    return frames


def _led_by_rod(
    state: KnownState, group: Group, contacts: Sequence[Contact], wheel: str, local: complex
) -> _Lead | None:
    """Return the guidance by a rod between a known pin and the centre of the wheel, at `local` in its frame."""
    inner = [contact for contact in contacts if contact.kind == "R" and contact.other is not None]
    outer = [contact for contact in contacts if contact.kind == "R" and contact.other is None]
    if group.drivers or len(group.links) != 2 or len(inner) != 1 or len(outer) != 1 or outer[0].link == wheel:
        return None
    rod, center = outer[0].link, inner[0].joint
    if state.local(wheel, center) != local:
        return None
    arm = state.local(rod, center) - state.local(rod, outer[0].joint)
    return _Lead(center, state.pins[outer[0].joint], 0.5 * abs(arm) ** 2, outer[0])


def _led_by_ram(state: KnownState, group: Group, index: int, wheel: str, local: complex) -> _Lead | None:
    """Return the guidance by a driven distance between a known point and the centre of the wheel."""
    if len(group.links) != 1 or len(group.drivers) != 1:
        return None
    drive = state.mechanism.drivers[group.drivers[0]]
    mine = [point for link, point in drive.ends or () if link == wheel]
    known = [(link, point) for link, point in drive.ends or () if link != wheel]
    if len(mine) != 1 or len(known) != 1 or known[0][0] not in state.frames or state.local(wheel, mine[0]) != local:
        return None
    link, point = known[0]
    place = state.frames[link].point(state.local(link, point))
    return _Lead(mine[0], place, half_square_of(state, drive.id, index))


def _on_line(closing: Closing, mesh: TurnCoupling, lead: _Lead) -> tuple[Affine, Affine]:
    """Return centre and rotation of a wheel on a line: circle and line, then the travel."""
    assert mesh.guide is not None
    state, guide = closing.state, closing.state.guide(mesh.guide)
    base = state.frames[guide.carrier]
    start, along = base.point(guide.origin), base.direction * guide.direction
    inputs = (closing.vector(lead.known), lead.reach, closing.vector(start), closing.vector(along), guide.offset)
    center = closing.close("RRP", inputs, state.sketch_point(lead.center), lead.center)
    travel = travel_between(state, start, along, center, guide.start + mesh.shift, closing.index)
    return center, turn_of(state, mesh.links[1], closing.index) + travel * (1 / mesh.lever)


def _on_circle(closing: Closing, mesh: TurnCoupling, lead: _Lead, wheel: str) -> tuple[Affine, Affine]:
    """Return centre and rotation of a wheel on a circle: two circles, then the rotation of the line of centres."""
    assert mesh.ratio is not None
    state, k = closing.state, mesh.links.index(wheel)
    other, its = mesh.links[1 - k], mesh.centers[1 - k]
    assert its is not None
    hub = state.frames[other].point(its)
    inputs = (closing.vector(lead.known), closing.vector(hub), lead.reach, 0.5 * mesh.reach**2)
    center = closing.close("RRR", inputs, state.sketch_point(lead.center), lead.center)
    line = turn_of_vector(state, center - hub, closing.index) * (mesh.ratio - 1)
    known = turn_of(state, other, closing.index)
    return center, known * mesh.ratio - line if k == 0 else (known + line) * (1 / mesh.ratio)
