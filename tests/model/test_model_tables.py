"""Tables from files: anything else is refused, and never waited for."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest

import structkin as sk
from structkin.model import tables


def bar(**driver):
    return sk.Mechanism.from_dict(
        {
            "points": {"A": [0, 0], "B": [1, 0]},
            "links": {"ground": ["A"], "bar": ["A", "B"]},
            "drivers": {"motor": {"joint": "A", **driver}},
        }
    )


def slide(folder, columns=None):
    return sk.Mechanism(
        units={"length": "mm"}, points={"P": (0, 0)}, links={"ground": [], "slide": ["P"]},
        joints={"guide": {"type": "prismatic", "links": ["ground", "slide"], "axis": (1, 0)}},
        drivers={"feed": {"joint": "guide", "csv": str(folder / "t.csv"), **({"columns": columns} if columns else {})}},
    )  # fmt: skip


@pytest.mark.parametrize(
    ("rows", "words"),
    [
        ("0,0,0,0\n1,0,0,5\n", "found 4; if these are decimal commas, write a decimal point: 0.0"),
        ("0,0 0,0\n1,0 0,5\n", "found 3; if these are decimal commas, write a decimal point: 0.0"),
        ("0,0;0\n0,5;\n1,0;20\n2,0;3\n", "line 2: expected two columns, time and value, found 1; in '"),
        ("0 0 0\n", "expected two columns, time and value, found 3; in '"),
    ],
)
def test_decimal_commas_in_tables(rows, words, tmp_path):
    (tmp_path / "t.csv").write_text(rows, encoding="utf-8")
    with pytest.raises(sk.InputError) as error:
        bar(csv=str(tmp_path / "t.csv"))
    assert words in str(error.value)


@pytest.mark.parametrize("separator", [";", "; ", "\t", ",", ", ", " ", "   "])
def test_cells_are_separated_in_one_way(separator, tmp_path):
    (tmp_path / "t.csv").write_text("".join(f"{t}.0{separator}{t * t}\n" for t in range(4)), encoding="utf-8")
    motion = bar(csv=str(tmp_path / "t.csv")).solve(4)
    np.testing.assert_allclose(motion.angle("bar"), [0, 1, 4, 9], atol=1e-12)


@pytest.mark.parametrize(
    ("driver", "words"),
    [
        ({"speed": "0,5 rad/s"}, "write a decimal point: 0.5"),
        ({"speed": "-0,5"}, "write a decimal point: -0.5"),
        ({"law": "0,5*t"}, "write a decimal point: 0.5"),
        ({"law": "1 + (0,5)*t"}, r"write a decimal point: 1 \+ \(0.5\)"),
    ],
)
def test_decimal_commas_in_values(driver, words):
    with pytest.raises(sk.InputError, match=words):
        bar(**driver)


@pytest.mark.parametrize("line", ["duration = 1,5", 'motor = { joint = "A", speed = 1,5 }'])
def test_decimal_commas_in_toml(line, tmp_path):
    file = tmp_path / "m.toml"
    file.write_text(f"{line}\n[points]\n", encoding="utf-8")
    with pytest.raises(sk.InputError, match=r"line 1: .*write a decimal point: 1.5"):
        sk.load(file)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes here")
def test_a_pipe_is_not_waited_for(tmp_path):
    os.mkfifo(tmp_path / "pipe.csv")
    os.mkfifo(tmp_path / "pipe.toml")
    with pytest.raises(sk.InputError, match="is a pipe or a device"):
        bar(csv=str(tmp_path / "pipe.csv"))
    with pytest.raises(sk.InputError, match="is a pipe or a device"):
        sk.load(tmp_path / "pipe.toml")


@pytest.mark.skipif(not Path("/dev/zero").exists(), reason="no devices here")
def test_a_device_is_not_read():
    for name in ("/dev/zero", "/dev/stdin"):
        with pytest.raises(sk.InputError, match="is a pipe or a device"):
            bar(csv=name)


def test_a_file_is_read_up_to_a_size(tmp_path, monkeypatch):
    with (tmp_path / "t.csv").open("wb") as file:
        file.truncate(tables.LARGEST_FILE + 1)  # takes no space on the disk
    with pytest.raises(sk.InputError, match="larger than 32 MiB"):
        bar(csv=str(tmp_path / "t.csv"))


def test_a_table_may_lie_outside_the_folder_of_its_file(tmp_path):
    """Above it, by an absolute path, through a link: a mechanism file may use data in any folder."""
    (tmp_path / "data").mkdir()
    (tmp_path / "models").mkdir()
    (tmp_path / "data" / "t.csv").write_text("0 0\n1 1\n2 4\n", encoding="utf-8")
    (tmp_path / "models" / "link.csv").symlink_to(tmp_path / "data" / "t.csv")
    for name in ("../data/t.csv", str(tmp_path / "data" / "t.csv"), "link.csv"):
        text = f"""
            [points]
            A = [0, 0]
            B = [1, 0]
            [links]
            ground = ["A"]
            bar = ["A", "B"]
            [drivers]
            motor = {{ joint = "A", csv = "{name}" }}
        """
        (tmp_path / "models" / "m.toml").write_text(text, encoding="utf-8")
        np.testing.assert_allclose(sk.load(tmp_path / "models" / "m.toml").solve(3).angle("bar"), [0, 1, 4], atol=1e-12)


def test_what_is_not_a_number_is_quoted_only_in_part(tmp_path):
    """Another user's file may hold secrets: a message shows only part of one cell."""
    (tmp_path / "t.csv").write_text("1 2\n0 " + "secret" * 100, encoding="utf-8")
    with pytest.raises(sk.InputError) as error:
        bar(csv=str(tmp_path / "t.csv"))
    assert len(str(error.value)) < 300


