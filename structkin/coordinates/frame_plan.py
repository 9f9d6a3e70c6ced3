"""The plan behind a motion that a global method has solved: the frames of all links, group by group.

Its steps are the structural groups as the general solver writes them, with origin and direction of every link as
unknowns; so everything that is chained through the groups of a motion (K and L among it) is there as well. The steps
are not run: their outputs are the solved frames.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from structkin.errors import StructureError
from structkin.groups import General
from structkin.kinematics.affine import Frame
from structkin.kinematics.closed_forms import solve_pin
from structkin.kinematics.compile import determines_all
from structkin.kinematics.engine import Lanes, sweep
from structkin.kinematics.general_rows import solve_general
from structkin.kinematics.plan import Plan, Slot
from structkin.kinematics.scene import Scene
from structkin.kinematics.tape import Tape
from structkin.model.mechanism import Mechanism
from structkin.structure import Group, KinematicStructure

Floats = NDArray[np.float64]


def frame_plan(mechanism: Mechanism, structure: KinematicStructure) -> Plan:
    """Return the plan whose slots are the frames of all links.

    Raises `StructureError` where drivers are missing or too many.
    """
    if not determines_all(structure):
        raise StructureError(structure.diagnostics, mechanism.title or "mechanism")
    scene = Scene(mechanism, mechanism.topology, Tape(), mechanism.topology.ground, _close)
    scene.solve_all(structure)
    tape = scene.tape
    return Plan(
        structure, tuple(tape.widths), tuple(tape.steps), tuple(tape.drivers.values()), scene.frames, scene.pins
    )


def _close(scene: Scene, group: Group, index: int) -> Mapping[str, Frame]:
    if not group.links:
        solve_pin(scene, group, index)
        return {}
    return solve_general(scene, group, index)


def fill(
    plan: Plan, mechanism: Mechanism, links: tuple[str, ...], frames: tuple[Floats, ...], drivers: Mapping[str, Floats]
) -> Lanes:
    """Return the lanes of a plan from the solved frames (4 links, n) and their first and second rates."""
    lanes = Lanes.empty(plan, frames[0].shape[1])
    # Without steps, the engine fills what the drivers supply and marks where they supply nothing.
    sweep(replace(plan, steps=()), lanes, drivers, lambda _: 1)
    _Filler(plan, mechanism, {link: k for k, link in enumerate(links)}, frames, lanes).run()
    return lanes


class _Filler:
    """Goes through the steps in order: frames and pins are known, what prepares them is a sum or a half square."""

    def __init__(
        self, plan: Plan, mechanism: Mechanism, index: Mapping[str, int], frames: tuple[Floats, ...], lanes: Lanes
    ) -> None:
        self._plan, self._x = plan, lanes.x
        self._index, self._frames = index, frames
        self._known: dict[int, tuple[str, complex | None]] = {}
        for link, frame in plan.frames.items():
            for expression, local in ((frame.origin, 0j), (frame.direction, None)):
                if expression.is_slot:
                    self._known[expression.terms[0][0]] = link, local
        for pin, place in plan.pins.items():
            if place.is_slot and place.terms[0][0] not in self._known:
                link = next(name for name in mechanism.topology.joint(pin).links if name in index)
                self._known[place.terms[0][0]] = link, mechanism.links[link].local[pin]

    def run(self) -> None:
        with np.errstate(all="ignore"):
            for step in self._plan.steps:
                known = [slot for slot in step.outputs if slot in self._known]
                for slot in known:
                    for order in range(3):
                        self._x[order, self._plan.rows(slot)] = self._value(*self._known[slot], order)
                if known or isinstance(step.kind, General):
                    continue
                h, dh, ddh = (tuple(self._operand(x, order) for x in step.inputs) for order in range(3))
                phi = step.kind.position(h, None)
                rates = step.kind.linear(h, phi, dh, (0.0,) * 4)
                second = step.kind.linear(h, phi, ddh, step.kind.convective(h, phi, dh, rates, dh, rates))
                for order, values in enumerate((phi, rates, second)):
                    for slot, value in zip(step.outputs, values, strict=True):
                        self._x[order, self._plan.rows(slot)] = value

    def _value(self, link: str, local: complex | None, order: int) -> Any:
        """Return a point of a link, or its direction, or their rates (2, n)."""
        Ox, Oy, Ux, Uy = self._frames[order][4 * self._index[link] :][:4]
        if local is None:
            return np.stack((Ux, Uy))
        return np.stack((Ox + local.real * Ux - local.imag * Uy, Oy + local.imag * Ux + local.real * Uy))

    def _operand(self, operand: Any, order: int) -> Any:
        if isinstance(operand, Slot):
            rows = self._plan.rows(operand.index)
            return self._x[order, rows] if rows.stop - rows.start == 2 else self._x[order, rows.start]
        constant = float(order == 0)
        if isinstance(operand, float):
            return constant * operand
        return constant * np.array([[operand.real], [operand.imag]])
