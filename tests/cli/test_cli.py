"""The command line as a user meets it: what is printed, what is written, and the exit code."""

import csv
import json
import os
import re
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest
import typer
from commands import called, structkin
from typer.testing import CliRunner

import structkin as sk
from structkin.cli import COMMANDS, app
from structkin.errors import InputError
from structkin.examples import path

GOOD = path("crank_rocker")


@pytest.fixture
def wrong(tmp_path):
    file = tmp_path / "wrong.toml"
    file.write_text(
        """
        title = "Wrong"
        [points]
        A = [0, 0]
        B = [1, nan]
        [links]
        ground = ["A"]
        crank = ["A", "Q"]
        [drivers]
        motor = { joint = "A", speed = "5 mm/s" }
        """
    )
    return file


@pytest.fixture
def short_coupler(tmp_path):
    """A crank that cannot turn fully."""
    file = tmp_path / "short.toml"
    file.write_text(
        """
        [points]
        A = [0, 0]
        B = [3, 1]
        C = [4, 3]
        D = [5, 0]
        [links]
        ground = ["A", "D"]
        crank = ["A", "B"]
        coupler = ["B", "C"]
        rocker = ["C", "D"]
        [drivers]
        motor = { joint = "A", speed = 1 }
        """
    )
    return file


@pytest.fixture
def undriven(tmp_path, short_coupler):
    file = tmp_path / "undriven.toml"
    file.write_text(short_coupler.read_text().split("[drivers]")[0])
    return file


@pytest.mark.parametrize("command", ["check", "structure", "solve"])
def test_bad_input_lists_every_problem_and_exits_with_2(command, wrong):
    run = structkin(command, wrong)
    assert run.returncode == 2
    assert "Traceback" not in run.stderr and run.stdout == ""
    for key in ("points.B", "links.crank", "drivers.motor"):
        assert key in run.stderr


@pytest.mark.parametrize("command", ["check", "structure", "solve"])
def test_a_missing_file_is_reported(command, tmp_path):
    run = structkin(command, tmp_path / "none.toml")
    assert run.returncode == 2 and "none.toml" in run.stderr and "Traceback" not in run.stderr


@pytest.mark.parametrize("command", ["check", "structure", "solve", "convert", "spatial", "study"])
def test_a_file_whose_name_is_too_long_is_an_error_of_the_input(command, tmp_path):
    for suffix in (".toml", ".png"):
        run = structkin(command, f"{'a' * 300}{suffix}", *(["a.svg"] if command == "convert" else []), cwd=tmp_path)
        assert run.returncode == 2 and "output" not in run.stderr and "cannot be read" in run.stderr
        assert "Traceback" not in run.stderr and not run.stdout


def test_check_accepts_a_good_file():
    run = structkin("check", GOOD)
    assert run.returncode == 0 and "no errors" in run.stdout


def test_check_reports_samples_out_of_reach(short_coupler):
    run = structkin("check", short_coupler)
    assert run.returncode == 1 and "out of reach at group 2, RRR (coupler + rocker)" in run.stdout


def test_a_four_bar_that_cannot_be_assembled_is_told_so(tmp_path, short_coupler):
    file = tmp_path / "too_short.toml"
    file.write_text(short_coupler.read_text() + '[lengths]\n"A-B" = 1\n"B-C" = 0.5\n"C-D" = 2\n')
    said = "crank-coupler-rocker: cannot be assembled: the longest link, 5 m, exceeds the sum of the others, 3.5 m"
    run = structkin("check", file)
    assert run.returncode == 1 and said in run.stdout and run.stdout.endswith("\n  change the lengths\n")
    run = structkin("limits", file)
    assert run.returncode == 1 and said in run.stdout
    run = structkin("compare", file, "--samples", 3, "--method", "global", "--coordinates", "relative")
    assert run.returncode == 1 and "no sample has a regular pose" in " ".join(run.stdout.split())
    assert "yes" not in run.stdout and "0e+00" not in run.stdout


