"""Web addresses that contain a mechanism after their question mark."""

from __future__ import annotations

import re

#: An address, of which names may have spaces; conversion to a `Path` may have removed a slash.
_ADDRESS = re.compile(r"https?:/+\S[^\r\n]*$")

#: A longer text is not an address.
LONGEST = 200_000


def is_address(text: str) -> bool:
    """Return whether a text is a web address rather than a file name."""
    return _ADDRESS.match(text) is not None


def whole(text: str) -> str:
    """Return an address with both slashes after its scheme; any other text as it is.

    >>> whole("https:/a.b/?j=A"), whole("a/b.toml")
    ('https://a.b/?j=A', 'a/b.toml')
    """
    return re.sub(r"^(https?:)/+", r"\1//", text) if is_address(text) else text


def query(text: str) -> str:
    """Return what follows the question mark of an address, or else the whole text, stripped.

    >>> query("https://a.b/?j=A"), query("?j=A"), query("why?")
    ('j=A', 'j=A', 'why?')
    """
    return re.sub(r"^(https?:[^?]*)?\?", "", text.strip())


def holds(text: str, pattern: re.Pattern[str]) -> bool:
    """Return whether a text is a single line, such as an address or its query, that contains a pattern.

    >>> holds("https://a.b/?j=A,0", re.compile("^j=")), holds("two\\nlines", re.compile("two"))
    (True, False)
    """
    return len(text) <= LONGEST and len(text.strip().splitlines()) == 1 and pattern.search(query(text)) is not None
