"""A study: many variants of a mechanism, measured, and what is known of them."""

from __future__ import annotations

import hashlib
import json
import os
import pickle
import sys
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from structkin.budget import DEFAULT, new_meter
from structkin.checked import checked
from structkin.errors import InputError, Problem, problems_of, raise_problems
from structkin.kernels.choice import check_engine
from structkin.model.arguments import index as whole_index
from structkin.model.mechanism import Mechanism
from structkin.model.numbers import number_of, own_value, with_numbers
from structkin.model.topology import suggest
from structkin.model.written_pose import described
from structkin.plan.status import Status
from structkin.solve.call import make_schedule
from structkin.solve.many.motions import Motions
from structkin.solve.study.cluster import done_by, faults_of
from structkin.solve.study.identity import digest_of_measure
from structkin.solve.study.measures import Named, read_measures
from structkin.solve.study.plans import number_of_variants, planned
from structkin.solve.study.store import (
    LONGEST,
    LOST,
    NOT_FINISHED,
    STUDY,
    MemoryStore,
    Store,
    Variable,
    ZarrStore,
    check_extra,
    of_one_number,
    read,
    study_of,
)
from structkin.solve.study.work import Job, Rows, Work, done
from structkin.types import Floats, Indices
from structkin.version import __version__

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from xarray import Dataset

    from structkin.solve.motion import Motion

#: Poses in a chunk, and chunks of a small study.
POSES, CHUNKS = 1 << 19, 16
#: The largest result that is kept in memory [bytes].
LARGEST = 4 << 30
#: The hint where there is nothing to open.
MADE = "give the folder of a store, which sk.study(..., to='study.zarr') makes"


@checked
@dataclass(frozen=True, repr=False)
class Study:
    """A finished study of a `mechanism`; see `study`.

    `dataset` is an `xarray.Dataset` over the dimension `variant`: the `parameters` and the times `t` [s] are
    coordinates, the measures variables, all in SI. `status` holds a `Status` for each variant: OK, or the first other
    one along its samples, or -2 for a variant that is lost; `reached` is the part of its samples that are ok. Measures
    named REDUCER.QUANTITY.NAME are NaN unless all are, others by name only at the samples that are not.
    """

    mechanism: Mechanism
    dataset: Dataset
    parameters: tuple[str, ...]

    def __len__(self) -> int:
        """Return the number of variants."""
        return int(self.dataset.sizes["variant"])

    def __repr__(self) -> str:
        """Return title, variants and how many are ok."""
        ok = int((self.dataset["status"].values == Status.OK).sum())
        return f"<Study of {self.mechanism.title or 'a mechanism'!r}: {number_of_variants(len(self))}, {ok:,} ok>"

    @classmethod
    def open(cls, path: str | Path) -> Study:
        """Return the study in a zarr store, finished or not: the rest has the status -1, and no measures.

        Raises `InputError` if there is no such store, or zarr is not installed.
        """
        raise_problems(check_extra("path", stored=True), "study")
        if not os.path.exists(path):
            raise InputError([Problem("path", f"there is no folder '{path}'", MADE)], "study")
        about = study_of(Path(path), "path", MADE)
        if "linkages" in about:
            hint = "xarray.open_zarr reads its paths, and Linkages.load its linkages"
            raise InputError([Problem("path", f"{path} is a data set of linkages", hint)], "study")
        dataset = read(ZarrStore(Path(path)).dataset, Path(path), "path", MADE)
        return cls(Mechanism.from_dict(about["mechanism"]), dataset, tuple(about["parameters"]))

    @property
    def outcomes(self) -> list[str]:
        """The outcome of each variant in words: that of its status, "lost", or "not finished"."""
        words = {LOST: "lost", NOT_FINISHED: "not finished"} | {int(one): one.words for one in Status}
        return [words[int(status)] for status in self.dataset["status"].values]

    def variant(self, k: int) -> Mechanism:
        """Return variant k as a mechanism of its own; `InputError` if there is none, or it cannot be built."""
        k = whole_index(k, len(self), "variant", self.mechanism.title)
        values = {number_of(self.mechanism, key): float(self.dataset[key].values[k]) for key in self.parameters}
        return with_numbers(self.mechanism, values)

    def best(self, measure: str, count: int = 1, *, largest: bool = False) -> Indices:
        """Return the numbers of the variants with the smallest, or `largest`, values of a measure, the best first.

        Variants without a finite value are none of them. Raises `InputError` where there is no such measure of one real
        number, or the `count` is not positive.
        """
        problems = [Problem("count", f"{count} is not a positive whole number")] if count < 1 else []
        known = of_one_number(self.dataset)
        if measure not in (*known, *self.parameters):
            problems.append(Problem(measure, "is not a measure of one number", suggest(measure, known)))
        raise_problems(problems, self.mechanism.title or "study")
        values = np.asarray(self.dataset[measure].values, np.float64)
        finite = np.flatnonzero(np.isfinite(values))
        order = np.argsort(-values[finite] if largest else values[finite], kind="stable")
        return np.asarray(finite[order[:count]])

    def plot(self, *names: str) -> Figure:
        """Return a scatter matrix of measures or parameters, with their histograms; by default the first of them.

        Raises `InputError` where there is none of a name.
        """
        from structkin.show.study_figure import plot_study

        return plot_study(self, names)

    def motion(self, k: int) -> Motion:
        """Return the motion of variant k at the times of the study.

        Raises `InputError` as `variant` does, and where the drivers of the study were given as values.
        """
        times = self.dataset["t"].values
        if np.isnan(times).any():
            problem = Problem("drivers", "were given as values", "solve variant(k) with them")
            raise InputError([problem], self.mechanism.title)
        return self.variant(k).solve(t=times)


