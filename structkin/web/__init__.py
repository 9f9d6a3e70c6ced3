"""The web view: a bundle built from `src/` and kept in `dist/`, and pages that hold it.

The bundle shows a model (a mapping of names to plain data, see `structkin.show.view`) in an element of a page. It needs
no network: what it shows, the page or the host that it talks to gives it. After a change of `src/`, `npm ci` and
`npm run build` in this folder make it anew; `.ci/run` compares.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from html import escape
from pathlib import Path
from typing import Any

#: A script and a style sheet for each host: `structkin` for pages, `studio`, and `widget` for notebooks.
DIST = Path(__file__).parent / "dist"

_PAGE = """<!doctype html>
<html lang="{language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="generator" content="structkin">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; script-src 'unsafe-inline'; \
style-src 'unsafe-inline'; img-src data: blob:">
<title>{title}</title>
<link rel="icon" href="data:,">
<style>{styles}</style>
</head>
<body>
<noscript>This page needs JavaScript; it loads nothing from anywhere.</noscript>
<div id="view"></div>
<script type="application/json" id="model">{model}</script>
<script type="module">{script}</script>
<script type="module">
const data = JSON.parse(document.getElementById("model").textContent);
structkin.render({{ model: {{ get: (name) => data[name] }}, el: document.getElementById("view") }});
</script>
</body>
</html>
"""


def script(host: str = "structkin") -> str:
    """Return the text of a host's script, an ES module.

    >>> "structkin" in script(), len(script("widget")) < len(script()) / 2
    (True, True)
    """
    return (DIST / f"{host}.js").read_text(encoding="utf-8")


def styles(host: str = "structkin") -> str:
    """Return the text of a host's style sheet.

    >>> ".sk" in styles()
    True
    """
    return (DIST / f"{host}.css").read_text(encoding="utf-8")


def page(model: Mapping[str, Any], title: str, language: str = "en") -> str:
    """Return a page of HTML that shows the model and makes no request; it opens from disk.

    The page forbids itself all requests by its content security policy. Raises `ValueError` where a number of the
    model is not finite: JSON has none of these, and `None` stands for what is unknown.

    >>> page({"view": {}}, "A < B").count("A &lt; B")
    1
    """
    data = json.dumps(model, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return _PAGE.format(
        language=escape(language),
        title=escape(title),
        styles=styles(),
        script=script(),
        model=data.replace("<", "\\u003c"),
    )
