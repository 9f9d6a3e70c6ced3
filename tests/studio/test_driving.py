"""Driving by the pointer: the pose stays on the motion and its branch, and stops where the motion ends."""

from __future__ import annotations

import cmath
import math

import numpy as np
import pytest

import structkin as sk
from structkin.examples import path
from structkin.studio import wire
from structkin.studio.driving import Driving
from structkin.studio.layers import Layers


def place(driving: Driving, link: str, local: complex) -> complex:
    x, y, angle = driving.frames[link]
    return complex(x, y) + local * cmath.exp(1j * angle)


def gap(driving: Driving) -> float:
    """Return the distance of the frames from the pose that `solve` finds for the same drivers [m]."""
    motion = driving.mechanism.solve(drivers={id: [value] for id, value in driving.values.items()})
    assert motion.ok.all(), motion.report
    return max(abs(place(driving, link, 0j) - complex(*motion.position(0j, link)[0])) for link in driving.links)


@pytest.mark.parametrize("name", ["crank_rocker", "watt_six_bar", "stephenson_iii_triad", "jansen_leg", "scotch_yoke",
                                  "cam_roller_follower", "geared_five_bar", "slider_crank_offset"])  # fmt: skip
def test_a_crank_follows_the_pointer_around_and_stays_on_its_branch(name: str):
    m = sk.load(path(name))
    driving = Driving(m)
    link = next(group for group in m.structure().groups if group.drivers).links[0]
    local = 0.3 * driving.size + 0j
    start = place(driving, link, local)
    center = place(driving, link, 0j)
    for k in range(1, 41):
        target = center + (start - center) * cmath.exp(2j * math.pi * k / 40)
        assert driving.drag(link, local, target, 60).done
        assert abs(place(driving, link, local) - target) < 2e-3 * driving.size
        if k % 8 == 0:
            assert gap(driving) < 1e-6 * driving.size


@pytest.mark.parametrize("far", [1.2, 2, 10, 1000])
def test_a_pointer_beyond_reach_is_followed_by_the_nearest_point(far: float):
    driving = Driving(sk.load(path("crank_rocker")))
    for k in range(12):
        found = driving.drag("crank", 0.04 + 0j, 0.04 * far * cmath.exp(1j * (1.05 + 0.3 * k)), 60)
        assert found.done and found.poses < 30
        assert driving.frames["crank"][2] == pytest.approx(math.remainder(1.05 + 0.3 * k, 2 * math.pi), abs=5e-3)


def test_a_coupler_point_is_projected_on_its_path():
    m = sk.load(path("crank_rocker"))
    driving = Driving(m)
    local = complex(m.links["coupler"].local["P"])
    curve = m.solve(drivers={"motor": np.linspace(0, 2 * math.pi, 20001)}).position("P")
    rng = np.random.default_rng(1)
    here = place(driving, "coupler", local)
    for _ in range(30):
        target = here + complex(*rng.normal(size=2)) * 0.01
        driving.drag("coupler", local, target, 60)
        here = place(driving, "coupler", local)
        assert np.min(np.hypot(*(curve - [here.real, here.imag]).T)) < 1e-5
        # the remaining error is normal to the path, or no nearer point is found in either direction
        assert abs(here - target) <= 1.02 * _local_least(curve, here, target) + 2e-4


def _local_least(curve: np.ndarray, here: complex, target: complex) -> float:
    """Return the local minimum of the distance from the path to a target, descending from a position."""
    z = curve @ np.array([1, 1j])
    k, n = int(np.argmin(np.abs(z - here))), len(z) - 1
    for step in (1, -1):
        while abs(z[(k + step) % n] - target) < abs(z[k % n] - target):
            k += step
    return float(abs(z[k % n] - target))


def test_the_motion_stops_at_its_limit_with_the_reason_and_returns():
    m = sk.load(path("triple_rocker"))
    driving, (driver,) = Driving(m), m.drivers
    upper = m.limits().upper
    assert upper is not None
    found = driving.turn(driver, upper.value + 0.5, 60)
    assert found.done and upper.why in found.stopped
    assert driving.values[driver] == pytest.approx(upper.value, abs=2e-3)
    assert driving.turn(driver, upper.value + 0.5, 60).poses == 0
    assert driving.turn(driver, m.drivers[driver].start, 60).stopped == ""
    assert gap(driving) < 1e-9


