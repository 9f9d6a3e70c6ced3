"""A check of the recursive scheme: Lagrange's equations from products of exponentials and complex steps.

The pose of a body is the product of exp(xi q) over the coordinates on its path from the ground, with the twists xi of
the drawn pose in ground axes: no tree, no body axes, no recursion.
"""

import itertools

import networkx as nx
import numpy as np
from scipy.linalg import expm

from structkin.multibody.joint import SpatialJoint
from structkin.multibody.model import Body, SpatialModel


def skew(v):
    return np.array([[0, -v[2], v[1]], [v[2], 0, -v[0]], [-v[1], v[0], 0]])


def twist(motion, at):
    matrix = np.zeros((4, 4))
    matrix[:3, :3] = skew(motion.rotation)
    matrix[:3, 3] = motion.translation - np.cross(motion.rotation, at)
    return matrix


def paths(model, coordinates):
    """Return for each body its (coordinate number, twist) in order from the ground."""
    graph = nx.Graph()
    for joint in model.joints.values():
        graph.add_edge(*joint.bodies, joint=joint)
    result = {}
    for name in model.bodies:
        nodes = nx.shortest_path(graph, "ground", name)
        path = []
        for first, second in itertools.pairwise(nodes):
            joint = graph.edges[first, second]["joint"]
            steps = [(coordinates.index((joint.name, k)), twist(m, joint.at)) for k, m in enumerate(joint.motions)]
            path += steps if joint.bodies == (first, second) else [(k, -xi) for k, xi in reversed(steps)]
        result[name] = path
    return result


def pose(path, q):
    result = np.eye(4)
    for k, xi in path:
        result = result @ expm(xi * q[k])
    return result


def mass_matrix(model, coordinates, q):
    """Return M (f, f); q may be complex."""
    f = len(coordinates)
    M = np.zeros((f, f), dtype=complex)
    for name, path in paths(model, coordinates).items():
        body, T = model.bodies[name], pose(path, q)
        before, JT, JR = np.eye(4), np.zeros((3, f), dtype=complex), np.zeros((3, f), dtype=complex)
        for k, xi in path:
            rate = before @ xi @ np.linalg.inv(before)  # dT/dq_k = rate T
            JT[:, k] = (rate @ T @ np.append(body.center, 1))[:3]
            JR[:, k] = rate[2, 1], rate[0, 2], rate[1, 0]
            before = before @ expm(xi * q[k])
        R = T[:3, :3]
        M += body.mass * JT.T @ JT + JR.T @ R @ body.inertia @ R.T @ JR
    return M


def potential(model, coordinates, q):
    return -sum(
        model.bodies[name].mass * model.gravity @ (pose(path, q) @ np.append(model.bodies[name].center, 1))[:3]
        for name, path in paths(model, coordinates).items()
    )


def lagrange(model, coordinates, q, qd):
    """Return M and C = dM/dt qd - d(T - V)/dq, by complex steps."""
    f, h = len(coordinates), 1e-30
    step = 1j * h * np.eye(f)
    dM = np.array([mass_matrix(model, coordinates, q + e).imag / h for e in step]).reshape(f, f, f)
    dV = np.array([potential(model, coordinates, q + e).imag / h for e in step])
    C = np.einsum("kij,k,j->i", dM, qd, qd) - 0.5 * np.einsum("kij,i,j->k", dM, qd, qd) + dV
    return mass_matrix(model, coordinates, q).real, C


def random_tree(seed, sizes=(1, 5)):
    """Return a tree of bodies on random joints of all kinds, some of them written from the child to the parent."""
    rng = np.random.default_rng(seed)
    kinds = ["fixed", "revolute", "prismatic", "screw", "cylindrical", "universal", "planar", "spherical", "free"]
    names = ["ground", *(f"body {k}" for k in range(rng.integers(sizes[0], sizes[1] + 1)))]
    bodies, joints = {}, {}
    for k, name in enumerate(names[1:]):
        root = rng.normal(size=(3, 3))
        bodies[name] = Body(name, rng.uniform(0.2, 3), rng.normal(size=3), root @ root.T + 0.1 * np.eye(3))
        axes = np.linalg.qr(rng.normal(size=(3, 3)))[0]
        pair = (names[rng.integers(0, k + 1)], name)
        joints[f"J{k}"] = SpatialJoint(
            f"J{k}",
            rng.choice(kinds),
            pair if rng.random() < 0.7 else pair[::-1],
            rng.normal(size=3),
            axes[0],
            axes[1],
            pitch=rng.uniform(-0.5, 0.5),
        )
    return SpatialModel("tree", bodies, joints, gravity=rng.normal(size=3))
