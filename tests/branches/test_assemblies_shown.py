"""`structkin assemblies`: table, JSON, pictures, exit codes."""

from __future__ import annotations

import json
import math

import pytest
from typer.testing import CliRunner

import structkin as sk
from structkin.cli import app
from structkin.errors import InputError
from structkin.examples import path
from structkin.show.assemblies_figure import assemblies_table, draw_assemblies


def run(*words):
    return CliRunner().invoke(app, ["assemblies", *map(str, words)])


def panels(figure):
    return [ax.get_gid() for ax in figure.axes]


def test_table_and_picture(tmp_path):
    picture = tmp_path / "all.png"
    result = run(path("platform_3rpr"), "--plot", picture)
    assert result.exit_code == 0, result.output
    assert result.output.count("certified") == 6 and "6 assemblies" in result.output
    assert picture.stat().st_size > 10_000


def test_json_is_in_the_units_of_the_file():
    data = json.loads(run(path("platform_3rpr"), "--json").stdout)
    assert data["units"] == {"length": "cm", "angle": "deg"} and data["drivers"]["left"] == pytest.approx(14.98)
    angles = [item["angles"]["plate"] for item in data["assemblies"]]
    assert angles == pytest.approx((-56.55, -2.71, 14.06, 33.56, 57.41, 122.21), abs=0.006)
    assert data["assemblies"][4]["points"]["B1"] == pytest.approx((14.920133, -1.337918), abs=1e-5)


def test_values_of_drivers():
    file = path("crank_rocker")
    by_degrees = json.loads(run(file, "--at", "motor=30", "--json").stdout)
    by_radians = json.loads(run(file, "--at", f"motor={math.pi / 6} rad", "--json").stdout)
    assert by_degrees["drivers"]["motor"] == pytest.approx(30)
    assert by_degrees["assemblies"][0]["points"]["C"] == pytest.approx(by_radians["assemblies"][0]["points"]["C"])
    assert json.loads(run(file, "--time", "0.25", "--json").stdout)["drivers"]["motor"] == pytest.approx(150, abs=1e-3)


def test_no_assembly_exits_with_1_and_a_reason(tmp_path):
    picture = tmp_path / "none.svg"
    result = run(path("platform_3rpr"), "--at", "top=60", "--plot", picture)
    assert result.exit_code == 1
    assert "does not close" in " ".join(result.output.split())
    assert picture.exists()
    (text,) = draw_assemblies(sk.load(path("platform_3rpr")).assemblies(drivers={"top": 0.6})).texts
    assert "does not close" in text.get_text()


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--at", "moter=3"], "did you mean 'motor'"),
        (["--at", "motor"], "DRIVER=VALUE"),
        (["--at", "motor=3 mm"], "not an angle"),
        (["--at", "motor=nan"], "finite"),
    ],
)
def test_bad_driver_values(words, message):
    result = run(path("crank_rocker"), *words)
    assert isinstance(result.exception, InputError) and message in str(result.exception)


def test_limit():
    result = run(path("excavator"), "--limit", "3")
    assert "3 assemblies and more" in result.output


def test_panels_share_one_scale_and_name_what_is_drawn():
    found = sk.load(path("jansen_leg")).assemblies()
    figure = draw_assemblies(found, most=5)
    assert panels(figure) == [f"assembly:{k}" for k in (0, 1, 2, 3, 5)]
    limits = {tuple(round(x, 9) for x in (*ax.get_xlim(), *ax.get_ylim())) for ax in figure.axes}
    assert len(limits) == 1
    texts = [text.get_text() for text in figure.texts]
    assert any(
        "8 assemblies" in text and "5 drawn; * the assembly of the sketch" in " ".join(text.split()) for text in texts
    )
    heads = [ax.get_title(loc="left") for ax in figure.axes]
    assert heads[0].startswith("0   group 2: +") and all("certified" in head for head in heads)


def test_names_are_not_read_as_markup():
    m = sk.Mechanism(
        "[red]$x$",
        points={"A": (0, 0), "B": (0, 1), "C": (3, 2), "D": (3, 0)},
        links={"ground": ["A", "D"], "crank": ["A", "B"], "[b]": ["B", "C"], "rocker": ["D", "C"]},
        drivers={"motor": {"joint": "A", "speed": 1}},
    )
    assert "[red]" in str(assemblies_table(m.assemblies()).title)
    assert len(panels(draw_assemblies(m.assemblies()))) == 2
