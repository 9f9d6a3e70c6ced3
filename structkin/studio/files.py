"""The one file of a studio: read when it opens, written only on Save, with its comments kept."""

from __future__ import annotations

import base64
import codecs
import json
import re
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import tomlkit
from tomlkit.exceptions import TOMLKitError
from tomlkit.items import AbstractTable

from structkin.errors import InputError
from structkin.files import read
from structkin.files.writers.toml_text import inline, toml_text
from structkin.model.file import SUFFIXES, load_data
from structkin.model.units import Units
from structkin.show.files import whole_file
from structkin.studio.document import Document, refuse


@dataclass
class MechanismFile:
    """A mechanism file that exists, or that Save will create; `text` is its content when it was last read or written.

    Raises `InputError` if it cannot be read.
    """

    path: Path
    text: str | None = field(init=False, default=None)

    def read(self) -> Document:
        """Return its contents, or an empty document in mm and degrees if there is no file yet."""
        if self.path.suffix.lower() not in SUFFIXES:
            raise refuse(str(self.path), "is not a mechanism file", "its name ends in .toml or .json")
        if not self._is_there():
            self.text = None
            head = {"title": self.path.stem.replace("_", " "), "units": {"length": "mm", "angle": "deg"}}
            return Document({**head, "points": {}, "links": {}})
        document = Document(load_data(self.path))
        self.text = self._found()
        return document

    def save(self, document: Document, *, overwrite: bool = False) -> None:
        """Write a document; raise `InputError` if that fails, or if the file has changed since it was read."""
        if self._is_there() and not self.path.is_file():
            raise refuse(str(self.path), "is not a file any more", "move it away, or download the mechanism")
        if not overwrite and self._found() != self.text:
            raise refuse(str(self.path), "has changed on the disk since it was opened", "save again to overwrite it")
        is_json = self.path.suffix.lower() == ".json"
        text = json.dumps(document.data, indent=2, ensure_ascii=False) + "\n" if is_json else toml(document, self.text)
        with whole_file(self.path) as file:
            file.write(text)
        self.text = text

    def _is_there(self) -> bool:
        try:
            self.path.stat()
        except (FileNotFoundError, NotADirectoryError):
            return False
        except OSError as error:
            raise self._unreadable(error) from None
        return True

    def _found(self) -> str | None:
        """Return the text on the disk, None if there is no file; what cannot be decoded is replaced."""
        try:
            raw = self.path.read_bytes()
            wide = raw.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
            return self.path.read_text(encoding="utf-16" if wide else "utf-8-sig", errors="replace")
        except FileNotFoundError:
            return None
        except OSError as error:
            raise self._unreadable(error) from None

    def _unreadable(self, error: OSError) -> InputError:
        return refuse(str(self.path), f"cannot be read: {error.strerror}", "choose another file")


def opened(name: str, data: str) -> tuple[Document, tuple[str, ...]]:
    """Return the document of a file that the browser has opened, in base64, and notes as from `structkin.files.read`.

    Raises `InputError` if it cannot be read.
    """
    stem, dot, suffix = name.rpartition(".")
    plain = re.sub(r"[^\w -]", "_", stem if dot else suffix)[:60] or "mechanism"
    with _arrived(f"{plain}.{re.sub(r'[^A-Za-z0-9]', '', suffix)[:12]}" if dot else plain, name, data) as file:
        sections, notes = read(file)
    return Document(sections), notes


def points_in(name: str, data: str, units: Units) -> tuple[list[list[float]], list[float] | None]:
    """Return the points of a table that the browser has opened, in base64, and their angles if it has such a column.

    Numbers are in the units given, unless the titles of the table say others. Raises `InputError` if it cannot be read.
    """
    from structkin.design.points_file import read_points

    with _arrived("points.csv", name, data) as file:
        points, angles, unit = read_points(file, units.length, units.angle)
    points = points * (Units(length=unit).length_scale / units.length_scale)
    return points.tolist(), None if angles is None else (angles / units.angle_scale).tolist()


@contextmanager
def _arrived(plain: str, name: str, data: str) -> Iterator[Path]:
    """Give a file from the browser, in base64, a place and a plain name for a while."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, plain)
        try:
            file.write_bytes(base64.b64decode(data, validate=True))
        except ValueError:
            raise refuse(name, "the file did not arrive completely", "open it again") from None
        yield file


def toml(document: Document, before: str | None = None) -> str:
    """Return a document as TOML; lines and comments of the text `before` are kept where they still apply.

    >>> print(toml(Document({"points": {"A": [0, 2]}}), "# pins\\n[points]\\nA = [0, 1]   # frame\\n"))
    # pins
    [points]
    A = [0, 2]   # frame
    <BLANKLINE>
    """
    if before is None:
        return toml_text(document.data)
    try:
        text = tomlkit.parse(before)
    except TOMLKitError:
        return toml_text(document.data)
    _update(text, document.data, top=True)
    return tomlkit.dumps(text)


def _update(old: Any, new: Mapping[str, Any], *, top: bool = False) -> None:
    """Give a TOML table the contents of another table, changing as little of it as possible."""
    for key in [key for key in old if key not in new]:
        del old[key]
    for key, value in new.items():
        present = old.get(key)
        if key in old and isinstance(present, AbstractTable) and isinstance(value, Mapping):
            _update(present, value)
        elif key not in old:
            short = not top or not isinstance(value, Mapping) or key == "units"
            # A new top-level key is put before the first section.
            old.add(key, _item(key, value) if short else _section(value))
        elif _plain(present) != value:
            replacement = _item(key, value)
            if hasattr(present, "trivia"):
                replacement.trivia.comment = present.trivia.comment
                replacement.trivia.comment_ws = present.trivia.comment_ws
            old[key] = replacement


def _section(value: Mapping[str, Any]) -> Any:
    table = tomlkit.table()
    for name, entry in value.items():
        table.add(name, _item(name, entry))
    return table


def _item(key: str, value: Any) -> Any:
    """Return a value as it is written in a file: tables and lists on one line."""
    return tomlkit.value(inline(value, key))


def _plain(value: Any) -> Any:
    return value.unwrap() if hasattr(value, "unwrap") else value
