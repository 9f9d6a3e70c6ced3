"""Coordinates and energies of a simulation over time, one above the other."""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from structkin.dynamics import Simulation
from structkin.show.forces_output import effort_unit
from structkin.show.forces_plot import Curve, Floats, panel
from structkin.show.letters import legible
from structkin.show.measures import driver_quantity, measures_of
from structkin.show.style import DRIVER, GROUND, LARGE, NORMAL, PALETTE, new_figure, plain

#: Drivers drawn at most in one panel.
MOST = 8

#: Joints that open less than this, relative to the mechanism's size, are closed: what is left is rounding.
CLOSED = 1e-12


@legible
def plot_simulation(simulation: Simulation) -> Figure:
    """Plot the drivers' coordinates and efforts, kinetic and potential energy and their sum, one above the other.

    Where joints drift, their gap too. Where the simulation stopped early, the reason stands below.
    """
    m = simulation.mechanism
    measures = measures_of(m)
    panels: list[tuple[str, list[Curve]]] = []
    for quantity, word, effort in (("angle", "angle", "torque [N m]"), ("length", "travel", "force [N]")):
        ids = [id for id in m.drives if driver_quantity(m, id) == quantity][:MOST]
        if ids:
            values = [simulation.drivers[id][0] / measures.size(quantity) for id in ids]
            panels.append((f"{word} [{measures.pretty(quantity)}]", _curves(ids, values)))
            if any(simulation.efforts[id].any() for id in ids):
                assert effort_unit(m, ids[0]) in effort
                panels.append((f"driver {effort}", _curves(ids, [simulation.efforts[id] for id in ids])))
    energies = simulation.kinetic_energy, simulation.potential_energy, simulation.energy
    names = "kinetic", "potential", "sum"
    colours = PALETTE[0], PALETTE[1], GROUND
    panels.append(("energy [J]", list(zip(names, energies, colours, strict=True))))
    gap = simulation.violation
    if gap.max(initial=0.0) > CLOSED:
        panels.append(("gap of the joints", [("relative to the size", np.maximum(gap, 1e-17), PALETTE[2])]))
    figure = new_figure(9.0, 2.2 + 1.9 * len(panels))
    axes: list[Axes] = list(figure.subplots(len(panels), 1, sharex=True, squeeze=False)[:, 0])
    for ax, (label, curves) in zip(axes, panels, strict=True):
        panel(ax, simulation.t, label, curves)
        if label == "gap of the joints":
            ax.set_yscale("log")
    axes[-1].set_xlabel("t [s]", fontsize=NORMAL)
    figure.align_ylabels()
    figure.suptitle(plain(f"{m.title or 'Mechanism'}: simulation"), fontsize=LARGE)
    if simulation.stopped:
        figure.supxlabel(plain(f"stopped at {simulation.stopped}"), fontsize=NORMAL, color=DRIVER)
    return figure


def _curves(ids: list[str], values: list[Floats]) -> list[Curve]:
    return [(id, one, PALETTE[k % len(PALETTE)]) for k, (id, one) in enumerate(zip(ids, values, strict=True))]
