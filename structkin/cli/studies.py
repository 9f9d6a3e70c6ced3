"""`structkin studies`: results of papers on multibody dynamics, repeated with our own runs."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
import typer

from structkin.cli.options import Once, command_family
from structkin.cli.outputs import check_folder, make_folder
from structkin.cli.terminal import print_table, progress, say
from structkin.errors import InputError, Problem
from structkin.show.files import save_figure, write_table
from structkin.studies import cartesian, pictures
from structkin.studies import gait as walking
from structkin.studies.baumgarte import step_rows, table_1_rows
from structkin.studies.drift import draw_courses, draw_drift, drift, drift_rows
from structkin.studies.gait import MARKERS
from structkin.studies.guides import guides
from structkin.studies.limb import ARM_MARKERS, TOPS, chain_from, chain_of, draw_limb, limb
from structkin.studies.markers import Markers, low_pass, read_markers, strides
from structkin.studies.pictures import draw_guides
from structkin.studies.synthetic_gait import synthetic_markers

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from structkin.solve import Motion
    from structkin.types import Floats

studies = command_family("Repeat studies from papers, with pictures.")

#: Tables by the name of their file: title, rows with the headings first, and how many columns hold words if not one.
Rows = Sequence[Sequence[Any]]
Tables = Mapping[str, tuple[str, Rows] | tuple[str, Rows, int]]
Quick = Annotated[bool, typer.Option("--quick", help="Use few gains and steps.")]
Folder = Annotated[Path | None, typer.Option(help="Write CSV and pictures.", metavar="FOLDER", callback=check_folder)]
Record = Annotated[
    Path | None, typer.Option(help="CSV of measured markers; default: a synthetic gait.", metavar="FILE")
]
Unit = Annotated[str, typer.Option(help="Unit of length of the markers: m, cm or mm.")]
Mass = Annotated[float | None, typer.Option(help="Mass of the person [kg]; default: 56.7.")]
Cutoff = Annotated[float, typer.Option(help="Cut-off frequency of the low-pass filter on the markers [Hz].")]


@studies.command(cls=Once)
def baumgarte(to: Folder = None) -> None:
    """Show how Baumgarte's gains damp constraint errors, with the stability regions of the integrators."""
    tables: Tables = {
        "baumgarte_table_1": ("Euler's method at h = 0.001 s (Flores & Lankarani, Tab. 1)", table_1_rows()),
        "baumgarte_steps": ("Largest step at which a constraint error decays", step_rows()),
    }
    drawn = {
        "baumgarte_response": pictures.draw_responses,
        "baumgarte_mapping": pictures.draw_mapping,
        "baumgarte_stability": pictures.draw_stability,
    }
    deliver(to, tables, drawn)


@studies.command(cls=Once)
def gait(
    markers: Record = None,
    unit: Unit = "m",
    mass: Mass = None,
    cutoff: Cutoff = 6.0,
    first: Annotated[
        str | None,
        typer.Option(
            "--from",
            help=f"Where the markers begin: {', '.join(TOPS)}; from the hip a leg alone, from the shoulder an arm. "
            "Default: the first of the file.",
            metavar="MARKER",
        ),
    ] = None,
    to: Folder = None,
) -> None:
    """Find the joint moments of a walking person, or of a leg or an arm alone, guided by splines through markers.

    The markers are ribcage, hip, knee, ankle and mt5 of the right leg, or shoulder, elbow and wrist. The columns are t,
    hip_x, hip_y and so on; a force plate adds force_x, force_y [N] and cop_x.
    """
    chain = chain_from(first) if first else None
    measured = _measured(markers, unit, chain)
    smooth = low_pass(measured, cutoff)
    if MARKERS[0] not in measured.places or (chain and chain != MARKERS):
        _limb(smooth, chain or tuple(measured.places), mass, to)
        return
    steps = strides(smooth)
    found = walking.analyse(smooth, steps, walking.fit(walking.BODY, smooth, mass))
    events = f"contact at {steps.contacts[0]:.3f} s, lift at {steps.lifts[0]:.3f} s"
    title = f"A stride of {steps.period:.3f} s, {events}: joint moments, positive in extension"
    print_table(title, walking.gait_rows(found))
    left = max(float(np.max(np.abs(found.forces.driver(id)))) for id in ("x", "y", "pitch"))
    away = ", ".join(f"{name} {1e3 * size:.0f} mm" for name, size in guides(smooth, steps.period).uneven.items())
    under = "ground force" if smooth.force is None else "measured ground force"
    say(f"residual effort of the hip guides under the {under}: {left:.1e} N, N m")
    say(f"distance of markers from the mean of both half strides, which is used: {away}")
    drawn = {
        "gait": lambda: pictures.draw_gait(found),
        "gait_guides": lambda: draw_guides(measured, smooth, steps.period),
    }
    deliver(to, {"gait_moments": ("", _course(found.motion, walking.joint_moments(found.forces)))}, drawn)