def test_a_cylinder_stops_at_the_end_of_its_stroke_while_others_move():
    m = sk.load(path("excavator"))
    first, *others = m.drivers
    start, data = m.drivers[first].start, m.source_dict
    data["joints"]["boom_bore"]["stroke"] = ["-30 mm", "30 mm"]
    driving = Driving(sk.Mechanism.from_dict(data, folder=path("excavator").parent))
    found = driving.turn(first, start + 1, seconds=20)
    assert driving.values[first] == pytest.approx(start + 0.03, abs=1e-3) and "upper end of its stroke" in found.stopped
    before, link = driving.values, driving.links[-1]
    driving.drag(link, 0j, place(driving, link, 0j) - 0.05j * driving.size, seconds=5)
    assert driving.values[first] <= start + 0.03 + 1e-9
    assert any(driving.values[id] != before[id] for id in others)


def test_a_mechanism_without_drivers_moves_by_free_coordinates():
    data = sk.load(path("five_bar_two_drivers")).source_dict
    del data["drivers"]
    driving = Driving(sk.Mechanism.from_dict(data))
    assert len(driving.free) == 2
    tip = driving.mechanism.links["left_rod"].local["C"]
    target = place(driving, "left_rod", tip) + 0.05 * driving.size * (1 - 1j)
    assert driving.drag("left_rod", tip, target, 60).done
    assert abs(place(driving, "left_rod", tip) - target) < 1e-3 * driving.size
    poses = list(driving.wiggle(driving.free[0]))
    assert len(poses) > 20 and poses[0]["left_rod"] == pytest.approx(driving.frames["left_rod"])
    assert poses[8]["left_rod"] != pytest.approx(driving.frames["left_rod"], abs=1e-3)


def test_two_parallelograms_driven_at_a_moving_pin_stay_level():
    """A step of the driver passes over the flat pose, where the root of the dyad goes steeply through zero."""
    B, C, D = 0.4557 - 1.3236j, 1.5687 - 1.3236j, 1.113
    S, U, H = 2.5418 - 0.8746j, 3.6307 - 0.8746j, 2.2019
    places = {"A": 0j, "B": B, "C": C, "D": D + 0j, "S": S, "U": U, "H": H + 0j}
    m = sk.Mechanism(
        points={name: (z.real, z.imag) for name, z in places.items()},
        links={"ground": ["A", "D", "H"], "crank": ["A", "B"], "rod": ["B", "C"], "middle": ["D", "C", "S"],
               "second": ["S", "U"], "last": ["H", "U"]},
        drivers={"motor": {"joint": "B"}},
    )  # fmt: skip
    for way in (7.0, -7.0):
        driving = Driving(m)
        assert driving.turn("motor", driving.values["motor"] + way, seconds=60).done
        assert abs(place(driving, "second", 0j) - place(driving, "middle", m.links["middle"].local["S"])) < 1e-9
        assert driving.frames["rod"][2] == pytest.approx(0, abs=1e-9)
        assert driving.frames["second"][2] == pytest.approx(0, abs=1e-9)


def test_an_over_constrained_mechanism_that_moves_is_driven():
    m = sk.Mechanism(
        points={"A": (0, 0), "B": (1, 2), "C": (4, 0), "D": (5, 2), "E": (8, 0), "F": (9, 2)},
        links={"ground": ["A", "C", "E"], "a": ["A", "B"], "c": ["C", "D"], "e": ["E", "F"], "bar": ["B", "D", "F"]},
        drivers={"motor": {"joint": "A", "speed": 1}},
    )
    driving = Driving(m)
    for k in range(1, 25):
        driving.drag("a", m.links["a"].local["B"], abs(1 + 2j) * cmath.exp(1j * (1.1 + math.pi * k / 12)), seconds=5)
    assert driving.values["motor"] == pytest.approx(cmath.phase(1 + 2j) + 2 * math.pi, abs=0.1)
    assert driving.frames["bar"][2] == pytest.approx(0, abs=1e-9)


