"""Web addresses that contain a mechanism after their question mark."""

from __future__ import annotations

import re
from urllib.parse import unquote

#: An address, of which names may have spaces; conversion to a `Path` may have removed a slash. Programs that pass one
#: on encode it as a whole (%3A is the colon), and put it in quotes or angle brackets.
_ADDRESS = re.compile(r"[\s<\"']*https?(:/+|%(25)*3A)\S[^\r\n]*\s*$", re.IGNORECASE)

#: What stands before the query of an address.
_FRONT = re.compile(r"^(https?:[^?]*|[\w.-]+\.\w+/[^?]*)?\?", re.IGNORECASE)

#: What is left behind the query, besides a mark for a place in the page: what newsletters and social networks add to
#: follow their readers; and line ends, blanks and quotes, encoded or not.
_FOLLOWS = re.compile(r"&(utm_\w+|\w*clid)=[^&]*", re.IGNORECASE)
_ENDS, _ENCODED_ENDS = "\0>\"'", ("%00", "%0A", "%0D", "%20", "%22", "%23")

#: How often an address may have been encoded as a whole.
ENCODED = 3

#: A longer text is not an address.
LONGEST = 200_000


def is_address(text: str) -> bool:
    """Return whether a text is a web address rather than a file name."""
    return _ADDRESS.match(text) is not None


def whole(text: str) -> str:
    """Return an address with both slashes after its scheme, not encoded as a whole; any other text as it is.

    >>> whole("https:/a.b/?j=A"), whole("https%3A%2F%2Fa.b%2F%3Fj%3DA"), whole("a/b.toml")
    ('https://a.b/?j=A', 'https://a.b/?j=A', 'a/b.toml')
    """
    return re.sub(r"^(https?:)/+", r"\1//", _decoded(text.strip(" \t\r\n<>\"'"))) if is_address(text) else text


def _decoded(text: str) -> str:
    """Return a text whose commas are not encoded; one without any is decoded as far as possible."""
    for _ in range(ENCODED):
        if "," not in text:
            text = unquote(text)
    return text


def query(text: str) -> str:
    """Return what follows the question mark of an address, or else the whole text, without what is left behind it.

    >>> query("https://a.b/?j=A"), query("?j=A&utm_source=b#"), query("<https%3A%2F%2Fa.b%2F%3Fj%3DA%2C0>")
    ('j=A', 'j=A', 'j=A,0')
    """
    text = _decoded(text.strip(" \t\r\n<>\"'"))
    front = _FRONT.match(text)
    return text if front is None else _without_end(text[front.end() :].partition("#")[0])


def _without_end(text: str) -> str:
    """Return a query without blanks, quotes and what follows readers at its end."""
    end = len(text)
    while end:
        if text[end - 1].isspace() or text[end - 1] in _ENDS:
            end -= 1
        elif text[end - 3 : end].upper() in _ENCODED_ENDS:
            end -= 3
        elif (start := text.rfind("&", 0, end)) >= 0 and _FOLLOWS.fullmatch(text, start, end):
            end = start
        else:
            break
    return text[:end]


def blanks(text: str) -> str:
    """Return a query with blanks for +, as forms encode them, but not in the exponent of a number or in flags.

    The flags of PMKS, four letters at the end of a joint, may have a + of their own.

    >>> blanks("j=A+1,1e+21,0"), blanks("ground+a+R+0+0+---+|a+b+R+1+0+tfff")
    ('j=A 1,1e+21,0', 'ground a R 0 0 ---+|a b R 1 0 tfff')
    """
    return re.sub(r"(?<!\de)\+(?:([tf+-]{4})(?=[|\r\n]|$))?", lambda found: f" {found[1] or ''}", text)


def holds(text: str, pattern: re.Pattern[str]) -> bool:
    """Return whether a text is a single line, such as an address or its query, that contains a pattern.

    >>> holds("https://a.b/?j=A,0", re.compile("^j=")), holds("two\\nlines", re.compile("two"))
    (True, False)
    """
    return len(text) <= LONGEST and len(text.strip().splitlines()) == 1 and pattern.search(query(text)) is not None
