"""The matrices of the equations of motion at a state, against roads that share none of their text."""

import numpy as np
import pytest
import scipy.sparse as sp

import structkin as sk
from structkin.examples import path
from tests.cases import few

#: Examples with masses: dyads, a triad, several free coordinates, springs and given efforts.
WITH_MASSES = ("andrews_squeezer", "excavator", "garage_door", "one_cylinder_engine")
FAMILIES = ("natural", "reference-point", "fully-cartesian", "relative")


def state(equations, seed):
    """Return coordinates near the start, rates and second rates (f,)."""
    random = np.random.default_rng(seed)
    z, _ = equations.start
    scale = np.array(
        [
            1.0 if equations.mechanism.drivers[id].kind == "angle" else equations.mechanism.size
            for id in equations.coordinates
        ]
    )
    return (part * scale for part in (z / scale + 0.01 * random.random(len(z)), *random.normal(size=(2, len(z)))))


def motion_at(equations, z, dz, ddz, t=0.02):
    """Return the motion of one sample through a state."""
    values = {id: ([z[k]], [dz[k]], [ddz[k]], [0.0]) for k, id in enumerate(equations.coordinates)}
    return equations.mechanism.solve(drivers=values, t=[t])


@pytest.mark.parametrize("name", few(WITH_MASSES, 3))
def test_the_equations_give_the_efforts_that_joint_forces_balance(name):
    equations = sk.load(path(name)).reduced()
    z, dz, ddz = state(equations, 1)
    M, h, Q = equations(z, dz, 0.02)
    efforts = np.array([motion_at(equations, z, dz, ddz).forces().driver(id)[0] for id in equations.coordinates])
    given = [
        float(law(np.array([0.02]))[0][0]) if (law := equations.mechanism.forces.efforts.get(id)) else 0.0
        for id in equations.coordinates
    ]
    scale = np.abs(M @ ddz).max() + np.abs(h).max() + np.abs(Q).max()
    np.testing.assert_allclose(M @ ddz + h - Q + given, efforts, atol=1e-10 * scale)


@pytest.mark.parametrize("name", few(WITH_MASSES, 3))
def test_the_parts_of_the_links_are_those_of_k_and_l(name):
    equations = sk.load(path(name)).reduced()
    z, dz, _ = state(equations, 2)
    M, h, _ = equations(z, dz)
    motion, m = motion_at(equations, z, dz, 0 * z), equations.mechanism
    parts = equations.parts(z, dz)
    np.testing.assert_allclose(sum(part.K.T * part.mass @ part.K for part in parts), M, rtol=1e-9)
    np.testing.assert_allclose(sum(part.K.T @ (part.mass * part.bias) for part in parts), h, atol=1e-9 * abs(h).max())
    for part in parts:
        center = m.links[part.link].center or 0j
        K = np.vstack((motion.K(center, part.link)[0], motion.K(part.link)[0]))
        L = np.concatenate((motion.L(center, part.link)[0], motion.L(part.link)[0][None]))
        np.testing.assert_allclose(part.K, K, atol=1e-9 * abs(K).max())
        np.testing.assert_allclose(part.bias, np.einsum("rjk,j,k->r", L, dz, dz), atol=1e-8 * abs(part.bias).max())
        assert part.link in m.structure().groups[part.group].links


def test_h_is_that_of_lagrange():
    """h_i = sum (dM_ij/dz_k - dM_jk/dz_i / 2) z'_j z'_k, by differences of M."""
    equations = sk.load(path("excavator")).reduced()
    z, dz, _ = state(equations, 3)
    steps = 1e-5 * np.eye(3)
    slopes = np.stack([(equations(z + e, dz)[0] - equations(z - e, dz)[0]) / 2e-5 for e in steps], axis=2)
    expected = np.einsum("ijk,j,k->i", slopes, dz, dz) - 0.5 * np.einsum("jki,j,k->i", slopes, dz, dz)
    h = equations(z, dz)[1]
    np.testing.assert_allclose(h, expected, atol=1e-7 * abs(h).max())


def test_a_simulation_accelerates_as_the_equations_say():
    m = sk.load(path("andrews_squeezer"))
    result = m.simulate(0.02, samples=5, free="motor")
    equations = m.reduced()
    for k, t in enumerate(result.t):
        z, dz, ddz = (np.array([result.drivers[id][order, k] for id in equations.coordinates]) for order in range(3))
        M, h, Q = equations(z, dz, t)
        np.testing.assert_allclose(np.linalg.solve(M, Q - h), ddz, rtol=1e-6)


