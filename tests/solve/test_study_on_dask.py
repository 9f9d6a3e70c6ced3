"""Studies on a Dask cluster: the same bits as in one process, whatever dies meanwhile."""

from __future__ import annotations

import os
import random
import signal
import socket
import subprocess
import sys
import time
from contextlib import contextmanager

import numpy as np
import pytest
from distributed import Client, LocalCluster
from test_study import BOUNDS, FOUR_BAR
from typer.testing import CliRunner

import structkin as sk
from structkin.cli import app
from structkin.solve.study import cluster as on_cluster
from structkin.solve.study.store import FINISHED, LOST, ZarrStore

WANTED = {"plan": "sobol", "variants": 64, "samples": 25, "measures": ["range.angle.rocker", "path.C"]}


def run(**more):
    return sk.study(sk.Mechanism(**FOUR_BAR), BOUNDS, **{**WANTED, **more})


def assert_same(found, wanted):
    for name, own in wanted.dataset.variables.items():
        np.testing.assert_array_equal(found.dataset[name].values, own.values)


@pytest.fixture(scope="module")
def client():
    with (
        LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=":0") as cluster,
        Client(cluster) as client,
    ):
        yield client


@pytest.fixture(scope="module")
def wanted():
    return run()


def test_the_same_bits(client, wanted, tmp_path):
    seen = []
    assert_same(run(client=client, progress=seen.append), wanted)
    assert seen == sorted(seen) and seen[-1] == 1.0
    assert_same(run(client=client, to=tmp_path / "a.zarr"), wanted)


def test_the_values_of_a_table_travel(client, tmp_path, monkeypatch):
    """Workers in another folder looked for the file there."""
    (tmp_path / "angle.csv").write_text("0,0\n0.5,0.5\n1,0\n", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    m = sk.Mechanism(**FOUR_BAR | {"drivers": {"motor": {"joint": "A", "csv": "angle.csv"}}, "duration": 1.0})
    assert_same(*(sk.study(m, BOUNDS, **WANTED, client=one) for one in (client, None)))


@pytest.mark.skipif(sys.platform != "linux", reason="mallopt is a function of glibc")
def test_workers_keep_the_memory_of_arrays_that_come_and_go(client):
    """Dask tells glibc to give it back at once: half of the time of a study went into mapping it again."""

    def faults():
        import resource

        before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
        for _ in range(100):
            np.ones(1 << 18)
        return resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before

    run(client=client)
    assert max(client.run(faults).values()) < 5000  # of 51,200 pages


@pytest.mark.full
def test_functions_of_a_script_travel(client, tmp_path):
    script = tmp_path / "script.py"
    script.write_text(
        "import numpy as np\nimport structkin as sk\nfrom distributed import Client\n\n"
        "def highest(motions):\n    return motions.position('C')[..., 1].max(axis=1)\n\n"
        f"m = sk.Mechanism(**{FOUR_BAR!r})\n"
        f"with Client({client.scheduler.address!r}) as client:\n"
        "    options = dict(plan='sobol', variants=16, samples=9, measures={'top': highest})\n"
        f"    one, other = (sk.study(m, {BOUNDS!r}, client=c, **options) for c in (client, None))\n"
        "np.testing.assert_array_equal(one.dataset['top'], other.dataset['top'])\nprint('same')\n",
        encoding="utf-8",
    )
    done = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, timeout=120, check=False)
    assert done.stdout == "same\n", done.stderr


