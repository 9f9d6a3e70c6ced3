"""Where commands write: names that give the format, stdout, and what remains after a signal."""

from __future__ import annotations

import csv
import io
import os
import signal
import subprocess
import sys
import time
from contextlib import suppress

import pytest
from cases import few
from crank_rocker_text import CRANK_ROCKER
from typer.testing import CliRunner

import structkin as sk
from structkin.cli import app
from structkin.errors import InputError
from structkin.examples import path, spatial
from structkin.files.writers import FORMATS
from structkin.show import write_csv

GOOD = str(path("crank_rocker"))
ENGINE = str(path("one_cylinder_engine"))


def run(*words):
    return CliRunner().invoke(app, words)


@pytest.mark.parametrize("name", ["x.xlsx", "x.tsv", "x", "x.csv.gz", ".csv"])
@pytest.mark.parametrize("command", [["solve", GOOD], ["forces", ENGINE], ["bench", "structure"], ["bench", "groups"]])
def test_a_table_of_another_format_is_refused(command, name, tmp_path):
    result = run(*command, "--csv", str(tmp_path / name))
    assert isinstance(result.exception, InputError) and "use .csv" in str(result.exception)
    assert not result.output and not os.listdir(tmp_path)


def test_in_python_too(tmp_path):
    motion = sk.load(GOOD).solve(5)
    with pytest.raises(InputError, match=r"'.xlsx' is not a table format; use .csv"):
        write_csv(motion, tmp_path / "x.xlsx")
    text = io.StringIO()
    write_csv(motion, text)
    write_csv(motion, tmp_path / "x.CSV")
    assert (tmp_path / "x.CSV").read_text("utf-8") == text.getvalue() and os.listdir(tmp_path) == ["x.CSV"]


