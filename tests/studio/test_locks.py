"""Locked lengths: a typed place that they do not allow is refused, with their names."""

from __future__ import annotations

import pytest

import structkin as sk
from structkin.examples import path
from structkin.studio import commands
from structkin.studio.document import Document
from structkin.studio.files import MechanismFile

SLIDER_CRANK = MechanismFile(path("slider_crank_offset")).read()


def typed(document: Document, point: str, x: float, y: float) -> Document:
    return commands.read({"op": "move_point", "point": point, "at": [x, y], "typed": True}).apply(document)


def test_a_typed_place_that_locks_forbid_is_refused():
    b, lengths = SLIDER_CRANK.known_place("B"), SLIDER_CRANK.section("lengths")
    for at in ((-1, b.imag), (b.real, -1)):
        with pytest.raises(sk.InputError) as caught:
            typed(SLIDER_CRANK, "B", *at)
        (problem,) = caught.value.problems
        for key in lengths:
            assert (f"{key} = {lengths[key]:g} mm" in problem.message) == ("B" in key.split("-"))
        assert "unlock" in problem.hint


def test_a_typed_place_on_its_circle_is_taken_as_it_is():
    free = commands.read({"op": "set_length", "first": "B", "second": "C", "length": None}).apply(SLIDER_CRANK)
    for key in [key for key in free.section("lengths") if key != "A-B"]:
        free = commands.read({"op": "set_length", "first": key[0], "second": key[2], "length": None}).apply(free)
    a, r = free.known_place("A"), free.section("lengths")["A-B"]
    assert typed(free, "B", a.real, a.imag + r).place("B") == a + 1j * r
    with pytest.raises(sk.InputError, match="A-B"):
        typed(free, "B", a.real, a.imag + 1.01 * r)
