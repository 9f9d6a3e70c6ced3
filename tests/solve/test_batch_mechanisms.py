"""`solve_batch` of a list of mechanisms, and on a Dask cluster."""

import numpy as np
import pytest
from distributed import Client, LocalCluster
from test_batch import TURN, scattered

import structkin as sk
from structkin.examples import path


def test_mechanisms_have_the_digits_and_statuses_of_solve():
    """One with a triad, one with a slider, one that does not turn fully, and two that cannot be turned by one crank."""
    names = ("crank_rocker", "stephenson_iii_triad", "slider_crank_offset", "triple_rocker", "five_bar_two_drivers",
             "tipper_hoist")  # fmt: skip
    many = [sk.load(path(name)) for name in names]
    batch = sk.solve_batch(many, angles=TURN[:60], speed=2.0)
    assert batch.position.shape == (6, max(len(m.places) for m in many), 2, 60) and list(batch.faults) == [4, 5]
    assert "2 drivers" in str(batch.faults[4]) and "drives no angle" in str(batch.faults[5])
    assert (batch.status[4:] == sk.Status.BAD_INPUT).all() and np.isnan(batch.position[4:]).all()
    for k, m in enumerate(many[:4]):
        (driver,) = m.drivers.values()
        motion = m.solve(drivers={driver.id: (driver.start + TURN[:60], np.full(60, 2.0), np.zeros(60))})
        np.testing.assert_array_equal(batch.status[k], motion.status)
        for j, point in enumerate(m.places):
            np.testing.assert_array_equal(batch.position[k, j], motion.position(point).T)
            np.testing.assert_array_equal(batch.acceleration[k, j], motion.acceleration(point).T)
        assert np.isnan(batch.position[k, len(m.places) :]).all()


def test_what_is_no_mechanism_is_named():
    with pytest.raises(sk.InputError, match="number 1 is none"):
        sk.solve_batch([sk.load(path("crank_rocker")), None], angles=TURN)


@pytest.fixture(scope="module")
def client():
    cluster = LocalCluster(n_workers=2, threads_per_worker=1, processes=False, dashboard_address=":0")
    with cluster, Client(cluster) as found:
        yield found


def test_a_cluster_gives_the_same_bits(client):
    linkages = scattered(9, 6, seed=3)
    bars = linkages.adjacency.copy()
    bars[4], alone = False, sk.solve_batch
    given = sk.Linkages.of(bars, linkages.points, linkages.fixed, linkages.motor)
    one, many = alone(given, angles=TURN), alone(given, angles=TURN, client=client)
    for name in ("position", "velocity", "acceleration", "status"):
        np.testing.assert_array_equal(getattr(many, name), getattr(one, name), name)
    assert list(many.faults) == [4] and "linkage 4" in str(many.faults[4])
    first = []
    for block in many.blocks(np.empty((3, 2, 6, 2, 200))):
        np.testing.assert_array_equal(block.position, one.position[block.first :][: len(block)])
        first.append(block.first)
    assert sorted(first) == [0, 2, 4, 6, 8]
    mechanisms = [sk.load(path("crank_rocker")), sk.load(path("slider_crank_offset"))]
    np.testing.assert_array_equal(
        sk.solve_batch(mechanisms, angles=TURN[:9], client=client).position,
        sk.solve_batch(mechanisms, angles=TURN[:9]).position,
    )


def test_a_lost_chunk_is_a_status(client, monkeypatch):
    from structkin.solve.batch import batch as module

    monkeypatch.setattr(module, "done_by", lambda *_: iter([(0, None)]))
    lost = sk.solve_batch(scattered(2, 5, seed=1), angles=TURN[:9], client=client)
    assert (lost.status == -2).all() and np.isnan(lost.position).all() and "ended every worker" in str(lost.faults[1])


def test_a_client_that_is_none_is_refused():
    with pytest.raises(sk.InputError, match="client: is not a client of Dask"):
        sk.solve_batch(scattered(2, 5, seed=1), angles=TURN, client="zzz")
