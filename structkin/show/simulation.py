"""A simulation: for the terminal, CSV, JSON, and as curves. Energies in J, efforts in N and N m."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

import numpy as np

from structkin.dynamics import Simulation
from structkin.numerical_tolerances import LEAST_DRAWN, NEGLIGIBLE, ROUNDING
from structkin.show.columns import Column, all_columns, motion_to_dict, nested, write_columns
from structkin.show.fitting import add_title, legends_above
from structkin.show.letters import legible
from structkin.show.motion_forces import Curve, effort_unit, in_thousands, panel, thousands
from structkin.show.quantities import measures_of
from structkin.show.style import DRIVER, GROUND, NORMAL, PALETTE, new_figure, plain
from structkin.show.terminal import summary_table
from structkin.types import Floats

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from rich.table import Table


def energy_columns(simulation: Simulation) -> Iterator[Column]:
    """Yield kinetic and potential energy, and their sum."""
    yield Column("energy", "kinetic", "J", simulation.kinetic_energy)
    yield Column("energy", "potential", "J", simulation.potential_energy)
    yield Column("energy", "total", "J", simulation.energy)


def effort_columns(simulation: Simulation) -> Iterator[Column]:
    """Yield the effort of each driver."""
    for id, values in simulation.efforts.items():
        yield Column(id, "effort", effort_unit(simulation.mechanism, id), values)


def multiplier_columns(simulation: Simulation) -> Iterator[Column]:
    """Yield the multiplier of each constraint, if the formulation has multipliers."""
    if simulation.coordinates is not None and simulation.multipliers is not None:
        for row, values in zip(simulation.coordinates.rows, simulation.multipliers.T, strict=True):
            yield Column(str(row), "multiplier", "", values)


def write_simulation_csv(simulation: Simulation, target: str | Path | IO[str]) -> None:
    """Write a simulation as CSV, one line per sample: a motion, efforts, energies, violation, multipliers.

    Raises `InputError` if the file cannot be written.
    """
    columns = [*all_columns(simulation), *effort_columns(simulation), *energy_columns(simulation)]
    columns.append(Column("joints", "violation", "", simulation.violation))
    columns += multiplier_columns(simulation)
    write_columns(columns, simulation, target)


def simulation_to_dict(simulation: Simulation) -> dict[str, Any]:
    """Return a simulation as plain data for JSON; NaN becomes None."""
    integration = simulation.integration
    return {
        **motion_to_dict(simulation),
        "free": list(simulation.free),
        "efforts": {id: parts["effort"] for id, parts in nested(effort_columns(simulation)).items()},
        "energy": nested(energy_columns(simulation))["energy"],
        "violation": simulation.violation.tolist(),
        "constraints": constraints_to_dict(simulation),
        "corrections": [asdict(one) for one in simulation.corrections],
        "notes": list(simulation.notes),
        "stopped": simulation.stopped or None,
        "integration": {
            "steps": integration.steps,
            "evaluations": integration.evaluations,
            "seconds": integration.seconds,
        },
    }


def constraints_to_dict(simulation: Simulation) -> dict[str, Any] | None:
    """Return coordinates and multipliers, if the formulation has them, and which joint reactions are unique."""
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
    """Return a table of the range of every moving point and link, with a summary of the simulation below it."""
    table = summary_table(simulation)
    integration = simulation.integration
    energy = simulation.energy
    lines = [
        str(table.caption),
        f"free: {', '.join(simulation.free)}",
        f"energy {energy[0]:.6g} J, largest change {np.max(np.abs(energy - energy[0])):.3g} J",
        *_constraint_lines(simulation),
        f"{integration.steps} steps, {integration.evaluations} evaluations, {integration.seconds:.2g} s",
    ]
    lines += [str(one) for one in simulation.corrections]
    lines += simulation.notes
    if simulation.stopped:
        lines.append(f"stopped at {simulation.stopped}")
    table.caption = "\n".join(lines)
    return table


# --- pictures --------------------------------------------------------------------------------------------

#: Largest number of drivers in one panel.
MOST = 8


@legible
def plot_simulation(simulation: Simulation) -> Figure:
    """Plot the drivers' coordinates and efforts, and kinetic, potential and total energy, one above the other.

    If joints drift, their closure error is added. If the simulation stopped early, the reason is given below.
    """
    m = simulation.mechanism
    measures = measures_of(m)
    panels: list[tuple[str, Sequence[Curve]]] = []
    title = f"{m.title or 'Mechanism'}: simulation"
    for quantity, word, effort in (("angle", "angle", "torque [N m]"), ("length", "travel", "force [N]")):
        every = [id for id in m.drivers if m.drivers[id].quantity == quantity]
        ids = every[:MOST]
        if len(every) > MOST:
            title += f"; of {len(every)} driven {quantity}s the first {MOST}"
        if ids:
            values = [simulation.drivers[id][0] / measures.size(quantity) for id in ids]
            panels.append((f"{word} [{measures.pretty(quantity)}]", _curves(ids, values)))
            efforts = [simulation.efforts[id] for id in ids]
            if any(np.ptp(one) > NEGLIGIBLE * np.max(np.abs(one)) for one in efforts):
                panels.append(in_thousands(f"driver {effort}", _curves(ids, efforts)))
            elif any(one.any() for one in efforts):
                units = [thousands(effort_unit(m, id), one[0]) for id, one in zip(ids, efforts, strict=True)]
                constant = (
                    f"{id} {one[0] / size:.4g} {unit}"
                    for id, one, (size, unit) in zip(ids, efforts, units, strict=True)
                )
                title += f"\nconstant driver {effort.partition(' ')[0]}: {', '.join(constant)}"
    energies = simulation.kinetic_energy, simulation.potential_energy, simulation.energy
    names = "kinetic", "potential", "sum"
    colours = PALETTE[0], PALETTE[1], GROUND
    panels.append(in_thousands("energy [J]", list(zip(names, energies, colours, strict=True))))
    gap = simulation.violation
    if gap.max(initial=0.0) > ROUNDING:
        panels.append(("joint closure error", [("relative to the size", np.maximum(gap, LEAST_DRAWN), PALETTE[2])]))
    figure = new_figure(9.0, 2.2 + 1.9 * len(panels))
    axes: list[Axes] = list(figure.subplots(len(panels), 1, sharex=True, squeeze=False)[:, 0])
    lines = {}
    for ax, (label, curves) in zip(axes, panels, strict=True):
        lines[ax] = panel(ax, simulation.t, label, curves)
        if label == "joint closure error":
            ax.set_yscale("log")
    axes[-1].set_xlabel("t [s]", fontsize=NORMAL)
    figure.align_ylabels()
    add_title(figure, title)
    if simulation.stopped:
        figure.supxlabel(plain(f"stopped at {simulation.stopped}"), fontsize=NORMAL, color=DRIVER)
    legends_above(lines)
    return figure


def _curves(ids: list[str], values: list[Floats]) -> list[Curve]:
    return [(id, one, PALETTE[k % len(PALETTE)]) for k, (id, one) in enumerate(zip(ids, values, strict=True))]
