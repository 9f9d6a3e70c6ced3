"""Wrong arguments in every public call: each is taken, or refused in our words; a new verb is tried by itself."""

from __future__ import annotations

import inspect
import random
import time
import traceback
from collections.abc import Callable, Iterator
from dataclasses import fields, is_dataclass
from functools import cache, partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pytest
from cases import few
from guard import SECONDS, little_memory

import structkin as sk
from structkin import design
from structkin.compiled import has_numba
from structkin.examples import path, spatial

WRONG: tuple[Any, ...] = (
    None, True, -1, 0, 10**30, 2.5, 1e30, float("nan"), float("inf"), 1j, "zzz", "", b"x", [], ["zzz"], [None],
    [[1], [1, 2]], [float("nan")], np.zeros((2, 2, 2)), np.array(1.0), np.array(["a"]), {}, {"zzz": "x"}, {1: [2]},
    object(), random,
)  # fmt: skip


@cache
def nouns() -> dict[str, Any]:
    """Return an object of each public class, and the public functions, by their name."""
    m = sk.load(path("crank_rocker"))
    engine = sk.load(path("one_cylinder_engine"))
    motion, limits = m.solve(samples=5), sk.load(path("triple_rocker")).limits()
    arm = sk.Mechanism(
        points={"A": (0, 0), "B": (1, 0)},
        links={"ground": ["A"], "arm": {"points": ["A", "B"], "mass": 1, "shape": "rod"}},
        drivers={"swing": {"joint": "A"}},
    )
    duty = engine.solve(samples=73).forces().duty("motor")
    chosen = sk.synthesise(path=[(0, 0), (1, 0.2), (2, 0)], kinds=["four-bar"], count=1)
    found = [
        m, m.topology, m.structure(), m.structure().arrays, motion, arm.simulate(0.01, samples=2), m.assemblies(),
        engine.solve(samples=3).forces(), limits, m.circuits(), m.assembly(), m.constraints(),
        m.constraints("relative"), arm.reduced(),
        m.solve_many(samples=3, lengths={"A-B": [15.0, 16.0]}), sk.Builder("Crank"),
        sk.TopologyArrays.from_topology(m.topology), sk.SpatialModel.load(spatial.path("spinning_top")),
        sk.CamLaw([("cycloidal", np.pi, 0.02), ("cycloidal", np.pi, 0.0)]), sk.Linkages.random(3, 5),
        sk.solve_batch(sk.Linkages.random(3, 5), angles=[0.0, 0.1]), design.stroke("rocker"), chosen, chosen[0],
        sk.study(m, {"lengths.B-C": [0.11, 0.12]}, samples=3, measures=["path.C"]), duty, duty.flywheel(0.02),
        m.tolerances(**SHORT["Mechanism.tolerances"]), m.tolerances(**SHORT["Mechanism.tolerances"])["x.C"],
        sk.functional(m, ["lengths.A-B"]), *of_results(m, arm),
    ]  # fmt: skip
    every = {type(noun).__name__: noun for noun in found}
    return {**every, **{name: getattr(sk, name) for name in sk.__all__ if inspect.isfunction(getattr(sk, name))}}


def of_results(m: sk.Mechanism, arm: sk.Mechanism) -> Iterator[Any]:
    """Yield what is found with others: parts of results, and results of comparisons."""
    natural = m.constraints()
    yield from (m.structure().groups[0], m.topology.joints[0], m.topology.drivers[0], next(iter(sk.atlas(4))))
    yield from ((ranking := m.rank_inputs()), ranking.choices[0])
    yield from ((found := m.compare(samples=3, methods=["topological"])), found.runs[0])
    yield from ((runs := arm.compare(simulate=0.01, samples=3, methods=["reduced"])), runs.runs[0])
    with TemporaryDirectory() as folder:
        measured = Path(folder, "measured.csv")
        measured.write_text("t,B.x\n0,0.5\n0.01,0.4\n")
        yield from ((data := m.compare_measured(measured)), data.columns[0])
    yield sk.newton_raphson(natural, natural.start()[:, 0], [0.5])
    yield m.solve(samples=3, method="global").statistics
    yield from ((stroke := design.stroke("rocker")), stroke.between(0.1, 0.2))
    yield m.optimise({"lengths.B-C": (0.1, 0.2)}, [stroke], samples=5, evaluations=2)
    yield next(iter(sk.solve_batch(sk.Linkages.random(3, 5), angles=[0.0, 0.1]).blocks()))


