"""Pyslvs expressions: M[J[R, P[x, y], L[ground, a]], J[P, A[30], P[x, y], L[ground, b]], ...], and pairs of inputs."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

from structkin.files.readers.imported import Imported, bounded, listed
from structkin.files.readers.jointed import PlainJoint, add_joints, drive
from structkin.model.flaw import Flaw, short
from structkin.model.mechanism import GROUND

#: Pyslvs moves an input through one turn and has no speeds.
SPEED = "1 rpm"

_TOKEN = re.compile(r"\s*([\[\],]|[^\s\[\],]+)")
_PAIR = re.compile(r"[\[(]\s*(\d{1,6})\s*,\s*(\d{1,6})\s*[\])]")

Node = tuple[str, list[Any]]


def read(text: str) -> Imported:
    """Return the mechanism of an expression; a line inputs=[[0, 1]] may follow it.

    >>> found = read("M[J[R, P[0, 0], L[ground, a]], J[R, P[3, 4], L[a]]] # arm\\ninputs=[[0, 1]]")
    >>> found.points, found.links
    ({'Point0': [0.0, 0.0], 'Point1': [3.0, 4.0]}, {'ground': ['Point0'], 'a': ['Point0', 'Point1']})
    >>> found.drivers["input Point0"]["links"]
    ['ground', 'a']
    """
    text = re.sub(r"#[^\n]*", "", text)
    mechanism, _, rest = text.partition("inputs")
    pairs = [(int(base), int(driver)) for base, driver in _PAIR.findall(rest.replace("[[", "[").replace("((", "("))]
    return read_expression(mechanism, pairs)


def read_expression(text: str, pairs: Sequence[tuple[int, int]]) -> Imported:
    """Return the mechanism of an expression and its inputs: pairs of points, the base and one that is driven.

    A slider is driven along its slot by a pair of itself.
    """
    found = Imported()
    name, nodes = _parse(text)
    if name != "M":
        raise Flaw(f"expected M[...], found '{short(name)}'")
    bounded(len(nodes) + len(pairs))
    joints = [_joint(found, k, node) for k, node in enumerate(nodes)]
    plain = [joint for joint in joints if joint is not None]
    if not nodes:
        found.fault("M", "the expression has no joints")
    slides = {joint.label for k, joint in enumerate(joints) if joint is not None and (k, k) in pairs}
    names = add_joints(found, plain, "", slides) if not found.problems else {}
    for base, driven in pairs if not found.problems else ():
        _drive(found, joints, names, base, driven)
    if any("rpm" in driver["speed"] for driver in found.drivers.values()):
        found.notes.append(f"Pyslvs gives no speed: inputs turn at {SPEED}")
    if not pairs and not found.problems:
        found.notes.append("the expression has no inputs: add a line such as inputs=[[0, 1]], or [drivers]")
    return found


def _parse(text: str) -> Node:
    """Return the outermost name[...] of a text as a tree; raise `Flaw` where brackets do not match."""
    stack: list[Node] = [("", [])]
    place, text = 0, text.strip()
    while place < len(text):
        match = _TOKEN.match(text, place)
        if match is None:
            break
        place, token = match.end(), match[1]
        inner = stack[-1][1]
        if token == "[":
            if not inner or not isinstance(inner[-1], str):
                raise Flaw("a bracket has no name before it", "such as P[0, 0]")
            stack.append((inner.pop(), []))
        elif token == "]":
            if len(stack) < 2:
                raise Flaw("there is one ']' too many")
            node = stack.pop()
            stack[-1][1].append(node)
        elif token != ",":
            inner.append(token)
    nodes = [node for node in stack[0][1] if not isinstance(node, str)]
    if len(stack) != 1 or len(nodes) != 1:
        raise Flaw("the brackets of the expression do not match", "it is M[J[R, P[0, 0], L[ground, a]], ...]")
    found: Node = nodes[0]
    return found


def _joint(found: Imported, k: int, node: Node | str) -> PlainJoint | None:
    key = f"J {k}"
    if isinstance(node, str) or node[0] != "J" or not node[1]:
        found.fault(key, "expected J[type, P[x, y], L[links]]")
        return None
    parts = dict(_nodes(node))
    unknown = [name for name in parts if name.lower() not in ("p", "a", "l", "color")]
    if unknown:
        found.notes.append(f"{key}: not understood, so left out: {listed(unknown)}")
    place = parts.get("P", [])
    if len(place) != 2 or not all(isinstance(item, str) for item in place):
        found.fault(f"{key}.P", "expected a place such as P[0, 0]")
        return None
    x, y = (found.number(f"{key}.P", item) for item in place)
    angle = found.number(f"{key}.A", parts["A"][0]) if parts.get("A") and isinstance(parts["A"][0], str) else 0.0
    links = parts.get("L", [])
    if not all(isinstance(link, str) for link in links):
        found.fault(f"{key}.L", "expected names of links such as L[ground, a]")
        return None
    kind = node[1][0] if isinstance(node[1][0], str) else ""
    return PlainJoint(f"Point{k}", x, y, kind, angle, tuple(dict.fromkeys(links)))


def _nodes(node: Node) -> Iterator[Node]:
    for inner in node[1]:
        if not isinstance(inner, str):
            yield inner


def _drive(found: Imported, joints: Sequence[PlainJoint | None], names: dict[str, str], base: int, driven: int) -> None:
    ends = [joints[k] if k < len(joints) else None for k in (base, driven)]
    pin = ends[0]
    if base == driven and pin is not None and pin.kind != "R":
        drive(found, pin, names.get(pin.label), SPEED)
        return
    held = [found.bodies(end.links) if end is not None else () for end in ends]
    common = [link for link in held[0] if link in held[1] and link != GROUND]
    others = [link for link in held[0] if link not in common]
    if pin is None or pin.label not in names or not common or not others or pin.kind != "R":
        found.notes.append(f"the input ({base}, {driven}) is not understood: the points share no link that turns")
        return
    found.drivers[found.unique(f"input {pin.label}")] = {
        "joint": names[pin.label],
        "links": [others[0], common[0]],
        "speed": SPEED,
    }
