"""`structkin limits FILE`: the range of each driver, what ends it, and which assembly modes are connected."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from structkin import show
from structkin.branches.four_bar import FourBar, SliderCrank
from structkin.cli.options import USUAL, Budget, File, Json, budget_of, driver_values, opened
from structkin.cli.outputs import Outputs
from structkin.cli.terminal import progress
from structkin.errors import InputError, Problem, raise_problems, together
from structkin.model import Mechanism
from structkin.model.topology import suggest


def limits(
    file: File,
    driver: Annotated[
        list[str] | None, typer.Option(help="A driver to move; may be repeated. Default: each in turn.")
    ] = None,
    hold: Annotated[
        list[str] | None,
        typer.Option(
            help="Hold another driver at a value, in the file's unit unless one is given; default: as in the sketch.",
            metavar="NAME=VALUE",
        ),
    ] = None,
    circuits: Annotated[bool, typer.Option("--circuits", help="Show all branches and circuits.")] = False,
    plot: Annotated[
        Path | None, typer.Option(help="Draw the intervals, or the branches with --circuits.", metavar="PICTURE")
    ] = None,
    budget: Budget = USUAL,
    as_json: Json = False,
) -> None:
    """Find the exact range of each driver and what ends it; values are in the file's units."""
    mechanism = opened(file)
    outputs, held, steps = together(
        "command",
        lambda: Outputs(file, pictures={"--plot": plot}, as_json=as_json),
        lambda: _checked(mechanism, driver or [], hold or []),
        lambda: budget_of(budget),
    )
    names = driver or [id for id in mechanism.drivers if id not in held] or list(mechanism.drivers)
    if circuits and plot is not None and len(names) > 1:
        problem = Problem("--plot", "draws the circuits of one driver only", f"add --driver, one of {', '.join(names)}")
        raise InputError([problem], mechanism.title)
    if plot is not None and not names:
        problem = Problem("--plot", "there are no drivers, so there is no range to draw", "add one to [drivers]")
        raise InputError([problem], mechanism.title or "limits")
    with progress("following the drivers", total=None) as report:
        found = [mechanism.limits(name, drivers=held, budget=steps, progress=report) for name in names]
    with progress("tracing circuits", total=None) as report:
        traced = [
            mechanism.circuits(name, drivers=held, budget=steps, progress=report)
            for name in (names if circuits else ())
        ]
    loops: list[FourBar | SliderCrank] = [*mechanism.four_bars(), *mechanism.slider_cranks()]
    data: dict[str, Any] = {"title": mechanism.title, "limits": [item.to_dict() for item in found]}
    data["loops"] = [_loop(loop, mechanism) for loop in loops]
    if circuits:
        data["circuits"] = [item.to_dict() for item in traced]
    drawn = traced[0].branches if circuits and traced else [part for item in found for part in item.intervals]
    outputs.deliver(
        {"--plot": lambda: show.draw_circuits(traced[0]) if circuits else show.draw_limits(*found)} if drawn else {},
        lambda: data,
        lambda: show.limits_table(found) if found else "no drivers: nothing to follow",
        [
            *(loop.words for loop in loops),
            *(item.report for item in traced),
            *(["--plot: there is nothing to draw"] if plot is not None and not drawn else []),
        ],
        ok=not any(item.failure for item in found),
    )


def _checked(mechanism: Mechanism, moved: list[str], hold: list[str]) -> dict[str, float]:
    """Return the values of the drivers that are held; an `InputError` lists every error of both options."""
    problems = [
        Problem("--driver", f"'{name}' is not a driver", suggest(name, mechanism.drivers))
        for name in dict.fromkeys(moved)
        if name not in mechanism.drivers
    ]
    held = dict[str, float]()
    try:
        held = driver_values(mechanism, hold, "--hold")
    except InputError as error:
        problems += error.problems
    raise_problems(problems, mechanism.title or "command")
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
