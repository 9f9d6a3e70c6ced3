"""Equations of motion of a tree of bodies by the recursive scheme of S4, compiled.

    M qdd + C = tau,   C = h - f,

with tau the efforts on the coordinates; gravity and the loads on bodies are in C. The work is linear in the number of
bodies for C, and their number times the depth of the tree for M. See `passes` for the equations.
"""

from __future__ import annotations

import numpy as np

from structkin.multibody.model import SpatialModel
from structkin.symbolic.passes import Bodies, Work, columns, efforts, masses, move, place
from structkin.symbolic.tree import Tree, tree_of
from structkin.types import Floats


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
