"""Models in space for the tests, built by hand."""

from __future__ import annotations

import numpy as np

from structkin.multibody.joint import SpatialJoint
from structkin.multibody.model import GROUND, Body, SpatialModel

X, Y, Z = np.eye(3)
O = np.zeros(3)
DOWN = np.array([0.0, 0.0, -9.81])


def body(name="body", mass=1.0, center=O, inertia=(1.0, 1.0, 1.0), **points):
    inertia = np.asarray(inertia, dtype=float)
    return Body(name, mass, np.asarray(center, float), np.diag(inertia) if inertia.ndim == 1 else inertia, points)


def joint(name, kind, first, second, at=O, axis=Z, other=X, **more):
    return SpatialJoint(name, kind, (first, second), np.asarray(at, float), axis, other, **more)


def model(bodies, joints=(), loads=(), sensors=(), gravity=O):
    named = ({one.name: one for one in many} for many in (bodies, joints, loads, sensors))
    return SpatialModel("test", *named, gravity=np.asarray(gravity, dtype=float))


def single(one, joined=(), loads=(), sensors=(), gravity=O):
    return model([one], joined, loads, sensors, gravity)


def spinning(inertia, rates):
    """A free body that starts with an angular velocity."""
    free = SpatialJoint("free", "free", (GROUND, "body"), O, X, Y, rates=(0.0, 0.0, 0.0, *rates))
    return model([body(inertia=inertia)], [free])


def chain(count, kind="revolute", gravity=DOWN):
    """Rods attached one to another, with alternating axes."""
    bodies = [body(f"b{i}", 1.0, (i + 0.5, 0, 0), (0.01, 1 / 12, 1 / 12), tip=(i + 1) * X) for i in range(count)]
    names = [GROUND, *(one.name for one in bodies)]
    joints = [joint(f"j{i}", kind, names[i], names[i + 1], (float(i), 0, 0), (Y, Z)[i % 2], X) for i in range(count)]
    return model(bodies, joints, gravity=gravity)
