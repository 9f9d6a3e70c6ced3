"""Arguments of public calls are checked before the call begins, by the annotations of its signature.

Every argument of another kind is a `Problem` with its name, and all of them are listed in one `InputError`. What a
value means, such as whether there is a link of this name, is for the call itself to tell, once the kinds are right.
"""

from __future__ import annotations

import builtins
import collections.abc as abc
import math
import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import is_dataclass
from functools import wraps
from inspect import Parameter, signature, unwrap
from itertools import chain, repeat
from operator import contains
from reprlib import repr as short
from types import FunctionType, MethodType, NoneType, UnionType
from typing import IO, Annotated, Any, Literal, NamedTuple, TypeVar, Union, cast, get_args, get_origin

import numpy as np

from structkin.errors import InputError, PoseError, Problem

T = TypeVar("T")
R = TypeVar("R")
Test = Callable[[Any], bool]


class Rows(NamedTuple):
    """Marks an array (rows, ...) with rows for an attribute of its noun: as many as it says, or as it has items."""

    of: str
    each: int = 1


class Kind(NamedTuple):
    """What an annotation allows: types of which every value will do, and a test of others; in words, with a hint.

    `rows` are those that an array must have; for a sequence of names that is `listed`, one name stands for a list of
    one, and for any sequence that is `whole`, what an iterator yields. A kind without words is a choice: other values
    are unknown.
    """

    types: frozenset[type]
    test: Test
    words: str
    hint: str = ""
    rows: Rows | None = None
    listed: bool = False
    whole: bool = False

    def allows(self, value: Any) -> bool:
        """Return whether a value is of this kind."""
        return type(value) in self.types or self.test(value)


class _Every:
    """Contains every type."""

    def __contains__(self, kind: object) -> bool:
        return True


_EVERY = _Every()


class _Later:
    """Stands for a class that only type checkers import: its instances are known by the name of their class."""


class _Numbers:
    """Stands for NumPy's `ArrayLike`: numbers in any form."""


class _Unsure:
    """Stands for a number of a constructor: where nothing is known of it, a result holds NaN."""


class _Names(dict[str, Any]):
    """The names of annotations: those of their module, and others stand for classes that are imported later."""

    def __missing__(self, name: str) -> Any:
        return getattr(builtins, name, None) or type(name, (_Later,), {})


def _is_whole(value: Any) -> bool:
    whole = isinstance(value, int | np.integer) and not isinstance(value, bool | np.timedelta64)
    return whole and abs(value) < 2**53


def _is_number(value: Any) -> bool:
    return _is_whole(value) or (isinstance(value, float | np.floating) and not math.isnan(value))


def _is_place(value: Any) -> bool:
    return _is_number(value) or (isinstance(value, complex | np.complexfloating) and value == value)


def _are_numbers(value: Any) -> bool:
    if isinstance(value, np.ndarray):
        return value.dtype.kind in "iufc"
    if value is None or isinstance(value, str | bytes | Mapping | abc.Set):
        return False
    try:
        return np.asarray(value).dtype.kind in "iufc"
    except (TypeError, ValueError):
        return False


def _is_array(value: Any) -> bool:
    return isinstance(value, np.ndarray) and value.ndim > 0 and value.dtype.kind in "biufc"


NONE: frozenset[type] = frozenset()
FUNCTION = "a function"
ROWS = "a NumPy array of numbers"
ANYTHING = Kind(NONE, lambda value: True, "anything")
NUMBERS = Kind(NONE, _are_numbers, "a number or an array of numbers", "such as [0.0, 0.5, 1.0]")
ARRAY = Kind(NONE, _is_array, ROWS)
SIMPLE: Mapping[Any, Kind] = {
    Any: ANYTHING,
    object: ANYTHING,
    NoneType: Kind(frozenset([NoneType]), lambda value: False, "None"),
    str: Kind(frozenset([str]), lambda value: isinstance(value, str), "a string", "such as '...'"),
    bool: Kind(frozenset([bool]), lambda value: isinstance(value, np.bool_), "True or False"),
    int: Kind(NONE, _is_whole, "a whole number", "of at most fifteen digits"),
    float: Kind(NONE, _is_number, "a number", "such as 0.5 or 1e9"),
    complex: Kind(NONE, _is_place, "a place x + yj", "such as 0.1 + 0.2j"),
    _Numbers: NUMBERS,
    _Unsure: Kind(frozenset([float]), _is_number, "a number", "such as 0.5 or 1e9"),
}


