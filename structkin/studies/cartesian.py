"""Fully Cartesian coordinates with Baumgarte's stabilisation on two benchmarks, and where they fail.

I. Roupa, S. B. Goncalves, M. Tavares da Silva, Dynamic Analysis of Planar Multibody Systems with Fully Cartesian
Coordinates, secs. 2.3-4: a pendulum, and a slider-crank with two equal rods, which can become a pendulum whenever both
rods point the same way. There the constraints lose rank, and small gains end on the wrong branch.

Simulations are compared with the published solution of a benchmark, and closed forms of two mechanisms.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from structkin.dynamics import Simulation
from structkin.dynamics.integrators.methods import adaptive_solver
from structkin.dynamics.multipliers.consistent_start import global_start
from structkin.dynamics.multipliers.stabilisation import Feedback
from structkin.model import Mechanism
from structkin.numerical_tolerances import ROUNDING
from structkin.studies.agreement import BlandAltman, IntraclassCorrelation, bland_altman, intraclass_correlation
from structkin.types import Floats

# --- closed forms and published results ----------------------------------------------------------------------------

GRAVITY = 9.81

#: Simple pendulum A01 of the IFToMM Library of Computational Benchmark Problems (M. Gonzalez, University of A Coruna,
#: 2005): x, y [m] of the bob every half second from 0 to 10 s, as published. Its own accuracy is 5e-7 m.
PENDULUM = np.array(
    [
        (-1.0, 0.0),
        (-0.391049, -0.92037),
        (0.986292, -0.165011),
        (0.884132, -0.467237),
        (-0.793566, -0.608484),
        (-0.996334, -0.0855439),
        (0.176652, -0.984273),
        (0.999914, -0.013142),
        (0.577564, -0.816346),
        (-0.963293, -0.268452),
        (-0.942305, -0.334754),
        (0.665293, -0.746583),
        (0.999498, -0.0316965),
        (0.0511945, -0.998689),
        (-0.998619, -0.0525408),
        (-0.727459, -0.686151),
        (0.919858, -0.392252),
        (0.975626, -0.21944),
        (-0.498374, -0.866962),
        (-0.999992, -0.00402112),
        (-0.275087, -0.961419),
    ]
)
PENDULUM_TIMES: Floats = 0.5 * np.arange(float(len(PENDULUM)))


def pendulum_angle(t: ArrayLike) -> Floats:
    """Return the angle (n,) [rad] of a pendulum of 1 m from the vertical; at rest at t = 0, level, on the side of -x.

    By Jacobi's elliptic functions: sin(angle / 2) = -k cd(w t), k = sin(pi / 4), w = sqrt(g / l).

    >>> x = np.sin(pendulum_angle(PENDULUM_TIMES))
    >>> bool(np.abs(x - PENDULUM[:, 0]).max() < 6e-7)
    True
    """
    from scipy.special import ellipj

    k = math.sqrt(0.5)
    _, cn, dn, _ = ellipj(math.sqrt(GRAVITY) * np.asarray(t, dtype=np.float64), k * k)
    return np.asarray(-2 * np.arcsin(k * cn / dn))


def slider_crank_angle(t: ArrayLike, accuracy: float = ROUNDING) -> Floats:
    """Return the angle (n,) [rad] of the first rod of a slider-crank with two equal rods of 1 m and 1 kg.

    It starts at 45 degrees, the slider at 4 m/s towards the pivot. No data of it are published: this is its single
    equation of motion, (2/3 + 2 sin^2 a) a'' = -g cos a - 2 sin a cos a a'^2, integrated to this accuracy. The other
    rod mirrors the first, so that the slider is at x = 2 cos a even where both rods point the same way.
    """
    from scipy.integrate import solve_ivp

    times = np.asarray(t, dtype=np.float64)

    def rate(t: float, y: Floats) -> list[float]:
        s, c = math.sin(y[0]), math.cos(y[0])
        return [y[1], (-GRAVITY * c - 2 * s * c * y[1] ** 2) / (2 / 3 + 2 * s * s)]

    start = [math.pi / 4, 2 * math.sqrt(2)]
    found = solve_ivp(rate, (times[0], times[-1]), start, "DOP853", times, rtol=accuracy, atol=accuracy)
    return np.asarray(found.y[0])


# --- the study -----------------------------------------------------------------------------------------------------

#: The tolerance of SciPy's odeint (LSODA) by default, which the paper uses.
TOLERANCE = 1.49e-8
#: A motion counts as right if the point stays as near [m] to the reference as the paper's own does (Fig. 9).
RIGHT = 0.05

DURATION = 10.0


@dataclass(frozen=True)
class Extent:
    """Which runs of the slider-crank are made: `gains` alpha = beta [1/s] by LSODA at the paper's tolerance.

    Those `near` the threshold are repeated at other `tolerances`, and the gains `mapped` are run by RK4 at `steps` [s].
    """

    gains: tuple[float, ...]
    near: tuple[float, ...]
    tolerances: tuple[float, ...]
    mapped: tuple[float, ...]
    steps: tuple[float, ...]


#: The gains of the paper with runs that show how sensitive its threshold is; and a short selection of them.
FULL = Extent(
    gains=tuple(range(0, 101, 5)),
    near=(0, 5, 10, 15, 20, 25, 30),
    # Around the tolerance of the paper, up to twice and down to half of it.
    tolerances=(0.75e-8, 1e-8, TOLERANCE, 2e-8, 3e-8),
    mapped=(0, 1, 2, 5, 10, 20, 30, 50, 70, 100),
    steps=(0.04, 0.02, 0.01, 0.005, 0.002),
)
#: Of the tolerances around that of the paper, a larger one.
QUICK = Extent((0, 10, 50), (10, 50), (TOLERANCE, 2e-8), (0, 10, 50), (0.04, 0.02))


@dataclass(frozen=True)
class Case:
    """A mechanism, the point whose path is compared, and that point's true path (n, 2) [m] at times (n,) [s]."""

    name: str
    mechanism: Mechanism
    point: str
    path: Callable[[Floats], Floats]


