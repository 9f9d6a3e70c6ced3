"""How a public noun gets its verbs: functions of the packages below, with public nouns as their results."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, Concatenate, ParamSpec, TypeVar

P = ParamSpec("P")
N = TypeVar("N")


def public(cls: type[N], noun: object) -> N:
    """Return a noun of a package below as an instance of its public class; the two share their attributes."""
    made = object.__new__(cls)
    object.__setattr__(made, "__dict__", vars(noun))
    return made


def verb(function: Callable[Concatenate[Any, P], object], cls: type[N]) -> Callable[Concatenate[Any, P], N]:
    """Return a function of a noun as a method that returns a public noun; its signature is written only once."""

    @wraps(function)
    def method(noun: Any, /, *args: P.args, **kwargs: P.kwargs) -> N:
        return public(cls, function(noun, *args, **kwargs))

    return method