@pytest.mark.parametrize(
    ("guide", "at", "pin"),
    [
        ('links = ["slider", "ground"], at = "O", axis = [1, 0]', 0.3, "B"),
        ('links = ["slider", "ground"], at = "O", axis = [1, 0]', 0.0001, None),  # as exact as the file is written
        ('links = ["slider", "ground"], at = "O", axis = [1, 0]', 12, None),  # deliberate
        ('links = ["slider", "ground"], at = "B", axis = [1, 0]', 0.3, None),
        ('links = ["slider", "ground"], along = ["O", "Q"]', 0.3, "B"),
    ],
)
def test_check_names_a_pin_slightly_beside_its_guide(tmp_path, guide, at, pin):
    file = tmp_path / "slider.toml"
    file.write_text(
        f'units = {{ length = "mm" }}\n[points]\nO = [0, 0]\nQ = [50, 0]\nA = [0, 20]\nB = [60, {at}]\n'
        '[links]\nground = ["O", "Q"]\ncrank = ["O", "A"]\nrod = ["A", "B"]\nslider = ["B"]\n'
        f'[joints]\nguide = {{ type = "prismatic", {guide} }}\n[drivers]\nmotor = {{ joint = "O", speed = 1 }}\n'
    )
    run = CliRunner().invoke(app, ["check", str(file)])
    note = f"note: joints.guide: pin {pin} is {at} mm off the line of the guide; draw it on the line, unless"
    assert run.exit_code == 0 and (note in run.stdout if pin else "off the line" not in run.stdout)


def test_a_misspelt_command_is_told_the_closest_one():
    run = called("slove", GOOD)
    assert run.exit_code == 2 and "No such command 'slove'; did you mean 'solve'?" in run.stderr


def test_a_duration_may_have_a_unit():
    run = called("solve", GOOD, "--duration", "500 ms", "--samples", 3, "--csv", "-")
    assert run.exit_code == 0 and run.stdout.splitlines()[-1].startswith("0.5,")
    with pytest.raises(InputError, match=r"--duration: '2 mm' is not a time"):
        CliRunner().invoke(app, ["solve", str(GOOD), "--duration", "2 mm"], catch_exceptions=False)


def test_a_driver_of_speed_zero_has_no_cycle():
    m = sk.Mechanism(
        points={"A": (0, 0), "B": (1, 0)},
        links={"ground": ["A"], "arm": ["A", "B"]},
        drivers={"motor": {"joint": "A", "speed": 0}},
    )
    with pytest.raises(InputError, match="no full cycle is known: motor does not turn: the speed is 0"):
        m.solve()


def test_paths_of_chosen_points_are_drawn(tmp_path):
    target = tmp_path / "paths.svg"
    run = called("solve", GOOD, "--samples", 5, "--schematic", target, "--of", "C", "--of", "rocker")
    assert run.exit_code == 0 and re.findall(r'id="path:(\w+)', target.read_text()) == ["C"]


def test_the_page_of_an_animation_has_the_plots_and_the_tables_of_the_rates(tmp_path):
    page = tmp_path / "page.html"
    assert called("animate", GOOD, "-o", page).exit_code == 0
    assert '"rates":' in page.read_text() and '"limits":' not in page.read_text()
    tables = json.loads(page.read_text().split('id="model">')[1].split("</script>")[0])["view"]["ranges"]
    assert {row[0] for row in tables["links"]} == {"crank", "coupler", "rocker"} and tables["points"]
    run = structkin("animate", GOOD, "-o", tmp_path / "a.avi")
    assert run.returncode == 2 and "use .gif, .webp, .mp4, .html" in run.stderr


