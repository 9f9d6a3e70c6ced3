"""Files of `structkin optimise`: what their wishes and limits mean, and every mistake in them at once."""

from __future__ import annotations

import numpy as np
import pytest
from commands import called as run

import structkin as sk
from structkin.design.optimise_file import arguments_of, read_optimisation
from structkin.examples import path

QUICK_RETURN = """
samples = 73
[mechanism]
units = { length = "mm", angle = "deg" }
[mechanism.points]
O = [0, 0]
A = [0, 80]
B = [40, 80]
E = [75, 150]
[mechanism.links]
ground = ["O", "A"]
crank = ["A", "B"]
arm = ["O", "E"]
[mechanism.joints]
slot = { type = "pin-in-slot", pin = "B", slot = "arm", along = ["O", "E"] }
[mechanism.drivers]
motor = { joint = "A", speed = "60 rpm" }
[parameters]
"lengths.A-B" = [10, 70]
"""


def written(file, text):
    file.write_text(text, encoding="utf-8")
    return file


def test_a_transmission_angle_is_held_where_there_is_one(tmp_path):
    """That of an arm with a slot is a right angle throughout, but the travel along its slot was held instead."""
    wish = QUICK_RETURN + "[[limits]]\nmeasure = 'transmission'\nleast = 40\n"
    wish += "[[objective]]\nmeasure = 'stroke'\nof = 'arm'\nwanted = 40\n"
    (problem,) = run("optimise", written(tmp_path / "a.toml", wish)).exception.problems
    assert problem.key == "limits.0" and "there is no RRR or RRP dyad" in problem.message
    m = sk.load(path("toggle_press"))
    motion = m.solve(5)
    entry = {"measure": "transmission", "least": 40}
    (limit,) = arguments_of(m, {"limits": [entry]}, None, [])["limits"]
    # The rod BC, 250 mm long, pushes along a vertical guide; the cylinder turns the other link.
    rise = motion.position("B")[:, 1] - motion.position("C")[:, 1]
    np.testing.assert_allclose(limit.measure.values(motion), (rise / 0.25) ** 2, rtol=1e-12)


def test_the_travel_along_a_circular_slot_is_an_angle(tmp_path):
    """It was read as a length: 40 deg were 0.04 rad, and with their unit they were refused."""
    slot = QUICK_RETURN.replace("[mechanism.joints]", 'rod = ["B", "P"]\n[mechanism.joints]')
    slot = slot.replace('arm = ["O", "E"]\n', "").replace("E = [75, 150]", "P = [150, 100]\nQ = [130, 50]")
    slot = slot.replace('["O", "A"]', '["O", "A", "Q"]').replace('speed = "60 rpm"', 'law = "0.3*sin(t)"')
    slot = slot.replace('slot = "arm", along = ["O", "E"]', 'slot = "ground", center = "Q"').replace(
        '"B", slot', '"P", slot'
    )
    wish = (
        slot.replace("73", "7")
        + """
[[objective]]
measure = "stroke"
of = "slot"
wanted = 40
[[objective]]
measure = "travel"
joint = "slot"
values = [1, 2, 3, "4 deg", 5, 6, 7]
[[limits]]
measure = "dwell"
of = "slot"
first = 0
last = 6
high = "20 deg"
[[limits]]
measure = "stroke"
of = "slot"
low = 10
"""
    )
    mechanism, options = read_optimisation(written(tmp_path / "a.toml", wish))
    motion = mechanism.solve(samples=7, duration=6.0)
    x, y = (motion.position("P") - motion.position("Q")).T
    turn = np.unwrap(np.arctan2(y, x))
    turn -= np.arctan2(50, 20)
    stroke, travel = (one.values(motion) for one in options["objective"])
    assert stroke == pytest.approx(np.ptp(turn) - np.radians(40), abs=1e-12)
    assert travel == pytest.approx(turn - np.radians(np.arange(1, 8)), abs=1e-12)
    assert [limit.high for limit in options["limits"]] == [pytest.approx(np.radians(20)), np.inf]
    assert options["limits"][1].low == pytest.approx(np.radians(10))


def test_a_name_of_a_link_and_a_joint_is_the_link(tmp_path):
    wish = QUICK_RETURN.replace("slot = {", "arm = {") + "[[objective]]\nmeasure = 'stroke'\nof = 'arm'\nwanted = 140\n"
    mechanism, options = read_optimisation(written(tmp_path / "a.toml", wish))
    words = mechanism.optimise(**options).words
    # The longest crank swings the arm by 2 asin(70 / 80) = 122.09 deg.
    assert "the stroke of arm, less the wanted one, is -17.9 deg" in words


