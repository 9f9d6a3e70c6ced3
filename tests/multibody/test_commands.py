"""`structkin spatial` and `structkin equations`: their output, and refused input."""

from __future__ import annotations

import csv
import json
import os
import signal
import subprocess
import sys
from contextlib import suppress

import numpy as np
import pytest
from cases import few
from typer.testing import CliRunner

import structkin as sk
from structkin.cli import app, main
from structkin.examples import path, spatial

PENDULUM = str(spatial.path("double_pendulum"))


def run(*words):
    return CliRunner().invoke(app, [str(word) for word in words], catch_exceptions=True)


def refused(monkeypatch, capsys, *words):
    """Exit code and stderr of a whole command line."""
    monkeypatch.setattr("sys.argv", ["structkin", *map(str, words)])
    with pytest.raises(SystemExit) as left:
        main()
    return left.value.code, capsys.readouterr().err


@pytest.mark.parametrize("options", [(), ("--method", "small-steps", "--step", "1e-4")])
def test_tables_and_pictures_of_both_methods(tmp_path, options):
    table, plot, pose, film = (tmp_path / name for name in ("a.csv", "b.png", "c.svg", "d.gif"))
    result = run("spatial", PENDULUM, "--duration", 0.1, "--csv", table, "--plot", plot, "--picture", pose, *options)
    assert result.exit_code == 0, result.output
    rows = list(csv.DictReader(table.read_text(encoding="utf-8").splitlines()))
    assert float(rows[-1]["t [s]"]) == pytest.approx(0.1) and plot.stat().st_size > 5000 and pose.stat().st_size > 5000
    place = [float(rows[-1][f"lower.B.{axis} [m]"]) for axis in "xyz"]
    assert place == pytest.approx([float(rows[-1][f"end.position {axis} [m]"]) for axis in "xyz"])
    assert place == pytest.approx(sk.SpatialModel.load(PENDULUM).simulate(0.1, 2).position("lower.B")[-1], abs=1e-3)
    assert sum(float(rows[-1][f"upper.q{part}"]) ** 2 for part in "wxyz") == pytest.approx(1)
    assert not film.exists()


def test_plain_data_and_an_animation(tmp_path):
    film = tmp_path / "film.gif"
    result = run("spatial", PENDULUM, "--duration", 0.04, "--samples", 5, "--json", "--animation", film)
    data = json.loads(result.stdout)
    assert data["columns"][0] == {"name": "t", "unit": "s", "values": pytest.approx([0, 0.01, 0.02, 0.03, 0.04])}
    from PIL import Image

    with Image.open(film) as picture:
        assert picture.n_frames > 1 and len(np.unique(np.asarray(picture.convert("RGB")).reshape(-1, 3), axis=0)) > 3


def test_bad_input_exits_with_2_and_every_error(tmp_path, monkeypatch, capsys):
    file = tmp_path / "bad.toml"
    file.write_text('[bodies]\nrod = { shape = "rod", mass = -1 }\n[joints]\nA = { type = "pin" }\n', encoding="utf-8")
    for command in ("spatial", "equations"):
        code, said = refused(monkeypatch, capsys, command, file)
        assert code == 2 and "bodies.rod.mass: expected a mass greater than zero" in said and "joints.A" in said
        assert "Traceback" not in said
    for words, expected in (
        (("spatial", PENDULUM, "--method", "magic"), "--method: 'magic' is unknown"),
        (("spatial", PENDULUM, "--step", "1e-4"), "--step: changes nothing with --method minimal"),
        (("spatial", PENDULUM, "--method", "small-steps", "--rtol", "1e-4"), "--rtol: changes nothing"),
        (("spatial", PENDULUM, "--animation", tmp_path / "a.doc"), "'.doc' is not an animation format"),
        (("spatial", PENDULUM, "--duration", "-1"), "duration"),
        (("equations", PENDULUM, "--c", "--latex"), "name different languages"),
        (("equations", PENDULUM, "-o", PENDULUM), "would overwrite the model file"),
        (("equations", PENDULUM, "-o", tmp_path / "a.txt"), "'a.txt' does not end in .tex or .py or .c"),
        (("equations", PENDULUM, "--c", "-o", tmp_path / "a.py"), "'a.py' does not end in .c"),
        (
            ("spatial", path("crank_rocker")),
            "crank_rocker.toml: 1 error\n  links: this is a file of a planar mechanism",
        ),
        (("equations", path("crank_rocker")), "Crank-rocker: 1 error\n  links: no link has a mass"),
        (("equations", path("crank_rocker"), "--free", "moter"), "2 errors\n  --free: 'moter' is no driver with a law"),
        (
            ("equations", path("excavator")),
            "every driver has a law: nothing is free to move\n      free one of them: --",
        ),
        (("equations", path("planetary_train"), "--free", "motor"), "links: no link has a mass"),
        (("equations", PENDULUM, "--free", "A"), "--free: bodies in space have no drivers"),
        (("equations", PENDULUM, "--ratios", "B=A", "--ratios", "=2*A"), "2 errors\n  --ratios: 'B=A' is not JOINT=N"),
        (("equations", PENDULUM, "--ratios", "B=2*A", "--ratios", "B=3*A"), "--ratios: 'B' is given twice"),
        (("equations", PENDULUM, "--independent", "A"), "independent: needs dependent coordinates\n      add"),
        (("equations", PENDULUM, "--loops", "all"), "loops: 'all' is unknown\n      multipliers, explicit or auto"),
        (("check", PENDULUM), "pendulum.toml: 1 error"),
        (
            ("solve", PENDULUM),
            "bodies: this is a file of bodies in space; the commands `spatial` and `equations` read it",
        ),
    ):
        code, said = refused(monkeypatch, capsys, *words)
        assert code == 2 and expected in said, said


