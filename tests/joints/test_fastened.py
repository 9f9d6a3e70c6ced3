"""Links that are fastened to each other move, and carry forces, as one link does."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from cases import few

import structkin as sk
from structkin.global_methods.methods import FAMILIES
from structkin.joints.fastened import Fastened
from structkin.model.topology import Driver, Joint, Topology
from structkin.show import draw_matrices, draw_schematic, draw_structure
from structkin.structure import TopologyArrays, decompose, isomorphic

EXAMPLES = Path(__file__).parents[2] / "examples"
POINTS = {"A": (0, 0), "B": (1, 1), "C": (4, 3), "D": (5, 0), "E": (3, 4), "F": (5, 6), "G": (7, 1)}
MASSES = {"crank": (1.0, 0.5 + 0.5j, 0.1), "one": (1.5, 2 + 2j, 0.2), "two": (0.7, 3.2 + 3.5j, 0.05)}
#: The coupler in parts, as (points of each, fastened parts): in one group, in several, in three.
PARTS: dict[str, tuple[dict[str, list[str]], dict[str, list[str]]]] = {
    "one follows": ({"one": ["B", "C"], "two": ["E"]}, {"weld": ["one", "two"]}),
    "a composite link": ({"one": ["B"], "two": ["C", "E"]}, {"weld": ["one", "two"]}),
    "three": ({"one": ["B"], "two": ["E", "B"], "bracket": ["C"]}, {"weld": ["bracket", "one", "two"]}),
    "a chain": (
        {"one": ["B"], "bracket": ["C"], "two": ["E"]}, {"weld": ["one", "bracket"], "bolt": ["bracket", "two"]},
    ),
}  # fmt: skip
METHODS = [
    {"engine": "python"},
    {"engine": "auto"},
    {"method": "topological-kl"},
    *({"method": "global", "coordinates": family} for family in FAMILIES),
]


def body(points: list[str], *parts: str) -> dict[str, Any]:
    """A link with the combined masses of these parts."""
    masses = [MASSES[part] for part in parts if part in MASSES]
    if not masses:
        return {"points": points}
    m = sum(mass for mass, _, _ in masses)
    center = sum(mass * place for mass, place, _ in masses) / m
    inertia = sum(own + mass * abs(place - center) ** 2 for mass, place, own in masses)
    return {"points": points, "mass": m, "center": (center.real, center.imag), "inertia": inertia}


def six_bar(parts: str | None = None, **options: Any) -> sk.Mechanism:
    """A six-bar linkage with its coupler in one piece, or in parts."""
    points, fastened = PARTS[parts] if parts else ({}, {})
    coupler = {name: body(held, name) for name, held in points.items()}
    return sk.Mechanism(
        points=POINTS,
        links={
            "ground": ["A", "D", "G"],
            "crank": body(["A", "B"], "crank"),
            **(coupler or {"coupler": body(["B", "C", "E"], "one", "two")}),
            "rocker": ["C", "D"],
            "rod": ["E", "F"],
            "lever": ["F", "G"],
        },
        joints={
            id: {"type": "fastened", "links": links, **({"at": "E"} if "two" in links else {})}
            for id, links in fastened.items()
        },
        forces={"gravity": [0, -9.81], "push": {"type": "force", "at": "E", "value": [10, 5]}},
        **(options or {"drivers": {"motor": {"joint": "A", "speed": 3.0}}}),
    )


def cross(a: Any, b: Any) -> Any:
    """The moment of forces b at lever arms a."""
    a, b = np.broadcast_arrays(a, b)
    return a[:, 0] * b[:, 1] - a[:, 1] * b[:, 0]


@pytest.fixture(scope="module")
def whole() -> Any:
    return six_bar().solve(t=np.linspace(0, 2.5, 21))


@pytest.mark.parametrize(("parts", "options"), few(itertools.product(PARTS, METHODS), 10))
def test_it_moves_as_one_link(whole, parts, options):
    motion = six_bar(parts).solve(t=whole.t, **options)
    assert motion.ok.all() and motion.residual().max() < 1e-12
    for point in POINTS:
        for what in ("position", "velocity", "acceleration", "K", "L", "jerk"):
            expected = getattr(whole, what)(point)
            np.testing.assert_allclose(
                getattr(motion, what)(point), expected, atol=1e-11 * (1 + np.abs(expected).max())
            )


@pytest.mark.parametrize("parts", PARTS)
def test_its_branches(parts):
    one, many = six_bar(), six_bar(parts)
    assert str(many.limits("motor")) == str(one.limits("motor"))
    assert str(many.circuits("motor")) == str(one.circuits("motor"))
    poses = [[[a.position(point) for point in POINTS] for a in m.assemblies()] for m in (one, many)]
    np.testing.assert_allclose(*poses, atol=1e-9)


def test_structure():
    kinds = {name: [group.kind for group in six_bar(name).structure().groups] for name in PARTS}
    assert kinds == {
        "one follows": ["driven R", "RRR", "fastened", "RRR"],
        "a composite link": ["driven R", "RRR", "RRR"],
        "three": ["driven R", "RRR", "fastened", "RRR"],
        "a chain": ["driven R", "RRR", "fastened", "RRR"],
    }
    composite = six_bar("a composite link").structure().groups[1]
    assert composite.composite_links == (("one", "two"),) and composite.class_ == "II"
    assert {six_bar(name).structure().mobility for name in PARTS} == {1}
    assert {six_bar(name).topology.mobility_count for name in PARTS} == {1}


@pytest.mark.parametrize("parts", PARTS)
def test_forces(whole, parts):
    """Forces elsewhere are those of one link; those between the parts balance each part."""
    forces, expected = six_bar(parts).solve(t=whole.t).forces(), whole.forces()
    motion, joints = forces.motion, forces.motion.mechanism.joints
    for joint, link in (("A", "crank"), ("B", "crank"), ("C", "rocker"), ("D", "rocker"), ("E", "rod")):
        np.testing.assert_allclose(forces.reaction(joint, link), expected.reaction(joint, link), atol=1e-9)
    np.testing.assert_allclose(forces.driver("motor"), expected.driver("motor"), atol=1e-9)
    np.testing.assert_allclose(forces.shaking_moment, expected.shaking_moment, atol=1e-9)
    for name, held in PARTS[parts][0].items():
        m, _, inertia = MASSES.get(name, (0.0, 0j, 0.0))
        center = motion.position(motion.mechanism.links[name].center or 0j, name)
        force = m * (motion.acceleration(motion.mechanism.links[name].center or 0j, name) - [0, -9.81])
        moment = inertia * motion.alpha(name)
        bearing = [id for id, joint in joints.items() if name in joint.links]
        for id in bearing:
            push, place = forces.reaction(id, name), forces.reaction_place(id, name)
            force = force - push
            moment = moment - forces.reaction_moment(id, name) - cross(place - center, push)
        if "E" in held and name == motion.mechanism.link_of("E"):  # the load acts on the first link with its point
            force = force - [10, 5]
            moment = moment - cross(motion.position("E") - center, [10, 5])
        np.testing.assert_allclose(force, 0, atol=1e-9)
        np.testing.assert_allclose(moment, 0, atol=1e-9)


@pytest.mark.parametrize("coordinates", few([None, *FAMILIES], 3))
def test_it_swings_as_one_link(coordinates):
    free = {"drivers": {"motor": {"joint": "A"}}, "initial": {"motor": {"speed": 3.0}}}
    options = {} if coordinates is None else {"formulation": "multipliers", "coordinates": coordinates}
    one, run = six_bar(**free).simulate(0.2, samples=3), six_bar("three", **free).simulate(0.2, samples=3, **options)
    np.testing.assert_allclose(run.position("F"), one.position("F"), atol=1e-7)
    forces, body = run.forces(), run.mechanism.links["two"]
    force = MASSES["two"][0] * (run.acceleration(body.center, "two") - [0, -9.81])
    np.testing.assert_allclose(forces.reaction("weld", "two") + forces.reaction("E", "two"), force - [10, 5], atol=1e-6)
    for what in (forces.reaction, forces.reaction_moment):
        np.testing.assert_allclose(sum(what("weld", link) for link in PARTS["three"][0]), 0, atol=1e-9)


def geared(**crank: list[str]) -> sk.Mechanism:
    """A crank with a gear keyed to it, and a wheel that it drives."""
    joints = {"mesh": {"type": "gear", "links": ["gear" if "gear" in crank else "crank", "wheel"], "teeth": [20, 30]}}
    if "gear" in crank:
        joints["key"] = {"type": "fastened", "links": ["crank", "gear"]}
    return sk.Mechanism(
        points={"A": (0, 0), "B": (1, 1), "D": (5, 0), "W": (5, 1)},
        links={"ground": ["A", "D"], **crank, "wheel": ["D", "W"]},
        joints=joints,
        drivers={"motor": {"joint": "A", "links": ["ground", "crank"], "speed": 4.0}},
    )


@pytest.mark.parametrize("options", few(METHODS, 4))
def test_a_gear_counts_the_turns_of_its_crank(options):
    t = np.linspace(0, 5, 41)
    one, keyed = geared(crank=["A", "B"]), geared(crank=["A", "B"], gear=["A"])
    expected, motion = one.solve(t=t), keyed.solve(t=t, **options)
    np.testing.assert_allclose(motion.angle("wheel"), expected.angle("wheel"), atol=1e-9)
    np.testing.assert_allclose(np.diff(motion.angle("gear")), np.diff(expected.angle("crank")), atol=1e-9)
    np.testing.assert_allclose(motion.omega("wheel"), -4.0 * 20 / 30, atol=1e-9)


@pytest.mark.parametrize("options", METHODS)
def test_a_planet_fastened_to_its_arm_locks_the_train(options):
    m = sk.Mechanism(
        points={"A": (0, 0), "S": (0, 1), "C": (3, 0), "Q": (4, 1)},
        links={"ground": ["A"], "sun": ["A", "S"], "arm": ["A", "C"], "planet": ["C", "Q"]},
        joints={
            "mesh": {"type": "gear", "links": ["sun", "planet"], "teeth": [40, 20], "carrier": "arm"},
            "lock": {"type": "fastened", "links": ["arm", "planet"]},
        },
        drivers={"motor": {"joint": "A", "links": ["ground", "sun"], "speed": 2.0}},
    )
    motion = m.solve(t=np.linspace(0, 4, 17), **options)
    assert motion.ok.all()
    for link in ("arm", "planet"):
        np.testing.assert_allclose(motion.omega(link), 2.0, atol=1e-9)


def test_cams_on_one_shaft():
    """Two cams are keyed to a shaft: each moves its lifter as if alone on the shaft."""

    def camshaft(links: dict[str, list[str]], cams: list[str], joints: dict[str, Any]) -> Any:
        law = [
            {"motion": "cycloidal", "over": 3.0, "to": 0.4},
            {"motion": "cycloidal", "over": 2 * np.pi - 3.0, "to": 0},
        ]
        for k, (cam, at) in enumerate(zip(cams, "UV", strict=True)):
            joints[f"contact {k}"] = {
                "type": "cam", "cam": cam, "follower": f"lifter {k}", "contact": "roller", "at": at, "radius": 0.2,
                "law": law,
            }  # fmt: skip
            joints[f"guide {k}"] = {"type": "prismatic", "links": [f"lifter {k}", "ground"], "at": at, "axis": [0, 1]}
        m = sk.Mechanism(
            points={"A": (0, 0), "N": (0.5, 0.2), "U": (0, 2), "V": (0.3, -2)},
            links={"ground": ["A"], **links, "lifter 0": ["U"], "lifter 1": ["V"]},
            joints=joints,
            drivers={"motor": {"links": ["ground", "shaft"], "speed": 2.0}},
        )
        return m.solve(t=np.linspace(0, 4, 21))

    one = camshaft({"shaft": ["A", "N"]}, ["shaft", "shaft"], {})
    keyed = {"keys": {"type": "fastened", "links": ["shaft", "cam 0", "cam 1"]}}
    motion = camshaft({"shaft": ["A", "N"], "cam 0": ["A"], "cam 1": ["A"]}, ["cam 0", "cam 1"], keyed)
    assert motion.ok.all()
    for point in "UV":
        np.testing.assert_allclose(motion.acceleration(point), one.acceleration(point), atol=1e-9)


@pytest.mark.parametrize(
    ("example", "link"),
    [("cam_lever_press", "lever"), ("planetary_train", "arm"), ("geneva", "crank"), ("wafer_arm", "upper")],
)
def test_a_part_carries_the_pins_of_another(example, link):
    """A part with the same points comes first: it carries their pins, and the loads of the other part at them."""
    whole = sk.Mechanism.load(EXAMPLES / f"{example}.toml")
    data = whole.source_dict
    entry = data["links"][link]
    data["links"]["part"] = entry if isinstance(entry, list) else entry["points"]
    data["joints"]["weld"] = {"type": "fastened", "links": ["part", link]}
    parts = sk.Mechanism.from_dict(data, folder=EXAMPLES)
    assert any("part" in joint.links for joint in parts.topology.joints if joint.kind == "R")
    t = np.linspace(0, 1, 5)
    expected, motion = whole.solve(t=t), parts.solve(t=t)
    for name in set(whole.links) - {"ground"}:
        np.testing.assert_allclose(motion.acceleration(0j, name), expected.acceleration(0j, name), atol=1e-9, rtol=1e-9)
    for id in whole.drivers:
        effort = expected.forces().driver(id)
        np.testing.assert_allclose(motion.forces().driver(id), effort, atol=1e-9 * (1 + np.abs(effort).max()))


def test_fastened_in_a_circle():
    """The third joint repeats what two already fix: it is reported, and the mechanism still moves."""
    links = {"weld": ["one", "two"], "bolt": ["two", "bracket"], "key": ["bracket", "one"]}
    data = six_bar("three").source_dict
    data["joints"] = {id: {"type": "fastened", "links": ends} for id, ends in links.items()}
    m = sk.Mechanism.from_dict(data)
    assert [(one.id, one.equation) for one in m.structure().over] == [
        ("key", "orientation"), ("key", "position"), ("key", "position"),
    ]  # fmt: skip
    motion = m.solve(t=np.linspace(0, 2, 9))
    np.testing.assert_allclose(motion.position("F"), six_bar().solve(t=motion.t).position("F"), atol=1e-9)
    forces = motion.forces()
    assert not forces.unique("key") and forces.unique("A")


def test_lengths_override_the_sketch():
    """A point that fastened links share stays one point, even if the sketch is rounded."""
    m = sk.Mechanism(
        points={"A": (0, 0), "B": (1, 1), "C": (3, 1)},
        links={"ground": ["A"], "crank": ["A", "B"], "arm": ["B", "C"]},
        lengths={"A-B": 2.0},
        joints={"weld": {"type": "fastened", "links": ["crank", "arm"]}},
        drivers={"motor": {"joint": "A", "speed": 1.0}},
    )
    motion = m.solve(t=np.linspace(0, 3, 7))
    np.testing.assert_allclose(motion.position(0j, "arm"), motion.position("B"), atol=1e-12)
    assert list(m.topology.joints) == [Joint("A", "R", ("ground", "crank")), Joint("weld", "F", ("crank", "arm"))]


def test_bad_fastenings():
    def messages(**joints: Any) -> list[str]:
        data = six_bar("three").source_dict
        data["joints"] = {id: {"type": "fastened", **entry} for id, entry in joints.items()}
        with pytest.raises(sk.InputError) as error:
            sk.Mechanism.from_dict(data)
        return [str(problem) for problem in error.value.problems]

    assert messages(a={"links": ["one", "tow"]}, b={"links": ["one"]}, c={"links": ["one", "two", "one"]}) == [
        "joints.a.links: link 'tow' is not in [links]; did you mean 'two'?",
        "joints.b: fastens 1 link; name at least two links",
        "joints.c: names the link 'one' twice; delete one",
    ]
    assert messages(a={"links": "one"}, b={}, c={"links": ["one", "two"], "at": "G"}) == [
        'joints.a.links: expected a list of link names, found the text \'one\'; such as ["crank", "gear"]',
        """joints.b: 'links' is missing; such as { type = "fastened", links = ["crank", "gear"] }""",
        "joints.c: the point 'G' is on none of its links; for 'at' name a point of one of them",
    ]


def test_no_friction_of_fastened_links():
    data = geared(crank=["A", "B"], gear=["A"]).source_dict
    data["forces"] = {f"at {id}": {"type": "friction", "joint": id, "limit": 1.0} for id in ("key", "mesh")}
    with pytest.raises(sk.InputError, match="2 errors"):
        sk.Mechanism.from_dict(data)


def test_drivers_of_fastened_links():
    """A driver may name any of the links on its pin, but not a fastening."""

    def driven(**driver: Any) -> Any:
        data = geared(crank=["A", "B"], gear=["A", "B"]).source_dict
        return sk.Mechanism.from_dict({**data, "drivers": {"motor": {"speed": 4.0, **driver}}})

    assert driven(joint="A", links=["ground", "gear"]).topology.drivers == (
        Driver("motor", "angle", ("ground", "gear")),
    )
    for joint, message in (("key", "cannot be driven"), ("B", "is not a joint")):
        with pytest.raises(sk.InputError, match=message):
            driven(joint=joint)


def test_topologies():
    """A joint of many links is one joint in every form of a topology."""
    plain = {
        "links": ["0", "a", "b", "c"],
        "ground": "0",
        "joints": [{"id": "A", "kind": "R", "links": ["0", "a"]}, {"id": "w", "kind": "F", "links": ["a", "b", "c"]}],
        "drivers": [{"id": "A", "joint": "A"}],
    }
    t = Topology.from_dict(plain)
    assert t == Topology(
        ("0", "a", "b", "c"), "0", (Joint("A", "R", ("0", "a")), Joint("w", "F", ("a", "b", "c"))),
        (Driver("A", "angle", ("0", "a"), "A"),),
    )  # fmt: skip
    matrix = [["", "R:A", "", ""], ["R:A", "", "F:w", "F:w"], ["", "F:w", "", ""], ["", "F:w", "", ""]]
    assert isomorphic(t, Topology.from_adjacency(matrix, drivers=["A"]))
    arrays = TopologyArrays(4, "RF", [0, 1, 1, 2, 3], [0, 2, 5]).driven_at([0])
    assert isomorphic(t, arrays.to_topology()) and arrays.mobility_count == t.mobility_count == 1
    assert [group.kind for group in decompose(t).groups] == ["driven R", "fastened", "fastened"]
    assert decompose(t).is_solvable


def test_it_is_drawn():
    m = six_bar("three")
    figure = draw_schematic(m)
    assert "fastened:weld" in {patch.get_gid() for patch in figure.axes[0].patches}
    draw_structure(m.structure())
    draw_matrices(m.structure())


def test_built_part_by_part():
    m = (
        sk.Builder("Post")
        .points(A=(0, 0), B=(1, 0))
        .links(ground=["A"], post=["B"], arm=["B"])
        .fastened("bolts", links=["ground", "post", "arm"], at="B")
        .build()
    )  # fmt: skip
    assert isinstance(m.joints["bolts"], Fastened)
    np.testing.assert_allclose(m.solve(t=[0.0]).position("B"), [[1, 0]])
