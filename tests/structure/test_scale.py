"""Topologies as arrays: the same answers as from objects, refused input, and large cases."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from mechanisms import CATALOGUE, chain_of_dyads

from structkin import KinematicStructure, Topology
from structkin.bench.decomposition import random_mechanism, scalable_four_bar
from structkin.errors import InputError
from structkin.model.topology import Driver, Joint
from structkin.structure import TopologyArrays, decompose, decompose_arrays
from structkin.structure.blocks import components, digraph, levels, solve_order
from structkin.structure.certificate import coefficients, deficient_blocks
from structkin.structure.joint_rows import GROUND, Rows, rows_of
from structkin.structure.orient import orient
from structkin.structure.shapes import shapes_of
from structkin.types import Ints

sys.path.insert(0, str(Path(__file__).parents[1] / "structure_oracle"))
from random_topology import random_topology

sys.path.pop(0)


def oriented(rows: Rows) -> tuple[Ints, Ints]:
    owner = orient(rows.capacity, rows.ends, np.ones(len(rows.item), dtype=bool)).owner
    return owner, components(rows.n_vertices, owner, rows.ends)


# one algorithm, two wrappings ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("entry", CATALOGUE, ids=lambda entry: entry["name"])
def test_arrays_and_back(entry: dict[str, Any]) -> None:
    topology = Topology.from_dict(entry)
    arrays = TopologyArrays.from_topology(topology)
    assert Topology.from_arrays(arrays) == topology
    assert arrays.mobility_count == topology.mobility_count
    assert KinematicStructure.from_arrays(decompose_arrays(arrays), topology) == topology.structure()


def test_the_arrays_agree_with_the_groups() -> None:
    arrays = random_mechanism(400, seed=3)
    found = decompose_arrays(arrays)
    structure = KinematicStructure.from_arrays(found)
    assert found.n_groups == len(structure.groups)
    for group in structure.groups:
        assert found.group(group.index) == group
    names = arrays.link_names
    home = [structure.group_of(names[k]) for k in range(arrays.n_links)]
    assert found.group_of.tolist() == [-1 if group is None else group.index for group in home]
    assert found.level.tolist() == [group.level for group in structure.groups]
    assert [found.names[k].kind for k in found.name_of.tolist()] == [group.kind for group in structure.groups]
    assert (found.kinstr().toarray() == structure.kinstr).all()
    together = [names[k] for k in np.flatnonzero(found.composite >= 0).tolist()]
    assert sorted(together) == sorted(link for g in structure.groups for part in g.composite_links for link in part)
    with pytest.raises(InputError, match="there is no group"):
        found.group(found.n_groups)


def test_joints_that_are_left_out_are_named_by_number() -> None:
    loop = TopologyArrays(3, "RRRR", [[0, 1], [1, 2], [1, 2], [2, 0]])
    found = decompose_arrays(loop.driven_at([0]))
    assert [one.id for one in found.redundancies] == ["J2", "J3", "D0"]
    assert found.over.tolist() == [2, 3, 4]  # the drivers are numbered after the joints
    assert found.redundancies[0].loop == ("J1", "J2")
    free = decompose_arrays(TopologyArrays(4, "RRRR", [[0, 1], [1, 2], [2, 3], [3, 0]]))
    assert (free.under.tolist(), free.missing_drivers, free.n_groups) == ([1, 2, 3], 1, 0)
    assert free.free_parts[0].candidates == ("J0", "J1", "J2", "J3")


def test_groups_are_made_on_demand() -> None:
    structure = decompose(chain_of_dyads(3))
    assert "groups" not in vars(structure)
    assert len(structure.groups) == 4
    assert "groups" in vars(structure)
    assert hash(structure) == hash(decompose(chain_of_dyads(3)))
    with pytest.raises(AttributeError, match="no attribute 'group'"):
        structure.group  # type: ignore[attr-defined]  # noqa: B018 - a missing name, read for its error


# input --------------------------------------------------------------------------------------------------------------


def test_a_sparse_adjacency_matrix() -> None:
    a, b, number = [0, 1, 2, 3, 2, 2, 1], [1, 2, 3, 0, 4, 0, 4], [1, 2, 3, 4, 2, 5, 2]
    matrix = sp.coo_array((number, (a, b)), shape=(5, 5))
    arrays = TopologyArrays.from_adjacency(matrix, "RRRRP", ground=0).driven_at([0])
    assert arrays.ends_of(1) == [1, 2, 4]  # one number on three pairs: a multiple joint
    both = sp.csr_array(matrix.toarray() + matrix.toarray().T)
    assert TopologyArrays.from_adjacency(both, "RRRRP").to_topology().joints == arrays.to_topology().joints
    parallel = sp.coo_array(([1, 2], ([0, 0], [1, 1])), shape=(2, 2))
    assert TopologyArrays.from_adjacency(parallel, "RP").n_joints == 2
    for wrong, kinds in (
        (sp.coo_array(([1], ([0], [0])), shape=(2, 2)), "R"),
        (matrix, "RR"),
        (matrix.tocsr()[:3], None),
    ):
        with pytest.raises(InputError):
            TopologyArrays.from_adjacency(wrong, kinds)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"ground": 9}, "there is no link 9"),
        ({"joint_kind": "RRRX"}, "kind is unknown"),
        ({"joint_kind": "RRR"}, "does not match 3 joints"),
        ({"joint_ends": [[0, 1], [1, 2], [2, 3], [3, 7]]}, "neither a link nor a revolute"),
        ({"joint_ends": [[0, 1], [1, 1], [2, 3], [3, 0]]}, "names a link twice"),
        ({"joint_ends": [[0, 1], [1, -2], [2, 3], [3, 0]]}, "its own pin"),
        ({"joint_kind": "RRRP", "joint_ends": [[0, 1], [1, 2], [2, -4], [3, 0]]}, "neither a link nor a revolute"),
        ({"joint_ends": [[0.5, 1], [1, 2], [2, 3], [3, 0]]}, "expected integers"),
        ({"joint_kind": "PRR", "joint_ends": [0, 1, 2, 1, 2, 2, 3], "joint_start": [0, 3, 5, 7]}, "joins two links"),
        ({"driver_kind": [7], "driver_ends": [[0, 1]]}, "kind is unknown"),
        ({"driver_kind": ["angle"], "driver_ends": [[1, 1]]}, "two different links"),
        ({"driver_kind": ["angle"], "driver_ends": [[0, -1]]}, "not a link"),
        ({"driver_kind": ["slide"], "driver_ends": [[0, 1]]}, "needs its prismatic joint"),
        ({"driver_kind": ["angle"], "driver_ends": [[0, 1]], "driver_joint": [9]}, "no joint 9"),
        ({"driver_kind": ["angle"], "driver_ends": [[0, 1]], "driver_joint": [1]}, "does not join"),
        ({"driver_kind": ["slide"], "driver_ends": [[0, 1]], "driver_joint": [0]}, "another kind"),
        ({"link_names": ["a", "b"]}, "2 names for 4"),
        ({"link_names": ["a", "b", "b", "c"]}, "twice"),
    ],
)
def test_bad_arrays(change: dict[str, Any], words: str) -> None:
    good = {"n_links": 4, "joint_kind": "RRRR", "joint_ends": [[0, 1], [1, 2], [2, 3], [3, 0]]}
    with pytest.raises(InputError, match=words):
        TopologyArrays(**{**good, **change})


def test_many_problems_are_counted() -> None:
    n = 100
    with pytest.raises(InputError, match="the same error occurs 80 more times"):
        TopologyArrays(2, "R" * n, [[0, 5]] * n)


def test_what_cannot_be_driven() -> None:
    arrays = TopologyArrays(3, "RS", [[0, 1], [1, 2]])
    for wrong in ([1], [7], [-1]):
        with pytest.raises(InputError):
            arrays.driven_at(wrong)


def test_checking_many_drivers_takes_no_time() -> None:
    """Every driver was once looked up in the list of all joints: minutes for this one."""
    n = 20_000
    links = tuple(str(k) for k in range(n + 1))
    joints = tuple(Joint(f"J{k}", "R", ("0", str(k))) for k in range(1, n + 1))
    drivers = tuple(Driver(f"D{k}", "angle", ("0", str(k)), f"J{k}") for k in range(1, n + 1))
    assert len(decompose(Topology(links, "0", joints, drivers)).groups) == n


# the steps ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seeds", [range(40), pytest.param(range(40, 1000), marks=pytest.mark.slow)], ids=str)
def test_networkx_and_scipy_give_the_same_structure(seeds: range, monkeypatch: pytest.MonkeyPatch) -> None:
    for seed in seeds:
        for arrays in (TopologyArrays.from_topology(random_topology(seed)), random_mechanism(10 + seed % 60, seed)):
            found = []
            for large in (0, 10**9):
                monkeypatch.setattr("structkin.structure.blocks.LARGE", large)
                found.append(decompose_arrays(arrays))
            assert KinematicStructure.from_arrays(found[0]) == KinematicStructure.from_arrays(found[1])
            assert found[0].over.tolist() == found[1].over.tolist()


def test_one_of_each_shape_represents_all() -> None:
    """The certificate of a block is that of its example; blocks examined one by one give the same."""
    for seed in range(200):
        rows = rows_of(random_topology(seed))
        owner, block = oriented(rows)
        shapes = shapes_of(rows, owner, block)
        values = coefficients(rows)
        result = deficient_blocks(rows, values, owner, block, shapes)
        for one in np.flatnonzero(shapes.shape >= 0).tolist():
            alone = np.where(np.isin(owner, shapes.vertices_of(one)), owner, -1)
            assert deficient_blocks(rows, values, alone, block)[one] == result[one]


def test_shapes_do_not_depend_on_numbering() -> None:
    """In any order of links, joints and drivers, the blocks of a mechanism are of the same few shapes."""
    counts = []
    for shuffle in (False, True):
        rows = rows_of(random_mechanism(3000, seed=1, shuffle=shuffle))
        owner, block = oriented(rows)
        counts.append(len(shapes_of(rows, owner, block).example))
    assert max(counts) < 200


@pytest.mark.parametrize("large", [0, 10**9])
@pytest.mark.parametrize("seed", range(30))
def test_orientation_is_maximal(seed: int, large: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Against SciPy's maximum flow, on random graphs with more and with fewer rows than the capacity."""
    monkeypatch.setattr("structkin.structure.orient.LARGE", large)
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, 40))
    m = int(rng.integers(1, 4 * n))
    ends = np.array([rng.choice(n + 1, 2, replace=False) - 1 for _ in range(m)])
    capacity = rng.integers(2, 4, n)
    result = orient(capacity, ends, np.ones(m, dtype=bool))
    assert (np.bincount(result.owner[result.owner >= 0], minlength=n) <= capacity).all()
    assert all(owner == -1 or owner in pair for owner, pair in zip(result.owner.tolist(), ends.tolist(), strict=True))
    loose = np.bincount(result.owner[result.owner >= 0], minlength=n) < capacity
    for _ in range(n):
        for owner, (a, b) in zip(result.owner.tolist(), ends.tolist(), strict=True):
            if owner >= 0:
                other = b if owner == a else a
                loose[owner] |= other != GROUND and loose[other]
    assert result.loose.tolist() == loose.tolist()
    source, sink = m + n, m + n + 1
    arcs = [(source, r, 1) for r in range(m)] + [(m + v, sink, int(capacity[v])) for v in range(n)]
    arcs += [(r, m + v, 1) for r in range(m) for v in ends[r].tolist() if v != GROUND]
    tail, head, size = (np.array(one, dtype=np.int32) for one in zip(*arcs, strict=True))
    graph = sp.csr_array((size, (tail, head)), shape=(m + n + 2, m + n + 2))
    assert np.count_nonzero(result.owner >= 0) == sp.csgraph.maximum_flow(graph, source, sink).flow_value


