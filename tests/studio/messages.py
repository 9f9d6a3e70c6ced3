"""Random messages to a studio: edits that may fit the document, and what no page would send."""

from __future__ import annotations

import base64
import copy
import json
import math
import random
from collections.abc import Callable
from typing import Any

from structkin.examples import names, path
from structkin.studio import share
from structkin.studio.document import Document
from structkin.studio.layers import LAYERS
from structkin.studio.session import ANSWERS, Session

EXAMPLES = {name: path(name).read_text(encoding="utf-8") for name in names()}
#: Values of every kind that JSON can hold, and of some that only Python's reader takes.
VALUES: tuple[Any, ...] = (
    None, True, False, 0, -0.0, 1, -1, 0.5, 90, 1e-320, 1e-12, 1e12, 1e13, 1e100, -1e308, 10**30, 10**400, math.nan,
    math.inf, -math.inf, "", " ", "A", "B", "ground", "crank", "motor", "prismatic", "gear", "1 mm", "30 rpm", "mm",
    "rad", "gravity", "a-b", "__proto__", "constructor", "\ud800", "\0", "\x1b[2J", "=1+1", "ß" * 200, "x" * 5000,
    "t", "95*sin(2*pi*t)", "1/t", [], {}, [[]], [0], [0, 0], [1, 2, 3], ["A"], ["A", "B"], [["A", "B"]],
    ["A", {"b": 1}], {"": 0}, {"type": []}, {"points": 3},
    {"type": "prismatic", "links": ["ground", "crank"], "axis": [1, 0]},
)  # fmt: skip
#: Texts that are no messages.
NONSENSE = ("", "{", "null", "[]", '{"type":', "[" * 50_000, '{"type": "undo"}}', "\0", "NaN", '"undo"', "9" * 5000)
SECTIONS = ("points", "links", "joints", "drivers", "forces", "initial", "lengths", "units")
SEARCHES = ("limits", "ranking", "efforts", "assemblies", "scene", "courses", "simulate")


def message(session: Session, source: random.Random) -> str:
    """Return the text of a random message."""
    if source.random() < 0.03:
        return source.choice(NONSENSE)
    kind = source.choices(KINDS, [weight for _, weight in KINDS_AND_WEIGHTS])[0]
    found = kind(session, source)
    if source.random() < 0.25:
        found = changed(found, source)
    text = json.dumps(found)
    if source.random() < 0.02:
        cut = source.randrange(len(text))
        text = text[:cut] + text[cut + source.randint(1, 5) :]
    return text


def changed(data: Any, source: random.Random) -> Any:
    """Return JSON data with one to three of its parts replaced, removed or renamed."""
    data = copy.deepcopy(data)
    for _ in range(source.choice((1, 1, 1, 2, 3))):
        tables = [data] if isinstance(data, dict) and data else []
        for table in tables:
            items = table.values() if isinstance(table, dict) else table
            tables += [one for one in items if isinstance(one, dict | list) and one]
        if tables:
            # seldom the message itself: it would no longer be of any type
            table = source.choice(tables[1:] or tables)
            _change_one(table, source.choice(list(table) if isinstance(table, dict) else range(len(table))), source)
    return data


def _change_one(table: Any, key: Any, source: random.Random) -> None:
    act = source.random()
    if act < 0.7:
        table[key] = copy.deepcopy(source.choice(VALUES))
    elif act < 0.85:
        del table[key]
    elif isinstance(table, dict):
        table[str(source.choice(VALUES))] = table.pop(key)
    else:
        table.append(copy.deepcopy(table[key]))


# --- the messages -------------------------------------------------------------------------------------------


def _name(session: Session, section: str, source: random.Random) -> str:
    known = list(session.history.now.section(section))
    return source.choice(known) if known and source.random() < 0.9 else source.choice(("A", "X", "ground", "link1"))


def _place(source: random.Random) -> list[float]:
    return [source.choice((source.uniform(-200, 200), source.choice((0, 1e-9, 1e9, 1e12)))) for _ in range(2)]


def _edit(session: Session, source: random.Random) -> dict[str, Any]:
    def name(section: str) -> str:
        return _name(session, section, source)

    section = source.choice(SECTIONS)
    entries = [*session.history.now.section(section).values()]
    commands: list[dict[str, Any]] = [
        {"op": "add_point", "at": _place(source), "links": [name("links")]},
        {"op": "move_point", "point": name("points"), "at": _place(source), "typed": source.random() < 0.3},
        {"op": "merge_points", "keep": name("points"), "drop": name("points")},
        {"op": "attach", "point": name("points"), "link": name("links")},
        {"op": "detach", "point": name("points"), "link": name("links")},
        {"op": "add_link", "points": [name("points"), _place(source)]},
        {"op": "put", "section": section, "name": name(section), "entry": source.choice([*entries, {}])},
        {"op": "drive", "joint": name(source.choice(("points", "joints"))), "instead": name("drivers")},
        {"op": "rename", "section": section, "name": name(section), "to": source.choice("ABCXYZ")},
        {"op": "delete", "section": section, "name": name(section)},
        {"op": "set_length", "first": name("points"), "second": name("points"), "length": source.choice((None, 1, 50))},
        {"op": "set_angle", "first": name("points"), "second": name("points"), "angle": source.uniform(-400, 400)},
        {"op": "align", "points": [name("points"), name("points")], "axis": source.choice("xyz")},
        {"op": "transform", "points": [name("points")], "turn": source.uniform(-9, 9), "to": _place(source)},
        {"op": "set_gravity", "value": source.choice((None, [0, -9.81], _place(source)))},
        {"op": "set_head", "key": source.choice(("title", "duration", "units")), "value": source.choice(VALUES)},
    ]
    return {"type": "edit", "command": source.choice(commands), "stroke": source.choice((None, 1, 2))}


