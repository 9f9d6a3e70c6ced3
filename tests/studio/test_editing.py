"""Editing documents: every change can be undone, saved and opened, and none stops the studio."""

from __future__ import annotations

import base64
import math
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest
from cases import few
from hypothesis import given, settings
from hypothesis import strategies as st

import structkin as sk
from structkin.examples import names, path
from structkin.studio import commands, share
from structkin.studio.check import check
from structkin.studio.document import Document
from structkin.studio.files import MechanismFile, opened, toml
from structkin.studio.history import History
from structkin.studio.run import new_session

EMPTY = Document({"points": {}, "links": {}})


def do(document: Document, *messages: dict[str, Any]) -> Document:
    for message in messages:
        document = commands.read(message).apply(document)
    return document


def example(name: str) -> Document:
    return MechanismFile(path(name)).read()


FOUR_BAR = do(
    EMPTY,
    {"op": "add_link", "points": [[0, 0], [20, 10]]},
    {"op": "add_link", "points": ["B", [80, 50]]},
    {"op": "add_link", "points": ["C", [90, 0]]},
    {"op": "attach", "point": "A", "link": "ground"},
    {"op": "attach", "point": "D", "link": "ground"},
    {"op": "drive", "joint": "A"},
)


def test_a_four_bar_is_drawn_link_by_link():
    found = check(FOUR_BAR)
    assert found.solvable and not found.problems and found.structure is not None
    assert [group.kind for group in found.structure.groups] == ["driven R", "RRR"]
    assert FOUR_BAR.data["links"]["link2"] == ["B", "C"] and FOUR_BAR.data["drivers"]["motor"]["speed"] == "30 rpm"


def test_an_unfinished_drawing_is_kept_with_its_problems():
    document = do(EMPTY, {"op": "add_point", "at": [1, 2]})
    assert check(document).stray == ("A",) and not check(document).problems
    document = do(document, {"op": "add_link", "points": ["A", [5, 5]]})
    assert check(document).mechanism is None and check(document).problems[0].message == "no point stands still"
    found = check(do(document, {"op": "attach", "point": "A", "link": "ground"}))
    assert found.structure is not None and found.structure.missing_drivers == 1 and not found.solvable
    assert "one driver is missing" in found.problems[0].message
    wrong = do(FOUR_BAR, {"op": "put", "section": "joints", "entry": {"type": "gear", "links": ["link2", "x"]}})
    assert check(wrong).mechanism is None and check(wrong).problems[0].key.startswith("joints.gear")


LOOSE = do(FOUR_BAR, {"op": "add_link", "points": [[100, 100], [120, 100]], "name": "bar"},
           {"op": "add_link", "points": ["E", [120, 130]], "name": "other"}, {"op": "drive", "joint": "E"})  # fmt: skip


def test_loose_links_do_not_hinder_the_others():
    found = check(do(LOOSE, {"op": "drive", "joint": "A"}))
    assert found.loose == ("bar", "other") and found.solvable and not found.problems
    assert found.mechanism is not None and set(found.mechanism.links) == {"ground", "link1", "link2", "link3"}
    assert found.document.data["links"]["bar"] == ["E", "F"]
    held = do(LOOSE, {"op": "put", "section": "drivers", "entry": {"between": ["C", "F"], "speed": "1 m/s"}})
    assert not check(held).loose
    alone = check(do(EMPTY, {"op": "add_link", "points": [[0, 0], [1, 1]]}))
    assert not alone.loose and alone.problems


def test_a_link_left_with_one_point_is_deleted_unless_a_joint_needs_it():
    document = do(FOUR_BAR, {"op": "add_point", "at": [500, 0]}, {"op": "delete", "section": "points", "name": "B"})
    assert set(document.data["links"]) == {"ground", "link3"} and set(document.data["points"]) == {
        "C",
        "D",
        "A",
        "E",
    } - ({"A"} if "A" not in document.data["links"]["ground"] else set())
    slider = do(example("slider_crank_offset"), {"op": "delete", "section": "points", "name": "T"})
    assert slider.data["links"]["piston"] == ["C"] and check(slider).solvable


