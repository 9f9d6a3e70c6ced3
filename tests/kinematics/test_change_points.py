"""The smooth motion through flat poses: parallelograms, Peaucellier's cell, the equal-rod slider-crank, windows."""

import numpy as np
import pytest

import structkin as sk
from structkin.kinematics import change_points


def parallelogram(law=1.0, **more):
    driver = {"joint": "A", "speed": law} if isinstance(law, float) else {"joint": "A", "law": law}
    return sk.Mechanism(
        points={"A": (0, 0), "B": (0, 1), "C": (2, 1), "D": (2, 0)},
        links={"ground": ["A", "D"], "crank": ["A", "B"], "coupler": ["B", "C"], "rocker": ["D", "C"]},
        drivers={"motor": driver},
        **more,
    )


@pytest.mark.parametrize("samples", [9, 13, 25, 100, 101, 361, 5000])
def test_the_coupler_of_a_parallelogram_stays_level(samples):
    motion = parallelogram().solve(samples)
    # The nearer a sample is to the flat pose, the more of rounding the angle shows: 1e-16 over the angle left.
    np.testing.assert_allclose(motion.angle("coupler"), 0, atol=2e-14 * samples)
    assert np.max(motion.residual()) < 1e-12
    flat = np.sin(motion.t + np.pi / 2) ** 2 < 1e-13
    assert (motion.ok == ~flat).all()
    np.testing.assert_allclose(motion.omega("rocker")[motion.ok], 1, atol=1e-7)


def test_two_turns_pass_four_flat_poses():
    motion = parallelogram().solve(duration=4 * np.pi, samples=501)
    np.testing.assert_allclose(motion.angle("coupler"), 0, atol=1e-11)


def test_the_way_from_the_sketch_to_the_first_sample_counts():
    """The law starts beyond the flat pose, seen from the sketch at 90 degrees."""
    motion = parallelogram("-1 - t").solve(50, duration=1)
    np.testing.assert_allclose(motion.angle("coupler"), 0, atol=1e-11)


def test_driver_values_without_times_pass_flat_poses():
    values = np.linspace(1.0, 8.0, 200)
    motion = parallelogram().solve(drivers={"motor": values})
    np.testing.assert_allclose(motion.angle("coupler"), 0, atol=1e-11)


def test_a_driver_that_turns_back_at_the_flat_pose_retraces_its_way():
    for values in ([1, np.pi, 1], [1, 4, 1], np.concatenate((np.linspace(1, np.pi, 50), np.linspace(np.pi, 1, 50)))):
        motion = parallelogram().solve(drivers={"motor": np.array(values)})
        np.testing.assert_allclose(motion.angle("coupler"), 0, atol=1e-11)


@pytest.mark.parametrize(
    "values",
    [
        [1, np.pi + 0.001, 4],
        [1, 3.143, 3.3, 4],
        [1, 9.4338, 9.5],
        [1, np.pi, 4],
        [1, np.pi + 1e-6, 4],
        [1, np.pi - 2e-5, 4],
    ],
)
def test_samples_may_lie_anywhere_around_a_flat_pose(values):
    motion = parallelogram().solve(drivers={"motor": values})
    np.testing.assert_allclose(motion.angle("coupler"), 0, atol=1e-9)
    np.testing.assert_allclose(motion.position("B")[:, 0], np.cos(values), atol=1e-12)


def test_random_walks_of_the_crank_stay_on_the_parallel_branch():
    rng = np.random.default_rng(3)
    for _ in range(40):
        motion = parallelogram().solve(drivers={"motor": rng.uniform(-10, 10, 12)})
        np.testing.assert_allclose(motion.angle("coupler"), 0, atol=1e-9)


@pytest.mark.parametrize("end", [-9.44882, 9.4338, 9.43197, 300.0])
def test_the_last_sample_may_lie_close_behind_a_flat_pose(end):
    motion = parallelogram().solve(drivers={"motor": [1.0, end]})
    np.testing.assert_allclose(motion.angle("coupler"), 0, atol=1e-11)


