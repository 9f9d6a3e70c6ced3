"""What a measure of one's own is, as a digest: the same in every run of an unchanged script, another after a change.

A function is its code, its defaults, what it has enclosed, and the globals that it refers to; an object is what pickle
would keep of it. All that is followed as far as it is the user's own. Pickles themselves would not do: those of
functions hold paths and numbers of lines, those of sets are in the order of a run.
"""

from __future__ import annotations

import copyreg
import dis
import sys
from collections.abc import Iterable
from dataclasses import fields, is_dataclass
from hashlib import sha256
from pathlib import Path
from pickle import dumps
from types import CodeType, FunctionType, MethodType, ModuleType
from typing import Any

#: Values of these types are what they are written as.
ATOMS = (type(None), type(...), bool, int, float, complex, str, bytes)
#: The instructions that read globals.
READ = ("LOAD_GLOBAL", "LOAD_NAME", "LOAD_FROM_DICT_OR_GLOBALS")


def digest_of_measure(measure: Any) -> str:
    """Return a text that differs for measures that differ, as far as can be seen.

    >>> def factor(k):
    ...     return lambda motions: k * motions.t
    >>> [digest_of_measure(factor(k)) == digest_of_measure(factor(2)) for k in (2, 3)]
    [True, False]
    """
    return _Digests().of(measure).hex()


class _Digests:
    """The digests of values, each found once."""

    def __init__(self) -> None:
        # With the values: as long as they are kept, no others have their ids.
        self.known: dict[int, tuple[Any, bytes]] = {}

    def of(self, value: Any) -> bytes:
        """Return the digest of a value; within a value that refers to itself, that of its name."""
        if id(value) not in self.known:
            self.known[id(value)] = value, _joined("again", [_name(value).encode()])
            self.known[id(value)] = value, self._found(value)
        return self.known[id(value)][1]

    def _found(self, value: Any) -> bytes:
        kind = type(value)
        if kind in ATOMS:
            return _joined(kind.__name__, [dumps(value, 4)])
        if kind in (list, tuple):
            return _joined(kind.__name__, map(self.of, value))
        if kind is dict:
            return _joined("dict", [self.of(part) for item in value.items() for part in item])
        if isinstance(value, set | frozenset):
            return _joined(_name(kind), sorted(map(self.of, value)))
        if isinstance(value, ModuleType):
            return _joined("module", [value.__name__.encode()])
        return _joined(_name(kind), map(self.of, self._parts(value)))

    def _parts(self, value: Any) -> Iterable[Any]:
        """Return what a function, a class or an object consists of."""
        if isinstance(value, CodeType):
            return _code(value)
        if isinstance(value, MethodType):
            return value.__func__, value.__self__
        if isinstance(value, property):
            return value.fget, value.fset
        if isinstance(value, FunctionType):
            is_own = not _is_library(value.__module__)
            if not is_own and "<locals>" not in value.__qualname__:
                return (_name(value),)
            cells = [_content(cell) for cell in value.__closure__ or ()]
            used = _globals(value) if is_own else {}
            return value.__code__, value.__defaults__, value.__kwdefaults__, cells, used, vars(value)
        if isinstance(value, type):
            return (_name(value),) if _is_library(value.__module__) else (value.__bases__, _members(value))
        if hasattr(value, "__wrapped__"):  # by a cache or a compiler, whose own state is that of a run
            return (value.__wrapped__,)
        if is_dataclass(value) and _is_library(type(value).__module__):  # such as a plan, which notes how long it took
            return type(value), {one.name: getattr(value, one.name, None) for one in fields(value) if one.compare}
        return _reduced(value)


def _joined(kind: str, parts: Iterable[bytes]) -> bytes:
    found = sha256(kind.encode())
    for part in parts:
        found.update(sha256(part).digest())
    return found.digest()


def _name(value: Any) -> str:
    """Return the name of a function or class with its module; of an object that of its class."""
    named = value if hasattr(value, "__qualname__") else type(value)
    return f"{getattr(named, '__module__', '')}.{named.__qualname__}"


def _is_library(module: str | None) -> bool:
    """Return whether a module is one of Python, of an installed package, or of this one."""
    if module is None or module == "__main__":
        return False
    file = getattr(sys.modules.get(module), "__file__", None) or ""
    is_installed = not {"site-packages", "dist-packages"}.isdisjoint(Path(file).parts)
    return is_installed or module.partition(".")[0] in {*sys.stdlib_module_names, "structkin"}


def _code(code: CodeType) -> tuple[Any, ...]:
    """Return what a code does: not its name, its file and its lines."""
    return (
        code.co_code, code.co_consts, code.co_names, code.co_varnames, code.co_exceptiontable,
        code.co_argcount, code.co_posonlyargcount, code.co_kwonlyargcount, code.co_flags,
    )  # fmt: skip


def _content(cell: Any) -> Any:
    try:
        return cell.cell_contents
    except ValueError:  # nothing is in it yet
        return ()


def _globals(function: FunctionType) -> dict[str, Any]:
    """Return the globals that a function reads, itself or in a function within it; of a module of one's own its parts.

    Those that Python sets, such as `__file__`, are none of the script.
    """
    codes = [function.__code__]
    for code in codes:
        codes += [part for part in code.co_consts if isinstance(part, CodeType)]
    read = {step.argval for code in codes for step in dis.get_instructions(code) if step.opname in READ}
    given = function.__globals__
    found = {name: given[name] for name in sorted(read & given.keys()) if not name.startswith("__")}
    names = {name for code in codes for name in code.co_names}
    # Modules of packages lie within others.
    within, seen = [*found.items()], set[str]()
    for name, module in within:
        if isinstance(module, ModuleType) and not _is_library(module.__name__) and module.__name__ not in seen:
            seen.add(module.__name__)
            within += [(f"{name}.{part}", vars(module)[part]) for part in sorted(names & vars(module).keys())]
    return dict(within)


def _members(own: type) -> dict[str, Any]:
    """Return the methods and values of a class, without what Python notes of it, such as its lines."""
    return {
        name: value for name, value in vars(own).items()
        if not name.startswith("__") or isinstance(value, FunctionType | classmethod | staticmethod | property)
    }  # fmt: skip


def _reduced(value: Any) -> tuple[Any, ...]:
    """Return what pickle keeps of an object: its class and its attributes, or its name; only its class if it cannot."""
    reduce = copyreg.dispatch_table.get(type(value))
    try:
        found = reduce(value) if reduce else value.__reduce_ex__(4)
        if isinstance(found, str):
            return getattr(value, "__module__", None), found
        make, args, state, items, pairs = (*found, None, None, None)[:5]
        return make, args, state, [*(items or ())], [*(pairs or ())]
    except Exception:  # whatever a class raises that is not made to be kept, such as a lock or a file
        return (type(value),)
