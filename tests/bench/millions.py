"""A million of everything, with two workers: wall and processor time, and the peak of memory, at most 1 GiB.

    python tests/bench/millions.py variants    # a million variants of a six-bar by 73 samples, five measures
    python tests/bench/millions.py torque      # the same with the peak of the motor's torque
    python tests/bench/millions.py data-set    # data sets of a million random linkages of 5 to 20 joints, float32
    python tests/bench/millions.py turning     # of a hundred thousand whose cranks turn fully
    python tests/bench/millions.py dask        # a thousand tasks of 2,000 variants by Dask, and by `workers`, in turn

Stores are made in a folder of their own, and deleted. A second argument is another number of variants or linkages.
Beside the time is its ratio to what the arithmetic alone takes in one process: for variants, one long motion with as
many samples; for linkages, the motions in one buffer.

Asserted is the most memory that all processes needed at once, a page that several share counted once (PSS), looked at
twenty times a second. Beside it stands the sum of the peaks of those that were there together, as if these came at one
moment and nothing were shared: more than is ever needed.
"""

from __future__ import annotations

import resource
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import psutil

import structkin as sk
from structkin.examples import path

WORKERS, SAMPLES, LARGEST = 2, 73, 1024
ANGLES, JOINTS = np.linspace(0, 2 * np.pi, 200), (5, 8, 11, 14, 17, 20)
MEASURES = ["range.angle.output", "min.transmission.C", "max.y.F", "peak.speed.E", "mean.omega.output"]
VARIED = ("A-B", "B-C", "C-D", "D-E", "C-E", "E-F", "F-G")


def measured(run: Callable[[], object]) -> tuple[float, float]:
    """Return wall and processor time of a call, with those of the processes that it has waited for."""
    whole, own = time.perf_counter(), time.process_time()
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    run()
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    others = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return time.perf_counter() - whole, time.process_time() - own + others


class Memory(threading.Thread):
    """Looks at the memory of this process and of those that it has started, until it is told to stop."""

    def __init__(self) -> None:
        super().__init__(daemon=True)
        #: The peaks [MiB] of those that were there together, and the most that all needed at once.
        self.peaks: list[int] = []
        self.at_once = 0
        self._stopped = threading.Event()

    def run(self) -> None:
        """Look twenty times a second."""
        this = psutil.Process()
        while not self._stopped.wait(0.05):
            peaks, at_once = [], 0
            for one in (this, *this.children(recursive=True)):
                try:
                    # Not the peak of `getrusage`: that of a child begins with the peak of the process that started it.
                    text = Path(f"/proc/{one.pid}/status").read_text(encoding="ascii", errors="replace")
                    peaks.append(int(text.split("VmHWM:")[1].split()[0]) >> 10)
                    at_once += one.memory_full_info().pss >> 20
                except (OSError, IndexError, psutil.Error):
                    pass  # it has ended meanwhile
            self.peaks, self.at_once = max(self.peaks, peaks, key=sum), max(self.at_once, at_once)

    def stop(self) -> None:
        """Look no more."""
        self._stopped.set()
        self.join()


def report(words: str, run: Callable[[], object], alone: Callable[[], float]) -> None:
    """Print the times of a call and the memory of its processes, and assert that they need less than 1 GiB.

    Then measure how long it takes `alone` [s], and print the ratio.
    """
    memory = Memory()
    memory.start()
    wall, cpu = measured(run)
    memory.stop()
    print(f"{words}: {wall:.1f} s, processor {cpu:.1f} s", flush=True)
    peaks = f"{' + '.join(map(str, memory.peaks))} = {sum(memory.peaks)} MiB"
    print(f"{memory.at_once} MiB at once, peaks {peaks}", flush=True)
    print(f"{cpu / alone():.2f} times the arithmetic", flush=True)
    assert memory.at_once <= LARGEST, "more than 1 GiB"


def six_bar() -> tuple[sk.Mechanism, dict[str, tuple[float, float]]]:
    """Return a six-bar, and bounds of its lengths: each within 2 %."""
    m = sk.load(path("watt_six_bar"))
    places = m.places
    lengths = {f"lengths.{pair}": abs(complex(places[pair[0]]) - complex(places[pair[2]])) for pair in VARIED}
    return m, {key: (0.98 * length, 1.02 * length) for key, length in lengths.items()}


