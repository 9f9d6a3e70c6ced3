"""Files of Linkage: read, moved, and checked against their raw text."""

import re

import numpy as np
import pytest
from check_linkage import UNIT, raw_errors
from foreign_samples import ANCHOR, CRANK, LINKAGE, connector, drawing, link, ratio
from hypothesis import given, settings
from hypothesis import strategies as st

import structkin as sk
from structkin.files.readers.linkage import read

CLOSE = 1e-9


def loaded(text):
    found = read(text)
    assert not found.problems, found.problems
    return sk.Mechanism.from_dict(found.sections), found


@pytest.mark.parametrize("name", LINKAGE)
def test_it_moves_as_in_its_raw_text(name, tmp_path):
    path = tmp_path / "drawing.linkage2"
    path.write_text(LINKAGE[name], encoding="utf-8")
    motion = sk.load(path).solve(samples=181)
    assert motion.ok.all(), motion.report
    errors = raw_errors(LINKAGE[name], motion)
    assert max(errors.values()) < CLOSE, errors
    assert motion.mechanism.title == "drawing"


WRONG = [
    ("a four-bar in inches, with a drawing, and a link between anchors", 'rpm="-15"', 'rpm="15"', "inputs"),
    ("a four-bar in inches, with a drawing, and a link between anchors", 'x="180"', 'x="181"', "bars"),
    ("a slot along an arc, its centre on the left", 'slideradius="250"', 'slideradius="-250"', "slots"),
    ("actuators on moving links, one of them pulls first", 'cpm="-4"', 'cpm="4"', "actuators"),
    ("a gear on a moving arm, with a link fastened to it", 'type="chain"', 'type="gears"', "gears"),
    ("a train of gears", 'size="2.5"', 'size="2.4"', "gears"),
    ("an input that swings", 'startoffset="20"', 'startoffset="0"', "inputs"),
]


@pytest.mark.parametrize(("name", "before", "after", "kind"), WRONG)
def test_the_check_detects_another_file(name, before, after, kind):
    mechanism, _ = loaded(LINKAGE[name])
    other = LINKAGE[name].replace(before, after, 1)
    assert other != LINKAGE[name]
    assert raw_errors(other, mechanism.solve(samples=91))[kind] > 1e-4


def test_the_limits_of_a_slider_end_its_slot():
    text = LINKAGE["an arm with a finite slot"].replace('x="168.9" y="50.35"', 'x="45" y="30.789473684210527"')
    motion = loaded(text)[0].solve(samples=91)
    assert {int(status) for status in motion.status} == {int(sk.Status.OK), int(sk.Status.BEYOND_STROKE)}
    assert max(raw_errors(text, motion).values()) < CLOSE


def test_a_slider_without_limits_is_refused():
    text = drawing(CRANK, connector(2, 70, 40, 'slider="true"'), link(0, "0 1"), link(1, "1 2"))
    assert [str(problem) for problem in read(text).problems] == [
        "connector 2: the slider 'C' needs two limits on one link"
    ]


def test_what_was_read_is_noted():
    _, found = loaded(LINKAGE["a four-bar in inches, with a drawing, and a link between anchors"])
    notes = " | ".join(found.notes)
    for part in ("2 connectors, 1 link", "rigid parts of the ground: L3", "left hand pin"):
        assert part in notes
    assert found.sections["units"]["length"] == "in"
    assert found.points["B"] == pytest.approx([30 / 96, 40 / 96])


def test_what_cannot_be_read_is_noted():
    text = drawing(
        CRANK.replace('anchor="true"', ""),
        connector(2, 9, 9, 'fastenconnector="1"'),
        connector(5, 70, 0),
        *(link(0, "0 1"), link(1, "1 5", 'unconstrainedlength="true"'), "<spring/>"),
        program='units="Millimeters" scalefactor="2"',
    )
    notes = " | ".join(read(text).notes)
    for part in ("<spring>", "scale factor 2", "unconstrained length", "C is fastened", "on no link", "no anchor"):
        assert part in notes, part


