"""Measuring forward dynamics: time against error, and the cost of a step against size.

The same motions by other programs, if they are installed: Exudyn and MuJoCo, which are not dependencies. Both start
from our poses and velocities, with rods joined by pins: Exudyn as rigid bodies with joints between them (redundant
coordinates, generalized-alpha on index 3), MuJoCo from the file that we write for it, a tree of hinges whose loops are
closed by equality constraints (soft constraints, as stiff as the step allows).
"""

from __future__ import annotations

import importlib
import importlib.util
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any
from xml.etree import ElementTree

import numpy as np

from structkin.bench.clock import fastest
from structkin.bench.dynamics.cases import GRAVITY, chain, four_bar, four_bars, windows
from structkin.compiled import has_numba
from structkin.dynamics import Simulation
from structkin.dynamics.call import UNCOMPILED
from structkin.files.writers.mjcf import mjcf
from structkin.files.writers.mjcf_tree import site
from structkin.model import Mechanism
from structkin.numerical_tolerances import INSTANT, TIGHTEST
from structkin.types import Floats

#: Simulated time [s], output times, and the number of runs, of which the shortest counts.
END, SAMPLES, RUNS = 10.0, 101, 3
#: A run longer than this [s] is not repeated.
LONG = 2.0
#: Formulations whose pace is measured, and the steps that are taken for it.
STEPS = {"reduced": 200, "multipliers-sparse": 30}


@dataclass(frozen=True)
class Case:
    """A mechanism, the point whose error counts (a link and a point of it), and the settings of each method.

    `target` [m] is the error at which methods are compared.
    """

    name: str
    mechanism: Mechanism
    tip: tuple[str, str]
    target: float
    ours: Mapping[str, tuple[float, ...]]
    theirs: Mapping[str, tuple[float, ...]]


@dataclass(frozen=True)
class SimulationRun:
    """One run: error of the tip [m] over all output times, wall time [s], energy drift [J], evaluations.

    `setting` is the step [s] or the tolerance. Values that other programs do not report are NaN.
    """

    case: str
    program: str
    method: str
    setting: float
    seconds: float
    error: float
    drift: float
    evaluations: float


@dataclass(frozen=True)
class Pace:
    """Seconds of a step of the classical Runge-Kutta method (four evaluations) for a family at a size."""

    family: str
    formulation: str
    size: int
    mobility: int
    seconds: float


def cases(quick: bool) -> list[Case]:
    """Return the mechanisms of the comparison; with fewer and coarser settings if it is to be quick."""

    def part(*settings: float) -> tuple[float, ...]:
        return settings[:2] if quick else settings

    # The adaptive tolerances of the diagrams: three decades of cost.
    fixed, tight = part(4e-3, 2e-3, 1e-3, 5e-4), part(1e-7, 1e-9, 1e-11)
    count = 5 if quick else 40
    return [
        Case(
            "four-bar",
            four_bar(),
            ("crank", "B"),
            1e-6,  # [m]: a thousandth of a millimetre
            {"rk4": fixed, "abm4": fixed, "DOP853": tight},
            {"exudyn": part(1e-3, 2e-4, 5e-5, 2.5e-5), "mujoco": part(1e-3, 2e-4, 5e-5)},
        ),
        Case(
            f"windows N = {count}",
            windows(count),
            ("crank0", "B0"),
            5e-5,
            {"rk4": part(4e-2, 2e-2, 1e-2, 5e-3), "DOP853": tight},
            {"exudyn": (1e-3, 5e-4), "mujoco": part(2e-3, 1e-3, 5e-4, 2e-4)},
        ),
    ]