@pytest.mark.parametrize("phases", [0, 1, 3])
def test_the_shortest_paths_finish_what_searches_leave(phases: int, monkeypatch: pytest.MonkeyPatch) -> None:
    rows = rows_of(random_mechanism(2000, seed=5))
    monkeypatch.setattr("structkin.structure.orient.PHASES", phases)
    assert (orient(rows.capacity, rows.ends, np.ones(len(rows.item), dtype=bool)).owner >= 0).all()


def test_solve_order_takes_the_smallest_key_that_is_ready() -> None:
    rng = np.random.default_rng(0)
    for _ in range(50):
        count = int(rng.integers(1, 12))
        before, after = (
            np.array([(a, b) for b in range(count) for a in range(b) if rng.random() < 0.3]).reshape(-1, 2).T
        )
        key = rng.permutation(count)
        graph = digraph(count, before, after)
        order = solve_order(graph, key).tolist()
        done: list[int] = []
        while len(done) < count:
            needs = {
                b: {a for a, c in zip(before.tolist(), after.tolist(), strict=True) if c == b} for b in range(count)
            }
            done.append(min((b for b in range(count) if b not in done and needs[b] <= set(done)), key=lambda b: key[b]))
        assert order == done
        longest: dict[int, int] = {}
        for block in done:
            longest[block] = 1 + max((longest[need] for need in needs[block]), default=-1)
        assert levels(graph).tolist() == [longest[block] for block in range(count)]