def _measured(path: Path | None, unit: str, chain: tuple[str, ...] | None) -> Markers:
    """Return the markers of a file, or synthetic ones: of a chain, or of that which begins with the file's first."""
    if path is not None:
        return read_markers(path, chain or chain_of, unit, beside=(*MARKERS, *ARM_MARKERS) if chain else ())
    made = synthetic_markers()
    missing = [name for name in chain or () if name not in made.places]
    if missing:
        raise InputError([Problem("--from", f"the synthetic gait has no {missing[0]}", "add --markers FILE")], "gait")
    return made


def _limb(smooth: Markers, chain: tuple[str, ...], mass: float | None, to: Path | None) -> None:
    """Print and draw the moments of a leg or an arm alone."""
    found = limb(smooth, chain, walking.fit({**walking.BODY, **walking.ARM}, smooth, mass))
    rows = walking.moment_rows(found.moments(), mass or walking.MASS)
    print_table(f"{chain[0]} to {chain[-1]} over {found.motion.t[-1]:.3f} s: moments, positive in extension", rows)
    if chain[-1] == MARKERS[-1]:
        say(
            "ground force: measured"
            if smooth.force is not None
            else "no ground force: true while the foot is in the air"
        )
    above = [name for name in MARKERS[: -len(chain)] if chain[-1] == MARKERS[-1]]
    if above:
        say(f"without {', '.join(above)}: nothing is found above the {chain[0]}")
    deliver(to, {"limb_moments": ("", _course(found.motion, found.moments()))}, {"limb": lambda: draw_limb(found)})


def _course(motion: Motion, moments: Mapping[str, Floats]) -> list[Sequence[Any]]:
    """Return a row of headings, and a row of time and moments for each sample."""
    return [("t [s]", *moments), *np.column_stack((motion.t, *moments.values())).tolist()]


@studies.command("gait-drift", cls=Once)
def gait_drift(
    quick: Quick = False,
    markers: Record = None,
    unit: Unit = "m",
    mass: Mass = None,
    cutoff: Cutoff = 6.0,
    to: Folder = None,
) -> None:
    """Integrate the fully driven walking person: how joints and guides drift, with and without Baumgarte's gains."""
    smooth = low_pass(_measured(markers, unit, MARKERS), cutoff)
    body = walking.fit(walking.BODY, smooth, mass)
    person, data = walking.walker(smooth, strides(smooth), body), walking.centres(smooth, body)
    starts = {"a start that fits": 0.0, "1 % too slow": 0.01}
    step = 0.01 if quick else 0.00145
    wanted = [(title, gain) for title in starts for gain in (0.0, 5.0, 50.0)]
    runs = []
    with progress("integrating") as report:
        for title, gain in wanted:
            runs.append(drift(person, list(data), gain, step=step, misses=starts[title]))
            report(len(runs) / len(wanted))
    found = {title: [run for run, (of, _) in zip(runs, wanted, strict=True) if of == title] for title in starts}
    title = f"A stride by RK4 at {1e3 * step:g} ms, reference-point coordinates"
    drawn = {
        "gait_courses": lambda: draw_courses(found, smooth.t - smooth.t[0], data),
        "gait_drift": lambda: draw_drift(found),
    }
    deliver(to, {"gait_drift": (title, drift_rows(found))}, drawn)


@studies.command(cls=Once)
def pendulum(quick: Quick = False, to: Folder = None) -> None:
    """Simulate a pendulum in fully Cartesian coordinates, Baumgarte's gains 0 to 100; compare with published data."""
    case, gains = cartesian.pendulum(), cartesian.FULL.gains
    with progress("simulating") as report:
        found = cartesian.trials(case, gains[::10] if quick else gains, progress=report)
        took = {gain: cartesian.work(case, gain, 1 if quick else 10) for gain in (0.0, 50.0)}
    agreement = cartesian.pendulum_agreement(found[0].gain)
    compared = f"Gain {found[0].gain:g} against the published data"
    tables: Tables = {
        "cartesian_pendulum": ("Pendulum, ten seconds by LSODA", cartesian.trial_rows(found)),
        "cartesian_pendulum_agreement": (compared, cartesian.agreement_rows(agreement)),
        "cartesian_pendulum_work": ("Computing time, against Tab. 3", cartesian.work_rows(case, took)),
    }
    deliver(to, tables, {"cartesian_pendulum": lambda: pictures.draw_pendulum(found, agreement)})


