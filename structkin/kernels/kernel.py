"""A kernel: the generated functions of a kind of step, for NumPy and for Numba."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from structkin.kernels import store


@dataclass(frozen=True)
class Kernel:
    """The functions of a kind of step, as source for both engines."""

    name: str
    numpy: str
    numba: str

    def call(self, function: str, *arguments: Any, numba: bool) -> Any:
        """Run one of the functions; with Numba, compile it if this is its first call on this machine."""
        if not numba:
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
