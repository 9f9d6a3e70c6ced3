"""Every public method reports arguments of the wrong kind as problems: never a traceback from inside."""

from __future__ import annotations

import numpy as np
import pytest

import structkin as sk
from structkin import design
from structkin.examples import path

m = sk.load(path("crank_rocker"))
motion = m.solve(samples=9)
natural = m.constraints()
q = natural.start()[:, 0]
found = m.circuits()

MISTAKES = {
    "solve(drivers=[0, 1])": lambda: m.solve(drivers=[0, 1]),
    "solve(drivers='motor')": lambda: m.solve(drivers="motor"),
    "solve('x')": lambda: m.solve("x"),
    "solve(2.5)": lambda: m.solve(2.5),
    "solve(t='x')": lambda: m.solve(t="x"),
    "solve(t=matrix)": lambda: m.solve(t=np.zeros((2, 2))),
    "solve(duration='x')": lambda: m.solve(duration="x"),
    "solve(duration=[1])": lambda: m.solve(duration=[1]),
    "solve(method=3)": lambda: m.solve(method=3),
    "solve(coordinates=3)": lambda: m.solve(method="global", coordinates=3),
    "solve(engine=3)": lambda: m.solve(engine=3),
    "solve(branch=3)": lambda: m.solve(branch=3),
    "classify(1.5)": lambda: motion.classify(1.5),
    "classify(9)": lambda: motion.classify(9),
    "classify(-10)": lambda: motion.classify(-10),
    "classify('0')": lambda: motion.classify("0"),
    "classify(True)": lambda: motion.classify(True),
    "group_name(7)": lambda: motion.group_name(7),
    "group_name(1.0)": lambda: motion.group_name(1.0),
    "position('Z')": lambda: motion.position("Z"),
    "position(7)": lambda: motion.position(7),
    "position(['A'])": lambda: motion.position(["A"]),
    "position(nan)": lambda: motion.position(complex("nan"), "crank"),
    "position('A', 3)": lambda: motion.position("A", 3),
    "angle(['crank'])": lambda: motion.angle(["crank"]),
    "K(['B'])": lambda: motion.K(["B"]),
    "K(drivers=3)": lambda: motion.K("B", drivers=3),
    "K(drivers='Z')": lambda: motion.K("B", drivers="Z"),
    "K(drivers=[['motor']])": lambda: motion.K("B", drivers=[["motor"]]),
    "travel(['guide'])": lambda: motion.travel(["guide"]),
    "cam(['cam'])": lambda: motion.cam(["cam"]),
    "geneva({})": lambda: motion.geneva({}),
    "newton_raphson(short q)": lambda: sk.newton_raphson(natural, [1, 2], [1.0]),
    "newton_raphson(two values)": lambda: sk.newton_raphson(natural, q, [1.0, 2]),
    "newton_raphson(nan)": lambda: sk.newton_raphson(natural, q * np.nan, [1.0]),
    "newton_raphson(z nan)": lambda: sk.newton_raphson(natural, q, [np.nan]),
    "newton_raphson('a')": lambda: sk.newton_raphson(natural, "a", [1.0]),
    "newton_raphson(ragged)": lambda: sk.newton_raphson(natural, [[1], [1, 2]], [1.0]),
    "newton_raphson(complex)": lambda: sk.newton_raphson(natural, q + 0j, [1.0]),
    "newton_raphson(tolerance)": lambda: sk.newton_raphson(natural, q, [1.0], tolerance=-1),
    "newton_raphson(limit=0)": lambda: sk.newton_raphson(natural, q, [1.0], limit=0),
    "constraints(3)": lambda: m.constraints(3),
    "constraints(drivers=3)": lambda: m.constraints(drivers=3),
    "constraints(drivers=[['motor']])": lambda: m.constraints(drivers=[["motor"]]),
    "limits(3)": lambda: m.limits(3),
    "limits(['motor'])": lambda: m.limits(["motor"]),
    "limits(drivers=[1])": lambda: m.limits(drivers=[1]),
    "limits(range=3)": lambda: m.limits(range=3),
    "limits(range='ab')": lambda: m.limits(range="ab"),
    "limits(range=(3, 1))": lambda: m.limits(range=(3, 1)),
    "circuits(3)": lambda: m.circuits(3),
    "circuits(drivers=[1])": lambda: m.circuits(drivers=[1]),
    "circuits().words(9)": lambda: found.words(9),
    "circuits().words('0')": lambda: found.words("0"),
    "assemblies(drivers=[1])": lambda: m.assemblies(drivers=[1]),
    "assemblies(t='a')": lambda: m.assemblies(t="a"),
    "assemblies(modes=[1])": lambda: m.assemblies(modes=[1]),
    "assemblies(limit=1.0)": lambda: m.assemblies(limit=1.0),
    "assemblies().nearest(3)": lambda: m.assemblies().nearest(3),
    "assembly(1.5)": lambda: m.assembly(1.5),
    "assembly('0')": lambda: m.assembly("0"),
    "assembly(where=3)": lambda: m.assembly(where=3),
    "assembly().distance(3)": lambda: m.assembly().distance(3),
    "solve_many(lengths=[1])": lambda: m.solve_many(3, lengths=[1]),
    "solve_many(points=[1])": lambda: m.solve_many(3, points=[1]),
    "solve_many(drivers=[1])": lambda: m.solve_many(3, drivers=[1]),
    "solve_many(lengths nan)": lambda: m.solve_many(3, lengths={"A-B": [np.nan]}),
    "compare(methods=3)": lambda: m.compare(3, methods=3),
    "with_drivers(3)": lambda: m.with_drivers(3),
    "with_initial([1])": lambda: m.with_initial([1]),
    "link_of(['A'])": lambda: m.link_of(["A"]),
}


