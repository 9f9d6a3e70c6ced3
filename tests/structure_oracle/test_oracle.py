"""The brute-force oracle is checked on the catalogue, then checks `decompose` on random mechanisms."""

from __future__ import annotations

import json
import random
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from cases import few
from oracle import Blocks, Oracle
from random_topology import random_topologies, random_topology

from structkin.errors import InputError
from structkin.model.topology import Driver, Joint, Topology

CATALOGUE = Path(__file__).parents[1] / "data" / "catalogue.json"
QUICK, CHUNK = 300, 50
SLOW, SLOW_CHUNK = 10_000, 500


# ---- the oracle on the catalogue ---------------------------------------------------------------------------------


def _entries() -> list[dict[str, Any]]:
    return [m for m in json.loads(CATALOGUE.read_text())["mechanisms"] if len(m["links"]) <= 8]


def _topology(entry: dict[str, Any]) -> Topology:
    def joint(j: dict[str, Any]) -> Joint:
        return Joint(j["id"], j["kind"], tuple(map(str, j["links"])))

    def driver(d: dict[str, Any]) -> Driver:
        a, b = map(str, d["links"])
        return Driver(d["id"], d["kind"], (a, b), d.get("joint"))

    return Topology(
        tuple(map(str, entry["links"])),
        str(entry["ground"]),
        tuple(map(joint, entry["joints"])),
        tuple(map(driver, entry["drivers"])),
    )


@pytest.mark.parametrize("entry", _entries(), ids=lambda entry: entry["name"])
def test_oracle_knows_the_catalogue(entry: dict[str, Any]) -> None:
    oracle = Oracle(_topology(entry))
    expected = entry["expected"]
    special = "special-geometry" in entry["tags"] and "generic_mode" in expected
    over = expected["generic_mode"]["over"] if special else expected["over"]
    assert [item.id for item in oracle.over] == over
    assert oracle.equivalent_over(over)
    assert oracle.under == set(map(str, expected["under"]))
    assert oracle.missing_drivers == expected["missing_drivers"]
    if special:
        return  # the groups listed are those of the special geometry
    sets = [frozenset(map(str, group["links"])) for group in expected["groups"]]
    wanted = {
        links: (group["level"], {sets[i] for i in group["depends_on"]})
        for links, group in zip(sets, expected["groups"], strict=True)
    }
    assert _as_dag(oracle.blocks()) == wanted


def _as_dag(blocks: Blocks) -> dict[frozenset[str], tuple[int, set[frozenset[str]]]]:
    return {g.members: (g.level, {blocks.groups[i].members for i in g.depends_on}) for g in blocks.groups}


@pytest.mark.parametrize("seed", range(20))
def test_mobility_is_that_of_the_jacobian_without_pins(seed: int) -> None:
    """Rank over the reals of the plain Jacobian: every link of a multiple joint against the first."""
    topology = random_topology(seed)
    while any(end[0] == "@" for joint in topology.joints for end in joint.links):
        seed += 1000
        topology = random_topology(seed)
    rng = np.random.default_rng(seed)
    column = {link: 3 * i for i, link in enumerate(x for x in topology.links if x != topology.ground)}
    rows = []

    def row(a: str, b: str, values: tuple[float, float, float]) -> None:
        line = np.zeros(3 * len(column))
        for sign, link in ((1, a), (-1, b)):
            if link in column:
                line[column[link] : column[link] + 3] += sign * np.array(values)
        rows.append(line)

    for joint in topology.joints:
        (px, py), (dx, dy) = rng.normal(size=2), rng.normal(size=2)
        first = joint.links[0]
        for other in joint.links[1:]:
            if joint.kind in "RK":
                row(first, other, (1, 0, -py))
                row(first, other, (0, 1, px))
            else:
                row(first, other, (dx, dy, px * dy - py * dx))
            if joint.kind == "P":
                row(first, other, (0, 0, 1))
    rank = np.linalg.matrix_rank(np.array(rows)) if rows else 0
    assert Oracle(topology).mobility == 3 * len(column) - rank


