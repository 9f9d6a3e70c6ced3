"""`structkin studies`: what the papers on multibody dynamics claim, from our own runs."""

from __future__ import annotations

import csv
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from structkin.cli.outputs import check_folder, make_folder
from structkin.cli.terminal import console, progress

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from structkin.studies.drift import Drift
    from structkin.studies.markers import Markers

studies = typer.Typer(help="Repeat studies of papers, with pictures.", no_args_is_help=True, rich_markup_mode=None)

Quick = Annotated[bool, typer.Option("--quick", help="Few gains and steps.")]
Folder = Annotated[Path | None, typer.Option(help="Write CSV and pictures.", metavar="FOLDER", callback=check_folder)]
Record = Annotated[Path | None, typer.Option(help="CSV of measured markers; default: a gait made up.", metavar="FILE")]
Unit = Annotated[str, typer.Option(help="Unit of length of the markers: m, cm or mm.")]
Mass = Annotated[float | None, typer.Option(help="Mass of the person [kg]; default: 56.7.")]
Cutoff = Annotated[float, typer.Option(help="Low pass of the markers [Hz].")]


@studies.callback()
def _studies() -> None:
    pass


@studies.command()
def baumgarte(to: Folder = None) -> None:
    """Show how Baumgarte's gains let constraint errors fade, and the stability regions of the integrators."""
    from structkin.studies.tables import step_rows, table_1_rows

    rows, steps = table_1_rows(), step_rows()
    show("Euler's method at h = 0.001 s (Flores & Lankarani, Tab. 1)", rows)
    show("Largest step at which the error of a constraint fades", steps)
    if to is not None:
        from structkin.studies.pictures import draw_mapping, draw_responses, draw_stability

        pictures = {
            "baumgarte_response": draw_responses(),
            "baumgarte_mapping": draw_mapping(),
            "baumgarte_stability": draw_stability(),
        }
        write(to, pictures, {"baumgarte_table_1": rows, "baumgarte_steps": steps})


@studies.command()
def gait(markers: Record = None, unit: Unit = "m", mass: Mass = None, cutoff: Cutoff = 6.0, to: Folder = None) -> None:
    """Find the joint moments of a walking person, seven segments guided by splines through markers.

    The markers are ribcage, hip, knee, ankle and mt5 of the right leg, as columns hip_x, hip_y, ... and t.
    """
    import numpy as np

    from structkin.studies.gait import BODY, analyse, fit, joint_moments
    from structkin.studies.guides import guides
    from structkin.studies.markers import strides
    from structkin.studies.tables import gait_rows

    smooth = _smoothed(markers, unit, cutoff)
    steps = strides(smooth)
    found = analyse(smooth, steps, fit(BODY, smooth, mass))
    events = f"contact at {steps.contacts[0]:.3f} s, lift at {steps.lifts[0]:.3f} s"
    show(f"A stride of {steps.period:.3f} s, {events}: joint moments, positive where they stretch", gait_rows(found))
    left = max(float(np.max(np.abs(found.forces.driver(id)))) for id in ("x", "y", "pitch"))
    console().print(f"what the ground's force leaves for the guides of the hip: {left:.1e} N, N m", highlight=False)
    away = ", ".join(f"{name} {1e3 * size:.0f} mm" for name, size in guides(smooth, steps.period).uneven.items())
    console().print(f"markers off the mean of both half strides, which they follow: {away}", highlight=False)
    if to is not None:
        from structkin.studies.pictures import draw_gait

        moments = joint_moments(found.forces)
        table = [("t [s]", *moments)]
        table += [tuple(map(repr, row)) for row in np.column_stack((found.motion.t, *moments.values())).tolist()]
        write(to, {"gait": draw_gait(found)}, {"gait_moments": table})


def _smoothed(path: Path | None, unit: str, cutoff: float) -> Markers:
    """Return the markers of a file, or made up, without what is faster than the cut-off [Hz]."""
    from structkin.studies.gait import MARKERS
    from structkin.studies.markers import low_pass, read_markers
    from structkin.studies.synthetic_gait import synthetic_markers

    return low_pass(synthetic_markers() if path is None else read_markers(path, MARKERS, unit), cutoff)


@studies.command("gait-drift")
def gait_drift(
    quick: Quick = False,
    markers: Record = None,
    unit: Unit = "m",
    mass: Mass = None,
    cutoff: Cutoff = 6.0,
    to: Folder = None,
) -> None:
    """Integrate the walking person, all driven: how far joints and guides drift, without and with Baumgarte's gains."""
    from structkin.studies.drift import drift
    from structkin.studies.gait import BODY, centres, fit, walker
    from structkin.studies.markers import strides
    from structkin.studies.tables import drift_rows

    smooth = _smoothed(markers, unit, cutoff)
    body = fit(BODY, smooth, mass)
    person, data = walker(smooth, strides(smooth), body), centres(smooth, body)
    starts = {"a start that fits": 0.0, "1 % too slow": 0.01}
    step = 0.01 if quick else 0.00145
    gains = (0.0, 5.0, 50.0)
    found: dict[str, list[Drift]] = {title: [] for title in starts}
    with progress("integrating") as report:
        for k, (title, misses) in enumerate(starts.items()):
            for gain in gains:
                found[title].append(drift(person, list(data), gain, step=step, misses=misses))
                report((k * len(gains) + len(found[title])) / (len(starts) * len(gains)))
    rows = drift_rows(found)
    show(f"A stride by RK4 at {1e3 * step:g} ms, reference-point coordinates", rows)
    if to is not None:
        from structkin.studies.drift_pictures import draw_courses, draw_drift

        pictures = {"gait_courses": draw_courses(found, smooth.t - smooth.t[0], data), "gait_drift": draw_drift(found)}
        write(to, pictures, {"gait_drift": rows})


