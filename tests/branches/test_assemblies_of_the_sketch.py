"""The assembly of the sketch: chosen lazily with any limit, and known even where the modes are not enumerated."""

from __future__ import annotations

import json
import math
import pickle
import sys
from pathlib import Path

import numpy as np
import pytest
from cases import few
from typer.testing import CliRunner

import structkin as sk
from structkin.bench.groups import platforms
from structkin.branches.assemblies import Assemblies
from structkin.cli import app
from structkin.examples import names, path
from structkin.show.assemblies_figure import assemblies_table, draw_assemblies

sys.path.append(str(Path(__file__).parents[1] / "global_methods"))
from coordinate_samples import SLOTS, circular_slot


def fan(n, side):
    """n dyads on one crank, all drawn to one side: 2^n assemblies."""
    crank = 1 + 0.2j
    points, links = {"O": (0, 0), "A": (1, 0.2)}, {"ground": ["O"], "crank": ["O", "A"]}
    for k in range(n):
        pivot = 5 * np.exp(2j * math.pi * k / n)
        knee = (crank + pivot) / 2 + 2j * side * (pivot - crank) / abs(pivot - crank)
        points |= {f"D{k}": (pivot.real, pivot.imag), f"B{k}": (knee.real, knee.imag)}
        links["ground"] = [*links["ground"], f"D{k}"]
        links |= {f"rod{k}": ["A", f"B{k}"], f"bar{k}": [f"D{k}", f"B{k}"]}
    return sk.Mechanism("Fan", points=points, links=links, drivers={"motor": {"joint": "O", "speed": 1}})


def geared_by_its_rods():
    data = dict(sk.load(path("geared_five_bar")).source_dict)
    return sk.Mechanism.from_dict(
        {**data, "drivers": {"motor": {"links": ["left_rod", "right_rod"], "speed": "60 rpm"}}}
    )


@pytest.mark.parametrize("side", [1, -1])
@pytest.mark.parametrize("limit", [1, 7, None])
def test_the_sketch_is_chosen_with_any_limit(side, limit):
    m = fan(11, side)
    chosen = m.assembly(limit=limit)
    assert chosen.distance() < 1e-12 and chosen.certified
    assert {modes for modes in chosen.modes if modes} == {chosen.modes[1]}
    assert m.assemblies(limit=limit).nearest().distance() < 1e-12


def test_the_sketch_is_chosen_without_a_search(monkeypatch):
    def search(self):
        raise AssertionError("searched")

    monkeypatch.setattr(Assemblies, "_next", search)
    assert fan(40, -1).assembly().distance() < 1e-12


@pytest.mark.parametrize("name", few(names(), 12))
def test_examples_choose_their_sketch_with_any_limit(name):
    m = sk.load(path(name))
    few, many = m.assembly(limit=1), m.assembly()
    assert few.modes == many.modes and few.distance() == many.distance() <= 0.03 * few.motion.size
    assert m.assemblies()[many.index].modes == many.modes


def test_it_is_where_the_motion_from_the_sketch_leads():
    m = sk.load(path("jansen_leg"))
    motion = m.solve(t=[0.0, 0.3, 0.6])
    for t, k in ((0.3, 1), (0.6, 2)):
        chosen = m.assembly(t=t)
        for point in m.points:
            assert chosen.position(point) == pytest.approx(motion.position(point)[k], abs=1e-10)


def test_whole_turns_are_those_of_the_motion():
    """The wheels of a mechanism with gears have turned as far as the motion turns them."""
    m = sk.load(path("geared_five_bar"))
    value = m.drivers["motor"].start + 5.0
    motion = m.solve(drivers={"motor": [value]})
    assert m.assembly(drivers={"motor": value}).position("P") == pytest.approx(motion.position("P")[0], abs=1e-10)


def test_its_index_is_counted_on_demand():
    m = fan(3, -1)
    assert m.assembly().index == 7 and repr(m.assembly()).startswith("<Assembly of the sketch")
    assert m.assembly(limit=3).index is None
    assert pickle.loads(pickle.dumps(m.assembly())).index == 7
    again = pickle.loads(pickle.dumps(m.assemblies(limit=3)))
    assert len(list(again)) == 3 and again.truncated


def test_where_nothing_closes_there_is_none():
    m = sk.Mechanism(
        points={"A": (0, 0), "B": (2, 1), "C": (3.5, 2), "D": (3, 0)},
        links={"ground": ["A", "D"], "crank": ["A", "B"], "coupler": ["B", "C"], "rocker": ["D", "C"]},
        drivers={"motor": {"joint": "A", "speed": 1}},
    )
    with pytest.raises(sk.PoseError, match="does not close"):
        m.assembly(drivers={"motor": math.pi})
    assert m.assemblies(drivers={"motor": math.pi}).followed is None


