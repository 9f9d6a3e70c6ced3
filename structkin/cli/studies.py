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

    from structkin.studies.cartesian import Agreement, Trial
    from structkin.studies.drift import Drift

studies = typer.Typer(help="Repeat studies of papers, with pictures.", no_args_is_help=True, rich_markup_mode=None)

Quick = Annotated[bool, typer.Option("--quick", help="Few gains and steps.")]
Folder = Annotated[Path | None, typer.Option(help="Write CSV and pictures.", metavar="FOLDER", callback=check_folder)]


@studies.callback()
def _studies() -> None:
    pass


@studies.command()
def baumgarte(to: Folder = None) -> None:
    """Show how Baumgarte's gains let constraint errors fade, and the stability regions of the integrators."""
    import numpy as np

    from structkin.dynamics.integrators.step_roots import STEP_POLYNOMIALS
    from structkin.studies.baumgarte import TABLE_1, growth, largest_step

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


@studies.command()
def pendulum(quick: Quick = False, to: Folder = None) -> None:
    """Swing a pendulum in fully Cartesian coordinates with Baumgarte's gains 0 to 100; compare with published data."""
    from structkin.studies.cartesian import GAINS, pendulum, pendulum_agreement, trials

    case = pendulum()
    with progress("simulating") as report:
        found = trials(case, GAINS[::10] if quick else GAINS, progress=report)
    agreement = pendulum_agreement(found[0].gain)
    rows = _trial_rows(found)
    show("Pendulum, ten seconds by LSODA at 1.49e-8", rows)
    facts = _agreement_rows(agreement)
    show(f"Gain {found[0].gain:g} against the published data", facts)
    if to is not None:
        from structkin.studies.cartesian_pictures import draw_pendulum

        pictures = {"cartesian_pendulum": draw_pendulum(found, agreement)}
        write(to, pictures, {"cartesian_pendulum": rows, "cartesian_pendulum_agreement": facts})


@studies.command("slider-crank")
def slider_crank(quick: Quick = False, to: Folder = None) -> None:
    """Run a slider-crank with equal rods through its singular poses; map which gains and steps get through."""
    from structkin.studies.cartesian import GAINS, agreement, slider_crank, trials

    case = slider_crank()
    share = 0.4 if not quick else 0.5
    with progress("simulating") as report:
        found = trials(case, (50,) if quick else GAINS, progress=lambda part: report(share * part))
        gains, steps = (
            ((50,), (0.02,)) if quick else ((0, 1, 2, 5, 10, 20, 30, 50, 70, 100), (0.04, 0.02, 0.01, 0.005, 0.002))
        )
        mapped = trials(case, gains, steps, progress=lambda part: report(share + (1 - share) * part))
    rows = _trial_rows(found)
    show("Slider-crank with equal rods, ten seconds by LSODA at 1.49e-8", rows)
    best = next(one for one in found if one.gain == 50)
    times = best.simulation.t
    agreed = agreement(best.simulation.position(case.point), case.path(times))
    facts = _agreement_rows(agreed)
    show("The elbow with gain 50 against our own reference (nobody has published data)", facts)
    table = _trial_rows(mapped)
    show("The same by RK4 at fixed steps", table)
    if to is not None:
        from structkin.studies.cartesian_pictures import draw_map, draw_slider_crank

        pictures = {
            "cartesian_slider_crank": draw_slider_crank(case, found, agreed),
            "cartesian_map": draw_map(mapped),
        }
        tables = {
            "cartesian_slider_crank": rows,
            "cartesian_slider_crank_agreement": facts,
            "cartesian_map": table,
        }
        write(to, pictures, tables)


@studies.command("gait-drift")
def gait_drift(quick: Quick = False, to: Folder = None) -> None:
    """Integrate the walking person, all driven: how far joints and guides drift, without and with Baumgarte's gains."""
    from structkin.studies.drift import drift
    from structkin.studies.gait import BODY, fit, walker
    from structkin.studies.markers import low_pass, strides
    from structkin.studies.synthetic_gait import synthetic_markers

    smooth = low_pass(synthetic_markers())
    person = walker(smooth, strides(smooth), fit(BODY, smooth))
    names = {"T": "trunk", "K_right": "thigh", "A_right": "shank", "B_right": "foot"}
    starts = {"a start that fits": 0.0, "1 % too slow": 0.01}
    step = 0.01 if quick else 0.00145
    gains = (0.0, 5.0, 50.0)
    found: list[tuple[str, list[Drift]]] = []
    with progress("integrating") as report:
        for title, misses in starts.items():
            runs: list[Drift] = []
            for gain in gains:
                runs.append(drift(person, list(names), gain, step=step, misses=misses))
                report((len(found) * len(gains) + len(runs)) / (len(starts) * len(gains)))
            found.append((title, runs))
    rows = [("start", "alpha = beta", "largest gap [mm]", "at the end [mm]")]
    for title, runs in found:
        for one in runs:
            last = max(float(abs(gap[-1]).max()) for gap in one.gaps.values())
            rows.append((title, f"{one.gain:g}", f"{1e3 * one.worst:.2g}", f"{1e3 * last:.2g}"))
    show(f"A stride by RK4 at {1e3 * step:g} ms, reference-point coordinates", rows)
    if to is not None:
        from structkin.studies.cartesian_pictures import draw_drift

        write(to, {"gait_drift": draw_drift(found, names)}, {"gait_drift": rows})


def _trial_rows(found: Sequence[Trial]) -> list[tuple[str, ...]]:
    rows: list[tuple[str, ...]] = [
        ("gain", "step", "", "error [m]", "energy [J]", "gap", "steps", "evaluations", "time [s]")
    ]
    for one in found:
        r = one.simulation
        word = "stopped" if r.stopped else "right" if one.right else "wrong"
        numbers = (one.worst, one.energy_change, float(r.violation.max()))
        work = r.integration
        rows.append(
            (
                f"{one.gain:g}",
                "LSODA" if one.step is None else f"{1e3 * one.step:g} ms",
                word,
                *(f"{x:.1e}" for x in numbers),
                str(work.steps),
                str(work.evaluations),
                f"{work.seconds:.2g}",
            )
        )
    return rows


def _agreement_rows(found: Agreement) -> list[tuple[str, ...]]:
    rows: list[tuple[str, ...]] = [("", "bias [m]", "limits [m]", "outside", "ICC consistency", "ICC agreement")]
    for name, one, both in zip("xy", found.limits, found.correlation, strict=True):
        low, high = one.limits
        part = f"{one.outside:.0%}"
        correlations = (f"{both.consistency:.9f}", f"{both.agreement:.9f}")
        rows.append((name, f"{one.bias:.1e}", f"{low:.1e} to {high:.1e}", part, *correlations))
    return rows


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
