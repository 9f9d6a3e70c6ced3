"""Files of PMKS, PMKS+, MotionGen and Pyslvs: read, moved, and checked against their raw text."""

import json
import re
from pathlib import Path

import check_joints
import foreign_samples as samples
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pmksplus_address import packed
from scipy import optimize

import structkin as sk
from structkin.cli import main
from structkin.files.readers import motiongen, pmks_json, pmks_text, pmksplus, pmksplus_packed, pyslvs, pyslvs_yaml
from structkin.files.readers.regular_sketch import with_regular_sketch

CLOSE = 1e-9


PACKED = packed(
    [("A", 0, 0, 22, 0), ("B", 3, 4, 16, 0), ("C", 18.125, -1.5, 16, 0), ("D", 18.125, -1.5, 21, 0.25)],
    {"AB": "AB", "BC": "BC", "CD": "CD"},
)

FILES = {
    "chain.txt": (samples.PMKS_TEXT, check_joints.pmks_text),
    "slot.txt": (samples.PMKS_SLOT, check_joints.pmks_text),
    "four_bar.pmks": (samples.PMKS_JSON, check_joints.pmks_json),
    "four_bar.json": (samples.PMKS_JSON, check_joints.pmks_json),
    "lists.url": (samples.PMKSPLUS, check_joints.pmksplus_lists),
    "packed.url": (f"https://app.pmksplus.com/?{PACKED}", check_joints.pmksplus_packed),
    "packed.txt": (f"{PACKED}\n", check_joints.pmksplus_packed),
    "drawn.motiongen": (samples.MOTIONGEN, check_joints.motiongen),
    "slider.txt": (samples.PYSLVS, check_joints.pyslvs),
    "project.pyslvs": (samples.PYSLVS_PROJECT, check_joints.pyslvs),
}


@pytest.mark.parametrize("name", FILES)
def test_it_moves_as_in_its_raw_text(name, tmp_path):
    text, raw = FILES[name]
    (tmp_path / name).write_text(text, encoding="utf-8")
    motion = sk.load(tmp_path / name).solve(samples=181)
    assert motion.ok.all(), motion.report
    errors = check_joints.raw_errors(raw(text), motion)
    assert len(errors) >= 2
    assert max(errors.values()) < CLOSE, errors


@pytest.mark.parametrize("name", FILES)
def test_the_check_detects_another_file(name, tmp_path):
    text, raw = FILES[name]
    (tmp_path / name).write_text(text, encoding="utf-8")
    motion = sk.load(tmp_path / name).solve(samples=91)
    other = raw(text)
    place = other.joints[1][1] + 0.01
    other.joints[1] = (other.joints[1][0], place, *other.joints[1][2:])
    assert check_joints.raw_errors(other, motion)["bars"] > 1e-5


@pytest.mark.parametrize("address", [samples.PMKSPLUS, f"https://app.pmksplus.com/?{PACKED}"])
def test_an_address_is_read_like_a_file(address, capsys):
    assert sk.load(address).topology.mobility_count == 1
    with pytest.raises(SystemExit) as ended:
        _run(["check", address])
    assert ended.value.code == 0
    assert "note: a file of PMKS+: 3 moving links, 1 input" in capsys.readouterr().out


def _run(words):
    import sys
    from unittest.mock import patch

    with patch.object(sys, "argv", ["structkin", *words]):
        main()


def test_a_bad_file_ends_a_command_with_its_problems(tmp_path, capsys):
    path = tmp_path / "bad.txt"
    path.write_text("ground,input,R,0,zero\ninput,R,1\n", encoding="utf-8")
    with pytest.raises(SystemExit) as ended:
        _run(["check", str(path)])
    assert ended.value.code == 2
    said = capsys.readouterr().err
    assert "line 1" in said
    assert "line 2" in said


def test_a_profile_of_speeds_is_followed():
    data = json.loads(samples.MOTIONGEN)
    speeds = [10.0 + 4 * np.sin(2 * np.pi * k / 360) for k in range(360)]
    data["mechanism"]["actuators"][0]["velocity"] = speeds
    found = motiongen.read(json.dumps(data))
    motion = sk.Mechanism.from_dict(found.sections).solve(samples=91)
    assert motion.ok.all()
    turned = np.degrees(motion.angle("L2") - motion.angle("L2")[0])
    assert np.isclose(turned[-1], 360)
    rates = np.interp(turned, np.arange(360), speeds) * 6
    assert np.allclose(np.gradient(turned, motion.t)[2:-2], rates[2:-2], rtol=0.02)


