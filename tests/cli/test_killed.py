"""Every command that writes a file, killed or interrupted at random moments: the file is the old or the new one."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time

import pytest
from crank_rocker_text import CRANK_ROCKER
from ended import ended

from structkin.cli import COMMANDS as ALL
from structkin.examples import path, spatial

GOOD, ENGINE = str(path("crank_rocker")), str(path("one_cylinder_engine"))
TIMES = 20

#: A mechanism that masses and forces can move.
SWING = """
points = { A = [0, 0], B = [1, 0] }
forces = { gravity = [0, -9.81] }
[links]
ground = ["A"]
arm = { points = ["A", "B"], mass = 1, shape = "rod" }
[drivers]
swing = { joint = "A" }
"""

#: Variants of one without masses.
STUDY = """
samples = 9
parameters = { "lengths.A-B" = [1, 2, 3] }
measures = { way = "range.angle.arm" }
best = { measure = "way" }
[mechanism]
points = { A = [0, 0], B = [1, 0] }
links = { ground = ["A"], arm = ["A", "B"] }
drivers = { m = { joint = "A", speed = 1 } }
"""

#: Tolerances and wishes of a crank-rocker.
TOLERANCES = (
    """
samples = 5
variants = 16
tolerances = { "lengths.A-B" = 0.05 }
measures = { swing = "range.angle.rocker" }
"""
    + CRANK_ROCKER
)
WISH = (
    """
parameters = { "lengths.C-D" = [50, 200] }
objective = [{ measure = "stroke", of = "rocker", wanted = 1.0 }]
"""
    + CRANK_ROCKER
)

#: Measured data of the crank-rocker, and points of a path.
MEASURED = "t,B.x\n0,0.5\n0.01,0.4\n0.02,0.3\n"
PATH = "x [m],y [m]\n0,0\n1,0.2\n2,0\n"

STUDIES = {"--csv": ".csv", "--plot": ".svg", "--best": ".png"}
#: Short measurements; the others write by the same function, and the CSV of `scalable-four-bar` grows under its name.
BENCHES = {"structure": ["--links", "100"], "variants": ["--variants", "100", "--workers", "1"]}

#: Words of a command, without the file it writes, and the file's suffix.
COMMANDS = {
    **{f"convert {suffix}": (["convert", GOOD], suffix) for suffix in (".toml", ".json", ".xml", ".svg", ".tex")},
    **{f"convert {suffix}": (["convert", GOOD], suffix) for suffix in (".dxf", ".xlsx", ".csv", ".png", ".pdf")},
    "convert .graphml": (["convert", GOOD], ".graphml"),
    **{
        f"convert --matrix {suffix}": (["convert", GOOD, "--matrix"], suffix)
        for suffix in (".csv", ".json", ".graphml")
    },
    "solve --csv": (["solve", GOOD, "--csv"], ".csv"),
    "solve --plot": (["solve", GOOD, "--plot"], ".svg"),
    "solve --schematic": (["solve", GOOD, "--schematic"], ".png"),
    "forces --csv": (["forces", ENGINE, "--csv"], ".csv"),
    "worksheet": (["worksheet", ENGINE, "-o"], ".html"),
    "simulate --csv": (["simulate", "SWING", "--duration", "0.1", "--csv"], ".csv"),
    "forces --plot": (["forces", ENGINE, "--plot"], ".svg"),
    **{
        f"simulate {option}": (["simulate", "SWING", "--duration", "0.1", option], ".svg")
        for option in ("--plot", "--energies", "--reactions")
    },
    "structure --plot": (["structure", GOOD, "--plot"], ".png"),
    "structure --matrices": (["structure", GOOD, "--matrices"], ".png"),
    "atlas --csv": (["atlas", "6", "--csv"], ".csv"),
    "atlas --plot": (["atlas", "6", "--plot"], ".svg"),
    "compare --to": (["compare", "SWING", "--simulate", "0.05", "--method", "reduced", "--to"], ".svg"),
    "compare --measured": (["compare", GOOD, "--measured", "MEASURED", "--to"], ".svg"),
    "limits --plot": (["limits", GOOD, "--plot"], ".png"),
    "assemblies --plot": (["assemblies", GOOD, "--plot"], ".png"),
    "inputs --plot": (["inputs", GOOD, "--plot"], ".png"),
    "report": (["report", GOOD, "--samples", "13", "-o"], ".html"),
    "animate": (["animate", GOOD, "--fps", "5", "-o"], ".gif"),
    **{
        f"equations {option}": (["equations", str(spatial.path("spinning_top")), option, "-o"], suffix)
        for option, suffix in (("--c", ".c"), ("--python", ".py"), ("--latex", ".tex"))
    },
    "spatial --plot": (["spatial", str(spatial.path("spinning_top")), "--duration", "0.05", "--plot"], ".svg"),
    **{
        f"spatial {option}": (["spatial", str(spatial.path("spinning_top")), "--duration", "0.05", option], suffix)
        for option, suffix in (("--picture", ".svg"), ("--animation", ".gif"))
    },
    **{f"study {option}": (["study", "STUDY", option], suffix) for option, suffix in STUDIES.items()},
    "tolerances --csv": (["tolerances", "TOLERANCES", "--csv"], ".csv"),
    "tolerances --plot": (["tolerances", "TOLERANCES", "--plot"], ".svg"),
    "optimise --to": (["optimise", "WISH", "--to"], ".toml"),
    "optimise --plot": (["optimise", "WISH", "--plot"], ".png"),
    "worksheet .tex": (["worksheet", ENGINE, "-o"], ".tex"),
    **{f"bench {name}": (["bench", name, *words, "--csv"], ".csv") for name, words in BENCHES.items()},
    "spatial --csv": (["spatial", str(spatial.path("spinning_top")), "--duration", "0.05", "--csv"], ".csv"),
}

#: Words of a command that writes several files into a folder.
FOLDERS = {
    "demo": ["demo", "--to"],
    "studies": ["studies", "newton", "--to"],
    "synthesise": ["synthesise", "PATH", "--kind", "four-bar", "--count", "2", "--budget", "200", "--to"],
}

#: Commands that write no file that is named, and one that replaces none.
OTHERS = {"check", "explain", "studio", "warm-up", "examples"}

#: Save of the studio: after it, the same program saves once more, and so on until it is ended.
SAVE = """
import signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)
from structkin.studio.document import Document
from structkin.studio.files import MechanismFile
file = MechanismFile(__import__("pathlib").Path(sys.argv[1]))
document = file.read()
print("ready", flush=True)
for k in range(10**6):
    file.save(Document({**document.data, "title": f"{k:04}" * 2000, "end": True}))
