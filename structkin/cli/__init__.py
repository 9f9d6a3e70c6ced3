"""The command line: its commands, one file each, and how errors become messages and exit codes."""

from __future__ import annotations

import difflib
import io
import os
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from types import FrameType, SimpleNamespace
from typing import Annotated, Any, NoReturn

import typer
from typer.core import TyperGroup

from structkin.errors import InputError, StructkinError

#: The commands and the first line of their docstrings, repeated here so that no command is imported for `--help`.
COMMANDS = {
    "demo": "Decompose a real mechanism, solve a full cycle, and draw it.",
    "check": "Check a mechanism: the file, its structure, and a run over its range.",
    "structure": "Find the structural groups and the order in which they are solved.",
    "explain": "Explain in words in which order the groups are solved, and why.",
    "atlas": "List every kinematic chain of some links, its inversions, drivers and structural groups.",
    "inputs": "Rank the joints that could drive, the simplest structure first.",
    "solve": "Solve position, velocity and acceleration; numbers are in the file's units.",
    "report": "Write a page with the mechanism and its motion that opens in any browser.",
    "compare": "Solve by every method, or simulate by every formulation; compare results, time and memory.",
    "limits": "Find the exact range of each driver and what ends it; values are in the file's units.",
    "assemblies": "Find all assemblies of a mechanism at one value of each driver; numbers are in the file's units.",
    "forces": "Find driver torques, joint reactions and the shaking force of the motion, in N and N m.",
    "worksheet": "Write every link cut free at one instant, with its forces and equations, for a class.",
    "simulate": "Simulate the motion caused by masses and forces; drivers without a law move freely.",
    "spatial": "Find the motion of bodies and joints in space under their masses and forces; numbers are in SI.",
    "synthesise": "Find linkages for the points of a path, for positions of a body, or for a function.",
    "optimise": "Find numbers of a mechanism with which its motion or its forces are as wished.",
    "equations": "Derive the equations of motion in minimal coordinates, as LaTeX, Python or C.",
    "studio": "Draw, edit and drive a mechanism in the browser; only this machine can reach it.",
    "study": "Run a study of your own from a file: many variants of a mechanism, measured, kept and drawn.",
    "tolerances": "Find what tolerances and clearances do to a motion: linear, worst case and Monte Carlo.",
    "animate": "Write an animation of the motion, the links coloured by group.",
    "convert": "Convert a mechanism to another format, by the suffix of OUT.",
    "examples": "List the examples, or copy one: `structkin examples jansen_leg`.",
    "bench": "Measure the speed of structkin on this machine.",
    "studies": "Repeat studies from papers, with pictures.",
    "warm-up": "Compile at once what is compiled once for this installation: for images, clusters and demonstrations.",
}

#: Names that are no commands, but options of one.
_OPTIONS = {"circuits": "limits --circuits", "matrices": "structure --matrices", "help": "--help"}

#: Signals that ask a program to end (SIGINT raises Python's `KeyboardInterrupt`); not every system has both.
_SIGNALS = ("SIGTERM", "SIGHUP")

#: The exit code of a program whose output nobody reads any more: that of SIGPIPE, which Python ignores.
_UNREAD = 128 + 13


class _Commands(TyperGroup):
    """The commands, each imported when it is called: `--help` and `--version` need no NumPy and the like."""

    def list_commands(self, ctx: Any) -> list[str]:
        """Return their names."""
        return list(COMMANDS)

    def get_command(self, ctx: Any, name: str) -> Any:
        """Return the command or group of a name, from the module of the same name; None if there is none."""
        if name not in COMMANDS:
            return None
        module = name.replace("-", "_")
        found = getattr(import_module(f"structkin.cli.{module}"), module)
        if not isinstance(found, typer.Typer):
            from structkin.cli.options import Once

            command, found = found, typer.Typer(add_completion=False, rich_markup_mode=None)
            found.command(name, cls=Once)(command)
        return typer.main.get_command(found)

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Read the arguments, among them those that print: `--help` and `--version`."""
        with _quiet_end():
            return super().parse_args(ctx, args)

    def invoke(self, ctx: Any) -> Any:
        """Run the command."""
        with _quiet_end():
            return super().invoke(ctx)

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Return the command that is called; suggest the closest name if there is none."""
        known = {**dict(zip(COMMANDS, COMMANDS, strict=True)), **_OPTIONS}
        close = difflib.get_close_matches(args[0], known, n=1)
        if args[0] not in COMMANDS and close:
            ctx.fail(f"No such command '{args[0]}'; did you mean '{known[close[0]]}'?")
        return super().resolve_command(ctx, args)

    def shell_complete(self, ctx: Any, incomplete: str) -> list[Any]:
        """Return the commands or options that begin with this, for completion in a shell; imports no command."""
        if incomplete.startswith("-"):
            return super().shell_complete(ctx, incomplete)
        # Any object with these attributes will do: older versions of typer take click's class, newer ones their own.
        return [
            SimpleNamespace(value=name, type="plain", help=words)
            for name, words in COMMANDS.items()
            if name.startswith(incomplete)
        ]

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Write the list of commands with their descriptions."""
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))


app = typer.Typer(
    name="structkin",
    cls=_Commands,
    help="Planar mechanisms: structural (Assur) groups from the topology, and the motion solved group by group.",
    epilog="Exit codes: 0 success; 1 it ran, but something is not ok (a sample, the structure); 2 bad input; "
    "130 interrupted by Ctrl-C; 141 nobody reads the output any more.",
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)


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
    """Run the command line; bad input ends with exit code 2, and every error is listed on stderr."""
    _prepare_streams()
    os.environ["MPLBACKEND"] = "agg"  # no command opens a window, whatever the variable says
    try:
        with tidy_end():
            app()
    except InputError as error:
        from structkin.cli.terminal import complain

        complain(error)
        sys.exit(2)
    except StructkinError as error:
        typer.echo(str(error), err=True)
        sys.exit(1)
    except MemoryError:
        typer.echo("not enough memory: ask for fewer samples or a shorter range", err=True)
        sys.exit(2)
    except OSError as error:
        typer.echo(f"the output cannot be written: {error.strerror or error}", err=True)
        sys.stderr.close()
        sys.exit(2)


def _prepare_streams() -> None:
    """Discard what is printed to a closed stream, and replace characters that the encoding lacks."""
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is None:
            setattr(sys, name, Path(os.devnull).open("w"))  # noqa: SIM115 - open for the whole run
        elif isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")


@contextmanager
def _quiet_end() -> Iterator[None]:
    """End without a word where nobody reads the output any more (`structkin solve ... | head`)."""
    try:
        yield
        sys.stdout.flush()
    except BrokenPipeError:
        nothing = os.open(os.devnull, os.O_WRONLY)
        for stream in (sys.stdout, sys.stderr):  # what is still in a buffer would fail again at exit
            os.dup2(nothing, stream.fileno())
        sys.exit(_UNREAD)


@contextmanager
def tidy_end() -> Iterator[None]:
    """Let signals that end a program raise `SystemExit`, so that temporary files are removed.

    A signal that is ignored, as SIGHUP under nohup, stays ignored.
    """
    before = {number: signal.getsignal(number) for name in _SIGNALS if (number := getattr(signal, name, None))}
    changed = [number for number, handler in before.items() if handler is signal.SIG_DFL]
    for number in changed:
        signal.signal(number, _leave)
    try:
        yield
    finally:
        for number in changed:
            signal.signal(number, before[number])


def _leave(number: int, frame: FrameType | None) -> NoReturn:
    sys.exit(128 + number)
