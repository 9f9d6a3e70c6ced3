"""Failures: each has a name, a place and a next step.

A mistake in a description raises at once and lists everything that is wrong; a pose that cannot be
reached is not an exception but a `structkin.Status` on its sample.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


def printable(text: str) -> str:
    r"""Return text with its control characters written out: a name from a file must not steer the terminal.

    >>> printable("links.c\nx")
    'links.c\\nx'
    """
    return "".join(char if char.isprintable() else char.encode("unicode_escape").decode() for char in text)


@dataclass(frozen=True, slots=True)
class Problem:
    """One mistake in a description.

    `key` says where ("links.coupler"), `message` what was found, `hint` what to try.

    >>> print(Problem("links.coupler", "point 'Q' is not in [points]", "did you mean 'P'?"))
    links.coupler: point 'Q' is not in [points]; did you mean 'P'?
    """

    key: str
    message: str
    hint: str = ""

    def __post_init__(self) -> None:
        """Write out control characters: names and paths come from files."""
        for name in ("key", "message", "hint"):
            object.__setattr__(self, name, printable(getattr(self, name)))

    def __str__(self) -> str:
        """Return the problem on one line."""
        text = f"{self.key}: {self.message}" if self.key else self.message
        return f"{text}; {self.hint}" if self.hint else text


class StructkinError(Exception):
    """Base of everything structkin raises on purpose."""


class InputError(StructkinError):
    """A description is wrong. `problems` lists every mistake found, not only the first."""

    def __init__(self, problems: Sequence[Problem], source: str = "") -> None:
        """Collect the problems; `source` names the file or mechanism."""
        self.problems: tuple[Problem, ...] = tuple(problems)
        self.source = source
        count = len(self.problems)
        head = f"{printable(source) or 'description'}: {count} error{'s' if count != 1 else ''}"
        super().__init__("\n".join([head, *(f"  - {problem}" for problem in self.problems)]))


class StructureError(InputError):
    """The description is sound, but its structure cannot be solved: drivers are missing or too many."""


class PoseError(StructkinError):
    """Raised with `strict=True` where a sample has no regular pose; `sample` is the first such one."""

    def __init__(self, message: str, sample: int) -> None:
        """Say what happened at which sample."""
        self.sample = sample
        super().__init__(message)