def test_pmks_text_may_have_blanks_for_commas():
    assert pmks_text.read(samples.PMKS_TEXT.replace(",", " ")) == pmks_text.read(samples.PMKS_TEXT)


@pytest.mark.parametrize("types", ["R R P", "r r p", "R R RP", "r R rp"])
@pytest.mark.parametrize("links", ["p rod", "r R", "rp g", "G p", "RP r", "1 r"])
def test_links_of_pmks_may_be_named_like_types(types, links, tmp_path):
    """The last word of a line that is a type is the type, as in PMKS: a crank whose rod slides in a block or a slot."""
    crank, rod = links.split()
    pin, other, slot = types.split()
    found = []
    for a, b in (("crank", "rod"), (crank, rod)):
        last = f"{b},slider,R,110,0,tfff\nground,slider,{slot}" if slot in "Pp" else f"ground,{b},{slot}"
        text = f"ground,{a},{pin},0,0,tfft\n{a},{b},{other},20,30,tfff\n{last},110,0,0,tfff\n"
        (tmp_path / f"{a}.txt").write_text(text, encoding="utf-8")
        found.append(sk.load(tmp_path / f"{a}.txt"))
    plain, named = found
    assert list(named.links)[:3] == ["ground", crank, rod]
    assert [one.kind for one in named.topology.joints] == [one.kind for one in plain.topology.joints]
    motion = named.solve(9)
    assert motion.ok.all()
    np.testing.assert_array_equal(motion.position("P3"), plain.solve(9).position("P3"))


@pytest.mark.parametrize(
    ("front", "notes"),
    [
        ("set=s-20|e5\nmech=\n", ["settings of PMKS that have no effect here: e = 5"]),
        ("set=s-20|e5\r\nmech=\r\n", ["settings of PMKS that have no effect here: e = 5"]),
        ("s = -20\nd=9\n", ["d = 9 drives nothing: joints are counted from 0 to 3"]),
        ("s=-20\nmech=", []),
    ],
)
def test_pmks_text_may_have_settings(front, notes):
    text = "ground,a,R,0,0,tfft\na,b,R,1,0\nb,c,R,4,3\nground,c,R,5,0\n"
    found = pmks_text.read(front + text)
    assert found.notes == notes and found.drivers["input P1"]["speed"] == "-20.0 rpm" and len(found.links) == 4


def test_an_address_of_pmks_may_have_lines():
    found = pmks_text.read("https://a.b/pmks.html?set=s7&mech=ground,a,R,0,0,tfft%0Aa,R,1,0|%0D%0A")
    assert found.links == {"ground": ["P1"], "a": ["P1", "P2"]} and not found.problems


def test_the_documented_pmks_text_is_a_slider_crank(tmp_path):
    text = Path("docs/other-tools.md").read_text(encoding="utf-8").partition("A slider-crank:\n\n```text\n")[2]
    file = tmp_path / "slider_crank.pmks"
    file.write_text(text.partition("```")[0])
    m = sk.load(file)
    assert len(m.slider_cranks()) == 1 and m.solve(samples=19).ok.all()


def test_welds_and_floating_slots_of_pmksplus():
    joints = [("A", 0, 0, 22, 0), ("B", 3, 4, 24, 0), ("C", 6, 4, 16, 0)]
    found = pmksplus_packed.read(packed(joints, {"AB": "AB", "BC": "BC"}))
    assert found.joints["weld B"] == {"type": "fastened", "links": ["AB", "BC"]}
    assert sk.Mechanism.from_dict(found.sections).solve(samples=9).ok.all()
    text = "0P.TY.K,0.101.MA,A,0,0,0.GE,E,Fe,0,0.GF,F,kW,0,0.KG,G,Fe,Fe,0.HS,S,QW,0,0,AE,E,F..YRAE,AE,0,0,0,0,c,A,E,F,,"
    text += ".YRGS,GS,0,0,0,0,c,G,S,,...JA"
    found = pmksplus_packed.read(text + check_joints.DIGITS[len(text) % 62])
    assert found.joints["slot of S"] == {"type": "pin-in-slot", "pin": "S", "slot": "AE", "along": ["E", "F"]}