@checked
def study(
    mechanism: Mechanism, parameters: Mapping[str, Any], *,
    measures: Sequence[str] | Mapping[str, str | Callable[[Motions], Any]],
    plan: Literal["list", "grid", "random", "sobol"] = "list", variants: int | None = None, seed: int = 0,
    samples: int | None = None, t: ArrayLike | None = None, drivers: Mapping[str, Any] | None = None,
    duration: float | None = None, to: str | Path | None = None, workers: int = 1, engine: str = "auto",
    budget: float | None = DEFAULT, progress: Callable[[float], None] | None = None, client: Any = None,
) -> Study:  # fmt: skip
    """Measure many variants of a mechanism, chunk by chunk: memory is needed for the measures and for one chunk.

    `parameters={key: values}` are numbers in SI by their keys in the file, as in `Mechanism.solve_many`. By `plan`,
    values are those of each variant ("list"), combined with each other, the last key fastest ("grid"), or bounds
    (low, high) between which so many `variants` are drawn: uniformly ("random") or by a Sobol sequence that fills the
    space evenly ("sobol", scrambled; a power of two is best). The same `seed` draws the same.

    `measures` are names, or by name a name or a function of the `Motions` of some variants that returns a row for each,
    (v, ...): numbers, which become floats, in rows of one shape. A name is REDUCER.QUANTITY.NAME, QUANTITY.NAME for
    every sample, or path.POINT: the reducers are min, max, range, peak (of the absolute value) and mean over the
    samples; quantities x, y [m], speed [m/s], acceleration [m/s^2] of a point; angle [rad], omega [rad/s], alpha
    [rad/s^2] of a link; transmission [rad] of a dyad, at most pi/2; effort [N m or N] of a driver, which takes some
    milliseconds per variant where more than masses and gravity acts, or masses differ. `samples`, `t`, `drivers`,
    `duration`, `engine` and `budget` are those of `Mechanism.solve_many`.

    With `to`, a folder `*.zarr`, the result is stored there as it comes. The same call after an interruption goes on
    with the chunks that are not finished; the store of another study is refused. `workers` are processes that share the
    chunks, at most one for each core; the result is the same to the last bit. Functions among the measures must then be
    those of a module. `progress` is called with the fraction of the chunks that are finished.

    With a `client` of a Dask cluster (`distributed.Client`), the chunks are tasks of the cluster, and this process
    writes what they return, to the same last bit; functions may be those of a script. A chunk that ended each worker it
    was given to, even when it ran alone, has the status -2 (lost), and the study goes on; the same call tries it again.

    Raises `InputError` that lists every mistake before anything runs: unknown parameters and measures, bounds that are
    reversed or not finite, a length that others fix, a result that does not fit into memory, a store of another study,
    a package that is not installed; and where a function returns rows unlike those of other variants.

    >>> import structkin as sk
    >>> m = sk.Mechanism(
    ...     points={"A": (0, 0), "B": (1, 0), "C": (4, 3), "D": (5, 0)},
    ...     links={"ground": ["A", "D"], "crank": ["A", "B"], "coupler": ["B", "C"], "rocker": ["C", "D"]},
    ...     drivers={"motor": {"joint": "A", "speed": 1.0}},
    ... )
    >>> found = sk.study(m, {"lengths.B-C": (3.5, 4.5)}, plan="sobol", variants=8, measures=["range.angle.rocker"])
    >>> found, found.dataset["range.angle.rocker"].shape
    (<Study of 'a mechanism': 8 variants, 8 ok>, (8,))
    """
    functions, problems = read_measures(mechanism, measures, parameters)
    values, wrong = planned(mechanism, parameters, plan, variants, seed)
    problems += wrong + check_extra("study", stored=to is not None)
    job = Job(mechanism, functions, samples, t, drivers, duration, engine, budget)
    problems += _faults_of_work(job, workers)
    if client is not None:
        problems += [Problem("workers", "are those of the client", "leave them out")] if workers > 1 else []
        problems += faults_of(client)
    path = None if to is None else Path(to)
    if path is not None:
        problems += faults_of_store(path, [*parameters, *functions])
    raise_problems(problems, mechanism.title or "study")
    times = make_schedule(mechanism, samples, t, drivers, duration).t
    count = len(next(iter(values.values())))
    size = max(1, min(POSES // len(times), -(-count // CHUNKS)))
    # Before anything is measured: an object may keep what it has found.
    attributes = {"title": mechanism.title, STUDY: _identity(job, values, times, size)}
    own = {key: np.array([own_value(mechanism, number_of(mechanism, key))]) for key in values}
    job = _beside_its_own(job, own)
    variables = _variables(job, job.rows(own), len(times))
    job = replace(job, variables=variables)
    store: Store
    if path is None:
        _check_memory(variables, count, mechanism.title)
        store = MemoryStore(values, times, variables, count, attributes)
    else:
        with written(path, OSError, ValueError):
            store = ZarrStore.opened(path, values, times, variables, size, attributes)

    def given(part: slice) -> dict[str, NDArray[Any]]:
        return {key: own[part] for key, own in values.items()}

    fill(store, path, chunks_of(count, size), job, given, workers, client, progress)
    return Study(mechanism, store.dataset(), tuple(values))


def chunks_of(count: int, size: int) -> list[slice]:
    """Return the chunks, of so many variants each."""
    return [slice(first, min(first + size, count)) for first in range(0, count, size)]


def fill(
    store: Store, path: Path | None, parts: Sequence[slice], job: Work,
    given: Callable[[slice], Mapping[str, NDArray[Any]]], workers: int, client: Any,
    progress: Callable[[float], None] | None,
) -> None:  # fmt: skip
    """Do the chunks that a store lacks, by workers or a client of Dask: `given` returns what the job is given."""
    missing = [number for number in range(len(parts)) if not store.has(number)]
    chunks = ((number, given(parts[number])) for number in missing)
    work = done(job, chunks, workers) if client is None else done_by(client, job, chunks)
    with closing(work):  # an error here keeps it, and with it the workers, as long as its traceback
        for finished, (number, rows) in enumerate(work, len(parts) - len(missing) + 1):
            with written(path, OSError):
                if rows is None:
                    store.lose(parts[number])
                else:
                    store.write(number, parts[number], rows)
            if progress is not None:
                progress(finished / len(parts))


@contextmanager
def written(path: Path | None, *errors: type[Exception]) -> Iterator[None]:
    """Raise `InputError` where a store cannot be written, as on a full disk: what was finished is kept."""
    try:
        yield
    except errors as error:
        message = f"'{path}' cannot be written: {getattr(error, 'strerror', None) or error}"
        raise InputError([Problem("to", message, "choose another folder")], "study") from error


def _faults_of_work(job: Job, workers: int) -> list[Problem]:
    """Return what is wrong with the samples, the engine, the budget and the number of workers."""
    problems = [*problems_of(make_schedule, job.mechanism, job.samples, job.t, job.drivers, job.duration)]
    problems += [*problems_of(check_engine, job.engine), *problems_of(new_meter, job.budget)]
    if workers < 1:
        problems.append(Problem("workers", f"{workers} is not a positive number of processes"))
    elif workers > 1:
        for name, measure in job.measures.items():
            try:
                can_be_sent = b"__main__" not in pickle.dumps(measure) or _is_main_found_again()
            except (pickle.PicklingError, AttributeError, TypeError):
                can_be_sent = False
            if not can_be_sent:
                message = "is a function that cannot be sent to another process"
                problems.append(Problem(f"measures.{name}", message, "define it in a module, or leave workers out"))
    return problems


def _is_main_found_again() -> bool:
    """Return whether another process can import what this one runs: not a notebook, and nothing typed in."""
    main = sys.modules["__main__"]
    return getattr(main, "__spec__", None) is not None or os.path.isfile(getattr(main, "__file__", ""))


def faults_of_store(path: Path, names: Sequence[str]) -> list[Problem]:
    """Return what is wrong with the path of a store, and with names that it cannot hold."""
    problems = []
    if not path.name.endswith(".zarr"):
        problems.append(Problem("to", f"'{path}' does not end in .zarr", "name a folder, such as study.zarr"))
    elif not path.absolute().parent.is_dir():
        problems.append(Problem("to", f"there is no folder '{path.absolute().parent}'", "make it first"))
    message, hint = "cannot be the name of an array in a store", "give a short one without '/', '.' or '_' at its start"
    return problems + [
        Problem(name, message, hint)
        for name in names
        if "/" in name or name.startswith((".", "__")) or name == "zarr.json" or len(name.encode()) > LONGEST
    ]


def _variables(job: Job, rows: Rows, samples: int) -> dict[str, Variable]:
    """Return the variables of a study from the rows of one variant."""
    found = {}
    for name, values in rows.items():
        shape = values.shape[1:]
        dims = tuple(
            "sample" if k == 0 and size == samples else "xy" if k == 1 and size == 2 else _unused(f"{name}_{k}", rows)
            for k, size in enumerate(shape)
        )
        measure = job.measures[name]
        attributes: dict[str, Any] = {}
        if isinstance(measure, Named):
            attributes = {"measure": measure.text, "units": measure.unit(job.mechanism)}
        elif name == "status":
            flags = {"LOST": LOST, "NOT_FINISHED": NOT_FINISHED, **Status.__members__}
            attributes = {"flag_values": [int(one) for one in flags.values()], "flag_meanings": " ".join(flags)}
        found[name] = Variable(dims, shape, values.dtype, attributes)
    return found


def _unused(name: str, names: Collection[str]) -> str:
    """Return a name for a dimension: a measure that had it too would be a coordinate, and no measure any more."""
    return name if name not in names else _unused(f"{name}_", names)


def _check_memory(variables: Mapping[str, Variable], count: int, title: str) -> None:
    size = count * sum(own.dtype.itemsize * int(np.prod(own.shape)) for own in variables.values())
    if size > LARGEST:
        message = f"the measures of {count:,} variants are {size / 2**30:,.1f} GiB: too much for memory"
        raise InputError([Problem("variants", message, "store them: to='study.zarr'")], title or "study")


def _beside_its_own(job: Job, own: Mapping[str, Floats]) -> Job:
    """Return the job with angles that begin near those of the mechanism with its own parameters (1,)."""
    of_angles = {name: one for name, one in job.measures.items() if isinstance(one, Named) and one.parts[1] == "angle"}
    if not of_angles:
        return job
    links = dict.fromkeys(one.parts[2] for one in of_angles.values())
    found = replace(job, measures={link: Named(f"angle.{link}") for link in links}).rows(own)
    near = {name: replace(one, near=found[one.parts[2]][0]) for name, one in of_angles.items()}
    return replace(job, measures={**job.measures, **near})


def _identity(job: Job, values: Mapping[str, Floats], times: Floats, size: int) -> str:
    """Return what makes a study this one, as JSON: a store goes on only with the same."""
    return json.dumps(
        {
            "structkin": __version__,
            "mechanism": described(job.mechanism),
            "parameters": {key: digest_of(own) for key, own in values.items()},
            "measures": {
                name: measure.text if isinstance(measure, Named) else digest_of_measure(measure)
                for name, measure in job.measures.items()
            },
            "samples": [len(times), digest_of(times)],
            "drivers": {id: digest_of(np.asarray(own, np.float64)) for id, own in (job.drivers or {}).items()},
            "budget": None if job.budget is None else float(job.budget),
            "chunk": size,
        }
    )


def digest_of(values: NDArray[Any]) -> str:
    """Return a text that differs for arrays that differ."""
    return hashlib.sha256(np.ascontiguousarray(values).reshape(-1).data).hexdigest()
