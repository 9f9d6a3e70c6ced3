"""The public names of `structkin`: each once, methods on their classes, and a short repr of every object."""

from __future__ import annotations

import inspect

import pytest

import structkin as sk
from structkin.examples import path


@pytest.fixture(scope="module")
def m():
    return sk.load(path("crank_rocker"))


@pytest.fixture(scope="module")
def motion(m):
    return m.solve(samples=5, method="global")


@pytest.fixture(scope="module")
def nouns(m, motion):
    """Objects of the public classes; made here, so that a worker that runs other tests does not make them."""
    natural = m.constraints()
    return [
        m, m.topology, m.structure(), m.structure().groups[1], m.structure().arrays, motion, motion.statistics,
        motion.forces(), motion.classify(0), motion.structure, m.limits(), m.circuits(), m.assemblies(), m.assembly(),
        m.solve_many(samples=3, lengths={"A-B": [15]}), m.compare(5, methods=["global"], coordinates=["natural"]),
        m.rank_inputs(), m.rank_inputs()[0], m.four_bars()[0], natural, m.constraints("relative"),
        sk.newton_raphson(natural, natural.start()[:, 0], [1.0]), sk.TopologyArrays.from_topology(m.topology),
        sk.Builder("Crank"), m.units, m.topology.joints[0], m.topology.drivers[0], motion.plan,
    ]  # fmt: skip


def test_objects_have_a_short_repr(nouns):
    texts = [repr(noun) for noun in nouns]
    assert not [text for text in texts if len(text) > 140 or "\n" in text or " object at 0x" in text]


def test_every_name_exists_and_is_unique():
    things = [getattr(sk, name) for name in sk.__all__]
    assert len(set(map(id, things))) == len(things) and set(sk.__all__) <= set(dir(sk))
    classes = [thing for thing in things if inspect.isclass(thing)]
    assert all(thing.__name__ == name for name, thing in zip(sk.__all__, things, strict=True) if thing in classes)
    with pytest.raises(AttributeError, match="no attribute 'mechanism'"):
        _ = sk.mechanism


def test_methods_return_public_objects(m, motion):
    """Methods of public classes return objects of public classes, with all their methods."""
    arm = sk.Mechanism(
        points={"A": (0, 0), "B": (1, 0)},
        links={"ground": ["A"], "arm": {"points": ["A", "B"], "mass": 1, "shape": "rod"}},
    )
    run = arm.with_drivers({"swing": {"joint": "A"}}).simulate(0.01, samples=2)
    assert type(run) is sk.Simulation and type(run.mechanism) is sk.Mechanism and type(run.forces()) is sk.Kinetostatics
    assert type(motion) is sk.Motion and type(motion.forces().motion) is sk.Motion and motion.mechanism is m
    assert type(m.assembly().motion) is sk.Motion and type(m.assembly().mechanism()) is sk.Mechanism
    assert type(next(iter(m.assemblies())).motion) is type(m.assemblies().followed.motion) is sk.Motion
    assert type(m.topology) is sk.Topology and type(arm.topology) is sk.Topology
    data = {"links": ["a", "b"], "ground": "a", "joints": [{"id": "A", "kind": "R", "links": ["a", "b"]}]}
    assert (
        type(sk.Topology.from_dict(data)) is type(sk.Topology.from_adjacency([["", "R:A"], ["R:A", ""]])) is sk.Topology
    )


def test_a_noun_is_one_class_and_its_verbs_are_plain_methods(nouns):
    """An editor finds `Mechanism.solve`; it could not while thirteen classes shared the attributes of a twin below."""
    for noun in nouns:
        every = [kind for kind in type(noun).__mro__ if kind.__module__.startswith("structkin")]
        assert len({kind.__name__ for kind in every}) == len(every) and isinstance(noun, every[-1])
        for kind in every:
            for name, member in vars(kind).items():
                verb = inspect.unwrap(getattr(member, "__func__", member))
                if inspect.isfunction(verb) and not name.startswith("__"):
                    assert verb.__qualname__ == f"{kind.__name__}.{name}" and verb.__module__ == kind.__module__
                    assert name.startswith("_") or inspect.getdoc(verb)
