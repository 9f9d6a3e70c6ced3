"""Angles of samples over half a turn apart: the motion between them counts."""

from __future__ import annotations

import numpy as np
import pytest
from cases import few

import structkin as sk
from structkin.examples import path


def drag_link(**more: object) -> sk.Mechanism:
    """Crank and follower turn fully, and so does the coupler; the follower turns a wheel by its gear."""
    return sk.Mechanism(
        points={"A": (0, 0), "B": (2, 0.2), "C": (0.5, 2.0), "D": (0.7, 0), "W": (0.7, 3), "V": (1.2, 3)},
        links={
            "ground": ["A", "D", "W"], "crank": ["A", "B"], "coupler": ["B", "C"], "follower": ["C", "D"],
            "wheel": ["W", "V"],
        },
        joints={"mesh": {"type": "gear", "links": ["wheel", "follower"], "ratio": -2.0}},
        drivers={"motor": {"joint": "A"}},
        **more,
    )  # fmt: skip


@pytest.mark.parametrize("method", few(["topological", "global", "global-triangular"], 1))
def test_a_driven_link_follows_its_driver(method: str) -> None:
    m = sk.Mechanism(
        points={"A": (0, 0), "B": (1, 0), "C": (3, 1), "D": (3, -1)},
        links={"ground": ["A", "D"], "crank": ["A", "B"], "coupler": ["B", "C"], "rocker": ["C", "D"]},
        drivers={"motor": {"joint": "A"}},
    )
    for z in ([0, 4, 8, 12], [0, -20, 1000, 3]):
        np.testing.assert_allclose(m.solve(drivers={"motor": z}, method=method).angle("crank"), z, atol=1e-12)


@pytest.mark.parametrize("method", ["topological", "global"])
@pytest.mark.parametrize("timed", [False, True])
def test_all_links_are_where_the_motion_took_them(method: str, timed: bool) -> None:
    m = drag_link()
    start = m.drivers["motor"].start
    if timed:
        m = m.with_drivers({"motor": {"joint": "A", "speed": 1.0}})
        fine, far = (m.solve(t=np.linspace(0, 25, n), method=method) for n in (501, 6))
    else:
        z = start + np.linspace(0, 25, 501)
        fine, far = (m.solve(drivers={"motor": z[::k]}, method=method) for k in (1, 100))
    for link in ("crank", "coupler", "follower", "wheel"):
        np.testing.assert_allclose(far.angle(link), fine.angle(link)[::100], rtol=0, atol=1e-9)
        ahead = fine.position(1, link) - fine.position(0, link)
        np.testing.assert_allclose(fine.angle(link), np.unwrap(np.arctan2(ahead[:, 1], ahead[:, 0])), atol=1e-9)
    assert abs(far.angle("coupler")[-1] - far.angle("coupler")[0]) > 4 * np.pi


def test_links_on_driven_links_and_in_guides_turn_with_them() -> None:
    """An arm of two drivers with a slide at its end: angles are sums of both, at any spacing of the samples."""
    m = sk.Mechanism(
        points={"A": (0, 0), "B": (1, 0), "C": (1, 2), "S": (1, 1)},
        links={"ground": ["A"], "upper": ["A", "B"], "lower": ["B", "C"], "block": ["S"]},
        joints={"guide": {"type": "prismatic", "links": ["block", "lower"], "axis": [0, 1]}},
        drivers={"a": {"joint": "A"}, "b": {"joint": "B"}, "s": {"joint": "guide"}},
    )
    a, b = np.array([0.0, 7.0, -9.0]), m.drivers["b"].start + np.array([0.0, 11.0, 30.0])
    r = m.solve(drivers={"a": a, "b": b, "s": np.zeros(3)})
    turned = a + b - b[0]
    np.testing.assert_allclose(r.angle("lower") - r.angle("lower")[0], turned, atol=1e-12)
    np.testing.assert_allclose(r.turn("block"), turned, atol=1e-12)


def test_variants_follow_their_drivers() -> None:
    m = sk.Mechanism(
        points={"A": (0, 0), "B": (1, 0), "C": (3, 1), "D": (3, -1)},
        links={"ground": ["A", "D"], "crank": ["A", "B"], "coupler": ["B", "C"], "rocker": ["C", "D"]},
        drivers={"motor": {"joint": "A"}},
    )
    rows = np.array([[0, 4, 8, 12], [0, 5, 10, -15.0]])
    both = m.solve_many(drivers={"motor": rows}, lengths={"A-B": [1.0, 0.9]})
    np.testing.assert_allclose(both.angle("crank"), rows, atol=1e-12)
    one = m.solve_many(drivers={"motor": rows[0]}, lengths={"A-B": [1.0, 0.9]})
    np.testing.assert_allclose(one.angle("crank"), rows[[0, 0]], atol=1e-12)


