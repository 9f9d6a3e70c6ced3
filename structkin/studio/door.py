"""What a document may hold: what a file, a message and the page can hold, in the shape that commands rely on.

Every document is checked here when it is made, whether from a file, a shared text, a draft that the browser kept, or a
command. Entries that make no mechanism pass: a drawing is often unfinished, and the check of the mechanism lists them.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from structkin.errors import Problem
from structkin.model.flaw import LARGEST, describe

#: Tables may be nested this deep; a mechanism file needs five levels.
DEEPEST = 20
#: More links, and more of them at one point, take longer than a person waits for an answer.
LINKS, AT_ONE_POINT = 2500, 500
#: What JSON may hold, and no file can.
SURROGATE = "has an unpaired surrogate, which no file can hold"
#: Sections are tables, and so are the entries of these.
SECTIONS = ("units", "points", "links", "lengths", "joints", "drivers", "forces", "initial")
TABLES = ("joints", "drivers", "forces", "initial")


def flaws(data: Mapping[str, Any]) -> list[Problem]:
    """Return what a document may not hold, each with its key.

    >>> [str(problem) for problem in flaws({"title": 3, "points": {"A": [0, float("nan")]}, "links": {"bar": [["A"]]}})]
    ['points.A: must be a finite number, found nan', 'title: must be text, found the number 3', ...]
    """
    return [*_values("", data, DEEPEST), *_shapes(data)]


def _values(key: str, value: Any, depth: int) -> Iterator[Problem]:
    if isinstance(value, Mapping | list | tuple):
        if depth == 0:
            yield Problem(key, "is nested too deeply")
        elif isinstance(value, Mapping):
            for name, item in value.items():
                here = f"{key}.{name}" if key else str(name)
                if not isinstance(name, str):
                    yield Problem(here, f"a key must be text, found {describe(name)}")
                elif not _is_text(name):
                    yield Problem(here, f"its name {SURROGATE}", "write it again")
                yield from _values(here, item, depth - 1)
        else:
            for item in value:
                yield from _values(key, item, depth - 1)
    elif isinstance(value, str):
        if not _is_text(value):
            yield Problem(key, SURROGATE, "write it again")
    elif value is None:
        yield Problem(key, "must be a finite number or text, found nothing", "leave the key out")
    elif not isinstance(value, int | float):
        yield Problem(key, f"must be a number or text, found {describe(value)}", "write text in quotes")
    elif isinstance(value, float) and not math.isfinite(value):
        yield Problem(key, f"must be a finite number, found {value}")
    elif abs(value) > LARGEST:
        yield Problem(key, f"must be a number up to {LARGEST:g}")


def _is_text(text: str) -> bool:
    return not any("\ud800" <= letter <= "\udfff" for letter in text)


def _shapes(data: Mapping[str, Any]) -> Iterator[Problem]:
    if not isinstance(data.get("title", ""), str):
        yield Problem("title", f"must be text, found {describe(data['title'])}")
    for section in SECTIONS:
        table = data.get(section, {})
        if not isinstance(table, Mapping):
            yield Problem(section, f"must be a table, found {describe(table)}")
            continue
        for name, entry in table.items():
            key = f"{section}.{name}"
            if section in TABLES and not isinstance(entry, Mapping) and key != "forces.gravity":
                yield Problem(key, f"must be a table, found {describe(entry)}")
            elif section == "links" and not _are_names(
                entry.get("points", []) if isinstance(entry, Mapping) else entry
            ):
                yield Problem(key, "must name its points in a list", 'such as ["A", "B"]')

    yield from _too_many(data.get("links", {}))


def _too_many(links: Any) -> Iterator[Problem]:
    if not isinstance(links, Mapping):
        return
    hint = "the command line and Python have no such limit"
    if len(links) > LINKS:
        yield Problem("links", f"{len(links)} links are more than the studio takes, {LINKS}", hint)
    entries = (entry.get("points", []) if isinstance(entry, Mapping) else entry for entry in links.values())
    held = Counter(point for points in entries if _are_names(points) for point in set(points))
    for point, count in held.items():
        if count > AT_ONE_POINT:
            said = f"{count} links at one point are more than the studio takes, {AT_ONE_POINT}"
            yield Problem(f"points.{point}", said, hint)


def _are_names(points: Any) -> bool:
    return isinstance(points, list | tuple) and all(isinstance(point, str) for point in points)
