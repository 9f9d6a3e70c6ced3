"""A model ready to be integrated: its tree, loads and loops, and the equations of motion in the form chosen.

Which coordinates depend on which follows from the independent equations of closure. Those that are kept are split into
groups that are solved one after the other (block triangular form), as the structural groups of a planar mechanism are.
Solving the loops where they are met, so that what carries them sees independent coordinates only, is the idea of
constraint embedding (Jain 2012; Chignoli et al., arXiv 2311.13732). The loop-constrained articulated-body algorithm and
proxBBO (Sathya and Carpentier, ICRA 2026) reach O(n + m) with it, and regularise dependent equations by proximal steps.
Here dependent equations are left out by rank instead, which keeps the closure of the loops exact; and the masses stay
those of S4, with M_red = J^T M J.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, TypeVar

import networkx as nx
import numpy as np
import scipy.linalg
from scipy.sparse import csr_array
from scipy.sparse.csgraph import maximum_bipartite_matching

from structkin.errors import InputError, Problem
from structkin.model.parts import Law
from structkin.multibody.joint import SpatialJoint
from structkin.multibody.model import Force, JointLoad, SpatialModel, Spring, Stop, Torque
from structkin.numerical_tolerances import HALF_DIGITS, LEAST_POSITIVE, RESIDUAL, ROUNDING, VISIBLE
from structkin.symbolic import evaluating
from structkin.symbolic.closures_at import ANGLE, GAP, Rows, closures
from structkin.symbolic.evaluating import Choice
from structkin.symbolic.loads_at import Loads, mechanical
from structkin.symbolic.recursive import Bodies, columns, memory, move, packed, place
from structkin.symbolic.tree import MARK, ROWS, Tree, tree_of, with_bodies_cut
from structkin.types import Flags, Floats, Ints

One = TypeVar("One", Force, Torque, Spring, JointLoad, Stop)


def entry_of(tree: Tree, body: str) -> tuple[int, Floats]:
    """Return the entry of a body and the place (3,) of its joint in the drawn pose; the ground is the last entry."""
    number = tree.of.get(body, len(tree.bodies))
    return number, tree.joints[number] if number < len(tree.bodies) else np.zeros(3)


def packed_rows(tree: Tree) -> Rows:
    """Return the equations of the joints that are cut, in their order."""
    kinds: list[int] = []
    bodies, points, u, w = [], [], [], []
    for joint in tree.cut:
        triad = (joint.axis, joint.second, np.cross(joint.axis, joint.second))
        axes = dict(zip("abcxyz", (*triad, *np.eye(3)), strict=True))  # all of A: x, y, z are the ground's as drawn
        ends = [entry_of(tree, body) for body in joint.bodies]
        gaps, angles = ROWS[joint.kind]
        found = [(GAP, axes[one], axes[one]) for one in gaps]
        found += [(ANGLE, axes[p[0]], axes[p[1]]) for p in angles]
        for kind, first, second in found:
            kinds.append(kind)
            bodies.append([number for number, _ in ends])
            points.append([joint.at - place for _, place in ends])
            u.append(first)
            w.append(second)
    m = len(kinds)
    return Rows(
        kind=np.array(kinds, dtype=np.int64),
        bodies=np.array(bodies, dtype=np.int64).reshape(m, 2),
        points=np.array(points, dtype=float).reshape(m, 2, 3),
        u=np.array(u, dtype=float).reshape(m, 3),
        w=np.array(w, dtype=float).reshape(m, 3),
    )


def loop_of_row(tree: Tree) -> list[str]:
    """Return the joint of each row."""
    return [joint.name for joint in tree.cut for _ in range(_count(joint))]


def _count(joint: SpatialJoint) -> int:
    gaps, angles = ROWS[joint.kind]
    return len(gaps) + len(angles)


def packed_loads(model: SpatialModel, tree: Tree) -> tuple[Loads, list[Law | None]]:
    """Return the loads, and the laws of `Loads.values`: None for a joint load without a law, whose effort is 0."""
    number = {name: k for k, name in enumerate(tree.coordinates)}
    forces, torques, springs = _all(model, Force), _all(model, Torque), _all(model, Spring)
    joints, stops = _all(model, JointLoad), _all(model, Stop)
    acting: list[Force | Torque] = [*forces, *torques]
    laws: list[Law | None] = [law for load in acting for law in load.components]
    laws += [load.effort for load in joints]
    ends = [[entry_of(tree, body) for body in load.bodies] for load in springs]
    loads = Loads(
        force_body=_ints([entry_of(tree, load.body)[0] for load in forces]),
        force_point=_floats([load.point - entry_of(tree, load.body)[1] for load in forces], 3),
        force_follows=_ints([load.follows for load in forces]),
        torque_body=_ints([entry_of(tree, load.body)[0] for load in torques]),
        torque_follows=_ints([load.follows for load in torques]),
        spring_bodies=_ints([[i for i, _ in pair] for pair in ends]).reshape(-1, 2),
        spring_points=_floats(
            [
                [point - place for point, (_, place) in zip(load.points, pair, strict=True)]
                for load, pair in zip(springs, ends, strict=True)
            ],
            2,
            3,
        ),
        spring_numbers=_floats([[load.stiffness, load.damping, load.length] for load in springs], 3),
        whole=np.ones(len(springs)),
        pull=np.zeros(len(springs)),
        joint_coordinate=_ints([number[load.joint, load.coordinate] for load in joints]),
        joint_numbers=_floats([[load.stiffness, load.damping, load.rest] for load in joints], 3),
        stop_coordinate=_ints([number[load.joint, load.coordinate] for load in stops]),
        stop_numbers=_floats([[load.lower, load.upper, load.stiffness, load.damping] for load in stops], 4),
        values=np.zeros(len(laws)),
    )
    return loads, laws


def _all(model: SpatialModel, kind: type[One]) -> list[One]:
    return [load for load in model.loads.values() if isinstance(load, kind)]


def _ints(values: Sequence[object]) -> np.ndarray[tuple[int, ...], np.dtype[np.int64]]:
    return np.array(values, dtype=np.int64)


def _floats(values: Sequence[object], *shape: int) -> Floats:
    return np.array(values, dtype=float).reshape(-1, *shape)


# --- which coordinates depend on which -----------------------------------------------------------------------------

#: Rates B_vu above LARGE ask for other independent coordinates; they are changed if that brings them to BETTER of it.
LARGE, BETTER = 4.0, 0.5


def rank_of(A: Floats) -> int:
    """Return the rank of a matrix."""
    if not A.size:
        return 0
    values = np.linalg.svd(A, compute_uv=False)
    return int(np.sum(values > HALF_DIGITS * max(values[0], LEAST_POSITIVE)))


def pattern_of(bodies: Bodies, rows: Rows) -> Flags:
    """Return (m, f) with True where a coordinate moves one body of a row's loop against the other."""
    n, f = bodies.parent.size, int(bodies.coordinate.max(initial=-1)) + 1
    pattern = np.zeros((rows.kind.size, f), dtype=bool)
    for k, pair in enumerate(rows.bodies):
        first, second = (set(bodies.path[i, : bodies.depth[i]]) if i < n else set() for i in pair)
        pattern[k, list(first ^ second)] = True
    return pattern