def test_units_are_written_into_the_file_and_numbers_stay():
    document = do(FOUR_BAR, {"op": "set_head", "key": "units", "value": {"length": "cm", "angle": "rad"}})
    assert tomllib.loads(toml(document))["units"] == {"length": "cm", "angle": "rad"}
    assert document.data["points"] == FOUR_BAR.data["points"] and document.units.length == "cm"


@pytest.mark.parametrize(
    "name", ["crank_rocker", "slider_crank_offset", "toggle_press", "platform_3rpr", "scotch_yoke"]
)
def test_the_shown_pose_becomes_the_sketch(name: str):
    session = new_session(path(name))
    before = session.state()
    driver, value = next(iter(before["drivers"].items()))
    (pose,) = session.handle({"type": "turn", "driver": driver, "to": value + 5})
    (after,) = session.handle({"type": "adopt"})
    assert not callable(pose) and not callable(after) and not after["problems"]
    assert after["sketch"]["points"] != before["sketch"]["points"] and after["undo"]
    for link, (x, y, angle) in pose["frames"].items():
        size = before["sketch"]["size"]
        assert after["frames"][link][:2] == pytest.approx((x, y), abs=1e-9 * size)
        assert math.remainder(after["frames"][link][2] - angle, 2 * math.pi) == pytest.approx(0, abs=1e-9)
    again = sk.Mechanism.from_dict(after["document"]).solve(samples=13)
    assert again.ok.all() == sk.load(path(name)).solve(samples=13).ok.all()


@pytest.mark.parametrize(("name", "key"), [("geared_five_bar", "joints.mesh"), ("excavator", "drivers.boom_cylinder")])
def test_a_sketch_that_something_refers_to_stays(name: str, key: str):
    session = new_session(path(name))
    (answer,) = session.handle({"type": "adopt"})
    assert not callable(answer) and key in [problem["key"] for problem in answer["problems"]]
    assert not session.history.past


def test_the_bearing_of_a_guide_does_not_refer_to_the_sketch():
    data = sk.load(path("slider_crank_offset")).source_dict
    data["joints"]["guide"]["length"] = "20 mm"
    session = new_session(path("slider_crank_offset"))
    session._set(session.history.then(Document(data)))
    (driver,) = session.state()["drivers"]
    session.handle({"type": "turn", "driver": driver, "to": 40})
    (after,) = session.handle({"type": "adopt"})
    assert not callable(after) and not after["problems"]
    assert after["document"]["joints"]["guide"]["length"] == "20 mm"


LOADS = {
    "push": {"type": "force", "at": "P", "value": [0, "-120 N"]},
    "cut": {"type": "force", "at": "P", "frame": "local", "value": [5, 0]},
    "brake": {"type": "moment", "on": "rocker", "value": -0.4},
    "pull": {"type": "spring", "between": ["P", "D"], "stiffness": 500, "free_length": 0.04, "actuator": "-2 kN"},
    "rub": {"type": "friction", "joint": "B", "limit": 0.2},
    "slow": {"type": "torsion", "joint": "D", "damping": 0.1, "actuator": 2},
}
TIED = {
    "later": {"type": "force", "at": "P", "law": [0, "10*t"]},
    "place": {"type": "force", "at": [1, 2], "on": "coupler", "value": [0, 1]},
    "natural": {"type": "spring", "between": ["P", "D"], "stiffness": 500},
    "coil": {"type": "torsion", "joint": "D", "stiffness": 3, "free_angle": 0.5},
    "pump": {"type": "spring", "between": ["P", "D"], "actuator": "10*sin(t)"},
    "bump": {"type": "contact", "center": "P", "radius": 1, "along": ["A", "D"], "stiffness": 1e6},
}


