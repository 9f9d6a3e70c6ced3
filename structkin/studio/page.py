"""The page of the studio: a few lines of HTML, and the bundle that comes with structkin."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from structkin.web import DIST

_HTML = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>structkin studio</title>
<link rel="icon" href="/icon.svg">
</head>
<body>
<noscript>The studio needs JavaScript; it loads nothing from anywhere else.</noscript>
<div id="studio"><p>The studio is loading …</p></div>
<link rel="stylesheet" href="/studio.css">
<script type="module" src="/studio.js"></script>
</body>
</html>
"""

_ICON = """<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32" fill="none" stroke-linecap="round">
<path d="M5 26 11 10 25 6 27 26" stroke="#0072B2" stroke-width="3.5" stroke-linejoin="round"/>
<g fill="#fff" stroke="#1c2733" stroke-width="2">
<circle cx="5" cy="26" r="3"/><circle cx="11" cy="10" r="3"/>
<circle cx="25" cy="6" r="3"/><circle cx="27" cy="26" r="3"/>
</g></svg>
"""


def _bundled(name: str) -> Callable[[], str]:
    return lambda: (DIST / name).read_text(encoding="utf-8")


#: Files of the page itself, which anybody may read without a token: text and media type.
ASSETS: Mapping[str, tuple[Callable[[], str], str]] = {
    "/": (lambda: _HTML, "text/html; charset=utf-8"),
    "/icon.svg": (lambda: _ICON, "image/svg+xml"),
    "/studio.js": (_bundled("studio.js"), "text/javascript; charset=utf-8"),
    "/studio.css": (_bundled("studio.css"), "text/css; charset=utf-8"),
}