def test_a_spring_does_not_depend_on_the_samples() -> None:
    """A coil on the crank at z has the moment -k z, a single sample far from the sketch included."""
    m = drag_link(forces={"coil": {"type": "torsion", "joint": "A", "stiffness": 3}})
    z = m.drivers["motor"].start + np.array([0.0, 4.0, 8.0, 12.0])
    for values in (z, z[:3], z[3:]):
        found = m.solve(drivers={"motor": values}).forces(static=True).driver("motor")
        np.testing.assert_allclose(found, 3 * (values - z[0]), atol=1e-9)


# --- hours at a constant speed ---------------------------------------------------------------------------------------


def test_an_engine_that_runs_for_hours() -> None:
    """3000 rpm for a day, 4.3 million turns, at times without a rhythm; the piston by the law of cosines."""
    a, b = 0.03, 0.11
    m = sk.Mechanism(
        points={"O": (0, 0), "A": (a, 0), "B": (a + b, 0)},
        links={"ground": ["O"], "crank": ["O", "A"], "rod": ["A", "B"], "piston": ["B"]},
        joints={"bore": {"type": "prismatic", "links": ["piston", "ground"], "at": "B", "axis": [1, 0]}},
        drivers={"motor": {"joint": "O", "speed": "3000 rpm"}},
    )
    t = np.sort(np.random.default_rng(4).uniform(0, 86400, 200))
    for options in ({}, {"method": "topological-kl"}, {"engine": "python"}):
        motion = m.solve(t=t, **options)
        z, w = motion.drivers["motor"][0], 100 * np.pi
        assert motion.ok.all() and np.array_equal(z, w * t)
        root = np.sqrt(b**2 - (a * np.sin(z)) ** 2)
        # The angle has digits of 4e-9 rad there, and they count as they are.
        assert motion.position("B")[:, 0] == pytest.approx(a * np.cos(z) + root, abs=1e-11)
        rate = -a * w * np.sin(z) * (1 + a * np.cos(z) / root)
        assert motion.velocity("B")[:, 0] == pytest.approx(rate, abs=1e-8)
        assert motion.angle("rod") == pytest.approx(-np.arcsin(a * np.sin(z) / b), abs=1e-9)
        crank = motion.angle("crank")
        assert crank - crank[0] == pytest.approx(z - z[0])
    assert motion.K("B")[:, 0, 0] == pytest.approx(rate / w, abs=1e-10)


@pytest.mark.parametrize(
    "name", ["jansen_leg", "eight_bar_double_triad", "five_bar_two_drivers", "cam_roller_follower"]
)
def test_a_motion_that_repeats_is_solved_once_however_long_it_is(name: str) -> None:
    m = sk.load(path(name))
    period = m.solve(2).t[-1]
    motion = m.solve(7, duration=40000.3 * period)
    assert motion.ok.all()
    for k in range(7):
        ways = {}
        for id, drive in m.drivers.items():
            turned = motion.drivers[id][0][k] - drive.start
            ways[id] = drive.start + np.linspace(0, turned - 2 * np.pi * round(turned / (2 * np.pi)), 60)
        near = m.solve(drivers=ways)
        for point in m.points:
            assert np.abs(near.position(point)[-1] - motion.position(point)[k]).max() < 1e-9 * m.size


@pytest.mark.parametrize("size", [1e-9, 1e9])
def test_a_long_motion_of_any_size(size: float) -> None:
    m = sk.Mechanism(
        points={"A": (0, 0), "B": (size, 0.1 * size), "C": (3 * size, 2 * size), "D": (3.5 * size, 0)},
        links={"ground": ["A", "D"], "crank": ["A", "B"], "coupler": ["B", "C"], "rocker": ["C", "D"]},
        drivers={"motor": {"joint": "A", "speed": 1.0}},
    )
    assert m.solve(7, duration=1e7).ok.all()


def test_long_motions_of_which_a_period_does_not_tell_are_refused() -> None:
    geared = sk.load(path("geared_five_bar"))
    rocking = sk.Mechanism(
        points={"A": (0, 0), "B": (1, 0.2), "C": (2, 1.5), "D": (2.5, 0)},
        links={"ground": ["A", "D"], "crank": ["A", "B"], "coupler": ["B", "C"], "rocker": ["C", "D"]},
        drivers={"motor": {"joint": "A", "speed": 1.0}},
    )
    assert not rocking.solve(50).ok.all()
    for m in (geared, rocking):
        with pytest.raises(sk.InputError, match="turns, which takes"):
            m.solve(13, duration=1e6)
