"""`structkin bench`: the decomposition, the methods, the groups and forward dynamics, measured on this machine."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import typer

from structkin.bench import decomposition
from structkin.bench import formulations as sides
from structkin.bench.comparison_report import machine
from structkin.bench.dynamics import simulation_tables as dynamics_report
from structkin.bench.dynamics.measured_runs import cases, compare, engine_here, paces
from structkin.bench.groups import costs
from structkin.cli.bench_four_bar import MOST_TURNS, scalable_four_bar, too_many
from structkin.cli.options import Once, command_family
from structkin.cli.outputs import STDOUT, Outputs, check_folder, make_folder, write_rows
from structkin.cli.terminal import print_table, progress, say
from structkin.compiled import has_numba
from structkin.errors import Problem, raise_problems
from structkin.kernels.choice import check_engine
from structkin.show.files import save_figure

bench = command_family("Measure the speed of structkin on this machine.")
bench.command("scalable-four-bar", cls=Once)(scalable_four_bar)

#: Links of the mechanisms that are decomposed.
LINKS, QUICK_LINKS = (1e4, 1e5, 1e6), (1e3, 1e4)
FEWEST, MOST_LINKS = 4, 10_000_000
#: Platforms of the groups: 4, 6, 10 and 20 links.
PLATFORMS, QUICK_PLATFORMS = (1, 2, 4, 9), (2, 4)
TURNS, QUICK_TURNS = 160, 10
MOST_VARIANTS = 1_000_000
#: Turns of short runs, on which dyads and triads are measured as well.
SHORT = (1, 3, 10)
#: Sizes of the families whose growth is measured: dyads with one degree of freedom, chains with one for each link.
SIZES = {"dyads": (10, 30, 100, 300, 1000), "chain": (2, 5, 10, 20, 40)}
QUICK_SIZES = {"dyads": (10, 100), "chain": (2, 10)}


def _writable(table: Path | None) -> Path | None:
    """Return where a table goes, which is checked before the work begins."""
    Outputs(None, {"--csv": table})
    return table


Quick = Annotated[bool, typer.Option("--quick", help="Use few settings and small mechanisms.")]
Csv = Annotated[Path | None, typer.Option("--csv", help="Write CSV; - for stdout.", metavar="FILE", callback=_writable)]


@bench.command(cls=Once)
def structure(
    links: Annotated[list[float] | None, typer.Option(help="Number of links; repeat it for more sizes.")] = None,
    quick: Quick = False,
    seed: Annotated[int, typer.Option(help="Seed of the random mechanisms.")] = 0,
    table: Csv = None,
) -> None:
    """Decompose large mechanisms: a scalable four-bar and a random one of each size."""
    given = links or (QUICK_LINKS if quick else LINKS)
    few = [one for one in given if not one >= FEWEST]
    problems = [Problem("--links", f"{one:g} links make no four-bar", f"give {FEWEST} or more") for one in few]
    problems += too_many("--links", given, MOST_LINKS)
    if seed < 0:
        problems.append(Problem("--seed", f"{seed} is negative", "give 0 or more"))
    raise_problems(problems, "bench")
    from structkin.solve.study.work import processes

    sizes = sorted({round(one) for one in given})
    found = []
    for family in decomposition.FAMILIES:
        for size in sizes:
            # a new process for each, so that the peak memory is its own
            with processes(1) as submit:
                found.append(submit(decomposition.measure, family, size, seed).result())
    note = (
        f"{os.cpu_count() or 1} cores, one used. objects: the same through Topology, with names. "
        "exponent: growth from the size above."
    )
    _deliver(found, table, "Decomposition with certificate: CPU time [s]", decomposition.table_lines(found), note)


@bench.command(cls=Once)
def groups(
    quick: Quick = False,
    turns: Annotated[int | None, typer.Option(help="Turns of the crank; default: 160.", min=1)] = None,
    engine: Annotated[list[str] | None, typer.Option(help="python or compiled; default: both, as installed.")] = None,
    table: Csv = None,
) -> None:
    """Measure groups solved by continuation: triads against dyads, larger groups against the cube of their size."""
    engines = tuple(engine or (("python", "compiled") if has_numba() else ("python",)))
    raise_problems(too_many("--turns", (turns or 0,), MOST_TURNS), "bench")
    for name in engines:
        check_engine(name, "bench")
    found = []
    with progress("measuring") as report:
        for done, name in enumerate(engines):
            report(done / len(engines))
            sizes, many = (QUICK_PLATFORMS, QUICK_TURNS) if quick else (PLATFORMS, TURNS)
            found += costs(name, sizes, turns or many, () if quick else SHORT)
    heads = ("group", "engine", "links", "groups", "samples", "ns/group", "dyads", "dyads/(links/2)^3")
    lines = [
        (*map(str, (one.kind, one.engine, one.links, one.groups, one.samples)),
         f"{one.nanoseconds:.3g}", f"{one.dyads:.3g}", f"{one.against_cube:.2g}")
        for one in found
    ]  # fmt: skip
    title = "Position, velocity and acceleration of a group"
    _deliver(found, table, title, [heads, *lines], machine(), left=2, more=("against_cube",))


@bench.command(cls=Once)
def linkages(quick: Quick = False, table: Csv = None) -> None:
    """Solve random linkages, all of different topologies: how many a second, with structure, rates and statuses."""
    from structkin.bench.linkages import measure

    kinds = ((False, 0.0), (True, 0.0), (True, 0.3))
    cases = [(joints, *kind) for kind in kinds for joints in ((5,) if quick else (5, 10, 20))]
    found = []
    with progress("measuring") as report:
        for done, (joints, turning, sliders) in enumerate(cases):
            report(done / len(cases))
            found.append(measure(joints, 50 if quick else 4000, turning=turning, sliders=sliders))
    heads = ("joints", "turning", "guides", "linkages", "samples that close", "linkages/s", "ns a dyad and sample")
    lines = [
        (str(one.joints), "yes" if one.turning else "no", f"{one.sliders:.0%}", str(one.linkages),
         f"{one.closed:.0%}", f"{one.a_second:,.0f}", f"{one.nanoseconds:.3g}")
        for one in found
    ]  # fmt: skip
    title = "Random linkages over 200 angles, position, velocity and acceleration"
    _deliver(found, table, title, [heads, *lines], machine(), more=("a_second", "nanoseconds"))


@bench.command(cls=Once)
def variants(
    count: Annotated[int, typer.Option("--variants", help="How many variants are solved.", min=100)] = 20_000,
    workers: Annotated[int, typer.Option(help="Processes of a study, beside one.", min=1)] = 2,
    table: Csv = None,
) -> None:
    """Solve and measure variants of a six-bar: time for a group and pose, against that of one mechanism."""
    from structkin.bench.variants import measure

    raise_problems(too_many("--variants", (count,), MOST_VARIANTS), "bench")
    with progress("measuring") as report:
        report(0.0)
        found = measure(count, workers)
    heads = ("way", "variants", "poses", "CPU [s]", "ns a group and pose", "elapsed [s]")
    lines = [
        (one.way, f"{one.variants:,}", f"{one.poses:,}", f"{one.cpu:.3g}", f"{one.nanoseconds:.3g}",
         f"{one.elapsed:.3g}")
        for one in found
    ]  # fmt: skip
    title = "Variants of a six-bar over 73 samples; processor times with those of workers"
    _deliver(found, table, title, [heads, *lines], machine(), more=("nanoseconds",))


@bench.command(cls=Once)
def formulations(quick: Quick = False, table: Csv = None) -> None:
    """Compare all formulations of dynamics on one four-bar: unknowns, cost of an evaluation, error and drift."""
    with progress("measuring") as report:
        found = sides.formulations(quick=quick, report=report)
    title = f"A four-bar under gravity, {sides.duration(quick):g} s, tolerance 1e-9"
    note = "error, opening, drift: parts of the mechanism's size; drift: where nothing stabilises the closure"
    _deliver(found, table, title, sides.table_lines(found), note, machine())


@bench.command(cls=Once)
def dynamics(
    quick: Quick = False,
    engine: Annotated[str | None, typer.Option(help="python or compiled; default: compiled, with Numba.")] = None,
    to: Annotated[
        Path | None, typer.Option(help="Write CSV and a picture.", metavar="FOLDER", callback=check_folder)
    ] = None,
) -> None:
    """Simulate a four-bar and the N-four-bar, against other programs if installed; measure the growth with size."""
    name = engine or engine_here()
    check_engine(name, "bench")
    found = dynamics_report.DynamicsComparison(cases(quick))
    with progress("measuring") as report:
        for done, case in enumerate(found.cases, 1):
            found.runs += compare(case, name)
            report(done / (len(found.cases) + 1))
        found.paces += paces(QUICK_SIZES if quick else SIZES, name)
    for case in found.cases:
        title = f"{case.name}, 10 s simulated: elapsed time [s], without compilation"
        print_table(title, dynamics_report.table_lines(found.of(case)), left=2)
    say(*found.verdicts())
    lines = dynamics_report.pace_lines(found.paces)
    print_table("The cost of one Runge-Kutta step, CPU time", lines, left=2)
    say(*found.exponents(), machine())
    if to is not None:
        make_folder(to)
        tables: dict[str, list[Any]] = {"dynamics.csv": found.runs, "dynamics_steps.csv": found.paces}
        for file, rows in tables.items():
            write_rows(to / file, [asdict(row) for row in rows])
        save_figure(dynamics_report.draw(found), to / "dynamics.png")
        say(*(f"written: {to / file}" for file in (*tables, "dynamics.png")))


@bench.command(cls=Once)
def spatial(quick: Quick = False, table: Csv = None) -> None:
    """Measure small steps in space: body-steps a second of a chain and a net of 24 bodies, beside two bounds."""
    from structkin.bench import spatial

    check_engine("compiled", "bench")
    found = []
    with progress("measuring") as report:
        for done, model in enumerate((spatial.chain(), spatial.net())):
            report(done / 2)
            found.append(spatial.measure(model, spatial.WORK // 10 if quick else spatial.WORK))
    heads = ("mechanism", "bodies", "joints", "body-steps/s", "ns each", "operations each", "of peak",
             "bytes each", "of copying", "x real time at 1e-5 s")  # fmt: skip
    lines = [
        (one.case, str(one.bodies), str(one.joints), f"{one.pace:.3g}", f"{1e9 / one.pace:.0f}",
         f"{one.flops:.0f}", f"{one.arithmetic:.0%}", f"{one.bytes:.0f}", f"{one.memory:.1%}",
         f"{one.real_time:.2g}")
        for one in found
    ]  # fmt: skip
    bounds = (
        f"The bounds, measured now: {found[0].peak:.3g} operations/s in independent multiply-adds, "
        f"{found[0].copied:.3g} bytes/s copied within the cache."
    )
    title, more = "Small steps on one core: processor time", ("pace", "arithmetic", "memory", "real_time")
    _deliver(found, table, title, [heads, *lines], bounds, machine(), more=more)


def _deliver(
    found: Sequence[Any],
    table: Path | None,
    title: str,
    lines: Sequence[Sequence[str]],
    *notes: str,
    left: int = 1,
    more: Sequence[str] = (),
) -> None:
    """Print lines and notes, unless the CSV goes to stdout; write the fields, and `more`, of what was found as CSV."""
    if table != STDOUT:
        print_table(title, lines, left)
        say(*notes)
    if table is not None:
        write_rows(table, [asdict(one) | {name: getattr(one, name) for name in more} for one in found])
