"""Reactions of joints in minimal coordinates against the plane and against Newton and Euler; energies by parts."""

import numpy as np
import pytest
from cases import few
from test_planar_agreement import FOUR_BAR, SLIDER_CRANK

import structkin as sk
from structkin.errors import InputError
from structkin.examples import spatial


@pytest.mark.full
@pytest.mark.parametrize("loops", ["explicit", "multipliers"])
@pytest.mark.parametrize("data", few([SLIDER_CRANK, FOUR_BAR], 1, 0), ids=["slider-crank", "four-bar"])
def test_reactions_are_those_of_the_plane(data, loops):
    m, t = sk.Mechanism(**data), np.linspace(0, 1, 11)
    plane = m.simulate(t, rtol=1e-12, atol=1e-13).forces()
    space = m.to_spatial().simulate(1.0, 11, 1e-12, loops=loops)
    for id, joint in space.model.joints.items():
        force, moment = space.reaction(id)
        expected = plane.reaction(id, joint.bodies[1])
        assert np.abs(force[:, :2] - expected).max() < 1e-8 * np.abs(expected).max()
        assert np.isnan(force[:, 2]).all() and np.isnan(moment[:, :2]).all()  # pins hold the plane several times
        if joint.kind == "revolute":
            assert np.abs(moment[:, 2]).max() < 1e-9 * np.abs(expected).max()
    (cut,) = space.tree.cut
    values, (force, _) = space.multipliers(cut.name), space.reaction(cut.name)
    R = space.rotation(cut.bodies[0]) if cut.bodies[0] != "ground" else np.tile(np.eye(3), (11, 1, 1))
    assert np.isnan(values[:, 2:]).all()
    turned = np.einsum("nij,nj->ni", R[:, :2, :2], values[:, :2])
    assert np.abs(turned - force[:, :2]).max() < 1e-9 * np.abs(turned).max()


@pytest.mark.parametrize("name", few(["governor", "rssr_four_bar", "double_pendulum", "spinning_top"], 2, 1))
def test_reactions_are_those_of_newton_and_euler(name):
    """The reactions on each body, its weight and the springs are m a and I omega' + omega x I omega."""
    model = sk.SpatialModel.load(spatial.path(name))
    motion = model.simulate(0.2, 6, 1e-11)
    tried = 0
    for body in model.bodies.values():
        R, omega = motion.rotation(body.name), motion.angular_velocity(body.name)
        I = np.einsum("nij,jk,nlk->nil", R, body.inertia, R)
        spin = np.einsum("nij,nj->ni", I, motion.angular_acceleration(body.name))
        spin += np.cross(omega, np.einsum("nij,nj->ni", I, omega))
        total, moment = body.mass * (motion.acceleration(body.name) - model.gravity), spin.copy()
        size = np.abs(total).max()
        for one in model.joints.values():
            if body.name not in one.bodies:
                continue
            force, turn = motion.reaction(one.name)
            sign = 1 if one.bodies[1] == body.name else -1
            at = motion._drawn(one.bodies[1], one.at)
            total -= sign * force
            moment -= sign * (turn + np.cross(at - motion.position(body.name), force))
        for load in model.loads.values():
            if hasattr(load, "bodies") and body.name in load.bodies:
                places = [motion._drawn(b, x) for b, x in zip(load.bodies, load.points, strict=True)]
                own = load.bodies.index(body.name)
                gap = places[1 - own] - places[own]
                length = np.linalg.norm(gap, axis=1)
                speeds = [
                    motion.velocity(b) + np.cross(motion.angular_velocity(b), x - motion.position(b))
                    for b, x in zip(load.bodies, places, strict=True)
                ]
                rate = ((speeds[1 - own] - speeds[own]) * gap).sum(axis=1) / length
                pull = (load.stiffness * (length - load.length) + load.damping * rate)[:, None] * gap / length[:, None]
                total -= pull
                moment -= np.cross(places[own] - motion.position(body.name), pull)
        known = np.isfinite(total).all(axis=0), np.isfinite(moment).all(axis=0)
        tried += known[0].sum() + known[1].sum()
        assert np.abs(total[:, known[0]]).max(initial=0.0) < 1e-8 * size
        assert np.abs(moment[:, known[1]]).max(initial=0.0) < 1e-8 * size
    assert tried >= 4


