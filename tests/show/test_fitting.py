"""Long names and titles: legends and titles take more lines, and the curves keep their room."""

from __future__ import annotations

import json
import re
import tomllib

import pytest
from cases import few
from show_samples import crank_rocker, legend_texts, nothing_is_cut, part_turn, texts

import structkin as sk
from structkin.examples import path
from structkin.show.fitting import lines_that_fit, text_width
from structkin.show.inputs_figure import draw_inputs
from structkin.show.matrices import draw_matrices
from structkin.show.motion_forces import plot_forces
from structkin.show.motion_plot import plot_motion
from structkin.show.schematic import draw_schematic
from structkin.show.simulation import plot_simulation
from structkin.show.structure_graph import draw_structure

#: A title of 160 letters, many of them wide.
TITLE = "WOMWAT hauling machine " * 7


def renamed(ending, **changes):
    """The excavator with longer names of its pins."""
    text = path("excavator").read_text(encoding="utf-8")
    text = re.sub(r'"([A-HKLMT])"', rf'"\1{ending}"', text)
    data = tomllib.loads(re.sub(r"(?m)^([A-HKLMT]) = ", rf'"\1{ending}" = ', text))
    return sk.Mechanism.from_dict(data | changes)


def titled(name, **changes):
    return sk.Mechanism.from_dict(sk.load(path(name)).source_dict | {"title": TITLE} | changes)


def has_wide_axes(figure, columns=1):
    """Check that nothing is cut, and that the axes have the width that short names leave them."""
    nothing_is_cut(figure)
    assert all(ax.get_position().width > 0.86 / columns for ax in figure.axes)


@pytest.mark.full
@pytest.mark.parametrize("ending", few(["_pin_of_the_arm", "_pin_of_the_arm" * 6, "_$", " W" * 50], 2, 0))
def test_curves_keep_their_width_below_long_names(ending):
    m = renamed(ending)
    motion = m.solve(samples=31)
    heights = {}
    for name, figure in (
        ("forces", plot_forces(motion.forces())),
        ("points", plot_motion(motion, *(f"{letter}{ending}" for letter in "CDEH"))),
    ):
        has_wide_axes(figure)
        shown = [text.replace("\n", "").replace(" ", "") for text in legend_texts(figure)]
        assert any(f"D{ending}".replace(" ", "").replace("$", r"\$") in text for text in shown)
        heights[name] = [ax.get_position().height * figure.get_figheight() for ax in figure.axes]
    assert min(heights["forces"]) > 1.1 and min(heights["points"]) > 1.4
    has_wide_axes(plot_motion(motion, f"T{ending}", "boom", "arm"), columns=2.1)


def test_reasons_below_a_plot_take_more_lines():
    long = "_of_the_machine_in_the_quarry" * 4
    data = part_turn().source_dict
    data["links"] = {name if name == "ground" else name + long: points for name, points in data["links"].items()}
    has_wide_axes(plot_motion(sk.Mechanism.from_dict(data).solve(samples=31), "P"))


@pytest.mark.full
def test_long_titles_take_more_lines():
    m, engine = titled("crank_rocker"), titled("one_cylinder_engine")
    free = titled("one_cylinder_engine", drivers={"motor": {"joint": "O"}})
    for figure in (
        plot_motion(m.solve(samples=9)),
        plot_forces(engine.solve(samples=31).forces()),
        plot_simulation(free.simulate(0.001, samples=5)),
        draw_structure(m.structure()),
        draw_matrices(m.structure()),
    ):
        nothing_is_cut(figure)
        assert TITLE.strip() in " ".join(texts(figure).split())


def test_titles_of_diagrams_and_animations_end_with_their_axes():
    motion = titled("jansen_leg").solve(samples=9)
    for figure in (draw_schematic(motion.mechanism, motion=motion), motion.animate(seconds=1)._stage.ax.figure):
        nothing_is_cut(figure)
        [ax], [legend] = figure.axes, figure.legends
        assert "".join(ax.get_title(loc="left").split()) == "".join(TITLE.split())
        assert ax.title.get_text() == ""
        assert ax._left_title.get_window_extent().x1 < legend.get_window_extent().x0


def test_entries_of_the_legend_of_a_diagram_are_not_cut():
    data = sk.load(path("scotch_yoke")).source_dict
    for link in ("crank", "block", "yoke"):
        data = json.loads(json.dumps(data).replace(f'"{link}"', f'"{link + "_of_the_machine_in_the_quarry" * 3}"'))
    m = sk.Mechanism.from_dict(data)
    nothing_is_cut(draw_schematic(m, motion=m.solve(samples=9)))


def test_bold_headings_of_inputs_are_not_cut():
    data = crank_rocker().source_dict
    for letter in "ABCD":
        data = json.loads(
            json.dumps(data).replace(f'"{letter}"', f'"{letter} MAIN BEARING PIN OF THE MACHINE ON THE LEFT"')
        )
    m = sk.Mechanism.from_dict(data | {"title": TITLE})
    nothing_is_cut(draw_inputs(m.rank_inputs(), mechanism=m))


def test_lines_fit_by_their_letters():
    assert text_width("W" * 10, 9.0) > 3 * text_width("i" * 10, 9.0)
    assert text_width("W" * 10, 9.0, "bold") > 1.05 * text_width("W" * 10, 9.0)
    for text in ("iiii " * 30, "WWWW " * 30, "i" * 90 + " " + "W" * 90, "a$b " * 40):
        lines = lines_that_fit(text, 3.0, 9.0)
        assert "".join(lines).replace(" ", "") == text.replace(" ", "")
        assert max(text_width(line, 9.0) for line in lines) <= 3.0
    assert lines_that_fit("one line\nand another", 3.0, 9.0) == ["one line", "and another"]
    assert lines_that_fit("WW", 1e-3, 9.0) == ["W", "W"]
