"""A link may have the name of a point or joint: every output is that of the same mechanism with other names."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

import structkin as sk
from structkin.cli import app
from structkin.files.writers.sheets import sheets_of
from structkin.report import content
from structkin.show import draw_schematic, plot_motion, to_xarray
from structkin.show.columns import motion_to_dict
from structkin.show.view import motion_of
from structkin.studio.references import delete, rename

#: The names of the links of a four-bar, and those of its points.
OWN = {"crank": "crank", "coupler": "coupler", "rocker": "rocker"}
SHARED = {"crank": "A", "coupler": "P", "rocker": "C"}


def four_bar(names: dict[str, str], **options: Any) -> sk.Mechanism:
    return sk.Mechanism(
        "Four-bar",
        points={"A": (0, 0), "B": (1, 0.5), "C": (3, 2.5), "D": (4, 0), "P": (2.5, 3)},
        links={
            "ground": ["A", "D"],
            names["crank"]: {"points": ["A", "B"], "mass": 1, "center": [0.5, 0.25]},
            names["coupler"]: ["B", "C", "P"],
            names["rocker"]: ["C", "D"],
        },
        **{"drivers": {"motor": {"joint": "A", "speed": 2 * np.pi}}, "duration": 1.0, **options},
    )


@pytest.fixture(scope="module")
def both() -> Any:
    return four_bar(OWN).solve(25), four_bar(SHARED).solve(25)


def test_coefficients(both):
    own, shared = both
    for link, name in SHARED.items():
        np.testing.assert_array_equal(shared.K(name, kind="point"), own.K(name))
        np.testing.assert_array_equal(shared.L(name, kind="point"), own.L(name))
        np.testing.assert_array_equal(shared.convective(name, kind="point"), own.convective(name))
        assert shared.drivers_of(name, kind="point") == own.drivers_of(name)
        np.testing.assert_array_equal(shared.K(name, kind="link"), own.K(link))
        np.testing.assert_array_equal(shared.L(name, kind="link"), own.L(link))
        np.testing.assert_array_equal(shared.convective(name, kind="link"), own.convective(link))
        assert shared.drivers_of(name, kind="link") == own.drivers_of(link) == ("motor",)
        advantage = shared.mechanical_advantage(name, kind="link")
        np.testing.assert_array_equal(advantage, own.mechanical_advantage(link))


def test_a_name_without_its_kind_is_not_guessed(both):
    _, shared = both
    for verb in (shared.K, shared.L, shared.convective, shared.drivers_of, shared.mechanical_advantage):
        with pytest.raises(sk.InputError, match='C: is both a point and a link; pass kind="point" or kind="link"'):
            verb("C")
    with pytest.raises(sk.InputError, match="'joint' is unknown; known: point, link"):
        shared.K("C", kind="joint")
    with pytest.raises(sk.InputError, match="is that of a point"):
        shared.K("C", link="P", kind="link")


def test_a_slide_and_a_link_of_one_name():
    m = sk.Mechanism(
        points={"A": (0, 0), "B": (1, 1), "C": (4, 0)},
        links={"ground": ["A"], "crank": ["A", "B"], "ram": ["B", "C"], "block": ["C"]},
        joints={"ram": {"type": "prismatic", "links": ["block", "ground"], "at": "C", "axis": [1, 0]}},
        drivers={"motor": {"joint": "A", "speed": 1.0}},
    )
    motion = m.solve(t=[0.0, 0.3])
    with pytest.raises(sk.InputError, match="ram: is both a joint and a link"):
        motion.mechanical_advantage("ram")
    np.testing.assert_allclose(1 / motion.mechanical_advantage("ram", kind="link"), motion.omega("ram"), rtol=1e-12)
    by_joint = 1 / motion.mechanical_advantage("ram", kind="joint")
    np.testing.assert_allclose(np.abs(by_joint), np.abs(motion.velocity("C")[:, 0]), rtol=1e-12)


def test_tables(both, tmp_path):
    own, shared = both
    renamed = {name: link for link, name in SHARED.items()}
    rows = []
    for motion in both:
        motion.to_csv(tmp_path / "motion.csv", kl=True)
        with open(tmp_path / "motion.csv", encoding="utf-8") as file:
            heads, _, *lines = list(csv.reader(file))
        rows.append((heads, [line[:-2] for line in lines]))
    of_links = ("angle", "omega", "alpha", "K.motor", "L.motor.motor")

    def uncommon(head: str) -> str:
        part, _, quantity = head.partition(".")
        return f"{renamed.get(part, part)}.{quantity}" if quantity in of_links else head

    assert [uncommon(head) for head in rows[1][0]] == rows[0][0] and rows[0][1] == rows[1][1]
    data, other = (motion_to_dict(motion, kl=True) for motion in both)
    assert data["points"] == other["points"]
    assert data["links"] == {renamed[name]: values for name, values in other["links"].items()}
    for one, two in zip(sheets_of(own), sheets_of(shared), strict=True):
        assert len(one.columns) == len(two.columns)
        assert one.title in ("structure", "mechanism") or one.columns[:-1] == two.columns[:-1]
    for name, array in to_xarray(own).data_vars.items():
        np.testing.assert_array_equal(array, to_xarray(shared)[name])


def test_report_and_pictures(both):
    pages = [content(motion.mechanism, motion_of(motion.mechanism, 25)) for motion in both]
    for link, name in SHARED.items():
        assert pages[0]["coefficients"]["links"][link] == pages[1]["coefficients"]["links"][name]
    assert pages[0]["coefficients"]["points"] == pages[1]["coefficients"]["points"]
    centres = [[(pair["x"], pair["y"]) for pair in page["centres"]["pairs"]] for page in pages]
    assert centres[0] == centres[1]
    figure = plot_motion(both[1], "C", kl=True)
    assert {len(ax.lines) for ax in figure.axes} == {1, 2}
    assert draw_schematic(both[1].mechanism, motion=both[1], trace=["P"])


def test_commands(tmp_path):
    file = tmp_path / "shared.toml"
    four_bar(SHARED).save(file)
    for words in (
        ["solve", file, "--kl", "--csv", tmp_path / "m.csv", "--schematic", tmp_path / "m.svg", "--of", "C"],
        ["solve", file, "--kl", "--plot", tmp_path / "k.svg", "--of", "P"],
        ["report", file, "-o", tmp_path / "m.html"],
        ["convert", file, tmp_path / "m.xlsx"],
        ["convert", file, tmp_path / "m.xml"],
        ["forces", file],
    ):
        result = CliRunner().invoke(app, [str(word) for word in words])
        assert result.exit_code == 0, result.output
    assert "path:C" in Path(tmp_path / "m.svg").read_text(encoding="utf-8")


def test_a_start_is_that_of_the_link_or_of_the_point():
    free: dict[str, Any] = {"drivers": {"motor": {"joint": "A"}}, "duration": None}
    for data in ({"omega": 2.0}, {"vx": 1.0}):
        own, shared = (four_bar(names, **free, initial={name: data}).simulate(0.1, samples=3)
                       for names, name in ((OWN, "rocker" if "omega" in data else "C"), (SHARED, "C")))  # fmt: skip
        np.testing.assert_array_equal(shared.position("C"), own.position("C"))


@pytest.mark.parametrize(("state", "section"), [({"omega": 2.0}, "links"), ({"vx": 1.0}, "points")])
def test_a_start_in_the_studio_goes_with_what_it_is_that_of(state, section):
    data = {**four_bar(SHARED).source_dict, "initial": {"P": state}}
    kept, moved, gone = (json.loads(json.dumps(data)) for _ in range(3))
    rename(kept, "points" if section == "links" else "links", "P", "Q")
    rename(moved, section, "P", "Q")
    delete(gone, section, "P")
    assert [one["initial"] for one in (kept, moved, gone)] == [{"P": state}, {"Q": state}, {}]