def test_loads_that_do_not_refer_to_the_sketch_are_kept_with_another_one():
    data = sk.load(path("crank_rocker")).source_dict
    session = new_session(path("crank_rocker"))
    session._set(session.history.then(Document({**data, "forces": LOADS})))
    before = session.state()
    session.handle({"type": "turn", "driver": "motor", "to": before["drivers"]["motor"] + 50})
    motion = session.driving.motion
    (after,) = session.handle({"type": "adopt"})
    assert not callable(after) and after["document"]["forces"] == LOADS
    sketch = sk.Mechanism.from_dict(after["document"]).solve(
        drivers={id: (z[0], 0 * z[0], 0 * z[0]) for id, z in motion.drivers.items()}
    )
    assert sketch.forces().driver("motor") == pytest.approx(motion.forces().driver("motor"), rel=1e-9)


def test_loads_that_refer_to_the_sketch_keep_it():
    data = sk.load(path("crank_rocker")).source_dict
    session = new_session(path("crank_rocker"))
    session._set(session.history.then(Document({**data, "forces": LOADS | TIED})))
    (answer,) = session.handle({"type": "adopt"})
    assert not callable(answer)
    assert [problem["key"] for problem in answer["problems"][1:]] == [f"forces.{name}" for name in TIED]


def test_the_structure_is_found_once_while_only_points_move():
    first = check(FOUR_BAR)
    second = check(do(FOUR_BAR, {"op": "move_point", "point": "C", "at": [70, 55]}), before=first)
    assert second.structure is first.structure and second.mechanism is not first.mechanism
    third = check(do(FOUR_BAR, {"op": "drive", "joint": "D"}), before=second)
    assert third.structure is not first.structure


def test_another_joint_drives_with_the_speed_of_the_previous_one():
    document = do(example("crank_rocker"), {"op": "drive", "joint": "D"})
    assert document.data["drivers"] == {"motor": {"joint": "D", "speed": "60 rpm"}}
    slider = do(example("slider_crank_offset"), {"op": "drive", "joint": "guide"})
    assert slider.data["drivers"]["motor"]["speed"].endswith("mm/s") and check(slider).solvable


@pytest.mark.parametrize("joint", [["A"], {"A": 1}, 3, True, 1.5])
def test_a_driver_of_no_joint_is_replaced(joint: Any):
    """Its entry is wrong, and is shown as that; the command that replaces it did not get over it."""
    entry = {"joint": joint, "speed": "60 rpm"}
    document = do(FOUR_BAR, {"op": "put", "section": "drivers", "name": "motor", "entry": entry})
    assert check(document).problems
    assert do(document, {"op": "drive", "joint": "D"}).data["drivers"] == {"motor": {"joint": "D", "speed": "60 rpm"}}


def test_a_point_that_is_dragged_keeps_its_given_lengths():
    document = do(example("crank_rocker"), {"op": "move_point", "point": "B", "at": [30, 40]})
    b, c = document.place("B"), document.place("C")
    assert b is not None and c is not None
    assert abs(b) == pytest.approx(40, abs=1e-9) or abs(b - c) == pytest.approx(120, abs=1e-9)
    free = do(FOUR_BAR, {"op": "move_point", "point": "B", "at": [21.23456789, 10]})
    assert free.data["points"]["B"] == [21.235, 10.0]


def test_a_length_is_typed_locked_and_freed():
    document = do(FOUR_BAR, {"op": "set_length", "first": "A", "second": "B", "length": 25})
    assert document.data["lengths"] == {"A-B": 25} and abs(document.place("B") or 0) == pytest.approx(25)
    assert "lengths" not in do(document, {"op": "set_length", "first": "B", "second": "A", "length": None}).data
    turned = do(FOUR_BAR, {"op": "set_angle", "first": "A", "second": "B", "angle": 0.5})
    assert turned.place("B") == pytest.approx(abs(20 + 10j) * complex(0.8775825618903728, 0.479425538604203))


