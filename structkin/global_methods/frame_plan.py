"""The plan of a motion solved by a global method: the frames of all links, group by group.

Its steps are the structural groups as the general solver writes them, with origin and direction of every link as
unknowns; so everything that is chained through the groups of a motion (such as K and L) is available too. The steps
are not run: their outputs are the solved frames, and the counted turns. A Geneva wheel is a separate step, because its
turn is known from a driver alone.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from structkin.groups import Relation, Rows, Turn
from structkin.joints.geneva import Geneva
from structkin.model.mechanism import Mechanism
from structkin.plan.bodies import solve_fastened
from structkin.plan.closed_forms import solve_closed, solve_pin
from structkin.plan.compile import DrawnSingularError, record_plan
from structkin.plan.general_rows import solve_general
from structkin.plan.known_state import KnownState
from structkin.plan.plan import Plan, Step
from structkin.rows.affine import Frame
from structkin.solve.engine import Lanes, sweep
from structkin.solve.special_geometry import structure_of
from structkin.structure import Group
from structkin.types import Floats

_plans: WeakKeyDictionary[Mechanism, Plan] = WeakKeyDictionary()


def frame_plan(mechanism: Mechanism) -> Plan:
    """Return the plan whose slots are the frames of all links.

    Raises `StructureError` where drivers are missing or too many.
    """
    if mechanism not in _plans:
        try:
            _plans[mechanism] = record_plan(mechanism, structure_of(mechanism), close=_close)
        except DrawnSingularError as error:
            _plans[mechanism] = error.plan  # frames are read, not solved, by this plan
    return _plans[mechanism]


def _close(state: KnownState, group: Group, index: int) -> Mapping[str, Frame]:
    if not group.links:
        solve_pin(state, group, index)
        return {}
    if any(contact.joint in state.mechanism.joints.of(Geneva) for contact in state.contacts(group.links)):
        stepped = solve_closed(state, group, index)
        if stepped is not None:
            return stepped
    fastened = solve_fastened(state, group)
    return solve_general(state, group, index) if fastened is None else fastened


@dataclass(frozen=True)
class Solved:
    """The result of a global method: frames (4 links, n) and counted turns (turned, n), each with two rates."""

    links: tuple[str, ...]
    frames: tuple[Floats, ...]
    turned: tuple[str, ...]
    turns: tuple[Floats, ...]


def fill(plan: Plan, mechanism: Mechanism, solved: Solved, drivers: Mapping[str, Floats]) -> Lanes:
    """Return the lanes of a plan from the solved frames and turns."""
    lanes = Lanes.empty(plan, solved.frames[0].shape[1])
    # Without steps, the engine fills the drivers' slots and marks samples without values.
    sweep(replace(plan, steps=()), lanes, drivers, lambda _: 1)
    _Filler(plan, mechanism, solved, lanes).run()
    return lanes


class _Filler:
    """Fills the steps in order: frames, pins and turns are known, steps that prepare them are computed from them."""

    def __init__(self, plan: Plan, mechanism: Mechanism, solved: Solved, lanes: Lanes) -> None:
        self._plan, self._x = plan, lanes.x
        self._index, self._frames = {link: k for k, link in enumerate(solved.links)}, solved.frames
        self._turns = {link: tuple(part[k] for part in solved.turns) for k, link in enumerate(solved.turned)}
        # Links with constant relative angle share a turn; rows count it only for some of them.
        counted = ((link, turn) for link, turn in plan.turns.items() if turn.is_slot and link in self._turns)
        self._turn_of = {turn.terms[0][0]: link for link, turn in counted}
        self._known: dict[int, tuple[str, complex | None]] = {}
        for link, frame in plan.frames.items():
            for expression, local in ((frame.origin, 0j), (frame.direction, None)):
                if expression.is_slot:
                    self._known[expression.terms[0][0]] = link, local
        # Links that only slide on each other share a direction; rows count the turn of one of them.
        directions = ((link, plan.frames[link].direction) for link in self._turns if link in plan.frames)
        self._counted = {direction.terms[0][0]: link for link, direction in directions if direction.is_slot}
        for pin, place in plan.pins.items():
            if place.is_slot and place.terms[0][0] not in self._known:
                link = next(name for name in mechanism.topology.joint(pin).links if name in self._index)
                self._known[place.terms[0][0]] = link, mechanism.links[link].local[pin]

    def run(self) -> None:
        with np.errstate(all="ignore"):
            for step in self._plan.steps:
                known = [slot for slot in step.outputs if slot in self._known]
                for slot in known:
                    for order in range(3):
                        self._put(slot, order, self._value(*self._known[slot], order))
                if not step.kind.closed_form:
                    self._fill_pin(step)
                    self._fill_angles(step, step.kind.rows)
                elif not known:
                    self._compute(step, step.kind)

    def _compute(self, step: Step, kind: Relation) -> None:
        """Compute an explicit step; the solved turn gives the number of whole turns."""
        h, dh, ddh = (self._plan.inputs(step, self._x[order], constant=order == 0) for order in range(3))
        turn = None
        if isinstance(kind, Turn):
            turn = self._turns[self._turn_of[step.outputs[0]]][0]
        phi = kind.position(h, turn)
        rates = kind.linear(h, phi, dh, (0.0,) * 4)
        second = kind.linear(h, phi, ddh, kind.convective(h, phi, dh, rates, dh, rates))
        for order, values in enumerate((phi, rates, second)):
            for slot, value in zip(step.outputs, values, strict=True):
                self._put(slot, order, value)

    def _fill_pin(self, step: Step) -> None:
        """Fill the direction that belongs to a pin placed before its links: it stays constant."""
        for slot, start in zip(step.outputs[:2], step.start[:2], strict=True):
            if slot not in self._known:
                self._put(slot, 0, np.array([[start.real], [start.imag]]))
                for order in (1, 2):
                    self._put(slot, order, 0.0)

    def _fill_angles(self, step: Step, rows: Rows) -> None:
        """Fill the counted angles of a group's links."""
        first = 2 * rows.links
        for link, slot, start in zip(rows.angles, step.outputs[first:], step.start[first:], strict=True):
            turns = self._turns[self._counted[step.outputs[2 * link + 1]]]
            for order in range(3):
                self._put(slot, order, turns[order] + start.real * (order == 0))

    def _put(self, slot: int, order: int, value: Any) -> None:
        rows = self._plan.rows(slot)
        self._x[order, rows] = value

    def _value(self, link: str, local: complex | None, order: int) -> Any:
        """Return a point of a link, or its direction, or their rates (2, n)."""
        Ox, Oy, Ux, Uy = self._frames[order][4 * self._index[link] :][:4]
        if local is None:
            return np.stack((Ux, Uy))
        return np.stack((Ox + local.real * Ux - local.imag * Uy, Oy + local.imag * Ux + local.real * Uy))
