"""Cams with a profile against the law that made it: pressure angles, work of a simulation; followers out of reach."""

from __future__ import annotations

import numpy as np
import pytest
from cam_samples import KINDS, eccentric

import structkin as sk

TURN = 2 * np.pi
LAW = [{"motion": "cycloidal", "over": 180, "to": 9}, {"motion": "cycloidal", "over": 180, "to": 0}]


def swinging(**cam):
    """A roller on a lever lifts by a law, or by the profile of `cam`; the shaft turns freely."""
    return sk.Mechanism(
        "cam and lever",
        units={"angle": "deg"},
        points={"A": (0, 0), "M": (0.03, 0), "B": (0.25, 0.04), "Q": (0.01, 0.13)},
        links={
            "ground": ["A", "B"],
            "disc": {"points": ["A", "M"], "mass": 1, "center": [0, 0], "inertia": 1e-3},
            "lever": {"points": ["B", "Q"], "mass": 0.2, "center": [0.01, 0.13], "inertia": 1e-3},
        },
        joints={"cam": {"type": "cam", "cam": "disc", "follower": "lever", "at": "Q", "radius": 0.03, **cam}},
        drivers={"motor": {"joint": "A"}},
        forces={"gravity": [0, -9.81]},
        initial={"motor": {"speed": "52 rad/s"}},
    )


def tabulated(rows):
    """The same cam, by the profile of the law."""
    outline = swinging(law=LAW).joints["cam"].profile(np.linspace(0, TURN, rows, endpoint=False))
    return swinging(outline=outline.tolist())


def test_pressure_angle_of_a_swinging_roller():
    """The follower moves with the roller's centre, not with the point of contact on its rim."""
    given = {"motor": np.linspace(0, TURN, 50)}
    by_law, by_profile = (m.solve(drivers=given).cam("cam") for m in (swinging(law=LAW), tabulated(240)))
    expected = np.degrees(by_law.pressure_angle)
    assert np.ptp(expected) > 15
    np.testing.assert_allclose(np.abs(np.degrees(by_profile.pressure_angle)), np.abs(expected), atol=1e-3)


def test_the_follower_moves_about_the_joint_with_the_carrier():
    """A block that slides on the lever does not guide it."""
    plain = tabulated(60).source_dict
    z = {"motor": np.linspace(0, 6, 20)}
    expected = sk.Mechanism.from_dict(plain).solve(drivers=z).cam("cam").pressure_angle
    plain["points"] |= {"S": [0.1, 0.1], "C": [0.1, -0.1]}
    plain["links"] |= {"crank": ["C", "S"], "block": ["S"]}
    plain["links"]["ground"].append("C")
    plain["joints"] = {
        "slide": {"type": "prismatic", "links": ["block", "lever"], "at": "S", "along": ["B", "Q"]},
        **plain["joints"],
    }
    motion = sk.Mechanism.from_dict(plain).solve(drivers=z)
    assert motion.ok.all()
    np.testing.assert_allclose(motion.cam("cam").pressure_angle, expected, atol=1e-9)


def test_a_simulation_does_not_depend_on_the_rows():
    by_law, by_profile = (m.simulate(0.03, samples=2) for m in (swinging(law=LAW), tabulated(240)))
    np.testing.assert_allclose(by_profile.drivers["motor"][:2, -1], by_law.drivers["motor"][:2, -1], rtol=1e-7)
    assert by_profile.integration.evaluations < 2 * by_law.integration.evaluations


@pytest.mark.parametrize(
    ("kind", "contact", "moved", "words"),
    [
        ("translating", "roller", {"Q": (1.71, 0.2), "T": (1.71, 3)}, "the roller's centre can be 1.71 m or more"),
        ("translating", "knife-edge", {"Q": (2.5, 0.9), "T": (2.5, 3)}, "needs 0.7 m to 1.3 m"),
        (
            "oscillating",
            "roller",
            {"Q": (0.2, 9)},
            "can be 5.90792 m to 11.9907 m from the cam's shaft, but the profile needs 1.1 m to 1.7 m",
        ),
        ("oscillating", "knife-edge", {"B": (3, 0.5), "Q": (2.5, 0.5)}, "the edge can be 2.54138 m to 3.54138 m from"),
        ("oscillating", "flat", {"Q": (0.2, 12), "F": (1.2, 12)}, "the face can be 8.45862 m to 14.5414 m from"),
    ],
)
def test_a_follower_that_can_never_reach_its_profile_is_refused_at_once(kind, contact, moved, words):
    data = eccentric(contact, kind=kind).source_dict
    data["points"] |= moved
    with pytest.raises(sk.InputError, match="can never reach the profile") as error:
        sk.Mechanism.from_dict(data)
    (problem,) = error.value.problems
    assert problem.key == "joints.cam.profile" and words in problem.message and problem.hint


@pytest.mark.parametrize(("kind", "contact"), [kind for kind in KINDS if kind != ("translating", "flat")])
def test_exactly_the_followers_that_no_cam_angle_reaches_are_refused(kind, contact):
    """For an eccentric circle the distance to its centre decides: it has to be right at some cam angle."""
    rng, seen = np.random.default_rng(5), set()
    data = eccentric(contact, kind=kind).source_dict
    turn = np.exp(1j * np.linspace(0, TURN, 1001))[:, None]
    for _ in range(25):
        q, b = (complex(*rng.uniform(-3, 3, 2)) for _ in range(2))
        face = np.exp(1j * rng.uniform(0, TURN))
        data["points"] |= {"Q": (q.real, q.imag), "F": ((q + face).real, (q + face).imag)}
        data["points"] |= {"T": (q.real, q.imag + 1)} if kind == "translating" else {"B": (b.real, b.imag)}
        refused = False
        try:
            sk.Mechanism.from_dict(data)
        except sk.InputError as error:
            refused = "never reach" in str(error)
            if not refused:
                continue
        centre = 0.3 * turn
        if kind == "translating":
            reached = np.abs(q.real - centre.real) <= (1.4 if contact == "roller" else 1.0)
        elif contact == "flat":
            normal = 1j * face * np.sign((q / (1j * face)).real)
            reached = np.abs(((q - b) / normal).real - 1) <= np.abs(b - centre)
        else:
            away = np.abs(b + (q - b) * np.exp(1j * np.linspace(0, TURN, 2001)) - centre)
            wanted = 1.4 if contact == "roller" else 1.0
            reached = (away.min(axis=1) <= wanted) & (away.max(axis=1) >= wanted)
        assert refused == (not reached.any()), (q, b)
        seen.add(refused)
    assert seen == {True, False}


def test_cams_with_the_same_name_and_links_are_separate():
    """Results of a follower are cached by cam: a knife edge after a flat face once moved like the face."""
    alike = [eccentric(contact) for contact in ("flat", "knife-edge")]
    cams = [m.joints["cam"] for m in alike]
    assert cams[0].links == cams[1].links and cams[0] != cams[1]
    for m in alike:
        motion = m.solve(13)
        assert np.max(motion.cam("cam").gap) < 1e-12