@studies.command()
def pendulum(quick: Quick = False, to: Folder = None) -> None:
    """Swing a pendulum in fully Cartesian coordinates with Baumgarte's gains 0 to 100; compare with published data."""
    from structkin.studies.cartesian import FULL, pendulum, pendulum_agreement, trials
    from structkin.studies.tables import agreement_rows, trial_rows
    from structkin.studies.work import work, work_rows

    case = pendulum()
    with progress("simulating") as report:
        found = trials(case, FULL.gains[::10] if quick else FULL.gains, progress=report)
        took = {gain: work(case, gain, 1 if quick else 10) for gain in (0.0, 50.0)}
    agreement = pendulum_agreement(found[0].gain)
    rows, facts, table = trial_rows(found), agreement_rows(agreement), work_rows(case, took)
    show("Pendulum, ten seconds by LSODA", rows)
    show(f"Gain {found[0].gain:g} against the published data", facts)
    show("What it takes, beside Tab. 3", table)
    if to is not None:
        from structkin.studies.cartesian_pictures import draw_pendulum

        tables = {"cartesian_pendulum": rows, "cartesian_pendulum_agreement": facts, "cartesian_pendulum_work": table}
        write(to, {"cartesian_pendulum": draw_pendulum(found, agreement)}, tables)


@studies.command("slider-crank")
def slider_crank(quick: Quick = False, to: Folder = None) -> None:
    """Run a slider-crank with equal rods through its singular poses; map which gains and steps get through."""
    from structkin.studies.cartesian import FULL, QUICK, TOLERANCE, agreement, slider_crank, trials
    from structkin.studies.tables import agreement_rows, trial_rows
    from structkin.studies.work import work, work_rows

    case, extent = slider_crank(), QUICK if quick else FULL
    others = [tolerance for tolerance in extent.tolerances if tolerance != TOLERANCE]
    with progress("simulating") as report:
        found = trials(case, extent.gains, progress=lambda part: report(0.3 * part))
        beside = trials(case, extent.near, tolerances=others, progress=lambda part: report(0.3 + 0.3 * part))
        by_step = trials(case, extent.mapped, extent.steps, progress=lambda part: report(0.6 + 0.3 * part))
        took = {50.0: work(case, 50, 1 if quick else 10)}
    by_tolerance = [one for one in found if one.gain in extent.near] + beside
    best = next(one for one in found if one.gain == 50)
    agreed = agreement(best.simulation.position(case.point), case.path(best.simulation.t))
    tables = {
        "cartesian_slider_crank": trial_rows(found),
        "cartesian_tolerances": trial_rows(by_tolerance),
        "cartesian_slider_crank_agreement": agreement_rows(agreed),
        "cartesian_slider_crank_work": work_rows(case, took),
        "cartesian_map": trial_rows(by_step),
    }
    titles = (
        "Slider-crank with equal rods, ten seconds by LSODA",
        "Beside the threshold, at other tolerances",
        "The elbow with gain 50 against our own reference (nobody has published data)",
        "What it takes, beside Tab. 5",
        "The same by RK4 at fixed steps",
    )
    for title, rows in zip(titles, tables.values(), strict=True):
        show(title, rows)
    if to is not None:
        from structkin.studies.cartesian_pictures import draw_map, draw_slider_crank

        pictures = {
            "cartesian_slider_crank": draw_slider_crank(case, found, agreed),
            "cartesian_tolerances": draw_map(by_tolerance, "tolerance"),
            "cartesian_map": draw_map(by_step, "step"),
        }
        write(to, pictures, tables)


def show(title: str, rows: Sequence[Sequence[str]]) -> None:
    """Print a table; its first row is the heading."""
    from rich import box
    from rich.table import Table
    from rich.text import Text

    console().print(title, markup=False, highlight=False)
    sheet = Table(box=box.SIMPLE, padding=(0, 1, 0, 0))
    for k, name in enumerate(rows[0]):
        sheet.add_column(Text(name), justify="left" if k == 0 else "right", no_wrap=True)
    for row in rows[1:]:
        sheet.add_row(*map(Text, row))
    console().print(sheet)


def write(folder: Path, pictures: Mapping[str, Figure], tables: Mapping[str, Sequence[Sequence[str]]]) -> None:
    """Write pictures as PNG and tables as CSV, and say so."""
    from structkin.show.files import save_figure, whole_file

    make_folder(folder)
    for name, figure in pictures.items():
        save_figure(figure, folder / f"{name}.png")
    for name, rows in tables.items():
        with whole_file(folder / f"{name}.csv", newline="", encoding="utf-8") as file:
            csv.writer(file).writerows(rows)
    for path in (*(f"{name}.png" for name in pictures), *(f"{name}.csv" for name in tables)):
        console().print(f"written: {folder / path}", markup=False, highlight=False)
