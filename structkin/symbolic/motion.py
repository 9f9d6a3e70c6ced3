"""What a run in minimal coordinates returns: coordinates, and the exact state of every body and point from them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from structkin.model.frozen import freeze
from structkin.multibody.model import SpatialModel
from structkin.multibody.readings import BodyStates, Readings, body_and_place
from structkin.symbolic.packing import entry_of
from structkin.symbolic.tree import Tree
from structkin.types import Floats

if TYPE_CHECKING:
    from structkin.symbolic.system import System


class Sample(NamedTuple):
    """One time [s] of a run: coordinates, rates, accelerations (f,), work of the loads [J] and energy [J]."""

    t: float
    q: Floats
    qd: Floats
    qdd: Floats
    work: float
    energy: float


@dataclass(frozen=True, eq=False, repr=False)
class TreeMotion(Readings):
    """The motion of a model in minimal coordinates: times t (n,) [s] and the coordinates at them; SI, in ground axes.

    `q`, `qd`, `qdd` (n, f) belong to `coordinates`, the (joint, number) of the tree. `status` is "ok", or says when and
    why the run ended early: then t ends before that. `work` (n,) [J] is what all loads have done that keep no energy:
    dampers, forces, torques, efforts, springs that broke; so `energy - work` is constant. `breaks` are the times at
    which springs broke; `closure` (n,) [m] is the largest opening of a joint that closes a loop, angles times the
    model's size. `steps` and `evaluations` are those of the integrator.
    """

    model: SpatialModel
    coordinates: tuple[tuple[str, int], ...]
    t: Floats
    status: str
    q: Floats
    qd: Floats
    qdd: Floats
    energy: Floats
    work: Floats
    closure: Floats
    breaks: Mapping[str, float]
    steps: int
    evaluations: int
    tree: Tree
    frames: Mapping[str, Floats]

    def __post_init__(self) -> None:
        """Make all arrays read-only."""
        freeze(self)

    def _states(self, of: str) -> BodyStates:
        body, place = body_and_place(self.model, of)
        k, joint = entry_of(self.tree, body.name)
        now = {name: values[:, k] for name, values in self.frames.items()}
        return BodyStates(
            now["place"], now["velocity"], now["alpha"], now["frame"], now["omega"], now["omega_dot"],
            now["frame"] @ (place - joint),
        )  # fmt: skip

    def _coordinates(self, joint: str, rate: bool) -> Floats:
        numbers = [k for k, (name, _) in enumerate(self.coordinates) if name == joint]
        numbers.sort(key=lambda k: self.coordinates[k][1])
        return np.asarray((self.qd if rate else self.q)[:, numbers])


def recorded(
    system: System, samples: Sequence[Sample], status: str, breaks: Mapping[str, float], cost: tuple[int, int]
) -> TreeMotion:
    """Return the motion from its samples; every body is placed and moved once more at each of them."""
    n, count = len(samples), len(system.tree.bodies)
    shapes = dict.fromkeys(("place", "velocity", "omega", "omega_dot", "alpha"), (n, count, 3))
    frames = {name: np.empty(shape) for name, shape in shapes.items()} | {"frame": np.empty((n, count, 3, 3))}
    closure = np.zeros(n)
    for k, sample in enumerate(samples):
        closure[k] = system.look(sample.q, sample.qd, sample.qdd)
        for name, kept in frames.items():
            kept[k] = getattr(system.work, name)[:count]
    for name in ("velocity", "omega", "omega_dot", "alpha"):
        frames[name] = np.einsum("kbij,kbj->kbi", frames["frame"], frames[name])
    frames["alpha"] += system.model.gravity
    q, qd, qdd, work, energy = (np.array(column) for column in list(zip(*samples, strict=True))[1:])
    return TreeMotion(
        model=system.model,
        coordinates=system.tree.coordinates,
        t=np.array([sample.t for sample in samples]),
        status=status,
        q=q,
        qd=qd,
        qdd=qdd,
        energy=energy,
        work=work,
        closure=closure,
        breaks=dict(breaks),
        steps=cost[0],
        evaluations=cost[1],
        tree=system.tree,
        frames=frames,
    )
