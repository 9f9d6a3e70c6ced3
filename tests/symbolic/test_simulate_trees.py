"""Runs in minimal coordinates: energy, both methods for loops, limits, breaking springs, IFToMM A04 and A05."""

from dataclasses import replace

import numpy as np
import pytest
from benchmarks import Z, bricard, governor, pin, rod
from cases import few
from exponentials import random_tree
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.integrate import solve_ivp

from structkin.errors import InputError
from structkin.model.expression import Expression
from structkin.model.laws import ConstantSpeed, ExpressionLaw
from structkin.multibody.joint import SpatialJoint
from structkin.multibody.model import Body, Force, JointLoad, Sensor, SpatialModel, Spring, Stop, Torque
from structkin.symbolic import simulate


@settings(max_examples=12, deadline=None)
@given(seed=st.integers(0, 2**32 - 1))
def test_a_tree_without_loads_keeps_its_energy(seed):
    model = random_tree(seed, (1, 4))
    rng = np.random.default_rng(seed)
    joints = {name: replace(j, rates=tuple(rng.uniform(-1, 1, len(j.motions)))) for name, j in model.joints.items()}
    model = replace(model, joints=joints)
    if not any(j.motions for j in joints.values()):
        return
    motion = simulate(model, 0.3, 4, 1e-10)
    if motion.status == "ok":  # angles about three axes may meet a singular pose
        assert np.ptp(motion.energy) <= 1e-8 * max(1.0, np.abs(motion.energy).max())


@pytest.mark.parametrize("loops", ["explicit", "multipliers"])
def test_bricard_closes_the_energy_balance(loops):
    motion = simulate(bricard(), 10.0, 101, 1e-10, loops=loops)
    finer = simulate(bricard(), 10.0, 101, 1e-11, loops=loops)
    assert motion.status == finer.status == "ok"
    assert motion.closure.max() <= 1e-12
    for one in (motion, finer):
        assert np.ptp(one.energy) <= 1e-8 * np.abs(one.energy).max()
    assert np.abs(motion.q - finer.q).max() <= 1e-7


def test_bricard_is_the_same_by_both_methods():
    explicit, multipliers = (
        simulate(bricard(), 10.0, 51, 1e-11, loops=method) for method in ("explicit", "multipliers")
    )
    assert np.abs(explicit.q - multipliers.q).max() <= 1e-8


def test_the_governor_closes_the_energy_balance():
    motion = simulate(governor(), 2.0, 41, 1e-9)
    finer = simulate(governor(), 2.0, 41, 1e-10)
    balance = motion.energy - motion.work
    assert np.ptp(balance) <= 1e-8 * np.abs(balance).max()
    assert np.abs(motion.q - finer.q).max() <= 1e-8


def pendulum(**more):
    bar = rod("rod", (0, 0, 0), (1, 0, 0))
    return SpatialModel("pendulum", {"rod": bar}, {"A": pin("A", ("ground", "rod"), (0, 0, 0), Z)}, **more)


def law(text):
    return ExpressionLaw(Expression(text))


def test_every_load_is_that_of_an_equation_derived_by_hand():
    none = ConstantSpeed(0.0, 0.0)
    loads = {
        "F": Force("F", "rod", np.array([1.0, 0, 0]), (law("3*t"), none, none)),
        "G": Force("G", "rod", np.array([1.0, 0, 0]), (none, law("2"), none), follows=True),
        "T": Torque("T", "rod", (none, none, law("sin(t)"))),
        "S": Spring("S", ("ground", "rod"), (np.array([0, 1.0, 0]), np.array([1.0, 0, 0])), 5.0, 0.7, 0.4),
        "J": JointLoad("J", "A", 0, 2.0, 0.3, 0.1, law("t*t")),
        "L": Stop("L", "A", -0.2, 0.3, 400.0, 3.0),
    }
    sensors = {
        "angle": Sensor("angle", "angle", ("A",)),
        "tip": Sensor("tip", "velocity", ("rod.end",)),
        "length": Sensor("length", "distance", ("ground.top", "rod.end")),
    }
    model = pendulum(
        gravity=np.array([0, -9.81, 0]), loads=loads, sensors=sensors, points={"top": np.array([0, 1.0, 0])}
    )
    motion = simulate(model, 2.0, 21, 1e-11)

    def slope(t, y):
        q, qd = y
        c, s = np.cos(q), np.sin(q)
        gap = np.array([-c, 1 - s])  # from the tip to the spring's other end
        length = np.hypot(*gap)
        stretching = gap @ (-np.array([-s, c]) * qd) / length
        pull = (5.0 * (length - 0.4) + 0.7 * stretching) * gap / length
        moment = c * pull[1] - s * pull[0] - 3 * t * s + 2.0 + np.sin(t) - 0.5 * 9.81 * c
        moment += t * t - 2.0 * (q - 0.1) - 0.3 * qd
        moment -= max(0.0, 400 * (q - 0.3) + 3 * qd) if q > 0.3 else 0.0
        moment += max(0.0, 400 * (-0.2 - q) - 3 * qd) if q < -0.2 else 0.0
        return qd, moment / (1.01 / 12 + 0.25)

    expected = solve_ivp(slope, (0, 2), (0, 0), "DOP853", motion.t, rtol=1e-11, atol=1e-11).y
    assert np.abs(motion.sensors["angle"] - expected[0]).max() < 1e-8
    tip = np.stack([-np.sin(expected[0]), np.cos(expected[0]), 0 * expected[0]], axis=1) * expected[1][:, None]
    assert np.abs(motion.sensors["tip"] - tip).max() < 1e-7
    assert np.abs(motion.sensors["length"] - np.hypot(np.cos(expected[0]), 1 - np.sin(expected[0]))).max() < 1e-8
    assert np.ptp(motion.energy - motion.work) < 1e-8


