"""Workbooks, LaTeX tables, CSV, pictures and xarray: the numbers are those of the motion, each with its unit."""

from __future__ import annotations

import io
import os
import re
import sys

import numpy as np
import pytest
from cases import few

import structkin as sk
from structkin.examples import path
from structkin.files.writers import write
from structkin.files.writers.latex import latex_tables
from structkin.model.harmless import latex

ROCKER = sk.load(path("crank_rocker"))
FIVE_BAR = sk.load(path("five_bar_two_drivers"))


def rows_of(sheet):
    heads, *rows = sheet.iter_rows(values_only=True)
    return {head: [row[k] for row in rows] for k, head in enumerate(heads)}


def test_a_workbook_has_structure_motion_coefficients_and_forces(tmp_path):
    openpyxl = pytest.importorskip("openpyxl")
    engine = sk.load(path("one_cylinder_engine"))
    motion = engine.solve(samples=9)
    motion.save(tmp_path / "x.xlsx")
    book = openpyxl.load_workbook(tmp_path / "x.xlsx")
    assert book.sheetnames == ["mechanism", "structure", "motion", "K and L", "forces"]
    groups = rows_of(book["structure"])
    assert groups["kind"] == [group.kind for group in motion.structure.groups] and groups["group"][0] == 1
    moved, scale = rows_of(book["motion"]), engine.units.length_scale
    unit = engine.units.length
    for point in ("B", "C"):
        want = motion.acceleration(point)[:, 1] / scale
        assert np.allclose(moved[f"{point}.ay [{unit}/s^2]"], want, rtol=1e-14)
    assert moved["status"] == ["ok"] * 9
    by = rows_of(book["K and L"])
    driver = next(iter(engine.drivers))
    assert np.allclose(by[f"C.Ky.{driver} [{unit}/rad]"], motion.K("C")[:, 1, 0] / scale)
    assert np.allclose(by[f"C.Ly.{driver}.{driver} [{unit}/rad^2]"], motion.L("C")[:, 1, 0, 0] / scale)
    forces = rows_of(book["forces"])
    assert np.allclose(forces[f"{driver}.effort [N m]"], motion.forces().driver(driver), rtol=1e-14)


def test_coefficients_of_two_drivers_give_the_velocity(tmp_path):
    openpyxl = pytest.importorskip("openpyxl")
    FIVE_BAR.solve(samples=5).save(tmp_path / "x.xlsx")
    book = openpyxl.load_workbook(tmp_path / "x.xlsx")
    assert "forces" not in book.sheetnames  # no loads
    by, moved = rows_of(book["K and L"]), rows_of(book["motion"])
    rates = {"left_motor": 360.0, "right_motor": -540.0}  # deg/s
    found = sum(np.array(by[f"C.Kx.{id} [mm/rad]"]) * np.radians(rate) for id, rate in rates.items())
    assert np.allclose(found, moved["C.vx [mm/s]"])
    assert "C.Lx.left_motor.right_motor [mm/rad^2]" in by
    # the same columns as in CSV
    file = io.StringIO()
    FIVE_BAR.solve(samples=5).to_csv(file, units="file", kl=True)
    names, units = (line.split(",") for line in file.getvalue().splitlines()[:2])
    assert {f"{name} [{unit}]" for name, unit in zip(names, units, strict=True) if unit} == {*by, *moved} - {
        "status",
        "group",
    }


def test_a_sheet_of_forces_gives_the_reason_for_none(tmp_path):
    openpyxl = pytest.importorskip("openpyxl")
    engine = sk.load(path("one_cylinder_engine"))
    driver = next(iter(engine.drivers))
    engine.solve(drivers={driver: np.linspace(0, 1, 5)}).save(tmp_path / "x.xlsx")  # without rates
    book = openpyxl.load_workbook(tmp_path / "x.xlsx")
    (reason,) = rows_of(book["forces"])["forces cannot be computed, because"]
    assert reason.startswith(f"drivers.{driver}: its rates are not known; forces need them")


def test_unknown_values_are_empty_and_no_name_is_a_formula(tmp_path):
    openpyxl = pytest.importorskip("openpyxl")
    data = sk.load(path("triple_rocker")).source_dict
    data["drivers"] = {"=motor": {"joint": "A", "law": "150*sin(2*pi*t)"}}
    motion = sk.Mechanism.from_dict(data).solve(samples=9)
    motion.save(tmp_path / "x.xlsx")
    moved = rows_of(openpyxl.load_workbook(tmp_path / "x.xlsx")["motion"])
    assert [value is None for value in moved["C.x [mm]"]] == np.isnan(motion.position("C")[:, 0]).tolist()
    assert "out of reach" in moved["status"] and "=motor.value [deg]" in moved


