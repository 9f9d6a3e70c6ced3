"""A joint's rows are written once: an offset pin in its row affects every method alike."""

import math

import numpy as np
import pytest

import structkin as sk
from structkin.branches.classify import Whole
from structkin.branches.homotopy import modes_of
from structkin.examples import path
from structkin.global_methods.families import FAMILIES
from structkin.joints.revolute import Revolute
from structkin.rows.row import Row
from structkin.solve.special_geometry import structure_of

PIN, OFF, ANGLE = "D", 1e-3, 1.9


@pytest.fixture
def offset_pin(monkeypatch):
    """The row of one pin, with its position on its last link offset along that link."""

    def write(joint, w):
        last = joint.links[-1]
        for link, at, others in w.ties(joint.id):
            gap = w.point(link, w.mechanism.links[link].local[joint.id]) - at
            if joint.id == PIN:
                gap += w.along(last, OFF if link == last else -OFF)
            for axis, name in enumerate("xy"):
                w.add(joint.id, f"pin, {name}", (*others, link), w.size, Row.part(gap, axis))

    monkeypatch.setattr(Revolute, "write", write)


def by_family(m, family):
    motion = m.solve(drivers={"motor": [ANGLE]}, method="global", coordinates=family)
    assert motion.ok.all()
    found = {}
    for link in m.topology.moving_links:
        origin, tip = motion.position(0j, link)[0], motion.position(1 + 0j, link)[0]
        # not `angle`: whole turns are counted along the poses of the closed forms, which lie elsewhere here
        found[link] = origin, math.atan2(*(tip - origin)[::-1])
    return found


def heavy(m):
    data = m.source_dict
    data["links"] = {
        link: points if link == "ground" else {"points": points, "mass": 1.0, "center": data["points"][points[-1]]}
        for link, points in data["links"].items()
    }
    return sk.Mechanism.from_dict({**data, "forces": {"gravity": [0, -10]}})


def group_of_all(m):
    whole = Whole.of(m, structure_of(m), drivers=True)
    return whole, (np.array([[np.cos(ANGLE)], [np.sin(ANGLE)]]),)


def test_an_offset_pin_is_offset_for_all(offset_pin):
    m = sk.load(path("watt_six_bar"))
    true = m.solve(drivers={"motor": [ANGLE]})
    links = m.topology.moving_links
    places = np.array([true.position(0j, link)[0] for link in links])
    angles = np.array([true.angle(link)[0] for link in links])
    assert true.residual()[0] < 1e-12, "closed forms and their check use no rows"

    whole, h = group_of_all(m)
    assert whole.links == tuple(links)
    O, theta, change = whole.form.newton(h, places[:, :, None], angles[:, None])
    O, theta = O[:, :, 0], theta[:, 0]
    assert change[0] < 1e-8
    away = np.max(np.abs(O - places))
    assert 0.1 * OFF < away < 30 * OFF
    for family in FAMILIES:
        found = by_family(m, family)
        np.testing.assert_allclose([found[link][0] for link in links], O, atol=1e-10, err_msg=family)
        turns = np.exp(1j * np.array([found[link][1] for link in links]))
        np.testing.assert_allclose(turns, np.exp(1j * theta), atol=1e-10, err_msg=family)
    modes = modes_of(whole.form, h)
    pose = O @ (1, 1j)
    assert np.min(np.max(np.abs(modes.origins - pose), axis=1)) < 1e-9, "homotopy finds the same pose"


def test_the_forces_of_an_offset_pin_hold_the_weights_in_its_poses(offset_pin):
    """The motor's torque is the slope of the potential energy along the offset poses."""
    m, step = heavy(sk.load(path("watt_six_bar"))), 1e-3
    turns = {"motor": ANGLE + step * np.arange(-2, 3)}
    torques = []
    for motion in (m.solve(drivers=turns, method="global", coordinates="natural"), m.solve(drivers=turns)):
        moving = [link for link in m.links.values() if link.mass]
        V = sum(10 * motion.position(link.center, link.name)[:, 1] for link in moving)
        slope = (8 * (V[3] - V[1]) - (V[4] - V[0])) / (12 * step)
        torques.append((slope, motion.forces(static=True).driver("motor")[2]))
    (slope, torque), (closed, lopsided) = torques
    assert torque == pytest.approx(slope, rel=1e-8)
    assert abs(lopsided - closed) > 1e-5, "closed forms use no rows, forces do"
