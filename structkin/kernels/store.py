"""The store of compiled kernels: modules in a cache folder of the user, named by a hash of their source.

A modified group generates another source and thus another module, so stale code is never called. Numba keeps the
compiled code next to the module. If the folder is not writable, kernels are compiled for this process only.
"""

from __future__ import annotations

import hashlib
import logging
import os
import platform
import sys
import tempfile
from functools import cache
from pathlib import Path
from types import ModuleType

import numpy as np

from structkin.compiled import cache_folder, checked, private_folder

log = logging.getLogger("structkin.kernels")


def module_name(name: str, source: str) -> str:
    """Return the module name for a source, which also depends on the versions of the compilers."""
    from importlib.metadata import version

    versions = (platform.python_version(), np.__version__, version("numba"))
    digest = hashlib.sha256("\n".join((source, *versions)).encode()).hexdigest()
    return f"structkin_{name.lower()}_{digest[:20]}"


def is_stored(name: str, source: str, kernel: str) -> bool:
    """Return whether a kernel was compiled before on this machine."""
    folder = cache_folder() / "__pycache__"
    return any(folder.glob(f"{module_name(name, source)}.{kernel}-*.nbi"))


@cache
def load(name: str, source: str) -> ModuleType:
    """Return the module of a source; its kernels are compiled on their first call."""
    title = module_name(name, source)
    try:
        path = _written(private_folder(cache_folder()) / f"{title}.py", source)
        return _import(title, path, source)
    except Exception as error:  # Numba raises various errors for unsuitable folders
        log.debug("kernels are not kept: %s", error)
    return plain(title, source.replace("cache=True, ", ""))


@cache
def plain(name: str, source: str) -> ModuleType:
    """Return the module of a source for this process only."""
    module = ModuleType(name)
    exec(compile(source, f"<kernels of {name}>", "exec"), module.__dict__)
    return module


def _written(path: Path, source: str) -> Path:
    """Write a source atomically, unless it exists."""
    try:
        if path.read_text(encoding="utf-8") == source:
            return path
    except (OSError, UnicodeDecodeError) as error:
        log.debug("%s is written again: %s", path, error)
    handle, part = tempfile.mkstemp(dir=path.parent, suffix=".tmp")
    try:
        with os.fdopen(handle, "w", encoding="utf-8", newline="\n") as file:
            file.write(source)
        return Path(part).replace(path)
    except BaseException:
        Path(part).unlink(missing_ok=True)
        raise


def _import(title: str, path: Path, source: str) -> ModuleType:
    """Return the module of a source that is at a path, where Numba looks for it; no file is run."""
    module = ModuleType(title)
    module.__file__ = str(path)
    # Numba looks up the module of a stored function by name.
    sys.modules[title] = module
    exec(compile(source, str(path), "exec"), module.__dict__)
    for function in vars(module).values():
        checked(function)
    return module
