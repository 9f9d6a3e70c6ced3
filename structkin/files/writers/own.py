"""The mechanism file: TOML or JSON, which reads back as the same mechanism, bit for bit."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from structkin.files.writers.toml_text import toml_text
from structkin.model.entry import SECTIONS
from structkin.model.mechanism import Mechanism
from structkin.model.written_pose import described
from structkin.show.files import whole_file

#: Sections that a file has even if they are empty.
NEEDED = ("points", "links")

_HEAD = ("title", "format", "notes", "units", "duration")


def write_own(mechanism: Mechanism, path: Path) -> tuple[()]:
    """Write a mechanism as .toml or .json; raise `InputError`, and leave no partial file, if it cannot be written."""
    data = own_sections(mechanism)
    toml = toml_text(data)  # JSON holds no more
    text = toml if path.suffix.lower() == ".toml" else json.dumps(data, indent=1, ensure_ascii=False) + "\n"
    with whole_file(path) as file:
        file.write(text)
    return ()


def own_sections(mechanism: Mechanism) -> dict[str, Any]:
    """Return the sections that a mechanism was built from, in the order of a file.

    A mechanism in another assembly has its pose as well.

    >>> arm = Mechanism("Arm", points={"A": (0, 0), "B": (1, 0)}, links={"ground": ("A",), "bar": ("A", "B")})
    >>> own_sections(arm)
    {'title': 'Arm', 'points': {'A': [0, 0], 'B': [1, 0]}, 'links': {'ground': ['A'], 'bar': ['A', 'B']}}
    """
    source = described(mechanism)
    order = dict.fromkeys((*_HEAD, *SECTIONS))
    return {name: source[name] for name in order if source.get(name) not in (None, "", {}, [], ()) or name in NEEDED}