# --- tables as people have them: in each, the angle is t^2 rad at t = 0, 1, 2, 3 s ------------------------------

SQUARES = [[0, 1, 2, 3], [0, 1, 4, 9]]

ROWS = "0,0\n1,1\n2,4\n3,9\n"
LOGGER = (
    "Logger;XR-440\nRate;1000;Hz\nStart;01.02.2024 10:11:12\n\nZeit;Winkel;Kanal 2\ns;rad;V\n"
    "0,0;0,0;7\n1,0;1,0;7\n2,0;4,0;x\n3,0;9,0;7\n"
)
MANY = "n,t,x,note\n1,0,0,a\n2,1,1,b\n3,2,4,c\n4,3,9,\n"

AS_PEOPLE_HAVE_THEM = {
    "cells in quotes": ('"t","x"\n"0","0"\n"1","1.0"\n"2","4"\n"3","9"\n', None),
    "a separator in a title": ('"time, s","angle; rad"\n' + ROWS, None),
    "a title over two lines": ('"time\nin s","angle"\n' + ROWS, None),
    "titles and units": ("time,angle\ns,rad\n" + ROWS, None),
    "separators at the end": ("t,x,\n0,0,\n1,1,\n2,4,\n3,9,,\n", None),
    "a preamble and decimal commas": (LOGGER, ("Zeit", "Winkel")),
    "a preamble, by numbers": (LOGGER, (1, 2)),
    "decimal commas": ("0,0;0,0\n1;1,0\n2;4\n3;9,0e0\n", None),
    "decimal commas and tabs": ("t\tx\n0,0\t0\n1,0\t1\n2,0\t4\n3,0\t9\n", None),
    "more columns, by title": (MANY, ("t", "x")),
    "more columns, by number": (MANY, (2, 3)),
    "more columns, by both": (MANY, ("t", 3)),
    "in another order": ("x;t\n0;0\n1;1\n4;2\n9;3\n", ("t", "x")),
    "bars": ("t|x\n0,0|0,0\n1,0|1\n2,0|4\n3|9,0\n", None),
    "bars and blanks, as of a table in a text": (
        "| t | x |\n" + "".join(f"| {k} | {k * k} |\n" for k in range(4)),
        ("t", "x"),
    ),
    "comments": ("# a note\nt #1,x\n0,0\n1,1 # here\n2,4\n\n3,9\n", None),
    "blanks and quotes": ('"t"   x\n 0 0\n1   1\n  2 4 \n3 9\n', None),
    "a byte order mark": ("\ufefft,x\n" + ROWS, ("t", "x")),
}


