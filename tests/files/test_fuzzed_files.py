"""Files of every format, damaged: each is read or refused with a list of errors, soon and in little memory."""

from __future__ import annotations

import random
import re
import resource
import sys
import time
import traceback
from pathlib import Path

import foreign_samples as samples
import pmksplus_address
import pytest
from cases import few

import structkin as sk
from structkin.design.points_file import read_points
from structkin.examples import names, path, spatial

#: A read may take this processor time [s] and memory [bytes].
SECONDS, BYTES = 10.0, 2 * 2**30
#: Files of the long set for each format, and its number of tests.
FILES, PARTS = 10_000, 10

TABLE = "time [s],angle [deg]\n0,0\n0.5,90.25\n1,180\n1.5,200\n2,360\n"
WITH_TABLE = (
    '[points]\nA = [0, 0]\nB = [1, 0]\n[links]\nground = ["A"]\ncrank = ["A", "B"]\n'
    '[drivers]\nm = { joint = "A", csv = "damaged.csv", columns = [1, 2] }\n'
)


MEASURED = "t;B.x [mm];rocker.angle [deg]\n0;1.5;20\n0.1;1.4;21\n0.2;0,9;22,5\n"
POINTS = "x [mm],y [mm],angle [deg]\n0,0,0\n5,2.5,90.25\n10,0,180\n"


def packed():
    joints = [
        pmksplus_address.joint("A", 0, 0, 6), pmksplus_address.joint("B", 1, 1),
        pmksplus_address.joint("C", 4, 2), pmksplus_address.joint("D", 5, 0, 4),
    ]  # fmt: skip
    return pmksplus_address.body(joints, [pmksplus_address.link(pair, pair) for pair in ("AB", "BC", "CD")])


def own(suffix, tmp):
    """Return examples as they are written by structkin."""
    texts = []
    for name in names()[::4]:
        sk.load(path(name)).save(tmp / f"a{suffix}")
        texts.append((tmp / f"a{suffix}").read_text(encoding="utf-8"))
    return texts


#: The suffix of a format, and its good files.
FORMATS = {
    "TOML": (".toml", lambda tmp: [path(name).read_text(encoding="utf-8") for name in names()]),
    "JSON": (".json", lambda tmp: own(".json", tmp)),
    "bodies in space": ("-space.toml", lambda tmp: [spatial.path(name).read_text() for name in spatial.names()]),
    "Linkage": (".linkage2", lambda tmp: list(samples.LINKAGE.values())),
    "PMKS text": (".pmks", lambda tmp: [samples.PMKS_TEXT, samples.PMKS_SLOT]),
    "PMKS JSON": (".json", lambda tmp: [samples.PMKS_JSON]),
    "MotionGen": (".motiongen", lambda tmp: [samples.MOTIONGEN]),
    "Pyslvs": (".txt", lambda tmp: [samples.PYSLVS]),
    "Pyslvs project": (".pyslvs", lambda tmp: [samples.PYSLVS_PROJECT]),
    "PMKS+ lists": ("", lambda tmp: [samples.PMKSPLUS]),
    "PMKS+ packed": ("packed", lambda tmp: [packed()]),
    "measured data": ("-measured.csv", lambda tmp: [MEASURED, TABLE.replace("angle", "rocker.angle")]),
    "points of a path": ("-points.csv", lambda tmp: [POINTS, POINTS.replace(",", ";").replace(".", ",")]),
    "CSV": (".csv", lambda tmp: [TABLE, TABLE.replace(",", ";").replace(".", ","), TABLE.replace(",", "\t")]),
}

CRANK_ROCKER = sk.load(path("crank_rocker"))

_NUMBER = re.compile(r"-?\d+(?:\.\d+)?")
_WORD = re.compile(r"\w+")
SIGNS = (
    *"[]{}()<>\"'=,;:.&|#*!?%~^-+/\\\n\t\r\0\ufeff\u2028é𝛼",
    "\ud800",
    "[[",
    "{{",
    "<a>",
    "</a>",
    "<!--",
    "&#0;",
    "%00",
)
VALUES = (
    "0", "-1", "1e400", "nan", ".nan", "inf", "-.inf", "true", "null", "~", "[]", "{}", '""', "1e-320", "9" * 400,
    "9" * 5000, "0x10", "1_0", "2020-01-01", "12:30:00", "!!timestamp x", "!!float x", "!!binary x", "*a", "&a [1]",
    "<<: *a", "- - - 1", "t/0", "A", "ground", "R", "P", "RP",
)  # fmt: skip


