"""Small models in space, built by hand, for the tests of the explicit scheme."""

from itertools import pairwise

import numpy as np

from structkin.multibody.joint import SpatialJoint
from structkin.multibody.model import Body, SpatialModel

X, Y, Z = np.eye(3)
GRAVITY = np.array([0, -9.81, 0])


def body(name, mass, center, inertia):
    return Body(name, mass, np.array(center, dtype=float), np.array(inertia, dtype=float))


def joint(name, first, second, at, axis=Z, kind="revolute", aside=None, **more):
    if aside is None:
        aside = np.cross(axis, X if abs(axis[0]) < 0.5 else Y)
        aside = aside / np.linalg.norm(aside)
    return SpatialJoint(name, kind, (first, second), np.array(at, dtype=float), np.array(axis, float), aside, **more)


def spatial(name, bodies, joints, loads=(), gravity=GRAVITY):
    named = [{part.name: part for part in parts} for parts in (bodies, joints, loads)]
    return SpatialModel(name, *named, gravity=gravity)


def chain(links, *axes):
    """Return a chain of links that hangs down; its joints use the axes in turn."""
    axes = axes or (Z,)
    names = ["ground", *(f"link{k + 1}" for k in range(links))]
    bodies = [
        body(name, 1 + 0.1 * k, [0, -(k + 0.5), 0], np.diag([0.1, 0.02, 0.1])) for k, name in enumerate(names[1:])
    ]
    joints = [joint(f"J{k + 1}", names[k], names[k + 1], [0, -k, 0], axes[k % len(axes)]) for k in range(links)]
    return spatial(f"chain of {links}", bodies, joints)


def cart_pole(loads=()):
    parts = [body("cart", 1, [0, 0, 0], 0.1 * np.eye(3)), body("pole", 2, [0, 0.7, 0], 0.2 * np.eye(3))]
    joints = [joint("S", "ground", "cart", [0, 0, 0], X, "prismatic"), joint("P", "cart", "pole", [0, 0, 0])]
    return spatial("cart and pole", parts, joints, loads)


def four_bar(loads=()):
    """Return the four-bar of the README, cut at C."""
    A, B, C, D = np.array([[0, 0, 0], [0.152, 0, 0], [0.423, 0.3029, 0], [0.4572, 0, 0]])
    bodies = [
        body(name, mass, (p + q) / 2, 0.01 * mass * np.eye(3))
        for name, mass, p, q in (("crank", 1, A, B), ("coupler", 2, B, C), ("rocker", 3, C, D))
    ]
    joints = [
        joint("A", "ground", "crank", A),
        joint("B", "crank", "coupler", B),
        joint("D", "ground", "rocker", D),
        joint("C", "coupler", "rocker", C, cut=True),
    ]
    return spatial("four-bar", bodies, joints, loads)


def oblique_loop():
    """Return a loop of three links on pins in oblique directions, cut at the ground."""
    names = ["ground", "crank", "middle", "outer", "ground"]
    axes = np.array([[0.48, 0.6, 0.64], [-0.6, 0.64, 0.48], [0.36, 0.48, 0.8], [0.64, 0.48, -0.6]])
    places = np.array([[0, 0, 0], [0.3, 0, 0.1], [0.4, 0.5, 0.2], [0.9, 0.3, 0]])
    bodies = [
        body(name, 1.0, (p + q) / 2, np.diag([0.1, 0.2, 0.3]))
        for name, p, q in zip(names[1:], places, places[1:], strict=False)
    ]
    joints = [
        joint(name, *pair, at, axis, cut=name == "D")
        for name, pair, at, axis in zip("ABCD", pairwise(names), places, axes, strict=True)
    ]
    return spatial("oblique loop", bodies[:3], joints)
