"""Wrong arguments of pictures and tables are named in one error."""

from __future__ import annotations

import pytest

import structkin as sk
from structkin import show
from structkin.examples import path

M = sk.load(path("crank_rocker"))
R = M.solve(13)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: show.draw_schematic(5, motion=3, trace=7), "mechanism: 5 is not a Mechanism"),
        (lambda: show.draw_schematic(5, motion=3, trace=7), "motion: 3 is not a Motion"),
        (lambda: show.draw_schematic(5, motion=3, trace=7), "trace: 7 is not a sequence of strings"),
        (lambda: show.draw_schematic(M, motion=R, sample="1"), "sample: '1' is not a whole number"),
        (lambda: show.draw_schematic(M, ax=3), "ax: 3 is not an Axes"),
        (lambda: show.draw_structure(M), "structure: <Mechanism 'C.* is not a KinematicStructure"),
        (lambda: show.draw_groups(3, "x"), "entries: 3 is not a sequence"),
        (lambda: show.draw_groups([], "x"), "there is nothing to draw"),
        (lambda: show.draw_chains([], "x"), "there is nothing to draw"),
        (lambda: show.draw_inputs(3), "ranking: 3 is not an InputRanking"),
        (show.draw_limits, "there are no limits to draw"),
        (lambda: show.draw_limits(3), "found: 3 is not a Limits"),
        (lambda: show.draw_matrices(M), "is not a KinematicStructure"),
        (lambda: show.plot_motion(R, "B", 3), "names: 3 is not a string"),
        (lambda: show.plot_motion(R, units="mm"), "units: 'mm' is not a Units"),
        (lambda: show.plot_forces(R), "is not a Kinetostatics"),
        (lambda: show.save_figure(3, "x.png"), "figure: 3 is not a Figure"),
        (lambda: show.save_figure(show.plot_motion(R), 3), "path: 3 is not a string or a path"),
        (lambda: show.write_csv(R, 3), "target: 3 is not a string or a path or an open file"),
        (lambda: show.summary_table(3), "motion: 3 is not a Motion"),
        (lambda: show.html_table(3), "table: 3 is not a Table"),
        (lambda: show.animate(R, fps="x", width=1.5), "width: 1.5 is not a whole number"),
        (lambda: show.widget(3), "mechanism: 3 is not a Mechanism"),
    ],
)
def test_wrong_arguments_are_named(call, words):
    with pytest.raises(sk.InputError, match=words):
        call()


def test_one_name_is_a_list_of_one():
    assert show.draw_schematic(M, motion=R, trace="P").axes
