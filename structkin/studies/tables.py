"""Tables of the studies, as rows of text under a heading."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from structkin.dynamics.integrators.step_roots import STEP_POLYNOMIALS
from structkin.studies.baumgarte import TABLE_1, growth, largest_step
from structkin.studies.cartesian import Agreement, Trial
from structkin.studies.drift import Drift
from structkin.studies.gait import Gait, joint_moments, levers

Rows = list[tuple[str, ...]]


def table_1_rows() -> Rows:
    """Return Flores & Lankarani's Tab. 1 beside our roots."""
    rows: Rows = [("alpha", "beta", "|z| printed", "|z|", "angle printed", "angle [deg]")]
    for alpha, beta, size, angle in TABLE_1:
        z = growth("euler", alpha, beta, 1e-3)
        found = abs(z), abs(np.degrees(np.angle(z)))
        rows.append((f"{alpha:g}", f"{beta:g}", f"{size:.3f}", f"{found[0]:.4f}", f"{angle:.1f}", f"{found[1]:.2f}"))
    return rows


def step_rows() -> Rows:
    """Return the largest steps at which the error of a constraint fades."""
    steps = {name: [largest_step(name, gain, gain) for gain in (5, 50)] for name in STEP_POLYNOMIALS}
    rows = [(name, *(f"{step:.4g} s" for step in ends)) for name, ends in steps.items()]
    return [("integrator", "alpha = beta = 5", "alpha = beta = 50"), *rows]


def gait_rows(gait: Gait) -> Rows:
    """Return the extremes of the joint moments, of the ground's force and of where it acts."""
    motion, mass = gait.motion, gait.mass
    rows: Rows = [("", "least", "largest", "least a kg", "largest a kg")]
    for name, values in joint_moments(gait.forces).items():
        ends = float(values.min()), float(values.max())
        rows.append(
            (f"{name.replace('_', ' ')} [N m]", *(f"{x:.4g}" for x in ends), *(f"{x / mass:.2f}" for x in ends))
        )
    for k, name in enumerate(("forward", "up")):
        force = gait.ground.force[:, k]
        rows.append((f"ground, {name} [N]", f"{force.min():.4g}", f"{force.max():.4g}", "", ""))
    lever = levers(motion, gait.ground)["right"]
    ball = (motion.position("B_right") - motion.position("A_right"))[np.isfinite(lever), 0]
    rows.append(("it acts ahead of the ankle [m]", f"{np.nanmin(lever):.3f}", f"{np.nanmax(lever):.3f}", "", ""))
    rows.append(("ball of the foot ahead of it [m]", f"{ball.min():.3f}", f"{ball.max():.3f}", "", ""))
    return rows


def drift_rows(found: Mapping[str, Sequence[Drift]]) -> Rows:
    """Return how far the bodies of a driven motion drift, by start and gain."""
    rows: Rows = [("start", "alpha = beta", "largest gap [mm]", "at the end [mm]")]
    for title, runs in found.items():
        for one in runs:
            last = max(float(abs(gap[-1]).max()) for gap in one.gaps.values())
            rows.append((title, f"{one.gain:g}", f"{1e3 * one.worst:.2g}", f"{1e3 * last:.2g}"))
    return rows


def trial_rows(found: Sequence[Trial]) -> Rows:
    """Return what each trial came to and took."""
    rows: Rows = [
        ("gain", "step", "tolerance", "", "error [m]", "energy [J]", "gap", "steps", "evaluations", "time [s]")
    ]
    for one in found:
        r = one.simulation
        word = "stopped" if r.stopped else "right" if one.right else "wrong"
        way = ("LSODA", f"{one.tolerance:.3g}") if one.step is None else (f"{1e3 * one.step:g} ms", "")
        numbers = (f"{x:.1e}" for x in (one.worst, one.energy_change, float(r.violation.max())))
        work = r.integration
        rows.append(
            (f"{one.gain:g}", *way, word, *numbers, str(work.steps), str(work.evaluations), f"{work.seconds:.2g}")
        )
    return rows


def agreement_rows(found: Agreement) -> Rows:
    """Return how both coordinates agree with a reference."""
    rows: Rows = [("", "samples", "bias [m]", "limits [m]", "outside", "ICC consistency", "ICC agreement")]
    for name, one, both in zip("xy", found.limits, found.correlation, strict=True):
        low, high = one.limits
        correlations = (f"{both.consistency:.9f}", f"{both.agreement:.9f}")
        numbers = (str(len(one.means)), f"{one.bias:.1e}", f"{low:.1e} to {high:.1e}", f"{one.outside:.0%}")
        rows.append((name, *numbers, *correlations))
    return rows