def compare(case: Case, engine: str) -> Iterator[SimulationRun]:
    """Measure all methods and settings of a case, and other programs if they are installed."""
    times = np.linspace(0.0, END, SAMPLES)
    reference = case.mechanism.simulate(times, rtol=TIGHTEST, atol=TIGHTEST, engine=engine)
    exact = reference.position(case.tip[1])
    for method, settings in case.ours.items():
        for setting in settings:
            options: dict[str, Any] = {"integrator": method, "engine": engine}
            options |= {"rtol": setting, "atol": 0.1 * setting} if method == "DOP853" else {"step": setting}
            work = partial(case.mechanism.simulate, times, **options)
            work()  # compiles, or reads what was compiled
            r, seconds = fastest(work, RUNS, time.perf_counter, long=LONG)
            error = np.inf if r.stopped else float(np.max(np.abs(r.position(case.tip[1]) - exact)))
            drift = float(np.max(np.abs(r.energy - r.energy[0])))
            evaluations = float(r.integration.evaluations)
            yield SimulationRun(case.name, f"structkin ({engine})", method, setting, seconds, error, drift, evaluations)
    first = case.mechanism.simulate([0.0, INSTANT], engine="python")
    for program, settings in case.theirs.items():
        method, run = PEERS[program]
        for setting in settings if installed(program) else ():
            found = min((run(first, case.tip, times, setting) for _ in range(2)), key=lambda one: one.seconds)
            error = float(np.max(np.abs(found.tip - exact)))
            yield SimulationRun(case.name, program, method, setting, found.seconds, error, np.nan, np.nan)


def at_target(found: Sequence[SimulationRun], target: float) -> dict[str, SimulationRun]:
    """Return the fastest run of each program that meets a target."""
    best: dict[str, SimulationRun] = {}
    for one in found:
        if one.error <= target and (one.program not in best or one.seconds < best[one.program].seconds):
            best[one.program] = one
    return best


def paces(sizes: Mapping[str, Sequence[int]], engine: str) -> Iterator[Pace]:
    """Measure the cost of a step of growing mechanisms."""
    families: Mapping[str, Callable[[int], Mechanism]] = {"dyads": four_bars, "windows": windows, "chain": chain}
    for formulation, steps in STEPS.items():
        for family, counts in sizes.items():
            for count in counts:
                mechanism = families[family](count)
                seconds = _pace(mechanism, formulation, steps, engine)
                yield Pace(family, formulation, count, len(mechanism.drivers), seconds)


def _pace(mechanism: Mechanism, formulation: str, many: int, engine: str) -> float:
    """Return the processor time [s] per step, from the difference between the best long run and the best short run."""
    taken, step = [], 1e-5
    for steps in (1, many):
        by = "python" if formulation in UNCOMPILED else engine
        options: dict[str, Any] = {"integrator": "rk4", "step": step, "formulation": formulation, "engine": by}
        work = partial(mechanism.simulate, [0.0, steps * step], **options)
        work()
        taken.append(fastest(work, RUNS, long=LONG)[1])
    return max(taken[1] - taken[0], INSTANT) / (many - 1)


def engine_here() -> str:
    """Return the engine to measure with."""
    return "compiled" if has_numba() else "python"


# --- other packages ---------------------------------------------------------------------------------------------------

#: The number of rods from which Exudyn's sparse solver is the faster one.
SPARSE = 12


@dataclass(frozen=True)
class Ran:
    """Places (n, 2) of the tip at the output times, and the time [s] of the solver without setup."""

    tip: Floats
    seconds: float


def installed(name: str) -> bool:
    """Return whether a program can be imported."""
    return importlib.util.find_spec(name) is not None


