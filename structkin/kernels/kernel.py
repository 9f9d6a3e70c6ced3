"""A kernel: the functions of a kind of step, written from its formulas, for NumPy and for Numba."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from structkin.kernels import store


@dataclass(frozen=True)
class Kernel:
    """The functions of a kind of step, as source for Numba and, where there is one, for NumPy."""

    name: str
    numba: str
    numpy: str = ""

    def call(self, function: str, *arguments: Any, compiled: bool = True) -> Any:
        """Run one of the functions; with Numba, compile it if this is its first call on this machine."""
        if not compiled:
            return getattr(store.plain(self.name, self.numpy), function)(*arguments)
        if not self.is_ready(function):
            if not self.is_stored(function):
                store.log.info("compiling the %s of %s, once on this machine", function, self.name)
            _ready.add((self.numba, function))
        return getattr(store.load(self.name, self.numba), function)(*arguments)

    def is_ready(self, function: str) -> bool:
        """Return whether this process has loaded the compiled function."""
        return (self.numba, function) in _ready

    def is_stored(self, function: str) -> bool:
        """Return whether it was compiled before on this machine."""
        return store.is_stored(self.name, self.numba, function)


_ready: set[tuple[str, str]] = set()
