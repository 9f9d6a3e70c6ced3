"""How well a motion is transmitted: transmission angle and mechanical advantage."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from structkin.errors import InputError, Problem
from structkin.groups.kind import cross, dot
from structkin.joints.guide import Guide
from structkin.model.mechanism import Mechanism
from structkin.model.topology import suggest
from structkin.numerical_tolerances import ROUNDING_OF_FEW
from structkin.plan.plan import Plan, Step
from structkin.solve.motion import Motion
from structkin.types import Floats


def transmission_angle(motion: Motion, at: str | int) -> Floats:
    """Return the transmission angle (n,) [rad] of a dyad; see `Motion.transmission_angle`."""
    step = dyad_of(motion.mechanism, motion.plan, at)
    x = motion.lanes.x[0]
    angle = angle_at(step, motion.plan.inputs(step, x), motion.plan.outputs(step, x))
    return np.array(np.broadcast_to(angle, len(motion)))


def acute(angle: Floats) -> Floats:
    """Return transmission angles [rad] by how well they transmit, whichever side they open to: at most pi/2.

    >>> acute(np.array([0.5, np.pi - 0.5])).round(12).tolist()
    [0.5, 0.5]
    """
    return np.minimum(angle, np.pi - angle)


def angle_at(step: Step, h: tuple[Any, ...], phi: tuple[Any, ...]) -> Floats:
    """Return the transmission angle [rad] of a dyad with these inputs and unknowns."""
    name = getattr(step.kind, "name", "")
    with np.errstate(all="ignore"):
        if name == "RRR":
            P, Q = phi[0] - h[0], phi[0] - h[1]
            return np.asarray(np.arctan2(np.abs(cross(P, Q)), dot(P, Q)))
        if name == "RPR":
            W = h[1] - h[0]
            return np.asarray(np.arcsin(np.minimum(1.0, np.abs(dot(phi[0], W)) / np.sqrt(dot(W, W)))))
        assert name in ("RRP", "PRP", "RPP")
        return np.asarray(np.arcsin(np.minimum(1.0, np.abs(_mode_indicator(step, h, phi)))))


def _mode_indicator(step: Step, h: tuple[Any, ...], phi: tuple[Any, ...]) -> Any:
    kind: Any = step.kind
    return kind.mode_indicator(h, phi)


def dyad_of(mechanism: Mechanism, plan: Plan, at: str | int) -> Step:
    """Return the step that closes the dyad of a group by its index, or of one of its links or inner joints."""
    names = ("RRR", "RRP", "RPR", "PRP", "RPP")
    # Dyads inside a composite link are closed first.
    dyads = {step.group: step for step in plan.steps if getattr(step.kind, "name", "") in names}
    groups = plan.structure.groups
    home = {link: group.index for group in groups for link in group.links}
    outer = {(group.index, id) for group in groups for id, _ in group.exterior}
    inner = {id: group.index for group in groups for id in group.joints if (group.index, id) not in outer}
    if isinstance(at, int | np.integer) and not isinstance(at, bool):
        found = [group.index for group in groups if group.index == at]
    else:
        found = [index for index in (inner.get(str(at)), home.get(str(at))) if index is not None]
    if not found:
        numbers = f"groups are numbered 0 to {len(groups) - 1} here"
        known = [name for name, group in [*inner.items(), *home.items()] if group in dyads]
        hint = suggest(str(at), known) if isinstance(at, str) else numbers
        raise InputError([Problem(str(at), "is not a group, link or inner joint", hint)], mechanism.title)
    if len(set(found)) > 1:
        message = "is both an inner joint and a link, of different groups"
        raise InputError([Problem(str(at), message, "give the index of the group")], mechanism.title)
    if found[0] not in dyads:
        message = f"{groups[found[0]].label} is not a dyad: it has no transmission angle"
        raise InputError([Problem(str(at), message, "use mechanical_advantage")], mechanism.title)
    return dyads[found[0]]


def mechanical_advantage(
    motion: Motion, output: str, driver: str | None, kind: Literal["point", "link", "joint"] | None
) -> Floats:
    """Return force or moment at the output over that of a driver (n,); see `Motion.mechanical_advantage`."""
    m = motion.mechanism
    drives = list(m.drivers)
    if driver is None and len(drives) == 1:
        driver = drives[0]
    if driver not in drives:
        message = f"there are {len(drives)} drivers" if driver is None else f"'{driver}' is not a driver"
        raise InputError([Problem("driver", message, f"one of {', '.join(drives)}")], m.title)
    j = drives.index(driver)
    is_joint = output in m.joints.of(Guide)
    if kind is None and is_joint and output in m.links:
        raise InputError([Problem(output, "is both a joint and a link", 'pass kind="joint" or kind="link"')], m.title)
    # Where the output is at rest, K is zero to rounding, relative to one unit of output per unit of the driver.
    unit = motion.size
    if kind == "joint" or (kind is None and is_joint):
        K = motion.travel_coefficient(output)[:, j]
    else:
        K = motion.K(output, kind=kind)[..., j]
        if K.ndim == 1:
            unit = 1.0
        else:
            K = np.hypot(K[:, 0], K[:, 1])
    unit /= m.drivers[driver].unit(motion.size)
    with np.errstate(divide="ignore"):
        return np.asarray(np.where(np.abs(K) <= ROUNDING_OF_FEW * unit, np.inf, 1 / K))
