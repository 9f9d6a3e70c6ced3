"""Loops in closed form (S4, equations 10 and 11) against multipliers, differences and the reduced simulation."""

from dataclasses import replace

import numpy as np
import pytest
import sympy as sp
from cases import few
from scipy.integrate import solve_ivp
from spatial_models import X, Z, body, chain, four_bar, joint, spatial

import structkin as sk
from structkin.errors import InputError
from structkin.multibody.model import JointLoad
from structkin.symbolic import equations, evaluating
from structkin.symbolic.explicit.loop import planar_loops
from structkin.symbolic.system import System

SLIDE = np.array([0.96, 0.28, 0])


def bodies(*lines):
    return [
        body(name, mass, [(p[0] + q[0]) / 2, (p[1] + q[1]) / 2, 0], 0.02 * mass * np.eye(3))
        for mass, (name, p, q) in enumerate(lines, 1)
    ]


def crank_slider():
    return spatial(
        "crank-slider",
        bodies(("crank", (0, 0), (0.2, 0.3)), ("rod", (0.2, 0.3), (1.1, -0.1)), ("slider", (1.1, -0.1), (1.2, 0))),
        [
            joint("A", "ground", "crank", [0, 0, 0]),
            joint("B", "crank", "rod", [0.2, 0.3, 0]),
            joint("S", "slider", "ground", [1, 0, 0], SLIDE, "prismatic"),
            joint("C", "rod", "slider", [1.1, -0.1, 0], cut=True),
        ],
    )


def swinging_block():
    """The inversion with a slide that turns: a cylinder between ground and arm."""
    return spatial(
        "cylinder",
        bodies(("arm", (0, 0), (0.7, 0.4)), ("barrel", (1.2, 0), (1.0, 0.2)), ("piston", (1, 0.2), (0.7, 0.4))),
        [
            joint("A", "ground", "arm", [0, 0, 0]),
            joint("D", "ground", "barrel", [1.2, 0, 0]),
            joint("S", "barrel", "piston", [1, 0.2, 0], np.array([-0.8, 0.6, 0]), "prismatic"),
            joint("C", "arm", "piston", [0.7, 0.4, 0], cut=True),
        ],
    )


def four_bar_transmission():
    """S4's example: a four-bar with one bar of variable length; two angles are independent."""
    return spatial(
        "four-bar transmission",
        bodies(
            ("two", (0, 0), (0.2, 0.5)), ("three", (0.2, 0.5), (0.8, 0.7)), ("outer", (1, 0), (0.9, 0.4)),
            ("inner", (0.9, 0.4), (0.8, 0.7)),
        ),
        [
            joint("A", "ground", "two", [0, 0, 0]),
            joint("B", "two", "three", [0.2, 0.5, 0]),
            joint("D", "ground", "outer", [1, 0, 0]),
            joint("S", "outer", "inner", [0.9, 0.3, 0], np.array([-0.6, 0.8, 0]), "prismatic"),
            joint("C", "inner", "three", [0.8, 0.7, 0], cut=True),
        ],
    )  # fmt: skip


def six_bar():
    """Two dyads in a row: the second is attached to the coupler of the first."""
    base = four_bar()
    more = bodies(("arm", (0.35, 0.45), (0.8, 0.5)), ("lever", (0.8, 0.5), (0.9, 0)))
    joints = [
        *base.joints.values(),
        joint("E", "coupler", "arm", [0.35, 0.45, 0]),
        joint("G", "lever", "ground", [0.9, 0, 0]),
        joint("F", "arm", "lever", [0.8, 0.5, 0], cut=True),
    ]
    return spatial("six-bar", [*base.bodies.values(), *more], joints)


def platform():
    """A triad: a plate on three cranks, one of them driven through a separate link, so that no dyad is left."""
    corners = [(0.4, 0.4), (0.9, 0.5), (0.6, 0.8)]
    feet = [(0, 0.1), (1.2, 0.2), (0.5, 1.4)]
    parts = [
        ("plate", corners[0], corners[1]),
        *((f"leg{k}", f, c) for k, (f, c) in enumerate(zip(feet, corners, strict=True))),
    ]
    driver = ("crank", (-0.2, 0), feet[0])
    joints = [joint("O", "ground", "crank", [-0.2, 0, 0]), joint("A0", "crank", "leg0", [*feet[0], 0])]
    joints += [joint(f"A{k}", "ground", f"leg{k}", [*feet[k], 0]) for k in (1, 2)]
    joints += [joint(f"P{k}", f"leg{k}", "plate", [*corners[k], 0], cut=k > 0) for k in range(3)]
    return spatial("platform", bodies(*parts, driver), joints)


