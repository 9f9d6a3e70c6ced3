"""Loops in closed form (S4, equations 10 and 11) against multipliers, differences and the reduced simulation."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from spatial_models import X, Z, body, chain, four_bar, joint, spatial

import structkin as sk
from structkin.errors import InputError
from structkin.symbolic import equations
from structkin.symbolic.explicit.loop import planar_loops

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
    """S4's: a four-bar one bar of which changes its length; two angles are independent."""
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
    """Two dyads in a row: the second hangs on the coupler of the first."""
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
    """A triad: a plate on three cranks, one of them driven through a link of its own, so that no dyad is left."""
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


@pytest.mark.parametrize("make, shared", [(crank_slider, True), *((make, None) for make in CLOSED)])
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
def test_loops_are_differentiated_rightly(make):
    for loop in planar_loops(make()):
        assert loop.closed_form == (make is not platform)
        rng = np.random.default_rng(1)
        u, ud, h = rng.uniform(-0.05, 0.05, len(loop.u)), rng.normal(size=len(loop.u)), 1e-4
        near = loop.H(np.zeros(len(loop.u)))
        assert np.allclose(near, 0, atol=1e-9)  # the drawn pose
        v, before, after = loop.H(u, near), loop.H(u - h * ud, near), loop.H(u + h * ud, near)
        assert np.allclose(loop.B_vu(u, v) @ ud, (after - before) / (2 * h), atol=1e-5)
        assert np.allclose(loop.b(u, v, ud), (after - 2 * v + before) / h**2, atol=1e-4)


def test_a_whole_turn_of_a_crank_is_one_assembly():
    (loop,) = planar_loops(four_bar())
    near = np.zeros(2)
    for angle in np.linspace(0, 4 * np.pi, 100):
        near = loop.H(np.array([angle]), near)
    assert np.abs(near - 2 * np.pi * np.round(near / (2 * np.pi))).max() < 1e-9
    assert round(near[loop.v.index(("D", 0))], 9) == 0


def test_independent_coordinates_by_name():
    found = equations(four_bar(), loops="explicit", independent=["D"])
    assert found.coordinates == (("D", 0),)
    with pytest.raises(InputError, match="no joint of the tree"):
        equations(four_bar(), loops="explicit", independent=["Q"])


def test_loops_without_a_closed_form_are_refused():
    with pytest.raises(InputError, match="no closed form") as caught:
        equations(platform(), loops="explicit")
    assert len(caught.value.problems) == 2
    with pytest.raises(InputError, match="multipliers or explicit"):
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
