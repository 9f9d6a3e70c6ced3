"""Data sets: what the store holds is what `solve_batch` gives, whoever makes it, however often it is interrupted."""

import importlib.util
import shutil

import numpy as np
import pytest
import xarray as xr
from distributed import Client
from test_batch import TURN, scattered

import structkin as sk
from structkin.examples import path as example
from structkin.solve.batch import data_set


@pytest.fixture(autouse=True)
def small_chunks(monkeypatch):
    monkeypatch.setattr(data_set, "CHUNK", 4)


def test_a_data_set_holds_the_path_of_a_joint_and_is_read_again(tmp_path):
    linkages = scattered(10, 6, seed=2)
    batch, parts = sk.solve_batch(linkages, angles=TURN[:50]), []
    found = batch.save(tmp_path / "set.zarr", progress=parts.append)
    assert parts == [1 / 3, 2 / 3, 1] and found["path"].dtype == np.float32
    np.testing.assert_array_equal(found["path"], batch.position[:, -1].astype(np.float32))
    np.testing.assert_array_equal(found["status"], batch.status)
    np.testing.assert_array_equal(found["angle"], batch.angles)
    read = sk.Linkages.load(tmp_path / "set.zarr")
    for name, array in linkages.arrays.items():
        np.testing.assert_array_equal(getattr(read, name), array, name)
    third = batch.save(tmp_path / "third.zarr", keep=np.int64(3))
    np.testing.assert_array_equal(third["path"], batch.position[:, 3].astype(np.float32))
    every = batch.save(tmp_path / "all.zarr", keep="all")
    np.testing.assert_array_equal(every["path"], batch.position.astype(np.float32))
    plain = xr.open_dataset(tmp_path / "all.zarr", engine="zarr", consolidated=False)
    assert plain["path"].dims == ("variant", "joint", "xy", "sample")
    with pytest.raises(sk.InputError, match=r"is a data set of linkages; xarray.open_zarr reads its paths"):
        sk.Study.open(tmp_path / "all.zarr")


def test_an_interrupted_one_goes_on_and_another_is_refused(tmp_path, monkeypatch):
    linkages, store = scattered(10, 5, seed=4), tmp_path / "set.zarr"
    batch, rows, done = sk.solve_batch(linkages, angles=TURN[:20]), data_set.StoredShare.rows, []

    def counted(self, arrays):
        done.append(len(arrays["points"]))
        return rows(self, arrays)

    def stop(part):
        raise KeyboardInterrupt

    monkeypatch.setattr(data_set.StoredShare, "rows", counted)
    with pytest.raises(KeyboardInterrupt):
        batch.save(store, progress=stop)
    with pytest.raises(sk.InputError, match=r"set\.zarr: is not finished: 4 of 10 linkages are there; the same"):
        sk.Linkages.load(store)
    found = batch.save(store)
    assert done == [4, 4, 2]
    np.testing.assert_array_equal(found["path"], batch.position[:, -1].astype(np.float32))
    np.testing.assert_array_equal(batch.save(store, keep=4)["path"], found["path"])  # the last joint by its number
    with pytest.raises(sk.InputError, match="is the store of another study: angles differs"):
        sk.solve_batch(linkages, angles=TURN[:21]).save(store)


@pytest.mark.compiled
def test_linkages_that_are_left_out_have_a_status_of_their_own(tmp_path):
    """Chunks leave out the same ones as one batch, and a data set with all of them is another."""
    linkages, store = sk.Linkages.random(10, 9, seed=3, triads=0.3, sliders=0.3), tmp_path / "set.zarr"
    half = TURN[:20]  # up to which triads are not followed in the loop
    batch = sk.solve_batch(linkages, angles=half, one_by_one=False)
    found = batch.save(store)
    assert 0 < (found["status"] == -3).all("sample").sum() < 10
    np.testing.assert_array_equal(found["status"], batch.status)
    assert found["status"].attrs["flag_meanings"].startswith("LEFT LOST NOT_FINISHED OK")
    with pytest.raises(sk.InputError, match="is the store of another study: one_by_one differs"):
        sk.solve_batch(linkages, angles=half).save(store)


@pytest.mark.parametrize("none", [slice(0, 0), [], np.flatnonzero([False])])
def test_where_none_are_left_there_is_nothing_to_solve(none, tmp_path):
    """A second call for those that the first left out ended with a warning where there were none."""
    batch = sk.solve_batch(scattered(5, 4, seed=1).take(none), angles=TURN)
    assert batch.position.shape == (0, 4, 2, 200) and batch.ok.shape == (0, 200) and not [*batch, *batch.faults]
    with pytest.raises(sk.InputError, match="linkages: there are none"):
        batch.save(tmp_path / "set.zarr")


def test_a_cluster_makes_the_same(tmp_path):
    linkages = scattered(9, 5, seed=6)
    with Client(n_workers=2, threads_per_worker=1, processes=False, dashboard_address=":0") as client:
        one, many = (
            sk.solve_batch(linkages, angles=TURN[:20], client=by).save(tmp_path / f"{k}.zarr", keep=2)
            for k, by in enumerate((None, client))
        )
    assert one.equals(many)


def test_rigid_links_and_guides_are_stored(tmp_path):
    rigid = np.full((2, 4), -1)
    slides = np.full((2, 4, 2), np.nan)
    linkages = sk.Linkages.of(*(getattr(scattered(2, 4, seed=1), name) for name in ("adjacency", "points", "fixed",
                              "motor")), bodies=rigid, slides=slides)  # fmt: skip
    sk.solve_batch(linkages, angles=TURN[:5]).save(tmp_path / "set.zarr")
    read = sk.Linkages.load(tmp_path / "set.zarr")
    np.testing.assert_array_equal(read.bodies, rigid)
    np.testing.assert_array_equal(read.slides, slides)


def test_all_that_is_wrong_is_named(tmp_path):
    batch = sk.solve_batch(scattered(2, 5, seed=1), angles=TURN[:5])
    with pytest.raises(sk.InputError, match="3 errors"):
        batch.save(tmp_path / "set.nc", keep=5, workers=0)
    with pytest.raises(sk.InputError, match="are mechanisms"):
        sk.solve_batch([sk.load(example("crank_rocker"))], angles=TURN[:5]).save(tmp_path / "set.zarr")
    with pytest.raises(sk.InputError, match="is not a data set"):
        sk.Linkages.load(tmp_path / "nothing.zarr")


def test_without_zarr_it_says_what_to_install(tmp_path, monkeypatch):
    """It ended in a ModuleNotFoundError."""
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(sk.InputError, match=r'needs zarr, which is not installed; pip install "structkin\[study\]"'):
        sk.Linkages.load(tmp_path / "set.zarr")


def test_the_store_of_a_study_is_no_data_set(tmp_path):
    """It ended in the TypeError of a call without its arguments, as did a data set without one of its arrays."""
    store = tmp_path / "study.zarr"
    crank_rocker = sk.load(example("crank_rocker"))
    sk.study(crank_rocker, {"drivers.motor.speed": [1.0, 2.0]}, measures=["path.C"], samples=5, to=store)
    with pytest.raises(
        sk.InputError, match=r"is the store of a study, not a data set of linkages; Study\.open reads it"
    ):
        sk.Linkages.load(store)
    linkages = tmp_path / "set.zarr"
    sk.solve_batch(scattered(2, 5, seed=1), angles=TURN[:5]).save(linkages)
    shutil.rmtree(linkages / "points")
    with pytest.raises(sk.InputError, match="is not a data set"):
        sk.Linkages.load(linkages)
