"""A document as the fragment of an address: `#m=...`, which browsers never send to a server; it holds no token."""

from __future__ import annotations

import base64
import binascii
import json
import zlib

from structkin.studio.document import Document, refuse

#: What a fragment begins with, and the most bytes that it may become.
PREFIX, LARGEST = "#m=", 1_000_000


def fragment(document: Document) -> str:
    """Return the fragment of a document.

    >>> opened(fragment(Document({"title": "Crank"}))).data
    {'title': 'Crank'}
    """
    text = json.dumps(document.data, separators=(",", ":"), ensure_ascii=False)
    return PREFIX + base64.urlsafe_b64encode(zlib.compress(text.encode(), 9)).decode().rstrip("=")


def opened(text: str) -> Document:
    """Return the document of a fragment, or of an address that ends in one; raise `InputError` if it is not valid."""
    _, prefix, packed = text.strip().partition(PREFIX)
    try:
        if not prefix:
            raise ValueError
        engine = zlib.decompressobj()
        raw = engine.decompress(base64.urlsafe_b64decode(packed + "=" * (-len(packed) % 4)), LARGEST)
        data = json.loads(raw) if engine.eof else None
    except (ValueError, binascii.Error, zlib.error, RecursionError):
        data = None
    if not isinstance(data, dict):
        raise refuse("", "the shared text does not contain a mechanism", f"it begins with {PREFIX}, copy all of it")
    return Document(data)
