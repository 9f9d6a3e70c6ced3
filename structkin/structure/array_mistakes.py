"""Errors in the arrays of a topology: each check covers all joints or drivers at once."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from structkin.errors import Problem
from structkin.model.topology import DRIVER_KINDS, JOINT_KINDS
from structkin.structure.array_codes import ANGLE, KINDS, OF_MANY, SLIDE, Numbered, P, R, S
from structkin.types import Flags, Ints

if TYPE_CHECKING:
    from structkin.structure.arrays import TopologyArrays

#: How many errors of one sort are listed one by one.
MOST_NAMED = 20


def mistakes(topology: TopologyArrays) -> Iterable[Problem]:
    """Yield the errors that the checks of `Topology` find, each check over all joints or drivers at once."""
    t = topology
    n, joint_of = t.n_links, np.repeat(np.arange(t.n_joints), np.diff(t.joint_start))
    for key, names, count in (
        ("link_names", t.link_names, n),
        ("joint_names", t.joint_names, t.n_joints),
        ("driver_names", t.driver_names, t.n_drivers),
    ):
        if len(names) != count:
            yield Problem(key, f"{len(names)} names for {count}")
        elif not isinstance(names, Numbered) and len(set(names)) < count:
            yield Problem(key, "names appear twice", "choose different names")
    if not 0 <= t.ground < n:
        yield Problem("ground", f"there is no link {t.ground}", f"links are numbered from 0 to {n - 1}")

    def joints(bad: Flags, said: Callable[[int], str], hint: str = "") -> Iterable[Problem]:
        yield from _named("joints", np.flatnonzero(bad), t.joint_names, said, hint)

    def drivers(bad: Flags, said: Callable[[int], str], hint: str = "") -> Iterable[Problem]:
        yield from _named("drivers", np.flatnonzero(bad), t.driver_names, said, hint)

    def any_of(bad: Flags) -> Flags:
        return np.bincount(joint_of[bad], minlength=t.n_joints) > 0

    kind, width = t.joint_kind, np.diff(t.joint_start)
    unknown = (kind < 0) | (kind >= len(KINDS))
    yield from joints(unknown, lambda k: "kind is unknown", f"known: {', '.join(KINDS)}")
    yield from joints(width < 2, lambda k: "joins fewer than two links")
    yield from joints(
        ~unknown & (width > 2) & ~np.isin(kind, OF_MANY),
        lambda k: f"a {JOINT_KINDS[KINDS[kind[k]]].name} joint joins two links, not {width[k]}",
    )
    order = np.lexsort((t.joint_ends, joint_of))
    same = (np.diff(t.joint_ends[order]) == 0) & (np.diff(joint_of[order]) == 0)
    twice = np.zeros(len(order), dtype=np.bool_)
    twice[order[1:][same]] = True
    yield from joints(any_of(twice), lambda k: "names a link twice")

    def missing(ends: Ints, pins_too: Flags) -> Flags:
        pin = np.clip(~ends, 0, max(0, t.n_joints - 1))
        on_pin = (ends < 0) & (~ends < t.n_joints) & pins_too
        if t.n_joints:
            on_pin &= kind[pin] == R
        return (ends >= n) | ((ends < 0) & ~on_pin)

    no_end = missing(t.joint_ends, np.ones(len(t.joint_ends), dtype=np.bool_))
    yield from joints(
        any_of(no_end), lambda k: f"one of the ends {t.ends_of(k)} is neither a link nor a revolute joint"
    )
    yield from joints(
        any_of(~t.joint_ends == joint_of), lambda k: "is attached to its own pin", "name the pin of another joint"
    )
    if not t.n_drivers:
        return
    what, ends, driven = t.driver_kind, t.driver_ends, t.driver_joint
    yield from drivers(
        (what < 0) | (what >= len(DRIVER_KINDS)), lambda k: "kind is unknown", f"known: {', '.join(DRIVER_KINDS)}"
    )
    yield from drivers(ends[:, 0] == ends[:, 1], lambda k: "a driver acts between two different links")
    allowed = np.broadcast_to((what != ANGLE)[:, None], ends.shape)
    no_end = missing(ends, allowed)
    yield from drivers(no_end[:, 0] | no_end[:, 1], lambda k: f"one of the ends {ends[k].tolist()} is not a link")
    yield from drivers((what == SLIDE) & (driven < 0), lambda k: "a slide driver needs its prismatic joint or slot")
    out = (driven < -1) | (driven >= t.n_joints)
    yield from drivers(out, lambda k: f"there is no joint {driven[k]}")
    has = np.flatnonzero((driven >= 0) & ~out)
    if not len(has):
        return
    of_kind, driven_kind = what[has], kind[driven[has]]
    other = np.zeros(len(what), dtype=np.bool_)
    other[has] = ((of_kind == ANGLE) & (driven_kind != R)) | ((of_kind == SLIDE) & ~np.isin(driven_kind, (P, S)))
    yield from drivers(other, lambda k: f"joint {t.joint_names[driven[k]]} is of another kind")
    # an end of the driver is an end of its joint: look the pair (joint, end) up among all of them
    low, span = -t.n_joints, n + t.n_joints + 1
    pairs = np.sort(joint_of * span + (t.joint_ends - low))
    apart = np.zeros(len(what), dtype=np.bool_)
    for side in (0, 1):
        wanted = driven[has] * span + (ends[has, side] - low)
        at = np.clip(np.searchsorted(pairs, wanted), 0, max(0, len(pairs) - 1))
        apart[has] |= pairs[at] != wanted if len(pairs) else True
    yield from drivers(apart, lambda k: f"joint {t.joint_names[driven[k]]} does not join its ends")


def _named(key: str, bad: Ints, names: Sequence[str], said: Callable[[int], str], hint: str) -> Iterable[Problem]:
    for k in bad[:MOST_NAMED].tolist():
        yield Problem(f"{key}.{names[k]}", said(k), hint)
    if len(bad) > MOST_NAMED:
        yield Problem(key, f"the same error occurs {len(bad) - MOST_NAMED} more times")
