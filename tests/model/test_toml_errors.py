"""What engineers who never saw TOML write: each mistake is named with its line, its cause and what to write instead."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from structkin import Driver, Joint, Mechanism, Topology, load
from structkin.cli import main
from structkin.errors import InputError, Problem

FILE = """title = "Crank-rocker"
units = { length = "mm", angle = "deg", mass = "kg" }

[points]
A = [0, 0]
B = [15.2, 0]
C = [42.3, 30.29]
D = [45.72, 0]
P = [20.5, 35.4]

[links]
ground = ["A", "D"]
crank = ["A", "B"]
coupler = { points = ["B", "C", "P"], mass = 0.6, center = [28, 20], inertia = 4.0e-4 }
rocker = ["C", "D"]

[lengths]
"A-B" = 15

[drivers]
motor = { joint = "A", speed = "60 rpm" }

[forces]
gravity = [0, -9.81]
push = { type = "force", at = "P", value = [0, -100] }
"""

#: What is written, instead of what, the place, a part of the message, and a part of the hint.
CASES = {
    "decimal commas": ("C = [42,3, 30,29]", "C = [42.3, 30.29]", "points.C", "found a list of 4", "[42.3, 30.29]"),
    "a decimal comma": ("B = [15,2, 0]", "B = [15.2, 0]", "points.B", "found a list of 3", "[15.2, 0]"),
    "a negative decimal comma": ("[0, -9,81]", "[0, -9.81]", "forces.gravity", "found a list of 3", "[0, -9.81]"),
    "decimal commas and ;": ("C = [42,3; 30,29]", "C = [42.3, 30.29]", "line 7", "decimal commas", "[42.3, 30.29]"),
    "decimal comma with a zero": ("C = [42,3, 30,05]", "C = [42.3, 30.29]", "line 7", "a decimal comma", "30.05"),
    "decimal comma of a length": ('"A-B" = 15,5', '"A-B" = 15', "line 18", "a decimal comma", "15.5"),
    "decimal comma in a table": ("mass = 0,6", "mass = 0.6", "line 14", "a decimal comma", "0.6"),
    "decimal comma of a power": ("4,0e-4", "4.0e-4", "line 14", "a decimal comma", "4.0e-4"),
    "two decimal points": ("[1.5.2, 0]", "[15.2, 0]", "line 6", "a number has two decimal points", "write one"),
    "thousands": ('"A-B" = 1,500.0', '"A-B" = 15', "line 18", "a number with separators", "write 1500.0"),
    "thousands with a blank": ('"A-B" = 1 500', '"A-B" = 15', "line 18", "a number with separators", "write 1500"),
    "thousands in a list": ("[1,015.2, 0]", "[15.2, 0]", "line 6", "a comma in a number", "write 1015.2"),
    "thousands or decimals": ("[1,015, 0]", "[15.2, 0]", "line 6", "a decimal comma", "thousands, write 1015"),
    "thousands or decimals, no zero": ("[1,490, 0]", "[15.2, 0]", "points.B", "a list of 3", "thousands: [1490, 0]"),
    "a length of thousands": ('"A-B" = 1,500', '"A-B" = 15', "line 18", "a decimal comma", "thousands, write 1500"),
    "a length in text": ('"A-B" = "1,500 mm"', '"A-B" = 15', "lengths.A-B", "no", "thousands, write 1500"),
    "zero first, behind a comma": ("[1,05.2, 0]", "[15.2, 0]", "line 6", "begins with a zero", "write 5.2"),
    "two keys on a line": ('[drivers.motor]\njoint = "A", speed = "60 rpm"',
                           '[drivers]\nmotor = { joint = "A", speed = "60 rpm" }', "line 21", "two keys", "own"),
    "semicolon in a list": ("C = [42.3; 30.29]", "C = [42.3, 30.29]", "line 7", "a list has a ';'", "commas"),
    "semicolon at the end": ("B = [15.2, 0];", "B = [15.2, 0]", "line 6", "at the end of a line", "delete it"),
    "comma at the end": ("B = [15.2, 0],", "B = [15.2, 0]", "line 6", "a comma at the end of a line", "delete it"),
    "no brackets": ("C = 42.3, 30.29", "C = [42.3, 30.29]", "line 7", "without brackets", "write [42.3, 30.29]"),
    "names without brackets": ('"A", "D"', '["A", "D"]', "line 12", "a list needs brackets", 'write ["A", "D"]'),
    "round brackets": ("C = (42.3, 30.29)", "C = [42.3, 30.29]", "line 7", "no round brackets", "a list in [ ]"),
    "braces": ("C = {42.3, 30.29}", "C = [42.3, 30.29]", "line 7", "in the brackets of a table", "a list in [ ]"),
    "missing comma": ('["A" "D"]', '["A", "D"]', "line 12", "a comma is missing", 'before "D"'),
    "missing comma in a table": ('"P"] mass', '"P"], mass', "line 14", "a comma is missing", "before mass"),
    "a point as text": ('C = "42.3, 30.29"', "C = [42.3, 30.29]", "points.C", "found the text", "[42.3, 30.29]"),
    "a point as a table": ("C = { x = 1, y = 2 }", "C = [42.3, 30.29]", "points.C", "found a table", "[20, 35.4]"),
    "three coordinates": ("B = [15.2, 0, 0.0]", "B = [15.2, 0]", "points.B", "a list of 3", "planar"),
    # quotes
    "typographic quotes": ("title = “Crank”", 'title = "Crank-rocker"', "line 1", "“ is not", 'write "Crank"'),
    "German quotes": ("title = „Crank“", 'title = "Crank-rocker"', "line 1", "„ is not a straight", 'write "Crank"'),
    "quotes of names": ("[‘A’, ‘D’]", '["A", "D"]', "line 12", "‘ is not a straight quote", 'write "A"'),
    "accents as quotes": ("[´A´, ´D´]", '["A", "D"]', "line 12", "´ is not a straight quote", 'write "A"'),
    "one typographic quote": ('title = "Crank”', 'title = "Crank-rocker"', "line 1", "” is not a straight quote", '"'),
    "no quotes": ("[A, D]", '["A", "D"]', "line 12", "text without quotes", 'write "A"'),
    "a unit of the file": ("length = mm", 'length = "mm"', "line 2", "text without quotes", 'write "mm"'),
    "unclosed quote": ('title = "Crank', 'title = "Crank-rocker"', "line 1", "the quote is not closed", 'write "'),
    "unclosed single quote": ("title = 'Crank", 'title = "Crank-rocker"', "line 1", "quote ' is not closed", "write '"),
    "another quote at the end": ("['C\", \"D\"]", '["C", "D"]', "line 15", "the quote ' is not closed", "write '"),
    "unclosed triple quote": ('title = """C', 'title = "Crank-rocker"', "line 1", '""" is not closed', 'write """'),
    "no quote before": ('joint = A", speed', 'joint = "A", speed', "line 21", "missing before A", 'write "A"'),
    "no quote before the last": ('["C", D"]', '["C", "D"]', "line 15", "a quote is missing before D", 'write "D"'),
    "no quote before the first": ('[A", "B"]', '["A", "B"]', "line 13", "missing before A", 'write "A"'),
    "no quote after": ('["C, "D"]', '["C", "D"]', "line 15", "a quote is missing after C", 'write "C"'),
    "no quote after, in a table": ('"A, speed', '"A", speed', "line 21", "a quote is missing after A", 'write "A"'),
    "no quote before a unit": ('60 rpm"', '"60 rpm"', "line 21", "missing before 60 rpm", 'write "60 rpm"'),
    "no quote and no comma": ('["A" B"]', '["A", "B"]', "line 13", "a quote is missing before B", 'write "B"'),
    "umlaut as a bare key": ("Ä = [20.5, 35.4]", "P = [20.5, 35.4]", "line 9", "the name Ä needs quotes", '"Ä" ='),
    "umlaut in a key": ("Träger = [", "rocker = [", "line 15", "the name Träger needs quotes", '"Träger" ='),
    "Greek key": ("α = [20.5, 35.4]", "P = [20.5, 35.4]", "line 9", "the name α needs quotes", '"α" ='),
    "blank in a key": ("my crank = [", "crank = [", "line 13", "the name my crank needs quotes", '"my crank" ='),
    "P'": ("P' = [20.5, 35.4]", "P = [20.5, 35.4]", "line 9", "the name P' needs quotes", '"P\'" ='),
    # brackets
    "unclosed list": ("C = [42.3, 30.29", "C = [42.3, 30.29]", "line 7", "the bracket [ is not closed", "write ]"),
    "unclosed table": ("inertia = 4.0e-4", "inertia = 4.0e-4 }", "line 14", "the bracket { is not closed", "write }"),
    "unclosed section": ("[points", "[points]", "line 4", "section is not closed", "write [points]"),
    "other bracket": ("C = [42.3, 30.29)", "C = [42.3, 30.29]", "line 7", "'[' is closed by ')'", "write ]"),
    "bracket too many": ("C = [42.3, 30.29]]", "C = [42.3, 30.29]", "line 7", "']' closes nothing", "delete it"),
    "table of two lines": ('"P"],\n mass', '"P"], mass', "line 14", "goes on in the next line", "section of its own"),
    "comma before }": ("4.0e-4, }", "4.0e-4 }", "line 14", "a comma before }", "delete it"),
    "list of tables": ("[[points]]", "[points]", "points", "found a list", "write [points], not [[points]]"),
    "key in brackets": ("[C] = [42.3, 30.29]", "C = [42.3, 30.29]", "line 7", "a key in brackets", "without"),
    # numbers and units
    "minus sign": ("[0, −9.81]", "[0, -9.81]", "line 24", "'−' is not the minus sign", "write -"),
    "unit of a number": ("speed = 60 rpm", 'speed = "60 rpm"', "line 21", "needs quotes", 'write "60 rpm"'),
    "unit behind a list": ("[42.3, 30.29] mm", "[42.3, 30.29]", "line 7", "behind the list", '["1 mm", "2 mm"]'),
    "decimal point first": ("mass = .6", "mass = 0.6", "line 14", "begins with its decimal point", "write 0.6"),
    "decimal point last": ("mass = 6.", "mass = 0.6", "line 14", "ends with its decimal point", "write 6.0"),
    "zero first": ('"A-B" = 015', '"A-B" = 15', "line 18", "begins with a zero", "write 15"),
    "quotient": ("[42.3, 30/2]", "[42.3, 30.29]", "line 7", "a formula where a number is expected", "its value"),
    "square root": ("[42.3, sqrt(2)]", "[42.3, 30.29]", "line 7", "a formula where a number", "its value"),
    "null": ("mass = null", "mass = 0.6", "line 14", "there is no value 'null'", "delete the key"),
    "True": ("mass = True", "mass = 0.6", "line 14", "small letters", "write true"),
    # signs of other languages
    "colon": ("C: [42.3, 30.29]", "C = [42.3, 30.29]", "line 7", "a ':' between key and value", "write ="),
    "colon of a section": ("points:", "[points]", "line 4", "with a colon", "write [points]"),
    "two equals signs": ("C == [42.3, 30.29]", "C = [42.3, 30.29]", "line 7", "two equals signs", "write one"),
    "no equals sign": ("C [42.3, 30.29]", "C = [42.3, 30.29]", "line 7", "there is no '='", "write C ="),
    "no value": ("C =", "C = [42.3, 30.29]", "line 7", "the value is missing", "delete C"),
    "comment of C": ("// x", "[lengths]", "line 17", "a comment does not begin with //", "write #"),
    "comment of MATLAB": ("B = [15.2, 0] % x", "B = [15.2, 0]", "line 6", "does not begin with %", "write #"),
    "no-break space": ("C =\u00a0[42.3, 30.29]", "C = [42.3, 30.29]", "line 7", "invisible", "space"),
    "wide equals sign": ("C ＝ [42.3, 30.29]", "C = [42.3, 30.29]", "line 7", "fullwidth equals sign", "write ="),
    "path of Windows": ('csv = "C:\\data"', 'speed = "60 rpm"', "line 21", "a backslash in quotes", "write /"),
    # values
    "gravity as a number": ("gravity = 9.81", "gravity = [0, -9.81]", "forces.gravity", "9.81", "[0, -9.81]"),
    "gravity at the top": ("gravity = [0, -9.81]\n[points]", "[points]", "gravity", "unknown", "'forces.gravity'"),
    "masses": ("masses = 2\n[points]", "[points]", "masses", "unknown", "'links.NAME.mass'"),
    "a section of none": ("chapter = 2\n[points]", "[points]", "chapter", "unknown", "pose, duration"),
    "ends as numbers": ("between = [1, 2]", 'joint = "A"', "drivers.motor.between", "the number 1", '["E", "F"]'),
    "a force as text": ('push = "100 N"', 'push = { type = "force", at = "P", value = [0, -100] }',
                        "forces.push", "found the text '100 N'", 'such as { type = "force"'),
    "a force as a number": ("value = 100", "value = [0, -100]", "forces.push.value", "the number 100", "direction"),
    "Force": ('type = "Force"', 'type = "force"', "forces.push.type", "the type 'Force' is unknown", "mean 'force'?"),
    "a driver as a list": ('["A", "60 rpm"]', '{ joint = "A", speed = "60 rpm" }', "drivers.motor", "list", "joint ="),
    "number and unit": ('[60, "rpm"]', '"60 rpm"', "drivers.motor.speed", "found a list", 'such as "60 rpm"'),
    "one unit": ('units = "mm"', 'units = { length = "mm", angle = "deg", mass = "kg" }', "units", "the text 'mm'",
                       'write units = { length = "mm" }'),
    "a link as a joint": ('joint = "crank"', 'joint = "A"', "drivers.motor.joint", "is a link, not a joint", "A, B"),
    "a link as a point": ('at = "crank"', 'at = "P"', "forces.push.at", "is a link, not a point", "its points: A, B"),
    "points as links": ('links = ["A", "crank"]', 'joint = "A"', "drivers.motor.links", "is a point, not a link",
                        "it is on ground and crank"),
    "a speed of true": ("speed = true", 'speed = "60 rpm"', "drivers.motor.speed", "found true", 'such as "60 rpm"'),
    "infinity": ("B = [inf, 0]", "B = [15.2, 0]", "points.B", "found inf", 'such as "15 mm"'),
    "one end": ('between = ["A"]', 'joint = "A"', "drivers.motor.between", "a list of 1", 'such as ["E", "F"]'),
    "a list of one name": ('joint = ["A"]', 'joint = "A"', "drivers.motor.joint", "found a list", 'such as "A"'),
    "a negative length": ('"A-B" = -15', '"A-B" = 15', "lengths.A-B", "found -15", 'such as "15 mm"'),
    "no length": ('"A-B" = 0', '"A-B" = 15', "lengths.A-B", "greater than zero, found 0", 'such as "15 mm"'),
    "a negative mass": ("mass = -1", "mass = 0.6", "links.coupler.mass", "not negative, found -1", 'such as "250 g"'),
    "no time": ("duration = 0\n[points]", "[points]", "duration", "greater than zero, found 0", 'such as "2 s"'),
    "a table that is missing": ('csv = "lift.csv"', 'speed = "60 rpm"', "drivers.motor.csv", "no file", "folder"),
    "Grad": ('"Grad"', '"deg"', "units.angle", "'Grad' is not a unit", "known: rad, deg"),
    "long dash": ('"A–B" = 15', '"A-B" = 15', "lengths.A–B", "with '-' between", 'such as "A-B" = 15'),
}  # fmt: skip

