"""What a file that is replaced hands on to the new one, and what a killed process leaves."""

from __future__ import annotations

import os
import signal
import stat
import subprocess
import sys

import pytest
from cases import few

import structkin as sk
from structkin.examples import path, spatial
from structkin.files.writers import FORMATS
from structkin.show.files import whole_file
from structkin.studio.files import MechanismFile

POSIX = pytest.mark.skipif(os.name == "nt", reason="no permissions of this kind here")
BOM = b"\xef\xbb\xbf"


def mechanism():
    return sk.load(path("crank_rocker"))


def saved(target):
    """Open what is there in the studio, and save it."""
    target.write_bytes(target.read_bytes().replace(b"old", b"[points]"))
    file = MechanismFile(target)
    file.save(file.read())


def equations(target):
    from structkin.cli.equations import equations

    equations(spatial.path("spinning_top"), output=target)


WRITERS = {
    **{suffix: lambda target: mechanism().save(target) for suffix in FORMATS},
    ".html": lambda target: mechanism().report(target, samples=5),
    ".gif": lambda target: mechanism().solve(3).animate(fps=5).save(target),
    " of equations.py": equations,
    " of equations.c": equations,
    " of the studio.toml": saved,
}
TEXTS = {name: write for name, write in WRITERS.items() if not name.endswith((".png", ".pdf", ".xlsx", ".gif"))}


@POSIX
@pytest.mark.parametrize("name", few(WRITERS, 5))
def test_every_writer_keeps_the_permissions(name, tmp_path):
    target = tmp_path / f"a{name}"
    for mode in (0o600, 0o664):
        target.write_bytes(b"old\n")
        target.chmod(mode)
        WRITERS[name](target)
        assert stat.S_IMODE(target.stat().st_mode) == mode and b"old" not in target.read_bytes()[:4]
    assert os.listdir(tmp_path) == [target.name]


@pytest.mark.parametrize("name", few(TEXTS, 4))
def test_every_writer_of_text_keeps_line_ends_and_the_mark(name, tmp_path):
    target = tmp_path / f"a{name}"
    target.write_bytes(b"old\n")
    TEXTS[name](target)
    plain = target.read_bytes()
    assert b"\r" not in plain and not plain.startswith(BOM)
    for mark in (b"", BOM):
        for end in (b"\n", b"\r\n"):
            target.write_bytes(mark + b"old" + end)
            TEXTS[name](target)
            found = target.read_bytes()
            assert found.startswith(BOM) == bool(mark)
            assert found.count(b"\r\n") == found.count(b"\r") == (found.count(b"\n") if end == b"\r\n" else 0)
            if name != ".dxf":  # it contains the time
                assert found.removeprefix(BOM).replace(b"\r\n", b"\n") == plain


@POSIX
def test_a_new_file_has_the_usual_permissions_and_a_draft_of_a_private_one_is_private(tmp_path):
    target, before = tmp_path / "a.txt", os.umask(0o027)
    try:
        with whole_file(target) as file:
            file.write("new")
        assert stat.S_IMODE(target.stat().st_mode) == 0o640
        target.chmod(0o644)
        with whole_file(target) as file:
            draft = next(one for one in tmp_path.iterdir() if one != target)
            assert stat.S_IMODE(draft.stat().st_mode) == 0o600
            file.write("newer")
    finally:
        os.umask(before)
    assert stat.S_IMODE(target.stat().st_mode) == 0o644


@pytest.mark.skipif(os.name == "nt" or os.getuid() != 0, reason="only root may give files away")
def test_root_leaves_a_file_to_its_owner(tmp_path):
    target = tmp_path / "a.txt"
    target.write_text("old")
    os.chown(target, 12345, 23456)
    target.chmod(0o640)
    with whole_file(target) as file:
        file.write("new")
    found = target.stat()
    assert (found.st_uid, found.st_gid, stat.S_IMODE(found.st_mode)) == (12345, 23456, 0o640)


@POSIX
def test_another_group_is_not_given_the_rights_of_the_old_one(tmp_path, monkeypatch):
    def refuse(*_):
        raise PermissionError

    monkeypatch.setattr(os, "fchown", refuse)
    for before, after in ((0o660, 0o600), (0o664, 0o644), (0o646, 0o666)):
        target = tmp_path / "a.txt"
        target.write_text("old")
        target.chmod(before)
        with whole_file(target) as file:
            file.write("new")
        assert stat.S_IMODE(target.stat().st_mode) == after


KILLED = """
import sys, time
from structkin.show.files import whole_file
with whole_file(sys.argv[1]) as file:
    file.write("half"); file.flush()
    print("writing", flush=True)
    time.sleep(60)
"""


@POSIX
def test_the_draft_of_a_killed_process_is_removed_and_that_of_a_living_one_is_not(tmp_path):
    target = tmp_path / "a.txt"
    target.write_text("old")
    others = [tmp_path / name for name in (".a.txt.tmp", ".b.txt.0123abcd.tmp", ".a.txt.0123abcd.tmp.bak", "a.tmp")]
    for other in others:
        other.write_text("not ours")
    with subprocess.Popen([sys.executable, "-c", KILLED, str(target)], stdout=subprocess.PIPE) as process:
        assert process.stdout.readline() == b"writing\n"
        with whole_file(target) as file:
            file.write("second")
            assert len(os.listdir(tmp_path)) == 1 + len(others) + 2
        assert len(os.listdir(tmp_path)) == 1 + len(others) + 1  # the living one has its draft
        process.send_signal(signal.SIGKILL)
    assert target.read_text() == "second" and len(os.listdir(tmp_path)) == 1 + len(others) + 1
    with whole_file(target) as file:
        file.write("third")
    assert target.read_text() == "third"
    assert sorted(os.listdir(tmp_path)) == sorted(["a.txt", *(other.name for other in others)])


@pytest.mark.skipif(os.name == "nt" or os.getuid() != 0, reason="only root may give files away")
def test_a_draft_of_another_user_stays(tmp_path):
    draft = tmp_path / ".a.txt.0123abcd.tmp"
    draft.write_text("not ours")
    os.chown(draft, 12345, 23456)
    with whole_file(tmp_path / "a.txt") as file:
        file.write("new")
    assert draft.exists()


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no /dev/full here")
def test_a_full_device_is_refused_as_a_file_is():
    with (
        pytest.raises(sk.InputError, match="/dev/full: cannot be written: No space left"),
        whole_file("/dev/full") as file,
    ):
        file.write("x")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes with names here")
def test_a_pipe_that_nobody_reads_any_more_stays_a_broken_pipe(tmp_path):
    os.mkfifo(pipe := tmp_path / "pipe")
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    with pytest.raises(BrokenPipeError), whole_file(pipe) as file:
        os.close(reader)
        file.write("x")