def _kind(annotation: Any) -> Kind:
    """Return what an annotation allows."""
    if annotation in SIMPLE:
        return SIMPLE[annotation]
    origin, parts = get_origin(annotation), get_args(annotation)
    # From NumPy 2.5 on `NDArray` is an alias by name.
    origin = get_origin(getattr(origin, "__value__", None)) or origin
    if origin is Annotated:
        return Kind(NONE, lambda value: isinstance(value, np.ndarray) and _are_numbers(value), ROWS, "", parts[1])
    if origin is Literal:
        return Kind(NONE, lambda value: isinstance(value, str) and value in parts, "", f"known: {', '.join(parts)}")
    if origin in (Union, UnionType):
        return _union([_kind(part) for part in parts])
    if origin is np.ndarray:
        return ARRAY
    if origin is abc.Callable:
        return Kind(NONE, callable, FUNCTION, "such as lambda ...: ...")
    if origin is IO:
        return Kind(NONE, lambda value: hasattr(value, "write"), "an open file")
    if origin in (abc.Mapping, dict):
        return _mapping(_kind(parts[0]), _kind(parts[1]))
    if origin is tuple and parts[-1] is not ...:
        return _tuple([_kind(part) for part in parts])
    if origin in (abc.Sequence, abc.Collection, abc.Iterable, tuple):
        return _sequence(_kind(parts[0]), whole=origin is not abc.Iterable)
    if not isinstance(annotation, type):
        return ANYTHING
    name = annotation.__name__
    words = f"an {name}" if name[0] in "AEIO" else f"a {name}"
    if issubclass(annotation, _Later):
        return Kind(NONE, lambda value: name in [kind.__name__ for kind in type(value).__mro__], words)
    if issubclass(annotation, os.PathLike):
        return Kind(NONE, lambda value: isinstance(value, os.PathLike), "a path")
    if getattr(annotation, "_is_protocol", False):
        members = [name for name in vars(annotation) if not name.startswith("_")]
        return Kind(NONE, lambda value: all(hasattr(type(value), name) for name in members), words)
    return Kind(frozenset([annotation]), lambda value: isinstance(value, annotation), words)


def _union(kinds: list[Kind]) -> Kind:
    tests = [kind.test for kind in kinds if kind is not SIMPLE[NoneType]]
    types = frozenset[type]().union(*(kind.types for kind in kinds))
    named = [kind for kind in kinds if kind.words != "None"]
    words = " or ".join(filter(None, dict.fromkeys(kind.words for kind in named)))
    test = tests[0] if len(tests) == 1 else lambda value: any(test(value) for test in tests)
    listed = any(kind.listed for kind in named) and SIMPLE[str] not in named
    return Kind(types, test, words, named[0].hint, listed=listed, whole=any(kind.whole for kind in named))


def _mapping(key: Kind, item: Kind) -> Kind:
    """Allow a mapping with keys of a kind, to strings or functions; for other values a call has better words."""
    plain = item.words in (SIMPLE[str].words, FUNCTION)

    def allows(value: Any) -> bool:
        if type(value) is not dict and not isinstance(value, Mapping):
            return False
        return all(map(key.allows, value)) and (not plain or all(map(item.allows, value.values())))

    words = f"a mapping of {_many(key.words)}{f' to {_many(item.words)}' if plain else ''}"
    return Kind(NONE, allows, words, "such as {'...': ...}")


def _tuple(kinds: list[Kind]) -> Kind:
    def allows(value: Any) -> bool:
        is_row = isinstance(value, tuple | list) or (isinstance(value, np.ndarray) and value.ndim > 0)
        if not is_row or len(value) != len(kinds):
            return False
        return all(kind.allows(item) for kind, item in zip(kinds, value, strict=True))

    return Kind(NONE, allows, f"a pair ({', '.join(kind.words for kind in kinds)})")


def _sequence(kind: Kind, *, whole: bool) -> Kind:
    def allows(value: Any) -> bool:
        if type(value) not in (list, tuple) and (isinstance(value, str | bytes) or not isinstance(value, Iterable)):
            return False
        if isinstance(value, Iterator):
            return True  # what it yields is not known before it is used
        if getattr(value, "ndim", 1) == 0:
            return False
        return kind.types.issuperset(map(type, value)) or all(map(kind.allows, value))

    hint = "such as ['...']" if kind is SIMPLE[str] else f"give a list of {_many(kind.words)}"
    listed = kind is not ANYTHING and kind.allows("name")
    return Kind(NONE, allows, f"a sequence of {_many(kind.words)}", hint, listed=listed, whole=whole)


def _many(words: str) -> str:
    """Return words for several.

    >>> _many("a string or a number")
    'strings or numbers'
    """
    parts = (part.removeprefix("an ").removeprefix("a ") for part in words.split(" or "))
    return " or ".join(f"{part}s" if part != "anything" else "things" for part in parts)