HANGING = {
    "points": {"O": [0, 0, 0], "P": [0.6, 0, 0], "F": [0.3, 0.4, 0.5], "Q": [0.9, 0.1, -0.3]},
    "bodies": {
        "ground": ["O", "F"],
        "rod": {"points": ["O", "P"], "shape": "cylinder", "radius": 0.05, "between": ["O", "P"], "mass": 2},
        "tip": {"points": ["P", "Q"], "shape": "cylinder", "radius": 0.04, "between": ["P", "Q"], "mass": 1},
    },
    "joints": {
        "O": {"type": "universal", "bodies": ["ground", "rod"], "at": "O", "axis": [0, 1, 0], "second": [0, 0, 1]},
        "P": {"type": "revolute", "bodies": ["tip", "rod"], "at": "P", "axis": [0, 0, 1], "speed": 1},
    },
    "forces": {
        "gravity": [0, 0, -9.81],
        "band": {"type": "spring", "between": ["rod.P", "ground.F"], "stiffness": 60, "free_length": 0.3},
        "coil": {"type": "joint", "joint": "P", "stiffness": 3, "rest": 0.2},
        "end": {"type": "stop", "joint": "O", "coordinate": 2, "upper": 0.05, "stiffness": 500},
    },
    "sensors": {
        "all_T": {"type": "kinetic_energy"}, "all_V": {"type": "potential_energy"},
        **{f"T_{b}": {"type": "kinetic_energy", "of": b} for b in ("rod", "tip")},
        **{f"V_{b}": {"type": "potential_energy", "of": b} for b in ("rod", "tip", "band", "coil", "end")},
        "F_P": {"type": "force", "of": "P"}, "M_O": {"type": "moment", "of": "O"},
    },
}  # fmt: skip


@pytest.mark.parametrize("method", ["minimal", pytest.param("small steps", marks=pytest.mark.compiled)])
def test_energy_sensors_add_up_to_the_energy(method):
    """The parts, each by NumPy from places and speeds, against the energy of the compiled equations of motion."""
    sections = dict(HANGING)
    if method == "small steps":
        sections["sensors"] = {n: s for n, s in HANGING["sensors"].items() if s["type"] not in ("force", "moment")}
    model = sk.SpatialModel.build(**sections)
    motion = model.simulate(0.5, 11, 1e-10) if method == "minimal" else model.small_steps(0.1, 2e-5, record=1000)
    found = motion.sensors
    parts = sum(found[name] for name in found if name[:2] in ("T_", "V_"))
    if method == "minimal":
        assert found["V_end"].max() > 0  # the stop does push
        assert np.abs(parts - motion.energy).max() < 1e-12 * np.abs(motion.energy).max()
    assert np.abs(found["T_rod"] + found["T_tip"] - found["all_T"]).max() < 1e-12
    assert np.abs(found["all_T"] + found["all_V"] - motion.energy).max() < 1e-12 * np.abs(motion.energy).max()


def test_sensors_of_forces_are_the_reactions_and_reach_the_table():
    from structkin.show.space_tables import space_columns

    motion = sk.SpatialModel.build(**HANGING).simulate(0.1, 3, 1e-9)
    assert (motion.sensors["F_P"] == motion.reaction("P")[0]).all()
    assert (motion.sensors["M_O"] == motion.reaction("O")[1]).all()
    units = {f"{c.part} {c.quantity}": c.unit for c in space_columns(motion)}
    assert units["F_P force x"] == "N" and units["M_O moment z"] == "N m" and units["all_T kinetic_energy"] == "J"


def test_sensors_that_mean_nothing_are_refused_all_at_once():
    sensors = {
        "a": {"type": "kinetic_energy", "of": "band"}, "b": {"type": "potential_energy", "of": "rode"},
        "c": {"type": "force", "of": "Q"}, "d": {"type": "kinetic_energy", "of": ["rod", "tip"]},
    }  # fmt: skip
    with pytest.raises(InputError) as caught:
        sk.SpatialModel.build(**{**HANGING, "sensors": sensors})
    assert [problem.key for problem in caught.value.problems] == [f"sensors.{name}.of" for name in "abcd"]
    model = sk.SpatialModel.build(**{**HANGING, "sensors": {"f": sensors["c"] | {"of": "P"}}})
    with pytest.raises(InputError, match=r"sensors\.f: small steps do not record reactions"):
        model.small_steps(0.01)
    model = sk.SpatialModel.build(**{**HANGING, "sensors": {"m": {"type": "multipliers", "of": "P"}}})
    with pytest.raises(InputError, match=r"sensors\.m: no loop is cut at joint 'P'"):
        model.simulate(0.01, 2)
    motion = sk.SpatialModel.build(**HANGING).simulate(0.01, 2)
    for call, words in ((motion.reaction, "is no joint"), (motion.multipliers, "no joint at which a loop is cut")):
        with pytest.raises(InputError, match=words):
            call("X")
    with pytest.raises(InputError, match="is no body"):
        motion.potential_energy("X")