@pytest.mark.parametrize(
    ("program", "noted"),
    [
        ('units="Feet" scalefactor="0.5"', ["the scale factor 0.5 is not", "the units 'Feet' are not understood"]),
        ('units="Furlongs"', ["the units 'Furlongs' are not understood: lengths are read as mm"]),
        ('units="Millimeters" scalefactor="1.000000"', []),
        ('units="Inches"', []),
        ("", []),
    ],
)
def test_units_and_scales_that_are_not_applied_are_noted(program, noted):
    notes = read(drawing(CRANK, link(0, "0 1"), program=program)).notes
    assert len(notes) == len(noted) and all(part in note for part, note in zip(noted, notes, strict=True)), notes


REFUSED = {
    "no XML": ("<linkage2><connector", "not XML"),
    "another root": ("<svg/>", "expected <linkage2>"),
    "entities": ('<!DOCTYPE a [<!ENTITY b "bb">]><linkage2>&b;</linkage2>', "entities"),
    "a place that is no number": (drawing(CRANK.replace('y="40"', 'y="4O"'), link(0, "0 1")), "connector 1.y"),
    "a place that is missing": (drawing(CRANK.replace('y="40"', ""), link(0, "0 1")), "coordinate is missing"),
    "no id": (drawing(CRANK.replace('id="1"', ""), link(0, "0 1")), "the id is missing"),
    "an id twice": (drawing(CRANK.replace('id="1"', 'id="0"'), link(0, "0 1")), "used twice"),
    "infinite": (drawing(CRANK.replace('y="40"', 'y="1e999"'), link(0, "0 1")), "finite"),
    "a slider without limits": (
        drawing(CRANK, connector(2, 5, 5, ">0 7"), link(0, "0 1"), link(1, "1 2")),
        "two limits",
    ),
    "gears without an arm": (
        drawing(
            CRANK,
            link(0, "0", 'gear="true"'),
            link(1, "1", 'gear="true"'),
            f"<ratios>{ratio('gears', 0, 1, 1, 1)}</ratios>",
        ),
        "no link holds",
    ),
    "a size of nothing": (
        drawing(CRANK, link(0, "0", 'gear="true"'), f"<ratios>{ratio('gears', 0, 0, 0, 1)}</ratios>"),
        "greater than zero",
    ),
    "an actuator on one link": (
        drawing(CRANK, link(0, "0 1"), link(1, "0 1", 'actuator="true" throw="2"')),
        "both ends are on L0",
    ),
    "too many": (drawing(*(connector(k, k, 0) for k in range(6000))), "at most"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_a_bad_file_is_refused_with_its_reason(name, tmp_path):
    text, reason = REFUSED[name]
    path = tmp_path / "bad.linkage2"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(sk.InputError) as caught:
        sk.load(path)
    assert reason in str(caught.value)


def test_every_problem_is_reported_at_once():
    text = drawing(CRANK.replace('x="30"', 'x="a"').replace('y="40"', 'y="b"'), connector(2, "c", 0), link(0, "0 1 2"))
    assert {problem.key for problem in read(text).problems} == {"connector 1.x", "connector 1.y", "connector 2.x"}


def test_names_in_the_code_page_of_windows_are_read(tmp_path):
    path = tmp_path / "old.linkage2"
    path.write_bytes(drawing(CRANK.replace('y="40"', 'y="40" name="Kurbelgrößt"'), link(0, "0 1")).encode("cp1252"))
    assert "Kurbelgrößt" in sk.load(path).points


numbers = st.floats(-400, 400, allow_nan=False).map(lambda x: round(x, 6))


@given(
    crank=st.floats(20, 60),
    angle=st.floats(0, 6.28),
    pivot=st.tuples(st.floats(150, 250), st.floats(-50, 50)),
    tip=st.tuples(numbers, numbers),
    rpm=st.sampled_from([15, -15, 7.5, 120]),
    inches=st.booleans(),
)
@settings(max_examples=30, deadline=None, derandomize=True)
def test_random_crank_rockers_keep_their_lengths(crank, angle, pivot, tip, rpm, inches):
    a = crank * np.exp(1j * angle)
    ground = complex(*pivot)
    c = ground / 2 + 160j
    places = [0, a, c, ground, complex(*tip)]
    text = drawing(
        connector(0, 0, 0, f'{ANCHOR} input="true" rpm="{rpm}"'),
        *(connector(k, places[k].real, places[k].imag, ANCHOR if k == 3 else "") for k in (1, 2, 3, 4)),
        *(link(7, "0 1"), link(8, "2 1 4"), link(9, "3 2")),
        program='units="Inches"' if inches else 'units="Millimeters"',
    )
    mechanism, _ = loaded(text)
    motion = mechanism.solve(samples=37)
    assert max(raw_errors(text, motion).values()) < CLOSE
    assert motion.ok.any()
    gap = motion.position("B")[0] - motion.position("A")[0]
    assert np.isclose(np.hypot(*gap), crank * UNIT, rtol=1e-12)


@given(data=st.data())
@settings(max_examples=150, deadline=None, derandomize=True)
def test_a_damaged_file_is_read_or_refused_and_nothing_else(data):
    text = data.draw(st.sampled_from(list(LINKAGE.values())))
    for _ in range(data.draw(st.integers(1, 4))):
        spots = [match.span() for match in re.finditer(r'"[^"]*"|<[^>]*>|\w+', text)]
        start, end = data.draw(st.sampled_from(spots))
        new = data.draw(
            st.sampled_from(["", '"1e308"', '"-1"', '"nan"', '"0"', "<", '"true"', "&lol;", '"é"', text[start:end] * 2])
        )
        text = text[:start] + new + text[end:]
    cut = data.draw(st.integers(0, len(text)))
    try:
        found = read(text if data.draw(st.booleans()) else text[:cut])
        if not found.problems:
            sk.Mechanism.from_dict(found.sections)
    except (sk.InputError, ValueError) as error:
        assert isinstance(error, sk.InputError) or type(error).__name__ == "Flaw", error


def test_a_link_may_begin_with_two_coincident_connectors():
    text = drawing(CRANK, connector(2, 0, 0), connector(3, 30, -40), link(0, "0 2 3 1"))
    mechanism, _ = loaded(text)
    assert mechanism.links["L0"].points == ("A", "D", "C", "B")
    assert max(raw_errors(text, mechanism.solve(samples=19)).values()) < CLOSE


spots = st.tuples(st.integers(-200, 200), st.integers(-200, 200))


@given(data=st.data())
@settings(max_examples=25, deadline=None, derandomize=True)
def test_random_chains_of_dyads_keep_their_lengths(data):
    """A crank, and dyads on any two earlier connectors: pins of three links and links of three connectors occur."""
    parts, links, known = [connector(0, 0, 0, f'{ANCHOR} input="true" rpm="6"'), connector(1, 25, 5)], ["0 1"], [1]
    for _ in range(data.draw(st.integers(1, 4))):
        id = len(parts)
        parts.append(connector(id, *data.draw(spots), ANCHOR))
        parts.append(connector(id + 1, *data.draw(spots)))
        start = data.draw(st.sampled_from(known))
        links.append(f"{start} {id + 1}")
        if data.draw(st.booleans()):
            links[-1] += f" {id + 2}"
            parts.append(connector(id + 2, *data.draw(spots)))
            known.append(id + 2)
        links.append(f"{id} {id + 1}")
        known.append(id + 1)
    text = drawing(*parts, *(link(number, own) for number, own in enumerate(links)))
    found = read(text)
    assert not found.problems
    try:
        motion = sk.Mechanism.from_dict(found.sections).solve(samples=13)
    except sk.InputError as error:
        assert "coincide" in str(error) or "singular" in str(error) or "different places" in str(error), error
        return
    assert motion.ok[0]
    assert max(raw_errors(text, motion).values()) < CLOSE


def test_a_link_that_only_marks_a_connector_is_noted(tmp_path):
    bars = [link(0, "0 1"), link(1, "1 2"), link(2, "2 3"), link(7, "1")]
    parts = [CRANK, connector(2, 180, 150), connector(3, 200, 0, ANCHOR), *bars]
    (tmp_path / "a.linkage2").write_text(drawing(*parts), encoding="utf-8")
    assert "without length, on connectors of others, so left out: L7" in sk.load(tmp_path / "a.linkage2").remarks