"""


def left(folder, known):
    """Return the drafts in a folder."""
    return set(os.listdir(folder)) - set(known)


def is_whole(found, new):
    """Return whether a file is like another one of the same command: some contain the time, or times in tables."""
    lines = found.endswith(b"\n") and found.count(b"\n") == new.count(b"\n") > 1
    return abs(len(found) - len(new)) < 20 or lines


@pytest.fixture(scope="module")
def inputs(tmp_path_factory):
    """The files that commands read, by the words that stand for them."""
    folder = tmp_path_factory.mktemp("inputs")
    texts = {"SWING": ("swing.toml", SWING), "STUDY": ("study.toml", STUDY)}
    texts |= {"TOLERANCES": ("tolerances.toml", TOLERANCES), "WISH": ("wish.toml", WISH)}
    texts |= {"MEASURED": ("measured.csv", MEASURED), "PATH": ("path.csv", PATH)}
    for file, text in texts.values():
        (folder / file).write_text(text)
    return {word: str(folder / file) for word, (file, _) in texts.items()}


@pytest.mark.skipif(os.name == "nt", reason="no signals of this kind here")
@pytest.mark.slow
@pytest.mark.parametrize("name", [*COMMANDS, *FOLDERS])
def test_every_file_is_old_or_new(name, inputs, tmp_path):
    """Half of the signals come at a random moment, half just after a draft is begun."""
    words, suffix = COMMANDS.get(name) or (FOLDERS[name], "")
    words = [inputs.get(word, word) for word in (*words, str(tmp_path / f"a{suffix}" if suffix else tmp_path))]
    for _ in range(2):  # the first may compile
        began = time.monotonic()
        assert ended(words, 0, lambda _: False) == 0
    once, new = time.monotonic() - began, {file: file.read_bytes() for file in tmp_path.iterdir()}
    assert new
    names, source, kept = [file.name for file in new], random.Random(name), 0
    for k in range(2 * TIMES):
        number = (signal.SIGKILL, signal.SIGINT)[k % 2]
        for file in new:
            file.write_bytes(b"old\n")
        moment, late, before = source.uniform(0, 1.1) * once, source.uniform(0, 0.003), left(tmp_path, names)

        def is_time(age, k=k, moment=moment, late=late, before=before):
            return age > moment if k % 4 < 2 else left(tmp_path, names) - before and not time.sleep(late)

        ended(words, number, is_time)
        for file, whole in new.items():
            found = file.read_bytes()
            assert found == b"old\n" or is_whole(found, whole), file
            kept += found == b"old\n"
        assert number == signal.SIGKILL or left(tmp_path, names) <= before
    assert kept > 0
    assert ended(words, 0, lambda _: False) == 0
    assert not left(tmp_path, names)


def test_every_command_that_writes_is_ended():
    assert {words[0] for words in (*(words for words, _ in COMMANDS.values()), *FOLDERS.values())} == {*ALL} - OTHERS


@pytest.mark.skipif(os.name == "nt", reason="no signals of this kind here")
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGINT], ids=["kill", "interrupt"])
@pytest.mark.parametrize(
    "times", [pytest.param(2, marks=pytest.mark.full), pytest.param(TIMES, marks=pytest.mark.slow)]
)
def test_save_of_the_studio_is_whole(number, times, tmp_path):
    target, source = tmp_path / "a.toml", random.Random(times)
    target.write_bytes(path("crank_rocker").read_bytes())
    for _ in range(times):
        with subprocess.Popen([sys.executable, "-c", SAVE, str(target)], stdout=subprocess.PIPE) as process:
            assert process.stdout.readline() == b"ready\n"
            time.sleep(source.uniform(0.05, 0.5))
            process.send_signal(number)
            process.communicate(timeout=60)
        text = target.read_text(encoding="utf-8")
        assert "Crank-rocker" in text or (text.count(text.split('"')[1][:4]) >= 2000 and "end = true" in text)
        assert len(left(tmp_path, [target.name])) <= (number == signal.SIGKILL)