def test_an_empty_section_is_shown_as_it_is_written_in_a_file(tmp_path):
    text = QUICK_RETURN.partition('"lengths.A-B')[0]
    first, second = run("optimise", written(tmp_path / "a.toml", f"objective = []\n{text}")).exception.problems
    assert (first.key, second.key) == ("parameters", "objective") and "[parameters]" in first.hint
    empty = run("tolerances", written(tmp_path / "b.toml", text.replace("[parameters]", "[measures]"))).exception
    assert [one.key for one in empty.problems] == ["measures", "tolerances"] and empty.source.endswith("b.toml")


def test_entries_that_are_no_names_are_refused_like_others(tmp_path):
    """A list cannot be looked up: it ended in a TypeError."""
    wish = QUICK_RETURN + "".join(
        f"[[objective]]\n{entry}\n"
        for entry in (
            "measure = [1]", "measure = { a = 1 }", "measure = 'extent'\npoints = [['A']]",
            "measure = 'grashof'\npins = [{ A = 1 }]", "measure = 'stroke'\nof = ['arm']",
        )
    )  # fmt: skip
    problems = run("optimise", written(tmp_path / "a.toml", wish)).exception.problems
    assert [one.key for one in problems] == [f"objective.{k}" for k in range(5)]
    assert str(problems[4]) == (
        "objective.4: 'of' is the name of a link or joint that slides, not a list; such as of = \"ground\""
    )


def test_wishes_for_what_there_is_not_are_in_the_list_of_mistakes(tmp_path):
    """They came without file and key, and only when all else was mended."""
    wish = (
        QUICK_RETURN.replace("samples = 73", "samples = 3\nsteps = 1")
        + """
"lengths.B-A" = [10, 70]
[[objective]]
measure = "stroke"
of = "A"
[[objective]]
measure = "dwell"
of = "arm"
first = 1
last = 500
[[objective]]
measure = "angle"
link = "arm"
values = [1, 2]
[[objective]]
measure = "travel"
joint = "A"
values = [1, 2, 3]
[[objective]]
measure = "path"
point = "B"
places = [[0, 0], [1, 1], [2, 2], [3, 3]]
[[objective]]
measure = "time_ratio"
of = "A"
"""
    )
    problems = run("optimise", written(tmp_path / "a.toml", wish)).exception.problems
    assert {one.key: one.message for one in problems} == {
        "steps": "is not a key of an optimisation",
        "parameters.lengths.B-A": "is named twice: 'lengths.A-B' is the same",
        "objective.0": "the text 'A' is not a link or joint that slides",
        "objective.1": "there is no sample 500",
        "objective.2": "has 2 values for 3 samples",
        "objective.3": "the text 'A' is not a joint that slides",
        "objective.4": "has 4 values for 3 samples",
        "objective.5": "the text 'A' is not a link or joint that slides",
    }


def test_what_would_be_passed_over_in_silence_is_refused(tmp_path):
    written(tmp_path / "path.csv", "x,y\n1,2\n2,3\n")
    wish = (
        "duration = '3 s'\n"
        + QUICK_RETURN
        + """
[at]
motor = [0, 30]
[[objective]]
measure = "path"
point = "B"
csv = "path.csv"
places = [[0, 0], [1, 1]]
[[limits]]
measure = "stroke"
of = "arm"
low = 50
high = "40 deg"
[[limits]]
measure = "stroke"
of = "arm"
"""
    )
    problems = run("optimise", written(tmp_path / "a.toml", wish)).exception.problems
    assert {one.key: one.message for one in problems} == {
        "objective.0": "has both 'places' and 'csv'",
        "limits.0": "the limits are reversed: 'low' is the number 50, 'high' the text '40 deg'",
        "limits.1": "has neither 'low' nor 'high'",
        "samples": "cannot be combined with drivers that are all given by values",
        "duration": "cannot be combined with drivers that are all given by values",
    }


def test_every_bad_cell_of_a_path_is_named(tmp_path):
    written(tmp_path / "path.csv", "x,y\n1,2\n2,a\n3,\n")
    wish = QUICK_RETURN + "[[objective]]\nmeasure = 'path'\npoint = 'B'\ncsv = 'path.csv'\n"
    problems = run("optimise", written(tmp_path / "a.toml", wish)).exception.problems
    found = [(one.key, one.message.partition(":")[0]) for one in problems]
    assert found == [("objective.0", "line 3"), ("objective.0", "line 4")]


def test_values_of_one_driver_and_a_duration_for_the_other():
    five = sk.load(path("five_bar_two_drivers"))
    left, problems = next(iter(five.drivers)), []
    data = {"at": {left: [0, 10, 20, 30]}, "duration": 3}
    options = arguments_of(five, data, None, problems)
    assert not problems and options["t"].tolist() == [0, 1, 2, 3] and options["drivers"].keys() == {left}
    for count, words in ((10**12, "1,000,000,000,000 samples"), (10**400, "found a long number")):
        problems = []
        arguments_of(five, {"samples": count, "duration": 3}, None, problems)
        assert problems[0].key == "samples" and words in problems[0].message
