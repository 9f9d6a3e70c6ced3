"""Readers of files of other tools, one module per format: text in, sections of a mechanism file and notes out."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from structkin.files.readers import (
    linkage,
    motiongen,
    pmks_json,
    pmks_text,
    pmksplus,
    pmksplus_packed,
    pyslvs,
    pyslvs_yaml,
)
from structkin.files.readers.address import holds
from structkin.files.readers.imported import Imported
from structkin.model.file import LONGEST_FILE

#: What a text or an address of a format looks like.
_LISTS = re.compile(r"(^|&)j=")
_MECH = re.compile(r"(^|&)mech=")
_PACKED = re.compile(r"^[\w-]*\.[\w,-]*\.[\w,-]*\.\w*\.\S")
_LINE = re.compile(
    r"^[ \t]*\w[^=:;\n]*[, \t](R|P|RP|G)(\s*,\s*-?[\d.]+|([ \t]+-?[\d.]+){2})", re.IGNORECASE | re.MULTILINE
)
_EXPRESSION = re.compile(r"\s*(#[^\n]*\n\s*)*M\s*\[")

#: The number of characters that are examined.
START = 4000


def _has_joint(text: str) -> bool:
    """Return whether a text has a line of PMKS; an address of PMKS+ may contain what looks like one."""
    return _LINE.search(text[:START]) is not None and not holds(text, _PACKED)


@dataclass(frozen=True)
class Reader:
    """A format: its tool, its own suffix, what its text looks like, and the function that reads it.

    The function raises `Flaw` if the text is not of this format at all, or longer than `longest` characters; other
    errors are listed in its result.
    """

    tool: str
    suffix: str
    looks: Callable[[str], bool]
    read: Callable[[str], Imported]
    longest: int = 2**18


READERS = (
    Reader("Linkage", ".linkage2", lambda text: "<linkage2" in text[:START], linkage.read, LONGEST_FILE),
    Reader("PMKS", "", lambda text: text.lstrip()[:1] == "{" and '"TypeOfJoint"' in text, pmks_json.read, LONGEST_FILE),
    Reader(
        "MotionGen",
        ".motiongen",
        lambda text: '"jointIds"' in text and '"mechanism"' in text,
        motiongen.read,
        LONGEST_FILE,
    ),
    Reader("Pyslvs", ".pyslvs", lambda text: "pyslvs_ver" in text and "M[" in text, pyslvs_yaml.read),
    Reader("Pyslvs", "", lambda text: _EXPRESSION.match(text[:START]) is not None, pyslvs.read),
    Reader("PMKS+", "", lambda text: holds(text, _LISTS), pmksplus.read),
    Reader("PMKS+", "", lambda text: holds(text, _PACKED), pmksplus_packed.read),
    Reader(
        "PMKS", ".pmks", lambda text: "mech=" in text[:START] or holds(text, _MECH) or _has_joint(text), pmks_text.read
    ),
)


def reader_of(suffix: str, text: str) -> Reader | None:
    """Return the reader of a file: the first one whose format the text looks like, or else by its suffix.

    >>> reader_of(".linkage2", "").tool, reader_of(".txt", "M[J[R, P[0, 0], L[ground, a]]]").tool
    ('Linkage', 'Pyslvs')
    >>> reader_of(".json", '{"points": {}, "links": {}}')
    """
    own = [reader for reader in READERS if suffix and reader.suffix == suffix]
    looking = [reader for reader in (*own, *READERS) if reader.looks(text)]
    return next(iter((*looking, *own)), None)
