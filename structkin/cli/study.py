"""`structkin study FILE`: a study of one's own, from one file, with pictures of its result."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from structkin import show
from structkin.cli.options import USUAL, Budget, Json, budget_of
from structkin.cli.outputs import Outputs, write_rows
from structkin.cli.terminal import progress
from structkin.errors import InputError, Problem
from structkin.show.study_figure import study_columns

if TYPE_CHECKING:
    from structkin.solve.study import Study


def study(
    file: Annotated[
        Path,
        typer.Argument(
            help="Study file, .toml or .json: mechanism, parameters, plan, measures.",
            metavar="FILE",
            show_default=False,
        ),
    ],
    to: Annotated[
        Path | None,
        typer.Option(help="Keep the result in this folder; run again, the command goes on.", metavar="STORE.zarr"),
    ] = None,
    workers: Annotated[int, typer.Option(help="Processes that share the work; the result is the same.")] = 1,
    scheduler: Annotated[
        str | None,
        typer.Option(help="Run on the Dask cluster of this scheduler instead.", metavar="tcp://HOST:PORT"),
    ] = None,
    csv: Annotated[
        Path | None,
        typer.Option("--csv", help="Write one line per variant, in SI; - for stdout.", metavar="TABLE"),
    ] = None,
    plot: Annotated[
        Path | None, typer.Option(help="Draw parameters and measures against each other.", metavar="PICTURE")
    ] = None,
    best: Annotated[
        Path | None, typer.Option(help="Draw the best variants, as [best] of the file says.", metavar="PICTURE")
    ] = None,
    budget: Budget = USUAL,
    as_json: Json = False,
) -> None:
    """Run a study of your own from a file: many variants of a mechanism, measured, kept and drawn."""
    from structkin.solve.study import study as run
    from structkin.solve.study.cluster import connected
    from structkin.solve.study.store import finished_in
    from structkin.solve.study.study_file import read_study

    found = read_study(file)
    if best is not None and not found.best:
        problem = Problem("--best", "the file does not say which variants are the best", "add [best] with a measure")
        raise InputError([problem], str(file))
    outputs = Outputs(file, {"--csv": csv}, {"--plot": plot, "--best": best}, as_json)
    continues = []
    if to is not None and os.path.exists(to):
        with suppress(InputError):  # of a folder that is no store: said with all else that is wrong
            there, count = finished_in(to)
            continues = [f"continues: {there:,} of {count:,} variants are there"]
    with ExitStack() as stack:
        client = None if scheduler is None else stack.enter_context(connected(scheduler))
        report = stack.enter_context(progress("studying"))

        def go_on(done: float = 1.0) -> None:
            if continues:  # only now is it known to be the store of this study
                typer.echo(continues.pop(), err=True)
            report(done)

        result = run(
            found.mechanism, **found.options, to=to, workers=workers, client=client, budget=budget_of(budget),
            progress=go_on,
        )  # fmt: skip
        go_on()
    chosen = result.best(found.best, found.count, largest=found.largest).tolist() if found.best else []
    makers: dict[str, Callable[..., Any]] = {
        "--csv": lambda target: write_rows(target, _rows(result)),
        "--plot": lambda: show.plot_study(result),
        "--best": lambda: show.draw_variants(result, chosen, [result.motion(k) for k in chosen], found.best),
    }
    if nothing := best is not None and not chosen:
        del makers["--best"]
        typer.echo(f"--best draws nothing: no variant has a value of '{found.best}'", err=True)
    outputs.deliver(
        makers,
        lambda: _data(result, chosen),
        lambda: show.study_table(result, chosen, found.best),
        [f"kept: {to}"] if to is not None else [],
        ok=not nothing,
    )


def _rows(result: Study) -> list[dict[str, Any]]:
    """Return a row for each variant."""
    columns = study_columns(result)
    return [
        {
            "variant": k,
            "status": outcome,
            **{name: float(own[k]) if own[k] == own[k] else None for name, own in columns.items()},
        }
        for k, outcome in enumerate(result.outcomes)
    ]


def _data(result: Study, chosen: list[int]) -> dict[str, Any]:
    """Return the result as plain data."""
    rows = _rows(result)
    return {
        "title": result.mechanism.title,
        "variants": len(rows),
        "status": dict(Counter(result.outcomes).most_common()),
        "best": [rows[k] for k in chosen],
    }
