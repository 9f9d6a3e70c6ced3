"""Searches for mechanisms in the studio: their messages, what they find, and what ends them."""

from __future__ import annotations

import base64
import math
import time
from typing import Any

import numpy as np
import pytest
from talk import Tab, opened

import structkin as sk
from structkin.studio import finding, wishes
from structkin.studio.document import Document
from structkin.studio.history import History
from structkin.studio.session import Session

#: A crank-rocker in mm and degrees; its point P draws the path that is wished.
ROCKER: dict[str, Any] = {
    "title": "Known",
    "units": {"length": "mm", "angle": "deg"},
    "points": {"A": [0, 0], "B": [20, 0], "C": [50, 70], "D": [80, 0], "P": [30, 50], "Z": [500, 500]},
    "links": {"ground": ["A", "D"], "crank": ["A", "B"], "coupler": ["B", "C", "P"], "rocker": ["C", "D"]},
    "drivers": {"motor": {"joint": "A", "speed": "10 rpm"}},
}
#: Three positions of a hatch in mm and degrees.
HATCH = [[0, 0, 0], [250, 300, 40], [700, 350, 86]]


def session(**changed: Any) -> Session:
    return Session(History(Document({**ROCKER, **changed})))


def wish(**parts: Any) -> dict[str, Any]:
    """Return a wish for the path that P draws, timed, so that the search needs few starts."""
    turns = np.radians([0, 20, 40, 60, 80])
    places = 1e3 * sk.Mechanism.from_dict(without_stray()).solve(drivers={"motor": turns}).position("P")
    return {
        "aim": "path", "points": places.tolist(), "timing": np.degrees(turns).tolist(), "kinds": ["four-bar"],
        "budget": 3000, **parts,
    }  # fmt: skip


def without_stray() -> dict[str, Any]:
    return {**ROCKER, "points": {name: place for name, place in ROCKER["points"].items() if name != "Z"}}


def result(tab: Tab, **parts: Any) -> dict[str, Any]:
    """Return what a search has found at its end."""
    found = tab.ask("find", "found", wish=parts)
    while not found["ended"]:
        found = tab.next()
    return found


def refusal(found: list[Any]) -> str:
    assert [one["type"] for one in found] == ["refused"]
    return "; ".join(f"{one['key']}: {one['message']}; {one['hint']}" for one in found[0]["problems"])


def test_candidates_for_a_path_pass_it_and_become_the_drawing_which_undo_brings_back():
    own = session()
    with opened(own) as tab:
        asked = wish(pivots=["A"])
        found = result(tab, **asked)
        assert not found["failure"] and found["part"] == 1 and found["cards"]
        best = found["cards"][0]
        assert best["title"] == "four-bar" and best["error"] < 0.01 and best["circuits"] in (1, 2) and best["words"]
        state = tab.ask("take", "state", id=best["id"])
        assert state["undo"] and not state["saved"] and state["document"]["units"] == ROCKER["units"]
        # a second road: the taken document is solved on its own, at the crank angles of the wish
        motion = sk.Mechanism.from_dict(state["document"])
        own_turns = motion.solve(samples=2).drivers["motor"][0]
        turned = own_turns[0] + np.sign(own_turns[1] - own_turns[0]) * np.radians(asked["timing"])
        places = 1e3 * motion.solve(drivers={"motor": turned}).position("P")
        assert np.abs(places - np.array(asked["points"])).max() < 0.01
        assert min(math.hypot(*state["document"]["points"][name]) for name in "AD") < 1e-6
        assert tab.ask("undo", "state")["document"] == {**ROCKER}
        # the cards stay after the change, so that another one can be taken
        assert tab.ask("take", "state", id=found["cards"][-1]["id"])["document"]["title"] == "Four-bar"


def test_notes_are_in_the_unit_of_the_drawing():
    """A slider-crank has no second pivot: nothing is found, which is said at once."""
    found = session().handle({"type": "find", "wish": wish(kinds=["slider-crank"], pivots=["A", "D"], longest=90)})[0]()
    assert found["cards"] == [] and "no link longer than 90 mm" in found["notes"][1]


@pytest.mark.full
def test_candidates_are_seen_while_the_search_goes_on_and_are_sent_once(monkeypatch: pytest.MonkeyPatch):
    """Every look that is not the first of a version leaves the cards out."""
    begun, go_on = [], []
    own = session()

    def synthesise(**given: Any) -> Any:
        given["progress"](0.25)
        found = synthesise_at_once(**given)
        given["watch"](found[:1])
        begun.append(True)
        while not go_on:
            time.sleep(0.01)
        return found

    synthesise_at_once = sk.synthesise
    monkeypatch.setattr(sk, "synthesise", synthesise)
    with opened(own) as tab:
        tab.ask("find", "found", wish=wish())
        while not begun:
            time.sleep(0.01)
        early = tab.ask("look", "found", seen=None)
        assert len(early["cards"]) == 1 and not early["ended"]
        assert "cards" not in tab.ask("look", "found", seen=early["version"])
        # the mechanism is driven and changed in the meantime
        assert tab.ask("turn", "pose", driver="motor", to=10, seq=1)["drivers"]["motor"] == pytest.approx(10)
        assert tab.ask("edit", "state", command={"op": "set_head", "key": "title", "value": "Other"})["revision"] == 1
        go_on.append(True)
        while not (last := tab.next())["ended"]:
            pass
        assert last["type"] == "found" and last["cards"][0]["circuits"] and last["version"] > early["version"]