@studies.command("slider-crank", cls=Once)
def slider_crank(quick: Quick = False, to: Folder = None) -> None:
    """Run a slider-crank with equal rods through its singular poses; map which gains and steps succeed."""
    case, extent = cartesian.slider_crank(), cartesian.QUICK if quick else cartesian.FULL
    others = [tolerance for tolerance in extent.tolerances if tolerance != cartesian.TOLERANCE]
    with progress("simulating") as report:
        found = cartesian.trials(case, extent.gains, progress=lambda part: report(0.3 * part))
        beside = cartesian.trials(case, extent.near, tolerances=others, progress=lambda part: report(0.3 + 0.3 * part))
        by_step = cartesian.trials(case, extent.mapped, extent.steps, progress=lambda part: report(0.6 + 0.3 * part))
        took = {50.0: cartesian.work(case, 50, 1 if quick else 10)}
    by_tolerance = [one for one in found if one.gain in extent.near] + beside
    best = next(one for one in found if one.gain == 50)
    agreed = cartesian.agreement(best.simulation.position(case.point), case.path(best.simulation.t))
    elbow = "The elbow with gain 50 against our own reference (no published data)"
    tables: Tables = {
        "cartesian_slider_crank": ("Slider-crank with equal rods, ten seconds by LSODA", cartesian.trial_rows(found)),
        "cartesian_tolerances": ("Near the threshold, at other tolerances", cartesian.trial_rows(by_tolerance)),
        "cartesian_slider_crank_agreement": (elbow, cartesian.agreement_rows(agreed)),
        "cartesian_slider_crank_work": ("Computing time, against Tab. 5", cartesian.work_rows(case, took)),
        "cartesian_map": ("The same by RK4 at fixed steps", cartesian.trial_rows(by_step)),
    }
    drawn = {
        "cartesian_slider_crank": lambda: pictures.draw_slider_crank(case, found, agreed),
        "cartesian_tolerances": lambda: pictures.draw_map(by_tolerance, "tolerance"),
        "cartesian_map": lambda: pictures.draw_map(by_step, "step"),
    }
    deliver(to, tables, drawn)


@studies.command(cls=Once)
def newton(quick: Quick = False, to: Folder = None) -> None:
    """Show where the Newton-Raphson method converges and where it fails: on functions, and on three mechanisms."""
    from structkin.studies.newton import draw_newton, newton_rows

    title = "The Newton-Raphson method (Flores & Lankarani, Figs. 40, 42, 44, 45)"
    deliver(to, {"newton": (title, newton_rows())}, {"newton": lambda: draw_newton(9 if quick else 33)})


@studies.command("small-steps", cls=Once)
def small_steps(quick: Quick = False, to: Folder = None) -> None:
    """Run small steps in space: errors over the stiffness of joints, and jumps beside adaptive solvers."""
    from structkin.studies import jumps, small_steps

    cases = (small_steps.four_bar(), small_steps.slider_crank(), small_steps.andrews())
    steps = jumps.STEPS[:4] if quick else jumps.STEPS
    found, met = [], []
    with progress("simulating") as report:
        for done, case in enumerate(cases):
            # Steps [s] at which the error of the stiffest joints still falls.
            found += small_steps.convergence(case, 2e-6 if quick else 1e-6)
            report(0.8 * (done + 1) / len(cases))
        for jump in jumps.JUMPS:
            met += jumps.runs(jump, steps)
    heads = ("mechanism", "stiffness [N/m]", "step [s]", "error of the stiffness", "error of the step")
    errors = [heads, *((one.case, f"{one.stiffness:.3g}", f"{one.step:g}", f"{one.error:.3g}", f"{one.stepping:.3g}")
                       for one in found)]  # fmt: skip
    heads = ("jump", "method", "step [s] or tolerance", "evaluations", "error [rad]")
    costs = [heads, *((one.jump, one.method, f"{one.setting:g}", str(one.evaluations), f"{one.error:.3g}")
                      for one in met)]  # fmt: skip
    tables: Tables = {
        "small_steps_convergence": ("Small steps beside the reduced equations, errors in parts of the path", errors),
        "small_steps_jumps": ("A pendulum with a jump: the error after one second", costs, 2),
    }
    drawn = {
        "small_steps_convergence": lambda: pictures.draw_convergence(found),
        "small_steps_jumps": lambda: pictures.draw_jumps(met),
    }
    deliver(to, tables, drawn)


def deliver(folder: Path | None, tables: Tables, drawn: Mapping[str, Callable[[], Figure]]) -> None:
    """Print the tables that have a title; write pictures as PNG and tables as CSV, and print their names."""
    for table in tables.values():
        if table[0]:
            print_table(*table)
    if folder is None:
        return
    make_folder(folder)
    for name, draw in drawn.items():
        save_figure(draw(), folder / f"{name}.png")
    for name, (_, rows, *_) in tables.items():
        write_table(folder / f"{name}.csv", rows[0], rows[1:])
    say(*(f"written: {folder / name}.png" for name in drawn), *(f"written: {folder / name}.csv" for name in tables))
