"""The server: its messages, and no page from another site can read or write anything."""

from __future__ import annotations

import asyncio
import base64
import json
import signal
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from cases import few
from starlette.testclient import TestClient
from starlette.websockets import WebSocketDisconnect
from talk import HOST, OWN, PORT, TOKEN, Tab

import structkin as sk
from structkin.budget import HINT
from structkin.cli import main
from structkin.errors import Problem
from structkin.examples import path
from structkin.studio import driving, server
from structkin.studio.files import MechanismFile
from structkin.studio.history import History
from structkin.studio.run import new_session
from structkin.studio.server import Inbox, make_app
from structkin.studio.session import Session
from structkin.studio.wire import failure


@pytest.fixture
def file(tmp_path: Path) -> Path:
    target = tmp_path / "crank_rocker.toml"
    target.write_bytes(path("crank_rocker").read_bytes())
    return target


@pytest.fixture
def client(file: Path) -> Iterator[TestClient]:
    with TestClient(make_app(new_session(file), TOKEN, PORT), base_url=f"http://{HOST}") as client:
        yield client


@pytest.fixture
def tab(client: TestClient) -> Iterator[Tab]:
    with client.websocket_connect(f"/ws?token={TOKEN}", headers=OWN) as socket:
        tab = Tab(socket)
        tab.ask("hello", "state", protocol=1)
        yield tab


# --- messages -----------------------------------------------------------------------------------------------


def test_an_edit_is_answered_by_the_structure_and_saved_only_on_request(tab: Tab, file: Path):
    before = file.read_text(encoding="utf-8")
    state = tab.ask("edit", "state", command={"op": "drive", "joint": "D"})
    assert state["structure"]["drivers"][0]["joint"] == "D" and state["undo"] and not state["saved"]
    assert [group["links"] for group in state["structure"]["groups"]] == [["rocker"], ["crank", "coupler"]]
    assert file.read_text(encoding="utf-8") == before
    assert tab.ask("save", "saved")["file"] == file.name and json.loads(tab.socket.receive_text())["saved"]
    text = file.read_text(encoding="utf-8")
    assert 'motor = {joint = "D"' in text.replace("{ ", "{") and text.startswith("# A Grashof crank-rocker")
    assert not tab.ask("undo", "state")["saved"] and tab.ask("redo", "state")["saved"]


def test_a_drag_moves_the_frames_and_an_edit_brings_the_sketch_back(tab: Tab):
    state = tab.ask("hello", "state", protocol=1)
    assert state["frames"]["crank"] == pytest.approx([0, 0, 1.0472], abs=1e-3)
    pose = tab.ask("drag", "pose", link="crank", local=[40, 0], to=[0, 40], seq=7)
    while not pose["done"]:
        pose = json.loads(tab.socket.receive_text())
    assert pose["frames"]["crank"] == pytest.approx([0, 0, 1.5708], abs=2e-3) and pose["seq"] == 7
    assert pose["drivers"]["motor"] == pytest.approx(90, abs=0.1)
    assert tab.ask("rest", "state")["frames"] == state["frames"]
    assert tab.ask("turn", "pose", driver="motor", to=66)["drivers"]["motor"] == pytest.approx(66)


def test_searches_answer_when_they_are_done(tab: Tab):
    (limits,) = tab.ask("limits", "limits")["found"]
    assert limits["driver"] == "motor" and limits["turns"]
    ranking = tab.ask("ranking", "ranking")["found"]
    assert {choice["label"] for choice in ranking["list"]} >= {"A", "D"}
    assert "combinations fix every" in ranking["words"]
    found = tab.ask("assemblies", "assemblies")["found"]
    assemblies = found["list"]
    assert found["words"] == "2 assemblies" and len(assemblies) == 2
    assert assemblies[0]["frames"] != assemblies[1]["frames"]
    taken = tab.ask("assembly", "pose", index=1)
    assert taken["frames"]["rocker"] == pytest.approx(assemblies[1]["frames"]["rocker"], abs=1e-6)
    moved = tab.ask("drag", "pose", link="crank", local=[40, 0], to=[0, 40])
    assert moved["frames"]["rocker"] != pytest.approx(taken["frames"]["rocker"], abs=1e-3)


@pytest.mark.parametrize("name", few(["stephenson_iii_triad", "platform_3rrr"], 1))
def test_limits_of_a_triad_are_found_as_on_the_command_line(name: str, file: Path):
    file.write_bytes(path(name).read_bytes())
    (job,) = new_session(file).handle({"type": "limits"})
    assert callable(job)
    answer, m = job(), sk.load(file)
    assert [one["report"] for one in answer["found"]] == [m.limits(driver).report for driver in m.drivers]


