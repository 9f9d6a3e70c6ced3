"""Tables: CSV with its line of units, data frames, plain data, the terminal."""

from __future__ import annotations

import builtins
import csv
import io
import json
import math
import os
import re
import sys

import numpy as np
import pytest
from rich.console import Console
from show_samples import ALL, crank_rocker, loose, part_turn, press

import structkin as sk
from structkin.model.units import Units
from structkin.show import columns, groups_table, motion_to_dict, summary_table, to_dataframe, write_csv


def read(path):
    with path.open(newline="", encoding="utf-8") as file:
        names, units, *rows = csv.reader(file)
    return names, units, rows


def shown(renderable) -> str:
    out = io.StringIO()
    Console(file=out, width=140).print(renderable)
    return out.getvalue()


def test_the_second_line_names_the_units(tmp_path):
    write_csv(crank_rocker().solve(samples=3), tmp_path / "m.csv")
    names, units, rows = read(tmp_path / "m.csv")
    unit = dict(zip(names, units, strict=True))
    assert names[:4] == ["t", "motor.value", "A.x", "A.y"] and names[-2:] == ["status", "group"]
    assert unit["t"] == "s" and unit["motor.value"] == "deg" and unit["P.x"] == "mm" and unit["P.vy"] == "mm/s"
    assert unit["P.ax"] == "mm/s^2" and unit["rocker.omega"] == "deg/s" and unit["rocker.alpha"] == "deg/s^2"
    assert unit["status"] == unit["group"] == ""
    assert len(names) == len(set(names)) == 2 + 6 * 5 + 3 * 3 + 2
    assert len(rows) == 3 and {len(row) for row in rows} == {len(names)}


@pytest.mark.parametrize("make", ALL, ids=lambda make: make.__name__)
def test_csv_keeps_every_digit(make, tmp_path):
    m = make()
    motion = m.solve(samples=25)
    write_csv(motion, tmp_path / "m.csv")
    names, _, rows = read(tmp_path / "m.csv")
    columns = dict(zip(names, zip(*rows, strict=True), strict=True))

    def back(name: str) -> np.ndarray:
        return np.array([float(cell) if cell else math.nan for cell in columns[name]])

    size, angle = m.units.length_scale, m.units.angle_scale
    np.testing.assert_array_equal(back("t"), motion.t)
    for point in m.points:
        np.testing.assert_array_equal(back(f"{point}.y"), motion.position(point)[:, 1] / size)
        np.testing.assert_array_equal(back(f"{point}.ax"), motion.acceleration(point)[:, 0] / size)
    for link in m.topology.moving_links:
        np.testing.assert_array_equal(back(f"{link}.omega"), motion.omega(link) / angle)
    assert (np.array(columns["status"]) == "ok").tolist() == motion.ok.tolist()


def test_no_heading_is_a_formula_of_a_spreadsheet(tmp_path):
    m = sk.Mechanism(
        points={"=1+1": (0, 0), "+B": (1, 0)},
        links={"ground": ["=1+1"], "=cmd|' /C calc'!A0": ["=1+1", "+B"]},
        drivers={"+motor": {"joint": "=1+1", "speed": 1}},
    )
    m.solve(3).to_csv(tmp_path / "a.csv")
    heads, _units, *rows = csv.reader((tmp_path / "a.csv").read_text(encoding="utf-8").splitlines())
    assert heads[1] == "'+motor.value" and "'=1+1.x" in heads and "'=cmd|' /C calc'!A0.angle" in heads
    assert not [head for head in heads if head[:1] in set("=+-@")]
    assert rows[2][heads.index("'+B.x")] == repr(float(m.solve(3).position("+B")[2, 0]))  # a number stays one


def test_unknown_values_are_empty(tmp_path):
    motion = part_turn().solve(samples=31)
    write_csv(motion, tmp_path / "m.csv")
    names, _, rows = read(tmp_path / "m.csv")
    row = dict(zip(names, rows[int(np.flatnonzero(~motion.ok)[0])], strict=True))
    assert row["P.x"] == "" and row["B.x"] != ""
    assert row["status"] == "out of reach" and row["group"] == "2 RRR: coupler + right"
    motion = crank_rocker().solve(drivers={"motor": [0.0, 0.1]})
    write_csv(motion, tmp_path / "m.csv")
    names, _, rows = read(tmp_path / "m.csv")
    row = dict(zip(names, rows[0], strict=True))
    assert row["t"] == row["P.vx"] == "" and row["P.x"] != ""


def test_units_can_be_chosen(tmp_path):
    motion = press().solve(samples=3)
    write_csv(motion, tmp_path / "m.csv", units=Units())
    names, units, rows = read(tmp_path / "m.csv")
    assert units[names.index("push.value")] == "m"
    assert float(rows[1][names.index("S.x")]) == motion.position("S")[1, 0]


def test_a_file_is_whole_or_not_there(tmp_path, monkeypatch):
    target = tmp_path / "m.csv"
    target.write_text("old")
    motion = crank_rocker().solve(samples=3)

    def stop(_motion):
        raise KeyboardInterrupt

    monkeypatch.setattr(columns, "failed_groups", stop)
    with pytest.raises(KeyboardInterrupt):
        write_csv(motion, target)
    assert target.read_text() == "old" and os.listdir(tmp_path) == ["m.csv"]


