"""The comparison of the formulations of dynamics: for the terminal, and as a picture."""

from __future__ import annotations

from typing import TYPE_CHECKING

from structkin.dynamics.formulations_compared import FormulationComparison
from structkin.numerical_tolerances import LEAST_DRAWN
from structkin.show.fitting import add_title
from structkin.show.letters import legible
from structkin.show.style import GROUND, PALETTE, SMALL, dress, new_figure, plain
from structkin.show.terminal import text_table

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from rich.table import Table


def formulations_table(found: FormulationComparison, title: str = "") -> Table:
    """Return a table of the formulations, what they cost and how they agree; below it, why some differ."""
    verdict = "all formulations agree" if found.agrees else "not all formulations agree"
    if found.abandoned:
        verdict += f" among those that finished within {found.patience:g} s"
    name = found.title or title
    traced = ("MiB",) if any(run.peak_bytes is not None for run in found.runs) else ()
    # Columns that say the same in every row would leave no room for the figures.
    several = ("stabilisation",) if len(_stabilisations(found)) > 1 else ()
    gaps = ("position", "speed", "reaction", "energy", "violation")
    figures = ("n + m", "calls", "time [s]", "wall [s]", *traced, *gaps)
    rows = []
    for run in found.runs:
        differences = (run.position, run.velocity, run.reaction, run.energy, run.violation)
        rows.append((
            run.formulation, run.coordinates or "", *(run.stabilisation or "" for _ in several), f"{run.n} + {run.m}",
            str(run.evaluations), f"{run.seconds:.3g}", f"{run.wall_seconds:.3g}",
            *("" if run.peak_bytes is None else f"{run.peak_bytes / 2**20:.2f}" for _ in traced),
            *("" if gap is None else f"{gap:.0e}" for gap in differences), "yes" if run.agrees else "no",
        ))  # fmt: skip
    title, heads = f"{name}: {found.end:g} s simulated, {verdict}", ("formulation", "coordinates", *several)
    return text_table(title, "\n".join(_notes(found)), (*heads, *figures, "agrees"), rows, figures)


def _stabilisations(found: FormulationComparison) -> list[str]:
    return sorted({run.stabilisation for run in found.runs if run.stabilisation})


def _notes(found: FormulationComparison) -> list[str]:
    lines = [
        f"Free: {', '.join(found.free)}. Unknowns: n accelerations and m multipliers. Calls: evaluations of the "
        "equations. Times: median processor time and wall time, after a run that does not count.",
        f"Largest differences from the reduced equations at a hundredth of rtol = {found.rtol:.0e}: positions relative "
        "to the mechanism's size, the others to the largest speed, joint force and kinetic energy. Violation: largest "
        "opening of a joint, relative to the size.",
    ]
    if len(_stabilisations(found)) == 1:
        lines.append(f"Closure of the formulations with multipliers: {_stabilisations(found)[0]}.")
    if found.not_unique:
        lines.append(f"Joint forces that are not unique, and not compared: {', '.join(found.not_unique)}.")
    lines += [f"Stopped at {why}." for why in dict.fromkeys(run.stopped for run in found.runs if run.stopped)]
    lines += [f"{run.name}: {run.remark}." for run in found.runs if run.remark]
    if found.abandoned:
        names = "; ".join(", ".join(part for part in choice if part) for choice in found.abandoned)
        lines.append(f"Abandoned after {found.patience:g} s: {names}; structkin compare --patience waits longer.")
    return lines


@legible
def plot_formulations(found: FormulationComparison) -> Figure:
    """Plot time, differences and violation of each formulation, one row for each."""
    # A stabilisation that all share is no name of a row.
    several = len(_stabilisations(found)) > 1
    parts = [(run.formulation, run.coordinates, run.stabilisation if several else None) for run in found.runs]
    names = [", ".join(filter(None, part)) for part in parts]
    figure = new_figure(11.0, 1.6 + 0.24 * len(names))
    axes = figure.subplots(1, 4, sharey=True)
    rows = list(range(len(names)))
    axes[0].barh(rows, [run.seconds for run in found.runs], color=PALETTE[0])
    axes[0].set_yticks(rows, [plain(name) for name in names], fontsize=SMALL)
    dress(axes[0], x="processor time [s]")
    columns: dict[str, list[float | None]] = {
        "difference in position\n[parts of the size]": [run.position for run in found.runs],
        "difference in joint forces\n[parts of the largest]": [run.reaction for run in found.runs],
        "largest opening of a joint\n[parts of the size]": [run.violation for run in found.runs],
    }
    for ax, (head, values) in zip(axes[1:], columns.items(), strict=True):
        known = [(row, max(value, LEAST_DRAWN)) for row, value in zip(rows, values, strict=True) if value is not None]
        ax.hlines([row for row, _ in known], LEAST_DRAWN, [value for _, value in known], color=GROUND, lw=0.8)
        ax.plot([value for _, value in known], [row for row, _ in known], "o", ms=5, color=PALETTE[0])
        ax.set_xscale("log")
        ax.set_xlim(left=LEAST_DRAWN)
        dress(ax, x=head)
    axes[0].invert_yaxis()
    add_title(figure, f"{found.title or 'Formulations'}: {found.end:g} s simulated, rtol {found.rtol:.0e}")
    return figure