def test_a_spring_breaks_when_its_force_first_exceeds_the_limit():
    ends = np.array([1.0, 0.5, 0]), np.array([1.0, 0, 0])
    spring = Spring("S", ("ground", "rod"), ends, 40.0, 0.0, 0.5, breaks_at=6.0)
    motion = simulate(pendulum(gravity=np.array([0, -9.81, 0]), loads={"S": spring}), 1.0, 101, 1e-11)
    at = motion.breaks["S"]
    free = simulate(
        replace(pendulum(gravity=np.array([0, -9.81, 0])), loads={"S": replace(spring, breaks_at=None)}), at, 2, 1e-11
    )
    gap = np.linalg.norm(free.position("rod.end")[-1] - ends[0])
    assert abs(40.0 * (gap - 0.5) - 6.0) < 1e-8
    assert np.ptp(motion.energy - motion.work) < 1e-8


def test_a_top_precesses_as_by_the_closed_formula():
    # steady precession: m g l = I3 omega3 Omega - I1 Omega^2 cos(theta), omega3 the total spin about the axis
    m, g, l, I1, I3, theta, omega = 1.5, 9.81, 0.2, 0.08, 0.02, 0.6, 1.3
    axis = np.array([np.sin(theta), 0, np.cos(theta)])
    spin = (m * g * l + I1 * omega**2 * np.cos(theta)) / (I3 * omega)
    about = I1 - m * l * l
    body = Body("top", m, l * axis, about * np.eye(3) + (I3 - about) * np.outer(axis, axis), {"tip": axis})
    rates = (omega, 0.0, spin - omega * np.cos(theta))
    second = np.array([0.0, 1, 0])
    motions = [("precession", Z, rates[0]), ("nutation", second, 0.0), ("spin", axis, rates[2])]
    bodies = {name: Body(name, 0.0, np.zeros(3), np.zeros((3, 3))) for name, *_ in motions[:-1]} | {"top": body}
    names = ["ground", *bodies]
    joints = {
        name: SpatialJoint(name, "revolute", (names[k], names[k + 1]), np.zeros(3), a, np.roll(a, 1), rates=(rate,))
        for k, (name, a, rate) in enumerate(motions)
    }
    model = SpatialModel("top", bodies, joints, gravity=np.array([0, 0, -g]))
    motion = simulate(model, 5.0, 51, 1e-11)
    turned = omega * motion.t
    tip = np.stack([np.sin(theta) * np.cos(turned), np.sin(theta) * np.sin(turned), np.cos(theta) + 0 * turned], axis=1)
    assert np.abs(motion.position("top.tip") - tip).max() < 1e-8


def crank_and_rod(crank, coupler):
    bodies = {
        "crank": rod("crank", (0, 0, 0), (crank, 0, 0)),
        "rod": rod("rod", (crank, 0, 0), (crank + coupler, 0, 0)),
        "slider": Body("slider", 1.0, np.array([crank + coupler, 0, 0]), np.eye(3)),
    }
    joints = {
        "A": pin("A", ("ground", "crank"), (0, 0, 0), Z, start=(0.5,), rates=(3.0,)),
        "B": pin("B", ("crank", "rod"), (crank, 0, 0), Z),
        "C": pin("C", ("rod", "slider"), (crank + coupler, 0, 0), Z),
        "D": SpatialJoint("D", "prismatic", ("ground", "slider"), np.zeros(3), np.eye(3)[0], Z),
    }
    return SpatialModel("slider crank", bodies, joints)


def test_other_coordinates_take_over_where_the_chosen_ones_are_ill_conditioned():
    shorter = crank_and_rod(0.4, 1.0)
    for method in ("explicit", "multipliers"):
        motion = simulate(shorter, 5.0, 11, 1e-11, loops=method)
        assert motion.status == "ok"
        assert np.ptp(motion.q[:, motion.coordinates.index(("A", 0))]) > 2 * np.pi
        assert np.ptp(motion.energy) <= 1e-8
        assert motion.closure.max() <= 1e-12


def test_contradicting_rates_are_refused():
    model = crank_and_rod(0.4, 1.0)
    joints = dict(model.joints)
    joints["B"] = replace(joints["B"], rates=(1.0,))
    joints["C"] = replace(joints["C"], rates=(1.0,))
    with pytest.raises(InputError, match="tear the loop"):
        simulate(replace(model, joints=joints), 1.0)


