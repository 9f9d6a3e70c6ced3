"""What every file of structkin is read with: errors are collected, so that all of them are reported at once."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ParamSpec, TypeVar

from structkin.errors import InputError, Problem
from structkin.model.entry import Entry, read
from structkin.model.flaw import Flaw, describe
from structkin.model.topology import suggest
from structkin.model.units import FILE_UNITS, Units, check_file_unit

P = ParamSpec("P")
T = TypeVar("T")
E = TypeVar("E", bound=Entry)

#: The file format read here; a file that names none has format 1.
FORMAT = 1

#: Reading ends at this many errors: hints take time, and a file with more is not meant for us.
MOST_PROBLEMS = 500


def has_controls(text: str) -> bool:
    """Return whether a text has control characters or unpaired surrogates, which no page and no workbook can show.

    >>> has_controls("two\\n\\tlines"), has_controls("red: \\x1b[31m")
    (False, True)
    """
    return any(unicodedata.category(char) in ("Cc", "Cs", "Zl", "Zp") for char in text if char not in "\t\r\n")


@dataclass
class Collector:
    """The problems found so far, the file's units, and what was given but could not be read."""

    folder: Path | None = None
    units: Units = field(default_factory=Units)
    problems: list[Problem] = field(default_factory=list)
    unread: set[str] = field(default_factory=set)  # sections, and "section.name": given, but unreadable

    def fault(self, key: str, message: str, hint: str = "") -> None:
        """Record an error; raise `InputError` when there are as many as anyone reads."""
        self.problems.append(Problem(key, message, hint))
        if len(self.problems) >= MOST_PROBLEMS:
            raise InputError(self.problems, more=True)

    def attempt(self, key: str, make: Callable[P, T], *args: P.args, **options: P.kwargs) -> T | None:
        """Return what `make` returns; a `Flaw` and its others become problems of this key, and None is returned."""
        try:
            return make(*args, **options)
        except Flaw as flaw:
            for one in flaw.problems(key):
                self.fault(one.key, one.message, one.hint)
            return None

    def quantity(self, key: str, value: Any, kind: str, sign: str = "") -> float | None:
        """Return a quantity in SI, as `Units.quantity`, or None after recording an error."""
        return self.attempt(key, self.units.quantity, value, kind, sign)

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

    def check_name(self, key: str, name: Any, forbidden: str) -> bool:
        """Return whether a name is text; record an error if it is not, is empty, or has forbidden characters."""
        if not isinstance(name, str):
            self.fault(key, f"expected a name in quotes, found {describe(name)}", f'write "{name}"')
            return False
        found = [character for character in forbidden if character in name]
        if not name:
            self.fault(key, "the name is empty")
        elif found:
            cleaned = name.translate(dict.fromkeys(map(ord, forbidden), "_"))
            self.fault(key, f"a name cannot contain '{found[0]}'", f"such as '{cleaned}'")
        elif name != name.strip() or not name.isprintable():
            self.fault(key, "a name cannot begin or end with a space, or contain control characters")
        return True

    def entries(
        self, data: Mapping[str, Any], section: str, sample: str, *, required: bool = False
    ) -> list[tuple[str, str, Any]]:
        """Return the key, name and value of each entry of a section; record an error if it is no table."""
        table = data.get(section)
        if isinstance(table, Mapping):
            return [(f"{section}.{name}", str(name), value) for name, value in table.items()]
        if table is not None or required:
            self.unread.add(section)
            found = "this section is missing" if table is None else f"expected a table, found {describe(table)}"
            doubled = isinstance(table, list) and all(isinstance(one, Mapping) for one in table) and table
            inside = (
                f"write [{section}]{f', not [[{section}]],' if doubled else ''} and below it entries such as {sample}"
            )
            self.fault(section, found, inside if doubled or table is None else f"write {section} = {{ {sample} }}")
        return []

    def read_entry(self, model: type[E], key: str, value: Any) -> E | None:
        """Return an entry, or None after recording its errors."""
        entry, problems = read(model, value, key, self.units)
        for problem in problems:
            self.fault(problem.key, problem.message, problem.hint)
        if entry is None:
            self.unread.add(key)
        return entry

    def read_load(
        self, types: Mapping[str, type[Entry]], key: str, value: Any, hints: Mapping[str, str]
    ) -> Entry | None:
        """Return an entry of [forces], of one of these types; `hints` are for names that other programs use."""
        kind = value.get("type") if isinstance(value, Mapping) else None
        if isinstance(kind, str) and kind in types:
            return self.read_entry(types[kind], key, value)
        self.unread.add(key)
        known = f"known: {', '.join(types)}; and gravity"
        if kind is None:
            found = "" if isinstance(value, Mapping) else f", found {describe(value)}"
            self.fault(key, f"expected a table with a type{found}", f"such as {types['force'].sample}; {known}")
        elif isinstance(kind, str):
            hint = suggest(kind, types)
            meant = hints.get(kind.casefold()) or (hint if hint.startswith("did") else known)
            self.fault(f"{key}.type", f"the type '{kind}' is unknown", meant)
        else:
            self.fault(f"{key}.type", f"expected text, found {describe(kind)}", known)
        return None

    def read_title(self, data: Mapping[str, Any]) -> str:
        """Return the title, empty after recording an error."""
        title = data.get("title", "")
        if not isinstance(title, str):
            self.fault("title", f"expected text, found {describe(title)}")
        elif has_controls(title):
            self.fault("title", "a title cannot contain control characters", "delete them")
        else:
            return title
        return ""

    def read_notes(self, data: Mapping[str, Any]) -> list[str]:
        """Return the notes, none after recording an error."""
        notes = data.get("notes", [])
        if not isinstance(notes, list | tuple) or not all(isinstance(note, str) for note in notes):
            self.fault("notes", f"expected a list of texts, found {describe(notes)}", 'such as ["drawn by hand"]')
        elif any(map(has_controls, notes)):
            self.fault("notes", "a note cannot contain control characters", "delete them")
        else:
            return list(notes)
        return []

    def check_format(self, data: Mapping[str, Any]) -> None:
        """Record an error for a file of a format that is not known here."""
        found = data.get("format", FORMAT)
        if isinstance(found, bool) or not isinstance(found, int) or found < 1:
            self.fault("format", f"expected a format number, found {describe(found)}", f"write format = {FORMAT}")
        elif found > FORMAT:
            message = f"the file has format {found}; this structkin reads formats up to {FORMAT}"
            self.fault("format", message, "install a newer one")

    def read_units(self, data: Mapping[str, Any]) -> None:
        """Take the units of the file."""
        chosen: dict[str, str] = {}
        for _, kind, name in self.entries(data, "units", 'length = "mm"'):
            if kind not in FILE_UNITS:
                self.fault("units", f"unknown key '{kind}'", f"{suggest(kind, FILE_UNITS)}; other quantities are in SI")
                continue
            unit = self.attempt(f"units.{kind}", check_file_unit, kind, name)
            if unit is not None:
                chosen[kind] = unit
        self.units = Units(**chosen, origin=self.units.origin)

    def read_duration(self, data: Mapping[str, Any]) -> float | None:
        """Return the duration [s], or None if there is none, or after recording an error."""
        return self.quantity("duration", data["duration"], "time", "positive") if "duration" in data else None
