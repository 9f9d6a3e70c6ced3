"""The functions of some modules as one text, which runs as plain Python or compiled.

On either road all functions share one namespace, in which mathematical functions are those of `math`. A road may have
functions of its own in the place of others. The same operations are done in the same order, so that both roads give the
same numbers to the last bit.
"""

from __future__ import annotations

import hashlib
import math
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any

import numpy as np

from structkin.compiled import announce, folder_of, is_stored, kept_in

#: Numba counts the references to every array that a function is given, which took a sixth of the time of the loop over
#: linkages. A function that makes no array needs no counts; Numba refuses to compile one that makes some without.
WITHOUT_COUNTS = {"_nrt": False}
#: What Numba compiles around a function so that Python, or a pointer to it, calls it: a tenth of the time of compiling.
WITHOUT_WRAPPERS = {"no_cpython_wrapper": True, "no_cfunc_wrapper": True}
#: Numba writes such a function into its callers.
INLINED = {"forceinline": True}
#: What makes arrays: a function that names one of these.
MAKERS = {"arange", "argsort", "array", "asarray", "empty", "full", "ones", "stack", "zeros"}


class Text:
    """Functions of modules, and the folder in which their compiled code is kept."""

    def __init__(
        self,
        name: str,
        what: str,
        parts: Sequence[ModuleType | Callable[..., Any]],
        own: Callable[[], Mapping[str, Any]] = dict,
        reads: Callable[[], Iterable[str]] = tuple,
        *,
        counts: bool = True,
        entries: bool = False,
        inlined: Iterable[str] = (),
    ) -> None:
        """Take the modules, and single functions: of functions of one name the last one counts.

        `name` is that of the folder, and `what` says in the log what is compiled. `own` returns functions that compiled
        code has in the place of others, `reads` the texts that these depend on. Without `counts` functions that make
        no arrays are compiled `WITHOUT_COUNTS`. With `entries` Python calls the compiled functions only through others,
        which it gives to `keep`: they have no wrappers for Python, and called directly they would end the process.
        Calls of those `inlined` are replaced by what they do: a call passes every word of its arrays.
        """
        self._counts, self._entries, self._inlined = counts, entries, sorted(inlined)
        self.name, self._what, self._parts, self._own, self._reads = name, what, parts, own, reads
        #: Whether this process has called the compiled code.
        self.is_loaded = False

    def plain(self) -> dict[str, Any]:
        """Return a new namespace of the functions as plain Python."""
        names = self._constants()
        names.update(self._functions(names))
        return names

    @cached_property
    def compiled(self) -> dict[str, Any]:
        """Return the functions, each of which is compiled when it is first called on this machine."""
        # Numba looks up the module of a stored function by name.
        module = ModuleType(f"structkin_{self.name}_{self.digest}")
        sys.modules[module.__name__] = module
        names = vars(module)
        names.update(self._constants())
        functions = self._functions(names)
        counting = functions.keys() if self._counts else self._making_arrays(functions)
        bare = WITHOUT_WRAPPERS if self._entries else {}
        for name, one in functions.items():
            inlined = INLINED if name in self._inlined else {}
            names[name] = self.keep(one, **bare, **inlined, **({} if name in counting else WITHOUT_COUNTS))
        names.update(self._own())
        return names

    def keep(self, function: FunctionType, **options: Any) -> Any:
        """Return a function that is compiled when it is first called, and kept with those of the text."""
        return kept_in(self._folder, function, nogil=True, error_model="numpy", **options)

    def is_stored(self, function: str) -> bool:
        """Return whether a function was compiled before on this machine."""
        return self.is_loaded or is_stored(*self._stored(function))

    def announce(self, function: str) -> None:
        """Write to the log when a function is compiled for the first time on this machine."""
        if not self.is_loaded:
            announce(f"the {self._what}", *self._stored(function))
        self.is_loaded = True

    def _stored(self, function: str) -> tuple[Path | None, str]:
        return self._folder, f"*.{function}-*.nbi"  # Numba puts the module's name first

    @cached_property
    def digest(self) -> str:
        """Return a hash of what compiled code depends on: the text, its constants, and NumPy."""
        constants = {name: value for name, value in self._constants().items() if name.isupper()}
        options = repr((constants, self._counts, self._inlined))
        content = [*map(_text, (*self._parts, Text)), *self._reads(), options, np.__version__]
        return hashlib.sha256("\n".join(content).encode()).hexdigest()[:20]

    @cached_property
    def _folder(self) -> Path | None:
        return folder_of(f"{self.name}_{self.digest}")

    def _constants(self) -> dict[str, Any]:
        names: dict[str, Any] = {name: one for name, one in vars(math).items() if name[0] != "_"} | {"np": np}
        for part in self._parts:
            if isinstance(part, ModuleType):
                names.update({name: one for name, one in vars(part).items() if name.isupper() or _is_record(one)})
        return names

    def _making_arrays(self, functions: Mapping[str, FunctionType]) -> set[str]:
        """Return which functions make arrays, or call one that does."""
        found = set(MAKERS)
        while more := {name for name, one in functions.items() if found.intersection(one.__code__.co_names)} - found:
            found |= more
        return found

    def _functions(self, names: dict[str, Any]) -> dict[str, FunctionType]:
        found: list[FunctionType] = []
        for part in self._parts:
            own = vars(part).values() if isinstance(part, ModuleType) else (part,)
            home = part.__name__ if isinstance(part, ModuleType) else part.__module__
            found += [one for one in own if isinstance(one, FunctionType) and one.__module__ == home]
        return {one.__name__: FunctionType(one.__code__, names, one.__name__, one.__defaults__) for one in found}


def _is_record(one: Any) -> bool:
    return isinstance(one, type) and issubclass(one, tuple) and hasattr(one, "_fields")


def _text(of: ModuleType | Callable[..., Any]) -> str:
    """Return the text of a module, or of that of a function or class."""
    module = of if isinstance(of, ModuleType) else sys.modules[of.__module__]
    return Path(str(module.__file__)).read_text(encoding="utf-8")
