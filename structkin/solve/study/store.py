"""Where a study keeps what it measured: in memory, or in a zarr store on disk that a later run goes on with."""

from __future__ import annotations

import json
import os
import secrets
import shutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from glob import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from structkin.errors import InputError, Problem
from structkin.types import Floats

if TYPE_CHECKING:
    import xarray as xr

T = TypeVar("T")
#: Names that are not those of measures.
RESERVED = ("t", "variant", "sample", "xy", "chunk")
#: The attribute of a store that says of which study it is, and the array that says which chunks are finished.
STUDY, FINISHED = "structkin_study", "finished_chunks"
#: Besides a `Status`, what the status of a variant may be: it is not done yet; its worker ended, every time; it is left
#: out, as it would be solved alone.
NOT_FINISHED, LOST, LEFT = -1, -2, -3
NEEDS = 'pip install "structkin[study]"'
#: The longest name of an array, which is a folder [bytes].
LONGEST = 255


@dataclass(frozen=True)
class Variable:
    """A variable of a study over its variants: the dimensions and shape of the rest, its type, and its attributes."""

    dims: tuple[str, ...]
    shape: tuple[int, ...]
    dtype: np.dtype[Any]
    attributes: Mapping[str, Any]

    @property
    def fill(self) -> float:
        """What stands where nothing is measured."""
        return {"f": np.nan, "c": np.nan, "i": NOT_FINISHED}.get(self.dtype.kind, 0)


class Store(Protocol):
    """Where the rows of variables go, chunk by chunk of the variants."""

    def has(self, chunk: int) -> bool:
        """Return whether a chunk is finished."""

    def write(self, chunk: int, part: slice, rows: Mapping[str, NDArray[Any]]) -> None:
        """Write the rows of a chunk, which is then finished."""

    def lose(self, part: slice) -> None:
        """Note that a chunk is lost; it is not finished."""

    def dataset(self) -> xr.Dataset:
        """Return all variables with the parameters as coordinates."""


@dataclass(frozen=True)
class MemoryStore:
    """A store in memory."""

    parameters: Mapping[str, Floats]
    t: Floats
    variables: Mapping[str, Variable]
    count: int
    attributes: Mapping[str, Any]
    arrays: dict[str, NDArray[Any]] = field(init=False)

    def __post_init__(self) -> None:
        """Make all arrays."""
        arrays = {name: np.full((self.count, *own.shape), own.fill, own.dtype) for name, own in self.variables.items()}
        object.__setattr__(self, "arrays", arrays)

    def has(self, chunk: int) -> bool:
        """Return False: nothing is left of an earlier run."""
        return False

    def write(self, chunk: int, part: slice, rows: Mapping[str, NDArray[Any]]) -> None:
        """Write the rows of a chunk."""
        for name, array in self.arrays.items():
            array[part] = rows[name]

    def lose(self, part: slice) -> None:
        """Note that a chunk is lost."""
        self.arrays["status"][part] = LOST

    def dataset(self) -> xr.Dataset:
        """Return all variables with the parameters as coordinates."""
        import xarray as xr

        variables = {
            name: (("variant", *own.dims), self.arrays[name], dict(own.attributes))
            for name, own in self.variables.items()
        }
        coordinates = {key: ("variant", values) for key, values in self.parameters.items()} | {"t": ("sample", self.t)}
        return xr.Dataset(variables, coordinates, dict(self.attributes))


