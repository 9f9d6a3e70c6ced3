"""The best variants of a study: whole in their frames, with what tells them apart written above."""

from __future__ import annotations

import pytest

import structkin as sk
from structkin import show

#: A slider-crank that is hardly higher than its symbols.
FLAT = sk.Mechanism(
    points={"O": (0, 0), "A": (30, 0), "B": (149, 10)}, units={"length": "mm"}, lengths={"O-A": 30, "A-B": 120},
    links={"ground": ["O"], "crank": ["O", "A"], "rod": ["A", "B"], "piston": ["B"]},
    joints={"guide": {"type": "prismatic", "links": ["piston", "ground"], "at": "B", "axis": [1, 0]}},
    drivers={"motor": {"joint": "O", "speed": "300 rpm"}},
)  # fmt: skip


def test_the_best_variants_are_whole_in_their_frames_and_say_what_differs() -> None:
    parameters = {"lengths.O-A": [0.022, 0.024], "lengths.A-B": [0.13, 0.13]}
    study = sk.study(FLAT, parameters, plan="list", samples=13, measures={"top": "max.speed.B"})
    figure = show.draw_variants(study, [0, 1], [study.motion(k) for k in (0, 1)], "top")
    figure.canvas.draw()
    for k, ax in enumerate(figure.axes):
        frame = ax.get_window_extent()
        for artist in (*ax.lines, *ax.patches):
            own = artist.get_window_extent()
            assert frame.x0 <= own.x0 and own.x1 <= frame.x1 and frame.y0 <= own.y0 and own.y1 <= frame.y1
        assert frame.width > 0.9 * figure.bbox.width / 2 and ax.get_aspect() == 1.0
        assert ax.get_title("left").splitlines() == [
            f"variant {k}: top {study.dataset['top'].values[k]:.5g} m/s", f"lengths.O-A {(22, 24)[k]} mm"
        ]  # fmt: skip
    with pytest.raises(sk.InputError, match="no variant has a value"):
        show.draw_variants(study, [], [], "top")
