"""What a driver delivers: torques by hand, and a flywheel whose fluctuation a simulation shows."""

from __future__ import annotations

import json

import numpy as np
import pytest

import structkin as sk
from structkin.dynamics.inverse.duty import Duty

OMEGA, M, R, G = 10.0, 2.0, 0.1, 9.81


def crank(inertia=0.0, driver=None, mass=M):
    """A mass on a crank that turns in a vertical plane: the motor needs m g r cos q."""
    return sk.Mechanism(
        points={"A": (0, 0), "B": (R, 0)}, forces={"gravity": (0, -G)}, duration=2 * np.pi / OMEGA,
        links={"ground": ["A"], "wheel": {"points": ["A", "B"], "mass": mass, "center": (R, 0), "inertia": inertia}},
        drivers={"motor": driver or {"joint": "A", "speed": OMEGA}},
    )  # fmt: skip


def test_peak_root_mean_square_and_power_are_those_of_a_cosine():
    duty = crank().solve(361).forces().duty("motor")
    torque = M * G * R
    assert (duty.unit, duty.driver, len(duty.t)) == ("N m", "motor", 361)
    for found, wanted in (
        (duty.peak, torque), (duty.rms, torque / np.sqrt(2)), (duty.top, OMEGA), (duty.power.max(), torque * OMEGA)
    ):  # fmt: skip
        assert found == pytest.approx(wanted, rel=1e-12)
    assert abs(duty.mean) < 1e-12
    text = str(duty)
    assert "peak" in text and "1.962 N m" in text and "it brakes" in text
    assert duty.lacking(continuous=1.4, peak=2.0, speed=11) == ()
    assert duty.lacking(continuous=1.38, peak=1.9, speed=9.9) == (
        "the root mean square is 1.387 N m, the motor has 1.38", "the peak is 1.962 N m, the motor has 1.9",
        "the largest speed is 10 rad/s, the motor has 9.9",
    )  # fmt: skip


def test_the_speed_where_a_driver_turns_back_is_zero():
    """The effort is largest at the end of the stroke, where 2.5e-17 rad/s are a rounding error."""
    swing = {"joint": "A", "law": "pi/4 + 0.3*sin(pi*t)"}
    text = str(crank(driver=swing).solve(t=np.linspace(0.5, 1.5, 201)).forces(static=True).duty("motor"))
    assert "at t = 1.5 s, at 0 rad/s" in text


def test_a_flywheel_is_that_of_the_energy_and_a_simulation_shows_its_fluctuation():
    """The weight gives and takes 2 m g r: E is largest where it hangs and least where it stands."""
    found = crank().solve(73).forces().duty("motor").flywheel(0.05)
    assert found.energy == pytest.approx(2 * M * G * R, rel=1e-6)
    assert found.inertia == pytest.approx(2 * M * G * R / (0.05 * OMEGA**2), rel=1e-6)
    assert abs(found.mean) < 1e-9
    assert found.slowest == pytest.approx(np.pi / 2, abs=1e-5) and found.fastest == pytest.approx(1.5 * np.pi, abs=1e-5)
    # Turning freely, the wheel and the weight together have the inertia; the speed begins where the weight is level.
    start = {"swing": {"speed": OMEGA}}
    free = crank(found.inertia - M * R**2, {"joint": "A"}).source_dict
    free["drivers"] = {"swing": {"joint": "A"}}
    free["initial"] = start
    free.pop("duration")
    speed = sk.Mechanism.from_dict(free).simulate(2.0, samples=4001).omega("wheel")
    mean = 0.5 * (speed.max() + speed.min())
    assert np.ptp(speed) / mean == pytest.approx(0.05, rel=2e-3)


