"""The mechanism itself: equivalent inputs, immutability, small size."""

from __future__ import annotations

import copy
import json
import pickle
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest
from model_samples import CRANK_ROCKER_TOML, EVERYTHING

from structkin import Builder, Mechanism, load
from structkin.errors import InputError
from structkin.joints.guide import Guide
from structkin.model import Units


def parts(m: Mechanism) -> tuple[Any, ...]:
    links = {
        name: (link.points, dict(link.local), link.origin, link.direction, link.mass, link.center, link.inertia)
        for name, link in m.links.items()
    }
    return (
        m.title,
        m.units,
        m.topology,
        dict(m.places),
        links,
        dict(m.joints.of(Guide)),
        dict(m.drivers),
        m.forces,
        dict(m.initial),
        m.duration,
    )


@pytest.fixture
def crank_rocker(tmp_path: Path) -> Mechanism:
    (tmp_path / "four_bar.toml").write_text(CRANK_ROCKER_TOML)
    return load(tmp_path / "four_bar.toml")


def test_the_crank_rocker_of_the_design(crank_rocker: Mechanism) -> None:
    m = crank_rocker
    assert m.title == "Crank-rocker"
    assert m.units == Units("mm", "deg", "kg")
    assert list(m.links) == ["ground", "crank", "coupler", "rocker"]
    assert [joint.id for joint in m.topology.joints] == ["A", "B", "C", "D"]
    assert m.places["B"] == pytest.approx(0.0152)
    assert m.links["crank"].local["B"] == pytest.approx(0.015)
    assert m.drivers["motor"].law is not None
    assert m.drivers["motor"].law.speed == pytest.approx(6.283185307179586)
    assert m.forces.gravity == -9.81j
    spring = m.forces.springs["return"]
    assert spring.ends == (("coupler", "P"), ("ground", "D"))
    assert (spring.stiffness, spring.free_length, spring.damping) == (500, pytest.approx(0.04), 2)
    assert [m.link_of(point) for point in "ABCDP"] == ["ground", "crank", "coupler", "ground", "coupler"]


def test_toml_json_dict_keywords_and_builder_give_the_same(crank_rocker: Mechanism, tmp_path: Path) -> None:
    data = tomllib.loads(CRANK_ROCKER_TOML)
    (tmp_path / "four_bar.json").write_text(json.dumps(data))
    title = data.pop("title")
    builder = (
        Builder(title)
        .units(length="mm", angle="deg", mass="kg")
        .points(A=(0, 0), B=(15.2, 0), C=(42.3, 30.29), D=(45.72, 0))
        .points({"P": (20.5, 35.4)})
        .links(ground=["A", "D"], crank=["A", "B"])
        .links(coupler={"points": ["B", "C", "P"], "mass": 0.6, "center": [28, 20], "inertia": 4e-4}, rocker=["C", "D"])
        .length("A", "B", 15)
        .drive("motor", joint="A", speed="60 rpm")
        .gravity(0, -9.81)
        .spring("return", between=["P", "D"], stiffness=500, free_length=40, damping=2)
    )
    others = [
        load(tmp_path / "four_bar.json"),
        load(str(tmp_path / "four_bar.json")),
        Mechanism.from_dict({"title": title, **data}),
        Mechanism(title, **data),
        builder.build(),
        Mechanism.from_dict(builder.to_dict()),
        Mechanism.from_dict(crank_rocker.source_dict),
    ]
    for other in others:
        assert parts(other) == parts(crank_rocker)


def test_the_builder_has_every_section() -> None:
    builder = (
        Builder("Everything")
        .units(length="mm", angle="deg")
        .points(EVERYTHING["points"])
        .links(EVERYTHING["links"])
        .length("A", "B", 20)
        .prismatic("guide", links=["block", "ground"], at="E", axis=[1, 0])
        .slot("slot", pin="B", slot="arm", axis=[0, 1])
        .drive("motor", joint="A", speed="60 rpm")
        .drive("ram", between=["D", "E"], speed="10 mm/s")
        .drive("free", links=["ground", "arm"])
        .gravity(0, -9.81)
        .force("spring", type="spring", between=["B", "D"], stiffness="3 N/mm")
        .initial("free", value=10, speed="1 rad/s")
        .duration(2)
    )
    assert parts(builder.build()) == parts(Mechanism.from_dict(EVERYTHING))
    assert repr(builder) == "<Builder 'Everything'>"


