"""Animations: every frame is the picture of its sample, at the right time, in files that other programs read."""

from __future__ import annotations

import stat
import sys
from dataclasses import replace
from io import BytesIO
from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from show_samples import crank_rocker, digger, one_crank, part_turn
from typer.testing import CliRunner

import structkin as sk
from structkin.cli import app
from structkin.examples import path
from structkin.show import video
from structkin.show.style import LOOSE


def gid(stage, wanted):
    return next(artist for artist in stage.artists if artist.get_gid() == wanted)


def test_a_cycle_plays_in_real_time_and_shows_its_last_pose_once():
    film = crank_rocker().solve(duration=3, samples=301).animate(fps=20)
    assert (len(film), film.seconds, film.speed) == (60, 3.0, 1.0)
    np.testing.assert_allclose(film.motion.t[film.samples], np.arange(60) / 20, atol=1e-12)


def test_its_words_are_short():
    """They held the motion with all its numbers."""
    assert repr(crank_rocker().solve(samples=31).animate(fps=20, seconds=3, width=400)) == (
        "<Animation of 'Crank-rocker': 60 frames, 3 s, 400 px wide>"
    )


def test_large_numbers_of_a_caption_have_no_power_of_ten():
    data = sk.load(path("crank_rocker")).source_dict
    data["units"]["angle"], data["drivers"]["motor"]["speed"] = "mrad", "1 deg/s"
    film = sk.Mechanism.from_dict(data).solve(duration=7200, samples=73).animate(fps=5, seconds=1)
    words = film.caption(72)[0].replace("\n", " ")
    # from 60 degrees on, 20 turns
    assert "t = 7200 s, motor = 126700 mrad, 7200 times faster" in words


def test_a_motion_that_does_not_close_shows_both_ends():
    film = digger().solve(samples=101).animate(fps=10, seconds=2)
    assert film.samples[0] == 0 and film.samples[-1] == 100
    assert "2 times slower" in film.caption(0)[0].replace("\n", " ")
    assert max(map(len, film.caption(0)[0].splitlines())) <= 58  # at the left of the legend


def test_speed_and_seconds_set_the_duration():
    motion = crank_rocker().solve(samples=101)
    assert motion.animate(fps=10, speed=0.25).seconds == pytest.approx(4.0)
    assert motion.animate(fps=10, seconds=0.5).seconds == pytest.approx(0.5)
    assert motion.animate().seconds == pytest.approx(2.0)  # a motion of one second is played more slowly


def test_without_times_each_sample_is_a_frame():
    motion = one_crank().solve(drivers={"motor": np.linspace(0, 1, 7)})
    assert motion.animate().samples.tolist() == [0, 1, 2, 3, 4, 5, 6]
    with pytest.raises(sk.InputError, match=r"no increasing times; give seconds"):
        motion.animate(speed=1.0)


def test_frames_do_not_depend_on_earlier_frames():
    film = sk.load(path("excavator")).solve(samples=9).animate(fps=4, seconds=2, width=300)
    back = replace(film, samples=film.samples[::-1])
    forth = list(film.frames())
    assert len(forth) == 8 and forth[0].dtype == np.uint8 and forth[0].shape[1:] == (300, 3)
    for one, other in zip(forth, list(back.frames())[::-1], strict=True):
        np.testing.assert_array_equal(one, other)
    assert all((one != forth[0]).any() for one in forth[1:])


def test_moving_parts_are_where_the_motion_puts_them():
    m = crank_rocker()
    motion = m.solve(samples=13)
    film = motion.animate(width=300, trace=["P", "C"])
    for k in (0, 5, 11):
        film._stage.frame(k, ("", "black"))
        for point in "BCP":
            artist = gid(film._stage, f"{'point' if point == 'P' else 'pin'}:{point}")
            assert artist.center == pytest.approx(1e3 * motion.position(point)[k])
        for point in "PC":
            np.testing.assert_allclose(
                gid(film._stage, f"path:{point}").get_xydata(), 1e3 * motion.position(point)[: k + 1]
            )
    grounded = {artist.get_gid() for artist in film._stage.artists}
    assert "pin:A" in grounded and "pivot:A" not in grounded  # parts at rest below all others are drawn once


def test_a_sample_without_a_pose_is_a_frame_with_the_reason():
    motion = part_turn().solve(samples=31)
    film = motion.animate(fps=15, seconds=2, width=300)
    bad = int(np.flatnonzero(~motion.ok)[0])
    assert bad in film.samples
    words, colour = film.caption(bad)
    assert "out of reach at group 2" in words.replace("\n", " ") and colour == LOOSE
    film._stage.frame(bad, (words, colour))
    assert gid(film._stage, "link:left").get_visible() and not gid(film._stage, "link:coupler").get_visible()


def test_a_simulation_is_animated():
    m = sk.Mechanism(
        "Pendulum",
        points={"A": [0, 0], "B": [1, 0]},
        links={"ground": ["A"], "arm": {"points": ["A", "B"], "mass": 1.0, "center": [1, 0], "inertia": 0.01}},
        drivers={"swing": {"joint": "A"}},
        forces={"gravity": [0, -9.81]},
    )
    film = m.simulate(2.0, samples=41).animate(fps=10, width=300)
    assert len(film) == 20 and film.speed == 1.0


