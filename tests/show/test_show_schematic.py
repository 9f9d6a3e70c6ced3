"""The schematic: every part has its symbol, its colour and its name."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import numpy as np
import pytest
from matplotlib.colors import to_hex
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from show_samples import (
    ALL,
    chain,
    crank_rocker,
    digger,
    drawn,
    gids,
    legend_texts,
    loose,
    one_crank,
    part_turn,
    press,
    quick_return,
    slider_crank,
    texts,
)

import structkin as sk
from structkin.joints.guide import Guide
from structkin.model.units import Units
from structkin.show import draw_schematic
from structkin.show.labels import root_figure
from structkin.show.style import LOOSE, PALETTE, group_colour


@cache
def picture(make: Callable[[], sk.Mechanism]) -> Figure:
    """Return a mechanism in motion, for tests that only read it."""
    m = make()
    return draw_schematic(m, motion=m.solve(samples=37), sample=5)


def boxes(figure: Figure) -> dict[str, tuple[float, float, float, float]]:
    """Return the extents [px] of the names of points and drivers."""
    figure.draw_without_rendering()
    labels = [note for note in figure.axes[0].texts if (note.get_gid() or "").startswith("label:")]
    return {note.get_text(): note.get_window_extent().extents for note in labels}


@pytest.mark.parametrize("make", ALL, ids=lambda make: make.__name__)
@pytest.mark.parametrize("moving", [False, True], ids=["sketch", "motion"])
def test_every_part_is_drawn_once(make, moving):
    m = make()
    found = gids(picture(make) if moving else draw_schematic(m))
    for link in m.topology.moving_links:
        bare = len(m.links[link].points) == 1 and any(guide.slider == link for guide in m.joints.of(Guide).values())
        assert found.count(f"link:{link}") == (0 if bare else 1)
    for joint in m.topology.joints:
        kind = {"R": "pin"}.get(joint.kind)
        if kind:
            assert found.count(f"{kind}:{joint.id}") == 1
    for joint, guide in m.joints.of(Guide).items():
        assert (f"block:{joint}" in found) == (guide.turn is not None)
        fixed = guide.carrier == "ground"
        assert (f"hatching:guide:{joint}" in found) == (fixed and guide.turn is not None)
        assert (f"slot:{joint}" in found) == (not fixed or guide.turn is None)
    for driver in m.drivers:
        assert f"driver:{driver}" in found
    assert {f"label:{name}" for name in (*m.points, *m.drivers)} <= set(found)


def test_links_have_the_colour_of_their_group_as_in_the_legend():
    m = crank_rocker()
    figure = draw_schematic(m, motion=m.solve(samples=13))
    assert to_hex(drawn(figure, "link:crank").get_color()) == PALETTE[0].lower()
    assert to_hex(drawn(figure, "link:coupler").get_edgecolor()) == PALETTE[1].lower()
    assert to_hex(drawn(figure, "link:rocker").get_color()) == PALETTE[1].lower()
    assert legend_texts(figure) == ["1 driven R: crank", "2 RRR: coupler + rocker", "path of P"]


def test_a_picture_for_an_exercise_hides_the_groups():
    m = slider_crank()
    figure = m.plot(groups=False)
    assert legend_texts(m.plot()) and not figure.legends
    assert sorted(gids(figure)) == sorted(gids(m.plot()))  # the same symbols
    colours = {to_hex(shade) for shade in PALETTE}
    assert colours & inks(m.plot())
    assert not colours & inks(figure)
    moving = draw_schematic(m, motion=m.solve(samples=7), groups=False, trace=["B"])
    assert legend_texts(moving) == ["path of B"]


def inks(figure):
    """Return the colours of all lines and areas."""
    return {to_hex(line.get_color()) for line in figure.findobj(Line2D)} | {
        to_hex(shade) for area in figure.findobj(Patch) for shade in (area.get_edgecolor(), area.get_facecolor())
    }


def test_a_ternary_link_is_a_plate_and_a_binary_one_a_bar():
    figure = draw_schematic(crank_rocker())
    plate = drawn(figure, "link:coupler")
    assert len(plate.get_xy()) == 4  # closed
    assert 0 < plate.get_facecolor()[3] < 1
    assert len(drawn(figure, "link:crank").get_xydata()) == 2


def test_places_are_in_the_unit_of_the_file():
    m = crank_rocker()
    motion = m.solve(samples=13)
    figure = draw_schematic(m, motion=motion, sample=4)
    ax = figure.axes[0]
    assert ax.get_xlabel() == "x [mm]" and ax.get_ylabel() == "y [mm]"
    assert ax.get_aspect() == 1.0
    assert drawn(figure, "point:P").center == pytest.approx(1e3 * motion.position("P")[4])
    assert "t = 0.3333 s, motor = 120 deg" in texts(figure)
    inches = draw_schematic(m, motion=motion, sample=4, units=Units(length="in", angle="rad"))
    assert inches.axes[0].get_xlabel() == "x [in]"
    assert drawn(inches, "point:P").center == pytest.approx(motion.position("P")[4] / 0.0254)


def test_the_sketch_is_drawn_without_a_motion():
    figure = draw_schematic(crank_rocker())
    assert drawn(figure, "pin:C").center == pytest.approx((42.3, 30.29))
    assert "as sketched" in texts(figure)
    assert not [gid for gid in gids(figure) if gid.startswith("path:")]


def test_ground_pivots_and_hatching():
    found = gids(draw_schematic(crank_rocker()))
    assert found.count("pivot:A") == found.count("pivot:D") == 1
    assert "hatching:pivot:A" in found and "pivot:B" not in found


def test_a_path_has_gaps_where_there_is_no_pose():
    m = part_turn()
    motion = m.solve(samples=61)
    assert 0 < motion.ok.sum() < 61
    figure = draw_schematic(m, motion=motion)
    path = drawn(figure, "path:P").get_xydata()
    assert (np.isnan(path).any(axis=1) == ~motion.ok).all()
    assert f"{(~motion.ok).sum()} of 61 samples not ok" in texts(figure)


def test_a_failed_sample_shows_known_parts_and_the_reason():
    m = part_turn()
    motion = m.solve(samples=61)
    bad = int(np.flatnonzero(~motion.ok)[0])
    figure = draw_schematic(m, motion=motion, sample=bad)
    found = gids(figure)
    assert "link:left" in found and "link:coupler" not in found and "link:right" not in found
    assert "out of reach at group 2" in texts(figure)
    assert draw_schematic(m, motion=motion, sample=bad - len(motion)).axes  # from the end, as in Python


def test_the_first_sample_that_is_ok_is_drawn():
    m = part_turn()
    motion = m.solve(t=[1.4, 0.0])
    assert motion.ok.tolist() == [False, True]
    assert "link:coupler" in gids(draw_schematic(m, motion=motion))


def test_sliders_slots_and_drivers_have_their_symbols():
    found = gids(draw_schematic(slider_crank()))
    assert {"block:guide", "hatching:guide:guide", "driver:motor", "head:driver:motor"} <= set(found)
    found = gids(draw_schematic(quick_return()))
    assert "slot:slot" in found and found.count("pin:B") == 1 and "block:slot" not in found
    found = gids(draw_schematic(press()))
    assert found.count("head:driver:push") == 2  # the law swings: two heads
    found = gids(draw_schematic(digger()))
    assert {"driver:ram", "rod:driver:ram", "pin:F", "pivot:E"} <= set(found)


def test_a_spring_is_drawn_between_its_pins():
    data = crank_rocker().source_dict
    data["points"]["S"] = [0, 40]
    data["links"]["ground"].append("S")
    data["forces"] = {"back": {"type": "spring", "between": ["P", "S"], "stiffness": 5}}
    found = gids(draw_schematic(sk.Mechanism.from_dict(data)))
    assert {"spring:back", "pivot:S", "pin:P"} <= set(found)


def test_a_damper_is_a_dashpot_alone_or_beside_its_spring():
    data = crank_rocker().source_dict
    data["points"]["S"] = [0, 40]
    data["links"]["ground"].append("S")
    drawings = []
    for keys in ({"damping": 5}, {"damping": 5, "stiffness": 5}):
        data["forces"] = {"back": {"type": "spring", "between": ["P", "S"], **keys}}
        drawings.append(draw_schematic(sk.Mechanism.from_dict(data)))
    alone, both = drawings
    assert "damper:back" not in gids(alone) and {"spring:back", "damper:back"} <= set(gids(both))
    # a cup and a piston: lines that do not hang together
    for drawing, id in ((alone, "spring:back"), (both, "damper:back")):
        places = drawn(drawing, id).get_xydata()
        assert np.isnan(places).any()
        assert not np.isnan(places[[0, -1]]).any()


def test_a_driver_arrow_turns_with_the_speed():
    def sense(speed: float) -> float:
        data = one_crank().source_dict
        data["drivers"]["motor"]["speed"] = speed
        arc = drawn(draw_schematic(sk.Mechanism.from_dict(data)), "driver:motor").get_xydata()
        x, y = arc[0], arc[-1]
        return float(x[0] * y[1] - x[1] * y[0])

    assert sense(2.0) > 0 > sense(-2.0)


def test_a_slot_spans_the_travel():
    m = quick_return()
    motion = m.solve(samples=73)
    outline = drawn(draw_schematic(m, motion=motion), "slot:slot").get_xy()
    assert np.ptp(outline, axis=0).max() > 1e3 * np.ptp(motion.travel("slot")) * 0.8


@pytest.mark.parametrize("make", ALL, ids=lambda make: make.__name__)
def test_names_overlap_neither_each_other_nor_the_frame(make):
    figure = picture(make)
    found = list(boxes(figure).values())
    for k, (x0, y0, x1, y1) in enumerate(found):
        for a0, b0, a1, b1 in found[:k]:
            assert x1 <= a0 or a1 <= x0 or y1 <= b0 or b1 <= y0
        left, low, right, top = figure.bbox.extents
        assert left <= x0 and x1 <= right and low <= y0 and y1 <= top


def test_names_of_points_stay_near_their_points():
    for note in picture(crank_rocker).axes[0].texts:
        if (note.get_gid() or "").startswith("label:"):
            assert np.hypot(*note.get_position()) < 45


def test_traced_points_can_be_chosen():
    m = crank_rocker()
    motion = m.solve(samples=13)
    found = gids(draw_schematic(m, motion=motion, trace=["B", "C"]))
    assert [gid for gid in found if gid.startswith("path:")] == ["path:B", "path:C"]


def test_without_points_of_interest_the_pins_off_the_driven_links_are_traced():
    m = slider_crank()
    found = gids(draw_schematic(m, motion=m.solve(samples=13)))
    assert [gid for gid in found if gid.startswith("path:")] == ["path:B"]


def test_bad_calls():
    m = crank_rocker()
    motion = m.solve(samples=13)
    with pytest.raises(sk.InputError, match=r"no link has a point 'Q'; known: A, B, C, D, P"):
        draw_schematic(m, motion=motion, trace=["Q"])
    with pytest.raises(sk.InputError, match=r"no sample 13; 0 to 12"):
        draw_schematic(m, motion=motion, sample=13)
    with pytest.raises(sk.InputError, match=r"another mechanism"):
        draw_schematic(one_crank(), motion=motion)


def test_undetermined_links_are_red_and_dashed():
    figure = draw_schematic(loose())
    line = drawn(figure, "link:r2")
    assert to_hex(line.get_color()) == LOOSE.lower()
    assert line.get_linestyle() == "--"
    assert "not determined: l2 + r2 + right" in legend_texts(figure)


def test_given_axes_are_used():
    figure = Figure(figsize=(12, 5), layout="constrained")
    left, right = figure.subplots(1, 2)
    assert draw_schematic(crank_rocker(), ax=left) is figure
    assert draw_schematic(slider_crank(), ax=right) is figure
    assert left.get_legend() is not None and not figure.legends
    part = Figure(figsize=(8, 6)).subfigures(1, 1)
    ax = part.subplots()
    assert draw_schematic(crank_rocker(), ax=ax) is root_figure(ax)


def test_a_large_mechanism():
    m = chain(15)
    assert len(m.links) == 32
    figure = draw_schematic(m, motion=m.solve(samples=7))
    figure.draw_without_rendering()
    assert sum(gid.startswith("link:") for gid in gids(figure)) == 31


def test_names_are_not_read_as_formulas():
    m = sk.Mechanism(
        "Cost in $ or $?",
        points={"$a_1$": [0, 0], "_b": [1, 0]},
        links={"ground": ["$a_1$"], "_crank": ["$a_1$", "_b"]},
        drivers={"mo$tor$": {"joint": "$a_1$", "speed": 2}},
    )
    figure = draw_schematic(m, motion=m.solve(samples=7))
    figure.draw_without_rendering()
    assert "1 driven R: _crank" in legend_texts(figure)


def test_colours_of_groups_differ_and_repeat():
    assert len({group_colour(k) for k in range(30)}) == 30
    assert group_colour(None) == LOOSE


def test_a_driver_that_passes_zero_is_shown_as_zero():
    motion = one_crank().solve(drivers={next(iter(one_crank().drivers)): [-1.0, 3e-17, 1.0]})
    assert " = 0 " in texts(draw_schematic(motion.mechanism, motion=motion, sample=1))
