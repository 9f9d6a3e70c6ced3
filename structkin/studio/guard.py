"""Access control: only the browser tab that has the token may talk to the studio, and no page from elsewhere.

Three checks are each sufficient against a hostile page in the same browser. The Host header must be this machine's
loopback address, so that a name which is made to point here (DNS rebinding) gets nothing. The Origin header, which a
browser sends and a page cannot change, must be that of the studio itself. And data is sent or accepted only with the
token that is part of the printed address. A fourth one keeps out other users of the machine; Linux lists
the user of each socket, and nobody can choose it.

The token alone does not keep other users of the machine out: they see the command that starts the browser, and with it
the address.
"""

from __future__ import annotations

import os
import secrets
import socket
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from starlette.datastructures import Headers, MutableHeaders, QueryParams
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from starlette.websockets import WebSocketClose

from structkin.studio.page import ASSETS

#: Headers of every answer: nothing is loaded from elsewhere or sent there, and no other page may frame this one.
HEADERS: Mapping[str, str] = {
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; "
    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cache-Control": "no-store",
}


def new_token() -> str:
    """Return a token that nobody can guess."""
    return secrets.token_urlsafe(24)


@dataclass(frozen=True)
class Guard:
    """Passes requests from the studio's own page; all others are answered with 403, and their WebSockets refused."""

    app: ASGIApp
    token: str
    port: int

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Check a request, and answer it or pass it on with safe headers."""
        if scope["type"] not in ("http", "websocket"):
            await self.app(scope, receive, send)
        elif (refusal := self._refusal(scope)) is None:
            await self.app(scope, receive, _with_headers(send) if scope["type"] == "http" else send)
        elif scope["type"] == "websocket":
            await WebSocketClose(code=1008, reason=refusal)(scope, receive, send)
        else:
            await PlainTextResponse(refusal, status_code=403)(scope, receive, _with_headers(send))

    def _refusal(self, scope: Scope) -> str | None:
        """Return why a request is refused, None if it is not."""
        headers, socket = Headers(scope=scope), scope["type"] == "websocket"
        if not is_own(scope.get("client"), self.port):
            return "another user of this machine may not use the studio: start one as the user of the browser"
        hosts = [f"{name}:{self.port}" for name in ("127.0.0.1", "localhost")]
        if headers.get("host") not in hosts:
            return "this address is not that of the studio"
        origin = headers.get("origin")
        if (socket and origin is None) or (origin is not None and origin != f"http://{headers['host']}"):
            return "another page may not use the studio"
        if not socket and scope["method"] not in ("GET", "HEAD"):
            return "the studio is only read by HTTP"
        given = QueryParams(scope["query_string"]).get("token", "")
        if scope["path"] not in ASSETS and not secrets.compare_digest(given.encode(), self.token.encode()):
            return "the token is missing: open the address that `structkin studio` printed"
        return None


def _with_headers(send: Send) -> Send:
    async def guarded(message: Message) -> None:
        if message["type"] == "http.response.start":
            MutableHeaders(scope=message).update(HEADERS)
        await send(message)

    return guarded


# --- who is at the other end ------------------------------------------------------------------------------------------

#: The sockets of this machine: number, own address, other address, state, ..., user; see proc_pid_net(5).
TABLE = Path("/proc/net/tcp")
ESTABLISHED = "01"
#: The system lists its sockets piece by piece: while others open and close, it may pass over one or repeat it.
READINGS = 10


def is_own(client: tuple[str, int] | None, port: int) -> bool:
    """Return whether a connection to a port of this machine comes from this user or root; True if nobody can say.

    A socket that its program has closed belongs to nobody: what was sent before is not read.
    """
    if sys.platform == "win32":
        return True
    listed = False
    try:
        here, there = _address("127.0.0.1", port), _address(*(client or ("", 0)))
        for _ in range(READINGS):
            lines = TABLE.read_text(encoding="ascii").splitlines()
            rows = [line.split() for line in lines if here in line and there in line]
            users = {int(row[7]) for row in rows if row[1:4] == [there, here, ESTABLISHED]}
            if users:
                return users <= {0, os.getuid()}
            listed |= any(row[1:3] == [here, there] for row in rows)
    except OSError:
        return True
    return not listed


def _address(host: str, port: int) -> str:
    """Return an address as it is written in the table; raise `OSError` if it is not one.

    >>> _address("127.0.0.1", 8000) in ("0100007F:1F40", "7F000001:1F40")
    True
    """
    number = int.from_bytes(socket.inet_aton(host), sys.byteorder)
    return f"{number:08X}:{port:04X}"
