"""The smooth motion through flat poses: parallelograms, Peaucellier's cell, the equal-rod slider-crank, windows."""

import numpy as np
import pytest
from cases import few
from random_mechanisms import DYADS, build
from scipy import optimize
from windows import windows

import structkin as sk
from structkin.solve.engine import discriminant


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
    np.testing.assert_allclose(motion.angle("coupler"), 0, atol=1e-13)
    assert np.max(motion.residual()) < 1e-13 and motion.ok.all()
    np.testing.assert_allclose(motion.omega("rocker"), 1, atol=1e-12)
    np.testing.assert_allclose(motion.alpha("rocker"), 0, atol=1e-10)
    np.testing.assert_allclose(motion.angular_jerk("rocker"), 0, atol=1e-8)


def test_two_turns_pass_four_flat_poses():
    motion = parallelogram().solve(duration=4 * np.pi, samples=501)
    np.testing.assert_allclose(motion.angle("coupler"), 0, atol=1e-11)


def with_short_bars(short, turn):
    """Return a four-bar that meets its limits, and triangles of bars on its crank, one of them with a short bar."""
    A = complex(1, 0)
    C, E = A + short * np.exp(1j * turn), 0.3 + 0.4j
    F = E + short * np.exp(2j * turn)
    points = {"O": 0j, "A": A, "B": 3 + 1j, "D": 4.6 + 0j, "C": C, "E": E, "F": F}
    links = {"ground": ["O", "D"], "crank": ["O", "A"], "rod": ["A", "B"], "rocker": ["B", "D"]}
    links |= {
        "oc": ["O", "C"],
        "ac": ["A", "C"],
        "oe": ["O", "E"],
        "ae": ["A", "E"],
        "cf": ["C", "F"],
        "ef": ["E", "F"],
    }
    return sk.Mechanism(
        points={name: (z.real, z.imag) for name, z in points.items()},
        links=links,
        drivers={"motor": {"joint": "O", "links": ["ground", "crank"]}},
    )


@pytest.mark.parametrize(("short", "turn"), [(3e-4, 2.9), (1e-5, 2.5), (1e-7, 1.5)])
def test_a_short_bar_between_pins_that_keep_their_distance_costs_nothing(short, turn):
    """It was followed in steps as short as the bar, until the call was refused for its budget."""
    m = with_short_bars(short, turn)
    angles = np.linspace(0, 4 * np.pi, 361)
    motion = m.solve(drivers={"motor": angles})
    closes = np.abs(4.6 - np.exp(1j * angles)) <= np.abs(2 + 1j) + np.abs(1.6 - 1j)
    np.testing.assert_array_equal(motion.ok, closes)
    assert 0 < closes.sum() < len(angles)
    for name, z in {"C": m.points["C"], "F": m.points["F"]}.items():
        turned = complex(*z) * np.exp(1j * angles[closes])
        np.testing.assert_allclose(motion.position(name)[closes] @ [1, 1j], turned, atol=1e-12)


@pytest.mark.parametrize("seeds", [[1, 3, 14, 15, 41, 46], *few([range(100, 900)], 0, 0)])
def test_dyads_that_are_rigid_with_a_link_have_one_discriminant(seeds):
    """In two of these, pins without a link of their own are ends, too."""
    moved = 0
    for seed in seeds:
        motion = build(seed, 3 + seed % 5, menu=DYADS if seed % 2 else None).mechanism().solve(60)
        plan = motion.plan
        for index in plan.rigid:
            values = discriminant(plan, index, motion.lanes)
            values = values[np.isfinite(values)]
            assert not len(values) or np.ptp(values) < 1e-9, seed
            moved += bool(plan.part(index))
    assert moved


def test_the_path_from_the_sketch_to_the_first_sample_counts():
    """The law starts beyond the flat pose when the sketch is at 90 degrees."""
    motion = parallelogram("-1 - t").solve(50, duration=1)
    np.testing.assert_allclose(motion.angle("coupler"), 0, atol=1e-11)


@pytest.mark.parametrize("samples", [50, 5050])
def test_the_path_to_the_first_sample_and_over_a_leap_counts_at_any_number_of_samples(samples):
    """Beyond 5000 samples neither was followed, however few of them were far apart; status ok."""
    m, half = parallelogram(), samples // 2
    late = np.linspace(-0.5, -1.5, samples)
    leap = np.concatenate((np.linspace(np.pi / 2, 2.0, half), np.linspace(4.0, 5.0, samples - half)))
    for values in (late, leap):
        motion = m.solve(drivers={"motor": values})
        assert motion.ok.all()
        np.testing.assert_allclose(motion.angle("coupler"), 0, atol=1e-11)
        motions = m.solve_many(drivers={"motor": values}, points={"C": np.array([[2.0, 1.0]])})
        np.testing.assert_allclose(motions.angle("coupler")[0], 0, atol=1e-11)