def test_a_slot_is_drawn_as_long_as_the_motion_needs():
    def guide(scene: dict[str, Any]) -> float:
        (line,) = [shape["points"] for shape in scene["shapes"] if shape["id"] == "hatching:guide:guide"]
        return float(np.ptp([place[0] for place in line if place]))

    session = new_session(path("slider_crank_offset"))
    (job,) = session.handle({"type": "scene"})
    assert callable(job)
    motion = sk.load(path("slider_crank_offset")).solve(samples=361)
    travel = float(np.ptp(motion.position("C")[:, 0])) * 1e3
    assert guide(session.state()["scene"]) < travel < guide(job()["found"]["scene"])


def test_the_box_of_the_motion_holds_all_points():
    (job,) = new_session(path("triple_rocker")).handle({"type": "scene"})
    found = job()["found"]
    motion = sk.load(path("triple_rocker")).solve(samples=37)
    places = np.concatenate([motion.position(name)[motion.ok] for name in motion.mechanism.places]) * 1e3
    low, high = found["box"][:2], found["box"][2:]
    assert (places > np.array(low) - 1e-3).all() and (places < np.array(high) + 1e-3).all()
    assert found["scene"] is None


def test_a_cylinder_of_unknown_stroke_never_separates():
    session = new_session(path("toggle_press"))
    (job,) = session.handle({"type": "scene"})
    assert callable(job)
    for scene in (session.state()["scene"], job()["found"]["scene"]):
        parts = [one for one in scene["shapes"] if one["part"] == "driver:cylinder" and "toward" in one["frame"]]
        assert len(parts) == 4 and all(one["frame"]["stretch"] for one in parts)


def test_a_search_that_is_too_long_names_the_command_for_it():
    too_long = sk.InputError(
        [Problem("drivers.motor", "takes more steps than the budget allows", f"give a range; {HINT}")]
    )
    assert "budget=None" not in failure(too_long) and "structkin limits" in failure(too_long)
    other = sk.InputError([Problem("drivers.motor", "is wrong", "mend it")])
    assert failure(other) == "drivers.motor: is wrong; mend it"


def test_holding_efforts_are_those_of_statics(file: Path):
    file.write_bytes(path("excavator").read_bytes())
    session = new_session(file)
    (pose,) = session.handle({"type": "turn", "driver": "arm_cylinder", "to": 0.2})
    (job,) = session.handle({"type": "efforts"})
    assert callable(job) and not callable(pose)
    m, z = sk.load(file), {id: [value] for id, value in pose["drivers"].items()}
    forces = m.solve(drivers={id: (value, [0.0], [0.0]) for id, value in z.items()}).forces()
    for one in job()["found"]:
        assert one["value"] == pytest.approx(forces.driver(one["driver"])[0], rel=1e-6) and one["unit"] == "N"


def test_a_shared_mechanism_opens_in_another_studio_and_holds_no_token(tab: Tab):
    fragment = tab.ask("share", "shared")["fragment"]
    assert fragment.startswith("#m=") and TOKEN not in fragment
    other = new_session(None, fragment)
    assert other.history.now.data == MechanismFile(path("crank_rocker")).read().data
    text = base64.b64encode(b'[points]\nA=[0,0]\n[links]\nground=["A"]').decode()
    assert tab.ask("open", "state", name="a.toml", data=text)["document"]["links"] == {"ground": ["A"]}
    assert tab.ask("open", "state", fragment=fragment)["document"] == other.history.now.data


def test_invalid_messages_are_refused_and_change_nothing(tab: Tab):
    before = tab.ask("hello", "state", protocol=1)["document"]
    messages: list[Any] = [
        *(None, 7, [], {}),
        *({"type": type} for type in ("nothing", "edit", "hello", "open")),
        {"type": "edit", "command": {}},
        {"type": "drag", "link": 3, "local": [0, 0], "to": [0, 1e99]},
        {"type": "turn", "driver": "x", "to": 1},
        {"type": "assembly", "index": -1},
        {"type": "open", "fragment": "#m=x"},
        {"type": "open", "name": "a.toml", "data": "%"},
        {"type": "open", "name": "../../a", "data": ""},
        {"type": "wiggle", "coordinate": []},
        {"type": "drag", "link": "crank", "local": [0, float("nan")], "to": [0, 0]},
    ]
    for message in messages:
        tab.socket.send_text(json.dumps(message))
        assert json.loads(tab.socket.receive_text())["type"] == "refused", message
    tab.socket.send_text("{")
    assert json.loads(tab.socket.receive_text())["type"] == "refused"
    assert tab.ask("hello", "state", protocol=1)["document"] == before


