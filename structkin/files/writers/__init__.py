"""Writers of mechanisms: one module per format, each loaded when it is needed."""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

from structkin.errors import InputError, Problem, raise_problems
from structkin.solve.solve_groups import solve_groups

if TYPE_CHECKING:
    from structkin.model.mechanism import Mechanism
    from structkin.solve import Motion


@dataclass(frozen=True)
class Format:
    """A format: its name, the module and function that write it, and what it does with a motion.

    `motion` is "none" if the file contains the mechanism alone, "paths" if a motion adds paths, and "needed" if the
    motion is what is written, with `samples` samples by default. `check` is the function of the module, if there is
    one, that refuses more samples than it can hold.
    """

    name: str
    module: str
    function: str
    motion: str = "none"
    samples: int = 361
    check: str = ""


#: The formats by suffix.
FORMATS = {
    ".toml": Format("mechanism file", "own", "write_own"),
    ".json": Format("mechanism file", "own", "write_own"),
    ".xml": Format("MuJoCo MJCF", "mjcf", "write_mjcf"),
    ".dxf": Format("drawing, DXF", "dxf", "write_dxf", "paths"),
    ".svg": Format("picture, SVG", "shown", "write_picture", "paths"),
    ".png": Format("picture, PNG", "shown", "write_picture", "paths"),
    ".pdf": Format("picture, PDF", "shown", "write_picture", "paths"),
    ".csv": Format("table of the motion, CSV", "shown", "write_table", "needed"),
    ".xlsx": Format(
        "workbook of structure, motion, K and L, forces", "xlsx", "write_xlsx", "needed", check="check_rows"
    ),
    ".graphml": Format("adjacency matrix, GraphML", "matrix", "write_matrix"),
    ".tex": Format("LaTeX tables of structure and motion", "latex", "write_latex", "needed", samples=13),
}


#: Names of formats that are accepted as suffixes.
_NAMED = {".mjcf": ".xml", ".mujoco": ".xml"}


def format_of(path: str | Path) -> Format:
    """Return the format of a path by its suffix; raise `InputError` if no format has it.

    >>> format_of("four_bar.TOML").name
    'mechanism file'
    """
    suffix = Path(path).suffix.lower()
    if suffix not in FORMATS:
        found = f"'{suffix}' is not a format to write" if suffix else "the name has no suffix"
        hint = f"MuJoCo's format is {_NAMED[suffix]}" if suffix in _NAMED else f"use {', '.join(FORMATS)}"
        raise InputError([Problem(str(path), found, hint)], "output")
    return FORMATS[suffix]


def write(mechanism: Mechanism, path: str | Path, *, motion: Motion | None = None) -> tuple[str, ...]:
    """Write a mechanism to a file in the format of its suffix, with a motion of it if the format has one.

    If the format needs a motion and none is given, the motion over the default range is written. Returns notes on how
    the file differs from the mechanism. Raises `InputError` if the format cannot hold the mechanism; no partial file
    is left.
    """
    chosen = format_of(path)
    check_samples(mechanism, path, chosen.samples if motion is None else len(motion))
    if motion is not None:
        _check(mechanism, motion, chosen, path)
    elif chosen.motion == "needed":
        motion = solve_groups(mechanism, chosen.samples)
    function = getattr(import_module(f"{__name__}.{chosen.module}"), chosen.function)
    given = () if chosen.motion == "none" else (motion,)
    notes: tuple[str, ...] = function(mechanism, Path(path), *given)
    return notes


def check_samples(mechanism: Mechanism, path: str | Path, samples: int) -> None:
    """Raise `InputError` if the format of a path cannot hold so many samples, before they are solved."""
    chosen = format_of(path)
    if chosen.check:
        getattr(import_module(f"{__name__}.{chosen.module}"), chosen.check)(mechanism, samples)


def _check(mechanism: Mechanism, motion: Motion, chosen: Format, path: str | Path) -> None:
    """Raise `InputError` for a motion of another mechanism, or for a format that cannot hold one."""
    problems = []
    if chosen.motion == "none":
        problems.append(Problem("motion", f"{Path(path).suffix}, {chosen.name}, holds no motion", "leave it out"))
    if (motion.mechanism.places, motion.mechanism.links) != (mechanism.places, mechanism.links):
        problems.append(Problem("motion", "belongs to another mechanism", "pass one of this mechanism"))
    raise_problems(problems, mechanism.title or "mechanism")
