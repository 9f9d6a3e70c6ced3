"""The structure in pictures: link graph and groups."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import networkx as nx
import numpy as np
import pytest
from cases import few
from matplotlib.colors import to_hex
from show_samples import ALL, chain, crank_rocker, drawn, gids, loose, overdriven, quick_return, texts

import structkin as sk
from structkin.examples import path
from structkin.show import draw_inputs, draw_structure
from structkin.show.link_panel import crossings, incidence, spread
from structkin.show.style import LOOSE, PALETTE

CATALOGUE = json.loads((Path(__file__).parents[1] / "data" / "catalogue.json").read_text(encoding="utf-8"))
ENTRIES = {
    str(entry.get("name", k)): entry for k, entry in enumerate(CATALOGUE.get("entries", CATALOGUE.get("mechanisms")))
}


@pytest.mark.parametrize("make", ALL, ids=lambda make: make.__name__)
def test_links_joints_drivers_and_groups_are_drawn(make):
    m = make()
    structure = m.structure()
    figure = draw_structure(structure, mechanism=m)
    found = gids(figure)
    assert {f"link:{link}" for link in m.links} <= set(found)
    assert {f"driver:{driver}" for driver in m.drivers} <= set(found)
    assert {f"group:{group.index + 1}" for group in structure.groups} <= set(found)
    needs = {f"needs:{need + 1}:{group.index + 1}" for group in structure.groups for need in group.depends_on}
    assert needs == {gid for gid in found if gid.startswith("needs:")}
    for joint in m.topology.joints:
        assert f"{joint.kind}:{joint.id}" in texts(figure)


def test_boxes_state_group_class_and_order():
    figure = draw_structure(crank_rocker().structure())
    assert drawn(figure, "group:2").get_text() == "2 RRR\ncoupler + rocker\nclass II order 2"
    assert drawn(figure, "link:rocker").get_text() == "rocker\ngroup 2"
    assert to_hex(drawn(figure, "group:2").get_bbox_patch().get_edgecolor()) == PALETTE[1].lower()
    assert to_hex(drawn(figure, "link:rocker").get_bbox_patch().get_edgecolor()) == PALETTE[1].lower()
    assert drawn(figure, "link:ground").get_bbox_patch().get_hatch()
    assert "Crank-rocker: mobility 1" in texts(figure)


def test_levels_run_from_left_to_right():
    m = quick_return()
    structure = m.structure()
    figure = draw_structure(structure)
    across = [drawn(figure, f"group:{group.index + 1}").get_position()[0] for group in structure.groups]
    assert [group.level for group in structure.groups] == [0, 1, 2]
    assert across == sorted(across) and len(set(across)) == 3


def test_a_multiple_joint_is_one_square():
    m = chain(3)
    found = gids(draw_structure(m.structure()))
    assert found.count("pin:B1") == 1  # rod1, rocker1 and rod2 meet there
    assert found.count("name:R:B1") == 1
    assert "pin:A1" not in found


def test_undetermined_links_are_red_dashed_and_named():
    figure = draw_structure(loose().structure())
    box = drawn(figure, "link:r2").get_bbox_patch()
    assert to_hex(box.get_edgecolor()) == LOOSE.lower() and box.get_linestyle() == "--"
    assert "under-determined: l2, r2, right; 1 driver is missing" in texts(figure)


def test_redundant_equations_are_listed():
    assert "over-determined: second (angle)" in texts(draw_structure(overdriven().structure()))


def test_nothing_determined():
    data = crank_rocker().source_dict
    del data["drivers"]
    figure = draw_structure(sk.Mechanism.from_dict(data).structure())
    figure.draw_without_rendering()
    assert "no group is determined" in texts(figure)


def walker():
    """Two legs of Jansen on one crank, each the mirror image of the other."""
    data = sk.load(path("jansen_leg")).source_dict
    own = {
        name: name if name in ("ground", "crank", "O", "M") else f"{name}2" for name in data["links"] | data["points"]
    }
    points = {own[name]: [-x, y] for name, (x, y) in data["points"].items() if own[name] != name}
    links = {own[name]: [own[point] for point in ends] for name, ends in data["links"].items() if own[name] != name}
    links["ground"] = ["O", "G", "G2"]
    motor = {"motor": {"joint": "O", "speed": 1.0}}
    return sk.Mechanism("Walker", points=data["points"] | points, links=data["links"] | links, drivers=motor)


def eight_dyads():
    return chain(8)


def jansen_leg():
    return sk.load(path("jansen_leg"))


def excavator():
    return sk.load(path("excavator"))


@pytest.mark.parametrize("make", [jansen_leg, walker, eight_dyads], ids=lambda make: make.__name__)
def test_letters_are_legible_on_a_slide(make):
    """Where the picture fills a slide of 13.3 in x 7.5 in, its smallest letters have 7 pt, those of a group 8 pt."""
    m = make()
    figure = draw_structure(m.structure(), mechanism=m)
    figure.draw_without_rendering()
    scale = min(np.array([13.333, 7.5]) / figure.get_size_inches())
    sizes = {text.get_gid() or "": scale * text.get_fontsize() for ax in figure.axes for text in ax.texts}
    assert min(sizes.values()) > 7.0
    assert min(size for gid, size in sizes.items() if gid.startswith(("group:", "link:"))) > 8.0


@pytest.mark.parametrize(
    "make", few([*ALL, jansen_leg, walker, eight_dyads, excavator], 5), ids=lambda make: make.__name__
)
def test_names_cover_no_link_and_no_other_name(make):
    m = make()
    figure = draw_structure(m.structure(), mechanism=m)
    figure.draw_without_rendering()
    written = [text for text in figure.axes[0].texts if (text.get_gid() or "").startswith(("name:", "link:"))]
    boxes = [text.get_window_extent().extents for text in written]
    for k, (x0, y0, x1, y1) in enumerate(boxes):
        for a0, b0, a1, b1 in boxes[:k]:
            assert x1 <= a0 or a1 <= x0 or y1 <= b0 or b1 <= y0


@pytest.mark.parametrize("wheel", ["planet", "planet_wheel_of_the_gearbox_in_the_machine"])
def test_boxes_of_links_stay_inside_their_panel_and_clear_of_its_caption(wheel):
    m = sk.Mechanism(
        "Gears",
        points={"O": [0, 0], "P": [60, 0], "Q": [60, 25]},
        links={"ground": ["O"], "sun": ["O"], "arm": ["O", "P"], wheel: ["P", "Q"]},
        joints={
            "inner": {"type": "gear", "links": ["sun", wheel], "teeth": [20, 28]},
            "outer": {"type": "gear", "links": [wheel, "ground"], "teeth": [28, 76], "internal": True},
        },
        drivers={"motor": {"links": ["ground", "sun"], "speed": 1}},
    )
    panels = [draw_structure(m.structure(), mechanism=m), draw_structure(sk.load(path("planetary_train")).structure())]
    panels.append(draw_inputs(m.rank_inputs(), mechanism=m))
    for figure in panels:
        figure.draw_without_rendering()
        for ax in figure.axes:
            boxes = [text.get_bbox_patch() for text in ax.texts if (text.get_gid() or "").startswith("link:")]
            for x0, y0, x1, y1 in (box.get_window_extent().extents for box in boxes):
                assert ax.bbox.x0 <= x0 < x1 <= ax.bbox.x1 and ax.bbox.y0 <= y0 < y1 <= ax.bbox.y1


@pytest.mark.parametrize("hangs", [False, True])
def test_links_that_no_joint_connects_are_in_the_picture(hangs):
    """Of a platform on three cylinders both boxes were outside: the picture had the names of the cylinders alone."""
    data = sk.load(path("platform_3rpr")).source_dict
    if hangs:
        data["points"]["Q"], data["links"]["lone"] = [0, 0], ["Q"]
    m = sk.Mechanism.from_dict(data)
    figure = draw_structure(m.structure(), mechanism=m)
    figure.draw_without_rendering()
    whole = figure.bbox
    for link in m.links:
        box = drawn(figure, f"link:{link}").get_bbox_patch().get_window_extent()
        assert whole.x0 <= box.x0 and box.x1 <= whole.x1 and whole.y0 <= box.y0 and box.y1 <= whole.y1, link


def test_a_large_mechanism():
    figure = draw_structure(chain(15).structure())
    figure.draw_without_rendering()
    assert sum(gid.startswith("group:") for gid in gids(figure)) == 16
    assert figure.get_figwidth() < 25


@pytest.mark.parametrize("name", list(ENTRIES)[::5])
def test_the_catalogue_draws(name):
    structure = sk.Topology.from_dict(ENTRIES[name])
    found = gids(draw_structure(structure.structure()))
    assert {f"link:{link}" for link in structure.links} <= set(found)


def test_the_layout_is_the_same_each_time_and_without_needless_crossings():
    graph = incidence(chain(4).topology)
    places = spread(graph, "ground")
    assert places == spread(graph, "ground")
    assert crossings(graph, places) == 0
    apart = [abs(places[a] - places[b]) for a in places for b in places if a < b]
    assert min(apart) > 0.4


def test_floating_parts_stay_near():
    graph = nx.Graph([("g", "a"), ("b", "c")])
    places = spread(graph, "g")
    assert np.ptp([abs(place) for place in places.values()]) < 5
    assert spread(nx.Graph([("g", "g")]), "g") == {"g": 0j}


@pytest.mark.full
@pytest.mark.parametrize("seeds", few([range(2), range(2, 4)], 1, 0))
def test_the_layout_is_the_same_in_every_process(seeds):
    """Sets of names have a different order in each process."""
    code = (
        "from structkin.examples import path; import structkin as sk; from structkin.show import draw_structure; "
        "m = sk.load(path('jansen_leg')); figure = draw_structure(m.structure(), mechanism=m); "
        "print([text.get_position() for text in figure.axes[0].texts])"
    )
    found = [
        subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, env={**os.environ, **seed}).stdout
        for seed in ({"PYTHONHASHSEED": str(k)} for k in seeds)
    ]
    assert len(set(found)) == 1
