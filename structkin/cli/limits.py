"""`structkin limits FILE`: how far the drivers go, what ends their motion, and which assembly modes are connected."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from structkin.cli.driver_values import driver_values
from structkin.cli.outputs import check_targets
from structkin.cli.terminal import USUAL, Budget, budget_of, console, counting, print_json
from structkin.errors import InputError, Problem
from structkin.kinematics.four_bar import FourBar, SliderCrank, four_bars, slider_cranks
from structkin.model import Mechanism
from structkin.model.topology import suggest


def limits(
    file: Annotated[Path, typer.Argument(help="Mechanism file (.toml or .json).", show_default=False)],
    driver: Annotated[
        list[str] | None, typer.Option(help="A driver to move; may be given several times. Default: each in turn.")
    ] = None,
    hold: Annotated[
        list[str] | None,
        typer.Option(
            help="Hold another driver at a value, in the file's unit if none is given; default: as in the sketch.",
            metavar="NAME=VALUE",
        ),
    ] = None,
    circuits: Annotated[bool, typer.Option("--circuits", help="Show all sheets (branches) and circuits.")] = False,
    plot: Annotated[
        Path | None, typer.Option(help="Draw the intervals, or the sheets with --circuits.", metavar="PICTURE")
    ] = None,
    budget: Budget = USUAL,
    as_json: Annotated[bool, typer.Option("--json", help="Print plain data.")] = False,
) -> None:
    """Find how far each driver goes and what ends its motion, exactly; values are in the file's units."""
    mechanism = Mechanism.load(file)
    check_targets(file, {}, {"--plot": plot})
    held = _checked(mechanism, driver or [], hold or [])
    names = driver or [id for id in mechanism.drives if id not in held] or list(mechanism.drives)
    if circuits and plot is not None and len(names) > 1:
        problem = Problem("--plot", "draws the circuits of one driver", f"add --driver, one of {', '.join(names)}")
        raise InputError([problem], mechanism.title)
    from structkin.assemblies.circuits import circuits as find_circuits
    from structkin.kinematics.limits import limits as find_limits

    steps = budget_of(budget)
    with counting("following the drivers") as report:
        found = [find_limits(mechanism, name, drivers=held, budget=steps, progress=report) for name in names]
    all_circuits = []
    if circuits:
        with counting("tracing circuits") as report:
            all_circuits = [
                find_circuits(mechanism, name, drivers=held, budget=steps, progress=report) for name in names
            ]
    loops: list[FourBar | SliderCrank] = [*four_bars(mechanism), *slider_cranks(mechanism)]
    if plot is not None:
        from structkin.show.files import save_figure
        from structkin.show.limits_figure import draw_circuits, draw_limits

        save_figure(draw_circuits(all_circuits[0]) if circuits else draw_limits(*found), plot)
    if as_json:
        data: dict[str, Any] = {"title": mechanism.title, "limits": [item.to_dict() for item in found]}
        data["loops"] = [_loop(loop, mechanism) for loop in loops]
        if circuits:
            data["circuits"] = [item.to_dict() for item in all_circuits]
        print_json(data)
    else:
        from structkin.show.limits_figure import limits_table

        terminal = console()
        terminal.print(limits_table(found))
        lines = [loop.words for loop in loops] + [line for item in all_circuits for line in item.report.splitlines()]
        lines += [f"drawn: {plot}"] if plot is not None else []
        for line in lines:
            terminal.print(line, markup=False, highlight=False, soft_wrap=True)
    if any(item.failure for item in found):
        raise typer.Exit(1)


def _checked(mechanism: Mechanism, moved: list[str], hold: list[str]) -> dict[str, float]:
    """Return the held values; `InputError` lists every mistake of both options."""
    problems = [
        Problem("--driver", f"'{name}' is not a driver", suggest(name, mechanism.drives))
        for name in dict.fromkeys(moved)
        if name not in mechanism.drives
    ]
    held = dict[str, float]()
    try:
        held = driver_values(mechanism, hold, "--hold")
    except InputError as error:
        problems += error.problems
    if problems:
        raise InputError(problems, mechanism.title or "command")
    return held


def _loop(loop: FourBar | SliderCrank, mechanism: Mechanism) -> dict[str, Any]:
    """Return a loop as plain data, lengths in the file's unit."""
    unit = mechanism.units.scale("length")
    data: dict[str, Any] = {"links": list(loop.links), "joints": list(loop.joints)}
    if isinstance(loop, FourBar):
        lengths = [length / unit for length in loop.lengths]
        return {"kind": "four-bar", **data, "lengths": lengths, "type": loop.type, "barker": loop.barker,
                "input_turns": loop.input_turns}  # fmt: skip
    return {"kind": "slider-crank", **data, "crank": loop.crank / unit, "rod": loop.rod / unit,
            "offset": loop.offset / unit, "crank_turns": loop.crank_turns}  # fmt: skip
