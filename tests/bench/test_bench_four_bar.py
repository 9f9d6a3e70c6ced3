"""The comparison of methods on the scalable four-bar: every method finds the same motion; no time is asserted."""

from __future__ import annotations

import numpy as np
import pytest

from structkin.bench.mechanism import SPEEDS, scalable_four_bar
from structkin.bench.tensors import Chain


@pytest.mark.parametrize("seed", [None, 3])
def test_the_published_mechanism(seed):
    m = scalable_four_bar(17, seed=seed)
    motion = m.solve(721, duration=4 * np.pi)
    assert motion.ok.all() and motion.residual().max() < 1e-13
    assert m.structure().mobility == 1 and [group.kind for group in m.structure().groups] == ["driven R"] + ["RRR"] * 17
    if seed is None:
        np.testing.assert_allclose(
            motion.position("C17"), motion.position("C1") + np.array([16 * 6.0, 0.0]), atol=1e-10
        )


@pytest.mark.parametrize("drivers", [1, 2, 4])
def test_method_iii_with_tensors(drivers):
    m = scalable_four_bar(6, drivers, seed=1)
    t = np.linspace(0.0, 7.0, 40)
    motion = m.solve(t=t)
    assert motion.ok.all()
    chain = Chain.of(m, 6)
    z = np.stack([motion.drivers[id] for id in m.drives], axis=1)
    z[2] = np.linspace(0.1, 0.4, drivers)[:, None]
    motion = m.solve(drivers={id: tuple(z[:, i]) for i, id in enumerate(m.drives)})
    arrays = chain.empty(len(t))
    chain.run(arrays, z, numba=False, block=16)
    x, v, w, K, L = (array[-1] for array in arrays)
    np.testing.assert_allclose(x.T, motion.position("C6"), atol=1e-11)
    np.testing.assert_allclose(
        v.T, np.stack((motion.omega("coupler6"), motion.omega("rocker6"), *motion.velocity("C6").T), 1), atol=1e-11
    )
    np.testing.assert_allclose(
        w.T, np.stack((motion.alpha("coupler6"), motion.alpha("rocker6"), *motion.acceleration("C6").T), 1), atol=1e-10
    )
    np.testing.assert_allclose(np.moveaxis(K[2:], -1, 0), motion.K("C6"), atol=1e-11)
    np.testing.assert_allclose(np.moveaxis(L[2:], -1, 0), motion.L("C6"), atol=1e-10)
    np.testing.assert_allclose(np.moveaxis(L[1], -1, 0), motion.L("rocker6"), atol=1e-10)


def test_speeds_of_the_drivers_differ():
    assert len(set(SPEEDS)) == len(SPEEDS)