def test_units_of_python_are_si() -> None:
    m = Mechanism(points={"A": [0, 0], "B": [2, 0]}, links={"ground": ["A"], "bar": ["A", "B"]})
    assert m.places["B"] == 2
    assert m.units == Units()


def test_frozen(crank_rocker: Mechanism) -> None:
    with pytest.raises(AttributeError, match="immutable"):
        crank_rocker.title = "x"
    with pytest.raises(AttributeError, match="immutable"):
        del crank_rocker.title
    for table in (crank_rocker.points, crank_rocker.links, crank_rocker.links["crank"].local, crank_rocker.drivers):
        with pytest.raises(TypeError):
            table["A"] = 0  # type: ignore[index]  # the test writes to a read-only mapping
    crank_rocker.source_dict["points"]["A"][0] = 99
    assert crank_rocker.source_dict["points"]["A"] == [0, 0]


def test_the_source_data_may_change_afterwards() -> None:
    data = copy.deepcopy(EVERYTHING)
    m = Mechanism.from_dict(data)
    data["points"]["A"][0] = 99
    assert m.source_dict == EVERYTHING


def test_hash_copy_and_pickle(crank_rocker: Mechanism) -> None:
    assert {crank_rocker: 1}[crank_rocker] == 1
    assert copy.copy(crank_rocker) is copy.deepcopy(crank_rocker) is crank_rocker
    other = pickle.loads(pickle.dumps(crank_rocker))
    assert other != crank_rocker
    assert parts(other) == parts(crank_rocker)


def test_repr(crank_rocker: Mechanism) -> None:
    assert repr(crank_rocker) == "<Mechanism 'Crank-rocker': 4 links, 4 joints, 1 driver>"


def test_link_of_an_unknown_point(crank_rocker: Mechanism) -> None:
    with pytest.raises(InputError, match="no link has a point 'PP'; did you mean 'P'"):
        crank_rocker.link_of("PP")


def test_links_and_points_may_share_names() -> None:
    m = Mechanism(points={"A": [0, 0], "B": [1, 0]}, links={"ground": ["A"], "A": ["A", "B"]})
    assert m.topology.joint("A").links == ("ground", "A")


def test_free_coordinates_have_initial_values() -> None:
    m = Mechanism.from_dict(EVERYTHING)
    assert m.initial["free"].value == pytest.approx(0.17453292519943295)
    assert m.initial["free"].speed == 1
    assert m.duration == 2
    assert m.forces.springs["spring"].free_length == pytest.approx(0.08)


def test_a_byte_order_mark_and_windows_lines(tmp_path: Path) -> None:
    path = tmp_path / "four_bar.TOML"
    path.write_bytes(b"\xef\xbb\xbf" + CRANK_ROCKER_TOML.replace("\n", "\r\n").encode())
    assert load(path).title == "Crank-rocker"


def test_long_chains_are_read_quickly() -> None:
    n = 5000
    points = {f"P{i}": [i, i % 2] for i in range(n + 1)}
    links = {"ground": ["P0"], **{f"l{i}": [f"P{i}", f"P{i + 1}"] for i in range(n)}}
    lengths = {f"P{i}-P{i + 1}": 1.5 for i in range(n)}
    m = Mechanism(points=points, links=links, lengths=lengths)
    assert len(m.topology.joints) == n


def test_importing_the_model_imports_no_slow_library() -> None:
    code = "import sys, structkin.model; print([m for m in ('scipy', 'matplotlib', 'pydantic') if m in sys.modules])"
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert result.stdout.strip() == "[]"
