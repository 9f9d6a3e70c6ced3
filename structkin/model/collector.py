"""What every file of structkin is read with: errors are collected, so that all of them are reported at once."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ParamSpec, TypeVar

from structkin.errors import Problem
from structkin.model.entry import Entry, read
from structkin.model.flaw import Flaw
from structkin.model.topology import suggest
from structkin.model.units import FILE_UNITS, Units, check_file_unit

P = ParamSpec("P")
T = TypeVar("T")
E = TypeVar("E", bound=Entry)


@dataclass
class Collector:
    """The problems found so far, the file's units, and what was given but could not be read."""

    folder: Path | None = None
    units: Units = field(default_factory=Units)
    problems: list[Problem] = field(default_factory=list)
    unread: set[str] = field(default_factory=set)  # sections, and "section.name": given, but unreadable

    def fault(self, key: str, message: str, hint: str = "") -> None:
        """Record an error."""
        self.problems.append(Problem(key, message, hint))

    def attempt(self, key: str, make: Callable[P, T], *args: P.args, **options: P.kwargs) -> T | None:
        """Return what `make` returns; a `Flaw` becomes a problem of this key, and None is returned."""
        try:
            return make(*args, **options)
        except Flaw as flaw:
            self.fault(key, flaw.message, flaw.hint)
            return None

    def excused(self, section: str, name: str) -> bool:
        """Return whether a missing name is not an error, because its entry was given but could not be read."""
        return section in self.unread or f"{section}.{name}" in self.unread

    def check_sections(self, data: Iterable[Any], sections: tuple[str, ...], hints: Mapping[str, str]) -> None:
        """Record an error for each key that is no section; `hints` are names that other programs use."""
        for key in data:
            if key not in sections:
                known = hints.get(str(key).casefold())
                hint = suggest(str(key), sections) if known is None else f"did you mean '{known}'?"
                self.fault(str(key), "unknown section or key", hint)

    def check_characters(self, key: str, name: str, forbidden: str) -> None:
        """Record an error for a name that is empty or has characters that names cannot have."""
        found = [character for character in forbidden if character in name]
        if not name:
            self.fault(key, "the name is empty")
        elif found:
            cleaned = name.translate(dict.fromkeys(map(ord, forbidden), "_"))
            self.fault(key, f"a name cannot contain '{found[0]}'", f"such as '{cleaned}'")
        elif name != name.strip() or not name.isprintable():
            self.fault(key, "a name cannot begin or end with a space, or contain control characters")

    def read_entry(self, model: type[E], key: str, value: Any) -> E | None:
        """Return an entry, or None after recording its errors."""
        entry, problems = read(model, value, key, self.units)
        self.problems += problems
        if entry is None:
            self.unread.add(key)
        return entry

    def read_units(self, section: Mapping[str, Any]) -> None:
        """Take the units of the file."""
        chosen: dict[str, str] = {}
        for kind, name in ((str(kind), name) for kind, name in section.items()):
            if kind not in FILE_UNITS:
                self.fault("units", f"unknown key '{kind}'", f"{suggest(kind, FILE_UNITS)}; other quantities are in SI")
                continue
            unit = self.attempt(f"units.{kind}", check_file_unit, kind, name)
            if unit is not None:
                chosen[kind] = unit
        self.units = Units(**chosen)

    def read_duration(self, value: Any) -> float | None:
        """Return a duration [s], or None after recording an error."""
        seconds = self.attempt("duration", self.units.quantity, value, "time")
        if seconds is not None and seconds <= 0:
            self.fault("duration", f"expected a time greater than zero, found {value}")
            return None
        return seconds