# ---- decompose against the oracle --------------------------------------------------------------------------------


def disagreements(topology: Topology, result: Any = None) -> list[str]:
    """Return the differences between `decompose` and the oracle as text; the first word is the kind."""
    from structkin.structure import decompose

    oracle = Oracle(topology)
    result = decompose(topology) if result is None else result
    found = []
    if result.mobility != oracle.mobility:
        found.append(f"mobility {result.mobility}, not {oracle.mobility}")
    if set(result.under) != oracle.under:
        found.append(f"under {sorted(result.under)}, not {sorted(oracle.under)}")
    if result.missing_drivers != oracle.missing_drivers:
        found.append(f"missing_drivers {result.missing_drivers}, not {oracle.missing_drivers}")
    reported = [frozenset(g.links) or frozenset("@" + pin for pin in g.pins) for g in result.groups]
    if len(set(reported)) < len(reported) or any(i >= at for at, g in enumerate(result.groups) for i in g.depends_on):
        found.append("order: a group comes before one that it depends on")
    answers = []
    for removal in oracle.removals(item.id for item in result.over):
        difference = _difference_over(result.over, oracle, removal)
        difference = difference or _difference_groups(result, reported, oracle.blocks(removal))
        if not difference:
            return found
        answers.append(difference)
    if not answers:
        declared = [item.id for item in oracle.over]
        answers.append(f"over {[item.id for item in result.over]}: no valid removal; declared priority {declared}")
    return [*found, answers[0]]


def _difference_over(items: Any, oracle: Oracle, removal: frozenset[int]) -> str:
    """Compare the loops, and which equation of a prismatic pair is meant."""
    part = {"orientation": "orientation", "guide": "line"}
    slides = {joint.id for joint in oracle.topology.joints if joint.kind == "P"}
    wanted = [oracle.redundant(row, removal) for row in removal]
    right = Counter((r.id, r.part if r.id in slides else "", r.circuit) for r in wanted)
    got = Counter((i.id, part[i.equation] if i.id in slides else "", frozenset(i.loop)) for i in items)
    if got != right:
        return (
            f"loop {[(*key[:2], sorted(key[2])) for key in got]}, not {[(*key[:2], sorted(key[2])) for key in right]}"
        )
    return ""


def _difference_groups(result: Any, reported: list[frozenset[str]], blocks: Blocks) -> str:
    wanted = _as_dag(blocks)
    if set(reported) != set(wanted):
        return f"groups {_show(reported)}, not {_show(wanted)}"
    if set(result.held) != blocks.held:
        return f"held {sorted(result.held)}, not {sorted(blocks.held)}"
    got = {m: (g.level, {reported[i] for i in g.depends_on}) for m, g in zip(reported, result.groups, strict=True)}
    for members in reported:
        if got[members] != wanted[members]:
            (level, needs), (right, rights) = got[members], wanted[members]
            return f"dag {sorted(members)}: level {level} on {_show(needs)}, not {right} on {_show(rights)}"
    return ""


def _show(sets: Any) -> list[list[str]]:
    return sorted(sorted(links) for links in sets)


def _smaller(topology: Topology) -> Iterator[Topology]:
    def attempt(**changes: Any) -> Iterator[Topology]:
        try:
            yield replace(topology, **changes)
        except InputError:
            return

    for link in topology.moving_links:
        joints = [replace(j, links=tuple(e for e in j.links if e != link)) for j in topology.joints]
        yield from attempt(
            links=tuple(x for x in topology.links if x != link),
            joints=tuple(j for j in joints if len(j.links) > 1),
            drivers=tuple(d for d in topology.drivers if link not in d.links),
        )
    for joint in topology.joints:
        yield from attempt(joints=tuple(j for j in topology.joints if j is not joint))
        for end in joint.links if len(joint.links) > 2 else ():
            less = replace(joint, links=tuple(e for e in joint.links if e != end))
            yield from attempt(joints=tuple(less if j is joint else j for j in topology.joints))
    for driver in topology.drivers:
        yield from attempt(drivers=tuple(d for d in topology.drivers if d is not driver))


