"""Merging, deleting and renaming: what depends on an entry follows it."""

from __future__ import annotations

import math
from typing import Any

import pytest

import structkin as sk
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


def test_a_driver_goes_with_the_pin_that_it_turns():
    for section, name in (("points", "B"), ("links", "crank")):
        rest = do(CRANK_ROCKER, {"op": "delete", "section": section, "name": name})
        assert set(rest.data["links"]) == {"ground", "coupler", "rocker"}
        assert "drivers" not in rest.data
        assert "one link only" not in str(check(rest).problems)
    kept = do(CRANK_ROCKER, {"op": "delete", "section": "points", "name": "P"})
    assert kept.data["drivers"] == CRANK_ROCKER.data["drivers"]


def test_a_pin_that_gets_a_third_link_keeps_the_two_that_its_driver_turned():
    motor = {"joint": "D", "speed": "60 rpm", "links": ["ground", "crank"]}
    merged = do(CRANK_ROCKER, {"op": "merge_points", "keep": "D", "drop": "A"})
    assert merged.data["drivers"]["motor"] == motor and not any("add links" in p.hint for p in check(merged).problems)
    for more in ({"op": "add_link", "points": ["A", [50, 90]]}, {"op": "attach", "point": "A", "link": "coupler"}):
        document = do(CRANK_ROCKER, more)
        assert document.data["drivers"]["motor"] == {**motor, "joint": "A"}
    load = {"type": "friction", "joint": "B", "limit": 0.2}
    document = do(CRANK_ROCKER, {"op": "put", "section": "forces", "entry": load, "name": "rub"},
                  {"op": "add_link", "points": ["B", [50, 90]]})  # fmt: skip
    assert document.data["forces"]["rub"]["links"] == ["crank", "coupler"]
    assert document.data["drivers"] == CRANK_ROCKER.data["drivers"]


@pytest.mark.parametrize("section", ["points", "links", "drivers"])
@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("", "s: the name is empty"),
        ("a-b", "cannot contain '-'"),
        ("12,5", "cannot contain ','"),
        (" a", "space"),
        ("ground", "reserved"),
        ("__proto__", "reserved"),
    ],
)
def test_a_name_that_no_file_may_have_is_refused_at_once(section: str, name: str, why: str):
    old = {"points": "B", "links": "crank", "drivers": "motor"}[section]
    with pytest.raises(sk.InputError, match=why):
        do(CRANK_ROCKER, {"op": "rename", "section": section, "name": old, "to": name})
    assert do(CRANK_ROCKER, {"op": "rename", "section": section, "name": old, "to": "Größe 1"}) != CRANK_ROCKER


@pytest.mark.parametrize("value", [None, math.inf, -math.inf, math.nan, [0, None], [{"over": math.inf}]])
def test_an_entry_with_an_infinite_number_is_refused(value: Any):
    for section, name in (("drivers", "motor"), ("joints", "gear")):
        with pytest.raises(sk.InputError, match=rf"{section}.{name}.speed[.\w]*: must be a finite number"):
            do(CRANK_ROCKER, {"op": "put", "section": section, "name": name, "entry": {"joint": "A", "speed": value}})