@pytest.mark.parametrize("samples", [37, 361])
def test_the_sense_of_turning_does_not_matter_and_few_samples_are_enough(samples):
    """A load of T0 + T2 sin 2q: dE is T2, and the motor gives T0."""
    for sense in (1, -1):
        m = sk.Mechanism(
            points={"A": (0, 0), "B": (R, 0)}, links={"ground": ["A"], "wheel": ["A", "B"]},
            drivers={"motor": {"joint": "A", "speed": sense * OMEGA}},
            forces={"load": {"type": "moment", "on": "wheel", "law": f"{-sense}*(5 + 3*sin(2*{OMEGA}*t))"}},
        )  # fmt: skip
        found = m.solve(samples, duration=2 * np.pi / OMEGA).forces().duty("motor").flywheel(0.01)
        assert found.energy == pytest.approx(3.0, rel=1e-4)
        assert found.mean == pytest.approx(sense * 5.0, rel=1e-9)
        # The motor gives less than is taken while sin 2q > 0: the wheel is slowest where that ends.
        turned = abs(found.slowest) % np.pi
        assert turned == pytest.approx(np.pi / 2, abs=1e-3)


@pytest.mark.parametrize("load", [0.0, 5.0])
def test_a_constant_torque_needs_no_flywheel(load):
    """Its spline is the mean everywhere, whose roots are not numbers: the inertia was said not to be finite."""
    m = sk.Mechanism(
        points={"A": (0, 0), "B": (R, 0)}, links={"ground": ["A"], "wheel": ["A", "B"]},
        drivers={"motor": {"joint": "A", "speed": OMEGA}},
        forces={"load": {"type": "moment", "on": "wheel", "value": -load}},
    )  # fmt: skip
    found = m.solve(37).forces().duty("motor").flywheel(0.02)
    assert (found.inertia, found.energy) == (0.0, 0.0) and found.mean == pytest.approx(load)


def test_wrong_arguments_and_motions_are_refused():
    duty = crank().solve(37).forces().duty("motor")
    for wrong in (0.0, 1.0, -0.1):
        with pytest.raises(sk.InputError, match="not between 0 and 1"):
            duty.flywheel(wrong)
    with pytest.raises(sk.InputError, match=r"fluctuation: 4.9.*e-324 needs an inertia that is not finite"):
        duty.flywheel(5e-324)
    with pytest.raises(sk.InputError, match=r"does not end with the torque of its start"):
        crank().solve(37, duration=0.3).forces().duty("motor").flywheel(0.02)
    with pytest.raises(sk.InputError, match=r"is at rest"):
        crank().solve(37).forces(static=True).duty("motor").flywheel(0.02)
    with pytest.raises(sk.InputError, match=r"turn at a constant speed"):
        law = {"joint": "A", "law": "0.5*sin(10*t)"}
        crank(driver=law).solve(37).forces().duty("motor").flywheel(0.02)
    with pytest.raises(sk.InputError) as caught:
        duty.lacking(continuous=0.0, peak=-1.0)
    assert [problem.key for problem in caught.value.problems] == ["continuous", "peak"]
    with pytest.raises(sk.InputError, match="is not a driver"):
        crank().solve(37).forces().duty("engine")
    with pytest.raises(sk.InputError, match="no effort at any sample"):
        four_bar = sk.Mechanism(
            points={"A": (0, 0), "B": (0, 2), "C": (3, 3), "D": (3, 0)}, lengths={"B-C": 1.5, "C-D": 2.5},
            links={"ground": ["A", "D"], "crank": ["A", "B"], "rocker": ["D", "C"],
                   "coupler": {"points": ["B", "C"], "shape": "rod", "mass": 1}},
            drivers={"motor": {"joint": "A", "speed": 1}},
        )  # fmt: skip
        four_bar.solve(drivers={"motor": ([3.0, 3.1], [1.0, 1.0], [0.0, 0.0])}).forces().duty("motor")
    assert isinstance(duty, Duty)


