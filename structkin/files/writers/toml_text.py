"""Plain data as TOML, laid out as one would write a mechanism file by hand."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from structkin.errors import InputError, Problem

#: Columns per line; a longer value continues on the next.
WIDTH = 110

_BARE = re.compile(r"[A-Za-z0-9_-]+")

#: The tables that stand on one line above the first section.
HEADS = ("units",)


def toml_text(data: Mapping[str, Any]) -> str:
    """Return a document: keys and units first, then each table as a section, one entry per line if it fits.

    Order is kept, within tables as well. Numbers keep every bit; None is left out. Raises `InputError` for values that
    TOML cannot hold, such as functions.

    >>> print(toml_text({"title": "Arm", "points": {"A": [0, 0.5]}, "links": {"bar": {"points": ["A"], "mass": 2}}}))
    title = "Arm"
    <BLANKLINE>
    [points]
    A = [0, 0.5]
    <BLANKLINE>
    [links]
    bar = { points = ["A"], mass = 2 }
    <BLANKLINE>
    """
    sections = {name: value for name, value in data.items() if isinstance(value, Mapping) and name not in HEADS}
    heads = [_line(key(name), value, name) for name, value in data.items() if name not in sections]
    parts = ["\n".join(heads)] if heads else []
    for name, section in sections.items():
        parts += _section(name, section)
    return "\n\n".join(parts) + "\n"


def _section(path: str, section: Mapping[str, Any]) -> Iterator[str]:
    """Yield a section, and then the entries that are too long for a line as sections of their own.

    A key may not follow such a section: a long entry with plain values after it is written with dotted keys.
    """
    entries = {name: value for name, value in section.items() if value is not None}
    long = [name for name, value in entries.items() if isinstance(value, Mapping) and not _fits(name, value, path)]
    names = list(entries)
    rest = names[names.index(long[0]) :] if long else []
    if not all(isinstance(entries[name], Mapping) for name in rest):
        rest = []
    here = [name for name in names if name not in rest]
    if here or not rest:
        short = [key(name) for name in here if name not in long]
        wide = max(map(len, short), default=0)
        lines = [f"[{key(path)}]"]
        for name in here:
            value = entries[name]
            if name in long:
                lines += [_line(f"{key(name)}.{key(sub)}", item, f"{path}.{name}") for sub, item in _items(value)]
            else:
                lines.append(_line(key(name).ljust(wide), value, f"{path}.{name}"))
        yield "\n".join(lines)
    for name in rest:
        lines = [f"[{key(path)}.{key(name)}]"]
        lines += [_line(key(sub), item, f"{path}.{name}.{sub}") for sub, item in _items(entries[name])]
        yield "\n".join(lines)


def _items(table: Mapping[str, Any]) -> list[tuple[str, Any]]:
    return [(name, value) for name, value in table.items() if value is not None]


def _fits(name: str, value: Any, path: str) -> bool:
    return len(key(name)) + 3 + len(inline(value, f"{path}.{name}")) <= WIDTH


def _line(head: str, value: Any, where: str) -> str:
    """Return `head = value`; a long list takes several lines, with one table or list on each, or as many as fit."""
    text = f"{head} = {inline(value, where)}"
    if len(text) <= WIDTH or not isinstance(value, list) or not value:
        return text
    items = [inline(item, where) for item in value]
    if any(isinstance(item, list | Mapping) for item in value):
        return "\n".join([f"{head} = [", *(f"  {item}," for item in items), "]"])
    rows = [""]
    for item in items:
        if len(rows[-1]) + len(item) + 4 > WIDTH:
            rows.append("")
        rows[-1] += f" {item},"
    return "\n".join([f"{head} = [", *(f" {row}" for row in rows), "]"])


def key(name: str) -> str:
    """Return a key, in quotes where it needs them.

    >>> key("crank"), key("A-B"), key("left rod")
    ('crank', 'A-B', '"left rod"')
    """
    return name if _BARE.fullmatch(name) else _text(name, name)


def inline(value: Any, where: str) -> str:
    """Return a value on one line; `where` is its place, for `InputError`."""
    match value:
        case bool():
            return "true" if value else "false"
        case str():
            return _text(value, where)
        case int() | float():
            return repr(value)
        case list():
            return f"[{', '.join(inline(item, where) for item in value)}]"
        case Mapping():
            inside = ", ".join(f"{key(name)} = {inline(item, f'{where}.{name}')}" for name, item in _items(value))
            return f"{{ {inside} }}" if inside else "{}"
    hint = "write a number, a formula of t or a table" if callable(value) else ""
    what = "a Python function" if callable(value) else f"a Python {type(value).__name__}"
    raise InputError([Problem(where, f"{what} cannot be written to a file", hint)], "output")


def _text(text: str, where: str) -> str:
    if any("\ud800" <= letter <= "\udfff" for letter in text):
        raise InputError([Problem(where, f"{text!r} has an unpaired surrogate, which no text file can hold")], "output")
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")
