"""Geared groups in closed form: first rotations, from linear equations with constant coefficients, then positions.

A gear pair couples the rotations of two links and their carrier (Willis), as does a belt; a prismatic joint makes two
rotations equal, an angle driver makes them differ by its angle. If these equations determine all rotations of a group,
as in gear trains, planetary gears and differentials, they are solved once, when the plan is compiled. The links are
then located on pins, or along guides and tracks by the travel of racks and rolling contacts.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from structkin.errors import Problem, StructureError
from structkin.groups import kind
from structkin.joints.turn_coupling import TurnCoupling
from structkin.numerical_tolerances import ROUNDING
from structkin.plan.known_state import Contact, KnownState
from structkin.plan.turns import frame_on_pin, scalar, travel_of, turn_of, turn_of_driver, turned_direction
from structkin.rows.affine import Affine, Frame
from structkin.structure import Group
from structkin.types import Floats


@dataclass(frozen=True)
class _Equation:
    """Sum of factor * rotation over links = travel of `rack` / lever, or the angle of `driver`, or zero."""

    factors: Mapping[str, float]
    driver: str | None = None
    rack: TurnCoupling | None = None


def solve_geared(state: KnownState, group: Group, index: int) -> Mapping[str, Frame] | None:
    """Record the steps of a group whose rotations can be solved separately; None if they cannot."""
    contacts = state.contacts(group.links)
    meshes = state.mechanism.joints.of(TurnCoupling)
    if group.pins or not any(contact.joint in meshes for contact in contacts):
        return None
    equations = _equations(state, group, contacts)
    placing = _placing(state, group, contacts)
    if equations is None or placing is None:
        return None
    A = np.array([[equation.factors.get(link, 0.0) for link in group.links] for equation in equations])
    if len(A) < len(group.links):
        return None
    if np.linalg.matrix_rank(A) < len(group.links):
        raise StructureError([_undetermined(group, index, contacts)], state.mechanism.title)
    turns = _solve(group.links, A, [_known(state, group, equation, index) for equation in equations])
    return None if turns is None else _Placer(state, index, turns).place(placing)


def _undetermined(group: Group, index: int, contacts: Sequence[Contact]) -> Problem:
    """Return the problem of a group whose rotation equations are dependent."""
    meshes = ", ".join(dict.fromkeys(contact.joint for contact in contacts if contact.kind == "G"))
    return Problem(
        f"group {index + 1}",
        f"with these ratios the couplings {meshes} do not determine the rotations of {', '.join(group.links)}",
        "two of them are equivalent, or lock each other: change a ratio, or drive another link",
    )


def _equations(state: KnownState, group: Group, contacts: Sequence[Contact]) -> list[_Equation] | None:
    found = []
    for contact in contacts:
        mesh = state.mechanism.joints.of(TurnCoupling).get(contact.joint)
        if mesh is not None and mesh.turn_factors:
            found.append(_Equation(mesh.turn_factors))
        elif mesh is not None and mesh.type == "rack" and not _moved_by(state, group, mesh):
            found.append(_Equation({mesh.links[0]: 1.0, mesh.links[1]: -1.0}, rack=mesh))
        elif contact.kind == "P":
            guide = state.guide(contact.joint)
            found.append(_Equation({guide.slider: 1.0, guide.carrier: -1.0}))
        elif mesh is None and contact.kind != "R":
            return None
    for id in group.drivers:
        drive = state.mechanism.drivers[id]
        if drive.kind != "angle":
            return None
        found.append(_Equation({drive.links[0]: -1.0, drive.links[1]: 1.0}, driver=id))
    return found


def _moved_by(state: KnownState, group: Group, rack: TurnCoupling) -> bool:
    """Return whether the travel of a rack's guide is an unknown of the group."""
    assert rack.guide is not None
    guide = state.guide(rack.guide)
    return guide.carrier in group.links or guide.slider in group.links


def _known(state: KnownState, group: Group, equation: _Equation, index: int) -> Affine:
    """Return the known side of an equation."""
    known = Affine()
    for link, factor in equation.factors.items():
        if link not in group.links and factor != 0.0:
            known = known - turn_of(state, link, index) * factor
    if equation.driver is not None:
        known = known + turn_of_driver(state, equation.driver, index)
    if equation.rack is not None and equation.rack.guide is not None:
        travel = travel_of(state, equation.rack.guide, index) - Affine(complex(equation.rack.shift))
        known = known + travel * (1 / equation.rack.lever)
    return known


def _solve(links: Sequence[str], A: Floats, known: Sequence[Affine]) -> dict[str, Affine] | None:
    """Solve A turns = known; None if redundant equations are not identically satisfied."""
    inverse = np.linalg.inv(A) if len(A) == len(links) else np.linalg.pinv(A)
    inverse[np.abs(inverse) < ROUNDING * np.max(np.abs(inverse))] = 0.0
    turns = {link: _combined(row, known) for link, row in zip(links, inverse, strict=True)}
    if len(A) > len(links):
        solved = list(turns.values())
        for row, wanted in zip(A, known, strict=True):
            gap = _combined(row, solved) - wanted
            if any(abs(factor) > ROUNDING * max(1.0, float(np.max(np.abs(row)))) for _, factor in gap.terms):
                return None
    return turns


def _combined(factors: Floats, expressions: Sequence[Affine]) -> Affine:
    total = Affine()
    for factor, expression in zip(factors.tolist(), expressions, strict=True):
        total = total + expression * factor
    return Affine(total.const, tuple((slot, f) for slot, f in total.terms if abs(f) > ROUNDING))


