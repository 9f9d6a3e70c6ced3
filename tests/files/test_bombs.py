"""Small files that took seconds or ended in a traceback: each is refused with one error, within a second."""

from __future__ import annotations

import json
import time

import pytest
from cases import few

import structkin as sk

N = 20_000
OWN = '[points]\nA = [0, 0]\nB = [1, 0]\n[links]\nground = ["A"]\na = ["A", "B"]\n'
CHAIN = [f"P{i}" for i in range(N)]
PYSLVS = "mechanism: 'M[J[R, P[0, 0], L[ground, a]], J[R, P[3, 4], L[a]]]'\npyslvs_ver: 1\n"
BARS = {"points": {name: [k, k % 2] for k, name in enumerate(CHAIN[:4000])}, "links": {"ground": ["P0"]}}
CONNECTORS = '<connector id="0" x="0" y="0" anchor="true" input="true"/><connector id="1" x="30" y="40"/>'
LINK = '<Link id="{}"><connector id="0"/><connector id="1"/></Link>'
ROW = "J[R, P[{}, {}], L[L{}, L{}]]"


def motiongen(ids, links):
    joints = [{"id": f"p{k}", "x": k, "y": 0} for k in range(ids)]
    return json.dumps({"mechanism": {"joints": joints, "links": [{"jointIds": ["p0"] * k} for k in links]}})


#: A file's name, its text, and a part of the only error.
REFUSED = {
    "a key of 20,000 dots": (".toml", OWN + "a" + ".a" * N + " = 1", "line 7: a key has more than 20 parts"),
    "a section of 20,000 dots": (".toml", "[" + "a." * N + "a]", "line 1: a key has more than 20 parts"),
    "dots between quotes": (".toml", OWN + '"a"' + ' . "a"' * N + " = 1", "line 7: a key has more than 20 parts"),
    "5,000 brackets, TOML": (".toml", OWN + f"x = {'[' * 5000}{']' * 5000}", "nested too deeply"),
    "30 brackets, TOML": (".toml", OWN + f"x = {'[' * 30}{']' * 30}", "nested too deeply, in 'x'"),
    "30 inline tables": (".toml", OWN + f"x = {'{a=' * 30}1{'}' * 30}", "nested too deeply, in 'a'"),
    "5,000 brackets, JSON": (".json", f'{{"x": {"[" * 5000}{"]" * 5000}}}', "nested too deeply"),
    "100,000 braces, JSON": (".json", '{"x":' * 10**5 + "1" + "}" * 10**5, "nested too deeply"),
    "100,000 keys": (".toml", OWN + "".join(f"k{k} = 1\n" for k in range(10**5)), "100,004 keys or sections"),
    "60,000 sections": (".toml", "".join(f"[s{k}]\n" for k in range(60_000)), "60,000 keys or sections"),
    "20,000 joints": (
        ".toml",
        OWN + "[joints]\n" + "".join(f"j{k} = {{type='fastened'}}\n" for k in range(N)),
        "'joints' has 20,000 entries; at most 5,000",
    ),
    "20,000 points": (".json", json.dumps({"points": dict.fromkeys(CHAIN, 0)}), "'points' has 20,000 entries"),
    "a long name": (".toml", f'[points]\n"{"B" * 10**6}" = [0, 0]', "has more than 200 characters"),
    "a long title": (".toml", f'title = "{"x" * 10**6}"\n{OWN}', "a text in 'title' has 1,000,000 characters"),
    "9 MB": (".toml", "\n" * 9 * 2**20, "the file is empty"),
    "9 MB of rows": (".json", f'{{"x": [{"[0,0]," * (3 * 2**19)}0]}}', "characters; at most 8,388,608"),
    "5,000 brackets, Pyslvs": (".pyslvs", f"{PYSLVS}x: {'[' * 5000}{']' * 5000}", "cannot be read as YAML"),
    "open brackets, Pyslvs": (".pyslvs", f"{PYSLVS}x: {'[' * N}", "cannot be read as YAML"),
    "200,000 numbers, Pyslvs": (".pyslvs", f"{PYSLVS}x: [{'1,' * 200_000}1]", "characters; at most 262,144"),
    "20,000 joints, Pyslvs": (
        ".txt",
        f"M[{','.join(ROW.format(k, 0, k, k + 1) for k in range(N))}]",
        "characters; at most 262,144",
    ),
    "5,000 joints, Pyslvs": (
        ".txt",
        f"M[{','.join(ROW.format(k, 0, k, k + 1) for k in range(5000))}]",
        "the file has 5,000 joints, links and references",
    ),
    "a joint of 20,000 links": (".txt", f"M[J[R,P[0,0],L[ground,{','.join(CHAIN)}]]]", "20,002 joints, links and"),
    "20,000 inputs": (".txt", f"M[J[R, P[0, 0], L[ground, a]]]\ninputs=[{'[0,0],' * N}]", "20,001 joints, links and"),
    "5,000 lines of PMKS": (".pmks", "".join(f"ground,L{k},R,{k},0\n" for k in range(5000)), "15,000 joints, links"),
    "5,000 joints, PMKS": (
        ".json",
        json.dumps({"Joints": [{"TypeOfJoint": "R", "Links": ["a"], "X": 0, "Y": 0}] * 5000}),
        "5,000 joints, links and references",
    ),
    "5,000 joints, MotionGen": (".motiongen", motiongen(5000, []), "5,000 joints, links and references"),
    "5,000 ids, MotionGen": (".motiongen", motiongen(1, [5000]), "5,000 joints, links and references"),
    "5,000 connectors": (
        ".linkage2",
        f"<linkage2>{'<connector/>' * 5001}</linkage2>",
        "5001 connectors and parts of links",
    ),
    "many links on many pins": (
        ".json",
        json.dumps({**BARS, "links": {"ground": ["P0"], **{f"L{k}": list(BARS["points"]) for k in range(20)}}}),
        "pinned to others at several points",
    ),
    "a number for inputs": (".pyslvs", PYSLVS + "input: 5\n", "input: expected pairs of points, found the text '5'"),
    "not a number for inputs": (".pyslvs", PYSLVS + "input: .nan\n", "input: expected pairs of points"),
    "texts for inputs": (".pyslvs", PYSLVS + "input: [[a, b]]\n", "input: expected pairs of points, found a list"),
    "a number": (".pyslvs", ".nan\n", "no Pyslvs mechanism"),
    "no time": (".pyslvs", PYSLVS + "input: !!timestamp x\n", "input: expected pairs of points, found the text 'x'"),
    "no object": (".pyslvs", "mechanism: !!python/object/apply:os.system [true]\n", "no Pyslvs mechanism"),
    "keys that are lists": (".pyslvs", PYSLVS + "? [a]\n: b\n", "cannot be read as YAML"),
}


