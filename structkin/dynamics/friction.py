"""Friction by a coefficient: it depends on the load of the joint, which depends on the friction.

A pin and a slot touch at one place, with the joint force R. A guide whose bearing has the length L touches at both ends
of it, which share the force R and the moment M about the middle: R / 2 + n M / L ahead and R / 2 - n M / L behind, n
being the unit vector to the left of the guide. Both rub: with the size max(|R|, 2 |M| / L).

At each sample, the loads R_i of all places of contact are linear in the normal forces N_j that friction follows from,
so these satisfy as many equations as there are places,

    N_i = |R_i + x sum_j C_ij N_j|

with x = 1. At x = 0 there is no friction. The forces are those that x = 0 leads to as x grows: they are followed in
steps of x, and where none lead to x = 1, the mechanism locks: in between, its forces grow without bound, or end.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from structkin.errors import Problem
from structkin.groups.solve_lanes import solve_lanes
from structkin.joints.prismatic import Prismatic
from structkin.model.forces import Friction
from structkin.model.mechanism import Mechanism
from structkin.numerical_tolerances import NEGLIGIBLE, ROUNDING_OF_FEW, SHORTEST_PART
from structkin.solve.motion.moving_frames import cross
from structkin.types import Flags, Floats

if TYPE_CHECKING:
    from structkin.dynamics.inverse.kinetostatics import Kinetostatics


#: Most steps of Newton's method.
NEWTON = 12
#: A step of x is halved where Newton's method moves its prediction by more than this part of the largest normal force.
#: Where it becomes this short, the mechanism locks.
MOVED = 0.3


def by_coefficient(mechanism: Mechanism) -> list[Friction]:
    """Return the frictions given by a coefficient."""
    return [load for load in mechanism.forces.loads.values() if isinstance(load, Friction) and load.coefficient]


def with_friction(found: Kinetostatics, solve: Callable[[Mapping[str, Floats]], Kinetostatics]) -> Kinetostatics:
    """Return the forces consistent with the friction that they cause, starting from those without it.

    `solve` takes the normal forces (n,) of each friction. Where the mechanism locks, all forces are NaN.
    """
    rubbing = by_coefficient(found.motion.mechanism)
    if not rubbing:
        return found

    def loads(of: Kinetostatics) -> Floats:
        return np.concatenate([_places(of, load) for load in rubbing], axis=1)

    free = loads(found)
    size = float(np.max(np.abs(free), initial=0.0, where=np.isfinite(free))) or 1.0
    unit = np.full(len(found.motion), size)
    by_normals = np.stack([(loads(solve({load.id: unit})) - free) / size for load in rubbing], axis=3)
    places = np.repeat(np.arange(len(rubbing)), [_places(found, load).shape[1] for load in rubbing])
    normals, locked = balanced(free, by_normals[..., places])
    found = solve({load.id: normals[:, places == k].sum(axis=1) for k, load in enumerate(rubbing)})
    return replace(found, locked=locked)


def _places(of: Kinetostatics, load: Friction) -> Floats:
    """Return the forces (n, places, 2) [N] at the places where a joint touches."""
    force = of.reaction(load.joint, load.links[1])
    guide = of.motion.mechanism.joints.of(Prismatic).get(load.joint)
    if guide is None or guide.bearing is None:
        return force[:, None]
    # The unit vector to the left of the guide, as the difference of two places of the carrier.
    left = of.motion.position(1j * guide.direction, guide.carrier) - of.motion.position(0j, guide.carrier)
    turning = left * (_moment(of, load, guide) / guide.bearing)[:, None]
    return np.stack((force / 2 + turning, force / 2 - turning), axis=1)


def _moment(of: Kinetostatics, load: Friction, guide: Prismatic) -> Floats:
    """Return the moment (n,) [N m] that a guide transmits, about the middle of its bearing."""
    link, middle = load.links[1], of.motion.position(*guide.bearing_place(of.motion.mechanism.links))
    arm = of.reaction_place(load.joint, link) - middle
    return of.reaction_moment(load.joint, link) + cross(arm, of.reaction(load.joint, link))


def balanced(free: Floats, by_normals: Floats) -> tuple[Floats, Flags]:
    """Return the normal forces (n, k) at n samples, NaN where there are none, and where the mechanism locks (n,).

    `free` (n, k, 2) are the loads without friction, `by_normals` (n, k, 2, k) their derivatives by the normal forces.

    >>> free, by_normals = np.array([[[0.0, 3.0]], [[0.0, 3.0]]]), np.array([[[[0.0], [0.5]]], [[[0.0], [1.5]]]])
    >>> normals, locked = balanced(free, by_normals)
    >>> normals.round(9).tolist(), locked.tolist()
    ([[6.0], [nan]], [False, True])
    """
    N = np.hypot(*np.moveaxis(free, 2, 0))
    known = np.isfinite(free).all(axis=(1, 2)) & np.isfinite(by_normals).all(axis=(1, 2, 3))
    x, h = np.zeros(len(N)), np.ones(len(N))
    open_ = np.flatnonzero(known)
    while len(open_):
        ahead = np.minimum(x[open_] + h[open_], 1.0)
        there, reached = _step(N[open_], free[open_], by_normals[open_], x[open_], ahead)
        good, bad = open_[reached], open_[~reached]
        N[good], x[good], h[good] = there[reached], ahead[reached], 2 * h[good]
        h[bad] /= 2
        open_ = open_[(x[open_] < 1) & (h[open_] > SHORTEST_PART)]
    locked = known & (x < 1)
    N[~known | locked] = np.nan
    return N, locked


def _step(N: Floats, free: Floats, by_normals: Floats, x: Floats, ahead: Floats) -> tuple[Floats, Flags]:
    """Return the normal forces (n, k) at `ahead` (n,) that continue those at x, and whether they do (n,)."""
    _, direction, slope = _loads(N, free, by_normals, x)
    change = np.einsum("nki,nkij,nj->nk", direction, by_normals, N)
    with np.errstate(all="ignore"):
        begun = N + (ahead - x)[:, None] * solve_lanes(slope, change)
        found = begun
        for _ in range(NEWTON):
            sizes, _, slope = _loads(found, free, by_normals, ahead)
            step = solve_lanes(slope, sizes - found)
            found = found + step
            size = np.max(np.abs(found), axis=1)
            if (settled := np.max(np.abs(step), axis=1) <= ROUNDING_OF_FEW * size).all():
                break
        # Between an end of the path or an infinite force, and where it begins, the determinant has another sign.
        same = (np.linalg.det(slope) > 0) & (found >= 0).all(axis=1)
        return found, settled & same & (np.max(np.abs(found - begun), axis=1) <= MOVED * size)


def _loads(N: Floats, free: Floats, by_normals: Floats, x: Floats) -> tuple[Floats, Floats, Floats]:
    """Return sizes (n, k) and directions (n, k, 2) of the loads, and the derivatives (n, k, k) of N - sizes by N."""
    loads = free + x[:, None, None] * np.einsum("nkij,nj->nki", by_normals, N)
    sizes = np.hypot(*np.moveaxis(loads, 2, 0))
    direction = np.divide(loads, sizes[:, :, None], out=np.zeros_like(loads), where=sizes[:, :, None] > 0)
    return sizes, direction, np.eye(N.shape[1]) - x[:, None, None] * np.einsum("nki,nkij->nkj", direction, by_normals)


def lock_note(found: Kinetostatics) -> str:
    """Return at how many samples friction locks the mechanism, and when first; empty if it does not."""
    at = np.flatnonzero(found.locked)
    if not len(at):
        return ""
    t, names = float(found.t[at[0]]), ", ".join(load.id for load in by_coefficient(found.motion.mechanism))
    first = f"t = {t:.6g} s" if np.isfinite(t) else f"sample {at[0]}"
    samples = f"{len(at)} of {len(found.locked)} samples, first at {first}"
    return f"it locks at {samples}: no forces balance with the friction of {names}"


def moment_notes(found: Kinetostatics) -> list[str]:
    """Return the guides that carry a moment which their friction leaves out, because their length is not known."""
    notes, guides = [], found.motion.mechanism.joints.of(Prismatic)
    noise = NEGLIGIBLE * found.motion.size * float(np.nanmax(np.abs(found.unknowns), initial=0.0))
    for load in by_coefficient(found.motion.mechanism):
        guide = guides.get(load.joint)
        if guide is not None and guide.bearing is None:
            most = float(np.nanmax(np.abs(_moment(found, load, guide)), initial=0.0))
            if most > noise:
                notes.append(
                    f"{load.id}: the guide {guide.id} carries a moment of up to {most:.3g} N m, which its friction "
                    f"leaves out: give joints.{guide.id} the length of its bearing"
                )
    return notes


def shared_notes(found: Kinetostatics) -> list[str]:
    """Return what rubs by the force of a joint that the motion does not determine."""
    return [
        f"{load.id}: the motion does not determine the force of {load.joint}, as joints are redundant; its friction, "
        "and with it other forces and efforts, are those of the least forces"
        for load in by_coefficient(found.motion.mechanism)
        if not found.unique(load.joint)
    ]


def pressed(mechanism: Mechanism) -> list[Problem]:
    """Return why a mechanism cannot be simulated: its friction needs forces that the equations do not provide."""
    hint = "give a limit, or the normal force: normal = ..."
    message = "a coefficient alone only works for the forces of a given motion, not for a simulation"
    return [Problem(f"forces.{load.id}", message, hint) for load in by_coefficient(mechanism)]
