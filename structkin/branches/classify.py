"""What kind of pose a sample is: regular, a dead point, a change point, redundant.

With Phi_q the Jacobian of all joints by all coordinates of the links, and Phi_phi that with the rows of the drivers:

- regular: Phi_phi has full rank;
- dead point: Phi_phi is singular, Phi_q has full rank: another coordinate would do as a driver;
- change point: Phi_q loses rank: branches of the motion cross, and no coordinate distinguishes them;
- redundant: regular, with joints that repeat the constraints of others.

At a change point each dyad that is flat has two smooth roots through zero, and a general group that is singular has the
tangents of its second-order conditions. Every combination of them that closes the mechanism is a branch: a curve of
poses with its own tangent, K and L.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from structkin.branches.crossings import branches_at
from structkin.errors import InputError, Problem
from structkin.joints.geneva import Geneva
from structkin.joints.guide import Guide
from structkin.model.arguments import index as whole_index
from structkin.numerical_tolerances import SINGULAR_AT_LIMIT
from structkin.plan.whole import Whole
from structkin.solve.motion import Motion
from structkin.solve.schedule import Schedule
from structkin.solve.solve_groups import run_from_sketch
from structkin.solve.special_geometry import compile_plan
from structkin.types import Floats


@dataclass(frozen=True)
class PoseClass:
    """The kind of a pose, in words and numbers.

    `sigma` is the smallest singular value of the scaled Phi_phi. `coordinates` are joints whose relative motions can
    drive the mechanism at a dead point, one per driver; drivers that still work are among them. `branches` are those
    that cross at a change point, as motions of one sample with K, L and rates; the first is the one that the motion
    follows.
    """

    kind: Literal["regular", "dead point", "change point", "redundant"]
    words: str
    sigma: float
    coordinates: tuple[str, ...] = ()
    branches: tuple[Motion, ...] = ()


def classify(motion: Motion, sample: int) -> PoseClass | None:
    """Return the kind of pose at a sample; see `Motion.classify`."""
    m, structure = motion.mechanism, motion.structure
    sample = whole_index(sample, len(motion), "sample", m.title)
    if m.joints.of(Geneva):
        said = "poses of a mechanism with a Geneva wheel cannot be classified"
        raise InputError([Problem(f"joints.{id}", said, "without it they can") for id in m.joints.of(Geneva)], m.title)
    joints = Whole.of(m, structure, drivers=False)
    origins = np.stack([motion.position(0j, link=a)[sample] for a in joints.links])
    angles = np.array([np.angle(m.links[a].direction) + motion.turn(a)[sample] for a in joints.links])
    if not (np.isfinite(origins).all() and np.isfinite(angles).all()):
        return None
    z = {id: float(values[0, sample]) for id, values in motion.drivers.items()}
    Phi_q = joints.jacobian(origins, angles, z)
    Phi_phi = Whole.of(m, structure, drivers=True).jacobian(origins, angles, z)
    unknowns = Phi_q.shape[1]
    sigma = float(np.linalg.svd(Phi_phi, compute_uv=False)[unknowns - 1])
    if sigma > SINGULAR_AT_LIMIT:
        extra = len(Phi_phi) - unknowns
        if not extra:
            return PoseClass("regular", "regular: the drivers determine every link", sigma)
        names = ", ".join(dict.fromkeys(item.id for item in structure.over))
        return PoseClass("redundant", f"redundant: the other joints already impose the constraints of {names}", sigma)
    _, values, V = np.linalg.svd(Phi_q)
    rank = int(np.sum(values > SINGULAR_AT_LIMIT))
    if rank >= unknowns - len(m.drivers):
        found = _coordinates(motion, sample, joints, V[rank:].T)
        instead = [name for name in found if name not in m.drivers]
        lost = [id for id in m.drivers if id not in found]
        words = f"dead point: {', '.join(lost)} cannot drive the mechanism here; {', '.join(instead)} can"
        return PoseClass("dead point", words, sigma, found)
    crossing = branches_at(_by_groups(motion), sample)
    branches = crossing.branches
    further = (*crossing.resting, *crossing.flat, *crossing.unclear)
    words = "change point: branches cross, and the drivers do not decide between them"
    if len(branches) > 1:
        words = words.replace("branches", f"{len(branches)} branches", 1)
    elif branches and not further:
        words = "change point: the equations of the joints lose rank, but only one branch passes"
    for group in crossing.resting:
        words += f"; on a further branch of {motion.group_name(group)} the drivers stay at rest"
    for group in crossing.flat:
        words += f"; on a further branch {motion.group_name(group)} stays flat, with undetermined rates"
    for group in crossing.unclear:
        words += f"; second-order conditions do not determine the tangents of {motion.group_name(group)}"
    return PoseClass("change point", words, sigma, (), branches)


def _by_groups(motion: Motion) -> Motion:
    """Return the motion group by group: a global method has no roots to distinguish."""
    if motion.statistics is None:
        return motion
    plan, schedule = compile_plan(motion.mechanism), Schedule(motion.mechanism, motion.t, motion.drivers)
    return replace(motion, plan=plan, lanes=run_from_sketch(plan, schedule), statistics=None)


def _coordinates(motion: Motion, sample: int, joints: Whole, tangents: Floats) -> tuple[str, ...]:
    """Return drivers that still work, and joints in place of the others: their rates along the tangents (3 m, f)."""
    m, size = motion.mechanism, joints.form.rows.size
    rates: dict[str, Floats] = {}
    place = {link: 3 * k for k, link in enumerate(joints.links)}

    def turn(link: str) -> Floats:
        return tangents[place[link] + 2] / size if link in place else np.zeros(tangents.shape[1])

    def moved(link: str, local: complex) -> tuple[complex, NDArray[Any]]:
        """Return a vector that is fixed in a link, and its rates."""
        origin, end = (complex(*motion.position(x, link=link)[sample]) for x in (0j, local))
        return end - origin, 1j * (end - origin) * turn(link)

    def point(link: str, local: complex) -> tuple[complex, NDArray[Any]]:
        arm, rate = moved(link, local)
        start = place.get(link)
        own = tangents[start] + 1j * tangents[start + 1] if start is not None else 0.0
        return arm + complex(*motion.position(0j, link=link)[sample]), rate + own

    def distance(ends: tuple[tuple[str, complex], tuple[str, complex]]) -> Floats:
        (a, da), (b, db) = (point(*end) for end in ends)
        return np.asarray(((b - a).conjugate() * (db - da)).real / abs(b - a) / size)

    def travel(joint: str) -> Floats:
        guide = m.joints.of(Guide)[joint]
        along, d_along = moved(guide.carrier, guide.direction)
        (a, da), (b, db) = point(guide.carrier, guide.origin), point(guide.slider, guide.point)
        return np.asarray((along.conjugate() * (db - da) + d_along.conj() * (b - a)).real / size)

    for id, drive in m.drivers.items():
        if drive.kind == "angle":
            rates[id] = turn(drive.links[1]) - turn(drive.links[0])
        elif drive.kind == "slide" and drive.joint is not None:
            rates[id] = travel(drive.joint)
        elif drive.ends is not None:
            (a, e), (b, f) = drive.ends
            rates[id] = distance(((a, m.links[a].local[e]), (b, m.links[b].local[f])))
    own = len(rates)
    for joint in m.topology.joints:
        if joint.kind == "R":
            first, *others = joint.links
            for other in others:
                rates.setdefault(joint.id, turn(other) - turn(first))
        elif joint.id in m.joints.of(Guide):
            rates.setdefault(joint.id, travel(joint.id))
    chosen: list[str] = []
    basis = np.zeros((0, tangents.shape[1]))
    names = list(rates)
    # Drivers that still work are kept; then the joint that moves most independently of those chosen.
    for pool in (names[:own], names[own:]):
        while len(chosen) < tangents.shape[1]:
            left = {name: rates[name] - basis.T @ (basis @ rates[name]) for name in pool if name not in chosen}
            best = max(left, key=lambda name: float(np.linalg.norm(left[name])), default=None)
            if best is None or np.linalg.norm(left[best]) < 1e-3:
                break
            chosen.append(best)
            basis = np.vstack((basis, left[best] / np.linalg.norm(left[best])))
    return tuple(chosen)