class Chooser:
    """Chooses independent equations and coordinates at a pose, of a Jacobian of known rank."""

    def __init__(self, pattern: Flags, units: Floats, scale: Floats, rank: int) -> None:
        """Keep what does not change: which coordinates a row depends on, units of rows and coordinates, the rank."""
        self.pattern, self.units, self.scale, self.rank = pattern, units, scale, rank
        self._groups: dict[tuple[int, ...], tuple[list[int], list[int], list[int]]] = {}

    def choose(self, W: Floats, v: Ints | None = None) -> Choice:
        """Return the best conditioned choice for W^T (m, f); its dependent coordinates are v (r,) if they are given."""
        A = self.without_units(W)
        dependent = self._pivots(A) if v is None else np.sort(v)
        rows, dependent, starts = self._ordered(self._pivots(A[:, dependent].T), dependent)
        u = np.setdiff1d(np.arange(W.shape[1]), dependent)
        return Choice(rows, dependent, u, np.array(starts), self.scale)

    def _pivots(self, A: Floats) -> Ints:
        """Return as many columns of A as its rank, in order, that are far from dependent."""
        pivots = scipy.linalg.qr(A, mode="r", pivoting=True)[1] if self.rank else np.zeros(0)
        return np.sort(pivots[: self.rank]).astype(np.int64)

    def without_units(self, W: Floats) -> Floats:
        """Return W^T (m, f) in units of rows and coordinates."""
        return np.asarray(W * self.scale / self.units[:, None])

    def largest_rate(self, W: Floats, choice: Choice) -> float:
        """Return the largest entry of B_vu, in units of the coordinates; infinite where Phi_v is singular."""
        A = self.without_units(W)
        try:
            B = np.linalg.solve(A[np.ix_(choice.rows, choice.v)], A[np.ix_(choice.rows, choice.u)])
        except np.linalg.LinAlgError:
            return np.inf
        return float(np.abs(B).max(initial=0.0))

    def better(self, W: Floats, choice: Choice) -> Choice | None:
        """Return other independent coordinates if those of a choice have become bad, else None."""
        now = self.largest_rate(W, choice)
        if now <= LARGE:
            return None
        other = self.choose(W)
        return other if self.largest_rate(W, other) <= BETTER * now else None

    def _ordered(self, rows: Ints, v: Ints) -> tuple[Ints, Ints, list[int]]:
        """Return rows and columns in an order that makes Phi_v block triangular, and the starts of the blocks."""
        key = (*rows, -1, *v)
        if key not in self._groups:
            pattern = self.pattern[np.ix_(rows, v)]
            column = maximum_bipartite_matching(csr_array(pattern.astype(np.int8)), perm_type="column")
            needs = nx.DiGraph()
            needs.add_nodes_from(range(len(rows)))
            row = np.argsort(column)
            needs.add_edges_from((int(row[j]), int(i)) for i, j in zip(*np.nonzero(pattern), strict=True))
            blocks = nx.condensation(needs)
            order = [sorted(blocks.nodes[g]["members"]) for g in nx.topological_sort(blocks)]
            numbers = [i for group in order for i in group]
            self._groups[key] = numbers, column[numbers].tolist(), np.cumsum([0, *map(len, order)]).tolist()
        numbers, columns, starts = self._groups[key]
        return rows[numbers], v[columns], starts


# --- the system ----------------------------------------------------------------------------------------------------

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
        if (aimless := np.isnan(self.loads.pull) & (self.loads.whole > 0.0)).any():
            springs = [load.name for load in self.model.loads.values() if isinstance(load, Spring)]
            return f"the ends of the spring '{springs[int(np.argmax(aimless))]}' meet, where its force has no direction"
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