def variants(count: int, more: tuple[str, ...] = ()) -> None:
    """Study variants of a six-bar."""
    m, bounds = six_bar()
    poses = min(count * SAMPLES, 2_000_000)

    def alone() -> float:
        m.solve(SAMPLES * 100)  # loads what is compiled
        return measured(lambda: m.solve(poses))[1] * count * SAMPLES / poses

    with tempfile.TemporaryDirectory() as folder:
        report(
            f"{count:,} variants, {SAMPLES} samples, {len(MEASURES) + len(more)} measures",
            lambda: sk.study(
                m, bounds, plan="random", variants=count, samples=SAMPLES, measures=[*MEASURES, *more],
                to=Path(folder, "study.zarr"), workers=WORKERS,
            ),
            alone,
        )  # fmt: skip


def data_set(count: int, *, turning: bool = False) -> None:
    """Make data sets of the path of one joint, one for each number of joints, and read some again by LInK's layout."""
    made, size = [0], -(-count // len(JOINTS))

    def alone() -> float:
        seconds = 0.0
        for joints in JOINTS:
            some = sk.solve_batch(sk.Linkages.random(min(size, 2000), joints, turning=turning), angles=ANGLES)
            next(iter(some))  # loads what is compiled
            seconds += measured(lambda some=some: sum(len(block) for block in some))[1] * size / len(some)
        return seconds

    with tempfile.TemporaryDirectory() as folder:

        def one(joints: int) -> int:
            linkages = sk.Linkages.random(size, joints, seed=joints, turning=turning)
            linkages.take(slice(1000)).save(Path(folder, "link"))
            data = sk.solve_batch(linkages, angles=ANGLES).save(Path(folder, f"{joints}.zarr"), workers=WORKERS)
            return int(data["path"].nbytes)

        def make() -> None:
            for joints in JOINTS:
                made[0] += one(joints)
            assert len(sk.Linkages.load(Path(folder, "link"))) == min(size, 1000)

        report(f"{size * len(JOINTS):,} linkages{' that turn fully' if turning else ''}", make, alone)
        stored = sum(file.stat().st_size for file in Path(folder).rglob("*") if file.is_file())
        print(f"{made[0] >> 20} MiB of paths, {stored >> 20} MiB in the stores")


def dask(tasks: int) -> None:
    """Study variants of a six-bar by so many tasks of Dask, and by `workers`, twice each; print the ratios."""
    from distributed import Client, LocalCluster  # the processes of the other commands import this file

    m, bounds = six_bar()
    vars(sys.modules[sk.study.__module__])["POSES"] = SAMPLES * (size := 2000)  # shorter tasks than by default

    def seconds(**how: object) -> float:
        with tempfile.TemporaryDirectory() as folder:
            to, count = Path(folder, "study.zarr"), tasks * size
            plan = {"plan": "random", "variants": count, "samples": SAMPLES, "measures": MEASURES}
            return measured(lambda: sk.study(m, bounds, **plan, to=to, **how))[0]

    with LocalCluster(n_workers=WORKERS, threads_per_worker=1, dashboard_address=":0") as it, Client(it) as client:
        for _ in range(2):
            own, by_dask = seconds(workers=WORKERS), seconds(client=client)
            print(f"{tasks:,} tasks: {own:.1f} s by workers, {by_dask:.1f} s by Dask: {by_dask / own:.3f}", flush=True)


COMMANDS: dict[str, tuple[int, Callable[[int], None]]] = {
    "variants": (1_000_000, variants),
    "torque": (1_000_000, lambda count: variants(count, ("peak.effort.motor",))),
    "data-set": (1_000_000, data_set),
    "turning": (100_000, lambda count: data_set(count, turning=True)),
    "dask": (1_000, dask),
}

if __name__ == "__main__":
    command = sys.argv[1] if len(sys.argv) > 1 else ""
    if command not in COMMANDS:
        sys.exit(__doc__)
    usual, run_command = COMMANDS[command]
    run_command(int(float(sys.argv[2])) if len(sys.argv) > 2 else usual)
