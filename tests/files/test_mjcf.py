"""MJCF: MuJoCo loads the written file, which starts closed and moves as in structkin."""

from __future__ import annotations

import os
from xml.etree import ElementTree

import numpy as np
import pytest
from cases import few

import structkin as sk
from structkin.examples import names, path
from structkin.files.writers.mjcf import mjcf

mujoco = pytest.importorskip("mujoco")

#: Parts of the examples that MuJoCo lacks.
REFUSED = {
    "cam_lever_press": "joints.contact: MuJoCo has no cams",
    "cam_roller_follower": "joints.contact: MuJoCo has no cams",
    "garage_door": "joints.track: MuJoCo has no slots along a curve",
    "geneva": "joints.step: MuJoCo has no Geneva wheels",
    "one_cylinder_engine": "forces.seal: MuJoCo has no dry friction that is limit tanh(rate / transition)",
}
GRAVITY = {"gravity": (0, -9.81)}
ROD = {"shape": "rod", "density": 2.0}


@pytest.fixture(autouse=True)
def elsewhere(monkeypatch, tmp_path):
    """MuJoCo writes its log into the working directory."""
    monkeypatch.chdir(tmp_path)


class Run:
    """A mechanism that MuJoCo runs from its start pose."""

    def __init__(self, mechanism: sk.Mechanism) -> None:
        root, self.notes = mjcf(mechanism)
        self.m, self.mechanism = (
            mujoco.MjModel.from_xml_string(ElementTree.tostring(root, encoding="unicode")),
            mechanism,
        )
        self.d = mujoco.MjData(self.m)
        mujoco.mj_resetDataKeyframe(self.m, self.d, 0)
        mujoco.mj_forward(self.m, self.d)
        self.size = max(np.ptp(list(mechanism.points.values()), axis=0))
        self.gap = 0.0

    def closure(self) -> float:
        """The largest gap of a constraint [m or rad] over the size."""
        return float(np.abs(self.d.efc_pos[: self.d.ne]).max(initial=0.0) / self.size)

    def until(self, t: float) -> None:
        """Simulate until a time, with the drivers by their laws."""
        act = {self.m.actuator(k).name: k for k in range(self.m.nu)}
        laws = [(id, one.law) for id, one in self.mechanism.drivers.items() if one.law and one.law.speed is None]
        while self.d.time < t - 0.5 * self.m.opt.timestep:
            for id, law in laws:
                value, rate, _ = law(np.array([self.d.time]))
                self.d.ctrl[act[id]], self.d.ctrl[act[f"{id} rate"]] = value[0], rate[0]
            mujoco.mj_step(self.m, self.d)
            self.gap = max(self.gap, self.closure())
        mujoco.mj_forward(self.m, self.d)

    def error(self, motion: sk.Motion, sample: int) -> float:
        """The largest position error of points of moving links, over the size; all stay in the plane."""
        worst = 0.0
        for name, link in self.mechanism.links.items():
            for point in link.local:
                x, y, z = self.d.site(f"{name}: {point}").xpos
                assert abs(y) < 1e-9 * self.size
                worst = max(worst, float(np.hypot(*(motion.position(point, name)[sample] - (x, z)))))
        return worst / self.size


@pytest.mark.parametrize("name", names())
def test_examples_start_closed_and_move_as_they_are_driven(name):
    mechanism = sk.load(path(name))
    if name in REFUSED:
        with pytest.raises(sk.InputError) as error:
            mjcf(mechanism)
        (problem,) = error.value.problems
        assert f"{problem.key}: {problem.message}" == REFUSED[name]
        return
    run = Run(mechanism)
    end = 60 * run.m.opt.timestep
    motion = mechanism.solve(t=[0.0, end])
    assert run.closure() < 1e-14 and run.error(motion, 0) < 1e-14
    for id, drive in mechanism.drivers.items():
        # The rates of the start are those of the mechanism.
        assert np.isclose(run.d.actuator(f"{id} rate").velocity[0], motion.drivers[id][1, 0], rtol=1e-6, atol=1e-9)
        assert np.isclose(run.d.actuator(id).length[0], motion.drivers[id][0, 0], rtol=1e-9, atol=1e-9), drive
    assert np.abs(run.d.efc_vel[: run.d.ne]).max(initial=0.0) < 1e-9 * (1 + np.abs(run.d.qvel).max())
    run.until(end)
    assert run.gap < 1e-5 and run.error(motion, 1) < 2e-3