def test_driver_values_without_times_pass_flat_poses():
    values = np.linspace(1.0, 8.0, 200)
    motion = parallelogram().solve(drivers={"motor": values})
    np.testing.assert_allclose(motion.angle("coupler"), 0, atol=1e-11)


def test_a_driver_that_turns_back_at_the_flat_pose_retraces_its_path():
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


@pytest.mark.full
def test_random_walks_of_the_crank_stay_on_the_parallel_branch():
    rng = np.random.default_rng(3)
    for _ in range(40):
        motion = parallelogram().solve(drivers={"motor": rng.uniform(-10, 10, 12)})
        np.testing.assert_allclose(motion.angle("coupler"), 0, atol=1e-9)


@pytest.mark.parametrize("end", [-9.44882, 9.4338, 9.43197, 300.0])
def test_the_last_sample_may_lie_just_beyond_a_flat_pose(end):
    motion = parallelogram().solve(drivers={"motor": [1.0, end]})
    np.testing.assert_allclose(motion.angle("coupler"), 0, atol=1e-11)


def test_a_near_flat_pose_keeps_the_mode():
    """With the coupler longer by 1e-6 the linkage is Grashof with separate branches: it never crosses."""
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
    """a = 5, b = 2, r = 2.5: P and Q meet where OP^2 = a^2 - b^2; Q still stays on x = (a^2 - b^2) / (2 r)."""
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


def circle_of_powers(center):
    """Positions ever closer to a pose, from both sides, and the pose itself."""
    near = np.concatenate(([1.0], 10.0 ** -np.arange(1, 12)))
    return center + np.concatenate((-near, [0.0], near[::-1]))


def test_equal_rods_keep_k_and_l_through_the_folded_pose():
    """The slider stays at 2 l cos(theta) and the rod mirrors the crank: position, K, L and jerk are known."""
    m = sk.Mechanism(
        points={"A": (0, 0), "B": (1, 1), "C": (2, 0)},
        links={"ground": ["A"], "crank": ["A", "B"], "rod": ["B", "C"], "slide": ["C"]},
        joints={"guide": {"type": "prismatic", "links": ["slide", "ground"], "axis": [1, 0]}},
        drivers={"motor": {"joint": "A", "speed": 1.0}},
    )
    for z in (np.radians(np.arange(45.0, 405.5)), circle_of_powers(np.pi / 2), circle_of_powers(1.5 * np.pi)):
        one, size = np.ones(len(z)), 2 * np.sqrt(2)
        motion = m.solve(drivers={"motor": (z, one, 0 * one, 0 * one)})
        assert motion.ok.all()
        np.testing.assert_allclose(motion.position("C")[:, 0], size * np.cos(z), atol=1e-11)
        np.testing.assert_allclose(motion.K("C")[:, 0, 0], -size * np.sin(z), atol=1e-8)
        np.testing.assert_allclose(motion.K("rod")[:, 0], -1, atol=1e-8)
        np.testing.assert_allclose(motion.L("C")[:, 0, 0, 0], -size * np.cos(z), atol=1e-8)
        np.testing.assert_allclose(motion.L("rod")[:, 0, 0], 0, atol=1e-8)
        np.testing.assert_allclose(motion.convective("C")[:, 0], -size * np.cos(z), atol=1e-8)
        np.testing.assert_allclose(motion.jerk("C")[:, 0], size * np.sin(z), atol=1e-6)


