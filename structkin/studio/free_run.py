"""Simulation from the pose that is shown: all drivers are let go, and masses and loads move the mechanism from rest.

It is simulated part by part while the page shows it. Meanwhile the pointer may pull at a link: by a spring without a
free length, with a damper, from a place of the link to the pointer. Each part begins with the pose and the rates with
which the one before ended. At a dead centre of the drivers, these are given as places, angles and rates of points and
links, from a sketch that is not singular: an earlier pose.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any

import numpy as np

from structkin.dynamics import Simulation
from structkin.dynamics.start import LAWS, pose_of
from structkin.errors import InputError, StructkinError
from structkin.model import Mechanism
from structkin.model.forces import InitialLink, InitialPoint, InitialState, Spring
from structkin.model.parts import SketchPose
from structkin.numerical_tolerances import VISIBLE
from structkin.show.view import samples
from structkin.studio.document import GROUND, refuse
from structkin.studio.driving import Driving
from structkin.types import Floats

#: What a part lasts [s], one in which the pointer pulls, its poses a second, and what it may take: seconds, steps.
PART, PULLED, RATE, PATIENCE, STEPS = 0.25, 0.1, 60, 30.0, 2000
#: How many poses before the end of a part may be its sketch where that of the end is singular.
BEFORE = (1, 2, 4)
#: The pull over the size of the mechanism, in parts of what its masses weigh on earth; and its damping ratio.
STRENGTH, DAMPING = 10.0, 0.4
WEIGHT = 9.81
#: The ends of the pull; no point has this name.
HELD = "(pointer)"


@dataclass(frozen=True)
class Pull:
    """A pointer that pulls a place [m] in the frame of a moving link to another place [m]."""

    link: str
    local: complex
    to: complex


def let_go(driving: Driving) -> Mechanism:
    """Return the mechanism in its pose, at rest, with all drivers free; `InputError` if it has no masses.

    >>> m = Mechanism(points={"A": (0, 0), "B": (1, 0)}, drivers={"motor": {"joint": "A", "speed": 1}},
    ...               links={"ground": ["A"], "arm": {"points": ["A", "B"], "shape": "rod", "mass": 1}})
    >>> let_go(Driving(m)).drivers["motor"].law is None
    True
    """
    m = driving.mechanism
    if not any(link.mass or link.inertia for link in m.links.values()):
        raise refuse("links", "a simulation needs masses", "select a link and give it a mass")
    given = m.source_dict.get("drivers", {})
    entries = {id: {key: part for key, part in entry.items() if key not in LAWS} for id, entry in given.items()}
    return m.with_drivers(entries).with_initial({}).posed(pose_of(driving.motion, 0))


@dataclass
class FreeRun:
    """The motion of a mechanism from its first pose, of which the last two parts are kept, by their numbers.

    `wanted` says whether it is to go on; `ahead` begins where the last part ended.
    """

    start: Mechanism
    first: SketchPose
    wanted: Callable[[], bool] = lambda: True
    parts: dict[int, Simulation] = field(default_factory=dict)
    ahead: Mechanism | None = None

    def go_on(self, number: int, pull: Pull | None = None) -> dict[str, Any]:
        """Simulate the next part, and return it for the page: see `session`.

        Raises `StructkinError` if it cannot be simulated, takes too long, or is not wanted any more.
        """
        after = max(self.parts, default=None)
        m = begun = self.ahead or self.start
        t = 0.0 if after is None else float(self.parts[after].t[-1])
        m, lasts = (m, PART) if pull is None else (pulled(m, pull), PULLED)
        found = self._simulated(m, np.linspace(t, t + lasts, round(lasts * RATE) + 1))
        self.ahead = self._at_end(begun, found)
        self.parts = {key: part for key, part in self.parts.items() if key == after} | {number: found}
        shown = samples(found.mechanism, found)
        kept = {key: shown[key] for key in ("t", "frames", "drivers")}
        return {"part": number, "after": after, **kept, "stopped": stop_of(found)}

    def _at_end(self, begun: Mechanism, run: Simulation) -> Mechanism:
        """Return a mechanism that starts where a part ended; `begun` is the one that the part started with."""
        end = at_end(self.start, run)
        if run.stopped or self._goes_on(end, run):
            return end
        sketches = [self.start.posed(pose_of(run, len(run) - 1 - count)) for count in BEFORE if count < len(run)]
        tried = (state_at_end(sketch, run) for sketch in (*sketches, begun))
        return next((one for one in tried if self._goes_on(one, run)), end)

    def _goes_on(self, m: Mechanism, run: Simulation) -> bool:
        """Return whether another part can begin with a mechanism at the end of one."""
        try:
            self._simulated(m, run.t[-1] + np.array([0.0, 1.0 / RATE]))
        except InputError:
            return False
        return True

    def _simulated(self, m: Mechanism, times: Floats) -> Simulation:
        until = time.monotonic() + PATIENCE

        def watch(part: float) -> None:
            if time.monotonic() > until or not self.wanted():
                words = "the simulation takes too long for the studio: save the file and run `structkin simulate` on it"
                raise StructkinError(words)

        return m.simulate(times, rtol=VISIBLE, atol=VISIBLE / 100, progress=watch, max_steps=STEPS, engine="python")


def stop_of(run: Simulation) -> str:
    """Return why a part ended early, in words for the page."""
    if "max_steps" in run.stopped:
        return "it moves too fast for the studio: save the file and run `structkin simulate` on it"
    return run.stopped


def at_end(m: Mechanism, run: Simulation) -> Mechanism:
    """Return a mechanism that starts with the pose and the rates at the end of a motion."""
    rates = {id: InitialState(speed=float(run.drivers[id][1][-1])) for id in m.drivers}
    return m.posed(pose_of(run, len(run) - 1)).with_parts({"initial": MappingProxyType(rates)})


def state_at_end(sketch: Mechanism, run: Simulation) -> Mechanism:
    """Return a mechanism in a sketch that starts with places, angles and rates of all links at the end of a motion."""
    moving = [link for link in sketch.links.values() if link.name != sketch.topology.ground]
    data: dict[str, InitialPoint | InitialLink] = {
        link.name: InitialLink(float(run.angle(link.name)[-1]), float(run.omega(link.name)[-1])) for link in moving
    }
    for point in dict.fromkeys(point for link in moving for point in link.local):
        data[point] = InitialPoint(*run.position(point)[-1].tolist(), *run.velocity(point)[-1].tolist())
    return sketch.with_parts({"initial": MappingProxyType({}), "initial_data": MappingProxyType(data)})


def pulled(m: Mechanism, pull: Pull) -> Mechanism:
    """Return a mechanism at which a pointer pulls; `InputError` if there is no such moving link."""
    if pull.link not in m.topology.moving_links:
        raise refuse(pull.link, "is not a moving link")
    ends = {pull.link: pull.local, GROUND: pull.to}
    links = {
        name: replace(link, local=MappingProxyType({**link.local, HELD: ends[name]})) if name in ends else link
        for name, link in m.links.items()
    }
    mass = sum((link.mass or 0.0) + (link.inertia or 0.0) / m.size**2 for link in m.links.values())
    stiffness = STRENGTH * WEIGHT * mass / m.size
    damping = 2.0 * DAMPING * math.sqrt(stiffness * mass)
    spring = Spring(HELD, ((pull.link, HELD), (GROUND, HELD)), stiffness, 0.0, damping)
    loads = MappingProxyType({**m.forces.loads, HELD: spring})
    return m.with_parts({"links": MappingProxyType(links), "forces": replace(m.forces, loads=loads)})