def four_bar(**more):
    return sk.Mechanism(
        "Four-bar",
        points={"A": (0, 0), "B": (0.1, 0.2), "C": (0.5, 0.4), "D": (0.5, 0), "P": (0.3, 0.5)},
        links={
            "ground": ["A", "D"],
            "crank": {"points": ["A", "B"], **ROD},
            "coupler": {"points": ["B", "C", "P"], "mass": 0.8, "center": (0.3, 0.35), "inertia": 0.02},
            "rocker": {"points": ["D", "C"], **ROD},
        },
        forces={**GRAVITY, **more},
        drivers={"swing": {"joint": "A"}},
        initial={"swing": {"speed": 1.0}},
        duration=1.0,
    )


def slider_crank():
    return sk.Mechanism(
        "Slider-crank",
        points={"O": (0, 0), "A": (0.1, 0.05), "B": (0.4, 0.1), "Q": (0.7, 0.1)},
        links={
            "ground": ["O", "Q"],
            "crank": {"points": ["O", "A"], **ROD},
            "rod": {"points": ["A", "B"], **ROD},
            "piston": {"points": ["B"], "mass": 0.5},
        },
        joints={"guide": {"type": "prismatic", "links": ["piston", "ground"], "at": "B", "axis": (1, 0)}},
        forces={
            **GRAVITY,
            "spring": {"type": "spring", "between": ["B", "Q"], "stiffness": 40, "free_length": 0.2, "damping": 3,
                       "actuator": 2.0},
            "hinge": {"type": "torsion", "links": ["crank", "rod"], "stiffness": 0.5, "free_angle": 0.3,
                      "damping": 0.05},
            "push": {"type": "force", "at": "B", "value": (-1.5, 0.5)},
            "turn": {"type": "force", "at": (0.2, 0.08), "on": "rod", "frame": "local", "value": (0.2, -0.4)},
            "load": {"type": "moment", "on": "crank", "value": 0.1},
        },
        drivers={"swing": {"joint": "O", "torque": -0.05}},
        initial={"swing": {"value": 0.5, "speed": 3.0}},
        duration=0.6,
    )  # fmt: skip


def two_slots():
    """A bar held only by two slots and a pin of a swinging arm: it floats in MuJoCo's tree."""
    return sk.Mechanism(
        "Bar in two slots, and a pin in an arc",
        points={"U": (0.3, 0), "V": (0, 0.4), "O": (0.6, 0.5), "E": (0.9, 0.5), "F": (0.85, 0.3)},
        links={
            "ground": ["O"],
            "bar": {"points": ["U", "V"], **ROD},
            "arm": {"points": ["E", "F"], **ROD},
            "tip": {"points": ["F"], "mass": 0.2, "inertia": 1e-3},
        },
        joints={
            "floor": {"type": "pin-in-slot", "pin": "U", "slot": "ground", "axis": (1, 0)},
            "wall": {"type": "pin-in-slot", "pin": "V", "slot": "ground", "axis": (0, 1)},
            "arc": {"type": "pin-in-slot", "pin": "E", "slot": "ground", "center": "O"},
            "line": {"type": "pin-in-slot", "pin": "F", "slot": "bar", "axis": (1, -0.3)},
            "weld": {"type": "fastened", "links": ["arm", "tip"], "at": "F"},
        },
        drivers={"lean": {"links": ["ground", "bar"]}, "sway": {"links": ["ground", "arm"]}},
        forces=GRAVITY,
        duration=0.25,
    )


def freed(name):
    """An example with masses and free drivers, falling under gravity."""
    data = sk.load(path(name)).source_dict
    scale = sk.load(path(name)).units.length_scale
    for link, entry in data["links"].items():
        points = entry["points"] if isinstance(entry, dict) else entry
        places = np.array([data["points"][point] for point in points], dtype=float)
        if link != "ground":
            center = (places.mean(axis=0) + 0.05 * np.ptp(list(data["points"].values()), axis=0)).tolist()
            inertia = (0.1 * scale * np.ptp(list(data["points"].values()), axis=0).max()) ** 2
            data["links"][link] = {"points": points, "mass": 1.0, "center": center, "inertia": float(inertia)}
    for entry in data["drivers"].values():
        for law in ("speed", "law", "table", "csv"):
            entry.pop(law, None)
    data["forces"] = {"gravity": (-6, -9.81)}
    size = scale * max(np.ptp(list(data["points"].values()), axis=0))
    data["duration"] = float(np.sqrt(size / 9.81))
    return sk.Mechanism.from_dict(data)