@pytest.mark.full
@pytest.mark.compiled
def test_plain_python_and_compiled_code_give_the_same_numbers():
    m = sk.load(path("excavator"))
    plain, compiled = m.reduced(engine="python"), m.reduced(engine="compiled")
    z, dz, _ = state(plain, 4)
    for one, other in zip(plain(z, dz), compiled(z, dz), strict=True):
        assert one.tolist() == other.tolist()


def test_coordinates_that_move_no_mass_have_a_singular_matrix():
    m = sk.load(path("crank_rocker"))
    M, h, Q = m.reduced()(*m.reduced().start)
    assert (M.tolist(), h.tolist(), Q.tolist()) == ([[0.0]], [0.0], [0.0])


def test_loads_of_functions_are_among_the_forces():
    m = sk.load(path("andrews_squeezer"))
    moment = m.reduced(loads=[lambda t, state: [sk.Moment("K1", 0.25)]])
    z, dz = moment.start
    assert moment(z, dz)[2] - m.reduced()(z, dz)[2] == pytest.approx(0.25, rel=1e-9)


def test_states_out_of_reach_and_wrong_shapes_are_named():
    m = sk.Mechanism(
        points={"A": (0, 0), "B": (0, 2), "C": (3, 3), "D": (3, 0)},
        links={"ground": ["A", "D"], "crank": {"points": ["A", "B"], "shape": "rod", "mass": 1}, "coupler": ["B", "C"],
               "rocker": ["C", "D"]},
        lengths={"B-C": 1.5, "C-D": 2.5}, drivers={"motor": {"joint": "A"}},
    )  # fmt: skip
    equations = m.reduced()
    with pytest.raises(sk.PoseError, match="t = 0 s: "):
        equations([4.0], [0.0])
    with pytest.raises(sk.InputError) as caught:
        equations([1.0, 2.0], [np.nan])
    assert [problem.key for problem in caught.value.problems] == ["z", "dz"]
    # After a failure the equations go on from the last pose.
    assert equations([1.6], [0.0])[0] == pytest.approx(4 / 3)


@pytest.mark.parametrize(("name", "family"), few([(n, f) for n in WITH_MASSES for f in FAMILIES], 4))
def test_masses_and_forces_of_a_family_give_the_reduced_accelerations(name, family):
    equations = sk.load(path(name)).reduced()
    z, dz, _ = state(equations, 5)
    M, h, Q = equations(z, dz, 0.02)
    ddz, m = np.linalg.solve(M, Q - h), equations.mechanism
    motion = motion_at(equations, z, dz, ddz)
    driven, c = m.constraints(family), m.constraints(family, drivers=[])
    places = [(motion.position(0j, link)[0], motion.position(1 + 0j, link)[0]) for link in c.links]
    X = np.concatenate([np.concatenate((first, second - first)) for first, second in places])[:, None]
    q = driven.from_frames(X, {link: motion.turn(link) for link in c.turned})
    z, dz, ddz, none = z[:, None], dz[:, None], ddz[:, None], np.zeros((0, 1))

    def dense(coordinates, entries):
        return sp.csc_array((entries[:, 0], coordinates.pattern), shape=(coordinates.m, coordinates.n)).toarray()

    J, G = dense(driven, driven.jacobian(q, z)), dense(c, c.jacobian(q, none))
    v = np.linalg.lstsq(J, driven.nu(z, dz), rcond=None)[0]
    a = np.linalg.lstsq(J, driven.gamma(q, v, z, dz, ddz), rcond=None)[0]
    rows, columns, entries = c.mass(q)
    mass = sp.csc_array((entries[:, 0], (rows, columns)), shape=(c.n, c.n)).toarray()
    # M a - Q is a force of the joints: a combination of the rows of Phi_q.
    rest = (mass @ a - c.forces(q, v, 0.02))[:, 0]
    multipliers = np.linalg.lstsq(G.T, -rest, rcond=None)[0]
    np.testing.assert_allclose(
        G.T @ multipliers, -rest, atol=1e-8 * max(abs(mass @ a).max(), abs(c.forces(q, v, 0.02)).max())
    )