def test_merging_two_points_makes_a_pin():
    document = do(EMPTY, {"op": "add_link", "points": [[0, 0], [1, 0]]}, {"op": "add_link", "points": [[2, 0], [3, 0]]})
    merged = do(document, {"op": "merge_points", "keep": "B", "drop": "C"})
    assert merged.data["links"] == {"link1": ["A", "B"], "link2": ["B", "D"]} and "C" not in merged.data["points"]
    with pytest.raises(sk.InputError, match="no length"):
        do(merged, {"op": "merge_points", "keep": "A", "drop": "B"})


@pytest.mark.parametrize("name", names())
def test_renaming_everything_changes_nothing_but_names(name: str):
    document, renamed = example(name), example(name)
    for section in ("points", "joints", "drivers", "forces", "links"):
        for k, old in enumerate(document.section(section)):
            if old not in ("ground", "gravity"):
                renamed = do(renamed, {"op": "rename", "section": section, "name": old, "to": f"{section[0]} {k} new"})
    one, two = (sk.Mechanism.from_dict(item.data, folder=path(name).parent) for item in (document, renamed))
    kinds = [[(group.kind, len(group.links)) for group in m.structure().groups] for m in (one, two)]
    assert kinds[0] == kinds[1] and len(one.forces.loads) == len(two.forces.loads)


@pytest.mark.parametrize("name", few(names(), 8))
def test_whatever_is_deleted_leaves_a_document_without_loose_ends(name: str):
    document = example(name)
    for section in ("points", "links", "joints", "drivers"):
        for victim in set(document.section(section)) - {"ground"}:
            rest = do(document, {"op": "delete", "section": section, "name": victim})
            messages = " ".join(str(problem) for problem in check(rest, path(name).parent).problems)
            # the rest may be incomplete, but names nothing that was deleted
            assert f"'{victim}'" not in messages or "there is no" not in messages, messages


# --- random edits -------------------------------------------------------------------------------------------

PLACES = st.tuples(st.integers(-50, 50), st.integers(-50, 50)).map(list)
POINTS, LINKS = st.sampled_from("ABCDEF"), st.sampled_from(["ground", "link1", "link2", "link3"])
SLOT = {"type": st.just("pin-in-slot"), "pin": POINTS, "slot": LINKS, "axis": st.just([1, 0])}
CYLINDER = {"between": st.tuples(POINTS, POINTS).map(list), "speed": st.just("1 m/s")}


def edit(op: str, **parts: Any) -> st.SearchStrategy[dict[str, Any]]:
    given = {name: part if isinstance(part, st.SearchStrategy) else st.just(part) for name, part in parts.items()}
    return st.fixed_dictionaries({"op": st.just(op), **given})


EDITS = st.one_of(
    edit("add_point", at=PLACES, links=st.lists(LINKS, max_size=2, unique=True)),
    edit("move_point", point=POINTS, at=PLACES),
    edit("merge_points", keep=POINTS, drop=POINTS),
    edit("attach", point=POINTS, link=LINKS),
    edit("detach", point=POINTS, link=LINKS),
    edit("add_link", points=st.lists(POINTS | PLACES, min_size=1, max_size=3)),
    edit("delete", section=st.sampled_from(["points", "links"]), name=POINTS | LINKS),
    edit("rename", section="points", name=POINTS, to=st.sampled_from(["Q", "Größe 1", "a-b"])),
    edit("drive", joint=POINTS),
    edit("put", section="joints", name="slot", entry=st.fixed_dictionaries(SLOT)),
    edit("put", section="drivers", entry=st.fixed_dictionaries(CYLINDER)),
    edit("set_length", first=POINTS, second=POINTS, length=st.sampled_from([None, 7.5])),
    edit("set_head", key="title", value=st.sampled_from(["", 'a "b" # c', "ß"])),
)


