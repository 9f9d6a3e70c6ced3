"""What a link moves whose pins or pivot meet at a sample: the link's direction is rounding there, the motion is not."""

import warnings

import numpy as np
import pytest

import structkin as sk

SAMPLES = 2, 37, 300


def mechanism(points, links, **more):
    places = {name: (z.real, z.imag) for name, z in points.items()}
    return sk.Mechanism(points=places, links=links, drivers={"m": {"joint": "A"}}, **more)


def sweep(m, begin, end, samples, method, point):
    """Return the motion from the flat pose at `begin`, and the places of a point."""
    motion = m.solve(drivers={"m": np.linspace(begin, end, samples + 1)}, method=method)
    return motion, motion.position(point) @ [1, 1j]


@pytest.mark.parametrize("method", ["topological", "topological-kl"])
@pytest.mark.parametrize("samples", SAMPLES)
@pytest.mark.parametrize("begin", [0.0, 2 * np.pi])
def test_a_parallelogram_behind_a_kite(begin, samples, method):
    """The kite's rocker turns by half of the crank's angle; a parallelogram behind it was not certified anywhere."""

    def pose(angle):
        half = 0.5 * angle
        C = np.exp(1j * half) * (np.cos(half) + np.sqrt(2.25 - np.sin(half) ** 2))
        F = 1 + 0.6 * (C - 1) * np.exp(0.7j)
        return {"A": 0 * C, "B": np.exp(1j * angle), "C": C, "D": 1 + 0 * C, "F": F, "G": F + 2j, "H": 1 + 2j + 0 * C}

    links = {
        "ground": ["A", "D", "H"], "crank": ["A", "B"], "coupler": ["B", "C"], "rocker": ["D", "C", "F"],
        "rod": ["F", "G"], "last": ["H", "G"],
    }  # fmt: skip
    m = mechanism(pose(begin + 0.5), links)
    motion, G = sweep(m, begin, begin - 0.9, samples, method, "G")
    assert motion.ok.all()
    assert np.abs(G - pose(np.linspace(begin, begin - 0.9, samples + 1))["G"]).max() < 1e-9


@pytest.mark.parametrize("method", ["topological", "topological-kl"])
@pytest.mark.parametrize("samples", SAMPLES)
@pytest.mark.parametrize("tilt", [0.0, 2.8, 3.6])
def test_a_wheel_on_an_arm_whose_pin_passes_its_pivot(tilt, samples, method):
    """The arm turns by half of the crank's angle; rounded the other way, it lost its wheel from there on."""

    def pose(angle):
        # The pin passes the pivot, at angle 0, along the tangent of its circle.
        U, K = 1j * np.exp(0.5j * angle), 1 - 2j
        places = {"A": 0 * U, "B": np.exp(1j * angle), "D": 1 + 0 * U, "F": 1 + 1.5 * U, "W": K + 0 * U,
                  "T": K + 0.7 * np.exp(-0.25j * (angle - 0.5))}  # fmt: skip
        return {name: z * np.exp(1j * tilt) for name, z in places.items()}

    links = {"ground": ["A", "D", "W"], "crank": ["A", "B"], "arm": ["D", "F"], "wheel": ["W", "T"]}
    m = mechanism(pose(0.5), links, joints={
        "slot": {"type": "pin-in-slot", "pin": "B", "slot": "arm", "along": ["D", "F"], "on": "crank"},
        "mesh": {"type": "gear", "links": ["arm", "wheel"], "teeth": [20, 40], "carrier": "ground"},
    })  # fmt: skip
    turn = float(np.angle(np.exp(1j * (tilt + 0.5)))) - 0.5
    motion, T = sweep(m, turn, turn - 0.9, samples, method, "T")
    assert motion.ok.all()
    assert np.abs(T - pose(np.linspace(0, -0.9, samples + 1))["T"]).max() < 1e-9


@pytest.mark.parametrize("longer", [1.0, 1.5])
def test_rates_by_k_and_l_where_pins_meet_give_no_warning(longer):
    """K is infinite in the flat pose itself; rates that are zero made it not a number, with a warning of NumPy."""
    B = np.exp(1.2j)
    C = B + 1 if longer == 1 else np.exp(0.6j) * (np.cos(0.6) + np.sqrt(longer**2 - np.sin(0.6) ** 2))
    links = {"ground": ["A", "D"], "crank": ["A", "B"], "coupler": ["B", "C"], "rocker": ["D", "C"]}
    m, z = mechanism({"A": 0j, "B": B, "C": C, "D": 1 + 0j}, links), np.linspace(0.5, -0.5, 11)
    driven = {"m": (z, np.ones(11), np.zeros(11))}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        by_coefficients = m.solve(drivers=driven, method="topological-kl")
    gap = by_coefficients.acceleration("C") - m.solve(drivers=driven).acceleration("C")
    assert by_coefficients.ok.all() and np.abs(gap).max() < 1e-9


@pytest.mark.parametrize("seed", range(6))
def test_what_follows_a_kite_has_no_limits_where_its_pins_meet(seed):
    """Parallelograms turn fully behind a kite: there were limits in one of four, and errors of SciPy's root finder."""
    rng = np.random.default_rng(seed)
    for _ in range(8):
        ground, first, tilt, arm, shift = *rng.uniform(0, 6.3, 4), complex(*rng.normal(size=2) * 2)
        half, long = 0.5 * (first - ground), rng.uniform(1.05, 2)
        B, D = np.exp(1j * first), np.exp(1j * ground)
        C = 0.5 * (B + D) + np.exp(1j * (ground + half)) * np.sqrt(long**2 - np.sin(half) ** 2)
        F = D + rng.uniform(0.5, 2) * (C - D) * np.exp(1j * arm)
        links = {
            "ground": ["A", "D", "H"], "crank": ["A", "B"], "coupler": ["B", "C"], "rocker": ["D", "C", "F"],
            "rod": ["F", "G"], "last": ["H", "G"],
        }  # fmt: skip
        points = {"A": 0j, "B": B, "C": C, "D": D, "F": F, "G": F + shift, "H": D + shift}
        found = mechanism({name: z * np.exp(1j * tilt) for name, z in points.items()}, links).limits("m")
        assert found.lower is None and found.upper is None