@pytest.mark.parametrize("name", AS_PEOPLE_HAVE_THEM)
@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "utf-16-le", "utf-16-be"])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_tables_as_people_have_them(name, encoding, end, tmp_path):
    text, columns = AS_PEOPLE_HAVE_THEM[name]
    text = text.removeprefix("\ufeff") if encoding != "utf-8" else text
    (tmp_path / "t.csv").write_bytes(text.replace("\n", end).encode(encoding))
    chosen = {} if columns is None else {"columns": list(columns)}
    law = bar(csv=str(tmp_path / "t.csv"), **chosen).drivers["motor"].law
    assert [list(law.times), list(law.values)] == SQUARES


def test_a_title_in_an_old_encoding_is_found(tmp_path):
    (tmp_path / "t.csv").write_bytes("Zeit [s];Winkel [°]\n0;0\n1;180\n2;0\n".encode("cp1252"))
    law = bar(csv=str(tmp_path / "t.csv"), columns=["Zeit [s]", "Winkel [°]"]).drivers["motor"].law
    np.testing.assert_allclose(law.values, [0, np.pi, 0])


@pytest.mark.parametrize(
    ("head", "times", "values"),
    [
        ("t [ms],x [deg]\n", 1e-3, np.pi / 180),
        ("t (ms),x (deg)\n", 1e-3, np.pi / 180),
        ("t,x\nms,deg\n", 1e-3, np.pi / 180),
        ("t/ms,x/deg\n", 1e-3, np.pi / 180),
        ("t / ms,x / °\n", 1e-3, np.pi / 180),
        ("t in ms,x in deg\n", 1e-3, np.pi / 180),
        ('"time, ms","angle, deg"\n', 1e-3, np.pi / 180),
        ("t,left/right\n", 1, 1),
        ("t,x/t\n", 1, 1),
        ("t,x(t)\n", 1, 1),
        ("t,x (measured)\n", 1, 1),
        ("t,x\nmsec,Degrees\n", 1e-3, np.pi / 180),
        ("t [Seconds],x (degree)\n", 1, np.pi / 180),
        ("t,x\ns,-\n", 1, 1),
        ("time,angle [-]\n", 1, 1),
        ("", 1, 1),
    ],
)
def test_units_of_columns_are_converted(head, times, values, tmp_path):
    (tmp_path / "t.csv").write_text(head + ROWS, encoding="utf-8")
    law = bar(csv=str(tmp_path / "t.csv")).drivers["motor"].law
    np.testing.assert_allclose(law.times, np.multiply(SQUARES[0], times), rtol=1e-15)
    np.testing.assert_allclose(law.values, np.multiply(SQUARES[1], values), rtol=1e-15)


SENSORS = "sensor A;sensor B\n"


@pytest.mark.parametrize(
    ("head", "columns"),
    [
        ("t;x\nms;cm\n" + SENSORS, None),
        ("t [ms];x [cm]\n------;------\n", None),
        ("t [ms];x [cm]\n:---\n", None),
        ("t [ms];x [cm]\n" + SENSORS, None),
        ("t [ms];x [cm]\n" + SENSORS, ["sensor A", "sensor B"]),
        ("t [ms];x [cm]\nCH [1];CH [2]\n", None),
        ("t [ms];x [cm]\nA [left];B [right]\n", None),
        ("t [ms];x [cm]\n2024-03-01;01.02.2024\n", None),
        ("t [ms];x [cm]\n2024-03-01 10:11:12;1 2\n;1\n" + SENSORS, None),
        ("ms;cm\nt;x\n", None),
        ("ms;cm\nt;x\n", ["t", "x"]),
        ("ms;cm\n1;2\nt;x\n", ["t", "x"]),
        ("t;x\n(ms);(cm)\n" + SENSORS, None),
        ("t;x\n[ms];[cm]\n" + SENSORS, None),
        ('"t";"x"\n"ms";"cm"\n"sensor; A";"sensor B"\n', None),
        ("t/ms;x in cm\n=;=\n" + SENSORS, None),
        ("t [ms];x\n;cm\n" + SENSORS, None),
        ("t;x\nms\n-;cm\n", None),
        ("t [msec];x (cm)\nms;cm\n", None),
        ("A;B\ns;m\n5;3\nt;x\nms;cm\n" + SENSORS, ["t", "x"]),
    ],
)
@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
def test_units_in_any_line_above_the_numbers_count(head, columns, encoding, tmp_path):
    """Milliseconds and centimetres, in a file in mm: two seconds and 200 mm."""
    rows = "0;0\n500;12\n1000;20\n1500;12\n2000;0\n"
    (tmp_path / "t.csv").write_text(head + rows, encoding=encoding)
    law = slide(tmp_path, columns).drivers["feed"].law
    np.testing.assert_allclose(law.times, [0, 0.5, 1, 1.5, 2], rtol=1e-15)
    np.testing.assert_allclose(law.values, [0, 0.12, 0.2, 0.12, 0], rtol=1e-15)


