"""Addresses of the web that hold a mechanism behind their question mark."""

from __future__ import annotations

import re

#: An address; on its way through a `Path` it may have lost a slash.
_ADDRESS = re.compile(r"https?:/+\S*$")

#: A text longer than this is no address.
LONGEST = 200_000


def is_address(text: str) -> bool:
    """Tell whether a text is an address of the web rather than the name of a file."""
    return _ADDRESS.match(text) is not None


def query(text: str) -> str:
    """Return what follows the question mark of an address, or the whole text without spaces at its ends."""
    return text.strip().partition("?")[2] or text.strip()


def holds(text: str, pattern: re.Pattern[str]) -> bool:
    """Tell whether a text is one word, an address or its query, in which a pattern is found.

    >>> holds("https://a.b/?j=A,0", re.compile("^j=")), holds("two words", re.compile("two"))
    (True, False)
    """
    return len(text) <= LONGEST and len(text.split()) == 1 and pattern.search(query(text)) is not None
