"""Isomorphism and fingerprints: equal up to names, and only then."""

from __future__ import annotations

import os
import random
import subprocess
import sys
from itertools import combinations
from pathlib import Path

import networkx as nx
import pytest
from mechanisms import CATALOGUE, catalogue, chain_of_dyads, make, shuffled
from networkx.algorithms.isomorphism import GraphMatcher, categorical_node_match

import structkin as sk
from structkin.structure.isomorphism import _graph_of

NAMES = [entry["name"] for entry in CATALOGUE]

#: The two chains of six links: their ternary links a, d touch (Watt) or do not (Stephenson).
WATT = "R:1:a,d R:2:a,b R:3:b,c R:4:c,d R:5:d,e R:6:e,f R:7:f,a"
STEPHENSON = "R:1:a,b R:2:b,d R:3:a,c R:4:c,d R:5:a,e R:6:e,f R:7:f,d"


def check(a: sk.Topology, b: sk.Topology, found: dict[str, str] | None) -> None:
    """Check a mapping against the definition: joints between the images, of the same kind, the ground on itself."""
    assert found is not None
    assert sorted(found) == sorted(a.links)
    assert sorted(found.values()) == sorted(b.links)
    assert found[a.ground] == b.ground

    def plain(topology: sk.Topology, new: dict[str, str]) -> list[tuple[str, list[str]]]:
        return sorted((j.kind, sorted(new.get(e, "@") for e in j.links)) for j in topology.joints)

    assert plain(a, found) == plain(b, {link: link for link in b.links})


@pytest.mark.parametrize("name", NAMES)
def test_names_and_order_do_not_matter(name: str) -> None:
    topology = catalogue(name)
    for seed in range(3):
        other, link = shuffled(topology, seed)
        check(topology, other, sk.isomorphic(topology, other))
        assert sk.fingerprint(topology) == sk.fingerprint(other)
        assert sk.isomorphic(topology, other, with_ground=False, with_drivers=False) is not None
        assert sk.fingerprint(topology, with_ground=False) == sk.fingerprint(other, with_ground=False)
        assert set(link) == set(topology.links)


def test_structures_and_mechanisms_are_taken_too() -> None:
    from structkin.examples import path

    m = sk.load(path("crank_rocker"))
    assert sk.isomorphic(m, m.structure()) == {link: link for link in m.links}
    assert sk.fingerprint(m) == sk.fingerprint(m.topology) == sk.fingerprint(m.structure())
    assert len(sk.fingerprint(m)) == 32


def test_entries_of_the_catalogue_differ() -> None:
    """Only entries that are meant to be the same mechanism are isomorphic."""
    same = [
        {one, other}
        for one, other in combinations(NAMES, 2)
        if sk.isomorphic(catalogue(one), catalogue(other)) is not None
    ]
    # a crank that drives a block, described from either end
    pump = {"slider_crank_crank_driven", "slider_crank_inv4_hand_pump_ground_block"}
    assert same == [{"four_bar_crank", "four_bar_rocker_driven"}, pump]
    prints = {sk.fingerprint(catalogue(name)) for name in NAMES}
    assert len(prints) == len(NAMES) - 2


def test_inversions_of_a_chain() -> None:
    watt = {link: make(WATT, ground=link) for link in "abcdef"}
    stephenson = {link: make(STEPHENSON, ground=link) for link in "abcdef"}

    def kinds(chain: dict[str, sk.Topology]) -> list[set[str]]:
        found: list[set[str]] = []
        for link, topology in chain.items():
            home = [kind for kind in found if sk.isomorphic(chain[min(kind)], topology) is not None]
            if home:
                home[0].add(link)
            else:
                found.append({link})
        return found

    # Watt I holds a binary link, Watt II a ternary one; Stephenson I, II, III in the order of the links
    assert kinds(watt) == [{"a", "d"}, {"b", "c", "e", "f"}]
    assert kinds(stephenson) == [{"a", "d"}, {"b", "c"}, {"e", "f"}]
    assert len({sk.fingerprint(t) for t in (*watt.values(), *stephenson.values())}) == 5
    for chain in (watt, stephenson):
        for one, other in combinations(chain.values(), 2):
            assert sk.isomorphic(one, other, with_ground=False) is not None
    assert sk.isomorphic(watt["a"], stephenson["a"], with_ground=False) is None
    assert sk.fingerprint(watt["a"], with_ground=False) != sk.fingerprint(stephenson["a"], with_ground=False)