@pytest.mark.full
def test_the_mechanism_and_its_picture_can_be_downloaded(client: TestClient):
    found = client.get(f"/export/mechanism.toml?token={TOKEN}")
    assert found.status_code == 200 and "attachment" in found.headers["content-disposition"]
    assert "<svg" in client.get(f"/export/mechanism.svg?token={TOKEN}").text
    assert "<!doctype html>" in client.get(f"/export/report.html?token={TOKEN}").text
    assert b"SECTION" in client.get(f"/export/mechanism.dxf?token={TOKEN}").content
    assert client.get(f"/export/mechanism.gif?token={TOKEN}").content.startswith(b"GIF8")
    sheet = client.get(f"/export/mechanism-worksheet.html?token={TOKEN}").text
    assert sheet.count("<svg") == 3 and "at rest" in sheet
    assert client.get(f"/export/nothing?token={TOKEN}").status_code == 404


def test_outdated_pointer_positions_are_dropped():
    async def filled() -> Inbox:
        inbox = Inbox()
        for message in ({"type": "drag", "link": "a", "seq": 1}, {"type": "drag", "link": "a", "seq": 2},
                        {"type": "undo"}, {"type": "drag", "link": "a", "seq": 3}, {"type": "drag", "link": "b"},
                        {"type": "edit", "stroke": 1, "n": 1}, {"type": "edit", "stroke": 1, "n": 2},
                        {"type": "edit", "stroke": None}, {"type": "edit", "stroke": None}):  # fmt: skip
            inbox.put(message)
        return inbox

    kept = asyncio.run(filled()).waiting
    assert [(one["type"], one.get("seq", one.get("n"))) for one in kept] == [
        ("drag", 2), ("undo", None), ("drag", 3), ("drag", None), ("edit", 2), ("edit", None), ("edit", None)
    ]  # fmt: skip


# --- access control -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("query", "headers"),
    [
        ("", OWN),
        ("?token=", OWN),
        ("?token=wrong", OWN),
        (f"?token={TOKEN}", {"host": HOST}),
        (f"?token={TOKEN}", {"host": HOST, "origin": "http://evil.example"}),
        (f"?token={TOKEN}", {"host": HOST, "origin": "null"}),
        (f"?token={TOKEN}", {"host": HOST, "origin": f"https://{HOST}"}),
        (f"?token={TOKEN}", {"host": HOST, "origin": "http://127.0.0.1:8000"}),
        (f"?token={TOKEN}", {"host": f"evil.example:{PORT}", "origin": f"http://evil.example:{PORT}"}),
        (f"?token={TOKEN}", {"host": "127.0.0.1", "origin": "http://127.0.0.1"}),
    ],
)
def test_a_socket_of_a_hostile_page_is_not_opened(client: TestClient, query: str, headers: dict[str, str]):
    with pytest.raises(WebSocketDisconnect), client.websocket_connect(f"/ws{query}", headers=headers):
        pass


@pytest.mark.parametrize(
    ("address", "headers"),
    [
        ("/export/mechanism.toml", {}),
        ("/export/mechanism.toml?token=wrong", {}),
        (f"/export/mechanism.toml?token={TOKEN}", {"origin": "http://evil.example"}),
        (f"/export/mechanism.toml?token={TOKEN}", {"host": "evil.example"}),
        ("/", {"host": f"evil.example:{PORT}"}),
        ("/", {"origin": "http://evil.example"}),
        ("/../../etc/passwd", {}),
        ("/docs", {}),
    ],
)
def test_data_is_not_given_to_a_hostile_page(client: TestClient, address: str, headers: dict[str, str]):
    found = client.get(address, headers=headers)
    assert found.status_code == 403 and "A-B" not in found.text and "access-control" not in str(found.headers).lower()


def test_nothing_is_written_by_http(client: TestClient):
    for method in ("POST", "PUT", "DELETE", "PATCH", "OPTIONS"):
        assert client.request(method, f"/export/mechanism.toml?token={TOKEN}").status_code == 403


def test_the_page_may_load_nothing_from_other_sites_and_holds_no_token(client: TestClient):
    found = client.get("/")
    policy = found.headers["content-security-policy"]
    assert "default-src 'none'" in policy and "frame-ancestors 'none'" in policy and "unsafe" not in policy
    assert found.headers["referrer-policy"] == "no-referrer" and found.headers["x-content-type-options"] == "nosniff"
    assert TOKEN not in found.text and "http://" not in found.text.replace("http://www.w3.org", "")


