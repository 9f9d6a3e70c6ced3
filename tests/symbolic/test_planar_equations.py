"""Equations of planar mechanisms, compiled as C, integrated by SciPy: they move as `simulate` says."""

import shutil

import numpy as np
import pytest
from cases import few
from compiled import compiled
from scipy.integrate import solve_ivp

import structkin as sk
from structkin.examples import path

#: Examples without gears, cams, belts, rolling, tracks, friction: the driver that is free, and how long it moves [s].
EXAMPLES = {
    "crank_rocker": ("motor", 0.3), "whitworth_shaper": ("motor", 0.5), "andrews_squeezer": ("motor", 0.002),
    "eight_bar_double_triad": ("motor", 0.2), "elliptic_trammel": ("motor", 0.3), "excavator": ("arm_cylinder", 1.5),
    "five_bar_two_drivers": ("left_motor", 0.2), "hoeken_straight_line": ("motor", 0.3), "jansen_leg": ("motor", 0.4),
    "klann_leg": ("motor", 0.4), "oldham_coupling": ("motor", 0.5), "peaucellier": ("motor", 0.05),
    "platform_3rpr": ("left", 0.3), "platform_3rrr": ("motor1", 0.1), "rapson_slide": ("rudder", 0.3),
    "scotch_yoke": ("motor", 0.3), "slider_crank_offset": ("motor", 0.2), "stephenson_iii_triad": ("motor", 0.2),
    "tipper_hoist": ("cylinder", 0.3), "toggle_press": ("cylinder", 0.2), "triple_rocker": ("motor", 0.05),
    "v_engine": ("motor", 0.01), "watt_six_bar": ("motor", 0.3),
}  # fmt: skip


def weighed(name):
    """Return an example whose links all have masses, in a field of gravity."""
    data = sk.load(path(name)).source_dict
    for k, (link, entry) in enumerate(data["links"].items()):
        given = entry if isinstance(entry, dict) else {"points": entry}
        if link != "ground" and "mass" not in given:
            center = np.mean([data["points"][p] for p in given["points"]], axis=0)
            inertia = f"{0.02 * (k + 1)} kg m^2"
            data["links"][link] = {**given, "mass": 1.0 + 0.3 * k, "center": center.tolist(), "inertia": inertia}
    data["forces"] = {"gravity": ["1 m/s^2", "-9.81 m/s^2"], **data.get("forces", {})}
    return sk.Mechanism.from_dict(data)


def released(m, driver):
    """Return the mechanism without the law of a driver, which starts with its value and rate."""
    data, law = m.source_dict, m.drivers[driver].law
    value, rate, _ = (float(x[0]) for x in law(np.zeros(1)))
    units = ("rad", "rad/s") if m.drivers[driver].kind == "angle" else ("m", "m/s")
    data["drivers"][driver] = {k: v for k, v in data["drivers"][driver].items() if k not in ("law", "speed", "value")}
    data["initial"] = {driver: {"value": f"{value!r} {units[0]}", "speed": f"{rate!r} {units[1]}"}}
    return sk.Mechanism.from_dict(data)


def moved(found, function, t):
    """Return the coordinates (n, times) by the equations alone, from their start."""
    n = len(found.q)

    def slope(time, y):
        M, h, f, *closed = function(time, y[:n].copy(), y[n:].copy())
        right = f - h
        if closed:
            W, _, gamma = closed
            M = np.block([[M, -W], [W.T, np.zeros((W.shape[1],) * 2)]])
            right = np.concatenate([right, gamma])
        return np.concatenate([y[n:], np.linalg.lstsq(M, right, rcond=1e-13)[0][:n]])

    start = found.start.ravel()
    return solve_ivp(slope, (0, t[-1]), start, "DOP853", t, rtol=1e-12, atol=1e-13).y[:n]


@pytest.mark.skipif(shutil.which("gcc") is None, reason="needs gcc")
@pytest.mark.parametrize("name", few(EXAMPLES, 3))
def test_examples_move_as_in_simulate(name, tmp_path):
    driver, duration = EXAMPLES[name]
    m, t = weighed(name), np.linspace(0, duration, 11)
    found = m.equations(free=[driver])
    motion = released(m, driver).simulate(t, rtol=1e-12, atol=1e-13)
    assert not motion.stopped
    expected = motion.drivers[driver][0] - motion.drivers[driver][0, 0]
    function = compiled(found, tmp_path)
    joints = [joint for joint, _ in found.coordinates]
    own = {f"{driver} slide", m.drivers[driver].joint} & {*joints}
    q = moved(found, function, t)[joints.index(own.pop()) if own else 0]
    sign = -1 if name == "elliptic_trammel" else 1  # the pin turns the slider, which does not turn, against the bar
    assert np.ptp(expected) > 0.003
    assert np.abs(sign * q - expected).max() < 1e-10
    for one, two in zip(function(duration, *found.start), found.function()(duration, *found.start), strict=True):
        assert np.allclose(one, two, rtol=1e-11, atol=1e-11 * max(1.0, np.abs(two).max(initial=0)))
