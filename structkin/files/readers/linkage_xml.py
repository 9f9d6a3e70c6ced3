"""The text of a .linkage2 file: its connectors, links and ratios as given, without the drawing layers.

The format is that of the program Linkage by David Rector. A connector is a point, perhaps an anchor (pinned to the
ground), an input (a motor), or a slider between two connectors of a link. A link has connectors; it may be a gear or a
linear actuator.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from xml.etree import ElementTree
from xml.etree.ElementTree import Element

from structkin.files.readers.imported import Imported, counted, listed
from structkin.model.flaw import Flaw, short

#: The layer of the mechanism; others hold drawings, texts and dimensions.
MECHANISM = 16

#: The most connectors, links and references that are read: more than any drawing has.
LARGEST = 5000

#: Revolutions or cycles per minute if a file gives none.
USUAL_RATE = "15"

LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

#: An attribute's value that the next attribute follows without a space; the program reads and writes such files.
_RUN_TOGETHER = re.compile(r'(="[^"<]*")(?=[A-Za-z_])')

_KNOWN = {"program", "connector", "Link", "element", "ratios", "selected", "background"}


@dataclass
class Connector:
    """A connector with its place in units of 1/96 inch."""

    id: int
    label: str
    place: complex
    anchor: bool
    input: bool
    rpm: str
    swing: float
    offset: float
    manual: bool
    drawn: bool
    slider: bool
    limits: tuple[int, ...]
    radius: float
    fastened: tuple[str, int] | None


@dataclass
class Part:
    """A link of the file: a bar, a gear or an actuator."""

    id: int
    label: str
    connectors: list[int]
    actuator: bool
    throw: float
    cpm: str
    offset: float
    manual: bool
    gear: bool
    elastic: bool
    fastened: tuple[str, int] | None


@dataclass
class Ratio:
    """Two gears in mesh, or under one chain, and their sizes."""

    chain: bool
    real: bool
    gears: tuple[int, int]
    sizes: tuple[float, float]


@dataclass
class Drawing:
    """The contents of a file."""

    inches: bool
    connectors: dict[int, Connector]
    parts: list[Part]
    ratios: list[Ratio]

    def part(self, id: int) -> Part | None:
        """Return the first link of this number."""
        return next((part for part in self.parts if part.id == id), None)


def parse(text: str, found: Imported) -> Drawing:
    """Return the contents of a file; record errors and omissions in `found`. Raises `Flaw` if it is not XML."""
    root = _root(text, found)
    program = root.find("program")
    settings: Mapping[str, str] = {} if program is None else program.attrib
    entries = sum(len(child) + 1 for child in root)
    if entries > LARGEST:
        raise Flaw(f"the file has {entries} connectors and parts of links; at most {LARGEST} are read")
    connectors, skipped = _connectors(root, found)
    parts, dropped = _parts(root, found, connectors, skipped)
    if skipped or dropped:
        found.notes.append(
            f"parts of other layers are left out: {counted(len(skipped), 'connector')}, {counted(dropped, 'link')}"
        )
    unknown = dict.fromkeys(child.tag for child in root if child.tag not in _KNOWN)
    if unknown:
        found.notes.append(f"not understood, so left out: {listed(f'<{tag}>' for tag in unknown)}")
    if not re.fullmatch(r"([01](\.0*)?)?", (scale := settings.get("scalefactor", "")).strip()):
        found.notes.append(f"the scale factor {short(scale)} is not applied: lengths are those of the file")
    units = settings.get("units", "").strip()
    if units and not units.lower().startswith(("in", "mm", "millim")):
        found.notes.append(f"the units '{short(units)}' are not understood: lengths are read as mm")
    return Drawing(units.lower().startswith("in"), connectors, parts, _ratios(root, found))


def _root(text: str, found: Imported) -> Element:
    if "<!DOCTYPE" in text or "<!ENTITY" in text:
        raise Flaw("the file declares XML entities", "no .linkage2 file needs them; they are not read")
    try:
        root = ElementTree.fromstring(text)
    except ElementTree.ParseError:
        mended, count = _RUN_TOGETHER.subn(r"\1 ", text)
        try:
            root = ElementTree.fromstring(mended)
        except ElementTree.ParseError as error:
            line = error.position[0]
            raise Flaw(f"line {line}: the file is not XML: {str(error).partition(':')[0]}") from None
        found.notes.append(f"the file is not well-formed: {counted(count, 'space')} between attributes added")
    if root.tag != "linkage2":
        raise Flaw(f"expected <linkage2>, found <{root.tag}>", "the file is none of Linkage")
    return root


def _id(found: Imported, key: str, element: Element) -> int | None:
    text = element.get("id", "")
    if re.fullmatch(r"\s*-?\d{1,12}\s*", text):
        return int(text)
    found.fault(key, f"expected a number as id, found '{text}'" if text else "the id is missing")
    return None


def _true(element: Element, name: str) -> bool:
    return element.get(name) == "true"


def _number(found: Imported, key: str, element: Element, name: str, usual: str = "0") -> float:
    text = element.get(name)
    return found.number(f"{key}.{name}", text or usual)


def _in_drawing(found: Imported, key: str, element: Element) -> bool:
    layer = int(_number(found, key, element, "layer"))
    return layer != 0 and not layer & MECHANISM


def _fastened(found: Imported, key: str, element: Element) -> tuple[str, int] | None:
    for name, what in (("fastenlink", "link"), ("fasten", "link"), ("fastenconnector", "connector")):
        if element.get(name):
            return what, int(_number(found, key, element, name))
    return None


def _connectors(root: Element, found: Imported) -> tuple[dict[int, Connector], set[int]]:
    connectors: dict[int, Connector] = {}
    skipped: set[int] = set()
    for count, element in enumerate(root.findall("connector"), 1):
        id = _id(found, f"connector number {count}", element)
        if id is None:
            continue
        key = f"connector {id}"
        if id in connectors or id in skipped:
            found.fault(key, "this id is used twice")
        if _in_drawing(found, key, element):
            skipped.add(id)
            continue
        for axis in "xy":
            if element.get(axis) is None:
                found.fault(f"{key}.{axis}", "the coordinate is missing")
        limits = [_id(found, f"{key}.slidelimit", limit) for limit in element.iter("slidelimit")]
        connectors[id] = Connector(
            id=id,
            label=element.get("name", "").strip() or _letter(id),
            place=complex(*(_number(found, key, element, axis) for axis in "xy")),
            anchor=_true(element, "anchor"),
            input=_true(element, "input"),
            rpm=element.get("rpm") or USUAL_RATE,
            swing=_number(found, key, element, "limitangle"),
            offset=_number(found, key, element, "startoffset"),
            manual=_true(element, "alwaysmanual"),
            drawn=_true(element, "draw"),
            slider=_true(element, "slider"),
            limits=tuple(limit for limit in limits if limit is not None),
            radius=_number(found, key, element, "slideradius"),
            fastened=_fastened(found, key, element),
        )
    return connectors, skipped


def _letter(id: int) -> str:
    """Return the letter with which Linkage labels a connector that has no name."""
    return LETTERS[id % len(LETTERS)] + (str(id // len(LETTERS)) if id >= len(LETTERS) or id < 0 else "")


def _parts(
    root: Element, found: Imported, connectors: Mapping[int, Connector], skipped: set[int]
) -> tuple[list[Part], int]:
    parts, dropped = [], 0
    for count, element in enumerate((child for child in root if child.tag in ("Link", "element")), 1):
        id = _id(found, f"Link number {count}", element)
        if id is None:
            continue
        key = f"link {id}"
        if _in_drawing(found, key, element) or _true(element, "measurementelement"):
            dropped += 1
            continue
        named = [_id(found, f"{key}.{child.tag}", child) for child in element if child.tag.endswith("connector")]
        missing = [one for one in named if one is not None and one not in connectors and one not in skipped]
        if missing:
            found.notes.append(f"{key}: not in the file, so left out: {listed(f'connector {id}' for id in missing)}")
        parts.append(
            Part(
                id=id,
                label=element.get("name", "").strip() or f"L{id}",
                connectors=list(dict.fromkeys(one for one in named if one is not None and one in connectors)),
                actuator=_true(element, "actuator"),
                throw=_number(found, key, element, "throw"),
                cpm=element.get("cpm") or USUAL_RATE,
                offset=_number(found, key, element, "startoffset"),
                manual=_true(element, "alwaysmanual"),
                gear=_true(element, "gear"),
                elastic=any("unconstrained" in name and value == "true" for name, value in element.attrib.items()),
                fastened=_fastened(found, key, element),
            )
        )
    return parts, dropped


def _ratios(root: Element, found: Imported) -> list[Ratio]:
    ratios: list[Ratio] = []
    for count, element in enumerate(root.iterfind("ratios/ratio"), 1):
        key = f"ratio {count}"
        wheels = [
            (id, _number(found, key, link, "size"))
            for link in element.findall("link")
            if (id := _id(found, f"{key}.link", link)) is not None
        ]
        if len(wheels) != 2:
            found.fault(key, f"expected two links, found {len(wheels)}")
            continue
        (first, size), (second, other) = wheels
        if min(size, other) <= 0:
            found.fault(f"{key}.size", f"expected sizes greater than zero, found {size:g} and {other:g}")
        else:
            chain = element.get("type") != "gears"
            ratios.append(Ratio(chain, chain and _true(element, "sizeassize"), (first, second), (size, other)))
    return ratios