FREED = [
    "geared_five_bar", "planetary_train", "rack_and_pinion", "rolling_lift_bridge", "scotch_yoke",
    "oldham_coupling", "platform_3rpr", "wafer_arm", "tipper_hoist", "jansen_leg", "elliptic_trammel", "v_engine",
]  # fmt: skip


@pytest.mark.parametrize("make", few([four_bar, slider_crank, two_slots, *FREED], 6))
def test_free_motion_is_that_of_our_simulation(make):
    mechanism = freed(make) if isinstance(make, str) else make()
    run = Run(mechanism)
    steps = round(mechanism.duration / 5 / run.m.opt.timestep)
    times = np.arange(6) * steps * run.m.opt.timestep
    sim = mechanism.simulate(times)
    moved = max(np.ptp(sim.position(point), axis=0).max() for point in mechanism.places)
    assert not sim.stopped and moved > 0.02 * run.size
    assert run.closure() < 1e-14 and run.error(sim, 0) < 1e-14
    for k, t in enumerate(times[1:], 1):
        run.until(t)
        assert run.error(sim, k) < 5e-5, (t, run.error(sim, k))
    assert run.gap < 5e-5


def test_massless_links_get_a_small_mass_that_changes_little():
    data = freed("whitworth_shaper").source_dict
    data["links"]["block"] = ["B"]
    mechanism = sk.Mechanism.from_dict(data)
    run = Run(mechanism)
    assert run.notes == ("without mass: block; MuJoCo needs it, so here it is 0.0001 kg",)
    end = round(mechanism.duration / run.m.opt.timestep) * run.m.opt.timestep
    run.until(end)
    assert run.error(mechanism.simulate([0.0, end]), 1) < 2e-4


def test_laws_of_time_are_noted(tmp_path):
    mechanism = sk.load(path("excavator"))
    run = Run(mechanism)
    said = "set the controls of boom_cylinder, arm_cylinder, bucket_cylinder, and of their rates"
    at_start = 'begin a run from the key "start": it holds pose, speeds and controls at time 0'
    assert run.notes == (f"MJCF has no laws of time: {said}", at_start)
    rocker = sk.load(path("crank_rocker"))
    assert any("no link has a mass" in note for note in Run(rocker).notes)
    rocker.save(tmp_path / "x.xml")
    assert "no link has a mass" in (tmp_path / "x.xml").read_text(encoding="utf-8")
    assert mujoco.MjModel.from_xml_path(str(tmp_path / "x.xml")).nq == 3


def test_every_reason_is_reported_and_nothing_written(tmp_path):
    data = sk.load(path("cam_lever_press")).source_dict
    data["forces"] = {"drag": {"type": "friction", "joint": "guide", "limit": 2}}
    with pytest.raises(sk.InputError, match=r"as MJCF: 2 errors(?s:.*)no cams(?s:.*)no dry friction that is limit"):
        sk.Mechanism.from_dict(data).save(tmp_path / "x.xml")
    assert not os.listdir(tmp_path)


@pytest.mark.parametrize(
    ("driver", "initial"),
    [({"speed": 2.0}, {}), ({"torque": 2.0}, {}), ({"law": "t"}, {}), ({}, {"motor": {"speed": 1.0}})],
)
def test_a_run_that_begins_elsewhere_is_another(driver, initial):
    arm = {"shape": "rod", "points": ["A", "B"], "density": 2.0}
    data = {"points": {"A": [0, 0], "B": [1, 0]}, "links": {"ground": ["A"], "arm": arm}, "initial": initial}
    at_start = 'begin a run from the key "start"'
    assert at_start in Run(sk.Mechanism.from_dict({**data, "drivers": {"motor": {"joint": "A", **driver}}})).notes[-1]
    rest = Run(sk.Mechanism.from_dict({**data, "drivers": {"motor": {"joint": "A"}}, "initial": {}}))
    assert not any(at_start in note for note in rest.notes)


def test_a_structure_is_exported_at_rest():
    run = Run(sk.Mechanism(points={"A": (0, 0), "B": (1.2, 1), "C": (3, 0)}, forces=GRAVITY,
                           links={"ground": ["A", "C"], "l0": ["A", "B"], "l1": ["B", "C"]}))  # fmt: skip
    assert run.closure() < 1e-14 and len(run.notes) == 1
    run.until(0.05)
    assert np.abs(run.d.qvel).max() < 1e-3