# --- positions ------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Place:
    """A link, the joint that locates it, and the coupling that determines how far along or around, except for pins."""

    link: str
    contact: Contact
    mesh: TurnCoupling | None


def _placing(state: KnownState, group: Group, contacts: Sequence[Contact]) -> list[_Place] | None:
    """Return in order which link is located by which joint; None unless each is located exactly once."""
    meshes = [
        mesh for contact in contacts if (mesh := state.mechanism.joints.of(TurnCoupling).get(contact.joint)) is not None
    ]
    along: dict[str, TurnCoupling] = {mesh.id: mesh for mesh in meshes if mesh.type == "rolling"}
    racks = [mesh for mesh in meshes if mesh.type == "rack" and _moved_by(state, group, mesh)]
    along.update({mesh.guide: mesh for mesh in racks if mesh.guide is not None})
    placers = [contact for contact in contacts if contact.kind == "R" or contact.joint in along]
    guided = {contact.joint for contact in contacts if contact.kind == "P"}
    if len(placers) != len(group.links) or len(racks) != len(guided) or not guided <= set(along):
        return None
    order: list[_Place] = []
    known = set(state.frames)
    while placers:
        for contact in placers:
            ends = _ends(state, contact)
            new = [end for end in ends if end not in known]
            # a pin located by an earlier group is known before its links
            if len(new) == 1 and (len(ends) == 2 or contact.other is None):
                order.append(_Place(new[0], contact, along.get(contact.joint)))
                known.add(new[0])
                placers.remove(contact)
                break
        else:
            return None
    return order


def _ends(state: KnownState, contact: Contact) -> tuple[str, ...]:
    if contact.kind == "R":
        return (contact.link,) if contact.other is None else (contact.link, contact.other)
    if contact.kind == "P":
        guide = state.guide(contact.joint)
        return guide.carrier, guide.slider
    return state.mechanism.joints.of(TurnCoupling)[contact.joint].links


@dataclass
class _Placer:
    """Locates links with known rotations, one joint per link."""

    state: KnownState
    index: int
    turns: Mapping[str, Affine]

    def place(self, order: Sequence[_Place]) -> Mapping[str, Frame]:
        """Return the frames of all links."""
        frames: dict[str, Frame] = {}
        for item in order:
            link, mesh = item.link, item.mesh
            direction = turned_direction(self.state, link, self.turns[link], self.index)
            if mesh is None:
                frames[link] = self._on_pin(link, item.contact, direction, frames)
            elif mesh.ratio is not None:
                frames[link] = self._round_circle(link, mesh, direction, frames)
            else:
                frames[link] = self._along(link, mesh, direction, frames)
        return frames

    def _frame(self, link: str, frames: Mapping[str, Frame]) -> Frame:
        return frames[link] if link in frames else self.state.frames[link]

    def _turn(self, link: str) -> Affine:
        return self.turns[link] if link in self.turns else turn_of(self.state, link, self.index)

    def _on_pin(self, link: str, contact: Contact, direction: Affine, frames: Mapping[str, Frame]) -> Frame:
        state = self.state
        if contact.other is None:
            return frame_on_pin(state, link, contact.joint, direction)
        other = contact.other if contact.link == link else contact.link
        pin = self._frame(other, frames).point(state.local(other, contact.joint))
        return Frame(pin - direction * state.local(link, contact.joint), direction)

    def _along(self, link: str, mesh: TurnCoupling, direction: Affine, frames: Mapping[str, Frame]) -> Frame:
        """Locate a link on a guide or track, by the travel of its rack or its own rolling."""
        state, index = self.state, self.index
        assert mesh.guide is not None
        guide = state.guide(mesh.guide)
        travel = (self._turn(mesh.links[0]) - self._turn(mesh.links[1])) * mesh.lever
        on_slider = link == guide.slider
        carrier = direction if not on_slider else self._frame(guide.carrier, frames).direction
        along = carrier * (guide.direction if on_slider else -guide.direction)
        shift = complex(guide.start + mesh.shift, guide.offset)
        if on_slider:
            start, local = self._frame(guide.carrier, frames).point(guide.origin) + along * shift, guide.point
        else:
            start, local = self._frame(guide.slider, frames).point(guide.point) + along * shift, guide.origin
        inputs = (state.builder.vector(start, index), state.builder.vector(along, index), scalar(state, travel, index))
        origin, turn = state.sketch_frame(link)
        (out,) = state.builder.step(kind("driven P"), inputs, (origin + turn * local,), group=index)
        return Frame(Affine.slot(out) - direction * local, direction)

    def _round_circle(self, link: str, mesh: TurnCoupling, direction: Affine, frames: Mapping[str, Frame]) -> Frame:
        """Locate a circle that rolls on another: the line of centres rotates like a carrier."""
        assert mesh.ratio is not None
        state = self.state
        first, second = (self._turn(end) for end in mesh.links)
        turn = (first - second * mesh.ratio) * (1 / (1 - mesh.ratio))
        k = mesh.links.index(link)
        other, mine, its = mesh.links[1 - k], mesh.centers[k], mesh.centers[1 - k]
        assert mine is not None and its is not None
        (o, u), (p, w) = state.sketch_frame(link), state.sketch_frame(other)
        line = o + u * mine - p - w * its
        inputs = (line / abs(line), scalar(state, turn, self.index))
        (out,) = state.builder.step(kind("R-G"), inputs, (line / abs(line),), group=self.index)
        state.builder.turns[out] = turn
        center = self._frame(other, frames).point(its) + Affine.slot(out) * mesh.reach
        return Frame(center - direction * mine, direction)
