"""A griffe extension: it fences the examples in our docstrings, so that the site shows them as code."""

import re
from typing import Any

import griffe

EXAMPLE = re.compile(r"^>>> .*(?:\n(?!\s*$).*)*", re.MULTILINE)


class FencedDoctests(griffe.Extension):
    """Fences each block that begins with a prompt."""

    def on_object(self, *, obj: griffe.Object, **_: Any) -> None:
        """Fence the examples of one class, function or attribute."""
        if obj.docstring:
            obj.docstring.value = EXAMPLE.sub(r"```pycon\n\g<0>\n```", obj.docstring.value)
