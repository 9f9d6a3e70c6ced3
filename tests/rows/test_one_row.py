"""A joint's rows are written once: a pin that is set off in its row is set off for everybody alike."""

import numpy as np
import pytest

import structkin as sk
from structkin.branches.homotopy import modes_of
from structkin.examples import path
from structkin.global_methods.families import FAMILIES
from structkin.joints.revolute import Revolute
from structkin.plan.whole import Whole
from structkin.rows.row import Row
from structkin.solve.special_geometry import structure_of

PIN, OFF, ANGLE = "D", 1e-3, 1.9


@pytest.fixture
def set_off(monkeypatch):
    """The row of one pin with its first listed link set off in x."""

    def write(joint, w):
        for link, at, others in w.ties(joint.id):
            gap = w.point(link, w.mechanism.links[link].local[joint.id]) - at
            along = 0.0 if joint.id != PIN else OFF if link == joint.links[0] else -OFF
            for axis, off in enumerate((along, 0.0)):
                w.add(joint.id, f"pin, {'xy'[axis]}", (*others, link), w.size, Row.part(gap, axis).plus(off))

    monkeypatch.setattr(Revolute, "write", write)


def by_family(m, family):
    motion = m.solve(drivers={"motor": [ANGLE]}, method="global", coordinates=family)
    assert motion.ok.all()
    return {link: (motion.position(0j, link)[0], motion.angle(link)[0]) for link in m.topology.moving_links}


def group_of_all(m):
    whole = Whole.of(m, structure_of(m), drivers=True)
    return whole, (np.array([[np.cos(ANGLE)], [np.sin(ANGLE)]]),)


def test_a_pin_that_is_set_off_is_set_off_alike(set_off):
    m = sk.load(path("watt_six_bar"))
    true = m.solve(drivers={"motor": [ANGLE]})
    links = m.topology.moving_links
    places = np.array([true.position(0j, link)[0] for link in links])
    angles = np.array([true.angle(link)[0] for link in links])
    assert true.residual()[0] < 1e-12, "closed forms and their judge know nothing of rows"

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
