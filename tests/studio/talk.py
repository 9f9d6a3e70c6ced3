"""Tabs of the studio without a browser: what they send, and what they are answered."""

from __future__ import annotations

import base64
import json
import os
import socket
import struct
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from urllib.parse import urlsplit

from starlette.testclient import TestClient
from websockets.sync.client import ClientConnection, connect

from structkin.studio.server import make_app
from structkin.studio.session import Session

TOKEN, PORT = "a-token-of-the-test", 4321
HOST = f"127.0.0.1:{PORT}"
OWN = {"host": HOST, "origin": f"http://{HOST}"}


class Tab:
    """A tab of the studio: it sends requests, and waits for answers of a type."""

    def __init__(self, socket: Any) -> None:
        self.socket = socket

    def ask(self, type: str, answer: str, **parts: Any) -> dict[str, Any]:
        self.send({"type": type, **parts})
        while (found := self.next())["type"] != answer:
            assert found["type"] not in ("refused", "fault"), found
        return found

    def send(self, message: Any) -> None:
        self.socket.send_text(message if isinstance(message, str) else json.dumps(message))

    def next(self) -> dict[str, Any]:
        """Return the next answer; JSON as a browser reads it, without NaN."""
        found: dict[str, Any] = json.loads(self.socket.receive_text(), parse_constant=_refused)
        return found


def _refused(constant: str) -> None:
    raise AssertionError(f"{constant} is not JSON")


@contextmanager
def opened(session: Session) -> Iterator[Tab]:
    """Open a tab of a session."""
    with (
        TestClient(make_app(session, TOKEN, PORT), base_url=f"http://{HOST}") as client,
        client.websocket_connect(f"/ws?token={TOKEN}", headers=OWN) as socket,
    ):
        tab = Tab(socket)
        tab.ask("hello", "state", protocol=1)
        yield tab


# --- over the network ---------------------------------------------------------------------------------------


def dialled(address: str) -> ClientConnection:
    """Return a connection to a studio that is served at an address."""
    to = urlsplit(address)
    return connect(f"ws://{to.netloc}/ws?{to.query}", origin=f"http://{to.netloc}", max_size=None, proxy=None)


def deaf(address: str, *messages: str) -> socket.socket:
    """Return a connection that has sent messages and reads nothing; `ConnectionRefusedError` if it is not opened."""
    to = urlsplit(address)
    connection = socket.socket()
    connection.connect(("127.0.0.1", to.port))
    connection.sendall(upgrade(address))
    if connection.recv(12) != b"HTTP/1.1 101":
        connection.close()
        raise ConnectionRefusedError
    for message in messages:
        connection.sendall(frame(message))
    return connection


def upgrade(address: str) -> bytes:
    """Return the request that opens a WebSocket."""
    to, key = urlsplit(address), base64.b64encode(os.urandom(16)).decode()
    lines = [f"GET /ws?{to.query} HTTP/1.1", f"Host: {to.netloc}", f"Origin: http://{to.netloc}", "Upgrade: websocket",
             "Connection: Upgrade", f"Sec-WebSocket-Key: {key}", "Sec-WebSocket-Version: 13", "", ""]  # fmt: skip
    return "\r\n".join(lines).encode()


def frame(message: str) -> bytes:
    """Return a short message as a WebSocket carries it, masked by zeros."""
    text = message.encode()
    return struct.pack("!BBHI", 0x81, 0xFE, len(text), 0) + text