#: Laws, and parts of the message and of the hint.
LAWS = {
    "60 deg": ("has the unit deg; a formula has none", 'speed = "60 deg"'),
    "30 deg + 10*t": ("has the unit deg", "in the file's unit"),
    "30° + 10*t": ("has the character °", "the file's unit of angle"),
    "radians(30)": ("'radians' is not allowed", "x*pi/180"),
    "30*sind(t)": ("'sind' is not allowed", "sin takes radians"),
    "30t": ("has no sign between 30 and t", "write 30*t"),
    "2pi*t": ("has no sign between 2 and pi", "write 2*pi"),
    "30 − 10*t": ("has the character −", "write -"),
    "30·t": ("has the character ·", "write *"),
    "2*π*t": ("has the character π", "write pi"),
    "phi = 30*t": ("is an equation", "right of the ="),
    "0,5*t": ("'0,5*t' contains a comma", "write a decimal point: 0.5*t"),
    "1,000 + 70*sin(t)": ("contains a comma", "1.000 + 70*sin(t); if the comma separates thousands, write 1000 + 70"),
    "1,192.7 + 0,5*t": ("contains a comma", "write a decimal point: 1192.7 + 0.5*t"),
    "t*1,192.7": ("contains a comma", "write t*1192.7"),
    "1,000,000*t": ("contains a comma", "write 1000000*t"),
    "1 + (0,5*t)": ("'1 + (0,5*t)' contains a comma", "write a decimal point: 1 + (0.5*t)"),
    "t, 2": ("'t, 2' contains a comma", "write one formula"),
    "sin(0,5*t)": ("sin takes one argument", "write a decimal point: 0.5"),
}


