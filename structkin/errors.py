"""Errors: each says what is wrong, where, and what to do.

An invalid description raises one exception that lists everything wrong with it. A pose that cannot be
reached raises nothing: its sample gets a `structkin.Status`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, ParamSpec

P = ParamSpec("P")


def printable(text: str) -> str:
    r"""Return text with its control characters escaped: a name from a file must not control the terminal.

    >>> printable("links.c\nx")
    'links.c\\nx'
    """
    return "".join(char if char.isprintable() else char.encode("unicode_escape").decode() for char in text)


@dataclass(frozen=True, slots=True)
class Problem:
    """One error in a description.

    `key` says where it is ("links.coupler"), `message` what is wrong, `hint` what to try.

    >>> print(Problem("links.coupler", "point 'Q' is not in [points]", "did you mean 'P'?"))
    links.coupler: point 'Q' is not in [points]; did you mean 'P'?
    """

    key: str
    message: str
    hint: str = ""

    def __post_init__(self) -> None:
        """Escape control characters: names and paths come from files."""
        for name in ("key", "message", "hint"):
            object.__setattr__(self, name, printable(getattr(self, name)))

    def __str__(self) -> str:
        """Return the problem on one line."""
        text = f"{self.key}: {self.message}" if self.key else self.message
        return f"{text}; {self.hint}" if self.hint else text


class StructkinError(Exception):
    """Base class of all exceptions that structkin raises itself."""

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle text and attributes: `__init__` has other arguments, and an error that cannot be read hangs a pool."""
        return type(self).__new__, (type(self), *self.args), self.__dict__


class InputError(StructkinError):
    """A description is invalid. `problems` lists every error found, not only the first.

    `more`: some checks were left out because they need what is wrong, so more errors may appear once it is corrected.
    """

    def __init__(self, problems: Sequence[Problem], source: str = "", *, more: bool = False) -> None:
        """Collect the problems; `source` names the file or mechanism."""
        self.problems: tuple[Problem, ...] = tuple(problems)
        self.source, self.more = source, more
        one = len(self.problems) == 1
        after = f"; more may appear when {'it is' if one else 'these are'} corrected" if more else ""
        head = f"{printable(source) or 'input'}: {len(self.problems)} error{'' if one else 's'}{after}"
        super().__init__("\n".join([head, *(f"  - {problem}" for problem in self.problems)]))


def raise_problems(problems: Sequence[Problem], source: str = "", *, more: bool = False) -> None:
    """Raise one `InputError` that lists all problems, if there are any; see there for the other arguments."""
    if problems:
        raise InputError(problems, source, more=more)


def problems_of(check: Callable[P, object], *args: P.args, **options: P.kwargs) -> Sequence[Problem]:
    """Return the problems of the `InputError` that a call raises; none if it raises none."""
    try:
        check(*args, **options)
    except InputError as error:
        return error.problems
    return ()


def together(source: str, *checks: Callable[[], object]) -> list[Any]:
    """Return what some checks return; raise one `InputError` with the problems of all of them.

    >>> together("arm", lambda: int("7"), lambda: "rod")
    [7, 'rod']
    """
    results, problems = list[Any](), list[Problem]()
    for check in checks:
        try:
            results.append(check())
        except InputError as error:
            problems += error.problems
    raise_problems(problems, source)
    return results


class StructureError(InputError):
    """The description is valid, but its structure cannot be solved: there are too few or too many drivers."""


class PoseError(StructkinError):
    """Raised with `strict=True` if a sample has no regular pose; `sample` is the first one."""

    def __init__(self, message: str, sample: int) -> None:
        """Store the message and the sample."""
        self.sample = sample
        super().__init__(message)
