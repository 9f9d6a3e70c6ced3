"""Start values in loops: missing values follow, and agree with differences of closed poses."""

from __future__ import annotations

import numpy as np
import pytest
from spatial_cases import FOUR_BAR, changed

from structkin.errors import InputError
from structkin.multibody.file import from_dict
from structkin.multibody.spanning_tree import paths
from structkin.multibody.start import body_poses, joint_displacement


def gap(model):
    """The largest opening of a joint, from the poses of its bodies by a tree of the other joints."""
    found, _ = paths(list(model.bodies), model.joints)
    q = {name: joint.start for name, joint in model.joints.items()}
    poses = body_poses(found, q)
    return max(
        np.abs(poses[j.bodies[0]] @ joint_displacement(j, q[name]) - poses[j.bodies[1]]).max()
        for name, j in model.joints.items()
    )


@pytest.mark.parametrize("angle", [0, 30, -75, 170])
def test_a_loop_follows_the_start_of_its_crank(angle):
    model = from_dict(changed(joints__A__start=angle))
    assert model.joints["A"].start == (pytest.approx(np.radians(angle)),) and gap(model) < 1e-12


def test_rates_are_the_derivatives_of_closed_poses():
    h = 1e-3
    model = from_dict(changed(joints__A__start=20, joints__A__speed=2))
    ends = [from_dict(changed(joints__A__start=20 + s * np.degrees(2 * h))) for s in (-1, 1)]
    for name, joint in model.joints.items():
        low, high = (np.array(end.joints[name].start) for end in ends)
        assert np.array(joint.rates) == pytest.approx((high - low) / (2 * h), abs=1e-4)


def test_starts_and_speeds_that_open_a_loop_are_refused():
    for data, words in (
        (changed(joints__A__start=30, joints__D__start=40), "cannot be closed"),
        (changed(joints__A__speed=1, joints__D__speed=-1), "tear the loop through 'B' open"),
    ):
        with pytest.raises(InputError, match=words):
            from_dict(data)


def test_a_cut_joint_closes_the_loop():
    data = changed(joints__C__cut=True)
    _, closing = paths(list(FOUR_BAR["bodies"])[1:], from_dict(data).joints)
    assert [joint.name for joint in closing] == ["C"]