def test_a_search_that_is_stopped_keeps_what_it_has_found_and_ends_soon():
    with opened(session()) as tab:
        tab.ask("find", "found", wish={**wish(), "timing": None, "budget": 500_000, "seed": 3})
        found = tab.ask("stop", "found")
        assert found["stopped"]
        until = time.monotonic() + 60
        while not found["ended"] and time.monotonic() < until:
            found = tab.next()
        assert found["ended"] and not found["failure"]


def test_a_search_that_ends_late_is_not_taken_for_the_one_that_followed():
    own = session()
    first, _ = own.handle({"type": "find", "wish": wish()})
    positions = {"aim": "positions", "positions": HATCH, "kinds": ["four-bar"]}
    second, _ = own.handle({"type": "find", "wish": positions})
    assert callable(first) and callable(second)
    late = first()
    assert late["aim"] == "positions" and not late["ended"] and not late["cards"]
    assert second()["cards"]


def test_a_tab_that_goes_ends_the_search():
    own = session()
    with opened(own) as tab:
        tab.ask("find", "found", wish={**wish(), "timing": None, "budget": 500_000, "seed": 4})
    assert own._search is not None and own._search.stopped and own._search.ended


def test_positions_are_met_by_a_body_that_becomes_the_drawing():
    with opened(session()) as tab:
        found = result(tab, aim="positions", positions=HATCH, kinds=["four-bar"], pivots=[])
        best = found["cards"][0]
        assert best["error"] < 1e-6 and not best["defects"] and best["point"] == "P"
        document = tab.ask("take", "state", id=best["id"])["document"]
        motion = sk.Mechanism.from_dict(document).solve(samples=20001)
        turns = np.degrees(np.unwrap(motion.angle("body")))
        for x, y, angle in HATCH:
            away = np.linalg.norm(1e3 * motion.position("P") - (x, y), axis=1)
            assert away.min() < 0.1 and turns[away.argmin()] - turns[0] == pytest.approx(angle, abs=0.02)


def test_numbers_of_the_drawing_become_better_by_what_is_wished():
    """The stroke of a rocker; what is not part of the mechanism stays, and one change is undone."""
    wanted = {"measure": "stroke", "of": "rocker", "wanted": 40}
    parameters = {"lengths.A-B": [10, 30]}
    with opened(session()) as tab:
        found = result(tab, aim="better", parameters=parameters, objective=wanted, samples=37, evaluations=60)
        before, after = found["cards"]
        assert after["value"] < 1e-9 < before["value"] and found["notes"]
        (old, new) = after["numbers"]["lengths.A-B"]
        assert old == pytest.approx(20) and 10 < new < 30
        document = tab.ask("take", "state", id=after["id"])["document"]
        assert document["points"] == ROCKER["points"] and document["lengths"] == {"A-B": new}
        kept = {**document, "points": without_stray()["points"]}
        turns = np.radians(np.linspace(0, 360, 37))
        swing = sk.Mechanism.from_dict(kept).solve(drivers={"motor": turns}).angle("rocker")
        assert np.degrees(np.ptp(swing)) == pytest.approx(40, abs=1e-3)
        assert "lengths" not in tab.ask("undo", "state")["document"]


def test_a_peak_may_be_wished():
    """Of the height of P: it is least at an end of the bounds."""
    wanted = {"measure": "coordinate", "point": "P", "axis": "y", "peak": True}
    with opened(session()) as tab:
        found = result(
            tab, aim="better", parameters={"lengths.A-B": [18, 22]}, objective=wanted, samples=13, evaluations=30
        )
    heights = sk.Mechanism.from_dict(without_stray()).solve(13).position("P")[:, 1]
    assert found["cards"][0]["value"] == pytest.approx(np.abs(heights).max() ** 2)
    assert found["cards"][1]["value"] < found["cards"][0]["value"] and "at their bounds" in found["notes"][0]


def test_a_drawing_that_has_changed_is_not_replaced_by_an_older_improvement():
    wanted = {"measure": "stroke", "of": "rocker", "wanted": 40}
    own = session()
    with opened(own) as tab:
        found = result(
            tab, aim="better", parameters={"lengths.A-B": [10, 30]}, objective=wanted, samples=13, evaluations=3
        )
        tab.ask("edit", "state", command={"op": "set_head", "key": "title", "value": "Other"})
        assert "changed since" in refusal(own.handle({"type": "take", "id": found["cards"][1]["id"]}))