def test_a_sheet_that_is_too_large_is_refused(tmp_path, monkeypatch):
    pytest.importorskip("openpyxl")
    monkeypatch.setattr("structkin.files.writers.xlsx.ROWS", 100)
    with pytest.raises(sk.InputError, match=r"motion: has 102 rows, but a sheet holds 100; ask for fewer samples"):
        ROCKER.solve(samples=101).save(tmp_path / "x.xlsx")
    assert not os.listdir(tmp_path)


def numbers_in(line):
    """Read the cells of a row of a table back."""
    cells = []
    for cell in line.removesuffix(r" \\").split(" & "):
        found = re.fullmatch(r"\$(-?[\d.]+)(?: \\cdot 10\^\{(-?\d+)\})?\$", cell.strip())
        cells.append(float(found[1]) * 10.0 ** int(found[2] or 0) if found else cell.strip())
    return cells


def test_latex_tables_have_the_motion_of_every_part(tmp_path):
    motion = ROCKER.solve(samples=5)
    ROCKER.save(tmp_path / "x.tex", motion=motion)
    text = (tmp_path / "x.tex").read_text(encoding="utf-8")
    assert text == latex_tables(motion)
    parts = re.findall(r"\\begin\{longtable\}\{([lr]+)\}(.*?)\\end\{longtable\}", text, re.DOTALL)
    assert len(parts) == 1 + 3 + 3 + 1  # driver, points and links that move, what stands still
    assert r"A & all are zero \\" in text and r"D & x = 100 mm \\" in text
    for kinds, inside in parts:
        rows = [line for line in inside.splitlines() if " & " in line]
        assert all(line.count(" & ") == len(kinds) - 1 for line in rows)
    (inside,) = (inside for _, inside in parts if "motion of P}" in inside)
    rows = [numbers_in(line) for line in inside.splitlines() if " & " in line][1:]
    assert np.allclose([row[1:3] for row in rows], motion.position("P") / 1e-3, rtol=1e-5)
    assert np.allclose([row[5:7] for row in rows], motion.acceleration("P") / 1e-3, rtol=1e-5, atol=1e-8)
    assert r"ax {[}mm/s\textsuperscript{2}{]}" in inside


def test_latex_prints_any_name_verbatim():
    assert latex(r"a_b & 5 % of \x{y}") == r"a\_b \& 5 \% of \textbackslash{}x\{y\}"
    data = ROCKER.source_dict
    data["title"] = "50 % & more_or_less #1"
    text = latex_tables(sk.Mechanism.from_dict(data).solve(samples=2))
    assert r"\caption{50 \% \& more\_or\_less \#1: motion of motor}" in text
    assert not re.search(r"(?<!\\)[#_]", text.split("\n", 1)[1])


def test_letters_without_a_font_of_pdflatex_are_noted(tmp_path):
    data = ROCKER.source_dict
    data["title"] = "Größe Ω ≤ 1"
    m, target = sk.Mechanism.from_dict(data), tmp_path / "a.tex"
    note = "not for pdfLaTeX but LuaLaTeX or XeLaTeX, with a font that has these letters: Ω ≤"
    assert write(m, target, motion=m.solve(samples=2)) == (note,)
    assert target.read_text(encoding="utf-8").startswith(f"% {note}\n% \\usepackage")
    data["title"] = "Größe"
    m = sk.Mechanism.from_dict(data)
    assert write(m, target, motion=m.solve(samples=2)) == ()


def width_of(cell, size):
    """Return the width of a cell [pt] in Computer Modern, as matplotlib measures it."""
    from matplotlib.font_manager import FontProperties
    from matplotlib.mathtext import MathTextParser

    plain = re.sub(r"\\textsuperscript\{(.)\}", r"\1", cell).replace("{[}", "[").replace("{]}", "]").replace(" ", r"\ ")
    text = cell if cell.startswith("$") else rf"$\mathrm{{{plain}}}$"
    return MathTextParser("path").parse(text, 72, FontProperties(size=size, math_fontfamily="cm"))[0] if cell else 0.0


@pytest.mark.parametrize("name", few(["rapson_slide", "cam_lever_press", "hoeken_straight_line", "excavator"], 1))
def test_latex_tables_fit_the_page_of_an_article(name):
    text = latex_tables(sk.load(path(name)).solve(samples=13))
    for small, kinds, inside in re.findall(
        r"(\\begingroup.*\n)?\\begin\{longtable\}\{(.*)\}((?:\n  .*)+)\n\\end\{longtable\}", text
    ):
        rows = [line.removesuffix(r" \\").split(" & ") for line in inside.splitlines() if " & " in line]
        wide = re.findall(r">\{.*?\}p\{(\d+)pt\}|[lr]", kinds)
        size, space = (8, 6.0) if small else (10, 12.0)
        total = 0.0
        for kind, column in zip(wide, zip(*rows, strict=True), strict=True):
            words = [word for cell in column for word in (cell.split(" ") if kind else [cell.strip()])]
            needed = max(width_of(word, size) for word in words)
            assert not kind or needed < float(kind) + 3
            total += space + (float(kind) if kind else needed)
        assert total < 345 + space