def constructors() -> Iterator[tuple[str, Callable[..., Any], dict[str, Any]]]:
    """Yield the constructors by name, with arguments that fit: those of an object, or what a class needs."""
    for name, noun in nouns().items():
        if is_dataclass(noun):
            yield name, type(noun), {one.name: getattr(noun, one.name) for one in fields(noun) if one.init}
    yield "Mechanism", sk.Mechanism, {}
    yield "Builder", sk.Builder, {}
    yield "CamLaw", sk.CamLaw, {"segments": [("cycloidal", np.pi, 0.02), ("cycloidal", np.pi, 0.0)]}
    yield "Force", sk.Force, {"point": "B", "vector": (0, 1)}
    yield "Moment", sk.Moment, {"link": "crank", "size": 1.0}
    yield "ReducedEquations", sk.ReducedEquations, {"mechanism": nouns()["ReducedEquations"].mechanism}
    found = nouns()["Assemblies"]
    places = dict(zip(inspect.signature(type(found)).parameters, found.__reduce__()[1], strict=True))
    yield "Assemblies", type(found), places
    yield "Problem", sk.Problem, {"key": "a", "message": "b"}
    yield "InputError", sk.InputError, {"problems": [sk.Problem("a", "b")]}
    yield "PoseError", sk.PoseError, {"message": "a", "sample": 1}


def verbs() -> Iterator[tuple[str, Callable[..., Any]]]:
    """Yield every public call that takes arguments, by name."""
    for name, noun in nouns().items():
        if not inspect.isclass(type(noun)) or inspect.isroutine(noun):
            yield name, noun
            continue
        for verb in dir(type(noun)):
            if verb == "__call__" or not verb.startswith("_"):
                member = inspect.getattr_static(noun, verb)
                if isinstance(member, classmethod) or inspect.isfunction(member):
                    yield f"{name}.{verb}", getattr(noun, verb)


#: What makes a call short.
SHORT: dict[str, dict[str, Any]] = {
    "Mechanism.compare": {"samples": 3, "methods": ["topological"]},
    "Mechanism.report": {"samples": 3, "without": ["limits", "steps", "coefficients", "centres"]},
    "Mechanism.simulate": {"t": 0.01, "samples": 3, "max_steps": 50},
    "Mechanism.solve": {"samples": 3},
    "Mechanism.solve_many": {"samples": 3},
    "Mechanism.tolerances": {
        "samples": 3,
        "variants": 8,
        "parameters": {"lengths.B-C": 1e-4},
        "measures": ["x.C"],
    },
    "study": {"samples": 3},
    "SpatialModel.simulate": {"duration": 0.01, "samples": 3, "budget": 10},
    "SpatialModel.small_steps": {"duration": 1e-4},
}


@cache
def good() -> dict[str, Any]:
    """Return values that fit, by the name of the argument; those of one verb under the names of both."""
    every = nouns()
    m, natural, limits = every["Mechanism"], every["PolynomialCoordinates"], every["Limits"]
    q, X = natural.start(), np.zeros((4 * len(natural.links), 1))
    return {
        "link": "crank", "point": "B", "name": "B", "joint": "A", "id": "new", "output": "rocker", "at": 1, "sample": 0,
        "index": 0, "branch": 0, "value": 0.5, "limit": limits.upper, "assembly": every["Assembly"], "parts": {},
        "data": m.source_dict, "entries": {}, "path": "x.toml", "target": "x.csv", "coordinates": natural, "q": q,
        "v": q, "a": q, "z": [[0.5]], "dz": [[1.0]], "ddz": [[0.0]], "X": X, "angle": 0.5, "order": 1, "one": m, "b": m,
        "found": every["StructureArrays"], "topology": m.topology, "arrays": every["TopologyArrays"], "joints": [0],
        "matrix": [["", "R:A"], ["R:A", ""]], "links": ["a", "b"], "cam": "a", "follower": "b", "first": "A",
        "second": "B", "pin": "A", "slot": "b", "crank": "a", "wheel": "b", "slots": 4, "between": ["A", "B"], "x": 0,
        "adjacency": every["Linkages"], "Linkages.joints": 5, "count": 3, "folder": "data", "part": slice(0, 1), "k": 0,
        **{f"Linkages.{one}": getattr(every["Linkages"], one) for one in ("adjacency", "points", "fixed", "motor")},
        "parameters": {"lengths.B-C": [0.11]}, "measures": ["path.C"], "measure": "reached", "mechanism": m,
        "y": -9.81, "seconds": 1.0, "Batch.to": "set.zarr", "Kinetostatics.link": "crank", "Kinetostatics.id": "crank",
        "Functional.parameters": [0.1], "Functional.drivers": {"motor": 0.5},
        "Kinetostatics.driver": "motor", "fluctuation": 0.02,
    }  # fmt: skip