def test_what_cannot_be_driven_gives_the_reason():
    loose = sk.Mechanism(points={"A": (0, 0), "B": (1, 0), "C": (2, 0), "D": (3, 1)},
                         links={"ground": ["A"], "bar": ["A", "B"], "float": ["C", "D"]})  # fmt: skip
    with pytest.raises(sk.InputError, match="float"):
        Driving(loose)
    with pytest.raises(sk.InputError, match="is not a moving link"):
        Driving(sk.load(path("crank_rocker"))).drag("ground", 0j, 1j)
    apart = sk.Mechanism.from_dict({**sk.load(path("triple_rocker")).source_dict, "lengths": {"A-B": 10, "B-C": 10}})
    with pytest.raises(sk.InputError, match="crank-coupler-rocker: cannot be assembled: the longest link, 95 mm"):
        Driving(apart)


@pytest.mark.parametrize("name", ["five_bar_two_drivers", "excavator", "jansen_leg", "cam_lever_press", "garage_door"])
def test_the_laws_lead_all_drivers_to_a_time_forwards_and_back(name: str):
    """Wherever it was dragged, the mechanism is at a time where `solve` has it then."""
    m = sk.load(path(name))
    driving = Driving(m)
    assert driving.clock is not None
    from_, to, _ = driving.clock
    link = driving.links[-1]
    for part in (0.3, 0.9, 0.1):
        t = from_ + part * (to - from_)
        found = driving.seek(t, 60)
        assert found.done and not found.stopped and driving.time == t
        motion = m.solve(t=[t])
        want = complex(*motion.position(0j, link)[0])
        assert place(driving, link, 0j) == pytest.approx(want, abs=1e-9 * driving.size)
        driving.turn(driving.order[0], driving.values[driving.order[0]] + 0.01, 60)


def test_a_mechanism_whose_drivers_have_no_law_has_no_clock():
    m = sk.Mechanism(points={"A": (0, 0), "B": (1, 0)}, links={"ground": ["A"], "arm": ["A", "B"]},
                     drivers={"motor": {"joint": "A"}})  # fmt: skip
    driving = Driving(m)
    assert driving.clock is None and driving.time is None
    with pytest.raises(sk.InputError, match="no driver has a law"):
        driving.seek(1.0)


@pytest.mark.parametrize("name", ["excavator", "one_cylinder_engine", "cam_roller_follower", "five_bar_two_drivers"])
def test_the_rates_of_a_pose_are_those_of_the_motion_at_its_time(name: str):
    m = sk.load(path(name))
    driving = Driving(m)
    start, end, _ = driving.clock
    driving.seek(start + 0.37 * (end - start), 60)
    here, motion = driving.moving, m.solve(t=[start + 0.37 * (end - start)])
    for point in m.places:
        for rate in ("velocity", "acceleration"):
            want = getattr(motion, rate)(point)
            assert getattr(here, rate)(point) == pytest.approx(want, rel=1e-9, abs=1e-9 * m.size)


def test_arrows_of_slow_and_fast_poses_are_in_the_units_of_the_file():
    m = sk.load(path("crank_rocker")).with_drivers({"motor": {"joint": "A", "law": "60 + 600*t + 300*t**2"}})
    driving, arm = Driving(m), 1000 * abs(m.places["B"] - m.places["A"])
    for t in (0.0, 0.4, 1.0, 3.0):
        driving.seek(t, 60)
        found = Layers(frozenset({"velocity", "acceleration"})).of(driving)["rates"]
        assert found["units"] == ["mm/s", "mm/s²"]
        vx, vy, ax, ay = found["points"]["B"]
        omega, alpha = np.radians([600 + 600 * t, 600])
        assert np.hypot(vx, vy) == pytest.approx(arm * omega, rel=1e-4)
        assert np.hypot(ax, ay) == pytest.approx(arm * np.hypot(omega**2, alpha), rel=1e-4)


def test_rates_are_known_where_speeds_are_constant_or_the_laws_lead_to_the_pose():
    m = sk.load(path("crank_rocker"))
    driving = Driving(m)
    driving.turn("motor", driving.values["motor"] + 1.0, 60)
    assert driving.moving.omega("crank")[0] == pytest.approx(m.drivers["motor"].law.speed)
    swings = Driving(m.with_drivers({"motor": {"joint": "A", "law": "60 + 20*sin(t)"}}))
    swings.seek(0.0, 60)
    assert swings.moving.omega("crank")[0] == pytest.approx(np.radians(20.0))
    swings.turn("motor", swings.values["motor"] + 0.1, 60)
    assert swings.moving is None
    assert Driving(m.with_drivers({"motor": {"joint": "A"}})).moving is None


