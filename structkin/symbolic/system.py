"""A model ready to be integrated: its tree, loads and loops, and the equations of motion in the form chosen."""

from __future__ import annotations

from typing import Literal

import numpy as np

from structkin.errors import InputError, Problem
from structkin.multibody.model import SpatialModel, Spring
from structkin.numerical_tolerances import RESIDUAL, ROUNDING, VISIBLE
from structkin.symbolic import evaluating
from structkin.symbolic.closures_at import ANGLE, closures
from structkin.symbolic.groups import Chooser, pattern_of, rank_of
from structkin.symbolic.loads_at import mechanical
from structkin.symbolic.packing import loop_of_row, packed_loads, packed_rows
from structkin.symbolic.passes import columns, move, place
from structkin.symbolic.recursive import memory, packed
from structkin.symbolic.tree import MARK, tree_of, with_bodies_cut
from structkin.types import Floats

Loops = Literal["explicit", "multipliers"]
#: A start that is far from the drawn pose is approached in steps of this size.
STRIDE = 0.1


class System:
    """The equations of motion of a model, with the state y: coordinates, rates, and the work of the loads [J].

    With multipliers the state has all coordinates q of the tree, else the independent ones u only.
    """

    def __init__(self, model: SpatialModel, loops: Loops) -> None:
        """Pack the model; find its start with closed loops."""
        self.model, self.loops, self.tree = model, loops, tree_of(with_bodies_cut(model))
        f = len(self.tree.coordinates)
        if not f:
            raise InputError([Problem("joints", "no joint can move", "give it a joint that is not fixed")], model.name)
        self.bodies, self.rows = packed(self.tree), packed_rows(self.tree)
        self.work = memory(self.bodies, model.gravity)
        self.loads, self.laws = packed_loads(model, self.tree)
        self.spring_names = [load.name for load in model.loads.values() if isinstance(load, Spring)]
        m = self.rows.kind.size
        self.terms = evaluating.Terms(
            *(np.zeros(shape) for shape in ((f, f), f, f, m, (m, f), m, f)),
        )
        places = np.array([joint.at for joint in model.joints.values()] + [b.center for b in model.bodies.values()])
        self.size = float(np.ptp(places, axis=0).max()) or 1.0
        self.scale = np.array([1.0 if c in self.tree.turning else self.size for c in self.tree.coordinates])
        self.parts = self.bodies, self.work, self.rows, self.terms
        self.loop_names = loop_of_row(self.tree)
        self._constant = np.array([law is None or law.speed == 0.0 for law in self.laws], dtype=bool)
        self.units = np.where(self.rows.kind == ANGLE, 1.0, self.size)
        none = np.zeros(0, dtype=np.int64)
        self.choice = evaluating.Choice(none, none, np.arange(f), np.zeros(1, dtype=np.int64), self.scale)
        self.explicit = loops == "explicit" and m > 0
        self.projects = loops == "multipliers" and m > 0
        self.ended, self.springs, self.power = evaluating.FINE, 0.0, 0.0
        self.at(0.0, everything=True)
        self.q, self.qd = self._start()
        self.energy_unit = self._energy_unit()

    def at(self, t: float, everything: bool = False) -> None:
        """Set the values of the laws at time t."""
        for k, law in enumerate(self.laws):
            if law is not None and (everything or not self._constant[k]):
                self.loads.values[k] = law(np.array([t]))[0][0]

    def _start(self) -> tuple[Floats, Floats]:
        """Return coordinates and rates at time 0, with closed loops; what is given is kept, the rest changes least."""
        joints = self.model.joints
        q, qd = (
            np.array([getattr(joints[j], name)[k] if j in joints else 0.0 for j, k in self.tree.coordinates])
            for name in ("start", "rates")
        )
        if not self.rows.kind.size:
            return q, qd
        evaluating.closure_at(*self.parts, q, qd)
        closed = np.abs(self.terms.phi).max() <= RESIDUAL * self.size
        at = q.copy() if closed else np.zeros_like(q)
        evaluating.closure_at(*self.parts, at, qd)
        pattern = pattern_of(self.bodies, self.rows)
        self.chooser = Chooser(pattern, self.units, self.scale, 0)
        self.chooser.rank = rank_of(self.chooser.without_units(self.terms.W))
        free = (q == 0.0) | closed
        steps = 1 if closed else int(np.ceil(np.abs(q / self.scale).max() / STRIDE))
        left = np.inf
        for step in range(1, steps + 1):
            at[~free] = q[~free] * step / steps
            self.choice = self._choice_of_free(at, free)
            left, _ = evaluating.project(*self.parts, self.choice, at, np.zeros_like(q), free.astype(float))
        if not left <= RESIDUAL * self.size:
            self._refuse("start", "with these start values the loop through '{}' cannot be closed", self.terms.phi)
        free = qd == 0.0
        self.choice = self._choice_of_free(at, free)
        speed = float(np.abs(qd / self.scale).max(initial=0.0))
        _, left = evaluating.project(*self.parts, self.choice, at.copy(), qd, free.astype(float))
        if not left <= RESIDUAL * self.size * max(speed, 1.0):
            self._refuse("rates", "these rates tear the loop through '{}' open", self.terms.W @ qd)
        evaluating.closure_at(*self.parts, at, qd)
        W = self.terms.W.copy()
        self.choice = self.chooser.choose(W)
        self._linearise(W)
        return at, qd

    def state(self, q: Floats, qd: Floats, work: float) -> Floats:
        """Return the state y of coordinates, rates and the work of the loads."""
        u = self.choice.u if self.explicit else slice(None)
        return np.concatenate([q[u], qd[u], [work]])

    def full(self, y: Floats) -> tuple[Floats, Floats, float]:
        """Return all coordinates and rates of a state, with closed loops, and the work; NaN if H(u) is out of reach."""
        if self.explicit:
            q, qd = self._predicted(y)
            if not evaluating.close(*self.parts, self.choice, q, qd):
                self.ended = evaluating.OUT_OF_REACH
                qd[:] = np.nan
        else:
            q, qd = y[: y.size // 2].copy(), y[y.size // 2 : -1].copy()
        if self.projects:
            evaluating.project(*self.parts, self.choice, q, qd, np.ones_like(q))
        return q, qd, float(y[-1])

    def _predicted(self, y: Floats) -> tuple[Floats, Floats]:
        """Return coordinates with the dependent ones along the tangent from the last pose, and independent rates."""
        choice, nu = self.choice, y.size // 2
        q, qd = self.q.copy(), np.zeros_like(self.q)
        step = y[:nu] - q[choice.u]
        q[choice.u], qd[choice.u] = y[:nu], y[nu:-1]
        q[choice.v] += self.B @ step
        return q, qd

    def accelerations(self, t: float, q: Floats, qd: Floats, road: int | None = None) -> Floats:
        """Return qdd (f,); NaN where there is none. `ended` and `power` say more."""
        self.at(t)
        qdd = np.empty_like(q)
        parts = self.bodies, self.work, self.loads, self.rows, self.terms, self.choice
        if road is None:
            road = evaluating.INDEPENDENT if self.explicit else evaluating.MULTIPLIERS
        self.ended, self.springs, self.power = evaluating.accelerations(*parts, road, q, qd, qdd)
        if self.ended != evaluating.FINE:
            qdd[:] = np.nan
        return qdd

    def slope(self, t: float, y: Floats) -> Floats:
        """Return the rate of a state; NaN makes the integrator take a shorter step."""
        if self.explicit:
            q, qd = self._predicted(y)
            u, qdd = self.choice.u, self.accelerations(t, q, qd, evaluating.FROM_U)
            return np.concatenate([qd[u], qdd[u], [self.power]])
        qd = y[y.size // 2 : -1]
        return np.concatenate([qd, self.accelerations(t, y[: qd.size], qd), [self.power]])

    def accept(self, t: float, y: Floats) -> tuple[Floats, bool]:
        """Keep a state as the last one; return it with closed loops, and whether it has other coordinates now."""
        q, qd, work = self.full(y)
        self.q, self.qd = q, qd
        if not self.rows.kind.size:
            return y, False
        evaluating.closure_at(*self.parts, q, qd)
        W, changed = self.terms.W.copy(), False
        if rank_of(self.chooser.without_units(W)) > self.chooser.rank:
            words = "in its start pose the loop through '{}' is singular: more equations hold later on"
            self._refuse("start", words, self.terms.phi)
        if self.projects:
            self.choice = self.chooser.choose(W)
            return self.state(q, qd, work), False
        other = self.chooser.better(W, self.choice)
        if other is not None:
            self.choice, changed = other, True
        else:
            self.choice = self.chooser.choose(W, self.choice.v)
        self._linearise(W)
        return self.state(q, qd, work), changed

    def _linearise(self, W: Floats) -> None:
        rows, v, u = self.choice.rows, self.choice.v, self.choice.u
        self.B = -np.linalg.solve(W[np.ix_(rows, v)], W[np.ix_(rows, u)])

    def energy(self) -> float:
        """Return the energy [J] where accelerations were last found: kinetic, of gravity and of springs."""
        return float(mechanical(self.bodies, self.work) + self.springs)

    def energy_at(self, t: float) -> float:
        """Return the energy [J] of the state that was last accepted."""
        self.accelerations(t, self.q, self.qd)
        return self.energy()

    def _energy_unit(self) -> float:
        """Return an energy [J] of the size that the model handles."""
        mass = float(self.bodies.mass.sum())
        weight = mass * float(np.linalg.norm(self.model.gravity)) * self.size
        return max(weight, abs(self.energy_at(0.0)), VISIBLE * mass * self.size**2, ROUNDING)

    def look(self, q: Floats, qd: Floats, qdd: Floats) -> float:
        """Place and move all bodies; return the largest opening of a cut joint [m], angles times the size."""
        place(self.bodies, self.work, q)
        columns(self.bodies, self.work)
        move(self.bodies, self.work, qd, qdd)
        closures(self.bodies, self.work, self.rows, self.terms.phi, self.terms.W, self.terms.gamma)
        return float(np.abs(self.terms.phi * self.size / self.units).max(initial=0.0))

    def why(self) -> str:
        """Return why the integrator could not go on."""
        if not np.isfinite(self.loads.values).all():
            return "the law of a load is not finite"
        if self.ended == evaluating.OUT_OF_REACH:
            return "the loops cannot be closed any further: they are at the limit of their reach, or singular"
        if self.ended == evaluating.SINGULAR_MASS:
            return f"the mass matrix is not positive definite: give body '{self._lightest()}' mass and inertia"
        if not np.isfinite(self.energy()):
            return "numbers became too large"
        return "no step is short enough: loops are near a singular pose, or a load jumps too often"

    def _lightest(self) -> str:
        """Return the body that moves most where a motion of closed loops has the least kinetic energy."""
        evaluating.terms_at(*self.parts[:2], self.loads, *self.parts[2:], self.q, self.qd)
        M, W = self.terms.M * np.outer(self.scale, self.scale), self.terms.W * self.scale
        easiest = np.linalg.eigh(M + np.trace(M) * W.T @ W)[1][:, 0]
        most = self.tree.coordinates[int(np.argmax(np.abs(easiest)))]
        return next(body.name for body in self.tree.bodies if body.coordinate == most).partition(MARK)[0]

    def _choice_of_free(self, q: Floats, free: Floats) -> evaluating.Choice:
        """Return the equations that are independent in the free coordinates."""
        evaluating.closure_at(*self.parts, q, np.zeros_like(q))
        W = self.terms.W * free
        rank = rank_of(self.chooser.without_units(W))
        return Chooser(self.chooser.pattern, self.units, self.scale, rank).choose(W)

    def _refuse(self, key: str, words: str, left: Floats) -> None:
        name = self.loop_names[int(np.nanargmax(np.abs(left)))].partition(MARK)[0]
        hint = f"give '{key}' for as many joints of a loop as it has degrees of freedom: the others follow"
        if "singular" in words:
            hint = "start in another pose"
        raise InputError([Problem(f"joints.{name}", words.format(name), hint)], self.model.name)
