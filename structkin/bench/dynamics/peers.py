"""The same motions by other programs, if they are installed: Exudyn and MuJoCo. They are not dependencies.

Both start from our poses and velocities, with rods joined by pins: Exudyn as rigid bodies with joints between them
(redundant coordinates, generalized-alpha on index 3), MuJoCo from the file that we write for it, a tree of hinges whose
loops are closed by equality constraints (soft constraints, as stiff as the step allows).
"""

from __future__ import annotations

import importlib
import importlib.util
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any
from xml.etree import ElementTree

import numpy as np

from structkin.bench.dynamics.cases import GRAVITY
from structkin.dynamics import Simulation
from structkin.files.writers.mjcf import mjcf, site
from structkin.model import Mechanism
from structkin.types import Floats

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
