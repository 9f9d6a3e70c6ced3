"""Mechanisms for the structure tests, and equivalent descriptions of the same mechanism."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

from structkin import Topology
from structkin.model.topology import Driver, Joint
from structkin.structure import KinematicStructure

DATA = Path(__file__).parents[1] / "data" / "catalogue.json"
CATALOGUE: list[dict[str, Any]] = json.loads(DATA.read_text())["mechanisms"]
BY_NAME = {entry["name"]: entry for entry in CATALOGUE}


def catalogue(name: str) -> Topology:
    return Topology.from_dict(BY_NAME[name])


def make(joints: str, drivers: str = "", ground: str = "0", links: str = "") -> Topology:
    """Build from text: "R:A:0,1 P:s:1,2" and "angle:d:0,1 slide:e:1,2:s"; links in order of appearance."""
    pairs = [Joint(id, kind, tuple(ends.split(","))) for kind, id, ends in (word.split(":") for word in joints.split())]
    inputs = []
    for word in drivers.split():
        kind, id, ends, *joint = word.split(":")
        a, b = ends.split(",")
        inputs.append(Driver(id, kind, (a, b), joint[0] if joint else None))
    names = [*links.split(), ground]
    names += [e for pair in pairs for e in pair.links] + [e for d in inputs for e in d.links]
    order = dict.fromkeys(name for name in names if not name.startswith("@"))
    return Topology(tuple(order), ground, tuple(pairs), tuple(inputs))


def shuffled(topology: Topology, seed: int, priority_kept: bool = False) -> tuple[Topology, dict[str, str]]:
    """Rename links and joints and shuffle all lists; returns the new topology and the new names of the links."""
    rng = random.Random(seed)

    def rename(names: list[str], letter: str) -> dict[str, str]:
        numbers = rng.sample(range(100, 999), len(names))
        return {name: f"{letter}{number}" for name, number in zip(names, numbers, strict=True)}

    def mixed(items: list[Any]) -> tuple[Any, ...]:
        return tuple(items if priority_kept else rng.sample(items, len(items)))

    link = rename(list(topology.links), "L")
    joint = rename([j.id for j in topology.joints], "J")
    driver = rename([d.id for d in topology.drivers], "D")
    end = {**link, **{f"@{old}": f"@{new}" for old, new in joint.items()}}
    joints = [
        Joint(joint[j.id], j.kind, tuple(rng.sample([end[e] for e in j.links], len(j.links)))) for j in topology.joints
    ]
    drivers = []
    for d in topology.drivers:
        a, b = rng.sample([end[e] for e in d.links], 2)
        drivers.append(Driver(driver[d.id], d.kind, (a, b), None if d.joint is None else joint[d.joint]))
    links = tuple(rng.sample([link[name] for name in topology.links], len(topology.links)))
    return Topology(links, link[topology.ground], mixed(joints), mixed(drivers)), link


def shape(structure: KinematicStructure, link: dict[str, str] | None = None) -> dict[frozenset[str], Any]:
    """Return what is independent of names and order: class, level and dependencies by the links of a group."""
    link = link or {name: name for name in structure.topology.links}
    # a group without links is identified by the groups that use it
    sets = [
        frozenset(link[name] for name in group.links) or frozenset({f"pin{len(group.pins)}"})
        for group in structure.groups
    ]
    return {
        links: (
            group.kind,
            group.class_,
            group.order,
            group.signature,
            frozenset(frozenset(link[name] for name in cluster) for cluster in group.composite_links),
            group.level,
            frozenset(sets[need] for need in group.depends_on),
        )
        for links, group in zip(sets, structure.groups, strict=True)
    }


def chain_of_dyads(count: int, driven: bool = True) -> Topology:
    """A crank and `count` RRR dyads, each attached to the middle pin of the previous one: the scalable four-bar."""
    links = tuple(str(k) for k in range(2 * count + 2))
    joints = [Joint("A", "R", ("0", "1")), Joint("X1", "R", ("1", "2")), Joint("D1", "R", ("3", "0"))]
    for k in range(2, count + 1):
        joints += [
            Joint(f"X{k}", "R", (str(2 * k - 2), str(2 * k - 1), str(2 * k))),
            Joint(f"D{k}", "R", (str(2 * k + 1), "0")),
        ]
    joints.append(Joint("C", "R", (str(2 * count), str(2 * count + 1))))
    return Topology(links, "0", tuple(joints), (Driver("motor", "angle", ("0", "1"), "A"),) if driven else ())