@dataclass(frozen=True)
class ZarrStore:
    """A zarr group on disk, one chunk of the variants in each chunk of its arrays.

    A chunk is noted as finished after its rows are written, so that what a killed run leaves is done again.
    """

    path: Path
    #: The coordinate of the samples: "t" [s] unless these have no times.
    sampled: str = "t"

    @classmethod
    def opened(
        cls,
        path: Path,
        parameters: Mapping[str, Floats],
        t: Floats,
        variables: Mapping[str, Variable],
        size: int,
        attributes: Mapping[str, Any],
        sampled: str = "t",
    ) -> ZarrStore:
        """Return the store of a study, made unless there is one; `InputError` if there is one of another study."""
        if path.exists():
            check_same(path, attributes, variables)
            return cls(path, sampled)
        import zarr

        count = len(next(iter(parameters.values())))
        # It appears as a whole: a run that is killed meanwhile leaves no store. The name cannot be guessed, so that
        # nothing of someone else stands there.
        for left in path.parent.glob(f".{escape(path.name)}.*.unfinished"):
            shutil.rmtree(left, ignore_errors=True)
        unfinished = path.with_name(f".{path.name}.{secrets.token_hex(4)}.unfinished")
        unfinished.mkdir()
        group = zarr.open_group(str(unfinished), mode="w", zarr_format=3, attributes=dict(attributes))
        fixed = [(key, values, "variant") for key, values in parameters.items()]
        for key, values, dim in [*fixed, (sampled, t, "sample")]:
            array = group.create_array(
                key, shape=values.shape, chunks=values.shape, dtype="f8", dimension_names=[dim], fill_value=np.nan
            )
            array[:] = values
        for name, own in variables.items():
            group.create_array(
                name,
                shape=(count, *own.shape),
                chunks=(size, *own.shape),
                dtype=own.dtype,
                fill_value=own.fill,
                dimension_names=["variant", *own.dims],
                attributes=dict(own.attributes),
            )
        group.create_array(
            FINISHED, shape=(-(-count // size),), chunks=(1,), dtype="i1", fill_value=0, compressors=None,
            dimension_names=["chunk"],
        )  # fmt: skip
        os.replace(unfinished, path)
        return cls(path, sampled)

    @property
    def _group(self) -> Any:
        import zarr

        return zarr.open_group(str(self.path), mode="r+", zarr_format=3)

    def has(self, chunk: int) -> bool:
        """Return whether a chunk is finished: the file that says so is written last, and may be empty."""
        note = self.path / FINISHED / "c" / str(chunk)
        return note.is_file() and note.read_bytes() == b"\x01"

    def write(self, chunk: int, part: slice, rows: Mapping[str, NDArray[Any]]) -> None:
        """Write the rows of a chunk, which is then finished."""
        group = self._group
        for name, values in rows.items():
            group[name][part] = values
        group[FINISHED][chunk] = 1

    def lose(self, part: slice) -> None:
        """Note that a chunk is lost: a later run does it again."""
        self._group["status"][part] = LOST

    def dataset(self) -> xr.Dataset:
        """Return all variables with the parameters as coordinates; their rows are read when they are used."""
        import xarray as xr

        found = xr.open_dataset(self.path, engine="zarr", consolidated=False, zarr_format=3)
        about = json.loads(found.attrs[STUDY])
        whole = found.set_coords([*about["parameters"], self.sampled])
        return whole[list(about["measures"])].assign_coords({self.sampled: whole[self.sampled]})


def check_same(path: Path, attributes: Mapping[str, Any], variables: Mapping[str, Variable]) -> None:
    """Raise `InputError` unless the store at a path is that of the study with these attributes and variables."""
    import zarr

    found = study_of(path)
    wanted = json.loads(attributes[STUDY])
    differ = [name for name in wanted if found.get(name) != wanted[name]]
    group: Any = zarr.open_group(str(path), mode="r", zarr_format=3)
    # What a function returns may hang on more than its digest, such as on a file.
    differ = differ or [
        f"measures.{name}"
        for name, own in variables.items()
        if name not in group or (group[name].shape[1:], group[name].dtype) != (own.shape, own.dtype)
    ]
    if differ:
        message = f"is the store of another study: {', '.join(differ)} {'differs' if len(differ) == 1 else 'differ'}"
        raise InputError([Problem("to", f"{path} {message}", "name a new store, or delete this one")], "study")


def finished_in(path: Path) -> tuple[int, int]:
    """Return how many variants of a store are finished, and how many it is for; `InputError` if it is none."""
    import zarr

    study_of(path)
    group: Any = zarr.open_group(str(path), mode="r", zarr_format=3)
    count, size = group["status"].shape[0], group["status"].chunks[0]
    return sum(min(size, count - size * int(k)) for k in np.flatnonzero(group[FINISHED][:] == 1)), count


def study_of(path: Path, key: str = "to", hint: str = "name a new one") -> dict[str, Any]:
    """Return what the store at a path says of its study; `InputError` if it is none."""
    import zarr

    def about() -> dict[str, Any]:
        found = json.loads(str(zarr.open_group(str(path), mode="r", zarr_format=3).attrs[STUDY]))
        names = [*found["parameters"], *found["measures"]]
        if not isinstance(found["mechanism"], dict) or not all(isinstance(name, str) for name in names):
            raise TypeError("no study was written so")
        return dict(found)

    return read(about, path, key, hint)


def read(call: Callable[[], T], path: Path, key: str, hint: str) -> T:
    """Return what a call reads from the store at a path; `InputError` if that is none."""
    try:
        return call()
    except Exception as error:  # zarr and xarray raise many kinds for what they did not write
        raise InputError([Problem(key, f"{path} is not the store of a study", hint)], "study") from error


def of_one_number(dataset: xr.Dataset) -> list[str]:
    """Return the names of the measures of one real number."""
    return [str(name) for name, own in dataset.data_vars.items() if own.dims == ("variant",) and own.dtype.kind != "c"]


def check_extra(what: str, *, stored: bool) -> list[Problem]:
    """Return a problem for each package that a study needs and that is not installed."""
    from importlib.util import find_spec

    needed = ("xarray", "zarr") if stored else ("xarray",)
    return [Problem(what, f"needs {name}, which is not installed", NEEDS) for name in needed if not find_spec(name)]
