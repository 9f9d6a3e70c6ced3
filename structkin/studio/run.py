"""Running the studio: a free port on this machine, the address with its token, until Ctrl-C."""

from __future__ import annotations

import os
import socket
import threading
import webbrowser
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import uvicorn

from structkin import examples
from structkin.errors import InputError, Problem
from structkin.files import read
from structkin.model.file import SUFFIXES
from structkin.studio import share
from structkin.studio.document import Document
from structkin.studio.files import MechanismFile
from structkin.studio.guard import new_token
from structkin.studio.history import History
from structkin.studio.server import LARGEST, make_app
from structkin.studio.session import Session

#: The preferred port: browsers keep unsaved work under the address, and find it again at the same port.
USUAL = 47_808
#: The example that the studio opens if no file is given.
EXAMPLE = "crank_rocker"


def new_session(path: Path | None, shared: str = "") -> Session:
    """Return the session of a file, of a shared mechanism, or of an example; `InputError` if it cannot be read.

    A file of another tool is converted; Save then downloads the result, and the original file is not changed.
    """
    if path is not None and path.suffix.lower() not in SUFFIXES and os.path.exists(path):
        return Session(History(Document(read(path)[0])))
    if path is not None:
        file = MechanismFile(path)
        return Session(History(file.read()), file)
    if shared:
        return Session(History(share.opened(shared)))
    return Session(History(MechanismFile(Path(examples.path(EXAMPLE))).read()), example=True)


def run(session: Session, *, port: int = 0, browser: bool = True, say: Callable[[str], None]) -> None:
    """Serve a session until Ctrl-C; `say` is called with the address. Raises `InputError` if the port is taken."""
    server, listener, address = make_server(session, port)
    say(f"studio: {address}")
    say("press Ctrl-C to stop")
    if browser:
        threading.Thread(target=webbrowser.open, args=(address,), daemon=True).start()
    with suppress(KeyboardInterrupt), listener:
        server.run([listener])


def make_server(session: Session, port: int) -> tuple[uvicorn.Server, socket.socket, str]:
    """Return the server of a session, an open socket to run it on, and its address, with a token that is its own.

    The socket is open so that the browser may connect at once. Raises `InputError` as `run` does.
    """
    listener = _listener(port)
    token, port = new_token(), listener.getsockname()[1]
    config = uvicorn.Config(
        make_app(session, token, port),
        log_level="critical",
        access_log=False,
        ws_max_size=LARGEST,
        ws_per_message_deflate=False,
        server_header=False,
        proxy_headers=False,
        timeout_graceful_shutdown=1,
    )
    return uvicorn.Server(config), listener, f"http://127.0.0.1:{port}/?token={token}"


def _listener(port: int) -> socket.socket:
    """Return a socket on the loopback address of this machine; if no port is named, the usual one or a free one."""
    if port == 0:
        with suppress(InputError):
            return _bound(USUAL)
    return _bound(port)


def _bound(port: int) -> socket.socket:
    try:
        return socket.create_server(("127.0.0.1", port))
    except (OSError, OverflowError) as error:
        raise InputError([Problem("--port", f"{port} cannot be used: {error}", "leave it out")], "studio") from None
