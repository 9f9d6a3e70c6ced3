"""Mechanism files: TOML or JSON, one schema."""

from __future__ import annotations

import json
import math
import os
import re
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from structkin.model.flaw import Flaw, describe, short
from structkin.model.tables import read_text
from structkin.model.toml_errors import QUOTES, syntax_flaws

SUFFIXES = (".toml", ".json")

#: The longest text of a mechanism that is read [characters]: a table of about 200,000 rows.
LONGEST_FILE = 2**23
#: The most keys of a TOML text, and the most entries of a table: reading and checking them takes seconds.
MOST_KEYS, MOST = 50_000, 5000
#: The deepest nesting; no part of a file needs more than five levels.
DEEPEST = 20
#: The longest name and the longest text in a file.
LONGEST_NAME, LONGEST_TEXT = 200, 10_000

_QUOTED = re.compile(r'"(?:\\.|[^"\\\n])*"|\'[^\'\n]*\'')
_DOTTED = re.compile(rf"(?<![\w-])(?:[\w-]+[ \t]*\.[ \t]*){{{DEEPEST}}}[\w-]")
_HEADER = re.compile(r"(?m)^[ \t]*\[[^\n]*\][ \t]*(?:#[^\n]*)?$")


def load_data(path: Path) -> dict[str, Any]:
    """Return the contents of a file as plain data; raise `InputError` with the line of a syntax error."""
    try:
        if path.suffix.lower() not in SUFFIXES and not os.path.isdir(path) and os.path.exists(path):
            message = f"expected a .toml or .json file, found the suffix '{path.suffix}'"
            raise Flaw(message, "rename it if it is TOML or JSON")
        return parse_data(read_text(path), path.suffix.lower())
    except Flaw as flaw:
        raise flaw.error(str(path)) from None


def parse_data(text: str, suffix: str) -> dict[str, Any]:
    """Return the text of a mechanism file as plain data.

    Raises `Flaw` with the lines of syntax errors, or if it is larger or nested deeper than any file of a mechanism.
    """
    check_length(text, LONGEST_FILE, 'a long table may be a file of its own: csv = "table.csv"')
    data = _toml(text) if suffix == ".toml" else _json(text)
    check_size(data, MOST)
    return data


def check_length(text: str, longest: int, hint: str = "") -> None:
    """Raise `Flaw` for a text that is too long to be read in a few seconds."""
    if len(text) > longest:
        raise Flaw(f"the file has {len(text):,} characters; at most {longest:,} are read", hint)


def check_size(data: Mapping[str, Any], most: float = math.inf) -> None:
    """Raise `Flaw` for a table of more entries, for a name or text that is too long, and for deep nesting."""
    waiting: list[tuple[str, Any, int]] = [("the file", data, 0)]
    while waiting:
        where, value, depth = waiting.pop()
        if isinstance(value, str) and len(value) > LONGEST_TEXT:
            raise Flaw(f"a text in {where} has {len(value):,} characters; at most {LONGEST_TEXT:,} are read")
        if depth > DEEPEST:
            raise Flaw(f"the file is nested too deeply, in {where}", f"at most {DEEPEST} levels are read")
        if isinstance(value, list | tuple):
            waiting += [(where, one, depth + 1) for one in value if isinstance(one, Mapping | list | tuple | str)]
        elif isinstance(value, Mapping):
            if len(value) > most:
                hint = "Mechanism.from_dict takes more, from Python"
                raise Flaw(f"{where} has {len(value):,} entries; at most {most:,} are read", hint)
            for name in value:
                if isinstance(name, str) and len(name) > LONGEST_NAME:
                    raise Flaw(f"the name '{short(name)}' has more than {LONGEST_NAME} characters")
            waiting += [(f"'{name}'", one, depth + 1) for name, one in value.items()]


def _toml(text: str) -> dict[str, Any]:
    keys = max(text.count("="), len(_HEADER.findall(text)))
    if keys > MOST_KEYS:
        raise Flaw(f"the file has {keys:,} keys or sections; at most {MOST_KEYS:,} are read")
    for number, row in enumerate(text.splitlines(), 1):
        # the time to read a key grows with the square of its parts
        if row.count(".") >= DEEPEST and _DOTTED.search(_QUOTED.sub("x", row)):
            raise Flaw(f"line {number}: a key has more than {DEEPEST} parts: {short(row.strip())}")
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        first, *others = syntax_flaws(text)
        raise Flaw(first.message, first.hint, others) from None
    except RecursionError:
        raise Flaw("the file is nested too deeply") from None
    except ValueError as error:
        # Python refuses to read integers of thousands of digits.
        raise Flaw("the TOML contains a number that cannot be read", str(error)) from None


def _json(text: str) -> dict[str, Any]:
    try:
        data = json.loads(text, object_pairs_hook=_unique)
    except json.JSONDecodeError as error:
        message = f"line {error.lineno}: {error.msg[:1].lower()}{error.msg[1:]}"
        raise Flaw(message, _json_hint(text, error.pos)) from None
    except Flaw:
        raise
    except ValueError as error:
        # Python refuses to read integers of thousands of digits.
        raise Flaw("the JSON contains a number that cannot be read", str(error)) from None
    except RecursionError:
        raise Flaw("the file is nested too deeply") from None
    if not isinstance(data, dict):
        raise Flaw(f"expected a table of sections, found {describe(data)}", 'such as {"points": {...}, "links": {...}}')
    return data


def _json_hint(text: str, at: int) -> str:
    """Return what is probably wrong at the character where a text is no longer JSON."""
    before, rest = text[:at].rstrip(), text[at : at + 2].strip()
    if re.match(r"\s*(#|\[?\w+\]?\s*=|\[\w+\]\s*$)", text, re.MULTILINE):
        return "this looks like TOML: name the file .toml"
    if not text[at:].strip():
        return "the file ends before its brackets are closed"
    if rest and rest[0] in f"{QUOTES}'":
        return 'write straight double quotes: "A"'
    if rest[:1] == "#" or rest in ("//", "/*"):
        return "JSON has no comments: delete it"
    # From Python 3.13 on the character is the comma.
    end = re.match(r",\s*([}\]])", f",{text[at:]}" if before.endswith(",") else text[at:])
    if end:
        return f"delete the comma before {end[1]}"
    return "this is not valid JSON"


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    table: dict[str, Any] = {}
    for key, value in pairs:
        if key in table:
            raise Flaw(f"the key '{key}' is given twice", "delete one of them")
        table[key] = value
    return table
