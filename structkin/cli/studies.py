"""`structkin studies`: what the papers on multibody dynamics claim, from our own runs."""

from __future__ import annotations

import csv
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from structkin.cli.terminal import console
from structkin.errors import InputError, Problem

if TYPE_CHECKING:
    from matplotlib.figure import Figure

studies = typer.Typer(help="Repeat studies of papers, with pictures.", no_args_is_help=True, rich_markup_mode=None)

Folder = Annotated[Path | None, typer.Option(help="Write CSV and pictures.", metavar="FOLDER")]


@studies.callback()
def _studies() -> None:
    pass


@studies.command()
def baumgarte(to: Folder = None) -> None:
    """Show how Baumgarte's gains let constraint errors fade, and the stability regions of the integrators."""
    import numpy as np

    from structkin.studies.baumgarte import STEP_POLYNOMIALS, TABLE_1, growth, largest_step

    rows = [("alpha", "beta", "|z| printed", "|z|", "angle printed", "angle [deg]")]
    for alpha, beta, size, angle in TABLE_1:
        z = growth("euler", alpha, beta, 1e-3)
        found = abs(z), abs(np.degrees(np.angle(z)))
        rows.append((f"{alpha:g}", f"{beta:g}", f"{size:.3f}", f"{found[0]:.4f}", f"{angle:.1f}", f"{found[1]:.2f}"))
    show("Euler's method at h = 0.001 s (Flores & Lankarani, Tab. 1)", rows)
    steps: list[tuple[str, ...]] = [("integrator", "alpha = beta = 5", "alpha = beta = 50")]
    steps += [(name, *(f"{largest_step(name, gain, gain):.4g} s" for gain in (5, 50))) for name in STEP_POLYNOMIALS]
    show("Largest step at which the error of a constraint fades", steps)
    if to is not None:
        from structkin.studies.pictures import draw_responses, draw_stability

        pictures = {"baumgarte_response": draw_responses(), "baumgarte_stability": draw_stability()}
        write(to, pictures, {"baumgarte_table_1": rows, "baumgarte_steps": steps})


@studies.command()
def gait(
    markers: Annotated[
        Path | None, typer.Option(help="CSV of measured markers; default: a gait made up.", metavar="FILE")
    ] = None,
    unit: Annotated[str, typer.Option(help="Unit of length of the markers: m, cm or mm.")] = "m",
    mass: Annotated[float | None, typer.Option(help="Mass of the person [kg]; default: 56.7.")] = None,
    cutoff: Annotated[float, typer.Option(help="Low pass of the markers [Hz].")] = 6.0,
    to: Folder = None,
) -> None:
    """Find the joint moments of a walking person, seven segments guided by splines through markers.

    The markers are ribcage, hip, knee, ankle and mt5 of the right leg, as columns hip_x, hip_y, ... and t.
    """
    import numpy as np

    from structkin.studies.gait import BODY, MARKERS, analyse, fit, joint_moments
    from structkin.studies.markers import low_pass, read_markers, strides
    from structkin.studies.synthetic_gait import synthetic_markers

    raw = synthetic_markers() if markers is None else read_markers(markers, MARKERS, unit)
    smooth = low_pass(raw, cutoff)
    steps = strides(smooth)
    found = analyse(smooth, steps, fit(BODY, smooth, mass))
    moments = joint_moments(found.forces)
    rows = [("", "least", "largest")]
    for name, values in moments.items():
        rows.append((f"{name.replace('_', ' ')} [N m]", f"{values.min():.4g}", f"{values.max():.4g}"))
    for k, name in enumerate(("forward", "up")):
        force = found.ground.force[:, k]
        rows.append((f"ground, {name} [N]", f"{force.min():.4g}", f"{force.max():.4g}"))
    show(f"A stride of {steps.period:.3f} s: joint moments, positive where they stretch", rows)
    left = max(float(np.max(np.abs(found.forces.driver(id)))) for id in ("x", "y", "pitch"))
    console().print(f"what the ground's force leaves for the guides of the hip: {left:.1e} N, N m", highlight=False)
    if to is not None:
        from structkin.studies.pictures import draw_gait

        table = [("t [s]", *moments)]
        table += [tuple(map(repr, row)) for row in np.column_stack((found.motion.t, *moments.values())).tolist()]
        write(to, {"gait": draw_gait(found)}, {"gait_moments": table})


def show(title: str, rows: Sequence[Sequence[str]]) -> None:
    """Print a table; its first row is the heading."""
    from rich import box
    from rich.table import Table

    console().print(title, markup=False, highlight=False)
    sheet = Table(box=box.SIMPLE, padding=(0, 1, 0, 0))
    for k, name in enumerate(rows[0]):
        sheet.add_column(name, justify="left" if k == 0 else "right", no_wrap=True)
    for row in rows[1:]:
        sheet.add_row(*row)
    console().print(sheet)


def write(folder: Path, pictures: Mapping[str, Figure], tables: Mapping[str, Sequence[Sequence[str]]]) -> None:
    """Write pictures as PNG and tables as CSV, and say so."""
    from structkin.show.files import save_figure, whole_file

    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError([Problem("--to", f"{folder}: {error.strerror}", "name a folder that can be made")]) from None
    for name, figure in pictures.items():
        save_figure(figure, folder / f"{name}.png")
    for name, rows in tables.items():
        with whole_file(folder / f"{name}.csv", newline="", encoding="utf-8") as file:
            csv.writer(file).writerows(rows)
    for path in (*(f"{name}.png" for name in pictures), *(f"{name}.csv" for name in tables)):
        console().print(f"written: {folder / path}", markup=False, highlight=False)