class _Signature:
    """What the arguments of a function may be, by place and by name."""

    def __init__(self, function: FunctionType) -> None:
        names = _Names({**unwrap(function).__globals__, "ArrayLike": _Numbers})
        if function.__name__ == _MADE:
            names["float"] = _Unsure
        self.by_name: dict[str, Kind] = {}
        self.by_place: tuple[tuple[str, Kind], ...] = ()
        self.rest, self.more = ("", ANYTHING), ANYTHING
        for name, item in signature(function).parameters.items():
            kind = ANYTHING if item.annotation is Parameter.empty else _kind(eval(item.annotation, {}, names))
            if item.kind == Parameter.VAR_POSITIONAL:
                self.rest = name, kind
            elif item.kind == Parameter.VAR_KEYWORD:
                self.more = kind
            else:
                self.by_name[name] = kind
            if item.kind in (Parameter.POSITIONAL_ONLY, Parameter.POSITIONAL_OR_KEYWORD):
                self.by_place += ((name, kind),)
        #: The types that need no other test, by place.
        self.types = tuple(_EVERY if kind is ANYTHING else kind.types for _, kind in self.by_place)
        #: Whether there are sequences: their iterators are read to the end, and one name stands for a list of one.
        self.has_lists = any(kind.whole or kind.listed for kind in self.by_name.values())

    def in_lists(self, args: tuple[Any, ...], given: dict[str, Any]) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """Return the arguments with lists where a sequence may be given as one name, or as an iterator."""
        places = chain(self.by_place, repeat(("", ANYTHING)))
        args = tuple(_in_list(kind, value) for (_, kind), value in zip(places, args, strict=False))
        return args, {name: _in_list(self.by_name.get(name, ANYTHING), value) for name, value in given.items()}

    def problems(self, args: tuple[Any, ...], given: Mapping[str, Any]) -> list[Problem]:
        """Return what is wrong with the arguments of a call; their number is for Python to check."""
        places = self.by_place if len(args) <= len(self.by_place) else chain(self.by_place, repeat(self.rest))
        named = (((name, self.by_name.get(name, self.more)), value) for name, value in given.items())
        found = []
        for (name, kind), value in chain(zip(places, args, strict=False), named):
            if type(value) not in kind.types and not kind.test(value):
                found.append(_problem(name, kind, value))
            elif kind.rows is not None:
                found += _miscounted(name, value, kind.rows, args[0])
        return found


def _in_list(kind: Kind, value: Any) -> Any:
    if kind.listed and isinstance(value, str):
        return [value]
    # used twice, an iterator would be empty the second time
    return list(value) if kind.whole and isinstance(value, Iterator) else value


def _problem(name: str, kind: Kind, value: Any) -> Problem:
    shown = re.sub(r"\s*\n\s*", " ", short(value).strip())  # a data frame has a line for each row
    return Problem(name, f"{shown} is {f'not {kind.words}' if kind.words else 'unknown'}", kind.hint)


def _miscounted(name: str, value: Any, rows: Rows, noun: Any) -> Iterator[Problem]:
    """Yield a problem where an array does not have the rows that it should have."""
    every, shape = getattr(noun, rows.of), np.shape(value)
    count = rows.each * (every if isinstance(every, int) else len(every))
    if shape[:1] != (count,):
        yield Problem(name, f"has the shape {shape}, not ({count}, ...)", f"a row for each of its {rows.of}")


def _checking(function: FunctionType) -> Callable[..., Any]:
    plan: _Signature | None = None

    @wraps(function)
    def call(*args: Any, **given: Any) -> Any:
        nonlocal plan
        if plan is None:
            plan = _Signature(function)
        if not given and len(args) <= len(plan.types) and all(map(contains, plan.types, map(type, args))):
            return function(*args)
        if plan.has_lists:
            args, given = plan.in_lists(args, given)
        if problems := plan.problems(args, given):
            raise InputError(problems, function.__qualname__.removesuffix(".__init__"), more=True)
        return function(*args, **given)

    setattr(call, _INSIDE, function)
    return call


_MADE = "__init__"
#: The attribute of a checked function that holds the function itself.
_INSIDE = "_inside"


def unchecked(method: Callable[..., R]) -> Callable[..., R]:
    """Return a bound method as the package itself calls it: what it passes a thousand times needs no check.

    >>> @checked
    ... class Spring:
    ...     def force(self, length: float) -> float:
    ...         return 2 * length
    >>> unchecked(Spring().force)(3.0)
    6.0
    """
    function = getattr(method, _INSIDE, None)
    return method if function is None else MethodType(function, cast(Any, method).__self__)


def checked(thing: T) -> T:
    """Return a function, or a class with its public methods, that checks its arguments by their annotations.

    So does the constructor of a dataclass; another may have words of its own, or is checked by itself. Where a sequence
    of names is expected, one name stands for a list of one.

    >>> @checked
    ... def stretched(length: float, *, by: float = 1.0) -> float:
    ...     return length * by
    >>> stretched("1 mm", by=None)
    Traceback (most recent call last):
    structkin.errors.InputError: stretched: 2 errors; more may appear when these are corrected
      - length: '1 mm' is not a number; such as 0.5 or 1e9
      - by: None is not a number; such as 0.5 or 1e9
    """
    if not isinstance(thing, type):
        return cast(T, _checking(cast(FunctionType, thing)))
    for name, member in list(vars(thing).items()):
        function = getattr(member, "__func__", member)
        is_public = name in ("__call__", _MADE if is_dataclass(thing) else "") or not name.startswith("_")
        if isinstance(function, FunctionType) and is_public:
            whole = _checking(function)
            setattr(thing, name, classmethod(whole) if isinstance(member, classmethod) else whole)
    return thing


for error in (Problem, InputError, PoseError):  # their module is below this one
    setattr(error, _MADE, _checking(vars(error)[_MADE]))
