"""Where compiled code is kept, and functions that Numba compiles at their first call and keeps there.

What is read back is run, and a damaged file ends the process. So the folder must be writable by its user alone, and a
file counts only with its digest beside it; whatever fails is compiled again.
"""

from __future__ import annotations

import hashlib
import importlib.util
import logging
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any, TypeVar, cast

from structkin import numerical_tolerances

Function = TypeVar("Function", bound=Callable[..., Any])

#: What to do without Numba.
HINT = "pip install numba, where it exists for this Python and this NumPy"

log = logging.getLogger("structkin.kernels")


def cache_folder() -> Path:
    """Return the folder of compiled code: `STRUCTKIN_CACHE` if it is set, else the user's cache.

    A user without a home, such as a bare number in a container, has none: no folder can be made at the path returned.
    """
    if chosen := os.environ.get("STRUCTKIN_CACHE"):
        return Path(chosen)
    try:
        home = Path.home()
    except RuntimeError:
        home = Path(os.devnull)
    if sys.platform == "win32":
        base = Path(os.environ.get("LOCALAPPDATA") or home / "AppData" / "Local")
    elif sys.platform == "darwin":
        base = home / "Library" / "Caches"
    else:
        base = Path(os.environ.get("XDG_CACHE_HOME") or home / ".cache")
    return base / "structkin" / "compiled"


def private_folder(folder: Path) -> Path:
    """Return a folder, made if need be; raise `OSError` where another user could write to it, or owns it.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     private_folder(Path(folder, "a")).is_dir()
    True
    """
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    if sys.platform != "win32":
        found = folder.stat()
        if found.st_uid not in (0, os.geteuid()) or found.st_mode & 0o022:
            raise PermissionError(f"others may write to {folder}")
    return folder


@cache
def has_numba() -> bool:
    """Return whether Numba is installed and takes this NumPy, without importing it, which takes most of a second.

    A new NumPy comes out months before the Numba that knows it, and until then Numba refuses to be imported.
    """
    if importlib.util.find_spec("numba") is None:
        return False
    from importlib.metadata import requires, version

    from packaging.requirements import Requirement

    needed = map(Requirement, requires("numba") or ())
    return all(one.specifier.contains(version("numpy"), prereleases=True) for one in needed if one.name == "numpy")


@cache
def package_folder(package: Path) -> Path | None:
    """Return the folder of the functions of a package, made if need be; None if it cannot be written.

    Numba compiles a function again when its own file has changed, but not when one that it calls has. So the name
    holds a hash of all files of the package and of the table of tolerances: compiled code is never older than a part
    of it.
    """
    files = [*sorted(package.glob("*.py")), Path(numerical_tolerances.__file__)]
    sources = b"".join(file.read_bytes() for file in files)
    return folder_of(f"{package.name}_{hashlib.sha256(sources).hexdigest()[:20]}")


def folder_of(name: str) -> Path | None:
    """Return a folder of compiled code, made if need be; None if it cannot be written."""
    try:
        folder = private_folder(private_folder(cache_folder()) / name)
    except OSError as error:
        log.debug("compiled code is not kept: %s", error)
        return None
    return folder if os.access(folder, os.W_OK) else None


def kept(function: Function, **options: Any) -> Function:
    """Return a function that Numba compiles at its first call, and keeps for the next process if it can.

    Without Numba it is the function itself.
    """
    if not has_numba():
        return function
    return kept_in(package_folder(Path(function.__code__.co_filename).parent), function, **options)


def kept_in(folder: Path | None, function: Function, **options: Any) -> Function:
    """Return a function that Numba compiles at its first call, and keeps in a folder; in none, for this process."""
    import numba

    config: Any = numba.config
    before = config.CACHE_DIR
    config.CACHE_DIR = str(folder or "")  # Numba reads it when the function is made, not when it is called
    try:
        return cast(Function, checked(numba.njit(cache=folder is not None, **options)(function)))
    finally:
        config.CACHE_DIR = before


def checked(function: Any) -> Any:
    """Return a function; if Numba keeps its compiled code, that is run only where its digest is right."""
    from numba.core.caching import IndexDataCacheFile

    files = getattr(getattr(function, "_cache", None), "_cache_file", None)
    if type(files) is IndexDataCacheFile:
        files.__class__ = _checked_files(IndexDataCacheFile)
    return function


@cache
def _checked_files(base: Any) -> type:
    """Return Numba's class of the files of a function (an index, and one file a signature) with digests."""

    def load_index(self: Any) -> Any:
        return base._load_index(self) if _is_whole(self._index_path) else {}

    def load_data(self: Any, name: str) -> Any:
        if not _is_whole(self._data_path(name)):
            raise OSError(f"{name} is damaged")  # Numba compiles it again
        return base._load_data(self, name)

    def save(self: Any, key: Any, data: Any) -> None:
        try:
            base.save(self, key, data)
        except OSError as error:
            log.debug("compiled code is not kept: %s", error)

    @contextmanager
    def open_for_write(self: Any, path: str) -> Iterator[Any]:
        with base._open_for_write(self, path) as file:
            yield file
        Path(f"{path}.sha256").write_text(_digest(path), encoding="ascii")

    changed = {"_load_index": load_index, "_load_data": load_data, "save": save, "_open_for_write": open_for_write}
    return type("CheckedFiles", (base,), changed)


def _is_whole(path: str) -> bool:
    try:
        return Path(f"{path}.sha256").read_bytes() == _digest(path).encode()
    except OSError:
        return False


def _digest(path: str) -> str:
    return hashlib.sha256(Path(path).read_bytes()).hexdigest()


def is_stored(folder: Path | None, names: str = "*.nbi") -> bool:
    """Return whether functions of these names were compiled before on this machine, and kept in a folder."""
    return folder is not None and any(folder.rglob(names))


def announce(what: str, folder: Path | None, names: str = "*.nbi") -> None:
    """Log that functions will be compiled, unless `is_stored`."""
    if not is_stored(folder, names):
        log.info("compiling %s, once on this machine", what)
