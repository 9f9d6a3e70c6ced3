"""Kernels, and the store of their compiled code: modules in a cache folder, named by a hash of their source.

A modified group generates another source and thus another module, so stale code is never called. Numba keeps the
compiled code next to the module. If the folder is not writable, kernels are compiled for this process only.
"""

from __future__ import annotations

import hashlib
import os
import platform
import sys
import tempfile
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

from structkin.compiled import announce, cache_folder, checked, is_stored, log, private_folder


@dataclass(frozen=True)
class Kernel:
    """The functions of a kind of step, as source for Numba and, where there is one, for plain Python or NumPy."""

    name: str
    numba: str
    plain: str = ""

    def call(self, function: str, *arguments: Any, compiled: bool = True) -> Any:
        """Run one of the functions; with Numba, compile it if this is its first call on this machine."""
        found = self.loaded(function) if compiled else getattr(plain(self.name, self.plain), function)
        return found(*arguments)

    def loaded(self, function: str) -> Any:
        """Return a compiled function; one that is called by its address is compiled now, others when called."""
        if not self.is_ready(function):
            announce(f"the {function} of {self.name}", *self._stored(function))
            _ready.add((self.numba, function))
        return getattr(load(self.name, self.numba), function)

    def is_ready(self, function: str) -> bool:
        """Return whether this process has loaded the compiled function."""
        return (self.numba, function) in _ready

    def is_stored(self, function: str) -> bool:
        """Return whether it was compiled before on this machine."""
        return self.is_ready(function) or is_stored(*self._stored(function))

    def _stored(self, function: str) -> tuple[Path, str]:
        return cache_folder() / "__pycache__", f"{module_name(self.name, self.numba)}.{function}-*.nbi"


_ready: set[tuple[str, str]] = set()


def module_name(name: str, source: str) -> str:
    """Return the module name for a source, which also depends on the versions of the compilers."""
    from importlib.metadata import version

    versions = (platform.python_version(), np.__version__, version("numba"))
    digest = hashlib.sha256("\n".join((source, *versions)).encode()).hexdigest()
    return f"structkin_{name.lower()}_{digest[:20]}"


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