def opened(tmp_path, name, text):
    """Return the error of a file, and the processor time [s] it took."""
    file = tmp_path / f"bomb{name}"
    file.write_text(text, encoding="utf-8")
    began = time.process_time()
    with pytest.raises(sk.InputError) as caught:
        sk.load(file)
    return caught.value, time.process_time() - began


@pytest.mark.parametrize("case", REFUSED)
def test_it_is_refused_within_a_second(case, tmp_path):
    name, text, reason = REFUSED[case]
    error, seconds = opened(tmp_path, name, text)
    assert len(error.problems) == 1 and reason in str(error)
    assert seconds < 2  # within one, on a machine with nothing else to do


def test_reading_ends_at_five_hundred_errors(tmp_path):
    names = [f"Q{k}" for k in range(4000)]
    text = json.dumps({**BARS, "links": {"ground": ["P0"], "a": names}})
    error, seconds = opened(tmp_path, ".json", text)
    assert len(error.problems) == 500 and error.more and "bomb.json: 500 errors; more may appear" in str(error)
    assert seconds < 5
    text = json.dumps({"bodies": {f"b{k}": {"mas": 1} for k in range(1999)}})
    (tmp_path / "space.json").write_text(text, encoding="utf-8")
    with pytest.raises(sk.InputError, match=r"space.json: 500 errors; more may appear"):
        sk.SpatialModel.load(tmp_path / "space.json")


@pytest.mark.full
def test_what_is_large_but_reasonable_is_read(tmp_path):
    """A chain of 4,000 bars, 50,000 rows of a table, and notes with full stops."""
    own = {**BARS, "links": {f"L{k}": [f"P{k}", f"P{k + 1}"] for k in range(3999)}}
    own["links"]["ground"] = ["P0"]
    own["notes"] = ["a" + ".a" * 100]
    own["drivers"] = {"m": {"joint": "P0", "table": [[k, k % 7] for k in range(50_000)]}}
    for suffix in (".toml", ".json"):
        (tmp_path / f"a{suffix}").write_text("", encoding="utf-8")
        sk.Mechanism.from_dict(own).save(tmp_path / f"a{suffix}")
        assert len(sk.load(tmp_path / f"a{suffix}").links) == 4000


@pytest.mark.parametrize("count", few([2, 1600], 1))
def test_links_on_the_same_two_pins_are_one_body(count, tmp_path):
    """Pairs are found in one pass; one pass a pair took minutes."""
    file = tmp_path / "a.linkage2"
    file.write_text(f"<linkage2>{CONNECTORS}{''.join(map(LINK.format, range(count)))}</linkage2>", encoding="utf-8")
    began = time.process_time()
    assert list(sk.load(file).links) == ["ground", "L0"] and time.process_time() - began < 8


def test_many_four_bars_in_dead_centres_are_left_as_they_are(tmp_path):
    """All tries together have a budget: those of 60 four-bars took minutes."""
    rows = "".join(
        f"J[R, P[{10 * k + x}, 0], L[{links.format(k=k)}]],"
        for k in range(60)
        for x, links in ((0, "ground,a{k}"), (1, "a{k},b{k}"), (4, "b{k},c{k}"), (6, "ground,c{k}"))
    )
    pairs = ",".join(f"[{4 * k},{4 * k + 1}]" for k in range(60))
    (tmp_path / "a.txt").write_text(f"M[{rows}]\ninputs=[{pairs}]", encoding="utf-8")
    began = time.process_time()
    assert len(sk.load(tmp_path / "a.txt").drivers) == 60 and time.process_time() - began < 10
