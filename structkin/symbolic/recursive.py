"""Equations of motion of a tree of bodies by the recursive scheme of S4, compiled.

    M qdd + C = tau,   C = h - f,

with tau the efforts on the coordinates; gravity and the loads on bodies are in C. The work is linear in the number of
bodies for C, and their number times the depth of the tree for M. The scheme (Fisette, Samin) is passes over a tree of
bodies on joints of one degree of freedom.

Vectors of body i are in its own axes; R_i leads from them to those of its parent h. Reference point of a body is its
joint, p = p^z_hi + q Psi leads to it from the parent's joint, l to the centre of mass. ~ is the cross product.

Forward, with omega = omega' = 0, alpha = -g on the ground:

    omega_i  = R^T omega_h  + Phi qd
    omega'_i = R^T omega'_h + omega_i~ Phi qd                       (+ Phi qdd)
    beta_i   = omega_i~ omega_i~ + omega'_i~
    alpha_i  = R^T (alpha_h + beta_h p + 2 omega_h~ Psi qd)         (+ Psi qdd)
    O_ik     = R^T O_hk + delta_ik Phi                              (corrected: S4 prints Psi)
    A_ik     = R^T (A_hk + O_hk~ p) + delta_ik Psi

Backward, sums over the bodies r that i carries, F and L of r in the axes of i:

    G_i  = m (alpha_i + beta_i l)
    F_i  = sum F_r + G_i - f_i
    L_i  = sum (L_r + p_r~ F_r) + l~ G_i + I omega'_i + omega_i~ I omega_i - t_i     (corrected: S4 omits l~ G + ...)
    G_ik = m (A_ik + O_ik~ l)
    F_ik = sum F_rk + G_ik
    L_ik = sum (L_rk + p_r~ F_rk) + l~ G_ik + I O_ik

    C_i  = Psi . F_i  + Phi . L_i,    that is C = h - f             (corrected: S4 has the opposite sign)
    M_ik = Psi . F_ik + Phi . L_ik

f_i, t_i are the loads on a body, t about its joint. The terms in brackets turn C into the inverse dynamics M qdd + C.
k runs over the joints that carry body i. The passes for C cost O(n); those for M O(n d), where d is the depth.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from structkin.multibody.model import SpatialModel
from structkin.symbolic.tree import Tree, tree_of
from structkin.symbolic.vectors import (
    compiled,
    cross,
    dot,
    get,
    minus,
    plus,
    put,
    put_rotation,
    put_sum,
    times,
    turned,
    turned_back,
)
from structkin.types import Floats, Ints


class Bodies(NamedTuple):
    """The n bodies of a tree as arrays; `parent` is n for the ground, `coordinate` -1 for a fixed joint.

    `path[i, :depth[i]]` are the coordinates on the path from the ground to body i. `turns` is 1 where Phi is not zero,
    `inert` where there is mass or inertia: the first motions of a joint of several carry none.
    """

    parent: Ints
    coordinate: Ints
    depth: Ints
    path: Ints
    turns: Ints
    inert: Ints
    rotation: Floats
    translation: Floats
    offset: Floats
    mass: Floats
    center: Floats
    inertia: Floats


class Work(NamedTuple):
    """The memory of the passes, a row a body and a last one for the ground; vectors in the axes of the body.

    `turn` is R_i, `arm` p; `frame` leads from body axes to ground axes, `place` is the joint in the ground's.
    `velocity` and `alpha` belong to the joint; `O`, `A`, `FM`, `LM` have a column for each entry of the path.
    """

    turn: Floats
    arm: Floats
    frame: Floats
    place: Floats
    omega: Floats
    velocity: Floats
    omega_dot: Floats
    alpha: Floats
    O: Floats
    A: Floats
    force: Floats
    torque: Floats
    F: Floats
    L: Floats
    FM: Floats
    LM: Floats


@compiled
def place(b: Bodies, w: Work, q: Floats) -> None:
    """Set rotations and positions from the coordinates q (f,)."""
    for i in range(b.parent.size):
        h, k = b.parent[i], b.coordinate[i]
        x = q[k] if k >= 0 else 0.0
        if b.turns[i]:
            put_rotation(w.turn, i, get(b.rotation, i), x)
        arm = plus(get(b.offset, i), times(x, get(b.translation, i)))
        put(w.arm, i, arm)
        put(w.place, i, plus(get(w.place, h), turned(w.frame, h, arm)))
        for r in range(3):
            for c in range(3):
                w.frame[i, r, c] = (
                    w.frame[h, r, 0] * w.turn[i, 0, c]
                    + w.frame[h, r, 1] * w.turn[i, 1, c]
                    + w.frame[h, r, 2] * w.turn[i, 2, c]
                )


@compiled
def move(b: Bodies, w: Work, qd: Floats, qdd: Floats) -> None:
    """Set omega, v, omega', alpha of placed bodies from qd and qdd (f,); the ground's alpha is -g."""
    for i in range(b.parent.size):
        h, k = b.parent[i], b.coordinate[i]
        s, a = (qd[k], qdd[k]) if k >= 0 else (0.0, 0.0)
        phi, psi, arm = get(b.rotation, i), get(b.translation, i), get(w.arm, i)
        omega_h, dot_h = get(w.omega, h), get(w.omega_dot, h)
        across = cross(omega_h, arm)
        carried = turned_back(w.turn, i, omega_h)
        omega = plus(carried, times(s, phi))
        put(w.omega, i, omega)
        put(w.velocity, i, plus(turned_back(w.turn, i, plus(get(w.velocity, h), across)), times(s, psi)))
        omega_dot = plus(plus(turned_back(w.turn, i, dot_h), times(s, cross(omega, phi))), times(a, phi))
        put(w.omega_dot, i, omega_dot)
        alpha = turned_back(w.turn, i, plus(get(w.alpha, h), plus(cross(dot_h, arm), cross(omega_h, across))))
        put(w.alpha, i, plus(plus(alpha, times(2.0 * s, cross(carried, psi))), times(a, psi)))


@compiled
def columns(b: Bodies, w: Work) -> None:
    """Set O and A of placed bodies: angular velocity and velocity of each joint for unit rates."""
    for i in range(b.parent.size):
        h, last = b.parent[i], b.depth[i]
        if b.coordinate[i] >= 0:
            last -= 1
            put(w.O[i], last, get(b.rotation, i))
            put(w.A[i], last, get(b.translation, i))
        arm = get(w.arm, i)
        for d in range(last):
            turning = get(w.O[h], d)
            put(w.O[i], d, turned_back(w.turn, i, turning))
            put(w.A[i], d, turned_back(w.turn, i, plus(get(w.A[h], d), cross(turning, arm))))


@compiled
def efforts(b: Bodies, w: Work, C: Floats) -> None:
    """Set C (f,) from the motion and the loads in `force` and `torque`.

    F and L of an entry are what its joint carries, those of the ground its reaction.
    """
    w.F[:] = 0.0
    w.L[:] = 0.0
    for i in range(b.parent.size - 1, -1, -1):
        h, k = b.parent[i], b.coordinate[i]
        F, L = minus(get(w.F, i), get(w.force, i)), minus(get(w.L, i), get(w.torque, i))
        if b.inert[i]:
            l, omega, omega_dot = get(b.center, i), get(w.omega, i), get(w.omega_dot, i)
            beta_l = plus(cross(omega_dot, l), cross(omega, cross(omega, l)))
            G = times(b.mass[i], plus(get(w.alpha, i), beta_l))
            spin = cross(omega, turned(b.inertia, i, omega))
            F = plus(F, G)
            L = plus(L, plus(cross(l, G), plus(turned(b.inertia, i, omega_dot), spin)))
        if k >= 0:
            C[k] = dot(get(b.translation, i), F) + dot(get(b.rotation, i), L)
        put(w.F, i, F)
        put(w.L, i, L)
        F = turned(w.turn, i, F)
        put_sum(w.F, h, F)
        put_sum(w.L, h, plus(turned(w.turn, i, L), cross(get(w.arm, i), F)))


@compiled
def masses(b: Bodies, w: Work, M: Floats) -> None:
    """Set M (f, f) from O and A."""
    M[:] = 0.0
    w.FM[:] = 0.0
    w.LM[:] = 0.0
    for i in range(b.parent.size - 1, -1, -1):
        h, k, depth, m = b.parent[i], b.coordinate[i], b.depth[i], b.mass[i]
        l, phi, psi, arm = get(b.center, i), get(b.rotation, i), get(b.translation, i), get(w.arm, i)
        above = depth if k < 0 else depth - 1
        for d in range(depth):
            turning = get(w.O[i], d)
            G = times(m, plus(get(w.A[i], d), cross(turning, l)))
            F = plus(get(w.FM[i], d), G)
            L = plus(get(w.LM[i], d), plus(cross(l, G), turned(b.inertia, i, turning)))
            if k >= 0:
                value = dot(psi, F) + dot(phi, L)
                M[k, b.path[i, d]] = value
                M[b.path[i, d], k] = value
            if d < above:
                F = turned(w.turn, i, F)
                put_sum(w.FM[h], d, F)
                put_sum(w.LM[h], d, plus(turned(w.turn, i, L), cross(arm, F)))


class Recursive:
    """The tree of a model in the form of S4's recursive scheme, numeric and compiled with Numba if it is installed.

    `coordinates` are the (joint, number) of q, in its order. Loads and joints that close loops are not looked at.

    >>> from structkin.multibody.joint import SpatialJoint
    >>> from structkin.multibody.model import Body
    >>> y, z = np.array([0.0, 1, 0]), np.array([0.0, 0, 1])
    >>> rod = Body("rod", 2.0, np.array([0.5, 0, 0]), np.zeros((3, 3)))
    >>> pin = SpatialJoint("A", "revolute", ("ground", "rod"), np.zeros(3), y, z)
    >>> scheme = Recursive(SpatialModel("pendulum", {"rod": rod}, {"A": pin}, gravity=-9.81 * z))
    >>> M, C = scheme.mass(np.zeros(1), np.zeros(1))
    >>> M.tolist(), C.round(9).tolist()
    ([[0.5]], [-9.81])
    """

    def __init__(self, model: SpatialModel) -> None:
        """Find the tree and set up the memory."""
        self.tree = tree_of(model)
        self.coordinates = self.tree.coordinates
        self.bodies = packed(self.tree)
        self.work = memory(self.bodies, model.gravity)

    def mass(self, q: Floats, qd: Floats) -> tuple[Floats, Floats]:
        """Return M (f, f) and C (f,) at coordinates q and rates qd (f,)."""
        f = len(self.coordinates)
        M, C, zero = np.empty((f, f)), np.empty(f), np.zeros(f)
        place(self.bodies, self.work, q)
        move(self.bodies, self.work, qd, zero)
        columns(self.bodies, self.work)
        efforts(self.bodies, self.work, C)
        masses(self.bodies, self.work, M)
        return M, C

    def inverse(self, q: Floats, qd: Floats, qdd: Floats) -> Floats:
        """Return the efforts tau (f,) on the coordinates for accelerations qdd (f,): M qdd + C."""
        tau = np.empty(len(self.coordinates))
        place(self.bodies, self.work, q)
        move(self.bodies, self.work, qd, qdd)
        efforts(self.bodies, self.work, tau)
        return tau

    def forward(self, q: Floats, qd: Floats, tau: Floats) -> Floats:
        """Return the accelerations qdd (f,) for efforts tau (f,) on the coordinates."""
        M, C = self.mass(q, qd)
        return np.asarray(np.linalg.solve(M, tau - C))


def packed(tree: Tree) -> Bodies:
    """Return the tree as arrays."""
    n = len(tree.bodies)
    number = {name: k for k, name in enumerate(tree.coordinates)}
    coordinate = [-1 if b.coordinate is None else number[b.coordinate] for b in tree.bodies]
    paths: list[list[int]] = []
    for body, k in zip(tree.bodies, coordinate, strict=True):
        before = paths[body.parent] if body.parent >= 0 else []
        paths.append([*before, k] if k >= 0 else before)
    path = np.zeros((n, max([1, *map(len, paths)])), dtype=np.int64)
    for row, entries in zip(path, paths, strict=True):
        row[: len(entries)] = entries
    inertia = np.array([b.inertia for b in tree.bodies], dtype=float).reshape(n, 3, 3)
    mass = np.array([b.mass for b in tree.bodies], dtype=float)
    rotation, translation, offset, center = (
        np.array([getattr(b, name) for b in tree.bodies], dtype=float).reshape(n, 3)
        for name in ("rotation", "translation", "offset", "center")
    )
    return Bodies(
        parent=np.array([b.parent if b.parent >= 0 else n for b in tree.bodies], dtype=np.int64),
        coordinate=np.array(coordinate, dtype=np.int64),
        depth=np.array([len(entries) for entries in paths], dtype=np.int64),
        path=path,
        turns=np.any(rotation, axis=1, keepdims=True)[:, 0].astype(np.int64),
        inert=(mass.astype(bool) | inertia.any(axis=(1, 2))).astype(np.int64),
        rotation=rotation,
        translation=translation,
        offset=offset,
        mass=mass,
        center=center,
        inertia=inertia,
    )


def memory(bodies: Bodies, gravity: Floats) -> Work:
    """Return memory for the passes over the bodies; gravity (3,) [m/s^2] is the ground's acceleration -g."""
    n, depth = bodies.parent.size + 1, bodies.path.shape[1]
    sizes = {"turn": (n, 3, 3), "frame": (n, 3, 3)} | dict.fromkeys(("O", "A", "FM", "LM"), (n, depth, 3))
    work = Work(*(np.zeros(sizes.get(name, (n, 3))) for name in Work._fields))
    work.turn[:] = work.frame[:] = np.eye(3)
    work.alpha[-1] = -gravity
    return work
