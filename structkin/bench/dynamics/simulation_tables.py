"""The comparison of forward dynamics as tables, rows of CSV and a picture."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from structkin.bench.dynamics.measured_runs import Case, Pace, SimulationRun, at_target
from structkin.bench.measure import exponent

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@dataclass
class DynamicsComparison:
    """The measurements: runs of each case, with their cases, and paces by size."""

    cases: list[Case] = field(default_factory=list)
    runs: list[SimulationRun] = field(default_factory=list)
    paces: list[Pace] = field(default_factory=list)

    def of(self, case: Case) -> list[SimulationRun]:
        """Return the runs of a case."""
        return [one for one in self.runs if one.case == case.name]

    def verdicts(self) -> list[str]:
        """Return in words how the programs compare at the target of each case."""
        lines = []
        for case in self.cases:
            best = at_target(self.of(case), case.target)
            ours = next((one for name, one in best.items() if name.startswith("structkin")), None)
            for program in dict.fromkeys(one.program for one in self.of(case)):
                if program.startswith("structkin"):
                    continue
                other = best.get(program)
                if ours is None or other is None:
                    name = program if ours else "structkin"
                    lines.append(f"{case.name}: {name} does not reach {case.target:g} m with these settings")
                    continue
                lines.append(
                    f"{case.name}, error <= {case.target:g} m: structkin {ours.method} {ours.seconds:.3g} s, "
                    f"{program} {other.method} {other.seconds:.3g} s: 1/{other.seconds / ours.seconds:.0f} of the time"
                )
        return lines

    def exponents(self) -> list[str]:
        """Return in words how the cost of a step grows with the size of each family, over its larger half."""
        lines = []
        for family, curve in self.families():
            large = curve[len(curve) // 2 - 1 :] if len(curve) > 3 else curve
            if len(large) > 1:
                p = exponent([float(one.size) for one in large], [one.seconds for one in large])
                lines.append(f"{family}: a step costs ~ N^{p:.2f} from N = {large[0].size} to {large[-1].size}")
        return lines

    def families(self) -> list[tuple[str, list[Pace]]]:
        """Return the paces of each family and formulation, sizes in order."""
        found: dict[str, list[Pace]] = {}
        for one in sorted(self.paces, key=lambda one: one.size):
            found.setdefault(f"{one.family}, {one.formulation}", []).append(one)
        return list(found.items())


def table_lines(found: Iterable[SimulationRun]) -> list[tuple[str, ...]]:
    """Return the cells of a table of runs, after a line of headings."""
    head = ("program", "method", "step or rtol", "time [s]", "error [m]", "energy drift [J]", "evaluations")
    return [
        head,
        *(
            (
                one.program,
                one.method,
                f"{one.setting:g}",
                f"{one.seconds:.3g}",
                f"{one.error:.2g}",
                "" if one.drift != one.drift else f"{one.drift:.1g}",
                "" if one.evaluations != one.evaluations else f"{one.evaluations:.0f}",
            )
            for one in found
        ),
    ]


def pace_lines(found: Iterable[Pace]) -> list[tuple[str, ...]]:
    """Return the cells of a table of paces, after a line of headings."""
    head = ("family", "formulation", "N", "degrees of freedom", "per step [us]", "per step and N [us]")
    return [
        head,
        *(
            (
                one.family,
                one.formulation,
                str(one.size),
                str(one.mobility),
                f"{1e6 * one.seconds:.3g}",
                f"{1e6 * one.seconds / one.size:.3g}",
            )
            for one in found
        ),
    ]


def draw(found: DynamicsComparison) -> Figure:
    """Return time against error for each case, and the cost of a step against size."""
    from structkin.show.style import GROUND, PALETTE, SMALL, dress, new_figure

    figure = new_figure(4.2 * (len(found.cases) + 1), 4.4)
    axes = figure.subplots(1, len(found.cases) + 1)
    names = list(dict.fromkeys(f"{one.program} {one.method}" for one in found.runs))
    for ax, case in zip(axes, found.cases, strict=False):
        for name in names:
            curve = [one for one in found.of(case) if f"{one.program} {one.method}" == name]
            colour, style = PALETTE[names.index(name) % len(PALETTE)], "-" if name.startswith("structkin") else "--"
            errors, seconds = [one.error for one in curve], [one.seconds for one in curve]
            if curve:
                label = name.replace("exudyn", "Exudyn").replace("mujoco", "MuJoCo")
                ax.plot(errors, seconds, style, color=colour, marker="o", ms=4, label=label)
        ax.axvline(case.target, color=GROUND, lw=0.8, ls=":", label="error at which they are compared")
        ax.set(xscale="log", yscale="log")
        along = "error of the tip [m], smaller to the right"
        dress(ax, title=f"{case.name}, 10 s simulated", x=along, y="elapsed time [s]")
        ax.invert_xaxis()
    for k, (name, of_size) in enumerate(found.families()):
        sizes, times = [one.size for one in of_size], [1e6 * one.seconds for one in of_size]
        axes[-1].plot(sizes, times, color=PALETTE[-1 - k % len(PALETTE)], marker="s", ms=4, label=name)
    axes[-1].set(xscale="log", yscale="log")
    pace = "CPU time of one Runge-Kutta step [µs]"
    dress(axes[-1], title="growth with size", x="dyads, or rods of the chain", y=pace)
    labels: dict[str, Any] = {}
    for ax in axes:
        labels |= dict(zip(*reversed(ax.get_legend_handles_labels()), strict=True))
    figure.legend(list(labels.values()), list(labels), loc="outside lower center", ncols=4, fontsize=SMALL)
    return figure
