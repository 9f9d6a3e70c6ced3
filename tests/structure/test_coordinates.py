"""The coordinates of each group by name: those of S2 (Fig. 2), and whole for every example."""

from __future__ import annotations

import pytest
from cases import few

import structkin as sk
from structkin.examples import names, path, scalable_four_bar


def test_they_are_those_of_the_paper():
    """S2, sec. 4: phi_I = (x_B, y_B) from z; phi_k = (x_Ck, y_Ck) from C_(k-1) and D_k (corrected from D_(k-1))."""
    driven, *dyads = scalable_four_bar(3).structure().coordinates
    assert driven.dependent == ("x_C0", "y_C0") and driven.independent == ("x_A", "y_A", "motor")
    for k, one in enumerate(dyads, 1):
        assert one.dependent == (f"x_C{k}", f"y_C{k}")
        assert one.independent == (f"x_C{k - 1}", f"y_C{k - 1}", f"x_D{k}", f"y_D{k}")


def test_guides_give_angles():
    found = [str(one) for one in sk.load(path("scotch_yoke")).structure().coordinates]
    assert found == [
        "phi = (x_B, y_B), h = (x_A, y_A, motor)",
        "phi = (theta_block, x_yoke, y_yoke, theta_yoke), h = (x_B, y_B)",
    ]


@pytest.mark.parametrize("name", few(names(), 5))
def test_they_place_every_link_from_what_is_known(name):
    """Inputs come from the ground, drivers and earlier groups; phi and h locate each link of the group."""
    structure = sk.load(path(name)).structure()
    topology = structure.topology
    on = {link: [j.id for j in topology.joints if j.kind == "R" and link in j.links] for link in topology.links}
    known, placed = set(on[topology.ground]), {topology.ground}
    for group, one in zip(structure.groups, structure.coordinates, strict=True):
        for name in set(one.independent) - {driver.id for driver in topology.drivers}:
            assert name.partition("_")[2] in known | placed
        pins = known | {n[2:] for n in one.dependent if n.startswith("x_")}
        for link in group.links:
            located = [pin for pin in on[link] if pin in pins]
            turned = f"theta_{link}" in one.dependent
            assert len(located) > 1 or (turned and (located or f"x_{link}" in one.dependent)), (group, one)
            placed.add(link)
            known.update(on[link])


def test_they_are_in_the_plain_data():
    structure = sk.load(path("crank_rocker")).structure()
    groups = structure.to_dict()["groups"]
    assert [group["dependent"] for group in groups] == [["x_B", "y_B"], ["x_C", "y_C"]]
    assert groups[1]["independent"] == ["x_B", "y_B", "x_D", "y_D"]