@pytest.mark.parametrize(("head", "times", "values"), [
    ("t;x\n;cm\n", 1, 10),
    ("t;x\nms;-\n" + SENSORS, 1e-3, 1),
    ("t;x [cm]\n" + SENSORS, 1, 10),
])  # fmt: skip
def test_units_of_only_one_column(head, times, values, tmp_path):
    (tmp_path / "t.csv").write_text(head + "0;0\n1;1\n2;4\n", encoding="utf-8")
    law = slide(tmp_path).drivers["feed"].law
    np.testing.assert_allclose(law.times, np.multiply([0, 1, 2], times), rtol=1e-15)
    np.testing.assert_allclose(law.values, np.multiply([0, 1e-3, 4e-3], values), rtol=1e-15)


@pytest.mark.parametrize(
    ("head", "columns"),
    [
        ("Valve lift (cm)\nt;x\n", None),
        ("Recorded every 10 [ms]\nt;x\n", None),
        ("Rate [ms];10\nt;x\n", None),
        ("Rate [ms];10 us\nt;x\n", None),
        ("Start [ms];2024-03-01 10:11\nt;x\n", None),
        ("Test [run 5];B\nt;x\n", None),
        ("T [ms];L [cm]\n5;100\nt;x\n", ["t", "x"]),
        ("u;v\nms;cm\n0;0\n1;1\nt;x\n", ["t", "x"]),
    ],
)
def test_what_else_is_in_a_preamble_says_no_units(head, columns, tmp_path):
    (tmp_path / "t.csv").write_text(head + "0;0\n1;1\n2;4\n", encoding="utf-8")
    law = slide(tmp_path, columns).drivers["feed"].law
    assert list(law.times) == [0, 1, 2] and list(law.values) == pytest.approx([0, 1e-3, 4e-3])


@pytest.mark.parametrize("head", ["t [s],lift [inch]", "t,lift (Inches)", "Time,Lift\nsec,inch", "t [s],lift [in]"])
def test_inches_are_not_millimetres(head, tmp_path):
    """One unit of the table is 25.4 mm, in a file in mm and in one in feet."""
    (tmp_path / "t.csv").write_text(head + "\n0,0\n1,1\n2,4\n", encoding="utf-8")
    for length in ("mm", "ft"):
        m = sk.Mechanism(
            units={"length": length}, points={"P": (0, 0)}, links={"ground": [], "slide": ["P"]},
            joints={"guide": {"type": "prismatic", "links": ["ground", "slide"], "axis": (1, 0)}},
            drivers={"feed": {"joint": "guide", "csv": str(tmp_path / "t.csv")}},
        )  # fmt: skip
        assert m.solve(t=[0.0, 1.0, 2.0]).position("P")[:, 0] == pytest.approx([0, 0.0254, 4 * 0.0254], abs=1e-12)


def test_the_csv_of_a_motion_is_a_table(tmp_path):
    """The second mechanism is in degrees; the CSV has radians, and says so."""
    driven = bar(law="sin(2*t) + 0.3").solve(101, duration=2)
    driven.to_csv(tmp_path / "motion.csv")
    data = {**bar().source_dict, "units": {"angle": "deg"}}
    for title in ("motor.value", "bar.angle"):
        data["drivers"] = {"motor": {"joint": "A", "csv": "motion.csv", "columns": ["t", title]}}
        m = sk.Mechanism.from_dict(data, folder=tmp_path)
        np.testing.assert_allclose(m.solve(101).angle("bar"), driven.angle("bar"), atol=1e-12)
        m.save(tmp_path / "saved.json")
        saved = sk.load(tmp_path / "saved.json")
        assert saved.drivers["motor"].law == m.drivers["motor"].law
        assert "columns" not in saved.source_dict["drivers"]["motor"]