def test_a_start_out_of_reach_is_a_reason_like_others(tmp_path):
    data = sk.load(path("triple_rocker")).source_dict
    data["drivers"]["motor"] = {"joint": "A", "law": "150 + t"}
    data["forces"] = {"drag": {"type": "friction", "joint": "A", "limit": 2}}
    said = (
        r"as MJCF: 2 errors(?s:.*)no dry friction that is limit(?s:.*)drivers: the start has no regular pose: sample 0"
    )
    with pytest.raises(sk.InputError, match=said):
        sk.Mechanism.from_dict(data).save(tmp_path / "x.xml")
    assert not os.listdir(tmp_path)


BAR = {"mass": 1.0, "inertia": 0.1}


def bent_arm(law):
    """A crank and an arm with a plate bolted across it, whose angle to the ground is driven."""
    return sk.Mechanism(
        points={"A": (0, 0), "B": (1, 0), "C": (2, 1), "F": (2, 2)},
        links={
            "ground": ["A"],
            "crank": {"points": ["A", "B"], "center": (0.5, 0), **BAR},
            "arm": {"points": ["B", "C"], "center": (1.5, 0.5), **BAR},
            "plate": {"points": ["C", "F"], "center": (2, 1.5), **BAR},
        },
        joints={"bolt": {"type": "fastened", "links": ["arm", "plate"]}},
        drivers={"motor": {"joint": "A", "speed": 1}, "wrist": {"links": ["ground", "plate"], **law}},
    )


def guided_arm(law):
    """A slide on a turning crank, and a bar on the ground that is driven against the slide."""
    return sk.Mechanism(
        points={"A": (0, 0), "B": (1, 1), "P": (1, 1), "Q": (2, 1), "D": (0, -1), "E": (0, -2)},
        links={
            "ground": ["A", "D"],
            "crank": {"points": ["A", "B"], "center": (0.5, 0), **BAR},
            "slide": {"points": ["P", "Q"], "center": (1.5, 1), **BAR},
            "bar": {"points": ["D", "E"], "center": (0, -1.5), **BAR},
        },
        joints={"guide": {"type": "prismatic", "links": ["slide", "crank"], "axis": (1, 0)}},
        drivers={
            "motor": {"joint": "A", "speed": 1},
            "push": {"joint": "guide", "speed": 0.1},
            "rel": {"links": ["slide", "bar"], **law},
        },
    )


@pytest.mark.parametrize("make", [bent_arm, guided_arm])
@pytest.mark.parametrize("law", [{"speed": 0.5}, {"law": "0.3 + 0.5*t"}])
def test_a_driven_angle_across_links_that_do_not_turn_starts_where_its_driver_is(make, law):
    run = Run(make(law))
    end = 60 * run.m.opt.timestep
    motion = run.mechanism.solve(t=[0.0, end])
    assert np.allclose(run.d.actuator_force, 0.0, atol=1e-8)
    run.until(end)
    assert run.error(motion, 1) < 2e-3


@pytest.mark.parametrize(
    "load",
    [
        {"type": "moment", "on": "slide", "law": "2*t"},
        {"type": "torsion", "links": ["ground", "slide"], "stiffness": 3.0, "free_angle": 1.0},
        {"type": "torsion", "links": ["slide", "shoe"], "damping": 3.0, "actuator": 1.0},
        {"type": "moment", "links": ["slide", "shoe"], "value": 2.0},
    ],
)
def test_a_moment_between_links_that_do_not_turn_is_left_out_with_a_note(load):
    run = Run(sk.Mechanism(
        points={"A": (0, 0), "B": (1, 0), "C": (2, 0)},
        links={
            "ground": [],
            "slide": {"points": ["A", "B"], "center": (0.5, 0), **BAR},
            "shoe": {"points": ["A"], **BAR},
            "rod": {"points": ["B", "C"], "center": (1.5, 0), **BAR},
        },
        joints={
            "guide": {"type": "prismatic", "links": ["slide", "ground"], "axis": (1, 0)},
            "bolt": {"type": "fastened", "links": ["slide", "shoe"]},
        },
        drivers={"push": {"joint": "guide", "force": 1.0}, "swing": {"joint": "B"}},
        forces={"idle": load},
    ))  # fmt: skip
    assert run.notes[0] == "left out, since their links do not turn against each other: idle"
    steps = 200
    motion = run.mechanism.simulate([0.0, steps * run.m.opt.timestep])
    run.until(steps * run.m.opt.timestep)
    assert run.error(motion, 1) < 1e-6


