"""The server of the studio: the page, the WebSocket that carries the session's messages, and downloads."""

from __future__ import annotations

import asyncio
import json
from collections import deque
from collections.abc import Callable, Coroutine
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, TypeVar

from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.middleware.gzip import GZipMiddleware
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route, WebSocketRoute
from starlette.websockets import WebSocket, WebSocketDisconnect

from structkin.errors import StructkinError
from structkin.studio import page, wire
from structkin.studio.exports import EXPORTS
from structkin.studio.faults import fault
from structkin.studio.guard import Guard
from structkin.studio.session import Job, Message, Session

T = TypeVar("T")

#: The largest message from the browser [bytes]: a mechanism of thousands of links.
LARGEST = 2_000_000
#: The number of messages that may wait.
WAITING = 200
#: A message that takes longer [s] is answered by `working` in the meantime.
PATIENCE = 1.0
#: A state is completed when no message has come for so long [s]: a stroke does not wait for it.
PAUSE = 0.1
#: Messages of which only the last one in a row counts.
LATEST = ("drag", "turn", "seek")
#: Messages that leave the drawing as it is, most of which a page sends by itself: a motion that is unfinished goes on
#: after them.
ASIDE = ("look", "stop", "whole", "layers", "efforts", "limits", "ranking", "courses", "assemblies", "scene", "gallery",
         "thumbnail", "share", "save", "points")  # fmt: skip


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
    """The session, and the tab that shows it: the one that was opened last.

    The session is used by one thread, call after call: a call that nobody waits for any more, since its tab has gone,
    ends before the next one begins.
    """

    session: Session
    _tab: WebSocket | None = None
    _tasks: set[asyncio.Task[None]] = field(default_factory=set)
    _thread: ThreadPoolExecutor = field(default_factory=lambda: ThreadPoolExecutor(1, "studio"))

    async def serve(self, socket: WebSocket) -> None:
        """Carry the messages of one tab until it closes."""
        await socket.accept()
        before, self._tab = self._tab, socket
        if before is not None:
            # not awaited: a tab that reads nothing cannot be told
            self._start(_close(before, 4001, "the studio was opened in another tab"))
        inbox = Inbox()
        worker = self._start(self._work(socket, inbox))
        try:
            while True:
                text = await socket.receive_text()
                if len(inbox.waiting) >= WAITING:
                    await _close(socket, 1008, "too many messages wait")
                    break
                inbox.put(_parsed(text))
        except (WebSocketDisconnect, KeyError, RuntimeError):
            pass  # the tab has gone, or has sent no text
        finally:
            worker.cancel()
            if self._tab is socket:
                self._tab = None
                self.session.leave()

    async def _work(self, socket: WebSocket, inbox: Inbox) -> None:
        """Answer message after message; one that is unfinished continues while none waits."""
        unfinished: Message | None = None
        while True:
            message = unfinished if unfinished is not None and not inbox.waiting else await self._next(inbox)
            if not isinstance(message, dict) or message.get("type") not in ASIDE:
                unfinished = None
            answering = self._call(self._answers, socket, message)
            while not (await asyncio.wait([answering], timeout=PATIENCE))[0]:
                await _send(socket, wire.text({"type": "working"}))
            for answer, text in answering.result():
                if callable(answer):
                    self._start(self._search(socket, answer))
                    continue
                if answer["type"] == "pose" and not answer["done"]:
                    unfinished = message
                await _send(socket, text)

    async def _next(self, inbox: Inbox) -> Any:
        """Return the next message; after a pause that for the rest of the state, if the session owes it."""
        if not self.session.owes:
            return await inbox.get()
        try:
            return await asyncio.wait_for(inbox.get(), PAUSE)
        except TimeoutError:
            return {"type": "whole"}

    def _answers(self, socket: WebSocket, message: Any) -> list[tuple[Message | Job, str]]:
        """Return the answers to a message with their texts; none if another tab has been opened meanwhile."""
        if self._tab is not socket:
            return []
        return [(answer, "") if callable(answer) else _with_text(answer) for answer in self.session.handle(message)]

    async def _search(self, socket: WebSocket, job: Job) -> None:
        answer = await asyncio.to_thread(job)
        _, text = await asyncio.to_thread(_with_text, answer)
        if answer["revision"] == self.session.revision:
            await _send(socket, text)

    def _call(self, call: Callable[..., T], *given: Any) -> asyncio.Future[T]:
        """Begin a call of the session once the calls before have ended, and return its result to come."""
        return asyncio.get_running_loop().run_in_executor(self._thread, call, *given)

    def _start(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    async def export(self, request: Request) -> Response:
        """Answer with a file that the browser saves."""
        name = request.path_params["name"]
        if name not in EXPORTS:
            return PlainTextResponse("there is no such download", status_code=404)
        make, media = EXPORTS[name]
        try:
            content = await asyncio.to_thread(make, *await self._call(self.session.shown))
        except StructkinError as error:
            return PlainTextResponse(str(error), status_code=422)
        except Exception as error:
            return PlainTextResponse(str(fault(error)), status_code=500)
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
    # the studio may be reached through a tunnel
    packed = Middleware(GZipMiddleware, minimum_size=1000)
    return Guard(Starlette(routes=routes, middleware=[packed]), token, port)


def _parsed(text: str) -> Any:
    try:
        return json.loads(text) if len(text) <= LARGEST else None
    except (ValueError, RecursionError):
        return None


def _with_text(message: Message) -> tuple[Message, str]:
    """Return an answer and its text; those of a fault if it cannot be sent."""
    try:
        return message, wire.text(message)
    except Exception as error:
        found = wire.fault(error)
        return found, wire.text(found)


async def _send(socket: WebSocket, text: str) -> None:
    with suppress(RuntimeError, WebSocketDisconnect):  # the tab has gone meanwhile
        await socket.send_text(text)


async def _close(socket: WebSocket, code: int, reason: str) -> None:
    with suppress(RuntimeError, WebSocketDisconnect):
        await socket.close(code, reason)