@pytest.mark.parametrize(("suffix", "repeat"), [(".gif", True), (".gif", False), (".webp", True)])
def test_files_are_read_by_others(tmp_path, suffix, repeat):
    target = tmp_path / f"crank{suffix}"
    done: list[float] = []
    film = crank_rocker().solve(samples=31).animate(fps=12, seconds=1, width=320, repeat=repeat)
    film.save(target, progress=done.append)
    assert done[-1] == 1.0 and len(done) == 12 and [file.name for file in tmp_path.iterdir()] == [target.name]
    with Image.open(target) as picture:
        assert picture.n_frames == 12 and picture.size[0] == 320
        assert picture.info.get("loop") == (0 if repeat else None)
        total = 0
        for k, frame in enumerate(film.frames()):
            picture.seek(k)
            # few colours: text and edges differ a little, nothing is displaced, and white stays white
            seen = np.asarray(picture.convert("RGB")).astype(int)
            assert np.abs(seen - frame).mean() < 0.5 and (seen[0, 0] == 255).all()
            total += picture.info["duration"]
        assert total == pytest.approx(1000, abs=12)


def test_a_notebook_shows_the_animation():
    html = one_crank().solve(samples=5).animate(fps=5, seconds=1, width=200)._repr_html_()
    assert html.startswith("<img alt=") and "data:image/webp;base64," in html


@pytest.mark.skipif(sys.platform == "win32", reason="the stand-in for ffmpeg is a script")
def test_an_mp4_gets_all_frames_in_even_sizes(tmp_path, monkeypatch):
    stand_in = tmp_path / "ffmpeg"
    stand_in.write_text(
        f"#!{sys.executable}\nimport sys, pathlib\ndata = sys.stdin.buffer.read()\n"
        "size = sys.argv[sys.argv.index('-s') + 1]\npathlib.Path(sys.argv[-1]).write_text(f'{len(data)} {size}')\n"
    )
    stand_in.chmod(stand_in.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setattr(video, "ffmpeg", lambda: str(stand_in))
    target = tmp_path / "crank.mp4"
    one_crank().solve(samples=5).animate(fps=5, seconds=1, width=301).save(target)
    count, size = target.read_text().split()
    width, height = map(int, size.split("x"))
    assert width == 300 and height % 2 == 0 and int(count) == 5 * 3 * width * height
    stand_in.write_text(f"#!{sys.executable}\nimport sys\nsys.exit('no such encoder')\n")
    target.unlink()
    with pytest.raises(sk.StructkinError, match="no such encoder"):
        one_crank().solve(samples=5).animate(fps=5, seconds=1, width=301).save(target)
    assert not target.exists()


def test_without_ffmpeg_an_mp4_is_refused(tmp_path, monkeypatch):
    def absent(name):
        raise ImportError(name)

    monkeypatch.setattr(video.shutil, "which", lambda name: None)
    monkeypatch.setattr(video, "import_module", absent)
    with pytest.raises(sk.InputError, match=r"MP4 needs the program ffmpeg; install ffmpeg"):
        one_crank().solve(samples=5).animate().save(tmp_path / "crank.mp4")
    assert not list(tmp_path.iterdir())


def test_bad_calls(tmp_path):
    motion = crank_rocker().solve(samples=5)
    with pytest.raises(sk.InputError) as found:
        motion.animate(fps=0, seconds=-1, speed=2, width=5, trace=["Q"])
    assert {problem.key for problem in found.value.problems} == {"fps", "seconds", "speed", "width", "trace"}
    with pytest.raises(sk.InputError, match=r"0 is not positive; seconds of motion per second of playing time"):
        motion.animate(speed=0)
    with pytest.raises(sk.InputError, match=r"at most 20000"):
        motion.animate(seconds=1e6)
    for long, said in ((1e300, r"1e\+300 s are 2.5e\+301 frames; at most"), (1e308, "inf frames; at most")):
        with pytest.raises(sk.InputError, match=said):
            motion.animate(seconds=long)
    for rate in (1e-300, 1e-12, 0.009, 121):
        with pytest.raises(sk.InputError, match=r"fps: .* frames per second; from 0.01 to 120"):
            motion.animate(fps=rate)
    for suffix in (".gif", ".webp"):
        motion.animate(fps=0.01, seconds=200, width=100).save(tmp_path / f"slow{suffix}")
    film = motion.animate(fps=60)
    with pytest.raises(sk.InputError, match=r"a GIF plays at most 50 frames per second"):
        film.save(tmp_path / "a.gif")
    with pytest.raises(sk.InputError, match=r"not an animation format; use .gif, .webp, .mp4"):
        film.save(tmp_path / "a.avi")


def test_the_command(tmp_path):
    target = tmp_path / "crank.gif"
    call = ["animate", str(path("crank_rocker")), "-o", str(target), "--seconds", "1", "--fps", "8", "--width", "200"]
    found = CliRunner().invoke(app, call)
    assert found.exit_code == 0 and "8 frames, 1 s" in found.output
    assert Image.open(BytesIO(Path(target).read_bytes())).n_frames == 8
    with pytest.raises(sk.InputError, match="would overwrite"):
        sheet, link = tmp_path / "crank.toml", tmp_path / "a.gif"
        sheet.write_bytes(path("crank_rocker").read_bytes())
        link.symlink_to(sheet)
        CliRunner().invoke(app, ["animate", str(sheet), "-o", str(link)], catch_exceptions=False)


def test_a_page_is_written_by_the_report(tmp_path):
    target = tmp_path / "crank.html"
    call = ["animate", str(path("crank_rocker")), "-o", str(target)]
    assert CliRunner().invoke(app, call).exit_code == 0
    assert "Crank-rocker" in target.read_text(encoding="utf-8")
    with pytest.raises(sk.InputError, match=r"--fps: has no effect on a page"):
        CliRunner().invoke(app, [*call, "--fps", "3"], catch_exceptions=False)