def problems_of(text: str, tmp_path: Path) -> tuple[Problem, ...]:
    path = tmp_path / "m.toml"
    path.write_text(text, encoding="utf-8", newline="")
    with pytest.raises(InputError) as caught:
        load(path)
    return caught.value.problems


def test_the_file_itself_is_right(tmp_path: Path) -> None:
    (tmp_path / "m.toml").write_text(FILE)
    assert load(tmp_path / "m.toml").title == "Crank-rocker"


@pytest.mark.parametrize("name", CASES)
def test_mistakes_name_their_cause(name: str, tmp_path: Path) -> None:
    wrong, right, place, message, hint = CASES[name]
    assert right in FILE
    first = problems_of(FILE.replace(right, wrong, 1), tmp_path)[0]
    if place.startswith("line"):
        assert first.message.startswith(f"{place}: ")
    else:
        assert first.key == place
    assert message in first.message
    assert hint in first.hint


@pytest.mark.parametrize("law", LAWS)
def test_laws_name_their_cause(law: str, tmp_path: Path) -> None:
    message, hint = LAWS[law]
    (problem,) = problems_of(FILE.replace('speed = "60 rpm"', f'law = "{law}"'), tmp_path)
    assert problem.key == "drivers.motor.law"
    assert message in problem.message
    assert hint in problem.hint