def test_another_tab_takes_over(client: TestClient, tab: Tab):
    with client.websocket_connect(f"/ws?token={TOKEN}", headers=OWN) as second:
        assert Tab(second).ask("hello", "state", protocol=1)["revision"] == 0
        with pytest.raises(WebSocketDisconnect) as closed:
            tab.socket.receive_text()
        assert closed.value.code == 4001


def test_a_studio_without_a_file_saves_nothing():
    session = Session(History(MechanismFile(path("crank_rocker")).read()))
    (answer,) = session.handle({"type": "save"})
    assert not callable(answer) and answer["type"] == "refused"


# --- the command --------------------------------------------------------------------------------------------


@pytest.mark.skipif(sys.platform == "win32", reason="Ctrl-C is sent differently there")
def test_the_command_prints_its_address_and_ends_by_ctrl_c(file: Path):
    command = [sys.executable, "-c", "from structkin.cli import main; main()", "studio", str(file), "--no-browser"]
    get = urllib.request.build_opener(urllib.request.ProxyHandler({})).open
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as running:
        try:
            assert running.stdout is not None and running.stderr is not None
            address = running.stdout.readline().split()[-1]
            assert address.startswith("http://127.0.0.1:") and "?token=" in address
            assert "structkin studio" in get(address, timeout=30).read().decode()
            running.send_signal(signal.SIGINT)
            assert running.wait(30) == 0
            assert running.stderr.read() == ""
        finally:
            running.kill()


@pytest.mark.parametrize("words", [["wrong.toml"], ["x.txt"], ["--shared", "#m=x"], ["--port", "70000"]])
def test_a_file_that_is_not_a_mechanism_exits_with_2(
    words: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    monkeypatch.chdir(tmp_path)
    Path("wrong.toml").write_text("[points\n", encoding="utf-8")
    monkeypatch.setattr(sys, "argv", ["structkin", "studio", "--no-browser", *words])
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == 2 and "Traceback" not in capsys.readouterr().err


@pytest.mark.parametrize("kind", [
    "look", "stop", "whole", "layers", "efforts", "limits", "ranking", "courses", "assemblies", "scene", "gallery",
    "thumbnail", "share", "save", "points",
])  # fmt: skip
def test_what_a_page_asks_by_itself_does_not_end_a_motion_that_is_unfinished(tab: Tab, kind: str):
    """A turn of some revolutions takes several poses; the page asks for efforts when it has had none for 0.25 s."""
    tab.send({"type": "turn", "driver": "motor", "to": 1440, "seq": 1})
    tab.send({"type": kind, "name": "crank_rocker", "names": []})
    while (found := tab.next())["type"] != "pose" or found["seq"] != 1 or not found["done"]:
        assert found["type"] != "fault"
    assert found["drivers"]["motor"] == pytest.approx(1440)


def test_a_drawing_is_shown_before_its_free_coordinates_are_sought(tab: Tab, monkeypatch: pytest.MonkeyPatch):
    """They took 0.1 s of each change to Jansen's leg while its driver was missing, before the change was seen."""
    sought: list[int] = []
    whole = driving.with_coordinates
    monkeypatch.setattr(driving, "with_coordinates", lambda mechanism: sought.append(1) or whole(mechanism))
    state = tab.ask("edit", "state", command={"op": "delete", "section": "drivers", "name": "motor"}, ask=1)
    assert state["ask"] == 1 and state["structure"]["missing"] == 1 and state["frames"] == state["sketched"]
    assert "free" not in state and not sought
    later = tab.next()
    assert later["type"] == "state" and later["revision"] == state["revision"]
    assert later["free"] == ["A free"] and later["drivers"] == {"A free": pytest.approx(60, abs=1e-3)}
    # a stroke does not wait for them
    monkeypatch.setattr(server, "PAUSE", 1.0)
    heavier = [
        {"op": "put", "section": "links", "name": "coupler", "entry": {"points": ["B", "C", "P"], "mass": mass}}
        for mass in range(1, 7)
    ]
    for command in heavier[:-1]:
        tab.send({"type": "edit", "stroke": 1, "command": command})
    states = [tab.next()]
    while "free" not in states[-1]:
        states.append(tab.next())
    assert states[-1]["revision"] > later["revision"] and len(sought) == 2
    # what is asked of the pose in the meantime has it at once
    tab.send({"type": "edit", "command": heavier[-1]})
    assert tab.ask("turn", "pose", driver="A free", to=66)["free"] == ["A free"]
    assert tab.next()["drivers"]["A free"] == pytest.approx(66)
