"""Mechanism files: TOML or JSON, one schema."""

from __future__ import annotations

import json
import re
import tomllib
from pathlib import Path
from typing import Any

from structkin.errors import InputError, Problem
from structkin.model.flaw import Flaw, decimal_comma, describe, short
from structkin.model.tables import read_text

SUFFIXES = (".toml", ".json")


def load_data(path: Path) -> dict[str, Any]:
    """Return the contents of a file as plain data; raise `InputError` with the line of a syntax error."""
    try:
        if path.suffix.lower() not in SUFFIXES and not path.is_dir() and path.exists():
            raise Flaw(f"expected a .toml or .json file, found the suffix '{path.suffix}'", "rename it")
        return parse_data(read_text(path), path.suffix.lower())
    except Flaw as flaw:
        raise InputError([Problem("", flaw.message, flaw.hint)], str(path)) from None


def parse_data(text: str, suffix: str) -> dict[str, Any]:
    """Return the text of a mechanism file as plain data; raise `Flaw` with the line of a syntax error."""
    return _toml(text) if suffix == ".toml" else _json(text)


def _toml(text: str) -> dict[str, Any]:
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        message = str(error)
    except RecursionError:
        raise Flaw("the file is nested too deeply") from None
    except ValueError as error:
        # Python refuses to read integers of thousands of digits.
        raise Flaw("the TOML contains a number that cannot be read", str(error)) from None
    match = re.search(r"line (\d+)", message)
    lines = text.splitlines()
    # an error "at end of document" belongs to the last line
    line = int(match[1]) if match else len(lines)
    what = message.split(" (at ", maxsplit=1)[0]
    shown = lines[line - 1].strip() if line <= len(lines) else ""
    if "overwrite" in what or "declare" in what or "mutate" in what:
        raise Flaw(f"line {line}: a key or section is given twice: {short(shown)}", "delete one of them")
    value = shown.rpartition("=")[2]
    hint = decimal_comma(value) or "write text in quotes, a list in [ ], a table in { } on one line"
    raise Flaw(f"line {line}: {what[:1].lower()}{what[1:]}: {short(shown)}", hint)


def _json(text: str) -> dict[str, Any]:
    try:
        data = json.loads(text, object_pairs_hook=_unique)
    except json.JSONDecodeError as error:
        raise Flaw(f"line {error.lineno}: {error.msg[:1].lower()}{error.msg[1:]}", "this is not valid JSON") from None
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


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    table: dict[str, Any] = {}
    for key, value in pairs:
        if key in table:
            raise Flaw(f"the key '{key}' is given twice", "delete one of them")
        table[key] = value
    return table
