"""Equations of planar mechanisms, compiled as C, integrated by SciPy: they move as `simulate` says."""

import sys

import numpy as np
import pytest
from cases import few
from compiled import compiled, needs_gcc
from scipy.integrate import solve_ivp

import structkin as sk
from structkin import symbolic
from structkin.errors import InputError
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


def test_without_sympy_every_door_names_the_extra(monkeypatch):
    """Planar mechanisms ended in a traceback: only models in space were asked."""
    doors = (
        lambda: weighed("crank_rocker").equations(free=["motor"]),
        lambda: weighed("crank_rocker").to_spatial(drivers="free").equations(),
        lambda: symbolic.ExplicitLoop,
    )
    for name in [name for name in sys.modules if name.startswith("structkin.symbolic.explicit")]:
        monkeypatch.delitem(sys.modules, name)
    for name in symbolic.__all__:  # as in a process that has not used it yet
        monkeypatch.delitem(vars(symbolic), name, raising=False)
    monkeypatch.setitem(sys.modules, "sympy", None)
    for door in doors:
        with pytest.raises(InputError, match=r"SymPy is not installed; pip install .structkin\[symbolic\]"):
            door()


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


@needs_gcc
@pytest.mark.parametrize("name", few(EXAMPLES, 1, 4))
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


def accelerations(found):
    """Return the accelerations of the coordinates at the start, by their joints."""
    M, h, f, *closed = found.function()(0.0, *found.start)
    right, n = f - h, len(found.q)
    if closed:
        W, Phi, gamma = closed
        assert np.abs(Phi).max() < 1e-9
        M = np.block([[M, -W], [W.T, np.zeros((W.shape[1],) * 2)]])
        right = np.concatenate([right, gamma])
    return dict(zip(found.coordinates, np.linalg.lstsq(M, right, rcond=1e-13)[0][:n], strict=True))


@pytest.mark.parametrize("name", few(["toggle_press", "five_bar_two_drivers", "excavator", "platform_3rpr"], 1, 1))
def test_multipliers_and_other_choices_give_the_same(name):
    m, free = weighed(name), [EXAMPLES[name][0]]
    expected = accelerations(m.equations(free=free))
    for options in ({"loops": "multipliers"}, {"numbers": True}, {"shared": False} if name != "excavator" else {}):
        found = accelerations(m.equations(free=free, **options))
        for coordinate, value in expected.items():
            assert found[coordinate] == pytest.approx(value, rel=1e-9)


@needs_gcc
@pytest.mark.parametrize(
    "law",
    few(
        [{"law": "-90 - 20*abs(sin(3*t + 1)) + max(t, 0.1)**2"}, {"table": [[0, -90], [0.1, -99], [0.3, -80], [1, 0]]}],
        1,
    ),
)
def test_laws_with_corners_and_tables_are_differentiated(law, tmp_path):
    data, t = weighed("five_bar_two_drivers").source_dict, np.linspace(0, 0.09, 7)
    data["drivers"] = {"left": {"joint": "A"}, "right": {"joint": "E", **law}}
    m = sk.Mechanism.from_dict({**data, "initial": {"left": {"speed": 90}}})
    motion, found = m.simulate(t, rtol=1e-12, atol=1e-13), m.equations()
    left = motion.drivers["left"][0]
    assert np.ptp(left) > 0.05
    assert np.abs(moved(found, compiled(found, tmp_path), t)[0] - (left - left[0])).max() < 1e-10


def test_an_effort_along_a_distance_acts_in_a_cylinder():
    """It had no counterpart in space; the plane is the other road, and so is a cylinder of two links with masses."""
    data, t = weighed("toggle_press").source_dict, np.linspace(0, 0.1, 5)
    data["drivers"]["cylinder"] = {"between": ["E", "B"], "force": "300 N"}
    m = sk.Mechanism.from_dict(data)
    plane, space = m.simulate(t, rtol=1e-11, atol=1e-12), m.to_spatial().simulate(t[-1], len(t), 1e-11)
    slide = [joint for joint, _ in space.coordinates].index("cylinder slide")
    z = plane.drivers["cylinder"][0]
    assert np.ptp(z) > 1e-3 and np.abs(space.q[:, slide] - (z - z[0])).max() < 1e-10
    assert accelerations(m.equations())["cylinder slide", 0] == pytest.approx(space.qdd[0, slide], rel=1e-9)


def test_what_has_no_equation_is_refused():
    bare, dug = sk.load(path("crank_rocker")), weighed("excavator")
    with pytest.raises(InputError, match="links: no link has a mass: there is nothing to accelerate"):
        bare.equations(free=["motor"])
    with pytest.raises(InputError, match="free=\\['boom_cylinder'\\]"):
        dug.equations()
    with pytest.raises(InputError, match="free: 'boom' is no driver with a law"):
        dug.equations(free=["boom"])
    data = bare.source_dict
    data["links"]["arm"] = ["C", "E"]
    data["points"]["E"] = [30, 30]
    data["links"]["crank"] = {"points": ["A", "B"], "mass": 1, "shape": "rod"}
    data["drivers"] = {"motor": {"joint": "A"}, "swing": {"links": ["rocker", "arm"]}}
    with pytest.raises(InputError, match="its coordinate moves no mass"):
        sk.Mechanism.from_dict(data).equations()