@pytest.mark.parametrize("count", few([1, 2, 5, 8, 40], 3))
def test_windows_turn_together(count):
    """All bars stay level and all cranks parallel: position, K, L and jerk of the last corner are known."""
    m = windows(count)
    paths = [np.radians(np.arange(90.0, 450.5)), np.linspace(1, 20, 37), circle_of_powers(np.pi), circle_of_powers(0.0)]
    for z in paths:
        one = np.ones(len(z))
        motion = m.solve(drivers={"motor": (z, one, 0 * one, 0 * one)})
        assert motion.ok.all()
        end = f"B{count}"
        E, across = np.stack((np.cos(z), np.sin(z)), axis=1), np.stack((-np.sin(z), np.cos(z)), axis=1)
        np.testing.assert_allclose(motion.position(end) - [count, 0], E, atol=1e-11)
        np.testing.assert_allclose(motion.velocity(end), across, atol=1e-10)
        np.testing.assert_allclose(motion.K(end)[..., 0], across, atol=1e-10)
        np.testing.assert_allclose(motion.L(end)[..., 0, 0], -E, atol=1e-8)
        np.testing.assert_allclose(motion.convective(end), -E, atol=1e-8)
        np.testing.assert_allclose(motion.jerk(end), -across, atol=1e-6)
        np.testing.assert_allclose(motion.K(f"bar{count - 1}"), 0, atol=1e-10)


def test_random_walks_of_windows():
    rng = np.random.default_rng(5)
    for count in (1, 3, 6):
        m = windows(count)
        for _ in range(4):
            z = rng.uniform(-9, 9, 8)
            motion = m.solve(drivers={"motor": z})
            assert motion.ok.all()
            np.testing.assert_allclose(
                motion.position(f"B{count}") - [count, 0], np.exp(1j * z)[:, None].view(float), atol=1e-11
            )


def test_a_motion_may_begin_or_end_at_a_flat_pose():
    for values in (np.linspace(0, 1, 5), np.linspace(1, 0, 5), np.array([0.0]), np.array([0.0, 0.0, 0.0])):
        motion = parallelogram().solve(drivers={"motor": (values, np.ones(len(values)))})
        assert motion.ok.all()
        np.testing.assert_allclose(motion.omega("rocker"), 1, atol=1e-12)
        np.testing.assert_allclose(motion.L("coupler"), 0, atol=1e-10)


def test_two_drivers_move_a_parallelogram():
    """A parallelogram on a link that also turns: K and L by both drivers, across the flat pose."""
    m = sk.Mechanism(
        points={"O": (0, 0), "A": (1, 0), "D": (3, 0), "B": (1.5, 1), "C": (3.5, 1)},
        links={
            "ground": ["O"],
            "arm": ["O", "A", "D"],
            "crank": ["A", "B"],
            "coupler": ["B", "C"],
            "rocker": ["D", "C"],
        },
        drivers={
            "turn": {"joint": "O", "law": "0.3*sin(t)"},
            "motor": {"links": ["arm", "crank"], "law": "1 + 2*t"},
        },
    )
    motion = m.solve(duration=3, samples=301)
    assert motion.ok.all()
    np.testing.assert_allclose(motion.K("coupler"), np.array([[1.0, 0.0]] * 301), atol=1e-11)
    np.testing.assert_allclose(motion.K("rocker"), np.array([[1.0, 1.0]] * 301), atol=1e-11)
    np.testing.assert_allclose(motion.L("rocker"), 0, atol=1e-9)
    arm, crank = 0.3 * np.sin(motion.t), motion.t * 2 + 1
    place = 3 * np.exp(1j * arm) + abs(0.5 + 1j) * np.exp(1j * (arm + crank))
    np.testing.assert_allclose(motion.position("C"), place[:, None].view(float), atol=1e-12)


def test_a_triad_driven_by_a_flat_parallelogram():
    """A general group that follows a parallelogram: its results are smooth at the change point too."""
    m = sk.Mechanism(
        points={
            "A": (0, 0), "B": (0.96, 0.28), "C": (2.96, 0.28), "D": (2, 0), "P": (1.96, 0.88), "Q": (2.2, 2.9),
            "R": (1.0, 3.1), "S": (1.7, 3.8), "F": (0.6, 3.7), "G": (-1.7, 5.5),
        },
        links={
            "ground": ["A", "D", "F", "G"], "crank": ["A", "B"], "coupler": ["B", "C", "P"], "rocker": ["D", "C"],
            "leg1": ["P", "Q"], "leg2": ["F", "R"], "leg3": ["G", "S"], "platform": ["Q", "R", "S"],
        },
        drivers={"motor": {"joint": "A", "law": "0.3*cos(t)"}},
        duration=6.28,
    )  # fmt: skip
    motion = m.solve(samples=400)
    assert motion.ok.all()
    for value, rate in (
        (motion.angle, motion.omega),
        (motion.omega, motion.alpha),
        (motion.alpha, motion.angular_jerk),
    ):
        slope = np.convolve(value("platform"), [1, -9, 45, 0, -45, 9, -1], "valid") / (60 * motion.t[1])
        np.testing.assert_allclose(rate("platform")[3:-3], slope, atol=1e-6)
    np.testing.assert_allclose(motion.angle("coupler"), 0, atol=1e-12)


