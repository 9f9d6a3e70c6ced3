"""Models of the IFToMM library of computational benchmarks, as MBSbenchmarksInOpenSim documents them."""

import numpy as np

from structkin.multibody.joint import SpatialJoint
from structkin.multibody.model import Body, SpatialModel, Spring

X, Y, Z = np.eye(3)


def rod(name, start, end, mass=1.0, section=0.1):
    """A rod of square cross section."""
    start, end = np.asarray(start, dtype=float), np.asarray(end, dtype=float)
    axis = (end - start) / np.linalg.norm(end - start)
    across = mass * (np.dot(end - start, end - start) + section**2) / 12
    inertia = across * np.eye(3) + (mass * section**2 / 6 - across) * np.outer(axis, axis)
    return Body(name, mass, (start + end) / 2, inertia, {"end": end})


def pin(name, bodies, at, axis, **more):
    at = np.asarray(at, dtype=float)
    return SpatialJoint(name, "revolute", bodies, at, axis, np.roll(axis, 1), **more)


def bricard():
    """A04: five rods of 1 m, 1 kg and 0.1 m x 0.1 m along edges of a cube, on six pins, under gravity along -y."""
    corners = [(0, 0, 0), (1, 0, 0), (1, -1, 0), (1, -1, 1), (0, -1, 1), (0, 0, 1)]
    bodies = [rod(f"rod {k + 1}", corners[k], corners[k + 1]) for k in range(5)]
    names = ["ground", *(body.name for body in bodies), "ground"]
    axes = [Y, Z, X, Y, Z, X]
    joints = [pin(f"P{k}", (names[k], names[k + 1]), corners[k], axes[k]) for k in range(6)]
    return SpatialModel(
        "Bricard", {b.name: b for b in bodies}, {j.name: j for j in joints}, gravity=np.array([0, -9.81, 0])
    )


def governor():
    """A05: shaft and two rods of 1 m, a slider; couplers are springs of 8e5 N/m with dampers of 4e4 N s/m."""
    density, s, alpha = 3000.0, 0.5, np.pi / 6
    shaft = rod("shaft", (0, 0, 0), (0, 0, 1), density * 1e-4, 0.01)
    slider = Body("slider", density * 1e-3, s * Z, density * 1e-3 * 0.01 / 6 * np.eye(3))
    bodies, joints, springs = {"shaft": shaft, "slider": slider}, {}, {}
    joints["shaft"] = SpatialJoint("shaft", "revolute", ("ground", "shaft"), 0 * X, Z, X, rates=(2 * np.pi,))
    joints["slider"] = SpatialJoint("slider", "prismatic", ("shaft", "slider"), s * Z, Z, X)
    for name, side in (("arm 1", 1.0), ("arm 2", -1.0)):
        hinge = np.array([0.05 * side, 0, 1])
        tip = hinge + np.array([side * np.cos(alpha), 0, -np.sin(alpha)])
        bare = rod(name, hinge, tip, density * 1e-4, 0.01)
        ball, center = 5.0, (5.0 * tip + bare.mass * bare.center) / (5.0 + bare.mass)
        inertia = bare.inertia.copy()
        for mass, arm in ((ball, tip - center), (bare.mass, bare.center - center)):
            inertia += mass * (arm @ arm * np.eye(3) - np.outer(arm, arm))
        bodies[name] = Body(name, ball + bare.mass, center, inertia)
        joints[name] = pin(name, ("shaft", name), hinge, -Y)
        ends = s * Z + 0.05 * side * X, (hinge + tip) / 2
        springs[name] = Spring(name, ("slider", name), ends, 8e5, 4e4, 0.5)
    return SpatialModel("governor", bodies, joints, springs, gravity=np.array([0, 0, -9.81]))
