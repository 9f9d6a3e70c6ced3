"""Pictures of the two benchmarks in fully Cartesian coordinates."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal

import numpy as np

from structkin.numerical_tolerances import LEAST_DRAWN
from structkin.show.style import DRIVER, GROUND, NORMAL, PALETTE, SMALL, new_figure
from structkin.studies.agreement import BlandAltman
from structkin.studies.cartesian import RIGHT, Agreement, Case, Trial
from structkin.studies.iftomm import PENDULUM, PENDULUM_TIMES
from structkin.studies.pictures import tidy

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


def draw_bland_altman(axes: Axes, found: BlandAltman, name: str) -> None:
    """Draw differences over means, with their mean and the limits of agreement."""
    axes.plot(found.means, 1e6 * found.differences, ".", color=PALETTE[0], ms=3)
    for level, style in ((found.bias, "-"), *((limit, "--") for limit in found.limits)):
        axes.axhline(1e6 * level, color=DRIVER, linestyle=style, linewidth=1)
    tidy(axes, f"{name}: {found.outside:.0%} outside the limits", "mean of both [m]", "difference [µm]")


def draw_pendulum(found: Sequence[Trial], agreement: Agreement) -> Figure:
    """Draw the pendulum: path against the published data, agreement, energy, violation, and errors over the gain."""
    figure = new_figure(10.0, 9.5)
    (path, errors), (x, y), (energy, violation) = figure.subplots(3, 2)
    first = found[0].simulation
    for k, name in enumerate("xy"):
        path.plot(first.t, first.position("P")[:, k], color=PALETTE[k], label=f"{name}, gain {found[0].gain:g}")
        path.plot(PENDULUM_TIMES, PENDULUM[:, k], "o", color=PALETTE[k], ms=3, label=f"{name}, IFToMM")
    tidy(path, "the bob", "t [s]", "place [m]")
    path.set_ylim(-1.1, 1.7)
    path.legend(fontsize=SMALL, ncols=2, loc="upper right")
    gains = [one.gain for one in found]
    errors.semilogy(gains, [one.worst for one in found], "o-", color=PALETTE[0], ms=3)
    tidy(errors, "largest error in 10 s against the closed form", "alpha = beta [1/s]", "error [m]")
    for axes, limits, name in zip((x, y), agreement.limits, "xy", strict=True):
        draw_bland_altman(axes, limits, f"{name} against {len(limits.means)} published points")
    shown = _some(found)
    for k, one in enumerate(shown):
        r = one.simulation
        energy.plot(r.t, 1e6 * (r.energy - r.energy[0]), color=PALETTE[k], label=f"gain {one.gain:g}")
        violation.semilogy(r.t[1:], r.violation[1:] + LEAST_DRAWN, color=PALETTE[k], label=f"gain {one.gain:g}")
    tidy(energy, "change of energy", "t [s]", "[µJ]")
    tidy(violation, "joint closure error", "t [s]", "of the size")
    energy.legend(fontsize=SMALL)
    return figure


def _some(found: Sequence[Trial]) -> list[Trial]:
    return [found[k] for k in sorted({0, len(found) // 2, len(found) - 1})]


def draw_slider_crank(case: Case, found: Sequence[Trial], agreement: Agreement) -> Figure:
    """Draw the slider-crank: elbow, slider with a gain that is too small and one that suffices, agreement, energy, gap.

    The gains shown are those of the paper: 0 and 50 (Figs. 8-11).
    """
    figure = new_figure(10.0, 12.5)
    elbows, (slider, errors), (x, y), (energy, violation) = figure.subplots(4, 2)
    shown = [one for one in found if one.gain in (0, 50)]
    best = shown[-1].simulation
    t, true = best.t, case.path(best.t)
    for k, (axes, name) in enumerate(zip(elbows, "xy", strict=True)):
        axes.plot(t, true[:, k], color=GROUND, linewidth=3, alpha=0.4, label="our reference")
        axes.plot(best.t, best.position(case.point)[:, k], color=PALETTE[1], linewidth=1, label="gain 50")
        tidy(axes, f"{name} of the elbow", "t [s]", f"{name} [m]")
        axes.set_ylim(-1.1, 1.5)
    elbows[0].legend(fontsize=SMALL, loc="upper right", ncols=2)
    slider.plot(t, 2 * true[:, 0], color=GROUND, linewidth=3, alpha=0.4, label="2 cos(angle)")
    for k, one in enumerate(shown):
        r, label = one.simulation, f"gain {one.gain:g}"
        slider.plot(r.t, r.position("C")[:, 0], color=PALETTE[k], linewidth=1, label=label)
        energy.semilogy(r.t[1:], np.abs(r.energy - r.energy[0])[1:] + LEAST_DRAWN, color=PALETTE[k], label=label)
        violation.semilogy(r.t[1:], r.violation[1:] + LEAST_DRAWN, color=PALETTE[k], label=label)
    tidy(slider, "the slider", "t [s]", "x [m]")
    slider.set_ylim(-2.2, 3.0)
    slider.legend(fontsize=SMALL, loc="upper right", ncols=3)
    gains = np.array([one.gain for one in found])
    worst = np.array([one.worst for one in found])
    right = np.array([one.right for one in found])
    errors.semilogy(gains[right], worst[right], "o", color=PALETTE[0], ms=4, label="right")
    errors.semilogy(gains[~right], np.minimum(worst[~right], 10), "x", color=DRIVER, ms=6, label="wrong, or stopped")
    tidy(errors, "largest error of the elbow in 10 s, LSODA", "alpha = beta [1/s]", "error [m]")
    errors.legend(fontsize=SMALL)
    for axes, limits, name in zip((x, y), agreement.limits, "xy", strict=True):
        draw_bland_altman(axes, limits, f"{name} of the elbow against our reference")
    tidy(energy, "change of energy", "t [s]", "[J]")
    tidy(violation, "joint closure error", "t [s]", "of the size")
    energy.legend(fontsize=SMALL)
    return figure


def draw_map(found: Sequence[Trial], row: Literal["step", "tolerance"]) -> Figure:
    """Draw the largest error of the elbow over the gain, a row for each step or tolerance, and which motions are right.

    Each of these gains must have a trial in each row.
    """
    from matplotlib.colors import LogNorm

    table = {(one.gain, getattr(one, row)): one.worst for one in found}
    gains = sorted({gain for gain, _ in table})
    sizes = sorted({size for _, size in table}, reverse=True)
    worst = np.array([[min(table[gain, size], 4.0) for gain in gains] for size in sizes])
    figure = new_figure(max(5.5, 2.6 + 0.64 * len(gains)), 1.6 + 0.55 * len(sizes))
    axes = figure.add_subplot()
    # Colours begin at the tolerance of the integrator.
    picture = axes.imshow(worst, norm=LogNorm(vmin=1e-8, vmax=4), cmap="cividis_r", aspect="auto")
    for i, size in enumerate(sizes):
        for k, gain in enumerate(gains):
            error = table[gain, size]
            text = "stops" if np.isinf(error) else f"{error:.0e}"
            colour = "white" if error > 1e-4 else "black"
            weight = "normal" if error < RIGHT else "bold"
            axes.text(k, i, text, ha="center", va="center", fontsize=SMALL - 1, color=colour, weight=weight)
    axes.set_xticks(range(len(gains)), [f"{gain:g}" for gain in gains])
    names = [f"{1e3 * size:g} ms" if row == "step" else f"{size:.3g}" for size in sizes]
    axes.set_yticks(range(len(sizes)), names)
    axes.set_xlabel("alpha = beta [1/s]", fontsize=NORMAL)
    axes.set_ylabel("step of RK4" if row == "step" else "tolerance of LSODA", fontsize=NORMAL)
    axes.set_title("slider-crank with equal rods: largest error of the elbow in 10 s [m]", fontsize=NORMAL)
    figure.colorbar(picture, label="[m]")
    return figure