def test_all_lines_that_are_wrong_are_listed(tmp_path: Path) -> None:
    text = FILE.replace("C = [42.3, 30.29]", "C = [42.3, 30.29").replace("mass = 0.6", "mass = 0,6")
    text = text.replace('speed = "60 rpm"', "speed = 60 rpm").replace("[lengths]", "[lengths")
    lines = [problem.message.split(":")[0] for problem in problems_of(text, tmp_path)]
    assert lines == ["line 7", "line 14", "line 17", "line 21"]


def test_an_unclosed_list_of_many_lines_begins_where_it_begins(tmp_path: Path) -> None:
    text = FILE.replace('"A-B" = 15', '"A-B" = 15\n"B-C" = [\n  40,\n  41,')
    (problem,) = problems_of(text, tmp_path)
    assert problem.message.startswith("line 19: the bracket [ is not closed")


def test_line_ends_of_old_macs(tmp_path: Path) -> None:
    first, *others = problems_of(FILE.replace("mass = 0.6", "mass = 0,6").replace("\n", "\r"), tmp_path)
    assert "end in CR alone" in first.message and "LF or CRLF" in first.hint
    assert [other.message.split(":")[0] for other in others] == ["line 14"]


def test_a_long_line_is_shown_about_the_mistake(tmp_path: Path) -> None:
    (problem,) = problems_of(FILE.replace("4.0e-4", "4,0e-4"), tmp_path)
    assert "inertia = 4,0e-4" in problem.message