def exudyn(first: Simulation, tip: tuple[str, str], times: Floats, step: float) -> Ran:
    """Run Exudyn's generalized-alpha method; `first` holds the start, `tip` a link and a point of it."""
    exu: Any = importlib.import_module("exudyn")
    items: Any = importlib.import_module("exudyn.itemInterface")
    m = first.mechanism
    system = exu.SystemContainer().AddSystem()
    bodies: dict[str, Any] = {"ground": system.AddObject(items.ObjectGround())}
    for name, link in m.links.items():
        if name != "ground":
            assert link.center is not None and link.mass is not None
            center, angle = first.position(link.center, name)[0], float(first.angle(name)[0])
            v, omega = first.velocity(link.center, name)[0], float(first.omega(name)[0])
            coordinates, rates = [*center.tolist(), angle], [*v.tolist(), omega]
            node = system.AddNode(items.Rigid2D(referenceCoordinates=coordinates, initialVelocities=rates))
            bodies[name] = system.AddObject(
                items.RigidBody2D(physicsMass=link.mass, physicsInertia=link.inertia, nodeNumber=node)
            )
            middle = system.AddMarker(items.MarkerBodyPosition(bodyNumber=bodies[name], localPosition=[0, 0, 0]))
            system.AddLoad(items.Force(markerNumber=middle, loadVector=[0, -GRAVITY * link.mass, 0]))
    for joint in m.topology.joints:
        base = joint.links[0]
        for other in joint.links[1:]:
            ends = [
                system.AddMarker(
                    items.MarkerBodyPosition(bodyNumber=bodies[one], localPosition=_local(m, one, joint.id))
                )
                for one in (base, other)
            ]
            system.AddObject(items.RevoluteJoint2D(markerNumbers=ends))
    sensor = system.AddSensor(
        items.SensorBody(
            bodyNumber=bodies[tip[0]],
            localPosition=_local(m, *tip),
            outputVariableType=exu.OutputVariableType.Position,
            storeInternal=True,
        )
    )
    system.Assemble()
    settings = exu.SimulationSettings()
    settings.timeIntegration.endTime = float(times[-1])
    settings.timeIntegration.numberOfSteps = round(float(times[-1]) / step)
    settings.timeIntegration.generalizedAlpha.spectralRadius = 0.95
    settings.timeIntegration.verboseMode = 0
    settings.solutionSettings.writeSolutionToFile = False
    settings.solutionSettings.sensorsWritePeriod = float(times[1] - times[0])
    if len(m.links) > SPARSE:
        settings.linearSolverType = exu.LinearSolverType.EigenSparse
    began = time.perf_counter()
    system.SolveDynamic(settings)
    seconds = time.perf_counter() - began
    data = np.asarray(system.GetSensorStoredData(sensor))
    return Ran(np.stack([np.interp(times, data[:, 0], data[:, k]) for k in (1, 2)], axis=1), seconds)


def mujoco(first: Simulation, tip: tuple[str, str], times: Floats, step: float) -> Ran:
    """Run MuJoCo's Runge-Kutta method of fourth order on our MJCF; the arguments are those of `exudyn`.

    Constraints have the stiffness 1/h^2 and the damping 2/h, which are about the largest stable ones.
    """
    mj: Any = importlib.import_module("mujoco")
    document, _ = mjcf(first.mechanism)
    for body in (document, *document.iter("body")):
        for drawn in body.findall("geom"):
            body.remove(drawn)
    for path, settings in (
        ("option", {"timestep": repr(step), "iterations": "50"}),
        ("default/equality", {"solref": f"{-1 / step**2!r} {-2 / step!r}", "solimp": "0.9999 0.9999 0.001 0.5 2"}),
    ):
        for element in document.iterfind(path):
            element.attrib |= settings
    model = mj.MjModel.from_xml_string(ElementTree.tostring(document, encoding="unicode"))
    data = mj.MjData(model)
    mj.mj_resetDataKeyframe(model, data, 0)
    at = data.site(site(*tip))
    every = round(float(times[1] - times[0]) / step)
    found = np.empty((len(times), 2))
    began = time.perf_counter()
    mj.mj_forward(model, data)
    for k in range(len(times)):
        if k:
            mj.mj_step(model, data, nstep=every)
        mj.mj_kinematics(model, data)
        found[k] = at.xpos[[0, 2]]
    return Ran(found, time.perf_counter() - began)


def _local(mechanism: Mechanism, link: str, point: str) -> list[float]:
    """Return a point in axes at the centre of mass, the ground's own axes for the ground."""
    if link == "ground":
        place = mechanism.places[point]
    else:
        one = mechanism.links[link]
        assert one.center is not None
        place = one.local[point] - one.center
    return [place.real, place.imag, 0.0]


#: The programs by name, and their methods.
PEERS: Mapping[str, tuple[str, Callable[[Simulation, tuple[str, str], Floats, float], Ran]]] = {
    "exudyn": ("generalized-alpha", exudyn),
    "mujoco": ("RK4", mujoco),
}