@pytest.mark.parametrize(("output", "place"), [("a.html", "page"), ("a.gif --fps 2", "caption")])
def test_an_animation_names_the_place_of_the_reasons(output, place, short_coupler, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    run = called("animate", short_coupler, "-o", *output.split())
    assert run.exit_code == 1 and f"not ok: the {place} says why" in run.output


def test_check_compares_what_a_cylinder_is_asked_for_with_its_stroke(tmp_path):
    file = tmp_path / "cylinder.toml"
    file.write_text(
        'units = { length = "mm" }\nduration = 1\n[points]\nA = [0, 0]\nB = [300, 0]\nC = [0, 400]\n'
        '[links]\nground = ["A", "B"]\narm = ["A", "C"]\n[drivers]\n'
        'cylinder = { between = ["B", "C"], law = "500 + 50*sin(2*pi*t)", stroke = [480, 530] }\n',
        encoding="utf-8",
    )
    run = structkin("check", file)
    assert run.returncode == 1
    assert "drivers.cylinder: asked for 450 mm to 550 mm; its stroke is 480 mm to 530 mm" in run.stdout


def test_a_missing_driver_is_reported(undriven):
    run = structkin("structure", undriven)
    assert run.returncode == 1 and "driver" in run.stdout
    run = structkin("solve", undriven)
    assert run.returncode == 2 and "driver" in run.stderr


def test_structure_json_has_the_documented_layout():
    run = structkin("structure", GOOD, "--json")
    page = (Path(__file__).parents[2] / "docs" / "command-line.md").read_text(encoding="utf-8")
    assert f"$ structkin structure crank_rocker.toml --json\n{run.stdout}```" in page
    data = json.loads(run.stdout)
    assert run.returncode == 0
    assert set(data) == {"title", "mobility", "links", "groups", "kinstr", "diagnostics", "topology"}
    assert set(data["topology"]) == {"title", "ground", "links", "adjacency", "joints", "drivers"}
    assert set(data["diagnostics"]) >= {"over", "under", "missing_drivers"}
    wanted = {
        "kind",
        "links",
        "joints",
        "drivers",
        "class",
        "order",
        "signature",
        "composite_links",
        "level",
        "depends_on",
    }
    assert all(wanted <= set(group) for group in data["groups"])
    assert len(data["kinstr"]) == len(data["links"]) and len(data["kinstr"][0]) == len(data["groups"])


def test_solve_json_has_null_for_unknown_values(short_coupler):
    run = structkin("solve", short_coupler, "--samples", 37, "--json")
    data = json.loads(run.stdout)
    assert run.returncode == 1
    assert len(data["t"]) == 37 and None in data["points"]["C"]["x"] and None not in data["points"]["B"]["x"]


def test_solve_writes_the_requested_files(tmp_path):
    run = structkin(
        "solve", GOOD, "--samples", 13, "--csv", "a.csv", "--plot", "a.png", "--schematic", "b.svg", cwd=tmp_path
    )
    assert run.returncode == 0, run.stderr
    assert sorted(file.name for file in tmp_path.iterdir()) == ["a.csv", "a.png", "b.svg"]
    with open(tmp_path / "a.csv", newline="") as file:
        rows = list(csv.reader(file))
    assert len(rows) == 15 and rows[0][0] == "t" and rows[1][0] == "s"


@pytest.mark.parametrize("option", ["--csv", "--plot", "--schematic"])
def test_a_target_that_cannot_be_written_leaves_nothing(option, tmp_path):
    run = structkin("solve", GOOD, option, tmp_path / "no" / "such" / "file.png")
    assert run.returncode == 2 and "Traceback" not in run.stderr
    assert not list(tmp_path.iterdir())


def test_outputs_may_not_overwrite_the_mechanism_or_each_other(tmp_path):
    file = tmp_path / "mine.toml"
    file.write_text(GOOD.read_text())
    run = structkin("solve", file, "--csv", file)
    assert run.returncode == 2 and "would overwrite the mechanism file" in run.stderr
    assert file.read_text() == GOOD.read_text()
    run = structkin("solve", file, "--plot", "a.png", "--schematic", "./a.png", cwd=tmp_path)
    assert run.returncode == 2 and "--schematic: would overwrite what --plot writes" in run.stderr
    run = structkin("solve", file, "--csv", "a.csv", "--plot", "a.bmp", cwd=tmp_path)
    assert run.returncode == 2 and ".bmp" in run.stderr
    assert [entry.name for entry in tmp_path.iterdir()] == ["mine.toml"]


@pytest.mark.full
def test_streams_that_are_closed_full_or_narrow():
    command = f"{sys.executable} -c 'from structkin.cli import main; main()' solve {GOOD} --samples 3"
    for redirected, code in ((f"{command} >&-", 0), (f"LC_ALL=C PYTHONIOENCODING=ascii {command}", 0)):
        run = subprocess.run(["/bin/sh", "-c", redirected], check=False, capture_output=True, text=True, timeout=120)
        assert run.returncode == code and "Traceback" not in run.stderr


def test_an_unknown_suffix_is_refused(tmp_path):
    run = structkin("structure", GOOD, "--plot", tmp_path / "a.xyz")
    assert run.returncode == 2 and ".png" in run.stderr and not list(tmp_path.iterdir())


def test_examples_are_listed_and_copied(tmp_path):
    run = structkin("examples")
    assert run.returncode == 0 and "jansen_leg" in run.stdout
    assert structkin("examples", "jansen_leg", cwd=tmp_path).returncode == 0
    assert structkin("check", "jansen_leg.toml", cwd=tmp_path).returncode == 0
    again = structkin("examples", "jansen_leg", cwd=tmp_path)
    assert again.returncode == 2 and "already exists" in again.stderr
    unknown = structkin("examples", "jansen_log", cwd=tmp_path)
    assert unknown.returncode == 2 and "did you mean 'jansen_leg'?" in unknown.stderr


def test_the_scalable_four_bar_is_made_as_long_as_asked_for(tmp_path):
    made = structkin("examples", "scalable_four_bar", "--dyads", "1000", cwd=tmp_path)
    assert made.returncode == 0, made.stderr
    m = sk.load(tmp_path / "scalable_four_bar.toml")
    assert len(m.links) == 2002 and len(m.structure().groups) == 1001
    # Every dyad after the first closes a rhombus: its pin moves like the first one.
    motion = m.solve(samples=5)
    apart = motion.position("C1000") - motion.position("C1")
    assert np.allclose(apart, [6 * 999, 0], rtol=0, atol=1e-9)
    for arguments in (("scalable_four_bar", "--dyads", "0"), ("scalable_four_bar", "--dyads", "1001")):
        run = structkin("examples", *arguments, cwd=tmp_path)
        assert run.returncode == 2 and "give 1 to 1000" in run.stderr
    other = structkin("examples", "jansen_leg", "--dyads", "5", cwd=tmp_path)
    assert other.returncode == 2 and "only scalable_four_bar has a number of dyads" in other.stderr
    listed = structkin("examples", "--to", "models", cwd=tmp_path)
    assert listed.returncode == 2 and "--to: there is no example to copy" in listed.stderr
    assert "scalable_four_bar" in structkin("examples").stdout


def test_demo_draws_a_real_mechanism(tmp_path):
    run = structkin("demo", cwd=tmp_path)
    assert run.returncode == 0, run.stderr
    assert "RRR" in run.stdout and "361 of 361 samples ok" in run.stdout
    files = {file.name for file in (tmp_path / "structkin-demo").iterdir()}
    assert files == {"mechanism.png", "structure.png", "motion.png", "motion.csv"}


@pytest.mark.parametrize(
    "arguments",
    [("--samples", "0"), ("--samples", "9" * 20), ("--samples", "many"), ("--duration", "-1"), ("--colour", "red")],
)
def test_options_out_of_range_exit_with_2(arguments):
    run = structkin("solve", GOOD, *arguments)
    assert run.returncode == 2 and "Traceback" not in run.stderr


def test_help_and_version():
    assert "structural" in structkin("--help").stdout
    assert structkin("--version").stdout.startswith("structkin ")


@pytest.mark.parametrize("option", ["--help", "--version"])
def test_help_and_version_load_no_large_library(option):
    code = (
        f"import sys; sys.argv = ['structkin', {option!r}]\n"
        "from structkin.cli import main\n"
        "try: main()\n"
        "finally: print(*sorted({name.partition('.')[0] for name in sys.modules}), file=sys.stderr)"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "structkin" in run.stdout
    large = {"numpy", "scipy", "networkx", "pydantic", "matplotlib", "pandas", "numba", "rich"}
    assert not large & set(run.stderr.split())


def test_the_help_lists_the_commands_with_their_own_text():
    for name, line in COMMANDS.items():
        module = name.replace("-", "_")
        found = getattr(import_module(f"structkin.cli.{module}"), module)
        own = found.info.help if isinstance(found, typer.Typer) else found.__doc__.splitlines()[0]
        assert line == own


@pytest.mark.parametrize("words", [["nothing"], ["help"], ["sovle"], ["bench", "nothing"], ["solve", "--nothing"]])
def test_an_unknown_command_or_option_is_refused(words):
    result = CliRunner().invoke(app, words)
    assert result.exit_code == 2 and "No such" in result.output


def test_every_command_has_a_help():
    for name in COMMANDS:
        result = CliRunner().invoke(app, [name, "--help"])
        assert result.exit_code == 0 and f"Usage: structkin {name} " in result.output, result.output
    result = CliRunner().invoke(app, ["bench", "groups", "--help"])
    assert "Usage: structkin bench groups " in result.output


@pytest.mark.parametrize("name", COMMANDS)
def test_the_help_has_no_types_of_python(name):
    command = typer.main.get_command(app).get_command(None, name)
    for words in [[name, one] for one in command.commands] if hasattr(command, "commands") else [[name]]:
        shown = CliRunner().invoke(app, [*words, "--help"]).output
        assert not re.search(r"<[a-z]|\{|\bstr\b|\bint\b|\bfloat\b|list\[", shown), shown


@pytest.mark.parametrize("name", ["bench", "studies"])
def test_commands_below_a_word_are_listed_with_their_whole_first_line(name):
    shown = CliRunner().invoke(app, [name, "--help"]).output
    found = typer.main.get_command(app).get_command(None, name)
    words = " ".join(shown.split())
    assert all(f"{below} {one.help.splitlines()[0]}" in words for below, one in found.commands.items())
    assert "completion" not in shown


def test_solve_with_coefficients_chosen_curves_and_time_ratios(tmp_path):
    found = CliRunner().invoke(
        app,
        ["solve", str(GOOD), "--kl", "--of", "rocker", "--plot", str(tmp_path / "a.svg"), "--time-ratio", "rocker"],
    )
    assert found.exit_code == 0 and "rocker: time ratio 1.35557 (0.57547 s forth, 0.42453 s back)" in found.output
    picture = (tmp_path / "a.svg").read_text(encoding="utf-8")
    assert "curve:rocker:K.motor" in picture and "curve:P:length" not in picture
    found = CliRunner().invoke(app, ["solve", str(GOOD), "--samples", "3", "--kl", "--json", "--time-ratio", "rocker"])
    plain = json.loads(found.output)
    assert len(plain["points"]["P"]["Kx.motor"]) == 3 and plain["time_ratios"]["rocker"] > 1
    for option in (["--kl"], ["--of", "P"]):
        with pytest.raises(InputError, match="has no effect alone"):
            CliRunner().invoke(app, ["solve", str(GOOD), *option], catch_exceptions=False)


@pytest.mark.parametrize(
    ("words", "completed"),
    [("structkin so", ["solve"]), ("structkin --v", ["--version"]), ("structkin solve --k", ["--kl"])],
)
def test_the_shell_completes_commands_and_options(words, completed):
    asked = {"_STRUCTKIN_COMPLETE": "complete_bash", "COMP_WORDS": words, "COMP_CWORD": str(words.count(" "))}
    code = "import sys; from structkin.cli import app; sys.argv = ['structkin']; app(prog_name='structkin')"
    found = subprocess.run(
        [sys.executable, "-X", "importtime", "-c", code], env={**os.environ, **asked}, capture_output=True, text=True,
        timeout=120, check=False,
    )  # fmt: skip
    assert found.stdout.split() == completed
    assert ("numpy" in found.stderr) == ("solve" in words)  # commands are named without being imported


def test_a_name_of_an_example_or_of_a_format_gets_a_hint(tmp_path):
    run = structkin("explain", "watt_six_bar", cwd=tmp_path)
    assert run.returncode == 2 and "run `structkin examples watt_six_bar`" in run.stderr
    run = structkin("convert", GOOD, "x.mjcf", cwd=tmp_path)
    assert run.returncode == 2 and "MuJoCo's format is .xml" in run.stderr


def test_cylinders_without_a_duration_are_named(tmp_path):
    text = path("excavator").read_text(encoding="utf-8").replace("duration = 12", "")
    (tmp_path / "a.toml").write_text(text, encoding="utf-8")
    run = structkin("check", tmp_path / "a.toml")
    assert "boom_cylinder, arm_cylinder, bucket_cylinder drive lengths, not a turn; give one, such as" in run.stdout


def test_a_link_that_does_not_turn_is_drawn_with_a_remark(tmp_path):
    words = ["solve", str(path("slider_crank_offset")), "--samples", "9", "--plot", str(tmp_path / "a.png")]
    m = sk.load(path("slider_crank_offset"))
    (slider,) = {link for link in m.topology.moving_links if np.ptp(m.solve(9).angle(link)) == 0}
    said = [CliRunner().invoke(app, [*words, "--of", link]).output for link in (slider, "crank")]
    assert f"{slider} does not turn: its angle is drawn; --of {m.links[slider].points[0]}" in said[0]
    assert "does not turn" not in said[1]


def test_the_end_of_a_simulation_may_have_a_unit(tmp_path):
    (tmp_path / "rod.toml").write_text(
        'points = { A = [0, 0], B = [1, 0]}\ndrivers = { swing = { joint = "A" } }\nforces = { gravity = [0, -9.81] }\n'
        'links = { ground = ["A"], rod = { points = ["A", "B"], shape = "rod", mass = 1 } }\n'
    )
    words = ["simulate", str(tmp_path / "rod.toml"), "--samples", "3", "--csv", "-", "--duration"]
    found = [CliRunner().invoke(app, [*words, end]) for end in ("0.05", "50 ms")]
    assert found[0].stdout == found[1].stdout and "0.05" in found[0].stdout
    with pytest.raises(InputError, match="--duration"):
        CliRunner().invoke(app, [*words, "50 mm"], catch_exceptions=False)
