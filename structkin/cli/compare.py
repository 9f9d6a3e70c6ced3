"""`structkin compare FILE`: the methods side by side on one mechanism."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from structkin import show
from structkin.budget import DEFAULT
from structkin.cli.options import USUAL, Budget, Duration, File, Json, Samples, budget_of, check_idle, opened
from structkin.cli.outputs import Outputs
from structkin.cli.terminal import progress
from structkin.dynamics.call import FORMULATIONS
from structkin.dynamics.formulations_compared import FormulationComparison, check_formulations
from structkin.dynamics.multipliers.stabilisation import STABILISATIONS
from structkin.errors import Problem, problems_of, raise_problems, together
from structkin.global_methods.compare import Comparison, check_comparison
from structkin.global_methods.methods import FAMILIES, METHODS
from structkin.show.terminal import text_table

if TYPE_CHECKING:
    from rich.table import Table


def compare(
    file: File,
    samples: Samples = 361,
    duration: Duration = None,
    simulate: Annotated[
        float | None,
        typer.Option(help="Simulate up to this time [s], and compare the formulations of the equations of motion."),
    ] = None,
    free: Annotated[
        list[str] | None,
        typer.Option(help="With --simulate, let a driver with a law move freely, as simulate --free does; repeatable."),
    ] = None,
    method: Annotated[
        list[str] | None,
        typer.Option(
            help=f"A method: {', '.join(METHODS)}; with --simulate a formulation: {', '.join(FORMULATIONS)}; may be "
            "repeated. Default: all."
        ),
    ] = None,
    coordinates: Annotated[
        list[str] | None, typer.Option(help=f"Coordinates: {', '.join(FAMILIES)}; may be repeated. Default: all.")
    ] = None,
    stabilisation: Annotated[
        list[str] | None,
        typer.Option(
            help=f"With --simulate, a stabilisation: {', '.join(STABILISATIONS)}; may be repeated. Default: projection."
        ),
    ] = None,
    alpha: Annotated[float | None, typer.Option(help="Gain [1/s] on the rate of constraint violation.")] = None,
    beta: Annotated[float | None, typer.Option(help="Gain [1/s] on the constraint violation.")] = None,
    rtol: Annotated[
        float | None, typer.Option(help="With --simulate, the relative tolerance; default: 1e-10.", show_default=False)
    ] = None,
    patience: Annotated[float, typer.Option(help="Abandon a method that takes longer than this [s].")] = 30.0,
    memory: Annotated[
        bool, typer.Option("--memory", help="Trace the peak memory too: up to ten times the time of a run.")
    ] = False,
    budget: Budget = USUAL,
    to: Annotated[
        Path | None,
        typer.Option(
            help="With --simulate, draw time, differences and closure; with --measured, values and residuals.",
            metavar="PICTURE",
        ),
    ] = None,
    measured: Annotated[
        Path | None,
        typer.Option(help="Measured data instead, beside the motion of the model.", metavar="TABLE"),
    ] = None,
    column: Annotated[
        list[str] | None,
        typer.Option(
            help="With --measured, another title of t, P.x, rocker.angle, ..., or its number; may be repeated.",
            metavar="NAME=TITLE",
        ),
    ] = None,
    as_json: Json = False,
) -> None:
    """Solve by every method, or simulate by every formulation; compare results, time and memory."""
    mechanism = opened(file)

    def write() -> Outputs:
        return Outputs(file, {}, {"--to": to}, as_json)

    if measured is not None:
        idle = {
            "samples": samples, "duration": duration, "simulate": simulate, "free": free or None,
            "method": method or None, "coordinates": coordinates or None, "stabilisation": stabilisation or None,
            "alpha": alpha, "beta": beta, "rtol": rtol, "patience": patience, "memory": memory,
        }  # fmt: skip
        outputs, _, titles, steps = together(
            "command",
            write,
            lambda: check_idle(compare, idle, "measured data"),
            lambda: _titles(column),
            lambda: budget_of(budget),
        )
        beside = mechanism.compare_measured(measured, columns=titles, budget=steps)
        outputs.deliver(
            {"--to": beside.plot},
            beside.to_dict,
            lambda: show.measured_table(beside, str(file)),
            ok=not beside.missing,
        )
        return
    problems = []
    if column:
        problems.append(Problem("--column", "chooses columns of measured data", "add --measured TABLE"))
    if to is not None and simulate is None:
        hint = "add --simulate SECONDS, or --measured TABLE"
        problems.append(Problem("--to", "draws the comparison of simulations or of measured data", hint))
    problems += problems_of(budget_of, budget)

    arguments: dict[str, Any] = {
        "free": free or (), "methods": method or None, "coordinates": coordinates or None,
        "stabilisations": stabilisation or None, "alpha": alpha, "beta": beta, "rtol": rtol, "duration": duration,
        "patience": patience,
    }  # fmt: skip

    def check() -> None:
        if simulate is None:
            own = {key: arguments[key] or None for key in ("free", "stabilisations")}
            of_simulations = {**own, "alpha": alpha, "beta": beta, "rtol": rtol}
            check_comparison(
                mechanism, samples, method or METHODS, coordinates or FAMILIES, duration, patience, of_simulations
            )
        else:
            check_formulations(mechanism, simulate, samples, **arguments, budget=DEFAULT if budget == USUAL else None)

    outputs, *_ = together(mechanism.title or "command", write, lambda: raise_problems(problems), check)
    arguments |= {"memory": memory, "budget": budget_of(budget)}
    with progress("comparing methods") as report:
        found: Comparison | FormulationComparison = mechanism.compare(
            samples, simulate=simulate, progress=report, **arguments
        )
    if isinstance(found, FormulationComparison):
        outputs.deliver(
            {"--to": lambda: show.plot_formulations(found)},
            found.to_dict,
            lambda: show.formulations_table(found, str(file)),
            ok=found.ok,
        )
        return
    outputs.deliver(
        {},
        found.to_dict,
        lambda: _table(found, found.title or str(file)),
        ok=found.agrees and not found.abandoned and all(run.ok >= found.samples for run in found.runs),
    )


def _titles(given: list[str] | None) -> dict[str, str] | None:
    """Return quantity and title of each NAME=TITLE."""
    if not given:
        return None
    problems = [
        Problem("--column", f"expected NAME=TITLE, found '{one}'", "such as P.x=px") for one in given if "=" not in one
    ]
    raise_problems(problems, "command")
    return {name.strip(): title.strip() for name, _, title in (one.partition("=") for one in given)}


def _table(found: Comparison, title: str) -> Table:
    reached = any(run.ok for run in found.runs)
    verdict = "all methods agree" if found.agrees else "not all methods agree"
    if not reached:
        verdict = "no sample has a regular pose"
    if found.abandoned:
        verdict += f" among those that finished within {found.patience:g} s"
    traced = ("MiB",) if any(run.peak_bytes is not None for run in found.runs) else ()
    times, gaps = ("time [ms]", "range", "wall [ms]", "ratio"), ("position", "speed", "accel.")
    figures = ("n", *times, *traced, "iterations", *gaps, "ok")
    rows = []
    first = found.runs[0]
    for run in found.runs:
        apart = (run.position, run.velocity, run.acceleration)
        differences = ["" if run is first or x is None else f"{x:.0e}" for x in apart]
        newton = f"{run.iterations:.1f} (max {run.most_iterations})" if run.n is not None else ""
        rows.append((
            run.method, run.coordinates or "", "" if run.n is None else str(run.n), f"{1e3 * run.seconds:.3g}",
            f"{100 * run.spread:.0f} %", f"{1e3 * run.wall_seconds:.3g}",
            # A clock with coarse ticks may not see a short run at all.
            f"{run.seconds / first.seconds:.3g}" if first.seconds else "",
            *("" if run.peak_bytes is None else f"{run.peak_bytes / 2**20:.2f}" for _ in traced), newton, *differences,
            str(run.ok), "" if run is first or not reached else "yes" if run.agrees else "no",
        ))  # fmt: skip
    regular = (
        f"rates relative to the largest of each sample, at the {found.regular} samples not near a singular pose."
        if found.regular
        else "all samples are too near a singular pose for rates to be compared."
    )
    caption = (
        "Times: median processor time after a run that does not count, range relative to it, and median wall time. "
        f"Differences from the topological method: positions relative to the mechanism's size, {regular}"
    )
    if not reached:
        caption = "Without a regular pose there is nothing to compare; structkin check says why."
    if found.abandoned:
        names = ", ".join(method + (f" ({family})" if family else "") for method, family in found.abandoned)
        caption += f" Abandoned after {found.patience:g} s: {names}; raise --patience to wait longer."
    title = f"{title}: {found.samples} samples, {verdict}"
    return text_table(title, caption, ("method", "coordinates", *figures, "agrees"), rows, figures)