def pendulum() -> Case:
    """Return the pendulum: 1 kg at the end of a massless rod of 1 m, level and at rest."""
    mechanism = Mechanism(
        "Pendulum",
        points={"A": (0, 0), "P": (-1, 0)},
        links={"ground": ["A"], "rod": {"points": ["A", "P"], "point_masses": {"P": 1}}},
        drivers={"swing": {"joint": "A"}},
        forces={"gravity": [0, -GRAVITY]},
    )

    def path(t: Floats) -> Floats:
        angle = pendulum_angle(t)
        return np.column_stack((np.sin(angle), -np.cos(angle)))

    return Case("pendulum", mechanism, "P", path)


def slider_crank() -> Case:
    """Return the slider-crank: two uniform rods of 1 m and 1 kg, at 45 degrees, the massless slider at -4 m/s."""
    half = math.sqrt(0.5)
    mechanism = Mechanism(
        "Slider-crank with equal rods",
        points={"A": (0, 0), "B": (half, half), "C": (2 * half, 0)},
        links={
            "ground": ["A"],
            "crank": {"points": ["A", "B"], "shape": "rod", "mass": 1},
            "rod": {"points": ["B", "C"], "shape": "rod", "mass": 1},
            "slider": ["C"],
        },
        joints={"guide": {"type": "prismatic", "links": ["slider", "ground"], "at": "C", "axis": [1, 0]}},
        drivers={"turn": {"joint": "A"}},
        forces={"gravity": [0, -GRAVITY]},
        initial={"turn": {"speed": 4 / (2 * half)}},
    )

    def path(t: Floats) -> Floats:
        angle = slider_crank_angle(t)
        return np.column_stack((np.cos(angle), np.sin(angle)))

    return Case("slider-crank", mechanism, "B", path)


