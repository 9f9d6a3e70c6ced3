"""`structkin convert`: by the suffix, completely or not at all, and with notes on the result."""

from __future__ import annotations

import os

import pytest
from same import assert_same
from typer.testing import CliRunner

import structkin as sk
from structkin.cli import app
from structkin.examples import path
from structkin.files import FORMATS

ROCKER = str(path("crank_rocker"))


def run(*words):
    return CliRunner().invoke(app, ["convert", *map(str, words)])


@pytest.mark.parametrize("suffix", FORMATS)
def test_every_format_is_written(suffix, tmp_path):
    if suffix in (".xlsx", ".dxf"):
        pytest.importorskip({".xlsx": "openpyxl", ".dxf": "ezdxf"}[suffix])
    result = run(ROCKER, tmp_path / f"x{suffix}")
    assert result.exit_code == 0 and f"written: {tmp_path / f'x{suffix}'}" in result.output.replace("\n", "")
    assert os.listdir(tmp_path) == [f"x{suffix}"]


def test_there_and_back(tmp_path):
    run(ROCKER, tmp_path / "a.json")
    run(tmp_path / "a.json", tmp_path / "b.toml")
    assert_same(sk.load(ROCKER), sk.load(tmp_path / "b.toml"))


def test_samples_are_as_requested(tmp_path):
    assert run(ROCKER, tmp_path / "x.csv", "--samples", 5, "--duration", 0.5).exit_code == 0
    lines = (tmp_path / "x.csv").read_text(encoding="utf-8").splitlines()
    assert len(lines) == 7 and lines[-1].startswith("0.5,")
    result = run(ROCKER, tmp_path / "x.json", "--samples", 5)
    assert "holds no motion: --samples and --duration have no effect" in result.output


@pytest.mark.parametrize("suffix", [".csv", ".svg"])
def test_a_bad_number_of_samples_is_refused(suffix, tmp_path):
    assert "0 is not a positive whole number" in str(run(ROCKER, tmp_path / f"x{suffix}", "--samples", 0).exception)
    assert not os.listdir(tmp_path)


def test_more_samples_than_a_sheet_has_rows_are_refused_before_they_are_solved(tmp_path, monkeypatch):
    pytest.importorskip("openpyxl")
    monkeypatch.setattr(sk.Mechanism, "solve", None)
    said = "motion: has 1,048,577 rows, but a sheet holds 1,048,576; ask for fewer samples"
    assert said in str(run(ROCKER, tmp_path / "x.xlsx", "--samples", 2**20).exception)
    assert not os.listdir(tmp_path)


def test_a_file_of_another_tool_is_converted_and_its_notes_are_printed(tmp_path):
    address = "j=A,0,0,AB,R,t,0,0,t,%0AB,1,0,AB,R,f,0,0,f,&s=10"
    (tmp_path / "pmks.txt").write_text(f"https://pmks.org/?{address}", encoding="utf-8")
    result = run(tmp_path / "pmks.txt", tmp_path / "x.toml")
    assert result.exit_code == 0 and "note: a file of PMKS+: 1 moving link, 1 input" in result.output
    notes = ("a file of PMKS+: 1 moving link, 1 input", "lengths are read as cm")
    run(tmp_path / "x.toml", tmp_path / "y.json")
    for name in ("pmks.txt", "x.toml", "y.json"):
        assert_same(sk.load(tmp_path / "pmks.txt"), found := sk.load(tmp_path / name))
        assert found.remarks == notes


def test_what_a_format_cannot_hold_is_refused(tmp_path):
    result = run(path("cam_lever_press"), tmp_path / "x.xml")
    assert isinstance(result.exception, sk.InputError) and "no cams" in str(result.exception)
    for out in ("x.doc", "x"):
        assert "use .toml" in str(run(ROCKER, tmp_path / out).exception)
    assert "would overwrite IN" in str(run(ROCKER, ROCKER).exception)
    free = tmp_path / "free.toml"
    free.write_text('[points]\nA = [0, 0]\nB = [1, 0]\n[links]\nground = ["A"]\narm = ["A", "B"]\n', encoding="utf-8")
    assert "arm" in str(run(free, tmp_path / "x.csv").exception)
    result = run(free, tmp_path / "x.svg")
    assert result.exit_code == 0 and "note: without the motion" in result.output
    assert sorted(os.listdir(tmp_path)) == ["free.toml", "x.svg"]


