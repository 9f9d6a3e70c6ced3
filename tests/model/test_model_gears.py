"""Gears, belts, racks and rolling contacts in a file: what is read from it, and every problem with key and hint."""

import copy

import pytest

import structkin as sk

PAIR = {
    "points": {"A": [0, 0], "B": [0.03, 0], "C": [0.04, 0], "D": [0.01, 0]},
    "links": {"ground": ["A", "B"], "small": ["A", "D"], "large": ["B", "C"]},
    "joints": {"mesh": {"type": "gear", "links": ["small", "large"], "teeth": [20, 40]}},
    "drivers": {"motor": {"joint": "A", "speed": 1}},
}
RACK = {
    "points": {"O": [0, 0], "T": [0.1, -0.02], "S": [0.3, -0.02], "A": [0.01, 0]},
    "links": {"ground": ["O"], "pinion": ["O", "A"], "rack": ["T", "S"]},
    "joints": {
        "guide": {"type": "prismatic", "links": ["rack", "ground"], "axis": [1, 0]},
        "mesh": {"type": "rack", "links": ["pinion", "rack"], "radius": 0.02},
    },
    "drivers": {"motor": {"joint": "O", "speed": 1}},
}
WHEEL = {
    "points": {"P": [-1, 0], "Q": [1, 0], "C": [0, 0.2], "E": [0.2, 0.2], "O": [0, -0.3]},
    "links": {"ground": ["P", "Q", "O"], "wheel": ["C", "E"]},
    "joints": {"roll": {"type": "rolling", "links": ["wheel", "ground"], "radius": 0.2, "along": ["P", "Q"]}},
    "drivers": {"motor": {"links": ["ground", "wheel"], "speed": 1}},
}
CIRCLES = {"type": "rolling", "links": ["wheel", "ground"], "centers": ["C", "O"], "radii": [0.2, 0.3]}


def changed(base, joint="mesh", **changes):
    """The same file with another joint: None deletes a key, a mapping of that name replaces the entry."""
    data = copy.deepcopy(base)
    entry = data["joints"][joint]
    for key, value in changes.items():
        entry[key] = value
        if value is None:
            del entry[key]
    return data


def mesh(data, id="mesh"):
    return sk.Mechanism.from_dict(data).joints[id]


# --- what is read ---------------------------------------------------------------------------------------------


def test_teeth_radii_and_ratio_give_the_same():
    for changes in ({}, {"teeth": None, "radii": [0.01, 0.02]}, {"teeth": None, "ratio": -2}):
        found = mesh(changed(PAIR, **changes))
        assert found.ratio == -2 and found.arm == "ground"
        assert found.radii == pytest.approx((0.01, 0.02))


def test_an_internal_gear_turns_in_the_same_sense():
    data = changed(PAIR, teeth=[20, 80], internal=True)
    assert mesh(data).ratio == 4 and mesh(data).radii == pytest.approx((0.01, 0.04))
    assert mesh(changed(PAIR, teeth=None, ratio=4)) == mesh(data)


def test_belts_turn_in_the_same_sense_unless_crossed():
    open_ = changed(PAIR, type="belt")
    assert mesh(open_).ratio == 2
    assert mesh(changed(PAIR, type="belt", crossed=True)).ratio == -2
    assert mesh(changed(PAIR, type="belt", teeth=None, radii=[0.01, 0.005])).ratio == 0.5


@pytest.mark.parametrize("along", [None, ["T", "S"]])
@pytest.mark.parametrize(("side", "lever"), [(-0.02, 0.02), (0.02, -0.02)])
def test_a_rack_below_its_pinion_moves_right_where_it_turns_counter_clockwise(along, side, lever):
    data = changed(RACK, along=along) if along else copy.deepcopy(RACK)
    data["points"].update(T=[0.1, side], S=[0.3, side])
    assert mesh(data).lever == pytest.approx(lever)
    motion = sk.Mechanism.from_dict(data).solve(drivers={"motor": [0.0, 0.5, 7.0]})
    assert motion.travel("guide") == pytest.approx([0, 0.5 * lever, 7 * lever])


def test_a_wheel_above_its_line_rolls_back_where_it_turns_counter_clockwise():
    motion = sk.Mechanism.from_dict(WHEEL).solve(drivers={"motor": [0.0, 1.0, 9.0]})
    assert motion.position("C")[:, 0] == pytest.approx([0, -0.2, -1.8])
    assert motion.position("C")[:, 1] == pytest.approx(0.2)
    assert motion.travel("roll") == pytest.approx([0, -0.2, -1.8])


def test_a_carrier_that_moves_is_found():
    data = copy.deepcopy(PAIR)
    data["links"] = {"ground": ["A"], "arm": ["A", "B"], "small": ["A", "D"], "large": ["B", "C"]}
    data["drivers"] = {
        "sun": {"links": ["ground", "small"], "speed": 1},
        "arm": {"links": ["ground", "arm"], "speed": 2},
    }
    assert mesh(data).arm == "arm"