@settings(max_examples=10, deadline=None)
@given(edits=st.lists(EDITS, max_size=14))
def test_random_edits_can_be_undone_saved_shared_and_opened(edits: list[dict[str, Any]]):
    history, seen = History(FOUR_BAR), [FOUR_BAR]
    for edit in edits:
        try:
            document = commands.read(edit).apply(history.now)
        except sk.InputError:
            continue
        if document != history.now:
            seen.append(document)
        history = history.then(document)
        check(document)
    text = toml(history.now)
    assert tomllib.loads(text) == history.now.data
    assert share.opened("http://x/" + share.fragment(history.now)) == history.now
    assert tomllib.loads(toml(history.now, toml(FOUR_BAR))) == history.now.data
    last = history
    for document in reversed(seen):
        assert history.now == document
        history = history.undo()
    for _ in seen:
        history = history.redo()
    assert history.now == last.now


def test_one_stroke_is_one_step_of_undo():
    history = History(FOUR_BAR)
    for x in range(5):
        history = history.then(do(FOUR_BAR, {"op": "move_point", "point": "B", "at": [x, 9]}), stroke=3)
    assert history.undo().now == FOUR_BAR and len(history.past) == 1


# --- files --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", names())
def test_saving_an_opened_file_changes_no_character(name: str, tmp_path: Path):
    target = tmp_path / f"{name}.toml"
    target.write_bytes(path(name).read_bytes())
    file = MechanismFile(target)
    file.save(file.read())
    assert target.read_text(encoding="utf-8") == path(name).read_text(encoding="utf-8")
    assert tomllib.loads(toml(file.read())) == file.read().data


def test_comments_stay_where_they_were(tmp_path: Path):
    target = tmp_path / "bar.toml"
    target.write_text('# mine\ntitle = "x"\n[points]\nA = [0, 0]  # frame\nB = [1, 0]\n[links]\nground = ["A"]\n'
                      'bar = ["A", "B"]  # the bar\n', encoding="utf-8")  # fmt: skip
    file = MechanismFile(target)
    document = do(file.read(), {"op": "move_point", "point": "A", "at": [0.5, 0]}, {"op": "drive", "joint": "A"},
                  {"op": "set_head", "key": "duration", "value": 2.0})  # fmt: skip
    file.save(document)
    text = target.read_text(encoding="utf-8")
    assert "# mine" in text and "A = [0.5, 0.0]  # frame" in text and "# the bar" in text
    assert MechanismFile(target).read() == document and sk.load(target).duration == 2


@pytest.mark.skipif(sys.platform == "win32", reason="no links of this kind here")
def test_a_link_that_leads_to_itself_is_no_new_file(tmp_path: Path):
    loop = tmp_path / "loop.toml"
    loop.symlink_to(loop)
    with pytest.raises(sk.InputError, match=r"cannot be read: .*symbolic links; choose another file"):
        MechanismFile(loop).read()


def test_a_file_that_changed_meanwhile_is_not_overwritten_without_asking(tmp_path: Path):
    file = MechanismFile(tmp_path / "new.toml")
    assert file.read().data["title"] == "new" and not file.path.exists()
    file.save(FOUR_BAR)
    file.path.write_text("title = 'other'\n", encoding="utf-8")
    with pytest.raises(sk.InputError, match="changed on the disk"):
        file.save(EMPTY)
    assert file.path.read_text(encoding="utf-8") == "title = 'other'\n"
    file.save(FOUR_BAR, overwrite=True)
    assert MechanismFile(file.path).read() == FOUR_BAR
    as_json = MechanismFile(tmp_path / "new.json")
    as_json.read()
    as_json.save(FOUR_BAR)
    assert MechanismFile(as_json.path).read() == FOUR_BAR


def test_a_typed_position_keeps_its_digits():
    move = {"op": "move_point", "point": "B", "at": [1.23456789, 0.00012345]}
    assert do(FOUR_BAR, {**move, "typed": True}).data["points"]["B"] == [1.23456789, 0.00012345]
    assert do(FOUR_BAR, move).data["points"]["B"] != [1.23456789, 0.00012345]