def test_files_that_cannot_be_written_are_refused_before_the_work(tmp_path, monkeypatch, capsys):
    table, nowhere, file = tmp_path / "a.csv", tmp_path / "none" / "z.gif", tmp_path / "rod.gif"
    monkeypatch.setattr(sk.SpatialModel, "load", lambda path: pytest.fail("the model was read"))
    for words, expected in (
        (("--csv", table, "--animation", nowhere), [f"--animation: there is no folder '{nowhere.parent}'"]),
        (("--plot", nowhere), ["'.gif' is not a picture format", "--plot: there is no folder"]),
        (("--csv", nowhere.with_suffix(".csv")), ["--csv: there is no folder"]),
        (
            ("--picture", tmp_path / "a.png", "--animation", tmp_path / "a.png"),
            ["would overwrite what --picture writes"],
        ),
    ):
        code, said = refused(monkeypatch, capsys, "spatial", PENDULUM, *words)
        assert code == 2 and all(text in said for text in expected), said
    code, said = refused(monkeypatch, capsys, "spatial", file, "--animation", file)
    assert code == 2 and "would overwrite the mechanism file" in said
    code, said = refused(monkeypatch, capsys, "equations", PENDULUM, "-o", nowhere)
    assert code == 2 and "--output: there is no folder" in said
    assert not table.exists()


def test_equations_as_python_are_those_of_the_motion(tmp_path):
    pytest.importorskip("sympy")
    target = tmp_path / "top.py"
    assert run("equations", spatial.path("spinning_top"), "--python", "-o", target).exit_code == 0
    names: dict = {}
    exec(compile(target.read_text(encoding="utf-8"), "top.py", "exec"), names)
    motion = sk.SpatialModel.load(spatial.path("spinning_top")).simulate(0.1, 3)
    for t, q, qd, qdd in zip(motion.t, motion.q, motion.qd, motion.qdd, strict=True):
        M, h, f = (np.asarray(part, dtype=float) for part in names["equations"](t, q, qd)[:3])
        assert M @ qdd + h.ravel() == pytest.approx(f.ravel(), abs=1e-7)
    for language, word in (("--latex", "documentclass"), ("--c", "#include")):
        assert word in run("equations", spatial.path("spinning_top"), language).stdout


@pytest.mark.full
def test_options_of_equations_are_those_of_python():
    pytest.importorskip("sympy")
    model, m = sk.SpatialModel.load(PENDULUM), sk.load(path("andrews_squeezer"))
    for words, expected in (
        (("--shared", "--numbers"), model.equations(shared=True, numbers=True)),
        (("--loops", "explicit", "--ratios", "A=2.5*O"), model.equations(loops="explicit", ratios={"A": ("O", 2.5)})),
    ):
        assert run("equations", PENDULUM, "--python", *words).stdout == expected.python() + "\n"
    words = ("--python", "--free", "motor", "--independent", "O", "--written-out")
    found, wanted = run("equations", path("andrews_squeezer"), *words), m.equations(free=["motor"], shared=False)
    assert found.stdout == wanted.python() + "\n"
    assert wanted.coordinates == (("O", 0),)


ENDLESS = """
import signal
signal.signal(signal.SIGINT, signal.default_int_handler)  # a job in the background ignores it
from structkin.cli import main
import structkin.spatial.run as small, structkin.symbolic.system as minimal
def telling(function):
    said = []
    def told(*words):
        if not said:
            said.append(print("running", flush=True))
        return function(*words)
    return told
small._status = telling(small._status)
minimal.System.accept = telling(minimal.System.accept)
main()
"""


@pytest.mark.skipif(os.name == "nt", reason="no signals of this kind here")
@pytest.mark.parametrize("options", few([[], ["--method", "small-steps"]], 1))
def test_an_interrupt_ends_a_long_run_at_once_and_leaves_nothing(tmp_path, options):
    words = ["spatial", PENDULUM, "--duration", "1e5", "--budget", "none", "--csv", str(tmp_path / "a.csv"), *options]
    with subprocess.Popen(
        [sys.executable, "-c", ENDLESS, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout.readline() == "running\n"
        process.send_signal(signal.SIGINT)
        with suppress(subprocess.TimeoutExpired):
            process.wait(120)  # less than a second where nothing else runs; the run itself takes hours
        process.kill()
        said = process.stderr.read()
    assert "Traceback" not in said
    assert process.returncode in (1, 130) and not os.listdir(tmp_path)
