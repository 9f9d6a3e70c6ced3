"""The check of a document: its mechanism or the problems, its structure, and how it starts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import networkx as nx

from structkin.errors import InputError, Problem
from structkin.model import Mechanism
from structkin.plan.compile import determines_all
from structkin.solve import structure_of
from structkin.solve.special_geometry import compile_plan
from structkin.structure import KinematicStructure
from structkin.studio import references
from structkin.studio.document import GROUND, Document, members


@dataclass(frozen=True)
class Check:
    """A document with the result of its check.

    `mechanism` is None if the document is not valid, and `problems` say why; `stray` points are on no link yet and are
    left out, and so are `loose` links, which nothing connects to the ground, if others are connected. `structure` is
    that of its topology; `solvable` means that the drivers determine the motion.
    """

    document: Document
    problems: tuple[Problem, ...]
    stray: tuple[str, ...] = ()
    loose: tuple[str, ...] = ()
    mechanism: Mechanism | None = None
    structure: KinematicStructure | None = None
    solvable: bool = False


def check(document: Document, folder: Path | None = None, before: Check | None = None) -> Check:
    """Check a document; CSV tables are looked up in `folder`.

    The structure of the check `before` is reused as long as only the geometry changes.
    """
    stray, data = _without_stray(document)
    if not any(name != GROUND for name in document.section("links")):
        return Check(document, (), stray)
    try:
        mechanism = Mechanism.from_dict(data, source="studio", folder=folder)
    except InputError as error:
        return Check(document, tuple(_in_the_studio(one) for one in error.problems), stray)
    if loose := _loose(mechanism):
        rest = check(_without_links(document, loose), folder, before)
        return replace(rest, document=document, loose=loose)
    structure = _structure(mechanism, before)
    problems = [*structure.diagnostics]
    solvable = False
    if determines_all(structure):
        try:
            compile_plan(mechanism)
            solvable = True
        except InputError as error:
            problems = [*error.problems]
    return Check(document, tuple(problems), stray, (), mechanism, structure, solvable)


def _structure(mechanism: Mechanism, before: Check | None) -> KinematicStructure:
    """Return the structure of a mechanism; without special geometry it follows from the topology alone."""
    known = before.structure if before is not None else None
    if known is not None and known.is_solvable and known.topology == mechanism.topology:
        return known
    return structure_of(mechanism)


def _in_the_studio(problem: Problem) -> Problem:
    """Return a problem with the remedy that the studio has for it."""
    if problem.key == f"links.{GROUND}" and problem.message.startswith("no joint connects the ground"):
        return Problem(problem.key, "no point stands still", "choose Ground, and click the points that do")
    return problem


def _loose(mechanism: Mechanism) -> tuple[str, ...]:
    """Return the links that no joint or driver connects to the ground; none where that is true of all."""
    topology, graph = mechanism.topology, nx.Graph()
    graph.add_nodes_from(topology.links)
    for joint in topology.joints:
        nx.add_path(graph, (f"@{joint.id}", *joint.links))  # drivers may end at the pin itself
    for driver in topology.drivers:
        nx.add_path(graph, driver.links)
    held = nx.node_connected_component(graph, topology.ground)
    loose = tuple(link for link in topology.links if link not in held)
    return loose if len(held & set(topology.moving_links)) else ()


def _without_links(document: Document, links: tuple[str, ...]) -> Document:
    def change(data: dict[str, Any]) -> None:
        for link in links:
            references.delete(data, "links", link)

    return document.changed(change)


def _without_stray(document: Document) -> tuple[tuple[str, ...], Mapping[str, Any]]:
    """Return the points that nothing uses, and the document without them."""
    used = {point for entry in document.section("links").values() for point in members(entry)}
    for entry in document.section("joints").values():
        if isinstance(entry, Mapping) and isinstance(entry.get("at"), str):
            used.add(entry["at"])
    stray = tuple(point for point in document.section("points") if point not in used)
    links = {GROUND: [], **document.section("links")}
    kept = {name: place for name, place in document.section("points").items() if name in used}
    return stray, {**document.data, "points": kept, "links": links}
