"""Where compiled code is kept, and functions that Numba compiles at their first call and keeps there."""

from __future__ import annotations

import hashlib
import importlib.util
import logging
import os
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, TypeVar, cast

Function = TypeVar("Function", bound=Callable[..., Any])

log = logging.getLogger("structkin.kernels")


def cache_folder() -> Path:
    """Return the folder of compiled code: `STRUCTKIN_CACHE` if it is set, else the user's cache."""
    if chosen := os.environ.get("STRUCTKIN_CACHE"):
        return Path(chosen)
    home = Path.home()
    if sys.platform == "win32":
        base = Path(os.environ.get("LOCALAPPDATA") or home / "AppData" / "Local")
    elif sys.platform == "darwin":
        base = home / "Library" / "Caches"
    else:
        base = Path(os.environ.get("XDG_CACHE_HOME") or home / ".cache")
    return base / "structkin" / "kernels"


@cache
def package_folder(package: Path) -> Path | None:
    """Return the folder of the functions of a package, made if need be; None if it cannot be written.

    Numba compiles a function again when its own file has changed, but not when one that it calls has. So the name
    holds a hash of all files of the package: compiled code is never older than a part of it.
    """
    sources = b"".join(file.read_bytes() for file in sorted(package.glob("*.py")))
    folder = cache_folder() / f"{package.name}_{hashlib.sha256(sources).hexdigest()[:20]}"
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        log.debug("compiled code is not kept: %s", error)
        return None
    return folder if os.access(folder, os.W_OK) else None


def kept(function: Function, **options: Any) -> Function:
    """Return a function that Numba compiles at its first call, and keeps for the next process if it can.

    Without Numba it is the function itself.
    """
    if importlib.util.find_spec("numba") is None:
        return function
    import numba

    config: Any = numba.config
    folder = package_folder(Path(function.__code__.co_filename).parent)
    before = config.CACHE_DIR
    config.CACHE_DIR = str(folder or "")  # Numba reads it when the function is made, not when it is called
    try:
        return cast(Function, numba.njit(cache=folder is not None, **options)(function))
    finally:
        config.CACHE_DIR = before


def announce(what: str, file: str) -> None:
    """Log that the functions of a module's package will be compiled, unless some have been on this machine."""
    if importlib.util.find_spec("numba") is None:
        return
    folder = package_folder(Path(file).parent)
    if folder is None or not any(folder.rglob("*.nbi")):
        log.info("compiling %s, once on this machine", what)
