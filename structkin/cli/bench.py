"""`structkin bench structure`: how the decomposition scales, measured here and now."""

from __future__ import annotations

import math
import os
import sys
import time
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, dataclass
from multiprocessing import get_context
from pathlib import Path
from typing import Annotated

import typer

from structkin.cli.bench_dynamics import dynamics
from structkin.cli.bench_four_bar import scalable_four_bar
from structkin.cli.bench_groups import groups
from structkin.cli.outputs import STDOUT, check_targets, write_rows
from structkin.cli.terminal import console
from structkin.errors import InputError, Problem

bench = typer.Typer(help="Measure structkin on this machine.", no_args_is_help=True, rich_markup_mode=None)

SIZES = (1e4, 1e5, 1e6)
QUICK = (1e3, 1e4)
FAMILIES = ("scalable-four-bar", "random")
STEPS = ("building", "orientation", "blocks", "certificate", "naming")
#: Up to so many links the smallest of three runs counts, and names and objects are measured too.
SMALL = 200_000
RUNS = 3


@dataclass(frozen=True)
class Measured:
    """One mechanism: times in seconds of the processor (`wall`: of the clock), memory in GiB."""

    family: str
    links: int
    joints: int
    groups: int
    levels: int
    solvable: bool
    building: float
    orientation: float
    blocks: float
    certificate: float
    naming: float
    total: float
    wall: float
    objects: float
    memory: float


def measure(family: str, links: int, seed: int = 0) -> Measured:
    """Build a mechanism and decompose it, certificate included.

    `objects` is an ordinary `decompose` of the same, an object a joint and group, with the groups made; NaN if large.
    """
    from structkin.structure import decompose, decompose_arrays
    from structkin.structure.samples import random_mechanism, scalable_four_bar

    topology = scalable_four_bar(links) if family == FAMILIES[0] else random_mechanism(links, seed)
    best: tuple[float, float, dict[str, float]] | None = None
    for _ in range(RUNS if links <= SMALL else 1):
        wall, began = time.perf_counter(), time.process_time()
        found = decompose_arrays(topology)
        spent = time.process_time() - began, time.perf_counter() - wall, dict(found.seconds)
        best = spent if best is None or spent < best else best
    assert best is not None
    memory = peak_memory()
    objects = math.nan
    if links <= SMALL:
        ordinary = topology.to_topology()
        began = time.process_time()
        assert len(decompose(ordinary).groups) == found.n_groups
        objects = time.process_time() - began
    return Measured(
        family=family,
        links=topology.n_links,
        joints=topology.n_joints,
        groups=found.n_groups,
        levels=int(found.level.max(initial=-1)) + 1,
        solvable=found.is_solvable,
        **{step: best[2].get(step, 0.0) for step in STEPS},
        total=best[0],
        wall=best[1],
        objects=objects,
        memory=memory,
    )


def peak_memory() -> float:
    """Return the largest resident memory of this process so far [GiB]; NaN where the system does not tell."""
    try:
        import resource
    except ImportError:
        return math.nan
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / 2 ** (30 if sys.platform == "darwin" else 20)


def exponent(small: Measured, large: Measured) -> float:
    """Return p of time ~ links^p between two measurements."""
    return math.log(large.total / small.total) / math.log(large.links / small.links)


@bench.callback()
def _bench() -> None:
    pass


@bench.command()
def structure(
    links: Annotated[list[float] | None, typer.Option(help="Number of links; give it again for more sizes.")] = None,
    quick: Annotated[bool, typer.Option("--quick", help="Small sizes only: some seconds.")] = False,
    seed: Annotated[int, typer.Option(help="Seed of the random mechanisms.")] = 0,
    table: Annotated[Path | None, typer.Option("--csv", help="Write CSV; - for stdout.", metavar="FILE")] = None,
) -> None:
    """Decompose large mechanisms: a scalable four-bar and a random one of each size."""
    check_targets(None, {"--csv": table}, {})
    sizes = sorted({round(one) for one in links or (QUICK if quick else SIZES)})
    if sizes[0] < 4:
        raise InputError([Problem("--links", f"{sizes[0]} links make no four-bar", "give 4 or more")], "bench")
    found: list[Measured] = []
    for family in FAMILIES:
        for size in sizes:
            # a fresh process each: so the peak of the memory is its own
            with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
                found.append(pool.submit(measure, family, size, seed).result())
    if table != STDOUT:
        _show(found)
    if table is not None:
        write_rows(table, [asdict(one) for one in found])


def _show(found: Sequence[Measured]) -> None:
    from rich import box
    from rich.table import Table

    terminal = console()
    title = "Decomposition with certificate: seconds of processor time"
    sheet = Table(title=title, box=box.SIMPLE, padding=(0, 1, 0, 0))
    for column in ("mechanism", "links", "groups", "levels", *STEPS, "total", "wall", "objects", "GiB", "exponent"):
        sheet.add_column(column, justify="left" if column == "mechanism" else "right", no_wrap=True)
    for before, one in zip([None, *found], found, strict=False):
        grows = "" if before is None or before.family != one.family else f"{exponent(before, one):.2f}"
        times = [f"{getattr(one, step):.2f}" for step in (*STEPS, "total", "wall")]
        objects = "" if math.isnan(one.objects) else f"{one.objects:.2f}"
        memory = "" if math.isnan(one.memory) else f"{one.memory:.2f}"
        name = one.family if one.solvable else f"{one.family} (not solvable!)"
        sheet.add_row(name, str(one.links), str(one.groups), str(one.levels), *times, objects, memory, grows)
    terminal.print(sheet)
    cores = os.cpu_count() or 1
    terminal.print(
        f"{cores} cores, one used. objects: the same by way of Topology, with names. exponent: from the size above.",
        highlight=False,
    )


bench.command("scalable-four-bar")(scalable_four_bar)
bench.command("dynamics")(dynamics)
bench.command("groups")(groups)