BAD: list[tuple[dict[str, Any], str]] = [
    ({}, "this change cannot be read"),
    ({"aim": "dream"}, "this change cannot be read"),
    ({**wish(), "points": [[0, "x"]]}, "points: must be a number"),
    ({**wish(), "pivots": ["Q"]}, "points.Q: there is no such point"),
    ({**wish(), "points": [[0, 0], [1, 1]], "timing": None}, "path: has 2 points; give at least three"),
    ({**wish(), "kinds": ["eight-bar"]}, "kinds: 'eight-bar' is unknown"),
    ({**wish(), "region": [[0, 0], [0, 9]]}, "region: has no width or no height"),
    ({**wish(), "budget": 1e9}, "budget: must be a number from -1e12 to 1e12"),
    ({"aim": "positions", "positions": HATCH[:1], "kinds": ["four-bar"]}, "positions: are fewer than two"),
    ({"aim": "positions", "positions": HATCH * 2, "kinds": ["four-bar"]}, "must have at most 5 entries"),
    ({"aim": "better", "parameters": {}, "objective": {"measure": "extent"}}, "names no parameter"),
    (
        {"aim": "better", "parameters": {"lengths.A-B": [30, 10]}, "objective": {"measure": "extent"}},
        "parameters.lengths.A-B: the bounds 30 mm and 10 mm are reversed",
    ),
    (
        {"aim": "better", "parameters": {"lengths.A-B": [10, 30]}, "objective": {"measure": "beauty"}},
        "'beauty' is not a measure",
    ),
    (
        {
            "aim": "better", "parameters": {"lengths.A-B": [10, 30]},
            "objective": {"measure": "path", "point": "P", "csv": "/etc/passwd"},
        },
        "a file cannot be named here",
    ),
]  # fmt: skip


@pytest.mark.parametrize("case", range(len(BAD)))
def test_a_wish_that_cannot_be_met_says_why_in_a_sentence(case: int):
    """Either at once, or where the search itself finds it."""
    asked, words = BAD[case]
    own = session()
    answers = own.handle({"type": "find", "wish": asked})
    if callable(answers[0]):
        found = answers[0]()
        assert words in found["failure"] and not found["cards"] and found["ended"]
    else:
        assert words in refusal(answers)


def test_an_improvement_needs_a_mechanism_that_is_driven():
    own = session(drivers={})
    objective = {"measure": "extent"}
    asked = {"aim": "better", "parameters": {"lengths.A-B": [10, 30]}, "objective": objective}
    assert "drive what moves freely" in refusal(own.handle({"type": "find", "wish": asked}))


def test_a_card_of_another_search_or_none_is_not_taken():
    own = session()
    for id in (0, "0", None, -1, True):
        assert "not known any more" in refusal(own.handle({"type": "take", "id": id}))


@pytest.mark.parametrize(
    ("text", "points", "angles"),
    [
        ("x,y\n1,2\n3,4\n5,6\n", [[1, 2], [3, 4], [5, 6]], None),
        ("x [m];y [m]\n0,001;0,002\n0,003;0,004\n", [[1, 2], [3, 4]], None),
        ("x [mm],y [mm],angle [rad]\n1,2,0\n3,4,1\n", [[1, 2], [3, 4]], [0, math.degrees(1)]),
        ("x,y,angle\n1,2,10\n3,4,20\n", [[1, 2], [3, 4]], [10, 20]),
    ],
)
def test_a_table_of_points_comes_in_the_units_of_the_drawing(text: str, points: Any, angles: Any):
    data = base64.b64encode(text.encode()).decode()
    (found,) = session().handle({"type": "points", "name": "path.csv", "data": data})
    assert found["points"] == pytest.approx(np.array(points))
    assert found["angles"] == (None if angles is None else pytest.approx(angles))


@pytest.mark.parametrize(
    ("data", "words"),
    [(base64.b64encode(b"hello").decode(), "expected two columns"), ("%", "did not arrive completely"), ("", "empty")],
)
def test_a_table_that_cannot_be_read_is_refused_in_words(data: str, words: str):
    assert words in refusal(session().handle({"type": "points", "name": "path.csv", "data": data}))


def test_the_laws_of_a_candidate_are_in_the_units_of_its_document():
    """Its law is in degrees; the drawing was in radians."""
    found = sk.synthesise_positions([[0, 0, 0], [0.25, 0.3, 0.7], [0.7, 0.35, 1.5]], kinds=["four-bar"], count=1)
    document = finding.drawing(found[0].mechanism, Document({**ROCKER, "units": {"length": "mm", "angle": "rad"}}))
    assert document.data["units"] == {"length": "mm", "angle": "deg"}
    same = sk.Mechanism.from_dict(document.data).solve(samples=5)
    assert same.position("P") == pytest.approx(found[0].mechanism.solve(samples=5).position("P"), abs=1e-9)


def test_every_kind_and_wish_is_read():
    for name in ("four-bar", "Watt I", "geared five-bar"):
        assert wishes.read(wish(kinds=[name])).kinds == [name]
