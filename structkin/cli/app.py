"""The application: its commands, and how every failure leaves it."""

from __future__ import annotations

import io
import os
import sys
from pathlib import Path
from typing import Annotated

import typer

from structkin.cli import (
    assemblies,
    bench,
    bench_dynamics,
    bench_four_bar,
    bench_groups,
    check,
    compare,
    demo,
    examples,
    explain,
    forces,
    inputs,
    limits,
    simulate,
    solve,
    structure,
    studies,
)
from structkin.cli.terminal import complain
from structkin.errors import InputError, StructkinError

app = typer.Typer(
    name="structkin",
    help="Planar mechanisms: structural (Assur) groups from the topology, and their motion group by group.",
    epilog="Exit codes: 0 fine; 1 it ran, but something is not ok (a sample, the structure); 2 bad input.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)
app.command("demo")(demo.demo)
app.command("check")(check.check)
app.command("structure")(structure.structure)
app.command("explain")(explain.explain)
app.command("inputs")(inputs.inputs)
app.command("solve")(solve.solve)
app.command("compare")(compare.compare)
app.command("limits")(limits.limits)
app.command("assemblies")(assemblies.assemblies)
app.command("forces")(forces.forces)
app.command("simulate")(simulate.simulate)
app.command("examples")(examples.examples)
bench.bench.command("scalable-four-bar")(bench_four_bar.scalable_four_bar)
bench.bench.command("dynamics")(bench_dynamics.dynamics)
bench.bench.command("groups")(bench_groups.groups)
app.add_typer(bench.bench, name="bench")
app.add_typer(studies.studies, name="studies")


def _version(wanted: bool) -> None:
    if wanted:
        from structkin import __version__

        typer.echo(f"structkin {__version__}")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    pass


def main() -> None:
    """Run the command line; bad input is told on stderr, every mistake of it, and ends with exit code 2."""
    _prepare_streams()
    try:
        app()
    except InputError as error:
        complain(error)
        sys.exit(2)
    except StructkinError as error:
        typer.echo(str(error), err=True)
        sys.exit(1)
    except MemoryError:
        typer.echo("there is not enough memory for this: ask for fewer samples, or a shorter range", err=True)
        sys.exit(2)
    except BrokenPipeError:
        # The reader of our output has gone (`structkin solve ... | head`): nothing is left to say, not even at exit.
        sys.stderr.close()
        sys.exit(1)
    except OSError as error:
        typer.echo(f"the output cannot be written: {error.strerror or error}", err=True)
        sys.stderr.close()
        sys.exit(2)


def _prepare_streams() -> None:
    """Let a closed output swallow what is printed, and a narrow encoding replace what it lacks."""
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is None:
            setattr(sys, name, Path(os.devnull).open("w"))  # noqa: SIM115 - open for the whole run
        elif isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")
