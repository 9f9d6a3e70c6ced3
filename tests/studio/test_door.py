"""Whatever comes in is refused at the door, or can be shown, saved and shared: no document stops the studio."""

from __future__ import annotations

import base64
import json
import math
import os
import re
import sys
import zlib
from pathlib import Path
from string import ascii_uppercase
from typing import Any

import pytest
from talk import Tab, opened

import structkin as sk
from structkin.cli import main
from structkin.examples import path
from structkin.model.file import load_data
from structkin.structure import decompose
from structkin.structure.inputs import ranking
from structkin.studio.document import Document
from structkin.studio.files import MechanismFile
from structkin.studio.history import History
from structkin.studio.run import new_session
from structkin.studio.session import Session

#: What a document may not hold, in TOML or JSON, and its key.
HOSTILE = {
    "a point that is not a number": ("[points]\nA = [nan, 0]\n", "points.A"),
    "an infinite length": ('[points]\nA = [0, 0]\n[lengths]\n"A-B" = inf\n', "lengths.A-B"),
    "an infinite axis": ("[points]\nA = [0, 0]\n[joints]\ng = { axis = [-inf, 1] }\n", "joints.g.axis"),
    "gravity without a value": ("[forces]\ngravity = [0, nan]\n", "forces.gravity"),
    "a title that is not a number": ("title = nan\n[points]\n", "title"),
    "a title that is a number": ("title = 3\n[points]\n", "title"),
    "a date": ("title = 1979-05-27\n[points]\n", "title"),
    "a time": ("[points]\nA = [07:32:00, 0]\n", "points.A"),
    "a date and a time": ("[links]\nbar = { points = [], mass = 1979-05-27T07:32:00Z }\n", "links.bar.mass"),
    "a huge number": ("[points]\nA = [1e300, 0]\n", "points.A"),
    "a number of hundreds of digits": (f"[points]\nA = [{'9' * 400}, 0]\n", "points.A"),
    "a list in a link": ('[links]\nc = [["A", "B"]]\n', "links.c"),
    "a table in a link": ('[links]\nc = ["A", { b = 1 }]\n', "links.c"),
    "points that are a number": ("[links]\nc = { points = 3 }\n", "links.c"),
    "a section that is a list": ("joints = [1]\n[points]\n", "joints"),
    "a driver that is a number": ("[drivers]\nmotor = 3\n", "drivers.motor"),
    "an unpaired surrogate": ('{"title": "\\ud800", "points": {}}', "title"),
    "an unpaired surrogate in a name": ('{"points": {"\\udfff": [0, 0]}}', "points.\\udfff"),
    "nothing": ('{"points": {"A": [0, null]}}', "points.A"),
    "too many links": (json.dumps({"points": {}, "links": {f"l{k}": [] for k in range(2501)}}), "links"),
    "too many links at a point": (
        json.dumps({"points": {"A": [0, 0]}, "links": {f"l{k}": ["A"] for k in range(501)}}), "points.A",
    ),
}  # fmt: skip


#: Those that JSON can hold: dates and times only come from TOML.
IN_JSON = {name: one for name, one in HOSTILE.items() if name not in ("a date", "a time", "a date and a time")}


def written(text: str, folder: Path) -> Path:
    file = folder / ("hostile.json" if text.startswith("{") else "hostile.toml")
    file.write_text(text, encoding="utf-8")
    return file


def crank_rocker() -> Session:
    return Session(History(MechanismFile(path("crank_rocker")).read()))


def refused(tab: Tab, message: dict[str, Any]) -> set[str]:
    """Send a message that is refused, and return the keys of its problems; the document stays, and the tab lives."""
    before = tab.ask("hello", "state", protocol=1)
    tab.send(message)
    answer = tab.next()
    assert answer["type"] == "refused", answer
    after = tab.ask("hello", "state", protocol=1)
    assert after == before
    return {problem["key"] for problem in answer["problems"]}


