"""What a run in minimal coordinates returns: coordinates, and the exact state of every body and point from them.

Multipliers and joint reactions follow from the accelerations:

    W lambda = M qdd + h - f;  then F and L of the backward pass (see `recursive`), with the forces of closure as loads

Where equations of closure depend on each other, lambda is known but for N c, N the null space of W: the multipliers and
the components of reactions on which some column of N acts are not determined by rigid bodies, and NaN.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from structkin.errors import InputError, Problem
from structkin.multibody.model import GROUND, SpatialModel
from structkin.multibody.readings import BodyStates, Readings, body_and_place
from structkin.numerical_tolerances import HALF_DIGITS
from structkin.symbolic import evaluating
from structkin.symbolic.closures_at import ANGLE, Rows
from structkin.symbolic.loads_at import push
from structkin.symbolic.recursive import Work, efforts, move
from structkin.symbolic.system import System, entry_of, loop_of_row
from structkin.symbolic.tree import Tree, with_bodies_cut
from structkin.symbolic.vectors import compiled, cross, get, minus, plus, put_sum, times, turned, turned_back
from structkin.types import Floats

if TYPE_CHECKING:
    from structkin.symbolic.system import System

# --- multipliers and reactions -------------------------------------------------------------------------------------


class Reactions(NamedTuple):
    """Multipliers (n, m), and force and moment (n, entries + cut joints, 3) that joints carry, in ground axes.

    Those of an entry act on it, about its joint; those of a cut joint on its second body, about the point there. NaN is
    what is not determined.
    """

    multipliers: Floats
    force: Floats
    moment: Floats


@compiled
def add_closing(w: Work, rows: Rows, multipliers: Floats) -> None:
    """Add the forces of closure to the loads on placed bodies."""
    for k in range(rows.kind.size):
        i, j = rows.bodies[k, 0], rows.bodies[k, 1]
        u = times(multipliers[k], turned(w.frame, i, get(rows.u, k)))
        if rows.kind[k] == ANGLE:
            s = cross(u, turned(w.frame, j, get(rows.w, k)))
            put_sum(w.torque, i, turned_back(w.frame, i, s))
            put_sum(w.torque, j, turned_back(w.frame, j, times(-1.0, s)))
        else:
            second = get(rows.points[k], 1)
            reach = plus(get(w.place, j), turned(w.frame, j, second))  # both forces act where the second point is
            arm = turned_back(w.frame, i, minus(reach, get(w.place, i)))
            push(w, i, arm, turned_back(w.frame, i, times(-1.0, u)))
            push(w, j, second, turned_back(w.frame, j, u))


def reactions_of(
    system: System, t: Floats, q: Floats, qd: Floats, qdd: Floats, breaks: Mapping[str, float]
) -> Reactions:
    """Return the reactions at times t (n,), coordinates, rates and accelerations (n, f) of closed loops."""
    b, w, rows, terms = system.parts
    count, m = b.parent.size, rows.kind.size
    wrenches = np.zeros((len(t), 2, count + len(system.tree.cut), 3))
    multipliers = np.zeros((len(t), m))
    broken = np.array([breaks.get(name, np.inf) for name in system.spring_names])
    C, zero = np.empty(system.scale.size), np.zeros(system.scale.size)
    rank = system.chooser.rank if m else 0
    for k in range(len(t)):
        system.at(t[k], everything=True)
        system.loads.whole[:] = t[k] < broken
        evaluating.terms_at(b, w, system.loads, rows, terms, q[k], qd[k])
        right = (terms.M @ qdd[k] + terms.C - terms.tau) * system.scale
        U, values, V = np.linalg.svd((terms.W * system.scale / system.units[:, None]).T)
        found = (V[:rank].T @ ((U[:, :rank].T @ right) / values[:rank])) / system.units
        loose = V[rank:] / system.units
        move(b, w, qd[k], qdd[k])
        wrenches[k] = _carried(system, found, C)
        w.force[:] = w.torque[:] = 0.0
        gravity, w.alpha[count] = w.alpha[count].copy(), 0.0
        move(b, w, zero, zero)  # nothing but the forces of closure acts
        unsure = np.zeros(wrenches[k].shape, dtype=bool)
        for free in loose:
            w.force[:] = w.torque[:] = 0.0
            unsure |= np.abs(_carried(system, free, C)) * [[[system.size]], [[1.0]]] > HALF_DIGITS
        w.alpha[count] = gravity
        wrenches[k][unsure] = np.nan
        multipliers[k] = np.where((np.abs(loose * system.units) > HALF_DIGITS).any(axis=0), np.nan, found)
    return Reactions(multipliers, wrenches[:, 0], wrenches[:, 1])


def _carried(system: System, multipliers: Floats, C: Floats) -> Floats:
    """Return the force and the moment (2, entries + cut joints, 3) that joints carry, of bodies that move."""
    b, w, rows, _ = system.parts
    count, names = b.parent.size, [joint.name for joint in system.tree.cut]
    add_closing(w, rows, multipliers)
    efforts(b, w, C)
    found = np.zeros((2, count + len(names), 3))
    for part, own in zip(found, (w.F, w.L), strict=True):
        part[:count] = np.einsum("bij,bj->bi", w.frame[:count], own[:count])
    u = np.einsum("kij,kj->ki", w.frame[rows.bodies[:, 0]], rows.u)
    axes = np.where(
        rows.kind[:, None] == ANGLE, np.cross(np.einsum("kij,kj->ki", w.frame[rows.bodies[:, 1]], rows.w), u), u
    )
    for k, name in enumerate(system.loop_names):
        found[int(rows.kind[k] == ANGLE), count + names.index(name)] += multipliers[k] * axes[k]
    return found


# --- motions -------------------------------------------------------------------------------------------------------


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

    @cached_property
    def _reactions(self) -> Reactions:
        from structkin.symbolic.system import System

        return reactions_of(System(self.model, "multipliers"), self.t, self.q, self.qd, self.qdd, self.breaks)

    def multipliers(self, joint: str) -> Floats:
        """Return the Lagrange multipliers (n, r) [N or N m] of a joint at which a loop is cut.

        They belong to the rows of `structkin.symbolic.tree`, gaps along axes of the first body: that of a gap is the
        force on the second body along its axis. NaN where equations of closure depend on each other, so that they do
        not determine it. Raises `InputError` for another joint.
        """
        rows = [k for k, name in enumerate(loop_of_row(self.tree)) if name == joint]
        if not rows:
            cut = ", ".join(one.name for one in self.tree.cut) or "none"
            hint = f"cut: {cut}; reaction() is there for every joint"
            raise InputError([Problem(str(joint), "is no joint at which a loop is cut", hint)], self.model.name)
        return self._reactions.multipliers[:, rows]

    def reaction(self, joint: str) -> tuple[Floats, Floats]:
        """Return the force (n, 3) [N] and the moment (n, 3) [N m] that a joint exerts on its second body.

        In ground axes, the moment about the joint's point on the second body; what loads along the joint's own
        coordinates exert is part of both. A component is NaN where joints hold bodies several times, so that rigid
        bodies do not determine it. Raises `InputError` for an unknown joint.
        """
        if (joint := str(joint)) not in self.model.joints:
            known = ", ".join(self.model.joints)
            raise InputError([Problem(str(joint), "is no joint", f"known: {known}")], self.model.name)
        first, second = with_bodies_cut(self.model).joints[joint].bodies
        cut, number = [one.name for one in self.tree.cut], self.tree.of
        if joint in cut:
            k = len(self.tree.bodies) + cut.index(joint)
            return self._reactions.force[:, k], self._reactions.moment[:, k]
        outer = second if second in number and self._carrier(second) == first else first
        force, moment = (part[:, number[outer]] for part in (self._reactions.force, self._reactions.moment))
        if outer == second:
            return force, moment
        held = self.model.joints[joint]
        one, two = (self._drawn(body, held.at) for body in held.bodies)
        return -force, -(moment + np.cross(one - two, force))

    def _carrier(self, body: str) -> str:
        """Return the body that carries a body."""
        entry = self.tree.bodies[self.tree.of[body]]
        while entry.parent >= 0 and self.tree.bodies[entry.parent].name == body:
            entry = self.tree.bodies[entry.parent]
        return self.tree.bodies[entry.parent].name if entry.parent >= 0 else GROUND

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