def damaged(text, others, source):
    """Return a text after one to five mutations, as bytes."""
    for _ in range(source.randint(1, 5)):
        how, k = source.randrange(10), source.randrange(len(text) + 1)
        j = min(len(text), k + int(source.expovariate(0.1)))
        numbers, words = list(_NUMBER.finditer(text)), list(_WORD.finditer(text))
        if how == 0:
            text = text[:k] + text[j:]
        elif how == 1:
            text = text[:k] + source.choice(SIGNS) + text[k:]
        elif how == 2 and numbers:
            found = source.choice(numbers)
            text = text[: found.start()] + source.choice(VALUES) + text[found.end() :]
        elif how == 3 and words:
            found = source.choice(words)
            text = text[: found.start()] + source.choice((*VALUES, source.choice(words)[0])) + text[found.end() :]
        elif how == 4:
            text = text[:k] + text[k:j] * source.choice((2, 3, 50, 500)) + text[j:]
        elif how == 5:
            other = source.choice(others)
            text = text[:k] + other[source.randrange(len(other) + 1) :]
        elif how == 6:
            text = text[:k]
        elif how == 7:
            text = text[:k] + source.choice("[{(<\"'") * source.choice((3, 30, 300)) + text[k:]
        elif how == 8:
            lines = text.splitlines(keepends=True)
            source.shuffle(lines)
            text = "".join(lines)
        else:
            text = text[:k] + source.choice(VALUES) + text[j:]
    data = text.encode(source.choice(("utf-8", "utf-8", "utf-8", "utf-8", "utf-16", "latin-1")), "replace")
    if source.random() < 0.1 and data:
        place = source.randrange(len(data))
        data = data[:place] + source.randbytes(source.randint(1, 9)) + data[place + 1 :]
    return data


def faults(name, seeds, tmp):
    """Return what went wrong with the files of these seeds."""
    suffix, make = FORMATS[name]
    good, found = make(tmp), []
    (tmp / "car.toml").write_text(WITH_TABLE, encoding="utf-8")
    for seed in seeds:
        source = random.Random(f"{name} {seed}")
        data = damaged(source.choice(good), good, source)
        began = time.process_time()
        try:
            _read(suffix, data, tmp)
        except sk.InputError as error:
            if not error.problems or not str(error).replace("\n", "").isprintable():
                found.append(f"{name}, seed {seed}: {error!s:.300}")
        except Exception as error:
            places = [f"{frame.filename}:{frame.lineno}" for frame in traceback.extract_tb(error.__traceback__)[-3:]]
            found.append(f"{name}, seed {seed}: {error!r:.200} at {' '.join(places)}")
        if time.process_time() - began > SECONDS:
            found.append(f"{name}, seed {seed}: {time.process_time() - began:.1f} s")
    return found


#: What is repeated in a file, up to so many characters: a search that began anew from each of them took minutes.
RUNS, LONG = (*"9a -.,()[]{\"'=#&;<\\\t", "a ", "9 ", "-.", "a.", "9,", "%20", "()", "1e"), 60_000


@pytest.mark.full
@pytest.mark.parametrize("name", FORMATS)
def test_long_runs_of_a_character_are_read_or_refused_soon(name, tmp_path):
    suffix, make = FORMATS[name]
    (tmp_path / "car.toml").write_text(WITH_TABLE, encoding="utf-8")
    good, source = make(tmp_path), random.Random(name)
    for run in (run for run in RUNS for _ in range(4)):
        text, tail = source.choice(good), source.choice(("", "", ",5", "x", "!"))
        k = source.randrange(len(text) + 1)
        began = time.process_time()
        try:
            _read(suffix, (text[:k] + run * (LONG // len(run)) + tail + text[k:]).encode(), tmp_path)
        except sk.InputError as error:
            assert error.problems
        assert time.process_time() - began < SECONDS, run


def _read(suffix, data, tmp):
    if not suffix or suffix == "packed":
        text = data.decode("utf-8", "replace").replace("\n", "")
        sk.load(f"https://app.pmksplus.com/?{pmksplus_address.with_length(text) if suffix else text.partition('?')[2]}")
        return
    file = Path(tmp, f"damaged{suffix}")
    file.write_bytes(data)
    if suffix == ".csv":
        sk.load(tmp / "car.toml")
    elif suffix == "-space.toml":
        sk.SpatialModel.load(file)
    elif suffix == "-measured.csv":
        CRANK_ROCKER.compare_measured(file, budget=100)
    elif suffix == "-points.csv":
        read_points(file, None, None)
    else:
        sk.load(file)


@pytest.mark.parametrize("name", few(FORMATS, 4))
def test_damaged_files_are_read_or_refused(name, tmp_path):
    assert faults(name, range(20), tmp_path) == []


@pytest.mark.slow
@pytest.mark.parametrize("part", range(PARTS))
@pytest.mark.parametrize("name", FORMATS)
def test_many_damaged_files_are_read_or_refused_soon(name, part, tmp_path):
    count = FILES // PARTS
    assert faults(name, range(part * count, (part + 1) * count), tmp_path) == []
    used = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)
    assert used < BYTES
