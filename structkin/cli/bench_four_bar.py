"""`structkin bench scalable-four-bar`: the comparison of Saura et al., sec. 4, repeated with our own runs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from pathlib import Path
from typing import Annotated

import typer

from structkin.bench import shares as time_shares
from structkin.bench.compared_methods import METHODS, Method
from structkin.bench.comparison import LARGE, MethodComparison
from structkin.bench.comparison_report import Record, report
from structkin.bench.measure import GLOBAL, PIECE, RUNS, SAMPLES, Timing, measure
from structkin.bench.mechanism import scalable_four_bar as mechanism_of
from structkin.bench.pictures import draw_shares, draw_shares_by_size, draw_times
from structkin.cli.outputs import check_folder, make_folder
from structkin.cli.terminal import progress, say
from structkin.compiled import has_numba
from structkin.errors import InputError, Problem, problems_of, raise_problems
from structkin.kernels.choice import check_engine
from structkin.show.files import save_figure, whole_file

#: Largest number of dyads at which global methods take part in the comparison at equal work.
GLOBAL_SCALING = 3000
#: Numbers of dyads: from which two threads are compared with one; of short motions; with several drivers.
THREADED, SHORT, DRIVEN = 17, (1, 17, 71), 71
SEED = 1
#: The most dyads and turns that are measured.
MOST_DYADS, MOST_TURNS = 10_000, 10_000


@dataclass(frozen=True)
class _Job:
    """What is to be measured: `sizes` are the numbers of dyads of whole motions, `scaling` those at equal `work`.

    `turns` is the number of turns of whole motions, `shared` that of the runs of global methods whose time is broken
    down, `short` those of short motions; `drivers` are the numbers of drivers on one chain.
    """

    sizes: Sequence[int]
    scaling: Sequence[int]
    turns: int
    patience: float
    work: int
    runs: int
    drivers: Sequence[int]
    shared: int
    short: Sequence[int]
    #: Methods that would take too long to compile in a quick run, and are run with NumPy only.
    python_only: Sequence[str] = ()
    engines: Sequence[str] = ()


#: The paper's text and figures name 17 and 71 dyads.
FULL = _Job(
    sizes=(1, 3, 8, 17, 35, 71, 143, 300, 1000),
    scaling=(10, 17, 35, 71, 143, 300, 1000, 3000, 10_000),
    turns=500,
    patience=4.0,
    work=PIECE,
    runs=RUNS,
    drivers=(1, 2, 4),
    shared=time_shares.TURNS,
    short=(1, 10),
)
QUICK = _Job(
    sizes=(1, 5, 17, 71),
    scaling=(17, 143, 1000),
    turns=5,
    patience=0.5,
    work=PIECE // 5,
    runs=2,
    drivers=(1, 2),
    shared=1,
    short=(1,),
    python_only=("III-tensors",),
)


def scalable_four_bar(
    dyads: Annotated[list[int] | None, typer.Option(help="Number of dyads; repeat it for more sizes.")] = None,
    quick: Annotated[bool, typer.Option("--quick", help="Use few sizes and turns: less than a minute.")] = False,
    turns: Annotated[int | None, typer.Option(help="Turns of the crank; default: 500, as in the paper.")] = None,
    patience: Annotated[
        float | None,
        typer.Option(help="Seconds after which a motion is cut short; default: 4.", metavar="S"),
    ] = None,
    engine: Annotated[list[str] | None, typer.Option(help="python or compiled; default: both, as installed.")] = None,
    to: Annotated[Path | None, typer.Option(help="Write CSV, a report and pictures.", metavar="FOLDER")] = None,
) -> None:
    """Compare the methods on the scalable four-bar: time over constraints, growth, K and L, breakdown of the time.

    Each measurement is written to the CSV at once; the report and the pictures follow at the end, or on Ctrl-C.
    """
    job = _checked(dyads, turns, patience, engine, to, quick=quick)
    found, stopped = MethodComparison(), False
    record = _open(to)
    with progress("measuring") as bar:
        try:
            steps = list(_steps(job, found, record))
            total, done = sum(weight for weight, _ in steps), 0.0
            for weight, step in steps:
                step()
                done += weight
                bar(done / total)
        except KeyboardInterrupt:
            stopped = True
    say(*report(found))
    if record is not None and to is not None:
        record.close()
        say(*(f"written: {path}" for path in (record.path, *_write(found, to))))
    if stopped:
        say("stopped: what was measured so far is above")
        raise typer.Exit(1)


def too_many(option: str, counts: Iterable[float], most: int) -> list[Problem]:
    """Return the problem with an option one of whose counts is larger than any that is measured."""
    many = any(count > most for count in counts)
    return [Problem(option, f"more than {most:,} are not measured", "give fewer")] if many else []


def _checked(
    dyads: list[int] | None,
    turns: int | None,
    patience: float | None,
    engine: list[str] | None,
    to: Path | None,
    *,
    quick: bool,
) -> _Job:
    """Return the job; an `InputError` lists every error of the options."""
    engines = tuple(dict.fromkeys(engine or (("python", "compiled") if has_numba() else ("python",))))
    problems = []
    for name in engines:
        if name == "auto":
            problems.append(Problem("--engine", "'auto' cannot be measured", "known: python, compiled"))
            continue
        problems += [Problem("--engine", one.message, one.hint) for one in problems_of(check_engine, name)]
    problems += [
        Problem("--dyads", f"{size} dyads make no mechanism", "give 1 or more") for size in dyads or () if size < 1
    ]
    problems += too_many("--dyads", dyads or (), MOST_DYADS) + too_many("--turns", (turns or 0,), MOST_TURNS)
    if turns is not None and turns < 1:
        problems.append(Problem("--turns", f"{turns} is not a number of turns", "give 1 or more"))
    if patience is not None and not patience > 0:
        problems.append(Problem("--patience", f"{patience:g} s is not positive", "give more than 0"))
    problems += problems_of(check_folder, to)
    raise_problems(problems, "bench")
    job = QUICK if quick else FULL
    sizes = sorted(set(dyads)) if dyads else job.sizes
    return replace(
        job,
        sizes=sizes,
        scaling=sizes if dyads else job.scaling,
        turns=turns or job.turns,
        patience=patience or job.patience,
        engines=engines,
    )


def _steps(job: _Job, found: MethodComparison, record: Record | None) -> Iterator[tuple[float, Callable[[], None]]]:
    """Yield what is to be measured, step by step, each with its weight for the progress bar.

    Each step adds its results to `found` and to the record.
    """
    made = cache(mechanism_of)

    def keep(part: str, to: list[Timing], one: Timing) -> None:
        to.append(one)
        if record is not None:
            record.add(one.row(part))

    def engines(method: Method) -> list[str]:
        allowed = ("python",) if method.name in job.python_only else method.engines
        return [engine for engine in job.engines if engine in allowed]

    def motion(family: str, k: int, method: Method, engine: str) -> None:
        mechanism = made(k, seed=SEED if family == "unequal lengths" else None)
        samples = SAMPLES * job.turns
        one = measure(method, mechanism, engine, samples, family=family, patience=job.patience, runs=job.runs)
        keep("motion", found.motions, one)

    def short(k: int, turns: int, method: Method, engine: str) -> None:
        keep("short", found.short, measure(method, made(k), engine, SAMPLES * turns, runs=job.runs))

    def same_work(k: int, method: Method, engine: str) -> None:
        one = measure(method, made(k), engine, max(1, job.work // k), runs=job.runs)
        keep("same work", found.scaling, one)

    def threads(k: int) -> None:
        # Enough work for two threads, in a quick run as well; wall-clock time for both.
        samples = max(1, PIECE // k)
        both = [measure(METHODS[0], made(k), job.engines[-1], samples, threads=n, by_wall=True) for n in (1, 2)]
        for one in both:
            keep("threads", [], one)
        found.threads[k] = both[0].best, both[1].best

    def drivers(f: int, method: Method, engine: str) -> None:
        k = min(DRIVEN, max(job.sizes[-1], f))
        keep("drivers", found.drivers, measure(method, made(k, f), engine, job.work // k, runs=job.runs))

    def share(k: int, name: str) -> None:
        parts = time_shares.shares(made(k), name, job.engines[-1], job.runs, job.shared)
        found.shares.setdefault(name, {})[k] = parts

    def pairs(of: Sequence[Method]) -> list[tuple[Method, str]]:
        return [(method, engine) for method in of for engine in engines(method)]

    def motions(family: str) -> Iterator[tuple[float, Callable[[], None]]]:
        for k in job.sizes:
            for method, engine in pairs([method for method in METHODS if k <= method.most]):
                yield 3.0, partial(motion, family, k, method, engine)

    yield from motions("as published")
    for k in job.sizes:
        for name in time_shares.METHODS:
            if k <= next(method.most for method in METHODS if method.name == name):
                yield 1.0, partial(share, k, name)
    for k in job.scaling:
        methods = [
            method
            for method in METHODS
            if method.name in ("II", "III") or (method.name in ("IV", "IV-b") and LARGE < k <= GLOBAL_SCALING)
        ]
        for method, engine in pairs(methods):
            yield 1.0, partial(same_work, k, method, engine)
        if k >= THREADED:
            yield 1.0, partial(threads, k)
    for k in SHORT:
        if k <= job.sizes[-1]:
            for turns in job.short:
                for method, engine in pairs([method for method in METHODS if method.name in GLOBAL]):
                    yield 0.5, partial(short, k, turns, method, engine)
    for f in job.drivers:
        for method, engine in pairs(METHODS[:3]):
            yield 1.0, partial(drivers, f, method, engine)
    yield from motions("unequal lengths")


def _open(folder: Path | None) -> Record | None:

    if folder is None:
        return None
    make_folder(folder)
    try:
        return Record(folder / "scalable_four_bar.csv")
    except OSError as error:
        problem = Problem("--to", f"{folder}: {error.strerror}", "name a folder that can be written to")
        raise InputError([problem], "bench") from None


def _write(found: MethodComparison, folder: Path) -> Iterator[Path]:
    """Write the report and the pictures of what was found."""

    path = folder / "report.md"
    with whole_file(path) as file:
        file.write("\n".join(report(found)) + "\n")
    yield path
    pictures = {}
    for family in found.families():
        name = f"times_{family.replace(' ', '_')}"
        pictures[f"{name}.png"] = draw_times(found, family)
        pictures[f"{name}_by_dyads.png"] = draw_times(found, family, "dyads")
    if found.shares:
        sizes = sorted({k for by_size in found.shares.values() for k in by_size})
        named = [k for k in sizes if k in (17, 71)]
        pictures["shares.png"] = draw_shares(found, named or sizes[-2:])
        pictures["shares_by_size.png"] = draw_shares_by_size(found)
    for name, figure in pictures.items():
        save_figure(figure, folder / name)
        yield folder / name
