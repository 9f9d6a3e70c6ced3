"""Arguments and options that several commands share, and how their values are read."""

from __future__ import annotations

import inspect
import os
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperCommand, TyperGroup, TyperOption

from structkin import examples
from structkin.budget import DEFAULT
from structkin.errors import InputError, Problem, problems_of, raise_problems
from structkin.model import Mechanism
from structkin.model.file import SUFFIXES
from structkin.model.flaw import Flaw
from structkin.model.topology import suggest
from structkin.model.units import Units
from structkin.solve.call import range_problems

#: Arguments of calls and the options that give them, where the names differ.
ARGUMENTS = (
    ("t", "time"), ("t", "duration"), ("methods", "method"), ("stabilisations", "stabilisation"),
    ("fluctuation", "flywheel"),
)  # fmt: skip


#: What stands for a value in the help where an option says nothing else; typer would print the Python type.
_VALUES: dict[object, str] = {
    int: "N", list[int]: "N", float: "X", list[float]: "X", str: "NAME", list[str]: "NAME"
}  # fmt: skip


class Once(TyperCommand):
    """A command none of whose options with one value may be given twice: of two files, one would not be written.

    Its help has the field's words, and those of the documentation, for arguments and values: FILE and N instead of
    {file} <path> and <int>, as newer versions of typer write.
    """

    def __init__(self, *args: Any, **named: Any) -> None:
        """Make the command as typer does, with words for its values."""
        super().__init__(*args, **named)
        for one in filter(_type, self.params):
            if not isinstance(one, TyperOption):
                vars(one).update(metavar=one.metavar or str(one.name).upper(), display_type_rich=lambda ctx: "")
            elif one.metavar is None and not one.is_flag:
                one.metavar = _VALUES.get(_type(one))

    def collect_usage_pieces(self, ctx: Any) -> list[str]:
        """Return the parts of the line of usage, arguments without braces."""
        return [piece.strip("{}") for piece in super().collect_usage_pieces(ctx)]

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Read the options; `InputError` lists those that are given more than once, and values that are no numbers."""
        given, _, order = self.make_parser(ctx).parse_args(args=[*args])
        problems = [
            Problem(max(one.opts, key=len), f"is given {count} times", f"give {' or '.join(one.opts)} once")
            for one, count in Counter(order).items()
            if count > 1 and isinstance(one, TyperOption) and not (one.multiple or one.is_flag)
        ]
        if not ctx.resilient_parsing:
            problems += [problem for one in self.params for problem in _misread(ctx, one, given.get(str(one.name)))]
            raise_problems(problems, "command")
        return super().parse_args(ctx, args)

    def invoke(self, ctx: Any) -> Any:
        """Run the command; what is wrong with an argument of a call has the name of its option as key.

        A problem with the file keeps its key, which may be the same word.
        """
        try:
            return super().invoke(ctx)
        except InputError as error:
            if error.source == str(ctx.params.get("file")):
                raise
            options = {str(one.name): max(one.opts, key=len) for one in self.params if isinstance(one, TyperOption)}
            given = {
                name: option for name, option in options.items() if ctx.get_parameter_source(name).name == "COMMANDLINE"
            }
            named = {**given, **{word: options[name] for word, name in ARGUMENTS if name in options}}
            problems = [_of_option(problem, named) for problem in error.problems]
            source = "command" if all(one.key.startswith("--") for one in problems) else error.source
            raise type(error)(problems, source, more=error.more) from None


def _type(one: Any) -> object:
    """Return the type of a parameter, without None; older versions of typer do not keep it."""
    return getattr(getattr(one, "type_descriptor", None), "annotation", None)


def _misread(ctx: Any, one: Any, value: Any) -> list[Problem]:
    """Return why the text of an option or argument is not the number that is expected; typer stops at the first."""
    if value is None or one.callback is not None or getattr(one, "is_flag", False):
        return []
    try:
        one.process_value(ctx, value)
    except InputError as error:  # of a parser of our own
        return list(error.problems)
    except typer.BadParameter:
        own = getattr(one, "type", None)  # where older versions of typer keep what they know
        bounds = {words: getattr(one, name, getattr(own, name, None)) for words, name in _BOUNDS.items()}
        limits = " and".join(f"{words} {bound}" for words, bound in bounds.items() if bound is not None)
        is_whole = _type(one) in (int, list[int]) or "integer" in str(getattr(own, "name", ""))
        kind = "a whole number" if is_whole else "a number"
        found = " ".join(map(repr, value if isinstance(value, (list, tuple)) else [value]))
        key = max(one.opts, key=len) if isinstance(one, TyperOption) else str(one.metavar or one.name).upper()
        return [Problem(key, f"expected {kind}{limits}, found {found}")]
    return []


#: How limits of numbers are said, and the names of these.
_BOUNDS = {" of at least": "min", " up to": "max"}


class _Family(TyperGroup):
    """Commands below one word: the list of them has the whole first line of each help, which typer cuts short."""

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Write the list of commands."""
        rows = [(name, (command.help or "").partition("\n")[0]) for name, command in self.commands.items()]
        with formatter.section("Commands"):
            formatter.write_dl(rows)


def command_family(words: str) -> typer.Typer:
    """Return a word for commands below it, with what its help says of them."""
    return typer.Typer(cls=_Family, help=words, no_args_is_help=True, add_completion=False, rich_markup_mode=None)


