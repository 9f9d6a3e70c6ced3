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

#: Words of a command, without the file it writes, and the file's suffix.
COMMANDS = {
    **{f"convert {suffix}": (["convert", GOOD], suffix) for suffix in (".toml", ".json", ".xml", ".svg", ".tex")},
    **{f"convert {suffix}": (["convert", GOOD], suffix) for suffix in (".dxf", ".xlsx", ".csv", ".png", ".pdf")},
    "solve --csv": (["solve", GOOD, "--csv"], ".csv"),
    "solve --plot": (["solve", GOOD, "--plot"], ".svg"),
    "forces --csv": (["forces", ENGINE, "--csv"], ".csv"),
    "worksheet": (["worksheet", ENGINE, "-o"], ".html"),
    "simulate --csv": (["simulate", "SWING", "--duration", "0.1", "--csv"], ".csv"),
    "structure --plot": (["structure", GOOD, "--plot"], ".png"),
    "limits --plot": (["limits", GOOD, "--plot"], ".png"),
    "assemblies --plot": (["assemblies", GOOD, "--plot"], ".png"),
    "inputs --plot": (["inputs", GOOD, "--plot"], ".png"),
    "report": (["report", GOOD, "--samples", "13", "-o"], ".html"),
    "animate": (["animate", GOOD, "--fps", "5", "-o"], ".gif"),
    "equations": (["equations", str(spatial.path("spinning_top")), "-o"], ".c"),
    "spatial --csv": (["spatial", str(spatial.path("spinning_top")), "--duration", "0.05", "--csv"], ".csv"),
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


@pytest.mark.skipif(os.name == "nt", reason="no signals of this kind here")
@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGINT], ids=["kill", "interrupt"])
@pytest.mark.parametrize("name", COMMANDS)
def test_the_file_is_old_or_new(name, number, tmp_path, tmp_path_factory):
    words, suffix = COMMANDS[name]
    swing = tmp_path_factory.mktemp("source") / "swing.toml"
    swing.write_text(SWING)
    words = [str(swing) if word == "SWING" else word for word in words]
    target, source = tmp_path / f"a{suffix}", random.Random(name)
    command = [sys.executable, "-c", MAIN, *words, str(target)]
    for _ in range(2):  # the first may compile
        began = time.monotonic()
        subprocess.run(command, check=True, capture_output=True, timeout=120)
    whole, new = time.monotonic() - began, len(target.read_bytes())
    ends = 0
    for _ in range(TIMES):
        target.write_bytes(b"old\n")
        with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) as process:
            time.sleep(source.uniform(0.3, 1.1) * whole)
            end(process, number)
        found = target.read_bytes()
        # DXF and PDF contain the time; a new file of the same command has the same length
        assert found == b"old\n" or abs(len(found) - new) < 20
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