@dataclass(frozen=True)
class Trial:
    """A simulation with these gains, and how far the point is from its true path (n,) [m].

    `step` [s] is that of RK4, None for LSODA with `tolerance`.
    """

    gain: float
    step: float | None
    tolerance: float
    simulation: Simulation
    error: Floats

    @property
    def worst(self) -> float:
        """The largest error [m]; infinite where the simulation stopped early."""
        return float("inf") if self.simulation.stopped else float(self.error.max())

    @property
    def right(self) -> bool:
        """Whether the point stayed near its true path."""
        return self.worst < RIGHT

    @property
    def energy_change(self) -> float:
        """The largest change of energy [J]."""
        energy = self.simulation.energy
        return float(np.max(np.abs(energy - energy[0])))


def trial(
    case: Case,
    gain: float,
    step: float | None = None,
    times: Floats | None = None,
    tolerance: float = TOLERANCE,
) -> Trial:
    """Simulate ten seconds with alpha = beta = `gain`: by LSODA at a tolerance, or by RK4 at a step [s]."""
    # Output times would shorten a longer step.
    t = np.linspace(0, DURATION, 1 + round(DURATION / max(0.01, step or 0.0))) if times is None else times
    options: dict[str, Any] = {"integrator": "LSODA", "rtol": tolerance, "atol": tolerance}
    if step is not None:
        options = {"integrator": "rk4", "step": step}
    found = case.mechanism.simulate(
        t,
        formulation="multipliers",
        coordinates="fully-cartesian",
        stabilisation="baumgarte",
        alpha=float(gain),
        beta=float(gain),
        **options,
    )
    error = found.position(case.point) - case.path(found.t)
    return Trial(float(gain), step, tolerance, found, np.hypot(*error.T))


def trials(
    case: Case,
    gains: Sequence[float] = FULL.gains,
    steps: Sequence[float | None] = (None,),
    tolerances: Sequence[float] = (TOLERANCE,),
    progress: Callable[[float], None] | None = None,
) -> list[Trial]:
    """Return the trials of all gains at all steps and tolerances; the step None is LSODA."""
    wanted = [(gain, step, tolerance) for tolerance in tolerances for step in steps for gain in gains]
    found = []
    for gain, step, tolerance in wanted:
        found.append(trial(case, gain, step, tolerance=tolerance))
        if progress is not None:
            progress(len(found) / len(wanted))
    return found


@dataclass(frozen=True)
class Agreement:
    """How x and y of a point agree with a reference, by Bland and Altman and by Shrout and Fleiss."""

    limits: tuple[BlandAltman, BlandAltman]
    correlation: tuple[IntraclassCorrelation, IntraclassCorrelation]


def agreement(path: Floats, reference: Floats) -> Agreement:
    """Compare two paths (n, 2)."""
    pairs = [(path[:, k], reference[:, k]) for k in range(2)]
    found = [intraclass_correlation(np.column_stack(pair)) for pair in pairs]
    return Agreement((bland_altman(*pairs[0]), bland_altman(*pairs[1])), (found[0], found[1]))


def pendulum_agreement(gain: float = 0.0) -> Agreement:
    """Compare the pendulum with the published data of the benchmark: the 20 points after the start, which is given."""
    case = pendulum()
    found = trial(case, gain, times=PENDULUM_TIMES)
    return agreement(found.simulation.position(case.point)[1:], PENDULUM[1:])


def trial_rows(found: Sequence[Trial]) -> list[tuple[str, ...]]:
    """Return the result and the cost of each trial."""
    rows: list[tuple[str, ...]] = [
        (
            "gain",
            "step",
            "tolerance",
            "",
            "error [m]",
            "energy [J]",
            "closure error",
            "steps",
            "evaluations",
            "time [s]",
        )
    ]
    for one in found:
        r = one.simulation
        word = "stopped" if r.stopped else "right" if one.right else "wrong"
        setting = ("LSODA", f"{one.tolerance:.3g}") if one.step is None else (f"{1e3 * one.step:g} ms", "")
        numbers = (f"{x:.1e}" for x in (one.worst, one.energy_change, float(r.violation.max())))
        work = r.integration
        rows.append(
            (f"{one.gain:g}", *setting, word, *numbers, str(work.steps), str(work.evaluations), f"{work.seconds:.2g}")
        )
    return rows


