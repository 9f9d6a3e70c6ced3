"""What is wrong: with a command, in plain words instead of those of pydantic; or with the studio itself."""

from __future__ import annotations

import logging
import traceback
from collections.abc import Mapping
from typing import Any

from pydantic import ValidationError

from structkin.errors import InputError, Problem, printable
from structkin.studio.document import refuse

log = logging.getLogger("structkin.studio")

#: Characters of an error's text that are shown.
LONGEST = 300
#: Fields whose name in a message is not the user's word for them.
_FIELDS = {"to": "name", "at": "place", "entry": "values"}
_WORDS = {
    "greater_than": "must be a positive number",
    "greater_than_equal": "must be a number from -1e12 to 1e12",
    "less_than_equal": "must be a number from -1e12 to 1e12",
    "finite_number": "must be a finite number",
    "float_type": "must be a number",
    "float_parsing": "must be a number",
    "string_type": "must be a text",
    "dict_type": "must be a table",
    "missing": "is missing",
    "too_short": "is empty",
    "extra_forbidden": "is not known here",
}


def refusal(error: ValidationError) -> InputError:
    """Return the error of a command that cannot be read: the field, and what it must be."""
    first = error.errors(include_url=False, include_input=False)[0]
    # the field comes after the name of the command, and before the places in lists and unions
    field = next((str(part) for part in first["loc"][1:]), "")
    return refuse(_FIELDS.get(field, field), _fault(first["type"], first.get("ctx", {})))


def _fault(kind: str, limits: Mapping[str, Any]) -> str:
    match kind:
        case "string_too_long":
            return f"must have at most {limits['max_length']} characters"
        case "too_long":
            return f"must have at most {limits['max_length']} entries"
    return _WORDS.get(kind, "this change cannot be read")


def fault(error: Exception) -> Problem:
    """Return the problem that an error in the studio itself is, and log on the terminal where it was raised."""
    log.error("%s", "".join(map(_line, traceback.format_exception(error))))
    what = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
    hint = "the mechanism is as before; the terminal shows where it happened: please report it"
    return Problem("", f"a fault of the studio: {what[:LONGEST]}{'...' * (len(what) > LONGEST)}", hint)


def _line(text: str) -> str:
    """Return lines of a traceback without other control characters: they may come from a file."""
    return "".join(f"{printable(line)}\n" for line in text.splitlines())
