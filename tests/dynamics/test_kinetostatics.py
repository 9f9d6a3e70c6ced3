"""Inverse dynamics: every number by two roads, and textbook cases by hand."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from loaded import cross, loaded, virtual_work

import structkin as sk


def agree(a: Any, b: Any, tolerance: float = 1e-9) -> None:
    a, b = np.asarray(a), np.asarray(b)
    good = np.isfinite(a) & np.isfinite(b)
    assert good.any()
    assert np.max(np.abs(a - b)[good], initial=0) <= tolerance * max(1.0, np.max(np.abs(b[good]), initial=0))


def check(m: sk.Mechanism, samples: int = 9) -> None:
    motion = m.solve(samples=samples)
    r = motion.forces()
    good = motion.ok & np.isfinite(r.unknowns).all(axis=1)
    assert good.sum() >= motion.ok.sum() - 1
    efforts = np.stack([r.driver(id) for id in m.drives], axis=1)
    scale = max(1.0, np.nanmax(np.abs(r.unknowns)))
    agree(efforts[good] / scale, virtual_work(r)[good] / scale)
    equilibrium(r, good, scale)
    # the frame: all that is applied to moving links, less their inertia, arrives there
    force = sum(r.applied.force.values())
    moment = sum(
        r.applied.moment[link] + cross(motion.position(0j, link), r.applied.force[link]) for link in m.links
    )
    for body in r.bodies:
        push = body.mass * motion.acceleration(body.center, body.link)
        force = force - push
        moment = moment - cross(motion.position(body.center, body.link), push) - body.inertia * motion.alpha(body.link)
    agree(r.shaking_force[good] / scale, force[good] / scale)
    agree(r.shaking_moment[good] / scale, moment[good] / scale)
    power = sum(r.driver_power(id) for id in m.drives) + r.applied_power
    agree(power[good] / scale, r.kinetic_power[good] / scale)


def equilibrium(r: Any, good: Any, scale: float) -> None:
    """Newton and Euler for every link about its centre, from the reactions as a user reads them."""
    motion, m = r.motion, r.motion.mechanism
    for name, link in m.links.items():
        if name == "ground":
            continue
        c = motion.position(link.center, name)
        force = r.applied.force[name].copy()
        moment = r.applied.moment[name] - cross(c - motion.position(0j, name), force)

        def push(at: Any, f: Any, c: Any = c) -> None:
            nonlocal force, moment
            force, moment = force + f, moment + cross(at - c, f)

        for joint in m.topology.joints:
            if name in joint.links:
                guide = m.guides.get(joint.id)
                at = motion.position(joint.id, name) if guide is None else motion.position(guide.point, guide.slider)
                push(at, r.reaction(joint.id, name))
                moment = moment + r.reaction_moment(joint.id, name)
        for driver in m.topology.drivers:
            drive, effort = m.drives[driver.id], r.driver(driver.id)
            if name not in driver.links:
                continue
            sign = 1.0 if name == driver.links[1] else -1.0
            if drive.kind == "angle":
                moment = moment + sign * effort
            elif drive.kind == "slide":
                guide = m.guides[drive.joint]
                u = motion.position(guide.direction, guide.carrier) - motion.position(0j, guide.carrier)
                sign = 1.0 if name == guide.slider else -1.0
                push(motion.position(guide.point, guide.slider), sign * effort[:, None] * u)
            else:
                (a, p), (b, q) = drive.ends
                ends = motion.position(p, a), motion.position(q, b)
                u = (ends[1] - ends[0]) / np.hypot(*(ends[1] - ends[0]).T)[:, None]
                push(ends[1] if sign > 0 else ends[0], sign * effort[:, None] * u)
        left = force - link.mass * motion.acceleration(link.center, name)
        rest = moment - link.inertia * motion.alpha(name)
        assert np.max(np.abs(left[good])) < 1e-9 * scale, name
        assert np.max(np.abs(rest[good])) < 1e-9 * scale, name


@settings(max_examples=100, deadline=None)
@given(st.integers(0, 10**6))
def test_random_mechanisms_by_virtual_work_and_link_by_link(seed: int) -> None:
    check(loaded(seed))


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(2000))
def test_many_random_mechanisms(seed: int) -> None:
    check(loaded(seed, elements=5), samples=5)
