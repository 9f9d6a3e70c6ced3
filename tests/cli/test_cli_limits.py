"""`structkin limits`: its table, JSON, pictures and exit codes."""

import io
import json
import math

import pytest
from commands import called as structkin
from rich.console import Console

import structkin as sk
from structkin.examples import path
from structkin.show.limits_figure import draw_circuits, draw_limits, limits_table


def texts(figure):
    return [text.get_text() for axes in figure.axes for text in (*axes.texts, axes.title, axes.xaxis.label)] + [
        axes.get_title(loc="left") for axes in figure.axes
    ]


def test_the_table_states_the_limits_and_their_reasons():
    run = structkin("limits", path("triple_rocker"))
    assert run.exit_code == 0
    said = " ".join(run.stdout.replace("│", " ").split())
    assert "98.9575 deg" in said and "coupler and rocker in line" in said
    assert "triple rocker (RRR1); crank does not turn fully" in said


def test_json_is_plain_data_in_the_units_of_the_file():
    run = structkin("limits", path("triple_rocker"), "--circuits", "--json")
    data = json.loads(run.stdout)
    upper = data["limits"][0]["upper"]
    assert upper["value"] == pytest.approx(math.degrees(math.acos(-71 / 456)), abs=1e-10)
    assert data["loops"][0]["lengths"] == pytest.approx([95, 60, 50, 70])
    assert data["circuits"][0]["branch_points"][0]["branches"] == [0, 1]


def test_drivers_are_chosen_and_held():
    run = structkin(
        "limits", path("excavator"), "--driver", "bucket_cylinder", "--hold", "boom_cylinder=-0.1", "--json"
    )
    (item,) = json.loads(run.stdout)["limits"]
    assert item["driver"] == "bucket_cylinder" and item["upper"]["kind"] == "folded"


def test_pictures_are_drawn(tmp_path):
    for options in ((), ("--circuits",)):
        picture = tmp_path / f"limits{len(options)}.png"
        run = structkin("limits", path("triple_rocker"), *options, "--plot", picture)
        assert run.exit_code == 0 and picture.stat().st_size > 5000
        assert f"written: {picture}" in run.stdout.replace("\n", "")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("crank_rocker", "--driver", "moter"), "did you mean 'motor'"),
        (("crank_rocker", "--hold", "motor=far", "--hold", "x=1"), "is not a driver"),
        (("excavator", "--circuits", "--plot", "x.png"), "draws the circuits of one driver"),
        (("tipper_hoist", "--driver", "motor", "--circuits"), "known: cylinder"),
        (("crank_rocker", "--plot", "x.xyz"), "x.xyz"),
    ],
)
def test_bad_options_are_refused(arguments, message):
    name, *options = arguments
    run = structkin("limits", path(name), *options)
    assert isinstance(run.exception, sk.InputError) and message in str(run.exception)


def test_a_sketch_out_of_reach_exits_with_1():
    run = structkin("limits", path("triple_rocker"), "--hold", "motor=180", "--driver", "motor")
    assert run.exit_code == 1 and "motor: cannot start at motor = 180 deg: out of reach at group" in run.stdout


@pytest.mark.parametrize("options", [[], ["--circuits"]])
def test_a_held_value_out_of_reach_is_named_and_nothing_is_drawn(options, tmp_path):
    picture = tmp_path / "x.png"
    held = ["--driver", "arm_cylinder", "--hold", "boom_cylinder=99"]
    run = structkin("limits", path("excavator"), *held, *options, "--plot", picture)
    assert run.exit_code == 1 and "arm_cylinder: cannot start at boom_cylinder = 99 m: out of reach" in run.stdout
    assert "--plot: there is nothing to draw" in run.stdout and not picture.exists()


@pytest.mark.parametrize(
    ("word", "meant"), [("circuits", "limits --circuits"), ("circuit", "limits --circuits"), ("limit", "limits")]
)
def test_the_name_of_an_option_is_no_command(word, meant):
    run = structkin(word, path("triple_rocker"))
    assert run.exit_code == 2 and f"No such command '{word}'; did you mean '{meant}'?" in run.stderr


# --- pictures -------------------------------------------------------------------------------------------------


def test_bars_show_the_intervals_and_their_ends():
    found = sk.load(path("triple_rocker")).limits()
    (axes,) = draw_limits(found).axes
    bars = sorted((patch.get_x(), patch.get_x() + patch.get_width()) for patch in axes.patches)
    end = math.degrees(math.acos(-71 / 456))
    assert [x for bar in bars for x in bar] == pytest.approx([0, end, 360 - end, 360])
    assert "98.957\nstretched" in texts(axes.figure) and "motor moves from -98.9575 deg to 98.9575 deg" in texts(
        axes.figure
    )
    assert len(found.plot().axes) == 1


