"""All mechanisms of the catalogue, against the groups from textbooks and hand derivations."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from mechanisms import CATALOGUE

from structkin import Topology
from structkin.files import read_matrix
from structkin.files.writers.matrix import write_matrix
from structkin.model.topology import Joint, pin_of
from structkin.structure import Group, KinematicStructure, decompose

SPECIAL = [entry for entry in CATALOGUE if "special-geometry" in entry["tags"]]
PLAIN = [entry for entry in CATALOGUE if "special-geometry" not in entry["tags"]]


def name(entry: dict[str, Any]) -> str:
    return str(entry["name"])


def words(items: Any) -> list[str]:
    return sorted(str(item) for item in items)


def links_of(group: dict[str, Any]) -> frozenset[str]:
    return frozenset(str(link) for link in group["links"])


def check_groups(structure: KinematicStructure, expected: dict[str, Any]) -> None:
    found = {frozenset(group.links): group for group in structure.groups}
    wanted = {links_of(group): group for group in expected["groups"]}
    assert set(found) == set(wanted)
    assert len(found) == len(structure.groups)
    for links, group in wanted.items():
        check_group(structure, found[links], group, expected["groups"])
    for group in structure.groups:  # a valid order
        assert all(need < group.index for need in group.depends_on)
    assert words(structure.under) == words(expected["under"])
    assert structure.missing_drivers == expected["missing_drivers"]


def check_group(structure: KinematicStructure, found: Group, wanted: dict[str, Any], groups: list[Any]) -> None:
    for key, value in (
        ("class", found.class_),
        ("order", found.order),
        ("signature", found.signature),
        ("level", found.level),
    ):
        if wanted.get(key) is not None:
            assert value == wanted[key], key
    clusters = {frozenset(map(str, cluster)) for cluster in wanted.get("composite_links", [])}
    assert {frozenset(cluster) for cluster in found.composite_links} == clusters
    if "depends_on" in wanted:
        needs = {links_of(groups[index]) for index in wanted["depends_on"]}
        assert {frozenset(structure.groups[index].links) for index in found.depends_on} == needs


def test_the_catalogue_is_complete() -> None:
    assert len(CATALOGUE) == 45
    assert len(SPECIAL) == 3


@pytest.mark.parametrize("entry", PLAIN, ids=name)
def test_groups(entry: dict[str, Any]) -> None:
    structure = decompose(Topology.from_dict(entry))
    expected = entry["expected"]
    check_groups(structure, expected)
    assert [one.id for one in structure.over] == expected["over"]
    assert structure.topology.mobility_count == expected["dof_count"]


@pytest.mark.parametrize("entry", SPECIAL, ids=name)
def test_special_geometry_is_generically_immobile(entry: dict[str, Any]) -> None:
    structure = decompose(Topology.from_dict(entry))
    assert [one.id for one in structure.over] == entry["expected"]["generic_mode"]["over"]
    assert structure.mobility == 0
    assert not structure.is_solvable
    assert "special dimensions" in str(structure.diagnostics[-1])


@pytest.mark.parametrize("entry", SPECIAL, ids=name)
def test_special_geometry_with_drivers_first(entry: dict[str, Any]) -> None:
    structure = decompose(Topology.from_dict(entry), drivers_first=True)
    expected = entry["expected"]
    check_groups(structure, expected)
    assert structure.mobility == 0
    if "basis-dependent" not in entry["tags"]:
        assert [one.id for one in structure.over] == expected["over"]
    else:  # planets 4 and 5 have two meshes each: either may be called redundant, here the later one
        assert [one.id for one in structure.over] == ["G4", "G6"]


@pytest.mark.parametrize("entry", CATALOGUE, ids=name)
def test_adjacency_gives_the_same(entry: dict[str, Any]) -> None:
    topology = Topology.from_dict(entry)
    names = [str(link) for link in entry["links"]]
    read = Topology.from_adjacency(entry["adjacency"], ground=entry["ground"], names=names)

    def plain(joints: tuple[Joint, ...]) -> set[tuple[str, str, frozenset[str]]]:
        return {(j.id, j.kind, frozenset(j.links)) for j in joints if all(pin_of(end) is None for end in j.links)}

    assert plain(read.joints) == plain(topology.joints)
    assert read.ground == topology.ground


@pytest.mark.parametrize("entry", CATALOGUE, ids=name)
def test_a_matrix_file_gives_the_same_groups(entry: dict[str, Any], tmp_path: Path) -> None:
    topology = Topology.from_dict(entry)
    write_matrix(topology, tmp_path / "matrix.csv")
    read = read_matrix(tmp_path / "matrix.csv")
    assert read == topology and read.structure() == topology.structure()


@pytest.mark.parametrize("entry", PLAIN, ids=name)
def test_links_and_groups_are_complete_and_consistent(entry: dict[str, Any]) -> None:
    """Every link is in one group or still moves; KinStr agrees with the groups and the dependencies."""
    structure = decompose(Topology.from_dict(entry))
    topology = structure.topology
    links = [link for group in structure.groups for link in group.links]
    assert sorted([*links, *structure.under]) == sorted(topology.moving_links)
    assert structure.kinstr.shape == (len(topology.links), len(structure.groups))
    home = {link: group.index for group in structure.groups for link in group.links}
    for group in structure.groups:
        column = dict(zip(topology.links, structure.kinstr[:, group.index].tolist(), strict=True))
        assert [link for link in topology.links if column[link] == 1] == list(group.links)
        feeding = {home.get(link) for link in topology.links if column[link] == -1}
        assert feeding - {None} == set(group.depends_on)
        assert structure.dag.has_node(group.index)
    assert structure.missing_drivers == 0 or structure.under