def shrink(topology: Topology, bad: Callable[[Topology], bool]) -> Topology:
    """Remove links, joints and drivers while the mechanism still fails."""
    for smaller in _smaller(topology):
        if bad(smaller):
            return shrink(smaller, bad)
    return topology


def _kinds(messages: list[str]) -> set[str]:
    return {message.split()[0] for message in messages}


def _report(seed: int, topology: Topology, messages: list[str]) -> str:
    kinds = _kinds(messages)
    small = shrink(topology, lambda t: bool(kinds & _kinds(disagreements(t))))
    return f"seed {seed}: {messages}\n  smallest: {disagreements(small)}\n  {small!r}"


def _compare(count: int, start: int) -> Counter[str]:
    kinds: Counter[str] = Counter()
    failures = []
    for seed, topology in random_topologies(count, start):
        if messages := disagreements(topology):
            failures.append(_report(seed, topology, messages))
        kinds[verdict(topology)] += 1
    assert not failures, "\n".join(failures)
    return kinds


def verdict(topology: Topology) -> str:
    """Return "well", "over", "under" or "over and under"."""
    oracle = Oracle(topology)
    words = ["over"] * bool(oracle.dropped) + ["under"] * bool(oracle.missing_drivers)
    return " and ".join(words) or "well"


@pytest.mark.parametrize("start", few(range(0, QUICK, CHUNK), 1, 2))
def test_decompose_agrees(start: int) -> None:
    kinds = _compare(CHUNK, start)
    assert len(kinds) == 4, f"a poor mixture: {kinds}"


@pytest.mark.slow
@pytest.mark.parametrize("start", range(QUICK, QUICK + SLOW, SLOW_CHUNK))
def test_decompose_agrees_on_ten_thousand(start: int) -> None:
    _compare(SLOW_CHUNK, start)


@pytest.mark.parametrize("seed", few(range(10), 3))
def test_a_wrong_answer_is_found(seed: int) -> None:
    """Every compared field is altered in turn, and the comparison must report it."""
    from structkin.structure import decompose

    topology = random_topology(seed)
    right = decompose(topology)
    assert not disagreements(topology, right)
    wrong = [replace(right, mobility=right.mobility + 1), replace(right, missing_drivers=right.missing_drivers + 1)]
    first = {topology.moving_links[0]}
    wrong += [
        replace(right, under=tuple(first ^ set(right.under))),
        replace(right, held=tuple(first ^ set(right.held))),
    ]
    if right.over:
        wrong += [replace(right, over=right.over[1:])]
    for at, group in enumerate(right.groups):
        less, more = replace(group, links=group.links[1:]), replace(group, level=group.level + 1)
        for other in (less, more):
            wrong.append(replace(right, groups=(*right.groups[:at], other, *right.groups[at + 1 :])))
    if len(right.groups) > 1 and right.groups[-1].depends_on:
        wrong.append(replace(right, groups=right.groups[::-1]))
    for result in wrong:
        assert disagreements(topology, result), result


def test_the_answer_follows_from_the_definitions_in_any_order() -> None:
    """The oracle's groups do not depend on the order of links and joints, where nothing is redundant."""
    for seed, topology in random_topologies(40, 5):
        oracle = Oracle(topology)
        if oracle.dropped:
            continue
        rng = random.Random(seed)
        shuffled = replace(
            topology,
            links=tuple(rng.sample(topology.links, len(topology.links))),
            joints=tuple(rng.sample(topology.joints, len(topology.joints))),
        )
        assert _as_dag(Oracle(shuffled).blocks()) == _as_dag(oracle.blocks())