@pytest.mark.parametrize("loops", ["explicit", "multipliers"])
def test_a_singular_start_is_refused(loops):
    """A flat parallelogram can continue as a parallelogram or crossed."""
    corners = [(0, 0, 0), (1, 0, 0), (3, 0, 0), (2, 0, 0)]
    names = ["ground", "a", "b", "c", "ground"]
    bodies = {name: rod(name, *corners[k : k + 2]) for k, name in enumerate(names[1:4])}
    joints = {f"P{k}": pin(f"P{k}", (names[k], names[k + 1]), corners[k], Z) for k in range(4)}
    joints["P0"] = replace(joints["P0"], rates=(3.0,))
    with pytest.raises(InputError, match="singular"):
        simulate(SpatialModel("flat", bodies, joints), 1.0, loops=loops)


@pytest.mark.parametrize("rates", [(0.0,), (3.0,)])
def test_a_massless_end_is_named(rates):
    body = Body("A", 0.0, np.zeros(3), np.zeros((3, 3)))
    joint = replace(pin("P", ("ground", "A"), (0, 0, 0), Z), rates=rates)
    with pytest.raises(InputError, match="mass matrix"):
        simulate(SpatialModel("", {"A": body}, {"P": joint}), 1.0)


@pytest.mark.parametrize("loops", ["explicit", "multipliers"])
def test_a_massless_loop_is_named(loops):
    model = crank_and_rod(0.4, 1.0)
    bodies = {name: replace(body, mass=0.0, inertia=np.zeros((3, 3))) for name, body in model.bodies.items()}
    with pytest.raises(InputError, match="mass matrix"):
        simulate(replace(model, bodies=bodies), 1.0, loops=loops)


@pytest.mark.slow
def test_the_benchmarks_over_their_ten_seconds():
    """Energy balances close to 1e-8; a tenth of the tolerance changes 1e-9 and 2e-10 (A04), 4e-10 (A05)."""
    for model, rtol, loops in (
        (bricard(), 1e-10, "explicit"),
        (bricard(), 1e-10, "multipliers"),
        (governor(), 1e-9, "explicit"),
    ):
        motion, finer = (simulate(model, 10.0, 101, tol, loops=loops, budget=None) for tol in (rtol, rtol / 10))
        balance = motion.energy - motion.work
        assert motion.status == finer.status == "ok"
        assert np.ptp(balance) <= 1e-8 * np.abs(balance).max()
        assert np.abs(motion.q - finer.q).max() <= 2e-9


def test_arguments_are_checked_together():
    with pytest.raises(InputError) as raised:
        simulate(pendulum(), -1.0, 1, 2.0, loops="closed")  # type: ignore[arg-type]  # bad on purpose
    assert [problem.key for problem in raised.value.problems] == ["duration", "samples", "rtol", "loops"]


@pytest.mark.parametrize("integrator", few(["DOP853", "Radau"], 1))
@pytest.mark.parametrize(
    ("law", "impulse"),
    [("100*(1 + sign((t - 1.2)*(1.202 - t)))", 0.4), ("-1000*exp(-((t - 3)/0.01)**2)", -10 * np.sqrt(np.pi))],
)
def test_no_step_passes_over_a_blow(law, impulse, integrator):
    """A wheel of 0.5 kg m^2, at rest before and free after: its speed is the integral of the moment."""
    wheel = Body("wheel", 1.0, np.zeros(3), 0.5 * np.eye(3))
    blow = JointLoad("blow", "axle", effort=ExpressionLaw(Expression(law)))
    axle = pin("axle", ("ground", "wheel"), np.zeros(3), Z)
    model = SpatialModel("Wheel", {"wheel": wheel}, {"axle": axle}, {"blow": blow})
    motion = simulate(model, 5.0, 3, integrator=integrator)
    assert motion.qd[-1] == pytest.approx([impulse / 0.5], rel=1e-5)


def test_a_spring_whose_ends_meet_has_no_direction():
    """Its force there was left out without a word; a damper alone, or a spring without a free length, has one."""
    tip = np.array([1.0, 0, 0])
    spring = Spring("S", ("ground", "rod"), (tip, tip), 40.0, 0.0, 0.5)
    gravity = np.array([0, -9.81, 0])
    with pytest.raises(InputError, match="the ends of the spring 'S' meet, where its force has no direction"):
        simulate(pendulum(gravity=gravity, loads={"S": spring}), 1.0)
    for fine in (replace(spring, length=0.0), replace(spring, stiffness=0.0, damping=2.0)):
        assert simulate(pendulum(gravity=gravity, loads={"S": fine}), 0.1).status == "ok"
    # A motion that passes the place meets it in one instant at most.
    above = replace(spring, points=(np.array([np.cos(0.7), -np.sin(0.7), 0]), tip))
    motion = simulate(pendulum(gravity=gravity, loads={"S": replace(above, length=0.01)}), 0.6)
    assert motion.status == "ok" and np.isfinite(motion.energy).all()
