"""Picture files, and the cost of imports."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from matplotlib.figure import Figure

import structkin as sk
from structkin.show import save_figure
from structkin.show.files import whole_file

STARTS = {"png": b"\x89PNG", "svg": b"<?xml", "pdf": b"%PDF"}


@pytest.mark.parametrize("suffix", STARTS)
def test_format_by_suffix_and_equal_figures_give_equal_files(suffix, tmp_path):
    for name in ("a", "b"):
        figure = Figure(figsize=(2, 2))
        figure.subplots().fill([0, 1, 1], [0, 1, 0], clip_on=True)
        save_figure(figure, tmp_path / f"{name}.{suffix}")
    first, second = ((tmp_path / f"{name}.{suffix}").read_bytes() for name in ("a", "b"))
    assert first.startswith(STARTS[suffix]) and first == second
    assert sorted(os.listdir(tmp_path)) == [f"a.{suffix}", f"b.{suffix}"]


@pytest.mark.parametrize("name", ["a.gif", "a", ".png"])
def test_other_formats_are_refused(name, tmp_path):
    with pytest.raises(sk.InputError, match=r"use \.png, \.svg, \.pdf"):
        save_figure(Figure(), tmp_path / name)
    assert not os.listdir(tmp_path)


def test_missing_folder_and_folder_as_file(tmp_path):
    with pytest.raises(sk.InputError, match="there is no folder"):
        save_figure(Figure(), tmp_path / "no" / "a.png")
    (tmp_path / "d.png").mkdir()
    with pytest.raises(sk.InputError, match="is a folder"):
        save_figure(Figure(), tmp_path / "d.png")


def test_write_protected(tmp_path, monkeypatch):
    monkeypatch.setattr(os, "access", lambda path, mode: False)
    with pytest.raises(sk.InputError, match="write-protected"):
        save_figure(Figure(), tmp_path / "a.png")
    assert not os.listdir(tmp_path)


def test_a_full_disk_leaves_the_old_file(tmp_path):
    target = tmp_path / "a.txt"
    target.write_text("old")
    with pytest.raises(sk.InputError, match="cannot be written: No space left"), whole_file(target) as file:
        file.write("half")
        raise OSError(28, "No space left on device")
    assert target.read_text() == "old" and os.listdir(tmp_path) == ["a.txt"]


def test_a_link_stays_a_link(tmp_path):
    real, link = tmp_path / "real.txt", tmp_path / "link.txt"
    real.write_text("old")
    link.symlink_to(real)
    with whole_file(link) as file:
        file.write("new")
    assert link.is_symlink() and real.read_text() == "new"


@pytest.mark.skipif(not Path("/dev/null").exists(), reason="no devices here")
def test_a_device_is_written_to_and_not_replaced():
    with whole_file("/dev/null") as file:
        file.write("x")
    assert not Path("/dev/null").is_file()


def test_picture_libraries_are_imported_on_demand():
    modules = "structkin, structkin.show, structkin.show.columns, structkin.show.motion_forces"
    code = f"import sys, {modules}; print('matplotlib' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


def test_no_pyplot():
    code = (
        "import sys, structkin.show.schematic, structkin.show.structure_graph, structkin.show.motion_plot;"
        "print('matplotlib.pyplot' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


def test_unknown_names_of_the_package():
    import structkin.show

    with pytest.raises(AttributeError, match="no attribute 'pie_chart'"):
        _ = structkin.show.pie_chart
    assert all(callable(getattr(structkin.show, name)) for name in structkin.show.__all__)
