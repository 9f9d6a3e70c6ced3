"""The pictures of chains and groups: links that do not overlap."""

from __future__ import annotations

from itertools import combinations

import networkx as nx
import numpy as np
import pytest
from matplotlib.path import Path

import structkin as sk
from structkin.structure.chain_layout import layout


def plates(topology, with_ground=True):
    """Return the corners of each link in the order of their angles around the middle, and the ids of its joints."""
    places = layout(topology, with_ground=with_ground)
    found = {}
    for link in topology.links:
        if with_ground or link != topology.ground:
            ids = [joint.id for joint in topology.joints if link in joint.links]
            at = np.array([places[id] for id in ids])
            order = np.argsort(np.angle(at - at.mean()))
            found[link] = at[order], [ids[k] for k in order]
    return found


def overlap(a, b):
    """Whether two links overlap other than at a joint that they share: matplotlib cuts each slightly shrunken one."""
    first, second = (
        Path(np.stack((corners.real, corners.imag), axis=1) if len(corners) > 1 else corners)
        for corners in (0.97 * (one - one.mean()) + one.mean() for one in (np.append(c, c[0]) for c in (a, b)))
    )
    return first.intersects_path(second, filled=len(a) > 2 and len(b) > 2)


CASES = [(6, 1), (8, 1), (7, 2), (6, 3), (8, 3)]


@pytest.mark.parametrize("case", [*CASES, pytest.param((9, 2), marks=pytest.mark.full)])
def test_links_of_planar_chains_do_not_overlap(case):
    for chain in sk.chains(*case):
        assert nx.is_planar(nx.Graph([joint.links for joint in chain.joints]))  # by networkx; else they must cross
        drawn = plates(chain)
        for (one, (a, _)), (other, (b, _)) in combinations(drawn.items(), 2):
            assert not overlap(a, b), (chain.title, one, other)


@pytest.mark.parametrize("links", [3, 5, 7])
def test_links_of_groups_do_not_overlap_and_their_outer_joints_are_low(links):
    for truss in sk.chains(links, 0):
        for group in sk.inversions(truss):
            drawn = plates(group, with_ground=False)
            for (one, (a, _)), (other, (b, _)) in combinations(drawn.items(), 2):
                assert not overlap(a, b), (truss.title, group.ground, one, other)
            places = layout(group, with_ground=False)
            outer = [places[joint.id].imag for joint in group.joints if group.ground in joint.links]
            assert np.mean(outer) <= np.mean([place.imag for place in places.values()]) + 1e-9


@pytest.mark.full
def test_sides_have_about_one_length_and_no_joint_lies_on_a_link_that_is_not_its_own():
    for chain in sk.chains(8):
        drawn = plates(chain)
        places = layout(chain)
        for at, ids in drawn.values():
            sides = np.abs(np.roll(at, -1) - at)
            assert sides.min() > 0.7 and sides.max() < 3
            for id, place in places.items():
                if id not in ids:
                    along = np.roll(at, -1) - at
                    share = np.clip(((place - at) * along.conj()).real / np.abs(along) ** 2, 0, 1)
                    assert np.abs(place - at - share * along).min() > 0.25, (chain.title, id)


def test_a_chain_that_is_not_planar_is_drawn_all_the_same():
    """Of 10 links, six with three joints each are joined all with all across: the graph K3,3 with four bars put in."""
    pairs = [(a, b) for a in range(3) for b in range(3, 6)]
    joints = []
    for k, (a, b) in enumerate(pairs):
        joints += [(a, 6 + k), (6 + k, b)] if k < 4 else [(a, b)]
    chain = sk.Topology.from_dict(
        {
            "links": list(range(10)),
            "ground": 0,
            "joints": [{"id": f"J{k}", "kind": "R", "links": pair} for k, pair in enumerate(joints)],
        }
    )
    assert chain.mobility_count == 1 and not nx.is_planar(nx.Graph(joints))
    places = np.array(list(layout(chain).values()))
    apart = np.abs(places[:, None] - places)[np.triu_indices(len(places), 1)]
    assert np.isfinite(places).all() and apart.min() > 0.3