@pytest.mark.parametrize(
    ("name", "content", "hint"),
    [
        ("m.toml", '{"points": {}}', "name the file .json"),
        ("m.json", "[points]\nA = [0, 0]\n", "name the file .toml"),
        ("m.toml", "import structkin as sk\nm = sk.load(1)\n", "run it with python"),
        ("m.toml", "```toml\n[points]\n```\n", "delete the line"),
        ("m.toml", "A;0;0\nB;15,2;0\n", 'csv = "data.csv"'),
        ("m.json", "{'points': {}}", "straight double quotes"),
        ("m.json", "{“points”: {}}", "straight double quotes"),
        ("m.json", '{"points": {} // none\n}', "JSON has no comments"),
        ("m.json", '{"points": {},}', "delete the comma before }"),
        ("m.json", '{"points": {}, "links": ', "ends before its brackets are closed"),
    ],
)
def test_toml_and_json_taken_for_each_other(name: str, content: str, hint: str, tmp_path: Path) -> None:
    (tmp_path / name).write_text(content, encoding="utf-8")
    with pytest.raises(InputError) as caught:
        load(tmp_path / name)
    assert hint in caught.value.problems[0].hint


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("four_bar.png", b"\x89PNG\r\n\x1a\n\0", "a .png file (picture, PNG) has no mechanism"),
        ("four_bar.jpg", b"\xff\xd8\xff\xe0\0", "a .jpg file (picture) has no mechanism"),
        ("four_bar.svg", b"<svg></svg>", "a .svg file (picture, SVG) has no mechanism"),
        ("four_bar.webp", b"RIFF\0\0", "a .webp file (picture) has no mechanism"),
        ("report.html", b"<html></html>", "a .html file (page, such as a report) has no mechanism"),
        ("four_bar.toml", b"\x89PNG\r\n\x1a\n\0", "the file is a picture (PNG), not text"),
        ("four_bar.toml", b"PK\x03\x04\0", "an archive, such as an Excel workbook or a Word document, not text"),
    ],
)
def test_pictures_are_no_mechanisms(
    name: str,
    content: bytes,
    message: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    (tmp_path / name).write_bytes(content)
    monkeypatch.setattr("sys.argv", ["structkin", "check", str(tmp_path / name)])
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == 2
    assert message in capsys.readouterr().err


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("m.toml", b"PK\x03\x04\0"),
        ("m.docx", b"PK\x03\x04\0"),
        ("m.xlsx", b"PK\x03\x04\0"),
        ("m.csv", b"A,0,0\n"),
        ("m.toml", b""),
    ],
)
def test_what_is_no_mechanism_is_told_what_one_is(name: str, content: bytes, tmp_path: Path) -> None:
    """The sheet was to be saved as CSV, which was refused in turn, and a workbook was said to hold K and L."""
    (tmp_path / name).write_bytes(content)
    with pytest.raises(InputError) as caught:
        load(tmp_path / name)
    (problem,) = caught.value.problems
    assert "give a text file, .toml or .json" in problem.hint and "structkin examples" in problem.hint
    assert "CSV" not in problem.hint and "K and L" not in problem.message


