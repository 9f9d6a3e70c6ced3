"""All joints of a mechanism at once: the Jacobian whose rank classifies a pose."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from structkin.groups import General
from structkin.model.mechanism import Mechanism
from structkin.plan.builder import PlanBuilder
from structkin.plan.general_rows import write_rows
from structkin.plan.known_state import KnownState
from structkin.plan.plan import Operand, Register
from structkin.structure import KinematicStructure
from structkin.types import Floats


@dataclass(frozen=True)
class Whole:
    """The rows of all joints, or of all joints and drivers, as one group of all moving links."""

    links: tuple[str, ...]
    form: General
    inputs: tuple[Operand, ...]
    builder: PlanBuilder

    @classmethod
    def of(cls, mechanism: Mechanism, structure: KinematicStructure, *, drivers: bool) -> Whole:
        """Return the rows of all joints of a mechanism and, with `drivers`, those of its drivers."""
        links = tuple(mechanism.topology.moving_links)
        state = KnownState(mechanism, mechanism.topology, PlanBuilder(), mechanism.topology.ground, lambda *_: {})
        group = replace(structure.groups[0], links=links, drivers=tuple(mechanism.drivers) if drivers else ())
        form, inputs = write_rows(state, group, 0)
        return cls(links, form, inputs, state.builder)

    def jacobian(self, origins: Floats, angles: Floats, drivers: Mapping[str, float]) -> Floats:
        """Return the scaled Jacobian (rows, 3 m) at origins (m, 2) and angles (m,); columns dO_x, dO_y, size dtheta."""
        if not self.form.rows.count:
            return np.zeros((0, 3 * self.form.rows.links))
        values: dict[int, Any] = {}
        for item in self.builder.drivers.values():
            z = item.at(drivers[item.driver])
            values[item.register] = complex(*z) if item.angular else z
        for step in self.builder.steps:
            # The only steps here compute half the square of a driven distance.
            (distance,) = step.inputs
            assert isinstance(distance, Register)
            values[step.outputs[0]] = 0.5 * values[distance.index] ** 2
        h = tuple(self._operand(operand, values) for operand in self.inputs)
        return np.asarray(self.form.jacobian(h, self.form.unknowns(origins[:, :, None], angles[:, None]))[0])

    def _operand(self, operand: Operand, values: Mapping[int, Any]) -> Any:
        value = values[operand.index] if isinstance(operand, Register) else operand
        vector = isinstance(operand, complex) or (
            isinstance(operand, Register) and self.builder.widths[operand.index] == 2
        )
        return np.array([[np.real(value)], [np.imag(value)]]) if vector else np.array([np.real(value)])