def test_latex_names_the_samples_that_are_not_ok():
    data = sk.load(path("triple_rocker")).source_dict
    data["drivers"]["motor"] = {"joint": "A", "law": "150*sin(2*pi*t)"}
    text = latex_tables(sk.Mechanism.from_dict(data).solve(samples=9))
    assert "status" in text and "out of reach" in text and "nan" not in text


def test_csv_and_pictures(tmp_path):
    motion = ROCKER.solve(samples=5)
    ROCKER.save(tmp_path / "a.csv", motion=motion)
    motion.to_csv(tmp_path / "b.csv", units="file")
    assert (tmp_path / "a.csv").read_bytes() == (tmp_path / "b.csv").read_bytes()
    ROCKER.save(tmp_path / "c.csv")
    assert len((tmp_path / "c.csv").read_text(encoding="utf-8").splitlines()) == 2 + 361
    ROCKER.save(tmp_path / "sketch.svg")
    motion.save(tmp_path / "moved.svg")
    sketch, moved = ((tmp_path / name).read_text(encoding="utf-8") for name in ("sketch.svg", "moved.svg"))
    assert 'id="link:coupler"' in sketch and 'id="path:P"' not in sketch and 'id="path:P"' in moved
    motion.save(tmp_path / "x.png")
    assert (tmp_path / "x.png").read_bytes()[:4] == b"\x89PNG"


def test_a_motion_is_refused_where_none_can_be_written(tmp_path):
    for name in ("x.toml", "x.xml"):
        with pytest.raises(sk.InputError, match=r"motion: .* holds no motion"):
            ROCKER.solve(samples=2).save(tmp_path / name)
    with pytest.raises(sk.InputError, match=r"motion: belongs to another mechanism"):
        ROCKER.save(tmp_path / "x.csv", motion=FIVE_BAR.solve(samples=2))
    assert not os.listdir(tmp_path)


@pytest.mark.parametrize("units", ["SI", "file"])
@pytest.mark.parametrize("name", ["five_bar_two_drivers", "excavator", "scotch_yoke"])
def test_xarray_has_named_axes_and_units(name, units):
    pytest.importorskip("xarray")
    mechanism = sk.load(path(name))
    motion = mechanism.solve(samples=7)
    data = motion.to_xarray(units)
    length = 1.0 if units == "SI" else mechanism.units.length_scale
    angle = 1.0 if units == "SI" else mechanism.units.angle_scale
    assert data.sizes["sample"] == 7 and data.sizes["driver"] == len(mechanism.drivers)
    for point in data.point.values:
        assert np.allclose(data.position.sel(point=point) * length, motion.position(point), rtol=1e-14, atol=0)
        assert np.allclose(data.acceleration.sel(point=point) * length, motion.acceleration(point), rtol=1e-12)
    for link in data.link.values:
        assert np.allclose(data.omega.sel(link=link) * angle, motion.omega(link), rtol=1e-12, atol=0)
    # v = K z' and a = K z'' + z'^T L z', by the names of the axes
    z, zz = data.drive_rate, data.drive_acceleration
    assert np.allclose((data.K * z).sum("driver"), data.velocity.transpose("sample", "point", "xy"), atol=1e-9)
    second = (data.L * z * z.rename(driver="driver_2")).sum(["driver", "driver_2"]) + (data.K * zz).sum("driver")
    scale = float(np.abs(data.acceleration).max())
    assert np.abs(second - data.acceleration).max() < 1e-9 * scale
    assert np.allclose((data.K_angle * z).sum("driver"), data.omega, atol=1e-9)
    unit = "m" if units == "SI" else mechanism.units.length
    assert data.position.attrs["units"] == unit and data.velocity.attrs["units"] == f"{unit}/s"
    assert data.attrs["title"] == mechanism.title and set(data.status.values) == {"ok"}


def test_without_the_packages_the_extras_are_named(tmp_path, monkeypatch):
    for package, extra, call in (
        ("openpyxl", "xlsx", lambda: ROCKER.save(tmp_path / "x.xlsx")),
        ("xarray", "xarray", lambda: ROCKER.solve(samples=2).to_xarray()),
    ):
        monkeypatch.setitem(sys.modules, package, None)
        with pytest.raises(sk.InputError, match=rf'needs {package}.*pip install "structkin\[{extra}\]"'):
            call()
    assert not os.listdir(tmp_path)
