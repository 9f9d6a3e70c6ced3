"""Loops of a tree: equations against motions of the joint and differences, and accelerations by both methods."""

import numpy as np
import pytest
from exponentials import random_tree
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from structkin.errors import InputError
from structkin.multibody.joint import KINDS, SpatialJoint
from structkin.multibody.model import Body, SpatialModel
from structkin.symbolic import evaluating
from structkin.symbolic.system import System
from structkin.symbolic.tree import ROWS


def with_joint(model, kind, bodies, seed):
    rng = np.random.default_rng(seed)
    axes = np.linalg.qr(rng.normal(size=(3, 3)))[0]
    joint = SpatialJoint("loop", kind, bodies, rng.normal(size=3), axes[0], axes[1], pitch=0.3, cut=True)
    return SpatialModel(model.name, model.bodies, {**model.joints, "loop": joint}, gravity=model.gravity)


@pytest.mark.parametrize("kind", ROWS)
def test_a_joint_parallel_to_another_of_its_kind_adds_nothing(kind):
    body, other = Body("A", 1.0, np.ones(3), np.eye(3)), Body("B", 1.0, np.zeros(3), np.eye(3))
    model = with_joint(SpatialModel("", {"A": body, "B": other}, {}), kind, ("A", "B"), 3)
    twin = model.joints["loop"]
    joints = {"twin": SpatialJoint("twin", kind, ("A", "B"), twin.at, twin.axis, twin.second, twin.pitch), "loop": twin}
    system = System(SpatialModel("", model.bodies, joints), "multipliers")
    assert len(system.tree.coordinates) == 6 + len(twin.motions)
    q, qd = np.random.default_rng(4).uniform(-1, 1, (2, len(system.tree.coordinates)))
    evaluating.closure_at(*system.parts, q, qd)
    terms = system.terms
    assert np.abs(terms.phi).max(initial=0) < 1e-14
    assert np.abs(terms.W @ qd).max(initial=0) < 1e-14
    assert np.abs(terms.gamma).max(initial=0) < 1e-13


@pytest.mark.parametrize("kind", ROWS)
def test_a_joint_removes_the_right_number_of_freedoms(kind):
    body = Body("A", 1.0, np.ones(3), np.eye(3))
    model = with_joint(random_tree(5, (2, 2)), kind, ("ground", "A"), 6)
    anchor = SpatialJoint("free", "free", ("ground", "A"), np.zeros(3), *np.eye(3)[:2])
    model = SpatialModel("", {"A": body}, {"free": anchor, "loop": model.joints["loop"]})
    system = System(model, "explicit")
    assert np.linalg.matrix_rank(system.terms.W) == 6 - len(KINDS[kind](*np.eye(3), 0.3))


@settings(max_examples=30, deadline=None)
@given(seed=st.integers(0, 2**32 - 1), kind=st.sampled_from([kind for kind in ROWS if kind not in ("free", "fixed")]))
def test_closure_is_differentiated_correctly_and_both_methods_agree(seed, kind):
    tree = random_tree(seed, (3, 5))
    names = ["ground", *tree.bodies]
    pair = tuple(np.random.default_rng(seed + 1).choice(len(names), 2, replace=False))
    model = with_joint(tree, kind, (names[pair[0]], names[pair[1]]), seed)
    try:
        systems = [System(model, loops) for loops in ("explicit", "multipliers")]
    except InputError:
        assume(False)  # nothing can move, or the drawn pose is singular
    system = systems[0]
    f = len(system.tree.coordinates)
    q, qd = np.random.default_rng(seed).uniform(-0.5, 0.5, (2, f))
    h = 1e-5
    found = []
    for x in (q + h * qd, q - h * qd, q):
        evaluating.closure_at(*system.parts, x, qd)
        found.append((system.terms.phi.copy(), system.terms.W @ qd, -system.terms.gamma))
    ahead, behind, now = found
    size = 1 + np.abs(system.terms.W).max() + np.abs(now[2]).max()
    assert np.abs((ahead[0] - behind[0]) / (2 * h) - now[1]).max() < 1e-8 * size
    assert np.abs((ahead[1] - behind[1]) / (2 * h) - now[2]).max() < 1e-8 * size

    # accelerations at the drawn pose, against a least-squares solution of the whole system
    qd = np.random.default_rng(seed).uniform(-1, 1, f)
    q = np.zeros(f)
    evaluating.project(*system.parts, system.choice, q, qd, np.ones(f))
    qdd = [one.accelerations(0.0, q, qd) for one in systems]
    evaluating.closure_at(*system.parts, q, qd)
    W, gamma = system.terms.W, system.terms.gamma
    scheme = systems[1]
    evaluating.terms_at(*scheme.parts[:2], scheme.loads, *scheme.parts[2:], q, qd)
    M, C = scheme.terms.M, scheme.terms.C
    whole = np.block([[M, W.T], [W, np.zeros((len(W), len(W)))]])
    expected = np.linalg.lstsq(whole, np.concatenate([-C, gamma]), rcond=1e-11)[0][:f]
    close = 1e-12 * np.linalg.cond(M) * max(1.0, system.chooser.largest_rate(W, system.choice)) ** 2
    assert np.allclose(qdd[0], qdd[1], rtol=close, atol=close * (1 + np.abs(expected).max()))
    assert np.allclose(qdd[1], expected, rtol=100 * close, atol=100 * close * (1 + np.abs(expected).max()))
