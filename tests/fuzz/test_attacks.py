"""Hostile values that were tried by hand, as kinds: each was once a traceback, or had no end."""

from __future__ import annotations

import json
import os

import numpy as np
import pytest

import structkin as sk
from structkin import design
from structkin.examples import path

m = sk.load(path("crank_rocker"))

#: No file can have these names.
NAMES = ["a\0b", "\ud800", "a" * 5000]
WRITERS = {
    "save": lambda name: m.save(f"{name}.toml"),
    "save as DXF": lambda name: m.save(f"{name}.dxf"),
    "report": lambda name: m.report(f"{name}.html", samples=3),
    "worksheet": lambda name: sk.load(path("one_cylinder_engine")).solve(samples=3).forces().worksheet(f"{name}.html"),
    "candidates": lambda name: sk.synthesise(path=[(0, 0), (1, 0.2), (2, 0)], kinds=["four-bar"], count=1).save(name),
    "arrays": lambda name: sk.Linkages.random(2, 4).save(name),
    "study": lambda name: sk.study(m, {"lengths.B-C": [0.11]}, samples=3, measures=["path.C"], to=f"{name}.zarr"),
}


@pytest.mark.skipif(os.name == "nt", reason="other names are no names there")
@pytest.mark.parametrize("name", NAMES, ids=["zero", "surrogate", "long"])
@pytest.mark.parametrize("writer", WRITERS)
def test_what_is_no_name_of_a_file_is_refused(writer, name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(sk.InputError):
        WRITERS[writer](name)


STORES = {
    "a list": {"structkin_study": "[1, 2]"},
    "no mechanism": {"structkin_study": json.dumps({"parameters": [], "measures": []})},
    "numbers for names": {"structkin_study": json.dumps({"mechanism": {}, "parameters": [1], "measures": 5})},
    "deep": {"structkin_study": "[" * 100_000},
    "no arrays": {"structkin_study": json.dumps({"mechanism": m.source_dict, "parameters": ["a"], "measures": ["b"]})},
}


@pytest.mark.parametrize("attributes", [*STORES, "no group"])
def test_a_store_that_is_none_of_a_study_is_refused(attributes, tmp_path):
    pytest.importorskip("zarr")
    folder = tmp_path / "a.zarr"
    folder.mkdir()
    group = {"zarr_format": 3, "node_type": "group", "attributes": STORES.get(attributes)}
    (folder / "zarr.json").write_text(json.dumps(group if attributes in STORES else []))
    with pytest.raises(sk.InputError, match="is not the store of a study"):
        sk.Study.open(folder)
    with pytest.raises(sk.InputError, match="store of a"):
        sk.study(m, {"lengths.B-C": [0.11]}, samples=3, measures=["path.C"], to=folder)


def test_a_store_of_format_2_is_not_read(tmp_path):
    """Its arrays may be pickled, and what reads a pickle runs it; structkin writes format 3."""
    pytest.importorskip("zarr")
    good, bad = tmp_path / "good.zarr", tmp_path / "bad.zarr"
    sk.study(m, {"lengths.B-C": [0.11]}, samples=3, measures=["path.C"], to=good)
    about = json.loads((good / "zarr.json").read_text())["attributes"]
    bad.mkdir()
    (bad / ".zgroup").write_text('{"zarr_format": 2}')
    (bad / ".zattrs").write_text(json.dumps(about))
    with pytest.raises(sk.InputError, match="is not the store of a study"):
        sk.Study.open(bad)


@pytest.mark.parametrize(
    ("values", "slopes", "words"),
    [
        (None, None, "no finite numbers"),
        (np.array([np.nan]), np.zeros((1, 1)), "no finite numbers"),
        (np.zeros(0), np.zeros((0, 1)), "no finite numbers"),
        (np.array(["a"]), np.zeros((1, 1)), "no finite numbers"),
        (np.zeros(3), np.zeros((1, 1)), r"the shape \(1, 1\), not \(3, 1\)"),
        (np.zeros(3), None, r"the shape \(\), not \(3, 1\)"),
    ],
)
def test_a_measure_of_ones_own_has_numbers_and_their_derivatives(values, slopes, words):
    own = sk.Measure("mine", lambda motion: values, lambda motion, names: slopes)
    for objective, limits in (([own], []), ([design.stroke("rocker")], [sk.Limit(own, 0.0, 1.0)])):
        with pytest.raises(sk.InputError, match=words):
            m.optimise({"lengths.B-C": (0.1, 0.2)}, objective, limits=limits, samples=5)


WISHES = {
    "a million points": lambda: sk.synthesise(path=np.random.default_rng(0).random((10**6, 2))),
    "a pivot at 1e300": lambda: sk.synthesise(path=[(0, 0), (1, 0.2), (2, 0)], pivots=[(1e300, 0)]),
    "a point at 1e300": lambda: sk.synthesise(path=[(0, 0), (1e300, 0.2), (2, 0)]),
    "20,000 positions": lambda: sk.synthesise_positions(np.random.default_rng(0).random((20_000, 3))),
    "a position at 1e300": lambda: sk.synthesise_positions([(0, 0, 0), (1e300, 0, 1), (0, 1, 2)]),
    "a seed below zero": lambda: sk.study(
        m, {"lengths.B-C": (0.1, 0.2)}, plan="sobol", variants=2, seed=-1, measures=[]
    ),
    "a column that is a list": lambda: m.compare_measured("none.csv", columns={"t": [], "B.x": "x"}),
    "a measure that is no function": lambda: m.solve_many(lengths={"B-C": [0.1]}, measures={"a": "zzz"}),
}


@pytest.mark.parametrize("wish", WISHES)
def test_what_has_no_end_or_no_numbers_is_refused_at_once(wish):
    with pytest.raises(sk.InputError):
        WISHES[wish]()


def test_a_candidate_whose_motion_takes_too_many_steps_is_left_out():
    """One of them ended the whole search with the error of its own motion."""
    assert isinstance(sk.synthesise_positions(np.random.default_rng(0).random((100, 3)), count=1), sk.Candidates)
