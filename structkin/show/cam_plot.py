"""The diagrams of a cam: lift, velocity, acceleration, jerk and pressure angle over the cam angle."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from matplotlib.figure import Figure

from structkin.joints.law_cam import LawCam
from structkin.model.units import Units
from structkin.numerical_tolerances import NEGLIGIBLE, VISIBLE
from structkin.show.fitting import add_title
from structkin.show.letters import legible
from structkin.show.quantities import Measures
from structkin.show.style import GROUND, NORMAL, PALETTE, SMALL, dress, new_figure, plain

#: Points of a curve over one turn.
STEPS = 2000


@legible
def plot_cam(cam: LawCam, units: Units | None = None) -> Figure:
    """Plot the lift of a cam, its first three derivatives by the cam angle, and the pressure angle over one turn.

    Lifts are in the given units, derivatives per radian. Dotted lines separate the segments of the law. A constant
    pressure angle is given in the title.
    """
    measures = Measures(units or Units())
    angular = cam.moves.hinge is not None
    quantity = "angle" if angular else "length"
    unit, size = measures.pretty(quantity), measures.size(quantity)
    ends = cam.law.ends
    # Segments are drawn one by one, so that jumps are visible.
    parts = [np.linspace(a, b, max(int(STEPS * (b - a) / ends[-1]), 8)) for a, b in pairwise(ends)]
    insides = [part + NEGLIGIBLE * (0.5 * (part[0] + part[-1]) - part) for part in parts]
    names = ("lift", "velocity", "acceleration", "jerk")
    pressures = [np.degrees(cam.pressure_angle(inside)) for inside in insides]
    constant = bool(np.ptp(np.concatenate(pressures)) < VISIBLE)
    figure = new_figure(9.0, 7.4 if constant else 9.0)
    panels = figure.subplots(len(names) + (not constant), 1, sharex=True)
    for order, (ax, name) in enumerate(zip(panels, names, strict=False)):
        rate = "" if order == 0 else "/rad" + ("", "²", "³")[order - 1]
        for part, inside in zip(parts, insides, strict=True):
            ax.plot(np.degrees(part), cam.lift(inside, order) / size, color=PALETTE[order], linewidth=1.5)
        dress(ax, "y", y=f"{name} [{unit}{rate}]")
    last = panels[-1]
    if not constant:
        for part, pressure in zip(parts, pressures, strict=True):
            last.plot(np.degrees(part), pressure, color=PALETTE[4], linewidth=1.5)
        dress(last, "y", y="pressure angle [deg]")
        low, high = last.get_ylim()
        last.set_ylim(min(low, -1.0), max(high, 1.0))
    last.set_xlabel("cam angle [deg]", fontsize=NORMAL)
    for ax in panels:
        for end in ends:
            ax.axvline(np.degrees(end), color=GROUND, linewidth=0.7, linestyle=":", zorder=0)
        ax.margins(x=0.01)
    last.set_xticks(np.arange(0, 361, 30))
    for segment, a, b in zip(cam.law.segments, ends[:-1], ends[1:], strict=True):
        middle = np.degrees(0.5 * (a + b))
        panels[0].annotate(
            plain(segment.motion), (middle, 1.0), (0, 3), ("data", "axes fraction"), "offset points",
            ha="center", fontsize=SMALL, color=GROUND,
        )  # fmt: skip
    contact = {"roller": f"roller of radius {cam.radius / measures.size('length'):.4g} {measures.pretty('length')}"}
    what = f"{cam.moves.kind} follower, {contact.get(cam.contact, cam.contact.replace('flat', 'flat face'))}"
    base = f"base circle {cam.base_radius / measures.size('length'):.4g} {measures.pretty('length')}"
    title = f"Cam {cam.id}: {what}, {base}"
    if constant:
        title += f"\nThe pressure angle is {round(float(pressures[0][0]), 6) + 0.0:.3g} deg throughout."
    add_title(figure, title)
    figure.align_ylabels()
    return figure