@pytest.mark.parametrize(
    ("rows", "columns", "words"),
    [
        ("t,x\n0,0\n1,nan\n2,4\n", None, "line 3: expected a finite number, found nan; in"),
        ("t,x\n0,0\n1,-inf\n2,4\n", None, "line 3: expected a finite number, found -inf"),
        ("t,x\n0,0\n1,\n2,4\n", None, "line 3: expected two columns, time and value, found 1"),
        (MANY.replace("2,1,1,b", "2,1,,b"), ["t", "x"], "line 3: column 3 is empty"),
        (MANY.replace("2,1,1,b", "2"), ["t", "x"], "line 3: column 2 is empty"),
        (MANY, None, "line 2: expected two columns, time and value, found 4"),
        (MANY, None, "keep two, or write columns = [1, 2] beside csv"),
        (MANY, ["T", "x"], "has the title 'T'; did you mean 't'?"),
        (f"x\n{MANY.replace('x', 'y')}", ["x", "t"], "has both titles, 'x' and 't'; write the titles in one line"),
        (MANY, ["t", "note"], "line 2: 'a' is not a number"),
        (MANY, [2, 9], "line 2: column 9 is empty"),
        (MANY, ["t", 2], "the columns 't' and 2 are the same"),
        ("t,x,x\n0,0,1\n", ["t", "x"], "line 1: the title 'x' is there twice; give the number of the column"),
        ("o,0\n1,1\n2,4\n3,9\n", None, "line 1: 'o' is not a number"),
        ("t,x\nl,0\n1,1\n2,4\n3,9\n", None, "line 2: 'l' is not a number"),
        ("Rate;1000\n0;0\n1;1\n2;4\n", None, "line 1: 'Rate' is not a number"),
        ("0;0\n1;1,5\n2;2.5\n", None, "line 3: some numbers have a decimal comma, others a decimal point"),
        ("0;0\n1;1.5\n2;2,5\n", None, "line 3: some numbers have a decimal comma, others a decimal point"),
        ('0,"0,5"\n1,1\n2,4\n', None, "line 1: '0,5' is not a number; write a decimal point: 0.5"),
        ("0,0\n1,1_0\n2,4\n", None, "line 2: '1_0' is not a number"),
        ("0,0\n1,1\nend\n", None, "line 3: expected two columns, time and value, found 1"),
        ('t,"x\n0,0\n1,1\n', None, "line 1: unexpected end of data; a cell in quotes ends"),
        ("t [s],x [mm]\n0,0\n1,1\n2,4\n", None, "line 1: 'mm' is no unit of angle"),
        ("t,x\ns,mm\n0,0\n1,1\n2,4\n", None, "line 2: 'mm' is no unit of angle"),
        ("t [s],x (mm)\n0,0\n1,1\n2,4\n", None, "line 1: 'mm' is no unit of angle"),
        ("t [s],x (inch)\n0,0\n1,1\n2,4\n", None, "line 1: 'inch' is no unit of angle"),
        ("t/s,x/mm\n0,0\n1,1\n2,4\n", None, "line 1: 'mm' is no unit of angle"),
        ("t [s],x [Grad]\n0,0\n1,1\n2,4\n", None, "line 1: 'Grad' is no unit of angle"),
        ("t [frames],x [deg]\n0,0\n1,1\n2,4\n", None, "line 1: 'frames' is no unit of time"),
        ("t,x\ns,pixels\n0,0\n1,1\n2,4\n", None, "line 2: 'pixels' is no unit of angle"),
        ("t [s],x [deg]\nms,deg\n0,0\n1,1\n", None, "line 1 says 's', line 2 'ms' for the same column; in"),
        ("t,x (rad)\ns,deg\nA,B\n0,0\n1,1\n", None, "line 1 says 'rad', line 2 'deg' for the same column"),
        ("t [ms],x [px]\nA,B\n0,0\n1,1\n", None, "line 1: 'px' is no unit of angle"),
        ("t,x\nms,pixels\nA,B\n0,0\n1,1\n", None, "line 2: 'pixels' is no unit of angle"),
        ("t [s],x [deg]\ns,pixels\n0,0\n1,1\n", None, "line 2: 'pixels' is no unit of angle"),
        ("t [s],x [Grad]\n---,---\n0,0\n1,1\n", None, "line 1: 'Grad' is no unit of angle"),
        ("t [ms] x [deg]\nA B\n0 0\n1 1\n", None, "line 1: 'ms' is no unit of angle"),
        ("# only a note\n", None, "the file has no numbers"),
        ("only titles\n", None, "line 1: 'only' is not a number"),
    ],
)
def test_other_tables_are_refused_with_their_line(rows, columns, words, tmp_path):
    (tmp_path / "t.csv").write_text(rows, encoding="utf-8")
    with pytest.raises(sk.InputError) as error:
        bar(csv=str(tmp_path / "t.csv"), **({} if columns is None else {"columns": columns}))
    (problem,) = error.value.problems
    assert problem.key == "drivers.motor.csv" and problem.hint
    assert words in str(problem)