def _draft(session: Session, source: random.Random) -> dict[str, Any]:
    return {"type": "edit", "command": {"op": "replace", "document": changed(dict(session.history.now.data), source)}}


def _shared(session: Session, source: random.Random) -> dict[str, Any]:
    text = share.fragment(Document(session.history.now.data))
    cut = source.randrange(len(text))
    return {
        "type": "open",
        "fragment": source.choice((text, text[:cut], text[:cut] + "x" + text[cut + 1 :], text[::-1])),
    }


def _file(session: Session, source: random.Random) -> dict[str, Any]:
    text = EXAMPLES[source.choice(sorted(EXAMPLES))]
    for _ in range(source.choice((0, 0, 1, 2))):
        words = text.split(" ")
        words[source.randrange(len(words))] = source.choice(
            ("nan", "inf", "1979-05-27", "07:32:00", "{}", '""', "=", "]")
        )
        text = " ".join(words)
    name = (
        "a.toml" if source.random() < 0.8 else source.choice(("a.json", "a.txt", "a", "../a.toml", "ß" * 200 + ".toml"))
    )
    return {"type": "open", "name": name, "data": base64.b64encode(text.encode()).decode()}


def _move(session: Session, source: random.Random) -> dict[str, Any]:
    link, driver = _name(session, "links", source), _name(session, "drivers", source)
    return source.choice((
        {"type": "drag", "link": link, "local": _place(source), "to": _place(source), "seq": source.randrange(9)},
        {"type": "turn", "driver": driver, "to": source.uniform(-500, 500), "seq": source.randrange(9)},
        {"type": "seek", "t": source.uniform(-1, 3), "seq": source.randrange(9)},
        {"type": "layers", "names": source.sample([*LAYERS, ""], source.randrange(3)), "base": link},
        {"type": "wiggle", "coordinate": driver},
        {"type": "assembly", "index": source.randrange(-1, 3)},
        {"type": "settle", "part": source.choice([None, *range(3), True]), "index": source.randrange(-1, 3)},
        {"type": "go_on", "pull": source.choice([None, 1, {"link": "crank", "local": [1, 0], "to": [5, 5]}])},
    ))  # fmt: skip


def _wish(session: Session, source: random.Random) -> dict[str, Any]:
    point, link = _name(session, "points", source), _name(session, "links", source)
    objective = source.choice((
        {"measure": "extent"}, {"measure": "stroke", "of": link},
        {"measure": "path", "point": point, "places": [[0, 0]]},
    ))  # fmt: skip
    better = {"aim": "better", "parameters": {f"points.{point}.x": [-500, 500]}, "objective": objective}
    path = {"aim": "path", "points": [_place(source) for _ in range(4)], "kinds": ["four-bar"], "pivots": [point]}
    positions = {"aim": "positions", "positions": [[*_place(source), 30] for _ in range(2)], "kinds": ["four-bar"]}
    return source.choice((
        {"type": "find", "wish": {**better, "evaluations": 3, "samples": 5}},
        {"type": "find", "wish": {**path, "timing": [0, 20, 40, 60], "budget": 1}},
        {"type": "find", "wish": positions},
        {"type": "look", "seen": source.randrange(3)},
        {"type": "stop"},
        {"type": "take", "id": source.randrange(99)},
        {"type": "points", "name": "p.csv", "data": base64.b64encode(b"x,y\n1,2\n3,4\n").decode()},
    ))  # fmt: skip


def _plain(session: Session, source: random.Random) -> dict[str, Any]:
    type = source.choice([type for type in ANSWERS if type not in SEARCHES])
    return {"type": type, "overwrite": source.random() < 0.5, "protocol": 1}


def _undo(session: Session, source: random.Random) -> dict[str, Any]:
    return {"type": source.choice(("undo", "undo", "redo"))}


def _search(session: Session, source: random.Random) -> dict[str, Any]:
    return {"type": source.choice(SEARCHES)}


KINDS_AND_WEIGHTS: list[tuple[Callable[[Session, random.Random], dict[str, Any]], int]] = [
    (_edit, 50), (_draft, 4), (_shared, 4), (_file, 12), (_move, 20), (_plain, 14), (_undo, 30), (_search, 2),
    (_wish, 4),
]  # fmt: skip
KINDS = [kind for kind, _ in KINDS_AND_WEIGHTS]