def test_independent_parts_are_dragged_to_their_limits_and_away_by_any_link():
    """A drag ends where no small turn of the crank leads nearer, by the law of cosines, and leaves the other part."""
    lengths, start, away = (1.0, 0.9, 1.2, 2.0), 0.8, 4.0  # the crank does not turn fully
    at = four_bar(*lengths, start)
    places = {f"{name}{k}": z + k * away for k in range(2) for name, z in zip("ABCD", (0j, *at, 2 + 0j), strict=True)}
    links = {"ground": ["A0", "D0", "A1", "D1"]}
    for k in range(2):
        links |= {f"crank{k}": [f"A{k}", f"B{k}"], f"rod{k}": [f"B{k}", f"C{k}"], f"rocker{k}": [f"D{k}", f"C{k}"]}
    drivers = {f"motor{k}": {"joint": f"A{k}"} for k in range(2)}
    m = sk.Mechanism(points={id: (z.real, z.imag) for id, z in places.items()}, links=links, drivers=drivers)
    driving, rng, ends = Driving(m), np.random.default_rng(4), 0
    for _ in range(80):
        k, link, far = int(rng.integers(2)), str(rng.choice(["crank", "rocker"])), float(rng.choice([0.3, 1.0, 5.0]))
        target = k * away + 1 + far * complex(*rng.normal(size=2))
        pin, before = {"crank": "B", "rocker": "C"}[link], driving.values
        found = driving.drag(f"{link}{k}", complex(m.links[f"{link}{k}"].local[f"{pin}{k}"]), target, 10.0)
        turn, other = driving.values[f"motor{k}"], f"motor{1 - k}"
        assert found.done and driving.values[other] == pytest.approx(before[other], abs=1e-7)
        left = abs(four_bar(*lengths, turn)[link == "rocker"] + k * away - target)
        # Near its limit the rocker turns like a square root, and may come nearer again beyond a place farther away.
        step = 0.02 if link == "crank" else 0.002
        for there in (four_bar(*lengths, turn - step), four_bar(*lengths, turn + step)):
            ends += np.isnan(there[1])
            # the pointer is projected onto the path to within a part of the way
            assert not abs(there[link == "rocker"] + k * away - target) < 0.995 * left - 1e-3 or np.isnan(there[1])
    assert ends > 10


def four_bar(a: float, b: float, c: float, d: float, turn: float) -> tuple[complex, complex]:
    """Return crank pin and rocker pin of a four-bar, NaN where it does not close."""
    B = a * cmath.exp(1j * turn)
    ahead = d - B
    along = 0.5 + 0.5 * (b * b - c * c) / abs(ahead) ** 2
    across = b * b / abs(ahead) ** 2 - along**2
    return B, B + ahead * complex(along, math.sqrt(across)) if across >= 0 else complex(math.nan, math.nan)


@pytest.mark.parametrize("name, link, point, target", [("five_bar_two_drivers", "right_rod", "C", 0.1 + 0.09j),
                                                       ("excavator", "bucket", "M", -1.95 - 10.07j),
                                                       ("platform_3rrr", "plate", "C3", 0.23 + 0.05j)])  # fmt: skip
def test_what_is_pulled_towards_a_pointer_out_of_reach_settles_soon(name, link, point, target):
    """Without the second derivatives of its gap it crept there and back: 374 poses and more in 4 s, and no end."""
    driving = Driving(sk.load(path(name)))
    progress = driving.drag(link, driving.mechanism.links[link].local[point], target, seconds=60.0)
    assert progress.done and progress.poses < 80


def test_the_effort_that_holds_a_tiny_rod_is_no_zero():
    """It is far below a billionth of a newton metre; that of the rod that hangs is a rounding error."""
    m = sk.Mechanism.from_dict(
        {
            "units": {"length": "um", "angle": "deg"},
            "points": {"A": [0, 0], "B": [10, 0]},
            "links": {"ground": ["A"], "rod": {"points": ["A", "B"], "shape": "rod", "mass": 1e-15}},
            "drivers": {"motor": {"joint": "A"}},
            "forces": {"gravity": [0, -9.81]},
        }
    )
    across, hanging = (
        wire.efforts(m.solve(drivers={"motor": [angle]}).forces(static=True))[0] for angle in (0.0, -math.pi / 2)
    )
    assert across == {"driver": "motor", "value": pytest.approx(1e-15 * 9.81 * 5e-6, abs=0), "unit": "N m"}
    assert hanging["value"] == 0