def agreement_rows(found: Agreement) -> list[tuple[str, ...]]:
    """Return how both coordinates agree with a reference."""
    heads = ("", "samples", "bias [m]", "limits [m]", "outside", "ICC consistency", "ICC agreement")
    rows: list[tuple[str, ...]] = [heads]
    for name, one, both in zip("xy", found.limits, found.correlation, strict=True):
        low, high = one.limits
        correlations = (f"{both.consistency:.9f}", f"{both.agreement:.9f}")
        numbers = (str(len(one.means)), f"{one.bias:.1e}", f"{low:.1e} to {high:.1e}", f"{one.outside:.0%}")
        rows.append((name, *numbers, *correlations))
    return rows


# --- the cost of an integration ---------------------------------------------------------------------------


#: The rows that both tables share.
LINES = (
    "language",
    "computer",
    "simulations",
    "mean CPU time [s]",
    "integrator",
    "largest error admitted",
    "step [s]",
    "steps",
    "most iterations per step",
)

#: The printed tables, row by row: of the benchmark, and of the paper's own simulation.
PRINTED: Mapping[str, tuple[tuple[str, ...], tuple[str, ...]]] = MappingProxyType(
    {
        "pendulum": (
            ("C++", "i5-4250U 1.9 GHz", "not stated", "0.53", "trapezoidal", "1e-9", "0.001", "not stated", "12"),
            ("Python", "i5-750 3.67 GHz", "1000", "0.36", "Adams / BDF", "1.5e-8", "variable", "1416", "27"),
        ),
        "slider-crank": (
            ("C++", "Core2Duo 3.16 GHz", "not stated", "0.328", "trapezoidal", "1e-9", "0.001", "not stated", "12"),
            ("Python", "i5-750 3.67 GHz", "1000", "2.21", "Adams / BDF", "1.5e-8", "variable", "2430", "45"),
        ),
    }
)


@dataclass(frozen=True, slots=True)
class Work:
    """Steps, evaluations of the equations in total and at most in one step, and CPU time [s], the mean of `runs`."""

    steps: int
    evaluations: int
    most: int
    seconds: float
    runs: int


def work(case: Case, gain: float, runs: int = 1) -> Work:
    """Integrate a case over ten seconds with alpha = beta = `gain` as `trial` does, and count its steps."""
    counts, spent = [0], 0.0
    for _ in range(runs):
        stabilisation = Feedback(float(gain), float(gain))
        equations, y = global_start(
            case.mechanism, "fully-cartesian", stabilisation, (), 0.0, formulation="multipliers"
        )
        began = time.process_time()
        solver = adaptive_solver("LSODA")(equations, 0.0, y, DURATION, rtol=TOLERANCE, atol=TOLERANCE)
        counts = [equations.evaluations]
        while solver.status == "running":
            solver.step()
            counts.append(equations.evaluations)
        spent += time.process_time() - began
    most = max(late - early for early, late in pairwise(counts))
    return Work(len(counts) - 1, counts[-1], most, spent / runs, runs)


def work_rows(case: Case, found: Mapping[float, Work]) -> list[tuple[str, ...]]:
    """Return the printed table with our own columns added, one for each gain."""
    ours = []
    for one in found.values():
        setting = ("Adams / BDF", f"{TOLERANCE:.3g}", "variable")
        took = (str(one.steps), f"{one.most} evaluations")
        ours.append(("Python", "this one", str(one.runs), f"{one.seconds:.2g}", *setting, *took))
    head = ("", "benchmark", "paper", *(f"here, gain {gain:g}" for gain in found))
    return [head, *zip(LINES, *PRINTED[case.name], *ours, strict=True)]