def _of_option(problem: Problem, options: Mapping[str, str]) -> Problem:
    word, dot, name = problem.key.partition(".")
    return replace(problem, key=f"{options[word]} {name}" if dot else options[word]) if word in options else problem


def _file(path: Path) -> Path:
    """Return the path; `InputError` if there is no such file, but an example of that name."""
    # Unlike a path, `os.path` says of a name that is too long that it does not exist.
    if not os.path.exists(path) and path.name.removesuffix(".toml") in examples.names():
        hint = f"run `structkin examples {path.name.removesuffix('.toml')}` to copy the example of that name"
        raise InputError([Problem("", f"there is no file '{path}'", hint)], str(path))
    return path


File = Annotated[
    Path,
    typer.Argument(help="Mechanism file: .toml, .json, or one of another tool.", show_default=False, callback=_file),
]
SpatialFile = Annotated[
    Path,
    typer.Argument(help="File of bodies and joints in space: .toml or .json.", metavar="FILE", show_default=False),
]
Samples = Annotated[int, typer.Option(help="Number of samples, including both ends of the range.")]


def seconds(option: str) -> Callable[[str], float]:
    """Return what reads the time [s] of an option from a number of seconds or a quantity such as "2 min"."""

    def read(text: str) -> float:
        try:
            return float(text)
        except ValueError:
            pass
        try:
            return Units().quantity(text, "time")
        except Flaw as flaw:
            raise InputError([Problem(option, flaw.message, flaw.hint)], "command") from None

    return read


Duration = Annotated[
    float | None,
    typer.Option(
        parser=seconds("--duration"),
        metavar="TIME",
        help="Time range, in s or with a unit; default: the file's, or a full cycle.",
    ),
]
MotionTable = Annotated[
    Path | None,
    typer.Option("--csv", help="Write all points and links, one line per sample; - for stdout.", metavar="TABLE"),
]
MotionPlot = Annotated[
    Path | None,
    typer.Option(
        "--plot",
        help="Plot position, velocity, acceleration of up to three points and four links.",
        metavar="PICTURE",
    ),
]
Json = Annotated[bool, typer.Option("--json", help="Print everything as JSON.")]

#: Limits the work of a command.
Budget = Annotated[
    str,
    typer.Option(
        "--budget", metavar="STEPS", help="Solver steps allowed beyond those the samples need; none: no limit."
    ),
]
#: Its default.
USUAL = f"{DEFAULT:g}"


def opened(file: Path) -> Mechanism:
    """Load a mechanism; for a file of another tool, print on stderr what was understood and what was not."""
    mechanism = Mechanism.load(file)
    if file.suffix.lower() not in SUFFIXES:
        typer.echo("".join(f"note: {remark}\n" for remark in mechanism.remarks), err=True, nl=False)
    return mechanism


def budget_of(text: str) -> float | None:
    """Return the steps that `--budget` allows, None for any number; raise `InputError` if it is not a number."""
    if text.strip().lower() == "none":
        return None
    try:
        return float(text)
    except ValueError:
        problem = Problem("--budget", f"'{text}' is not a number of steps", "give a number, or none for no limit")
        raise InputError([problem], "command") from None


def numbers_of(samples: int, duration: float | None, budget: str) -> list[Problem]:
    """Return what is wrong with the numbers of a range and of its budget."""
    return [*range_problems(samples, duration), *problems_of(budget_of, budget)]


def driver_values(mechanism: Mechanism, given: list[str], option: str) -> dict[str, float]:
    """Return drivers' values [rad or m] from arguments such as "motor=30" or "motor=0.5 rad".

    Raises an `InputError` that lists every wrong argument, under the name of the `option`.
    """
    values: dict[str, float] = {}
    problems: list[Problem] = []
    for text in given:
        name, sign, value = (part.strip() for part in text.partition("="))
        if not sign:
            example = next(iter(mechanism.drivers), "motor")
            problems.append(Problem(option, f"'{text}' is not DRIVER=VALUE", f"such as {option} {example}=30"))
            continue
        if name not in mechanism.drivers:
            problems.append(Problem(option, f"'{name}' is not a driver", suggest(name, mechanism.drivers)))
        elif name in values:
            problems.append(Problem(f"{option} {name}", "is given twice", "give one value"))
        try:
            values[name] = _quantity(mechanism, name, value)
        except Flaw as flaw:
            problems.append(Problem(f"{option} {name}", flaw.message, flaw.hint))
    raise_problems(problems, mechanism.title or "command")
    return values


def _quantity(mechanism: Mechanism, driver: str, text: str) -> float:
    """Return a value in SI; for an unknown driver it may be an angle or a length."""
    try:
        number: float | str = float(text)
    except ValueError:
        number = text
    if driver in mechanism.drivers:
        return mechanism.units.quantity(number, mechanism.drivers[driver].quantity)
    try:
        return mechanism.units.quantity(number, "angle")
    except Flaw:
        return mechanism.units.quantity(number, "length")


def check_idle(command: Callable[..., None], options: Mapping[str, object], where: str) -> None:
    """Raise `InputError` with every option of a command that is not at its default but has no effect there."""
    usual = {name: item.default for name, item in inspect.signature(command).parameters.items()}
    problems = [
        Problem(f"--{name}", f"has no effect on {where}", "leave it out")
        for name, value in options.items()
        if value != usual[name]
    ]
    raise_problems(problems, "command")