@pytest.mark.parametrize(
    ("columns", "words"),
    [
        (["t"], "expected two columns, found a list of 1"),
        ("t", "expected two columns, found the text 't'"),
        (["t", 0], "expected titles or numbers from 1, found the number 0"),
        ([True, 2], "expected titles or numbers from 1, found true"),
        (["t", "t"], "names the column 't' twice"),
    ],
)
def test_columns_are_two_titles_or_numbers(columns, words):
    with pytest.raises(sk.InputError) as error:
        bar(csv="t.csv", columns=columns)
    assert [problem.key for problem in error.value.problems if words in problem.message] == ["drivers.motor.columns"]


def test_columns_belong_to_a_file():
    with pytest.raises(sk.InputError, match=r"drivers.motor.columns: chooses columns of a file, but there is no csv"):
        bar(table=[[0, 0], [1, 1], [2, 4]], columns=["t", "x"])
    load = {"type": "moment", "on": "bar", "value": 2, "columns": [1, 2]}
    with pytest.raises(sk.InputError, match=r"forces.m.columns: chooses columns of a file, but there is no csv"):
        sk.Mechanism.from_dict({**bar().source_dict, "forces": {"m": load}})


def test_loads_choose_columns(tmp_path):
    (tmp_path / "f.csv").write_text("t [s];torque [Nmm];x\n0;1000;8\n1;3000;8\n", encoding="utf-8")
    load = {"type": "moment", "on": "bar", "csv": "f.csv", "columns": ["t [s]", "torque [Nmm]"]}
    m = sk.Mechanism.from_dict({**bar().source_dict, "forces": {"m": load}}, folder=tmp_path)
    m.save(tmp_path / "saved.toml")
    assert sk.load(tmp_path / "saved.toml").source_dict["forces"]["m"]["table"] == [[0, 1], [1, 3]]


def test_cams_choose_columns(tmp_path):
    """Radii of 10 to 12 mm in a file in inches, its angles in degrees in one in radians."""
    rows = "".join(f"{k},{60 * k},{10 + k % 3}\n" for k in range(6))
    (tmp_path / "cam.csv").write_text("row,angle [deg],radius [mm]\n" + rows, encoding="utf-8")
    entry = {"type": "cam", "cam": "disc", "follower": "lifter", "at": "Q", "csv": "cam.csv", "columns": [2, 3]}
    entry["contact"] = "knife-edge"
    data = {
        "units": {"length": "in"},
        "points": {"O": [0, 0], "P": [1, 0], "Q": [0, 10 / 25.4]},
        "links": {"ground": ["O"], "disc": ["O", "P"], "lifter": ["Q"]},
        "joints": {"guide": {"type": "prismatic", "links": ["lifter", "ground"], "axis": [0, 1]}, "cam": entry},
        "drivers": {"motor": {"joint": "O", "speed": 1}},
    }
    m = sk.Mechanism.from_dict(data, folder=tmp_path)
    m.save(tmp_path / "saved.toml")
    rows = sk.load(tmp_path / "saved.toml").source_dict["joints"]["cam"]["profile"]
    np.testing.assert_allclose(rows, [[np.pi / 3 * k, (10 + k % 3) / 25.4] for k in range(6)])


def test_the_builder_passes_columns(tmp_path):
    (tmp_path / "t.csv").write_text(MANY, encoding="utf-8")
    b = sk.Builder("bar").points(A=(0, 0), B=(1, 0)).links(ground=["A"], bar=["A", "B"])
    b = b.drive("motor", joint="A", csv=str(tmp_path / "t.csv"), columns=["t", "x"])
    assert list(b.build().drivers["motor"].law.values) == SQUARES[1]
