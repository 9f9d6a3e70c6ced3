"""Pictures of the studies that integrate equations with multipliers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from structkin.show.style import DRIVER, GROUND, NORMAL, PALETTE, SMALL, new_figure
from structkin.studies.agreement import BlandAltman
from structkin.studies.cartesian import RIGHT, Agreement, Case, Trial
from structkin.studies.drift import Drift
from structkin.studies.iftomm import PENDULUM, PENDULUM_TIMES
from structkin.studies.pictures import tidy

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


def draw_bland_altman(axes: Axes, found: BlandAltman, name: str) -> None:
    """Draw differences over means, with their mean and the limits of agreement."""
    axes.plot(found.means, found.differences, ".", color=PALETTE[0], ms=3)
    for level, style in ((found.bias, "-"), *((limit, "--") for limit in found.limits)):
        axes.axhline(level, color=DRIVER, linestyle=style, linewidth=1)
    tidy(axes, f"{name}: {found.outside:.0%} outside the limits", "mean of both [m]", "difference [m]")


def draw_pendulum(found: Sequence[Trial], agreement: Agreement) -> Figure:
    """Draw the pendulum: path against the published data, agreement, energy, violation, and errors over the gain."""
    figure = new_figure(10.0, 9.5)
    (path, errors), (x, y), (energy, violation) = figure.subplots(3, 2)
    first = found[0].simulation
    for k, name in enumerate("xy"):
        path.plot(first.t, first.position("P")[:, k], color=PALETTE[k], label=f"{name}, gain {found[0].gain:g}")
        path.plot(PENDULUM_TIMES, PENDULUM[:, k], "o", color=PALETTE[k], ms=3, label=f"{name}, IFToMM")
    tidy(path, "the bob", "t [s]", "place [m]")
    path.legend(fontsize=SMALL, ncols=2)
    gains = [one.gain for one in found]
    errors.semilogy(gains, [one.worst for one in found], "o-", color=PALETTE[0], ms=3)
    tidy(errors, "largest error in 10 s against the closed form", "alpha = beta [1/s]", "error [m]")
    for axes, limits, name in zip((x, y), agreement.limits, "xy", strict=True):
        draw_bland_altman(axes, limits, f"{name} against the published data")
    shown = _some(found)
    for k, one in enumerate(shown):
        r = one.simulation
        energy.plot(r.t, r.energy - r.energy[0], color=PALETTE[k], label=f"gain {one.gain:g}")
        violation.semilogy(r.t[1:], r.violation[1:] + 1e-17, color=PALETTE[k], label=f"gain {one.gain:g}")
    tidy(energy, "change of energy", "t [s]", "[J]")
    tidy(violation, "gap of the joints", "t [s]", "of the size")
    energy.legend(fontsize=SMALL)
    return figure


def _some(found: Sequence[Trial]) -> list[Trial]:
    return [found[k] for k in sorted({0, len(found) // 2, len(found) - 1})]


def draw_slider_crank(case: Case, found: Sequence[Trial], agreement: Agreement) -> Figure:
    """Draw the slider-crank: the slider with a gain too small and one that will do, agreement, energy, violation."""
    figure = new_figure(10.0, 9.5)
    (slider, errors), (x, y), (energy, violation) = figure.subplots(3, 2)
    true = case.path(found[0].simulation.t)
    slider.plot(found[0].simulation.t, 2 * true[:, 0], color=GROUND, linewidth=3, alpha=0.4, label="2 cos(angle)")
    for k, one in enumerate((found[0], found[-1])):
        r = one.simulation
        slider.plot(r.t, r.position("C")[:, 0], color=PALETTE[k], linewidth=1, label=f"gain {one.gain:g}")
    tidy(slider, "the slider", "t [s]", "x [m]")
    slider.legend(fontsize=SMALL, loc="lower left")
    gains = np.array([one.gain for one in found])
    worst = np.array([one.worst for one in found])
    right = np.array([one.right for one in found])
    errors.semilogy(gains[right], worst[right], "o", color=PALETTE[0], ms=4, label="right")
    errors.semilogy(gains[~right], np.minimum(worst[~right], 10), "x", color=DRIVER, ms=6, label="wrong, or stopped")
    tidy(errors, "largest error of the elbow in 10 s, LSODA", "alpha = beta [1/s]", "error [m]")
    errors.legend(fontsize=SMALL)
    for axes, limits, name in zip((x, y), agreement.limits, "xy", strict=True):
        draw_bland_altman(axes, limits, f"{name} of the elbow against our reference")
    for k, one in enumerate((found[0], found[-1])):
        r = one.simulation
        energy.semilogy(
            r.t[1:], np.abs(r.energy - r.energy[0])[1:] + 1e-17, color=PALETTE[k], label=f"gain {one.gain:g}"
        )
        violation.semilogy(r.t[1:], r.violation[1:] + 1e-17, color=PALETTE[k], label=f"gain {one.gain:g}")
    tidy(energy, "change of energy", "t [s]", "[J]")
    tidy(violation, "gap of the joints", "t [s]", "of the size")
    energy.legend(fontsize=SMALL)
    return figure


def draw_map(found: Sequence[Trial]) -> Figure:
    """Draw the largest error of the elbow over gain and step, and which motions are right."""
    from matplotlib.colors import LogNorm

    gains = sorted({one.gain for one in found})
    steps = sorted({one.step for one in found if one.step is not None}, reverse=True)
    table = {(one.gain, one.step): one.worst for one in found}
    worst = np.array([[min(table[gain, step], 4.0) for gain in gains] for step in steps])
    figure = new_figure(9.0, 1.6 + 0.55 * len(steps))
    axes = figure.add_subplot()
    picture = axes.imshow(worst, norm=LogNorm(vmin=1e-8, vmax=4), cmap="cividis_r", aspect="auto")
    for i, step in enumerate(steps):
        for k, gain in enumerate(gains):
            error = table[gain, step]
            text = "stops" if np.isinf(error) else f"{error:.0e}"
            colour = "white" if error > 1e-3 else "black"
            weight = "normal" if error < RIGHT else "bold"
            axes.text(k, i, text, ha="center", va="center", fontsize=SMALL - 1, color=colour, weight=weight)
    axes.set_xticks(range(len(gains)), [f"{gain:g}" for gain in gains])
    axes.set_yticks(range(len(steps)), [f"{1e3 * step:g} ms" for step in steps])
    axes.set_xlabel("alpha = beta [1/s]", fontsize=NORMAL)
    axes.set_ylabel("step of RK4", fontsize=NORMAL)
    axes.set_title("slider-crank with equal rods: largest error of the elbow in 10 s [m]", fontsize=NORMAL)
    figure.colorbar(picture, label="[m]")
    return figure


def draw_drift(found: Sequence[tuple[str, Sequence[Drift]]], names: dict[str, str]) -> Figure:
    """Draw how far the points of a driven motion drift, a row for each start and a column for each point."""
    figure = new_figure(10.0, 2.6 * len(found))
    rows = figure.subplots(len(found), len(names), squeeze=False)
    for row, (title, runs) in zip(rows, found, strict=True):
        for axes, (point, name) in zip(row, names.items(), strict=True):
            for k, one in enumerate(runs):
                gap = 1e3 * one.gaps[point][:, 1]
                label = f"alpha = beta = {one.gain:g}" if one.gain else "direct integration"
                axes.plot(one.t, gap, color=PALETTE[k], label=label)
            tidy(axes, f"{name}, {title}", "t [s]", "y off the guides [mm]" if point == next(iter(names)) else "")
    rows[0][0].legend(fontsize=SMALL)
    return figure