def test_another_mechanism_replaces_a_file_only_when_asked_twice(tmp_path: Path):
    target = tmp_path / "mine.toml"
    target.write_text(toml(FOUR_BAR), encoding="utf-8")
    session = new_session(target)
    new = {"type": "edit", "command": {"op": "replace", "document": {"points": {}, "links": {"ground": []}}}}
    list(session.handle(new))
    (refused,) = session.handle({"type": "save"})
    assert refused["type"] == "refused" and refused["problems"][0]["hint"].startswith("save again")
    assert MechanismFile(target).read() == FOUR_BAR
    assert session.handle({"type": "save", "overwrite": True})[0]["type"] == "saved"
    assert "bar" not in target.read_text(encoding="utf-8")
    list(session.handle({"type": "undo"}))
    assert session.handle({"type": "save"})[0]["type"] == "saved"
    assert MechanismFile(target).read() == FOUR_BAR


def test_a_file_of_another_tool_opens_and_is_not_written(tmp_path: Path):
    target = tmp_path / "bar.txt"
    target.write_text("https://pmks.org/?j=A,0,0,AB,R,t,0,0,t,%0AB,1,0,AB,R,f,0,0,f,&l=AB,1,1,0,0,A,B,&s=10")
    session = new_session(target)
    assert "AB" in session.state()["document"]["links"]
    (refused,) = session.handle({"type": "save"})
    assert refused["problems"][0]["hint"] == "download the mechanism"


PMKS = b"https://pmks.org/?j=A,0,0,AB,R,t,0,0,t,%0AB,1,0,AB,R,f,0,0,f,&l=AB,1,1,0,0,A,B,&s=10"


@pytest.mark.parametrize("name", ["bar.txt", "../../bar.txt", "C:\\bar.txt", "bar"])
def test_a_file_of_another_tool_opens_in_the_page_with_notes(name: str):
    document, notes = opened(name, base64.b64encode(PMKS).decode())
    assert document.members("AB") == ["A", "B"] and "PMKS+" in notes[0]


@pytest.mark.parametrize("text", ["", "#m=", "#m=####", "#m=AAAA", "#m=eJwDAAAAAAE", "hello"])
def test_a_shared_text_that_holds_nothing_is_refused(text: str):
    with pytest.raises(sk.InputError, match="does not contain a mechanism"):
        share.opened(text)


def test_a_shared_text_that_would_fill_the_memory_is_refused():
    bomb = share.fragment(Document({"title": "x" * 2_000_000}))
    assert len(bomb) < 10_000
    with pytest.raises(sk.InputError, match="does not contain a mechanism"):
        share.opened(bomb)


@pytest.mark.parametrize("message", [None, 3, {}, {"op": "nothing"}, {"op": "move_point", "point": "A", "at": [1]},
                                     {"op": "move_point", "point": "A", "at": [float("nan"), 0]},
                                     {"op": "add_point", "at": [0, 0], "more": 1}])  # fmt: skip
def test_a_command_that_cannot_be_read_is_refused(message: Any):
    with pytest.raises(sk.InputError) as caught:
        commands.read(message)
    assert "Input should" not in str(caught.value) and "pydantic" not in str(caught.value)


@pytest.mark.parametrize(
    ("message", "words"),
    [
        ({"op": "set_length", "first": "A", "second": "B", "length": -3}, "length: must be a positive number"),
        ({"op": "set_length", "first": "A", "second": "B", "length": 0}, "length: must be a positive number"),
        ({"op": "set_length", "first": "A", "second": "B", "length": "abc"}, "length: must be a number"),
        ({"op": "move_point", "point": "A", "at": [1e13, 0]}, "place: must be a number from -1e12 to 1e12"),
        ({"op": "set_angle", "first": "A", "second": "B"}, "angle: is missing"),
        ({"op": "rename", "section": "points", "name": "A", "to": "x" * 81}, "name: must have at most 80 characters"),
        ({"op": "add_link", "points": []}, "points: is empty"),
        ({"op": "put", "section": "joints", "entry": 3}, "values: must be a table"),
    ],
)
def test_a_command_is_refused_in_plain_words(message: dict[str, Any], words: str):
    with pytest.raises(sk.InputError) as caught:
        commands.read(message)
    assert [str(problem) for problem in caught.value.problems] == [words]
