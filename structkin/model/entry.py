"""Entries of a mechanism file, and how they are read.

`read` turns pydantic's errors into `Problem`s and keeps the valid fields, so that one unknown key does not hide the
next error. Whether entries fit together is checked where they are used.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError

from structkin.errors import Problem
from structkin.model.flaw import Flaw, describe
from structkin.model.topology import suggest
from structkin.model.units import Units

SECTIONS = (
    "title", "format", "notes", "units", "points", "links", "lengths", "joints", "drivers", "forces", "initial",
    "pose", "duration",
)  # fmt: skip


def misplaced(name: str) -> str:
    """Return the hint for a top-level key that TOML read as part of the section above it."""
    return f"write '{name}' above the first [section], or as a separate section"


class Entry(BaseModel):
    """An entry of a section. `layout` names its form, `sample` is an example."""

    model_config = ConfigDict(extra="forbid", frozen=True, arbitrary_types_allowed=True)
    layout: ClassVar[str] = "a table { ... }"
    sample: ClassVar[str] = ""


E = TypeVar("E", bound=Entry)


def read(model: type[E], data: Any, key: str, units: Units) -> tuple[E | None, list[Problem]]:
    """Return the entry with its valid fields, and its errors; None if it cannot be read at all.

    >>> from structkin.model.schema import LinkEntry
    >>> entry, problems = read(LinkEntry, {"points": ["A", "B"], "mas": 1}, "links.crank", Units())
    >>> entry.points, str(problems[0])
    (('A', 'B'), "links.crank: unknown key 'mas'; did you mean 'mass'?")
    """
    if not isinstance(data, Mapping):
        return None, [Problem(key, f"expected {model.layout}, found {describe(data)}", f"such as {model.sample}")]
    table = dict(data)
    try:
        return model.model_validate(table, context=units), []
    except ValidationError as error:
        details = error.errors(include_url=False, include_input=False)
        problems = [_problem(model, key, dict(detail)) for detail in details]
        bad = {detail["loc"][0] for detail in details}
    try:
        return model.model_validate({name: table[name] for name in table if name not in bad}, context=units), problems
    except ValidationError:
        return None, problems


def _problem(model: type[Entry], key: str, detail: dict[str, Any]) -> Problem:
    name = str(detail["loc"][0])
    if detail["type"] == "extra_forbidden":
        hint = misplaced(name) if name in SECTIONS else suggest(name, model.model_fields)
        return Problem(key, f"unknown key '{name}'", hint)
    if detail["type"] == "missing":
        return Problem(key, f"'{name}' is missing", f"such as {model.sample}")
    flaw = detail.get("ctx", {}).get("error")
    if isinstance(flaw, Flaw):
        return Problem(f"{key}.{name}", flaw.message, flaw.hint)
    return Problem(f"{key}.{name}", str(detail["msg"]), f"such as {model.sample}")
