"""DXF: ezdxf reads the written file, with its coordinates, layers and unit."""

from __future__ import annotations

import os
import re
import sys

import numpy as np
import pytest
from cases import few

import structkin as sk
from structkin.examples import names, path
from structkin.files.writers.dxf import group_layer

ezdxf = pytest.importorskip("ezdxf")
extents = pytest.importorskip("ezdxf.bbox").extents


def written(mechanism, folder, motion=None):
    mechanism.save(folder / "x.dxf", motion=motion)
    document = ezdxf.readfile(folder / "x.dxf")
    assert not document.audit().errors
    return document


def places(entity):
    return np.array([point[:2] for point in entity.get_points()]) @ [1, 1j]


@pytest.mark.parametrize("name", few(names(), 8))
def test_every_example_has_its_points_where_they_are_sketched(name, tmp_path):
    mechanism = sk.load(path(name))
    document = written(mechanism, tmp_path)
    page, scale = document.modelspace(), mechanism.units.length_scale
    found = {complex(*point.dxf.location.vec2) for point in page.query("POINT")}
    held = {place / scale for place in mechanism.places.values()}
    assert all(min(abs(a - b) for b in held) < 1e-12 * max(map(abs, held)) for a in found)
    layers = {layer.dxf.name for layer in document.layers}
    structure = mechanism.structure()
    assert {group_layer(group.index, group.kind) for group in structure.groups} <= layers
    assert {entity.dxf.layer for entity in page} <= layers
    names_of = {text.dxf.text for text in page.query("TEXT")}
    assert {point for link in mechanism.links.values() for point in link.local} <= names_of
    assert not page.query('LWPOLYLINE[layer=="PATHS"]')


UNITS = [("mm", 4), ("m", 6), ("in", 1), ("ft", 2), ("cm", 5), ("um", 13), ("km", 7), ("dm", 14)]


@pytest.mark.parametrize(("unit", "places"), [("um", 5_000_000 + 0j), ("m", 0j), ("km", -300 + 900j)])
def test_a_program_that_opens_the_file_shows_the_whole_drawing(unit, places, tmp_path):
    data = sk.load(path("crank_rocker")).source_dict
    data["units"]["length"] = unit
    data["points"] = {name: [x + places.real, y + places.imag] for name, (x, y) in data["points"].items()}
    mechanism = sk.Mechanism.from_dict(data)
    document = written(mechanism, tmp_path, mechanism.solve(37))
    [view] = document.viewports.get("*Active")
    box = extents(document.modelspace().query("LWPOLYLINE CIRCLE POINT"))
    centre, half = np.array([*view.dxf.center.vec2]), view.dxf.height / 2
    low, high = centre - half, centre + half
    assert all(low[k] < box.extmin[k] and box.extmax[k] < high[k] for k in (0, 1))
    assert view.dxf.height < 1.5 * max(box.size.x, box.size.y)


@pytest.mark.parametrize(("unit", "code"), UNITS)
def test_the_unit_is_that_of_the_file(unit, code, tmp_path):
    data = sk.load(path("crank_rocker")).source_dict
    data["units"]["length"] = unit
    document = written(sk.Mechanism.from_dict(data), tmp_path)
    assert document.header["$INSUNITS"] == document.units == code
    bar = document.modelspace().query('LWPOLYLINE[layer=="GROUP 1 driven R"]')[0]
    assert np.allclose(places(bar), [0, 20 + 34.641j], atol=1e-12)


def test_paths_of_a_motion_are_polylines_of_its_poses(tmp_path):
    mechanism = sk.load(path("crank_rocker"))
    motion = mechanism.solve(samples=37)
    page = written(mechanism, tmp_path, motion).modelspace()
    paths = page.query('LWPOLYLINE[layer=="PATHS"]')
    assert len(paths) == 3 and all(path.closed for path in paths)
    for point in "BCP":
        want = motion.position(point)[:-1] @ [1, 1j] / 1e-3
        assert min(np.abs(places(path) - want).max() for path in paths) < 1e-10
    # The links are drawn in the first pose: exact lengths, and the groups' layers have their links.
    (crank,) = page.query('LWPOLYLINE[layer=="GROUP 1 driven R"]')
    assert np.isclose(abs(np.diff(places(crank))[0]), 40, atol=1e-12)
    bars = page.query('LWPOLYLINE[layer=="GROUP 2 RRR"]')
    assert any(np.isclose(abs(np.diff(places(bar))[0]), 80, atol=1e-9) for bar in bars)
    pins = page.query('CIRCLE[layer=="JOINTS"]')
    assert {complex(np.round(complex(*pin.dxf.center.vec2), 9)) for pin in pins} == {
        complex(np.round(complex(*motion.position(pin)[0]) / 1e-3, 9)) for pin in "ABCD"
    }


def test_a_path_is_broken_where_there_is_no_pose(tmp_path):
    data = sk.load(path("triple_rocker")).source_dict
    data["drivers"]["motor"] = {"joint": "A", "law": "150*sin(2*pi*t)"}
    mechanism = sk.Mechanism.from_dict(data)
    motion = mechanism.solve(samples=101)
    assert not motion.ok.all()
    paths = written(mechanism, tmp_path, motion).modelspace().query('LWPOLYLINE[layer=="PATHS"]')
    # C is known in three runs of samples; B, on the crank, everywhere.
    broken = [path for path in paths if len(path) < 100]
    assert len(broken) == 3 and not any(path.closed for path in broken)
    assert sum(len(path) for path in broken) == np.isfinite(motion.position("C")[:, 0]).sum()


def test_without_ezdxf_the_extra_is_named(tmp_path, monkeypatch):
    for name in ("ezdxf", "ezdxf.colors"):
        monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(sk.InputError, match=r'needs ezdxf, which is not installed; pip install "structkin\[dxf\]"'):
        sk.load(path("crank_rocker")).save(tmp_path / "x.dxf")
    assert not os.listdir(tmp_path)


def test_names_and_points_are_visible_on_any_background(tmp_path):
    layers = written(sk.load(path("excavator")), tmp_path).layers
    for name in ("NAMES", "JOINTS", "POINTS", "PATHS"):
        assert layers.get(name).dxf.color == 7 and not layers.get(name).dxf.hasattr("true_color")
    assert layers.get("DRIVERS").dxf.hasattr("true_color")


NAMES = ["A^I", "^a", "%%d", "5%", "100%%65", "%%%", "^^ %%%%"]


def resolved(text):
    """What a CAD program shows: "%%%" stands for a percent sign, and "^ " for a caret (AutoCAD's control codes)."""
    return re.sub(r"%%%|\^ ", lambda code: code[0][0], text)


@pytest.mark.parametrize("name", NAMES)
def test_names_are_read_back_as_they_are_written(name, tmp_path):
    """DXF has codes that begin with ^ and %%."""
    b = sk.Builder().points({name: (0, 0), "B": (1, 0)}).links(ground=[name], bar=[name, "B"])
    document = written(b.build(), tmp_path)
    assert name in {resolved(text.dxf.text) for text in document.modelspace().query("TEXT")}
