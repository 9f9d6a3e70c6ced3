"""How well a pose closes: every joint and every driver, measured from the links' frames and not from solved equations.

An equation that no step of a plan contains is zero there only if it follows from the others.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

from structkin.joints.guide import Guide
from structkin.joints.pair import Poses
from structkin.model.mechanism import Mechanism
from structkin.model.parts import DriverCoordinate
from structkin.plan.plan import Plan
from structkin.rows.affine import Affine
from structkin.types import Complexes, Floats


def poses_of(mechanism: Mechanism, plan: Plan, x: Floats) -> Poses:
    """Return where the links are at n samples, from the slots x (rows, n) of a plan."""

    def plane(vector: Affine) -> Complexes:
        real, imag = vector.components(lambda slot: x[plan.rows(slot)])
        return np.asarray(np.broadcast_to(real + 1j * imag, x.shape[-1:]))

    frames = {link: (plane(frame.origin), plane(frame.direction)) for link, frame in plan.frames.items()}
    return Poses(mechanism.links, mechanism.joints, frames, mechanism.size)


def closing_error(poses: Poses, drivers: Mapping[str, DriverCoordinate], values: Mapping[str, Floats]) -> Floats:
    """Return the largest closure error (n,) of any joint or driver: lengths relative to the size, angles in rad.

    `values[id]` (n,) are the drivers' coordinates [rad or m].
    """
    gaps: list[Floats] = []
    for joint in poses.joints.values():
        gaps += joint.gaps(poses)
    gaps += [np.abs(np.abs(poses.along(link)) - 1) for link in poses.links]
    gaps += _driver_gaps(poses, drivers, values)
    return np.asarray(np.max(gaps, axis=0))


def _driver_gaps(
    poses: Poses, drivers: Mapping[str, DriverCoordinate], values: Mapping[str, Floats]
) -> Iterator[Floats]:
    for id, drive in drivers.items():
        z = values[id]
        if drive.kind == "angle":
            first, second = drive.links
            yield np.abs(poses.along(second) - poses.along(first) * np.exp(1j * z))
        elif drive.ends is not None:
            tail, tip = (poses.at(*end) for end in drive.ends)
            yield np.abs(np.abs(tip - tail) - z) / poses.size
        else:
            guide = poses.joints[drive.joint or ""]
            assert isinstance(guide, Guide)
            yield np.abs(guide.travel(poses) - z) / poses.size