def test_missing_folders_are_reported(tmp_path):
    motion = crank_rocker().solve(samples=3)
    with pytest.raises(sk.InputError, match="there is no folder"):
        write_csv(motion, tmp_path / "no" / "m.csv")
    with pytest.raises(sk.InputError, match="is a folder"):
        write_csv(motion, tmp_path)


def test_data_frame():
    motion = part_turn().solve(samples=31)
    frame = to_dataframe(motion)
    assert len(frame) == 31 and frame["status"].nunique() == 2
    assert frame.attrs["units"]["P.x"] == "mm"
    np.testing.assert_array_equal(frame["P.x"], motion.position("P")[:, 0] / 1e-3)
    assert list(to_dataframe(motion, Units()).columns) == list(frame.columns)
    assert motion.to_dataframe(units="file").equals(frame)
    np.testing.assert_array_equal(motion.to_dataframe()["P.x"], motion.position("P")[:, 0])
    with pytest.raises(sk.InputError, match="known: SI, file"):
        motion.to_dataframe(units="mm")


def test_a_motion_writes_itself_in_either_units(tmp_path):
    motion = part_turn().solve(samples=3)
    for units, length in (("SI", "m"), ("file", "mm")):
        motion.to_csv(tmp_path / "m.csv", units=units)
        heads, names = (line.split(",") for line in (tmp_path / "m.csv").read_text().splitlines()[:2])
        assert names[heads.index("P.x")] == length


def test_without_pandas_the_remedy_is_named(monkeypatch):
    motion = crank_rocker().solve(samples=3)
    real = builtins.__import__

    def without(name, *args, **kwargs):
        if name == "pandas":
            raise ImportError(name)
        return real(name, *args, **kwargs)

    monkeypatch.delitem(sys.modules, "pandas", raising=False)
    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(sk.StructkinError, match=r'pip install "structkin\[pandas\]"'):
        to_dataframe(motion)


def test_plain_data_for_json():
    motion = part_turn().solve(samples=31)
    data = json.loads(json.dumps(motion_to_dict(motion), allow_nan=False))
    bad = int(np.flatnonzero(~motion.ok)[0])
    assert data["units"] == {"length": "mm", "angle": "deg", "time": "s"}
    assert data["samples"] == 31 and data["ok"] == motion.ok.sum()
    assert data["points"]["P"]["x"][bad] is None and data["group"][bad] == 1 and data["group"][0] is None
    assert data["points"]["P"]["vx"][0] == motion.velocity("P")[0, 0] / 1e-3
    assert data["links"]["left"]["omega"][0] == pytest.approx(-180)
    assert data["drivers"]["motor"]["value"][0] == pytest.approx(math.degrees(math.atan2(3, 1)))
    assert data["status"][bad] == "out of reach"


def test_groups_for_the_terminal():
    text = shown(groups_table(crank_rocker().structure()))
    assert "driven R" in text and "coupler, rocker" in text and "B, C, D" in text and "mobility 1" in text
    assert "one driver is missing" in shown(groups_table(loose().structure()))


def test_summary_for_the_terminal():
    text = shown(summary_table(part_turn().solve(samples=31)))
    assert "point P" in text and "link coupler" in text and "mm/s²" in text
    assert "samples ok" in text and "out of reach at group 2, RRR" in text and "driver motor" in text
    text = shown(summary_table(crank_rocker().solve(drivers={"motor": [0.0, 0.1]})))
    assert "nan" not in text


@pytest.mark.parametrize(("count", "cut"), [(7, 0), (8, 0), (9, 2), (12, 5)])
def test_a_long_report_is_cut_only_where_that_saves_lines(count, cut, monkeypatch):
    lines = [f"line {k}." for k in range(count)]
    monkeypatch.setattr(sk.Motion, "report", property(lambda motion: "\n".join(lines)))
    text = shown(summary_table(part_turn().solve(samples=3)))
    assert [line in text for line in lines] == [True] * (count - cut) + [False] * cut
    assert (f"... and {cut} more lines about samples that are not ok" in text) == (cut > 0)


def test_names_are_not_read_as_markup():
    m = sk.Mechanism(
        "[bold]x",
        points={"A": [0, 0], "[red]": [1, 0]},
        links={"ground": ["A"], "[/]": ["A", "[red]"]},
        drivers={"motor": {"joint": "A", "speed": 2}},
    )
    assert "point [red]" in shown(summary_table(m.solve(samples=3)))
    assert "[/]" in shown(groups_table(m.structure()))


@pytest.mark.parametrize("away", [0.0, 5e3, 5e6, -5e9])
def test_a_range_far_from_the_origin_is_seen(away):
    m = sk.Mechanism(
        points={"A": (away, 0.0), "B": (away + 4.0, 0.0)},
        links={"ground": ["A"], "crank": ["A", "B"]},
        drivers={"motor": {"joint": "A", "speed": 1.0}},
    )
    output = shown(summary_table(m.solve(samples=361)))
    low, high = re.search(r"x (\S+) to (\S+),", output).groups()
    assert abs(float(low) - (away - 4)) < 0.05 and abs(float(high) - (away + 4)) < 0.05
