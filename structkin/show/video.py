"""Animations as files: GIF and WebP by Pillow, MP4 by ffmpeg."""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from importlib import import_module
from itertools import chain
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from structkin.errors import InputError, Problem, StructkinError
from structkin.types import Ints

#: A picture (height, width, 3), 8 bits per channel.
Frame = NDArray[np.uint8]
Frames = Iterator[Frame]

#: Least difference between colours of a palette, of 255: Pillow confuses nearer ones, and takes white for grey.
APART = 8


def write_gif(file: IO[bytes], frames: Frames, key: Frame, fps: float, repeat: bool) -> None:
    """Write a GIF whose palette comes from the picture `key`; frame times are multiples of 10 ms."""
    first, *others = _few_colours(frames, key)
    ends = np.rint(100 * np.arange(len(others) + 2) / fps)
    durations = (10 * np.diff(ends)).astype(int).tolist()
    options = {"loop": 0} if repeat else {}
    first.save(file, "GIF", save_all=True, append_images=others, duration=durations, **options)


def write_webp(file: IO[bytes], frames: Frames, key: Frame, fps: float, repeat: bool) -> None:
    """Write an animated WebP whose palette comes from the picture `key`."""
    pictures = (picture.convert("RGB") for picture in _few_colours(frames, key))
    first = next(pictures)
    first.save(
        file, "WEBP", save_all=True, append_images=pictures, duration=round(1000 / fps), loop=0 if repeat else 1,
        lossless=True, quality=20, method=1, minimize_size=True,
    )  # fmt: skip


def _few_colours(frames: Frames, key: Frame) -> Iterator[Any]:
    """Yield frames as Pillow images with the palette of `key`, so that fixed parts are equal in all frames."""
    from PIL import Image

    colours, counts = np.unique(key.reshape(-1, 3), axis=0, return_counts=True)
    left = colours[np.argsort(-counts, kind="stable")].astype(int)
    chosen: list[Ints] = []
    while len(left) and len(chosen) < 256:
        chosen.append(left[0])
        left = left[np.abs(left - left[0]).max(axis=1) >= APART]
    palette = Image.new("P", (1, 1))
    palette.putpalette(np.concatenate(chosen).tolist())
    for frame in frames:
        yield Image.fromarray(frame).quantize(palette=palette, dither=Image.Dither.NONE)


def write_mp4(file: IO[bytes], frames: Frames, key: Frame, fps: float, repeat: bool) -> None:
    """Write an MP4 that browsers and slides can play; whether it repeats is up to the player."""
    first = next(frames)
    height, width = (2 * (side // 2) for side in first.shape[:2])
    with tempfile.TemporaryDirectory() as folder:
        # The index at the start of an MP4 is written last, so the output cannot be a pipe.
        target = Path(folder, "animation.mp4")
        words = [
            ffmpeg(), "-loglevel", "error", "-f", "rawvideo", "-pix_fmt", "rgb24", "-s", f"{width}x{height}",
            "-r", f"{fps:g}", "-i", "-", "-an", "-pix_fmt", "yuv420p", "-movflags", "+faststart", str(target),
        ]  # fmt: skip
        with tempfile.TemporaryFile() as said:
            run = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=said)
            assert run.stdin is not None
            try:
                # if ffmpeg fails, the pipe breaks: its own message is reported below
                with suppress(BrokenPipeError), run.stdin:
                    for frame in chain([first], frames):
                        run.stdin.write(np.ascontiguousarray(frame[:height, :width]).data)
            except BaseException:
                run.kill()
                raise
            finally:
                run.wait()
            if run.returncode:
                said.seek(0)
                text = said.read().decode("utf-8", "replace").strip()
                raise StructkinError(f"ffmpeg could not write the animation: {text}")
        with target.open("rb") as done:
            shutil.copyfileobj(done, file)


def ffmpeg() -> str:
    """Return the path of ffmpeg: on PATH, or from the package imageio-ffmpeg; `InputError` without it."""
    found = shutil.which("ffmpeg")
    if found is None:
        try:
            found = str(import_module("imageio_ffmpeg").get_ffmpeg_exe())
        except (ImportError, RuntimeError):
            hint = "install ffmpeg, or `pip install imageio-ffmpeg`; or write .gif or .webp"
            raise InputError([Problem("output", "MP4 needs the program ffmpeg", hint)], "output") from None
    return found