def test_a_narrow_escape_keeps_its_mode():
    """With the coupler longer by a millionth the linkage is Grashof with separate branches: it never crosses."""
    m = sk.Mechanism(
        points={"A": (0, 0), "B": (0, 1), "C": (2, 1), "D": (2, 0)},
        links={"ground": ["A", "D"], "crank": ["A", "B"], "coupler": ["B", "C"], "rocker": ["D", "C"]},
        lengths={"A-D": 1.999},
        drivers={"motor": {"joint": "A", "speed": 1.0}},
    )
    motion = m.solve(721)
    W, V = motion.position("D") - motion.position("B"), motion.position("C") - motion.position("B")
    side = W[:, 0] * V[:, 1] - W[:, 1] * V[:, 0]
    assert motion.ok.any() and len(set(np.sign(side[motion.ok]))) == 1


def test_peaucellier_of_lipkin_goes_through_its_change_point():
    """a = 5, b = 2, r = 2.5: P and Q meet where OP^2 = a^2 - b^2; Q stays on x = (a^2 - b^2) / (2 r) all the same."""
    height = np.sqrt(4 - 0.4**2)
    m = sk.Mechanism(
        points={"O": (0, 0), "A": (2.5, 0), "P": (5, 0), "B": (4.6, height), "D": (4.6, -height), "Q": (4.2, 0)},
        links={
            "ground": ["O", "A"], "crank": ["A", "P"], "u": ["O", "B"], "l": ["O", "D"],
            "nu": ["P", "B"], "nl": ["P", "D"], "fu": ["Q", "B"], "fl": ["Q", "D"],
        },
        drivers={"motor": {"joint": "A", "speed": 1.0}},
    )  # fmt: skip
    motion = m.solve(t=np.radians(np.arange(-100.0, 101.0)))
    assert motion.ok.all()
    np.testing.assert_allclose(motion.position("Q")[:, 0], 4.2, atol=1e-12)
    P, Q = motion.position("P"), motion.position("Q")
    np.testing.assert_allclose(np.linalg.norm(P, axis=1) * np.linalg.norm(Q, axis=1), 21, atol=1e-11)


def test_the_equal_rod_slider_crank_goes_through_its_singular_pose():
    m = sk.Mechanism(
        points={"A": (0, 0), "B": (1, 1), "C": (2, 0)},
        links={"ground": ["A"], "crank": ["A", "B"], "rod": ["B", "C"], "slide": ["C"]},
        joints={"guide": {"type": "prismatic", "links": ["slide", "ground"], "axis": [1, 0]}},
        drivers={"motor": {"joint": "A", "speed": 1.0}},
    )
    motion = m.solve(400)
    np.testing.assert_allclose(motion.position("C")[:, 0], 2 * np.sqrt(2) * np.cos(motion.angle("crank")), atol=1e-12)


@pytest.mark.parametrize("count", [1, 2, 5, 8])
def test_windows_turn_together(count):
    """A row of squares: all dyads close flat at once, and their pivots meet half a turn later."""
    points, links = {}, {"ground": [f"A{i}" for i in range(count + 1)]}
    for i in range(count + 1):
        points |= {f"A{i}": (i, 0), f"B{i}": (i, 1)}
        links[f"crank{i}"] = [f"A{i}", f"B{i}"]
    for i in range(count):
        links[f"bar{i}"] = [f"B{i}", f"B{i + 1}"]
    m = sk.Mechanism(points=points, links=links, drivers={"motor": {"joint": "A0", "speed": 1.0}})
    motion = m.solve(361)
    way = motion.position(f"B{count}") - motion.position("B0") - [count, 0]
    # Near coinciding pivots each dyad of the chain loses digits: see the theory page.
    assert np.max(np.abs(way)) < 1e-5


def test_a_limit_position_is_no_change_point():
    m = sk.Mechanism(
        points={"A": (0, 0), "B": (3, 1), "C": (4, 3), "D": (5, 0)},
        links={"ground": ["A", "D"], "crank": ["A", "B"], "coupler": ["B", "C"], "rocker": ["C", "D"]},
        drivers={"motor": {"joint": "A", "speed": 1.0}},
    )
    plan = sk.kinematics.compile_plan(m)
    from structkin.kinematics.schedule import make_schedule

    schedule = make_schedule(m, 361, None, None, None)
    flips = change_points.Flips(plan)
    lanes = change_points.run(plan, schedule)
    assert len(change_points._touches(plan, schedule, flips, 1, lanes)) == 0