@pytest.mark.parametrize(("text", "key"), HOSTILE.values(), ids=HOSTILE)
def test_a_hostile_file_on_the_command_line_is_refused(
    text: str, key: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    file = written(text, tmp_path)
    with pytest.raises(sk.InputError):  # no command that computes takes it either
        sk.load(file)
    monkeypatch.setattr(sys, "argv", ["structkin", "studio", "--no-browser", str(file)])
    with pytest.raises(SystemExit) as ended:
        main()
    shown = capsys.readouterr().err
    assert ended.value.code == 2 and f"{key}: " in shown and "Traceback" not in shown


@pytest.mark.parametrize(("text", "key"), HOSTILE.values(), ids=HOSTILE)
def test_a_hostile_file_that_is_opened_is_refused(text: str, key: str, tmp_path: Path):
    file = written(text, tmp_path)
    with opened(crank_rocker()) as tab:
        data = base64.b64encode(file.read_bytes()).decode()
        assert key in refused(tab, {"type": "open", "name": file.name, "data": data})


@pytest.mark.parametrize(("text", "key"), IN_JSON.values(), ids=IN_JSON)
def test_hostile_shared_texts_and_drafts_are_refused(text: str, key: str, tmp_path: Path):
    data = load_data(written(text, tmp_path))
    packed = base64.urlsafe_b64encode(zlib.compress(json.dumps(data).encode())).decode()
    with opened(crank_rocker()) as tab:
        assert key in refused(tab, {"type": "open", "fragment": f"#m={packed}"})
        assert key in refused(tab, {"type": "edit", "command": {"op": "replace", "document": data}})
    with pytest.raises(sk.InputError, match=re.escape(key)):
        new_session(None, f"#m={packed}")


@pytest.mark.parametrize(("text", "key"), HOSTILE.values(), ids=HOSTILE)
def test_no_document_holds_what_is_refused(text: str, key: str, tmp_path: Path):
    """Undo and redo take documents that exist: none can."""
    with pytest.raises(sk.InputError) as caught:
        Document(load_data(written(text, tmp_path)))
    assert key in [problem.key for problem in caught.value.problems]


def test_all_that_is_wrong_is_listed():
    with pytest.raises(sk.InputError) as caught:
        Document({"title": [], "points": {"A": [math.nan, math.inf]}, "links": {"bar": 3}, "drivers": {"m": None}})
    keys = [problem.key for problem in caught.value.problems]
    assert keys == ["points.A", "points.A", "drivers.m", "title", "links.bar", "drivers.m"]


@pytest.mark.parametrize(
    "command",
    [
        {"op": "put", "section": "links", "name": "crank", "entry": {"points": [["A"], "B"]}},
        {"op": "put", "section": "joints", "name": "guide", "entry": {"type": "\ud800"}},
        {"op": "put", "section": "initial", "name": "motor", "entry": {"speed": 1e200}},
        {"op": "set_head", "key": "title", "value": "\udc00"},
        {"op": "set_head", "key": "title", "value": 3},
        {"op": "set_head", "key": "units", "value": "mm"},
        {"op": "add_point", "at": [0, 0], "name": "\ud800"},
        {"op": "rename", "section": "points", "name": "A", "to": "\ud800"},
    ],
)
def test_an_edit_that_no_file_could_hold_is_refused(command: dict[str, Any]):
    with opened(crank_rocker()) as tab:
        assert refused(tab, {"type": "edit", "command": command})


@pytest.mark.parametrize("seq", ["NaN", "Infinity", "1e999", "[]", '"x"'])
@pytest.mark.parametrize(
    "move", ['"turn", "driver": "motor", "to": 1', '"drag", "link": "crank", "local": [1, 0], "to": [0, 1]']
)
def test_the_number_of_a_message_is_a_number(seq: str, move: str):
    with opened(crank_rocker()) as tab:
        tab.send(f'{{"type": {move}, "seq": {seq}}}')
        assert tab.next()["type"] == "refused"
        tab.send(f'{{"type": {move}, "seq": 7}}')
        assert tab.next()["seq"] == 7


@pytest.mark.parametrize("depth", [60, 20_000])
@pytest.mark.parametrize(("left", "right"), ["[]", ('{"a":', "}")])
def test_lists_in_lists_are_refused(left: str, right: str, depth: int):
    with opened(crank_rocker()) as tab:
        deep = f"{left * depth}0{right * depth}"
        tab.send(f'{{"type": "edit", "command": {{"op": "replace", "document": {{"points": {{"A": {deep}}}}}}}}}')
        answer = tab.next()
        assert answer["type"] == "refused", answer
        assert tab.ask("hello", "state", protocol=1)["revision"] == 0


def test_a_drawing_of_thousands_of_points_gets_another_one():
    letters = {f"{letter}{number or ''}": [0, 0] for number in range(1000) for letter in ascii_uppercase}
    document = Document({"points": letters, "links": {}})
    assert document.new_point() == "A1000"


# --- files that change under the studio ---------------------------------------------------------------------


@pytest.fixture
def session(tmp_path: Path) -> Session:
    target = tmp_path / "mine.toml"
    target.write_bytes(path("crank_rocker").read_bytes())
    return new_session(target)


def save(session: Session, **parts: Any) -> dict[str, Any]:
    answer = session.handle({"type": "save", **parts})[0]
    assert not callable(answer)
    return answer


def test_a_file_that_is_no_text_any_more_has_changed(session: Session, tmp_path: Path):
    (tmp_path / "mine.toml").write_bytes(b"\xff\xfe\xfa")
    assert "has changed on the disk" in save(session)["problems"][0]["message"]
    assert (tmp_path / "mine.toml").read_bytes() == b"\xff\xfe\xfa"
    assert save(session, overwrite=True)["type"] == "saved"
    assert MechanismFile(tmp_path / "mine.toml").read() == session.history.now


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no named pipes here")
def test_a_pipe_in_place_of_the_file_is_not_waited_for(session: Session, tmp_path: Path):
    (tmp_path / "mine.toml").unlink()
    os.mkfifo(tmp_path / "mine.toml")
    for overwrite in (False, True):
        assert "is not a file any more" in save(session, overwrite=overwrite)["problems"][0]["message"]
    with pytest.raises(sk.InputError, match="pipe"):
        new_session(tmp_path / "mine.toml")


def test_a_file_in_utf_16_opens_and_is_saved(tmp_path: Path):
    target = tmp_path / "wide.toml"
    target.write_text(path("crank_rocker").read_text(encoding="utf-8"), encoding="utf-16")
    session = new_session(target)
    assert session.history.now == crank_rocker().history.now
    assert save(session)["type"] == "saved"
    assert new_session(target).history.now == crank_rocker().history.now


@pytest.mark.parametrize("name", ["a" * 300 + ".toml", "a" * 300 + ".slvs"])
def test_a_name_that_no_file_can_have_is_refused(name: str, tmp_path: Path):
    with pytest.raises(sk.InputError):
        new_session(tmp_path / name)
    with opened(crank_rocker()) as tab:
        tab.send({"type": "open", "name": "ß" * 90 + name, "data": ""})
        assert tab.next()["type"] == "refused"


@pytest.mark.full
def test_many_links_on_one_pin_are_driven_soon(monkeypatch: pytest.MonkeyPatch):
    """Of 400 links on a pin, 1,000 sets of coordinates were compared before the first answer, for over a minute."""
    compared = []
    monkeypatch.setattr(ranking, "decompose", lambda topology: compared.append(1) or decompose(topology))
    count = 150
    places = {f"P{k}": (math.cos(k), math.sin(k)) for k in range(count)}
    links = {"ground": ["A"], **{f"l{k}": ["A", f"P{k}"] for k in range(count)}}
    session = Session(History(Document({"points": {"A": [0, 0], **places}, "links": links})))
    with opened(session) as tab:
        tab.ask("whole", "state")
    assert compared and len(compared) < 300
