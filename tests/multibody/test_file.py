"""Files of bodies in space: their contents, and every error at once."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from spatial_cases import FOUR_BAR, changed

from structkin.errors import InputError
from structkin.examples import spatial
from structkin.multibody.file import from_dict, load


def faults(data):
    with pytest.raises(InputError) as caught:
        from_dict(data)
    return [str(problem) for problem in caught.value.problems]


def test_a_file_becomes_a_model_in_si():
    model = from_dict(FOUR_BAR)
    assert model.bodies["coupler"].mass == pytest.approx(7850 * np.pi * 0.004**2 * np.hypot(0.12, np.hypot(0.06, 0.09)))
    assert model.bodies["rocker"].inertia.tolist() == np.diag([2, 3, 4]).tolist()
    assert model.place("crank.B")[1].tolist() == [0.04, 0, 0] and model.place("ground.D")[0] == "ground"
    pull, coil, drum, end = (model.loads[name] for name in ("pull", "coil", "drum", "end"))
    assert pull.components[1](np.array([2.0]))[0] == 10 and pull.components[0](np.array([2.0]))[0] == 0
    assert coil.stiffness == 3000 and coil.length == pytest.approx(np.hypot(0.12, 0.06)) and coil.breaks_at == 40
    assert drum.rest == pytest.approx(np.pi / 2) and (end.lower, end.upper) == (-np.inf, pytest.approx(np.pi / 6))
    assert model.loads["twist"].follows and model.sensors["gap"].of == ("crank.B", "ground.D")
    assert model.gravity.tolist() == [0, 0, -9.81]


@pytest.mark.parametrize("name", spatial.names())
def test_examples_load_and_have_a_duration(name):
    model = load(spatial.path(name))
    assert model.name and model.duration and model.sensors


@pytest.mark.parametrize(
    ("path", "value", "expected"),
    [
        ("joints__A__axis", [0, 0, 0], "joints.A.axis: the direction [0, 0, 0] is not a direction"),
        ("joints__C__second", [1, 1, 0], "joints.C.second: is not perpendicular to the axis: the angle is 45 deg"),
        ("joints__C__second", 3, "joints.C.second: expected a direction [x, y, z], found the number 3"),
        ("joints__A__type", "hinge", "joints.A.type: the type 'hinge' is unknown; did you mean 'revolute'?"),
        ("joints__A__bodies", ["ground", "crnk"], "joints.A.bodies: body 'crnk' is not in [bodies]; did you mean"),
        ("joints__A__at", "E", "joints.A.at: point 'E' is not in [points]"),
        ("joints__A__speed", "5 mm/s", "joints.A.speed: '5 mm/s' is not an angular speed"),
        ("joints__A__pitch", 3, "joints.A: a revolute joint has no pitch"),
        ("joints__B__start", [1, 2], "joints.B.start: expected 3 numbers, found a list of 2"),
        ("bodies__crank__mass", 0, "bodies.crank.mass: expected a mass greater than zero, found 0"),
        ("bodies__rocker__inertia", [1, 1, 3], "bodies.rocker.inertia: no body has these principal moments: 1 + 1 < 3"),
        ("bodies__rocker__inertia", [1, 1, 1, 0, 0, 2], "bodies.rocker.inertia: has the negative principal moment -1"),
        ("bodies__rocker__inertia", [1, 1, float("nan")], "bodies.rocker.inertia: expected a finite number"),
        ("bodies__rocker__radius", 3, "bodies.rocker: has 'radius', but no shape"),
        ("bodies__crank__radius", 3, "bodies.crank: a rod has no 'radius'"),
        ("bodies__ground", {"points": ["A"], "mass": 3}, "bodies.ground: the ground does not move"),
        ("points__A", [0, float("inf"), 0], "points.A: expected a finite number, found inf"),
        ("points__A", [0, 0], "points.A: expected three numbers [x, y, z], found a list of 2"),
        ("forces__pull__at", "C", "forces.pull.at: the point 'C' is on 2 bodies; name the body as well"),
        ("forces__coil__between", ["crank.A", "crank.B"], "forces.coil: both points are on 'crank'"),
        (
            "forces__drum__coordinate",
            2,
            "forces.drum.coordinate: expected the number of a coordinate",
        ),
        ("forces__drum__joint", "E", "forces.drum.joint: there is no joint 'E'"),
        ("forces__end__lower", 40, "forces.end: its lower end is not below its upper end"),
        ("forces__twist__type", "torque", "forces.twist.type: the type 'torque' is unknown; write type = \"moment\""),
        ("joints__A__bodies", ["ground"], "joints.A.bodies: expected the names of two bodies, found a list of 1"),
        ("forces__pull__on", "ground", "forces.pull: 'at' is a point of 'rocker', but 'on' is 'ground'"),
        ("forces__pull", {"type": "force", "at": "rocker.C", "law": "t"}, "forces.pull.law: expected three components"),
        (
            "forces__pull",
            {"type": "force", "at": "rocker.C", "direction": [1, 0, 0], "value": "3 kg"},
            "forces.pull.value: '3 kg' is not",
        ),
        ("forces__idle", {"type": "joint", "joint": "A", "rest": 2}, "forces.idle: has neither a stiffness nor a"),
        ("forces__idle", {**FOUR_BAR["forces"]["coil"], "stiffness": 0}, "forces.idle: has neither a stiffness nor a"),
        ("sensors__gap__of", "crank.B", "sensors.gap.of: expected two points, found 1"),
        ("sensors__q__of", "Z", "sensors.q.of: there is no joint 'Z'"),
        ("gravity", [0, 0, -9.81], "gravity: unknown section or key; did you mean 'forces.gravity'?"),
        ("points__A-B", [0, 0, 0], "points.A-B: a name cannot contain '-'"),
        ("units__time", "s", "units: unknown key 'time'"),
        ("format", 2, "format: the file has format 2; this structkin reads formats up to 1"),
    ],
)
def test_one_error_is_reported_once_at_its_place(path, value, expected):
    found = faults(changed(**{path: value}))
    assert len(found) == 1 and found[0].startswith(expected)


def test_all_errors_are_reported_at_once():
    data = changed(bodies__crank__mass=-1, points__A="here", joints__B__at=[0, 0], forces__coil__stiffness=-3)
    assert [text.split(":")[0] for text in faults(data)] == [
        "points.A", "bodies.crank.mass", "joints.B.at", "forces.coil.stiffness",
    ]  # fmt: skip


def test_all_errors_of_an_entry_are_reported_at_once():
    drum = {"coordinate": 0, "stiffness": -1, "damping": "x", "rest": "3 m", "actuator": "foo(t)"}
    data = changed(
        bodies__wheel={"shape": "sphere", "size": [1, 1, 1], "between": ["A", "B"], "inertia": [1, 1, 1]},
        bodies__block={"radius": 2, "mass": -1, "inertia": [1, 1, 3]},
        joints__A={"type": "revolute", "bodies": ["crank", "crank"], "at": "E", "pitch": 3, "start": [1, 2]},
        joints__D__axis=[0, 0, 0],
        joints__D__speed="3 m",
        joints__F={"type": "fixed", "bodies": ["ground", "rocker"], "at": "D"},
        forces__drum={"type": "joint", "joint": "B", **drum},
        forces__end={"type": "stop", "joint": "C", "coordinate": 3, "stiffness": 0},
        forces__pull={"type": "force", "at": "rocker.Q", "law": ["import os", "1/0", "t"]},
        sensors__weld={"type": "rate", "of": "F"},
        sensors__none={"type": "angle", "of": "Z"},
    )
    assert sorted(text.split(";")[0] for text in faults(data)) == [
        "bodies.block.inertia: no body has these principal moments: 1 + 1 < 3",
        "bodies.block.mass: expected a mass greater than zero, found -1",
        "bodies.block: has 'radius', but no shape",
        "bodies.block: has no center",
        "bodies.wheel: a sphere has no 'between'",
        "bodies.wheel: a sphere has no 'size'",
        "bodies.wheel: has a shape and an inertia: a uniform sphere determines it",
        "bodies.wheel: the sphere has neither a mass nor a density",
        "bodies.wheel: the sphere has no center",
        "forces.drum.actuator: the function 'foo' is not allowed in a formula",
        "forces.drum.coordinate: expected the number of a coordinate, found the number 0",
        "forces.drum.damping: expected a number or a number with a unit, found the text 'x'",
        "forces.drum.rest: '3 m' is not an angle",
        "forces.drum.stiffness: expected a torsional stiffness that is not negative, found -1",
        "forces.end.coordinate: expected the number of a coordinate, found the number 3",
        "forces.end.stiffness: expected a stiffness greater than zero, found 0",
        "forces.end: has neither 'lower' nor 'upper'",
        "forces.pull.at: point 'Q' is not in [points]",
        "forces.pull.law: 'import os' is not a formula at character 1",
        "forces.pull.law: the formula divides by zero",
        "joints.A.at: point 'E' is not in [points]",
        "joints.A.start: expected a number, found a list of 2",
        "joints.A: a revolute joint has no pitch",
        "joints.A: a revolute joint needs an axis",
        "joints.A: joins 'crank' to itself",
        "joints.D.axis: the direction [0, 0, 0] is not a direction",
        "joints.D.speed: '3 m' is not an angular speed",
        "sensors.none.of: there is no joint 'Z'",
        "sensors.weld.of: a fixed joint has no coordinates",
    ]
    assert "known: B, C, F, A, D" in next(text for text in faults(data) if "'Z'" in text)


def test_what_does_not_depend_on_an_unknown_type_is_checked():
    """Only what the unknown types leave open may appear later, and the head says so."""
    data = changed(
        joints__A={"type": "hinge", "bodies": ["ground", "crnk"], "at": "E", "along": ["A", "G"], "pitch": 3},
        joints__D={"type": "fixd", "bodies": ["rocker", "rocker"], "axis": [0, 0, 1]},
        sensors__gap__type="distanse",
    )
    with pytest.raises(InputError) as caught:
        from_dict(data)
    assert [str(problem).split(";")[0] for problem in caught.value.problems] == [
        "joints.A.type: the type 'hinge' is unknown",
        "joints.A.bodies: body 'crnk' is not in [bodies]",
        "joints.A.at: point 'E' is not in [points]",
        "joints.A.along: point 'G' is not in [points]",
        "joints.D.type: the type 'fixd' is unknown",
        "joints.D: joins 'rocker' to itself",
        "sensors.gap.type: the type 'distanse' is unknown",
    ]
    assert str(caught.value).startswith("model: 7 errors; more may appear when these are corrected")


@pytest.mark.parametrize(
    ("path", "value", "expected"),
    [
        ("bodies__crank__shape", "rood", "found the text 'rood'; did you mean 'rod'?"),
        ("points__A", [0, 0], "found a list of 2; such as [0, 0, 0.1]"),
        ("forces__gravity", "down", "found the text 'down'; such as [0, 0, -9.81]"),
        (
            "forces__push",
            {"type": "force", "at": "rocker.C", "value": 3},
            "found the number 3; such as [0, 0, -100]; a magnitude needs a direction beside it",
        ),
    ],
)
def test_vectors_and_words_have_a_hint_and_no_error_that_follows(path, value, expected):
    (found,) = faults(changed(**{path: value}))
    assert found.endswith(expected)


def test_a_load_with_an_error_is_not_unknown_to_sensors():
    data = changed(forces__coil__stiffness="x", sensors__e={"type": "potential_energy", "of": ["coil"]})
    assert [text.split(":")[0] for text in faults(data)] == ["forces.coil.stiffness"]


def test_a_text_that_a_file_may_not_have_is_refused_in_python_too():
    assert faults(FOUR_BAR | {"title": "x" * 20_000}) == [
        "a text in 'title' has 20,000 characters; at most 10,000 are read"
    ]


def test_too_many_entries_are_refused_before_the_work():
    data = {**FOUR_BAR, "points": {f"P{k}": [k, 0, 0] for k in range(3000)} | FOUR_BAR["points"]}
    assert faults(data) == ["points: has 3004 entries; the limit is 2000; make a smaller model"]


leaf = st.none() | st.booleans() | st.integers(-5, 5) | st.floats() | st.text(max_size=4)
value = st.recursive(leaf, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner))
places = st.sampled_from([f"{s}__{n}" for s in FOUR_BAR for n in FOUR_BAR[s]] + list(FOUR_BAR))
deeper = st.sampled_from(
    [f"{s}__{n}__{k}" for s in FOUR_BAR for n, e in FOUR_BAR[s].items() if isinstance(e, dict) for k in e]
)


@settings(max_examples=25, deadline=None)
@given(path=places | deeper, value=value)
def test_any_file_gives_a_model_or_an_input_error(path, value):
    try:
        from_dict(changed(**{path: value}))
    except InputError as error:
        assert error.problems


def random_points(rng, entry):
    """Points spread evenly over a uniform shape, for its integrals."""
    n = 200_000
    if entry["shape"] == "box":
        x, y = (np.asarray(a, dtype=float) for a in entry["axes"])
        return entry["center"] + (rng.random((n, 3)) - 0.5) * entry["size"] @ np.array([x, y, np.cross(x, y)])
    a, b = (np.asarray(p, dtype=float) for p in entry["between"])
    axis = (b - a) / np.linalg.norm(b - a)
    u = np.linalg.svd(axis[None])[2][1:]
    r = entry.get("radius", 0) * np.sqrt(rng.random((n, 1)))
    turn = 2 * np.pi * rng.random((n, 1))
    return a + rng.random((n, 1)) * (b - a) + r * (np.cos(turn) * u[0] + np.sin(turn) * u[1])


@pytest.mark.parametrize(
    "entry",
    [
        {"shape": "rod", "between": [[0, 0, 0], [1, 2, 0.5]], "mass": 2},
        {"shape": "cylinder", "between": [[0, 1, 0], [1, 2, 0.5]], "radius": 0.7, "mass": 2},
        {"shape": "box", "center": [1, 2, 3], "size": [1, 2, 3], "axes": [[0.6, 0.8, 0], [0, 0, 1]], "mass": 2},
    ],
)
def test_shapes_have_the_integrals_of_their_volume(entry):
    body = from_dict({"bodies": {"b": entry}}).bodies["b"]
    x = random_points(np.random.default_rng(3), entry)
    arm = x - x.mean(axis=0)
    second = arm.T @ arm / len(arm) * entry["mass"]
    assert body.center == pytest.approx(x.mean(axis=0), abs=0.02)
    assert body.inertia == pytest.approx(np.trace(second) * np.eye(3) - second, abs=0.02)


@pytest.mark.parametrize("order", ["PQRX", "PRQX", "RPQX", "QRPX"])
def test_a_rod_spans_its_points_in_any_order(order):
    """From (0, 0, 0) to (2, 4, 4): 6 m; the fourth point is beside it."""
    points = {"P": [0, 0, 0], "Q": [1, 2, 2], "R": [2, 4, 4], "X": [3, 0, 0]}
    entry = {"points": list(order), "shape": "rod", "density": 0.5}
    body = from_dict({"points": points, "bodies": {"b": entry}}).bodies["b"]
    assert (body.mass, body.center.tolist()) == (pytest.approx(3), [1, 2, 2])
    assert np.linalg.eigvalsh(body.inertia) == pytest.approx([0, 9, 9])


def test_point_masses_are_added_by_the_parallel_axis_theorem():
    data = {
        "points": {"P": [1, 0, 0], "Q": [-1, 0, 0]},
        "bodies": {"b": {"point_masses": {"P": 1, "Q": 3}}, "c": {"shape": "sphere", "center": "P", "radius": 0.1,
                                                                  "mass": 1, "point_masses": {"Q": 1}}},
    }  # fmt: skip
    model = from_dict(data)
    assert model.bodies["b"].center.tolist() == [-0.5, 0, 0] and model.bodies["b"].mass == 4
    assert model.bodies["b"].inertia == pytest.approx(np.diag([0, 3, 3]))
    assert model.bodies["c"].inertia == pytest.approx(np.diag([0.004, 2.004, 2.004]))