@pytest.mark.parametrize("call", MISTAKES)
def test_a_bad_argument_is_reported(call):
    with pytest.raises(sk.InputError) as error:
        MISTAKES[call]()
    assert error.value.problems and all(problem.message for problem in error.value.problems)


def test_assemblies_are_a_container():
    """Its errors are those of a list, with separate messages."""
    for wrong in ("a", 1.5, slice(0, 2), True):
        with pytest.raises(TypeError, match="indexed by whole numbers"):
            m.assemblies()[wrong]
    with pytest.raises(IndexError, match="2 assemblies"):
        m.assemblies()[2]


def test_numbers_of_numpy_and_from_the_end_are_taken():
    assert motion.classify(np.int64(3)) == motion.classify(3 - 9)
    assert motion.group_name(np.int32(1)) == motion.group_name(-1) == "group 2, RRR (coupler + rocker)"
    assert m.assemblies()[np.int64(1)].index == 1
    assert sk.newton_raphson(natural, natural.start(), 1.0).converged


def test_a_start_that_newton_cannot_leave_is_an_outcome():
    """All points coincide: not an error of linear algebra, but a run that reports how it ended."""
    run = sk.newton_raphson(natural, 0 * q, [1.0])
    assert not run.converged or np.isfinite(run.q).all()


def test_a_tuple_of_numbers_holds_the_values_of_a_driver():
    angles = np.linspace(0, 1, 5)
    of_list, of_tuple = (m.solve(drivers={"motor": kind(angles)}) for kind in (list, tuple))
    np.testing.assert_array_equal(of_tuple.position("P"), of_list.position("P"))
    assert len(m.solve(drivers={"motor": (0.3,)})) == 1
    assert m.solve_many(lengths={"B-C": [0.12, 0.121]}, drivers={"motor": tuple(angles)}).ok.all()
    for few in (2, 3, 4):  # perhaps a value with its rates
        with pytest.raises(sk.InputError, match=rf"a tuple of {few} numbers may be values, or .* values as a list"):
            m.solve(drivers={"motor": tuple(angles[:few])})
    np.testing.assert_allclose(m.solve(drivers={"motor": ([0.3], [2.0])}).omega("crank"), [2.0])


