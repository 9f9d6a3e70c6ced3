"""Data sets of linkages: their arrays and the paths of their joints in a zarr store, made chunk by chunk."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from structkin.errors import InputError, Problem, raise_problems
from structkin.plan.status import Status
from structkin.solve.batch.linkages import Linkages
from structkin.solve.batch.share import Share
from structkin.solve.study.store import LEFT, LOST, NOT_FINISHED, STUDY, Variable, ZarrStore, check_extra, finished_in
from structkin.version import __version__

if TYPE_CHECKING:
    from xarray import Dataset

    from structkin.solve.batch.batch import Batch

#: Linkages in a chunk, unless their paths are more than so many bytes: each process holds a few chunks.
CHUNK, BYTES = 2048, 1 << 22
#: The dimensions of the arrays, and the types in which they are stored.
ARRAYS: Mapping[str, tuple[tuple[str, ...], type]] = {
    "adjacency": (("joint", "other_joint"), np.int8),
    "points": (("joint", "xy"), np.float64),
    "fixed": (("joint",), np.int8),
    "motor": (("end",), np.int16),
    "bodies": (("joint",), np.int32),
    "slides": (("joint", "guide"), np.float64),
}
#: Those that only some linkages have.
OPTIONAL = ("bodies", "slides")


@dataclass(frozen=True)
class StoredShare(Share):
    """What is done with a chunk of a data set: paths and statuses beside the arrays."""

    def rows(self, arrays: Mapping[str, NDArray[Any]], /) -> dict[str, NDArray[Any]]:
        """Return the rows of the store."""
        found = super().rows(arrays)
        rows = {"path": found["motions"], "status": found["status"]}
        return rows | {name: array.astype(ARRAYS[name][1]) for name, array in arrays.items()}


def save(batch: Batch, to: str | Path, keep: Any, workers: int, progress: Callable[[float], None] | None) -> Dataset:
    """Make a data set; see `Batch.save`."""
    from structkin.solve.study.study import chunks_of, digest_of, faults_of_store, fill, written

    linkages, angles = batch.linkages, batch.angles
    path, problems = Path(to), check_extra("to", stored=True)
    problems += faults_of_store(path, [])
    if not isinstance(linkages, Linkages):
        raise InputError([*problems, Problem("linkages", "are mechanisms", "data sets hold arrays")], "data set")
    if not len(linkages):
        problems.append(Problem("linkages", "there are none", "a data set holds one or more"))
    joints, n = linkages.joints, len(angles)
    if isinstance(keep, np.integer):
        keep = int(keep)
    if keep != "all" and not (isinstance(keep, int) and -joints <= keep < joints):
        problems.append(Problem("keep", f"there is no joint {keep!r}", f"give 'all', or one from 0 to {joints - 1}"))
    elif keep != "all":
        keep %= joints
    if workers < 1 or (workers > 1 and batch.client is not None):
        message = "are those of the client" if workers > 1 else f"{workers} is not a positive number of processes"
        problems.append(Problem("workers", message, "leave them out"))
    raise_problems(problems, "data set")
    rest, dims = ((joints, 2, n), ("joint", "xy", "sample")) if keep == "all" else ((2, n), ("xy", "sample"))
    flags = {"LEFT": LEFT, "LOST": LOST, "NOT_FINISHED": NOT_FINISHED, **Status.__members__}
    words = {"flag_values": [int(one) for one in flags.values()], "flag_meanings": " ".join(flags)}
    variables = {"path": Variable(dims, rest, np.dtype(np.float32), {"units": "m"})}
    variables["status"] = Variable(("sample",), (n,), np.dtype(np.int8), words)
    for name, array in linkages.arrays.items():
        variables[name] = Variable(ARRAYS[name][0], array.shape[1:], np.dtype(ARRAYS[name][1]), {})
    size = min(len(linkages), CHUNK, max(1, BYTES // (4 * int(np.prod(rest)))))
    identity = {
        "structkin": __version__,
        "mechanism": {},
        "parameters": {"linkage": len(linkages)},
        "measures": dict.fromkeys(variables, ""),
        "linkages": {name: digest_of(array) for name, array in linkages.arrays.items()},
        "angles": [n, digest_of(angles), batch.speed],
        "one_by_one": batch.one_by_one,
        "keep": keep,
        "chunk": size,
    }
    number = {"linkage": np.arange(len(linkages), dtype=np.float64)}
    with written(path, OSError, ValueError):
        store = ZarrStore.opened(path, number, angles, variables, size, {STUDY: json.dumps(identity)}, "angle")
    job = StoredShare(**vars(batch._share) | {"keep": slice(None) if keep == "all" else keep})
    parts = chunks_of(len(linkages), size)
    fill(store, path, parts, job, lambda part: linkages.take(part).arrays, workers, batch.client, progress)
    return store.dataset()


def load(path: Path) -> dict[str, NDArray[Any]]:
    """Return the arrays of the linkages of a data set; `InputError` if there is none at the path, or no zarr."""
    raise_problems(check_extra(str(path), stored=True), "linkages")
    import zarr

    try:
        group = zarr.open_group(str(path), mode="r", zarr_format=3)
        is_study = "linkages" not in json.loads(str(group.attrs[STUDY]))
        names = [name for name in ARRAYS if name in group or name not in OPTIONAL]
        there, count = finished_in(path)
        found = {} if is_study else {name: np.asarray(group[name]) for name in names}
    except Exception as error:  # zarr raises many kinds for what it did not write
        raise InputError([Problem(str(path), "is not a data set", "Batch.save makes one")], "linkages") from error
    if is_study:
        hint = "Study.open reads it, and Batch.save makes a data set"
        raise InputError([Problem(str(path), "is the store of a study, not a data set of linkages", hint)], "linkages")
    if there < count:
        message = f"is not finished: {there:,} of {count:,} linkages are there"
        raise InputError([Problem(str(path), message, "the same Batch.save goes on with it")], "linkages")
    return found
