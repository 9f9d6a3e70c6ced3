"""Merging, deleting and renaming: what depends on an entry follows it."""

from __future__ import annotations

from typing import Any

from structkin.examples import path
from structkin.studio import commands
from structkin.studio.check import check
from structkin.studio.document import Document
from structkin.studio.files import MechanismFile


def do(document: Document, *messages: dict[str, Any]) -> Document:
    for message in messages:
        document = commands.read(message).apply(document)
    return document


def example(name: str) -> Document:
    return MechanismFile(path(name)).read()


CRANK_ROCKER = example("crank_rocker")


def test_merged_points_keep_the_length_of_the_one_that_stays():
    merged = do(CRANK_ROCKER, {"op": "merge_points", "keep": "C", "drop": "P"})
    assert merged.data["lengths"] == {"A-B": 40, "B-C": 120, "C-D": 80} and not check(merged).problems
    other = do(CRANK_ROCKER, {"op": "set_length", "first": "C", "second": "P", "length": None},
               {"op": "set_length", "first": "B", "second": "C", "length": None},
               {"op": "merge_points", "keep": "C", "drop": "P"})  # fmt: skip
    assert other.data["lengths"] == {"A-B": 40, "C-D": 80, "B-C": 70}