def test_all_wrong_arguments_of_a_call_are_listed():
    with pytest.raises(sk.InputError) as error:
        m.solve("x", strict=3, branch=None, duration=np.nan)
    assert [(problem.key, problem.message) for problem in error.value.problems] == [
        ("samples", "'x' is not a whole number"), ("strict", "3 is not True or False"),
        ("branch", "None is not a string"), ("duration", "nan is not a number"),
    ]  # fmt: skip
    with pytest.raises(sk.InputError, match=r"the shape \(4, 1\), not \(1, \.\.\.\); a row for each of its drivers"):
        natural.phi(q[:, None], np.zeros((4, 1)))


def test_one_name_stands_for_a_list_of_one():
    np.testing.assert_array_equal(motion.K("B", drivers="motor"), motion.K("B", drivers=["motor"]))
    np.testing.assert_array_equal(motion.L("B", None, "motor"), motion.L("B", None, ["motor"]))
    assert m.constraints(drivers="motor").m == m.constraints(drivers=["motor"]).m
    assert len(m.compare(3, methods="global", coordinates="natural").runs) == 2
    assert len(m.rank_inputs(kinds="angle")) == len(m.rank_inputs(kinds=["angle"]))


def test_an_iterator_counts_each_time_it_is_read():
    """Limits from a generator were listed once, and none were left for the search: it ended outside of them."""
    wish, limits = design.stroke("rocker", 1.3), [design.stroke("rocker").between(high=1.0)]
    parameters = {"lengths.A-B": (0.02, 0.06), "lengths.B-C": (0.1, 0.2)}
    found = [m.optimise(parameters, iter([wish]), limits=given) for given in (limits, iter(limits))]
    assert found[0].values == found[1].values and found[0].words == found[1].words


def test_a_place_on_a_link_is_given_alike_to_all_that_take_one():
    place = (0.1 + 0.2j, "coupler")
    v, K, L = motion.velocity(*place), motion.K(*place), motion.L(*place)
    rate = motion.drivers["motor"][1]
    assert motion.drivers_of(*place) == ("motor",)
    np.testing.assert_allclose(K[..., 0] * rate[:, None], v, atol=1e-12 * abs(v).max())
    second = motion.convective(*place)
    np.testing.assert_allclose(L[..., 0, 0] * rate[:, None] ** 2, second, atol=1e-12 * abs(second).max())


# --- all at once ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("call", "keys"),
    [
        (lambda: m.solve(-1, duration=-3, method="glob", coordinates="nat", engine="x", budget=-1),
         "method coordinates engine budget samples duration"),
        (lambda: m.solve(t=[float("nan")], samples=3, drivers={"x": [1.0]}, engine="no"), "engine drivers.x samples t"),
        (lambda: m.simulate(-1, samples=-4, free=["x"], formulation="f", integrator="i", rtol=-1, max_steps=0),
         "formulation integrator rtol max_steps samples t free.x"),
        (lambda: m.limits("x", drivers={"y": 1.0}, range=(3, 1), budget=-1), "driver drivers.y range budget"),
        (lambda: m.circuits("x", drivers={"y": 1.0}, range=(3, 1), most=0, budget=0),
         "driver drivers.y range budget most"),
        (lambda: m.assemblies(drivers={"x": 1.0}, limit=0, modes={9: (1,)}, budget=0), "drivers.x modes limit budget"),
        (lambda: m.rank_inputs(kinds=["z"], drivers=["q"], limit=0), "drivers.q kinds limit"),
        (lambda: m.solve(3).sensitivity("ZZ", to=["points.Q.x", "lengths.A-Z"]), "ZZ points.Q.x lengths.A-Z"),
    ],
)  # fmt: skip
def test_every_mistake_of_a_call_is_named(call, keys):
    with pytest.raises(sk.InputError) as caught:
        call()
    assert [problem.key for problem in caught.value.problems] == keys.split()


def test_what_prints_in_several_lines_is_quoted_in_one():
    frame = pytest.importorskip("pandas").DataFrame({"motor": [0.0, 0.1, 0.2]})
    with pytest.raises(sk.InputError) as caught:
        m.solve(drivers=frame)
    assert caught.value.problems[0].message.strip().startswith("motor 0 ")
