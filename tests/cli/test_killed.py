"""Every command that writes a file, killed or interrupted at random moments: the file is the old or the new one."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time

import pytest

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

#: Measured data of the crank-rocker.
MEASURED = "t,B.x\n0,0.5\n0.01,0.4\n0.02,0.3\n"

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
    "spatial --csv": (["spatial", str(spatial.path("spinning_top")), "--duration", "0.05", "--csv"], ".csv"),
}

#: Words of a command that writes several files into a folder.
FOLDERS = {
    "demo": ["demo", "--to"],
    "studies": ["studies", "slider-crank", "--to"],
}

MAIN = """
import signal
signal.signal(signal.SIGINT, signal.default_int_handler)  # a job in the background ignores it
from structkin.cli import main
main()
"""

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


def end(process, number):
    """End a process, if it still runs, by a signal."""
    process.send_signal(number)
    process.communicate(timeout=60)


def left(folder, target):
    """Return the drafts in a folder."""
    return [name for name in os.listdir(folder) if name != target.name]


def measured(command, target):
    """Return the time that a command takes, and the file it writes."""
    for _ in range(2):  # the first may compile
        began = time.monotonic()
        subprocess.run(command, check=True, capture_output=True, timeout=300)
    return time.monotonic() - began, target.read_bytes() if target.is_file() else b""


def is_whole(found, new):
    """Return whether a file is as long as another one of the same command: DXF and PDF contain the time."""
    return abs(len(found) - len(new)) < 20


@pytest.mark.skipif(os.name == "nt", reason="no signals of this kind here")
@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGINT], ids=["kill", "interrupt"])
@pytest.mark.parametrize("name", FOLDERS)
def test_each_file_of_a_folder_is_old_or_new(name, number, tmp_path):
    source, command = random.Random(name), [sys.executable, "-c", MAIN, *FOLDERS[name], str(tmp_path)]
    once, _ = measured(command, tmp_path)
    new = {file: file.read_bytes() for file in tmp_path.iterdir()}
    assert new
    for _ in range(TIMES):
        for file in new:
            file.write_bytes(b"old\n")
        with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) as process:
            time.sleep(source.uniform(0.3, 1.1) * once)
            end(process, number)
        for file, whole in new.items():
            assert file.read_bytes() == b"old\n" or is_whole(file.read_bytes(), whole), file


@pytest.mark.skipif(os.name == "nt", reason="no signals of this kind here")
@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGINT], ids=["kill", "interrupt"])
@pytest.mark.parametrize("name", COMMANDS)
def test_the_file_is_old_or_new(name, number, tmp_path, tmp_path_factory):
    words, suffix = COMMANDS[name]
    folder = tmp_path_factory.mktemp("source")
    texts = {"SWING": ("swing.toml", SWING), "MEASURED": ("measured.csv", MEASURED)}
    for file, text in texts.values():
        (folder / file).write_text(text)
    words = [str(folder / texts[word][0]) if word in texts else word for word in words]
    target, source = tmp_path / f"a{suffix}", random.Random(name)
    command = [sys.executable, "-c", MAIN, *words, str(target)]
    whole, new = measured(command, target)
    ends = 0
    for _ in range(TIMES):
        target.write_bytes(b"old\n")
        with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) as process:
            time.sleep(source.uniform(0.3, 1.1) * whole)
            end(process, number)
        found = target.read_bytes()
        assert found == b"old\n" or is_whole(found, new)
        ends += found == b"old\n"
        assert number == signal.SIGKILL or not left(tmp_path, target)
    target.write_bytes(b"old\n")
    subprocess.run(command, check=False, capture_output=True, timeout=120)
    assert not left(tmp_path, target) and ends


@pytest.mark.skipif(os.name == "nt", reason="no signals of this kind here")
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGINT], ids=["kill", "interrupt"])
@pytest.mark.parametrize("times", [2, pytest.param(TIMES, marks=pytest.mark.slow)])
def test_save_of_the_studio_is_whole(number, times, tmp_path):
    target, source = tmp_path / "a.toml", random.Random(times)
    target.write_bytes(path("crank_rocker").read_bytes())
    for _ in range(times):
        with subprocess.Popen([sys.executable, "-c", SAVE, str(target)], stdout=subprocess.PIPE) as process:
            assert process.stdout.readline() == b"ready\n"
            time.sleep(source.uniform(0.05, 0.5))
            end(process, number)
        text = target.read_text(encoding="utf-8")
        assert "Crank-rocker" in text or (text.count(text.split('"')[1][:4]) >= 2000 and "end = true" in text)
        assert len(left(tmp_path, target)) <= (number == signal.SIGKILL)
