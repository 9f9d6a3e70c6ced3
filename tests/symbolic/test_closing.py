"""One convention for loops, M qdd + h = f + W lambda and W^T qdd = gamma, in the explicit and the recursive scheme."""

import numpy as np
import pytest
from cases import few
from exponentials import random_tree
from spatial_models import Z, four_bar
from test_explicit_loops import crank_slider, swinging_block

from structkin.multibody.joint import SpatialJoint
from structkin.multibody.model import SpatialModel
from structkin.symbolic import equations, evaluating
from structkin.symbolic.system import System
from structkin.symbolic.tree import ROWS


def closed_by(kind):
    """Return three bodies on spherical joints, with a loop through a joint of a kind between the last and the first."""
    tree = random_tree(5, (3, 3))
    rng = np.random.default_rng(1)
    axes = np.linalg.qr(rng.normal(size=(3, 3)))[0]
    one, two, three = tree.bodies
    pairs = {"O": ("ground", one), "P": (one, two), "Q": (two, three), "R": (one, three)}
    joints = {
        name: SpatialJoint(
            name, kind if name == "R" else "spherical", pair, rng.normal(size=3), axes[0], axes[1], cut=name == "R"
        )
        for name, pair in pairs.items()
    }
    return SpatialModel(kind, tree.bodies, joints, gravity=-9.81 * Z)


@pytest.mark.parametrize(
    "model", few([closed_by(kind) for kind in ROWS if kind != "free"], 1, 3), ids=lambda model: model.name
)
def test_rows_of_both_schemes_are_the_same(model):
    agree(model, shared=True)


@pytest.mark.parametrize("make", few([four_bar, crank_slider, swinging_block], 1))
def test_rows_of_planar_loops_are_the_same(make):
    agree(make(), shared=False)


def agree(model, shared):
    """Compare W, Phi, gamma and W lambda at a closed pose that is not the drawn one."""
    system = System(model, "multipliers")
    q, qd = np.random.default_rng(3).uniform(-0.2, 0.2, (2, len(system.tree.coordinates)))
    assert max(evaluating.project(*system.parts, system.choice, q, qd, np.ones_like(q))) < 1e-12
    M, h, f, W, Phi, gamma = equations(model, shared=shared).function()(0.0, q, qd)
    evaluating.closure_at(*system.parts, q, qd)
    terms = system.terms
    counts = np.abs(terms.W).max(axis=1) > 1e-12  # in a plane, rows out of it hold identically
    expected = terms.W[counts].T.copy(), terms.gamma[counts]
    (cut,) = system.tree.cut
    if ROWS[cut.kind][0] == "xyz":  # along axes of the ground, and of the first body
        first = system.tree.of.get(cut.bodies[0])
        axes = np.eye(3) if first is None else system.work.frame[first].copy()
        gaps = counts[:3].sum()
        axes = axes[:gaps, :gaps]
        W[:, :gaps], gamma[:gaps] = W[:, :gaps] @ axes, gamma[:gaps] @ axes
    assert np.abs(Phi).max() < 1e-12
    assert np.allclose(W, expected[0], rtol=1e-11, atol=1e-11)
    assert np.allclose(gamma, expected[1], rtol=1e-11, atol=1e-11)
    n, r = W.shape
    both = np.block([[M, -W], [W.T, np.zeros((r, r))]])
    found = np.linalg.lstsq(both, np.concatenate([f - h, gamma]), rcond=None)[0]
    qdd = system.accelerations(0.0, q, qd)
    assert np.allclose(found[:n], qdd, rtol=1e-8, atol=1e-8 * np.abs(qdd).max())