# large ones ---------------------------------------------------------------------------------------------------------


def test_the_scalable_four_bar_is_the_chain_of_dyads() -> None:
    assert scalable_four_bar(20).n_links == 20
    four, chain = decompose_arrays(scalable_four_bar(20)), decompose(chain_of_dyads(9))
    assert [(g.kind, g.level, g.links) for g in four.groups()] == [(g.kind, g.level, g.links) for g in chain.groups]


@pytest.mark.parametrize("shuffle", [False, True])
def test_random_mechanisms_decompose_into_their_elements(shuffle: bool) -> None:
    arrays = random_mechanism(20_000, seed=2, shuffle=shuffle)
    found = decompose_arrays(arrays)
    assert found.is_solvable
    assert found.mobility == arrays.n_drivers
    widths = np.bincount(np.diff(found.link_start))
    assert len(widths) == 5  # one to four links
    assert (np.diff(found.need_start) <= 3).all()
    assert found.level[found.need].size == found.need.size
    of = np.repeat(np.arange(found.n_groups), np.diff(found.need_start))
    assert (found.need < of).all()
    assert (found.level[found.need] < found.level[of]).all()
    assert set(found.kinds) == {
        *("driven R", "driven P", "RRR", "RRP", "RPR", "PRP", "RPP", "class III order 3"),
    }


def test_shuffling_changes_no_count() -> None:
    plain, mixed = (decompose_arrays(random_mechanism(5000, seed=4, shuffle=shuffle)) for shuffle in (False, True))
    assert plain.kinds == mixed.kinds
    assert sorted(plain.level.tolist()) == sorted(mixed.level.tolist())
    assert np.count_nonzero(plain.composite >= 0) == np.count_nonzero(mixed.composite >= 0)


def test_a_hundred_thousand_links_without_objects() -> None:
    found = decompose_arrays(scalable_four_bar(100_000))
    assert found.is_solvable
    assert found.kinds == {"RRR": 49_999, "driven R": 1}
    assert (found.level == np.arange(50_000)).all()
    assert found.group(49_999).depends_on == (49_998,)