def calls(
    name: str, verb: Callable[..., Any], known: dict[str, Any] | None = None
) -> Iterator[tuple[str, Callable[[], Any]]]:
    """Yield calls of a verb, each with one wrong argument, in words; `known` are the arguments that it needs."""
    noun = name.partition(".")[0]
    items = inspect.signature(verb).parameters.values()
    needed = [
        item.name
        for item in items
        if item.default is item.empty and item.kind not in (item.VAR_POSITIONAL, item.VAR_KEYWORD)
    ]
    for item in items:
        for wrong in WRONG:
            given = dict(known or {one: good().get(f"{noun}.{one}", good().get(one)) for one in needed})
            given |= {**SHORT.get(name, {}), item.name: wrong}
            places = [given.pop(one.name) for one in items if one.kind == one.POSITIONAL_ONLY and one.name in given]
            if item.kind == item.VAR_POSITIONAL:
                places.append(given.pop(item.name))
            yield f"{name}({item.name}={wrong!r:.60})", partial(verb, *places, **given)


def fault(call: Callable[[], Any]) -> str | None:
    """Return how a call ends in a way that is not allowed; results are read, if they are found on request."""
    try:
        call()
    except sk.StructkinError as error:
        return None if str(error) else "says nothing"
    except TypeError as error:
        last = traceback.extract_tb(error.__traceback__)[-1]
        ours = Path(sk.__file__).parent in Path(last.filename).parents and (last.line or "").startswith("raise ")
        return None if ours else f"{error!r:.150} at {last.filename}:{last.lineno}"
    except Exception as error:
        last = traceback.extract_tb(error.__traceback__)[-1]
        return f"{error!r:.150} at {last.filename}:{last.lineno}"
    return None


def tried(part: slice, folder: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[int, list[str]]:
    """Return how many calls were made, and the faults."""
    monkeypatch.chdir(folder)
    every = [pair for name, verb in verbs() for pair in calls(name, verb)]
    every += [pair for one in constructors() for pair in calls(*one)]
    random.Random(1).shuffle(every)
    if has_numba():  # what compiles once is not the time of a call
        nouns()["SpatialModel"].simulate(0.01, samples=3)
    found = []
    with little_memory():
        for words, call in every[part]:
            began = time.process_time()
            found.append((words, fault(call)))
            if (seconds := time.process_time() - began) > SECONDS:
                found.append((words, f"{seconds:.1f} s"))
    return len(every[part]), [f"{words}: {what}" for words, what in found if what is not None]


@pytest.mark.parametrize("first", few([0, 80], 1))
def test_some_wrong_arguments_are_taken_or_refused(first, tmp_path, monkeypatch):
    assert tried(slice(first, None, 160), tmp_path, monkeypatch)[1] == []


@pytest.mark.slow
def test_all_wrong_arguments_are_taken_or_refused(tmp_path, monkeypatch):
    count, faults = tried(slice(None), tmp_path, monkeypatch)
    assert count > 12_000 and faults == []


def test_constructors_refuse_what_is_none_of_their_parts():
    """`Motion(1, ...)` ended in what `vars` says of a number, `ReducedEquations(1)` in an AttributeError."""
    for name, kind, known in constructors():
        found = [(words, fault(call)) for words, call in calls(name, kind, known)]
        assert [one for one in found if one[1] is not None] == []


def test_a_result_of_other_things_is_refused_with_the_name_of_each():
    """Most results took anything, and ended in an AttributeError where they were read."""
    for name, kind, known in constructors():
        if is_dataclass(kind) and kind not in (sk.Problem, sk.Force, sk.Moment):  # loads are checked where they act
            with pytest.raises(sk.InputError, match=f"^{name}: ") as error:
                kind(**dict.fromkeys(known, object()))
            any_kind = {one.name for one in fields(kind) if one.type == "Any"}
            assert {problem.key for problem in error.value.problems} == set(known) - any_kind, name


def test_every_property_can_be_read():
    for noun in nouns().values():
        for name in dir(type(noun)):
            if not name.startswith("_") and not inspect.isroutine(inspect.getattr_static(type(noun), name)):
                getattr(noun, name)


def test_every_public_class_is_tried():
    """A class without calls that take arguments needs no object here."""
    known = {kind.__name__ for noun in nouns().values() for kind in type(noun).__mro__}
    known |= {"Coordinates", "StructkinError", "InputError", "StructureError", "PoseError"}  # a protocol, and errors
    every = [thing for name in sk.__all__ if inspect.isclass(thing := getattr(sk, name)) and name not in known]
    for thing in every:
        for name, member in vars(thing).items():
            if inspect.isfunction(member) and not name.startswith("_"):
                assert len(inspect.signature(member).parameters) == 1, f"{thing.__name__}.{name}"