@pytest.mark.full
def test_a_chunk_that_ends_its_workers_is_lost(client, tmp_path):
    """Its status says so, and others that were on the same workers are there; later it is tried again."""
    values = {"lengths.B-C": np.linspace(0.06, 0.16, 64)}
    marker = tmp_path / "deadly"

    def place(motions, edge=-0.02):
        x = motions.position("C")[:, 0, 0]
        if marker.exists() and (x < edge).any():
            os.kill(os.getpid(), signal.SIGKILL)
        return x

    m, options = sk.Mechanism(**FOUR_BAR), {"samples": 3, "measures": {"x": place}}
    wanted = sk.study(m, values, **options)
    x = wanted.dataset["x"].values
    place.__defaults__ = (np.sort(x[np.isfinite(x)])[2],)
    guilty = {k // 4 for k in np.flatnonzero(x < place.__defaults__[0])}
    marker.touch()
    store = tmp_path / "a.zarr"
    found = sk.study(m, values, to=store, client=client, **options)
    lost = found.dataset["status"].values == LOST
    assert {k // 4 for k in np.flatnonzero(lost)} == guilty and lost.sum() == 4 * len(guilty)
    assert found.outcomes.count("lost") == lost.sum() and np.isnan(found.dataset["x"].values[lost]).all()
    np.testing.assert_array_equal(found.dataset["x"].values[~lost], x[~lost])
    marker.unlink()
    assert_same(sk.study(m, values, to=store, client=client, **options), wanted)


@pytest.mark.full
def test_a_cluster_of_this_process_does_not_give_up_a_worker_that_starts_slowly(tmp_path):
    """Dask closes one that is not back within 15 s, as on a busy machine; without any, the study never ended."""
    script = tmp_path / "script.py"
    script.write_text(
        "import os, signal, sys\nimport dask\nimport structkin as sk\nfrom distributed import Client, LocalCluster\n\n"
        "def once(motions):\n"
        "    if len(motions) > 1 and os.path.exists(marker):\n"
        "        os.remove(marker)\n"
        "        os.kill(os.getpid(), signal.SIGKILL)\n"
        "    return motions.position('C')[:, 0, 0]\n\n"
        "marker = sys.argv[1]\n"
        "if __name__ == '__main__':\n"
        "    dask.config.set({'distributed.deploy.lost-worker-timeout': '50ms'})\n"
        "    options = dict(n_workers=1, threads_per_worker=1, dashboard_address=':0')\n"
        "    with LocalCluster(**options) as cluster, Client(cluster) as client:\n"
        f"        m = sk.Mechanism(**{FOUR_BAR!r})\n"
        "        plan = dict(plan='sobol', variants=64, samples=3, measures={'x': once})\n"
        f"        sk.study(m, {BOUNDS!r}, **plan)\n"
        "        open(marker, 'w').close()\n"
        f"        found = sk.study(m, {BOUNDS!r}, client=client, **plan)\n"
        "        print(os.path.exists(marker), found.outcomes.count('lost'))\n",
        encoding="utf-8",
    )
    command = [sys.executable, str(script), str(tmp_path / "deadly")]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert done.stdout == "False 0\n", done.stderr


def test_a_fault_of_a_measure_is_not_the_clusters(client):
    """Also one that a lost scheduler could have."""

    def wrong(motions):
        if len(motions) > 1:  # in a task, not when its shape is asked for
            raise OSError("no such sensor")
        return np.zeros(1)

    with pytest.raises(OSError, match="no such sensor"):
        run(client=client, measures={"wrong": wrong})
    assert run(client=client).outcomes  # the cluster goes on


def test_rows_of_another_shape_are_no_lost_chunk(client):
    def wider(motions):
        return np.ones((len(motions), min(len(motions), 2)))

    with pytest.raises(sk.InputError, match=r"measures\.wide: returned rows of the shape \(2,\)"):
        run(client=client, measures={"wide": wider})


def test_what_is_refused(client, monkeypatch):
    with pytest.raises(sk.InputError, match="is not a client of Dask"):
        run(client="tcp://127.0.0.1:8786")
    with pytest.raises(sk.InputError, match="workers: are those of the client"):
        run(client=client, workers=2)
    monkeypatch.setattr(on_cluster, "__version__", "0.0.1")
    with pytest.raises(sk.InputError) as error:
        run(client=client)
    found = str(error.value)
    assert "the worker at tcp://" in found and f"has structkin {sk.__version__}; install structkin 0.0.1" in found


def free_port():
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return found.getsockname()[1]


STUDY = """
mechanism = "four_bar.toml"
plan = "sobol"
variants = 64
samples = 25

[parameters]
"lengths.B-C" = [0.06, 0.16]
"lengths.C-D" = [0.06, 0.16]

[measures]
swing = "range.angle.rocker"
"""


def study_file(folder):
    sk.Mechanism(**FOUR_BAR).save(folder / "four_bar.toml")
    (folder / "study.toml").write_text(STUDY, encoding="utf-8")
    return str(folder / "study.toml")


@pytest.mark.full
def test_the_command(client, tmp_path, monkeypatch):
    file = study_file(tmp_path)
    words = ["study", file, "--csv", "-"]
    one, other = (CliRunner().invoke(app, [*words, *more]) for more in ([], ["--scheduler", client.scheduler.address]))
    assert one.exit_code == other.exit_code == 0 and one.stdout == other.stdout
    monkeypatch.setattr(on_cluster, "PATIENCE", 1.0)
    none = CliRunner().invoke(app, [*words, "--scheduler", f"tcp://127.0.0.1:{free_port()}"])
    assert isinstance(none.exception, sk.InputError) and "no scheduler of Dask answers at" in str(none.exception)


@pytest.mark.parametrize("address", ["foo", "", ":", "http://x:1", "tls://x:1"])
def test_an_address_of_another_form_is_one_error(address):
    """A client was made of it first, which waited 20 s when it was deleted and printed a traceback."""
    with pytest.raises(sk.InputError, match="Dask cannot connect to"):
        on_cluster.connected(address)


# --- whatever is killed -----------------------------------------------------------------------------------------------

SLOW_STUDY = """
import sys, time, structkin as sk
from distributed import Client

def slow(motions):
    time.sleep(0.05)
    return motions.position("C")[:, 0, 0]

m = sk.Mechanism(**{mechanism!r})
with Client({address!r}, timeout=20) as client:
    sk.study(m, {bounds!r}, plan="sobol", variants=512, samples=9, measures={{"x": slow}}, to={to!r}, client=client)
"""


@contextmanager
def processes(address):
    """A scheduler and two workers of their own."""
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    port = address.rpartition(":")[2]
    dask = [sys.executable, "-m", "dask"]
    started = [subprocess.Popen([*dask, "scheduler", "--host", "127.0.0.1", "--port", port, "--no-dashboard"], **quiet)]
    worker = [*dask, "worker", address, "--nthreads", "1", "--no-dashboard"]
    started += [subprocess.Popen(worker, **quiet, start_new_session=True) for _ in range(2)]
    try:
        yield started
    finally:
        for one in started:
            one.kill()
            one.wait()


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("victim", ["worker", "scheduler", "client"])
def test_whatever_is_killed(victim, seed, tmp_path):
    """The next run goes on: the store is that of one process to the bit, and holds each variant once."""
    rng = random.Random(seed)
    store, address = tmp_path / "a.zarr", f"tcp://127.0.0.1:{free_port()}"
    script = tmp_path / "script.py"
    fields = {"mechanism": FOUR_BAR, "bounds": BOUNDS, "to": str(store), "address": address}
    script.write_text(SLOW_STUDY.format(**fields), encoding="utf-8")
    with processes(address) as (scheduler, worker, _):
        study = subprocess.Popen([sys.executable, str(script)], stderr=subprocess.DEVNULL)
        try:
            until = time.monotonic() + 60
            while not store.exists() and time.monotonic() < until:
                time.sleep(0.02)
            time.sleep(rng.uniform(0, 2))
            {"worker": worker, "scheduler": scheduler, "client": study}[victim].kill()
            if victim == "scheduler":  # the client waits for it to come back
                time.sleep(0.5)
                study.kill()
            study.wait(timeout=120)
        finally:
            study.kill()
    if study.returncode:
        with processes(address):
            subprocess.run([sys.executable, str(script)], check=True, timeout=120)
    found = sk.Study.open(store)
    wanted = sk.study(
        sk.Mechanism(**FOUR_BAR), BOUNDS, plan="sobol", variants=512, samples=9,
        measures={"x": lambda motions: motions.position("C")[:, 0, 0]},
    )  # fmt: skip
    assert_same(found, wanted)
    assert all(ZarrStore(store).has(k) for k in range(16)) and len(os.listdir(store / FINISHED / "c")) == 16