REFUSED = {
    "a joint without a type": (pmks_text, "ground,input,0,0\n", "is not a joint"),
    "no link before the type": (pmks_text, "ground,input,R,0,0\nr,0,0\n", "'r,0,0' is not a joint"),
    "an unknown type": (pmks_text, "ground,input,R,0,0\na,b,G,1,1\n", "'G' are not understood"),
    "no joints": (pmks_json, '{"Joints": []}', "no joint"),
    "a slide on one link": (
        pmks_json,
        '{"Joints": [{"X": 0, "Y": 0, "TypeOfJoint": "P", "Links": ["a", "a"]}]}',
        "joins a link to itself",
    ),
    "links that are none": (pmks_json, '{"Joints": [{"X": 0, "Y": 0, "Links": [1]}]}', "names of links"),
    "not a list": (pmks_json, '{"Joints": 3}', "expected a list"),
    "too few values": (pmksplus, "?j=A,0,0", "expected a joint"),
    "damaged": (pmksplus_packed, PACKED[:-1], "damaged"),
    "not its digits": (pmksplus_packed, PACKED.replace("Fe", "F!"), ""),
    "brackets": (pyslvs, "M[J[R, P[0, 0], L[ground, a]", "do not match"),
    "a place of one number": (pyslvs, "M[J[R, P[0], L[ground, a]]]", "P[0, 0]"),
    "aliases": (pyslvs_yaml, "a: &a [1]\nmechanism: *a\n", "no Pyslvs mechanism"),
    "no mechanism": (pyslvs_yaml, "mechanism: [3]\n", "no Pyslvs mechanism"),
    "cylinders": (motiongen, samples.MOTIONGEN.replace('"cylinders": []', '"cylinders": [1]'), "cylinders"),
    "an actuator of another kind": (motiongen, samples.MOTIONGEN.replace("rotary", "linear"), "'linear'"),
    "no speed": (motiongen, samples.MOTIONGEN.replace('"velocity": 10', '"velocity": 0'), "other than zero"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_a_bad_file_is_refused_with_its_reason(name):
    module, text, reason = REFUSED[name]
    try:
        messages = str([str(problem) for problem in module.read(text).problems])
    except ValueError as flaw:
        messages = str(flaw)
    assert reason in messages
    assert messages != "[]" or not reason


@given(data=st.data())
@settings(max_examples=200, deadline=None, derandomize=True)
def test_a_damaged_file_is_read_or_refused_and_nothing_else(data):
    modules = (pmks_text, pmks_json, pmksplus, pmksplus_packed, motiongen, pyslvs, pyslvs_yaml)
    texts = (samples.PMKS_TEXT, samples.PMKS_JSON, samples.PMKSPLUS, PACKED, samples.MOTIONGEN, samples.PYSLVS)
    k = data.draw(st.integers(0, len(modules) - 1))
    text = (*texts, samples.PYSLVS_PROJECT)[k]
    for _ in range(data.draw(st.integers(1, 3))):
        start, end = data.draw(st.sampled_from([match.span() for match in re.finditer(r"[^\w\s]|\w+", text)]))
        new = data.draw(
            st.sampled_from(["", "1e308", "-", "nan", "[", "}", "null", "[]", "ground", ",,", "é", "9" * 400])
        )
        text = text[:start] + new + text[end:]
    if data.draw(st.booleans()):
        text = text[: data.draw(st.integers(0, len(text)))]
    try:
        found = modules[k].read(text)
        if not found.problems:
            sk.Mechanism.from_dict(found.sections)
    except (sk.InputError, ValueError) as error:
        assert isinstance(error, sk.InputError) or type(error).__name__ == "Flaw", error


@given(
    places=st.lists(st.tuples(st.integers(-300, 300), st.integers(-300, 300)), min_size=5, max_size=5, unique=True),
    rpm=st.integers(1, 60),
)
@settings(max_examples=25, deadline=None, derandomize=True)
def test_random_four_bars_read_alike_from_every_format(places, rpm):
    a, b, c, d, p = ([x / 10, y / 10] for x, y in places)
    text = "\n".join(
        f"{links},R,{x},{y},0.0,tfff"
        for links, (x, y) in zip(
            ("ground,input", "input,rod", "rod,out", "out,ground", "rod"), (a, b, c, d, p), strict=True
        )
    )
    links = {"input": "AB", "rod": "BCP", "out": "CD"}
    bits = {"A": 22, "D": 20}
    address = packed(
        [(n, *at, bits.get(n, 16), 0) for n, at in zip("ABCDP", (a, b, c, d, p), strict=True)], links, rpm=rpm
    )
    expression = ",".join(
        f"J[R, P[{x}, {y}], L[{own}]]"
        for own, (x, y) in zip(("ground, i", "i, r", "r, o", "o, ground", "r"), (a, b, c, d, p), strict=True)
    )
    found = [pmks_text.read(text), pmksplus_packed.read(address), pyslvs.read(f"M[{expression}]\ninputs=[[0, 1]]")]
    wanted = [np.hypot(*np.subtract(*pair)) for pair in ((a, b), (b, c), (b, p), (c, d))]
    for one in found:
        assert not one.problems
        at = list(one.points.values())
        pairs = ((0, 1), (1, 2), (1, 4), (2, 3))
        assert np.allclose([np.hypot(*np.subtract(at[i], at[j])) for i, j in pairs], wanted, rtol=1e-12)
        assert sorted(map(len, one.links.values())) == [2, 2, 2, 3]
    assert found[1].drivers["input A"]["speed"] == f"-{rpm}.0 rpm"


def test_a_mechanism_that_closes_in_no_other_pose_is_given_up_soon(monkeypatch):
    """Its joint far away leaves closure errors that Newton's method reduces for ever."""
    text = """ground,abc,R,0.53,0,tfft\nabc,bd,R,5.82,62.08,tfff\nabc,fc,R,65.78,17.28,tfff
        bd,de,R,96.71,1391848325,tfff\nde,efg,R,186.07,59.61,tfff\nfc,efg,R,121.16,38.1,tfff
        efg,ground,R,158.2,-16.58,tfff"""
    sections, evaluations, search = pmks_text.read(text).sections, 0, optimize.least_squares

    def counted(*arguments, **options):
        nonlocal evaluations
        found = search(*arguments, **options)
        evaluations += found.nfev
        return found

    monkeypatch.setattr(optimize, "least_squares", counted)
    assert with_regular_sketch(sections, "six") == (sections, "")
    assert 0 < evaluations <= 1000


#: Ways to say that the first joint is driven, and what separates the links.
DRIVEN = [("tfft", "ground,input"), ("+--+", "ground, input"), ("True", "gnd input"), ("ffft", "input\tground")]


@pytest.mark.parametrize("flags, links", DRIVEN)
def test_pmks_text_says_in_several_ways_what_is_driven(flags, links, tmp_path):
    rest = "input crank2,R,3,4\ncrank2,ground,r,9,0,0,-+--,False\n"
    if flags in ("True", "ffft"):
        rest = rest.replace(",-+--,False", "")
    (tmp_path / "drawn.txt").write_text(f"{links},R,0,0,{flags}\n{rest}", encoding="utf-8")
    m = sk.load(tmp_path / "drawn.txt")
    assert set(m.drivers["input P1"].links) == {"ground", "input"} and list(m.drivers) == ["input P1"]
    assert m.topology.mobility_count == 0 and list(m.links) == ["ground", "input", "crank2"]


@pytest.mark.parametrize("comma", [",", " ", "%20"])
@pytest.mark.parametrize("bar", ["|", "%7C"])
def test_an_address_of_pmks_holds_a_mechanism_and_its_speed(comma, bar, tmp_path):
    """The text of a slider-crank, at the speed of the setting s: x = r cos q + sqrt(l^2 - (r sin q)^2)."""
    lines = ["ground,crank,R,0,0,0,tfft", "crank,rod,R,3,0,0,tfff", "ground,rod,RP,13,0,0,tfff"]
    address = "http://designengrlab.github.io/PMKS/pmks.html?set=s-20|e0.01&mech="
    address += bar.join(line.replace(",", comma) for line in lines) + bar
    (tmp_path / "shared.txt").write_text(address, encoding="utf-8")
    for m in (sk.load(address), sk.load(tmp_path / "shared.txt")):
        assert m.remarks[1:] == ("settings of PMKS that have no effect here: e = 0.01",)
        motion = m.solve(37)
        q = -2 * np.pi / 3 * motion.t
        assert motion.ok.all() and np.isclose(motion.t[-1], 3)
        wanted = 3 * np.cos(q) + np.sqrt(100 - (3 * np.sin(q)) ** 2)
        assert np.allclose(1000 * motion.position("P3")[:, 0], wanted, atol=1e-9)


def test_pmks_text_without_an_input_says_so():
    assert pmks_text.read("n6, ground,P,120,330\nground, n2,R,0,350\n").notes == ["no joint is driven"]


def test_what_follows_the_place_in_pmks_text_is_understood_or_refused():
    (problem,) = pmks_text.read("ground,input,R,0,0,0,tfft,twice").problems
    assert (problem.key, problem.message) == ("line 1", "'twice' is not understood")


def test_a_driven_pin_in_a_slot_of_pmks_has_a_block():
    """As in Pyslvs: the pin goes out from x = 8 at 1 mm/s; crank and rod are 5 long, so cos q = x / 10."""
    text = "ground,crank,R,0,0,tfff\ncrank,rod,R,4,3,tfff\nground,rod,RP,8,0,0,tfft"
    data = {"DrivingIndex": 2, "Joints": []}
    for line in text.splitlines():
        base, other, kind, x, y = line.split(",")[:5]
        data["Joints"].append({"X": float(x), "Y": float(y), "TypeOfJoint": kind, "Links": [base, other]})
    for found in (pmks_text.read(text), pmks_json.read(json.dumps(data))):
        motion = sk.Mechanism.from_dict(found.sections).solve(11)
        assert motion.ok.all() and np.allclose(np.cos(motion.angle("crank")), (8 + motion.t) / 10)


SLIDERS = {
    "P": "J[R, P[8, 0], L[b, c]], J[P, A[0], P[8, 0], L[ground, c]]]\ninputs=[[3, 3]]",
    "RP": "J[RP, A[0], P[8, 0], L[ground, b]]]\ninputs=[[2, 2]]",
}


@pytest.mark.parametrize("kind", SLIDERS)
def test_a_slider_of_pyslvs_is_driven_by_a_pair_of_itself(kind):
    """The slider goes out from x = 8 at 1 mm/s; crank and rod are 5 long, so cos q = x / 10."""
    found = pyslvs.read("M[J[R, P[0, 0], L[ground, a]], J[R, P[4, 3], L[a, b]], " + SLIDERS[kind])
    assert not found.problems and len(found.notes) == 1
    assert "driven at 1 mm/s, as the file gives no speed; the time range is set to 1 s" in found.notes[0]
    motion = sk.Mechanism.from_dict(found.sections).solve(11)
    assert motion.ok.all() and np.allclose(np.cos(motion.angle("a")), (8 + motion.t) / 10)


def test_a_speed_is_noted_of_inputs_that_turn():
    lines = ["ground,crank,R,0,0,tfff", "crank,rod,R,20,30,tfff", "rod,slider,R,110,0,tfff"]
    sliding = pmks_text.read("\n".join([*lines, "ground,slider,P,110,0,30,tfft"])).notes
    assert len(sliding) == 1 and "driven at 1 mm/s" in sliding[0]
    turning = pmks_text.read("\n".join(["ground,crank,R,0,0,tfft", *lines[1:], "ground,slider,P,110,0,30,tfff"])).notes
    assert turning == ["PMKS text gives no speed: the input turns at 10 rpm"]


def test_the_unit_of_an_address_is_noted():
    joints = "A,0,0,AB,R,t,0,0,t,%0AB,1,1,AB,R,f,0,0,f,"
    assert pmksplus.read(f"?j={joints}&s=15").notes == ["lengths are read as cm"]
    no_speed = "the address gives no speed: the input turns at 10 rpm"
    assert pmksplus.read(f"?j={joints}").notes == [no_speed, "lengths are read as cm"]
    assert pmksplus.read(f"?j={joints}&s=15,f,in&f=F").notes == [
        "lengths are read as in; masses and forces are left out"
    ]


FRAMED = {
    "PMKS": "ground,input,R,0,0,0,tfft\ninput,rod,R,1,2\nrod,follower,R,5,3\nground,follower,R,4,0\n"
    "ground,frame,R,0,0\nground,frame,R,4,0",
    "Pyslvs": "M[J[R, P[0, 0], L[ground, a, frame]], J[R, P[1, 2], L[a, b]], J[R, P[5, 3], L[b, c]], "
    "J[R, P[4, 0], L[ground, c, frame]], J[R, P[2, -1], L[frame, d]], J[R, P[5, -2], L[d]]] # x\ninputs=[[0, 1]]",
}


@pytest.mark.parametrize("tool", FRAMED)
def test_a_bar_between_two_pins_of_the_ground_is_ground(tool, tmp_path):
    """A four-bar with its frame drawn as a bar: no joint is redundant, and the driver is not said to repeat them."""
    (tmp_path / "framed.txt").write_text(FRAMED[tool])
    m = sk.load(tmp_path / "framed.txt")
    assert "frame" not in m.links
    assert "pinned to the ground at two points, so parts of it: frame" in m.remarks
    assert not m.structure().over


def test_a_part_of_pyslvs_that_is_not_understood_is_noted():
    found = pyslvs.read("M[J[R, S[4], color[Green], P[0, 0], L[ground, a]], J[R, P[3, 4], L[a]]]\ninputs=[[0, 1]]")
    assert found.notes[0] == "J 0: not understood, so left out: S" and found.drivers