def two_bars(**more):
    links = {
        "ground": ["A"],
        "b": {"points": ["A", "B"], "center": (0.5, 0), **BAR},
        "c": {"points": ["B", "C"], "center": (1.5, 0.5), **BAR},
    }
    return {
        "points": {"A": (0, 0), "B": (1, 0), "C": (2, 1)},
        "links": links,
        "drivers": {"m": {"joint": "A", "speed": 1}, "n": {"joint": "B", "speed": 2}},
        **more,
    }


def called_world():
    data = two_bars(forces={"f": {"type": "force", "at": (0.3, 0), "on": "world", "value": (1, 1)}})
    data["links"]["world"] = data["links"].pop("b")
    return data


def a_point_called_as_a_place():
    data = two_bars(forces={"f": {"type": "force", "at": (0.3, 0), "on": "b", "value": (1, 1)}})
    data["points"]["place 1"] = (0.4, 0.2)
    data["links"]["b"]["points"] = ["A", "B", "place 1"]
    return data


def geared():
    data = sk.load(path("geared_five_bar")).source_dict
    first, second, *_ = data["points"]
    return data | {"forces": {"mesh ratio": {"type": "spring", "between": [first, second], "stiffness": 1e-6}}}


def rolling():
    """A wheel that rolls on the ground, with a block on a guide that has the name of the wheel's first coordinate."""
    return {
        "points": {"M": (0, 1), "P": (0, 1.5), "O": (0, 0), "Q": (3, 0), "R": (4, 0)},
        "links": {
            "ground": ["O", "Q"],
            "w": {"points": ["M", "P"], "center": (0, 1), **BAR},
            "block": {"points": ["R"], **BAR},
        },
        "joints": {
            "roll": {"type": "rolling", "links": ["w", "ground"], "center": "M", "radius": 1, "along": ["O", "Q"]},
            "w x": {"type": "prismatic", "links": ["block", "ground"], "axis": (1, 0)},
        },
        "drivers": {"a": {"links": ["ground", "w"], "speed": 1}, "d": {"joint": "w x", "speed": 1}},
    }


def slotted():
    """The pin of a crank in a slot, with a link and its driver that have the names of the block in the slot."""
    return {
        "points": {"A": (0, 0), "B": (0, 1), "D": (0, -2), "E": (0, 2), "X": (3, 0), "Y": (4, 0)},
        "links": {
            "ground": ["A", "D", "X"],
            "crank": {"points": ["A", "B"], "center": (0, 0.5), **BAR},
            "arm": {"points": ["D", "E"], "center": (0, 0), **BAR},
            "slot block": {"points": ["X", "Y"], "center": (3.5, 0), **BAR},
        },
        "joints": {"slot": {"type": "pin-in-slot", "pin": "B", "slot": "arm", "axis": (0, 1)}},
        "drivers": {"m": {"joint": "A", "speed": 1}, "slot travel": {"joint": "X", "speed": 1}},
    }


MOMENT = {"type": "moment", "on": "b", "value": 1.0}


@pytest.mark.parametrize(
    ("data", "marked"),
    [
        (two_bars(forces={"m rate": MOMENT}), "m rate'"),
        (two_bars(forces={"f": {"type": "force", "at": "B", "on": "b", "value": (1, 1)}, "f x": MOMENT}), "f x'"),
        (called_world(), "world'"),
        (a_point_called_as_a_place(), "b: place 1'"),
        (geared(), "mesh ratio'"),
        (rolling(), "w x'"),
        (slotted(), "slot block', slot travel'"),
    ],
)
def test_names_of_parts_and_names_made_here_are_apart(data, marked):
    mechanism = sk.Mechanism.from_dict(data)
    run = Run(mechanism)
    said = [note for note in run.notes if "apostrophe" in note]
    assert len(said) == 1 and said[0].startswith("names that others have got an apostrophe: ") and marked in said[0]
    motion = mechanism.solve(t=[0.0, 60 * run.m.opt.timestep])
    assert run.closure() < 1e-14 and run.error(motion, 0) < 1e-14
    while run.d.time < motion.t[-1] - 0.5 * run.m.opt.timestep:
        mujoco.mj_step(run.m, run.d)
    mujoco.mj_forward(run.m, run.d)
    assert run.error(motion, 1) < 2e-3
