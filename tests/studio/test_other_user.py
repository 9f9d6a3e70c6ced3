"""Another user of the machine, even with the token, can neither read nor change anything of the studio."""

from __future__ import annotations

import base64
import ctypes
import json
import os
import socket
import sys
import tempfile
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import urlsplit

import pytest
from studio_page import PMKS, served
from talk import deaf, frame, upgrade

from structkin import compiled
from structkin.examples import path
from structkin.studio import files, guard
from structkin.studio.files import MechanismFile
from structkin.studio.history import History
from structkin.studio.session import Session

T = TypeVar("T")
#: The user "nobody".
OTHER = 65534

needs_root = pytest.mark.skipif(
    not sys.platform.startswith("linux") or os.getuid() != 0, reason="only root can act as a second user"
)


def as_other(call: Callable[[], T]) -> T:
    """Return what a call returns to another user: files and sockets of a thread can be those of one."""

    def run() -> T:
        libc = ctypes.CDLL(None)
        libc.setfsgid(OTHER)
        libc.setfsuid(OTHER)
        return call()

    with ThreadPoolExecutor(1) as thread:
        return thread.submit(run).result()


def status(address: str, target: str) -> int:
    """Return the status of the answer to a request."""
    to = urlsplit(address)
    with socket.socket() as connection:
        connection.connect(("127.0.0.1", to.port))
        connection.sendall(f"GET {target}?{to.query} HTTP/1.1\r\nHost: {to.netloc}\r\n\r\n".encode())
        return int(connection.recv(12).split()[1])


EDIT = json.dumps({"type": "edit", "command": {"op": "set_head", "key": "title", "value": "changed"}})


@pytest.fixture
def session() -> Session:
    return Session(History(MechanismFile(path("crank_rocker")).read()))


@needs_root
@pytest.mark.parametrize("target", ["/", "/studio.js", "/export/mechanism.toml"])
def test_nothing_is_read_with_the_token(target: str, session: Session):
    with served(session) as address:
        assert as_other(lambda: status(address, target)) == 403
        assert status(address, target) == 200


@needs_root
def test_nothing_is_changed_with_the_token(session: Session):
    with served(session) as address:
        with pytest.raises(ConnectionRefusedError):
            as_other(lambda: deaf(address, EDIT))
        to = urlsplit(address)

        def send_and_close() -> None:
            """Send it all at once and close: the system then forgets whose socket it was."""
            with socket.socket() as connection:
                connection.connect(("127.0.0.1", to.port))
                connection.sendall(upgrade(address) + frame(EDIT))

        for _ in range(20):
            as_other(send_and_close)
        time.sleep(0.5)
        assert session.revision == 0
        with deaf(address, EDIT):
            until = time.monotonic() + 10
            while session.revision == 0 and time.monotonic() < until:
                time.sleep(0.01)
        assert session.revision == 1


@needs_root
def test_a_file_that_is_opened_is_not_seen(monkeypatch: pytest.MonkeyPatch):
    read, asked = files.read, []

    def watched(file: Path) -> Any:
        asked.append(file)
        for call in (file.read_bytes, lambda: list(file.parent.iterdir()), lambda: file.write_bytes(b"")):
            with pytest.raises(PermissionError):
                as_other(call)
        return read(file)

    monkeypatch.setattr(files, "read", watched)
    files.opened("bar.txt", base64.b64encode(PMKS).decode())
    assert asked


@needs_root
def test_compiled_code_is_not_changed(monkeypatch: pytest.MonkeyPatch):
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o755)
        monkeypatch.setenv("STRUCTKIN_CACHE", folder)
        store = compiled.package_folder.__wrapped__(Path(compiled.__file__).parent / "kernels")
        assert store is not None and store.is_relative_to(folder)
        (store / "code.nbc").write_bytes(b"code")
        for call in ((store / "new.nbc").touch, lambda: (store / "code.nbc").write_bytes(b""),
                     (store / "code.nbc").unlink, lambda: store.rename(store.with_name("old"))):  # fmt: skip
            with pytest.raises(PermissionError):
                as_other(call)


# --- the table of sockets, on any system ---------------------------------------------------------------------

HERE, THERE = guard._address("127.0.0.1", 4321), guard._address("127.0.0.1", 50000)
OWN = 0 if sys.platform == "win32" else os.getuid()


def row(own: str, other: str, state: str, user: int) -> str:
    return f"   0: {own} {other} {state} 00000000:00000000 00:00000000 00000000 {user:5} 0 1 2 0 100 0 0 10 0\n"


class Table:
    """A table of sockets that is another at each reading; the last one stays."""

    def __init__(self, *readings: list[str]) -> None:
        self.readings = list(readings)

    def read_text(self, encoding: str) -> str:
        rows = self.readings.pop(0) if len(self.readings) > 1 else self.readings[0]
        return "".join(["  sl local rem st ...\n", *rows])


SERVER, CLIENT, STRANGER = row(HERE, THERE, "01", OWN), row(THERE, HERE, "01", OWN), row(THERE, HERE, "01", OWN + 1)


@pytest.mark.parametrize(
    ("readings", "is_own"),
    [
        ([[SERVER, CLIENT]], True),
        ([[SERVER, row(THERE, HERE, "01", 0)]], True),
        ([[SERVER, STRANGER]], False),
        ([[SERVER, row(THERE, HERE, "05", 0)]], False),
        ([[SERVER, row(THERE, "0100007F:0001", "01", OWN)]], False),
        ([[SERVER]], False),
        ([[SERVER, CLIENT, CLIENT]], True),  # repeated
        ([[SERVER, SERVER, STRANGER, STRANGER]], False),
        ([[SERVER], [CLIENT]], True),  # passed over
        ([[], [SERVER, STRANGER]], False),
        ([[], [SERVER]], False),
        ([[]], True),  # a system that does not list the connection at all leaves it to the token
    ],
)
def test_the_user_of_a_connection_is_looked_up(
    readings: list[list[str]], is_own: bool, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(guard, "TABLE", Table(*readings))
    assert guard.is_own(("127.0.0.1", 50000), 4321) == (is_own or sys.platform == "win32")
    assert guard.is_own(("127.0.0.1", 50001), 4321)


def test_without_a_table_the_token_decides(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(guard, "TABLE", tmp_path / "none")
    assert guard.is_own(("127.0.0.1", 50000), 4321)
