"""A fault of the studio, a slow message, a tab that reads nothing: the document stays, the next message works."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator
from typing import Any, get_args

import numpy as np
import pytest
from starlette.testclient import TestClient
from studio_page import served
from talk import HOST, OWN, PORT, TOKEN, Tab, deaf, dialled, opened

from structkin.examples import path
from structkin.studio import commands, exports, server, session, share, wire
from structkin.studio.check import check
from structkin.studio.document import Document
from structkin.studio.files import MechanismFile
from structkin.studio.history import History
from structkin.studio.server import make_app
from structkin.studio.session import ANSWERS, Session

OPS: dict[str, type[commands.Command]] = {
    get_args(command.model_fields["op"].annotation)[0]: command for command in get_args(commands.AnyCommand)
}


class BrokenError(Exception):
    """No error that structkin raises."""


def broken(*_: Any, **__: Any) -> Any:
    raise BrokenError("out of \x1b[2Jorder")


@pytest.fixture
def studio() -> Session:
    return Session(History(MechanismFile(path("crank_rocker")).read()))


@pytest.fixture
def tab(studio: Session) -> Iterator[Tab]:
    with opened(studio) as tab:
        yield tab


def expect_fault(tab: Tab, caplog: pytest.LogCaptureFixture) -> None:
    """Expect a fault as the next answer, without its traceback, which is logged; the next message is answered."""
    answer = tab.next()
    assert answer["type"] == "fault" and "BrokenError: out of" in answer["problems"][0]["message"], answer
    assert "Traceback" not in str(answer) and "\x1b" not in str(answer)
    assert "Traceback" in caplog.text and "in broken" in caplog.text and "\x1b" not in caplog.text
    assert tab.ask("share", "shared")["fragment"]


@pytest.mark.parametrize("type", ANSWERS)
def test_a_fault_in_any_answer_is_answered(
    type: str, tab: Tab, studio: Session, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
):
    before = studio.history
    with monkeypatch.context() as patch:
        patch.setitem(ANSWERS, type, broken)
        tab.send({"type": type})
        answer = tab.next()
    assert answer["type"] == "fault" and "in broken" in caplog.text
    assert studio.history is before and tab.ask("hello", "state", protocol=1)["revision"] == 0


@pytest.mark.parametrize("op", OPS)
def test_a_fault_in_any_command_is_answered(
    op: str, tab: Tab, studio: Session, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
):
    before = studio.history
    monkeypatch.setattr(commands, "read", lambda message: OPS[message["op"]].model_construct())
    monkeypatch.setattr(OPS[op], "apply", broken)
    tab.send({"type": "edit", "command": {"op": op}})
    expect_fault(tab, caplog)
    assert studio.history is before


def test_a_fault_in_any_search_ends_it(monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture):
    studio, found = Session(History(MechanismFile(path("slider_crank_offset")).read())), set()
    begin = Session._job
    monkeypatch.setattr(Session, "_job", lambda self, kind, find: begin(self, kind, broken))
    for type in ANSWERS:
        for answer in studio.handle({"type": type}):
            if callable(answer):
                found.add(type)
                assert "BrokenError" in answer()["failure"] and "in broken" in caplog.text
    assert found >= {"limits", "ranking", "efforts", "assemblies", "scene"}


CHANGES: list[dict[str, Any]] = [
    {"type": "edit", "command": {"op": "set_head", "key": "title", "value": "new"}},
    {"type": "undo"},
    {"type": "redo"},
    {"type": "adopt"},
    {"type": "open", "fragment": share.fragment(Document({"title": "c"}))},
]


@pytest.mark.parametrize("message", CHANGES, ids=[message["type"] for message in CHANGES])
@pytest.mark.parametrize("broken_part", ["structure", "sketch", "text"])
def test_a_document_that_cannot_be_shown_does_not_replace_the_one_in_hand(
    message: dict[str, Any], broken_part: str, studio: Session, monkeypatch: pytest.MonkeyPatch
):
    for title in ("a", "b"):
        studio.handle({"type": "edit", "command": {"op": "set_head", "key": "title", "value": title}})
    studio.handle({"type": "undo"})
    studio.handle({"type": "turn", "driver": "motor", "to": 90})
    before, shown = dict(vars(studio)), studio.state()
    with monkeypatch.context() as patch:
        patch.setattr(wire, broken_part, broken)
        (answer,) = studio.handle(message)
    assert not callable(answer) and answer["type"] == "fault"
    assert vars(studio) == before and studio.state() == shown
    (answer,) = studio.handle(message)
    assert not callable(answer) and answer["type"] == "state"


def test_an_answer_that_is_not_json_is_a_fault(
    tab: Tab, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
):
    with monkeypatch.context() as patch:
        patch.setattr(wire, "values", lambda *_: {"motor": np.nan})
        tab.send({"type": "turn", "driver": "motor", "to": 90})
        assert tab.next()["type"] == "fault"
    assert caplog.text.count("Traceback") == 1  # the turn is not finished: it would fail again and again
    pose = tab.ask("turn", "pose", driver="motor", to=60)
    while not pose["done"]:
        pose = tab.next()
    assert pose["drivers"] == {"motor": pytest.approx(60)}


def test_a_search_whose_result_is_not_json_is_a_fault(tab: Tab, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(wire, "ranking", lambda *_: [np.inf])
    tab.send({"type": "ranking"})
    assert tab.next()["type"] == "fault"
    assert tab.ask("limits", "limits")["found"]


def test_a_download_that_fails_says_why(
    studio: Session, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
):
    with TestClient(make_app(studio, TOKEN, PORT), base_url=f"http://{HOST}") as client:
        with monkeypatch.context() as patch:
            patch.setitem(exports.EXPORTS, "mechanism.svg", (broken, "image/svg+xml"))
            found = client.get(f"/export/mechanism.svg?token={TOKEN}")
        assert found.status_code == 500 and "BrokenError" in found.text and "Traceback" not in found.text
        assert "in broken" in caplog.text
        assert client.get(f"/export/mechanism.svg?token={TOKEN}").status_code == 200


# --- several tabs, and slow messages ------------------------------------------------------------------------


def title(text: str) -> dict[str, Any]:
    return {"type": "edit", "command": {"op": "set_head", "key": "title", "value": text}}


@pytest.fixture
def slow(monkeypatch: pytest.MonkeyPatch) -> threading.Event:
    """Make the check of a document with the title "slow" last until an event."""
    release = threading.Event()

    def patient(document: Any, *more: Any) -> Any:
        if document.data.get("title") == "slow":
            assert release.wait(20)
        return check(document, *more)

    monkeypatch.setattr(session, "check", patient)
    monkeypatch.setattr(server, "PATIENCE", 0.05)
    return release


def test_a_slow_edit_of_an_old_tab_does_not_overwrite_one_of_the_new_tab(studio: Session, slow: threading.Event):
    with TestClient(make_app(studio, TOKEN, PORT), base_url=f"http://{HOST}") as client:

        def open_tab() -> Any:
            return client.websocket_connect(f"/ws?token={TOKEN}", headers=OWN)

        with open_tab() as old:
            Tab(old).send(title("slow"))
            assert Tab(old).next()["type"] == "working"
            Tab(old).send(title("never begun"))
            with open_tab() as new:
                tab = Tab(new)
                tab.send({"type": "hello", "protocol": 1})
                assert tab.next()["type"] == "working" and studio.revision == 1
                slow.set()
                # what was begun before is there, and the edit of the new tab is made on it
                while (state := tab.next())["type"] != "state":
                    pass
                assert state["document"]["title"] == "slow"
                state = tab.ask("edit", "state", command={"op": "add_point", "at": [1, 2], "name": "Q"})
                assert state["document"]["title"] == "slow" and state["document"]["points"]["Q"] == [1, 2]
                time.sleep(0.3)
                assert tab.ask("hello", "state", protocol=1) == state
                assert tab.ask("undo", "state")["document"]["title"] == "slow"


def test_searches_do_not_hold_up_edits(tab: Tab, monkeypatch: pytest.MonkeyPatch):
    release = threading.Event()
    monkeypatch.setattr(wire, "ranking", lambda *_: release.wait(20) or [])
    try:
        for _ in range(40):
            tab.send({"type": "ranking"})
        began = time.monotonic()
        assert tab.ask("edit", "state", command=title("other")["command"])["document"]["title"] == "other"
        assert time.monotonic() - began < 5
    finally:
        release.set()


def test_the_page_is_served_while_an_edit_is_slow(tab: Tab, slow: threading.Event):
    tab.send(title("slow"))
    assert tab.next()["type"] == "working"
    client = TestClient(tab.socket.app, base_url=f"http://{HOST}")
    assert client.get("/").status_code == 200
    slow.set()


@pytest.mark.full
def test_a_tab_that_reads_nothing_locks_nobody_out():
    """60 answers of some megabytes each, unread: the next tabs open at once, and the studio ends."""
    points = {f"p{k}": [k, k % 7] for k in range(40_000)}
    session = Session(History(Document({"points": points, "links": {"ground": []}})))
    hello = '{"type":"hello","protocol":1}'
    with served(session) as address, deaf(address, *[hello] * 60):
        time.sleep(2)
        for _ in range(2):
            with dialled(address) as tab:
                tab.send(hello)
                while (answer := json.loads(tab.recv(timeout=20))["type"]) == "working":
                    pass
                assert answer == "hello"
