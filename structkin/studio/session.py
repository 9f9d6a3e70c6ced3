"""The session of a studio: the documents, their checks, and the pose.

**The protocol** (version 1). One WebSocket carries JSON messages; each has a `type`. Places and lengths are in the
file's unit of length, driver values in the file's units, frames are `[x, y, angle in radians]` of each moving link.

From the browser:

| type | with | is answered by |
|---|---|---|
| `hello` | `protocol` | `hello`, then `state` |
| `edit` | `command` (see `commands`), `stroke`, `sound` | `state` |
| `undo`, `redo` | | `state` |
| `drag` | `link`, `local` (a place in its frame), `to`, `seq` | `pose`; of several waiting ones only the last counts |
| `turn` | `driver`, `to`, `seq` | `pose`; likewise |
| `seek` | `t` [s], `seq` | `pose`, with all drivers where their laws put them; likewise |
| `rest` | | `state`, with the pose of the sketch |
| `whole` | | `state`, with its free coordinates; the server asks for it itself |
| `layers` | `names`, and `base`, a link (see `layers`) | `pose`, which has `layers` from now on, if there is one |
| `limits`, `ranking`, `efforts`, `assemblies`, `scene`, `courses` | | one of the same name, when it is found |
| `wiggle` | `coordinate` | `wiggle` |
| `simulate` | | `simulation`, the first part of one, when it is found |
| `go_on` | `pull`, null or `link`, `local`, `to` | `simulation`, the next part; meanwhile the pointer pulls |
| `settle` | `part` and `index` of a `simulation`, or none | `pose`: the mechanism stands there, or where it began |
| `assembly` | `index`, from the last `assemblies` | `pose`: the mechanism is put together that way |
| `save` | `overwrite` | `saved`, and `state` |
| `share` | | `shared` with the `fragment` |
| `gallery` | | `gallery`: the `cards` of the examples |
| `thumbnail` | `name` of an example | `thumbnail`, when it is found |
| `open` | `fragment`, `example`, or `name` and `data` (a file, base64) | `notes` of another tool's file, `state` |
| `adopt` | | `state`: the pose that is shown is the sketch |
| `points` | `name` and `data` (a table, base64) | `points`, with their `angles`, null where the table has none |
| `find` | `wish` (see `wishes`) | `found`, at once and at the end of the search |
| `look` | `seen`, the last `version` | `found` |
| `stop` | | `found`: the search ends, and keeps its cards |
| `take` | `id` of a card | `state`: the drawing is that of the card |

Changes of one `stroke`, a number, are one step of undo. One with `sound` is refused where the document is a mechanism
and would not be one any more.

To the browser:

- `hello`: `protocol`, `version`, `file` (its name, null if there is none), `key` (under which the browser keeps unsaved
  work), `example` (whether it is the one to try).
- `state`: `revision`, `document`, `sketch`, `loads` (see `marks`), `lifts` (of cams over their turn), `scene` (as in
  `structkin.show.view`; null where there is no mechanism) and its frames `sketched`, `exact` (the scene with given
  lengths, where there are any), `problems`, `stray` (points on no link), `loose` (links that nothing connects to the
  ground), `structure`, `undo`, `redo`, `changes` (how many can be undone), `saved`, and what `pose` has where there is
  one, with `clock` (from when to when [s] the laws run, and whether without an end; null without laws).
  Where drivers are missing, free coordinates have to be found, which takes longer: `state` then comes at once with the
  sketch as its pose, and once more, with all of it, when no other message waits.
- `pose`: `revision`, `frames`, `drivers`, `free` (coordinates without a driver), `t` (the time [s] at which the laws
  give this pose, null if none is known), `stopped` (why it moves no farther), `done` (whether it is as near as
  possible), `seq`, `layers`, if any are wanted, and after a `drag`, `turn` or `seek` the frames on its `way`.
- `refused`: `problems`; the request cannot be carried out, and nothing has changed.
- `fault`: `problems`; likewise, but the studio is wrong. The terminal shows the traceback.
- `working`: a message takes long, or waits for one that does; its answer follows.
- `efforts`: what holds the pose at rest, in N and N m.
- `scene`: the `box` of the mechanism's own motion; and the `scene`, null where it is that of the state, with slots as
  long as that motion needs.
- `found`: `aim` of the wish, `part` of the search that is done, `ended`, `stopped`, `failure`, `notes`, `version`, and
  the `cards`, unless they were seen in this version: `id`, `title`, `view` of the motion; of a linkage `words`,
  `point`, `error`, `transmission` [deg] or null, `circuits` or null, `cognate`, `defects`; of a drawing `value`, and
  `numbers`, each before and after. A change of the drawing does not end the search.
- `simulation`: the number `part`, that of the part `after` which it comes (null at first), `t`, `frames` and
  `drivers` of all samples, and why it `stopped`, if it did.
- `courses`: what is plotted over the motion, see `courses`.
- `limits`, `ranking`, `assemblies`, `wiggle`, `saved`, `shared`, `notes`: see `wire`.

A message from the browser may carry a number `ask`, which the last of its answers repeats. One that is answered later
carries the `revision` of the document it was asked for.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from copy import copy
from dataclasses import dataclass, field
from typing import Any

import numpy as np

import structkin
from structkin.branches.assemblies import Assembly
from structkin.dynamics.start import pose_of
from structkin.errors import InputError, Problem, StructkinError
from structkin.model import Mechanism
from structkin.studio import commands, gallery, share, wire, wishes
from structkin.studio.adopt import with_pose
from structkin.studio.check import Check, check
from structkin.studio.document import Document, refuse
from structkin.studio.driving import Driving, Progress
from structkin.studio.files import MechanismFile, opened, points_in
from structkin.studio.finding import Search
from structkin.studio.free_run import FreeRun, Pull, let_go, stop_of
from structkin.studio.history import History
from structkin.studio.layers import Layers, courses
from structkin.studio.marks import marks

PROTOCOL = 1
#: The time [s] that a drag is followed before the pose is shown.
SLICE = 0.012
#: What a search for inputs or assemblies may take: choices or steps, assemblies, and seconds for these.
BUDGET, MOST, SECONDS = 500, 12, 4.0
#: Samples of the motion for which slots and cylinders are drawn.
SAMPLES = 37

Message = dict[str, Any]
#: What is computed in the background: no message of its own, but what is sent when it is there.
Job = Callable[[], Message]


@dataclass
class Session:
    """One mechanism under edit. `handle` is called from one thread at a time; a `Job` may run beside it."""

    history: History
    file: MechanismFile | None = None
    example: bool = False
    revision: int = 0
    saved: Document = field(init=False)
    _check: Check = field(init=False)
    _driving: Driving | InputError | None = field(init=False, default=None)
    _assemblies: list[Assembly] = field(init=False, default_factory=list)
    #: The last simulation, once there is one, and the number of its parts and those of others before.
    _run: FreeRun | None = field(init=False, default=None)
    _parts: int = field(init=False, default=0)
    #: The last search for a mechanism, once there is one.
    _search: Search | None = field(init=False, default=None)
    #: What is drawn over the pose.
    _layers: Layers = field(init=False, default_factory=Layers)
    #: Whether the last state went without its free coordinates.
    owes: bool = field(init=False, default=False)
    #: Whether the document was replaced as a whole since the file was read or written.
    _replaced: bool = field(init=False, default=False)

    def __post_init__(self) -> None:
        """Check the first document."""
        self.saved = self.history.now
        self._check = check(self.history.now, self._folder)

    @property
    def _key(self) -> str:
        """A key that distinguishes the file from others, without its path."""
        path = "" if self.file is None else str(self.file.path.resolve())
        return hashlib.sha256(path.encode()).hexdigest()[:16]

    @property
    def _folder(self) -> Any:
        return None if self.file is None else self.file.path.parent

    # --- messages -------------------------------------------------------------------------------------------

    def handle(self, message: Any) -> list[Message | Job]:
        """Return the answers to a message, and the jobs that will answer it; it never raises."""
        try:
            if not isinstance(message, dict):
                raise refuse("", "a message is a table with a type")
            type = message.get("type")
            answer = ANSWERS.get(type) if isinstance(type, str) else None
            if answer is None:
                raise refuse("", "a message of this type is not known")
            answers = list(answer(self, message))
        except InputError as error:
            answers = [{"type": "refused", "problems": wire.problems(error.problems)}]
        except StructkinError as error:
            answers = [{"type": "refused", "problems": wire.problems([Problem("", str(error))])}]
        except Exception as error:
            answers = [wire.fault(error)]
        return _numbered(answers, message)

    def _hello(self, message: Message) -> Iterator[Message]:
        if message.get("protocol") != PROTOCOL:
            raise refuse("", "the page is of another version of structkin", "load it again")
        name = None if self.file is None else self.file.path.name
        self._layers = Layers()
        yield {"type": "hello", "protocol": PROTOCOL, "version": structkin.__version__, "file": name,
               "key": self._key, "example": self.example}  # fmt: skip
        yield self.state()

    def _edit(self, message: Message) -> Iterator[Message]:
        command = commands.read(message.get("command"))
        document = command.apply(self.history.now)
        if message.get("sound") is True and self._check.mechanism is not None:
            found = check(document, self._folder)
            if found.mechanism is None:
                raise InputError(found.problems, "studio")
        stroke = message.get("stroke")
        yield self._set(self.history.then(document, stroke if isinstance(stroke, int) else None))
        self._replaced |= isinstance(command, commands.Replace)

    def _undo(self, message: Message) -> Iterator[Message]:
        yield self._set(self.history.undo())

    def _redo(self, message: Message) -> Iterator[Message]:
        yield self._set(self.history.redo())

    def _open(self, message: Message) -> Iterator[Message]:
        fragment, example, notes = message.get("fragment"), message.get("example"), tuple[str, ...]()
        if isinstance(fragment, str):
            document = share.opened(fragment)
        elif isinstance(example, str):
            document = gallery.document(example)
        else:
            document, notes = opened(str(message.get("name")), str(message.get("data")))
        state = self._set(self.history.then(document))
        self._replaced = True
        if notes:
            yield {"type": "notes", "notes": list(notes)}
        yield state

    def _adopt(self, message: Message) -> Iterator[Message]:
        yield self._set(self.history.then(with_pose(self.history.now, self.driving)))

    def _set(self, history: History) -> Message:
        """Make a document the current one and return its state; if it has none, the one before stays."""
        before = self.history, self.revision, self._check, self._driving, self._assemblies, self._run
        try:
            if history.now != self.history.now:
                self.revision += 1
                self._check = check(history.now, self._folder, self._check)
                self._driving, self._assemblies, self._run = None, [], None
            self.history = history
            state = self.state()
            wire.text(state)
        except Exception:
            self.history, self.revision, self._check, self._driving, self._assemblies, self._run = before
            raise
        return state

    def _drag(self, message: Message) -> Iterator[Message]:
        seq, (link, local, to) = _sequence(message), self._held(message)
        yield self._moved(seq, lambda driving: driving.drag(link, local, to, SLICE))

    def _held(self, message: Any) -> tuple[str, complex, complex]:
        """Return the link that the pointer holds, the place in its frame and that of the pointer [m]."""
        if not isinstance(message, dict):
            raise refuse("", "expected a link, a place in its frame and a place")
        scale = self.driving.mechanism.units.length_scale
        local, to = (complex(*_pair(message.get(key))) * scale for key in ("local", "to"))
        return str(message.get("link")), local, to

    def _turn(self, message: Message) -> Iterator[Message]:
        driving, seq, id = self.driving, _sequence(message), str(message.get("driver"))
        drive, units = driving.mechanism.drivers.get(id), driving.mechanism.units
        scale = units.angle_scale if drive is not None and drive.kind == "angle" else units.length_scale
        to = _number(message.get("to"), id) * scale
        yield self._moved(seq, lambda driving: driving.turn(id, to, SLICE))

    def _seek(self, message: Message) -> Iterator[Message]:
        seq, t = _sequence(message), _number(message.get("t"), "t")
        yield self._moved(seq, lambda driving: driving.seek(t, SLICE))

    def _rest(self, message: Message) -> Iterator[Message]:
        self._driving = None
        yield self.state()

    def _whole(self, message: Message) -> Iterator[Message]:
        yield self.state(whole=True)

    def _choose_layers(self, message: Message) -> Iterator[Message]:
        self._layers = Layers.read(message.get("names"), message.get("base"))
        with suppress(InputError):
            yield self._pose(None, Progress(True, 0))

    def _moved(self, seq: float | None, move: Callable[[Driving], Progress]) -> Message:
        """Return the pose to which a drive leads, with those that it has passed."""
        driving = self.driving
        driving.way.clear()
        pose = self._pose(seq, move(driving))
        return {**pose, "way": [wire.frames(driving.mechanism, frames) for frames in driving.way[:-1]]}

    def _pose(self, seq: float | None, progress: Progress) -> Message:
        return {**self._placed(), "type": "pose", "seq": seq, "done": progress.done,
                "stopped": progress.stopped, "revision": self.revision}  # fmt: skip

    def _save(self, message: Message) -> Iterator[Message]:
        if self.file is None:
            raise refuse("", "the studio was opened without a file", "download the mechanism")
        overwrite, name = message.get("overwrite") is True, self.file.path.name
        if self._replaced and self.file.text is not None and not overwrite:
            raise refuse(name, "would be replaced by another mechanism", "save again to overwrite it")
        self.file.save(self.history.now, overwrite=overwrite)
        self.saved, self._replaced = self.history.now, False
        yield {"type": "saved", "file": name}
        yield self.state()

    def _share(self, message: Message) -> Iterator[Message]:
        yield {"type": "shared", "fragment": share.fragment(self.history.now)}

    def _gallery(self, message: Message) -> Iterator[Message]:
        yield {"type": "gallery", "cards": gallery.cards()}

    def _thumbnail(self, message: Message) -> Iterator[Job]:
        name = str(message.get("name"))
        yield self._job("thumbnail", lambda: {"name": name, "view": gallery.picture(name)})

    # --- searches in the background -------------------------------------------------------------------------

    def _find_limits(self, message: Message) -> Iterator[Job]:
        mechanism = self.driving.mechanism

        def job() -> list[Message]:
            return [wire.limits(mechanism.limits(driver)) for driver in mechanism.drivers]

        yield self._job("limits", job)

    def _find_efforts(self, message: Message) -> Iterator[Job]:
        motion = self.driving.motion
        yield self._job("efforts", lambda: wire.efforts(motion.forces()))

    def _find_courses(self, message: Message) -> Iterator[Job]:
        if self.driving.free:
            raise refuse("drivers", "a motion is plotted where drivers determine it", "drive what moves freely")
        mechanism = self.driving.mechanism
        yield self._job("courses", lambda: courses(mechanism))

    def _find_ranking(self, message: Message) -> Iterator[Job]:
        mechanism = self._check.mechanism
        if mechanism is None:
            raise refuse("", "there is no mechanism yet")
        yield self._job("ranking", lambda: wire.ranking(mechanism.rank_inputs(limit=BUDGET)))

    def _find_scene(self, message: Message) -> Iterator[Job]:
        mechanism, structure = self._check.mechanism, self._check.structure
        if mechanism is not None and self._check.solvable:
            yield self._job("scene", lambda: wire.wide_scene(mechanism, structure, SAMPLES))

    def _find_assemblies(self, message: Message) -> Iterator[Job]:
        mechanism, drivers = self.driving.mechanism, self.driving.values
        self._assemblies = found = list[Assembly]()

        def job() -> Message:
            until, every = time.monotonic() + SECONDS, mechanism.assemblies(drivers=drivers, limit=MOST, budget=BUDGET)
            for assembly in every:
                found.append(assembly)
                if time.monotonic() > until:
                    words = f"{len(found)} so far: the search stopped after {SECONDS:g} s"
                    break
            else:
                words = "; ".join(every.report.splitlines())
            ghosts = [{"label": one.label, "frames": wire.frames(mechanism, frames_of(one))} for one in found]
            return {"list": ghosts, "words": words}

        yield self._job("assemblies", job)

    def _take_assembly(self, message: Message) -> Iterator[Message]:
        index = message.get("index")
        if not isinstance(index, int) or not 0 <= index < len(self._assemblies):
            raise refuse("", "this assembly is not known any more", "ask for the assemblies again")
        own = self.driving.own
        self._driving = Driving(self._assemblies[index].mechanism(), own)
        yield self._pose(None, Progress(True, 1))

    def _simulate(self, message: Message) -> Iterator[Job]:
        revision = self.revision
        first = pose_of(self.driving.motion, 0)
        self._run = FreeRun(let_go(self.driving), first, lambda: self.revision == revision)
        yield from self._go_on({})

    def _go_on(self, message: Message) -> Iterator[Job]:
        run, given = self._simulated(), message.get("pull")
        pull = None if given is None else Pull(*self._held(given))
        number, self._parts = self._parts, self._parts + 1
        yield self._job("simulation", lambda: run.go_on(number, pull))

    def _settle(self, message: Message) -> Iterator[Message]:
        run, before, part, index = self._simulated(), self.driving, message.get("part"), message.get("index")
        if part is None:
            pose, stopped = run.first, ""
        else:
            found = run.parts.get(part) if type(part) is int else None
            if found is None or type(index) is not int or not 0 <= index < len(found):
                raise refuse("", "this sample is not known any more", "simulate again")
            pose = pose_of(found, index)
            stopped = stop_of(found) if index == len(found) - 1 else ""
        self._driving = Driving(before.mechanism.posed(pose), before.own)
        yield self._pose(None, Progress(True, 1, stopped))

    def _simulated(self) -> FreeRun:
        if self._run is None:
            raise refuse("", "there is no simulation any more", "simulate again")
        return self._run

    # --- searches for mechanisms ------------------------------------------------------------------------------

    def _points(self, message: Message) -> Iterator[Message]:
        units = self.history.now.units
        points, angles = points_in(str(message.get("name")), str(message.get("data")), units)
        yield {"type": "points", "points": points, "angles": angles}

    def _find(self, message: Message) -> Iterator[Message | Job]:
        wish = wishes.read(message.get("wish"))
        if wish.aim == "better" and self.driving.free:
            raise refuse("drivers", "a motion is improved where drivers determine it", "drive what moves freely")
        mechanism = self._check.mechanism
        self.leave()
        self._search = search = Search(wish, self.history.now, mechanism, self.revision)

        def job() -> Message:
            search.run()
            # another search may have begun meanwhile
            return {**(self._search or search).message(None), "revision": self.revision}

        yield job
        yield search.message(None)

    def _look(self, message: Message) -> Iterator[Message]:
        if self._search is not None:
            yield self._search.message(message.get("seen"))

    def _stop(self, message: Message) -> Iterator[Message]:
        self.leave()
        yield from self._look(message)

    def leave(self) -> None:
        """End the search, if there is one: nobody waits for it any more."""
        if self._search is not None:
            self._search.stopped = True

    def _take(self, message: Message) -> Iterator[Message]:
        id, search = message.get("id"), self._search
        if search is None or type(id) is not int or id not in search.found:
            raise refuse("", "this mechanism is not known any more", "search again")
        if search.wish.aim == "better" and search.revision != self.revision:
            raise refuse("", "the drawing has changed since it was improved", "improve it again")
        yield self._set(self.history.then(search.found[id]))
        self._replaced |= search.wish.aim != "better"

    def _wiggle(self, message: Message) -> Iterator[Message]:
        driving, coordinate = self.driving, message.get("coordinate")
        if coordinate not in driving.order:
            raise refuse("", f"there is no coordinate '{coordinate}'")
        poses = [wire.frames(driving.mechanism, found) for found in driving.wiggle(coordinate)]
        yield {"type": "wiggle", "revision": self.revision, "coordinate": coordinate, "poses": poses}

    def _job(self, kind: str, find: Callable[[], Any]) -> Job:
        revision = self.revision

        def job() -> Message:
            try:
                return {"type": kind, "revision": revision, "found": find()}
            except Exception as error:
                return {"type": kind, "revision": revision, "found": [], "failure": wire.failure(error)}

        return job

    # --- what is shown --------------------------------------------------------------------------------------

    @property
    def driving(self) -> Driving:
        """The mechanism as it is driven; `InputError` if it cannot be."""
        if self._driving is None:
            try:
                if self._check.mechanism is None:
                    raise refuse("", "there is no mechanism to move yet", "draw links, and pin one to the ground")
                self._driving = Driving(self._check.mechanism)
            except InputError as error:
                self._driving = error
        if isinstance(self._driving, InputError):
            raise self._driving
        return self._driving

    def state(self, *, whole: bool = False) -> Message:
        """Return the state for the page; while free coordinates are to be found, it `owes` what needs them.

        The `whole` state finds them, or says why there are none.
        """
        found, scene = self._check, None
        placed: Message = {}
        reasons = list(found.problems)
        if (drawn := wire.scene(found)) is not None:
            scene, sketched = drawn
            placed = {"frames": sketched, "sketched": sketched}
        is_under = self._driving is None and found.structure is not None and bool(found.structure.under)
        self.owes = is_under and not whole
        try:
            if not self.owes:
                placed |= {**self._placed(), "clock": self.driving.clock}
                if self.history.now.section("lengths"):
                    exact = wire.scene(found, self.driving.motion)
                    placed["exact"] = exact and exact[0]
        except InputError as error:
            if found.mechanism is not None and not reasons:
                reasons = list(error.problems)
        return {
            "type": "state",
            "revision": self.revision,
            "document": self.history.now.data,
            "sketch": wire.sketch(self.history.now),
            "scene": scene,
            "loads": [] if found.mechanism is None else marks(self.history.now, found.mechanism),
            "lifts": wire.lifts(found.mechanism),
            "problems": wire.problems(reasons),
            "stray": list(found.stray),
            "loose": list(found.loose),
            "structure": wire.structure(found),
            "undo": bool(self.history.past),
            "changes": len(self.history.past),
            "redo": bool(self.history.future),
            "saved": self.history.now == self.saved,
            **placed,
        }

    def shown(self) -> tuple[Document, Mechanism | None, Driving | None]:
        """Return the document, its mechanism if it is valid, and how it is driven, for a download."""
        try:
            driving = copy(self.driving)
        except InputError:
            return self.history.now, self._check.mechanism, None
        return self.history.now, self._check.mechanism, driving

    def _placed(self) -> Message:
        driving = self.driving
        return {
            "frames": wire.frames(driving.mechanism, driving.frames),
            "drivers": wire.values(driving.mechanism, driving.values),
            "free": list(driving.free),
            "t": driving.time,
            **({"layers": self._layers.of(driving)} if self._layers.names else {}),
        }


#: How each message of the browser is answered.
ANSWERS: Mapping[str, Callable[[Session, Message], Iterator[Message | Job]]] = {
    "hello": Session._hello,
    "edit": Session._edit,
    "undo": Session._undo,
    "redo": Session._redo,
    "open": Session._open,
    "adopt": Session._adopt,
    "drag": Session._drag,
    "turn": Session._turn,
    "seek": Session._seek,
    "rest": Session._rest,
    "whole": Session._whole,
    "layers": Session._choose_layers,
    "save": Session._save,
    "share": Session._share,
    "gallery": Session._gallery,
    "thumbnail": Session._thumbnail,
    "limits": Session._find_limits,
    "ranking": Session._find_ranking,
    "efforts": Session._find_efforts,
    "courses": Session._find_courses,
    "assemblies": Session._find_assemblies,
    "scene": Session._find_scene,
    "assembly": Session._take_assembly,
    "wiggle": Session._wiggle,
    "simulate": Session._simulate,
    "go_on": Session._go_on,
    "settle": Session._settle,
    "points": Session._points,
    "find": Session._find,
    "look": Session._look,
    "stop": Session._stop,
    "take": Session._take,
}


def frames_of(assembly: Assembly) -> dict[str, tuple[float, float, float]]:
    """Return origin [m] and angle [rad] of each moving link's frame in an assembly."""
    frames = {}
    for link in assembly.motion.plan.frames:
        if link != assembly.motion.mechanism.topology.ground:
            x, y = assembly.position(0j, link).tolist()
            tip = assembly.position(1 + 0j, link)
            frames[link] = (x, y, float(np.arctan2(tip[1] - y, tip[0] - x)))
    return frames


def _numbered(answers: list[Message | Job], message: Any) -> list[Message | Job]:
    """Return the answers to a message, the last one with the message's own number, if it has one."""
    ask = message.get("ask") if isinstance(message, dict) else None
    if answers and isinstance(answers[-1], dict) and type(ask) is int:
        answers[-1]["ask"] = ask
    return answers


def _number(value: Any, key: str = "") -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not abs(value) <= 1e12:
        raise refuse(key, "must be a number from -1e12 to 1e12")
    return float(value)


def _sequence(message: Message) -> float | None:
    return _number(message["seq"]) if message.get("seq") is not None else None


def _pair(value: Any) -> tuple[float, float]:
    if not isinstance(value, list) or len(value) != 2:
        raise refuse("", "expected a place [x, y]")
    return _number(value[0]), _number(value[1])