def stopping():
    """A rod on a crank that a rocker stops: out of reach for a sixth of each turn, between samples that have forces."""
    return sk.Mechanism(
        points={"A": (0, 0), "B": (0.4, 0.3), "C": (1.5, 1.3), "D": (3.1, 0)}, forces={"gravity": (0, -G)},
        links={"ground": ["A", "D"], "crank": {"points": ["A", "B"], "shape": "rod", "mass": 1}, "coupler": ["B", "C"],
               "rocker": {"points": ["C", "D"], "shape": "rod", "mass": 1}},
        drivers={"motor": {"joint": "A", "speed": 1}},
    )  # fmt: skip


def test_the_time_without_forces_is_left_out():
    """The mean is that of the table of forces, of the stretches before and after a gap, each weighted by its length."""
    from structkin.show import forces_table

    forces = stopping().solve(41).forces(static=True)
    torque, duty = forces.driver("motor"), forces.duty("motor")
    gap = np.flatnonzero(np.isnan(torque))
    assert 0 < gap[0] < gap[-1] < 40 and len(gap) == np.ptp(gap) + 1
    parts = [slice(0, gap[0]), slice(gap[-1] + 1, 41)]
    sums = [[np.trapezoid(f(torque[part]), forces.t[part]) for part in parts] for f in (np.copy, np.square)]
    length = sum(np.ptp(forces.t[part]) for part in parts)
    assert duty.mean == pytest.approx(sum(sums[0]) / length) and duty.rms**2 == pytest.approx(sum(sums[1]) / length)
    assert f"{duty.mean:.5g} N m" in [str(cell) for cell in forces_table(forces).columns[1].cells]
    with pytest.raises(sk.InputError, match="motor: has no torque at some samples"):
        stopping().solve(41).forces().duty("motor").flywheel(0.05)


def test_a_flywheel_needs_a_whole_cycle_although_the_torque_returns():
    """The cosine has the torque of its start again when the crank has passed its lowest pose, but falls then."""
    start = {"joint": "A", "law": f"0.5 + {OMEGA}*t"}
    part = crank(driver=start).solve(361, duration=(2 * np.pi - 1.0) / OMEGA).forces().duty("motor")
    assert part.effort[0] == pytest.approx(part.effort[-1])
    with pytest.raises(sk.InputError, match="motor: ends in another part of its cycle"):
        part.flywheel(0.05)
    for samples in (5, 361):
        whole = crank(driver=start).solve(samples).forces().duty("motor").flywheel(0.05)
        assert whole.energy == pytest.approx(2 * M * G * R, rel=0.1)


def test_a_flywheel_needs_samples():
    m = sk.load(sk.examples.path("one_cylinder_engine"))
    with pytest.raises(sk.InputError, match="motor: has 3 samples, too few for a cycle"):
        m.solve(3).forces().duty("motor").flywheel(0.02)


def test_the_command_prints_duty_and_flywheel(tmp_path):
    from typer.testing import CliRunner

    from structkin.cli import app

    file = tmp_path / "crank.toml"
    crank().save(file)
    found = CliRunner().invoke(app, ["forces", str(file), "--duty", "--flywheel", "0.05"])
    assert found.exit_code == 0, found.output
    assert "  peak              1.962 N m" in found.output
    assert "flywheel on motor: 0.7848 kg m^2, for 3.924 J" in found.output
    plain = json.loads(CliRunner().invoke(app, ["forces", str(file), "--duty", "--flywheel", "0.05", "--json"]).stdout)
    peak = M * G * R
    assert plain["duty"]["motor"] == pytest.approx({
        "peak": peak, "rms": peak / np.sqrt(2), "mean": 0, "top": OMEGA,
        "largest_power": peak * OMEGA, "least_power": -peak * OMEGA, "mean_power": 0,
    }, rel=1e-4)  # fmt: skip
    assert plain["flywheels"]["motor"]["energy"] == pytest.approx(2 * peak, rel=1e-6)
    assert plain["flywheels"]["motor"]["inertia"] == pytest.approx(2 * peak / (0.05 * OMEGA**2), rel=1e-6)
    wrong = CliRunner().invoke(app, ["forces", str(file), "--flywheel", "2"])
    assert isinstance(wrong.exception, sk.InputError)