def test_labels_of_neighbouring_limits_stand_one_above_the_other_in_each_panel():
    """Of several drivers each had the same height: three rows of labels in one of them were printed over each other."""
    m = sk.Mechanism(
        points={"B": (2.8, 2), "C": (3.8, 0.1), "K": (3, 2.3), "L": (3.9, 0.8), "R": (3.5, 0.6), "S": (4.15, 0.3),
                "O": (0, 0), "P": (1, 0)},
        links={"ground": ["B", "C", "K", "R", "O"], "rocker": ["R", "L"], "tie": ["L", "S"], "bucket": ["C", "S"],
               "arm": ["O", "P"]},
        drivers={"cylinder": {"between": ["K", "L"]}, "motor": {"joint": "O"}},
    )  # fmt: skip
    figure = draw_limits(m.limits("cylinder"), m.limits("motor"))
    figure.canvas.draw()
    boxes = [label.get_window_extent() for label in figure.axes[0].texts]
    assert len(boxes) >= 3
    assert not any(one.overlaps(other) for k, one in enumerate(boxes) for other in boxes[:k])


def test_labels_that_are_close_are_stacked():
    (axes,) = draw_limits(sk.load(path("toggle_press")).limits()).axes
    figure = axes.figure
    figure.canvas.draw()
    boxes = [text.get_window_extent() for text in axes.texts if text.get_text()]
    assert len(boxes) == 3 and not any(a.overlaps(b) for k, a in enumerate(boxes) for b in boxes[:k])


def test_branches_are_bars_and_branch_points_lines():
    mechanism = sk.load(path("triple_rocker"))
    (axes,) = draw_circuits(mechanism.circuits()).axes
    assert len(axes.patches) == 4 and len(axes.lines) == 2
    assert [label.get_text() for label in axes.get_yticklabels()] == ["group 2 + *", "group 2 -"]
    turning = draw_circuits(sk.load(path("crank_rocker")).circuits())
    assert len(turning.axes[0].patches) == 2


def test_a_branch_without_known_modes_is_labelled_by_its_number(monkeypatch):
    found = sk.load(path("triple_rocker")).circuits()
    monkeypatch.setattr(type(found), "words", lambda self, k: "1 deg to 2 deg")
    (axes,) = draw_circuits(found).axes
    assert [label.get_text() for label in axes.get_yticklabels()] == ["branch 1 *", "branch 2"]


def test_a_full_turn_is_stated_in_the_table():
    assert limits_table([sk.load(path("crank_rocker")).limits()]).row_count == 1
    assert structkin("limits", path("crank_rocker")).stdout.count("turns fully") == 2


def test_every_problem_of_the_options_is_reported():
    holds = [part for text in ("left_motor=nan", "x=3", "right_motor=1 mm", "z") for part in ("--hold", text)]
    run = structkin("limits", path("five_bar_two_drivers"), "--driver", "motor", *holds)
    assert isinstance(run.exception, sk.InputError)
    said = str(run.exception)
    for words in (
        "5 errors", "--driver: 'motor' is not a driver", "--hold left_motor: expected a finite number, found nan",
        "--hold: 'x' is not a driver", "--hold right_motor: '1 mm' is not an angle", "--hold: 'z' is not DRIVER=VALUE",
    ):  # fmt: skip
        assert words in said


# --- one interval, one name ---------------------------------------------------------------------------------


def test_an_interval_is_counted_from_the_sketch_everywhere():
    """-98.96 to 98.96 and 261.04 to 458.96 degrees are the same: the first is the range of the motion."""
    m = sk.load(path("triple_rocker"))
    found, circuits = m.limits(), m.circuits()
    (interval,) = found.intervals
    ends = pytest.approx([found.lower.value, found.upper.value], abs=1e-12)
    assert [interval.low.value, interval.high.value] == ends
    assert all([branch.interval.low.value, branch.interval.high.value] == ends for branch in circuits.branches)
    assert sorted(item.limit.value for item in circuits.branch_points) == ends
    assert "261" not in f"{found.to_dict()} {circuits.to_dict()} {circuits.report} {texts_of(limits_table([found]))}"


def test_each_reason_belongs_to_an_end():
    one = texts_of(limits_table([sk.load(path("triple_rocker")).limits()]))
    assert "both: group 2, RRR (coupler + rocker): coupler and rocker in line" in one
    excavator = sk.load(path("excavator"))
    printed = texts_of(limits_table([excavator.limits("bucket_cylinder")]))
    assert printed.index("from: group 3, driven R (rocker)") < printed.index("to: group 4, RRR (link + bucket)")


def texts_of(table):
    """The text of a table on a wide terminal."""
    console = Console(width=300, file=io.StringIO())
    console.print(table)
    return console.file.getvalue()
