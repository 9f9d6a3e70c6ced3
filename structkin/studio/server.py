"""The server of the studio: the page, the WebSocket that carries the session's messages, and downloads."""

from __future__ import annotations

import asyncio
import json
from collections import deque
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route, WebSocketRoute
from starlette.websockets import WebSocket, WebSocketDisconnect

from structkin.errors import StructkinError
from structkin.studio import page
from structkin.studio.exports import EXPORTS
from structkin.studio.guard import Guard
from structkin.studio.session import Job, Message, Session

#: The largest message from the browser [bytes]: a mechanism of thousands of links.
LARGEST = 2_000_000
#: The number of messages that may wait.
WAITING = 200
#: Messages of which only the last one in a row counts.
LATEST = ("drag", "turn")


@dataclass
class Inbox:
    """Messages that wait. A drag replaces one that waits directly before it: the pointer has moved on."""

    waiting: deque[Any] = field(default_factory=deque)
    _arrived: asyncio.Event = field(default_factory=asyncio.Event)

    def put(self, message: Any) -> None:
        """Add a message; a waiting one of the same kind and stroke is dropped."""
        if self.waiting and _supersedes(message, self.waiting[-1]):
            self.waiting[-1] = message
        else:
            self.waiting.append(message)
        self._arrived.set()

    async def get(self) -> Any:
        """Wait for the next message, and return it."""
        while not self.waiting:
            self._arrived.clear()
            await self._arrived.wait()
        return self.waiting.popleft()


def _supersedes(new: Any, old: Any) -> bool:
    if not isinstance(new, dict) or not isinstance(old, dict) or new.get("type") != old.get("type"):
        return False
    if new.get("type") in LATEST:
        return new.get("link") == old.get("link") and new.get("driver") == old.get("driver")
    return new.get("type") == "edit" and new.get("stroke") is not None and new.get("stroke") == old.get("stroke")


@dataclass
class Studio:
    """The session, and the tab that shows it: the one that was opened last."""

    session: Session
    _tab: WebSocket | None = None
    _jobs: set[asyncio.Task[None]] = field(default_factory=set)
    _turn: asyncio.Lock = field(default_factory=asyncio.Lock)

    async def serve(self, socket: WebSocket) -> None:
        """Carry the messages of one tab until it closes."""
        await socket.accept()
        before, self._tab = self._tab, socket
        if before is not None:
            with suppress(RuntimeError):
                await before.close(4001, "the studio was opened in another tab")
        inbox = Inbox()
        worker = asyncio.create_task(self._work(socket, inbox))
        try:
            while True:
                text = await socket.receive_text()
                if len(inbox.waiting) >= WAITING:
                    await socket.close(1008, "too many messages wait")
                    break
                inbox.put(_parsed(text))
        except (WebSocketDisconnect, KeyError, RuntimeError):
            pass  # the tab has gone, or has sent no text
        finally:
            worker.cancel()
            if self._tab is socket:
                self._tab = None

    async def _work(self, socket: WebSocket, inbox: Inbox) -> None:
        """Answer message after message, long ones in a thread; one that is unfinished continues while none waits."""
        unfinished: Message | None = None
        while True:
            fresh = unfinished is None or bool(inbox.waiting)
            message = await inbox.get() if fresh else unfinished
            unfinished = None
            async with self._turn:
                if fresh and isinstance(message, dict) and message.get("type") in LATEST:
                    # finding a pose takes less time than waking another thread
                    answers = self._answers(message)
                else:
                    answers = await asyncio.to_thread(self._answers, message)
            for answer in answers:
                if callable(answer):
                    self._start(socket, answer)
                    continue
                if answer["type"] == "pose" and not answer["done"]:
                    unfinished = message
                await _send(socket, answer)

    def _answers(self, message: Any) -> list[Message | Job]:
        return list(self.session.handle(message))

    def _start(self, socket: WebSocket, job: Job) -> None:
        async def run() -> None:
            answer = await asyncio.to_thread(job)
            if answer["revision"] == self.session.revision:
                await _send(socket, answer)

        task = asyncio.create_task(run())
        self._jobs.add(task)
        task.add_done_callback(self._jobs.discard)

    async def export(self, request: Request) -> Response:
        """Answer with a file that the browser saves."""
        name = request.path_params["name"]
        if name not in EXPORTS:
            return PlainTextResponse("there is no such download", status_code=404)
        make, media = EXPORTS[name]
        try:
            async with self._turn:
                shown = self.session.shown()
            content = await asyncio.to_thread(make, *shown)
        except StructkinError as error:
            return PlainTextResponse(str(error), status_code=422)
        headers = {"Content-Disposition": f'attachment; filename="{name}"'}
        return Response(content, media_type=media, headers=headers)


def make_app(session: Session, token: str, port: int) -> Guard:
    """Return the application: the studio behind its guard."""
    studio = Studio(session)

    async def asset(request: Request) -> Response:
        text, media = page.ASSETS[request.url.path]
        return Response(text(), headers={"Content-Type": media})

    async def socket(socket: WebSocket) -> None:
        await studio.serve(socket)

    routes = [
        *(Route(path, asset) for path in page.ASSETS),
        Route("/export/{name}", studio.export),
        WebSocketRoute("/ws", socket),
    ]
    return Guard(Starlette(routes=routes), token, port)


def _parsed(text: str) -> Any:
    try:
        return json.loads(text) if len(text) <= LARGEST else None
    except (ValueError, RecursionError):
        return None


async def _send(socket: WebSocket, message: Message) -> None:
    with suppress(RuntimeError, WebSocketDisconnect):  # the tab has gone meanwhile
        await socket.send_text(json.dumps(message, allow_nan=False, separators=(",", ":")))