@pytest.mark.parametrize(
    "command",
    [
        ["solve", GOOD, "--samples", "3"],
        ["forces", ENGINE, "--samples", "3"],
        ["bench", "structure", "--links", "8"],
    ],
)
def test_a_dash_is_stdout(command, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    result = run(*command, "--csv", "-")
    rows = list(csv.reader(io.StringIO(result.stdout)))
    assert result.exit_code == 0 and len({len(row) for row in rows}) == 1 and len(rows) >= 3
    assert not os.listdir(tmp_path)


def test_stdout_takes_one_output(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    result = run("solve", GOOD, "--csv", "-", "--json")
    assert "'-' is stdout, which --json uses" in str(result.exception)
    result = run("solve", GOOD, "--samples", "3", "--csv", "-", "--plot", "a.png")
    assert result.stdout.startswith("t,") and "written" not in result.output and os.listdir(tmp_path) == ["a.png"]


PICTURES = [
    ("solve", GOOD, "--plot"),
    ("solve", GOOD, "--schematic"),
    ("structure", GOOD, "--plot"),
    ("structure", GOOD, "--matrices"),
    ("limits", GOOD, "--plot"),
    ("assemblies", GOOD, "--plot"),
    ("inputs", GOOD, "--plot"),
    ("forces", ENGINE, "--plot"),
    ("simulate", ENGINE, "--plot"),
    ("simulate", ENGINE, "--energies"),
    ("simulate", ENGINE, "--reactions"),
]


@pytest.mark.parametrize("command", PICTURES, ids=lambda words: " ".join((words[0], words[2])))
def test_a_picture_of_another_format_is_refused_before_the_work(command, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in ("-", "x.xlsx", "x"):
        result = run(*command, name)
        assert isinstance(result.exception, InputError) and "use .png, .svg, .pdf" in str(result.exception)
        assert not result.output and not os.listdir(tmp_path)


FOLDERS = [
    ["demo"],
    ["examples", "crank_rocker"],
    ["bench", "dynamics"],
    ["bench", "scalable-four-bar"],
    *(["studies", name] for name in ("baumgarte", "gait", "pendulum", "slider-crank", "gait-drift")),
]


@pytest.mark.parametrize("command", FOLDERS)
def test_what_is_not_a_folder_is_refused_before_the_work(command, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "file").touch()
    for name in ("-", "file", "file/below"):
        result = run(*command, "--to", name)
        assert isinstance(result.exception, InputError) and "not a folder" in str(result.exception)
        assert not result.output and os.listdir(tmp_path) == ["file"]


@pytest.mark.skipif(not os.path.isdir("/proc/1"), reason="needs a folder that not even root can write")
@pytest.mark.parametrize("command", [command for command in FOLDERS if command[0] != "examples"])
def test_a_folder_that_cannot_be_written_is_refused_before_the_work(command, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in ("/proc/1", "/proc/1/below", "new/" + 300 * "x"):
        result = run(*command, "--to", name)
        assert isinstance(result.exception, InputError) and "can be created and written" in str(result.exception)
        assert not result.output and not os.listdir(tmp_path)


LOOPS = [
    ("solve {} --csv", "csv", "--csv"),
    ("solve {} --plot", "svg", "--plot"),
    ("animate {} -o", "gif", "--output"),
    ("animate {} -o", "html", "--output"),
    ("worksheet {} -o", "html", "--output"),
    ("equations {} -o", "tex", "--output"),
    ("convert {}", "svg", "OUT"),
    ("convert {}", "csv", "OUT"),
]


@pytest.mark.skipif(os.name == "nt", reason="no links of this kind here")
@pytest.mark.parametrize(("command", "suffix", "option"), LOOPS, ids=lambda word: word.strip())
def test_a_name_that_cannot_be_written_is_refused_under_its_option_before_the_work(
    command, suffix, option, tmp_path, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sk.Mechanism, "solve", None)
    loop, long = f"loop.{suffix}", f"{'a' * 300}.{suffix}"
    os.symlink(loop, loop)
    for name, why in ((loop, "symbolic links"), (long, "name too long")):
        result = run(*command.format(GOOD).split(), name)
        assert isinstance(result.exception, InputError), result.exception
        (problem,) = result.exception.problems
        assert problem.key == option and why in problem.message and os.listdir(tmp_path) == [loop]


def test_where_the_best_mechanism_goes_is_checked_before_the_work(tmp_path, monkeypatch):
    monkeypatch.setattr(sk.Mechanism, "optimise", None)
    task = tmp_path / "task.toml"
    task.write_text(
        'parameters = { "lengths.C-D" = [50, 200] }\n'
        f'objective = [{{ measure = "stroke", of = "rocker", wanted = 1.0 }}]\n{CRANK_ROCKER}'
    )
    for name, said in (
        (task, "--to: would overwrite the mechanism file"),
        (tmp_path / f"{'a' * 300}.toml", "--to: cannot be written: "),
        (tmp_path / "none" / "a.toml", "--to: there is no folder"),
    ):
        result = run("optimise", str(task), "--to", str(name))
        assert isinstance(result.exception, InputError) and said in str(result.exception)


def test_a_home_that_is_not_known_is_no_folder():
    result = run("solve", GOOD, "--csv", "~no-one-of-this-name/a.csv")
    assert isinstance(result.exception, InputError) and "--csv: cannot be written: " in str(result.exception)


SLOW_DISK = """
import signal, sys, time
import structkin.show.files as table
def writer(file, **options):
    lines = plain_writer(file, **options)
    class Slow:
        writerow = lines.writerow
        def writerows(self, rows):
            file.flush()
            print("writing", flush=True)
            time.sleep(1000)
    return Slow()
plain_writer = table.csv.writer
table.csv.writer = writer
# A job in the background ignores these.
signal.signal(signal.SIGINT, signal.default_int_handler)
signal.signal(signal.SIGHUP, signal.SIG_DFL)
from structkin.cli import main
main()
"""


@pytest.mark.skipif(os.name == "nt", reason="no signals of this kind here")
@pytest.mark.parametrize("name", few(["SIGTERM", "SIGINT", "SIGHUP"], 1, 1))
def test_a_signal_leaves_nothing_half_written(name, tmp_path):
    target = tmp_path / "motion.csv"
    words = [sys.executable, "-c", SLOW_DISK, "solve", GOOD, "--samples", "3", "--csv", str(target)]
    with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout.readline() == "writing\n"
        assert len(os.listdir(tmp_path)) == 1  # the draft
        process.send_signal(getattr(signal, name))
        with suppress(subprocess.TimeoutExpired):
            process.wait(120)
        process.kill()
        said = process.stderr.read()
    assert "Traceback" not in said
    assert process.returncode in (128 + getattr(signal, name), 1, 130) and not os.listdir(tmp_path)


@pytest.mark.skipif(os.name == "nt", reason="no signals of this kind here")
@pytest.mark.parametrize("words", few([["structure", GOOD], ["structure", GOOD, "--json"], ["--help"]], 1, 1))
def test_output_that_nobody_reads_ends_as_other_programs_do(words):
    """128 + SIGPIPE, as `yes | head` has; 1 would say that something is not ok."""
    reader, writer = os.pipe()
    os.close(reader)
    code = "from structkin.cli import main; main()"
    found = subprocess.run([sys.executable, "-c", code, *words], stdout=writer, stderr=subprocess.PIPE, check=False)
    os.close(writer)
    assert (found.returncode, found.stderr) == (128 + signal.SIGPIPE, b"")


@pytest.mark.full
@pytest.mark.skipif(os.name == "nt", reason="no signals of this kind here")
def test_an_interrupted_warm_up_leaves_no_process(tmp_path):
    """It waited for what its processes compiled: a minute."""
    code = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler)\n"
    code += "from structkin.cli import main; main()"
    words, cache = [sys.executable, "-c", code, "warm-up"], {**os.environ, "STRUCTKIN_CACHE": str(tmp_path)}
    with subprocess.Popen(words, env=cache, stderr=subprocess.PIPE, text=True, start_new_session=True) as process:
        time.sleep(5)
        process.send_signal(signal.SIGINT)
        # Errors end when the last process that could write some does.
        _, said = process.communicate(timeout=30)
    assert process.returncode == 130 and "Traceback" not in said


def test_an_ignored_signal_stays_ignored():
    from structkin.cli import tidy_end

    before = signal.signal(signal.SIGTERM, signal.SIG_IGN)
    try:
        with tidy_end():
            assert signal.getsignal(signal.SIGTERM) is signal.SIG_IGN
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        with tidy_end(), pytest.raises(SystemExit):
            signal.raise_signal(signal.SIGTERM)
        assert signal.getsignal(signal.SIGTERM) is signal.SIG_DFL
    finally:
        signal.signal(signal.SIGTERM, before)


def shell(command, **environment):
    """Run a command of structkin in a shell."""
    words = f"{sys.executable} -c 'from structkin.cli import main; main()' {command}"
    return subprocess.run(
        ["/bin/sh", "-c", words], check=False, capture_output=True, text=True, timeout=120,
        env={**os.environ, **environment},
    )  # fmt: skip


@pytest.mark.skipif(os.name == "nt", reason="no shell of this kind here")
@pytest.mark.parametrize(
    "command",
    few(
        [
            f"solve {GOOD} --samples 3 --csv -",
            f"solve {GOOD} --samples 3 --json",
            f"forces {ENGINE} --samples 3 --csv -",
            "bench structure --links 8 --csv -",
            f"equations {spatial.path('spinning_top')}",
        ],
        2,
        1,
    ),
)
def test_data_for_a_closed_stdout_is_an_error(command):
    run = shell(f"{command} >&-")
    assert run.returncode == 2 and "stdout is closed" in run.stderr and "Traceback" not in run.stderr


def test_no_backend_of_matplotlib_is_needed(tmp_path):
    run = shell(f"solve {GOOD} --samples 3 --plot {tmp_path / 'a.png'}", MPLBACKEND="nonsense")
    assert run.returncode == 0 and not run.stderr and os.listdir(tmp_path) == ["a.png"]


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no /dev/full here")
@pytest.mark.parametrize("suffix", few(FORMATS, 1, 3))
def test_a_full_disk_gives_one_line(suffix, tmp_path):
    target = tmp_path / f"a{suffix}"
    target.symlink_to("/dev/full")
    run = shell(f"convert {GOOD} {target}")
    assert run.returncode == 2 and "No space left" in run.stderr
    assert "Traceback" not in run.stderr and "Exception ignored" not in run.stderr


def test_a_workbook_leaves_no_temporary_files(tmp_path, monkeypatch):
    pytest.importorskip("openpyxl")
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "nowhere"))
    sk.load(GOOD).save(tmp_path / "a.xlsx")
    assert os.listdir(tmp_path) == ["a.xlsx"]


@pytest.mark.parametrize("name", ["", "."])
def test_an_empty_name_is_called_so(name):
    (problem,) = run("solve", GOOD, "--csv", name).exception.problems
    assert (problem.key, problem.message) == ("--csv", "the name is empty, or that of this folder")


def test_a_worksheet_before_the_table_of_a_load_names_the_time_that_is_asked_for(tmp_path):
    (problem,) = run("worksheet", ENGINE, "--time", "-4 ms", "-o", str(tmp_path / "w.html")).exception.problems
    assert (problem.key, problem.message[-12:]) == ("forces.gas", " to -0.004 s")