def test_a_motion_that_is_not_ok_everywhere_exits_with_1(tmp_path):
    data = sk.load(path("triple_rocker")).source_dict
    data["drivers"]["motor"] = {"joint": "A", "law": "150*sin(2*pi*t)"}
    sk.Mechanism.from_dict(data).save(tmp_path / "in.toml")
    result = run(tmp_path / "in.toml", tmp_path / "x.csv", "--samples", 9)
    assert result.exit_code == 1 and "of 9 samples ok" in result.output and (tmp_path / "x.csv").exists()


def test_the_formats_are_listed():
    result = run("--formats")
    assert result.exit_code == 0 and all(suffix in result.output for suffix in FORMATS)


def test_notes_on_a_file_of_another_tool_go_to_stderr(tmp_path):
    target = tmp_path / "bar.txt"
    target.write_text("https://pmks.org/?j=A,0,0,AB,R,t,0,0,t,%0AB,1,0,AB,R,f,0,0,f,&l=AB,1,1,0,0,A,B,&s=10")
    result = CliRunner().invoke(app, ["solve", str(target), "--samples", "3", "--json"])
    assert result.stderr.startswith("note: a file of PMKS+: 1 moving link") and result.stdout.startswith("{")


KINDS = {
    ".xml": '<mujoco model="x"/>',
    ".urdf": "<robot/>",
    ".csv": "t,x\n0,0\n",
    ".dxf": "0\nSECTION\n",
    ".svg": "<svg/>",
    ".png": "\x89PNG\0\0",
    ".xlsx": "PK\0\0",
    ".tex": "x",
    ".stp": "ISO-10303-21;",
}


@pytest.mark.parametrize("suffix", KINDS)
def test_files_of_other_kinds_are_named(suffix, tmp_path):
    (tmp_path / f"x{suffix}").write_text(KINDS[suffix], encoding="latin-1")
    with pytest.raises(sk.InputError) as error:
        sk.load(tmp_path / f"x{suffix}")
    (problem,) = error.value.problems
    assert problem.message.startswith(f"a {suffix} file (") and "rename" not in problem.hint
    assert ("a driver or a force reads its columns" in problem.hint) == (suffix == ".csv")
    with pytest.raises(sk.InputError, match="there is no file"):
        sk.load(tmp_path / f"other{suffix}")


def test_the_content_of_a_file_is_read_whatever_its_suffix(tmp_path):
    (tmp_path / "x.csv").write_text("ground,input,R,0,0,0,tfft\ninput,R,1,0,tfff\n", encoding="utf-8")
    assert sk.load(tmp_path / "x.csv").remarks[0] == "a file of PMKS: 1 moving link, 1 input"


@pytest.mark.parametrize("notes", ["one", [1], {}])
def test_notes_are_a_list_of_texts(notes):
    with pytest.raises(sk.InputError, match=r"notes: expected a list of texts"):
        sk.Mechanism.from_dict({"points": {}, "links": {"ground": []}, "notes": notes})


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("x.xml", "XML, such as MuJoCo MJCF"), ("x.dxf", "drawing, DXF"), ("x.csv", "table, CSV"),
        ("x.urdf", "robot in space, URDF"), ("x.yaml", "data, YAML"), ("x.zip", "archive"),
        ("x.stl", "surface of a body"), ("x.slx", "model or script, MATLAB"), ("x.step", "CAD model"),
        ("x.GGB", "construction, GeoGebra"), ("x.sdf", "robot or world in space, SDF"),
        ("x.gltf", "scene in space, glTF"), ("x.glb", "scene in space, glTF"), ("x.SLDASM", "CAD model, SolidWorks"),
        ("x.iam", "CAD model, Inventor"), ("x.CATPart", "CAD model, CATIA"), ("x.FCStd", "CAD model, FreeCAD"),
        ("x.iges", "CAD model"), ("x.obj", "surface of a body"), ("x.usda", "scene in space, USD"),
        ("x.mdl", "model or script, MATLAB"), ("x.adm", "model in space, Adams"), ("x.mo", "model, Modelica"),
        ("x.bin", "binary data, such as a model of Adams"), ("x.png", "picture, PNG"), ("x.eps", "picture"),
        ("x.svg", "picture, SVG"), ("x.pdf", "picture, PDF"), ("x.tsv", "table, tabs"), ("x.rar", "archive"),
    ],
)  # fmt: skip
def test_a_format_that_is_not_read_is_named(name, kind, tmp_path):
    (tmp_path / name).write_text("<robot/>\n", encoding="utf-8")
    with pytest.raises(sk.InputError, match=rf"\({kind}\) has no mechanism that can be read") as error:
        sk.load(tmp_path / name)
    assert "rename" not in str(error.value)