def parallel_triad(**motor):
    """A plate on two parallel legs, moved by a rod from a crank: a triad that is flat twice a turn of the crank."""
    return sk.Mechanism(
        points={
            "A": (0, 0), "D": (2, 0), "B": (0.2, 0.9), "C": (2.2, 0.9), "P": (1.2, 1.9), "E": (1.2, 1.3),
            "F": (2.2, 2.0),
        },
        links={
            "ground": ["A", "D", "E"], "left": ["A", "B"], "right": ["D", "C"], "plate": ["B", "C", "P"],
            "crank": ["E", "F"], "rod": ["F", "P"],
        },
        drivers={"motor": {"joint": "E", **motor}},
    )  # fmt: skip


def one_leg(**motor):
    """The same motion by a four-bar: P goes around (1, 1) as the tips of the legs go around their pivots."""
    return sk.Mechanism(
        points={"O": (1, 1), "P": (1.2, 1.9), "E": (1.2, 1.3), "F": (2.2, 2.0)},
        links={"ground": ["O", "E"], "leg": ["O", "P"], "rod": ["F", "P"], "crank": ["E", "F"]},
        drivers={"motor": {"joint": "E", **motor}},
    )


@pytest.mark.parametrize("samples", [60, 61, 400])
def test_a_triad_goes_through_its_change_points(samples):
    triad, four_bar = parallel_triad(speed=1.0), one_leg(speed=1.0)
    assert "class III order 3" in [group.kind for group in triad.structure().groups]
    motion, expected = triad.solve(samples), four_bar.solve(samples)
    assert motion.ok.all()
    np.testing.assert_allclose(motion.angle("plate"), motion.angle("plate")[0], atol=1e-12)
    np.testing.assert_allclose(motion.position("P"), expected.position("P"), atol=1e-12)
    np.testing.assert_allclose(motion.alpha("left"), expected.alpha("leg"), atol=1e-8)


@pytest.mark.parametrize("around", [(2.5, 2.6), (4.9, 5.0)])
def test_k_and_l_of_a_triad_at_its_change_point(around):
    """Also with samples on the flat pose and ever closer to it."""
    triad, four_bar = parallel_triad(), one_leg()

    def height(z):
        return np.sin(four_bar.solve(drivers={"motor": [z]}).angle("leg")[0])

    flat = optimize.brentq(height, *around, xtol=1e-15)
    near = 10.0 ** -np.arange(1, 12)
    start = four_bar.drivers["motor"].start
    z = np.concatenate((np.linspace(start, flat - 0.2, 30), flat - near, [flat], flat + near[::-1]))
    rates = z, np.ones(len(z)), np.zeros(len(z)), np.zeros(len(z))
    motion, expected = (m.solve(drivers={"motor": rates}) for m in (triad, four_bar))
    assert motion.ok.all() and motion.lanes.around is not None
    np.testing.assert_allclose(motion.position("P"), expected.position("P"), atol=1e-12)
    np.testing.assert_allclose(motion.K("left"), expected.K("leg"), atol=1e-10)
    np.testing.assert_allclose(motion.L("left"), expected.L("leg"), atol=1e-8)
    np.testing.assert_allclose(motion.K("plate"), 0, atol=1e-10)
    np.testing.assert_allclose(motion.angular_jerk("left"), expected.angular_jerk("leg"), atol=1e-6)
    found = motion.classify(30 + len(near))
    kept, other = found.branches
    assert found.kind == "change point"
    assert abs(other.K("plate")[0, 0]) > 1
    np.testing.assert_allclose(kept.L("left")[0], expected.L("leg")[30 + len(near)], atol=1e-8)


def test_a_limit_position_is_not_a_change_point():
    m = sk.Mechanism(
        points={"A": (0, 0), "B": (3, 1), "C": (4, 3), "D": (5, 0)},
        links={"ground": ["A", "D"], "crank": ["A", "B"], "coupler": ["B", "C"], "rocker": ["C", "D"]},
        drivers={"motor": {"joint": "A", "speed": 1.0}},
    )
    motion = m.solve(361)
    assert not motion.ok.all() and motion.lanes.around is None
    side = motion.position("C") - motion.position("B")
    W = motion.position("D") - motion.position("B")
    assert len(set(np.sign((W[:, 0] * side[:, 1] - W[:, 1] * side[:, 0])[motion.ok]))) == 1