def test_the_table_and_the_picture_show_it_beyond_the_limit():
    result = CliRunner().invoke(app, ["assemblies", str(path("jansen_leg")), "--limit", "3", "--json"])
    data = json.loads(result.stdout)
    m = sk.load(path("jansen_leg"))
    assert len(data["assemblies"]) == 3 and data["truncated"] and not data["complete"]
    assert data["followed"]["modes"] == [list(modes) for modes in m.assembly().modes]
    assert data["followed"]["index"] is None
    found = m.assemblies(limit=3)
    table = assemblies_table(found)
    assert table.row_count == 4 and str(list(table.columns[0].cells)[3]) == "*"
    heads = [ax.get_title(loc="left") for ax in draw_assemblies(m.assemblies(), most=3).axes]
    assert sum("*" in head for head in heads) == 1 and len(heads) == 3


# --- groups that are not enumerated ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("m", "group", "why"), [(platforms(9), 1, "too many modes"), (geared_by_its_rods(), 0, "gears")]
)
def test_a_group_that_is_not_enumerated_has_the_pose_of_the_sketch(m, group, why):
    found = m.assemblies()
    item = found.followed
    assert item.index is not None and found[item.index].modes == item.modes
    assert item.distance() < 1e-9 * item.motion.size and item.residual < 1e-12
    assert item.unlisted == (group,) and not item.singular
    assert item.motion.status[0] == sk.Status.OK and "not all known" in item.verdict
    assert not found.complete and not found.dead_ends and not found.truncated
    assert why in found.unlisted[group]
    assert "; there may be more" in found.report and why in found.report
    assert "does not close" not in found.report
    assert m.assembly().distance() < 1e-9 * item.motion.size
    other = m.assembly().mechanism().solve(drivers={id: [value] for id, value in item.drivers.items()}, strict=True)
    assert other.ok.all()


def test_the_pose_of_a_group_that_is_not_enumerated_may_be_certified():
    """Smale's alpha test needs the equations, not all their solutions."""
    assert platforms(9).assembly().certified
    assert not geared_by_its_rods().assembly().certified


def test_it_moves_with_the_drivers_and_ends_where_the_motion_does():
    m = geared_by_its_rods()
    start = m.drivers["motor"].start
    motion = m.solve(drivers={"motor": [start + 0.2]})
    assert m.assembly(drivers={"motor": start + 0.2}).position("P") == pytest.approx(motion.position("P")[0])
    gone = m.assemblies(drivers={"motor": start + 3.0})
    assert gone.followed is None and not gone.complete and "there may be more" in gone.report


def test_the_command_reports_it_and_exits_with_0(tmp_path):
    import tomllib

    text = path("geared_five_bar").read_text(encoding="utf-8")
    old = 'motor = { joint = "A", speed = "60 rpm" }'
    assert old in text and tomllib.loads(text)
    file = tmp_path / "rods.toml"
    file.write_text(text.replace(old, 'motor = { links = ["left_rod", "right_rod"], speed = "60 rpm" }'), "utf-8")
    result = CliRunner().invoke(app, ["assemblies", str(file)])
    words = " ".join(result.output.split())
    assert result.exit_code == 0 and " * " in words and "there may be more" in words
    assert "does not close" not in words


def test_circuits_of_a_group_that_is_not_enumerated_are_refused():
    with pytest.raises(sk.InputError, match="gears"):
        geared_by_its_rods().circuits()


# --- requested modes, and limits -----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("modes", "words"),
    [
        ({1: (3,)}, "no mode 3"),
        ({1: (0,)}, "no mode 0"),
        ({1: ()}, "1 to choose"),
        ({1: (1, 1)}, "1 to choose"),
        ({0: (1,)}, "has none to choose"),
        ({1: (True,)}, "not a row of modes"),
        ({1: (1.0,)}, "not a row of modes"),
        ({1: "+"}, "not a row of modes"),
        ({-1: (1,)}, "no group -1"),
        ({"1": (1,)}, "not a mapping of whole numbers"),
        ([1, -1], "not a mapping"),
    ],
)
def test_modes_that_do_not_exist(modes, words):
    with pytest.raises(sk.InputError, match=words):
        sk.load(path("crank_rocker")).assemblies(modes=modes)


def test_a_mode_that_a_larger_group_lacks_is_reported():
    m = sk.load(path("platform_3rpr"))
    assert [item.modes for item in m.assemblies(modes={0: (4,)})] == [((4,),)]
    found = m.assemblies(modes={0: (9,)})
    assert not list(found) and "no mode 9 here; its modes are 1, 2, 3, 4, 5, 6" in found.report
    with pytest.raises(sk.InputError, match="counted from 1"):
        m.assemblies(modes={0: (0,)})


@pytest.mark.parametrize(("limit", "more"), [(1, True), (2, False), (3, False), (None, False)])
def test_whether_there_are_more_is_known_immediately(limit, more):
    assert sk.load(path("crank_rocker")).assemblies(limit=limit).truncated is more


@pytest.mark.parametrize("where", SLOTS)
def test_the_sketch_is_among_all_assemblies_with_a_circular_slot(where):
    """A distance given as |P - M|^2 = r^2 was once read as a unit vector's equation: a platform had no assembly."""
    m = circular_slot(where)
    here = np.array([m.solve(2).position(point)[0] for point in m.points])
    there = [np.array([a.position(point) for point in m.points]) for a in m.assemblies(t=0.0)]
    assert min(np.max(np.abs(a - here)) for a in there) < 1e-9
