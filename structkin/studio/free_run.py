"""Simulation from the pose that is shown: all drivers are let go, and masses and loads move the mechanism from rest."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np

from structkin.dynamics import Simulation
from structkin.dynamics.start import LAWS
from structkin.errors import StructkinError
from structkin.model import Mechanism
from structkin.model.parts import SketchPose
from structkin.numerical_tolerances import VISIBLE
from structkin.show.view import samples
from structkin.solve import Motion
from structkin.studio.document import refuse
from structkin.studio.driving import Driving

#: What is simulated [s], its poses a second, of large mechanisms so many frames in all, and how long it may take [s].
LASTS, RATE, FRAMES, PATIENCE = 5.0, 60, 40_000, 30.0


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


def free_run(mechanism: Mechanism, wanted: Callable[[], bool] = lambda: True) -> Simulation:
    """Return the motion of a mechanism that was let go.

    Raises `StructkinError` if it cannot be simulated, takes too long, or is not `wanted` any more.
    """
    until = time.monotonic() + PATIENCE

    def watch(part: float) -> None:
        if time.monotonic() > until or not wanted():
            words = "the simulation takes too long for the studio: save the file and run `structkin simulate` on it"
            raise StructkinError(words)

    count = min(int(LASTS * RATE), max(FRAMES // len(mechanism.links), 30))
    return mechanism.simulate(np.linspace(0.0, LASTS, count + 1), rtol=VISIBLE, atol=VISIBLE / 100, progress=watch)


def pose_of(motion: Motion, k: int) -> SketchPose:
    """Return the pose at a sample of a motion."""
    origins, directions = {}, {}
    for name, (origin, direction) in motion.poses.frames.items():
        origins[name], directions[name] = complex(np.ravel(origin)[k]), complex(np.ravel(direction)[k])
    frames = {name: (origins[name], directions[name]) for name in motion.mechanism.links}
    points = {name: complex(*motion.position(name)[k]) for name in motion.mechanism.places}
    return SketchPose(points, frames, {id: float(values[0][k]) for id, values in motion.drivers.items()})


def frames_at(motion: Simulation) -> dict[str, Any]:
    """Return times [s] and the frames of links, and what stopped the motion early."""
    found = samples(motion.mechanism, motion)
    return {"t": found["t"], "frames": found["frames"], "stopped": motion.stopped}