def test_a_differential_of_spur_gears_shares_two_speeds():
    joints = {
        "left_a": {"type": "gear", "links": ["left", "a"], "teeth": [30, 20]},
        "a_b": {"type": "gear", "links": ["a", "b"], "teeth": [20, 20]},
        "b_right": {"type": "gear", "links": ["b", "right"], "teeth": [20, 30]},
    }
    height = (0.05**2 - 0.02**2) ** 0.5
    data = {
        "points": {"O": [0, 0], "A": [-0.02, height], "B": [0.02, height]},
        "links": {"ground": ["O"], "cage": ["O", "A", "B"], "left": ["O"], "right": ["O"], "a": ["A"], "b": ["B"]},
        "joints": joints,
        "drivers": {
            "left": {"links": ["ground", "left"], "speed": 3},
            "right": {"links": ["ground", "right"], "speed": 5},
        },
        "duration": 1,
    }
    motion = sk.Mechanism.from_dict(data).solve(5)
    assert [group.kind for group in motion.structure.groups] == ["driven R", "driven R", "gear train"]
    assert motion.ok.all() and motion.omega("cage") == pytest.approx(4) and motion.K("cage") == pytest.approx(0.5)


def test_the_builder_gives_the_same_as_the_file():
    def start(base):
        return sk.Builder().points(base["points"]).links(base["links"]).drive("motor", **base["drivers"]["motor"])

    built = start(PAIR).gear("mesh", links=["small", "large"], teeth=(20, 40)).build()
    assert built.joints["mesh"] == mesh(PAIR)
    built = start(PAIR).belt("mesh", links=["small", "large"], radii=(0.008, "16 mm"), crossed=True).build()
    assert built.joints["mesh"].ratio == -2
    built = start(RACK).prismatic("guide", links=["rack", "ground"], axis=(1, 0))
    assert built.rack("mesh", links=["pinion", "rack"], radius=0.02).build().joints["mesh"] == mesh(RACK)
    built = start(WHEEL).rolling("roll", links=["wheel", "ground"], radius=0.2, along=["P", "Q"]).build()
    assert built.joints["roll"] == mesh(WHEEL, "roll")
    built = start(WHEEL).rolling("roll", links=["wheel", "ground"], centers=["C", "O"], radii=(0.2, 0.3)).build()
    assert built.joints["roll"].reach == 0.5


# --- bad input ------------------------------------------------------------------------------------------------

MISTAKES = [
    (changed(PAIR, links=["small", "lrge"]), "joints.mesh.links", "link 'lrge' is not in [links]", "'large'"),
    (changed(PAIR, links=["small", "small"]), "joints.mesh", "joins the link 'small' to itself", "two links"),
    (changed(PAIR, teeth=None), "joints.mesh", "has no ratio", "teeth = [20, 40]"),
    (changed(PAIR, teeth=None, ratio=0), "joints.mesh.ratio", "expected a ratio other than zero", "omega_1"),
    (changed(PAIR, teeth=[20, 40.5]), "joints.mesh.teeth", "whole numbers of teeth", "[20, 40]"),
    (changed(PAIR, teeth=[20, 0]), "joints.mesh.teeth", "whole numbers of teeth", "[20, 40]"),
    (changed(PAIR, ratio=-3), "joints.mesh", "teeth and ratio contradict each other", "delete one"),
    (
        changed(PAIR, ratio=-3, teeth=None, radii=[0.01, 0.02]),
        "joints.mesh",
        "ratio and radii contradict",
        "delete one",
    ),
    (changed(PAIR, ratio=2, teeth=None, internal=False), "joints.mesh", "contradicts internal = false", "negative"),
    (
        changed(PAIR, radii=[0.02, 0.04]),
        "joints.mesh",
        "add up to 0.06 m, but the centres are 0.03 m apart",
        "check the radii",
    ),
    (changed(PAIR, radii=[0.03, 0.06]), "joints.mesh", "add up to 0.09 m", "internal = true"),
    (changed(PAIR, radii=[0.01, -0.02]), "joints.mesh.radii", "two positive radii", "internal"),
    (changed(PAIR, internal="yes"), "joints.mesh.internal", "expected true or false", ""),
    (
        changed(PAIR, teeth=[20, 20], internal=True),
        "joints.mesh",
        "ratio 1 cannot have its centres apart",
        "externally",
    ),
    (changed(PAIR, carrier="small"), "joints.mesh", "the carrier 'small' is one of the two links", "holds both"),
    (changed(PAIR, carrier="arm"), "joints.mesh.carrier", "link 'arm' is not in [links]", ""),
    (changed(PAIR, centers=["A", "X"]), "joints.mesh", "point 'X' is not in [points]", ""),
    (changed(PAIR, centers=["A", "D"]), "joints.mesh.centers", "the point 'D' is not on 'large'", "B, C"),
    (changed(PAIR, type="belt", teeth=None, radii=[0.02, 0.06]), "joints.mesh", "more than 0.04 m", "radii"),
    (changed(PAIR, type="belt", internal=True), "joints.mesh", "unknown key 'internal'", ""),
    (changed(RACK, radius=None), "joints.mesh", "has no pitch radius", "along"),
    (changed(RACK, radius=-1), "joints.mesh.radius", "greater than zero", ""),
    (changed(RACK, radius=0.03, along=["T", "S"]), "joints.mesh", "contradicts the sketch", "delete either"),
    (changed(RACK, along=["T", "A"]), "joints.mesh", "'A' of along is not on the rack", "T, S"),
    (changed(RACK, carrier="pinion"), "joints.mesh", "the carrier 'pinion' is one of the two links", ""),
    (changed(WHEEL, "roll", along=None), "joints.roll", "does not say what it rolls on", "along"),
    (changed(WHEEL, "roll", along=["P", "E"]), "joints.roll", "'E' of along is not on 'ground'", "P, Q"),
    (changed(WHEEL, "roll", radius=0.4), "joints.roll", "is 0.2 m from the line, the radius is 0.4 m", "draw"),
    (changed(WHEEL, "roll", center="P"), "joints.roll", "the centre 'P' is not on 'wheel'", "C, E"),
    (changed(WHEEL, "roll", radii=[1, 2]), "joints.roll", "has 'along' as well as", "circles"),
]


