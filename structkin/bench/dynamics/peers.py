"""The same motions by other programs, if they are installed: Exudyn and MuJoCo. They are not dependencies.

Both start from our poses and velocities, with rods joined by pins: Exudyn as rigid bodies with joints between them
(redundant coordinates, generalized-alpha on index 3), MuJoCo as a tree of hinges whose loops are closed by equality
constraints (soft constraints, as stiff as the step allows).
"""

from __future__ import annotations

import importlib
import importlib.util
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from structkin.api import Mechanism, Simulation
from structkin.bench.dynamics.cases import GRAVITY

Floats = NDArray[np.float64]

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
    """Run MuJoCo's Runge-Kutta method of fourth order; the arguments are those of `exudyn`."""
    mj: Any = importlib.import_module("mujoco")
    tree = _Tree(first, step)
    model = mj.MjModel.from_xml_string(tree.xml())
    data = mj.MjData(model)
    for name, parent in tree.parents.items():
        joint = model.joint(name)
        data.qvel[joint.dofadr[0]] = float(first.omega(name)[0] - first.omega(parent)[0])
    site = model.body(tip[0]).id
    place = tree.places[tip[1]] - tree.origin(tip[0])
    arm = np.array([place.real, place.imag, 0.0])
    every = round(float(times[1] - times[0]) / step)
    found = np.empty((len(times), 2))
    began = time.perf_counter()
    mj.mj_forward(model, data)
    for k in range(len(times)):
        if k:
            mj.mj_step(model, data, nstep=every)
        mj.mj_kinematics(model, data)
        found[k] = (data.xpos[site] + data.xmat[site].reshape(3, 3) @ arm)[:2]
    return Ran(found, time.perf_counter() - began)


class _Tree:
    """A mechanism of rods as a tree of hinges: each joint that closes a loop is a constraint."""

    def __init__(self, first: Simulation, step: float) -> None:
        self.m, self.step = first.mechanism, step
        mechanism = self.m
        self.places = {point: complex(*first.position(point)[0]) for point in mechanism.places}
        self.parents: dict[str, str] = {}
        self.pins: dict[str, str] = {}
        self.loops: list[tuple[str, str, str]] = []
        reached, closed = ["ground"], set()
        for link in reached:
            for joint in mechanism.topology.joints:
                if link not in joint.links:
                    continue
                for other in joint.links:
                    if other == link or (joint.id, frozenset((link, other))) in closed:
                        continue
                    if other not in reached:
                        reached.append(other)
                        self.parents[other], self.pins[other] = link, joint.id
                    elif not self._tied(joint.id, link, other):
                        self.loops.append((link, other, joint.id))
                    closed.add((joint.id, frozenset((link, other))))

    def _tied(self, pin: str, a: str, b: str) -> bool:
        """Return whether the tree, or a constraint, already joins two links at a pin."""
        held = {a}
        while True:
            more = {x for x, parent in self.parents.items() if self.pins[x] == pin and parent in held}
            more |= {parent for x, parent in self.parents.items() if self.pins[x] == pin and x in held}
            more |= {y for x, y, p in self.loops if p == pin and x in held}
            more |= {x for x, y, p in self.loops if p == pin and y in held}
            if more <= held:
                return b in held
            held |= more

    def origin(self, link: str) -> complex:
        """Return the place, in the first pose, of the pin that joins a link to its parent."""
        return self.places[self.pins[link]] if link != "ground" else 0j

    def xml(self) -> str:
        """Return the model; constraints of the stiffness 1/h^2 and damping 2/h are about the hardest stable ones."""
        solver = 'solver="Newton" tolerance="1e-12" iterations="50"'
        option = f'<option timestep="{self.step!r}" integrator="RK4" gravity="0 {-GRAVITY} 0" {solver}/>'
        loops = "".join(
            f'<connect body1="{a}" body2="{b}" anchor="{_xy(self.places[pin] - self.origin(a))}" '
            f'solref="{-1 / self.step**2!r} {-2 / self.step!r}" solimp="0.9999 0.9999 0.001 0.5 2"/>'
            for a, b, pin in ((a, b, pin) if a != "ground" else (b, "world", pin) for a, b, pin in self.loops)
        )
        bodies = "".join(self._body(link) for link, parent in self.parents.items() if parent == "ground")
        return f"<mujoco>{option}<worldbody>{bodies}</worldbody><equality>{loops}</equality></mujoco>"

    def _body(self, name: str) -> str:
        link, parent = self.m.links[name], self.parents[name]
        center = sum(self.places[point] for point in link.points) / 2 - self.origin(name)
        inner = "".join(self._body(one) for one, by in self.parents.items() if by == name)
        inertia = " ".join([repr(link.inertia)] * 3)
        return (
            f'<body name="{name}" pos="{_xy(self.origin(name) - self.origin(parent))}">'
            f'<joint name="{name}" type="hinge" axis="0 0 1"/>'
            f'<inertial pos="{_xy(center)}" mass="{link.mass!r}" diaginertia="{inertia}"/>{inner}</body>'
        )


def _xy(place: complex) -> str:
    return f"{place.real!r} {place.imag!r} 0"


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