def test_drivers_count_unless_left_out() -> None:
    joints = "R:A:0,1 R:B:1,2 P:s:2,3 R:D:3,0"
    crank, slide, angle = (make(joints, text) for text in ("angle:d:0,1", "slide:d:2,3:s", "angle:d:2,3"))
    for one, other in combinations((crank, slide, angle, make(joints)), 2):
        assert sk.isomorphic(one, other) is None
        assert sk.isomorphic(one, other, with_drivers=False) is not None
    # the joint that an angle driver names, and its sense, make no difference
    assert sk.isomorphic(crank, make(joints, "angle:d:1,0:A")) is not None
    # nor which of the two pivots it drives
    assert sk.isomorphic(make("R:A:0,1 R:B:1,2 R:C:2,0", "angle:d:0,1"), make("R:A:0,1 R:B:1,2 R:C:2,0", "angle:d:0,2"))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("R:A:0,1 R:B:1,2", "R:A:0,1 P:B:1,2"),
        ("R:A:0,1 P:B:1,2", "P:A:0,1 R:B:1,2"),
        ("R:A:0,1,2", "R:A:0,1 R:B:1,2"),  # a multiple joint is not two pairs
        ("R:A:0,1,2,3", "R:A:0,1,2 R:B:2,3"),
        ("R:A:0,1 R:B:1,2 C:c:0,@B", "R:A:0,1 R:B:1,2 C:c:0,2"),  # on the pin, on the roller
        ("R:A:0,1 R:B:0,1", "R:A:0,1"),
        ("R:A:0,1 G:g:0,1", "R:A:0,1 C:g:0,1"),
        ("R:A:0,1 R:B:@A,2 R:C:@A,1", "R:A:0,1 R:B:@A,2 R:C:@A,0"),  # a link twice on one pin: which?
    ],
)
def test_not_isomorphic(one: str, other: str) -> None:
    assert sk.isomorphic(make(one), make(other)) is None
    assert sk.fingerprint(make(one)) != sk.fingerprint(make(other))


def test_attached_joints_are_one_pin() -> None:
    whole, attached = make("R:A:0,1,2,3"), make("R:A:0,1 R:B:@A,2 R:C:@B,3")
    assert sk.isomorphic(whole, attached) is not None
    assert sk.fingerprint(whole) == sk.fingerprint(attached)


def test_the_search_distinguishes_what_refinement_cannot() -> None:
    """Two triangles and a hexagon of pins look alike from every vertex."""
    hexagon = "R:A:1,2 R:B:2,3 R:C:3,4 R:D:4,5 R:E:5,6 R:F:6,1"
    triangles = "R:A:1,2 R:B:2,3 R:C:3,1 R:D:4,5 R:E:5,6 R:F:6,4"
    one, other = make(hexagon), make(triangles)
    assert sk.fingerprint(one) == sk.fingerprint(other)
    assert sk.isomorphic(one, other) is None
    check(other, shuffled(other, 1)[0], sk.isomorphic(other, shuffled(other, 1)[0]))


def test_networkx_agrees_on_random_chains() -> None:
    def graph(topology: sk.Topology) -> nx.Graph:
        vertices = _graph_of(topology, True, True)
        result = nx.Graph((a, b) for a, near in enumerate(vertices.near) for b in near)
        result.add_nodes_from((k, {"label": label}) for k, label in enumerate(vertices.labels))
        return result

    rng = random.Random(1)
    chains = []
    for _ in range(40):
        pairs = {tuple(rng.sample("0123", 2)) for _ in range(4)}
        text = " ".join(f"{rng.choice('RRRP')}:{k}:{a},{b}" for k, (a, b) in enumerate(sorted(pairs)))
        chains.append(make(text, links="0 1 2 3"))
    same = 0
    for one, other in combinations(chains, 2):
        wanted = GraphMatcher(graph(one), graph(other), categorical_node_match("label", "")).is_isomorphic()
        found = sk.isomorphic(one, other)
        assert (found is not None) == wanted
        if found is not None:
            check(one, other, found)
            same += 1
    assert same > 5


def test_long_symmetric_chains_take_no_time() -> None:
    chain = chain_of_dyads(200)
    joints = tuple(
        sk.Joint(f"{j.id}'", j.kind, tuple(end if end == "0" else f"{end}'" for end in j.links)) for j in chain.joints
    )
    twice = sk.Topology((*chain.links, *(f"{link}'" for link in chain.links[1:])), "0", (*chain.joints, *joints))
    reordered = sk.Topology(twice.links[::-1], "0", twice.joints[::-1])
    check(twice, reordered, sk.isomorphic(twice, reordered))


@pytest.mark.full
def test_a_fingerprint_is_the_same_in_every_run() -> None:
    program = "from structkin import *; from structkin.examples import path; print(fingerprint(load(path('v_engine'))))"
    prints = set()
    for seed in ("0", "1"):
        environment = {**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": str(Path(__file__).parents[2])}
        run = subprocess.run(
            [sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=True
        )
        prints.add(run.stdout)
    assert len(prints) == 1