@pytest.mark.parametrize(("data", "key", "message", "hint"), MISTAKES)
def test_a_problem_is_reported_with_key_and_hint(data, key, message, hint):
    with pytest.raises(sk.InputError) as caught:
        sk.Mechanism.from_dict(data)
    (problem,) = caught.value.problems
    assert problem.key == key
    assert message in problem.message and hint in problem.hint


def with_joint(base, entry, **links):
    data = copy.deepcopy(base)
    data["joints"] = {"roll" if base is WHEEL else "mesh": entry}
    data["links"].update(links)
    return data


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (with_joint(PAIR, PAIR["joints"]["mesh"], ground=["A"], other=["B", "A"]), "no link holds both centres"),
        (with_joint(PAIR, PAIR["joints"]["mesh"], arm=["A", "B"]), "has 2 possible carriers: ground, arm"),
        (with_joint(PAIR, {**PAIR["joints"]["mesh"], "carrier": "cage"}, cage=["A"], large=["A", "C"]), "on one axis"),
        (with_joint(WHEEL, {**CIRCLES, "radii": [0.2, 0.5]}), "the centres are 0.5 m apart, not 0.7 m"),
        (with_joint(WHEEL, {**CIRCLES, "radii": [0.5, 0.5], "internal": True}), "circles of equal size"),
        (with_joint(WHEEL, {**CIRCLES, "radius": 0.2}), "has 'radius' or 'center' as well as"),
        (with_joint(WHEEL, {**CIRCLES, "centers": ["P", "O"]}), "the centre 'P' is not on 'wheel'"),
        (with_joint(RACK, RACK["joints"]["mesh"]), "has to hold 'pinion' by a pin and 'rack' by a prismatic joint"),
    ],
)
def test_carriers_and_sketches_that_do_not_fit(data, message):
    if message.startswith("no link"):
        del data["links"]["other"]
        data["links"]["extra"] = ["B"]
    with pytest.raises(sk.InputError, match="error") as caught:
        sk.Mechanism.from_dict(data)
    assert any(message in problem.message for problem in caught.value.problems)


def test_every_problem_is_reported_at_once():
    data = changed(PAIR, teeth=[20, "x"], links=["small", "lrge"])
    data["joints"]["other"] = {"type": "rack", "links": ["small", "large"]}
    with pytest.raises(sk.InputError) as caught:
        sk.Mechanism.from_dict(data)
    keys = [problem.key for problem in caught.value.problems]
    assert keys.count("joints.mesh.teeth") == 1 and "joints.mesh.links" in keys and "joints.other" in keys


def test_a_mesh_cannot_be_driven():
    data = copy.deepcopy(PAIR)
    data["drivers"]["motor"] = {"joint": "mesh", "speed": 1}
    with pytest.raises(sk.InputError, match="a gear mesh \\('mesh'\\) cannot be driven"):
        sk.Mechanism.from_dict(data)


def test_a_ratio_of_opposite_sense_to_an_internal_gear():
    data = {**PAIR, "joints": {"mesh": {"type": "gear", "links": ["small", "large"], "teeth": [20, 40], "ratio": 2.0}}}
    data["joints"]["mesh"]["internal"] = False
    with pytest.raises(sk.InputError, match="the ratio 2 contradicts internal = false"):
        sk.Mechanism(**data)
