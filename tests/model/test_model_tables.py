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


@pytest.mark.parametrize(
    ("rows", "words"),
    [
        ("0;0\n1;0,5\n2;1\n", "line 2: '0,5' is not a number; write a decimal point: 0.5"),
        ("0,0;0,0\n1,0;0,5\n", "line 1: '0,0' is not a number; write a decimal point: 0.0"),
        ("t\tx\n0\t0\n1\t-0,5\n", "line 3: '-0,5' is not a number; write a decimal point: -0.5"),
        ("0,0,0,0\n1,0,0,5\n", "found 4; if these are decimal commas, write a decimal point: 0.0"),
        ("0,0 0,0\n1,0 0,5\n", "found 3; if these are decimal commas, write a decimal point: 0.0"),
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
        ({"law": "1 + (0,5)*t"}, "write a decimal point: 0.5"),
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
