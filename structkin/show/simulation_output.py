"""A simulation as a table: for the terminal, CSV, JSON. Energies in J, efforts in N and N m."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

import numpy as np

from structkin.dynamics import Simulation
from structkin.show.columns import Column, all_columns
from structkin.show.forces_output import effort_unit
from structkin.show.table import motion_to_dict, nested, write_columns
from structkin.show.terminal import summary_table

if TYPE_CHECKING:
    from rich.table import Table


def energy_columns(simulation: Simulation) -> Iterator[Column]:
    """Yield kinetic and potential energy, and their sum."""
    yield Column("energy", "kinetic", "J", simulation.kinetic_energy)
    yield Column("energy", "potential", "J", simulation.potential_energy)
    yield Column("energy", "total", "J", simulation.energy)


def effort_columns(simulation: Simulation) -> Iterator[Column]:
    """Yield what each driver gives."""
    for id, values in simulation.efforts.items():
        yield Column(id, "effort", effort_unit(simulation.mechanism, id), values)


def multiplier_columns(simulation: Simulation) -> Iterator[Column]:
    """Yield the multiplier of each row of a formulation that has them."""
    if simulation.coordinates is not None and simulation.multipliers is not None:
        for row, values in zip(simulation.coordinates.rows, simulation.multipliers.T, strict=True):
            yield Column(str(row), "multiplier", "", values)


def write_simulation_csv(simulation: Simulation, target: str | Path | IO[str]) -> None:
    """Write a simulation as CSV: the columns of a motion, efforts, energies, violation, multipliers; a line a sample.

    Raises `InputError` where the file cannot be written.
    """
    columns = [*all_columns(simulation), *effort_columns(simulation), *energy_columns(simulation)]
    columns.append(Column("joints", "violation", "", simulation.violation))
    columns += multiplier_columns(simulation)
    write_columns(columns, simulation, target)


def simulation_to_dict(simulation: Simulation) -> dict[str, Any]:
    """Return a simulation as plain data for JSON; NaN is None."""
    integration = simulation.integration
    return {
        **motion_to_dict(simulation),
        "free": list(simulation.free),
        "efforts": {id: parts["effort"] for id, parts in nested(effort_columns(simulation)).items()},
        "energy": nested(energy_columns(simulation))["energy"],
        "violation": simulation.violation.tolist(),
        "constraints": constraints_to_dict(simulation),
        "corrections": [asdict(one) for one in simulation.corrections],
        "stopped": simulation.stopped or None,
        "integration": {
            "steps": integration.steps,
            "evaluations": integration.evaluations,
            "seconds": integration.seconds,
        },
    }


def constraints_to_dict(simulation: Simulation) -> dict[str, Any] | None:
    """Return coordinates and multipliers of a formulation that has them, and which joint reactions are unique."""
    c = simulation.coordinates
    if c is None or simulation.q is None or simulation.multipliers is None:
        return None
    joints = [joint.id for joint in simulation.mechanism.topology.joints]
    return {
        "formulation": simulation.formulation,
        "family": c.family,
        "names": list(c.names),
        "q": simulation.q.tolist(),
        "rows": [str(row) for row in c.rows],
        "multipliers": simulation.multipliers.tolist(),
        "redundant": simulation.redundant,
        "unique": {id: simulation.joints.unique(id) for id in joints},
    }


def _constraint_lines(simulation: Simulation) -> list[str]:
    c = simulation.coordinates
    if c is None:
        return []
    lines = [f"{simulation.formulation}: {c.n} {c.family} coordinates, {c.m} constraints"]
    if simulation.redundant:
        lines.append(f"{simulation.redundant} redundant, not unique: {', '.join(simulation.joints.not_unique)}")
    return lines


def simulation_table(simulation: Simulation) -> Table:
    """Return the range of every moving point and link, for the terminal, and below it how it went."""
    table = summary_table(simulation)
    integration = simulation.integration
    energy = simulation.energy
    lines = [
        str(table.caption),
        f"free: {', '.join(simulation.free)}",
        f"energy {energy[0]:.6g} J, changes by {np.max(np.abs(energy - energy[0])):.3g} J at most",
        *_constraint_lines(simulation),
        f"{integration.steps} steps, {integration.evaluations} evaluations, {integration.seconds:.2g} s",
    ]
    lines += [str(one) for one in simulation.corrections]
    if simulation.stopped:
        lines.append(f"stopped at {simulation.stopped}")
    table.caption = "\n".join(lines)
    return table