KEPT = {four_bar_transmission: ["A", "B"]}  # as in S4
CLOSED = [four_bar, crank_slider, swinging_block, four_bar_transmission, six_bar]


def module(found):
    space = {}
    exec(found.python(), space)
    return space


def full_state(model, u, ud):
    """Return q and qd of the tree from planar_loops, at independent coordinates and rates by name."""
    q, qd = dict(u), dict(ud)
    for loop in planar_loops(model, [name for name, _ in q]):
        at, rate = np.array([q[c] for c in loop.u]), np.array([qd[c] for c in loop.u])
        v = loop.H(at)
        q |= dict(zip(loop.v, v, strict=True))
        qd |= dict(zip(loop.v, loop.B_vu(at, v) @ rate, strict=True))
    return q, qd


@pytest.mark.parametrize("make, shared", few([(crank_slider, True), *((make, None) for make in CLOSED)], 1))
def test_reduced_equations_give_the_accelerations_of_multipliers(make, shared):
    model = make()
    with_multipliers = equations(model)
    reduced = equations(model, loops="explicit", shared=shared, independent=KEPT.get(make, ()))
    assert len(reduced.q) == len(with_multipliers.q) - with_multipliers.W.cols
    assert not reduced.W.cols
    assert [c for c in with_multipliers.coordinates if c in reduced.coordinates] == list(reduced.coordinates)
    one, two = module(with_multipliers), module(reduced)
    rng = np.random.default_rng(3)
    for _ in range(4):
        u, ud = rng.uniform(-0.15, 0.15, len(reduced.q)), rng.normal(size=len(reduced.q))
        q, qd = full_state(model, zip(reduced.coordinates, u, strict=True), zip(reduced.coordinates, ud, strict=True))
        state = [np.array([part[c] for c in with_multipliers.coordinates]) for part in (q, qd)]
        W, Phi = one["equations"](0.0, *state)[3:5]
        assert np.abs(Phi).max() < 1e-12
        assert np.abs(W.T @ state[1]).max() < 1e-12
        expected = one["accelerations"](0.0, *state)
        found = two["accelerations"](0.0, u, ud)
        kept = [with_multipliers.coordinates.index(c) for c in reduced.coordinates]
        assert np.allclose(found, expected[kept], rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("make", [*CLOSED, platform], ids=lambda make: make.__name__)
def test_loops_are_differentiated_correctly(make):
    for loop in planar_loops(make()):
        assert loop.closed_form == (make is not platform)
        rng = np.random.default_rng(1)
        u, ud, h = rng.uniform(-0.05, 0.05, len(loop.u)), rng.normal(size=len(loop.u)), 1e-4
        near = loop.H(np.zeros(len(loop.u)))
        assert np.allclose(near, 0, atol=1e-9)  # the drawn pose
        v, before, after = loop.H(u, near), loop.H(u - h * ud, near), loop.H(u + h * ud, near)
        assert np.allclose(loop.B_vu(u, v) @ ud, (after - before) / (2 * h), atol=1e-5)
        assert np.allclose(loop.b(u, v, ud), (after - 2 * v + before) / h**2, atol=1e-4)


def drag_link():
    """A four-bar whose shortest bar is the ground: all its bars turn fully."""
    A, B, C, D = (0, 0), (0.2, 0.5), (0.6, 0.4), (0.15, 0)
    joints = [joint("A", "ground", "two", [*A, 0]), joint("B", "two", "three", [*B, 0])]
    joints += [joint("D", "ground", "four", [*D, 0]), joint("C", "three", "four", [*C, 0], cut=True)]
    return spatial("drag link", bodies(("two", A, B), ("three", B, C), ("four", C, D)), joints)


def whitworth():
    """A crank that is longer than the ground moves a block on a bar that turns fully."""
    A, B, D = (0, 0), (0.7, 0.4), (0.3, 0)
    return spatial(
        "Whitworth",
        bodies(("arm", A, B), ("bar", D, (0.5, 0.2)), ("block", (0.5, 0.2), B)),
        [
            joint("A", "ground", "arm", [*A, 0]),
            joint("D", "ground", "bar", [*D, 0]),
            joint("S", "bar", "block", [0.5, 0.2, 0], np.array([1, 1, 0]) / np.sqrt(2), "prismatic"),
            joint("C", "arm", "block", [*B, 0], cut=True),
        ],
    )


@pytest.mark.parametrize("make", [*CLOSED, drag_link, whitworth], ids=lambda make: make.__name__)
def test_closed_forms_are_those_of_newton_over_whole_turns(make):
    """The numeric scheme follows the loops from pose to pose; the formula knows u only, and counts the turns too."""
    model = make()
    system = System(model, "explicit")
    names, q = list(system.tree.coordinates), system.q.copy()
    loops = planar_loops(model, KEPT.get(make, ()))
    v = np.array([names.index(c) for loop in loops for c in loop.v])
    choice = system.chooser.choose(system.terms.W.copy(), v)
    for bend in np.linspace(0, -1.6, 41) if make in KEPT else ():  # then A can turn fully
        q[names.index(("B", 0))] = bend
        assert evaluating.close(*system.parts, choice, q, np.zeros_like(q))
    crank, before = names.index(("A", 0)), q.copy()
    for angle in np.linspace(0, 6 * np.pi, 100)[1:]:
        q[crank], qd = angle, np.zeros_like(q)
        qd[crank] = 1.7
        assert evaluating.close(*system.parts, choice, q, qd)
        for loop in loops:
            u, own = ([names.index(c) for c in group] for group in (loop.u, loop.v))
            if make is not four_bar_transmission:  # of two angles, it depends on the order in which they turned
                assert np.abs(loop.H(q[u]) - q[own]).max() < 1e-12
            assert np.abs(loop.H(q[u], q[own]) - q[own]).max() < 1e-12
            assert np.abs(loop.B_vu(q[u], q[own]) @ qd[u] - qd[own]).max() < 1e-11
    turns = {name: round((q[k] - before[k]) / (2 * np.pi)) for k, (name, _) in enumerate(names)}
    assert turns["A"] == 3
    assert turns.get("D", 0) == (3 if make in (drag_link, whitworth) else 0)
    if "B" in turns and make is not four_bar_transmission:
        assert turns["B"] == (0 if make is drag_link else -3)


@pytest.mark.full
def test_a_spring_on_a_dependent_angle_is_wound_up_turn_by_turn():
    spring = {"S": JointLoad("S", "B", stiffness=2.0, rest=0.4)}
    model = replace(four_bar(), loads=spring)
    system = System(model, "explicit")
    q, v = system.q.copy(), np.array([list(system.tree.coordinates).index((name, 0)) for name in "BD"])
    system.choice = system.chooser.choose(system.terms.W.copy(), v)
    found = module(equations(model, loops="explicit"))["accelerations"]
    crank = list(system.tree.coordinates).index(("A", 0))
    for angle in np.linspace(0, 14, 200):
        q[crank], qd = angle, np.zeros_like(q)
        qdd = system.accelerations(0.0, q, qd, evaluating.FROM_U)
        assert found(0.0, [angle], [0.0])[0] == pytest.approx(qdd[crank], rel=1e-9)
    assert q[v[0]] < -12
    with pytest.raises(InputError, match="how often joint D has turned"):
        model = replace(four_bar_transmission(), loads={"S": JointLoad("S", "D", stiffness=2.0)})
        equations(model, loops="explicit", independent=["A", "B"])
    kept, found = equations(model), equations(model, loops="auto", independent=["A", "B"])
    assert found.W.shape == kept.W.shape  # the angle itself is a coordinate, which counts its turns
    q, qd = np.zeros(len(kept.q)), np.zeros(len(kept.q))
    assert np.allclose(module(found)["accelerations"](0.0, q, qd), module(kept)["accelerations"](0.0, q, qd))


@pytest.mark.parametrize(
    "options, words",
    [
        (
            {"loops": "multipliers", "independent": ["D"]},
            'independent: needs dependent coordinates; add loops="explicit"',
        ),
        (
            {"loops": "multipliers", "ratios": {"D": ("A", 2)}},
            'ratios: needs dependent coordinates; add loops="explicit"',
        ),
        ({"independent": "D"}, "independent: expected a list of joints, found 'D'"),
        ({"independent": [["D"]]}, "independent: expected a list of joints"),
        ({"ratios": {"D": (["A"], 2)}}, "ratios.D: expected a joint and a number"),
        ({"independent": ["D"], "ratios": {"D": ("A", 2)}}, "D: depends on another joint by its ratio"),
        ({"ratios": ["D"]}, "ratios: expected ratios by joint"),
        ({"ratios": {"D": 2}}, "ratios.D: expected a joint and a number, found 2"),
        ({"ratios": {"D": ("A", float("nan"))}}, "ratios.D: the ratio nan is not a finite number"),
        ({"ratios": {"D": ("B", 2), "B": ("D", 0.5)}}, r"2 errors\n.*ratios.D: depends on 'B', which has a ratio too"),
    ],
)
def test_options_that_mean_nothing_are_refused(options, words):
    with pytest.raises(InputError, match=words):
        equations(four_bar(), **{"loops": "explicit", **options})


def test_a_loop_that_cannot_move_is_refused():
    model = four_bar()
    joints = {name: one for name, one in model.joints.items() if name != "D"}
    joints["C"] = replace(joints["C"], bodies=("coupler", "ground"))
    bodies = {name: one for name, one in model.bodies.items() if name != "rocker"}
    with pytest.raises(InputError, match="nothing can move: the loops hold every coordinate"):
        equations(replace(model, bodies=bodies, joints=joints), loops="explicit")


def test_independent_coordinates_by_name():
    found = equations(four_bar(), loops="explicit", independent=["D"])
    assert found.coordinates == (("D", 0),)
    with pytest.raises(InputError, match="no joint of the tree"):
        equations(four_bar(), loops="explicit", independent=["Q"])


def test_loops_without_a_closed_form_are_refused():
    with pytest.raises(InputError, match="no closed form") as caught:
        equations(platform(), loops="explicit")
    assert len(caught.value.problems) == 2
    with pytest.raises(InputError, match="multipliers, explicit or auto"):
        equations(four_bar(), loops="both")


@pytest.mark.parametrize("axes", [(Z, Z), (Z, X)], ids=["plane", "space"])
def test_a_transmission_is_a_multiple_of_its_input(axes):
    model = chain(2, *axes)
    M, h, f = equations(model).function()(0.0, [0.3, 0.75], [1.2, 3.0])
    J = np.array([1, 2.5])
    reduced = equations(model, loops="explicit", ratios={"J2": ("J1", 2.5)})
    assert reduced.coordinates == (("J1", 0),)
    for found, expected in zip(reduced.function()(0.0, [0.3], [1.2]), (J @ M @ J, J @ h, J @ f), strict=True):
        assert found.item() == pytest.approx(expected, rel=1e-12)
    with pytest.raises(InputError, match="dependent coordinates"):
        equations(model, ratios={"J2": ("J1", 2.5)})


def test_a_slider_crank_has_the_accelerations_of_lagrange():
    from sympy.physics.mechanics import LagrangesMethod, dynamicsymbols

    crank, rod, start = 0.2, 0.8, 0.5
    tilt = -np.arcsin(crank * np.sin(start) / rod)
    B = [crank * np.cos(start), crank * np.sin(start), 0]
    C = [B[0] + rod * np.cos(tilt), 0, 0]
    model = spatial(
        "slider-crank",
        bodies(("crank", (0, 0), B), ("rod", B, C), ("slider", C, C)),
        [
            joint("A", "ground", "crank", [0, 0, 0]),
            joint("B", "crank", "rod", B),
            joint("S", "ground", "slider", C, X, "prismatic"),
            joint("C", "rod", "slider", C, cut=True),
        ],
    )
    p, r, x = dynamicsymbols("p r x")
    rates, middle = [a.diff() for a in (p, r, x)], sp.Matrix([sp.cos(p), sp.sin(p)]) * crank
    centers = [middle / 2, middle + sp.Matrix([sp.cos(r), sp.sin(r)]) * rod / 2, sp.Matrix([x, 0])]
    kinetic = sum(m * c.diff(dynamicsymbols._t).dot(c.diff(dynamicsymbols._t)) / 2 for m, c in enumerate(centers, 1))
    kinetic += 0.01 * rates[0] ** 2 + 0.02 * rates[1] ** 2
    weight = sum(m * 9.81 * c[1] for m, c in enumerate(centers, 1))
    closure = middle + sp.Matrix([sp.cos(r), sp.sin(r)]) * rod - sp.Matrix([x, 0])
    method = LagrangesMethod(kinetic - weight, [p, r, x], hol_coneqs=list(closure))
    method.form_lagranges_equations()
    system = sp.lambdify([[p, r, x], rates], [method.mass_matrix_full, method.forcing_full])
    angle, speed = start + 0.7, 1.3
    lean = -np.arcsin(crank * np.sin(angle) / rod)
    turn = -crank * np.cos(angle) * speed / (rod * np.cos(lean))
    place = crank * np.cos(angle) + rod * np.cos(lean)
    run = -crank * np.sin(angle) * speed - rod * np.sin(lean) * turn
    full, forcing = system([angle, lean, place], [speed, turn, run])
    expected = np.linalg.solve(full, forcing)[3]
    found = module(equations(model, loops="explicit", independent=["A"]))["accelerations"](0.0, [0.7], [speed])
    assert found[0] == pytest.approx(expected[0], rel=1e-11)


def in_the_plane(model, points, links, driver, slide=None):
    """Return the same mechanism as a planar one of structkin."""
    masses = {
        name: {"mass": b.mass, "center": b.center[:2].tolist(), "inertia": float(b.inertia[2, 2])}
        for name, b in model.bodies.items()
    }
    return sk.Mechanism(
        points=points,
        links={name: p if name == "ground" else {"points": p, **masses[name]} for name, p in links.items()},
        joints=slide or {},
        drivers={"motor": {"joint": driver}},
        forces={"gravity": (0, -9.81)},
    )


def swing(model, seconds, times):
    found = equations(model, loops="explicit")
    accelerations = module(found)["accelerations"]
    answer = solve_ivp(
        lambda t, y: np.concatenate([y[1:], accelerations(t, y[:1], y[1:])]),
        (0, seconds), [0.0, 0.0], t_eval=times, method="DOP853", rtol=1e-12, atol=1e-13,
    )  # fmt: skip
    return answer.y[0]


def test_four_bar_moves_as_in_the_reduced_simulation():
    model, t = four_bar(), np.linspace(0, 1, 21)
    points = {"A": (0, 0), "B": (0.152, 0), "C": (0.423, 0.3029), "D": (0.4572, 0)}
    links = {"ground": ["A", "D"], "crank": ["A", "B"], "coupler": ["B", "C"], "rocker": ["C", "D"]}
    motion = in_the_plane(model, points, links, "A").simulate(t, rtol=1e-12, atol=1e-13)
    angle = motion.angle("crank")
    assert np.ptp(angle) > 1
    assert np.abs(swing(model, 1.0, t) - (angle - angle[0])).max() < 1e-10


def test_crank_slider_moves_as_in_the_reduced_simulation():
    model, t = crank_slider(), np.linspace(0, 1, 21)
    points = {"A": (0, 0), "B": (0.2, 0.3), "C": (1.1, -0.1)}
    links = {"ground": ["A"], "crank": ["A", "B"], "rod": ["B", "C"], "slider": ["C"]}
    slide = {"S": {"type": "prismatic", "links": ["ground", "slider"], "axis": [0.96, 0.28]}}
    motion = in_the_plane(model, points, links, "A", slide).simulate(t, rtol=1e-12, atol=1e-13)
    angle = motion.angle("crank")
    assert np.ptp(angle) > 1
    assert np.abs(swing(model, 1.0, t) - (angle - angle[0])).max() < 1e-10