GUIDE = {
    "points": {"O": [0, 0], "A": [20, 0], "B": [90, 10]},
    "links": {"ground": ["O"], "crank": ["O", "A"], "rod": ["A", "B"], "piston": ["B"]},
    "joints": {"guide": {"type": "prismatic", "links": ["piston", "ground"], "at": "B", "axis": [1, 0]}},
    "drivers": {"motor": {"joint": "O", "speed": 1}},
}


@pytest.mark.parametrize("kind", ["slider", "Slider", "P", "guide"])
def test_other_names_of_joints_are_known(kind: str) -> None:
    joints = {"guide": {**GUIDE["joints"]["guide"], "type": kind, "axis": "x"}}
    with pytest.raises(InputError) as caught:
        Mechanism.from_dict({**GUIDE, "joints": joints})
    first, second = caught.value.problems
    assert first.hint == "did you mean 'prismatic'?"
    assert (second.key, second.hint) == ("joints.guide.axis", "such as [1, 0] along x, [0, 1] along y")


def test_tuples_are_neither_joints_nor_drivers() -> None:
    joint = Joint("A", "R", ("ground", "crank"))
    with pytest.raises(InputError) as caught:
        Topology(
            ("ground", "crank"),
            "ground",
            (joint, ("B", "R", ("ground", "crank"))),
            ("motor", Driver("m", "angle", ("ground", "crank"), "A")),
        )
    assert [problem.key for problem in caught.value.problems] == ["joints", "drivers"]
    assert "is not a sequence of Drivers" in caught.value.problems[1].message


def test_a_long_number_before_a_wrong_sign_costs_no_time(tmp_path: Path) -> None:
    """From each of its digits the search for a number's end began anew: 168 s for a damaged file of 4,000 bytes."""
    file = tmp_path / "long.toml"
    file.write_text(f"[points]\nA = {{ t{'9' * 3000}s jumps to, 0 }}\n")
    began = time.process_time()
    with pytest.raises(InputError, match="line 2"):
        load(file)
    assert time.process_time() - began < 5
